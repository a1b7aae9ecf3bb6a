// The builder: one function for each kind of op. `localize` columns call it; src/build implements
// it, and build/build.h adds functions for passes. In local programs, offsets are arithmetic on the
// device's position in the mesh, and standard collectives move data.
#ifndef TESSERA_OPS_BUILDER_H
#define TESSERA_OPS_BUILDER_H

#include "ir/program.h"
#include "ops/op.h"
#include "sharding/sharding.h"

// Cache entry: the replica_groups of the devices along axes.
typedef struct BuilderGroups {
  AxisList axes;
  Attr attr;
  const struct BuilderGroups *next;
} BuilderGroups;

// The insertion point, and the location, source position and origin of every op built.
typedef struct Builder {
  Program *p;
  BlockId block;  // ops are appended to this block,
  OpId before;    // or inserted before this op; both 0: they stay detached
  OpId origin;    // the op of the source program that they stand for
  Attr loc;
  Pos pos;
  Attr channel;  // channel_handle of collectives; 0: channel 1
  // True: a sum of 16-bit floats is one collective (for passes: optimize/rounded.h). False: it is a
  // collective with an f32 result and a convert.
  bool joined;
  // ---- local programs only: device-dependent values, and collectives along axes ----
  // `position` is built at its first use, which must dominate all later ones in the function. Set
  // it to 0 for the next function.
  ShardingTable *table;
  Arena *arena;  // scratch; may be rewound between calls
  Arena *kept;   // lives as long as the builder
  MeshId mesh;
  AxisList manual;   // manual axes: values differ along them, and no collective spans them
  ValueId position;  // this device's position in the mesh, tensor<i64>; 0 = not built yet
  const BuilderGroups *groups;
  bool poison;  // padding is NaN or the least integer, so that reads of it show
} Builder;

// Appends to a block (0: set later).
Builder build_at_end(Program *p, BlockId block);
// ---- any op ----

// An op with one result; returns the result.
ValueId build_op(Builder *b, uint16_t code, uint32_t n, const ValueId *operands, Type result,
                 Attr attrs);
// An op with any number of results and regions, which are empty.
OpId build_op_many(Builder *b, uint16_t code, uint32_t n, const ValueId *operands,
                   uint32_t n_results, const Type *results, uint32_t n_regions, Attr attrs);
void build_return(Builder *b, uint32_t n, const ValueId *values);  // ends a region
// The result has the operand's type: OP_negate, OP_not …
ValueId build_unary(Builder *b, uint16_t code, ValueId v);
// Operands and result have one type: OP_add, OP_multiply …
ValueId build_binary(Builder *b, uint16_t code, ValueId x, ValueId y);
// The binary op of a plain reducer (combine_is_named): OP_add for COMBINE_SUM …
ValueId build_combine(Builder *b, Combine combine, ValueId x, ValueId y);
// direction: "EQ", "NE", "LT", "LE", "GT", "GE".
ValueId build_compare(Builder *b, const char *direction, ValueId x, ValueId y);
// The predicate is a scalar or has the shape of the others.
ValueId build_select(Builder *b, ValueId predicate, ValueId on_true, ValueId on_false);
// Converts the elements to another type; v itself if it has that type.
ValueId build_convert(Builder *b, ValueId v, Type elem);
int64_t build_dim(const Builder *b, ValueId v, uint32_t d);

// ---- constants ----

ValueId build_constant(Builder *b, Attr dense);
ValueId build_index(Builder *b, int64_t value);  // tensor<i64>
// Every element is the scalar.
ValueId build_splat(Builder *b, Type type, Scalar scalar);
// values[at], a lookup in a constant of n numbers; at: tensor<i64>, clamped. For numbers that have
// no formula.
ValueId build_table(Builder *b, int64_t n, const int64_t *values, ValueId at);
// The reducer's identity, as a scalar and as a splat.
Scalar build_identity_scalar(DType dtype, Combine combine);
ValueId build_identity(Builder *b, Type type, Combine combine);
// A splat for padding, which is never read: any value.
ValueId build_padding(Builder *b, Type type);
// Every element is the rank-0 value.
ValueId build_broadcast(Builder *b, ValueId scalar, Type type);
// Numbers 0, 1, … along dimension d: tensor of i64 with the shape of `like`.
ValueId build_iota(Builder *b, Type like, uint32_t d);

// ---- all dimensions of a tensor ----

// v itself if it has the shape.
ValueId build_reshape(Builder *b, ValueId v, uint32_t rank, const int64_t *dims);
// Dimension i of the result is dimension order[i]. At most BUILD_MOST_DIMS.
ValueId build_transpose(Builder *b, ValueId v, const int64_t *order);
// Dimension i of v is dimension dims[i] of the result.
ValueId build_broadcast_in(Builder *b, ValueId v, Type type, const int64_t *dims);
// One entry per dimension.
ValueId build_slice_at(Builder *b, ValueId v, const int64_t *starts, const int64_t *limits,
                       const int64_t *strides);
// starts: rank 0, of one integer type, clamped so that the slice lies inside. At most
// BUILD_MOST_DIMS.
enum { BUILD_MOST_DIMS = 128 };
ValueId build_dynamic_slice_at(Builder *b, ValueId v, const ValueId *starts, const int64_t *sizes);
ValueId build_dynamic_update_at(Builder *b, ValueId into, ValueId update, const ValueId *starts);

// ---- one dimension of a tensor ----

