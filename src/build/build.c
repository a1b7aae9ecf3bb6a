// Problem: localize columns and passes write the same ops. Each op needs a result type, attributes,
// a location and an origin; each collective needs groups, a channel and often a body.
//
// Idea: one function per kind of op computes all of that from operands. Functions that would write
// a no-op (slice of everything, pad by 0, concatenate of one) return their operand instead.
//
// Invariants: every op goes through build_op_many, which inserts it and gives it location, position
// and origin. Every collective with a body goes through build_collective_many. Only build_sum_type
// chooses the type in which devices accumulate. Each function is O(operands + rank), the first
// build_groups for an axis list is O(devices).
#include "build/build.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "ops/groups.h"
#include "tensor/strided.h"

// ---- insertion point ----

Builder build_at_end(Program *p, BlockId block) {
  return (Builder){.p = p, .block = block, .pos = POS_NONE};
}

Builder build_like(Program *p, OpId before, OpId model) {
  const Op *o = op_at(p, model);
  return (Builder){.p = p,
                   .before = before,
                   .origin = o->origin ? o->origin : model,
                   .loc = o->loc,
                   .pos = o->pos,
                   .channel = op_attr(p, model, "channel_handle")};
}

Builder build_before(Program *p, OpId before) { return build_like(p, before, before); }

// ---- ops ----

OpId build_op_many(Builder *b, uint16_t code, uint32_t n, const ValueId *operands,
                   uint32_t n_results, const Type *results, uint32_t n_regions, Attr attrs) {
  OpSpec spec = {.code = code,
                 .n_operands = n,
                 .operands = operands,
                 .n_results = n_results,
                 .result_types = results,
                 .n_regions = n_regions,
                 .attrs = attrs,
                 .loc = b->loc,
                 .pos = b->pos,
                 .origin = b->origin};
  OpId op = op_create(b->p, &spec);
  if (b->before)
    op_insert_before(b->p, op, b->before);
  else if (b->block)
    op_append(b->p, b->block, op);
  return op;
}

ValueId build_op(Builder *b, uint16_t code, uint32_t n, const ValueId *operands, Type result,
                 Attr attrs) {
  return op_result(b->p, build_op_many(b, code, n, operands, 1, &result, 0, attrs), 0);
}

void build_return(Builder *b, uint32_t n, const ValueId *values) {
  build_op_many(b, OP_return, n, values, 0, NULL, 0, 0);
}

static Attr dict1(Context *c, const char *name, Attr value) {
  return attr_dict(c, 1, &(NamedAttr){name_of(c, name), value});
}

static Type index_type(Context *c) { return type_tensor(c, type_scalar(DT_i64), 0, NULL, 0); }

ValueId build_constant(Builder *b, Attr dense) {
  Context *c = b->p->context;
  return build_op(b, OP_constant, 0, NULL, attr_info(c, dense)->type, dict1(c, "value", dense));
}

ValueId build_index(Builder *b, int64_t value) {
  Context *c = b->p->context;
  return build_constant(b, attr_dense(c, index_type(c), &value, sizeof value));
}

ValueId build_unary(Builder *b, uint16_t code, ValueId v) {
  return build_op(b, code, 1, &v, value_type(b->p, v), 0);
}

ValueId build_convert(Builder *b, ValueId v, Type elem) {
  Type type = type_with_elem(b->p->context, value_type(b->p, v), elem);
  return type == value_type(b->p, v) ? v : build_op(b, OP_convert, 1, &v, type, 0);
}

ValueId build_binary(Builder *b, uint16_t code, ValueId x, ValueId y) {
  return build_op(b, code, 2, (ValueId[]){x, y}, value_type(b->p, x), 0);
}

// The identity of a float sum is -0.0: x + -0.0 is x for every x, while -0.0 + 0.0 is 0.0.
Scalar build_identity_scalar(DType dtype, Combine combine) {
  bool floats = dtype_is_float(dtype) || dtype_is_complex(dtype);
  switch (combine) {
  case COMBINE_MAX: return dtype_min(dtype);
  case COMBINE_MIN: return dtype_max(dtype);
  case COMBINE_MUL: return floats ? scalar_c(1, 0) : scalar_i(1);
  case COMBINE_AND: return scalar_i(-1);
  case COMBINE_SUM: return floats ? scalar_c(-0.0, -0.0) : scalar_i(0);
  default: return scalar_i(0);
  }
}

