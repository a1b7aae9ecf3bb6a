// A call is looked at from its operands back to the full values and from its results on to them;
// only when all of it fits is anything changed. The call moves into the body of the manual
// computation, so what it calls stays as it is.
#include "interop/gspmd_manual.h"

#include "base/vec.h"
#include "interop/gspmd_calls.h"

typedef struct Manual {
  Program *p;
  Context *context;
  ShardingTable *table;
  Arena *arena;
  uint32_t n_ops;
  const Sharding *of_op;
} Manual;

// One operand or result of the call.
typedef struct Side {
  OpId border;      // SPMDFullToShardShape, SPMDShardToFullShape
  OpId between;     // the @Sharding between call and border; 0 = none
  Sharding full;    // of the full value
  Sharding inside;  // of the local one, with the manual axes
} Side;

typedef struct Plan {
  OpId call;
  uint32_t n_in, n_out;
  Side *in, *out;
  MeshId mesh;
  AxisList axes;  // the manual ones
} Plan;

static Sharding sharding_at(const Manual *m, OpId op) {
  return op && op < m->n_ops ? m->of_op[op] : 0;
}

// The one use of a value, or 0.
static OpId only_user(const Program *p, ValueId v) {
  OperandId use = value_at(p, v)->first_use;
  return use && !operand_at(p, use)->next_use ? operand_at(p, use)->user : 0;
}

static bool is_border(const Program *p, OpId op, const char *target) {
  const Op *o = op_at(p, op);
  return op && call_is(p, op, target) && o->n_operands == 1 && o->n_results == 1;
}

static bool find_in(const Manual *m, OpId call, uint32_t i, Side *out) {
  const Program *p = m->p;
  OpId border = value_def(p, op_operand(p, call, i));
  if (!is_border(p, border, CALL_FULL_TO_SHARD)) return false;
  *out = (Side){.border = border,
                .full = sharding_at(m, value_def(p, op_operand(p, border, 0))),
                .inside = sharding_at(m, border)};
  return out->full && out->inside;
}

static bool find_out(const Manual *m, OpId call, uint32_t i, Side *out) {
  const Program *p = m->p;
  OpId user = only_user(p, op_result(p, call, i)), between = 0;
  if (user && call_is(p, user, CALL_SHARDING) && call_keeps_value(p, user)) {
    between = user;
    user = only_user(p, op_result(p, user, 0));
  }
  if (!is_border(p, user, CALL_SHARD_TO_FULL)) return false;
  *out = (Side){.border = user,
                .between = between,
                .full = sharding_at(m, user),
                .inside = sharding_at(m, between)};
  return out->full != 0;
}

static bool axis_in(AxisList list, AxisRef a) {
  for (uint32_t i = 0; i < list.n; i++)
    if (list.v[i].axis == a.axis) return true;
  return false;
}

// Full and local type follow from the sharding, in which manual axes come before others.
static bool fits(const Manual *m, const Plan *plan, Sharding full, Type global, Type local) {
  const ShardingInfo *info = sharding_info(m->table, full);
  const TypeInfo *g = type_info(m->context, global), *l = type_info(m->context, local);
  if (info->mesh != plan->mesh || info->manual.n || axes_overlap(info->unreduced, plan->axes) ||
      g->kind != TYPE_TENSOR || l->kind != TYPE_TENSOR || g->rank != l->rank ||
      g->rank != info->rank || g->elem != l->elem)
    return false;
  for (uint32_t d = 0; d < g->rank; d++) {
    AxisList axes = sharding_dim_axes(info, d);
    int64_t tiles = 1;
    bool free = false;
    for (uint32_t i = 0; i < axes.n; i++) {
      bool manual = axis_in(plan->axes, axes.v[i]);
      if (manual && free) return false;
      free |= !manual;
      if (manual) tiles *= axes.v[i].size;
    }
    if (g->dims[d] == DIM_DYNAMIC || g->dims[d] % tiles || g->dims[d] / tiles != l->dims[d])
      return false;
  }
  return true;
}

