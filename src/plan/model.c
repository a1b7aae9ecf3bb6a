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
// Invariant: every assignment without forbidden pairs can be partitioned; only its cost is a model.
#include "plan/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cost/op_seconds.h"
#include "cost/trips.h"
#include "ops/functions.h"
#include "ops/op.h"
#include "ops/work.h"
#include "plan/ties.h"
#include "reshard/reshard.h"

#define NO_VAR UINT32_MAX
enum { MOST_COPIES = 64 };
// Users of an argument that are farther apart read copies of their own: weights are gathered again
// in the backward pass.
enum { REGION_OPS = 64 };

// The variable that determines a value's sharding, and the sharding per strategy of it.
typedef struct Port {
  uint32_t var;  // NO_VAR: the value is computed wherever it is needed (constants)
  ListId list;
} Port;

typedef struct Use {
  ValueId value;
  uint32_t var;  // NO_VAR: it needs the only sharding of the list
  ListId list;
  double runs;
  uint32_t position;
} Use;

typedef struct PriceRow {
  Sharding from, to;
  Type type;
  double seconds;
} PriceRow;

typedef struct MatrixRow {
  ListId a, b;
  Type type;
  double runs;
  uint32_t matrix;
} MatrixRow;

// Bytes that an op moves, of one of its tensors, in the global program.
typedef struct Moved {
  uint32_t tensor;
  double bytes;
} Moved;

typedef struct ModelBuild {
  Model *m;
  Diag *diag;
  Port *ports;  // per value
  VEC(Use) uses;
  uint32_t position;
  uint32_t *made_at, *first, *last;  // per value: positions; first and last use are of roots
  bool *returned;                    // per root: it is written into the buffer of a result
  uint32_t *read_by;                 // per root: the fusion that has read it
  double *group_flops, *group_bytes;
  bool *group_started;
  VEC(double) fractions;  // per sharding: of a tensor's elements that a device holds; 0: unknown
  VEC(PriceRow) prices;   // [0] unused
  VEC(MatrixRow) matrices;
  IdMap price_ids, matrix_ids;
  VEC(uint32_t) order;  // variables of ops, by position; NO_VAR: none
} ModelBuild;

// ---- numbers ----

static int64_t units(double seconds) {
  double n = seconds / PLAN_UNIT;
  return n < 1e13 ? (int64_t)(n + 0.5) : (int64_t)1e13;
}

double model_seconds(Wide cost) { return (double)cost * PLAN_UNIT; }

static double fraction(ModelBuild *b, Sharding sharding) {
  Model *m = b->m;
  while (b->fractions.count <= sharding) VEC_PUSH(&m->arena, &b->fractions, 0);
  double *known = &b->fractions.items[sharding];
  if (*known > 0) return *known;
  const ShardingInfo *info = sharding_info(m->strategies.table, sharding);
  double ways = 1;
  for (uint32_t d = 0; sharding && d < info->rank; d++) ways *= (double)sharding_tiles(info, d);
  return *known = 1 / ways;
}

static bool price_equal(const void *owner, uint32_t id, const void *key) {
  const PriceRow *a = &((const ModelBuild *)owner)->prices.items[id], *b = key;
  return a->from == b->from && a->to == b->to && a->type == b->type;
}

// Slices without communication still read and write memory.
static double slice_seconds(ModelBuild *b, Price price, Sharding to, Type type) {
  const Model *m = b->m;
  if (price.bytes > 0 || !to) return 0;
  return rates_seconds(&m->rates, 0, 2 * fusion_bytes(m->p, type) * fraction(b, to), DT_f32, false);
}

// Seconds of a reshard. Without a plan it goes through the replicated value.
static double reshard_seconds(ModelBuild *b, Sharding from, Sharding to, Type type) {
  if (from == to) return 0;
  PriceRow row = {from, to, type, 0};
  uint64_t hash = hash_mix(hash_mix(from, to), type);
  uint32_t id = idmap_find(&b->price_ids, hash, price_equal, b, &row);
  if (id) return b->prices.items[id].seconds;
  Model *m = b->m;
  Arena *scratch = &m->strategies.scratch;
  ArenaMark mark = arena_mark(scratch);
  Price price = {0, 0, 0};
  Status *status =
      reshard_estimate(m->strategies.table, &m->network, from, to, type, scratch, &price);
  arena_rewind(scratch, mark);
  if (!status)
    row.seconds = price.seconds + slice_seconds(b, price, to, type);
  else if (from && to)
    row.seconds = reshard_seconds(b, from, 0, type) + reshard_seconds(b, 0, to, type);
  status_free(status);
  VEC_PUSH(&m->arena, &b->prices, row);
  idmap_add(&b->price_ids, m->guard, hash, b->prices.count - 1);
  return row.seconds;
}

