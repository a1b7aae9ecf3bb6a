// How much an op computes, in floating-point operations (or what takes as long), from its types.
#ifndef TESSERA_OPS_WORK_H
#define TESSERA_OPS_WORK_H

#include "ops/op.h"

// By its `work` column; of ops without one, one for each element of the largest tensor it touches.
// Regions of control flow are not counted. 0 if a size is not known.
double op_work(const Program *p, OpId op);
// Of which tensor (operands, then results) it touches as many elements as of this one, by its
// `touch` column.
uint32_t work_touched(const Program *p, OpId op, uint32_t tensor);

// ---- columns ----

double work_nothing(const Program *p, OpId op);  // what only renames or moves elements
// A multiplication and an addition for each product.
double work_contraction(const Program *p, OpId op);
double work_convolution(const Program *p, OpId op);
double work_windows(const Program *p, OpId op);  // reduce_window, select_and_scatter
double work_sort(const Program *p, OpId op);
double work_fft(const Program *p, OpId op);
double work_cholesky(const Program *p, OpId op);
double work_triangular_solve(const Program *p, OpId op);

#endif
