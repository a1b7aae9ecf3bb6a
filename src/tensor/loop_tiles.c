// The tiles: an engine of loops without code generation.
//
// Problem: a fused loop must keep values between steps in fast memory, and no compiler is at hand.
//
// Idea: each step runs over a chunk of a row (2 KB per value, so that a chunk's values stay in L1)
// by a precompiled, vectorized function (loop_lanes.c). `prepare` turns the steps into instructions
// per pass: a function, and the places of its operands and result. A place is a slot of the scratch
// memory, a kept row, or the buffer itself, if its elements are contiguous and need no conversion.
// Values that a later pass needs are kept as rows; loads are repeated instead. Short rows without
// reductions are taken several at a time.
//
// Invariant: results do not depend on the chunk's size, since elements are combined by lane number.
// Cost: about 5 ns per instruction and chunk, plus the functions.
#include <assert.h>
#include <string.h>

#include "tensor/loop.h"

enum { SLOT_BYTES = 2048, NO_SLOT = UINT16_MAX };

typedef enum PlaceKind {
  PLACE_NONE,
  PLACE_SLOT,    // fixed memory in the scratch
  PLACE_KEPT,    // a row in the scratch: moves with the chunk
  PLACE_BUFFER,  // the buffer of an access: moves with the chunk
} PlaceKind;

typedef enum InstrKind {
  INSTR_LANES,
  INSTR_LOAD,  // strided or converted
  INSTR_STORE,
  INSTR_INDEX,
  INSTR_CALL,
  INSTR_FOLD,    // of a row, into lanes
  INSTR_COLUMN,  // into accumulators
} InstrKind;

typedef struct Instr {
  LoopLanes run, round;  // round: the result to 16 bits; NULL: not needed
  uint8_t kind;
  uint16_t a, b, c, r;  // steps
  uint16_t access, number;
} Instr;

typedef struct Pass {
  uint32_t n_row, n_element, n_moving;
  Instr *row, *element;
  uint16_t *moving;  // steps whose place moves with the chunk in this pass
  uint32_t n_splat;
  uint16_t *splat;  // row values that elements of this pass use: spread over a slot
} Pass;

typedef struct Place {
  uint8_t kind;
  uint16_t access;
  size_t offset;  // in the scratch
  size_t bytes;   // of an element
} Place;

typedef struct Tiles {
  const Loop *loop;
  int64_t chunk;  // elements
  bool flat;      // several rows at a time
  Pass *passes;
  Place *places;     // per step
  size_t *spread;    // per step: the slot where a row value is spread; 0: none
  size_t *lanes;     // per step: lanes of a reduction
  uint64_t *start;   // per step: the neutral element of a reduction
  uint16_t *number;  // per step: of a column or split reduction among the partial results
  size_t scratch_bytes;
  uint32_t n_steps;
} Tiles;

typedef struct Prepare {
  const Loop *loop;
  Tiles *t;
  Arena *arena;
  int64_t *last_use;  // per step: the last element step that uses it, in this pass
  bool *kept, *needed;
  bool *again;  // a source that several passes load: its slot is its own
  size_t *free;
  uint32_t n_free;
} Prepare;

static size_t scratch_take(Tiles *t, size_t bytes) {
  size_t at = t->scratch_bytes;
  t->scratch_bytes += (bytes + 63) & ~(size_t)63;
  return at;
}

static bool is_source(const LoopStep *s) { return s->op == SCALAR_load || s->op == SCALAR_index; }

static uint32_t step_arity(const LoopStep *s) {
  return s->op == SCALAR_call ? s->call->n_in : scalar_op_info((ScalarOp)s->op)->operands;
}

static LoopLevel level_of(const Tiles *t, const LoopStep *s) {
  return t->flat && s->level == LOOP_ROW ? LOOP_ELEMENT : (LoopLevel)s->level;
}

// Elements that lie next to each other, over several rows too.
static bool contiguous(const Tiles *t, const LoopAccess *x) {
  const Loop *l = t->loop;
  bool rows = !t->flat || l->n_grid == 0 || x->grid[l->n_grid - 1] == l->inner * x->inner;
  return x->inner == 1 && rows;
}

static size_t slot_take(Prepare *p) {
  return p->n_free ? p->free[--p->n_free] : scratch_take(p->t, SLOT_BYTES);
}

