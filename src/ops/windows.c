// Windows over padded, dilated dimensions: reads and verifies the attributes, counts positions.
// Arithmetic is checked for overflow, since the numbers come from the user's text.
#include "ops/windows.h"

// (n - 1) * dilation + 1, 0 for n == 0; false on overflow.
static bool dilate(int64_t n, int64_t dilation, int64_t *out) {
  *out = 0;
  if (n == 0) return true;
  return !__builtin_mul_overflow(n - 1, dilation, out) && !__builtin_add_overflow(*out, 1, out);
}

int64_t window_count(const WindowDim *w, int64_t input) {
  int64_t dilated, window, padded;
  if (w->size == DIM_DYNAMIC || input == DIM_DYNAMIC) return DIM_DYNAMIC;
  if (!dilate(input, w->base_dilation, &dilated) || !dilate(w->size, w->window_dilation, &window) ||
      __builtin_add_overflow(dilated, w->pad_low, &padded) ||
      __builtin_add_overflow(padded, w->pad_high, &padded))
    return -1;
  if (padded <= 0 || window > padded) return 0;
  return (padded - window) / w->stride + 1;
}

void windows_read(Context *context, Attr attrs, uint32_t rank, WindowDim *out) {
  Ints sizes = attr_as_ints(context, attr_get(context, attrs, "window_dimensions"));
  Ints strides = attr_as_ints(context, attr_get(context, attrs, "window_strides"));
  Ints base = attr_as_ints(context, attr_get(context, attrs, "base_dilations"));
  Ints dilation = attr_as_ints(context, attr_get(context, attrs, "window_dilations"));
  Ints padding = attr_as_ints(context, attr_get(context, attrs, "padding"));
  for (uint32_t d = 0; d < rank; d++)
    out[d] =
        (WindowDim){.size = sizes.ok && d < sizes.n ? sizes.v[d] : 1,
                    .stride = strides.ok && d < strides.n ? strides.v[d] : 1,
                    .base_dilation = base.ok && d < base.n ? base.v[d] : 1,
                    .window_dilation = dilation.ok && d < dilation.n ? dilation.v[d] : 1,
                    .pad_low = padding.ok && 2 * d + 1 < padding.n ? padding.v[2 * d] : 0,
                    .pad_high = padding.ok && 2 * d + 1 < padding.n ? padding.v[2 * d + 1] : 0};
}

bool windows_check(Infer *cx, const char *name, uint32_t rank, bool required, int size_constraint,
                   int positive_constraint) {
  if (!infer_attr(cx, name)) {
    REQUIRE(cx, size_constraint, !required,
            "%s is missing, expected one entry per window dimension", name);
    return true;
  }
  Ints list = infer_ints(cx, name);
  REQUIRE(cx, size_constraint, list.ok && list.n == rank,
          "%s has length %u, expected %u, one entry per window dimension", name,
          list.ok ? list.n : 0, rank);
  for (uint32_t d = 0; d < list.n; d++)
    REQUIRE(cx, positive_constraint, list.v[d] > 0, "%s[%u] is %lld, expected a positive number",
            name, d, (long long)list.v[d]);
  return true;
}

bool windows_check_padding(Infer *cx, uint32_t rank, int constraint) {
  Attr attr = infer_attr(cx, "padding");
  if (!attr) return true;
  const TypeInfo *type = type_info(cx->context, attr_info(cx->context, attr)->type);
  REQUIRE(cx, constraint,
          type->kind == TYPE_TENSOR && type->rank == 2 && type->dims[0] == rank &&
              type->dims[1] == 2,
          "padding has shape %s, expected [%u, 2]",
          type->kind == TYPE_TENSOR ? infer_dims_text(cx, type->rank, type->dims) : "of no tensor",
          rank);
  REQUIRE(cx, constraint, type->elem == DT_i64, "padding has element type %s, expected i64",
          infer_text(cx, type->elem));
  return true;
}
