// reduce_scatter: every process gets its own slice of the reduction of its group's operands.
// O(elements × group).
#include "ops/factors.h"
#include "ops/groups.h"

static bool infer_reduce_scatter(Infer *cx) {
  int64_t dim = infer_int(cx, "scatter_dimension", -1);
  Groups groups;
  Type elem;
  REQUIRE(cx, 8, infer_n_operands(cx) == infer_n_results(cx),
          "the numbers of operands and results are %u and %u, expected equal", infer_n_operands(cx),
          infer_n_results(cx));
  for (uint32_t i = 0; i < infer_n_operands(cx); i++) {
    const TypeInfo *in = infer_operand_info(cx, i);
    REQUIRE(cx, 2, in->kind != TYPE_TENSOR || (dim >= 0 && dim < (int64_t)in->rank),
            "scatter_dimension is %lld, expected it in [0, %u), a dimension of %s", (long long)dim,
            in->rank, infer_text(cx, infer_operand(cx, i)));
  }
  if (!groups_check_operands(cx) || !groups_check(cx, true, true, 3, 5, 6, &groups)) return false;
  if (!groups_check_body(cx, infer_n_operands(cx), 7, &elem) || !infer_declared(cx)) return false;
  int64_t width = groups.n * groups.width == 0 ? 1 : groups.width;
  for (uint32_t i = 0; i < infer_n_operands(cx); i++) {
    const TypeInfo *in = infer_operand_info(cx, i), *out = type_info(cx->context, cx->out[i]);
    if (in->kind != TYPE_TENSOR || out->kind != TYPE_TENSOR) continue;
    int64_t a = in->dims[dim];
    REQUIRE(
        cx, 1, a == DIM_DYNAMIC || a % width == 0,
        "scatter_dimension %lld of %s has size %lld, expected a multiple of the group size %lld",
        (long long)dim, infer_text(cx, infer_operand(cx, i)), (long long)a, (long long)width);
    bool same = in->rank == out->rank;
    for (uint32_t d = 0; same && d < in->rank; d++)
      if (d != dim) same = dim_compatible(in->dims[d], out->dims[d]);
    REQUIRE(cx, 8, same,
            "result %u is %s, expected the shape of %s except for the size of dimension %lld", i,
            infer_text(cx, cx->out[i]), infer_text(cx, infer_operand(cx, i)), (long long)dim);
    int64_t b = out->dims[dim];
    // If groups span replicas and partitions, or are one group of all, their size depends on the
    // grid.
    bool open = groups.kind == GROUP_CROSS_REPLICA_AND_PARTITION || groups.n * groups.width == 0;
    if (a != DIM_DYNAMIC && b != DIM_DYNAMIC)
      REQUIRE(cx, 8, open ? (b == 0 ? a == 0 : a % b == 0) : b == a / width,
              "dimension %lld of result %u has size %lld, expected %s%lld", (long long)dim, i,
              (long long)b, open ? "a divisor of " : "", (long long)(open ? a : a / width));
    REQUIRE(cx, 9, out->elem == elem,
            "result %u is %s, expected the element type that the body returns, %s", i,
            infer_text(cx, cx->out[i]), infer_text(cx, elem));
  }
  return true;
}

static Status *eval_reduce_scatter(EvalContext *cx, Literal *const *in, Literal **out) {
  int64_t dim = eval_int(cx, "scatter_dimension", 0);
  Rendezvous x;
  TRY(groups_meet(cx, true, in, &x));
  uint32_t n_group = x.n_group;
  for (uint32_t i = 0; i < cx->n_in; i++) {
    // The first member to arrive computes the reduction for all.
    if (!x.shared[i]) TRY(groups_combine(cx, n_group, cx->n_in, x.parts, i, &x.shared[i]));
    const Literal *reduced = x.shared[i];
    if (reduced->dims[dim] % n_group != 0)
      FAIL(INVALID_ARGUMENT,
           "scatter_dimension %lld has size %lld, expected a multiple of the group size %u",
           (long long)dim, (long long)reduced->dims[dim], n_group);
    int64_t dims[MAX_RANK], outer = 1, inner = 1;
    for (uint32_t d = 0; d < reduced->rank; d++) {
      dims[d] = reduced->dims[d];
      if (reduced->count == 0) continue;
      if (d < dim) outer *= dims[d];
      if (d > dim) inner *= dims[d];
    }
    int64_t run = dims[dim] / n_group * inner, stride = dims[dim] * inner;
    dims[dim] /= n_group;
    out[i] = literal_new(cx->heap, cx->context, reduced->elem, reduced->rank, dims);
    for (int64_t o = 0; o < outer && reduced->count; o++)
      literal_copy_elements(out[i], o * run, reduced, o * stride + (int64_t)x.self * run, run);
  }
  cx->host->leave(cx, &x);
  return NULL;
}

static OpId sample_reduce_scatter(Sample *cx) {
  Type type;
  ValueId operand = groups_sample_operand(cx, "suf", 1, &type);
  int64_t dim = sample_int(cx, 0, type_info(cx->context, type)->rank - 1);
  Attr attrs = groups_sample_attrs(cx, false, 1, (const char *const[]){"scatter_dimension"}, &dim);
  OpId op = sample_op(cx, OP_reduce_scatter, attrs, 1, &operand, 1, &type, 1);
  sample_binary_body(cx, op, 0, type_elem(cx->context, type), OP_add);
  return op;
}

static bool factors(FactorContext *cx) {
  return factors_collective(cx, factors_int(cx, "scatter_dimension", 0), FACTORS_NONE);
}

const OpDef op_reduce_scatter = {.infer = infer_reduce_scatter,
                                 .eval = eval_reduce_scatter,
                                 .sample = sample_reduce_scatter,
                                 .constraints = 9,
                                 .unchecked = "C4: the size of the grid is known when it runs",
                                 .factors = factors};
