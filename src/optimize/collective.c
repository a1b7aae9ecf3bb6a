// Groups are expanded to device ids once per replica_groups attribute. A program has few different
// groups and many collectives, so lookups search a list.
#include "optimize/collective.h"

#include "base/vec.h"
#include "cost/collectives.h"
#include "ops/factors.h"
#include "ops/groups.h"
#include "optimize/facts.h"

typedef struct Entry {
  Attr groups;
  GroupKind kind;
  const DeviceGroups *value;  // NULL: unsupported
} Entry;

struct GroupTable {
  VEC(Entry) entries;
};

uint64_t collective_all_axes(const Optimizer *o) {
  uint32_t n = o->mesh ? o->mesh->n_axes : 1;
  return n >= 64 ? 1 : ((uint64_t)1 << n) - 1;
}

// The mesh axes along which two devices differ.
static uint64_t axes_between(const Optimizer *o, uint32_t a, uint32_t b) {
  if (a == b) return 0;
  if (!o->mesh || o->mesh->n_axes >= 64) return 1;
  uint64_t axes = 0;
  uint32_t x = mesh_position(o->mesh, a), y = mesh_position(o->mesh, b);
  for (uint32_t i = 0; i < o->mesh->n_axes; i++) {
    const MeshAxis *axis = &o->mesh->axes[i];
    if (x / axis->stride % axis->size != y / axis->stride % axis->size) axes |= (uint64_t)1 << i;
  }
  return axes;
}

// The number of devices along the axes; all devices if the axes are not tracked.
static uint64_t axes_size_of(const Optimizer *o, uint64_t axes) {
  if (!o->mesh || o->mesh->n_axes >= 64) return o->n_devices;
  uint64_t size = 1;
  for (uint32_t i = 0; i < o->mesh->n_axes; i++)
    if (axes >> i & 1) size *= o->mesh->axes[i].size;
  return size;
}

// NULL unless the groups hold each device exactly once. O(devices · axes).
static const DeviceGroups *expand(Optimizer *o, const Groups *groups) {
  uint32_t n = o->n_devices;
  bool all = groups->n == 0 || groups->width == 0;  // one group of all
  uint32_t width = all ? n : groups->width;
  if ((uint64_t)width * (all ? 1 : groups->n) != n) return NULL;
  uint32_t *members = ARENA_ARRAY(&o->arena, uint32_t, n),
           *group_of = ARENA_ARRAY(&o->arena, uint32_t, n),
           *index_in_group = ARENA_ARRAY(&o->arena, uint32_t, n);
  bool *seen = ARENA_ARRAY(&o->scratch, bool, n);
  DeviceGroups *out = ARENA_NEW(&o->arena, DeviceGroups);
  *out = (DeviceGroups){n / width, width, members, group_of, index_in_group, 0, false};
  for (uint32_t i = 0; i < n; i++) {
    int64_t id = all ? i : groups->ids[i];
    if (id < 0 || id >= n || seen[id]) return NULL;
    seen[id] = true;
    members[i] = (uint32_t)id;
    group_of[id] = i / width;
    index_in_group[id] = i % width;
    out->axes |= axes_between(o, members[i], members[i - i % width]);
  }
  out->covers_axes = axes_size_of(o, out->axes) == width;
  return out;
}

static bool sends_by_pairs(const Program *p, OpId op) {
  const Collective *row = collective_row(op_at(p, op)->code);
  return row && row->peers == PEERS_PAIRS;
}

// The kind decides what replica_groups mean. Local programs have one replica, so flattened ids and
// partition ids are device ids; kinds that group replicas are not supported.
const DeviceGroups *collective_groups(Optimizer *o, OpId op) {
  Program *p = o->p;
  if (!o->n_devices || sends_by_pairs(p, op)) return NULL;
  if (!o->groups) o->groups = ARENA_NEW(&o->arena, GroupTable);
  Attr attrs = op_at(p, op)->attrs, attr = attr_get(o->context, attrs, "replica_groups");
  uint16_t code = op_at(p, op)->code;
  bool across_both = collective_is_across_both(code);
  bool global =
      attr_as_bool(o->context, attr_get(o->context, attrs, "use_global_device_ids"), false);
  GroupKind kind = groups_channel(o->context, attrs) <= 0 ? GROUP_CROSS_REPLICA
                   : across_both && global                ? GROUP_FLATTENED
                   : across_both                          ? GROUP_CROSS_REPLICA_AND_PARTITION
                                                          : GROUP_CROSS_PARTITION;
  for (uint32_t i = 0; i < o->groups->entries.count; i++) {
    Entry *e = &o->groups->entries.items[i];
    if (e->groups == attr && e->kind == kind) return e->value;
  }
  Groups groups;
  const char *why;
  const DeviceGroups *value = NULL;
  if ((kind == GROUP_FLATTENED || kind == GROUP_CROSS_PARTITION) &&
      groups_read(o->context, p, op, attrs, across_both, &groups, &why) && groups.kind == kind)
    value = expand(o, &groups);
  VEC_PUSH(&o->arena, &o->groups->entries, ((Entry){attr, kind, value}));
  return value;
}