// ---- variables ----

static uint32_t add_var(ModelBuild *b, ModelVar var) {
  Arena *arena = &b->m->arena;
  var.costs = ARENA_ARRAY(arena, int64_t, var.n);
  var.sent = ARENA_ARRAY(arena, int64_t, var.n);
  var.bytes = ARENA_ARRAY(arena, int64_t, var.n);
  var.position = b->position;
  VEC_PUSH(arena, &b->m->vars, var);
  return b->m->vars.count - 1;
}

// The shardings of the list that a requirement allows: axes of closed dimensions exactly, at least
// those of open dimensions.
static ListId allowed(ModelBuild *b, ListId list, Sharding required) {
  Strategies *s = &b->m->strategies;
  if (required == PLAN_FREE) return list;
  const ShardingInfo *want = sharding_info(s->table, required);
  ShardingList all = strategies_list(s, list);
  Sharding *kept = ARENA_ARRAY(&b->m->arena, Sharding, all.n + 1);
  uint32_t n = 0;
  for (uint32_t i = 0; required && i < all.n; i++) {
    const ShardingInfo *has = sharding_info(s->table, all.v[i]);
    bool fits = true;
    for (uint32_t d = 0; d < want->rank && fits; d++) {
      AxisList w = sharding_dim_axes(want, d);
      AxisList h = all.v[i] ? sharding_dim_axes(has, d) : (AxisList){NULL, 0};
      fits =
          h.n >= w.n && (h.n == w.n || want->dims[d].open) && axes_equal((AxisList){h.v, w.n}, w);
    }
    if (fits) kept[n++] = all.v[i];
  }
  if (n) return strategies_intern(s, kept, n);
  kept[0] = required;  // axes in another order, sub-axes …
  return strategies_intern(s, kept, 1);
}

static Sharding required_of(const ModelBuild *b, ValueId v) {
  return b->m->options.fixed ? b->m->options.fixed[v] : PLAN_FREE;
}

static uint32_t add_held(ModelBuild *b, VarKind kind, Type type, Sharding required, ModelVar var) {
  var.kind = kind;
  var.list = allowed(b, strategies_held(&b->m->strategies, type), required);
  var.n = strategies_list(&b->m->strategies, var.list).n;
  return add_var(b, var);
}

static void set_bytes(ModelBuild *b, uint32_t var, double bytes, int64_t begin, int64_t end) {
  ModelVar *v = &b->m->vars.items[var];
  ShardingList list = strategies_list(&b->m->strategies, v->list);
  for (uint32_t k = 0; k < v->n; k++) v->bytes[k] = (int64_t)(bytes * fraction(b, list.v[k]));
  v->begin = begin;
  v->end = end;
}

static void use(ModelBuild *b, ValueId v, uint32_t var, ListId list, double runs) {
  VEC_PUSH(&b->m->arena, &b->uses, ((Use){v, var, list, runs, b->position}));
}

static ListId replicated_list(ModelBuild *b) {
  return strategies_intern(&b->m->strategies, (Sharding[]){0}, 1);
}

// ---- ops ----

static double size_of(const Model *m, ValueId v) { return fusion_bytes(m->p, value_type(m->p, v)); }

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
    b->read_by[r] = group;
    uint32_t at = work_touched(p, op, i);
    Type type = at < n ? op_operand_type(p, op, at) : op_result_type(p, op, at - n);
    double bytes = fusion_bytes(p, type);
    out[found++] = (Moved){at, at == i ? fmin(size_of(m, r), bytes) : bytes};
  }
  for (uint32_t i = 0; i < op_at(p, op)->n_results; i++) {
    ValueId v = op_result(p, op, i);
    if (f->root[v] != v || !f->stored[v]) continue;
    uint32_t at = work_touched(p, op, n + i);
    out[found++] =
        (Moved){at, at < n ? fusion_bytes(p, op_operand_type(p, op, at)) : size_of(m, v)};
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
    sizes[i] = elements_of(m, type) * fraction(b, tensor_as(m, set, i, k));
  }
  return op_padding(m->p, op, &m->rates, flops, sizes[0], sizes[1], sizes[2]);
}

