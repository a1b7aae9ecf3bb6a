// Copies between strided views, cut into units for tiles: transposes, slices, broadcasts,
// reversals.
#ifndef TESSERA_EXECUTE_KERNELS_MOVES_H
#define TESSERA_EXECUTE_KERNELS_MOVES_H

#include <stddef.h>
#include <stdint.h>

#include <stdbool.h>

#include "tensor/literal.h"

// A copy of to[i] = from[i] for all i in dims, with strides in bytes. from strides may be 0
// (broadcast) or negative (reverse); `to` strides are those of a dense tensor or of a box in one.
// The views do not overlap.
typedef struct Moves {
  size_t item;    // bytes of an element
  uint32_t rank;  // at least 2: dims are the outer ones, then the rows and columns of one unit
  int64_t dims[MAX_RANK + 2], from[MAX_RANK + 2], to[MAX_RANK + 2];
  int64_t rows_per_unit, columns_per_unit;  // the unit's share of the last two dims
  uint64_t units;                           // 0 if there is no element
  bool transposes;                          // rows are contiguous in `from`, columns in `to`
} Moves;

// Simplifies the copy: merges dimensions, orders them for the caches, chooses units of at least
// some ten KB. O(rank^2).
void moves_init(Moves *copy, size_t item, uint32_t rank, const int64_t *dims,
                const int64_t *from_strides, const int64_t *to_strides);
// Copies units [first, last).
void moves_run(const Moves *copy, const void *from, void *to, uint64_t first, uint64_t last);
// Seconds for all of it on one core, roughly: the number of tiles follows from it.
double moves_seconds(const Moves *copy);

#endif
