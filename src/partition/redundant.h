// Ops of which a device computes more than its ideal share (global FLOPs / devices): the same on
// several devices, on padding, on partial sums.
#ifndef TESSERA_PARTITION_REDUNDANT_H
#define TESSERA_PARTITION_REDUNDANT_H

#include "base/json.h"
#include "explain/words.h"

typedef enum RedundantCause {
  REDUNDANT_UNUSED,    // axes of the mesh split nothing of it: devices along them compute the same
  REDUNDANT_WHOLE,     // … and cannot: no dimension of it can be split
  REDUNDANT_PARTIAL,   // it is linear and computed on partial sums, on each device for its own
  REDUNDANT_PADDING,   // a size does not divide
  REDUNDANT_OVERHEAD,  // its local form computes more: masks, halos, indices
} RedundantCause;

typedef struct Redundant {
  OpWords op;
  uint32_t count;  // ops of this name at this line with this cause; `op` is the first
  double flops;    // per device, loops counted as often as they run; before the passes of optimize/
  double ideal;    // global FLOPs / devices
  RedundantCause cause;
  uint32_t devices;         // that compute the same; 1 unless cause is UNUSED or WHOLE
  const char *const *axes;  // that are not used, partial, or do not divide
  uint32_t n_axes;
  bool masks;         // PADDING: most of it masks the padding
  const char *avoid;  // what would avoid it, or why nothing does; "" if nothing is known
  bool possible;      // `avoid` is advice
  const char *why;    // all of this in words
  bool guess;         // flops depend on a loop of unknown length, and nobody said how long it is
} Redundant;

typedef struct RedundantList RedundantList;
struct RedundantList {
  Arena *arena;           // set by the caller: of the rows
  const Redundant *rows;  // by flops - ideal, the largest first
  uint32_t n;
};

const char *redundant_cause_name(RedundantCause cause);
// An array of objects.
void redundant_json(const Context *context, const RedundantList *list, Json *json);

#endif
