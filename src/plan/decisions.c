// Every op that can be split gets its axes, also if it has none, so that the partitioner chooses
// nothing. Values at borders get their shardings: arguments, results, loop carries. Ops on partial
// sums name their operands' shardings, because these say which operands are partial. A decision is
// written once and copied for all ops that repeat the model's op.
#include "plan/decisions.h"

#include "ops/functions.h"
#include "sharding/sharding_json.h"

typedef struct Out {
  const Model *m;
  const uint32_t *choice;
  PlanTarget target;
  const uint32_t *numbers;  // of the target's ops
  // Ops of the target that get the decision of an op of the model: copies[first[op]] …
  uint32_t *first;
  OpId *copies;
  StrBuf *text;  // of one decision
  Json *json;
} Out;

// Sorts the target's ops by the model's op that they get their decision from.
static void list_copies(Out *o, Arena *arena) {
  uint32_t n = o->m->p->ops.count;
  const Program *p = o->target.program;
  o->first = ARENA_ARRAY(arena, uint32_t, n + 2);
  o->copies = ARENA_ARRAY(arena, OpId, p->ops.count + 1);
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root)) o->first[o->target.ops[op] + 1]++;
  for (uint32_t i = 1; i <= n + 1; i++) o->first[i] += o->first[i - 1];
  uint32_t *at = arena_copy(arena, o->first, (n + 2) * sizeof *at);
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root))
    o->copies[at[o->target.ops[op]]++] = op;
}

static void write_sharding(const Out *o, Sharding sharding, Json *json) {
  const Strategies *s = &o->m->strategies;
  sharding_json(o->m->p->context, s->table, sharding, 0, json);
}

static bool has_place(const Out *o, Type type) {
  const TypeInfo *info = type_info(o->m->p->context, type);
  return info->kind == TYPE_TENSOR && info->rank > 0;
}

// Writes {"op": number, …}, with the text of the other members.
static void write_entry(Out *o, OpId op) {
  json_break(o->json, 2);
  json_open(o->json, '{');
  json_key(o->json, "op"), json_uint(o->json, o->numbers[op]);
  strbuf_put(o->json->out, o->text->data, o->text->used);
  json_close(o->json, '}');
}

// The same for all ops of the target that repeat an op of the model.
static void write_entries(Out *o, OpId op) {
  for (uint32_t i = o->first[op]; i < o->first[op + 1]; i++) write_entry(o, o->copies[i]);
}

static Json begin_text(Out *o) {
  o->text->used = 0;
  return (Json){.out = o->text, .comma = true};
}

static void text_of_value(Out *o, bool argument, uint32_t index, uint32_t var) {
  Json json = begin_text(o);
  json_key(&json, argument ? "argument" : "result"), json_uint(&json, index);
  json_key(&json, "sharding");
  write_sharding(o, model_sharding(o->m, var, o->choice[var]), &json);
}

static void write_values(Out *o) {
  const Model *m = o->m;
  const PlanTarget *t = &o->target;
  json_key(o->json, "values"), json_open(o->json, '[');
  for (uint32_t i = 0; i < t->n_arguments; i++) {
    if (!has_place(o, function_argument_type(t->program, t->entry, i))) continue;
    text_of_value(o, true, i, m->argument_vars[t->arguments[i]]);
    write_entry(o, t->entry);
  }
  for (uint32_t i = 0; i < m->vars.count; i++) {
    const ModelVar *v = &m->vars.items[i];
    if (v->kind != VAR_BORDER || v->local || !has_place(o, value_type(m->p, v->value))) continue;
    text_of_value(o, value_at(m->p, v->value)->is_arg, v->index, i);
    write_entries(o, v->op);
  }
  for (uint32_t i = 0; i < t->n_results; i++) {
    if (!has_place(o, function_result_type(t->program, t->entry, i))) continue;
    text_of_value(o, false, i, m->result_vars[t->results[i]]);
    write_entry(o, t->entry);
  }
  json_close(o->json, ']');
}

