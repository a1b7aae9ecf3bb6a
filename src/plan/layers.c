// Problem: a network has many equal layers. To plan a few of them for all, we must know where they
// begin and end, and which part of the backward pass and of the update belongs to which layer.
//
// Idea: equal ops are tied (ties.h). A run is a long stretch of ops that are tied to the op one
// period before. The phase of the longest run, where its windows begin, is the point that the
// fewest values cross: between layers. Every other run gets the phase, the direction and the offset
// for which most values that it exchanges with the runs before stay within one layer.
//
//   forward    [ 0 ][ 1 ][ 2 ][ 3 ]        step 1
//   backward   [ 3 ][ 2 ][ 1 ][ 0 ]        step -1: reads what the forward pass has saved
//   update     [ 0 ][ 1 ][ 2 ][ 3 ]        reads gradients
//
// Invariant: runs do not overlap. A run that corresponds to no other is left out.
//
// Cost: O(ops · candidates for the period).
#include "plan/layers.h"

#include <stdlib.h>
#include <string.h>

#include "base/idmap.h"
#include "ops/op.h"

enum { CANDIDATES = 8, MOST_RUNS = 16, LEAST_WINDOWS = 3 };

typedef struct Finder {
  const Program *p;
  OpId entry;
  Arena *arena;
  Layers *out;
  uint32_t *root;     // per op: the first op that it is tied to
  int64_t *label;     // per op: of its layer, if its run is in `out`
  uint8_t *labelled;  // per op
} Finder;

// ---- ops ----

// The key of an argument: those of equal layers have equal types and annotations.
static uint32_t argument_key(const Program *p, OpId entry, ValueId v) {
  const AttrInfo *dicts = attr_info(p->context, op_attr(p, entry, "arg_attrs"));
  uint32_t i = value_at(p, v)->index;
  uint64_t key = value_type(p, v);
  if (dicts->kind != ATTR_ARRAY || i >= dicts->count) return (uint32_t)key;
  static const char *const equal[] = {"sdy.sharding", "mhlo.sharding", "jax.buffer_donor"};
  for (uint32_t k = 0; k < sizeof equal / sizeof *equal; k++)
    key = hash_mix(key, attr_get(p->context, dicts->items[i], equal[k]));
  bool aliased = attr_get(p->context, dicts->items[i], "tf.aliasing_output") != 0;
  return (uint32_t)hash_mix(key, aliased);
}

static uint64_t op_key(const Program *p, OpId op) {
  const Op *o = op_at(p, op);
  if (o->n_regions) return op_hash(p, op);
  uint64_t key = hash_mix(hash_mix(o->code, o->attrs), o->name);
  for (uint32_t i = 0; i < o->n_operands; i++) key = hash_mix(key, op_operand_type(p, op, i));
  for (uint32_t i = 0; i < o->n_results; i++) key = hash_mix(key, op_result_type(p, op, i) + 1u);
  return key;
}

// Lists ops, their keys and what they use.
static void list_ops(Finder *f) {
  const Program *p = f->p;
  BlockId block = region_block(p, op_region(p, f->entry, 0));
  VEC(OpId) ops = {0};
  VEC(TieOp) ties = {0};
  VEC(TieOperand) operands = {0};
  VEC(ValueId) uses = {0};
  uint32_t *number = ARENA_ARRAY(f->arena, uint32_t, p->ops.count + 1);  // 1 + the op's number
  for (OpId op = block_at(p, block)->first; op; op = op_at(p, op)->next) {
    if (op_row(op_at(p, op)->code)->traits & TRAIT_TERMINATOR) break;
    uint32_t first = operands.count;
    for (OpId o = op; o; o = op_walk_next(p, o, op))
      for (uint32_t i = 0; i < op_at(p, o)->n_operands; i++) {
        ValueId v = op_operand(p, o, i);
        bool argument = value_at(p, v)->is_arg && value_owner(p, v) == f->entry;
        uint32_t from = value_at(p, v)->is_arg ? 0 : number[value_def(p, v)];
        if (!argument && !from) continue;
        TieOperand operand = {from - 1, 0};
        if (!from) operand = (TieOperand){TIE_NONE, argument_key(p, f->entry, v)};
        VEC_PUSH(f->arena, &operands, operand);
        VEC_PUSH(f->arena, &uses, v);
      }
    VEC_PUSH(f->arena, &ops, op);
    VEC_PUSH(f->arena, &ties, ((TieOp){op_key(p, op), first, operands.count - first}));
    number[op] = ops.count;
  }
  uint32_t *made = ARENA_ARRAY(f->arena, uint32_t, operands.count + 1);
  for (uint32_t i = 0; i < operands.count; i++)
    made[i] = operands.items[i].position == TIE_NONE ? 0 : operands.items[i].position + 1;
  *f->out = (Layers){
      .ops = ops.items, .n_ops = ops.count, .ties = ties.items, .uses = uses.items, .made = made};
  f->root = ARENA_ARRAY(f->arena, uint32_t, ops.count + 1);
  f->label = ARENA_ARRAY(f->arena, int64_t, ops.count + 1);
  f->labelled = ARENA_ARRAY(f->arena, uint8_t, ops.count + 1);
  ties_find(ties.items, ops.count, operands.items, f->arena, f->root);
}

