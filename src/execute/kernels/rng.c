// Kernel of rng_bit_generator: XLA's bits and states (ops/rng_bit_generator.c describes them).
//
// Every block of bits depends on its number only, so tiles share the blocks. The first tile also
// writes the advanced state. O(elements).
#include <string.h>

#include "execute/kernels/common.h"
#include "execute/kernels/kernels.h"
#include "tensor/rng_bits.h"

typedef struct Bits {
  bool threefry;
  int width;               // bits of an element
  size_t item;             // its bytes
  int64_t words;           // of the state
  int64_t count, blocks;   // elements, blocks of bits
  int64_t n, half, inner;  // Threefry of fewer than 64 bits: [., n, inner], two along n per block
} Bits;

static void halves(uint64_t word, uint32_t out[2]) {
  out[0] = (uint32_t)word;
  out[1] = (uint32_t)(word >> 32);
}

static void put_bits(const Bits *b, char *out, int64_t i, uint64_t bits) {
  char *to = out + (size_t)i * b->item;
  if (b->item == 4) {
    uint32_t x = (uint32_t)bits;
    memcpy(to, &x, 4);
    return;
  }
  if (b->width < 64) bits &= ((uint64_t)1 << b->width) - 1;
  for (size_t k = 0; k < b->item; k++) to[k] = (char)(uint8_t)(bits >> (8 * k));
}

static void fill_philox(const Bits *b, const uint64_t *state, int64_t first, int64_t last,
                        char *out) {
  bool wide = b->width == 64;
  int64_t per_block = wide ? 2 : 4;
  uint64_t low = state[1], high = b->words > 2 ? state[2] : state[0];
  uint32_t key[2], counter[4], bits[4];
  halves(state[0], key);
  for (int64_t block = first; block < last; block++) {
    uint64_t at = low + (uint64_t)block;
    halves(at, counter);
    halves(high + (at < low), counter + 2);
    philox(counter, key, bits);
    for (int64_t k = 0; k < per_block && block * per_block + k < b->count; k++)
      put_bits(b, out, block * per_block + k,
               wide ? bits[2 * k] | (uint64_t)bits[2 * k + 1] << 32 : bits[k]);
  }
}

static void fill_threefry(const Bits *b, const uint64_t *state, int64_t first, int64_t last,
                          char *out) {
  uint32_t key[2], in[2], bits[2];
  halves(state[0], key);
  for (int64_t block = first; block < last; block++) {
    halves(state[1] + (uint64_t)block, in);
    threefry(in, key, bits);
    if (b->width == 64) {
      put_bits(b, out, block, bits[0] | (uint64_t)bits[1] << 32);
      continue;
    }
    int64_t i = block % b->inner, rest = block / b->inner, h = rest % b->half, o = rest / b->half;
    int64_t at = (o * b->n + 2 * h) * b->inner + i;
    put_bits(b, out, at, bits[0]);
    if (2 * h + 1 < b->n) put_bits(b, out, at + b->inner, bits[1]);
  }
}

// The state after all blocks.
static void advance(const Bits *b, const uint64_t *state, uint64_t *out) {
  uint64_t next = state[1] + (uint64_t)b->blocks;
  memcpy(out, state, (size_t)b->words * sizeof *out);
  out[1] = next;
  if (!b->threefry && b->words > 2) out[2] = state[2] + (next < state[1]);
}

static void run_bits(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  (void)scratch;
  const Bits *b = kernel->data;
  uint64_t first, last;
  kernel_part((uint64_t)b->blocks, tile, kernel->n_tiles, &first, &last);
  if (tile == 0) advance(b, buffers[0], buffers[1]);
  if (b->threefry)
    fill_threefry(b, buffers[0], (int64_t)first, (int64_t)last, buffers[2]);
  else
    fill_philox(b, buffers[0], (int64_t)first, (int64_t)last, buffers[2]);
}

// The dimension along which two elements share a block: the first even one, or the largest.
static void split(const Dense *out, Bits *b) {
  uint32_t at = 0;
  bool even = false;
  for (uint32_t d = 0; d < out->rank && !even; d++) {
    even = out->dims[d] % 2 == 0;
    if (even || out->dims[d] > out->dims[at]) at = d;
  }
  b->n = out->rank ? out->dims[at] : 1;
  b->inner = out->rank ? out->strides[at] : 1;
  b->half = (b->n + 1) / 2;
  b->blocks = out->count / (b->n * b->inner) * b->half * b->inner;
}

bool kernel_rng_bit_generator(const KernelRequest *r, Kernel *out) {
  Dense state, new_state, bits;
  if (!dense_operand(r, 0, &state) || !dense_result(r, 0, &new_state) ||
      !dense_result(r, 1, &bits) || state.count < 2 || state.item != 8 || bits.count == 0 ||
      new_state.count != state.count)
    return false;
  Context *c = r->program->context;
  Str algorithm = name_str(c, attr_as_name(c, op_attr(r->program, r->op, "rng_algorithm")));
  Bits *b = ARENA_NEW(r->arena, Bits);
  *b = (Bits){.threefry = str_is(algorithm, "THREE_FRY"),
              .width = dtype_width(bits.dtype),
              .item = bits.item,
              .words = state.count,
              .count = bits.count};
  int64_t per_block = b->threefry ? 1 : b->width == 64 ? 2 : 4;
  b->blocks = (bits.count + per_block - 1) / per_block;
  if (b->threefry && b->width < 64) split(&bits, b);
  *out = (Kernel){.name = "rng_bit_generator",
                  .run = run_bits,
                  .data = b,
                  .n_tiles = kernel_tiles(kernel_seconds(RATE_random_blocks, (double)b->blocks),
                                          (uint64_t)b->blocks)};
  return true;
}
