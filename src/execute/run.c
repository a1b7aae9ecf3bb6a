// Problem: run N devices on a few workers, such that no thread waits for a device.
// Idea: a device is a state machine: a stack of lists with the next instruction of each. A turn
// runs instructions until the device arrives at a collective whose members are not all there, or
// ends. The last member to arrive computes the results of all, and makes the others ready. What
// runs through the evaluator holds one lock, since the evaluator belongs to one thread at a time.
// Invariant: between turns nothing but the device's record knows about it, so any worker may
// continue it. A waiting device's buffers do not change. Cost: O(1) per instruction besides its
// work.
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "execute/exchange.h"
#include "execute/executable.h"
#include "execute/ranks.h"
#include "execute/running.h"
#include "execute/trace.h"
#include "execute/watch.h"
#include "ops/op.h"

typedef struct Frame {
  const InstrList *list;
  uint32_t next;
  const Instr *of;  // the loop or branch; NULL: the main list
} Frame;

// A collective that some members have reached; in the arena of the first one. A device waits at one
// collective at a time, so a group has at most one meeting.
typedef struct Meeting Meeting;
struct Meeting {
  Meeting *next;
  const Instr *instr;
  uint32_t n_group, n_values, n_arrived;
  const ProcessId *group;
  Arrival *arrivals;  // per member
  Literal ***in;      // per member: its operands
  Literal **parts;    // n_group × n_values
  Transfer transfer;  // of the parts, if members are on other ranks
};

// The devices that meet at an instruction. Known when a member has arrived for the first time.
typedef struct Group {
  uint32_t n, n_arrived;
  uint32_t n_here;  // members on this rank
  uint32_t *members;
  bool slow;           // through eval: it only counts iterations
  uint64_t iteration;  // of this run: how often the members have met
  Kernel kernel;       // computes the results of all members
  void **buffers;      // of the kernel: the members' operands, then their results
  // If members are on other ranks: what is exchanged (the operands of all members, or partial sums
  // of `split`), of which device, and the memory for it; and the exchange.
  uint32_t n_away;
  uint32_t *away_devices;
  void **away;  // per value; operands of members here: NULL
  const size_t *bytes;
  ExchangeSplit split;
  void **split_buffers;
  Transfer transfer;
} Group;

typedef struct Device {
  uint32_t index;
  char *memory;     // of SEGMENT_TEMP
  void **pointers;  // per Executable.refs
  Frame *frames;
  uint32_t depth;
  const Instr *waits;  // at a collective; NULL: not waiting
  // Its next turn begins with the collective at which it waits: the operands of other ranks have
  // arrived. One of both, or none.
  Group *completes;
  Meeting *concludes;
  const Instr *shown;  // whose temporaries sanitizers may see
  bool finished;
  // Memory of the op that it evaluates, or of the collective that it waits at. Guarded by the lock.
  Arena arena;
  ArenaMark start;
} Device;

typedef struct Running {
  Executable *exe;
  const void *const *args;
  void *const *out;
  const Progress *progress;  // NULL: none
  uint64_t n_told;           // instructions that the calling thread has run
  // Under the lock:
  Meeting *meetings;
  Status *status;  // the first error
  uint32_t n_finished;
} Running;

struct Devices {
  Device *items;
  void **pointers;
  Frame *frames;
  char *memory;
  size_t memory_bytes;
};

// ---- memory ----

// NULL if the segment has no bytes: then all its buffers are empty; or if it changes with the run.
static void *fixed_address(const Executable *exe, const Device *device, const Buffer *buffer) {
  if (buffer->segment == SEGMENT_TEMP && device->memory) return device->memory + buffer->offset;
  if (buffer->segment == SEGMENT_CONSTANT && exe->constants) return exe->constants + buffer->offset;
  return NULL;
}

Status *devices_new(Executable *exe) {
  struct Devices *d = ARENA_NEW(&exe->arena, struct Devices);
  exe->devices = d;
  uint32_t n = exe->n_devices, n_refs = exe->refs.count;
  d->items = ARENA_ARRAY(&exe->arena, Device, n);
  d->pointers = ARENA_ARRAY(&exe->arena, void *, (size_t)n *n_refs + 1);
  d->frames = ARENA_ARRAY(&exe->arena, Frame, (size_t)n * (exe->depth + 1));
  size_t each = exe->mapped_bytes, all;
  if (!size_mul(each, exe->n_here, &all)) return status_no_memory();
  if (all) {
    d->memory = mem_pages_new(all);
    if (!d->memory)
      FAIL(RESOURCE_EXHAUSTED, "%zu bytes for the temporaries of %u devices are not available", all,
           exe->n_here);
    d->memory_bytes = all;
  }
  for (uint32_t i = 0; i < n; i++)
    d->items[i] = (Device){.index = i,
                           .memory = d->memory && executable_is_here(exe, i)
                                         ? d->memory + each * (i - exe->first_here)
                                         : NULL,
                           .pointers = d->pointers + (size_t)n_refs * i,
                           .frames = d->frames + (size_t)(exe->depth + 1) * i};
  for (uint32_t i = 0; i < n; i++) arena_init(&d->items[i].arena, NULL);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < n_refs; k++)
      d->items[i].pointers[k] =
          fixed_address(exe, &d->items[i], &exe->buffers.items[exe->refs.items[k]]);
  return NULL;
}