ValueId build_splat(Builder *b, Type type, Scalar scalar) {
  DType dtype = type_dtype(b->p->context, type);
  uint8_t element[16] = {0};
  dtype_store(dtype, element, 0, scalar);
  return build_constant(b, attr_dense(b->p->context, type, element, (size_t)dtype_bytes(dtype)));
}

ValueId build_identity(Builder *b, Type type, Combine combine) {
  return build_splat(b, type, build_identity_scalar(type_dtype(b->p->context, type), combine));
}

ValueId build_padding(Builder *b, Type type) {
  if (!b->poison) return build_identity(b, type, COMBINE_SUM);
  DType dtype = type_dtype(b->p->context, type);
  bool floats = dtype_is_float(dtype) || dtype_is_complex(dtype);
  return build_splat(b, type,
                     floats           ? scalar_c(NAN, NAN)
                     : dtype == DT_i1 ? scalar_i(1)
                                      : dtype_min(dtype));
}

ValueId build_broadcast(Builder *b, ValueId scalar, Type type) {
  return type_info(b->p->context, type)->rank ? build_broadcast_in(b, scalar, type, NULL) : scalar;
}

ValueId build_iota(Builder *b, Type like, uint32_t d) {
  Context *c = b->p->context;
  const TypeInfo *info = type_info(c, like);
  Type type = type_tensor(c, type_scalar(DT_i64), info->rank, info->dims, 0);
  return build_op(b, OP_iota, 0, NULL, type, dict1(c, "iota_dimension", attr_i64(c, d)));
}

ValueId build_compare(Builder *b, const char *direction, ValueId x, ValueId y) {
  Context *c = b->p->context;
  const TypeInfo *info = type_info(c, value_type(b->p, x));
  Type truth = type_tensor(c, type_scalar(DT_i1), info->rank, info->dims, 0);
  Attr word = attr_enum(c, "stablehlo.comparison_direction", direction);
  return build_op(b, OP_compare, 2, (ValueId[]){x, y}, truth,
                  dict1(c, "comparison_direction", word));
}

ValueId build_select(Builder *b, ValueId predicate, ValueId on_true, ValueId on_false) {
  return build_op(b, OP_select, 3, (ValueId[]){predicate, on_true, on_false},
                  value_type(b->p, on_true), 0);
}

static const Mesh *mesh_of(const Builder *b) { return sharding_mesh(b->table, b->mesh); }

ValueId build_table(Builder *b, int64_t n, const int64_t *values, ValueId at) {
  Context *c = b->p->context;
  Type type = type_tensor(c, type_scalar(DT_i64), 1, &n, 0);
  ValueId table = build_constant(b, attr_dense(c, type, values, (size_t)n * sizeof *values));
  return build_reshape(b, build_dynamic_slice_at(b, table, &at, &(int64_t){1}), 0, NULL);
}

// A mesh without a device order has position = partition_id; otherwise a table of n_devices numbers
// maps the id to the position. Made once per function: b->position keeps it.
ValueId build_position(Builder *b) {
  if (b->position) return b->position;
  Context *c = b->p->context;
  const Mesh *mesh = mesh_of(b);
  Type id_type = type_tensor(c, type_scalar(DT_ui32), 0, NULL, 0);
  ValueId id = build_op(b, OP_partition_id, 0, NULL, id_type, 0);
  b->position = build_op(b, OP_convert, 1, &id, index_type(c), 0);
  if (!mesh->positions) return b->position;
  int64_t *table = ARENA_ARRAY(b->arena, int64_t, mesh->n_devices);
  for (uint32_t i = 0; i < mesh->n_devices; i++) table[i] = mesh->positions[i];
  b->position = build_table(b, mesh->n_devices, table, b->position);
  return b->position;
}

// A position is a mixed-radix number with one digit per axis. Each (sub-)axis contributes the digit
// (position / unit) mod size; the digits combine major to minor.
ValueId build_coordinate(Builder *b, AxisList axes) {
  const Mesh *mesh = mesh_of(b);
  ValueId position = build_position(b), index = 0;
  for (uint32_t i = 0; i < axes.n; i++) {
    const MeshAxis *axis = &mesh->axes[axes.v[i].axis];
    int64_t unit = (int64_t)axis->stride * (axis->size / axis_next(axes.v[i]));
    ValueId at = position;
    if (unit > 1) at = build_binary(b, OP_divide, at, build_index(b, unit));
    at = build_binary(b, OP_remainder, at, build_index(b, axes.v[i].size));
    index =
        index
            ? build_binary(b, OP_add,
                           build_binary(b, OP_multiply, index, build_index(b, axes.v[i].size)), at)
            : at;
  }
  return index ? index : build_index(b, 0);
}

