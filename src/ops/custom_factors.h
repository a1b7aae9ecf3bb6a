// Factors columns of custom calls; rows of custom_calls.def name them.
#ifndef TESSERA_OPS_CUSTOM_FACTORS_H
#define TESSERA_OPS_CUSTOM_FACTORS_H

#include "ops/factors.h"
#include "ops/localize.h"

// Elementwise for propagation; the last two dimensions are a matrix and need replication.
bool factors_pointwise_matrix(FactorContext *cx);
// [batch, m, n] -> [batch, …], …: batch dimensions pass through, the others need replication.
bool factors_batched(FactorContext *cx);
bool factors_batched_vectors(FactorContext *cx);  // the same with operand 0 of [batch, n]
bool factors_qr(FactorContext *cx);               // [b, m, n] -> [b, m, n], [b, k]
bool factors_householder(FactorContext *cx);      // [b, m, n], [b, k] -> [b, m, n]
bool factors_eigh(FactorContext *cx);             // [b, n, n] -> [b, n, n], [b, n]
bool factors_approx_top_k(FactorContext *cx);
// The reduction dimension of an approximate top-k; -1 if its config has none.
int64_t custom_reduction_dim(const Program *p, OpId op);
bool factors_x64_combine(FactorContext *cx);
// Rolls, pads and slices along the `dimension=` of the backend_config: elementwise for propagation.
// Along that dimension, and where sizes differ, shards read from their neighbours.
bool factors_neighbours(FactorContext *cx);
// The number after `key=` in the call's backend_config ("dimension=2,amount=78"); false if absent.
bool custom_config_int(const Program *p, OpId op, const char *key, int64_t *out);
// The columns of a rotation (rotate_local.c).
void rotate_splits(Localizer *cx);
Status *rotate_localize(Localizer *cx) MUST_USE;

#endif
