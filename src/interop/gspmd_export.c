// Problem: write sdy shardings (axes of a mesh) as GSPMD strings (device arrays), with the manual
// axes that sdy keeps on the enclosing op and GSPMD in every string.
// Idea: three phases.
//   find_manual  the manual axes around each op, through calls
//   check        each distinct (sharding, manual axes) to its string; errors are reported here
//   rewrite      attributes and ops in place; bodies of computations become functions
// Invariant: the first two phases do not change the program, so an error leaves it as it was.
// Cost: O(program + devices · distinct shardings).
#include "interop/gspmd_export.h"

#include <stdio.h>

#include "base/vec.h"
#include "interop/gspmd_calls.h"
#include "interop/gspmd.h"

#define MIXED UINT32_MAX  // a function that is called under different manual axes

// A sharding under manual axes and its string.
typedef struct Memo {
  Attr sharding, manual;
  Attr text;
  uint32_t next;  // next entry of the same sharding, + 1
} Memo;

typedef struct Export {
  Program *p;
  Context *context;
  ShardingTable *table;
  Guard *guard;
  Arena *arena;
  Diag *diag;
  StrBuf buf;
  SymbolTable symbols;
  uint32_t
      n_devices;  // common to all shardings so far; 0: none seen; 1: only one-device meshes seen
  uint64_t maximal_devices;  // one more than the largest device of a maximal sharding
  OpId maximal_op;           // the op with that sharding
  uint32_t n_ops;            // op count before the rewrite
  uint32_t n_values;
  Attr *manual;      // per op: #sdy.manual_axes in effect inside its regions; 0: none; or MIXED
  int64_t *group;    // per value: its first sharding group + 1
  bool *has_string;  // per value: its sharding becomes a string
  VEC(Memo) memo;
  VEC(uint32_t) memo_of;  // per attribute: index of its first memo, + 1
  VEC(OpId) bodies;       // manual and named computations, outer before inner
  uint32_t n_generated;   // counter for generated function names
} Export;

static bool fail_at(Export *ex, OpId op, const char *reason) {
  return diag_error(ex->diag, op_at(ex->p, op)->pos, "'%s' op cannot be said in GSPMD's words: %s",
                    op_name(ex->p, op), reason);
}

// ---- manual axes ----

static const AttrInfo *axes_of(const Export *ex, Attr manual) {
  return attr_info(ex->context, attr_get(ex->context, manual, "axes"));
}

// The union of two lists of axis names.
static Attr manual_union(Export *ex, Attr a, Attr b) {
  if (!a || !b || a == MIXED) return a ? a : b;
  const AttrInfo *x = axes_of(ex, a), *y = axes_of(ex, b);
  ArenaMark mark = arena_mark(ex->arena);
  Attr *names = ARENA_ARRAY(ex->arena, Attr, x->count + y->count + 1);
  uint32_t n = 0;
  for (uint32_t i = 0; i < x->count; i++) names[n++] = x->items[i];
  for (uint32_t i = 0; i < y->count; i++) {
    bool there = false;
    for (uint32_t k = 0; k < x->count; k++) there |= x->items[k] == y->items[i];
    if (!there) names[n++] = y->items[i];
  }
  NamedAttr field = {name_of(ex->context, "axes"), attr_array(ex->context, n, names)};
  arena_rewind(ex->arena, mark);
  return attr_struct(ex->context, "sdy.manual_axes", 1, &field);
}

static OpId callee_of(const Export *ex, OpId op) {
  if (!(op_row(op_at(ex->p, op)->code)->traits & TRAIT_CALL)) return 0;
  Name name = attr_as_name(ex->context, op_attr(ex->p, op, "callee"));
  OpId callee = symbols_find(&ex->symbols, name);
  return callee && (op_row(op_at(ex->p, callee)->code)->traits & TRAIT_FUNCTION) ? callee : 0;
}

static bool is_function(const Export *ex, OpId op) {
  return op_row(op_at(ex->p, op)->code)->traits & TRAIT_FUNCTION;
}

// The manual axes inside `op`, given those around it.
static Attr manual_inside(Export *ex, OpId op, Attr outer) {
  if (!(op_row(op_at(ex->p, op)->code)->traits & TRAIT_MANUAL)) return outer;
  return manual_union(ex, outer, op_attr(ex->p, op, "manual_axes"));
}

// A worklist from the functions without a caller to their callees. A function is visited when it is
// first reached, and once more if it is also called under other axes (MIXED). O(program).
static void find_manual(Export *ex) {
  Program *p = ex->p;
  VEC(OpId) work = {0};
  uint8_t *state = ARENA_ARRAY(ex->arena, uint8_t, ex->n_ops);  // 1 = called, 2 = reached
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) state[callee_of(ex, o)] = 1;
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root))
    if (is_function(ex, o) && state[o] != 1) {
      state[o] = 2;
      VEC_PUSH(ex->arena, &work, o);
    }
  while (work.count) {
    OpId function = work.items[--work.count];
    for (OpId o = op_walk_next(p, function, function); o; o = op_walk_next(p, o, function)) {
      Attr around = ex->manual[op_parent(p, o)];
      ex->manual[o] = manual_inside(ex, o, around);
      OpId callee = callee_of(ex, o);
      if (!callee || (state[callee] == 2 && ex->manual[callee] == around)) continue;
      if (state[callee] == 2 && ex->manual[callee] == MIXED) continue;
      ex->manual[callee] = state[callee] == 2 ? MIXED : around;
      state[callee] = 2;
      VEC_PUSH(ex->arena, &work, callee);
    }
  }
}

