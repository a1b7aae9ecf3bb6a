// Shards are walked element by element beside the global tensor: a TileWalk maps each element of a
// shard to its row-major index in the global tensor, or -1 in the padding. O(elements · rank).
#include "partition/tiles.h"

#include <math.h>
#include <string.h>

#include "ops/builder.h"

static Status *at_edge(Status *status, bool results, uint32_t i) {
  Status *placed =
      status_new(status_code(status), __FILE__, __LINE__, "the tessera.sharding of %s %u: %s",
                 results ? "result" : "argument", i, status_message(status));
  status_free(status);
  return placed;
}

Status *tiles_edges(const Program *local, OpId function, bool results, ShardingTable *table,
                    Arena *arena, uint32_t *out_n, const Edge **out_edges) {
  Context *context = local->context;
  const TypeInfo *type =
      type_info(context, attr_info(context, op_attr(local, function, "function_type"))->type);
  uint32_t first = results ? type->n_inputs : 0;
  uint32_t n = results ? type->n_items - type->n_inputs : type->n_inputs;
  const AttrInfo *dicts =
      attr_info(context, op_attr(local, function, results ? "res_attrs" : "arg_attrs"));
  Edge *edges = ARENA_ARRAY(arena, Edge, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    Attr dict = dicts->kind == ATTR_ARRAY && i < dicts->count ? dicts->items[i] : 0;
    Attr sharding = dict ? attr_get(context, dict, "tessera.sharding") : 0;
    edges[i].global = type->items[first + i];
    if (!sharding) continue;
    Type global = attr_info(context, attr_get(context, dict, "tessera.global"))->type;
    if (!type_is_tensor(context, global))
      FAIL(INVALID_ARGUMENT, "%s %u has a tessera.sharding, but no tessera.global that is a tensor",
           results ? "result" : "argument", i);
    edges[i].global = global;
    Status *status = sharding_from_attr(table, sharding, global, &edges[i].sharding);
    if (status) return at_edge(status, results, i);
    Type shard = sharding_local_type(table, edges[i].sharding, global);
    if (type_is_static(context, global) && shard != type->items[first + i])
      FAIL(INVALID_ARGUMENT, "%s %u is %s, but its tessera.sharding makes shards of %s",
           results ? "result" : "argument", i, type_text(context, type->items[first + i]),
           type_text(context, shard));
  }
  *out_n = n;
  *out_edges = edges;
  return NULL;
}

Status *tiles_devices(const Program *local, uint32_t *out_n) {
  Attr attr = op_attr(local, local->root, "tessera.mesh");
  *out_n = 0;
  if (!attr) return NULL;
  const Mesh *mesh;
  TRY(mesh_from_attr(local->context, attr, 0, &mesh));
  *out_n = mesh->n_devices;
  return NULL;
}

// ---- walking ----

typedef struct TileWalk {
  uint32_t rank;
  const int64_t *global, *tile;  // sizes
  int64_t offset[MAX_RANK], extent[MAX_RANK], at[MAX_RANK];
  int64_t number;  // row-major index of the element in the global tensor; -1 = padding
} TileWalk;

// Computes the index of the current element, O(rank).
static void walk_number(TileWalk *w) {
  w->number = 0;
  bool inside = true;
  for (uint32_t d = 0; d < w->rank; d++) {
    w->number = w->number * w->global[d] + w->offset[d] + w->at[d];
    inside &= w->at[d] < w->extent[d];
  }
  if (!inside) w->number = -1;
}

static void walk_begin(TileWalk *w, ShardingTable *table, const Edge *edge, uint32_t device,
                       const Literal *tile, const Literal *global) {
  *w = (TileWalk){.rank = global->rank, .global = global->dims, .tile = tile->dims};
  for (uint32_t d = 0; d < w->rank; d++) w->extent[d] = w->global[d];
  if (edge->sharding)
    sharding_tile_range(table, edge->sharding, global->dims, device, w->offset, w->extent);
  if (tile->count) walk_number(w);  // sizes of an empty tensor may overflow
}

static void walk_next(TileWalk *w) {
  shape_next(w->rank, w->tile, w->at);
  walk_number(w);
}

// ---- sharding ----

static void set_number(Literal *l, int64_t i, int64_t number) {
  switch (dtype_kind(l->dtype)) {
  case KIND_FLOAT:
  case KIND_COMPLEX: literal_set(l, i, scalar_c((double)number, 0)); break;
  default: literal_set(l, i, scalar_i(number)); break;
  }
}

