// Each move of a plan becomes one collective, with pads and slices where tiles do not divide: a
// dimension that is cut from whole is padded to a multiple of its tile first, one that becomes
// whole is trimmed after.
#include "partition/local.h"

#include <math.h>
#include <string.h>

#include "ops/op.h"

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

// ---- ops ----

static OpId append_op(Local *l, uint16_t code, uint32_t n, const ValueId *operands, Type result,
                      uint32_t n_regions, Attr attrs) {
  OpSpec spec = {.code = code,
                 .n_operands = n,
                 .operands = operands,
                 .n_results = 1,
                 .result_types = &result,
                 .n_regions = n_regions,
                 .attrs = attrs,
                 .pos = POS_NONE,
                 .origin = l->origin};
  OpId op = op_create(l->p, &spec);
  op_append(l->p, l->block, op);
  return op;
}

ValueId local_op(Local *l, uint16_t code, uint32_t n, const ValueId *operands, Type result,
                 Attr attrs) {
  return op_result(l->p, append_op(l, code, n, operands, result, 0, attrs), 0);
}

static Attr dict1(Context *c, const char *name, Attr value) {
  return attr_dict(c, 1, &(NamedAttr){name_of(c, name), value});
}

static Type index_type(Context *c) { return type_tensor(c, type_scalar(DT_i64), 0, NULL, 0); }

ValueId local_index(Local *l, int64_t value) {
  Context *c = l->p->context;
  Type type = index_type(c);
  return local_op(l, OP_constant, 0, NULL, type,
                  dict1(c, "value", attr_dense(c, type, &value, sizeof value)));
}

static ValueId binary(Local *l, uint16_t code, ValueId a, ValueId b) {
  return local_op(l, code, 2, (ValueId[]){a, b}, value_type(l->p, a), 0);
}

// A splat of one element's bytes.
static ValueId splat(Local *l, Type type, const void *element, size_t bytes) {
  Context *c = l->p->context;
  return local_op(l, OP_constant, 0, NULL, type,
                  dict1(c, "value", attr_dense(c, type, element, bytes)));
}

// x + -0.0 is x for every x, also for -0.0.
static Scalar identity_of(DType dtype, Combine combine) {
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

static ValueId splat_of(Local *l, Type type, Scalar scalar) {
  DType dtype = type_dtype(l->p->context, type);
  uint8_t element[16] = {0};
  dtype_store(dtype, element, 0, scalar);
  return splat(l, type, element, (size_t)dtype_bytes(dtype));
}

ValueId local_identity(Local *l, Type type, Combine combine) {
  return splat_of(l, type, identity_of(type_dtype(l->p->context, type), combine));
}

// What stands behind a tensor's end.
static ValueId padding(Local *l, Type type) {
  if (!l->poison) return local_identity(l, type, COMBINE_SUM);
  DType dtype = type_dtype(l->p->context, type);
  bool parts = dtype_is_float(dtype) || dtype_is_complex(dtype);
  return splat_of(l, type,
                  parts            ? scalar_c(NAN, NAN)
                  : dtype == DT_i1 ? scalar_i(1)
                                   : dtype_min(dtype));
}

static const Mesh *mesh_of(const Local *l) { return sharding_mesh(l->table, l->mesh); }

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
  Type type = type_tensor(c, type_scalar(DT_i64), 1, &(int64_t){mesh->n_devices}, 0);
  ValueId places =
      local_op(l, OP_constant, 0, NULL, type,
               dict1(c, "value", attr_dense(c, type, table, mesh->n_devices * sizeof *table)));
  Type one = type_tensor(c, type_scalar(DT_i64), 1, &(int64_t){1}, 0);
  ValueId place = local_op(l, OP_dynamic_slice, 2, (ValueId[]){places, l->position}, one,
                           dict1(c, "slice_sizes", attr_i64s(c, 1, &(int64_t){1})));
  l->position = local_op(l, OP_reshape, 1, &place, index_type(c), 0);
  return l->position;
}

ValueId local_coordinate(Local *l, AxisList axes) {
  const Mesh *mesh = mesh_of(l);
  ValueId position = local_position(l), index = 0;
  for (uint32_t i = 0; i < axes.n; i++) {
    const MeshAxis *axis = &mesh->axes[axes.v[i].axis];
    int64_t unit = (int64_t)axis->stride * (axis->size / axis_next(axes.v[i]));
    ValueId at = position;
    if (unit > 1) at = binary(l, OP_divide, at, local_index(l, unit));
    at = binary(l, OP_remainder, at, local_index(l, axes.v[i].size));
    index =
        index ? binary(l, OP_add, binary(l, OP_multiply, index, local_index(l, axes.v[i].size)), at)
              : at;
  }
  return index ? index : local_index(l, 0);
}

