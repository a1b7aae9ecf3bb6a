// For tests: random programs of many ops, each drawn from its op's `sample`, in memory.
//
// Operands are values that are there, brought to the type asked for by conversions, reshapes, pads
// and broadcasts, so that chains are long. Loops, branches and calls stand around parts of it. The
// same seed gives the same program.
//
// Sums come out the same in any order: what goes into an op that adds is a multiple of 2^-fraction
// below 2^magnitude, so that all its sums are exact in the element type; values that are not (what
// exp gives) or may be (parts of) a sum where an op rounds are made small integers first. `loose`
// says that there is an op whose own sums are not exact; nothing else uses its results.
#ifndef TESSERA_TESTS_SUPPORT_SAMPLED_PROGRAM_H
#define TESSERA_TESTS_SUPPORT_SAMPLED_PROGRAM_H

#include <stdio.h>
#include <string.h>

#include "ops/sample.h"

enum {
  SAMPLED_VALUES = 1500,  // in all
  SAMPLED_POOL = 160,
  SAMPLED_ANY = 99,  // fraction and magnitude of values of which nothing is known
};

typedef struct SampledProgram {
  Sample cx;
  uint16_t code;   // of the op being drawn
  uint16_t focus;  // one op of which there are more
  ValueId pool[SAMPLED_POOL];
  uint32_t n_pool, nesting, n_functions;
  uint8_t depth[SAMPLED_VALUES], fraction[SAMPLED_VALUES], magnitude[SAMPLED_VALUES];
  bool partial[SAMPLED_VALUES];  // may be a sum that is not finished
  uint32_t deepest;
  bool may_be_loose, loose;  // ops that divide in the middle of sums; one is there
  BlockId top, body;
  OpId main;
} SampledProgram;

// How an op treats exact numbers.
typedef enum SampledClass {
  SAMPLED_OTHER,      // wants them, gives any
  SAMPLED_LOOSE,      // the same, and its own sums are not exact
  SAMPLED_POINTWISE,  // takes any, gives any
  SAMPLED_MOVE,       // takes any, gives what it gets
  SAMPLED_ORDER,      // wants them (NaN has no place in an order), gives what it gets
  SAMPLED_ADD,        // wants them, gives their sums
  SAMPLED_MULTIPLY,   // wants them, gives sums of products
} SampledClass;

static inline SampledClass sampled_class(uint16_t code) {
  switch (code) {
  case OP_reshape:
  case OP_transpose:
  case OP_slice:
  case OP_reverse:
  case OP_concatenate:
  case OP_broadcast_in_dim:
  case OP_broadcast:
  case OP_gather:
  case OP_torch_index_select:
  case OP_dynamic_slice:
  case OP_dynamic_update_slice:
  case OP_pad:
  case OP_negate:
  case OP_abs:
  case OP_real:
  case OP_imag:
  case OP_optimization_barrier:
  case OP_custom_call: return SAMPLED_MOVE;
  case OP_select:
  case OP_clamp:
  case OP_maximum:
  case OP_minimum:
  case OP_sort:
  case OP_chlo_top_k: return SAMPLED_ORDER;
  case OP_add:
  case OP_subtract:
  case OP_chlo_broadcast_add:
  case OP_chlo_broadcast_subtract:
  case OP_reduce:
  case OP_reduce_window:
  case OP_scatter:
  case OP_select_and_scatter:
  case OP_map:
  case OP_chlo_scan:
  case OP_unary_einsum: return SAMPLED_ADD;
  case OP_multiply:
  case OP_chlo_broadcast_multiply:
  case OP_chlo_square:
  case OP_dot:
  case OP_dot_general:
  case OP_convolution:
  case OP_einsum:
  case OP_chlo_ragged_dot: return SAMPLED_MULTIPLY;
  case OP_batch_norm_training:
  case OP_batch_norm_grad: return SAMPLED_LOOSE;
  default: return op_row(code)->traits & TRAIT_ELEMENTWISE ? SAMPLED_POINTWISE : SAMPLED_OTHER;
  }
}

static inline bool sampled_is_rounding(const SampledProgram *s, Type type) {
  DType dtype = type_dtype(s->cx.context, type);
  return dtype_is_float(dtype) || dtype_is_complex(dtype);
}

// Bits of operands of which what the op does, over 2^7 elements, is exact.
static inline int sampled_budget(const SampledProgram *s, Type type) {
  int bits = dtype_info(type_dtype(s->cx.context, type))->mantissa_bits + 1;
  switch (sampled_class(s->code)) {
  case SAMPLED_MOVE:
  case SAMPLED_ORDER: return bits;
  case SAMPLED_ADD: return bits > 8 ? bits - 8 : 0;
  default: return bits > 8 ? (bits - 7) / 2 : 0;
  }
}

