// Problem: draw a step of millions of ops as a few thousand bars that are still true.
//
// Idea: first the bars of every op and iteration, as long as there is room; a loop that has too
// many is drawn as its first iteration and one bar for the others. Gaps of the compute stream are
// waiting. Then, if there are too many bars, those shorter than a threshold join their neighbours
// into one bar, whose busy seconds are the sum of theirs; the threshold doubles until all fit. The
// memory curve comes from the same walk: bytes alive at each op, of which the most in
// each of many intervals is kept, so the peak is never lost.
//
// Invariant: busy seconds per stream do not change when bars are merged. Cost: O(bars · log bars).
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "ops/op.h"
#include "report/page_private.h"
#include "report/show_traffic.h"

enum { MOST_EXPANDED = 400000 };  // bars before they are merged

typedef enum BarKind { BAR_COMPUTE, BAR_COLLECTIVE, BAR_WAITING, BAR_LOOP } BarKind;

typedef struct Bar {
  double start, seconds;
  double busy;     // of `seconds`
  double exposed;  // of a collective
  double trips;    // of a loop: iterations in this bar
  double longest;  // seconds of `op`, while bars are merged
  OpId op;         // of several the longest; 0: waiting
  uint32_t count;  // of ops
  BarKind kind;
  bool critical;
} Bar;
typedef VEC(Bar) BarVec;

typedef struct Point {
  double at, bytes;
} Point;
typedef VEC(Point) PointVec;

typedef struct Drawing {
  const Report *report;
  const BlockRuns *runs;
  BarVec streams[STREAM_MOST];
  PointVec points;
  double room;              // bars that may still be drawn
  double ops, merged;       // ops that are drawn; of these in merged bars
  uint32_t n_merged;        // merged bars
  double unrolled, rolled;  // iterations that are drawn; that are in one bar
  double threshold;
} Drawing;

// ---- all bars ----

static void add_bar(Drawing *d, uint32_t stream, const Bar *bar) {
  VEC_PUSH(d->report->arena, &d->streams[stream], *bar);
}

// Iterations that are not drawn one by one: a bar on each stream that they use.
static void add_rolled(Drawing *d, const SimulatedBlock *body, OpId op, double start, double trips,
                       bool critical) {
  for (uint32_t k = 0; k < STREAM_MOST; k++) {
    if (k && !(body->streams >> k & 1)) continue;
    Bar bar = {.start = start,
               .seconds = trips * body->times.seconds,
               .busy = trips * (k ? body->times.busy[k] : body->compute_seconds),
               .trips = trips,
               .op = op,
               .count = 1,
               .kind = BAR_LOOP,
               .critical = critical};
    if (bar.busy > bar.seconds) bar.busy = bar.seconds;
    add_bar(d, k, &bar);
  }
  d->rolled += trips;
}

static void add_point(Drawing *d, double at, double bytes) {
  VEC_PUSH(d->report->arena, &d->points, ((Point){at, bytes}));
}

