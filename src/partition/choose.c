// Which axes split which factor of an op. Every sharding that one of its tensors has or is to have
// leads once, the others fill in what is still free; an axis splits one factor only. What that
// takes (operands to be brought there, results from there to where they are to be, the op's own
// exchange, the work of one device) is priced, and the cheapest wins. Users that are sure to take
// the result otherwise than was said count one step ahead. Most ops need none of this: the first
// way costs no exchange and is taken.
#include "cost/op_seconds.h"
#include "cost/tuning.h"
#include "ops/commute.h"
#include "ops/work.h"
#include "partition/walk.h"
#include "sharding/project.h"

// A tensor's sharding that proposes axes.
typedef struct Lead {
  uint32_t tensor;
  Sharding sharding;
  bool result;
  double count;  // elements
} Lead;

enum { MOST_LEADS = 12 };

typedef struct Chooser Chooser;
struct Chooser {
  Partition *t;
  OpId op;
  const FactorMap *m;
  const OpDef *def;
  double work;  // of the whole op
  Lead leads[MOST_LEADS];
  uint32_t n_leads;
  // Operands that stay in parts, and how the results' parts combine then.
  AxisList carried;
  Combine carried_in, carried_out;
  bool *partial;
  // The one user of the op's result, if it takes that otherwise than was said.
  Chooser *user;
  uint32_t user_operand;
  Sharding user_takes;
};

static ValueId tensor_value(const Chooser *c, uint32_t i) {
  uint32_t n = c->m->n_operands;
  return i < n ? op_operand(c->t->p, c->op, i) : op_result(c->t->p, c->op, i - n);
}

static void add_lead(Chooser *c, uint32_t tensor, Sharding sharding) {
  if (!sharding || c->n_leads == MOST_LEADS) return;
  const ShardingInfo *info = sharding_info(c->t->table, sharding);
  if (info->rank != factor_map_rank(c->m, tensor) || info->mesh != c->t->mesh) return;
  for (uint32_t i = 0; i < c->n_leads; i++)
    if (c->leads[i].tensor == tensor && c->leads[i].sharding == sharding) return;
  int64_t count = 0;
  type_count(c->t->context, value_type(c->t->p, tensor_value(c, tensor)), &count);
  bool result = tensor >= c->m->n_operands;
  // Results first, then larger tensors; equal ones as they come.
  uint32_t at = c->n_leads++;
  for (; at > 0; at--) {
    const Lead *before = &c->leads[at - 1];
    if (before->result != result ? before->result : before->count >= (double)count) break;
    c->leads[at] = *before;
  }
  c->leads[at] = (Lead){tensor, sharding, result, (double)count};
}

static void chooser_init(Partition *t, OpId op, const FactorMap *m, Chooser *c) {
  *c = (Chooser){.t = t,
                 .op = op,
                 .m = m,
                 .def = op_row(op_at(t->p, op)->code)->def,
                 .work = op_work(t->p, op)};
}

static void find_leads(Chooser *c) {
  for (uint32_t i = 0; i < c->m->n_results; i++)
    add_lead(c, c->m->n_operands + i, walk_required(c->t, op_result(c->t->p, c->op, i)));
  for (uint32_t i = 0; i < c->m->n_operands; i++) {
    ValueId v = op_operand(c->t->p, c->op, i);
    if (walk_is_rematerialized(c->t, v)) continue;
    for (const Copy *copy = c->t->copies[v]; copy; copy = copy->next)
      add_lead(c, i, copy->sharding);
    add_lead(c, i, walk_required(c->t, v));
  }
}

// ---- a way ----

static bool is_plain(const Factor *factor) {
  return factor->kinds == FACTOR_PASS ||
         (factor->kinds == FACTOR_REDUCE && combine_is_plain((Combine)factor->combine));
}

// How many of the tensors have the factor.
static uint32_t count_having(const FactorMap *m, uint32_t first, uint32_t end, uint32_t f) {
  uint32_t n = 0;
  for (uint32_t i = first; i < end; i++) n += factor_map_find(m, i, f, NULL, NULL);
  return n;
}

// A user's rule may name dimensions that have nothing to do with others (JAX: matrices of LAPACK's
// calls). What passes through goes in and comes out; what reduces goes in.
static bool leads_somewhere(const FactorMap *m, uint32_t f) {
  uint32_t end = factor_map_n_tensors(m);
  return count_having(m, 0, m->n_operands, f) &&
         (m->factors[f].kinds != FACTOR_PASS || count_having(m, m->n_operands, end, f));
}

static bool adds_products(const FactorMap *m, uint32_t f) {
  return (m->factors[f].kinds & FACTOR_REDUCE) && m->factors[f].combine == COMBINE_SUM &&
         count_having(m, 0, m->n_operands, f) >= 2;
}

// A device's part of a sum of products of short floats is rounded before it is sent. Of a few terms
// that is worse than what adding them up elsewhere saves.
enum { SHORT_BITS = 10 };

