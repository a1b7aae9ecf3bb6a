// The interface of `eval` columns. The evaluator (src/evaluate) implements EvalHost; ops call it
// and are independent of frames, processes and scheduling.
//
// An eval borrows its operands and returns owned literals. It may fail with a message that names
// the offending values; the run frees what it allocated.
#ifndef TESSERA_OPS_EVAL_H
#define TESSERA_OPS_EVAL_H

#include "tensor/literal.h"
#include "ops/op.h"

typedef struct EvalHost EvalHost;

// The semantics of a scatter window that lies partly outside of its input. StableHLO's
// specification drops the elements outside; XLA, and so JAX on every platform, drops the window.
typedef enum ScatterRule { SCATTER_SPEC, SCATTER_XLA } ScatterRule;

struct EvalContext {
  const EvalHost *host;
  const Program *program;
  Context *context;
  LiteralHeap *heap;
  Arena *scratch;  // rewound after each op
  OpId op;
  // Read by eval_attr and eval_result_type: those of `op`, or the arguments of eval_op. stand_in:
  // the latter. Then `op` is only the op on whose behalf the evaluation runs; its operands,
  // attributes and regions are others.
  Attr attrs;
  uint32_t n_in, n_out;
  const Type *result_types;  // NULL: the declared ones of `op`
  uint16_t code;
  bool stand_in;
  // Not 0: sums are reassociated, each number in its own way, to measure the effect of rounding.
  uint8_t reassociation;
  ScatterRule scatter;
};

// A process of the grid.
typedef struct ProcessId {
  uint32_t replica, partition;
} ProcessId;

// A rendezvous of processes at a collective, with the operands of each.
typedef struct Rendezvous {
  uint32_t n_group, self;  // members, and this process's index among them
  const ProcessId *group;  // by member
  Literal *const *parts;   // [n_group × n]: member m's i-th value is m * n + i; borrowed
  // [n_out], initially NULL: results that are equal on all members. The first member that continues
  // computes them, the others retain them.
  Literal **shared;
  struct Meeting *meeting;  // the host's
} Rendezvous;

struct EvalHost {
  // Runs region `region` of cx->op with args (borrowed); out: its results (owned).
  Status *(*run_region)(EvalContext *cx, RegionId region, uint32_t n_args, Literal *const *args,
                        uint32_t n_out, Literal **out);
  // Calls a function by symbol.
  Status *(*call)(EvalContext *cx, Name symbol, uint32_t n_args, Literal *const *args,
                  uint32_t n_out, Literal **out);
  // The process grid and this process's id.
  void (*grid)(EvalContext *cx, uint32_t *out_replicas, uint32_t *out_partitions,
               ProcessId *out_self);
  // Rendezvous of the processes of `group` at cx->op. The group contains this process and is the
  // same list on all of them. Every member contributes n literals and gets all of them. Three
  // steps, so that a waiting process holds no memory proportional to the group:
  // arrive: contributes `mine` (retained) and copies the group. Does not wait.
  Status *(*arrive)(EvalContext *cx, const ProcessId *group, uint32_t n_group, uint32_t n,
                    Literal *const *mine, Rendezvous *out);
  // await: suspends this process until all have arrived. If that can never happen, the run ends
  // with a deadlock report.
  Status *(*await)(EvalContext *cx, Rendezvous *exchange);
  // leave: invalidates the rendezvous. Not needed if the op fails.
  void (*leave)(EvalContext *cx, Rendezvous *exchange);
  // Point to point by channel (send/recv). peer: a flattened process id, or -1 for any. A send
  // never blocks; a receive waits for the oldest matching message.
  Status *(*send)(EvalContext *cx, int64_t channel, int64_t peer, uint32_t n,
                  Literal *const *values);
  Status *(*receive)(EvalContext *cx, int64_t channel, int64_t peer, uint32_t n, Literal **out);
  // Infeed and outfeed queues of the run.
  Status *(*infeed)(EvalContext *cx, uint32_t n, Literal **out);
  Status *(*outfeed)(EvalContext *cx, uint32_t n, Literal *const *values);
  // CANCELLED if the run must end. Called before each op, and inside of long ones by eval_poll.
  Status *(*poll)(EvalContext *cx);
  // For rng: the number of earlier draws of this process, and the run's seed. Independent of the
  // program's text, so that inlining and unrelated ops change no random number.
  uint64_t (*draws)(EvalContext *cx);
  uint64_t (*seed)(EvalContext *cx);
  // Runs the grid of functions of interpreter.run_parallel to completion (names replica major).
  Status *(*run_parallel)(EvalContext *cx, uint32_t replicas, uint32_t partitions,
                          const Name *programs, uint32_t n_infeed, const Name *infeed,
                          uint32_t n_args, Literal *const *args, uint32_t n_out, Literal **out);
  // Counts a check, and reports it if it failed. max_ulp: the largest distance, 0 if not compared
  // by ULP.
  Status *(*checked)(EvalContext *cx, bool passed, uint64_t max_ulp, const char *message);
  // probe / print: a value to show or to store under an id.
  Status *(*probe)(EvalContext *cx, Str id, Literal *value);
  // The value stored by the k-th probe of id; NULL if none.
  Literal *(*probed)(EvalContext *cx, Str id, uint32_t k);
  Status *(*print)(EvalContext *cx, Literal *value);
  // Runs a custom call that the op table does not define, by the caller's own code. out: a literal
  // of its type for each result, to fill in; tokens are empty. *out_done is false if the target is
  // unknown. May be NULL.
  Status *(*custom_call)(EvalContext *cx, Literal *const *in, Literal *const *out, bool *out_done);
};

