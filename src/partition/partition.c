// Functions are written anew beside the old ones, op by op in program order, then the old ones go.
// For each value there is a local one and the sharding it has; an op's operands are brought to the
// sharding that its factors ask for, the op is copied with local types, and its results are brought
// to the shardings they are to have.
//
// Which axes split which factor: those the results want, then those the operands have, larger
// tensors first; an axis splits one factor only. Only factors that pass through or reduce by a
// plain combiner are split; the rest of the op gets whole dimensions. A copied op is checked
// against its own rule with the local types: attributes that speak of sizes then show, and the op
// is done whole.
#include "partition/partition.h"

#include <stdlib.h>
#include <string.h>

#include "ops/factors.h"
#include "ops/infer.h"
#include "ops/localize.h"
#include "partition/reshard_local.h"
#include "propagate/propagate.h"
#include "sharding/project.h"

typedef struct Part {
  ValueId value;  // 0 = not there yet
  Sharding sharding;
} Part;

typedef struct Partition {
  Program *p;
  ShardingTable *table;
  Context *context;
  Guard *guard;
  Diag *diag;
  Arena arena, scratch;
  Propagation *given;
  const Graph *graph;
  InstanceId instance;  // of the function at hand
  MeshId mesh;
  Local local;
  SymbolTable functions;  // the global ones
  Part *parts;            // per global value
  uint32_t n_values;
} Partition;

static void release(void *object) {
  Partition *t = object;
  propagation_free(t->given);
  symbols_deinit(&t->functions);
  arena_deinit(&t->arena);
  arena_deinit(&t->scratch);
}

static Status *unimplemented(Partition *t, OpId op, const char *what) {
  diag_error(t->diag, op_at(t->p, op)->pos, "'%s' op %s: this cannot be partitioned yet",
             op_name(t->p, op), what);
  FAIL(UNIMPLEMENTED, "'%s' op %s: this cannot be partitioned yet", op_name(t->p, op), what);
}

// ---- shardings ----

// Axes of dimensions and what is unreduced; nothing about the future.
static Sharding plain(Partition *t, Sharding sharding) {
  if (!sharding) return 0;
  const ShardingInfo *info = sharding_info(t->table, sharding);
  DimSharding *dims = ARENA_ARRAY(&t->scratch, DimSharding, info->rank + 1);
  bool any = info->unreduced.n > 0;
  for (uint32_t d = 0; d < info->rank; d++) {
    dims[d] = (DimSharding){info->dims[d].factors, info->dims[d].n_factors, false, PRIORITY_NONE};
    any |= sharding_tiles(info, d) > 1;
  }
  if (!any) return 0;
  ShardingInfo made = {.mesh = t->mesh,
                       .rank = info->rank,
                       .dims = dims,
                       .unreduced = info->unreduced,
                       .reducer = info->reducer};
  return sharding_intern(t->table, &made);
}

// Elements that are quantized by their place in a dimension mean nothing elsewhere, and no op moves
// them; tensors of unknown size have no tiles, buffers are not values: such things stay whole.
static bool is_movable(const Partition *t, Type type) {
  const QuantInfo *quant = type_quant_info(t->context, type);
  return (!quant || quant->axis < 0) && type_is_static(t->context, type) &&
         type_info(t->context, type)->kind != TYPE_MEMREF;
}

static Sharding place_sharding(Partition *t, PlaceId place) {
  const Given *given = place ? propagation_given(t->given, place) : NULL;
  return given && is_movable(t, t->graph->places[place].type) ? plain(t, given->sharding) : 0;
}

static Sharding wanted(Partition *t, ValueId v) {
  return place_sharding(t, graph_place(t->graph, t->instance, v));
}

// Groups name their devices one by one.
enum { MOST_DEVICES = 1 << 20 };

static Status *find_mesh(Partition *t) {
  for (PlaceId i = 1; i < t->graph->n_places; i++) {
    const Given *given = propagation_given(t->given, i);
    if (!given) continue;
    MeshId id = sharding_info(t->table, given->sharding)->mesh;
    const Mesh *mesh = sharding_mesh(t->table, id);
    const char *wrong =
        mesh->maximal                                   ? "a sharding on a single device"
        : !sharding_is_block(t->table, given->sharding) ? "a strided sharding"
        : t->mesh && mesh->n_axes && !mesh_equal(sharding_mesh(t->table, t->mesh), mesh)
            ? "a second mesh"
        : mesh->n_devices > MOST_DEVICES ? "a mesh of more than 1048576 devices"
                                         : NULL;
    if (wrong) {
      diag_error(t->diag, given->pos, "%s: this cannot be partitioned yet", wrong);
      FAIL(UNIMPLEMENTED, "%s: this cannot be partitioned yet", wrong);
    }
    if (!t->mesh && mesh->n_axes) t->mesh = id;
  }
  return NULL;
}

