// Problem: what it costs that a value is made in one sharding and read in another.
//
// Idea: each value is joined to its users: directly if there is one, through a copy if there are
// several, so that a reshard that they share is paid once. A matrix of reshard prices is computed
// once per pair of interned lists.
//
// Cost: O(uses · log uses + distinct pairs of lists · strategies²).
#include <stdlib.h>

#include "base/mem.h"
#include "cost/op_seconds.h"
#include "ops/op.h"
#include "ops/work.h"
#include "plan/model_private.h"
#include "reshard/reshard.h"

enum { MOST_COPIES = 64 };
// Users of an argument that are farther apart read copies of their own: weights are gathered again
// in the backward pass.
enum { REGION_OPS = 64 };

static bool price_equal(const void *owner, uint32_t id, const void *key) {
  const PriceRow *a = &((const ModelBuild *)owner)->prices.items[id], *b = key;
  return a->from == b->from && a->to == b->to && a->type == b->type;
}

// The price of a reshard. Without a plan it goes through the replicated value.
static Price reshard_price(ModelBuild *b, Sharding from, Sharding to, Type type) {
  if (from == to) return (Price){0};
  PriceRow row = {.from = from, .to = to, .type = type};
  uint64_t hash = hash_mix(hash_mix(from, to), type);
  uint32_t id = idmap_find(&b->price_ids, hash, price_equal, b, &row);
  if (id) return b->prices.items[id].price;
  Model *m = b->m;
  Arena *scratch = &m->strategies.scratch;
  ArenaMark mark = arena_mark(scratch);
  Status *status =
      reshard_estimate(m->strategies.table, &m->network, from, to, type, scratch, &row.price);
  arena_rewind(scratch, mark);
  if (status && from && to)
    row.price = price_sum(reshard_price(b, from, 0, type), reshard_price(b, 0, to, type));
  else if (status)
    row.price = (Price){0};
  status_free(status);
  if (row.price.transfer_seconds > row.price.seconds)
    row.price.transfer_seconds = row.price.seconds;
  VEC_PUSH(&m->arena, &b->prices, row);
  idmap_add(&b->price_ids, m->guard, hash, b->prices.count - 1);
  return row.price;
}

static bool matrix_equal(const void *owner, uint32_t id, const void *key) {
  const MatrixRow *a = &((const ModelBuild *)owner)->matrices.items[id], *b = key;
  return a->a == b->a && a->b == b->b && a->type == b->type && a->runs == b->runs &&
         a->slack == b->slack && a->window == b->window && a->part == b->part &&
         a->breaks == b->breaks;
}

// Windows are rounded down to powers of 4, so that equal reshards of a few layers share a matrix.
static uint8_t window_power(double window) {
  double units = window / PLAN_UNIT;
  uint8_t power = 0;
  while (units >= 4) units /= 4, power++;
  return power;
}

static double window_seconds(uint8_t power) {
  double units = power ? 1 : 0;
  for (uint8_t i = 0; i < power; i++) units *= 4;
  return units * PLAN_UNIT;
}

// What a reshard of a value does to the fusions around it.
enum {
  BREAKS_FUSION = 1,  // the value is not stored otherwise
  SLICES_ALONE = 2,   // no fusion takes a slice of it: a broadcast is written first
};

static uint8_t breaks_of(const ModelBuild *b, ValueId v) {
  const Program *p = b->m->p;
  const Fusion *f = &b->m->fusion;
  OpId op = value_def(p, v);
  bool itself = f->root[v] == v || (op && op_keeps_buffer(p, op)), fuses = false;
  for (OperandId use = value_at(p, v)->first_use; use && !fuses; use = operand_at(p, use)->next_use)
    fuses = op_fusing(p, operand_at(p, use)->user) != FUSING_NONE;
  return (uint8_t)((itself && f->stored[f->root[v]] ? 0 : BREAKS_FUSION) |
                   (fuses && itself ? 0 : SLICES_ALONE));
}

// Whether a reshard gathers several dimensions: one collective does, and a transpose puts the tiles
// in order.
static bool gathers_several(const ModelBuild *b, Sharding from, Sharding to) {
  const ShardingTable *table = b->m->strategies.table;
  const ShardingInfo *x = sharding_info(table, from), *y = sharding_info(table, to);
  uint32_t n = 0;
  for (uint32_t d = 0; from && d < x->rank; d++)
    n += sharding_tiles(x, d) > (to ? sharding_tiles(y, d) : 1);
  return n > 1;
}

// Seconds of the device's work for a reshard: it stores and reads again what would have stayed in a
// fusion, takes a slice by a kernel of its own, or transposes gathered tiles.
static double reshard_work(ModelBuild *b, Sharding from, Sharding to, Type type, Price price,
                           uint8_t breaks) {
  const Model *m = b->m;
  bool slices = price.bytes <= 0;
  if (from == to) return 0;
  double parts = 0;
  if (breaks & (slices ? SLICES_ALONE : BREAKS_FUSION))
    parts = model_fraction(b, slices ? to : from) + model_fraction(b, to);
  if (!slices && gathers_several(b, from, to)) parts += 2 * model_fraction(b, to);
  if (parts <= 0) return 0;
  return rates_seconds(&m->rates, 0, parts * fusion_bytes(m->p, type), DT_f32, false);
}

static Sent sent_of(ModelBuild *b, Sharding from, Sharding to, Type type, double runs,
                    uint8_t breaks) {
  Price price = reshard_price(b, from, to, type);
  return (Sent){model_units(price.transfer_seconds * runs),
                model_units((price.seconds - price.transfer_seconds) * runs),
                model_units(reshard_work(b, from, to, type, price, breaks) * runs)};
}