// Turns a replicated value into partial values whose reduction over the axes is that value.
ValueId build_unreduced(Builder *b, ValueId v, AxisList axes, Combine combine) {
  ValueId first = build_compare(b, "EQ", build_coordinate(b, axes), build_index(b, 0));
  return build_select(b, first, v, build_identity(b, value_type(b->p, v), combine));
}

ValueId build_mask_padding(Builder *b, ValueId tile, uint32_t d, AxisList axes, int64_t size,
                           ValueId fill) {
  int64_t has = build_dim(b, tile, d);
  if (has * axes_size(axes) <= size) return tile;
  ValueId offset = build_binary(b, OP_multiply, build_coordinate(b, axes), build_index(b, has));
  ValueId end = build_binary(b, OP_subtract, build_index(b, size), offset);
  return build_mask(b, tile, d, 0, end, fill);
}

// ---- groups ----

Attr build_groups_attr(Context *context, uint32_t n, uint32_t width, const int64_t *ids) {
  Type type = type_tensor(context, type_scalar(DT_i64), 2, (int64_t[]){n, width}, 0);
  return attr_dense(context, type, ids, (size_t)n * width * sizeof *ids);
}

// One group for each choice of the other axes' coordinates: the devices along the axes, by
// coordinate.
static Attr make_groups(Builder *b, AxisList axes) {
  const Mesh *mesh = mesh_of(b);
  uint32_t n = mesh->n_devices;
  int64_t size = axes_size(axes);
  ArenaMark mark = arena_mark(b->arena);
  int64_t *ids = ARENA_ARRAY(b->arena, int64_t, n);
  AxisList others = axes_complement(b->arena, mesh, axes);
  for (uint32_t i = 0; i < n; i++) {
    int64_t group = axes_coordinate(mesh, others, i), member = axes_coordinate(mesh, axes, i);
    ids[group * size + member] = mesh_device(mesh, i);
  }
  Attr groups = build_groups_attr(b->p->context, n / (uint32_t)size, (uint32_t)size, ids);
  arena_rewind(b->arena, mark);
  return groups;
}

// A linear cache suffices: a program has few different axis lists.
Attr build_groups(Builder *b, AxisList axes) {
  for (const BuilderGroups *g = b->groups; g; g = g->next)
    if (axes_equal(g->axes, axes)) return g->attr;
  Arena *arena = b->kept;
  AxisRef *v = ARENA_ARRAY(arena, AxisRef, axes.n + 1);
  if (axes.n) memcpy(v, axes.v, axes.n * sizeof *v);
  BuilderGroups *made = ARENA_NEW(arena, BuilderGroups);
  *made = (BuilderGroups){{v, axes.n}, make_groups(b, axes), b->groups};
  b->groups = made;
  return made->attr;
}

// ---- ops on all dimensions ----

static const TypeInfo *info_of(const Builder *b, ValueId v) {
  return type_info(b->p->context, value_type(b->p, v));
}

ValueId build_reshape(Builder *b, ValueId v, uint32_t rank, const int64_t *dims) {
  Type type = type_with_shape(b->p->context, value_type(b->p, v), rank, dims);
  return type == value_type(b->p, v) ? v : build_op(b, OP_reshape, 1, &v, type, 0);
}

ValueId build_transpose(Builder *b, ValueId v, const int64_t *order) {
  Context *c = b->p->context;
  const TypeInfo *info = info_of(b, v);
  int64_t dims[BUILD_MOST_DIMS];
  assert(info->rank <= BUILD_MOST_DIMS && "callers bound the rank");
  for (uint32_t i = 0; i < info->rank; i++) dims[i] = info->dims[order[i]];
  Type type = type_tensor(c, info->elem, info->rank, dims, 0);
  return build_op(b, OP_transpose, 1, &v, type,
                  dict1(c, "permutation", attr_i64s(c, info->rank, order)));
}

