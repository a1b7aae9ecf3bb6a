// Factor rules as users write them: Shardy's form, with sizes inferred from the shapes.
//
//   ([i, k], [k, j])->([i, j]) reduction={k}          a matrix product
//   ([ij])->([i, j]) {j=4}                            a reshape: j is minor in the first
//   ([i, k])->([i]) reduction={k:max}                 partial results combine by max
//
// A factor's name is a letter, or a letter with a number (`z_1`). Kinds are reduction, permutation,
// need_replication and blocked_propagation. `#sdy.op_sharding_rule<…>` around the rule and `,
// custom` behind it are accepted.
#ifndef TESSERA_SHARDING_FACTOR_TEXT_H
#define TESSERA_SHARDING_FACTOR_TEXT_H

#include "sharding/factor.h"

enum { FACTOR_ERROR_BYTES = 256 };

typedef struct RuleDim {
  uint32_t first, n;  // range of FactorRule.places
} RuleDim;

typedef struct RuleFactor {
  char name[12];
  int64_t size;  // 0: inferred from the shapes
  uint8_t kinds, combine;
} RuleFactor;

typedef struct FactorRule {
  uint32_t n_operands, n_results;
  VEC(uint32_t) tensors;  // per tensor: its first dimension; then the end
  VEC(RuleDim) dims;
  VEC(uint32_t) places;  // factors of all dimensions
  VEC(RuleFactor) factors;
} FactorRule;

// The rule is in the arena. False, with the expected text and the column in `error`, if the text is
// no rule. O(text · factors).
bool factor_rule_parse(Str text, Arena *arena, FactorRule *out, char error[FACTOR_ERROR_BYTES]);
// Adds the rule's factors to an empty builder. dims: the sizes of all dimensions, tensor by tensor.
// False, with the conflicting values in `error`, if the rule does not fit them.
bool factor_rule_apply(const FactorRule *rule, FactorBuilder *b, const int64_t *dims,
                       char error[FACTOR_ERROR_BYTES]);

#endif
