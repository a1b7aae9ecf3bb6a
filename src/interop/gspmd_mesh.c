// Problem: GSPMD lists devices per tile; sdy names mesh axes per dimension. Convert both ways, and
// find a mesh when the program has none.
//
// Idea, array to axes: invert the array, so that each mesh position knows its cell. Walk each axis
// from its minor end and take the longest run of positions whose cell coordinates grow by a fixed
// step. A run is a sub-axis. Its step tells which dimension it splits and with which weight.
// Coordinates of replicated subgroups are ignored.
//
//   mesh <["x"=2, "y"=2]>, {devices=[2,1,2]<=[4] last_tile_dim_replicate}
//   position   0     1     2     3
//   tile       0     0     1     1      run "y": step 0, replicated; run "x": step 1 of dim 0
//
// If the array follows the mesh's axes at all, a run ends where a factor of the array ends, so the
// greedy walk finds the coarsest split.
//
// Idea, finding a mesh: the same walk over one axis of all devices. The ends of all shardings' runs
// are the bounds of the new axes. This needs a device order in which the arrays are regular. A V1
// list may order the devices of a replicated group arbitrarily, so no list has to be such an order.
// Sorting the devices by their tiles in all shardings is one: if the shardings belong to some mesh,
// a tile's number consists of digits of the device's position, and sorting orders by these digits.
//
// Invariant: all positions are checked against the result. An array that is no product of axes is
// refused, never approximated.
// Cost: O(devices · factors) per array, at most log2(devices) factors; times log(devices) to sort.
#include <stdlib.h>

#include "base/vec.h"
#include "interop/gspmd.h"

// ---- arrays ----

// The array seen from the mesh. Dimensions of size 1 and replicated subgroups are left out.
typedef struct Cells {
  const Mesh *mesh;
  const uint32_t *cell;                    // position -> cell
  uint32_t n;                              // dimensions above size 1
  uint32_t dim[32], size[32], stride[32];  // 2^20 devices have at most 20 of them
} Cells;

typedef struct Run {
  AxisRef axis;
  uint32_t k;       // index into Cells.dim of the dimension it splits; UINT32_MAX: none, replicated
  uint32_t weight;  // growth of that coordinate per step along the axis
} Run;

typedef VEC(Run) Runs;

static uint32_t coordinate(const Cells *cells, uint32_t position, uint32_t k) {
  return cells->cell[position] / cells->stride[k] % cells->size[k];
}

// Inverts the array. `cell` has room for all devices of the mesh.
static Status *cells_invert(uint32_t *cell, const GspmdSharding *g, const Mesh *mesh, Cells *out) {
  if (g->n_devices != mesh->n_devices)
    FAIL(INVALID_ARGUMENT, "the sharding is over %u devices, the mesh has %u", g->n_devices,
         mesh->n_devices);
  for (uint32_t i = 0; i < g->n_devices; i++) {
    uint32_t device = gspmd_device(g, i);
    if (!mesh_has_device(mesh, device))
      FAIL(UNIMPLEMENTED,
           "the sharding has device %u but only %u devices in all: it is no whole mesh", device,
           g->n_devices);
    cell[mesh_position(mesh, device)] = i;
  }
  *out = (Cells){.mesh = mesh, .cell = cell};
  uint32_t stride = 1, data = g->n_dims - g->n_subgroups;
  for (uint32_t d = g->n_dims; d-- > 0;) {
    bool free = d >= data && g->subgroups[d - data] == GSPMD_SUBGROUP_REPLICATED;
    if (g->dims[d] > 1 && !free) {
      out->dim[out->n] = d;
      out->size[out->n] = g->dims[d];
      out->stride[out->n++] = stride;
    }
    stride *= g->dims[d];
  }
  return NULL;
}

static Status *irregular(const Cells *cells, uint32_t position) {
  FAIL(UNIMPLEMENTED,
       "the device order follows no axes of the mesh: device %u is not where an axis would have it",
       mesh_device(cells->mesh, position));
}

