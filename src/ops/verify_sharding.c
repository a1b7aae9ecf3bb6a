// Shardings against meshes and types. Each sharding is looked at once per place it stands in; the
// axes of one sharding are few, so they are compared pairwise.
#include "ops/verify_sharding.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "ops/op.h"
#include "sharding/factor.h"

typedef struct Check {
  const Program *p;
  const Context *context;
  OpId op;
  const SymbolTable *symbols;
  Diag *diag;
} Check;

PRINTF_LIKE(2, 3)
static bool fail(const Check *c, const char *fmt, ...) {
  char message[512];
  va_list args;
  va_start(args, fmt);
  vsnprintf(message, sizeof message, fmt, args);
  va_end(args);
  return diag_error(c->diag, op_at(c->p, c->op)->pos, "'%s' op %s", op_name(c->p, c->op), message);
}

static const AttrInfo *get(const Check *c, Attr attr, const char *name) {
  return attr_info(c->context, attr_get(c->context, attr, name));
}

static bool is_class(const Check *c, Attr attr, const char *cls) {
  const AttrInfo *info = attr_info(c->context, attr);
  return info->kind == ATTR_STRUCT && str_is(name_str(c->context, info->cls), cls);
}

// The mesh attribute that a sharding refers to, 0 after reporting.
static Attr mesh_of(const Check *c, Attr sharding) {
  Attr ref = attr_get(c->context, sharding, "mesh");
  if (is_class(c, ref, "sdy.mesh")) return ref;
  Name name = attr_as_name(c->context, ref);
  OpId op = name ? symbols_find(c->symbols, name) : 0;
  Attr mesh = op && op_at(c->p, op)->code == OP_sdy_mesh ? op_attr(c->p, op, "mesh") : 0;
  if (!is_class(c, mesh, "sdy.mesh")) {
    fail(c, "names the mesh @%s, which is not in this module", name_text(c->context, name));
    return 0;
  }
  return mesh;
}

// Size of the named axis, 0 if the mesh has none.
static int64_t axis_size(const Check *c, Attr mesh, Name name) {
  const AttrInfo *axes = get(c, mesh, "axes");
  for (uint32_t i = 0; i < axes->count; i++)
    if (attr_as_name(c->context, attr_get(c->context, axes->items[i], "name")) == name)
      return attr_as_int(c->context, attr_get(c->context, axes->items[i], "size"), 0);
  return 0;
}

// The part of an axis that a reference takes: [low, high) of its divisors.
typedef struct AxisPart {
  Name name;
  int64_t pre_size, next;  // next = pre_size * size
} AxisPart;

typedef struct AxisParts {
  AxisPart items[64];
  uint32_t n;
} AxisParts;

static bool take_axis(const Check *c, Attr mesh, Attr axis, AxisParts *seen) {
  Name name = attr_as_name(c->context, attr_get(c->context, axis, "name"));
  int64_t full = axis_size(c, mesh, name);
  if (!full)
    return fail(c, "names the axis \"%s\", which its mesh does not have",
                name_text(c->context, name));
  int64_t pre = attr_as_int(c->context, attr_get(c->context, axis, "pre_size"), 1);
  int64_t size = attr_as_int(c->context, attr_get(c->context, axis, "size"), full);
  if (pre < 1 || size < 1 || pre > full || size > full || full % pre || full / pre % size)
    return fail(
        c, "sub-axis \"%s\":(%" PRId64 ")%" PRId64 " does not divide the axis of size %" PRId64,
        name_text(c->context, name), pre, size, full);
  AxisPart part = {name, pre, pre * size};
  for (uint32_t i = 0; i < seen->n; i++)
    if (seen->items[i].name == name && part.pre_size < seen->items[i].next &&
        seen->items[i].pre_size < part.next)
      return fail(c, "uses the axis \"%s\" twice in one sharding", name_text(c->context, name));
  if (seen->n < sizeof seen->items / sizeof *seen->items) seen->items[seen->n++] = part;
  return true;
}

static bool take_axes(const Check *c, Attr mesh, const AttrInfo *axes, AxisParts *seen) {
  for (uint32_t i = 0; i < axes->count; i++)
    if (!take_axis(c, mesh, axes->items[i], seen)) return false;
  return true;
}

static bool is_maximal(const Check *c, Attr mesh) {
  return get(c, mesh, "axes")->count == 0 && get(c, mesh, "device_ids")->count == 1;
}

