// Chooses the mesh axes that split each factor of one op.
//
// Problem. The tensors around an op have shardings, and these may contradict each other. A choice
// assigns mesh axes to the op's factors. The shardings of its operands and results follow from it,
// and so does all communication: reshards of operands, the op's own communication (halos, say), and
// reshards of results. The number of assignments is exponential in the number of axes.
//
// Idea. Greedy: only the shardings around the op propose assignments. Such a sharding is a lead: a
// copy that an operand has, or the sharding that is required of an operand or result. A proposal
// follows one lead first; then the other leads split the factors that are still free. Few variants
// are added: one lead alone, leftover axes moved to other factors (displace), strided shards
// (propose_strided), idle axes (share_out), partial sums that pass through the op. The cheapest
// proposal wins: predicted seconds of communication and of one device's work, with a penalty for
// bytes (cost/price.h). One-step lookahead: if the users require another sharding of the result
// than the one propagated, that reshard is in the price.
//
// Invariant. An axis splits at most one factor of an op, and none if it is manual or if a partial
// sum is carried along it. Every proposal passes the op's `splits` column, which removes splits
// that the op cannot run with. So each proposal is a correct way to run the op; only prices differ.
//
// Cost. Most ops: one proposal, since it needs no communication. Otherwise at most 12 leads, 4
// proposals for each, and 4 more; a proposal is O(leads · factors · axes + tensors · rank), and
// prices of reshards are cached (copies.c).
//
// Example. Mesh "data"=4, "model"=2; f32; w is sharded over "data" to save memory:
//
//   y[64,256] = dot_general x[64,1024], w[1024,256]     factors i = 64, j = 256, k = 1024 (reduces)
//   leads, in order: y [{"data"}, {"model"}]   w [{"data"}, {"model"}]   x [{"data"}, {}]
//
//   y first    i: "data", j: "model"    w: all_gather over "data" to [1024,128]       393216 bytes
//   w first    k: "data", j: "model"    x: all_to_all over "data" to [64,256];
//                                       y: partial sums [64,128], reduce_scatter       73728 bytes
//
// "w first" wins: fewer bytes outweigh a second collective. With 65536 rows "y first" wins, because
// moving x would send 48 MB.
#include "cost/op_seconds.h"
#include "cost/tuning.h"
#include "ops/commute.h"
#include "ops/work.h"
#include "partition/walk.h"
#include "sharding/project.h"

// A sharding of one tensor of the op that proposes axes.
typedef struct Lead {
  uint32_t tensor;  // operands first
  Sharding sharding;
  bool result;
  double count;  // elements of the global tensor
} Lead;

enum { MOST_LEADS = 12 };

typedef struct Chooser Chooser;
struct Chooser {
  Partition *t;
  Splitter s;
  double work;  // FLOPs of the global op
  Lead leads[MOST_LEADS];
  uint32_t n_leads;
  // Lookahead: a user that requires another sharding of the result than the one propagated; NULL if
  // there is none. Its operand and the sharding that it requires of it.
  Chooser *user;
  uint32_t user_operand;
  Sharding user_requires;
};

static ValueId tensor_value(const Chooser *c, uint32_t i) {
  uint32_t n = c->s.m->n_operands;
  return i < n ? op_operand(c->t->p, c->s.op, i) : op_result(c->t->p, c->s.op, i - n);
}

// Adds a sharding to the sorted list of leads. Replicated tensors and tensors on other meshes
// propose nothing. O(leads).
static void add_lead(Chooser *c, uint32_t tensor, Sharding sharding) {
  if (!sharding || c->n_leads == MOST_LEADS) return;
  const ShardingInfo *info = sharding_info(c->t->table, sharding);
  if (info->rank != factor_map_rank(c->s.m, tensor) || info->mesh != c->t->mesh) return;
  for (uint32_t i = 0; i < c->n_leads; i++)
    if (c->leads[i].tensor == tensor && c->leads[i].sharding == sharding) return;
  int64_t count = 0;
  type_count(c->t->context, value_type(c->t->p, tensor_value(c, tensor)), &count);
  bool result = tensor >= c->s.m->n_operands;
  // Results first, then larger tensors, whose reshards cost most. Equal ones stay in the order in
  // which they come.
  uint32_t at = c->n_leads++;
  for (; at > 0; at--) {
    const Lead *before = &c->leads[at - 1];
    if (before->result != result ? before->result : before->count >= (double)count) break;
    c->leads[at] = *before;
  }
  c->leads[at] = (Lead){tensor, sharding, result, (double)count};
}

static void chooser_init(Partition *t, OpId op, const FactorMap *m, Chooser *c) {
  *c = (Chooser){.t = t, .work = op_work(t->p, op)};
  splitter_init(&c->s, &t->local, op, m);
  c->s.blocks = t->options.blocks;
}

// The shardings around the op. Copies of operands come before the shardings required of them, since
// a copy costs nothing. A rematerialized operand (a constant) takes any sharding and leads nothing.
static void find_leads(Chooser *c) {
  for (uint32_t i = 0; i < c->s.m->n_results; i++)
    add_lead(c, c->s.m->n_operands + i, walk_required(c->t, op_result(c->t->p, c->s.op, i)));
  for (uint32_t i = 0; i < c->s.m->n_operands; i++) {
    ValueId v = op_operand(c->t->p, c->s.op, i);
    if (walk_is_rematerialized(c->t, v)) continue;
    for (const Copy *copy = c->t->copies[v]; copy; copy = copy->next)
      add_lead(c, i, copy->sharding);
    add_lead(c, i, walk_required(c->t, v));
  }
}

