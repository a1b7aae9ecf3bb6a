// What communication costs: latency and bandwidth along each axis of a mesh, and the time of a
// collective from them (alpha-beta). Decides nothing.
#ifndef TESSERA_COST_NETWORK_H
#define TESSERA_COST_NETWORK_H

#include <stdint.h>

#include "sharding/axes.h"

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

// The devices of a group by the links between them, from the inside out: level 0 joins n
// neighbours, level 1 so many of these groups, and so on; the product is the group. Each level is
// slower than the one before.
enum { ROUTE_MOST_LEVELS = 4 };
typedef struct RouteLevel {
  Link link;
  uint32_t n;
} RouteLevel;
typedef struct Route {
  RouteLevel levels[ROUTE_MOST_LEVELS];
  uint32_t n_levels;
} Route;

Route route_flat(Link link, uint32_t n);  // one level
// Makes the group n times as large, over this link. What is beyond the most levels counts as the
// slowest.
void route_add(Route *route, Link link, uint32_t n);
uint32_t route_size(const Route *route);  // devices of the group
// The links along some axes of the network's mesh.
Route network_route(const Network *network, AxisList axes);
Link route_slowest(const Route *route);  // what a message between any two of them sees at worst

// How messages of a collective follow each other on each level. `held` are the bytes of a device's
// operands.
typedef enum Schedule {
  SCHEDULE_GATHER,     // from the outermost level inwards, by doubling: large tiles stay inside
  SCHEDULE_SCATTER,    // the other way round
  SCHEDULE_REDUCE,     // small: all bytes by doubling; large: scatter, then gather
  SCHEDULE_EXCHANGE,   // to all others of the group at once
  SCHEDULE_SEND,       // one message
  SCHEDULE_BROADCAST,  // by doubling, in pieces that follow each other
} Schedule;

double route_seconds(const Route *route, Schedule schedule, double held);

double network_permute(Link link, double bytes);
// Several that do not wait for each other, with all their bytes: they are on their way together.
double network_permutes(Link link, uint32_t count, double bytes);

#endif
