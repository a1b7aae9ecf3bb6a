// The state of the reduction, shared by reduce.c (rules of edges), reduce_memory.c (bytes) and
// reduce_core.c (the result).
#ifndef TESSERA_SOLVE_REDUCE_PRIVATE_H
#define TESSERA_SOLVE_REDUCE_PRIVATE_H

#include "solve/reduce.h"

// Properties of a matrix whose ends have all their strategies. Layers share matrices, so each
// is looked at once.
enum {
  TRAIT_KNOWN = 1,
  TRAIT_SUPPORTED = 2,        // every row and every column has an allowed entry
  TRAIT_ROW_FUNCTION = 4,     // exactly one per row
  TRAIT_COLUMN_FUNCTION = 8,  // exactly one per column
  TRAIT_IDENTITY = 16,        // exactly the diagonal
  TRAIT_ADDITIVE = 32,        // all allowed, m[p][q] = a[p] + b[q]
};

typedef struct Matrix {
  struct Matrix *next_spare;  // of the same size, while unused
  uint32_t refs, rows, columns;
  uint32_t traits;
  bool all_allowed;  // no entry is forbidden; false: not known
  int64_t at[];      // row by row; CORE_FORBIDDEN
} Matrix;

// The live edge of each pair of variables: open addressing. An entry whose edge was dropped or
// moved is stale; the next edge of the pair replaces it.
typedef struct PairSlot {
  uint64_t pair;  // smaller variable << 32 | larger; UINT64_MAX: empty
  uint32_t edge;
} PairSlot;

typedef struct PairMap {
  PairSlot *slots;
  uint32_t count, capacity;  // capacity is a power of two
} PairMap;

typedef struct ReduceEdge {
  uint32_t a, b;
  Matrix *m;  // rows: a's strategies; NULL: gone
  bool queued;
} ReduceEdge;

typedef VEC(uint32_t) EdgeList;

typedef struct ReduceVar {
  uint32_t n, alive;              // strategies; those that are not forbidden
  bool changed;                   // costs, edges or bytes, since its strategies were compared
  int64_t *cost;                  // per strategy; CORE_FORBIDDEN: dead
  EdgeList edges;                 // may hold dropped and moved ones until prune_edges
  uint32_t pruned;                // length of the list after the last prune_edges
  uint32_t parent;                // UINT32_MAX: not contracted
  uint32_t *map;                  // per strategy of the parent; UINT32_MAX where that is dead;
                                  // NULL: the same
  uint32_t item_first, item_end;  // from reduce_memory_items
} ReduceVar;

struct Reduction {
  const Problem *problem;
  Arena *arena;
  ReduceOptions options;
  uint32_t n_vars, n_edges, most;  // most: strategies of a variable
  ReduceVar *vars;
  ReduceEdge *edges;
  Matrix **spare;  // by number of entries
  PairMap pairs;
  VEC(uint32_t) queue, contracted;
  bool infeasible;
  ReduceCounts counts;
  // Bytes: items of variables that are not contracted, sorted by variable; points in time.
  bool has_points;  // reduce_memory_items ran
  uint32_t n_points, n_items;
  CoreItem *items;       // bytes are per strategy of the problem, not of the core
  uint32_t *item_owner;  // per item: its variable, which may have been contracted since
  int64_t *times;        // per point
  int64_t *fixed;        // per point, and one more: bytes that no choice changes
  int64_t least_bytes;   // if memory makes the problem infeasible: bytes needed at least
  int64_t least_time;    // … at this time
  Core core;
  uint32_t *core_var;       // the problem's variable of each core variable
  uint32_t *core_strategy;  // the problem's strategy of each core state
};

void reduce_kill(Reduction *r, uint32_t v, uint32_t p);
void reduce_build_core(Reduction *r);

#endif
