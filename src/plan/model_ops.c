// Problem: what an op costs on one device, in seconds and bytes, per strategy.
//
// Idea: the roofline of the op's fusion, as in cost/simulate.c. Bytes that other ops of the fusion
// have read are not counted again. A value is alive from its op to its last use.
//
// Cost: O(strategies · tensors) per op.
#include <math.h>
#include <string.h>

#include "cost/op_seconds.h"
#include "ops/op.h"
#include "ops/work.h"
#include "plan/model_private.h"

// Bytes that an op moves, of one of its tensors, in the global program.
typedef struct Moved {
  uint32_t tensor;
  double bytes;
} Moved;

double model_value_bytes(const Model *m, ValueId v) {
  return fusion_bytes(m->p, value_type(m->p, v));
}

// As in cost/simulate.c: operands that no op of the fusion made or read before, stored results.
static uint32_t list_moved(ModelBuild *b, OpId op, Moved *out) {
  const Model *m = b->m;
  const Program *p = m->p;
  const Fusion *f = &m->fusion;
  uint32_t n = op_at(p, op)->n_operands, group = f->group[op], found = 0;
  for (uint32_t i = 0; i < n; i++) {
    ValueId r = f->root[op_operand(p, op, i)];
    OpId from = value_def(p, r);
    bool fused = from && op_fusing(p, from) && f->group[from] == group;
    if (f->constant[r] || fused || b->read_by[r] == group) continue;
    if (m->attention.hidden && m->attention.hidden[r]) continue;
    b->read_by[r] = group;
    uint32_t at = work_touched(p, op, i);
    Type type = at < n ? op_operand_type(p, op, at) : op_result_type(p, op, at - n);
    double bytes = fusion_bytes(p, type);
    out[found++] = (Moved){at, at == i ? fmin(model_value_bytes(m, r), bytes) : bytes};
  }
  for (uint32_t i = 0; i < op_at(p, op)->n_results; i++) {
    ValueId v = op_result(p, op, i);
    if (f->root[v] != v || !f->stored[v]) continue;
    uint32_t at = work_touched(p, op, n + i);
    out[found++] =
        (Moved){at, at < n ? fusion_bytes(p, op_operand_type(p, op, at)) : model_value_bytes(m, v)};
  }
  return found;
}

static bool is_free(const Model *m, OpId op) {
  const Op *o = op_at(m->p, op);
  if (op_keeps_buffer(m->p, op)) return true;
  bool free = o->n_results > 0;
  for (uint32_t i = 0; i < o->n_results; i++) {
    ValueId v = op_result(m->p, op, i);
    free &= m->fusion.constant[m->fusion.root[v]] || m->fusion.root[v] != v;
  }
  return free || op_row(o->code)->traits & TRAIT_CONSTANT;
}

// The sharding of a tensor of an op in a strategy.
static Sharding tensor_as(const Model *m, const StrategySet *set, uint32_t tensor, uint32_t k) {
  if (!set->n) return 0;
  uint32_t n = set->map.n_operands;
  ListId list = tensor < n ? set->in[tensor] : set->out[tensor - n];
  return strategies_list(&m->strategies, list).v[k];
}

static double elements_of(const Model *m, Type type) {
  int64_t count = 0;
  return type_count(m->p->context, type, &count) ? (double)count : 0;
}

// How much longer a contraction takes because its local matrices do not fill the matrix unit.
static double padding_of(ModelBuild *b, OpId op, const StrategySet *set, uint32_t k, double flops) {
  const Model *m = b->m;
  if (!op_contracts(m->p, op) || op_at(m->p, op)->n_operands != 2) return 1;
  double sizes[3];
  for (uint32_t i = 0; i < 3; i++) {
    Type type = i < 2 ? op_operand_type(m->p, op, i) : op_result_type(m->p, op, 0);
    sizes[i] = elements_of(m, type) * model_fraction(b, tensor_as(m, set, i, k));
  }
  return op_padding(m->p, op, &m->rates, flops, sizes[0], sizes[1], sizes[2]);
}

// An op that exchanges halos or rows first copies its operand together with them.
static double halo_seconds(ModelBuild *b, const ModelVar *v, uint32_t k) {
  const Model *m = b->m;
  if (!op_at(m->p, v->op)->n_operands) return 0;
  Sharding as = tensor_as(m, &m->strategies.sets.items[v->set], 0, k);
  double bytes = fusion_bytes(m->p, op_operand_type(m->p, v->op, 0)) * model_fraction(b, as);
  return rates_seconds(&m->rates, 0, 2 * bytes, DT_f32, false) + m->rates.op_seconds;
}

