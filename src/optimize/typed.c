// XLA gives an all_reduce the type of its operand, whatever its result and body say: a sum of bf16
// in f32 (rounded.h) becomes one of bf16, and what used its result in f32 gets bf16. So here sums
// have one type. One of bf16 keeps it: XLA:CPU adds up in f32 and rounds once by itself (it
// promotes all-reduces and reduce-scatters of bf16), XLA:GPU sends half the bytes. XLA promotes no
// other type: there the operands are converted before, and the sum is one of f32. O(ops).
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
