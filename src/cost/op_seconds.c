// FLOPs scale with the local size of each factor, rounded up; bytes with the tiles. Their times
// add.
#include "cost/op_seconds.h"

#include "ops/op.h"
#include "ops/work.h"

// FLOPs of one device: each factor counts with its largest tile.
static double local_flops(const Localizer *cx, double flops) {
  for (uint32_t f = 0; f < cx->map->n_factors; f++) {
    int64_t size = cx->map->factors[f].size, ways = localize_ways(cx, f);
    if (size > 0) flops *= (double)((size + ways - 1) / ways) / (double)size;
  }
  return flops;
}

static double tile_bytes(const Localizer *cx, uint32_t tensor, const ShardingInfo *info) {
  const Program *p = cx->program;
  uint32_t n = cx->map->n_operands;
  Type type =
      tensor < n ? op_operand_type(p, cx->op, tensor) : op_result_type(p, cx->op, tensor - n);
  int64_t count = 0;
  if (!type_count(p->context, type, &count)) return 0;
  for (uint32_t d = 0; d < info->rank; d++) count /= sharding_tiles(info, d);
  return (double)count * dtype_bytes(type_dtype(p->context, type));
}

double compute_op_seconds(const Compute *compute, const Localizer *cx, double flops,
                          const ShardingTable *table, const Sharding *in_as,
                          const Sharding *out_as) {
  double bytes = 0;
  uint32_t n = cx->map->n_operands;
  for (uint32_t k = 0; k < factor_map_n_tensors(cx->map); k++) {
    uint32_t i = work_touched(cx->program, cx->op, k);
    bytes += tile_bytes(cx, i, sharding_info(table, i < n ? in_as[i] : out_as[i - n]));
  }
  return compute_seconds(compute, local_flops(cx, flops)) + bytes / compute->bytes_per_second;
}

double op_padding(const Program *p, OpId op, const Rates *rates, double flops, double lhs,
                  double rhs, double result) {
  if (op_at(p, op)->code != OP_dot_general) return 1;
  return rates_padding(rates, flops, lhs, rhs, result);
}
