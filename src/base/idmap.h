// A hash table of 32-bit ids whose keys are stored elsewhere: interning, symbol tables, memo
// tables. Open addressing with linear probing; id 0 means "none". The hash is stored, so growing
// needs no keys.
#ifndef TESSERA_BASE_IDMAP_H
#define TESSERA_BASE_IDMAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/guard.h"

typedef struct IdMap {
  struct IdMapSlot {
    uint32_t id;
    uint32_t hash;
  } *slots;
  uint32_t count, capacity;  // capacity is a power of two or 0
} IdMap;

typedef bool (*IdMapEqual)(const void *owner, uint32_t id, const void *key);

void idmap_deinit(IdMap *map);  // {0} is an empty map
void idmap_release(void *map);  // for a GuardCleanup

// The id with this hash for which equal(owner, id, key); 0 if none. Expected O(1).
uint32_t idmap_find(const IdMap *map, uint64_t hash, IdMapEqual equal, const void *owner,
                    const void *key);

// Adds id (not 0), which must not be in the map yet. Out-of-memory throws.
void idmap_add(IdMap *map, Guard *guard, uint64_t hash, uint32_t id);

// xxh3 of bytes.
uint64_t hash_bytes(const void *data, size_t bytes);
// Combines two hashes; the order matters.
static inline uint64_t hash_mix(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9E3779B97F4A7C15u ^ (b + 0xD1B54A32D192ED03u);
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93u;
  return x ^ x >> 32;
}

#endif
