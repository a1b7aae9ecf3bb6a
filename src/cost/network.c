// Each device sends all but its own part, at best in log n rounds; every collective costs one
// latency more to begin. Messages that do not wait for each other (to all others at once, or of
// several permutes) cost one latency together and a gap each, as in LogGP (Alexandrov et al. 1995).
// A group over several levels does a part of the collective on each of them, one after the other:
// a gather first across the slow links, while tiles are small, a scatter last (the hierarchical
// collectives of MPI and NCCL).
#include "cost/network.h"

#include <math.h>

const Network network_default = {.all = {3e-6, 450e9, 0.3e-6}};

// ---- routes ----

Route route_flat(Link link, uint32_t n) { return (Route){.levels = {{link, n}}, .n_levels = 1}; }

static bool same_link(Link a, Link b) {
  return a.latency_seconds == b.latency_seconds && a.gap_seconds == b.gap_seconds &&
         a.bytes_per_second == b.bytes_per_second;
}

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
    *last = (RouteLevel){link_slower(last->link, link), last->n * n};
    return;
  }
  for (uint32_t k = route->n_levels++; k > i; k--) route->levels[k] = route->levels[k - 1];
  route->levels[i] = (RouteLevel){link, n};
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

Route network_route(const Network *network, AxisList axes) {
  Link link = {0};
  for (uint32_t i = 0; i < axes.n; i++)
    link = link_slower(link, network_link(network, axes.v[i].axis));
  return route_flat(axes.n ? link : network->all, (uint32_t)axes_size(axes));
}

// ---- schedules ----

// Rounds of doubling on all levels, and the beginning, which waits for the slowest link.
static double latencies(const Route *route) {
  double seconds = 0;
  for (uint32_t i = 0; i < route->n_levels; i++) {
    const RouteLevel *level = &route->levels[i];
    seconds += ((i + 1 == route->n_levels) + log2(level->n)) * level->link.latency_seconds;
  }
  return seconds;
}

// All but a device's own part of what it has on a level: before a scatter there, or after a gather.
static double others(const RouteLevel *level, double bytes) {
  return bytes * (level->n - 1.0) / level->n / level->link.bytes_per_second;
}

// Of so many bytes that are scattered from the inside out, or gathered from the outside in.
static double rounds(const Route *route, double bytes) {
  double seconds = latencies(route);
  for (uint32_t i = 0; i < route->n_levels; i++) {
    seconds += others(&route->levels[i], bytes);
    bytes /= route->levels[i].n;
  }
  return seconds;
}

static double doubling(const Route *route, double bytes) {
  double seconds = latencies(route);
  for (uint32_t i = 0; i < route->n_levels; i++)
    seconds += log2(route->levels[i].n) * bytes / route->levels[i].link.bytes_per_second;
  return seconds;
}

// All pairs at once: of the group's devices, most are far.
static double exchange(const Route *route, double bytes) {
  double seconds = 0, inside = 1, n = route_size(route);
  if (n < 2) return 0;
  for (uint32_t i = 0; i < route->n_levels; i++) {
    const RouteLevel *level = &route->levels[i];
    double messages = inside * (level->n - 1.0);
    bool last = i + 1 == route->n_levels;
    if (last) seconds += 2 * level->link.latency_seconds;
    seconds += (messages - last) * level->link.gap_seconds;
    seconds += bytes * messages / n / level->link.bytes_per_second;
    inside *= level->n;
  }
  return seconds;
}

double network_permute(Link link, double bytes) { return network_permutes(link, 1, bytes); }

double network_permutes(Link link, uint32_t count, double bytes) {
  if (!count) return 0;
  return 2 * link.latency_seconds + (count - 1) * link.gap_seconds + bytes / link.bytes_per_second;
}

double route_seconds(const Route *route, Schedule schedule, double held) {
  switch (schedule) {
  case SCHEDULE_GATHER: return rounds(route, held * route_size(route));
  case SCHEDULE_SCATTER: return rounds(route, held);
  case SCHEDULE_REDUCE: return fmin(doubling(route, held), 2 * rounds(route, held));
  case SCHEDULE_EXCHANGE: return exchange(route, held);
  case SCHEDULE_SEND: return network_permute(route_slowest(route), held);
  case SCHEDULE_BROADCAST: break;
  }
  return latencies(route) + held / route_slowest(route).bytes_per_second;
}
