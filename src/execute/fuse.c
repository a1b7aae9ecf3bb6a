// Which ops of a block become one loop.
//
// Problem: elementwise ops one by one read and write memory for every value.
//
// Idea: ops are taken in program order. Each joins the group of an operand if its elements
// correspond to points of the group's iteration space: the same shape up to views, a reduction of
// it, or a broadcast of a reduced value back to it. Groups of several operands are merged. Other
// operands become inputs. Views, splats and iotas belong to no group: loops read through them.
//
// Invariant: every group has a position `at`, the place of one of its ops, after everything it
// reads and before everything that reads it; so the contracted block stays acyclic. An op that
// would break that starts a new group. Nothing is computed twice.
//
// Cost: O(ops * FUSE_OPS * uses), linear for bounded numbers of uses.
#include "execute/fuse.h"

#include <assert.h>
#include <string.h>

#include "execute/fuse_private.h"

// ---- positions ----

typedef struct Set {  // the groups that would become one, and the op that joins them
  uint32_t n, groups[POINTWISE_ARITY + 1];
  OpId op;
} Set;

static bool set_has(const Fuser *f, const Set *s, OpId op) {
  if (op == s->op) return true;
  uint32_t g = fuse_group_of(f, op);
  for (uint32_t i = 0; i < s->n && g != NO_GROUP; i++)
    if (s->groups[i] == g) return true;
  return false;
}

// The op of this block that is `user` or contains it.
static OpId in_block(const Fuser *f, OpId user) {
  while (user && !f->position[user]) user = op_parent(f->p, user);
  return user;
}

// Whether the use is by a loop that reads through the view whose result it is.
static bool reads_through(const Fuser *f, const Set *s, OperandId use) {
  const Operand *o = operand_at(f->p, use);
  FuseView v;
  if (!f->position[o->user] || !(set_has(f, s, o->user) || fuse_group_of(f, o->user) != NO_GROUP))
    return false;
  fuse_operand(f, o->user, use - op_at(f->p, o->user)->operands, &v);
  return v.root != o->value;
}

// The earliest position at which a user outside of the set needs the value. A view is read where
// its readers are, if all of them are loops.
static uint32_t needed_at(const Fuser *f, const Set *s, ValueId v, uint32_t depth) {
  uint32_t first = UINT32_MAX;
  for (OperandId u = value_at(f->p, v)->first_use; u; u = operand_at(f->p, u)->next_use) {
    OpId user = in_block(f, operand_at(f->p, u)->user);
    uint32_t at = UINT32_MAX;
    if (!user) return 0;
    if (set_has(f, s, user)) continue;
    uint32_t g = fuse_group_of(f, user);
    if (g != NO_GROUP)
      at = f->groups.items[g].at;
    else if (fuse_is_view((FuseKind)f->kind[user]) && depth < 8) {
      ValueId result = op_result(f->p, user, 0);
      bool loops = value_has_uses(f->p, result);
      for (OperandId w = value_at(f->p, result)->first_use; w && loops;
           w = operand_at(f->p, w)->next_use)
        loops = reads_through(f, s, w);
      at = loops ? needed_at(f, s, result, depth + 1) : f->position[user];
    } else {
      at = f->position[user];
    }
    if (at < first) first = at;
  }
  return first;
}

// The position from which a value may be read. False: the set itself computes it.
static bool available_at(const Fuser *f, const Set *s, ValueId root, uint32_t *out) {
  OpId def = value_def(f->p, root);
  *out = 0;
  if (!def || !f->position[def]) return true;
  if (set_has(f, s, def)) return false;
  uint32_t g = fuse_group_of(f, def);
  *out = g != NO_GROUP ? f->groups.items[g].at : f->position[def];
  return true;
}

// The position after which the op can run within the set; false if it reads what the set stores.
static bool ready_at(const Fuser *f, const Set *s, OpId op, uint32_t *out) {
  *out = 0;
  for (uint32_t i = 0; i < op_at(f->p, op)->n_operands; i++) {
    FuseView v;
    uint32_t at;
    uint64_t bits;
    fuse_operand(f, op, i, &v);
    if (fuse_splat(f, &v, &bits)) continue;
    OpId def = value_def(f->p, v.root);
    if (def && set_has(f, s, def) && !f->leaves[v.root]) continue;
    if (!available_at(f, s, v.root, &at)) return false;
    if (at > *out) *out = at;
  }
  return true;
}

