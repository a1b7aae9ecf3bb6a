// Problem: summarize the communication and work of a local program.
//
// Idea: one walk over the collectives adds each to a row (kind, groups, axes); each counts as often
// as it runs (trips.h). The critical path is the longest chain of collectives along data
// dependences, by one pass over each function, callees first. Rows are few, so they are searched
// linearly.
//
// Cost: O(ops · depth + collectives · rows).
#include "cost/traffic.h"

#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "cost/collectives.h"
#include "cost/trips.h"
#include "ops/functions.h"
#include "ops/groups.h"
#include "ops/op.h"
#include "ops/work.h"
#include "sharding/axes.h"

typedef VEC(TrafficRow) RowVec;

static double bytes_of_type(const Program *p, Type type) {
  int64_t count;
  bool known = type_count(p->context, type, &count);
  return known ? (double)count * dtype_bytes(type_dtype(p->context, type)) : 0;
}

static double bytes_of(const Program *p, OpId op) {
  double bytes = 0;
  for (uint32_t i = 0; i < op_at(p, op)->n_operands; i++)
    bytes += bytes_of_type(p, op_operand_type(p, op, i));
  return bytes;
}

// ---- axes ----

// The bit set of mesh axes along which two devices differ.
static uint64_t differing_axes(const Mesh *mesh, int64_t a, int64_t b) {
  uint64_t bits = 0;
  if (a < 0 || b < 0 || a >= mesh->n_devices || b >= mesh->n_devices) return 0;
  uint32_t x = mesh_position(mesh, (uint32_t)a), y = mesh_position(mesh, (uint32_t)b);
  for (uint32_t i = 0; i < mesh->n_axes && i < 64; i++) {
    AxisRef full = axis_full(mesh, i);
    if (axis_coordinate(mesh, full, x) != axis_coordinate(mesh, full, y)) bits |= (uint64_t)1 << i;
  }
  return bits;
}

// "data,model" for a bit set of axes.
const char *traffic_axes_text(const Program *p, const Mesh *mesh, uint64_t bits, Arena *arena) {
  size_t bytes = 1;
  for (uint32_t i = 0; i < mesh->n_axes && i < 64; i++)
    if (bits >> i & 1) bytes += strlen(name_text(p->context, mesh->axes[i].name)) + 1;
  char *text = ARENA_ARRAY(arena, char, bytes);
  for (uint32_t i = 0; i < mesh->n_axes && i < 64; i++) {
    if (!(bits >> i & 1)) continue;
    if (text[0]) strcat(text, ",");
    strcat(text, name_text(p->context, mesh->axes[i].name));
  }
  return text;
}

// ---- rows ----

TrafficRow traffic_row(const Program *p, OpId op, const Mesh *mesh, uint32_t n_devices,
                       Arena *arena, const Runs *runs) {
  TrafficRow row = {.axes = "",
                    .code = op_at(p, op)->code,
                    .count = 1,
                    .in_loops = runs && runs_in_loop(runs, op),
                    .runs = runs ? runs_of(runs, op) : 1,
                    .unknown = runs && runs_unknown(runs, op)};
  double bytes = bytes_of(p, op) * row.runs;
  uint64_t bits = 0;
  Attr pairs = op_attr(p, op, "source_target_pairs");
  if (pairs) {
    Ints ids = attr_as_ints(p->context, pairs);
    for (uint32_t i = 0; i + 1 < ids.n; i += 2) {
      row.n_groups += ids.v[i] != ids.v[i + 1];
      if (mesh) bits |= differing_axes(mesh, ids.v[i], ids.v[i + 1]);
    }
    row.bytes = bytes * row.n_groups / n_devices;
  } else {
    Groups groups = {.n = 1, .width = n_devices};
    const char *why;
    bool both = collective_is_across_both(row.code);
    if (!groups_read(p->context, p, op, op_at(p, op)->attrs, both, &groups, &why) || !groups.width)
      groups = (Groups){.n = 1, .width = n_devices};
    row.n_groups = groups.n;
    row.width = groups.width;
    row.bytes = collective_sent(row.code, groups.width, bytes);
    for (uint32_t i = 1; mesh && groups.ids && i < groups.width; i++)
      bits |= differing_axes(mesh, groups.ids[0], groups.ids[i]);
  }
  row.axis_bits = bits;
  if (bits && arena) row.axes = traffic_axes_text(p, mesh, bits, arena);
  return row;
}

double traffic_of(const Program *local, OpId op, const Mesh *mesh, uint32_t n_devices,
                  const Runs *runs, uint64_t *out_axis_bits) {
  TrafficRow row = traffic_row(local, op, mesh, n_devices, NULL, runs);
  *out_axis_bits = row.axis_bits;
  return row.bytes;
}

// Adds to the row of the same kind, groups and axes, or appends a new one.
static void add(RowVec *rows, Arena *arena, const TrafficRow *row) {
  for (uint32_t i = 0; i < rows->count; i++) {
    TrafficRow *r = &rows->items[i];
    if (r->code != row->code || r->n_groups != row->n_groups || r->width != row->width ||
        strcmp(r->axes, row->axes) != 0)
      continue;
    r->count += row->count;
    r->in_loops += row->in_loops;
    r->runs += row->runs;
    r->bytes += row->bytes;
    r->unknown |= row->unknown;
    return;
  }
  VEC_PUSH(arena, rows, *row);
}

// ---- critical path ----

