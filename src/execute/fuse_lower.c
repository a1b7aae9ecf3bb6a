// The loop of a group: accesses, steps, passes; and its kernel.
//
// Dimensions of the iteration space become, in this order: grid dimensions that are kept, grid
// dimensions that column reductions reduce, dimensions of the row. Without row reductions the row
// is the innermost dimension. Neighbours of one kind are merged if all accesses allow it, which
// makes rows long. O(ops * rank).
#include <assert.h>
#include <string.h>

#include "execute/fuse_private.h"
#include "tensor/lanes.h"

enum { INDEX_BUFFER = UINT16_MAX };

typedef struct Lower {
  Fuser *f;
  Program *p;
  Arena *arena;
  uint32_t g;
  const Group *group;
  VEC(LoopStep) steps;
  VEC(LoopAccess) accesses;  // strides per iteration dimension in .grid, until finish_space
  VEC(ValueId) in, out;
  Loop loop;
} Lower;

// ---- calls of an op's function over lanes ----

// A chunk of register values as lanes; 16-bit floats are f32 in registers.
static void call_run(const void *data, int64_t n, const void *const *in, void *out) {
  const PointwiseCall *call = data;
  LaneBuffer lanes[POINTWISE_ARITY], results;
  const void *args[POINTWISE_ARITY];
  DType to = loop_register(call->out);
  for (uint32_t i = 0; i < POINTWISE_ARITY; i++) args[i] = &lanes[i < call->n_in ? i : 0];
  for (int64_t at = 0; at < n; at += LANES) {
    int64_t count = n - at < LANES ? n - at : LANES;
    for (uint32_t i = 0; i < call->n_in; i++)
      lanes_load(loop_register(call->in[i]), in[i], at, count, &lanes[i]);
    call->run(call, count, args, &results);
    if (to != call->out) {  // round once, to 16 bits
      uint16_t stored[LANES];
      lanes_store(call->out, stored, 0, count, &results);
      lanes_load(call->out, stored, 0, count, &results);
    }
    lanes_store(to, out, at, count, &results);
  }
}

static const LoopCall *call_of(Lower *x, OpId op) {
  const Op *o = op_at(x->p, op);
  PointwiseCall *call = ARENA_NEW(x->arena, PointwiseCall);
  *call = (PointwiseCall){
      .code = o->code, .attrs = o->attrs, .context = x->p->context, .n_in = o->n_operands};
  for (uint32_t i = 0; i < o->n_operands; i++)
    call->in[i] = fuse_dtype(x->p, op_operand(x->p, op, i));
  call->out = fuse_dtype(x->p, op_result(x->p, op, 0));
  bool prepared = pointwise_prepare(call);
  assert(prepared && "fuse_classify asked for it");
  (void)prepared;
  LoopCall *out = ARENA_NEW(x->arena, LoopCall);
  *out = (LoopCall){.run = call_run, .data = call, .n_in = o->n_operands};
  return out;
}

// ---- steps ----

static uint16_t add_step(Lower *x, LoopStep step) {
  VEC_PUSH(x->arena, &x->steps, step);
  return (uint16_t)(x->steps.count - 1);
}

static uint16_t add_access(Lower *x, const LoopAccess *a) {
  for (uint32_t i = 0; i < x->accesses.count; i++)
    if (memcmp(&x->accesses.items[i], a, sizeof *a) == 0) return (uint16_t)i;
  VEC_PUSH(x->arena, &x->accesses, *a);
  return (uint16_t)(x->accesses.count - 1);
}

static uint16_t input_of(Lower *x, ValueId v) {
  for (uint32_t i = 0; i < x->in.count; i++)
    if (x->in.items[i] == v) return (uint16_t)i;
  VEC_PUSH(x->arena, &x->in, v);
  return (uint16_t)(x->in.count - 1);
}

// The strides of a view in the iteration space, given the op's map.
static LoopAccess access_of(const FuseView *v, const int8_t *map, DType dtype, uint16_t buffer) {
  LoopAccess a;
  memset(&a, 0, sizeof a);  // compared as bytes
  a.buffer = buffer;
  a.dtype = (uint8_t)dtype;
  a.offset = v->base;
  for (uint32_t d = 0; d < v->rank; d++)
    if (map[d] >= 0) a.grid[map[d]] += v->stride[d];
  return a;
}

