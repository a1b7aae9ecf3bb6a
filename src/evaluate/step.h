// Evaluates single ops on behalf of an engine that runs the rest of the program itself (execute).
//
// The engine owns order, control flow and memory. It asks for one op at a time, with the operands
// and with the values that the op's regions capture. A collective takes two steps: each member
// arrives with its operands, and is told its group; when all have arrived, each one completes with
// the values of all. One thread at a time may call any of these.
#ifndef TESSERA_EVALUATE_STEP_H
#define TESSERA_EVALUATE_STEP_H

#include "evaluate/evaluate.h"

typedef struct Stepper Stepper;

// For options->replicas × options->partitions processes of the function. All arguments are borrowed
// until stepper_free.
Status *stepper_new(Program *program, OpId function, const EvalOptions *options, LiteralHeap *heap,
                    Arena *arena, EvalReport *report, Stepper **out) MUST_USE;
// A new run of the function begins: stablehlo.rng draws what it drew in the first one.
void stepper_restart(Stepper *stepper);
void stepper_free(Stepper *stepper);  // NULL is fine

// A value from outside that the op's regions use.
typedef struct Captured {
  ValueId value;
  Literal *literal;  // borrowed
} Captured;

// Runs the op in a process. in is borrowed, out is owned by the caller.
Status *stepper_run(Stepper *stepper, uint32_t process, OpId op, uint32_t n_captured,
                    const Captured *captured, Literal *const *in, Literal **out) MUST_USE;

// A member of a collective that has arrived.
typedef struct Arrival {
  uint32_t n_group, self, n_values;
  const ProcessId *group;  // n_group; in the arena of the caller
  Literal **values;        // its n_values contributions; owned by the caller
} Arrival;
// The first step of a collective. n_group 0: the process takes part in no group, and `out` has the
// results.
Status *stepper_arrive(Stepper *stepper, uint32_t process, OpId op, Literal *const *in,
                       Literal **out, Arena *arena, Arrival *out_arrival) MUST_USE;
// The second step. parts: n_group × n_values, by member. shared: n_out results that are equal for
// all members, initially NULL; the same array for all of them; the caller releases what is there.
Status *stepper_complete(Stepper *stepper, uint32_t process, OpId op, const Arrival *arrival,
                         Literal *const *parts, Literal **shared, Literal *const *in,
                         Literal **out) MUST_USE;

#endif
