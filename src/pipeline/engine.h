// Runs a program by an engine: the compiled one, or the evaluator, which is the reference.
#ifndef TESSERA_PIPELINE_ENGINE_H
#define TESSERA_PIPELINE_ENGINE_H

#include "execute/execute.h"

typedef enum Engine { ENGINE_COMPILED, ENGINE_EVAL } Engine;

typedef struct EngineRequest {
  Engine engine;
  ExecuteOptions options;  // options.eval for both engines
  uint32_t repeat;         // number of runs; 0 = 1. The results are those of the last one
  // Fills the arguments, when the program is compiled and fits the devices; NULL: they are there.
  Status *(*prepare)(void *user);
  void *user;
  StrBuf *trace;  // gets executable_trace, if options.traced
} EngineRequest;

typedef struct EngineReport {
  EvalReport eval;         // of the last run
  bool compiled;           // by the compiled engine
  const char *uncompiled;  // why the evaluator ran the whole program instead; NULL: it did not
  double compile_seconds;
  double *run_seconds, *cpu_seconds;  // per run: wall time, processor time of all threads
  uint32_t n_runs;
  ExecuteNeed need;  // if compiled
  // If compiled and options.timed: bytes of results and temporaries of all devices, and what the
  // process has grown by during the runs at most (VmHWM).
  uint64_t predicted_bytes, grown_bytes;
  uint32_t n_rows;
  ExecuteRow *rows;
} EngineReport;

// "compiled" or "eval"; false for other names.
bool engine_by_name(const char *name, Engine *out);

// Runs the function as evaluate does. A program that the compiled engine cannot compile is
// evaluated. The program is not changed.
Status *engine_run(Program *program, OpId function, const EngineRequest *request, Guard *guard,
                   LiteralHeap *heap, Arena *arena, uint32_t n_args, Literal *const *args,
                   uint32_t n_out, Literal **out, EngineReport *out_report) MUST_USE;

#endif