static uint16_t source_step(Lower *x, ScalarOp op, DType dtype, const LoopAccess *a) {
  uint16_t access = add_access(x, a);
  for (uint32_t i = 0; i < x->steps.count; i++) {
    const LoopStep *s = &x->steps.items[i];
    if (s->op == op && s->access == access && s->dtype == dtype) return (uint16_t)i;
  }
  return add_step(x, (LoopStep){.op = (uint8_t)op, .dtype = (uint8_t)dtype, .access = access});
}

static uint16_t constant_step(Lower *x, DType dtype, uint64_t bits) {
  for (uint32_t i = 0; i < x->steps.count; i++) {
    const LoopStep *s = &x->steps.items[i];
    if (s->op == SCALAR_constant && s->bits == bits && s->dtype == dtype) return (uint16_t)i;
  }
  return add_step(x, (LoopStep){.op = SCALAR_constant, .dtype = (uint8_t)dtype, .bits = bits});
}

static bool is_iota(const Lower *x, const FuseView *v) {
  OpId def = value_def(x->p, v->root);
  return def && x->f->position[def] && x->f->kind[def] == FUSE_IOTA && !v->flat;
}

// The step that gives a viewed value.
static uint16_t step_of(Lower *x, const FuseView *v, const int8_t *map) {
  DType dtype = fuse_dtype(x->p, v->root);
  OpId def = value_def(x->p, v->root);
  uint64_t bits;
  bool inside = def && fuse_group_of(x->f, def) == x->g && !x->f->leaves[v->root];
  if (inside && x->f->step[v->root]) return (uint16_t)(x->f->step[v->root] - 1);
  if (fuse_splat(x->f, v, &bits)) return constant_step(x, dtype, bits);
  if (is_iota(x, v)) {
    int64_t k = attr_as_int(x->p->context, op_attr(x->p, def, "iota_dimension"), 0);
    FuseView along = *v;
    along.base = v->offset[k];
    memcpy(along.stride, v->coef[k], sizeof along.stride);
    LoopAccess a = access_of(&along, map, DT_i64, INDEX_BUFFER);
    return source_step(x, SCALAR_index, dtype, &a);
  }
  LoopAccess a = access_of(v, map, dtype, input_of(x, v->root));
  return source_step(x, SCALAR_load, dtype, &a);
}

static void reduce_step(Lower *x, OpId op, const int8_t *map, const uint16_t *in) {
  ValueId result = op_result(x->p, op, 0);
  DType dtype = fuse_dtype(x->p, result);
  ScalarOp combine = fuse_combine(x->p, op);
  uint32_t reduced = 0;
  Ints along = attr_as_ints(x->p->context, op_attr(x->p, op, "dimensions"));
  for (uint32_t i = 0; i < along.n; i++)
    if (map[along.v[i]] >= 0) reduced |= 1u << map[along.v[i]];
  LoopStep step = {.op = SCALAR_reduce,
                   .dtype = (uint8_t)dtype,
                   .combine = (uint8_t)combine,
                   .in = {in[0]},
                   .init = in[1],
                   .access = LOOP_UNUSED};
  if (reduced && reduced == x->group->column) {
    step.op = SCALAR_column;
    x->f->step[result] = (uint16_t)(add_step(x, step) + 1);
    x->loop.n_columns++;
    return;
  }
  uint16_t value = in[0];
  if (reduced) {
    value = add_step(x, step);
    x->loop.n_rows++;
    if (x->loop.split) {
      x->f->step[result] = (uint16_t)(value + 1);
      return;
    }
  }
  LoopStep last = {.op = (uint8_t)combine,
                   .dtype = (uint8_t)dtype,
                   .from = (uint8_t)dtype,
                   .in = {in[1], value}};
  x->f->step[result] = (uint16_t)(add_step(x, last) + 1);
}

