// Windows that slide along a line of values, all folded at once. A running sum over a thousand
// values, which JAX writes as a window of a thousand, is a million steps one by one, and some forty
// thousand here.
#ifndef TESSERA_OPS_SLIDING_H
#define TESSERA_OPS_SLIDING_H

#include "ops/eval.h"

typedef struct Sliding {
  Reducer *reducer;
  const Type *elems;
  const Scalar *init;
  int64_t size, stride, positions;
  // Of reducer->n values each. line: what the windows slide over, padding and all; sliding_fold
  // works in it. out: a result for each position.
  Scalar *line, *first, *out;
} Sliding;

// How long a line is for so many positions; INT64_MAX if that overflows.
int64_t sliding_length(int64_t size, int64_t stride, int64_t positions);
// Whether folding all at once takes fewer steps than one by one.
bool sliding_pays(int64_t size, int64_t stride, int64_t positions);
// reducer, elems, init, size, stride and positions are set; the rest is made in cx->scratch.
void sliding_init(Sliding *s);
// Folds every window of s->line into s->out, to the bit what fold_add of its values one by one and
// fold_end give: the brackets are the same, but what windows share is computed once.
// O(length · log size) applications.
Status *sliding_fold(Sliding *s) MUST_USE;

#endif
