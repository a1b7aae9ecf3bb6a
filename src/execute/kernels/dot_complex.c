// Kernel of products of complex numbers: dot_general on complex<f64>. (Of complex<f32> the
// evaluator rounds each product to f32, which StableHLO's tests expect; sums here are f64.)
//
// The operands are transposed to [batch, m, k] and [batch, k, n] by strided copies, so that rows of
// the result are sums of multiples of rows: the inner loop runs along n. Sums are complex<f64> and
// rounded once. O(batch m n k).
#include <string.h>

#include "execute/kernels/common.h"
#include "execute/kernels/kernels.h"
#include "ops/contract.h"
#include "tensor/vectorize.h"

typedef struct Product {
  int64_t batch, m, n, k;
  bool wide;        // complex<f64>
  size_t lhs, rhs;  // offsets in the temporary buffer
  uint32_t temporary;
} Product;

// sum[2 j …] += a b[2 j …] for n complex numbers.
#define DEFINE_ADD(name, T)                                                                        \
  VECTOR_BODY void name##_body(double *restrict sum, const T *restrict b, double re, double im,    \
                               int64_t n) {                                                        \
    for (int64_t j = 0; j < n; j++) {                                                              \
      double x = (double)b[2 * j], y = (double)b[2 * j + 1];                                       \
      sum[2 * j] += re * x - im * y;                                                               \
      sum[2 * j + 1] += re * y + im * x;                                                           \
    }                                                                                              \
  }                                                                                                \
  VECTOR_CLONES(name,                                                                              \
                (double *restrict sum, const T *restrict b, double re, double im, int64_t n),      \
                (sum, b, re, im, n))
DEFINE_ADD(add_c64, float)
DEFINE_ADD(add_c128, double)

static void run_complex(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  const Product *p = kernel->data;
  const char *temp = buffers[p->temporary];
  double *sum = scratch;
  uint64_t first, last;
  kernel_part((uint64_t)(p->batch * p->m), tile, kernel->n_tiles, &first, &last);
  for (int64_t row = (int64_t)first; row < (int64_t)last; row++) {
    int64_t b = row / p->m;
    memset(sum, 0, (size_t)(2 * p->n) * sizeof *sum);
    for (int64_t k = 0; k < p->k; k++) {
      int64_t at = 2 * (row * p->k + k), from = 2 * (b * p->k + k) * p->n;
      if (p->wide) {
        const double *l = (const double *)(const void *)(temp + p->lhs) + at;
        add_c128(sum, (const double *)(const void *)(temp + p->rhs) + from, l[0], l[1], p->n);
      } else {
        const float *l = (const float *)(const void *)(temp + p->lhs) + at;
        add_c64(sum, (const float *)(const void *)(temp + p->rhs) + from, (double)l[0],
                (double)l[1], p->n);
      }
    }
    for (int64_t j = 0; j < 2 * p->n; j++) {
      if (p->wide)
        ((double *)buffers[2])[2 * row * p->n + j] = sum[j];
      else
        ((float *)buffers[2])[2 * row * p->n + j] = (float)sum[j];
    }
  }
}

// A side as [batch, a, b]: its dimensions in this order. Adds the copy to temporary memory.
typedef struct Side {
  uint32_t n;
  int64_t dims[MAX_RANK], strides[MAX_RANK];
} Side;

static void side_add(Side *s, const Dense *d, Ints dims) {
  for (uint32_t i = 0; i < dims.n; i++) {
    s->dims[s->n] = d->dims[dims.v[i]];
    s->strides[s->n++] = d->strides[dims.v[i]] * (int64_t)d->item;
  }
}

static int64_t side_free(Side *s, const Dense *d, Ints batch, Ints contract) {
  int64_t count = 1;
  for (uint32_t i = 0; i < d->rank; i++) {
    if (ints_contain(batch, i) || ints_contain(contract, i)) continue;
    int64_t at = i;
    side_add(s, d, (Ints){.n = 1, .v = &at});
    count *= d->dims[i];
  }
  return count;
}

static CopyStep side_copy(const Side *s, const Dense *d, uint32_t from, uint32_t to, size_t at) {
  CopyStep step = {.from = from, .to = to, .to_at = (int64_t)at};
  int64_t dense[MAX_RANK];
  shape_strides(s->n, s->dims, dense);
  for (uint32_t i = 0; i < s->n; i++) dense[i] *= (int64_t)d->item;
  moves_init(&step.moves, d->item, s->n, s->dims, s->strides, dense);
  return step;
}

static int64_t count_of(const Dense *d, Ints dims) {
  int64_t count = 1;
  for (uint32_t i = 0; i < dims.n; i++) count *= d->dims[dims.v[i]];
  return count;
}

bool kernel_dot_general_complex(const KernelRequest *r, Kernel *out) {
  Dense lhs, rhs, result;
  if (!dense_operand(r, 0, &lhs) || !dense_operand(r, 1, &rhs) || !dense_result(r, 0, &result) ||
      result.dtype != DT_c128 || lhs.dtype != result.dtype || rhs.dtype != result.dtype ||
      op_attr(r->program, r->op, "algorithm"))
    return false;
  if (result.count == 0) return kernel_nothing(out), true;
  if (lhs.count == 0 || rhs.count == 0) return false;
  ContractDims dims =
      contract_dims(r->program->context, op_attr(r->program, r->op, "dot_dimension_numbers"));
  Product *p = ARENA_NEW(r->arena, Product);
  Side left = {0}, right = {0};
  p->wide = result.dtype == DT_c128;
  p->temporary = 3;
  p->batch = count_of(&lhs, dims.lhs_batch);
  p->k = count_of(&lhs, dims.lhs_contract);
  side_add(&left, &lhs, dims.lhs_batch);
  p->m = side_free(&left, &lhs, dims.lhs_batch, dims.lhs_contract);
  side_add(&left, &lhs, dims.lhs_contract);
  side_add(&right, &rhs, dims.rhs_batch);
  side_add(&right, &rhs, dims.rhs_contract);
  p->n = side_free(&right, &rhs, dims.rhs_batch, dims.rhs_contract);
  KernelChain chain = {.arena = r->arena};
  p->lhs = chain_temp(&chain, (size_t)lhs.count * lhs.item);
  p->rhs = chain_temp(&chain, (size_t)rhs.count * rhs.item);
  CopyStep *steps = ARENA_ARRAY(r->arena, CopyStep, 2);
  steps[0] = side_copy(&left, &lhs, 0, p->temporary, p->lhs);
  steps[1] = side_copy(&right, &rhs, 1, p->temporary, p->rhs);
  Kernel copy;
  kernel_copies(r, "matmul (complex)", 2, steps, &copy);
  chain_add(&chain, &copy);
  double flops = 8.0 * (double)result.count * (double)p->k;
  chain_add(&chain, &(Kernel){.name = "matmul (complex)",
                              .run = run_complex,
                              .data = p,
                              .n_tiles = kernel_tiles(kernel_seconds(RATE_complex_product, flops),
                                                      (uint64_t)(p->batch * p->m)),
                              .scratch_bytes = (size_t)(2 * p->n) * sizeof(double)});
  chain_link(&chain, out);
  return true;
}
