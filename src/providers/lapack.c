// LAPACK as a provider: tensor/lapack.h's table on the installed library's Fortran interface, which
// every LAPACK has (reference, OpenBLAS, MKL), unlike the C interface. Fortran passes everything by
// reference, and the lengths of characters after the other arguments. Workspace sizes are queried
// from LAPACK.
#include "tensor/lapack.h"

#include <string.h>

typedef int32_t Int;
typedef void Any;

#define EXPORT __attribute__((visibility("default")))

// LAPACK's own xerbla prints a message and stops the program for an invalid argument, which
// includes NaNs for gebal. The loader uses this one, since the provider precedes its libraries.
EXPORT void xerbla_(const char *name, const Int *argument, size_t length);
void xerbla_(const char *name, const Int *argument, size_t length) {
  (void)name, (void)argument, (void)length;
}

// Declares a routine for its four types.
#define FOUR(s, d, c, z, arguments)                                                                \
  void s arguments;                                                                                \
  void d arguments;                                                                                \
  void c arguments;                                                                                \
  void z arguments;

#define REAL_GEEV                                                                                  \
  (const char *, const char *, const Int *, Any *, const Int *, Any *, Any *, Any *, const Int *,  \
   Any *, const Int *, Any *, const Int *, Int *, size_t, size_t)
#define COMPLEX_GEEV                                                                               \
  (const char *, const char *, const Int *, Any *, const Int *, Any *, Any *, const Int *, Any *,  \
   const Int *, Any *, const Int *, Any *, Int *, size_t, size_t)
#define REAL_GEES                                                                                  \
  (const char *, const char *, Any *, const Int *, Any *, const Int *, Int *, Any *, Any *, Any *, \
   const Int *, Any *, const Int *, Int *, Int *, size_t, size_t)
#define COMPLEX_GEES                                                                               \
  (const char *, const char *, Any *, const Int *, Any *, const Int *, Int *, Any *, Any *,        \
   const Int *, Any *, const Int *, Any *, Int *, Int *, size_t, size_t)
void sgeev_ REAL_GEEV;
void dgeev_ REAL_GEEV;
void cgeev_ COMPLEX_GEEV;
void zgeev_ COMPLEX_GEEV;
void sgees_ REAL_GEES;
void dgees_ REAL_GEES;
void cgees_ COMPLEX_GEES;
void zgees_ COMPLEX_GEES;
FOUR(sgehrd_, dgehrd_, cgehrd_, zgehrd_,
     (const Int *, const Int *, const Int *, Any *, const Int *, Any *, Any *, const Int *, Int *))
FOUR(ssytrd_, dsytrd_, chetrd_, zhetrd_,
     (const char *, const Int *, Any *, const Int *, Any *, Any *, Any *, Any *, const Int *, Int *,
      size_t))
FOUR(sormqr_, dormqr_, cunmqr_, zunmqr_,
     (const char *, const char *, const Int *, const Int *, const Int *, const Any *, const Int *,
      const Any *, Any *, const Int *, Any *, const Int *, Int *, size_t, size_t))
#define REAL_GEQP3                                                                                 \
  (const Int *, const Int *, Any *, const Int *, Int *, Any *, Any *, const Int *, Int *)
#define COMPLEX_GEQP3                                                                              \
  (const Int *, const Int *, Any *, const Int *, Int *, Any *, Any *, const Int *, Any *, Int *)
void sgeqp3_ REAL_GEQP3;
void dgeqp3_ REAL_GEQP3;
void cgeqp3_ COMPLEX_GEQP3;
void zgeqp3_ COMPLEX_GEQP3;
#define REAL_EVD                                                                                   \
  (const char *, const char *, const Int *, Any *, const Int *, Any *, Any *, const Int *, Int *,  \
   const Int *, Int *, size_t, size_t)
#define COMPLEX_EVD                                                                                \
  (const char *, const char *, const Int *, Any *, const Int *, Any *, Any *, const Int *, Any *,  \
   const Int *, Int *, const Int *, Int *, size_t, size_t)
void ssyevd_ REAL_EVD;
void dsyevd_ REAL_EVD;
void cheevd_ COMPLEX_EVD;
void zheevd_ COMPLEX_EVD;
#define REAL_SDD                                                                                   \
  (const char *, const Int *, const Int *, Any *, const Int *, Any *, Any *, const Int *, Any *,   \
   const Int *, Any *, const Int *, Int *, Int *, size_t)
#define COMPLEX_SDD                                                                                \
  (const char *, const Int *, const Int *, Any *, const Int *, Any *, Any *, const Int *, Any *,   \
   const Int *, Any *, const Int *, Any *, Int *, Int *, size_t)
void sgesdd_ REAL_SDD;
void dgesdd_ REAL_SDD;
void cgesdd_ COMPLEX_SDD;
void zgesdd_ COMPLEX_SDD;
#define REAL_SVD                                                                                   \
  (const char *, const char *, const Int *, const Int *, Any *, const Int *, Any *, Any *,         \
   const Int *, Any *, const Int *, Any *, const Int *, Int *, size_t, size_t)
