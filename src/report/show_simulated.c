// Names come from explain/words: an argument's path, a value's name, else the op that makes it and
// its line. Everything else is what cost/simulate computed.
#include "report/show_simulated.h"

#include <stdio.h>
#include <string.h>

#include "ops/op.h"
#include "report/show_traffic.h"

enum { BUF = 32 };

const char *simulated_seconds(double seconds, char *buf, size_t n) {
  double x = seconds < 0 ? -seconds : seconds;
  if (x >= 1 || x == 0)
    snprintf(buf, n, "%.4g s", seconds);
  else if (x >= 0.9995e-3)
    snprintf(buf, n, "%.4g ms", seconds * 1e3);
  else
    snprintf(buf, n, "%.4g us", seconds * 1e6);
  return buf;
}

const char *simulated_bytes(double bytes, char *buf, size_t n) {
  double x = bytes < 0 ? -bytes : bytes;
  if (x >= 999.5e6)
    snprintf(buf, n, "%.4g GB", bytes / 1e9);
  else if (x >= 999.5e3)
    snprintf(buf, n, "%.4g MB", bytes / 1e6);
  else if (x >= 999.5)
    snprintf(buf, n, "%.4g kB", bytes / 1e3);
  else
    snprintf(buf, n, "%.0f byte%s", bytes, bytes == 1 ? "" : "s");
  return buf;
}

double simulated_model_utilization(const ShowSimulated *show) {
  const Simulated *s = show->simulated;
  if (show->global_flops <= 0 || s->flops <= 0) return -1;
  double share = show->global_flops / s->n_devices / s->flops;
  return s->utilization * (share < 1 ? share : 1);
}

// ---- names ----

static const char *const kinds[] = {"argument", "result", "constant", "temporary"};

static void put_op(const ShowSimulated *show, OpId op, StrBuf *out) {
  OpWords words = words_op(show->words, op);
  words_put_op(show->program->context, &words, out);
}

void simulated_put_value(const ShowSimulated *show, ValueId v, StrBuf *out) {
  Name name = words_value(show->words, v);
  OpId op = value_def(show->program, v);
  if (name && !op)
    strbuf_puts(out, name_text(show->program->context, name));
  else if (op)
    put_op(show, op, out);
  else
    strbuf_printf(out, "argument %u", (unsigned)value_at(show->program, v)->index);
}

void simulated_put_machine(const Machine *m, StrBuf *out) {
  strbuf_puts(out, m->name[0] ? m->name : "the machine");
  for (uint32_t i = 0; i < m->n_shape; i++) strbuf_printf(out, "%c%u", i ? 'x' : ':', m->shape[i]);
}

void simulated_put_peak_op(const ShowSimulated *show, StrBuf *out) {
  const SimulatedBlock *at = show->simulated->block;
  if (!at || !at->n) return;
  while (at->body[at->peak_at] && at->body[at->peak_at]->n) at = at->body[at->peak_at];
  put_op(show, at->ops[at->peak_at], out);
}

static void put_mesh(const ShowSimulated *show, StrBuf *out) {
  for (uint32_t i = 0; show->mesh && i < show->mesh->n_axes; i++)
    strbuf_printf(out, "%s%s=%u", i ? "," : "",
                  name_text(show->program->context, show->mesh->axes[i].name),
                  show->mesh->axes[i].size);
}

// ---- text ----

static const char *plural(uint64_t n) { return n == 1 ? "" : "s"; }

static void put_guess(const Simulated *s, StrBuf *out) {
  if (!s->unknown_loops) return;
  strbuf_printf(out, "%s%u loop%s of unknown length counted as %u iteration%s%s\n",
                s->trip_count_given ? "" : "guess: ", s->unknown_loops, plural(s->unknown_loops),
                s->trip_count, plural(s->trip_count),
                s->trip_count_given ? "" : "; --trip-count sets it");
}