// ---- facts ----

static inline int sampled_log2(int64_t n) {
  int log = 0;
  while (((int64_t)1 << log) < n) log++;
  return log;
}

// What is known of an op's results.
static inline void sampled_note(SampledProgram *s, OpId op) {
  Program *p = s->cx.program;
  const Op *o = op_at(p, op);
  SampledClass class = sampled_class(o->code);
  int depth = 0, fraction = 0, magnitude = 0, most = 0;
  bool partial = class == SAMPLED_ADD || class == SAMPLED_MULTIPLY;
  for (uint32_t i = 0; i < o->n_operands; i++) {
    ValueId v = op_operand(p, op, i);
    int64_t count = 1;
    type_count(p->context, value_type(p, v), &count);
    if (s->depth[v] > depth) depth = s->depth[v];
    if (sampled_log2(count) > most) most = sampled_log2(count);
    if (!sampled_is_rounding(s, value_type(p, v))) continue;
    // Constants that a sample made itself are multiples of 1/4 up to 3.
    OpId def = value_def(p, v);
    bool constant = def && op_at(p, def)->code == OP_constant;
    int f = constant ? 2 : s->fraction[v], m = constant ? 2 : s->magnitude[v];
    fraction = class == SAMPLED_MULTIPLY ? fraction + f : f > fraction ? f : fraction;
    magnitude = class == SAMPLED_MULTIPLY ? magnitude + m : m > magnitude ? m : magnitude;
    partial |= s->partial[v] && class != SAMPLED_POINTWISE;
  }
  bool one_by_one = op_row(o->code)->traits & TRAIT_ELEMENTWISE || o->code == OP_map;
  if (class == SAMPLED_ADD) magnitude += one_by_one ? 1 : most + 1;
  if (class == SAMPLED_MULTIPLY && !one_by_one) magnitude += most;
  if (o->code == OP_chlo_square) fraction *= 2, magnitude *= 2;
  if (o->code == OP_constant) fraction = 2, magnitude = 2;
  bool known = class > SAMPLED_POINTWISE || o->code == OP_constant;
  for (uint32_t i = 0; i < o->n_results; i++) {
    ValueId v = op_result(p, op, i);
    if (v >= SAMPLED_VALUES) continue;
    s->depth[v] = (uint8_t)(depth + (o->n_operands > 0));
    s->fraction[v] = (uint8_t)(known ? fraction : SAMPLED_ANY);
    s->magnitude[v] = (uint8_t)(known ? magnitude : SAMPLED_ANY);
    s->partial[v] = partial;
    if (s->depth[v] > s->deepest) s->deepest = s->depth[v];
  }
}

static inline void sampled_offer(SampledProgram *s, ValueId v) {
  const Context *c = s->cx.context;
  Type type = value_type(s->cx.program, v);
  if (v >= SAMPLED_VALUES || !type_is_tensor(c, type) || !type_is_static(c, type)) return;
  if (type_is_quant(c, type) || type_info(c, type)->encoding || s->n_pool == SAMPLED_POOL) return;
  s->pool[s->n_pool++] = v;
}

// An op of the generator's own, noted.
static inline ValueId sampled_op(SampledProgram *s, uint16_t code, Attr attrs, uint32_t n,
                                 const ValueId *operands, Type type) {
  OpId op = sample_op(&s->cx, code, attrs, n, operands, 1, &type, 0);
  sampled_note(s, op);
  return op_result(s->cx.program, op, 0);
}

static inline ValueId sampled_splat(SampledProgram *s, Type type, int64_t value) {
  Context *c = s->cx.context;
  uint8_t bytes[16] = {0};
  DType dtype = type_dtype(c, type);
  dtype_store(dtype, bytes, 0, dtype_convert(DT_i64, dtype, scalar_i(value)));
  int64_t count = 0;
  type_count(c, type, &count);
  NamedAttr field = {name_of(c, "value"),
                     attr_dense(c, type, bytes, count ? (size_t)dtype_bytes(dtype) : 0)};
  return sampled_op(s, OP_constant, attr_dict(c, 1, &field), 0, NULL, type);
}

// ---- from any value to a type ----

static inline ValueId sampled_convert(SampledProgram *s, ValueId v, DType dtype) {
  Type type = value_type(s->cx.program, v), want = type_with_elem(s->cx.context, type, dtype);
  return want == type ? v : sampled_op(s, OP_convert, 0, 1, &v, want);
}