#define COMPLEX_SVD                                                                                \
  (const char *, const char *, const Int *, const Int *, Any *, const Int *, Any *, Any *,         \
   const Int *, Any *, const Int *, Any *, const Int *, Any *, Int *, size_t, size_t)
void sgesvd_ REAL_SVD;
void dgesvd_ REAL_SVD;
void cgesvd_ COMPLEX_SVD;
void zgesvd_ COMPLEX_SVD;

// Routines of real and of complex types have different arguments (rwork). Within a kind all
// pointers are void, so one call serves two types.
#define PICK(type, s, d, c, z)                                                                     \
  ((type) == LAPACK_S ? s : (type) == LAPACK_D ? d : (type) == LAPACK_C ? c : z)
#define PICK2(type, single, twice) (lapack_is_double(type) ? twice : single)

static Int at_least_one(Int n) { return n > 1 ? n : 1; }
static Int least(Int a, Int b) { return a < b ? a : b; }
static Int most(Int a, Int b) { return a > b ? a : b; }

static void *take(const LapackWork *work, LapackType type, int64_t count) {
  return work->take(work->context, lapack_bytes(type) * (size_t)(count + 1));
}
static void *take_real(const LapackWork *work, LapackType type, int64_t count) {
  return take(work, lapack_is_double(type) ? LAPACK_D : LAPACK_S, count);
}
static Int *take_ints(const LapackWork *work, int64_t count) {
  return work->take(work->context, sizeof(Int) * (size_t)(count + 1));
}

// A routine's answer to a workspace query.
typedef union Answer {
  float s[2];
  double d[2];
} Answer;
static Int answered(LapackType type, const Answer *answer) {
  double size = lapack_is_double(type) ? answer->d[0] : (double)answer->s[0];
  size += size / 1e6;  // single precision may have rounded it down
  return size < 1 ? 1 : size > 2147483000 ? 2147483000 : (Int)size + 1;
}

// Runs a call twice: the first is the workspace query, the second does the work.
#define TWICE(type, work, size, space, answer)                                                     \
  Answer answer = {{0}};                                                                           \
  void *space = &answer;                                                                           \
  for (Int pass = 0, size = -1; pass < ((work)->only_takes ? 1 : 2);                               \
       pass++, size = answered(type, &answer), space = pass < 2 ? take(work, type, size) : space)

static int32_t call_geev(LapackType t, char left, char right, int32_t n, void *a, void *w, void *vl,
                         void *vr, const LapackWork *work) {
  Int lda = at_least_one(n), info = 0;
  void *rwork = take_real(work, t, 2 * (int64_t)n);
  char *wi = (char *)w + (size_t)n * lapack_bytes(t);
  TWICE(t, work, size, space, answer) {
    if (lapack_is_complex(t)) PICK2(t, cgeev_, zgeev_)
    (&left, &right, &n, a, &lda, w, vl, &lda, vr, &lda, space, &size, rwork, &info, 1, 1);
    else PICK2(t, sgeev_, dgeev_)(&left, &right, &n, a, &lda, w, wi, vl, &lda, vr, &lda, space,
                                  &size, &info, 1, 1);
  }
  return info;
}

static int32_t call_gees(LapackType t, char vectors, int32_t n, void *a, void *w, void *vs,
                         const LapackWork *work) {
  Int lda = at_least_one(n), info = 0, selected = 0, *flags = take_ints(work, n);
  char sort = 'N';
  void *rwork = take_real(work, t, n);
  char *wi = (char *)w + (size_t)n * lapack_bytes(t);
  TWICE(t, work, size, space, answer) {
    if (lapack_is_complex(t)) PICK2(t, cgees_, zgees_)
    (&vectors, &sort, NULL, &n, a, &lda, &selected, w, vs, &lda, space, &size, rwork, flags, &info,
     1, 1);
    else PICK2(t, sgees_, dgees_)(&vectors, &sort, NULL, &n, a, &lda, &selected, w, wi, vs, &lda,
                                  space, &size, flags, &info, 1, 1);
  }
  return info;
}

static int32_t call_gehrd(LapackType t, int32_t n, int32_t low, int32_t high, void *a, void *tau,
                          const LapackWork *work) {
  Int lda = at_least_one(n), info = 0;
  TWICE(t, work, size, space, answer)
  PICK(t, sgehrd_, dgehrd_, cgehrd_, zgehrd_)(&n, &low, &high, a, &lda, tau, space, &size, &info);
  return info;
}

static int32_t call_sytrd(LapackType t, char uplo, int32_t n, void *a, void *d, void *e, void *tau,
                          const LapackWork *work) {
  Int lda = at_least_one(n), info = 0;
  TWICE(t, work, size, space, answer)
  PICK(t, ssytrd_, dsytrd_, chetrd_, zhetrd_)
  (&uplo, &n, a, &lda, d, e, tau, space, &size, &info, 1);
  return info;
}

