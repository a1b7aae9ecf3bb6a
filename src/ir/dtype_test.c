// Element types: every bit pattern survives, rounding follows the formats, text is MLIR's.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "ir/dtype.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double round_to(DType type, double x) { return dtype_round(type, scalar_f(x)).f; }

static Scalar read_number(DType type, const char *text) {
  Scalar value = scalar_i(-99);
  assert_true(dtype_parse_number(type, text, strlen(text), &value));
  return value;
}

static bool rejects(DType type, const char *text) {
  Scalar value;
  return !dtype_parse_number(type, text, strlen(text), &value);
}

static void expect_text(DType type, Scalar value, const char *text) {
  char buf[DTYPE_TEXT_MAX];
  assert_int_equal(dtype_format(type, value, buf, sizeof buf), strlen(text));
  assert_string_equal(buf, text);
}

static void test_table(void **state) {
  (void)state;
  for (int i = 1; i < DT_COUNT; i++) {
    const DTypeInfo *t = dtype_info((DType)i);
    if (t->kind == KIND_COMPLEX) continue;
    assert_int_equal(dtype_parse(t->name, strlen(t->name)), i);
    if (t->kind == KIND_FLOAT && t->style != FLOAT_E8M0)
      assert_int_equal(t->width, 1 + t->exponent_bits + t->mantissa_bits);
  }
  assert_int_equal(dtype_parse("f33", 3), DT_none_);
  assert_int_equal(dtype_parse("f32", 2), DT_none_);
  assert_int_equal(dtype_complex_of(DT_f32), DT_c64);
  assert_int_equal(dtype_real_of(DT_c128), DT_f64);
  assert_int_equal(dtype_real_of(DT_i8), DT_i8);
}

static void test_every_pattern_round_trips(void **state) {
  (void)state;
  for (int type = 1; type < DT_COUNT; type++) {
    const DTypeInfo *t = dtype_info((DType)type);
    if (t->kind == KIND_OTHER || t->width > 19) continue;
    for (uint32_t code = 0; code < (uint32_t)1 << t->width; code++) {
      unsigned char in[4], out[4] = {0};
      memcpy(in, &code, 4);
      Scalar value = dtype_load((DType)type, in, 0);
      dtype_store((DType)type, out, 0, value);
      assert_memory_equal(in, out, 4);
      assert_int_equal(dtype_bits((DType)type, value), code);
    }
  }
}

static void test_wide_patterns_round_trip(void **state) {
  (void)state;
  static const uint32_t f32[] = {0,          0x80000000, 1,          0x007FFFFF, 0x3F800001,
                                 0x7F800000, 0xFF800000, 0x7FC00000, 0xFF800001, 0x7FFFFFFF};
  for (size_t i = 0; i < sizeof f32 / sizeof *f32; i++) {
    uint32_t out = 0;
    dtype_store(DT_f32, &out, 0, dtype_load(DT_f32, f32, (int64_t)i));
    assert_int_equal(out, f32[i]);
    double wide;
    dtype_load_f64s(DT_f32, f32, (int64_t)i, 1, &wide);
    dtype_store_f64s(DT_f32, &out, 0, 1, &wide);
    assert_int_equal(out, f32[i]);
  }
  float pair[4] = {1, 2, 3, 4};
  Scalar z = dtype_load(DT_c64, pair, 1);
  assert_true(z.f == 3 && z.im == 4);
  double parts[4];
  dtype_load_f64s(DT_c64, pair, 0, 2, parts);
  assert_true(parts[1] == 2 && parts[3] == 4);
  dtype_store_f64s(DT_c64, pair, 1, 1, parts);
  assert_true(pair[2] == 1 && pair[3] == 2);
  dtype_store(DT_c64, pair, 0, scalar_c(7, 8));
  assert_true(pair[0] == 7 && pair[1] == 8);
}

static void test_integers_wrap(void **state) {
  (void)state;
  assert_int_equal(dtype_round(DT_i8, scalar_i(200)).i, -56);
  assert_int_equal(dtype_round(DT_ui8, scalar_u(300)).u, 44);
  assert_int_equal(dtype_round(DT_i4, scalar_i(8)).i, -8);
  assert_int_equal(dtype_round(DT_i2, scalar_i(3)).i, -1);
  assert_int_equal(dtype_round(DT_ui2, scalar_i(-1)).u, 3);
  assert_int_equal(dtype_round(DT_i1, scalar_i(2)).i, 1);
  assert_int_equal(dtype_lowest(DT_i64).i, INT64_MIN);
  assert_int_equal(dtype_max_finite(DT_ui64).u, UINT64_MAX);
  assert_int_equal(dtype_lowest(DT_ui8).u, 0);
}

