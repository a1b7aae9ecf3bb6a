// Internals of the evaluator: a run, its grids, and the processes of a grid.
#ifndef TESSERA_EVALUATE_PROCESS_H
#define TESSERA_EVALUATE_PROCESS_H

#include "base/fiber.h"
#include "base/idmap.h"
#include "evaluate/evaluate.h"
#include "evaluate/slots.h"

typedef struct Run Run;
typedef struct Grid Grid;
typedef struct Process Process;
typedef struct Meeting Meeting;  // a collective that some members have reached; also in Rendezvous
typedef struct Message Message;

typedef struct Probe {
  Name id;
  Literal *value;
} Probe;

// State shared by one call of evaluate. Processes take turns on one thread.
struct Run {
  Program *program;
  const EvalOptions *options;
  EvalSlots slots;
  SymbolTable symbols;  // of the entry function's module
  LiteralHeap *heap;
  Arena *arena;  // for the report
  Arena tables;  // for the slots and the grids
  VEC(Probe) probes;
  EvalReport *report;
  const Progress *progress;  // from the caller's guard
  uint64_t polls;
  bool located;  // the error being returned has a position already
};

struct Process {
  EvalHost host;  // must be first: an EvalContext's host is cast to the process
  Run *run;
  Grid *grid;
  Guard *guard;
  uint32_t index;  // in the grid, replica major
  ProcessId id;
  uint32_t first_arg, first_out;  // index of its first argument and result among all processes'
  bool finished;
  uint32_t depth;
  OpId at;  // the innermost op being run
  // A stack of frames, one per active function; the current one begins at base.
  HEAPVEC(Literal *) frames;
  uint32_t base;
  Arena scratch;
  uint64_t draws;        // number of random tensors drawn
  size_t charged_bytes;  // charged to the heap's limit for stack, frames and scratch
  // For the deadlock report: where the process waits, and for what.
  OpId waits_at;
  const Meeting *meeting;
  int64_t channel;
  void *user;  // of a host whose functions were replaced (step.c)
};

// Initializes a process. Call process_deinit in any case; a second call does nothing.
void process_init(Process *process, Run *run, Grid *grid, uint32_t index, ProcessId id);
void process_deinit(Process *process);
// From now on running out of memory unwinds this process.
void process_guard(Process *process, Guard *guard);

// Charges stack, frames and scratch of the process to the heap's limit, until process_deinit.
// RESOURCE_EXHAUSTED above the limit.
Status *process_charge(Process *process, size_t stack_bytes) MUST_USE;

Status *process_call(Process *process, OpId function, uint32_t n_args, Literal *const *args,
                     uint32_t n_out, Literal **out) MUST_USE;

// Runs one op on given operands; the values that its regions capture are in their slots. out:
// owned.
Status *process_compute(Process *process, OpId op, Literal *const *in, Literal **out) MUST_USE;
// The slot of a value in the current frame.
Literal **process_slot(Process *process, ValueId v);
// Pushes a frame for the function, as a call does; process_deinit frees it.
void process_push_frame(Process *process, OpId function);

static inline Process *process_of(EvalContext *cx) { return (Process *)(uintptr_t)cx->host; }

// Prefixes an error with the op's position, unless it has one.
Status *process_locate(Process *process, OpId op, Status *status) MUST_USE;

// "file.mlir:3:4" of an op; "" if its position is unknown. In the arena.
const char *run_location(const Run *run, OpId op, Arena *arena);
// "'stablehlo.add' at file.mlir:3:4"
const char *run_op_text(const Run *run, OpId op, Arena *arena);

// ---- grids (grid.c) ----

// Estimate of a process's memory beside its record, stack and frames.
enum { GRID_FIBER_BYTES = 128 };

// Runs functions[i] in process i of a replicas × partitions grid to completion. args and results
// are those of all processes in order; `depth` is the nesting depth of the op that starts the grid.
// Reports deadlocks.
Status *grid_run(Run *run, uint32_t depth, uint32_t replicas, uint32_t partitions,
                 const OpId *functions, uint32_t n_infeed, const OpId *infeed, uint32_t n_args,
                 Literal *const *args, uint32_t n_out, Literal **out) MUST_USE;
// Installs the host functions that involve other processes.
void grid_host(EvalHost *host);
void grid_shape(const Process *process, uint32_t *out_replicas, uint32_t *out_partitions);

#endif
