// Problem: eigenvalues and singular values of batches of matrices, through LAPACK, without the
// evaluator's lock and copies.
// Idea: a matrix is one unit of work: it is transposed to LAPACK's columns in scratch memory,
// decomposed by the provider, and transposed back. Tiles share the matrices of a batch. The size of
// the work space is asked for when the kernel is made, so that a run allocates nothing. Without the
// provider the op runs through the evaluator, which has our own routines.
// Invariant: as in the evaluator (ops/custom_spectral.c), LAPACK sees finite matrices only; of
// others the results are NaN and `info` says so.
// Cost: LAPACK's, O(n^3) per matrix.
#include <assert.h>
#include <math.h>
#include <string.h>

#include "execute/kernels/custom.h"

enum { MOST_ROWS = 16384 };  // more overflow the 32 bits of LAPACK's work space sizes
enum { NOT_FINITE = -4 };    // jaxlib's info for such operands of svd and geev

typedef struct Spectral Spectral;

// Memory of one matrix's decomposition; base NULL: it is counted only.
typedef struct Space {
  char *base;
  size_t used, most;
} Space;

struct Spectral {
  const LapackEngine *engine;
  Matrices a;
  // Decomposes matrix b.
  void (*one)(const Spectral *s, void *const *buffers, int64_t b, Space *space);
  char uplo, mode, left, right;
  bool divide;
  uint32_t n_in, n_out, n_named;  // results beyond the named ones are zeros
  size_t bytes;                   // of the space of a matrix
  bool shared;                    // it is the temporary buffer, else this worker's scratch memory
  const size_t *result_bytes;     // n_out
};

static void *space_take(void *context, size_t bytes) {
  static double nothing[8];  // read by nobody
  Space *space = context;
  size_t at = space->used;
  space->used += kernel_aligned(bytes);
  if (!space->base) return nothing;
  assert(space->used <= space->most && "the size was asked for");
  return space->base + at;
}

static void *take(const Spectral *s, Space *space, int64_t count) {
  return space_take(space, (size_t)(count + 1) * s->a.item);
}

static LapackWork work_of(Space *space) {
  return (LapackWork){.take = space_take, .context = space, .only_takes = !space->base};
}

static size_t real_bytes(const Spectral *s) {
  return lapack_is_complex(s->a.type) ? s->a.item / 2 : s->a.item;
}

#define TRANSPOSE(T)                                                                               \
  for (int64_t i = 0; i < m; i++)                                                                  \
    for (int64_t j = 0; j < n; j++) ((T *)to)[j * m + i] = ((const T *)from)[i * n + j];
typedef struct Pair16 {
  double a, b;
} Pair16;
// to [n,m] = from [m,n]
static void transpose(size_t item, const void *from, int64_t m, int64_t n, void *to) {
  if (item == 4)
    TRANSPOSE(uint32_t)
  else if (item == 8)
    TRANSPOSE(uint64_t)
  else
    TRANSPOSE(Pair16)
}

// Zeros what a Hermitian decomposition does not read: the other triangle, and the imaginary parts
// of the diagonal.
static void clear_unused(const Spectral *s, char *a) {
  int64_t n = s->a.n;
  size_t item = s->a.item, real = real_bytes(s);
  for (int64_t j = 0; j < n; j++) {
    char *column = a + (size_t)(j * n) * item;
    int64_t first = s->uplo == 'L' ? 0 : j + 1, last = s->uplo == 'L' ? j : n;
    memset(column + (size_t)first * item, 0, (size_t)(last - first) * item);
    memset(column + (size_t)j * item + real, 0, item - real);
  }
}

// Matrix b by columns; *out_finite: whether all elements that are read are finite.
static void *load(const Spectral *s, void *const *buffers, int64_t b, Space *space,
                  bool *out_finite) {
  int64_t size = s->a.m * s->a.n, reals = lapack_is_complex(s->a.type) ? 2 * size : size;
  void *to = take(s, space, size);
  *out_finite = true;
  if (!space->base) return to;
  const char *from = (const char *)buffers[0] + (size_t)(b * size) * s->a.item;
  transpose(s->a.item, from, s->a.m, s->a.n, to);
  if (s->uplo) clear_unused(s, to);
  bool finite = true;
  for (int64_t i = 0; i < reals; i++)
    finite &= lapack_is_double(s->a.type) ? isfinite(((const double *)to)[i]) != 0
                                          : isfinite(((const float *)to)[i]) != 0;
  *out_finite = finite;
  return to;
}

