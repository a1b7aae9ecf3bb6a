// Problem: an op may move before an all_reduce only if its other operands are equal on all devices
// of a group. Which values are?
//
// Idea: forward data-flow analysis. Each value has the bit set of mesh axes along which it can
// differ between devices; sets only grow.
// - argument: the axes of its `tessera.sharding`; none if it is known to be replicated
// - partition_id: all axes
// - pure op: the union of its operands; an integer known at compile time (known.h) is compared
//   exactly
// - all_gather, all_reduce: the operand's axes without those that the groups cover; other
//   collectives: the operand's axes and the groups'
// - loop and branch: also the axes of the condition, since devices may run different iterations
//
// Invariant: an over-approximation. If the fixpoint is not reached in MOST_ITERATIONS, every value
// varies along all axes. Cost: O(ops · iterations), O(devices · axes) for each known integer.
#include "optimize/varies.h"

#include "base/vec.h"
#include "cost/collectives.h"
#include "optimize/facts.h"
#include "optimize/known.h"

enum { MOST_ITERATIONS = 12, CALLED = 1, NAMED = 2 };

typedef struct Walk {
  Optimizer *o;
  Program *p;
  Varies v;
  SymbolTable functions;
  uint8_t *callers;  // per function: CALLED, NAMED
  bool changed;
} Walk;

static void add(Walk *w, ValueId value, uint64_t axes) {
  if ((w->v.axes[value] | axes) == w->v.axes[value]) return;
  w->v.axes[value] |= axes;
  w->changed = true;
}

static uint64_t operands_of(const Walk *w, OpId op) {
  uint64_t axes = 0;
  for (uint32_t i = 0; i < op_at(w->p, op)->n_operands; i++)
    axes |= w->v.axes[op_operand(w->p, op, i)];
  return axes;
}

// ---- arguments ----

static uint64_t axes_in(AxisList list) {
  uint64_t axes = 0;
  for (uint32_t i = 0; i < list.n; i++) axes |= (uint64_t)1 << (list.v[i].axis & 63);
  return axes;
}

// The axes of a sharding on the program's mesh; all axes if it cannot be read or has another mesh.
static uint64_t axes_of_sharding(Walk *w, Attr attr, Type global) {
  Sharding sharding;
  if (!w->o->table || !w->o->mesh || w->o->mesh->n_axes >= 64) return w->v.all;
  Status *status = sharding_from_attr(w->o->table, attr, global, &sharding);
  if (status) {
    status_free(status);
    return w->v.all;
  }
  const ShardingInfo *info = sharding_info(w->o->table, sharding);
  const Mesh *mesh = sharding_mesh(w->o->table, info->mesh);
  if (!mesh || !mesh_equal(mesh, w->o->mesh)) return w->v.all;
  uint64_t axes = axes_in(info->unreduced);
  for (uint32_t d = 0; d < info->rank; d++) axes |= axes_in(sharding_dim_axes(info, d));
  return axes;
}

static bool has_sharding(const Program *p, OpId function, const char *attrs) {
  const AttrInfo *list = attr_info(p->context, op_attr(p, function, attrs));
  for (uint32_t i = 0; list->kind == ATTR_ARRAY && i < list->count; i++)
    if (attr_get(p->context, list->items[i], "tessera.sharding")) return true;
  return false;
}

// Marks functions that are called (CALLED: calls define their arguments) and functions that another
// attribute names (NAMED: nothing is known of their arguments).
static void find_callers(Walk *w) {
  Context *c = w->p->context;
  for (OpId op = w->p->root; op; op = op_walk_next(w->p, op, w->p->root)) {
    const AttrInfo *dict = attr_info(c, op_at(w->p, op)->attrs);
    bool call = op_at(w->p, op)->code == OP_func_call;
    for (uint32_t i = 0; dict->kind == ATTR_DICT && i < dict->count; i++) {
      const AttrInfo *value = attr_info(c, dict->fields[i].value);
      uint32_t n = value->kind == ATTR_ARRAY ? value->count : value->kind == ATTR_SYMBOL;
      for (uint32_t k = 0; k < n; k++) {
        Attr item = value->kind == ATTR_ARRAY ? value->items[k] : dict->fields[i].value;
        if (attr_info(c, item)->kind != ATTR_SYMBOL) break;
        OpId function = symbols_find(&w->functions, attr_info(c, item)->name);
        w->callers[function] |= call ? CALLED : NAMED;
      }
    }
  }
}

