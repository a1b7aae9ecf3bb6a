// Problem: after propagation, explain each axis that one tensor of an op has along a factor and
// another lacks.
// Idea: project each tensor to factors. For each factor, the tensors with the most axes are the
// rivals; every other tensor lacks what a rival has beyond it. The reason is the first condition of
// the propagation step that fails. The order of the tests is the order of usefulness to a reader:
// the op's own limits, the tensor's own axes, its annotation, sizes, then the other tensors.
// Invariant: at the fixpoint one of the tests fails; otherwise the reason is UNKNOWN.
// Cost: O(tensors · factors) per node, plus O(min(tensors, MOST_ASKED)) per conflict.
#include "explain/why_private.h"

static const struct {
  const char *word, *text;
} reasons[CONFLICT_COUNT] = {
#define CONFLICT(id, word, text) {word, text},
#include "explain/why_conflicts.def"
#undef CONFLICT
};

static const struct {
  const char *word, *text;
} wins[] = {
    [WON_NONE] = {"", ""},
    [WON_GIVEN] = {"given", "it is annotated"},
    [WON_USER_PRIORITY] = {"user_priority", "its annotation has an earlier priority"},
    [WON_OP_PRIORITY] = {"op_priority", "the op that propagated it propagates first (op priority)"},
    [WON_FIRST] = {"first", "it was propagated first"},
    [WON_LARGER] = {"larger", "of the two tensors that offer the axis, the larger one wins"},
    [WON_COST] = {"cost", "of the two dimensions that could take the axis, the one that sends "
                          "less wins (--conflicts=cost)"},
    [WON_MORE] = {"more_shards", "the two tensors that offer the axis have equal sizes, and the "
                                 "one with more shards along the dimension wins"},
    [WON_EARLIER] = {"earlier", "the two tensors that offer the axis have equal sizes, and the "
                                "earlier operand wins"},
};

// Limits for machine-made ops with thousands of tensors: only the first MOST_ASKED are tested for
// objections, and a node with more than MOST_CELLS tensor-factor cells is skipped.
enum { MOST_ASKED = 256, MOST_CELLS = 1 << 22 };

typedef struct Look {
  Why *why;
  NodeId node;
  const FactorMap *map;
  const PlaceId *tensors;
  const Mesh *mesh;
  Sharding *seen;      // per tensor, as the node sees it
  FactorAxes **cells;  // per tensor: its axes by factor; NULL: no place
  ProjectMode mode;
  Arena *arena;  // scratch for this node
  Arena *kept;   // for the conflicts found
} Look;

// A factor, the tensor that has axes along it, and the tensor that lacks them.
typedef struct Pair {
  uint32_t factor, has, lacks, dim;
  const FactorAxes *cell;  // of tensor `lacks`
  AxisList axes;           // axes that it lacks
  // The axes of `has` up to the first that is lacking: a tensor that objects to one axis objects to
  // all after it.
  AxisList offer;
  AxisList other;  // axes that it has instead
  int64_t before;  // product of the axes that both share
} Pair;

static uint32_t n_asked(const Look *look) {
  uint32_t n = factor_map_n_tensors(look->map);
  return n < MOST_ASKED ? n : MOST_ASKED;
}

static const FactorAxes *cell_of(const Look *look, uint32_t t, uint32_t factor) {
  const FactorAxes *cells = look->cells[t];
  return cells && cells[factor].present ? &cells[factor] : NULL;
}

// Whether tensor t uses the axis along another factor; *out_piece is the piece that put it there.
static bool used_elsewhere(const Look *look, uint32_t t, uint32_t factor, AxisRef axis,
                           uint32_t *out_piece) {
  for (uint32_t f = 0; f < look->map->n_factors; f++) {
    const FactorAxes *cell = f == factor ? NULL : cell_of(look, t, f);
    if (!cell || !(axes_overlap_ref(cell->axes, axis) || axes_overlap_ref(cell->overflow, axis)))
      continue;
    uint32_t dim = 0;
    factor_map_find(look->map, t, f, &dim, NULL);
    *out_piece = why_find_piece(look->why, look->tensors[t], dim, axis, WHY_NONE);
    return true;
  }
  return false;
}

static uint32_t piece_of(const Look *look, uint32_t t, uint32_t factor, AxisRef axis) {
  uint32_t dim = 0;
  factor_map_find(look->map, t, factor, &dim, NULL);
  return why_find_piece(look->why, look->tensors[t], dim, axis, WHY_NONE);
}

