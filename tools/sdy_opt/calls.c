// Calls as bodies in place, and back. A call becomes an sdy.named_computation with its own copy of
// the function, so that its values propagate for themselves; on the way back each computation is a
// function again, and those of one origin with equal shardings at their border become one.
// O(program + copies); copies are limited.
#include "annotate/annotation.h"
#include "ops/functions.h"
#include "ops/op.h"
#include "passes.h"

enum { COPIES_AT_LEAST = 1 << 20, COPIES_PER_OP = 16 };

static BlockId module_block(const Program *p) { return region_block(p, op_region(p, p->root, 0)); }

static Attr per_value(Context *context, uint32_t n, const Attr *items) {
  NamedAttr field = {name_of(context, "shardings"), attr_array(context, n, items)};
  return attr_struct(context, "sdy.sharding_per_value", 1, &field);
}

// One list of what get gives for 0 … n - 1, open where it gives nothing; 0 if it gives nothing at
// all.
static Attr list_of(Program *p, OpId op, uint32_t n, const Type *types,
                    Attr (*get)(const Program *p, OpId op, uint32_t i), Arena *arena) {
  Attr *items = ARENA_ARRAY(arena, Attr, n ? n : 1), mesh = 0;
  for (uint32_t i = 0; i < n; i++) {
    items[i] = get(p, op, i);
    if (items[i] && !mesh) mesh = attr_get(p->context, items[i], "mesh");
  }
  if (!mesh) return 0;
  for (uint32_t i = 0; i < n; i++)
    if (!items[i])
      items[i] = annotation_open(p->context, mesh, type_info(p->context, types[i])->rank);
  return per_value(p->context, n, items);
}

static Attr argument_sharding(const Program *p, OpId function, uint32_t i) {
  return annotation_own(p, block_arg(p, region_block(p, op_region(p, function, 0)), i));
}

// Moves the blocks of a region into an empty one.
static void move_blocks(Program *p, RegionId from, RegionId to) {
  for (BlockId b = region_at(p, from)->first; b; b = block_at(p, b)->next)
    block_at(p, b)->region = to;
  region_at(p, to)->first = region_at(p, from)->first;
  region_at(p, to)->last = region_at(p, from)->last;
  region_at(p, from)->first = region_at(p, from)->last = 0;
}

static void set_terminator(Program *p, RegionId region, uint16_t code) {
  BlockId block = region_block(p, region);
  if (block && block_at(p, block)->last) op_at(p, block_at(p, block)->last)->code = code;
}

static Name original_name(const Program *p, OpId function) {
  Attr original = op_attr(p, function, "sdy.original_func_name");
  return attr_as_name(p->context, original ? original : op_attr(p, function, "sym_name"));
}

// Attributes of `from` that neither of the two ops declares, and that say no sharding.
static Attr other_attrs(Program *p, OpId from) {
  AttrInfo attrs = *attr_info(p->context, op_at(p, from)->attrs);
  Attr out = 0;
  for (uint32_t i = 0; i < attrs.count; i++) {
    Str name = name_str(p->context, attrs.fields[i].name);
    if (op_attr_spec(op_at(p, from)->code, name) || str_is(name, "sdy.sharding")) continue;
    out = attr_dict_with(p->context, out, name_text(p->context, attrs.fields[i].name),
                         attrs.fields[i].value);
  }
  return out;
}