static bool rounds_too_often(const Chooser *c, uint32_t f) {
  if (!adds_products(c->m, f)) return false;
  // Of all contracted dimensions: a batch of few long sequences has many.
  int64_t many = tuning.rounded_least_terms, terms = 1;
  for (uint32_t g = 0; g < c->m->n_factors && terms < many; g++)
    if (adds_products(c->m, g) && c->m->factors[g].size > 0)
      terms *= c->m->factors[g].size < many ? c->m->factors[g].size : many;
  if (terms >= many) return false;
  for (uint32_t i = 0; i < c->m->n_results; i++) {
    DType dtype = type_dtype(c->t->context, op_result_type(c->t->p, c->op, i));
    if (dtype_is_float(dtype) && dtype_info(dtype)->mantissa_bits <= SHORT_BITS) return true;
  }
  return false;
}

// One element becomes a dimension of many (a pad): it may be where its place is.
static bool is_spread(const Chooser *c, uint32_t f) {
  uint32_t n = c->m->n_operands, dim, place;
  for (uint32_t i = n; i < n + c->m->n_results; i++) {
    if (!factor_map_find(c->m, i, f, &dim, &place)) continue;
    const TypeInfo *info = type_info(c->t->context, value_type(c->t->p, tensor_value(c, i)));
    if (factor_map_dim(c->m, i, dim).n == 1 && info->dims[dim] > 1) return true;
  }
  return false;
}

// What can be proposed at all; an op's `splits` takes back the rest.
static bool can_split(const Chooser *c, uint32_t f) {
  const Factor *factor = &c->m->factors[f];
  if ((factor->size <= 1 && !(factor->size == 1 && is_spread(c, f))) ||
      (c->m->custom && !leads_somewhere(c->m, f)))
    return false;
  if (rounds_too_often(c, f)) return false;
  for (uint32_t i = 0; factor->combine == COMBINE_SUM && i < c->m->n_operands; i++) {
    Type type = op_operand_type(c->t->p, c->op, i);
    if (!dtype_has_zero(type_dtype(c->t->context, type))) return false;
  }
  return is_plain(factor) || (c->def && c->def->splits && !c->m->custom);
}

static bool is_taken(const Chooser *c, const FactorSplit *splits, AxisRef axis) {
  AxisList manual = c->t->local.manual;
  for (uint32_t i = 0; i < c->carried.n + manual.n; i++) {
    AxisRef other = i < c->carried.n ? c->carried.v[i] : manual.v[i - c->carried.n];
    if (axis_overlaps(other, axis) || !axis_can_coexist(other, axis)) return true;
  }
  for (uint32_t f = 0; f < c->m->n_factors; f++)
    for (uint32_t i = 0; i < splits[f].axes.n; i++) {
      AxisRef other = splits[f].axes.v[i];
      if (axis_overlaps(other, axis) || !axis_can_coexist(other, axis)) return true;
    }
  return false;
}

// The first of these axes, as long as nobody has them yet.
static AxisList free_axes(const Chooser *c, const FactorSplit *splits, AxisList axes) {
  AxisRef *free = ARENA_ARRAY(&c->t->scratch, AxisRef, axes.n + 1);
  uint32_t n = 0;
  for (; n < axes.n && !is_taken(c, splits, axes.v[n]); n++) free[n] = axes.v[n];
  return (AxisList){free, n};
}

// Are tiles in strides as good as others? What the op's columns do speaks of blocks.
static bool takes_strides(const Chooser *c) {
  if (c->t->options.blocks) return false;
  return !c->def || c->m->custom || c->def->strides || (!c->def->splits && !c->def->localize);
}

// The strides of a dimension go to its factors: to each the ones that make it up.
static void follow_strides(Chooser *c, FactorList list, const DimSharding *dim, Localizer *cx) {
  for (uint32_t pass = 0; pass < 2; pass++)  // first see whether they fit
    for (uint32_t i = 0, k = 0; i < list.n; i++) {
      const Factor *factor = &c->m->factors[list.v[i]];
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
      if (split->axes.n || !is_plain(factor) || !can_split(c, list.v[i])) return;
      if (free_axes(c, cx->splits, axes).n != axes.n) return;
      if (pass) {
        split->axes = axes;
        split->strides = dim->factors + first;
        split->n_strides = k - first > 1 ? k - first : 0;
      }
    }
}

// The axes of one lead go to the factors that have none yet.
static void follow(Chooser *c, const Lead *lead, Localizer *cx) {
  Partition *t = c->t;
  FactorSplit *splits = cx->splits;
  FactorAxes *axes = ARENA_ARRAY(&t->scratch, FactorAxes, c->m->n_factors + 1);
  project_tensor(t->table, c->m, lead->tensor, lead->sharding, sharding_mesh(t->table, t->mesh),
                 &t->scratch, axes);
  for (uint32_t f = 0; f < c->m->n_factors; f++) {
    if (!axes[f].present || splits[f].axes.n || !can_split(c, f)) continue;
    AxisList free = free_axes(c, splits, axes[f].axes), over = {NULL, 0};
    if (free.n == axes[f].axes.n) over = free_axes(c, splits, axes[f].overflow);
    if (free.n + over.n && !cx->wished[f].n) cx->wished[f] = axes_concat(&t->scratch, free, over);
    splits[f].axes = free;
  }
  const ShardingInfo *info = sharding_info(t->table, lead->sharding);
  for (uint32_t d = 0; d < info->rank && takes_strides(c); d++)
    if (info->dims[d].n_factors > 1)
      follow_strides(c, factor_map_dim(c->m, lead->tensor, d), &info->dims[d], cx);
}