// ---- shardings to strings ----

// Adds the manual axes in effect to a sharding. An axis is manual or replicated, not both.
static Status *add_manual(Export *ex, const Mesh *mesh, Attr manual, ShardingInfo *info) {
  const AttrInfo *names = axes_of(ex, manual);
  AxisRef *refs = ARENA_ARRAY(ex->arena, AxisRef, names->count + 1);
  for (uint32_t i = 0; i < names->count; i++) {
    Name name = attr_as_name(ex->context, names->items[i]);
    uint32_t axis = mesh_find_axis(mesh, name);
    if (axis == MESH_NO_AXIS)
      FAIL(INVALID_ARGUMENT, "it stands under the manual axis \"%s\", which its mesh does not have",
           name_text(ex->context, name));
    refs[i] = axis_full(mesh, axis);
  }
  info->manual = (AxisList){refs, names->count};
  info->replicated = axes_subtract(ex->arena, info->replicated, info->manual);
  return sharding_check(ex->table, info, 0);
}

// Converts a sharding attribute under manual axes, and checks that all meshes have the same size:
// a module has one mhlo.num_partitions.
static Status *to_gspmd(Export *ex, OpId op, Attr attr, Attr manual, GspmdSharding *out) {
  Sharding sharding;
  if (manual == MIXED)
    FAIL(UNIMPLEMENTED,
         "its function is called under different manual axes: give each its own copy of it");
  TRY(sharding_from_attr(ex->table, attr, 0, &sharding));
  ShardingInfo info = *sharding_info(ex->table, sharding);
  const Mesh *mesh = sharding_mesh(ex->table, info.mesh);
  if (!mesh->maximal) {
    // On a one-device mesh everything is replicated, for any number of devices.
    if (ex->n_devices > 1 && mesh->n_devices > 1 && mesh->n_devices != ex->n_devices)
      FAIL(UNIMPLEMENTED,
           "its mesh has %u devices, those of other shardings have %u, and a module has one number",
           mesh->n_devices, ex->n_devices);
    if (mesh->n_devices > ex->n_devices) ex->n_devices = mesh->n_devices;
    if (manual) TRY(add_manual(ex, mesh, manual, &info));
    sharding = sharding_intern(ex->table, &info);
  } else if (mesh->device >= ex->maximal_devices) {
    ex->maximal_devices = (uint64_t)mesh->device + 1;
    ex->maximal_op = op;
  }
  return gspmd_from_sharding(ex->table, ex->arena, sharding, out);
}

static Attr text_attr(Export *ex, const GspmdSharding *g) {
  ex->buf.used = 0;
  gspmd_print(g, &ex->buf);
  return attr_string(ex->context, name_intern(ex->context, (Str){ex->buf.data, ex->buf.used}));
}

// The string of one sharding, memoized; 0 after reporting an error. Strings with a group are not
// memoized.
static Attr string_of(Export *ex, OpId op, Attr sharding, Attr manual, int64_t group) {
  while (ex->memo_of.count <= sharding) VEC_PUSH(ex->arena, &ex->memo_of, 0);
  for (uint32_t i = group ? 0 : ex->memo_of.items[sharding]; i; i = ex->memo.items[i - 1].next)
    if (ex->memo.items[i - 1].manual == manual) return ex->memo.items[i - 1].text;
  GspmdSharding g = {0};
  ArenaMark mark = arena_mark(ex->arena);
  Status *status = to_gspmd(ex, op, sharding, manual, &g);
  if (status) {
    fail_at(ex, op, reason_of(ex->arena, status));
    return 0;
  }
  if (group) {
    g.group = GSPMD_SHARD_AS;
    g.group_id = group - 1;
  }
  Attr text = text_attr(ex, &g);
  arena_rewind(ex->arena, mark);
  if (group) return text;
  Memo memo = {sharding, manual, text, ex->memo_of.items[sharding]};
  VEC_PUSH(ex->arena, &ex->memo, memo);
  ex->memo_of.items[sharding] = ex->memo.count;
  return text;
}

// The string of #sdy.sharding_per_value on an op: a tuple if it has several results.
static Attr string_of_op(Export *ex, OpId op, Attr per_value, Attr manual) {
  const AttrInfo *list = attr_info(ex->context, attr_get(ex->context, per_value, "shardings"));
  const Op *o = op_at(ex->p, op);
  if (list->kind != ATTR_ARRAY || !list->count) return 0;
  if (list->count == 1)
    return string_of(ex, op, list->items[0], manual,
                     o->n_results && o->results < ex->n_values ? ex->group[o->results] : 0);
  GspmdSharding *items = ARENA_ARRAY(ex->arena, GspmdSharding, list->count);
  for (uint32_t i = 0; i < list->count; i++) {
    Status *status = to_gspmd(ex, op, list->items[i], manual, &items[i]);
    if (status) {
      fail_at(ex, op, reason_of(ex->arena, status));
      return 0;
    }
    if (i >= o->n_results || o->results + i >= ex->n_values || !ex->group[o->results + i]) continue;
    items[i].group = GSPMD_SHARD_AS;
    items[i].group_id = ex->group[o->results + i] - 1;
  }
  return text_attr(ex,
                   &(GspmdSharding){.kind = GSPMD_TUPLE, .n_items = list->count, .items = items});
}

