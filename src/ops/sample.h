// What `sample` columns use: a random source, a program under construction, and builders. A sample
// appends one random legal instance of its op (with operands taken from sample_value) and gives it.
#ifndef TESSERA_OPS_SAMPLE_H
#define TESSERA_OPS_SAMPLE_H

#include "ops/op.h"

// For programs of many ops: where samples take their operands, types and shapes from. Each entry
// may decline (0, false): then it is a constant, any type, any small shape, as without a source.
typedef struct SampleSource {
  ValueId (*value)(Sample *cx, Type tensor);
  ValueId (*integers)(Sample *cx, Type tensor, int64_t low, int64_t high);
  DType (*dtype)(Sample *cx, const char *kinds);
  bool (*shape)(Sample *cx, uint32_t most_rank, uint32_t *out_rank, int64_t *dims);
} SampleSource;

struct Sample {
  Program *program;
  Context *context;
  Arena *arena;
  BlockId block;   // where ops go
  uint64_t state;  // of the random source
  const SampleSource *source;
  void *user;  // the source's
};

uint64_t sample_u64(Sample *cx);
int64_t sample_int(Sample *cx, int64_t low, int64_t high);  // inclusive
bool sample_chance(Sample *cx, int percent);
DType sample_dtype(Sample *cx,
                   const char *kinds);  // letters: b bool, s signed, u unsigned, f float, c complex
// A random quantized element type (i8 storage) for a shape: per tensor, or per axis along its last
// dimension.
Type sample_quant(Sample *cx, DType expressed, uint32_t rank, const int64_t *dims);
// A small random shape: rank 0…most_rank, dims 0…5 with 0 and 1 rare; dims has room for most_rank.
uint32_t sample_shape(Sample *cx, uint32_t most_rank, int64_t *dims);
// A constant of the given tensor type with random (small) elements, as a value.
ValueId sample_value(Sample *cx, Type tensor);
ValueId sample_constant_i(Sample *cx, Type tensor, int64_t low,
                          int64_t high);  // integers in a range
// A struct attribute as the reader makes it: fields that have their default (no dims, zero) are
// left out.
Attr sample_struct(Sample *cx, const char *cls, uint32_t n, const NamedAttr *fields);
// Creates the op at the end of the block with inferred (result_types NULL) or given result types.
// With regions nothing is inferred yet: fill them, then call sample_infer.
OpId sample_op(Sample *cx, uint16_t code, Attr attrs, uint32_t n_operands, const ValueId *operands,
               uint32_t n_results, const Type *result_types, uint32_t n_regions);
// Gives region i of op a block of scalar arguments (types elem0 elem1 … as tensor<elem>) that
// combines argument 0 and n with `code` (a binary pointwise op) and returns it: bodies of reduce
// and friends.
void sample_infer(Sample *cx, OpId op);  // throws if the instance is not legal: a bug in the sample
void sample_binary_body(Sample *cx, OpId op, uint32_t region, Type elem, uint16_t code);
// A code for such a body: sums, bounds, of integers also products and bits. Any order of combining
// gives the same bits if sums of the elements are exact.
uint16_t sample_combiner(Sample *cx, Type elem);

#endif
