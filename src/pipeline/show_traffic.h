// The communication of a local program as JSON: for `tessera partition --json` and the C API.
#ifndef TESSERA_PIPELINE_SHOW_TRAFFIC_H
#define TESSERA_PIPELINE_SHOW_TRAFFIC_H

#include "base/json.h"
#include "partition/reason.h"
#include "partition/traffic.h"

// "all_reduce" of a collective's code.
const char *traffic_kind(uint16_t code);

// Keys of an object that is open: devices, collectives, bytes, steps, flops, flops_whole. O(rows).
void traffic_json(const Traffic *traffic, uint32_t n_devices, double flops_whole, Json *json);
// The key `reasons`: why each collective is there. O(reasons).
void traffic_reasons_json(const Program *local, const Reasons *reasons, Json *json);
// Whether ids of reasons may stand in the program (reasons_mark): collectives in a form for another
// consumer have only the attributes that it knows.
bool traffic_marks(const char *collectives);

#endif
