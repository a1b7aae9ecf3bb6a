// The cheapest way from one layout to another. Private to this folder.
#ifndef TESSERA_RESHARD_SEARCH_H
#define TESSERA_RESHARD_SEARCH_H

#include "reshard/digits.h"

// What a plan costs: its seconds, and its bytes beside the least there can be.
typedef struct Price {
  const Network *network;
  double element_bytes;
  double least_bytes;  // 0: only seconds count
  Link slowest;
} Price;

static inline double price_of(const Price *price, double seconds, double bytes) {
  double over = price->least_bytes > 0 ? bytes / price->least_bytes : 0;
  return seconds + 4 * price->slowest.latency_seconds * over;
}

// What the devices lack of their new tiles, as far as digits say it: exact if they are even. Bytes
// if element_bytes are.
double layout_lack(const Digits *digits, const Layout *from, const Layout *to,
                   double element_bytes);

// Moves in the arena; false if no way was found. even: as digits_make says.
bool search_moves(const Digits *digits, bool even, const Price *price, const Layout *from,
                  const Layout *to, Arena *arena, uint32_t *out_n, const Move **out_moves);

#endif
