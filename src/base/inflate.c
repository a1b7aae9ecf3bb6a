// Decompresses gzip. A member is a header, blocks and a checksum. A block is stored, or coded with
// two canonical Huffman codes (literals and lengths; distances), which are fixed or precede it.
//
// The decoder stops after any output byte: the state is the block it is in and the match it copies,
// so the caller decides how much is decompressed at once. A symbol is decoded bit by bit from the
// counts per code length; that needs no table larger than the code and reads about 40 MB/s, which
// is faster than the JSON behind it is parsed.
//
// Invariants: a match never reaches back before the member's first byte; a code that is
// over-subscribed, or incomplete with more than one symbol, is refused; so any input ends in output
// or an error.
#include "base/inflate.h"

#include <string.h>

#define BAD(what) FAIL(DATA_LOSS, "the gzip data are damaged: %s", what)

enum { MATCH_END = 256, MOST_LENGTHS = 286, MOST_DISTANCES = 30 };

static int next_byte(Inflate *z) { return z->source.next(z->source.user); }

// Takes n <= 16 bits.
static Status *take_bits(Inflate *z, uint32_t n, uint32_t *out) {
  while (z->n_bits < n) {
    int byte = next_byte(z);
    if (byte < 0) BAD("they end too early");
    z->bits |= (uint32_t)byte << z->n_bits;
    z->n_bits += 8;
  }
  *out = z->bits & ((1u << n) - 1);
  z->bits >>= n;
  z->n_bits -= n;
  return NULL;
}

// ---- Huffman codes ----

// Makes the code of the given lengths. False if it is over-subscribed or incomplete.
static bool huffman_make(Huffman *code, const uint8_t *lengths, uint32_t n) {
  uint16_t offset[INFLATE_BITS + 2] = {0};
  memset(code->count, 0, sizeof code->count);
  for (uint32_t i = 0; i < n; i++) code->count[lengths[i]]++;
  int32_t left = 1;
  for (uint32_t bits = 1; bits <= INFLATE_BITS; bits++) {
    left = 2 * left - code->count[bits];
    if (left < 0) return false;
    offset[bits + 1] = (uint16_t)(offset[bits] + code->count[bits]);
  }
  for (uint32_t i = 0; i < n; i++)
    if (lengths[i]) code->symbol[offset[lengths[i]]++] = (uint16_t)i;
  // One symbol of one bit is allowed although the other bit means nothing.
  return left == 0 || n - code->count[0] <= 1;
}

// Codes of one length are consecutive numbers, so the bits so far are a symbol of length n if they
// are less than the first code of length n plus their count.
static Status *take_symbol(Inflate *z, const Huffman *code, uint32_t *out) {
  int32_t bits = 0, first = 0, index = 0;
  for (uint32_t n = 1; n <= INFLATE_BITS; n++) {
    uint32_t bit;
    TRY(take_bits(z, 1, &bit));
    bits |= (int32_t)bit;
    int32_t count = code->count[n];
    if (bits - count < first) {
      *out = code->symbol[index + bits - first];
      return NULL;
    }
    index += count;
    first = (first + count) << 1;
    bits <<= 1;
  }
  BAD("a code that means nothing");
}

static void fixed_codes(Inflate *z) {
  uint8_t lengths[INFLATE_CODES];
  for (uint32_t i = 0; i < INFLATE_CODES; i++)
    lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
  (void)huffman_make(&z->lengths, lengths, INFLATE_CODES);
  memset(lengths, 5, 32);
  (void)huffman_make(&z->distances, lengths, 32);
}

