// Problem: shardings are compared and hashed all the time, in propagation and in search.
//
// Idea: intern them. A record is flattened to 32-bit words in canonical form, which are its key:
// interning hashes and compares words. The ShardingInfo that callers get points into the stored
// copy, so reading needs no decoding.
//
// Invariant: equal records have equal ids; records never move while the table lives. Cost: O(words)
// to intern (some dozens), O(1) to read.
#include "sharding/sharding.h"

#include <assert.h>
#include <inttypes.h>

#include "base/idmap.h"
#include "base/mem.h"
#include "base/vec.h"

typedef HEAPVEC(uint32_t) Words;

typedef struct Entry {
  ShardingInfo info;
  const uint32_t *key;
  uint32_t n_key;
  uint32_t n_factors;
} Entry;

struct ShardingTable {
  Context *context;
  Guard *guard;
  Arena arena;
  Words scratch;
  HEAPVEC(const Entry *) entries;  // [0] is the record of sharding 0
  HEAPVEC(const Mesh *) meshes;    // [0] is NULL
  IdMap map;
  IdMap meshes_by_content;  // keyed by symbol and content
  IdMap meshes_by_symbol;   // keyed by symbol: the first mesh of each
};

// ---- the table ----

ShardingTable *sharding_table_new(Context *context, Guard *guard) {
  ShardingTable *table = mem_alloc(sizeof *table);
  if (!table) guard_throw(guard, status_no_memory());
  *table = (ShardingTable){.context = context, .guard = guard};
  arena_init(&table->arena, guard);
  GuardCleanup cleanup = {sharding_table_release, table, NULL};
  guard_push(guard, &cleanup);
  HEAPVEC_PUSH(guard, &table->entries, ARENA_NEW(&table->arena, Entry));
  HEAPVEC_PUSH(guard, &table->meshes, NULL);
  guard_pop(guard, &cleanup);
  return table;
}

void sharding_table_free(ShardingTable *table) {
  if (!table) return;
  HEAPVEC_FREE(&table->scratch);
  HEAPVEC_FREE(&table->entries);
  HEAPVEC_FREE(&table->meshes);
  idmap_deinit(&table->map);
  idmap_deinit(&table->meshes_by_content);
  idmap_deinit(&table->meshes_by_symbol);
  arena_deinit(&table->arena);
  mem_free(table);
}

void sharding_table_release(void *table) { sharding_table_free(table); }

Guard *sharding_table_guard(ShardingTable *table, Guard *guard) {
  Guard *before = table->guard;
  table->guard = guard;
  arena_guard(&table->arena, guard);
  return before;
}

Context *sharding_table_context(const ShardingTable *table) { return table->context; }
// Equal axes and device order, and equal symbol: a mesh keeps its name when printed.
static bool mesh_has_content(const void *owner, uint32_t id, const void *key) {
  const ShardingTable *table = owner;
  const Mesh *mesh = key;
  return table->meshes.items[id]->symbol == mesh->symbol &&
         mesh_equal(table->meshes.items[id], mesh);
}

static bool mesh_has_symbol(const void *owner, uint32_t id, const void *key) {
  const ShardingTable *table = owner;
  return table->meshes.items[id]->symbol == *(const Name *)key;
}

MeshId sharding_mesh_add(ShardingTable *table, const Mesh *mesh) {
  uint64_t hash = hash_mix(mesh->symbol, mesh->maximal ? mesh->device : mesh->n_devices);
  for (uint32_t i = 0; i < mesh->n_axes; i++)
    hash = hash_mix(hash_mix(hash, mesh->axes[i].name), mesh->axes[i].size);
  MeshId id = idmap_find(&table->meshes_by_content, hash, mesh_has_content, table, mesh);
  if (id) return id;
  id = table->meshes.count;
  HEAPVEC_PUSH(table->guard, &table->meshes, mesh);
  idmap_add(&table->meshes_by_content, table->guard, hash, id);
  if (mesh->symbol && !sharding_mesh_find(table, mesh->symbol))
    idmap_add(&table->meshes_by_symbol, table->guard, hash_mix(0, mesh->symbol), id);
  return id;
}

const Mesh *sharding_mesh(const ShardingTable *table, MeshId id) {
  return id < table->meshes.count ? table->meshes.items[id] : NULL;
}

