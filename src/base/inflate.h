// Decompresses gzip (RFC 1952) and the DEFLATE data in it (RFC 1951), piece by piece: any input
// size in constant memory. Decision 0004 says why this is our own code.
#ifndef TESSERA_BASE_INFLATE_H
#define TESSERA_BASE_INFLATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

enum { INFLATE_WINDOW = 1 << 15, INFLATE_CODES = 288, INFLATE_BITS = 15 };

// Where compressed bytes come from: returns the next one, or -1 at the end.
typedef struct InflateSource {
  int (*next)(void *user);
  void *user;
} InflateSource;

// A canonical Huffman code: how many codes have each length, and the symbols in code order.
typedef struct Huffman {
  uint16_t count[INFLATE_BITS + 1];
  uint16_t symbol[INFLATE_CODES];
} Huffman;

typedef struct Inflate {
  InflateSource source;
  uint32_t bits;    // read from the source, not yet used; the next one is lowest
  uint32_t n_bits;  // at most 7 between symbols
  bool in_member, in_block, last_block, stored, done;
  uint32_t stored_left;               // bytes of a stored block
  uint32_t copy_length, copy_offset;  // of a match whose copy is not finished
  Huffman lengths, distances;
  uint8_t window[INFLATE_WINDOW];  // the last bytes of output
  uint64_t written;                // bytes of output of this member
  uint32_t crc;
  uint32_t crc_table[256];
} Inflate;

void inflate_init(Inflate *inflate, InflateSource source);
// Writes the next at most n > 0 bytes to `to`. 0 bytes: the end. Several members are concatenated.
// DATA_LOSS for data that are no gzip, truncated, or whose checksum is wrong.
Status *inflate_read(Inflate *inflate, uint8_t *to, uint32_t n, uint32_t *out_n) MUST_USE;

#endif
