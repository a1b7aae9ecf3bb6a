// Reads replica groups as ids and maps ids to processes. Mesh axes are expanded by enumeration of
// the mesh: devices with equal coordinates on the other axes form a group, ordered by the named
// axes. O(processes).
#include "ops/groups.h"

#include <stdlib.h>

#include "ops/reduction.h"

int64_t groups_channel(const Context *context, Attr attrs) {
  return attr_as_int(context,
                     attr_get(context, attr_get(context, attrs, "channel_handle"), "handle"), 0);
}

Attr groups_channel_attr(Context *context, int64_t handle) {
  NamedAttr fields[] = {{name_of(context, "handle"), attr_i64(context, handle)},
                        {name_of(context, "type"), attr_i64(context, 1)}};
  return attr_struct(context, "stablehlo.channel_handle", 2, fields);
}

typedef struct Axis {
  Name name;
  int64_t size, stride;  // in the mesh's row-major order
} Axis;

enum { MOST_AXES = 64, MOST_DEVICES = 1 << 20 };

// The mesh that a symbol names, or the attribute itself.
static Attr find_mesh(const Program *p, Attr mesh) {
  const AttrInfo *info = attr_info(p->context, mesh);
  if (info->kind != ATTR_SYMBOL && info->kind != ATTR_STRING) return mesh;
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root))
    if (op_at(p, o)->code == OP_sdy_mesh &&
        attr_as_name(p->context, op_attr(p, o, "sym_name")) == info->name)
      return op_attr(p, o, "mesh");
  return 0;
}

static bool read_axes(const Context *context, Attr mesh, uint32_t *out_n, Axis *axes,
                      int64_t *out_devices) {
  const AttrInfo *list = attr_info(context, attr_get(context, mesh, "axes"));
  if (list->count > MOST_AXES) return false;
  int64_t devices = 1;
  for (uint32_t i = list->count; i-- > 0;) {
    Attr axis = list->items[i];
    axes[i] = (Axis){attr_as_name(context, attr_get(context, axis, "name")),
                     attr_as_int(context, attr_get(context, axis, "size"), 0), devices};
    if (axes[i].size < 1 || axes[i].size > MOST_DEVICES || devices * axes[i].size > MOST_DEVICES)
      return false;
    devices *= axes[i].size;
  }
  *out_n = list->count;
  *out_devices = devices;
  return true;
}

// The size and stride of an axis or sub-axis (pre_size × size × rest). False if the mesh has no
// such axis.
static bool resolve_axis(Context *context, Attr ref, uint32_t n, const Axis *axes, Axis *out) {
  Name name = attr_as_name(context, attr_get(context, ref, "name"));
  Attr sub = attr_get(context, ref, "sub_axis_info");
  for (uint32_t i = 0; i < n; i++) {
    if (axes[i].name != name) continue;
    *out = axes[i];
    if (!sub) return true;
    Ints sub_axis = attr_as_ints(context, sub);  // pre_size, size
    if (!sub_axis.ok || sub_axis.n != 2 || sub_axis.v[0] < 1 || sub_axis.v[1] < 1 ||
        sub_axis.v[0] > axes[i].size || sub_axis.v[1] > axes[i].size ||
        axes[i].size % (sub_axis.v[0] * sub_axis.v[1]) != 0)
      return false;
    out->size = sub_axis.v[1];
    out->stride = axes[i].stride * (axes[i].size / (sub_axis.v[0] * sub_axis.v[1]));
    return true;
  }
  return false;
}

