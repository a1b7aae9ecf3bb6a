// Measures this host through the compiled engine, as programs see it: FLOP/s by type, memory
// bandwidth, the time of an instruction, collectives between virtual devices. The result is a
// machine description whose devices share the host's cores (cost/machine.h).
#ifndef TESSERA_PIPELINE_MEASURE_H
#define TESSERA_PIPELINE_MEASURE_H

#include "base/host.h"
#include "cost/machine.h"

typedef enum MeasureUnit { MEASURED_FLOPS, MEASURED_BYTES, MEASURED_SECONDS } MeasureUnit;

typedef enum MeasureId {
#define MEASURE(name, label, unit, devices, program, size) MEASURE_##name,
#include "pipeline/measures.def"
#undef MEASURE
  MEASURE_COUNT,
} MeasureId;

typedef struct Measured {
  const char *name, *label;
  MeasureUnit unit;
  uint32_t devices;
  double seconds;  // of the fastest run
  double amount;   // FLOPs, or bytes (of a collective: sent per device), or instructions
} Measured;

typedef struct MeasureOptions {
  uint32_t devices;  // of the collectives; 0: 8
  double seconds;    // for each row; at least three runs. 0: 0.25
  // Processor time / cores instead of wall time, for a host with other work. It takes all cores as
  // busy in rows of throughput.
  bool cpu_time;
} MeasureOptions;

// Fills MEASURE_COUNT rows. Takes about MEASURE_COUNT × options->seconds on all cores and about
// 250 MB. Tells `progress` (NULL: none) each row.
Status *measure_host(const MeasureOptions *options, const Progress *progress,
                     Measured *out) MUST_USE;
// Amount per second, or seconds of one instruction.
double measured_value(const Measured *measured);

// The description: rates of one core, links that reproduce the measured collectives. Texts and
// links are in the arena.
void measured_machine(const Measured *measured, const Host *host, Arena *arena, Machine *out);

#endif
