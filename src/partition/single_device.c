// Which ops have a single-device sharding, and the value of stablehlo.partition_id in them.
//
// Problem. In a global program partition_id is 0. An op that device k computes for all must see k.
//
// Idea. Before partitioning, and before the global program runs for comparison, partition_id
// becomes the constant k in the op and in the pure ops that its operands are computed from. So both
// programs mean the same.
//
// Cost. O(program), and at most 1000 copied ops for each single-device op.
#include "partition/single_device.h"

#include "ops/op.h"
#include "annotate/annotation.h"
#include "interop/gspmd.h"

// ---- annotations ----

static uint32_t device_of_mesh(const Program *p, Attr mesh) {
  Context *c = p->context;
  if (!mesh || attr_info(c, attr_get(c, mesh, "axes"))->count) return NO_DEVICE;
  Ints ids = attr_as_ints(c, attr_get(c, mesh, "device_ids"));
  return ids.ok && ids.n == 1 && ids.v[0] >= 0 && ids.v[0] < NO_DEVICE ? (uint32_t)ids.v[0]
                                                                       : NO_DEVICE;
}

static uint32_t device_of_gspmd(const Program *p, Attr attr, Arena *scratch) {
  Name name = attr_as_name(p->context, attr);
  if (!name) return NO_DEVICE;
  GspmdSharding sharding;
  Status *status = gspmd_parse(scratch, name_str(p->context, name), &sharding);
  if (!status && sharding.kind == GSPMD_MAXIMAL) return sharding.device;
  status_free(status);
  return NO_DEVICE;
}

static bool is_manual(const Program *p, OpId op) {
  for (OpId o = op_parent(p, op); o; o = op_parent(p, o))
    if (op_attr(p, o, "manual_axes")) return true;
  return false;
}

// The device that a #sdy.sharding_per_value names; NO_DEVICE if it names several. Other results may
// be replicated. Most lists name none, and are read once.
static uint32_t device_of_list(const Program *p, const SymbolTable *symbols, Attr per_value) {
  Context *c = p->context;
  const AttrInfo *list = attr_info(c, attr_get(c, per_value, "shardings"));
  const Attr *items = list->items;
  uint32_t device = NO_DEVICE, n = list->kind == ATTR_ARRAY ? list->count : 0;
  for (uint32_t i = 0; i < n && device == NO_DEVICE; i++)
    device = device_of_mesh(p, annotation_mesh(p, symbols, items[i]));
  for (uint32_t i = 0; i < n && device != NO_DEVICE; i++) {
    uint32_t one = device_of_mesh(p, annotation_mesh(p, symbols, items[i]));
    bool replicated = annotation_is_empty(c, annotation_opened(c, items[i]));
    if (one == NO_DEVICE ? !replicated : one != device) return NO_DEVICE;
  }
  return device;
}

uint32_t single_device_of(const Program *p, const SymbolTable *symbols, OpId op, Arena *scratch) {
  uint32_t traits = op_row(op_at(p, op)->code)->traits;
  Attr sdy = op_attr(p, op, "sdy.sharding"), gspmd = op_attr(p, op, "mhlo.sharding");
  if ((!sdy && !gspmd) || traits & (TRAIT_CONSTANT | TRAIT_FUNCTION | TRAIT_TERMINATOR) ||
      str_starts(str_of(op_name(p, op)), "sdy.") || is_manual(p, op))
    return NO_DEVICE;
  return sdy ? device_of_list(p, symbols, sdy) : device_of_gspmd(p, gspmd, scratch);
}

static bool can_be_alone(const Program *p, OpId op) {
  uint32_t traits = op_traits(p, op);
  bool calls = traits & TRAIT_CALL || op_attr(p, op, "callee") || op_attr(p, op, "decomposition");
  return !calls && !(traits & TRAIT_COLLECTIVE) && op_at(p, op)->code != OP_rng &&
         !op_attr(p, op, "manual_axes") && !op_is_check(p, op);
}

