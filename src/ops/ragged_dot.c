// chlo.ragged_dot: a contraction in which one dimension of lhs consists of groups of given sizes.
//   non-contracting: [b,m,k] x [g,b,k,n] -> [b,m,n], each row uses the rhs of its group;
//   contracting:     [b,m,k] x [b,k,n] -> [g,b,m,n], one sum per group;
//   batch:           [b,m,k] x [b,k,n] -> [b,m,n].
// Elements behind the last group count as zero. group_sizes is [g], or has leading dimensions: the
// batch, and those of the ragged dimension's kind before it. The cost is the contraction's.
#include <string.h>

#include "ops/contract.h"
#include "ops/factors.h"
#include "ops/sample.h"

typedef enum Mode { RAGGED_FREE, RAGGED_CONTRACT, RAGGED_BATCH } Mode;

typedef struct Ragged {
  ContractDims dims;
  Ints ragged, group;
  Mode mode;
} Ragged;

static Ragged ragged_of(Context *context, Attr numbers) {
  Ragged r = {.dims = contract_dims(context, numbers)};
  r.ragged = attr_as_ints(context, attr_get(context, numbers, "lhs_ragged_dimensions"));
  r.group = attr_as_ints(context, attr_get(context, numbers, "rhs_group_dimensions"));
  int64_t d = r.ragged.ok && r.ragged.n ? r.ragged.v[0] : -1;
  r.mode = ints_contain(r.dims.lhs_batch, d)      ? RAGGED_BATCH
           : ints_contain(r.dims.lhs_contract, d) ? RAGGED_CONTRACT
                                                  : RAGGED_FREE;
  return r;
}

// The dimensions of lhs that group_sizes may have as leading dimensions.
static uint32_t prefix_dims(const Ragged *r, uint32_t *out) {
  uint32_t n = 0;
  int64_t d = r->ragged.v[0];
  for (uint32_t i = 0;
       i < r->dims.lhs_batch.n && (r->mode != RAGGED_BATCH || r->dims.lhs_batch.v[i] != d); i++)
    out[n++] = (uint32_t)r->dims.lhs_batch.v[i];
  if (r->mode == RAGGED_CONTRACT)
    for (uint32_t i = 0; i < r->dims.lhs_contract.n && r->dims.lhs_contract.v[i] != d; i++)
      out[n++] = (uint32_t)r->dims.lhs_contract.v[i];
  if (r->mode == RAGGED_FREE)
    for (uint32_t i = 0; i < d; i++)
      if (!ints_contain(r->dims.lhs_batch, i) && !ints_contain(r->dims.lhs_contract, i))
        out[n++] = i;
  return n;
}

static bool check_groups(Infer *cx, const Ragged *r) {
  const TypeInfo *lhs = infer_operand_info(cx, 0), *rhs = infer_operand_info(cx, 1),
                 *sizes = infer_operand_info(cx, 2);
  REQUIRE(cx, 0, r->ragged.ok && r->ragged.n == 1, "there are %u lhs_ragged_dimensions, expected 1",
          r->ragged.ok ? r->ragged.n : 0);
  REQUIRE(cx, 0, r->ragged.v[0] >= 0 && r->ragged.v[0] < lhs->rank,
          "lhs ragged dimension %lld is not in [0, %u)", (long long)r->ragged.v[0], lhs->rank);
  REQUIRE(cx, 0, sizes->rank >= 1 && dtype_is_integer(type_dtype(cx->context, sizes->elem)),
          "group_sizes has type %s, expected integers of rank 1 or more",
          infer_text(cx, infer_operand(cx, 2)));
  uint32_t prefix[MAX_RANK], n = prefix_dims(r, prefix);
  if (sizes->rank != 1) {
    REQUIRE(cx, 0, sizes->rank == n + 1, "group_sizes has rank %u, expected 1 or %u", sizes->rank,
            n + 1);
    for (uint32_t i = 0; i < n; i++)
      REQUIRE(cx, 0, dim_compatible(sizes->dims[i], lhs->dims[prefix[i]]),
              "dimension %u of group_sizes has size %lld, expected %lld, the size of dimension %u "
              "of lhs",
              i, (long long)sizes->dims[i], (long long)lhs->dims[prefix[i]], prefix[i]);
  }
  uint32_t groups = r->group.ok ? r->group.n : 0;
  REQUIRE(cx, 0, groups == (r->mode == RAGGED_FREE ? 1u : 0u),
          "rhs has %u group dimensions, expected %d because lhs_ragged_dimension %lld is %s",
          groups, r->mode == RAGGED_FREE, (long long)r->ragged.v[0],
          r->mode == RAGGED_FREE    ? "neither batching nor contracting"
          : r->mode == RAGGED_BATCH ? "batching"
                                    : "contracting");
  if (groups == 0) return true;
  int64_t g = r->group.v[0];
  REQUIRE(cx, 0,
          g >= 0 && g < rhs->rank && !ints_contain(r->dims.rhs_batch, g) &&
              !ints_contain(r->dims.rhs_contract, g),
          "rhs group dimension is %lld, expected it in [0, %u), neither batching nor contracting",
          (long long)g, rhs->rank);
  REQUIRE(
      cx, 0, dim_compatible(rhs->dims[g], sizes->dims[sizes->rank - 1]),
      "rhs group dimension %lld has size %lld, expected %lld, the number of groups in group_sizes",
      (long long)g, (long long)rhs->dims[g], (long long)sizes->dims[sizes->rank - 1]);
  return true;
}

