#include "cost/price.h"

#include <math.h>

#include "cost/tuning.h"

Price price_beside(Link link, Price a, Price b) {
  return (Price){fmax(a.seconds + b.bytes / link.bytes_per_second,
                      b.seconds + a.bytes / link.bytes_per_second),
                 a.bytes + b.bytes};
}

Price price_steps(Link link, uint32_t steps, double bytes) {
  return (Price){bytes / link.bytes_per_second + steps * link.latency_seconds, bytes};
}

double price_weighed(Price price, double least_bytes, double latency_seconds) {
  double over = least_bytes > 0 ? price.bytes / least_bytes : 0;
  return price.seconds + tuning.bytes_weight_latencies * latency_seconds * over;
}

bool price_is_better(const PricedChoice *best, const PricedChoice *other, double latency_seconds) {
  double slack = tuning.tie_latencies * latency_seconds;
  double gain = best->seconds - other->seconds, least = fmin(best->bytes, other->bytes);
  double more = best->bytes + best->unsure_bytes - other->bytes - other->unsure_bytes;
  if (least > 0 && !best->maybe && !other->maybe)
    gain += tuning.bytes_weight_latencies * latency_seconds * more / least;
  bool less = other->bytes < best->bytes * (1 - tuning.rounding);
  bool no_more = other->bytes <= best->bytes * (1 + tuning.rounding);
  return gain > slack || (gain > -slack && less) ||
         (gain > tuning.rounding * other->seconds && no_more);
}

bool price_pays_sharing(double work_saved_seconds, double sent_seconds) {
  return work_saved_seconds > tuning.share_gain * sent_seconds;
}
