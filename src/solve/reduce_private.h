// The state of the reduction, shared by reduce.c (rules of edges), reduce_memory.c (bytes) and
// reduce_core.c (the result).
#ifndef TESSERA_SOLVE_REDUCE_PRIVATE_H
#define TESSERA_SOLVE_REDUCE_PRIVATE_H

#include "solve/reduce.h"

typedef struct Matrix {
  struct Matrix *next_spare;  // of the same size, while unused
  uint32_t refs, rows, columns;
  int64_t at[];  // row by row; CORE_FORBIDDEN
} Matrix;

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
  uint32_t parent;                // UINT32_MAX: not contracted
  uint32_t *map;                  // per strategy of the parent; UINT32_MAX where that is dead
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
  VEC(uint32_t) queue, contracted;
  bool infeasible;
  ReduceCounts counts;
  // Bytes: items of variables that are not contracted, sorted by variable; points in time.
  uint32_t n_points, n_items;
  CoreItem *items;  // bytes are per strategy of the problem, not of the core
  int64_t *fixed;   // per point: bytes of variables without a choice
  Core core;
  uint32_t *core_var;       // the problem's variable of each core variable
  uint32_t *core_strategy;  // the problem's strategy of each core state
};

void reduce_kill(Reduction *r, uint32_t v, uint32_t p);
void reduce_build_core(Reduction *r);

#endif