static void test_float_rounding(void **state) {
  (void)state;
  // Ties go to even, anything more goes away from zero.
  assert_true(round_to(DT_f16, 1 + 0x1p-11) == 1);
  assert_true(round_to(DT_f16, 1 + 0x3p-11) == 1 + 0x1p-9);
  assert_true(round_to(DT_f16, 1 + 0x1p-11 + 0x1p-52) == 1 + 0x1p-10);
  assert_true(round_to(DT_bf16, 1 + 0x1p-8) == 1);
  assert_true(round_to(DT_bf16, 1 + 0x3p-8) == 1 + 0x1p-6);
  // A double that f32 would round to a bf16 tie is rounded once.
  assert_true(round_to(DT_bf16, 1 + 0x1p-8 + 0x1p-40) == 1 + 0x1p-7);
  assert_true(round_to(DT_f16, 65519.99) == 65504);
  assert_true(isinf(round_to(DT_f16, 65520)));
  assert_true(round_to(DT_f16, 0x1p-25) == 0);
  assert_true(round_to(DT_f16, 0x1.8p-25) == 0x1p-24);
  assert_true(round_to(DT_f16, 0x1.8p-24) == 0x1p-23);
  assert_true(signbit(round_to(DT_f16, -0x1p-30)) != 0);
  assert_true(round_to(DT_f32, 0x1p-150) == 0);
  assert_true(round_to(DT_bf16, 0x1p-1074) == 0);
  assert_true(round_to(DT_tf32, 1 + 0x1p-11) == 1);
}

static void test_small_float_ends(void **state) {
  (void)state;
  static const struct {
    DType type;
    double max, tiny;
  } rows[] = {
      {DT_f4E2M1FN, 6, 0.5},
      {DT_f6E2M3FN, 7.5, 0.125},
      {DT_f6E3M2FN, 28, 0.0625},
      {DT_f8E3M4, 15.5, 0x1p-6},
      {DT_f8E4M3, 240, 0x1p-9},
      {DT_f8E4M3FN, 448, 0x1p-9},
      {DT_f8E4M3FNUZ, 240, 0x1p-10},
      {DT_f8E4M3B11FNUZ, 30, 0x1p-13},
      {DT_f8E5M2, 57344, 0x1p-16},
      {DT_f8E5M2FNUZ, 57344, 0x1p-17},
      {DT_f8E8M0FNU, 0x1p127, 0x1p-127},
      {DT_f16, 65504, 0x1p-24},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    DType type = rows[i].type;
    assert_true(dtype_max_finite(type).f == rows[i].max);
    assert_true(round_to(type, rows[i].tiny) == rows[i].tiny);
    assert_true(dtype_from_bits(type, type == DT_f8E8M0FNU ? 0 : 1).f == rows[i].tiny);
    double over = round_to(type, rows[i].max * 4);
    if (dtype_has_infinity(type))
      assert_true(over == (double)INFINITY);
    else if (isnan(round_to(type, (double)NAN)))
      assert_true(isnan(over));
    else
      assert_true(over == rows[i].max);
  }
  assert_true(round_to(DT_f4E2M1FN, -(double)INFINITY) == -6);
  assert_true(round_to(DT_f4E2M1FN, (double)NAN) == 0);
  assert_true(round_to(DT_f4E2M1FN, 2.5) == 2);
  assert_true(round_to(DT_f4E2M1FN, 3.5) == 4);
  assert_int_equal(dtype_bits(DT_f8E4M3FN, scalar_f(-(double)INFINITY)), 0xFF);
  assert_int_equal(dtype_bits(DT_f8E4M3FNUZ, scalar_f((double)INFINITY)), 0x80);
  assert_int_equal(dtype_bits(DT_f8E4M3FNUZ, scalar_f(-0.0)), 0);
  assert_int_equal(dtype_bits(DT_f8E4M3FNUZ, scalar_f(-0x1p-20)), 0);
  assert_int_equal(dtype_bits(DT_f8E4M3FN, scalar_f(464)), 0x7E);  // tie: even is the largest value
  assert_int_equal(dtype_bits(DT_f8E4M3FN, scalar_f(464.1)), 0x7F);  // past it: NaN
  assert_int_equal(dtype_bits(DT_f8E8M0FNU, scalar_f(3)), 129);
  assert_int_equal(dtype_bits(DT_f8E8M0FNU, scalar_f(2.9)), 128);
  assert_int_equal(dtype_bits(DT_f8E8M0FNU, scalar_f(-1)), 0xFF);
}