// The most collectives on a path to any value of a function. A collective in a loop counts as often
// as it runs; a call adds the longest path through its callee.
static double longest_path(const Program *p, OpId function, const Runs *runs, const double *steps,
                           double *depth, bool *out_unknown) {
  double most = 0;
  for (OpId o = function; o; o = op_walk_next(p, o, function)) {
    const Op *op = op_at(p, o);
    double d = 0;
    for (uint32_t i = 0; i < op->n_operands; i++) d = fmax(d, depth[op_operand(p, o, i)]);
    if (op_row(op->code)->traits & TRAIT_COLLECTIVE) d += op_runs(p, o, out_unknown);
    bool unknown = false;
    double below = runs->callee[o] ? steps[runs->callee[o]] : 0;
    if (below > 0) d += below * op_runs(p, o, &unknown);
    *out_unknown |= unknown;
    for (uint32_t i = 0; i < op->n_results; i++) depth[op_result(p, o, i)] = d;
    // Values flow into regions by their arguments and out of them by their terminators.
    for (uint32_t r = 0; r < op->n_regions; r++) {
      BlockId block = region_block(p, op_region(p, o, r));
      for (uint32_t i = 0; block && i < block_at(p, block)->n_args; i++)
        depth[block_arg(p, block, i)] = d;
    }
    OpId parent = op_parent(p, o);
    if (op_row(op->code)->traits & TRAIT_TERMINATOR && parent)
      for (uint32_t i = 0; i < op_at(p, parent)->n_results; i++)
        depth[op_result(p, parent, i)] = fmax(depth[op_result(p, parent, i)], d);
    most = fmax(most, d);
  }
  return most;
}

// Callees come before their callers: `order` is a topological order of the call graph, reversed.
static double critical_path(const Program *p, const Runs *runs, Arena *arena, bool *out_unknown) {
  double *depth = ARENA_ARRAY(arena, double, p->values.count + 1);
  double *steps = ARENA_ARRAY(arena, double, p->ops.count + 1), most = 0;
  for (uint32_t i = runs->count; i-- > 0;) {
    OpId function = runs->order[i];
    steps[function] = longest_path(p, function, runs, steps, depth, out_unknown);
    most = fmax(most, steps[function]);
  }
  return most;
}

// ---- totals ----

static double count_flops(const Program *p, const Runs *runs, bool *out_unknown) {
  double flops = 0;
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    double work = op_work(p, o);
    if (work <= 0) continue;
    flops += work * runs_of(runs, o);
    *out_unknown |= runs_unknown(runs, o);
  }
  return flops;
}

double program_flops(const Program *p, const Mesh *mesh, Arena *arena) {
  Runs runs;
  bool unknown = false;
  runs_count(p, mesh, arena, &runs);
  return count_flops(p, &runs, &unknown);
}

static void count_edges(const Program *local, Arena *arena, Traffic *out) {
  Entries entries = program_entries(local, arena);
  for (uint32_t f = 0; f < entries.n; f++) {
    OpId function = entries.v[f];
    for (uint32_t i = 0; i < function_n_arguments(local, function); i++) {
      ValueId v = function_argument(local, function, i);
      if (v) out->argument_bytes += bytes_of_type(local, value_type(local, v));
    }
    for (uint32_t i = 0; i < function_n_results(local, function); i++)
      out->result_bytes += bytes_of_type(local, function_result_type(local, function, i));
  }
}

void traffic_count(const Program *local, const Mesh *mesh, uint32_t n_devices, Arena *arena,
                   Traffic *out) {
  RowVec rows = {0};
  *out = (Traffic){0};
  Runs runs;
  runs_count(local, NULL, arena, &runs);
  for (OpId o = local->root; o; o = op_walk_next(local, o, local->root)) {
    if (!(op_row(op_at(local, o)->code)->traits & TRAIT_COLLECTIVE)) continue;
    TrafficRow row = traffic_row(local, o, mesh, n_devices, arena, &runs);
    add(&rows, arena, &row);
    out->count++;
    out->runs += row.runs;
    out->bytes += row.bytes;
    out->unknown_bytes |= row.unknown;
  }
  out->rows = rows.items;
  out->n_rows = rows.count;
  out->unknown_loops = loops_unknown(local);
  out->trip_count = trips_unknown(local);
  out->trip_count_given = local->trip_count != 0;
  out->steps = critical_path(local, &runs, arena, &out->unknown_steps);
  out->flops = count_flops(local, &runs, &out->unknown_flops);
  count_edges(local, arena, out);
}

// ---- seconds ----

AxisList traffic_axes(const Network *network, const TrafficRow *row, AxisRef *room) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < 64 && i < network->n_axes; i++)
    if (row->axis_bits >> i & 1) room[n++] = (AxisRef){i, 1, network->axes[i].size};
  return (AxisList){room, n};
}

// The levels of the network that a collective spans.
static Route row_route(const Network *network, const TrafficRow *row) {
  AxisRef room[64];
  AxisList axes = traffic_axes(network, row, room);
  return axes.n ? network_route(network, axes) : route_flat(network->all, row->width);
}

// Latency counts only on the critical path: the mean latency of all runs, times its length.
double traffic_seconds(const Traffic *traffic, const Network *network, const Compute *compute) {
  double transfer = 0, latency = 0;
  for (uint32_t i = 0; i < traffic->n_rows; i++) {
    const TrafficRow *row = &traffic->rows[i];
    const Collective *kind = collective_row(row->code);
    Route route = row_route(network, row);
    transfer += route_transfer(&route, kind ? kind->schedule : SCHEDULE_SEND, row->bytes);
    latency += row->runs * route_slowest(&route).latency_seconds;
  }
  if (traffic->runs > 0) latency *= traffic->steps / traffic->runs;
  return compute_seconds(compute, traffic->flops) + transfer + latency;
}