static OpId import_call(Program *p, OpId call, OpId function, Arena *arena) {
  Context *context = p->context;
  Type type = attr_info(context, op_attr(p, function, "function_type"))->type;
  TypeInfo info = *type_info(context, type);
  uint32_t n_in = info.n_inputs, n_out = info.n_items - n_in;
  Attr in = list_of(p, function, n_in, info.items, argument_sharding, arena);
  Attr out = op_attr(p, call, "sdy.sharding");
  if (!out) out = list_of(p, function, n_out, info.items + n_in, annotation_get_result, arena);
  Attr attrs = attr_dict_with(context, other_attrs(p, call), "name",
                              attr_string(context, original_name(p, function)));
  if (in) attrs = attr_dict_with(context, attrs, "in_shardings", in);
  if (out) attrs = attr_dict_with(context, attrs, "out_shardings", out);
  ValueId *operands = ARENA_ARRAY(arena, ValueId, n_in ? n_in : 1);
  for (uint32_t i = 0; i < n_in; i++) operands[i] = op_operand(p, call, i);
  OpId made = op_create(p, &(OpSpec){.code = OP_sdy_named_computation,
                                     .n_operands = n_in,
                                     .operands = operands,
                                     .n_results = n_out,
                                     .result_types = info.items + n_in,
                                     .n_regions = 1,
                                     .attrs = attrs,
                                     .loc = op_at(p, call)->loc,
                                     .pos = op_at(p, call)->pos,
                                     .origin = call});
  uint32_t n_values = p->values.count;
  OpId copy = op_clone(p, function, ARENA_ARRAY(arena, ValueId, n_values), n_values);
  move_blocks(p, op_region(p, copy, 0), op_region(p, made, 0));
  op_erase(p, copy);
  set_terminator(p, op_region(p, made, 0), OP_sdy_return);
  op_insert_before(p, made, call);
  for (uint32_t i = 0; i < n_out; i++)
    value_replace_uses(p, op_result(p, call, i), op_result(p, made, i));
  op_erase(p, call);
  return made;
}

static bool is_call(const Program *p, OpId op) {
  return (op_row(op_at(p, op)->code)->traits & TRAIT_CALL) != 0;
}

static bool import_all(Program *p, const SymbolTable *symbols, uint8_t *called, Arena *arena,
                       Diag *diag) {
  uint64_t most = (uint64_t)p->ops.count * COPIES_PER_OP;
  uint32_t n_ops = p->ops.count;
  if (most < COPIES_AT_LEAST) most = COPIES_AT_LEAST;
  // What is called is copied as it was, so callees are left alone until all roots are done.
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    if (!is_call(p, o)) continue;
    OpId f = symbols_find(symbols, attr_as_name(p->context, op_attr(p, o, "callee")));
    if (f && f < n_ops) called[f] = 1;
  }
  for (OpId o = p->root, next; o; o = next) {
    bool skip = op_is_function(p, o) && o < n_ops && called[o];
    next = skip ? op_walk_over(p, o, p->root) : op_walk_next(p, o, p->root);
    if (!is_call(p, o)) continue;
    OpId f = symbols_find(symbols, attr_as_name(p->context, op_attr(p, o, "callee")));
    if (!f || !op_is_function(p, f) || !region_block(p, op_region(p, f, 0))) continue;
    if (p->ops.count > most)
      return diag_error(diag, op_at(p, o)->pos,
                        "calls are nested so deep that a copy for each makes over %llu ops; "
                        "propagate without copies instead",
                        (unsigned long long)most);
    ArenaMark mark = arena_mark(arena);
    next = import_call(p, o, f, arena);
    arena_rewind(arena, mark);
  }
  return true;
}

// Edges for all computations that have none yet.
static void add_computation_edges(Program *p) {
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    if (op_at(p, o)->code != OP_sdy_named_computation) continue;
    const Block *body = block_at(p, region_block(p, op_region(p, o, 0)));
    bool edged = false;
    for (uint32_t i = 0; i < op_at(p, o)->n_results; i++)
      edged |= annotation_edge(p, op_result(p, o, i)) != 0;
    for (uint32_t i = 0; i < body->n_args; i++) edged |= annotation_edge(p, body->args + i) != 0;
    if (!edged) passes_add_edges_of(p, o);
  }
}

