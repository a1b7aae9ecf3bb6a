// Problem: run n communicating processes deterministically, detect mismatched collectives and
// deadlocks, in O(n) memory.
// Idea: each process is a fiber on one thread. It runs until it waits at a collective; then the
// next one runs. Processes meet by group: a process waits at one op at a time, so a group has at
// most one open meeting, and all its members must be at the same op (or at an equal op, if they run
// different functions). Iterations of a loop therefore meet in order, without any numbering.
//
//   process 0   all_reduce ──arrive, wait────────────┐ wake ─→ await returns all values
//   process 1             all_reduce ──arrive (last)─┘
//
// Invariant: if all processes wait, nobody can be woken: a deadlock. The report says who waits
// where and for whom. Cost: a meeting holds the group and the members' values once; a waiting
// process holds its stack and frames only. So n meeting processes take O(n) memory, not O(n²).
#include "evaluate/process.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

enum { STACK_BYTES = 8 << 20, MOST_SHOWN = 16 };

struct Meeting {
  Meeting *prev, *next;  // all meetings of the grid
  Meeting *next_open;    // open meetings whose group begins with the same process
  OpId op;
  uint32_t opener;  // the process that arrived first
  uint32_t n_group, n_values, n_shared, n_arrived, n_left;
  ProcessId *group;
  bool *arrived;     // per member
  Literal **values;  // member × n_values
  Literal **shared;  // n_shared results that all members share, filled as computed
};

struct Message {
  Message *next;
  int64_t channel, from, to;  // flat ids; to = -1: any process
  uint32_t n;
  Literal *values[];
};

struct Grid {
  Run *run;
  Fibers *fibers;  // NULL: a single process, which cannot wait
  uint32_t replicas, partitions;
  Process *processes;
  const OpId *functions;
  uint32_t n_args, n_out;
  Literal *const *args;
  Literal **out;
  Meeting *meetings;
  Meeting **open;                     // per first process of a group: its open meetings
  Message *messages, **messages_end;  // oldest first
  const OpId *infeed;
  uint32_t n_infeed, infeed_next;
};

void grid_shape(const Process *process, uint32_t *out_replicas, uint32_t *out_partitions) {
  *out_replicas = process->grid->replicas;
  *out_partitions = process->grid->partitions;
}

static uint32_t flat_id(const Grid *grid, ProcessId id) {
  return id.replica * grid->partitions + id.partition;
}

// Stack pages below the current ones may have been touched by earlier ops, which cannot be
// observed: this many bytes are assumed.
enum { TOUCHED_BYTES = 12 << 10 };

// Lets others run until this process is woken; then out-of-memory unwinds this process again.
static Status *wait_turn(Process *process) {
  Fibers *fibers = process->grid->fibers;
  if (!fibers) FAIL(INTERNAL, "a process waits that is the only one");
  TRY(process_charge(process, fiber_stack_used(fibers, process->index) + TOUCHED_BYTES));
  bool go_on = fiber_wait(fibers, process->index);
  process_guard(process, process->guard);
  if (!go_on) FAIL(CANCELLED, "the run ended while this process waited");
  return NULL;
}

static void meeting_free(Grid *grid, Meeting *m) {
  if (m->prev)
    m->prev->next = m->next;
  else
    grid->meetings = m->next;
  if (m->next) m->next->prev = m->prev;
  if (m->values)
    for (size_t i = 0; i < (size_t)m->n_group * m->n_values; i++) literal_release(m->values[i]);
  if (m->shared)
    for (uint32_t i = 0; i < m->n_shared; i++) literal_release(m->shared[i]);
  mem_free(m->group);
  mem_free(m->arrived);
  mem_free(m->values);
  mem_free(m->shared);
  mem_free(m);
}

