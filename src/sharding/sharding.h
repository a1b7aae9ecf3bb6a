// Shardings of values: how a tensor is distributed over the devices of a mesh. Interned: equal
// shardings have equal ids.
//
// Each dimension is a list of factors, major to minor, each split in blocks over its axes. The
// usual block split is one factor. A strided (cyclic) split has several: [8] as (2 over no axis, 4
// over "x"=4) gives device x the elements x and x + 4. Devices that differ only in axes that no
// dimension uses hold the same tile. (Decision D4: docs/decisions/d04-shardings-are-named-axes.md.)
#ifndef TESSERA_SHARDING_SHARDING_H
#define TESSERA_SHARDING_SHARDING_H

#include "sharding/axes.h"
#include "sharding/combine.h"

typedef uint32_t MeshId;    // 0 = none
typedef uint32_t Sharding;  // 0 = none

#define PRIORITY_NONE (-1)  // propagates as priority 0, but is not written

typedef struct ShardFactor {
  int64_t size;   // 0 = the entire dimension, as its only factor
  AxisList axes;  // major to minor
} ShardFactor;

typedef struct DimSharding {
  const ShardFactor *factors;  // at least one
  uint32_t n_factors;
  bool open;         // propagation may add axes
  int32_t priority;  // PRIORITY_NONE or >= 0; lower ones propagate first
} DimSharding;

// The content of a sharding, for interning and for reading.
typedef struct ShardingInfo {
  MeshId mesh;
  uint32_t rank;
  const DimSharding *dims;
  AxisList replicated;  // explicitly replicated: propagation may not use them
  AxisList unreduced;   // each device along them holds a partial value
  AxisList manual;      // the user's program is per device along them (shard_map)
  Combine reducer;  // of unreduced axes; COMBINE_NONE becomes sum when interned, if there are any
} ShardingInfo;

typedef struct ShardingTable ShardingTable;

// The table borrows the context. Exhaustion goes to the guard it was made with or last set to.
ShardingTable *sharding_table_new(Context *context, Guard *guard);
void sharding_table_free(ShardingTable *table);  // NULL is fine
void sharding_table_release(void *table);        // the same, as a GuardCleanup function
Guard *sharding_table_guard(ShardingTable *table, Guard *guard);  // returns the previous one
Context *sharding_table_context(const ShardingTable *table);

// ---- meshes ----

// The id of a mesh, which is borrowed. Meshes with equal symbol and content have one id. Expected
// O(axes).
MeshId sharding_mesh_add(ShardingTable *table, const Mesh *mesh);
const Mesh *sharding_mesh(const ShardingTable *table, MeshId id);    // NULL for 0
MeshId sharding_mesh_find(const ShardingTable *table, Name symbol);  // 0 if there is none

// ---- making ----

// Interns a valid record (sharding_check); arrays are copied. Neighbouring sub-axes are merged;
// replicated, unreduced and manual axes are sorted as in the mesh. Expected O(record).
Sharding sharding_intern(ShardingTable *table, const ShardingInfo *info);
// Never NULL: sharding 0 has rank 0 and no mesh. Records never move.
const ShardingInfo *sharding_info(const ShardingTable *table, Sharding sharding);

Sharding sharding_make_replicated(ShardingTable *table, MeshId mesh, uint32_t rank);  // closed
Sharding sharding_make_open(ShardingTable *table, MeshId mesh, uint32_t rank);
Sharding sharding_make_maximal(ShardingTable *table, uint32_t device);
// The same with other axes on dimension d, which becomes a block split.
Sharding sharding_with_axes(ShardingTable *table, Sharding sharding, uint32_t d, AxisList axes);
Sharding sharding_with_open(ShardingTable *table, Sharding sharding, uint32_t d, bool open);
Sharding sharding_with_manual(ShardingTable *table, Sharding sharding, AxisList manual);
// Every factor as a dimension of its own, with the open flag and priority of its dimension: a
// strided split in terms of sdy and GSPMD. *out_dims, if not NULL, are `dims` split the same way,
// in the context's arena.
Sharding sharding_split_factors(ShardingTable *table, Sharding sharding, const int64_t *dims,
                                const int64_t **out_dims);

