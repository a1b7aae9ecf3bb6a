#include "cost/compute.h"

#include <math.h>

// The same as machines/default.json.
const Compute compute_default = {1e14, 2e12};

const char *const rate_names[RATE_COUNT] = {"f64", "f32", "f16", "bf16", "f8", "i8", "vector"};

double compute_seconds(const Compute *compute, double flops) {
  return flops / compute->flops_per_second;
}

RateKind rate_of(DType type) {
  const DTypeInfo *info = dtype_info(type);
  if (info->kind == KIND_SINT || info->kind == KIND_UINT || info->kind == KIND_BOOL)
    return info->width <= 8 ? RATE_i8 : RATE_f32;
  if (type == DT_bf16) return RATE_bf16;
  if (type == DT_f16) return RATE_f16;
  if (type == DT_f64 || type == DT_c128) return RATE_f64;
  return info->width <= 8 && info->width > 0 ? RATE_f8 : RATE_f32;
}

Rates rates_plain(const Compute *compute) {
  Rates rates = {
      .bytes_per_second = compute->bytes_per_second, .contractions = 1, .memory = 1, .links = 1};
  for (uint32_t i = 0; i < RATE_COUNT; i++) rates.peak[i] = compute->flops_per_second;
  return rates;
}

// From the four products: k = flops / 2 result, b = lhs rhs / (result k^2).
double rates_padding(const Rates *rates, double flops, double lhs, double rhs, double result) {
  double unit = rates->matrix_unit;
  if (unit <= 0 || result <= 0 || lhs <= 0 || rhs <= 0 || flops <= 0) return 1;
  double k = flops / 2 / result, b = lhs * rhs / (result * k * k);
  if (k < 1.5) return 1;  // nothing is summed: an elementwise product
  double sizes[] = {k, lhs / (b * k), rhs / (b * k)}, times = 1;
  for (int i = 0; i < 3; i++)
    if (sizes[i] > 0) times *= ceil(sizes[i] / unit - 1e-9) * unit / sizes[i];
  return fmax(times, 1);
}

double rates_seconds(const Rates *rates, double flops, double bytes, DType type, bool contracts) {
  double rate =
      contracts ? rates->peak[rate_of(type)] * rates->contractions : rates->peak[RATE_vector];
  return fmax(flops / rate, bytes / (rates->bytes_per_second * rates->memory));
}