static void op_steps(Lower *x, OpId op) {
  const Op *o = op_at(x->p, op);
  ValueId result = op_result(x->p, op, 0);
  const int8_t *map = x->f->in_map[op];
  uint16_t in[POINTWISE_ARITY] = {0};
  FuseKind kind = (FuseKind)x->f->kind[op];
  DType dtype = fuse_dtype(x->p, result);
  if (kind == FUSE_BROADCAST || kind == FUSE_IOTA) {  // alone: a copy
    FuseView v;
    fuse_operand(x->f, op, 0, &v);
    x->f->step[result] = (uint16_t)(step_of(x, &v, map) + 1);
    return;
  }
  for (uint32_t i = 0; i < o->n_operands; i++) {
    FuseView v;
    fuse_operand(x->f, op, i, &v);
    in[i] = step_of(x, &v, map);
  }
  DType from = fuse_dtype(x->p, op_operand(x->p, op, 0));
  LoopStep step = {.dtype = (uint8_t)dtype, .from = (uint8_t)from, .in = {in[0], in[1], in[2]}};
  switch (kind) {
  case FUSE_REDUCE: reduce_step(x, op, map, in); return;
  case FUSE_POINT: step.op = (uint8_t)fuse_scalar(o->code); break;
  case FUSE_COMPARE: step.op = (uint8_t)fuse_compare(x->p, op); break;
  case FUSE_CLAMP: {
    LoopStep raise = {
        .op = SCALAR_max, .dtype = (uint8_t)dtype, .from = (uint8_t)dtype, .in = {in[1], in[0]}};
    step = (LoopStep){.op = SCALAR_min,
                      .dtype = (uint8_t)dtype,
                      .from = (uint8_t)dtype,
                      .in = {add_step(x, raise), in[2]}};
    break;
  }
  default: step.op = SCALAR_call; step.call = call_of(x, op);
  }
  if (step.op == SCALAR_convert && step.from == step.dtype) {
    x->f->step[result] = (uint16_t)(in[0] + 1);  // keeps NaN payloads
    return;
  }
  x->f->step[result] = (uint16_t)(add_step(x, step) + 1);
}

// ---- results ----

static bool is_output(const Lower *x, ValueId v) {
  if (x->f->loaded[v]) return true;
  for (OperandId u = value_at(x->p, v)->first_use; u; u = operand_at(x->p, u)->next_use) {
    OpId user = operand_at(x->p, u)->user;
    if (!x->f->position[user]) return true;
    if (fuse_group_of(x->f, user) == NO_GROUP && !x->f->dead[user]) return true;
  }
  return false;
}

static LoopAccess result_access(const Lower *x, ValueId v, uint16_t buffer) {
  FuseView view = {.root = v, .rank = fuse_type(x->p, v)->rank};
  int64_t stride = 1;
  for (uint32_t d = view.rank; d-- > 0; stride *= fuse_type(x->p, v)->dims[d])
    view.stride[d] = stride;
  return access_of(&view, x->f->map[v], fuse_dtype(x->p, v), buffer);
}

static void add_store(Lower *x, ValueId v) {
  uint16_t value = (uint16_t)(x->f->step[v] - 1);
  uint16_t buffer = (uint16_t)(0x8000u + x->out.count);  // the number of inputs is added later
  VEC_PUSH(x->arena, &x->out, v);
  LoopAccess a = result_access(x, v, buffer);
  uint16_t access = add_access(x, &a);
  LoopStep *s = &x->steps.items[value];
  if (s->op == SCALAR_column || (s->op == SCALAR_reduce && x->loop.split)) {
    s->access = access;
    return;
  }
  add_step(x, (LoopStep){.op = SCALAR_store,
                         .dtype = (uint8_t)fuse_dtype(x->p, v),
                         .in = {value},
                         .access = access});
}

// ---- the space ----

// Whether dimensions d and e of all accesses, e inside of d, are one.
static bool mergeable(const Lower *x, uint32_t d, uint32_t e) {
  for (uint32_t i = 0; i < x->accesses.count; i++) {
    const LoopAccess *a = &x->accesses.items[i];
    if (a->grid[d] != a->grid[e] * x->group->dims[e]) return false;
  }
  return true;
}

typedef struct Merged {
  uint32_t n;
  uint32_t dim[FUSE_RANK];  // the innermost of each merged run, which has its stride
  int64_t size[FUSE_RANK];
} Merged;

static Merged merge_dims(const Lower *x, uint32_t set) {
  Merged m = {0};
  for (uint32_t d = 0; d < x->group->n_dims; d++) {
    if (!(set >> d & 1)) continue;
    if (m.n && mergeable(x, m.dim[m.n - 1], d)) {
      m.dim[m.n - 1] = d;
      m.size[m.n - 1] *= x->group->dims[d];
    } else {
      m.dim[m.n] = d;
      m.size[m.n++] = x->group->dims[d];
    }
  }
  return m;
}

