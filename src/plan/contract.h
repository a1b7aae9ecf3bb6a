// A program with fewer of its repeated layers: planned in place of the whole program, to which its
// decisions and its predicted seconds and bytes are carried over.
#ifndef TESSERA_PLAN_CONTRACT_H
#define TESSERA_PLAN_CONTRACT_H

#include "plan/layers.h"

// An op of the contracted program that stands for several of the whole program.
typedef struct Repeat {
  double times;  // ops that it stands for, itself included; 0: only itself
  OpId last;  // the last op of its run: what is alive after it is saved for later, once per layer
} Repeat;

typedef struct Contraction {
  Program *program;  // the contracted one
  Context *context;  // of it
  OpId entry;
  uint32_t n_arguments, n_results;  // of the whole program
  // Of the whole program, per op, argument and result: the one of the contracted program that it
  // is or that it repeats.
  const OpId *ops;
  const uint32_t *arguments, *results;
  // Of the contracted program.
  const OpId *origin;     // per op: of the whole program
  const Repeat *repeats;  // per op
  const double *argument_times, *result_times;
  const bool *kept_argument, *kept_result;  // of the whole program
} Contraction;

// Keeps `keep` of the layers that all runs have, the first and the last of them. False if the
// program cannot be contracted so; then it is not an error. Tables are in the arena; the caller
// calls contract_release in any case. O(program).
bool contract(const Program *p, OpId entry, const Layers *layers, uint32_t keep, Guard *guard,
              Arena *arena, Contraction *out);
void contract_release(void *contraction);  // for a GuardCleanup

#endif
