// A plan as JSON (docs/plan.md): version 2.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "pipeline/plan_private.h"
#include "report/show_simulated.h"

static double gap(const PlanTrial *t) {
  return t->cost_seconds > 0 ? (t->cost_seconds - t->bound_seconds) / t->cost_seconds : 0;
}

// ---- meshes and stages ----

// "x=4,y=2" or "name:x=4,y=2" as {"axes": [{"name": "x", "size": 4}, …]}.
static void write_mesh(const char *text, Json *json) {
  json_open(json, '{');
  const char *colon = strchr(text, ':');
  if (colon) {
    json_key(json, "name"), json_str(json, (Str){text, (size_t)(colon - text)});
    text = colon + 1;
  }
  json_key(json, "axes"), json_open(json, '[');
  while (*text) {
    size_t name = strcspn(text, "=,"), all = strcspn(text, ",");
    json_open(json, '{');
    json_key(json, "name"), json_str(json, (Str){text, name});
    json_key(json, "size");
    json_uint(json, name < all ? strtoull(text + name + 1, NULL, 10) : 1);
    json_close(json, '}');
    text += all + (text[all] == ',');
  }
  json_close(json, ']');
  json_close(json, '}');
}

// One mesh, one stage, one microbatch, until pipelines are planned.
static void write_stages(const Plan *plan, Json *json) {
  const char *mesh = plan->best.mesh ? plan->best.mesh : plan->mesh;
  json_break(json, 1);
  json_key(json, "meshes"), json_open(json, '[');
  if (mesh) write_mesh(mesh, json);
  json_close(json, ']');
  json_key(json, "stages"), json_open(json, '[');
  json_open(json, '{');
  json_key(json, "mesh"), json_int(json, 0);
  json_close(json, '}');
  json_close(json, ']');
  json_key(json, "microbatches"), json_int(json, 1);
  json_key(json, "schedule"), json_open(json, '[');
  json_open(json, '{');
  json_key(json, "stage"), json_int(json, 0);
  json_key(json, "microbatch"), json_int(json, 0);
  json_close(json, '}');
  json_close(json, ']');
}

// ---- values ----

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
    if (values[i].state) {
      json_key(json, "new_value"), json_uint(json, values[i].state - 1);
      json_key(json, "donated"), json_bool(json, values[i].donated);
    }
    json_close(json, '}');
  }
  json_close(json, ']');
}

static void write_inside(const Plan *plan, Json *json) {
  json_break(json, 1);
  json_key(json, "values"), json_open(json, '[');
  for (uint32_t i = 0; i < plan->n_inside; i++) {
    const PlannedInside *v = &plan->inside[i];
    json_break(json, 2);
    json_open(json, '{');
    json_key(json, "name"), json_string(json, v->name);
    json_key(json, "op"), json_string(json, v->op);
    if (v->line) json_key(json, "line"), json_uint(json, v->line);
    json_key(json, "sharding"), json_string(json, v->sharding);
    json_close(json, '}');
  }
  json_close(json, ']');
}

// ---- other plans ----

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

void plan_put_why_lost(const Plan *plan, const PlanTrial *t, StrBuf *out) {
  char a[32];
  if (t->refused)
    strbuf_puts(out, t->refused);
  else if (t->discarded)
    strbuf_printf(out, "its bound is %s: no plan on it is faster",
                  simulated_seconds(t->overlap_bound_seconds, a, sizeof a));
  else if (t->peak_bytes > plan->usable_bytes)
    strbuf_printf(out, "needs %s more memory per device than there is",
                  simulated_bytes(t->peak_bytes - plan->usable_bytes, a, sizeof a));
  else if (t->seconds > plan->best.seconds)
    strbuf_printf(out, "%.1f %% slower", 100 * (t->seconds / plan->best.seconds - 1));
  else
    strbuf_puts(out, "equally fast, and found later");
}

bool plan_is_winner(const Plan *plan, const PlanTrial *t) {
  return !t->refused && t->seconds == plan->best.seconds &&
         (t->mesh == plan->best.mesh ||
          (t->mesh && plan->best.mesh && strcmp(t->mesh, plan->best.mesh) == 0));
}

