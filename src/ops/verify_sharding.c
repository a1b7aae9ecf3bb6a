// Finds the shardings of an op and checks them against meshes and types. sharding/ defines what is
// valid. A small cache keeps valid ones, since most ops have the sharding of the op before.
#include "ops/verify_sharding.h"

#include <stdarg.h>
#include <stdio.h>

#include "ops/op.h"
#include "sharding/factor.h"

typedef struct Check {
  ShardingVerify *v;
  const Program *p;
  const Context *context;
  OpId op;
  Diag *diag;
} Check;

PRINTF_LIKE(2, 3)
static bool fail(const Check *c, const char *fmt, ...) {
  char message[512];
  va_list args;
  va_start(args, fmt);
  vsnprintf(message, sizeof message, fmt, args);
  va_end(args);
  return diag_error(c->diag, op_at(c->p, c->op)->pos, "'%s' op %s", op_name(c->p, c->op), message);
}

static const AttrInfo *get(const Check *c, Attr attr, const char *name) {
  return attr_info(c->context, attr_get(c->context, attr, name));
}

static bool is_class(const Check *c, Attr attr, const char *cls) {
  const AttrInfo *info = attr_info(c->context, attr);
  return info->kind == ATTR_STRUCT && str_is(name_str(c->context, info->cls), cls);
}

// Reads all meshes of the module before the first sharding is checked. Invalid ones are skipped:
// they are reported at their own op.
static void read_meshes(ShardingVerify *v) {
  const Program *p = v->p;
  v->table = sharding_table_new(p->context, p->guard);
  BlockId block = op_at(p, p->root)->n_regions ? region_block(p, op_region(p, p->root, 0)) : 0;
  for (OpId op = block ? block_at(p, block)->first : 0; op; op = op_at(p, op)->next) {
    if (op_at(p, op)->code != OP_sdy_mesh) continue;
    Name symbol = attr_as_name(p->context, op_attr(p, op, "sym_name"));
    const Mesh *mesh;
    Status *status = mesh_from_attr(p->context, op_attr(p, op, "mesh"), symbol, &mesh);
    if (!status) sharding_mesh_add(v->table, mesh);
    v->unsound_mesh |= status != NULL;
    status_free(status);
  }
}

// type 0: the tensor's type is unknown here.
static bool check_sharding(const Check *c, Attr sharding, Type type, const char *what, uint32_t i) {
  ShardingVerify *v = c->v;
  if (!v->table) read_meshes(v);
  struct SoundSharding *known = &v->sound[(sharding * 31u + type) % VERIFIED_SHARDINGS];
  if (known->sharding == sharding && known->type == type) return true;
  Sharding id;
  Status *status = sharding_from_attr(v->table, sharding, type, &id);
  if (!status) {
    *known = (struct SoundSharding){sharding, type};
    return true;
  }
  bool elsewhere = status_code(status) == NOT_FOUND && v->unsound_mesh;
  if (!elsewhere) fail(c, "%s %u: %s", what, i, status_message(status));
  status_free(status);
  return elsewhere;
}

// The list of a #sdy.sharding_per_value; empty for any other attribute.
static const AttrInfo *shardings_of(const Check *c, Attr per_value) {
  const AttrInfo *list = get(c, per_value, "shardings");
  return list->kind == ATTR_ARRAY ? list : attr_info(c->context, 0);
}

static bool check_results(const Check *c, Attr per_value) {
  if (is_class(c, per_value, "sdy.sharding")) return true;  // on ops like sdy.data_flow_edge
  if (!is_class(c, per_value, "sdy.sharding_per_value"))
    return fail(c, "attribute 'sdy.sharding' must be a #sdy.sharding_per_value");
  const AttrInfo *list = shardings_of(c, per_value);
  const Op *o = op_at(c->p, c->op);
  // An op without results may have one maximal sharding.
  if (list->count != o->n_results && !(o->n_results == 0 && list->count == 1))
    return fail(c, "the numbers of results and shardings are %u and %u, expected equal",
                o->n_results, list->count);
  for (uint32_t i = 0; i < list->count; i++)
    if (!check_sharding(c, list->items[i], i < o->n_results ? value_type(c->p, o->results + i) : 0,
                        "result", i))
      return false;
  return true;
}

