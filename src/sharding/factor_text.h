// Factor rules as a person writes them: Shardy's form, sizes left to the shapes.
//
//   ([i, k], [k, j])->([i, j]) reduction={k}          a matrix product
//   ([ij])->([i, j]) {j=4}                            a reshape: j is minor in the first
//   ([i, k])->([i]) reduction={k:max}                 partial results combine by max
//
// Names are letters, as many factors as letters (`z_1` is one). Kinds are reduction, permutation,
// need_replication and blocked_propagation. `#sdy.op_sharding_rule<…>` around it and `, custom`
// behind it may stay.
#ifndef TESSERA_SHARDING_FACTOR_TEXT_H
#define TESSERA_SHARDING_FACTOR_TEXT_H

#include "sharding/factor.h"

enum { FACTOR_ERROR_BYTES = 256 };

typedef struct RuleDim {
  uint32_t first, n;  // in FactorRule.places
} RuleDim;

typedef struct RuleFactor {
  char name[12];
  int64_t size;  // 0: it follows from the shapes
  uint8_t kinds, combine;
} RuleFactor;

typedef struct FactorRule {
  uint32_t n_operands, n_results;
  VEC(uint32_t) tensors;  // per tensor its first dimension, and the end
  VEC(RuleDim) dims;
  VEC(uint32_t) places;
  VEC(RuleFactor) factors;
} FactorRule;

// Lives in the arena. False, with what was expected and where in `error`, if the text is no rule.
// O(text · factors).
bool factor_rule_parse(Str text, Arena *arena, FactorRule *out, char error[FACTOR_ERROR_BYTES]);
// Puts the rule's factors into a builder that has none. dims: the sizes of all dimensions, tensor
// after tensor. False, with the values at odds in `error`, if the rule does not fit them.
bool factor_rule_apply(const FactorRule *rule, FactorBuilder *b, const int64_t *dims,
                       char error[FACTOR_ERROR_BYTES]);

#endif
