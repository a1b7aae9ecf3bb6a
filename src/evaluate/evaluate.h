// Runs a verified program on literals, slowly and exactly: one process, or a grid of replicas ×
// partitions.
#ifndef TESSERA_EVALUATE_EVALUATE_H
#define TESSERA_EVALUATE_EVALUATE_H

#include "base/diag.h"
#include "base/vec.h"
#include "ops/eval.h"
#include "tensor/literal.h"

typedef struct EvalOptions {
  uint64_t seed;                  // of stablehlo.rng
  uint32_t replicas, partitions;  // of the grid; 0 = 1
  uint32_t most_depth;            // regions and calls inside each other; 0 = 400
  uint64_t most_steps;            // ops executed in all; 0 = no limit
  uint8_t brackets;               // sums in others than usual, if not 0 (EvalContext)
  ScatterRule scatter;            // what becomes of windows partly outside; 0: as the specification
  bool own_stack;     // of one process, too: the caller's may be short (threads of other languages)
  const int *cancel;  // another thread makes it other than 0 to end the run: CANCELLED; NULL: none
  // interpreter.print: `name` is the operand's, without '%' ("" if it has none). NULL: printing is
  // dropped.
  Status *(*print)(void *to, const char *name, Literal *value);
  // interpreter.probe: the k-th value of this id. NULL: values are only kept for
  // check.expect_serialized_eq.
  Status *(*probe)(void *to, Str id, uint32_t k, Literal *value);
  void *to;
  // As of EvalHost; NULL: such custom calls are refused.
  Status *(*custom_call)(void *call_to, EvalContext *cx, Literal *const *in, Literal *const *out,
                         bool *out_done);
  void *call_to;
} EvalOptions;

enum { EVAL_MOST_MESSAGES = 8 };

// What the run's checks said, and how much work it was. Complete even when the run fails.
typedef struct EvalReport {
  uint64_t steps;
  uint64_t checks, failed_checks;
  uint64_t max_ulp;  // largest distance seen by checks that measure in ULP
  uint32_t n_messages;
  const char *messages[EVAL_MOST_MESSAGES];  // of the first checks that failed, with their places;
                                             // in the arena
  Pos failed_at;  // of the op whose failure ended the run, if its source is known; else POS_NONE
} EvalReport;

// The function to run: the one named, else @main, else the only function of the module.
// INVALID_ARGUMENT names the functions there are; NOT_FOUND if there is none at all.
Status *evaluate_entry(const Program *program, const char *name, OpId *out_function) MUST_USE;

uint32_t evaluate_n_arguments(const Program *program, OpId function);
Type evaluate_argument_type(const Program *program, OpId function, uint32_t i);
uint32_t evaluate_n_results(const Program *program, OpId function);
Type evaluate_result_type(const Program *program, OpId function, uint32_t i);

// Bytes that a run of n processes needs at least, from types alone; dimensions that are not known
// count as 0.
typedef struct EvalNeed {
  uint64_t argument_bytes;  // of one process
  uint64_t result_bytes;  // of all processes, those left out that may be values counted already: an
                          // argument, or what a collective gives to several processes at once
  uint64_t process_bytes;  // records of processes, without the stacks of those that wait; 0 for one
  uint32_t n_processes;
} EvalNeed;
void evaluate_need(const Program *program, OpId function, uint32_t n_processes, EvalNeed *out);
// Adds times · bytes; as much as there can be if that is more.
void evaluate_need_add(uint64_t *to, uint64_t bytes, uint64_t times);
uint64_t evaluate_type_bytes(const Context *context,
                             Type type);  // of a value of the type, likewise
// RESOURCE_EXHAUSTED if that is more than the limit (0 = none): how much is needed, for what, and
// that `option` (--memory) can be raised.
Status *evaluate_check_need(const EvalNeed *need, uint64_t limit_bytes,
                            const char *option) MUST_USE;

// Runs the function on args (borrowed) in every process of the grid and gives its results (owned):
// process after process, replica major, args and results of each in order. The program must have
// been verified. A failed check is counted in the report and does not end the run; every other
// failure does, with a message that names the op and its place. Literals live in the heap, which
// frees what is left of a failed run; the report's messages in the arena.
Status *evaluate(Program *program, OpId function, const EvalOptions *options, LiteralHeap *heap,
                 Arena *arena, uint32_t n_args, Literal *const *args, uint32_t n_out, Literal **out,
                 EvalReport *out_report) MUST_USE;

#endif
