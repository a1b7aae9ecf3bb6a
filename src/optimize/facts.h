// What passes ask about ops and values.
#ifndef TESSERA_OPTIMIZE_FACTS_H
#define TESSERA_OPTIMIZE_FACTS_H

#include "ops/op.h"

// The same operands give the same results, and nobody notices if it is done once more or not at
// all. Ops without regions, or whose regions only combine elements.
bool fact_is_pure(const Program *p, OpId op);
// One of StableHLO's exchanges between devices, all of which have a value as result. Like a pure op
// as long as all devices do the same with it.
bool fact_is_collective(const Program *p, OpId op);
// Nobody notices if it and all inside it are left out when its results have no uses. O(size).
bool fact_can_drop(const Program *p, OpId op);
// Control flow whose regions see the values around it, not a body that combines elements.
bool fact_is_flow(const Program *p, OpId op);

double fact_type_bytes(const Context *context, Type type);  // 0 if not a static tensor
double fact_bytes(const Program *p, ValueId value);
double fact_result_bytes(const Program *p, OpId op);
double fact_operand_bytes(const Program *p, OpId op);
// Integers or booleans, rank 0.
bool fact_is_index(const Program *p, ValueId value);

// The dense attribute of a constant's value; 0 if the value is none.
Attr fact_constant(const Program *p, ValueId value);

// The op of this code that defines a value; 0 if it is another.
OpId fact_def(const Program *p, ValueId value, uint16_t code);
bool fact_used_once(const Program *p, ValueId value);
// The op in `block` that is or holds op; 0 if there is none. O(depth).
OpId fact_in_block(const Program *p, OpId op, BlockId block);
// Is the value there before the op begins, and outside of it?
bool fact_is_outside(const Program *p, ValueId value, OpId op);

#endif