// Small integers of the same shape.
static inline ValueId sampled_tame(SampledProgram *s, ValueId v, DType dtype) {
  Type want = type_with_elem(s->cx.context, value_type(s->cx.program, v), dtype);
  int budget = sampled_budget(s, want);
  v = sampled_convert(s, v, DT_i32);
  ValueId by = sampled_splat(s, value_type(s->cx.program, v), budget > 1 ? 4 : 2);
  v = sampled_op(s, OP_remainder, 0, 2, (ValueId[]){v, by}, value_type(s->cx.program, v));
  v = sampled_convert(s, v, dtype);
  s->fraction[v] = 0;
  s->magnitude[v] = budget > 1 ? 2 : 0;
  s->partial[v] = false;
  return v;
}

static inline ValueId sampled_element(SampledProgram *s, ValueId v, DType dtype, bool exact) {
  Type type = value_type(s->cx.program, v);
  if (type_dtype(s->cx.context, type) == dtype) {
    if (!sampled_is_rounding(s, type)) return v;
    bool fits = s->fraction[v] + s->magnitude[v] <= sampled_budget(s, type);
    return fits || (!exact && !s->partial[v]) ? v : sampled_tame(s, v, dtype);
  }
  bool to_float = dtype_is_float(dtype) || dtype_is_complex(dtype);
  return to_float || s->partial[v] ? sampled_tame(s, v, dtype) : sampled_convert(s, v, dtype);
}

static inline ValueId sampled_reshape(SampledProgram *s, ValueId v, uint32_t rank,
                                      const int64_t *dims) {
  Context *c = s->cx.context;
  Type type = type_tensor(c, type_elem(c, value_type(s->cx.program, v)), rank, dims, 0);
  if (type == value_type(s->cx.program, v)) return v;
  return sampled_op(s, OP_reshape, 0, 1, &v, type);
}

// A shape of this rank and the same count: the leading dimensions as one, or more of size 1.
static inline ValueId sampled_rank(SampledProgram *s, ValueId v, uint32_t rank) {
  const TypeInfo *info = type_info(s->cx.context, value_type(s->cx.program, v));
  int64_t dims[16], first = 1;
  if (info->rank <= rank) {
    bool front = sample_chance(&s->cx, 50);
    for (uint32_t d = 0; d < rank; d++) {
      uint32_t from = front ? d - (rank - info->rank) : d;
      dims[d] = from < info->rank ? info->dims[from] : 1;
    }
    return sampled_reshape(s, v, rank, dims);
  }
  for (uint32_t d = 0; d + rank < info->rank + 1 && rank; d++) first *= info->dims[d];
  if (!rank) return v;
  dims[0] = first;
  for (uint32_t d = 1; d < rank; d++) dims[d] = info->dims[info->rank - rank + d];
  return sampled_reshape(s, v, rank, dims);
}

// Sizes of 1 are repeated, others padded or cut at the end.
static inline ValueId sampled_sizes(SampledProgram *s, ValueId v, Type like) {
  Context *c = s->cx.context;
  const TypeInfo *has = type_info(c, value_type(s->cx.program, v)), *want = type_info(c, like);
  int64_t all[16], none[16] = {0}, high[16], dims[16];
  bool pads = false, repeats = false;
  for (uint32_t d = 0; d < want->rank; d++) {
    bool one = has->dims[d] == 1 && want->dims[d] > 1 && sample_chance(&s->cx, 80);
    all[d] = d;
    dims[d] = one ? 1 : want->dims[d];
    high[d] = dims[d] - has->dims[d];
    pads |= high[d] != 0;
    repeats |= one;
  }
  if (pads) {
    ValueId fill = sampled_splat(s, type_tensor(c, has->elem, 0, NULL, 0), 1);
    NamedAttr fields[] = {{name_of(c, "edge_padding_low"), attr_i64s(c, want->rank, none)},
                          {name_of(c, "edge_padding_high"), attr_i64s(c, want->rank, high)},
                          {name_of(c, "interior_padding"), attr_i64s(c, want->rank, none)}};
    v = sampled_op(s, OP_pad, attr_dict(c, 3, fields), 2, (ValueId[]){v, fill},
                   type_tensor(c, has->elem, want->rank, dims, 0));
  }
  if (!repeats) return v;
  NamedAttr to = {name_of(c, "broadcast_dimensions"), attr_i64s(c, want->rank, all)};
  return sampled_op(
      s, OP_broadcast_in_dim, attr_dict(c, 1, &to), 1, &v,
      type_tensor(c, type_info(c, value_type(s->cx.program, v))->elem, want->rank, want->dims, 0));
}

