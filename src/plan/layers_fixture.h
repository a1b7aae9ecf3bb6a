// Texts of random layered programs, for tests of repeated layers: a forward pass, and on request a
// backward pass that reads what it saved, and an update of the weights.
#ifndef TESSERA_PLAN_LAYERS_FIXTURE_H
#define TESSERA_PLAN_LAYERS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

typedef struct LayeredText {
  char text[400000];
  size_t used;
  uint64_t seed;
  uint32_t layers, ops;
  bool backward, update, donate;
} LayeredText;

static inline uint32_t layered_draw(LayeredText *d, uint32_t n) {
  d->seed = d->seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(d->seed >> 33) % n;
}

static inline void layered_put(LayeredText *d, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(d->text + d->used, sizeof d->text - d->used, format, args);
  va_end(args);
  d->used += (size_t)n;
  assert_true(d->used < sizeof d->text);
}

#define M "tensor<8x8xf32>"
#define DOT(a, b) "contracting_dims = [" a "] x [" b "] : (" M ", " M ") -> " M "\n"

enum { MOST_OPS = 12 };

static inline void layered_head(LayeredText *d) {
  layered_put(d, "func.func @main(%%x: " M);
  for (uint32_t i = 0; i < d->layers; i++) {
    layered_put(d, ", %%w%u: " M, i);
    if (d->donate) layered_put(d, " {tf.aliasing_output = %u : i32}", i + 1);
  }
  layered_put(d, ") -> (" M);
  for (uint32_t i = 0; d->update && i < d->layers; i++) layered_put(d, ", " M);
  layered_put(d, ") {\n  %%h0 = stablehlo.tanh %%x : " M "\n");
}

// Each layer multiplies by its weight; some elementwise ops and a residual follow.
static inline void layered_forward(LayeredText *d) {
  static const char *const binary[] = {"add", "multiply", "subtract", "maximum"};
  static const char *const unary[] = {"tanh", "negate", "cosine", "abs"};
  uint32_t kind[MOST_OPS], other[MOST_OPS];
  for (uint32_t k = 0; k < d->ops; k++)
    kind[k] = layered_draw(d, 8), other[k] = layered_draw(d, k + 1);
  for (uint32_t i = 0; i < d->layers; i++) {
    layered_put(d, "  %%f%u_0 = stablehlo.dot_general %%h%u, %%w%u, " DOT("1", "0"), i, i, i);
    for (uint32_t k = 0; k < d->ops; k++) {
      if (kind[k] < 4)
        layered_put(d, "  %%f%u_%u = stablehlo.%s %%f%u_%u, %%f%u_%u : " M "\n", i, k + 1,
                    binary[kind[k]], i, k, i, other[k]);
      else
        layered_put(d, "  %%f%u_%u = stablehlo.%s %%f%u_%u : " M "\n", i, k + 1, unary[kind[k] - 4],
                    i, k);
    }
    layered_put(d, "  %%h%u = stablehlo.add %%h%u, %%f%u_%u : " M "\n", i + 1, i, i, d->ops);
  }
}

// Reads what each op of the layer made, the last layer first.
static inline void layered_backward(LayeredText *d) {
  layered_put(d, "  %%g%u = stablehlo.sine %%h%u : " M "\n", d->layers, d->layers);
  for (uint32_t i = d->layers; i-- > 0;) {
    layered_put(d, "  %%b%u_%u = stablehlo.multiply %%f%u_%u, %%g%u : " M "\n", i, d->ops, i,
                d->ops, i + 1);
    for (uint32_t k = d->ops; k-- > 0;)
      layered_put(d, "  %%b%u_%u = stablehlo.multiply %%f%u_%u, %%b%u_%u : " M "\n", i, k, i, k, i,
                  k + 1);
    layered_put(d, "  %%d%u = stablehlo.dot_general %%h%u, %%b%u_0, " DOT("0", "0"), i, i, i);
    layered_put(d, "  %%g%u = stablehlo.dot_general %%b%u_0, %%w%u, " DOT("1", "1"), i, i, i);
  }
}

static inline void layered_write(LayeredText *d) {
  d->used = 0;
  layered_head(d);
  layered_forward(d);
  if (d->backward) layered_backward(d);
  for (uint32_t i = 0; d->update && i < d->layers; i++) {
    layered_put(d, "  %%s%u = stablehlo.multiply %%d%u, %%d%u : " M "\n", i, i, i);
    layered_put(d, "  %%t%u = stablehlo.negate %%s%u : " M "\n", i, i);
    layered_put(d, "  %%u%u = stablehlo.tanh %%t%u : " M "\n", i, i);
    layered_put(d, "  %%n%u = stablehlo.subtract %%w%u, %%u%u : " M "\n", i, i, i);
  }
  layered_put(d, "  return %%%s%u", d->backward ? "g" : "h", d->backward ? 0 : d->layers);
  for (uint32_t i = 0; d->update && i < d->layers; i++) layered_put(d, ", %%n%u", i);
  layered_put(d, " : " M);
  for (uint32_t i = 0; d->update && i < d->layers; i++) layered_put(d, ", " M);
  layered_put(d, "\n}\n");
}

#endif
