// Problem: collectives whose members are in several processes, with the bits of one process and no
// thread that waits; and a report, not a hang, if the processes wait for each other.
// Idea: every rank receives the operands of the members elsewhere and computes the results of its
// own members with the same kernel in the same order. A device whose exchange is under way is not
// ready; an idle worker moves messages (ranks_poll) and makes it ready when they are complete. Rank
// 0 collects the ends of all ranks, and ends the run when all have told. A rank that has been idle
// for a while tells rank 0 its numbers of messages sent and received. If all are idle and the sums
// agree, rank 0 asks everyone again; unchanged answers prove a deadlock (four-counter termination
// detection, Mattern 1987).
// Invariant: the lock guards the open exchanges; everything else belongs to the worker that polls,
// of which there is one at a time.
// Cost: a group of g members on r ranks sends each operand to r - 1 ranks.
#include "execute/ranks.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"

enum { SPINS = 100, YIELDS = 2000, TEXT = 1024 };
static const double quiet_seconds = 0.3;  // idle before a deadlock is considered

typedef enum NoteKind { NOTE_FINISHED, NOTE_END, NOTE_IDLE, NOTE_PROBE, NOTE_STATE } NoteKind;

typedef struct Note {
  uint32_t kind, run;
  uint64_t probe;
  uint64_t sent, received;
  uint32_t idle;
  char text[TEXT];  // NOTE_STATE: where its devices wait
} Note;
static const size_t short_note = offsetof(Note, text);

// What rank 0 knows about a rank.
typedef struct Known {
  bool finished, idle, answered;
  bool unchanged;  // the answer agrees with what it told when it became idle
  uint64_t sent, received;
  char text[TEXT];
} Known;

struct Ranks {
  Executable *exe;
  Comm *comm;
  uint32_t rank, size, run;
  RanksRun hooks;
  pthread_mutex_t lock;
  Transfer *open;  // under the lock
  atomic_uint n_open;
  atomic_bool finished;  // all local devices
  bool told_finished, told_idle;
  bool ended;          // by rank 0, or an error
  uint64_t activity;   // turns, and messages of collectives
  uint32_t n_quiet;    // polls in which nothing happened
  double quiet_since;  // 0: not quiet
  uint64_t probe;
  Known *known;  // rank 0
  bool probing;
};

// ---- blocks ----

void executable_block(uint32_t n_devices, uint32_t rank, uint32_t size, uint32_t *out_first,
                      uint32_t *out_n) {
  uint64_t first = (uint64_t)n_devices * rank / size, end = (uint64_t)n_devices * (rank + 1) / size;
  *out_first = (uint32_t)first;
  *out_n = (uint32_t)(end - first);
}

uint32_t ranks_owner(uint32_t n_devices, uint32_t size, uint32_t device) {
  // The largest rank whose block begins at or before the device.
  return (uint32_t)((((uint64_t)device + 1) * size - 1) / n_devices);
}

static uint32_t owner(const Ranks *ranks, uint32_t device) {
  return ranks_owner(ranks->exe->n_devices, ranks->size, device);
}

// ---- exchanges ----

Ranks *ranks_new(Executable *exe) {
  Ranks *ranks = ARENA_NEW(&exe->arena, Ranks);
  Comm *comm = exe->options.comm;
  *ranks = (Ranks){.exe = exe, .comm = comm, .rank = comm_rank(comm), .size = comm_size(comm)};
  ranks->known = ARENA_ARRAY(&exe->arena, Known, ranks->size);
  pthread_mutex_init(&ranks->lock, NULL);
  atomic_init(&ranks->n_open, 0);
  atomic_init(&ranks->finished, false);
  return ranks;
}

