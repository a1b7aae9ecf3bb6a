// Kernels of gather and scatter.
//
// Both walk over index vectors. Each vector names a window of the operand; the window is a strided
// block in the operand and in the result (gather) or the updates (scatter). The walk keeps all
// offsets incrementally, like an odometer.
//
// gather: tiles share the vectors, or a window's units if there are few vectors. scatter: updates
// of one element must keep their order. If the dimensions that are indexed have windows of size 1,
// windows are equal or disjoint, so each tile walks over all vectors and applies those whose window
// begins in its share of the operand. Only such scatters have a kernel: then every window lies
// inside or outside as a whole, and StableHLO's and XLA's rules for windows that lie partly outside
// agree. Windows that are whole rows, by one i32 index each, have loops of their own (rows.h): a
// tile copies its rows of the operand and updates them while they are in the cache.
#include <string.h>

#include "execute/kernels/combine.h"
#include "execute/kernels/common.h"
#include "execute/kernels/kernels.h"
#include "execute/kernels/rows.h"
#include "tensor/vectorize.h"

// A dimension of the index vectors, with its step in each tensor: bytes in the operand (batching)
// and in the other tensor, elements in the indices.
typedef struct VectorDim {
  int64_t size, operand, other, index;
} VectorDim;

// A component of an index vector: the operand's dimension that it indexes.
typedef struct Component {
  int64_t most, stride;  // the largest start; bytes
} Component;

typedef struct Walk {
  uint32_t n_dims, n_components;
  VectorDim dims[MAX_RANK];
  Component components[MAX_RANK];
  int64_t component_step;  // in the indices, in elements
  DType index_type;
  uint64_t n_vectors;
} Walk;

// A position of the walk.
typedef struct WalkAt {
  int64_t at[MAX_RANK], operand, other, index;
} WalkAt;

static void walk_to(const Walk *w, uint64_t vector, WalkAt *p) {
  *p = (WalkAt){.operand = 0};
  for (uint32_t d = w->n_dims; d-- > 0;) {
    p->at[d] = (int64_t)(vector % (uint64_t)w->dims[d].size);
    vector /= (uint64_t)w->dims[d].size;
    p->operand += p->at[d] * w->dims[d].operand;
    p->other += p->at[d] * w->dims[d].other;
    p->index += p->at[d] * w->dims[d].index;
  }
}

static void walk_next(const Walk *w, WalkAt *p) {
  for (uint32_t d = w->n_dims; d-- > 0;) {
    const VectorDim *dim = &w->dims[d];
    p->operand += dim->operand;
    p->other += dim->other;
    p->index += dim->index;
    if (++p->at[d] < dim->size) return;
    p->operand -= dim->size * dim->operand;
    p->other -= dim->size * dim->other;
    p->index -= dim->size * dim->index;
    p->at[d] = 0;
  }
}

// Merges dimensions of which all steps are contiguous: less to carry.
static void walk_merge(Walk *w) {
  uint32_t n = 0;
  for (uint32_t d = 0; d < w->n_dims; d++) {
    VectorDim dim = w->dims[d], *before = n ? &w->dims[n - 1] : NULL;
    if (dim.size == 1) continue;
    if (before && before->operand == dim.size * dim.operand &&
        before->other == dim.size * dim.other && before->index == dim.size * dim.index) {
      dim.size *= before->size;
      *before = dim;
    } else {
      w->dims[n++] = dim;
    }
  }
  w->n_dims = n;
}

// The dimension numbers of gather, and of scatter by the names that correspond.
typedef struct WindowDims {
  Ints window, dropped, batching, index_batching, map;  // window: dimensions of the other tensor
  int64_t vector;
} WindowDims;

static Ints field(const KernelRequest *r, Attr numbers, const char *name) {
  Context *c = r->program->context;
  Attr attr = attr_get(c, numbers, name);
  return attr ? attr_as_ints(c, attr) : (Ints){.ok = true};
}

