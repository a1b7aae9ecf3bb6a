// Problem: Cholesky, LU and QR factorizations and triangular systems, in batches.
// Idea: textbook algorithms on row-major matrices, arranged such that inner loops run along rows:
// subtract a multiple of a row, or the product of two rows. A unit of work is a matrix, or SIDES
// right-hand sides of a system; tiles share units. Numbers are rounded to the element type as in
// LAPACK; only single numbers (roots, quotients, norms) are computed in long double.
// Invariant: the order of operations depends on shapes only.
// Cost: O(n^3) per matrix, O(n^2) per right-hand side.
#include <math.h>
#include <string.h>

#include "execute/kernels/custom.h"
#include "execute/kernels/kernels.h"
#include "tensor/vectorize.h"
#include "tensor/wide.h"

enum { SIDES = 64 };

typedef enum FactorKind {
  FACTOR_CHOLESKY,
  FACTOR_LU,
  FACTOR_QR,
  FACTOR_PRODUCT,  // of the reflectors of QR
  FACTOR_SOLVE,
} FactorKind;

typedef struct Factor {
  FactorKind kind;
  Matrices a;
  uint32_t n_in;
  bool lower, unit, conjugate, left;  // lower: the triangle after op(a)
  bool keeps;                         // potrf: the other triangle stays, and there is an info
  int64_t row, column;                // strides of op(a)
  int64_t k;                          // reflectors
  int64_t sides, blocks;              // right-hand sides of a system, blocks of SIDES of them
} Factor;

typedef struct C64 {
  float re, im;
} C64;
typedef struct C128 {
  double re, im;
} C128;

// VECTOR_CLONES for a name that is itself a macro.
#define EXPANDED_CLONES(name, params, args) VECTOR_CLONES(name, params, args)

#define REAL_SUB_MUL(y, a, x) ((y) - (a) * (x))
#define REAL_ADD(x, y) ((x) + (y))
#define COMPLEX_SUB_MUL(C, y, a, x)                                                                \
  ((C){(y).re - ((a).re * (x).re - (a).im * (x).im), (y).im - ((a).re * (x).im + (a).im * (x).re)})
#define COMPLEX_ADD(C, x, y) ((C){(x).re + (y).re, (x).im + (y).im})

#define T float
#define OF(name) f32_##name
#define SUB_MUL REAL_SUB_MUL
#define ADD REAL_ADD
static Wide f32_wide(float x) { return wide_of(x); }
static float f32_narrow(Wide x) { return (float)x.re; }
#include "execute/kernels/factor_type.def"

#define T double
#define OF(name) f64_##name
#define SUB_MUL REAL_SUB_MUL
#define ADD REAL_ADD
static Wide f64_wide(double x) { return wide_of(x); }
static double f64_narrow(Wide x) { return (double)x.re; }
#include "execute/kernels/factor_type.def"

#define T C64
#define OF(name) c64_##name
#define SUB_MUL(y, a, x) COMPLEX_SUB_MUL(C64, y, a, x)
#define ADD(x, y) COMPLEX_ADD(C64, x, y)
static Wide c64_wide(C64 x) { return (Wide){x.re, x.im}; }
static C64 c64_narrow(Wide x) { return (C64){(float)x.re, (float)x.im}; }
#include "execute/kernels/factor_type.def"

#define T C128
#define OF(name) c128_##name
#define SUB_MUL(y, a, x) COMPLEX_SUB_MUL(C128, y, a, x)
#define ADD(x, y) COMPLEX_ADD(C128, x, y)
static Wide c128_wide(C128 x) { return (Wide){x.re, x.im}; }
static C128 c128_narrow(Wide x) { return (C128){(double)x.re, (double)x.im}; }
#include "execute/kernels/factor_type.def"

static void run_factor(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  const Factor *f = kernel->data;
  uint64_t first, last;
  kernel_part((uint64_t)(f->a.batches * f->blocks), tile, kernel->n_tiles, &first, &last);
  for (int64_t unit = (int64_t)first; unit < (int64_t)last; unit++) {
    switch (f->a.type) {
    case LAPACK_S: f32_run(f, buffers, unit, scratch); break;
    case LAPACK_D: f64_run(f, buffers, unit, scratch); break;
    case LAPACK_C: c64_run(f, buffers, unit, scratch); break;
    case LAPACK_Z: c128_run(f, buffers, unit, scratch); break;
    }
  }
}

// flops: of a unit. elements: of scratch memory.
static bool finish(const KernelRequest *r, const char *name, const Factor *factor, double flops,
                   int64_t elements, Kernel *out) {
  Factor *f = arena_copy(r->arena, factor, sizeof *factor);
  f->n_in = op_at(r->program, r->op)->n_operands;
  uint64_t units = (uint64_t)(f->a.batches * f->blocks);
  *out =
      (Kernel){.name = name,
               .run = run_factor,
               .data = f,
               .n_tiles = kernel_tiles(kernel_seconds(RATE_factor, (double)units * flops), units),
               .scratch_bytes = (size_t)elements * f->a.item};
  return true;
}

static bool make_cholesky(const KernelRequest *r, bool lower, bool keeps, Kernel *out) {
  Factor f = {.kind = FACTOR_CHOLESKY, .lower = lower, .keeps = keeps, .blocks = 1};
  if (!matrices_operand(r, 0, &f.a) || f.a.m != f.a.n ||
      !matrices_result(r, 0, f.a.dtype, f.a.batches * f.a.m * f.a.n))
    return false;
  if (keeps &&
      (!matrices_result(r, 1, DT_i32, f.a.batches) || op_at(r->program, r->op)->n_results != 2))
    return false;
  double n = (double)f.a.n;
  return finish(r, "cholesky", &f, n * n * n / 3, lapack_is_complex(f.a.type) ? f.a.n * f.a.n : 0,
                out);
}

