// A plan moves digits between atoms of axes; sdy's collectives move axes at the end of dimensions.
// Where every layout of a plan is a block split its moves are said axis by axis, and neighbouring
// ones of one kind over different dimensions are one op. Plans with strided layouts on the way have
// no words in sdy: a plain sequence stands for them.
#include "reshard_collectives.h"

#include "tensor/literal.h"
#include "ops/op.h"
#include "annotate/annotation.h"
#include "annotate/program_mesh.h"

typedef struct Writer {
  Program *p;
  ShardingTable *table;
  Context *context;
  Arena arena;
  OpId reshard;
  ValueId value;  // as far as it has come
  MeshId mesh;
} Writer;

static void release(void *writer) { arena_deinit(&((Writer *)writer)->arena); }

static Status *put(Writer *w, uint16_t code, const char *name, Attr moved, Sharding to) {
  Attr sharding;
  TRY(sharding_to_attr(w->table, to, &sharding));
  NamedAttr fields[] = {{name_of(w->context, "out_sharding"), sharding},
                        {name_of(w->context, name ? name : ""), moved}};
  Type type = value_type(w->p, w->value);
  OpSpec spec = {.code = code,
                 .n_operands = 1,
                 .operands = &w->value,
                 .n_results = 1,
                 .result_types = &type,
                 .attrs = attr_dict(w->context, name ? 2 : 1, fields),
                 .loc = op_at(w->p, w->reshard)->loc,
                 .pos = op_at(w->p, w->reshard)->pos,
                 .origin = w->reshard};
  OpId op = op_create(w->p, &spec);
  op_insert_before(w->p, op, w->reshard);
  w->value = op_result(w->p, op, 0);
  return NULL;
}

static Attr axes_attr(Writer *w, AxisList axes) {
  return sharding_axes_to_attr(w->table, w->mesh, axes);
}

// ---- plans in sdy's words ----

// One dimension, or two, of one of sdy's collectives.
typedef struct Step {
  MoveKind kind;
  Sharding to;                // what the tensor has afterwards
  AxisList axes;              // that move; of a permute none
  uint32_t from_dim, to_dim;  // of an exchange; others have them equal
} Step;

// A layout that is a block split: the atoms of every dimension, major to minor.
typedef struct Atoms {
  uint8_t v[MAX_RANK][RESHARD_MOST_ATOMS];
  uint32_t n[MAX_RANK];
  uint32_t unreduced;  // as bits
} Atoms;

typedef struct Words {
  Writer *w;
  const Digits *digits;
  Combine reducer;
  Atoms now;
  VEC(Step) steps;
} Words;

static bool atoms_of(const Digits *digits, const Layout *layout, Atoms *out) {
  *out = (Atoms){.unreduced = layout->unreduced};
  for (uint32_t d = 0; d < digits->rank; d++) {
    int64_t tiles = 1;
    bool inner = false;
    for (uint32_t i = 0; i < digits->n; i++) {
      const Digit *digit = &digits->v[i];
      if (digit->dim != d || digit->size == 1) continue;
      DigitForm form = digits_form(digits, layout, digit->block);
      if (digit->form != FORM_BOTH && form != FORM_BOTH && form != digit->form) continue;
      if (layout->at[i] == RESHARD_INSIDE) {
        inner = true;
        continue;
      }
      if (inner || out->n[d] == RESHARD_MOST_ATOMS) return false;
      out->v[d][out->n[d]++] = layout->at[i];
      tiles *= digit->size;
    }
    // Padding as a block split has it.
    if (tiles > 1 && digits_tile(digits, layout, d) != (digits->dims[d] + tiles - 1) / tiles)
      return false;
  }
  return true;
}

static AxisList axes_of(const Words *x, const uint8_t *atoms, uint32_t n) {
  AxisRef *v = ARENA_ARRAY(&x->w->arena, AxisRef, n + 1);
  for (uint32_t i = 0; i < n; i++) v[i] = x->digits->atoms[atoms[i]];
  return (AxisList){v, axes_canonicalize(v, n)};
}

static AxisList set_of(const Words *x, uint32_t bits) {
  AxisRef *v = ARENA_ARRAY(&x->w->arena, AxisRef, RESHARD_MOST_ATOMS);
  uint32_t n = 0;
  for (uint32_t i = 0; i < x->digits->n_atoms; i++)
    if (bits >> i & 1) v[n++] = x->digits->atoms[i];
  return (AxisList){v, axes_canonicalize_set(v, n)};
}