// ---- proposals ----

// Splits the factors of a dimension as a strided sharding does: a factor takes the consecutive
// ShardFactors whose sizes multiply to its own. Changes nothing if one does not fit.
//
//   dimension [4: -][8: "x"] of size 32, factors a = 4 and b = 8:  b gets "x"
static void follow_strides(Chooser *c, FactorList list, const DimSharding *dim, Localizer *cx) {
  for (uint32_t pass = 0; pass < 2; pass++)  // 0: do all fit?  1: write
    for (uint32_t i = 0, k = 0; i < list.n; i++) {
      const Factor *factor = &c->s.m->factors[list.v[i]];
      FactorSplit *split = &cx->splits[list.v[i]];
      AxisList axes = {NULL, 0};
      uint32_t first = k;
      for (int64_t size = 1; size < factor->size; k++) {
        if (k == dim->n_factors) return;
        size *= dim->factors[k].size;
        axes = axes_concat(&c->t->scratch, axes, dim->factors[k].axes);
        if (size > factor->size) return;
      }
      if (!axes.n) continue;
      if (split->axes.n || !splitter_needs_no_column(factor) ||
          !splitter_can_split(&c->s, list.v[i]))
        return;
      if (splitter_free_axes(&c->s, cx->splits, axes).n != axes.n) return;
      if (pass) {
        split->axes = axes;
        split->strides = dim->factors + first;
        split->n_strides = k - first > 1 ? k - first : 0;
      }
    }
}

// Gives the axes of a lead to the factors that have none yet. cx->preferred also has axes that do
// not divide the factor: the `splits` column of a reshape reads them.
static void follow(Chooser *c, const Lead *lead, Localizer *cx) {
  Partition *t = c->t;
  FactorSplit *splits = cx->splits;
  FactorAxes *axes = ARENA_ARRAY(&t->scratch, FactorAxes, c->s.m->n_factors + 1);
  project_tensor(t->table, c->s.m, lead->tensor, lead->sharding, sharding_mesh(t->table, t->mesh),
                 &t->scratch, axes);
  for (uint32_t f = 0; f < c->s.m->n_factors; f++) {
    if (!axes[f].present || splits[f].axes.n || !splitter_can_split(&c->s, f)) continue;
    AxisList free = splitter_free_axes(&c->s, splits, axes[f].axes), over = {NULL, 0};
    if (free.n == axes[f].axes.n) over = splitter_free_axes(&c->s, splits, axes[f].overflow);
    if (free.n + over.n && !cx->preferred[f].n)
      cx->preferred[f] = axes_concat(&t->scratch, free, over);
    splits[f].axes = free;
  }
  const ShardingInfo *info = sharding_info(t->table, lead->sharding);
  for (uint32_t d = 0; d < info->rank && splitter_takes_strides(&c->s); d++)
    if (info->dims[d].n_factors > 1)
      follow_strides(c, factor_map_dim(c->s.m, lead->tensor, d), &info->dims[d], cx);
}

// ---- prices ----

// Predicted seconds of one device: its FLOPs, and the bytes that it reads and writes.
static double work_seconds(const Chooser *c, const Choice *choice) {
  return compute_op_seconds(&c->t->compute, &choice->cx, c->work, c->t->table, choice->in_as,
                            choice->out_as);
}

static bool has_copy(const Partition *t, ValueId v, Sharding sharding) {
  for (const Copy *copy = t->copies[v]; copy; copy = copy->next)
    if (copy->sharding == sharding) return true;
  return false;
}

// The one op that uses a value; 0 if there are more.
static OpId only_user(const Partition *t, ValueId v) {
  OperandId use = value_at(t->p, v)->first_use;
  return use && !operand_at(t->p, use)->next_use ? operand_at(t->p, use)->user : 0;
}

// The other operand of a binary op that combines two values by the reducer; 0 if the op does not.
static ValueId other_term(const Partition *t, OpId op, ValueId v, Combine by) {
  if (!op || op_at(t->p, op)->n_operands != 2) return 0;
  ValueId a = op_operand(t->p, op, 0), b = op_operand(t->p, op, 1), other = a == v ? b : a;
  bool alike = value_type(t->p, other) == value_type(t->p, v);
  return alike && op_commutes(t->p, op, by, (bool[2]){true, true}) == by ? other : 0;
}

// Do equal chains of ops compute the two values? Compares the ops back to the first that has
// several operands, at most 16.
static bool have_same_chain(const Partition *t, ValueId a, ValueId b) {
  enum { MOST_STEPS = 16 };
  for (uint32_t n = 0; n < MOST_STEPS; n++) {
    OpId x = value_def(t->p, a), y = value_def(t->p, b);
    if (!x || !y || op_at(t->p, x)->code != op_at(t->p, y)->code) return false;
    if (op_at(t->p, x)->n_operands != 1 || op_at(t->p, y)->n_operands != 1) return true;
    a = op_operand(t->p, x, 0);
    b = op_operand(t->p, y, 0);
  }
  return true;
}

