// stablehlo.reduce_window: reduces the elements under a sliding window. Every result starts with
// the init value and folds the taps of its window in row-major order; a tap in padding or a hole of
// dilation reads the init value, as in the spec's `pad`. O(results * taps) applications of the
// body, O(1) extra memory. Long windows along one dimension only, as in cumulative sums, are folded
// line by line (sliding.h): O(elements * log taps), and memory for a line.
#include "ops/eval.h"
#include "ops/factors.h"
#include "ops/infer.h"
#include "ops/reduce_window_local.h"
#include "ops/reduction.h"
#include "ops/sample.h"
#include "ops/sliding.h"
#include "ops/windows.h"
#include "ops/work.h"

enum { SHORT_LINE = 1 << 16 };

static bool infer(Infer *cx) {
  if (!infer_ranked(cx) || !infer_per_tensor(cx)) return false;
  uint32_t operands = infer_n_operands(cx), n = operands / 2;
  REQUIRE(cx, 1, operands % 2 == 0 && n > 0,
          "there are %u operands, expected an even number: the inputs and one init value for each",
          operands);
  REQUIRE(cx, 1, infer_n_results(cx) == n, "there are %u results, expected %u, one per input",
          infer_n_results(cx), n);
  const TypeInfo *first = infer_operand_info(cx, 0);
  Type *elems = ARENA_ARRAY(context_arena(cx->context), Type, n);
  for (uint32_t i = 0; i < n; i++) {
    const TypeInfo *input = infer_operand_info(cx, i), *init = infer_operand_info(cx, n + i);
    REQUIRE(cx, 2, infer_shapes_compatible(cx, infer_operand(cx, 0), infer_operand(cx, i)),
            "input %u has shape %s, expected the shape of input 0, %s", i,
            infer_dims_text(cx, input->rank, input->dims),
            infer_dims_text(cx, first->rank, first->dims));
    REQUIRE(cx, 3, input->elem == init->elem,
            "input %u has element type %s and its init value %s, expected equal", i,
            infer_text(cx, input->elem), infer_text(cx, init->elem));
    REQUIRE(cx, 0, init->kind == TYPE_TENSOR && init->rank == 0,
            "init value %u has type %s, expected rank 0", i,
            infer_text(cx, infer_operand(cx, n + i)));
    elems[i] = input->elem;
  }
  uint32_t rank = first->rank;
  if (!windows_check(cx, "window_dimensions", rank, true, 4, 5) ||
      !windows_check(cx, "window_strides", rank, false, 6, 7) ||
      !windows_check(cx, "base_dilations", rank, false, 8, 9) ||
      !windows_check(cx, "window_dilations", rank, false, 10, 11) ||
      !windows_check_padding(cx, rank, 12) || !reduction_check_body(cx, 0, n, elems, 13, elems))
    return false;
  WindowDim windows[MAX_RANK];
  int64_t dims[MAX_RANK];
  windows_read(cx->context, op_at(cx->program, cx->op)->attrs, rank, windows);
  for (uint32_t d = 0; d < rank; d++) {
    dims[d] = window_count(&windows[d], first->dims[d]);
    REQUIRE(cx, 15, dims[d] != -1, "the padded size of dimension %u exceeds 64 bits", d);
  }
  for (uint32_t i = 0; i < n; i++) {
    Type declared = infer_result(cx, i);
    cx->out[i] = type_tensor(cx->context, elems[i], rank, dims, 0);
    if (!declared) continue;
    const TypeInfo *r = type_info(cx->context, declared);
    REQUIRE(cx, 14, infer_shapes_compatible(cx, infer_result(cx, 0), declared),
            "result %u has shape %s, expected the shape of result 0, %s", i,
            infer_dims_text(cx, r->rank, r->dims),
            infer_dims_text(cx, type_info(cx->context, infer_result(cx, 0))->rank,
                            type_info(cx->context, infer_result(cx, 0))->dims));
    REQUIRE(cx, 15, infer_shapes_compatible(cx, declared, cx->out[i]),
            "result %u has shape %s, expected %s", i, infer_dims_text(cx, r->rank, r->dims),
            infer_dims_text(cx, rank, dims));
    REQUIRE(cx, 16, r->elem == elems[i],
            "result %u has element type %s, expected the type that the body returns, %s", i,
            infer_text(cx, r->elem), infer_text(cx, elems[i]));
  }
  return true;
}