// A tensor of rank 0 from any: its first element, or 1 if it has none.
static inline ValueId sampled_scalar(SampledProgram *s, ValueId v) {
  Context *c = s->cx.context;
  Type type = value_type(s->cx.program, v);
  const TypeInfo *info = type_info(c, type);
  if (!info->rank) return v;
  int64_t ones[16];
  for (uint32_t d = 0; d < info->rank; d++) ones[d] = 1;
  v = sampled_sizes(s, v, type_tensor(c, info->elem, info->rank, ones, 0));
  return sampled_reshape(s, v, 0, NULL);
}

// Of a value's shape to another.
static inline ValueId sampled_shape(SampledProgram *s, ValueId v, Type like) {
  const TypeInfo *want = type_info(s->cx.context, like);
  if (!want->rank) return sampled_scalar(s, v);
  v = sampled_rank(s, v, want->rank);
  return sampled_sizes(s, v, like);
}

// ---- the source of samples ----

static inline ValueId sampled_pick(SampledProgram *s) {
  uint32_t near = s->n_pool < 10 || sample_chance(&s->cx, 30) ? s->n_pool : 10;
  return s->pool[s->n_pool - 1 - (uint32_t)sample_int(&s->cx, 0, near - 1)];
}

static inline ValueId sampled_of(SampledProgram *s, Type type, bool exact) {
  ValueId found[SAMPLED_POOL];
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->n_pool; i++)
    if (value_type(s->cx.program, s->pool[i]) == type) found[n++] = s->pool[i];
  ValueId v =
      n && sample_chance(&s->cx, 80) ? found[sample_int(&s->cx, 0, n - 1)] : sampled_pick(s);
  v = sampled_shape(s, v, type);
  return sampled_element(s, v, type_dtype(s->cx.context, type), exact);
}

static inline ValueId sampled_value(Sample *cx, Type type) {
  SampledProgram *s = cx->user;
  const TypeInfo *info = type_info(cx->context, type);
  if (info->kind != TYPE_TENSOR || info->encoding || type_is_quant(cx->context, type) ||
      !type_is_static(cx->context, type) || info->rank > 8)
    return 0;
  SampledClass class = sampled_class(s->code);
  bool exact = class != SAMPLED_POINTWISE && (class != SAMPLED_MOVE || sample_chance(cx, 70));
  bool wide = !sampled_is_rounding(s, type) || sampled_budget(s, type) >= 4;
  if (wide && sample_chance(cx, 10)) return 0;
  return sampled_of(s, type, exact);
}

static inline ValueId sampled_integers(Sample *cx, Type type, int64_t low, int64_t high) {
  SampledProgram *s = cx->user;
  DType dtype = type_dtype(cx->context, type);
  if (low == high || !dtype_is_integer(dtype) || sample_chance(cx, 40)) return 0;
  if (dtype == DT_i1 || dtype_width(dtype) < 8) return 0;
  Type scalar = type_tensor(cx->context, dtype, 0, NULL, 0);
  ValueId v = sampled_of(s, type, false),
          bounds[2] = {sampled_splat(s, scalar, low), sampled_splat(s, scalar, high)};
  return sampled_op(s, OP_clamp, 0, 3, (ValueId[]){bounds[0], v, bounds[1]}, type);
}

static inline DType sampled_dtype(Sample *cx, const char *kinds) {
  static const DType types[] = {DT_f32, DT_f32, DT_f32, DT_i32,  DT_i32, DT_f64, DT_i64,
                                DT_i1,  DT_i8,  DT_ui8, DT_ui32, DT_c64, DT_f16, DT_bf16};
  static const char letters[] = {[KIND_BOOL] = 'b',
                                 [KIND_SINT] = 's',
                                 [KIND_UINT] = 'u',
                                 [KIND_FLOAT] = 'f',
                                 [KIND_COMPLEX] = 'c'};
  SampledProgram *s = cx->user;
  SampledClass class = sampled_class(s->code);
  if ((class == SAMPLED_POINTWISE || class == SAMPLED_MOVE) && sample_chance(cx, 7))
    return (DType)0;
  for (int tries = 0; tries < 40; tries++) {
    DType dtype = types[sample_int(cx, 0, sizeof types / sizeof types[0] - 1)];
    if (tries == 0 && sample_chance(cx, 50))
      dtype = type_dtype(cx->context, value_type(cx->program, sampled_pick(s)));
    if (dtype_width(dtype) < 8 && dtype != DT_i1) continue;
    if (dtype_is_float(dtype) && dtype_info(dtype)->mantissa_bits < 7) continue;
    if (strchr(kinds, letters[dtype_kind(dtype)])) return dtype;
  }
  return (DType)0;
}

