// Functions are written anew beside the old ones, op by op in program order, then the old ones go.
// Which axes split which factor of an op is what the shardings of its operands and results say; the
// op's own columns (ops/localize.h) write it for one device. If the two disagree about any tensor
// the program is not one for this stage.
#include "global_to_local.h"

#include "cost/network.h"
#include "ops/localize.h"
#include "partition/reshard_local.h"
#include "partition/sdy_collectives.h"
#include "partition/single_device.h"
#include "annotate/annotation.h"
#include "annotate/program_mesh.h"
#include "sharding/project.h"

typedef struct Part {
  ValueId value;  // 0 = not there yet
  Sharding sharding;
} Part;

typedef struct Lowering {
  Program *p;
  ShardingTable *table;
  Context *context;
  Guard *guard;
  Diag *diag;
  Arena arena, scratch;
  const GlobalToLocalOptions *options;
  Builder local;
  ValueId *positions;            // per mesh, of the function at hand
  const BuilderGroups **groups;  // per mesh
  uint32_t n_meshes;
  SymbolTable functions;  // the global ones
  Part *parts;            // per global value
  uint32_t n_values;
} Lowering;

static void release(void *object) {
  Lowering *t = object;
  symbols_deinit(&t->functions);
  arena_deinit(&t->arena);
  arena_deinit(&t->scratch);
}

// Says where, and why.
static Status *misfit(Lowering *t, OpId op, Status *why) {
  diag_error(t->diag, op_at(t->p, op)->pos, "'%s' op %s", op_name(t->p, op), status_message(why));
  return why;
}

// ---- shardings ----

// Dimensions of the two are cut alike.
static bool same_cut(Lowering *t, Sharding a, Sharding b) {
  const ShardingInfo *x = sharding_info(t->table, a), *y = sharding_info(t->table, b);
  uint32_t rank = x->rank > y->rank ? x->rank : y->rank;
  bool same = true;
  for (uint32_t d = 0; d < rank; d++) {
    AxisList none = {NULL, 0};
    AxisList u = d < x->rank ? sharding_dim_axes(x, d) : none;
    AxisList v = d < y->rank ? sharding_dim_axes(y, d) : none;
    same &= axes_equal(u, v) && (!u.n || x->mesh == y->mesh);
  }
  return same;
}

static Status *read_sharding(Lowering *t, Attr attr, Type type, Sharding *out) {
  *out = 0;
  if (!attr) return NULL;
  Sharding sharding;
  TRY(sharding_from_attr(t->table, attr, type, &sharding));
  if (sharding_is_maximal(t->table, sharding) || !type_is_tensor(t->context, type)) return NULL;
  const ShardingInfo *info = sharding_info(t->table, sharding);
  const TypeInfo *tensor = type_info(t->context, type);
  for (uint32_t d = 0; d < tensor->rank; d++) {
    int64_t tiles = sharding_tiles(info, d);
    if (tiles > 1 && (tensor->dims[d] == DIM_DYNAMIC || tensor->dims[d] % tiles))
      FAIL(INVALID_ARGUMENT, "dimension %u of a %s is not divided by %lld devices", d,
           type_text(t->context, type), (long long)tiles);
  }
  *out = sharding;
  return NULL;
}

// What the text says of a value; 0 = nothing.
static Status *said(Lowering *t, ValueId v, Sharding *out) {
  return read_sharding(t, annotation_get(t->p, v), value_type(t->p, v), out);
}

static Type part_type(Lowering *t, Sharding sharding, Type global) {
  return sharding_local_type(t->table, sharding, global);
}

static void set(Lowering *t, ValueId v, ValueId local, Sharding sharding) {
  t->parts[v] = (Part){local, sharding};
}

static void use_mesh(Lowering *t, MeshId mesh) {
  Builder *l = &t->local;
  if (!mesh || mesh == l->mesh) return;
  if (l->mesh) t->groups[l->mesh] = l->groups;
  l->mesh = mesh;
  l->position = t->positions[mesh];
  l->groups = t->groups[mesh];
}

// ---- copies ----