// Drops what a dimension could not say, and sizes that do not divide where the op fails on some
// values.
static void make_sayable(const Chooser *c, Localizer *cx) {
  for (uint32_t f = 0; c->def && c->def->fails && f < c->m->n_factors; f++)
    if (c->m->factors[f].size % axes_size(cx->splits[f].axes)) localize_give_up(cx, f);
  localize_only_blocks(cx);
}

// All reductions must combine alike: one reducer per value.
static void make_one_reducer(const Chooser *c, FactorSplit *splits) {
  Combine one = c->carried_out;
  for (uint32_t f = 0; f < c->m->n_factors; f++) {
    if (!splits[f].axes.n || !splits[f].parts) continue;
    if (one == COMBINE_NONE) one = splits[f].parts;
    if (one != splits[f].parts) splits[f].axes.n = splits[f].n_strides = 0;
  }
}

// A dimension as the factors in it are split: a block, unless a minor one is split behind one that
// is not cut to pieces.
static DimSharding dim_sharding(const Chooser *c, const Localizer *cx, uint32_t tensor,
                                uint32_t d) {
  Arena *arena = &c->t->scratch;
  FactorList list = factor_map_dim(c->m, tensor, d);
  uint32_t most = 1, n = 0;
  for (uint32_t i = 0; i < list.n; i++) most += cx->splits[list.v[i]].n_strides + 1;
  ShardFactor *out = ARENA_ARRAY(arena, ShardFactor, most);
  for (uint32_t i = 0; i < list.n; i++) {
    const FactorSplit *split = &cx->splits[list.v[i]];
    bool cut = *localize_has(cx, tensor, list.v[i]) && split->axes.n;
    ShardFactor one = {c->m->factors[list.v[i]].size, cut ? split->axes : (AxisList){NULL, 0}};
    const ShardFactor *parts = cut && split->n_strides ? split->strides : &one;
    for (uint32_t k = 0; k < (parts == &one ? 1 : split->n_strides); k++) {
      bool goes_on = n && (!parts[k].axes.n || axes_size(out[n - 1].axes) == out[n - 1].size);
      if (!goes_on) {
        out[n++] = parts[k];
        continue;
      }
      out[n - 1].size *= parts[k].size;
      out[n - 1].axes = axes_concat(arena, out[n - 1].axes, parts[k].axes);
    }
  }
  if (n == 1) out[0].size = 0;
  return (DimSharding){out, n, false, PRIORITY_NONE};
}

// The sharding of a tensor whose factors are split so.
static Sharding tensor_sharding(const Chooser *c, const Localizer *cx, uint32_t tensor) {
  Partition *t = c->t;
  const FactorMap *m = c->m;
  uint32_t rank = factor_map_rank(m, tensor);
  DimSharding *dims = ARENA_ARRAY(&t->scratch, DimSharding, rank + 1);
  bool any = false;
  for (uint32_t d = 0; d < rank; d++) {
    dims[d] = dim_sharding(c, cx, tensor, d);
    any |= localize_axes(cx, tensor, d).n > 0;
  }
  ShardingInfo info = {.mesh = t->mesh, .rank = rank, .dims = dims};
  bool result = tensor >= m->n_operands;
  for (uint32_t f = 0; result && f < m->n_factors; f++) {
    if (*localize_has(cx, tensor, f) || !cx->splits[f].axes.n || !cx->splits[f].parts) continue;
    info.unreduced = axes_concat(&t->scratch, info.unreduced, cx->splits[f].axes);
    info.reducer = cx->splits[f].parts;
  }
  if (c->carried.n && (result || c->partial[tensor])) {
    info.unreduced = axes_concat(&t->scratch, info.unreduced, c->carried);
    info.reducer = result ? c->carried_out : c->carried_in;
  }
  return any || info.unreduced.n ? walk_on_mesh(t, sharding_intern(t->table, &info)) : 0;
}

// ---- what it takes ----

// One device's share of the op's work, and what it reads and writes.
static double work_seconds(const Chooser *c, const Choice *choice) {
  const Machine *machine = c->t->options.machine;
  return compute_op_seconds(machine ? &machine->compute : &compute_default, &choice->cx, c->work,
                            c->t->table, choice->in_as, choice->out_as);
}

