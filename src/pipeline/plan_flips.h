// Choices that differ from a choice in one decision, for searches on the simulated time. Only
// pipeline/plan*.c and bench/near_optimum.c include this.
#ifndef TESSERA_PIPELINE_PLAN_FLIPS_H
#define TESSERA_PIPELINE_PLAN_FLIPS_H

#include "plan/model.h"

typedef struct Flips {
  const Model *m;
  uint32_t *tied;           // per variable: the first variable that it is tied to, or itself
  uint32_t *next;           // per variable: the next of its tied ones; UINT32_MAX: none
  uint32_t *first, *edges;  // edges of variable v: edges[first[v]] … edges[first[v + 1] - 1]
} Flips;

// O(variables + edges).
void flips_init(Flips *flips, const Model *model, Arena *arena);
// Is v the variable that stands for its tied ones, and is there a choice?
bool flips_is_free(const Flips *flips, uint32_t v);
// The choice with v and its tied variables in strategy k. Copies follow: each takes the strategy
// that is cheapest beside its neighbours. out may not be `choice`. O(variables + edges of copies).
void flips_flip(const Flips *flips, const uint32_t *choice, uint32_t v, uint32_t k, uint32_t *out);
// The cost of v and its tied variables in strategy k, with the edges to their neighbours. O(edges).
Wide flips_cost(const Flips *flips, uint32_t v, uint32_t k, const uint32_t *choice);
// Equal for choices that lead to the same decisions. O(variables).
uint64_t flips_hash(const Model *model, const uint32_t *choice);

#endif