static Instr instr_of(const Prepare *p, uint16_t i) {
  const LoopStep *s = &p->loop->steps[i];
  Instr in = {.r = i, .a = s->in[0], .b = s->in[1], .c = s->in[2], .access = s->access};
  switch ((ScalarOp)s->op) {
  case SCALAR_load:
    in.kind = INSTR_LOAD;
    in.run = loop_lanes_load((DType)s->dtype);
    break;
  case SCALAR_store:
    in.kind = INSTR_STORE;
    in.run = loop_lanes_store((DType)s->dtype);
    break;
  case SCALAR_index:
    in.kind = INSTR_INDEX;
    in.run = loop_lanes(SCALAR_convert, (DType)s->dtype, DT_i64);
    in.round = loop_lanes_round((DType)s->dtype);
    break;
  case SCALAR_call: in.kind = INSTR_CALL; break;
  case SCALAR_reduce:
    in.kind = INSTR_FOLD;
    in.run = loop_lanes_fold((ScalarOp)s->combine, (DType)s->dtype);
    break;
  case SCALAR_column:
    in.kind = INSTR_COLUMN;
    in.run = loop_lanes((ScalarOp)s->combine, (DType)s->dtype, (DType)s->dtype);
    in.round = loop_lanes_round((DType)s->dtype);
    in.number = p->t->number[i];
    break;
  default:
    in.kind = INSTR_LANES;
    in.run = loop_lanes((ScalarOp)s->op, (DType)s->dtype, (DType)s->from);
    // Selects, signs and the like give values of the type already; converts from narrower types
    // too, but rounding again changes nothing.
    in.round = s->op == SCALAR_select ? NULL : loop_lanes_round((DType)s->dtype);
  }
  return in;
}

static bool instr_valid(const Prepare *p, const Instr *in) {
  const LoopStep *s = &p->loop->steps[in->r];
  if (in->kind == INSTR_FOLD && !loop_lanes((ScalarOp)s->combine, (DType)s->dtype, (DType)s->dtype))
    return false;
  return in->kind == INSTR_CALL || in->run;
}

// The place of an element step's result in this pass.
static void place_result(Prepare *p, uint16_t i) {
  const LoopStep *s = &p->loop->steps[i];
  Place *place = &p->t->places[i];
  size_t bytes = (size_t)dtype_bytes(loop_register((DType)s->dtype));
  if (p->kept[i])
    *place =
        (Place){.kind = PLACE_KEPT,
                .bytes = bytes,
                .offset = scratch_take(p->t, (size_t)(p->loop->outer * p->loop->inner) * bytes)};
  else if (!p->again[i] || place->kind == PLACE_NONE)
    *place = (Place){.kind = PLACE_SLOT, .bytes = bytes, .offset = slot_take(p)};
}

static bool direct_load(const Prepare *p, const LoopStep *s) {
  return s->op == SCALAR_load && loop_register((DType)s->dtype) == s->dtype &&
         contiguous(p->t, &p->loop->accesses[s->access]);
}

// Frees the slots of operands that no later step of this pass uses. bytes: only of values of this
// width, whose slot the result may take, since element i is read before it is written; 0: all.
static void release_operands(Prepare *p, uint16_t user, size_t bytes) {
  const LoopStep *s = &p->loop->steps[user];
  for (uint32_t k = 0; k < step_arity(s); k++) {
    uint16_t v = s->in[k];
    if (p->last_use[v] != user || p->t->places[v].kind != PLACE_SLOT || p->again[v] ||
        level_of(p->t, &p->loop->steps[v]) != LOOP_ELEMENT ||
        (bytes && p->t->places[v].bytes != bytes))
      continue;
    p->free[p->n_free++] = p->t->places[v].offset;
    p->last_use[v] = -1;
  }
}

// A row value or constant that elements use: spread over a slot of its own.
static void spread(Prepare *p, Pass *pass, uint16_t v) {
  Tiles *t = p->t;
  const LoopStep *s = &p->loop->steps[v];
  if (level_of(t, s) == LOOP_ELEMENT) return;
  if (!t->spread[v]) t->spread[v] = scratch_take(t, SLOT_BYTES);
  if (s->level == LOOP_ONCE) return;
  for (uint32_t k = 0; k < pass->n_splat; k++)
    if (pass->splat[k] == v) return;
  pass->splat[pass->n_splat++] = v;
}

