// Raises the lower bound by changing the memory prices: a subgradient method over message passing.
#ifndef TESSERA_SOLVE_ASCEND_H
#define TESSERA_SOLVE_ASCEND_H

#include "solve/dual.h"
#include "solve/state.h"

typedef struct Ascent {
  Dual *dual;
  State decoded;       // the plan of the last step; it may exceed memory
  double best;         // highest bound so far, without the core's constant
  double *best_price;  // where it was
  float *best_messages;
  double *direction;  // smoothed subgradient
  double step;        // relative length, shrinks when the bound stalls
  uint32_t steps, stalled;
} Ascent;

void ascent_init(Ascent *ascent, Dual *dual, Arena *arena);
// One sweep, decoding, and a step of the prices towards `upper`, the cost of the best plan known
// (INFINITY: none). O(entries + items * strategies + points).
void ascent_step(Ascent *ascent, double upper);
// Returns to the prices and messages of the best bound.
void ascent_restore(Ascent *ascent);
// Longer steps again, from the best prices: the best plan has become cheaper.
void ascent_resume(Ascent *ascent);
// Whether further steps are too short to matter.
bool ascent_done(const Ascent *ascent);

#endif