// With its regions, which see what is outside of them as it is here.
static OpId copy_op(Lowering *t, OpId op, const ValueId *operands, Attr attrs, const Type *types) {
  Program *p = t->p;
  uint32_t n = p->values.count;
  ValueId *map = NULL;
  if (op_at(p, op)->n_regions) {
    map = ARENA_ARRAY(&t->scratch, ValueId, n);
    for (ValueId v = 1; v < t->n_values; v++) map[v] = t->parts[v].value;
  } else {
    n = 0;
  }
  OpId copy = op_clone(p, op, map, n);
  Op *o = op_at(p, copy);
  for (uint32_t i = 0; i < o->n_operands; i++) operand_set(p, o->operands + i, operands[i]);
  for (uint32_t i = 0; i < o->n_results; i++) value_at(p, o->results + i)->type = types[i];
  o->attrs = attrs;
  o->origin = op;
  if (attr_get(t->context, attrs, "sdy.sharding")) op_set_attr(p, copy, "sdy.sharding", 0);
  op_append(p, t->local.block, copy);
  return copy;
}

// What localize_copy does: the op must mean the same with the types of tiles.
static Status *copy_local(Localizer *cx, const ValueId *operands, Attr attrs, const Type *types,
                          ValueId *out) {
  Lowering *t = cx->user;
  OpId copy = copy_op(t, cx->op, operands, attrs, types);
  if (!localize_types_hold(t->p, copy, types, t->guard))
    FAIL(INVALID_ARGUMENT, "has no meaning on tiles: it needs whole dimensions here");
  for (uint32_t i = 0; i < op_at(t->p, copy)->n_results; i++) out[i] = op_result(t->p, copy, i);
  return NULL;
}

// ---- ops by their factors ----

static ValueId tensor_value(const Lowering *t, const Localizer *cx, uint32_t i) {
  uint32_t n = cx->map->n_operands;
  return i < n ? op_operand(t->p, cx->op, i) : op_result(t->p, cx->op, i - n);
}

// The axes that the tensors give to each factor; who gives most is heard.
static void read_splits(Lowering *t, Localizer *cx, const Sharding *shardings) {
  const FactorMap *m = cx->map;
  FactorAxes *axes = ARENA_ARRAY(&t->scratch, FactorAxes, m->n_factors + 1);
  for (uint32_t i = 0; i < factor_map_n_tensors(m); i++) {
    if (!shardings[i]) continue;
    project_tensor(t->table, m, i, shardings[i], sharding_mesh(t->table, t->local.mesh),
                   &t->scratch, axes);
    for (uint32_t f = 0; f < m->n_factors; f++)
      if (axes[f].present && axes[f].axes.n > cx->splits[f].axes.n)
        cx->splits[f].axes = axes[f].axes;
  }
  localize_decide(cx);
}

static Sharding made_sharding(Lowering *t, const Localizer *cx, uint32_t tensor) {
  uint32_t rank = factor_map_rank(cx->map, tensor);
  DimSharding *dims = ARENA_ARRAY(&t->scratch, DimSharding, rank + 1);
  ShardFactor *factors = ARENA_ARRAY(&t->scratch, ShardFactor, rank + 1);
  bool any = false;
  for (uint32_t d = 0; d < rank; d++) {
    factors[d].axes = localize_axes(cx, tensor, d);
    dims[d] = (DimSharding){&factors[d], 1, false, PRIORITY_NONE};
    any |= factors[d].axes.n > 0;
  }
  ShardingInfo info = {.mesh = t->local.mesh, .rank = rank, .dims = dims};
  return any ? sharding_intern(t->table, &info) : 0;
}

// In the scratch arena.
static const char *sharding_text(Lowering *t, Sharding sharding) {
  StrBuf text;
  strbuf_init(&text, t->guard);
  GuardCleanup cleanup = {strbuf_release, &text, NULL};
  guard_push(t->guard, &cleanup);
  sharding_print(t->table, sharding, &text);
  const char *copy = arena_printf(&t->scratch, "%s", text.data);
  guard_pop(t->guard, &cleanup);
  strbuf_deinit(&text);
  return copy;
}