void devices_free(Executable *exe) {
  if (!exe->devices) return;
  for (uint32_t i = 0; exe->devices->items && i < exe->n_devices; i++)
    arena_deinit(&exe->devices->items[i].arena);
  watch_free(exe->devices->memory, exe->devices->memory_bytes);
  mem_pages_free(exe->devices->memory, exe->devices->memory_bytes);
  for (uint32_t i = 0; i < exe->away.count; i++)
    mem_pages_free(exe->away.items[i].memory, exe->away.items[i].bytes);
}

// The address of an argument or result in this run.
static void *moving_address(const Running *run, const Device *device, const Buffer *buffer) {
  const Executable *exe = run->exe;
  if (buffer->segment == SEGMENT_RESULT)
    return run->out[device->index * exe->n_out + buffer->index];
  // never written
  return (void *)(uintptr_t)run->args[device->index * exe->n_args + buffer->index];
}

// ---- instructions through the evaluator ----

// A literal with a copy of the buffer: the evaluator may keep it.
static Literal *read_value(Executable *exe, ValueId v, const void *from) {
  Literal *l = literal_new_typed(exe->heap, exe->program->context, value_type(exe->program, v));
  size_t bytes = executable_value_bytes(exe, v);
  if (bytes) memcpy(l->data, from, bytes);
  return l;
}

typedef struct EvalJob {
  Running *run;
  Device *device;
  const Instr *instr;
  Status *(*body)(struct EvalJob *job);
  bool waits;               // the device must wait for others; then it belongs to them
  bool continues;           // keeps what the device's arena has
  struct Group *completes;  // the device is the last member to arrive
} EvalJob;

static Status *write_results(EvalJob *job, uint32_t device, Literal **out) {
  Executable *exe = job->run->exe;
  const Instr *instr = job->instr;
  void **to = exe->devices->items[device].pointers + instr->first + instr->n_in;
  for (uint32_t i = 0; i < instr->n_out; i++) {
    size_t bytes = executable_value_bytes(exe, instr->out[i]);
    if (bytes) memcpy(to[i], out[i]->data, bytes);
    literal_release(out[i]);
  }
  return NULL;
}

static Literal **read_operands(EvalJob *job) {
  Executable *exe = job->run->exe;
  const Instr *instr = job->instr;
  Literal **in = ARENA_ARRAY(&job->device->arena, Literal *, instr->n_in + 1);
  for (uint32_t i = 0; i < instr->n_in; i++)
    in[i] = read_value(exe, instr->in[i], job->device->pointers[instr->first + i]);
  return in;
}

static Status *eval_now(EvalJob *job) {
  Executable *exe = job->run->exe;
  const Instr *instr = job->instr;
  Arena *arena = &job->device->arena;
  uint32_t n_operands = instr->n_in - instr->n_captured;
  Literal **in = read_operands(job), **out = ARENA_ARRAY(arena, Literal *, instr->n_out + 1);
  Captured *captured = ARENA_ARRAY(arena, Captured, instr->n_captured + 1);
  for (uint32_t i = 0; i < instr->n_captured; i++)
    captured[i] = (Captured){instr->in[n_operands + i], in[n_operands + i]};
  TRY(stepper_run(exe->stepper, job->device->index, instr->op, instr->n_captured, captured, in,
                  out));
  for (uint32_t i = 0; i < instr->n_in; i++) literal_release(in[i]);
  return write_results(job, job->device->index, out);
}

static Status *in_guard(Guard *guard, void *arg) {
  EvalJob *job = arg;
  job->run->exe->heap->guard = guard;
  arena_guard(&job->device->arena, guard);
  if (!job->continues) arena_rewind(&job->device->arena, job->device->start);
  return job->body(job);
}

