// Problem: ZeRO-3 gathers weights layer by layer, so that few are alive at once. Their operands are
// ready from the start, and XLA:CPU's default scheduler runs all gathers first: all weights are
// alive.
//
// Idea: a data dependence makes each gather wait for the use of the one before.
//
//   g1 = all_gather(w1);  y1 = dot(x1, g1)
//   g2 = all_gather(w2);  y2 = dot(x2, g2)      g2 = all_gather(select(never(x1), -w2, w2))
//
// never(x) tests one element of x: below 0 and above 0. It is always false, which XLA does not see.
// (XLA drops an optimization_barrier before it schedules.) A gather can begin when the use of the
// gather before it can begin, and runs beside it: gathers of at most two uses are alive. The select
// reads and writes one shard, little compared with the gathered result.
//
// x1 is tested where XLA has it in memory: at the contraction or collective that it is computed
// from. An element of an elementwise chain would be recomputed in the kernel of each select.
//
// Invariant: values are equal bit by bit. Only gathers of at least paced_bytes wait, and only if
// their operand depends on no contraction and no collective: others are ready late anyway. Cost:
// O(ops + uses of gathered values).
#include "base/vec.h"
#include "optimize/facts.h"
#include "optimize/pass.h"

typedef struct Paced {
  Optimizer *o;
  Program *p;
  bool *late;          // per value: depends on work (is_work) in its block
  uint32_t *number;    // per op: its number in program order
  VEC(ValueId) waits;  // of the current block: values that uses of its gathers wait for
  uint32_t changes;
} Paced;

// ---- values that are ready from the start ----

// Ops that only move or convert elements take almost no time; gathered weights count as weights.
static bool is_work(const Program *p, OpId op) {
  if (op_at(p, op)->code == OP_all_gather) return false;
  return !fact_is_pure(p, op) ||
         !(op_traits(p, op) & (TRAIT_ELEMENTWISE | TRAIT_MOVES | TRAIT_CONSTANT));
}

static void find_late(Paced *s, OpId op) {
  const Program *p = s->p;
  bool late = is_work(p, op);
  for (uint32_t i = 0; i < op_at(p, op)->n_operands && !late; i++)
    late = s->late[op_operand(p, op, i)];
  for (uint32_t i = 0; i < op_at(p, op)->n_results; i++) s->late[op_result(p, op, i)] = late;
}

// ---- the value that a gather's use waits for ----

// never(x) can test an element of the value: a float tensor that is not empty.
static bool can_test(const Paced *s, ValueId v) {
  const Program *p = s->p;
  Type type = value_type(p, v);
  int64_t count;
  return type_count(p->context, type, &count) && count > 0 && !type_is_quant(p->context, type) &&
         dtype_is_float(type_dtype(p->context, type));
}

// Goes back from v through elementwise ops and moves to the op that does work, and returns the
// value of it or, if that cannot be tested, the last one on the way. Of several operands the one
// defined last.
static ValueId work_behind(const Paced *s, ValueId v, BlockId block) {
  const Program *p = s->p;
  for (ValueId found = v;;) {
    OpId def = value_def(p, v);
    if (!def || op_at(p, def)->block != block || !s->late[v]) return found;
    if (can_test(s, v)) found = v;
    if (is_work(p, def)) return found;
    ValueId last = 0;
    for (uint32_t i = 0; i < op_at(p, def)->n_operands; i++) {
      ValueId operand = op_operand(p, def, i);
      OpId by = value_def(p, operand);
      if (by && s->late[operand] && (!last || s->number[by] > s->number[value_def(p, last)]))
        last = operand;
    }
    if (!last) return found;
    v = last;
  }
}

