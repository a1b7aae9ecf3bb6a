// Problem: no single method is best. Digits (search.c) give few collectives over many devices, but
// need sizes that divide. Pieces (pieces.c) fit any two shardings, but take one permute per piece.
//
// Idea: try the cheap method first and refine only if it sends more than the lower bound: 1. digits
// with atoms as large as possible: most reshards are one collective 2. digits with atoms of prime
// size, if 1 needs several moves or more bytes than the bound 3. pieces, if the best so far exceeds
// the bound by Tuning.pieces_least_excess
//
// Invariant: the result's price is the least of the plans that were tried. Cost: that of the
// search; the bound is O(devices) for uneven tiles, of at most MOST_COUNTED devices.
#include "reshard/reshard.h"

#include <string.h>

#include "cost/tuning.h"
#include "ops/op.h"
#include "reshard/memo_private.h"
#include "reshard/pieces.h"

enum {
  MOST_COUNTED = 4096,  // devices whose tiles are compared one by one
  MOST_PRIMES = 7,      // more atoms would make the search too long
};

typedef struct MoveRow {
  const char *name;
  uint16_t op;
} MoveRow;

static const MoveRow moves[] = {
    [MOVE_SLICE] = {"slice", 0},
    [MOVE_PERMUTE] = {"permute", OP_collective_permute},
    [MOVE_ALL_TO_ALL] = {"all_to_all", OP_all_to_all},
    [MOVE_ALL_GATHER] = {"all_gather", OP_all_gather},
    [MOVE_REDUCE_SCATTER] = {"reduce_scatter", OP_reduce_scatter},
    [MOVE_ALL_REDUCE] = {"all_reduce", OP_all_reduce},
    [MOVE_UNREDUCE] = {"unreduce", 0},
    [MOVE_PIECES] = {"pieces", OP_collective_permute},
};

const char *move_name(MoveKind kind) { return moves[kind].name; }
uint16_t move_op(MoveKind kind) { return moves[kind].op; }

typedef struct Request {
  ShardingTable *table;
  Sharding from, to;
  const ShardingInfo *a, *b;
  const Mesh *mesh;  // of both; NULL if they have different ones
  uint32_t rank;
  const int64_t *dims;
  Pricing pricing;
  Arena *arena;
} Request;

// Replicated, without unreduced or manual axes: the same as sharding 0.
static bool is_replicated(const ShardingTable *table, Sharding sharding) {
  const ShardingInfo *info = sharding_info(table, sharding);
  return !sharding || (sharding_is_replicated(table, sharding) && !info->unreduced.n &&
                       !info->manual.n && !sharding_is_maximal(table, sharding));
}

static void add_slowest(const Network *network, AxisList axes, Link *link) {
  for (uint32_t i = 0; i < axes.n; i++) {
    Route route = network_route(network, (AxisList){&axes.v[i], 1});
    *link = link_slower(*link, route_slowest(&route));
  }
}

// The slowest link along the axes that a sharding uses, or `link` if that is slower.
static Link slowest_link(const Network *network, const ShardingInfo *info, Link link) {
  for (uint32_t d = 0; d < info->rank; d++) add_slowest(network, sharding_dim_axes(info, d), &link);
  add_slowest(network, info->unreduced, &link);
  return link;
}

// The plan's price: its moves run one after the other.
static void sum_up(ReshardPlan *plan) {
  for (uint32_t i = 0; i < plan->n_moves; i++) {
    plan->price = price_sum(plan->price, plan->moves[i].price);
  }
}

// Replaces the plan by one of pieces if that is cheaper.
static void plan_pieces(Request *q, ReshardPlan *plan, bool *found) {
  Move move;
  if (!sharding_is_block(q->table, q->from) || !sharding_is_block(q->table, q->to) ||
      q->a->unreduced.n || q->b->unreduced.n || q->a->manual.n || q->b->manual.n ||
      !pieces_plan(q->table, q->from, q->to, q->rank, q->dims, &q->pricing, q->arena, &move))
    return;
  if (*found && pricing_of(&q->pricing, move.price) >= pricing_of(&q->pricing, plan->price)) return;
  Move *kept = ARENA_NEW(q->arena, Move);
  *kept = move;
  *plan = (ReshardPlan){.moves = kept,
                        .n_moves = 1,
                        .n_devices = pieces_devices(q->table, q->from, q->to),
                        .least_bytes = plan->least_bytes};
  sum_up(plan);
  *found = true;
}

static MeshId mesh_of(const Request *q) { return q->a->mesh ? q->a->mesh : q->b->mesh; }