// Fills the walk, and the window: its sizes and strides in bytes in both tensors. sizes: of the
// window along the operand's dimensions.
static uint32_t make_walk(const WindowDims *g, const Dense *operand, const Dense *indices,
                          const Dense *other, const int64_t *sizes, Walk *w, int64_t *dims,
                          int64_t *in_operand, int64_t *in_other) {
  int64_t item = (int64_t)operand->item;
  uint32_t n_window = 0;
  for (uint32_t d = 0; d < operand->rank; d++) {
    if (ints_contain(g->dropped, d) || ints_contain(g->batching, d)) continue;
    dims[n_window] = sizes[d];
    in_operand[n_window] = operand->strides[d] * item;
    in_other[n_window] = other->strides[g->window.v[n_window]] * item;
    n_window++;
  }
  w->n_vectors = 1;
  for (uint32_t d = 0; d < other->rank; d++) {
    if (ints_contain(g->window, d)) continue;
    uint32_t s = w->n_dims + (w->n_dims >= g->vector);
    VectorDim *dim = &w->dims[w->n_dims++];
    *dim = (VectorDim){
        .size = other->dims[d], .other = other->strides[d] * item, .index = indices->strides[s]};
    for (uint32_t i = 0; i < g->batching.n; i++)
      if (g->index_batching.v[i] == s) dim->operand = operand->strides[g->batching.v[i]] * item;
    w->n_vectors *= (uint64_t)other->dims[d];
  }
  for (uint32_t i = 0; i < g->map.n; i++) {
    int64_t d = g->map.v[i];
    w->components[w->n_components++] =
        (Component){.most = operand->dims[d] - sizes[d], .stride = operand->strides[d] * item};
  }
  w->component_step = g->vector < indices->rank ? indices->strides[g->vector] : 0;
  w->index_type = indices->dtype;
  walk_merge(w);
  return n_window;
}

// ---- gather ----

typedef struct Gather {
  Walk walk;
  Moves window;
  size_t bytes;  // of a window that is one run in both tensors; 0: it is not
  bool rows;     // windows are the operand's rows, one unit each
} Gather;

static const char *gather_source(const Gather *g, const WalkAt *p, const void *operand,
                                 const void *indices) {
  int64_t at = p->operand;
  for (uint32_t i = 0; i < g->walk.n_components; i++) {
    const Component *c = &g->walk.components[i];
    int64_t x = index_at(g->walk.index_type, indices, p->index + i * g->walk.component_step);
    at += (x < 0 ? 0 : x > c->most ? c->most : x) * c->stride;
  }
  return (const char *)operand + at;
}

// Elements of 4 bytes by one i32 index each, in a row: the common case, without the walk.
VECTOR_BODY void pick_4_body(const int32_t *indices, int64_t most, int64_t stride,
                             const uint32_t *from, uint32_t *to, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    int64_t x = indices[i];
    x = x < 0 ? 0 : x > most ? most : x;
    to[i] = from[x * stride];
  }
}
VECTOR_CLONES(pick_4,
              (const int32_t *indices, int64_t most, int64_t stride, const uint32_t *from,
               uint32_t *to, int64_t n),
              (indices, most, stride, from, to, n))

// One index per window, indices and windows in order.
static bool walk_is_plain(const Walk *w, int64_t window) {
  return w->n_dims == 1 && w->n_components == 1 && w->index_type == DT_i32 &&
         w->dims[0].index == 1 && w->dims[0].other == window && w->dims[0].operand == 0;
}

// The windows are the rows of a matrix.
static bool walk_is_rows(const Walk *w, int64_t bytes) {
  return walk_is_plain(w, bytes) && w->components[0].stride == bytes;
}

static void run_gather(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  (void)scratch;
  const Gather *g = kernel->data;
  uint64_t per = g->window.units, first, last;
  kernel_part(g->walk.n_vectors * per, tile, kernel->n_tiles, &first, &last);
  if (first >= last) return;
  if (g->bytes == 4 && walk_is_plain(&g->walk, 4)) {
    const Component *c = &g->walk.components[0];
    pick_4((const int32_t *)buffers[1] + first, c->most, c->stride / 4, buffers[0],
           (uint32_t *)buffers[2] + first, (int64_t)(last - first));
    return;
  }
  if (g->rows) {
    rows_gather((const int32_t *)buffers[1] + first, (int64_t)(last - first),
                g->walk.components[0].most, g->bytes, buffers[0],
                (char *)buffers[2] + first * g->bytes);
    return;
  }
  WalkAt p;
  walk_to(&g->walk, first / per, &p);
  for (uint64_t unit = first; unit < last;) {
    uint64_t from = unit % per, to = last - unit < per - from ? from + (last - unit) : per;
    const char *source = gather_source(g, &p, buffers[0], buffers[1]);
    char *dest = (char *)buffers[2] + p.other;
    if (g->bytes == 4)
      memcpy(dest, source, 4);
    else if (g->bytes && per == 1)
      memcpy(dest, source, g->bytes);
    else
      moves_run(&g->window, source, dest, from, to);
    unit += to - from;
    walk_next(&g->walk, &p);
  }
}

