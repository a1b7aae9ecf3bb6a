// Each move of a plan becomes one collective, with pads and slices where tiles do not divide: a
// dimension that is cut from whole is padded to a multiple of its tile first, one that becomes
// whole is trimmed after.
#include "partition/reshard_local.h"

static const Mesh *mesh_of(const Local *l) { return sharding_mesh(l->table, l->mesh); }

static ValueId move_slice(Local *l, const Move *m, ValueId v, Type to) {
  int64_t tile = type_info(l->p->context, to)->dims[m->to_dim];
  v = local_pad_to(l, v, m->to_dim, tile * axes_size(m->axes));
  ValueId at = local_binary(l, OP_multiply, local_coordinate(l, m->axes), local_index(l, tile));
  return local_dynamic_slice(l, v, m->to_dim, at, tile);
}

static ValueId move_gather(Local *l, const Move *m, ValueId v, Type to) {
  v = local_all_gather(l, v, m->from_dim, m->axes);
  return local_trim_to(l, v, m->from_dim, type_info(l->p->context, to)->dims[m->from_dim]);
}

static ValueId move_exchange(Local *l, const Move *m, ValueId v, Type to) {
  const TypeInfo *info = type_info(l->p->context, to);
  v = local_pad_to(l, v, m->to_dim, info->dims[m->to_dim] * axes_size(m->axes));
  v = local_all_to_all(l, v, m->to_dim, m->from_dim, m->axes);
  return local_trim_to(l, v, m->from_dim, info->dims[m->from_dim]);
}

// The number of a device's tile among all; devices along manual axes, or with parts of a sum of
// their own, have different ones.
static int64_t tile_number(const Local *l, const ShardingInfo *info, uint32_t position) {
  int64_t number = axes_coordinate(mesh_of(l), l->manual, position);
  number =
      number * axes_size(info->unreduced) + axes_coordinate(mesh_of(l), info->unreduced, position);
  for (uint32_t d = 0; d < info->rank; d++) {
    AxisList axes = sharding_dim_axes(info, d);
    number = number * axes_size(axes) + axes_coordinate(mesh_of(l), axes, position);
  }
  return number;
}

// Who has a tile sends it to those who want it: to itself if it does, the others in order.
static ValueId move_permute(Local *l, const Move *m, ValueId v, Sharding from) {
  uint32_t n = mesh_of(l)->n_devices;
  const ShardingInfo *a = sharding_info(l->table, from), *b = sharding_info(l->table, m->to);
  uint32_t *next = ARENA_ARRAY(l->arena, uint32_t, n + 1);  // list of free holders of a tile
  uint32_t *head = ARENA_ARRAY(l->arena, uint32_t, n + 1);
  int64_t(*pairs)[2] = arena_alloc(l->arena, (size_t)n * sizeof *pairs);
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
    pairs[i][0] = source;
    pairs[i][1] = i;
  }
  return local_permute(l, v, n, (const int64_t(*)[2])pairs);
}

static ValueId move_reduce(Local *l, const Move *m, ValueId v, Type to, Combine combine) {
  if (m->kind == MOVE_ALL_REDUCE) return local_all_reduce(l, v, m->axes, combine);
  int64_t tile = type_info(l->p->context, to)->dims[m->to_dim];
  v = local_pad_to(l, v, m->to_dim, tile * axes_size(m->axes));
  return local_reduce_scatter(l, v, m->to_dim, m->axes, combine);
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
