// Problem: XLA compiles reductions over devices by sum, product, maximum and minimum, and by and
// and or of booleans. A program with another one fails ("Unsupported reduction computation").
//
// Idea: for bitwise and, or and xor, a collective that only moves data and a local reduction:
//
//   all_reduce                     [n] -> reshape [1, n] -> all_gather [width, n] -> reduce [n]
//   reduce_scatter of dimension d  all_to_all of d, which concatenates the shards, then a reduction
//
// Cost: an all_gather sends width / 2 times the bytes of an all_reduce. O(ops).
#include "build/build.h"
#include "ops/factors.h"
#include "optimize/collective.h"

static bool xla_has(Combine combine, DType dtype) {
  if (combine == COMBINE_AND || combine == COMBINE_OR) return dtype == DT_i1;
  return combine != COMBINE_XOR;
}

static ValueId reduce_gathered(Optimizer *o, OpId op, Combine combine, int64_t width) {
  Program *p = o->p;
  const TypeInfo *info = type_info(o->context, op_operand_type(p, op, 0));
  int64_t elements = 1;
  for (uint32_t d = 0; d < info->rank; d++) elements *= info->dims[d];
  Builder b = build_like(p, op, op);
  ValueId v = build_reshape(&b, op_operand(p, op, 0), 2, (int64_t[]){1, elements});
  v = build_all_gather_in(&b, v, 0, width, op_attr(p, op, "replica_groups"));
  return build_reduce(&b, v, 1, (int64_t[]){0}, combine);
}

// reduce_scatter as all_to_all and a reduction over the received shards.
static ValueId reduce_received(Optimizer *o, OpId op, Combine combine, int64_t width) {
  Context *c = o->context;
  Attr attrs = op_at(o->p, op)->attrs, dim = attr_get(c, attrs, "scatter_dimension");
  NamedAttr fields[] = {{name_of(c, "split_dimension"), dim},
                        {name_of(c, "concat_dimension"), dim},
                        {name_of(c, "split_count"), attr_i64(c, width)},
                        {name_of(c, "replica_groups"), attr_get(c, attrs, "replica_groups")},
                        {name_of(c, "channel_handle"), attr_get(c, attrs, "channel_handle")}};
  Builder b = build_like(o->p, op, op);
  ValueId v = op_operand(o->p, op, 0);
  v = build_op(&b, OP_all_to_all, 1, &v, value_type(o->p, v), attr_dict(c, 5, fields));
  const TypeInfo *out = type_info(c, op_result_type(o->p, op, 0));
  int64_t before = 1, shard = 1;  // elements in the dimensions before dim, and in all others
  for (uint32_t d = 0; d < out->rank; d++)
    *(d < attr_as_int(c, dim, 0) ? &before : &shard) *= out->dims[d];
  v = build_reshape(&b, v, 3, (int64_t[]){before, width, shard});
  return build_reduce(&b, v, 1, (int64_t[]){1}, combine);
}

// Groups of an all_to_all are partitions or replicas, never device ids of a grid of both.
static bool is_grid(const Optimizer *o) {
  return attr_as_int(o->context, op_attr(o->p, o->p->root, "mhlo.num_replicas"), 1) > 1;
}

uint32_t pass_bitwise(Optimizer *o) {
  Program *p = o->p;
  uint32_t changes = 0;
  bool grid = is_grid(o);
  for (OpId op = p->root, next; op; op = next) {
    next = op_walk_next(p, op, p->root);
    const Op *at = op_at(p, op);
    if ((at->code != OP_all_reduce && (at->code != OP_reduce_scatter || grid)) ||
        at->n_operands != 1)
      continue;
    Type type = op_operand_type(p, op, 0);
    Combine combine = op_combine(p, op);
    if (!combine_is_named(combine) || !type_is_static(o->context, type) ||
        xla_has(combine, type_dtype(o->context, type)))
      continue;
    const DeviceGroups *groups = collective_groups(o, op);
    if (!groups) continue;
    next = op_walk_over(p, op, p->root);
    const TypeInfo *out = type_info(o->context, op_result_type(p, op, 0));
    ValueId v = (at->code == OP_all_reduce ? reduce_gathered : reduce_received)(o, op, combine,
                                                                                groups->width);
    Builder b = build_before(p, op);
    op_replace(p, op, build_reshape(&b, v, out->rank, out->dims));
    changes++;
  }
  return changes;
}
