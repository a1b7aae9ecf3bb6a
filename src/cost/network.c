// Problem: predict the seconds of a collective over a hierarchical network without simulating it.
//
// Idea: the alpha-beta model per level. A collective takes log2 n message steps (recursive
// doubling), plus one latency to start, plus the bytes over the bandwidth. Messages that do not
// wait for each other (all-to-all, several permutes) share one latency and cost a gap each, as in
// LogGP (Alexandrov et al. 1995). A group that spans several levels runs a part of the collective
// on each level, one after the other, as the hierarchical collectives of MPI and NCCL do: a gather
// crosses the slow links first, while tiles are small; a scatter crosses them last.
//
//   all_gather of 32 devices, nodes of 8:   4 across the slow links (3 tiles), then 8 inside (28
//   tiles)
//
// On a ring or torus a collective uses all dimensions of its group at once. Its messages hop from
// neighbour to neighbour, so latency counts hops, and an all-to-all is bound by the middle of the
// longest dimension. A dimension that the group spans only in part, or that does not wrap, is a
// line: its ends have one link, so it has half the bandwidth.
//
// Invariant: the fractions of the bytes that cross the levels sum to 1; with one level the formulas
// are the flat ones. Cost: O(levels) per price.
#include "cost/network.h"

#include <math.h>

const Network network_default = {.all = {3e-6, 450e9, 0.3e-6}};

// ---- routes ----

Route route_flat(Link link, uint32_t n) {
  return (Route){.levels = {{.link = link, .n = n}}, .n_levels = 1};
}

static bool same_link(Link a, Link b) {
  return a.latency_seconds == b.latency_seconds && a.gap_seconds == b.gap_seconds &&
         a.bytes_per_second == b.bytes_per_second;
}

// Orders levels by bandwidth, then by latency.
static bool is_faster(Link a, Link b) {
  return a.bytes_per_second != b.bytes_per_second ? a.bytes_per_second > b.bytes_per_second
                                                  : a.latency_seconds < b.latency_seconds;
}

void route_add(Route *route, Link link, uint32_t n) {
  uint32_t i = 0;
  while (i < route->n_levels && is_faster(route->levels[i].link, link)) i++;
  if (i < route->n_levels && same_link(route->levels[i].link, link)) {
    route->levels[i].n *= n;
    return;
  }
  if (route->n_levels == ROUTE_MOST_LEVELS) {
    RouteLevel *last = &route->levels[ROUTE_MOST_LEVELS - 1];
    *last = (RouteLevel){.link = link_slower(last->link, link), .n = last->n * n};
    return;
  }
  for (uint32_t k = route->n_levels++; k > i; k--) route->levels[k] = route->levels[k - 1];
  route->levels[i] = (RouteLevel){.link = link, .n = n};
}

uint32_t route_size(const Route *route) {
  uint32_t n = 1;
  for (uint32_t i = 0; i < route->n_levels; i++) n *= route->levels[i].n;
  return n;
}

Link route_slowest(const Route *route) {
  Link link = {0};
  for (uint32_t i = 0; i < route->n_levels; i++) link = link_slower(link, route->levels[i].link);
  return link;
}

// Multiplies the group by n members of a ring or of a dimension of a torus.
static void add_ring(Route *route, const NetworkLevel *level, uint32_t n) {
  bool ring = level->wraps && n == level->size;
  double bandwidth = level->link.bytes_per_second * (ring ? 1 : 0.5);
  uint32_t hops = ring ? n / 2 : n - 1, i = 0;
  while (i < route->n_levels && !route->levels[i].dimensions) i++;
  if (i < route->n_levels) {
    RouteLevel *r = &route->levels[i];
    double sum = r->link.bytes_per_second + bandwidth;
    r->link = link_slower(r->link, level->link);
    r->link.bytes_per_second = sum;
    r->n *= n;
    r->dimensions++;
    r->hops += hops;
    if (n > r->longest) r->longest = n;
    return;
  }
  Link link = level->link;
  link.bytes_per_second = bandwidth;
  route_add(route, link, n);
  for (i = 0; i < route->n_levels; i++) {
    RouteLevel *r = &route->levels[i];
    if (!same_link(r->link, link) || r->n != n) continue;
    r->dimensions = 1;
    r->hops = hops;
    r->longest = n;
    return;
  }
}

