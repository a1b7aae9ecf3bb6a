// Collectives of virtual devices in one process: one kernel computes the results of a whole group,
// from the members' buffers and into them.
#ifndef TESSERA_EXECUTE_EXCHANGE_H
#define TESSERA_EXECUTE_EXCHANGE_H

#include "execute/kernel.h"
#include "ops/eval.h"

typedef struct ExchangeRequest {
  KernelRequest kernel;
  uint32_t n_group;
  const ProcessId *group;
  const bool *here;  // per member: its results are computed; NULL: all are
} ExchangeRequest;

static inline bool exchange_is_here(const ExchangeRequest *r, uint32_t member) {
  return !r->here || r->here[member];
}

// Buffers of the kernel: the operands of the first member, of the second, …, then the results of
// the first member, …. False: this instance runs through eval. Sums follow the balanced tree over
// the members that the evaluator uses (decision D11).
typedef bool (*ExchangeMaker)(const ExchangeRequest *request, Kernel *out);

// The maker of the op's code (exchanges.def); NULL: none.
ExchangeMaker exchange_maker(uint16_t code);

// The most scratch bytes of a kernel for groups of n members.
size_t exchange_scratch_bytes(uint32_t n_group);

#define EXCHANGE(op, maker) bool maker(const ExchangeRequest *request, Kernel *out);
#include "execute/exchanges.def"
#undef EXCHANGE

#endif