static void test_convert(void **state) {
  (void)state;
  assert_int_equal(dtype_convert(DT_f32, DT_i8, scalar_f(-1.9)).i, -1);
  assert_int_equal(dtype_convert(DT_f32, DT_i8, scalar_f(1e9)).i, 127);
  assert_int_equal(dtype_convert(DT_f32, DT_i8, scalar_f(-1e9)).i, -128);
  assert_int_equal(dtype_convert(DT_f32, DT_i32, scalar_f((double)NAN)).i, 0);
  assert_int_equal(dtype_convert(DT_f64, DT_i64, scalar_f(0x1p63)).i, INT64_MAX);
  assert_int_equal(dtype_convert(DT_f64, DT_ui64, scalar_f(0x1p64)).u, UINT64_MAX);
  assert_int_equal(dtype_convert(DT_f64, DT_ui64, scalar_f(-3)).u, 0);
  assert_int_equal(dtype_convert(DT_f64, DT_i1, scalar_f(0.25)).i, 1);
  assert_int_equal(dtype_convert(DT_f64, DT_i1, scalar_f((double)NAN)).i, 1);
  assert_int_equal(dtype_convert(DT_c64, DT_i1, scalar_c(0, 1)).i, 0);
  assert_int_equal(dtype_convert(DT_i32, DT_i8, scalar_i(257)).i, 1);
  assert_int_equal(dtype_convert(DT_i8, DT_ui16, scalar_i(-1)).u, 65535);
  assert_int_equal(dtype_convert(DT_i1, DT_i8, scalar_i(1)).i, 1);
  // Just above a tie of f32, which rounding through f64 would lose.
  int64_t above = ((int64_t)1 << 62) + ((int64_t)1 << 38) + 1;
  assert_true(dtype_convert(DT_i64, DT_f32, scalar_i(above)).f == 0x1.000002p62);
  assert_true(dtype_convert(DT_i64, DT_f32, scalar_i(-above)).f == -0x1.000002p62);
  assert_true(dtype_convert(DT_ui64, DT_f32, scalar_u(UINT64_MAX)).f == 0x1p64);
  assert_true(dtype_convert(DT_i64, DT_f32, scalar_i(INT64_MIN)).f == -0x1p63);
  assert_true(dtype_convert(DT_i32, DT_f16, scalar_i(2049)).f == 2048);
  assert_true(isinf(dtype_convert(DT_i32, DT_f16, scalar_i(70000)).f));
  Scalar z = dtype_convert(DT_f64, DT_c64, scalar_f(0.1));
  assert_true(z.f == (double)0.1f && z.im == 0);
  z = dtype_convert(DT_c128, DT_c64, scalar_c(0.1, 0.2));
  assert_true(z.f == (double)0.1f && z.im == (double)0.2f);
  assert_true(dtype_convert(DT_c128, DT_f64, scalar_c(5, 6)).f == 5);
}

static void test_ulp_distance(void **state) {
  (void)state;
  double inf = (double)INFINITY, nan_ = (double)NAN;
  assert_int_equal(dtype_ulp_distance(DT_f32, scalar_f(1), scalar_f(1 + 0x1p-23)), 1);
  assert_int_equal(dtype_ulp_distance(DT_f32, scalar_f(1), scalar_f(1 - 0x1p-24)), 1);
  assert_int_equal(dtype_ulp_distance(DT_f32, scalar_f(0.0), scalar_f(-0.0)), 0);
  assert_int_equal(dtype_ulp_distance(DT_f32, scalar_f(0x1p-149), scalar_f(-0x1p-149)), 2);
  assert_int_equal(dtype_ulp_distance(DT_f64, scalar_f(nan_), scalar_f(-nan_)), 0);
  assert_true(dtype_ulp_distance(DT_f64, scalar_f(inf), scalar_f(-inf)) == UINT64_MAX);
  assert_true(dtype_ulp_distance(DT_f64, scalar_f(inf), scalar_f(1e308)) == UINT64_MAX);
  assert_int_equal(dtype_ulp_distance(DT_f64, scalar_f(inf), scalar_f(inf)), 0);
  assert_true(dtype_ulp_distance(DT_f64, scalar_f(1), scalar_f(nan_)) == UINT64_MAX);
  assert_int_equal(dtype_ulp_distance(DT_c64, scalar_c(1, 0), scalar_c(1 + 0x1p-22, 0x1p-149)), 2);
  assert_int_equal(dtype_ulp_distance(DT_bf16, scalar_f(2), scalar_f(2 + 0x3p-6)), 3);
  assert_true(dtype_ulp_distance(DT_i64, scalar_i(INT64_MIN), scalar_i(INT64_MAX)) == UINT64_MAX);
}

