// How many bytes every plan needs at its peak: the proof that a limit is too small.
#ifndef TESSERA_SOLVE_PEAK_H
#define TESSERA_SOLVE_PEAK_H

#include "solve/core.h"

// A lower bound of the peak bytes over all plans without forbidden entries, and the time where they
// are needed. The core must have all points at which memory matters. -1: there is no such plan, or
// there are no points. Adds to *work.
int64_t peak_least_bytes(const Core *core, Arena *arena, uint64_t most_work, int64_t *out_time,
                         uint64_t *work);

#endif
