// GSPMD shardings, the strings of `mhlo.sharding`. A tiled sharding is an array of device ids. Its
// first dimensions are the tensor's tiles. Its last dimensions (subgroups) say how devices with the
// same tile relate: manual, unreduced or replicated.
//
//   {replicated}  {maximal device=3}  {manual}  {unknown}  {unreduced}  {{…}, {…}}
//   {devices=[2,2]0,1,3,2}                             V1: the devices, row-major
//   {devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}   V2: 0 … 7 reshaped and transposed
//   {devices=[2,2,2]<=[8] last_tile_dims={manual, replicated}}
#ifndef TESSERA_INTEROP_GSPMD_H
#define TESSERA_INTEROP_GSPMD_H

#include "sharding/sharding.h"

#define GSPMD_MOST_DEVICES (1 << 20)

typedef enum GspmdKind {
  GSPMD_REPLICATED,
  GSPMD_MAXIMAL,  // device
  GSPMD_MANUAL,
  GSPMD_UNKNOWN,
  GSPMD_UNREDUCED,
  GSPMD_TILED,
  GSPMD_TUPLE,  // items
} GspmdKind;

typedef enum GspmdSubgroup {
  GSPMD_SUBGROUP_MANUAL,
  GSPMD_SUBGROUP_UNREDUCED,
  GSPMD_SUBGROUP_REPLICATED,
} GspmdSubgroup;

typedef enum GspmdGroup { GSPMD_NO_GROUP, GSPMD_SHARD_AS, GSPMD_SHARD_LIKE } GspmdGroup;

typedef struct GspmdSharding GspmdSharding;
struct GspmdSharding {
  GspmdKind kind;
  GspmdGroup group;  // `shard_as 3`: same sharding as all of group 3
  int64_t group_id;
  uint32_t device;       // MAXIMAL
  uint32_t n_dims;       // TILED: rank of the array, subgroups included
  uint32_t n_subgroups;  // how many of the last dims are subgroups
  uint32_t n_reshape;    // V2: dims of the iota; 0 = V1
  uint32_t n_items;      // TUPLE
  uint32_t n_devices;    // TILED: product of dims
  const uint32_t *dims;  // each >= 1
  const uint32_t
      *reshape;  // V2, canonical: no size 1, no adjacent dims that stay adjacent ([n] for one dim)
  const uint32_t *perm;     // V2: of the reshaped dims, major to minor
  const uint32_t *devices;  // V1: each device once
  const GspmdSubgroup *subgroups;
  const GspmdSharding *items;  // none is a tuple
};

// Parses a string. Metadata is skipped. V2 is made canonical as XLA does. INVALID_ARGUMENT names
// the expected token and the column. The binary and the named (`{mesh[…`) forms are UNIMPLEMENTED.
// Arrays are in the arena. O(text); O(n log n) for a V1 list of n devices.
Status *gspmd_parse(Arena *arena, Str text, GspmdSharding *out) MUST_USE;
// Prints the text that XLA's HloSharding prints.
void gspmd_print(const GspmdSharding *sharding, StrBuf *out);
// The device in a cell of the array; cells are numbered row-major.
uint32_t gspmd_device(const GspmdSharding *sharding, uint32_t cell);

// Finds a mesh (axes axis_0, axis_1, …) whose axes express all of the shardings. `symbol` 0 makes
// an inline mesh. The device order tried first is 0, 1, 2, …; then each V1 list; then devices
// sorted by their tiles, which disregards the order inside replicated groups. n_devices is the
// program's mhlo.num_partitions, 0 if unknown. UNIMPLEMENTED with the reason if no mesh expresses
// them all. O(shardings · devices · log devices) per order tried.
Status *gspmd_find_mesh(Context *context, Arena *scratch, Name symbol, uint32_t n_devices,
                        uint32_t n, const GspmdSharding *const *shardings,
                        const Mesh **out_mesh) MUST_USE;
// Converts to a sharding of a tensor of rank `rank` on a mesh of the table; every device keeps its
// tile. Dimensions are closed, those of {unknown} open. The caller handles shard groups, and
// converts a tuple item by item. UNIMPLEMENTED if the device order does not follow the mesh's axes.
// O(devices · axes).
Status *gspmd_to_sharding(ShardingTable *table, Arena *scratch, const GspmdSharding *gspmd,
                          MeshId mesh, uint32_t rank, Sharding *out) MUST_USE;
// Converts back, arrays in the arena: V2 if the device order is an iota, else V1; devices with the
// same tile in ascending order. Open dimensions and priorities are dropped, since GSPMD has none.
// Strided splits and reducers other than sum are UNIMPLEMENTED. O(devices · rank).
Status *gspmd_from_sharding(const ShardingTable *table, Arena *arena, Sharding sharding,
                            GspmdSharding *out) MUST_USE;

#endif