// What an op sends itself, in so many steps: over the slowest link of the axes whose factors need
// that. Which of them sent how much the op's columns do not say.
static Price own_price(Partition *t, const Localizer *cx, uint32_t steps) {
  AxisList some = {NULL, 0}, all = {NULL, 0};
  for (uint32_t f = 0; cx->bytes > 0 && f < cx->map->n_factors; f++) {
    all = axes_concat(&t->scratch, all, cx->splits[f].axes);
    if (!is_plain(&cx->map->factors[f])) some = axes_concat(&t->scratch, some, cx->splits[f].axes);
  }
  Route route = network_route(t->network, some.n ? some : all);
  return price_steps(route_slowest(&route), steps, cx->bytes);
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

// The other term where such parts are added, or combined otherwise; 0 if the op does not.
static ValueId other_term(const Partition *t, OpId op, ValueId v, Combine by) {
  if (!op || op_at(t->p, op)->n_operands != 2) return 0;
  ValueId a = op_operand(t->p, op, 0), b = op_operand(t->p, op, 1), other = a == v ? b : a;
  bool alike = value_type(t->p, other) == value_type(t->p, v);
  return alike && op_commutes(t->p, op, by, (bool[2]){true, true}) == by ? other : 0;
}

// Made by ops alike, as far as they have one operand.
static bool are_twins(const Partition *t, ValueId a, ValueId b) {
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

// How much of making a sum is its own: nothing if it is added to another in such parts, which must
// be made anyway; of so many terms of its kind that are not there yet its part (a weight's gradient
// where the weight is used in many places). Ops that only move it may stand before the addition.
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
  if (copy) {
    const ShardingInfo *there = sharding_info(t->table, copy->sharding);
    bool alike = at == v ? copy->sharding == has
                         : there->reducer == by && axes_equal(there->unreduced, info->unreduced);
    return alike && !copy->next ? 0 : 1;
  }
  uint32_t n = 1;
  for (; other && n < MOST_STEPS && are_twins(t, at, other); n++) {
    ValueId sum = op_result(t->p, user, 0);
    user = only_user(t, sum);
    other = other_term(t, user, sum, by);
  }
  return 1.0 / n;
}

// What has moved nothing so far may go on as it comes: perhaps its users take it so. But a sum must
// be made, what leaves the region must be as it was said, and so must what meets a value that is
// there as it was said.
static double chance_of_move(const Partition *t, ValueId v, Sharding has, Sharding wanted) {
  if (sharding_info(t->table, has)->unreduced.n) return share_of_sum(t, v, has);
  for (OperandId use = value_at(t->p, v)->first_use; use; use = operand_at(t->p, use)->next_use) {
    OpId user = operand_at(t->p, use)->user;
    bool ends = op_row(op_at(t->p, user)->code)->traits & TRAIT_TERMINATOR;
    if (ends && !t->inlined[op_parent(t->p, user)]) return 1;
    for (uint32_t i = 0; i < op_at(t->p, user)->n_operands; i++) {
      ValueId other = op_operand(t->p, user, i);
      if (other != v && value_type(t->p, other) == value_type(t->p, v) && wanted &&
          has_copy(t, other, wanted) && !has_copy(t, other, has))
        return 1;
    }
  }
  return tuning.later_move_chance;
}

// How many ops take the value as this one does: alike in all but their other operands' values (the
// projections of an attention). What it takes to bring it there is theirs together.
static uint32_t count_alike(const Chooser *c, uint32_t index) {
  enum { MOST_LOOKED_AT = 16 };
  const Program *p = c->t->p;
  ValueId v = op_operand(p, c->op, index);
  uint32_t alike = 0, looked_at = 0;
  for (OperandId use = value_at(p, v)->first_use; use && looked_at < MOST_LOOKED_AT;
       use = operand_at(p, use)->next_use, looked_at++) {
    OpId user = operand_at(p, use)->user;
    const Op *a = op_at(p, c->op), *b = op_at(p, user);
    bool same = a->code == b->code && a->attrs == b->attrs && a->block == b->block &&
                a->n_operands == b->n_operands && use == b->operands + index;
    for (uint32_t i = 0; same && i < a->n_operands; i++)
      same = op_operand_type(p, c->op, i) == op_operand_type(p, user, i);
    alike += same;
  }
  return alike ? alike : 1;
}

static Price operand_price(const Chooser *c, uint32_t index, Sharding as) {
  Price all = walk_price(c->t, op_operand(c->t->p, c->op, index), as);
  if (all.bytes == 0) return all;
  double rounds = (double)walk_times_same(c->t, op_operand(c->t->p, c->op, index), as);
  return price_divided(all, rounds * count_alike(c, index));
}

// Fills in the shardings of a way whose splits are proposed.
static void settle_shardings(Chooser *c, Choice *choice) {
  Partition *t = c->t;
  Localizer *cx = &choice->cx;
  make_sayable(c, cx);
  localize_decide(cx);
  make_one_reducer(c, cx->splits);
  choice->in_as = ARENA_ARRAY(&t->scratch, Sharding, c->m->n_operands + 1);
  choice->out_as = ARENA_ARRAY(&t->scratch, Sharding, c->m->n_results + 1);
  for (uint32_t i = 0; i < c->m->n_operands; i++) choice->in_as[i] = tensor_sharding(c, cx, i);
  for (uint32_t i = 0; i < c->m->n_results; i++)
    choice->out_as[i] = tensor_sharding(c, cx, c->m->n_operands + i);
}

// ---- one step ahead ----

// What an operand of a user takes: from where it is, or from where it is to be.
static Price price_ahead(Chooser *user, uint32_t i, Sharding as) {
  Partition *t = user->t;
  ValueId v = op_operand(t->p, user->op, i);
  if (t->copies[v]) return walk_price(t, v, as);
  return walk_reshard_price(t, walk_required(t, v), as, value_type(t->p, v));
}

// What a user takes besides a value: its other operands, its own exchange, its results.
static Price price_of_user(Chooser *user, const Choice *way, ValueId without) {
  Partition *t = user->t;
  Price sum = own_price(t, &way->cx, 0);
  for (uint32_t i = 0; i < user->m->n_operands; i++)
    if (op_operand(t->p, user->op, i) != without)
      sum = price_sum(sum, price_ahead(user, i, way->in_as[i]));
  for (uint32_t i = 0; i < user->m->n_results; i++) {
    ValueId v = op_result(t->p, user->op, i);
    Price move = walk_reshard_price(t, way->out_as[i], walk_required(t, v), value_type(t->p, v));
    sum = price_sum(sum, move);
  }
  return sum;
}

// The way of a user that these shardings of its tensor lead to: that of an operand, or those that
// its results are to have (0).
static void lead_user(Chooser *user, uint32_t operand, Sharding sharding, Choice *out) {
  user->n_leads = 0;
  if (sharding) add_lead(user, operand, sharding);
  for (uint32_t i = 0; !sharding && i < user->m->n_results; i++)
    add_lead(user, user->m->n_operands + i,
             walk_required(user->t, op_result(user->t->p, user->op, i)));
  localizer_init(user->t, user->op, user->m, &out->cx);
  for (uint32_t i = 0; i < user->n_leads; i++) follow(user, &user->leads[i], &out->cx);
  settle_shardings(user, out);
}

// How a user takes a value, if it can give its results as they are to be for nothing more than this
// value brought there: *out_firm.
static Sharding user_takes(Chooser *user, ValueId v, bool *out_firm, uint32_t *out_operand) {
  Partition *t = user->t;
  Choice way;
  lead_user(user, 0, 0, &way);
  Sharding takes = 0;
  bool found = false;
  for (uint32_t i = 0; i < user->m->n_operands; i++) {
    if (op_operand(t->p, user->op, i) != v) continue;
    *out_firm = !found || way.in_as[i] == takes;
    takes = way.in_as[i];
    *out_operand = i;
    if (found && !*out_firm) return 0;
    found = true;
  }
  *out_firm = found && price_of_user(user, &way, v).bytes == 0;
  return takes;
}

enum { MOST_USES = 6 };

// Propagation says of a value what most of its neighbours have. If users are to give their results
// otherwise, that counts; those that had to bring other operands as well may take what there is.
static void find_user(Chooser *c) {
  Partition *t = c->t;
  if (c->m->n_results != 1) return;
  ValueId v = op_result(t->p, c->op, 0);
  Chooser *found = NULL;
  uint32_t n = 0;
  OpId before = 0;
  for (OperandId use = value_at(t->p, v)->first_use; use; use = operand_at(t->p, use)->next_use) {
    OpId op = operand_at(t->p, use)->user;
    if (op == before) continue;
    before = op;
    FactorMap *m = ARENA_NEW(&t->scratch, FactorMap);
    if (++n > MOST_USES || op_at(t->p, op)->block != op_at(t->p, c->op)->block ||
        !walk_factors(t, op, &t->scratch, m))
      return;
    Chooser *user = ARENA_NEW(&t->scratch, Chooser);
    chooser_init(t, op, m, user);
    bool firm = false;
    uint32_t operand = 0;
    Sharding takes = user_takes(user, v, &firm, &operand);
    if (!firm) continue;
    if (found && takes != c->user_takes) return;
    found = user;
    c->user_takes = takes;
    c->user_operand = operand;
  }
  if (found && c->user_takes != walk_required(t, v)) c->user = found;
}

// What a result takes: for its user, or to be where it is to be.
static Price price_after(const Chooser *c, ValueId v, Sharding has, Sharding wanted) {
  Partition *t = c->t;
  Price there = walk_reshard_price(t, has, wanted, value_type(t->p, v));
  if (!c->user || !has || sharding_info(t->table, has)->unreduced.n) return there;
  Choice way;
  lead_user(c->user, c->user_operand, has, &way);
  for (uint32_t i = 0; i < c->user->m->n_operands; i++)
    if (op_operand(t->p, c->user->op, i) == v && way.in_as[i] != has) return there;
  Price here = price_of_user(c->user, &way, v);
  return here.seconds < there.seconds ? here : there;
}

static void price(const Chooser *c, Choice *choice) {
  Partition *t = c->t;
  Price sum = {0, 0, 0};
  for (uint32_t i = 0; i < c->m->n_operands; i++)
    sum = price_sum(sum, operand_price(c, i, choice->in_as[i]));
  uint32_t steps = choice->cx.steps ? choice->cx.steps : 1;
  if (choice->cx.bytes > 0) sum = price_sum(sum, own_price(t, &choice->cx, steps));
  bool still = sum.bytes == 0 && !choice->shared;
  choice->maybe = false;
  choice->unsure = 0;
  Price after = {0, 0, 0};
  for (uint32_t i = 0; i < c->m->n_results; i++) {
    ValueId v = op_result(t->p, c->op, i);
    Sharding has = choice->out_as[i];
    Sharding wanted = c->user ? c->user_takes : walk_required(t, v);
    Price move = price_after(c, v, has, wanted);
    if (move.bytes > 0) {
      move = price_divided(move, (double)walk_times_summed(t, v, has, wanted));
      double chance = c->user ? 1 : chance_of_move(t, v, has, wanted);
      bool shares = sharding_info(t->table, has)->unreduced.n > 0;  // a sum with others
      if (chance < 1 && (still || shares))
        choice->maybe = true;
      else if (chance < 1)
        choice->unsure += move.transfer_seconds;
      if (!still) chance = 1;
      move = price_times(move, chance);
    }
    after = price_beside(after, move);
  }
  choice->price = price_sum(sum, after);
}

// Fills in a way whose splits are proposed.
static void settle(Chooser *c, Choice *choice, bool shared) {
  settle_shardings(c, choice);
  choice->shared = shared;
  choice->partial = c->carried.n > 0;
  choice->why = NULL;
  price(c, choice);
}

// The lead first, then all others in order.
static void make_way(Chooser *c, const Lead *lead, bool others, Choice *out) {
  localizer_init(c->t, c->op, c->m, &out->cx);
  if (lead) follow(c, lead, &out->cx);
  for (uint32_t i = 0; others && i < c->n_leads; i++) follow(c, &c->leads[i], &out->cx);
  settle(c, out, false);
}

// The same with tiles in strides, where an op can be split so.
static bool stride(Chooser *c, const Lead *lead, Choice *out) {
  if (!takes_strides(c) || !c->def || !c->def->strides) return false;
  localizer_init(c->t, c->op, c->m, &out->cx);
  out->cx.strided = true;
  follow(c, lead, &out->cx);
  for (uint32_t i = 0; i < c->n_leads; i++) follow(c, &c->leads[i], &out->cx);
  settle(c, out, false);
  return true;
}

// The largest factor that passes through and that one more axis divides; UINT32_MAX if none is.
static uint32_t roomiest(const Chooser *c, const Localizer *cx, AxisRef axis) {
  uint32_t best = UINT32_MAX;
  for (uint32_t f = 0; f < c->m->n_factors; f++) {
    const Factor *factor = &c->m->factors[f];
    if (factor->kinds != FACTOR_PASS || !can_split(c, f)) continue;
    if (factor->size % (localize_ways(cx, f) * axis.size)) continue;
    if (best == UINT32_MAX || factor->size > c->m->factors[best].size) best = f;
  }
  return best;
}

// Axes that a lead has (NULL: all of them) and the way does not use go to factors that have room
// for them, behind those they have: what must be whole along one dimension is cut along another.
static bool displace(Chooser *c, const Lead *only, const Choice *from, Choice *out) {
  localizer_init(c->t, c->op, c->m, &out->cx);
  FactorSplit *splits = out->cx.splits;
  for (uint32_t f = 0; f < c->m->n_factors; f++) splits[f].axes = from->cx.splits[f].axes;
  bool any = false;
  for (uint32_t i = 0; i < c->n_leads; i++) {
    if (only && only != &c->leads[i]) continue;
    const ShardingInfo *info = sharding_info(c->t->table, c->leads[i].sharding);
    for (uint32_t d = 0; d < info->rank; d++) {
      AxisList axes = sharding_dim_axes(info, d);
      for (uint32_t k = 0; k < axes.n; k++) {
        if (is_taken(c, splits, axes.v[k])) continue;
        uint32_t best = roomiest(c, &out->cx, axes.v[k]);
        if (best == UINT32_MAX) continue;
        splits[best].axes =
            axes_concat(&c->t->scratch, splits[best].axes, (AxisList){&axes.v[k], 1});
        any = true;
      }
    }
  }
  if (any) settle(c, out, false);
  return any;
}

// Axes of the mesh that nobody uses split the largest factor: work that all do alike is shared out.
static bool share_out(Chooser *c, const Choice *from, Choice *out) {
  const Mesh *mesh = sharding_mesh(c->t->table, c->t->mesh);
  localizer_init(c->t, c->op, c->m, &out->cx);
  FactorSplit *splits = out->cx.splits;
  for (uint32_t f = 0; f < c->m->n_factors; f++) splits[f].axes = from->cx.splits[f].axes;
  bool any = false;
  for (uint32_t a = 0; a < mesh->n_axes; a++) {
    AxisRef axis = axis_whole(mesh, a);
    if (axis.size == 1 || is_taken(c, splits, axis)) continue;
    uint32_t best = UINT32_MAX;
    for (uint32_t f = 0; f < c->m->n_factors; f++) {
      const Factor *factor = &c->m->factors[f];
      int64_t ways = axes_size(splits[f].axes) * axis.size;
      if (!is_plain(factor) || !can_split(c, f) || factor->size % ways) continue;
      if (best == UINT32_MAX || factor->size > c->m->factors[best].size) best = f;
    }
    if (best == UINT32_MAX) continue;
    splits[best].axes = axes_concat(&c->t->scratch, splits[best].axes, (AxisList){&axis, 1});
    any = true;
  }
  if (any) settle(c, out, true);
  return any;
}

// ---- parts carried on ----

// Do operands come in parts that the op lets through? Then the results come in parts. Those that
// are there whole as well count as whole.
static bool find_carried(Chooser *c) {
  Partition *t = c->t;
  uint32_t n = c->m->n_operands;
  c->partial = ARENA_ARRAY(&t->scratch, bool, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    const Copy *copy = t->copies[op_operand(t->p, c->op, i)];
    const ShardingInfo *info = sharding_info(t->table, copy->sharding);
    if (copy->next || !info->unreduced.n || info->mesh != t->mesh ||
        (c->carried.n && info->reducer != c->carried_in))
      continue;
    if (c->carried.n && !axes_equal(c->carried, info->unreduced)) continue;
    c->carried = info->unreduced;
    c->carried_in = info->reducer;
    c->partial[i] = true;
  }
  if (!c->carried.n) return false;
  c->carried_out = op_commutes(t->p, c->op, c->carried_in, c->partial);
  return c->carried_out != COMBINE_NONE;
}

// Would another user carry the value on, too? Where several use it, those do that make less of it.
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
    partial[i] = info && !copy->next && axes_equal(info->unreduced, c->carried) &&
                 info->reducer == c->carried_in;
  }
  return op_commutes(t->p, user, c->carried_in, partial) != COMBINE_NONE;
}