// Whether the coordinates at `position` are n times those at `unit`.
static bool is_multiple(const Cells *cells, uint32_t position, uint32_t unit, uint32_t n) {
  for (uint32_t k = 0; k < cells->n; k++)
    if (coordinate(cells, position, k) != (uint64_t)n * coordinate(cells, unit, k)) return false;
  return true;
}

static Status *walk_axis(Arena *scratch, const Cells *cells, uint32_t axis, Runs *out) {
  const MeshAxis *a = &cells->mesh->axes[axis];
  uint32_t unit = a->stride, left = a->size;
  while (left > 1) {
    uint32_t n = 2;
    while (n < left && is_multiple(cells, unit * n, unit, n)) n++;
    if (left % n) return irregular(cells, unit * n);
    Run run = {{axis, left / n, n}, UINT32_MAX, 0};
    for (uint32_t k = 0; k < cells->n; k++) {
      uint32_t step = coordinate(cells, unit, k);
      if (!step) continue;
      if (run.weight) return irregular(cells, unit);
      run.k = k;
      run.weight = step;
    }
    VEC_PUSH(scratch, out, run);
    unit *= n;
    left /= n;
  }
  return NULL;
}

// By dimension, then major first.
static int compare_runs(const void *a, const void *b) {
  const Run *x = a, *y = b;
  if (x->k != y->k) return x->k < y->k ? -1 : 1;
  return (x->weight < y->weight) - (x->weight > y->weight);
}

static Status *check_runs(const Cells *cells, const Runs *runs) {
  for (uint32_t p = 0; p < cells->mesh->n_devices; p++) {
    uint64_t at[32] = {0};
    for (uint32_t i = 0; i < runs->count; i++)
      if (runs->items[i].weight)
        at[runs->items[i].k] +=
            (uint64_t)runs->items[i].weight * axis_coordinate(cells->mesh, runs->items[i].axis, p);
    for (uint32_t k = 0; k < cells->n; k++)
      if (at[k] != coordinate(cells, p, k)) return irregular(cells, p);
  }
  // The weights in each dimension must be those of digits: 1, then the product of the sizes below.
  uint64_t below[32];
  for (uint32_t k = 0; k < cells->n; k++) below[k] = 1;
  for (uint32_t i = runs->count; i-- > 0;) {
    const Run *run = &runs->items[i];
    if (!run->weight) continue;
    if (run->weight != below[run->k]) return irregular(cells, 0);
    below[run->k] *= run->axis.size;
  }
  for (uint32_t k = 0; k < cells->n; k++)
    if (below[k] != cells->size[k]) return irregular(cells, 0);
  return NULL;
}

// The runs of a tiled sharding on the mesh, by dimension, major first; checked on all positions.
static Status *match(Arena *scratch, uint32_t *cell, const GspmdSharding *g, const Mesh *mesh,
                     Cells *out_cells, Runs *out_runs) {
  TRY(cells_invert(cell, g, mesh, out_cells));
  out_runs->count = 0;
  for (uint32_t i = mesh->n_axes; i-- > 0;) TRY(walk_axis(scratch, out_cells, i, out_runs));
  if (out_runs->count) qsort(out_runs->items, out_runs->count, sizeof(Run), compare_runs);
  return check_runs(out_cells, out_runs);
}

// ---- finding a mesh ----

typedef struct Finder {
  Context *context;
  Arena *scratch;
  Name symbol;
  uint32_t n_devices;
  uint32_t n;
  const GspmdSharding *const *shardings;
} Finder;

// Iterates over the tiled shardings, including tuple items; NULL at the end.
static const GspmdSharding *next_tiled(const Finder *f, uint32_t *i, uint32_t *item) {
  for (; *i < f->n; ++*i, *item = 0) {
    const GspmdSharding *g = f->shardings[*i];
    if (g->kind == GSPMD_TUPLE) {
      while (*item < g->n_items) {
        const GspmdSharding *inner = &g->items[(*item)++];
        if (inner->kind == GSPMD_TILED) return inner;
      }
    } else if (g->kind == GSPMD_TILED && !*item) {
      *item = 1;
      return g;
    }
  }
  return NULL;
}

