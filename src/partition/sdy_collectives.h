// sdy's collectives as standard ones. Each says itself which axes it moves where; nothing is chosen
// here.
//
//   sdy.all_gather [{"x"}, {}]      stablehlo.all_gather
//   sdy.all_slice [{"x"}, {}]       stablehlo.dynamic_slice at an offset made of partition_id
#ifndef TESSERA_PARTITION_SDY_COLLECTIVES_H
#define TESSERA_PARTITION_SDY_COLLECTIVES_H

#include "tensor/literal.h"
#include "ops/builder.h"

typedef struct SdyCollective {
  OpId op;            // the global one
  ValueId value;      // its operand's part on this device
  Sharding from, to;  // of the operand and of the result
  bool per_dim;       // a gather of several dimensions as one collective for each of them
} SdyCollective;

bool sdy_is_collective(uint16_t code);
// Appends what the op is on one device; the mesh is that of `to`. Sizes must divide:
// INVALID_ARGUMENT, as for axes that the mesh does not have.
Status *sdy_collective_put(Builder *l, const SdyCollective *c, ValueId *out) MUST_USE;

#endif
