// The compiled engine: a program becomes lists of instructions on static buffers, which workers run
// on one or many virtual devices (decisions D12 and D13).
//
// An executable is made once and run many times. What has no kernel runs through the evaluator, op
// by op; a program that cannot be compiled at all (dynamic sizes, tuples, tokens) is refused with
// UNIMPLEMENTED, and the caller evaluates it.
#ifndef TESSERA_EXECUTE_EXECUTE_H
#define TESSERA_EXECUTE_EXECUTE_H

#include "base/str.h"
#include "comm/comm.h"
#include "evaluate/evaluate.h"

typedef struct Executable Executable;

typedef struct ExecuteOptions {
  EvalOptions eval;        // also the grid: replicas × partitions devices
  uint32_t workers;        // 0: one per core
  uint64_t device_memory;  // bytes of a device; 0: no limit
  bool timed;              // executable_stats has times
  bool traced;             // executable_trace has events
  Comm *comm;              // the ranks that share the devices; NULL: this process has all
  // Per argument: every run gets the same contents, so that kernels may keep what they derive from
  // it. NULL: none. Read by executable_new only.
  const bool *frozen;
} ExecuteOptions;

// Memory and instructions of a device, known before a run.
typedef struct ExecuteNeed {
  uint64_t argument_bytes, result_bytes, constant_bytes, temporary_bytes;
  uint32_t n_instructions, n_kernels, n_eval, n_collectives;
  uint32_t n_loops;  // that test a condition: the time of a run may depend on the arguments
} ExecuteNeed;

// Compiles a function of a verified program, which it may rewrite to an equivalent one. The
// program, the heap and the arena are borrowed until executable_free; a run uses them on one thread
// at a time. Calls should be inlined. UNIMPLEMENTED: the message says what cannot be compiled.
// RESOURCE_EXHAUSTED: a device needs more than options->device_memory; the message names the
// largest values alive at the peak.
Status *executable_new(Program *program, OpId function, const ExecuteOptions *options,
                       LiteralHeap *heap, Arena *arena, Executable **out) MUST_USE;
void executable_free(Executable *executable);  // NULL is fine
void executable_need(const Executable *executable, ExecuteNeed *out);

// Runs on all devices, on memory of the caller: args and out have the canonical elements of each
// argument and result, ordered by device, replica major. Arguments that are not aligned to 64 bytes
// are copied; results must be aligned. Results must not overlap arguments or each other. Several
// threads may run one executable at the same time, and several executables; all share one pool of
// workers.
Status *executable_run_on(Executable *executable, const void *const *args, void *const *out,
                          EvalReport *out_report) MUST_USE;
// The same on literals, by one thread at a time. Results that are NULL are made; others are
// overwritten.
Status *executable_run(Executable *executable, uint32_t n_args, Literal *const *args,
                       uint32_t n_out, Literal **out, EvalReport *out_report) MUST_USE;

// The devices of this process: *out_n from *out_first on. With options.comm every rank calls the
// functions above alike, and gives and gets memory of its own devices only (others: NULL). The
// status of a run is an error on all ranks if it is one on any of them.
void executable_here(const Executable *executable, uint32_t *out_first, uint32_t *out_n);
// The same before there is an executable: the block of a rank.
void executable_block(uint32_t n_devices, uint32_t rank, uint32_t size, uint32_t *out_first,
                      uint32_t *out_n);
// Rank 0 gets the results of all devices, after executable_run. Collective; nothing without comm.
Status *executable_collect(Executable *executable, uint32_t n_out, Literal **out) MUST_USE;

// Describes the instruction that the calling thread runs, in a handler of signals too: "the kernel
// 'gather' on device 0 (step.mlir:12)". False if it runs none.
bool executable_running(char *out, size_t bytes);

// Time of a kind of instruction over all runs and devices.
typedef struct ExecuteRow {
  const char *name;  // of the kernel, or of the op that runs through eval
  bool eval;
  uint32_t n_instructions;
  uint64_t n_runs;
  double seconds;
} ExecuteRow;
// Rows, longest first, in the arena.
void executable_stats(const Executable *executable, Arena *arena, uint32_t *out_n,
                      ExecuteRow **out_rows);
// Appends what ran when in all runs, as one object in Chrome's trace format, if options.traced.
void executable_trace(const Executable *executable, StrBuf *out);

#endif
