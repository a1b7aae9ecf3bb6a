// Internals of an executable: instructions, buffers, devices.
#ifndef TESSERA_EXECUTE_EXECUTABLE_H
#define TESSERA_EXECUTE_EXECUTABLE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/vec.h"
#include "evaluate/step.h"
#include "execute/execute.h"
#include "execute/kernel.h"
#include "execute/workers.h"
#include "schedule/assign.h"

// ---- instructions ----

typedef enum InstrKind {
  INSTR_KERNEL,      // a kernel on buffers
  INSTR_COPY,        // in[0] to out[0]
  INSTR_EVAL,        // the op, through the evaluator
  INSTR_BY_DEVICE,   // out[0] is a constant of the device: its number
  INSTR_COLLECTIVE,  // the op, together with other devices
  INSTR_LOOP,    // while: lists[0] is the condition, lists[1] the body with the copies to carries
  INSTR_BRANCH,  // if and case: one of the lists
} InstrKind;

typedef struct Instr Instr;
typedef struct InstrList {
  Instr *items;
  uint32_t count, capacity;
  uint32_t n_tail;  // copies at the end that are one parallel assignment: to carries, to results
} InstrList;

struct Instr {
  InstrKind kind;
  OpId op;
  // Values read and written. Pseudo-values have ids from program->values.count on. The last
  // n_captured of `in` are used inside the op's regions. A branch reads in[0]; a loop reads the
  // result of its condition, in[0], at the end of lists[0].
  uint32_t n_in, n_out, n_captured;
  ValueId *in, *out;
  ValueId *carries;  // of a loop, per result: the body's argument
  uint32_t first;    // of its buffers in Executable.refs: in, out, the kernel's temporary
  const Kernel *kernel;
  uint32_t n_lists;
  InstrList *lists;
  Instr *parent;        // the loop or branch that contains it; NULL in the main list
  uint32_t begin, end;  // positions in the linear order; a loop's contain those of its lists
  uint32_t test;        // position at which a loop reads its condition
  uint32_t row;         // in Executable.rows
  char *by_device;      // of INSTR_BY_DEVICE: the result's bytes of each device
  // The group of each device at a collective; NULL: not known yet. Guarded by the lock.
  struct Group **groups;
};

// ---- buffers ----

typedef enum Segment {
  SEGMENT_TEMP,  // the device's arena, at `offset`
  SEGMENT_ARGUMENT,
  SEGMENT_RESULT,
  SEGMENT_CONSTANT,  // shared by all devices, at `offset`
} Segment;

typedef uint32_t BufferId;

typedef struct Buffer {
  Segment segment;
  uint32_t index;  // of the argument or result
  uint64_t bytes, offset;
} Buffer;

typedef struct StatRow {
  const char *name;
  bool eval;
  uint32_t n_instructions;
  uint64_t n_runs;
  double seconds;
} StatRow;

typedef struct Pages {
  void *memory;
  size_t bytes;
} Pages;

typedef struct Flight Flight;

struct Executable {
  Program *program;
  OpId function;
  ExecuteOptions options;
  LiteralHeap *heap;
  Arena *shared;  // the caller's, for the evaluator's report
  Arena arena;    // of everything below
  EvalReport report;
  Stepper *stepper;
  bool evaluates;        // some instructions use the stepper; runs of such a program take turns
  pthread_mutex_t lock;  // of stepper, heap, program and meetings
  bool has_lock;
  uint32_t n_devices, n_args, n_out;
  uint32_t first_here, n_here;  // the devices of this rank
  struct Ranks *ranks;          // NULL: this process has all devices
  VEC(Pages) away;              // memory for operands of other ranks
  InstrList main;
  uint32_t n_positions, depth;
  VEC(Buffer) buffers;
  ValueId *alias;   // per value of the program: the value whose buffer it is; 0: itself
  BufferId *place;  // per value
  VEC(BufferId) refs;
  // Live ranges of temporaries, and the value of each; 0: scratch memory of a kernel.
  const Span *spans;
  const ValueId *span_values;
  uint32_t n_spans;
  char *constants;  // mapped
  uint64_t constant_bytes, temp_bytes;
  uint64_t mapped_bytes;  // of a device's arena: temp_bytes, and red zones under ASan
  size_t scratch_bytes;
  size_t charged_bytes;  // to the heap
  ValueId n_values;      // with pseudo-values
  ValueId *arguments;    // of the function, n_args
  ValueId results;       // the first of n_out pseudo-values
  BufferId *temp;        // per position: the temporary buffer of the kernel there; 0: none
  VEC(StatRow) rows;
  // Per argument or result of a device: the memory of this run; copies of unaligned arguments.
  const void **arg_data;
  bool *frozen;  // per argument
  void **out_data, **aligned;
  Workers *workers;
  struct Devices *devices;
  // Refs of arguments and results, whose addresses change with each run.
  VEC(uint32_t) moving;
  // flight.h. A copy has its own arena, lock, report, devices, workers and memory of this run.
  Flight *flight;
  Executable *next_copy;
  atomic_bool busy;          // a run uses this record
  bool timed;                // rows have times
  struct Trace *trace;       // NULL: none
  const Progress *progress;  // of the run; NULL: none
};

// lower.c: the function as instructions on values.
Status *lower_function(Executable *exe) MUST_USE;
// place.c: gives each value of the instructions a buffer; removes copies that are not needed.
Status *place_values(Executable *exe) MUST_USE;
// run.c: devices.
Status *devices_new(Executable *exe) MUST_USE;
void devices_free(Executable *exe);
Status *devices_run(Executable *exe, const void *const *args, void *const *out) MUST_USE;

// execute.c: what a run changes: devices, workers, lists of addresses.
Status *executable_make_record(Executable *exe) MUST_USE;
void executable_free_aligned(Executable *exe);

// Bytes of a static tensor in canonical storage.
uint64_t executable_value_bytes(const Executable *exe, ValueId v);
static inline bool executable_is_here(const Executable *exe, uint32_t device) {
  return device - exe->first_here < exe->n_here;
}
// The value is defined by an op without operands, and computed once, when it is compiled.
bool executable_is_constant(const Executable *exe, ValueId v);

#endif
