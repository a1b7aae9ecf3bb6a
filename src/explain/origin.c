// Problem: find the entry argument behind a value (origin.h).
// Idea: walk backwards, one definition per step, and stop where a value has several sources.
// Invariant: `entered` is the stack of calls the walk has entered from their results. At an
// argument of the callee the walk returns to that call. A walk that starts inside a function can
// leave it only if the function has one caller.
//
//   %r = call @f(%w)   origin of %r:  @f's return operand  ->  ...  ->  @f's %arg0  ->  %w
//
// Cost: at most MOST_STEPS steps, each O(operands of one op).
#include "explain/origin.h"

#include "ops/op.h"

enum { MOST_STEPS = 64, MOST_DEPTH = 8 };

typedef struct Walk {
  const Origins *origins;
  OpId entered[MOST_DEPTH];  // calls whose callees the walk is inside
  uint32_t depth;
} Walk;

void origins_init(Origins *origins, const Program *p, const SymbolTable *functions, Arena *arena) {
  *origins = (Origins){p, functions, ARENA_ARRAY(arena, OpId, p->ops.count), p->ops.count};
  for (OpId o = op_walk_next(p, p->root, p->root); o; o = op_walk_next(p, o, p->root)) {
    if (!(op_traits(p, o) & TRAIT_CALL)) continue;
    OpId callee = symbols_find(functions, attr_as_name(p->context, op_attr(p, o, "callee")));
    if (callee) origins->callers[callee] = origins->callers[callee] ? UINT32_MAX : o;
  }
}

static ValueId operand_or_none(const Program *p, OpId op, uint32_t i) {
  return i < op_at(p, op)->n_operands ? op_operand(p, op, i) : 0;
}

// Operand i of the terminator of the region's only block.
static ValueId returned(const Program *p, RegionId region, uint32_t i) {
  BlockId block = region_block(p, region);
  OpId last = block ? block_at(p, block)->last : 0;
  return last ? operand_or_none(p, last, i) : 0;
}

// The only operand that is not a rank-0 tensor; 0 if there are two different ones.
static ValueId only_tensor(const Program *p, OpId op) {
  ValueId found = 0;
  for (uint32_t i = 0; i < op_at(p, op)->n_operands; i++) {
    const TypeInfo *type = type_info(p->context, op_operand_type(p, op, i));
    if (type->kind == TYPE_TENSOR && type->rank == 0) continue;
    if (found && found != op_operand(p, op, i)) return 0;
    found = op_operand(p, op, i);
  }
  return found;
}

// The value that flows into a block argument: the call's operand for a function's argument, the
// initial value for a loop carry that the body returns unchanged.
static ValueId before_argument(Walk *walk, ValueId v, BlockId block, uint32_t i) {
  const Program *p = walk->origins->p;
  OpId owner = region_at(p, block_at(p, block)->region)->op;
  Flow flow = op_flow(p, owner);
  if (op_traits(p, owner) & TRAIT_FUNCTION) {
    OpId call = walk->depth                    ? walk->entered[--walk->depth]
                : owner < walk->origins->n_ops ? walk->origins->callers[owner]
                                               : UINT32_MAX;
    if (!call) return v;  // no caller: an entry argument
    return call == UINT32_MAX ? 0 : operand_or_none(p, call, i);
  }
  if (flow == FLOW_BODY) return operand_or_none(p, owner, i);
  bool kept = flow == FLOW_LOOP &&
              returned(p, op_region(p, owner, op_at(p, owner)->n_regions - 1u), i) == v;
  return kept ? operand_or_none(p, owner, i) : 0;
}

// The value that flows into an op's result; 0 if the op combines several tensors.
static ValueId before_result(Walk *walk, ValueId v, OpId op) {
  const Program *p = walk->origins->p;
  uint32_t i = v - op_result(p, op, 0);
  Flow flow = op_flow(p, op);
  if (op_traits(p, op) & TRAIT_CALL) {
    OpId callee =
        symbols_find(walk->origins->functions, attr_as_name(p->context, op_attr(p, op, "callee")));
    if (!callee || walk->depth == MOST_DEPTH || !op_at(p, callee)->n_regions) return 0;
    walk->entered[walk->depth++] = op;
    return returned(p, op_region(p, callee, 0), i);
  }
  if (flow == FLOW_EACH) return operand_or_none(p, op, i);
  if (flow == FLOW_LOOP) {  // the same as before if it carries it unchanged
    RegionId body = op_region(p, op, op_at(p, op)->n_regions - 1u);
    BlockId block = region_block(p, body);
    bool kept =
        block && i < block_at(p, block)->n_args && returned(p, body, i) == block_arg(p, block, i);
    return kept ? operand_or_none(p, op, i) : 0;
  }
  if (flow != FLOW_NONE || op_at(p, op)->n_regions) return 0;
  return only_tensor(p, op);
}

ValueId origin_of(const Origins *origins, ValueId value) {
  const Program *p = origins->p;
  Walk walk = {.origins = origins};
  for (uint32_t i = 0; value && i < MOST_STEPS; i++) {
    const Value *at = value_at(p, value);
    ValueId before =
        at->is_arg ? before_argument(&walk, value, at->def, value - block_at(p, at->def)->args)
                   : before_result(&walk, value, at->def);
    if (before == value) return value;
    value = before;
  }
  return 0;
}
