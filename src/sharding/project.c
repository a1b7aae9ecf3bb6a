// Problem: given shardings of some operands and results of an op, extend the others consistently.
//
// Idea: project dimensions to factors, decide per factor, project back.
//
//   [ij] with {"x", "y"}, i = 2, x = 2      i: "x", j: "y"       a dimension's axes fill its
//   factors,
//                                                                major to minor
//   offered(f): the axes on which all tensors with factor f agree
//   truncate:   the prefix of them that a tensor can take: the axis is free in it, divides the
//   factor,
//               and the dimension is open
//
// Basic steps take only axes that fit in every tensor. Aggressive steps sort the factors (largest
// source tensor first, or fewest moved elements) and let each tensor take what fits. The decisions
// are Shardy's basic and aggressive propagation, so that both tools agree on a program.
//
// Invariant: a step only appends axes to open dimensions; no axis occurs twice in a tensor. Cost:
// O(tensors · factors · axes²); lists are short and callers cache results.
#include "sharding/project.h"

#include <stdlib.h>

typedef struct Cells {
  ShardingTable *table;
  const FactorMap *map;
  const Mesh *mesh;
  Arena *arena;
  ProjectMode mode;
  uint32_t n_tensors;
  FactorAxes *cells;           // [tensor][factor]
  const ShardingInfo **infos;  // per tensor; NULL = no sharding
} Cells;

static FactorAxes *cell_at(const Cells *c, uint32_t tensor, uint32_t factor) {
  return &c->cells[tensor * c->map->n_factors + factor];
}

static int64_t gcd(int64_t a, int64_t b) {
  while (b) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

MeshId project_mesh(const ShardingTable *table, uint32_t n, const Sharding *shardings) {
  MeshId found = 0, empty = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (!shardings[i]) continue;
    MeshId id = sharding_info(table, shardings[i])->mesh;
    const Mesh *mesh = sharding_mesh(table, id);
    if (!mesh->n_axes && !mesh->maximal) {
      if (!empty) empty = id;
    } else if (!found) {
      found = id;
    } else if (found != id && !mesh_equal(sharding_mesh(table, found), mesh)) {
      return 0;
    }
  }
  return found ? found : empty;
}

// ---- dimensions to factors ----

// The axes of a dimension that are not assigned to factors yet.
typedef struct Rest {
  const AxisRef *v;
  uint32_t n;
  AxisRef first;  // the rest of v[0]
} Rest;

static void rest_next(Rest *rest) {
  rest->v++, rest->n--;
  if (rest->n) rest->first = rest->v[0];
}

static void add_axis(AxisRef *v, uint32_t *n, AxisRef a) {
  if (*n && axis_can_merge(v[*n - 1], a))
    v[*n - 1] = axis_merge(v[*n - 1], a);
  else
    v[(*n)++] = a;
}

static AxisList take_all(Rest *rest, Arena *arena) {
  AxisRef *v = ARENA_ARRAY(arena, AxisRef, rest->n + 1);
  uint32_t n = 0;
  while (rest->n) {
    add_axis(v, &n, rest->first);
    rest_next(rest);
  }
  return (AxisList){v, n};
}

// Takes axes as long as they divide the factor; the last one may be split. *size: the rest of the
// factor.
static AxisList take_dividing(Rest *rest, int64_t *size, Arena *arena) {
  AxisRef *v = ARENA_ARRAY(arena, AxisRef, rest->n + 1);
  uint32_t n = 0;
  while (rest->n) {
    int64_t common = gcd(*size, rest->first.size);
    if (rest->first.size != 1 && common == 1) break;
    *size /= common;
    v[n++] = (AxisRef){rest->first.axis, rest->first.pre_size, (uint32_t)common};
    if (common < rest->first.size) {  // the rest of the axis and of the factor are coprime
      rest->first.pre_size *= (uint32_t)common;
      rest->first.size /= (uint32_t)common;
      break;
    }
    rest_next(rest);
  }
  return (AxisList){v, n};
}