static uint32_t result_shape(const Ragged *r, const TypeInfo *lhs, const TypeInfo *rhs,
                             int64_t groups, int64_t *out) {
  uint32_t n = 0;
  if (r->mode == RAGGED_CONTRACT) out[n++] = groups;
  return n + contract_shape(lhs, rhs, &r->dims, r->group.ok ? r->group : (Ints){0}, out + n);
}

static bool infer(Infer *cx) {
  if (!infer_ranked(cx)) return false;
  Ragged r = ragged_of(cx->context, infer_attr(cx, "ragged_dot_dimension_numbers"));
  if (!contract_check(cx, &r.dims, false) || !check_groups(cx, &r)) return false;
  const TypeInfo *lhs = infer_operand_info(cx, 0), *rhs = infer_operand_info(cx, 1),
                 *sizes = infer_operand_info(cx, 2);
  int64_t shape[2 * MAX_RANK + 1];
  uint32_t rank = result_shape(&r, lhs, rhs, sizes->dims[sizes->rank - 1], shape);
  REQUIRE(cx, 0, rank <= MAX_RANK, "the result has rank %u, at most %d is supported", rank,
          MAX_RANK);
  Type declared = infer_result(cx, 0);
  cx->out[0] = type_tensor(cx->context, declared ? type_elem(cx->context, declared) : lhs->elem,
                           rank, shape, 0);
  return true;
}

// The ragged dimension in a flattened index i: its coordinate is (i / inner) % size, its prefix is
// i / (inner * size).
typedef struct RaggedIndex {
  int64_t inner, size;
} RaggedIndex;

typedef struct Groups {
  const Literal *sizes;
  int64_t count;
} Groups;

// The group of coordinate x in prefix row `row`; -1 behind the last.
static int64_t group_of(const Groups *g, int64_t row, int64_t x) {
  int64_t base = g->sizes->rank == 1 ? 0 : row * g->count, end = 0;
  for (int64_t k = 0; k < g->count; k++) {
    end += literal_get(g->sizes, base + k).i;
    if (x < end) return k;
  }
  return -1;
}

static RaggedIndex ragged_index(const Ragged *r, const Literal *lhs) {
  int64_t d = r->ragged.v[0];
  RaggedIndex p = {1, lhs->dims[d]};
  Ints list = r->mode == RAGGED_BATCH ? r->dims.lhs_batch : r->dims.lhs_contract;
  if (r->mode == RAGGED_FREE) {
    for (uint32_t i = (uint32_t)d + 1; i < lhs->rank; i++)
      if (!ints_contain(r->dims.lhs_batch, i) && !ints_contain(r->dims.lhs_contract, i))
        p.inner = shape_times(p.inner, lhs->dims[i]);
    return p;
  }
  for (uint32_t i = list.n; i-- > 0 && list.v[i] != d;)
    p.inner = shape_times(p.inner, lhs->dims[list.v[i]]);
  return p;
}

typedef struct Work {
  DenseKind kind;
  ContractSide l, r;
  RaggedIndex index;
  Groups groups;
  int64_t outer;  // prefixes per batch element (in total, for a ragged batch)
} Work;

static const char *row_of(const Work *w, const ContractSide *side, int64_t row) {
  return (const char *)side->data + (size_t)(row * side->contract) * dense_bytes(w->kind);
}

// Ragged free or batch dimension: each row uses the rhs of its group (free), or its own (batch).
// Rows behind the last group stay zero.
static void eval_rows(const Work *w, Mode mode, Literal *out) {
  int64_t at = 0;
  for (int64_t b = 0; b < w->l.batch; b++)
    for (int64_t i = 0; i < w->l.free; i++) {
      int64_t x = mode == RAGGED_BATCH ? b : i;
      int64_t row = x / (w->index.inner * w->index.size) + (mode == RAGGED_FREE ? b * w->outer : 0);
      int64_t g = group_of(&w->groups, row, x / w->index.inner % w->index.size);
      int64_t from = mode == RAGGED_FREE ? g * w->l.batch + b : b;
      for (int64_t j = 0; j < w->r.free; j++, at++)
        if (g >= 0)
          literal_set(out, at,
                      dense_dot(w->kind, row_of(w, &w->l, b * w->l.free + i),
                                row_of(w, &w->r, from * w->r.free + j), w->l.contract));
    }
}