static Status *must_agree(Lowering *t, const Localizer *cx, uint32_t tensor, Sharding has,
                          Sharding needs) {
  if (same_cut(t, has, needs)) return NULL;
  uint32_t n = cx->map->n_operands;
  FAIL(INVALID_ARGUMENT, "has %s %u sharded as %s where the others make it %s: reshard it first",
       tensor < n ? "operand" : "result", tensor < n ? tensor : tensor - n, sharding_text(t, has),
       sharding_text(t, needs));
}

// shardings: of operands and results, those of results as the text says.
static Status *put_split(Lowering *t, OpId op, const FactorMap *m, Sharding *shardings) {
  Localizer cx;
  localize_init(&cx, &t->local, op, m);
  cx.copy = copy_local;
  cx.user = t;
  read_splits(t, &cx, shardings);
  uint32_t n = m->n_operands;
  ValueId *in = ARENA_ARRAY(&t->scratch, ValueId, n + 1);
  Type *types = ARENA_ARRAY(&t->scratch, Type, m->n_results + 1);
  for (uint32_t i = 0; i < factor_map_n_tensors(m); i++) {
    Sharding made = made_sharding(t, &cx, i);
    bool silent = i >= n && !annotation_get(t->p, tensor_value(t, &cx, i));
    if (silent)
      shardings[i] = made;
    else
      TRY(must_agree(t, &cx, i, shardings[i], made));
    if (i < n)
      in[i] = t->parts[op_operand(t->p, op, i)].value;
    else
      types[i - n] = part_type(t, made, op_result_type(t->p, op, i - n));
  }
  cx.in = in;
  cx.in_as = shardings;
  cx.out_as = shardings + n;
  cx.out_types = types;
  cx.out = ARENA_ARRAY(&t->scratch, ValueId, m->n_results + 1);
  TRY(localize_write(&cx));
  for (uint32_t i = 0; i < m->n_results; i++)
    set(t, op_result(t->p, op, i), cx.out[i], shardings[n + i]);
  return NULL;
}

// What nothing is known of: types as said.
static void put_copy(Lowering *t, OpId op, const Sharding *results) {
  uint32_t n = op_at(t->p, op)->n_operands, n_results = op_at(t->p, op)->n_results;
  ValueId *operands = ARENA_ARRAY(&t->scratch, ValueId, n + 1);
  Type *types = ARENA_ARRAY(&t->scratch, Type, n_results + 1);
  for (uint32_t i = 0; i < n; i++) operands[i] = t->parts[op_operand(t->p, op, i)].value;
  for (uint32_t i = 0; i < n_results; i++)
    types[i] = part_type(t, results[i], op_result_type(t->p, op, i));
  OpId copy = copy_op(t, op, operands, op_at(t->p, op)->attrs, types);
  for (uint32_t i = 0; i < n_results; i++)
    set(t, op_result(t->p, op, i), op_result(t->p, copy, i), results[i]);
}

static Status *put_plain(Lowering *t, OpId op) {
  uint32_t n = op_at(t->p, op)->n_operands, n_results = op_at(t->p, op)->n_results;
  Sharding *shardings = ARENA_ARRAY(&t->scratch, Sharding, n + n_results + 1);
  bool cut = false;
  for (uint32_t i = 0; i < n + n_results; i++) {
    if (i < n)
      shardings[i] = t->parts[op_operand(t->p, op, i)].sharding;
    else
      TRY(said(t, op_result(t->p, op, i - n), &shardings[i]));
    cut |= !sharding_is_replicated(t->table, shardings[i]);
  }
  FactorMap m;
  if (!cut || !op_factors(t->p, op, NULL, &t->scratch, &m)) {
    put_copy(t, op, shardings + n);
    return NULL;
  }
  MeshId mesh = project_mesh(t->table, n + n_results, shardings);
  if (!mesh) FAIL(INVALID_ARGUMENT, "has operands or results on different meshes");
  use_mesh(t, mesh);
  return put_split(t, op, &m, shardings);
}

// ---- sdy's own ops ----