static bool check_function_side(const Check *c, const char *name, uint32_t n, const Type *types,
                                const char *what) {
  const AttrInfo *dicts = attr_info(c->context, op_attr(c->p, c->op, name));
  for (uint32_t i = 0; i < dicts->count && i < n && dicts->kind == ATTR_ARRAY; i++) {
    Attr sharding = attr_get(c->context, dicts->items[i], "sdy.sharding");
    if (sharding && !check_sharding(c, sharding, types[i], what, i)) return false;
  }
  return true;
}

static bool check_list(const Check *c, const char *name, uint32_t n, bool results) {
  Attr per_value = op_attr(c->p, c->op, name);
  if (!per_value) return true;
  const AttrInfo *list = shardings_of(c, per_value);
  if (list->count != n)
    return fail(c, "%s has %u shardings, expected %u, one per value", name, list->count, n);
  for (uint32_t i = 0; i < n; i++) {
    Type type = results ? op_result_type(c->p, c->op, i) : op_operand_type(c->p, c->op, i);
    if (!check_sharding(c, list->items[i], type, name, i)) return false;
  }
  return true;
}

static bool check_own(const Check *c) {
  static const char *const names[] = {"sharding", "out_sharding"};
  const Op *o = op_at(c->p, c->op);
  for (int k = 0; k < 2; k++) {
    Attr sharding = op_attr(c->p, c->op, names[k]);
    Type type = o->n_results ? value_type(c->p, o->results) : 0;
    if (sharding && !check_sharding(c, sharding, type, names[k], 0)) return false;
  }
  return check_list(c, "in_shardings", o->n_operands, false) &&
         check_list(c, "out_shardings", o->n_results, true);
}

// A sharding rule given by the user names every dimension of every operand and result.
static bool check_rule(const Check *c, Attr rule) {
  const Op *o = op_at(c->p, c->op);
  Context *context = c->p->context;
  Arena *arena = context_arena(context);
  uint32_t *ranks = ARENA_ARRAY(arena, uint32_t, o->n_operands + o->n_results + 1);
  for (uint32_t t = 0; t < o->n_operands + o->n_results; t++) {
    Type type = t < o->n_operands ? op_operand_type(c->p, c->op, t)
                                  : op_result_type(c->p, c->op, t - o->n_operands);
    ranks[t] = type_is_tensor(context, type) ? type_info(context, type)->rank : 0;
  }
  FactorMap map;
  const char *error;
  return factor_map_from_attr(&map, context, arena, rule, o->n_operands, o->n_results, ranks,
                              &error) ||
         fail(c, "sdy.sharding_rule does not match this op: %s", error);
}

// Names differ, sizes are positive, device ids are a permutation and not in order.
static bool check_mesh(const Check *c) {
  Attr attr = op_attr(c->p, c->op, "mesh");
  const Mesh *mesh;
  Status *status = mesh_from_attr(c->p->context, attr, 0, &mesh);
  if (status) {
    fail(c, "is invalid: %s", status_message(status));
    status_free(status);
    return false;
  }
  if (!mesh->maximal && !mesh->devices && get(c, attr, "device_ids")->count)
    return fail(c, "device_ids are 0 to %u in order, which is the default; remove them",
                mesh->n_devices - 1);
  return true;
}

bool op_verify_shardings(ShardingVerify *v, OpId op) {
  const Program *p = v->p;
  const Op *o = op_at(p, op);
  Check c = {v, p, p->context, op, v->diag};
  Attr discardable = op_attr(p, op, "sdy.sharding");
  if (discardable && !check_results(&c, discardable)) return false;
  Attr rule = op_attr(p, op, "sdy.sharding_rule");
  if (rule && !check_rule(&c, rule)) return false;
  if (op_row(o->code)->traits & TRAIT_FUNCTION) {
    const TypeInfo *type =
        type_info(p->context, attr_info(p->context, op_attr(p, op, "function_type"))->type);
    if (type->kind != TYPE_FUNCTION) return true;
    return check_function_side(&c, "arg_attrs", type->n_inputs, type->items, "argument") &&
           check_function_side(&c, "res_attrs", type->n_items - type->n_inputs,
                               type->n_items ? type->items + type->n_inputs : NULL, "result");
  }
  if (o->code >= OP_COUNT || !str_starts(str_of(op_row(o->code)->name), "sdy.")) return true;
  return o->code == OP_sdy_mesh ? check_mesh(&c) : check_own(&c);
}

void sharding_verify_deinit(ShardingVerify *v) { sharding_table_free(v->table); }