// The share of a reduction's price that a partial sum pays for itself.
//
//   add(v, other partial sum)          0: the sum of both is reduced once, for the other's price
//   add(add(v, v2), v3), none is       1/3: a weight that three ops use has three such gradients;
//   computed yet, all by equal ops     their sum is reduced once
//   else                               1
//
// Ops with one operand that commute with the reducer may be in between.
static double share_of_sum(const Partition *t, ValueId v, Sharding has) {
  enum { MOST_STEPS = 64 };
  const ShardingInfo *info = sharding_info(t->table, has);
  Combine by = info->reducer;
  OpId user = only_user(t, v);
  ValueId at = v;
  for (uint32_t n = 0; user && op_at(t->p, user)->n_operands == 1 && n < MOST_STEPS; n++) {
    if (op_at(t->p, user)->n_results != 1 || op_commutes(t->p, user, by, (bool[]){true}) != by)
      return 1;
    at = op_result(t->p, user, 0);
    user = only_user(t, at);
  }
  ValueId other = other_term(t, user, at, by);
  if (!other) return 1;
  const Copy *copy = t->copies[other];
  if (copy) {  // the other term is computed already
    const ShardingInfo *there = sharding_info(t->table, copy->sharding);
    bool alike = at == v ? copy->sharding == has
                         : there->reducer == by && axes_equal(there->unreduced, info->unreduced);
    return alike && !copy->next ? 0 : 1;
  }
  uint32_t n = 1;
  for (; other && n < MOST_STEPS && have_same_chain(t, at, other); n++) {
    ValueId sum = op_result(t->p, user, 0);
    user = only_user(t, sum);
    other = other_term(t, user, sum, by);
  }
  return 1.0 / n;
}

// The probability that a result must be resharded from `has` to what is required. 1 if a terminator
// returns it, or if a user combines it with a value that has a copy in the required sharding only.
// Otherwise users may accept it as it is. Partial sums are reduced in the end: see share_of_sum.
static double reshard_probability(const Partition *t, ValueId v, Sharding has, Sharding required) {
  if (sharding_info(t->table, has)->unreduced.n) return share_of_sum(t, v, has);
  for (OperandId use = value_at(t->p, v)->first_use; use; use = operand_at(t->p, use)->next_use) {
    OpId user = operand_at(t->p, use)->user;
    bool ends = op_row(op_at(t->p, user)->code)->traits & TRAIT_TERMINATOR;
    if (ends && !t->inlined[op_parent(t->p, user)]) return 1;
    for (uint32_t i = 0; i < op_at(t->p, user)->n_operands; i++) {
      ValueId other = op_operand(t->p, user, i);
      if (other != v && value_type(t->p, other) == value_type(t->p, v) && required &&
          has_copy(t, other, required) && !has_copy(t, other, has))
        return 1;
    }
  }
  return tuning.later_move_chance;
}

// The number of ops that use operand `index` as this op does: same op, attributes and types, and
// other values for the other operands (the projections of an attention). All of them use one
// reshard, so each pays a share. At most 16 uses are looked at.
static uint32_t count_equal_users(const Chooser *c, uint32_t index) {
  enum { MOST_LOOKED_AT = 16 };
  const Program *p = c->t->p;
  ValueId v = op_operand(p, c->s.op, index);
  uint32_t alike = 0, looked_at = 0;
  for (OperandId use = value_at(p, v)->first_use; use && looked_at < MOST_LOOKED_AT;
       use = operand_at(p, use)->next_use, looked_at++) {
    OpId user = operand_at(p, use)->user;
    const Op *a = op_at(p, c->s.op), *b = op_at(p, user);
    bool same = a->code == b->code && a->attrs == b->attrs && a->block == b->block &&
                a->n_operands == b->n_operands && use == b->operands + index;
    for (uint32_t i = 0; same && i < a->n_operands; i++)
      same = op_operand_type(p, c->s.op, i) == op_operand_type(p, user, i);
    alike += same;
  }
  return alike ? alike : 1;
}

// An operand's reshard: shared by equal users, and by all iterations if it can be hoisted out of
// the loop.
static Price operand_price(const Chooser *c, uint32_t index, Sharding as) {
  Price all = walk_price(c->t, op_operand(c->t->p, c->s.op, index), as);
  if (all.bytes == 0) return all;
  double iterations = (double)walk_invariant_trips(c->t, op_operand(c->t->p, c->s.op, index), as);
  return price_divided(all, iterations * count_equal_users(c, index));
}

// From proposed splits to legal ones, and to the shardings of operands and results.
static void derive_shardings(const Chooser *c, Choice *choice) {
  Arena *arena = &c->t->scratch;
  choice->in_as = ARENA_ARRAY(arena, Sharding, c->s.m->n_operands + 1);
  choice->out_as = ARENA_ARRAY(arena, Sharding, c->s.m->n_results + 1);
  splitter_derive(&c->s, &choice->cx, choice->in_as, choice->out_as);
}

// ---- lookahead ----
//
// Propagation gives a value the sharding that suits most of its neighbours. A user may still need
// another one: led by the shardings required of its results, it would reshard the value and nothing
// else. Such a user is certain to reshard, so its sharding replaces the required one in prices, and
// is one more lead.

