// Problem: hand the choice of shardings to a solver that sees only numbers (decision D9).
//
// Idea: one walk in execution order makes a variable for each argument, op and border of control
// flow, and lists the uses of every value. Then each value is joined to its users: directly if
// there is one, through a copy if there are several, so that a reshard that they share is paid
// once. Lists of shardings are interned (strategies.h), so a matrix of reshard prices is computed
// once per pair of lists. Repeated layers are tied by matrices that forbid different strategies.
//
//   %1 = dot %x, %w       var %x ── price ── var %1 ── price ── copy of %1 ──┬─ price ── var %2
//   %2 = add %1, %b                                                          └─ price ── var %3
//   %3 = multiply %1, %c
//
// Time: seconds of an op follow the roofline after fusion, as in cost/simulate.c: bytes that other
// ops of the fusion have read are not counted again. Memory: position t is the t-th op; a value is
// alive from its op to its last use, in the sharding of its copy if it has one. Arguments of which
// the buffer is not donated live to the end, results from the beginning.
//
#include "plan/model.h"

#include <string.h>

#include "cost/trips.h"
#include "ops/commute.h"
#include "ops/functions.h"
#include "ops/op.h"
#include "plan/model_private.h"

// ---- numbers ----

int64_t model_units(double seconds) {
  double n = seconds / PLAN_UNIT;
  return n < 1e13 ? (int64_t)(n + 0.5) : (int64_t)1e13;
}

void model_send(ModelVar *var, uint32_t k, uint8_t slack, Price price, double runs) {
  Sent *sent = &var->sent[slack * var->n + k];
  sent->transfer += model_units(price.transfer_seconds * runs);
  sent->latency += model_units((price.seconds - price.transfer_seconds) * runs);
}

uint8_t model_part_of_step(const ModelBuild *b, uint32_t position) {
  double all = b->clock[b->position];
  uint32_t part = all > 0 ? (uint32_t)(BACKLOG_PARTS * b->clock[position] / all) : 0;
  return (uint8_t)(part < BACKLOG_PARTS ? part : BACKLOG_PARTS - 1);
}

double model_window(const ModelBuild *b, ValueId v, uint32_t position, double runs) {
  uint32_t begin = b->slack[v] == SLACK_LATE ? b->made_at[v] : 0;
  uint32_t end = b->slack[v] == SLACK_EARLY ? position : b->position;
  double window = b->clock[end] - b->clock[begin];
  return runs > 0 ? window / runs : window;
}

double model_seconds(Wide cost) { return (double)cost * PLAN_UNIT; }

double model_fraction(ModelBuild *b, Sharding sharding) {
  Model *m = b->m;
  while (b->fractions.count <= sharding) VEC_PUSH(&m->arena, &b->fractions, 0);
  double *known = &b->fractions.items[sharding];
  if (*known > 0) return *known;
  const ShardingInfo *info = sharding_info(m->strategies.table, sharding);
  double ways = 1;
  for (uint32_t d = 0; sharding && d < info->rank; d++) ways *= (double)sharding_tiles(info, d);
  return *known = 1 / ways;
}

// ---- variables ----

uint32_t model_add_var(ModelBuild *b, ModelVar var) {
  Arena *arena = &b->m->arena;
  var.costs = ARENA_ARRAY(arena, int64_t, var.n);
  var.sent = ARENA_ARRAY(arena, Sent, var.n * SLACK_COUNT);
  var.bytes = ARENA_ARRAY(arena, int64_t, var.n);
  var.position = b->position;
  VEC_PUSH(arena, &b->m->vars, var);
  return b->m->vars.count - 1;
}

// The shardings of the list that a requirement allows: axes of closed dimensions exactly, at least
// those of open dimensions.
static ListId model_allowed(ModelBuild *b, ListId list, Sharding required) {
  Strategies *s = &b->m->strategies;
  if (required == PLAN_FREE) return list;
  const ShardingInfo *want = sharding_info(s->table, required);
  ShardingList all = strategies_list(s, list);
  Sharding *kept = ARENA_ARRAY(&b->m->arena, Sharding, all.n + 1);
  uint32_t n = 0;
  for (uint32_t i = 0; required && i < all.n; i++) {
    const ShardingInfo *has = sharding_info(s->table, all.v[i]);
    bool fits = axes_equal(has->unreduced, want->unreduced);
    for (uint32_t d = 0; d < want->rank && fits; d++) {
      AxisList w = sharding_dim_axes(want, d);
      AxisList h = all.v[i] ? sharding_dim_axes(has, d) : (AxisList){NULL, 0};
      fits = (!all.v[i] || has->dims[d].n_factors == 1) && h.n >= w.n &&
             (h.n == w.n || want->dims[d].open) && axes_equal((AxisList){h.v, w.n}, w);
    }
    if (fits) kept[n++] = all.v[i];
  }
  if (n) return strategies_intern(s, kept, n);
  kept[0] = required;  // axes in another order, sub-axes …
  return strategies_intern(s, kept, 1);
}