static Status *put_collective(Lowering *t, OpId op) {
  Part part = t->parts[op_operand(t->p, op, 0)];
  ValueId v = op_result(t->p, op, 0);
  SdyCollective c = {.op = op,
                     .value = part.value,
                     .from = part.sharding,
                     .per_dim = t->options->per_dim_all_gather};
  TRY(said(t, v, &c.to));
  use_mesh(t, sharding_info(t->table, c.to)->mesh);
  ValueId made;
  TRY(sdy_collective_write(&t->local, &c, &made));
  if (value_type(t->p, made) != part_type(t, c.to, value_type(t->p, v)))
    FAIL(INVALID_ARGUMENT, "gives a %s, which is not a tile of its result",
         type_text(t->context, value_type(t->p, made)));
  set(t, v, made, c.to);
  return NULL;
}

static Status *put_reshard(Lowering *t, OpId op) {
  Part part = t->parts[op_operand(t->p, op, 0)];
  ValueId v = op_result(t->p, op, 0), made = part.value;
  Sharding to;
  TRY(said(t, v, &to));
  if (!to) to = part.sharding;
  if (!same_cut(t, part.sharding, to)) {
    use_mesh(t, sharding_info(t->table, to)->mesh);
    use_mesh(t, sharding_info(t->table, part.sharding)->mesh);
    TRY(local_reshard(&t->local, &network_default, part.value, part.sharding, to,
                      value_type(t->p, v), &made));
  }
  set(t, v, made, to);
  return NULL;
}

// ---- control flow ----

static Status *walk_block(Lowering *t, BlockId block);

// A value where one with another sharding is wanted: not for us to change.
static Status *must_be(Lowering *t, ValueId v, Sharding wanted, ValueId *out) {
  if (!same_cut(t, t->parts[v].sharding, wanted))
    FAIL(INVALID_ARGUMENT, "takes a value whose sharding is not the one wanted: reshard it first");
  *out = t->parts[v].value;
  return NULL;
}

static Status *put_terminator(Lowering *t, OpId op, const Sharding *targets) {
  uint32_t n = op_at(t->p, op)->n_operands;
  ValueId *operands = ARENA_ARRAY(&t->scratch, ValueId, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    Status *status = must_be(t, op_operand(t->p, op, i), targets ? targets[i] : 0, &operands[i]);
    if (status) return misfit(t, op, status);
  }
  OpSpec spec = {.code = op_at(t->p, op)->code,
                 .name = op_at(t->p, op)->name,
                 .n_operands = n,
                 .operands = operands,
                 .attrs = op_at(t->p, op)->attrs,
                 .loc = op_at(t->p, op)->loc,
                 .pos = op_at(t->p, op)->pos,
                 .origin = op};
  op_append(t->p, t->local.block, op_create(t->p, &spec));
  return NULL;
}

// One region anew: arguments with local types, ops, the terminator.
static Status *put_region(Lowering *t, RegionId from, RegionId to, const Sharding *args,
                          const Sharding *targets) {
  BlockId source = region_block(t->p, from);
  if (!source) return NULL;
  BlockId outer = t->local.block, block = region_add_block(t->p, to);
  for (uint32_t i = 0; i < block_at(t->p, source)->n_args; i++) {
    ValueId v = block_arg(t->p, source, i);
    Type type = part_type(t, args[i], value_type(t->p, v));
    set(t, v, block_add_arg(t->p, block, type, 0), args[i]);
  }
  t->local.block = block;
  TRY(walk_block(t, source));
  OpId last = block_at(t->p, source)->last;
  if (last && (op_row(op_at(t->p, last)->code)->traits & TRAIT_TERMINATOR))
    TRY(put_terminator(t, last, targets));
  t->local.block = outer;
  return NULL;
}

