// Problem: ask for plans in which a value has a given sharding.
//
// Idea: a sharding of a value is a set of strategies of one variable: of the argument, result or
// loop carry itself, or of the op that makes the value, several of whose strategies can give the
// same result. All other strategies are forbidden, and the problem is solved as any other.
//
// Cost: O(variables) to find the variable, O(strategies) to restrict it.
#include <string.h>

#include "annotate/shard_rules.h"
#include "pipeline/plan_private.h"

static bool find_var(const Model *m, VarKind kind, OpId op, ValueId value, uint32_t *out) {
  for (uint32_t i = 0; i < m->vars.count; i++) {
    const ModelVar *v = &m->vars.items[i];
    if (v->kind != kind || (op ? v->op != op : v->value != value)) continue;
    *out = i;
    return true;
  }
  return false;
}

// The variable of a value inside of the function.
static bool value_port(const Model *m, ValueId v, Arena *arena, PlanPort *out,
                       const char **out_why) {
  const Program *p = m->p;
  OpId op = value_def(p, v);
  bool border = find_var(m, VAR_BORDER, 0, v, &out->var);
  if (!border && !op && value_at(p, v)->is_arg) {  // a loop's: one variable with its result
    const Block *block = block_at(p, value_at(p, v)->def);
    OpId loop = region_at(p, block->region)->op;
    uint32_t i = v - block->args;
    border = i < op_at(p, loop)->n_results &&
             find_var(m, VAR_BORDER, 0, op_result(p, loop, i), &out->var);
  }
  if (border) {
    out->list = m->vars.items[out->var].list;
    return true;
  }
  if (!op || !find_var(m, VAR_OP, op, 0, &out->var)) {
    *out_why =
        op ? arena_printf(arena, "'%s' has no sharding of its own: each user computes its shard",
                          op_name(p, op))
           : "its sharding follows from others";
    return false;
  }
  const ModelVar *var = &m->vars.items[out->var];
  if (!var->set) {
    *out_why =
        arena_printf(arena, "'%s' is computed on every device: it cannot be split", op_name(p, op));
    return false;
  }
  uint32_t k = 0;
  while (op_result(p, op, k) != v) k++;
  out->list = m->strategies.sets.items[var->set].out[k];
  return true;
}

bool plan_port(const Model *m, const Target *target, Arena *arena, PlanPort *out,
               const char **out_why) {
  out->type = target_type(m->p, target);
  const TypeInfo *info = type_info(m->p->context, out->type);
  if (info->kind != TYPE_TENSOR || !info->rank) {
    *out_why = "it is a scalar: nothing can be sharded";
    return false;
  }
  if (target->function != m->entry) {
    *out_why = "it is in a function that is not inlined";
    return false;
  }
  if (target->kind == TARGET_VALUE) return value_port(m, target->value, arena, out, out_why);
  out->var = target->kind == TARGET_ARGUMENT ? m->argument_vars[target->index]
                                             : m->result_vars[target->index];
  out->list = m->vars.items[out->var].list;
  return true;
}

bool plan_sharding_fits(const ShardingTable *table, Sharding wanted, Sharding has) {
  if (!wanted || !has) {
    Sharding one = wanted ? wanted : has;
    if (!one) return true;
    if (!wanted) return sharding_is_replicated(table, has);
  }
  const ShardingInfo *w = sharding_info(table, wanted), *h = sharding_info(table, has);
  for (uint32_t d = 0; d < w->rank; d++) {
    AxisList a = sharding_dim_axes(w, d);
    AxisList b = has ? sharding_dim_axes(h, d) : (AxisList){NULL, 0};
    if (b.n < a.n || (b.n > a.n && !w->dims[d].open)) return false;
    if (!axes_equal((AxisList){b.v, a.n}, a)) return false;
  }
  return true;
}

uint32_t plan_keep(Model *m, PlanPort port, Sharding wanted) {
  ShardingList list = strategies_list(&m->strategies, port.list);
  const ModelVar *v = &m->vars.items[port.var];
  uint32_t n = 0;
  for (uint32_t k = 0; k < list.n; k++)
    n += v->costs[k] < PLAN_FORBIDDEN && plan_sharding_fits(m->strategies.table, wanted, list.v[k]);
  for (uint32_t k = 0; n && k < list.n; k++)
    if (!plan_sharding_fits(m->strategies.table, wanted, list.v[k])) plan_forbid(m, port.var, k);
  return n;
}

void plan_fix_state(Session *s, OpId entry, Sharding *fixed, const Sharding *fixed_results,
                    uint32_t *state) {
  const Program *p = s->program;
  BlockId block = region_block(p, op_region(p, entry, 0));
  for (uint32_t i = 0; block && i < function_n_arguments(p, entry); i++) {
    if (!state[i]) continue;
    Sharding *argument = &fixed[block_arg(p, block, i)], result = fixed_results[state[i] - 1];
    if (result == PLAN_FREE || result == *argument) continue;
    if (*argument == PLAN_FREE)
      *argument = result;
    else
      state[i] = 0;
  }
}

static bool is_possible(const ModelVar *v) {
  for (uint32_t k = 0; k < v->n; k++)
    if (v->costs[k] < PLAN_FORBIDDEN) return true;
  return false;
}

Status *plan_check_fixed(Session *s, const Model *m) {
  for (uint32_t i = 0; i < m->vars.count; i++) {
    const ModelVar *v = &m->vars.items[i];
    if (v->kind != VAR_OP || !v->set || is_possible(v)) continue;
    diag_error(
        &s->diag, op_at(m->p, v->op)->pos,
        "the annotation of '%s' cannot be planned: no strategy makes its result in this "
        "sharding. Strategies have axes in the order of the mesh (sub-axes only with -O2), on "
        "dimensions that are large enough; leave the annotation out, or write one like that",
        op_name(m->p, v->op));
    return diag_status(&s->diag);
  }
  return NULL;
}

Status *plan_read_sharding(Session *s, Str text, const Target *target, Arena *arena,
                           Sharding *out) {
  Source source = {.path = "sharding", .text = text.s, .size = text.n};
  Diag diag;
  diag_init(&diag, s->guard, &source);
  GuardCleanup cleanup = {diag_release, &diag, NULL};
  guard_push(s->guard, &cleanup);
  ShardOptions options = {.mesh = s->mesh};
  bool good = shard_spec_resolve(&diag, s->program, s->table, &options, target, arena, out);
  Status *status = good ? NULL : diag_status(&diag);
  guard_pop(s->guard, &cleanup);
  diag_deinit(&diag);
  if (!good && !status) FAIL(INVALID_ARGUMENT, "this is no sharding");
  return status;
}

const char *plan_sharding_text(Session *s, Sharding sharding, uint32_t rank, Arena *arena) {
  const ShardingInfo *info = sharding_info(s->table, sharding);
  const Mesh *mesh = sharding ? sharding_mesh(s->table, info->mesh) : NULL;
  const char *text = "[";
  for (uint32_t d = 0; d < rank; d++) {
    AxisList axes = sharding ? sharding_dim_axes(info, d) : (AxisList){NULL, 0};
    text = arena_printf(arena, "%s%s{", text, d ? ", " : "");
    for (uint32_t i = 0; i < axes.n; i++)
      text = arena_printf(arena, "%s%s%s", text, i ? ", " : "",
                          axis_text(s->context, mesh, axes.v[i]));
    text = arena_printf(arena, "%s}", text);
  }
  return arena_printf(arena, "%s]", text);
}