// Runs the body under the lock. False after an error, which ends the run.
static bool locked(EvalJob *job) {
  Running *run = job->run;
  pthread_mutex_lock(&run->exe->lock);
  if (!run->status) {
    Guard *before = run->exe->heap->guard;
    run->status = guard_run(in_guard, job);
    run->exe->heap->guard = before;
    arena_guard(&job->device->arena, NULL);
    arena_guard(&run->exe->arena, NULL);  // a throw may have left it
  }
  bool good = !run->status;
  pthread_mutex_unlock(&run->exe->lock);
  return good;
}

// ---- collectives ----

static uint32_t flat(const Executable *exe, ProcessId id) {
  uint32_t partitions = exe->options.eval.partitions ? exe->options.eval.partitions : 1;
  return id.replica * partitions + id.partition;
}

static Meeting **find_meeting(Running *run, const Arrival *arrival) {
  Meeting **at = &run->meetings;
  for (; *at; at = &(*at)->next) {
    const Meeting *m = *at;
    if (m->n_group == arrival->n_group &&
        memcmp(m->group, arrival->group, m->n_group * sizeof *m->group) == 0)
      break;
  }
  return at;
}

static const char *instr_text(const Executable *exe, const Instr *instr, Arena *arena) {
  const Program *p = exe->program;
  uint32_t line, column;
  if (!p->source || op_at(p, instr->op)->pos == POS_NONE)
    return arena_printf(arena, "'%s'", op_name(p, instr->op));
  source_locate(p->source, op_at(p, instr->op)->pos, &line, &column);
  return arena_printf(arena, "'%s' at %s:%u:%u", op_name(p, instr->op), p->source->path, line,
                      column);
}

static Status *complete(EvalJob *job, Meeting *m) {
  Executable *exe = job->run->exe;
  Arena *arena = &job->device->arena;
  const Instr *instr = job->instr;
  Literal **shared = ARENA_ARRAY(arena, Literal *, instr->n_out + 1);
  for (uint32_t i = 0; i < m->n_group; i++) {
    uint32_t device = flat(exe, m->group[i]);
    if (!executable_is_here(exe, device)) continue;
    Literal **out = ARENA_ARRAY(arena, Literal *, instr->n_out + 1);
    TRY(stepper_complete(exe->stepper, device, instr->op, &m->arrivals[i], m->parts, shared,
                         m->in[i], out));
    TRY(write_results(job, device, out));
  }
  for (uint32_t i = 0; i < instr->n_out; i++) literal_release(shared[i]);
  for (uint32_t i = 0; i < m->n_group * m->n_values; i++) literal_release(m->parts[i]);
  for (uint32_t i = 0; i < m->n_group; i++)
    for (uint32_t k = 0; m->in[i] && k < instr->n_in; k++) literal_release(m->in[i][k]);
  return NULL;
}

// The other members may run again.
static void release_members(Executable *exe, const Device *self, uint32_t n,
                            const uint32_t *members) {
  for (uint32_t i = 0; i < n; i++) {
    if (members[i] == self->index || !executable_is_here(exe, members[i])) continue;
    exe->devices->items[members[i]].waits = NULL;
    workers_ready(exe->workers, members[i] - exe->first_here);
  }
}

// Completes for all members, and makes the others ready.
static Status *conclude(EvalJob *job, Meeting *m) {
  Executable *exe = job->run->exe;
  TRY(complete(job, m));
  // The meeting is in the arena of a member, which may run as soon as it is ready.
  uint32_t n = m->n_group, *members = ARENA_ARRAY(&job->device->arena, uint32_t, n);
  for (uint32_t i = 0; i < n; i++) members[i] = flat(exe, m->group[i]);
  release_members(exe, job->device, n, members);
  return NULL;
}

static Status *conclude_later(EvalJob *job) {
  Meeting *m = job->device->concludes;
  job->device->concludes = NULL;
  job->device->waits = NULL;
  return conclude(job, m);
}

// All members of this rank have arrived: exchanges their parts for those of the other ranks. The
// device goes on when they are here.
static Status *send_parts(EvalJob *job, Group *group, Meeting *m) {
  Executable *exe = job->run->exe;
  Arena *arena = &job->device->arena;
  uint32_t n = m->n_values, self = 0;
  for (uint32_t i = 0; i < m->n_group; i++)
    if (group->members[i] == job->device->index) self = i;
  size_t *bytes = ARENA_ARRAY(arena, size_t, n + 1);
  void **data = ARENA_ARRAY(arena, void *, (size_t)m->n_group *n + 1);
  for (uint32_t i = 0; i < m->n_group; i++)
    for (uint32_t v = 0; v < n; v++) {
      const Literal *own = m->parts[(size_t)self * n + v];
      Literal **part = &m->parts[(size_t)i * n + v];
      if (!executable_is_here(exe, group->members[i]))
        *part = literal_like(own, exe->program->context, own->elem);
      bytes[v] = (size_t)own->count * (size_t)dtype_bytes(own->dtype);
      data[(size_t)i * n + v] = (*part)->data;
    }
  m->transfer = (Transfer){.task = job->device->index - exe->first_here};
  m->transfer.requests = ARENA_ARRAY(
      arena, CommRequest, ranks_n_requests(exe->ranks, m->n_group, group->members, n) + 1);
  job->device->waits = job->instr;
  job->device->concludes = m;
  job->waits = true;
  RankGroup all = {m->n_group, group->members, n, bytes, data};
  ranks_start(exe->ranks, &all, job->instr->begin, group->iteration++, &m->transfer);
  return NULL;
}

