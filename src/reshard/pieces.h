// Tiles sent piece by piece, for any two shardings over the same devices. Private to this folder.
#ifndef TESSERA_RESHARD_PIECES_H
#define TESSERA_RESHARD_PIECES_H

#include "reshard/search.h"

enum { PIECES_MOST_DEVICES = 256, PIECES_MOST_ROUNDS = 32, PIECES_MOST_RANK = 8 };

// Devices that either sharding speaks of: ids are below.
uint32_t pieces_devices(const ShardingTable *table, Sharding from, Sharding to);

// What the devices lack of their new tiles, on average, without padding; of block shardings of at
// most PIECES_MOST_RANK dimensions. O(devices · rank).
double pieces_lack(const ShardingTable *table, Sharding from, Sharding to, uint32_t rank,
                   const int64_t *dims, double element_bytes);

// One move of as few rounds as there are pieces for a device; false if these are too many, or the
// devices. Block shardings without unreduced axes. O(devices²).
bool pieces_plan(const ShardingTable *table, Sharding from, Sharding to, uint32_t rank,
                 const int64_t *dims, const Pricing *pricing, Arena *arena, Move *out);

#endif