static void set_poison(Literal *l, int64_t i) {
  if (dtype_is_float(l->dtype) || dtype_is_complex(l->dtype))
    literal_set(l, i, scalar_c(NAN, NAN));
  else
    literal_set(l, i, scalar_i(-77777));
}

// Is the device the first along the unreduced axes?
static bool is_first(ShardingTable *table, Sharding sharding, uint32_t device) {
  const ShardingInfo *info = sharding_info(table, sharding);
  if (!info->unreduced.n) return true;
  const Mesh *mesh = sharding_mesh(table, info->mesh);
  return axes_coordinate(mesh, info->unreduced, mesh_position(mesh, device)) == 0;
}

Literal *tile_shard(ShardingTable *table, const Edge *edge, uint32_t device, Literal *global,
                    TilePadding padding) {
  if (!edge->sharding || global->kind != LITERAL_ARRAY) return literal_retain(global);
  const Context *context = sharding_table_context(table);
  Literal *tile = literal_new_typed(global->heap, context,
                                    sharding_local_type(table, edge->sharding, edge->global));
  Combine combine = sharding_info(table, edge->sharding)->reducer;
  // Reducers like max give the same result if all devices have the value.
  bool adds = combine == COMBINE_SUM || combine == COMBINE_MUL || combine == COMBINE_XOR;
  bool rest = adds && !is_first(table, edge->sharding, device);
  TileWalk w;
  walk_begin(&w, table, edge, device, tile, global);
  for (int64_t i = 0; i < tile->count; i++, walk_next(&w)) {
    if (w.number < 0 && padding == PADDING_ZERO)
      continue;  // new literals are zero
    else if (w.number < 0)
      set_poison(tile, i);
    else if (rest)
      set_number(tile, i, combine == COMBINE_MUL);
    else
      literal_copy_elements(tile, i, global, w.number, 1);
  }
  return tile;
}

// ---- reducing ----

static Scalar combine_floats(Combine combine, Scalar a, Scalar b) {
  switch (combine) {
  case COMBINE_MAX: return a.f > b.f || isnan(a.f) ? a : b;
  case COMBINE_MIN: return a.f < b.f || isnan(a.f) ? a : b;
  case COMBINE_MUL: return scalar_c(a.f * b.f - a.im * b.im, a.f * b.im + a.im * b.f);
  default: return scalar_c(a.f + b.f, a.im + b.im);
  }
}

static Scalar combine_integers(Combine combine, bool has_sign, Scalar a, Scalar b) {
  bool less = has_sign ? a.i < b.i : a.u < b.u;
  switch (combine) {
  case COMBINE_MAX: return less ? b : a;
  case COMBINE_MIN: return less ? a : b;
  case COMBINE_MUL: return scalar_u(a.u * b.u);
  case COMBINE_AND: return scalar_u(a.u & b.u);
  case COMBINE_OR: return scalar_u(a.u | b.u);
  case COMBINE_XOR: return scalar_u(a.u ^ b.u);
  default: return scalar_u(a.u + b.u);
  }
}

static void combine_into(Literal *to, const Literal *from, Combine combine) {
  DTypeKind kind = dtype_kind(to->dtype);
  if (kind == KIND_BOOL && combine == COMBINE_SUM) combine = COMBINE_OR;
  if (kind == KIND_BOOL && combine == COMBINE_MUL) combine = COMBINE_AND;
  for (int64_t i = 0; i < to->count; i++) {
    Scalar a = literal_get(to, i), b = literal_get(from, i);
    literal_set(to, i,
                kind == KIND_FLOAT || kind == KIND_COMPLEX
                    ? combine_floats(combine, a, b)
                    : combine_integers(combine, kind == KIND_SINT, a, b));
  }
}

Literal *tile_reduce(ShardingTable *table, const Edge *edge, uint32_t device, uint32_t n_devices,
                     Literal *const *shards, Arena *scratch) {
  const ShardingInfo *info = sharding_info(table, edge->sharding);
  const Mesh *mesh = sharding_mesh(table, info->mesh);
  if (!is_first(table, edge->sharding, device)) return NULL;
  AxisList others = axes_complement(scratch, mesh, info->unreduced);
  int64_t group = axes_coordinate(mesh, others, mesh_position(mesh, device));
  Literal *sum = literal_copy(shards[device]);
  for (uint32_t k = 0; k < n_devices; k++)
    if (k != device && axes_coordinate(mesh, others, mesh_position(mesh, k)) == group)
      combine_into(sum, shards[k], info->reducer);
  return sum;
}

// ---- joining ----

