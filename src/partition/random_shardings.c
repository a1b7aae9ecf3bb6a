// A mesh is a random factorization of the number of devices. A sharding deals random sub-axes to
// dimensions, to the unreduced axes, or to none. The share of values with a sharding is drawn per
// program. In every fourth program some ops have single-device shardings. Values in copied regions
// (reducers) and results of calls get none: the latter have the function's.
#include "partition/random_shardings.h"

#include "ops/op.h"
#include "annotate/annotation.h"
#include "propagate/write.h"

enum { MOST_AXES = 3, MOST_SUB_AXES = 32, MOST_RANK = 16 };

typedef struct Random {
  Program *p;
  ShardingTable *table;
  MeshId mesh;
  uint64_t state;
  uint32_t of_four;  // values out of four that get a sharding
  Arena arena;
  Propagation *propagation;
} Random;

// 0 … n-1; splitmix64.
static uint32_t roll(Random *r, uint32_t n) {
  uint64_t z = r->state += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return (uint32_t)((z ^ z >> 31) >> 32) % n;
}

// A random divisor of n above 1; n is above 1.
static uint32_t random_divisor(Random *r, uint32_t n) {
  uint32_t d;
  do d = 2 + roll(r, n - 1);
  while (n % d);
  return d;
}

static Status *random_mesh(Random *r, uint32_t devices) {
  Context *context = r->p->context;
  static const char *const letters[MOST_AXES] = {"a", "b", "c"};
  Name names[MOST_AXES];
  int64_t sizes[MOST_AXES];
  uint32_t n = 1 + roll(r, MOST_AXES + 1), left = devices, used = 0;
  if (n > MOST_AXES) n = MOST_AXES;
  for (uint32_t i = 0; i < n && (left > 1 || !used); i++) {
    uint32_t size = i + 1 == n || left == 1 ? left : random_divisor(r, left);
    if (size == left && left > 1 && i + 1 < n)
      size = random_divisor(r, left);  // rather more axes than fewer
    names[used] = name_of(context, letters[i]);
    sizes[used++] = size;
    left /= size;
  }
  int64_t *ids = ARENA_ARRAY(&r->arena, int64_t, devices);
  for (uint32_t i = 0; i < devices; i++) ids[i] = i;
  for (uint32_t i = devices; i > 1; i--) {
    uint32_t k = roll(r, i);
    int64_t swap = ids[i - 1];
    ids[i - 1] = ids[k];
    ids[k] = swap;
  }
  const Mesh *mesh;
  TRY(mesh_new(context, 0, used, names, sizes, roll(r, 3) ? 0 : devices, ids, &mesh));
  r->mesh = sharding_mesh_add(r->table, mesh);
  return NULL;
}

// All axes, divided at random into sub-axes and shuffled. Returns the number of sub-axes.
static uint32_t random_sub_axes(Random *r, AxisRef *out) {
  const Mesh *mesh = sharding_mesh(r->table, r->mesh);
  uint32_t n = 0;
  for (uint32_t i = 0; i < mesh->n_axes; i++)
    for (uint32_t pre = 1, full = mesh->axes[i].size; pre < full;) {
      uint32_t size = roll(r, 2) ? full / pre : random_divisor(r, full / pre);
      out[n++] = (AxisRef){i, pre, size};
      pre *= size;
    }
  for (uint32_t i = n; i > 1; i--) {
    uint32_t k = roll(r, i);
    AxisRef swap = out[i - 1];
    out[i - 1] = out[k];
    out[k] = swap;
  }
  return n;
}

// Can the value be unreduced? The sum of the value and zeros must have the same bits. NaNs break
// that, so only integers qualify.
static bool can_be_sum(const Random *r, Type type) {
  DType dtype = type_dtype(r->p->context, type);
  return dtype_is_integer(dtype) && dtype != DT_i1 && !type_is_quant(r->p->context, type);
}

// The attribute of a random sharding of the type; 0: the type has none, or chance says no.
static Status *random_attr(Random *r, Type type, Attr *out) {
  *out = 0;
  const TypeInfo *info = type_info(r->p->context, type);
  if (info->kind != TYPE_TENSOR || !info->rank || info->rank > MOST_RANK) return NULL;
  for (uint32_t d = 0; d < info->rank; d++)
    if (info->dims[d] < 0) return NULL;
  if (roll(r, 4) >= r->of_four) return NULL;
  AxisRef sub_axes[MOST_SUB_AXES], lists[MOST_RANK + 1][MOST_SUB_AXES];
  uint32_t n[MOST_RANK + 1] = {0}, count = random_sub_axes(r, sub_axes);
  bool sums = can_be_sum(r, type) && roll(r, 4) == 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t to = roll(r, info->rank + 2);  // the last two: unreduced, nowhere
    if (to < info->rank + sums) lists[to][n[to]++] = sub_axes[i];
  }
  ShardFactor factors[MOST_RANK];
  DimSharding dims[MOST_RANK];
  for (uint32_t d = 0; d < info->rank; d++) {
    factors[d] = (ShardFactor){0, {lists[d], n[d]}};
    dims[d] = (DimSharding){&factors[d], 1, roll(r, 2) == 0, PRIORITY_NONE};
  }
  ShardingInfo made = {.mesh = r->mesh,
                       .rank = info->rank,
                       .dims = dims,
                       .unreduced = {lists[info->rank], n[info->rank]}};
  TRY(sharding_check(r->table, &made, type));
  return sharding_to_attr(r->table, sharding_intern(r->table, &made), out);
}