// Arrives through the evaluator; the last member completes and makes the others ready.
static Status *meet_slowly(EvalJob *job, Literal **in, const Arrival *arrival) {
  Running *run = job->run;
  Executable *exe = run->exe;
  const Instr *instr = job->instr;
  Arena *arena = &job->device->arena;
  Meeting **at = find_meeting(run, arrival), *m = *at;
  if (m && m->instr->op != instr->op &&
      op_hash(exe->program, m->instr->op) != op_hash(exe->program, instr->op))
    FAIL(FAILED_PRECONDITION,
         "mismatched collectives: device %u is at %s while another one of its group is at %s",
         job->device->index, instr_text(exe, instr, arena), instr_text(exe, m->instr, arena));
  if (!m) {
    m = ARENA_NEW(arena, Meeting);
    *m = (Meeting){
        .instr = instr,
        .n_group = arrival->n_group,
        .n_values = arrival->n_values,
        .group = arrival->group,
        .arrivals = ARENA_ARRAY(arena, Arrival, arrival->n_group),
        .in = ARENA_ARRAY(arena, Literal **, arrival->n_group),
        .parts = ARENA_ARRAY(arena, Literal *, (size_t)arrival->n_group * arrival->n_values + 1)};
    *at = m;
  }
  m->arrivals[arrival->self] = *arrival;
  m->in[arrival->self] = in;
  for (uint32_t i = 0; i < arrival->n_values; i++)
    m->parts[(size_t)arrival->self * arrival->n_values + i] = arrival->values[i];
  Group *group = instr->groups[job->device->index];  // only if members are on other ranks
  if (++m->n_arrived < (group ? group->n_here : m->n_group)) {
    job->device->waits = instr;
    job->waits = true;
    return NULL;
  }
  *at = m->next;
  if (group) return send_parts(job, group, m);
  return conclude(job, m);
}
// Memory for what the ranks exchange; false without it.
static bool make_away(Executable *exe, const Instr *instr, Group *group) {
  uint32_t n = instr->n_in, n_items = group->split.n_nodes ? group->split.n_nodes : group->n;
  size_t *bytes = ARENA_ARRAY(&exe->arena, size_t, n + 1), each = 0, all;
  for (uint32_t i = 0; i < n; i++) {
    bytes[i] =
        group->split.n_nodes ? group->split.bytes[i] : executable_value_bytes(exe, instr->in[i]);
    each += (bytes[i] + KERNEL_ALIGN - 1) / KERNEL_ALIGN * KERNEL_ALIGN;
  }
  group->n_away = n_items;
  group->bytes = bytes;
  group->away = ARENA_ARRAY(&exe->arena, void *, (size_t)n_items *n + 1);
  group->away_devices = ARENA_ARRAY(&exe->arena, uint32_t, n_items);
  group->split_buffers = ARENA_ARRAY(&exe->arena, void *, 2 * (size_t)group->n * n + 1);
  for (uint32_t k = 0; k < n_items; k++)
    group->away_devices[k] = group->members[group->split.n_nodes ? group->split.first[k] : k];
  group->transfer.requests = ARENA_ARRAY(
      &exe->arena, CommRequest, ranks_n_requests(exe->ranks, n_items, group->away_devices, n) + 1);
  if (!size_mul(each, n_items, &all)) return false;
  char *memory = mem_pages_new(all ? all : 1);
  if (!memory) return false;
  VEC_PUSH(&exe->arena, &exe->away, ((Pages){memory, all ? all : 1}));
  for (uint32_t k = 0; k < n_items; k++)
    for (uint32_t i = 0; i < n; i++) {
      // Operands of members here are sent from where they are; the pages are then never touched.
      if (group->split.n_nodes || !executable_is_here(exe, group->away_devices[k]))
        group->away[(size_t)k * n + i] = memory;
      memory += (bytes[i] + KERNEL_ALIGN - 1) / KERNEL_ALIGN * KERNEL_ALIGN;
    }
  return true;
}