// An argument without a sharding is replicated, or calls define it.
static bool edges_are_annotated(const Walk *w, OpId function) {
  if (w->callers[function] & NAMED) return false;
  return w->o->edges_are_annotated || w->callers[function] == CALLED ||
         has_sharding(w->p, function, "arg_attrs") || has_sharding(w->p, function, "res_attrs");
}

static void start_function(Walk *w, OpId function) {
  bool annotated = edges_are_annotated(w, function);
  BlockId block = region_block(w->p, op_region(w->p, function, 0));
  const AttrInfo *list = attr_info(w->p->context, op_attr(w->p, function, "arg_attrs"));
  for (uint32_t i = 0; block && i < block_at(w->p, block)->n_args; i++) {
    Attr dict = list->kind == ATTR_ARRAY && i < list->count ? list->items[i] : 0;
    Attr sharding = attr_get(w->p->context, dict, "tessera.sharding");
    Attr global = attr_get(w->p->context, dict, "tessera.global");
    if (sharding || !annotated)
      add(w, block_arg(w->p, block, i),
          sharding ? axes_of_sharding(w, sharding, attr_info(w->p->context, global)->type)
                   : w->v.all);
  }
}

// ---- ops ----

// Groups that cover only some devices along an axis make values equal inside a group but not along
// the axis, so the operand's axes stay.
static uint64_t collective_axes(Walk *w, OpId op) {
  const DeviceGroups *groups = collective_groups(w->o, op);
  uint64_t in = operands_of(w, op);
  if (!groups) return w->v.all;
  const Collective *row = collective_row(op_at(w->p, op)->code);
  if (!row || row->after != STATE_REPLICATED) return in | groups->axes;
  return groups->covers_axes ? in & ~groups->axes : in;
}

// Compares an integer known at compile time between neighbours along each axis, for a subset of
// `most`.
static uint64_t known_axes(Walk *w, ValueId value, uint64_t most) {
  const Mesh *mesh = w->o->mesh;
  const int64_t *at = most ? known_on_devices(w->o, value) : NULL;
  if (!at) return most;
  uint64_t axes = 0;
  if (!mesh || mesh->n_axes >= 64) {
    for (uint32_t i = 1; i < w->o->n_devices; i++)
      if (at[i] != at[0]) axes = w->v.all;
    return axes & most;
  }
  for (uint32_t k = 0; k < mesh->n_axes; k++) {
    uint32_t stride = mesh->axes[k].stride, size = mesh->axes[k].size;
    for (uint32_t i = 0; i < mesh->n_devices && !(axes >> k & 1); i++)
      if (i / stride % size && at[mesh_device(mesh, i)] != at[mesh_device(mesh, i - stride)])
        axes |= (uint64_t)1 << k;
  }
  return axes & most;
}

static OpId callee_of(Walk *w, OpId op) {
  Attr symbol = op_attr(w->p, op, "callee");
  return symbol ? symbols_find(&w->functions, attr_as_name(w->p->context, symbol)) : 0;
}

static OpId end_of(const Program *p, RegionId region) {
  BlockId block = region_block(p, region);
  return block ? block_at(p, block)->last : 0;
}

static void visit_call(Walk *w, OpId op, OpId callee) {
  Program *p = w->p;
  BlockId block = region_block(p, op_region(p, callee, 0));
  OpId end = end_of(p, op_region(p, callee, 0));
  for (uint32_t i = 0; i < op_at(p, op)->n_operands; i++)
    add(w, block_arg(p, block, i), w->v.axes[op_operand(p, op, i)]);
  for (uint32_t i = 0; i < op_at(p, op)->n_results; i++)
    add(w, op_result(p, op, i), w->v.axes[op_operand(p, end, i)]);
}

