// Problem: for each axis of each sharding, find the tensor it was copied from.
// Idea: replay propagation's log once, in order. An event adds axes to one place. We project them
// to the factors of the event's node; for each, we choose one tensor of the node that had the axis
// before the event: the one that gives the most of it, then the one with the shortest own chain.
//
//   event 7, add: %1 gets {"data"} on dim 0    piece(7).source = piece(3) of operand %0
//
// Invariants: a source belongs to an earlier event, so chains end, and a piece's origin and length
// are known when it is made. A piece is divided where its sources are, so a chain never forks.
// Cost: O(events · tensors of a node). Nodes with more than MANY_TENSORS tensors take the first
// source found.
#include "explain/why.h"

#include "base/mem.h"
#include "explain/why_private.h"

// ---- views of shardings ----

AxisList why_dim_axes(const ShardingInfo *info, uint32_t d, Arena *arena) {
  const DimSharding *dim = &info->dims[d];
  if (dim->n_factors == 1) return dim->factors[0].axes;
  uint32_t n = 0;
  for (uint32_t k = 0; k < dim->n_factors; k++) n += dim->factors[k].axes.n;
  AxisRef *v = ARENA_ARRAY(arena, AxisRef, n);
  n = 0;
  for (uint32_t k = 0; k < dim->n_factors; k++)
    for (uint32_t i = 0; i < dim->factors[k].axes.n; i++) v[n++] = dim->factors[k].axes.v[i];
  return (AxisList){v, n};
}

Sharding why_seen(Why *why, NodeId node, uint32_t t, Sharding stored) {
  const Node *n = &why->g->nodes[node];
  bool target = t == node_map(why->g, node)->n_operands;
  return n->view && target ? view_seen(why->g, n->view, stored, &why->scratch) : stored;
}

uint8_t why_way(const FactorMap *map, ProjectMode mode, uint32_t factor) {
  uint8_t kinds = map->factors[factor].sdy_kinds;
  if (kinds & FACTOR_BLOCK) return DIRECTION_NONE;
  bool passes = !(kinds & (FACTOR_REDUCE | FACTOR_PERMUTE | FACTOR_REPLICATE));
  return passes ? mode.pass : mode.other;
}

uint32_t why_find_piece(const Why *why, PlaceId place, uint32_t dim, AxisRef axis,
                        uint32_t before) {
  for (uint32_t e = why->last[place]; e != WHY_NONE; e = propagation_event(why->p, e)->previous) {
    if (e >= before) continue;
    for (uint32_t i = why->first[e]; i < why->first[e + 1]; i++)
      if (why->pieces.items[i].dim == dim && axis_overlaps(why->pieces.items[i].axis, axis))
        return i;
  }
  return WHY_NONE;
}

// ---- making pieces ----

static bool same_mesh(const Why *why, MeshId a, MeshId b) {
  return a == b ||
         (a && b && mesh_equal(sharding_mesh(why->table, a), sharding_mesh(why->table, b)));
}

// For ops with more tensors, scanning all of them per event is quadratic. The search stops at the
// first source, and starts at the source of the previous event.
enum { MANY_TENSORS = 256 };

// State for the current event.
typedef struct Making {
  Why *why;
  uint32_t event;
  NodeId node;
  const FactorMap *map;
  const PlaceId *tensors;
  uint32_t n_tensors;
  MeshId mesh;
  ProjectMode mode;           // mode of the propagation step
  const FactorAxes **before;  // per tensor: its axes by factor; NULL: not projected yet
  NodeId last_node;           // node of the previous event
  uint32_t last_to, last_from;
} Making;

typedef struct PieceSource {
  uint32_t tensor;
  uint32_t piece;  // piece that contributes the axis's beginning; WHY_NONE: manual axes
  uint32_t hops;
  AxisRef axis;  // the sub-axis that it contributes
} PieceSource;

static void put(Making *m, Piece piece) {
  Why *why = m->why;
  uint32_t at = why->pieces.count;
  piece.event = m->event;
  if (piece.source == WHY_NONE) {
    piece.origin = piece.early = at;
  } else {
    piece.origin = why->pieces.items[piece.source].origin;
    piece.hops = why->pieces.items[piece.source].hops + 1;
    uint32_t shown = why->options.most_hops - why->options.most_hops / 2;
    piece.early = piece.hops <= shown ? at : why->pieces.items[piece.source].early;
  }
  VEC_PUSH(&why->arena, &why->pieces, piece);
}

