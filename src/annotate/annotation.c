// Problem: sdy keeps shardings in different attributes, depending on the op.
// Idea: the attributes that an op's row declares, and its flow, tell where; no op is named here.
// Invariant: attributes are interned and never changed in place; every edit makes a new tree.
// Cost: O(size of the tree) per edit.
#include "annotate/annotation.h"

#include "ops/op.h"

// ---- trees ----

static bool is_class(const Context *context, Attr attr, const char *cls) {
  const AttrInfo *info = attr_info(context, attr);
  return info->kind == ATTR_STRUCT && str_is(name_str(context, info->cls), cls);
}

static bool is_empty(const Context *context, Attr list) {
  return attr_info(context, list)->count == 0;
}

// A struct with one field set; value 0 removes it.
static Attr with_field(Context *context, Attr attr, const char *name, Attr value) {
  AttrInfo info = *attr_info(context, attr);
  Name key = name_of(context, name);
  Arena *arena = context_arena(context);
  NamedAttr *fields = ARENA_ARRAY(arena, NamedAttr, info.count + 1);
  uint32_t n = 0;
  for (uint32_t i = 0; i < info.count; i++)
    if (info.fields[i].name != key) fields[n++] = info.fields[i];
  if (value) fields[n++] = (NamedAttr){key, value};
  info.count = n;
  info.fields = fields;
  return attr_intern(context, &info);
}

Attr annotation_with_mesh(Context *context, Attr sharding, Attr mesh) {
  return with_field(context, sharding, "mesh", mesh);
}

typedef Attr (*DimFn)(Context *context, Attr dim, void *user);

// Applies fn to every dimension of a sharding tree.
static Attr map_dims(Context *context, Attr sharding, DimFn fn, void *user) {
  AttrInfo dims = *attr_info(context, attr_get(context, sharding, "dims"));
  Attr *items = ARENA_ARRAY(context_arena(context), Attr, dims.count ? dims.count : 1);
  for (uint32_t i = 0; i < dims.count; i++) items[i] = fn(context, dims.items[i], user);
  return with_field(context, sharding, "dims", attr_array(context, dims.count, items));
}

static Attr open_dim(Context *context, Attr dim, void *user) {
  (void)user;
  return with_field(context, dim, "open", attr_unit(context));
}
static Attr close_dim(Context *context, Attr dim, void *user) {
  (void)user;
  dim = with_field(context, dim, "open", 0);
  return is_empty(context, attr_get(context, dim, "axes")) ? with_field(context, dim, "priority", 0)
                                                           : dim;
}

Attr annotation_opened(Context *context, Attr sharding) {
  return map_dims(context, sharding, open_dim, NULL);
}
Attr annotation_closed(Context *context, Attr sharding) {
  return map_dims(context, sharding, close_dim, NULL);
}

Attr annotation_without_replicated(Context *context, Attr sharding) {
  return with_field(context, sharding, "replicated", 0);
}

Attr annotation_with_unreduced(Context *context, Attr sharding, Attr axes) {
  sharding = with_field(context, sharding, "unreduced", is_empty(context, axes) ? 0 : axes);
  return is_empty(context, axes) ? with_field(context, sharding, "reducer", 0) : sharding;
}

Attr annotation_open(Context *context, Attr mesh, uint32_t rank) {
  NamedAttr dim[2] = {{name_of(context, "axes"), attr_array(context, 0, NULL)},
                      {name_of(context, "open"), attr_unit(context)}};
  Attr *dims = ARENA_ARRAY(context_arena(context), Attr, rank ? rank : 1);
  for (uint32_t i = 0; i < rank; i++) dims[i] = attr_struct(context, "sdy.dim", 2, dim);
  NamedAttr fields[2] = {{name_of(context, "mesh"), mesh},
                         {name_of(context, "dims"), attr_array(context, rank, dims)}};
  return attr_struct(context, "sdy.sharding", 2, fields);
}

bool annotation_is_closed(const Context *context, Attr sharding) {
  const AttrInfo *dims = attr_info(context, attr_get(context, sharding, "dims"));
  for (uint32_t i = 0; i < dims->count; i++)
    if (attr_get(context, dims->items[i], "open")) return false;
  return true;
}