static int32_t call_ormqr(LapackType t, char side, bool adjoint, int32_t m, int32_t n, int32_t k,
                          const void *a, const void *tau, void *c, const LapackWork *work) {
  Int lda = at_least_one(side == 'L' ? m : n), ldc = at_least_one(m), info = 0;
  char trans = !adjoint ? 'N' : lapack_is_complex(t) ? 'C' : 'T';
  TWICE(t, work, size, space, answer)
  PICK(t, sormqr_, dormqr_, cunmqr_, zunmqr_)
  (&side, &trans, &m, &n, &k, a, &lda, tau, c, &ldc, space, &size, &info, 1, 1);
  return info;
}

static int32_t call_geqp3(LapackType t, int32_t m, int32_t n, void *a, int32_t *pivots, void *tau,
                          const LapackWork *work) {
  Int lda = at_least_one(m), info = 0;
  void *rwork = take_real(work, t, 2 * (int64_t)n);
  TWICE(t, work, size, space, answer) {
    if (lapack_is_complex(t))
      PICK2(t, cgeqp3_, zgeqp3_)(&m, &n, a, &lda, pivots, tau, space, &size, rwork, &info);
    else
      PICK2(t, sgeqp3_, dgeqp3_)(&m, &n, a, &lda, pivots, tau, space, &size, &info);
  }
  return info;
}

static int32_t call_syevd(LapackType t, char uplo, int32_t n, void *a, void *w,
                          const LapackWork *work) {
  Int lda = at_least_one(n), info = 0, n_ints = 3 + 5 * n, n_reals = 1 + 5 * n + 2 * n * n;
  Int *ints = take_ints(work, n_ints);
  void *rwork = lapack_is_complex(t) ? take_real(work, t, n_reals) : NULL;
  char vectors = 'V';
  TWICE(t, work, size, space, answer) {
    // All three sizes are -1, or none is.
    Int real_size = size < 0 ? -1 : n_reals, int_size = size < 0 ? -1 : n_ints;
    Answer reals;
    Int int_answer;
    void *real_space = size < 0 ? (void *)&reals : rwork;
    Int *int_space = size < 0 ? &int_answer : ints;
    if (lapack_is_complex(t)) PICK2(t, cheevd_, zheevd_)
    (&vectors, &uplo, &n, a, &lda, w, space, &size, real_space, &real_size, int_space, &int_size,
     &info, 1, 1);
    else PICK2(t, ssyevd_, dsyevd_)(&vectors, &uplo, &n, a, &lda, w, space, &size, int_space,
                                    &int_size, &info, 1, 1);
  }
  return info;
}

static int32_t call_svd(LapackType t, bool divide, char mode, int32_t m, int32_t n, void *a,
                        void *s, void *u, void *vt, const LapackWork *work) {
  Int k = least(m, n), long_side = most(m, n), info = 0;
  Int lda = at_least_one(m), ldvt = at_least_one(mode == 'A' ? n : k);
  // The larger of gesdd's two bounds, and gesvd's 5 k.
  int64_t n_reals = (int64_t)k * (5 * (int64_t)k + 2 * (int64_t)long_side + 7) + 5 * (int64_t)k;
  void *rwork = lapack_is_complex(t) ? take_real(work, t, n_reals) : NULL;
  Int *ints = take_ints(work, 8 * (int64_t)k);
  TWICE(t, work, size, space, answer) {
    if (divide && lapack_is_complex(t)) PICK2(t, cgesdd_, zgesdd_)
    (&mode, &m, &n, a, &lda, s, u, &lda, vt, &ldvt, space, &size, rwork, ints, &info, 1);
    else if (divide) PICK2(t, sgesdd_, dgesdd_)(&mode, &m, &n, a, &lda, s, u, &lda, vt, &ldvt,
                                                space, &size, ints, &info, 1);
    else if (lapack_is_complex(t)) PICK2(t, cgesvd_, zgesvd_)(
        &mode, &mode, &m, &n, a, &lda, s, u, &lda, vt, &ldvt, space, &size, rwork, &info, 1, 1);
    else PICK2(t, sgesvd_, dgesvd_)(&mode, &mode, &m, &n, a, &lda, s, u, &lda, vt, &ldvt, space,
                                    &size, &info, 1, 1);
  }
  return info;
}

EXPORT extern const LapackEngine tsr_lapack_provider;
const LapackEngine tsr_lapack_provider = {.version = LAPACK_VERSION,
                                          .name = "lapack",
                                          .geev = call_geev,
                                          .gees = call_gees,
                                          .gehrd = call_gehrd,
                                          .sytrd = call_sytrd,
                                          .ormqr = call_ormqr,
                                          .geqp3 = call_geqp3,
                                          .syevd = call_syevd,
                                          .svd = call_svd};

EXPORT extern const char tsr_provider_text[];
const char tsr_provider_text[] = "LAPACK";