enum { MOST_USERS = 16 };

// Somebody else will have what is carried on made whole: then it may be taken from there.
static bool is_made_anyway(const Chooser *c) {
  for (uint32_t i = 0; i < c->m->n_operands; i++) {
    if (!c->partial[i]) continue;
    ValueId v = op_operand(c->t->p, c->op, i);
    OperandId use = value_at(c->t->p, v)->first_use;
    for (uint32_t n = 0; use; use = operand_at(c->t->p, use)->next_use, n++) {
      OpId user = operand_at(c->t->p, use)->user;
      if (n == MOST_USERS || (user != c->op && !carries_too(c, user, v))) return true;
    }
  }
  return false;
}

// Nobody else uses what is carried on.
static bool is_only_user(const Chooser *c) {
  for (uint32_t i = 0; i < c->m->n_operands; i++) {
    ValueId v = op_operand(c->t->p, c->op, i);
    uint32_t here = 0;
    for (uint32_t k = 0; k < c->m->n_operands; k++) here += op_operand(c->t->p, c->op, k) == v;
    if (c->partial[i] && value_count_uses(c->t->p, v) > here) return false;
  }
  return true;
}

static void drop_carried(Chooser *c) {
  c->carried.n = 0;
  c->carried_in = c->carried_out = COMBINE_NONE;
}