// base: bytes that are alive outside the block while it runs. Liveness follows program order, so
// ops that do not compute are drawn at the time of the op before them that does.
static void add_block(Drawing *d, const SimulatedBlock *b, double from, double base,
                      bool critical) {
  double now = from;
  for (uint32_t i = 0; i < b->n; i++) {
    const SimulatedBlock *body = b->body[i] && b->body[i]->n ? b->body[i] : NULL;
    const Task *task = &b->tasks[i];
    double start = from + b->times.start[i], bytes = base + b->curve[i];
    if (task->seconds > 0 && task->streams >> STREAM_COMPUTE & 1) now = start;
    if (!body || task->seconds <= 0) add_point(d, now, bytes);
    if (task->seconds <= 0) continue;
    bool on_path = critical && b->critical[i];
    if (body) {
      double items = d->runs->items[d->runs->slot[body->ops[0]] - 1], trips = b->trips[i];
      double drawn = trips * items <= d->room ? trips : items <= d->room ? 1 : 0;
      for (double k = 0; k < drawn; k++)
        add_block(d, body, start + k * body->times.seconds, bytes - body->peak_bytes, on_path);
      d->unrolled += drawn;
      if (drawn >= trips) continue;
      double rest = start + drawn * body->times.seconds;
      add_point(d, rest, bytes);
      add_rolled(d, body, b->ops[i], rest, trips - drawn, on_path);
      continue;
    }
    bool computes = task->streams >> STREAM_COMPUTE & 1;
    Bar bar = {.start = start,
               .seconds = task->seconds,
               .busy = task->seconds,
               .exposed = b->times.exposed[i],
               .op = b->ops[i],
               .count = 1,
               .kind = computes ? BAR_COMPUTE : BAR_COLLECTIVE,
               .critical = on_path};
    for (uint32_t k = 0; k < STREAM_MOST; k++)
      if (task->streams >> k & 1) add_bar(d, k, &bar);
    d->room--;
    d->ops++;
  }
}

static int first_bar_first(const void *x, const void *y) {
  const Bar *a = x, *b = y;
  if (a->start != b->start) return a->start < b->start ? -1 : 1;
  return a->op < b->op ? -1 : a->op > b->op;
}

static int first_point_first(const void *x, const void *y) {
  const Point *a = x, *b = y;
  if (a->at != b->at) return a->at < b->at ? -1 : 1;
  return a->bytes < b->bytes ? -1 : a->bytes > b->bytes;
}

// Gaps shorter than this part of the step are rounding.
static const double least_gap = 1e-9;

// Fills the gaps of the compute stream.
static void add_waiting(Drawing *d, double seconds) {
  BarVec *compute = &d->streams[STREAM_COMPUTE], all = {0};
  double at = 0;
  for (uint32_t i = 0; i <= compute->count; i++) {
    double next = i < compute->count ? compute->items[i].start : seconds;
    if (next - at > least_gap * seconds) {
      Bar bar = {.start = at, .seconds = next - at, .kind = BAR_WAITING};
      VEC_PUSH(d->report->arena, &all, bar);
    }
    if (i == compute->count) break;
    VEC_PUSH(d->report->arena, &all, compute->items[i]);
    double end = next + compute->items[i].seconds;
    if (end > at) at = end;
  }
  *compute = all;
}

// ---- fewer bars ----

// Bars join while they are short and the joined bar is shorter than the threshold. Writes to `out`
// if it is not NULL. Returns the number of bars.
static uint32_t merge(const BarVec *bars, double threshold, Bar *out) {
  uint32_t n = 0;
  bool open = false;
  Bar last = {0};
  for (uint32_t i = 0; i < bars->count; i++) {
    const Bar *b = &bars->items[i];
    bool small = b->seconds < threshold;
    double end = b->start + b->seconds;
    if (small && open && end - last.start < threshold) {
      last.seconds = end - last.start > last.seconds ? end - last.start : last.seconds;
      last.busy += b->busy;
      last.exposed += b->exposed;
      last.count += b->count;
      last.critical |= b->critical;
      if (b->op && b->seconds > last.longest) {
        last.longest = b->seconds;
        last.op = b->op;
        last.kind = b->kind;
        last.trips = b->trips;
      }
    } else {
      if (n && out) out[n - 1] = last;
      n++;
      last = *b;
      last.longest = b->op ? b->seconds : 0;
      open = small;
    }
  }
  if (n && out) out[n - 1] = last;
  return n;
}

static uint32_t count_merged(const Drawing *d, double threshold) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < STREAM_MOST; k++) n += merge(&d->streams[k], threshold, NULL);
  return n;
}