// Whether an op of the set reads v, through views too.
static bool read_inside(const Fuser *f, const Set *s, ValueId v, uint32_t depth) {
  for (OperandId u = value_at(f->p, v)->first_use; u; u = operand_at(f->p, u)->next_use) {
    OpId user = operand_at(f->p, u)->user;
    if (!f->position[user]) continue;
    if (set_has(f, s, user)) return true;
    if (fuse_is_view((FuseKind)f->kind[user]) &&
        (depth >= 8 || read_inside(f, s, op_result(f->p, user, 0), depth + 1)))
      return true;
  }
  return false;
}

// Whether group i of the set can stand at position `at`. Groups that are merged must not read each
// other: they would have joined if elements corresponded. Nor may the set read what it stores.
static bool group_fits(const Fuser *f, const Set *s, uint32_t i, uint32_t at) {
  const Group *g = &f->groups.items[s->groups[i]];
  Set others = {0};
  for (uint32_t k = 0; k < s->n; k++)
    if (k != i) others.groups[others.n++] = s->groups[k];
  for (uint32_t k = 0; k < g->ops.count; k++) {
    ValueId v = op_result(f->p, g->ops.items[k], 0);
    if (g->at != at && needed_at(f, s, v, 0) <= at) return false;
    if (others.n && read_inside(f, &others, v, 0)) return false;
    if (f->leaves[v] && read_inside(f, s, v, 0)) return false;
  }
  return true;
}

// The set's position; false if there is none. Positions of groups only rise, so that what was
// checked for the groups of the set stays true, and only those that move are checked again.
static bool place(const Fuser *f, const Set *s, uint32_t *out_at) {
  uint32_t ready, least = 0, at = f->position[s->op];
  if (!ready_at(f, s, s->op, &ready)) return false;
  for (uint32_t i = 0; i < s->n; i++)
    if (f->groups.items[s->groups[i]].at > least) least = f->groups.items[s->groups[i]].at;
  for (uint32_t i = 0; i < s->n; i++) {
    const Group *g = &f->groups.items[s->groups[i]];
    for (uint32_t k = 0; k < g->ops.count; k++) {
      uint32_t here = f->position[g->ops.items[k]];
      if (here >= least && here > ready && here < at) at = here;
    }
  }
  for (uint32_t i = 0; i < s->n; i++)
    if (!group_fits(f, s, i, at)) return false;
  *out_at = at;
  return true;
}

// ---- correspondence of elements ----

// Matches dimensions of size above 1 that have no iteration dimension yet with those that are not
// used yet, in order. False if sizes differ.
static bool match_rest(const int64_t *dims, uint32_t rank, const Group *g, int8_t *map) {
  uint32_t used = 0, next = 0, missing = 0;
  for (uint32_t d = 0; d < rank; d++)
    if (map[d] >= 0)
      used |= 1u << map[d];
    else if (dims[d] > 1)
      missing++;
  if (!missing) return true;
  for (uint32_t d = 0; d < rank; d++) {
    if (map[d] >= 0 || dims[d] == 1) continue;
    while (next < g->n_dims && used >> next & 1) next++;
    if (next == g->n_dims || g->dims[next] != dims[d]) return false;
    map[d] = (int8_t)next++;
  }
  while (next < g->n_dims && used >> next & 1) next++;
  return next == g->n_dims;
}

static uint32_t covered(uint32_t rank, const int8_t *map) {
  uint32_t set = 0;
  for (uint32_t d = 0; d < rank; d++)
    if (map[d] >= 0) set |= 1u << map[d];
  return set;
}

static uint32_t all_dims(const Group *g) { return (1u << g->n_dims) - 1; }

// The iteration dimensions of the op's dimensions, from an operand that group g computes. Existing
// entries of map must agree.
static bool map_from_view(const Fuser *f, const FuseView *v, const int64_t *dims, int8_t *map) {
  if (v->flat) return false;
  const int8_t *root = f->map[v->root];
  const TypeInfo *t = fuse_type(f->p, v->root);
  for (uint32_t k = 0; k < v->root_rank; k++) {
    if (root[k] < 0) continue;
    uint32_t n = 0, at = 0;
    for (uint32_t d = 0; d < v->rank; d++)
      if (v->coef[k][d] && dims[d] > 1) n++, at = d;
    if (n != 1 || v->coef[k][at] != 1 || v->offset[k] || dims[at] != t->dims[k]) return false;
    if (map[at] >= 0 && map[at] != root[k]) return false;
    map[at] = root[k];
  }
  for (uint32_t d = 0; d < v->rank; d++)  // no dimension twice
    for (uint32_t e = 0; e < d; e++)
      if (map[d] >= 0 && map[d] == map[e]) return false;
  return true;
}