static void write_op(Out *o, const ModelVar *v, uint32_t k) {
  const Model *m = o->m;
  const StrategySet *set = &m->strategies.sets.items[v->set];
  const OpStrategy *strategy = &set->items[k];
  const Mesh *mesh = sharding_mesh(m->strategies.table, m->strategies.mesh);
  Json json = begin_text(o);
  json_key(&json, "name"), json_string(&json, op_name(m->p, v->op));
  json_key(&json, "factors"), json_open(&json, '[');
  for (uint32_t f = 0; f < set->map.n_factors; f++) {
    json_open(&json, '{');
    json_key(&json, "axes"), axes_json(m->p->context, mesh, strategy->axes[f], &json);
    if (strategy->strides && f == strategy->stride_factor)
      json_key(&json, "strides"), factors_json(m->p->context, mesh, strategy->strides, 2, &json);
    json_close(&json, '}');
  }
  json_close(&json, ']');
  if (strategy->strided) json_key(&json, "strided"), json_bool(&json, true);
  if (strategy->partial) {
    json_key(&json, "partial"), json_bool(&json, true);
    json_key(&json, "operands"), json_open(&json, '[');
    for (uint32_t i = 0; i < set->map.n_operands; i++)
      write_sharding(o, strategies_list(&m->strategies, set->in[i]).v[k], &json);
    json_close(&json, ']');
  }
  write_entries(o, v->op);
}

// The model's program as a target: everything repeats itself.
static PlanTarget own_target(const Model *m, Arena *arena) {
  uint32_t n = m->p->ops.count;
  for (uint32_t k = 0; k < 2; k++)
    if ((k ? m->n_results : m->n_arguments) > n) n = k ? m->n_results : m->n_arguments;
  uint32_t *same = ARENA_ARRAY(arena, uint32_t, n + 1);
  for (uint32_t i = 0; i <= n; i++) same[i] = i;
  return (PlanTarget){m->p, m->entry, m->n_arguments, m->n_results, same, same, same};
}

static void release_text(void *text) { strbuf_deinit(text); }

void plan_decisions(const Model *m, const uint32_t *choice, const PlanTarget *target, Json *json) {
  uint32_t n;
  Arena *arena = (Arena *)&m->arena;
  StrBuf text;
  Out o = {.m = m,
           .choice = choice,
           .target = target ? *target : own_target(m, arena),
           .text = &text,
           .json = json};
  o.numbers = program_number_ops(o.target.program, arena, &n);
  list_copies(&o, arena);
  strbuf_init(&text, m->guard);
  GuardCleanup cleanup = {release_text, &text, NULL};
  guard_push(m->guard, &cleanup);
  json_break(json, 1), json_key(json, "version"), json_int(json, 1);
  json_key(json, "program_ops"), json_uint(json, n);
  json_break(json, 1), write_values(&o);
  json_break(json, 1), json_key(json, "ops"), json_open(json, '[');
  for (uint32_t i = 0; i < m->vars.count; i++)
    if (m->vars.items[i].kind == VAR_OP && m->vars.items[i].set)
      write_op(&o, &m->vars.items[i], choice[i]);
  json_close(json, ']');
  json_break(json, 1), json_key(json, "meshes"), json_open(json, '[');
  mesh_json(m->p->context, sharding_mesh(m->strategies.table, m->strategies.mesh), json);
  json_close(json, ']');
  guard_pop(m->guard, &cleanup);
  strbuf_deinit(&text);
}

void plan_decisions_thrifty(Json *json) {
  static const char *const passes[] = {"carry", "invariant", "share"};
  json_break(json, 1), json_key(json, "passes"), json_open(json, '[');
  for (uint32_t i = 0; i < sizeof passes / sizeof *passes; i++) {
    json_open(json, '{');
    json_key(json, "pass"), json_string(json, passes[i]);
    json_key(json, "taken"), json_bool(json, false);
    json_close(json, '}');
  }
  json_close(json, ']');
}