// The group's record, if a kernel can compute the collective, or members are on other ranks. All
// members share it. NULL: it has none, and runs through eval.
static Group *make_group(Executable *exe, const Instr *instr, const Arrival *arrival) {
  ExchangeMaker maker = exchange_maker(op_at(exe->program, instr->op)->code);
  uint32_t n = arrival->n_group, n_here = 0;
  bool *here = ARENA_ARRAY(&exe->arena, bool, n);
  for (uint32_t i = 0; i < n; i++)
    n_here += here[i] = executable_is_here(exe, flat(exe, arrival->group[i]));
  ExchangeSplit split = {0};
  ExchangeRequest request = {
      .kernel = {.program = exe->program, .arena = &exe->arena, .op = instr->op},
      .n_group = n,
      .group = arrival->group};
  if (n_here < n) {
    uint32_t *ranks = ARENA_ARRAY(&exe->arena, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) ranks[i] = ranks_of(exe->ranks, flat(exe, arrival->group[i]));
    request.here = here;
    request.ranks = ranks;
    request.split = &split;
  }
  Kernel kernel = {0};
  bool slow = !maker || !maker(&request, &kernel) || kernel.temp_bytes ||
              kernel.scratch_bytes > exe->scratch_bytes;
  if (slow && n_here == n) return NULL;
  Group *group = ARENA_NEW(&exe->arena, Group);
  *group = (Group){
      .n = n,
      .n_here = n_here,
      .members = ARENA_ARRAY(&exe->arena, uint32_t, n),
      .kernel = split.n_nodes ? split.combine : kernel,
      .split = split,
      .buffers = ARENA_ARRAY(&exe->arena, void *, (size_t)n *(instr->n_in + instr->n_out) + 1)};
  for (uint32_t i = 0; i < n; i++) {
    group->members[i] = flat(exe, arrival->group[i]);
    instr->groups[group->members[i]] = group;
  }
  group->slow = slow || (n_here < n && !make_away(exe, instr, group));
  return group;
}

// Arrives at a known group. The last member computes outside of the lock.
static Status *arrive(EvalJob *job, Group *group) {
  if (++group->n_arrived < group->n_here) {
    job->device->waits = job->instr;
    job->waits = true;
    return NULL;
  }
  group->n_arrived = 0;
  job->completes = group;
  if (group->n_here < group->n) {  // it goes on when the other ranks have sent theirs
    job->device->waits = job->instr;
    job->device->completes = group;
    job->waits = true;
  }
  return NULL;
}

static Status *meet(EvalJob *job) {
  Executable *exe = job->run->exe;
  const Instr *instr = job->instr;
  Group *group = instr->groups[job->device->index];
  if (group && !group->slow) return arrive(job, group);
  Arena *arena = &job->device->arena;
  Literal **in = read_operands(job), **out = ARENA_ARRAY(arena, Literal *, instr->n_out + 1);
  Arrival arrival;
  TRY(stepper_arrive(exe->stepper, job->device->index, instr->op, in, out, arena, &arrival));
  if (!arrival.n_group) {
    for (uint32_t i = 0; i < instr->n_in; i++) literal_release(in[i]);
    return write_results(job, job->device->index, out);
  }
  Guard *before = arena_guard(&exe->arena, exe->heap->guard);
  if (!group) group = make_group(exe, instr, &arrival);
  arena_guard(&exe->arena, before);
  if (!group || group->slow) return meet_slowly(job, in, &arrival);
  for (uint32_t i = 0; i < arrival.n_values; i++) literal_release(arrival.values[i]);
  for (uint32_t i = 0; i < instr->n_in; i++) literal_release(in[i]);
  return arrive(job, group);
}

// ---- a device's turn ----

typedef struct KernelTile {
  const Kernel *kernel;
  void *const *buffers;
  const RunNote *note;
} KernelTile;

static void run_tile(const void *arg, uint32_t tile, void *scratch) {
  const KernelTile *job = arg;
  const RunNote *before = run_note;
  run_note = job->note;
  job->kernel->run(job->kernel, job->buffers, tile, scratch);
  run_note = before;
}

static void run_kernel(const Kernel *first, void *const *buffers, Worker *worker) {
  for (const Kernel *kernel = first; kernel; kernel = kernel->next) {
    if (kernel->n_tiles == 1) {
      kernel->run(kernel, buffers, 0, worker_scratch(worker));
    } else {
      KernelTile job = {kernel, buffers, run_note};
      worker_tiles(worker, kernel->n_tiles, run_tile, &job);
    }
  }
}

