// Neighbouring moves of one kind over different dimensions are one op: sdy's collectives have a
// list of axes for each dimension.
#include "partition/reshard_collectives.h"

#include "ops/op.h"
#include "propagate/annotation.h"
#include "propagate/program_mesh.h"

typedef struct Writer {
  Program *p;
  ShardingTable *table;
  Context *context;
  Arena arena;
  OpId reshard;
  ValueId value;  // as far as it has come
  MeshId mesh;
} Writer;

static void release(void *writer) { arena_deinit(&((Writer *)writer)->arena); }

static Status *put(Writer *w, uint16_t code, const char *name, Attr moved, Sharding to) {
  Attr sharding;
  TRY(sharding_to_attr(w->table, to, &sharding));
  NamedAttr fields[] = {{name_of(w->context, "out_sharding"), sharding},
                        {name_of(w->context, name ? name : ""), moved}};
  Type type = value_type(w->p, w->value);
  OpSpec spec = {.code = code,
                 .n_operands = 1,
                 .operands = &w->value,
                 .n_results = 1,
                 .result_types = &type,
                 .attrs = attr_dict(w->context, name ? 2 : 1, fields),
                 .loc = op_at(w->p, w->reshard)->loc,
                 .pos = op_at(w->p, w->reshard)->pos,
                 .origin = w->reshard};
  OpId op = op_create(w->p, &spec);
  op_insert_before(w->p, op, w->reshard);
  w->value = op_result(w->p, op, 0);
  return NULL;
}

static Attr axes_attr(Writer *w, AxisList axes) {
  return sharding_axes_to_attr(w->table, w->mesh, axes);
}

static uint32_t dim_of(const Move *m) {
  return m->kind == MOVE_ALL_GATHER ? m->from_dim : m->to_dim;
}

// How many of the moves from here can be one op.
static uint32_t run_length(const Move *moves, uint32_t n) {
  uint32_t k = 1;
  bool lists = moves->kind == MOVE_SLICE || moves->kind == MOVE_ALL_GATHER ||
               moves->kind == MOVE_REDUCE_SCATTER || moves->kind == MOVE_ALL_TO_ALL;
  if (!lists) return 1;
  for (; k < n && moves[k].kind == moves[0].kind; k++)
    for (uint32_t i = 0; i < k; i++) {
      const Move *a = &moves[i], *b = &moves[k];
      bool apart = a->kind == MOVE_ALL_TO_ALL
                       ? a->from_dim != b->from_dim && a->from_dim != b->to_dim &&
                             a->to_dim != b->from_dim && a->to_dim != b->to_dim
                       : dim_of(a) != dim_of(b);
      if (!apart) return k;
    }
  return k;
}

static Status *put_lists(Writer *w, uint16_t code, const char *name, const Move *moves,
                         uint32_t n) {
  Sharding to = moves[n - 1].to;
  uint32_t rank = sharding_info(w->table, to)->rank;
  Attr *lists = ARENA_ARRAY(&w->arena, Attr, rank + 1);
  for (uint32_t d = 0; d < rank; d++) lists[d] = axes_attr(w, (AxisList){NULL, 0});
  for (uint32_t i = 0; i < n; i++) lists[dim_of(&moves[i])] = axes_attr(w, moves[i].axes);
  NamedAttr field = {name_of(w->context, "lists"), attr_array(w->context, rank, lists)};
  return put(w, code, name, attr_struct(w->context, "sdy.list_of_axis_ref_lists", 1, &field), to);
}

static Status *put_list(Writer *w, uint16_t code, const char *name, const Move *m) {
  NamedAttr field = {name_of(w->context, "axes"), axes_attr(w, m->axes)};
  return put(w, code, name, attr_struct(w->context, "sdy.axis_ref_list", 1, &field), m->to);
}

