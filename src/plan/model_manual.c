// Problem: a manual computation (jax.shard_map) is a program for each device, with shardings of
// operands and results that its author chose.
//
// Idea: it has one strategy. Its operands are needed as in_shardings say, its results are made as
// out_shardings say. The body's values are local already: each op is a variable with one strategy,
// priced as it is, and its collectives are priced along the manual axes. Free axes are not planned
// inside.
//
// Cost: O(ops of the body).
#include "cost/collectives.h"
#include "ops/op.h"
#include "plan/model_private.h"

static Status *refuse(ModelBuild *b, OpId op, const char *why) {
  diag_error(b->diag, op_at(b->m->p, op)->pos, "'%s' op cannot be planned: %s",
             op_name(b->m->p, op), why);
  return diag_status(b->diag);
}

// The sharding of an operand or result, with closed dimensions; 0 = replicated. An open dimension
// has the axes that are stated.
static Status *stated(ModelBuild *b, OpId op, const char *name, uint32_t i, Type type,
                      Sharding *out) {
  const Model *m = b->m;
  const Context *context = m->p->context;
  const AttrInfo *list =
      attr_info(context, attr_get(context, op_attr(m->p, op, name), "shardings"));
  ShardingTable *table = m->strategies.table;
  Sharding given;
  if (i >= list->count) return refuse(b, op, "it has not one sharding for each value");
  TRY(sharding_from_attr(table, list->items[i], type, &given));
  ShardingInfo info = *sharding_info(table, given);
  const Mesh *mesh = sharding_mesh(table, m->strategies.mesh);
  if (given && !mesh_equal(sharding_mesh(table, info.mesh), mesh))
    return refuse(b, op, "its shardings are on another mesh than the plan. Leave out --mesh");
  DimSharding *dims = ARENA_ARRAY(&b->m->arena, DimSharding, info.rank + 1);
  bool any = info.unreduced.n > 0;
  for (uint32_t d = 0; d < info.rank; d++) {
    dims[d] = (DimSharding){info.dims[d].factors, info.dims[d].n_factors, false, PRIORITY_NONE};
    any |= sharding_tiles(&info, d) > 1;
  }
  ShardingInfo closed = {.mesh = m->strategies.mesh,
                         .rank = info.rank,
                         .dims = dims,
                         .unreduced = info.unreduced,
                         .reducer = info.reducer};
  *out = any ? sharding_intern(table, &closed) : 0;
  return NULL;
}

static ListId only(ModelBuild *b, Sharding sharding) {
  return strategies_intern(&b->m->strategies, &sharding, 1);
}

// The axes of a manual computation; those that the mesh does not have are left out.
static AxisList axes_of(const Model *m, OpId op, Arena *arena) {
  const Context *context = m->p->context;
  const Mesh *mesh = sharding_mesh(m->strategies.table, m->strategies.mesh);
  const AttrInfo *names =
      attr_info(context, attr_get(context, op_attr(m->p, op, "manual_axes"), "axes"));
  AxisRef *axes = ARENA_ARRAY(arena, AxisRef, names->count + 1);
  uint32_t n = 0;
  for (uint32_t i = 0; i < names->count; i++) {
    uint32_t axis = mesh_find_axis(mesh, attr_as_name(context, names->items[i]));
    if (axis != MESH_NO_AXIS) axes[n++] = axis_full(mesh, axis);
  }
  return (AxisList){axes, n};
}

double model_local_seconds(Model *m, OpId op) {
  uint16_t code = op_at(m->p, op)->code;
  if (!collective_row(code)) return 0;
  Arena *scratch = &m->strategies.scratch;
  AxisList axes = {NULL, 0};
  for (OpId o = op_parent(m->p, op); o; o = op_parent(m->p, o))
    if (op_attr(m->p, o, "manual_axes")) axes = axes_concat(scratch, axes_of(m, o, scratch), axes);
  double held = 0;
  for (uint32_t i = 0; i < op_at(m->p, op)->n_operands; i++)
    held += fusion_bytes(m->p, op_operand_type(m->p, op, i));
  Route route = network_route(&m->network, axes);
  return axes.n ? collective_price(code, &route, held).seconds : 0;
}

void model_local_op(ModelBuild *b, OpId op, double runs) {
  Model *m = b->m;
  uint32_t v =
      model_add_var(b, (ModelVar){.kind = VAR_OP, .op = op, .n = 1, .local = true, .runs = runs});
  for (uint32_t i = 0; i < op_at(m->p, op)->n_operands; i++)
    model_use(b, op_operand(m->p, op, i), NO_VAR, only(b, 0), runs);
  for (uint32_t i = 0; i < op_at(m->p, op)->n_results; i++)
    b->ports[op_result(m->p, op, i)] = (Port){v, only(b, 0)};
  VEC_PUSH(&m->arena, &b->order, v);
}

// Values in a manual computation that is inside of another are local on both sides.
Status *model_manual(ModelBuild *b, OpId op, double runs) {
  Model *m = b->m;
  Program *p = m->p;
  uint32_t n_in = op_at(p, op)->n_operands, n_out = op_at(p, op)->n_results, begin = b->position;
  bool inside = b->n_manual > 0;
  for (uint32_t i = 0; i < n_in; i++) {
    Sharding in = 0;
    if (!inside) TRY(stated(b, op, "in_shardings", i, op_operand_type(p, op, i), &in));
    model_use(b, op_operand(p, op, i), NO_VAR, only(b, in), runs);
  }
  for (uint32_t i = 0; i < n_out; i++) {
    Sharding out = 0;
    ValueId v = op_result(p, op, i);
    if (!inside) TRY(stated(b, op, "out_shardings", i, value_type(p, v), &out));
    ModelVar var = {.kind = VAR_BORDER,
                    .op = op,
                    .value = v,
                    .index = i,
                    .runs = runs,
                    .n = 1,
                    .list = only(b, out),
                    .local = true};
    b->ports[v] = (Port){model_add_var(b, var), var.list};
  }
  VEC_PUSH(&m->arena, &b->order, NO_VAR);
  b->n_manual++;
  BlockId body = region_block(p, op_region(p, op, 0));
  for (uint32_t i = 0; i < block_at(p, body)->n_args; i++) {
    b->ports[block_arg(p, body, i)] = (Port){NO_VAR, 0};
    b->made_at[block_arg(p, body, i)] = b->position;
  }
  b->position++;
  TRY(model_block(b, body, runs, NULL));
  b->n_manual--;
  for (uint32_t i = 0; i < n_out; i++) b->made_at[op_result(p, op, i)] = begin;
  return NULL;
}