static char *result_of(const Spectral *s, void *const *buffers, uint32_t i, int64_t b,
                       size_t bytes) {
  return (char *)buffers[s->n_in + i] + (size_t)b * bytes;
}

static void fill_nan(const Spectral *s, void *to, size_t bytes) {
  for (size_t i = 0; i < bytes / real_bytes(s); i++) {
    if (lapack_is_double(s->a.type))
      ((double *)to)[i] = (double)NAN;
    else
      ((float *)to)[i] = NAN;
  }
}

static void store_info(const Spectral *s, void *const *buffers, uint32_t i, int64_t b,
                       int32_t info) {
  ((int32_t *)buffers[s->n_in + i])[b] = info;
}

// ---- the decompositions ----

static void one_syevd(const Spectral *s, void *const *buffers, int64_t b, Space *space) {
  int64_t n = s->a.n;
  size_t matrix = (size_t)(n * n) * s->a.item, values = (size_t)n * real_bytes(s);
  bool finite;
  void *a = load(s, buffers, b, space, &finite), *w = take(s, space, n);
  LapackWork work = work_of(space);
  int32_t info = (int32_t)n;
  if (finite) info = s->engine->syevd(s->a.type, s->uplo, (int32_t)n, a, w, &work);
  if (!space->base) return;
  if (!finite) {
    fill_nan(s, a, matrix);
    fill_nan(s, w, values);
  }
  transpose(s->a.item, a, n, n, result_of(s, buffers, 0, b, matrix));
  memcpy(result_of(s, buffers, 1, b, values), w, values);
  store_info(s, buffers, 2, b, info);
}

static void one_svd(const Spectral *s, void *const *buffers, int64_t b, Space *space) {
  int64_t m = s->a.m, n = s->a.n, k = m < n ? m : n;
  bool vectors = s->mode != 'N', finite;
  int64_t columns = s->mode == 'A' ? m : k, rows = s->mode == 'A' ? n : k;
  size_t of_u = (size_t)(m * columns) * s->a.item, of_vt = (size_t)(rows * n) * s->a.item,
         of_s = (size_t)k * real_bytes(s);
  void *a = load(s, buffers, b, space, &finite), *values = take(s, space, k);
  void *u = vectors ? take(s, space, m * columns) : NULL,
       *vt = vectors ? take(s, space, rows * n) : NULL;
  LapackWork work = work_of(space);
  int32_t info = NOT_FINITE;
  if (finite)
    info = s->engine->svd(s->a.type, s->divide, s->mode, (int32_t)m, (int32_t)n, a, values, u, vt,
                          &work);
  if (!space->base) return;
  if (!finite) {
    fill_nan(s, values, of_s);
    if (vectors) fill_nan(s, u, of_u);
    if (vectors) fill_nan(s, vt, of_vt);
  }
  size_t of_a = (size_t)(m * n) * s->a.item;
  memset(result_of(s, buffers, 0, b, of_a), 0, of_a);  // LAPACK's rest has no meaning
  memcpy(result_of(s, buffers, 1, b, of_s), values, of_s);
  if (vectors) transpose(s->a.item, u, columns, m, result_of(s, buffers, 2, b, of_u));
  if (vectors) transpose(s->a.item, vt, n, rows, result_of(s, buffers, 3, b, of_vt));
  store_info(s, buffers, 4, b, info);
}