// `unspecified_dims=[1]` for the open dimensions; 0 if all are closed.
static Attr unspecified(Export *ex, Attr sharding) {
  const AttrInfo *dims = attr_info(ex->context, attr_get(ex->context, sharding, "dims"));
  bool any = false;
  ex->buf.used = 0;
  for (uint32_t d = 0; dims->kind == ATTR_ARRAY && d < dims->count; d++) {
    if (!attr_get(ex->context, dims->items[d], "open")) continue;
    strbuf_printf(&ex->buf, "%s%u", any ? "," : "unspecified_dims=[", d);
    any = true;
  }
  if (!any) return 0;
  strbuf_putc(&ex->buf, ']');
  return attr_string(ex->context, name_intern(ex->context, (Str){ex->buf.data, ex->buf.used}));
}

// The sharding inside a manual computation: the manual axes are removed, since each device sees its
// shard along them.
static Attr residual(Export *ex, Attr sharding, Attr manual) {
  const AttrInfo *names = axes_of(ex, manual);
  Sharding id;
  Status *status = sharding_from_attr(ex->table, sharding, 0, &id);
  if (status) {  // cannot happen: string_of has read it
    status_free(status);
    return sharding;
  }
  ShardingInfo info = *sharding_info(ex->table, id);
  const Mesh *mesh = sharding_mesh(ex->table, info.mesh);
  AxisRef *refs = ARENA_ARRAY(ex->arena, AxisRef, names->count + 1);
  uint32_t n = 0;
  for (uint32_t i = 0; i < names->count; i++) {
    uint32_t axis = mesh_find_axis(mesh, attr_as_name(ex->context, names->items[i]));
    if (axis != MESH_NO_AXIS) refs[n++] = axis_full(mesh, axis);
  }
  AxisList taken = {refs, n};
  DimSharding *dims = ARENA_ARRAY(ex->arena, DimSharding, info.rank + 1);
  ShardFactor *factors = ARENA_ARRAY(ex->arena, ShardFactor, info.rank + 1);
  for (uint32_t d = 0; d < info.rank; d++) {
    dims[d] = info.dims[d];
    factors[d].axes = axes_subtract(ex->arena, sharding_dim_axes(&info, d), taken);
    dims[d].factors = &factors[d];
    if (!factors[d].axes.n && !dims[d].open) dims[d].priority = PRIORITY_NONE;
  }
  info.dims = dims;
  info.replicated = axes_subtract(ex->arena, info.replicated, taken);
  info.unreduced = axes_subtract(ex->arena, info.unreduced, taken);
  status = sharding_to_attr(ex->table, sharding_intern(ex->table, &info), &sharding);
  status_free(status);
  return sharding;
}

// ---- checking ----

// The sharding of an sdy op that becomes a @Sharding call; 0 for other ops.
static Attr own_sharding(const Export *ex, OpId op) {
  const Op *o = op_at(ex->p, op);
  if (o->n_operands != 1 || o->n_results != 1 || o->n_regions) return 0;
  if (!str_starts(str_of(op_row(o->code)->name), "sdy.")) return 0;
  Attr sharding = op_attr(ex->p, op, "sharding");
  return sharding ? sharding : op_attr(ex->p, op, "out_sharding");
}

// Whether a string stays: sdy shardings cannot be manual, so import left the string beside.
static bool keeps_string(const Export *ex, Attr dict) {
  Attr string = attr_get(ex->context, dict, "mhlo.sharding");
  return attr_info(ex->context, string)->kind == ATTR_STRING &&
         strstr(name_text(ex->context, attr_as_name(ex->context, string)), "manual");
}

// Whether a loop carries a value unchanged. XLA hoists such a value out of the loop before it reads
// the loop's string, which then has one element too many. Such a loop gets no string; the ops in
// and around it have theirs.
static bool carries_unchanged(const Export *ex, OpId op) {
  const Op *o = op_at(ex->p, op);
  const OpDef *def = op_row(o->code)->def;
  if (!def || def->flow != FLOW_LOOP || !o->n_regions) return false;
  BlockId block = region_block(ex->p, op_region(ex->p, op, o->n_regions - 1));
  OpId end = block ? block_at(ex->p, block)->last : 0;
  if (!end) return false;
  for (uint32_t i = 0; i < block_at(ex->p, block)->n_args && i < op_at(ex->p, end)->n_operands; i++)
    if (op_operand(ex->p, end, i) == block_arg(ex->p, block, i)) return true;
  return false;
}

