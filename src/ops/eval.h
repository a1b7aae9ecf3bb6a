// What `eval` columns use. The evaluator (src/evaluate) implements EvalHost; ops call through it
// and so know nothing of frames, processes or scheduling.
//
// An eval gets borrowed literals and gives owned ones. It may return a Status with a message that
// names the values at odds; what it allocated until then is freed with the run.
#ifndef TESSERA_OPS_EVAL_H
#define TESSERA_OPS_EVAL_H

#include "tensor/literal.h"
#include "ops/op.h"

typedef struct EvalHost EvalHost;

// What a scatter does with a window that lies partly outside of its input. StableHLO's
// specification drops the elements outside; XLA, and so JAX on every platform, drops the window.
typedef enum ScatterRule { SCATTER_SPEC, SCATTER_XLA } ScatterRule;

struct EvalContext {
  const EvalHost *host;
  const Program *program;
  Context *context;
  LiteralHeap *heap;
  Arena *scratch;  // rewound after each op
  OpId op;
  // What eval_attr and eval_result_type read: those of `op`, or those given to eval_op. `stand_in`:
  // the latter, so `op` is only where the work is done for, and its operands, attributes and
  // regions are not the ones at hand.
  Attr attrs;
  uint32_t n_in, n_out;
  const Type *result_types;  // NULL: the declared ones of `op`
  uint16_t code;
  bool stand_in;
  // Sums are put in other brackets than usual if it is not 0, each number in its own way: to see
  // what rounding does.
  uint8_t brackets;
  ScatterRule scatter;
};

// A process of the grid.
typedef struct ProcessId {
  uint32_t replica, partition;
} ProcessId;

// Processes that meet at an op, and what each of them gives.
typedef struct GroupExchange {
  uint32_t n_group, self;  // members, and which of them this process is
  const ProcessId *group;  // by member
  Literal *const *parts;   // [n_group × n]: member m's i-th value is m * n + i; borrowed
  // [n_out], NULL at first: results that are the same on all members are computed by the first one
  // that goes on, and retained by the others.
  Literal **shared;
  struct Meeting *meeting;  // the host's
} GroupExchange;

struct EvalHost {
  // Runs region `region` of cx->op with args (borrowed) and gives what its terminator returns
  // (owned).
  Status *(*run_region)(EvalContext *cx, RegionId region, uint32_t n_args, Literal *const *args,
                        uint32_t n_out, Literal **out);
  // Calls a function by symbol.
  Status *(*call)(EvalContext *cx, Name symbol, uint32_t n_args, Literal *const *args,
                  uint32_t n_out, Literal **out);
  // The grid and this process's place in it.
  void (*grid)(EvalContext *cx, uint32_t *out_replicas, uint32_t *out_partitions,
               ProcessId *out_self);
  // Meets the processes of `group` (which contains this one; same list on all of them) at cx->op:
  // every member gives n literals, every member gets all of them. In three steps, so that a process
  // that waits holds nothing as long as the group:
  // arrive: gives `mine` (retained). The group has been copied; nothing waits yet.
  Status *(*arrive)(EvalContext *cx, const ProcessId *group, uint32_t n_group, uint32_t n,
                    Literal *const *mine, GroupExchange *out);
  // await: until all have arrived; only this process waits. A meeting that can never happen ends
  // the run with a deadlock report.
  Status *(*await)(EvalContext *cx, GroupExchange *exchange);
  // leave: the exchange's fields are not used afterwards. Not needed if the op fails.
  void (*leave)(EvalContext *cx, GroupExchange *exchange);
  // Point to point by channel (send/recv); peer is a flattened process id, or -1 for whoever comes
  // first. A send never blocks; a receive waits for the oldest matching message.
  Status *(*send)(EvalContext *cx, int64_t channel, int64_t peer, uint32_t n,
                  Literal *const *values);
  Status *(*receive)(EvalContext *cx, int64_t channel, int64_t peer, uint32_t n, Literal **out);
  // Infeed and outfeed queues of the run.
  Status *(*infeed)(EvalContext *cx, uint32_t n, Literal **out);
  Status *(*outfeed)(EvalContext *cx, uint32_t n, Literal *const *values);
  // CANCELLED if the run is to end; asked before each op, and through eval_poll inside long ones.
  Status *(*poll)(EvalContext *cx);
  // For rng: how often this process has asked before, and the run's seed. Nothing of how the
  // program is written enters, so that copies of functions and ops put beside change no number.
  uint64_t (*draws)(EvalContext *cx);
  uint64_t (*seed)(EvalContext *cx);
  // Runs the grid of functions of interpreter.run_parallel (names row by row: replica major), to
  // the end.
  Status *(*run_parallel)(EvalContext *cx, uint32_t replicas, uint32_t partitions,
                          const Name *programs, uint32_t n_infeed, const Name *infeed,
                          uint32_t n_args, Literal *const *args, uint32_t n_out, Literal **out);
  // A check has been made: counted, and reported if it failed. max_ulp: largest distance seen, 0 if
  // not by ULP.
  Status *(*checked)(EvalContext *cx, bool passed, uint64_t max_ulp, const char *message);
  // probe / print: a value to show or to store under an id.
  Status *(*probe)(EvalContext *cx, Str id, Literal *value);
  // The value stored by the k-th probe of id; NULL if none.
  Literal *(*probed)(EvalContext *cx, Str id, uint32_t k);
  Status *(*print)(EvalContext *cx, Literal *value);
  // A custom call whose target has no meaning here, run by whoever started the run. out: a literal
  // of its type for each result, to be filled; tokens have nothing in them. *out_done is false if
  // nobody knows the target. May be NULL.
  Status *(*custom_call)(EvalContext *cx, Literal *const *in, Literal *const *out, bool *out_done);
};

