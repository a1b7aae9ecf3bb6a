// all_gather: the operands of a group's processes, concatenated along one dimension, in group
// order. O(elements).
#include "ops/factors.h"
#include "ops/groups.h"

static bool infer_all_gather(Infer *cx) {
  int64_t dim = infer_int(cx, "all_gather_dim", -1);
  Groups groups;
  REQUIRE(cx, 6, infer_n_operands(cx) == infer_n_results(cx),
          "the numbers of operands and results are %u and %u, expected equal", infer_n_operands(cx),
          infer_n_results(cx));
  for (uint32_t i = 0; i < infer_n_operands(cx); i++) {
    const TypeInfo *in = infer_operand_info(cx, i);
    REQUIRE(cx, 1, in->kind != TYPE_TENSOR || (dim >= 0 && dim < (int64_t)in->rank),
            "all_gather_dim is %lld, expected it in [0, %u), a dimension of %s", (long long)dim,
            in->rank, infer_text(cx, infer_operand(cx, i)));
  }
  if (!groups_check_operands(cx) || !groups_check(cx, true, true, 2, 4, 5, &groups)) return false;
  if (!infer_declared(cx)) return false;
  for (uint32_t i = 0; i < infer_n_operands(cx); i++) {
    const TypeInfo *in = infer_operand_info(cx, i), *out = type_info(cx->context, cx->out[i]);
    if (in->kind != TYPE_TENSOR || out->kind != TYPE_TENSOR) continue;
    bool same = in->rank == out->rank && in->elem == out->elem;
    for (uint32_t d = 0; same && d < in->rank; d++)
      if (d != dim) same = dim_compatible(in->dims[d], out->dims[d]);
    REQUIRE(cx, 6, same, "result %u is %s, expected %s except for the size of dimension %lld", i,
            infer_text(cx, cx->out[i]), infer_text(cx, infer_operand(cx, i)), (long long)dim);
    int64_t a = in->dims[dim], b = out->dims[dim];
    // If groups span replicas and partitions, or are one group of all, their size depends on the
    // grid: any multiple of the operand's size is accepted.
    bool open = groups.kind == GROUP_CROSS_REPLICA_AND_PARTITION || groups.n * groups.width == 0;
    int64_t gathered;
    if (a != DIM_DYNAMIC && b != DIM_DYNAMIC)
      REQUIRE(cx, 6,
              open ? (a == 0 ? b == 0 : b % a == 0)
                   : !__builtin_mul_overflow(a, (int64_t)groups.width, &gathered) && b == gathered,
              "dimension %lld of result %u has size %lld, expected %s%lld%s", (long long)dim, i,
              (long long)b, open ? "a multiple of the operand's " : "the operand's ", (long long)a,
              open ? ""
                   : arena_printf(context_arena(cx->context), " times the group size %u",
                                  groups.width));
  }
  return true;
}

static Status *join_all(EvalContext *cx, const Rendezvous *x, Literal *const *in, Literal **out) {
  int64_t dim = eval_int(cx, "all_gather_dim", 0);
  uint32_t n_group = x->n_group;
  Literal *const *parts = x->parts;
  for (uint32_t i = 0; i < cx->n_in; i++) {
    TRY(groups_same_shapes(n_group, cx->n_in, parts, i, dim));
    int64_t dims[MAX_RANK], outer = 1, inner = 1, along = 0;
    for (uint32_t d = 0; d < in[i]->rank; d++) dims[d] = in[i]->dims[d];
    for (uint32_t m = 0; m < n_group; m++)
      if (__builtin_add_overflow(along, parts[m * cx->n_in + i]->dims[dim], &along))
        FAIL(RESOURCE_EXHAUSTED, "the size of the gathered dimension exceeds 64 bits");
    dims[dim] = along;
    out[i] = literal_new(cx->heap, cx->context, in[i]->elem, in[i]->rank, dims);
    if (out[i]->count == 0) continue;
    for (uint32_t d = 0; d < in[i]->rank; d++) {
      if (d < dim) outer *= dims[d];
      if (d > dim) inner *= dims[d];
    }
    int64_t at = 0;
    for (uint32_t m = 0; m < n_group; m++) {
      const Literal *part = parts[m * cx->n_in + i];
      int64_t run = part->dims[dim] * inner;
      for (int64_t o = 0; o < outer; o++)
        literal_copy_elements(out[i], o * along * inner + at, part, o * run, run);
      at += run;
    }
  }
  return NULL;
}

static Status *eval_all_gather(EvalContext *cx, Literal *const *in, Literal **out) {
  Rendezvous x;
  TRY(groups_meet(cx, true, in, &x));
  return groups_once(cx, &x, in, join_all, out);
}

static OpId sample_all_gather(Sample *cx) {
  Type type;
  ValueId operand = groups_sample_operand(cx, "bsufc", 1, &type);
  int64_t dim = sample_int(cx, 0, type_info(cx->context, type)->rank - 1);
  Attr attrs = groups_sample_attrs(cx, false, 1, (const char *const[]){"all_gather_dim"}, &dim);
  return sample_op(cx, OP_all_gather, attrs, 1, &operand, 1, &type, 0);
}

static bool factors(FactorContext *cx) {
  return factors_collective(cx, (uint32_t)factors_int(cx, "all_gather_dim", 0), FACTORS_NONE);
}

const OpDef op_all_gather = {.infer = infer_all_gather,
                             .eval = eval_all_gather,
                             .sample = sample_all_gather,
                             .constraints = 6,
                             .unchecked = "C3: the size of the grid is known when it runs",
                             .factors = factors};
