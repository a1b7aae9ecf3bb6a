// Problem: say where the seconds of a step go: to which kinds of ops, and to which collectives for
// which reasons.
//
// Idea: one walk over all blocks adds up seconds per op, times the runs of its block. Reasons are
// listed for the simulated program, so their ops are the ones that have seconds; a collective that
// combines several reasons gives each the seconds of its share of the bytes. Compute by kind of op
// and exposed seconds by kind of collective sum to the step.
#include <stdlib.h>
#include <string.h>

#include "cost/traffic.h"
#include "explain/reason.h"
#include "ops/op.h"
#include "report/page_private.h"
#include "report/show_traffic.h"

typedef struct Spent {
  double seconds, exposed, runs;
} Spent;

// Per op of the program; compute by code in *out_codes.
static Spent *add_up(const Report *report, const BlockRuns *runs, double *out_codes) {
  const Program *p = report->show->program;
  Spent *spent = ARENA_ARRAY(report->arena, Spent, p->ops.count + 1);
  for (uint32_t k = 0; k < runs->n; k++) {
    const SimulatedBlock *b = runs->blocks[k];
    for (uint32_t i = 0; i < b->n; i++) {
      if (b->body[i] && b->body[i]->n) continue;
      Spent *s = &spent[b->ops[i]];
      s->seconds += runs->runs[k] * b->tasks[i].seconds;
      s->exposed += runs->runs[k] * b->times.exposed[i];
      s->runs += runs->runs[k];
      if (b->tasks[i].streams >> STREAM_COMPUTE & 1)
        out_codes[op_at(p, b->ops[i])->code] += runs->runs[k] * b->tasks[i].seconds;
    }
  }
  return spent;
}

// ---- parts of the step ----

typedef struct Part {
  const char *name;
  const char *axes;  // of a collective; NULL: compute
  double seconds;
} Part;

static int longest_part_first(const void *x, const void *y) {
  const Part *a = x, *b = y;
  if (!a->axes != !b->axes) return a->axes ? 1 : -1;
  if (a->seconds != b->seconds) return a->seconds > b->seconds ? -1 : 1;
  return strcmp(a->name, b->name);
}

static void parts_json(const Report *report, const double *codes, Json *json) {
  const Simulated *s = report->show->simulated;
  Part *parts = ARENA_ARRAY(report->arena, Part, (size_t)OP_COUNT + s->n_rows + 1);
  uint32_t n = 0;
  for (uint32_t c = 0; c < OP_COUNT; c++)
    if (codes[c] > 0) parts[n++] = (Part){traffic_kind((uint16_t)c), NULL, codes[c]};
  for (uint32_t i = 0; i < s->n_rows; i++)
    if (s->rows[i].exposed > 0)
      parts[n++] = (Part){traffic_kind(s->rows[i].code), s->rows[i].axes, s->rows[i].exposed};
  if (n) qsort(parts, n, sizeof *parts, longest_part_first);
  json_key(json, "parts"), json_open(json, '[');
  for (uint32_t i = 0; i < n; i++) {
    json_open(json, '{');
    json_key(json, "name"), json_string(json, parts[i].name);
    if (parts[i].axes) json_key(json, "axes"), json_string(json, parts[i].axes);
    json_key(json, "waits"), json_bool(json, parts[i].axes != NULL);
    json_key(json, "seconds"), json_double(json, parts[i].seconds);
    json_close(json, '}');
  }
  json_close(json, ']');
}

// ---- causes ----

typedef struct Cause {
  const Reason *reason;
  Spent spent;
  double bytes;    // sent per device
  uint32_t count;  // collectives that run
} Cause;

static int costliest_first(const void *x, const void *y) {
  const Cause *a = x, *b = y;
  if (a->spent.exposed != b->spent.exposed) return a->spent.exposed > b->spent.exposed ? -1 : 1;
  if (a->spent.seconds != b->spent.seconds) return a->spent.seconds > b->spent.seconds ? -1 : 1;
  return a->reason < b->reason ? -1 : a->reason > b->reason;
}

