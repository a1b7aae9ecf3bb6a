// Erases ops without uses and side effects. In reverse program order, so that ops whose only users
// were erased are erased in the same walk. O(ops).
#include "optimize/facts.h"
#include "optimize/pass.h"

static bool is_used(const Program *p, OpId op) {
  for (uint32_t i = 0; i < op_at(p, op)->n_results; i++)
    if (value_has_uses(p, op_result(p, op, i))) return true;
  return !op_at(p, op)->n_results;
}

uint32_t pass_dead(Optimizer *o) {
  Program *p = o->p;
  VEC(OpId) all = {0};
  VEC_RESERVE(&o->scratch, &all, p->ops.count);
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root)) all.items[all.count++] = op;
  uint32_t dropped = 0;
  for (uint32_t i = all.count; i-- > 0;) {
    OpId op = all.items[i];
    if (is_used(p, op) || !fact_can_drop(p, op)) continue;
    op_erase(p, op);
    dropped++;
  }
  return dropped;
}