static Sharding model_required(const ModelBuild *b, ValueId v) {
  return b->m->options.fixed ? b->m->options.fixed[v] : PLAN_FREE;
}

static ListId replicated_list(ModelBuild *b) {
  return strategies_intern(&b->m->strategies, (Sharding[]){0}, 1);
}

static uint32_t add_held(ModelBuild *b, VarKind kind, Type type, Sharding required, ModelVar var) {
  var.kind = kind;
  var.local = b->n_manual > 0;
  var.list = var.local ? replicated_list(b)
                       : model_allowed(b, strategies_held(&b->m->strategies, type), required);
  var.n = strategies_list(&b->m->strategies, var.list).n;
  return model_add_var(b, var);
}

void model_set_bytes(ModelBuild *b, uint32_t var, double bytes, int64_t begin, int64_t end) {
  ModelVar *v = &b->m->vars.items[var];
  ShardingList list = strategies_list(&b->m->strategies, v->list);
  for (uint32_t k = 0; k < v->n; k++) v->bytes[k] = (int64_t)(bytes * model_fraction(b, list.v[k]));
  v->begin = begin;
  v->end = end;
}

void model_use(ModelBuild *b, ValueId v, uint32_t var, ListId list, double runs) {
  VEC_PUSH(&b->m->arena, &b->uses, ((Use){v, var, list, runs, b->position}));
}

// Ops that annotations have added stand for themselves.
static Repeat op_repeat(const Model *m, OpId op) {
  const Contraction *c = m->options.contraction;
  return c && op < c->program->ops.count ? c->repeats[op] : (Repeat){0, 0};
}

// How many ops of the whole program a top-level op stands for. Ops in its regions get the factor
// from the op around them.
double model_times(const Model *m, OpId op) {
  Repeat repeat = op_repeat(m, op);
  return op_parent(m->p, op) == m->entry && repeat.times > 1 ? repeat.times : 1;
}

// ---- ops ----

// Constants, iota, and what is computed from scalars: every user computes its own shard.
static bool is_anywhere(const ModelBuild *b, OpId op) {
  const Program *p = b->m->p;
  const Op *o = op_at(p, op);
  uint32_t traits = op_row(o->code)->traits;
  if (o->n_results != 1 || o->n_regions || !(traits & TRAIT_PURE) ||
      !(traits & (TRAIT_CONSTANT | TRAIT_EXPANDS)))
    return false;
  for (uint32_t i = 0; i < o->n_operands; i++)
    if (type_info(p->context, op_operand_type(p, op, i))->rank) return false;
  return splitter_is_movable(p->context, op_result_type(p, op, 0));
}

// Restricts the strategies of an op to those whose result a requirement allows: others get a cost
// beyond all plans.
static void forbid(ModelBuild *b, uint32_t var, ValueId result, ListId list) {
  Sharding required = model_required(b, result);
  if (required == PLAN_FREE) return;
  ModelVar *v = &b->m->vars.items[var];
  ShardingList all = strategies_list(&b->m->strategies, list);
  ShardingList kept = strategies_list(&b->m->strategies, model_allowed(b, list, required));
  for (uint32_t k = 0; k < v->n; k++) {
    bool in = false;
    for (uint32_t i = 0; i < kept.n; i++) in |= kept.v[i] == all.v[k];
    if (!in) v->costs[k] = PLAN_FORBIDDEN;
  }
}

