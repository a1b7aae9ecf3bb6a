// Improves a plan that fits, by large-neighbourhood moves.
#ifndef TESSERA_SOLVE_SEARCH_H
#define TESSERA_SOLVE_SEARCH_H

#include "solve/block.h"
#include "solve/repair.h"

typedef struct Search {
  const Core *core;
  Block *block;
  Repair *repair;
  State best, trial;
  bool found;           // best is a plan that fits
  const double *price;  // prices at the best bound; borrowed
  uint64_t random;
  double *costs;  // scratch: per strategy
  // Two kinds of moves, chosen by what they gained per work.
  double gain[2], work[2];
} Search;

void search_init(Search *search, const Core *core, const double *price, Arena *arena);
// Repairs and improves a plan; keeps it if it is the best.
void search_offer(Search *search, const uint32_t *x, uint64_t most_work);
// One move on the best plan. True if it became cheaper.
bool search_step(Search *search);
uint64_t search_work(const Search *search);

#endif