// Element steps cover all dimensions, row steps all that no row reduction reduces.
static bool level_fits(const Group *g, uint32_t set) {
  return set == all_dims(g) || (g->row && set == (all_dims(g) & ~g->row));
}

// The map of the op in group g, whose values some operands are.
static bool map_in(const Fuser *f, OpId op, uint32_t g, uint32_t rank, const int64_t *dims,
                   int8_t *map) {
  const Group *group = &f->groups.items[g];
  bool any = false;
  memset(map, -1, FUSE_RANK);
  for (uint32_t i = 0; i < op_at(f->p, op)->n_operands; i++) {
    FuseView v;
    uint64_t bits;
    fuse_operand(f, op, i, &v);
    if (fuse_splat(f, &v, &bits)) continue;
    OpId def = value_def(f->p, v.root);
    if (!def || fuse_group_of(f, def) != g) continue;
    if (f->leaves[v.root] || (f->kind[op] == FUSE_REDUCE && i)) return false;
    if (!map_from_view(f, &v, dims, map)) return false;
    any = true;
  }
  return any && match_rest(dims, rank, group, map) && level_fits(group, covered(rank, map));
}

// ---- joining ----

static void dims_of(const Fuser *f, OpId op, uint32_t *out_rank, int64_t *dims) {
  ValueId v = f->kind[op] == FUSE_REDUCE ? op_operand(f->p, op, 0) : op_result(f->p, op, 0);
  const TypeInfo *t = fuse_type(f->p, v);
  *out_rank = t->rank;
  for (uint32_t d = 0; d < t->rank; d++) dims[d] = t->dims[d];
}

// Rows so few and long that they are cut into blocks: nothing else may use their results.
static bool few_rows(const Group *g, uint32_t row) {
  double rows = 1, length = 1;
  for (uint32_t d = 0; d < g->n_dims; d++) *(row >> d & 1 ? &length : &rows) *= (double)g->dims[d];
  return rows < 16 && length >= 1 << 17;
}

// The iteration dimensions that a reduction reduces.
static uint32_t reduced_set(const Fuser *f, OpId op, const int8_t *map) {
  Ints along = attr_as_ints(f->p->context, op_attr(f->p, op, "dimensions"));
  uint32_t set = 0;
  for (uint32_t i = 0; i < along.n; i++)
    if (map[along.v[i]] >= 0) set |= 1u << map[along.v[i]];
  return set;
}

// Whether the group may also have a reduction of this set; new sets of rows and columns.
static bool reduction_fits(const Group *g, uint32_t set, uint32_t *out_row, uint32_t *out_column) {
  uint32_t inner = g->n_dims ? 1u << (g->n_dims - 1) : 0;
  *out_row = g->row, *out_column = g->column;
  if (set == 0) return true;
  if (set & inner) {
    if (few_rows(g, set) && g->column) return false;
    *out_row = set;
    return (!g->row || g->row == set) && (!g->column || (set == inner && !(g->column & set)));
  }
  *out_column = set;
  return (!g->column || g->column == set) && (!g->row || g->row == inner) && !(set & g->row);
}

// Renames the iteration dimensions of group h: dimension d becomes order[d].
static void rename_dims(Fuser *f, uint32_t h, const int8_t *order) {
  Group *g = &f->groups.items[h];
  uint32_t row = 0, column = 0;
  for (uint32_t d = 0; d < g->n_dims; d++) {
    if (g->row >> d & 1) row |= 1u << order[d];
    if (g->column >> d & 1) column |= 1u << order[d];
  }
  g->row = row, g->column = column;
  for (uint32_t k = 0; k < g->ops.count; k++) {
    int8_t *map = f->map[op_result(f->p, g->ops.items[k], 0)], *in = f->in_map[g->ops.items[k]];
    for (uint32_t d = 0; d < FUSE_RANK; d++) {
      if (map[d] >= 0) map[d] = order[map[d]];
      if (in[d] >= 0) in[d] = order[in[d]];
    }
  }
}

