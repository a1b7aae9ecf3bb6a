// Factors of custom calls: rows of custom_calls.def name them.
#ifndef TESSERA_OPS_CUSTOM_FACTORS_H
#define TESSERA_OPS_CUSTOM_FACTORS_H

#include "ops/factors.h"
#include "ops/localize.h"

// Elementwise for whoever propagates, but the last two dimensions are a matrix that is needed
// whole.
bool factors_pointwise_matrix(FactorContext *cx);
// [batch, m, n] -> [batch, …], …: the batch goes through all tensors, the rest is needed whole.
bool factors_batched(FactorContext *cx);
bool factors_batched_vectors(FactorContext *cx);  // the same with operand 0 of [batch, n]
bool factors_qr(FactorContext *cx);               // [b, m, n] -> [b, m, n], [b, k]
bool factors_householder(FactorContext *cx);      // [b, m, n], [b, k] -> [b, m, n]
bool factors_eigh(FactorContext *cx);             // [b, n, n] -> [b, n, n], [b, n]
bool factors_approx_top_k(FactorContext *cx);
// The dimension that an approximate top-k works on; -1 if it does not say.
int64_t custom_reduction_dim(const Program *p, OpId op);
bool factors_x64_combine(FactorContext *cx);
// Rolls, paddings and slices along the `dimension=` of the backend_config: like elementwise for
// whoever propagates, but shards read from their neighbours there and wherever sizes differ.
bool factors_neighbours(FactorContext *cx);
// The number behind `key=` in the call's backend_config ("dimension=2,amount=78"); false if there
// is none.
bool custom_config_int(const Program *p, OpId op, const char *key, int64_t *out);
// The columns of a rotation (rotate_local.c).
void rotate_splits(Localizer *cx);
Status *rotate_localize(Localizer *cx) MUST_USE;

#endif
