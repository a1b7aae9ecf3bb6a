// Contractions. Both operands are transposed to [batch, free, contract], so that every result
// element is the dot product of two contiguous rows. As in the spec's formula, every product and
// every sum is rounded to the widest of the types involved. The sum is a balanced tree that depends
// on the length only (dense_dot): its error is similar to that of backends, which add in lanes,
// while a sequential sum's would be larger. Types of less than 32 bits are summed in f32 and
// rounded once, as in backends. O(batch * m * n * k).
#include "ops/contract.h"

#include <string.h>

static Ints list_of(Context *context, Attr numbers, const char *name) {
  Attr attr = attr_get(context, numbers, name);
  Ints list = attr ? attr_as_ints(context, attr) : (Ints){.ok = true};
  return list;
}

ContractDims contract_dims(Context *context, Attr numbers) {
  return (ContractDims){
      .lhs_batch = list_of(context, numbers, "lhs_batching_dimensions"),
      .rhs_batch = list_of(context, numbers, "rhs_batching_dimensions"),
      .lhs_contract = list_of(context, numbers, "lhs_contracting_dimensions"),
      .rhs_contract = list_of(context, numbers, "rhs_contracting_dimensions"),
  };
}

static bool check_unique(Infer *cx, const char *side, Ints batch, Ints contract, int constraint) {
  for (uint32_t i = 0; i < batch.n + contract.n; i++) {
    int64_t x = i < batch.n ? batch.v[i] : contract.v[i - batch.n];
    for (uint32_t j = 0; j < i; j++)
      REQUIRE(cx, constraint, x != (j < batch.n ? batch.v[j] : contract.v[j - batch.n]),
              "%s dimension %lld occurs twice in the batching and contracting dimensions, expected "
              "at most once",
              side, (long long)x);
  }
  return true;
}

static bool check_range(Infer *cx, const char *what, Ints list, uint32_t rank, int constraint) {
  for (uint32_t i = 0; i < list.n; i++)
    REQUIRE(cx, constraint, list.v[i] >= 0 && list.v[i] < rank,
            "%s dimension %lld is not in [0, %u)", what, (long long)list.v[i], rank);
  return true;
}

static bool check_sizes(Infer *cx, const char *what, Ints lhs, Ints rhs, int constraint) {
  const TypeInfo *l = infer_operand_info(cx, 0), *r = infer_operand_info(cx, 1);
  for (uint32_t i = 0; i < lhs.n; i++)
    REQUIRE(cx, constraint, dim_compatible(l->dims[lhs.v[i]], r->dims[rhs.v[i]]),
            "%s dimensions %lld of lhs and %lld of rhs have sizes %lld and %lld, expected equal",
            what, (long long)lhs.v[i], (long long)rhs.v[i], (long long)l->dims[lhs.v[i]],
            (long long)r->dims[rhs.v[i]]);
  return true;
}

bool contract_check(Infer *cx, const ContractDims *dims, bool numbered) {
  int on = numbered ? 1 : 0;
  uint32_t l = infer_operand_info(cx, 0)->rank, r = infer_operand_info(cx, 1)->rank;
  REQUIRE(cx, 0,
          dims->lhs_batch.ok && dims->rhs_batch.ok && dims->lhs_contract.ok &&
              dims->rhs_contract.ok,
          "dot_dimension_numbers are not lists of integers");
  REQUIRE(cx, 1 * on, dims->lhs_batch.n == dims->rhs_batch.n,
          "lhs and rhs have %u and %u batching dimensions, expected equal numbers",
          dims->lhs_batch.n, dims->rhs_batch.n);
  REQUIRE(cx, 2 * on, dims->lhs_contract.n == dims->rhs_contract.n,
          "lhs and rhs have %u and %u contracting dimensions, expected equal numbers",
          dims->lhs_contract.n, dims->rhs_contract.n);
  if (!check_unique(cx, "lhs", dims->lhs_batch, dims->lhs_contract, 3 * on) ||
      !check_unique(cx, "rhs", dims->rhs_batch, dims->rhs_contract, 4 * on) ||
      !check_range(cx, "lhs batching", dims->lhs_batch, l, 5 * on) ||
      !check_range(cx, "lhs contracting", dims->lhs_contract, l, 6 * on) ||
      !check_range(cx, "rhs batching", dims->rhs_batch, r, 7 * on) ||
      !check_range(cx, "rhs contracting", dims->rhs_contract, r, 8 * on) ||
      !check_sizes(cx, "batching", dims->lhs_batch, dims->rhs_batch, 9 * on) ||
      !check_sizes(cx, "contracting", dims->lhs_contract, dims->rhs_contract, 10 * on))
    return false;
  Attr precision = infer_attr(cx, "precision_config");
  uint32_t n = precision ? attr_info(cx->context, precision)->count : 2;
  REQUIRE(cx, 11 * on, n == 2 || n == 0,
          "precision_config has length %u, expected 2, one entry per operand", n);
  return true;
}