bool passes_import_calls(Program *p, Arena *arena, Diag *diag) {
  SymbolTable symbols;
  GuardCleanup cleanup = {symbols_release, &symbols, NULL};
  symbols_init(&symbols, p, p->root, p->guard);
  guard_push(p->guard, &cleanup);
  uint32_t n_ops = p->ops.count;
  uint8_t *called = ARENA_ARRAY(arena, uint8_t, n_ops);
  bool good = import_all(p, &symbols, called, arena, diag);
  for (OpId o = 1; good && o < n_ops; o++)
    if (called[o] && op_at(p, o)->code && op_is_function(p, o)) op_erase(p, o);
  if (good) add_computation_edges(p);
  guard_pop(p->guard, &cleanup);
  symbols_deinit(&symbols);
  return good;
}

// ---- back ----

typedef struct Exporter {
  Program *p;
  Arena *arena;
  VEC(Name) taken;
  uint32_t counter;  // one for all names, as MLIR counts
} Exporter;

static bool is_taken(const Exporter *e, Name name) {
  for (uint32_t i = 0; i < e->taken.count; i++)
    if (e->taken.items[i] == name) return true;
  return false;
}

static Name unique_name(Exporter *e, Name base) {
  Context *context = e->p->context;
  Name name = base;
  while (is_taken(e, name))
    name =
        name_of(context, arena_printf(e->arena, "%s_%u", name_text(context, base), e->counter++));
  VEC_PUSH(e->arena, &e->taken, name);
  return name;
}

static Attr arg_dicts(Program *p, Attr list, Arena *arena) {
  Context *context = p->context;
  if (!list) return 0;
  AttrInfo items = *attr_info(context, attr_get(context, list, "shardings"));
  Attr *dicts = ARENA_ARRAY(arena, Attr, items.count ? items.count : 1);
  for (uint32_t i = 0; i < items.count; i++)
    dicts[i] = attr_dict_with(context, 0, "sdy.sharding", items.items[i]);
  return attr_array(context, items.count, dicts);
}

static void export_computation(Exporter *e, OpId op) {
  Program *p = e->p;
  Context *context = p->context;
  Op o = *op_at(p, op);
  Name base = attr_as_name(context, op_attr(p, op, "name")), name = unique_name(e, base);
  Type *types = ARENA_ARRAY(e->arena, Type, o.n_operands + o.n_results + 1u);
  ValueId *operands = ARENA_ARRAY(e->arena, ValueId, o.n_operands + 1u);
  for (uint32_t i = 0; i < o.n_operands; i++) {
    operands[i] = op_operand(p, op, i);
    types[i] = value_type(p, operands[i]);
  }
  Type *results = types + o.n_operands;
  for (uint32_t i = 0; i < o.n_results; i++) results[i] = op_result_type(p, op, i);
  Type type = type_function(context, o.n_operands, types, o.n_results, results);
  Attr attrs = attr_dict_with(context, 0, "sym_name", attr_string(context, name));
  attrs = attr_dict_with(context, attrs, "function_type", attr_type(context, type));
  attrs = attr_dict_with(context, attrs, "sym_visibility",
                         attr_string(context, name_of(context, "private")));
  attrs = attr_dict_with(context, attrs, "sdy.original_func_name", attr_string(context, base));
  Attr args = arg_dicts(p, op_attr(p, op, "in_shardings"), e->arena);
  if (args) attrs = attr_dict_with(context, attrs, "arg_attrs", args);
  OpId function = op_create(p, &(OpSpec){.code = OP_func_func,
                                         .n_regions = 1,
                                         .attrs = attrs,
                                         .loc = o.loc,
                                         .pos = o.pos,
                                         .origin = o.origin});
  move_blocks(p, o.regions, op_region(p, function, 0));
  set_terminator(p, op_region(p, function, 0), OP_func_return);
  op_append(p, module_block(p), function);
  Attr call_attrs =
      attr_dict_with(context, other_attrs(p, op), "callee", attr_symbol(context, name));
  Attr out = op_attr(p, op, "out_shardings");
  if (out) call_attrs = attr_dict_with(context, call_attrs, "sdy.sharding", out);
  OpId call = op_create(p, &(OpSpec){.code = OP_func_call,
                                     .n_operands = o.n_operands,
                                     .operands = operands,
                                     .n_results = o.n_results,
                                     .result_types = results,
                                     .attrs = call_attrs,
                                     .loc = o.loc,
                                     .pos = o.pos,
                                     .origin = o.origin});
  op_insert_before(p, call, op);
  for (uint32_t i = 0; i < o.n_results; i++)
    value_replace_uses(p, op_result(p, op, i), op_result(p, call, i));
  op_erase(p, op);
}