// Sets the seconds of each strategy of an op.
static void price_op(ModelBuild *b, uint32_t var) {
  Model *m = b->m;
  ModelVar *v = &m->vars.items[var];
  const StrategySet *set = &m->strategies.sets.items[v->set];
  OpId op = v->op;
  if (is_free(m, op)) return;
  uint32_t n = op_at(m->p, op)->n_operands + op_at(m->p, op)->n_results;
  Moved *moved = ARENA_ARRAY(&m->strategies.scratch, Moved, n + 1);
  uint32_t n_moved = list_moved(b, op, moved), group = m->fusion.group[op];
  bool contracts = op_contracts(m->p, op);
  DType type = op_at(m->p, op)->n_operands ? type_dtype(m->p->context, op_operand_type(m->p, op, 0))
                                           : DT_f32;
  double flops = op_work(m->p, op);
  // In a fusion that memory limits, FLOPs are hidden behind its bytes, and the other way round.
  bool alone = contracts || !op_fusing(m->p, op);
  bool memory = rates_seconds(&m->rates, 0, b->group_bytes[group], type, contracts) >=
                rates_seconds(&m->rates, b->group_flops[group], 0, type, contracts);
  double start = b->group_started[group] ? 0 : m->rates.op_seconds;
  b->group_started[group] = true;
  for (uint32_t k = 0; k < v->n; k++) {
    double bytes = 0, work = set->n ? set->items[k].work : 1;
    for (uint32_t i = 0; i < n_moved; i++)
      bytes += moved[i].bytes * fraction(b, tensor_as(m, set, moved[i].tensor, k));
    double own_flops = flops * work * padding_of(b, op, set, k, flops * work);
    double seconds = rates_seconds(&m->rates, alone || !memory ? own_flops : 0,
                                   alone || memory ? bytes : 0, type, contracts);
    double own = set->n ? set->items[k].own.seconds : 0;
    v->costs[k] = units((seconds + start) * v->runs);
    v->sent[k] = units(own * v->runs);
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
        !value_at(m->p, r)->is_arg && size_of(m, r) >= size_of(m, result))
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
static void size_op(ModelBuild *b, uint32_t var, const bool *has_copy) {
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
      v->bytes[k] += (int64_t)(size_of(m, r) * fraction(b, tensor_as(m, set, n_in + i, k)));
    if (has_copy[r]) continue;
    if (b->last[r] + 1 > v->end) v->end = b->last[r] + 1;
    uint32_t from = n == 1 ? stored_from(b, v->op, r) : v->position;
    if (from < v->end) v->begin = from;
  }
}

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
  Sharding required = required_of(b, result);
  if (required == PLAN_FREE) return;
  ModelVar *v = &b->m->vars.items[var];
  ShardingList all = strategies_list(&b->m->strategies, list);
  ShardingList kept = strategies_list(&b->m->strategies, allowed(b, list, required));
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
      use(b, op_operand(m->p, op, i), NO_VAR, replicated_list(b), runs);
    VEC_PUSH(&m->arena, &b->order, NO_VAR);
    return;
  }
  uint32_t set = strategies_of_op(&m->strategies, op);
  const StrategySet *s = &m->strategies.sets.items[set];
  uint32_t var = add_var(
      b, (ModelVar){.kind = VAR_OP, .op = op, .set = set, .n = set ? s->n : 1, .runs = runs});
  s = &m->strategies.sets.items[set];
  for (uint32_t i = 0; i < o->n_operands; i++)
    use(b, op_operand(m->p, op, i), set ? var : NO_VAR, set ? s->in[i] : replicated_list(b), runs);
  for (uint32_t i = 0; i < o->n_results; i++)
    b->ports[op_result(m->p, op, i)] = (Port){var, set ? s->out[i] : replicated_list(b)};
  VEC_PUSH(&m->arena, &b->order, var);
}

// ---- control flow ----