bool kernel_gather(const KernelRequest *r, Kernel *out) {
  Dense operand, indices, result;
  if (!dense_operand(r, 0, &operand) || !dense_operand(r, 1, &indices) ||
      !dense_result(r, 0, &result))
    return false;
  if (result.count == 0) return kernel_nothing(out), true;
  Attr numbers = op_attr(r->program, r->op, "dimension_numbers");
  Ints sizes = request_ints(r, "slice_sizes");
  WindowDims dims = {
      .window = field(r, numbers, "offset_dims"),
      .dropped = field(r, numbers, "collapsed_slice_dims"),
      .batching = field(r, numbers, "operand_batching_dims"),
      .index_batching = field(r, numbers, "start_indices_batching_dims"),
      .map = field(r, numbers, "start_index_map"),
      .vector = attr_as_int(r->program->context,
                            attr_get(r->program->context, numbers, "index_vector_dim"), 0)};
  for (uint32_t d = 0; d < operand.rank; d++)
    if (sizes.v[d] == 0) return false;
  Gather *g = ARENA_NEW(r->arena, Gather);
  int64_t window[MAX_RANK], from[MAX_RANK], to[MAX_RANK];
  uint32_t n = make_walk(&dims, &operand, &indices, &result, sizes.v, &g->walk, window, from, to);
  moves_init(&g->window, operand.item, n, window, from, to);
  const Moves *m = &g->window;
  int64_t item = (int64_t)m->item;
  if (m->rank == 2 && m->dims[0] == 1 && m->from[1] == item && m->to[1] == item)
    g->bytes = (size_t)(m->dims[1] * item);
  g->rows = g->bytes > 4 && m->units == 1 && walk_is_rows(&g->walk, (int64_t)g->bytes);
  double seconds = (double)g->walk.n_vectors * (10e-9 + moves_seconds(m));
  *out = (Kernel){.name = "gather",
                  .run = run_gather,
                  .data = g,
                  .n_tiles = kernel_tiles(seconds, g->walk.n_vectors * m->units)};
  return true;
}

// ---- scatter ----

typedef struct Scatter {
  Walk walk;
  Moves window;                // from the updates to the operand
  const CombineRows *combine;  // NULL: the update replaces the element
  bool sums_f32;
  uint64_t bytes;  // of the operand
  uint32_t tiles;
} Scatter;

// Applies `combine` to the window, row by row.
static void combine_window(const Scatter *s, const char *from, char *to) {
  const Moves *m = &s->window;
  uint32_t inner = m->rank - 1;
  int64_t item = (int64_t)m->item, at[MAX_RANK + 2] = {0};
  bool runs = m->from[inner] == item && m->to[inner] == item;
  for (;;) {
    int64_t f = 0, t = 0;
    for (uint32_t d = 0; d < inner; d++) {
      f += at[d] * m->from[d];
      t += at[d] * m->to[d];
    }
    if (runs)
      s->combine->rows(to + t, from + f, m->dims[inner]);
    else
      for (int64_t i = 0; i < m->dims[inner]; i++)
        s->combine->rows(to + t + i * m->to[inner], from + f + i * m->from[inner], 1);
    uint32_t d = inner;
    while (d > 0 && ++at[d - 1] == m->dims[d - 1]) at[--d] = 0;
    if (d == 0) return;
  }
}

// Sums of f32 elements by one i32 index each: segment sums. [first, last): elements of this tile.
static void add_elements(const int32_t *indices, const float *updates, int64_t n, int64_t stride,
                         float *out, int64_t first, int64_t last) {
  uint64_t range = (uint64_t)(last - first);
  for (int64_t i = 0; i < n; i++) {
    int64_t at = (int64_t)indices[i] * stride;
    if ((uint64_t)(at - first) < range && indices[i] >= 0) out[at] += updates[i];
  }
}