static Status *put_flow(Lowering *t, OpId op, Flow flow) {
  uint32_t n = op_at(t->p, op)->n_operands, n_results = op_at(t->p, op)->n_results;
  uint32_t n_regions = op_at(t->p, op)->n_regions;
  bool carries = flow == FLOW_LOOP || flow == FLOW_EACH;
  ValueId *operands = ARENA_ARRAY(&t->scratch, ValueId, n + 1);
  Sharding *targets = ARENA_ARRAY(&t->scratch, Sharding, n_results + 1);
  Type *types = ARENA_ARRAY(&t->scratch, Type, n_results + 1);
  for (uint32_t i = 0; i < n_results; i++) {
    TRY(said(t, op_result(t->p, op, i), &targets[i]));
    if (!targets[i] && carries && i < n) targets[i] = t->parts[op_operand(t->p, op, i)].sharding;
    types[i] = part_type(t, targets[i], op_result_type(t->p, op, i));
  }
  for (uint32_t i = 0; i < n; i++)
    TRY(must_be(t, op_operand(t->p, op, i), carries && i < n_results ? targets[i] : 0,
                &operands[i]));
  Attr attrs = op_at(t->p, op)->attrs;
  if (attr_get(t->context, attrs, "sdy.sharding"))
    attrs = attr_dict_with(t->context, attrs, "sdy.sharding", 0);
  OpSpec spec = {.code = op_at(t->p, op)->code,
                 .n_operands = n,
                 .operands = operands,
                 .n_results = n_results,
                 .result_types = types,
                 .n_regions = n_regions,
                 .attrs = attrs,
                 .loc = op_at(t->p, op)->loc,
                 .pos = op_at(t->p, op)->pos,
                 .origin = op};
  OpId made = op_create(t->p, &spec);
  op_append(t->p, t->local.block, made);
  for (uint32_t r = 0; r < n_regions; r++) {
    // A loop's condition returns its predicate, whole; what a body returns goes on.
    bool returns = flow == FLOW_BRANCH || r + 1 == n_regions;
    TRY(put_region(t, op_region(t->p, op, r), op_region(t->p, made, r), targets,
                   returns ? targets : NULL));
  }
  for (uint32_t i = 0; i < n_results; i++)
    set(t, op_result(t->p, op, i), op_result(t->p, made, i), targets[i]);
  return NULL;
}

// The body in place of the op. A manual one is written for one device already: its arguments and
// results are the tiles.
static Status *put_body(Lowering *t, OpId op) {
  BlockId block = region_block(t->p, op_region(t->p, op, 0));
  bool manual = op_at(t->p, op)->code == OP_sdy_manual_computation;
  for (uint32_t i = 0; i < op_at(t->p, op)->n_operands; i++) {
    ValueId v = block_arg(t->p, block, i), from = op_operand(t->p, op, i);
    Sharding sharding;
    TRY(said(t, v, &sharding));
    if (!manual && sharding && !same_cut(t, sharding, t->parts[from].sharding))
      FAIL(INVALID_ARGUMENT, "has operand %u sharded otherwise than its body takes it", i);
    if (!manual) sharding = t->parts[from].sharding;
    ValueId local = t->parts[from].value;
    if (value_type(t->p, local) != part_type(t, sharding, value_type(t->p, v)))
      FAIL(INVALID_ARGUMENT, "has operand %u sharded otherwise than its body takes it", i);
    set(t, v, local, sharding);
  }
  TRY(walk_block(t, block));
  OpId last = block_at(t->p, block)->last;
  for (uint32_t i = 0; i < op_at(t->p, op)->n_results; i++) {
    Part part = t->parts[op_operand(t->p, last, i)];
    ValueId v = op_result(t->p, op, i);
    Sharding sharding;
    TRY(said(t, v, &sharding));
    if (!manual && !sharding) sharding = part.sharding;
    if (value_type(t->p, part.value) != part_type(t, sharding, value_type(t->p, v)))
      FAIL(INVALID_ARGUMENT, "has result %u sharded otherwise than its body gives it", i);
    set(t, v, part.value, sharding);
  }
  return NULL;
}