enum { COPY_BYTES = 1 << 20 };  // of a tile

typedef struct CopyTile {
  char *to;
  const char *from;
  size_t bytes;
} CopyTile;

static void copy_tile(const void *arg, uint32_t tile, void *scratch) {
  (void)scratch;
  const CopyTile *copy = arg;
  size_t first = (size_t)tile * COPY_BYTES, left = copy->bytes - first;
  memcpy(copy->to + first, copy->from + first, left < COPY_BYTES ? left : COPY_BYTES);
}

static void run_copy(Executable *exe, Device *device, const Instr *instr, Worker *worker) {
  CopyTile copy = {device->pointers[instr->first + 1], device->pointers[instr->first],
                   exe->buffers.items[exe->refs.items[instr->first + 1]].bytes};
  if (copy.bytes <= COPY_BYTES) {
    if (copy.bytes) memcpy(copy.to, copy.from, copy.bytes);
    return;
  }
  worker_tiles(worker, (uint32_t)((copy.bytes + COPY_BYTES - 1) / COPY_BYTES), copy_tile, &copy);
}

static void push(Device *device, const InstrList *list, const Instr *of) {
  device->frames[device->depth++] = (Frame){list, 0, of};
}

static bool flag_at(const void *at) { return *(const uint8_t *)at != 0; }

// The list that a branch selects: by a flag, the first if it is set; by a number, the last if it is
// out of range.
static uint32_t select_list(const Executable *exe, const Instr *instr, const void *at) {
  const Context *context = exe->program->context;
  if (type_dtype(context, value_type(exe->program, instr->in[0])) == DT_i1)
    return flag_at(at) ? 0 : instr->n_lists > 1;
  int32_t index;
  memcpy(&index, at, sizeof index);
  return index < 0 || (uint32_t)index >= instr->n_lists ? instr->n_lists - 1 : (uint32_t)index;
}

// At the end of a list: back to the list outside, or on with the loop.
static void end_list(Device *device) {
  Frame *frame = &device->frames[device->depth - 1];
  const Instr *loop = frame->of;
  if (!loop || loop->kind != INSTR_LOOP) {
    device->depth--;
  } else if (frame->list == &loop->lists[1]) {
    *frame = (Frame){&loop->lists[0], 0, loop};
  } else if (flag_at(device->pointers[loop->first])) {
    *frame = (Frame){&loop->lists[1], 0, loop};
  } else {
    device->depth--;
  }
}

typedef enum Outcome { OUTCOME_GO_ON, OUTCOME_WAIT, OUTCOME_FAILED } Outcome;

static void *group_operand(const Executable *exe, const Instr *instr, const Group *group,
                           uint32_t item, uint32_t i) {
  void *away = group->away ? group->away[(size_t)item * instr->n_in + i] : NULL;
  return away ? away : exe->devices->items[group->members[item]].pointers[instr->first + i];
}

// Operands of the members, or their partial sums; then the results of the members here.
static void group_buffers(const Executable *exe, const Instr *instr, Group *group) {
  void **to = group->buffers;
  uint32_t n_items = group->away ? group->n_away : group->n;
  for (uint32_t k = 0; k < n_items; k++)
    for (uint32_t i = 0; i < instr->n_in; i++) *to++ = group_operand(exe, instr, group, k, i);
  for (uint32_t m = 0; m < group->n; m++)
    for (uint32_t i = 0; i < instr->n_out; i++)
      *to++ = executable_is_here(exe, group->members[m])
                  ? exe->devices->items[group->members[m]].pointers[instr->first + instr->n_in + i]
                  : NULL;
}

// Adds up what this rank has, and starts the exchange with the other ranks. From then on any worker
// may continue the device.
static void exchange_group(Executable *exe, const Device *device, const Instr *instr, Group *group,
                           Worker *worker) {
  if (group->split.n_nodes) {
    void **to = group->split_buffers;
    for (uint32_t m = 0; m < group->n; m++)
      for (uint32_t i = 0; i < instr->n_in && executable_is_here(exe, group->members[m]); i++)
        *to++ = exe->devices->items[group->members[m]].pointers[instr->first + i];
    for (uint32_t k = 0; k < group->n_away; k++)
      for (uint32_t i = 0; i < instr->n_in && executable_is_here(exe, group->away_devices[k]); i++)
        *to++ = group->away[(size_t)k * instr->n_in + i];
    run_kernel(&group->split.partial, group->split_buffers, worker);
  }
  group_buffers(exe, instr, group);
  group->transfer.task = device->index - exe->first_here;
  RankGroup all = {group->n_away, group->away_devices, instr->n_in, group->bytes, group->buffers};
  ranks_start(exe->ranks, &all, instr->begin, group->iteration++, &group->transfer);
}