static void model_op(ModelBuild *b, OpId op, double runs) {
  Model *m = b->m;
  const Op *o = op_at(m->p, op);
  if (is_anywhere(b, op)) {
    b->ports[op_result(m->p, op, 0)] = (Port){NO_VAR, 0};
    for (uint32_t i = 0; i < o->n_operands; i++)
      model_use(b, op_operand(m->p, op, i), NO_VAR, replicated_list(b), runs);
    VEC_PUSH(&m->arena, &b->order, NO_VAR);
    return;
  }
  if (b->n_manual) {
    model_local_op(b, op, runs);
    return;
  }
  uint32_t set = strategies_of_op(&m->strategies, op);
  const StrategySet *s = &m->strategies.sets.items[set];
  uint32_t var = model_add_var(
      b, (ModelVar){.kind = VAR_OP, .op = op, .set = set, .n = set ? s->n : 1, .runs = runs});
  s = &m->strategies.sets.items[set];
  for (uint32_t i = 0; i < o->n_operands; i++)
    model_use(b, op_operand(m->p, op, i), set ? var : NO_VAR, set ? s->in[i] : replicated_list(b),
              runs);
  for (uint32_t i = 0; i < o->n_results; i++)
    b->ports[op_result(m->p, op, i)] = (Port){var, set ? s->out[i] : replicated_list(b)};
  VEC_PUSH(&m->arena, &b->order, var);
}

// ---- control flow ----

// Values from outside that a region reads live until it ends.
static void extend_captured(ModelBuild *b, OpId op, uint32_t begin) {
  const Program *p = b->m->p;
  for (OpId o = op_walk_next(p, op, op); o; o = op_walk_next(p, o, op))
    for (uint32_t i = 0; i < op_at(p, o)->n_operands; i++) {
      ValueId r = b->m->fusion.root[op_operand(p, o, i)];
      if (b->made_at[r] < begin && b->last[r] < b->position) b->last[r] = b->position;
    }
}

// A body writes what it returns into the buffers of the carries, once nothing reads these any more.
static void find_homes(ModelBuild *b, OpId op, uint32_t n) {
  Model *m = b->m;
  const Program *p = m->p;
  BlockId block = region_block(p, op_region(p, op, op_at(p, op)->n_regions - 1));
  OpId end = block ? block_at(p, block)->last : 0;
  for (uint32_t i = 0; end && i < n && i < op_at(p, end)->n_operands; i++) {
    ValueId carry = block_arg(p, block, i), r = m->fusion.root[op_operand(p, end, i)];
    if (r != carry && b->made_at[r] > b->made_at[carry] && b->last[carry] <= b->made_at[r] &&
        model_value_bytes(m, r) == model_value_bytes(m, carry))
      b->returned[r] = true;
  }
}

// Do all users of a body's argument take a partial sum: ops that commute with sums, and the return
// of the same carry?
static bool takes_sums(const Program *p, ValueId v, OpId end, uint32_t carry) {
  enum { MOST_OPERANDS = 16 };
  for (OperandId use = value_at(p, v)->first_use; use; use = operand_at(p, use)->next_use) {
    OpId user = operand_at(p, use)->user;
    const Op *o = op_at(p, user);
    if (user == end && use == o->operands + carry) continue;
    bool alone[MOST_OPERANDS], all[MOST_OPERANDS];
    if (user == end || o->n_operands > MOST_OPERANDS) return false;
    for (uint32_t i = 0; i < o->n_operands; i++) {
      alone[i] = op_operand(p, user, i) == v;
      all[i] = true;
    }
    if (op_commutes(p, user, COMBINE_SUM, alone) != COMBINE_SUM &&
        op_commutes(p, user, COMBINE_SUM, all) != COMBINE_SUM)
      return false;
  }
  return true;
}

// Is the carry an accumulator: added to in each iteration, and otherwise not looked at? Such a
// carry may be a partial sum, which is reduced once behind the loop.
static bool is_accumulator(const Program *p, OpId loop, uint32_t i) {
  uint32_t n = op_at(p, loop)->n_regions;
  BlockId body = n ? region_block(p, op_region(p, loop, n - 1)) : 0;
  OpId end = body ? block_at(p, body)->last : 0;
  if (!end || i >= op_at(p, end)->n_operands || i >= block_at(p, body)->n_args) return false;
  if (op_operand(p, end, i) == block_arg(p, body, i)) return false;  // an invariant
  for (uint32_t r = 0; r + 1 < n; r++) {
    BlockId condition = region_block(p, op_region(p, loop, r));
    if (condition && value_has_uses(p, block_arg(p, condition, i))) return false;
  }
  return takes_sums(p, block_arg(p, body, i), end, i);
}