// Calls one of the comm functions for each message, if requests is not NULL.
static uint32_t each_message(const Ranks *ranks, const RankGroup *g, CommTag tag,
                             CommRequest *requests) {
  uint32_t k = 0, last = UINT32_MAX;
  for (uint32_t m = 0; m < g->n; m++) {
    uint32_t from = owner(ranks, g->members[m]);
    for (uint32_t v = 0; v < g->n_values; v++) {
      tag.from = g->members[m];
      tag.part = v;
      if (from != ranks->rank) {
        tag.to = ranks->rank;
        if (requests)
          comm_receive(ranks->comm, from, &tag, g->data[m * g->n_values + v], g->bytes[v],
                       &requests[k]);
        k++;
        continue;
      }
      last = UINT32_MAX;
      // Members are not always in order; a rank gets the value when its first member is met.
      for (uint32_t i = 0; i < g->n; i++) {
        uint32_t to = owner(ranks, g->members[i]);
        bool first = to != ranks->rank;
        for (uint32_t j = 0; first && j < i; j++) first = owner(ranks, g->members[j]) != to;
        if (!first || to == last) continue;
        last = tag.to = to;
        if (requests)
          comm_send(ranks->comm, to, &tag, g->data[m * g->n_values + v], g->bytes[v], &requests[k]);
        k++;
      }
    }
  }
  return k;
}

uint32_t ranks_n_requests(const Ranks *ranks, uint32_t n, const uint32_t *members,
                          uint32_t n_values) {
  return each_message(ranks, &(RankGroup){.n = n, .members = members, .n_values = n_values},
                      (CommTag){0}, NULL);
}

void ranks_start(Ranks *ranks, const RankGroup *group, uint32_t op, uint64_t iteration,
                 Transfer *transfer) {
  CommTag tag = {.run = ranks->run, .op = op, .iteration = iteration};
  transfer->n = each_message(ranks, group, tag, transfer->requests);
  transfer->n_done = 0;
  pthread_mutex_lock(&ranks->lock);
  transfer->next = ranks->open;
  ranks->open = transfer;
  atomic_fetch_add(&ranks->n_open, 1);
  pthread_mutex_unlock(&ranks->lock);
}

// Makes the tasks ready whose messages are all there.
static bool land(Ranks *ranks) {
  if (!atomic_load_explicit(&ranks->n_open, memory_order_relaxed)) return false;
  bool landed = false;
  pthread_mutex_lock(&ranks->lock);
  for (Transfer **at = &ranks->open; *at;) {
    Transfer *t = *at;
    while (t->n_done < t->n && comm_test(&t->requests[t->n_done])) t->n_done++;
    if (t->n_done < t->n) {
      at = &t->next;
      continue;
    }
    *at = t->next;
    atomic_fetch_sub(&ranks->n_open, 1);
    workers_ready(ranks->exe->workers, t->task);
    landed = true;
  }
  pthread_mutex_unlock(&ranks->lock);
  return landed;
}

void ranks_progress(Ranks *ranks) {
  if (!atomic_load_explicit(&ranks->n_open, memory_order_relaxed)) return;
  bool moved;
  comm_progress(ranks->comm, &moved);
  if (moved) land(ranks);
}

// ---- end of a run, and deadlocks ----

static Note make_note(const Ranks *ranks, NoteKind kind) {
  CommCounts counts;
  comm_counts(ranks->comm, &counts);
  return (Note){.kind = kind,
                .run = ranks->run,
                .probe = ranks->probe,
                .sent = counts.sent,
                .received = counts.received};
}

static void take_note(Ranks *ranks, uint32_t from, const Note *note, bool idle);

// Rank 0 takes its own notes at once.
static void tell(Ranks *ranks, uint32_t to, const Note *note, size_t bytes, bool idle) {
  if (to == ranks->rank)
    take_note(ranks, to, note, idle);
  else
    comm_note(ranks->comm, to, note, bytes);
}

static void tell_all(Ranks *ranks, NoteKind kind, bool idle) {
  Note note = make_note(ranks, kind);
  for (uint32_t i = 0; i < ranks->size; i++) tell(ranks, i, &note, short_note, idle);
}

