// Problem: the graph has one sharding per place (value in an instance); the program's text has one
// attribute per value.
//
// Idea: instances with equal shardings share a body (bodies.h); a function is copied once for each
// further body. A constant whose uses have different shardings is copied once per distinct sharding
// and operands. Attributes are built once per sharding.
//
// Invariant: the function itself is written last, so all copies are made from the propagated
// program. Shardings that sdy cannot express are found before anything is written. Cost: O(program
// + ops in all instances).
#include "propagate/write.h"

#include "base/idmap.h"
#include "ops/op.h"
#include "annotate/annotation.h"
#include "propagate/bodies.h"

// The attribute in which an op keeps the shardings of its results.
typedef enum Form {
  FORM_RESULTS,  // sdy.sharding, one per result
  FORM_OWN,      // `sharding`, of the one result
  FORM_OUT,      // `out_sharding`, of the one result
  FORM_REGION,   // `in_shardings` of the body's arguments, `out_shardings`
} Form;

typedef VEC(uint32_t) Ids;

// A copy of a constant op.
typedef struct Copy {
  ValueId value;      // the copied op's result
  Sharding sharding;  // 0 = none
  OpId op;
} Copy;

typedef struct Writer {
  const Propagation *p;
  const Graph *g;
  Program *program;
  Context *context;
  ShardingTable *table;
  Arena *arena;    // lives until the end
  Arena *scratch;  // rewound after every op
  bool close;
  Status *failed;  // error of the first sharding that sdy cannot express
  Bodies bodies;
  uint8_t forms[OP_COUNT];  // Form
  bool *edged;              // per value: an explicit data-flow edge has its sharding instead
  OpId *target;             // per op: its counterpart in the body that is written
  ValueId *values;          // map of op_clone
  uint32_t n_values;
  Ids finals;  // per sharding: the sharding to write, 0 = not made yet
  Ids attrs;   // per sharding: its #sdy.sharding
  Ids lists;   // per sharding: #sdy.sharding_per_value with this one
  // Constants:
  OpId *after;       // per op: its counterpart's newest copy, behind which the next goes
  ValueId *copy_of;  // per value of the current expression: its copy
  VEC(Copy) copies;  // [0] is unused
  IdMap by_copy;
} Writer;

// ---- attributes ----

// The entry of id i; the table grows as needed.
static uint32_t *entry(Writer *w, Ids *ids, uint32_t i) {
  VEC_RESERVE(w->arena, ids, i + 1);
  while (ids->count <= i) ids->items[ids->count++] = 0;
  return &ids->items[i];
}

// Closes all dimensions; a priority of an open dimension has no meaning any more.
static Sharding close_dims(Writer *w, Sharding sharding) {
  ShardingInfo info = *sharding_info(w->table, sharding);
  ArenaMark mark = arena_mark(w->scratch);
  DimSharding *dims = ARENA_ARRAY(w->scratch, DimSharding, info.rank + 1);
  for (uint32_t d = 0; d < info.rank; d++) {
    dims[d] = info.dims[d];
    if (dims[d].open) dims[d].priority = PRIORITY_NONE;
    dims[d].open = false;
  }
  info.dims = dims;
  Sharding closed = sharding_intern(w->table, &info);
  arena_rewind(w->scratch, mark);
  return closed;
}

// The sharding to write: without the manual axes of the surrounding body, closed if requested.
static Sharding final(Writer *w, Sharding sharding) {
  if (!sharding) return 0;
  if (!*entry(w, &w->finals, sharding)) {
    Sharding made = sharding;
    if (sharding_info(w->table, made)->manual.n)
      made = sharding_with_manual(w->table, made, (AxisList){0});
    if (w->close) made = close_dims(w, made);
    *entry(w, &w->finals, sharding) = made;
  }
  return *entry(w, &w->finals, sharding);
}

// The #sdy.sharding to write; 0 for sharding 0. An error is kept in w->failed.
static Attr sharding_attr(Writer *w, Sharding sharding) {
  sharding = final(w, sharding);
  if (!sharding) return 0;
  if (!*entry(w, &w->attrs, sharding)) {
    Attr made = 0;
    Status *status = sharding_to_attr(w->table, sharding, &made);
    if (w->failed)
      status_free(status);
    else
      w->failed = status;
    *entry(w, &w->attrs, sharding) = made;
  }
  return *entry(w, &w->attrs, sharding);
}

