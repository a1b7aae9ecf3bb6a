// Problem: every stage needs to know which dimensions of an op's operands and results are split
// together (decision D3).
//
// Idea: each op's `factors` column builds a FactorMap, `dot_general: ([b,i,k],[b,k,j])->[b,i,j]`.
// This file has the entry point, the rules that op families share, and the recognition of reducers.
// Two corrections hold for all ops: a dimension with per-axis quantization needs replication, and a
// dynamic dimension is never split.
//
// Invariant: `kinds` are exact (factors_test.c proves them by evaluation), `sdy_kinds` are
// Shardy's. O(dimensions) per op.
#include "ops/factors.h"

const TypeInfo *factors_type(const FactorContext *cx, uint32_t tensor) {
  Type type = tensor < cx->n_operands
                  ? op_operand_type(cx->program, cx->op, tensor)
                  : op_result_type(cx->program, cx->op, tensor - cx->n_operands);
  return type_info(cx->context, type);
}

uint32_t factors_rank(const FactorContext *cx, uint32_t tensor) {
  const TypeInfo *info = factors_type(cx, tensor);
  return info->kind == TYPE_TENSOR ? info->rank : 0;
}

int64_t factors_dim(const FactorContext *cx, uint32_t tensor, uint32_t d) {
  return d < factors_rank(cx, tensor) ? factors_type(cx, tensor)->dims[d] : 1;
}

Attr factors_attr(const FactorContext *cx, const char *name) {
  return op_attr(cx->program, cx->op, name);
}

Ints factors_ints(FactorContext *cx, const char *name) {
  Attr attr = factors_attr(cx, name);
  return attr ? attr_as_ints(cx->context, attr) : (Ints){.ok = true};
}

int64_t factors_int(const FactorContext *cx, const char *name, int64_t otherwise) {
  return attr_as_int(cx->context, factors_attr(cx, name), otherwise);
}

bool factors_is_constant(FactorContext *cx, uint32_t operand) {
  cx->reads_context = true;
  OpId def = value_def(cx->program, op_operand(cx->program, cx->op, operand));
  if (!def) return false;
  uint16_t code = op_at(cx->program, def)->code;
  return code == OP_constant || code == OP_sdy_constant || code == OP_chlo_constant;
}

// ---- factors ----

uint32_t factors_on_all(FactorContext *cx, int64_t size, uint8_t kinds, uint32_t dim) {
  uint32_t factor = factor_add(&cx->build, size, kinds);
  for (uint32_t t = 0; t < cx->n_operands + cx->n_results; t++)
    if (cx->build.ranks[t] > dim) factor_put(&cx->build, factor, t, dim);
  return factor;
}

uint32_t factors_on(FactorContext *cx, int64_t size, uint8_t kinds, uint32_t tensor, uint32_t dim) {
  uint32_t factor = factor_add(&cx->build, size, kinds);
  factor_put(&cx->build, factor, tensor, dim);
  return factor;
}

void factors_reduce(FactorContext *cx, uint32_t factor, Combine combine) {
  Factor *f = &cx->build.factors.items[factor];
  f->sdy_kinds |= FACTOR_REDUCE;
  for (uint32_t i = 0; i < cx->n_results; i++)
    if (type_is_quant(cx->context, op_result_type(cx->program, cx->op, i))) {
      f->kinds |= FACTOR_REPLICATE;
      return;
    }
  f->kinds |= FACTOR_REDUCE;
  factor_set_combine(&cx->build, factor, combine);
}

void factors_replicated(FactorContext *cx, uint32_t tensor) {
  for (uint32_t d = 0; d < factors_rank(cx, tensor); d++)
    factors_on(cx, factors_dim(cx, tensor, d), FACTOR_REPLICATE | FACTOR_BLOCK, tensor, d);
}

// ---- rules of families ----

// Dynamic sizes equal any size.
static bool same_shape(const FactorContext *cx, uint32_t a, uint32_t b) {
  if (factors_rank(cx, a) != factors_rank(cx, b)) return false;
  for (uint32_t d = 0; d < factors_rank(cx, a); d++) {
    int64_t x = factors_dim(cx, a, d), y = factors_dim(cx, b, d);
    if (x != y && x != DIM_DYNAMIC && y != DIM_DYNAMIC) return false;
  }
  return true;
}