// Opens a meeting. On failure everything allocated so far is freed.
static Meeting *meeting_new(Grid *grid, const EvalContext *cx, uint32_t opener,
                            const ProcessId *group, uint32_t n_group, uint32_t n_values) {
  Meeting *m = mem_alloc(sizeof *m);
  if (!m) return NULL;
  *m = (Meeting){.op = cx->op,
                 .opener = opener,
                 .n_group = n_group,
                 .n_values = n_values,
                 .n_shared = cx->n_out,
                 .next = grid->meetings};
  if (grid->meetings) grid->meetings->prev = m;
  grid->meetings = m;
  size_t n_all = (size_t)n_group * n_values;
  m->group = mem_alloc(n_group * sizeof *m->group);
  m->arrived = mem_alloc(n_group * sizeof *m->arrived);
  m->values = mem_alloc(n_all * sizeof *m->values);
  m->shared = mem_alloc(m->n_shared * sizeof *m->shared);
  if (!m->group || !m->arrived || !m->values || !m->shared) {
    mem_free(m->values);
    mem_free(m->shared);
    m->values = m->shared = NULL;
    meeting_free(grid, m);
    return NULL;
  }
  memcpy(m->group, group, n_group * sizeof *group);
  memset(m->arrived, 0, n_group * sizeof *m->arrived);
  for (size_t i = 0; i < n_all; i++) m->values[i] = NULL;
  for (uint32_t i = 0; i < m->n_shared; i++) m->shared[i] = NULL;
  Meeting **open = &grid->open[flat_id(grid, group[0])];
  m->next_open = *open;
  *open = m;
  return m;
}

// All members have arrived: the meeting is no longer open.
static void meeting_close(Grid *grid, Meeting *m) {
  Meeting **at = &grid->open[flat_id(grid, m->group[0])];
  while (*at != m) at = &(*at)->next_open;
  *at = m->next_open;
}

// The open meeting of exactly this group. Few groups share a first process, so the list is short.
static Meeting *find_meeting(Grid *grid, const ProcessId *group, uint32_t n_group) {
  for (Meeting *m = grid->open[flat_id(grid, group[0])]; m; m = m->next_open) {
    if (m->n_group != n_group) continue;
    uint32_t i = 0;
    while (i < n_group && m->group[i].replica == group[i].replica &&
           m->group[i].partition == group[i].partition)
      i++;
    if (i == n_group) return m;
  }
  return NULL;
}

// Two processes of one group are at different collectives.
static Status *mismatch(Process *process, const Meeting *m, OpId op, const char *why) {
  Run *run = process->run;
  ProcessId other = process->grid->processes[m->opener].id;
  FAIL(FAILED_PRECONDITION,
       "mismatched collectives: process (%u, %u) is at %s while process (%u, %u) of the same group "
       "is at %s%s",
       process->id.replica, process->id.partition, run_op_text(run, op, &process->scratch),
       other.replica, other.partition, run_op_text(run, m->op, &process->scratch), why);
}

// Joins or opens the group's meeting and deposits the process's values. Does not wait: an op may
// arrive first and await later (asynchronous collectives). The last member wakes the others.
static Status *host_arrive(EvalContext *cx, const ProcessId *group, uint32_t n_group, uint32_t n,
                           Literal *const *mine, Rendezvous *out) {
  Process *process = process_of(cx);
  Grid *grid = process->grid;
  uint32_t self = n_group;
  for (uint32_t i = 0; i < n_group; i++) {
    if (group[i].replica >= grid->replicas || group[i].partition >= grid->partitions)
      FAIL(INVALID_ARGUMENT,
           "process (%u, %u) does not exist in a grid of %u replicas x %u partitions "
           "(--replicas, --partitions)",
           group[i].replica, group[i].partition, grid->replicas, grid->partitions);
    if (flat_id(grid, group[i]) == process->index) self = i;
  }
  if (self == n_group) FAIL(INTERNAL, "a process exchanges with a group it is not in");
  Meeting *m = find_meeting(grid, group, n_group);
  if (!m) {
    m = meeting_new(grid, cx, process->index, group, n_group, n);
    if (!m) return status_no_memory();
  } else if (m->op != cx->op && op_hash(cx->program, m->op) != op_hash(cx->program, cx->op)) {
    return mismatch(process, m, cx->op, "");
  } else if (m->n_values != n) {
    return mismatch(process, m, cx->op, ", with another number of values");
  }
  for (uint32_t i = 0; i < n; i++) m->values[(size_t)self * n + i] = literal_retain(mine[i]);
  m->arrived[self] = true;
  m->n_arrived++;
  *out = (Rendezvous){.n_group = n_group, .self = self, .group = m->group, .meeting = m};
  if (m->n_arrived < n_group) return NULL;
  meeting_close(grid, m);
  for (uint32_t i = 0; i < n_group; i++)
    if (i != self) fiber_wake(grid->fibers, flat_id(grid, m->group[i]));
  return NULL;
}

