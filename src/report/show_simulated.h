// A simulated step as text, JSON and a Chrome trace.
#ifndef TESSERA_REPORT_SHOW_SIMULATED_H
#define TESSERA_REPORT_SHOW_SIMULATED_H

#include "base/json.h"
#include "cost/simulate.h"
#include "explain/words.h"

// What is shown. The program is the one that was simulated.
typedef struct ShowSimulated {
  const Program *program;
  const Simulated *simulated;
  const Machine *machine;
  const Mesh *mesh;     // may be NULL
  double global_flops;  // of the global program; 0 = unknown
  Words *words;         // of the program; for names of values
} ShowSimulated;

// FLOPs of the global program, divided by devices, at the rate of its contractions / seconds:
// without work that devices repeat. -1 if unknown.
double simulated_model_utilization(const ShowSimulated *show);

// The table of `tessera simulate`: parts of the step, collectives, memory and at most `most` values
// that are alive at the peak. O(rows).
void simulated_put(const ShowSimulated *show, uint32_t most, StrBuf *out);
// One line: "12.3 ms per step predicted on h100:8 (…), 3.4 GB of memory at the peak".
void simulated_put_line(const ShowSimulated *show, StrBuf *out);
// Writes the keys machine, seconds, …, collectives, peak into the open object. O(rows).
void simulated_json(const ShowSimulated *show, Json *json);
// The step in Chrome's trace format (chrome://tracing, ui.perfetto.dev): a row per stream, the
// critical path marked, memory as a counter. Of a loop the first iteration is shown. O(ops).
void simulated_trace(const ShowSimulated *show, Json *json);

// "h100:8x4".
void simulated_put_machine(const Machine *machine, StrBuf *out);
// An argument's path, otherwise the op that makes the value, with its line.
void simulated_put_value(const ShowSimulated *show, ValueId value, StrBuf *out);
// The innermost op at which the peak is; nothing for an empty program.
void simulated_put_peak_op(const ShowSimulated *show, StrBuf *out);

// "1.25 ms", "3.4 GB": four digits at most, with a unit.
const char *simulated_seconds(double seconds, char *buf, size_t n);
const char *simulated_bytes(double bytes, char *buf, size_t n);

#endif