// Carries flow from operands and from the body's end. Values of the regions are of the previous
// iteration of the analysis, or follow in this one.
static void visit_loop(Walk *w, OpId op) {
  Program *p = w->p;
  uint32_t n = op_at(p, op)->n_regions;
  OpId test = end_of(p, op_region(p, op, 0)), end = end_of(p, op_region(p, op, n - 1));
  uint64_t iterations = test ? operands_of(w, test) : w->v.all;
  for (uint32_t i = 0; i < op_at(p, op)->n_results; i++) {
    uint64_t axes = w->v.axes[op_operand(p, op, i)] | iterations;
    if (end) axes |= w->v.axes[op_operand(p, end, i)];
    for (uint32_t r = 0; r < n; r++)
      add(w, block_arg(p, region_block(p, op_region(p, op, r)), i), axes);
    add(w, op_result(p, op, i), axes);
  }
}

static void visit_branch(Walk *w, OpId op) {
  Program *p = w->p;
  uint64_t which = operands_of(w, op);
  for (uint32_t r = 0; r < op_at(p, op)->n_regions; r++) {
    OpId end = end_of(p, op_region(p, op, r));
    for (uint32_t i = 0; end && i < op_at(p, op)->n_results; i++)
      add(w, op_result(p, op, i), which | w->v.axes[op_operand(p, end, i)]);
  }
}

// A body's uses of outer values count as operands.
static uint64_t body_axes(Walk *w, OpId op) {
  uint64_t axes = 0;
  for (OpId in = op_walk_next(w->p, op, op); in; in = op_walk_next(w->p, in, op))
    axes |= operands_of(w, in) |
            (fact_is_pure(w->p, in) || (op_traits(w->p, in) & TRAIT_TERMINATOR) ? 0 : w->v.all);
  return axes;
}

static void visit(Walk *w, OpId op) {
  Program *p = w->p;
  const Op *o = op_at(p, op);
  const OpDef *def = op_row(o->code)->def;
  uint64_t axes;
  OpId callee;
  if (!o->n_results) return;
  if (def && def->flow == FLOW_LOOP) {
    visit_loop(w, op);
    return;
  }
  if (def && def->flow == FLOW_BRANCH) {
    visit_branch(w, op);
    return;
  }
  if (o->code == OP_func_call && (callee = callee_of(w, op)) != 0 &&
      end_of(p, op_region(p, callee, 0))) {
    visit_call(w, op, callee);
    return;
  }
  if (o->code == OP_partition_id)
    axes = w->v.all;
  else if (fact_is_collective(p, op))
    axes = collective_axes(w, op);
  else if (fact_is_pure(p, op) || o->code == OP_optimization_barrier)
    axes = operands_of(w, op) | (o->n_regions ? body_axes(w, op) : 0);
  else
    axes = w->v.all;
  for (uint32_t i = 0; i < o->n_results; i++)
    add(w, op_result(p, op, i), known_axes(w, op_result(p, op, i), axes));
}

Varies varies_find(Optimizer *o) {
  Program *p = o->p;
  Walk w = {.o = o, .p = p};
  w.v.all = collective_all_axes(o);
  w.v.n = p->values.count;
  w.v.axes = ARENA_ARRAY(&o->scratch, uint64_t, w.v.n);
  GuardCleanup cleanup = {symbols_release, &w.functions, NULL};
  symbols_init(&w.functions, p, p->root, o->guard);
  guard_push(o->guard, &cleanup);
  w.callers = ARENA_ARRAY(&o->scratch, uint8_t, p->ops.count + 1);
  find_callers(&w);
  uint32_t iterations = 0;
  do {
    w.changed = false;
    for (OpId op = p->root; op; op = op_walk_next(p, op, p->root))
      if (op_row(op_at(p, op)->code)->traits & TRAIT_FUNCTION)
        start_function(&w, op);
      else
        visit(&w, op);
  } while (w.changed && ++iterations < MOST_ITERATIONS);
  guard_pop(o->guard, &cleanup);
  symbols_deinit(&w.functions);
  if (w.changed)
    for (uint32_t i = 0; i < w.v.n; i++) w.v.axes[i] = w.v.all;
  return w.v;
}

void varies_set(Optimizer *o, Varies *v, ValueId value, uint64_t axes) {
  if (value >= v->n) {
    uint32_t n = 2 * value + 64;
    uint64_t *grown = ARENA_ARRAY(&o->scratch, uint64_t, n);
    for (uint32_t i = 0; i < n; i++) grown[i] = i < v->n ? v->axes[i] : v->all;
    v->axes = grown;
    v->n = n;
  }
  v->axes[value] = axes;
}
