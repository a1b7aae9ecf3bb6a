// Writing local programs: what one device does, for all devices at once. Offsets are arithmetic on
// the device's place in the mesh, data moves by standard collectives. Everything appends ops to the
// end of a block.
#ifndef TESSERA_OPS_LOCAL_H
#define TESSERA_OPS_LOCAL_H

#include "ir/program.h"
#include "ops/op.h"
#include "sharding/sharding.h"

// Groups of devices along axes, made once.
typedef struct LocalGroups {
  AxisList axes;
  Attr attr;
  const struct LocalGroups *next;
} LocalGroups;

// Where ops are written and what they carry. Every op that it writes has its location, position and
// origin.
typedef struct Local {
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
  const LocalGroups *groups;
  bool poison;  // padding shows when it is read: NaN, the least integer
} Local;

// At the end of a block (0: of none yet).
Local local_at_end(Program *p, BlockId block);
// Before an op, with location, position and origin of that op, or of the op `model`, and with the
// channel of `model` if it is a collective.
Local local_before(Program *p, OpId before);
Local local_like(Program *p, OpId before, OpId model);

// The part of a tensor that a device has: a static tensor with its tile's sizes. 0: the same type.
Type local_type(ShardingTable *table, Sharding sharding, Type global);

// ---- any op ----

// An op with one result; gives that.
ValueId local_op(Local *l, uint16_t code, uint32_t n, const ValueId *operands, Type result,
                 Attr attrs);
// An op with any number of results and regions, which are empty.
OpId local_op_many(Local *l, uint16_t code, uint32_t n, const ValueId *operands, uint32_t n_results,
                   const Type *results, uint32_t n_regions, Attr attrs);
void local_return(Local *l, uint32_t n, const ValueId *values);  // ends a region
// Two operands of one type give that type: OP_add, OP_multiply …
ValueId local_binary(Local *l, uint16_t code, ValueId a, ValueId b);
ValueId local_combine(Local *l, Combine combine, ValueId a, ValueId b);  // a plain one
// direction: "EQ", "NE", "LT", "LE", "GT", "GE". Of integers signed.
ValueId local_compare(Local *l, const char *direction, ValueId a, ValueId b);
// The predicate is a scalar or has the shape of the others.
ValueId local_select(Local *l, ValueId predicate, ValueId on_true, ValueId on_false);
int64_t local_dim(const Local *l, ValueId v, uint32_t d);

// ---- constants ----

ValueId local_constant(Local *l, Attr dense);
ValueId local_index(Local *l, int64_t value);  // tensor<i64>
// Every element is the scalar.
ValueId local_splat(Local *l, Type type, Scalar scalar);
// values[at], of n of them; at: tensor<i64>, clamped. Where no arithmetic gives the number.
ValueId local_table(Local *l, int64_t n, const int64_t *values, ValueId at);
// What combining with it does not change; a tensor of it.
Scalar local_neutral(DType dtype, Combine combine);
ValueId local_identity(Local *l, Type type, Combine combine);
// What stands where nobody may look: any value.
ValueId local_padding(Local *l, Type type);
// Every element is the rank-0 value.
ValueId local_broadcast(Local *l, ValueId scalar, Type type);
// Numbers 0, 1, … along dimension d: tensor of i64 with the shape of `like`.
ValueId local_iota(Local *l, Type like, uint32_t d);

// ---- one dimension of a tensor ----

// Elements before and after; either may be negative (then they are cut off). fill: rank 0; 0 = any.
ValueId local_pad(Local *l, ValueId v, uint32_t d, int64_t low, int64_t high, ValueId fill);
ValueId local_pad_to(Local *l, ValueId v, uint32_t d, int64_t size);   // at the end, with any value
ValueId local_trim_to(Local *l, ValueId v, uint32_t d, int64_t size);  // at the end
ValueId local_slice(Local *l, ValueId v, uint32_t d, int64_t start, int64_t limit, int64_t stride);
// start: tensor<i64>; clamped so that the slice lies inside.
ValueId local_dynamic_slice(Local *l, ValueId v, uint32_t d, ValueId start, int64_t size);
ValueId local_dynamic_update(Local *l, ValueId into, ValueId update, uint32_t d, ValueId start);
ValueId local_concatenate(Local *l, uint32_t n, const ValueId *v, uint32_t d);
// Keeps the elements whose number i along d is first <= i < end (tensor<i64>, 0 = no such bound);
// others become `fill` (rank 0).
ValueId local_mask(Local *l, ValueId v, uint32_t d, ValueId first, ValueId end, ValueId fill);

// Without the dimensions given, in increasing order, whose elements are combined.
ValueId local_reduce(Local *l, ValueId v, uint32_t n, const int64_t *dims, Combine combine);

// ---- the device's place ----

