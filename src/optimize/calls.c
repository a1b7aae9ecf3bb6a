// Problem: JAX prints a scan's body as a function. No sum can leave the loop through the call.
//
// Idea: inline a private function that one call in a loop, and nothing else, names; erase it. A
// call inside an erased function was copied and waits for the next iteration of the passes.
// O(program + copied ops).
#include "optimize/pass.h"

typedef struct Call {
  OpId op, function;  // function: the function that contains op
} Call;

// Whether the op is inside a while loop; if so, also its function.
static bool is_in_loop(const Program *p, OpId op, Call *out_call) {
  bool in_loop = false;
  OpId o = op;
  for (; op_parent(p, o) && op_parent(p, o) != p->root; o = op_parent(p, o))
    in_loop |= op_at(p, op_parent(p, o))->code == OP_while;
  if (in_loop) *out_call = (Call){op, o};
  return in_loop;
}

static void count(void *user, OpId op) { ((uint32_t *)user)[op]++; }

// The callee, if this call is its only user and it has a body; else 0.
static OpId sole_callee(const Program *p, const SymbolTable *symbols, const uint32_t *counts,
                        Call call) {
  Attr symbol = op_attr(p, call.op, "callee");
  OpId callee = symbol ? symbols_find(symbols, attr_as_name(p->context, symbol)) : 0;
  bool fits = callee && callee != call.function && counts[callee] == 1 &&
              symbol_is_private(p, callee) && op_at(p, callee)->n_regions == 1 &&
              region_block(p, op_region(p, callee, 0));
  return fits ? callee : 0;
}

uint32_t pass_calls(Optimizer *o) {
  Program *p = o->p;
  SymbolTable symbols;
  GuardCleanup cleanup = {symbols_release, &symbols, NULL};
  symbols_init(&symbols, p, p->root, p->guard);
  guard_push(p->guard, &cleanup);
  uint32_t *counts = ARENA_ARRAY(&o->scratch, uint32_t, p->ops.count);
  bool *gone = ARENA_ARRAY(&o->scratch, bool, p->ops.count);
  VEC(Call) calls = {0};
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root)) {
    Call call;
    symbols_each(&symbols, op_at(p, op)->attrs, count, counts);
    if (op_at(p, op)->code == OP_func_call && is_in_loop(p, op, &call))
      VEC_PUSH(&o->scratch, &calls, call);
  }
  uint32_t changes = 0;
  for (uint32_t i = 0; i < calls.count; i++) {
    if (gone[calls.items[i].function])
      continue;  // inlined: its copy is handled in the next iteration
    OpId callee = sole_callee(p, &symbols, counts, calls.items[i]);
    if (!callee) continue;
    program_inline(p, calls.items[i].op, callee);
    op_erase(p, callee);
    gone[callee] = true;
    changes++;
  }
  guard_pop(p->guard, &cleanup);
  symbols_deinit(&symbols);
  return changes;
}