// Also sets the lower bound of the bytes, which does not depend on `primes`.
static bool plan_digits(Request *q, bool primes, ReshardPlan *out) {
  Layout from, to;
  bool even = false,
       block = sharding_is_block(q->table, q->from) && sharding_is_block(q->table, q->to);
  bool reduces = q->a->unreduced.n || q->b->unreduced.n;
  Digits *digits = ARENA_NEW(q->arena, Digits);
  bool fits = q->mesh &&
              digits_make(q->mesh, q->a, q->b, q->rank, q->dims, primes, digits, &from, &to, &even);
  *out = (ReshardPlan){0};
  if (fits && from.unreduced == to.unreduced)
    out->least_bytes = layout_lack(digits, &from, &to, q->pricing.element_bytes);
  if (!even && block && (!reduces || (fits && from.unreduced == to.unreduced)) &&
      q->rank <= PIECES_MOST_RANK && pieces_devices(q->table, q->from, q->to) <= MOST_COUNTED)
    out->least_bytes =
        pieces_lack(q->table, q->from, q->to, q->rank, q->dims, q->pricing.element_bytes);
  q->pricing.least_bytes = out->least_bytes;
  if (!fits || (primes && digits->n_atoms > MOST_PRIMES) ||
      !search_moves(digits, even, &q->pricing, &from, &to, q->arena, &out->n_moves, &out->moves))
    return false;
  out->digits = digits;
  out->mesh = mesh_of(q);
  sum_up(out);
  return true;
}

static Status *no_plan(void) {
  FAIL(UNIMPLEMENTED, "no sequence of moves found except by replicating the tensor");
}

static Status *plan(Request *q, bool quick, ReshardPlan *out) {
  bool found = plan_digits(q, false, out), reduces = q->a->unreduced.n || q->b->unreduced.n;
  if (found && quick) return NULL;
  if (!found || out->n_moves > 1 || (!reduces && out->price.bytes > out->least_bytes)) {
    ReshardPlan finer;
    bool better =
        plan_digits(q, true, &finer) &&
        (!found || pricing_of(&q->pricing, finer.price) < pricing_of(&q->pricing, out->price));
    if (better) *out = finer;
    found |= better;
  }
  if (!found || (!reduces && out->price.bytes > tuning.pieces_least_excess * out->least_bytes))
    plan_pieces(q, out, &found);
  return found ? NULL : no_plan();
}

// The same, from the network's memo if it has the plan.
static Status *recall(Request *q, ReshardMemo *memo, ReshardPlan *out) {
  ReshardKey key;
  Guard *guard = q->arena->guard;
  reshard_key(q->table, q->from, q->to, q->rank, q->dims, q->pricing.element_bytes, &key);
  const ReshardRow *row = reshard_memo_find(memo, &key);
  if (!row) {
    Arena *arena = reshard_memo_arena(memo, &key, guard);
    if (!arena) return plan(q, false, out);
    q->arena = arena;
    q->dims = arena_copy(arena, q->dims, q->rank * sizeof *q->dims);
    Status *status = plan(q, false, out);
    reshard_memo_add(memo, &key, status ? NULL : out);
    return status;
  }
  if (!row->found) return no_plan();
  *out = row->plan;
  out->mesh = out->digits ? mesh_of(q) : 0;
  return NULL;
}

static Status *make_plan(ShardingTable *table, const Network *network, Sharding from, Sharding to,
                         Type type, bool quick, Arena *arena, ReshardPlan *out) {
  *out = (ReshardPlan){0};
  if (from == to) return NULL;
  const Context *context = sharding_table_context(table);
  if (sharding_is_maximal(table, from) || sharding_is_maximal(table, to))
    FAIL(UNIMPLEMENTED, "reshard from or to a single device");
  if (!type_is_static(context, type))
    FAIL(INVALID_ARGUMENT, "a tensor of unknown size cannot be resharded");
  if (is_replicated(table, from)) from = 0;
  if (is_replicated(table, to)) to = 0;
  const ShardingInfo *a = sharding_info(table, from), *b = sharding_info(table, to);
  if (a->unreduced.n && b->unreduced.n && a->reducer != b->reducer)
    FAIL(UNIMPLEMENTED, "partial values of %s to partial values of %s", combine_name(a->reducer),
         combine_name(b->reducer));
  Request q = {.table = table, .from = from, .to = to, .a = a, .b = b, .arena = arena};
  const Mesh *mesh_a = sharding_mesh(table, a->mesh), *mesh_b = sharding_mesh(table, b->mesh);
  const Mesh *mesh = mesh_a ? mesh_a : mesh_b;
  if (!mesh) return NULL;
  q.mesh = !mesh_a || !mesh_b || mesh_equal(mesh_a, mesh_b) ? mesh : NULL;
  const TypeInfo *tensor = type_info(context, type);
  q.rank = tensor->rank;
  q.dims = tensor->dims;
  for (uint32_t d = 0; d < q.rank; d++)
    if (!q.dims[d]) return NULL;  // nothing to move
  q.pricing = (Pricing){.network = network,
                        .element_bytes = (double)dtype_bytes(type_dtype(context, type)),
                        .slowest = slowest_link(network, b, slowest_link(network, a, (Link){0})),
                        .mesh = q.mesh};
  return network->memo && !quick ? recall(&q, network->memo, out) : plan(&q, quick, out);
}

Status *reshard_plan(ShardingTable *table, const Network *network, Sharding from, Sharding to,
                     Type type, Arena *arena, ReshardPlan *out) {
  return make_plan(table, network, from, to, type, false, arena, out);
}

Status *reshard_estimate(ShardingTable *table, const Network *network, Sharding from, Sharding to,
                         Type type, Arena *arena, Price *out) {
  ReshardPlan plan;
  TRY(make_plan(table, network, from, to, type, true, arena, &plan));
  *out = plan.price;
  return NULL;
}
