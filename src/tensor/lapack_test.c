// One suite for every implementation of tensor/lapack.h: the defining equations of each
// decomposition, on random matrices of all types; then the two implementations against each other,
// signs included.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/sanitize.h"
#include "tensor/lapack.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/guard.h"
#include "tensor/wide.h"

enum { MOST = 40 };

typedef struct Bench {
  const LapackEngine *engine;
  LapackType type;
  Arena arena;
  LapackWork work;
  uint64_t state;
  int kind;  // of matrices: 0 random, else one of those that deflate much
} Bench;

static void *take(void *context, size_t bytes) { return arena_alloc(context, bytes); }

static double uniform(Bench *b) {
  b->state = b->state * 6364136223846793005u + 1442695040888963407u;
  return (double)(b->state >> 40) / (double)(1 << 23) - 1;
}

static double tolerance(const Bench *b, int64_t n) {
  return (lapack_is_double(b->type) ? 1e-14 : 6e-6) * (double)(n + 4);
}

// ---- matrices: column major, in the element type and wide ----

static Wide get(LapackType type, const void *data, int64_t i) {
  const float *s = data;
  const double *d = data;
  switch (type) {
  case LAPACK_S: return wide_of(s[i]);
  case LAPACK_D: return wide_of(d[i]);
  case LAPACK_C: return (Wide){s[2 * i], s[2 * i + 1]};
  case LAPACK_Z: break;
  }
  return (Wide){d[2 * i], d[2 * i + 1]};
}

static void set(LapackType type, void *data, int64_t i, double re, double im) {
  float *s = data;
  double *d = data;
  int64_t at = lapack_is_complex(type) ? 2 * i : i;
  if (lapack_is_double(type)) {
    d[at] = re;
    if (lapack_is_complex(type)) d[at + 1] = im;
  } else {
    s[at] = (float)re;
    if (lapack_is_complex(type)) s[at + 1] = (float)im;
  }
}

static LapackType real_type(LapackType type) {
  return lapack_is_double(type) ? LAPACK_D : LAPACK_S;
}

static void *space(Bench *b, int64_t count) {
  return arena_calloc(&b->arena, (size_t)count + 1, lapack_bytes(b->type));
}

enum { ZERO = 1, ONE, ONES, BLOCKS, JORDAN, SMALL_INTEGERS, KINDS };

static void *random_matrix(Bench *b, int64_t m, int64_t n) {
  void *a = space(b, m * n);
  for (int64_t at = 0; at < m * n; at++) {
    double re = uniform(b), im = uniform(b);
    int64_t i = at % m, j = at / m;
    switch (b->kind) {
    case ZERO: re = im = 0; break;
    case ONE: re = i == j, im = 0; break;
    case ONES: re = 1, im = 0; break;
    case BLOCKS: re = i / 3 == j / 3 ? 1 + (double)(i == j) : 0, im = 0; break;
    case JORDAN: re = i == j || i + 1 == j, im = 0; break;
    case SMALL_INTEGERS: re = floor(2 * re), im = floor(2 * im); break;
    default: break;
    }
    set(b->type, a, at, re, im);
  }
  return a;
}

static void *copy(Bench *b, const void *a, int64_t count) {
  void *out = space(b, count);
  memcpy(out, a, lapack_bytes(b->type) * (size_t)count);
  return out;
}

static Wide *widened(Bench *b, const void *a, int64_t count) {
  Wide *out = ARENA_ARRAY(&b->arena, Wide, (size_t)count + 1);
  for (int64_t i = 0; i < count; i++) out[i] = get(b->type, a, i);
  return out;
}

// x [m,k] y [k,n]; x may be taken as its adjoint [k,m].
static Wide *product(Bench *b, const Wide *x, bool adjoint, const Wide *y, int64_t m, int64_t k,
                     int64_t n) {
  Wide *out = ARENA_ARRAY(&b->arena, Wide, (size_t)(m * n) + 1);
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++) {
      Wide sum = {0, 0};
      for (int64_t l = 0; l < k; l++) {
        Wide left = adjoint ? wide_conj(x[i * k + l]) : x[l * m + i];
        sum = wide_add(sum, wide_mul(left, y[j * k + l]));
      }
      out[j * m + i] = sum;
    }
  return out;
}

