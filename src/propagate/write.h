// Writes the shardings of a finished propagation into the program as sdy attributes.
#ifndef TESSERA_PROPAGATE_WRITE_H
#define TESSERA_PROPAGATE_WRITE_H

#include "propagate/propagate.h"

typedef struct WriteOptions {
  bool close;  // close all dimensions, as partitioning requires
} WriteOptions;

// Writes arguments and results of functions, results of ops, sharding constraints, data-flow edges,
// in_shardings and out_shardings. A function whose instances differ is copied per distinct body
// (`silu`, `silu_0`, …) and its calls are redirected; a constant whose uses differ likewise.
// `program` must be the propagated one: FAILED_PRECONDITION if values were added since (as copies
// are), since graph ids refer to it. FAILED_PRECONDITION also for a sharding that sdy cannot
// express, with its source position in diag; then nothing is written. O(program + ops in all
// instances).
Status *propagation_write(Propagation *p, Program *program, const WriteOptions *options,
                          Diag *diag) MUST_USE;

#endif