ValueId build_broadcast_in(Builder *b, ValueId v, Type type, const int64_t *dims) {
  Context *c = b->p->context;
  return build_op(b, OP_broadcast_in_dim, 1, &v, type,
                  dict1(c, "broadcast_dimensions", attr_i64s(c, info_of(b, v)->rank, dims)));
}

ValueId build_slice_at(Builder *b, ValueId v, const int64_t *starts, const int64_t *limits,
                       const int64_t *strides) {
  Context *c = b->p->context;
  const TypeInfo *info = info_of(b, v);
  uint32_t rank = info->rank;
  int64_t dims[MAX_RANK];
  for (uint32_t d = 0; d < rank; d++)
    dims[d] = limits[d] > starts[d] ? (limits[d] - starts[d] - 1) / strides[d] + 1 : 0;
  Type type = type_tensor(c, info->elem, rank, dims, info->encoding);
  NamedAttr fields[] = {{name_of(c, "start_indices"), attr_i64s(c, rank, starts)},
                        {name_of(c, "limit_indices"), attr_i64s(c, rank, limits)},
                        {name_of(c, "strides"), attr_i64s(c, rank, strides)}};
  return build_op(b, OP_slice, 1, &v, type, attr_dict(c, 3, fields));
}

ValueId build_dynamic_slice_at(Builder *b, ValueId v, const ValueId *starts, const int64_t *sizes) {
  Context *c = b->p->context;
  const TypeInfo *info = info_of(b, v);
  uint32_t rank = info->rank;
  ValueId operands[BUILD_MOST_DIMS + 1] = {v};
  assert(rank <= BUILD_MOST_DIMS && "callers bound the rank");
  for (uint32_t d = 0; d < rank; d++) operands[1 + d] = starts[d];
  Type type = type_tensor(c, info->elem, rank, sizes, info->encoding);
  return build_op(b, OP_dynamic_slice, 1 + rank, operands, type,
                  dict1(c, "slice_sizes", attr_i64s(c, rank, sizes)));
}

ValueId build_dynamic_update_at(Builder *b, ValueId into, ValueId update, const ValueId *starts) {
  uint32_t rank = info_of(b, into)->rank;
  ValueId operands[BUILD_MOST_DIMS + 2] = {into, update};
  assert(rank <= BUILD_MOST_DIMS && "callers bound the rank");
  for (uint32_t d = 0; d < rank; d++) operands[2 + d] = starts[d];
  return build_op(b, OP_dynamic_update_slice, 2 + rank, operands, value_type(b->p, into), 0);
}

// ---- ops on one dimension ----

int64_t build_dim(const Builder *b, ValueId v, uint32_t d) {
  return type_info(b->p->context, value_type(b->p, v))->dims[d];
}

static uint32_t rank_of(const Builder *b, ValueId v) {
  return type_info(b->p->context, value_type(b->p, v))->rank;
}

ValueId build_pad(Builder *b, ValueId v, uint32_t d, int64_t low, int64_t high, ValueId fill) {
  if (!low && !high) return v;
  Context *c = b->p->context;
  Type type = value_type(b->p, v);
  uint32_t rank = rank_of(b, v);
  int64_t none[MAX_RANK] = {0}, lows[MAX_RANK] = {0}, highs[MAX_RANK] = {0};
  lows[d] = low;
  highs[d] = high;
  if (!fill) fill = build_padding(b, type_tensor(c, type_info(c, type)->elem, 0, NULL, 0));
  NamedAttr fields[] = {{name_of(c, "edge_padding_low"), attr_i64s(c, rank, lows)},
                        {name_of(c, "edge_padding_high"), attr_i64s(c, rank, highs)},
                        {name_of(c, "interior_padding"), attr_i64s(c, rank, none)}};
  type = type_with_dim(b->p->context, type, d, build_dim(b, v, d) + low + high);
  return build_op(b, OP_pad, 2, (ValueId[]){v, fill}, type, attr_dict(c, 3, fields));
}

ValueId build_pad_to(Builder *b, ValueId v, uint32_t d, int64_t size) {
  int64_t has = build_dim(b, v, d);
  return has >= size ? v : build_pad(b, v, d, 0, size - has, 0);
}