// Lays out the loop's dimensions and rewrites the accesses.
static void finish_space(Lower *x) {
  const Group *g = x->group;
  Loop *l = &x->loop;
  uint32_t all = (1u << g->n_dims) - 1, inner = g->n_dims ? 1u << (g->n_dims - 1) : 0;
  uint32_t row = g->row ? g->row : inner;
  if (!g->row && !g->column) row = all;  // merged as far as possible; the rest is the grid
  for (uint32_t d = g->n_dims; g->column && !g->row && d-- > 1;) {  // kept dimensions inside
    if (g->column >> (d - 1) & 1 || !mergeable(x, d - 1, d)) break;
    row |= 1u << (d - 1);
  }
  Merged kept = merge_dims(x, all & ~row & ~g->column), columns = merge_dims(x, g->column),
         rows = merge_dims(x, row);
  l->n_grid = 0;
  Merged grid = kept;
  for (uint32_t i = 0; i < columns.n; i++) {
    grid.dim[grid.n] = columns.dim[i];
    grid.size[grid.n++] = columns.size[i];
  }
  l->n_kept = kept.n;
  if (!g->row && !g->column)
    for (uint32_t i = 0; i + 1 < rows.n; i++) {
      grid.dim[grid.n] = rows.dim[i];
      grid.size[grid.n++] = rows.size[i];
    }
  if (!g->column) l->n_kept = grid.n;
  l->n_grid = grid.n;
  memcpy(l->grid, grid.size, sizeof l->grid);
  l->inner = rows.n ? rows.size[rows.n - 1] : 1;
  l->outer = 1;
  l->n_outer = g->row && rows.n ? rows.n - 1 : 0;
  for (uint32_t i = 0; i < l->n_outer; i++) l->outer *= l->outers[i] = rows.size[i];
  for (uint32_t i = 0; i < x->accesses.count; i++) {
    LoopAccess *a = &x->accesses.items[i], old = *a;
    memset(a->grid, 0, sizeof a->grid);
    for (uint32_t k = 0; k < grid.n; k++) a->grid[k] = old.grid[grid.dim[k]];
    for (uint32_t k = 0; k < l->n_outer; k++) a->outers[k] = old.grid[rows.dim[k]];
    a->inner = rows.n ? old.grid[rows.dim[rows.n - 1]] : 0;
    if (a->buffer != INDEX_BUFFER && a->buffer & 0x8000u)
      a->buffer = (uint16_t)(a->buffer - 0x8000u + x->in.count);
  }
}

static bool varies_in_row(const Loop *l, const LoopAccess *a) {
  if (a->inner) return true;
  for (uint32_t d = 0; d < l->n_outer; d++)
    if (a->outers[d]) return true;
  return false;
}

static uint32_t arity(const LoopStep *s) {
  return s->op == SCALAR_call ? s->call->n_in : scalar_op_info((ScalarOp)s->op)->operands;
}

// Levels and passes: the greatest of the operands'; behind a row reduction one pass later.
static void finish_steps(Lower *x) {
  Loop *l = &x->loop;
  bool tiny = l->outer * l->inner == 1;
  for (uint32_t i = 0; i < x->steps.count; i++) {
    LoopStep *s = &x->steps.items[i];
    uint8_t level = s->op == SCALAR_constant ? LOOP_ONCE : LOOP_ROW, pass = 0;
    for (uint32_t k = 0; k < arity(s); k++) {
      const LoopStep *v = &x->steps.items[s->in[k]];
      uint8_t behind = (uint8_t)(v->pass + (v->op == SCALAR_reduce));
      if (v->level > level) level = v->level;
      if (behind > pass) pass = behind;
    }
    if (s->op == SCALAR_load || s->op == SCALAR_index || s->op == SCALAR_store)
      if (varies_in_row(l, &x->accesses.items[s->access])) level = LOOP_ELEMENT;
    if (s->op == SCALAR_column) level = LOOP_ELEMENT;
    if (s->op == SCALAR_reduce) level = LOOP_ROW;
    if (tiny && s->op == SCALAR_store && !l->n_rows) level = LOOP_ROW;
    s->level = level;
    s->pass = pass;
    if (pass + 1u > l->n_passes) l->n_passes = pass + 1u;
    if (s->op == SCALAR_reduce && !l->split && pass + 2u > l->n_passes) l->n_passes = pass + 2u;
  }
}