// ---- runs ----

typedef struct Stretch {
  uint32_t begin, end, period;  // op i, begin + period <= i < end, equals op i - period
} Stretch;

static int by_length(const void *a, const void *b) {
  const Stretch *x = a, *y = b;
  uint32_t n = x->end - x->begin, m = y->end - y->begin;
  if (n != m) return n > m ? -1 : 1;
  if (x->period != y->period) return x->period < y->period ? -1 : 1;
  return x->begin < y->begin ? -1 : x->begin > y->begin;
}

typedef struct Distance {
  uint32_t distance, count;
} Distance;

static int by_count(const void *a, const void *b) {
  const Distance *x = a, *y = b;
  if (x->count != y->count) return x->count > y->count ? -1 : 1;
  return x->distance < y->distance ? -1 : x->distance > y->distance;
}

// The most frequent distances between an op and the last one that it is tied to.
static uint32_t list_periods(const Finder *f, uint32_t *out) {
  uint32_t n = f->out->n_ops, n_out = 0;
  uint32_t *last = ARENA_ARRAY(f->arena, uint32_t, n + 1);
  Distance *found = ARENA_ARRAY(f->arena, Distance, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t before = last[f->root[i]];
    if (before) found[i + 1 - before].count++;
    last[f->root[i]] = i + 1;
  }
  for (uint32_t i = 0; i <= n; i++) found[i].distance = i;
  qsort(found, n + 1, sizeof *found, by_count);
  while (n_out < CANDIDATES && n_out <= n && found[n_out].count >= found[n_out].distance &&
         found[n_out].count)
    out[n_out] = found[n_out].distance, n_out++;
  return n_out;
}

// Shrinks a stretch so that it overlaps no other; false if too little is left.
static bool fit(Stretch *s, const uint8_t *taken) {
  while (s->begin < s->end && taken[s->begin]) s->begin++;
  while (s->begin < s->end && taken[s->end - 1]) s->end--;
  for (uint32_t i = s->begin; i < s->end; i++)
    if (taken[i]) return false;
  return s->end - s->begin >= LEAST_WINDOWS * s->period;
}

static uint32_t list_stretches(const Finder *f, Stretch *out) {
  uint32_t periods[CANDIDATES], n_periods = list_periods(f, periods), n = f->out->n_ops, kept = 0;
  VEC(Stretch) all = {0};
  for (uint32_t c = 0; c < n_periods; c++) {
    uint32_t period = periods[c], length = 0;
    for (uint32_t i = period; i <= n; i++) {
      if (i < n && f->root[i] == f->root[i - period]) {
        length++;
        continue;
      }
      Stretch s = {i - length - period, i, period};
      if (length >= (LEAST_WINDOWS - 1) * period) VEC_PUSH(f->arena, &all, s);
      length = 0;
    }
  }
  if (all.count) qsort(all.items, all.count, sizeof *all.items, by_length);
  uint8_t *taken = ARENA_ARRAY(f->arena, uint8_t, n + 1);
  for (uint32_t i = 0; i < all.count && kept < MOST_RUNS; i++) {
    Stretch s = all.items[i];
    if (!fit(&s, taken)) continue;
    memset(taken + s.begin, 1, s.end - s.begin);
    out[kept++] = s;
  }
  return kept;
}

// ---- layers that belong together ----

// Per phase: how many values of the stretch cross it, counted for the ops of one window.
static uint32_t *count_crossing(const Finder *f, const Stretch *s) {
  const Layers *l = f->out;
  uint32_t period = s->period, n = (s->end - s->begin) / period;
  uint32_t middle = s->begin + (n / 2) * period;
  uint32_t *crossing = ARENA_ARRAY(f->arena, uint32_t, period + 1);
  uint32_t *last = ARENA_ARRAY(f->arena, uint32_t, period + 1);  // use of what an op makes
  for (uint32_t i = middle; i < s->end; i++)
    for (uint32_t k = 0; k < l->ties[i].n; k++) {
      uint32_t from = l->made[l->ties[i].first + k];
      if (from > middle && from - 1 < middle + period) last[from - 1 - middle] = i;
    }
  for (uint32_t d = 0; d < period; d++) {
    uint32_t made = middle + d, end = last[d] < made + period ? last[d] : made + period;
    for (uint32_t i = made + 1; i <= end; i++) crossing[(i - s->begin) % period]++;
  }
  return crossing;
}

static LayerRun run_at(const Stretch *s, uint32_t phase) {
  uint32_t begin = s->begin + phase;
  return (LayerRun){.begin = begin, .period = s->period, .n = (s->end - begin) / s->period};
}

// An op of a stretch, and the layer of another run from which it reads or that reads it.
typedef struct Link {
  uint32_t at;
  int64_t label;
} Link;