// The matrix of reshard prices between two lists. Matrices of different classes differ, although
// their entries may be equal: they are priced apart.
static uint32_t prices_of(ModelBuild *b, ListId from, ListId to, ValueId value, double runs,
                          uint32_t position) {
  Model *m = b->m;
  Problem *problem = &m->problem;
  Type type = value_type(m->p, value);
  MatrixRow row = {.a = from, .b = to, .type = type, .runs = runs, .slack = b->slack[value]};
  row.breaks = breaks_of(b, value);
  if (row.slack == SLACK_NONE)
    row.part = model_part_of_step(b, b->made_at[value]);
  else
    row.window = window_power(model_window(b, value, position, runs));
  uint64_t hash =
      hash_mix(hash_mix(hash_mix(from, to), hash_mix(type, (uint64_t)runs)),
               hash_mix(hash_mix(row.slack, row.window), hash_mix(row.part, row.breaks)));
  uint32_t id = idmap_find(&b->matrix_ids, hash, matrix_equal, b, &row);
  if (id) return b->matrices.items[id].matrix;
  ShardingList x = strategies_list(&m->strategies, from), y = strategies_list(&m->strategies, to);
  row.matrix = problem->matrices.count;
  PlanMatrix matrix = {problem->entries.count, x.n * y.n};
  HEAPVEC_PUSH(m->guard, &problem->matrices, matrix);
  VEC_PUSH(&m->arena, &m->parts,
           ((MatrixPart){row.slack, row.part, window_seconds(row.window) * runs, runs}));
  for (uint32_t i = 0; i < x.n; i++)
    for (uint32_t k = 0; k < y.n; k++) {
      Sent sent = sent_of(b, x.v[i], y.v[k], type, runs, row.breaks);
      VEC_PUSH(&m->arena, &m->sent, sent);
      HEAPVEC_PUSH(m->guard, &problem->entries, 0);
    }
  VEC_PUSH(&m->arena, &b->matrices, row);
  idmap_add(&b->matrix_ids, m->guard, hash, b->matrices.count - 1);
  return row.matrix;
}

void model_add_edge(Model *m, uint32_t a, uint32_t c, uint32_t matrix) {
  HEAPVEC_PUSH(m->guard, &m->problem.edges, ((PlanEdge){a, c, matrix}));
}

// Adds the price of a reshard to the strategy of a variable, if the other one is fixed.
static void add_price(ModelBuild *b, uint32_t var, uint32_t k, Sharding from, Sharding to,
                      ValueId value, double runs) {
  ModelVar *v = &b->m->vars.items[var];
  Sent more = sent_of(b, from, to, value_type(b->m->p, value), runs, breaks_of(b, value));
  Sent *sent = &v->sent[b->slack[value] * v->n + k];
  sent->transfer += more.transfer;
  sent->latency += more.latency;
  sent->work += more.work;
}

// Joins two variables. position: of the use.
static void join(ModelBuild *b, Port from, uint32_t to, ListId to_list, ValueId value, double runs,
                 uint32_t position) {
  Model *m = b->m;
  ShardingList x = strategies_list(&m->strategies, from.list),
               y = strategies_list(&m->strategies, to_list);
  if (from.var == to && to != NO_VAR) {
    for (uint32_t k = 0; from.list != to_list && k < x.n; k++)
      add_price(b, to, k, x.v[k], y.v[k], value, runs);
    return;
  }
  if (to != NO_VAR && y.n > 1) {
    if (x.n > 1) {
      model_add_edge(m, from.var, to, prices_of(b, from.list, to_list, value, runs, position));
      return;
    }
    for (uint32_t k = 0; k < y.n; k++) add_price(b, to, k, x.v[0], y.v[k], value, runs);
    return;
  }
  for (uint32_t k = 0; k < x.n; k++) add_price(b, from.var, k, x.v[k], y.v[0], value, runs);
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
  if (n == 1 || strategies_list(&m->strategies, from.list).n == 1) {
    for (uint32_t i = 0; i < n; i++)
      join(b, from, uses[i].var, uses[i].list, v, uses[i].runs, uses[i].position);
    return;
  }
  ListId list = list_of_copy(b, from.list, uses, n);
  uint32_t position = b->position;
  b->position = b->made_at[v];
  double runs = m->vars.items[from.var].runs;
  uint32_t var = model_add_var(b, (ModelVar){.kind = VAR_COPY,
                                             .value = v,
                                             .list = list,
                                             .n = strategies_list(&m->strategies, list).n,
                                             .runs = runs});
  b->position = position;
  m->n_copies++;
  join(b, from, var, list, v, runs > 0 ? runs : 1, uses->position);
  Port copy = {var, list};
  for (uint32_t i = 0; i < n; i++)
    join(b, copy, uses[i].var, uses[i].list, v, uses[i].runs, uses[i].position);
  const Fusion *f = &m->fusion;
  if (!value_def(m->p, v) || f->root[v] != v || !f->stored[v] || b->returned[v]) return;
  if (m->vars.items[from.var].kind != VAR_OP) return;
  has_copy[v] = true;
  model_set_bytes(b, var, model_value_bytes(m, v), (int64_t)b->made_at[v] + 1,
                  (int64_t)b->last[v] + 1);
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
void model_join_all(ModelBuild *b, bool *has_copy) {
  if (b->uses.count) qsort(b->uses.items, b->uses.count, sizeof *b->uses.items, by_value);
  for (uint32_t i = 0, n; i < b->uses.count; i += n) {
    const Use *u = &b->uses.items[i];
    bool argument = is_stored(b->m->p, u->value);
    for (n = 1; i + n < b->uses.count && u[n].value == u->value; n++)
      if (argument && u[n].position - u[n - 1].position > REGION_OPS) break;
    if (b->ports[u->value].var != NO_VAR) join_uses(b, u, n, has_copy);
  }
}
