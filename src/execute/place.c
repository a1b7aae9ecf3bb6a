// Problem: few buffers and few copies, for instructions with loops.
//
// Idea: a value that is not a view is a *content*: it is written at one position, or, as a loop's
// carry, at the copies to it, and is alive until its last use. Buffers are sets of contents that
// are never alive together. Some sets are given: a carry and the loop's result. Then sets are
// merged, if all of their contents stay apart in time: first source and target of a copy, so that
// the copy vanishes; then the output of a kernel with the input that it may overwrite; then copies
// again. Arguments and constants are never overwritten. Offsets follow from the interval of each
// set (schedule/assign.h).
//
//   init ─copy→ carry ┌─ body: x = update(carry) ─copy→ carry ─┐ → result
//        merged       └── x overwrites the carry: merged ──────┘   the carry's buffer
//
// Positions number the instructions in order; a loop contains the positions of its lists. A value
// from outside that a loop uses is alive until the loop's end. A carry is alive until the loop's
// condition has been tested, since the result is read behind it.
//
// Invariant: at every position, the contents that are alive are in different sets. Cost: O(values +
// uses · nesting + pairs of merged sets), with a bound on the size of a set.
#include <assert.h>
#include <string.h>

#include "execute/executable.h"
#include "execute/watch.h"
#include "ops/op.h"
#include "schedule/assign.h"

enum { MOST_CONTENTS = 4096 };  // of a set
#define FOREVER UINT32_MAX
#define NOWHERE UINT32_MAX

typedef struct Placer {
  Executable *exe;
  Arena *arena;
  uint32_t at;  // the next position
  // Per content:
  Instr **home;         // the loop or branch in whose lists it is defined; NULL: the main list
  uint32_t *from, *to;  // NOWHERE: not seen
  ValueId *next;        // the next content of its set
  // Per set, by its first content:
  ValueId *set;  // of a content; itself for the first
  uint32_t *count;
  uint64_t *bytes;
  bool *fixed;  // never overwritten
  VEC(Span) spans;
  VEC(BufferId) span_of;    // the buffer of each span
  VEC(ValueId) span_value;  // the value it is for
} Placer;

static ValueId content_of(const Placer *x, ValueId v) {
  while (v < x->exe->program->values.count && x->exe->alias[v]) v = x->exe->alias[v];
  return v;
}

static ValueId set_of(Placer *x, ValueId content) {
  while (x->set[content] != content) content = x->set[content] = x->set[x->set[content]];
  return content;
}

static uint64_t bytes_of(const Placer *x, ValueId v) { return executable_value_bytes(x->exe, v); }

static void define(Placer *x, ValueId v, Instr *home, uint32_t position) {
  if (x->from[v] == NOWHERE) {
    x->home[v] = home;
    x->from[v] = x->to[v] = position;
  }
}

// ---- positions, definitions, uses ----

static void number_list(Placer *x, InstrList *list, Instr *parent);

static void number_loop(Placer *x, Instr *loop) {
  for (uint32_t i = 0; i < loop->n_out; i++) x->home[loop->carries[i]] = loop;
  number_list(x, &loop->lists[0], loop);
  loop->test = x->at++;
  number_list(x, &loop->lists[1], loop);
  loop->end = x->at++;
  for (uint32_t i = 0; i < loop->n_out; i++) {
    x->to[loop->carries[i]] = loop->test;
    define(x, loop->out[i], loop->parent, loop->end);
  }
}

static void number_list(Placer *x, InstrList *list, Instr *parent) {
  for (uint32_t i = 0; i < list->count; i++) {
    Instr *instr = &list->items[i];
    instr->begin = instr->end = x->at++;
    if (instr->kind == INSTR_LOOP) {
      number_loop(x, instr);
      continue;
    }
    for (uint32_t k = 0; k < instr->n_out; k++) define(x, instr->out[k], parent, instr->begin);
    if (instr->kind != INSTR_BRANCH) continue;
    for (uint32_t k = 0; k < instr->n_lists; k++) number_list(x, &instr->lists[k], instr);
    instr->end = x->at++;
    // The copies at the end of its lists write the results, also those that are not used.
    for (uint32_t k = 0; k < instr->n_out; k++) x->to[instr->out[k]] = instr->end;
  }
}

