// The names of the ways to combine partial values: one table.
#include "sharding/combine.h"

static const char *const combine_names[COMBINE_COUNT] = {"",    "sum", "max", "min", "mul",
                                                         "and", "or",  "xor", "arg", "body"};

const char *combine_name(Combine combine) {
  return combine < COMBINE_COUNT ? combine_names[combine] : "";
}
