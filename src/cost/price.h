// Prices of choices: predicted seconds and bytes sent per device. Stages enumerate choices; this
// file adds and compares their prices.
#ifndef TESSERA_COST_PRICE_H
#define TESSERA_COST_PRICE_H

#include <stdbool.h>

#include "cost/network.h"

typedef struct Price {
  double seconds;
  double bytes;             // sent per device
  double transfer_seconds;  // seconds in which links are busy: bytes weighed by bandwidth
} Price;

static inline Price price_sum(Price a, Price b) {
  return (Price){a.seconds + b.seconds, a.bytes + b.bytes, a.transfer_seconds + b.transfer_seconds};
}
// A fraction or multiple of a price: a reshard that several ops share, or that happens with some
// probability.
static inline Price price_times(Price price, double times) {
  return (Price){price.seconds * times, price.bytes * times, price.transfer_seconds * times};
}
static inline Price price_divided(Price price, double by) {
  return (Price){price.seconds / by, price.bytes / by, price.transfer_seconds / by};
}
// Two reshards that run concurrently: the longer one, plus the transfer time of the other.
Price price_overlapped(Price a, Price b);
// Communication of an op in `steps` messages that wait for each other.
Price price_steps(Link link, uint32_t steps, double bytes);
// `count` permutes over a link that do not wait for each other. sent: bytes per device on average;
// most: bytes of the device that sends most.
Price price_permutes(Link link, uint32_t count, double most, double sent);

// Seconds by which plans of one reshard are compared: predicted seconds, plus a penalty for each
// multiple of least_bytes that is sent (Tuning.bytes_weight_latencies; least_bytes 0 = unknown, no
// penalty). slowest: the slowest link of any plan; bytes over faster links count proportionally
// less.
double price_weighed(Price price, double least_bytes, Link slowest);

// A choice of shardings for an op.
typedef struct PricedChoice {
  double seconds;  // of communication and of a device's work
  // Price.transfer_seconds of the choice. unsure_seconds: transfers of results that may be
  // resharded again later; they count twice.
  double transfer_seconds, unsure_seconds;
  bool maybe;  // some bytes may never be sent
} PricedChoice;

// True if `other` is better than `best`: by seconds, with a penalty for bytes as in price_weighed,
// of bytes_weight latencies. Times that differ by less than Tuning.tie_latencies are equal; then
// fewer bytes win.
bool price_is_better(const PricedChoice *best, const PricedChoice *other, double latency_seconds,
                     double bytes_weight);
// True if dividing repeated work is worth the communication: seconds of work saved, seconds sent.
bool price_pays_sharing(double work_saved_seconds, double sent_seconds);

#endif