static Status *put_call(Lowering *t, OpId op, OpId callee) {
  uint32_t n = op_at(t->p, op)->n_operands, n_results = op_at(t->p, op)->n_results;
  BlockId block = region_block(t->p, op_region(t->p, callee, 0));
  ValueId ignored;
  Sharding *results = ARENA_ARRAY(&t->scratch, Sharding, n_results + 1);
  for (uint32_t i = 0; i < n; i++) {
    Sharding wanted;
    TRY(said(t, block_arg(t->p, block, i), &wanted));
    TRY(must_be(t, op_operand(t->p, op, i), wanted, &ignored));
  }
  for (uint32_t i = 0; i < n_results; i++)
    TRY(read_sharding(t, annotation_get_result(t->p, callee, i), op_result_type(t->p, op, i),
                      &results[i]));
  put_copy(t, op, results);
  return NULL;
}

// ---- on one device ----

// The mesh with the most devices: who the others are.
static MeshId largest_mesh(const Lowering *t) {
  MeshId largest = 0;
  for (MeshId id = 1; id < t->n_meshes; id++)
    if (t->positions[id] && (!largest || sharding_mesh(t->table, id)->n_devices >
                                             sharding_mesh(t->table, largest)->n_devices))
      largest = id;
  return largest;
}

static Status *put_branch(Lowering *t, OpId op, RegionId region, const ValueId *operands) {
  Builder *l = &t->local;
  uint32_t n = op_at(t->p, op)->n_results;
  l->block = region_add_block(t->p, region);
  ValueId *gives = ARENA_ARRAY(&t->scratch, ValueId, n + 1);
  Type *types = ARENA_ARRAY(&t->scratch, Type, n + 1);
  for (uint32_t i = 0; i < n; i++) types[i] = op_result_type(t->p, op, i);
  OpId copy = operands ? copy_op(t, op, operands, op_at(t->p, op)->attrs, types) : 0;
  for (uint32_t i = 0; i < n; i++)
    gives[i] = copy ? op_result(t->p, copy, i)
               : type_is_tensor(t->context, types[i])
                   ? build_splat(l, types[i], scalar_i(0))
                   : build_op(l, OP_create_token, 0, NULL, types[i], 0);
  OpSpec end = {
      .code = OP_return, .n_operands = n, .operands = gives, .pos = POS_NONE, .origin = op};
  op_append(t->p, l->block, op_create(t->p, &end));
  return NULL;
}

// The op on the device that its sharding names, with whole operands; its results are sent to all.
static Status *put_on_device(Lowering *t, OpId op, MeshId mesh, uint32_t position) {
  Builder *l = &t->local;
  uint32_t n = op_at(t->p, op)->n_operands, n_results = op_at(t->p, op)->n_results;
  ValueId *operands = ARENA_ARRAY(&t->scratch, ValueId, n + 1);
  Type *types = ARENA_ARRAY(&t->scratch, Type, n_results + 1);
  for (uint32_t i = 0; i < n; i++) {
    ValueId v = op_operand(t->p, op, i);
    Part part = t->parts[v];
    operands[i] = part.value;
    if (sharding_is_replicated(t->table, part.sharding)) continue;
    use_mesh(t, sharding_info(t->table, part.sharding)->mesh);
    TRY(local_reshard(l, &network_default, part.value, part.sharding, 0, value_type(t->p, v),
                      &operands[i]));
  }
  for (uint32_t i = 0; i < n_results; i++) {
    types[i] = op_result_type(t->p, op, i);
    TypeKind kind = type_info(t->context, types[i])->kind;
    if (kind != TYPE_TOKEN && (kind != TYPE_TENSOR || !type_is_static(t->context, types[i])))
      FAIL(UNIMPLEMENTED, "is on a single device and has results of unknown size");
  }
  use_mesh(t, mesh);
  ValueId here = build_compare(l, "EQ", build_position(l), build_index(l, position));
  OpSpec spec = {.code = OP_if,
                 .n_operands = 1,
                 .operands = &here,
                 .n_results = n_results,
                 .result_types = types,
                 .n_regions = 2,
                 .pos = op_at(t->p, op)->pos,
                 .origin = op};
  OpId made = op_create(t->p, &spec);
  op_append(t->p, l->block, made);
  BlockId outer = l->block;
  TRY(put_branch(t, op, op_region(t->p, made, 0), operands));
  TRY(put_branch(t, op, op_region(t->p, made, 1), NULL));
  l->block = outer;
  for (uint32_t i = 0; i < n_results; i++) {
    ValueId v = op_result(t->p, made, i);
    bool sends = type_is_tensor(t->context, types[i]);
    set(t, op_result(t->p, op, i), sends ? build_broadcast_from(l, v, position) : v, 0);
  }
  return NULL;
}

