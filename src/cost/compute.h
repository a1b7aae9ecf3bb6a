// Speed of a device: FLOPs and memory bytes per second. Decides nothing.
#ifndef TESSERA_COST_COMPUTE_H
#define TESSERA_COST_COMPUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/dtype.h"

typedef struct Compute {
  double flops_per_second;  // of one device, in large contractions
  double bytes_per_second;  // of its memory
} Compute;

// The device of machine `default` (machines/default.json).
extern const Compute compute_default;

double compute_seconds(const Compute *compute, double flops);

// The kinds of arithmetic that devices have units for.
typedef enum RateKind {
  RATE_f64,
  RATE_f32,  // contractions at the default precision: TF32 on GPUs, bf16 passes on TPUs
  RATE_f16,
  RATE_bf16,
  RATE_f8,
  RATE_i8,
  RATE_vector,  // elementwise work, in f32
  RATE_COUNT,
} RateKind;

// Rates that one op is timed with (roofline): peaks, and the fractions of them that are reached.
typedef struct Rates {
  double peak[RATE_COUNT];             // FLOP/s
  double bytes_per_second;             // of memory, peak
  double contractions, memory, links;  // fractions reached
  double op_seconds;                   // to start an op (a kernel)
  double attention;    // fraction of contractions in fused attention; 0: that of contractions
  double matrix_unit;  // edge of the unit: sizes of contractions are rounded up to it; 0: none
} Rates;

extern const char *const rate_names[RATE_COUNT];

// The unit that contracts operands of a type.
RateKind rate_of(DType type);
// A description without peaks: one FLOP/s for all types, all of it reached.
Rates rates_plain(const Compute *compute);
// Times the FLOPs of [b,m,k] x [b,k,n] that a matrix unit spends on the padding of m, k and n to
// its edge; at least 1. flops = 2 b m n k; lhs, rhs, result: elements.
double rates_padding(const Rates *rates, double flops, double lhs, double rhs, double result);
// Seconds of an op that computes `flops` and moves `bytes` to and from memory: the longer of the
// two, without op_seconds. `contracts`: at the rate of the type, otherwise at that of vectors.
double rates_seconds(const Rates *rates, double flops, double bytes, DType type, bool contracts);

#endif