// The reshard of a user's operand: from its copies, or from the required sharding if it has none
// yet.
static Price user_operand_price(Chooser *user, uint32_t i, Sharding as) {
  Partition *t = user->t;
  ValueId v = op_operand(t->p, user->s.op, i);
  if (t->copies[v]) return walk_price(t, v, as);
  return walk_reshard_price(t, walk_required(t, v), as, value_type(t->p, v));
}

// Communication of a user that runs as proposed, without the reshard of one operand: its other
// operands, its own communication, its results.
static Price user_price(Chooser *user, const Choice *proposal, ValueId without) {
  Partition *t = user->t;
  Price sum = splitter_own_price(&proposal->cx, t->network, 0, &t->scratch);
  for (uint32_t i = 0; i < user->s.m->n_operands; i++)
    if (op_operand(t->p, user->s.op, i) != without)
      sum = price_sum(sum, user_operand_price(user, i, proposal->in_as[i]));
  for (uint32_t i = 0; i < user->s.m->n_results; i++) {
    ValueId v = op_result(t->p, user->s.op, i);
    Price move =
        walk_reshard_price(t, proposal->out_as[i], walk_required(t, v), value_type(t->p, v));
    sum = price_sum(sum, move);
  }
  return sum;
}

// How a user would run: led by this sharding of an operand or, if that is 0, by the shardings
// required of its results.
static void propose_for_user(Chooser *user, uint32_t operand, Sharding sharding, Choice *out) {
  user->n_leads = 0;
  if (sharding) add_lead(user, operand, sharding);
  for (uint32_t i = 0; !sharding && i < user->s.m->n_results; i++)
    add_lead(user, user->s.m->n_operands + i,
             walk_required(user->t, op_result(user->t->p, user->s.op, i)));
  localizer_init(user->t, user->s.op, user->s.m, &out->cx);
  for (uint32_t i = 0; i < user->n_leads; i++) follow(user, &user->leads[i], &out->cx);
  derive_shardings(user, out);
}

// The sharding in which a user requires a value. *out_firm: the user needs no communication but
// that reshard, so it is certain.
static Sharding required_by_user(Chooser *user, ValueId v, bool *out_firm, uint32_t *out_operand) {
  Partition *t = user->t;
  Choice proposal;
  propose_for_user(user, 0, 0, &proposal);
  Sharding takes = 0;
  bool found = false;
  for (uint32_t i = 0; i < user->s.m->n_operands; i++) {
    if (op_operand(t->p, user->s.op, i) != v) continue;
    *out_firm = !found || proposal.in_as[i] == takes;
    takes = proposal.in_as[i];
    *out_operand = i;
    if (found && !*out_firm) return 0;
    found = true;
  }
  *out_firm = found && user_price(user, &proposal, v).bytes == 0;
  return takes;
}

enum { MOST_USES = 6 };

// Sets c->user if all firm users require the same sharding, and another than the propagated one.
// Users that are not firm have to reshard other operands as well and may accept any sharding. No
// lookahead if there are more than 6 users, or if one is in another block or has no factor map.
// O(users · proposal).
static void find_user(Chooser *c) {
  Partition *t = c->t;
  if (c->s.m->n_results != 1) return;
  ValueId v = op_result(t->p, c->s.op, 0);
  Chooser *found = NULL;
  uint32_t n = 0;
  OpId before = 0;
  for (OperandId use = value_at(t->p, v)->first_use; use; use = operand_at(t->p, use)->next_use) {
    OpId op = operand_at(t->p, use)->user;
    if (op == before) continue;
    before = op;
    FactorMap *m = ARENA_NEW(&t->scratch, FactorMap);
    if (++n > MOST_USES || op_at(t->p, op)->block != op_at(t->p, c->s.op)->block ||
        !walk_factors(t, op, &t->scratch, m))
      return;
    Chooser *user = ARENA_NEW(&t->scratch, Chooser);
    chooser_init(t, op, m, user);
    bool firm = false;
    uint32_t operand = 0;
    Sharding takes = required_by_user(user, v, &firm, &operand);
    if (!firm) continue;
    if (found && takes != c->user_requires) return;
    found = user;
    c->user_requires = takes;
    c->user_operand = operand;
  }
  if (found && c->user_requires != walk_required(t, v)) c->user = found;
}

// The price of a result in sharding `has`: of the reshard to the required sharding, or of a user
// that runs on the result as it is, if that is cheaper.
static Price result_price(const Chooser *c, ValueId v, Sharding has, Sharding required) {
  Partition *t = c->t;
  Price there = walk_reshard_price(t, has, required, value_type(t->p, v));
  if (!c->user || !has || sharding_info(t->table, has)->unreduced.n) return there;
  Choice proposal;
  propose_for_user(c->user, c->user_operand, has, &proposal);
  for (uint32_t i = 0; i < c->user->s.m->n_operands; i++)
    if (op_operand(t->p, c->user->s.op, i) == v && proposal.in_as[i] != has) return there;
  Price here = user_price(c->user, &proposal, v);
  return here.seconds < there.seconds ? here : there;
}