bool single_device_can(const Program *p, OpId op) {
  bool can = can_be_alone(p, op);
  for (OpId o = op_walk_next(p, op, op); can && o; o = op_walk_next(p, o, op))
    can = can_be_alone(p, o);
  return can;
}

// ---- partition_id ----

enum { MOST_COPIED = 1000 };  // ops that are copied for one op

typedef struct Ids {
  Program *p;
  Arena arena;
  SymbolTable symbols;
  uint32_t device;
  OpId before;         // copies are inserted before it
  ValueId *map;        // per old value: its copy for this device
  bool *asks, *known;  // per op: it depends on partition_id; `asks` has been computed
  bool *gone;          // per op: it was erased
  uint32_t n_ops, n_values;
  VEC(ValueId) mapped;
} Ids;

static ValueId device_constant(Ids *x, OpId before, OpId like) {
  Program *p = x->p;
  Type type = op_result_type(p, like, 0);
  Attr value = attr_dense(p->context, type, &x->device, sizeof x->device);
  NamedAttr field = {name_of(p->context, "value"), value};
  OpSpec spec = {.code = OP_constant,
                 .n_results = 1,
                 .result_types = &type,
                 .attrs = attr_dict(p->context, 1, &field),
                 .loc = op_at(p, like)->loc,
                 .pos = op_at(p, like)->pos,
                 .origin = like};
  OpId made = op_create(p, &spec);
  op_insert_before(p, made, before);
  return op_result(p, made, 0);
}

// Only partition_id and pure ops without regions can be computed twice. Ops that were added since
// the beginning have no entries in the arrays.
static bool may_be_copied(const Ids *x, OpId op) {
  return op && op < x->n_ops && !op_at(x->p, op)->n_regions &&
         (op_at(x->p, op)->code == OP_partition_id || op_traits(x->p, op) & TRAIT_PURE);
}

// Does the op depend on partition_id? Depth-first search, memoized in x->asks; with an explicit
// stack, since chains of ops may be long.
static bool asks(Ids *x, OpId root) {
  VEC(OpId) stack = {0};
  VEC_PUSH(&x->arena, &stack, root);
  while (stack.count) {
    OpId op = stack.items[stack.count - 1];
    bool ready = true, found = op_at(x->p, op)->code == OP_partition_id;
    for (uint32_t i = 0; i < op_at(x->p, op)->n_operands && !x->known[op]; i++) {
      OpId def = value_def(x->p, op_operand(x->p, op, i));
      if (!may_be_copied(x, def)) continue;
      if (!x->known[def]) {
        VEC_PUSH(&x->arena, &stack, def);
        ready = false;
      }
      found |= x->asks[def];
    }
    if (!ready) continue;
    if (!x->known[op]) x->asks[op] = found;
    x->known[op] = true;
    stack.count--;
  }
  return x->asks[root];
}

// The value as the device computes it: copies the ops that depend on partition_id. *left: how many
// more may be copied.
static Status *copy_of(Ids *x, ValueId v, uint32_t *left, ValueId *out) {
  Program *p = x->p;
  OpId def = v < x->n_values ? value_def(p, v) : 0;
  *out = v;
  if (!may_be_copied(x, def) || !asks(x, def)) return NULL;
  *out = x->map[v];
  if (*out) return NULL;
  if (!--*left)
    FAIL(UNIMPLEMENTED, "is computed from partition_id by more than %d ops", MOST_COPIED);
  if (op_at(p, def)->code == OP_partition_id) {
    *out = device_constant(x, x->before, def);
  } else {
    uint32_t n = op_at(p, def)->n_operands, n_results = op_at(p, def)->n_results;
    ValueId *operands = ARENA_ARRAY(&x->arena, ValueId, n + 1);
    Type *types = ARENA_ARRAY(&x->arena, Type, n_results + 1);
    for (uint32_t i = 0; i < n; i++) TRY(copy_of(x, op_operand(p, def, i), left, &operands[i]));
    for (uint32_t i = 0; i < n_results; i++) types[i] = op_result_type(p, def, i);
    OpSpec spec = {.code = op_at(p, def)->code,
                   .name = op_at(p, def)->name,
                   .n_operands = n,
                   .operands = operands,
                   .n_results = n_results,
                   .result_types = types,
                   .attrs = op_at(p, def)->attrs,
                   .loc = op_at(p, def)->loc,
                   .pos = op_at(p, def)->pos,
                   .origin = def};
    OpId copy = op_create(p, &spec);
    op_insert_before(p, copy, x->before);
    *out = op_result(p, copy, value_at(p, v)->index);
  }
  x->map[v] = *out;
  VEC_PUSH(&x->arena, &x->mapped, v);
  return NULL;
}