static Status *model_block(ModelBuild *b, BlockId block, double runs, const uint32_t *targets);

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
// A carry that it returns unchanged has the buffer of the value that enters the loop.
static void find_homes(ModelBuild *b, OpId op, const uint32_t *vars, uint32_t n) {
  Model *m = b->m;
  const Program *p = m->p;
  BlockId block = region_block(p, op_region(p, op, op_at(p, op)->n_regions - 1));
  OpId end = block ? block_at(p, block)->last : 0;
  for (uint32_t i = 0; end && i < n && i < op_at(p, end)->n_operands; i++) {
    ValueId carry = block_arg(p, block, i), r = m->fusion.root[op_operand(p, end, i)];
    m->vars.items[vars[i]].shares = op_operand(p, end, i) == carry;
    if (r != carry && b->made_at[r] > b->made_at[carry] && b->last[carry] <= b->made_at[r] &&
        size_of(m, r) == size_of(m, carry))
      b->returned[r] = true;
  }
}

static Status *model_flow(ModelBuild *b, OpId op, Flow flow, double runs) {
  Model *m = b->m;
  Program *p = m->p;
  uint32_t n_in = op_at(p, op)->n_operands, n_out = op_at(p, op)->n_results, begin = b->position;
  bool carries = flow == FLOW_LOOP || flow == FLOW_EACH || flow == FLOW_BODY;
  if (op_attr(p, op, "manual_axes")) {
    diag_error(b->diag, op_at(p, op)->pos,
               "'%s' op cannot be planned: its body is written for each device", op_name(p, op));
    return diag_status(b->diag);
  }
  uint32_t *vars = ARENA_ARRAY(&m->arena, uint32_t, (n_out > n_in ? n_out : n_in) + 1);
  for (uint32_t i = 0; i < n_out; i++) {
    ValueId v = op_result(p, op, i);
    vars[i] = add_held(b, VAR_BORDER, value_type(p, v), required_of(b, v),
                       (ModelVar){.op = op, .value = v, .index = i, .runs = runs});
    b->ports[v] = (Port){vars[i], m->vars.items[vars[i]].list};
  }
  for (uint32_t i = 0; i < n_in; i++) {
    bool into = carries && i < n_out && flow != FLOW_BODY;
    use(b, op_operand(p, op, i), into ? vars[i] : NO_VAR,
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
      uint32_t var = add_held(b, VAR_BORDER, value_type(p, arg), required_of(b, arg),
                              (ModelVar){.op = op, .value = arg, .index = i, .runs = runs});
      b->ports[arg] = (Port){var, m->vars.items[var].list};
      b->position--;  // its use is at the op
      use(b, op_operand(p, op, i), var, b->ports[arg].list, runs);
      b->position++;
    }
    b->position++;
    bool returns = flow == FLOW_BRANCH || flow == FLOW_BODY || r + 1 == n_regions;
    TRY(model_block(b, block, runs * trips, returns ? vars : NULL));
  }
  if (n_regions) extend_captured(b, op, begin);
  if (flow == FLOW_LOOP) find_homes(b, op, vars, n_out);
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

// targets: variables of what the terminator returns; NULL: all must be replicated.
static Status *model_block(ModelBuild *b, BlockId block, double runs, const uint32_t *targets) {
  Model *m = b->m;
  Program *p = m->p;
  for (OpId op = block_at(p, block)->first; op; op = op_at(p, op)->next) {
    note_uses(b, op);
    if (op_row(op_at(p, op)->code)->traits & TRAIT_TERMINATOR) {
      for (uint32_t i = 0; i < op_at(p, op)->n_operands; i++)
        use(b, op_operand(p, op, i), targets ? targets[i] : NO_VAR,
            targets ? m->vars.items[targets[i]].list : replicated_list(b), runs);
      VEC_PUSH(&m->arena, &b->order, NO_VAR);
      b->position++;
      break;
    }
    for (uint32_t i = 0; i < op_at(p, op)->n_results; i++)
      b->made_at[op_result(p, op, i)] = b->position;
    Flow flow = op_flow(p, op);
    if (flow != FLOW_NONE)
      TRY(model_flow(b, op, flow, runs));
    else
      model_op(b, op, runs);
    b->position++;
  }
  return NULL;
}

// ---- edges ----

static bool matrix_equal(const void *owner, uint32_t id, const void *key) {
  const MatrixRow *a = &((const ModelBuild *)owner)->matrices.items[id], *b = key;
  return a->a == b->a && a->b == b->b && a->type == b->type && a->runs == b->runs;
}

// The matrix of reshard prices between two lists.
static uint32_t prices_of(ModelBuild *b, ListId from, ListId to, Type type, double runs) {
  Model *m = b->m;
  MatrixRow row = {from, to, type, runs, 0};
  uint64_t hash = hash_mix(hash_mix(from, to), hash_mix(type, (uint64_t)runs));
  uint32_t id = idmap_find(&b->matrix_ids, hash, matrix_equal, b, &row);
  if (id) return b->matrices.items[id].matrix;
  ShardingList x = strategies_list(&m->strategies, from), y = strategies_list(&m->strategies, to);
  int64_t *entries = mem_alloc(((size_t)x.n * y.n + 1) * sizeof *entries);
  if (!entries) guard_throw(m->guard, status_no_memory());
  GuardCleanup cleanup = {mem_free, entries, NULL};
  guard_push(m->guard, &cleanup);
  for (uint32_t i = 0; i < x.n; i++)
    for (uint32_t k = 0; k < y.n; k++)
      entries[(size_t)i * y.n + k] = units(reshard_seconds(b, x.v[i], y.v[k], type) * runs);
  row.matrix = problem_matrix(&m->problem, entries, x.n * y.n);
  guard_pop(m->guard, &cleanup);
  mem_free(entries);
  VEC_PUSH(&m->arena, &b->matrices, row);
  idmap_add(&b->matrix_ids, m->guard, hash, b->matrices.count - 1);
  return row.matrix;
}

static void add_edge(Model *m, uint32_t a, uint32_t c, uint32_t matrix) {
  HEAPVEC_PUSH(m->guard, &m->problem.edges, ((PlanEdge){a, c, matrix}));
}

// Joins two variables, or adds the price to the one that is there if the other is fixed.
static void join(ModelBuild *b, Port from, uint32_t to, ListId to_list, Type type, double runs) {
  Model *m = b->m;
  ShardingList x = strategies_list(&m->strategies, from.list),
               y = strategies_list(&m->strategies, to_list);
  if (from.var == to && to != NO_VAR) {
    for (uint32_t k = 0; from.list != to_list && k < x.n; k++)
      m->vars.items[to].sent[k] += units(reshard_seconds(b, x.v[k], y.v[k], type) * runs);
    return;
  }
  if (to != NO_VAR && y.n > 1) {
    if (x.n > 1) {
      add_edge(m, from.var, to, prices_of(b, from.list, to_list, type, runs));
      return;
    }
    for (uint32_t k = 0; k < y.n; k++)
      m->vars.items[to].sent[k] += units(reshard_seconds(b, x.v[0], y.v[k], type) * runs);
    return;
  }
  for (uint32_t k = 0; k < x.n; k++)
    m->vars.items[from.var].sent[k] += units(reshard_seconds(b, x.v[k], y.v[0], type) * runs);
}

static int by_value(const void *a, const void *b) {
  const Use *x = a, *y = b;
  if (x->value != y->value) return x->value < y->value ? -1 : 1;
  if (x->position != y->position) return x->position < y->position ? -1 : 1;
  return x->var < y->var ? -1 : x->var > y->var;
}

static int by_id(const void *a, const void *b) {
  Sharding x = *(const Sharding *)a, y = *(const Sharding *)b;
  return x < y ? -1 : x > y;
}

// All shardings in which a value is made or used, each once.
static ListId list_of_copy(ModelBuild *b, ListId made, const Use *uses, uint32_t n) {
  Strategies *s = &b->m->strategies;
  ArenaMark mark = arena_mark(&s->scratch);
  VEC(Sharding) all = {0};
  ListId before = 0;
  for (uint32_t u = 0; u <= n; u++) {
    ListId id = u ? uses[u - 1].list : made;
    ShardingList list = strategies_list(s, id);
    for (uint32_t i = 0; id != before && i < list.n; i++) VEC_PUSH(&s->scratch, &all, list.v[i]);
    before = id;
  }
  qsort(all.items, all.count, sizeof *all.items, by_id);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < all.count; i++)
    if (!kept || all.items[kept - 1] != all.items[i]) all.items[kept++] = all.items[i];
  if (kept > MOST_COPIES) kept = MOST_COPIES;
  ListId list = strategies_intern(s, all.items, kept);
  arena_rewind(&s->scratch, mark);
  return list;
}

