// What the data-movement ops share: reading operand types and dimension lists in infer, reading
// index operands and making results in eval.
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
// The same of the declared result; NULL without a report if it is not known, after one if it is no
// tensor.
const TypeInfo *move_result(Infer *cx, uint32_t i);
// The bounds of operand i's dimensions (DIM_DYNAMIC where there is none) into out, rank entries.
void move_bounds(const Infer *cx, uint32_t i, int64_t *out);
// A list attribute that must be there; false after a report.
bool move_ints(Infer *cx, const char *name, Ints *out);
// The same, but absent means empty.
bool move_ints_or_none(Infer *cx, const char *name, Ints *out);
// A field of a struct attribute; absent means empty.
bool move_field(Infer *cx, Attr attr, const char *name, Ints *out);
// The integers of operand i if it is defined by a constant, at most MAX_RANK of them; ok = false
// otherwise. Lets the verifier say early what evaluation would say anyway.
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
// Both element types are the same, or both are per-axis quantized and differ at most in the axis
// (and, with `values_too`, in scales and zero points): what reshape, transpose and broadcasts
// allow.
bool move_same_elem_but_axis(const Context *context, Type a, Type b, bool values_too);
// (C2)/(C3) of reshape and dynamic_reshape: as many elements, and the quantized axis kept apart.
bool move_reshape_agrees(Infer *cx, const TypeInfo *from, const TypeInfo *to);

bool ints_unique(Ints ints);
bool ints_sorted(Ints ints);                             // not descending
bool ints_within(Ints ints, int64_t low, int64_t high);  // low <= each < high
// No value twice in the two lists taken together.
bool ints_unique_together(Ints a, Ints b);

// ---- eval ----

// Element i of a literal of any integer type; beyond int64_t it is INT64_MAX.
int64_t move_index(const Literal *literal, int64_t i);
// A 1-D literal of integers as dims (in scratch).
Ints move_indices(EvalContext *cx, const Literal *literal);
// A new literal for result i of the given run-time shape, checked against the declared type (dims
// and bounds). Its element type is the declared one, or `elem` where none is declared.
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