MeshId sharding_mesh_find(const ShardingTable *table, Name symbol) {
  return symbol ? idmap_find(&table->meshes_by_symbol, hash_mix(0, symbol), mesh_has_symbol, table,
                             &symbol)
                : 0;
}

// ---- interning ----

static void put(ShardingTable *table, uint32_t word) {
  HEAPVEC_PUSH(table->guard, &table->scratch, word);
}

// Writes the count, then the references. A list keeps its order, a set is sorted.
static void put_axes(ShardingTable *table, AxisList list, bool set) {
  Words *words = &table->scratch;
  uint32_t at = words->count;
  HEAPVEC_RESERVE(table->guard, words, at + 1 + 3 * list.n);
  AxisRef *v = (AxisRef *)(void *)(words->items + at + 1);
  if (list.n) memcpy(v, list.v, list.n * sizeof *v);
  uint32_t n = set ? axes_canonicalize_set(v, list.n) : axes_canonicalize(v, list.n);
  words->items[at] = n;
  words->count = at + 1 + 3 * n;
}

// The canonical key: a single factor has size 0, and a reducer is written only with unreduced axes.
static void put_record(ShardingTable *table, const ShardingInfo *info) {
  table->scratch.count = 0;
  put(table, info->mesh);
  put(table, info->rank);
  for (uint32_t d = 0; d < info->rank; d++) {
    const DimSharding *dim = &info->dims[d];
    put(table, dim->n_factors);
    put(table, dim->open);
    put(table, (uint32_t)dim->priority);
    for (uint32_t k = 0; k < dim->n_factors; k++) {
      uint64_t size = dim->n_factors > 1 ? (uint64_t)dim->factors[k].size : 0;
      put(table, (uint32_t)size);
      put(table, (uint32_t)(size >> 32));
      put_axes(table, dim->factors[k].axes, false);
    }
  }
  Combine sum = info->reducer ? info->reducer : COMBINE_SUM;
  put(table, info->unreduced.n ? sum : COMBINE_NONE);
  put_axes(table, info->replicated, true);
  put_axes(table, info->unreduced, true);
  put_axes(table, info->manual, true);
}

typedef struct Cursor {
  const uint32_t *at;
} Cursor;

static uint32_t take(Cursor *c) { return *c->at++; }

static AxisList take_axes(Cursor *c) {
  uint32_t n = take(c);
  AxisList list = {n ? (const AxisRef *)(const void *)c->at : NULL, n};
  c->at += 3 * (size_t)n;
  return list;
}

// Builds the record over a stored key: axis lists point into the key.
static void view_key(Arena *arena, const uint32_t *key, Entry *out) {
  Cursor c = {key};
  ShardingInfo *info = &out->info;
  info->mesh = take(&c);
  info->rank = take(&c);
  DimSharding *dims = ARENA_ARRAY(arena, DimSharding, info->rank);
  for (uint32_t d = 0; d < info->rank; d++) {
    DimSharding *dim = &dims[d];
    dim->n_factors = take(&c);
    dim->open = take(&c);
    dim->priority = (int32_t)take(&c);
    out->n_factors += dim->n_factors;
    ShardFactor *factors = ARENA_ARRAY(arena, ShardFactor, dim->n_factors);
    for (uint32_t k = 0; k < dim->n_factors; k++) {
      uint64_t low = take(&c), high = take(&c);
      factors[k].size = (int64_t)(high << 32 | low);
      factors[k].axes = take_axes(&c);
    }
    dim->factors = factors;
  }
  info->dims = dims;
  info->reducer = (Combine)take(&c);
  info->replicated = take_axes(&c);
  info->unreduced = take_axes(&c);
  info->manual = take_axes(&c);
}

static bool key_is(const void *owner, uint32_t id, const void *key) {
  const ShardingTable *table = owner;
  const Words *words = key;
  const Entry *entry = table->entries.items[id];
  return entry->n_key == words->count &&
         !memcmp(entry->key, words->items, words->count * sizeof *words->items);
}