// Picks the elements of a row whose contracting index is in the list.
static void pick(const Work *w, const char *row, const int64_t *list, int64_t n, char *out) {
  size_t bytes = dense_bytes(w->kind);
  for (int64_t k = 0; k < n; k++)
    memcpy(out + (size_t)k * bytes, row + (size_t)list[k] * bytes, bytes);
}

// Ragged contracting dimension: per group, a contraction over the group's indices.
static void eval_contract(EvalContext *cx, const Work *w, Literal *out) {
  size_t bytes = dense_bytes(w->kind);
  int64_t k_all = w->l.contract, *list = ARENA_ARRAY(cx->scratch, int64_t, (size_t)k_all + 1),
          at = 0;
  char *a = arena_calloc(cx->scratch, (size_t)k_all + 1, bytes);
  char *rows = arena_calloc(cx->scratch, (size_t)(w->r.free * k_all) + 1, bytes);
  for (int64_t g = 0; g < w->groups.count; g++)
    for (int64_t b = 0; b < w->l.batch; b++) {
      int64_t n = 0;
      for (int64_t k = 0; k < k_all; k++) {
        int64_t row = b * w->outer + k / (w->index.inner * w->index.size);
        if (group_of(&w->groups, row, k / w->index.inner % w->index.size) == g) list[n++] = k;
      }
      for (int64_t j = 0; j < w->r.free; j++)
        pick(w, row_of(w, &w->r, b * w->r.free + j), list, n, rows + (size_t)(j * n) * bytes);
      for (int64_t i = 0; i < w->l.free; i++) {
        pick(w, row_of(w, &w->l, b * w->l.free + i), list, n, a);
        for (int64_t j = 0; j < w->r.free; j++, at++)
          literal_set(out, at, dense_dot(w->kind, a, rows + (size_t)(j * n) * bytes, n));
      }
    }
}

static Status *eval(EvalContext *cx, Literal *const *in, Literal **out) {
  Ragged r = ragged_of(cx->context, eval_attr(cx, "ragged_dot_dimension_numbers"));
  const TypeInfo lhs = {.rank = in[0]->rank, .dims = in[0]->dims},
                 rhs = {.rank = in[1]->rank, .dims = in[1]->dims};
  DType result = type_dtype(cx->context, eval_result_type(cx, 0));
  Work w = {.kind = dense_kind(in[0]->dtype, in[1]->dtype, result), .outer = 1};
  w.groups = (Groups){in[2], in[2]->dims[in[2]->rank - 1]};
  int64_t shape[2 * MAX_RANK + 1];
  uint32_t rank = result_shape(&r, &lhs, &rhs, w.groups.count, shape), prefix[MAX_RANK],
           n = prefix_dims(&r, prefix);
  for (uint32_t i = r.mode == RAGGED_BATCH ? 0 : r.dims.lhs_batch.n; i < n; i++)
    w.outer *= in[0]->dims[prefix[i]];
  for (int64_t i = 0; i < in[2]->count; i++)
    if (literal_get(in[2], i).i < 0)
      FAIL(INVALID_ARGUMENT, "entry %lld of group_sizes is %lld, expected at least 0", (long long)i,
           (long long)literal_get(in[2], i).i);
  out[0] = literal_new(cx->heap, cx->context, type_elem(cx->context, eval_result_type(cx, 0)), rank,
                       shape);
  w.index = ragged_index(&r, in[0]);
  w.l = contract_side(cx, w.kind, in[0], r.dims.lhs_batch, r.dims.lhs_contract, -1);
  w.r = contract_side(cx, w.kind, in[1], r.dims.rhs_batch, r.dims.rhs_contract,
                      r.mode == RAGGED_FREE ? r.group.v[0] : -1);
  if (r.mode == RAGGED_CONTRACT)
    eval_contract(cx, &w, out[0]);
  else if (out[0]->count)
    eval_rows(&w, r.mode, out[0]);
  return NULL;
}