static bool same_axes(AxisList a, AxisList b) {
  for (uint32_t i = 0; i < a.n; i++)
    if (!axes_contain_ref(b, a.v[i])) return false;
  return a.n == b.n;
}

// A more major factor of the dimension is not split completely, or its axes do not divide it. The
// axis would then make a strided split.
static bool behind_partial(const Look *look, const Pair *pair) {
  FactorList factors = factor_map_dim(look->map, pair->lacks, pair->dim);
  for (uint32_t i = 0; i < factors.n && factors.v[i] != pair->factor; i++) {
    const FactorAxes *major = cell_of(look, pair->lacks, factors.v[i]);
    if (major->overflow.n || axes_size(major->axes) < look->map->factors[factors.v[i]].size)
      return true;
  }
  return false;
}

static bool does_not_divide(const Look *look, const Pair *pair) {
  if (pair->cell->overflow.n) return true;
  int64_t size = look->map->factors[pair->factor].size;
  if (pair->cell->minor_most) return false;
  return size < 1 || size % pair->before || (size / pair->before) % pair->axes.v[0].size;
}

static bool wrong_way(const Look *look, const Pair *pair, ProjectMode mode) {
  uint8_t way = why_way(look->map, mode, pair->factor);
  bool from_result = pair->has >= look->map->n_operands;
  bool to_result = pair->lacks >= look->map->n_operands;
  if (from_result != to_result)
    return !(way & (from_result ? DIRECTION_BACKWARD : DIRECTION_FORWARD));
  return way != DIRECTION_BOTH;
}

// Whether a third tensor continues with other axes along the same factor.
static bool others_disagree(const Look *look, const Pair *pair, AxisList axes,
                            uint32_t *out_piece) {
  for (uint32_t t = 0; t < n_asked(look); t++) {
    const FactorAxes *cell = t == pair->has ? NULL : cell_of(look, t, pair->factor);
    if (!cell || axes_is_prefix(cell->axes, axes) || axes_is_prefix(axes, cell->axes)) continue;
    AxisRef *common = ARENA_ARRAY(look->arena, AxisRef, cell->axes.n + 1);
    AxisRef *rest = ARENA_ARRAY(look->arena, AxisRef, cell->axes.n + 1);
    AxisList shared = {common, axes_common_prefix(cell->axes, axes, common)};
    if (axes_without_prefix(cell->axes, shared, rest))
      *out_piece = piece_of(look, t, pair->factor, rest[0]);
    return true;
  }
  return false;
}

// Whether a tensor uses one of the offered axes along another factor. Basic propagation requires
// all tensors to take them.
static bool contested(const Look *look, const Pair *pair, uint32_t *out_piece) {
  for (uint32_t t = 0; t < n_asked(look); t++)
    for (uint32_t i = 0; look->cells[t] && i < pair->offer.n; i++)
      if (used_elsewhere(look, t, pair->factor, pair->offer.v[i], out_piece)) return true;
  return false;
}

// Whether a third tensor is closed, does not divide, or excludes the axes. Basic propagation takes
// no axis that one tensor refuses.
static bool one_refuses(const Look *look, const Pair *pair) {
  for (uint32_t t = 0; t < n_asked(look); t++) {
    const FactorAxes *cell = t == pair->has ? NULL : cell_of(look, t, pair->factor);
    if (!cell) continue;
    const ShardingInfo *info = sharding_info(look->why->table, look->seen[t]);
    Pair third = *pair;
    third.cell = cell;
    if (cell->closed || does_not_divide(look, &third) ||
        axes_overlap(info->replicated, pair->offer) || axes_overlap(info->unreduced, pair->offer) ||
        axes_overlap(info->manual, pair->offer))
      return true;
  }
  return false;
}