// Makes one op, its regions and its operands see the device's id. The map of copies is cleared
// afterwards, since the next op may be on another device.
static Status *set_ids(Ids *x, OpId op) {
  Program *p = x->p;
  x->before = op;
  uint32_t left = MOST_COPIED;
  for (uint32_t i = 0; i < op_at(p, op)->n_operands; i++) {
    ValueId v;
    TRY(copy_of(x, op_operand(p, op, i), &left, &v));
    operand_set(p, op_at(p, op)->operands + i, v);
  }
  while (x->mapped.count) x->map[x->mapped.items[--x->mapped.count]] = 0;
  for (OpId o = op, next; o; o = next) {
    next = op_walk_next(p, o, op);
    if (op_at(p, o)->code != OP_partition_id) continue;
    value_replace_uses(p, op_result(p, o, 0), device_constant(x, o, o));
    op_erase(p, o);
    x->gone[o] = true;
  }
  return NULL;
}

static void release(void *object) {
  Ids *x = object;
  symbols_deinit(&x->symbols);
  arena_deinit(&x->arena);
}

// Ops are listed before any is changed: copies must not be visited.
static Status *set_all(Ids *x, Diag *diag) {
  Program *p = x->p;
  VEC(OpId) ops = {0};
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root))
    if (single_device_of(p, &x->symbols, o, &x->arena) != NO_DEVICE && single_device_can(p, o))
      VEC_PUSH(&x->arena, &ops, o);
  for (uint32_t i = 0; i < ops.count; i++) {
    OpId op = ops.items[i];
    if (x->gone[op]) continue;
    x->device = single_device_of(p, &x->symbols, op, &x->arena);
    Status *status = set_ids(x, op);
    if (!status) continue;
    if (diag)
      diag_error(diag, op_at(p, op)->pos, "'%s' op %s", op_name(p, op), status_message(status));
    return status;
  }
  return NULL;
}

Status *single_device_ids(Program *p, Guard *guard, Diag *diag) {
  bool any = false;
  for (OpId o = p->root; o && !any; o = op_walk_next(p, o, p->root))
    any = op_at(p, o)->code == OP_partition_id;
  if (!any) return NULL;
  Ids x = {.p = p, .n_ops = p->ops.count, .n_values = p->values.count};
  arena_init(&x.arena, guard);
  symbols_init(&x.symbols, p, p->root, guard);
  GuardCleanup cleanup = {release, &x, NULL};
  guard_push(guard, &cleanup);
  x.map = ARENA_ARRAY(&x.arena, ValueId, x.n_values + 1);
  x.asks = ARENA_ARRAY(&x.arena, bool, x.n_ops + 1);
  x.known = ARENA_ARRAY(&x.arena, bool, x.n_ops + 1);
  x.gone = ARENA_ARRAY(&x.arena, bool, x.n_ops + 1);
  Status *status = set_all(&x, diag);
  guard_pop(guard, &cleanup);
  release(&x);
  return status;
}
