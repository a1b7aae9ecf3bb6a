// The reference interpreter: runs a verified program on literals, in one process or in a grid of
// replicas × partitions.
#ifndef TESSERA_EVALUATE_EVALUATE_H
#define TESSERA_EVALUATE_EVALUATE_H

#include "base/diag.h"
#include "base/vec.h"
#include "ops/eval.h"
#include "tensor/literal.h"

typedef struct EvalOptions {
  uint64_t seed;                  // for stablehlo.rng
  uint32_t replicas, partitions;  // size of the grid; 0 = 1
  uint32_t most_depth;            // limit of nested regions and calls; 0 = 400
  uint64_t most_steps;            // limit of executed ops; 0 = none
  uint8_t reassociation;          // not 0: sums are reassociated (EvalContext)
  ScatterRule scatter;  // windows of a scatter that are partly out of bounds; 0: StableHLO's rule
  bool own_stack;  // also for a single process: stacks of threads of other languages may be small
  const int *cancel;  // another thread sets it to nonzero to end the run: CANCELLED; NULL: none
  // interpreter.print: `name` is the operand's, without '%' ("" if it has none). NULL: nothing is
  // printed.
  Status *(*print)(void *to, const char *name, Literal *value);
  // interpreter.probe: the k-th value of this id. NULL: values are only kept for
  // check.expect_serialized_eq.
  Status *(*probe)(void *to, Str id, uint32_t k, Literal *value);
  void *to;
  // See EvalHost; NULL: unknown custom calls are refused.
  Status *(*custom_call)(void *call_to, EvalContext *cx, Literal *const *in, Literal *const *out,
                         bool *out_done);
  void *call_to;
} EvalOptions;

enum { EVAL_MOST_MESSAGES = 8 };

// Results of the program's checks, and the work done. Valid even if the run fails.
typedef struct EvalReport {
  uint64_t steps;
  uint64_t checks, failed_checks;
  uint64_t max_ulp;  // largest distance seen by checks that measure in ULP
  uint32_t n_messages;
  const char *messages[EVAL_MOST_MESSAGES];  // of the first failed checks, with positions; in the
                                             // arena
  Pos failed_at;  // position of the op whose failure ended the run; POS_NONE if unknown
} EvalReport;

// The function to run: the named one, else @main, else the only function. NOT_FOUND if there is
// none; the message lists the module's functions.
Status *evaluate_entry(const Program *program, const char *name, OpId *out_function) MUST_USE;

uint32_t evaluate_n_arguments(const Program *program, OpId function);
Type evaluate_argument_type(const Program *program, OpId function, uint32_t i);
uint32_t evaluate_n_results(const Program *program, OpId function);
Type evaluate_result_type(const Program *program, OpId function, uint32_t i);

// A lower bound of the bytes that n processes need, from types alone. Dynamic sizes count as 0.
typedef struct EvalNeed {
  uint64_t argument_bytes;  // of one process
  // Of all processes, without results that may be counted already: an argument, or a collective's
  // result that processes share.
  uint64_t result_bytes;
  uint64_t process_bytes;  // records of processes, without stacks; 0 for one process
  uint32_t n_processes;
} EvalNeed;
void evaluate_need(const Program *program, OpId function, uint32_t n_processes, EvalNeed *out);
// Adds times · bytes, saturating.
void evaluate_need_add(uint64_t *to, uint64_t bytes, uint64_t times);
// The bytes of a value of the type, saturating; 0 for dynamic sizes.
uint64_t evaluate_type_bytes(const Context *context, Type type);
// RESOURCE_EXHAUSTED if the need exceeds the limit (0 = none). The message has the amounts and
// names `option` (--memory) to raise.
Status *evaluate_check_need(const EvalNeed *need, uint64_t limit_bytes,
                            const char *option) MUST_USE;

// Runs the function in every process of the grid. args (borrowed) and results (owned) are ordered
// by process, replica major. The program must be verified. A failed check is counted in the report
// and does not end the run; any other failure does, with the op and its position. Literals live in
// the heap, which frees what a failed run leaves; the report's messages live in the arena.
Status *evaluate(Program *program, OpId function, const EvalOptions *options, LiteralHeap *heap,
                 Arena *arena, uint32_t n_args, Literal *const *args, uint32_t n_out, Literal **out,
                 EvalReport *out_report) MUST_USE;

#endif