static void cause_json(const Report *report, const Cause *c, Json *json) {
  const Reason *r = c->reason;
  json_open(json, '{');
  json_key(json, "kind"), json_string(json, r->kind);
  json_key(json, "count"), json_uint(json, c->count);
  json_key(json, "with_others"), json_uint(json, r->others);
  json_key(json, "runs"), json_double(json, c->spent.runs);
  json_key(json, "bytes"), json_double(json, c->bytes);
  json_key(json, "seconds"), json_double(json, c->spent.seconds);
  json_key(json, "exposed_seconds"), json_double(json, c->spent.exposed);
  json_key(json, "why"), json_string(json, r->why);
  json_key(json, "guess"), json_bool(json, r->unknown && !report->show->program->trip_count);
  reason_json(report->show->program->context, r, json);
  json_close(json, '}');
}

static double bytes_per_use(const Reason *r) { return r->bytes / (r->count ? r->count : 1); }

// Uses of one collective are adjacent. Each gets a share of its seconds and bytes: by the bytes of
// its reason per use, which is exact unless a reason has uses of different sizes. Bytes are counted
// anew, since the reasons count functions that were inlined, too.
static void share_out(const Report *report, const Reasons *reasons, const Spent *spent,
                      Cause *causes) {
  const ShowSimulated *show = report->show;
  for (uint32_t i = 0, end; i < reasons->n_uses; i = end) {
    OpId op = reasons->uses[i].op;
    double all = 0;
    for (end = i; end < reasons->n_uses && reasons->uses[end].op == op; end++)
      all += bytes_per_use(&reasons->rows[reasons->uses[end].reason]);
    if (spent[op].runs <= 0) continue;
    double bytes =
        spent[op].runs *
        traffic_row(show->program, op, show->mesh, show->simulated->n_devices, NULL, NULL).bytes;
    for (uint32_t k = i; k < end; k++) {
      Cause *c = &causes[reasons->uses[k].reason];
      double share = end - i == 1 ? 1 : all > 0 ? bytes_per_use(c->reason) / all : 1.0 / (end - i);
      c->spent.seconds += share * spent[op].seconds;
      c->spent.exposed += share * spent[op].exposed;
      c->spent.runs += spent[op].runs;
      c->bytes += share * bytes;
      c->count++;
    }
  }
}

static void causes_json(const Report *report, const Spent *spent, Json *json) {
  const ShowSimulated *show = report->show;
  Reasons reasons;
  reasons_list(show->program, show->mesh, show->simulated->n_devices, report->guard, report->arena,
               &reasons);
  Cause *causes = ARENA_ARRAY(report->arena, Cause, reasons.n + 1);
  uint32_t n = 0;
  for (uint32_t i = 0; i < reasons.n; i++) causes[i].reason = &reasons.rows[i];
  share_out(report, &reasons, spent, causes);
  for (uint32_t i = 0; i < reasons.n; i++)
    if (causes[i].count) causes[n++] = causes[i];
  if (n) qsort(causes, n, sizeof *causes, costliest_first);
  json_key(json, "causes"), json_open(json, '[');
  for (uint32_t i = 0; i < n && i < REPORT_MOST_CAUSES; i++) cause_json(report, &causes[i], json);
  json_close(json, ']');
  Spent rest = {0};
  double bytes = 0;
  for (uint32_t i = REPORT_MOST_CAUSES; i < n; i++) {
    rest.seconds += causes[i].spent.seconds;
    rest.exposed += causes[i].spent.exposed;
    bytes += causes[i].bytes;
  }
  json_key(json, "causes_left_out"), json_open(json, '{');
  json_key(json, "count"), json_uint(json, n > REPORT_MOST_CAUSES ? n - REPORT_MOST_CAUSES : 0);
  json_key(json, "bytes"), json_double(json, bytes);
  json_key(json, "seconds"), json_double(json, rest.seconds);
  json_key(json, "exposed_seconds"), json_double(json, rest.exposed);
  json_close(json, '}');
}

void page_causes(const Report *report, const BlockRuns *runs, Json *json) {
  double *codes = ARENA_ARRAY(report->arena, double, OP_COUNT);
  Spent *spent = add_up(report, runs, codes);
  parts_json(report, codes, json);
  causes_json(report, spent, json);
}
