// Problem: an engine that runs most ops by itself needs the reference semantics for the others.
// Idea: each process has the frame of the function, as in a call; the engine's values are put into
// slots only while an op that captures them runs. A collective's eval runs twice: in the first run
// `arrive` notes the group and contributions, and ends the eval with an error that is dropped; in
// the second run `await` returns the contributions of all members at once.
// Invariant: between calls no slot holds a value. Cost: O(captured values) besides the op's eval.
#include "evaluate/step.h"

#include <string.h>

#include "base/mem.h"
#include "evaluate/process.h"

typedef enum Meet { MEET_NOT, MEET_ARRIVE, MEET_COMPLETE } Meet;

struct Stepper {
  Run run;
  OpId function;
  uint32_t replicas, partitions;
  Process *processes;
  Meet meet;
  // MEET_ARRIVE: where to put the arrival. MEET_COMPLETE: what await returns.
  Arrival *arrival;
  Arena *arena;
  const Arrival *completed;
  Literal *const *parts;
  Literal **shared;
};

static Stepper *stepper_of(EvalContext *cx) { return process_of(cx)->user; }

static void step_grid(EvalContext *cx, uint32_t *out_replicas, uint32_t *out_partitions,
                      ProcessId *out_self) {
  *out_replicas = stepper_of(cx)->replicas;
  *out_partitions = stepper_of(cx)->partitions;
  *out_self = process_of(cx)->id;
}

static Status *step_arrive(EvalContext *cx, const ProcessId *group, uint32_t n_group, uint32_t n,
                           Literal *const *mine, Rendezvous *out) {
  Stepper *s = stepper_of(cx);
  if (s->meet == MEET_COMPLETE) {
    *out = (Rendezvous){
        .n_group = s->completed->n_group, .self = s->completed->self, .group = s->completed->group};
    return NULL;
  }
  if (s->meet != MEET_ARRIVE || s->arrival->n_group)
    FAIL(UNIMPLEMENTED, "meets other processes more than once: use --engine=eval");
  const Process *process = process_of(cx);
  uint32_t self = n_group;
  for (uint32_t i = 0; i < n_group; i++) {
    if (group[i].replica >= s->replicas || group[i].partition >= s->partitions)
      FAIL(INVALID_ARGUMENT,
           "process (%u, %u) does not exist in a grid of %u replicas x %u partitions "
           "(--replicas, --partitions)",
           group[i].replica, group[i].partition, s->replicas, s->partitions);
    if (group[i].replica * s->partitions + group[i].partition == process->index) self = i;
  }
  if (self == n_group) FAIL(INTERNAL, "a process exchanges with a group it is not in");
  *s->arrival = (Arrival){
      .n_group = n_group,
      .self = self,
      .n_values = n,
      .group = arena_copy(s->arena, group, n_group * sizeof *group),
      .values = ARENA_ARRAY(s->arena, Literal *, n ? n : 1),
  };
  for (uint32_t i = 0; i < n; i++) s->arrival->values[i] = literal_retain(mine[i]);
  FAIL(CANCELLED, "the members have not arrived");
}

static Status *step_await(EvalContext *cx, Rendezvous *exchange) {
  exchange->parts = stepper_of(cx)->parts;
  exchange->shared = stepper_of(cx)->shared;
  return NULL;
}

static void step_leave(EvalContext *cx, Rendezvous *exchange) { (void)cx, (void)exchange; }

// Programs with these ops run in the evaluator alone.
static Status *step_send(EvalContext *cx, int64_t channel, int64_t peer, uint32_t n,
                         Literal *const *values) {
  (void)cx, (void)channel, (void)peer, (void)n, (void)values;
  FAIL(UNIMPLEMENTED, "sends inside an op: use --engine=eval");
}

static Status *step_receive(EvalContext *cx, int64_t channel, int64_t peer, uint32_t n,
                            Literal **out) {
  (void)cx, (void)channel, (void)peer, (void)n, (void)out;
  FAIL(UNIMPLEMENTED, "receives inside an op: use --engine=eval");
}

static Status *step_infeed(EvalContext *cx, uint32_t n, Literal **out) {
  (void)cx, (void)n, (void)out;
  FAIL(FAILED_PRECONDITION, "the infeed queue is empty");
}

static void set_guard(Stepper *s, Guard *guard) {
  s->run.heap->guard = guard;
  program_guard(s->run.program, guard);
  arena_guard(s->run.arena, guard);
  arena_guard(&s->run.tables, guard);
}

static Status *prepare(Guard *guard, void *arg) {
  Stepper *s = arg;
  set_guard(s, guard);
  eval_slots_init(&s->run.slots, s->run.program, &s->run.tables);
  symbols_init(&s->run.symbols, s->run.program, op_parent(s->run.program, s->function), guard);
  uint32_t n = s->replicas * s->partitions;
  s->processes = ARENA_ARRAY(&s->run.tables, Process, n);
  for (uint32_t i = 0; i < n; i++) {
    Process *process = &s->processes[i];
    process_init(process, &s->run, NULL, i, (ProcessId){i / s->partitions, i % s->partitions});
    process->user = s;
    process->host.grid = step_grid;
    process->host.arrive = step_arrive;
    process->host.await = step_await;
    process->host.leave = step_leave;
    process->host.send = step_send;
    process->host.receive = step_receive;
    process->host.infeed = step_infeed;
    process_guard(process, guard);
    process_push_frame(process, s->function);
  }
  return NULL;
}

