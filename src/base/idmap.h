// A hash table of 32-bit ids whose keys live elsewhere: interning, symbol tables, memo tables.
// Open addressing with linear probing; id 0 means "none". The hash is kept, so growth never asks
// for keys.
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
void idmap_release(void *map);  // the same, for a GuardCleanup

// The id whose hash is `hash` and for which equal(owner, id, key), or 0. Expected O(1).
uint32_t idmap_find(const IdMap *map, uint64_t hash, IdMapEqual equal, const void *owner,
                    const void *key);

// Adds id (not 0) under hash; the caller knows that it is not there. Exhaustion throws.
void idmap_add(IdMap *map, Guard *guard, uint64_t hash, uint32_t id);

// xxh3 of bytes.
uint64_t hash_bytes(const void *data, size_t bytes);
// Folds two hashes into one, order matters.
static inline uint64_t hash_mix(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9E3779B97F4A7C15u ^ (b + 0xD1B54A32D192ED03u);
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93u;
  return x ^ x >> 32;
}

#endif