// Joins a value to users that are near each other.
static void join_uses(ModelBuild *b, const Use *uses, uint32_t n, bool *has_copy) {
  Model *m = b->m;
  ValueId v = uses->value;
  Port from = b->ports[v];
  Type type = value_type(m->p, v);
  if (n == 1 || strategies_list(&m->strategies, from.list).n == 1) {
    for (uint32_t i = 0; i < n; i++) join(b, from, uses[i].var, uses[i].list, type, uses[i].runs);
    return;
  }
  ListId list = list_of_copy(b, from.list, uses, n);
  uint32_t position = b->position;
  b->position = b->made_at[v];
  double runs = m->vars.items[from.var].runs;
  uint32_t var = add_var(b, (ModelVar){.kind = VAR_COPY,
                                       .value = v,
                                       .list = list,
                                       .n = strategies_list(&m->strategies, list).n,
                                       .runs = runs});
  b->position = position;
  m->n_copies++;
  join(b, from, var, list, type, runs > 0 ? runs : 1);
  Port copy = {var, list};
  for (uint32_t i = 0; i < n; i++) join(b, copy, uses[i].var, uses[i].list, type, uses[i].runs);
  const Fusion *f = &m->fusion;
  if (!value_def(m->p, v) || f->root[v] != v || !f->stored[v] || b->returned[v]) return;
  if (m->vars.items[from.var].kind != VAR_OP) return;
  has_copy[v] = true;
  set_bytes(b, var, size_of(m, v), (int64_t)b->made_at[v] + 1, (int64_t)b->last[v] + 1);
}

