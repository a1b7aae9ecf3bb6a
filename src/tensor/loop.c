// Runs loops: cuts them into items of work, walks the grid, and combines partial results.
//
// Items depend on shapes alone. Without reductions an item is a part of a row or some rows. With
// row reductions it is a row; a few long rows are cut into blocks (`split`). With column reductions
// it is a block of rows of one kept index, whose accumulators are partial results. loop_finish
// combines the blocks by a balanced tree in their order, then with the init value.
#include "tensor/loop.h"

#include <string.h>

enum { SEGMENT = 8192, BLOCK_ROWS = 64, MOST_BLOCKS = 64 };

static int64_t product(const int64_t *dims, uint32_t from, uint32_t to) {
  int64_t n = 1;
  for (uint32_t d = from; d < to; d++) n *= dims[d];
  return n;
}

static bool is_partial(const Loop *l, const LoopStep *s) {
  return s->op == SCALAR_column || (s->op == SCALAR_reduce && l->split);
}

static size_t register_bytes(const LoopStep *s) {
  return (size_t)dtype_bytes(loop_register((DType)s->dtype));
}

// Elements of one partial result.
static int64_t partial_length(const Loop *l, const LoopStep *s) {
  return s->op == SCALAR_column ? l->outer * l->inner : 1;
}

static size_t round_up(size_t bytes) { return (bytes + 63) & ~(size_t)63; }

bool loop_plan(LoopPlan *plan, const Loop *loop, const LoopEngine *engine, Arena *arena) {
  *plan = (LoopPlan){.loop = *loop, .engine = engine ? engine : &loop_tiles, .segments = 1};
  Loop *l = &plan->loop;
  int64_t rows = product(l->grid, 0, l->n_grid), kept = product(l->grid, 0, l->n_kept);
  plan->segment = l->inner;
  plan->blocks = 1;
  plan->units = rows;
  if (l->n_columns) {
    int64_t reduced = rows / (kept ? kept : 1);
    plan->blocks = (reduced + BLOCK_ROWS - 1) / BLOCK_ROWS;
    if (plan->blocks > MOST_BLOCKS) plan->blocks = MOST_BLOCKS;
    if (plan->blocks < 1) plan->blocks = 1;
    plan->units = kept * plan->blocks;
  }
  if (l->split) {
    int64_t length = l->outer > 1 ? l->outer : l->inner;
    plan->blocks = l->outer * l->inner / (4 * SEGMENT);
    if (plan->blocks > MOST_BLOCKS) plan->blocks = MOST_BLOCKS;
    if (plan->blocks > length) plan->blocks = length;
    if (plan->blocks < 1) plan->blocks = 1;
    plan->units = rows * plan->blocks;
  } else if (!l->n_rows && l->outer == 1 && l->inner > 2 * SEGMENT) {
    plan->segment = SEGMENT;
    plan->segments = (l->inner + SEGMENT - 1) / SEGMENT;
  }
  plan->items = (uint64_t)(plan->units * plan->segments);
  plan->elements = (double)rows * (double)l->outer * (double)l->inner * l->n_steps;
  size_t partial_bytes = 0;
  for (uint32_t i = 0; i < l->n_steps; i++)
    if (is_partial(l, &l->steps[i])) {
      plan->n_partial++;
      partial_bytes += round_up((size_t)(plan->units * partial_length(l, &l->steps[i])) *
                                register_bytes(&l->steps[i]));
    }
  plan->temp_bytes = partial_bytes;
  plan->loop.steps = l->steps;
  size_t engine_bytes = 0;
  // The engine keeps a pointer to the loop: give it one that stays.
  Loop *stays = ARENA_NEW(arena, Loop);
  *stays = *l;
  plan->code = plan->engine->prepare(stays, arena, &engine_bytes);
  plan->scratch_bytes = round_up(l->n_accesses * sizeof(char *)) +
                        round_up((plan->n_partial + 1) * sizeof(void *)) + round_up(engine_bytes);
  return plan->code != NULL;
}

// Sets the addresses of the grid row `row`, element `inner`.
static void addresses(const Loop *l, void *const *buffers, int64_t row, int64_t inner, char **out) {
  int64_t index[LOOP_GRID];
  for (uint32_t d = l->n_grid; d-- > 0; row /= l->grid[d]) index[d] = row % l->grid[d];
  for (uint32_t k = 0; k < l->n_accesses; k++) {
    const LoopAccess *a = &l->accesses[k];
    int64_t at = a->offset + inner * a->inner;
    for (uint32_t d = 0; d < l->n_grid; d++) at += index[d] * a->grid[d];
    out[k] = a->buffer == UINT16_MAX
                 ? (char *)(intptr_t)at
                 : (char *)buffers[a->buffer] + at * dtype_bytes((DType)a->dtype);
  }
}