uint32_t contract_shape(const TypeInfo *lhs, const TypeInfo *rhs, const ContractDims *dims,
                        Ints skip, int64_t *out_dims) {
  uint32_t rank = 0;
  for (uint32_t i = 0; i < dims->lhs_batch.n; i++)
    out_dims[rank++] = dim_merge(lhs->dims[dims->lhs_batch.v[i]], rhs->dims[dims->rhs_batch.v[i]]);
  for (uint32_t d = 0; d < lhs->rank; d++)
    if (!ints_contain(dims->lhs_batch, d) && !ints_contain(dims->lhs_contract, d))
      out_dims[rank++] = lhs->dims[d];
  for (uint32_t d = 0; d < rhs->rank; d++)
    if (!ints_contain(dims->rhs_batch, d) && !ints_contain(dims->rhs_contract, d) &&
        !ints_contain(skip, d))
      out_dims[rank++] = rhs->dims[d];
  return rank;
}

ContractSide contract_side(EvalContext *cx, DenseKind kind, const Literal *literal, Ints batch,
                           Ints contract, int64_t first) {
  ContractSide side = {.batch = 1, .free = 1, .contract = 1};
  uint32_t perm[MAX_RANK], n = 0;
  if (first >= 0) perm[n++] = (uint32_t)first;
  for (uint32_t i = 0; i < batch.n; i++) {
    perm[n++] = (uint32_t)batch.v[i];
    side.batch = shape_times(side.batch, literal->dims[batch.v[i]]);
  }
  for (uint32_t d = 0; d < literal->rank; d++) {
    if (ints_contain(batch, d) || ints_contain(contract, d) || d == first) continue;
    perm[n++] = d;
    side.free = shape_times(side.free, literal->dims[d]);
  }
  for (uint32_t i = 0; i < contract.n; i++) {
    perm[n++] = (uint32_t)contract.v[i];
    side.contract = shape_times(side.contract, literal->dims[contract.v[i]]);
  }
  void *data = dense_load(cx, kind, literal);
  side.data = dense_transpose(cx, kind, data, literal->rank, literal->dims, n, perm);
  return side;
}

static DType type_field(const Context *context, Attr algorithm, const char *name) {
  const AttrInfo *info = attr_info(context, attr_get(context, algorithm, name));
  return info->kind == ATTR_TYPE ? type_dtype(context, info->type) : DT_none_;
}

ContractPrecision contract_precision(const Context *context, Attr algorithm) {
  ContractPrecision p = {.lhs_parts = 1, .rhs_parts = 1, .products = 1};
  if (!algorithm || attr_info(context, algorithm)->kind != ATTR_STRUCT) return p;
  p.lhs = type_field(context, algorithm, "lhs_precision_type");
  p.rhs = type_field(context, algorithm, "rhs_precision_type");
  p.sum = type_field(context, algorithm, "accumulation_type");
  p.lhs_parts = attr_as_int(context, attr_get(context, algorithm, "lhs_component_count"), 1);
  p.rhs_parts = attr_as_int(context, attr_get(context, algorithm, "rhs_component_count"), 1);
  p.products = attr_as_int(context, attr_get(context, algorithm, "num_primitive_operations"), 1);
  // JAX's BF16_BF16_F32_X3, _X6, _X9 have one component and 3, 6, 9 products in their attribute;
  // the numbers of components meant are 2, 3, 3.
  if (p.lhs_parts == 1 && p.rhs_parts == 1 && p.products > 1)
    p.lhs_parts = p.rhs_parts = p.products <= 4 ? 2 : 3;
  return p;
}

// Splits data into `parts` components of a narrower type whose sum approximates it: each one is the
// remainder of those before, rounded. Floats only.
static void **split(EvalContext *cx, DenseKind kind, const void *data, int64_t count, DType type,
                    int64_t parts) {
  void **out = ARENA_ARRAY(cx->scratch, void *, (size_t)parts);
  size_t bytes = (size_t)count * dense_bytes(kind);
  void *rest = arena_copy(cx->scratch, data, bytes + 1);
  for (int64_t p = 0; p < parts; p++) {
    out[p] = arena_copy(cx->scratch, rest, bytes + 1);
    dense_round(kind, out[p], count, type);
    dense_subtract(kind, rest, out[p], count);
  }
  return out;
}