static Sharding sharding_now(const Words *x) {
  uint32_t rank = x->digits->rank;
  DimSharding *dims = ARENA_ARRAY(&x->w->arena, DimSharding, rank + 1);
  ShardFactor *factors = ARENA_ARRAY(&x->w->arena, ShardFactor, rank + 1);
  for (uint32_t d = 0; d < rank; d++) {
    factors[d].axes = axes_of(x, x->now.v[d], x->now.n[d]);
    dims[d] = (DimSharding){&factors[d], 1, false, PRIORITY_NONE};
  }
  ShardingInfo info = {
      .mesh = x->w->mesh, .rank = rank, .dims = dims, .unreduced = set_of(x, x->now.unreduced)};
  info.reducer = info.unreduced.n ? x->reducer : COMBINE_NONE;
  return sharding_intern(x->w->table, &info);
}

static void say(Words *x, MoveKind kind, AxisList axes, uint32_t from_dim, uint32_t to_dim) {
  Step step = {kind, sharding_now(x), axes, from_dim, to_dim};
  VEC_PUSH(&x->w->arena, &x->steps, step);
}

static bool begins(const Atoms *whole, const Atoms *part, uint32_t d) {
  if (part->n[d] > whole->n[d]) return false;
  for (uint32_t i = 0; i < part->n[d]; i++)
    if (whole->v[d][i] != part->v[d][i]) return false;
  return true;
}

// The last k atoms of one dimension go behind those of another.
static void carry(Words *x, uint32_t from, uint32_t to, uint32_t k) {
  Atoms *now = &x->now;
  now->n[from] -= k;
  uint8_t moved[RESHARD_MOST_ATOMS];
  for (uint32_t i = 0; i < k; i++) moved[i] = now->v[from][now->n[from] + i];
  for (uint32_t i = 0; i < k; i++) now->v[to][now->n[to]++] = moved[i];
  say(x, MOVE_ALL_TO_ALL, axes_of(x, moved, k), from, to);
}

// How many of the last atoms of `from` are those that `to` needs next.
static uint32_t can_carry(const Words *x, const Atoms *after, uint32_t kept, uint32_t from,
                          uint32_t to) {
  const Atoms *now = &x->now;
  uint32_t most = now->n[from] - kept, needs = after->n[to] - now->n[to];
  for (uint32_t k = most < needs ? most : needs; k; k--) {
    uint32_t i = 0;
    while (i < k && now->v[from][now->n[from] - k + i] == after->v[to][now->n[to] + i]) i++;
    if (i == k) return k;
  }
  return 0;
}

static bool say_exchange(Words *x, const Atoms *after) {
  uint32_t rank = x->digits->rank;
  for (bool again = true; again;) {
    again = false;
    for (uint32_t from = 0; from < rank; from++)
      for (uint32_t to = 0; to < rank; to++) {
        if (x->now.n[from] <= after->n[from] || x->now.n[to] >= after->n[to]) continue;
        uint32_t k = can_carry(x, after, after->n[from], from, to);
        if (k) carry(x, from, to, k);
        again |= k > 0;
      }
  }
  for (uint32_t d = 0; d < rank; d++)
    if (x->now.n[d] != after->n[d]) return false;
  return true;
}

// Axes that come to dimensions, or leave them.
static void say_dims(Words *x, MoveKind kind, const Atoms *after) {
  x->now.unreduced = after->unreduced;
  for (uint32_t d = 0; d < x->digits->rank; d++) {
    uint32_t had = x->now.n[d], has = after->n[d];
    if (had == has) continue;
    AxisList axes = had < has ? axes_of(x, after->v[d] + had, has - had)
                              : axes_of(x, x->now.v[d] + has, had - has);
    for (uint32_t i = had; i < has; i++) x->now.v[d][i] = after->v[d][i];
    x->now.n[d] = has;
    say(x, kind, axes, d, d);
  }
}