static Type part_type(Partition *t, Sharding sharding, Type global) {
  return local_type(t->table, sharding, global);
}

// The local value of a global one with the sharding asked for.
static Status *get(Partition *t, ValueId v, Sharding sharding, ValueId *out) {
  Part part = t->parts[v];
  if (part.sharding == sharding) {
    *out = part.value;
    return NULL;
  }
  return local_reshard(&t->local, part.value, part.sharding, sharding, value_type(t->p, v), out);
}

static void set(Partition *t, ValueId v, ValueId local, Sharding sharding) {
  t->parts[v] = (Part){local, sharding};
}

// Results come with one sharding and are to have another.
static Status *finish(Partition *t, ValueId v, ValueId local, Sharding has) {
  Sharding want = wanted(t, v);
  if (has != want) TRY(local_reshard(&t->local, local, has, want, value_type(t->p, v), &local));
  set(t, v, local, want);
  return NULL;
}

// ---- which axes split which factor ----

typedef struct Proposal {
  uint32_t tensor;
  bool result;
  double bytes;
} Proposal;

static int proposal_compare(const void *x, const void *y) {
  const Proposal *a = x, *b = y;
  if (a->result != b->result) return a->result ? -1 : 1;
  if (a->bytes != b->bytes) return a->bytes > b->bytes ? -1 : 1;
  return (a->tensor > b->tensor) - (a->tensor < b->tensor);
}

// What can be proposed at all; an op's `splits` takes back the rest.
static bool can_split(const Partition *t, OpId op, const FactorMap *m, uint32_t f) {
  const Factor *factor = &m->factors[f];
  if (factor->size <= 1) return false;
  const OpDef *def = op_row(op_at(t->p, op)->code)->def;
  if (factor->kinds == FACTOR_PASS || (def && def->splits && !m->custom)) return true;
  return factor->kinds == FACTOR_REDUCE && combine_is_plain((Combine)factor->combine);
}

static bool is_taken(const FactorSplit *splits, uint32_t n, AxisRef axis) {
  for (uint32_t f = 0; f < n; f++)
    for (uint32_t i = 0; i < splits[f].axes.n; i++) {
      AxisRef other = splits[f].axes.v[i];
      if (axis_overlaps(other, axis) || !axis_can_coexist(other, axis)) return true;
    }
  return false;
}

// Drops what a dimension could not say: a minor factor behind one that is not cut to pieces, or
// sizes that do not divide where several factors make a dimension or an op fails on some values.
static void make_sayable(const FactorMap *m, bool fails, FactorSplit *splits) {
  for (bool again = true; again;) {
    again = false;
    for (uint32_t f = 0; f < m->n_factors; f++)
      if (splits[f].axes.n && fails && m->factors[f].size % axes_size(splits[f].axes))
        splits[f].axes.n = 0, again = true;
    for (uint32_t t = 0; t < factor_map_n_tensors(m); t++)
      for (uint32_t d = 0; d < factor_map_rank(m, t); d++) {
        FactorList list = factor_map_dim(m, t, d);
        bool full = true;
        for (uint32_t i = 0; i < list.n; i++) {
          AxisList *axes = &splits[list.v[i]].axes;
          int64_t size = m->factors[list.v[i]].size;
          if (axes->n && (!full || (list.n > 1 && size % axes_size(*axes)))) {
            axes->n = 0;
            again = true;
          }
          if (size > 1 && axes_size(*axes) != size) full = false;
        }
      }
  }
}

// All reductions must combine alike: one reducer per value.
static void make_one_reducer(const FactorMap *m, FactorSplit *splits) {
  Combine one = COMBINE_NONE;
  for (uint32_t f = 0; f < m->n_factors; f++) {
    if (!splits[f].axes.n || !splits[f].parts) continue;
    if (one == COMBINE_NONE) one = splits[f].parts;
    if (one != splits[f].parts) splits[f].axes.n = 0;
  }
}

static ValueId tensor_value(const Partition *t, OpId op, const FactorMap *m, uint32_t i) {
  return i < m->n_operands ? op_operand(t->p, op, i) : op_result(t->p, op, i - m->n_operands);
}

