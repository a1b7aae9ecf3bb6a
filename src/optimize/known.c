// Problem: passes must know which slice each device takes, but offsets are arithmetic on
// partition_id.
//
// Idea: evaluate that arithmetic for all devices at once. A rank-0 integer becomes a row of one
// element per device: [0, 1, 2, …] for partition_id, a splat for a constant, and an elementwise op
// on rows for the rest, by the op's own `eval`. A mesh with a device order looks positions up in a
// constant table: reshape(dynamic_slice(table, index)) is recognized.
//
// Invariant: rows are cached per value and stay valid, since passes never change what a value is.
// Cost: O(devices) per op, recursion at most MOST_DEPTH, all rows together about MOST_ELEMENTS.
#include "optimize/known.h"

#include "base/vec.h"
#include "ops/eval.h"
#include "optimize/facts.h"

enum { MOST_DEPTH = 64, MOST_ELEMENTS = 1 << 24 };

typedef struct Known {
  Literal *literal;  // [devices]
  int64_t *values;   // the same as 64-bit integers, for callers
  bool asked;        // computed before, perhaps without success
} Known;

struct DeviceTables {
  VEC(Known) known;   // per value
  uint64_t elements;  // of all rows
};

// Evaluation needs a process grid; the ops here do not depend on it.
static void no_grid(EvalContext *cx, uint32_t *out_replicas, uint32_t *out_partitions,
                    ProcessId *out_self) {
  (void)cx;
  *out_replicas = *out_partitions = 1;
  *out_self = (ProcessId){0, 0};
}

bool known_computable(const Program *p, OpId op) {
  const Op *o = op_at(p, op);
  uint32_t traits = op_traits(p, op);
  return (traits & TRAIT_PURE) && !o->n_regions && o->n_operands && o->n_results == 1 &&
         (traits & (TRAIT_ELEMENTWISE | TRAIT_PASSES | TRAIT_PASSES_FORWARD | TRAIT_EXPANDS));
}

Literal *known_result(Optimizer *o, OpId op, uint32_t n, Literal *const *in, Type result) {
  static const EvalHost host = {.grid = no_grid};
  EvalContext cx = {.host = &host,
                    .program = o->p,
                    .context = o->context,
                    .heap = &o->heap,
                    .scratch = &o->scratch,
                    .op = op};
  ArenaMark mark = arena_mark(&o->scratch);
  Literal *out = NULL;
  const Op *at = op_at(o->p, op);
  Status *status = eval_op(&cx, at->code, at->attrs, n, in, 1, &result, &out);
  arena_rewind(&o->scratch, mark);
  if (!status) return out;
  status_free(status);
  return NULL;
}

// ---- on each device ----

static Literal *find(Optimizer *o, ValueId value, uint32_t depth);

static Type row_type(Optimizer *o, Type scalar) {
  int64_t n = o->n_devices;
  return type_tensor(o->context, type_elem(o->context, scalar), 1, &n, 0);
}

static Literal *device_ids(Optimizer *o, Type scalar) {
  Literal *row = literal_new_typed(&o->heap, o->context, row_type(o, scalar));
  for (uint32_t i = 0; i < o->n_devices; i++) literal_set(row, i, scalar_i(i));
  return row;
}

static Literal *splat_row(Optimizer *o, Type scalar, Attr dense) {
  Literal *row = literal_new_typed(&o->heap, o->context, row_type(o, scalar));
  Scalar x = dtype_load(row->dtype, attr_info(o->context, dense)->data, 0);
  for (uint32_t i = 0; i < o->n_devices; i++) literal_set(row, i, x);
  return row;
}

// reshape(dynamic_slice(constant, index)) of one element: a table lookup with a clamped index.
static Literal *table_lookup(Optimizer *o, OpId reshape, uint32_t depth) {
  Program *p = o->p;
  OpId slice = fact_def(p, op_operand(p, reshape, 0), OP_dynamic_slice);
  if (!slice || op_at(p, slice)->n_operands != 2) return NULL;
  Attr table = fact_constant(p, op_operand(p, slice, 0));
  Literal *index = table ? find(o, op_operand(p, slice, 1), depth) : NULL;
  int64_t count, one;
  if (!index || !type_count(o->context, attr_info(o->context, table)->type, &count) ||
      !type_count(o->context, op_result_type(p, slice, 0), &one) || one != 1 || count < 1)
    return NULL;
  const AttrInfo *info = attr_info(o->context, table);
  Literal *row =
      literal_new_typed(&o->heap, o->context, row_type(o, op_result_type(p, reshape, 0)));
  for (uint32_t i = 0; i < o->n_devices; i++) {
    int64_t at = literal_get(index, i).i;
    at = at < 0 ? 0 : at >= count ? count - 1 : at;
    literal_set(row, i, dtype_load(row->dtype, info->data, info->splat ? 0 : at));
  }
  return row;
}

static Literal *computed(Optimizer *o, OpId op, uint32_t depth) {
  Program *p = o->p;
  uint32_t n = op_at(p, op)->n_operands;
  if (!known_computable(p, op) || !(op_traits(p, op) & TRAIT_ELEMENTWISE) || n > 3) return NULL;
  Literal *in[3];
  for (uint32_t i = 0; i < n; i++)
    if (!(in[i] = find(o, op_operand(p, op, i), depth))) return NULL;
  return known_result(o, op, n, in, row_type(o, op_result_type(p, op, 0)));
}

static Literal *find(Optimizer *o, ValueId value, uint32_t depth) {
  Program *p = o->p;
  DeviceTables *t = o->devices;
  OpId op = value_def(p, value);
  if (!op || depth == 0 || !fact_is_index(p, value)) return NULL;
  while (t->known.count <= value) VEC_PUSH(&o->arena, &t->known, (Known){0});
  if (t->known.items[value].asked) return t->known.items[value].literal;
  t->known.items[value].asked = true;
  if (t->elements > MOST_ELEMENTS) return NULL;
  Type type = value_type(p, value);
  Attr dense = fact_constant(p, value);
  Literal *row = op_at(p, op)->code == OP_partition_id ? device_ids(o, type)
                 : dense                               ? splat_row(o, type, dense)
                 : op_at(p, op)->code == OP_reshape    ? table_lookup(o, op, depth - 1)
                                                       : computed(o, op, depth - 1);
  if (row) t->elements += o->n_devices;
  t->known.items[value].literal = row;
  return row;
}

const int64_t *known_on_devices(Optimizer *o, ValueId value) {
  if (!o->n_devices || o->n_devices > MOST_ELEMENTS) return NULL;
  if (!o->devices) o->devices = ARENA_NEW(&o->arena, DeviceTables);
  Literal *row = find(o, value, MOST_DEPTH);
  if (!row) return NULL;
  Known *known = &o->devices->known.items[value];
  if (!known->values) {
    known->values = ARENA_ARRAY(&o->arena, int64_t, o->n_devices);
    for (uint32_t i = 0; i < o->n_devices; i++)
      known->values[i] = dtype_convert(row->dtype, DT_i64, literal_get(row, i)).i;
  }
  return known->values;
}