// The tests are in the order of their usefulness to a reader. Each return mirrors a condition of
// the propagation step in propagate/ and sharding/project.
static ConflictReason find_reason(const Look *look, const Pair *pair, AxisList all,
                                  uint32_t *out_piece) {
  AxisRef axis = pair->axes.v[0];
  const ShardingInfo *info = sharding_info(look->why->table, look->seen[pair->lacks]);
  bool barrier = look->why->g->nodes[look->node].kind == NODE_BARRIER;
  if (propagation_options(look->why->p)->strategy == STRATEGY_NONE) return CONFLICT_STRATEGY;
  if (look->map->factors[pair->factor].sdy_kinds & FACTOR_BLOCK) return CONFLICT_BLOCKED;
  if (barrier && wrong_way(look, pair, look->mode)) return CONFLICT_BARRIER;
  if (pair->other.n) {
    *out_piece = piece_of(look, pair->lacks, pair->factor, pair->other.v[0]);
    return same_axes(pair->axes, pair->other) ? CONFLICT_ORDER : CONFLICT_OTHER;
  }
  if (pair->dim < info->rank && !info->dims[pair->dim].open) return CONFLICT_CLOSED;
  if (axes_overlap_ref(info->replicated, axis)) return CONFLICT_REPLICATED;
  if (axes_overlap_ref(info->unreduced, axis)) return CONFLICT_UNREDUCED;
  if (axes_overlap_ref(info->manual, axis)) return CONFLICT_MANUAL;
  if (used_elsewhere(look, pair->lacks, pair->factor, axis, out_piece)) return CONFLICT_USED;
  if (behind_partial(look, pair)) return CONFLICT_STRIDED;
  if (does_not_divide(look, pair)) return CONFLICT_SIZE;
  if (wrong_way(look, pair, look->mode)) return CONFLICT_DIRECTION;
  if (others_disagree(look, pair, all, out_piece)) return CONFLICT_DISAGREE;
  if (look->mode.elementwise && pair->lacks < look->map->n_operands) return CONFLICT_SIDEWAYS;
  if (contested(look, pair, out_piece)) return CONFLICT_CONTESTED;
  if (!look->mode.aggressive && one_refuses(look, pair)) return CONFLICT_REFUSED;
  return CONFLICT_UNKNOWN;
}

// The first op priority in which the op propagates the axis; OP_PRIORITIES: none.
static uint32_t first_turn(const Look *look, const Pair *pair, bool aggressive) {
  uint32_t turn = 0;
  while (
      turn < OP_PRIORITIES &&
      wrong_way(look, pair, propagation_mode(look->why->p, look->node, (uint8_t)turn, aggressive)))
    turn++;
  return turn;
}

static double size_of(const Look *look, uint32_t tensor) {
  double size = 1;
  for (uint32_t f = 0; f < look->map->n_factors; f++)
    if (cell_of(look, tensor, f)) size *= (double)look->map->factors[f].size;
  return size;
}

static int64_t ways_of(const Look *look, uint32_t tensor, uint32_t factor) {
  const FactorAxes *cell = cell_of(look, tensor, factor);
  return cell ? axes_size(cell->axes) : 1;
}

// Which rule of one step decided between the source of the piece and tensor `has`: the order of
// candidates in sharding/project.c.
static Won find_rule(const Look *look, const Pair *pair, const Piece *piece) {
  if (look->mode.by_cost) return WON_COST;
  if (size_of(look, piece->from) != size_of(look, pair->has)) return WON_LARGER;
  int64_t won = ways_of(look, piece->from, piece->factor),
          lost = ways_of(look, pair->has, pair->factor);
  return look->mode.elementwise && won > lost ? WON_MORE : WON_EARLIER;
}

// Why the blocking piece was preferred to the axis of tensor `has`.
static Won find_won(const Look *look, const Pair *pair, uint32_t blocker) {
  if (blocker == WHY_NONE) return WON_NONE;
  const Piece *piece = why_piece(look->why, blocker);
  if (piece->cause != PIECE_STEP) return WON_GIVEN;
  uint32_t rival = piece_of(look, pair->has, pair->factor, pair->axes.v[0]);
  if (rival == WHY_NONE) return WON_GIVEN;
  const Event *a = propagation_event(look->why->p, piece->event);
  const Event *b = propagation_event(look->why->p, why_piece(look->why, rival)->event);
  if (why_piece(look->why, rival)->event < piece->event) {
    if (a->aggressive && a->node == look->node) return find_rule(look, pair, piece);
    return first_turn(look, pair, a->aggressive) > a->op_priority ? WON_OP_PRIORITY : WON_FIRST;
  }
  if (a->user_priority != b->user_priority) return WON_USER_PRIORITY;
  return a->op_priority != b->op_priority ? WON_OP_PRIORITY : WON_FIRST;
}

// The mode of the last pass, which allows the most.
static ProjectMode last_mode(const Why *why, NodeId node) {
  const PropagateOptions *options = propagation_options(why->p);
  bool basic = options->strategy == STRATEGY_BASIC || options->steps == STEPS_BASIC;
  return propagation_mode(why->p, node, OP_PRIORITIES - 1, !basic);
}