// Arguments, and simple functions of them (a conversion to bf16): the partitioner gathers them
// again for users that are far apart.
static bool is_stored(const Program *p, ValueId v) {
  enum { STORED_DEPTH = 4 };
  for (uint32_t depth = 0;; depth++) {
    OpId op = value_def(p, v);
    if (!op) return true;
    uint32_t traits = op_row(op_at(p, op)->code)->traits;
    if (depth == STORED_DEPTH || op_at(p, op)->n_operands != 1 ||
        !(traits & (TRAIT_ELEMENTWISE | TRAIT_PASSES)))
      return false;
    v = op_operand(p, op, 0);
  }
}

// O(uses · log uses).
static void join_all(ModelBuild *b, bool *has_copy) {
  if (b->uses.count) qsort(b->uses.items, b->uses.count, sizeof *b->uses.items, by_value);
  for (uint32_t i = 0, n; i < b->uses.count; i += n) {
    const Use *u = &b->uses.items[i];
    bool argument = is_stored(b->m->p, u->value);
    for (n = 1; i + n < b->uses.count && u[n].value == u->value; n++)
      if (argument && u[n].position - u[n - 1].position > REGION_OPS) break;
    if (b->ports[u->value].var != NO_VAR) join_uses(b, u, n, has_copy);
  }
}

// ---- ties ----

static void add_tie(Model *m, uint32_t a, uint32_t c) {
  uint32_t n = m->vars.items[a].n;
  if (a == c || n != m->vars.items[c].n || n == 1) return;
  int64_t *entries = ARENA_ARRAY(&m->strategies.scratch, int64_t, (size_t)n *n);
  for (uint32_t i = 0; i < n * n; i++) entries[i] = i % (n + 1) ? PLAN_FORBIDDEN : 0;
  add_edge(m, a, c, problem_matrix(&m->problem, entries, n * n));
  m->n_ties++;
}

