// The communication of a local program as JSON: for `tessera partition --json` and the C API.
#ifndef TESSERA_REPORT_SHOW_TRAFFIC_H
#define TESSERA_REPORT_SHOW_TRAFFIC_H

#include "base/json.h"
#include "explain/reason.h"
#include "partition/redundant.h"
#include "cost/traffic.h"

// The mnemonic of a collective's op code: "all_reduce".
const char *traffic_kind(uint16_t code);

// FLOPs per device divided by the ideal (FLOPs of the global program / devices); 1 if unknown.
double traffic_share(const Traffic *traffic, uint32_t n_devices, double global_flops);
// Writes the keys devices, collectives, bytes, steps, flops, flops_whole, argument_bytes,
// result_bytes and the guesses into the open object. O(rows).
void traffic_json(const Traffic *traffic, uint32_t n_devices, double global_flops, Json *json);
// Writes the key `redundant`: empty unless traffic_is_redundant. O(rows).
void traffic_redundant_json(const Context *context, const Traffic *traffic, uint32_t n_devices,
                            double global_flops, const RedundantList *list, Json *json);
// Whether redundant work is worth reporting: the share is above 1.01, or the listed ops compute
// more than 1 % of a device's FLOPs beyond their ideal.
bool traffic_is_redundant(const Traffic *traffic, uint32_t n_devices, double global_flops,
                          const RedundantList *list);
// Writes the key `reasons`: why each collective is in the program. O(reasons).
void traffic_reasons_json(const Program *local, const Reasons *reasons, Json *json);
// Whether reason ids may be attributes of the program (reasons_mark). Collectives in another
// consumer's form have only the attributes that the consumer knows.
bool traffic_marks(const char *collectives);

#endif