typedef struct Job {
  EvalContext *cx;
  uint32_t n, rank;
  WindowDim windows[MAX_RANK];
  int64_t strides[MAX_RANK];  // of the inputs
  Type *elems;
  Scalar *init, *value;
  Literal **inputs, **out;
  Reducer body;
} Job;

// The inputs at a linear index; the init values for padding (at < 0).
static void read_tap(const Job *j, int64_t at, Scalar *value) {
  for (uint32_t i = 0; i < j->n; i++)
    value[i] = at < 0 ? j->init[i] : literal_get(j->inputs[i], at);
}

// Folds one window after the other.
static Status *eval_each(Job *j) {
  const int64_t *in_dims = j->inputs[0]->dims;
  int64_t taps[MAX_RANK], index[MAX_RANK] = {0};
  for (uint32_t d = 0; d < j->rank; d++) taps[d] = j->windows[d].size;
  Fold fold;
  fold_init(&fold, &j->body, j->elems, j->init);
  for (int64_t k = 0; k < j->out[0]->count; k++) {
    int64_t tap[MAX_RANK] = {0};
    TRY(eval_poll(j->cx));
    do {
      int64_t at = 0;
      for (uint32_t d = 0; d < j->rank && at >= 0; d++) {
        int64_t x = window_tap(&j->windows[d], in_dims[d], index[d], tap[d]);
        at = x < 0 ? -1 : at + x * j->strides[d];
      }
      read_tap(j, at, j->value);
      TRY(fold_add(&fold, j->value));
    } while (shape_next(j->rank, taps, tap));
    TRY(fold_end(&fold, j->value));
    for (uint32_t i = 0; i < j->n; i++) literal_set(j->out[i], k, j->value[i]);
    shape_next(j->rank, j->out[0]->dims, index);
  }
  return NULL;
}

// The only dimension along which windows slide, if folding its lines at once pays; else the rank.
static uint32_t long_dim(const Job *j) {
  uint32_t found = j->rank;
  for (uint32_t d = 0; d < j->rank; d++) {
    if (window_is_plain(&j->windows[d])) continue;
    if (found < j->rank) return j->rank;
    found = d;
  }
  if (found == j->rank) return found;
  const WindowDim *w = &j->windows[found];
  int64_t positions = j->out[0]->dims[found];
  // A line that is mostly padding would take more memory than the op's values.
  bool fits = sliding_length(w->size, w->stride, positions) / 4 <=
              SHORT_LINE + j->inputs[0]->count + j->out[0]->count;
  return fits && w->window_dilation == 1 && sliding_pays(w->size, w->stride, positions) ? found
                                                                                        : j->rank;
}

// Folds all windows of each line along dimension d at once.
static Status *eval_lines(Job *j, uint32_t d) {
  const WindowDim *w = &j->windows[d];
  const Literal *in = j->inputs[0], *out = j->out[0];
  Sliding s = {.reducer = &j->body,
               .elems = j->elems,
               .init = j->init,
               .size = w->size,
               .stride = w->stride,
               .positions = out->dims[d]};
  int64_t length = sliding_length(s.size, s.stride, s.positions), inner = j->strides[d];
  int64_t n_lines = out->count / s.positions;
  sliding_init(&s);
  for (int64_t line = 0; line < n_lines; line++) {
    int64_t from = line / inner * in->dims[d] * inner + line % inner;
    int64_t to = line / inner * s.positions * inner + line % inner;
    for (int64_t p = 0; p < length; p++) {
      WindowDim one = *w;
      one.stride = 1;
      int64_t x = window_tap(&one, in->dims[d], p, 0);
      read_tap(j, x < 0 ? -1 : from + x * inner, s.line + (size_t)p * j->n);
    }
    TRY(eval_poll(j->cx));
    TRY(sliding_fold(&s));
    for (int64_t k = 0; k < s.positions; k++)
      for (uint32_t i = 0; i < j->n; i++)
        literal_set(j->out[i], to + k * inner, s.out[(size_t)k * j->n + i]);
  }
  return NULL;
}