void passes_export_computations(Program *p, Arena *arena) {
  Exporter e = {.p = p, .arena = arena};
  BlockId module = module_block(p);
  for (OpId o = module ? block_at(p, module)->first : 0; o; o = op_at(p, o)->next) {
    Name name = attr_as_name(p->context, op_attr(p, o, "sym_name"));
    if (name) VEC_PUSH(arena, &e.taken, name);
  }
  // Inner ones first, else in program order: each goes when the walk leaves it.
  VEC(OpId) open = {0}, order = {0};
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    while (open.count) {
      OpId top = open.items[open.count - 1], up = o;
      while (up && up != top) up = op_parent(p, up);
      if (up) break;
      VEC_PUSH(arena, &order, top);
      open.count--;
    }
    if (op_at(p, o)->code == OP_sdy_named_computation) VEC_PUSH(arena, &open, o);
  }
  while (open.count) VEC_PUSH(arena, &order, open.items[--open.count]);
  for (uint32_t i = 0; i < order.count; i++) export_computation(&e, order.items[i]);
}

static OpId callee_of(const Program *p, const SymbolTable *symbols, OpId call) {
  OpId f = symbols_find(symbols, attr_as_name(p->context, op_attr(p, call, "callee")));
  return f && op_is_function(p, f) ? f : 0;
}

// The result of a function that is called has the sharding of what the body returns.
static void set_results(Program *p, OpId function) {
  BlockId block = region_block(p, op_region(p, function, 0));
  OpId end = block ? block_at(p, block)->last : 0;
  for (uint32_t i = 0; end && i < op_at(p, end)->n_operands; i++) {
    Attr sharding = annotation_get(p, op_operand(p, end, i));
    if (sharding) annotation_set_result(p, function, i, sharding);
  }
}

void passes_set_function_results(Program *p, Arena *arena) {
  SymbolTable symbols;
  GuardCleanup cleanup = {symbols_release, &symbols, NULL};
  symbols_init(&symbols, p, p->root, p->guard);
  guard_push(p->guard, &cleanup);
  uint8_t *done = ARENA_ARRAY(arena, uint8_t, p->ops.count);
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    OpId f = is_call(p, o) ? callee_of(p, &symbols, o) : 0;
    if (f && !done[f]) set_results(p, f);
    if (f) done[f] = 1;
  }
  guard_pop(p->guard, &cleanup);
  symbols_deinit(&symbols);
}

// Same origin, same shardings at the border.
static bool same_function(const Program *p, OpId a, OpId b) {
  return op_attr(p, a, "sdy.original_func_name") == op_attr(p, b, "sdy.original_func_name") &&
         op_attr(p, a, "arg_attrs") == op_attr(p, b, "arg_attrs") &&
         op_attr(p, a, "res_attrs") == op_attr(p, b, "res_attrs");
}