static void run_scatter(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  (void)scratch;
  const Scatter *s = kernel->data;
  uint64_t first, last;
  kernel_part(s->bytes, tile, kernel->n_tiles, &first, &last);
  const void *indices = buffers[1];
  const char *updates = buffers[2];
  char *out = buffers[3];
  bool one = s->window.rank == 2 && s->window.dims[0] == 1 && s->window.dims[1] == 1;
  if (one && s->sums_f32 && walk_is_plain(&s->walk, 4)) {
    const Component *c = &s->walk.components[0];
    int64_t end = (c->most + 1) * c->stride / 4, begin = (int64_t)((first + 3) / 4),
            stop = (int64_t)((last + 3) / 4);
    add_elements(indices, (const float *)(const void *)updates, (int64_t)s->walk.n_vectors,
                 c->stride / 4, (float *)(void *)out, begin, stop < end ? stop : end);
    return;
  }
  WalkAt p;
  walk_to(&s->walk, 0, &p);
  for (uint64_t v = 0; v < s->walk.n_vectors; v++, walk_next(&s->walk, &p)) {
    int64_t at = p.operand;
    bool inside = true;
    for (uint32_t i = 0; i < s->walk.n_components; i++) {
      const Component *c = &s->walk.components[i];
      int64_t x = index_at(s->walk.index_type, indices, p.index + i * s->walk.component_step);
      bool in = x >= 0 && x <= c->most;
      inside &= in;
      at += in ? x * c->stride : 0;
    }
    if (!inside || (uint64_t)at < first || (uint64_t)at >= last) continue;
    if (one && s->combine)
      s->combine->rows(out + at, updates + p.other, 1);
    else if (s->combine)
      combine_window(s, updates + p.other, out + at);
    else
      moves_run(&s->window, updates + p.other, out + at, 0, s->window.units);
  }
}

typedef struct RowTiles {
  RowsScatter rows;
  int64_t n_rows, n_updates;
  bool streams;  // a copy would not stay in the caches
} RowTiles;

static void run_rows(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  const RowTiles *t = kernel->data;
  uint64_t first, last;
  kernel_part((uint64_t)t->n_rows, tile, kernel->n_tiles, &first, &last);
  bool copies = buffers[0] != buffers[3] && last > first;
  if (copies && t->streams) {
    rows_copy_scatter(&t->rows, buffers[1], t->n_updates, (int64_t)first, (int64_t)last, buffers[0],
                      buffers[2], buffers[3], scratch);
    return;
  }
  if (copies)
    memcpy((char *)buffers[3] + first * t->rows.bytes,
           (const char *)buffers[0] + first * t->rows.bytes, (last - first) * t->rows.bytes);
  rows_scatter(&t->rows, buffers[1], t->n_updates, (int64_t)first, (int64_t)last, buffers[2],
               buffers[3]);
}

// A scatter of whole rows. Tiles are small enough for the second-level cache.
static bool make_rows(const KernelRequest *r, const Scatter *s, const Dense *operand,
                      const Dense *updates, Kernel *out) {
  enum { TILE_BYTES = 256 << 10, STREAM_BYTES = 8 << 20 };
  static const uint32_t in_place[] = {0};
  const Moves *m = &s->window;
  int64_t item = (int64_t)m->item;
  bool run = m->rank == 2 && m->dims[0] == 1 && m->from[1] == item && m->to[1] == item;
  int64_t bytes = run ? m->dims[1] * item : 0;
  if (bytes < 64 || !walk_is_rows(&s->walk, bytes)) return false;
  int64_t n_rows = operand->count * item / bytes;
  if (s->walk.components[0].most + 1 != n_rows) return false;
  RowTiles *t = ARENA_NEW(r->arena, RowTiles);
  *t = (RowTiles){.rows = {.combine = s->combine,
                           .sums_f32 = s->sums_f32,
                           .width = m->dims[1],
                           .bytes = (size_t)bytes},
                  .n_rows = n_rows,
                  .n_updates = (int64_t)s->walk.n_vectors};
  double moved = (double)(operand->count + 2 * updates->count) * (double)item;
  uint64_t most = (uint64_t)(operand->count * item / TILE_BYTES);
  if (most < 4) most = 4;
  if (most > (uint64_t)n_rows) most = (uint64_t)n_rows;
  if (most > 128) most = 128;
  uint32_t n_tiles = kernel_tiles(moved / 10e9, most);
  t->streams = operand->count * item > STREAM_BYTES && t->n_updates <= 1 << 20;
  *out =
      (Kernel){.name = "scatter",
               .run = run_rows,
               .data = t,
               .n_tiles = n_tiles,
               .scratch_bytes =
                   t->streams ? rows_copy_scratch(&t->rows, t->n_updates, n_rows / n_tiles + 1) : 0,
               .in_place = in_place};
  return true;
}

