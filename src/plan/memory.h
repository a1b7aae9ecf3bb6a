// Why nothing fits: the least memory that any plan of a model needs, and what it is for.
#ifndef TESSERA_PLAN_MEMORY_H
#define TESSERA_PLAN_MEMORY_H

#include "plan/model.h"

enum { MEMORY_MOST_VALUES = 5 };

typedef struct MemoryNeed {
  double least_bytes;  // at the position where it is most: the sum of each value's least bytes
  OpId op;             // at this position; 0 = unknown
  double argument_bytes, temporary_bytes;  // of it
  double undonated_bytes;  // of state arguments whose new values cannot have their buffers
  uint32_t n_values;       // the largest temporaries
  OpId values[MEMORY_MOST_VALUES];
  double value_bytes[MEMORY_MOST_VALUES];
  double value_seconds[MEMORY_MOST_VALUES];  // to compute them again; 0 = unknown
} MemoryNeed;

// A lower bound: no plan of the model needs less. O(variables · strategies + positions).
void memory_need(const Model *model, Arena *arena, MemoryNeed *out);

#endif