static void put_rows(const Simulated *s, StrBuf *out) {
  char seconds[BUF], exposed[BUF], bytes[BUF];
  if (!s->n_rows) {
    strbuf_puts(out, "no collectives\n");
    return;
  }
  strbuf_printf(out, "%-21s %-16s %6s %8s %11s %11s %11s\n", "collectives", "axes", "ops", "runs",
                "sent", "busy", "exposed");
  for (uint32_t i = 0; i < s->n_rows; i++) {
    const SimulatedRow *r = &s->rows[i];
    strbuf_printf(out, "  %-19s %-16s %6u %8.0f %11s %11s %11s%s\n", traffic_kind(r->code),
                  r->axes[0] ? r->axes : "-", r->count, r->runs,
                  simulated_bytes(r->bytes, bytes, BUF),
                  simulated_seconds(r->seconds, seconds, BUF),
                  simulated_seconds(r->exposed, exposed, BUF), r->guess ? "  (guess)" : "");
  }
}

// Fraction of the peak above which undonated arguments are worth a hint.
static const double hint_share = 0.05;

static void put_peak(const ShowSimulated *show, uint32_t most, StrBuf *out) {
  const Simulated *s = show->simulated;
  const SimulatedBlock *b = s->block;
  char bytes[BUF], usable[BUF];
  double sums[4] = {0}, rest = 0;
  strbuf_printf(out, "peak memory    %s of %s usable%s\n",
                simulated_bytes(s->peak_bytes, bytes, BUF),
                simulated_bytes(s->usable_bytes, usable, BUF),
                s->peak_bytes > s->usable_bytes ? ": does not fit" : "");
  if (!b || !b->n) return;
  strbuf_puts(out, "  at           ");
  simulated_put_peak_op(show, out);
  strbuf_puts(out, "\n");
  for (uint32_t i = 0; i < b->n_live; i++) sums[b->live[i].kind] += b->live[i].bytes;
  strbuf_puts(out, "  of           ");
  bool first = true;
  for (uint32_t i = 0; i < 4; i++) {
    if (sums[i] <= 0) continue;
    strbuf_printf(out, "%s%s of %ss", first ? "" : ", ", simulated_bytes(sums[i], bytes, BUF),
                  i == LIVE_TEMPORARY ? "temporarie" : kinds[i]);
    first = false;
  }
  strbuf_puts(out, "\n");
  for (uint32_t i = 0; i < b->n_live; i++) {
    const SimulatedLive *l = &b->live[i];
    if (i >= most) {
      rest += l->bytes;
      continue;
    }
    strbuf_printf(out, "  %11s  %-9s  ", simulated_bytes(l->bytes, bytes, BUF), kinds[l->kind]);
    simulated_put_value(show, l->value, out);
    strbuf_puts(out, "  ");
    type_print(show->program->context, value_type(show->program, l->value), out);
    strbuf_puts(out, "\n");
  }
  if (b->n_live > most)
    strbuf_printf(out, "  %11s  in %u more value%s\n", simulated_bytes(rest, bytes, BUF),
                  b->n_live - most, plural(b->n_live - most));
  if (s->undonated_bytes > hint_share * s->peak_bytes)
    strbuf_printf(out,
                  "hint: %s of results have the types of arguments that are not donated; donated "
                  "(jax.jit's donate_argnums) they share buffers\n",
                  simulated_bytes(s->undonated_bytes, bytes, BUF));
}

void simulated_put(const ShowSimulated *show, uint32_t most, StrBuf *out) {
  const Simulated *s = show->simulated;
  char seconds[BUF], all[BUF];
  double total = s->seconds > 0 ? s->seconds : 1, model = simulated_model_utilization(show);
  strbuf_puts(out, "machine        ");
  simulated_put_machine(show->machine, out);
  strbuf_printf(out, ", %u device%s", s->n_devices, plural(s->n_devices));
  if (show->mesh && show->mesh->n_axes) {
    strbuf_puts(out, ", mesh ");
    put_mesh(show, out);
  }
  strbuf_printf(out, "\nstep           %s%s\n", simulated_seconds(s->seconds, seconds, BUF),
                s->guess ? "  (guess)" : "");
  strbuf_printf(out, "  compute      %-11s %5.1f %%\n",
                simulated_seconds(s->compute_seconds, seconds, BUF),
                100 * s->compute_seconds / total);
  strbuf_printf(out, "  waiting      %-11s %5.1f %%  for collectives, which take %s\n",
                simulated_seconds(s->exposed_seconds, seconds, BUF),
                100 * s->exposed_seconds / total,
                simulated_seconds(s->collective_seconds, all, BUF));
  strbuf_printf(out, "utilization    %.1f %% of the peak FLOP/s", 100 * s->utilization);
  if (model >= 0) strbuf_printf(out, "; %.1f %% without work that devices repeat", 100 * model);
  strbuf_puts(out, "\n");
  put_guess(s, out);
  put_rows(s, out);
  put_peak(show, most, out);
}