// One more than the largest device of a {maximal device=…} sharding.
static uint64_t count_maximal(const Finder *f) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < f->n; i++) {
    const GspmdSharding *g = f->shardings[i];
    uint32_t n_items = g->kind == GSPMD_TUPLE ? g->n_items : 1;
    for (uint32_t k = 0; k < n_items; k++) {
      const GspmdSharding *one = g->kind == GSPMD_TUPLE ? &g->items[k] : g;
      if (one->kind == GSPMD_MAXIMAL && one->device >= n) n = (uint64_t)one->device + 1;
    }
  }
  return n;
}

static Status *count_devices(Finder *f) {
  uint32_t i = 0, item = 0;
  for (const GspmdSharding *g; (g = next_tiled(f, &i, &item));) {
    if (!f->n_devices) f->n_devices = g->n_devices;
    if (g->n_devices != f->n_devices)
      FAIL(UNIMPLEMENTED, "shardings are over %u and over %u devices: no one mesh has both",
           f->n_devices, g->n_devices);
  }
  uint64_t named = count_maximal(f);
  if (named > GSPMD_MOST_DEVICES)
    FAIL(INVALID_ARGUMENT, "more than %d devices", GSPMD_MOST_DEVICES);
  if (f->n_devices && named > f->n_devices)
    FAIL(UNIMPLEMENTED, "one sharding names device %u, others are over %u devices",
         (uint32_t)named - 1, f->n_devices);
  if (!f->n_devices) f->n_devices = named ? (uint32_t)named : 1;
  return NULL;
}

// Bounds of axes as products of the sizes of the axes before (pre_size), ascending.
typedef VEC(uint32_t) Bounds;

static int compare_bounds(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

// Bounds that do not divide each other (2 and 3) belong to no one list of axes. Both are dropped:
// the shardings then use sub-axes of one larger axis. O(bounds²); bounds are divisors of n_devices.
static void drop_crossing(Arena *scratch, Bounds *bounds) {
  bool *crosses = ARENA_ARRAY(scratch, bool, bounds->count);
  for (uint32_t i = 0; i < bounds->count; i++)
    for (uint32_t k = 0; k < i; k++)
      if (bounds->items[i] % bounds->items[k]) crosses[i] = crosses[k] = true;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < bounds->count; i++)
    if (!crosses[i]) bounds->items[kept++] = bounds->items[i];
  bounds->count = kept;
}

static Status *axis_bounds(const Finder *f, const Mesh *line, Bounds *out) {
  uint32_t i = 0, item = 0;
  VEC_PUSH(f->scratch, out, 1);
  VEC_PUSH(f->scratch, out, f->n_devices);
  Runs runs = {0};
  uint32_t *cell = ARENA_ARRAY(f->scratch, uint32_t, f->n_devices);
  for (const GspmdSharding *g; (g = next_tiled(f, &i, &item));) {
    Cells cells;
    TRY(match(f->scratch, cell, g, line, &cells, &runs));
    for (uint32_t k = 0; k < runs.count; k++)
      VEC_PUSH(f->scratch, out, runs.items[k].axis.pre_size);
  }
  qsort(out->items, out->count, sizeof *out->items, compare_bounds);
  uint32_t n = 0;
  for (uint32_t k = 0; k < out->count; k++)
    if (!n || out->items[k] != out->items[n - 1]) out->items[n++] = out->items[k];
  out->count = n;
  drop_crossing(f->scratch, out);
  return NULL;
}