static void choose(Partition *t, OpId op, Localizer *cx) {
  const FactorMap *m = cx->map;
  FactorSplit *splits = cx->splits;
  uint32_t n = factor_map_n_tensors(m);
  Proposal *order = ARENA_ARRAY(&t->scratch, Proposal, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    Type type = value_type(t->p, tensor_value(t, op, m, i));
    int64_t count = 0;
    type_count(t->context, type, &count);
    order[i] = (Proposal){i, i >= m->n_operands, (double)count};
  }
  qsort(order, n, sizeof *order, proposal_compare);
  FactorAxes *axes = ARENA_ARRAY(&t->scratch, FactorAxes, m->n_factors + 1);
  for (uint32_t k = 0; k < n; k++) {
    ValueId v = tensor_value(t, op, m, order[k].tensor);
    Sharding sharding = order[k].result ? wanted(t, v) : t->parts[v].sharding;
    if (!sharding) continue;
    project_tensor(t->table, m, order[k].tensor, sharding, sharding_mesh(t->table, t->mesh),
                   &t->scratch, axes);
    for (uint32_t f = 0; f < m->n_factors; f++) {
      if (!axes[f].present || splits[f].axes.n || !can_split(t, op, m, f)) continue;
      AxisRef *taken = ARENA_ARRAY(&t->scratch, AxisRef, axes[f].axes.n + 1);
      uint32_t count = 0;
      for (uint32_t i = 0; i < axes[f].axes.n; i++) {
        if (is_taken(splits, m->n_factors, axes[f].axes.v[i])) break;
        taken[count++] = axes[f].axes.v[i];
      }
      splits[f].axes = (AxisList){taken, count};
    }
  }
  const OpDef *def = op_row(op_at(t->p, op)->code)->def;
  make_sayable(m, def && def->fails, splits);
  if (def && def->splits && !m->custom) def->splits(cx);
  make_one_reducer(m, splits);
}

// The sharding of a tensor whose factors are split so.
static Sharding tensor_sharding(Partition *t, const Localizer *cx, uint32_t tensor) {
  const FactorMap *m = cx->map;
  uint32_t rank = factor_map_rank(m, tensor), most = 1;
  for (uint32_t f = 0; f < m->n_factors; f++) most += cx->splits[f].axes.n;
  DimSharding *dims = ARENA_ARRAY(&t->scratch, DimSharding, rank + 1);
  bool any = false;
  for (uint32_t d = 0; d < rank; d++) {
    ShardFactor *factor = ARENA_NEW(&t->scratch, ShardFactor);
    *factor = (ShardFactor){0, localize_axes(cx, tensor, d)};
    dims[d] = (DimSharding){factor, 1, false, PRIORITY_NONE};
    any |= factor->axes.n > 0;
  }
  ShardingInfo info = {.mesh = t->mesh, .rank = rank, .dims = dims};
  for (uint32_t f = 0; tensor >= m->n_operands && f < m->n_factors; f++) {
    if (*localize_has(cx, tensor, f) || !cx->splits[f].axes.n || !cx->splits[f].parts) continue;
    info.unreduced = axes_concat(&t->scratch, info.unreduced, cx->splits[f].axes);
    info.reducer = cx->splits[f].parts;
  }
  return any || info.unreduced.n ? plain(t, sharding_intern(t->table, &info)) : 0;
}

// ---- ops ----

// Copies an op onto local operands.
static OpId copy_plain(Partition *t, OpId op, const ValueId *operands, Attr attrs,
                       const Type *types) {
  const Op *o = op_at(t->p, op);
  OpSpec spec = {.code = o->code,
                 .name = o->name,
                 .n_operands = o->n_operands,
                 .operands = operands,
                 .n_results = o->n_results,
                 .result_types = types,
                 .attrs = attrs,
                 .loc = o->loc,
                 .pos = o->pos};
  return op_create(t->p, &spec);
}