// Whether a broadcast splits a dimension of size 1. XLA divides such a broadcast into two ops with
// the same string: the first has one element for several devices and is communicated. The broadcast
// gets no string; its sharding follows from its user's.
static bool splits_broadcast(const Export *ex, OpId op) {
  const Op *o = op_at(ex->p, op);
  if (o->code != OP_broadcast_in_dim || ex->manual[op_parent(ex->p, op)]) return false;
  const TypeInfo *from = type_info(ex->context, value_type(ex->p, op_operand(ex->p, op, 0)));
  const TypeInfo *to = type_info(ex->context, value_type(ex->p, op_result(ex->p, op, 0)));
  const AttrInfo *list = attr_info(
      ex->context, attr_get(ex->context, op_attr(ex->p, op, "sdy.sharding"), "shardings"));
  Ints map = attr_as_ints(ex->context, op_attr(ex->p, op, "broadcast_dimensions"));
  Sharding id = 0;
  Status *status = list->count ? sharding_from_attr(ex->table, list->items[0], 0, &id) : NULL;
  if (status || !id) {  // an invalid sharding is reported elsewhere
    status_free(status);
    return false;
  }
  const ShardingInfo *info = sharding_info(ex->table, id);
  for (uint32_t i = 0; i < from->rank && i < map.n; i++) {
    int64_t d = map.v[i];
    if (d >= 0 && d < info->rank && d < to->rank && from->dims[i] == 1 && to->dims[d] != 1 &&
        sharding_dim_axes(info, (uint32_t)d).n)
      return true;
  }
  return false;
}

// Whether the op's sdy.sharding becomes a string.
static bool gets_string(const Export *ex, OpId op) {
  return op_attr(ex->p, op, "sdy.sharding") && !keeps_string(ex, op_at(ex->p, op)->attrs) &&
         !carries_unchanged(ex, op) && !splits_broadcast(ex, op);
}

static const AttrInfo *list_of(const Export *ex, OpId op, const char *name) {
  return attr_info(ex->context, attr_get(ex->context, op_attr(ex->p, op, name), "shardings"));
}

static bool is_body(uint16_t code) {
  return code == OP_sdy_manual_computation || code == OP_sdy_named_computation;
}

// Converts the shardings of a computation twice: under the outer manual axes for the global values,
// under the inner ones for the shards.
static void check_body(Export *ex, OpId op) {
  static const char *const names[] = {"in_shardings", "out_shardings"};
  Attr outer = ex->manual[op_parent(ex->p, op)], inner = ex->manual[op];
  const Op *o = op_at(ex->p, op);
  BlockId block = region_block(ex->p, op_region(ex->p, op, 0));
  OpId end = block ? block_at(ex->p, block)->last : 0;
  if (!end || block_at(ex->p, block)->n_args != o->n_operands ||
      op_at(ex->p, end)->n_operands != o->n_results) {
    fail_at(ex, op, "its body does not fit its operands and results");
    return;
  }
  VEC_PUSH(ex->arena, &ex->bodies, op);
  for (uint32_t k = 0; k < 2; k++) {
    const AttrInfo *list = list_of(ex, op, names[k]);
    bool named = o->code == OP_sdy_named_computation;
    if (list->count != (k ? o->n_results : o->n_operands) && !(named && !list->count)) {
      fail_at(ex, op, "it has not one sharding for each value");
      return;
    }
    for (uint32_t i = 0; i < list->count; i++)
      if (!string_of(ex, op, list->items[i], outer, 0) ||
          (inner != outer && !string_of(ex, op, residual(ex, list->items[i], inner), inner, 0)))
        return;
  }
}

// Converts the shardings of a function's arguments or results.
static void check_edges(Export *ex, OpId op, const char *name) {
  const AttrInfo *list = attr_info(ex->context, op_attr(ex->p, op, name));
  BlockId block = region_block(ex->p, op_region(ex->p, op, 0));
  for (uint32_t i = 0; list->kind == ATTR_ARRAY && i < list->count; i++) {
    Attr sharding = attr_get(ex->context, list->items[i], "sdy.sharding");
    if (!sharding || !string_of(ex, op, sharding, ex->manual[op], 0)) continue;
    if (name[0] == 'a' && block && i < block_at(ex->p, block)->n_args &&
        !keeps_string(ex, list->items[i]))
      ex->has_string[block_arg(ex->p, block, i)] = true;
  }
}

static void check_op(Export *ex, OpId op) {
  const Op *o = op_at(ex->p, op);
  Attr around = ex->manual[op_parent(ex->p, op)];
  if (is_function(ex, op)) {
    check_edges(ex, op, "arg_attrs");
    check_edges(ex, op, "res_attrs");
    return;
  }
  Attr sharding = op_attr(ex->p, op, "sdy.sharding"), own = own_sharding(ex, op);
  bool has_text = own || gets_string(ex, op);
  for (uint32_t i = 0; has_text && i < o->n_results; i++) ex->has_string[o->results + i] = true;
  if (own)
    string_of(ex, op, own, around, 0);
  else if (has_text)
    string_of_op(ex, op, sharding, around);
  if (is_body(o->code))
    check_body(ex, op);
  else if (str_starts(str_of(op_row(o->code)->name), "sdy.") && o->n_regions)
    fail_at(ex, op, "it has a region");
}

// A string holds one group, so a value in several sharding groups keeps the first here; write_group
// adds a call for each of the others.
static void find_groups(Export *ex) {
  Program *p = ex->p;
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    if (op_at(p, o)->code != OP_sdy_sharding_group) continue;
    int64_t id = attr_as_int(ex->context, op_attr(p, o, "group_id"), 0);
    if (id < 0 || id == INT64_MAX) {
      fail_at(ex, o, "its group has no number that GSPMD takes");
      continue;
    }
    if (!ex->group[op_operand(p, o, 0)]) ex->group[op_operand(p, o, 0)] = id + 1;
  }
}