// Pads by `low` elements before and `high` after; negative numbers remove elements. fill: rank 0;
// 0 = any value.
ValueId build_pad(Builder *b, ValueId v, uint32_t d, int64_t low, int64_t high, ValueId fill);
// Pad (with any value) or slice the end of the dimension to a size.
ValueId build_pad_to(Builder *b, ValueId v, uint32_t d, int64_t size);
ValueId build_trim_to(Builder *b, ValueId v, uint32_t d, int64_t size);
ValueId build_slice(Builder *b, ValueId v, uint32_t d, int64_t start, int64_t limit,
                    int64_t stride);
// start: tensor<i64>; clamped so that the slice lies inside.
ValueId build_dynamic_slice(Builder *b, ValueId v, uint32_t d, ValueId start, int64_t size);
ValueId build_dynamic_update(Builder *b, ValueId into, ValueId update, uint32_t d, ValueId start);
ValueId build_concatenate(Builder *b, uint32_t n, const ValueId *v, uint32_t d);
// Keeps the elements with index first <= i < end along d (tensor<i64>, 0 = no bound); the others
// become `fill` (rank 0).
ValueId build_mask(Builder *b, ValueId v, uint32_t d, ValueId first, ValueId end, ValueId fill);

// Reduces the given dimensions, in increasing order, from the reducer's identity.
ValueId build_reduce(Builder *b, ValueId v, uint32_t n, const int64_t *dims, Combine combine);

// ---- the device's position ----

// This device's position in the mesh, built at the first call: tensor<i64>.
ValueId build_position(Builder *b);
// Index of this device along the axes, major to minor: tensor<i64>.
ValueId build_coordinate(Builder *b, AxisList axes);
// Makes a replicated value unreduced: the first device along the axes keeps it, the others have the
// reducer's identity.
ValueId build_unreduced(Builder *b, ValueId value, AxisList axes, Combine combine);
// Replaces a shard's padding by `fill` (rank 0): its elements beyond the end of the dimension,
// which has `size` elements in equal tiles over the axes. The tile itself if the sharding is even.
// (Decision D7: docs/decisions/d07-uneven-sizes-always-work.md.)
ValueId build_mask_padding(Builder *b, ValueId tile, uint32_t d, AxisList axes, int64_t size,
                           ValueId fill);

// ---- collectives ----

// The type in which devices accumulate values of a type: f32 for sums and products of 16-bit
// floats, rounded once (decision D11: docs/decisions/d11-numerics.md).
Type build_sum_type(Context *context, Combine combine, Type type);
// Collectives with given groups, without a mesh: build/build.h.

// ---- collectives along axes of the mesh ----

// Groups of devices that differ only along the axes, as #replica_groups; O(devices).
Attr build_groups(Builder *b, AxisList axes);
// Concatenates the shards along the axes, padding included.
ValueId build_all_gather(Builder *b, ValueId v, uint32_t d, AxisList axes);
// Dimension `split` is sharded over the axes, dimension `concat` is gathered. The number of devices
// must divide the size of `split`.
ValueId build_all_to_all(Builder *b, ValueId v, uint32_t split, uint32_t concat, AxisList axes);
ValueId build_all_reduce(Builder *b, ValueId v, AxisList axes, Combine combine);
// The number of devices must divide the size of dimension d.
ValueId build_reduce_scatter(Builder *b, ValueId v, uint32_t d, AxisList axes, Combine combine);
// pairs: n (source, target) positions in the mesh. A device that is no target gets zeros.
ValueId build_permute(Builder *b, ValueId v, uint32_t n, const int64_t (*pairs)[2]);
// The same in every group of devices along the axes; pairs are coordinates along them.
ValueId build_permute_along(Builder *b, ValueId v, AxisList axes, uint32_t n,
                            const int64_t (*pairs)[2]);
// Broadcasts the value of the device at a position in the mesh to all devices.
ValueId build_broadcast_from(Builder *b, ValueId v, uint32_t position);
// The value of the device whose coordinate along the axes is larger by `distance` (may be
// negative). Without such a device: zeros, or modulo the number of devices if it wraps.
ValueId build_shift(Builder *b, ValueId v, AxisList axes, int64_t distance, bool wraps);

// A window of a dimension per device: the device with coordinate c along the dimension's axes needs
// `length` elements from floor((first + step · c) / divisor) on. Windows may overlap, leave gaps,
// move backwards (step < 0; their elements still ascend) and lie outside of the dimension.
//
//   halo of 1 around tiles of 4:   first = -1, step = 4, length = 6
typedef struct BuildWindow {
  int64_t first, step, length;
  int64_t from, end;  // only indices in [from, end) are needed; end 0: no limit
  int64_t divisor;    // 0 means 1
  int64_t tile;       // size of the dimension's tiles; 0: ceil(size / devices)
  bool wraps;         // indices are modulo the size, which the tile size must divide
  bool abuts;         // the elements from the next device's window's start on are not needed
} BuildWindow;

// v: the shards of a dimension of `size` elements. Elements outside of it become `fill` (rank 0;
// 0: any value). Devices permute the missing elements, or all-gather if that is cheaper.
ValueId build_window(Builder *b, ValueId v, uint32_t d, AxisList axes, int64_t size, BuildWindow w,
                     ValueId fill);
// The same for a replicated dimension: no communication.
ValueId build_window_of_replicated(Builder *b, ValueId v, uint32_t d, AxisList axes, BuildWindow w,
                                   ValueId fill);
// Elements along the dimension that a device receives for build_window, on average. Times the bytes
// of a slice of size 1, it gives the bytes received. O(devices · tiles that a window touches).
double build_window_received(Builder *b, int64_t size, int64_t devices, BuildWindow w);

#endif