// Validates a record: INVALID_ARGUMENT (NOT_FOUND for an unknown mesh) with a message to follow a
// location: `unknown axis …`, `axis … is used twice`. With a type (0 = unknown) also checks the
// rank and, for strided splits, the sizes. O(axes²).
Status *sharding_check(ShardingTable *table, const ShardingInfo *info, Type type) MUST_USE;
Status *sharding_check_id(ShardingTable *table, Sharding sharding, Type type) MUST_USE;
// The first dimension of a static tensor whose size its tiles do not divide, or -1.
int32_t sharding_uneven_dim(const ShardingTable *table, Sharding sharding, Type type);

// ---- properties ----

bool sharding_is_maximal(const ShardingTable *table, Sharding sharding);
bool sharding_is_block(const ShardingTable *table, Sharding sharding);  // no strided dimension
bool sharding_is_replicated(
    const ShardingTable *table,
    Sharding sharding);  // no dimension is sharded; no unreduced or manual axes; not maximal
uint32_t sharding_n_factors(const ShardingTable *table, Sharding sharding);  // >= rank
// Axes of dimension d of a block sharding.
static inline AxisList sharding_dim_axes(const ShardingInfo *info, uint32_t d) {
  return info->dims[d].factors[0].axes;
}
// All axes of the record, of any kind; in the arena.
AxisList sharding_used_axes(const ShardingInfo *info, Arena *arena);

// The arrays below have one entry per factor, dimension by dimension; for a block sharding that is
// one per dimension. `dims`: of the tensor, none dynamic.
int64_t sharding_tiles(const ShardingInfo *info, uint32_t d);  // of dimension d, over all factors
// The index of the device's tile. The mesh must have the device.
void sharding_tile_index(const ShardingTable *table, Sharding sharding, uint32_t device,
                         int64_t *out_index);
// The padded shape of a tile, one entry per dimension: the product of ceil(size / tiles) over
// factors.
void sharding_local_dims(const ShardingTable *table, Sharding sharding, const int64_t *dims,
                         int64_t *out_dims);
// The type of a shard. The global type for sharding 0 and for a value on a single device.
Type sharding_local_type(ShardingTable *table, Sharding sharding, Type global);
// Offset and extent of the device's tile in each factor. Trailing tiles may be short or empty.
void sharding_tile_range(const ShardingTable *table, Sharding sharding, const int64_t *dims,
                         uint32_t device, int64_t *out_offset, int64_t *out_extent);
// True if both have the same devices, and each device holds the same tile, whatever the axes are.
// O(devices · rank).
bool sharding_same_tiles(const ShardingTable *table, Sharding a, Sharding b);

// ---- text and attributes ----

// From the attribute `#sdy.sharding<…>` (parse/README.md lists the fields), validated. Its mesh is
// inline or was added under its symbol. type: as for sharding_check.
Status *sharding_from_attr(ShardingTable *table, Attr attr, Type type, Sharding *out) MUST_USE;
// The inverse of sharding_from_attr. FAILED_PRECONDITION for shardings that sdy cannot express:
// strided splits (split the factors first), manual axes (drop them first), reducers that are op
// bodies.
Status *sharding_to_attr(ShardingTable *table, Sharding sharding, Attr *out) MUST_USE;
// Lists of axes as in sdy's collectives: an array of #sdy.axis_ref, in its order; and back. The
// list is in the context's arena.
Status *sharding_axes_from_attr(ShardingTable *table, MeshId mesh, Attr attr,
                                AxisList *out) MUST_USE;
Attr sharding_axes_to_attr(ShardingTable *table, MeshId mesh, AxisList list);
// sdy's text, for messages. A strided dimension is printed as [4{"x"} 2{}], manual axes as
// manual={…}.
void sharding_print(const ShardingTable *table, Sharding sharding, StrBuf *out);

#endif
