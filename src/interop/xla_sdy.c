// Three steps: meshes; one walk that parses the strings (each distinct one once) into attributes
// and converts custom calls; then the bodies of manual computations. The verifier checks what the
// strings refer to. O(program).
#include "interop/xla_sdy.h"

#include <string.h>

#include "base/vec.h"
#include "interop/gspmd_calls.h"

#define FRONTEND "mhlo.frontend_attributes"

typedef struct Result {
  OpId function;
  uint32_t index;
  Attr sharding;
} Result;

typedef struct Import {
  Program *p;
  Context *context;
  AttrReader read;
  Guard *guard;
  Arena *arena;
  Diag *diag;
  bool meshes;        // the module has xla.sdy.meshes: mhlo.sharding is a copy
  VEC(Attr) attr_of;  // per string attribute: its parsed attribute; 0: not parsed yet
  VEC(Result) results;
  VEC(OpId) calls;  // calls of manual computation bodies
} Import;

// ---- strings ----

// Parses a string attribute, memoized. Other attributes are returned as they are. Returns 0 after
// reporting an error.
static Attr attr_in(Import *c, OpId op, Attr text) {
  if (attr_info(c->context, text)->kind != ATTR_STRING) return text;
  while (c->attr_of.count <= text) VEC_PUSH(c->arena, &c->attr_of, 0);
  if (c->attr_of.items[text]) return c->attr_of.items[text];
  const char *string = name_text(c->context, attr_as_name(c->context, text));
  Source source = {.path = "attribute", .text = string, .size = strlen(string)};
  Diag diag;
  Attr attr = 0;
  diag_init(&diag, c->guard, &source);
  GuardCleanup cleanup = {diag_release, &diag, NULL};
  guard_push(c->guard, &cleanup);
  Status *status = c->read(c->context, c->guard, string, &diag, &attr);
  bool failed = status != NULL;
  if (failed)
    diag_error(c->diag, op_at(c->p, op)->pos, "'%s' op carries \"%.120s\", which does not read: %s",
               op_name(c->p, op), string, reason_of(c->arena, status));
  guard_pop(c->guard, &cleanup);
  diag_deinit(&diag);
  if (failed) return 0;
  c->attr_of.items[text] = attr;
  return attr;
}

// Removes a field from the frontend attributes of a dict and returns it; 0 if it is not there.
static Attr take(Import *c, Attr *dict, const char *name) {
  Attr frontend = attr_get(c->context, *dict, FRONTEND);
  Attr value = attr_get(c->context, frontend, name);
  if (value)
    *dict =
        attr_dict_with(c->context, *dict, FRONTEND, attr_dict_with(c->context, frontend, name, 0));
  return value;
}

static Attr take_read(Import *c, OpId op, Attr *dict, const char *name) {
  Attr text = take(c, dict, name);
  return text ? attr_in(c, op, text) : 0;
}

static bool is_class(const Import *c, Attr attr, const char *cls) {
  const AttrInfo *info = attr_info(c->context, attr);
  return info->kind == ATTR_STRUCT && str_is(name_str(c->context, info->cls), cls);
}

static void wrong_kind(Import *c, OpId op, const char *name, const char *expected) {
  diag_error(c->diag, op_at(c->p, op)->pos, "'%s' op carries a %s that is no %s", op_name(c->p, op),
             name, expected);
}

// ---- attributes ----

static bool has_symbol(const Program *p, Name name) {
  BlockId block = region_block(p, op_region(p, p->root, 0));
  for (OpId o = block_at(p, block)->first; o; o = op_at(p, o)->next)
    if (attr_as_name(p->context, op_attr(p, o, "sym_name")) == name) return true;
  return false;
}

