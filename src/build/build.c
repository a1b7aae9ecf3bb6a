#include "ops/local.h"

#include <math.h>
#include <string.h>

#include "ops/groups.h"
#include "tensor/strided.h"

Type local_type(ShardingTable *table, Sharding sharding, Type global) {
  Context *context = sharding_table_context(table);
  const TypeInfo *info = type_info(context, global);
  if (!sharding || info->kind != TYPE_TENSOR || !info->rank || sharding_is_maximal(table, sharding))
    return global;
  int64_t dims[64];
  if (info->rank > 64) return global;
  sharding_local_dims(table, sharding, info->dims, dims);
  return type_tensor(context, info->elem, info->rank, dims, info->encoding);
}

// ---- where ----

Local local_at_end(Program *p, BlockId block) {
  return (Local){.p = p, .block = block, .pos = POS_NONE};
}

Local local_like(Program *p, OpId before, OpId model) {
  const Op *o = op_at(p, model);
  return (Local){.p = p,
                 .before = before,
                 .origin = o->origin ? o->origin : model,
                 .loc = o->loc,
                 .pos = o->pos,
                 .channel = op_attr(p, model, "channel_handle")};
}

Local local_before(Program *p, OpId before) { return local_like(p, before, before); }

// ---- ops ----

OpId local_op_many(Local *l, uint16_t code, uint32_t n, const ValueId *operands, uint32_t n_results,
                   const Type *results, uint32_t n_regions, Attr attrs) {
  OpSpec spec = {.code = code,
                 .n_operands = n,
                 .operands = operands,
                 .n_results = n_results,
                 .result_types = results,
                 .n_regions = n_regions,
                 .attrs = attrs,
                 .loc = l->loc,
                 .pos = l->pos,
                 .origin = l->origin};
  OpId op = op_create(l->p, &spec);
  if (l->before)
    op_insert_before(l->p, op, l->before);
  else if (l->block)
    op_append(l->p, l->block, op);
  return op;
}

ValueId local_op(Local *l, uint16_t code, uint32_t n, const ValueId *operands, Type result,
                 Attr attrs) {
  return op_result(l->p, local_op_many(l, code, n, operands, 1, &result, 0, attrs), 0);
}

void local_return(Local *l, uint32_t n, const ValueId *values) {
  local_op_many(l, OP_return, n, values, 0, NULL, 0, 0);
}

static Attr dict1(Context *c, const char *name, Attr value) {
  return attr_dict(c, 1, &(NamedAttr){name_of(c, name), value});
}

static Type index_type(Context *c) { return type_tensor(c, type_scalar(DT_i64), 0, NULL, 0); }

ValueId local_constant(Local *l, Attr dense) {
  Context *c = l->p->context;
  return local_op(l, OP_constant, 0, NULL, attr_info(c, dense)->type, dict1(c, "value", dense));
}

ValueId local_index(Local *l, int64_t value) {
  Context *c = l->p->context;
  return local_constant(l, attr_dense(c, index_type(c), &value, sizeof value));
}

ValueId local_binary(Local *l, uint16_t code, ValueId a, ValueId b) {
  return local_op(l, code, 2, (ValueId[]){a, b}, value_type(l->p, a), 0);
}

// x + -0.0 is x for every x, also for -0.0.
Scalar local_neutral(DType dtype, Combine combine) {
  bool parts = dtype_is_float(dtype) || dtype_is_complex(dtype);
  switch (combine) {
  case COMBINE_MAX: return dtype_min(dtype);
  case COMBINE_MIN: return dtype_max(dtype);
  case COMBINE_MUL: return parts ? scalar_c(1, 0) : scalar_i(1);
  case COMBINE_AND: return scalar_i(-1);
  case COMBINE_SUM: return parts ? scalar_c(-0.0, -0.0) : scalar_i(0);
  default: return scalar_i(0);
  }
}

ValueId local_splat(Local *l, Type type, Scalar scalar) {
  DType dtype = type_dtype(l->p->context, type);
  uint8_t element[16] = {0};
  dtype_store(dtype, element, 0, scalar);
  return local_constant(l, attr_dense(l->p->context, type, element, (size_t)dtype_bytes(dtype)));
}

ValueId local_identity(Local *l, Type type, Combine combine) {
  return local_splat(l, type, local_neutral(type_dtype(l->p->context, type), combine));
}

