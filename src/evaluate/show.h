// Values as text, in the form of StableHLO's interpreter:
//   tensor<2x2xi8> {            or    dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
//     [
//       [1, 2],
//       [3, 4]
//     ]
//   }
#ifndef TESSERA_EVALUATE_SHOW_H
#define TESSERA_EVALUATE_SHOW_H

#include "base/json.h"
#include "base/str.h"
#include "tensor/literal.h"

typedef struct ShowOptions {
  bool dense;    // one line, as an attribute
  int64_t most;  // larger tensors are summarized in a line; 0 = no limit
} ShowOptions;

// Writes the value and a newline. O(elements).
void literal_show(const Context *context, const Literal *literal, const ShowOptions *options,
                  StrBuf *out);
// Writes JSON: nested lists, complex numbers as [re, im], non-finite floats as "inf", "-inf",
// "nan"; tokens as null.
void literal_json(const Literal *literal, Json *json);
// "tensor<2x3xf32>", "tuple<…>", "!stablehlo.token".
void literal_show_type(const Context *context, const Literal *literal, StrBuf *out);

#endif
