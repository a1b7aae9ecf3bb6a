// The cheapest way from one layout to another. Private to this folder.
#ifndef TESSERA_RESHARD_SEARCH_H
#define TESSERA_RESHARD_SEARCH_H

#include "cost/price.h"
#include "reshard/digits.h"

// How plans of one question are priced.
typedef struct Pricing {
  const Network *network;
  double element_bytes;
  double least_bytes;  // 0: only seconds count
  Link slowest;        // along the axes that either sharding uses
  const Mesh *mesh;    // of both shardings; NULL if they have different ones
} Pricing;

static inline double pricing_of(const Pricing *pricing, Price price) {
  return price_weighed(price, pricing->least_bytes, pricing->slowest);
}

// What the devices lack of their new tiles, as far as digits say it: exact if they are even. Bytes
// if element_bytes are.
double layout_lack(const Digits *digits, const Layout *from, const Layout *to,
                   double element_bytes);

// Moves in the arena; false if no way was found. even: as digits_make says.
bool search_moves(const Digits *digits, bool even, const Pricing *pricing, const Layout *from,
                  const Layout *to, Arena *arena, uint32_t *out_n, const Move **out_moves);

#endif
