// GSPMD's shardings, the strings of `mhlo.sharding`: an array of devices whose first dims are the
// tensor's and whose last ones (subgroups) say what devices with the same tile have in common.
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
  uint32_t device;          // MAXIMAL
  uint32_t n_dims;          // TILED: of the array, subgroups included
  uint32_t n_subgroups;     // the last of them
  uint32_t n_reshape;       // V2: dims of the iota; 0 = V1
  uint32_t n_items;         // TUPLE
  uint32_t n_devices;       // TILED: product of dims
  const uint32_t *dims;     // each >= 1
  const uint32_t *reshape;  // V2, canonical: no 1s, no neighbours that stay neighbours ([n] if one)
  const uint32_t *perm;     // V2: of the reshaped dims, major to minor
  const uint32_t *devices;  // V1: each device once
  const GspmdSubgroup *subgroups;
  const GspmdSharding *items;  // none is a tuple
};

// Reads a string. Metadata is skipped; V2 is made canonical as XLA does. INVALID_ARGUMENT says what
// was expected and at which column; UNIMPLEMENTED for the binary and the named (`{mesh[…`) forms.
// Arrays are in the arena. O(text), O(n log n) in a list of n devices.
Status *gspmd_parse(Arena *arena, Str text, GspmdSharding *out) MUST_USE;
// Writes it as XLA's HloSharding does.
void gspmd_print(const GspmdSharding *sharding, StrBuf *out);
// The device in a cell of the array, cells in row-major order.
uint32_t gspmd_device(const GspmdSharding *sharding, uint32_t cell);

// A mesh on which all of the shardings are axes (axis_0, axis_1, …; symbol as given, 0 = inline):
// devices in order if that serves, else in the order of the first V1 list that serves all, else
// sorted by their tiles: the order inside of a replicated group plays no part. n_devices is the
// program's number of partitions, 0 if only the strings tell. UNIMPLEMENTED where no mesh can say
// them all, with the reason. O(shardings · devices · log devices), times the lists tried.
Status *gspmd_find_mesh(Context *context, Arena *scratch, Name symbol, uint32_t n_devices,
                        uint32_t n, const GspmdSharding *const *shardings,
                        const Mesh **out_mesh) MUST_USE;
// The sharding of a tensor of that rank on a mesh of the table: every device has the same tile.
// Dimensions are closed, those of {unknown} open; the shard group is the caller's to keep; a tuple
// is converted item by item. UNIMPLEMENTED if the devices do not follow the mesh's axes.
// O(devices · axes).
Status *gspmd_to_sharding(ShardingTable *table, Arena *scratch, const GspmdSharding *gspmd,
                          MeshId mesh, uint32_t rank, Sharding *out) MUST_USE;
// And back, arrays in the arena: V2 if the device order allows, else V1; devices with the same tile
// in rising order. GSPMD has no strided splits, no open dims or priorities (they are not written),
// and sums what is unreduced: UNIMPLEMENTED for the first and for other reducers.
Status *gspmd_from_sharding(const ShardingTable *table, Arena *arena, Sharding sharding,
                            GspmdSharding *out) MUST_USE;

#endif
