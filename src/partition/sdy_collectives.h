// sdy's collectives as StableHLO collectives. Each op names the axes that it moves; nothing is
// chosen here.
//
//   sdy.all_gather [{"x"}, {}]      stablehlo.all_gather
//   sdy.all_slice [{"x"}, {}]       stablehlo.dynamic_slice at an offset made of partition_id
#ifndef TESSERA_PARTITION_SDY_COLLECTIVES_H
#define TESSERA_PARTITION_SDY_COLLECTIVES_H

#include "tensor/literal.h"
#include "ops/builder.h"

typedef struct SdyCollective {
  OpId op;            // of the global program
  ValueId value;      // the local operand
  Sharding from, to;  // of the operand and of the result
  bool per_dim;       // an all_gather of several dimensions as one collective for each of them
} SdyCollective;

bool sdy_is_collective(uint16_t code);
// Appends the local form of the op, on the mesh of `to`. INVALID_ARGUMENT: sizes do not divide, or
// the mesh does not have the axes. O(rank · axes); permutes O(devices).
Status *sdy_collective_write(Builder *l, const SdyCollective *c, ValueId *out) MUST_USE;

#endif
