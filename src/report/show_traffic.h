// The communication of a local program as JSON: for `tessera partition --json` and the C API.
#ifndef TESSERA_REPORT_SHOW_TRAFFIC_H
#define TESSERA_REPORT_SHOW_TRAFFIC_H

#include "base/json.h"
#include "explain/reason.h"
#include "partition/redundant.h"
#include "cost/traffic.h"

// "all_reduce" of a collective's code.
const char *traffic_kind(uint16_t code);

// FLOPs per device over the ideal, which is the global program's over all devices.
double traffic_share(const Traffic *traffic, uint32_t n_devices, double flops_whole);
// Keys of an object that is open: devices, collectives, bytes, steps, flops, flops_whole. O(rows).
void traffic_json(const Traffic *traffic, uint32_t n_devices, double flops_whole, Json *json);
// The key `redundant`; empty if devices compute little more than the ideal. O(rows).
void traffic_redundant_json(const Context *context, const Traffic *traffic, uint32_t n_devices,
                            double flops_whole, const RedundantList *list, Json *json);
// Whether it is worth a word: the share is above 1.01, or the listed ops compute 1 % of a device's
// FLOPs beyond their ideal.
bool traffic_is_redundant(const Traffic *traffic, uint32_t n_devices, double flops_whole,
                          const RedundantList *list);
// The key `reasons`: why each collective is there. O(reasons).
void traffic_reasons_json(const Program *local, const Reasons *reasons, Json *json);
// Whether ids of reasons may stand in the program (reasons_mark): collectives in a form for another
// consumer have only the attributes that it knows.
bool traffic_marks(const char *collectives);

#endif