// All axes of a strided dimension. They stay where they are, and nothing is added.
static AxisList all_axes(const DimSharding *dim, Arena *arena) {
  uint32_t n = 0, count = 0;
  for (uint32_t i = 0; i < dim->n_factors; i++) count += dim->factors[i].axes.n;
  AxisRef *v = ARENA_ARRAY(arena, AxisRef, count + 1);
  for (uint32_t i = 0; i < dim->n_factors; i++)
    for (uint32_t k = 0; k < dim->factors[i].axes.n; k++) v[n++] = dim->factors[i].axes.v[k];
  return (AxisList){v, n};
}

// Assigns the axes of a dimension to its factors, major to minor. The minor-most factor takes all
// that is left; axes that do not divide are `overflow` and close the later factors.
static void project_dim(const FactorMap *map, FactorList factors, const DimSharding *dim,
                        Arena *arena, FactorAxes *out) {
  bool strided = dim && dim->n_factors > 1;
  AxisList axes = dim && !strided ? dim->factors[0].axes : (AxisList){NULL, 0};
  Rest rest = {.v = axes.v, .n = axes.n};
  if (axes.n) rest.first = axes.v[0];
  bool over = false;
  for (uint32_t i = 0; i < factors.n; i++) {
    FactorAxes *cell = &out[factors.v[i]];
    *cell = (FactorAxes){.closed = over || strided || (dim && !dim->open),
                         .minor_most = i + 1 == factors.n,
                         .present = true};
    if (over) continue;
    if (strided) {
      cell->overflow = all_axes(dim, arena);
      over = true;
      continue;
    }
    if (cell->minor_most) {
      cell->axes = take_all(&rest, arena);
      break;
    }
    int64_t size = map->factors[factors.v[i]].size;
    if (size > 0) cell->axes = take_dividing(&rest, &size, arena);
    if (size > 1 && rest.n) {
      cell->overflow = take_all(&rest, arena);
      over = true;
    }
  }
}

void project_tensor(const ShardingTable *table, const FactorMap *map, uint32_t tensor,
                    Sharding sharding, const Mesh *mesh, Arena *arena, FactorAxes *out) {
  (void)mesh;
  for (uint32_t f = 0; f < map->n_factors; f++) out[f] = (FactorAxes){.closed = false};
  const ShardingInfo *info = sharding ? sharding_info(table, sharding) : NULL;
  uint32_t rank = factor_map_rank(map, tensor);
  for (uint32_t d = 0; d < rank; d++)
    project_dim(map, factor_map_dim(map, tensor, d), info && d < info->rank ? &info->dims[d] : NULL,
                arena, out);
}

// ---- what a tensor can take ----

// Shortens the axis to the longest prefix that overlaps no axis of the list; false if it is empty.
static bool shorten_beside(AxisRef *axis, AxisList list) {
  for (uint32_t i = 0; i < list.n; i++)
    if (!axis_prefix_without(*axis, list.v[i], axis)) return false;
  return true;
}

// The axis is in no other factor of the tensor.
static bool fits_across(const Cells *c, uint32_t tensor, uint32_t factor, AxisRef *axis) {
  for (uint32_t f = 0; f < c->map->n_factors; f++) {
    const FactorAxes *cell = cell_at(c, tensor, f);
    if (f == factor || !cell->present) continue;
    if (!shorten_beside(axis, cell->overflow) || !shorten_beside(axis, cell->axes)) return false;
  }
  return true;
}