// Sets the seconds of each strategy of an op.
void model_price_op(ModelBuild *b, uint32_t var) {
  Model *m = b->m;
  ModelVar *v = &m->vars.items[var];
  const StrategySet *set = &m->strategies.sets.items[v->set];
  OpId op = v->op;
  if (is_free(m, op) || (m->attention.inside && m->attention.inside[op])) return;
  uint32_t n = op_at(m->p, op)->n_operands + op_at(m->p, op)->n_results;
  Moved *moved = ARENA_ARRAY(&m->strategies.scratch, Moved, n + 1);
  uint32_t n_moved = list_moved(b, op, moved), group = m->fusion.group[op];
  bool contracts = op_contracts(m->p, op);
  DType type = op_at(m->p, op)->n_operands ? type_dtype(m->p->context, op_operand_type(m->p, op, 0))
                                           : DT_f32;
  double flops = op_work(m->p, op), part = m->attention.work ? m->attention.work[op] : 0;
  Rates rates = m->rates;
  if (part > 0) flops *= part;
  if (part > 0 && rates.attention > 0) rates.contractions = rates.attention;
  // In a fusion that memory limits, FLOPs are hidden behind its bytes, and the other way round.
  bool alone = contracts || !op_fusing(m->p, op);
  bool memory = rates_seconds(&rates, 0, b->group_bytes[group], type, contracts) >=
                rates_seconds(&rates, b->group_flops[group], 0, type, contracts);
  double start = b->group_started[group] ? 0 : rates.op_seconds;
  b->group_started[group] = true;
  for (uint32_t k = 0; k < v->n; k++) {
    double bytes = 0, work = set->n ? set->items[k].work : 1;
    for (uint32_t i = 0; i < n_moved; i++)
      bytes += moved[i].bytes * model_fraction(b, tensor_as(m, set, moved[i].tensor, k));
    double own_flops = flops * work * padding_of(b, op, set, k, flops * work);
    double seconds = rates_seconds(&rates, alone || !memory ? own_flops : 0,
                                   alone || memory ? bytes : 0, type, contracts);
    v->costs[k] = model_units((seconds + start) * v->runs);
    if (!set->n) continue;
    model_send(v, k, b->slack[op_result(m->p, op, 0)], set->items[k].own, v->runs);
    if (set->items[k].own.bytes > 0) v->costs[k] += model_units(halo_seconds(b, v, k) * v->runs);
  }
}

// Elementwise ops write their result over an operand that is used for the last time; updates write
// into their first operand.
static bool reuses_operand(const ModelBuild *b, OpId op, ValueId result) {
  const Model *m = b->m;
  const OpDef *def = op_row(op_at(m->p, op)->code)->def;
  bool updates = def && def->touch == TOUCH_UPDATED;
  if (!updates && op_fusing(m->p, op) == FUSING_NONE) return false;
  for (uint32_t i = 0; i < (updates ? 1 : op_at(m->p, op)->n_operands); i++) {
    ValueId r = m->fusion.root[op_operand(m->p, op, i)];
    if (m->fusion.stored[r] && !m->fusion.constant[r] && b->last[r] == b->made_at[result] &&
        !value_at(m->p, r)->is_arg && model_value_bytes(m, r) >= model_value_bytes(m, result))
      return true;
  }
  return false;
}

// The position from which a result is stored. A slice of a value that lives on anyway is taken when
// it is needed (as in cost/simulate.c).
static uint32_t stored_from(const ModelBuild *b, OpId op, ValueId result) {
  const Program *p = b->m->p;
  uint32_t at = b->made_at[result];
  const OpDef *def = op_row(op_at(p, op)->code)->def;
  if (reuses_operand(b, op, result)) return at + 1;
  if (!def || def->touch != TOUCH_PICKED || !op_fusing(p, op)) return at;
  ValueId from = b->m->fusion.root[op_operand(p, op, 0)];
  bool lives = value_at(p, from)->is_arg || b->last[from] >= b->first[result];
  return lives && b->first[result] > at ? b->first[result] : at;
}

// Sets the bytes of an op's results. has_copy: the value lives in its copy, and only appears here.
void model_size_op(ModelBuild *b, uint32_t var, const bool *has_copy) {
  Model *m = b->m;
  ModelVar *v = &m->vars.items[var];
  const StrategySet *set = &m->strategies.sets.items[v->set];
  uint32_t n = op_at(m->p, v->op)->n_results, n_in = op_at(m->p, v->op)->n_operands;
  v->begin = v->position;
  v->end = v->position + 1;
  for (uint32_t i = 0; i < n; i++) {
    ValueId r = op_result(m->p, v->op, i);
    const Fusion *f = &m->fusion;
    if (f->root[r] != r || !f->stored[r] || f->constant[r] || b->returned[r]) continue;
    for (uint32_t k = 0; k < v->n; k++)
      v->bytes[k] +=
          (int64_t)(model_value_bytes(m, r) * model_fraction(b, tensor_as(m, set, n_in + i, k)));
    if (has_copy[r]) continue;
    if (b->last[r] + 1 > v->end) v->end = b->last[r] + 1;
    uint32_t from = n == 1 ? stored_from(b, v->op, r) : v->position;
    if (from < v->end) v->begin = from;
  }
}

// Per fusion: its FLOPs and bytes in the global program, which say what limits it.
void model_sum_fusions(ModelBuild *b) {
  Model *m = b->m;
  for (OpId op = m->entry; op; op = op_walk_next(m->p, op, m->entry)) {
    if (is_free(m, op) || op_at(m->p, op)->n_regions > 0) continue;
    uint32_t n = op_at(m->p, op)->n_operands + op_at(m->p, op)->n_results;
    ArenaMark mark = arena_mark(&m->strategies.scratch);
    Moved *moved = ARENA_ARRAY(&m->strategies.scratch, Moved, n + 1);
    uint32_t n_moved = list_moved(b, op, moved);
    for (uint32_t i = 0; i < n_moved; i++) b->group_bytes[m->fusion.group[op]] += moved[i].bytes;
    b->group_flops[m->fusion.group[op]] += op_work(m->p, op);
    arena_rewind(&m->strategies.scratch, mark);
  }
  memset(b->read_by, 0, (m->p->values.count + 1) * sizeof *b->read_by);
}
