// Strided copies. A plan drops loops of size 1. It fuses neighbouring loops if in both arrays the
// outer stride is the inner stride times the inner size: a slice of full rows becomes few long
// memcpys, a reshape-like copy becomes one. The remaining loops run as an odometer around an
// innermost loop, which is a memcpy or a copy of fixed-size elements. O(elements), and O(1) per
// innermost loop.
#include "tensor/strided.h"

#include <string.h>

void strided_plan(StridedPlan *plan, int64_t bytes, uint32_t rank, const int64_t *dims,
                  const int64_t *to_strides, const int64_t *from_strides) {
  plan->bytes = bytes;
  plan->count = 1;
  plan->rank = 0;
  // Look for a 0 first: the other dims of an empty grid may be so large that products overflow.
  for (uint32_t d = 0; d < rank; d++)
    if (dims[d] == 0) plan->count = 0;
  if (plan->count == 0) return;
  for (uint32_t d = 0; d < rank; d++) {
    plan->count *= dims[d];
    if (dims[d] == 1) continue;
    uint32_t last = plan->rank;
    if (last > 0 && plan->to[last - 1] == to_strides[d] * dims[d] &&
        plan->from[last - 1] == from_strides[d] * dims[d]) {
      plan->dims[last - 1] *= dims[d];
      plan->to[last - 1] = to_strides[d];
      plan->from[last - 1] = from_strides[d];
      continue;
    }
    plan->dims[last] = dims[d];
    plan->to[last] = to_strides[d];
    plan->from[last] = from_strides[d];
    plan->rank++;
  }
}

#define COPY_LOOP(size)                                                                            \
  case size:                                                                                       \
    for (int64_t i = 0; i < n; i++, to += to_step, from += from_step) memcpy(to, from, size);      \
    break;

static void copy_run(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t n,
                     int64_t bytes) {
  switch (bytes) {
    COPY_LOOP(1)
    COPY_LOOP(2)
    COPY_LOOP(4)
    COPY_LOOP(8)
    COPY_LOOP(16)
  default:
    for (int64_t i = 0; i < n; i++, to += to_step, from += from_step)
      memcpy(to, from, (size_t)bytes);
  }
}

static void run_innermost(const StridedPlan *plan, char *to, const char *from) {
  uint32_t d = plan->rank - 1;
  if (plan->to[d] == 1 && plan->from[d] == 1)
    memcpy(to, from, (size_t)(plan->dims[d] * plan->bytes));
  else
    copy_run(to, plan->to[d] * plan->bytes, from, plan->from[d] * plan->bytes, plan->dims[d],
             plan->bytes);
}

// The odometer adds a stride per step and subtracts dims · stride where a loop ends, so that no
// index is multiplied.
void strided_run(const StridedPlan *plan, void *to_, const void *from_) {
  if (plan->count == 0) return;
  char *to = to_;
  const char *from = from_;
  if (plan->rank == 0) {
    memcpy(to, from, (size_t)plan->bytes);
    return;
  }
  uint32_t outer = plan->rank - 1;
  int64_t index[MAX_RANK] = {0};
  for (;;) {
    run_innermost(plan, to, from);
    uint32_t d = outer;
    for (; d > 0; d--) {
      uint32_t k = d - 1;
      to += plan->to[k] * plan->bytes;
      from += plan->from[k] * plan->bytes;
      if (++index[k] < plan->dims[k]) break;
      to -= plan->dims[k] * plan->to[k] * plan->bytes;
      from -= plan->dims[k] * plan->from[k] * plan->bytes;
      index[k] = 0;
    }
    if (d == 0) return;
  }
}

void strided_copy(Literal *to, int64_t to_offset, const int64_t *to_strides, const Literal *from,
                  int64_t from_offset, const int64_t *from_strides, uint32_t rank,
                  const int64_t *dims) {
  StridedPlan plan;
  int64_t own[MAX_RANK];
  int64_t bytes = dtype_bytes(to->dtype);
  if (!to_strides) {
    shape_strides(to->rank, to->dims, own);
    to_strides = own;
  }
  strided_plan(&plan, bytes, rank, dims, to_strides, from_strides);
  if (plan.count == 0) return;
  strided_run(&plan, (char *)to->data + to_offset * bytes,
              (const char *)from->data + from_offset * bytes);
}

void strided_fill(Literal *to, const Literal *from, int64_t from_index) {
  int64_t one = 1, zero = 0;
  strided_copy(to, 0, &one, from, from_index, &zero, 1, &to->count);
}