// The price of a choice: operands, the op's own communication, results. If operands are resharded,
// the reshard of a result counts fully. If nothing moved so far, it counts by its probability:
// otherwise a choice without communication could lose against one that communicates at once.
static void price_choice(const Chooser *c, Choice *choice) {
  Partition *t = c->t;
  Price sum = {0, 0, 0};
  for (uint32_t i = 0; i < c->s.m->n_operands; i++)
    sum = price_sum(sum, operand_price(c, i, choice->in_as[i]));
  uint32_t steps = choice->cx.steps ? choice->cx.steps : 1;
  if (choice->cx.bytes > 0)
    sum = price_sum(sum, splitter_own_price(&choice->cx, t->network, steps, &t->scratch));
  bool still = sum.bytes == 0 && !choice->shared;
  choice->maybe = false;
  choice->unsure = 0;
  Price after = {0, 0, 0};
  for (uint32_t i = 0; i < c->s.m->n_results; i++) {
    ValueId v = op_result(t->p, c->s.op, i);
    Sharding has = choice->out_as[i];
    Sharding required = c->user ? c->user_requires : walk_required(t, v);
    Price move = result_price(c, v, has, required);
    if (move.bytes > 0) {
      move = price_divided(move, (double)walk_accumulated_trips(t, v, has, required));
      double chance = c->user ? 1 : reshard_probability(t, v, has, required);
      bool partial = sharding_info(t->table, has)->unreduced.n > 0;  // may be reduced with others
      if (chance < 1 && (still || partial))
        choice->maybe = true;
      else if (chance < 1)
        choice->unsure += move.transfer_seconds;
      if (!still) chance = 1;
      move = price_times(move, chance);
    }
    after = price_overlapped(after, move);
  }
  choice->price = price_sum(sum, after);
}

// Completes a choice whose splits are proposed: shardings and price.
static void complete(Chooser *c, Choice *choice, bool shared) {
  derive_shardings(c, choice);
  choice->shared = shared;
  choice->partial = c->s.carried.n > 0;
  choice->why = NULL;
  price_choice(c, choice);
}

// Proposes splits by one lead (NULL: none), then by all others in order, if `others`.
static void propose(Chooser *c, const Lead *lead, bool others, Choice *out) {
  localizer_init(c->t, c->s.op, c->s.m, &out->cx);
  if (lead) follow(c, lead, &out->cx);
  for (uint32_t i = 0; others && i < c->n_leads; i++) follow(c, &c->leads[i], &out->cx);
  complete(c, out, false);
}

// The same with strided shards, for ops with a `strides` column (reshape, reduce). A reshape [8, 4]
// -> [32] with the 4 split gives a dimension in which each device has 2 of every 4 elements, at no
// communication. False if the op cannot.
static bool propose_strided(Chooser *c, const Lead *lead, Choice *out) {
  if (!splitter_takes_strides(&c->s) || !c->s.def || !c->s.def->strides) return false;
  localizer_init(c->t, c->s.op, c->s.m, &out->cx);
  out->cx.strided = true;
  follow(c, lead, &out->cx);
  for (uint32_t i = 0; i < c->n_leads; i++) follow(c, &c->leads[i], &out->cx);
  complete(c, out, false);
  return true;
}

// The largest pass-through factor that one more axis divides; UINT32_MAX if there is none.
static uint32_t largest_divisible(const Chooser *c, const Localizer *cx, AxisRef axis) {
  uint32_t best = UINT32_MAX;
  for (uint32_t f = 0; f < c->s.m->n_factors; f++) {
    const Factor *factor = &c->s.m->factors[f];
    if (factor->kinds != FACTOR_PASS || !splitter_can_split(&c->s, f)) continue;
    if (factor->size % (localize_ways(cx, f) * axis.size)) continue;
    if (best == UINT32_MAX || factor->size > c->s.m->factors[best].size) best = f;
  }
  return best;
}

// Moves axes that the choice does not use to other factors: axes of one lead, or of all (NULL). A
// dimension that the op needs replicated (the sorted one, say) frees its axes, and another
// dimension takes them: then the reshard is an all_to_all instead of an all_gather. False if no
// axis moves.
//
//   sort [64, 1024] along dim 1, sharded [{}, {"x"}]:  runs as [{"x"}, {}]
static bool displace(Chooser *c, const Lead *only, const Choice *from, Choice *out) {
  localizer_init(c->t, c->s.op, c->s.m, &out->cx);
  FactorSplit *splits = out->cx.splits;
  for (uint32_t f = 0; f < c->s.m->n_factors; f++) splits[f].axes = from->cx.splits[f].axes;
  bool any = false;
  for (uint32_t i = 0; i < c->n_leads; i++) {
    if (only && only != &c->leads[i]) continue;
    const ShardingInfo *info = sharding_info(c->t->table, c->leads[i].sharding);
    for (uint32_t d = 0; d < info->rank; d++) {
      AxisList axes = sharding_dim_axes(info, d);
      for (uint32_t k = 0; k < axes.n; k++) {
        if (splitter_is_taken(&c->s, splits, axes.v[k])) continue;
        uint32_t best = largest_divisible(c, &out->cx, axes.v[k]);
        if (best == UINT32_MAX) continue;
        splits[best].axes =
            axes_concat(&c->t->scratch, splits[best].axes, (AxisList){&axes.v[k], 1});
        any = true;
      }
    }
  }
  if (any) complete(c, out, false);
  return any;
}

