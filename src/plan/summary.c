#include "plan/summary.h"

#include "ops/functions.h"
#include "ops/op.h"
#include "ops/work.h"

typedef struct AxisUse {
  double columns, rows;  // FLOPs whose weight is split: a free dimension, a contracted one
  double batch, other;   // FLOPs split along dimension 0 of an activation, and along others
  double idle;           // FLOPs not split
  double gathered;       // bytes of weights that are stored split and used whole
  double parameters, moments, stored_parameters, stored_moments;  // bytes of state: all, and split
} AxisUse;

enum { MOST_STEPS = 32 };

// The argument that a value is, or a simple function of, also through loops; UINT32_MAX = none.
static uint32_t argument_of(const Model *m, ValueId v) {
  const Program *p = m->p;
  for (uint32_t n = 0; n < MOST_STEPS; n++) {
    const Value *value = value_at(p, v);
    OpId op = value->is_arg ? region_at(p, block_at(p, value->def)->region)->op : value->def;
    if (op == m->entry) return value->index;
    const OpDef *def = op_row(op_at(p, op)->code)->def;
    bool picks = def && def->touch == TOUCH_PICKED;  // a slice of it
    if (value->is_arg) {
      if (op_flow(p, op) != FLOW_LOOP || value->index >= op_at(p, op)->n_operands) break;
      v = op_operand(p, op, value->index);
    } else if (op_at(p, op)->n_regions == 0 && (op_at(p, op)->n_operands == 1 || picks)) {
      v = op_operand(p, op, 0);
    } else {
      break;
    }
  }
  return UINT32_MAX;
}

static bool is_state(const Model *m, uint32_t argument) {
  return m->options.state && argument != UINT32_MAX && m->options.state[argument];
}

static bool has_axis(AxisList axes, uint32_t axis) {
  for (uint32_t i = 0; i < axes.n; i++)
    if (axes.v[i].axis == axis) return true;
  return false;
}

static bool is_split(const Model *m, Sharding sharding, uint32_t axis) {
  if (!sharding) return false;
  const ShardingInfo *info = sharding_info(m->strategies.table, sharding);
  for (uint32_t d = 0; d < info->rank; d++)
    if (has_axis(sharding_dim_axes(info, d), axis)) return true;
  return false;
}

// What an axis does in one contraction.
static void count_op(const Model *m, const ModelVar *v, const OpStrategy *strategy, uint32_t axis,
                     bool *is_weight, AxisUse *use) {
  const StrategySet *set = &m->strategies.sets.items[v->set];
  const FactorMap *map = &set->map;
  double flops = op_work(m->p, v->op) * v->runs;
  uint32_t f = 0, dim, place;
  while (f < map->n_factors && !has_axis(strategy->axes[f], axis)) f++;
  if (f == map->n_factors) {
    use->idle += flops;
    return;
  }
  bool contracted = !factor_map_find(map, map->n_operands, f, NULL, NULL);
  for (uint32_t i = 0; i < map->n_operands && i < 2; i++) {
    uint32_t argument = argument_of(m, op_operand(m->p, v->op, i));
    if (!is_state(m, argument)) continue;
    is_weight[argument] = true;
    if (!factor_map_find(map, i, f, NULL, NULL)) continue;
    *(contracted ? &use->rows : &use->columns) += flops;
    return;
  }
  // The gradient of a weight: its activations are split along the batch, or its result is split.
  bool first = false;
  for (uint32_t i = 0; i < map->n_operands; i++)
    if (factor_map_find(map, i, f, &dim, &place)) first |= dim == 0;
  *(first ? &use->batch : &use->other) += flops;
}

static void put_percent(StrBuf *out, double part, double all, const char *words, bool *any) {
  if (part < 0.005 * all) return;
  strbuf_printf(out, "%s%.0f %% %s", *any ? ", " : "", 100 * part / all, words);
  *any = true;
}

static void put_axis(const AxisUse *u, StrBuf *out) {
  double tensor = u->columns + u->rows, data = u->batch + u->other;
  double all = tensor + data + u->idle;
  bool stores = u->stored_parameters > 0.5 * u->parameters && u->parameters > 0;
  bool moments = u->stored_moments > 0.5 * u->moments && u->moments > 0;
  if (all <= 0) {
    strbuf_puts(out, "no contractions");
  } else if (u->idle > 0.9 * all) {
    strbuf_puts(out, "every device computes the same");
  } else if (tensor > 0.15 * all) {
    strbuf_puts(out, "tensor parallel");
  } else {
    strbuf_puts(out, u->batch >= u->other ? "data parallel" : "sequence or spatial parallel");
  }
  bool any = false;
  if (all > 0 && u->idle <= 0.9 * all) {
    strbuf_puts(out, " (of the FLOPs ");
    put_percent(out, u->columns, all, "by columns of weights", &any);
    put_percent(out, u->rows, all, "by rows", &any);
    put_percent(out, u->batch, all, "along the first dimension", &any);
    put_percent(out, u->other, all, "along others", &any);
    put_percent(out, u->idle, all, "repeated", &any);
    strbuf_puts(out, ")");
  }
  if (u->gathered > 0.25 * u->parameters && stores)
    strbuf_puts(out, "; parameters are stored sharded and gathered (ZeRO-3)");
  else if (moments && !stores && u->parameters > 0)
    strbuf_puts(out, "; optimizer state is sharded, parameters are not (ZeRO-1)");
}

void plan_summary(const Model *m, const uint32_t *choice, StrBuf *out) {
  const Mesh *mesh = sharding_mesh(m->strategies.table, m->strategies.mesh);
  Arena *arena = (Arena *)&m->arena;
  bool *is_weight = ARENA_ARRAY(arena, bool, m->n_arguments + 1);
  for (uint32_t axis = 0; axis < mesh->n_axes; axis++) {
    AxisUse use = {0};
    for (uint32_t i = 0; i < m->vars.count; i++) {
      const ModelVar *v = &m->vars.items[i];
      if (v->kind != VAR_OP || !v->set || !op_contracts(m->p, v->op)) continue;
      const StrategySet *set = &m->strategies.sets.items[v->set];
      count_op(m, v, &set->items[choice[i]], axis, is_weight, &use);
      for (uint32_t k = 0; k < set->map.n_operands && k < 2; k++) {
        uint32_t argument = argument_of(m, op_operand(m->p, v->op, k));
        if (!is_state(m, argument)) continue;
        uint32_t var = m->argument_vars[argument];
        Sharding used = strategies_list(&m->strategies, set->in[k]).v[choice[i]];
        if (is_split(m, model_sharding(m, var, choice[var]), axis) && !is_split(m, used, axis))
          use.gathered += fusion_bytes(m->p, function_argument_type(m->p, m->entry, argument));
      }
    }
    for (uint32_t i = 0; i < m->n_arguments; i++) {
      if (!is_state(m, i)) continue;
      uint32_t var = m->argument_vars[i];
      double bytes = fusion_bytes(m->p, function_argument_type(m->p, m->entry, i));
      bool split = is_split(m, model_sharding(m, var, choice[var]), axis);
      *(is_weight[i] ? &use.parameters : &use.moments) += bytes;
      if (split) *(is_weight[i] ? &use.stored_parameters : &use.stored_moments) += bytes;
    }
    strbuf_printf(out, "%s%s=%u: ", axis ? "\n" : "",
                  name_text(m->p->context, mesh->axes[axis].name), mesh->axes[axis].size);
    put_axis(&use, out);
  }
}
