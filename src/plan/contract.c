// Problem: planning 100 equal layers takes 25 times as long as planning 4, and finds the same.
//
// Idea: drop the layers in the middle. An op that read a value of a dropped layer reads that of the
// last kept layer before it in program order, its representative. Arguments that only dropped ops
// read are dropped, and so are the results that dropped ops make.
//
//   forward    0 1 . . 4 5        layer 4 reads what layer 1 made
//   backward   5 4 . . 1 0        layer 1 reads the gradient that layer 4 made
//   update     0 1 . . 4 5
//
// The op that a dropped op gets its decision from, and that counts for it, is that of the last
// layer before the gap by label, in all runs. There, also in a backward pass, a layer follows
// another one, so that what passes between layers is counted as often as it does.
//
// Invariant: representatives have the type of what they stand for, so the result verifies; if it
// does not, there is no contraction. The whole program is not changed.
//
// Cost: O(program).
#include "plan/contract.h"

#include "ir/clone.h"
#include "ops/functions.h"
#include "ops/infer.h"
#include "ops/op.h"

typedef struct Work {
  const Program *p;  // the whole program
  OpId entry;
  const Layers *layers;
  Arena *arena;
  Guard *guard;
  Contraction *out;
  Program *q;  // a clone that becomes the contracted program
  // Per op of layers->ops that is dropped: 1 + the op whose results are read instead, which stands
  // before it, and 1 + its representative.
  uint32_t *reads, *stands_for;
  uint32_t *run_end;  // per op: 1 + the last op of its run
  ValueId *value;     // per result of a dropped op: that which is read instead
  ValueId *like;      // and the representative's
  OpId *op;           // per op of the whole program, also in regions: the representative, or itself
  OpId last, new_last;  // the entry function's terminators
} Work;

// ---- what is dropped ----

// Drops the windows of a run whose layers are in [first, end).
static void drop_windows(Work *w, const LayerRun *run, int64_t first, int64_t end) {
  int64_t before = run->step > 0 ? first - 1 : end;  // the last layer before the gap
  uint32_t from = (uint32_t)((before - run->label) * run->step) * run->period;
  uint32_t as = (uint32_t)((first - 1 - run->label) * run->step) * run->period;
  for (uint32_t k = 0; k < run->n; k++) {
    int64_t label = run->label + run->step * (int64_t)k;
    for (uint32_t i = 0; i < run->period; i++) {
      uint32_t at = run->begin + k * run->period + i;
      w->run_end[at] = run->begin + run->n * run->period;
      if (label < first || label >= end) continue;
      w->reads[at] = run->begin + from + i + 1;
      w->stands_for[at] = run->begin + as + i + 1;
    }
  }
}

// Pairs the results of an op with those of another one.
static bool pair_values(const Program *p, OpId op, OpId with, ValueId *value) {
  if (op_at(p, op)->n_results != op_at(p, with)->n_results) return false;
  for (uint32_t i = 0; i < op_at(p, op)->n_results; i++) {
    if (op_result_type(p, op, i) != op_result_type(p, with, i)) return false;
    value[op_result(p, op, i)] = op_result(p, with, i);
  }
  return true;
}

// Pairs an op with its representative: their regions have the same structure.
static bool pair_ops(Work *w, OpId op, OpId with) {
  const Program *p = w->p;
  OpId a = op, b = with;
  for (; a && b; a = op_walk_next(p, a, op), b = op_walk_next(p, b, with)) {
    if (op_at(p, a)->code != op_at(p, b)->code) return false;
    w->op[a] = b;
  }
  return !a && !b && pair_values(p, op, with, w->like);
}

static bool pair_all(Work *w) {
  const Layers *l = w->layers;
  for (uint32_t i = 0; i < l->n_ops; i++)
    if (w->stands_for[i] && (!pair_ops(w, l->ops[i], l->ops[w->stands_for[i] - 1]) ||
                             !pair_values(w->p, l->ops[i], l->ops[w->reads[i] - 1], w->value)))
      return false;
  return true;
}

