// Prices of choices: predicted seconds and bytes sent per device, and how two of them compare.
// Stages enumerate choices; prices are added up and compared here.
#ifndef TESSERA_COST_PRICE_H
#define TESSERA_COST_PRICE_H

#include <stdbool.h>

#include "cost/network.h"

typedef struct Price {
  double seconds;
  double bytes;             // sent per device
  double transfer_seconds;  // in which links are busy with them: bytes weighed by their links
} Price;

static inline Price price_sum(Price a, Price b) {
  return (Price){a.seconds + b.seconds, a.bytes + b.bytes, a.transfer_seconds + b.transfer_seconds};
}
// A part of a price: a reshard that several ops share, or that happens with some probability.
static inline Price price_times(Price price, double times) {
  return (Price){price.seconds * times, price.bytes * times, price.transfer_seconds * times};
}
static inline Price price_divided(Price price, double by) {
  return (Price){price.seconds / by, price.bytes / by, price.transfer_seconds / by};
}
// Two reshards that do not wait for each other: the longer one, and the time the other one's bytes
// take on their links.
Price price_beside(Price a, Price b);
// What an op sends in so many steps that wait for each other, besides resharding its tensors.
Price price_steps(Link link, uint32_t steps, double bytes);
// So many permutes over a link that do not wait for each other. `sent`: bytes per device on
// average; `most`: of the device that sends most.
Price price_permutes(Link link, uint32_t count, double most, double sent);

// Seconds to compare plans of one reshard by: bytes beyond the fewest possible (0: not known)
// count, too (Tuning.bytes_weight_latencies). `slowest`: the slowest link that any plan uses; a
// byte over a faster one counts as much less as it takes less time there.
double price_weighed(Price price, double least_bytes, Link slowest);

// A choice for an op.
typedef struct PricedChoice {
  double seconds;  // with the work of a device
  // Bytes sent per device, weighed by their links (Price.transfer_seconds). `unsure`: of results
  // that may be resharded otherwise later; they count twice.
  double transfer_seconds, unsure_seconds;
  bool maybe;  // some bytes may never be sent
} PricedChoice;

// Is the other choice better? By seconds, with bytes counted as in price_weighed; times that differ
// by less than Tuning.tie_latencies are equal, then fewer bytes win.
bool price_is_better(const PricedChoice *best, const PricedChoice *other, double latency_seconds);
// Does dividing repeated work pay: seconds of work saved for seconds sent?
bool price_pays_sharing(double work_saved_seconds, double sent_seconds);

#endif
