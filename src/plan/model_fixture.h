// Builds the planning problem of a small program and obeys choices of it, for tests of src/plan.
// Texts are in the short forms of tests/support/short_text.h.
//
//   Modelled m = {.text = "func.func @main …", .mesh = "x=2,y=2", .check = check};
//   modelled_run(&m);      // check(&m) sees m.model
//
// modelled_try partitions the program as a choice says, simulates it and compares its values with
// the unsharded program's.
#ifndef TESSERA_PLAN_MODEL_FIXTURE_H
#define TESSERA_PLAN_MODEL_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "graph/graph.h"
#include "ops/functions.h"
#include "pipeline/compile.h"
#include "plan/decisions.h"
#include "plan/model.h"
#include "../tests/support/short_text.h"

typedef struct Modelled {
  const char *text, *mesh;
  const char *machine;  // text; NULL: h100
  const char *rules;    // as --shard has them; NULL: none
  uint32_t level;
  bool untied, plain;     // plain: the text is not in short form
  const uint32_t *state;  // ModelOptions
  void (*check)(struct Modelled *m);
  void *user;
  // For `check`.
  Guard *guard;
  Session session;
  Model model;
  bool has_model;
  char long_text[16384], long_rules[1024];
  Source source, rule_source;
  PropagateRequest annotations;
} Modelled;

// Annotations as requirements; as pipeline/plan.c reads them.
static inline void modelled_require(Modelled *m, OpId entry, ModelOptions *options) {
  Session *s = &m->session;
  const Graph *g = propagation_graph(s->propagation);
  Sharding *fixed = ARENA_ARRAY(&s->arena, Sharding, s->program->values.count + 1);
  for (ValueId v = 0; v <= s->program->values.count; v++) fixed[v] = PLAN_FREE;
  uint32_t n = function_n_results(s->program, entry);
  Sharding *results = ARENA_ARRAY(&s->arena, Sharding, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    PlaceId place = graph_result_place(g, graph_instance_of(g, entry), i);
    const Given *given = propagation_given(s->propagation, place);
    results[i] = given && given->sharding ? given->sharding : PLAN_FREE;
  }
  for (PlaceId place = 1; place < g->n_places; place++) {
    const Given *given = propagation_given(s->propagation, place);
    if (given && given->sharding && g->places[place].value)
      fixed[g->places[place].value] = given->sharding;
  }
  options->fixed = fixed;
  options->fixed_results = results;
}

static inline Status *modelled_body(Guard *guard, void *arg) {
  Modelled *m = arg;
  Session *s = &m->session;
  m->guard = guard;
  session_init(s, guard, &m->source, NULL);
  CompileRequest request = {
      .end = m->source.size, .annotations = m->annotations, .stop_after = STAGE_ANNOTATE};
  Compiled compiled;
  TRY(compile(s, &request, &compiled));
  TRY(session_read_machine(s, m->annotations.machine));
  Entries entries = program_entries(s->program, &s->arena);
  ModelOptions options = {.machine = s->machine,
                          .n_devices = sharding_mesh(s->table, s->mesh)->n_devices,
                          .level = m->level ? m->level : 1,
                          .state = m->state,
                          .untied = m->untied};
  modelled_require(m, entries.v[0], &options);
  m->has_model = true;
  TRY(model_build(&m->model, s->program, s->table, s->mesh, &options, guard, &s->diag));
  m->check(m);
  return NULL;
}

static inline void modelled_run(Modelled *m) {
  m->source = (Source){.path = "test.mlir", .text = m->plain ? m->text : m->long_text};
  m->source.size =
      m->plain ? strlen(m->text) : short_text(m->text, NULL, m->long_text, sizeof m->long_text);
  m->annotations = (PropagateRequest){.meshes = &m->mesh, .n_meshes = m->mesh ? 1 : 0};
  m->annotations.machine = m->machine ? m->machine : machine_text("h100");
  if (m->rules) {
    size_t n = short_text(m->rules, NULL, m->long_rules, sizeof m->long_rules);
    m->rule_source = (Source){.path = "rules", .text = m->long_rules, .size = n};
    m->annotations.rules = &m->rule_source;
    m->annotations.n_rules = 1;
  }
  Status *status = guard_run(modelled_body, m);
  if (status) fail_msg("%s", status_message(status));
  if (m->has_model) model_release(&m->model);
  session_deinit(&m->session);
}

// One plan, obeyed.
typedef struct Tried {
  double seconds, peak_bytes;
  bool agrees, finite;  // finite: all values of the unsharded program are
  const char *refused;  // NULL: it was obeyed
  StatusCode code;      // else
  // Scratch.
  const Modelled *m;
  const uint32_t *choice;
  bool verify;
  StrBuf json;
  Session session;
  char why[512];
} Tried;

static inline Status *tried_body(Guard *guard, void *arg) {
  Tried *t = arg;
  strbuf_init(&t->json, guard);
  Json json = {.out = &t->json};
  json_open(&json, '{');
  plan_decisions(&t->m->model, t->choice, NULL, &json);
  json_close(&json, '}');
  session_init(&t->session, guard, &t->m->source, NULL);
  VerifyOptions verify = {.seed = 5};
  CompileRequest request = {.end = t->m->source.size,
                            .annotations = t->m->annotations,
                            .local.decisions = {t->json.data, t->json.used},
                            .simulate = true,
                            .verify = t->verify ? &verify : NULL};
  Compiled compiled;
  TRY(compile(&t->session, &request, &compiled));
  t->seconds = compiled.prediction.simulated->seconds;
  t->peak_bytes = compiled.prediction.simulated->peak_bytes;
  t->agrees = !t->verify || compiled.verified.agree;
  t->finite = compiled.verified.not_finite == 0;
  if (!t->agrees) snprintf(t->why, sizeof t->why, "%s", compiled.verified.where);
  return NULL;
}

// Partitions as `choice` says. verify: also evaluates both programs.
static inline void modelled_try(const Modelled *m, const uint32_t *choice, bool verify,
                                Tried *out) {
  *out = (Tried){.m = m, .choice = choice, .verify = verify};
  Status *status = guard_run(tried_body, out);
  if (status) {
    snprintf(out->why, sizeof out->why, "%s", status_message(status));
    out->refused = out->why;
    out->code = status_code(status);
  }
  status_free(status);
  session_deinit(&out->session);
  strbuf_deinit(&out->json);
}

// The variable of the n-th op with this name.
static inline uint32_t modelled_var(const Modelled *m, const char *name, uint32_t n) {
  for (uint32_t i = 0; i < m->model.vars.count; i++) {
    const ModelVar *v = &m->model.vars.items[i];
    if (v->kind == VAR_OP && strcmp(op_name(m->model.p, v->op), name) == 0 && !n--) return i;
  }
  fail_msg("no %s", name);
  return 0;
}

static inline const StrategySet *modelled_set(const Modelled *m, uint32_t var) {
  return &m->model.strategies.sets.items[m->model.vars.items[var].set];
}

static inline Sharding modelled_in(const Modelled *m, uint32_t var, uint32_t operand, uint32_t k) {
  return strategies_list(&m->model.strategies, modelled_set(m, var)->in[operand]).v[k];
}

static inline Sharding modelled_out(const Modelled *m, uint32_t var, uint32_t result, uint32_t k) {
  return strategies_list(&m->model.strategies, modelled_set(m, var)->out[result]).v[k];
}

#endif