// The first device along the axes keeps the value, the others have what changes nothing.
ValueId local_first(Local *l, ValueId v, AxisList axes, Combine combine) {
  Context *c = l->p->context;
  Type type = value_type(l->p, v);
  Type truth = type_tensor(c, type_scalar(DT_i1), 0, NULL, 0);
  NamedAttr equal = {name_of(c, "comparison_direction"),
                     attr_enum(c, "stablehlo.comparison_direction", "EQ")};
  ValueId at = local_coordinate(l, axes), zero = local_index(l, 0);
  ValueId first = local_op(l, OP_compare, 2, (ValueId[]){at, zero}, truth, attr_dict(c, 1, &equal));
  ValueId none = local_identity(l, type, combine);
  return local_op(l, OP_select, 3, (ValueId[]){first, v, none}, type, 0);
}

// ---- groups ----

// The devices along the axes, for every choice of the other coordinates.
Attr local_groups(Local *l, AxisList axes) {
  Context *c = l->p->context;
  const Mesh *mesh = mesh_of(l);
  uint32_t n = mesh->n_devices;
  int64_t size = axes_size(axes), count = n / size;
  int64_t *ids = ARENA_ARRAY(l->arena, int64_t, n);
  AxisList others = axes_complement(l->arena, mesh, axes);
  for (uint32_t i = 0; i < n; i++) {
    int64_t group = axes_coordinate(mesh, others, i), member = axes_coordinate(mesh, axes, i);
    ids[group * size + member] = mesh_device(mesh, i);
  }
  Type type = type_tensor(c, type_scalar(DT_i64), 2, (int64_t[]){count, size}, 0);
  return attr_dense(c, type, ids, n * sizeof *ids);
}

static Attr channel(Context *c) {
  NamedAttr fields[] = {{name_of(c, "handle"), attr_i64(c, 1)},
                        {name_of(c, "type"), attr_i64(c, 1)}};
  return attr_struct(c, "stablehlo.channel_handle", 2, fields);
}

// ---- sizes ----

static Type with_dim(Local *l, Type type, uint32_t d, int64_t size) {
  Context *c = l->p->context;
  const TypeInfo *info = type_info(c, type);
  int64_t dims[64];
  for (uint32_t i = 0; i < info->rank; i++) dims[i] = i == d ? size : info->dims[i];
  return type_tensor(c, info->elem, info->rank, dims, info->encoding);
}

static int64_t dim_of(const Local *l, ValueId v, uint32_t d) {
  return type_info(l->p->context, value_type(l->p, v))->dims[d];
}

static ValueId pad_to(Local *l, ValueId v, uint32_t d, int64_t size) {
  int64_t has = dim_of(l, v, d);
  if (has >= size) return v;
  Context *c = l->p->context;
  const TypeInfo *info = type_info(c, value_type(l->p, v));
  int64_t none[64] = {0}, high[64] = {0};
  high[d] = size - has;
  ValueId fill = padding(l, type_tensor(c, info->elem, 0, NULL, 0));
  NamedAttr fields[] = {{name_of(c, "edge_padding_low"), attr_i64s(c, info->rank, none)},
                        {name_of(c, "edge_padding_high"), attr_i64s(c, info->rank, high)},
                        {name_of(c, "interior_padding"), attr_i64s(c, info->rank, none)}};
  return local_op(l, OP_pad, 2, (ValueId[]){v, fill}, with_dim(l, value_type(l->p, v), d, size),
                  attr_dict(c, 3, fields));
}

static ValueId trim_to(Local *l, ValueId v, uint32_t d, int64_t size) {
  if (dim_of(l, v, d) <= size) return v;
  Context *c = l->p->context;
  const TypeInfo *info = type_info(c, value_type(l->p, v));
  int64_t start[64] = {0}, limit[64], stride[64];
  for (uint32_t i = 0; i < info->rank; i++) limit[i] = i == d ? size : info->dims[i], stride[i] = 1;
  NamedAttr fields[] = {{name_of(c, "start_indices"), attr_i64s(c, info->rank, start)},
                        {name_of(c, "limit_indices"), attr_i64s(c, info->rank, limit)},
                        {name_of(c, "strides"), attr_i64s(c, info->rank, stride)}};
  return local_op(l, OP_slice, 1, &v, with_dim(l, value_type(l->p, v), d, size),
                  attr_dict(c, 3, fields));
}