ValueId build_slice(Builder *b, ValueId v, uint32_t d, int64_t start, int64_t limit,
                    int64_t stride) {
  const TypeInfo *info = info_of(b, v);
  if (!start && limit == info->dims[d] && stride == 1) return v;
  int64_t starts[MAX_RANK] = {0}, limits[MAX_RANK], strides[MAX_RANK];
  for (uint32_t i = 0; i < info->rank; i++) limits[i] = info->dims[i], strides[i] = 1;
  starts[d] = start;
  limits[d] = limit;
  strides[d] = stride;
  return build_slice_at(b, v, starts, limits, strides);
}

ValueId build_trim_to(Builder *b, ValueId v, uint32_t d, int64_t size) {
  return build_dim(b, v, d) <= size ? v : build_slice(b, v, d, 0, size, 1);
}

// `start` along d, 0 along the others.
static void set_starts(Builder *b, uint32_t rank, uint32_t d, ValueId start, ValueId *starts) {
  ValueId zero = rank > 1 ? build_index(b, 0) : 0;
  for (uint32_t i = 0; i < rank; i++) starts[i] = i == d ? start : zero;
}

ValueId build_dynamic_slice(Builder *b, ValueId v, uint32_t d, ValueId start, int64_t size) {
  const TypeInfo *info = info_of(b, v);
  ValueId starts[MAX_RANK];
  int64_t sizes[MAX_RANK];
  for (uint32_t i = 0; i < info->rank; i++) sizes[i] = i == d ? size : info->dims[i];
  set_starts(b, info->rank, d, start, starts);
  return build_dynamic_slice_at(b, v, starts, sizes);
}

ValueId build_dynamic_update(Builder *b, ValueId into, ValueId update, uint32_t d, ValueId start) {
  ValueId starts[MAX_RANK];
  set_starts(b, rank_of(b, into), d, start, starts);
  return build_dynamic_update_at(b, into, update, starts);
}

ValueId build_concatenate(Builder *b, uint32_t n, const ValueId *v, uint32_t d) {
  if (n == 1) return v[0];
  Context *c = b->p->context;
  int64_t size = 0;
  for (uint32_t i = 0; i < n; i++) size += build_dim(b, v[i], d);
  return build_op(b, OP_concatenate, n, v,
                  type_with_dim(b->p->context, value_type(b->p, v[0]), d, size),
                  dict1(c, "dimension", attr_i64(c, d)));
}

// A select, never a multiplication by 0 or 1: padding may be NaN, and 0 · NaN is NaN.
ValueId build_mask(Builder *b, ValueId v, uint32_t d, ValueId first, ValueId end, ValueId fill) {
  Type type = value_type(b->p, v);
  ValueId number = build_iota(b, type, d), keep = 0;
  Type index = value_type(b->p, number);
  if (first) keep = build_compare(b, "GE", number, build_broadcast(b, first, index));
  if (end) {
    ValueId before = build_compare(b, "LT", number, build_broadcast(b, end, index));
    keep = keep ? build_binary(b, OP_and, keep, before) : before;
  }
  return keep ? build_select(b, keep, v, build_broadcast(b, fill, type)) : v;
}

// ---- collectives and reductions ----

static Attr channel(const Builder *b) {
  return b->channel ? b->channel : groups_channel_attr(b->p->context, 1);
}

ValueId build_all_gather_in(Builder *b, ValueId v, uint32_t d, int64_t width, Attr groups) {
  Context *c = b->p->context;
  Type type = type_with_dim(c, value_type(b->p, v), d, build_dim(b, v, d) * width);
  NamedAttr fields[] = {{name_of(c, "all_gather_dim"), attr_i64(c, d)},
                        {name_of(c, "replica_groups"), groups},
                        {name_of(c, "channel_handle"), channel(b)},
                        {name_of(c, "use_global_device_ids"), attr_unit(c)}};
  return build_op(b, OP_all_gather, 1, &v, type, attr_dict(c, 4, fields));
}

ValueId build_all_gather(Builder *b, ValueId v, uint32_t d, AxisList axes) {
  return build_all_gather_in(b, v, d, axes_size(axes), build_groups(b, axes));
}

