// Along which axes of the mesh a value can differ between devices.
#ifndef TESSERA_OPTIMIZE_VARIES_H
#define TESSERA_OPTIMIZE_VARIES_H

#include "optimize/collective.h"

typedef struct Varies {
  uint64_t *axes;  // per value of the program as it was asked about: a bit per axis
  uint32_t n;
  uint64_t all;
} Varies;

// In the optimizer's scratch. O(ops · rounds of nested loops).
Varies varies_find(Optimizer *o);
// Of a value made since: everywhere.
static inline uint64_t varies_along(const Varies *v, ValueId value) {
  return value < v->n ? v->axes[value] : v->all;
}
// A value made since is like one of before.
void varies_set(Optimizer *o, Varies *v, ValueId value, uint64_t axes);

// Is the value the same on all devices of each group?
static inline bool varies_not_in(const Varies *v, ValueId value, const DeviceGroups *groups) {
  return !(varies_along(v, value) & groups->axes);
}

#endif