static void test_next_after(void **state) {
  (void)state;
  double inf = (double)INFINITY;
  assert_true(dtype_next_after(DT_bf16, scalar_f(1), scalar_f(2)).f == 1 + 0x1p-7);
  assert_true(dtype_next_after(DT_bf16, scalar_f(1), scalar_f(0)).f == 1 - 0x1p-8);
  assert_true(dtype_next_after(DT_f16, scalar_f(0), scalar_f(-1)).f == -0x1p-24);
  assert_true(dtype_next_after(DT_f16, scalar_f(-0x1p-24), scalar_f(1)).f == 0);
  assert_true(dtype_next_after(DT_f32, scalar_f(0x1.fffffep127), scalar_f(inf)).f == inf);
  assert_true(dtype_next_after(DT_f32, scalar_f(inf), scalar_f(0)).f == 0x1.fffffep127);
  assert_true(dtype_next_after(DT_f64, scalar_f(3), scalar_f(3)).f == 3);
  assert_true(isnan(dtype_next_after(DT_f64, scalar_f(3), scalar_f((double)NAN)).f));
}

static void test_format(void **state) {
  (void)state;
  expect_text(DT_i1, scalar_i(1), "true");
  expect_text(DT_i8, scalar_i(-128), "-128");
  expect_text(DT_i64, scalar_i(INT64_MIN), "-9223372036854775808");
  expect_text(DT_ui64, scalar_u(UINT64_MAX), "18446744073709551615");
  expect_text(DT_f32, scalar_f(1), "1.000000e+00");
  expect_text(DT_f32, scalar_f(-0.0), "-0.000000e+00");
  expect_text(DT_f32, scalar_f(0.1), "1.000000e-01");
  expect_text(DT_f32, scalar_f(1.0 / 3), "0.333333343");
  expect_text(DT_f32, scalar_f(3.14159265358979), "3.14159274");
  expect_text(DT_f32, scalar_f(0x1p-13), "1.22070313E-4");
  expect_text(DT_f32, scalar_f(16777216), "0x4B800000");
  expect_text(DT_f32, scalar_f(0x1.fffffep127), "3.40282347E+38");
  expect_text(DT_f64, scalar_f(1.0 / 3), "0.33333333333333331");
  expect_text(DT_f64, scalar_f(1e300), "1.000000e+300");
  expect_text(DT_f64, scalar_f(0x1p-1074), "4.940660e-324");
  expect_text(DT_f64, scalar_f((double)INFINITY), "0x7FF0000000000000");
  expect_text(DT_f32, scalar_f((double)NAN), "0x7FC00000");
  expect_text(DT_f16, scalar_f(-(double)INFINITY), "0xFC00");
  expect_text(DT_bf16, scalar_f(-(double)INFINITY), "0xFF80");
  expect_text(DT_f16, scalar_f(65504), "6.550400e+04");
  expect_text(DT_c64, scalar_c(1, -2.5), "(1.000000e+00,-2.500000e+00)");
  char small[4];
  assert_int_equal(dtype_format(DT_i32, scalar_i(123456), small, sizeof small), 6);
  assert_string_equal(small, "123");
}

static void test_every_16_bit_value_reads_back(void **state) {
  (void)state;
  static const DType types[] = {DT_f16, DT_bf16, DT_f8E4M3FN, DT_f8E5M2, DT_f8E8M0FNU, DT_f6E3M2FN};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    for (uint32_t code = 0; code < (uint32_t)1 << dtype_width(types[i]); code++) {
      char buf[DTYPE_TEXT_MAX];
      dtype_format(types[i], dtype_from_bits(types[i], code), buf, sizeof buf);
      assert_int_equal(dtype_bits(types[i], read_number(types[i], buf)), code);
    }
}

