// Reshards by permutes of single pieces, between any two shardings over the same devices. Private
// to this directory.
#ifndef TESSERA_RESHARD_PIECES_H
#define TESSERA_RESHARD_PIECES_H

#include "reshard/search.h"

enum { PIECES_MOST_DEVICES = 256, PIECES_MOST_ROUNDS = 32, PIECES_MOST_RANK = 8 };

// An upper bound of the device ids that either sharding uses.
uint32_t pieces_devices(const ShardingTable *table, Sharding from, Sharding to);

// Bytes of the new tiles that the devices lack, on average, without padding. For block shardings of
// at most PIECES_MOST_RANK dimensions. O(devices · rank).
double pieces_lack(const ShardingTable *table, Sharding from, Sharding to, uint32_t rank,
                   const int64_t *dims, double element_bytes);

// Plans one move of as few permutes as a device has pieces to send or receive. False if these or
// the devices are too many. For block shardings without unreduced axes. O(devices²).
bool pieces_plan(const ShardingTable *table, Sharding from, Sharding to, uint32_t rank,
                 const int64_t *dims, const Pricing *pricing, Arena *arena, Move *out);

#endif