// Rows that follow each other in the last grid dimension, from `row` on, at most n.
static int64_t run_of_rows(const Loop *l, int64_t row, int64_t n) {
  if (!l->n_grid) return 1;
  int64_t rest = l->grid[l->n_grid - 1] - row % l->grid[l->n_grid - 1];
  return rest < n ? rest : n;
}

typedef struct Walk {
  const LoopPlan *plan;
  void *const *buffers;
  char **at;
  LoopBlock block;
} Walk;

static void walk_rows(Walk *w, int64_t first, int64_t last) {
  const Loop *l = &w->plan->loop;
  while (first < last) {
    w->block.rows = run_of_rows(l, first, last - first);
    addresses(l, w->buffers, first, 0, w->at);
    w->plan->engine->run(w->plan->code, &w->block);
    first += w->block.rows;
  }
}

static void fill_identity(const LoopStep *s, void *to, int64_t n) {
  uint64_t bits = loop_identity((ScalarOp)s->combine, (DType)s->dtype);
  size_t bytes = register_bytes(s);
  for (int64_t i = 0; i < n; i++) memcpy((char *)to + (size_t)i * bytes, &bits, bytes);
}

// Points at the partial results of a unit, from element `from` on, and makes accumulators neutral.
static void partials_of(const LoopPlan *plan, char *temp, int64_t unit, int64_t from, int64_t n,
                        void **out) {
  const Loop *l = &plan->loop;
  uint32_t k = 0;
  for (uint32_t i = 0; i < l->n_steps; i++) {
    const LoopStep *s = &l->steps[i];
    if (!is_partial(l, s)) continue;
    int64_t length = partial_length(l, s);
    out[k] = temp + (size_t)(unit * length + from) * register_bytes(s);
    if (s->op == SCALAR_column) fill_identity(s, out[k], n);
    temp += round_up((size_t)(plan->units * length) * register_bytes(s));
    k++;
  }
}

static void part(int64_t n, int64_t i, int64_t of, int64_t *out_first, int64_t *out_last) {
  int64_t each = n / of, rest = n % of;
  *out_first = each * i + (i < rest ? i : rest);
  *out_last = *out_first + each + (i < rest);
}

// One part of one row, or of one block of rows.
static void run_item(Walk *w, void *temp, uint64_t item, void **partial) {
  const LoopPlan *plan = w->plan;
  const Loop *l = &plan->loop;
  int64_t unit = (int64_t)item / plan->segments, segment = (int64_t)item % plan->segments;
  int64_t from = segment * plan->segment;
  w->block.outers = l->outer;
  w->block.inners = l->inner - from < plan->segment ? l->inner - from : plan->segment;
  w->block.rows = 1;
  int64_t first = unit, last = unit + 1;
  w->block.outer = 0;
  if (l->n_columns) {
    int64_t reduced = product(l->grid, l->n_kept, l->n_grid), kept = unit / plan->blocks;
    part(reduced, unit % plan->blocks, plan->blocks, &first, &last);
    first += kept * reduced;
    last += kept * reduced;
    partials_of(plan, temp, unit, from, l->outer * w->block.inners, partial);
  }
  if (l->split) {
    first = unit / plan->blocks;
    last = first + 1;
    int64_t begin, end;
    part(l->outer > 1 ? l->outer : l->inner, unit % plan->blocks, plan->blocks, &begin, &end);
    if (l->outer > 1)
      w->block.outer = begin, w->block.outers = end - begin;
    else
      from = begin, w->block.inners = end - begin;
    partials_of(plan, temp, unit, 0, 1, partial);
  }
  if (w->block.inners == l->inner && w->block.outers == l->outer) {
    walk_rows(w, first, last);
    return;
  }
  for (int64_t row = first; row < last; row++) {
    addresses(l, w->buffers, row, from, w->at);
    plan->engine->run(plan->code, &w->block);
  }
}