static void read_meshes(Import *c) {
  Program *p = c->p;
  Attr attrs = op_at(p, p->root)->attrs, meshes = take_read(c, p->root, &attrs, "xla.sdy.meshes");
  const AttrInfo *info = attr_info(c->context, meshes);
  if (!meshes) return;
  op_at(p, p->root)->attrs = attrs;
  c->meshes = true;
  BlockId block = region_block(p, op_region(p, p->root, 0));
  for (uint32_t i = info->kind == ATTR_DICT ? info->count : 0; i-- > 0;) {
    NamedAttr mesh = info->fields[i];
    if (!is_class(c, mesh.value, "sdy.mesh")) {
      wrong_kind(c, p->root, "xla.sdy.meshes", "dictionary of #sdy.mesh");
      return;
    }
    if (has_symbol(p, mesh.name)) continue;
    NamedAttr fields[2] = {{name_of(c->context, "sym_name"), attr_string(c->context, mesh.name)},
                           {name_of(c->context, "mesh"), mesh.value}};
    OpId op = op_create(p, &(OpSpec){.code = OP_sdy_mesh,
                                     .attrs = attr_dict(c->context, 2, fields),
                                     .pos = op_at(p, p->root)->pos});
    OpId first = block_at(p, block)->first;
    if (first)
      op_insert_before(p, op, first);
    else
      op_append(p, block, op);
  }
}

// Converts the frontend attributes of a function's arguments or results.
static void read_edges(Import *c, OpId op, const char *name) {
  const AttrInfo *list = attr_info(c->context, op_attr(c->p, op, name));
  if (list->kind != ATTR_ARRAY) return;
  uint32_t n = list->count;
  bool changed = false;
  Attr *items = arena_copy(c->arena, list->items, n * sizeof *items);
  for (uint32_t i = 0; i < n; i++) {
    Attr before = items[i], sharding = take_read(c, op, &items[i], "xla.sdy.sharding");
    if (sharding && !is_class(c, sharding, "sdy.sharding"))
      wrong_kind(c, op, "xla.sdy.sharding", "#sdy.sharding");
    if (sharding) items[i] = attr_dict_with(c->context, items[i], "sdy.sharding", sharding);
    if ((sharding || c->meshes) && attr_get(c->context, items[i], "mhlo.sharding"))
      items[i] = attr_dict_with(c->context, items[i], "mhlo.sharding", 0);
    changed |= items[i] != before;
  }
  if (changed) op_set_attr(c->p, op, name, attr_array(c->context, n, items));
}

// Converts the frontend attributes of an op; has_unreduced_axes is dropped, since the
// sharding lists them.
static void read_op(Import *c, OpId op) {
  Attr attrs = op_at(c->p, op)->attrs, before = attrs;
  Attr sharding = take_read(c, op, &attrs, "xla.sdy.sharding");
  Attr rule = take_read(c, op, &attrs, "xla.sdy.sharding_rule");
  take(c, &attrs, "xla.sdy.has_unreduced_axes");
  if (sharding && !is_class(c, sharding, "sdy.sharding_per_value"))
    wrong_kind(c, op, "xla.sdy.sharding", "#sdy.sharding_per_value");
  if (rule && !is_class(c, rule, "sdy.op_sharding_rule"))
    wrong_kind(c, op, "xla.sdy.sharding_rule", "#sdy.op_sharding_rule");
  if (sharding) attrs = attr_dict_with(c->context, attrs, "sdy.sharding", sharding);
  if (rule) attrs = attr_dict_with(c->context, attrs, "sdy.sharding_rule", rule);
  if ((sharding || c->meshes) && attr_get(c->context, attrs, "mhlo.sharding"))
    attrs = attr_dict_with(c->context, attrs, "mhlo.sharding", 0);
  if (attrs != before) op_at(c->p, op)->attrs = attrs;
}

// ---- calls ----

// The index of the function result that this use returns; UINT32_MAX if it is another use.
static uint32_t returned_as(const Program *p, OperandId use) {
  OpId user = operand_at(p, use)->user;
  return op_at(p, user)->code == OP_func_return ? use - op_at(p, user)->operands : UINT32_MAX;
}