static OpId sample(Sample *cx) {
  Context *c = cx->context;
  int64_t m = sample_int(cx, 1, 5), k = sample_int(cx, 1, 3), n = sample_int(cx, 1, 3),
          g = sample_int(cx, 1, 3);
  Type elem = type_scalar(sample_dtype(cx, "sf"));
  bool contracting = sample_chance(cx, 50);
  int64_t zero = 0, one = 1;
  ValueId operands[3] = {sample_value(cx, type_tensor(c, elem, 2, (int64_t[]){m, k}, 0)),
                         sample_value(cx, contracting
                                              ? type_tensor(c, elem, 2, (int64_t[]){k, n}, 0)
                                              : type_tensor(c, elem, 3, (int64_t[]){g, k, n}, 0)),
                         sample_constant_i(cx, type_tensor(c, DT_i64, 1, &g, 0), 0, 2)};
  NamedAttr numbers[] = {
      {name_of(c, "lhs_contracting_dimensions"), attr_i64s(c, 1, &one)},
      {name_of(c, "rhs_contracting_dimensions"), attr_i64s(c, 1, contracting ? &zero : &one)},
      {name_of(c, "lhs_ragged_dimensions"), attr_i64s(c, 1, contracting ? &one : &zero)},
      {name_of(c, "rhs_group_dimensions"), attr_i64s(c, contracting ? 0 : 1, &zero)},
  };
  NamedAttr fields[] = {{name_of(c, "ragged_dot_dimension_numbers"),
                         sample_struct(cx, "chlo.ragged_dot", 4, numbers)}};
  return sample_op(cx, OP_chlo_ragged_dot, attr_dict(c, 1, fields), 3, operands, 1, NULL, 0);
}

// The group of a row of the ragged dimension depends on its global index: FACTOR_OFFSET. A shard of
// the groups' rhs gives zeros for rows of other groups: partial sums.
static bool factors(FactorContext *cx) {
  Ragged r = ragged_of(cx->context, factors_attr(cx, "ragged_dot_dimension_numbers"));
  uint32_t result = factors_result(cx, 0), out = r.mode == RAGGED_CONTRACT ? 1 : 0,
           prefix[MAX_RANK];
  uint32_t n_prefix = factors_rank(cx, 2) > 1 ? prefix_dims(&r, prefix) : 0;
  uint32_t of_lhs[MAX_RANK] = {0}, last = factors_rank(cx, 2) - 1;
  for (uint32_t i = 0; i < r.dims.lhs_batch.n; i++) {
    uint32_t l = (uint32_t)r.dims.lhs_batch.v[i];
    of_lhs[l] = factors_on(cx, factors_dim(cx, 0, l), FACTOR_PASS, 0, l);
    factors_also(cx, of_lhs[l], 1, (uint32_t)r.dims.rhs_batch.v[i]);
    factors_also(cx, of_lhs[l], result, out++);
  }
  for (uint32_t d = 0; d < factors_rank(cx, 0); d++) {
    if (ints_contain(r.dims.lhs_batch, d) || ints_contain(r.dims.lhs_contract, d)) continue;
    of_lhs[d] = factors_on(cx, factors_dim(cx, 0, d), FACTOR_PASS, 0, d);
    factors_also(cx, of_lhs[d], result, out++);
  }
  for (uint32_t d = 0; d < factors_rank(cx, 1); d++) {
    if (ints_contain(r.dims.rhs_batch, d) || ints_contain(r.dims.rhs_contract, d)) continue;
    uint32_t factor = factors_on(cx, factors_dim(cx, 1, d), FACTOR_PASS, 1, d);
    if (r.group.ok && ints_contain(r.group, d)) {
      factors_reduce(cx, factor, COMBINE_SUM);
      factors_set_kinds(cx, factor, cx->build.factors.items[factor].kinds | FACTOR_OFFSET);
    } else {
      factors_also(cx, factor, result, out++);
    }
  }
  for (uint32_t i = 0; i < r.dims.lhs_contract.n; i++) {
    uint32_t l = (uint32_t)r.dims.lhs_contract.v[i];
    of_lhs[l] = factors_on(cx, factors_dim(cx, 0, l), FACTOR_PASS, 0, l);
    factors_also(cx, of_lhs[l], 1, (uint32_t)r.dims.rhs_contract.v[i]);
    factors_reduce(cx, of_lhs[l], COMBINE_SUM);
  }
  uint32_t ragged = of_lhs[r.ragged.v[0]];
  factors_set_kinds(cx, ragged, cx->build.factors.items[ragged].kinds | FACTOR_OFFSET);
  if (r.mode == RAGGED_CONTRACT)
    factors_on(cx, factors_dim(cx, result, 0), FACTOR_OFFSET, result, 0);
  for (uint32_t i = 0; i < n_prefix; i++) factors_also(cx, of_lhs[prefix[i]], 2, i);
  factors_on(cx, factors_dim(cx, 2, last), FACTOR_REPLICATE | FACTOR_BLOCK, 2, last);
  return true;
}

const OpDef op_chlo_ragged_dot = {
    .fails = true, .infer = infer, .eval = eval, .sample = sample, .factors = factors};
