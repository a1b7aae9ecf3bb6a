// The table of reducer names, and the type in which values are combined.
#include "sharding/combine.h"

static const char *const combine_names[COMBINE_COUNT] = {"",    "sum", "max", "min", "mul",
                                                         "and", "or",  "xor", "arg", "body"};

const char *combine_name(Combine combine) {
  return combine < COMBINE_COUNT ? combine_names[combine] : "";
}

bool combine_of(Str name, Combine *out) {
  for (int k = COMBINE_SUM; combine_is_named((Combine)k); k++)
    if (str_is(name, combine_names[k])) {
      *out = (Combine)k;
      return true;
    }
  return false;
}

DType combine_dtype(Combine combine, DType dtype) {
  bool rounds = combine == COMBINE_SUM || combine == COMBINE_MUL;
  return rounds && dtype_is_float(dtype) && dtype_info(dtype)->mantissa_bits < 23 ? DT_f32 : dtype;
}