static bool same_manual(const Manual *m, Plan *plan, Sharding inside) {
  const ShardingInfo *info = sharding_info(m->table, inside);
  if (!plan->mesh) {
    plan->mesh = info->mesh;
    plan->axes = info->manual;
  }
  return info->mesh == plan->mesh && axes_equal(info->manual, plan->axes);
}

static bool find_axes(const Manual *m, Plan *plan) {
  for (uint32_t i = 0; i < plan->n_in; i++)
    if (!same_manual(m, plan, plan->in[i].inside)) return false;
  for (uint32_t i = 0; i < plan->n_out; i++)
    if (plan->out[i].inside && !same_manual(m, plan, plan->out[i].inside)) return false;
  const Mesh *mesh = sharding_mesh(m->table, plan->mesh);
  for (uint32_t i = 0; i < plan->axes.n; i++)
    if (!axis_is_whole(mesh, plan->axes.v[i])) return false;
  return plan->axes.n > 0;
}

static bool find_plan(const Manual *m, OpId call, Plan *out) {
  const Program *p = m->p;
  const Op *o = op_at(p, call);
  if (!o->n_operands && !o->n_results) return false;
  *out = (Plan){.call = call, .n_in = o->n_operands, .n_out = o->n_results};
  out->in = ARENA_ARRAY(m->arena, Side, out->n_in + 1);
  out->out = ARENA_ARRAY(m->arena, Side, out->n_out + 1);
  for (uint32_t i = 0; i < out->n_in; i++)
    if (!find_in(m, call, i, &out->in[i])) return false;
  for (uint32_t i = 0; i < out->n_out; i++)
    if (!find_out(m, call, i, &out->out[i])) return false;
  if (!find_axes(m, out)) return false;
  for (uint32_t i = 0; i < out->n_in; i++)
    if (!fits(m, out, out->in[i].full, op_operand_type(p, out->in[i].border, 0),
              op_operand_type(p, call, i)))
      return false;
  for (uint32_t i = 0; i < out->n_out; i++)
    if (!fits(m, out, out->out[i].full, op_result_type(p, out->out[i].border, 0),
              op_result_type(p, call, i)))
      return false;
  return true;
}

// Every manual axis stands in every in_ and out_sharding: those that cut nothing are replicated.
static bool edge_attr(const Manual *m, const Plan *plan, Sharding full, Attr *out) {
  ShardingInfo info = *sharding_info(m->table, full);
  AxisList used = sharding_used_axes(&info, m->arena);
  AxisList rest = axes_subtract(m->arena, plan->axes, used);
  info.replicated = axes_concat(m->arena, info.replicated, rest);
  Status *status = sharding_to_attr(m->table, sharding_intern(m->table, &info), out);
  status_free(status);
  return !status;
}

static bool edge_attrs(const Manual *m, const Plan *plan, uint32_t n, const Side *sides,
                       Attr *out) {
  Attr *items = ARENA_ARRAY(m->arena, Attr, n + 1);
  for (uint32_t i = 0; i < n; i++)
    if (!edge_attr(m, plan, sides[i].full, &items[i])) return false;
  NamedAttr field = {name_of(m->context, "shardings"), attr_array(m->context, n, items)};
  *out = attr_struct(m->context, "sdy.sharding_per_value", 1, &field);
  return true;
}

static Attr axes_attr(const Manual *m, const Plan *plan) {
  const Mesh *mesh = sharding_mesh(m->table, plan->mesh);
  Attr *names = ARENA_ARRAY(m->arena, Attr, plan->axes.n);
  for (uint32_t i = 0; i < plan->axes.n; i++)
    names[i] = attr_string(m->context, mesh->axes[plan->axes.v[i].axis].name);
  NamedAttr field = {name_of(m->context, "axes"), attr_array(m->context, plan->axes.n, names)};
  return attr_struct(m->context, "sdy.manual_axes", 1, &field);
}

static void erase_unused(Program *p, OpId op) {
  if (op && op_at(p, op)->code && !value_has_uses(p, op_result(p, op, 0))) op_erase(p, op);
}