static Status *random_value(Random *r, ValueId v) {
  if (!annotation_possible(r->p, v)) return NULL;
  Attr attr;
  TRY(random_attr(r, value_type(r->p, v), &attr));
  if (attr) annotation_set(r->p, v, attr);
  return NULL;
}

static Status *random_function(Random *r, OpId function) {
  Program *p = r->p;
  BlockId block = region_block(p, op_region(p, function, 0));
  if (!block) return NULL;
  for (uint32_t i = 0; i < block_at(p, block)->n_args; i++)
    TRY(random_value(r, block_arg(p, block, i)));
  const TypeInfo *type =
      type_info(p->context, attr_info(p->context, op_attr(p, function, "function_type"))->type);
  for (uint32_t i = type->n_inputs; i < type->n_items; i++) {
    Attr attr;
    TRY(random_attr(r, type->items[i], &attr));
    if (attr) annotation_set_result(p, function, i - type->n_inputs, attr);
  }
  return NULL;
}

// Can results of the op have shardings of their own? All ops around it must be control flow.
static bool is_walked(const Program *p, OpId op) {
  for (OpId o = op_parent(p, op); o && !(op_row(op_at(p, o)->code)->traits & TRAIT_FUNCTION);
       o = op_parent(p, o)) {
    const OpDef *def = op_row(op_at(p, o)->code)->def;
    if (!def || !def->flow) return false;
  }
  return true;
}

static bool all_tensors(const Program *p, OpId op) {
  for (uint32_t i = 0; i < op_at(p, op)->n_results; i++)
    if (!type_is_tensor(p->context, op_result_type(p, op, i))) return false;
  return true;
}

// Gives one op of eight a single-device sharding, in one program of four. Has a random state of its
// own, so that the other shardings do not depend on it.
static Status *random_devices(Random *r, uint32_t devices, uint64_t seed) {
  Program *p = r->p;
  Random own = {.state = seed ^ 0xD1B54A32D192ED03u};
  if (roll(&own, 4)) return NULL;
  for (OpId o = op_walk_next(p, p->root, p->root); o; o = op_walk_next(p, o, p->root)) {
    uint32_t traits = op_row(op_at(p, o)->code)->traits;
    if (!op_at(p, o)->n_results || traits & (TRAIT_CALL | TRAIT_FUNCTION) || !is_walked(p, o) ||
        !all_tensors(p, o) || roll(&own, 8))
      continue;
    if (op_at(p, o)->code == OP_partition_id) continue;  // its value would change
    Attr attr;
    Sharding one = sharding_make_maximal(r->table, roll(&own, devices));
    TRY(sharding_to_attr(r->table, one, &attr));
    for (uint32_t i = 0; i < op_at(p, o)->n_results; i++)
      if (annotation_possible(p, op_result(p, o, i))) annotation_set(p, op_result(p, o, i), attr);
  }
  return NULL;
}

static Status *random_values(Random *r) {
  Program *p = r->p;
  for (OpId o = op_walk_next(p, p->root, p->root); o; o = op_walk_next(p, o, p->root)) {
    if (op_row(op_at(p, o)->code)->traits & TRAIT_FUNCTION) {
      TRY(random_function(r, o));
      continue;
    }
    bool call = (op_row(op_at(p, o)->code)->traits & TRAIT_CALL) != 0;
    if (!op_at(p, o)->n_results || call || !is_walked(p, o) || !all_tensors(p, o)) continue;
    for (uint32_t i = 0; i < op_at(p, o)->n_results; i++) TRY(random_value(r, op_result(p, o, i)));
  }
  return NULL;
}

static Status *propagate(Random *r, Guard *guard, Diag *diag) {
  TRY(propagation_new(r->p, r->table, &(PropagateOptions){0}, guard, diag, &r->propagation));
  TRY(propagation_read(r->propagation, diag));
  propagation_run(r->propagation);
  return propagation_write(r->propagation, r->p, &(WriteOptions){.close = true}, diag);
}

static void release(void *object) {
  Random *r = object;
  propagation_free(r->propagation);
  arena_deinit(&r->arena);
}

Status *random_shardings(Program *program, ShardingTable *table, uint32_t devices, uint64_t seed,
                         Guard *guard, Diag *diag) {
  Random r = {.p = program, .table = table, .state = seed};
  arena_init(&r.arena, guard);
  GuardCleanup cleanup = {release, &r, NULL};
  guard_push(guard, &cleanup);
  r.of_four = 1 + roll(&r, 4);
  Status *status = random_mesh(&r, devices);
  if (!status) status = random_values(&r);
  if (!status) status = random_devices(&r, devices, seed);
  if (!status && roll(&r, 2)) status = propagate(&r, guard, diag);
  guard_pop(guard, &cleanup);
  release(&r);
  return status;
}
