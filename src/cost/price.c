// Plain arithmetic on prices; the weights are in tuning.h.
#include "cost/price.h"

#include <math.h>

#include "cost/tuning.h"

Price price_overlapped(Price a, Price b) {
  return (Price){fmax(a.seconds + b.transfer_seconds, b.seconds + a.transfer_seconds),
                 a.bytes + b.bytes, a.transfer_seconds + b.transfer_seconds};
}

Price price_steps(Link link, uint32_t steps, double bytes) {
  double transfer = bytes / link.bytes_per_second;
  return (Price){transfer + steps * link.latency_seconds, bytes, transfer};
}

Price price_permutes(Link link, uint32_t count, double most, double sent) {
  return (Price){network_permutes(link, count, most), sent, sent / link.bytes_per_second};
}

double price_weighed(Price price, double least_bytes, Link slowest) {
  double bytes = price.transfer_seconds * slowest.bytes_per_second;
  double over = least_bytes > 0 ? bytes / least_bytes : 0;
  return price.seconds + tuning.bytes_weight_latencies * slowest.latency_seconds * over;
}

bool price_is_better(const PricedChoice *best, const PricedChoice *other, double latency_seconds,
                     double bytes_weight) {
  // gain > slack: clearly faster. Within the slack fewer bytes win. With no more bytes any gain
  // beyond rounding errors counts.
  double slack = tuning.tie_latencies * latency_seconds;
  double was = best->transfer_seconds, now = other->transfer_seconds, least = fmin(was, now);
  double gain = best->seconds - other->seconds;
  double more = was + best->unsure_seconds - now - other->unsure_seconds;
  if (least > 0 && !best->maybe && !other->maybe)
    gain += bytes_weight * latency_seconds * more / least;
  bool less = now < was * (1 - tuning.rounding), no_more = now <= was * (1 + tuning.rounding);
  return gain > slack || (gain > -slack && less) ||
         (gain > tuning.rounding * other->seconds && no_more);
}

bool price_pays_sharing(double work_saved_seconds, double sent_seconds) {
  return work_saved_seconds > tuning.share_gain * sent_seconds;
}