static inline bool sampled_dims(Sample *cx, uint32_t most_rank, uint32_t *out_rank, int64_t *dims) {
  static const int64_t sizes[] = {2, 2, 3, 3, 4, 4, 4, 5, 6, 7, 8, 8, 1, 11};
  SampledProgram *s = cx->user;
  const TypeInfo *like = type_info(cx->context, value_type(cx->program, sampled_pick(s)));
  if (like->rank <= most_rank && sample_chance(cx, 60)) {
    for (uint32_t d = 0; d < like->rank; d++) dims[d] = like->dims[d];
    *out_rank = like->rank;
    return true;
  }
  uint32_t rank = sample_chance(cx, 6) ? 0 : (uint32_t)sample_int(cx, 1, most_rank);
  int64_t count = 1;
  for (uint32_t d = 0; d < rank; d++) {
    dims[d] = sample_chance(cx, 3) ? 0 : sizes[sample_int(cx, 0, 13)];
    while (count * dims[d] > 100) dims[d] = (dims[d] + 1) / 2;
    count *= dims[d] ? dims[d] : 1;
  }
  *out_rank = rank;
  return true;
}

static const SampleSource sampled_source = {sampled_value, sampled_integers, sampled_dtype,
                                            sampled_dims};

// ---- ops ----

static inline bool sampled_is_left_out(uint16_t code) {
  const OpRow *row = op_row(code);
  if (!row->def || !row->def->sample || (row->traits & TRAIT_COLLECTIVE)) return true;
  switch (code) {
  case OP_partition_id:
  case OP_replica_id:
  case OP_create_token:
  case OP_after_all:
  case OP_tuple:
  case OP_get_tuple_element: return true;
  default: return false;
  }
}

// One in eight of those that come with sizes from values is drawn.
static inline uint16_t sampled_code(SampledProgram *s) {
  if (s->focus && sample_chance(&s->cx, 30)) return s->focus;
  bool pointwise = sample_chance(&s->cx, 25);
  for (;;) {
    uint16_t code = (uint16_t)sample_int(&s->cx, OP_UNREGISTERED + 1, OP_COUNT - 1);
    if (sampled_is_left_out(code)) continue;
    if (sampled_class(code) == SAMPLED_LOOSE && !s->may_be_loose) continue;
    if (pointwise != ((op_row(code)->traits & TRAIT_ELEMENTWISE) != 0)) continue;
    const char *name = op_row(code)->name;
    bool rare =
        strstr(name, "dynamic_") && code != OP_dynamic_slice && code != OP_dynamic_update_slice;
    if ((rare || code == OP_set_dimension_size) && !sample_chance(&s->cx, 12)) continue;
    return code;
  }
}

static inline void sampled_draw(SampledProgram *s, uint16_t code) {
  Program *p = s->cx.program;
  s->code = code;
  // A constant has no operands to find.
  s->cx.source = code == OP_constant ? NULL : &sampled_source;
  OpId op = op_row(code)->def->sample(&s->cx);
  s->cx.source = &sampled_source;
  sampled_note(s, op);
  // What is not exact goes nowhere: a test of it may fall either way.
  if (sampled_class(code) == SAMPLED_LOOSE) s->loose = true;
  if (sampled_class(code) == SAMPLED_LOOSE) return;
  for (uint32_t i = 0; i < op_at(p, op)->n_results; i++) sampled_offer(s, op_result(p, op, i));
}

// ---- control flow ----

static inline void sampled_ops(SampledProgram *s, uint32_t n);

static inline void sampled_return(SampledProgram *s, uint16_t code, uint32_t n,
                                  const ValueId *values) {
  OpSpec end = {.code = code, .n_operands = n, .operands = values, .pos = POS_NONE};
  op_append(s->cx.program, s->cx.block, op_create(s->cx.program, &end));
}

static inline void sampled_known(SampledProgram *s, ValueId v, int fraction, int magnitude) {
  if (v >= SAMPLED_VALUES) return;
  s->fraction[v] = (uint8_t)fraction;
  s->magnitude[v] = (uint8_t)magnitude;
  s->partial[v] = true;
}

// A round's slice put where the counter says.
static inline ValueId sampled_stacked(SampledProgram *s, ValueId into, ValueId counter) {
  Context *c = s->cx.context;
  Type type = value_type(s->cx.program, into);
  const TypeInfo *info = type_info(c, type);
  int64_t dims[16];
  for (uint32_t d = 0; d < info->rank; d++) dims[d] = info->dims[d];
  if (dims[0] > 1) dims[0] = 1;
  Type slice = type_tensor(c, info->elem, info->rank, dims, 0);
  ValueId operands[18] = {into, sampled_of(s, slice, true)};
  uint32_t rank = type_info(c, type)->rank;
  for (uint32_t d = 0; d < rank; d++)
    operands[2 + d] = d ? sampled_splat(s, value_type(s->cx.program, counter), 0) : counter;
  return sampled_op(s, OP_dynamic_update_slice, 0, 2 + rank, operands, type);
}