static void expect_near(const Bench *b, const char *what, const Wide *x, const Wide *y,
                        int64_t count, int64_t n) {
  for (int64_t i = 0; i < count; i++) {
    double off = (double)wide_abs(wide_sub(x[i], y[i]));
    if (!(off <= tolerance(b, n)))
      fail_msg("%s, %s, type %d, size %lld: entry %lld is %g+%gi, expected %g+%gi", b->engine->name,
               what, (int)b->type, (long long)n, (long long)i, (double)x[i].re, (double)x[i].im,
               (double)y[i].re, (double)y[i].im);
  }
}

// x [m,n] has orthonormal columns.
static void expect_unitary(Bench *b, const char *what, const Wide *x, int64_t m, int64_t n) {
  Wide *square = product(b, x, true, x, n, m, n);
  Wide *one = ARENA_ARRAY(&b->arena, Wide, (size_t)(n * n) + 1);
  for (int64_t i = 0; i < n; i++) one[i * n + i] = wide_of(1);
  expect_near(b, what, square, one, n * n, m);
}

// ---- the suite ----

static void check_syevd(Bench *b, int32_t n) {
  for (int upper = 0; upper < 2; upper++) {
    Wide *a = widened(b, random_matrix(b, n, n), n * n);
    void *packed = space(b, n * n), *w = space(b, n);
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = 0; i < n; i++) {
        bool read = upper ? i <= j : i >= j;
        Wide x = read ? a[j * n + i] : wide_conj(a[i * n + j]);
        if (i == j) x.im = 0;
        set(b->type, packed, j * n + i, read ? (double)x.re : 77, read ? (double)x.im : 77);
      }
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = 0; i < n; i++)
        if (upper ? i > j : i < j) a[j * n + i] = wide_conj(get(b->type, packed, i * n + j));
    for (int64_t i = 0; i < n; i++) a[i * n + i].im = 0;
    void *packed_again = copy(b, packed, n * n);
    assert_int_equal(b->engine->syevd(b->type, upper ? 'U' : 'L', n, packed, w, &b->work), 0);
    Wide *v = widened(b, packed, n * n), *scaled = widened(b, packed, n * n);
    expect_unitary(b, "syevd", v, n, n);
    for (int64_t j = 0; j < n; j++) {
      long double value = get(real_type(b->type), w, j).re;
      if (j) assert_true(value >= get(real_type(b->type), w, j - 1).re);
      for (int64_t i = 0; i < n; i++) scaled[j * n + i] = wide_scale(v[j * n + i], value);
    }
    expect_near(b, "syevd", product(b, a, false, v, n, n, n), scaled, n * n, n);

    // sytrd: q^H a q is tridiagonal, q from ormqr on what stands below (upper: checked by syevd).
    void *d = space(b, n), *e = space(b, n), *tau = space(b, n);
    assert_int_equal(
        b->engine->sytrd(b->type, upper ? 'U' : 'L', n, packed_again, d, e, tau, &b->work), 0);
    if (upper || n < 2) continue;
    int32_t m = n - 1;
    void *below = space(b, m * m), *inner = space(b, m * m);
    for (int64_t j = 0; j < m; j++)
      for (int64_t i = 0; i < m; i++) {
        Wide x = get(b->type, packed_again, j * n + i + 1);
        set(b->type, below, j * m + i, (double)x.re, (double)x.im);
        set(b->type, inner, j * m + i, i == j, 0);
      }
    assert_int_equal(b->engine->ormqr(b->type, 'L', false, m, m, m, below, tau, inner, &b->work),
                     0);
    Wide *q = ARENA_ARRAY(&b->arena, Wide, (size_t)(n * n));
    Wide *t = ARENA_ARRAY(&b->arena, Wide, (size_t)(n * n));
    q[0] = wide_of(1);
    for (int64_t j = 0; j < n; j++) {
      for (int64_t i = 0; j && i + 1 < n; i++)
        q[j * n + i + 1] = get(b->type, inner, (j - 1) * m + i);
      t[j * n + j] = get(real_type(b->type), d, j);
      if (j + 1 < n) t[j * n + j + 1] = t[(j + 1) * n + j] = get(real_type(b->type), e, j);
    }
    expect_near(b, "sytrd", product(b, q, true, product(b, a, false, q, n, n, n), n, n, n), t,
                n * n, n);
  }
}

