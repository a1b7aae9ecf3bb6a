// A table of plain names by their hash; what is not in it (globs, `%12`, lines, other words for
// results) is looked for by going over the program.
#include "annotate/target_index.h"

#include <string.h>

#include "base/vec.h"

typedef struct Known {
  Str key;
  Target target;
  bool number;    // what has a name is also called by number, if nothing else has that for a name
  uint32_t next;  // of the same chain: entry + 1
} Known;

struct TargetIndex {
  bool single;  // one function: of several each reads a pattern in its own way
  const Program *program;
  Arena *arena;
  VEC(Known) known;
  uint32_t *heads;  // entry + 1
  uint32_t mask;
};

static uint32_t *head_of(const TargetIndex *index, Str key) {
  return &index->heads[(uint32_t)hash_bytes(key.s, key.n) & index->mask];
}

static void add(TargetIndex *index, Str key, Target target, bool number) {
  if (key.n) VEC_PUSH(index->arena, &index->known, ((Known){key, target, number, 0}));
}

static bool is_number(Str name) {
  for (size_t i = 0; i < name.n; i++)
    if (name.s[i] < '0' || name.s[i] > '9') return false;
  return name.n > 0;
}

// A name that the printer gave: 12, arg3.
static bool is_numbered(Str name) {
  return is_number(str_starts(name, "arg") ? (Str){name.s + 3, name.n - 3} : name);
}

static void add_function(TargetIndex *index, OpId function) {
  const Program *p = index->program;
  for (uint32_t i = 0; i < function_n_arguments(p, function); i++) {
    ValueId value = function_argument(p, function, i);
    Target target = {function, TARGET_ARGUMENT, i, value};
    Str path = argument_path(p, function, i, index->arena);
    Str name = value ? name_str(p->context, value_at(p, value)->name) : (Str){0};
    Str number = str_of(arena_printf(index->arena, "arg%u", i));
    if (is_numbered(name) || str_equal(name, path)) name = (Str){0};
    add(index, path, target, false);
    add(index, name, target, false);
    add(index, number, target, path.n || name.n);
  }
  for (uint32_t i = 0; i < function_n_results(p, function); i++) {
    Target target = {function, TARGET_RESULT, i, 0};
    Str path = result_path(p, function, i, index->arena);
    Str number = str_of(arena_printf(index->arena, "result.%u", i));
    add(index, path, target, false);
    add(index, number, target, path.n > 0);
  }
}

TargetIndex *target_index_new(const Program *p, Arena *arena) {
  TargetIndex *index = ARENA_NEW(arena, TargetIndex);
  *index = (TargetIndex){.program = p, .arena = arena};
  Entries entries = program_entries(p, arena);
  index->single = entries.n == 1;
  for (uint32_t i = 0; i < entries.n; i++) add_function(index, entries.v[i]);
  uint32_t size = 16;
  while (size < 2 * index->known.count) size *= 2;
  index->heads = ARENA_ARRAY(arena, uint32_t, size);
  index->mask = size - 1;
  for (uint32_t i = index->known.count; i > 0; i--) {  // chains in the program's order
    uint32_t *head = head_of(index, index->known.items[i - 1].key);
    index->known.items[i - 1].next = *head;
    *head = i;
  }
  return index;
}

// `result.3` of `result3`, the third result or what has that path; empty if it is no such word.
static Str result_place(Str key, Arena *arena) {
  Str number = str_starts(key, "result") ? (Str){key.s + 6, key.n - 6} : (Str){0};
  return is_number(number) ? str_of(arena_printf(arena, "result.%.*s", (int)number.n, number.s))
                           : (Str){0};
}

// Patterns that mean more than the names they are: globs, values, scopes, lines, numbers of
// arguments.
static bool means_more(Str key) {
  if (!key.n || key.s[0] == '%' || key.s[0] == '@' || is_number(key)) return true;
  return memchr(key.s, '*', key.n) || memchr(key.s, '?', key.n) || memchr(key.s, ':', key.n) ||
         memchr(key.s, '\\', key.n);
}

typedef VEC(Target) Found;

static bool collect(const TargetIndex *index, Str key, bool number, bool only_results, Arena *arena,
                    Found *out) {
  for (uint32_t i = key.n ? *head_of(index, key) : 0; i; i = index->known.items[i - 1].next) {
    const Known *known = &index->known.items[i - 1];
    if (str_equal(known->key, key) && known->number == number &&
        !(only_results && known->target.kind != TARGET_RESULT))
      VEC_PUSH(arena, out, known->target);
  }
  return out->count > 0;
}

// As targets_find reads it: as a name, as another word for one, as a number.
TargetList target_index_find(const TargetIndex *index, Str pattern, Arena *arena) {
  Str key = path_dotted(arena, pattern), place = result_place(key, arena);
  Found found = {0};
  bool other_word = str_starts(key, "out") || str_is(key, "result");
  if (index->single && !means_more(key) &&
      (collect(index, key, false, false, arena, &found) ||
       (!other_word && (collect(index, place, false, true, arena, &found) ||
                        collect(index, place.n ? place : key, true, place.n > 0, arena, &found)))))
    return (TargetList){found.items, found.count};
  return targets_find(index->program, pattern, arena);
}
