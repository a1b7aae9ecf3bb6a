// Tolerances of results whose sums are reassociated: by the narrowest element type that a value on
// the way to the result was rounded to.
#ifndef TESSERA_PIPELINE_VERIFY_TOLERANCE_H
#define TESSERA_PIPELINE_VERIFY_TOLERANCE_H

#include "ir/program.h"

// One per result of the function, in the arena: 0 if it is compared exactly (integers), else
// tile_tolerance of its own type or of a narrower one. An f32 result of f32 values has f32's; one
// converted from sums in bf16 has bf16's. O(results · program).
const double *verify_tolerances(const Program *p, OpId function, Arena *arena);

#endif