static Status *eval(EvalContext *cx, Literal *const *in, Literal **out) {
  uint32_t n = cx->n_in / 2, rank = in[0]->rank;
  int64_t dims[MAX_RANK];
  Job j = {.cx = cx,
           .n = n,
           .rank = rank,
           .elems = ARENA_ARRAY(cx->scratch, Type, n),
           .init = ARENA_ARRAY(cx->scratch, Scalar, n),
           .value = ARENA_ARRAY(cx->scratch, Scalar, n),
           .inputs = ARENA_ARRAY(cx->scratch, Literal *, n),
           .out = out};
  windows_read(cx->context, cx->attrs, rank, j.windows);
  for (uint32_t d = 0; d < rank; d++) dims[d] = window_count(&j.windows[d], in[0]->dims[d]);
  shape_strides(rank, in[0]->dims, j.strides);
  reduction_elems(cx, 0, n, j.elems);
  for (uint32_t i = 0; i < n; i++) {
    out[i] = literal_new(cx->heap, cx->context, j.elems[i], rank, dims);
    j.inputs[i] = reduction_promote(cx, in[i], j.elems[i]);
    Literal *start = reduction_promote(cx, in[n + i], j.elems[i]);
    j.init[i] = literal_get(start, 0);
    literal_release(start);
  }
  reducer_init(&j.body, cx, op_region(cx->program, cx->op, 0), n);
  uint32_t d = out[0]->count ? long_dim(&j) : rank;
  TRY(d < rank ? eval_lines(&j, d) : eval_each(&j));
  for (uint32_t i = 0; i < n; i++) literal_release(j.inputs[i]);
  return NULL;
}

static OpId sample(Sample *cx) {
  int64_t dims[3], size[3], stride[3], base[3], dilation[3], pad[6];
  uint32_t rank = sample_shape(cx, 3, dims);
  for (uint32_t d = 0; d < rank; d++) {
    size[d] = sample_int(cx, 1, 3);
    stride[d] = sample_int(cx, 1, 2);
    base[d] = sample_int(cx, 1, 2);
    dilation[d] = sample_int(cx, 1, 2);
    pad[2 * d] = sample_int(cx, -1, 2);
    pad[2 * d + 1] = sample_int(cx, -1, 2);
    if (sample_chance(cx, 70)) continue;
    size[d] = stride[d] = base[d] = dilation[d] = 1;  // this dimension has no windows
    pad[2 * d] = pad[2 * d + 1] = 0;
  }
  Context *c = cx->context;
  Type elem = type_scalar(sample_dtype(cx, "suf"));
  ValueId operands[2] = {sample_value(cx, type_tensor(c, elem, rank, dims, 0)),
                         sample_value(cx, type_tensor(c, elem, 0, NULL, 0))};
  NamedAttr fields[] = {
      {name_of(c, "window_dimensions"), attr_i64s(c, rank, size)},
      {name_of(c, "window_strides"), attr_i64s(c, rank, stride)},
      {name_of(c, "base_dilations"), attr_i64s(c, rank, base)},
      {name_of(c, "window_dilations"), attr_i64s(c, rank, dilation)},
      {name_of(c, "padding"), attr_dense(c, type_tensor(c, DT_i64, 2, (int64_t[]){rank, 2}, 0), pad,
                                         sizeof(int64_t) * 2 * rank)},
  };
  OpId op = sample_op(cx, OP_reduce_window, attr_dict(c, 5, fields), 2, operands, 1, NULL, 1);
  sample_binary_body(cx, op, 0, elem, sample_combiner(cx, elem));
  sample_infer(cx, op);
  return op;
}

static bool factors(FactorContext *cx) {
  WindowDim windows[MAX_RANK];
  uint32_t result = factors_result(cx, 0), rank = factors_rank(cx, result);
  windows_read(cx->context, op_at(cx->program, cx->op)->attrs, rank, windows);
  for (uint32_t d = 0; d < rank; d++) {
    bool plain = window_is_plain(&windows[d]);
    uint8_t kinds = plain ? FACTOR_PASS : FACTOR_PERMUTE;
    if (!plain && cx->options.conservative) kinds |= FACTOR_BLOCK;
    factors_on_all(cx, factors_dim(cx, result, d), kinds, d);
  }
  return true;
}

const OpDef op_reduce_window = {
    .work = work_windows,
    .infer = infer,
    .eval = eval,
    .sample = sample,
    .constraints = 16,
    .factors = factors,
    .splits = reduce_window_splits,
    .localize = reduce_window_localize,
};