// The factor can take the axis behind axes of size `before`.
static bool fits_within(const Cells *c, uint32_t tensor, uint32_t factor, int64_t before,
                        AxisRef *axis) {
  const FactorAxes *cell = cell_at(c, tensor, factor);
  const ShardingInfo *info = c->infos[tensor];
  if (info && (!shorten_beside(axis, info->replicated) || !shorten_beside(axis, info->unreduced) ||
               !shorten_beside(axis, info->manual)))
    return false;
  if (axes_contain_ref(cell->axes, *axis)) return true;
  int64_t size = c->map->factors[factor].size;
  if (!cell->closed && !cell->overflow.n) {
    if (cell->minor_most) return true;
    // A full factor takes no more axes, not even of size 1: they would precede those of the next.
    if (size > before && size % before == 0) {
      int64_t common = gcd(size / before, axis->size);
      if (common == axis->size) return true;
      if (common != 1) {
        axis->size = (uint32_t)common;
        return true;
      }
    }
  }
  if (cell->axes.n && axis_is_prefix(cell->axes.v[cell->axes.n - 1], *axis)) {
    *axis = cell->axes.v[cell->axes.n - 1];
    return true;
  }
  return false;
}

typedef bool (*Fits)(const Cells *c, uint32_t tensor, uint32_t factor, int64_t before,
                     AxisRef *axis);

static bool fits_across_of(const Cells *c, uint32_t tensor, uint32_t factor, int64_t before,
                           AxisRef *axis) {
  (void)before;
  return fits_across(c, tensor, factor, axis);
}

// The axis fits in every tensor: a basic step takes nothing that conflicts anywhere.
static bool fits_all(const Cells *c, uint32_t tensor, uint32_t factor, int64_t before,
                     AxisRef *axis) {
  (void)tensor;
  for (uint32_t t = 0; t < c->n_tensors; t++)
    if (!fits_across(c, t, factor, axis) ||
        (cell_at(c, t, factor)->present && !fits_within(c, t, factor, before, axis)))
      return false;
  return true;
}

// Ends the list before the first axis that does not fit, or after the first that fits partly.
// Returns the new length.
static uint32_t truncate(const Cells *c, AxisRef *v, uint32_t n, Fits fits, uint32_t tensor,
                         uint32_t factor) {
  int64_t before = 1;
  for (uint32_t i = 0; i < n; i++) {
    AxisRef axis = v[i];
    if (!fits(c, tensor, factor, before, &axis)) return i;
    if (c->mode.conservative && !axis_is_full(c->mesh, axis)) return i;
    bool same = axis_equal(axis, v[i]);
    v[i] = axis;
    if (!same) return i + 1;
    before *= axis.size;
  }
  return n;
}

// ---- what a factor offers ----

// The longest list that is compatible with both. *expand: b may append axes to a; false after a
// conflict.
static AxisList agree(AxisList a, AxisList b, bool *expand, Arena *arena) {
  AxisRef *v = ARENA_ARRAY(arena, AxisRef, a.n + b.n + 1);
  uint32_t n = 0, i = 0;
  for (; i < a.n && i < b.n; i++) {
    AxisRef x = a.v[i], y = b.v[i];
    if (axis_equal(x, y)) {
      v[n++] = x;
    } else if (axis_is_prefix(y, x)) {
      bool more = i + 1 < b.n;  // b continues with another axis, a with the rest of this one
      v[n++] = more ? y : x;
      if (more) {
        *expand = false;
        return (AxisList){v, n};
      }
    } else if (axis_is_prefix(x, y)) {
      bool stop = !*expand || i + 1 < a.n;
      v[n++] = stop ? x : y;
      if (stop) {
        *expand = false;
        return (AxisList){v, n};
      }
    } else {
      *expand = false;
      return (AxisList){v, n};
    }
  }
  for (uint32_t k = i; k < a.n; k++) v[n++] = a.v[k];
  for (uint32_t k = i; *expand && k < b.n; k++) v[n++] = b.v[k];
  return (AxisList){v, n};
}

static Direction direction_of(const Cells *c, uint32_t factor) {
  uint8_t kinds = c->map->factors[factor].sdy_kinds;
  if (kinds & FACTOR_BLOCK) return DIRECTION_NONE;
  bool passes = !(kinds & (FACTOR_REDUCE | FACTOR_PERMUTE | FACTOR_REPLICATE));
  return (Direction)(passes ? c->mode.pass : c->mode.other);
}