// Tries one device order; NULL is 0, 1, 2, ….
static Status *try_order(const Finder *f, const uint32_t *devices, const Mesh **out) {
  Name name = name_of(f->context, "axis_0");
  int64_t size = f->n_devices, *ids = NULL;
  if (devices) {
    ids = ARENA_ARRAY(f->scratch, int64_t, f->n_devices);
    for (uint32_t i = 0; i < f->n_devices; i++) ids[i] = devices[i];
  }
  uint32_t n_ids = devices ? f->n_devices : 0;
  const Mesh *line;
  Bounds bounds = {0};
  TRY(mesh_new(f->context, 0, 1, &name, &size, n_ids, ids, &line));
  TRY(axis_bounds(f, line, &bounds));
  uint32_t n = bounds.count > 1 ? bounds.count - 1 : 1;
  Name *names = ARENA_ARRAY(f->scratch, Name, n);
  int64_t *sizes = ARENA_ARRAY(f->scratch, int64_t, n);
  sizes[0] = 1;
  for (uint32_t i = 0; i < n; i++) {
    char text[24] = "axis_";
    uint32_t digits = i >= 10 ? 2 : 1;  // at most 20 axes
    if (digits == 2) text[5] = (char)('0' + i / 10);
    text[4 + digits] = (char)('0' + i % 10);
    names[i] = name_of(f->context, text);
    if (bounds.count > 1) sizes[i] = bounds.items[i + 1] / bounds.items[i];
  }
  return mesh_new(f->context, f->symbol, n, names, sizes, n_ids, ids, out);
}

// A device while sorting: `rank` by its tiles in the shardings so far, `tile` in the next sharding.
typedef struct Ranked {
  uint32_t rank, tile, device;
} Ranked;

static int compare_ranked(const void *a, const void *b) {
  const Ranked *x = a, *y = b;
  if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
  if (x->tile != y->tile) return x->tile < y->tile ? -1 : 1;
  return (x->device > y->device) - (x->device < y->device);
}

// A cell's number without the coordinates of replicated subgroups.
static uint32_t tile_of_cell(const GspmdSharding *g, uint32_t cell) {
  uint32_t tile = 0, weight = 1, data = g->n_dims - g->n_subgroups;
  for (uint32_t d = g->n_dims; d-- > 0; cell /= g->dims[d]) {
    if (d >= data && g->subgroups[d - data] == GSPMD_SUBGROUP_REPLICATED) continue;
    tile += cell % g->dims[d] * weight;
    weight *= g->dims[d];
  }
  return tile;
}

static uint32_t count_tiles(const GspmdSharding *g) {
  return g->n_devices ? tile_of_cell(g, g->n_devices - 1) + 1 : 0;
}

typedef struct Tiled {
  const GspmdSharding *g;
  uint32_t tiles, index;
} Tiled;

// The finest sharding first; equal ones in the given order.
static int compare_tiled(const void *a, const void *b) {
  const Tiled *x = a, *y = b;
  if (x->tiles != y->tiles) return x->tiles > y->tiles ? -1 : 1;
  return (x->index > y->index) - (x->index < y->index);
}

// Refines the ranks by the devices' tiles in one sharding. Returns false if a device id is not
// below n. O(n log n).
static bool rank_by(const GspmdSharding *g, uint32_t n, uint32_t *tile, Ranked *devices,
                    uint32_t *out_ranks) {
  for (uint32_t cell = 0; cell < n; cell++) {
    uint32_t device = gspmd_device(g, cell);
    if (device >= n) return false;
    tile[device] = tile_of_cell(g, cell);
  }
  for (uint32_t i = 0; i < n; i++) devices[i].tile = tile[devices[i].device];
  qsort(devices, n, sizeof *devices, compare_ranked);
  uint32_t rank = 0;
  for (uint32_t i = 0; i < n; i++) {
    bool next = i + 1 < n &&
                (devices[i].rank != devices[i + 1].rank || devices[i].tile != devices[i + 1].tile);
    devices[i].rank = rank;
    rank += next;
  }
  *out_ranks = rank + 1;
  return true;
}

