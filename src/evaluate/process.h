// Inside of the evaluator: a run, the grids in it, and the processes of a grid.
#ifndef TESSERA_EVALUATE_PROCESS_H
#define TESSERA_EVALUATE_PROCESS_H

#include "base/fiber.h"
#include "base/idmap.h"
#include "evaluate/evaluate.h"
#include "evaluate/plan.h"

typedef struct Run Run;
typedef struct Grid Grid;
typedef struct Process Process;
typedef struct Meeting Meeting;  // also that of an GroupExchange
typedef struct Message Message;

typedef struct Probe {
  Name id;
  Literal *value;
} Probe;

// All that one call of evaluate shares; processes take turns on one thread.
struct Run {
  Program *program;
  const EvalOptions *options;
  EvalPlan plan;
  SymbolTable symbols;  // of the module the entry function stands in
  LiteralHeap *heap;
  Arena *arena;  // of the report
  Arena tables;  // of the plan and the grids
  VEC(Probe) probes;
  EvalReport *report;
  const Progress *progress;  // of the caller's guard
  uint64_t polls;
  bool located;  // the error on its way up says already where it happened
};

struct Process {
  EvalHost host;  // first: an EvalContext's host is the process
  Run *run;
  Grid *grid;
  Guard *guard;
  uint32_t index;  // in the grid, replica major
  ProcessId id;
  uint32_t first_arg, first_out;  // where its arguments and results begin among all
  bool finished;
  uint32_t depth;
  OpId at;  // the op being run, innermost
  // Frames of the active functions, one behind the other; the current one begins at base.
  HEAPVEC(Literal *) frames;
  uint32_t base;
  Arena scratch;
  uint64_t draws;        // of random tensors so far
  size_t charged_bytes;  // of the heap's limit: for its stack, frames and scratch
  // What the process waits for, for the report when nobody can go on.
  OpId waits_at;
  const Meeting *meeting;
  int64_t channel;
};

// Readies a process; deinit after it, whatever happened. A second deinit does nothing.
void process_init(Process *process, Run *run, Grid *grid, uint32_t index, ProcessId id);
void process_deinit(Process *process);
// From here on exhaustion anywhere in the run unwinds this process.
void process_guard(Process *process, Guard *guard);

// Counts what the process holds at this point against the heap's limit, until process_deinit;
// `stack_bytes` of it are its stack. RESOURCE_EXHAUSTED over the limit.
Status *process_charge(Process *process, size_t stack_bytes) MUST_USE;

Status *process_call(Process *process, OpId function, uint32_t n_args, Literal *const *args,
                     uint32_t n_out, Literal **out) MUST_USE;

static inline Process *process_of(EvalContext *cx) { return (Process *)(uintptr_t)cx->host; }

// Adds the op's place to an error, unless it has one already.
Status *process_locate(Process *process, OpId op, Status *status) MUST_USE;

// "file.mlir:3:4" of an op; "" if it has no text behind it. In the arena.
const char *run_place(const Run *run, OpId op, Arena *arena);
// "'stablehlo.add' at file.mlir:3:4"
const char *run_op_text(const Run *run, OpId op, Arena *arena);

// ---- grids (grid.c) ----

// What a process takes beside its record, stack and frames, about.
enum { GRID_FIBER_BYTES = 128 };

// Runs functions[i] in process i of a replicas × partitions grid to the end; args and results are
// those of all processes in order; `depth` is that of the op that asks. Collectives meet, messages
// pass, and a deadlock is reported.
Status *grid_run(Run *run, uint32_t depth, uint32_t replicas, uint32_t partitions,
                 const OpId *functions, uint32_t n_infeed, const OpId *infeed, uint32_t n_args,
                 Literal *const *args, uint32_t n_out, Literal **out) MUST_USE;
// The host's entries that need other processes.
void grid_host(EvalHost *host);
void grid_place(const Process *process, uint32_t *out_replicas, uint32_t *out_partitions);

#endif