bool annotation_is_empty(const Context *context, Attr sharding) {
  const AttrInfo *dims = attr_info(context, attr_get(context, sharding, "dims"));
  for (uint32_t i = 0; i < dims->count; i++)
    if (!attr_get(context, dims->items[i], "open") ||
        !is_empty(context, attr_get(context, dims->items[i], "axes")))
      return false;
  return is_empty(context, attr_get(context, sharding, "replicated")) &&
         is_empty(context, attr_get(context, sharding, "unreduced"));
}

typedef struct Filter {
  bool (*keep)(void *user, Name name, Attr axis);
  void *user;
} Filter;

static Attr filter_axes(Context *context, Attr list, const Filter *filter) {
  AttrInfo info = *attr_info(context, list);
  Attr *items = ARENA_ARRAY(context_arena(context), Attr, info.count ? info.count : 1);
  uint32_t n = 0;
  for (uint32_t i = 0; i < info.count; i++) {
    Name name = attr_as_name(context, attr_get(context, info.items[i], "name"));
    if (filter->keep(filter->user, name, info.items[i])) items[n++] = info.items[i];
  }
  return attr_array(context, n, items);
}

// Drops axes of one dimension.
static Attr filter_dim(Context *context, Attr dim, void *user) {
  Attr axes = filter_axes(context, attr_get(context, dim, "axes"), user);
  dim = with_field(context, dim, "axes", axes);
  if (is_empty(context, axes) && !attr_get(context, dim, "open"))
    dim = with_field(context, dim, "priority", 0);
  return dim;
}

static Attr filter_set(Context *context, Attr sharding, const char *field, const Filter *filter) {
  Attr list = attr_get(context, sharding, field);
  if (!list) return sharding;
  list = filter_axes(context, list, filter);
  return with_field(context, sharding, field, is_empty(context, list) ? 0 : list);
}

Attr annotation_filter(Context *context, Attr sharding,
                       bool (*keep)(void *user, Name name, Attr axis), void *user) {
  Filter filter = {keep, user};
  sharding = map_dims(context, sharding, filter_dim, &filter);
  sharding = filter_set(context, sharding, "replicated", &filter);
  sharding = filter_set(context, sharding, "unreduced", &filter);
  if (!attr_get(context, sharding, "unreduced"))
    sharding = with_field(context, sharding, "reducer", 0);
  return sharding;
}

// Copies a list only when an item changes, so an attribute without shardings costs no memory.
Attr annotation_map(Context *context, Attr attr, Attr (*fn)(void *user, Attr sharding),
                    void *user) {
  if (is_class(context, attr, "sdy.sharding")) return fn(user, attr);
  AttrInfo info = *attr_info(context, attr);
  Arena *arena = context_arena(context);
  bool changed = false;
  if (info.kind == ATTR_ARRAY) {
    Attr *items = NULL;
    for (uint32_t i = 0; i < info.count; i++) {
      Attr now = annotation_map(context, info.items[i], fn, user);
      if (now == info.items[i]) continue;
      if (!items) items = arena_copy(arena, info.items, info.count * sizeof *items);
      items[i] = now;
    }
    return items ? attr_array(context, info.count, items) : attr;
  }
  if (info.kind != ATTR_DICT && info.kind != ATTR_STRUCT) return attr;
  NamedAttr *fields = NULL;
  for (uint32_t i = 0; i < info.count; i++) {
    Attr now = annotation_map(context, info.fields[i].value, fn, user);
    if (now == info.fields[i].value) continue;
    if (!changed) fields = arena_copy(arena, info.fields, info.count * sizeof *fields);
    changed = true;
    fields[i].value = now;
  }
  if (!changed) return attr;
  info.fields = fields;
  return attr_intern(context, &info);
}

void annotation_map_all(Program *p, Attr (*fn)(void *user, Attr sharding), void *user) {
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    Attr attrs = annotation_map(p->context, op_at(p, o)->attrs, fn, user);
    op_at(p, o)->attrs = attrs;
  }
}

