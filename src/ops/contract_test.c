// dot_general against the spec's formula, element by element on random shapes; convolution
// likewise; fft against the sum that defines it; random bits against published vectors.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "ops/contract.h"

#include <math.h>

#include "ops/eval_fixture.h"
#include "tensor/rng_bits.h"

extern const OpDef op_dot_general, op_convolution, op_fft;

static void run(void (*body)(EvalFixture *)) {
  Status *status = guard_run(eval_fixture_body, &body);
  if (status) fail_msg("%s", status_message(status));
}

// A product and a sum in the arithmetic of the kind: exact enough to be rounded to the same
// element.
static void accumulate(DType type, Scalar a, Scalar b, Scalar *sum) {
  if (dtype_is_complex(type)) {
    sum->f += a.f * b.f - a.im * b.im;
    sum->im += a.f * b.im + a.im * b.f;
  } else if (dtype_is_float(type)) {
    sum->f += a.f * b.f;
  } else {
    sum->u += a.u * b.u;
  }
}

static void expect_same(DType type, Scalar got, Scalar sum) {
  Scalar want = dtype_round(type, sum);
  assert_in_range(dtype_ulp_distance(type, got, want), 0,
                  type == DT_f64 || type == DT_c128 ? 8 : 0);
}

static void dot_general_random(EvalFixture *f) {
  static const DType types[] = {DT_i8, DT_ui32, DT_i64, DT_f16, DT_f32, DT_f64, DT_c64, DT_c128};
  Context *c = f->context;
  for (int round = 0; round < 200; round++) {
    // Random orders of dimensions: b batch, m and n free, k contracted.
    int64_t size[6], l_dims[4], r_dims[4], lb, lk[2], rb, rk[2];
    for (int i = 0; i < 6; i++) size[i] = fixture_int(f, round % 7 == 0 ? 0 : 1, 4);  // b m n k k'
    uint32_t l_order[4] = {0, 1, 3, 4}, r_order[4] = {0, 2, 3, 4};
    for (uint32_t i = 3; i > 0; i--) {
      uint32_t j = (uint32_t)fixture_int(f, 0, i), k = (uint32_t)fixture_int(f, 0, i),
               t = l_order[i];
      l_order[i] = l_order[j];
      l_order[j] = t;
      t = r_order[i];
      r_order[i] = r_order[k];
      r_order[k] = t;
    }
    for (uint32_t i = 0; i < 4; i++) {
      l_dims[i] = size[l_order[i]];
      r_dims[i] = size[r_order[i]];
      if (l_order[i] == 0) lb = i;
      if (r_order[i] == 0) rb = i;
      for (uint32_t k = 0; k < 2; k++) {
        if (l_order[i] == 3 + k) lk[k] = i;
        if (r_order[i] == 3 + k) rk[k] = i;
      }
    }
    DType type = types[fixture_int(f, 0, 7)];
    Literal *in[2] = {fixture_literal(f, type, 4, l_dims), fixture_literal(f, type, 4, r_dims)};
    NamedAttr numbers[] = {{name_of(c, "lhs_batching_dimensions"), attr_i64s(c, 1, &lb)},
                           {name_of(c, "rhs_batching_dimensions"), attr_i64s(c, 1, &rb)},
                           {name_of(c, "lhs_contracting_dimensions"), attr_i64s(c, 2, lk)},
                           {name_of(c, "rhs_contracting_dimensions"), attr_i64s(c, 2, rk)}};
    NamedAttr fields[] = {
        {name_of(c, "dot_dimension_numbers"), attr_struct(c, "stablehlo.dot", 4, numbers)}};
    int64_t out_dims[3] = {size[0], size[1], size[2]}, index[3] = {0};
    Literal *out = fixture_eval(f, &op_dot_general, attr_dict(c, 1, fields), 2, in,
                                type_tensor(c, type_scalar(type), 3, out_dims, 0));
    assert_int_equal(out->count, size[0] * size[1] * size[2]);
    for (int64_t i = 0; i < out->count; i++, shape_next(3, out_dims, index)) {
      Scalar sum = scalar_c(0, 0);
      for (int64_t k = 0; k < size[3]; k++)
        for (int64_t q = 0; q < size[4]; q++) {
          int64_t value[5] = {index[0], index[1], index[2], k, q}, l[4], r[4];
          for (uint32_t d = 0; d < 4; d++) {
            l[d] = value[l_order[d]];
            r[d] = value[r_order[d]];
          }
          accumulate(type, literal_get(in[0], shape_linear(4, l_dims, l)),
                     literal_get(in[1], shape_linear(4, r_dims, r)), &sum);
        }
      expect_same(type, literal_get(out, i), sum);
    }
  }
}

