// The mesh axes along which a value can differ between devices.
#ifndef TESSERA_OPTIMIZE_VARIES_H
#define TESSERA_OPTIMIZE_VARIES_H

#include "optimize/collective.h"

typedef struct Varies {
  uint64_t *axes;  // per value: bit set of axes
  uint32_t n;      // values at the time of varies_find, or added by varies_set
  uint64_t all;
} Varies;

// Allocated in the optimizer's scratch. O(ops · iterations); iterations grow with the nesting of
// loops.
Varies varies_find(Optimizer *o);
// A value created after varies_find varies along all axes, unless varies_set says otherwise.
static inline uint64_t varies_along(const Varies *v, ValueId value) {
  return value < v->n ? v->axes[value] : v->all;
}
// Sets the axes of a value that a pass created or changed.
void varies_set(Optimizer *o, Varies *v, ValueId value, uint64_t axes);

// The value is equal on all devices of each group.
static inline bool varies_not_in(const Varies *v, ValueId value, const DeviceGroups *groups) {
  return !(varies_along(v, value) & groups->axes);
}

#endif