// The axes that the event added to dimension d.
static AxisList added(const Making *m, const Event *e, uint32_t d) {
  Arena *arena = &m->why->scratch;
  const ShardingInfo *after = sharding_info(m->why->table, e->after);
  const ShardingInfo *before = sharding_info(m->why->table, e->before);
  AxisList now = why_dim_axes(after, d, arena);
  if (before->rank <= d || !same_mesh(m->why, before->mesh, after->mesh)) return now;
  return axes_subtract(arena, now, why_dim_axes(before, d, arena));
}

// Whether tensor s passes axes on along the factor, in the event's step. In a one-way mode, tensors
// at the start of the direction also pass axes to each other.
static bool may_give(const Making *m, uint32_t factor, uint32_t s) {
  bool result = s >= m->map->n_operands;
  return why_way(m->map, m->mode, factor) & (result ? DIRECTION_BACKWARD : DIRECTION_FORWARD);
}

// The factor axes of a tensor whose place has sharding `stored`.
static const FactorAxes *project(const Making *m, uint32_t t, Sharding stored) {
  Why *why = m->why;
  FactorAxes *cells = ARENA_ARRAY(&why->scratch, FactorAxes, m->map->n_factors + 1);
  Sharding s = why_seen(why, m->node, t, stored);
  if (s && same_mesh(why, sharding_info(why->table, s)->mesh, m->mesh))
    project_tensor(why->table, m->map, t, s, sharding_mesh(why->table, m->mesh), &why->scratch,
                   cells);
  return cells;
}

static const FactorAxes *axes_before(const Making *m, uint32_t t) {
  if (m->before && m->before[t]) return m->before[t];
  const FactorAxes *cells = project(m, t, propagation_before(m->why->p, m->tensors[t], m->event));
  if (m->before) m->before[t] = cells;
  return cells;
}

// Whether tensor s had the axis, or its beginning, along the factor before the event.
static bool from_tensor(const Making *m, uint32_t factor, uint32_t s, AxisRef axis,
                        PieceSource *out) {
  uint32_t dim;
  if (!m->tensors[s] || !factor_map_find(m->map, s, factor, &dim, NULL)) return false;
  AxisList axes = axes_before(m, s)[factor].axes;
  for (uint32_t i = 0; i < axes.n; i++) {
    AxisRef part;
    if (!axis_overlap(axes.v[i], axis, &part)) continue;
    *out = (PieceSource){s, why_find_piece(m->why, m->tensors[s], dim, part, m->event), 0, part};
    if (out->piece != WHY_NONE) {
      const Piece *from = &m->why->pieces.items[out->piece];
      if (!axis_overlap(from->axis, part, &out->axis)) return false;
      out->hops = from->hops + 1;
    }
    return true;
  }
  return false;
}

// The best source of an axis (or of a sub-axis of it) that tensor `to` got along a factor.
static bool find_source(Making *m, uint32_t factor, uint32_t to, AxisRef axis, PieceSource *out) {
  bool found = false, many = m->n_tensors > MANY_TENSORS;
  for (uint32_t i = 0; i < m->n_tensors && !(many && found); i++) {
    uint32_t s = many ? (m->last_from + i) % m->n_tensors : i;
    PieceSource source;
    if (s == to || !may_give(m, factor, s)) continue;
    ArenaMark mark = arena_mark(&m->why->scratch);
    bool gave = from_tensor(m, factor, s, axis, &source);
    if (many) arena_rewind(&m->why->scratch, mark);
    if (!gave) continue;
    bool better = !found || source.axis.size > out->axis.size ||
                  (source.axis.size == out->axis.size && source.hops < out->hops);
    if (better) *out = source;
    found = true;
  }
  if (found) m->last_from = out->tensor;
  return found;
}