// Whether the op's elements correspond in groups g and h, so that h's dimensions can be renamed to
// g's: order[dimension of h] = dimension of g.
static bool spaces_agree(const Fuser *f, OpId op, uint32_t g, uint32_t h, int8_t *order) {
  const Group *a = &f->groups.items[g], *b = &f->groups.items[h];
  uint32_t rank;
  int64_t dims[FUSE_RANK];
  int8_t to_g[FUSE_RANK], to_h[FUSE_RANK];
  dims_of(f, op, &rank, dims);
  if (a->n_dims != b->n_dims || !map_in(f, op, g, rank, dims, to_g) ||
      !map_in(f, op, h, rank, dims, to_h))
    return false;
  memset(order, -1, FUSE_RANK);
  uint32_t used = 0;
  for (uint32_t d = 0; d < rank; d++) {
    if ((to_g[d] < 0) != (to_h[d] < 0)) return false;
    if (to_g[d] < 0) continue;
    order[to_h[d]] = to_g[d];
    used |= 1u << to_g[d];
  }
  uint32_t next = 0;
  for (uint32_t d = 0; d < b->n_dims; d++) {
    if (order[d] >= 0) continue;
    while (next < a->n_dims && used >> next & 1) next++;
    if (next == a->n_dims) return false;
    order[d] = (int8_t)next++;
  }
  for (uint32_t d = 0; d < b->n_dims; d++)
    if (a->dims[order[d]] != b->dims[d]) return false;
  return true;
}

static uint32_t renamed(uint32_t set, const int8_t *order) {
  uint32_t out = 0;
  for (uint32_t d = 0; d < FUSE_RANK; d++)
    if (set >> d & 1) out |= 1u << order[d];
  return out;
}

static bool structures_agree(const Group *a, const Group *b, const int8_t *order) {
  uint32_t row = renamed(b->row, order), column = renamed(b->column, order);
  uint32_t inner = a->n_dims ? 1u << (a->n_dims - 1) : 0;
  // The innermost dimension stays innermost, as memory is laid out.
  if (b->n_dims && order[b->n_dims - 1] != (int)b->n_dims - 1) return false;
  if (a->row && row && a->row != row) return false;
  if (a->column && column && a->column != column) return false;
  row |= a->row, column |= a->column;
  return !(row & column) && !(column && row && row != inner);
}

// Gives the op its place in group g.
static void add_op(Fuser *f, uint32_t g, OpId op, uint32_t at, const int8_t *map) {
  Group *group = &f->groups.items[g];
  ValueId result = op_result(f->p, op, 0);
  f->group[op] = g;
  group->at = at;
  VEC_PUSH(f->arena, &group->ops, op);
  memset(f->map[result], -1, FUSE_RANK);
  memcpy(f->in_map[op], map, FUSE_RANK);
  if (f->kind[op] != FUSE_REDUCE) {
    memcpy(f->map[result], map, FUSE_RANK);
    return;
  }
  uint32_t set = reduced_set(f, op, map), row, column, kept = 0;
  reduction_fits(group, set, &row, &column);
  f->leaves[result] =
      column != group->column || (set && set == column) || (set && few_rows(group, set));
  group->row = row, group->column = column;
  Ints along = attr_as_ints(f->p->context, op_attr(f->p, op, "dimensions"));
  uint32_t rank = fuse_type(f->p, op_operand(f->p, op, 0))->rank;
  for (uint32_t d = 0; d < rank; d++)
    if (!ints_contain(along, d)) f->map[result][kept++] = map[d];
}

static bool reduction_joins(const Fuser *f, uint32_t g, OpId op, uint32_t rank, const int8_t *map) {
  const Group *group = &f->groups.items[g];
  uint32_t row, column;
  if (f->kind[op] != FUSE_REDUCE) return true;
  return covered(rank, map) == all_dims(group) &&
         reduction_fits(group, reduced_set(f, op, map), &row, &column);
}