void passes_merge_functions(Program *p, Arena *arena) {
  SymbolTable symbols;
  GuardCleanup cleanup = {symbols_release, &symbols, NULL};
  symbols_init(&symbols, p, p->root, p->guard);
  guard_push(p->guard, &cleanup);
  VEC(OpId) kept = {0};
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    if (!is_call(p, o)) continue;
    OpId f = symbols_find(&symbols, attr_as_name(p->context, op_attr(p, o, "callee"))), like = 0;
    if (!f || !op_attr(p, f, "sdy.original_func_name")) continue;
    for (uint32_t i = 0; i < kept.count && !like; i++)
      if (same_function(p, kept.items[i], f)) like = kept.items[i];
    if (!like) VEC_PUSH(arena, &kept, like = f);
    op_set_attr(p, o, "callee",
                attr_symbol(p->context, attr_as_name(p->context, op_attr(p, like, "sym_name"))));
  }
  guard_pop(p->guard, &cleanup);
  symbols_deinit(&symbols);
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root))
    if (op_is_function(p, o)) op_set_attr(p, o, "sdy.original_func_name", 0);
}

// The same parts on the same devices: axes that are only kept out make no difference.
static bool splits_alike(Context *context, Attr a, Attr b) {
  return annotation_closed(context, annotation_without_replicated(context, a)) ==
         annotation_closed(context, annotation_without_replicated(context, b));
}

// A call gives what its function gives; who wants it otherwise gets a reshard.
static void reshard_results(Program *p, OpId call, OpId function) {
  for (uint32_t i = 0; i < op_at(p, call)->n_results; i++) {
    ValueId v = op_result(p, call, i);
    Attr given = annotation_get_result(p, function, i), wanted = annotation_own(p, v);
    if (!given) continue;
    if (!wanted) annotation_set(p, v, given);
    if (!wanted || splits_alike(p->context, given, wanted)) continue;
    NamedAttr field = {name_of(p->context, "sharding"), wanted};
    OpId reshard = op_create_identity(p, OP_sdy_reshard, v, attr_dict(p->context, 1, &field), call);
    op_insert_after(p, reshard, call);
    value_replace_uses_except(p, v, op_result(p, reshard, 0), reshard);
    annotation_set(p, v, given);
  }
}

// The mesh of the first sharding that a function's arguments have, else of those the call is given.
static Attr border_mesh(const Program *p, OpId call, BlockId block) {
  uint32_t n = op_at(p, call)->n_operands;
  for (uint32_t i = 0; i < 2 * n; i++) {
    Attr sharding = i < n ? annotation_own(p, block_arg(p, block, i))
                          : annotation_get(p, op_operand(p, call, i - n));
    if (sharding) return attr_get(p->context, sharding, "mesh");
  }
  return 0;
}

// And it takes what its function takes: an argument of which nothing is said is whole.
static void reshard_operands(Program *p, OpId call, OpId function) {
  BlockId block = region_block(p, op_region(p, function, 0));
  Attr mesh = block ? border_mesh(p, call, block) : 0;
  for (uint32_t i = 0; mesh && i < op_at(p, call)->n_operands; i++) {
    ValueId v = op_operand(p, call, i);
    if (!type_is_tensor(p->context, value_type(p, v))) continue;
    uint32_t rank = type_info(p->context, value_type(p, v))->rank;
    Attr whole = annotation_closed(p->context, annotation_open(p->context, mesh, rank));
    Attr wanted = annotation_own(p, block_arg(p, block, i)), given = annotation_get(p, v);
    if (!wanted) wanted = whole;
    if (splits_alike(p->context, wanted, given ? given : whole)) continue;
    NamedAttr field = {name_of(p->context, "sharding"), wanted};
    OpId reshard = op_create_identity(p, OP_sdy_reshard, v, attr_dict(p->context, 1, &field), call);
    op_insert_after_value(p, reshard, v);
    operand_set(p, op_at(p, call)->operands + i, op_result(p, reshard, 0));
  }
}