// ---- the kernel ----

typedef struct FusedData {
  LoopPlan plan;
  uint32_t n_tiles, temp;  // temp: the number of the temporary buffer
} FusedData;

static void run_tile(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  const FusedData *d = kernel->data;
  uint64_t first, last;
  kernel_part(d->plan.items, tile, d->n_tiles, &first, &last);
  loop_run(&d->plan, buffers, d->plan.temp_bytes ? buffers[d->temp] : NULL, first, last, scratch);
}

static void run_finish(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  const FusedData *d = kernel->data;
  (void)tile;
  loop_finish(&d->plan, buffers, buffers[d->temp], scratch);
}

static void run_nothing(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  (void)kernel, (void)buffers, (void)tile, (void)scratch;
}

// An input may be an output's buffer if each of its elements is read for the last time by the step
// that computes the same element of the output, or before.
static bool may_replace(const Lower *x, uint32_t store, uint16_t input) {
  const Loop *l = &x->loop;
  const LoopStep *s = &x->steps.items[store];
  const LoopAccess *to = &x->accesses.items[s->access];
  bool any = false;
  if (l->n_passes != 1 || l->n_columns || l->n_rows) return false;
  for (uint32_t i = 0; i < x->steps.count; i++) {
    const LoopStep *v = &x->steps.items[i];
    if (v->op == SCALAR_load && x->accesses.items[v->access].buffer == input) {
      LoopAccess a = x->accesses.items[v->access];
      a.buffer = to->buffer;
      a.dtype = to->dtype;
      if (memcmp(&a, to, sizeof a) != 0 ||
          dtype_bytes((DType)x->accesses.items[v->access].dtype) != dtype_bytes((DType)to->dtype))
        return false;
      any = true;
      continue;
    }
    for (uint32_t k = 0; k < arity(v); k++) {
      const LoopStep *u = &x->steps.items[v->in[k]];
      if (u->op == SCALAR_load && x->accesses.items[u->access].buffer == input && i > store)
        return false;
    }
  }
  return any;
}

static const uint32_t *in_place(Lower *x) {
  uint32_t *out = ARENA_ARRAY(x->arena, uint32_t, x->out.count + 1);
  bool *taken = ARENA_ARRAY(x->arena, bool, x->in.count + 1);
  for (uint32_t k = 0; k < x->out.count; k++) {
    out[k] = KERNEL_APART;
    uint32_t store = UINT32_MAX;
    for (uint32_t i = 0; i < x->steps.count; i++)
      if (x->steps.items[i].op == SCALAR_store &&
          x->accesses.items[x->steps.items[i].access].buffer == x->in.count + k)
        store = i;
    for (uint16_t j = 0; store != UINT32_MAX && j < x->in.count && out[k] == KERNEL_APART; j++)
      if (!taken[j] && fuse_count(x->p, x->in.items[j]) == fuse_count(x->p, x->out.items[k]) &&
          may_replace(x, store, j)) {
        out[k] = j;
        taken[j] = true;
      }
  }
  return out;
}

// A measure of the time on one core, for the number of tiles.
static double seconds_of(const Lower *x, const LoopPlan *plan) {
  static const double step = 0.15e-9, expensive = 0.5e-9, call = 10e-9;
  double each = 0;
  for (uint32_t i = 0; i < x->steps.count; i++) {
    const LoopStep *s = &x->steps.items[i];
    each += s->op == SCALAR_call                         ? call
            : scalar_op_info((ScalarOp)s->op)->expensive ? expensive
                                                         : step;
  }
  return plan->elements / (x->steps.count ? x->steps.count : 1) * each;
}