// How many of the `left` coordinates of an axis with this stride lie in one group of `devices`
// neighbours. 1 if they do not divide evenly.
static uint32_t coordinates_on_level(uint32_t devices, uint64_t stride, uint32_t left) {
  if (stride * left <= devices) return left;
  uint64_t n = devices % stride ? 1 : devices / stride;
  return n && left % n == 0 ? (uint32_t)n : 1;
}

// The coordinates of an axis on each level, from the innermost outwards.
typedef struct LevelWalk {
  const NetworkLevel *levels;
  uint32_t n_levels, at, left;
  uint64_t stride;
} LevelWalk;

static LevelWalk level_walk(const Network *network, const NetworkAxis *full, AxisRef axis) {
  return (LevelWalk){.levels = network->levels,
                     .n_levels = network->n_levels,
                     .left = axis.size,
                     .stride = (uint64_t)full->stride * (full->size / axis_next(axis))};
}

// False at the end. *out_n: coordinates on the level; 1 if the axis does not span it.
static bool level_next(LevelWalk *w, const NetworkLevel **out_level, uint32_t *out_n) {
  if (w->at == w->n_levels || w->left <= 1) return false;
  const NetworkLevel *level = *out_level = &w->levels[w->at++];
  *out_n = w->at < w->n_levels ? coordinates_on_level(level->devices, w->stride, w->left) : w->left;
  w->stride *= *out_n;
  w->left /= *out_n;
  return true;
}

// An axis of the mesh whose groups are on the levels of the network; NULL: it has a link of its
// own.
static const NetworkAxis *levelled_axis(const Network *network, AxisRef axis) {
  const NetworkAxis *full = axis.axis < network->n_axes ? &network->axes[axis.axis] : NULL;
  return full && !full->named && network->n_levels ? full : NULL;
}

// Coordinates of an axis on one level.
static uint32_t coordinates_of(const Network *network, AxisRef axis, uint32_t level) {
  const NetworkAxis *full = levelled_axis(network, axis);
  if (!full) return 1;
  LevelWalk walk = level_walk(network, full, axis);
  const NetworkLevel *at;
  for (uint32_t n; level_next(&walk, &at, &n);)
    if (at == &network->levels[level]) return n;
  return 1;
}

// All axes together on one level: parts of an axis share the links of a dimension.
static void add_level(const Network *network, AxisList axes, uint32_t level, Route *route) {
  uint32_t n = 1;
  for (uint32_t i = 0; i < axes.n; i++) n *= coordinates_of(network, axes.v[i], level);
  if (n > 1 && network->levels[level].topology != TOPOLOGY_SWITCH)
    add_ring(route, &network->levels[level], n);
  else if (n > 1)
    route_add(route, network->levels[level].link, n);
}

uint32_t network_streams(const Network *network, AxisList axes) {
  uint32_t streams = 0;
  for (uint32_t a = 0; a < axes.n; a++) {
    AxisRef axis = axes.v[a];
    const NetworkAxis *full = axis.axis < network->n_axes ? &network->axes[axis.axis] : NULL;
    if (!full || !network->n_levels) continue;
    if (full->named) {
      streams |= 1u << (network->n_streams + axis.axis) % 31;
      continue;
    }
    LevelWalk walk = level_walk(network, full, axis);
    const NetworkLevel *level;
    for (uint32_t n; level_next(&walk, &level, &n);)
      if (n > 1) streams |= 1u << level->stream;
  }
  return streams ? streams : 1;
}

Route network_route(const Network *network, AxisList axes) {
  Route route = {0};
  for (uint32_t i = 0; i < axes.n; i++)
    if (!levelled_axis(network, axes.v[i]))
      route_add(&route, network_link(network, axes.v[i].axis), axes.v[i].size);
  for (uint32_t l = 0; l < network->n_levels; l++) add_level(network, axes, l, &route);
  return route.n_levels ? route : route_flat(network->all, 1);
}