static void answer_probe(Ranks *ranks, uint64_t probe, bool idle) {
  Note note = make_note(ranks, NOTE_STATE);
  note.probe = probe;
  note.idle = idle;
  ranks->hooks.waiting(ranks->hooks.user, note.text, sizeof note.text);
  tell(ranks, 0, &note, sizeof note, idle);
}

static Status *deadlock_of(const Ranks *ranks) {
  char text[COMM_NOTE_BYTES - 256];
  size_t used = 0;
  text[0] = 0;
  for (uint32_t i = 0; i < ranks->size && used < sizeof text; i++) {
    int n = snprintf(text + used, sizeof text - used, "%s", ranks->known[i].text);
    if (n > 0) used += (size_t)n;
  }
  FAIL(ABORTED, "deadlock: the %u ranks wait for each other%s", ranks->size, text);
}

// Rank 0: if everyone is idle and all messages have arrived, asks everyone again.
static void consider(Ranks *ranks, bool idle) {
  uint64_t sent = 0, received = 0;
  for (uint32_t i = 0; i < ranks->size; i++) {
    if (!ranks->known[i].idle) return;
    sent += ranks->known[i].sent;
    received += ranks->known[i].received;
  }
  if (ranks->probing || sent != received) return;
  ranks->probing = true;
  ranks->probe++;
  for (uint32_t i = 0; i < ranks->size; i++) ranks->known[i].answered = false;
  tell_all(ranks, NOTE_PROBE, idle);
}

static void take_state(Ranks *ranks, uint32_t from, const Note *note) {
  Known *known = &ranks->known[from];
  if (note->probe != ranks->probe || !ranks->probing) return;
  known->answered = true;
  known->unchanged = note->idle && note->sent == known->sent && note->received == known->received;
  snprintf(known->text, sizeof known->text, "%s", note->text);
  bool stuck = true;
  for (uint32_t i = 0; i < ranks->size; i++) {
    if (!ranks->known[i].answered) return;
    stuck &= ranks->known[i].unchanged;
  }
  ranks->probing = false;
  if (stuck) {
    ranks->ended = true;
    ranks->hooks.fail(ranks->hooks.user, deadlock_of(ranks));
    return;
  }
  // Those that have gone on tell again when they are idle again.
  for (uint32_t i = 0; i < ranks->size; i++) ranks->known[i].idle &= ranks->known[i].unchanged;
}

static void take_note(Ranks *ranks, uint32_t from, const Note *note, bool idle) {
  if (note->run != ranks->run) return;  // of the run before
  Known *known = &ranks->known[from];
  switch ((NoteKind)note->kind) {
  case NOTE_FINISHED: {
    known->finished = true;
    bool all = true;
    for (uint32_t i = 0; i < ranks->size; i++) all &= ranks->known[i].finished;
    if (all) tell_all(ranks, NOTE_END, idle);
    break;
  }
  case NOTE_END:
    ranks->ended = true;
    workers_finish(ranks->exe->workers);
    break;
  case NOTE_IDLE:
    known->idle = true;
    known->sent = note->sent;
    known->received = note->received;
    consider(ranks, idle);
    break;
  case NOTE_PROBE: answer_probe(ranks, note->probe, idle && ranks->told_idle); break;
  case NOTE_STATE: take_state(ranks, from, note); break;
  }
}

static bool take_notes(Ranks *ranks, bool idle) {
  Note note = {0};
  uint32_t from;
  size_t bytes;
  bool any = false;
  // After the end, notes are of the next run.
  while (!ranks->ended && comm_next_note(ranks->comm, &from, &note, sizeof note, &bytes)) {
    if (bytes < short_note || from >= ranks->size) continue;
    note.text[sizeof note.text - 1] = 0;
    take_note(ranks, from, &note, idle);
    any = true;
  }
  return any;
}