// Splits the largest factors over axes of the mesh that no sharding around the op has, so that
// devices along them do not repeat the same work. Only even splits. False if there is none.
static bool share_out(Chooser *c, const Choice *from, Choice *out) {
  const Mesh *mesh = sharding_mesh(c->t->table, c->t->mesh);
  localizer_init(c->t, c->s.op, c->s.m, &out->cx);
  FactorSplit *splits = out->cx.splits;
  for (uint32_t f = 0; f < c->s.m->n_factors; f++) splits[f].axes = from->cx.splits[f].axes;
  bool any = false;
  for (uint32_t a = 0; a < mesh->n_axes; a++) {
    AxisRef axis = axis_full(mesh, a);
    if (axis.size == 1 || splitter_is_taken(&c->s, splits, axis)) continue;
    uint32_t best = UINT32_MAX;
    for (uint32_t f = 0; f < c->s.m->n_factors; f++) {
      const Factor *factor = &c->s.m->factors[f];
      int64_t ways = axes_size(splits[f].axes) * axis.size;
      if (!splitter_needs_no_column(factor) || !splitter_can_split(&c->s, f) || factor->size % ways)
        continue;
      if (best == UINT32_MAX || factor->size > c->s.m->factors[best].size) best = f;
    }
    if (best == UINT32_MAX) continue;
    splits[best].axes = axes_concat(&c->t->scratch, splits[best].axes, (AxisList){&axis, 1});
    any = true;
  }
  if (any) complete(c, out, true);
  return any;
}

// ---- partial sums that pass through ----
//
// A linear op on partial sums gives partial sums: negate(a0 + a1) = negate(a0) + negate(a1). The
// reduction moves behind the op, where the value may be smaller, or joins another reduction. Each
// device computes the op on all elements then, so axes of the partial sum split nothing.

// Are operands partial sums that the op commutes with? Sets carried, carried_in, carried_out and
// partial. An operand with further copies does not count: it has been reduced already. Operands
// with other unreduced axes than the first are reduced before the op.
static bool find_carried(Chooser *c) {
  Partition *t = c->t;
  uint32_t n = c->s.m->n_operands;
  c->s.partial = ARENA_ARRAY(&t->scratch, bool, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    const Copy *copy = t->copies[op_operand(t->p, c->s.op, i)];
    const ShardingInfo *info = sharding_info(t->table, copy->sharding);
    if (copy->next || !info->unreduced.n || info->mesh != t->mesh ||
        (c->s.carried.n && info->reducer != c->s.carried_in))
      continue;
    if (c->s.carried.n && !axes_equal(c->s.carried, info->unreduced)) continue;
    c->s.carried = info->unreduced;
    c->s.carried_in = info->reducer;
    c->s.partial[i] = true;
  }
  if (!c->s.carried.n) return false;
  c->s.carried_out = op_commutes(t->p, c->s.op, c->s.carried_in, c->s.partial);
  return c->s.carried_out != COMBINE_NONE;
}

// Would another user of the value also let the partial sum pass? Only counts users whose result is
// smaller than the value: others would reduce more bytes than the value has.
static bool carries_too(const Chooser *c, OpId user, ValueId v) {
  Partition *t = c->t;
  const Op *o = op_at(t->p, user);
  int64_t count = 0, made = 0;
  if (o->n_operands > MOST_LEADS || o->n_results != 1 ||
      !type_count(t->context, value_type(t->p, v), &count) ||
      !type_count(t->context, op_result_type(t->p, user, 0), &made) || made >= count)
    return false;
  bool partial[MOST_LEADS];
  for (uint32_t i = 0; i < o->n_operands; i++) {
    const Copy *copy = t->copies[op_operand(t->p, user, i)];
    const ShardingInfo *info = copy ? sharding_info(t->table, copy->sharding) : NULL;
    partial[i] = info && !copy->next && axes_equal(info->unreduced, c->s.carried) &&
                 info->reducer == c->s.carried_in;
  }
  return op_commutes(t->p, user, c->s.carried_in, partial) != COMBINE_NONE;
}

enum { MOST_USERS = 16 };

// Will another user reduce a carried operand? Then this op can use the reduced copy at no cost.
static bool is_reduced_anyway(const Chooser *c) {
  for (uint32_t i = 0; i < c->s.m->n_operands; i++) {
    if (!c->s.partial[i]) continue;
    ValueId v = op_operand(c->t->p, c->s.op, i);
    OperandId use = value_at(c->t->p, v)->first_use;
    for (uint32_t n = 0; use; use = operand_at(c->t->p, use)->next_use, n++) {
      OpId user = operand_at(c->t->p, use)->user;
      if (n == MOST_USERS || (user != c->s.op && !carries_too(c, user, v))) return true;
    }
  }
  return false;
}

// Is this op the only user of the carried operands?
static bool is_only_user(const Chooser *c) {
  for (uint32_t i = 0; i < c->s.m->n_operands; i++) {
    ValueId v = op_operand(c->t->p, c->s.op, i);
    uint32_t here = 0;
    for (uint32_t k = 0; k < c->s.m->n_operands; k++) here += op_operand(c->t->p, c->s.op, k) == v;
    if (c->s.partial[i] && value_count_uses(c->t->p, v) > here) return false;
  }
  return true;
}

static void drop_carried(Chooser *c) {
  c->s.carried.n = 0;
  c->s.carried_in = c->s.carried_out = COMBINE_NONE;
}