// Devices sorted by their tiles in all shardings, the finest sharding first; NULL if there is no
// order. Stops when all devices have different ranks. O(shardings · n log n).
static uint32_t *order_by_tiles(const Finder *f) {
  VEC(Tiled) tiled = {0};
  uint32_t i = 0, item = 0, n = f->n_devices, ranks = 1;
  for (const GspmdSharding *g; (g = next_tiled(f, &i, &item));) {
    Tiled one = {g, count_tiles(g), tiled.count};
    VEC_PUSH(f->scratch, &tiled, one);
  }
  if (!tiled.count) return NULL;
  qsort(tiled.items, tiled.count, sizeof *tiled.items, compare_tiled);
  Ranked *devices = ARENA_ARRAY(f->scratch, Ranked, n);
  uint32_t *tile = ARENA_ARRAY(f->scratch, uint32_t, n), *order = tile;
  for (uint32_t k = 0; k < n; k++) devices[k].device = k;
  for (uint32_t k = 0; k < tiled.count && ranks < n; k++)
    if (!rank_by(tiled.items[k].g, n, tile, devices, &ranks)) return NULL;
  for (uint32_t k = 0; k < n; k++) order[k] = devices[k].device;
  return order;
}

Status *gspmd_find_mesh(Context *context, Arena *scratch, Name symbol, uint32_t n_devices,
                        uint32_t n, const GspmdSharding *const *shardings, const Mesh **out_mesh) {
  enum { MOST_ORDERS = 16 };
  Finder f = {context, scratch, symbol, n_devices, n, shardings};
  TRY(count_devices(&f));
  if (f.n_devices > GSPMD_MOST_DEVICES)
    FAIL(INVALID_ARGUMENT, "more than %d devices", GSPMD_MOST_DEVICES);
  Status *first = try_order(&f, NULL, out_mesh);
  uint32_t i = 0, item = 0, tries = 0;
  for (const GspmdSharding *g; first && tries < MOST_ORDERS && (g = next_tiled(&f, &i, &item));) {
    if (g->n_reshape || status_code(first) != UNIMPLEMENTED) continue;
    tries++;
    Status *status = try_order(&f, g->devices, out_mesh);
    if (!status) {
      status_free(first);
      return NULL;
    }
    status_free(status);
  }
  uint32_t *order = first && status_code(first) == UNIMPLEMENTED ? order_by_tiles(&f) : NULL;
  Status *last = order ? try_order(&f, order, out_mesh) : NULL;
  if (!order || last) {
    status_free(last);
    return first;
  }
  status_free(first);
  return NULL;
}

// ---- to a sharding ----

static Status *from_tiles(ShardingTable *table, Arena *scratch, const GspmdSharding *g, MeshId id,
                          uint32_t rank, Sharding *out) {
  uint32_t data = g->n_dims - g->n_subgroups;
  if (data != rank)
    FAIL(INVALID_ARGUMENT, "the sharding tiles %u dimensions, the value has %u", data, rank);
  Cells cells;
  Runs runs = {0};
  const Mesh *mesh = sharding_mesh(table, id);
  uint32_t *cell = ARENA_ARRAY(scratch, uint32_t, g->n_devices);
  TRY(match(scratch, cell, g, mesh, &cells, &runs));
  AxisRef *refs = ARENA_ARRAY(scratch, AxisRef, runs.count);
  DimSharding *dims = ARENA_ARRAY(scratch, DimSharding, rank);
  ShardFactor *factors = ARENA_ARRAY(scratch, ShardFactor, rank);
  VEC(AxisRef) manual = {0}, unreduced = {0};
  for (uint32_t d = 0; d < rank; d++) dims[d] = (DimSharding){&factors[d], 1, false, PRIORITY_NONE};
  for (uint32_t i = 0; i < runs.count; i++) {
    const Run *run = &runs.items[i];
    refs[i] = run->axis;
    if (!run->weight) continue;
    uint32_t d = cells.dim[run->k];
    if (d < data) {
      if (!factors[d].axes.n) factors[d].axes.v = &refs[i];
      factors[d].axes.n++;
    } else if (g->subgroups[d - data] == GSPMD_SUBGROUP_MANUAL) {
      VEC_PUSH(scratch, &manual, run->axis);
    } else {
      VEC_PUSH(scratch, &unreduced, run->axis);
    }
  }
  ShardingInfo info = {.mesh = id,
                       .rank = rank,
                       .dims = dims,
                       .manual = {manual.items, manual.count},
                       .unreduced = {unreduced.items, unreduced.count}};
  TRY(sharding_check(table, &info, 0));
  *out = sharding_intern(table, &info);
  return NULL;
}