static bool prepare_pass(Prepare *p, uint32_t number) {
  const Loop *l = p->loop;
  Tiles *t = p->t;
  Pass *pass = &t->passes[number];
  pass->row = ARENA_ARRAY(p->arena, Instr, l->n_steps + 1);
  pass->element = ARENA_ARRAY(p->arena, Instr, l->n_steps + 1);
  pass->moving = ARENA_ARRAY(p->arena, uint16_t, l->n_steps + 1);
  pass->splat = ARENA_ARRAY(p->arena, uint16_t, l->n_steps + 1);
  memset(p->needed, 0, l->n_steps * sizeof *p->needed);
  for (uint32_t i = 0; i < l->n_steps; i++) {
    const LoopStep *s = &l->steps[i];
    p->last_use[i] = -1;
    bool element =
        level_of(t, s) == LOOP_ELEMENT || s->op == SCALAR_reduce || s->op == SCALAR_column;
    if (s->pass != number || !element) continue;
    p->needed[i] = true;
    for (uint32_t k = 0; k < step_arity(s); k++) {
      p->last_use[s->in[k]] = i;
      p->needed[s->in[k]] = true;
    }
  }
  for (uint16_t i = 0; i < l->n_steps; i++) {
    const LoopStep *s = &l->steps[i];
    LoopLevel level = level_of(t, s);
    if (s->op == SCALAR_constant) continue;
    bool folds = s->op == SCALAR_reduce || s->op == SCALAR_column;
    if (level == LOOP_ROW && !folds) {
      if (s->pass != number) continue;
      Instr in = instr_of(p, i);
      if (!instr_valid(p, &in)) return false;
      pass->row[pass->n_row++] = in;
      continue;
    }
    if (!p->needed[i] || (level != LOOP_ELEMENT && !folds)) continue;
    if (s->pass != number && !is_source(s)) {
      pass->moving[pass->n_moving++] = i;  // kept by an earlier pass
      continue;
    }
    for (uint32_t k = 0; k < step_arity(s); k++) spread(p, pass, s->in[k]);
    Instr in = instr_of(p, i);
    if (!instr_valid(p, &in)) return false;
    if (folds || s->op == SCALAR_store) {
      pass->element[pass->n_element++] = in;
      release_operands(p, i, 0);
      continue;
    }
    if (direct_load(p, s)) {
      t->places[i] = (Place){
          .kind = PLACE_BUFFER, .access = s->access, .bytes = (size_t)dtype_bytes((DType)s->dtype)};
      pass->moving[pass->n_moving++] = i;
      continue;
    }
    release_operands(p, i, (size_t)dtype_bytes(loop_register((DType)s->dtype)));
    place_result(p, i);
    release_operands(p, i, 0);
    if (t->places[i].kind == PLACE_KEPT) pass->moving[pass->n_moving++] = i;
    pass->element[pass->n_element++] = in;
  }
  return true;
}

// Row steps have a slot each, for one element; constants too.
static void place_rows(Prepare *p) {
  for (uint32_t i = 0; i < p->loop->n_steps; i++) {
    const LoopStep *s = &p->loop->steps[i];
    size_t bytes = (size_t)dtype_bytes(loop_register((DType)s->dtype));
    if (level_of(p->t, s) != LOOP_ELEMENT)
      p->t->places[i] =
          (Place){.kind = PLACE_SLOT, .bytes = bytes, .offset = scratch_take(p->t, bytes)};
    if (s->op == SCALAR_column) p->t->places[i].bytes = bytes;
    if (s->op == SCALAR_reduce) {
      p->t->lanes[i] = scratch_take(p->t, LOOP_LANES * bytes);
      p->t->start[i] = loop_identity((ScalarOp)s->combine, (DType)s->dtype);
    }
  }
}

static int64_t chunk_of(const Loop *l) {
  int widest = 4;
  for (uint32_t i = 0; i < l->n_steps; i++) {
    int bytes = dtype_bytes(loop_register((DType)l->steps[i].dtype));
    if (bytes > widest) widest = bytes;
    if (l->steps[i].op == SCALAR_index && widest < 8) widest = 8;
  }
  return SLOT_BYTES / widest;
}