// Ties ops of repeated layers, and the arguments and copies of their values. O(ops · candidates).
static void tie_layers(ModelBuild *b) {
  Model *m = b->m;
  const Program *p = m->p;
  ArenaMark mark = arena_mark(&m->strategies.scratch);
  Arena *scratch = &m->strategies.scratch;
  uint32_t n = 0, n_operands = 0, n_vars = m->vars.count;
  uint32_t *index = ARENA_ARRAY(scratch, uint32_t, n_vars + 1);  // per variable: its op, + 1
  uint32_t *vars = ARENA_ARRAY(scratch, uint32_t, n_vars + 1);
  for (uint32_t i = 0; i < b->order.count; i++) {
    uint32_t v = b->order.items[i];
    if (v == NO_VAR) continue;
    n_operands += op_at(p, m->vars.items[v].op)->n_operands;
    vars[n] = v;
    index[v] = ++n;
  }
  TieOp *ops = ARENA_ARRAY(scratch, TieOp, n + 1);
  TieOperand *operands = ARENA_ARRAY(scratch, TieOperand, n_operands + 1);
  uint32_t *tie = ARENA_ARRAY(scratch, uint32_t, n + 1), at = 0;
  for (uint32_t i = 0; i < n; i++) {
    const ModelVar *v = &m->vars.items[vars[i]];
    uint32_t n_in = op_at(p, v->op)->n_operands;
    uint64_t key = v->set ? v->set : op_hash(p, v->op);
    ops[i] = (TieOp){hash_mix(key, (uint64_t)v->runs), at, n_in};
    for (uint32_t k = 0; k < n_in; k++) {
      ValueId x = op_operand(p, v->op, k);
      Port port = b->ports[x];
      bool op = port.var != NO_VAR && m->vars.items[port.var].kind == VAR_OP;
      operands[at++] = op ? (TieOperand){index[port.var] - 1, 0}
                          : (TieOperand){TIE_NONE, port.var == NO_VAR ? 0 : value_type(p, x)};
    }
  }
  m->n_tied_ops = ties_find(ops, n, operands, scratch, tie);
  // Copies, by the value that they are of.
  uint32_t *copy_of = ARENA_ARRAY(scratch, uint32_t, p->values.count + 1);
  for (uint32_t v = 0; v < n_vars; v++)
    if (m->vars.items[v].kind == VAR_COPY) copy_of[m->vars.items[v].value] = v + 1;
  bool *done = ARENA_ARRAY(scratch, bool, n_vars + 1);
  for (uint32_t i = 0; i < n; i++) {
    if (tie[i] == i) continue;
    const ModelVar *x = &m->vars.items[vars[i]], *y = &m->vars.items[vars[tie[i]]];
    add_tie(m, vars[tie[i]], vars[i]);
    for (uint32_t k = 0; k < op_at(p, x->op)->n_operands; k++) {
      Port a = b->ports[op_operand(p, x->op, k)], c = b->ports[op_operand(p, y->op, k)];
      if (a.var == NO_VAR || c.var == NO_VAR || a.list != c.list || done[a.var]) continue;
      if (m->vars.items[a.var].kind != VAR_ARGUMENT || m->vars.items[c.var].kind != VAR_ARGUMENT)
        continue;
      done[a.var] = true;
      add_tie(m, c.var, a.var);
    }
    for (uint32_t k = 0; k < op_at(p, x->op)->n_results; k++) {
      uint32_t a = copy_of[op_result(p, x->op, k)], c = copy_of[op_result(p, y->op, k)];
      if (a && c && m->vars.items[a - 1].list == m->vars.items[c - 1].list)
        add_tie(m, c - 1, a - 1);
    }
  }
  arena_rewind(scratch, mark);
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

// Per fusion: its FLOPs and bytes in the global program, which say what limits it.
static void sum_fusions(ModelBuild *b) {
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

static void add_arguments(ModelBuild *b, BlockId block) {
  Model *m = b->m;
  m->n_arguments = block_at(m->p, block)->n_args;
  m->argument_vars = ARENA_ARRAY(&m->arena, uint32_t, m->n_arguments + 1);
  for (uint32_t i = 0; i < m->n_arguments; i++) {
    ValueId v = block_arg(m->p, block, i);
    m->argument_vars[i] = add_held(b, VAR_ARGUMENT, value_type(m->p, v), required_of(b, v),
                                   (ModelVar){.value = v, .index = i, .runs = 1});
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
    set_bytes(b, m->argument_vars[i], size_of(m, v), 0, ends ? (int64_t)b->last[v] + 1 : end);
  }
  for (uint32_t i = 0; i < m->n_results; i++)
    if (m->vars.items[m->result_vars[i]].kind == VAR_RESULT)
      set_bytes(b, m->result_vars[i], fusion_bytes(m->p, function_result_type(m->p, m->entry, i)),
                b->made_at[m->fusion.root[op_operand(m->p, last, i)]], end);
  for (uint32_t v = 0; v < m->vars.count; v++) {
    ModelVar *var = &m->vars.items[v];
    ValueId made = var->kind == VAR_OP     ? op_result(m->p, var->op, 0)
                   : var->kind == VAR_COPY ? var->value
                                           : 0;
    var->new_state = made && !b->returned[made] && b->last[made] + 1 == end;
    if (var->kind == VAR_BORDER && !var->shares && m->fusion.stored[m->fusion.root[var->value]] &&
        m->fusion.root[var->value] == var->value)
      set_bytes(b, v, size_of(m, var->value), b->made_at[var->value],
                (int64_t)b->last[var->value] + 1);
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

void model_scale(Model *m, double communication, double limit_bytes) {
  Problem *problem = &m->problem;
  for (uint32_t i = 0; i < problem->entries.count; i++)
    if (m->entries[i] < PLAN_FORBIDDEN)
      problem->entries.items[i] = (int64_t)((double)m->entries[i] * communication);
  uint32_t at = 0;
  for (uint32_t i = 0; i < m->vars.count; i++) {
    const ModelVar *v = &m->vars.items[i];
    for (uint32_t k = 0; k < v->n; k++, at++)
      if (v->costs[k] < PLAN_FORBIDDEN)
        problem->costs.items[at] = v->costs[k] + (int64_t)((double)v->sent[k] * communication);
  }
  problem->limit_bytes = (int64_t)limit_bytes;
}

static void put_vars(ModelBuild *b) {
  Model *m = b->m;
  Problem *problem = &m->problem;
  for (uint32_t i = 0; i < m->vars.count; i++) {
    const ModelVar *v = &m->vars.items[i];
    problem_add_var(problem, v->n, v->costs, v->bytes, v->begin, v->end);
  }
  m->entries = arena_copy(&m->arena, problem->entries.items,
                          problem->entries.count * sizeof *problem->entries.items);
  model_scale(m, 1, machine_usable_bytes(m->options.machine, m->options.n_devices));
}

static Status *build(ModelBuild *b) {
  Model *m = b->m;
  BlockId block = region_block(m->p, op_region(m->p, m->entry, 0));
  sum_fusions(b);
  add_arguments(b, block);
  add_results(b);
  mark_returned(b, block);
  b->position = 1;
  TRY(model_block(b, block, 1, m->result_vars));
  for (uint32_t i = 0; i < m->vars.count; i++) {
    if (m->vars.items[i].kind != VAR_OP) continue;
    ArenaMark mark = arena_mark(&m->strategies.scratch);
    price_op(b, i);
    OpId op = m->vars.items[i].op;
    for (uint32_t k = 0; k < op_at(m->p, op)->n_results && m->vars.items[i].set; k++)
      forbid(b, i, op_result(m->p, op, k), b->ports[op_result(m->p, op, k)].list);
    arena_rewind(&m->strategies.scratch, mark);
  }
  bool *has_copy = ARENA_ARRAY(&m->arena, bool, m->p->values.count + 1);
  join_all(b, has_copy);
  for (uint32_t i = 0; i < m->vars.count; i++)
    if (m->vars.items[i].kind == VAR_OP) size_op(b, i, has_copy);
  size_borders(b, block);
  if (!m->options.untied) tie_layers(b);
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
  m->strategies.call_rules = options->call_rules;
  m->rates = machine_rates(options->machine, options->n_devices);
  m->network =
      machine_network_reached(options->machine, p->context, devices, m->rates.links, &m->arena);
  fusion_find(p, &m->arena, &m->fusion);
  Entries entries = program_entries(p, &m->arena);
  m->entry = entries.n ? entries.v[0] : 0;
  if (!m->entry || !region_block(p, op_region(p, m->entry, 0)))
    FAIL(INVALID_ARGUMENT, "the program has no function with a body: nothing can be planned");
  uint32_t n_values = p->values.count + 1, n_ops = p->ops.count + 1;
  ModelBuild *b = ARENA_NEW(&m->arena, ModelBuild);
  *b = (ModelBuild){.m = m,
                    .diag = diag,
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