Attr collective_attrs(Optimizer *o, OpId like, uint32_t n, uint32_t width, const int64_t *members) {
  return attr_dict_with(o->context, op_at(o->p, like)->attrs, "replica_groups",
                        build_groups_attr(o->context, n, width, members));
}

// The links that the groups use. Groups that are a subset of the devices along their axes are
// priced with the slowest of these links.
static Route groups_route(const Optimizer *o, uint64_t axes, uint32_t width) {
  AxisRef refs[64];
  uint32_t n = 0;
  if (!o->mesh || o->mesh->n_axes >= 64) return route_flat(o->network->all, width);
  for (uint32_t i = 0; i < o->mesh->n_axes; i++)
    if (axes >> i & 1) refs[n++] = axis_full(o->mesh, i);
  Route route = network_route(o->network, (AxisList){refs, n});
  return route_size(&route) == width ? route : route_flat(route_slowest(&route), width);
}

Link collective_link(const Optimizer *o, const DeviceGroups *groups) {
  Route route = groups_route(o, groups->axes, groups->width);
  return route_slowest(&route);
}

// The mesh axes along which a permute's pairs differ.
static uint64_t axes_of_pairs(const Optimizer *o, OpId op) {
  Ints ids = attr_as_ints(o->context, op_attr(o->p, op, "source_target_pairs"));
  uint64_t axes = 0;
  for (uint32_t i = 0; i + 1 < ids.n; i += 2)
    if (ids.v[i] >= 0 && ids.v[i] < o->n_devices && ids.v[i + 1] >= 0 &&
        ids.v[i + 1] < o->n_devices)
      axes |= axes_between(o, (uint32_t)ids.v[i], (uint32_t)ids.v[i + 1]);
  return axes;
}

double collective_seconds(Optimizer *o, OpId op) {
  uint16_t code = op_at(o->p, op)->code;
  double held = fact_operand_bytes(o->p, op);
  const Collective *row = collective_row(code);
  const DeviceGroups *groups = collective_groups(o, op);
  Route route = {0};
  if (row && row->peers == PEERS_PAIRS)
    route = groups_route(o, axes_of_pairs(o, op), 1);
  else if (row && groups)
    route = groups_route(o, groups->axes, groups->width);
  return route.n_levels ? collective_price(code, &route, held).seconds : 0;
}

// Compares each device's index with its coordinate along the groups' axes, row-major.
bool collective_index_is_known(const Optimizer *o, const DeviceGroups *groups) {
  const Mesh *mesh = o->mesh;
  for (uint32_t i = 0; i < o->n_devices; i++) {
    uint32_t index = 0;
    for (uint32_t k = 0; mesh && k < mesh->n_axes; k++)
      if (groups->axes >> k & 1)
        index = index * mesh->axes[k].size + i / mesh->axes[k].stride % mesh->axes[k].size;
    if ((mesh ? index : i) != groups->index_in_group[i]) return false;
  }
  return groups->covers_axes && (!mesh || (!mesh->positions && mesh->n_axes < 64));
}

static ValueId by(Builder *b, uint16_t code, ValueId a, int64_t number) {
  return build_binary(b, code, a, build_index(b, number));
}

ValueId collective_index(Optimizer *o, OpId before, const DeviceGroups *groups) {
  Type id_type = type_tensor(o->context, type_scalar(DT_ui32), 0, NULL, 0);
  Builder b = rewrite_before(o->p, before);
  ValueId id = build_op(&b, OP_partition_id, 0, NULL, id_type, 0), index = 0;
  id = build_convert(&b, id, type_scalar(DT_i64));
  for (uint32_t k = 0; o->mesh && k < o->mesh->n_axes; k++) {
    const MeshAxis *axis = &o->mesh->axes[k];
    if (!(groups->axes >> k & 1)) continue;
    ValueId at = by(&b, OP_divide, id, axis->stride);
    at = by(&b, OP_remainder, at, axis->size);
    index = index ? build_binary(&b, OP_add, by(&b, OP_multiply, index, axis->size), at) : at;
  }
  return index ? index : id;
}

Combine collective_sum(const Program *p, OpId op) {
  if (!op || op_at(p, op)->code != OP_all_reduce || op_at(p, op)->n_operands != 1)
    return COMBINE_NONE;
  Combine combine = op_combine(p, op);
  return combine_is_named(combine) && op_operand_type(p, op, 0) == op_result_type(p, op, 0)
             ? combine
             : COMBINE_NONE;
}
