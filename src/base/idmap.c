// Slots of (id, low 32 bits of the hash), at most 2/3 full. Nothing is ever removed, so there are
// no tombstones.
#include "base/idmap.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/mem.h"

uint64_t hash_bytes(const void *data, size_t bytes) { return XXH3_64bits(data, bytes); }

void idmap_deinit(IdMap *map) {
  mem_free(map->slots);
  *map = (IdMap){0};
}

void idmap_release(void *map) { idmap_deinit(map); }

uint32_t idmap_find(const IdMap *map, uint64_t hash, IdMapEqual equal, const void *owner,
                    const void *key) {
  if (!map->count) return 0;
  uint32_t mask = map->capacity - 1, low = (uint32_t)hash;
  for (uint32_t i = low & mask; map->slots[i].id; i = (i + 1) & mask)
    if (map->slots[i].hash == low && equal(owner, map->slots[i].id, key)) return map->slots[i].id;
  return 0;
}

// Linear probing: the first empty slot from hash & mask on.
static void insert_slot(struct IdMapSlot *slots, uint32_t mask, uint32_t hash, uint32_t id) {
  uint32_t i = hash & mask;
  while (slots[i].id) i = (i + 1) & mask;
  slots[i].id = id;
  slots[i].hash = hash;
}

// Rehashes with the stored hashes. The old table stays valid if the allocation throws.
static void grow(IdMap *map, Guard *guard) {
  uint32_t capacity = map->capacity ? map->capacity * 2 : 16;
  size_t bytes = (size_t)capacity * sizeof *map->slots;
  struct IdMapSlot *slots = capacity ? mem_alloc(bytes) : NULL;
  if (!slots) guard_throw(guard, status_no_memory());
  memset(slots, 0, bytes);
  for (uint32_t i = 0; i < map->capacity; i++)
    if (map->slots[i].id) insert_slot(slots, capacity - 1, map->slots[i].hash, map->slots[i].id);
  mem_free(map->slots);
  map->slots = slots;
  map->capacity = capacity;
}

void idmap_add(IdMap *map, Guard *guard, uint64_t hash, uint32_t id) {
  if ((uint64_t)(map->count + 1) * 3 > (uint64_t)map->capacity * 2) grow(map, guard);
  insert_slot(map->slots, map->capacity - 1, (uint32_t)hash, id);
  map->count++;
}
