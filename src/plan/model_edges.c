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

// Slices without communication still read and write memory.
static double slice_seconds(ModelBuild *b, Price price, Sharding to, Type type) {
  const Model *m = b->m;
  if (price.bytes > 0 || !to) return 0;
  return rates_seconds(&m->rates, 0, 2 * fusion_bytes(m->p, type) * model_fraction(b, to), DT_f32,
                       false);
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
  if (!status)
    row.price.seconds += slice_seconds(b, row.price, to, type);
  else if (from && to)
    row.price = price_sum(reshard_price(b, from, 0, type), reshard_price(b, 0, to, type));
  else
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
         a->slack == b->slack;
}

// The matrix of reshard prices between two lists. Matrices of different classes differ, although
// their entries may be equal: they are priced apart.
static uint32_t prices_of(ModelBuild *b, ListId from, ListId to, Type type, double runs,
                          uint8_t slack) {
  Model *m = b->m;
  Problem *problem = &m->problem;
  MatrixRow row = {from, to, type, runs, slack, 0};
  uint64_t hash = hash_mix(hash_mix(from, to), hash_mix(hash_mix(type, slack), (uint64_t)runs));
  uint32_t id = idmap_find(&b->matrix_ids, hash, matrix_equal, b, &row);
  if (id) return b->matrices.items[id].matrix;
  ShardingList x = strategies_list(&m->strategies, from), y = strategies_list(&m->strategies, to);
  row.matrix = problem->matrices.count;
  PlanMatrix matrix = {problem->entries.count, x.n * y.n};
  HEAPVEC_PUSH(m->guard, &problem->matrices, matrix);
  VEC_PUSH(&m->arena, &m->slack, slack);
  for (uint32_t i = 0; i < x.n; i++)
    for (uint32_t k = 0; k < y.n; k++) {
      Price price = reshard_price(b, x.v[i], y.v[k], type);
      Sent sent = {model_units(price.transfer_seconds * runs),
                   model_units((price.seconds - price.transfer_seconds) * runs)};
      VEC_PUSH(&m->arena, &m->sent, sent);
      HEAPVEC_PUSH(m->guard, &problem->entries, sent.transfer + sent.latency);
    }
  VEC_PUSH(&m->arena, &b->matrices, row);
  idmap_add(&b->matrix_ids, m->guard, hash, b->matrices.count - 1);
  return row.matrix;
}

void model_add_edge(Model *m, uint32_t a, uint32_t c, uint32_t matrix) {
  HEAPVEC_PUSH(m->guard, &m->problem.edges, ((PlanEdge){a, c, matrix}));
}

// Joins two variables, or adds the price to the one that is there if the other is fixed.
static void join(ModelBuild *b, Port from, uint32_t to, ListId to_list, ValueId value,
                 double runs) {
  Model *m = b->m;
  Type type = value_type(m->p, value);
  uint8_t slack = b->slack[value];
  ShardingList x = strategies_list(&m->strategies, from.list),
               y = strategies_list(&m->strategies, to_list);
  if (from.var == to && to != NO_VAR) {
    for (uint32_t k = 0; from.list != to_list && k < x.n; k++)
      model_send(&m->vars.items[to], k, slack, reshard_price(b, x.v[k], y.v[k], type), runs);
    return;
  }
  if (to != NO_VAR && y.n > 1) {
    if (x.n > 1) {
      model_add_edge(m, from.var, to, prices_of(b, from.list, to_list, type, runs, slack));
      return;
    }
    for (uint32_t k = 0; k < y.n; k++)
      model_send(&m->vars.items[to], k, slack, reshard_price(b, x.v[0], y.v[k], type), runs);
    return;
  }
  for (uint32_t k = 0; k < x.n; k++)
    model_send(&m->vars.items[from.var], k, slack, reshard_price(b, x.v[k], y.v[0], type), runs);
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
    for (uint32_t i = 0; i < n; i++) join(b, from, uses[i].var, uses[i].list, v, uses[i].runs);
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
  join(b, from, var, list, v, runs > 0 ? runs : 1);
  Port copy = {var, list};
  for (uint32_t i = 0; i < n; i++) join(b, copy, uses[i].var, uses[i].list, v, uses[i].runs);
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