// Does the body return the carry as it is?
static bool is_invariant(const Program *p, OpId loop, uint32_t i) {
  BlockId body = region_block(p, op_region(p, loop, op_at(p, loop)->n_regions - 1));
  OpId end = body ? block_at(p, body)->last : 0;
  return end && i < op_at(p, end)->n_operands && op_operand(p, end, i) == block_arg(p, body, i);
}

// A loop invariant has the buffer of the value that enters the loop if it has the same sharding,
// and a buffer of its own if it is resharded before the loop (a gathered weight). Which of them
// depends on two variables, so each sharding is there twice: first in the shared buffer, then in
// its own.
static void share_buffer(ModelBuild *b, ModelVar *var, ValueId entering) {
  Strategies *s = &b->m->strategies;
  ShardingList once = strategies_list(s, var->list);
  if (b->ports[entering].var == NO_VAR || 2 * once.n > s->most) return;
  Sharding *twice = ARENA_ARRAY(&b->m->arena, Sharding, 2 * once.n);
  for (uint32_t k = 0; k < once.n; k++) twice[k] = twice[once.n + k] = once.v[k];
  var->n_shared = once.n;
  var->n = 2 * once.n;
  var->list = strategies_intern(s, twice, var->n);
}

// Forbids the shared buffer to shardings that the value that enters the loop does not have.
static void forbid_shared(ModelBuild *b, uint32_t border, ValueId entering) {
  Model *m = b->m;
  Port from = b->ports[entering];
  const ModelVar *v = &m->vars.items[border];
  ShardingList x = strategies_list(&m->strategies, from.list),
               y = strategies_list(&m->strategies, v->list);
  int64_t *entries = ARENA_ARRAY(&m->arena, int64_t, (size_t)x.n *y.n + 1);
  for (uint32_t i = 0; i < x.n; i++)
    for (uint32_t k = 0; k < v->n_shared; k++)
      if (x.v[i] != y.v[k]) entries[(size_t)i * y.n + k] = PLAN_FORBIDDEN;
  if (x.n > 1) {
    model_add_edge(m, from.var, border, problem_matrix(&m->problem, entries, x.n * y.n));
    return;
  }
  for (uint32_t k = 0; k < y.n; k++)
    if (entries[k]) m->vars.items[border].costs[k] = PLAN_FORBIDDEN;
}

static uint32_t add_border(ModelBuild *b, OpId op, Flow flow, uint32_t i, double runs) {
  Model *m = b->m;
  ValueId v = op_result(m->p, op, i);
  Type type = value_type(m->p, v);
  bool sums = flow == FLOW_LOOP && is_accumulator(m->p, op, i);
  ListId list =
      sums ? strategies_carried(&m->strategies, type) : strategies_held(&m->strategies, type);
  ModelVar var = {.kind = VAR_BORDER, .op = op, .value = v, .index = i, .runs = runs};
  var.local = b->n_manual > 0;
  var.list = var.local ? replicated_list(b) : model_allowed(b, list, model_required(b, v));
  var.n = strategies_list(&m->strategies, var.list).n;
  if (flow == FLOW_LOOP && is_invariant(m->p, op, i)) {
    var.shares = true;
    share_buffer(b, &var, op_operand(m->p, op, i));
  }
  return model_add_var(b, var);
}

