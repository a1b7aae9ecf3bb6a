// Problem: describe machines as data that users can write, too.
//
// The text is read to a tree (base/json_read.h). Unknown keys are errors: a misspelt optional key
// would be ignored silently. The known machines are machines/*.json, embedded at build time
// (Makefile). A shape is a key of the text like any other, so that NAME:SHAPE travels
// through all stages as one text.
#include "cost/machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_read.h"
#include "base/mem.h"
#include "base/pool.h"

typedef struct Known {
  const char *name, *text;
} Known;

static const Known machines[] = {
#define MACHINE(name, text) {name, text},
#include "cost/machines.inc"
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
    char known[256] = "";
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

// A number of devices or the like; *out stays as it is if the key is absent.
static Status *read_count(const JsonValue *object, const char *key, uint32_t least,
                          const char *what, uint32_t *out) {
  const JsonValue *value = json_get(object, key);
  if (!value) return NULL;
  bool fits = value->kind == JSON_NUMBER && value->number >= least &&
              value->number <= MESH_MOST_DEVICES && floor(value->number) == value->number;
  if (!fits) FAIL(INVALID_ARGUMENT, "line %u: \"%s\" must be %s", value->line, key, what);
  *out = (uint32_t)value->number;
  return NULL;
}

static Status *read_topology(const JsonValue *object, MachineLink *out) {
  static const char *const words[] = {"switch", "ring", "torus"};
  const JsonValue *value = json_get(object, "topology");
  out->dimensions = 1;
  if (!value) return NULL;
  uint32_t i = 0;
  while (i < 3 && (value->kind != JSON_STRING || strcmp(value->string, words[i]) != 0)) i++;
  if (i == 3)
    FAIL(INVALID_ARGUMENT, "line %u: \"topology\" must be \"switch\", \"ring\" or \"torus\"",
         value->line);
  out->topology = (Topology)i;
  if (i == TOPOLOGY_TORUS)
    TRY(read_count(object, "dimensions", 1, "a number of dimensions", &out->dimensions));
  if (out->dimensions > MACHINE_MOST_DIMENSIONS)
    FAIL(INVALID_ARGUMENT, "line %u: a torus has at most %d dimensions", value->line,
         MACHINE_MOST_DIMENSIONS);
  return read_count(object, "wraps_from", 0, "a number of devices", &out->wraps_from);
}

static Status *read_link(const JsonValue *value, MachineLink *out) {
  static const char *const keys[] = {"devices",          "latency_seconds", "gap_seconds",
                                     "bytes_per_second", "topology",        "dimensions",
                                     "wraps_from"};
  TRY(check_keys(value, "a link", 7, keys));
  TRY(read_number(value, "a link", "latency_seconds", true, &out->link.latency_seconds));
  TRY(read_number(value, "a link", "gap_seconds", true, &out->link.gap_seconds));
  TRY(read_number(value, "a link", "bytes_per_second", false, &out->link.bytes_per_second));
  TRY(read_topology(value, out));
  return read_count(value, "devices", 1, "a number of devices", &out->devices);
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

static Status *read_overlaps(const JsonValue *value, Arena *arena, Machine *out) {
  static const char *const words[] = {"free", "none", "pipelined"};
  if (value->kind != JSON_OBJECT)
    FAIL(INVALID_ARGUMENT, "line %u: \"overlap\" must be an object", value->line);
  MachineOverlap *overlaps = ARENA_ARRAY(arena, MachineOverlap, value->count + 1);
  for (uint32_t i = 0; i < value->count; i++) {
    const JsonValue *word = &value->items[i];
    uint32_t k = 0;
    while (k < 3 && (word->kind != JSON_STRING || strcmp(word->string, words[k]) != 0)) k++;
    if (k == 3)
      FAIL(INVALID_ARGUMENT,
           "line %u: the overlap of an axis must be \"free\", \"none\" or \"pipelined\"",
           word->line);
    overlaps[i] = (MachineOverlap){value->keys[i], (Overlap)k};
  }
  out->overlaps = overlaps;
  out->n_overlaps = value->count;
  return NULL;
}

// A type without a rate of its own is computed in the next wider one that has one.
static void fill_peaks(Rates *rates) {
  static const RateKind order[][3] = {
      {RATE_f32, RATE_bf16, RATE_f16},  {RATE_bf16, RATE_f16, RATE_f32},
      {RATE_f16, RATE_bf16, RATE_f32},  {RATE_f8, RATE_bf16, RATE_f32},
      {RATE_i8, RATE_bf16, RATE_f32},   {RATE_vector, RATE_f32, RATE_f32},
      {RATE_f64, RATE_vector, RATE_f32}};
  for (uint32_t i = 0; i < sizeof order / sizeof order[0]; i++)
    for (uint32_t k = 1; k < 3 && rates->peak[order[i][0]] <= 0; k++)
      rates->peak[order[i][0]] = rates->peak[order[i][k]];
}

static Status *read_peaks(const JsonValue *peaks, Rates *rates) {
  TRY(check_keys(peaks, "\"peak_flops_per_second\"", RATE_COUNT, rate_names));
  if (!peaks->count)
    FAIL(INVALID_ARGUMENT, "line %u: \"peak_flops_per_second\" needs at least one type",
         peaks->line);
  for (uint32_t i = 0; i < RATE_COUNT; i++) {
    rates->peak[i] = 0;
    if (json_get(peaks, rate_names[i]))
      TRY(read_number(peaks, "a device", rate_names[i], false, &rates->peak[i]));
  }
  fill_peaks(rates);
  return NULL;
}

// A fraction above 0, at most 1; *out stays as it is if the key is absent.
static Status *read_fraction(const JsonValue *object, const char *key, double *out) {
  const JsonValue *value = json_get(object, key);
  if (!value) return NULL;
  if (value->kind != JSON_NUMBER || !(value->number > 0) || value->number > 1)
    FAIL(INVALID_ARGUMENT, "line %u: \"%s\" must be a fraction above 0, at most 1", value->line,
         key);
  *out = value->number;
  return NULL;
}

// true or false; *out stays as it is if the key is absent.
static Status *read_flag(const JsonValue *object, const char *key, bool *out) {
  const JsonValue *value = json_get(object, key);
  if (!value) return NULL;
  if (value->kind != JSON_BOOL)
    FAIL(INVALID_ARGUMENT, "line %u: \"%s\" must be true or false", value->line, key);
  *out = value->truth;
  return NULL;
}

static Status *read_device(const JsonValue *device, Machine *out) {
  static const char *const keys[] = {
      "flops_per_second",      "bytes_per_second", "memory_bytes",    "usable_memory", "reached",
      "peak_flops_per_second", "op_seconds",       "fused_attention", "matrix_unit"};
  static const char *const reached_keys[] = {"contractions", "memory", "links", "attention"};
  const char *what = "\"device\"";
  TRY(check_keys(device, what, 9, keys));
  TRY(read_number(device, what, "flops_per_second", false, &out->compute.flops_per_second));
  TRY(read_number(device, what, "bytes_per_second", false, &out->compute.bytes_per_second));
  TRY(read_number(device, what, "memory_bytes", false, &out->memory_bytes));
  TRY(read_fraction(device, "usable_memory", &out->usable_memory));
  out->rates = rates_plain(&out->compute);
  const JsonValue *peaks = json_get(device, "peak_flops_per_second");
  const JsonValue *reached = json_get(device, "reached");
  if (peaks) TRY(read_peaks(peaks, &out->rates));
  if (reached) {
    TRY(check_keys(reached, "\"reached\"", 4, reached_keys));
    TRY(read_fraction(reached, "contractions", &out->rates.contractions));
    TRY(read_fraction(reached, "memory", &out->rates.memory));
    TRY(read_fraction(reached, "links", &out->rates.links));
    TRY(read_fraction(reached, "attention", &out->rates.attention));
  }
  if (json_get(device, "op_seconds"))
    TRY(read_number(device, what, "op_seconds", true, &out->rates.op_seconds));
  if (json_get(device, "matrix_unit"))
    TRY(read_number(device, what, "matrix_unit", false, &out->rates.matrix_unit));
  return read_flag(device, "fused_attention", &out->fused_attention);
}

static Status *read_shape(const JsonValue *value, Machine *out) {
  uint64_t devices = 1;
  bool fits = value->kind == JSON_ARRAY && value->count && value->count <= MACHINE_MOST_DIMENSIONS;
  for (uint32_t i = 0; fits && i < value->count; i++) {
    double n = value->items[i].number;
    fits = value->items[i].kind == JSON_NUMBER && n >= 1 && n <= MESH_MOST_DEVICES && floor(n) == n;
    if (!fits) break;
    out->shape[i] = (uint32_t)n;
    devices *= out->shape[i];
    fits = devices <= MESH_MOST_DEVICES;
  }
  if (!fits)
    FAIL(INVALID_ARGUMENT, "line %u: \"shape\" must be a list of at most %d numbers of devices",
         value->line, MACHINE_MOST_DIMENSIONS);
  out->n_shape = value->count;
  return NULL;
}

// 0 in the text: those of this host, with its memory.
static Status *read_shared_cores(const JsonValue *top, Machine *out) {
  if (!json_get(top, "shared_cores")) return NULL;
  TRY(read_count(top, "shared_cores", 0, "a number of cores", &out->shared_cores));
  if (out->shared_cores) return NULL;
  long pages = sysconf(_SC_PHYS_PAGES);
  out->shared_cores = pool_cores();
  if (pages > 0) out->memory_bytes = (double)pages * (double)mem_page_bytes();
  return NULL;
}

Status *machine_read(Str text, Arena *arena, Machine *out) {
  static const char *const keys[] = {"name", "source", "device",       "links",
                                     "axes", "shape",  "shared_cores", "overlap"};
  const JsonValue *top;
  Machine machine = {.name = "", .source = "", .usable_memory = 0.92};
  TRY(json_read(text, arena, &top));
  TRY(check_keys(top, "a machine", 8, keys));
  const JsonValue *name = json_get(top, "name"), *source = json_get(top, "source");
  const JsonValue *device = json_get(top, "device"), *links = json_get(top, "links");
  const JsonValue *axes = json_get(top, "axes"), *shape = json_get(top, "shape");
  if (name && name->kind == JSON_STRING) machine.name = name->string;
  if (source && source->kind == JSON_STRING) machine.source = source->string;
  if (!device || !links)
    FAIL(INVALID_ARGUMENT, "line %u: a machine needs \"device\" and \"links\"", top->line);
  TRY(read_device(device, &machine));
  TRY(read_links(links, arena, &machine));
  if (axes) TRY(read_axes(axes, arena, &machine));
  if (json_get(top, "overlap")) TRY(read_overlaps(json_get(top, "overlap"), arena, &machine));
  if (shape) TRY(read_shape(shape, &machine));
  TRY(read_shared_cores(top, &machine));
  *out = machine;
  return NULL;
}

// ---- by name ----

const char *machine_names(void) {
  static const char names[] =
#define MACHINE(name, text) ", " name
#include "cost/machines.inc"
#undef MACHINE
      ;
  return names + 2;
}

uint32_t machine_count(void) { return sizeof machines / sizeof machines[0]; }

const char *machine_name(uint32_t i) { return machines[i].name; }

static const char *find(const char *name, size_t n) {
  if (n == 3 && memcmp(name, "cpu", 3) == 0) return find("shared_cores", 12);
  for (uint32_t i = 0; i < machine_count(); i++) {
    const char *known = machines[i].name;
    size_t k = 0;
    while (k < n && known[k] && (known[k] == name[k] || (known[k] == '_' && name[k] == '-'))) k++;
    if (k == n && !known[k]) return machines[i].text;
  }
  return NULL;
}

const char *machine_text(const char *name) { return find(name, strlen(name)); }

// Appends the shape as JSON numbers: "8x4" to "8, 4".
static bool put_shape(const char *shape, char *to, size_t room) {
  size_t used = 0;
  for (uint32_t i = 0;; i++) {
    char *end;
    if (*shape < '1' || *shape > '9') return false;
    unsigned long n = strtoul(shape, &end, 10);
    if (n > MESH_MOST_DEVICES || i == MACHINE_MOST_DIMENSIONS) return false;
    used += (size_t)snprintf(to + used, room - used, "%s%lu", i ? ", " : "", n);
    if (!*end) return true;
    if (*end != 'x' && *end != 'X') return false;
    shape = end + 1;
  }
}

Status *machine_find(const char *word, char **out_text) {
  size_t name = strcspn(word, ":");
  const char *text = find(word, name);
  char shape[128];
  *out_text = NULL;
  if (!text) return NULL;
  if (word[name] && !put_shape(word + name + 1, shape, sizeof shape))
    FAIL(INVALID_ARGUMENT,
         "'%s' is no shape: write the devices of each level, the innermost first, as in h100:8x4 "
         "(8 per node, 4 nodes) or tpu_v5p:4x4x4",
         word + name + 1);
  size_t bytes = strlen(text) + sizeof shape + 32;
  *out_text = mem_alloc(bytes);
  if (!*out_text) return status_no_memory();
  if (word[name])
    snprintf(*out_text, bytes, "{\"shape\": [%s],%s", shape, text + 1);
  else
    snprintf(*out_text, bytes, "%s", text);
  return NULL;
}

// ---- overlap ----

uint64_t machine_overlap_axes(const Machine *machine, const Context *context, const Mesh *mesh,
                              Overlap overlap) {
  uint64_t bits = 0;
  for (uint32_t i = 0; mesh && i < mesh->n_axes && i < 64; i++) {
    // Devices that share cores have no links of their own: the cores copy instead of computing.
    Overlap of_axis = machine->shared_cores ? OVERLAP_NONE : OVERLAP_FREE;
    for (uint32_t k = 0; k < machine->n_overlaps; k++)
      if (strcmp(machine->overlaps[k].axis, name_text(context, mesh->axes[i].name)) == 0)
        of_axis = machine->overlaps[k].overlap;
    if (of_axis == overlap) bits |= (uint64_t)1 << i;
  }
  return bits;
}

// ---- devices ----

uint32_t machine_devices(const Machine *machine) {
  uint32_t n = machine->n_shape ? 1 : 0;
  for (uint32_t i = 0; i < machine->n_shape; i++) n *= machine->shape[i];
  return n;
}

// Cores of each device, if devices share them; otherwise 1: all rates are of one device.
static double cores_each(const Machine *machine, uint32_t n_devices) {
  return machine->shared_cores ? (double)machine->shared_cores / (n_devices ? n_devices : 1) : 1;
}

Compute machine_compute(const Machine *machine, uint32_t n_devices) {
  double cores = cores_each(machine, n_devices);
  return (Compute){machine->compute.flops_per_second * cores,
                   machine->compute.bytes_per_second * cores};
}

Rates machine_rates(const Machine *machine, uint32_t n_devices) {
  Rates rates = machine->rates;
  double cores = cores_each(machine, n_devices);
  for (uint32_t i = 0; i < RATE_COUNT; i++) rates.peak[i] *= cores;
  rates.bytes_per_second *= cores;
  // One core starts an op, however many share its work.
  rates.op_seconds /= machine->shared_cores ? fmin(cores, 1) : 1;
  return rates;
}

double machine_usable_bytes(const Machine *machine, uint32_t n_devices) {
  double share = machine->shared_cores && n_devices ? n_devices : 1;
  return machine->memory_bytes * machine->usable_memory / share;
}

// ---- links ----

// The levels of a machine of any size: one per link. Tori count as switches: their shape is
// unknown.
static uint32_t plain_levels(const Machine *machine, NetworkLevel *out) {
  for (uint32_t i = 0; i < machine->n_links; i++)
    out[i] = (NetworkLevel){
        .devices = machine->links[i].devices, .link = machine->links[i].link, .stream = i};
  return machine->n_links;
}

// The levels of a machine with a shape: one per number. A torus takes as many numbers as it has
// dimensions, other links one each; the last link takes the rest.
static uint32_t shaped_levels(const Machine *machine, NetworkLevel *out) {
  uint32_t link = 0, left = machine->links[0].dimensions, devices = 1;
  for (uint32_t i = 0; i < machine->n_shape; i++) {
    if (!left && link + 1 < machine->n_links) left = machine->links[++link].dimensions;
    if (left) left--;
    const MachineLink *l = &machine->links[link];
    devices *= machine->shape[i];
    out[i] = (NetworkLevel){.devices = devices,
                            .link = l->link,
                            .topology = l->topology,
                            .size = machine->shape[i],
                            .wraps = machine->shape[i] >= l->wraps_from && machine->shape[i] > 2,
                            .stream = i};
  }
  return machine->n_shape;
}

// A link of devices that have so many cores each: messages are copies in memory, made by the cores.
static Link link_shared(Link link, double cores) {
  return (Link){.latency_seconds = link.latency_seconds / cores,
                .gap_seconds = link.gap_seconds / cores,
                .bytes_per_second = link.bytes_per_second * cores};
}

Network machine_network(const Machine *machine, const Context *context, const Mesh *mesh,
                        Arena *arena) {
  Network network = {.all = machine->links[machine->n_links - 1].link};
  if (!mesh || !mesh->n_axes) return network;
  uint32_t most = machine->n_links > machine->n_shape ? machine->n_links : machine->n_shape;
  NetworkLevel *levels = ARENA_ARRAY(arena, NetworkLevel, most);
  uint32_t n = machine->n_shape ? shaped_levels(machine, levels) : plain_levels(machine, levels);
  double cores = cores_each(machine, mesh->n_devices);
  network.all = link_shared(network.all, cores);
  for (uint32_t i = 0; i < n; i++) levels[i].link = link_shared(levels[i].link, cores);
  network.n_streams = n;
  for (uint32_t i = 0; i < n; i++) {
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
      axes[i].link = link_shared(machine->axes[k].link, cores);
    }
    if (axes[i].named) continue;
    AxisRef axis = axis_full(mesh, i);
    Route route = network_route(&network, (AxisList){&axis, 1});
    axes[i].link = axis.size > 1 ? route_slowest(&route) : levels[0].link;
  }
  return network;
}

Network machine_network_reached(const Machine *machine, const Context *context, const Mesh *mesh,
                                double fraction, Arena *arena) {
  Network network = machine_network(machine, context, mesh, arena);
  NetworkLevel *levels = ARENA_ARRAY(arena, NetworkLevel, network.n_levels + 1);
  NetworkAxis *axes = ARENA_ARRAY(arena, NetworkAxis, network.n_axes + 1);
  for (uint32_t i = 0; i < network.n_levels; i++) {
    levels[i] = network.levels[i];
    levels[i].link.bytes_per_second *= fraction;
  }
  for (uint32_t i = 0; i < network.n_axes; i++) {
    axes[i] = network.axes[i];
    axes[i].link.bytes_per_second *= fraction;
  }
  network.levels = levels;
  network.axes = axes;
  network.all.bytes_per_second *= fraction;
  return network;
}