// Merges group h into g; both in order of positions.
static void merge(Fuser *f, uint32_t g, uint32_t h, const int8_t *order) {
  rename_dims(f, h, order);
  Group *a = &f->groups.items[g], *b = &f->groups.items[h];
  for (uint32_t k = 0; k < b->ops.count; k++) VEC_PUSH(f->arena, &a->ops, b->ops.items[k]);
  a->row |= b->row;
  a->column |= b->column;
  b->into = g;
  for (uint32_t i = 1; i < a->ops.count; i++)  // insertion sort: nearly sorted
    for (uint32_t k = i; k > 0 && f->position[a->ops.items[k - 1]] > f->position[a->ops.items[k]];
         k--) {
      OpId op = a->ops.items[k];
      a->ops.items[k] = a->ops.items[k - 1];
      a->ops.items[k - 1] = op;
    }
}

static uint32_t operand_groups(const Fuser *f, OpId op, uint32_t *out) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < op_at(f->p, op)->n_operands && i < POINTWISE_ARITY; i++) {
    FuseView v;
    fuse_operand(f, op, i, &v);
    OpId def = value_def(f->p, v.root);
    uint32_t g = def && f->position[def] ? fuse_group_of(f, def) : NO_GROUP;
    bool known = g == NO_GROUP || f->leaves[v.root];
    for (uint32_t k = 0; k < n; k++) known |= out[k] == g;
    if (!known) out[n++] = g;
  }
  return n;
}

static bool join(Fuser *f, OpId op) {
  uint32_t groups[POINTWISE_ARITY], n = operand_groups(f, op, groups), rank;
  int64_t dims[FUSE_RANK];
  int8_t map[FUSE_RANK], order[FUSE_RANK];
  dims_of(f, op, &rank, dims);
  for (uint32_t first = 0; first < n; first++) {
    uint32_t g = groups[first];
    Set set = {.n = 1, .groups = {g}, .op = op};
    if (f->groups.items[g].ops.count >= FUSE_OPS || !map_in(f, op, g, rank, dims, map) ||
        !reduction_joins(f, g, op, rank, map))
      continue;
    uint32_t at;
    bool placed = place(f, &set, &at);
    for (uint32_t k = 0; k < n; k++) {
      uint32_t h = groups[k];
      if (h == g || fuse_find(f, h) != h || !spaces_agree(f, op, g, h, order) ||
          !structures_agree(&f->groups.items[g], &f->groups.items[h], order) ||
          f->groups.items[g].ops.count + f->groups.items[h].ops.count >= FUSE_OPS)
        continue;
      Set both = set;
      both.groups[both.n++] = h;
      uint32_t both_at;
      if (!place(f, &both, &both_at)) continue;
      merge(f, g, h, order);
      at = both_at;
      f->groups.items[g].at = at;
      placed = true;
    }
    if (!placed || !map_in(f, op, g, rank, dims, map) || !reduction_joins(f, g, op, rank, map))
      continue;
    add_op(f, g, op, at, map);
    return true;
  }
  return false;
}

static void start_group(Fuser *f, OpId op) {
  Group group = {.into = f->groups.count};
  uint32_t rank;
  int64_t dims[FUSE_RANK];
  int8_t map[FUSE_RANK];
  dims_of(f, op, &rank, dims);
  memset(map, -1, sizeof map);
  for (uint32_t d = 0; d < rank; d++) {
    if (dims[d] == 1) continue;
    map[d] = (int8_t)group.n_dims;
    group.dims[group.n_dims++] = dims[d];
  }
  VEC_PUSH(f->arena, &f->groups, group);
  add_op(f, f->groups.count - 1, op, f->position[op], map);
}

// A loop of its own, which no other op joins.
static void start_variadic(Fuser *f, OpId op) {
  Group group = {.into = f->groups.count, .at = f->position[op]};
  VEC_PUSH(f->arena, &group.ops, op);
  VEC_PUSH(f->arena, &f->groups, group);
  f->group[op] = f->groups.count - 1;
  for (uint32_t i = 0; i < op_at(f->p, op)->n_results; i++)
    f->leaves[op_result(f->p, op, i)] = true;
}

// ---- the block ----

static void find_groups(Fuser *f) {
  for (OpId op = block_at(f->p, f->block)->first; op; op = op_at(f->p, op)->next)
    if (f->kind[op] == FUSE_VARIADIC)
      start_variadic(f, op);
    else if (fuse_is_step((FuseKind)f->kind[op]) && !join(f, op))
      start_group(f, op);
}