// ---- the walk ----

static Status *put_op(Lowering *t, OpId op) {
  const OpRow *row = op_row(op_at(t->p, op)->code);
  Flow flow = row->def ? row->def->flow : FLOW_NONE;
  t->local.origin = op;
  if (sdy_is_collective(op_at(t->p, op)->code)) return put_collective(t, op);
  switch (op_at(t->p, op)->code) {
  case OP_sdy_sharding_group: return NULL;
  case OP_sdy_sharding_constraint:
  case OP_sdy_reshard:
  case OP_sdy_propagation_barrier:
  case OP_sdy_data_flow_edge:
  case OP_sdy_func_data_flow_edge: return put_reshard(t, op);
  default: break;
  }
  if (flow == FLOW_BODY) return put_body(t, op);
  uint32_t device = single_device_of(t->p, &t->functions, op, &t->scratch);
  MeshId mesh = device == NO_DEVICE ? 0 : largest_mesh(t);
  if (mesh && mesh_has_device(sharding_mesh(t->table, mesh), device) && single_device_can(t->p, op))
    return put_on_device(t, op, mesh, mesh_position(sharding_mesh(t->table, mesh), device));
  if (flow) return put_flow(t, op, flow);
  const char *name = op_at(t->p, op)->code == OP_composite ? "decomposition" : "callee";
  Attr symbol = op_attr(t->p, op, name);
  OpId callee = symbol ? symbols_find(&t->functions, attr_as_name(t->context, symbol)) : 0;
  if (callee && region_block(t->p, op_region(t->p, callee, 0))) return put_call(t, op, callee);
  return put_plain(t, op);
}

static Status *walk_block(Lowering *t, BlockId block) {
  for (OpId op = block_at(t->p, block)->first; op; op = op_at(t->p, op)->next) {
    if (op_row(op_at(t->p, op)->code)->traits & TRAIT_TERMINATOR) break;
    ArenaMark mark = arena_mark(&t->scratch);
    uint32_t errors = t->diag->errors;
    Status *status = put_op(t, op);
    if (status) return t->diag->errors > errors ? status : misfit(t, op, status);
    arena_rewind(&t->scratch, mark);
  }
  return NULL;
}

// The device's place in every mesh, where everything in the function sees it.
static void put_positions(Lowering *t) {
  t->local.mesh = 0;
  for (MeshId mesh = 1; mesh < t->n_meshes; mesh++) {
    t->positions[mesh] = 0;
    const Mesh *m = sharding_mesh(t->table, mesh);
    if (m->maximal || m->n_devices < 2) continue;
    t->local.mesh = mesh;
    t->local.position = 0;
    t->positions[mesh] = build_position(&t->local);
  }
  t->local.mesh = 0;
}

// What nobody asked for after all.
static void drop_unused(Lowering *t, BlockId block) {
  for (OpId o = block_at(t->p, block)->last, prev; o; o = prev) {
    prev = op_at(t->p, o)->prev;
    bool used = !(op_row(op_at(t->p, o)->code)->traits & TRAIT_PURE);
    for (uint32_t i = 0; i < op_at(t->p, o)->n_results; i++)
      used |= value_has_uses(t->p, op_result(t->p, o, i));
    if (!used) op_erase(t->p, o);
  }
}