// type 0: the tensor is not known here.
static bool check_sharding(const Check *c, Attr sharding, Type type, const char *what, uint32_t i) {
  if (!is_class(c, sharding, "sdy.sharding"))
    return fail(c, "%s %u needs a #sdy.sharding", what, i);
  Attr mesh = mesh_of(c, sharding);
  if (!mesh) return false;
  const AttrInfo *dims = get(c, sharding, "dims");
  const TypeInfo *tensor = type_info(c->context, type);
  bool maximal = is_maximal(c, mesh);
  if (maximal && dims->count)
    return fail(c, "%s %u: a sharding on a single device has no dimensions", what, i);
  if (type && !maximal && tensor->kind == TYPE_TENSOR && dims->count != tensor->rank)
    return fail(c, "%s %u: the sharding has %u dimensions, but the tensor %s has %u", what, i,
                dims->count, type_text(c->p->context, type), tensor->rank);
  if (type && tensor->kind != TYPE_TENSOR && dims->count)
    return fail(c, "%s %u: a value of type %s has no dimensions to shard", what, i,
                type_text(c->p->context, type));
  AxisParts seen = {.n = 0};
  for (uint32_t d = 0; d < dims->count; d++) {
    const AttrInfo *axes = get(c, dims->items[d], "axes");
    if (!take_axes(c, mesh, axes, &seen)) return false;
    if (!axes->count && attr_get(c->context, dims->items[d], "priority") &&
        !attr_get(c->context, dims->items[d], "open"))
      return fail(c, "%s %u: dimension %u is empty and closed, it cannot have a priority", what, i,
                  d);
  }
  return take_axes(c, mesh, get(c, sharding, "replicated"), &seen) &&
         take_axes(c, mesh, get(c, sharding, "unreduced"), &seen);
}

static bool check_results(const Check *c, Attr per_value) {
  if (is_class(c, per_value, "sdy.sharding")) return true;  // on ops like sdy.data_flow_edge
  if (!is_class(c, per_value, "sdy.sharding_per_value"))
    return fail(c, "attribute 'sdy.sharding' must be a #sdy.sharding_per_value");
  const AttrInfo *list = get(c, per_value, "shardings");
  const Op *o = op_at(c->p, c->op);
  // One maximal sharding may stand on an op without results.
  if (list->count != o->n_results && !(o->n_results == 0 && list->count == 1))
    return fail(c, "has %u results, but shardings for %u", o->n_results, list->count);
  for (uint32_t i = 0; i < list->count; i++)
    if (!check_sharding(c, list->items[i], i < o->n_results ? value_type(c->p, o->results + i) : 0,
                        "result", i))
      return false;
  return true;
}

static bool check_function_side(const Check *c, const char *name, uint32_t n, const Type *types,
                                const char *what) {
  const AttrInfo *dicts = attr_info(c->context, op_attr(c->p, c->op, name));
  for (uint32_t i = 0; i < dicts->count && i < n && dicts->kind == ATTR_ARRAY; i++) {
    Attr sharding = attr_get(c->context, dicts->items[i], "sdy.sharding");
    if (sharding && !check_sharding(c, sharding, types[i], what, i)) return false;
  }
  return true;
}

static bool check_list(const Check *c, const char *name, uint32_t n, bool results) {
  Attr per_value = op_attr(c->p, c->op, name);
  if (!per_value) return true;
  const AttrInfo *list = get(c, per_value, "shardings");
  if (list->count != n) return fail(c, "%s has %u shardings for %u values", name, list->count, n);
  for (uint32_t i = 0; i < n; i++) {
    Type type = results ? op_result_type(c->p, c->op, i) : op_operand_type(c->p, c->op, i);
    if (!check_sharding(c, list->items[i], type, name, i)) return false;
  }
  return true;
}

static bool check_own(const Check *c) {
  static const char *const names[] = {"sharding", "out_sharding"};
  const Op *o = op_at(c->p, c->op);
  for (int k = 0; k < 2; k++) {
    Attr sharding = op_attr(c->p, c->op, names[k]);
    Type type = o->n_results ? value_type(c->p, o->results) : 0;
    if (sharding && !check_sharding(c, sharding, type, names[k], 0)) return false;
  }
  return check_list(c, "in_shardings", o->n_operands, false) &&
         check_list(c, "out_shardings", o->n_results, true);
}