static Attr list_attr(Writer *w, uint32_t n, const Attr *items) {
  NamedAttr field = {name_of(w->context, "shardings"), attr_array(w->context, n, items)};
  return attr_struct(w->context, "sdy.sharding_per_value", 1, &field);
}

static Attr list_of_one(Writer *w, Sharding sharding) {
  if (!*entry(w, &w->lists, sharding)) {
    Attr item = sharding_attr(w, sharding), list = item ? list_attr(w, 1, &item) : 0;
    *entry(w, &w->lists, sharding) = list;
  }
  return *entry(w, &w->lists, sharding);
}

static void set_attr(Writer *w, OpId op, const char *name, Attr value) {
  if (value && op_attr(w->program, op, name) != value) op_set_attr(w->program, op, name, value);
}

// A list of shardings (#sdy.sharding_per_value) under construction.
typedef struct List {
  uint32_t n;
  Attr *items;    // 0 = none yet
  Sharding some;  // the first inferred one; 0 = none
} List;

// Starts from the list in the text, whose entries stay for values without a place: tokens, scalars.
static List list_begin(Writer *w, uint32_t n, Attr written) {
  const AttrInfo *was = attr_info(w->context, attr_get(w->context, written, "shardings"));
  List list = {n, ARENA_ARRAY(w->scratch, Attr, n + 1), 0};
  for (uint32_t i = 0; i < n && was->count == n; i++) list.items[i] = was->items[i];
  return list;
}

static void list_put(Writer *w, List *list, uint32_t i, Sharding sharding) {
  if (!sharding) return;
  list->items[i] = sharding_attr(w, sharding);
  if (!list->some) list->some = sharding;
}

// A list has an entry for every value: those without a sharding are open, on the mesh of the
// others.
static void list_fill(Writer *w, List *list, uint32_t i, Type type) {
  if (list->items[i]) return;
  const TypeInfo *info = type_info(w->context, type);
  uint32_t rank = info->kind == TYPE_TENSOR ? info->rank : 0;
  bool maximal = sharding_is_maximal(w->table, list->some);
  MeshId mesh = sharding_info(w->table, list->some)->mesh;
  list->items[i] =
      sharding_attr(w, maximal ? list->some : sharding_make_open(w->table, mesh, rank));
}

// The complete list; 0 if no value has a sharding.
static Attr list_end(Writer *w, List *list, const Program *p, ValueId values) {
  if (!list->some) return 0;
  for (uint32_t i = 0; i < list->n; i++) list_fill(w, list, i, value_type(p, values + i));
  return list_attr(w, list->n, list->items);
}

// ---- ops ----
// `from` is the op of the propagated program, whose values have places; `to` is written.

static Sharding value_sharding(const Writer *w, InstanceId instance, ValueId value) {
  return w->edged[value] ? 0 : propagation_get(w->p, graph_place(w->g, instance, value));
}

// A list with one sharding per result. The usual single result takes a shared list attribute.
static void write_results(Writer *w, InstanceId instance, OpId from, OpId to, const char *name) {
  const Op *o = op_at(w->program, from);
  if (o->n_results == 1) {
    Sharding sharding = value_sharding(w, instance, o->results);
    if (sharding) set_attr(w, to, name, list_of_one(w, sharding));
    return;
  }
  List list = list_begin(w, o->n_results, op_attr(w->program, from, name));
  for (uint32_t i = 0; i < list.n; i++)
    list_put(w, &list, i, value_sharding(w, instance, o->results + i));
  set_attr(w, to, name, list_end(w, &list, w->program, o->results));
}

static void write_own(Writer *w, InstanceId instance, OpId from, OpId to, const char *name) {
  const Op *o = op_at(w->program, from);
  if (o->n_results == 1)
    set_attr(w, to, name, sharding_attr(w, value_sharding(w, instance, o->results)));
}

static Attr closed(void *context, Attr sharding) { return annotation_closed(context, sharding); }