Status *gspmd_to_sharding(ShardingTable *table, Arena *scratch, const GspmdSharding *gspmd,
                          MeshId mesh, uint32_t rank, Sharding *out) {
  const Mesh *on = sharding_mesh(table, mesh);
  if (gspmd->kind == GSPMD_MAXIMAL) {
    *out = sharding_make_maximal(table, gspmd->device);
    return NULL;
  }
  if (gspmd->kind == GSPMD_TUPLE)
    FAIL(INVALID_ARGUMENT, "the sharding of a tuple cannot stand on one value");
  if (!on) FAIL(NOT_FOUND, "no mesh was given for the sharding");
  if (on->maximal)
    FAIL(INVALID_ARGUMENT, "the mesh is a single device, the sharding is for several");
  if (gspmd->kind == GSPMD_TILED) return from_tiles(table, scratch, gspmd, mesh, rank, out);
  Sharding empty = gspmd->kind == GSPMD_UNKNOWN ? sharding_make_open(table, mesh, rank)
                                                : sharding_make_replicated(table, mesh, rank);
  ShardingInfo info = *sharding_info(table, empty);
  AxisList all = axes_complement(scratch, on, (AxisList){NULL, 0});
  if (gspmd->kind == GSPMD_MANUAL) info.manual = all;
  if (gspmd->kind == GSPMD_UNREDUCED) info.unreduced = all;
  *out = sharding_intern(table, &info);
  return NULL;
}

// ---- from a sharding ----

// Converts a V1 list to a transposed iota if it is one: from the minor end of the cells, each
// longest run of devices with a constant step is a dimension of the iota.
static bool as_iota(Arena *arena, GspmdSharding *g) {
  uint32_t n = g->n_devices, count = 0, size[32], stride[32];
  for (uint32_t unit = 1; unit < n;) {
    uint32_t step = g->devices[unit], k = 2, left = n / unit;
    while (k < left && g->devices[unit * k] == (uint64_t)step * k) k++;
    if (left % k) return false;
    size[count] = k;
    stride[count++] = step;
    unit *= k;
  }
  for (uint32_t c = 0; c < n; c++) {
    uint64_t device = 0;
    for (uint32_t i = 0, rest = c; i < count; rest /= size[i++])
      device += (uint64_t)(rest % size[i]) * stride[i];
    if (device != g->devices[c]) return false;
  }
  uint32_t n_reshape = count ? count : 1;
  uint32_t *reshape = ARENA_ARRAY(arena, uint32_t, n_reshape);
  uint32_t *perm = ARENA_ARRAY(arena, uint32_t, n_reshape);
  reshape[0] = 1;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t index = 0;
    for (uint32_t k = 0; k < count; k++) index += stride[k] > stride[i];
    reshape[index] = size[i];
    perm[count - 1 - i] = index;
  }
  g->n_reshape = n_reshape;
  g->reshape = reshape;
  g->perm = perm;
  g->devices = NULL;
  return true;
}

