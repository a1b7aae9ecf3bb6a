// Properties of ops and values that passes ask for.
#ifndef TESSERA_OPTIMIZE_FACTS_H
#define TESSERA_OPTIMIZE_FACTS_H

#include "ops/op.h"

// Results depend on the operands only, so the op can be dropped, repeated or merged. It has no
// regions, or regions of pure ops.
bool fact_is_pure(const Program *p, OpId op);
// A StableHLO collective that returns a value. It is as movable as a pure op, if all devices do the
// same.
bool fact_is_collective(const Program *p, OpId op);
// The op and all ops inside it have no side effect, so it can be erased when its results have no
// uses. O(size of the op).
bool fact_can_drop(const Program *p, OpId op);
// Control flow, whose regions see the values around it; not a body that combines elements.
bool fact_is_flow(const Program *p, OpId op);

double fact_type_bytes(const Context *context, Type type);  // 0 if not a static tensor
double fact_bytes(const Program *p, ValueId value);
double fact_result_bytes(const Program *p, OpId op);
double fact_operand_bytes(const Program *p, OpId op);
// An integer or boolean of rank 0.
bool fact_is_index(const Program *p, ValueId value);

// The dense attribute of a constant; 0 if the value is no constant.
Attr fact_constant(const Program *p, ValueId value);

// The op that defines the value if it has this code, else 0.
OpId fact_def(const Program *p, ValueId value, uint16_t code);
bool fact_used_once(const Program *p, ValueId value);
// The ancestor of op (or op itself) in `block`; 0 if there is none. O(depth).
OpId fact_in_block(const Program *p, OpId op, BlockId block);
// The value is defined outside the op's regions.
bool fact_is_outside(const Program *p, ValueId value, OpId op);

#endif