Attr annotation_mesh(const Program *p, const SymbolTable *symbols, Attr sharding) {
  Attr ref = attr_get(p->context, sharding, "mesh");
  if (attr_info(p->context, ref)->kind != ATTR_SYMBOL) return ref;
  OpId op = symbols_find(symbols, attr_as_name(p->context, ref));
  return op ? op_attr(p, op, "mesh") : 0;
}

// ---- values ----

// The explicit data_flow_edge op on the value.
static OpId edge_user(const Program *p, ValueId v) {
  for (OperandId use = value_at(p, v)->first_use; use; use = operand_at(p, use)->next_use)
    if (op_at(p, operand_at(p, use)->user)->code == OP_sdy_data_flow_edge)
      return operand_at(p, use)->user;
  return 0;
}

static OpId owner_of_arg(const Program *p, ValueId v) {
  return region_at(p, block_at(p, value_at(p, v)->def)->region)->op;
}

OpId annotation_edge(const Program *p, ValueId v) {
  OpId edge = edge_user(p, v);
  if (edge || !value_at(p, v)->is_arg) return edge;
  OpId owner = owner_of_arg(p, v);
  uint32_t i = value_at(p, v)->index;
  return op_flow(p, owner) == FLOW_LOOP && i < op_at(p, owner)->n_results
             ? edge_user(p, op_result(p, owner, i))
             : 0;
}

// The attribute with the sharding of the op's only result; NULL if the op has no such attribute.
static const char *single_attr(const Program *p, OpId op) {
  static const char *const names[] = {"sharding", "out_sharding"};
  for (int i = 0; i < 2; i++)
    if (op_attr_spec(op_at(p, op)->code, str_of(names[i]))) return names[i];
  return NULL;
}

// The attribute with one sharding per result, or per body argument.
static const char *list_attr(const Program *p, OpId op, bool args) {
  const char *name = args ? "in_shardings" : "out_shardings";
  return op_attr_spec(op_at(p, op)->code, str_of(name)) ? name : args ? NULL : "sdy.sharding";
}

// Item i of a per-value list; a single sharding counts as a list of one.
static Attr list_item(const Context *context, Attr list, uint32_t i) {
  if (is_class(context, list, "sdy.sharding")) return i == 0 ? list : 0;
  const AttrInfo *items = attr_info(context, attr_get(context, list, "shardings"));
  return i < items->count ? items->items[i] : 0;
}

typedef struct Manual {
  const Context *context;
  AttrInfo names;
  bool keep;
} Manual;

// For annotation_filter: keeps the manual axes, or all others.
static bool keep_if_manual(void *user, Name name, Attr axis) {
  const Manual *m = user;
  (void)axis;
  for (uint32_t i = 0; i < m->names.count; i++)
    if (attr_as_name(m->context, m->names.items[i]) == name) return m->keep;
  return !m->keep;
}

// The op's manual axes as a filter: keep only them, or all others.
static Manual manual_of(const Program *p, OpId op, bool keep) {
  Attr axes = attr_get(p->context, op_attr(p, op, "manual_axes"), "axes");
  return (Manual){p->context, *attr_info(p->context, axes), keep};
}

// ---- in_ and out_shardings of manual computations ----

static uint32_t axis_index(const Context *context, const AttrInfo *mesh_axes, Attr axis) {
  Name name = attr_as_name(context, attr_get(context, axis, "name"));
  for (uint32_t i = 0; i < mesh_axes->count; i++)
    if (attr_as_name(context, attr_get(context, mesh_axes->items[i], "name")) == name) return i;
  return UINT32_MAX;
}

// Concatenates two lists of axes; with mesh_axes, sorted in the mesh's order (for sets).
static Attr join_axes(Context *context, Attr a, Attr b, const AttrInfo *mesh_axes) {
  AttrInfo ia = *attr_info(context, a), ib = *attr_info(context, b);
  uint32_t n = ia.count + ib.count;
  Attr *items = ARENA_ARRAY(context_arena(context), Attr, n ? n : 1);
  for (uint32_t i = 0; i < n; i++) items[i] = i < ia.count ? ia.items[i] : ib.items[i - ia.count];
  for (uint32_t i = 1; mesh_axes && i < n; i++)  // short lists: insertion sort, stable for sub-axes
    for (uint32_t k = i; k && axis_index(context, mesh_axes, items[k - 1]) >
                                  axis_index(context, mesh_axes, items[k]);
         k--) {
      Attr swap = items[k];
      items[k] = items[k - 1];
      items[k - 1] = swap;
    }
  return attr_array(context, n, items);
}