static Status *model_flow(ModelBuild *b, OpId op, Flow flow, double runs) {
  Model *m = b->m;
  Program *p = m->p;
  uint32_t n_in = op_at(p, op)->n_operands, n_out = op_at(p, op)->n_results, begin = b->position;
  bool carries = flow == FLOW_LOOP || flow == FLOW_EACH || flow == FLOW_BODY;
  if (op_attr(p, op, "manual_axes")) return model_manual(b, op, runs);
  uint32_t *vars = ARENA_ARRAY(&m->arena, uint32_t, (n_out > n_in ? n_out : n_in) + 1);
  for (uint32_t i = 0; i < n_out; i++) {
    vars[i] = add_border(b, op, flow, i, runs);
    b->ports[op_result(p, op, i)] = (Port){vars[i], m->vars.items[vars[i]].list};
  }
  for (uint32_t i = 0; i < n_in; i++) {
    bool into = carries && i < n_out && flow != FLOW_BODY;
    model_use(b, op_operand(p, op, i), into ? vars[i] : NO_VAR,
              into ? m->vars.items[vars[i]].list : replicated_list(b), runs);
  }
  VEC_PUSH(&m->arena, &b->order, NO_VAR);
  double trips = flow == FLOW_LOOP ? (double)loop_trips_or_guess(p, op) : 1;
  uint32_t n_regions = op_at(p, op)->n_regions;
  for (uint32_t r = 0; r < n_regions; r++) {
    BlockId block = region_block(p, op_region(p, op, r));
    if (!block) continue;
    for (uint32_t i = 0; i < block_at(p, block)->n_args; i++) {
      ValueId arg = block_arg(p, block, i);
      bool is_carry = flow == FLOW_LOOP && i < n_out;
      b->ports[arg] = is_carry ? b->ports[op_result(p, op, i)] : (Port){NO_VAR, 0};
      b->made_at[arg] = b->position;
      if (is_carry || flow != FLOW_BODY) continue;
      uint32_t var = add_held(b, VAR_BORDER, value_type(p, arg), model_required(b, arg),
                              (ModelVar){.op = op, .value = arg, .index = i, .runs = runs});
      b->ports[arg] = (Port){var, m->vars.items[var].list};
      b->position--;  // its use is at the op
      model_use(b, op_operand(p, op, i), var, b->ports[arg].list, runs);
      b->position++;
    }
    b->position++;
    bool returns = flow == FLOW_BRANCH || flow == FLOW_BODY || r + 1 == n_regions;
    TRY(model_block(b, block, runs * trips, returns ? vars : NULL));
  }
  if (n_regions) extend_captured(b, op, begin);
  if (flow == FLOW_LOOP) find_homes(b, op, n_out);
  for (uint32_t i = 0; i < n_out; i++) {  // of invariants: as long as the loop runs
    m->vars.items[vars[i]].begin = begin;
    m->vars.items[vars[i]].end = b->position + 1;
  }
  for (uint32_t i = 0; i < n_out; i++) b->made_at[op_result(p, op, i)] = begin;
  return NULL;
}

static void note_uses(ModelBuild *b, OpId op) {
  const Program *p = b->m->p;
  for (uint32_t i = 0; i < op_at(p, op)->n_operands; i++) {
    ValueId r = b->m->fusion.root[op_operand(p, op, i)];
    if (b->last[r] < b->position) b->last[r] = b->position;
    if (!b->first[r]) b->first[r] = b->position;
  }
}

// How many results of the whole program one that a terminator returns stands for.
static double result_times(const Model *m, OpId terminator, uint32_t i) {
  const Contraction *c = m->options.contraction;
  return c && op_parent(m->p, terminator) == m->entry ? c->result_times[i] : 1;
}

Status *model_block(ModelBuild *b, BlockId block, double runs, const uint32_t *targets) {
  Model *m = b->m;
  Program *p = m->p;
  for (OpId op = block_at(p, block)->first; op; op = op_at(p, op)->next) {
    note_uses(b, op);
    if (op_row(op_at(p, op)->code)->traits & TRAIT_TERMINATOR) {
      for (uint32_t i = 0; i < op_at(p, op)->n_operands; i++)
        model_use(b, op_operand(p, op, i), targets ? targets[i] : NO_VAR,
                  targets ? m->vars.items[targets[i]].list : replicated_list(b),
                  runs * result_times(m, op, i));
      VEC_PUSH(&m->arena, &b->order, NO_VAR);
      b->position++;
      break;
    }
    for (uint32_t i = 0; i < op_at(p, op)->n_results; i++)
      b->made_at[op_result(p, op, i)] = b->position;
    Flow flow = op_flow(p, op);
    if (flow != FLOW_NONE)
      TRY(model_flow(b, op, flow, runs * model_times(m, op)));
    else
      model_op(b, op, runs * model_times(m, op));
    b->position++;
  }
  return NULL;
}

// ---- all ----

static bool has_flag(const Model *m, uint32_t argument, const char *name) {
  const AttrInfo *dicts = attr_info(m->p->context, op_attr(m->p, m->entry, "arg_attrs"));
  return dicts->kind == ATTR_ARRAY && argument < dicts->count &&
         attr_get(m->p->context, dicts->items[argument], name) != 0;
}

bool model_is_donated(const Model *m, uint32_t argument) {
  return has_flag(m, argument, "tf.aliasing_output") || has_flag(m, argument, "jax.buffer_donor");
}

// How many arguments of the whole program an argument stands for.
static double argument_times(const Model *m, uint32_t i) {
  return m->options.contraction ? m->options.contraction->argument_times[i] : 1;
}

