// Lower bounds by message passing with memory prices.
//
// Lagrangian: for any prices λ_t >= 0 per byte at time point t,
//   min over x of cost(x) + sum_t λ_t (bytes_t(x) - limit)  <=  least cost of a plan that fits.
// The left side is a problem without memory, whose own bound comes from TRW-S (Kolmogorov 2006).
#ifndef TESSERA_SOLVE_DUAL_H
#define TESSERA_SOLVE_DUAL_H

#include "solve/core.h"
#include "solve/eliminate.h"
#include "solve/problem.h"

typedef struct Dual {
  const Core *core;
  Arena *arena;
  double *price;         // per point, >= 0
  double *unary;         // per state: cost and priced bytes
  float **m, **mt;       // per matrix: as floats, INFINITY where forbidden; its transpose. Rows are
                         // padded with INFINITY to a multiple of 8
  double *share;         // per variable: of its belief, sent along each edge
  float **to_a, **to_b;  // per edge: messages, which are in one block
  float *messages;
  size_t n_messages;
  double *belief;      // per state: unary and all messages, from the last visit
  double bound;        // after the last backward sweep, memory term included; without the constant
  double memory_term;  // sum of λ (limit - fixed)
  uint64_t work;       // matrix entries visited
  float *from;         // scratch
  double *scratch;
  double *prefix;  // of prices
  // If set, elimination takes the place of message passing: the bound is exact at the prices, and
  // the plan of decoding its minimizer.
  Elimination *exact;
  uint32_t *minimizer;  // per variable
  double least;         // of the priced costs; without the memory term
} Dual;

void dual_init(Dual *dual, const Core *core, Arena *arena);
// Folds the prices into the unary costs. O(items * strategies + points).
void dual_reprice(Dual *dual);
// One forward and one backward sweep, or one elimination; updates `bound`, which does not fall at
// fixed prices.
void dual_sweep(Dual *dual);
// A plan from the messages, forbidden entries avoided where possible: variables in order, each
// against its decided neighbours and the messages of the others. May exceed memory.
void dual_decode(Dual *dual, uint32_t *out_choice);

// The bound of the present prices and messages in exact integer arithmetic: valid whatever the
// floating point did. Less than `bound` by rounding only. Includes the core's constant.
int64_t dual_certify(Dual *dual);

// Marks the states that no plan has which fits and costs less than `upper`, at the present prices
// and messages. Returns their number. Exact arithmetic, or rounding errors subtracted.
uint32_t dual_find_useless(Dual *dual, int64_t upper, bool *out_useless);

// What is left of every cost after the certified bound was taken out: for every plan x that fits,
//   cost(x) * RESIDUAL_ONE >= bound * RESIDUAL_ONE + sum of its residuals.
typedef struct Residuals {
  Wide bound;      // in units of 1 / RESIDUAL_ONE, with the core's constant
  int64_t cap;     // larger residuals are cut to this
  int64_t *state;  // per state, >= 0
  int64_t **edge;  // per edge and entry, >= 0; forbidden: cap
} Residuals;

enum { RESIDUAL_ONE = 256 };

// Fills the residuals of the present prices and messages; the arrays are allocated by the caller.
void dual_residuals(Dual *dual, int64_t cap, Residuals *out);

#endif