// ---- choosing ----

static PricedChoice priced(const Choice *choice, double seconds) {
  return (PricedChoice){seconds, choice->price.transfer_seconds, choice->unsure, choice->maybe};
}

static bool keep_better(const Chooser *c, double *best_seconds, Choice *best, const Choice *other) {
  double seconds = other->price.seconds + work_seconds(c, other);
  PricedChoice was = priced(best, *best_seconds), now = priced(other, seconds);
  if (!price_is_better(&was, &now, c->t->network->all.latency_seconds)) return false;
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
  return can_split(&c, factor);
}

void choose_for_result(Partition *t, OpId op, const FactorMap *m, Sharding sharding, Choice *out) {
  Chooser c;
  chooser_init(t, op, m, &c);
  add_lead(&c, m->n_operands, sharding);
  make_way(&c, NULL, true, out);
}

// ---- given axes ----

static const char *axis_name(const Chooser *c, AxisRef axis) {
  return axis_text(c->t->context, sharding_mesh(c->t->table, c->t->mesh), axis);
}

// Why the factor cannot have these strides; NULL if it can.
static const char *check_strides(const Chooser *c, const FactorSplit *split, int64_t size) {
  if (!split->n_strides) return NULL;
  if (!takes_strides(c)) return "the op cannot have strided shards";
  int64_t product = 1;
  for (uint32_t i = 0; i < split->n_strides; i++) {
    if (split->strides[i].size > size / product)
      return "the sizes of \"strides\" do not multiply to the size of the factor";
    product *= split->strides[i].size;
  }
  return product == size ? NULL
                         : "the sizes of \"strides\" do not multiply to the size of the factor";
}