// Loops of 0 to 3 rounds around some ops. What they carry is added to, or is whatever comes of it.
static inline void sampled_while(SampledProgram *s) {
  Program *p = s->cx.program;
  Context *c = s->cx.context;
  Type counter = type_tensor(c, DT_i32, 0, NULL, 0), types[3] = {counter};
  ValueId operands[3] = {sampled_splat(s, counter, 0)};
  uint32_t n = 2 + (sample_chance(&s->cx, 60) ? 1 : 0), mark = s->n_pool;
  bool adds = sample_chance(&s->cx, 50);
  s->code = OP_multiply;  // small enough for some more
  for (uint32_t i = 1; i < n; i++) {
    ValueId v = sampled_pick(s);
    types[i] = value_type(p, v);
    operands[i] = sampled_of(s, types[i], adds && i == 1);
  }
  OpId op = sample_op(&s->cx, OP_while, 0, n, operands, n, types, 2);
  BlockId outside = s->cx.block;
  for (uint32_t r = 0; r < 2; r++) {
    BlockId block = region_add_block(p, op_region(p, op, r));
    for (uint32_t i = 0; i < n; i++) block_add_arg(p, block, types[i], 0);
    s->cx.block = block;
    ValueId args[3], results[3];
    for (uint32_t i = 0; i < n; i++) {
      args[i] = block_arg(p, block, i);
      sampled_known(s, args[i], SAMPLED_ANY, SAMPLED_ANY);
      s->depth[args[i]] = i ? s->depth[operands[i]] : 0;
    }
    ValueId by = sampled_splat(s, counter, r ? 1 : sample_int(&s->cx, 0, 3));
    if (r == 0) {
      NamedAttr less = {name_of(c, "comparison_direction"),
                        attr_enum(c, "stablehlo.comparison_direction", "LT")};
      results[0] = sampled_op(s, OP_compare, attr_dict(c, 1, &less), 2, (ValueId[]){args[0], by},
                              type_tensor(c, DT_i1, 0, NULL, 0));
      sampled_return(s, OP_return, 1, results);
      continue;
    }
    results[0] = sampled_op(s, OP_add, 0, 2, (ValueId[]){args[0], by}, counter);
    for (uint32_t i = adds ? 2 : 1; i < n; i++) sampled_offer(s, args[i]);
    sampled_offer(s, args[0]);
    sampled_ops(s, (uint32_t)sample_int(&s->cx, 1, 3));
    for (uint32_t i = 1; i < n; i++) {
      bool sum = adds && i == 1 && type_dtype(c, types[i]) != DT_i1;
      s->code = OP_multiply;
      if (!sum && type_info(c, types[i])->rank && sample_chance(&s->cx, 40)) {
        results[i] = sampled_stacked(s, args[i], args[0]);
        continue;
      }
      results[i] = sampled_of(s, types[i], sum);
      if (sum) results[i] = sampled_op(s, OP_add, 0, 2, (ValueId[]){args[i], results[i]}, types[i]);
    }
    sampled_return(s, OP_return, n, results);
  }
  s->cx.block = outside;
  s->n_pool = mark;
  sample_infer(&s->cx, op);
  for (uint32_t i = 0; i < n; i++) {
    ValueId v = op_result(p, op, i);
    bool sum = adds && i == 1;
    int bits = sampled_budget(s, types[i]);
    sampled_known(s, v, sum ? bits : SAMPLED_ANY, sum ? bits + 2 : SAMPLED_ANY);
    if (v < SAMPLED_VALUES) s->depth[v] = s->depth[operands[i]];
    sampled_offer(s, v);
  }
}

static inline void sampled_branch(SampledProgram *s) {
  Program *p = s->cx.program;
  Context *c = s->cx.context;
  bool two = sample_chance(&s->cx, 50);
  Type type = value_type(p, sampled_pick(s));
  ValueId choice = sampled_of(s, type_tensor(c, two ? DT_i1 : DT_i32, 0, NULL, 0), false);
  uint32_t n = two ? 2 : (uint32_t)sample_int(&s->cx, 1, 3), mark = s->n_pool, depth = 0;
  if (!two) {  // of one of the first four, mostly
    ValueId by = sampled_splat(s, value_type(p, choice), 3);
    choice = sampled_op(s, OP_and, 0, 2, (ValueId[]){choice, by}, value_type(p, choice));
  }
  OpId op = sample_op(&s->cx, two ? OP_if : OP_case, 0, 1, &choice, 1, &type, n);
  BlockId outside = s->cx.block;
  for (uint32_t r = 0; r < n; r++) {
    s->cx.block = region_add_block(p, op_region(p, op, r));
    sampled_ops(s, (uint32_t)sample_int(&s->cx, 1, 2));
    ValueId v = sampled_of(s, type, false);
    if (v < SAMPLED_VALUES && s->depth[v] > depth) depth = s->depth[v];
    sampled_return(s, OP_return, 1, &v);
    s->n_pool = mark;
  }
  s->cx.block = outside;
  sample_infer(&s->cx, op);
  ValueId v = op_result(p, op, 0);
  sampled_known(s, v, SAMPLED_ANY, SAMPLED_ANY);
  if (v < SAMPLED_VALUES) s->depth[v] = (uint8_t)(depth + 1);
  sampled_offer(s, v);
}