static const void *prepare(const Loop *loop, Arena *arena, size_t *out_scratch_bytes) {
  uint32_t n = loop->n_steps;
  Tiles *t = ARENA_NEW(arena, Tiles);
  *t = (Tiles){.loop = loop,
               .chunk = chunk_of(loop),
               .n_steps = n,
               .passes = ARENA_ARRAY(arena, Pass, loop->n_passes),
               .places = ARENA_ARRAY(arena, Place, n),
               .spread = ARENA_ARRAY(arena, size_t, n),
               .lanes = ARENA_ARRAY(arena, size_t, n),
               .start = ARENA_ARRAY(arena, uint64_t, n),
               .number = ARENA_ARRAY(arena, uint16_t, n),
               .scratch_bytes = SLOT_BYTES};  // the first slot: staging of indices and conversions
  t->flat = !loop->ordered && !loop->n_rows && !loop->n_columns && loop->outer == 1 && loop->n_grid > 0 &&
            2 * loop->inner <= t->chunk;
  Prepare p = {.loop = loop,
               .t = t,
               .arena = arena,
               .last_use = ARENA_ARRAY(arena, int64_t, n),
               .kept = ARENA_ARRAY(arena, bool, n),
               .again = ARENA_ARRAY(arena, bool, n),
               .needed = ARENA_ARRAY(arena, bool, n),
               .free = ARENA_ARRAY(arena, size_t, n + 1)};
  uint16_t partial = 0;
  for (uint32_t i = 0; i < n; i++) {
    const LoopStep *s = &loop->steps[i];
    if (s->op == SCALAR_column || (s->op == SCALAR_reduce && loop->split)) t->number[i] = partial++;
    for (uint32_t k = 0; k < step_arity(s); k++) {
      const LoopStep *v = &loop->steps[s->in[k]];
      bool element =
          level_of(t, s) == LOOP_ELEMENT || s->op == SCALAR_reduce || s->op == SCALAR_column;
      if (!element || level_of(t, v) != LOOP_ELEMENT || v->pass == s->pass) continue;
      *(is_source(v) ? &p.again[s->in[k]] : &p.kept[s->in[k]]) = true;
    }
  }
  place_rows(&p);
  for (uint32_t k = 0; k < loop->n_passes; k++)
    if (!prepare_pass(&p, k)) return NULL;
  *out_scratch_bytes = t->scratch_bytes + n * sizeof(char *);
  return t;
}

// ---- running ----

typedef struct Run {
  const Tiles *t;
  const LoopBlock *b;
  char **at;  // per step: where its chunk is
  char *scratch;
  int64_t row, rows, outer, first;  // of the chunk: rows of it, its first element
  int64_t n;                        // elements of the inner dimension
} Run;

static void fill(void *to, const void *element, size_t bytes, int64_t n) {
  if (bytes == 4) {
    uint32_t v, *p = to;
    memcpy(&v, element, 4);
    for (int64_t i = 0; i < n; i++) p[i] = v;
  } else if (bytes == 1) {
    memset(to, *(const uint8_t *)element, (size_t)n);
  } else {
    for (int64_t i = 0; i < n; i++) memcpy((char *)to + (size_t)i * bytes, element, bytes);
  }
}

// The address of the chunk's row `row` in the buffer of an access.
static char *row_address(const Run *x, const LoopAccess *a, uint16_t access, int64_t row) {
  const Loop *l = x->t->loop;
  int64_t stride = l->n_grid ? a->grid[l->n_grid - 1] : 0;
  int64_t at = (x->row + row) * stride + loop_outer(l, a, x->outer) + x->first * a->inner;
  return x->b->at[access] + at * dtype_bytes((DType)a->dtype);
}

// Gathers n elements with a stride, as they are stored.
static void gather(char *to, const char *from, size_t bytes, int64_t stride, int64_t n) {
  if (bytes == 4) {
    const uint32_t *s = (const void *)from;
    uint32_t *d = (void *)to;
    for (int64_t i = 0; i < n; i++) d[i] = s[i * stride];
  } else {
    for (int64_t i = 0; i < n; i++)
      memcpy(to + (size_t)i * bytes, from + i * stride * (int64_t)bytes, bytes);
  }
}

static void scatter(char *to, const char *from, size_t bytes, int64_t stride, int64_t n) {
  for (int64_t i = 0; i < n; i++)
    memcpy(to + i * stride * (int64_t)bytes, from + (size_t)i * bytes, bytes);
}

static void run_load(const Run *x, const Instr *in) {
  const LoopAccess *a = &x->t->loop->accesses[in->access];
  size_t stored = (size_t)dtype_bytes((DType)a->dtype), bytes = x->t->places[in->r].bytes;
  char *to = x->at[in->r];
  if (contiguous(x->t, a)) {
    in->run(x->n * x->rows, row_address(x, a, in->access, 0), NULL, NULL, to);
    return;
  }
  for (int64_t row = 0; row < x->rows; row++, to += (size_t)x->n * bytes) {
    const char *from = row_address(x, a, in->access, row);
    if (a->inner == 0) {
      char one[16];
      in->run(1, from, NULL, NULL, one);
      fill(to, one, bytes, x->n);
    } else if (a->inner == 1) {
      in->run(x->n, from, NULL, NULL, to);
    } else {
      gather(x->scratch, from, stored, a->inner, x->n);
      in->run(x->n, x->scratch, NULL, NULL, to);
    }
  }
}