// The longer nothing happens, the longer other processes get the core.
static void rest(uint32_t n_quiet) {
  if (n_quiet < SPINS) return;
  if (n_quiet < YIELDS)
    sched_yield();
  else
    nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
}

// Nothing has happened in this poll and no device can run.
static void be_quiet(Ranks *ranks) {
  rest(++ranks->n_quiet);
  if (ranks->told_idle || ranks->n_quiet < YIELDS) return;
  double now = clock_seconds();
  if (ranks->quiet_since <= 0) ranks->quiet_since = now;
  if (now - ranks->quiet_since < quiet_seconds) return;
  ranks->told_idle = true;
  Note note = make_note(ranks, NOTE_IDLE);
  tell(ranks, 0, &note, short_note, true);
}

void ranks_poll(void *arg, bool idle, uint64_t turns) {
  Ranks *ranks = arg;
  if (ranks->ended) return;
  bool moved;
  comm_progress(ranks->comm, &moved);
  if (land(ranks)) idle = false;
  CommCounts counts;
  comm_counts(ranks->comm, &counts);
  // Notes do not count: only turns and messages of collectives change what devices wait for.
  uint64_t activity = turns + counts.sent + counts.received;
  if (!idle || counts.moving || activity != ranks->activity) {
    ranks->activity = activity;
    ranks->quiet_since = 0;
    ranks->told_idle = false;
  }
  moved |= take_notes(ranks, idle && !counts.moving);
  Status *status = comm_status(ranks->comm);
  if (status) {
    ranks->ended = true;
    ranks->hooks.fail(ranks->hooks.user, status);
    return;
  }
  if (atomic_load(&ranks->finished) && !ranks->told_finished) {
    ranks->told_finished = moved = true;
    Note note = make_note(ranks, NOTE_FINISHED);
    tell(ranks, 0, &note, short_note, idle);
  }
  if (moved || !idle)
    ranks->n_quiet = 0;
  else if (!ranks->ended)
    be_quiet(ranks);
}

void ranks_begin(Ranks *ranks, const RanksRun *run) {
  ranks->run = comm_next_run(ranks->comm);
  ranks->hooks = *run;
  ranks->open = NULL;
  atomic_store(&ranks->n_open, 0);
  atomic_store(&ranks->finished, false);
  ranks->told_finished = ranks->told_idle = ranks->probing = ranks->ended = false;
  ranks->activity = 0;
  ranks->n_quiet = 0;
  ranks->quiet_since = 0;
  for (uint32_t i = 0; i < ranks->size; i++) ranks->known[i] = (Known){0};
}

void ranks_finished(Ranks *ranks) { atomic_store(&ranks->finished, true); }

void ranks_end(Ranks *ranks, const Status *status) {
  if (status) comm_stop(ranks->comm, status_message(status));
}

Status *ranks_collect(Ranks *ranks, uint32_t n_out, Literal *const *out) {
  const Executable *exe = ranks->exe;
  CommRequest *requests = mem_alloc(((size_t)n_out + 1) * sizeof *requests);
  if (!requests) return status_no_memory();
  uint32_t n = 0;
  CommTag tag = {.run = comm_next_run(ranks->comm), .op = UINT32_MAX - 1};
  for (uint32_t i = 0; i < n_out; i++) {
    tag.from = i / exe->n_out;
    tag.part = i % exe->n_out;
    uint32_t from = owner(ranks, tag.from);
    size_t bytes = executable_value_bytes(exe, exe->results + tag.part);
    if (ranks->rank == 0 && from != 0)
      comm_receive(ranks->comm, from, &tag, out[i]->data, bytes, &requests[n++]);
    else if (ranks->rank != 0 && from == ranks->rank)
      comm_send(ranks->comm, 0, &tag, out[i]->data, bytes, &requests[n++]);
  }
  Status *status = comm_wait(ranks->comm, n, requests);
  if (!status) mem_free(requests);  // after an error they may be on the wire
  return status;
}
