// Problem: propagation gives each call its own shardings, but the text has one function per name.
// Write as few copies as possible.
//
// Idea: two instances can share a body if all their places have equal shardings and the calls in
// them have equal bodies. Calls are walked depth first from every root, callees before callers; the
// signature of an instance (its shardings, its split constants and the bodies that it calls) is
// looked up in a hash table. Instances of one function never nest (recursion is refused), so bodies
// are numbered in the order of calls.
//
// Invariant: the first body keeps the function's name; copies get the next free suffix. Cost:
// expected O(program + ops in all instances).
#include "propagate/bodies.h"

#include <stdlib.h>

#include "ops/op.h"

typedef struct Function {
  OpId op;
  uint32_t n_slots;
  uint32_t calls, n_calls;  // range of Finder.calls
  BodyId last;              // its newest body
  uint32_t next_suffix;
} Function;

typedef struct Finder {
  Bodies *b;
  const Propagation *p;
  const Graph *g;
  const Program *program;
  const Sharding *written;
  Arena *arena;
  Guard *guard;
  uint32_t *function_of;      // per op
  InstanceId *last_instance;  // per function: the instance that calls share beyond the limit
  VEC(Function) functions;
  VEC(OpId) calls;
  bool *taken;  // per name: the program has this symbol
  Name n_taken;
  IdMap by_signature;
} Finder;

// ---- the instance of a call ----

typedef struct CallKey {
  InstanceId caller;
  OpId call;
} CallKey;

static uint64_t call_hash(InstanceId caller, OpId call) { return hash_mix(caller, call); }

static bool call_equal(const void *owner, uint32_t id, const void *key) {
  const Instance *i = &((const Graph *)owner)->instances[id];
  const CallKey *k = key;
  return i->caller == k->caller && i->call == k->call;
}

// The call's own instance, or the shared one beyond the limit.
static InstanceId instance_called(const Bodies *b, InstanceId caller, OpId call) {
  CallKey key = {caller, call};
  InstanceId found = idmap_find(&b->called, call_hash(caller, call), call_equal, b->graph, &key);
  return found ? found : b->fallback[call];
}

BodyId bodies_called(const Bodies *b, InstanceId instance, OpId call) {
  return b->body_of[instance_called(b, instance, call)];
}

// ---- functions and their calls ----

static void count_slot(Finder *f, Function *function, ValueId v) {
  uint32_t slot = f->g->value_slot[v];
  if (slot >= function->n_slots) function->n_slots = slot + 1;
}

// Lists the calls of a function and counts its slots.
static void collect_function(Finder *f, OpId op, const SymbolTable *symbols) {
  const Program *p = f->program;
  Function function = {.op = op, .calls = f->calls.count};
  for (OpId o = op; o; o = op_walk_next(p, o, op)) {
    const Op *at = op_at(p, o);
    for (uint32_t i = 0; i < at->n_results; i++) count_slot(f, &function, at->results + i);
    for (uint32_t r = 0; r < at->n_regions; r++)
      for (BlockId b = region_at(p, at->regions + r)->first; b; b = block_at(p, b)->next)
        for (uint32_t i = 0; i < block_at(p, b)->n_args; i++)
          count_slot(f, &function, block_arg(p, b, i));
    if (!(op_row(at->code)->traits & TRAIT_CALL)) continue;
    OpId callee = symbols_find(symbols, attr_as_name(p->context, op_attr(p, o, "callee")));
    f->b->fallback[o] = callee ? f->last_instance[callee] : 0;
    VEC_PUSH(f->arena, &f->calls, o);
  }
  function.n_calls = f->calls.count - function.calls;
  f->function_of[op] = f->functions.count;
  VEC_PUSH(f->arena, &f->functions, function);
}

static void collect_module(Finder *f, OpId module) {
  const Program *p = f->program;
  BlockId block = op_at(p, module)->n_regions ? region_block(p, op_region(p, module, 0)) : 0;
  SymbolTable symbols;
  symbols_init(&symbols, p, module, f->guard);
  GuardCleanup cleanup = {symbols_release, &symbols, NULL};
  guard_push(f->guard, &cleanup);
  for (OpId op = block ? block_at(p, block)->first : 0; op; op = op_at(p, op)->next)
    if (op_row(op_at(p, op)->code)->traits & TRAIT_FUNCTION) collect_function(f, op, &symbols);
  guard_pop(f->guard, &cleanup);
  symbols_deinit(&symbols);
}