void loop_run(const LoopPlan *plan, void *const *buffers, void *temp, uint64_t first, uint64_t last,
              void *scratch) {
  const Loop *l = &plan->loop;
  char *at = scratch;
  void **partial = (void **)(void *)(at + round_up(l->n_accesses * sizeof(char *)));
  Walk w = {.plan = plan, .buffers = buffers, .at = (char **)scratch};
  w.block =
      (LoopBlock){.at = w.at,
                  .partial = partial,
                  .scratch = (char *)partial + round_up((plan->n_partial + 1) * sizeof(void *))};
  if (plan->segments == 1 && !plan->n_partial) {
    w.block.outers = l->outer;
    w.block.inners = l->inner;
    walk_rows(&w, (int64_t)first, (int64_t)last);
    return;
  }
  for (uint64_t item = first; item < last; item++) run_item(&w, temp, item, partial);
}

// ---- partial results ----

// The init value in the register type.
static void init_value(const LoopPlan *plan, void *const *buffers, const LoopStep *s, void *out) {
  const LoopStep *init = &plan->loop.steps[s->init];
  const void *from = &init->bits;
  if (init->op == SCALAR_load) {
    const LoopAccess *a = &plan->loop.accesses[init->access];
    from = (const char *)buffers[a->buffer] + a->offset * dtype_bytes((DType)a->dtype);
  }
  loop_lanes_load((DType)s->dtype)(1, from, NULL, NULL, out);
}

// Combines blocks first … last - 1, each of n elements `stride` bytes apart, into the first one.
static void combine_tree(LoopLanes fn, LoopLanes round, char *blocks, size_t stride, int64_t first,
                         int64_t last, int64_t n) {
  if (last - first < 2) return;
  int64_t middle = first + (last - first + 1) / 2;
  combine_tree(fn, round, blocks, stride, first, middle, n);
  combine_tree(fn, round, blocks, stride, middle, last, n);
  char *a = blocks + (size_t)first * stride, *b = blocks + (size_t)middle * stride;
  fn(n, a, b, NULL, a);
  if (round) round(n, a, NULL, NULL, a);
}

// The result of kept index `kept`: the tree over its blocks, and the init value.
static void finish_one(const LoopPlan *plan, void *const *buffers, const LoopStep *s, char *temp,
                       int64_t kept, char **at) {
  enum { CHUNK = 64 };
  const Loop *l = &plan->loop;
  LoopLanes fn = loop_lanes((ScalarOp)s->combine, (DType)s->dtype, (DType)s->dtype);
  LoopLanes round = loop_lanes_round((DType)s->dtype), store = loop_lanes_store((DType)s->dtype);
  int64_t length = partial_length(l, s), inner = s->op == SCALAR_column ? l->inner : 1;
  size_t bytes = register_bytes(s);
  char *blocks = temp + (size_t)(kept * plan->blocks * length) * bytes;
  char init[CHUNK * 16], sums[CHUNK * 16];
  init_value(plan, buffers, s, init);
  for (int i = 1; i < CHUNK; i++) memcpy(init + (size_t)i * bytes, init, bytes);
  combine_tree(fn, round, blocks, (size_t)length * bytes, 0, plan->blocks, length);
  const LoopAccess *a = &l->accesses[s->access];
  size_t stored = (size_t)dtype_bytes((DType)a->dtype);
  for (int64_t i = 0; i < length; i += CHUNK) {
    int64_t n = length - i < CHUNK ? length - i : CHUNK;
    fn(n, init, blocks + (size_t)i * bytes, NULL, sums);
    if (round) round(n, sums, NULL, NULL, sums);
    for (int64_t k = 0; k < n;) {
      int64_t x = (i + k) / inner, y = (i + k) % inner, run = inner - y < n - k ? inner - y : n - k;
      if (a->inner != 1) run = 1;
      int64_t to = loop_outer(l, a, x) + y * a->inner;
      store(run, sums + (size_t)k * bytes, NULL, NULL, at[s->access] + to * (int64_t)stored);
      k += run;
    }
  }
}

void loop_finish(const LoopPlan *plan, void *const *buffers, void *temp, void *scratch) {
  const Loop *l = &plan->loop;
  char *partials = temp, **at = scratch;
  int64_t rows = product(l->grid, 0, l->n_grid), kept = plan->units / plan->blocks;
  for (uint32_t i = 0; i < l->n_steps; i++) {
    const LoopStep *s = &l->steps[i];
    if (!is_partial(l, s)) continue;
    for (int64_t k = 0; k < kept && s->access != LOOP_UNUSED; k++) {
      addresses(l, buffers, k * (kept ? rows / kept : 1), 0, at);
      finish_one(plan, buffers, s, partials, k, at);
    }
    partials += round_up((size_t)(plan->units * partial_length(l, s)) * register_bytes(s));
  }
}
