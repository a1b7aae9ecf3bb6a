// Elementwise ops as the engines see them: how n elements of known types are computed from wide
// lanes (tensor/lanes.h) to wide lanes. One Scalar is one lane, so the same function serves tensors
// and reductions.
#ifndef TESSERA_OPS_POINTWISE_H
#define TESSERA_OPS_POINTWISE_H

#include "ops/eval.h"
#include "ops/infer.h"
#include "ops/op.h"
#include "ops/sample.h"

enum { POINTWISE_ARITY = 3 };  // the most operands of an elementwise op

struct PointwiseCall {
  // What is asked for.
  uint16_t code;
  Attr attrs;
  const Context *context;
  uint32_t n_in;
  DType in[POINTWISE_ARITY];
  DType out;
  // What the op's `lanes` column fills in.
  void (*run)(const PointwiseCall *call, int64_t n, const void *const *in, void *out);
  int64_t mode;  // the op's own: a direction, a number of bits
};

// Fills run and mode for an elementwise op on unquantized types; false if the op is not elementwise
// or has no meaning for these types.
bool pointwise_prepare(PointwiseCall *call);
// One element: out is rounded or wrapped to call->out.
void pointwise_scalar(const PointwiseCall *call, const Scalar *in, Scalar *out);

// The element type a row of pointwise.def gives for operands of an unquantized one; 0 if it takes
// none such.
Type pointwise_result(uint16_t code, DType operand);

// The eval column of every elementwise op: chunk by chunk, scalar operands spread over the rest,
// quantized types through their expressed ones. O(elements).
Status *pointwise_eval(EvalContext *cx, Literal *const *in, Literal **out);

// ---- for infer columns ----

// A tensor of element type elem whose dims are the merged ones of n operands starting at `first`; 0
// if the shapes disagree.
Type infer_merged(Infer *cx, uint32_t first, uint32_t n, Type elem);
// Writes result 0: `type`, or the declared type where that is at least as exact (quantization
// parameters, static dims). Fails with `constraint` if the declared type does not have the same
// baseline.
bool infer_settle(Infer *cx, int constraint, Type type);
bool infer_all_tensors(Infer *cx);  // operands are ranked tensors; fails otherwise

#endif