static void check_svd(Bench *b, int32_t m, int32_t n) {
  int32_t k = m < n ? m : n;
  if (k == 0 && b->engine != &lapack_own) return;  // LAPACK leaves u and vt as they are
  const char modes[] = "ASN";
  for (int divide = 0; divide < 2; divide++)
    for (int mode = 0; mode < 3; mode++) {
      void *a = random_matrix(b, m, n), *s = space(b, k);
      Wide *before = widened(b, a, m * n);
      int64_t columns = modes[mode] == 'A' ? m : k, rows = modes[mode] == 'A' ? n : k;
      void *u = space(b, m * columns), *vt = space(b, rows * n);
      assert_int_equal(b->engine->svd(b->type, divide, modes[mode], m, n, a, s, u, vt, &b->work),
                       0);
      for (int64_t i = 0; i < k; i++) {
        long double value = get(real_type(b->type), s, i).re;
        assert_true(value >= 0 && (i == 0 || value <= get(real_type(b->type), s, i - 1).re));
      }
      if (modes[mode] == 'N') continue;
      Wide *left = widened(b, u, m * columns), *right = widened(b, vt, rows * n);
      Wide *v = ARENA_ARRAY(&b->arena, Wide, (size_t)(rows * n) + 1);
      for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < n; j++) v[i * n + j] = wide_conj(right[j * rows + i]);
      expect_unitary(b, "svd u", left, m, columns);
      expect_unitary(b, "svd v", v, n, rows);
      Wide *scaled = ARENA_ARRAY(&b->arena, Wide, (size_t)(m * k) + 1),
           *top = ARENA_ARRAY(&b->arena, Wide, (size_t)(k * n) + 1);
      for (int64_t j = 0; j < k; j++) {
        for (int64_t i = 0; i < m; i++)
          scaled[j * m + i] = wide_scale(left[j * m + i], get(real_type(b->type), s, j).re);
        for (int64_t i = 0; i < n; i++) top[i * k + j] = right[i * rows + j];
      }
      expect_near(b, "svd", product(b, scaled, false, top, m, k, n), before, m * n, m + n);
    }
}

// Eigenvalue j and its vector, real types unpacked.
static Wide eigenvalue(const Bench *b, const void *w, int64_t n, int64_t j) {
  Wide x = get(b->type, w, j);
  if (!lapack_is_complex(b->type)) x.im = get(b->type, w, n + j).re;
  return x;
}
static Wide *eigenvector(Bench *b, const void *v, const void *w, int64_t n, int64_t j) {
  Wide *out = ARENA_ARRAY(&b->arena, Wide, (size_t)n + 1);
  long double im = lapack_is_complex(b->type) ? 0 : eigenvalue(b, w, n, j).im;
  for (int64_t i = 0; i < n; i++) {
    if (im > 0)
      out[i] = (Wide){get(b->type, v, j * n + i).re, get(b->type, v, (j + 1) * n + i).re};
    else if (im < 0)
      out[i] = (Wide){get(b->type, v, (j - 1) * n + i).re, -get(b->type, v, j * n + i).re};
    else
      out[i] = get(b->type, v, j * n + i);
  }
  return out;
}