// The same with its regions. What these take from outside must be whole. O(values), so only for ops
// that have some.
static Status *copy_regions(Partition *t, OpId op, const ValueId *operands, const Type *types,
                            OpId *out) {
  VEC(ValueId) outside = {0};
  for (OpId o = op_walk_next(t->p, op, op); o; o = op_walk_next(t->p, o, op))
    for (uint32_t i = 0; i < op_at(t->p, o)->n_operands; i++) {
      ValueId v = op_operand(t->p, o, i);
      if (v < t->n_values && t->parts[v].value) VEC_PUSH(&t->scratch, &outside, v);
    }
  ValueId *locals = ARENA_ARRAY(&t->scratch, ValueId, outside.count + 1);
  for (uint32_t i = 0; i < outside.count; i++) TRY(get(t, outside.items[i], 0, &locals[i]));
  uint32_t n = t->p->values.count;
  ValueId *map = ARENA_ARRAY(&t->scratch, ValueId, n);
  for (uint32_t i = 0; i < outside.count; i++) map[outside.items[i]] = locals[i];
  OpId copy = op_clone(t->p, op, map, n);
  Op *o = op_at(t->p, copy);
  for (uint32_t i = 0; i < o->n_operands; i++) operand_set(t->p, o->operands + i, operands[i]);
  for (uint32_t i = 0; i < o->n_results; i++) value_at(t->p, o->results + i)->type = types[i];
  *out = copy;
  return NULL;
}

static Status *copy_op(Partition *t, OpId op, const ValueId *operands, Attr attrs,
                       const Type *types, OpId *out) {
  OpId copy = 0;
  if (op_at(t->p, op)->n_regions)
    TRY(copy_regions(t, op, operands, types, &copy));
  else
    copy = copy_plain(t, op, operands, attrs, types);
  op_at(t->p, copy)->attrs = attrs;
  op_at(t->p, copy)->origin = op;
  if (attr_get(t->context, op_at(t->p, copy)->attrs, "sdy.sharding"))
    op_set_attr(t->p, copy, "sdy.sharding", 0);
  op_append(t->p, t->local.block, copy);
  *out = copy;
  return NULL;
}

// Does the op mean the same with these types?
static bool types_hold(Partition *t, OpId op, const Type *types) {
  const OpDef *def = op_row(op_at(t->p, op)->code)->def;
  if (!def || !def->infer) return true;
  Diag diag;
  diag_init(&diag, t->guard, t->p->source);
  bool good = op_infer_types(t->p, op, &diag);
  diag_deinit(&diag);
  for (uint32_t i = 0; i < op_at(t->p, op)->n_results; i++) {
    good = good && value_type(t->p, op_result(t->p, op, i)) == types[i];
    value_at(t->p, op_result(t->p, op, i))->type = types[i];
  }
  return good;
}

// What localize_copy does: an op on tiles, which must mean the same with their types.
static Status *copy_local(Localizer *cx, const ValueId *operands, Attr attrs, const Type *types,
                          ValueId *out) {
  Partition *t = cx->user;
  OpId copy;
  TRY(copy_op(t, cx->op, operands, attrs, types, &copy));
  if (!types_hold(t, copy, types)) FAIL(FAILED_PRECONDITION, "the op has no meaning on tiles");
  for (uint32_t i = 0; i < op_at(t->p, copy)->n_results; i++) out[i] = op_result(t->p, copy, i);
  return NULL;
}

// Take back everything since.
static void erase_after(Partition *t, OpId last) {
  for (OpId o = block_at(t->p, t->local.block)->last, prev; o != last; o = prev) {
    prev = op_at(t->p, o)->prev;
    op_erase(t->p, o);
  }
}

static Status *put_split(Partition *t, Localizer *cx, bool *out_done) {
  const FactorMap *m = cx->map;
  const OpDef *def = op_row(op_at(t->p, cx->op)->code)->def;
  ValueId *in = ARENA_ARRAY(&t->scratch, ValueId, m->n_operands + 1);
  Sharding *in_as = ARENA_ARRAY(&t->scratch, Sharding, m->n_operands + 1);
  Sharding *out_as = ARENA_ARRAY(&t->scratch, Sharding, m->n_results + 1);
  Type *types = ARENA_ARRAY(&t->scratch, Type, m->n_results + 1);
  OpId last = block_at(t->p, t->local.block)->last;
  for (uint32_t i = 0; i < m->n_operands; i++) {
    in_as[i] = tensor_sharding(t, cx, i);
    TRY(get(t, op_operand(t->p, cx->op, i), in_as[i], &in[i]));
  }
  for (uint32_t i = 0; i < m->n_results; i++) {
    out_as[i] = tensor_sharding(t, cx, m->n_operands + i);
    types[i] = part_type(t, out_as[i], op_result_type(t->p, cx->op, i));
  }
  cx->in = in;
  cx->in_as = in_as;
  cx->out_as = out_as;
  cx->out_types = types;
  cx->out = ARENA_ARRAY(&t->scratch, ValueId, m->n_results + 1);
  Status *status = def && def->localize && !m->custom ? def->localize(cx) : localize_plain(cx);
  if (status) {
    if (status_code(status) != FAILED_PRECONDITION) return status;
    status_free(status);
    erase_after(t, last);
    *out_done = false;
    return NULL;
  }
  for (uint32_t i = 0; i < m->n_results; i++)
    TRY(finish(t, op_result(t->p, cx->op, i), cx->out[i], out_as[i]));
  *out_done = true;
  return NULL;
}