// The axes on which all tensors with the factor agree, ignoring conflicts with other factors. If
// axes propagate in one direction only, the tensors at its end can only reduce them.
static AxisList offered(const Cells *c, uint32_t factor) {
  AxisList axes = {NULL, 0};
  Direction direction = direction_of(c, factor);
  if (direction == DIRECTION_NONE) return axes;
  bool expand = true, backward = direction == DIRECTION_BACKWARD;
  for (uint32_t half = 0; half < 2; half++) {
    if (half && direction != DIRECTION_BOTH) expand = false;
    bool results = half ^ (uint32_t)backward;
    uint32_t from = results ? c->map->n_operands : 0;
    uint32_t to = results ? c->n_tensors : c->map->n_operands;
    for (uint32_t t = from; t < to; t++)
      if (cell_at(c, t, factor)->present)
        axes = agree(axes, cell_at(c, t, factor)->axes, &expand, c->arena);
  }
  return axes;
}

static bool is_strict_prefix(AxisList a, AxisList b) {
  return axes_is_prefix(a, b) && !axes_equal(a, b);
}

static AxisRef *copy_axes(const Cells *c, AxisList list) {
  AxisRef *v = ARENA_ARRAY(c->arena, AxisRef, list.n + 1);
  for (uint32_t i = 0; i < list.n; i++) v[i] = list.v[i];
  return v;
}

static bool expand_cell(FactorAxes *cell, AxisList axes) {
  if (!cell->present || !is_strict_prefix(cell->axes, axes)) return false;
  cell->axes = axes;
  return true;
}

// ---- basic and aggressive steps ----

static void step_basic(Cells *c, bool *changed) {
  for (uint32_t f = 0; f < c->map->n_factors; f++) {
    AxisList axes = offered(c, f);
    if (!axes.n) continue;
    AxisRef *v = copy_axes(c, axes);
    axes = (AxisList){v, truncate(c, v, axes.n, fits_all, 0, f)};
    for (uint32_t t = 0; t < c->n_tensors; t++)
      if (expand_cell(cell_at(c, t, f), axes)) changed[t] = true;
  }
}

// The axes of a factor and the largest tensor that has all of them.
typedef struct Candidate {
  uint32_t factor;
  AxisList axes;
  double moved;  // by_cost: elements sent per device if the factor gets the axes
  int64_t tensor_size, ways;
  int64_t tensor;
} Candidate;

static int candidate_compare(const void *x, const void *y) {
  const Candidate *a = x, *b = y;
  if (a->moved != b->moved) return a->moved < b->moved ? -1 : 1;
  if (a->tensor_size != b->tensor_size) return a->tensor_size > b->tensor_size ? -1 : 1;
  if (a->ways != b->ways) return a->ways > b->ways ? -1 : 1;
  if (a->tensor != b->tensor) return a->tensor < b->tensor ? -1 : 1;
  return a->factor < b->factor ? -1 : 1;
}

static int64_t tensor_size(const Cells *c, uint32_t tensor) {
  int64_t size = 1;
  for (uint32_t f = 0; f < c->map->n_factors; f++) {
    int64_t by = c->map->factors[f].size;
    if (!cell_at(c, tensor, f)->present || by < 0) continue;
    size = by && size > INT64_MAX / by ? INT64_MAX : size * by;
  }
  return size;
}