// Call it in outer loops of ops that may take seconds.
static inline Status *eval_poll(EvalContext *cx) {
  return cx->host && cx->host->poll ? cx->host->poll(cx) : NULL;
}

// Creates the results of a pure op if none of them has an element; false for other ops. So no eval
// sees operands whose sizes overflow (3000000000x3000000000x3000000000x0).
bool eval_empty(EvalContext *cx, Literal **out);
// Runs any op on given literals by its OpDef, for ops that are defined by other ops (batch_norm).
Status *eval_op(EvalContext *cx, uint16_t code, Attr attrs, uint32_t n_in, Literal *const *in,
                uint32_t n_out, const Type *result_types, Literal **out);

// Attributes and result types of the op.
Attr eval_attr(const EvalContext *cx, const char *name);
Ints eval_ints(EvalContext *cx, const char *name);
int64_t eval_int(const EvalContext *cx, const char *name, int64_t otherwise);
bool eval_bool(const EvalContext *cx, const char *name, bool otherwise);
Type eval_result_type(const EvalContext *cx, uint32_t i);  // declared; may be dynamic
// A new literal for result i if its type is static; otherwise use literal_new with computed dims.
Literal *eval_new_result(EvalContext *cx, uint32_t i);

// ---- bodies of reductions (reducer.c) ----
// A region that combines scalars (reduce, scatter, reduce_window, all_reduce, sort comparator …). A
// body of elementwise ops on scalars and constants is compiled to a list of steps, which runs
// without frames or literals; any other body runs as a region.
typedef struct Reducer {
  EvalContext *cx;
  RegionId region;
  uint32_t n;                // values combined at once: the body has 2n arguments and n results
  struct ReducerPlan *plan;  // in cx->scratch; NULL: run the region
} Reducer;
void reducer_init(Reducer *r, EvalContext *cx, RegionId region, uint32_t n);
// acc[i] = body(acc…, value…) for i < n. elems: the n element types of the body's first n
// arguments, which are also those of the next n.
Status *reducer_apply(Reducer *r, const Type *elems, Scalar *acc, const Scalar *value);
// Folds many values into one accumulator, in their order: each run of FOLD_RUN values from left to
// right, the first one starting with the init value; the runs as a balanced binary tree. The error
// of long float sums is then similar to that of backends, which add in lanes; the spec allows any
// tree (decision D11). Amortized O(1) applications of the body per value.
//
//   24 values, runs of 8:   (init+v0+…+v7) (v8+…+v15)   (v16+…+v23)
//                                       \   /              |
//                                         +----------------+
enum { FOLD_RUN = 8, FOLD_LEVELS = 64 };
static inline uint32_t fold_run(const EvalContext *cx) {
  return cx->reassociation ? 3 + 2u * cx->reassociation : FOLD_RUN;
}
typedef struct Fold {
  Reducer *reducer;
  const Type *elems;
  const Scalar *init;
  uint32_t per_run;  // FOLD_RUN, or another length if sums are reassociated
  uint64_t count;    // values so far
  Scalar *run;       // the accumulator of the current run
  Scalar *levels;    // [FOLD_LEVELS, n]: level k holds 2^k runs if bit k of count / per_run is set
} Fold;
// elems, init: one per value of the reducer; they must outlive the fold. Memory is in cx->scratch.
void fold_init(Fold *fold, Reducer *reducer, const Type *elems, const Scalar *init);
Status *fold_add(Fold *fold, const Scalar *value);
// The result; resets the fold.
Status *fold_end(Fold *fold, Scalar *out);
// Any body on scalars: n_args of types elems in, n_out out.
Status *reducer_call(Reducer *r, uint32_t n_args, const Type *elems, const Scalar *args,
                     uint32_t n_out, Scalar *out);
// General predicate bodies (sort, select_and_scatter): n_args scalars in, one i1 out.
Status *reducer_test(Reducer *r, uint32_t n_args, const Type *elems, const Scalar *args, bool *out);

#endif