static void read_meshes(Export *ex) {
  Program *p = ex->p;
  uint32_t devices = 0;
  bool same = true;
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    if (op_at(p, o)->code != OP_sdy_mesh) continue;
    const Mesh *mesh;
    Name symbol = attr_as_name(ex->context, op_attr(p, o, "sym_name"));
    Status *status = mesh_from_attr(ex->context, op_attr(p, o, "mesh"), symbol, &mesh);
    if (status) {
      fail_at(ex, o, reason_of(ex->arena, status));
      continue;
    }
    sharding_mesh_add(ex->table, mesh);
    if (mesh->maximal) continue;
    same &= !devices || devices == mesh->n_devices;
    devices = mesh->n_devices;
  }
  // Meshes that no sharding uses tell the number of devices only if they agree.
  if (same) ex->n_devices = devices;
}

// ---- rewriting ----

static Attr i32(Export *ex, int64_t value) { return attr_int(ex->context, DT_i32, value); }

// The op's attributes of other dialects, without sdy's and without a call's own.
static Attr foreign_attrs(Export *ex, OpId op) {
  const AttrInfo *info = attr_info(ex->context, op_at(ex->p, op)->attrs);
  Attr kept = 0;
  for (uint32_t i = 0; i < info->count; i++) {
    const char *name = name_text(ex->context, info->fields[i].name);
    if (strchr(name, '.') && !str_starts(str_of(name), "sdy."))
      kept = attr_dict_with(ex->context, kept, name, info->fields[i].value);
  }
  return kept;
}

static Attr call_attrs(Export *ex, Attr attrs, const char *target, Attr text, Attr config) {
  Attr name = attr_string(ex->context, name_of(ex->context, target));
  attrs = attr_dict_with(ex->context, attrs, "call_target_name", name);
  if (text) attrs = attr_dict_with(ex->context, attrs, "mhlo.sharding", text);
  if (config) attrs = attr_dict_with(ex->context, attrs, "backend_config", config);
  return attrs;
}

// Turns an sdy op into a custom call in place, so its uses stay.
static void become_call(Export *ex, OpId op, const char *target, Attr text, Attr config) {
  Attr attrs = call_attrs(ex, foreign_attrs(ex, op), target, text, config);
  op_at(ex->p, op)->code = OP_custom_call;
  op_at(ex->p, op)->attrs = attrs;
}

// Makes a custom call with one operand; the caller inserts it.
static OpId new_call(Export *ex, OpId origin, const char *target, ValueId operand, Type type,
                     Attr text, Attr config) {
  Op o = *op_at(ex->p, origin);
  return op_create(ex->p, &(OpSpec){.code = OP_custom_call,
                                    .n_operands = 1,
                                    .operands = &operand,
                                    .n_results = 1,
                                    .result_types = &type,
                                    .attrs = call_attrs(ex, 0, target, text, config),
                                    .loc = o.loc,
                                    .pos = o.pos,
                                    .origin = origin});
}

static void write_edges(Export *ex, OpId op, const char *name) {
  const AttrInfo *list = attr_info(ex->context, op_attr(ex->p, op, name));
  if (list->kind != ATTR_ARRAY) return;
  ArenaMark mark = arena_mark(ex->arena);
  uint32_t n = list->count;
  Attr *items = arena_copy(ex->arena, list->items, n * sizeof *items);
  BlockId block = region_block(ex->p, op_region(ex->p, op, 0));
  for (uint32_t i = 0; i < n; i++) {
    Attr sharding = attr_get(ex->context, items[i], "sdy.sharding");
    if (!sharding) continue;
    bool kept = keeps_string(ex, items[i]), argument = name[0] == 'a' && block;
    items[i] = attr_dict_with(ex->context, items[i], "sdy.sharding", 0);
    if (kept) continue;
    int64_t group =
        argument && i < block_at(ex->p, block)->n_args ? ex->group[block_arg(ex->p, block, i)] : 0;
    Attr text = string_of(ex, op, sharding, ex->manual[op], group);
    items[i] = attr_dict_with(ex->context, items[i], "mhlo.sharding", text);
  }
  op_set_attr(ex->p, op, name, attr_array(ex->context, n, items));
  arena_rewind(ex->arena, mark);
}

// Drops a sharding_group op. If no string carries the group, a @Sharding call on the value does.
static void write_group(Export *ex, OpId op) {
  Program *p = ex->p;
  ValueId value = op_operand(p, op, 0);
  int64_t id = attr_as_int(ex->context, op_attr(p, op, "group_id"), 0);
  if (value >= ex->n_values || !ex->has_string[value] || ex->group[value] != id + 1) {
    GspmdSharding g = {.kind = GSPMD_UNKNOWN, .group = GSPMD_SHARD_AS, .group_id = id};
    OpId call = new_call(ex, op, CALL_SHARDING, value, value_type(p, value), text_attr(ex, &g), 0);
    OpId def = value_def(p, value);
    value_replace_uses(p, value, op_result(p, call, 0));
    operand_set(p, op_at(p, call)->operands, value);
    if (def)
      op_insert_after(p, call, def);
    else
      op_insert_before(p, call, block_at(p, value_at(p, value)->def)->first);
  }
  op_erase(p, op);
}

