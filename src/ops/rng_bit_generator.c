// stablehlo.rng_bit_generator: XLA's bits and states. The state is a key and a counter.
//
//   PHILOX (and DEFAULT): blocks of 128 bits from consecutive 128-bit counters fill the output in
//     row-major order: 4 elements of up to 32 bits (narrower types take the low bits) or 2 of 64
//     bits per block. The counter advances by the blocks used. A state of two words has the low
//     half of the counter in word 1 and starts its high half from the key; a state of three words
//     has both halves.
//   THREE_FRY: an element of 64 bits is one block. Of fewer bits, two elements share one: they are
//     neighbours along the output's first even dimension (its largest one if none is even). Blocks
//     are numbered in row-major order of the shape with that dimension halved; the counter advances
//     by their number.
//
// O(elements).
#include <string.h>

#include "ops/eval.h"
#include "ops/factors.h"
#include "ops/infer.h"
#include "tensor/rng_bits.h"
#include "ops/rng_bits_local.h"
#include "ops/sample.h"

static bool infer(Infer *cx) {
  if (!infer_ranked(cx)) return false;
  const TypeInfo *state = infer_operand_info(cx, 0);
  DType dtype = type_dtype(cx->context, state->elem);
  REQUIRE(cx, 0, state->rank == 1 && dtype_is_integer(dtype) && dtype_width(dtype) == 64,
          "initial_state has type %s, expected a vector of ui64",
          infer_text(cx, infer_operand(cx, 0)));
  Str algorithm = name_str(cx->context, attr_as_name(cx->context, infer_attr(cx, "rng_algorithm")));
  bool threefry_used = str_is(algorithm, "THREE_FRY"), philox_used = str_is(algorithm, "PHILOX");
  REQUIRE(cx, 0, threefry_used || philox_used || str_is(algorithm, "DEFAULT"),
          "rng_algorithm is %.*s, expected DEFAULT, THREE_FRY or PHILOX", (int)algorithm.n,
          algorithm.s);
  int64_t n = state->dims[0];
  REQUIRE(cx, 2, n == DIM_DYNAMIC || n == 2 || (n == 3 && !threefry_used),
          "initial_state has %lld elements, expected %s", (long long)n,
          threefry_used ? "2" : "2 or 3");
  if (!infer_declared(cx)) return false;
  REQUIRE(cx, 1, infer_types_compatible(cx, infer_operand(cx, 0), infer_result(cx, 0)),
          "output_state has type %s, expected that of initial_state, %s",
          infer_text(cx, infer_result(cx, 0)), infer_text(cx, infer_operand(cx, 0)));
  cx->out[0] = infer_operand(cx, 0);
  DType output = type_dtype(cx->context, infer_result(cx, 1));
  REQUIRE(cx, 0,
          type_is_tensor(cx->context, infer_result(cx, 1)) &&
              !type_is_quant(cx->context, infer_result(cx, 1)) &&
              (dtype_is_integer(output) || dtype_is_float(output)),
          "output has type %s, expected integers or floats", infer_text(cx, infer_result(cx, 1)));
  return true;
}

// Stores the low bits of `bits` as element i, without conversion.
static void put_bits(Literal *out, int64_t i, uint64_t bits) {
  int width = dtype_width(out->dtype), bytes = dtype_bytes(out->dtype);
  if (width < 64) bits &= ((uint64_t)1 << width) - 1;
  uint8_t raw[8];
  for (int b = 0; b < 8; b++) raw[b] = (uint8_t)(bits >> (8 * b));
  memcpy((char *)out->data + i * bytes, raw, (size_t)bytes);
}

static void halves(uint64_t word, uint32_t out[2]) {
  out[0] = (uint32_t)word;
  out[1] = (uint32_t)(word >> 32);
}

// Fills out and advances the counter (low, high).
static void fill_philox(Literal *out, uint64_t key_word, uint64_t *low, uint64_t *high) {
  bool wide = dtype_width(out->dtype) == 64;
  int64_t per_block = wide ? 2 : 4, blocks = (out->count + per_block - 1) / per_block;
  uint32_t key[2], counter[4], bits[4];
  halves(key_word, key);
  for (int64_t b = 0; b < blocks; b++) {
    uint64_t at = *low + (uint64_t)b;
    halves(at, counter);
    halves(*high + (at < *low), counter + 2);
    philox(counter, key, bits);
    for (int64_t k = 0; k < per_block && b * per_block + k < out->count; k++)
      put_bits(out, b * per_block + k,
               wide ? bits[2 * k] | (uint64_t)bits[2 * k + 1] << 32 : bits[k]);
  }
  uint64_t next = *low + (uint64_t)blocks;
  *high += next < *low;
  *low = next;
}