static void run_store(const Run *x, const Instr *in) {
  const LoopAccess *a = &x->t->loop->accesses[in->access];
  size_t stored = (size_t)dtype_bytes((DType)a->dtype), bytes = x->t->places[in->a].bytes;
  const char *from = x->at[in->a];
  if (contiguous(x->t, a)) {
    in->run(x->n * x->rows, from, NULL, NULL, row_address(x, a, in->access, 0));
    return;
  }
  for (int64_t row = 0; row < x->rows; row++, from += (size_t)x->n * bytes) {
    char *to = row_address(x, a, in->access, row);
    if (a->inner == 1) {
      in->run(x->n, from, NULL, NULL, to);
    } else {
      in->run(x->n, from, NULL, NULL, x->scratch);
      scatter(to, x->scratch, stored, a->inner, x->n);
    }
  }
}

static void run_index(const Run *x, const Instr *in) {
  const Loop *l = x->t->loop;
  const LoopAccess *a = &l->accesses[in->access];
  int64_t *values = (void *)x->scratch, count = 0;
  for (int64_t row = 0; row < x->rows; row++) {
    int64_t at =
        (int64_t)(intptr_t)x->b->at[in->access] + loop_outer(l, a, x->outer) + x->first * a->inner;
    if (l->n_grid) at += (x->row + row) * a->grid[l->n_grid - 1];
    for (int64_t i = 0; i < x->n; i++) values[count++] = at + i * a->inner;
  }
  in->run(count, values, NULL, NULL, x->at[in->r]);
  if (in->round) in->round(count, x->at[in->r], NULL, NULL, x->at[in->r]);
}

static void run_instr(const Run *x, const Instr *in) {
  int64_t n = x->n * x->rows;
  switch ((InstrKind)in->kind) {
  case INSTR_LANES:
    in->run(n, x->at[in->a], x->at[in->b], x->at[in->c], x->at[in->r]);
    if (in->round) in->round(n, x->at[in->r], NULL, NULL, x->at[in->r]);
    break;
  case INSTR_LOAD: run_load(x, in); break;
  case INSTR_STORE: run_store(x, in); break;
  case INSTR_INDEX: run_index(x, in); break;
  case INSTR_CALL: {
    const LoopCall *call = x->t->loop->steps[in->r].call;
    const void *args[3] = {x->at[in->a], x->at[in->b], x->at[in->c]};
    call->run(call->data, n, args, x->at[in->r]);
    break;
  }
  case INSTR_FOLD: in->run(n, x->at[in->a], NULL, NULL, x->scratch + x->t->lanes[in->r]); break;
  case INSTR_COLUMN: {
    size_t bytes = x->t->places[in->r].bytes;
    char *sum = (char *)x->b->partial[in->number] + (size_t)x->first * bytes;
    in->run(n, sum, x->at[in->a], NULL, sum);
    if (in->round) in->round(n, sum, NULL, NULL, sum);
    break;
  }
  }
}

static void run_row_steps(Run *x, const Pass *pass) {
  x->n = 1, x->rows = 1, x->outer = 0, x->first = 0;
  for (uint32_t k = 0; k < pass->n_row; k++) run_instr(x, &pass->row[k]);
}

static void run_chunk(Run *x, const Pass *pass) {
  const Tiles *t = x->t;
  for (uint32_t k = 0; k < pass->n_moving; k++) {
    uint16_t v = pass->moving[k];
    const Place *place = &t->places[v];
    if (place->kind == PLACE_KEPT)
      x->at[v] = x->scratch + place->offset +
                 (size_t)(x->outer * t->loop->inner + x->first) * place->bytes;
    else
      x->at[v] = row_address(x, &t->loop->accesses[place->access], place->access, 0);
  }
  for (uint32_t k = 0; k < pass->n_element; k++) run_instr(x, &pass->element[k]);
}

