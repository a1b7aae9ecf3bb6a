// The factors of an op: which dimensions of its operands and results are split together, and what a
// split requires.
//
//   dot_general: ([b, i, k], [b, k, j]) -> [b, i, j]    b, i, j pass through, k reduces by sum
//   reshape [6,4] -> [24]: ([i, j]) -> [ij]             a dimension is a list of factors, major to
//                                                       minor: splitting j alone is strided in [ij]
//
// Shardy's `#sdy.op_sharding_rule` is a projection of this map: it omits reducers, FACTOR_OFFSET,
// and kinds that are known more precisely (`kinds` and `sdy_kinds`). (Decision D3:
// docs/decisions/d03-factors.md.)
#ifndef TESSERA_SHARDING_FACTOR_H
#define TESSERA_SHARDING_FACTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "ir/context.h"
#include "sharding/combine.h"

// The requirements of splitting a factor, as bits. A factor may have several.
enum {
  FACTOR_PASS = 0,            // nothing: the op on shards gives shards
  FACTOR_REDUCE = 1 << 0,     // results without the factor are partial and must be combined
  FACTOR_PERMUTE = 1 << 1,    // shards read elements of neighbouring shards
  FACTOR_REPLICATE = 1 << 2,  // the op needs all of it: all-gather, or a cheaper way of its own
  FACTOR_BLOCK = 1 << 3,      // shardings must not propagate along it
  FACTOR_OFFSET = 1 << 4,     // no communication, but the shard must know its offset: indices are
                              // shifted, elements of other shards are masked
};

typedef struct Factor {
  int64_t size;       // DIM_DYNAMIC: unknown; then `kinds` has FACTOR_REPLICATE | FACTOR_BLOCK and
                      // `sdy_kinds` has FACTOR_BLOCK
  uint8_t kinds;      // what splitting it requires
  uint8_t sdy_kinds;  // what Shardy's rule says; differs where Shardy is coarser or wrong. For
                      // decisions that must match Shardy's
  uint8_t combine;    // Combine, of FACTOR_REDUCE
} Factor;

// Tensors are the operands, then the results. Values that are not tensors have rank 0.
typedef struct FactorMap {
  uint32_t n_operands, n_results, n_factors;
  bool custom;  // given by the user
  bool own;     // Shardy has no rule for this op: the projection is empty
  const Factor *factors;
  const uint32_t
      *tensor_dims;  // n_tensors + 1: tensor t has dims [tensor_dims[t], tensor_dims[t + 1])
  const uint32_t
      *dim_occurrences;  // n_dims + 1: dim d is places[dim_occurrences[d], dim_occurrences[d + 1])
  const uint32_t *places;   // factors of all dims, each major to minor
  const bool *enters_once;  // per operand: the init of a reduction. If a reduction factor is split,
                            // all shards but one use the reducer's identity instead
} FactorMap;

typedef struct FactorList {
  const uint32_t *v;
  uint32_t n;
} FactorList;

static inline uint32_t factor_map_n_tensors(const FactorMap *m) {
  return m->n_operands + m->n_results;
}
static inline uint32_t factor_map_rank(const FactorMap *m, uint32_t tensor) {
  return m->tensor_dims[tensor + 1] - m->tensor_dims[tensor];
}
// The factors of one dimension, major to minor. Never empty.
static inline FactorList factor_map_dim(const FactorMap *m, uint32_t tensor, uint32_t dim) {
  uint32_t d = m->tensor_dims[tensor] + dim;
  return (FactorList){m->places + m->dim_occurrences[d],
                      m->dim_occurrences[d + 1] - m->dim_occurrences[d]};
}
// Whether the tensor has the factor; if so, its dimension and its index in that dimension's list.
// O(factors of the tensor).
bool factor_map_find(const FactorMap *m, uint32_t tensor, uint32_t factor, uint32_t *out_dim,
                     uint32_t *out_place);

// ---- building ----

typedef struct FactorOccurrence {
  uint32_t tensor, dim, factor;
} FactorOccurrence;

typedef struct FactorBuilder {
  Arena *arena;
  uint32_t n_operands, n_results;
  const uint32_t *ranks;  // per tensor
  VEC(Factor) factors;
  VEC(FactorOccurrence) places;
  bool *enters_once;
  bool custom;
  bool own;
  bool misfit;  // a factor was put into a dimension that does not exist: the op's shapes are not
                // those that its rule expects (custom calls may have any)
} FactorBuilder;

// ranks: one per operand, then one per result; borrowed until factor_build.
void factor_builder_init(FactorBuilder *b, Arena *arena, uint32_t n_operands, uint32_t n_results,
                         const uint32_t *ranks);
// Adds a factor of the given kinds (`kinds` and `sdy_kinds`); returns its number.
uint32_t factor_add(FactorBuilder *b, int64_t size, uint8_t kinds);
void factor_set_kinds(FactorBuilder *b, uint32_t factor, uint8_t kinds);  // `kinds` only
// Nothing propagates along the factor, and it cannot be split: its size in some dimension is
// unknown.
void factor_set_blocked(FactorBuilder *b, uint32_t factor);
void factor_set_dynamic(FactorBuilder *b, uint32_t factor);  // unknown size: also blocked
void factor_set_combine(FactorBuilder *b, uint32_t factor, Combine combine);
// Appends the factor as the minor-most of a dimension. A factor of size 1 is omitted if the
// dimension has one already. If there is no such dimension, the builder becomes a misfit.
void factor_put(FactorBuilder *b, uint32_t factor, uint32_t tensor, uint32_t dim);
// Gives every dimension without factors one of size 1 and drops unused factors. The map is in the
// builder's arena. O(occurrences + dims).
void factor_build(FactorBuilder *b, FactorMap *out);

// ---- Shardy's text form ----

// The name of a factor: i, j, … z, z_1, z_2, …
void factor_print(int64_t factor, StrBuf *out);

// The projection to Shardy's rule; 0 if it is empty (m->own). Shardy allows one of
// need_replication, reduction, permutation per factor; the first that applies is written.
Attr factor_map_to_attr(const FactorMap *m, Context *context);
// ranks: as for factor_builder_init. False, with the reason in *out_error, if the attribute is no
// rule or does not fit the ranks. Reductions combine by sum, as in Shardy.
bool factor_map_from_attr(FactorMap *out, Context *context, Arena *arena, Attr attr,
                          uint32_t n_operands, uint32_t n_results, const uint32_t *ranks,
                          const char **out_error);

// The first inconsistency of the map; NULL if there is none. For tests and rules from users. dims:
// the sizes of all dimensions, tensor by tensor. A dimension is the product of its factors unless
// one is FACTOR_PERMUTE, FACTOR_REPLICATE or FACTOR_OFFSET (windows, slices, padding) or a size is
// unknown.
const char *factor_map_check(const FactorMap *m, const int64_t *dims);

#endif
