// The reduced problem that the solver works on: few variables, one edge per pair, and a memory
// constraint per time point that can bind. Everything is in flat arrays for the inner loops.
#ifndef TESSERA_SOLVE_CORE_H
#define TESSERA_SOLVE_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/idmap.h"
#include "base/vec.h"

#define CORE_FORBIDDEN INT64_MAX  // of a matrix entry

// In sums of doubles a forbidden entry costs this: more than any plan, yet a plan with fewer of
// them is cheaper.
#define CORE_BROKEN 1e17

enum { CORE_LANES = 4 };

// Rows of doubles are padded to whole vectors.
static inline uint32_t core_padded(uint32_t n) {
  return (n + CORE_LANES - 1) / CORE_LANES * CORE_LANES;
}

typedef struct CoreMatrix {
  uint32_t rows, columns;
  const int64_t *m;
  const double *real, *real_t;  // the same, CORE_BROKEN where forbidden, and transposed; padded
  int64_t most;                 // largest allowed entry
} CoreMatrix;

typedef struct CoreEdge {
  uint32_t a, b;     // a < b
  const int64_t *m;  // rows: a's strategies
  uint32_t matrix;   // which has these entries
} CoreEdge;

// Bytes of a variable over the time points [begin, end).
typedef struct CoreItem {
  uint32_t begin, end;
  const int64_t *bytes;  // per strategy
} CoreItem;

typedef struct Core {
  uint32_t n_vars, n_edges, n_points, n_items, n_states, n_matrices;
  uint32_t *n;           // per variable: number of strategies
  uint32_t *first;       // per variable: index of its first state; n_vars + 1 entries
  int64_t *cost;         // per state (variable, strategy)
  CoreMatrix *matrices;  // all different
  CoreEdge *edges;
  uint32_t *adjacent;  // edges of variable v: adjacent[adjacent_first[v] … adjacent_first[v + 1])
  uint32_t *adjacent_first;
  CoreItem *items;  // of variable v: items[item_first[v] … item_first[v + 1])
  uint32_t *item_first;
  int64_t limit;     // bytes at each point
  int64_t *time;     // per point: the problem's time
  int64_t *fixed;    // per point: bytes that no choice changes
  int64_t constant;  // cost that no choice changes
  double scale;      // a small part of the largest cost, > 0: where prices start if the cost is 0
  uint32_t most_states;  // largest n
  uint64_t n_entries;    // matrix entries over all edges: the work of one sweep
} Core;

// ---- building ----

typedef struct CoreMatrices {
  VEC(CoreMatrix) items;
  IdMap interned;  // idmap_deinit when the list is complete
} CoreMatrices;

// Gives the edge the matrix with entries m, which were allocated after `mark`: freed if an equal
// one is in the list. Expected O(entries).
void core_matrices_add(CoreMatrices *list, Arena *arena, ArenaMark mark, const int64_t *m,
                       const Core *core, CoreEdge *edge);
// Computes what follows from variables, matrices and edges: adjacency, sizes, scale.
void core_finish(Core *core, Arena *arena);

// ---- reading ----

// The costs of v's strategies on an edge against strategy q of its other end.
static inline const double *core_row(const Core *core, const CoreEdge *e, uint32_t v, uint32_t q) {
  const CoreMatrix *m = &core->matrices[e->matrix];
  return e->a == v ? m->real_t + (size_t)q * core_padded(m->rows)
                   : m->real + (size_t)q * core_padded(m->columns);
}

static inline int64_t core_entry(const Core *core, const CoreEdge *e, uint32_t p, uint32_t q) {
  return e->m[(uint64_t)p * core->n[e->b] + q];
}

#endif