static void add_arguments(ModelBuild *b, BlockId block) {
  Model *m = b->m;
  m->n_arguments = block_at(m->p, block)->n_args;
  m->argument_vars = ARENA_ARRAY(&m->arena, uint32_t, m->n_arguments + 1);
  for (uint32_t i = 0; i < m->n_arguments; i++) {
    ValueId v = block_arg(m->p, block, i);
    m->argument_vars[i] =
        add_held(b, VAR_ARGUMENT, value_type(m->p, v), model_required(b, v),
                 (ModelVar){.value = v, .index = i, .runs = argument_times(m, i)});
    b->ports[v] = (Port){m->argument_vars[i], m->vars.items[m->argument_vars[i]].list};
  }
}

// A result that replaces a state argument has the argument's variable.
static void add_results(ModelBuild *b) {
  Model *m = b->m;
  m->n_results = function_n_results(m->p, m->entry);
  m->result_vars = ARENA_ARRAY(&m->arena, uint32_t, m->n_results + 1);
  for (uint32_t i = 0; i < m->n_results; i++) m->result_vars[i] = NO_VAR;
  for (uint32_t i = 0; m->options.state && i < m->n_arguments; i++)
    if (m->options.state[i]) m->result_vars[m->options.state[i] - 1] = m->argument_vars[i];
  for (uint32_t i = 0; i < m->n_results; i++) {
    if (m->result_vars[i] != NO_VAR) continue;
    Sharding required = m->options.fixed_results ? m->options.fixed_results[i] : PLAN_FREE;
    m->result_vars[i] = add_held(b, VAR_RESULT, function_result_type(m->p, m->entry, i), required,
                                 (ModelVar){.index = i, .runs = 1});
  }
}

// Bytes of arguments and results. The buffer of a result counts from where it is written: before,
// temporaries may use it.
static void size_borders(ModelBuild *b, BlockId block) {
  Model *m = b->m;
  int64_t end = b->position;
  OpId last = block_at(m->p, block)->last;
  for (uint32_t i = 0; i < m->n_arguments; i++) {
    ValueId v = block_arg(m->p, block, i);
    bool ends = model_is_donated(m, i) && !(m->options.state && m->options.state[i]);
    model_set_bytes(b, m->argument_vars[i], model_value_bytes(m, v), 0,
                    ends ? (int64_t)b->last[v] + 1 : end);
  }
  for (uint32_t i = 0; i < m->n_results; i++)
    if (m->vars.items[m->result_vars[i]].kind == VAR_RESULT)
      model_set_bytes(b, m->result_vars[i],
                      fusion_bytes(m->p, function_result_type(m->p, m->entry, i)),
                      b->made_at[m->fusion.root[op_operand(m->p, last, i)]], end);
  for (uint32_t v = 0; v < m->vars.count; v++) {
    ModelVar *var = &m->vars.items[v];
    ValueId made = var->kind == VAR_OP     ? op_result(m->p, var->op, 0)
                   : var->kind == VAR_COPY ? var->value
                                           : 0;
    var->new_state = made && !b->returned[made] && b->last[made] + 1 == end;
    if (var->kind == VAR_BORDER && !var->shares && m->fusion.stored[m->fusion.root[var->value]] &&
        m->fusion.root[var->value] == var->value && !b->returned[var->value])
      model_set_bytes(b, v, model_value_bytes(m, var->value), b->made_at[var->value],
                      (int64_t)b->last[var->value] + 1);
    if (var->n_shared)
      model_set_bytes(b, v, fusion_bytes(m->p, value_type(m->p, var->value)), var->begin, var->end);
    for (uint32_t k = 0; k < var->n_shared; k++) var->bytes[k] = 0;
  }
}

static void multiply_bytes(ModelVar *v, double times) {
  for (uint32_t k = 0; k < v->n && times > 1; k++)
    v->bytes[k] = (int64_t)((double)v->bytes[k] * times);
}