static void write_runners_up(const Plan *plan, Json *json) {
  StrBuf why;
  strbuf_init(&why, json->out->guard);
  GuardCleanup cleanup = {plan_release_text, &why, NULL};
  guard_push(json->out->guard, &cleanup);
  json_break(json, 1);
  json_key(json, "runners_up"), json_open(json, '[');
  for (uint32_t i = 0; i < plan->n_trials; i++) {
    const PlanTrial *t = &plan->trials[i];
    if (plan_is_winner(plan, t)) continue;
    json_break(json, 2);
    json_open(json, '{');
    write_trial(t, json);
    if (t->strategy) json_key(json, "strategy"), json_string(json, t->strategy);
    why.used = 0;
    plan_put_why_lost(plan, t, &why);
    json_key(json, "why"), json_str(json, (Str){why.data, why.used});
    json_close(json, '}');
  }
  json_close(json, ']');
  guard_pop(json->out->guard, &cleanup);
  strbuf_deinit(&why);
}

// ---- annotations ----

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

static void write_short(const Plan *plan, Json *json) {
  const ShortList *list = &plan->short_list;
  if (plan->layout) json_key(json, "layout"), json_string(json, plan->layout);
  if (!list->computed) return;
  json_break(json, 1);
  json_key(json, "short_list"), json_open(json, '{');
  json_key(json, "reproduces"), json_bool(json, list->reproduces);
  json_key(json, "seconds"), json_double(json, list->seconds);
  json_key(json, "peak_bytes"), json_double(json, list->peak_bytes);
  json_key(json, "rules"), json_open(json, '[');
  for (uint32_t i = 0; i < list->n; i++) {
    json_break(json, 2);
    json_string(json, list->rules[i]);
  }
  json_close(json, ']');
  json_close(json, '}');
}

// ---- search ----

static void write_search(const Plan *plan, Json *json) {
  json_break(json, 1);
  json_key(json, "search"), json_open(json, '[');
  for (uint32_t i = 0; i < plan->n_search; i++) {
    const PlanSample *s = &plan->search[i];
    json_open(json, '{');
    json_key(json, "work"), json_double(json, s->work);
    if (isfinite(s->cost)) json_key(json, "cost"), json_double(json, s->cost);
    if (isfinite(s->bound)) json_key(json, "bound"), json_double(json, s->bound);
    json_close(json, '}');
  }
  json_close(json, ']');
}

void plan_json(const Plan *plan, const char *machine, StrBuf *out) {
  Json json = {.out = out};
  json_open(&json, '{');
  json_key(&json, "plan_version"), json_int(&json, PLAN_VERSION);
  strbuf_printf(out, ",\"program\":\"%016" PRIx64 "\"", plan->program);
  json_key(&json, "machine"), json_string(&json, machine);
  json_break(&json, 1);
  write_trial(&plan->best, &json);
  json_key(&json, "gap"), json_double(&json, gap(&plan->best));
  json_key(&json, "compute_seconds"), json_double(&json, plan->compute_seconds);
  json_key(&json, "exposed_seconds"), json_double(&json, plan->exposed_seconds);
  json_key(&json, "utilization"), json_double(&json, plan->utilization);
  json_key(&json, "usable_bytes"), json_double(&json, plan->usable_bytes);
  json_key(&json, "sent_bytes"), json_double(&json, plan->bytes);
  if (plan->strategy) json_key(&json, "strategy"), json_string(&json, plan->strategy);
  if (plan->limit) json_key(&json, "limit"), json_string(&json, plan->limit);
  if (plan->n_refused) json_key(&json, "refused_solutions"), json_uint(&json, plan->n_refused);
  if (plan->n_layers) {
    json_key(&json, "layers"), json_uint(&json, plan->n_layers);
    json_key(&json, "layers_extrapolated");
    json_uint(&json, plan->n_layers - plan->n_simulated_layers);
  }
  json_key(&json, "reproducible"), json_bool(&json, !plan->hurried);
  json_key(&json, "planner_seconds");
  json_double(&json, plan->model_seconds + plan->solve_seconds + plan->check_seconds);
  write_stages(plan, &json);
  write_runners_up(plan, &json);
  write_search(plan, &json);
  plan_json_tactics(plan, &json);
  write_values(plan->arguments, plan->n_arguments, "arguments", &json);
  write_values(plan->results, plan->n_results, "results", &json);
  write_short(plan, &json);
  write_annotations(plan, &json);
  plan_json_from(plan, &json);
  plan_json_answers(plan, &json);
  write_inside(plan, &json);
  plan_json_from(plan, &json);
  plan_json_answers(plan, &json);
  json_break(&json, 1);
  json_key(&json, "decisions"), json_raw(&json, str_of(plan->decisions ? plan->decisions : "null"));
  json_close(&json, '}');
  json_newline(&json);
}
