// Custom calls that are pointwise functions under another name.
#ifndef TESSERA_OPS_CUSTOM_NUMERIC_H
#define TESSERA_OPS_CUSTOM_NUMERIC_H

#include "ops/eval.h"

// Has the signature of an eval column; rows of custom_calls.def name it. The target's name
// determines the op: mhlo.erf is chlo.erf, and so on.
Status *custom_numeric(EvalContext *cx, Literal *const *in, Literal **out);

#endif