// One loop serves both cases: all tensors of one shape (one_shape), or operand i with result i.
bool factors_pointwise(FactorContext *cx) {
  uint32_t n_tensors = cx->n_operands + cx->n_results;
  uint32_t like = cx->n_results ? factors_result(cx, 0) : 0;
  bool one_shape = n_tensors > 0, pairs = cx->n_operands == cx->n_results;
  for (uint32_t t = 0; t < n_tensors; t++)
    one_shape &= factors_rank(cx, t) == 0 || same_shape(cx, t, like);
  for (uint32_t i = 0; pairs && i < cx->n_operands; i++)
    pairs = same_shape(cx, i, factors_result(cx, i));
  if (!one_shape && !pairs) return false;
  for (uint32_t i = 0; i < (one_shape ? 1 : cx->n_operands); i++)
    for (uint32_t d = 0; d < factors_rank(cx, one_shape ? like : i); d++) {
      uint32_t factor =
          factor_add(&cx->build, factors_dim(cx, one_shape ? like : i, d), FACTOR_PASS);
      for (uint32_t t = 0; t < n_tensors; t++) {
        bool mine = one_shape || t == i || t == factors_result(cx, i);
        if (!mine || factors_rank(cx, t) == 0) continue;
        factors_also(cx, factor, t, d);
        if (factors_dim(cx, t, d) == DIM_DYNAMIC) factor_set_dynamic(&cx->build, factor);
      }
    }
  return true;
}

bool factors_pointwise_own(FactorContext *cx) {
  cx->build.own = true;
  return factors_pointwise(cx);
}

bool factors_broadcast(FactorContext *cx) {
  uint32_t result = factors_result(cx, 0), rank = factors_rank(cx, result);
  Ints dims = factors_ints(cx, "broadcast_dimensions");
  for (uint32_t d = 0; d < rank; d++) {
    int64_t size = factors_dim(cx, result, d);
    uint32_t factor = factors_on(cx, size, FACTOR_PASS, result, d);
    for (uint32_t i = 0; i < cx->n_operands; i++) {
      uint32_t own = factors_rank(cx, i);
      for (uint32_t k = 0; k < own; k++) {
        bool mapped = own < rank && dims.ok && dims.n == own;
        int64_t to = mapped ? dims.v[k] : (int64_t)k + rank - own;
        if (to == d && factors_dim(cx, i, k) == size) factors_also(cx, factor, i, k);
      }
    }
  }
  return true;
}

void factors_resize(FactorContext *cx, uint8_t kinds_if_changed) {
  uint32_t result = factors_result(cx, 0);
  for (uint32_t d = 0; d < factors_rank(cx, 0); d++) {
    int64_t size = factors_dim(cx, 0, d);
    bool same = size == factors_dim(cx, result, d);
    factors_also(cx, factors_on(cx, size, same ? FACTOR_PASS : kinds_if_changed, 0, d), result, d);
  }
}

void factors_results_only(FactorContext *cx, uint8_t kinds) {
  for (uint32_t i = 0; i < cx->n_results; i++)
    for (uint32_t d = 0; d < factors_rank(cx, factors_result(cx, i)); d++)
      factors_on(cx, factors_dim(cx, factors_result(cx, i), d), kinds, factors_result(cx, i), d);
}

// The last dimension is sorted, so it needs replication even if k is its size.
bool factors_top_k(FactorContext *cx) {
  uint32_t result = factors_result(cx, 0), rank = factors_rank(cx, 0);
  for (uint32_t d = 0; d < rank; d++) {
    int64_t size = factors_dim(cx, 0, d);
    bool changed = size != factors_dim(cx, result, d);
    uint8_t kinds = changed ? FACTOR_REPLICATE | FACTOR_BLOCK : FACTOR_PASS;
    uint32_t factor = factor_add(&cx->build, size, kinds);
    factors_also(cx, factor, 0, d);
    for (uint32_t i = 0; i < cx->n_results; i++) factors_also(cx, factor, factors_result(cx, i), d);
    if (d + 1 == rank) factors_set_kinds(cx, factor, kinds | FACTOR_REPLICATE);
  }
  for (uint32_t i = 1; i < cx->n_operands; i++) factors_replicated(cx, i);
  return true;
}