// All members wait, so that their buffers do not change.
static void complete_group(Executable *exe, const Device *device, const Instr *instr, Group *group,
                           Worker *worker) {
  group_buffers(exe, instr, group);
  run_kernel(&group->kernel, group->buffers, worker);
  pthread_mutex_lock(&exe->lock);
  release_members(exe, device, group->n, group->members);
  pthread_mutex_unlock(&exe->lock);
}

static Outcome run_locked(Running *run, Device *device, const Instr *instr, Worker *worker,
                          Status *(*body)(EvalJob *job)) {
  EvalJob job = {.run = run, .device = device, .instr = instr, .body = body};
  if (!locked(&job)) return OUTCOME_FAILED;
  if (job.completes && job.waits)
    exchange_group(run->exe, device, instr, job.completes, worker);
  else if (job.completes)
    complete_group(run->exe, device, instr, job.completes, worker);
  return job.waits ? OUTCOME_WAIT : OUTCOME_GO_ON;
}

// The first step of a turn: the collective at which the device has waited for other ranks.
static Outcome resume(Running *run, Device *device, Worker *worker) {
  const Instr *instr = device->waits;
  if (device->concludes) {
    EvalJob job = {
        .run = run, .device = device, .instr = instr, .body = conclude_later, .continues = true};
    return locked(&job) ? OUTCOME_GO_ON : OUTCOME_FAILED;
  }
  Group *group = device->completes;
  device->completes = NULL;
  device->waits = NULL;
  complete_group(run->exe, device, instr, group, worker);
  return OUTCOME_GO_ON;
}

static Outcome run_instr(Running *run, Device *device, const Instr *instr, Worker *worker) {
  Executable *exe = run->exe;
  switch (instr->kind) {
  case INSTR_KERNEL: run_kernel(instr->kernel, device->pointers + instr->first, worker); break;
  case INSTR_COPY: run_copy(exe, device, instr, worker); break;
  case INSTR_BY_DEVICE: {
    size_t bytes = executable_value_bytes(exe, instr->out[0]);
    memcpy(device->pointers[instr->first], instr->by_device + bytes * device->index, bytes);
    break;
  }
  case INSTR_EVAL: return run_locked(run, device, instr, worker, eval_now);
  case INSTR_COLLECTIVE: return run_locked(run, device, instr, worker, meet);
  case INSTR_LOOP: push(device, &instr->lists[0], instr); break;
  case INSTR_BRANCH:
    push(device, &instr->lists[select_list(exe, instr, device->pointers[instr->first])], instr);
    break;
  }
  return OUTCOME_GO_ON;
}

static bool is_cancelled(const Executable *exe) {
  const int *cancel = exe->options.eval.cancel;
  return cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED);
}

static void finish_device(Running *run, Device *device) {
  if (run->exe->n_devices == 1 && !run->exe->ranks) {  // no one else looks at it
    device->finished = true;
    workers_finish(run->exe->workers);
    return;
  }
  pthread_mutex_lock(&run->exe->lock);
  device->finished = true;
  bool all = ++run->n_finished == run->exe->n_here;
  pthread_mutex_unlock(&run->exe->lock);
  if (all && run->exe->ranks)
    ranks_finished(run->exe->ranks);
  else if (all)
    workers_finish(run->exe->workers);
}

static void fail(void *user, Status *status) {
  Running *run = user;
  pthread_mutex_lock(&run->exe->lock);
  if (run->status)
    status_free(status);
  else
    run->status = status;
  pthread_mutex_unlock(&run->exe->lock);
  workers_finish(run->exe->workers);
}

static void add_time(Executable *exe, const Instr *instr, double seconds) {
  pthread_mutex_lock(&exe->lock);
  exe->rows.items[instr->row].seconds += seconds;
  exe->rows.items[instr->row].n_runs++;
  pthread_mutex_unlock(&exe->lock);
}