// Arguments that only dropped ops read are dropped; each repeats the argument that the
// representative reads in its place.
static bool map_arguments(Work *w, uint32_t *map, bool *kept) {
  const Layers *l = w->layers;
  uint32_t n = w->out->n_arguments;
  bool *read = ARENA_ARRAY(w->arena, bool, n + 1);
  for (uint32_t i = 0; i < n; i++) map[i] = UINT32_MAX;
  for (uint32_t i = 0; i < l->n_ops; i++)
    for (uint32_t k = 0; k < l->ties[i].n; k++) {
      uint32_t use = l->ties[i].first + k;
      if (l->made[use]) continue;
      uint32_t argument = value_at(w->p, l->uses[use])->index;
      read[argument] = true;
      if (!w->stands_for[i]) {
        kept[argument] = true;
        continue;
      }
      const TieOp *other = &l->ties[w->stands_for[i] - 1];
      if (k >= other->n || l->made[other->first + k]) return false;
      if (map[argument] == UINT32_MAX)
        map[argument] = value_at(w->p, l->uses[other->first + k])->index;
    }
  for (uint32_t i = 0; i < n; i++) {
    if (!read[i]) kept[i] = true;
    if (kept[i]) map[i] = i;
  }
  for (uint32_t i = 0; i < n; i++)
    if (!kept[map[i]] ||
        function_argument_type(w->p, w->entry, i) != function_argument_type(w->p, w->entry, map[i]))
      return false;
  return true;
}

// Results of dropped ops are dropped; each repeats the result that its representative makes.
static bool map_results(Work *w, const uint32_t *arguments, const bool *kept_argument,
                        uint32_t *map, bool *kept) {
  const Program *p = w->p;
  OpId last = block_at(p, region_block(p, op_region(p, w->entry, 0)))->last;
  if (!last || op_at(p, last)->n_operands != w->out->n_results) return false;
  uint32_t *returned = ARENA_ARRAY(w->arena, uint32_t, p->values.count + 1);  // 1 + the result
  for (uint32_t i = w->out->n_results; i-- > 0;) returned[op_operand(p, last, i)] = i + 1;
  for (uint32_t i = 0; i < w->out->n_results; i++) {
    ValueId v = op_operand(p, last, i), as = w->like[v];
    if (value_at(p, v)->is_arg && !kept_argument[value_at(p, v)->index])
      as = function_argument(p, w->entry, arguments[value_at(p, v)->index]);
    kept[i] = !as;
    map[i] = as ? returned[as] - 1 : i;
    if (as && (!returned[as] || w->like[as])) return false;
  }
  return true;
}

// ---- the contracted program ----

static void rewire(Work *w) {
  Program *q = w->q;
  const Layers *l = w->layers;
  for (uint32_t i = 0; i < l->n_ops; i++) {
    if (w->stands_for[i]) continue;
    OpId op = l->ops[i];
    for (OpId o = op; o; o = op_walk_next(q, o, op))
      for (uint32_t k = 0; k < op_at(q, o)->n_operands; k++) {
        ValueId as = w->value[op_operand(q, o, k)];
        if (as) operand_set(q, op_at(q, o)->operands + k, as);
      }
  }
}

// A terminator with the kept results in place of the old one.
static void cut_results(Work *w, const bool *kept) {
  Program *q = w->q;
  BlockId block = region_block(q, op_region(q, w->entry, 0));
  OpId last = block_at(q, block)->last;
  ValueId *operands = ARENA_ARRAY(w->arena, ValueId, w->out->n_results + 1);
  uint32_t n = 0;
  for (uint32_t i = 0; i < w->out->n_results; i++)
    if (kept[i]) operands[n++] = op_operand(q, last, i);
  OpSpec spec = {.code = op_at(q, last)->code,
                 .n_operands = n,
                 .operands = operands,
                 .attrs = op_at(q, last)->attrs,
                 .loc = op_at(q, last)->loc,
                 .pos = op_at(q, last)->pos};
  op_erase(q, last);
  w->last = last;
  w->new_last = op_create(q, &spec);
  op_append(q, block, w->new_last);
}

static void erase_dropped(Work *w) {
  for (uint32_t i = w->layers->n_ops; i-- > 0;)
    if (w->stands_for[i]) op_erase(w->q, w->layers->ops[i]);
}