static bool expand_mesh_axes(const Program *p, Attr attr, Groups *out, const char **out_why) {
  Context *context = p->context;
  Attr mesh = find_mesh(p, attr_get(context, attr, "mesh"));
  if (!mesh) {
    *out_why = "the mesh of its replica_groups is not in this module";
    return false;
  }
  Axis axes[MOST_AXES], named[MOST_AXES];
  uint32_t n_axes;
  int64_t devices;
  const AttrInfo *refs = attr_info(context, attr_get(context, attr, "axes"));
  if (!read_axes(context, mesh, &n_axes, axes, &devices) || refs->count > MOST_AXES) {
    *out_why = "the mesh of its replica_groups is not valid";
    return false;
  }
  int64_t width = 1;
  for (uint32_t i = 0; i < refs->count; i++) {
    if (!resolve_axis(context, refs->items[i], n_axes, axes, &named[i])) {
      *out_why = arena_printf(
          context_arena(context),
          "its replica_groups use the axis or sub-axis \"%s\", which its mesh does not have",
          name_text(context, attr_as_name(context, attr_get(context, refs->items[i], "name"))));
      return false;
    }
    width *= named[i].size;
  }
  Ints order = attr_as_ints(context, attr_get(context, mesh, "device_ids"));
  int64_t *ids = ARENA_ARRAY(context_arena(context), int64_t, (size_t)devices);
  uint32_t n_groups = 0;
  for (int64_t first = 0; first < devices; first++) {
    // Each group is emitted at its first device, which has coordinate 0 on all named axes.
    bool leads = true;
    for (uint32_t i = 0; i < refs->count; i++)
      leads &= first / named[i].stride % named[i].size == 0;
    if (!leads) continue;
    // Member k: its mixed-radix digits are the coordinates on the named axes, major to minor.
    for (int64_t k = 0; k < width; k++) {
      int64_t rest = k, device = first;
      for (uint32_t i = refs->count; i-- > 0; rest /= named[i].size)
        device += rest % named[i].size * named[i].stride;
      ids[n_groups * width + k] =
          order.ok && (int64_t)order.n == devices ? order.v[device] : device;
    }
    n_groups++;
  }
  out->n = n_groups;
  out->width = (uint32_t)width;
  out->ids = ids;
  return true;
}

static bool read_dense(Context *context, Attr attr, Groups *out, const char **out_why) {
  const TypeInfo *type = type_info(context, attr_info(context, attr)->type);
  Ints ints = attr_as_ints(context, attr);
  if (attr_info(context, attr)->kind != ATTR_DENSE) {
    *out_why = "its replica_groups are neither dense<…> nor mesh axes";
    return false;
  }
  if (type->kind != TYPE_TENSOR || type->rank != 2) {
    *out_why = "its replica_groups do not have rank 2, expected shape [groups, size]";
    return false;
  }
  if (!ints.ok || type->dims[0] > UINT32_MAX || type->dims[1] > UINT32_MAX) {
    *out_why = "its replica_groups are not integers, or there are too many";
    return false;
  }
  out->n = (uint32_t)type->dims[0];
  out->width = (uint32_t)type->dims[1];
  out->ids = ints.v;
  return true;
}

bool groups_read(Context *context, const Program *p, OpId op, Attr attrs, bool across_both,
                 Groups *out, const char **out_why) {
  (void)op;
  int64_t channel = groups_channel(context, attrs);
  bool global = attr_as_bool(context, attr_get(context, attrs, "use_global_device_ids"), false);
  *out = (Groups){.kind = GROUP_CROSS_REPLICA};
  if (channel > 0)
    out->kind = across_both ? GROUP_CROSS_REPLICA_AND_PARTITION : GROUP_CROSS_PARTITION;
  if (global && channel > 0) out->kind = GROUP_FLATTENED;
  Attr groups = attr_get(context, attrs, "replica_groups");
  if (attr_info(context, groups)->kind == ATTR_STRUCT)
    return expand_mesh_axes(p, groups, out, out_why);
  return read_dense(context, groups, out, out_why);
}

bool groups_check(Infer *cx, bool across_both, bool same_size, int unique, int range, int global,
                  Groups *out) {
  const char *why;
  Attr attrs = op_at(cx->program, cx->op)->attrs,
       groups = attr_get(cx->context, attrs, "replica_groups");
  if (attr_info(cx->context, groups)->kind == ATTR_STRUCT &&
      !find_mesh(cx->program, attr_get(cx->context, groups, "mesh"))) {
    // StableHLO allows a mesh that is not in the module: the groups are unknown, which is an error
    // only where they are needed.
    *out = (Groups){.kind = GROUP_FLATTENED};
    return true;
  }
  if (!groups_read(cx->context, cx->program, cx->op, attrs, across_both, out, &why))
    return infer_fail(cx, 0, "%s", why);
  int64_t size = (int64_t)out->n * out->width, present = 0;
  for (int64_t i = 0; i < size; i++) present += out->ids[i] != -1;
  if (global) {
    bool flag = attr_as_bool(cx->context, infer_attr(cx, "use_global_device_ids"), false);
    REQUIRE(cx, global, !flag || groups_channel(cx->context, attrs) > 0,
            "use_global_device_ids requires a channel_handle above 0, got %lld",
            (long long)groups_channel(cx->context, attrs));
    REQUIRE(cx, global, !flag || size > 0,
            "use_global_device_ids requires replica_groups, got none");
  }
  int64_t twice;
  for (int64_t i = 0; i < size; i++) {
    int64_t id = out->ids[i];
    if (id == -1 && !same_size) continue;
    REQUIRE(cx, range, id >= 0 && id < present,
            "replica_groups contain id %lld, expected each id in [0, %lld) once", (long long)id,
            (long long)present);
  }
  REQUIRE(cx, unique, !groups_find_repeat(cx->context, (uint64_t)size, out->ids, 1, &twice),
          "replica_groups contain id %lld twice, expected each id once", (long long)twice);
  return true;
}

