// Reductions over all windows of a line of values at once. JAX writes a cumulative sum over n
// values as a window of n: n = 1000 takes a million steps window by window, about forty thousand
// here.
#ifndef TESSERA_OPS_SLIDING_H
#define TESSERA_OPS_SLIDING_H

#include "ops/eval.h"

typedef struct Sliding {
  Reducer *reducer;
  const Type *elems;
  const Scalar *init;
  int64_t size, stride, positions;
  // Entries of reducer->n values. line: the input including padding; sliding_fold overwrites it.
  // first: per position, the tree with the init value. out: a result per position.
  Scalar *line, *first, *out;
} Sliding;

// The length of a line with the given number of positions; INT64_MAX if that overflows.
int64_t sliding_length(int64_t size, int64_t stride, int64_t positions);
// Does folding all windows at once take fewer steps than one by one?
bool sliding_pays(int64_t size, int64_t stride, int64_t positions);
// The caller has set reducer, elems, init, size, stride and positions. Allocates in cx->scratch.
void sliding_init(Sliding *s);
// Folds every window of s->line into s->out. Results are bit-identical to fold_add of the window's
// values and fold_end: the trees are the same, but subtrees that windows share are computed once.
// O(length · log size) applications.
Status *sliding_fold(Sliding *s) MUST_USE;

#endif