void simulated_put_line(const ShowSimulated *show, StrBuf *out) {
  const Simulated *s = show->simulated;
  char a[BUF], b[BUF], c[BUF], d[BUF];
  strbuf_printf(out, "predicted on ");
  simulated_put_machine(show->machine, out);
  strbuf_printf(out,
                ": %s per step%s, of which %s wait for collectives; %s of memory at the peak, %s "
                "usable",
                simulated_seconds(s->seconds, a, BUF), s->guess ? " (guess)" : "",
                simulated_seconds(s->exposed_seconds, b, BUF),
                simulated_bytes(s->peak_bytes, c, BUF), simulated_bytes(s->usable_bytes, d, BUF));
}

// ---- JSON ----

static void op_json(const ShowSimulated *show, OpId op, Json *json) {
  OpWords words = words_op(show->words, op);
  op_words_json(show->program->context, &words, json);
}

static void live_json(const ShowSimulated *show, const SimulatedLive *l, Json *json) {
  const Program *p = show->program;
  Name name = words_value(show->words, l->value);
  json_open(json, '{');
  json_key(json, "value");
  if (name)
    json_str(json, name_str(p->context, name));
  else
    json_null(json);
  json_key(json, "kind"), json_string(json, kinds[l->kind]);
  json_key(json, "bytes"), json_double(json, l->bytes);
  json_key(json, "type"), json_string(json, type_text(p->context, value_type(p, l->value)));
  json_key(json, "op");
  if (value_def(p, l->value))
    op_json(show, value_def(p, l->value), json);
  else
    json_null(json);
  json_close(json, '}');
}

static void rows_json(const Simulated *s, Json *json) {
  json_key(json, "collectives"), json_open(json, '[');
  for (uint32_t i = 0; i < s->n_rows; i++) {
    const SimulatedRow *r = &s->rows[i];
    json_open(json, '{');
    json_key(json, "kind"), json_string(json, traffic_kind(r->code));
    if (r->axes[0]) json_key(json, "axes"), json_string(json, r->axes);
    json_key(json, "count"), json_uint(json, r->count);
    json_key(json, "runs"), json_double(json, r->runs);
    json_key(json, "bytes"), json_double(json, r->bytes);
    json_key(json, "seconds"), json_double(json, r->seconds);
    json_key(json, "exposed_seconds"), json_double(json, r->exposed);
    json_key(json, "guess"), json_bool(json, r->guess);
    json_close(json, '}');
  }
  json_close(json, ']');
}

static void machine_json(const Machine *m, Json *json) {
  json_key(json, "machine"), json_open(json, '{');
  json_key(json, "name"), json_string(json, m->name);
  json_key(json, "shape"), json_open(json, '[');
  for (uint32_t i = 0; i < m->n_shape; i++) json_uint(json, m->shape[i]);
  json_close(json, ']');
  json_close(json, '}');
}

enum { MOST_VALUES = 64 };

void simulated_json(const ShowSimulated *show, Json *json) {
  const Simulated *s = show->simulated;
  const SimulatedBlock *b = s->block;
  double model = simulated_model_utilization(show);
  machine_json(show->machine, json);
  json_key(json, "devices"), json_uint(json, s->n_devices);
  json_key(json, "seconds"), json_double(json, s->seconds);
  json_key(json, "compute_seconds"), json_double(json, s->compute_seconds);
  json_key(json, "exposed_seconds"), json_double(json, s->exposed_seconds);
  json_key(json, "collective_seconds"), json_double(json, s->collective_seconds);
  json_key(json, "guess"), json_bool(json, s->guess);
  json_key(json, "unknown_loops"), json_uint(json, s->unknown_loops);
  json_key(json, "trip_count"), json_uint(json, s->trip_count);
  json_key(json, "bytes"), json_double(json, s->bytes);
  json_key(json, "flops"), json_double(json, s->flops);
  json_key(json, "utilization"), json_double(json, s->utilization);
  json_key(json, "model_utilization");
  if (model >= 0)
    json_double(json, model);
  else
    json_null(json);
  rows_json(s, json);
  json_key(json, "peak_bytes"), json_double(json, s->peak_bytes);
  json_key(json, "usable_bytes"), json_double(json, s->usable_bytes);
  json_key(json, "fits"), json_bool(json, s->peak_bytes <= s->usable_bytes);
  json_key(json, "argument_bytes"), json_double(json, s->argument_bytes);
  json_key(json, "result_bytes"), json_double(json, s->result_bytes);
  json_key(json, "undonated_bytes"), json_double(json, s->undonated_bytes);
  json_key(json, "peak_op");
  if (b && b->n)
    op_json(show, b->ops[b->peak_at], json);
  else
    json_null(json);
  json_key(json, "peak_values"), json_open(json, '[');
  for (uint32_t i = 0; b && i < b->n_live && i < MOST_VALUES; i++)
    live_json(show, &b->live[i], json);
  json_close(json, ']');
}

