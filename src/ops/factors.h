// What `factors` columns use: the op at hand, the map under construction (sharding/factor.h), and
// the rules that families share. A tensor is named by its number: operands first, then results.
#ifndef TESSERA_OPS_FACTORS_H
#define TESSERA_OPS_FACTORS_H

#include "ops/op.h"
#include "sharding/factor.h"

typedef struct FactorOptions {
  // No factor for what is split only with communication between neighbours (windows, slices,
  // concatenations).
  bool conservative;
  // For splitting ops, not for the projection: a rule may put factors where Shardy puts none or
  // others, if more can then be split.
  bool own;
  // Rules for custom calls from outside (custom_rules.h), asked before the table: as a `factors`
  // column; where it gives false it must have added nothing. May be NULL.
  bool (*custom_call)(void *user, Str target, FactorContext *cx);
  void *user;
} FactorOptions;

struct FactorContext {
  const Program *program;
  Context *context;
  OpId op;
  FactorOptions options;
  uint32_t n_operands, n_results;
  // Set by whatever looks beyond the op's code, attributes, types and op_combine: at ops that
  // define operands or use results, or into regions for more than how they combine.
  bool looked_around;
  FactorBuilder build;
};

// The factors of an op: the `sdy.sharding_rule` in the text if it has one that fits (with
// options->own only of custom calls: a rule does not say how parts combine), else the op's rule.
// False: it has none (constants of control flow, calls, tokens …). The op must be verified. The map
// lives in the arena. O(dimensions).
bool op_factors(const Program *p, OpId op, const FactorOptions *options, Arena *arena,
                FactorMap *out);
// The same. *out_local is always written: whether the answer, also that there is none, is that of
// every op with the same code, attributes, types of operands and results, and op_combine.
bool op_factors_local(const Program *p, OpId op, const FactorOptions *options, Arena *arena,
                      FactorMap *out, bool *out_local);
// How the first region of an op combines pairs of its results' elements (factors_combine);
// COMBINE_NONE for ops without regions. O(results).
Combine op_combine(const Program *p, OpId op);
Combine op_region_combine(const Program *p, OpId op, uint32_t region);  // of any region

// False for a custom call whose target is not in the table: it has factors only if the user gives a
// rule.
bool op_custom_call_known(const Program *p, OpId op);

// ---- the op ----

const TypeInfo *factors_type(const FactorContext *cx, uint32_t tensor);
static inline uint32_t factors_result(const FactorContext *cx, uint32_t i) {
  return cx->n_operands + i;
}
uint32_t factors_rank(const FactorContext *cx, uint32_t tensor);
// 1 if there is no such dimension; factor_put notes it.
int64_t factors_dim(const FactorContext *cx, uint32_t tensor, uint32_t d);
Attr factors_attr(const FactorContext *cx, const char *name);
Ints factors_ints(FactorContext *cx, const char *name);  // empty if absent
int64_t factors_int(const FactorContext *cx, const char *name, int64_t otherwise);
// The value of operand i comes from a constant. Looks around.
bool factors_is_constant(FactorContext *cx, uint32_t operand);

// ---- factors ----

enum { FACTORS_NONE = -1 };  // a dimension that a tensor does not have

// A factor in one dimension of every tensor that is not of rank 0.
uint32_t factors_on_all(FactorContext *cx, int64_t size, uint8_t kinds, uint32_t dim);
// A factor in one dimension of one tensor.
uint32_t factors_on(FactorContext *cx, int64_t size, uint8_t kinds, uint32_t tensor, uint32_t dim);
static inline void factors_also(FactorContext *cx, uint32_t factor, uint32_t tensor, uint32_t dim) {
  factor_put(&cx->build, factor, tensor, dim);
}
// Says that the factor really takes these kinds, whatever Shardy thinks.
static inline void factors_really(FactorContext *cx, uint32_t factor, uint8_t kinds) {
  factor_set_kinds(&cx->build, factor, kinds);
}
// Makes the factor reduce. Partial sums of quantized results cannot be added (each is rounded):
// those need replication in truth.
void factors_reduce(FactorContext *cx, uint32_t factor, Combine combine);
// All dimensions of an operand that says sizes or places (a 1-D tensor of integers): needed whole.
void factors_whole(FactorContext *cx, uint32_t tensor);

// ---- rules of families ----

// Dimension d of every tensor that is not of rank 0 is one factor. Several operands of different
// shapes go each with its own result. False if the shapes fit neither way (custom calls).
bool factors_pointwise(FactorContext *cx);
// The same, and the projection is empty.
bool factors_pointwise_own(FactorContext *cx);
// As of pointwise, with the operands' dimensions aligned at the end and sizes of 1 broadcast.
bool factors_broadcast(FactorContext *cx);
// Operand 0 and result 0 have the same rank: equal dimensions pass through, others are one factor
// of operand 0's size.
void factors_resize(FactorContext *cx, uint8_t kinds_if_changed);
// Every dimension of every result is its own: ops that make values from nothing.
void factors_results_only(FactorContext *cx, uint8_t kinds);

// The elements of the first of sorted entries along the last dimension, which is needed whole.
bool factors_top_k(FactorContext *cx);
// Of constants.
bool factors_constant(FactorContext *cx);
// Collectives that change the size of dimension a (and b, unless FACTORS_NONE or the same): those
// are whole on each process, others pass through.
bool factors_exchanged(FactorContext *cx, int64_t a, int64_t b);

// How the body of a reduction (its first region) combines two values per result: the one op it
// applies to each pair, or COMBINE_ARG, or COMBINE_BODY.
static inline Combine factors_combine(const FactorContext *cx) {
  return op_combine(cx->program, cx->op);
}

#endif
