// Problem: turn `FullToShard, call, ShardToFull` into a manual computation.
// Idea: match first, rewrite after. From each operand go back to the global value, from each result
// forward to it. The call itself moves into the body, so its callee is not touched.
// Invariant: a partial match changes nothing.
// Cost: O(program).
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
  OpId between;     // the @Sharding between call and border; 0: none
  Sharding full;    // of the global value
  Sharding inside;  // of the shard, with the manual axes
} Side;

typedef struct Match {
  OpId call;
  uint32_t n_in, n_out;
  Side *in, *out;
  MeshId mesh;
  AxisList axes;  // the manual axes
} Match;

static Sharding sharding_at(const Manual *m, OpId op) {
  return op && op < m->n_ops ? m->of_op[op] : 0;
}

// The only user of a value; 0 if it has several uses or none.
static OpId only_user(const Program *p, ValueId v) {
  OperandId use = value_at(p, v)->first_use;
  return use && !operand_at(p, use)->next_use ? operand_at(p, use)->user : 0;
}

// One of the two custom calls that change between global and local shape.
static bool is_border(const Program *p, OpId op, const char *target) {
  const Op *o = op_at(p, op);
  return op && call_is(p, op, target) && o->n_operands == 1 && o->n_results == 1;
}

// Matches operand i: @Sharding -> SPMDFullToShardShape -> call. The two may be shared with other
// calls, so their other uses do not matter.
static bool find_in(const Manual *m, OpId call, uint32_t i, Side *out) {
  const Program *p = m->p;
  OpId border = value_def(p, op_operand(p, call, i));
  if (!is_border(p, border, CALL_FULL_TO_SHARD)) return false;
  *out = (Side){.border = border,
                .full = sharding_at(m, value_def(p, op_operand(p, border, 0))),
                .inside = sharding_at(m, border)};
  return out->full && out->inside;
}

// Matches result i: call -> optional @Sharding -> SPMDShardToFullShape. Every value on the way has
// one user, since the rewrite removes it.
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

// Whether the local type follows from the global type and the sharding. In each dimension the
// manual axes must come before (major to) the others, since they are split first.
static bool fits(const Manual *m, const Match *match, Sharding full, Type global, Type local) {
  const ShardingInfo *info = sharding_info(m->table, full);
  const TypeInfo *g = type_info(m->context, global), *l = type_info(m->context, local);
  if (info->mesh != match->mesh || info->manual.n || axes_overlap(info->unreduced, match->axes) ||
      g->kind != TYPE_TENSOR || l->kind != TYPE_TENSOR || g->rank != l->rank ||
      g->rank != info->rank || g->elem != l->elem)
    return false;
  for (uint32_t d = 0; d < g->rank; d++) {
    AxisList axes = sharding_dim_axes(info, d);
    int64_t tiles = 1;
    bool free = false;
    for (uint32_t i = 0; i < axes.n; i++) {
      bool manual = axis_in(match->axes, axes.v[i]);
      if (manual && free) return false;
      free |= !manual;
      if (manual) tiles *= axes.v[i].size;
    }
    if (g->dims[d] == DIM_DYNAMIC || g->dims[d] % tiles || g->dims[d] / tiles != l->dims[d])
      return false;
  }
  return true;
}

// Whether the sharding has the manual axes of those before; the first one sets them.
static bool same_manual(const Manual *m, Match *match, Sharding inside) {
  const ShardingInfo *info = sharding_info(m->table, inside);
  if (!match->mesh) {
    match->mesh = info->mesh;
    match->axes = info->manual;
  }
  return info->mesh == match->mesh && axes_equal(info->manual, match->axes);
}

// All operands and results must have the same manual axes, and none may be a sub-axis.
static bool find_axes(const Manual *m, Match *match) {
  for (uint32_t i = 0; i < match->n_in; i++)
    if (!same_manual(m, match, match->in[i].inside)) return false;
  for (uint32_t i = 0; i < match->n_out; i++)
    if (match->out[i].inside && !same_manual(m, match, match->out[i].inside)) return false;
  const Mesh *mesh = sharding_mesh(m->table, match->mesh);
  for (uint32_t i = 0; i < match->axes.n; i++)
    if (!axis_is_full(mesh, match->axes.v[i])) return false;
  return match->axes.n > 0;
}