// ---- schedules ----

static double steps_on(const RouteLevel *level) {
  return level->dimensions ? level->hops : log2(level->n);
}

// log2 n message steps (hops on a torus) on each level, plus one latency of the slowest link to
// start.
static double latencies(const Route *route) {
  double seconds = 0;
  for (uint32_t i = 0; i < route->n_levels; i++) {
    const RouteLevel *level = &route->levels[i];
    seconds += ((i + 1 == route->n_levels) + steps_on(level)) * level->link.latency_seconds;
  }
  return seconds;
}

// The fraction of the bytes sent that crosses a level. A scatter from the inside out leaves 1/n of
// its bytes to the next level; a gather takes the same way back. In an all-to-all it is the
// fraction of receivers.
static double fraction_on(const Route *route, Schedule schedule, uint32_t level) {
  double n = route_size(route), inside = 1;
  if (route->n_levels == 1) return 1;
  for (uint32_t i = 0; i < level; i++) inside *= route->levels[i].n;
  double others = route->levels[level].n - 1.0;
  switch (schedule) {
  case SCHEDULE_GATHER:
  case SCHEDULE_SCATTER:
  case SCHEDULE_REDUCE: return others / (inside * route->levels[level].n) * n / (n - 1);
  case SCHEDULE_ALL_TO_ALL: return inside * others / (n - 1);
  case SCHEDULE_SEND:
  case SCHEDULE_BROADCAST: break;
  }
  return level + 1 == route->n_levels;  // a single message: the slowest level
}

// Times the bandwidth that an all-to-all on a torus costs: across the middle of a dimension of n
// go n/4 of a device's bytes, over the links of that dimension alone.
static double crowding(const RouteLevel *level) {
  double n = level->longest, all = level->n;
  return level->dimensions ? fmax(1, level->dimensions * n / 4 * all / (all - 1)) : 1;
}

double route_transfer(const Route *route, Schedule schedule, double sent) {
  double seconds = 0;
  for (uint32_t i = 0; i < route->n_levels; i++) {
    double on = sent * fraction_on(route, schedule, i) / route->levels[i].link.bytes_per_second;
    seconds += schedule == SCHEDULE_ALL_TO_ALL ? on * crowding(&route->levels[i]) : on;
  }
  return seconds;
}

// Recursive doubling with all bytes in every message step: best for small all-reduces.
static double doubling(const Route *route, double bytes) {
  double seconds = latencies(route);
  for (uint32_t i = 0; i < route->n_levels; i++)
    seconds += steps_on(&route->levels[i]) * bytes / route->levels[i].link.bytes_per_second;
  return seconds;
}

// Messages to all others at once: two latencies, and a gap for each message after the first.
static double start_all(const Route *route) {
  double seconds = 0, inside = 1;
  for (uint32_t i = 0; i < route->n_levels; i++) {
    const RouteLevel *level = &route->levels[i];
    bool last = i + 1 == route->n_levels;
    if (last) seconds += 2 * level->link.latency_seconds;
    seconds += (inside * (level->n - 1.0) - last) * level->link.gap_seconds;
    inside *= level->n;
  }
  return seconds;
}

double network_permute(Link link, double bytes) { return network_permutes(link, 1, bytes); }

double network_permutes(Link link, uint32_t count, double bytes) {
  if (!count) return 0;
  return 2 * link.latency_seconds + (count - 1) * link.gap_seconds + bytes / link.bytes_per_second;
}

double route_seconds(const Route *route, Schedule schedule, double held, double sent) {
  double transfer = route_transfer(route, schedule, sent);
  switch (schedule) {
  case SCHEDULE_GATHER:
  case SCHEDULE_SCATTER:
  case SCHEDULE_BROADCAST: return latencies(route) + transfer;
  case SCHEDULE_REDUCE: return fmin(doubling(route, held), 2 * latencies(route) + transfer);
  case SCHEDULE_ALL_TO_ALL: return route_size(route) > 1 ? start_all(route) + transfer : 0;
  case SCHEDULE_SEND: break;
  }
  return 2 * route_slowest(route).latency_seconds + transfer;
}