// Elements sent if the factor gets the axes. A tensor that has them elsewhere needs an all-to-all,
// or an all-gather if it does not have the factor; results of a reduced factor need an all-reduce.
// With n devices along the axes these are 1/n, 1 and 2 times the tensor, times (n - 1)/n.
static double elements_moved(const Cells *c, uint32_t factor, AxisList axes) {
  double n = (double)axes_size(axes), moved = 0;
  bool reduces = c->map->factors[factor].sdy_kinds & FACTOR_REDUCE;
  for (uint32_t t = 0; t < c->n_tensors; t++) {
    double size = (double)tensor_size(c, t);
    bool has = cell_at(c, t, factor)->present, elsewhere = false;
    for (uint32_t f = 0; f < c->map->n_factors; f++)
      elsewhere |= f != factor && axes_overlap(cell_at(c, t, f)->axes, axes);
    if (elsewhere) moved += has ? size / n : size;
    if (reduces && t >= c->map->n_operands && !has) moved += 2 * size;
  }
  return moved * (n - 1) / n;
}

static Candidate *candidates(const Cells *c, bool *any) {
  Candidate *list = ARENA_ARRAY(c->arena, Candidate, c->map->n_factors + 1);
  for (uint32_t f = 0; f < c->map->n_factors; f++) {
    AxisList axes = offered(c, f);
    list[f] = (Candidate){.factor = f,
                          .axes = axes,
                          .tensor_size = -1,
                          .tensor = -1,
                          .ways = c->mode.elementwise ? axes_size(axes) : 0};
    if (c->mode.by_cost && axes.n) list[f].moved = elements_moved(c, f, axes);
    *any |= axes.n > 0;
  }
  for (uint32_t t = 0; *any && t < c->n_tensors; t++) {
    int64_t size = tensor_size(c, t);
    for (uint32_t f = 0; f < c->map->n_factors; f++) {
      const FactorAxes *cell = cell_at(c, t, f);
      if (cell->present && list[f].axes.n && axes_is_prefix(list[f].axes, cell->axes) &&
          size > list[f].tensor_size)
        list[f].tensor_size = size, list[f].tensor = t;
    }
  }
  return list;
}

// Each tensor takes what fits, in the order of candidates.
static bool take_into(Cells *c, uint32_t tensor, const Candidate *list) {
  bool changed = false, operand = tensor < c->map->n_operands;
  for (uint32_t i = 0; i < c->map->n_factors; i++) {
    uint32_t f = list[i].factor;
    FactorAxes *cell = cell_at(c, tensor, f);
    if (!cell->present || !list[i].axes.n) continue;
    AxisRef *v = copy_axes(c, list[i].axes);
    AxisList axes = {v, truncate(c, v, list[i].axes.n, fits_within, tensor, f)};
    if (!is_strict_prefix(cell->axes, axes)) continue;
    axes.n = truncate(c, v, axes.n, fits_across_of, tensor, f);
    // Between operands of an elementwise op only axes that the results take: sharding an operand
    // further saves nothing.
    for (uint32_t r = c->map->n_operands; operand && c->mode.elementwise && r < c->n_tensors; r++) {
      const FactorAxes *result = cell_at(c, r, f);
      if (result->present && is_strict_prefix(result->axes, axes)) axes = result->axes;
    }
    if (axes.n) changed |= expand_cell(cell, axes);
  }
  return changed;
}

// Results first: operands of an elementwise op depend on the axes that these take.
static void step_aggressive(Cells *c, bool *changed) {
  bool any = false;
  Candidate *list = candidates(c, &any);
  if (!any) return;
  qsort(list, c->map->n_factors, sizeof *list, candidate_compare);
  for (uint32_t t = c->map->n_operands; t < c->n_tensors; t++) changed[t] = take_into(c, t, list);
  for (uint32_t t = 0; t < c->map->n_operands; t++) changed[t] = take_into(c, t, list);
}

// ---- factors to dimensions ----

