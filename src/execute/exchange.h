// Collectives of virtual devices in one process: one kernel computes the results of a whole group,
// from the members' buffers and into them.
#ifndef TESSERA_EXECUTE_EXCHANGE_H
#define TESSERA_EXECUTE_EXCHANGE_H

#include "execute/kernel.h"
#include "ops/eval.h"

// A sum over members on several ranks, in two steps. Each rank first adds up the complete subtrees
// of the balanced tree whose members it has (decision D11); the ranks exchange these partial sums,
// unrounded, instead of operands. The second kernel combines them along the rest of the tree.
typedef struct ExchangeSplit {
  uint32_t n_nodes;       // subtrees of all ranks; 0: the collective is not split
  const uint32_t *first;  // per subtree: its first member
  const size_t *bytes;    // of a partial sum, per operand
  // Buffers of `partial`: the operands of the members here, in order, then the partial sums of the
  // subtrees here. Of `combine`: the partial sums of all subtrees, then the results of all members.
  Kernel partial, combine;
} ExchangeSplit;

typedef struct ExchangeRequest {
  KernelRequest kernel;
  uint32_t n_group;
  const ProcessId *group;
  const bool *here;  // per member: its results are computed; NULL: all are
  // If members are on several ranks: the rank of each, this rank, and where a maker may put a
  // split.
  const uint32_t *ranks;
  uint32_t rank;
  ExchangeSplit *split;
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