static bool say_move(Words *x, const Move *m) {
  Atoms after;
  if (m->kind == MOVE_PIECES || !atoms_of(x->digits, &m->after, &after)) return false;
  uint32_t gone = x->now.unreduced & ~after.unreduced, come = after.unreduced & ~x->now.unreduced;
  bool grows = m->kind == MOVE_SLICE || m->kind == MOVE_REDUCE_SCATTER;
  for (uint32_t d = 0; m->kind != MOVE_PERMUTE && d < x->digits->rank; d++)
    if (!(begins(&after, &x->now, d) || (!grows && begins(&x->now, &after, d)))) return false;
  switch (m->kind) {
  case MOVE_ALL_TO_ALL: return say_exchange(x, &after);
  case MOVE_SLICE:
  case MOVE_ALL_GATHER:
  case MOVE_REDUCE_SCATTER: say_dims(x, m->kind, &after); return true;
  default: x->now = after; break;
  }
  AxisList axes = {NULL, 0};
  if (m->kind == MOVE_ALL_REDUCE) axes = set_of(x, gone);
  if (m->kind == MOVE_UNREDUCE) axes = set_of(x, come);
  say(x, m->kind, axes, 0, 0);
  return true;
}

// Where a plan has no words: what stays is kept, axes go straight to where they are needed next,
// the rest is gathered, and what is missing cut off.
static void say_simply(Words *x, const Atoms *before, const Atoms *after) {
  uint32_t rank = x->digits->rank, gone = before->unreduced & ~after->unreduced;
  x->now = *before;
  x->steps.count = 0;
  if (gone) {
    x->now.unreduced &= after->unreduced;
    say(x, MOVE_ALL_REDUCE, set_of(x, gone), 0, 0);
  }
  Atoms kept = x->now;
  for (uint32_t d = 0; d < rank; d++)
    for (kept.n[d] = 0; kept.n[d] < after->n[d] && kept.n[d] < before->n[d]; kept.n[d]++)
      if (after->v[d][kept.n[d]] != before->v[d][kept.n[d]]) break;
  for (bool again = true; again;) {
    again = false;
    for (uint32_t from = 0; from < rank; from++)
      for (uint32_t to = 0; to < rank; to++) {
        if (from == to || x->now.n[from] <= kept.n[from] || !begins(after, &x->now, to)) continue;
        uint32_t k = can_carry(x, after, kept.n[from], from, to);
        if (k) carry(x, from, to, k);
        kept.n[to] = k ? x->now.n[to] : kept.n[to];
        again |= k > 0;
      }
  }
  Atoms middle = x->now;
  for (uint32_t d = 0; d < rank; d++) middle.n[d] = kept.n[d];
  say_dims(x, MOVE_ALL_GATHER, &middle);
  middle = *after;
  middle.unreduced = x->now.unreduced;
  say_dims(x, MOVE_SLICE, &middle);
  uint32_t come = after->unreduced & ~x->now.unreduced;
  x->now.unreduced = after->unreduced;
  if (come) say(x, MOVE_UNREDUCE, set_of(x, come), 0, 0);
}

// ---- ops ----

// How many of the steps from here can be one op.
static uint32_t run_length(const Step *steps, uint32_t n) {
  uint32_t k = 1;
  bool lists = steps->kind == MOVE_SLICE || steps->kind == MOVE_ALL_GATHER ||
               steps->kind == MOVE_REDUCE_SCATTER || steps->kind == MOVE_ALL_TO_ALL;
  for (; lists && k < n && steps[k].kind == steps[0].kind; k++)
    for (uint32_t i = 0; i < k; i++) {
      const Step *a = &steps[i], *b = &steps[k];
      if (a->from_dim == b->from_dim || a->from_dim == b->to_dim || a->to_dim == b->from_dim ||
          a->to_dim == b->to_dim)
        return k;
    }
  return k;
}

static Status *put_lists(Writer *w, uint16_t code, const char *name, const Step *steps,
                         uint32_t n) {
  Sharding to = steps[n - 1].to;
  uint32_t rank = sharding_info(w->table, to)->rank;
  Attr *lists = ARENA_ARRAY(&w->arena, Attr, rank + 1);
  for (uint32_t d = 0; d < rank; d++) lists[d] = axes_attr(w, (AxisList){NULL, 0});
  for (uint32_t i = 0; i < n; i++) lists[steps[i].to_dim] = axes_attr(w, steps[i].axes);
  NamedAttr field = {name_of(w->context, "lists"), attr_array(w->context, rank, lists)};
  return put(w, code, name, attr_struct(w->context, "sdy.list_of_axis_ref_lists", 1, &field), to);
}

static Status *put_list(Writer *w, uint16_t code, const char *name, const Step *step) {
  NamedAttr field = {name_of(w->context, "axes"), axes_attr(w, step->axes)};
  return put(w, code, name, attr_struct(w->context, "sdy.axis_ref_list", 1, &field), step->to);
}