static void fill_threefry64(Literal *out, const uint32_t key[2], uint64_t *counter) {
  uint32_t in[2], bits[2];
  for (int64_t i = 0; i < out->count; i++) {
    halves(*counter + (uint64_t)i, in);
    threefry(in, key, bits);
    put_bits(out, i, bits[0] | (uint64_t)bits[1] << 32);
  }
  *counter += (uint64_t)out->count;
}

static void fill_threefry32(Literal *out, const uint32_t key[2], uint64_t *counter) {
  if (!out->count) return;
  uint32_t split = 0;
  bool even = false;
  for (uint32_t d = 0; d < out->rank && !even; d++) {
    even = out->dims[d] % 2 == 0;
    if (even || out->dims[d] > out->dims[split]) split = d;
  }
  // The output as [outer, n, inner] with the split dimension in the middle; a scalar is one of [1,
  // 1, 1].
  int64_t n = out->rank ? out->dims[split] : 1, inner = 1, outer = 1;
  for (uint32_t d = 0; d < out->rank; d++) {
    if (d < split) outer *= out->dims[d];
    if (d > split) inner *= out->dims[d];
  }
  int64_t half = (n + 1) / 2, block = 0;
  uint32_t in[2], bits[2];
  for (int64_t o = 0; o < outer; o++)
    for (int64_t h = 0; h < half; h++)
      for (int64_t i = 0; i < inner; i++, block++) {
        halves(*counter + (uint64_t)block, in);
        threefry(in, key, bits);
        int64_t at = (o * n + 2 * h) * inner + i;
        put_bits(out, at, bits[0]);
        if (2 * h + 1 < n) put_bits(out, at + inner, bits[1]);
      }
  *counter += (uint64_t)(outer * half * inner);
}

static Status *eval(EvalContext *cx, Literal *const *in, Literal **out) {
  out[0] = literal_copy(in[0]);
  out[1] = eval_new_result(cx, 1);
  uint64_t key_word = literal_get(in[0], 0).u, counter = literal_get(in[0], 1).u;
  Str algorithm = name_str(cx->context, attr_as_name(cx->context, eval_attr(cx, "rng_algorithm")));
  if (str_is(algorithm, "THREE_FRY")) {
    uint32_t key[2];
    halves(key_word, key);
    if (dtype_width(out[1]->dtype) == 64)
      fill_threefry64(out[1], key, &counter);
    else
      fill_threefry32(out[1], key, &counter);
  } else {
    bool three = in[0]->count > 2;
    uint64_t high = three ? literal_get(in[0], 2).u : key_word;
    fill_philox(out[1], key_word, &counter, &high);
    if (three) literal_set(out[0], 2, scalar_u(high));
  }
  literal_set(out[0], 1, scalar_u(counter));
  return NULL;
}

static OpId sample(Sample *cx) {
  static const char *const names[] = {"DEFAULT", "THREE_FRY", "PHILOX"};
  Context *c = cx->context;
  int which = (int)sample_int(cx, 0, 2);
  int64_t dims[3], words = which == 1 ? 2 : sample_int(cx, 2, 3);
  uint32_t rank = sample_shape(cx, 3, dims);
  Type state = type_tensor(c, DT_ui64, 1, &words, 0);
  Type types[2] = {state, type_tensor(c, type_scalar(sample_dtype(cx, "suf")), rank, dims, 0)};
  ValueId operand = sample_value(cx, state);
  NamedAttr fields[] = {
      {name_of(c, "rng_algorithm"), attr_enum(c, "stablehlo.rng_algorithm", names[which])}};
  return sample_op(cx, OP_rng_bit_generator, attr_dict(c, 1, fields), 1, &operand, 2, types, 0);
}

// The state is replicated; bits depend on the element's global index.
static bool factors(FactorContext *cx) {
  uint32_t state = factors_result(cx, 0), bits = factors_result(cx, 1);
  for (uint32_t d = 0; d < factors_rank(cx, 0); d++) {
    uint32_t factor = factors_on(cx, factors_dim(cx, 0, d), FACTOR_REPLICATE | FACTOR_BLOCK, 0, d);
    factors_also(cx, factor, state, d);
  }
  for (uint32_t d = 0; d < factors_rank(cx, bits); d++)
    factors_on(cx, factors_dim(cx, bits, d), FACTOR_OFFSET, bits, d);
  return true;
}

const OpDef op_rng_bit_generator = {.infer = infer,
                                    .eval = eval,
                                    .sample = sample,
                                    .constraints = 2,
                                    .factors = factors,
                                    .splits = rng_bits_splits,
                                    .localize = rng_bits_localize};
