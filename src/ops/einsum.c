// stablehlo.einsum and unary_einsum: sums over the labels that the result lacks. Every label has a
// stride in each operand (the sum of its dimensions' strides: a repeated label walks the diagonal).
// The result's labels are the outer loops, the others the inner ones. `...` means leading
// dimensions without names, aligned at their ends; a size of 1 is broadcast there. Neither op is in
// the spec any more. O(product of all labels' sizes).
#include <stdarg.h>
#include <stdio.h>

#include "ops/dense.h"
#include "ops/eval.h"
#include "ops/factors.h"
#include "ops/infer.h"
#include "ops/quant.h"
#include "ops/sample.h"
#include "tensor/wide.h"
#include "ops/work.h"

enum {
  MAX_LABELS = 2 * MAX_RANK,
  ELLIPSIS_LABEL = 128
};  // labels 128 + i: the i-th unnamed dimension from the end

typedef struct Label {
  uint8_t id;
  int64_t size;
  int64_t stride[2];  // in the operands
} Label;

typedef struct Einsum {
  Label labels[MAX_LABELS];  // those of the result first
  uint32_t n_labels, n_result;
  char error[160];
} Einsum;

static void einsum_fail(Einsum *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void einsum_fail(Einsum *e, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  vsnprintf(e->error, sizeof e->error, fmt, args);
  va_end(args);
}

// The labels of one term, one per dimension of a tensor of that rank; false if they do not fit.
static bool term_labels(Str term, uint32_t rank, uint8_t *out) {
  uint32_t named = 0, n = 0;
  bool ellipsis = false;
  for (size_t i = 0; i < term.n; i++) {
    char ch = term.s[i];
    if (ch == ' ') continue;
    if (ch == '.') {
      if (ellipsis || i + 2 >= term.n || term.s[i + 1] != '.' || term.s[i + 2] != '.') return false;
      ellipsis = true;
      i += 2;
    } else if ((ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z')) {
      named++;
    } else {
      return false;
    }
  }
  if (named > rank || (!ellipsis && named != rank)) return false;
  for (size_t i = 0; i < term.n; i++) {
    if (term.s[i] == ' ') continue;
    if (term.s[i] == '.') {
      for (uint32_t k = rank - named; k-- > 0;) out[n++] = (uint8_t)(ELLIPSIS_LABEL + k);
      i += 2;
    } else {
      out[n++] = (uint8_t)term.s[i];
    }
  }
  return true;
}

static Label *label_of(Einsum *e, uint8_t id) {
  for (uint32_t i = 0; i < e->n_labels; i++)
    if (e->labels[i].id == id) return &e->labels[i];
  return NULL;
}

// Adds an operand's dimensions to the labels.
static bool add_operand(Einsum *e, uint32_t which, Str term, uint32_t rank, const int64_t *dims) {
  uint8_t ids[MAX_RANK];
  if (!term_labels(term, rank, ids)) {
    einsum_fail(e, "\"%.*s\" must be letters, one per dimension of operand %u of rank %u",
                (int)term.n, term.s, which, rank);
    return false;
  }
  int64_t stride = 1;
  for (uint32_t d = rank; d-- > 0;) {
    Label *label = label_of(e, ids[d]);
    if (!label) {
      label = &e->labels[e->n_labels++];
      *label = (Label){.id = ids[d], .size = dims[d]};
    }
    bool broadcast = ids[d] >= ELLIPSIS_LABEL && dims[d] == 1;
    if (label->size != dims[d] && label->size != DIM_DYNAMIC && dims[d] != DIM_DYNAMIC &&
        !broadcast) {
      if (ids[d] < ELLIPSIS_LABEL || label->size != 1) {
        einsum_fail(e, "label '%c' has sizes %lld and %lld, expected equal",
                    ids[d] < ELLIPSIS_LABEL ? ids[d] : '.', (long long)label->size,
                    (long long)dims[d]);
        return false;
      }
      label->size = dims[d];
    }
    if (label->size == DIM_DYNAMIC) label->size = dims[d];
    if (!broadcast) label->stride[which] += stride;
    if (stride != DIM_DYNAMIC) stride = dims[d] == DIM_DYNAMIC ? DIM_DYNAMIC : stride * dims[d];
    if (stride == DIM_DYNAMIC) stride = 0;  // infer uses only the shape
  }
  return true;
}

// Reads the equation; false with e->error set if it does not fit the operands.
static bool einsum_read(Einsum *e, Str config, uint32_t n, const TypeInfo *const *operands) {
  *e = (Einsum){0};
  size_t arrow = config.n;
  for (size_t i = 0; i + 1 < config.n; i++)
    if (config.s[i] == '-' && config.s[i + 1] == '>') arrow = i;
  if (arrow == config.n) {
    einsum_fail(e, "it has no '->', expected labels of operands -> labels of the result");
    return false;
  }
  Str rest = {config.s, arrow};
  for (uint32_t k = 0; k < n; k++) {
    size_t comma = 0;
    while (comma < rest.n && rest.s[comma] != ',') comma++;
    if ((comma == rest.n) != (k + 1 == n)) {
      einsum_fail(e, "it must have labels of %u operand%s, separated by commas", n,
                  n == 1 ? "" : "s");
      return false;
    }
    if (!add_operand(e, k, (Str){rest.s, comma}, operands[k]->rank, operands[k]->dims))
      return false;
    if (comma < rest.n) rest = (Str){rest.s + comma + 1, rest.n - comma - 1};
  }
  // The result's `...` has as many dimensions as the longest `...` of an operand.
  uint32_t unnamed = 0;
  for (uint32_t i = 0; i < e->n_labels; i++)
    if (e->labels[i].id >= ELLIPSIS_LABEL && e->labels[i].id - ELLIPSIS_LABEL + 1u > unnamed)
      unnamed = e->labels[i].id - ELLIPSIS_LABEL + 1u;
  Str term = {config.s + arrow + 2, config.n - arrow - 2};
  uint32_t named = 0;
  bool ellipsis = false;
  for (size_t i = 0; i < term.n; i++) {
    if (term.s[i] == '.')
      ellipsis = true;
    else if (term.s[i] != ' ')
      named++;
  }
  uint32_t rank = named + (ellipsis ? unnamed : 0);
  uint8_t ids[MAX_LABELS];
  if (rank > MAX_RANK || !term_labels(term, rank, ids)) {
    einsum_fail(e, "the labels of the result must be at most %d letters, with at most one '...'",
                MAX_RANK);
    return false;
  }
  // Reorder: labels of the result first, in its order; then those that are summed over.
  Label sorted[MAX_LABELS];
  for (uint32_t i = 0; i < rank; i++) {
    Label *label = label_of(e, ids[i]);
    if (!label) {
      einsum_fail(e, "label '%c' of the result is in no operand or twice in the result",
                  ids[i] < ELLIPSIS_LABEL ? ids[i] : '.');
      return false;
    }
    sorted[i] = *label;
    label->id = 0;
  }
  e->n_result = rank;
  for (uint32_t i = 0; i < e->n_labels; i++)
    if (e->labels[i].id) sorted[rank++] = e->labels[i];
  for (uint32_t i = 0; i < rank; i++) e->labels[i] = sorted[i];
  return true;
}

static bool infer(Infer *cx) {
  if (!infer_ranked(cx)) return false;
  uint32_t n = infer_n_operands(cx);
  const TypeInfo *operands[2] = {infer_operand_info(cx, 0),
                                 n > 1 ? infer_operand_info(cx, 1) : NULL};
  if (n > 1)
    REQUIRE(cx, 0, operands[0]->elem == operands[1]->elem,
            "lhs has element type %s and rhs %s, expected equal", infer_text(cx, operands[0]->elem),
            infer_text(cx, operands[1]->elem));
  Str config = name_str(cx->context, attr_as_name(cx->context, infer_attr(cx, "einsum_config")));
  Einsum e;
  REQUIRE(cx, 0, einsum_read(&e, config, n, operands), "einsum_config \"%.*s\": %s", (int)config.n,
          config.s, e.error);
  int64_t dims[MAX_RANK];
  for (uint32_t i = 0; i < e.n_result; i++) dims[i] = e.labels[i].size;
  Type declared = infer_result(cx, 0);
  cx->out[0] =
      type_tensor(cx->context, declared ? type_elem(cx->context, declared) : operands[0]->elem,
                  e.n_result, dims, 0);
  return true;
}

// The sum over the labels from `label` on of the products of the elements at these offsets.
static Wide sum_products(const Einsum *e, uint32_t label, const Wide *a, const Wide *b) {
  if (label == e->n_labels) return b ? wide_mul(*a, *b) : *a;
  const Label *l = &e->labels[label];
  Wide sum = {0, 0};
  for (int64_t i = 0; i < l->size; i++, a += l->stride[0]) {
    sum = wide_add(sum, sum_products(e, label + 1, a, b));
    if (b) b += l->stride[1];
  }
  return sum;
}

// The same for integers, which wrap.
static uint64_t sum_integers(const Einsum *e, uint32_t label, const uint64_t *a,
                             const uint64_t *b) {
  if (label == e->n_labels) return b ? *a * *b : *a;
  const Label *l = &e->labels[label];
  uint64_t sum = 0;
  for (int64_t i = 0; i < l->size; i++, a += l->stride[0]) {
    sum += sum_integers(e, label + 1, a, b);
    if (b) b += l->stride[1];
  }
  return sum;
}

static Status *eval(EvalContext *cx, Literal *const *in, Literal **out) {
  uint32_t n = cx->n_in;
  if (quant_any(cx->context, n, in)) return quant_wrap(cx, n, in, 1, out, eval);
  TypeInfo infos[2];
  const TypeInfo *operands[2] = {&infos[0], &infos[1]};
  for (uint32_t i = 0; i < n; i++) infos[i] = (TypeInfo){.rank = in[i]->rank, .dims = in[i]->dims};
  Str config = name_str(cx->context, attr_as_name(cx->context, eval_attr(cx, "einsum_config")));
  Einsum e;
  if (!einsum_read(&e, config, n, operands))
    FAIL(INVALID_ARGUMENT, "einsum_config \"%.*s\": %s", (int)config.n, config.s, e.error);
  int64_t dims[MAX_RANK], index[MAX_RANK] = {0};
  for (uint32_t i = 0; i < e.n_result; i++) dims[i] = e.labels[i].size;
  out[0] = literal_new(cx->heap, cx->context, type_elem(cx->context, eval_result_type(cx, 0)),
                       e.n_result, dims);
  bool integer = !dtype_is_float(in[0]->dtype) && !dtype_is_complex(in[0]->dtype);
  DenseKind kind = integer ? DENSE_INT : DENSE_WIDE;
  const char *a = dense_load(cx, kind, in[0]), *b = n > 1 ? dense_load(cx, kind, in[1]) : NULL;
  size_t bytes = dense_bytes(kind);
  for (int64_t k = 0; k < out[0]->count; k++) {
    int64_t at[2] = {0, 0};
    for (uint32_t i = 0; i < e.n_result; i++)
      for (uint32_t w = 0; w < 2; w++) at[w] += index[i] * e.labels[i].stride[w];
    const void *x = a + (size_t)at[0] * bytes, *y = b ? b + (size_t)at[1] * bytes : NULL;
    if (integer) {
      literal_set(out[0], k, scalar_u(sum_integers(&e, e.n_result, x, y)));
    } else {
      Wide v = sum_products(&e, e.n_result, x, y);
      literal_set(out[0], k, scalar_c((double)v.re, (double)v.im));
    }
    shape_next(e.n_result, dims, index);
  }
  return NULL;
}

static OpId sample_config(Sample *cx, uint16_t code, const char *config, uint32_t n) {
  Context *c = cx->context;
  int64_t i = sample_int(cx, 1, 3), j = sample_int(cx, 1, 3), k = sample_int(cx, 1, 3);
  Type elem = type_scalar(sample_dtype(cx, "suf"));
  ValueId operands[2] = {sample_value(cx, type_tensor(c, elem, 2, (int64_t[]){i, j}, 0)), 0};
  if (n > 1) operands[1] = sample_value(cx, type_tensor(c, elem, 2, (int64_t[]){j, k}, 0));
  NamedAttr fields[] = {{name_of(c, "einsum_config"), attr_string(c, name_of(c, config))}};
  return sample_op(cx, code, attr_dict(c, 1, fields), n, operands, 1, NULL, 0);
}

static OpId sample(Sample *cx) {
  static const char *const configs[] = {"ij,jk->ik", "ij,jk->ki", "ij,jk->ijk", "ij,jk->j"};
  return sample_config(cx, OP_einsum, configs[sample_int(cx, 0, 3)], 2);
}

static OpId sample_unary(Sample *cx) {
  static const char *const configs[] = {"ij->ji", "ij->i", "ij->", "ij->ij"};
  return sample_config(cx, OP_unary_einsum, configs[sample_int(cx, 0, 3)], 1);
}

// The term of tensor k (the result is the last) in the equation.
static Str equation_term(Str config, uint32_t k, bool result) {
  size_t begin = 0, end;
  for (end = 0; end < config.n; end++) {
    bool arrow = config.s[end] == '-';
    if (arrow && result) return (Str){config.s + end + 2, config.n - end - 2};
    if (!arrow && config.s[end] != ',') continue;
    if (!result && k-- == 0) break;
    if (arrow) break;
    begin = end + 1;
  }
  return (Str){config.s + begin, end - begin};
}

// A label that occurs twice in a term walks a diagonal: each of its dimensions is a factor of its
// own that needs replication.
static void factors_diagonal(FactorContext *cx, uint32_t id, uint32_t n,
                             const uint8_t (*ids)[MAX_RANK]) {
  for (uint32_t t = 0; t < n; t++)
    for (uint32_t d = 0; d < factors_rank(cx, t); d++)
      if (ids[t][d] == id) factors_on(cx, factors_dim(cx, t, d), FACTOR_REPLICATE, t, d);
}

// Every other label is a factor; one that the result lacks is summed over.
static bool factors(FactorContext *cx) {
  Str config = name_str(cx->context, attr_as_name(cx->context, factors_attr(cx, "einsum_config")));
  uint32_t n = cx->n_operands + 1;
  uint8_t ids[3][MAX_RANK];
  for (uint32_t t = 0; t < n; t++)
    if (!term_labels(equation_term(config, t, t + 1 == n), factors_rank(cx, t), ids[t]))
      return false;
  for (uint32_t id = 1; id < 256; id++) {
    int64_t size = 1;
    uint32_t in_term[3] = {0};
    for (uint32_t t = 0; t < n; t++)
      for (uint32_t d = 0; d < factors_rank(cx, t); d++) {
        if (ids[t][d] != id) continue;
        in_term[t]++;
        if (factors_dim(cx, t, d) != 1) size = factors_dim(cx, t, d);
      }
    if (in_term[0] + in_term[1] + in_term[2] == 0) continue;
    if (in_term[0] > 1 || in_term[1] > 1 || in_term[2] > 1) {
      factors_diagonal(cx, id, n, (const uint8_t(*)[MAX_RANK])ids);
      continue;
    }
    uint32_t factor = factor_add(&cx->build, size, FACTOR_PASS);
    for (uint32_t t = 0; t < n; t++)
      for (uint32_t d = 0; d < factors_rank(cx, t); d++)
        if (ids[t][d] == id && factors_dim(cx, t, d) == size) factors_also(cx, factor, t, d);
    if (!in_term[n - 1]) factors_reduce(cx, factor, COMBINE_SUM);
  }
  return true;
}

const OpDef op_einsum = {
    .work = work_contraction, .infer = infer, .eval = eval, .sample = sample, .factors = factors};
const OpDef op_unary_einsum = {
    .infer = infer, .eval = eval, .sample = sample_unary, .factors = factors};