static bool find_match(const Manual *m, OpId call, Match *out) {
  const Program *p = m->p;
  const Op *o = op_at(p, call);
  if (!o->n_operands && !o->n_results) return false;
  *out = (Match){.call = call, .n_in = o->n_operands, .n_out = o->n_results};
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

// in_ and out_shardings mention every manual axis: axes that split no dimension are replicated.
static bool edge_attr(const Manual *m, const Match *match, Sharding full, Attr *out) {
  ShardingInfo info = *sharding_info(m->table, full);
  AxisList used = sharding_used_axes(&info, m->arena);
  AxisList rest = axes_subtract(m->arena, match->axes, used);
  info.replicated = axes_concat(m->arena, info.replicated, rest);
  Status *status = sharding_to_attr(m->table, sharding_intern(m->table, &info), out);
  status_free(status);
  return !status;
}

static bool edge_attrs(const Manual *m, const Match *match, uint32_t n, const Side *sides,
                       Attr *out) {
  Attr *items = ARENA_ARRAY(m->arena, Attr, n + 1);
  for (uint32_t i = 0; i < n; i++)
    if (!edge_attr(m, match, sides[i].full, &items[i])) return false;
  NamedAttr field = {name_of(m->context, "shardings"), attr_array(m->context, n, items)};
  *out = attr_struct(m->context, "sdy.sharding_per_value", 1, &field);
  return true;
}

static Attr axes_attr(const Manual *m, const Match *match) {
  const Mesh *mesh = sharding_mesh(m->table, match->mesh);
  Attr *names = ARENA_ARRAY(m->arena, Attr, match->axes.n);
  for (uint32_t i = 0; i < match->axes.n; i++)
    names[i] = attr_string(m->context, mesh->axes[match->axes.v[i].axis].name);
  NamedAttr field = {name_of(m->context, "axes"), attr_array(m->context, match->axes.n, names)};
  return attr_struct(m->context, "sdy.manual_axes", 1, &field);
}

static void erase_unused(Program *p, OpId op) {
  if (op && op_at(p, op)->code && !value_has_uses(p, op_result(p, op, 0))) op_erase(p, op);
}

// Builds the manual computation with the call as its body, and erases the border calls.
static void build(const Manual *m, const Match *match, Attr attrs) {
  Program *p = m->p;
  Op call = *op_at(p, match->call);
  ValueId *operands = ARENA_ARRAY(m->arena, ValueId, match->n_in + match->n_out + 1);
  Type *types = ARENA_ARRAY(m->arena, Type, match->n_out + 1);
  for (uint32_t i = 0; i < match->n_in; i++) operands[i] = op_operand(p, match->in[i].border, 0);
  for (uint32_t i = 0; i < match->n_out; i++) types[i] = op_result_type(p, match->out[i].border, 0);
  OpId manual = op_create(p, &(OpSpec){.code = OP_sdy_manual_computation,
                                       .n_operands = match->n_in,
                                       .operands = operands,
                                       .n_results = match->n_out,
                                       .result_types = types,
                                       .n_regions = 1,
                                       .attrs = attrs,
                                       .loc = call.loc,
                                       .pos = call.pos,
                                       .origin = match->call});
  op_insert_before(p, manual, match->call);
  op_detach(p, match->call);
  BlockId body = region_add_block(p, op_region(p, manual, 0));
  for (uint32_t i = 0; i < match->n_in; i++)
    block_add_arg(p, body, op_operand_type(p, match->call, i), 0);
  op_append(p, body, match->call);
  for (uint32_t i = 0; i < match->n_in; i++)
    operand_set(p, op_at(p, match->call)->operands + i, block_arg(p, body, i));
  for (uint32_t i = 0; i < match->n_out; i++) {
    ValueId to = op_result(p, manual, i), from = op_result(p, match->out[i].border, 0);
    value_at(p, to)->name = value_at(p, from)->name;
    value_replace_uses(p, from, to);
    op_erase(p, match->out[i].border);
    if (match->out[i].between) op_erase(p, match->out[i].between);
    operands[i] = op_result(p, match->call, i);
  }
  OpId end = op_create(p, &(OpSpec){.code = OP_sdy_return,
                                    .n_operands = match->n_out,
                                    .operands = operands,
                                    .loc = call.loc,
                                    .pos = call.pos,
                                    .origin = match->call});
  op_append(p, body, end);
  for (uint32_t i = 0; i < match->n_in; i++) {
    OpId border = match->in[i].border;
    if (!op_at(p, border)->code) continue;  // a value passed twice shares one border
    OpId constraint = value_def(p, op_operand(p, border, 0));
    erase_unused(p, border);
    // Now in in_shardings. Other users of the global value keep the constraint.
    if (constraint && only_user(p, op_result(p, constraint, 0)) == manual &&
        call_is(p, constraint, CALL_SHARDING) && call_keeps_value(p, constraint)) {
      value_replace_uses(p, op_result(p, constraint, 0), op_operand(p, constraint, 0));
      op_erase(p, constraint);
    }
  }
}

static void import_call(const Manual *m, OpId call) {
  Match match;
  NamedAttr fields[3] = {{name_of(m->context, "in_shardings"), 0},
                         {name_of(m->context, "out_shardings"), 0},
                         {name_of(m->context, "manual_axes"), 0}};
  if (!find_match(m, call, &match) ||
      !edge_attrs(m, &match, match.n_in, match.in, &fields[0].value) ||
      !edge_attrs(m, &match, match.n_out, match.out, &fields[1].value))
    return;
  fields[2].value = axes_attr(m, &match);
  build(m, &match, attr_dict(m->context, 3, fields));
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
