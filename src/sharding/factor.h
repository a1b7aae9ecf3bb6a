// The factors of an op: which dimensions of its operands and results are split together, and what a
// split costs.
//
//   dot_general: ([b, i, k], [b, k, j]) -> [b, i, j]    b, i, j pass through, k reduces by sum
//   reshape [6,4] -> [24]: ([i, j]) -> [ij]             a dimension is a list of factors, major to
//                                                       minor: splitting j alone is strided in [ij]
//
// This map is the rich one. Shardy's `#sdy.op_sharding_rule` is a projection of it: reducers,
// FACTOR_OFFSET and whatever is known better (`kinds` against `sdy_kinds`) are left out. (Decision
// D3: docs/decisions/d03-factors.md.)
#ifndef TESSERA_SHARDING_FACTOR_H
#define TESSERA_SHARDING_FACTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "ir/context.h"
#include "sharding/combine.h"

// What it takes to split a factor. A factor may be of several kinds.
enum {
  FACTOR_PASS = 0,            // nothing: the op on slices gives slices
  FACTOR_REDUCE = 1 << 0,     // results without the factor are partial: combine them
  FACTOR_PERMUTE = 1 << 1,    // shards read elements of their neighbours
  FACTOR_REPLICATE = 1 << 2,  // the op needs it whole: gather, or an op's own cheaper way
  FACTOR_BLOCK = 1 << 3,      // a sharding must not travel along it
  FACTOR_OFFSET = 1 << 4,  // no data moves, but the shard must know its place: indices are shifted,
                           // what lies elsewhere is masked
};

typedef struct Factor {
  int64_t size;       // DIM_DYNAMIC: not known, then it is also FACTOR_REPLICATE | FACTOR_BLOCK
                      // (of Shardy's FACTOR_BLOCK)
  uint8_t kinds;      // what splitting it really takes
  uint8_t sdy_kinds;  // what Shardy says it takes; equal but where Shardy is coarser or wrong. For
                      // decisions that must be Shardy's
  uint8_t combine;    // Combine, of FACTOR_REDUCE
} Factor;

// Tensors are the operands, then the results. Values that are no tensors have rank 0.
typedef struct FactorMap {
  uint32_t n_operands, n_results, n_factors;
  bool custom;  // given by the user, not ours to change
  bool own;     // Shardy has no rule for this op: the projection is empty
  const Factor *factors;
  const uint32_t
      *tensor_dims;  // n_tensors + 1: tensor t has the dims [tensor_dims[t], tensor_dims[t + 1])
  const uint32_t *dim_places;  // per dim, + 1: it has the places [dim_places[d], dim_places[d + 1])
  const uint32_t *places;      // factors, major to minor
  const bool *enters_once;  // per operand: a reduction's init. Where a reduction factor is split,
                            // all shards but one take the reducer's identity instead
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
  return (FactorList){m->places + m->dim_places[d], m->dim_places[d + 1] - m->dim_places[d]};
}
// Whether tensor has the factor in some dimension, and where. O(places of the tensor).
bool factor_map_find(const FactorMap *m, uint32_t tensor, uint32_t factor, uint32_t *out_dim,
                     uint32_t *out_place);

// ---- building ----

typedef struct FactorPlace {
  uint32_t tensor, dim, factor;
} FactorPlace;

typedef struct FactorBuilder {
  Arena *arena;
  uint32_t n_operands, n_results;
  const uint32_t *ranks;  // per tensor
  VEC(Factor) factors;
  VEC(FactorPlace) places;
  bool *enters_once;
  bool custom;
  bool own;
  bool misfit;  // a factor was put where there is no dimension: the op's shapes are not what its
                // rule takes them for (custom calls may have any)
} FactorBuilder;

// ranks: one per operand, then one per result; borrowed until factor_build.
void factor_builder_init(FactorBuilder *b, Arena *arena, uint32_t n_operands, uint32_t n_results,
                         const uint32_t *ranks);
// A new factor of the given kinds (both Shardy's and ours); gives its number.
uint32_t factor_add(FactorBuilder *b, int64_t size, uint8_t kinds);
void factor_set_kinds(FactorBuilder *b, uint32_t factor, uint8_t kinds);  // ours only
// No sharding travels along it, whatever its size is: a dimension that it is in is not known.
void factor_set_blocked(FactorBuilder *b, uint32_t factor);
void factor_set_dynamic(FactorBuilder *b, uint32_t factor);  // its size is not known: also blocked
void factor_set_combine(FactorBuilder *b, uint32_t factor, Combine combine);
// Puts the factor minor-most into a dimension. A factor of size 1 is left out of a dimension that
// has one already. Where there is no such dimension the builder is a misfit.
void factor_put(FactorBuilder *b, uint32_t factor, uint32_t tensor, uint32_t dim);
// Every dimension without a factor gets one of size 1; factors that are nowhere go. The map lives
// in the builder's arena. O(places * log).
void factor_build(FactorBuilder *b, FactorMap *out);

// ---- Shardy's text form ----

// 0 if the projection is empty (m->own). Of kinds that Shardy has at most one of per factor,
// need_replication is shown before reduction before permutation.
Attr factor_map_to_attr(const FactorMap *m, Context *context);
// ranks as of factor_builder_init. False, with why in *out_error, if the attribute is no rule or
// does not fit the ranks. Reductions combine by sum, as Shardy takes them.
bool factor_map_from_attr(FactorMap *out, Context *context, Arena *arena, Attr attr,
                          uint32_t n_operands, uint32_t n_results, const uint32_t *ranks,
                          const char **out_error);

// What is inconsistent in the map, NULL if nothing: for tests and for rules from outside. dims: the
// sizes of all dimensions, tensor after tensor. A dimension is the product of its factors unless
// one of them is FACTOR_PERMUTE, FACTOR_REPLICATE or FACTOR_OFFSET (windows, slices, paddings) or a
// size is not known.
const char *factor_map_check(const FactorMap *m, const int64_t *dims);

#endif
