// The shardings of a finished propagation, written into the program as sdy attributes.
#ifndef TESSERA_PROPAGATE_WRITE_H
#define TESSERA_PROPAGATE_WRITE_H

#include "propagate/propagate.h"

typedef struct WriteOptions {
  bool close;  // no dimension stays open (what partitioning starts from)
} WriteOptions;

// Arguments and results of functions, results of ops, sharding constraints, data-flow edges, in_
// and out_shardings. A function whose instances differ is copied per distinct body (`silu`,
// `silu_0`, …) and its calls are redirected; a constant whose uses differ likewise. `program` is
// the one that was propagated; FAILED_PRECONDITION if values were added to it since, as copies are:
// graph ids of `p` are of the program before. A sharding that sdy cannot say is FAILED_PRECONDITION
// too, its place in diag, and nothing is written. O(program + ops in all instances).
Status *propagation_write(Propagation *p, Program *program, const WriteOptions *options,
                          Diag *diag) MUST_USE;

#endif