bool kernel_cholesky(const KernelRequest *r, Kernel *out) {
  bool lower = attr_as_bool(r->program->context, op_attr(r->program, r->op, "lower"), false);
  return make_cholesky(r, lower, false, out);
}

bool kernel_potrf(const KernelRequest *r, Kernel *out) {
  return make_cholesky(r, custom_flag(r, "uplo", 'L') == 'L', true, out);
}

bool kernel_getrf(const KernelRequest *r, Kernel *out) {
  Factor f = {.kind = FACTOR_LU, .blocks = 1};
  if (!matrices_operand(r, 0, &f.a)) return false;
  int64_t m = f.a.m, n = f.a.n, k = m < n ? m : n;
  if (op_at(r->program, r->op)->n_results != 3 ||
      !matrices_result(r, 0, f.a.dtype, f.a.batches * m * n) ||
      !matrices_result(r, 1, DT_i32, f.a.batches * k) ||
      !matrices_result(r, 2, DT_i32, f.a.batches) || m > INT32_MAX)
    return false;
  return finish(r, "lu", &f, (double)m * (double)n * (double)k, 0, out);
}

bool kernel_geqrf(const KernelRequest *r, Kernel *out) {
  Factor f = {.kind = FACTOR_QR, .blocks = 1};
  if (!matrices_operand(r, 0, &f.a)) return false;
  int64_t m = f.a.m, n = f.a.n, k = m < n ? m : n;
  if (op_at(r->program, r->op)->n_results != 2 ||
      !matrices_result(r, 0, f.a.dtype, f.a.batches * m * n) ||
      !matrices_result(r, 1, f.a.dtype, f.a.batches * k))
    return false;
  return finish(r, "qr", &f, 2.0 * (double)m * (double)n * (double)k, n, out);
}

bool kernel_orgqr(const KernelRequest *r, Kernel *out) {
  Factor f = {.kind = FACTOR_PRODUCT, .blocks = 1};
  Dense taus;
  if (op_at(r->program, r->op)->n_operands != 2 || !matrices_operand(r, 0, &f.a) ||
      !dense_operand(r, 1, &taus) || taus.rank < 1 || taus.dtype != f.a.dtype)
    return false;
  f.k = taus.dims[taus.rank - 1];
  if (f.k > f.a.m || f.k > f.a.n || taus.count != f.a.batches * f.k ||
      op_at(r->program, r->op)->n_results != 1 ||
      !matrices_result(r, 0, f.a.dtype, f.a.batches * f.a.m * f.a.n))
    return false;
  return finish(r, "qr", &f, 2.0 * (double)f.a.m * (double)f.a.n * (double)f.k, f.a.n, out);
}

// flipped: op(a) is the transpose, conjugated or not. f: lower (of a), unit and conjugate are set.
static bool make_solve(const KernelRequest *r, Factor *f, bool left, bool flipped, Kernel *out) {
  Matrices b;
  f->kind = FACTOR_SOLVE;
  if (!matrices_operand(r, 0, &f->a) || f->a.m != f->a.n || !matrices_operand(r, 1, &b) ||
      b.dtype != f->a.dtype || b.batches != f->a.batches || f->a.n != (left ? b.m : b.n) ||
      !matrices_result(r, 0, b.dtype, b.batches * b.m * b.n))
    return false;
  bool turned = flipped != !left;  // op and the side each transpose the system
  f->left = left;
  f->row = turned ? 1 : f->a.n;
  f->column = turned ? f->a.n : 1;
  f->lower = f->lower != turned;
  f->sides = left ? b.n : b.m;
  f->blocks = (f->sides + SIDES - 1) / SIDES;
  double n = (double)f->a.n, sides = (double)(f->sides < SIDES ? f->sides : SIDES);
  return finish(r, "triangular_solve", f, n * n * sides, f->a.n * SIDES, out);
}

bool kernel_triangular_solve(const KernelRequest *r, Kernel *out) {
  Context *c = r->program->context;
  const Program *p = r->program;
  Str transpose = name_str(c, attr_as_name(c, op_attr(p, r->op, "transpose_a")));
  Factor f = {.lower = attr_as_bool(c, op_attr(p, r->op, "lower"), false),
              .unit = attr_as_bool(c, op_attr(p, r->op, "unit_diagonal"), false),
              .conjugate = str_is(transpose, "ADJOINT")};
  return make_solve(r, &f, attr_as_bool(c, op_attr(p, r->op, "left_side"), false),
                    !str_is(transpose, "NO_TRANSPOSE"), out);
}

bool kernel_trsm(const KernelRequest *r, Kernel *out) {
  const Op *op = op_at(r->program, r->op);
  char trans = custom_flag(r, "trans_x", 'N');
  Factor f = {.lower = custom_flag(r, "uplo", 'L') == 'L',
              .unit = custom_flag(r, "diag", 'N') == 'U',
              .conjugate = trans == 'C'};
  Dense alpha;
  if (op->n_operands > 3 || op->n_results != 1) return false;
  if (op->n_operands == 3) {
    Matrices a;
    if (!matrices_operand(r, 0, &a) || !dense_operand(r, 2, &alpha) || alpha.count < 1 ||
        alpha.dtype != a.dtype)
      return false;
  }
  return make_solve(r, &f, custom_flag(r, "side", 'L') == 'L', trans != 'N', out);
}
