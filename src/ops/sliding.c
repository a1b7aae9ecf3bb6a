// Problem: overlapping windows share values, and a Fold per window computes shared sums again.
//
// Idea: a Fold groups values into runs of FOLD_RUN and the runs into a balanced tree. So a window
// of r runs is a sequence of perfect binary trees, one per bit of r, the largest first, and a rest
// shorter than a run. Level k of the loop holds in line[i] the perfect tree of 2^k runs that starts
// at i, for all i; level k + 1 follows from it in place. Each window prepends the trees of its
// bits, from the smallest, as fold_end does.
//
// Invariant: the tree of each window is that of fold_end, so results are bit-identical. The first
// tree of a window contains the init value; it is kept in first[k], per position. O(length · log
// size) applications.
#include "ops/sliding.h"

#include <string.h>

int64_t sliding_length(int64_t size, int64_t stride, int64_t positions) {
  int64_t length;
  if (positions <= 0) return 0;
  if (__builtin_mul_overflow(positions - 1, stride, &length) ||
      __builtin_add_overflow(length, size, &length))
    return INT64_MAX;
  return length;
}

static int height(int64_t size) {
  int k = 0;
  for (int64_t runs = size / FOLD_RUN; runs >> 1; runs >>= 1) k++;
  return k;
}

bool sliding_pays(int64_t size, int64_t stride, int64_t positions) {
  double length = (double)sliding_length(size, stride, positions), each = FOLD_RUN + height(size);
  return size >= FOLD_RUN &&
         length * each + 2 * (double)positions * each < (double)positions * (double)size;
}

void sliding_init(Sliding *s) {
  Arena *arena = s->reducer->cx->scratch;
  size_t n = s->reducer->n, positions = (size_t)s->positions;
  s->line =
      ARENA_ARRAY(arena, Scalar, (size_t)sliding_length(s->size, s->stride, s->positions) * n + 1);
  s->first = ARENA_ARRAY(arena, Scalar, positions * n + 1);
  s->out = ARENA_ARRAY(arena, Scalar, positions * n + 1);
}

static Scalar *at(const Sliding *s, Scalar *values, int64_t i) {
  return values + (size_t)i * s->reducer->n;
}

static void copy(const Sliding *s, Scalar *to, const Scalar *from) {
  memcpy(to, from, s->reducer->n * sizeof *to);
}

// into = body(…body(into, from[0])…, from[count - 1])
static Status *take(const Sliding *s, Scalar *into, int64_t from, int64_t count) {
  for (int64_t i = 0; i < count; i++)
    TRY(reducer_apply(s->reducer, s->elems, into, at(s, s->line, from + i)));
  return NULL;
}

// Level 0: the run from each index, the first run of each window, and the rest behind its last run.
static Status *fold_runs(const Sliding *s, int64_t length) {
  int64_t run = fold_run(s->reducer->cx), rest = s->size % run;
  for (int64_t k = 0; k < s->positions; k++) {
    int64_t start = k * s->stride, behind = start + s->size - rest;
    copy(s, at(s, s->first, k), s->init);
    TRY(take(s, at(s, s->first, k), start, run));
    if (rest == 0) continue;
    copy(s, at(s, s->out, k), at(s, s->line, behind));
    TRY(take(s, at(s, s->out, k), behind + 1, rest - 1));
  }
  for (int64_t i = 0; i + run <= length; i++) TRY(take(s, at(s, s->line, i), i + 1, run - 1));
  return NULL;
}

// out[k] = body(tree, out[k]), or the tree if out[k] is still empty. own: the tree may be
// overwritten.
static Status *prepend(const Sliding *s, int64_t k, Scalar *tree, bool own, bool behind,
                       Scalar *spare) {
  Scalar *out = at(s, s->out, k), *front = own ? tree : spare;
  if (!own) copy(s, spare, tree);
  if (behind) TRY(reducer_apply(s->reducer, s->elems, front, out));
  copy(s, out, front);
  return NULL;
}

Status *sliding_fold(Sliding *s) {
  int64_t length = sliding_length(s->size, s->stride, s->positions), run = fold_run(s->reducer->cx),
          runs = s->size / run;
  Scalar *spare = ARENA_ARRAY(s->reducer->cx->scratch, Scalar, s->reducer->n + 1);
  bool behind = s->size % run != 0;
  TRY(fold_runs(s, length));
  for (int level = 0;; level++) {
    int64_t span = run << level;
    bool last = runs >> level == 1;
    int64_t offset = (runs >> level & ~(int64_t)1) * span;  // of this height's tree in a window
    for (int64_t k = 0; (runs >> level & 1) && k < s->positions; k++)
      TRY(prepend(s, k, last ? at(s, s->first, k) : at(s, s->line, k * s->stride + offset), last,
                  behind, spare));
    if (last) return NULL;
    behind |= runs >> level & 1;
    for (int64_t k = 0; k < s->positions; k++)
      TRY(take(s, at(s, s->first, k), k * s->stride + span, 1));
    for (int64_t i = 0; i + 2 * span <= length; i++) TRY(take(s, at(s, s->line, i), i + span, 1));
  }
}