// A sharding rule given by the user names every dimension of every operand and result.
static bool check_rule(const Check *c, Attr rule) {
  const Op *o = op_at(c->p, c->op);
  Context *context = c->p->context;
  Arena *arena = context_arena(context);
  uint32_t *ranks = ARENA_ARRAY(arena, uint32_t, o->n_operands + o->n_results + 1);
  for (uint32_t t = 0; t < o->n_operands + o->n_results; t++) {
    Type type = t < o->n_operands ? op_operand_type(c->p, c->op, t)
                                  : op_result_type(c->p, c->op, t - o->n_operands);
    ranks[t] = type_is_tensor(context, type) ? type_info(context, type)->rank : 0;
  }
  FactorMap map;
  const char *error;
  return factor_map_from_attr(&map, context, arena, rule, o->n_operands, o->n_results, ranks,
                              &error) ||
         fail(c, "has an sdy.sharding_rule that does not fit: %s", error);
}

bool op_verify_shardings(const Program *p, OpId op, const SymbolTable *symbols, Diag *diag) {
  const Op *o = op_at(p, op);
  Check c = {p, p->context, op, symbols, diag};
  Attr discardable = op_attr(p, op, "sdy.sharding");
  if (discardable && !check_results(&c, discardable)) return false;
  Attr rule = op_attr(p, op, "sdy.sharding_rule");
  if (rule && !check_rule(&c, rule)) return false;
  if (op_row(o->code)->traits & TRAIT_FUNCTION) {
    const TypeInfo *type =
        type_info(p->context, attr_info(p->context, op_attr(p, op, "function_type"))->type);
    if (type->kind != TYPE_FUNCTION) return true;
    return check_function_side(&c, "arg_attrs", type->n_inputs, type->items, "argument") &&
           check_function_side(&c, "res_attrs", type->n_items - type->n_inputs,
                               type->n_items ? type->items + type->n_inputs : NULL, "result");
  }
  if (o->code >= OP_COUNT || !str_starts(str_of(op_row(o->code)->name), "sdy.")) return true;
  return o->code == OP_sdy_mesh ? op_verify_mesh(p, op, diag) : check_own(&c);
}

bool op_verify_mesh(const Program *p, OpId op, Diag *diag) {
  Check c = {p, p->context, op, NULL, diag};
  Attr mesh = op_attr(p, op, "mesh");
  const AttrInfo *axes = get(&c, mesh, "axes"), *ids = get(&c, mesh, "device_ids");
  int64_t devices = 1;
  for (uint32_t i = 0; i < axes->count; i++) {
    Name name = attr_as_name(p->context, attr_get(p->context, axes->items[i], "name"));
    int64_t size = attr_as_int(p->context, attr_get(p->context, axes->items[i], "size"), 0);
    if (size < 1)
      return fail(&c, "axis \"%s\" has size %" PRId64 ", expected at least 1",
                  name_text(p->context, name), size);
    if (__builtin_mul_overflow(devices, size, &devices))
      return fail(&c, "has more than 2^63 devices");
    for (uint32_t k = 0; k < i; k++)
      if (attr_as_name(p->context, attr_get(p->context, axes->items[k], "name")) == name)
        return fail(&c, "has two axes named \"%s\"", name_text(p->context, name));
  }
  if (!ids->count) return true;
  const int64_t *id = ids->data;
  if (!axes->count && ids->count == 1)
    return id[0] >= 0 ? true
                      : fail(&c, "has the device id %" PRId64 ", expected at least 0", id[0]);
  if (ids->count != devices)
    return fail(&c, "has %u device ids, but its axes give %" PRId64 " devices", ids->count,
                devices);
  // A permutation of 0 … n-1: in range, and each once.
  bool in_order = true;
  uint8_t *seen = arena_calloc(context_arena(p->context), ids->count, 1);
  for (uint32_t i = 0; i < ids->count; i++) {
    if (id[i] < 0 || id[i] >= devices)
      return fail(&c, "has the device id %" PRId64 ", expected 0 … %" PRId64, id[i], devices - 1);
    if (seen[id[i]]++) return fail(&c, "has the device id %" PRId64 " twice", id[i]);
    in_order &= id[i] == i;
  }
  if (in_order)
    return fail(&c, "device ids 0 … %" PRId64 " in order are implied and must be left out",
                devices - 1);
  return true;
}