ValueId local_padding(Local *l, Type type) {
  if (!l->poison) return local_identity(l, type, COMBINE_SUM);
  DType dtype = type_dtype(l->p->context, type);
  bool parts = dtype_is_float(dtype) || dtype_is_complex(dtype);
  return local_splat(l, type,
                     parts            ? scalar_c(NAN, NAN)
                     : dtype == DT_i1 ? scalar_i(1)
                                      : dtype_min(dtype));
}

ValueId local_broadcast(Local *l, ValueId scalar, Type type) {
  Context *c = l->p->context;
  if (!type_info(c, type)->rank) return scalar;
  return local_op(l, OP_broadcast_in_dim, 1, &scalar, type,
                  dict1(c, "broadcast_dimensions", attr_i64s(c, 0, NULL)));
}

ValueId local_iota(Local *l, Type like, uint32_t d) {
  Context *c = l->p->context;
  const TypeInfo *info = type_info(c, like);
  Type type = type_tensor(c, type_scalar(DT_i64), info->rank, info->dims, 0);
  return local_op(l, OP_iota, 0, NULL, type, dict1(c, "iota_dimension", attr_i64(c, d)));
}

ValueId local_compare(Local *l, const char *direction, ValueId a, ValueId b) {
  Context *c = l->p->context;
  const TypeInfo *info = type_info(c, value_type(l->p, a));
  Type truth = type_tensor(c, type_scalar(DT_i1), info->rank, info->dims, 0);
  Attr word = attr_enum(c, "stablehlo.comparison_direction", direction);
  return local_op(l, OP_compare, 2, (ValueId[]){a, b}, truth,
                  dict1(c, "comparison_direction", word));
}

ValueId local_select(Local *l, ValueId predicate, ValueId on_true, ValueId on_false) {
  return local_op(l, OP_select, 3, (ValueId[]){predicate, on_true, on_false},
                  value_type(l->p, on_true), 0);
}

static const Mesh *mesh_of(const Local *l) { return sharding_mesh(l->table, l->mesh); }

ValueId local_table(Local *l, int64_t n, const int64_t *values, ValueId at) {
  Context *c = l->p->context;
  Type type = type_tensor(c, type_scalar(DT_i64), 1, &n, 0);
  Type one = type_tensor(c, type_scalar(DT_i64), 1, &(int64_t){1}, 0);
  ValueId table = local_constant(l, attr_dense(c, type, values, (size_t)n * sizeof *values));
  ValueId v = local_op(l, OP_dynamic_slice, 2, (ValueId[]){table, at}, one,
                       dict1(c, "slice_sizes", attr_i64s(c, 1, &(int64_t){1})));
  return local_op(l, OP_reshape, 1, &v, index_type(c), 0);
}

// This device's place in the mesh: its id, unless the mesh has another order.
ValueId local_position(Local *l) {
  if (l->position) return l->position;
  Context *c = l->p->context;
  const Mesh *mesh = mesh_of(l);
  Type id_type = type_tensor(c, type_scalar(DT_ui32), 0, NULL, 0);
  ValueId id = local_op(l, OP_partition_id, 0, NULL, id_type, 0);
  l->position = local_op(l, OP_convert, 1, &id, index_type(c), 0);
  if (!mesh->positions) return l->position;
  int64_t *table = ARENA_ARRAY(l->arena, int64_t, mesh->n_devices);
  for (uint32_t i = 0; i < mesh->n_devices; i++) table[i] = mesh->positions[i];
  l->position = local_table(l, mesh->n_devices, table, l->position);
  return l->position;
}

ValueId local_coordinate(Local *l, AxisList axes) {
  const Mesh *mesh = mesh_of(l);
  ValueId position = local_position(l), index = 0;
  for (uint32_t i = 0; i < axes.n; i++) {
    const MeshAxis *axis = &mesh->axes[axes.v[i].axis];
    int64_t unit = (int64_t)axis->stride * (axis->size / axis_next(axes.v[i]));
    ValueId at = position;
    if (unit > 1) at = local_binary(l, OP_divide, at, local_index(l, unit));
    at = local_binary(l, OP_remainder, at, local_index(l, axes.v[i].size));
    index =
        index
            ? local_binary(l, OP_add,
                           local_binary(l, OP_multiply, index, local_index(l, axes.v[i].size)), at)
            : at;
  }
  return index ? index : local_index(l, 0);
}