// A use inside of loops or branches that do not define the content lasts until their end.
static void use(Placer *x, ValueId v, const Instr *user, uint32_t position) {
  ValueId content = content_of(x, v);
  if (x->from[content] == NOWHERE) {
    assert(
        (value_at(x->exe->program, content)->is_arg || executable_is_constant(x->exe, content)) &&
        "the value is an argument or a constant");
    x->from[content] = 0;
    x->to[content] = FOREVER;
    x->fixed[content] = true;
    return;
  }
  const Instr *at = user;
  while (at && at->parent != x->home[content]) at = at->parent;
  assert(at && "a value is used outside of the list that defines it");
  if (at && at != user) position = at->end;
  if (x->to[content] < position) x->to[content] = position;
}

static void use_list(Placer *x, const InstrList *list) {
  for (uint32_t i = 0; i < list->count; i++) {
    const Instr *instr = &list->items[i];
    if (instr->kind == INSTR_LOOP) {
      // The condition's result is read inside of the loop.
      ValueId test = content_of(x, instr->in[0]);
      if (x->from[test] != NOWHERE && x->home[test] == instr) {
        if (x->to[test] < instr->test) x->to[test] = instr->test;
      } else {
        use(x, test, instr, instr->end);
      }
    }
    for (uint32_t k = 0; k < instr->n_in && instr->kind != INSTR_LOOP; k++)
      use(x, instr->in[k], instr, instr->begin);
    for (uint32_t k = 0; k < instr->n_lists; k++) use_list(x, &instr->lists[k]);
  }
}

// ---- sets ----

// `touch`: the position at which content a may end and content b begin.
static bool apart(const Placer *x, ValueId a, ValueId b, ValueId from, ValueId to, uint32_t touch) {
  if (x->to[a] < x->from[b] || x->to[b] < x->from[a]) return true;
  return a == from && b == to && x->to[a] == touch && x->from[b] == touch;
}

static void join(Placer *x, ValueId a, ValueId b) {
  x->set[b] = a;
  x->count[a] += x->count[b];
  ValueId last = b;
  while (x->next[last]) last = x->next[last];
  x->next[last] = x->next[a];
  x->next[a] = b;
}

// Merges the sets of `from`, which ends at `touch` or before, and of `to`, which begins there or
// later, if their contents stay apart.
static bool merge(Placer *x, ValueId from, ValueId to, uint32_t touch) {
  ValueId a = set_of(x, from), b = set_of(x, to);
  if (a == b) return true;
  if (x->bytes[a] != x->bytes[b]) return false;  // a result has the size of its memory
  if (x->fixed[a] || x->fixed[b] || x->count[a] > MOST_CONTENTS || x->count[b] > MOST_CONTENTS)
    return false;
  for (ValueId i = a; i; i = x->next[i])
    for (ValueId k = b; k; k = x->next[k])
      if (!apart(x, i, k, from, to, touch)) return false;
  join(x, a, b);
  return true;
}

static void merge_carries(Placer *x, const InstrList *list) {
  for (uint32_t i = 0; i < list->count; i++) {
    const Instr *instr = &list->items[i];
    for (uint32_t k = 0; k < instr->n_lists; k++) merge_carries(x, &instr->lists[k]);
    if (instr->kind != INSTR_LOOP) continue;
    for (uint32_t k = 0; k < instr->n_out; k++)
      join(x, set_of(x, instr->carries[k]), set_of(x, instr->out[k]));
  }
}

static void merge_copies(Placer *x, const InstrList *list) {
  for (uint32_t i = 0; i < list->count; i++) {
    const Instr *instr = &list->items[i];
    for (uint32_t k = 0; k < instr->n_lists; k++) merge_copies(x, &instr->lists[k]);
    if (instr->kind == INSTR_COPY)
      merge(x, content_of(x, instr->in[0]), instr->out[0], instr->begin);
  }
}

// A view and its value, or two views, are one buffer: then the kernel reads elements that it has
// overwritten already.
static bool reads_twice(const Placer *x, const Instr *instr, uint32_t from) {
  for (uint32_t i = 0; i < instr->n_in; i++)
    if (i != from && content_of(x, instr->in[i]) == content_of(x, instr->in[from])) return true;
  return false;
}

static void merge_in_place(Placer *x, const InstrList *list) {
  for (uint32_t i = 0; i < list->count; i++) {
    const Instr *instr = &list->items[i];
    for (uint32_t k = 0; k < instr->n_lists; k++) merge_in_place(x, &instr->lists[k]);
    if (instr->kind != INSTR_KERNEL || !instr->kernel->in_place) continue;
    for (uint32_t k = 0; k < instr->n_out; k++) {
      uint32_t from = instr->kernel->in_place[k];
      if (from == KERNEL_APART || reads_twice(x, instr, from)) continue;
      merge(x, content_of(x, instr->in[from]), instr->out[k], instr->begin);
    }
  }
}