// Follows the gathered value through ops of one operand to its first user with another operand that
// is late, and returns the value that this operand waits for; 0 if there is none.
static ValueId use_waits_for(const Paced *s, OpId gather) {
  const Program *p = s->p;
  BlockId block = op_at(p, gather)->block;
  ValueId v = op_result(p, gather, 0);
  for (OpId at = gather;;) {
    OpId first = 0;
    for (OperandId use = value_at(p, v)->first_use; use; use = operand_at(p, use)->next_use) {
      OpId user = fact_in_block(p, operand_at(p, use)->user, block);
      if (user && (!first || s->number[user] < s->number[first])) first = user;
    }
    if (!first || first == at) return 0;
    for (uint32_t i = 0; i < op_at(p, first)->n_operands; i++) {
      ValueId other = op_operand(p, first, i);
      OpId def = value_def(p, other);
      if (other != v && def && op_at(p, def)->block == block && s->late[other] &&
          can_test(s, other))
        return work_behind(s, other, block);
    }
    if (op_at(p, first)->n_operands != 1 || op_at(p, first)->n_results != 1) return 0;
    at = first;
    v = op_result(p, first, 0);
  }
}

// ---- waiting ----

static ValueId compare_zero(Builder *b, ValueId x, const char *direction) {
  return build_compare(b, direction, x, build_splat(b, value_type(b->p, x), scalar_f(0)));
}

static ValueId one_element(Builder *b, ValueId v) {
  const TypeInfo *info = type_info(b->p->context, value_type(b->p, v));
  if (!info->rank) return v;
  int64_t zeros[MAX_RANK] = {0}, ones[MAX_RANK];
  for (uint32_t d = 0; d < info->rank; d++) ones[d] = 1;
  return build_reshape(b, build_slice_at(b, v, zeros, ones, ones), 0, NULL);
}

// all_gather(select(never(v), -operand, operand))
static void wait_for(Paced *s, OpId gather, ValueId v) {
  Program *p = s->p;
  Builder b = rewrite_before(p, gather);
  ValueId x = one_element(&b, v), operand = op_operand(p, gather, 0);
  ValueId below = compare_zero(&b, x, "LT"), above = compare_zero(&b, x, "GT");
  ValueId never = build_binary(&b, OP_and, below, above);
  ValueId other = build_unary(&b, OP_negate, operand);
  operand_set(p, op_at(p, gather)->operands, build_select(&b, never, other, operand));
  s->changes++;
}

static bool is_paced(const Paced *s, OpId op) {
  const Program *p = s->p;
  if (op_at(p, op)->code != OP_all_gather || op_at(p, op)->n_operands != 1) return false;
  ValueId operand = op_operand(p, op, 0);
  return !s->late[operand] && fact_result_bytes(p, op) >= s->o->paced_bytes && can_test(s, operand);
}

static void run_block(Paced *s, BlockId block) {
  Program *p = s->p;
  s->waits.count = 0;
  for (OpId op = block_at(p, block)->first, next; op; op = next) {
    next = op_at(p, op)->next;
    if (!is_paced(s, op)) continue;
    for (uint32_t k = s->waits.count; k-- > 0;) {
      if (s->number[value_def(p, s->waits.items[k])] >= s->number[op]) continue;
      wait_for(s, op, s->waits.items[k]);
      break;
    }
    ValueId waits = use_waits_for(s, op);
    if (waits) VEC_PUSH(&s->o->scratch, &s->waits, waits);
  }
}

uint32_t pass_paced(Optimizer *o) {
  Program *p = o->p;
  Paced s = {.o = o, .p = p};
  s.late = ARENA_ARRAY(&o->scratch, bool, p->values.count + 1);
  s.number = ARENA_ARRAY(&o->scratch, uint32_t, p->ops.count + 1);
  uint32_t n = 0, n_blocks = p->blocks.count;
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root)) {
    s.number[op] = n++;
    find_late(&s, op);
  }
  for (BlockId block = 1; block < n_blocks; block++) {
    OpId first = block_at(p, block)->first;
    if (first && op_at(p, first)->code) run_block(&s, block);
  }
  return s.changes;
}
