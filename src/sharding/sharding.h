// Shardings of values: how a tensor is cut over the devices of a mesh. Interned: equality is an id.
//
// Each dimension is a list of factors, major to minor, each cut in blocks over its axes. The usual
// block split is one factor; a strided (block-cyclic) one has more: [8] as (4 over "x", 2 over
// nothing) gives device x the elements 2x, 2x+1. Devices that differ only in axes that no dimension
// uses hold the same tile. (Decision D4: docs/decisions/d04-shardings-are-named-axes.md.)
#ifndef TESSERA_SHARDING_SHARDING_H
#define TESSERA_SHARDING_SHARDING_H

#include "sharding/axes.h"
#include "sharding/combine.h"

typedef uint32_t MeshId;    // 0 = none
typedef uint32_t Sharding;  // 0 = none: nothing is said about the value

#define PRIORITY_NONE (-1)  // propagates as 0, but is not written

typedef struct ShardFactor {
  int64_t size;   // 0 = the whole dimension, the only factor of it
  AxisList axes;  // major to minor
} ShardFactor;

typedef struct DimSharding {
  const ShardFactor *factors;  // at least one
  uint32_t n_factors;
  bool open;         // propagation may add axes
  int32_t priority;  // PRIORITY_NONE or >= 0; lower ones propagate first
} DimSharding;

// A record as it is interned and as it is looked at.
typedef struct ShardingInfo {
  MeshId mesh;
  uint32_t rank;
  const DimSharding *dims;
  AxisList replicated;  // explicitly: propagation may not use them
  AxisList unreduced;   // each device along them holds a part of the sum (or other reducer)
  AxisList manual;  // the user's program deals with them: tiles along them are values of their own
  Combine reducer;  // of unreduced; COMBINE_NONE (taken as sum when interned) only without any
} ShardingInfo;

typedef struct ShardingTable ShardingTable;

// The table borrows the context and throws to the guard it was made or last set with.
ShardingTable *sharding_table_new(Context *context, Guard *guard);
void sharding_table_free(ShardingTable *table);                   // NULL is fine
void sharding_table_release(void *table);                         // the same, for a GuardCleanup
Guard *sharding_table_guard(ShardingTable *table, Guard *guard);  // gives the one before
Context *sharding_table_context(const ShardingTable *table);

// ---- meshes ----

// The id of a mesh, which is borrowed: equal symbol and equal content give an equal id. Expected
// O(axes).
MeshId sharding_mesh_add(ShardingTable *table, const Mesh *mesh);
const Mesh *sharding_mesh(const ShardingTable *table, MeshId id);    // NULL for 0
MeshId sharding_mesh_find(const ShardingTable *table, Name symbol);  // 0 if there is none

// ---- making ----

// Interns a valid record (sharding_check); arrays are copied. Neighbouring sub-axes are merged,
// replicated, unreduced and manual axes sorted as in the mesh. Expected O(record).
Sharding sharding_intern(ShardingTable *table, const ShardingInfo *info);
// Never NULL; rank 0 without mesh for 0. The record stays where it is.
const ShardingInfo *sharding_info(const ShardingTable *table, Sharding sharding);

Sharding sharding_make_replicated(ShardingTable *table, MeshId mesh, uint32_t rank);  // closed
Sharding sharding_make_open(ShardingTable *table, MeshId mesh, uint32_t rank);
Sharding sharding_make_maximal(ShardingTable *table, uint32_t device);
// The same with other axes on dimension d, which becomes a block split.
Sharding sharding_with_axes(ShardingTable *table, Sharding sharding, uint32_t d, AxisList axes);
Sharding sharding_with_open(ShardingTable *table, Sharding sharding, uint32_t d, bool open);
Sharding sharding_with_manual(ShardingTable *table, Sharding sharding, AxisList manual);
// Every factor as a dimension of its own (open and priority go to each): what a strided split is in
// sdy's and GSPMD's words. *out_dims, if not NULL, are `dims` split the same way, in the context's
// arena.
Sharding sharding_split_factors(ShardingTable *table, Sharding sharding, const int64_t *dims,
                                const int64_t **out_dims);