// Adds the pieces of an axis that tensor `to` got along a factor: one piece per source.
static void put_step(Making *m, uint32_t dim, uint32_t factor, uint32_t to, AxisRef axis) {
  VEC(AxisRef) rest = {0};
  VEC_PUSH(&m->why->scratch, &rest, axis);
  while (rest.count) {
    AxisRef next = rest.items[--rest.count];
    PieceSource source = {0};
    Piece piece = {.dim = dim,
                   .axis = next,
                   .source = WHY_NONE,
                   .factor = factor,
                   .to = to,
                   .cause = PIECE_UNKNOWN};
    if (find_source(m, factor, to, next, &source)) {
      piece.axis = source.axis;
      piece.source = source.piece;
      piece.from = source.tensor;
      piece.cause = source.piece == WHY_NONE ? PIECE_MANUAL : PIECE_STEP;
      AxisRef left[2];
      uint32_t n = axis_subtract(next, source.axis, left);
      while (n) VEC_PUSH(&m->why->scratch, &rest, left[--n]);
    }
    put(m, piece);
  }
}

// Adds the pieces of an axis of dimension `dim`, which may cover several factors of the dimension.
static void put_added(Making *m, uint32_t to, const FactorAxes *after, uint32_t dim, AxisRef axis) {
  FactorList factors = factor_map_dim(m->map, to, dim);
  for (uint32_t k = 0; k < factors.n; k++) {
    AxisList axes = after[factors.v[k]].axes;
    for (uint32_t i = 0; i < axes.n; i++) {
      AxisRef part;
      if (axis_overlap(axes.v[i], axis, &part)) put_step(m, dim, factors.v[k], to, part);
    }
  }
}

// Adds pieces for the event's axes, taking its place as tensor `to` of the node. Returns false if
// an axis has no source among the other tensors.
static bool put_tensor(Making *m, const Event *e, uint32_t to) {
  Why *why = m->why;
  const FactorAxes *now = project(m, to, e->after);
  uint32_t first = why->pieces.count;
  for (uint32_t d = 0; d < sharding_info(why->table, e->after)->rank; d++) {
    AxisList list = added(m, e, d);
    for (uint32_t i = 0; i < list.n; i++) put_added(m, to, now, d, list.v[i]);
  }
  for (uint32_t i = first; i < why->pieces.count; i++)
    if (why->pieces.items[i].cause == PIECE_UNKNOWN) return false;
  return true;
}

static void put_node_event(Making *m, const Event *e) {
  Why *why = m->why;
  bool many = m->n_tensors > MANY_TENSORS;
  uint32_t first = why->pieces.count;
  if (m->last_node != e->node) m->last_to = m->last_from = 0;
  m->before = many ? NULL : ARENA_ARRAY(&why->scratch, const FactorAxes *, m->n_tensors + 1);
  // A value used twice by one op occurs as two tensors; its axes came through one of them.
  for (uint32_t i = 0; i < m->n_tensors; i++) {
    uint32_t t = many ? (m->last_to + i) % m->n_tensors : i;
    if (m->tensors[t] != e->place) continue;
    why->pieces.count = first;
    m->last_to = t;
    if (put_tensor(m, e, t) || many) break;
  }
}

static void put_given_event(Making *m, const Event *e) {
  const ShardingInfo *after = sharding_info(m->why->table, e->after);
  for (uint32_t d = 0; d < after->rank; d++) {
    AxisList list = added(m, e, d);
    for (uint32_t i = 0; i < list.n; i++)
      put(m, (Piece){.dim = d, .axis = list.v[i], .source = WHY_NONE, .cause = PIECE_GIVEN});
  }
}

// One pass over the log. Pieces of event e are pieces[first[e] .. first[e + 1]).
static void sort_log(Why *why) {
  why->first = ARENA_ARRAY(&why->arena, uint32_t, (size_t)why->n_events + 1);
  why->last = ARENA_ARRAY(&why->arena, uint32_t, (size_t)why->g->n_places + 1);
  for (uint32_t i = 0; i <= why->g->n_places; i++) why->last[i] = WHY_NONE;
  Making m = {.why = why};
  for (uint32_t i = 0; i < why->n_events; i++) {
    const Event *e = propagation_event(why->p, i);
    ArenaMark mark = arena_mark(&why->scratch);
    m.event = i;
    why->first[i] = why->first[i + 1] = why->pieces.count;
    if (e->cause == CAUSE_NODE) {
      m.node = e->node;
      m.map = node_map(why->g, e->node);
      m.tensors = node_tensors(why->g, e->node);
      m.n_tensors = factor_map_n_tensors(m.map);
      m.mesh = sharding_info(why->table, e->after)->mesh;
      m.mode = propagation_mode(why->p, e->node, e->op_priority, e->aggressive);
      put_node_event(&m, e);
    } else {
      put_given_event(&m, e);
    }
    m.last_node = e->node;
    why->first[i + 1] = why->pieces.count;
    why->last[e->place] = i;
    arena_rewind(&why->scratch, mark);
  }
}