// In the order of the dimensions that axes leave, as sdy wants it.
static Status *put_exchange(Writer *w, const Move *moves, uint32_t n) {
  Context *c = w->context;
  Sharding to = moves[n - 1].to;
  Attr *params = ARENA_ARRAY(&w->arena, Attr, n);
  uint32_t count = 0;
  for (uint32_t d = 0; d < sharding_info(w->table, to)->rank; d++)
    for (uint32_t i = 0; i < n; i++) {
      if (moves[i].from_dim != d) continue;
      NamedAttr fields[] = {{name_of(c, "axes"), axes_attr(w, moves[i].axes)},
                            {name_of(c, "src_dim"), attr_i64(c, d)},
                            {name_of(c, "tgt_dim"), attr_i64(c, moves[i].to_dim)}};
      params[count++] = attr_struct(c, "sdy.all_to_all_param", 3, fields);
    }
  NamedAttr field = {name_of(c, "params"), attr_array(c, count, params)};
  return put(w, OP_sdy_all_to_all, "params", attr_struct(c, "sdy.all_to_all_param_list", 1, &field),
             to);
}

static Status *put_moves(Writer *w, const Move *m, uint32_t n) {
  switch (m->kind) {
  case MOVE_SLICE: return put_lists(w, OP_sdy_all_slice, "slicing_axes", m, n);
  case MOVE_ALL_GATHER: return put_lists(w, OP_sdy_all_gather, "gathering_axes", m, n);
  case MOVE_REDUCE_SCATTER: return put_lists(w, OP_sdy_reduce_scatter, "reduce_scatter_axes", m, n);
  case MOVE_ALL_TO_ALL: return put_exchange(w, m, n);
  case MOVE_ALL_REDUCE: return put_list(w, OP_sdy_all_reduce, "reduction_axes", m);
  case MOVE_UNREDUCE: return put_list(w, OP_sdy_replicated_to_unreduced, "axes", m);
  default: return put(w, OP_sdy_collective_permute, NULL, 0, m->to);
  }
}

static Status *put_plan(Writer *w, const ReshardPlan *plan) {
  for (uint32_t i = 0, n; i < plan->n_moves; i += n) {
    n = run_length(&plan->moves[i], plan->n_moves - i);
    TRY(put_moves(w, &plan->moves[i], n));
  }
  return NULL;
}

// Without what is open; whole if it cuts nothing.
static Sharding closed(Writer *w, Sharding sharding) {
  const ShardingInfo *info = sharding_info(w->table, sharding);
  bool any = info->unreduced.n > 0;
  DimSharding *dims = ARENA_ARRAY(&w->arena, DimSharding, info->rank + 1);
  for (uint32_t d = 0; d < info->rank; d++) {
    dims[d] = (DimSharding){info->dims[d].factors, info->dims[d].n_factors, false, PRIORITY_NONE};
    any |= sharding_tiles(info, d) > 1;
  }
  ShardingInfo made = {.mesh = info->mesh,
                       .rank = info->rank,
                       .dims = dims,
                       .unreduced = info->unreduced,
                       .reducer = info->reducer};
  return any ? sharding_intern(w->table, &made) : 0;
}

// The same axes on a mesh with another order of the same devices; 0 if it is no such mesh.
static Sharding on_mesh(Writer *w, Sharding sharding, MeshId mesh) {
  const ShardingInfo *info = sharding_info(w->table, sharding);
  const Mesh *a = sharding_mesh(w->table, info->mesh), *b = sharding_mesh(w->table, mesh);
  bool same = a && b && a->n_axes == b->n_axes && !a->maximal && !b->maximal;
  for (uint32_t i = 0; same && i < a->n_axes; i++)
    same = a->axes[i].name == b->axes[i].name && a->axes[i].size == b->axes[i].size;
  if (!same) return 0;
  ShardingInfo made = *info;
  made.mesh = mesh;
  return sharding_intern(w->table, &made);
}

