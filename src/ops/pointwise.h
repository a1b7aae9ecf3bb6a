// Elementwise ops as functions on chunks of n wide lanes (tensor/lanes.h), chosen by op code and
// element types. One Scalar is one lane, so the same function serves tensors and reductions.
#ifndef TESSERA_OPS_POINTWISE_H
#define TESSERA_OPS_POINTWISE_H

#include "ops/eval.h"
#include "ops/infer.h"
#include "ops/op.h"
#include "ops/sample.h"

enum { POINTWISE_ARITY = 3 };  // the most operands of an elementwise op

struct PointwiseCall {
  // The caller sets:
  uint16_t code;
  Attr attrs;
  const Context *context;
  uint32_t n_in;
  DType in[POINTWISE_ARITY];
  DType out;
  // The op's `lanes` column sets:
  void (*run)(const PointwiseCall *call, int64_t n, const void *const *in, void *out);
  int64_t mode;  // meaning depends on the op: a direction, a number of bits
};

// Sets run and mode for an elementwise op on unquantized types; false if the op is not elementwise
// or does not support these types.
bool pointwise_prepare(PointwiseCall *call);
// One element: out is rounded or wrapped to call->out.
void pointwise_scalar(const PointwiseCall *call, const Scalar *in, Scalar *out);

// The result's element type by the row of pointwise.def, for operands of an unquantized type; 0 if
// the op does not support it.
Type pointwise_result(uint16_t code, DType operand);

// The eval column of every elementwise op: chunk by chunk. Scalar operands are broadcast; quantized
// types are computed in their expressed type. O(elements).
Status *pointwise_eval(EvalContext *cx, Literal *const *in, Literal **out);

// ---- for infer columns ----

// A tensor of element type elem with the merged dims (dim_merge) of n operands from `first` on; 0
// if the shapes disagree.
Type infer_merged(Infer *cx, uint32_t first, uint32_t n, Type elem);
// Writes result 0: `type`, or the declared type if that is at least as exact (quantization
// parameters, static dims). Fails with `constraint` if the declared type has another baseline.
bool infer_settle(Infer *cx, int constraint, Type type);
bool infer_all_tensors(Infer *cx);  // operands are ranked tensors; fails otherwise

#endif
