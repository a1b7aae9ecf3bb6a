// A plan as text and as JSON.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "pipeline/plan_private.h"
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

// ---- state ----

typedef struct StateCount {
  uint32_t n, undonated;
  double undonated_bytes;
} StateCount;

static StateCount count_state(const Plan *plan) {
  StateCount c = {0};
  for (uint32_t i = 0; i < plan->n_arguments; i++) {
    const PlannedValue *v = &plan->arguments[i];
    if (!v->state) continue;
    c.n++;
    if (v->donated) continue;
    c.undonated++;
    c.undonated_bytes += v->local_bytes;
  }
  return c;
}

enum { MOST_PAIRS = 2 };  // that are printed

static void put_state(const Plan *plan, StrBuf *out) {
  StateCount c = count_state(plan);
  char a[32];
  if (!c.n) return;
  strbuf_printf(out, "state   %u argument%s replaced by results: ", c.n,
                c.n == 1 ? " is" : "s are");
  uint32_t shown = 0;
  for (uint32_t i = 0; i < plan->n_arguments && shown < MOST_PAIRS; i++) {
    const PlannedValue *v = &plan->arguments[i];
    if (v->state)
      strbuf_printf(out, "%s%s by %s", shown++ ? ", " : "", v->name,
                    plan->results[v->state - 1].name);
  }
  strbuf_puts(out, c.n > shown ? ", … (--json lists all; --state changes them)\n"
                               : " (--state changes it)\n");
  if (c.undonated)
    strbuf_printf(out,
                  "        %u of them not donated: their new values need buffers of their own; "
                  "donate_argnums would save %s per device\n",
                  c.undonated, simulated_bytes(c.undonated_bytes, a, sizeof a));
}

// ---- annotations ----

enum { MOST_RULES = 24 };

static void put_short(const Plan *plan, StrBuf *out) {
  const ShortList *list = &plan->short_list;
  char a[32];
  if (plan->layout) strbuf_printf(out, "layout  --layout '%s'\n", plan->layout);
  if (!list->computed) {
    if (plan->too_large)
      strbuf_puts(out,
                  "annotations  no short list, because the program is large (-O2 finds one)\n");
    return;
  }
  strbuf_printf(out, "annotations  %u rule%s of --shard ", list->n, list->n == 1 ? "" : "s");
  if (!list->reproduces)
    strbuf_puts(out, "do not give all arguments and results their shardings: use the plan itself");
  else if (list->seconds <= 0)
    strbuf_puts(out, "give the arguments and results, but not the step: use the plan itself");
  else
    strbuf_printf(out, "alone give%s %s per step (%+.1f %%)%s", list->n == 1 ? "s" : "",
                  simulated_seconds(list->seconds, a, sizeof a),
                  100 * (list->seconds / plan->best.seconds - 1),
                  list->peak_bytes > plan->usable_bytes ? ", which does not fit" : "");
  strbuf_putc(out, '\n');
  for (uint32_t i = 0; i < list->n && i < MOST_RULES; i++)
    strbuf_printf(out, "  %s\n", list->rules[i]);
  if (list->n > MOST_RULES) strbuf_printf(out, "  and %u more (--json)\n", list->n - MOST_RULES);
}

static void put_strategy(const Plan *plan, StrBuf *out) {
  if (!plan->strategy || (plan->n_tactics && plan->best.cost_seconds <= 0)) return;
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
  const char *mesh = t->mesh ? t->mesh : plan->mesh;
  strbuf_printf(out, "mesh %s on %s\n", mesh ? mesh : "of the program", machine);
  strbuf_printf(out, "step    %s predicted: %s of compute, %s of waiting for collectives\n",
                simulated_seconds(t->seconds, a, sizeof a),
                simulated_seconds(plan->compute_seconds, b, sizeof b),
                simulated_seconds(plan->exposed_seconds, c, sizeof c));
  strbuf_printf(out, "memory  %s of %s per device\n", simulated_bytes(t->peak_bytes, a, sizeof a),
                simulated_bytes(plan->usable_bytes, b, sizeof b));
  if (t->cost_seconds > 0 || !plan->n_tactics)  // tactics alone have no bound
    strbuf_printf(out, "bound   %s of %s without overlap: at most %.2f %% above the optimum\n",
                  simulated_seconds(t->bound_seconds, a, sizeof a),
                  simulated_seconds(t->cost_seconds, b, sizeof b), gap_percent(t));
  if (t->overlap_bound_seconds > 0)
    strbuf_printf(out, "        %s with overlap, at the same prices: the step is %.1f %% %s it\n",
                  simulated_seconds(t->overlap_bound_seconds, a, sizeof a),
                  fabs(100 * (t->seconds / t->overlap_bound_seconds - 1)),
                  t->seconds < t->overlap_bound_seconds ? "below" : "above");
  strbuf_printf(
      out, "search  %s: %s model, %s solver, %s partition and simulate; %u variables, %u tied\n",
      simulated_seconds(plan->model_seconds + plan->solve_seconds + plan->check_seconds, d,
                        sizeof d),
      simulated_seconds(plan->model_seconds, a, sizeof a),
      simulated_seconds(plan->solve_seconds, b, sizeof b),
      simulated_seconds(plan->check_seconds, c, sizeof c), plan->n_vars, plan->n_tied);
  if (plan->n_layers) {
    strbuf_printf(out, "        %u equal layers are planned as one and %u simulated",
                  plan->n_layers, plan->n_simulated_layers);
    strbuf_puts(out, plan->n_simulated_layers < plan->n_layers
                         ? "; the step and its memory are extrapolated\n"
                         : "\n");
  }
  if (plan->hurried)
    strbuf_puts(out, "        with a time limit: another run can give another plan\n");
  plan_put_from(plan, out);
  put_state(plan, out);
  plan_put_tactics(plan, out);
  put_trials(plan, out);
  put_strategy(plan, out);
  if (plan->limit) strbuf_printf(out, "limit   %s\n", plan->limit);
  put_short(plan, out);
  put_rows(plan, out);
  plan_put_answers(plan, out);
}