// Broadcasts and iotas that other ops need as values become loops of their own.
static void add_alone(Fuser *f) {
  for (OpId op = block_at(f->p, f->block)->first; op; op = op_at(f->p, op)->next)
    if (!f->dead[op] && (f->kind[op] == FUSE_BROADCAST || f->kind[op] == FUSE_IOTA) &&
        value_has_uses(f->p, op_result(f->p, op, 0)))
      start_group(f, op);
}

static void mark_loaded(Fuser *f) {
  for (uint32_t g = 0; g < f->groups.count; g++) {
    const Group *group = &f->groups.items[g];
    if (group->into != g) continue;
    for (uint32_t k = 0; k < group->ops.count; k++) {
      OpId op = group->ops.items[k];
      FuseKind kind = (FuseKind)f->kind[op];
      uint32_t n = kind == FUSE_BROADCAST || kind == FUSE_IOTA ? 1 : op_at(f->p, op)->n_operands;
      for (uint32_t i = 0; i < n; i++) {
        FuseView v;
        uint64_t bits;
        fuse_operand(f, op, i, &v);
        OpId def = value_def(f->p, v.root);
        bool inside = def && fuse_group_of(f, def) == g && !f->leaves[v.root];
        bool iota = def && f->position[def] && f->kind[def] == FUSE_IOTA && !v.flat;
        if (!inside && !iota && !fuse_splat(f, &v, &bits)) f->loaded[v.root] = true;
      }
    }
  }
}

// Views, splats and iotas that only loops read, through them; backward, as views read views.
static void find_dead(Fuser *f) {
  for (OpId op = block_at(f->p, f->block)->last; op; op = op_at(f->p, op)->prev) {
    FuseKind kind = (FuseKind)f->kind[op];
    if (!fuse_is_view(kind) && kind != FUSE_IOTA && kind != FUSE_CONSTANT) continue;
    ValueId v = op_result(f->p, op, 0);
    bool dead = !f->loaded[v] && value_has_uses(f->p, v);  // an unused one is in no loop
    for (OperandId u = value_at(f->p, v)->first_use; u && dead; u = operand_at(f->p, u)->next_use) {
      OpId user = operand_at(f->p, u)->user;
      dead = f->position[user] && (f->dead[user] || fuse_group_of(f, user) != NO_GROUP);
    }
    f->dead[op] = dead;
  }
}

void fuse_block(const FuseRequest *request, BlockId block, uint32_t *out_n, FusedLoop **out_loops) {
  Program *p = request->program;
  Fuser f = {.request = request,
             .p = p,
             .arena = request->arena,
             .block = block,
             .engine = request->tiles ? NULL : loop_compiled()};
  uint32_t n_ops = p->ops.count + 1, n_values = p->values.count + 1, count = 0;
  f.position = ARENA_ARRAY(f.arena, uint32_t, n_ops);
  f.kind = ARENA_ARRAY(f.arena, uint8_t, n_ops);
  f.group = ARENA_ARRAY(f.arena, uint32_t, n_ops);
  f.dead = ARENA_ARRAY(f.arena, bool, n_ops);
  f.map = arena_calloc(f.arena, n_values, sizeof *f.map);
  f.in_map = arena_calloc(f.arena, n_ops, sizeof *f.in_map);
  f.step = ARENA_ARRAY(f.arena, uint16_t, n_values);
  f.leaves = ARENA_ARRAY(f.arena, bool, n_values);
  f.loaded = ARENA_ARRAY(f.arena, bool, n_values);
  for (uint32_t i = 0; i < n_ops; i++) f.group[i] = NO_GROUP;
  for (OpId op = block_at(p, block)->first; op; op = op_at(p, op)->next) {
    f.position[op] = ++count;
    bool excluded = request->excluded && request->excluded[op];
    f.kind[op] = excluded ? FUSE_NONE : (uint8_t)fuse_classify(p, op);
  }
  find_groups(&f);
  mark_loaded(&f);
  find_dead(&f);
  add_alone(&f);
  mark_loaded(&f);
  find_dead(&f);
  FusedLoop *loops = ARENA_ARRAY(f.arena, FusedLoop, f.groups.count + 1);
  uint32_t n = 0;
  for (uint32_t g = 0; g < f.groups.count; g++)
    if (f.groups.items[g].into == g) fuse_lower(&f, g, &loops[n++]);
  *out_n = n;
  *out_loops = loops;
}

const char *fuse_engine(void) {
  const char *compiled = loop_compiled_name();
  return compiled ? compiled : loop_tiles.name;
}