// ---- moves ----

static ValueId move_slice(Local *l, const Move *m, ValueId v, Type to) {
  Context *c = l->p->context;
  uint32_t d = m->to_dim, rank = type_info(c, to)->rank;
  int64_t tile = type_info(c, to)->dims[d];
  v = pad_to(l, v, d, tile * axes_size(m->axes));
  ValueId operands[65] = {v};
  ValueId zero = local_index(l, 0);
  for (uint32_t i = 0; i < rank; i++) operands[1 + i] = zero;
  operands[1 + d] = binary(l, OP_multiply, local_coordinate(l, m->axes), local_index(l, tile));
  return local_op(l, OP_dynamic_slice, 1 + rank, operands, to,
                  dict1(c, "slice_sizes", attr_i64s(c, rank, type_info(c, to)->dims)));
}

static ValueId move_gather(Local *l, const Move *m, ValueId v, Type to) {
  Context *c = l->p->context;
  uint32_t d = m->from_dim;
  Type type = with_dim(l, value_type(l->p, v), d, dim_of(l, v, d) * axes_size(m->axes));
  NamedAttr fields[] = {{name_of(c, "all_gather_dim"), attr_i64(c, d)},
                        {name_of(c, "replica_groups"), local_groups(l, m->axes)},
                        {name_of(c, "channel_handle"), channel(c)},
                        {name_of(c, "use_global_device_ids"), attr_unit(c)}};
  v = local_op(l, OP_all_gather, 1, &v, type, attr_dict(c, 4, fields));
  return trim_to(l, v, d, type_info(c, to)->dims[d]);
}

static ValueId move_exchange(Local *l, const Move *m, ValueId v, Type to) {
  Context *c = l->p->context;
  int64_t n = axes_size(m->axes), tile = type_info(c, to)->dims[m->to_dim];
  v = pad_to(l, v, m->to_dim, tile * n);
  Type type = with_dim(l, value_type(l->p, v), m->to_dim, tile);
  type = with_dim(l, type, m->from_dim, dim_of(l, v, m->from_dim) * n);
  NamedAttr fields[] = {{name_of(c, "split_dimension"), attr_i64(c, m->to_dim)},
                        {name_of(c, "concat_dimension"), attr_i64(c, m->from_dim)},
                        {name_of(c, "split_count"), attr_i64(c, n)},
                        {name_of(c, "replica_groups"), local_groups(l, m->axes)},
                        {name_of(c, "channel_handle"), channel(c)}};
  v = local_op(l, OP_all_to_all, 1, &v, type, attr_dict(c, 5, fields));
  return trim_to(l, v, m->from_dim, type_info(c, to)->dims[m->from_dim]);
}

// The number of a device's tile among all.
static int64_t tile_number(const Local *l, const ShardingInfo *info, uint32_t position) {
  int64_t number = 0;
  for (uint32_t d = 0; d < info->rank; d++) {
    AxisList axes = sharding_dim_axes(info, d);
    number = number * axes_size(axes) + axes_coordinate(mesh_of(l), axes, position);
  }
  return number;
}