// The first device along the axes keeps the value, the others have what changes nothing.
ValueId local_first(Local *l, ValueId v, AxisList axes, Combine combine) {
  ValueId first = local_compare(l, "EQ", local_coordinate(l, axes), local_index(l, 0));
  return local_select(l, first, v, local_identity(l, value_type(l->p, v), combine));
}

ValueId local_mask_padding(Local *l, ValueId tile, uint32_t d, AxisList axes, int64_t size,
                           ValueId fill) {
  int64_t has = local_dim(l, tile, d);
  if (has * axes_size(axes) <= size) return tile;
  ValueId offset = local_binary(l, OP_multiply, local_coordinate(l, axes), local_index(l, has));
  ValueId end = local_binary(l, OP_subtract, local_index(l, size), offset);
  return local_mask(l, tile, d, 0, end, fill);
}

// ---- groups ----

Attr local_groups_attr(Context *context, uint32_t n, uint32_t width, const int64_t *ids) {
  Type type = type_tensor(context, type_scalar(DT_i64), 2, (int64_t[]){n, width}, 0);
  return attr_dense(context, type, ids, (size_t)n * width * sizeof *ids);
}

// The devices along the axes, for every choice of the other coordinates.
static Attr make_groups(Local *l, AxisList axes) {
  const Mesh *mesh = mesh_of(l);
  uint32_t n = mesh->n_devices;
  int64_t size = axes_size(axes);
  ArenaMark mark = arena_mark(l->arena);
  int64_t *ids = ARENA_ARRAY(l->arena, int64_t, n);
  AxisList others = axes_complement(l->arena, mesh, axes);
  for (uint32_t i = 0; i < n; i++) {
    int64_t group = axes_coordinate(mesh, others, i), member = axes_coordinate(mesh, axes, i);
    ids[group * size + member] = mesh_device(mesh, i);
  }
  Attr groups = local_groups_attr(l->p->context, n / (uint32_t)size, (uint32_t)size, ids);
  arena_rewind(l->arena, mark);
  return groups;
}

// A program has few different ones.
Attr local_groups(Local *l, AxisList axes) {
  for (const LocalGroups *g = l->groups; g; g = g->next)
    if (axes_equal(g->axes, axes)) return g->attr;
  Arena *arena = l->kept;
  AxisRef *v = ARENA_ARRAY(arena, AxisRef, axes.n + 1);
  if (axes.n) memcpy(v, axes.v, axes.n * sizeof *v);
  LocalGroups *made = ARENA_NEW(arena, LocalGroups);
  *made = (LocalGroups){{v, axes.n}, make_groups(l, axes), l->groups};
  l->groups = made;
  return made->attr;
}

// ---- one dimension ----

int64_t local_dim(const Local *l, ValueId v, uint32_t d) {
  return type_info(l->p->context, value_type(l->p, v))->dims[d];
}

static uint32_t rank_of(const Local *l, ValueId v) {
  return type_info(l->p->context, value_type(l->p, v))->rank;
}

ValueId local_pad(Local *l, ValueId v, uint32_t d, int64_t low, int64_t high, ValueId fill) {
  if (!low && !high) return v;
  Context *c = l->p->context;
  Type type = value_type(l->p, v);
  uint32_t rank = rank_of(l, v);
  int64_t none[MAX_RANK] = {0}, lows[MAX_RANK] = {0}, highs[MAX_RANK] = {0};
  lows[d] = low;
  highs[d] = high;
  if (!fill) fill = local_padding(l, type_tensor(c, type_info(c, type)->elem, 0, NULL, 0));
  NamedAttr fields[] = {{name_of(c, "edge_padding_low"), attr_i64s(c, rank, lows)},
                        {name_of(c, "edge_padding_high"), attr_i64s(c, rank, highs)},
                        {name_of(c, "interior_padding"), attr_i64s(c, rank, none)}};
  type = type_with_dim(l->p->context, type, d, local_dim(l, v, d) + low + high);
  return local_op(l, OP_pad, 2, (ValueId[]){v, fill}, type, attr_dict(c, 3, fields));
}

ValueId local_pad_to(Local *l, ValueId v, uint32_t d, int64_t size) {
  int64_t has = local_dim(l, v, d);
  return has >= size ? v : local_pad(l, v, d, 0, size - has, 0);
}