// Concatenates the axes of a dimension's factors, up to the first factor that they do not fill:
// further axes would make the split strided.
static void put_dim(const Cells *c, uint32_t tensor, uint32_t d, DimSharding *out) {
  FactorList factors = factor_map_dim(c->map, tensor, d);
  uint32_t most = 1, n = 0;
  for (uint32_t i = 0; i < factors.n; i++) {
    const FactorAxes *cell = cell_at(c, tensor, factors.v[i]);
    most += cell->axes.n + cell->overflow.n;
  }
  AxisRef *v = ARENA_ARRAY(c->arena, AxisRef, most);
  bool closed = false;
  for (uint32_t i = 0; i < factors.n; i++) {
    const FactorAxes *cell = cell_at(c, tensor, factors.v[i]);
    closed |= cell->closed;
    for (uint32_t k = 0; k < cell->axes.n; k++) add_axis(v, &n, cell->axes.v[k]);
    for (uint32_t k = 0; k < cell->overflow.n; k++) add_axis(v, &n, cell->overflow.v[k]);
    if (cell->overflow.n || axes_size(cell->axes) < c->map->factors[factors.v[i]].size) break;
  }
  ShardFactor *factor = ARENA_NEW(c->arena, ShardFactor);
  *factor = (ShardFactor){0, {v, n}};
  *out = (DimSharding){factor, 1, !closed, PRIORITY_NONE};
}

// The tensor's new sharding. Strided dimensions stay as they are.
static Sharding put_tensor(const Cells *c, uint32_t tensor, MeshId mesh, Sharding old) {
  uint32_t rank = factor_map_rank(c->map, tensor);
  const ShardingInfo *before = c->infos[tensor];
  DimSharding *dims = ARENA_ARRAY(c->arena, DimSharding, rank + 1);
  bool any = false;
  for (uint32_t d = 0; d < rank; d++) {
    put_dim(c, tensor, d, &dims[d]);
    any |= dims[d].factors[0].axes.n > 0;
    if (before && d < before->rank && before->dims[d].n_factors > 1) dims[d] = before->dims[d];
  }
  if (!old && !any) return 0;
  ShardingInfo info = {.mesh = mesh, .rank = rank, .dims = dims};
  if (before) {
    info.replicated = before->replicated;
    info.unreduced = before->unreduced;
    info.manual = before->manual;
    info.reducer = before->reducer;
    // Unchanged axes: keep the record with its priorities and mesh symbol.
    bool same = rank == before->rank;
    for (uint32_t d = 0; same && d < rank; d++)
      same = before->dims[d].n_factors > 1 ||
             axes_equal(dims[d].factors[0].axes, before->dims[d].factors[0].axes);
    if (same) return old;
  }
  return sharding_intern(c->table, &info);
}

bool project_step(ShardingTable *table, const FactorMap *map, ProjectMode mode, const Sharding *in,
                  Sharding *out, Arena *scratch) {
  uint32_t n = factor_map_n_tensors(map);
  if (out != in)
    for (uint32_t t = 0; t < n; t++) out[t] = in[t];
  MeshId mesh = project_mesh(table, n, in);
  if (!mesh || !sharding_mesh(table, mesh)->n_axes) return false;
  ArenaMark mark = arena_mark(scratch);
  Cells c = {.table = table,
             .map = map,
             .mesh = sharding_mesh(table, mesh),
             .arena = scratch,
             .mode = mode,
             .n_tensors = n,
             .cells = ARENA_ARRAY(scratch, FactorAxes, (size_t)n * map->n_factors + 1),
             .infos = ARENA_ARRAY(scratch, const ShardingInfo *, n + 1)};
  for (uint32_t t = 0; t < n; t++) {
    if (in[t]) c.infos[t] = sharding_info(table, in[t]);
    project_tensor(table, map, t, in[t], c.mesh, scratch, &c.cells[(size_t)t * map->n_factors]);
  }
  bool *changed = ARENA_ARRAY(scratch, bool, n + 1);
  if (mode.aggressive)
    step_aggressive(&c, changed);
  else
    step_basic(&c, changed);
  bool any = false;
  for (uint32_t t = 0; t < n; t++) {
    if (!changed[t]) continue;
    Sharding next = put_tensor(&c, t, mesh, in[t]);
    if (next == in[t]) continue;
    out[t] = next;
    any = true;
  }
  arena_rewind(scratch, mark);
  return any;
}