// In a contracted program, arguments and results count for those that they repeat. So do values
// that are alive after their run of layers, such as what a forward pass saves for the backward
// pass: those of all layers are alive at once. Other values of two layers are not.
static void size_repeats(ModelBuild *b) {
  Model *m = b->m;
  const Contraction *c = m->options.contraction;
  for (uint32_t i = 0; c && i < m->n_arguments; i++)
    multiply_bytes(&m->vars.items[m->argument_vars[i]], c->argument_times[i]);
  for (uint32_t i = 0; c && i < m->n_results; i++)
    if (m->vars.items[m->result_vars[i]].kind == VAR_RESULT)
      multiply_bytes(&m->vars.items[m->result_vars[i]], c->result_times[i]);
  for (uint32_t i = 0; c && i < m->vars.count; i++) {
    ModelVar *v = &m->vars.items[i];
    OpId op = v->kind == VAR_OP || v->kind == VAR_BORDER ? v->op
              : v->kind == VAR_COPY                      ? value_def(m->p, v->value)
                                                         : 0;
    OpId last = op_repeat(m, op).last;
    if (last && op_at(m->p, last)->n_results &&
        v->end > (int64_t)b->made_at[op_result(m->p, last, 0)] + 1)
      multiply_bytes(v, c->repeats[op].times);
  }
}

// A result that is written into the buffer of a donated argument needs none of its own, nor does
// one that has a variable. Other new values of state live to the end.
static void mark_returned(ModelBuild *b, BlockId block) {
  const Model *m = b->m;
  OpId last = block_at(m->p, block)->last;
  for (uint32_t i = 0; last && i < op_at(m->p, last)->n_operands; i++) {
    const ModelVar *v = &m->vars.items[m->result_vars[i]];
    ValueId r = m->fusion.root[op_operand(m->p, last, i)];
    if (v->kind == VAR_RESULT || model_is_donated(m, v->index)) b->returned[r] = true;
  }
}

static void put_vars(ModelBuild *b) {
  Model *m = b->m;
  Problem *problem = &m->problem;
  for (uint32_t i = 0; i < m->vars.count; i++) {
    const ModelVar *v = &m->vars.items[i];
    problem_add_var(problem, v->n, v->costs, v->bytes, v->begin, v->end);
  }
  model_price(m, &pricing_serial, machine_usable_bytes(m->options.machine, m->options.n_devices));
}

// The work before each position: of each op's strategy with the least.
static void set_clock(ModelBuild *b) {
  Model *m = b->m;
  b->clock = ARENA_ARRAY(&m->arena, double, b->position + 2);
  for (uint32_t i = 0; i < m->vars.count; i++) {
    ModelVar *v = &m->vars.items[i];
    if (v->kind != VAR_OP) continue;
    int64_t least = v->costs[0];
    for (uint32_t k = 1; k < v->n; k++)
      if (v->costs[k] < least) least = v->costs[k];
    if (least < PLAN_FORBIDDEN) b->clock[v->position + 1] += (double)least * PLAN_UNIT;
  }
  for (uint32_t i = 1; i <= b->position; i++) b->clock[i] += b->clock[i - 1];
  for (uint32_t i = 0; i < m->vars.count; i++) {
    ModelVar *v = &m->vars.items[i];
    for (uint32_t o = 0; o < SLACK_COUNT; o++) v->windows[o] = b->clock[b->position];
    if (v->kind == VAR_OP) v->windows[SLACK_LATE] -= b->clock[v->position];
    v->part = model_part_of_step(b, v->position);
  }
}

static Status *build(ModelBuild *b) {
  Model *m = b->m;
  BlockId block = region_block(m->p, op_region(m->p, m->entry, 0));
  model_sum_fusions(b);
  add_arguments(b, block);
  add_results(b);
  mark_returned(b, block);
  b->position = 1;
  TRY(model_block(b, block, 1, m->result_vars));
  for (uint32_t i = 0; i < m->vars.count; i++) {
    if (m->vars.items[i].kind != VAR_OP) continue;
    ArenaMark mark = arena_mark(&m->strategies.scratch);
    model_price_op(b, i);
    OpId op = m->vars.items[i].op;
    if (m->vars.items[i].local)
      m->vars.items[i].sent[0].transfer +=
          model_units(model_local_seconds(m, op) * m->vars.items[i].runs);
    for (uint32_t k = 0; k < op_at(m->p, op)->n_results && m->vars.items[i].set; k++)
      forbid(b, i, op_result(m->p, op, k), b->ports[op_result(m->p, op, k)].list);
    arena_rewind(&m->strategies.scratch, mark);
  }
  set_clock(b);
  bool *has_copy = ARENA_ARRAY(&m->arena, bool, m->p->values.count + 1);
  model_join_all(b, has_copy);
  for (uint32_t i = 0; i < m->vars.count; i++)
    if (m->vars.items[i].n_shared)
      forbid_shared(b, i, op_operand(m->p, m->vars.items[i].op, m->vars.items[i].index));
  for (uint32_t i = 0; i < m->vars.count; i++)
    if (m->vars.items[i].kind == VAR_OP) model_size_op(b, i, has_copy);
  size_borders(b, block);
  size_repeats(b);
  m->first_tie = m->problem.edges.count;
  if (!m->options.untied) model_tie_layers(b);
  put_vars(b);
  return problem_check(&m->problem);
}