// In the order of the dimensions that axes leave, as sdy wants it.
static Status *put_exchange(Writer *w, const Step *steps, uint32_t n) {
  Context *c = w->context;
  Sharding to = steps[n - 1].to;
  Attr *params = ARENA_ARRAY(&w->arena, Attr, n);
  uint32_t count = 0;
  for (uint32_t d = 0; d < sharding_info(w->table, to)->rank; d++)
    for (uint32_t i = 0; i < n; i++) {
      if (steps[i].from_dim != d) continue;
      NamedAttr fields[] = {{name_of(c, "axes"), axes_attr(w, steps[i].axes)},
                            {name_of(c, "src_dim"), attr_i64(c, d)},
                            {name_of(c, "tgt_dim"), attr_i64(c, steps[i].to_dim)}};
      params[count++] = attr_struct(c, "sdy.all_to_all_param", 3, fields);
    }
  NamedAttr field = {name_of(c, "params"), attr_array(c, count, params)};
  return put(w, OP_sdy_all_to_all, "params", attr_struct(c, "sdy.all_to_all_param_list", 1, &field),
             to);
}

static Status *put_steps(Writer *w, const Step *step, uint32_t n) {
  switch (step->kind) {
  case MOVE_SLICE: return put_lists(w, OP_sdy_all_slice, "slicing_axes", step, n);
  case MOVE_ALL_GATHER: return put_lists(w, OP_sdy_all_gather, "gathering_axes", step, n);
  case MOVE_REDUCE_SCATTER:
    return put_lists(w, OP_sdy_reduce_scatter, "reduce_scatter_axes", step, n);
  case MOVE_ALL_TO_ALL: return put_exchange(w, step, n);
  case MOVE_ALL_REDUCE: return put_list(w, OP_sdy_all_reduce, "reduction_axes", step);
  case MOVE_UNREDUCE: return put_list(w, OP_sdy_replicated_to_unreduced, "axes", step);
  default: return put(w, OP_sdy_collective_permute, NULL, 0, step->to);
  }
}

// *out_done: sdy has words for it.
static Status *put_plan(Writer *w, const ReshardPlan *plan, Combine reducer, bool *out_done) {
  Words x = {.w = w, .digits = plan->digits, .reducer = reducer};
  Atoms before, after;
  *out_done = !plan->n_moves;
  if (plan->n_moves && plan->digits && plan->digits->rank < MAX_RANK)
    *out_done = atoms_of(plan->digits, &plan->moves[0].before, &before) &&
                atoms_of(plan->digits, &plan->moves[plan->n_moves - 1].after, &after);
  if (!*out_done || !plan->n_moves) return NULL;
  x.now = before;
  bool words = true;
  for (uint32_t i = 0; words && i < plan->n_moves; i++) words = say_move(&x, &plan->moves[i]);
  if (!words) say_simply(&x, &before, &after);
  for (uint32_t i = 0, n; i < x.steps.count; i += n) {
    n = run_length(&x.steps.items[i], x.steps.count - i);
    TRY(put_steps(w, &x.steps.items[i], n));
  }
  return NULL;
}

// ---- reshards ----

// Without what is open; whole if it cuts nothing.
static Sharding closed(Writer *w, Sharding sharding) {
  const ShardingInfo *info = sharding_info(w->table, sharding);
  bool any = info->unreduced.n > 0;
  DimSharding *dims = ARENA_ARRAY(&w->arena, DimSharding, info->rank + 1);
  for (uint32_t d = 0; d < info->rank; d++) {
    dims[d] = (DimSharding){info->dims[d].factors, info->dims[d].n_factors, false, PRIORITY_NONE};
    any |= sharding_tiles(info, d) > 1;
  }
  ShardingInfo made = {.mesh = info->mesh,
                       .rank = info->rank,
                       .dims = dims,
                       .unreduced = info->unreduced,
                       .reducer = info->reducer};
  return any ? sharding_intern(w->table, &made) : 0;
}

// The same axes on a mesh with another order of the same devices; 0 if it is no such mesh.
static Sharding on_mesh(Writer *w, Sharding sharding, MeshId mesh) {
  const ShardingInfo *info = sharding_info(w->table, sharding);
  const Mesh *a = sharding_mesh(w->table, info->mesh), *b = sharding_mesh(w->table, mesh);
  bool same = a && b && a->n_axes == b->n_axes && !a->maximal && !b->maximal;
  for (uint32_t i = 0; same && i < a->n_axes; i++)
    same = a->axes[i].name == b->axes[i].name && a->axes[i].size == b->axes[i].size;
  if (!same) return 0;
  ShardingInfo made = *info;
  made.mesh = mesh;
  return sharding_intern(w->table, &made);
}

