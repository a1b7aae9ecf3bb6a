// Problems as the planner makes them, for tests and measurements: one training step of a
// transformer on a mesh of two axes. Layers are tied by equality edges, so that the reductions
// leave one layer.
//
//   layer l     FORWARD ops, BACKWARD ops, PARAMETERS with their updates
//   strategies  what each of the two axes does: nothing, one of the dimensions, or a partial sum
//   edges       producer to user: the reshard's price; parameter and update: equal; layer l to l +
//   1: equal memory      parameters live for the whole step, activations until the backward pass
//   reads them
//
// Deterministic: the same arguments give the same problem.
#ifndef TESSERA_SOLVE_STEP_FIXTURE_H
#define TESSERA_SOLVE_STEP_FIXTURE_H

#include "solve/problem.h"
#include "solve/random.h"

enum {
  STEP_FORWARD = 40,
  STEP_BACKWARD = 44,
  STEP_PARAMETERS = 8,
  STEP_LAYER = STEP_FORWARD + STEP_BACKWARD + 2 * STEP_PARAMETERS,
  STEP_MOST = 64,  // strategies of an op
};

// An op of the layer: the same in all layers.
typedef struct StepOp {
  uint32_t k;     // what an axis can do: k - 1 dimensions and nothing; k * k strategies
  int64_t bytes;  // of its result, on one device
  int64_t flops;
} StepOp;

typedef struct StepMaker {
  Problem *problem;
  uint32_t layers;
  uint64_t random;
  StepOp ops[STEP_LAYER];
} StepMaker;

static const int64_t step_axis[2] = {8, 4};

static inline int64_t step_shards(const StepOp *op, uint32_t p) {
  return (p / op->k ? step_axis[0] : 1) * (p % op->k ? step_axis[1] : 1);
}

static inline uint32_t step_var(uint32_t layer, uint32_t i) { return layer * STEP_LAYER + i; }

static inline bool step_is_parameter(uint32_t v) {
  return v % STEP_LAYER >= STEP_FORWARD + STEP_BACKWARD &&
         v % STEP_LAYER < STEP_LAYER - STEP_PARAMETERS;
}

// One axis changes from digit p to q: nothing, a gather, or an exchange; slices are free.
static inline int64_t step_reshard(uint32_t p, uint32_t q, int64_t bytes, int64_t axis) {
  if (p == q || p == 0) return 0;
  return q == 0 ? bytes / axis * (axis - 1) : bytes / axis;
}

static inline void step_edge(StepMaker *m, uint32_t a, uint32_t b) {
  const StepOp *from = &m->ops[a % STEP_LAYER], *to = &m->ops[b % STEP_LAYER];
  int64_t entries[STEP_MOST * STEP_MOST];
  uint32_t n = to->k * to->k, at = 0;
  // Dimensions of the user are those of the producer, permuted by a number of the edge.
  uint32_t turn = (a % STEP_LAYER * 7 + b % STEP_LAYER * 3) % 3;
  for (uint32_t p = 0; p < from->k * from->k; p++)
    for (uint32_t q = 0; q < n; q++) {
      uint32_t q0 = q / to->k, q1 = q % to->k;
      if (q0) q0 = (q0 - 1 + turn) % (to->k - 1) + 1;
      if (q1) q1 = (q1 - 1 + turn) % (to->k - 1) + 1;
      int64_t local = from->bytes / step_shards(from, p);
      if (step_is_parameter(a)) q0 = 0;  // the slow axis has the batch: gathered, as ZeRO does
      entries[at++] = step_reshard(p / from->k, q0, local * step_axis[0], step_axis[0]) / 8 +
                      step_reshard(p % from->k, q1, local * step_axis[1], step_axis[1]) / 2;
    }
  problem_add_edge(m->problem, a, b, entries);
}

static inline void step_equal(StepMaker *m, uint32_t a, uint32_t b) {
  int64_t entries[STEP_MOST * STEP_MOST];
  uint32_t n = m->problem->vars.items[a].n;
  for (uint32_t i = 0; i < n * n; i++) entries[i] = i % (n + 1) ? PLAN_FORBIDDEN : 0;
  problem_add_edge(m->problem, a, b, entries);
}

static inline void step_add_var(StepMaker *m, uint32_t i, int64_t begin, int64_t end) {
  const StepOp *op = &m->ops[i];
  int64_t costs[STEP_MOST], bytes[STEP_MOST];
  for (uint32_t p = 0; p < op->k * op->k; p++) {
    costs[p] = op->flops / step_shards(op, p);
    // One strategy in eight leaves a partial sum behind: an all-reduce.
    if ((p * 2654435761u + i * 40503u) % 8 == 0) costs[p] += op->bytes / 16;
    bytes[p] = op->bytes / step_shards(op, p);
  }
  problem_add_var(m->problem, op->k * op->k, costs, bytes, begin, end);
}