bool factors_constant(FactorContext *cx) {
  bool splat = attr_info(cx->context, factors_attr(cx, "value"))->splat;
  cx->build.own = true;
  // A shard's elements depend on its offset, unless all elements are equal.
  factors_results_only(cx, splat ? FACTOR_PASS : FACTOR_OFFSET);
  return true;
}

// Two factors for one dimension, since operands and results differ in size.
static void resized_dim(FactorContext *cx, uint32_t dim) {
  for (int side = 0; side < 2; side++) {
    uint32_t first = side ? cx->n_operands : 0, n = side ? cx->n_results : cx->n_operands;
    uint32_t factor = factor_add(&cx->build, factors_dim(cx, first, dim), FACTOR_REPLICATE);
    for (uint32_t i = 0; i < n; i++) factors_also(cx, factor, first + i, dim);
  }
}

bool factors_collective(FactorContext *cx, int64_t a, int64_t b) {
  for (uint32_t i = 1; i < cx->n_operands; i++)
    if (!same_shape(cx, 0, i)) return false;
  for (uint32_t d = 0; d < factors_rank(cx, 0); d++)
    if (d != a && d != b) factors_on_all(cx, factors_dim(cx, 0, d), FACTOR_PASS, d);
  resized_dim(cx, (uint32_t)a);
  if (b != a && b != FACTORS_NONE) resized_dim(cx, (uint32_t)b);
  return true;
}

// ---- bodies ----

static const struct {
  uint16_t code;
  Combine combine;
} combining_ops[] = {{OP_add, COMBINE_SUM},     {OP_maximum, COMBINE_MAX},
                     {OP_minimum, COMBINE_MIN}, {OP_multiply, COMBINE_MUL},
                     {OP_and, COMBINE_AND},     {OP_or, COMBINE_OR},
                     {OP_xor, COMBINE_XOR}};

static Combine combine_of_code(uint16_t code) {
  for (size_t i = 0; i < sizeof combining_ops / sizeof combining_ops[0]; i++)
    if (combining_ops[i].code == code) return combining_ops[i].combine;
  return COMBINE_NONE;
}

// Is the value one of a and b, chosen by select, maximum or minimum?
static bool is_choice(const Program *p, ValueId value, ValueId a, ValueId b) {
  OpId def = value_def(p, value);
  if (!def) return false;
  const Op *o = op_at(p, def);
  uint32_t skip = o->code == OP_select ? 1 : 0;
  if (!skip && o->code != OP_maximum && o->code != OP_minimum) return false;
  ValueId x = op_operand(p, def, skip), y = op_operand(p, def, skip + 1);
  return (x == a && y == b) || (x == b && y == a);
}

Combine op_combine(const Program *p, OpId op) {
  return op_at(p, op)->n_regions ? op_region_combine(p, op, 0) : COMBINE_NONE;
}

// Recognizes a body that applies one op to each pair (a_i, b_i), all the same: a plain reducer. A
// body that returns one of a_i and b_i for every i, with n > 1, is an arg-reduction. Everything
// else is COMBINE_BODY.
Combine op_region_combine(const Program *p, OpId op, uint32_t region) {
  BlockId block = region_block(p, op_region(p, op, region));
  if (!block || !block_at(p, block)->last) return COMBINE_BODY;
  // The body of an all_reduce has two arguments for any number of operands.
  uint32_t n_args = block_at(p, block)->n_args, n = n_args == 2 ? 1 : op_at(p, op)->n_results;
  if (n_args != 2 * n) return COMBINE_BODY;
  OpId ret = block_at(p, block)->last;
  if (op_at(p, ret)->n_operands != n) return COMBINE_BODY;
  Combine all = COMBINE_NONE;
  bool choices = n > 1;
  for (uint32_t i = 0; i < n; i++) {
    ValueId value = op_operand(p, ret, i), a = block_arg(p, block, i),
            b = block_arg(p, block, n + i);
    OpId def = value_def(p, value);
    Combine one = COMBINE_NONE;
    if (def && op_at(p, def)->n_operands == 2) {
      ValueId x = op_operand(p, def, 0), y = op_operand(p, def, 1);
      if ((x == a && y == b) || (x == b && y == a)) one = combine_of_code(op_at(p, def)->code);
    }
    choices &= is_choice(p, value, a, b);
    if (i && one != all) one = COMBINE_NONE;
    all = one;
    if (all == COMBINE_NONE && !choices) return COMBINE_BODY;
  }
  return all != COMBINE_NONE ? all : COMBINE_ARG;
}

