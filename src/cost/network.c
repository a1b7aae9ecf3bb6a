// Each device sends all but its own part, at best in log n rounds; every collective costs one
// latency more to begin. Messages that do not wait for each other (to all others at once, or of
// several permutes) cost one latency together and a gap each, as in LogGP (Alexandrov et al. 1995).
#include "cost/network.h"

#include <math.h>

const Network network_default = {.all = {3e-6, 450e9, 0.3e-6}};

static double rounds(Link link, uint32_t n, double bytes) {
  return (1 + log2(n)) * link.latency_seconds + bytes * (n - 1.0) / n / link.bytes_per_second;
}

double network_all_gather(Link link, uint32_t n, double bytes) { return rounds(link, n, bytes); }
double network_reduce_scatter(Link link, uint32_t n, double bytes) {
  return rounds(link, n, bytes);
}
// Small ones by doubling, whole in every round; large ones scattered and gathered.
double network_all_reduce(Link link, uint32_t n, double bytes) {
  double doubling = (1 + log2(n)) * link.latency_seconds + log2(n) * bytes / link.bytes_per_second;
  return fmin(doubling, 2 * rounds(link, n, bytes));
}

// All pairs at once.
double network_all_to_all(Link link, uint32_t n, double bytes) {
  return network_permutes(link, n - 1, bytes * (n - 1.0) / n);
}

double network_permute(Link link, double bytes) { return network_permutes(link, 1, bytes); }

double network_permutes(Link link, uint32_t count, double bytes) {
  if (!count) return 0;
  return 2 * link.latency_seconds + (count - 1) * link.gap_seconds + bytes / link.bytes_per_second;
}