// Elements of a pass over one row.
static void run_elements(Run *x, const Pass *pass) {
  const Tiles *t = x->t;
  if (!pass->n_element) return;
  int64_t widest = x->b->inners < t->chunk ? x->b->inners : t->chunk;
  for (uint32_t k = 0; k < pass->n_splat; k++) {
    uint16_t v = pass->splat[k];
    fill(x->scratch + t->spread[v], x->scratch + t->places[v].offset, t->places[v].bytes, widest);
    x->at[v] = x->scratch + t->spread[v];
  }
  for (uint32_t i = 0; i < t->n_steps; i++) {  // constants and slots
    if (!t->lanes[i]) continue;
    const LoopStep *s = &t->loop->steps[i];
    if (pass == &t->passes[s->pass])
      fill(x->scratch + t->lanes[i], &t->start[i], t->places[i].bytes, LOOP_LANES);
  }
  x->rows = 1;
  for (x->outer = x->b->outer; x->outer < x->b->outer + x->b->outers; x->outer++)
    for (x->first = 0; x->first < x->b->inners; x->first += t->chunk) {
      x->n = x->b->inners - x->first < t->chunk ? x->b->inners - x->first : t->chunk;
      run_chunk(x, pass);
    }
}

// Reductions of the pass become row values, or partial results of a split loop.
static void finish_reductions(Run *x, uint32_t number) {
  const Tiles *t = x->t;
  for (uint32_t i = 0; i < t->n_steps; i++) {
    const LoopStep *s = &t->loop->steps[i];
    if (s->op != SCALAR_reduce || s->pass != number) continue;
    char *lanes = x->scratch + t->lanes[i];
    loop_combine_lanes((ScalarOp)s->combine, (DType)s->dtype, lanes);
    void *to = t->loop->split ? x->b->partial[t->number[i]] : x->scratch + t->places[i].offset;
    memcpy(to, lanes, t->places[i].bytes);
  }
}

static void start(Run *x) {
  const Tiles *t = x->t;
  for (uint32_t i = 0; i < t->n_steps; i++) {
    const LoopStep *s = &t->loop->steps[i];
    const Place *place = &t->places[i];
    x->at[i] = x->scratch + place->offset;
    if (s->op != SCALAR_constant) continue;
    union {
      uint64_t bits;
      uint16_t half;
      uint8_t bytes[16];
    } value = {.bytes = {0}};
    value.bits = s->bits;
    if (s->dtype == DT_bf16 || s->dtype == DT_f16) {
      uint16_t half = (uint16_t)s->bits;
      loop_lanes_load((DType)s->dtype)(1, &half, NULL, NULL, &value);
    }
    memcpy(x->scratch + place->offset, &value, place->bytes > 8 ? 8 : place->bytes);
    if (t->spread[i]) {
      fill(x->scratch + t->spread[i], x->scratch + place->offset, place->bytes, t->chunk);
      x->at[i] = x->scratch + t->spread[i];
    }
  }
}

static void run_flat(Run *x) {
  const Tiles *t = x->t;
  int64_t each = t->chunk / (x->b->inners ? x->b->inners : 1);
  x->outer = x->first = 0;
  for (x->row = 0; x->row < x->b->rows; x->row += each) {
    x->n = x->b->inners;
    x->rows = x->b->rows - x->row < each ? x->b->rows - x->row : each;
    run_chunk(x, &t->passes[0]);
  }
}

static void run(const void *code, const LoopBlock *block) {
  const Tiles *t = code;
  Run x = {.t = t,
           .b = block,
           .scratch = block->scratch,
           .at = (char **)(void *)(block->scratch + t->scratch_bytes)};
  start(&x);
  if (t->flat) {
    run_flat(&x);
    return;
  }
  for (x.row = 0; x.row < block->rows; x.row++)
    for (uint32_t k = 0; k < t->loop->n_passes; k++) {
      const Pass *pass = &t->passes[k];
      // Row values of earlier passes are read from their place, elements read the spread ones.
      for (uint32_t i = 0; i < pass->n_row; i++) {
        const Instr *in = &pass->row[i];
        uint16_t steps[4] = {in->a, in->b, in->c, in->r};
        for (int j = 0; j < 4; j++) x.at[steps[j]] = x.scratch + t->places[steps[j]].offset;
      }
      run_row_steps(&x, pass);
      for (uint32_t i = 0; i < pass->n_row; i++) {  // constants are spread for elements
        const Instr *in = &pass->row[i];
        uint16_t steps[3] = {in->a, in->b, in->c};
        for (int j = 0; j < 3; j++)
          if (t->spread[steps[j]]) x.at[steps[j]] = x.scratch + t->spread[steps[j]];
      }
      run_elements(&x, pass);
      finish_reductions(&x, k);
    }
}

const LoopEngine loop_tiles = {.version = 1, .name = "tiles", .prepare = prepare, .run = run};
