// Ring collectives: n - 1 messages, each device sends all but its own part.
#include "cost/network.h"

const Network network_default = {.all = {3e-6, 450e9}, .axes = 0};

static double ring(Link link, uint32_t n, double bytes) {
  return (n - 1.0) * link.latency_seconds + bytes * (n - 1.0) / n / link.bytes_per_second;
}

double network_all_gather(Link link, uint32_t n, double bytes) { return ring(link, n, bytes); }
double network_reduce_scatter(Link link, uint32_t n, double bytes) { return ring(link, n, bytes); }
double network_all_reduce(Link link, uint32_t n, double bytes) { return 2 * ring(link, n, bytes); }

// All pairs at once: one latency, not a ring's.
double network_all_to_all(Link link, uint32_t n, double bytes) {
  return link.latency_seconds + bytes * (n - 1.0) / n / link.bytes_per_second;
}

double network_permute(Link link, double bytes) {
  return link.latency_seconds + bytes / link.bytes_per_second;
}