ValueId local_slice(Local *l, ValueId v, uint32_t d, int64_t start, int64_t limit, int64_t stride) {
  if (!start && limit == local_dim(l, v, d) && stride == 1) return v;
  Context *c = l->p->context;
  const TypeInfo *info = type_info(c, value_type(l->p, v));
  int64_t starts[MAX_RANK] = {0}, limits[MAX_RANK], strides[MAX_RANK];
  for (uint32_t i = 0; i < info->rank; i++) limits[i] = info->dims[i], strides[i] = 1;
  starts[d] = start;
  limits[d] = limit;
  strides[d] = stride;
  uint32_t rank = info->rank;
  NamedAttr fields[] = {{name_of(c, "start_indices"), attr_i64s(c, rank, starts)},
                        {name_of(c, "limit_indices"), attr_i64s(c, rank, limits)},
                        {name_of(c, "strides"), attr_i64s(c, rank, strides)}};
  int64_t size = limit > start ? (limit - start - 1) / stride + 1 : 0;
  return local_op(l, OP_slice, 1, &v, type_with_dim(l->p->context, value_type(l->p, v), d, size),
                  attr_dict(c, 3, fields));
}

ValueId local_trim_to(Local *l, ValueId v, uint32_t d, int64_t size) {
  return local_dim(l, v, d) <= size ? v : local_slice(l, v, d, 0, size, 1);
}

ValueId local_dynamic_slice(Local *l, ValueId v, uint32_t d, ValueId start, int64_t size) {
  Context *c = l->p->context;
  uint32_t rank = rank_of(l, v);
  Type to = type_with_dim(l->p->context, value_type(l->p, v), d, size);
  ValueId operands[MAX_RANK + 1] = {v}, zero = rank > 1 ? local_index(l, 0) : 0;
  for (uint32_t i = 0; i < rank; i++) operands[1 + i] = i == d ? start : zero;
  return local_op(l, OP_dynamic_slice, 1 + rank, operands, to,
                  dict1(c, "slice_sizes", attr_i64s(c, rank, type_info(c, to)->dims)));
}

ValueId local_dynamic_update(Local *l, ValueId into, ValueId update, uint32_t d, ValueId start) {
  uint32_t rank = rank_of(l, into);
  ValueId operands[MAX_RANK + 2] = {into, update}, zero = rank > 1 ? local_index(l, 0) : 0;
  for (uint32_t i = 0; i < rank; i++) operands[2 + i] = i == d ? start : zero;
  return local_op(l, OP_dynamic_update_slice, 2 + rank, operands, value_type(l->p, into), 0);
}

ValueId local_concatenate(Local *l, uint32_t n, const ValueId *v, uint32_t d) {
  if (n == 1) return v[0];
  Context *c = l->p->context;
  int64_t size = 0;
  for (uint32_t i = 0; i < n; i++) size += local_dim(l, v[i], d);
  return local_op(l, OP_concatenate, n, v,
                  type_with_dim(l->p->context, value_type(l->p, v[0]), d, size),
                  dict1(c, "dimension", attr_i64(c, d)));
}

ValueId local_mask(Local *l, ValueId v, uint32_t d, ValueId first, ValueId end, ValueId fill) {
  Type type = value_type(l->p, v);
  ValueId number = local_iota(l, type, d), keep = 0;
  Type index = value_type(l->p, number);
  if (first) keep = local_compare(l, "GE", number, local_broadcast(l, first, index));
  if (end) {
    ValueId before = local_compare(l, "LT", number, local_broadcast(l, end, index));
    keep = keep ? local_binary(l, OP_and, keep, before) : before;
  }
  return keep ? local_select(l, keep, v, local_broadcast(l, fill, type)) : v;
}

// ---- exchange ----

static Attr channel(const Local *l) {
  return l->channel ? l->channel : groups_channel_attr(l->p->context, 1);
}

ValueId local_all_gather_in(Local *l, ValueId v, uint32_t d, int64_t width, Attr groups) {
  Context *c = l->p->context;
  Type type = type_with_dim(c, value_type(l->p, v), d, local_dim(l, v, d) * width);
  NamedAttr fields[] = {{name_of(c, "all_gather_dim"), attr_i64(c, d)},
                        {name_of(c, "replica_groups"), groups},
                        {name_of(c, "channel_handle"), channel(l)},
                        {name_of(c, "use_global_device_ids"), attr_unit(c)}};
  return local_op(l, OP_all_gather, 1, &v, type, attr_dict(c, 4, fields));
}