// One value from one sharding to another; *out_done: it was written.
static Status *write_moves(Writer *w, const Network *network, Sharding from, Sharding to,
                           bool *out_done) {
  Type type = value_type(w->p, w->value);
  MeshId source = sharding_info(w->table, from)->mesh, target = sharding_info(w->table, to)->mesh;
  bool turned =
      from && to && !mesh_equal(sharding_mesh(w->table, source), sharding_mesh(w->table, target));
  Sharding last = turned ? on_mesh(w, to, source) : to;
  ReshardPlan plan;
  *out_done = false;
  if (turned && !last) return NULL;
  Status *status = reshard_plan(w->table, network, from, last, type, &w->arena, &plan);
  if (status && status_code(status) == UNIMPLEMENTED) {
    status_free(status);
    return NULL;
  }
  TRY(status);
  const ShardingInfo *had = sharding_info(w->table, from), *gets = sharding_info(w->table, to);
  w->mesh = from ? source : target;
  TRY(put_plan(w, &plan, had->unreduced.n ? had->reducer : gets->reducer, out_done));
  return *out_done && turned ? put(w, OP_sdy_collective_permute, NULL, 0, to) : NULL;
}

// What a value has: what is written for it, or for what it is the same as: a loop's result, the
// value before a barrier.
static Attr sharding_of(const Program *p, ValueId v) {
  for (;;) {
    Attr said = annotation_get(p, v);
    if (said) return said;
    if (value_at(p, v)->is_arg) {
      OpId owner = region_at(p, block_at(p, value_at(p, v)->def)->region)->op;
      const OpDef *def = op_row(op_at(p, owner)->code)->def;
      uint32_t i = value_at(p, v)->index;
      bool carried = def && def->flow == FLOW_LOOP && i < op_at(p, owner)->n_results;
      return carried ? annotation_get(p, op_result(p, owner, i)) : 0;
    }
    if (op_at(p, value_def(p, v))->code != OP_sdy_propagation_barrier) return 0;
    v = op_operand(p, value_def(p, v), 0);
  }
}

static Status *write_reshard(Writer *w, const ReshardCollectivesOptions *options) {
  Type type = op_result_type(w->p, w->reshard, 0);
  Attr had = sharding_of(w->p, op_operand(w->p, w->reshard, 0));
  Sharding from = 0, to;
  if (had) TRY(sharding_from_attr(w->table, had, type, &from));
  TRY(sharding_from_attr(w->table, op_attr(w->p, w->reshard, "sharding"), type, &to));
  bool moves = type_is_static(w->context, type) && type_is_tensor(w->context, type) &&
               !sharding_is_maximal(w->table, from) && !sharding_is_maximal(w->table, to);
  if (!moves) return NULL;
  from = closed(w, from);
  to = closed(w, to);
  bool redundant = from == to, done = true;
  w->value = op_operand(w->p, w->reshard, 0);
  if (redundant && options->keep_redundant) return NULL;
  if (!redundant)
    TRY(write_moves(w, options->network ? options->network : &network_default, from, to, &done));
  if (!done) return NULL;
  value_replace_uses(w->p, op_result(w->p, w->reshard, 0), w->value);
  op_erase(w->p, w->reshard);
  return NULL;
}

static Status *write_all(Writer *w, const ReshardCollectivesOptions *options) {
  TRY(program_meshes_read(w->p, w->table));
  for (OpId o = w->p->root, next; o; o = next) {
    next = op_walk_next(w->p, o, w->p->root);
    if (op_at(w->p, o)->code != OP_sdy_reshard) continue;
    ArenaMark mark = arena_mark(&w->arena);
    w->reshard = o;
    TRY(write_reshard(w, options));
    arena_rewind(&w->arena, mark);
  }
  return NULL;
}

Status *reshard_collectives(Program *program, ShardingTable *table,
                            const ReshardCollectivesOptions *options, Guard *guard) {
  static const ReshardCollectivesOptions defaults = {0};
  Writer w = {.p = program, .table = table, .context = program->context};
  arena_init(&w.arena, guard);
  GuardCleanup cleanup = {release, &w, NULL};
  guard_push(guard, &cleanup);
  Status *status = write_all(&w, options ? options : &defaults);
  guard_pop(guard, &cleanup);
  release(&w);
  return status;
}