ValueId build_all_to_all(Builder *b, ValueId v, uint32_t split, uint32_t concat, AxisList axes) {
  Context *c = b->p->context;
  int64_t n = axes_size(axes);
  Type type = type_with_dim(b->p->context, value_type(b->p, v), split, build_dim(b, v, split) / n);
  type = type_with_dim(b->p->context, type, concat, type_info(c, type)->dims[concat] * n);
  NamedAttr fields[] = {{name_of(c, "split_dimension"), attr_i64(c, split)},
                        {name_of(c, "concat_dimension"), attr_i64(c, concat)},
                        {name_of(c, "split_count"), attr_i64(c, n)},
                        {name_of(c, "replica_groups"), build_groups(b, axes)},
                        {name_of(c, "channel_handle"), channel(b)}};
  return build_op(b, OP_all_to_all, 1, &v, type, attr_dict(c, 5, fields));
}

static uint16_t combine_code(Combine combine) {
  switch (combine) {
  case COMBINE_MAX: return OP_maximum;
  case COMBINE_MIN: return OP_minimum;
  case COMBINE_MUL: return OP_multiply;
  case COMBINE_AND: return OP_and;
  case COMBINE_OR: return OP_or;
  case COMBINE_XOR: return OP_xor;
  default: return OP_add;
  }
}

ValueId build_combine(Builder *b, Combine combine, ValueId x, ValueId y) {
  return build_binary(b, combine_code(combine), x, y);
}

// The op's body: combines two scalars.
static void put_body(Builder *b, OpId op, Type elem, Combine combine) {
  Builder in = *b;
  Type scalar = type_tensor(b->p->context, elem, 0, NULL, 0);
  in.before = 0;
  in.block = region_add_block(b->p, op_region(b->p, op, 0));
  ValueId args[2];
  for (uint32_t i = 0; i < 2; i++) args[i] = block_add_arg(b->p, in.block, scalar, 0);
  ValueId both = build_combine(&in, combine, args[0], args[1]);
  build_return(&in, 1, &both);
}

ValueId build_reduce(Builder *b, ValueId v, uint32_t n, const int64_t *dims, Combine combine) {
  Context *c = b->p->context;
  const TypeInfo *info = type_info(c, value_type(b->p, v));
  int64_t left[MAX_RANK];
  uint32_t rank = 0;
  for (uint32_t d = 0, i = 0; d < info->rank; d++)
    if (i < n && dims[i] == d)
      i++;
    else
      left[rank++] = info->dims[d];
  ValueId init = build_identity(b, type_tensor(c, info->elem, 0, NULL, 0), combine);
  Type type = type_tensor(c, info->elem, rank, left, 0);
  OpId op = build_op_many(b, OP_reduce, 2, (ValueId[]){v, init}, 1, &type, 1,
                          dict1(c, "dimensions", attr_i64s(c, n, dims)));
  put_body(b, op, info->elem, combine);
  return op_result(b->p, op, 0);
}

Type build_sum_type(Context *context, Combine combine, Type type) {
  DType dtype = type_dtype(context, type), wide = combine_dtype(combine, dtype);
  return wide == dtype ? type : type_with_elem(context, type, type_scalar(wide));
}

OpId build_collective_many(Builder *b, uint16_t code, uint32_t n, const ValueId *operands,
                           const Type *results, Attr attrs, Combine combine) {
  bool combines = combine != COMBINE_NONE;
  OpId op = build_op_many(b, code, n, operands, n, results, combines, attrs);
  if (combines) put_body(b, op, type_elem(b->p->context, results[0]), combine);
  return op;
}

// The collective's result may have a wider type than its operand: devices accumulate in the wider
// type, and one convert rounds the result.
ValueId build_collective(Builder *b, uint16_t code, ValueId v, Type type, Attr attrs,
                         Combine combine) {
  bool widens = combine != COMBINE_NONE && !b->joined;
  Type made = widens ? build_sum_type(b->p->context, combine, type) : type;
  OpId op = build_collective_many(b, code, 1, &v, &made, attrs, combine);
  ValueId result = op_result(b->p, op, 0);
  return made == type ? result : build_convert(b, result, type_elem(b->p->context, type));
}

static ValueId put_reduce(Builder *b, uint16_t code, ValueId v, Type type, AxisList axes,
                          Combine combine, uint32_t d) {
  Context *c = b->p->context;
  NamedAttr fields[] = {{name_of(c, "replica_groups"), build_groups(b, axes)},
                        {name_of(c, "channel_handle"), channel(b)},
                        {name_of(c, "use_global_device_ids"), attr_unit(c)},
                        {name_of(c, "scatter_dimension"), attr_i64(c, d)}};
  uint32_t n = code == OP_reduce_scatter ? 4 : 3;
  return build_collective(b, code, v, type, attr_dict(c, n, fields), combine);
}