// With whole operands; what the op makes is whole.
static Status *put_whole(Partition *t, OpId op) {
  uint32_t n_operands = op_at(t->p, op)->n_operands, n_results = op_at(t->p, op)->n_results;
  ValueId *operands = ARENA_ARRAY(&t->scratch, ValueId, n_operands + 1);
  Type *types = ARENA_ARRAY(&t->scratch, Type, n_results + 1);
  for (uint32_t i = 0; i < n_operands; i++) TRY(get(t, op_operand(t->p, op, i), 0, &operands[i]));
  for (uint32_t i = 0; i < n_results; i++) types[i] = op_result_type(t->p, op, i);
  OpId copy;
  TRY(copy_op(t, op, operands, op_at(t->p, op)->attrs, types, &copy));
  for (uint32_t i = 0; i < n_results; i++)
    TRY(finish(t, op_result(t->p, op, i), op_result(t->p, copy, i), 0));
  return NULL;
}

static bool must_be_whole(const Partition *t, OpId op) {
  const Op *o = op_at(t->p, op);
  bool whole = (op_traits(t->p, op) & TRAIT_SIZED_BY_VALUES) != 0;
  for (uint32_t i = 0; i < o->n_operands; i++)
    whole |= !is_movable(t, op_operand_type(t->p, op, i));
  for (uint32_t i = 0; i < o->n_results; i++) whole |= !is_movable(t, op_result_type(t->p, op, i));
  return whole;
}

static void localizer_init(Partition *t, OpId op, const FactorMap *m, Localizer *cx) {
  uint32_t n = factor_map_n_tensors(m);
  *cx = (Localizer){.local = &t->local,
                    .program = t->p,
                    .context = t->context,
                    .op = op,
                    .map = m,
                    .splits = ARENA_ARRAY(&t->scratch, FactorSplit, m->n_factors + 1),
                    .has = ARENA_ARRAY(&t->scratch, bool, (size_t)n * m->n_factors + 1),
                    .copy = copy_local,
                    .user = t};
  for (uint32_t f = 0; f < m->n_factors; f++)
    if (m->factors[f].kinds & FACTOR_REDUCE && combine_is_plain((Combine)m->factors[f].combine))
      cx->splits[f].parts = (Combine)m->factors[f].combine;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t d = 0; d < factor_map_rank(m, i); d++) {
      FactorList list = factor_map_dim(m, i, d);
      for (uint32_t k = 0; k < list.n; k++) *localize_has(cx, i, list.v[k]) = true;
    }
}

static Status *split_op(Partition *t, OpId op) {
  FactorMap m;
  bool done = false;
  if (t->mesh && !must_be_whole(t, op) && op_factors(t->p, op, NULL, &t->scratch, &m)) {
    Localizer cx;
    localizer_init(t, op, &m, &cx);
    choose(t, op, &cx);
    TRY(put_split(t, &cx, &done));
  }
  return done ? NULL : put_whole(t, op);
}

// ---- control flow ----

static Status *walk_block(Partition *t, BlockId block);