typedef struct ScatterCopy {
  Moves moves;
} ScatterCopy;

static void run_copy(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  (void)scratch;
  const ScatterCopy *c = kernel->data;
  if (buffers[0] == buffers[3]) return;
  uint64_t first, last;
  kernel_part(c->moves.units, tile, kernel->n_tiles, &first, &last);
  moves_run(&c->moves, buffers[0], buffers[3], first, last);
}

// sizes: the window along the operand's dimensions. False: windows may lie partly outside, or
// overlap.
static bool scatter_windows(const WindowDims *g, const Dense *operand, const Dense *updates,
                            int64_t *sizes) {
  uint32_t n = 0;
  for (uint32_t d = 0; d < operand->rank; d++) {
    sizes[d] = 1;
    if (ints_contain(g->dropped, d) || ints_contain(g->batching, d)) continue;
    sizes[d] = updates->dims[g->window.v[n++]];
  }
  for (uint32_t i = 0; i < g->map.n; i++)
    if (sizes[g->map.v[i]] != 1) return false;
  for (uint32_t d = 0; d < operand->rank; d++)
    if (sizes[d] > operand->dims[d]) return false;
  return true;
}

bool kernel_scatter(const KernelRequest *r, Kernel *out) {
  static const uint32_t in_place[] = {0};
  const Op *op = op_at(r->program, r->op);
  Dense operand, indices, updates, result;
  if (op->n_operands != 3 || !dense_operand(r, 0, &operand) || !dense_operand(r, 1, &indices) ||
      !dense_operand(r, 2, &updates) || !dense_result(r, 0, &result) ||
      operand.dtype != updates.dtype || operand.dtype != result.dtype)
    return false;
  RegionId body = op_region(r->program, r->op, 0);
  Combine combine = body_combine(r->program, body);
  bool replaces = body_returns(r->program, body, 1);
  Scatter *s = ARENA_NEW(r->arena, Scatter);
  s->combine = combine ? combine_rows(operand.dtype, combine) : NULL;
  if (!s->combine && !replaces) return false;
  s->sums_f32 = operand.dtype == DT_f32 && combine == COMBINE_SUM;
  Attr numbers = op_attr(r->program, r->op, "scatter_dimension_numbers");
  WindowDims dims = {
      .window = field(r, numbers, "update_window_dims"),
      .dropped = field(r, numbers, "inserted_window_dims"),
      .batching = field(r, numbers, "input_batching_dims"),
      .index_batching = field(r, numbers, "scatter_indices_batching_dims"),
      .map = field(r, numbers, "scatter_dims_to_operand_dims"),
      .vector = attr_as_int(r->program->context,
                            attr_get(r->program->context, numbers, "index_vector_dim"), 0)};
  int64_t sizes[MAX_RANK], window[MAX_RANK], from[MAX_RANK], to[MAX_RANK];
  if (!scatter_windows(&dims, &operand, &updates, sizes)) return false;
  ScatterCopy *copy = ARENA_NEW(r->arena, ScatterCopy);
  int64_t bytes = operand.count * (int64_t)operand.item, one = 1;
  moves_init(&copy->moves, 1, 1, &bytes, &one, &one);
  *out =
      (Kernel){.name = "scatter",
               .run = run_copy,
               .data = copy,
               .n_tiles = bytes ? kernel_tiles(moves_seconds(&copy->moves), copy->moves.units) : 1,
               .in_place = in_place};
  if (updates.count == 0 || operand.count == 0) return true;
  uint32_t n = make_walk(&dims, &operand, &indices, &updates, sizes, &s->walk, window, to, from);
  moves_init(&s->window, operand.item, n, window, from, to);
  s->bytes = (uint64_t)bytes;
  if (make_rows(r, s, &operand, &updates, out)) return true;
  double seconds = (double)s->walk.n_vectors * (5e-9 + 2 * moves_seconds(&s->window));
  // Every tile reads all index vectors, so there are few. With small windows one tile is fastest:
  // whether a random index is a tile's own cannot be predicted.
  int64_t window_count = updates.count / (int64_t)s->walk.n_vectors;
  uint64_t most = window_count * (int64_t)operand.item < 64 ? 1 : 4;
  Kernel *next = ARENA_NEW(r->arena, Kernel);
  *next = (Kernel){
      .name = "scatter", .run = run_scatter, .data = s, .n_tiles = kernel_tiles(seconds, most)};
  out->next = next;
  return true;
}
