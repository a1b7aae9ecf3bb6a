// What makers of kernels share: types of operands, bodies of reductions, kernels of copies.
#ifndef TESSERA_EXECUTE_KERNELS_COMMON_H
#define TESSERA_EXECUTE_KERNELS_COMMON_H

#include "execute/kernel.h"
#include "execute/kernels/moves.h"
#include "sharding/combine.h"

// A dense tensor that a kernel reads or writes.
typedef struct Dense {
  DType dtype;
  size_t item;  // bytes of an element
  uint32_t rank;
  const int64_t *dims;
  int64_t count;
  int64_t strides[MAX_RANK];  // in elements
} Dense;

// False: not a static tensor of plain elements.
bool dense_of(const Context *context, Type type, Dense *out);
static inline bool dense_operand(const KernelRequest *r, uint32_t i, Dense *out) {
  return dense_of(r->program->context, op_operand_type(r->program, r->op, i), out);
}
static inline bool dense_result(const KernelRequest *r, uint32_t i, Dense *out) {
  return dense_of(r->program->context, op_result_type(r->program, r->op, i), out);
}

// An inherent attribute that is a list of integers; `ok` is false if it is absent.
static inline Ints request_ints(const KernelRequest *r, const char *name) {
  return attr_as_ints(r->program->context, op_attr(r->program, r->op, name));
}

// The body is one binary op on its two arguments: its reducer; COMBINE_NONE: another body.
Combine body_combine(const Program *program, RegionId region);
// The body returns its argument `argument`.
bool body_returns(const Program *program, RegionId region, uint32_t argument);

// The element at `index` of a buffer of integers, saturated to int64_t.
static inline int64_t index_at(DType type, const void *data, int64_t index) {
  switch (type) {
  case DT_i32: return ((const int32_t *)data)[index];
  case DT_i64: return ((const int64_t *)data)[index];
  case DT_ui32: return ((const uint32_t *)data)[index];
  default: break;
  }
  Scalar value = dtype_load(type, data, index);
  if (dtype_kind(type) == KIND_UINT) return value.u > INT64_MAX ? INT64_MAX : (int64_t)value.u;
  return value.i;
}

// A kernel that does nothing, for results without elements.
void kernel_nothing(Kernel *out);

// Several copies, each from a buffer with an offset to the output, at one offset. One kernel.
typedef struct CopyStep {
  Moves moves;
  uint32_t from, to;       // buffers
  int64_t from_at, to_at;  // offsets in bytes
} CopyStep;
// steps: in the executable's arena. Copies write disjoint elements.
void kernel_copies(const KernelRequest *r, const char *name, uint32_t n, const CopyStep *steps,
                   Kernel *out);

// Kernels that run one after the other on the same buffers. They share one temporary buffer.
enum { CHAIN_MOST = 12 };
typedef struct KernelChain {
  Arena *arena;
  uint32_t n;
  size_t temp_bytes;
  Kernel kernels[CHAIN_MOST];
} KernelChain;
void chain_add(KernelChain *chain, const Kernel *kernel);
// Offset of `bytes` more of the temporary buffer.
size_t chain_temp(KernelChain *chain, size_t bytes);
void chain_link(KernelChain *chain, Kernel *out);

static inline size_t kernel_aligned(size_t bytes) {
  return (bytes + KERNEL_ALIGN - 1) / KERNEL_ALIGN * KERNEL_ALIGN;
}

#endif
