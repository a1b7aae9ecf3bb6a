// What a local program exchanges, as JSON: for `tessera partition --json` and the C API.
#ifndef TESSERA_PIPELINE_SHOW_TRAFFIC_H
#define TESSERA_PIPELINE_SHOW_TRAFFIC_H

#include "base/json.h"
#include "partition/traffic.h"

// "all_reduce" of a collective's code.
const char *traffic_kind(uint16_t code);

// Keys of an object that is open: devices, collectives, bytes, steps, flops, flops_whole. O(rows).
void traffic_json(const Traffic *traffic, uint32_t n_devices, double flops_whole, Json *json);
// The key `reasons`: why each is exchanged (partition/reason.h), the dearest first. Scratch is in
// the arena. O(collectives · log).
void traffic_reasons_json(const Program *local, uint32_t n_devices, Arena *arena, Json *json);

#endif