static void release_build(void *object) {
  ModelBuild *b = object;
  idmap_deinit(&b->price_ids);
  idmap_deinit(&b->matrix_ids);
}

Status *model_build(Model *m, Program *p, ShardingTable *table, MeshId mesh,
                    const ModelOptions *options, Guard *guard, Diag *diag) {
  *m = (Model){.p = p, .options = *options, .guard = guard};
  arena_init(&m->arena, guard);
  problem_init(&m->problem, guard);
  const Mesh *devices = sharding_mesh(table, mesh);
  strategies_init(&m->strategies, p, table, mesh, &m->network, guard);
  if (devices->n_axes > STRATEGIES_MOST_AXES)
    FAIL(INVALID_ARGUMENT, "the mesh has %u axes: at most %d can be planned for", devices->n_axes,
         STRATEGIES_MOST_AXES);
  m->strategies.most = options->level > 1 ? 512 : 64;
  if (options->least_uneven) m->strategies.least_uneven = options->least_uneven;
  m->strategies.call_rules = options->call_rules;
  strategies_find_patterns(&m->strategies);
  if (options->level > 1) strategies_divide_axes(&m->strategies);
  m->rates = machine_rates(options->machine, options->n_devices);
  m->network =
      machine_network_reached(options->machine, p->context, devices, m->rates.links, &m->arena);
  fusion_find(p, &m->arena, &m->fusion);
  if (options->machine->fused_attention) {
    attention_find(p, &m->fusion, &m->arena, &m->attention);
    for (ValueId v = 0; v < p->values.count; v++) m->fusion.stored[v] &= !m->attention.hidden[v];
  }
  Entries entries = program_entries(p, &m->arena);
  m->entry = entries.n ? entries.v[0] : 0;
  if (!m->entry || !region_block(p, op_region(p, m->entry, 0)))
    FAIL(INVALID_ARGUMENT, "the program has no function with a body: nothing can be planned");
  uint32_t n_values = p->values.count + 1, n_ops = p->ops.count + 1;
  ModelBuild *b = ARENA_NEW(&m->arena, ModelBuild);
  *b = (ModelBuild){.m = m,
                    .diag = diag,
                    .slack = slack_find(p, &m->arena),
                    .ports = ARENA_ARRAY(&m->arena, Port, n_values),
                    .made_at = ARENA_ARRAY(&m->arena, uint32_t, n_values),
                    .first = ARENA_ARRAY(&m->arena, uint32_t, n_values),
                    .last = ARENA_ARRAY(&m->arena, uint32_t, n_values),
                    .returned = ARENA_ARRAY(&m->arena, bool, n_values),
                    .read_by = ARENA_ARRAY(&m->arena, uint32_t, n_values),
                    .group_flops = ARENA_ARRAY(&m->arena, double, n_ops),
                    .group_bytes = ARENA_ARRAY(&m->arena, double, n_ops),
                    .group_started = ARENA_ARRAY(&m->arena, bool, n_ops)};
  VEC_PUSH(&m->arena, &b->prices, (PriceRow){0});
  VEC_PUSH(&m->arena, &b->matrices, (MatrixRow){0});
  for (uint32_t v = 0; v < n_values; v++) b->ports[v] = (Port){NO_VAR, 0};
  GuardCleanup cleanup = {release_build, b, NULL};
  guard_push(guard, &cleanup);
  Status *status = build(b);
  guard_pop(guard, &cleanup);
  release_build(b);
  return status;
}

void model_release(void *object) {
  Model *m = object;
  problem_deinit(&m->problem);
  strategies_release(&m->strategies);
  arena_deinit(&m->arena);
}

Sharding model_sharding(const Model *m, uint32_t var, uint32_t strategy) {
  return strategies_list(&m->strategies, m->vars.items[var].list).v[strategy];
}