ValueId build_all_reduce(Builder *b, ValueId v, AxisList axes, Combine combine) {
  return put_reduce(b, OP_all_reduce, v, value_type(b->p, v), axes, combine, 0);
}

ValueId build_reduce_scatter(Builder *b, ValueId v, uint32_t d, AxisList axes, Combine combine) {
  Type type =
      type_with_dim(b->p->context, value_type(b->p, v), d, build_dim(b, v, d) / axes_size(axes));
  return put_reduce(b, OP_reduce_scatter, v, type, axes, combine, d);
}

ValueId build_permute_ids(Builder *b, ValueId v, uint32_t n, const int64_t (*pairs)[2]) {
  Context *c = b->p->context;
  NamedAttr fields[] = {{name_of(c, "source_target_pairs"), build_groups_attr(c, n, 2, *pairs)},
                        {name_of(c, "channel_handle"), channel(b)}};
  return build_op(b, OP_collective_permute, 1, &v, value_type(b->p, v), attr_dict(c, 2, fields));
}

ValueId build_permute(Builder *b, ValueId v, uint32_t n, const int64_t (*pairs)[2]) {
  const Mesh *mesh = mesh_of(b);
  int64_t(*ids)[2] = arena_alloc(b->arena, ((size_t)n + 1) * sizeof *ids);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < 2; k++) ids[i][k] = mesh_device(mesh, (uint32_t)pairs[i][k]);
  return build_permute_ids(b, v, n, (const int64_t(*)[2])ids);
}

ValueId build_broadcast_from(Builder *b, ValueId v, uint32_t position) {
  Context *c = b->p->context;
  const Mesh *mesh = mesh_of(b);
  uint32_t n = mesh->n_devices;
  ArenaMark mark = arena_mark(b->arena);
  int64_t *ids = ARENA_ARRAY(b->arena, int64_t, n);  // collective_broadcast sends from the first
  ids[0] = mesh_device(mesh, position);
  for (uint32_t i = 0, k = 1; i < n; i++)
    if (i != position) ids[k++] = mesh_device(mesh, i);
  NamedAttr fields[] = {{name_of(c, "replica_groups"), build_groups_attr(c, 1, n, ids)},
                        {name_of(c, "channel_handle"), channel(b)}};
  arena_rewind(b->arena, mark);
  return build_op(b, OP_collective_broadcast, 1, &v, value_type(b->p, v), attr_dict(c, 2, fields));
}

// Repeats the pairs of coordinates in each group of devices along the axes. O(devices + pairs ·
// groups).
ValueId build_permute_along(Builder *b, ValueId v, AxisList axes, uint32_t n,
                            const int64_t (*pairs)[2]) {
  const Mesh *mesh = mesh_of(b);
  int64_t ways = axes_size(axes), groups = mesh->n_devices / ways;
  AxisList others = axes_complement(b->arena, mesh, axes);
  int64_t *at = ARENA_ARRAY(b->arena, int64_t, mesh->n_devices);  // positions by group and member
  for (uint32_t i = 0; i < mesh->n_devices; i++)
    at[axes_coordinate(mesh, others, i) * ways + axes_coordinate(mesh, axes, i)] = i;
  int64_t(*all)[2] = arena_alloc(b->arena, ((size_t)groups * n + 1) * sizeof *all);
  uint32_t count = 0;
  for (int64_t g = 0; g < groups; g++)
    for (uint32_t i = 0; i < n; i++, count++) {
      all[count][0] = at[g * ways + pairs[i][0]];
      all[count][1] = at[g * ways + pairs[i][1]];
    }
  return build_permute(b, v, count, (const int64_t(*)[2])all);
}

ValueId build_shift(Builder *b, ValueId v, AxisList axes, int64_t distance, bool wraps) {
  int64_t ways = axes_size(axes);
  int64_t(*pairs)[2] = arena_alloc(b->arena, (size_t)ways * sizeof *pairs);
  uint32_t count = 0;
  for (int64_t i = 0; i < ways; i++) {
    int64_t from = i + distance;
    if (wraps) from = (from % ways + ways) % ways;
    if (from < 0 || from >= ways) continue;
    pairs[count][0] = from;
    pairs[count++][1] = i;
  }
  return build_permute_along(b, v, axes, count, (const int64_t(*)[2])pairs);
}