// For the outer loops of ops that may take seconds.
static inline Status *eval_poll(EvalContext *cx) {
  return cx->host && cx->host->poll ? cx->host->poll(cx) : NULL;
}

// An op without effects whose results hold no element has nothing to compute: makes them. Its
// operands may have sizes whose products overflow (3000000000x3000000000x3000000000x0), which no
// eval need mind then. False, and nothing is done, for other ops.
bool eval_empty(EvalContext *cx, Literal **out);
// Runs any op on given literals through its OpDef (for ops defined by others: batch_norm through
// pointwise …).
Status *eval_op(EvalContext *cx, uint16_t code, Attr attrs, uint32_t n_in, Literal *const *in,
                uint32_t n_out, const Type *result_types, Literal **out);

// Short cuts for attributes of cx->op.
Attr eval_attr(const EvalContext *cx, const char *name);
Ints eval_ints(EvalContext *cx, const char *name);
int64_t eval_int(const EvalContext *cx, const char *name, int64_t otherwise);
bool eval_bool(const EvalContext *cx, const char *name, bool otherwise);
Type eval_result_type(const EvalContext *cx, uint32_t i);  // declared; may be dynamic
// A new literal for result i if its type is static; otherwise use literal_new with computed dims.
Literal *eval_new_result(EvalContext *cx, uint32_t i);

// ---- bodies of reductions (reducer.c) ----
// A region that combines scalars (reduce, scatter, reduce_window, all_reduce, sort comparator …). A
// body of elementwise ops on scalars and constants becomes a list of steps that runs without frames
// or literals; any other body is run as a region.
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
// Folds many values into one accumulator, in their order: runs of FOLD_RUN from left to right, the
// first from the init value, then the runs by halves, as a balanced tree. Sums of many floats are
// so as near as those of backends, which add in lanes; the spec allows any tree. Short reductions
// are plain loops (decision D11). Amortized O(1) applications for each value.
enum { FOLD_RUN = 8, FOLD_LEVELS = 64 };
static inline uint32_t fold_run(const EvalContext *cx) {
  return cx->brackets ? 3 + 2u * cx->brackets : FOLD_RUN;
}
typedef struct Fold {
  Reducer *reducer;
  const Type *elems;
  const Scalar *init;
  uint32_t per_run;  // FOLD_RUN, or as brackets say
  uint64_t count;    // values so far
  Scalar *run;       // of the run that is not full
  Scalar
      *levels;  // [FOLD_LEVELS, n]: level k holds 2^k runs where bit k of count / FOLD_RUN is set
} Fold;
// elems, init: of the reducer's n values; they live as long as the fold. Memory is in cx->scratch.
void fold_init(Fold *fold, Reducer *reducer, const Type *elems, const Scalar *init);
Status *fold_add(Fold *fold, const Scalar *value);
// The result; the fold is empty again.
Status *fold_end(Fold *fold, Scalar *out);
// Any body on scalars: n_args of types elems in, n_out out.
Status *reducer_call(Reducer *r, uint32_t n_args, const Type *elems, const Scalar *args,
                     uint32_t n_out, Scalar *out);
// General predicate bodies (sort, select_and_scatter): n_args scalars in, one i1 out.
Status *reducer_test(Reducer *r, uint32_t n_args, const Type *elems, const Scalar *args, bool *out);

#endif