static int compare_ids(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

bool groups_find_repeat(Context *context, uint64_t n, const int64_t *ids, uint32_t step,
                        int64_t *out_id) {
  if (n < 2) return false;
  Arena *arena = context_arena(context);
  ArenaMark mark = arena_mark(arena);
  int64_t *sorted = ARENA_ARRAY(arena, int64_t, (size_t)n);
  size_t count = 0, i = 1;
  for (uint64_t k = 0; k < n; k++)
    if (ids[k * step] != -1) sorted[count++] = ids[k * step];
  qsort(sorted, count, sizeof *sorted, compare_ids);
  while (i < count && sorted[i] != sorted[i - 1]) i++;
  bool found = i < count;
  if (found) *out_id = sorted[i];
  arena_rewind(arena, mark);
  return found;
}

bool groups_check_operands(Infer *cx) {
  for (uint32_t i = 0; i < infer_n_operands(cx); i++) {
    TypeKind kind = infer_operand_info(cx, i)->kind;
    REQUIRE(cx, 0, kind == TYPE_TENSOR || kind == TYPE_UNRANKED,
            "operand %u is %s, expected a tensor", i, infer_text(cx, infer_operand(cx, i)));
  }
  return infer_per_tensor(cx);
}

bool groups_check_pairs(Infer *cx, int columns, int sources, int targets, int range) {
  Attr pairs = infer_attr(cx, "source_target_pairs");
  const TypeInfo *type = type_info(cx->context, attr_info(cx->context, pairs)->type);
  Ints ids = attr_as_ints(cx->context, pairs);
  REQUIRE(cx, columns,
          type->kind == TYPE_TENSOR && type->rank == 2 && (type->dims[1] == 2 || ids.n == 0),
          "source_target_pairs have type %s, expected shape [N, 2]",
          infer_text(cx, attr_info(cx->context, pairs)->type));
  REQUIRE(cx, 0, ids.ok, "source_target_pairs are not integers, or there are too many");
  for (uint32_t i = 0; i < ids.n; i++)
    REQUIRE(cx, range, ids.v[i] >= 0,
            "source_target_pairs contain id %lld, expected ids of at least 0", (long long)ids.v[i]);
  int64_t twice;
  REQUIRE(cx, sources, !groups_find_repeat(cx->context, ids.n / 2, ids.v, 2, &twice),
          "source %lld occurs in two source_target_pairs, expected at most one", (long long)twice);
  REQUIRE(cx, targets,
          ids.n < 2 || !groups_find_repeat(cx->context, ids.n / 2, ids.v + 1, 2, &twice),
          "target %lld occurs in two source_target_pairs, expected at most one", (long long)twice);
  return true;
}

// The number of ids of this kind in the grid.
static uint32_t groups_id_count(GroupKind kind, uint32_t replicas, uint32_t partitions) {
  if (kind == GROUP_CROSS_PARTITION) return partitions;
  return kind == GROUP_FLATTENED ? replicas * partitions : replicas;
}

// The processes of group g for `self`: cross_replica groups have its partition, cross_partition
// groups its replica.
static uint32_t group_processes(const Groups *groups, uint32_t g, uint32_t replicas,
                                uint32_t partitions, ProcessId self, ProcessId *out) {
  uint32_t n = 0, width = groups->n ? groups->width : 0;
  bool all = groups->n == 0 || groups->width == 0;
  if (all) width = groups_id_count(groups->kind, replicas, partitions);
  // cross_replica_and_partition: the replica ids once per partition.
  uint32_t n_partitions = groups->kind == GROUP_CROSS_REPLICA_AND_PARTITION ? partitions : 1;
  for (uint32_t partition = 0; partition < n_partitions; partition++) {
    for (uint32_t i = 0; i < width; i++) {
      int64_t id = all ? i : groups->ids[g * width + i];
      if (id < 0) continue;
      // Ids beyond the grid are kept: `arrive` reports that there is no such process.
      uint32_t u = id > UINT32_MAX ? UINT32_MAX : (uint32_t)id;
      switch (groups->kind) {
      case GROUP_CROSS_REPLICA: out[n++] = (ProcessId){u, self.partition}; break;
      case GROUP_CROSS_PARTITION: out[n++] = (ProcessId){self.replica, u}; break;
      case GROUP_CROSS_REPLICA_AND_PARTITION: out[n++] = (ProcessId){u, partition}; break;
      case GROUP_FLATTENED: out[n++] = (ProcessId){u / partitions, u % partitions}; break;
      }
    }
  }
  return n;
}

bool groups_mine(EvalContext *cx, const Groups *groups, uint32_t *out_n, ProcessId **out_group) {
  uint32_t replicas, partitions;
  ProcessId self;
  cx->host->grid(cx, &replicas, &partitions, &self);
  // A group is at most as large as the grid, unless it has ids of processes that do not exist.
  size_t most = groups->n && groups->width ? groups->width
                                           : groups_id_count(groups->kind, replicas, partitions);
  if (groups->kind == GROUP_CROSS_REPLICA_AND_PARTITION) most *= partitions;
  ProcessId *group = ARENA_ARRAY(cx->scratch, ProcessId, most + 1);
  for (uint32_t g = 0; g < (groups->n ? groups->n : 1); g++) {
    uint32_t n = group_processes(groups, g, replicas, partitions, self, group);
    for (uint32_t i = 0; i < n; i++) {
      if (group[i].replica != self.replica || group[i].partition != self.partition) continue;
      *out_n = n;
      *out_group = group;
      return true;
    }
  }
  return false;
}

Status *groups_of(EvalContext *cx, bool across_both, uint32_t *out_n, ProcessId **out_group) {
  Groups groups;
  const char *why;
  if (!groups_read(cx->context, cx->program, cx->op, cx->attrs, across_both, &groups, &why))
    FAIL(INVALID_ARGUMENT, "%s", why);
  if (groups_mine(cx, &groups, out_n, out_group)) return NULL;
  uint32_t replicas, partitions;
  ProcessId self;
  cx->host->grid(cx, &replicas, &partitions, &self);
  FAIL(FAILED_PRECONDITION,
       "process (%u, %u) is in none of its replica_groups, expected each process in one",
       self.replica, self.partition);
}

Status *groups_meet_in(EvalContext *cx, const ProcessId *group, uint32_t n_group, uint32_t n,
                       Literal *const *mine, ArenaMark mark, Rendezvous *out) {
  TRY(cx->host->arrive(cx, group, n_group, n, mine, out));
  arena_rewind(cx->scratch, mark);
  return cx->host->await(cx, out);
}

Status *groups_meet(EvalContext *cx, bool across_both, Literal *const *in, Rendezvous *out) {
  ArenaMark mark = arena_mark(cx->scratch);
  uint32_t n_group;
  ProcessId *group;
  TRY(groups_of(cx, across_both, &n_group, &group));
  return groups_meet_in(cx, group, n_group, cx->n_in, in, mark, out);
}

Status *groups_once(EvalContext *cx, Rendezvous *exchange, Literal *const *in,
                    Status *(*compute)(EvalContext *cx, const Rendezvous *exchange,
                                       Literal *const *in, Literal **out),
                    Literal **out) {
  if (cx->n_out && !exchange->shared[0]) TRY(compute(cx, exchange, in, exchange->shared));
  for (uint32_t i = 0; i < cx->n_out; i++) out[i] = literal_retain(exchange->shared[i]);
  cx->host->leave(cx, exchange);
  return NULL;
}

Status *groups_same_shapes(uint32_t n_group, uint32_t n_values, Literal *const *parts,
                           uint32_t which, int64_t but) {
  const Literal *first = parts[which];
  for (uint32_t m = 1; m < n_group; m++) {
    const Literal *part = parts[m * n_values + which];
    bool same = part->rank == first->rank && part->elem == first->elem;
    for (uint32_t d = 0; same && d < part->rank; d++)
      same = d == but || part->dims[d] == first->dims[d];
    if (!same)
      FAIL(FAILED_PRECONDITION,
           "processes of one group have operands of different shapes, expected equal shapes");
  }
  return NULL;
}

// Is the body one addition of its two arguments?
static bool body_adds(const Program *p, OpId op) {
  BlockId block = region_block(p, op_region(p, op, 0));
  OpId add = block ? block_at(p, block)->first : 0, end = add ? op_at(p, add)->next : 0;
  if (!end || op_at(p, add)->code != OP_add || op_at(p, end)->next) return false;
  ValueId a = op_operand(p, add, 0), b = op_operand(p, add, 1), x = block_arg(p, block, 0),
          y = block_arg(p, block, 1);
  return ((a == x && b == y) || (a == y && b == x)) && op_at(p, end)->n_operands == 1 &&
         op_operand(p, end, 0) == op_result(p, add, 0);
}

Status *groups_combine(EvalContext *cx, uint32_t n_group, uint32_t n_values, Literal *const *parts,
                       uint32_t which, Literal **out) {
  TRY(groups_same_shapes(n_group, n_values, parts, which, -1));
  Reducer reducer;
  reducer_init(&reducer, cx, op_region(cx->program, cx->op, 0), 1);
  Type elem;
  reduction_elems(cx, 0, 1, &elem);
  Literal **members = ARENA_ARRAY(cx->scratch, Literal *, n_group);
  for (uint32_t m = 0; m < n_group; m++) {
    members[m] = reduction_promote(cx, parts[m * n_values + which], elem);
  }
  Literal *result = literal_like(parts[which], cx->context, elem);
  DType dtype = result->dtype;
  bool adds = body_adds(cx->program, cx->op), wide = adds && (dtype == DT_f16 || dtype == DT_bf16);
  Scalar *terms = ARENA_ARRAY(cx->scratch, Scalar, n_group);
  for (int64_t i = 0; i < result->count; i++) {
    for (uint32_t m = 0; m < n_group; m++) terms[m] = literal_get(members[m], i);
    // Any body: left to right. Addition: a balanced tree over the members (decision D11).
    for (uint32_t m = 1; !adds && m < n_group; m++)
      TRY(reducer_apply(&reducer, &elem, &terms[0], &terms[m]));
    for (uint32_t step = 1; adds && step < n_group; step *= 2)
      for (uint32_t m = 0; m + step < n_group; m += 2 * step) {
        if (wide)
          terms[m].f = (double)(float)(terms[m].f + terms[m + step].f);
        else
          TRY(reducer_apply(&reducer, &elem, &terms[m], &terms[m + step]));
      }
    literal_set(result, i, terms[0]);
  }
  for (uint32_t m = 0; m < n_group; m++) literal_release(members[m]);
  *out = result;
  return NULL;
}

bool groups_check_body(Infer *cx, uint32_t n, int constraint, Type *out_elem) {
  Type elem = n ? type_elem(cx->context, infer_operand(cx, 0)) : 0;
  if (!reduction_check_body(cx, 0, 1, &elem, constraint, out_elem)) return false;
  for (uint32_t i = 1; i < n; i++) {
    Type other = type_elem(cx->context, infer_operand(cx, i));
    REQUIRE(cx, constraint, reduction_promotable(cx->context, other, *out_elem),
            "operand %u is %s, expected an element type that can be promoted to the body's %s", i,
            infer_text(cx, infer_operand(cx, i)), infer_text(cx, *out_elem));
  }
  return true;
}

void groups_fill_zero(const Context *context, Literal *l) {
  const QuantInfo *quant = type_quant_info(context, l->elem);
  if (!quant) return;  // new literals are zeroed
  for (int64_t i = 0; i < l->count; i++) {
    int64_t zero = quant->zero_points[0];
    literal_set(l, i,
                scalar_i(zero < quant->min   ? quant->min
                         : zero > quant->max ? quant->max
                                             : zero));
  }
}

enum { MOST_FIELDS = 8, MOST_SAMPLE_RANK = 3 };

Attr groups_sample_attrs(Sample *cx, bool pairs, uint32_t n, const char *const *names,
                         const int64_t *values) {
  static const int64_t zeros[2] = {0, 0};
  const int64_t dims[2] = {1, pairs ? 2 : 1};
  Type table = type_tensor(cx->context, DT_i64, 2, dims, 0);
  NamedAttr fields[MOST_FIELDS] = {
      {name_of(cx->context, pairs ? "source_target_pairs" : "replica_groups"),
       attr_dense(cx->context, table, zeros, (pairs ? 2 : 1) * sizeof zeros[0])}};
  for (uint32_t i = 0; i < n; i++)
    fields[i + 1] = (NamedAttr){name_of(cx->context, names[i]), attr_i64(cx->context, values[i])};
  return attr_dict(cx->context, n + 1, fields);
}

ValueId groups_sample_operand(Sample *cx, const char *kinds, uint32_t least_rank, Type *out_type) {
  int64_t dims[MOST_SAMPLE_RANK];
  uint32_t rank = sample_shape(cx, MOST_SAMPLE_RANK, dims);
  while (rank < least_rank) dims[rank++] = sample_int(cx, 1, 4);
  *out_type = type_tensor(cx->context, type_scalar(sample_dtype(cx, kinds)), rank, dims, 0);
  return sample_value(cx, *out_type);
}
