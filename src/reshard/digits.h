// The digits in which two shardings of a tensor can both be written. Private to this folder.
#ifndef TESSERA_RESHARD_DIGITS_H
#define TESSERA_RESHARD_DIGITS_H

#include "reshard/reshard.h"

// primes: parts of axes are cut to primes, so that more ways are seen; else they stay as they are.
// False if they cannot (parts of axes or strided splits that do not divide), or are too many.
// `dims`: of the tensor, none 0. *out_even: no tile has padding and no block two forms.
bool digits_make(const Mesh *mesh, const ShardingInfo *from, const ShardingInfo *to, uint32_t rank,
                 const int64_t *dims, bool primes, Digits *out, Layout *out_from, Layout *out_to,
                 bool *out_even);

static inline bool layout_is_inside(const Layout *layout, uint32_t digit) {
  return layout->at[digit] == RESHARD_INSIDE;
}

#endif