static void check_geev(Bench *b, int32_t n) {
  void *a = random_matrix(b, n, n), *w = space(b, 2 * n), *vl = space(b, n * n),
       *vr = space(b, n * n);
  if (n > 2)  // rows and columns that isolate eigenvalues, and badly scaled ones
    for (int64_t i = 0; i < n; i++) {
      if (i != 1 && b->state % 3 == 0) set(b->type, a, i * n + 1, 0, 0);
      if (b->state % 5 == 0) {
        Wide x = get(b->type, a, i * n);
        set(b->type, a, i * n, (double)x.re / 256, (double)x.im / 256);
      }
    }
  Wide *before = widened(b, a, n * n);
  assert_int_equal(b->engine->geev(b->type, 'V', 'V', n, copy(b, a, n * n), w, vl, vr, &b->work),
                   0);
  for (int64_t j = 0; j < n; j++) {
    Wide value = eigenvalue(b, w, n, j), *x = eigenvector(b, vr, w, n, j),
         *y = eigenvector(b, vl, w, n, j);
    for (int left = 0; left < 2; left++) {
      Wide *v = left ? y : x, *scaled = ARENA_ARRAY(&b->arena, Wide, (size_t)n);
      long double norm = 0, most = -1, im = 0;
      for (int64_t i = 0; i < n; i++) {
        scaled[i] = wide_mul(v[i], left ? wide_conj(value) : value);
        norm = hypotl(norm, wide_abs(v[i]));
        if (wide_abs(v[i]) > most) most = wide_abs(v[i]), im = v[i].im;
      }
      assert_true(fabsl(norm - 1) < (long double)tolerance(b, n));
      assert_true(fabsl(im) < 1e-3L);
      expect_near(b, left ? "geev left" : "geev", product(b, before, left, v, n, n, 1), scaled, n,
                  4 * n);
    }
  }
  void *only = space(b, 2 * n);
  assert_int_equal(
      b->engine->geev(b->type, 'N', 'N', n, copy(b, a, n * n), only, NULL, NULL, &b->work), 0);
  expect_near(b, "geev without vectors", widened(b, only, n), widened(b, w, n), n, 8 * n);
}

static void check_gees(Bench *b, int32_t n) {
  void *a = random_matrix(b, n, n), *w = space(b, 2 * n), *vs = space(b, n * n);
  Wide *before = widened(b, a, n * n);
  assert_int_equal(b->engine->gees(b->type, 'V', n, a, w, vs, &b->work), 0);
  Wide *t = widened(b, a, n * n), *q = widened(b, vs, n * n);
  expect_unitary(b, "gees", q, n, n);
  expect_near(b, "gees", product(b, before, false, q, n, n, n), product(b, q, false, t, n, n, n),
              n * n, 2 * n);
  for (int64_t j = 0; j < n; j++) {
    for (int64_t i = j + 2; i < n; i++) assert_true(wide_abs(t[j * n + i]) == 0);
    if (j + 1 >= n || wide_abs(t[j * n + j + 1]) == 0) continue;
    // A block of two rows: of real types only, with one diagonal entry twice.
    assert_false(lapack_is_complex(b->type));
    assert_true(t[j * n + j].re == t[(j + 1) * n + j + 1].re);
    assert_true(t[j * n + j + 1].re * t[(j + 1) * n + j].re < 0);
    if (j + 2 < n) assert_true(wide_abs(t[(j + 1) * n + j + 2]) == 0);
    assert_true(eigenvalue(b, w, n, j).im > 0);
  }
}

static void check_gehrd(Bench *b, int32_t n) {
  if (n < 1) return;
  void *a = random_matrix(b, n, n), *tau = space(b, n);
  Wide *before = widened(b, a, n * n);
  assert_int_equal(b->engine->gehrd(b->type, n, 1, n, a, tau, &b->work), 0);
  int32_t m = n - 1;
  void *below = space(b, m * m), *inner = space(b, m * m);
  for (int64_t j = 0; j < m; j++)
    for (int64_t i = 0; i < m; i++) {
      Wide x = get(b->type, a, j * n + i + 1);
      set(b->type, below, j * m + i, (double)x.re, (double)x.im);
      set(b->type, inner, j * m + i, i == j, 0);
    }
  // Applied from the right, adjoint and all: (1 q^H)^H.
  assert_int_equal(b->engine->ormqr(b->type, 'R', true, m, m, m, below, tau, inner, &b->work), 0);
  Wide *q = ARENA_ARRAY(&b->arena, Wide, (size_t)(n * n)), *h = widened(b, a, n * n);
  q[0] = wide_of(1);
  for (int64_t j = 0; j < m; j++)
    for (int64_t i = 0; i < m; i++)
      q[(j + 1) * n + i + 1] = wide_conj(get(b->type, inner, i * m + j));
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = j + 2; i < n; i++) h[j * n + i] = wide_of(0);
  expect_unitary(b, "gehrd", q, n, n);
  expect_near(b, "gehrd", product(b, before, false, q, n, n, n), product(b, q, false, h, n, n, n),
              n * n, 2 * n);
}