static inline void step_ops(StepMaker *m) {
  static const uint32_t ks[] = {3, 3, 4, 4, 5, 8};
  for (uint32_t i = 0; i < STEP_LAYER; i++) {
    StepOp *op = &m->ops[i];
    bool update = i >= STEP_LAYER - STEP_PARAMETERS;
    if (update) {  // like its parameter
      *op = m->ops[i - STEP_PARAMETERS];
      continue;
    }
    op->k = ks[random_below(&m->random, 6)];
    op->bytes = (int64_t)(1 + random_below(&m->random, 8)) << 20;
    op->flops = random_below(&m->random, 4) ? op->bytes / 8 : op->bytes * 16;
    if (step_is_parameter(i)) op->flops = 0;
  }
}

static inline void step_layer(StepMaker *m, uint32_t l) {
  uint32_t parameter = STEP_FORWARD + STEP_BACKWARD, update = parameter + STEP_PARAMETERS;
  int64_t forward = (int64_t)l * STEP_FORWARD;
  int64_t middle = (int64_t)m->layers * STEP_FORWARD;
  int64_t backward = middle + (int64_t)(m->layers - 1 - l) * STEP_BACKWARD;
  int64_t end = middle + (int64_t)m->layers * STEP_BACKWARD;
  for (uint32_t i = 0; i < STEP_FORWARD; i++)  // every third is kept for the backward pass
    step_add_var(m, i, forward + i, i % 3 ? forward + i + 2 : backward + STEP_BACKWARD - i);
  for (uint32_t i = 0; i < STEP_BACKWARD; i++)
    step_add_var(m, STEP_FORWARD + i, backward + i, backward + i + 2);
  for (uint32_t i = 0; i < STEP_PARAMETERS; i++) step_add_var(m, parameter + i, 0, end + 1);
  for (uint32_t i = 0; i < STEP_PARAMETERS; i++)
    step_add_var(m, update + i, backward + 5 * i, end + 1);
}

static inline void step_layer_edges(StepMaker *m, uint32_t l) {
  uint32_t first = step_var(l, 0), back = first + STEP_FORWARD;
  uint32_t parameter = back + STEP_BACKWARD, update = parameter + STEP_PARAMETERS;
  for (uint32_t i = 0; i < STEP_FORWARD; i++) {
    if (i) step_edge(m, first + i - 1, first + i);
    if (i >= 12 && i % 12 == 0) step_edge(m, first + i - 12, first + i);  // a residual
    if (i % 3 == 0) step_edge(m, first + i, back + STEP_BACKWARD - 1 - i);
  }
  for (uint32_t i = 1; i < STEP_BACKWARD; i++) step_edge(m, back + i - 1, back + i);
  for (uint32_t i = 0; i < STEP_PARAMETERS; i++) {
    step_edge(m, parameter + i, first + 2 + 4 * i);
    step_edge(m, parameter + i, back + STEP_BACKWARD - 3 - 4 * i);
    step_edge(m, back + STEP_BACKWARD - 2 - 4 * i, update + i);
    step_equal(m, parameter + i, update + i);
  }
  if (l == 0) {
    step_edge(m, first + STEP_FORWARD - 1, back);
    return;
  }
  step_edge(m, first - STEP_LAYER + STEP_FORWARD - 1, first);
  step_edge(m, back + STEP_BACKWARD - 1, back - STEP_LAYER);
  for (uint32_t i = 0; i < STEP_LAYER - STEP_PARAMETERS; i++)
    step_equal(m, first - STEP_LAYER + i, first + i);
}

// 100 variables per layer. `tightness` is the memory limit in thousandths of the bytes that the
// step keeps without sharding.
static inline void step_problem(Problem *problem, uint32_t layers, int64_t tightness,
                                uint64_t seed) {
  StepMaker m = {.problem = problem, .layers = layers, .random = seed * 2654435761u + 1};
  int64_t kept = 0;
  step_ops(&m);
  for (uint32_t l = 0; l < layers; l++) step_layer(&m, l);
  for (uint32_t l = 0; l < layers; l++) step_layer_edges(&m, l);
  for (uint32_t i = 0; i < STEP_LAYER; i++)
    if ((i < STEP_FORWARD && i % 3 == 0) || i >= STEP_FORWARD + STEP_BACKWARD)
      kept += m.ops[i].bytes;
  problem->limit_bytes = kept * layers / 1000 * tightness + (64 << 20);
}

#endif