// The axes of a sharding's mesh. A symbol is searched in the module, whose meshes come first.
static AttrInfo mesh_axes_of(const Program *p, Attr sharding) {
  Attr mesh = attr_get(p->context, sharding, "mesh");
  if (attr_info(p->context, mesh)->kind == ATTR_SYMBOL) {
    Name name = attr_as_name(p->context, mesh);
    BlockId block = region_block(p, op_region(p, p->root, 0));
    mesh = 0;
    for (OpId o = block ? block_at(p, block)->first : 0; o && !mesh; o = op_at(p, o)->next)
      if (op_at(p, o)->code == OP_sdy_mesh &&
          attr_as_name(p->context, op_attr(p, o, "sym_name")) == name)
        mesh = op_attr(p, o, "mesh");
  }
  return *attr_info(p->context, attr_get(p->context, mesh, "axes"));
}

// Converts a body argument's sharding to its in_sharding: the manual axes of `outer` come before
// (major to) the axes of `inner` in each dimension.
static Attr with_manual(Program *p, OpId op, Attr outer, Attr inner) {
  Context *context = p->context;
  Manual manual = manual_of(p, op, true);
  if (!manual.names.count || !outer) return inner;
  Attr fixed = annotation_filter(context, outer, keep_if_manual, &manual);
  AttrInfo before = *attr_info(context, attr_get(context, fixed, "dims"));
  AttrInfo after = *attr_info(context, attr_get(context, inner, "dims"));
  Attr *dims = ARENA_ARRAY(context_arena(context), Attr, after.count ? after.count : 1);
  for (uint32_t d = 0; d < after.count; d++) {
    dims[d] = after.items[d];
    if (d >= before.count) continue;
    Attr axes = join_axes(context, attr_get(context, before.items[d], "axes"),
                          attr_get(context, dims[d], "axes"), NULL);
    dims[d] = with_field(context, dims[d], "axes", axes);
  }
  Attr out = with_field(context, inner, "dims", attr_array(context, after.count, dims));
  out = with_field(context, out, "mesh", attr_get(context, outer, "mesh"));
  AttrInfo mesh_axes = mesh_axes_of(p, outer);
  static const char *const sets[] = {"replicated", "unreduced"};
  for (int i = 0; i < 2; i++) {
    Attr list = join_axes(context, attr_get(context, fixed, sets[i]),
                          attr_get(context, out, sets[i]), &mesh_axes);
    if (!is_empty(context, list)) out = with_field(context, out, sets[i], list);
  }
  return out;
}

// ---- access by value ----

// An op's result, a function's argument, or a body argument of a manual or named computation.
Attr annotation_own(const Program *p, ValueId v) {
  const Value *value = value_at(p, v);
  if (!value->is_arg) {
    OpId op = value->def;
    const char *single = single_attr(p, op);
    return single ? op_attr(p, op, single)
                  : list_item(p->context, op_attr(p, op, list_attr(p, op, false)), value->index);
  }
  OpId owner = owner_of_arg(p, v);
  if (op_row(op_at(p, owner)->code)->traits & TRAIT_FUNCTION) {
    const AttrInfo *dicts = attr_info(p->context, op_attr(p, owner, "arg_attrs"));
    return value->index < dicts->count
               ? attr_get(p->context, dicts->items[value->index], "sdy.sharding")
               : 0;
  }
  const char *list = list_attr(p, owner, true);
  Attr sharding = list ? list_item(p->context, op_attr(p, owner, list), value->index) : 0;
  Manual manual = manual_of(p, owner, false);
  return sharding && manual.names.count
             ? annotation_filter(p->context, sharding, keep_if_manual, &manual)
             : sharding;
}