// Waits until all members have arrived. The meeting stays valid until host_leave.
static Status *host_await(EvalContext *cx, Rendezvous *exchange) {
  Process *process = process_of(cx);
  Meeting *m = exchange->meeting;
  process->waits_at = cx->op;
  process->meeting = m;
  while (m->n_arrived < m->n_group) TRY(wait_turn(process));
  process->waits_at = 0;
  process->meeting = NULL;
  exchange->parts = m->values;
  exchange->shared = m->shared;
  return NULL;
}

// The last member to leave frees the meeting.
static void host_leave(EvalContext *cx, Rendezvous *exchange) {
  if (++exchange->meeting->n_left == exchange->meeting->n_group)
    meeting_free(process_of(cx)->grid, exchange->meeting);
}

// Queues a message and wakes the processes that wait on its channel; sending never waits.
static Status *host_send(EvalContext *cx, int64_t channel, int64_t peer, uint32_t n,
                         Literal *const *values) {
  Process *process = process_of(cx);
  Grid *grid = process->grid;
  if (peer >= (int64_t)grid->replicas * grid->partitions)
    FAIL(INVALID_ARGUMENT, "target %lld does not exist in a grid of %u processes", (long long)peer,
         grid->replicas * grid->partitions);
  Message *message = mem_alloc(sizeof *message + n * sizeof(Literal *));
  if (!message) return status_no_memory();
  *message = (Message){.channel = channel, .from = process->index, .to = peer, .n = n};
  for (uint32_t i = 0; i < n; i++) message->values[i] = literal_retain(values[i]);
  *grid->messages_end = message;
  grid->messages_end = &message->next;
  if (!grid->fibers) return NULL;
  for (uint32_t i = 0; i < grid->replicas * grid->partitions; i++)
    if (grid->processes[i].waits_at && !grid->processes[i].meeting &&
        grid->processes[i].channel == channel)
      fiber_wake(grid->fibers, i);
  return NULL;
}

// Takes the oldest message that matches, or waits. Each new message on the channel wakes the
// process.
static Status *host_receive(EvalContext *cx, int64_t channel, int64_t peer, uint32_t n,
                            Literal **out) {
  Process *process = process_of(cx);
  Grid *grid = process->grid;
  for (;;) {
    for (Message **at = &grid->messages; *at; at = &(*at)->next) {
      Message *message = *at;
      if (message->channel != channel || (peer >= 0 && message->from != peer) ||
          (message->to >= 0 && message->to != process->index))
        continue;
      if (message->n != n)
        FAIL(FAILED_PRECONDITION, "%u values were sent on channel %lld, %u are received",
             message->n, (long long)channel, n);
      for (uint32_t i = 0; i < n; i++) out[i] = message->values[i];
      *at = message->next;
      if (!*at) grid->messages_end = at;
      mem_free(message);
      return NULL;
    }
    process->waits_at = cx->op;
    process->channel = channel;
    if (!grid->fibers)
      FAIL(FAILED_PRECONDITION,
           "nothing was sent on channel %lld, and no other process is there to send",
           (long long)channel);
    TRY(wait_turn(process));
    process->waits_at = 0;
  }
}

