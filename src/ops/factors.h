// The interface of `factors` columns: the op, the factor map under construction (sharding/factor.h)
// and the rules that op families share. A tensor is a number: operands first, then results.
#ifndef TESSERA_OPS_FACTORS_H
#define TESSERA_OPS_FACTORS_H

#include "ops/op.h"
#include "sharding/factor.h"

typedef struct FactorOptions {
  // No factor for dimensions whose split needs communication between neighbours (windows, slices,
  // concatenations).
  bool conservative;
  // The partitioner's map, not propagation's: a rule may have factors that Shardy's rule lacks, if
  // more can be split then.
  bool own;
  // The user's rules for custom calls (custom_rules.h), used before the table. It acts as a
  // `factors` column; if it returns false, it must have added nothing. May be NULL.
  bool (*custom_call)(void *user, Str target, FactorContext *cx);
  void *user;
} FactorOptions;

struct FactorContext {
  const Program *program;
  Context *context;
  OpId op;
  FactorOptions options;
  uint32_t n_operands, n_results;
  // Set by a rule that reads more than the op's code, attributes, types and op_combine: ops that
  // define operands or use results, or other properties of regions. Its map cannot be cached.
  bool reads_context;
  FactorBuilder build;
};

// The factors of an op: its `sdy.sharding_rule` attribute if that fits, else the op's rule. With
// options->own the attribute counts on custom calls only, because it lacks the reducers. False: the
// op has no factors (control flow, calls, tokens …). The op must be verified. The map lives in the
// arena. O(dimensions).
bool op_factors(const Program *p, OpId op, const FactorOptions *options, Arena *arena,
                FactorMap *out);
// The same. *out_local, always written: every op with the same code, attributes, types and
// op_combine has the same factors (or none), so that the map may be cached.
bool op_factors_local(const Program *p, OpId op, const FactorOptions *options, Arena *arena,
                      FactorMap *out, bool *out_local);
// The reducer that the op's first region computes on pairs of elements: one of the plain ones,
// COMBINE_ARG or COMBINE_BODY; COMBINE_NONE for ops without regions. O(results).
Combine op_combine(const Program *p, OpId op);
Combine op_region_combine(const Program *p, OpId op, uint32_t region);  // of any region

// False for a custom call whose target is not in the table. It has factors only by a user's rule.
bool op_custom_call_known(const Program *p, OpId op);

// ---- the op ----

const TypeInfo *factors_type(const FactorContext *cx, uint32_t tensor);
static inline uint32_t factors_result(const FactorContext *cx, uint32_t i) {
  return cx->n_operands + i;
}
uint32_t factors_rank(const FactorContext *cx, uint32_t tensor);
// 1 if there is no such dimension; factor_put then records a misfit.
int64_t factors_dim(const FactorContext *cx, uint32_t tensor, uint32_t d);
Attr factors_attr(const FactorContext *cx, const char *name);
Ints factors_ints(FactorContext *cx, const char *name);  // empty if absent
int64_t factors_int(const FactorContext *cx, const char *name, int64_t otherwise);
// Is operand i defined by a constant? Sets reads_context.
bool factors_is_constant(FactorContext *cx, uint32_t operand);

// ---- factors ----

enum { FACTORS_NONE = -1 };  // no dimension

// A factor in one dimension of every tensor that is not of rank 0.
uint32_t factors_on_all(FactorContext *cx, int64_t size, uint8_t kinds, uint32_t dim);
// A factor in one dimension of one tensor.
uint32_t factors_on(FactorContext *cx, int64_t size, uint8_t kinds, uint32_t tensor, uint32_t dim);
static inline void factors_also(FactorContext *cx, uint32_t factor, uint32_t tensor, uint32_t dim) {
  factor_put(&cx->build, factor, tensor, dim);
}
// Sets the factor's kinds for the partitioner; Shardy's kinds (sdy_kinds) stay.
static inline void factors_set_kinds(FactorContext *cx, uint32_t factor, uint8_t kinds) {
  factor_set_kinds(&cx->build, factor, kinds);
}
// Makes the factor a reduction. Partial sums of quantized results cannot be added, since each is
// rounded: such a factor needs replication instead.
void factors_reduce(FactorContext *cx, uint32_t factor, Combine combine);
// Makes every dimension of a tensor need replication: operands that hold sizes or indices.
void factors_replicated(FactorContext *cx, uint32_t tensor);

// ---- rules of families ----

// Elementwise: dimension d of every tensor of rank > 0 is one factor. If shapes differ between
// operands, operand i pairs with result i. False if the shapes fit neither way (custom calls).
bool factors_pointwise(FactorContext *cx);
// The same for the partitioner; Shardy's rule for the op is empty.
bool factors_pointwise_own(FactorContext *cx);
// Elementwise with NumPy broadcasting: dimensions align at the end, sizes of 1 have no factor.
bool factors_broadcast(FactorContext *cx);
// Operand 0 and result 0 have the same rank. Dimensions of equal size pass through; others are one
// factor with operand 0's size and the given kinds.
void factors_resize(FactorContext *cx, uint8_t kinds_if_changed);
// One factor per dimension of each result: ops without operands that matter (iota, rng).
void factors_results_only(FactorContext *cx, uint8_t kinds);

// top_k: the last dimension needs replication, the others pass through.
bool factors_top_k(FactorContext *cx);
// Constants.
bool factors_constant(FactorContext *cx);
// Collectives of the user's program that change the size of dimension a (and b, unless FACTORS_NONE
// or the same): these dimensions need replication, the others pass through.
bool factors_collective(FactorContext *cx, int64_t a, int64_t b);

// The reducer of the op's first region (op_combine).
static inline Combine factors_combine(const FactorContext *cx) {
  return op_combine(cx->program, cx->op);
}

#endif