// Kept arguments move to the front of the block's consecutive ids.
static void cut_arguments(Work *w, const bool *kept) {
  Program *q = w->q;
  Block *block = block_at(q, region_block(q, op_region(q, w->entry, 0)));
  uint32_t n = 0;
  for (uint32_t i = 0; i < w->out->n_arguments; i++) {
    if (!kept[i]) continue;
    ValueId from = block->args + i, to = block->args + n++;
    if (from == to) continue;
    value_at(q, to)->type = value_at(q, from)->type;
    value_at(q, to)->name = value_at(q, from)->name;
    value_at(q, to)->loc = value_at(q, from)->loc;
    value_replace_uses(q, from, to);
  }
  block->n_args = n;
}

// The attributes of an argument: the result that has its buffer has another number now.
static Attr argument_attrs(Work *w, Attr dict, const uint32_t *number, const bool *kept) {
  Context *context = w->q->context;
  Attr alias = attr_get(context, dict, "tf.aliasing_output");
  if (!alias) return dict;
  int64_t result = attr_as_int(context, alias, -1);
  if (result < 0 || result >= w->out->n_results) return dict;
  if (kept[result])
    return attr_dict_with(context, dict, "tf.aliasing_output",
                          attr_int(context, attr_info(context, alias)->type, number[result]));
  return attr_dict_with(context, attr_dict_with(context, dict, "tf.aliasing_output", 0),
                        "jax.buffer_donor", attr_bool(context, true));
}

// Keeps the items of an array of attributes, one per argument or result.
static void cut_attrs(Work *w, const char *name, uint32_t n, const bool *kept,
                      const uint32_t *number, const bool *kept_result) {
  Context *context = w->q->context;
  const AttrInfo *list = attr_info(context, op_attr(w->q, w->entry, name));
  if (list->kind != ATTR_ARRAY || list->count != n) return;
  Attr *items = ARENA_ARRAY(w->arena, Attr, n + 1);
  uint32_t m = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (!kept[i]) continue;
    Attr item = attr_info(context, op_attr(w->q, w->entry, name))->items[i];
    items[m++] = number ? argument_attrs(w, item, number, kept_result) : item;
  }
  op_set_attr(w->q, w->entry, name, attr_array(context, m, items));
}

static void cut_type(Work *w, const bool *kept_argument, const bool *kept_result) {
  const Contraction *c = w->out;
  Type *in = ARENA_ARRAY(w->arena, Type, c->n_arguments + 1);
  Type *out = ARENA_ARRAY(w->arena, Type, c->n_results + 1);
  uint32_t n_in = 0, n_out = 0;
  for (uint32_t i = 0; i < c->n_arguments; i++)
    if (kept_argument[i]) in[n_in++] = function_argument_type(w->p, w->entry, i);
  for (uint32_t i = 0; i < c->n_results; i++)
    if (kept_result[i]) out[n_out++] = function_result_type(w->p, w->entry, i);
  Context *context = w->q->context;
  op_set_attr(w->q, w->entry, "function_type",
              attr_type(context, type_function(context, n_in, in, n_out, out)));
}

// ---- tables ----

// Numbers of kept arguments or results in the contracted program.
static uint32_t *renumber(Work *w, uint32_t n, const bool *kept, uint32_t *out_n) {
  uint32_t *number = ARENA_ARRAY(w->arena, uint32_t, n + 1);
  *out_n = 0;
  for (uint32_t i = 0; i < n; i++) {
    number[i] = *out_n;
    *out_n += kept[i];
  }
  return number;
}

static const double *count_times(Work *w, uint32_t n, const uint32_t *map, uint32_t n_small) {
  double *times = ARENA_ARRAY(w->arena, double, n_small + 1);
  for (uint32_t i = 0; i < n; i++) times[map[i]]++;
  return times;
}

// Tables that name ops of the contracted program.
static void write_tables(Work *w, const Remap *remap) {
  const Program *p = w->p;
  const Layers *l = w->layers;
  Contraction *c = w->out;
  OpId *ops = ARENA_ARRAY(w->arena, OpId, p->ops.count + 1);
  OpId *origin = ARENA_ARRAY(w->arena, OpId, w->q->ops.count + 1);
  Repeat *repeats = ARENA_ARRAY(w->arena, Repeat, w->q->ops.count + 1);
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root)) {
    OpId kept = w->op[op] ? w->op[op] : op;
    ops[op] = remap->ops[kept];
    if (kept == op && ops[op]) origin[ops[op]] = op;
  }
  ops[w->last] = remap->ops[w->new_last];
  origin[ops[w->last]] = w->last;
  for (uint32_t i = 0; i < l->n_ops; i++) {
    if (!w->stands_for[i]) continue;
    OpId with = l->ops[w->stands_for[i] - 1];
    for (OpId o = with; o; o = op_walk_next(p, o, with)) {
      Repeat *r = &repeats[remap->ops[o]];
      r->times = r->times > 0 ? r->times + 1 : 2;
      r->last = remap->ops[l->ops[w->run_end[i] - 1]];
    }
  }
  c->ops = ops;
  c->origin = origin;
  c->repeats = repeats;
  c->entry = remap->ops[w->entry];
}

