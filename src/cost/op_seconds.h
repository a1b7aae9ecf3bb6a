// Seconds of one device for a split op. Decides nothing.
#ifndef TESSERA_COST_OP_SECONDS_H
#define TESSERA_COST_OP_SECONDS_H

#include "cost/compute.h"
#include "ops/localize.h"

// Seconds for the FLOPs of the op as split by cx (`flops`: of the global op) and for the bytes of
// the tiles that it reads and writes, with shardings in_as and out_as. O(factors + tensors · rank).
double compute_op_seconds(const Compute *compute, const Localizer *cx, double flops,
                          const ShardingTable *table, const Sharding *in_as,
                          const Sharding *out_as);

// Times the FLOPs that the op takes because its matrices do not fill the matrix unit; 1 if it does
// not multiply matrices. Elements of the local operands and result; flops: of one device.
double op_padding(const Program *p, OpId op, const Rates *rates, double flops, double lhs,
                  double rhs, double result);

#endif