static void run_device(Running *run, Device *device, Worker *worker, RunNote *note) {
  Executable *exe = run->exe;
  uint32_t task = device->index;
  if (exe->trace) trace_turn(exe->trace, task, worker);
  if ((device->completes || device->concludes) && resume(run, device, worker) == OUTCOME_FAILED) {
    workers_finish(exe->workers);
    return;
  }
  while (device->depth) {
    Frame *frame = &device->frames[device->depth - 1];
    if (frame->next == frame->list->count) {
      if (frame->of) watch(exe, device->pointers, &device->shown, frame->of);
      end_list(device);
      continue;
    }
    if (is_cancelled(exe)) {
      fail(run, status_new(CANCELLED, __FILE__, __LINE__, "the run was cancelled"));
      return;
    }
    if (exe->ranks) ranks_progress(exe->ranks);
    const Instr *instr = &frame->list->items[frame->next++];
    double start = exe->timed ? clock_seconds() : 0;
    note->instr = instr;
    watch(exe, device->pointers, &device->shown, instr);
    if (exe->trace) trace_begin(exe->trace, task, worker, instr);
    Outcome outcome = run_instr(run, device, instr, worker);
    if (outcome == OUTCOME_FAILED) workers_finish(exe->workers);
    if (outcome != OUTCOME_GO_ON) return;  // another worker may run the device already
    if (exe->trace) trace_end(exe->trace, task, worker);
    if (exe->timed) add_time(exe, instr, clock_seconds() - start);
    if (run->progress && worker_is_caller(worker))
      run->progress->tell(run->progress->user, "running instructions", ++run->n_told, 0);
  }
  finish_device(run, device);
}

static void turn(void *arg, uint32_t task, Worker *worker) {
  Running *run = arg;
  Device *device = &run->exe->devices->items[run->exe->first_here + task];
  RunNote note = {.exe = run->exe, .device = device->index};
  run_note = &note;
  run_device(run, device, worker, &note);
  run_note = NULL;
  if (run->exe->trace) trace_leave(worker);
}

// Where the devices of this rank wait, a line each.
static void describe_waiting(void *user, char *out, size_t bytes) {
  enum { SHOWN = 16 };
  const Running *run = user;
  const Executable *exe = run->exe;
  size_t used = 0;
  out[0] = 0;
  for (uint32_t i = 0; i < exe->n_here && i < SHOWN && used < bytes; i++) {
    const Device *device = &exe->devices->items[exe->first_here + i];
    int n = device->waits
                ? snprintf(out + used, bytes - used, "\n  device %u waits at '%s'", device->index,
                           op_name(exe->program, device->waits->op))
                : snprintf(out + used, bytes - used, "\n  device %u has finished", device->index);
    if (n > 0) used += (size_t)n;
  }
}

static Status *deadlock(Running *run) {
  const Executable *exe = run->exe;
  char text[4096];
  uint32_t n_waiting = 0;
  for (uint32_t i = 0; i < exe->n_devices; i++) n_waiting += !exe->devices->items[i].finished;
  describe_waiting(run, text, sizeof text);
  FAIL(ABORTED, "deadlock: %u of %u devices wait and none can go on%s", n_waiting, exe->n_devices,
       text);
}

// A run that failed may have left members at a collective.
static void reset_groups(Executable *exe, const InstrList *list) {
  for (uint32_t i = 0; i < list->count; i++) {
    const Instr *instr = &list->items[i];
    for (uint32_t d = 0; instr->groups && d < exe->n_devices; d++)
      if (instr->groups[d]) instr->groups[d]->n_arrived = 0, instr->groups[d]->iteration = 0;
    for (uint32_t k = 0; k < instr->n_lists; k++) reset_groups(exe, &instr->lists[k]);
  }
}

Status *devices_run(Executable *exe, const void *const *args, void *const *out) {
  Running run = {.exe = exe, .args = args, .out = out, .progress = exe->progress};
  if (exe->evaluates) stepper_restart(exe->stepper);
  for (uint32_t i = exe->first_here; i < exe->first_here + exe->n_here; i++) {
    Device *device = &exe->devices->items[i];
    device->waits = NULL;
    device->completes = NULL;
    device->concludes = NULL;
    device->finished = false;
    device->depth = 0;
    for (uint32_t k = 0; k < exe->moving.count; k++) {
      uint32_t ref = exe->moving.items[k];
      device->pointers[ref] =
          moving_address(&run, device, &exe->buffers.items[exe->refs.items[ref]]);
    }
    push(device, &exe->main, NULL);
    device->shown = NULL;
    watch_start(device->memory, exe->mapped_bytes);
  }
  if (exe->ranks) {
    reset_groups(exe, &exe->main);
    ranks_begin(exe->ranks, &(RanksRun){&run, fail, describe_waiting});
    workers_poll(exe->workers, ranks_poll, exe->ranks);
    if (!exe->n_here) ranks_finished(exe->ranks);
  }
  bool ended = workers_run(exe->workers, exe->n_here, turn, &run);
  if (!ended && !run.status) run.status = deadlock(&run);
  if (exe->ranks) ranks_end(exe->ranks, run.status);
  if (run.status) reset_groups(exe, &exe->main);
  return run.status;
}