// ---- trace ----

typedef struct Tracer {
  const ShowSimulated *show;
  Json *json;
} Tracer;

static void event_head(Json *json, const char *phase, const char *name, uint32_t row,
                       double seconds) {
  json_break(json, 1);
  json_open(json, '{');
  json_key(json, "ph"), json_string(json, phase);
  json_key(json, "name"), json_string(json, name);
  json_key(json, "pid"), json_uint(json, 0);
  json_key(json, "tid"), json_uint(json, row);
  json_key(json, "ts"), json_double(json, seconds * 1e6);
}

static void span(Tracer *t, const char *name, uint32_t row, double start, double seconds,
                 bool critical, double exposed, OpId op) {
  event_head(t->json, "X", name, row, start);
  json_key(t->json, "dur"), json_double(t->json, seconds * 1e6);
  json_key(t->json, "cat"), json_string(t->json, critical ? "critical" : "other");
  json_key(t->json, "args"), json_open(t->json, '{');
  if (exposed > 0) json_key(t->json, "exposed_us"), json_double(t->json, exposed * 1e6);
  if (op) json_key(t->json, "op"), op_json(t->show, op, t->json);
  json_close(t->json, '}');
  json_close(t->json, '}');
}

static void trace_block(Tracer *t, const SimulatedBlock *b, double from, bool memory) {
  const Program *p = t->show->program;
  for (uint32_t i = 0; i < b->n; i++) {
    double start = from + b->times.start[i], seconds = b->tasks[i].seconds;
    if (memory && seconds > 0) {
      event_head(t->json, "C", "memory", 0, start);
      json_key(t->json, "args"), json_open(t->json, '{');
      json_key(t->json, "bytes"), json_double(t->json, b->curve[i]);
      json_close(t->json, '}');
      json_close(t->json, '}');
    }
    if (seconds <= 0) continue;
    OpId op = b->ops[i];
    if (b->body[i]) {
      double once = b->body[i]->times.seconds;
      trace_block(t, b->body[i], start, false);
      char name[96];
      snprintf(name, sizeof name, "%s: %.0f more iterations", op_name(p, op), b->trips[i] - 1);
      if (b->trips[i] > 1) span(t, name, 0, start + once, seconds - once, b->critical[i], 0, op);
      continue;
    }
    for (uint32_t k = 0; k < STREAM_MOST; k++)
      if (b->tasks[i].streams >> k & 1)
        span(t, traffic_kind(op_at(p, op)->code), k, start, seconds, b->critical[i],
             b->times.exposed[i], op);
  }
}

void simulated_trace(const ShowSimulated *show, Json *json) {
  Tracer t = {show, json};
  const SimulatedBlock *b = show->simulated->block;
  json_open(json, '{');
  json_key(json, "displayTimeUnit"), json_string(json, "ms");
  json_key(json, "traceEvents"), json_open(json, '[');
  for (uint32_t k = 0; k < STREAM_MOST && b; k++) {
    if (k && !(b->streams >> k & 1)) continue;
    char name[48];
    snprintf(name, sizeof name, k ? "links, level %u" : "compute", k);
    event_head(json, "M", "thread_name", k, 0);
    json_key(json, "args"), json_open(json, '{');
    json_key(json, "name"), json_string(json, name);
    json_close(json, '}');
    json_close(json, '}');
  }
  if (b) trace_block(&t, b, 0, true);
  json_close(json, ']');
  json_close(json, '}');
  json_newline(json);
}