static inline void sampled_ops(SampledProgram *s, uint32_t n) {
  s->nesting++;
  for (uint32_t i = 0; i < n && s->cx.program->values.count < SAMPLED_VALUES - 500; i++) {
    int64_t roll = sample_int(&s->cx, 0, 99);
    if (s->nesting < 3 && roll < 6)
      sampled_while(s);
    else if (s->nesting < 3 && roll < 9)
      sampled_branch(s);
    else
      sampled_draw(s, sampled_code(s));
  }
  s->nesting--;
}

// ---- functions ----

static inline OpSpec sampled_function(SampledProgram *s, const char *name, bool main) {
  Context *c = s->cx.context;
  NamedAttr fields[2] = {{name_of(c, "sym_name"), attr_string(c, name_of(c, name))},
                         {name_of(c, "sym_visibility"), attr_string(c, name_of(c, "private"))}};
  return (OpSpec){.code = OP_func_func,
                  .n_regions = 1,
                  .attrs = attr_dict(c, main ? 1 : 2, fields),
                  .pos = POS_NONE};
}

static inline void sampled_set_type(SampledProgram *s, OpId function) {
  Program *p = s->cx.program;
  BlockId body = region_block(p, op_region(p, function, 0));
  OpId end = block_at(p, body)->last;
  uint32_t n_args = block_at(p, body)->n_args, n = op_at(p, end)->n_operands;
  Type *types = ARENA_ARRAY(s->cx.arena, Type, n_args + n + 1);
  for (uint32_t i = 0; i < n_args; i++) types[i] = value_type(p, block_arg(p, body, i));
  for (uint32_t i = 0; i < n; i++) types[n_args + i] = op_operand_type(p, end, i);
  op_set_attr(p, function, "function_type",
              attr_type(p->context, type_function(p->context, n_args, types, n, types + n_args)));
}

// Some ops of main become a function of their own; it may be called once more.
static inline void sampled_call(SampledProgram *s) {
  Program *p = s->cx.program;
  Context *c = s->cx.context;
  uint32_t n = 0, from, count = (uint32_t)sample_int(&s->cx, 2, 8);
  for (OpId o = block_at(p, s->body)->first; o; o = op_at(p, o)->next) n++;
  if (n < count + 2) return;
  from = (uint32_t)sample_int(&s->cx, 0, n - 1 - count);
  OpId first = block_at(p, s->body)->first, end = block_at(p, s->body)->last;
  for (uint32_t i = 0; i < from; i++) first = op_at(p, first)->next;
  OpId last = first;
  for (uint32_t i = 1; i < count; i++) last = op_at(p, last)->next;
  for (OpId o = first;; o = op_at(p, o)->next) {
    for (uint32_t i = 0; i < op_at(p, o)->n_results; i++)
      if (!type_is_tensor(c, op_result_type(p, o, i))) return;
    if (o == last) break;
  }
  char name[16];
  snprintf(name, sizeof name, "f%u", s->n_functions++);
  OpSpec function = sampled_function(s, name, false);
  OpSpec back = {.code = OP_func_return, .pos = POS_NONE};
  NamedAttr callee = {name_of(c, "callee"), attr_symbol(c, name_of(c, name))};
  OpSpec call = {.code = OP_func_call, .attrs = attr_dict(c, 1, &callee), .pos = POS_NONE};
  OpId made = program_outline(p, first, last, s->top, &function, &back, &call);
  sampled_set_type(s, block_at(p, s->top)->last);
  if (!op_at(p, made)->n_results || sample_chance(&s->cx, 60)) return;
  uint32_t n_operands = op_at(p, made)->n_operands, n_results = op_at(p, made)->n_results;
  ValueId *operands = ARENA_ARRAY(s->cx.arena, ValueId, n_operands + 1);
  Type *types = ARENA_ARRAY(s->cx.arena, Type, n_results + 1);
  for (uint32_t i = 0; i < n_operands; i++) {
    operands[i] = op_operand(p, made, i);
    for (uint32_t k = 0; k < n_operands; k++)
      if (op_operand_type(p, made, k) == op_operand_type(p, made, i) && sample_chance(&s->cx, 50))
        operands[i] = op_operand(p, made, k);
  }
  for (uint32_t i = 0; i < n_results; i++) types[i] = op_result_type(p, made, i);
  OpSpec twice = {.code = OP_func_call,
                  .n_operands = n_operands,
                  .operands = operands,
                  .n_results = n_results,
                  .result_types = types,
                  .attrs = call.attrs,
                  .pos = POS_NONE};
  OpId again = op_create(p, &twice);
  op_insert_before(p, again, end);
  uint32_t n_returned = op_at(p, end)->n_operands;
  ValueId *returned = ARENA_ARRAY(s->cx.arena, ValueId, n_returned + n_results + 1);
  for (uint32_t i = 0; i < n_returned; i++) returned[i] = op_operand(p, end, i);
  for (uint32_t i = 0; i < n_results; i++) returned[n_returned + i] = op_result(p, again, i);
  op_erase(p, end);
  s->cx.block = s->body;
  sampled_return(s, OP_func_return, n_returned + n_results, returned);
}