Sharding sharding_intern(ShardingTable *table, const ShardingInfo *info) {
  put_record(table, info);
  const Words *words = &table->scratch;
  size_t bytes = words->count * sizeof *words->items;
  uint64_t hash = hash_bytes(words->items, bytes);
  uint32_t id = idmap_find(&table->map, hash, key_is, table, words);
  if (id) return id;
  Entry *entry = ARENA_NEW(&table->arena, Entry);
  entry->key = arena_copy(&table->arena, words->items, bytes);
  entry->n_key = words->count;
  view_key(&table->arena, entry->key, entry);
  HEAPVEC_PUSH(table->guard, &table->entries, entry);
  idmap_add(&table->map, table->guard, hash, table->entries.count - 1);
  return table->entries.count - 1;
}

static const Entry *entry_at(const ShardingTable *table, Sharding sharding) {
  assert(sharding < table->entries.count && "a sharding of this table");
  return table->entries.items[sharding];
}

const ShardingInfo *sharding_info(const ShardingTable *table, Sharding sharding) {
  return &entry_at(table, sharding)->info;
}

uint32_t sharding_n_factors(const ShardingTable *table, Sharding sharding) {
  return entry_at(table, sharding)->n_factors;
}

// ---- makers ----

static const ShardFactor unsharded_dim = {0, {NULL, 0}};

// Interns a record whose arrays were allocated in the table's arena since the mark; frees them if
// the record existed.
static Sharding intern_since(ShardingTable *table, const ShardingInfo *info, ArenaMark mark) {
  uint32_t before = table->entries.count;
  Sharding sharding = sharding_intern(table, info);
  if (table->entries.count == before) arena_rewind(&table->arena, mark);
  return sharding;
}

// A sharding without axes; open or closed.
static Sharding make_empty(ShardingTable *table, MeshId mesh, uint32_t rank, bool open) {
  ArenaMark mark = arena_mark(&table->arena);
  DimSharding *dims = ARENA_ARRAY(&table->arena, DimSharding, rank);
  for (uint32_t d = 0; d < rank; d++)
    dims[d] = (DimSharding){&unsharded_dim, 1, open, PRIORITY_NONE};
  ShardingInfo info = {.mesh = mesh, .rank = rank, .dims = dims};
  return intern_since(table, &info, mark);
}

Sharding sharding_make_replicated(ShardingTable *table, MeshId mesh, uint32_t rank) {
  return make_empty(table, mesh, rank, false);
}

Sharding sharding_make_open(ShardingTable *table, MeshId mesh, uint32_t rank) {
  return make_empty(table, mesh, rank, true);
}

// The mesh of a single device has no axes, so the sharding has rank 0 for any tensor.
Sharding sharding_make_maximal(ShardingTable *table, uint32_t device) {
  Mesh *mesh = ARENA_NEW(context_arena(table->context), Mesh);
  *mesh = (Mesh){.maximal = true, .n_devices = 1, .device = device};
  return make_empty(table, sharding_mesh_add(table, mesh), 0, false);
}

// The sharding with dimension d replaced.
static Sharding with_dim(ShardingTable *table, Sharding sharding, uint32_t d, DimSharding dim) {
  ShardingInfo info = *sharding_info(table, sharding);
  assert(d < info.rank && "a dimension of the sharding");
  ArenaMark mark = arena_mark(&table->arena);
  DimSharding *dims = arena_copy(&table->arena, info.dims, info.rank * sizeof *dims);
  dims[d] = dim;
  info.dims = dims;
  return intern_since(table, &info, mark);
}

Sharding sharding_with_axes(ShardingTable *table, Sharding sharding, uint32_t d, AxisList axes) {
  DimSharding dim = sharding_info(table, sharding)->dims[d];
  ShardFactor factor = {0, axes};
  dim.factors = &factor;
  dim.n_factors = 1;
  return with_dim(table, sharding, d, dim);
}

Sharding sharding_with_open(ShardingTable *table, Sharding sharding, uint32_t d, bool open) {
  DimSharding dim = sharding_info(table, sharding)->dims[d];
  dim.open = open;
  return with_dim(table, sharding, d, dim);
}

Sharding sharding_with_manual(ShardingTable *table, Sharding sharding, AxisList manual) {
  ShardingInfo info = *sharding_info(table, sharding);
  info.manual = manual;
  return sharding_intern(table, &info);
}