static Status *host_infeed(EvalContext *cx, uint32_t n, Literal **out) {
  Process *process = process_of(cx);
  Grid *grid = process->grid;
  if (grid->infeed_next == grid->n_infeed)
    FAIL(FAILED_PRECONDITION, "the infeed queue is empty: all %u functions in it have been used",
         grid->n_infeed);
  OpId function = grid->infeed[grid->infeed_next++];
  if (evaluate_n_results(cx->program, function) != n)
    FAIL(FAILED_PRECONDITION,
         "the next function in the infeed queue gives %u values, %u are expected",
         evaluate_n_results(cx->program, function), n);
  return process_call(process, function, 0, NULL, n, out);
}

static Status *host_outfeed(EvalContext *cx, uint32_t n, Literal *const *values) {
  (void)cx, (void)n, (void)values;  // there is no reader
  return NULL;
}

void grid_host(EvalHost *host) {
  host->arrive = host_arrive;
  host->await = host_await;
  host->leave = host_leave;
  host->send = host_send;
  host->receive = host_receive;
  host->infeed = host_infeed;
  host->outfeed = host_outfeed;
}

// ---- running ----

typedef struct Turn {
  Grid *grid;
  Process *process;
} Turn;

static Status *process_main(Guard *guard, void *arg) {
  Turn *turn = arg;
  Grid *grid = turn->grid;
  Process *process = turn->process;
  process_guard(process, guard);
  const Program *p = grid->run->program;
  OpId function = grid->functions[process->index];
  // Without arguments or results there is no array to point into.
  uint32_t n_args = evaluate_n_arguments(p, function), n_out = evaluate_n_results(p, function);
  TRY(process_call(process, function, n_args, n_args ? grid->args + process->first_arg : NULL,
                   n_out, n_out ? grid->out + process->first_out : NULL));
  process->finished = true;
  return NULL;
}

// A throw leaves process->at set: it is the op that failed.
static Status *run_process(Grid *grid, uint32_t index) {
  Turn turn = {grid, &grid->processes[index]};
  Status *status = guard_run(process_main, &turn);
  OpId at = turn.process->at;
  return status && at && status_code(status) != CANCELLED ? process_locate(turn.process, at, status)
                                                          : status;
}

static Status *fiber_body(Fibers *fibers, void *arg, uint32_t index) {
  Grid *grid = arg;
  grid->fibers = grid->replicas * grid->partitions > 1 ? fibers : NULL;
  TRY(run_process(grid, index));
  process_deinit(&grid->processes[index]);  // frees memory early: other processes may run long
  return NULL;
}

typedef struct Text {
  char *at, *end;
} Text;

