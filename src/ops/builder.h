// The builder: one function for each kind of op. Ops call it in their `localize` columns; src/build
// implements it, and build/build.h adds what passes need. In local programs offsets are arithmetic
// on the device's place in the mesh, and data moves by standard collectives.
#ifndef TESSERA_OPS_BUILDER_H
#define TESSERA_OPS_BUILDER_H

#include "ir/program.h"
#include "ops/op.h"
#include "sharding/sharding.h"

// Groups of devices along axes, made once.
typedef struct BuilderGroups {
  AxisList axes;
  Attr attr;
  const struct BuilderGroups *next;
} BuilderGroups;

// Where ops are written and what they carry. Every op that it writes has its location, position and
// origin.
typedef struct Builder {
  Program *p;
  BlockId block;  // ops go to its end, unless
  OpId before;    // they go before this op; both 0: they stay detached
  OpId origin;    // the op of the user's program that they are written for
  Attr loc;
  Pos pos;
  Attr channel;  // of collectives; 0: the first
  // A sum of 16-bit floats is one op here, for passes (optimize/rounded.h). Otherwise it is a sum
  // of f32 and a convert.
  bool joined;
  // ---- local programs only: for what depends on the device, and collectives along axes ----
  // One function at a time: `position` is made at its first use and must then be seen from
  // everywhere in it (set it to 0 for the next function).
  ShardingTable *table;
  Arena *arena;  // rewound now and then
  Arena *kept;   // lives as long as this
  MeshId mesh;
  AxisList manual;   // devices along these have values of their own: nothing is exchanged
  ValueId position;  // this device's place in the mesh, tensor<i64>; 0 = not made yet
  const BuilderGroups *groups;
  bool poison;  // padding shows when it is read: NaN, the least integer
} Builder;

// At the end of a block (0: of none yet).
Builder build_at_end(Program *p, BlockId block);
// ---- any op ----

// An op with one result; gives that.
ValueId build_op(Builder *b, uint16_t code, uint32_t n, const ValueId *operands, Type result,
                 Attr attrs);
// An op with any number of results and regions, which are empty.
OpId build_op_many(Builder *b, uint16_t code, uint32_t n, const ValueId *operands,
                   uint32_t n_results, const Type *results, uint32_t n_regions, Attr attrs);
void build_return(Builder *b, uint32_t n, const ValueId *values);  // ends a region
// One operand gives its type: OP_negate, OP_not …
ValueId build_unary(Builder *b, uint16_t code, ValueId v);
// Two operands of one type give that type: OP_add, OP_multiply …
ValueId build_binary(Builder *b, uint16_t code, ValueId x, ValueId y);
ValueId build_combine(Builder *b, Combine combine, ValueId x, ValueId y);  // a plain one
// direction: "EQ", "NE", "LT", "LE", "GT", "GE". Of integers signed.
ValueId build_compare(Builder *b, const char *direction, ValueId x, ValueId y);
// The predicate is a scalar or has the shape of the others.
ValueId build_select(Builder *b, ValueId predicate, ValueId on_true, ValueId on_false);
// The same shape with elements of another type; v itself if it has them.
ValueId build_convert(Builder *b, ValueId v, Type elem);
int64_t build_dim(const Builder *b, ValueId v, uint32_t d);

// ---- constants ----

ValueId build_constant(Builder *b, Attr dense);
ValueId build_index(Builder *b, int64_t value);  // tensor<i64>
// Every element is the scalar.
ValueId build_splat(Builder *b, Type type, Scalar scalar);
// values[at], of n of them; at: tensor<i64>, clamped. Where no arithmetic gives the number.
ValueId build_table(Builder *b, int64_t n, const int64_t *values, ValueId at);
// What combining with it does not change; a tensor of it.
Scalar build_neutral(DType dtype, Combine combine);
ValueId build_identity(Builder *b, Type type, Combine combine);
// What stands where nobody may look: any value.
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

// Elements before and after; either may be negative (then they are cut off). fill: rank 0; 0 = any.
ValueId build_pad(Builder *b, ValueId v, uint32_t d, int64_t low, int64_t high, ValueId fill);
// To a size, at the end: with any value; by a slice.
ValueId build_pad_to(Builder *b, ValueId v, uint32_t d, int64_t size);
ValueId build_trim_to(Builder *b, ValueId v, uint32_t d, int64_t size);
ValueId build_slice(Builder *b, ValueId v, uint32_t d, int64_t start, int64_t limit,
                    int64_t stride);