// Arguments of a manual body: their places have no manual axes. in_shardings have them and stay,
// closed if requested.
static void write_arguments(Writer *w, InstanceId instance, OpId from, OpId to) {
  Program *p = w->program;
  BlockId body = region_block(p, op_region(p, from, 0));
  BlockId body_to = region_block(p, op_region(p, to, 0));
  uint32_t n = body ? block_at(p, body)->n_args : 0;
  for (uint32_t i = 0; i < n; i++) {
    Attr attr = sharding_attr(w, value_sharding(w, instance, block_arg(p, body, i)));
    if (attr) annotation_set(p, block_arg(p, body_to, i), attr);
  }
  Attr list = op_attr(p, to, "in_shardings");
  if (list && w->close)
    set_attr(w, to, "in_shardings", annotation_map(w->context, list, closed, w->context));
}

static void write_call(Writer *w, InstanceId instance, OpId from, OpId to) {
  BodyId body = bodies_called(&w->bodies, instance, from);
  if (body) set_attr(w, to, "callee", attr_symbol(w->context, w->bodies.bodies[body].name));
}

static void write_op(Writer *w, InstanceId instance, OpId from, OpId to) {
  ArenaMark mark = arena_mark(w->scratch);
  uint16_t code = op_at(w->program, from)->code;
  switch ((Form)w->forms[code]) {
  case FORM_RESULTS: write_results(w, instance, from, to, "sdy.sharding"); break;
  case FORM_OWN: write_own(w, instance, from, to, "sharding"); break;
  case FORM_OUT: write_own(w, instance, from, to, "out_sharding"); break;
  case FORM_REGION:
    write_arguments(w, instance, from, to);
    write_results(w, instance, from, to, "out_shardings");
    break;
  }
  if (op_row(code)->traits & TRAIT_CALL) write_call(w, instance, from, to);
  arena_rewind(w->scratch, mark);
}

// ---- functions ----

// arg_attrs or res_attrs: one dict per value; no attribute if all are empty.
static void write_side(Writer *w, OpId to, const char *name, uint32_t n,
                       const Sharding *shardings) {
  AttrInfo was = *attr_info(w->context, op_attr(w->program, to, name));
  bool any = was.kind == ATTR_ARRAY && was.count == n;
  Attr *dicts = ARENA_ARRAY(w->scratch, Attr, n + 1);
  for (uint32_t i = 0; i < n; i++) dicts[i] = any ? was.items[i] : 0;
  for (uint32_t i = 0; i < n; i++) {
    if (!shardings[i]) continue;
    dicts[i] = attr_dict_with(w->context, dicts[i], "sdy.sharding", sharding_attr(w, shardings[i]));
    any = true;
  }
  if (any) set_attr(w, to, name, attr_array(w->context, n, dicts));
}

static void write_function(Writer *w, InstanceId instance, OpId from, OpId to) {
  const Program *p = w->program;
  ArenaMark mark = arena_mark(w->scratch);
  BlockId body = region_block(p, op_region(p, from, 0));
  uint32_t n = body ? block_at(p, body)->n_args : 0, n_out = w->g->instances[instance].n_results;
  Sharding *in = ARENA_ARRAY(w->scratch, Sharding, n + 1);
  Sharding *out = ARENA_ARRAY(w->scratch, Sharding, n_out + 1);
  for (uint32_t i = 0; i < n; i++) in[i] = value_sharding(w, instance, block_arg(p, body, i));
  for (uint32_t i = 0; i < n_out; i++)
    out[i] = propagation_get(w->p, graph_result_place(w->g, instance, i));
  write_side(w, to, "arg_attrs", n, in);
  write_side(w, to, "res_attrs", n_out, out);
  arena_rewind(w->scratch, mark);
}

// ---- constants ----
// A use that has its own places for a constant expression gets a copy of it. Copies of an op with
// equal operands and sharding are merged, also with the op itself. They stand right behind the op,
// so they dominate every use.

typedef struct CopyKey {
  ValueId value;
  Sharding sharding;
  uint32_t n;
  const ValueId *operands;
} CopyKey;

static uint64_t copy_hash(const CopyKey *key) {
  uint64_t h = hash_mix(key->value, key->sharding);
  for (uint32_t i = 0; i < key->n; i++) h = hash_mix(h, key->operands[i]);
  return h;
}

static bool has_operands(const Program *p, OpId op, const CopyKey *key) {
  for (uint32_t i = 0; i < key->n; i++)
    if (op_operand(p, op, i) != key->operands[i]) return false;
  return true;
}

static bool copy_equal(const void *owner, uint32_t id, const void *other) {
  const Writer *w = owner;
  const Copy *copy = &w->copies.items[id];
  const CopyKey *key = other;
  return copy->value == key->value && copy->sharding == key->sharding &&
         has_operands(w->program, copy->op, key);
}