// Concatenates the operands of a decomposed product along the contracting dimension: for every pair
// of components used, most significant first, a copy of the row. One dot product then sums all
// primitive products.
static void decompose(EvalContext *cx, DenseKind kind, ContractSide *l, ContractSide *r,
                      ContractPrecision precision) {
  int64_t l_rows = l->batch * l->free, r_rows = r->batch * r->free, k = l->contract;
  void **lp = split(cx, kind, l->data, l_rows * k, precision.lhs, precision.lhs_parts);
  void **rp = split(cx, kind, r->data, r_rows * k, precision.rhs, precision.rhs_parts);
  int64_t most = precision.lhs_parts * precision.rhs_parts;
  int64_t products = precision.products < most ? precision.products : most, used = 0;
  size_t row = (size_t)k * dense_bytes(kind), wide_row = row * (size_t)products;
  char *ld = arena_calloc(cx->scratch, (size_t)l_rows + 1, wide_row + 1);
  char *rd = arena_calloc(cx->scratch, (size_t)r_rows + 1, wide_row + 1);
  for (int64_t order = 0; order < precision.lhs_parts + precision.rhs_parts && used < products;
       order++)
    for (int64_t i = 0; i <= order && used < products; i++) {
      int64_t j = order - i;
      if (i >= precision.lhs_parts || j >= precision.rhs_parts) continue;
      for (int64_t x = 0; x < l_rows; x++)
        memcpy(ld + (size_t)x * wide_row + (size_t)used * row, (char *)lp[i] + (size_t)x * row,
               row);
      for (int64_t x = 0; x < r_rows; x++)
        memcpy(rd + (size_t)x * wide_row + (size_t)used * row, (char *)rp[j] + (size_t)x * row,
               row);
      used++;
    }
  l->data = ld;
  r->data = rd;
  l->contract = r->contract = k * products;
}

Status *contract_eval(EvalContext *cx, const Literal *lhs, const Literal *rhs,
                      const ContractDims *dims, ContractPrecision precision, Literal *out) {
  enum { MOST_PARTS = 16 };
  DenseKind kind = dense_kind(lhs->dtype, rhs->dtype, out->dtype);
  ContractSide l = contract_side(cx, kind, lhs, dims->lhs_batch, dims->lhs_contract, -1);
  ContractSide r = contract_side(cx, kind, rhs, dims->rhs_batch, dims->rhs_contract, -1);
  if (l.batch != r.batch || l.contract != r.contract || l.batch * l.free * r.free != out->count)
    FAIL(INVALID_ARGUMENT,
         "lhs and rhs have %lld and %lld batch elements and contract %lld and %lld elements, "
         "expected equal numbers",
         (long long)l.batch, (long long)r.batch, (long long)l.contract, (long long)r.contract);
  if (precision.lhs && precision.rhs && kind != DENSE_INT) {
    if (precision.lhs_parts > MOST_PARTS || precision.rhs_parts > MOST_PARTS)
      FAIL(UNIMPLEMENTED,
           "the algorithm's lhs_component_count is %lld and rhs_component_count %lld, at most %d "
           "is supported",
           (long long)precision.lhs_parts, (long long)precision.rhs_parts, MOST_PARTS);
    decompose(cx, kind, &l, &r, precision);
  }
  size_t l_row = (size_t)l.contract * dense_bytes(kind),
         r_row = (size_t)r.contract * dense_bytes(kind);
  DType sum = kind == DENSE_INT || !precision.sum ? DT_none_ : precision.sum;
  DType to = out->dtype, from = DT_f64;
  bool integer = dtype_is_integer(to) || dtype_kind(to) == KIND_BOOL,
       convert = integer != (kind == DENSE_INT);
  if (kind == DENSE_INT) from = dtype_kind(lhs->dtype) == KIND_UINT ? DT_ui64 : DT_i64;
  int64_t at = 0;
  for (int64_t b = 0; b < l.batch; b++) {
    const char *ld = (const char *)l.data + (size_t)(b * l.free) * l_row;
    const char *rd = (const char *)r.data + (size_t)(b * r.free) * r_row;
    for (int64_t i = 0; i < l.free; i++) {
      TRY(eval_poll(cx));
      for (int64_t j = 0; j < r.free; j++, at++) {
        // More than one part only if sums are reassociated on purpose (EvalContext.reassociation).
        Scalar v = dense_dot_parts(kind, cx->reassociation + 1, ld + (size_t)i * l_row,
                                   rd + (size_t)j * r_row, l.contract);
        if (sum) {
          v.f = dtype_round(sum, scalar_f(v.f)).f;
          v.im = dtype_round(sum, scalar_f(v.im)).f;
        }
        if (convert) v = dtype_convert(from, to, v);
        literal_set(out, at, v);
      }
    }
  }
  return NULL;
}