// GSPMD has one barrier per direction. A barrier that allows no direction becomes two calls; one
// that allows both is removed.
static void write_barrier(Export *ex, OpId op, Attr text) {
  enum { NONE, FORWARD, BACKWARD };
  Program *p = ex->p;
  int64_t allowed = attr_as_int(ex->context, op_attr(p, op, "allowed_direction"), NONE);
  if (allowed == NONE) {
    ValueId operand = op_operand(p, op, 0);
    OpId to = new_call(ex, op, CALL_BARRIER_TO, operand, value_type(p, operand), text, 0);
    op_insert_before(p, to, op);
    operand_set(p, op_at(p, op)->operands, op_result(p, to, 0));
  }
  if (allowed <= BACKWARD) {
    become_call(ex, op, allowed == FORWARD ? CALL_BARRIER_TO : CALL_BARRIER_FROM, text, 0);
  } else {
    value_replace_uses(p, op_result(p, op, 0), op_operand(p, op, 0));
    op_erase(p, op);
  }
}

static void write_op(Export *ex, OpId op) {
  Program *p = ex->p;
  uint16_t code = op_at(p, op)->code;
  Attr sharding = op_attr(p, op, "sdy.sharding"), own = own_sharding(ex, op);
  Attr around = ex->manual[op_parent(p, op)], text = 0;
  if (own) {
    text = string_of(ex, op, own, around, ex->group[op_result(p, op, 0)]);
    become_call(ex, op, CALL_SHARDING, text, unspecified(ex, own));
    return;
  }
  if (gets_string(ex, op)) text = string_of_op(ex, op, sharding, around);
  if (code == OP_sdy_propagation_barrier) {
    write_barrier(ex, op, text);
  } else if (code == OP_sdy_sharding_group) {
    write_group(ex, op);
  } else if (code == OP_sdy_data_flow_edge || code == OP_sdy_func_data_flow_edge) {
    value_replace_uses(p, op_result(p, op, 0), op_operand(p, op, 0));
    op_erase(p, op);
  } else if (code == OP_sdy_mesh) {
    op_erase(p, op);
  } else {
    if (code == OP_sdy_constant) op_at(p, op)->code = OP_constant;
    if (sharding) op_set_attr(p, op, "sdy.sharding", 0);
    if (text) op_set_attr(p, op, "mhlo.sharding", text);
    if (op_attr(p, op, "sdy.sharding_rule")) op_set_attr(p, op, "sdy.sharding_rule", 0);
  }
}

// ---- bodies ----

static Name free_name(Export *ex, const char *base) {
  Name name = name_of(ex->context, base);
  while (symbols_find(&ex->symbols, name))
    name = name_of(ex->context, arena_printf(ex->arena, "%s_%u", base, ex->n_generated++));
  return name;
}

// Moves the op's body into a new private function named after `base`. The op's region is empty
// then.
static OpId outline(Export *ex, OpId op, const char *base, Attr arg_attrs) {
  Program *p = ex->p;
  RegionId from = op_region(p, op, 0);
  BlockId block = region_block(p, from);
  OpId end = block_at(p, block)->last;
  uint32_t n_in = block_at(p, block)->n_args, n_out = op_at(p, end)->n_operands;
  Type *types = ARENA_ARRAY(ex->arena, Type, n_in + n_out + 1);
  for (uint32_t i = 0; i < n_in; i++) types[i] = value_type(p, block_arg(p, block, i));
  for (uint32_t i = 0; i < n_out; i++) types[n_in + i] = op_operand_type(p, end, i);
  Name name = free_name(ex, base);
  NamedAttr fields[4] = {
      {name_of(ex->context, "sym_name"), attr_string(ex->context, name)},
      {name_of(ex->context, "sym_visibility"),
       attr_string(ex->context, name_of(ex->context, "private"))},
      {name_of(ex->context, "function_type"),
       attr_type(ex->context, type_function(ex->context, n_in, types, n_out, types + n_in))},
      {name_of(ex->context, "arg_attrs"), arg_attrs}};
  OpId function = op_create(p, &(OpSpec){.code = OP_func_func,
                                         .n_regions = 1,
                                         .attrs = attr_dict(ex->context, arg_attrs ? 4 : 3, fields),
                                         .loc = op_at(p, op)->loc,
                                         .pos = op_at(p, op)->pos,
                                         .origin = op});
  RegionId to = op_region(p, function, 0);
  region_at(p, to)->first = region_at(p, from)->first;
  region_at(p, to)->last = region_at(p, from)->last;
  region_at(p, from)->first = region_at(p, from)->last = 0;
  for (BlockId b = block; b; b = block_at(p, b)->next) block_at(p, b)->region = to;
  op_at(p, end)->code = OP_func_return;
  op_append(p, region_block(p, op_region(p, p->root, 0)), function);
  idmap_add(&ex->symbols.map, ex->guard, hash_mix(name, 1), function);
  return function;
}

static OpId call_to(Export *ex, OpId op, OpId function, const ValueId *operands) {
  Program *p = ex->p;
  const TypeInfo *type =
      type_info(ex->context, attr_info(ex->context, op_attr(p, function, "function_type"))->type);
  Name name = attr_as_name(ex->context, op_attr(p, function, "sym_name"));
  NamedAttr field = {name_of(ex->context, "callee"), attr_symbol(ex->context, name)};
  return op_create(p, &(OpSpec){.code = OP_func_call,
                                .n_operands = type->n_inputs,
                                .operands = operands,
                                .n_results = type->n_items - type->n_inputs,
                                .result_types = type->items + type->n_inputs,
                                .attrs = attr_dict(ex->context, 1, &field),
                                .loc = op_at(p, op)->loc,
                                .pos = op_at(p, op)->pos,
                                .origin = op});
}

