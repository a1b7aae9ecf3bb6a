// Digits that express two shardings of a tensor. Private to this directory.
#ifndef TESSERA_RESHARD_DIGITS_H
#define TESSERA_RESHARD_DIGITS_H

#include "reshard/reshard.h"

// primes: sub-axes are factored into atoms of prime size, which allows more plans; otherwise they
// stay as they are. False if the shardings cannot be expressed (sub-axes or strided splits that do
// not divide each other) or need too many digits. dims: of the tensor, none 0. *out_even: no tile
// has padding and no block has two forms.
bool digits_make(const Mesh *mesh, const ShardingInfo *from, const ShardingInfo *to, uint32_t rank,
                 const int64_t *dims, bool primes, Digits *out, Layout *out_from, Layout *out_to,
                 bool *out_even);

static inline bool layout_is_inside(const Layout *layout, uint32_t digit) {
  return layout->at[digit] == RESHARD_INSIDE;
}

#endif