// The call goes into the body; its borders go.
static void build(const Manual *m, const Plan *plan, Attr attrs) {
  Program *p = m->p;
  Op call = *op_at(p, plan->call);
  ValueId *operands = ARENA_ARRAY(m->arena, ValueId, plan->n_in + plan->n_out + 1);
  Type *types = ARENA_ARRAY(m->arena, Type, plan->n_out + 1);
  for (uint32_t i = 0; i < plan->n_in; i++) operands[i] = op_operand(p, plan->in[i].border, 0);
  for (uint32_t i = 0; i < plan->n_out; i++) types[i] = op_result_type(p, plan->out[i].border, 0);
  OpId manual = op_create(p, &(OpSpec){.code = OP_sdy_manual_computation,
                                       .n_operands = plan->n_in,
                                       .operands = operands,
                                       .n_results = plan->n_out,
                                       .result_types = types,
                                       .n_regions = 1,
                                       .attrs = attrs,
                                       .loc = call.loc,
                                       .pos = call.pos,
                                       .origin = plan->call});
  op_insert_before(p, manual, plan->call);
  op_detach(p, plan->call);
  BlockId body = region_add_block(p, op_region(p, manual, 0));
  for (uint32_t i = 0; i < plan->n_in; i++)
    block_add_arg(p, body, op_operand_type(p, plan->call, i), 0);
  op_append(p, body, plan->call);
  for (uint32_t i = 0; i < plan->n_in; i++)
    operand_set(p, op_at(p, plan->call)->operands + i, block_arg(p, body, i));
  for (uint32_t i = 0; i < plan->n_out; i++) {
    ValueId to = op_result(p, manual, i), from = op_result(p, plan->out[i].border, 0);
    value_at(p, to)->name = value_at(p, from)->name;
    value_replace_uses(p, from, to);
    op_erase(p, plan->out[i].border);
    if (plan->out[i].between) op_erase(p, plan->out[i].between);
    operands[i] = op_result(p, plan->call, i);
  }
  OpId end = op_create(p, &(OpSpec){.code = OP_sdy_return,
                                    .n_operands = plan->n_out,
                                    .operands = operands,
                                    .loc = call.loc,
                                    .pos = call.pos,
                                    .origin = plan->call});
  op_append(p, body, end);
  for (uint32_t i = 0; i < plan->n_in; i++) {
    OpId border = plan->in[i].border;
    if (!op_at(p, border)->code) continue;  // the same value entered twice
    OpId constraint = value_def(p, op_operand(p, border, 0));
    erase_unused(p, border);
    // Its sharding is the computation's now; other users of the full value keep it.
    if (constraint && only_user(p, op_result(p, constraint, 0)) == manual &&
        call_is(p, constraint, CALL_SHARDING) && call_keeps_value(p, constraint)) {
      value_replace_uses(p, op_result(p, constraint, 0), op_operand(p, constraint, 0));
      op_erase(p, constraint);
    }
  }
}

static void import_call(const Manual *m, OpId call) {
  Plan plan;
  NamedAttr fields[3] = {{name_of(m->context, "in_shardings"), 0},
                         {name_of(m->context, "out_shardings"), 0},
                         {name_of(m->context, "manual_axes"), 0}};
  if (!find_plan(m, call, &plan) || !edge_attrs(m, &plan, plan.n_in, plan.in, &fields[0].value) ||
      !edge_attrs(m, &plan, plan.n_out, plan.out, &fields[1].value))
    return;
  fields[2].value = axes_attr(m, &plan);
  build(m, &plan, attr_dict(m->context, 3, fields));
}

void gspmd_manual_import(Program *p, ShardingTable *table, Arena *scratch, uint32_t n_ops,
                         const Sharding *of_op) {
  Manual m = {p, p->context, table, scratch, n_ops, of_op};
  VEC(OpId) calls = {0};
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root))
    if (op_row(op_at(p, o)->code)->traits & TRAIT_CALL) VEC_PUSH(scratch, &calls, o);
  for (uint32_t i = 0; i < calls.count; i++) {
    ArenaMark mark = arena_mark(scratch);
    import_call(&m, calls.items[i]);
    arena_rewind(scratch, mark);
  }
}