// ---- choosing ----

static PricedChoice priced(const Choice *choice, double seconds) {
  return (PricedChoice){seconds, choice->price.transfer_seconds, choice->unsure, choice->maybe};
}

static double bytes_weight(const Chooser *c) {
  return c->t->options.seconds_decide ? 0 : tuning.bytes_weight_latencies;
}

// Replaces *best by the other choice if that is better.
static bool keep_better(const Chooser *c, double *best_seconds, Choice *best, const Choice *other) {
  double seconds = other->price.seconds + work_seconds(c, other);
  PricedChoice was = priced(best, *best_seconds), now = priced(other, seconds);
  if (!price_is_better(&was, &now, c->t->network->all.latency_seconds, bytes_weight(c)))
    return false;
  *best_seconds = seconds;
  *best = *other;
  return true;
}

static bool is_worth_sharing(const Chooser *c, const Choice *now, const Choice *shared) {
  return price_pays_sharing(work_seconds(c, now) - work_seconds(c, shared),
                            shared->price.seconds - now->price.seconds);
}

bool walk_can_split(Partition *t, OpId op, const FactorMap *m, uint32_t factor) {
  Chooser c;
  chooser_init(t, op, m, &c);
  return splitter_can_split(&c.s, factor);
}

void choose_for_result(Partition *t, OpId op, const FactorMap *m, Sharding sharding, Choice *out) {
  Chooser c;
  chooser_init(t, op, m, &c);
  add_lead(&c, m->n_operands, sharding);
  propose(&c, NULL, true, out);
}

// ---- given axes ----

static const char *axis_name(const Chooser *c, AxisRef axis) {
  return axis_text(c->t->context, sharding_mesh(c->t->table, c->t->mesh), axis);
}

// The reason why the factor cannot have these strides; NULL if it can.
static const char *check_strides(const Chooser *c, const FactorSplit *split, int64_t size) {
  if (!split->n_strides) return NULL;
  if (!splitter_takes_strides(&c->s)) return "the op cannot have strided shards";
  int64_t product = 1;
  for (uint32_t i = 0; i < split->n_strides; i++) {
    if (split->strides[i].size > size / product)
      return "the sizes of \"strides\" do not multiply to the size of the factor";
    product *= split->strides[i].size;
  }
  return product == size ? NULL
                         : "the sizes of \"strides\" do not multiply to the size of the factor";
}

// Writes the given axes to the splits. Gives the reason if the op cannot be split so, else NULL.
static const char *check_given(const Chooser *c, const GivenDecision *given, FactorSplit *splits) {
  Arena *arena = &c->t->arena;
  if (given->n_factors != c->s.m->n_factors)
    return arena_printf(arena, "it has %u factors, and %u are given", c->s.m->n_factors,
                        given->n_factors);
  for (uint32_t f = 0; f < given->n_factors; f++) {
    AxisList axes = given->splits[f].axes;
    int64_t size = c->s.m->factors[f].size;
    if (given->sizes[f] && given->sizes[f] != size)
      return arena_printf(arena, "factor %u has size %lld, not %lld", f, (long long)size,
                          (long long)given->sizes[f]);
    const char *strides = check_strides(c, &given->splits[f], size);
    if (strides) return strides;
    if (axes.n && !splitter_can_split(&c->s, f))
      return arena_printf(arena, "factor %u, of size %lld, cannot be split", f,
                          (long long)c->s.m->factors[f].size);
    for (uint32_t i = 0; i < axes.n; i++) {
      if (splitter_is_taken(&c->s, splits, axes.v[i]))
        return arena_printf(arena, "axis %s %s", axis_name(c, axes.v[i]),
                            axes_overlap_ref(c->t->local.manual, axes.v[i]) ? "is manual here"
                            : axes_overlap_ref(c->s.carried, axes.v[i])
                                ? "is that of partial sums that pass through"
                                : "is used twice");
      splits[f].axes = (AxisList){axes.v, i + 1};
    }
    splits[f] = (FactorSplit){.axes = axes,
                              .strides = given->splits[f].strides,
                              .n_strides = given->splits[f].n_strides,
                              .reducer = splits[f].reducer};
  }
  return NULL;
}

// Of partial sums, operands say which axes are unreduced; how they are split follows from the axes.
static bool has_unreduced_of(const Chooser *c, Sharding given, Sharding has) {
  const ShardingTable *table = c->t->table;
  return axes_equal(sharding_info(table, given)->unreduced, sharding_info(table, has)->unreduced);
}

// Gives the reason if the op's `splits` column removed given axes, or if given shardings of
// operands and results do not follow from the axes; else NULL.
static const char *check_kept(const Chooser *c, const GivenDecision *given, const Choice *choice) {
  Arena *arena = &c->t->arena;
  for (uint32_t f = 0; f < c->s.m->n_factors; f++)
    if (!axes_equal(choice->cx.splits[f].axes, given->splits[f].axes))
      return arena_printf(arena,
                          "factor %u, of size %lld, cannot be split over %u devices together with "
                          "the rest",
                          f, (long long)c->s.m->factors[f].size,
                          (unsigned)axes_size(given->splits[f].axes));
  for (uint32_t i = 0; i < given->n_operands; i++)
    if (given->partial ? !has_unreduced_of(c, given->operands[i], choice->in_as[i])
                       : given->operands[i] != choice->in_as[i])
      return arena_printf(arena,
                          "operand %u does not get this sharding from these axes; remove "
                          "\"operands\" and \"results\" to have them follow from the axes",
                          i);
  for (uint32_t i = 0; i < given->n_results; i++)
    if (given->results[i] != choice->out_as[i])
      return arena_printf(arena,
                          "result %u does not get this sharding from these axes; remove "
                          "\"operands\" and \"results\" to have them follow from the axes",
                          i);
  return NULL;
}

