// origin_of: the entry argument that a value is made from.
//
// Problem: inside a loop body a weight is %arg9 of some function, but the user knows it as
// params.layers.w1. Reasons name the argument, so we follow data flow from the value back to it.
#ifndef TESSERA_EXPLAIN_ORIGIN_H
#define TESSERA_EXPLAIN_ORIGIN_H

#include "ir/program.h"

typedef struct Origins {
  const Program *p;
  const SymbolTable *functions;
  OpId *callers;  // per function (by its op): its only call; 0: none; UINT32_MAX: several calls
  uint32_t n_ops;
} Origins;

// Fills `callers`, in the arena. O(program).
void origins_init(Origins *origins, const Program *p, const SymbolTable *functions, Arena *arena);
// Returns the argument of an uncalled function that the value is made from. The path back crosses
// ops with one tensor operand (slice, transpose, convert), calls, and loop carries that the body
// returns unchanged. An argument of such a function is its own origin. Returns 0 if the path forks
// or is longer than a fixed limit. O(1): the limit bounds the path.
ValueId origin_of(const Origins *origins, ValueId value);

#endif