Attr annotation_get(const Program *p, ValueId v) {
  OpId edge = annotation_edge(p, v);
  return edge ? op_attr(p, edge, "sharding") : annotation_own(p, v);
}

bool annotation_possible(const Program *p, ValueId v) {
  if (!type_is_tensor(p->context, value_type(p, v))) return false;
  if (!value_at(p, v)->is_arg || annotation_edge(p, v)) return true;
  OpId owner = owner_of_arg(p, v);
  return (op_row(op_at(p, owner)->code)->traits & TRAIT_FUNCTION) || list_attr(p, owner, true);
}

static Attr per_value(Context *context, uint32_t n, const Attr *items) {
  NamedAttr field = {name_of(context, "shardings"), attr_array(context, n, items)};
  return attr_struct(context, "sdy.sharding_per_value", 1, &field);
}

// Sets item i of a per-value list; items that are missing become open on the same mesh.
static void put_in_list(Program *p, OpId op, const char *name, uint32_t i, Attr sharding,
                        uint32_t n, ValueId first) {
  Context *context = p->context;
  Attr *items = ARENA_ARRAY(context_arena(context), Attr, n ? n : 1);
  Attr old = op_attr(p, op, name), mesh = attr_get(context, sharding, "mesh");
  for (uint32_t k = 0; k < n; k++) {
    items[k] = k == i ? sharding : list_item(context, old, k);
    uint32_t rank = type_info(context, value_type(p, first + k))->rank;
    if (!items[k]) items[k] = annotation_open(context, mesh, rank);
  }
  op_set_attr(p, op, name, per_value(context, n, items));
}

// Sets sdy.sharding in dict i of a function's arg_attrs or res_attrs, which may be missing.
static void put_in_dicts(Program *p, OpId function, const char *name, uint32_t i, uint32_t n,
                         Attr sharding) {
  Context *context = p->context;
  AttrInfo old = *attr_info(context, op_attr(p, function, name));
  Attr *items = ARENA_ARRAY(context_arena(context), Attr, n ? n : 1);
  for (uint32_t k = 0; k < n; k++) items[k] = k < old.count ? old.items[k] : 0;
  items[i] = attr_dict_with(context, items[i], "sdy.sharding", sharding);
  op_set_attr(p, function, name, attr_array(context, n, items));
}

bool annotation_set(Program *p, ValueId v, Attr sharding) {
  if (!annotation_possible(p, v)) return false;
  OpId edge = annotation_edge(p, v);
  Value value = *value_at(p, v);
  if (edge) {
    op_set_attr(p, edge, "sharding", sharding);
  } else if (!value.is_arg) {
    const char *single = single_attr(p, value.def);
    if (single)
      op_set_attr(p, value.def, single, sharding);
    else
      put_in_list(p, value.def, list_attr(p, value.def, false), value.index, sharding,
                  op_at(p, value.def)->n_results, op_at(p, value.def)->results);
  } else {
    OpId owner = owner_of_arg(p, v);
    const Block *block = block_at(p, value.def);
    if (op_row(op_at(p, owner)->code)->traits & TRAIT_FUNCTION) {
      put_in_dicts(p, owner, "arg_attrs", value.index, block->n_args, sharding);
    } else {
      const char *list = list_attr(p, owner, true);
      Attr outer = list_item(p->context, op_attr(p, owner, list), value.index);
      put_in_list(p, owner, list, value.index, with_manual(p, owner, outer, sharding),
                  block->n_args, block->args);
    }
  }
  return true;
}

Attr annotation_get_result(const Program *p, OpId function, uint32_t i) {
  const AttrInfo *dicts = attr_info(p->context, op_attr(p, function, "res_attrs"));
  return i < dicts->count ? attr_get(p->context, dicts->items[i], "sdy.sharding") : 0;
}

void annotation_set_result(Program *p, OpId function, uint32_t i, Attr sharding) {
  Attr type = attr_info(p->context, op_attr(p, function, "function_type"))->type;
  const TypeInfo *info = type_info(p->context, type);
  put_in_dicts(p, function, "res_attrs", i, info->n_items - info->n_inputs, sharding);
}
