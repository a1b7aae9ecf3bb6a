// Bodies of sorts, scatters and reductions that are straight lines of elementwise ops on scalars,
// as lists of steps that any worker can run. Each step has exactly the evaluator's meaning.
#ifndef TESSERA_EXECUTE_KERNELS_BODY_H
#define TESSERA_EXECUTE_KERNELS_BODY_H

#include "execute/kernels/common.h"

enum { BODY_SLOTS = 64 };

typedef struct Body Body;

// NULL: the body has another op, uses values from outside, or is too long. Its arguments and
// results are unquantized scalars. O(ops^2).
const Body *body_new(const KernelRequest *r, RegionId region);
// slots: this worker's, BODY_SLOTS of them; the caller has called body_begin once, and writes the
// arguments to the first slots.
void body_begin(const Body *body, Scalar *slots);
void body_run(const Body *body, Scalar *slots);
uint32_t body_n_results(const Body *body);
static inline uint32_t body_n_args(const Program *p, RegionId region) {
  return block_at(p, region_block(p, region))->n_args;
}
Scalar body_result(const Body *body, const Scalar *slots, uint32_t i);

#endif