static void test_random_doubles_read_back(void **state) {
  (void)state;
  uint64_t seed = 1;
  for (int i = 0; i < 20000; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    uint64_t bits = seed ^ seed >> 29;
    char buf[DTYPE_TEXT_MAX];
    dtype_format(DT_f64, dtype_from_bits(DT_f64, bits), buf, sizeof buf);
    assert_true(dtype_bits(DT_f64, read_number(DT_f64, buf)) == bits);
    uint32_t low = (uint32_t)bits;
    dtype_format(DT_f32, dtype_from_bits(DT_f32, low), buf, sizeof buf);
    assert_int_equal(dtype_bits(DT_f32, read_number(DT_f32, buf)), low);
    // The parser agrees with the C library on arbitrary decimals.
    char text[64];
    dtype_format(DT_ui64, scalar_u(bits), text, sizeof text);
    strcat(text, i % 2 ? ".75e-" : ".e+");
    dtype_format(DT_i32, scalar_i((int64_t)(seed >> 40) % 340), buf, sizeof buf);
    strcat(text, buf);
    double x;
    assert_true(dtype_parse_double(text, strlen(text), &x));
    assert_true(x == strtod(text, NULL));
  }
}

static void test_parse_numbers(void **state) {
  (void)state;
  assert_int_equal(read_number(DT_i8, "-128").i, -128);
  assert_int_equal(read_number(DT_i8, "0xFF").i, -1);
  assert_int_equal(read_number(DT_i8, "255").i, -1);
  assert_true(rejects(DT_i8, "256"));
  assert_true(rejects(DT_i8, "-129"));
  assert_true(rejects(DT_ui8, "-1"));
  assert_true(rejects(DT_i32, "1.0"));
  assert_true(rejects(DT_i32, ""));
  assert_true(rejects(DT_i32, "-"));
  assert_true(rejects(DT_i32, "12a"));
  assert_true(rejects(DT_i64, "18446744073709551616"));
  assert_int_equal(read_number(DT_ui64, "18446744073709551615").u, UINT64_MAX);
  assert_int_equal(read_number(DT_i1, "true").i, 1);
  assert_int_equal(read_number(DT_i1, "0").i, 0);
  assert_true(rejects(DT_i1, "2"));
  assert_true(read_number(DT_f32, "1.5").f == 1.5);
  assert_true(read_number(DT_f32, "-1.").f == -1);
  assert_true(read_number(DT_f32, "0.1").f == (double)0.1f);
  assert_true(read_number(DT_f32, "0x3F800000").f == 1);
  assert_true(isnan(read_number(DT_bf16, "0x7FC0").f));
  assert_true(rejects(DT_bf16, "0x1FFFF"));
  assert_true(rejects(DT_f32, "1"));
  assert_true(rejects(DT_f32, "1e5"));
  assert_true(rejects(DT_f32, "1.0e"));
  assert_true(rejects(DT_f32, "1.0e+"));
  assert_true(rejects(DT_f32, "."));
  assert_true(rejects(DT_f32, "1.0.0"));
  assert_true(rejects(DT_f32, "inf"));
  assert_true(isinf(read_number(DT_f64, "1.0e999999999999").f));
  assert_true(read_number(DT_f64, "1.0e-999999999999").f == 0);
  assert_true(read_number(DT_f64, "2.4703282292062327208e-324").f == 0);
  assert_true(read_number(DT_f64, "2.4703282292062328e-324").f == 0x1p-1074);
  assert_true(read_number(DT_f64, "9007199254740993.0").f == 9007199254740992.0);
  assert_true(read_number(DT_f64, "9007199254740993.00000000000000000001").f == 9007199254740994.0);
  assert_true(signbit(read_number(DT_f64, "-0.0").f) != 0);
  // Many digits: a tie that the last of a thousand digits breaks.
  char text[1100] = "9007199254740993.";
  size_t n = strlen(text);
  memset(text + n, '0', 1000);
  text[n + 1000] = '1';
  double x;
  assert_true(dtype_parse_double(text, n + 1000, &x) && x == 9007199254740992.0);
  assert_true(dtype_parse_double(text, n + 1001, &x) && x == 9007199254740994.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_table),
      cmocka_unit_test(test_every_pattern_round_trips),
      cmocka_unit_test(test_wide_patterns_round_trip),
      cmocka_unit_test(test_integers_wrap),
      cmocka_unit_test(test_float_rounding),
      cmocka_unit_test(test_small_float_ends),
      cmocka_unit_test(test_convert),
      cmocka_unit_test(test_ulp_distance),
      cmocka_unit_test(test_next_after),
      cmocka_unit_test(test_format),
      cmocka_unit_test(test_every_16_bit_value_reads_back),
      cmocka_unit_test(test_random_doubles_read_back),
      cmocka_unit_test(test_parse_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