// Projects the tensors' current shardings to the node's factors.
static void look_at(Why *why, NodeId node, Arena *arena, Look *out) {
  const FactorMap *map = node_map(why->g, node);
  uint32_t n = factor_map_n_tensors(map);
  *out = (Look){.why = why,
                .node = node,
                .map = map,
                .tensors = node_tensors(why->g, node),
                .seen = ARENA_ARRAY(arena, Sharding, n + 1),
                .cells = ARENA_ARRAY(arena, FactorAxes *, n + 1),
                .mode = last_mode(why, node),
                .arena = arena};
  for (uint32_t t = 0; t < n; t++)
    if (out->tensors[t])
      out->seen[t] = why_seen(why, node, t, propagation_get(why->p, out->tensors[t]));
  MeshId mesh = project_mesh(why->table, n, out->seen);
  out->mesh = sharding_mesh(why->table, mesh);
  for (uint32_t t = 0; out->mesh && t < n; t++) {
    if (!out->tensors[t]) continue;
    out->cells[t] = ARENA_ARRAY(arena, FactorAxes, map->n_factors + 1);
    project_tensor(why->table, map, t, out->seen[t], out->mesh, arena, out->cells[t]);
  }
}

// No axes pass between tensors on different meshes; the first sharded tensor stands for the others.
static void mesh_conflict(const Look *look, Conflicts *out) {
  uint32_t n = factor_map_n_tensors(look->map), first = n;
  for (uint32_t t = 0; t < n; t++) {
    if (!look->seen[t] || sharding_is_replicated(look->why->table, look->seen[t])) continue;
    if (first == n) first = t;
    Sharding two[2] = {look->seen[first], look->seen[t]};
    if (project_mesh(look->why->table, 2, two)) continue;
    Conflict c = {.node = look->node,
                  .has = first,
                  .lacks = t,
                  .reason = CONFLICT_MESH,
                  .won = WON_NONE,
                  .blocker = WHY_NONE};
    VEC_PUSH(look->kept, out, c);
  }
}

// The two tensors with the most axes along a factor: the first overall, and the first whose axes
// are not a prefix of those. Any third tensor's axes are a prefix of one of them, or no longer.
typedef struct Rivals {
  uint32_t first, second;  // n_tensors: none
} Rivals;

static Rivals find_rivals(const Look *look, uint32_t factor) {
  uint32_t n = factor_map_n_tensors(look->map), best[2] = {n, n};
  for (uint32_t k = 0; k < 2; k++) {
    for (uint32_t s = 0; s < n && (!k || best[0] < n); s++) {
      const FactorAxes *cell = cell_of(look, s, factor);
      if (!cell || !cell->axes.n) continue;
      if (k && axes_is_prefix(cell->axes, cell_of(look, best[0], factor)->axes)) continue;
      if (best[k] == n || axes_size(cell->axes) > axes_size(cell_of(look, best[k], factor)->axes))
        best[k] = s;
    }
  }
  return (Rivals){best[0], best[1]};
}

// The rival whose axes go beyond those of tensor t; n_tensors if none.
static uint32_t rival_of(const Look *look, Rivals rivals, uint32_t factor, uint32_t t) {
  uint32_t n = factor_map_n_tensors(look->map);
  const uint32_t both[2] = {rivals.first, rivals.second};
  for (uint32_t i = 0; i < 2; i++) {
    uint32_t s = both[i];
    if (s == n || s == t || look->tensors[s] == look->tensors[t]) continue;
    if (!axes_is_prefix(cell_of(look, s, factor)->axes, cell_of(look, t, factor)->axes)) return s;
  }
  return n;
}