// ---- the column ----

// A dimension with per-axis quantization needs replication: shards would have different parameters.
static void quantized_axes(FactorContext *cx) {
  for (uint32_t t = 0; t < cx->n_operands + cx->n_results; t++) {
    const TypeInfo *info = factors_type(cx, t);
    if (info->kind != TYPE_TENSOR) continue;
    const QuantInfo *quant = type_quant_info(cx->context, info->elem);
    if (!quant || quant->axis < 0) continue;
    for (uint32_t i = 0; i < cx->build.places.count; i++) {
      const FactorOccurrence *place = &cx->build.places.items[i];
      if (place->tensor != t || place->dim != (uint32_t)quant->axis) continue;
      Factor *factor = &cx->build.factors.items[place->factor];
      factor->kinds |= FACTOR_REPLICATE;
    }
  }
}

// A dynamic dimension is never split, even if its factor has a known size in another tensor.
static void dynamic_dims(FactorContext *cx) {
  for (uint32_t t = 0; t < cx->n_operands + cx->n_results; t++)
    for (uint32_t d = 0; d < factors_rank(cx, t); d++) {
      if (factors_dim(cx, t, d) != DIM_DYNAMIC) continue;
      bool any = false;
      for (uint32_t i = 0; i < cx->build.places.count; i++) {
        const FactorOccurrence *place = &cx->build.places.items[i];
        if (place->tensor != t || place->dim != d) continue;
        factor_set_blocked(&cx->build, place->factor);
        any = true;
      }
      if (!any) factors_on(cx, DIM_DYNAMIC, FACTOR_PASS, t, d);
    }
}

bool op_factors_local(const Program *p, OpId op, const FactorOptions *options, Arena *arena,
                      FactorMap *out, bool *out_local) {
  *out_local = true;
  const Op *o = op_at(p, op);
  const OpRow *row = op_row(o->code);
  FactorContext cx = {.program = p,
                      .context = p->context,
                      .op = op,
                      .n_operands = o->n_operands,
                      .n_results = o->n_results};
  if (options) cx.options = *options;
  uint32_t n_tensors = cx.n_operands + cx.n_results;
  uint32_t *ranks = ARENA_ARRAY(arena, uint32_t, n_tensors + 1);
  for (uint32_t t = 0; t < n_tensors; t++) ranks[t] = factors_rank(&cx, t);
  Attr given = op_attr(p, op, "sdy.sharding_rule");
  const char *error;
  // An sdy.sharding_rule lacks reducers and may lack factors that our rules have. So the
  // partitioner uses it for custom calls only, where nothing else is known.
  if (cx.options.own && o->code != OP_custom_call) given = 0;
  if (given && factor_map_from_attr(out, p->context, arena, given, cx.n_operands, cx.n_results,
                                    ranks, &error)) {
    out->custom |= cx.options.own;
    return true;
  }
  factor_builder_init(&cx.build, arena, cx.n_operands, cx.n_results, ranks);
  bool (*rule)(FactorContext *) = row->def ? row->def->factors : NULL;
  if (!rule && (row->traits & TRAIT_ELEMENTWISE)) rule = factors_pointwise;
  bool found = rule && rule(&cx) && !cx.build.misfit;
  *out_local = !cx.reads_context;
  if (!found) return false;
  quantized_axes(&cx);
  dynamic_dims(&cx);
  factor_build(&cx.build, out);
  return true;
}

bool op_factors(const Program *p, OpId op, const FactorOptions *options, Arena *arena,
                FactorMap *out) {
  bool local;
  return op_factors_local(p, op, options, arena, out, &local);
}