static void check_geqp3(Bench *b, int32_t m, int32_t n) {
  int32_t k = m < n ? m : n;
  if (k == 0 && b->engine != &lapack_own)
    return;  // LAPACK may require more work space than it reported
  for (int fixed = 0; fixed < 2; fixed++) {
    void *a = random_matrix(b, m, n), *tau = space(b, k), *q = space(b, m * m);
    Wide *before = widened(b, a, m * n);
    int32_t *pivots = ARENA_ARRAY(&b->arena, int32_t, (size_t)n + 1);
    if (fixed && n > 0) pivots[n - 1] = 1;
    assert_int_equal(b->engine->geqp3(b->type, m, n, a, pivots, tau, &b->work), 0);
    Wide *r = widened(b, a, m * n), *moved = ARENA_ARRAY(&b->arena, Wide, (size_t)(m * n) + 1);
    for (int64_t j = 0; j < n; j++) {
      assert_in_range(pivots[j], 1, n);
      for (int64_t i = 0; i < m; i++) {
        moved[j * m + i] = before[(pivots[j] - 1) * m + i];
        if (i > j) r[j * m + i] = wide_of(0);
      }
      if (j > fixed && j < k)
        assert_true(wide_abs(r[j * m + j]) <=
                    wide_abs(r[(j - 1) * m + j - 1]) * (1 + (long double)tolerance(b, m)));
    }
    if (fixed && n > 0) assert_int_equal(pivots[0], n);
    for (int64_t i = 0; i < m * m; i++) set(b->type, q, i, i / m == i % m, 0);
    assert_int_equal(b->engine->ormqr(b->type, 'L', false, m, m, k, a, tau, q, &b->work), 0);
    Wide *wide_q = widened(b, q, m * m);
    expect_unitary(b, "geqp3", wide_q, m, m);
    expect_near(b, "geqp3", product(b, wide_q, false, r, m, m, n), moved, m * n, m + n);
  }
}

static const int32_t sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 13, 25, 26, 33, MOST};
enum { N_SIZES = sizeof sizes / sizeof sizes[0] };

static Status *suite(Guard *guard, void *arg) {
  Bench b = *(Bench *)arg;
  arena_init(&b.arena, guard);
  b.work = (LapackWork){.take = take, .context = &b.arena};
  for (int i = 0; i < N_SIZES; i++) {
    int32_t n = sizes[i], other = sizes[(i * 5 + 3) % N_SIZES];
    check_syevd(&b, n);
    check_svd(&b, n, n);
    check_svd(&b, n, other);
    check_svd(&b, other, n);
    check_geev(&b, n);
    check_gees(&b, n);
    check_gehrd(&b, n);
    check_geqp3(&b, n, other);
    arena_deinit(&b.arena);
    arena_init(&b.arena, guard);
  }
  // Iterations of large matrices take long in sanitized builds.
  static const int32_t special[] = {2, 6, 25, SANITIZED ? 26 : 27, SANITIZED ? 28 : 60};
  for (b.kind = ZERO; b.kind < KINDS; b.kind++)
    for (int i = 0; i < 5; i++) {
      check_syevd(&b, special[i]);
      check_svd(&b, special[i], special[i]);
      check_svd(&b, special[i], special[i] + 9);
      check_gees(&b, special[i]);
      if (b.kind != JORDAN) check_geev(&b, special[i]);
      arena_deinit(&b.arena);
      arena_init(&b.arena, guard);
    }
  arena_deinit(&b.arena);
  return NULL;
}

static uint64_t seed(void) {
  const char *text = getenv("TESSERA_SEED");
  return text ? strtoull(text, NULL, 10) : 0;
}

static void run(Status *(*body)(Guard *, void *), const LapackEngine *engine) {
  for (int type = LAPACK_S; type <= LAPACK_Z; type++) {
    Bench b = {.engine = engine, .type = (LapackType)type, .state = seed() + 17};
    Status *status = guard_run(body, &b);
    if (status) fail_msg("%s", status_message(status));
  }
}

static void own_suite(void **state) {
  (void)state;
  run(suite, &lapack_own);
}

// The provider where it is built; tools/test says where.
static const LapackEngine *provider(void) {
  const LapackEngine *engine = lapack_engine();
  if (engine != &lapack_own) return engine;
  print_message("no LAPACK provider in TESSERA_PROVIDERS=%s\n",
                getenv("TESSERA_PROVIDERS") ? getenv("TESSERA_PROVIDERS") : "(unset)");
  skip();
  return NULL;
}