Status *stepper_new(Program *program, OpId function, const EvalOptions *options, LiteralHeap *heap,
                    Arena *arena, EvalReport *report, Stepper **out) {
  *out = NULL;
  Stepper *s = mem_alloc(sizeof *s);
  if (!s) return status_no_memory();
  *s = (Stepper){.run = {.program = program,
                         .options = options,
                         .heap = heap,
                         .arena = arena,
                         .report = report},
                 .function = function,
                 .replicas = options->replicas ? options->replicas : 1,
                 .partitions = options->partitions ? options->partitions : 1};
  s->run.progress = guard_progress(heap->guard);
  arena_init(&s->run.tables, NULL);
  Guard *heap_guard = heap->guard, *arena_before = arena->guard;
  Guard *program_before = program_guard(program, NULL);
  Status *status = guard_run(prepare, s);
  heap->guard = heap_guard;
  program_guard(program, program_before);
  arena_guard(arena, arena_before);
  if (status) {
    stepper_free(s);
    return status;
  }
  *out = s;
  return NULL;
}

void stepper_restart(Stepper *s) {
  for (uint32_t i = 0; i < s->replicas * s->partitions; i++) s->processes[i].draws = 0;
}

void stepper_free(Stepper *s) {
  if (!s) return;
  for (uint32_t i = 0; i < s->run.probes.count; i++) literal_release(s->run.probes.items[i].value);
  for (uint32_t i = 0; s->processes && i < s->replicas * s->partitions; i++)
    if (s->processes[i].run) process_deinit(&s->processes[i]);
  symbols_deinit(&s->run.symbols);
  arena_deinit(&s->run.tables);
  mem_free(s);
}

typedef struct Step {
  Stepper *stepper;
  Process *process;
  OpId op;
  uint32_t n_captured;
  const Captured *captured;
  Literal *const *in;
  Literal **out;
} Step;

static Status *run_step(Guard *guard, void *arg) {
  Step *step = arg;
  Process *process = step->process;
  process_guard(process, guard);
  for (uint32_t i = 0; i < step->n_captured; i++)
    *process_slot(process, step->captured[i].value) = step->captured[i].literal;
  ArenaMark mark = arena_mark(&process->scratch);
  Status *status = process->host.poll(
      &(EvalContext){.host = &process->host, .program = process->run->program, .op = step->op});
  process->run->report->steps++;
  if (!status) status = process_compute(process, step->op, step->in, step->out);
  arena_rewind(&process->scratch, mark);
  return status;
}

// A throw leaves the frame as it is: the run ends then.
static Status *run_guarded(Step *step) {
  Stepper *s = step->stepper;
  Guard *heap_guard = s->run.heap->guard, *arena_before = s->run.arena->guard;
  Guard *program_before = program_guard(s->run.program, NULL);
  Status *status = guard_run(run_step, step);
  for (uint32_t i = 0; i < step->n_captured; i++)
    *process_slot(step->process, step->captured[i].value) = NULL;
  s->run.heap->guard = heap_guard;
  program_guard(s->run.program, program_before);
  arena_guard(s->run.arena, arena_before);
  return status;
}

Status *stepper_run(Stepper *s, uint32_t process, OpId op, uint32_t n_captured,
                    const Captured *captured, Literal *const *in, Literal **out) {
  Step step = {s, &s->processes[process], op, n_captured, captured, in, out};
  Status *status = run_guarded(&step);
  return status ? process_locate(step.process, op, status) : NULL;
}

Status *stepper_arrive(Stepper *s, uint32_t process, OpId op, Literal *const *in, Literal **out,
                       Arena *arena, Arrival *out_arrival) {
  *out_arrival = (Arrival){0};
  s->meet = MEET_ARRIVE;
  s->arrival = out_arrival;
  s->arena = arena;
  Step step = {s, &s->processes[process], op, 0, NULL, in, out};
  Status *status = run_guarded(&step);
  s->meet = MEET_NOT;
  if (status && out_arrival->n_group) {
    step.process->at = 0;
    status_free(status);
    return NULL;
  }
  return status ? process_locate(step.process, op, status) : NULL;
}

Status *stepper_complete(Stepper *s, uint32_t process, OpId op, const Arrival *arrival,
                         Literal *const *parts, Literal **shared, Literal *const *in,
                         Literal **out) {
  s->meet = MEET_COMPLETE;
  s->completed = arrival;
  s->parts = parts;
  s->shared = shared;
  Step step = {s, &s->processes[process], op, 0, NULL, in, out};
  Status *status = run_guarded(&step);
  s->meet = MEET_NOT;
  return status ? process_locate(step.process, op, status) : NULL;
}