// Writes the collected result shardings, function by function.
static void write_results(Import *c) {
  Program *p = c->p;
  for (uint32_t at = 0; at < c->results.count;) {
    OpId function = c->results.items[at].function;
    Attr type = op_attr(p, function, "function_type");
    const TypeInfo *info = type_info(c->context, attr_info(c->context, type)->type);
    uint32_t n = info->n_items - info->n_inputs;
    const AttrInfo *list = attr_info(c->context, op_attr(p, function, "res_attrs"));
    Attr *items = ARENA_ARRAY(c->arena, Attr, n + 1);
    for (uint32_t k = 0; k < n && list->kind == ATTR_ARRAY && k < list->count; k++)
      items[k] = list->items[k];
    for (; at < c->results.count && c->results.items[at].function == function; at++) {
      const Result *r = &c->results.items[at];
      if (r->index < n)
        items[r->index] = attr_dict_with(c->context, items[r->index], "sdy.sharding", r->sharding);
    }
    op_set_attr(p, function, "res_attrs", attr_array(c->context, n, items));
  }
}

// The sharding with all dimensions open. A constraint left inside an inlined function must not keep
// propagation from adding axes.
static Attr open_dims(Import *c, Attr sharding) {
  const AttrInfo *dims = attr_info(c->context, attr_get(c->context, sharding, "dims"));
  uint32_t n = dims->kind == ATTR_ARRAY ? dims->count : 0;
  Attr *items = ARENA_ARRAY(c->arena, Attr, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    AttrInfo dim = *attr_info(c->context, dims->items[i]);
    NamedAttr *fields = ARENA_ARRAY(c->arena, NamedAttr, dim.count + 1);
    memcpy(fields, dim.fields, dim.count * sizeof *fields);
    if (!attr_get(c->context, dims->items[i], "open"))
      fields[dim.count++] = (NamedAttr){name_of(c->context, "open"), attr_unit(c->context)};
    items[i] = attr_struct(c->context, "sdy.dim", dim.count, fields);
  }
  AttrInfo info = *attr_info(c->context, sharding);
  NamedAttr *fields = arena_copy(c->arena, info.fields, info.count * sizeof *fields);
  for (uint32_t i = 0; i < info.count; i++)
    if (str_is(name_str(c->context, fields[i].name), "dims"))
      fields[i].value = attr_array(c->context, n, items);
  return attr_struct(c->context, "sdy.sharding", info.count, fields);
}

// Moves the sharding to the function's result. Other uses (the function was inlined) keep it as a
// constraint.
static void import_result(Import *c, OpId op, OpId function) {
  Program *p = c->p;
  Attr per_value = op_attr(p, op, "sdy.sharding");
  const AttrInfo *list = attr_info(c->context, attr_get(c->context, per_value, "shardings"));
  if (!call_keeps_value(p, op)) return;
  Attr sharding = list->kind == ATTR_ARRAY && list->count == 1 ? list->items[0] : 0;
  ValueId result = op_result(p, op, 0), operand = op_operand(p, op, 0);
  OperandId use = value_at(p, result)->first_use;
  // Returns inside functions get the operand; other users keep the call's result.
  for (OperandId next; use; use = next) {
    next = operand_at(p, use)->next_use;
    uint32_t i = returned_as(p, use);
    if (i == UINT32_MAX || !function) continue;
    if (sharding) VEC_PUSH(c->arena, &c->results, ((Result){function, i, sharding}));
    operand_set(p, use, operand);
  }
  if (!value_has_uses(p, result)) {
    op_erase(p, op);
  } else if (sharding) {
    op_at(p, op)->code = OP_sdy_sharding_constraint;
    op_at(p, op)->attrs = attr_dict_with(c->context, 0, "sharding", open_dims(c, sharding));
  }
}

// Reads an integer among the call's attributes or frontend attributes: `3`, `"3"`, `"3 : i64"`.
static bool call_number(Import *c, OpId op, const char *name, int64_t *out) {
  Attr attrs = op_at(c->p, op)->attrs, value = take(c, &attrs, name);
  if (!value) value = attr_get(c->context, attrs, name);
  if (value) value = attr_in(c, op, value);
  if (attr_info(c->context, value)->kind == ATTR_INT) {
    *out = attr_info(c->context, value)->i;
    return true;
  }
  diag_error(c->diag, op_at(c->p, op)->pos, "custom call @%.*s needs %s, a number",
             (int)call_target(c->p, op).n, call_target(c->p, op).s, name);
  return false;
}

