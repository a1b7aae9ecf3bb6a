// The context and its strings. Records live in one arena and never move; the tables of pointers and
// the maps are on the heap.
#include "ir/context.h"

#include "base/mem.h"
#include "ir/context_private.h"

static bool name_equal(const void *owner, uint32_t id, const void *key) {
  const Context *context = owner;
  return str_equal(context->names.items[id].text, *(const Str *)key);
}

static void release_context(void *context) { context_free(context); }

Context *context_new(Guard *guard) {
  Context *context = mem_alloc(sizeof *context);
  if (!context) guard_throw(guard, status_no_memory());
  *context = (Context){0};
  arena_init(&context->arena, guard);
  GuardCleanup cleanup = {release_context, context, NULL};
  guard_push(guard, &cleanup);
  NameEntry empty = {{"", 0}, 0};
  HEAPVEC_PUSH(guard, &context->names, empty);
  Interned none = {ARENA_NEW(&context->arena, AttrInfo), 0};
  HEAPVEC_PUSH(guard, &context->attrs, none);
  types_init(context);
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