// The graph copies constants per use. The printed name of such a copy mentions its use.
static void mark_splits(Why *why) {
  const Graph *g = why->g;
  why->use_of = ARENA_ARRAY(&why->arena, OperandId, (size_t)g->n_places + 1);
  for (InstanceId i = 1; i < g->n_instances; i++) {
    for (uint32_t k = 0; k < g->instances[i].n_constants; k++) {
      const ConstantUse *use = &g->splits[g->instances[i].constants + k];
      why->use_of[use->place] = use->use;
      for (uint32_t j = 0; j < use->n_values; j++)
        why->use_of[g->split_values[use->values + j].place] = use->use;
    }
  }
}

// @main, else the first function without a caller.
static OpId find_entry(const Program *p, const Graph *g) {
  OpId first = 0;
  for (uint32_t i = 1; i < g->n_instances; i++) {
    OpId f = g->instances[i].function;
    if (str_is(name_str(p->context, attr_as_name(p->context, op_attr(p, f, "sym_name"))), "main"))
      return f;
    if (!first && !g->instances[i].caller) first = f;
  }
  return first;
}

static void release_why(void *why) { why_free(why); }

// ---- public ----

Why *why_new(Propagation *p, const WhyOptions *options, Guard *guard) {
  Why *why = mem_alloc(sizeof *why);
  if (!why) guard_throw(guard, status_no_memory());
  const Graph *g = propagation_graph(p);
  ShardingTable *table = propagation_table(p);
  *why = (Why){.p = p,
               .g = g,
               .table = table,
               .context = g->program->context,
               .guard = guard,
               .options = options ? *options : (WhyOptions){0},
               .n_events = propagation_n_events(p)};
  arena_init(&why->arena, guard);
  arena_init(&why->scratch, guard);
  arena_init(&why->look, guard);
  GuardCleanup cleanup = {release_why, why, NULL};
  guard_push(guard, &cleanup);
  if (!why->options.most_hops) why->options.most_hops = 12;
  why->entry = find_entry(g->program, g);
  mark_splits(why);
  sort_log(why);
  guard_pop(guard, &cleanup);
  return why;
}

void why_free(Why *why) {
  if (!why) return;
  why_sources_free(why);
  arena_deinit(&why->arena);
  arena_deinit(&why->scratch);
  arena_deinit(&why->look);
  mem_free(why);
}

const Piece *why_piece(const Why *why, uint32_t i) { return &why->pieces.items[i]; }

PlaceId why_piece_place(const Why *why, uint32_t i) {
  return propagation_event(why->p, why->pieces.items[i].event)->place;
}

uint32_t why_pieces(const Why *why, PlaceId place, Arena *arena, const uint32_t **out) {
  VEC(uint32_t) list = {0};
  const ShardingInfo *info = sharding_info(why->table, propagation_get(why->p, place));
  for (uint32_t d = 0; d < info->rank; d++) {
    AxisList axes = why_dim_axes(info, d, arena);
    for (uint32_t i = 0; i < axes.n; i++) {
      VEC(AxisRef) rest = {0};
      VEC_PUSH(arena, &rest, axes.v[i]);
      while (rest.count) {  // a stack; the most major sub-axis is on top
        AxisRef next = rest.items[--rest.count], left[2];
        uint32_t piece = WHY_NONE;
        for (uint32_t e = why->last[place]; e != WHY_NONE;
             e = propagation_event(why->p, e)->previous)
          for (uint32_t k = why->first[e]; k < why->first[e + 1]; k++) {
            const Piece *at = &why->pieces.items[k];
            if (at->dim != d || !axis_overlaps(at->axis, next)) continue;
            if (piece == WHY_NONE || at->axis.pre_size < why->pieces.items[piece].axis.pre_size)
              piece = k;
          }
        if (piece == WHY_NONE) continue;
        VEC_PUSH(arena, &list, piece);
        uint32_t n = axis_subtract(next, why->pieces.items[piece].axis, left);
        while (n) VEC_PUSH(arena, &rest, left[--n]);
      }
    }
  }
  *out = list.items;
  return list.count;
}