// ---- buffers ----

// v: the value that it is for, in messages; 0: none.
static BufferId add_buffer(Placer *x, Buffer buffer, ValueId v, uint32_t from, uint32_t to) {
  BufferId id = x->exe->buffers.count;
  VEC_PUSH(&x->exe->arena, &x->exe->buffers, buffer);
  if (buffer.segment == SEGMENT_TEMP) {
    VEC_PUSH(x->arena, &x->spans, ((Span){.bytes = buffer.bytes, .from = from, .to = to}));
    VEC_PUSH(x->arena, &x->span_of, id);
    VEC_PUSH(x->arena, &x->span_value, v);
  }
  return id;
}

// One buffer per set. A set with a result of the function is that result's memory.
static void make_buffers(Placer *x) {
  Executable *exe = x->exe;
  for (ValueId v = 1; v < exe->n_values; v++) {
    if (x->from[v] == NOWHERE || x->set[v] != v) continue;
    Buffer buffer = {.segment = SEGMENT_TEMP, .bytes = x->bytes[v]};
    uint32_t from = x->from[v], to = x->to[v];
    for (ValueId i = v; i; i = x->next[i]) {
      if (x->from[i] < from) from = x->from[i];
      if (x->to[i] > to) to = x->to[i];
      if (i >= exe->results) {
        buffer.segment = SEGMENT_RESULT;
        buffer.index = i - exe->results;
      }
    }
    if (x->fixed[v]) {
      buffer.segment = executable_is_constant(exe, v) ? SEGMENT_CONSTANT : SEGMENT_ARGUMENT;
      buffer.index = buffer.segment == SEGMENT_ARGUMENT ? value_at(exe->program, v)->index : 0;
    }
    BufferId id = add_buffer(x, buffer, v, from, to);
    for (ValueId i = v; i; i = x->next[i]) exe->place[i] = id;
  }
}

static BufferId place_of(const Placer *x, ValueId v) { return x->exe->place[content_of(x, v)]; }

// ---- copies at the end of a list ----

typedef struct Move {
  BufferId from, to;
  Instr instr;
} Move;

// Orders the copies of a parallel assignment: none overwrites a buffer that a later one reads.
// Cycles go through a buffer of their own. O(copies²) for copies that remain, which are few.
static void order_moves(Placer *x, InstrList *list) {
  uint32_t all = list->n_tail, first = list->count - all, n = 0;
  Move *moves = ARENA_ARRAY(x->arena, Move, all + 1);
  for (uint32_t i = first; i < list->count; i++) {
    Move move = {place_of(x, list->items[i].in[0]), place_of(x, list->items[i].out[0]),
                 list->items[i]};
    if (move.from != move.to) moves[n++] = move;
  }
  list->count = first;
  list->n_tail = n;
  while (n) {
    uint32_t i = 0;
    for (; i < n; i++) {
      bool read = false;
      for (uint32_t k = 0; k < n && !read; k++) read = k != i && moves[k].from == moves[i].to;
      if (!read) break;
    }
    if (i == n) {  // a cycle: save what the first one would overwrite
      Move *move = &moves[0];
      const Buffer *lost = &x->exe->buffers.items[move->to];
      BufferId saved = add_buffer(x, (Buffer){.segment = SEGMENT_TEMP, .bytes = lost->bytes}, 0,
                                  move->instr.begin - all, move->instr.end + all);
      Instr *copy = &list->items[list->count++];
      *copy = move->instr;
      copy->first = x->exe->refs.count;
      VEC_PUSH(&x->exe->arena, &x->exe->refs, move->to);
      VEC_PUSH(&x->exe->arena, &x->exe->refs, saved);
      for (uint32_t k = 0; k < n; k++)
        if (moves[k].from == move->to) moves[k].from = saved;
      continue;
    }
    Instr *copy = &list->items[list->count++];
    *copy = moves[i].instr;
    copy->first = x->exe->refs.count;
    VEC_PUSH(&x->exe->arena, &x->exe->refs, moves[i].from);
    VEC_PUSH(&x->exe->arena, &x->exe->refs, moves[i].to);
    moves[i] = moves[--n];
  }
}

