// A plan as text and as JSON.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "pipeline/plan.h"
#include "report/show_simulated.h"

// ---- text ----

static double gap_percent(const PlanTrial *t) {
  return t->cost_seconds > 0 ? 100 * (t->cost_seconds - t->bound_seconds) / t->cost_seconds : 0;
}

// Arguments with one sharding, in a row.
typedef struct Row {
  const char *sharding, *type, *first;
  uint32_t count;
  double bytes, local_bytes;
} Row;

static int by_bytes(const void *a, const void *b) {
  const Row *x = a, *y = b;
  if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
  return strcmp(x->first, y->first);
}

enum { MOST_ROWS = 24 };

static void put_rows(const Plan *plan, StrBuf *out) {
  Arena arena;
  arena_init(&arena, out->guard);
  Row *rows = ARENA_ARRAY(&arena, Row, plan->n_arguments + 1);
  uint32_t n = 0;
  for (uint32_t i = 0; i < plan->n_arguments; i++) {
    const PlannedValue *v = &plan->arguments[i];
    uint32_t k = 0;
    while (k < n && (strcmp(rows[k].sharding, v->sharding) || strcmp(rows[k].type, v->type))) k++;
    if (k == n) rows[n++] = (Row){v->sharding, v->type, v->name, 0, 0, 0};
    rows[k].count++;
    rows[k].bytes += v->bytes;
    rows[k].local_bytes += v->local_bytes;
  }
  qsort(rows, n, sizeof *rows, by_bytes);
  char all[32], local[32];
  const char **names = ARENA_ARRAY(&arena, const char *, n + 1);
  size_t width = strlen("arguments");
  for (uint32_t i = 0; i < n && i < MOST_ROWS; i++) {
    names[i] = rows[i].count > 1
                   ? arena_printf(&arena, "%s and %u more", rows[i].first, rows[i].count - 1)
                   : rows[i].first;
    if (strlen(names[i]) > width) width = strlen(names[i]);
  }
  strbuf_printf(out, "%-*s        all  per device  sharding\n", (int)width + 2, "arguments");
  for (uint32_t i = 0; i < n && i < MOST_ROWS; i++)
    strbuf_printf(out, "  %-*s %10s  %10s  %s of %s\n", (int)width, names[i],
                  simulated_bytes(rows[i].bytes, all, sizeof all),
                  simulated_bytes(rows[i].local_bytes, local, sizeof local), rows[i].sharding,
                  rows[i].type);
  if (n > MOST_ROWS) strbuf_printf(out, "  and %u more rows (--json)\n", n - MOST_ROWS);
  arena_deinit(&arena);
}

static void put_trials(const Plan *plan, StrBuf *out) {
  char seconds[32], bytes[32];
  if (plan->n_trials < 2) return;
  strbuf_puts(out, "meshes tried\n");
  for (uint32_t i = 0; i < plan->n_trials; i++) {
    const PlanTrial *t = &plan->trials[i];
    if (t->refused)
      strbuf_printf(out, "  %-20s %s", t->mesh, t->refused);
    else
      strbuf_printf(out, "  %-20s %10s per step, %s of memory%s", t->mesh,
                    simulated_seconds(t->seconds, seconds, sizeof seconds),
                    simulated_bytes(t->peak_bytes, bytes, sizeof bytes),
                    t->peak_bytes > plan->usable_bytes ? " (does not fit)" : "");
    strbuf_printf(out, "%s%s\n", t->links ? " · " : "", t->links ? t->links : "");
  }
}

static void put_strategy(const Plan *plan, StrBuf *out) {
  if (!plan->strategy) return;
  strbuf_puts(out, "strategy\n  ");
  for (const char *c = plan->strategy; *c; c++) {
    strbuf_putc(out, *c);
    if (*c == '\n') strbuf_puts(out, "  ");
  }
  strbuf_putc(out, '\n');
}

void plan_put(const Plan *plan, const char *machine, StrBuf *out) {
  char a[32], b[32], c[32], d[32];
  const PlanTrial *t = &plan->best;
  strbuf_printf(out, "mesh %s on %s\n", t->mesh ? t->mesh : "of the program", machine);
  strbuf_printf(out, "step    %s predicted: %s of compute, %s of waiting for collectives\n",
                simulated_seconds(t->seconds, a, sizeof a),
                simulated_seconds(plan->compute_seconds, b, sizeof b),
                simulated_seconds(plan->exposed_seconds, c, sizeof c));
  strbuf_printf(out, "memory  %s of %s per device\n", simulated_bytes(t->peak_bytes, a, sizeof a),
                simulated_bytes(plan->usable_bytes, b, sizeof b));
  strbuf_printf(out, "bound   %s of %s without overlap: at most %.2f %% above the optimum\n",
                simulated_seconds(t->bound_seconds, a, sizeof a),
                simulated_seconds(t->cost_seconds, b, sizeof b), gap_percent(t));
  if (t->overlap_bound_seconds > 0)
    strbuf_printf(out, "        %s with overlap: the step is at most %.1f %% above it\n",
                  simulated_seconds(t->overlap_bound_seconds, a, sizeof a),
                  100 * fmax(0, t->seconds / t->overlap_bound_seconds - 1));
  strbuf_printf(
      out, "search  %s: %s model, %s solver, %s partition and simulate; %u variables, %u tied\n",
      simulated_seconds(plan->model_seconds + plan->solve_seconds + plan->check_seconds, d,
                        sizeof d),
      simulated_seconds(plan->model_seconds, a, sizeof a),
      simulated_seconds(plan->solve_seconds, b, sizeof b),
      simulated_seconds(plan->check_seconds, c, sizeof c), plan->n_vars, plan->n_tied);
  if (plan->hurried)
    strbuf_puts(out, "        with a time limit: another run can give another plan\n");
  put_trials(plan, out);
  put_strategy(plan, out);
  put_rows(plan, out);
}