// Replaces a custom call by the sdy op it stands for, in place.
static void import_call(Import *c, OpId op, OpId function) {
  Program *p = c->p;
  int64_t value;
  if (call_is(p, op, CALL_SDY_RESULT)) {
    import_result(c, op, function);
  } else if (call_is(p, op, CALL_SDY_GROUP) && op_at(p, op)->n_operands == 1 &&
             !op_at(p, op)->n_results) {
    if (!call_number(c, op, "xla.sdy.sharding_group_id", &value)) return;
    op_at(p, op)->code = OP_sdy_sharding_group;
    op_at(p, op)->attrs = attr_dict_with(c->context, 0, "group_id", attr_i64(c->context, value));
  } else if (call_is(p, op, CALL_SDY_BARRIER) && call_keeps_value(p, op)) {
    if (!call_number(c, op, "xla.sdy.allowed_direction", &value)) return;
    Attr sharding = op_attr(p, op, "sdy.sharding");
    Attr attrs =
        attr_dict_with(c->context, 0, "allowed_direction", attr_int(c->context, DT_i32, value & 3));
    if (sharding) attrs = attr_dict_with(c->context, attrs, "sdy.sharding", sharding);
    op_at(p, op)->code = OP_sdy_propagation_barrier;
    op_at(p, op)->attrs = attrs;
  }
}

// ---- bodies ----

// The GlobalToLocalShape call that defines all operands of the call, in order; 0 if none.
static OpId border_before(const Program *p, OpId call) {
  OpId border = 0;
  for (uint32_t i = 0; i < op_at(p, call)->n_operands; i++) {
    ValueId v = op_operand(p, call, i);
    OpId def = value_def(p, v);
    if (!def || !call_is(p, def, CALL_SDY_TO_LOCAL) || (border && def != border) ||
        value_at(p, v)->index != i)
      return 0;
    border = def;
  }
  return border && op_at(p, border)->n_operands == op_at(p, call)->n_operands ? border : 0;
}

// The LocalToGlobalShape call that is the only user of all results of the call, in order; 0 if
// none.
static OpId border_after(const Program *p, OpId call) {
  OpId border = 0;
  for (uint32_t i = 0; i < op_at(p, call)->n_results; i++) {
    OperandId use = value_at(p, op_result(p, call, i))->first_use;
    if (!use || operand_at(p, use)->next_use) return 0;
    OpId user = operand_at(p, use)->user;
    if (!call_is(p, user, CALL_SDY_TO_GLOBAL) || (border && user != border) ||
        use - op_at(p, user)->operands != i)
      return 0;
    border = user;
  }
  return border && op_at(p, border)->n_results == op_at(p, call)->n_results ? border : 0;
}

static Attr no_shardings(Import *c) {
  NamedAttr field = {name_of(c->context, "shardings"), attr_array(c->context, 0, NULL)};
  return attr_struct(c->context, "sdy.sharding_per_value", 1, &field);
}

// in_shardings, out_shardings and manual_axes, from the border calls; 0 after reporting an error.
static Attr body_attrs(Import *c, OpId call, OpId before, OpId after) {
  static const char *const keys[] = {"xla.sdy.in_shardings", "xla.sdy.out_shardings",
                                     "xla.sdy.manual_axes"};
  static const char *const names[] = {"in_shardings", "out_shardings", "manual_axes"};
  NamedAttr fields[3];
  OpId holders[3] = {before, after, call};
  for (uint32_t i = 0; i < 3; i++) {
    Attr value = 0;
    for (uint32_t k = 0; k < 3 && !value; k++) {
      if (!holders[k]) continue;
      Attr attrs = op_at(c->p, holders[k])->attrs;
      value = take_read(c, call, &attrs, keys[i]);
    }
    bool none = i < 2 && !holders[i];
    if (!value && none) value = no_shardings(c);
    if (!is_class(c, value, i < 2 ? "sdy.sharding_per_value" : "sdy.manual_axes")) {
      diag_error(c->diag, op_at(c->p, call)->pos,
                 "the manual computation called here has no %s on its borders", keys[i]);
      return 0;
    }
    fields[i] = (NamedAttr){name_of(c->context, names[i]), value};
  }
  return attr_dict(c->context, 3, fields);
}