static bool is_tensor(const Export *ex, ValueId v) {
  return type_is_tensor(ex->context, value_type(ex->p, v));
}

// Passes operand i into the manual computation: @Sharding on the global value, then the shard.
static ValueId enter(Export *ex, OpId op, uint32_t i, Type local) {
  Program *p = ex->p;
  Attr sharding = list_of(ex, op, "in_shardings")->items[i], inner = ex->manual[op];
  ValueId full = op_operand(p, op, i);
  if (!is_tensor(ex, full)) return full;
  Attr text = string_of(ex, op, sharding, ex->manual[op_parent(p, op)], 0);
  OpId constrained =
      new_call(ex, op, CALL_SHARDING, full, value_type(p, full), text, unspecified(ex, sharding));
  op_insert_before(p, constrained, op);
  Attr rest = residual(ex, sharding, inner);
  OpId shard = new_call(ex, op, CALL_FULL_TO_SHARD, op_result(p, constrained, 0), local,
                        string_of(ex, op, rest, inner, 0), unspecified(ex, rest));
  op_insert_before(p, shard, op);
  return op_result(p, shard, 0);
}

// Passes result i out of the manual computation: @Sharding on the shard, then the global value.
static ValueId leave(Export *ex, OpId op, uint32_t i, ValueId local) {
  Program *p = ex->p;
  Attr sharding = list_of(ex, op, "out_shardings")->items[i], inner = ex->manual[op];
  if (!is_tensor(ex, local)) return local;
  Attr rest = residual(ex, sharding, inner);
  OpId shard = new_call(ex, op, CALL_SHARDING, local, value_type(p, local),
                        string_of(ex, op, rest, inner, 0), unspecified(ex, rest));
  op_insert_before(p, shard, op);
  Attr text = string_of(ex, op, sharding, ex->manual[op_parent(p, op)], 0);
  OpId full = new_call(ex, op, CALL_SHARD_TO_FULL, op_result(p, shard, 0), op_result_type(p, op, i),
                       text, unspecified(ex, sharding));
  op_insert_before(p, full, op);
  return op_result(p, full, 0);
}

// The call if the body is nothing but one call of its arguments; 0 otherwise. Import wraps a call
// in such a body, so export and import are inverse.
static OpId sole_call(const Export *ex, OpId op) {
  const Program *p = ex->p;
  BlockId block = region_block(p, op_region(p, op, 0));
  OpId call = block_at(p, block)->first, end = block_at(p, block)->last;
  if (op_at(p, call)->next != end || op_at(p, call)->code != OP_func_call ||
      op_at(p, call)->n_operands != block_at(p, block)->n_args ||
      op_at(p, call)->n_results != op_at(p, end)->n_operands)
    return 0;
  for (uint32_t i = 0; i < op_at(p, call)->n_operands; i++)
    if (op_operand(p, call, i) != block_arg(p, block, i)) return 0;
  for (uint32_t i = 0; i < op_at(p, call)->n_results; i++)
    if (op_operand(p, end, i) != op_result(p, call, i)) return 0;
  return call;
}

// The body as a call; the caller inserts it.
static OpId body_call(Export *ex, OpId op, const ValueId *operands) {
  Program *p = ex->p;
  OpId call = sole_call(ex, op);
  if (!call)
    return call_to(ex, op, outline(ex, op, "xla.sdy.inlinable_manual_computation_body", 0),
                   operands);
  op_erase(p, op_at(p, call)->next);
  op_detach(p, call);
  for (uint32_t i = 0; i < op_at(p, call)->n_operands; i++)
    operand_set(p, op_at(p, call)->operands + i, operands[i]);
  return call;
}

// operands -> enter -> call of the body -> leave -> users of the results.
static void write_manual(Export *ex, OpId op) {
  Program *p = ex->p;
  uint32_t n_in = op_at(p, op)->n_operands, n_out = op_at(p, op)->n_results;
  BlockId block = region_block(p, op_region(p, op, 0));
  ValueId *values = ARENA_ARRAY(ex->arena, ValueId, n_in + 1);
  for (uint32_t i = 0; i < n_in; i++)
    values[i] = enter(ex, op, i, value_type(p, block_arg(p, block, i)));
  OpId call = body_call(ex, op, values);
  op_insert_before(p, call, op);
  for (uint32_t i = 0; i < n_out; i++) {
    ValueId from = op_result(p, op, i), to = leave(ex, op, i, op_result(p, call, i));
    value_at(p, to)->name = value_at(p, from)->name;
    value_replace_uses(p, from, to);
  }
  op_erase(p, op);
}

