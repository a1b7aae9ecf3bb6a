// How far a result may be off when its sums are added in another order: by what the narrowest
// element type takes that anything on the way to it was rounded to.
#ifndef TESSERA_PIPELINE_VERIFY_TOLERANCE_H
#define TESSERA_PIPELINE_VERIFY_TOLERANCE_H

#include "ir/program.h"

// One per result of the function, in the arena: 0 for what is compared exactly (integers), else
// tile_tolerance of the widest or of a narrower type. An f32 result of f32 values has f32's; one
// that sums in bf16 were converted to has bf16's. O(results · program).
const double *verify_tolerances(const Program *p, OpId function, Arena *arena);

#endif