// The same from given operands: those with unreduced axes are the partial sums.
static bool carry_given(Chooser *c, const GivenDecision *given) {
  Partition *t = c->t;
  c->s.partial = ARENA_ARRAY(&t->scratch, bool, c->s.m->n_operands + 1);
  for (uint32_t i = 0; i < given->n_operands && i < c->s.m->n_operands; i++) {
    if (given->operands[i] == GIVEN_ANY) continue;
    const ShardingInfo *info = sharding_info(t->table, given->operands[i]);
    if (!info->unreduced.n) continue;
    if (c->s.carried.n &&
        (info->reducer != c->s.carried_in || !axes_equal(c->s.carried, info->unreduced)))
      return false;
    c->s.carried = info->unreduced;
    c->s.carried_in = info->reducer;
    c->s.partial[i] = true;
  }
  if (!c->s.carried.n) return find_carried(c);
  c->s.carried_out = op_commutes(t->p, c->s.op, c->s.carried_in, c->s.partial);
  return c->s.carried_out != COMBINE_NONE;
}

void choose_given(Partition *t, OpId op, const FactorMap *m, const GivenDecision *given,
                  Choice *out, const char **out_refused) {
  Chooser c;
  chooser_init(t, op, m, &c);
  if (given->partial && !carry_given(&c, given)) {
    *out_refused = "no operand is a partial sum that can pass through the op";
    return;
  }
  localizer_init(t, op, m, &out->cx);
  out->cx.strided = given->strided;
  *out_refused = check_given(&c, given, out->cx.splits);
  if (*out_refused) return;
  for (uint32_t f = 0; f < m->n_factors; f++) out->cx.preferred[f] = given->preferred[f];
  complete(&c, out, false);
  out->partial = given->partial;
  out->why = "given";
  *out_refused = check_kept(&c, given, out);
}

// ---- all ----

void choose_split(Partition *t, OpId op, const FactorMap *m, Choice *out) {
  Chooser c;
  chooser_init(t, op, m, &c);
  find_leads(&c);
  // 1. Partial sums pass through. Kept aside: it competes with the best of the others at the end.
  Choice carrying;
  bool carries = find_carried(&c) && !is_reduced_anyway(&c);
  if (carries) propose(&c, NULL, true, &carrying);
  bool prefers = carries && is_only_user(&c);
  AxisList carried = c.s.carried;
  Combine in = c.s.carried_in, as = c.s.carried_out;
  drop_carried(&c);
  // 2. All leads in order. Without communication nothing is cheaper, and the search ends here.
  propose(&c, NULL, true, out);
  if (out->price.bytes > 0) find_user(&c);
  if (c.user) {  // prices change, since the result is required in another sharding
    price_choice(&c, out);
    if (carries) price_choice(&c, &carrying);
    add_lead(&c, m->n_operands, c.user_requires);
  }
  // 3. Each lead first, alone, with its leftover axes displaced, and strided.
  double best = out->price.seconds + work_seconds(&c, out);
  bool compared = out->price.bytes > 0;
  if (compared) {
    Choice other;
    for (uint32_t i = 0; i < c.n_leads; i++) {
      if (i) propose(&c, &c.leads[i], true, &other);  // i = 0: step 2
      if (i) keep_better(&c, &best, out, &other);
      propose(&c, &c.leads[i], false, &other);
      keep_better(&c, &best, out, &other);
      Choice displaced;
      if (displace(&c, &c.leads[i], &other, &displaced)) keep_better(&c, &best, out, &displaced);
      if (propose_strided(&c, &c.leads[i], &other)) keep_better(&c, &best, out, &other);
    }
    if (displace(&c, NULL, out, &other)) keep_better(&c, &best, out, &other);
    propose(&c, NULL, false, &other);  // replicated
    keep_better(&c, &best, out, &other);
  }
  // 4. Idle axes, if the op communicates nothing and takes long.
  Choice shared;
  if (out->price.bytes == 0 && work_seconds(&c, out) > tuning.share_least_seconds &&
      share_out(&c, out, &shared) && is_worth_sharing(&c, out, &shared))
    keep_better(&c, &best, out, &shared);
  out->why = out->shared ? "idle axes share the work"
             : compared  ? "the cheapest of the shardings around it"
                         : "no communication";
  // 5. Against step 1. At equal prices partial sums pass through only if this op alone uses them.
  if (!carries) return;
  c.s.carried = carried;
  c.s.carried_in = in;
  c.s.carried_out = as;
  double seconds = carrying.price.seconds + work_seconds(&c, &carrying);
  bool less = seconds < best * (1 - tuning.rounding);
  if (!less && !(prefers && seconds <= best * (1 + tuning.rounding))) return;
  *out = carrying;
  out->why = "partial sums pass through";
}
