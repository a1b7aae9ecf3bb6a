// A pass of a transform over one dimension of a tensor.
#ifndef TESSERA_EXECUTE_KERNELS_FFT_PASS_H
#define TESSERA_EXECUTE_KERNELS_FFT_PASS_H

#include "execute/kernels/common.h"

// Lines of n numbers.
typedef struct FftPass {
  int64_t n, lines;
  // Line l begins at l / inner * outer + l % inner * across; its elements are `along` apart.
  int64_t from_inner, from_outer, from_across, from_along;
  int64_t to_inner, to_outer, to_across, to_along;
  uint32_t from, to;       // buffers
  bool real_in, real_out;  // elements are f32, not complex
  bool exchanges;          // inverse
  bool wide;               // elements are f64
  int64_t read, written;   // elements of a line; read < n: the rest follows by symmetry
  double scale;
  const float *roots;    // cos and sin of -2 pi k / n for k < n / 2, interleaved
  const float *factors;  // four-step: [lines mod factor_lines, n] complex factors, or NULL
  int64_t factor_lines;
} FftPass;

// Adds the transform of lines of any length without large prime factors; false: it has some.
bool fft_add_any(KernelChain *chain, const FftPass *pass);

#endif
