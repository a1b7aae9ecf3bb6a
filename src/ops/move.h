// Helpers of data-movement ops. infer: operand types and dimension lists. eval: index operands and
// new results. sample: random operands.
#ifndef TESSERA_OPS_MOVE_H
#define TESSERA_OPS_MOVE_H

#include "ops/eval.h"
#include "ops/infer.h"
#include "tensor/literal.h"
#include "ops/sample.h"

// ---- infer ----

// Operand i as a ranked tensor of at most MAX_RANK dims; NULL after a report. The record is a copy
// in the context's arena, so it stays valid while types are interned.
const TypeInfo *move_operand(Infer *cx, uint32_t i);
// The same for the declared result; NULL without a report if it is undeclared, after one if it is
// no tensor.
const TypeInfo *move_result(Infer *cx, uint32_t i);
// The bounds of operand i's dimensions (DIM_DYNAMIC where there is none) into out, rank entries.
void move_bounds(const Infer *cx, uint32_t i, int64_t *out);
// A required list attribute; false after a report.
bool move_ints(Infer *cx, const char *name, Ints *out);
// The same, but absent means empty.
bool move_ints_or_none(Infer *cx, const char *name, Ints *out);
// A field of a struct attribute; absent means empty.
bool move_field(Infer *cx, Attr attr, const char *name, Ints *out);
// The integers of operand i if it is defined by a constant of at most MAX_RANK elements; otherwise
// ok = false. The verifier can then report what would fail at run time.
Ints move_constant(const Infer *cx, uint32_t i);
const char *move_ints_text(Infer *cx, Ints ints);
// Requires operand i to be a tensor of integers (i1 is none; the builtin index is) of the given
// rank (-1: any).
bool move_integers(Infer *cx, uint32_t i, int rank);
// Sets result i to a tensor; its bounds (DIM_DYNAMIC where there is none; NULL: none at all) go
// into the encoding.
bool move_infer(Infer *cx, uint32_t i, Type elem, uint32_t rank, const int64_t *dims,
                const int64_t *bounds);
// Requires that the element type of result i, if declared, is `elem`, numbered as constraint.
bool move_same_elem(Infer *cx, int constraint, uint32_t result, Type elem);
// Requires that the shape of result i, if declared, agrees with dims, numbered as constraint.
bool move_same_shape(Infer *cx, int constraint, uint32_t result, uint32_t rank,
                     const int64_t *dims);
// Are the element types equal, or both per-axis quantized and different at most in the axis (and,
// with `values_too`, in scales and zero points)? Reshape, transpose and broadcasts allow that.
bool move_same_elem_but_axis(const Context *context, Type a, Type b, bool values_too);
// C2 and C3 of reshape and dynamic_reshape: the same number of elements; the quantized axis is not
// merged with other dimensions.
bool move_reshape_agrees(Infer *cx, const TypeInfo *from, const TypeInfo *to);

bool ints_unique(Ints ints);
bool ints_sorted(Ints ints);                             // not descending
bool ints_within(Ints ints, int64_t low, int64_t high);  // low <= each < high
// No value twice in the two lists taken together.
bool ints_unique_together(Ints a, Ints b);

// ---- eval ----

// Element i of a literal of any integer type; beyond int64_t it is INT64_MAX.
int64_t move_index(const Literal *literal, int64_t i);
// The elements of a 1-D literal of integers (in scratch).
Ints move_indices(EvalContext *cx, const Literal *literal);
// A new literal for result i with the given run-time shape, which must match the declared type
// (dims and bounds). Its element type is the declared one, or `elem` if none is declared.
Status *move_new(EvalContext *cx, uint32_t i, Type elem, uint32_t rank, const int64_t *dims,
                 Literal **out);
const char *move_dims_text(EvalContext *cx, uint32_t rank,
                           const int64_t *dims);  // in scratch, for messages

// ---- sample ----

// A value of a random element type (letters as in sample_dtype) and the given shape.
ValueId move_sample(Sample *cx, const char *kinds, uint32_t rank, const int64_t *dims,
                    Type *out_type);
// A dict attribute set: {name = value}.
Attr move_attr(Sample *cx, Attr dict, const char *name, Attr value);
// A random permutation of 0 … n-1.
void move_sample_order(Sample *cx, uint32_t n, int64_t *out);
// A scalar or vector constant of 32- or 64-bit integers.
ValueId move_sample_ints(Sample *cx, uint32_t n, const int64_t *values);

#endif
