// The factorizations of factor.c for one element type. The includer defines T, OF(name), the
// functions OF(wide), OF(narrow) between T and Wide, and SUB_MUL(y, a, x): y - a x.
// No include guard: included once per type.

static T OF(conj)(T x) { return OF(narrow)(wide_conj(OF(wide)(x))); }
static T OF(div)(T x, T y) { return OF(narrow)(wide_div(OF(wide)(x), OF(wide)(y))); }

// y -= a x
VECTOR_BODY void OF(row_sub_body)(T *restrict y, const T *restrict x, T a, int64_t n) {
  for (int64_t i = 0; i < n; i++) y[i] = SUB_MUL(y[i], a, x[i]);
}
EXPANDED_CLONES(OF(row_sub), (T *restrict y, const T *restrict x, T a, int64_t n), (y, x, a, n))

// y - sum of a[i] b[i], in 16 lanes and a tree over them.
VECTOR_BODY void OF(dot_body)(const T *restrict a, const T *restrict b, int64_t n, T *out) {
  T lanes[16], zero = OF(narrow)(wide_of(0));
  for (int j = 0; j < 16; j++) lanes[j] = zero;
  int64_t i = 0;
  for (; i + 16 <= n; i += 16)
    for (int j = 0; j < 16; j++) lanes[j] = SUB_MUL(lanes[j], a[i + j], b[i + j]);
  for (int j = 0; i + j < n; j++) lanes[j] = SUB_MUL(lanes[j], a[i + j], b[i + j]);
  for (int width = 8; width > 0; width /= 2)
    for (int j = 0; j < width; j++) lanes[j] = ADD(lanes[j], lanes[j + width]);
  *out = ADD(*out, lanes[0]);
}
EXPANDED_CLONES(OF(dot), (const T *restrict a, const T *restrict b, int64_t n, T *out),
                (a, b, n, out))

// The lower triangle of l [n,n] becomes its Cholesky factor, row by row; l has the conjugates of
// the factor's rows in `turned` for complex types. Gives 0, or the order of the first leading minor
// that is not positive.
static int64_t OF(cholesky)(T *l, T *turned, int64_t n) {
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j <= i; j++) {
      T sum = l[i * n + j];
      OF(dot)(l + i * n, turned + j * n, j, &sum);
      if (i == j) {
        Wide square = OF(wide)(sum);
        if (!(square.re > 0)) return i + 1;
        l[i * n + i] = OF(narrow)(wide_of(sqrtl(square.re)));
      } else {
        l[i * n + j] = OF(div)(sum, l[j * n + j]);
      }
      if (turned != l) turned[i * n + j] = OF(conj)(l[i * n + j]);
    }
  return 0;
}

static int64_t OF(one_cholesky)(const Factor *f, const void *from, void *to, void *scratch) {
  int64_t n = f->a.n;
  const T *a = from;
  T *l = to, zero = OF(narrow)(wide_of(0));
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j <= i; j++)
      l[i * n + j] = f->lower ? a[i * n + j] : OF(conj)(a[j * n + i]);
  int64_t info = OF(cholesky)(l, lapack_is_complex(f->a.type) ? scratch : l, n);
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < i; j++) {
      T x = l[i * n + j];
      l[i * n + j] = f->lower ? x : f->keeps ? a[i * n + j] : zero;
      l[j * n + i] = f->lower ? (f->keeps ? a[j * n + i] : zero) : OF(conj)(x);
    }
  T nan = OF(narrow)((Wide){NAN, NAN});
  for (int64_t i = 0; info && !f->keeps && i < n * n; i++) l[i] = nan;
  return info;
}

static int64_t OF(one_lu)(const Factor *f, T *a, int32_t *pivots) {
  int64_t m = f->a.m, n = f->a.n, k = m < n ? m : n, info = 0;
  for (int64_t c = 0; c < k; c++) {
    int64_t best = c;
    long double largest = wide_abs(OF(wide)(a[c * n + c]));
    for (int64_t i = c + 1; i < m; i++) {
      long double x = wide_abs(OF(wide)(a[i * n + c]));
      if (x > largest) best = i, largest = x;
    }
    pivots[c] = (int32_t)best + 1;
    for (int64_t j = 0; best != c && j < n; j++) {
      T t = a[c * n + j];
      a[c * n + j] = a[best * n + j];
      a[best * n + j] = t;
    }
    if (largest == 0) {  // singular: nothing below to eliminate
      if (!info) info = c + 1;
      continue;
    }
    for (int64_t i = c + 1; i < m; i++) {
      a[i * n + c] = OF(div)(a[i * n + c], a[c * n + c]);
      OF(row_sub)(a + i * n + c + 1, a + c * n + c + 1, a[i * n + c], n - c - 1);
    }
  }
  return info;
}

// Applies 1 - tau v v^H to columns [first, n) of a [m,n]. v: 1 at `row`, below it column `column`
// of `vectors` [., stride]. work: n elements.
static void OF(reflect)(T *a, int64_t m, int64_t n, int64_t first, const T *vectors, int64_t stride,
                        int64_t column, int64_t row, T tau, T *work) {
  Wide t = OF(wide)(tau);
  int64_t width = n - first;
  if ((t.re == 0 && t.im == 0) || width <= 0) return;
  memcpy(work, a + row * n + first, (size_t)width * sizeof(T));
  for (int64_t i = row + 1; i < m; i++) {  // work = v^H a: subtracts of the negated factor
    Wide v = wide_conj(OF(wide)(vectors[i * stride + column]));
    OF(row_sub)(work, a + i * n + first, OF(narrow)((Wide){-v.re, -v.im}), width);
  }
  OF(row_sub)(a + row * n + first, work, tau, width);
  for (int64_t i = row + 1; i < m; i++) {
    T factor = OF(narrow)(wide_mul(t, OF(wide)(vectors[i * stride + column])));
    OF(row_sub)(a + i * n + first, work, factor, width);
  }
}