// Wraps the call in a manual computation and removes the border calls:
//   GlobalToLocalShape -> call @body -> LocalToGlobalShape   becomes   manual_computation { call }
static void import_body(Import *c, OpId call) {
  Program *p = c->p;
  OpId before = border_before(p, call), after = border_after(p, call);
  Op o = *op_at(p, call);
  if ((o.n_operands && !before) || (o.n_results && !after)) return;
  Attr attrs = body_attrs(c, call, before, after);
  if (!attrs) return;
  ValueId *values = ARENA_ARRAY(c->arena, ValueId, o.n_operands + o.n_results + 1u);
  Type *types = ARENA_ARRAY(c->arena, Type, o.n_results + 1u);
  for (uint32_t i = 0; i < o.n_operands; i++) values[i] = op_operand(p, before, i);
  for (uint32_t i = 0; i < o.n_results; i++) types[i] = op_result_type(p, after, i);
  OpId manual = op_create(p, &(OpSpec){.code = OP_sdy_manual_computation,
                                       .n_operands = o.n_operands,
                                       .operands = values,
                                       .n_results = o.n_results,
                                       .result_types = types,
                                       .n_regions = 1,
                                       .attrs = attrs,
                                       .loc = o.loc,
                                       .pos = o.pos,
                                       .origin = call});
  op_insert_before(p, manual, call);
  op_detach(p, call);
  BlockId body = region_add_block(p, op_region(p, manual, 0));
  for (uint32_t i = 0; i < o.n_operands; i++)
    block_add_arg(p, body, op_operand_type(p, call, i), 0);
  op_append(p, body, call);
  for (uint32_t i = 0; i < o.n_operands; i++) operand_set(p, o.operands + i, block_arg(p, body, i));
  for (uint32_t i = 0; i < o.n_results; i++) {
    value_at(p, op_result(p, manual, i))->name = value_at(p, op_result(p, after, i))->name;
    value_replace_uses(p, op_result(p, after, i), op_result(p, manual, i));
    values[i] = op_result(p, call, i);
  }
  if (after) op_erase(p, after);
  op_append(p, body,
            op_create(p, &(OpSpec){.code = OP_sdy_return,
                                   .n_operands = o.n_results,
                                   .operands = values,
                                   .loc = o.loc,
                                   .pos = o.pos,
                                   .origin = call}));
  bool used = false;
  for (uint32_t i = 0; before && i < op_at(p, before)->n_results; i++)
    used |= value_has_uses(p, op_result(p, before, i));
  if (before && !used) op_erase(p, before);
}

// ---- public ----

static void import(Import *c) {
  Program *p = c->p;
  read_meshes(c);
  OpId function = 0;
  for (OpId o = op_walk_next(p, p->root, p->root), next; o && !diag_full(c->diag); o = next) {
    next = op_walk_next(p, o, p->root);
    uint32_t traits = op_row(op_at(p, o)->code)->traits;
    if (traits & TRAIT_FUNCTION) {
      function = o;
      read_edges(c, o, "arg_attrs");
      read_edges(c, o, "res_attrs");
      continue;
    }
    if (!op_at(p, o)->attrs) continue;
    read_op(c, o);
    const char *callee = name_text(c->context, attr_as_name(c->context, op_attr(p, o, "callee")));
    if ((traits & TRAIT_CALL) && strstr(callee, "xla.sdy.manual_computation_body"))
      VEC_PUSH(c->arena, &c->calls, o);
    if (op_at(p, o)->code == OP_custom_call) import_call(c, o, function);
  }
  write_results(c);
  for (uint32_t i = 0; i < c->calls.count; i++) import_body(c, c->calls.items[i]);
}

Status *xla_sdy_import(Program *p, AttrReader read, Guard *guard, Diag *diag) {
  if (!p->root) return NULL;
  Arena arena;
  arena_init(&arena, guard);
  GuardCleanup cleanup = {arena_release, &arena, NULL};
  guard_push(guard, &cleanup);
  Import c = {
      .p = p, .context = p->context, .read = read, .guard = guard, .arena = &arena, .diag = diag};
  uint32_t before = diag->errors;
  import(&c);
  guard_pop(guard, &cleanup);
  arena_deinit(&arena);
  return diag->errors == before ? NULL : diag_status(diag);
}