static void merge_all(Drawing *d, double seconds) {
  if (count_merged(d, 0) <= REPORT_MOST_BARS) return;
  double threshold = seconds * 1e-7;
  while (count_merged(d, threshold) > REPORT_MOST_BARS && threshold < seconds) threshold *= 1.25;
  d->threshold = threshold;
  for (uint32_t k = 0; k < STREAM_MOST; k++) {
    BarVec *bars = &d->streams[k];
    bars->count = merge(bars, threshold, bars->items);
    for (uint32_t i = 0; i < bars->count; i++) {
      if (bars->items[i].count < 2) continue;
      d->n_merged++;
      d->merged += bars->items[i].count;
    }
  }
}

// ---- JSON ----

// [start, seconds, kind, op, critical, exposed, busy, count, trips], without zeros at the end: busy
// is written as what is missing to seconds, count as one less.
static void bar_json(const Bar *b, const uint32_t *number, Json *json) {
  double idle = b->kind == BAR_WAITING ? 0 : b->seconds - b->busy;
  bool more = b->trips > 0 || b->count > 1 || idle > 1e-13 || b->exposed > 0;
  json_open(json, '[');
  page_time(json, b->start), page_time(json, b->seconds);
  json_uint(json, b->kind);
  json_int(json, b->op ? (int64_t)number[b->op] - 1 : -1);
  json_uint(json, b->critical);
  if (more) {
    page_time(json, b->exposed), page_time(json, idle);
    json_uint(json, b->count ? b->count - 1 : 0);
    if (b->trips > 0) json_double(json, b->trips);
  }
  json_close(json, ']');
}

// Ops of bars, each once; *out_number: per op, its index + 1.
static void ops_json(Drawing *d, uint32_t *out_number, Json *json) {
  uint32_t n = 0;
  json_key(json, "ops"), json_open(json, '[');
  for (uint32_t k = 0; k < STREAM_MOST; k++) {
    for (uint32_t i = 0; i < d->streams[k].count; i++) {
      OpId op = d->streams[k].items[i].op;
      if (!op || out_number[op]) continue;
      out_number[op] = ++n;
      page_op(d->report, op, json);
    }
  }
  json_close(json, ']');
}

// Busy seconds per stream, from the blocks: exact also where loops are one bar.
static void add_busy(const BlockRuns *runs, double *out_busy) {
  for (uint32_t j = 0; j < runs->n; j++) {
    const SimulatedBlock *b = runs->blocks[j];
    for (uint32_t i = 0; i < b->n; i++) {
      if (b->body[i] && b->body[i]->n) continue;
      for (uint32_t k = 0; k < STREAM_MOST; k++)
        if (b->tasks[i].streams >> k & 1) out_busy[k] += runs->runs[j] * b->tasks[i].seconds;
    }
  }
}

static void streams_json(Drawing *d, const uint32_t *number, Json *json) {
  const ShowSimulated *show = d->report->show;
  Network network =
      machine_network(show->machine, show->program->context, show->mesh, d->report->arena);
  double busy[STREAM_MOST] = {0};
  add_busy(d->runs, busy);
  json_key(json, "streams"), json_open(json, '[');
  for (uint32_t k = 0; k < STREAM_MOST; k++) {
    if (k && !d->streams[k].count) continue;
    json_open(json, '{');
    json_key(json, "name");
    json_string(json, k ? arena_printf(d->report->arena, "links, level %u", k) : "compute");
    for (uint32_t i = 0; k && i < network.n_levels; i++) {
      if (network.levels[i].stream + 1 != k) continue;
      json_key(json, "bytes_per_second");
      json_double(json, network.levels[i].link.bytes_per_second);
      break;
    }
    json_key(json, "busy_seconds"), json_double(json, busy[k]);
    json_key(json, "bars"), json_open(json, '[');
    for (uint32_t i = 0; i < d->streams[k].count; i++)
      bar_json(&d->streams[k].items[i], number, json);
    json_close(json, ']');
    json_close(json, '}');
  }
  json_close(json, ']');
}

