// One complete plan of the core, with its cost and its bytes per point, kept up to date under
// changes of single variables.
#ifndef TESSERA_SOLVE_STATE_H
#define TESSERA_SOLVE_STATE_H

#include "solve/core.h"
#include "solve/usage.h"

typedef struct State {
  const Core *core;
  uint32_t *x;      // strategy per variable
  int64_t cost;     // of allowed entries, with the constant
  uint32_t broken;  // number of forbidden entries
  Usage usage;
  uint64_t work;  // entries and points read: the solver's measure of time
} State;

void state_init(State *state, const Core *core, Arena *arena);
void state_set(State *state, const uint32_t *x);  // O(edges + items + points)
void state_copy(State *to, const State *from);
void state_move(State *state, uint32_t v, uint32_t q);

// Costs of all strategies of v against its neighbours; forbidden entries cost CORE_BROKEN.
// O(degree * n).
void state_costs(State *state, uint32_t v, double *out_cost);
// Whether moving v to q keeps every point within max(limit, present bytes).
bool state_fits(State *state, uint32_t v, uint32_t q);
// Bytes above the limit at the worst point; <= 0: the plan fits.
int64_t state_excess(const State *state, uint32_t *out_point);
bool state_feasible(const State *state);

// Moves single variables while that lowers the cost and memory fits; the plan must be allowed and
// within memory. O(entries) per round.
void state_descend(State *state, double *scratch);

#endif