static void test_dot_general(void **state) {
  (void)state;
  run(dot_general_random);
}

// An element of the spec's padded, dilated input, by feature and spatial index.
static Scalar padded(const Literal *lhs, int64_t b, int64_t feature, const int64_t *at,
                     const int64_t *low, const int64_t *base) {
  int64_t index[4] = {b, feature, 0, 0};
  for (int s = 0; s < 2; s++) {
    int64_t x = at[s] - low[s];
    if (x < 0 || x % base[s] || x / base[s] >= lhs->dims[2 + s]) return scalar_c(0, 0);
    index[2 + s] = x / base[s];
  }
  return literal_get(lhs, shape_linear(4, lhs->dims, index));
}

static void convolution_random(EvalFixture *f) {
  static const DType types[] = {DT_i16, DT_bf16, DT_f32, DT_f64};
  Context *c = f->context;
  int64_t zero = 0, one = 1, spatial[2] = {2, 3};
  for (int round = 0; round < 200; round++) {
    int64_t groups = fixture_int(f, 1, 3), in_features = fixture_int(f, 1, 2),
            outs = groups * fixture_int(f, 1, 2);
    bool by_batch = fixture_int(f, 0, 2) == 0;
    int64_t batch = fixture_int(f, 1, 2), stride[2], low[2], high[2], base[2], dilation[2], pad[4];
    bool reversal[2];
    int64_t l_dims[4] = {by_batch ? batch * groups : batch,
                         by_batch ? in_features : in_features * groups, 0, 0};
    int64_t r_dims[4] = {outs, in_features, 0, 0}, out_dims[4] = {batch, outs, 0, 0},
            index[4] = {0};
    for (int s = 0; s < 2; s++) {
      l_dims[2 + s] = fixture_int(f, 1, 5);
      r_dims[2 + s] = fixture_int(f, 1, 3);
      stride[s] = fixture_int(f, 1, 3);
      base[s] = fixture_int(f, 1, 2);
      dilation[s] = fixture_int(f, 1, 2);
      pad[2 * s] = low[s] = fixture_int(f, -1, 3);
      pad[2 * s + 1] = high[s] = fixture_int(f, -1, 3);
      reversal[s] = fixture_int(f, 0, 1) == 1;
      int64_t whole = (l_dims[2 + s] - 1) * base[s] + 1 + low[s] + high[s];
      int64_t window = (r_dims[2 + s] - 1) * dilation[s] + 1;
      out_dims[2 + s] = whole <= 0 || window > whole ? 0 : (whole - window) / stride[s] + 1;
    }
    DType type = types[fixture_int(f, 0, 3)];
    Literal *in[2] = {fixture_literal(f, type, 4, l_dims), fixture_literal(f, type, 4, r_dims)};
    NamedAttr numbers[] = {{name_of(c, "input_batch_dimension"), attr_i64(c, zero)},
                           {name_of(c, "input_feature_dimension"), attr_i64(c, one)},
                           {name_of(c, "input_spatial_dimensions"), attr_i64s(c, 2, spatial)},
                           {name_of(c, "kernel_output_feature_dimension"), attr_i64(c, zero)},
                           {name_of(c, "kernel_input_feature_dimension"), attr_i64(c, one)},
                           {name_of(c, "kernel_spatial_dimensions"), attr_i64s(c, 2, spatial)},
                           {name_of(c, "output_batch_dimension"), attr_i64(c, zero)},
                           {name_of(c, "output_feature_dimension"), attr_i64(c, one)},
                           {name_of(c, "output_spatial_dimensions"), attr_i64s(c, 2, spatial)}};
    NamedAttr fields[] = {
        {name_of(c, "window_strides"), attr_i64s(c, 2, stride)},
        {name_of(c, "padding"),
         attr_dense(c, type_tensor(c, DT_i64, 2, (int64_t[]){2, 2}, 0), pad, sizeof pad)},
        {name_of(c, "lhs_dilation"), attr_i64s(c, 2, base)},
        {name_of(c, "rhs_dilation"), attr_i64s(c, 2, dilation)},
        {name_of(c, "window_reversal"), attr_bools(c, 2, reversal)},
        {name_of(c, "dimension_numbers"), attr_struct(c, "stablehlo.conv", 9, numbers)},
        {name_of(c, "feature_group_count"), attr_i64(c, by_batch ? 1 : groups)},
        {name_of(c, "batch_group_count"), attr_i64(c, by_batch ? groups : 1)}};
    Literal *out = fixture_eval(f, &op_convolution, attr_dict(c, 8, fields), 2, in,
                                type_tensor(c, type_scalar(type), 4, out_dims, 0));
    for (uint32_t d = 0; d < 4; d++) assert_int_equal(out->dims[d], out_dims[d]);
    for (int64_t i = 0; i < out->count; i++, shape_next(4, out_dims, index)) {
      int64_t group = index[1] / (outs / groups);
      Scalar sum = scalar_c(0, 0);
      for (int64_t k = 0; k < in_features * r_dims[2] * r_dims[3]; k++) {
        int64_t tap[2] = {k / r_dims[3] % r_dims[2], k % r_dims[3]},
                feature = k / (r_dims[2] * r_dims[3]), at[2];
        for (int s = 0; s < 2; s++)
          at[s] = index[2 + s] * stride[s] +
                  (reversal[s] ? r_dims[2 + s] - 1 - tap[s] : tap[s]) * dilation[s];
        int64_t kernel[4] = {index[1], feature, tap[0], tap[1]};
        accumulate(type,
                   padded(in[0], by_batch ? group * batch + index[0] : index[0],
                          by_batch ? feature : group * in_features + feature, at, low, base),
                   literal_get(in[1], shape_linear(4, r_dims, kernel)), &sum);
      }
      expect_same(type, literal_get(out, i), sum);
    }
  }
}

