// What communication costs: latency and bandwidth along each axis of a mesh, and the time of a
// collective from them (alpha-beta). Decides nothing.
#ifndef TESSERA_COST_NETWORK_H
#define TESSERA_COST_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#include "sharding/axes.h"

typedef struct Link {
  double latency_seconds;   // until a message is there, however short
  double bytes_per_second;  // out of one device
  double gap_seconds;       // from one message to the next that a device sends without waiting
} Link;

// Where an axis of a mesh lies among the devices.
typedef struct NetworkAxis {
  uint32_t size, stride;  // as in MeshAxis
  bool named;             // the machine says its link, whatever it joins
  Link link;              // the slowest along it
} NetworkAxis;

// A level of the network joins so many neighbouring devices, which are in one group of the next.
typedef struct NetworkLevel {
  uint32_t devices;  // of the last one: any number
  Link link;
} NetworkLevel;

typedef struct Network {
  Link all;                    // between any two devices
  const NetworkLevel *levels;  // from the inside out; none: one link everywhere
  uint32_t n_levels;
  const NetworkAxis *axes;  // of the mesh; those beyond the array have `all`
  uint32_t n_axes;
} Network;

// A node of eight devices with 450 GB/s each way.
extern const Network network_default;

// The slowest link along an axis.
static inline Link network_link(const Network *network, uint32_t axis) {
  return axis < network->n_axes ? network->axes[axis].link : network->all;
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
// The links along some axes of the network's mesh, or parts of axes. An axis that spans several
// nodes has its neighbours inside a node on the inner level: "data"=32 on nodes of 8 devices is
// 8 inside, 4 outside.
Route network_route(const Network *network, AxisList axes);
Link route_slowest(const Route *route);  // what a message between any two of them sees at worst

// How messages of a collective follow each other on each level.
typedef enum Schedule {
  SCHEDULE_GATHER,     // from the outermost level inwards, by doubling: large tiles stay inside
  SCHEDULE_SCATTER,    // the other way round
  SCHEDULE_REDUCE,     // small: all bytes by doubling; large: scatter, then gather
  SCHEDULE_EXCHANGE,   // to all others of the group at once
  SCHEDULE_SEND,       // one message
  SCHEDULE_BROADCAST,  // by doubling, in pieces that follow each other
} Schedule;

// Of a collective that sends so many bytes per device, of so many in a device's operands.
double route_seconds(const Route *route, Schedule schedule, double held, double sent);
// Seconds in which links are busy with the bytes sent: on one level bytes / bandwidth, on several
// the sum of what each of them carries.
double route_transfer(const Route *route, Schedule schedule, double sent);

double network_permute(Link link, double bytes);
// Several that do not wait for each other, with all their bytes: they are on their way together.
double network_permutes(Link link, uint32_t count, double bytes);

#endif
