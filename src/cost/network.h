// What communication costs: latency and bandwidth along each axis of a mesh, and the time of a
// collective from them (alpha-beta). Decides nothing.
#ifndef TESSERA_COST_NETWORK_H
#define TESSERA_COST_NETWORK_H

#include <stdint.h>

typedef struct Link {
  double latency_seconds;   // until a message is there, however short
  double bytes_per_second;  // out of one device
  double gap_seconds;       // from one message to the next that a device sends without waiting
} Link;

// One link per axis of a mesh; axes beyond the array have `all`.
typedef struct Network {
  Link all;
  const Link *axes;
  uint32_t n_axes;
} Network;

// A node of eight devices with 450 GB/s each way.
extern const Network network_default;

static inline Link network_link(const Network *network, uint32_t axis) {
  return axis < network->n_axes ? network->axes[axis] : network->all;
}

// The worse of both in everything: what a message over two links sees. {0} is no link yet.
static inline Link link_slower(Link a, Link b) {
  if (b.latency_seconds > a.latency_seconds) a.latency_seconds = b.latency_seconds;
  if (b.gap_seconds > a.gap_seconds) a.gap_seconds = b.gap_seconds;
  if (a.bytes_per_second <= 0 || b.bytes_per_second < a.bytes_per_second)
    a.bytes_per_second = b.bytes_per_second;
  return a;
}

// The times below are of n devices over the given link. Bytes are those one device holds: of what
// it puts in (all-to-all, all-reduce, reduce-scatter, permute) or what it has in the end (gather).
double network_all_gather(Link link, uint32_t n, double bytes);
double network_reduce_scatter(Link link, uint32_t n, double bytes);
double network_all_reduce(Link link, uint32_t n, double bytes);
double network_all_to_all(Link link, uint32_t n, double bytes);
double network_permute(Link link, double bytes);
// Several that do not wait for each other, with all their bytes: they are on their way together.
double network_permutes(Link link, uint32_t count, double bytes);

#endif