static void test_convolution(void **state) {
  (void)state;
  run(convolution_random);
}

static void fft_lengths(EvalFixture *f) {
  static const int64_t lengths[] = {1,  2,  3,  4,  5,  6,   8,   12,  15,  16,  17,
                                    30, 60, 61, 67, 72, 127, 134, 201, 256, 4489};
  Context *c = f->context;
  const long double tau = 6.283185307179586476925286766559005768L;
  for (size_t t = 0; t < sizeof lengths / sizeof *lengths; t++) {
    int64_t n = lengths[t];
    Literal *in = fixture_literal(f, DT_c128, 1, &n);
    Type type = type_tensor(c, DT_c128, 1, &n, 0);
    NamedAttr fields[] = {{name_of(c, "fft_type"), attr_enum(c, "stablehlo.fft_type", "FFT")},
                          {name_of(c, "fft_length"), attr_i64s(c, 1, &n)}};
    Literal *out = fixture_eval(f, &op_fft, attr_dict(c, 2, fields), 1, &in, type);
    for (int64_t k = 0; k < n; k += n > 300 ? 97 : 1) {
      long double re = 0, im = 0;
      for (int64_t j = 0; j < n; j++) {
        long double angle = -tau * (long double)(j * k % n) / (long double)n;
        Scalar x = literal_get(in, j);
        re += x.f * cosl(angle) - x.im * sinl(angle);
        im += x.f * sinl(angle) + x.im * cosl(angle);
      }
      Scalar got = literal_get(out, k);
      double bound = 1e-14 * (double)n;
      assert_true(fabs(got.f - (double)re) < bound && fabs(got.im - (double)im) < bound);
    }
    fields[0].value = attr_enum(c, "stablehlo.fft_type", "IFFT");
    Literal *back = fixture_eval(f, &op_fft, attr_dict(c, 2, fields), 1, &out, type);
    for (int64_t k = 0; k < n; k++) {
      Scalar a = literal_get(in, k), b = literal_get(back, k);
      assert_true(fabs(a.f - b.f) < 1e-13 && fabs(a.im - b.im) < 1e-13);
    }
  }
}

static void test_fft(void **state) {
  (void)state;
  run(fft_lengths);
}

// Known answers of Random123.
static void test_random_bits(void **state) {
  (void)state;
  uint32_t zeros[4] = {0}, ones[4] = {~0u, ~0u, ~0u, ~0u}, out[4];
  philox(zeros, zeros, out);
  assert_int_equal(out[0], 0x6627e8d5);
  assert_int_equal(out[1], 0xe169c58d);
  assert_int_equal(out[2], 0xbc57ac4c);
  assert_int_equal(out[3], 0x9b00dbd8);
  philox(ones, ones, out);
  assert_int_equal(out[0], 0x408f276d);
  assert_int_equal(out[3], 0x6d5451fd);
  threefry(zeros, zeros, out);
  assert_int_equal(out[0], 0x6b200159);
  assert_int_equal(out[1], 0x99ba4efe);
  threefry(ones, ones, out);
  assert_int_equal(out[0], 0x1cb996fc);
  assert_int_equal(out[1], 0xbb002be7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dot_general),
      cmocka_unit_test(test_convolution),
      cmocka_unit_test(test_fft),
      cmocka_unit_test(test_random_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