// Why the op cannot be split so; NULL if it can.
static const char *check_given(const Chooser *c, const GivenDecision *given, FactorSplit *splits) {
  Arena *arena = &c->t->arena;
  if (given->n_factors != c->m->n_factors)
    return arena_printf(arena, "it has %u factors, and %u are given", c->m->n_factors,
                        given->n_factors);
  for (uint32_t f = 0; f < given->n_factors; f++) {
    AxisList axes = given->splits[f].axes;
    int64_t size = c->m->factors[f].size;
    if (given->sizes[f] && given->sizes[f] != size)
      return arena_printf(arena, "factor %u has size %lld, not %lld", f, (long long)size,
                          (long long)given->sizes[f]);
    const char *strides = check_strides(c, &given->splits[f], size);
    if (strides) return strides;
    if (axes.n && !can_split(c, f))
      return arena_printf(arena, "factor %u, of size %lld, cannot be split", f,
                          (long long)c->m->factors[f].size);
    for (uint32_t i = 0; i < axes.n; i++) {
      if (is_taken(c, splits, axes.v[i]))
        return arena_printf(arena, "axis %s is used twice, or is manual, or carries partial sums",
                            axis_name(c, axes.v[i]));
      splits[f].axes = (AxisList){axes.v, i + 1};
    }
    splits[f] = (FactorSplit){.axes = axes,
                              .strides = given->splits[f].strides,
                              .n_strides = given->splits[f].n_strides,
                              .parts = splits[f].parts};
  }
  return NULL;
}

