// Matrix products of strided matrices, as one table with two implementations: `matmul_own`, plain
// C, and the provider libtessera_onednn.so.
//
//   out[b, i, j] = sum over k of lhs[b, i, k] * rhs[b, k, j]
//
// Products and sums are f32 (f64 if a type is f64), the result is rounded once. Integers wrap. The
// bits of a result depend on the shape alone.
//
// The provider is a library of its own: a change here raises MATMUL_VERSION.
#ifndef TESSERA_TENSOR_MATMUL_H
#define TESSERA_TENSOR_MATMUL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MATMUL_VERSION = 1 };
#define ONEDNN_PROVIDER "libtessera_onednn.so"
#define ONEDNN_SYMBOL "tsr_onednn_provider"

typedef enum MatmulType {
  MATMUL_F32,
  MATMUL_F64,
  MATMUL_BF16,
  MATMUL_F16,
  MATMUL_I8,
  MATMUL_U8,
  MATMUL_I16,
  MATMUL_U16,
  MATMUL_I32,  // unsigned too
  MATMUL_I64,  // unsigned too, if no operand is narrower
} MatmulType;
size_t matmul_bytes(MatmulType type);  // of one element
static inline bool matmul_is_float(MatmulType type) { return type <= MATMUL_F16; }

// Strides are in elements. A stride of a dimension of size 1 is not read.
typedef struct MatmulShape {
  MatmulType lhs_type, rhs_type, out_type;  // all floats, or all integers
  int64_t batch, m, n, k;                   // at least 1
  int64_t lhs_batch, lhs_m, lhs_k;
  int64_t rhs_batch, rhs_k, rhs_n;
  int64_t out_batch, out_m, out_n;  // out_n is 1, unless n is 1
} MatmulShape;

// A convolution of f32 or bf16, or a gradient of one. It maps src [batch, groups * ic, in…] with
// weights [groups, oc, ic, kernel…] to dst [batch, groups * oc, out…]. Each tensor has its own
// strides, in elements. 1 … 3 spatial dimensions. Dilations count from 1. Padding may differ at
// both ends and be negative if the library takes it.
enum { CONV_SPATIAL = 3 };
typedef enum ConvKind {
  CONV_FORWARD,  // src, weights -> dst
  CONV_DATA,     // gradient of dst, weights -> gradient of src
  CONV_WEIGHTS,  // src, gradient of dst -> gradient of weights
} ConvKind;
typedef struct ConvShape {
  ConvKind kind;
  MatmulType in_type, out_type;  // of both inputs, of the result
  uint32_t spatial;
  int64_t batch, groups, ic, oc;  // channels per group
  int64_t in[CONV_SPATIAL], kernel[CONV_SPATIAL], out[CONV_SPATIAL];
  int64_t stride[CONV_SPATIAL], dilation[CONV_SPATIAL], low[CONV_SPATIAL], high[CONV_SPATIAL];
  // Strides: batch, channel, spatial dims; weights: group, oc, ic, kernel dims.
  int64_t src_strides[2 + CONV_SPATIAL], dst_strides[2 + CONV_SPATIAL];
  int64_t weight_strides[3 + CONV_SPATIAL];
} ConvShape;

// A provider. Plans are made once per shape, are kept until the process ends, and serve any number
// of threads at a time. NULL: the library has no fast implementation.
typedef struct MatmulEngine {
  int32_t version;
  const char *name;
  const void *(*plan)(const MatmulShape *shape, size_t *out_scratch_bytes);
  void (*run)(const void *plan, const void *lhs, const void *rhs, void *out, void *scratch);
  // A product whose rhs is packed first, by `pack` into pack_bytes; NULL also if that gains
  // nothing. like: a plan with which it shares the packed rhs, or NULL.
  const void *(*packed_plan)(const MatmulShape *shape, const void *like, size_t *out_scratch_bytes,
                             size_t *out_pack_bytes);
  // The library has a layout of its own for weights, of pack_bytes; 0: it takes the strides given.
  // The inputs and the result of conv_run are the kind's. conv_pack converts weights to that
  // layout, or the gradient of weights from it.
  const void *(*conv_plan)(const ConvShape *shape, size_t *out_scratch_bytes,
                           size_t *out_pack_bytes);
  // Converts weights to that layout, or the gradient of weights from it.
  void (*pack)(const void *plan, const void *from, void *to);
  void (*conv_run)(const void *plan, const void *a, const void *b, void *out, void *scratch);
} MatmulEngine;

// The provider; NULL: not installed.
const MatmulEngine *matmul_provider(void);

// Our own product. Any shape; scratch is aligned to 64 bytes.
size_t matmul_own_scratch(const MatmulShape *shape);
void matmul_own_run(const MatmulShape *shape, const void *lhs, const void *rhs, void *out,
                    void *scratch);

#endif
