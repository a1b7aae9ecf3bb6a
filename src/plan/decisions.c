// Every op that can be split gets its axes, also if it has none, so that the partitioner chooses
// nothing. Values at borders get their shardings: arguments, results, loop carries. Ops on partial
// sums name their operands' shardings, because these say which operands are partial.
#include "plan/decisions.h"

#include "ops/functions.h"
#include "sharding/sharding_json.h"

typedef struct Out {
  const Model *m;
  const uint32_t *choice;
  const uint32_t *numbers;
  Json *json;
} Out;

static void write_sharding(Out *o, Sharding sharding) {
  const Strategies *s = &o->m->strategies;
  sharding_json(o->m->p->context, s->table, sharding, 0, o->json);
}

static bool has_place(const Out *o, Type type) {
  const TypeInfo *info = type_info(o->m->p->context, type);
  return info->kind == TYPE_TENSOR && info->rank > 0;
}

static void open_value(Out *o, OpId op) {
  json_break(o->json, 2);
  json_open(o->json, '{');
  json_key(o->json, "op"), json_uint(o->json, o->numbers[op]);
}

static void close_value(Out *o, Sharding sharding) {
  json_key(o->json, "sharding"), write_sharding(o, sharding);
  json_close(o->json, '}');
}

static void write_values(Out *o) {
  const Model *m = o->m;
  json_key(o->json, "values"), json_open(o->json, '[');
  for (uint32_t i = 0; i < m->vars.count; i++) {
    const ModelVar *v = &m->vars.items[i];
    if ((v->kind != VAR_ARGUMENT && v->kind != VAR_BORDER) || v->local) continue;
    if (!has_place(o, value_type(m->p, v->value))) continue;
    bool argument = v->kind == VAR_ARGUMENT || value_at(m->p, v->value)->is_arg;
    open_value(o, argument && v->kind == VAR_ARGUMENT ? m->entry : v->op);
    json_key(o->json, argument ? "argument" : "result"), json_uint(o->json, v->index);
    close_value(o, model_sharding(m, i, o->choice[i]));
  }
  for (uint32_t i = 0; i < m->n_results; i++) {
    if (!has_place(o, function_result_type(m->p, m->entry, i))) continue;
    open_value(o, m->entry);
    json_key(o->json, "result"), json_uint(o->json, i);
    uint32_t var = m->result_vars[i];
    close_value(o, model_sharding(m, var, o->choice[var]));
  }
  json_close(o->json, ']');
}

static void write_op(Out *o, const ModelVar *v, uint32_t k) {
  const Model *m = o->m;
  const StrategySet *set = &m->strategies.sets.items[v->set];
  const OpStrategy *strategy = &set->items[k];
  const Mesh *mesh = sharding_mesh(m->strategies.table, m->strategies.mesh);
  open_value(o, v->op);
  json_key(o->json, "name"), json_string(o->json, op_name(m->p, v->op));
  json_key(o->json, "factors"), json_open(o->json, '[');
  for (uint32_t f = 0; f < set->map.n_factors; f++) {
    json_open(o->json, '{');
    json_key(o->json, "axes"), axes_json(m->p->context, mesh, strategy->axes[f], o->json);
    if (strategy->strides && f == strategy->stride_factor)
      json_key(o->json, "strides"),
          factors_json(m->p->context, mesh, strategy->strides, 2, o->json);
    json_close(o->json, '}');
  }
  json_close(o->json, ']');
  if (strategy->strided) json_key(o->json, "strided"), json_bool(o->json, true);
  if (strategy->partial) {
    json_key(o->json, "partial"), json_bool(o->json, true);
    json_key(o->json, "operands"), json_open(o->json, '[');
    for (uint32_t i = 0; i < set->map.n_operands; i++)
      write_sharding(o, strategies_list(&m->strategies, set->in[i]).v[k]);
    json_close(o->json, ']');
  }
  json_close(o->json, '}');
}

void plan_decisions(const Model *m, const uint32_t *choice, Json *json) {
  uint32_t n;
  Out o = {m, choice, program_number_ops(m->p, (Arena *)&m->arena, &n), json};
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