// Reads the lengths of both codes, which are themselves coded, with runs.
static Status *take_lengths(Inflate *z, const Huffman *code, uint8_t *lengths, uint32_t n) {
  static const uint8_t extra[3] = {2, 3, 7}, base[3] = {3, 3, 11};
  for (uint32_t i = 0; i < n;) {
    uint32_t symbol, more;
    TRY(take_symbol(z, code, &symbol));
    if (symbol < 16) {
      lengths[i++] = (uint8_t)symbol;
      continue;
    }
    if (symbol == 16 && i == 0) BAD("a run repeats no length");
    uint8_t value = symbol == 16 ? lengths[i - 1] : 0;
    TRY(take_bits(z, extra[symbol - 16], &more));
    more += base[symbol - 16];
    if (more > n - i) BAD("too many code lengths");
    while (more--) lengths[i++] = value;
  }
  return NULL;
}

static Status *dynamic_codes(Inflate *z) {
  static const uint8_t order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                    11, 4,  12, 3, 13, 2, 14, 1, 15};
  uint8_t lengths[MOST_LENGTHS + MOST_DISTANCES + 2] = {0};
  uint32_t n_lengths, n_distances, n_code, value;
  TRY(take_bits(z, 5, &n_lengths));
  TRY(take_bits(z, 5, &n_distances));
  TRY(take_bits(z, 4, &n_code));
  n_lengths += 257, n_distances += 1, n_code += 4;
  if (n_lengths > MOST_LENGTHS || n_distances > MOST_DISTANCES) BAD("too many symbols");
  for (uint32_t i = 0; i < n_code; i++) {
    TRY(take_bits(z, 3, &value));
    lengths[order[i]] = (uint8_t)value;
  }
  Huffman code;
  if (!huffman_make(&code, lengths, 19)) BAD("an impossible code of lengths");
  memset(lengths, 0, sizeof lengths);
  TRY(take_lengths(z, &code, lengths, n_lengths + n_distances));
  if (!lengths[MATCH_END]) BAD("a block without an end");
  if (!huffman_make(&z->lengths, lengths, n_lengths)) BAD("an impossible code of literals");
  if (!huffman_make(&z->distances, lengths + n_lengths, n_distances))
    BAD("an impossible code of distances");
  return NULL;
}

// ---- headers and blocks ----

static void crc_table(uint32_t *table) {
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t c = i;
    for (int k = 0; k < 8; k++) c = c & 1 ? 0xEDB88320u ^ c >> 1 : c >> 1;
    table[i] = c;
  }
}

static Status *skip_text(Inflate *z) {
  for (uint32_t byte = 1; byte;) TRY(take_bits(z, 8, &byte));
  return NULL;
}

static Status *skip_bytes(Inflate *z, uint32_t n) {
  for (uint32_t byte; n; n--) TRY(take_bits(z, 8, &byte));
  return NULL;
}

// The magic's first byte was read.
static Status *begin_member(Inflate *z) {
  enum { CHECKED = 2, EXTRA = 4, NAME = 8, COMMENT = 16, RESERVED = 0xE0 };
  uint32_t magic, method, flags, n;
  TRY(take_bits(z, 8, &magic));
  if (magic != 0x8B) BAD("no gzip header");
  TRY(take_bits(z, 8, &method));
  TRY(take_bits(z, 8, &flags));
  if (method != 8 || flags & RESERVED) BAD("an unknown method of compression");
  TRY(skip_bytes(z, 6));  // time, level, system
  if (flags & EXTRA) {
    TRY(take_bits(z, 16, &n));
    TRY(skip_bytes(z, n));
  }
  if (flags & NAME) TRY(skip_text(z));
  if (flags & COMMENT) TRY(skip_text(z));
  if (flags & CHECKED) TRY(skip_bytes(z, 2));
  z->in_member = true;
  z->in_block = z->last_block = false;
  z->written = 0;
  z->crc = 0xFFFFFFFFu;
  return NULL;
}

static Status *end_member(Inflate *z) {
  uint32_t low, high, crc, size;
  z->bits = z->n_bits = 0;  // the rest of the last byte is padding
  TRY(take_bits(z, 16, &low));
  TRY(take_bits(z, 16, &high));
  crc = low | high << 16;
  TRY(take_bits(z, 16, &low));
  TRY(take_bits(z, 16, &high));
  size = low | high << 16;
  if (crc != (z->crc ^ 0xFFFFFFFFu) || size != (uint32_t)z->written) BAD("the checksum differs");
  z->in_member = false;
  return NULL;
}