// Vectors of a real type are packed: the two columns of a conjugate pair are the real and imaginary
// part of its first vector.
#define UNPACK(T)                                                                                  \
  for (int64_t j = 0; j < n; j++) {                                                                \
    const T *v = (const T *)from + j * n, *im = (const T *)w + n;                                  \
    bool first = im[j] > 0 && j + 1 < n, second = im[j] < 0 && j > 0;                              \
    for (int64_t i = 0; i < n; i++) {                                                              \
      ((T *)to)[2 * (i * n + j)] = second ? v[i - n] : v[i];                                       \
      ((T *)to)[2 * (i * n + j) + 1] = first ? v[i + n] : second ? -v[i] : 0;                      \
    }                                                                                              \
  }
static void store_vectors(const Spectral *s, const void *from, const void *w, void *to) {
  int64_t n = s->a.n;
  if (lapack_is_complex(s->a.type))
    transpose(s->a.item, from, n, n, to);
  else if (lapack_is_double(s->a.type))
    UNPACK(double)
  else
    UNPACK(float)
}

static void one_geev(const Spectral *s, void *const *buffers, int64_t b, Space *space) {
  int64_t n = s->a.n, size = n * n;
  bool real = !lapack_is_complex(s->a.type), finite;
  uint32_t values = real ? 2 : 1;
  size_t of_w = (size_t)n * s->a.item, of_v = (size_t)size * s->a.item * (real ? 2 : 1);
  void *a = load(s, buffers, b, space, &finite), *w = take(s, space, 2 * n),
       *vl = take(s, space, size), *vr = take(s, space, size);
  LapackWork work = work_of(space);
  int32_t info = NOT_FINITE;
  if (finite) info = s->engine->geev(s->a.type, s->left, s->right, (int32_t)n, a, w, vl, vr, &work);
  if (!space->base) return;
  if (!finite) fill_nan(s, w, values * of_w);
  for (uint32_t i = 0; i < values; i++)
    memcpy(result_of(s, buffers, i, b, of_w), (const char *)w + i * of_w, of_w);
  for (uint32_t side = 0; side < 2; side++) {
    char *to = result_of(s, buffers, values + side, b, of_v);
    if ((side ? s->right : s->left) != 'V')
      memset(to, 0, of_v);
    else if (!finite && !real)
      fill_nan(s, to, of_v);
    else if (!finite)  // the packed columns are NaN; none of them is one of a pair
      for (int64_t i = 0; i < size; i++) {
        fill_nan(s, to + (size_t)(2 * i) * s->a.item, s->a.item);
        memset(to + (size_t)(2 * i + 1) * s->a.item, 0, s->a.item);
      }
    else
      store_vectors(s, side ? vr : vl, w, to);
  }
  store_info(s, buffers, values + 2, b, info);
}

// ---- tiles ----

static void run_spectral(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  const Spectral *s = kernel->data;
  uint64_t first, last;
  kernel_part((uint64_t)s->a.batches, tile, kernel->n_tiles, &first, &last);
  void *base = s->shared ? buffers[s->n_in + s->n_out] : scratch;
  for (uint64_t b = first; b < last; b++) {
    Space space = {.base = base, .most = s->bytes};
    s->one(s, buffers, (int64_t)b, &space);
  }
  for (uint32_t i = 0; tile == 0 && i < s->n_out; i++)
    if ((i >= s->n_named || (s->mode == 'N' && (i == 2 || i == 3))) && s->result_bytes[i])
      memset(buffers[s->n_in + i], 0, s->result_bytes[i]);
}

// Fills in what all have; `flops`: of one matrix.
static bool finish(const KernelRequest *r, const char *name, const Spectral *spectral, double flops,
                   Kernel *out) {
  const Op *op = op_at(r->program, r->op);
  Spectral *s = arena_copy(r->arena, spectral, sizeof *spectral);
  s->n_in = op->n_operands;
  s->n_out = op->n_results;
  size_t *bytes = ARENA_ARRAY(r->arena, size_t, s->n_out + 1);
  for (uint32_t i = 0; i < s->n_out; i++) {
    Dense d;
    if (!dense_result(r, i, &d)) return false;
    bytes[i] = (size_t)d.count * d.item;
  }
  s->result_bytes = bytes;
  Space space = {0};
  s->one(s, NULL, 0, &space);
  s->bytes = space.used;
  *out = (Kernel){.name = name,
                  .run = run_spectral,
                  .data = s,
                  .n_tiles = kernel_tiles(kernel_seconds(RATE_lapack, (double)s->a.batches * flops),
                                          (uint64_t)s->a.batches)};
  s->shared = out->n_tiles == 1;
  if (s->shared)
    out->temp_bytes = s->bytes;
  else
    out->scratch_bytes = s->bytes;
  return true;
}