// Addresses of instructions, temporaries of kernels; copies within one buffer vanish.
static void address_list(Placer *x, InstrList *list) {
  Executable *exe = x->exe;
  uint32_t n = 0, tail = list->count - list->n_tail;
  for (uint32_t i = 0; i < tail; i++) {
    Instr *instr = &list->items[i];
    if (instr->kind == INSTR_COPY && place_of(x, instr->in[0]) == place_of(x, instr->out[0]))
      continue;
    instr->first = exe->refs.count;
    for (uint32_t k = 0; k < instr->n_in; k++)
      VEC_PUSH(&exe->arena, &exe->refs, place_of(x, instr->in[k]));
    for (uint32_t k = 0; k < instr->n_out; k++)
      VEC_PUSH(&exe->arena, &exe->refs, place_of(x, instr->out[k]));
    size_t temp = 0;
    for (const Kernel *kernel = instr->kernel; kernel; kernel = kernel->next) {
      if (kernel->temp_bytes > temp) temp = kernel->temp_bytes;
      if (kernel->scratch_bytes > exe->scratch_bytes) exe->scratch_bytes = kernel->scratch_bytes;
    }
    if (temp)
      VEC_PUSH(&exe->arena, &exe->refs,
               add_buffer(x, (Buffer){.segment = SEGMENT_TEMP, .bytes = temp}, 0, instr->begin,
                          instr->begin));
    for (uint32_t k = 0; k < instr->n_lists; k++) address_list(x, &instr->lists[k]);
    if (n != i) list->items[n] = *instr;
    n++;
  }
  for (uint32_t i = tail; i < list->count && n != tail; i++)
    list->items[n + i - tail] = list->items[i];
  list->count -= tail - n;
  order_moves(x, list);
}

static void set_parents(InstrList *list, Instr *parent) {
  for (uint32_t i = 0; i < list->count; i++) {
    list->items[i].parent = parent;
    for (uint32_t k = 0; k < list->items[i].n_lists; k++)
      set_parents(&list->items[i].lists[k], &list->items[i]);
  }
}

Status *place_values(Executable *exe) {
  uint32_t n = exe->n_values + 1;
  Arena *arena = &exe->arena;
  Placer x = {.exe = exe,
              .arena = arena,
              .at = 1,
              .home = ARENA_ARRAY(arena, Instr *, n),
              .from = ARENA_ARRAY(arena, uint32_t, n),
              .to = ARENA_ARRAY(arena, uint32_t, n),
              .next = ARENA_ARRAY(arena, ValueId, n),
              .set = ARENA_ARRAY(arena, ValueId, n),
              .count = ARENA_ARRAY(arena, uint32_t, n),
              .bytes = ARENA_ARRAY(arena, uint64_t, n),
              .fixed = ARENA_ARRAY(arena, bool, n)};
  for (ValueId v = 0; v < n; v++) {
    x.from[v] = NOWHERE;
    x.set[v] = v;
    x.count[v] = 1;
    if (v && v < exe->n_values) x.bytes[v] = bytes_of(&x, v);
  }
  VEC_PUSH(arena, &exe->buffers, ((Buffer){0}));  // 0: none
  exe->place = ARENA_ARRAY(arena, BufferId, n);
  set_parents(&exe->main, NULL);
  number_list(&x, &exe->main, NULL);
  exe->n_positions = x.at;
  for (uint32_t i = 0; i < exe->n_out; i++) x.to[exe->results + i] = FOREVER;
  use_list(&x, &exe->main);
  merge_carries(&x, &exe->main);
  merge_copies(&x, &exe->main);
  merge_in_place(&x, &exe->main);
  merge_copies(&x, &exe->main);
  make_buffers(&x);
  address_list(&x, &exe->main);
  set_parents(&exe->main, NULL);
  exe->temp_bytes = assign_offsets(x.spans.count, x.spans.items, KERNEL_ALIGN, arena);
  exe->mapped_bytes = watch_assign(exe->temp_bytes, x.spans.count, x.spans.items, arena);
  if (exe->temp_bytes == UINT64_MAX || exe->mapped_bytes == UINT64_MAX)
    FAIL(RESOURCE_EXHAUSTED, "the values of the program are too big for this machine");
  for (uint32_t i = 0; i < x.spans.count; i++)
    exe->buffers.items[x.span_of.items[i]].offset = x.spans.items[i].offset;
  exe->spans = x.spans.items;
  exe->span_values = x.span_value.items;
  exe->n_spans = x.spans.count;
  return NULL;
}
