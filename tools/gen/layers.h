// What models are made of: idioms of several ops, each written as JAX and Flax write it.
#ifndef TESSERA_TOOLS_GEN_LAYERS_H
#define TESSERA_TOOLS_GEN_LAYERS_H

#include "build.h"

// Two operands, "bsm,mnd->bsnd": a letter in both and in the result is a batch, in both but not in
// the result is summed over. One dot_general, and a transpose if the result's order asks for it.
Val layer_einsum(Builder *b, const char *spec, Val x, Val y);

Val layer_scale(Builder *b, Val x, double factor);  // x * factor
Val layer_offset(Builder *b, Val x, double term);   // x + term
Val layer_spread(Builder *b, Val x, Val like,
                 uint32_t at);                       // x stands at dims at, at + 1, … of like
Val layer_spread_last(Builder *b, Val x, Val like);  // the dimensions of x are the last ones
Val layer_sum_dim(Builder *b, Val x, uint32_t dim);
Val layer_mean(Builder *b, Val x, const DimList *dims);
Val layer_mask(Builder *b, Val condition, DType dtype);            // 1 where true
Val layer_one_hot(Builder *b, Val index, int64_t n, DType dtype);  // [..] -> [.., n]
Val layer_wide(Builder *b, Val x);  // in at least f32: what sums and exponentials are done in

Val layer_gelu(Builder *b, Val x);
Val layer_relu(Builder *b, Val x);
Val layer_silu(Builder *b, Val x);     // x * logistic(x)
Val layer_softmax(Builder *b, Val x);  // over the last dimension
Val layer_bias(Builder *b, Val x,
               uint32_t rank);  // a parameter of the last `rank` dimensions added
Val layer_norm(Builder *b, const char *name, Val x);
Val layer_rms_norm(Builder *b, const char *name, Val x);
// Rotary embedding of [b, s, …, d]: halves of d turned by the angles s / 500000^(2i/d).
Val layer_rope(Builder *b, Val x);
Val layer_batch_norm(Builder *b, const char *name, Val x);  // by the batch's own statistics
Val layer_cross_entropy(Builder *b, Val logits,
                        Val labels);  // mean over all but the last dimension

// "same" convolution [b, …, f] with a parameter "kernel" of edge^spatial; up: the transposed one
// that doubles every edge.
typedef struct ConvOptions {
  int64_t edge, stride, features;
  bool up;
} ConvOptions;
Val layer_conv(Builder *b, const char *name, Val x, ConvOptions options);

#endif
