// The network: latency and bandwidth along each axis of a mesh, and from them the time of a
// collective (alpha-beta model). Decides nothing.
#ifndef TESSERA_COST_NETWORK_H
#define TESSERA_COST_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#include "sharding/axes.h"

typedef struct Link {
  double latency_seconds;   // until the first byte of a message arrives
  double bytes_per_second;  // sent by one device
  double gap_seconds;       // between two messages that a device sends without waiting
} Link;

// How the devices of a level are joined. A switch joins any two directly; a ring and a dimension of
// a torus join neighbours, so that far messages take several hops and share the links between.
typedef enum Topology { TOPOLOGY_SWITCH, TOPOLOGY_RING, TOPOLOGY_TORUS } Topology;

// How a mesh axis lies among the devices.
typedef struct NetworkAxis {
  uint32_t size, stride;  // as in MeshAxis
  bool named;             // the machine gives its link by name
  Link link;              // the slowest link along it
} NetworkAxis;

// A level of the network joins `devices` neighbours; each such group is one member of the next
// level. A dimension of a torus is a level.
typedef struct NetworkLevel {
  uint32_t devices;  // ignored for the last level, which joins all
  Link link;
  Topology topology;
  uint32_t size;    // of a ring or torus dimension: its members …
  bool wraps;       // … and whether the last is joined to the first
  uint32_t stream;  // levels that share wires have the same number (timeline.h)
} NetworkLevel;

typedef struct Network {
  Link all;                    // between any two devices, in the worst case
  const NetworkLevel *levels;  // from the innermost outwards; none: `all` everywhere
  uint32_t n_levels;
  const NetworkAxis *axes;  // of the mesh; axes beyond the array use `all`
  uint32_t n_axes;
  uint32_t n_streams;        // of the levels; named axes have one each behind them
  struct ReshardMemo *memo;  // plans of reshards over it (reshard/memo.h); NULL: none are kept
} Network;

// 450 GB/s and 3 us between any two devices, as inside a node.
extern const Network network_default;

// The slowest link along an axis.
static inline Link network_link(const Network *network, uint32_t axis) {
  return axis < network->n_axes ? network->axes[axis].link : network->all;
}

// The worse value of each field: the link that a message over both sees. {0} means no link yet.
static inline Link link_slower(Link a, Link b) {
  if (b.latency_seconds > a.latency_seconds) a.latency_seconds = b.latency_seconds;
  if (b.gap_seconds > a.gap_seconds) a.gap_seconds = b.gap_seconds;
  if (a.bytes_per_second <= 0 || b.bytes_per_second < a.bytes_per_second)
    a.bytes_per_second = b.bytes_per_second;
  return a;
}

// The levels of the network that a group of devices spans, from the innermost outwards: level 0
// joins n neighbours, level 1 joins n of these groups, and so on. The product of n is the group's
// size. Each level is slower than the one before.
enum { ROUTE_MOST_LEVELS = 4 };
typedef struct RouteLevel {
  Link link;
  uint32_t n;
  // Of rings and tori; 0 on a switch. The dimensions of a torus are one level, whose bandwidth is
  // the sum of theirs: collectives use all of them at once.
  uint32_t dimensions;
  uint32_t hops;     // to the farthest device, over all dimensions
  uint32_t longest;  // dimension
} RouteLevel;
typedef struct Route {
  RouteLevel levels[ROUTE_MOST_LEVELS];
  uint32_t n_levels;
} Route;

Route route_flat(Link link, uint32_t n);  // one level
// Multiplies the group by n, over this link. Beyond ROUTE_MOST_LEVELS the slowest levels merge.
void route_add(Route *route, Link link, uint32_t n);
uint32_t route_size(const Route *route);  // devices of the group
// The levels that a group along some axes or sub-axes spans. Neighbours along an axis are inside a
// node as far as they fit: "data"=32 on nodes of 8 devices is 8 inside, 4 outside.
Route network_route(const Network *network, AxisList axes);
// The same as one member of each pair sees it: bit i is set if the group uses stream i.
uint32_t network_streams(const Network *network, AxisList axes);
Link route_slowest(const Route *route);  // between any two of them, in the worst case

// The messages of a collective on each level.
typedef enum Schedule {
  SCHEDULE_GATHER,      // recursive doubling, outermost level first: large tiles stay inside
  SCHEDULE_SCATTER,     // recursive halving, innermost level first
  SCHEDULE_REDUCE,      // small: doubling with all bytes; large: scatter, then gather
  SCHEDULE_ALL_TO_ALL,  // to all other devices of the group at once
  SCHEDULE_SEND,        // one message
  SCHEDULE_BROADCAST,   // doubling, pipelined in pieces
} Schedule;

// Seconds of a collective. held: bytes of a device's operands; sent: bytes sent per device.
double route_seconds(const Route *route, Schedule schedule, double held, double sent);
// Seconds in which links are busy: bytes / bandwidth, summed over the levels.
double route_transfer(const Route *route, Schedule schedule, double sent);

double network_permute(Link link, double bytes);
// Several permutes that do not wait for each other; bytes: of all of them.
double network_permutes(Link link, uint32_t count, double bytes);

#endif
