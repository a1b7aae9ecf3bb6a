// Inside of the model: what its files share while they build the problem. Only plan/model*.c
// include this.
//
//   model.c        variables in execution order, control flow, arguments, results
//   model_ops.c    seconds and bytes of ops
//   model_edges.c  reshard prices, copies, edges
//   model_manual.c manual computations
//   model_ties.c   repeated layers
//   model_price.c  factors of prices
#ifndef TESSERA_PLAN_MODEL_PRIVATE_H
#define TESSERA_PLAN_MODEL_PRIVATE_H

#include "base/diag.h"
#include "plan/model.h"

#define NO_VAR UINT32_MAX

// The variable that determines a value's sharding, and the sharding per strategy of it.
typedef struct Port {
  uint32_t var;  // NO_VAR: the value is computed wherever it is needed (constants)
  ListId list;
} Port;

typedef struct Use {
  ValueId value;
  uint32_t var;  // NO_VAR: it needs the only sharding of the list
  ListId list;
  double runs;
  uint32_t position;
} Use;

typedef struct PriceRow {
  Sharding from, to;
  Type type;
  Price price;
} PriceRow;

typedef struct MatrixRow {
  ListId a, b;
  Type type;
  double runs;
  uint8_t slack, window, part, breaks;  // window: its power of 4 units
  uint32_t matrix;
} MatrixRow;

typedef struct ModelBuild {
  Model *m;
  Diag *diag;
  Port *ports;  // per value
  VEC(Use) uses;
  uint32_t position;
  uint32_t *made_at, *first, *last;  // per value: positions; first and last use are of roots
  bool *returned;                    // per root: it is written into the buffer of a result
  uint32_t *read_by;                 // per root: the fusion that has read it
  double *group_flops, *group_bytes;
  bool *group_started;
  VEC(double) fractions;  // per sharding: of a tensor's elements that a device holds; 0: unknown
  VEC(PriceRow) prices;   // [0] unused
  VEC(MatrixRow) matrices;
  IdMap price_ids, matrix_ids;
  uint32_t n_manual;     // manual computations around
  const uint8_t *slack;  // per value: class of its collectives
  double *clock;         // per position: seconds of work before it, if all is sharded well
  VEC(uint32_t) order;   // variables of ops, by position; NO_VAR: none
} ModelBuild;

int64_t model_units(double seconds);
// Adds communication to a strategy of a variable.
uint8_t model_part_of_step(const ModelBuild *b, uint32_t position);
void model_send(ModelVar *var, uint32_t strategy, uint8_t slack, Price price, double runs);
// Seconds of work beside which a value's collectives may run at most, per run: what waits for no
// work from the start to its use, what no contraction waits for from its making to the end.
double model_window(const ModelBuild *b, ValueId value, uint32_t position, double runs);
// Fraction of a tensor's elements that a device holds.
double model_fraction(ModelBuild *b, Sharding sharding);
double model_value_bytes(const Model *m, ValueId v);

// ---- model_ops.c ----

// Per fusion: its FLOPs and bytes in the global program, which say what limits it.
void model_sum_fusions(ModelBuild *b);
// Sets the seconds of each strategy of an op.
void model_price_op(ModelBuild *b, uint32_t var);
// Sets the bytes of an op's results. has_copy: the value lives in its copy, and only appears here.
void model_size_op(ModelBuild *b, uint32_t var, const bool *has_copy);

// ---- model.c ----

// How many ops of the whole program an op of the entry function stands for.
double model_times(const Model *m, OpId op);
uint32_t model_add_var(ModelBuild *b, ModelVar var);
void model_set_bytes(ModelBuild *b, uint32_t var, double bytes, int64_t begin, int64_t end);

// An op needs a value in a sharding of the list: that of the strategy of var, or the only one.
void model_use(ModelBuild *b, ValueId v, uint32_t var, ListId list, double runs);
// The ops of a block, in order. targets: variables of what the terminator returns; NULL: all must
// be replicated.
Status *model_block(ModelBuild *b, BlockId block, double runs, const uint32_t *targets) MUST_USE;

// ---- model_manual.c ----

// A manual computation. INVALID_ARGUMENT with the location in diag if it is on another mesh.
Status *model_manual(ModelBuild *b, OpId op, double runs) MUST_USE;
// An op inside of one: its values are local.
void model_local_op(ModelBuild *b, OpId op, double runs);
// Seconds of a collective in one, along the manual axes around; 0 for other ops.
double model_local_seconds(Model *m, OpId op);

// ---- model_edges.c ----

void model_add_edge(Model *m, uint32_t a, uint32_t c, uint32_t matrix);
// Joins each value to its users. O(uses · log uses).
void model_join_all(ModelBuild *b, bool *has_copy);

// ---- model_ties.c ----

// Ties ops of repeated layers, and the arguments and copies of their values. O(ops · candidates).
void model_tie_layers(ModelBuild *b);

#endif