static void provider_suite(void **state) {
  (void)state;
  run(suite, provider());
}

// ---- the two against each other ----

// The phase that takes column j of y nearest to that of x; 1 if they are orthogonal.
static Wide phase_between(const Bench *b, const void *x, const void *y, int64_t m, int64_t j) {
  Wide dot = {0, 0};
  for (int64_t i = 0; i < m; i++)
    dot =
        wide_add(dot, wide_mul(wide_conj(get(b->type, y, j * m + i)), get(b->type, x, j * m + i)));
  return wide_abs(dot) == 0 ? wide_of(1) : wide_scale(dot, 1 / wide_abs(dot));
}

// Counts the columns of x and y [m,n] that differ by more than rounding.
static int64_t differing(const Bench *b, const void *x, const void *y, int64_t m, int64_t n,
                         bool any_phase) {
  int64_t count = 0;
  for (int64_t j = 0; j < n; j++) {
    long double off = 0;
    Wide phase = any_phase ? phase_between(b, x, y, m, j) : wide_of(1);
    for (int64_t i = 0; i < m; i++)
      off = fmaxl(off, wide_abs(wide_sub(get(b->type, x, j * m + i),
                                         wide_mul(phase, get(b->type, y, j * m + i)))));
    count += !(off < (lapack_is_double(b->type) ? 1e-7L : 2e-2L));
  }
  return count;
}

static void *adjoint(Bench *b, const void *x, int64_t m, int64_t n) {
  void *out = space(b, m * n);
  for (int64_t i = 0; i < m * n; i++) {
    Wide v = get(b->type, x, i);
    set(b->type, out, i % m * n + i / m, (double)v.re, -(double)v.im);
  }
  return out;
}

typedef struct Tally {
  const char *what;
  int64_t columns, phases, others;  // all; those that differ; those that differ up to a phase, too
} Tally;

static void tally(Tally *t, const Bench *b, const void *x, const void *y, int64_t m, int64_t n) {
  t->columns += n;
  t->phases += differing(b, x, y, m, n, false);
  t->others += differing(b, x, y, m, n, true);
}

enum { EIGH, SVD_U, SVD_V, SVD_LARGE, GEEV, SCHUR, REFLECTORS, PIVOTED, TALLIES };

