// Factors of custom calls, from their shapes. Decompositions require replicated matrices, although
// Shardy propagates shardings through them.
#include "ops/custom_factors.h"

#include <string.h>

bool factors_pointwise_matrix(FactorContext *cx) {
  uint32_t result = factors_result(cx, 0), rank = factors_rank(cx, result);
  for (uint32_t d = 0; d < rank; d++) {
    uint32_t factor = factors_on_all(cx, factors_dim(cx, result, d), FACTOR_PASS, d);
    if (d + 2 >= rank) factors_set_kinds(cx, factor, FACTOR_REPLICATE);
  }
  return true;
}

static bool batched(FactorContext *cx, uint32_t others) {
  uint32_t rank = factors_rank(cx, 0);
  if (rank < others) return false;
  for (uint32_t d = 0; d + others < rank; d++)
    factors_on_all(cx, factors_dim(cx, 0, d), FACTOR_PASS, d);
  for (uint32_t t = 0; t < cx->n_operands + cx->n_results; t++)
    for (uint32_t d = rank - others; d < factors_rank(cx, t); d++)
      factors_on(cx, factors_dim(cx, t, d), FACTOR_REPLICATE, t, d);
  return true;
}

bool factors_batched(FactorContext *cx) { return batched(cx, 2); }
bool factors_batched_vectors(FactorContext *cx) { return batched(cx, 1); }

// The matrix of operand 0 has the shape of result 0; tensor `vector` has one dimension after the
// batch.
static bool decomposed(FactorContext *cx, uint32_t vector) {
  uint32_t rank = factors_rank(cx, 0), result = factors_result(cx, 0);
  if (rank < 2 || factors_rank(cx, result) != rank || factors_rank(cx, vector) != rank - 1)
    return false;
  for (uint32_t d = 0; d + 2 < rank; d++) factors_on_all(cx, factors_dim(cx, 0, d), FACTOR_PASS, d);
  for (uint32_t d = rank - 2; d < rank; d++)
    factors_also(cx, factors_on(cx, factors_dim(cx, 0, d), FACTOR_REPLICATE, 0, d), result, d);
  factors_on(cx, factors_dim(cx, vector, rank - 2), FACTOR_REPLICATE, vector, rank - 2);
  return true;
}

bool factors_qr(FactorContext *cx) {
  return cx->n_operands == 1 && cx->n_results == 2 && decomposed(cx, factors_result(cx, 1));
}
bool factors_householder(FactorContext *cx) {
  return cx->n_operands == 2 && cx->n_results == 1 && decomposed(cx, 1);
}

bool factors_eigh(FactorContext *cx) {
  uint32_t rank = factors_rank(cx, 0), vectors = factors_result(cx, 0),
           values = factors_result(cx, 1);
  if (cx->n_operands != 1 || cx->n_results != 2 || rank < 2) return false;
  for (uint32_t d = 0; d < rank; d++) {
    uint32_t factor = factors_on(cx, factors_dim(cx, 0, d), FACTOR_PASS, 0, d);
    factors_also(cx, factor, vectors, d);
    if (d + 2 < rank) factors_also(cx, factor, values, d);
    if (d + 1 == rank) factors_also(cx, factor, values, d - 1);
    if (d + 2 >= rank) factors_set_kinds(cx, factor, FACTOR_REPLICATE);
  }
  return true;
}

int64_t custom_reduction_dim(const Program *p, OpId op) {
  Context *c = p->context;
  Attr dim = attr_get(c, op_attr(p, op, "mhlo.backend_config"), "reduction_dim");
  if (!dim) dim = attr_get(c, op_attr(p, op, "backend_config"), "reduction_dim");
  return attr_as_int(c, dim, -1);
}

// Operands: values, indices, and an init value for each. The reduced dimension has different
// factors in operands and results; even if its size does not change, it is sorted.
bool factors_approx_top_k(FactorContext *cx) {
  uint32_t n = cx->n_results, result = factors_result(cx, 0);
  int64_t along = custom_reduction_dim(cx->program, cx->op);
  if (cx->n_operands != 2 * n) return false;
  for (uint32_t d = 0; d < factors_rank(cx, 0); d++) {
    int64_t size = factors_dim(cx, 0, d), left = factors_dim(cx, result, d);
    uint32_t factor = factor_add(&cx->build, size, FACTOR_PASS), other = factor;
    if (size != left || along < 0 || along == d) factors_set_kinds(cx, factor, FACTOR_REPLICATE);
    if (size != left) {
      other = factor_add(&cx->build, left, FACTOR_REPLICATE | FACTOR_BLOCK);
    }
    for (uint32_t i = 0; i < n; i++) {
      factors_also(cx, factor, i, d);
      factors_also(cx, other, factors_result(cx, i), d);
    }
  }
  return true;
}

// Two halves of 64-bit integers. One that is a random generator's state requires replication.
bool factors_x64_combine(FactorContext *cx) {
  const Program *p = cx->program;
  uint32_t result = factors_result(cx, 0);
  uint8_t kinds = FACTOR_PASS;
  cx->reads_context = true;
  for (OperandId use = value_at(p, op_result(p, cx->op, 0))->first_use; use;
       use = operand_at(p, use)->next_use)
    if (op_at(p, operand_at(p, use)->user)->code == OP_rng_bit_generator)
      kinds = FACTOR_REPLICATE | FACTOR_BLOCK;
  for (uint32_t d = 0; d < factors_rank(cx, result); d++)
    factors_set_kinds(cx, factors_on_all(cx, factors_dim(cx, result, d), kinds, d),
                      kinds & FACTOR_BLOCK);
  return true;
}

bool custom_config_int(const Program *p, OpId op, const char *key, int64_t *out) {
  Attr config = op_attr(p, op, "backend_config");
  Str text = config ? name_str(p->context, attr_as_name(p->context, config)) : (Str){0};
  size_t n = strlen(key);
  for (size_t i = 0; i + n < text.n; i++) {
    if ((i && text.s[i - 1] != ',') || memcmp(text.s + i, key, n) != 0 || text.s[i + n] != '=')
      continue;
    int64_t value = 0;
    size_t at = i + n + 1, first = at;
    for (; at < text.n && text.s[at] >= '0' && text.s[at] <= '9'; at++)
      if (__builtin_mul_overflow(value, 10, &value) ||
          __builtin_add_overflow(value, text.s[at] - '0', &value))
        return false;
    if (at == first || (at < text.n && text.s[at] != ',')) return false;
    *out = value;
    return true;
  }
  return false;
}

bool factors_neighbours(FactorContext *cx) {
  uint32_t result = factors_result(cx, 0), rank = cx->n_results ? factors_rank(cx, result) : 0;
  int64_t along;
  if (!cx->n_operands || !rank || factors_rank(cx, 0) != rank ||
      !custom_config_int(cx->program, cx->op, "dimension", &along) || along >= rank)
    return false;
  for (uint32_t d = 0; d < rank; d++) {
    int64_t size = factors_dim(cx, result, d);
    bool changed = d == along;
    for (uint32_t t = 0; t < cx->n_operands + cx->n_results; t++)
      changed |= factors_rank(cx, t) > d && factors_dim(cx, t, d) != size;
    uint32_t factor = factors_on_all(cx, size, FACTOR_PASS, d);
    if (changed) factors_set_kinds(cx, factor, FACTOR_PERMUTE);
  }
  return true;
}