// Everything that nothing uses is returned.
static inline void sampled_finish(SampledProgram *s) {
  Program *p = s->cx.program;
  uint32_t n = 0;
  ValueId *values = ARENA_ARRAY(s->cx.arena, ValueId, p->values.count + 1);
  for (OpId o = block_at(p, s->body)->first; o; o = op_at(p, o)->next)
    for (uint32_t i = 0; i < op_at(p, o)->n_results; i++)
      if (!value_has_uses(p, op_result(p, o, i)) && op_at(p, o)->code != OP_constant)
        values[n++] = op_result(p, o, i);
  sampled_return(s, OP_func_return, n, values);
  for (int64_t calls = sample_int(&s->cx, 0, 3) - 1; calls > 0; calls--) sampled_call(s);
  sampled_set_type(s, s->main);
}

// module { func.func @main(…) { … } … } of at least `depth` ops one after the other. The caller
// frees the program, also after a throw: *out is set first. s is zeroed here.
static inline void sampled_program(SampledProgram *s, Context *context, Guard *guard, Arena *arena,
                                   uint64_t seed, uint32_t depth, Program **out) {
  static const Source nothing = {.path = "<sampled>", .text = "", .size = 0};
  memset(s, 0, sizeof *s);
  Program *p = *out = program_new(context, guard, &nothing);
  OpSpec module = {.code = OP_module, .n_regions = 1, .pos = POS_NONE};
  s->top = region_add_block(p, op_region(p, op_create(p, &module), 0));
  s->cx = (Sample){.program = p, .context = context, .arena = arena, .state = seed, .user = s};
  OpSpec function = sampled_function(s, "main", true);
  s->main = op_create(p, &function);
  op_append(p, s->top, s->main);
  s->body = s->cx.block = region_add_block(p, op_region(p, s->main, 0));
  s->may_be_loose = sample_chance(&s->cx, 8);
  uint32_t n_args = (uint32_t)sample_int(&s->cx, 2, 4);
  s->code = OP_reshape;
  for (uint32_t i = 0; i < n_args; i++) {
    static const DType types[] = {DT_f32, DT_i32, DT_f32, DT_i8, DT_f64, DT_c64};
    int64_t dims[3];
    uint32_t rank = sample_shape(&s->cx, 3, dims);
    Type elem = type_scalar(types[i ? sample_int(&s->cx, 0, 5) : sample_int(&s->cx, 0, 1)]);
    ValueId v = block_add_arg(p, s->body, type_tensor(context, elem, rank, dims, 0), 0);
    s->fraction[v] = s->magnitude[v] = 1;
  }
  for (uint32_t i = 0; i < n_args; i++) sampled_offer(s, block_arg(p, s->body, i));
  s->cx.source = &sampled_source;
  // Those that say themselves how they are split more often than others.
  do s->focus = (uint16_t)sample_int(&s->cx, OP_UNREGISTERED + 1, OP_COUNT - 1);
  while (sampled_is_left_out(s->focus) || sampled_class(s->focus) == SAMPLED_LOOSE ||
         (!op_row(s->focus)->def->splits && sample_chance(&s->cx, 70)));
  if (s->may_be_loose)
    s->focus = sample_chance(&s->cx, 50) ? OP_batch_norm_training : OP_batch_norm_grad;
  sampled_draw(s, s->focus);
  sampled_ops(s, 5);
  while (s->deepest < depth && p->values.count < SAMPLED_VALUES - 500) sampled_ops(s, 1);
  sampled_finish(s);
}

#endif