// Is the record sound? NULL, or INVALID_ARGUMENT (NOT_FOUND for an unknown mesh) whose message
// reads well behind a location: `unknown axis …`, `axis … is used twice`. With a type (0 = not
// known) also its rank and, for strided splits, its sizes are checked. O(axes²).
Status *sharding_check(ShardingTable *table, const ShardingInfo *info, Type type) MUST_USE;
Status *sharding_check_id(ShardingTable *table, Sharding sharding, Type type) MUST_USE;
// The first dimension of a static tensor that its tiles do not divide, or -1: where an edge must
// have no padding.
int32_t sharding_uneven_dim(const ShardingTable *table, Sharding sharding, Type type);

// ---- asking ----

bool sharding_is_maximal(const ShardingTable *table, Sharding sharding);
bool sharding_is_block(const ShardingTable *table, Sharding sharding);       // no strided dimension
bool sharding_is_replicated(const ShardingTable *table, Sharding sharding);  // no dimension is cut
uint32_t sharding_n_factors(const ShardingTable *table, Sharding sharding);  // >= rank
// Axes of dimension d of a block sharding.
static inline AxisList sharding_dim_axes(const ShardingInfo *info, uint32_t d) {
  return info->dims[d].factors[0].axes;
}
// Every axis that stands anywhere in the record; in the arena.
AxisList sharding_used_axes(const ShardingInfo *info, Arena *arena);

// The arrays below have one entry per factor, dimension by dimension; for a block sharding that is
// one per dimension. `dims` are the tensor's, none dynamic.
int64_t sharding_tiles(const ShardingInfo *info, uint32_t d);  // of dimension d, over all factors
// Index of the device's tile. The mesh must have the device.
void sharding_tile_index(const ShardingTable *table, Sharding sharding, uint32_t device,
                         int64_t *out_index);
// Shape of a tile, one entry per dimension: ceil(size / tiles), products over factors.
void sharding_local_dims(const ShardingTable *table, Sharding sharding, const int64_t *dims,
                         int64_t *out_dims);
// The type of a tile of a tensor. The same type for sharding 0, and for a value on one device.
Type sharding_local_type(ShardingTable *table, Sharding sharding, Type global);
// Where the device's tile begins in each factor and how much of it is there: trailing tiles may be
// short or empty.
void sharding_tile_range(const ShardingTable *table, Sharding sharding, const int64_t *dims,
                         uint32_t device, int64_t *out_offset, int64_t *out_extent);
// Same devices, and each holds the same tile of the same grid, by whatever axes. O(devices · rank).
bool sharding_same_tiles(const ShardingTable *table, Sharding a, Sharding b);

// ---- text and attributes ----

// From the tree of `#sdy.sharding<…>` (fields in parse/README.md), checked against its mesh, which
// is inline or was added under its symbol; `type` as in sharding_check.
Status *sharding_from_attr(ShardingTable *table, Attr attr, Type type, Sharding *out) MUST_USE;
// And back: the identity. sdy has no words for strided splits (split the factors first) nor, in
// this attribute, for manual axes (drop them first) or reducers that are op bodies:
// FAILED_PRECONDITION.
Status *sharding_to_attr(ShardingTable *table, Sharding sharding, Attr *out) MUST_USE;
// Lists of a mesh's axes alone, as sdy's collectives name what they move: an array of
// #sdy.axis_ref, in the order it has; and back. The list lives in the context's arena.
Status *sharding_axes_from_attr(ShardingTable *table, MeshId mesh, Attr attr,
                                AxisList *out) MUST_USE;
Attr sharding_axes_to_attr(ShardingTable *table, MeshId mesh, AxisList list);
// sdy's text, for messages; a strided dimension is written [4{"x"} 2{}], manual axes as manual={…}.
void sharding_print(const ShardingTable *table, Sharding sharding, StrBuf *out);

#endif
