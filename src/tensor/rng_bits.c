// Counter-based random bits. A block function mixes counter and key so that every counter gives
// independent bits; the constants are those of the paper. O(1) per block.
#include "tensor/rng_bits.h"

void philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
  uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3], k0 = key[0],
           k1 = key[1];
  for (int round = 0; round < 10; round++) {
    uint64_t a = (uint64_t)c0 * 0xD2511F53u, b = (uint64_t)c2 * 0xCD9E8D57u;
    uint32_t x0 = (uint32_t)(b >> 32) ^ c1 ^ k0, x2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
    c0 = x0;
    c1 = (uint32_t)b;
    c2 = x2;
    c3 = (uint32_t)a;
    k0 += 0x9E3779B9u;  // golden ratio
    k1 += 0xBB67AE85u;  // sqrt(3) - 1
  }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
}

void threefry(const uint32_t counter[2], const uint32_t key[2], uint32_t out[2]) {
  static const uint8_t rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const uint32_t keys[3] = {key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDAu};
  uint32_t x = counter[0] + keys[0], y = counter[1] + keys[1];
  for (uint32_t group = 0; group < 5; group++) {
    for (int i = 0; i < 4; i++) {
      uint32_t r = rotations[group % 2][i];
      x += y;
      y = ((y << r) | (y >> (32 - r))) ^ x;
    }
    x += keys[(group + 1) % 3];
    y += keys[(group + 2) % 3] + group + 1;
  }
  out[0] = x;
  out[1] = y;
}