static void make_kernel(Lower *x, Kernel *out) {
  FusedData *d = ARENA_NEW(x->arena, FusedData);
  x->loop.steps = x->steps.items;
  x->loop.n_steps = x->steps.count;
  x->loop.accesses = x->accesses.items;
  x->loop.n_accesses = x->accesses.count;
  x->loop.n_buffers = x->in.count + x->out.count;
  bool planned = (x->f->engine && loop_plan(&d->plan, &x->loop, x->f->engine, x->arena)) ||
                 loop_plan(&d->plan, &x->loop, &loop_tiles, x->arena);
  assert(planned && "the tiles run every loop");
  (void)planned;
  d->temp = x->loop.n_buffers;
  d->n_tiles = kernel_tiles(seconds_of(x, &d->plan), d->plan.items);
  *out = (Kernel){.name = "loop",
                  .run = run_tile,
                  .data = d,
                  .n_tiles = d->n_tiles,
                  .scratch_bytes = d->plan.scratch_bytes,
                  .temp_bytes = d->plan.temp_bytes,
                  .in_place = in_place(x)};
  if (!d->plan.temp_bytes) return;
  Kernel *next = ARENA_NEW(x->arena, Kernel);
  *next = (Kernel){.name = "loop",
                   .run = run_finish,
                   .data = d,
                   .n_tiles = 1,
                   .scratch_bytes = d->plan.scratch_bytes};
  out->next = next;
}

const Loop *fuse_loop(const Kernel *kernel) {
  return kernel->run == run_tile ? &((const FusedData *)kernel->data)->plan.loop : NULL;
}

// ---- the group ----

// The group's ops, and the dead views and constants whose first reader is one of them.
static void list_ops(Lower *x, FusedLoop *out) {
  VEC(OpId) ops = {0};
  for (uint32_t k = 0; k < x->group->ops.count; k++) {
    OpId op = x->group->ops.items[k];
    // Chains of views in front of the op, innermost first.
    for (uint32_t i = 0; i < op_at(x->p, op)->n_operands; i++) {
      OpId chain[16];
      uint32_t n = 0;
      for (OpId def = value_def(x->p, op_operand(x->p, op, i)); def && n < 16;
           def = op_at(x->p, def)->n_operands ? value_def(x->p, op_operand(x->p, def, 0)) : 0) {
        if (!x->f->position[def] || !x->f->dead[def] || x->f->group[def] != NO_GROUP) break;
        chain[n++] = def;
      }
      while (n-- > 0) {
        x->f->group[chain[n]] = x->g;  // listed once
        VEC_PUSH(x->arena, &ops, chain[n]);
      }
    }
    VEC_PUSH(x->arena, &ops, op);
  }
  for (uint32_t i = 1; i < ops.count; i++)
    for (uint32_t k = i; k > 0 && x->f->position[ops.items[k - 1]] > x->f->position[ops.items[k]];
         k--) {
      OpId op = ops.items[k];
      ops.items[k] = ops.items[k - 1];
      ops.items[k - 1] = op;
    }
  out->ops = ops.items;
  out->n_ops = ops.count;
}

static bool splits(const Lower *x) {
  const Group *g = x->group;
  if (!g->row || g->column) return false;
  for (uint32_t k = 0; k < g->ops.count; k++) {
    OpId op = g->ops.items[k];
    if (x->f->kind[op] == FUSE_REDUCE && x->f->leaves[op_result(x->p, op, 0)]) return true;
  }
  return false;
}

void fuse_lower(Fuser *f, uint32_t group, FusedLoop *out) {
  Lower x = {.f = f, .p = f->p, .arena = f->arena, .g = group, .group = &f->groups.items[group]};
  x.loop.split = splits(&x);
  x.loop.n_passes = 1;
  for (uint32_t k = 0; k < x.group->ops.count; k++) {
    OpId op = x.group->ops.items[k];
    op_steps(&x, op);
    if (is_output(&x, op_result(f->p, op, 0))) add_store(&x, op_result(f->p, op, 0));
  }
  if (x.out.count) {
    finish_space(&x);
    finish_steps(&x);
    make_kernel(&x, &out->kernel);
  } else {  // no one needs the results
    x.in.count = 0;
    out->kernel = (Kernel){.name = "loop", .run = run_nothing, .n_tiles = 1};
  }
  out->at = 0;
  for (uint32_t k = 0; k < x.group->ops.count; k++)
    if (f->position[x.group->ops.items[k]] == x.group->at) out->at = x.group->ops.items[k];
  assert(out->at && "a group's position is that of one of its ops");
  out->in = x.in.items, out->n_in = x.in.count;
  out->out = x.out.items, out->n_out = x.out.count;
  list_ops(&x, out);
}
