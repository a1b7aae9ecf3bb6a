// FLOPs of an op (or equivalent operations), from its types.
#ifndef TESSERA_OPS_WORK_H
#define TESSERA_OPS_WORK_H

#include "ops/op.h"

// The op's `work` column; without one, 1 per element of the largest tensor it touches. 0 for
// constants, collectives, calls, functions, terminators and control flow (their regions are not
// counted), and if a size is dynamic.
double op_work(const Program *p, OpId op);
// The tensor (operands, then results) whose size is the number of elements that the op touches of
// `tensor`, by its `touch` column.
uint32_t work_touched(const Program *p, OpId op, uint32_t tensor);

// The FLOPs of a custom call, given by its user: array<i64: number, tensor, dimension, …>, the
// product of the number and of the sizes of these dimensions. It holds for the local op, too. They
// count as those of a contraction.
#define WORK_FLOPS "tessera.flops"

// Whether the op contracts (matrix units compute it): its work is that of products.
bool op_contracts(const Program *p, OpId op);
// How compilers fuse the op into loops over elements, which keep values in registers.
typedef enum Fusing {
  FUSING_NONE,
  FUSING_INPUTS,  // may be computed together with its operands; its results are stored
  FUSING_BOTH,    // also with its users
} Fusing;
Fusing op_fusing(const Program *p, OpId op);
// Whether the op takes no time and its result i is the buffer of operand i: a reshape, a barrier.
bool op_keeps_buffer(const Program *p, OpId op);

// ---- columns ----

double work_nothing(const Program *p, OpId op);  // ops that only rename or move elements
double work_given(const Program *p, OpId op);    // WORK_FLOPS, else as without a column
// 2 FLOPs per product.
double work_contraction(const Program *p, OpId op);
double work_convolution(const Program *p, OpId op);
double work_windows(const Program *p, OpId op);  // reduce_window, select_and_scatter
double work_sort(const Program *p, OpId op);
double work_fft(const Program *p, OpId op);
double work_cholesky(const Program *p, OpId op);
double work_triangular_solve(const Program *p, OpId op);

#endif
