// What communication costs: latency and bandwidth along each axis of a mesh, and the time of a
// collective from them (alpha-beta). Decides nothing.
#ifndef TESSERA_COST_NETWORK_H
#define TESSERA_COST_NETWORK_H

#include <stdint.h>

typedef struct Link {
  double latency_seconds;   // per message
  double bytes_per_second;  // out of one device
} Link;

// One link per axis of a mesh. All axes of a NULL array are alike.
typedef struct Network {
  Link all;
  const Link *axes;
} Network;

// A node of eight devices with 450 GB/s each way.
extern const Network network_default;

static inline Link network_link(const Network *network, uint32_t axis) {
  return network->axes ? network->axes[axis] : network->all;
}

// The times below are of n devices over the given link. Bytes are those one device holds: of what
// it puts in (all-to-all, all-reduce, reduce-scatter, permute) or what it has in the end (gather).
double network_all_gather(Link link, uint32_t n, double bytes);
double network_reduce_scatter(Link link, uint32_t n, double bytes);
double network_all_reduce(Link link, uint32_t n, double bytes);
double network_all_to_all(Link link, uint32_t n, double bytes);
double network_permute(Link link, double bytes);
// Several that do not wait for each other, with all their bytes: each has to be begun, but they are
// on their way together.
double network_permutes(Link link, uint32_t count, double bytes);

#endif