// start: tensor<i64>; clamped so that the slice lies inside.
ValueId build_dynamic_slice(Builder *b, ValueId v, uint32_t d, ValueId start, int64_t size);
ValueId build_dynamic_update(Builder *b, ValueId into, ValueId update, uint32_t d, ValueId start);
ValueId build_concatenate(Builder *b, uint32_t n, const ValueId *v, uint32_t d);
// Keeps the elements whose number i along d is first <= i < end (tensor<i64>, 0 = no such bound);
// others become `fill` (rank 0).
ValueId build_mask(Builder *b, ValueId v, uint32_t d, ValueId first, ValueId end, ValueId fill);

// Without the dimensions given, in increasing order, whose elements are combined.
ValueId build_reduce(Builder *b, ValueId v, uint32_t n, const int64_t *dims, Combine combine);

// ---- the device's place ----

// This device's place in the mesh, made here if it is not yet: tensor<i64>.
ValueId build_position(Builder *b);
// Index of this device along the axes, major to minor: tensor<i64>.
ValueId build_coordinate(Builder *b, AxisList axes);
// The value on the first device along the axes, the reducer's identity on the others.
ValueId build_first(Builder *b, ValueId value, AxisList axes, Combine combine);
// Masks what a tile has beyond the end of the whole dimension (of `size` elements in equal tiles
// over the axes): with `fill` (rank 0). Nothing if the tiles divide it. (Decision D7:
// docs/decisions/d07-uneven-sizes-always-work.md.)
ValueId build_mask_padding(Builder *b, ValueId tile, uint32_t d, AxisList axes, int64_t size,
                           ValueId fill);

// ---- collectives ----

// The type in which devices sum, multiply … values of a type: of 16-bit floats f32, which is
// rounded once (decision D11: docs/decisions/d11-numerics.md).
Type build_sum_type(Context *context, Combine combine, Type type);
// Without a mesh: build/build.h.

// ---- collectives along axes of the mesh ----

// Groups of devices that differ only along the axes, as #replica_groups; O(devices).
Attr build_groups(Builder *b, AxisList axes);
// Tiles along the axes behind each other, padding included.
ValueId build_all_gather(Builder *b, ValueId v, uint32_t d, AxisList axes);
// Dimension `split` is cut over the axes, dimension `concat` grows. `split` must divide.
ValueId build_all_to_all(Builder *b, ValueId v, uint32_t split, uint32_t concat, AxisList axes);
ValueId build_all_reduce(Builder *b, ValueId v, AxisList axes, Combine combine);
// Dimension d must divide.
ValueId build_reduce_scatter(Builder *b, ValueId v, uint32_t d, AxisList axes, Combine combine);
// pairs: n times a source's and a target's position in the mesh; who is no target gets zeros.
ValueId build_permute(Builder *b, ValueId v, uint32_t n, const int64_t (*pairs)[2]);
// The same in every group of devices along the axes: pairs are of coordinates.
ValueId build_permute_along(Builder *b, ValueId v, AxisList axes, uint32_t n,
                            const int64_t (*pairs)[2]);
// The value of the device at a position in the mesh, on all.
ValueId build_from(Builder *b, ValueId v, uint32_t position);
// The value of the device `distance` further along the axes (seen as one, major to minor; negative:
// back); zeros where there is none, or around the end if it wraps.
ValueId build_shift(Builder *b, ValueId v, AxisList axes, int64_t distance, bool wraps);

// `length` elements of a whole dimension from floor((first + step · c) / divisor) on, on the device
// with coordinate c along the axes that cut it. They may overlap, leave gaps, run backwards (step <
// 0: an order of windows, not of elements) and lie outside.
typedef struct BuildWindow {
  int64_t first, step, length;
  int64_t from, end;  // what lies before or from there on is not needed; end 0: all is
  int64_t divisor;    // 0 is 1
  int64_t tile;       // of what is cut; 0: as it is cut in blocks
  bool wraps;         // around the end, which the tiles must divide: nothing lies outside
  bool abuts;         // what the next device's window begins with is not needed
} BuildWindow;

// v: the tiles of a dimension of `size` elements. What lies outside of it becomes `fill` (rank 0;
// 0: any value). Neighbours send what is missing, everybody everything where that is cheaper.
ValueId build_window(Builder *b, ValueId v, uint32_t d, AxisList axes, int64_t size, BuildWindow w,
                     ValueId fill);
// The same of a whole dimension that every device has.
ValueId build_window_of_whole(Builder *b, ValueId v, uint32_t d, AxisList axes, BuildWindow w,
                              ValueId fill);
// Elements along the dimension that a device receives for it, on average: times the size of a slice
// across it that is what build_window moves. O(devices · tiles that a window touches).
double build_window_received(Builder *b, int64_t size, int64_t devices, BuildWindow w);

#endif
