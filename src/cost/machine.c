// The text is read to a tree (base/json_read.h). Unknown keys are errors: a misspelt optional key
// would be ignored silently.
#include "cost/machine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"

typedef struct Known {
  const char *name, *text;
} Known;

static const Known machines[] = {
#define MACHINE(name, text) {name, text},
#include "cost/machines.def"
#undef MACHINE
};

// Fails if the value is no object or has a key that is not in the list.
static Status *check_keys(const JsonValue *object, const char *what, uint32_t n,
                          const char *const *keys) {
  if (object->kind != JSON_OBJECT)
    FAIL(INVALID_ARGUMENT, "line %u: %s must be an object", object->line, what);
  for (uint32_t i = 0; i < object->count; i++) {
    uint32_t k = 0;
    while (k < n && strcmp(keys[k], object->keys[i]) != 0) k++;
    if (k < n) continue;
    char known[128] = "";
    for (k = 0; k < n; k++)
      snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", k ? ", " : "", keys[k]);
    FAIL(INVALID_ARGUMENT, "line %u: %s has no \"%s\"; it has %s", object->items[i].line, what,
         object->keys[i], known);
  }
  return NULL;
}

// A finite number > 0, or >= 0 if `zero` allows it.
static Status *read_number(const JsonValue *object, const char *what, const char *key, bool zero,
                           double *out) {
  const JsonValue *value = json_get(object, key);
  if (!value) FAIL(INVALID_ARGUMENT, "line %u: %s needs \"%s\"", object->line, what, key);
  bool fits = value->kind == JSON_NUMBER && isfinite(value->number) &&
              (value->number > 0 || (zero && value->number == 0));
  if (!fits)
    FAIL(INVALID_ARGUMENT, "line %u: \"%s\" must be a %s number", value->line, key,
         zero ? "non-negative" : "positive");
  *out = value->number;
  return NULL;
}

static Status *read_link(const JsonValue *value, MachineLink *out) {
  static const char *const keys[] = {"devices", "latency_seconds", "gap_seconds",
                                     "bytes_per_second"};
  TRY(check_keys(value, "a link", 4, keys));
  TRY(read_number(value, "a link", "latency_seconds", true, &out->link.latency_seconds));
  TRY(read_number(value, "a link", "gap_seconds", true, &out->link.gap_seconds));
  TRY(read_number(value, "a link", "bytes_per_second", false, &out->link.bytes_per_second));
  const JsonValue *devices = json_get(value, "devices");
  if (!devices) return NULL;
  bool fits = devices->kind == JSON_NUMBER && devices->number >= 1 &&
              devices->number <= MESH_MOST_DEVICES && floor(devices->number) == devices->number;
  if (!fits)
    FAIL(INVALID_ARGUMENT, "line %u: \"devices\" must be a number of devices", devices->line);
  out->devices = (uint32_t)devices->number;
  return NULL;
}

static Status *read_links(const JsonValue *value, Arena *arena, Machine *out) {
  if (value->kind != JSON_ARRAY || !value->count)
    FAIL(INVALID_ARGUMENT, "line %u: \"links\" must be a list of at least one", value->line);
  MachineLink *links = ARENA_ARRAY(arena, MachineLink, value->count);
  for (uint32_t i = 0; i < value->count; i++) {
    TRY(read_link(&value->items[i], &links[i]));
    if (i + 1 < value->count && !links[i].devices)
      FAIL(INVALID_ARGUMENT, "line %u: only the last link joins all devices", value->items[i].line);
  }
  out->links = links;
  out->n_links = value->count;
  return NULL;
}

static Status *read_axes(const JsonValue *value, Arena *arena, Machine *out) {
  if (value->kind != JSON_OBJECT)
    FAIL(INVALID_ARGUMENT, "line %u: \"axes\" must be an object", value->line);
  MachineLink *axes = ARENA_ARRAY(arena, MachineLink, value->count + 1);
  for (uint32_t i = 0; i < value->count; i++) {
    TRY(read_link(&value->items[i], &axes[i]));
    axes[i].axis = value->keys[i];
  }
  out->axes = axes;
  out->n_axes = value->count;
  return NULL;
}

Status *machine_read(Str text, Arena *arena, Machine *out) {
  static const char *const keys[] = {"name", "device", "links", "axes"};
  static const char *const device_keys[] = {"flops_per_second", "bytes_per_second", "memory_bytes"};
  const JsonValue *top;
  Machine machine = {.name = ""};
  TRY(json_read(text, arena, &top));
  TRY(check_keys(top, "a machine", 4, keys));
  const JsonValue *name = json_get(top, "name"), *device = json_get(top, "device");
  const JsonValue *links = json_get(top, "links"), *axes = json_get(top, "axes");
  if (name && name->kind == JSON_STRING) machine.name = name->string;
  if (!device || !links)
    FAIL(INVALID_ARGUMENT, "line %u: a machine needs \"device\" and \"links\"", top->line);
  TRY(check_keys(device, "\"device\"", 3, device_keys));
  TRY(read_number(device, "\"device\"", "flops_per_second", false,
                  &machine.compute.flops_per_second));
  TRY(read_number(device, "\"device\"", "bytes_per_second", false,
                  &machine.compute.bytes_per_second));
  TRY(read_number(device, "\"device\"", "memory_bytes", false, &machine.memory_bytes));
  TRY(read_links(links, arena, &machine));
  if (axes) TRY(read_axes(axes, arena, &machine));
  *out = machine;
  return NULL;
}

const char *machine_names(void) {
  static const char names[] =
#define MACHINE(name, text) ", " name
#include "cost/machines.def"
#undef MACHINE
      ;
  return names + 2;
}

const char *machine_text(const char *name) {
  for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++)
    if (strcmp(machines[i].name, name) == 0) return machines[i].text;
  return NULL;
}

Network machine_network(const Machine *machine, const Context *context, const Mesh *mesh,
                        Arena *arena) {
  Network network = {.all = machine->links[machine->n_links - 1].link};
  if (!mesh || !mesh->n_axes) return network;
  NetworkLevel *levels = ARENA_ARRAY(arena, NetworkLevel, machine->n_links);
  for (uint32_t i = 0; i < machine->n_links; i++) {
    levels[i] = (NetworkLevel){machine->links[i].devices, machine->links[i].link};
    network.n_levels = i + 1;
    if (levels[i].devices < mesh->n_devices) continue;
    network.all = levels[i].link;  // the mesh ends here
    break;
  }
  NetworkAxis *axes = ARENA_ARRAY(arena, NetworkAxis, mesh->n_axes);
  network.levels = levels;
  network.axes = axes;
  network.n_axes = mesh->n_axes;
  for (uint32_t i = 0; i < mesh->n_axes; i++) {
    axes[i] = (NetworkAxis){.size = mesh->axes[i].size, .stride = mesh->axes[i].stride};
    for (uint32_t k = 0; k < machine->n_axes; k++) {
      if (strcmp(machine->axes[k].axis, name_text(context, mesh->axes[i].name)) != 0) continue;
      axes[i].named = true;
      axes[i].link = machine->axes[k].link;
    }
    if (axes[i].named) continue;
    AxisRef axis = axis_full(mesh, i);
    Route route = network_route(&network, (AxisList){&axis, 1});
    axes[i].link = axis.size > 1 ? route_slowest(&route) : levels[0].link;
  }
  return network;
}