// The terminator's operands in the shardings that their targets have.
static Status *put_terminator(Partition *t, OpId op, const Sharding *targets) {
  const uint32_t n = op_at(t->p, op)->n_operands;
  ValueId *operands = ARENA_ARRAY(&t->scratch, ValueId, n + 1);
  for (uint32_t i = 0; i < n; i++)
    TRY(get(t, op_operand(t->p, op, i), targets ? targets[i] : 0, &operands[i]));
  OpSpec spec = {.code = op_at(t->p, op)->code,
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
static Status *put_region(Partition *t, RegionId from, RegionId to, const Sharding *targets) {
  BlockId source = region_block(t->p, from);
  if (!source) return NULL;
  BlockId outer = t->local.block, block = region_add_block(t->p, to);
  for (uint32_t i = 0; i < block_at(t->p, source)->n_args; i++) {
    ValueId v = block_arg(t->p, source, i);
    Sharding sharding = wanted(t, v);
    set(t, v, block_add_arg(t->p, block, part_type(t, sharding, value_type(t->p, v)), 0), sharding);
  }
  t->local.block = block;
  TRY(walk_block(t, source));
  OpId last = block_at(t->p, source)->last;
  if (last && (op_row(op_at(t->p, last)->code)->traits & TRAIT_TERMINATOR))
    TRY(put_terminator(t, last, targets));
  t->local.block = outer;
  return NULL;
}

static Status *put_flow(Partition *t, OpId op, Flow flow) {
  const Op *o = op_at(t->p, op);
  uint32_t n_operands = o->n_operands, n_results = o->n_results, n_regions = o->n_regions;
  ValueId *operands = ARENA_ARRAY(&t->scratch, ValueId, n_operands + 1);
  Sharding *targets = ARENA_ARRAY(&t->scratch, Sharding, n_results + 1);
  Type *types = ARENA_ARRAY(&t->scratch, Type, n_results + 1);
  for (uint32_t i = 0; i < n_results; i++) {
    targets[i] = wanted(t, op_result(t->p, op, i));
    types[i] = part_type(t, targets[i], op_result_type(t->p, op, i));
  }
  bool carries = flow == FLOW_LOOP || flow == FLOW_EACH;
  for (uint32_t i = 0; i < n_operands; i++)
    TRY(get(t, op_operand(t->p, op, i), carries && i < n_results ? targets[i] : 0, &operands[i]));
  Attr attrs = op_at(t->p, op)->attrs;
  if (attr_get(t->context, attrs, "sdy.sharding"))
    attrs = attr_dict_with(t->context, attrs, "sdy.sharding", 0);
  OpSpec spec = {.code = op_at(t->p, op)->code,
                 .n_operands = n_operands,
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
    TRY(put_region(t, op_region(t->p, op, r), op_region(t->p, made, r), returns ? targets : NULL));
  }
  for (uint32_t i = 0; i < n_results; i++)
    set(t, op_result(t->p, op, i), op_result(t->p, made, i), targets[i]);
  return NULL;
}

// A computation that only has a name: its body is written in its place.
static Status *put_body(Partition *t, OpId op) {
  BlockId block = region_block(t->p, op_region(t->p, op, 0));
  for (uint32_t i = 0; i < op_at(t->p, op)->n_operands; i++) {
    ValueId v = block_arg(t->p, block, i), local;
    Sharding sharding = wanted(t, v);
    TRY(get(t, op_operand(t->p, op, i), sharding, &local));
    set(t, v, local, sharding);
  }
  TRY(walk_block(t, block));
  OpId last = block_at(t->p, block)->last;
  for (uint32_t i = 0; i < op_at(t->p, op)->n_results; i++) {
    Part part = t->parts[op_operand(t->p, last, i)];
    TRY(finish(t, op_result(t->p, op, i), part.value, part.sharding));
  }
  return NULL;
}

static Status *put_call(Partition *t, OpId op, OpId callee) {
  InstanceId to = graph_instance_of(t->graph, callee);
  uint32_t n_operands = op_at(t->p, op)->n_operands, n_results = op_at(t->p, op)->n_results;
  BlockId block = region_block(t->p, op_region(t->p, callee, 0));
  ValueId *operands = ARENA_ARRAY(&t->scratch, ValueId, n_operands + 1);
  Type *types = ARENA_ARRAY(&t->scratch, Type, n_results + 1);
  Sharding *has = ARENA_ARRAY(&t->scratch, Sharding, n_results + 1);
  for (uint32_t i = 0; i < n_operands; i++) {
    PlaceId place = graph_place(t->graph, to, block_arg(t->p, block, i));
    TRY(get(t, op_operand(t->p, op, i), place_sharding(t, place), &operands[i]));
  }
  for (uint32_t i = 0; i < n_results; i++) {
    has[i] = place_sharding(t, graph_result_place(t->graph, to, i));
    types[i] = part_type(t, has[i], op_result_type(t->p, op, i));
  }
  OpId copy;
  TRY(copy_op(t, op, operands, op_at(t->p, op)->attrs, types, &copy));
  for (uint32_t i = 0; i < n_results; i++)
    TRY(finish(t, op_result(t->p, op, i), op_result(t->p, copy, i), has[i]));
  return NULL;
}

// ---- the walk ----

static Status *put_op(Partition *t, OpId op) {
  const Op *o = op_at(t->p, op);
  const OpRow *row = op_row(o->code);
  Flow flow = row->def ? row->def->flow : FLOW_NONE;
  t->local.origin = op;
  switch (o->code) {
  case OP_sdy_sharding_group: return NULL;
  case OP_sdy_sharding_constraint:
  case OP_sdy_reshard:
  case OP_sdy_propagation_barrier:
  case OP_sdy_data_flow_edge:
  case OP_sdy_func_data_flow_edge: {
    Part part = t->parts[op_operand(t->p, op, 0)];
    return finish(t, op_result(t->p, op, 0), part.value, part.sharding);
  }
  case OP_partition_id:
  case OP_replica_id: return unimplemented(t, op, "asks which device it runs on");
  default: break;
  }
  if (flow == FLOW_BODY)
    return op_attr(t->p, op, "manual_axes") ? unimplemented(t, op, "has manual axes")
                                            : put_body(t, op);
  if (row->traits & TRAIT_COLLECTIVE) return unimplemented(t, op, "exchanges between devices");
  if (op_is_check(t->p, op)) {  // holds on every device or not at all: looks at whole values
    return put_whole(t, op);
  }
  if (flow) return put_flow(t, op, flow);
  Attr symbol = op_attr(t->p, op, o->code == OP_composite ? "decomposition" : "callee");
  OpId callee = symbol ? symbols_find(&t->functions, attr_as_name(t->context, symbol)) : 0;
  if (callee && region_block(t->p, op_region(t->p, callee, 0))) return put_call(t, op, callee);
  if (op_has_effects(t->p, op)) return unimplemented(t, op, "has side effects");
  return split_op(t, op);
}

static Status *walk_block(Partition *t, BlockId block) {
  for (OpId op = block_at(t->p, block)->first; op; op = op_at(t->p, op)->next) {
    if (op_row(op_at(t->p, op)->code)->traits & TRAIT_TERMINATOR) break;
    ArenaMark mark = arena_mark(&t->scratch);
    TRY(put_op(t, op));
    arena_rewind(&t->scratch, mark);
  }
  return NULL;
}

// What an argument or result is a part of.
static Attr edge_attrs(Partition *t, Attr dict, Type global, Sharding sharding) {
  dict = attr_dict_with(t->context, dict, "sdy.sharding", 0);
  dict = attr_dict_with(t->context, dict, "mhlo.sharding", 0);
  if (!sharding) return dict;
  Attr attr;
  Status *status = sharding_to_attr(t->table, sharding, &attr);
  if (status) {
    status_free(status);
    return dict;
  }
  dict = attr_dict_with(t->context, dict, "tessera.global", attr_type(t->context, global));
  return attr_dict_with(t->context, dict, "tessera.sharding", attr);
}

static Attr edges_attr(Partition *t, OpId function, const char *name, uint32_t n,
                       const Type *globals, const Sharding *shardings) {
  const AttrInfo *old = attr_info(t->context, op_attr(t->p, function, name));
  uint32_t n_old = old->kind == ATTR_ARRAY ? old->count : 0;
  Attr *items = ARENA_ARRAY(&t->scratch, Attr, n + 1);
  bool any = false;
  for (uint32_t i = 0; i < n; i++) {
    Attr was = i < n_old ? attr_info(t->context, op_attr(t->p, function, name))->items[i] : 0;
    items[i] = edge_attrs(t, was, globals[i], shardings[i]);
    any |= items[i] && attr_info(t->context, items[i])->count > 0;
    if (!items[i]) items[i] = attr_intern(t->context, &(AttrInfo){.kind = ATTR_DICT});
  }
  return any ? attr_array(t->context, n, items) : 0;
}

// What nobody asked for after all: the device's place, constants.
static void drop_unused(Partition *t, BlockId block) {
  for (OpId o = block_at(t->p, block)->last, prev; o; o = prev) {
    prev = op_at(t->p, o)->prev;
    bool used = !(op_row(op_at(t->p, o)->code)->traits & TRAIT_PURE);
    for (uint32_t i = 0; i < op_at(t->p, o)->n_results; i++)
      used |= value_has_uses(t->p, op_result(t->p, o, i));
    if (!used) op_erase(t->p, o);
  }
}

static Status *put_function(Partition *t, OpId function) {
  BlockId source = region_block(t->p, op_region(t->p, function, 0));
  if (!source) return NULL;
  t->instance = graph_instance_of(t->graph, function);
  if (!t->instance) return NULL;
  const TypeInfo *type =
      type_info(t->context, attr_info(t->context, op_attr(t->p, function, "function_type"))->type);
  uint32_t n_args = type->n_inputs, n_results = type->n_items - type->n_inputs;
  Type *locals = ARENA_ARRAY(&t->scratch, Type, type->n_items + 1);
  Sharding *shardings = ARENA_ARRAY(&t->scratch, Sharding, type->n_items + 1);
  for (uint32_t i = 0; i < type->n_items; i++) {
    PlaceId place = i < n_args ? graph_place(t->graph, t->instance, block_arg(t->p, source, i))
                               : graph_result_place(t->graph, t->instance, i - n_args);
    shardings[i] = place_sharding(t, place);
    locals[i] = part_type(t, shardings[i], type->items[i]);
  }
  Attr attrs = op_at(t->p, function)->attrs;
  attrs = attr_dict_with(
      t->context, attrs, "function_type",
      attr_type(t->context, type_function(t->context, n_args, locals, n_results, locals + n_args)));
  attrs = attr_dict_with(t->context, attrs, "arg_attrs",
                         edges_attr(t, function, "arg_attrs", n_args, type->items, shardings));
  attrs = attr_dict_with(
      t->context, attrs, "res_attrs",
      edges_attr(t, function, "res_attrs", n_results, type->items + n_args, shardings + n_args));
  OpSpec spec = {.code = op_at(t->p, function)->code,
                 .n_regions = 1,
                 .attrs = attrs,
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
  t->local.position = 0;
  if (t->mesh) local_position(&t->local);  // seen from everywhere in the function
  TRY(walk_block(t, source));
  OpId last = block_at(t->p, source)->last;
  if (last) TRY(put_terminator(t, last, shardings + n_args));
  drop_unused(t, block);
  return NULL;
}

static Status *put_functions(Partition *t) {
  BlockId top = region_block(t->p, op_region(t->p, t->p->root, 0));
  VEC(OpId) old = {0};
  for (OpId o = block_at(t->p, top)->first; o; o = op_at(t->p, o)->next)
    if (op_row(op_at(t->p, o)->code)->traits & TRAIT_FUNCTION) VEC_PUSH(&t->arena, &old, o);
  for (uint32_t i = 0; i < old.count; i++) {
    ArenaMark mark = arena_mark(&t->scratch);
    TRY(put_function(t, old.items[i]));
    arena_rewind(&t->scratch, mark);
  }
  for (uint32_t i = 0; i < old.count; i++) {
    bool has_body = region_block(t->p, op_region(t->p, old.items[i], 0)) != 0;
    if (has_body && graph_instance_of(t->graph, old.items[i])) op_erase(t->p, old.items[i]);
  }
  for (OpId o = block_at(t->p, top)->first, next; o; o = next) {
    next = op_at(t->p, o)->next;
    if (op_at(t->p, o)->code == OP_sdy_mesh) op_erase(t->p, o);
  }
  return NULL;
}

static Status *partition(Partition *t, const PartitionOptions *options) {
  PropagateOptions given = {0};
  TRY(propagation_new(t->p, t->table, &given, t->guard, t->diag, &t->given));
  t->graph = propagation_graph(t->given);
  TRY(propagation_read(t->given, t->diag));
  TRY(find_mesh(t));
  symbols_init(&t->functions, t->p, t->p->root, t->guard);
  t->n_values = t->p->values.count;
  t->parts = ARENA_ARRAY(&t->arena, Part, t->n_values + 1);
  t->local = (Local){.p = t->p,
                     .table = t->table,
                     .network = options && options->network ? options->network : &network_default,
                     .arena = &t->scratch,
                     .kept = &t->arena,
                     .mesh = t->mesh,
                     .poison = options && options->poison};
  return put_functions(t);
}

Status *partition_program(Program *program, ShardingTable *table, const PartitionOptions *options,
                          Guard *guard, Diag *diag, MeshId *out_mesh) {
  Partition t = {
      .p = program, .table = table, .context = program->context, .guard = guard, .diag = diag};
  arena_init(&t.arena, guard);
  arena_init(&t.scratch, guard);
  GuardCleanup cleanup = {release, &t, NULL};
  guard_push(guard, &cleanup);
  Status *status = partition(&t, options);
  if (!status) *out_mesh = t.mesh;
  guard_pop(guard, &cleanup);
  release(&t);
  return status;
}