// in_shardings go on the function's arguments, out_shardings on the call.
static void write_named(Export *ex, OpId op) {
  Program *p = ex->p;
  Attr around = ex->manual[op_parent(p, op)], arg_attrs = 0, out = op_attr(p, op, "out_shardings");
  const AttrInfo *in = list_of(ex, op, "in_shardings");
  uint32_t n_in = op_at(p, op)->n_operands, n_out = op_at(p, op)->n_results;
  ValueId *values = ARENA_ARRAY(ex->arena, ValueId, n_in + 1);
  Attr *dicts = ARENA_ARRAY(ex->arena, Attr, n_in + 1);
  for (uint32_t i = 0; i < n_in; i++) {
    values[i] = op_operand(p, op, i);
    if (i < in->count)
      dicts[i] = attr_dict_with(ex->context, 0, "mhlo.sharding",
                                string_of(ex, op, in->items[i], around, 0));
  }
  if (in->count && n_in) arg_attrs = attr_array(ex->context, n_in, dicts);
  const char *name = name_text(ex->context, attr_as_name(ex->context, op_attr(p, op, "name")));
  OpId function = outline(ex, op, name[0] ? name : "named_computation", arg_attrs);
  OpId call = call_to(ex, op, function, values);
  op_insert_before(p, call, op);
  Attr text =
      n_out && list_of(ex, op, "out_shardings")->count ? string_of_op(ex, op, out, around) : 0;
  if (text) op_set_attr(p, call, "mhlo.sharding", text);
  for (uint32_t i = 0; i < n_out; i++) {
    ValueId from = op_result(p, op, i), to = op_result(p, call, i);
    value_at(p, to)->name = value_at(p, from)->name;
    value_replace_uses(p, from, to);
  }
  op_erase(p, op);
}

// ---- public ----

static void rewrite(Export *ex) {
  Program *p = ex->p;
  for (OpId o = p->root, next; o; o = next) {
    next = op_walk_next(p, o, p->root);
    if (is_function(ex, o)) {
      write_edges(ex, o, "arg_attrs");
      write_edges(ex, o, "res_attrs");
    } else if (o < ex->n_ops && o != p->root) {
      write_op(ex, o);
    }
  }
  // Inner bodies first: ex->manual is found through the parents, which must still exist.
  for (uint32_t i = ex->bodies.count; i-- > 0;)
    if (op_at(p, ex->bodies.items[i])->code == OP_sdy_manual_computation)
      write_manual(ex, ex->bodies.items[i]);
    else
      write_named(ex, ex->bodies.items[i]);
  if (ex->n_devices) {
    op_set_attr(p, p->root, "mhlo.num_partitions", i32(ex, ex->n_devices));
    op_set_attr(p, p->root, "mhlo.num_replicas", i32(ex, 1));
  }
}

// The number of devices if no mesh tells: mhlo.num_partitions, and at least the devices of maximal
// shardings.
static void count_devices(Export *ex) {
  int64_t given = attr_as_int(ex->context, op_attr(ex->p, ex->p->root, "mhlo.num_partitions"), 0);
  bool free = ex->n_devices <= 1 && given <= 1;
  if (ex->n_devices <= 1 && given > 1 && given <= GSPMD_MOST_DEVICES)
    ex->n_devices = (uint32_t)given;
  if (ex->maximal_devices <= ex->n_devices) return;
  if (free && ex->maximal_devices <= GSPMD_MOST_DEVICES)
    ex->n_devices = (uint32_t)ex->maximal_devices;
  else
    fail_at(ex, ex->maximal_op,
            arena_printf(ex->arena, "a value is on device %llu, but the program has %u devices",
                         (unsigned long long)ex->maximal_devices - 1, ex->n_devices));
}

static Status *export(Export *ex) {
  Program *p = ex->p;
  uint32_t before = ex->diag->errors;
  symbols_init(&ex->symbols, p, p->root, ex->guard);
  ex->n_ops = p->ops.count;
  ex->n_values = p->values.count;
  ex->manual = ARENA_ARRAY(ex->arena, Attr, ex->n_ops);
  ex->group = ARENA_ARRAY(ex->arena, int64_t, ex->n_values);
  ex->has_string = ARENA_ARRAY(ex->arena, bool, ex->n_values);
  read_meshes(ex);
  if (ex->diag->errors == before) find_groups(ex);
  if (ex->diag->errors == before) {
    find_manual(ex);
    uint32_t devices = ex->n_devices;
    ex->n_devices = 0;
    for (OpId o = op_walk_next(p, p->root, p->root); o && !diag_full(ex->diag);
         o = op_walk_next(p, o, p->root))
      check_op(ex, o);
    if (!ex->n_devices) ex->n_devices = devices;
    count_devices(ex);
  }
  if (ex->diag->errors != before) return diag_status(ex->diag);
  rewrite(ex);
  return NULL;
}

static void release(void *object) {
  Export *ex = object;
  symbols_deinit(&ex->symbols);
  strbuf_deinit(&ex->buf);
  arena_deinit(ex->arena);
}

Status *gspmd_export(Program *p, ShardingTable *table, Guard *guard, Diag *diag) {
  if (!p->root) return NULL;
  Arena arena;
  arena_init(&arena, guard);
  Export ex = {
      .p = p, .context = p->context, .table = table, .guard = guard, .arena = &arena, .diag = diag};
  strbuf_init(&ex.buf, guard);
  GuardCleanup cleanup = {release, &ex, NULL};
  guard_push(guard, &cleanup);
  Status *status = export(&ex);
  guard_pop(guard, &cleanup);
  release(&ex);
  return status;
}