static void OF(one_qr)(const Factor *f, T *a, T *taus, T *work) {
  int64_t m = f->a.m, n = f->a.n, k = m < n ? m : n;
  for (int64_t c = 0; c < k; c++) {
    Wide alpha = OF(wide)(a[c * n + c]), tau = wide_of(0);
    long double rest = 0;
    for (int64_t i = c + 1; i < m; i++) {
      Wide x = OF(wide)(a[i * n + c]);
      rest += x.re * x.re + x.im * x.im;
    }
    if (rest != 0 || alpha.im != 0) {
      long double norm = sqrtl(alpha.re * alpha.re + alpha.im * alpha.im + rest);
      long double beta = -copysignl(norm, alpha.re);
      tau = (Wide){(beta - alpha.re) / beta, -alpha.im / beta};
      Wide scale = wide_div(wide_of(1), wide_sub(alpha, wide_of(beta)));
      for (int64_t i = c + 1; i < m; i++)
        a[i * n + c] = OF(narrow)(wide_mul(OF(wide)(a[i * n + c]), scale));
      a[c * n + c] = OF(narrow)(wide_of(beta));
    }
    taus[c] = OF(narrow)(tau);
    OF(reflect)(a, m, n, c + 1, a, n, c, c, OF(narrow)(wide_conj(tau)), work);
  }
}

static void OF(one_product)(const Factor *f, const T *a, const T *taus, T *q, T *work) {
  int64_t m = f->a.m, n = f->a.n;
  for (int64_t i = 0; i < m * n; i++) q[i] = OF(narrow)(wide_of(i / n == i % n));
  for (int64_t c = f->k; c-- > 0;) OF(reflect)(q, m, n, c, a, n, c, c, taus[c], work);
}

// Solves t x = x for `width` columns of x, whose rows are `stride` apart.
static void OF(solve)(const Factor *f, const T *a, T *x, int64_t width, int64_t stride) {
  int64_t n = f->a.n;
  for (int64_t k = 0; k < n; k++) {
    int64_t i = f->lower ? k : n - 1 - k;
    T *row = x + i * stride;
    for (int64_t l = 0; l < k; l++) {
      int64_t j = f->lower ? l : n - 1 - l;
      T t = a[i * f->row + j * f->column];
      OF(row_sub)(row, x + j * stride, f->conjugate ? OF(conj)(t) : t, width);
    }
    T d = a[i * f->row + i * f->column];
    if (f->conjugate) d = OF(conj)(d);
    for (int64_t c = 0; !f->unit && c < width; c++) row[c] = OF(div)(row[c], d);
  }
}

// A block of right-hand sides: columns of b if a is on the left, else rows, which are transposed.
static void OF(one_solve)(const Factor *f, const T *a, const T *b, const T *alpha, T *x,
                          int64_t first, int64_t count, T *work) {
  int64_t n = f->a.n, step = f->left ? f->sides : 1, across = f->left ? 1 : n;
  for (int64_t i = 0; i < n; i++)
    for (int64_t c = 0; c < count; c++) {
      T v = b[i * step + (first + c) * across];
      work[i * count + c] = alpha ? OF(narrow)(wide_mul(OF(wide)(v), OF(wide)(alpha[0]))) : v;
    }
  OF(solve)(f, a, work, count, count);
  for (int64_t i = 0; i < n; i++)
    for (int64_t c = 0; c < count; c++) x[i * step + (first + c) * across] = work[i * count + c];
}

static void OF(run)(const Factor *f, void *const *buffers, int64_t unit, void *scratch) {
  int64_t size = f->a.m * f->a.n, k = f->a.m < f->a.n ? f->a.m : f->a.n;
  void *const *out = buffers + f->n_in;
  const T *a = (const T *)buffers[0] + unit * size;
  switch (f->kind) {
  case FACTOR_CHOLESKY: {
    int64_t info = OF(one_cholesky)(f, a, (T *)out[0] + unit * size, scratch);
    if (f->keeps) ((int32_t *)out[1])[unit] = (int32_t)info;
    break;
  }
  case FACTOR_LU: {
    T *to = (T *)out[0] + unit * size;
    memcpy(to, a, (size_t)size * sizeof(T));
    ((int32_t *)out[2])[unit] = (int32_t)OF(one_lu)(f, to, (int32_t *)out[1] + unit * k);
    break;
  }
  case FACTOR_QR: {
    T *to = (T *)out[0] + unit * size;
    memcpy(to, a, (size_t)size * sizeof(T));
    OF(one_qr)(f, to, (T *)out[1] + unit * k, scratch);
    break;
  }
  case FACTOR_PRODUCT:
    OF(one_product)(f, a, (const T *)buffers[1] + unit * f->k, (T *)out[0] + unit * size, scratch);
    break;
  case FACTOR_SOLVE: {
    int64_t batch = unit / f->blocks, first = unit % f->blocks * SIDES, of_b = f->a.n * f->sides;
    int64_t count = f->sides - first < SIDES ? f->sides - first : SIDES;
    OF(one_solve)(f, (const T *)buffers[0] + batch * f->a.n * f->a.n,
                  (const T *)buffers[1] + batch * of_b, f->n_in > 2 ? buffers[2] : NULL,
                  (T *)out[0] + batch * of_b, first, count, scratch);
    break;
  }
  }
}

#undef T
#undef OF
#undef SUB_MUL
#undef ADD