Sharding sharding_split_factors(ShardingTable *table, Sharding sharding, const int64_t *dims,
                                const int64_t **out_dims) {
  Arena *arena = context_arena(table->context);
  ShardingInfo info = *sharding_info(table, sharding);
  uint32_t n = sharding_n_factors(table, sharding), at = 0;
  DimSharding *split = ARENA_ARRAY(arena, DimSharding, n);
  ShardFactor *factors = ARENA_ARRAY(arena, ShardFactor, n);
  int64_t *sizes = ARENA_ARRAY(arena, int64_t, n);
  for (uint32_t d = 0; d < info.rank; d++)
    for (uint32_t k = 0; k < info.dims[d].n_factors; k++, at++) {
      factors[at] = info.dims[d].factors[k];
      if (dims) sizes[at] = factors[at].size ? factors[at].size : dims[d];
      factors[at].size = 0;
      split[at] = info.dims[d];
      split[at].factors = &factors[at];
      split[at].n_factors = 1;
    }
  info.dims = split;
  info.rank = n;
  if (out_dims) *out_dims = sizes;
  return sharding_intern(table, &info);
}

// ---- properties ----

bool sharding_is_maximal(const ShardingTable *table, Sharding sharding) {
  const Mesh *mesh = sharding_mesh(table, sharding_info(table, sharding)->mesh);
  return mesh && mesh->maximal;
}

bool sharding_is_block(const ShardingTable *table, Sharding sharding) {
  const Entry *entry = entry_at(table, sharding);
  return entry->n_factors == entry->info.rank;
}

bool sharding_is_replicated(const ShardingTable *table, Sharding sharding) {
  const ShardingInfo *info = sharding_info(table, sharding);
  for (uint32_t d = 0; d < info->rank; d++)
    if (sharding_tiles(info, d) > 1) return false;
  return !info->unreduced.n && !info->manual.n && !sharding_is_maximal(table, sharding);
}

AxisList sharding_used_axes(const ShardingInfo *info, Arena *arena) {
  VEC(AxisRef) all = {0};
  AxisList lists[] = {info->replicated, info->unreduced, info->manual};
  for (uint32_t d = 0; d < info->rank; d++)
    for (uint32_t k = 0; k < info->dims[d].n_factors; k++) {
      AxisList axes = info->dims[d].factors[k].axes;
      for (uint32_t i = 0; i < axes.n; i++) VEC_PUSH(arena, &all, axes.v[i]);
    }
  for (int k = 0; k < 3; k++)
    for (uint32_t i = 0; i < lists[k].n; i++) VEC_PUSH(arena, &all, lists[k].v[i]);
  return (AxisList){all.items, all.count};
}

int64_t sharding_tiles(const ShardingInfo *info, uint32_t d) {
  int64_t tiles = 1;
  for (uint32_t k = 0; k < info->dims[d].n_factors; k++)
    tiles *= axes_size(info->dims[d].factors[k].axes);
  return tiles;
}

void sharding_tile_index(const ShardingTable *table, Sharding sharding, uint32_t device,
                         int64_t *out_index) {
  const ShardingInfo *info = sharding_info(table, sharding);
  const Mesh *mesh = sharding_mesh(table, info->mesh);
  uint32_t position = mesh ? mesh_position(mesh, device) : 0, at = 0;
  for (uint32_t d = 0; d < info->rank; d++)
    for (uint32_t k = 0; k < info->dims[d].n_factors; k++)
      out_index[at++] = axes_coordinate(mesh, info->dims[d].factors[k].axes, position);
}

static int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }

void sharding_local_dims(const ShardingTable *table, Sharding sharding, const int64_t *dims,
                         int64_t *out_dims) {
  const ShardingInfo *info = sharding_info(table, sharding);
  for (uint32_t d = 0; d < info->rank; d++) {
    int64_t local = 1;
    for (uint32_t k = 0; k < info->dims[d].n_factors; k++) {
      const ShardFactor *factor = &info->dims[d].factors[k];
      local *= ceil_div(factor->size ? factor->size : dims[d], axes_size(factor->axes));
    }
    out_dims[d] = local;
  }
}