ValueId local_all_gather(Local *l, ValueId v, uint32_t d, AxisList axes) {
  return local_all_gather_in(l, v, d, axes_size(axes), local_groups(l, axes));
}

ValueId local_all_to_all(Local *l, ValueId v, uint32_t split, uint32_t concat, AxisList axes) {
  Context *c = l->p->context;
  int64_t n = axes_size(axes);
  Type type = type_with_dim(l->p->context, value_type(l->p, v), split, local_dim(l, v, split) / n);
  type = type_with_dim(l->p->context, type, concat, type_info(c, type)->dims[concat] * n);
  NamedAttr fields[] = {{name_of(c, "split_dimension"), attr_i64(c, split)},
                        {name_of(c, "concat_dimension"), attr_i64(c, concat)},
                        {name_of(c, "split_count"), attr_i64(c, n)},
                        {name_of(c, "replica_groups"), local_groups(l, axes)},
                        {name_of(c, "channel_handle"), channel(l)}};
  return local_op(l, OP_all_to_all, 1, &v, type, attr_dict(c, 5, fields));
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

ValueId local_combine(Local *l, Combine combine, ValueId a, ValueId b) {
  return local_binary(l, combine_code(combine), a, b);
}

// The body that combines two elements.
static void put_body(Local *l, OpId op, Type elem, Combine combine) {
  Local in = *l;
  Type scalar = type_tensor(l->p->context, elem, 0, NULL, 0);
  in.before = 0;
  in.block = region_add_block(l->p, op_region(l->p, op, 0));
  ValueId args[2];
  for (uint32_t i = 0; i < 2; i++) args[i] = block_add_arg(l->p, in.block, scalar, 0);
  ValueId both = local_combine(&in, combine, args[0], args[1]);
  local_return(&in, 1, &both);
}

ValueId local_reduce(Local *l, ValueId v, uint32_t n, const int64_t *dims, Combine combine) {
  Context *c = l->p->context;
  const TypeInfo *info = type_info(c, value_type(l->p, v));
  int64_t left[MAX_RANK];
  uint32_t rank = 0;
  for (uint32_t d = 0, i = 0; d < info->rank; d++)
    if (i < n && dims[i] == d)
      i++;
    else
      left[rank++] = info->dims[d];
  ValueId init = local_identity(l, type_tensor(c, info->elem, 0, NULL, 0), combine);
  Type type = type_tensor(c, info->elem, rank, left, 0);
  OpId op = local_op_many(l, OP_reduce, 2, (ValueId[]){v, init}, 1, &type, 1,
                          dict1(c, "dimensions", attr_i64s(c, n, dims)));
  put_body(l, op, info->elem, combine);
  return op_result(l->p, op, 0);
}

Type local_sum_type(Context *context, Combine combine, Type type) {
  DType dtype = type_dtype(context, type), wide = combine_dtype(combine, dtype);
  return wide == dtype ? type : type_with_elem(context, type, type_scalar(wide));
}

OpId local_collective_many(Local *l, uint16_t code, uint32_t n, const ValueId *operands,
                           const Type *results, Attr attrs, Combine combine) {
  bool combines = combine != COMBINE_NONE;
  OpId op = local_op_many(l, code, n, operands, n, results, combines, attrs);
  if (combines) put_body(l, op, type_elem(l->p->context, results[0]), combine);
  return op;
}

ValueId local_collective(Local *l, uint16_t code, ValueId v, Type type, Attr attrs,
                         Combine combine) {
  bool widens = combine != COMBINE_NONE && !l->joined;
  Type made = widens ? local_sum_type(l->p->context, combine, type) : type;
  OpId op = local_collective_many(l, code, 1, &v, &made, attrs, combine);
  ValueId result = op_result(l->p, op, 0);
  return made == type ? result : local_op(l, OP_convert, 1, &result, type, 0);
}

static ValueId put_reduce(Local *l, uint16_t code, ValueId v, Type type, AxisList axes,
                          Combine combine, uint32_t d) {
  Context *c = l->p->context;
  NamedAttr fields[] = {{name_of(c, "replica_groups"), local_groups(l, axes)},
                        {name_of(c, "channel_handle"), channel(l)},
                        {name_of(c, "use_global_device_ids"), attr_unit(c)},
                        {name_of(c, "scatter_dimension"), attr_i64(c, d)}};
  uint32_t n = code == OP_reduce_scatter ? 4 : 3;
  return local_collective(l, code, v, type, attr_dict(c, n, fields), combine);
}

ValueId local_all_reduce(Local *l, ValueId v, AxisList axes, Combine combine) {
  return put_reduce(l, OP_all_reduce, v, value_type(l->p, v), axes, combine, 0);
}

ValueId local_reduce_scatter(Local *l, ValueId v, uint32_t d, AxisList axes, Combine combine) {
  Type type =
      type_with_dim(l->p->context, value_type(l->p, v), d, local_dim(l, v, d) / axes_size(axes));
  return put_reduce(l, OP_reduce_scatter, v, type, axes, combine, d);
}

ValueId local_permute_ids(Local *l, ValueId v, uint32_t n, const int64_t (*pairs)[2]) {
  Context *c = l->p->context;
  NamedAttr fields[] = {{name_of(c, "source_target_pairs"), local_groups_attr(c, n, 2, *pairs)},
                        {name_of(c, "channel_handle"), channel(l)}};
  return local_op(l, OP_collective_permute, 1, &v, value_type(l->p, v), attr_dict(c, 2, fields));
}

ValueId local_permute(Local *l, ValueId v, uint32_t n, const int64_t (*pairs)[2]) {
  const Mesh *mesh = mesh_of(l);
  int64_t(*ids)[2] = arena_alloc(l->arena, ((size_t)n + 1) * sizeof *ids);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < 2; k++) ids[i][k] = mesh_device(mesh, (uint32_t)pairs[i][k]);
  return local_permute_ids(l, v, n, (const int64_t(*)[2])ids);
}

