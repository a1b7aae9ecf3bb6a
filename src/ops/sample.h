// The interface of `sample` columns: a random source, a program under construction, and builders. A
// sample appends one random legal instance of its op, with operands from sample_value, and returns
// it.
#ifndef TESSERA_OPS_SAMPLE_H
#define TESSERA_OPS_SAMPLE_H

#include "ops/op.h"

// For programs of many ops: provides operands, types and shapes. Each function may decline (0,
// false): then the sample uses a constant, any type, any small shape, as without a source.
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
  BlockId block;   // ops are appended here
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
// A struct attribute as the reader builds it: fields with their default (no dims, zero) are
// omitted.
Attr sample_struct(Sample *cx, const char *cls, uint32_t n, const NamedAttr *fields);
// Appends the op with inferred (result_types NULL) or given result types. With regions, nothing is
// inferred yet: fill them, then call sample_infer.
OpId sample_op(Sample *cx, uint16_t code, Attr attrs, uint32_t n_operands, const ValueId *operands,
               uint32_t n_results, const Type *result_types, uint32_t n_regions);
void sample_infer(Sample *cx, OpId op);  // throws if the instance is not legal: a bug in the sample
// Fills a region of op with a block that combines two scalars of type tensor<elem> by `code` (a
// binary pointwise op) and returns the result: the body of a reduction.
void sample_binary_body(Sample *cx, OpId op, uint32_t region, Type elem, uint16_t code);
// A random code for such a body: sum, maximum, minimum, for integers also product and bitwise ops.
// Any order of combination gives the same bits if sums of the elements are exact.
uint16_t sample_combiner(Sample *cx, Type elem);

#endif