// Collects the functions of the root and of nested modules, and the symbol names in use.
static void collect(Finder *f) {
  const Program *p = f->program;
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root)) {
    if (op_at(p, op)->code == OP_module) collect_module(f, op);
    Name name = attr_as_name(p->context, op_attr(p, op, "sym_name"));
    if (name >= f->n_taken) f->n_taken = name + 1;
  }
  f->taken = ARENA_ARRAY(f->arena, bool, f->n_taken);
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root))
    f->taken[attr_as_name(p->context, op_attr(p, op, "sym_name"))] = true;
}

static Function *function_of(const Finder *f, InstanceId instance) {
  return &f->functions.items[f->function_of[f->g->instances[instance].function]];
}

// ---- signatures ----

// Shardings are compared as they are written: open and closed ones may become equal.
static Sharding written_at(const Finder *f, PlaceId place) {
  Sharding sharding = propagation_get(f->p, place);
  return sharding ? f->written[sharding] : 0;
}

static Sharding split_sharding(const Finder *f, const ConstantUse *use, uint32_t k) {
  return written_at(f, f->g->split_values[use->values + k].place);
}

// Instances of one function split the same uses in the same order, unless the limit stopped one.
static bool splits_equal(const Finder *f, const Instance *ia, const Instance *ib) {
  if (ia->n_constants != ib->n_constants) return false;  // possible if the limit of ops was reached
  for (uint32_t k = 0; k < ia->n_constants; k++) {
    const ConstantUse *a = &f->g->splits[ia->constants + k], *b = &f->g->splits[ib->constants + k];
    if (a->use != b->use) return false;
    for (uint32_t v = 0; v < a->n_values; v++)
      if (split_sharding(f, a, v) != split_sharding(f, b, v)) return false;
  }
  return true;
}

// The hash of everything that signature_equal compares.
static uint64_t signature(const Finder *f, InstanceId instance) {
  const Instance *i = &f->g->instances[instance];
  const Function *function = function_of(f, instance);
  uint64_t h = i->function;
  for (uint32_t s = 0; s < function->n_slots; s++)
    h = hash_mix(h, written_at(f, f->g->place_of[i->places + s]));
  for (uint32_t r = 0; r < i->n_results; r++)
    h = hash_mix(h, written_at(f, f->g->result_places[i->results + r]));
  for (uint32_t k = 0; k < i->n_constants; k++) {
    const ConstantUse *use = &f->g->splits[i->constants + k];
    h = hash_mix(h, use->use);
    for (uint32_t v = 0; v < use->n_values; v++) h = hash_mix(h, split_sharding(f, use, v));
  }
  for (uint32_t c = 0; c < function->n_calls; c++)
    h = hash_mix(h, bodies_called(f->b, instance, f->calls.items[function->calls + c]));
  return h;
}

static bool signature_equal(const void *owner, uint32_t id, const void *key) {
  const Finder *f = owner;
  InstanceId a = f->b->bodies[id].instance, b = *(const InstanceId *)key;
  const Instance *ia = &f->g->instances[a], *ib = &f->g->instances[b];
  if (ia->function != ib->function) return false;
  const Function *function = function_of(f, a);
  const PlaceId *places = f->g->place_of, *results = f->g->result_places;
  for (uint32_t s = 0; s < function->n_slots; s++)
    if (written_at(f, places[ia->places + s]) != written_at(f, places[ib->places + s]))
      return false;
  for (uint32_t r = 0; r < ia->n_results; r++)
    if (written_at(f, results[ia->results + r]) != written_at(f, results[ib->results + r]))
      return false;
  if (!splits_equal(f, ia, ib)) return false;
  for (uint32_t c = 0; c < function->n_calls; c++) {
    OpId call = f->calls.items[function->calls + c];
    if (bodies_called(f->b, a, call) != bodies_called(f->b, b, call)) return false;
  }
  return true;
}

// The next of `silu_0`, `silu_1`, … that the program does not have. Names of copies are unique: the
// last number and the text before it determine function and copy.
static Name copy_name(Finder *f, Function *function) {
  Context *context = f->program->context;
  Name of = attr_as_name(context, op_attr(f->program, function->op, "sym_name"));
  for (;;) {
    const char *text =
        arena_printf(f->arena, "%s_%u", name_text(context, of), function->next_suffix++);
    Name name = name_of(context, text);
    if (name >= f->n_taken || !f->taken[name]) return name;
  }
}

