// Offsets are clamped as StableHLO's dynamic_slice does.
#include "optimize/own_slice.h"

#include "optimize/known.h"

uint32_t own_slice_dims(const Program *p, OpId slice, uint32_t *out_dim) {
  const TypeInfo *in = type_info(p->context, op_operand_type(p, slice, 0)),
                 *out = type_info(p->context, op_result_type(p, slice, 0));
  uint32_t n = 0;
  for (uint32_t d = in->rank; d-- > 0;)
    if (in->dims[d] != out->dims[d]) *out_dim = d, n++;
  return n;
}

const int64_t *own_slice_starts(Optimizer *o, OpId slice, uint32_t dim) {
  Program *p = o->p;
  const int64_t *at = known_on_devices(o, op_operand(p, slice, 1 + dim));
  if (!at) return NULL;
  int64_t most = type_info(o->context, op_operand_type(p, slice, 0))->dims[dim] -
                 type_info(o->context, op_result_type(p, slice, 0))->dims[dim];
  int64_t *starts = ARENA_ARRAY(&o->scratch, int64_t, o->n_devices);
  for (uint32_t i = 0; i < o->n_devices; i++)
    starts[i] = at[i] < 0 ? 0 : at[i] > most ? most : at[i];
  return starts;
}

ValueId own_slice_rest(Optimizer *o, OpId before, OpId slice, ValueId value, uint32_t done) {
  Program *p = o->p;
  Type type = op_result_type(p, slice, 0);
  const TypeInfo *out = type_info(o->context, type);
  if (value_type(p, value) == type) return value;
  Builder b = rewrite_before(p, before);
  ValueId starts[MAX_RANK];
  for (uint32_t d = 0; d < out->rank; d++) starts[d] = op_operand(p, slice, 1 + d);
  if (done < out->rank) starts[done] = build_splat(&b, value_type(p, starts[done]), scalar_i(0));
  return build_dynamic_slice_at(&b, value, starts, out->dims);
}
