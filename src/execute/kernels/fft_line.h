// Transforms of contiguous lines of f32 numbers whose lengths are powers of two, one line at a
// time.
#ifndef TESSERA_EXECUTE_KERNELS_FFT_LINE_H
#define TESSERA_EXECUTE_KERNELS_FFT_LINE_H

#include "execute/kernels/common.h"

typedef enum FftKind { FFT_COMPLEX, FFT_REAL_IN, FFT_REAL_OUT } FftKind;

typedef struct FftLines {
  FftKind kind;
  bool inverse;       // scaled by 1 / n
  int64_t n, lines;   // n real numbers for FFT_REAL_*, which have n / 2 + 1 complex ones opposite
  uint32_t from, to;  // buffers
} FftLines;

// Adds the transform of all lines; false: the length has no such transform.
bool fft_add_lines(KernelChain *chain, const FftLines *lines);

#endif
