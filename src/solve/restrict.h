// A smaller core: without the states that cannot be part of a better plan.
#ifndef TESSERA_SOLVE_RESTRICT_H
#define TESSERA_SOLVE_RESTRICT_H

#include "solve/core.h"

typedef struct Restriction {
  const Core *from;
  Core core;
  bool empty;            // a variable has no state left: no plan remains, and there is no core
  uint32_t *var;         // per variable of `from`: its number in the core; UINT32_MAX: decided
  uint32_t *decided;     // per variable of `from` that is decided: its strategy
  uint32_t *strategy;    // per state of the core: the strategy of `from`
  uint32_t *state_of;    // per state of `from`: the strategy of the core; UINT32_MAX: gone
  uint32_t *from_var;    // per variable of the core
  uint32_t *from_point;  // per point of the core
} Restriction;

// Takes the useless states out, and those that then have no partner on an edge. `useless` changes.
// Variables with one state left become part of the costs. O(entries + items * strategies + points).
void restriction_init(Restriction *r, const Core *from, bool *useless, Arena *arena);

void restriction_expand(const Restriction *r, const uint32_t *x, uint32_t *out_x);
// The plan in the core; strategies that are gone are replaced by the cheapest.
void restriction_project(const Restriction *r, const uint32_t *x, uint32_t *out_x);

#endif