// Clones a constant op with other operands, and inserts it behind the copies made before.
static OpId make_copy(Writer *w, OpId def, const CopyKey *key, uint32_t index) {
  Program *p = w->program;
  OpId copy = op_clone(p, w->target[def], NULL, 0);
  for (uint32_t i = 0; i < key->n; i++)
    operand_set(p, op_at(p, copy)->operands + i, key->operands[i]);
  List list = list_begin(w, op_at(p, copy)->n_results, 0);
  list_put(w, &list, index, key->sharding);
  op_set_attr(p, copy, "sdy.sharding", list_end(w, &list, p, op_at(p, copy)->results));
  op_insert_after(p, copy, w->after[def]);
  w->after[def] = copy;
  return copy;
}

// The value to use instead of a split constant's value: the original, an existing copy or a new
// one.
static ValueId copied(Writer *w, InstanceId instance, const SplitValue *split) {
  Program *p = w->program;
  OpId def = value_def(p, split->value);
  uint32_t n = op_at(p, def)->n_operands, index = value_at(p, split->value)->index;
  ValueId *operands = ARENA_ARRAY(w->scratch, ValueId, n + 1);
  for (uint32_t i = 0; i < n; i++) operands[i] = w->copy_of[op_operand(p, def, i)];
  CopyKey key = {split->value, final(w, propagation_get(w->p, split->place)), n, operands};
  Sharding own = final(w, propagation_get(w->p, graph_place(w->g, instance, split->value)));
  if (own == key.sharding && has_operands(p, w->target[def], &key))
    return op_result(p, w->target[def], index);
  uint64_t h = copy_hash(&key);
  uint32_t found = idmap_find(&w->by_copy, h, copy_equal, w, &key);
  if (!found) {
    found = w->copies.count;
    VEC_PUSH(w->arena, &w->copies,
             ((Copy){split->value, key.sharding, make_copy(w, def, &key, index)}));
    idmap_add(&w->by_copy, p->guard, h, found);
  }
  return op_result(p, w->copies.items[found].op, index);
}

// Replaces the uses of split constants in one body. Expressions list operands before users.
static void write_splits(Writer *w, InstanceId instance) {
  Program *p = w->program;
  const Instance *at = &w->g->instances[instance];
  w->copies.count = 0;
  VEC_PUSH(w->arena, &w->copies, (Copy){0});
  idmap_deinit(&w->by_copy);
  for (uint32_t k = 0; k < at->n_constants; k++) {
    ArenaMark mark = arena_mark(w->scratch);
    const ConstantUse *c = &w->g->splits[at->constants + k];
    OpId user = operand_at(p, c->use)->user;
    uint32_t index = c->use - op_at(p, user)->operands;
    ValueId value = operand_at(p, c->use)->value;
    for (uint32_t i = 0; i < c->n_values; i++) {
      const SplitValue *split = &w->g->split_values[c->values + i];
      ValueId copy = copied(w, instance, split);
      w->copy_of[split->value] = copy;
    }
    OperandId use = op_at(p, w->target[user])->operands + index;
    if (operand_at(p, use)->value != w->copy_of[value]) operand_set(p, use, w->copy_of[value]);
    arena_rewind(w->scratch, mark);
  }
}

// Writes one instance into a function: `from` itself or a copy.
static void write_body(Writer *w, InstanceId instance, OpId from, OpId to) {
  const Program *p = w->program;
  for (OpId a = from, b = to; a; a = op_walk_next(p, a, from), b = op_walk_next(p, b, to))
    w->target[a] = w->after[a] = b;
  write_function(w, instance, from, to);
  for (OpId a = op_walk_next(p, from, from); a; a = op_walk_next(p, a, from))
    write_op(w, instance, a, w->target[a]);
  write_splits(w, instance);
}

// Copies stand behind the function, in the order of their names.
static void write_bodies(Writer *w, OpId function) {
  Program *p = w->program;
  BodyId first = w->bodies.first_of[function];
  OpId at = function;
  for (BodyId b = w->bodies.bodies[first].next; b; b = w->bodies.bodies[b].next) {
    OpId copy = op_clone(p, function, w->values, w->n_values);
    op_set_attr(p, copy, "sym_name", attr_string(w->context, w->bodies.bodies[b].name));
    op_set_attr(p, copy, "sym_visibility", attr_string(w->context, name_of(w->context, "private")));
    op_insert_after(p, copy, at);
    at = copy;
    write_body(w, w->bodies.bodies[b].instance, function, copy);
  }
  write_body(w, w->bodies.bodies[first].instance, function, function);
}