// ---- JSON ----

static void write_values(const PlannedValue *values, uint32_t n, const char *key, Json *json) {
  json_break(json, 1);
  json_key(json, key), json_open(json, '[');
  for (uint32_t i = 0; i < n; i++) {
    json_break(json, 2);
    json_open(json, '{');
    json_key(json, "name"), json_string(json, values[i].name);
    json_key(json, "type"), json_string(json, values[i].type);
    json_key(json, "sharding"), json_string(json, values[i].sharding);
    json_key(json, "bytes"), json_double(json, values[i].bytes);
    json_key(json, "local_bytes"), json_double(json, values[i].local_bytes);
    if (values[i].state) json_key(json, "new_value"), json_uint(json, values[i].state - 1);
    json_close(json, '}');
  }
  json_close(json, ']');
}

static void write_trial(const PlanTrial *t, Json *json) {
  if (t->mesh) json_key(json, "mesh"), json_string(json, t->mesh);
  if (t->refused) json_key(json, "refused"), json_string(json, t->refused);
  json_key(json, "seconds"), json_double(json, t->seconds);
  json_key(json, "peak_bytes"), json_double(json, t->peak_bytes);
  json_key(json, "problem_peak_bytes"), json_double(json, t->problem_peak_bytes);
  json_key(json, "cost_seconds"), json_double(json, t->cost_seconds);
  json_key(json, "bound_seconds"), json_double(json, t->bound_seconds);
  json_key(json, "overlap_bound_seconds"), json_double(json, t->overlap_bound_seconds);
  if (t->links) json_key(json, "links"), json_string(json, t->links);
  if (t->discarded) json_key(json, "discarded"), json_bool(json, true);
}

// One rule per line, and whether the decisions are about the program with these annotations.
static void write_annotations(const Plan *plan, Json *json) {
  json_break(json, 1);
  json_key(json, "annotated"), json_bool(json, plan->best.greedy);
  json_key(json, "annotations"), json_open(json, '[');
  for (const char *line = plan->annotations; line && *line;) {
    size_t n = strcspn(line, "\n");
    json_break(json, 2);
    json_str(json, (Str){line, n});
    line += n + (line[n] == '\n');
  }
  json_close(json, ']');
}

void plan_json(const Plan *plan, const char *machine, StrBuf *out) {
  Json json = {.out = out};
  json_open(&json, '{');
  json_key(&json, "plan_version"), json_int(&json, 1);
  strbuf_printf(out, ",\"program\":\"%016" PRIx64 "\"", plan->program);
  json_key(&json, "machine"), json_string(&json, machine);
  json_break(&json, 1);
  write_trial(&plan->best, &json);
  json_key(&json, "gap"), json_double(&json, gap_percent(&plan->best) / 100);
  json_key(&json, "compute_seconds"), json_double(&json, plan->compute_seconds);
  json_key(&json, "exposed_seconds"), json_double(&json, plan->exposed_seconds);
  json_key(&json, "utilization"), json_double(&json, plan->utilization);
  json_key(&json, "usable_bytes"), json_double(&json, plan->usable_bytes);
  json_key(&json, "sent_bytes"), json_double(&json, plan->bytes);
  if (plan->strategy) json_key(&json, "strategy"), json_string(&json, plan->strategy);
  if (plan->n_refused) json_key(&json, "refused_solutions"), json_uint(&json, plan->n_refused);
  json_key(&json, "reproducible"), json_bool(&json, !plan->hurried);
  json_key(&json, "planner_seconds");
  json_double(&json, plan->model_seconds + plan->solve_seconds + plan->check_seconds);
  json_break(&json, 1);
  json_key(&json, "stages"), json_int(&json, 1);
  json_key(&json, "microbatches"), json_int(&json, 1);
  json_break(&json, 1);
  json_key(&json, "runners_up"), json_open(&json, '[');
  for (uint32_t i = 0; i < plan->n_trials; i++) {
    json_break(&json, 2);
    json_open(&json, '{');
    write_trial(&plan->trials[i], &json);
    json_close(&json, '}');
  }
  json_close(&json, ']');
  write_values(plan->arguments, plan->n_arguments, "arguments", &json);
  write_values(plan->results, plan->n_results, "results", &json);
  write_annotations(plan, &json);
  json_break(&json, 1);
  json_key(&json, "decisions"), json_raw(&json, str_of(plan->decisions ? plan->decisions : "null"));
  json_close(&json, '}');
  json_newline(&json);
}