static Status *begin_block(Inflate *z) {
  uint32_t last, kind, n, inverse;
  TRY(take_bits(z, 1, &last));
  TRY(take_bits(z, 2, &kind));
  z->last_block = last;
  z->in_block = true;
  z->stored = kind == 0;
  if (kind == 3) BAD("a block of unknown kind");
  if (kind == 2) return dynamic_codes(z);
  if (kind == 1) {
    fixed_codes(z);
    return NULL;
  }
  z->bits = z->n_bits = 0;
  TRY(take_bits(z, 16, &n));
  TRY(take_bits(z, 16, &inverse));
  if (n != (inverse ^ 0xFFFF)) BAD("the length of a stored block");
  z->stored_left = n;
  return NULL;
}

static void put_byte(Inflate *z, uint8_t byte, uint8_t *to) {
  *to = z->window[z->written++ % INFLATE_WINDOW] = byte;
  z->crc = z->crc_table[(z->crc ^ byte) & 0xFF] ^ z->crc >> 8;
}

// Reads length and offset of a match.
static Status *begin_match(Inflate *z, uint32_t symbol) {
  static const uint16_t length_base[29] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                           15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                           67, 83, 99, 115, 131, 163, 195, 227, 258};
  static const uint16_t offset_base[30] = {
      1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
      193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
  uint32_t at = symbol - MATCH_END - 1, more, distance;
  if (at >= 29) BAD("an unknown length");
  TRY(take_bits(z, at < 8 || at == 28 ? 0 : at / 4 - 1, &more));
  z->copy_length = length_base[at] + more;
  TRY(take_symbol(z, &z->distances, &distance));
  if (distance >= 30) BAD("an unknown distance");
  TRY(take_bits(z, distance < 4 ? 0 : distance / 2 - 1, &more));
  z->copy_offset = offset_base[distance] + more;
  if (z->copy_offset > z->written) BAD("a match before the beginning");
  return NULL;
}

static Status *coded_symbol(Inflate *z, uint8_t *to, uint32_t *n) {
  uint32_t symbol;
  TRY(take_symbol(z, &z->lengths, &symbol));
  if (symbol < MATCH_END)
    put_byte(z, (uint8_t)symbol, &to[(*n)++]);
  else if (symbol == MATCH_END)
    z->in_block = false;
  else
    TRY(begin_match(z, symbol));
  return NULL;
}

static Status *stored_byte(Inflate *z, uint8_t *to, uint32_t *n) {
  uint32_t byte;
  if (!z->stored_left--) {
    z->in_block = false;
    return NULL;
  }
  TRY(take_bits(z, 8, &byte));
  put_byte(z, (uint8_t)byte, &to[(*n)++]);
  return NULL;
}

static Status *step(Inflate *z, uint8_t *to, uint32_t *n) {
  if (z->copy_length) {
    z->copy_length--;
    put_byte(z, z->window[(z->written - z->copy_offset) % INFLATE_WINDOW], &to[(*n)++]);
    return NULL;
  }
  if (z->in_block) return z->stored ? stored_byte(z, to, n) : coded_symbol(z, to, n);
  if (z->in_member) return z->last_block ? end_member(z) : begin_block(z);
  int byte = next_byte(z);
  if (byte == 0x1F) return begin_member(z);
  if (byte >= 0) BAD("no gzip header");
  z->done = true;
  return NULL;
}

void inflate_init(Inflate *inflate, InflateSource source) {
  memset(inflate, 0, sizeof *inflate);
  inflate->source = source;
  crc_table(inflate->crc_table);
}

Status *inflate_read(Inflate *inflate, uint8_t *to, uint32_t n, uint32_t *out_n) {
  uint32_t written = 0;
  while (written < n && !inflate->done) TRY(step(inflate, to, &written));
  *out_n = written;
  return NULL;
}
