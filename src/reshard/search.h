// The cheapest sequence of moves from one layout to another. Private to this directory.
#ifndef TESSERA_RESHARD_SEARCH_H
#define TESSERA_RESHARD_SEARCH_H

#include "cost/price.h"
#include "reshard/digits.h"

// How the plans of one reshard are priced.
typedef struct Pricing {
  const Network *network;
  double element_bytes;
  double least_bytes;  // 0: only seconds count
  Link slowest;        // of the axes that either sharding uses
  const Mesh *mesh;    // of both shardings; NULL if they have different ones
} Pricing;

static inline double pricing_of(const Pricing *pricing, Price price) {
  return price_weighed(price, pricing->least_bytes, pricing->slowest);
}

// Bytes of the new tiles that the devices lack, on average, as far as digits tell: exact without
// padding.
double layout_lack(const Digits *digits, const Layout *from, const Layout *to,
                   double element_bytes);

// Moves are allocated in the arena; false if none were found. even: as from digits_make.
bool search_moves(const Digits *digits, bool even, const Pricing *pricing, const Layout *from,
                  const Layout *to, Arena *arena, uint32_t *out_n, const Move **out_moves);

#endif