static void put(Text *text, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void put(Text *text, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  int n = vsnprintf(text->at, (size_t)(text->end - text->at), fmt, args);
  va_end(args);
  if (n > 0) text->at += n < text->end - text->at ? n : text->end - text->at - 1;
}

static void put_location(Text *text, const Run *run, OpId op) {
  put(text, "'%s'", op_name(run->program, op));
  if (!run->program->source || op_at(run->program, op)->pos == POS_NONE) return;
  uint32_t line, column;
  source_locate(run->program->source, op_at(run->program, op)->pos, &line, &column);
  put(text, " at %s:%u:%u", run->program->source->path, line, column);
}

static void put_waiting(Text *text, const Grid *grid, const Process *process) {
  put(text, "\n  process (%u, %u) ", process->id.replica, process->id.partition);
  if (process->finished) {
    put(text, "has finished");
    return;
  }
  put(text, "waits at ");
  put_location(text, grid->run, process->waits_at);
  if (!process->meeting) {
    put(text, " for a message on channel %lld", (long long)process->channel);
    return;
  }
  put(text, " for");
  uint32_t shown = 0;
  for (uint32_t i = 0; i < process->meeting->n_group; i++) {
    if (process->meeting->arrived[i]) continue;
    if (shown++ == MOST_SHOWN) {
      put(text, ", …");
      break;
    }
    put(text, "%s (%u, %u)", shown > 1 ? "," : "", process->meeting->group[i].replica,
        process->meeting->group[i].partition);
  }
}

// Runs without a guard, so the text is built on the stack.
static Status *deadlock(void *arg) {
  Grid *grid = arg;
  uint32_t n = grid->replicas * grid->partitions, waiting = 0;
  for (uint32_t i = 0; i < n; i++) waiting += !grid->processes[i].finished;
  char buffer[8192];
  Text text = {buffer, buffer + sizeof buffer};
  put(&text, "deadlock: %u of %u processes wait and none can go on", waiting, n);
  for (uint32_t i = 0; i < n && i < MOST_SHOWN; i++) put_waiting(&text, grid, &grid->processes[i]);
  if (n > MOST_SHOWN) put(&text, "\n  and %u more", n - MOST_SHOWN);
  grid->run->located = true;
  FAIL(ABORTED, "%s", buffer);
}

// Processes may run different functions, so counts are summed.
static Status *check_counts(const Grid *grid, uint32_t n) {
  uint64_t n_args = 0, n_out = 0;
  for (uint32_t i = 0; i < n; i++) {
    n_args += evaluate_n_arguments(grid->run->program, grid->functions[i]);
    n_out += evaluate_n_results(grid->run->program, grid->functions[i]);
  }
  if (n_args != grid->n_args)
    FAIL(INVALID_ARGUMENT, "the %u processes take %llu arguments in all, %u are given", n,
         (unsigned long long)n_args, grid->n_args);
  if (n_out != grid->n_out)
    FAIL(INVALID_ARGUMENT, "the %u processes give %llu results in all, %u are expected", n,
         (unsigned long long)n_out, grid->n_out);
  return NULL;
}

Status *grid_run(Run *run, uint32_t depth, uint32_t replicas, uint32_t partitions,
                 const OpId *functions, uint32_t n_infeed, const OpId *infeed, uint32_t n_args,
                 Literal *const *args, uint32_t n_out, Literal **out) {
  Grid grid = {.run = run,
               .replicas = replicas,
               .partitions = partitions,
               .functions = functions,
               .n_args = n_args,
               .n_out = n_out,
               .args = args,
               .out = out,
               .infeed = infeed,
               .n_infeed = n_infeed};
  grid.messages_end = &grid.messages;
  uint32_t n = replicas * partitions;
  TRY(check_counts(&grid, n));
  if (n == 0) return NULL;
  size_t state_bytes = n > 1 ? n * (sizeof *grid.processes + GRID_FIBER_BYTES) : 0;
  TRY(literal_heap_charge(run->heap, state_bytes));
  grid.processes = mem_alloc(n * sizeof *grid.processes);
  grid.open = mem_alloc(n * sizeof(Meeting *));
  if (!grid.processes || !grid.open) {
    literal_heap_refund(run->heap, state_bytes);
    mem_free(grid.processes);
    mem_free(grid.open);
    return status_no_memory();
  }
  for (uint32_t i = 0, arg = 0, result = 0; i < n; i++) {
    Process *process = &grid.processes[i];
    grid.open[i] = NULL;
    process_init(process, run, &grid, i, (ProcessId){i / partitions, i % partitions});
    process->depth = depth;
    process->first_arg = arg;
    process->first_out = result;
    arg += evaluate_n_arguments(run->program, functions[i]);
    result += evaluate_n_results(run->program, functions[i]);
  }
  Status *status = n == 1 && !run->options->own_stack
                       ? run_process(&grid, 0)
                       : fibers_run(n, STACK_BYTES, fiber_body, deadlock, &grid);
  for (uint32_t i = 0; i < n; i++) process_deinit(&grid.processes[i]);
  while (grid.meetings) meeting_free(&grid, grid.meetings);
  while (grid.messages) {
    Message *message = grid.messages;
    grid.messages = message->next;
    for (uint32_t i = 0; i < message->n; i++) literal_release(message->values[i]);
    mem_free(message);
  }
  mem_free(grid.processes);
  mem_free(grid.open);
  literal_heap_refund(run->heap, state_bytes);
  return status;
}
