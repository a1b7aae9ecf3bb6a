// all_to_all: every process splits its operand, sends slice k to member k of its group, and
// concatenates the slices it receives in group order. O(elements).
#include "ops/factors.h"
#include "ops/groups.h"

static bool infer_all_to_all(Infer *cx) {
  int64_t split = infer_int(cx, "split_dimension", -1),
          concat = infer_int(cx, "concat_dimension", -1);
  int64_t count = infer_int(cx, "split_count", 0);
  Groups groups;
  REQUIRE(cx, 9, infer_n_operands(cx) == infer_n_results(cx),
          "the numbers of operands and results are %u and %u, expected equal", infer_n_operands(cx),
          infer_n_results(cx));
  REQUIRE(cx, 4, count > 0, "split_count is %lld, expected at least 1", (long long)count);
  for (uint32_t i = 0; i < infer_n_operands(cx); i++) {
    const TypeInfo *in = infer_operand_info(cx, i);
    if (in->kind != TYPE_TENSOR) continue;
    const char *text = infer_text(cx, infer_operand(cx, i));
    REQUIRE(cx, 1, split >= 0 && split < (int64_t)in->rank,
            "split_dimension is %lld, expected it in [0, %u), a dimension of %s", (long long)split,
            in->rank, text);
    REQUIRE(cx, 3, concat >= 0 && concat < (int64_t)in->rank,
            "concat_dimension is %lld, expected it in [0, %u), a dimension of %s",
            (long long)concat, in->rank, text);
    REQUIRE(cx, 2, in->dims[split] == DIM_DYNAMIC || in->dims[split] % count == 0,
            "split_dimension %lld of %s has size %lld, expected a multiple of split_count %lld",
            (long long)split, text, (long long)in->dims[split], (long long)count);
  }
  if (!groups_check_operands(cx) || !groups_check(cx, false, true, 5, 7, 0, &groups)) return false;
  REQUIRE(cx, 8, groups.n * groups.width == 0 || groups.width == count,
          "each replica group has size %u, expected split_count %lld", groups.width,
          (long long)count);
  for (uint32_t i = 0; i < infer_n_operands(cx); i++) {
    const TypeInfo *in = infer_operand_info(cx, i);
    if (in->kind != TYPE_TENSOR) {
      cx->out[i] = infer_result(cx, i) ? infer_result(cx, i) : infer_operand(cx, i);
      continue;
    }
    int64_t dims[MAX_RANK];
    for (uint32_t d = 0; d < in->rank; d++) dims[d] = in->dims[d];
    if (split != concat && dims[split] != DIM_DYNAMIC) dims[split] /= count;
    bool grows = split != concat && dims[concat] != DIM_DYNAMIC;
    REQUIRE(cx, 9, !grows || !__builtin_mul_overflow(dims[concat], count, &dims[concat]),
            "dimension %lld of the result has a size above %lld", (long long)concat,
            (long long)INT64_MAX);
    cx->out[i] = type_tensor(cx->context, in->elem, in->rank, dims, 0);
    Type declared = infer_result(cx, i);
    if (!declared) continue;
    REQUIRE(cx, 9, infer_types_same(cx, declared, cx->out[i]), "result %u is %s, expected %s", i,
            infer_text(cx, declared), infer_text(cx, cx->out[i]));
    cx->out[i] = declared;
  }
  return true;
}

static Status *exchange_one(EvalContext *cx, uint32_t n_group, uint32_t self, Literal *const *parts,
                            uint32_t i, int64_t split, int64_t concat, int64_t count,
                            Literal **out) {
  const Literal *first = parts[i];
  TRY(groups_same_shapes(n_group, cx->n_in, parts, i, -1));
  if (first->dims[split] % count != 0)
    FAIL(INVALID_ARGUMENT,
         "split_dimension %lld has size %lld, expected a multiple of split_count %lld",
         (long long)split, (long long)first->dims[split], (long long)count);
  int64_t piece[MAX_RANK], dims[MAX_RANK], index[MAX_RANK] = {0};
  for (uint32_t d = 0; d < first->rank; d++) piece[d] = dims[d] = first->dims[d];
  piece[split] /= count;
  dims[split] = piece[split];
  dims[concat] = piece[concat] * count;
  *out = literal_new(cx->heap, cx->context, first->elem, first->rank, dims);
  bool any = true;
  for (uint32_t d = 0; d < first->rank; d++) any &= piece[d] > 0;
  for (uint32_t m = 0; m < n_group && any; m++) {
    const Literal *part = parts[m * cx->n_in + i];
    for (uint32_t d = 0; d < first->rank; d++) index[d] = 0;
    do {
      int64_t from[MAX_RANK], to[MAX_RANK];
      for (uint32_t d = 0; d < first->rank; d++) from[d] = to[d] = index[d];
      from[split] += (int64_t)self * piece[split];
      to[concat] += (int64_t)m * piece[concat];
      literal_copy_elements(*out, shape_linear(first->rank, dims, to), part,
                            shape_linear(first->rank, part->dims, from), 1);
    } while (shape_next(first->rank, piece, index));
  }
  return NULL;
}

static Status *eval_all_to_all(EvalContext *cx, Literal *const *in, Literal **out) {
  int64_t split = eval_int(cx, "split_dimension", 0), concat = eval_int(cx, "concat_dimension", 0);
  int64_t count = eval_int(cx, "split_count", 1);
  Rendezvous x;
  TRY(groups_meet(cx, false, in, &x));
  if (x.n_group != count)
    FAIL(INVALID_ARGUMENT, "split_count is %lld, expected the group's %u processes",
         (long long)count, x.n_group);
  for (uint32_t i = 0; i < cx->n_in; i++)
    TRY(exchange_one(cx, x.n_group, x.self, x.parts, i, split, concat, count, &out[i]));
  cx->host->leave(cx, &x);
  return NULL;
}

static OpId sample_all_to_all(Sample *cx) {
  Type type;
  ValueId operand = groups_sample_operand(cx, "bsufc", 1, &type);
  int64_t most = type_info(cx->context, type)->rank - 1;
  int64_t values[3] = {sample_int(cx, 0, most), sample_int(cx, 0, most), 1};
  static const char *const names[3] = {"split_dimension", "concat_dimension", "split_count"};
  return sample_op(cx, OP_all_to_all, groups_sample_attrs(cx, false, 3, names, values), 1, &operand,
                   1, &type, 0);
}

static bool factors(FactorContext *cx) {
  return factors_collective(cx, factors_int(cx, "split_dimension", 0),
                            factors_int(cx, "concat_dimension", 0));
}

const OpDef op_all_to_all = {.infer = infer_all_to_all,
                             .eval = eval_all_to_all,
                             .sample = sample_all_to_all,
                             .constraints = 9,
                             .unchecked = "C6: the size of the grid is known when it runs",
                             .factors = factors};