// Fills the device array. Devices of one group get ascending cells.
static void fill_devices(Arena *arena, const ShardingInfo *info, const Mesh *mesh, uint32_t copies,
                         GspmdSharding *g) {
  uint32_t groups = g->n_devices / copies;
  uint32_t *devices = ARENA_ARRAY(arena, uint32_t, g->n_devices);
  uint32_t *filled = ARENA_ARRAY(arena, uint32_t, groups);
  for (uint32_t device = 0; device < g->n_devices; device++) {
    uint32_t p = mesh_position(mesh, device);
    int64_t group = 0;
    for (uint32_t d = 0; d < info->rank; d++)
      group = group * g->dims[d] + axes_coordinate(mesh, info->dims[d].factors[0].axes, p);
    group = group * axes_size(info->manual) + axes_coordinate(mesh, info->manual, p);
    group = group * axes_size(info->unreduced) + axes_coordinate(mesh, info->unreduced, p);
    devices[(uint32_t)group * copies + filled[group]++] = device;
  }
  g->devices = devices;
}

static void add_subgroup(uint32_t size, GspmdSubgroup type, uint32_t *dims, GspmdSubgroup *types,
                         GspmdSharding *g) {
  if (size == 1) return;
  dims[g->n_dims++] = size;
  types[g->n_subgroups++] = type;
}

Status *gspmd_from_sharding(const ShardingTable *table, Arena *arena, Sharding sharding,
                            GspmdSharding *out) {
  const ShardingInfo *info = sharding_info(table, sharding);
  const Mesh *mesh = sharding_mesh(table, info->mesh);
  GspmdSharding g = {.kind = GSPMD_REPLICATED};
  if (!mesh) FAIL(FAILED_PRECONDITION, "no sharding was given");
  if (mesh->maximal) {
    *out = (GspmdSharding){.kind = GSPMD_MAXIMAL, .device = mesh->device};
    return NULL;
  }
  if (!sharding_is_block(table, sharding))
    FAIL(UNIMPLEMENTED, "GSPMD has no words for a strided split: split its factors first");
  if (info->unreduced.n && info->reducer != COMBINE_SUM)
    FAIL(UNIMPLEMENTED, "GSPMD has no words for a value that is unreduced by %s",
         combine_name(info->reducer));
  if (mesh->n_devices > GSPMD_MOST_DEVICES)
    FAIL(INVALID_ARGUMENT, "more than %d devices", GSPMD_MOST_DEVICES);
  uint32_t *dims = ARENA_ARRAY(arena, uint32_t, info->rank + 3), tiles = 1;
  GspmdSubgroup *types = ARENA_ARRAY(arena, GspmdSubgroup, 3);
  for (uint32_t d = 0; d < info->rank; d++) {
    dims[d] = (uint32_t)axes_size(info->dims[d].factors[0].axes);
    tiles *= dims[d];
  }
  uint32_t manual = (uint32_t)axes_size(info->manual);
  uint32_t unreduced = (uint32_t)axes_size(info->unreduced);
  uint32_t copies = mesh->n_devices / (tiles * manual * unreduced);
  g.n_dims = info->rank;
  g.n_devices = mesh->n_devices;
  g.dims = dims;
  g.subgroups = types;
  add_subgroup(manual, GSPMD_SUBGROUP_MANUAL, dims, types, &g);
  add_subgroup(unreduced, GSPMD_SUBGROUP_UNREDUCED, dims, types, &g);
  add_subgroup(copies, GSPMD_SUBGROUP_REPLICATED, dims, types, &g);
  if (tiles == 1 && g.n_subgroups <= 1) {  // all devices are alike: no array needed
    GspmdKind kind = manual > 1 ? GSPMD_MANUAL : unreduced > 1 ? GSPMD_UNREDUCED : GSPMD_REPLICATED;
    *out = (GspmdSharding){.kind = kind};
    return NULL;
  }
  g.kind = GSPMD_TILED;
  fill_devices(arena, info, mesh, copies, &g);
  as_iota(arena, &g);
  *out = g;
  return NULL;
}
