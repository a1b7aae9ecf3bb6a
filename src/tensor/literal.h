// Values at run time: arrays, tuples, tokens, futures. They are reference counted. A run's heap
// lists its live literals and frees them when the run ends, so error paths release nothing.
#ifndef TESSERA_TENSOR_LITERAL_H
#define TESSERA_TENSOR_LITERAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/guard.h"
#include "ir/context.h"

typedef enum LiteralKind {
  LITERAL_ARRAY,
  LITERAL_TUPLE,
  LITERAL_TOKEN,
  LITERAL_FUTURE
} LiteralKind;

typedef struct LiteralHeap LiteralHeap;
typedef struct Literal Literal;

struct Literal {
  uint32_t refs;
  LiteralKind kind;
  Type elem;    // element type (may be quantized)
  DType dtype;  // of the storage: elem, or the storage type of a quantized elem
  uint32_t rank;
  int64_t count;        // product of dims
  const int64_t *dims;  // run-time shape, always static
  void *data;  // canonical unpacked elements, row major (see ir/dtype.h), aligned to 64 bytes; NULL
               // for others
  uint32_t n_items;  // tuples and futures
  Literal **items;
  LiteralHeap *heap;
  Literal *prev, *next;  // in the heap's list
};

struct LiteralHeap {
  Guard *guard;  // exhaustion is thrown here
  Literal *first;
  size_t bytes, limit_bytes;  // live now; 0 = no limit. Beyond it: RESOURCE_EXHAUSTED
};

void literal_heap_init(LiteralHeap *heap, Guard *guard, size_t limit_bytes);
void literal_heap_deinit(LiteralHeap *heap);  // frees every literal left

// Charges memory that a run holds beside its literals (stacks, frames) to the heap's limit. Beyond
// the limit: RESOURCE_EXHAUSTED, and nothing is charged.
Status *literal_heap_charge(LiteralHeap *heap, size_t bytes) MUST_USE;
void literal_heap_refund(LiteralHeap *heap, size_t bytes);

// New literals have one reference, owned by the caller. Data is zeroed. Huge shapes throw
// RESOURCE_EXHAUSTED.
Literal *literal_new(LiteralHeap *heap, const Context *context, Type elem, uint32_t rank,
                     const int64_t *dims);
// type: a tensor with static dims.
Literal *literal_new_typed(LiteralHeap *heap, const Context *context, Type tensor);
Literal *literal_like(const Literal *shape, const Context *context,
                      Type elem);               // same dims, other element type
Literal *literal_copy(const Literal *literal);  // arrays only
Literal *literal_scalar(LiteralHeap *heap, DType dtype, Scalar value);
Literal *literal_token(LiteralHeap *heap);
Literal *literal_tuple(LiteralHeap *heap, LiteralKind kind, uint32_t n,
                       Literal *const *items);  // retains items
// From a dense constant (splats are expanded) or a resource blob already decoded.
Literal *literal_from_dense(LiteralHeap *heap, const Context *context, Attr dense);
// Same elements under another shape of equal count; shares nothing (copies).
Literal *literal_reshape(const Literal *literal, uint32_t rank, const int64_t *dims);

Literal *literal_retain(Literal *literal);
void literal_release(Literal *literal);  // NULL is fine

static inline Scalar literal_get(const Literal *l, int64_t i) {
  return dtype_load(l->dtype, l->data, i);
}
static inline void literal_set(Literal *l, int64_t i, Scalar v) {
  dtype_store(l->dtype, l->data, i, v);
}
// Copies n elements bit for bit between literals of one storage type.
void literal_copy_elements(Literal *to, int64_t to_index, const Literal *from, int64_t from_index,
                           int64_t n);
bool literal_same_shape(const Literal *a, const Literal *b);
// The literal is a value of this type: kind, element type, the sizes the type knows, items. O(rank
// or items).
bool literal_matches(const Context *context, const Literal *literal, Type type);

// a * b for sizes, wrapping. Partial products of an empty array's dims may overflow before the 0
// (3000000000x3000000000x3000000000x0); no element depends on them.
static inline int64_t shape_times(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a * (uint64_t)b);
}
// Row-major strides of dims into out (rank entries), in elements.
void shape_strides(uint32_t rank, const int64_t *dims, int64_t *out);
// Steps a multi-index through dims in row-major order; false after the last. rank 0 has one index.
bool shape_next(uint32_t rank, const int64_t *dims, int64_t *index);
int64_t shape_linear(uint32_t rank, const int64_t *dims, const int64_t *index);

enum { MAX_RANK = 64 };  // the verifier rejects more, so index arrays fit on the stack

#endif