// Links of ops in the middle of the stretch.
static uint32_t list_links(const Finder *f, const Stretch *s, Link **out) {
  const Layers *l = f->out;
  enum { WINDOWS = 3 };
  uint32_t n = (s->end - s->begin) / s->period, first = n > WINDOWS ? (n - WINDOWS) / 2 : 0;
  uint32_t begin = s->begin + first * s->period, end = begin + WINDOWS * s->period;
  VEC(Link) links = {0};
  for (uint32_t i = 0; i < l->n_ops; i++)
    for (uint32_t k = 0; k < l->ties[i].n; k++) {
      uint32_t from = l->made[l->ties[i].first + k];
      if (!from) continue;
      bool reads = i >= begin && i < end, read = from - 1 >= begin && from - 1 < end;
      if (reads && f->labelled[from - 1])
        VEC_PUSH(f->arena, &links, ((Link){i, f->label[from - 1]}));
      if (read && f->labelled[i]) VEC_PUSH(f->arena, &links, ((Link){from - 1, f->label[i]}));
    }
  *out = links.items;
  return links.count;
}

static int by_value(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

// The most frequent value, and how often it occurs.
static uint32_t mode(int64_t *values, uint32_t n, int64_t *out) {
  uint32_t best = 0;
  qsort(values, n, sizeof *values, by_value);
  for (uint32_t i = 0, k; i < n; i += k) {
    for (k = 1; i + k < n && values[i + k] == values[i]; k++) {
    }
    if (k > best) best = k, *out = values[i];
  }
  return best;
}

// Windows begin between ops that few values cross, so only such phases are tried.
static uint32_t list_phases(const Finder *f, const Stretch *s, uint32_t *out) {
  enum { MOST_PHASES = 64 };
  const uint32_t *crossing = count_crossing(f, s);
  uint32_t n = 0, least = UINT32_MAX;
  for (uint32_t i = 0; i < s->period; i++)
    if (crossing[i] < least) least = crossing[i];
  for (uint32_t i = 0; i < s->period && n < MOST_PHASES; i++)
    if (crossing[i] == least) out[n++] = i;
  return n;
}

// Aligns a stretch with the runs that have labels. False if it has too little to do with them.
static bool align(Finder *f, const Stretch *s, LayerRun *out) {
  Link *links;
  uint32_t n = list_links(f, s, &links), best = 0;
  uint32_t *phases = ARENA_ARRAY(f->arena, uint32_t, s->period + 1);
  uint32_t n_phases = list_phases(f, s, phases);
  int64_t *offsets = ARENA_ARRAY(f->arena, int64_t, n + 1);
  for (uint32_t c = 0; c < n_phases; c++)
    for (int step = -1; step <= 1; step += 2) {
      LayerRun run = run_at(s, phases[c]);
      run.step = step;
      for (uint32_t i = 0; i < n; i++) {
        // Ops before the first window are in window -1.
        int64_t after = (int64_t)links[i].at - run.begin + run.period;
        offsets[i] = links[i].label - step * (after / run.period - 1);
      }
      uint32_t count = mode(offsets, n, &run.label);
      if (count <= best) continue;
      best = count;
      *out = run;
    }
  return best > 0 && 2 * best >= n && out->n >= LEAST_WINDOWS;
}

static void add_run(Finder *f, LayerRun *runs, LayerRun run) {
  Layers *l = f->out;
  for (uint32_t i = 0; i < run.n * run.period; i++) {
    f->label[run.begin + i] = run.label + run.step * (int64_t)(i / run.period);
    f->labelled[run.begin + i] = 1;
  }
  int64_t a = run.label, b = run.label + run.step * (int64_t)(run.n - 1);
  int64_t first = a < b ? a : b, end = (a < b ? b : a) + 1;
  if (!l->n_runs || first > l->first) l->first = first;
  if (!l->n_runs || end < l->end) l->end = end;
  runs[l->n_runs++] = run;
}

void layers_find(const Program *p, OpId entry, Arena *arena, Layers *out) {
  Finder f = {.p = p, .entry = entry, .arena = arena, .out = out};
  *out = (Layers){0};
  if (!entry || !op_at(p, entry)->n_regions || !region_block(p, op_region(p, entry, 0))) return;
  list_ops(&f);
  Stretch stretches[MOST_RUNS];
  uint32_t n = list_stretches(&f, stretches);
  if (!n) return;
  LayerRun *runs = ARENA_ARRAY(arena, LayerRun, n + 1);
  out->runs = runs;
  uint32_t *phases = ARENA_ARRAY(arena, uint32_t, stretches[0].period + 1);
  list_phases(&f, &stretches[0], phases);
  LayerRun longest = run_at(&stretches[0], phases[0]);
  longest.step = 1;
  add_run(&f, runs, longest);
  bool done[MOST_RUNS] = {true};
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 1; i < n; i++) {
      LayerRun run;
      // A short stretch beside many layers is something else.
      if (done[i] || (stretches[i].end - stretches[i].begin) / stretches[i].period < longest.n / 2)
        continue;
      if (!align(&f, &stretches[i], &run)) continue;
      add_run(&f, runs, run);
      done[i] = changed = true;
    }
  }
}