static void factor_conflict(const Look *look, Rivals rivals, uint32_t factor, uint32_t t,
                            Conflicts *out) {
  const FactorAxes *mine = cell_of(look, t, factor);
  if (!mine) return;
  uint32_t s = rival_of(look, rivals, factor, t);
  if (s == factor_map_n_tensors(look->map)) return;
  AxisList theirs = cell_of(look, s, factor)->axes;
  uint32_t most = theirs.n + mine->axes.n + 1;
  AxisRef *v = ARENA_ARRAY(look->arena, AxisRef, most),
          *w = ARENA_ARRAY(look->arena, AxisRef, most),
          *x = ARENA_ARRAY(look->arena, AxisRef, most);
  AxisList shared = {v, axes_common_prefix(theirs, mine->axes, v)};
  Pair pair = {.factor = factor,
               .has = s,
               .lacks = t,
               .cell = mine,
               .axes = {w, axes_without_prefix(theirs, shared, w)},
               .other = {x, axes_without_prefix(mine->axes, shared, x)},
               .before = axes_size(shared)};
  if (!pair.axes.n) return;
  pair.offer = theirs;
  for (uint32_t i = theirs.n; i-- > 0;)
    if (axis_contains(theirs.v[i], pair.axes.v[0])) pair.offer.n = i + 1;
  Conflict c = {.node = look->node,
                .factor = factor,
                .has = s,
                .lacks = t,
                .axes = {arena_copy(look->kept, w, pair.axes.n * sizeof *w), pair.axes.n},
                .blocker = WHY_NONE};
  factor_map_find(look->map, s, factor, &c.has_dim, NULL);
  factor_map_find(look->map, t, factor, &c.lacks_dim, NULL);
  pair.dim = c.lacks_dim;
  c.reason = (uint8_t)find_reason(look, &pair, theirs, &c.blocker);
  c.won = (uint8_t)find_won(look, &pair, c.blocker);
  VEC_PUSH(look->kept, out, c);
}

// ---- public ----

const char *conflict_word(ConflictReason reason) { return reasons[reason].word; }
const char *conflict_text(ConflictReason reason) { return reasons[reason].text; }
const char *won_word(Won won) { return wins[won].word; }
const char *won_text(Won won) { return wins[won].text; }

void why_node_conflicts(Why *why, NodeId node, Arena *arena, Conflicts *out) {
  const FactorMap *map = node_map(why->g, node);
  if ((uint64_t)factor_map_n_tensors(map) * map->n_factors > MOST_CELLS) return;
  ArenaMark mark = arena_mark(&why->look);
  Look look;
  look_at(why, node, &why->look, &look);
  look.kept = arena;
  if (!look.mesh) mesh_conflict(&look, out);
  for (uint32_t f = 0; look.mesh && f < map->n_factors; f++) {
    Rivals rivals = find_rivals(&look, f);
    for (uint32_t t = 0; rivals.first < factor_map_n_tensors(map) && t < factor_map_n_tensors(map);
         t++)
      factor_conflict(&look, rivals, f, t, out);
  }
  arena_rewind(&why->look, mark);
}

static void add_once(const Conflict *c, uint32_t start, Arena *arena, Conflicts *out) {
  for (uint32_t j = start; j < out->count; j++)
    if (out->items[j].lacks_dim == c->lacks_dim && out->items[j].reason == c->reason &&
        axes_equal(out->items[j].axes, c->axes))
      return;
  VEC_PUSH(arena, out, *c);
}

// Counting sort of all conflicts by the place that lacks.
void why_index_conflicts(Why *why) {
  const Graph *g = why->g;
  Conflicts all = {0};
  if (why->conflict_first) return;
  uint32_t *first = ARENA_ARRAY(&why->arena, uint32_t, (size_t)g->n_places + 2);
  for (NodeId node = 1; node < g->n_nodes; node++) why_node_conflicts(why, node, &why->arena, &all);
  for (uint32_t i = 0; i < all.count; i++)
    first[node_tensors(g, all.items[i].node)[all.items[i].lacks] + 1]++;
  for (PlaceId i = 0; i <= g->n_places; i++) first[i + 1] += first[i];
  Conflict *sorted = ARENA_ARRAY(&why->arena, Conflict, (size_t)all.count + 1);
  uint32_t *at = arena_copy(&why->arena, first, ((size_t)g->n_places + 2) * sizeof *first);
  for (uint32_t i = 0; i < all.count; i++)
    sorted[at[node_tensors(g, all.items[i].node)[all.items[i].lacks]]++] = all.items[i];
  why->conflicts = sorted;
  why->conflict_first = first;
}

void why_place_conflicts(Why *why, PlaceId place, Arena *arena, Conflicts *out) {
  const Graph *g = why->g;
  uint32_t start = out->count;
  if (why->conflict_first) {
    for (uint32_t i = why->conflict_first[place]; i < why->conflict_first[place + 1]; i++)
      add_once(&why->conflicts[i], start, arena, out);
    return;
  }
  for (uint32_t i = g->adjacent_first[place]; i < g->adjacent_first[place + 1]; i++) {
    Conflicts all = {0};
    why_node_conflicts(why, g->adjacent[i], arena, &all);
    for (uint32_t k = 0; k < all.count; k++)
      if (node_tensors(g, all.items[k].node)[all.items[k].lacks] == place)
        add_once(&all.items[k], start, arena, out);
  }
}
