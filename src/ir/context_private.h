// Declarations shared by context.c, type.c and attr.c only.
#ifndef TESSERA_IR_CONTEXT_PRIVATE_H
#define TESSERA_IR_CONTEXT_PRIVATE_H

#include "base/idmap.h"
#include "base/vec.h"
#include "ir/context.h"

// An interned record and the hash of its content. Names are hashed by their characters, nested
// records by their own hashes, so the hash is the same in every context.
typedef struct Interned {
  const void *info;
  uint64_t hash;
} Interned;

typedef struct NameEntry {
  Str text;  // NUL-terminated after its end
  uint64_t hash;
} NameEntry;

struct Context {
  Arena arena;
  HEAPVEC(NameEntry) names;
  HEAPVEC(Interned) types;
  HEAPVEC(Interned) attrs;
  IdMap name_map, type_map, attr_map;
};

uint64_t name_hash(const Context *context, Name name);
void types_init(Context *context);  // the scalar types with their fixed ids

#endif