// ---- the program ----

static bool has_attr(uint16_t code, const char *name) { return op_attr_spec(code, str_of(name)); }

// Found by the attributes that the op's row declares.
static Form form_of(uint16_t code) {
  if (!op_row(code)->name || op_row(code)->traits & TRAIT_FUNCTION) return FORM_RESULTS;
  if (has_attr(code, "in_shardings")) return FORM_REGION;
  if (has_attr(code, "sharding")) return FORM_OWN;
  return has_attr(code, "out_sharding") ? FORM_OUT : FORM_RESULTS;
}

static void mark_edges(Writer *w) {
  const Program *p = w->program;
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root))
    if (op_row(op_at(p, op)->code)->traits & TRAIT_EDGE) w->edged[op_operand(p, op, 0)] = true;
}

// Reports a sharding that sdy cannot express before anything is written.
static Status *check_expressible(Writer *w, Diag *diag) {
  for (PlaceId place = 1; place < w->g->n_places; place++) {
    sharding_attr(w, propagation_get(w->p, place));
    if (!w->failed) continue;
    const Place *at = &w->g->places[place];
    OpId op = at->value ? value_def(w->program, at->value) : 0;
    if (!op) op = w->g->instances[at->instance].function;
    diag_error(diag, op_at(w->program, op)->pos,
               "'%s' op has a sharding that cannot be written: %s", op_name(w->program, op),
               status_message(w->failed));
    return w->failed;
  }
  return NULL;
}

static Status *write_all(Writer *w) {
  const Program *p = w->program;
  for (uint16_t code = 0; code < OP_COUNT; code++) w->forms[code] = (uint8_t)form_of(code);
  w->edged = ARENA_ARRAY(w->arena, bool, p->values.count);
  w->target = ARENA_ARRAY(w->arena, OpId, p->ops.count);
  w->after = ARENA_ARRAY(w->arena, OpId, p->ops.count);
  w->values = ARENA_ARRAY(w->arena, ValueId, p->values.count);
  w->copy_of = ARENA_ARRAY(w->arena, ValueId, p->values.count);
  w->n_values = p->values.count;
  if (propagation_options(w->p)->graph.explicit_only) mark_edges(w);
  OpId n_ops = p->ops.count;
  for (OpId op = 1; op < n_ops; op++)
    if (w->bodies.first_of[op]) write_bodies(w, op);
  return w->failed;
}

static void drop_bodies(void *bodies) { bodies_deinit(bodies); }

Status *propagation_write(Propagation *p, Program *program, const WriteOptions *options,
                          Diag *diag) {
  if (program->values.count != propagation_graph(p)->n_values)
    FAIL(FAILED_PRECONDITION,
         "the program has %u values, but had %u when it was propagated: propagate it again",
         program->values.count - 1, propagation_graph(p)->n_values - 1);
  Arena arena, scratch;
  arena_init(&arena, program->guard);
  arena_init(&scratch, program->guard);
  Writer w = {.p = p,
              .g = propagation_graph(p),
              .program = program,
              .context = program->context,
              .table = propagation_table(p),
              .arena = &arena,
              .scratch = &scratch,
              .close = options->close};
  GuardCleanup cleanups[4] = {{arena_release, &arena, NULL},
                              {arena_release, &scratch, NULL},
                              {idmap_release, &w.by_copy, NULL},
                              {drop_bodies, &w.bodies, NULL}};
  for (int i = 0; i < 3; i++) guard_push(program->guard, &cleanups[i]);
  Status *status = check_expressible(&w, diag);
  if (!status) {
    bodies_init(&w.bodies, p, program, w.finals.items, &arena);
    guard_push(program->guard, &cleanups[3]);
    status = write_all(&w);
    guard_pop(program->guard, &cleanups[3]);
  }
  for (int i = 3; i-- > 0;) guard_pop(program->guard, &cleanups[i]);
  bodies_deinit(&w.bodies);
  idmap_deinit(&w.by_copy);
  arena_deinit(&scratch);
  arena_deinit(&arena);
  return status;
}