// Assigns the instance to a body with an equal signature, or to a new one.
static void assign_body(Finder *f, InstanceId instance) {
  uint64_t h = signature(f, instance);
  BodyId body = idmap_find(&f->by_signature, h, signature_equal, f, &instance);
  if (!body) {
    Function *function = function_of(f, instance);
    body = ++f->b->n_bodies;
    f->b->bodies[body] = (Body){.function = function->op, .instance = instance};
    if (function->last) {
      f->b->bodies[function->last].next = body;
      f->b->bodies[body].name = copy_name(f, function);
    } else {
      f->b->first_of[function->op] = body;
      f->b->bodies[body].name =
          attr_as_name(f->program->context, op_attr(f->program, function->op, "sym_name"));
    }
    function->last = body;
    idmap_add(&f->by_signature, f->guard, h, body);
  }
  f->b->body_of[instance] = body;
}

// ---- the walk ----

typedef struct Frame {
  InstanceId instance;
  uint32_t next_call;
} Frame;

// Depth first with an explicit stack; an instance is grouped after all its callees.
static void walk(Finder *f, InstanceId root, bool *entered) {
  VEC(Frame) stack = {0};
  VEC_PUSH(f->arena, &stack, ((Frame){root, 0}));
  entered[root] = true;
  while (stack.count) {
    Frame *top = &stack.items[stack.count - 1];
    const Function *function = function_of(f, top->instance);
    if (top->next_call == function->n_calls) {
      assign_body(f, top->instance);
      stack.count--;
      continue;
    }
    OpId call = f->calls.items[function->calls + top->next_call++];
    InstanceId called = instance_called(f->b, top->instance, call);
    if (!called || entered[called]) continue;
    entered[called] = true;
    VEC_PUSH(f->arena, &stack, ((Frame){called, 0}));
  }
}

typedef struct Root {
  Str name;
  InstanceId instance;
} Root;

static int compare_roots(const void *a, const void *b) {
  const Root *ra = a, *rb = b;
  size_t n = ra->name.n < rb->name.n ? ra->name.n : rb->name.n;
  int order = n ? memcmp(ra->name.s, rb->name.s, n) : 0;
  if (order) return order;
  if (ra->name.n != rb->name.n) return ra->name.n < rb->name.n ? -1 : 1;
  return (ra->instance > rb->instance) - (ra->instance < rb->instance);
}

static void walk_all(Finder *f) {
  const Graph *g = f->g;
  const Program *p = f->program;
  Root *roots = ARENA_ARRAY(f->arena, Root, g->n_instances);
  uint32_t n = 0;
  for (InstanceId i = 1; i < g->n_instances; i++) {
    const Instance *at = &g->instances[i];
    Name name = attr_as_name(p->context, op_attr(p, at->function, "sym_name"));
    if (at->call)
      idmap_add(&f->b->called, f->guard, call_hash(at->caller, at->call), i);
    else
      roots[n++] = (Root){name_str(p->context, name), i};
  }
  qsort(roots, n, sizeof *roots, compare_roots);
  bool *entered = ARENA_ARRAY(f->arena, bool, g->n_instances);
  for (uint32_t i = 0; i < n; i++) walk(f, roots[i].instance, entered);
}

void bodies_init(Bodies *b, const Propagation *p, const Program *program, const Sharding *written,
                 Arena *arena) {
  const Graph *g = propagation_graph(p);
  *b = (Bodies){.graph = g,
                .bodies = ARENA_ARRAY(arena, Body, (size_t)g->n_instances + 1),
                .body_of = ARENA_ARRAY(arena, BodyId, g->n_instances),
                .first_of = ARENA_ARRAY(arena, BodyId, program->ops.count),
                .fallback = ARENA_ARRAY(arena, InstanceId, program->ops.count)};
  Finder f = {.b = b,
              .p = p,
              .g = g,
              .program = program,
              .written = written,
              .arena = arena,
              .guard = program->guard,
              .function_of = ARENA_ARRAY(arena, uint32_t, program->ops.count),
              .last_instance = ARENA_ARRAY(arena, InstanceId, program->ops.count)};
  for (InstanceId i = 1; i < g->n_instances; i++) f.last_instance[g->instances[i].function] = i;
  GuardCleanup drop_called = {idmap_release, &b->called, NULL},
               drop_signatures = {idmap_release, &f.by_signature, NULL};
  guard_push(f.guard, &drop_called);
  guard_push(f.guard, &drop_signatures);
  collect(&f);
  walk_all(&f);
  guard_pop(f.guard, &drop_signatures);
  guard_pop(f.guard, &drop_called);
  idmap_deinit(&f.by_signature);
}

void bodies_deinit(Bodies *b) { idmap_deinit(&b->called); }
