// Problem: XLA gives an all_reduce the type of its operand, whatever its result and body say. A sum
// of bf16 in f32 (rounded.h) would become one of bf16, and users of its f32 result would get bf16.
//
// Idea: sums with one type. bf16 stays bf16: XLA:CPU promotes all-reduces and reduce-scatters of
// bf16 to f32 and rounds once; XLA:GPU sends half the bytes. XLA promotes no other type, so there
// the operands are converted to f32 first. O(ops).
#include "base/vec.h"
#include "optimize/rounded.h"

static bool widens(const Program *p, OpId op) {
  const Op *o = op_at(p, op);
  return (o->code == OP_all_reduce || o->code == OP_reduce_scatter) && o->n_operands &&
         o->n_operands == o->n_results;
}

uint32_t pass_typed(Optimizer *o) {
  Program *p = o->p;
  uint32_t changes = rounded_join_bf16(o);
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root)) {
    if (!widens(p, op)) continue;
    for (uint32_t i = 0; i < op_at(p, op)->n_operands; i++) {
      Type from = op_operand_type(p, op, i), elem = type_elem(o->context, op_result_type(p, op, i));
      if (type_elem(o->context, from) == elem) continue;
      ValueId v = op_operand(p, op, i);
      Builder b = build_before(p, op);
      v = build_convert(&b, v, elem);
      operand_set(p, op_at(p, op)->operands + i, v);
      changes++;
    }
  }
  return changes;
}