// Operand 0 is a batch of matrices that the provider decomposes.
static bool begin(const KernelRequest *r, Spectral *s) {
  *s = (Spectral){.engine = lapack_engine()};
  return s->engine != &lapack_own && matrices_operand(r, 0, &s->a) && s->a.m <= MOST_ROWS &&
         s->a.n <= MOST_ROWS;
}

static DType real_of(DType t) { return dtype_is_complex(t) ? dtype_real_of(t) : t; }

bool kernel_syevd(const KernelRequest *r, Kernel *out) {
  Spectral s;
  if (!begin(r, &s) || s.a.m != s.a.n) return false;
  int64_t n = s.a.n;
  if (!matrices_result(r, 0, s.a.dtype, s.a.batches * n * n) ||
      !matrices_result(r, 1, real_of(s.a.dtype), s.a.batches * n) ||
      !matrices_result(r, 2, DT_i32, s.a.batches))
    return false;
  s.one = one_syevd;
  s.uplo = custom_flag(r, "uplo", 'L');
  s.n_named = 3;
  return finish(r, "eigh (LAPACK)", &s, 9.0 * (double)n * (double)n * (double)n, out);
}

static bool make_svd(const KernelRequest *r, bool divide, Kernel *out) {
  Spectral s;
  if (!begin(r, &s)) return false;
  int64_t m = s.a.m, n = s.a.n, k = m < n ? m : n, batches = s.a.batches;
  char mode = custom_flag(r, "mode", 'A');
  s.mode = mode == 'A' || mode == 'S' ? mode : 'N';
  int64_t columns = s.mode == 'A' ? m : k, rows = s.mode == 'A' ? n : k;
  if (!matrices_result(r, 0, s.a.dtype, batches * m * n) ||
      !matrices_result(r, 1, real_of(s.a.dtype), batches * k) ||
      !matrices_result(r, 4, DT_i32, batches))
    return false;
  if (s.mode != 'N' && (!matrices_result(r, 2, s.a.dtype, batches * m * columns) ||
                        !matrices_result(r, 3, s.a.dtype, batches * rows * n)))
    return false;
  s.one = one_svd;
  s.divide = divide;
  s.n_named = 5;
  return finish(r, "svd (LAPACK)", &s, 20.0 * (double)m * (double)n * (double)k, out);
}
bool kernel_gesdd(const KernelRequest *r, Kernel *out) { return make_svd(r, true, out); }
bool kernel_gesvd(const KernelRequest *r, Kernel *out) { return make_svd(r, false, out); }

bool kernel_geev(const KernelRequest *r, Kernel *out) {
  Spectral s;
  if (!begin(r, &s) || s.a.m != s.a.n) return false;
  bool real = !lapack_is_complex(s.a.type);
  int64_t n = s.a.n, batches = s.a.batches;
  uint32_t values = real ? 2 : 1;
  DType vectors = !real ? s.a.dtype : s.a.dtype == DT_f32 ? DT_c64 : DT_c128;
  for (uint32_t i = 0; i < values; i++)
    if (!matrices_result(r, i, s.a.dtype, batches * n)) return false;
  for (uint32_t i = 0; i < 2; i++)
    if (!matrices_result(r, values + i, vectors, batches * n * n)) return false;
  if (!matrices_result(r, values + 2, DT_i32, batches)) return false;
  s.one = one_geev;
  s.left = custom_flag(r, "compute_left", 'V');
  s.right = custom_flag(r, "compute_right", 'V');
  s.n_named = values + 3;
  return finish(r, "eig (LAPACK)", &s, 25.0 * (double)n * (double)n * (double)n, out);
}
