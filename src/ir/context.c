// The context and its strings. Records live in one arena and never move, so pointers to them stay
// valid; the tables of pointers and the maps are on the heap. Interning is O(text).
#include "ir/context.h"

#include <string.h>

#include "base/mem.h"
#include "ir/context_private.h"

static bool name_equal(const void *owner, uint32_t id, const void *key) {
  const Context *context = owner;
  return str_equal(context->names.items[id].text, *(const Str *)key);
}

Context *context_new(Guard *guard) {
  Context *context = mem_alloc(sizeof *context);
  if (!context) guard_throw(guard, status_no_memory());
  *context = (Context){0};
  arena_init(&context->arena, guard);
  GuardCleanup cleanup = {context_release, context, NULL};
  guard_push(guard, &cleanup);
  NameEntry empty = {{"", 0}, 0};
  HEAPVEC_PUSH(guard, &context->names, empty);
  Interned none = {ARENA_NEW(&context->arena, AttrInfo), 0};
  HEAPVEC_PUSH(guard, &context->attrs, none);
  types_init(context);
  guard_pop(guard, &cleanup);
  return context;
}

static void *copied(Arena *arena, const void *data, size_t bytes) {
  return bytes ? arena_copy(arena, data, bytes) : (void *)(uintptr_t)data;
}

static const TypeInfo *copy_type(Arena *arena, const TypeInfo *from) {
  static const int64_t no_dims[1] = {0};
  static const Type no_items[1] = {0};
  TypeInfo *t = arena_copy(arena, from, sizeof *from);
  t->dims = t->rank ? arena_copy(arena, t->dims, t->rank * sizeof *t->dims) : no_dims;
  t->items = t->n_items ? arena_copy(arena, t->items, t->n_items * sizeof *t->items) : no_items;
  if (!t->quant) return t;
  QuantInfo *q = arena_copy(arena, t->quant, sizeof *q);
  q->scales = copied(arena, q->scales, q->count * sizeof *q->scales);
  q->zero_points = copied(arena, q->zero_points, q->count * sizeof *q->zero_points);
  t->quant = q;
  return t;
}

static const AttrInfo *copy_attr(Arena *arena, const AttrInfo *from) {
  AttrInfo *a = arena_copy(arena, from, sizeof *from);
  if (a->items) a->items = copied(arena, a->items, a->count * sizeof *a->items);
  if (a->fields) a->fields = copied(arena, a->fields, a->count * sizeof *a->fields);
  a->data = a->bytes ? arena_copy(arena, a->data, a->bytes) : NULL;
  return a;
}

// Records refer to each other by id, so they are copied one by one with their ids.
Context *context_copy(const Context *from, Guard *guard) {
  Context *context = context_new(guard);
  GuardCleanup cleanup = {context_release, context, NULL};
  guard_push(guard, &cleanup);
  Arena *arena = &context->arena;
  for (uint32_t i = context->names.count; i < from->names.count; i++) {
    NameEntry entry = from->names.items[i];
    entry.text.s = arena_copy(arena, entry.text.s, entry.text.n + 1);
    HEAPVEC_PUSH(guard, &context->names, entry);
    idmap_add(&context->name_map, guard, entry.hash, i);
  }
  for (uint32_t i = context->types.count; i < from->types.count; i++) {
    Interned entry = from->types.items[i];
    entry.info = copy_type(arena, entry.info);
    HEAPVEC_PUSH(guard, &context->types, entry);
    idmap_add(&context->type_map, guard, entry.hash, i);
  }
  for (uint32_t i = context->attrs.count; i < from->attrs.count; i++) {
    Interned entry = from->attrs.items[i];
    entry.info = copy_attr(arena, entry.info);
    HEAPVEC_PUSH(guard, &context->attrs, entry);
    idmap_add(&context->attr_map, guard, entry.hash, i);
  }
  guard_pop(guard, &cleanup);
  return context;
}

static IdMap copy_map(const IdMap *from, Guard *guard) {
  IdMap map = *from;
  if (!from->capacity) return map;
  map.slots = mem_alloc(from->capacity * sizeof *map.slots);
  if (!map.slots) guard_throw(guard, status_no_memory());
  memcpy(map.slots, from->slots, from->capacity * sizeof *map.slots);
  return map;
}

#define VIEW_TABLE(guard, from, to)                                                                \
  do {                                                                                             \
    HEAPVEC_RESERVE((guard), (to), (from)->count + (from)->count / 8);                             \
    memcpy((to)->items, (from)->items, (from)->count * sizeof *(to)->items);                       \
    (to)->count = (from)->count;                                                                   \
  } while (0)

Context *context_view(const Context *from, Guard *guard) {
  Context *context = mem_alloc(sizeof *context);
  if (!context) guard_throw(guard, status_no_memory());
  *context = (Context){0};
  arena_init(&context->arena, guard);
  GuardCleanup cleanup = {context_release, context, NULL};
  guard_push(guard, &cleanup);
  VIEW_TABLE(guard, &from->names, &context->names);
  VIEW_TABLE(guard, &from->types, &context->types);
  VIEW_TABLE(guard, &from->attrs, &context->attrs);
  context->name_map = copy_map(&from->name_map, guard);
  context->type_map = copy_map(&from->type_map, guard);
  context->attr_map = copy_map(&from->attr_map, guard);
  guard_pop(guard, &cleanup);
  return context;
}

void context_free(Context *context) {
  if (!context) return;
  HEAPVEC_FREE(&context->names);
  HEAPVEC_FREE(&context->types);
  HEAPVEC_FREE(&context->attrs);
  idmap_deinit(&context->name_map);
  idmap_deinit(&context->type_map);
  idmap_deinit(&context->attr_map);
  arena_deinit(&context->arena);
  mem_free(context);
}

void context_release(void *context) { context_free(context); }

Guard *context_guard(Context *context, Guard *guard) { return arena_guard(&context->arena, guard); }

Arena *context_arena(Context *context) { return &context->arena; }

Name name_intern(Context *context, Str text) {
  if (!text.n) return 0;
  uint64_t hash = hash_bytes(text.s, text.n);
  Name found = idmap_find(&context->name_map, hash, name_equal, context, &text);
  if (found) return found;
  char *copy = arena_alloc(&context->arena, text.n + 1);
  memcpy(copy, text.s, text.n);
  copy[text.n] = '\0';
  NameEntry entry = {{copy, text.n}, hash};
  Guard *guard = context->arena.guard;
  Name id = context->names.count;
  HEAPVEC_PUSH(guard, &context->names, entry);
  idmap_add(&context->name_map, guard, hash, id);
  return id;
}

Name name_of(Context *context, const char *text) { return name_intern(context, str_of(text)); }

Str name_str(const Context *context, Name name) { return context->names.items[name].text; }

const char *name_text(const Context *context, Name name) {
  return context->names.items[name].text.s;
}

uint64_t name_hash(const Context *context, Name name) { return context->names.items[name].hash; }