ValueId local_from(Local *l, ValueId v, uint32_t position) {
  Context *c = l->p->context;
  const Mesh *mesh = mesh_of(l);
  uint32_t n = mesh->n_devices;
  ArenaMark mark = arena_mark(l->arena);
  int64_t *ids = ARENA_ARRAY(l->arena, int64_t, n);  // the first of a group sends
  ids[0] = mesh_device(mesh, position);
  for (uint32_t i = 0, k = 1; i < n; i++)
    if (i != position) ids[k++] = mesh_device(mesh, i);
  NamedAttr fields[] = {{name_of(c, "replica_groups"), local_groups_attr(c, 1, n, ids)},
                        {name_of(c, "channel_handle"), channel(l)}};
  arena_rewind(l->arena, mark);
  return local_op(l, OP_collective_broadcast, 1, &v, value_type(l->p, v), attr_dict(c, 2, fields));
}

ValueId local_permute_along(Local *l, ValueId v, AxisList axes, uint32_t n,
                            const int64_t (*pairs)[2]) {
  const Mesh *mesh = mesh_of(l);
  int64_t ways = axes_size(axes), groups = mesh->n_devices / ways;
  AxisList others = axes_complement(l->arena, mesh, axes);
  int64_t *at = ARENA_ARRAY(l->arena, int64_t, mesh->n_devices);  // positions by group and member
  for (uint32_t i = 0; i < mesh->n_devices; i++)
    at[axes_coordinate(mesh, others, i) * ways + axes_coordinate(mesh, axes, i)] = i;
  int64_t(*all)[2] = arena_alloc(l->arena, ((size_t)groups * n + 1) * sizeof *all);
  uint32_t count = 0;
  for (int64_t g = 0; g < groups; g++)
    for (uint32_t i = 0; i < n; i++, count++) {
      all[count][0] = at[g * ways + pairs[i][0]];
      all[count][1] = at[g * ways + pairs[i][1]];
    }
  return local_permute(l, v, count, (const int64_t(*)[2])all);
}

ValueId local_shift(Local *l, ValueId v, AxisList axes, int64_t distance, bool wraps) {
  int64_t ways = axes_size(axes);
  int64_t(*pairs)[2] = arena_alloc(l->arena, (size_t)ways * sizeof *pairs);
  uint32_t count = 0;
  for (int64_t i = 0; i < ways; i++) {
    int64_t from = i + distance;
    if (wraps) from = (from % ways + ways) % ways;
    if (from < 0 || from >= ways) continue;
    pairs[count][0] = from;
    pairs[count++][1] = i;
  }
  return local_permute_along(l, v, axes, count, (const int64_t(*)[2])pairs);
}