// Of each interval the point of most bytes; points that change nothing are left out.
static void points_json(const Drawing *d, double seconds, Json *json) {
  const PointVec *points = &d->points;
  double width = seconds / (double)REPORT_MOST_POINTS, before = -1;
  json_key(json, "points"), json_open(json, '[');
  for (uint32_t i = 0, end; i < points->count; i = end) {
    const Point *most = &points->items[i];
    double until = points->items[i].at + width;
    for (end = i; end < points->count && (end == i || points->items[end].at < until); end++)
      if (points->items[end].bytes > most->bytes) most = &points->items[end];
    if (most->bytes == before) continue;
    before = most->bytes;
    json_open(json, '[');
    page_time(json, points->items[i].at);
    json_uint(json, most->bytes > 0 ? (uint64_t)most->bytes : 0);
    json_close(json, ']');
  }
  json_close(json, ']');
}

static void memory_json(const Drawing *d, Json *json) {
  const Simulated *s = d->report->show->simulated;
  const SimulatedBlock *b = s->block;
  double sums[LIVE_TEMPORARY + 1] = {0}, most = -1, at = 0;
  uint32_t n_live = b ? b->n_live : 0;
  for (uint32_t i = 0; i < d->points.count; i++) {
    if (d->points.items[i].bytes <= most) continue;
    most = d->points.items[i].bytes;
    at = d->points.items[i].at;
  }
  for (uint32_t i = 0; i < n_live; i++) sums[b->live[i].kind] += b->live[i].bytes;
  json_key(json, "memory"), json_open(json, '{');
  json_key(json, "peak_at"), page_time(json, at);
  json_key(json, "peak_count"), json_uint(json, n_live);
  json_key(json, "peak_parts"), json_open(json, '{');
  json_key(json, "argument"), json_double(json, sums[LIVE_ARGUMENT]);
  json_key(json, "result"), json_double(json, sums[LIVE_RESULT]);
  json_key(json, "constant"), json_double(json, sums[LIVE_CONSTANT]);
  json_key(json, "temporary"), json_double(json, sums[LIVE_TEMPORARY]);
  json_close(json, '}');
  json_key(json, "peak_inner_op");
  const SimulatedBlock *inner = b;
  while (inner && inner->n && inner->body[inner->peak_at] && inner->body[inner->peak_at]->n)
    inner = inner->body[inner->peak_at];
  if (inner && inner->n)
    page_op(d->report, inner->ops[inner->peak_at], json);
  else
    json_null(json);
  points_json(d, s->seconds, json);
  json_close(json, '}');
}

// ---- all ----

void page_timeline(const Report *report, const BlockRuns *runs, Json *json) {
  const Simulated *s = report->show->simulated;
  Drawing *d = ARENA_NEW(report->arena, Drawing);
  *d = (Drawing){.report = report, .runs = runs, .room = MOST_EXPANDED};
  if (s->block) add_block(d, s->block, 0, 0, true);
  for (uint32_t k = 0; k < STREAM_MOST; k++)
    if (d->streams[k].count)
      qsort(d->streams[k].items, d->streams[k].count, sizeof(Bar), first_bar_first);
  if (d->points.count)
    qsort(d->points.items, d->points.count, sizeof *d->points.items, first_point_first);
  add_waiting(d, s->seconds);
  merge_all(d, s->seconds);
  uint32_t *number = ARENA_ARRAY(report->arena, uint32_t, report->show->program->ops.count + 1);
  json_key(json, "timeline"), json_open(json, '{');
  json_key(json, "unit_seconds"), json_double(json, 1e-12);
  json_key(json, "ops_drawn"), json_double(json, d->ops);
  json_key(json, "iterations_drawn"), json_double(json, d->unrolled);
  json_key(json, "iterations_in_one_bar"), json_double(json, d->rolled);
  json_key(json, "merged_bars"), json_uint(json, d->n_merged);
  json_key(json, "merged_ops"), json_double(json, d->merged);
  json_key(json, "merged_below_seconds"), json_double(json, d->threshold);
  ops_json(d, number, json);
  streams_json(d, number, json);
  json_close(json, '}');
  memory_json(d, json);
}
