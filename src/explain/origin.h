// Which of the program's arguments a value is made of, so that a reason can name what the user
// knows: a loop's body has a weight as %arg9 of some function, the user as params.layers.w1.
#ifndef TESSERA_EXPLAIN_ORIGIN_H
#define TESSERA_EXPLAIN_ORIGIN_H

#include "ir/program.h"

typedef struct Origins {
  const Program *p;
  const SymbolTable *functions;
  OpId *callers;  // per op, of a function: the only op that calls it; UINT32_MAX: several do
  uint32_t n_ops;
} Origins;

// Memory is the arena's. O(program).
void origins_init(Origins *origins, const Program *p, const SymbolTable *functions, Arena *arena);
// The argument of a function that nothing calls from which the value comes by ops that take but one
// tensor (slices, transposes, conversions), through calls and what loops carry unchanged; the value
// itself if it is one. 0 if it comes from several, or too long a way.
ValueId origin_of(const Origins *origins, ValueId value);

#endif
