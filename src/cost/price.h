// Prices of choices: predicted seconds and bytes sent per device, and how two of them compare.
// Stages enumerate choices; prices are added up and compared here.
#ifndef TESSERA_COST_PRICE_H
#define TESSERA_COST_PRICE_H

#include <stdbool.h>

#include "cost/network.h"

typedef struct Price {
  double seconds;
  double bytes;  // sent per device
} Price;

static inline Price price_sum(Price a, Price b) {
  return (Price){a.seconds + b.seconds, a.bytes + b.bytes};
}
// A part of a price: a reshard that several ops share, or that happens with some probability.
static inline Price price_times(Price price, double times) {
  return (Price){price.seconds * times, price.bytes * times};
}
static inline Price price_divided(Price price, double by) {
  return (Price){price.seconds / by, price.bytes / by};
}
// Two reshards that do not wait for each other, over a link: the longer one, and the time the other
// one's bytes take.
Price price_beside(Link link, Price a, Price b);
// What an op sends in so many steps that wait for each other, besides resharding its tensors.
Price price_steps(Link link, uint32_t steps, double bytes);

// Seconds to compare plans of one reshard by: bytes beyond the fewest possible (0: not known)
// count, too (Tuning.bytes_weight_latencies).
double price_weighed(Price price, double least_bytes, double latency_seconds);

// A choice for an op.
typedef struct PricedChoice {
  double seconds;       // with the work of a device
  double bytes;         // sent per device
  double unsure_bytes;  // of results that may be resharded otherwise later: they count twice
  bool maybe;           // some bytes may never be sent
} PricedChoice;

// Is the other choice better? By seconds, with bytes counted as in price_weighed; times that differ
// by less than Tuning.tie_latencies are equal, then fewer bytes win.
bool price_is_better(const PricedChoice *best, const PricedChoice *other, double latency_seconds);
// Does dividing repeated work pay: seconds of work saved for seconds sent?
bool price_pays_sharing(double work_saved_seconds, double sent_seconds);

#endif
