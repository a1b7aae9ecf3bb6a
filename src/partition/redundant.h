// Ops of which a device computes more than its ideal share (global FLOPs / devices): the same on
// several devices, on padding, on partial sums.
#ifndef TESSERA_PARTITION_REDUNDANT_H
#define TESSERA_PARTITION_REDUNDANT_H

#include "base/json.h"
#include "explain/words.h"

typedef enum RedundantCause {
  REDUNDANT_UNUSED,        // mesh axes split no factor: devices along them compute the same
  REDUNDANT_CANNOT_SPLIT,  // … and no dimension can take them
  REDUNDANT_PARTIAL,       // a linear op on partial sums: each device computes all elements
  REDUNDANT_PADDING,       // a size does not divide
  REDUNDANT_OVERHEAD,      // the local form computes more: masks, halos, indices
} RedundantCause;

typedef struct Redundant {
  OpWords op;
  uint32_t count;  // ops of this name at this line with this cause; `op` is the first
  double flops;    // per device, loops counted as often as they run; before the passes of optimize/
  double ideal;    // global FLOPs / devices
  RedundantCause cause;
  uint32_t devices;         // that compute the same; 1 unless cause is UNUSED or CANNOT_SPLIT
  const char *const *axes;  // that are not used, unreduced, or do not divide
  uint32_t n_axes;
  bool masks;         // PADDING: most of it masks the padding
  const char *avoid;  // advice, or why there is none; "" if nothing is known
  bool possible;      // `avoid` is advice
  const char *why;    // the row as a sentence
  bool guess;         // flops depend on a guessed trip count
} Redundant;

typedef struct RedundantList RedundantList;
struct RedundantList {
  Arena *arena;           // of the rows; set by the caller
  const Redundant *rows;  // by flops - ideal, the largest first
  uint32_t n;
};

const char *redundant_cause_name(RedundantCause cause);
// An array of objects.
void redundant_json(const Context *context, const RedundantList *list, Json *json);

#endif