static void release_diag(void *diag) { diag_deinit(diag); }

static bool is_sound(Program *q, Guard *guard) {
  Diag diag;
  diag_init(&diag, guard, q->source);
  GuardCleanup cleanup = {release_diag, &diag, NULL};
  guard_push(guard, &cleanup);
  bool sound = !program_check(q) && program_verify(q, &diag);
  guard_pop(guard, &cleanup);
  diag_deinit(&diag);
  return sound;
}

bool contract(const Program *p, OpId entry, const Layers *l, uint32_t keep, Guard *guard,
              Arena *arena, Contraction *out) {
  *out = (Contraction){0};
  if (keep < 2 || l->n_runs == 0 || l->end - l->first <= keep) return false;
  out->n_arguments = function_n_arguments(p, entry);
  out->n_results = function_n_results(p, entry);
  Work w = {.p = p,
            .entry = entry,
            .layers = l,
            .arena = arena,
            .guard = guard,
            .out = out,
            .reads = ARENA_ARRAY(arena, uint32_t, l->n_ops + 1),
            .stands_for = ARENA_ARRAY(arena, uint32_t, l->n_ops + 1),
            .run_end = ARENA_ARRAY(arena, uint32_t, l->n_ops + 1),
            .value = ARENA_ARRAY(arena, ValueId, p->values.count + 1),
            .like = ARENA_ARRAY(arena, ValueId, p->values.count + 1),
            .op = ARENA_ARRAY(arena, OpId, p->ops.count + 1)};
  int64_t first = l->first + (keep + 1) / 2, end = l->end - keep / 2;
  for (uint32_t i = 0; i < l->n_runs; i++) drop_windows(&w, &l->runs[i], first, end);
  uint32_t *arguments = ARENA_ARRAY(arena, uint32_t, out->n_arguments + 1);
  uint32_t *results = ARENA_ARRAY(arena, uint32_t, out->n_results + 1);
  bool *kept_argument = ARENA_ARRAY(arena, bool, out->n_arguments + 1);
  bool *kept_result = ARENA_ARRAY(arena, bool, out->n_results + 1);
  if (!pair_all(&w) || !map_arguments(&w, arguments, kept_argument) ||
      !map_results(&w, arguments, kept_argument, results, kept_result))
    return false;
  out->context = context_view(p->context, guard);
  w.q = out->program = program_clone(p, out->context, guard);
  uint32_t n_arguments, n_results;
  uint32_t *argument_number = renumber(&w, out->n_arguments, kept_argument, &n_arguments);
  uint32_t *result_number = renumber(&w, out->n_results, kept_result, &n_results);
  rewire(&w);
  cut_results(&w, kept_result);
  erase_dropped(&w);
  cut_arguments(&w, kept_argument);
  cut_attrs(&w, "arg_attrs", out->n_arguments, kept_argument, result_number, kept_result);
  cut_attrs(&w, "res_attrs", out->n_results, kept_result, NULL, NULL);
  cut_type(&w, kept_argument, kept_result);
  Remap remap;
  program_compact(out->program, arena, &remap);
  for (uint32_t i = 0; i < out->n_arguments; i++) arguments[i] = argument_number[arguments[i]];
  for (uint32_t i = 0; i < out->n_results; i++) results[i] = result_number[results[i]];
  out->arguments = arguments;
  out->results = results;
  out->kept_argument = kept_argument;
  out->kept_result = kept_result;
  out->argument_times = count_times(&w, out->n_arguments, arguments, n_arguments);
  out->result_times = count_times(&w, out->n_results, results, n_results);
  write_tables(&w, &remap);
  return is_sound(out->program, guard);
}

void contract_release(void *contraction) {
  Contraction *c = contraction;
  program_free(c->program);
  context_free(c->context);
  c->program = NULL;
  c->context = NULL;
}