// This device's place in the mesh, made here if it is not yet: tensor<i64>.
ValueId local_position(Local *l);
// Index of this device along the axes, major to minor: tensor<i64>.
ValueId local_coordinate(Local *l, AxisList axes);
// The value on the first device along the axes, the reducer's identity on the others.
ValueId local_first(Local *l, ValueId value, AxisList axes, Combine combine);
// Masks what a tile has beyond the end of the whole dimension (of `size` elements in equal tiles
// over the axes): with `fill` (rank 0). Nothing if the tiles divide it. (Decision D7:
// docs/decisions/d07-uneven-sizes-always-work.md.)
ValueId local_mask_padding(Local *l, ValueId tile, uint32_t d, AxisList axes, int64_t size,
                           ValueId fill);

// ---- collectives ----

// The type in which devices sum, multiply … values of a type: of 16-bit floats f32, which is
// rounded once (decision D11: docs/decisions/d11-numerics.md).
Type local_sum_type(Context *context, Combine combine, Type type);
// replica_groups of n groups of `width` device ids.
Attr local_groups_attr(Context *context, uint32_t n, uint32_t width, const int64_t *ids);
// A collective of one operand that combines, or one that only moves (COMBINE_NONE). A result of
// 16-bit floats is a sum of f32, rounded, unless l->joined.
ValueId local_collective(Local *l, uint16_t code, ValueId v, Type type, Attr attrs,
                         Combine combine);
// Of n operands with as many results, of the types given.
OpId local_collective_many(Local *l, uint16_t code, uint32_t n, const ValueId *operands,
                           const Type *results, Attr attrs, Combine combine);
// pairs: n times a source's and a target's device id; who is no target gets zeros.
ValueId local_permute_ids(Local *l, ValueId v, uint32_t n, const int64_t (*pairs)[2]);
// Among groups of `width` devices each (#replica_groups): what each has, behind each other.
ValueId local_all_gather_in(Local *l, ValueId v, uint32_t d, int64_t width, Attr groups);

// ---- collectives along axes of the mesh ----

// Groups of devices that differ only along the axes, as #replica_groups; O(devices).
Attr local_groups(Local *l, AxisList axes);
// Tiles along the axes behind each other, padding included.
ValueId local_all_gather(Local *l, ValueId v, uint32_t d, AxisList axes);
// Dimension `split` is cut over the axes, dimension `concat` grows. `split` must divide.
ValueId local_all_to_all(Local *l, ValueId v, uint32_t split, uint32_t concat, AxisList axes);
ValueId local_all_reduce(Local *l, ValueId v, AxisList axes, Combine combine);
// Dimension d must divide.
ValueId local_reduce_scatter(Local *l, ValueId v, uint32_t d, AxisList axes, Combine combine);
// pairs: n times a source's and a target's position in the mesh; who is no target gets zeros.
ValueId local_permute(Local *l, ValueId v, uint32_t n, const int64_t (*pairs)[2]);
// The same in every group of devices along the axes: pairs are of coordinates.
ValueId local_permute_along(Local *l, ValueId v, AxisList axes, uint32_t n,
                            const int64_t (*pairs)[2]);
// The value of the device at a position in the mesh, on all.
ValueId local_from(Local *l, ValueId v, uint32_t position);
// The value of the device `distance` further along the axes (seen as one, major to minor; negative:
// back); zeros where there is none, or around the end if it wraps.
ValueId local_shift(Local *l, ValueId v, AxisList axes, int64_t distance, bool wraps);

// `length` elements of a whole dimension from floor((first + step · c) / divisor) on, on the device
// with coordinate c along the axes that cut it. They may overlap, leave gaps, run backwards (step <
// 0: an order of windows, not of elements) and lie outside.
typedef struct LocalWindow {
  int64_t first, step, length;
  int64_t from, end;  // what lies before or from there on is not needed; end 0: all is
  int64_t divisor;    // 0 is 1
  int64_t tile;       // of what is cut; 0: as it is cut in blocks
  bool wraps;         // around the end, which the tiles must divide: nothing lies outside
  bool abuts;         // what the next device's window begins with is not needed
} LocalWindow;

// v: the tiles of a dimension of `size` elements. What lies outside of it becomes `fill` (rank 0;
// 0: any value). Neighbours send what is missing, everybody everything where that is cheaper.
ValueId local_window(Local *l, ValueId v, uint32_t d, AxisList axes, int64_t size, LocalWindow w,
                     ValueId fill);
// The same of a whole dimension that every device has.
ValueId local_window_of_whole(Local *l, ValueId v, uint32_t d, AxisList axes, LocalWindow w,
                              ValueId fill);
// Elements along the dimension that a device receives for it, on average: times the size of a slice
// across it that is what local_window moves. O(devices · tiles that a window touches).
double local_window_received(Local *l, int64_t size, int64_t devices, LocalWindow w);

#endif