static void for_calls(Program *p, void (*fn)(Program *p, OpId call, OpId function)) {
  SymbolTable symbols;
  GuardCleanup cleanup = {symbols_release, &symbols, NULL};
  symbols_init(&symbols, p, p->root, p->guard);
  guard_push(p->guard, &cleanup);
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    OpId f = is_call(p, o) ? callee_of(p, &symbols, o) : 0;
    if (f) fn(p, o, f);
  }
  guard_pop(p->guard, &cleanup);
  symbols_deinit(&symbols);
}

void passes_reshard_results(Program *p) { for_calls(p, reshard_results); }
void passes_reshard_operands(Program *p) { for_calls(p, reshard_operands); }

// ---- the order of functions ----

// Callers before what they call, in the order of the calls: depth first from those that nothing
// calls, with a stack of functions still to be put.
void passes_order_functions(Program *p, Arena *arena) {
  SymbolTable symbols;
  GuardCleanup cleanup = {symbols_release, &symbols, NULL};
  symbols_init(&symbols, p, p->root, p->guard);
  guard_push(p->guard, &cleanup);
  uint8_t *called = ARENA_ARRAY(arena, uint8_t, p->ops.count),
          *put = ARENA_ARRAY(arena, uint8_t, p->ops.count);
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    OpId f = is_call(p, o) ? callee_of(p, &symbols, o) : 0;
    if (f) called[f] = 1;
  }
  VEC(OpId) stack = {0}, callees = {0}, order = {0};
  BlockId module = module_block(p);
  for (OpId root = module ? block_at(p, module)->first : 0; root; root = op_at(p, root)->next) {
    if (!op_is_function(p, root) || called[root]) continue;
    VEC_PUSH(arena, &stack, root);
    while (stack.count) {
      OpId f = stack.items[--stack.count];
      if (put[f]) continue;
      put[f] = 1;
      VEC_PUSH(arena, &order, f);
      callees.count = 0;
      for (OpId o = f; o; o = op_walk_next(p, o, f)) {
        OpId callee = is_call(p, o) ? callee_of(p, &symbols, o) : 0;
        if (callee && !put[callee]) VEC_PUSH(arena, &callees, callee);
      }
      for (uint32_t i = callees.count; i-- > 0;) VEC_PUSH(arena, &stack, callees.items[i]);
    }
  }
  for (uint32_t i = 0; i < order.count; i++) {
    op_detach(p, order.items[i]);
    op_append(p, module, order.items[i]);
  }
  guard_pop(p->guard, &cleanup);
  symbols_deinit(&symbols);
}

// ---- functions that nothing reaches ----

typedef struct Reached {
  uint8_t *live;
  OpId *queue;
  uint32_t n;
} Reached;

static void reach(void *user, OpId op) {
  Reached *r = user;
  if (!r->live[op]) r->live[op] = 1, r->queue[r->n++] = op;
}

void passes_drop_unreached(Program *p, Arena *arena) {
  SymbolTable symbols;
  GuardCleanup cleanup = {symbols_release, &symbols, NULL};
  symbols_init(&symbols, p, p->root, p->guard);
  guard_push(p->guard, &cleanup);
  Reached reached = {ARENA_ARRAY(arena, uint8_t, p->ops.count),
                     ARENA_ARRAY(arena, OpId, p->ops.count), 0};
  BlockId module = module_block(p);
  OpId first = module ? block_at(p, module)->first : 0;
  for (OpId o = first; o; o = op_at(p, o)->next)
    if (!op_is_function(p, o) || !symbol_is_private(p, o)) reach(&reached, o);
  for (uint32_t i = 0; i < reached.n; i++)
    for (OpId o = reached.queue[i]; o; o = op_walk_next(p, o, reached.queue[i]))
      symbols_each(&symbols, op_at(p, o)->attrs, reach, &reached);
  for (OpId o = first, next; o; o = next) {
    next = op_at(p, o)->next;
    if (!reached.live[o]) op_erase(p, o);
  }
  guard_pop(p->guard, &cleanup);
  symbols_deinit(&symbols);
}