Type sharding_local_type(ShardingTable *table, Sharding sharding, Type global) {
  Context *context = sharding_table_context(table);
  const TypeInfo *info = type_info(context, global);
  if (!sharding || info->kind != TYPE_TENSOR || !info->rank || sharding_is_maximal(table, sharding))
    return global;
  int64_t dims[64];
  if (info->rank > 64) return global;  // the verifier rejects more
  sharding_local_dims(table, sharding, info->dims, dims);
  return type_tensor(context, info->elem, info->rank, dims, info->encoding);
}

// All tiles but the last ones have ceil(size / tiles) elements; offsets are clamped to the size.
void sharding_tile_range(const ShardingTable *table, Sharding sharding, const int64_t *dims,
                         uint32_t device, int64_t *out_offset, int64_t *out_extent) {
  const ShardingInfo *info = sharding_info(table, sharding);
  uint32_t at = 0;
  sharding_tile_index(table, sharding, device, out_offset);
  for (uint32_t d = 0; d < info->rank; d++)
    for (uint32_t k = 0; k < info->dims[d].n_factors; k++, at++) {
      const ShardFactor *factor = &info->dims[d].factors[k];
      int64_t size = factor->size ? factor->size : dims[d];
      int64_t tile = ceil_div(size, axes_size(factor->axes));
      int64_t begin = out_offset[at] * tile;  // < size + tile, so it does not overflow
      if (begin > size) begin = size;
      out_offset[at] = begin;
      out_extent[at] = size - begin < tile ? size - begin : tile;
    }
}

// Equal factors and equal numbers of tiles in each.
static bool same_grid(const ShardingInfo *a, const ShardingInfo *b) {
  if (a->rank != b->rank) return false;
  for (uint32_t d = 0; d < a->rank; d++) {
    if (a->dims[d].n_factors != b->dims[d].n_factors) return false;
    for (uint32_t k = 0; k < a->dims[d].n_factors; k++)
      if (a->dims[d].factors[k].size != b->dims[d].factors[k].size ||
          axes_size(a->dims[d].factors[k].axes) != axes_size(b->dims[d].factors[k].axes))
        return false;
  }
  return true;
}

// The device has equal tile coordinates in both.
static bool same_tile(const ShardingInfo *a, const Mesh *in_a, const ShardingInfo *b,
                      const Mesh *in_b, uint32_t device) {
  uint32_t at_a = mesh_position(in_a, device), at_b = mesh_position(in_b, device);
  for (uint32_t d = 0; d < a->rank; d++)
    for (uint32_t k = 0; k < a->dims[d].n_factors; k++)
      if (axes_coordinate(in_a, a->dims[d].factors[k].axes, at_a) !=
          axes_coordinate(in_b, b->dims[d].factors[k].axes, at_b))
        return false;
  return true;
}

// Tiles are compared by coordinates: equal grids have equal tiles at equal coordinates.
bool sharding_same_tiles(const ShardingTable *table, Sharding a, Sharding b) {
  if (a == b) return true;
  const ShardingInfo *one = sharding_info(table, a), *two = sharding_info(table, b);
  const Mesh *in_one = sharding_mesh(table, one->mesh), *in_two = sharding_mesh(table, two->mesh);
  if (!in_one || !in_two || in_one->maximal != in_two->maximal ||
      in_one->n_devices != in_two->n_devices || in_one->device != in_two->device ||
      !same_grid(one, two))
    return false;
  if (in_one->maximal) return true;
  for (uint32_t i = 0; i < in_one->n_devices; i++)
    if (!same_tile(one, in_one, two, in_two, i)) return false;
  return true;
}

int32_t sharding_uneven_dim(const ShardingTable *table, Sharding sharding, Type type) {
  const ShardingInfo *info = sharding_info(table, sharding);
  const TypeInfo *tensor = type_info(table->context, type);
  if (tensor->kind != TYPE_TENSOR || tensor->rank != info->rank) return -1;
  for (uint32_t d = 0; d < info->rank; d++)
    for (uint32_t k = 0; k < info->dims[d].n_factors; k++) {
      const ShardFactor *factor = &info->dims[d].factors[k];
      int64_t size = factor->size ? factor->size : tensor->dims[d];
      if (size != DIM_DYNAMIC && size % axes_size(factor->axes)) return (int32_t)d;
    }
  return -1;
}
