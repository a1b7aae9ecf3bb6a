// What ran when: one row per device and one per worker, for Perfetto or chrome://tracing.
//
// A run without a trace pays one NULL check per instruction.
#ifndef TESSERA_EXECUTE_TRACE_H
#define TESSERA_EXECUTE_TRACE_H

#include "base/json.h"
#include "execute/executable.h"

typedef struct Trace Trace;

// NULL without memory.
Trace *trace_new(uint32_t n_devices, uint32_t n_workers);
void trace_free(Trace *trace);  // NULL is fine

// A device begins its turn on a worker. If it was waiting at a collective, the wait ends.
void trace_turn(Trace *trace, uint32_t device, Worker *worker);
// A device begins an instruction, and ends it on the same worker. One that is begun and not ended
// waits. Called by the worker that has the device's turn.
void trace_begin(Trace *trace, uint32_t device, Worker *worker, const Instr *instr);
void trace_end(Trace *trace, uint32_t device, Worker *worker);
// The worker's turn has ended.
void trace_leave(Worker *worker);
// A worker has computed tiles of another one's instruction (WorkerWatch).
void trace_helped(void *trace, uint32_t worker, uint32_t owner, double start, double end);

// The events so far in Chrome's trace format, one object: compute, eval, copy, collective, wait.
// Names are those of --stats; arguments are the op, the SSA name and the source line.
void trace_json(const Trace *trace, const Executable *exe, Json *json);

#endif