// Who has a tile sends it to those who want it: to itself if it does, the others in order.
static ValueId move_permute(Local *l, const Move *m, ValueId v, Sharding from) {
  Context *c = l->p->context;
  const Mesh *mesh = mesh_of(l);
  uint32_t n = mesh->n_devices;
  const ShardingInfo *a = sharding_info(l->table, from), *b = sharding_info(l->table, m->to);
  uint32_t *next = ARENA_ARRAY(l->arena, uint32_t, n + 1);  // list of free holders of a tile
  uint32_t *head = ARENA_ARRAY(l->arena, uint32_t, n + 1);
  int64_t *pairs = ARENA_ARRAY(l->arena, int64_t, 2 * (size_t)n);
  for (uint32_t i = n; i-- > 0;) {
    int64_t held = tile_number(l, a, i);
    if (held == tile_number(l, b, i)) continue;
    next[i] = head[held];
    head[held] = i + 1;
  }
  for (uint32_t i = 0; i < n; i++) {
    int64_t wanted = tile_number(l, b, i);
    uint32_t source = i;
    if (tile_number(l, a, i) != wanted) {
      source = head[wanted] - 1;
      head[wanted] = next[source];
    }
    pairs[2 * i] = mesh_device(mesh, source);
    pairs[2 * i + 1] = mesh_device(mesh, i);
  }
  Type type = type_tensor(c, type_scalar(DT_i64), 2, (int64_t[]){n, 2}, 0);
  NamedAttr fields[] = {
      {name_of(c, "source_target_pairs"), attr_dense(c, type, pairs, 2 * n * sizeof *pairs)},
      {name_of(c, "channel_handle"), channel(c)}};
  return local_op(l, OP_collective_permute, 1, &v, value_type(l->p, v), attr_dict(c, 2, fields));
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

// The body that combines two elements.
static void put_body(Local *l, OpId op, Type elem, Combine combine) {
  Context *c = l->p->context;
  Type scalar = type_tensor(c, elem, 0, NULL, 0);
  BlockId outer = l->block, block = region_add_block(l->p, op_region(l->p, op, 0));
  ValueId a = block_add_arg(l->p, block, scalar, 0);
  ValueId b = block_add_arg(l->p, block, scalar, 0);
  l->block = block;
  ValueId sum = local_op(l, combine_code(combine), 2, (ValueId[]){a, b}, scalar, 0);
  OpSpec end = {
      .code = OP_return, .n_operands = 1, .operands = &sum, .pos = POS_NONE, .origin = l->origin};
  op_append(l->p, block, op_create(l->p, &end));
  l->block = outer;
}

static ValueId move_reduce(Local *l, const Move *m, ValueId v, Type to, Combine combine) {
  Context *c = l->p->context;
  bool scatter = m->kind == MOVE_REDUCE_SCATTER;
  Type type = value_type(l->p, v);
  if (scatter) {
    int64_t tile = type_info(c, to)->dims[m->to_dim];
    v = pad_to(l, v, m->to_dim, tile * axes_size(m->axes));
    type = with_dim(l, value_type(l->p, v), m->to_dim, tile);
  }
  NamedAttr fields[] = {{name_of(c, "replica_groups"), local_groups(l, m->axes)},
                        {name_of(c, "channel_handle"), channel(c)},
                        {name_of(c, "use_global_device_ids"), attr_unit(c)},
                        {name_of(c, "scatter_dimension"), attr_i64(c, m->to_dim)}};
  OpId op = append_op(l, scatter ? OP_reduce_scatter : OP_all_reduce, 1, &v, type, 1,
                      attr_dict(c, scatter ? 4 : 3, fields));
  put_body(l, op, type_info(c, type)->elem, combine);
  return op_result(l->p, op, 0);
}

static Status *reshard(Local *l, ValueId value, Sharding from, Sharding to, Type global,
                       ValueId *out) {
  ReshardPlan plan;
  TRY(reshard_plan(l->table, l->network, from, to, global, l->arena, &plan));
  const ShardingInfo *a = sharding_info(l->table, from), *b = sharding_info(l->table, to);
  Combine combine = a->unreduced.n ? a->reducer : b->reducer;
  Sharding now = from;
  for (uint32_t i = 0; i < plan.n_moves; i++) {
    const Move *m = &plan.moves[i];
    Type type = local_type(l->table, m->to, global);
    switch (m->kind) {
    case MOVE_SLICE: value = move_slice(l, m, value, type); break;
    case MOVE_PERMUTE: value = move_permute(l, m, value, now); break;
    case MOVE_ALL_TO_ALL: value = move_exchange(l, m, value, type); break;
    case MOVE_ALL_GATHER: value = move_gather(l, m, value, type); break;
    case MOVE_REDUCE_SCATTER:
    case MOVE_ALL_REDUCE: value = move_reduce(l, m, value, type, combine); break;
    case MOVE_UNREDUCE: value = local_first(l, value, m->axes, combine); break;
    }
    now = m->to;
  }
  *out = value;
  return NULL;
}

// By way of the whole where there is no other way: the two cut an axis in parts that do not fit
// each other, or parts of one reducer become parts of another.
Status *local_reshard(Local *l, ValueId value, Sharding from, Sharding to, Type global,
                      ValueId *out) {
  Status *status = reshard(l, value, from, to, global, out);
  if (!status || status_code(status) != UNIMPLEMENTED || !from || !to) return status;
  MeshId a = sharding_info(l->table, from)->mesh, b = sharding_info(l->table, to)->mesh;
  if (!mesh_equal(sharding_mesh(l->table, a), sharding_mesh(l->table, b))) return status;
  status_free(status);
  TRY(reshard(l, value, from, 0, global, &value));
  return reshard(l, value, 0, to, global, out);
}