static void compare(Bench *b, const LapackEngine *const *engines, int32_t n, int32_t m,
                    Tally *tallies) {
  LapackType t = b->type;
  void *a = random_matrix(b, m, n), *square = random_matrix(b, n, n), *out[4][2];
  for (int64_t i = 0; i < n; i++) set(t, square, i * n + i, uniform(b), 0);
  int32_t k = m < n ? m : n;
  for (int e = 0; e < 2; e++) {
    const LapackEngine *engine = engines[e];
    out[0][e] = copy(b, square, n * n);
    engine->syevd(t, n % 2 ? 'L' : 'U', n, out[0][e], space(b, n), &b->work);
  }
  tally(&tallies[EIGH], b, out[0][0], out[0][1], n, n);
  for (int e = 0; e < 2; e++) {
    out[0][e] = space(b, m * m);
    out[1][e] = space(b, n * n);
    engines[e]->svd(t, true, 'A', m, n, copy(b, a, m * n), space(b, k), out[0][e], out[1][e],
                    &b->work);
  }
  bool large = k > 25;
  tally(&tallies[large ? SVD_LARGE : SVD_U], b, out[0][0], out[0][1], m, m);
  tally(&tallies[large ? SVD_LARGE : SVD_V], b, adjoint(b, out[1][0], n, n),
        adjoint(b, out[1][1], n, n), n, n);
  for (int e = 0; e < 2; e++) {
    out[0][e] = space(b, m * k);
    out[1][e] = space(b, n * k);
    engines[e]->svd(t, false, 'S', m, n, copy(b, a, m * n), space(b, k), out[0][e], out[1][e],
                    &b->work);
  }
  tally(&tallies[SVD_U], b, out[0][0], out[0][1], m, k);
  tally(&tallies[SVD_V], b, adjoint(b, out[1][0], k, n), adjoint(b, out[1][1], k, n), n, k);
  for (int e = 0; e < 2; e++) {
    out[0][e] = space(b, n * n);
    out[1][e] = space(b, n * n);
    out[2][e] = space(b, 2 * n);
    engines[e]->geev(t, 'V', 'V', n, copy(b, square, n * n), out[2][e], out[0][e], out[1][e],
                     &b->work);
  }
  for (int v = 0; v < 2; v++) tally(&tallies[GEEV], b, out[v][0], out[v][1], n, n);
  for (int e = 0; e < 2; e++) {
    out[0][e] = copy(b, square, n * n);
    out[1][e] = space(b, 2 * n);
    engines[e]->gees(t, 'V', n, out[0][e], out[1][e], space(b, n * n), &b->work);
  }
  tally(&tallies[SCHUR], b, out[1][0], out[1][1], 1, lapack_is_complex(t) ? n : 2 * n);
  for (int e = 0; e < 2; e++) {
    out[0][e] = copy(b, square, n * n);
    out[1][e] = space(b, n);
    engines[e]->gehrd(t, n, 1, n, out[0][e], out[1][e], &b->work);
    out[2][e] = copy(b, square, n * n);
    out[3][e] = space(b, n);
    engines[e]->sytrd(t, n % 2 ? 'U' : 'L', n, out[2][e], space(b, n), space(b, n), out[3][e],
                      &b->work);
  }
  for (int v = 0; v < 4; v++)
    tally(&tallies[REFLECTORS], b, out[v][0], out[v][1], v % 2 ? 1 : n, v % 2 ? n - 1 : n);
  for (int e = 0; e < 2; e++) {
    out[0][e] = copy(b, a, m * n);
    out[1][e] = space(b, k);
    engines[e]->geqp3(t, m, n, out[0][e], ARENA_ARRAY(&b->arena, int32_t, (size_t)n + 1), out[1][e],
                      &b->work);
  }
  tally(&tallies[PIVOTED], b, out[0][0], out[0][1], m, n);
}

static const char *const names[TALLIES] = {
    "syevd", "svd u",        "svd v",        "gesdd above 25 columns",
    "geev",  "gees' values", "gehrd, sytrd", "geqp3"};

typedef struct Comparison {
  Bench bench;
  Tally tallies[TALLIES];
} Comparison;

static Status *compare_all(Guard *guard, void *arg) {
  Comparison *c = arg;
  Bench b = c->bench;
  const LapackEngine *engines[] = {&lapack_own, b.engine};
  arena_init(&b.arena, guard);
  b.work = (LapackWork){.take = take, .context = &b.arena};
  for (int32_t n = 1; n <= MOST; n++) {
    compare(&b, engines, n, 1 + (n * 7) % MOST, c->tallies);
    compare(&b, engines, n, n, c->tallies);
    arena_deinit(&b.arena);
    arena_init(&b.arena, guard);
  }
  arena_deinit(&b.arena);
  return NULL;
}

// Signs are those of LAPACK. Where an iteration takes them from numbers of the size of rounding
// errors, two LAPACKs differ as well: in the phases of Schur vectors (of which only the order of
// the values is compared), often in the signs of geev's vectors of real types, seldom in those of
// syevd.
static void signs_agree(void **state) {
  (void)state;
  const LapackEngine *engine = provider();
  for (int type = LAPACK_S; type <= LAPACK_Z; type++) {
    Comparison c = {.bench = {.engine = engine, .type = (LapackType)type, .state = seed() + 17}};
    Status *status = guard_run(compare_all, &c);
    if (status) fail_msg("%s", status_message(status));
    for (int i = 0; i < TALLIES; i++) {
      Tally *t = &c.tallies[i];
      bool noise = i == GEEV || i == SCHUR;
      print_message("%c %s: of %lld columns %lld have another sign than LAPACK's, %lld differ\n",
                    "sdcz"[type], names[i], (long long)t -> columns,
                    (long long)(t->phases - t->others), (long long)t -> others);
      if (!noise) assert_true(t->phases * 50 <= t->columns);
      assert_true((i == SCHUR ? t->phases : t->others) * 20 <= t->columns);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(own_suite),
      cmocka_unit_test(provider_suite),
      cmocka_unit_test(signs_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
