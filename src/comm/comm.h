// Messages between the ranks of a job: non-blocking, matched by tag, of any size.
//
// A rank is a process that holds some of the devices. A request is started, and is done at some
// later call of comm_progress, by any thread. The tag names the message: which run, op and
// iteration it belongs to, and from which device to which. Sender and receiver must give the same
// tag and size. Nothing here knows about programs.
#ifndef TESSERA_COMM_COMM_H
#define TESSERA_COMM_COMM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "comm/wire.h"

typedef struct Comm Comm;

typedef struct CommTag {
  uint32_t run, op;
  uint64_t iteration;
  uint32_t from, to;  // devices, or ranks
  uint32_t part, spare;
} CommTag;

// Memory of a started message; the caller's, and not to be moved until it is done.
typedef struct CommRequest {
  atomic_bool done;
  // Private:
  struct CommRequest *next;
  CommTag tag;
  uint32_t peer, sequence;
  bool sending;
  char *data;
  size_t bytes, moved;
  WireRequest wire;
} CommRequest;

enum { COMM_NOTE_BYTES = 2048 };  // the most of a note

typedef struct CommOptions {
  size_t chunk_bytes;  // the most of one message of the wire; 0: WIRE_MOST_BYTES
} CommOptions;

// Ranks on an opened wire, whose state it owns from then on, also after an error.
Status *comm_new(const Wire *wire, void *state, uint32_t rank, uint32_t size,
                 const CommOptions *options, Comm **out) MUST_USE;
// Collective. If messages are unfinished, or a peer is known to have failed, all ranks end with
// `code` and this does not return. NULL is fine.
void comm_close(Comm *comm, int code);

uint32_t comm_rank(const Comm *comm);
uint32_t comm_size(const Comm *comm);
const char *comm_name(const Comm *comm);  // of the wire

// Start a message with another rank. A short one is copied, and done at once. After an error they
// are never done: comm_status says why.
void comm_send(Comm *comm, uint32_t peer, const CommTag *tag, const void *data, size_t bytes,
               CommRequest *out);
void comm_receive(Comm *comm, uint32_t peer, const CommTag *tag, void *data, size_t bytes,
                  CommRequest *out);
static inline bool comm_test(const CommRequest *request) {
  return atomic_load_explicit(&request->done, memory_order_acquire);
}
// Moves messages; returns at once if another thread does it. *out_moved if something has happened.
// O(ranks + started requests).
void comm_progress(Comm *comm, bool *out_moved);
// Waits until all are done, or an error. For start and end of a job only.
Status *comm_wait(Comm *comm, uint32_t n, CommRequest *requests) MUST_USE;

// Notes: short messages without a receive, in the order sent by each rank.
void comm_note(Comm *comm, uint32_t peer, const void *data, size_t bytes);
bool comm_next_note(Comm *comm, uint32_t *out_from, void *out, size_t most, size_t *out_bytes);

// Tells all ranks that this one has failed; comm_status of the others reports the message. Nothing
// if comm_agree has told them.
void comm_stop(Comm *comm, const char *message);
// NULL, or why no message moves any more: the library's error, or another rank's.
Status *comm_status(Comm *comm) MUST_USE;
bool comm_stopped_by_peer(Comm *comm);
// Returns an error on every rank if any rank gives one: its own, or that of the first rank with
// one. Takes the status. Collective.
Status *comm_agree(Comm *comm, Status *mine) MUST_USE;
// Another rank has the error of comm_status or comm_agree as well, and reports it.
bool comm_is_reported(Comm *comm);

// Counters that tell whether all ranks wait for each other: messages sent, messages received
// (their beginning), and whether parts of a message that both sides know are on their way.
typedef struct CommCounts {
  uint64_t sent, received;
  bool moving;
} CommCounts;
void comm_counts(Comm *comm, CommCounts *out);

// A new number for CommTag.run; the same on all ranks if they ask equally often.
uint32_t comm_next_run(Comm *comm);

// Every rank gives `bytes` and gets those of all, by rank, into out. Waits. Collective.
Status *comm_share(Comm *comm, const void *mine, size_t bytes, void *out) MUST_USE;

// ---- backends ----

// The backend of the launcher that started this process (backends.def), opened. *out is NULL if
// there is one process only. An error if the launcher is known and its library is not there.
Status *comm_launch(Comm **out) MUST_USE;
// The launcher's name for messages, such as "MPICH"; NULL: none.
const char *comm_launcher(void);

// n ranks in one process, for tests: out[n] states of `comm_threads`.
Status *comm_threads_new(uint32_t n, void **out) MUST_USE;
extern const Wire comm_threads;

#endif