static bool same_element(const Literal *a, int64_t i, const Literal *b, int64_t k) {
  size_t bytes = (size_t)dtype_bytes(a->dtype);
  return memcmp((const char *)a->data + (size_t)i * bytes,
                (const char *)b->data + (size_t)k * bytes, bytes) == 0;
}

static bool same_value(const Literal *a, const Literal *b) {
  if (a == b || a->kind != LITERAL_ARRAY || b->kind != LITERAL_ARRAY) return true;
  if (!literal_same_shape(a, b)) return false;
  return a->count == 0 ||
         memcmp(a->data, b->data, (size_t)a->count * (size_t)dtype_bytes(a->dtype)) == 0;
}

// Copies the elements of a shard into the global tensor, except those that are present. False if
// one of these has other bits.
static bool copy_into_global(ShardingTable *table, const Edge *edge, uint32_t device,
                             const Literal *tile, Literal *global, bool *present) {
  bool same = true;
  TileWalk w;
  walk_begin(&w, table, edge, device, tile, global);
  for (int64_t i = 0; i < tile->count; i++, walk_next(&w)) {
    if (w.number < 0) continue;
    if (present[w.number]) {
      same &= same_element(tile, i, global, w.number);
      continue;
    }
    literal_copy_elements(global, w.number, tile, i, 1);
    present[w.number] = true;
  }
  return same;
}

Literal *tile_join(ShardingTable *table, const Edge *edge, uint32_t n_devices,
                   Literal *const *shards, Arena *scratch, uint32_t *out_unequal) {
  *out_unequal = n_devices;
  if (!edge->sharding || shards[0]->kind != LITERAL_ARRAY) {
    for (uint32_t k = n_devices; k-- > 1;)
      if (!same_value(shards[0], shards[k])) *out_unequal = k;
    return literal_retain(shards[0]);
  }
  bool unreduced = sharding_info(table, edge->sharding)->unreduced.n > 0;
  Literal *global = literal_new_typed(shards[0]->heap, sharding_table_context(table), edge->global);
  ArenaMark mark = arena_mark(scratch);
  bool *present = ARENA_ARRAY(scratch, bool, (size_t)global->count + 1);
  for (uint32_t k = 0; k < n_devices; k++) {
    Literal *shard = unreduced ? tile_reduce(table, edge, k, n_devices, shards, scratch)
                               : literal_retain(shards[k]);
    if (!shard) continue;  // the first device of the group has the sum
    if (!copy_into_global(table, edge, k, shard, global, present) && *out_unequal == n_devices)
      *out_unequal = k;
    literal_release(shard);
  }
  arena_rewind(scratch, mark);
  return global;
}

// ---- comparing ----

double tile_tolerance(DType dtype) {
  if (!dtype_is_float(dtype) && !dtype_is_complex(dtype)) return 0;
  int bits = dtype_info(dtype)->mantissa_bits;
  return bits > 23 ? 1e-10 : bits > 10 ? 1e-4 : bits > 7 ? 1e-2 : bits > 3 ? 5e-2 : 0.5;
}

// |got - want| / (1 + |want|): relative for large values, absolute near 0. 0 if both are equal or
// both NaN; infinite if one of them is NaN.
static double distance(double got, double want) {
  if (got == want || (isnan(got) && isnan(want))) return 0;
  double d = fabs(got - want) / (1 + fabs(want));
  return isnan(d) ? INFINITY : d;
}

void tile_compare(ShardingTable *table, const Edge *edge, uint32_t device, const Literal *tile,
                  const Literal *global, double tolerance, const double *slack,
                  TileDifference *out) {
  *out = (TileDifference){.number = -1};
  const Context *context = sharding_table_context(table);
  bool same =
      edge->sharding
          ? literal_matches(context, tile, sharding_local_type(table, edge->sharding, edge->global))
          : literal_same_shape(tile, global);
  if (!same) {
    out->count = global->count + !global->count;
    return;
  }
  bool real = dtype_is_float(tile->dtype), complex = dtype_is_complex(tile->dtype);
  TileWalk w;
  walk_begin(&w, table, edge, device, tile, global);
  for (int64_t i = 0; i < tile->count; i++, walk_next(&w)) {
    if (w.number < 0) continue;
    Scalar got = literal_get(tile, i), want = literal_get(global, w.number);
    double d = 0;
    if (real || complex) d = distance(got.f, want.f);
    if (complex) d = fmax(d, distance(got.im, want.im));
    if (d > out->worst) out->worst = d;
    double most = tolerance + (slack ? slack[w.number] : 0);
    if (real || complex ? d <= most : got.u == want.u) continue;
    if (!out->count++) out->number = w.number, out->got = got, out->want = want;
  }
}