static Status *put_function(Lowering *t, OpId function) {
  BlockId source = region_block(t->p, op_region(t->p, function, 0));
  const TypeInfo *type =
      type_info(t->context, attr_info(t->context, op_attr(t->p, function, "function_type"))->type);
  uint32_t n_args = type->n_inputs, n_results = type->n_items - type->n_inputs;
  Type *locals = ARENA_ARRAY(&t->scratch, Type, type->n_items + 1);
  Sharding *shardings = ARENA_ARRAY(&t->scratch, Sharding, type->n_items + 1);
  for (uint32_t i = 0; i < type->n_items; i++) {
    Attr attr = i < n_args ? annotation_get(t->p, block_arg(t->p, source, i))
                           : annotation_get_result(t->p, function, i - n_args);
    Status *status = read_sharding(t, attr, type->items[i], &shardings[i]);
    if (status) return misfit(t, function, status);
    locals[i] = part_type(t, shardings[i], type->items[i]);
  }
  Type made_type = type_function(t->context, n_args, locals, n_results, locals + n_args);
  OpSpec spec = {.code = op_at(t->p, function)->code,
                 .n_regions = 1,
                 .attrs = attr_dict_with(t->context, op_at(t->p, function)->attrs, "function_type",
                                         attr_type(t->context, made_type)),
                 .loc = op_at(t->p, function)->loc,
                 .pos = op_at(t->p, function)->pos,
                 .origin = function};
  OpId made = op_create(t->p, &spec);
  op_insert_before(t->p, made, function);
  BlockId block = region_add_block(t->p, op_region(t->p, made, 0));
  for (uint32_t i = 0; i < n_args; i++) {
    ValueId v = block_arg(t->p, source, i);
    set(t, v, block_add_arg(t->p, block, locals[i], value_at(t->p, v)->name), shardings[i]);
  }
  t->local.block = block;
  put_positions(t);
  TRY(walk_block(t, source));
  OpId last = block_at(t->p, source)->last;
  if (last) TRY(put_terminator(t, last, shardings + n_args));
  drop_unused(t, block);
  return NULL;
}

// The program's meshes, and sdy's constants as plain ones.
static Status *prepare(Lowering *t) {
  program_meshes_lift(t->p, &t->scratch);
  TRY(program_meshes_read(t->p, t->table));
  for (OpId o = t->p->root; o; o = op_walk_next(t->p, o, t->p->root))
    if (op_at(t->p, o)->code == OP_sdy_constant) op_at(t->p, o)->code = OP_constant;
  for (t->n_meshes = 1; sharding_mesh(t->table, t->n_meshes);) t->n_meshes++;
  t->positions = ARENA_ARRAY(&t->arena, ValueId, t->n_meshes);
  t->groups = ARENA_ARRAY(&t->arena, const BuilderGroups *, t->n_meshes);
  return NULL;
}

static Status *lower(Lowering *t) {
  TRY(prepare(t));
  symbols_init(&t->functions, t->p, t->p->root, t->guard);
  t->n_values = t->p->values.count;
  t->parts = ARENA_ARRAY(&t->arena, Part, t->n_values + 1);
  BlockId top = region_block(t->p, op_region(t->p, t->p->root, 0));
  VEC(OpId) old = {0};
  for (OpId o = block_at(t->p, top)->first; o; o = op_at(t->p, o)->next)
    if ((op_row(op_at(t->p, o)->code)->traits & TRAIT_FUNCTION) &&
        region_block(t->p, op_region(t->p, o, 0)))
      VEC_PUSH(&t->arena, &old, o);
  for (uint32_t i = 0; i < old.count; i++) TRY(put_function(t, old.items[i]));
  for (uint32_t i = 0; i < old.count; i++) op_erase(t->p, old.items[i]);
  return NULL;
}

Status *global_to_local(Program *program, ShardingTable *table, const GlobalToLocalOptions *options,
                        Guard *guard, Diag *diag) {
  static const GlobalToLocalOptions defaults = {0};
  Lowering t = {.p = program,
                .table = table,
                .context = program->context,
                .guard = guard,
                .diag = diag,
                .options = options ? options : &defaults};
  arena_init(&t.arena, guard);
  arena_init(&t.scratch, guard);
  t.local = (Builder){
      .p = program, .pos = POS_NONE, .table = table, .arena = &t.scratch, .kept = &t.arena};
  GuardCleanup cleanup = {release, &t, NULL};
  guard_push(guard, &cleanup);
  Status *status = lower(&t);
  guard_pop(guard, &cleanup);
  release(&t);
  return status;
}