// Why the axes were not kept; NULL if they were. What the op's `splits` column takes back cannot be
// had.
static const char *check_kept(const Chooser *c, const GivenDecision *given, const Choice *choice) {
  Arena *arena = &c->t->arena;
  for (uint32_t f = 0; f < c->m->n_factors; f++)
    if (!axes_equal(choice->cx.splits[f].axes, given->splits[f].axes))
      return arena_printf(arena,
                          "factor %u, of size %lld, cannot be split over %u devices together with "
                          "the rest",
                          f, (long long)c->m->factors[f].size,
                          (unsigned)axes_size(given->splits[f].axes));
  for (uint32_t i = 0; i < given->n_operands; i++)
    if (given->operands[i] != choice->in_as[i])
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

void choose_given(Partition *t, OpId op, const FactorMap *m, const GivenDecision *given,
                  Choice *out, const char **out_refused) {
  Chooser c;
  chooser_init(t, op, m, &c);
  if (given->partial && !find_carried(&c)) {
    *out_refused = "no operand is a partial sum that can pass through the op";
    return;
  }
  localizer_init(t, op, m, &out->cx);
  out->cx.strided = given->strided;
  *out_refused = check_given(&c, given, out->cx.splits);
  if (*out_refused) return;
  for (uint32_t f = 0; f < m->n_factors; f++) out->cx.wished[f] = given->wished[f];
  settle(&c, out, false);
  out->partial = given->partial;
  out->why = "given";
  *out_refused = check_kept(&c, given, out);
}

// ---- all ----

void choose_split(Partition *t, OpId op, const FactorMap *m, Choice *out) {
  Chooser c;
  chooser_init(t, op, m, &c);
  find_leads(&c);
  Choice carrying;
  bool carries = find_carried(&c) && !is_made_anyway(&c);
  if (carries) make_way(&c, NULL, true, &carrying);
  bool prefers = carries && is_only_user(&c);
  AxisList carried = c.carried;
  Combine in = c.carried_in, as = c.carried_out;
  drop_carried(&c);
  make_way(&c, NULL, true, out);
  if (out->price.bytes > 0) find_user(&c);
  if (c.user) {
    price(&c, out);
    if (carries) price(&c, &carrying);
    add_lead(&c, m->n_operands, c.user_takes);
  }
  double best = out->price.seconds + work_seconds(&c, out);
  bool compared = out->price.bytes > 0;
  if (compared) {
    Choice other;
    for (uint32_t i = 0; i < c.n_leads; i++) {
      if (i) make_way(&c, &c.leads[i], true, &other);
      if (i) keep_better(&c, &best, out, &other);
      make_way(&c, &c.leads[i], false, &other);
      keep_better(&c, &best, out, &other);
      Choice displaced;
      if (displace(&c, &c.leads[i], &other, &displaced)) keep_better(&c, &best, out, &displaced);
      if (stride(&c, &c.leads[i], &other)) keep_better(&c, &best, out, &other);
    }
    if (displace(&c, NULL, out, &other)) keep_better(&c, &best, out, &other);
    make_way(&c, NULL, false, &other);
    keep_better(&c, &best, out, &other);
  }
  Choice shared;
  if (out->price.bytes == 0 && work_seconds(&c, out) > tuning.share_least_seconds &&
      share_out(&c, out, &shared) && is_worth_sharing(&c, out, &shared))
    keep_better(&c, &best, out, &shared);
  out->why = out->shared ? "idle axes share the work"
             : compared  ? "the cheapest of the shardings around it"
                         : "no communication";
  if (!carries) return;
  c.carried = carried;
  c.carried_in = in;
  c.carried_out = as;
  double seconds = carrying.price.seconds + work_seconds(&c, &carrying);
  bool less = seconds < best * (1 - tuning.rounding);
  if (!less && !(prefers && seconds <= best * (1 + tuning.rounding))) return;
  *out = carrying;
  out->why = "partial sums pass through";
}