// One value from one sharding to another; *out_done: it was written.
static Status *write_moves(Writer *w, const Network *network, Sharding from, Sharding to,
                           bool *out_done) {
  Type type = value_type(w->p, w->value);
  MeshId source = sharding_info(w->table, from)->mesh, target = sharding_info(w->table, to)->mesh;
  bool turned =
      from && to && !mesh_equal(sharding_mesh(w->table, source), sharding_mesh(w->table, target));
  Sharding last = turned ? on_mesh(w, to, source) : to;
  ReshardPlan plan;
  *out_done = false;
  if (turned && !last) return NULL;
  Status *status = reshard_plan(w->table, network, from, last, type, &w->arena, &plan);
  if (status && status_code(status) == UNIMPLEMENTED) {
    status_free(status);
    return NULL;
  }
  TRY(status);
  w->mesh = from ? source : target;
  TRY(put_plan(w, &plan));
  if (turned) TRY(put(w, OP_sdy_collective_permute, NULL, 0, to));
  *out_done = true;
  return NULL;
}

// What a value has: what is written for it, or for what it is the same as: a loop's result, the
// value before a barrier.
static Attr sharding_of(const Program *p, ValueId v) {
  for (;;) {
    Attr said = annotation_get(p, v);
    if (said) return said;
    if (value_at(p, v)->is_arg) {
      OpId owner = region_at(p, block_at(p, value_at(p, v)->def)->region)->op;
      const OpDef *def = op_row(op_at(p, owner)->code)->def;
      uint32_t i = value_at(p, v)->index;
      bool carried = def && def->flow == FLOW_LOOP && i < op_at(p, owner)->n_results;
      return carried ? annotation_get(p, op_result(p, owner, i)) : 0;
    }
    if (op_at(p, value_def(p, v))->code != OP_sdy_propagation_barrier) return 0;
    v = op_operand(p, value_def(p, v), 0);
  }
}

static Status *write_reshard(Writer *w, const ReshardCollectivesOptions *options) {
  Type type = op_result_type(w->p, w->reshard, 0);
  Attr had = sharding_of(w->p, op_operand(w->p, w->reshard, 0));
  Sharding from = 0, to;
  if (had) TRY(sharding_from_attr(w->table, had, type, &from));
  TRY(sharding_from_attr(w->table, op_attr(w->p, w->reshard, "sharding"), type, &to));
  bool moves = type_is_static(w->context, type) && type_is_tensor(w->context, type) &&
               !sharding_is_maximal(w->table, from) && !sharding_is_maximal(w->table, to);
  if (!moves) return NULL;
  from = closed(w, from);
  to = closed(w, to);
  bool redundant = from == to, done = true;
  w->value = op_operand(w->p, w->reshard, 0);
  if (redundant && options->keep_redundant) return NULL;
  if (!redundant)
    TRY(write_moves(w, options->network ? options->network : &network_default, from, to, &done));
  if (!done) return NULL;
  value_replace_uses(w->p, op_result(w->p, w->reshard, 0), w->value);
  op_erase(w->p, w->reshard);
  return NULL;
}

static Status *write_all(Writer *w, const ReshardCollectivesOptions *options) {
  TRY(program_meshes_read(w->p, w->table));
  for (OpId o = w->p->root, next; o; o = next) {
    next = op_walk_next(w->p, o, w->p->root);
    if (op_at(w->p, o)->code != OP_sdy_reshard) continue;
    ArenaMark mark = arena_mark(&w->arena);
    w->reshard = o;
    TRY(write_reshard(w, options));
    arena_rewind(&w->arena, mark);
  }
  return NULL;
}

Status *reshard_collectives(Program *program, ShardingTable *table,
                            const ReshardCollectivesOptions *options, Guard *guard) {
  static const ReshardCollectivesOptions defaults = {0};
  Writer w = {.p = program, .table = table, .context = program->context};
  arena_init(&w.arena, guard);
  GuardCleanup cleanup = {release, &w, NULL};
  guard_push(guard, &cleanup);
  Status *status = write_all(&w, options ? options : &defaults);
  guard_pop(guard, &cleanup);
  release(&w);
  return status;
}
