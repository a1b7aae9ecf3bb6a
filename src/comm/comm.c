// Problem: messages with long tags and any size, on a library that has short tags, blocks nobody
// and may be called by one thread at a time.
// Idea: each message begins with a packet: its tag, size, sequence number, and its bytes if they
// are few. One receive of a packet is always open per peer. A packet is matched with a started
// receive, or kept until one is started. The bytes of a long message follow as chunks, whose tag on
// the wire is the sequence number; they are received after the match, into their place.
// Invariant: the lock guards everything; the wire is used under it only. A request is in `active`
// while a chunk is on the wire, in `posted` while its packet has not arrived, else it is done.
// Cost: O(ranks + open requests) per progress; a short message is one message of the wire.
#include "comm/comm.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"

enum {
  SHORT_BYTES = 4096,  // of a message that goes in its packet
  TAG_PACKET = 1,
  TAG_DATA = 2,  // and above
  MOST_PACKETS_AT_ONCE = 64,
  SPINS = 200,
  YIELDS = 2000,
};

static const double close_seconds = 5;

typedef enum PacketKind { PACKET_MESSAGE, PACKET_NOTE, PACKET_STOP } PacketKind;

typedef struct Header {
  uint32_t kind, sequence;
  CommTag tag;
  uint64_t bytes;
} Header;

typedef struct Packet Packet;
struct Packet {
  Packet *next;
  uint32_t peer;
  WireRequest wire;
  Header header;
  char data[SHORT_BYTES];
};
static const size_t packet_header_bytes = offsetof(Packet, data) - offsetof(Packet, header);

typedef struct Peer {
  Packet *in;         // the open receive
  bool open;          // it is on the wire
  uint32_t sequence;  // of the next long message to it
  CommRequest *posted;
  Packet *arrived, **arrived_end;  // packets without a receive, in order
} Peer;

struct Comm {
  const Wire *wire;
  void *state;
  uint32_t rank, size;
  size_t chunk_bytes;
  uint64_t shares;
  uint32_t runs;
  pthread_mutex_t lock;
  // Under the lock:
  Peer *peers;
  CommRequest *active;
  Packet *leaving;  // packets on the wire
  Packet *spare;
  Packet *notes, **notes_end;
  CommCounts counts;
  uint32_t n_receiving;
  bool failed, stopped_by_peer, told_stop, reported, settled;
  char message[COMM_NOTE_BYTES + 64];
};

uint32_t comm_rank(const Comm *comm) { return comm->rank; }
uint32_t comm_size(const Comm *comm) { return comm->size; }
const char *comm_name(const Comm *comm) { return comm->wire->name; }

// ---- errors; the lock is held ----

static void fail_with(Comm *comm, const char *message) {
  if (comm->failed) return;
  comm->failed = true;
  snprintf(comm->message, sizeof comm->message, "%s", message);
}

static bool wire_good(Comm *comm, int error, uint32_t peer, const char *what) {
  if (!error) return true;
  char text[WIRE_TEXT] = "", message[WIRE_TEXT + 128];
  comm->wire->describe(comm->state, error, text, sizeof text);
  snprintf(message, sizeof message, "%s rank %u failed: %s: %s", what, peer, comm->wire->name,
           text);
  fail_with(comm, message);
  return false;
}

// ---- packets; the lock is held ----

static Packet *packet_new(Comm *comm) {
  Packet *packet = comm->spare;
  if (packet)
    comm->spare = packet->next;
  else
    packet = mem_alloc(sizeof *packet);
  if (!packet) fail_with(comm, "no memory for a message");
  return packet;
}

static void packet_release(Comm *comm, Packet *packet) {
  packet->next = comm->spare;
  comm->spare = packet;
}

static void open_receive(Comm *comm, uint32_t rank) {
  Peer *peer = &comm->peers[rank];
  if (!peer->in) peer->in = packet_new(comm);
  if (!peer->in) return;
  peer->open = wire_good(comm,
                         comm->wire->receive(comm->state, rank, TAG_PACKET, &peer->in->header,
                                             packet_header_bytes + SHORT_BYTES, &peer->in->wire),
                         rank, "a receive from");
}

static void send_packet(Comm *comm, uint32_t peer, PacketKind kind, const CommTag *tag,
                        const void *data, size_t bytes, uint32_t sequence) {
  Packet *packet = packet_new(comm);
  if (!packet) return;
  size_t inside = bytes <= SHORT_BYTES ? bytes : 0;
  packet->peer = peer;
  packet->header = (Header){.kind = kind, .sequence = sequence, .tag = *tag, .bytes = bytes};
  if (inside) memcpy(packet->data, data, inside);
  if (!wire_good(comm,
                 comm->wire->send(comm->state, peer, TAG_PACKET, &packet->header,
                                  packet_header_bytes + inside, &packet->wire),
                 peer, "a message to")) {
    packet_release(comm, packet);
    return;
  }
  packet->next = comm->leaving;
  comm->leaving = packet;
}

// ---- long messages; the lock is held ----

// Starts the next chunk of a request.
static bool start_chunk(Comm *comm, CommRequest *r) {
  size_t left = r->bytes - r->moved, n = left < comm->chunk_bytes ? left : comm->chunk_bytes;
  int tag = TAG_DATA + (int)(r->sequence % (WIRE_MOST_TAG - TAG_DATA));
  int error = r->sending
                  ? comm->wire->send(comm->state, r->peer, tag, r->data + r->moved, n, &r->wire)
                  : comm->wire->receive(comm->state, r->peer, tag, r->data + r->moved, n, &r->wire);
  return wire_good(comm, error, r->peer, r->sending ? "a message to" : "a receive from");
}

static void activate(Comm *comm, CommRequest *r) {
  if (!start_chunk(comm, r)) return;
  r->next = comm->active;
  comm->active = r;
  comm->n_receiving += !r->sending;
}

static void set_done(CommRequest *r) {
  atomic_store_explicit(&r->done, true, memory_order_release);
}

// A receive and the packet of its message have met. Does not keep the packet.
static void match(Comm *comm, CommRequest *r, const Packet *packet) {
  if (packet->header.bytes != r->bytes) {
    char text[256];
    snprintf(text, sizeof text,
             "mismatched collectives: device %u sends %llu bytes to device %u, which expects %zu",
             r->tag.from, (unsigned long long)packet->header.bytes, r->tag.to, r->bytes);
    fail_with(comm, text);
    return;
  }
  if (r->bytes <= SHORT_BYTES) {
    if (r->bytes) memcpy(r->data, packet->data, r->bytes);
    set_done(r);
    return;
  }
  r->sequence = packet->header.sequence;
  activate(comm, r);
}

static bool same_tag(const CommTag *a, const CommTag *b) { return memcmp(a, b, sizeof *a) == 0; }

// Keeps the packet, or releases it.
static void take_packet(Comm *comm, uint32_t rank, Packet *packet) {
  Peer *peer = &comm->peers[rank];
  packet->next = NULL;
  packet->peer = rank;
  switch ((PacketKind)packet->header.kind) {
  case PACKET_NOTE:
    *comm->notes_end = packet;
    comm->notes_end = &packet->next;
    return;
  case PACKET_STOP:
    if (!comm->failed) {
      comm->stopped_by_peer = true;
      packet->data[packet->header.bytes < SHORT_BYTES ? packet->header.bytes : SHORT_BYTES - 1] = 0;
      char text[COMM_NOTE_BYTES + 64];
      snprintf(text, sizeof text, "rank %u: %.*s", rank, COMM_NOTE_BYTES - 1, packet->data);
      fail_with(comm, text);
    }
    packet_release(comm, packet);
    return;
  case PACKET_MESSAGE: break;
  }
  comm->counts.received++;
  for (CommRequest **at = &peer->posted; *at; at = &(*at)->next) {
    CommRequest *r = *at;
    if (!same_tag(&r->tag, &packet->header.tag)) continue;
    *at = r->next;
    match(comm, r, packet);
    packet_release(comm, packet);
    return;
  }
  *peer->arrived_end = packet;
  peer->arrived_end = &packet->next;
}

// ---- progress ----

static void test_packets(Comm *comm, uint32_t rank, bool *moved) {
  Peer *peer = &comm->peers[rank];
  for (uint32_t i = 0; i < MOST_PACKETS_AT_ONCE && peer->open && !comm->failed; i++) {
    int done = 0;
    size_t bytes = 0;
    if (!wire_good(comm, comm->wire->test(comm->state, &peer->in->wire, &done, &bytes), rank,
                   "a receive from") ||
        !done)
      return;
    *moved = true;
    Packet *packet = peer->in;
    peer->in = NULL;
    peer->open = false;
    const Header *header = &packet->header;
    bool whole = bytes >= packet_header_bytes &&
                 bytes == packet_header_bytes + (header->bytes <= SHORT_BYTES ? header->bytes : 0);
    if (whole) {
      take_packet(comm, rank, packet);
    } else {
      fail_with(comm, "a message has the wrong size: the ranks run different versions");
      packet_release(comm, packet);
    }
    open_receive(comm, rank);
  }
}

static void test_leaving(Comm *comm, bool *moved) {
  for (Packet **at = &comm->leaving; *at;) {
    Packet *packet = *at;
    int done = 0;
    size_t bytes;
    wire_good(comm, comm->wire->test(comm->state, &packet->wire, &done, &bytes), packet->peer,
              "a message to");
    if (!done) {
      at = &packet->next;
      continue;
    }
    *moved = true;
    *at = packet->next;
    packet_release(comm, packet);
  }
}

static void test_active(Comm *comm, bool *moved) {
  for (CommRequest **at = &comm->active; *at && !comm->failed;) {
    CommRequest *r = *at;
    int done = 0;
    size_t bytes = 0;
    if (!wire_good(comm, comm->wire->test(comm->state, &r->wire, &done, &bytes), r->peer,
                   r->sending ? "a message to" : "a receive from"))
      return;
    if (!done) {
      at = &r->next;
      continue;
    }
    *moved = true;
    size_t left = r->bytes - r->moved;
    r->moved += left < comm->chunk_bytes ? left : comm->chunk_bytes;
    if (r->moved < r->bytes) {
      if (!start_chunk(comm, r)) return;
      at = &r->next;
      continue;
    }
    *at = r->next;
    comm->n_receiving -= !r->sending;
    set_done(r);  // from here on it is the caller's
  }
}

void comm_progress(Comm *comm, bool *out_moved) {
  *out_moved = false;
  if (pthread_mutex_trylock(&comm->lock) != 0) return;
  for (uint32_t i = 0; i < comm->size && !comm->failed; i++) test_packets(comm, i, out_moved);
  test_leaving(comm, out_moved);
  test_active(comm, out_moved);
  pthread_mutex_unlock(&comm->lock);
}

// Gives the core away, longer the longer nothing happens.
static void pause_for(uint32_t n_idle) {
  if (n_idle < SPINS) return;
  if (n_idle < YIELDS)
    sched_yield();
  else
    nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

Status *comm_wait(Comm *comm, uint32_t n, CommRequest *requests) {
  uint32_t idle = 0, first = 0;
  for (;;) {
    while (first < n && comm_test(&requests[first])) first++;
    if (first == n) return NULL;
    Status *status = comm_status(comm);
    if (status) return status;
    bool moved;
    comm_progress(comm, &moved);
    idle = moved ? 0 : idle + 1;
    pause_for(idle);
  }
}

// ---- messages ----

static void init_request(CommRequest *r, uint32_t peer, const CommTag *tag, char *data,
                         size_t bytes, bool sending) {
  *r = (CommRequest){.tag = *tag, .peer = peer, .sending = sending, .data = data, .bytes = bytes};
  atomic_init(&r->done, false);
}

void comm_send(Comm *comm, uint32_t peer, const CommTag *tag, const void *data, size_t bytes,
               CommRequest *out) {
  init_request(out, peer, tag, (char *)(uintptr_t)data, bytes, true);  // only read
  pthread_mutex_lock(&comm->lock);
  if (!comm->failed) {
    bool is_long = bytes > SHORT_BYTES;
    if (is_long) out->sequence = comm->peers[peer].sequence++;
    comm->counts.sent++;
    send_packet(comm, peer, PACKET_MESSAGE, tag, data, bytes, out->sequence);
    if (is_long && !comm->failed)
      activate(comm, out);
    else if (!comm->failed)
      set_done(out);
  }
  pthread_mutex_unlock(&comm->lock);
}

void comm_receive(Comm *comm, uint32_t peer, const CommTag *tag, void *data, size_t bytes,
                  CommRequest *out) {
  init_request(out, peer, tag, data, bytes, false);
  pthread_mutex_lock(&comm->lock);
  Peer *from = &comm->peers[peer];
  Packet *found = NULL;
  for (Packet **at = &from->arrived; *at; at = &(*at)->next) {
    if (!same_tag(&(*at)->header.tag, tag)) continue;
    found = *at;
    *at = found->next;
    if (!found->next) from->arrived_end = at;
    break;
  }
  if (comm->failed) {
    if (found) packet_release(comm, found);
  } else if (found) {
    match(comm, out, found);
    packet_release(comm, found);
  } else {
    CommRequest **end = &from->posted;
    while (*end) end = &(*end)->next;
    *end = out;
  }
  pthread_mutex_unlock(&comm->lock);
}

void comm_note(Comm *comm, uint32_t peer, const void *data, size_t bytes) {
  pthread_mutex_lock(&comm->lock);
  if (!comm->failed) send_packet(comm, peer, PACKET_NOTE, &(CommTag){0}, data, bytes, 0);
  pthread_mutex_unlock(&comm->lock);
}

bool comm_next_note(Comm *comm, uint32_t *out_from, void *out, size_t most, size_t *out_bytes) {
  pthread_mutex_lock(&comm->lock);
  Packet *note = comm->notes;
  if (note) {
    comm->notes = note->next;
    if (!note->next) comm->notes_end = &comm->notes;
    *out_from = note->peer;
    *out_bytes = note->header.bytes < most ? note->header.bytes : most;
    memcpy(out, note->data, *out_bytes);
    packet_release(comm, note);
  }
  pthread_mutex_unlock(&comm->lock);
  return note != NULL;
}

void comm_stop(Comm *comm, const char *message) {
  size_t n = strlen(message);
  if (n >= COMM_NOTE_BYTES) n = COMM_NOTE_BYTES - 1;
  pthread_mutex_lock(&comm->lock);
  if (!comm->told_stop && !comm->stopped_by_peer && !comm->settled) {
    comm->told_stop = true;
    // A wire that has failed with one peer may still reach others.
    for (uint32_t i = 0; i < comm->size; i++)
      if (i != comm->rank) send_packet(comm, i, PACKET_STOP, &(CommTag){0}, message, n, 0);
    fail_with(comm, message);
  }
  pthread_mutex_unlock(&comm->lock);
}

Status *comm_status(Comm *comm) {
  pthread_mutex_lock(&comm->lock);
  bool failed = comm->failed;
  char message[sizeof comm->message];
  if (failed) memcpy(message, comm->message, sizeof message);
  pthread_mutex_unlock(&comm->lock);
  if (failed) FAIL(UNAVAILABLE, "%s", message);
  return NULL;
}

bool comm_stopped_by_peer(Comm *comm) {
  pthread_mutex_lock(&comm->lock);
  bool stopped = comm->stopped_by_peer;
  pthread_mutex_unlock(&comm->lock);
  return stopped;
}

void comm_counts(Comm *comm, CommCounts *out) {
  pthread_mutex_lock(&comm->lock);
  *out = comm->counts;
  out->moving = comm->n_receiving > 0;
  pthread_mutex_unlock(&comm->lock);
}

// ---- all ranks ----

uint32_t comm_next_run(Comm *comm) {
  pthread_mutex_lock(&comm->lock);
  uint32_t run = ++comm->runs;
  pthread_mutex_unlock(&comm->lock);
  return run;
}

Status *comm_share(Comm *comm, const void *mine, size_t bytes, void *out) {
  uint32_t n = comm->size;
  CommRequest *requests = mem_alloc((size_t)n * 2 * sizeof *requests);
  if (!requests) return status_no_memory();
  uint32_t k = 0;
  uint64_t share = comm->shares++;
  for (uint32_t i = 0; i < n; i++) {
    char *to = (char *)out + (size_t)i * bytes;
    if (i == comm->rank) {
      memmove(to, mine, bytes);
      continue;
    }
    CommTag in = {.op = UINT32_MAX, .iteration = share, .from = i, .to = comm->rank};
    CommTag away = {.op = UINT32_MAX, .iteration = share, .from = comm->rank, .to = i};
    comm_receive(comm, i, &in, to, bytes, &requests[k++]);
    comm_send(comm, i, &away, mine, bytes, &requests[k++]);
  }
  Status *status = comm_wait(comm, k, requests);
  // After an error the requests may still be on the wire; the job ends then.
  if (!status) mem_free(requests);
  return status;
}

typedef struct Verdict {
  uint32_t code, spare;
  char text[512];
} Verdict;

Status *comm_agree(Comm *comm, Status *mine) {
  Verdict verdict = {.code = (uint32_t)status_code(mine)},
          *all = mem_alloc(comm->size * sizeof *all);
  snprintf(verdict.text, sizeof verdict.text, "%s", status_message(mine));
  Status *status = all ? comm_share(comm, &verdict, sizeof verdict, all) : status_no_memory();
  uint32_t first = 0;
  while (!status && first < comm->size && !all[first].code) first++;
  comm->settled = !status && first < comm->size;
  comm->reported = comm->settled && first != comm->rank;
  if (comm->settled) {
    if (!mine)
      mine = status_new((StatusCode)all[first].code, __FILE__, __LINE__, "rank %u: %.511s", first,
                        all[first].text);
  }
  mem_free(all);
  if (!mine) return status;
  status_free(status);
  return mine;
}

bool comm_is_reported(Comm *comm) { return comm->reported || comm_stopped_by_peer(comm); }

// ---- making ----

static void free_packets(Packet *packet) {
  while (packet) {
    Packet *next = packet->next;
    mem_free(packet);
    packet = next;
  }
}

static void release(Comm *comm) {
  for (uint32_t i = 0; i < comm->size; i++) {
    mem_free(comm->peers[i].in);
    free_packets(comm->peers[i].arrived);
  }
  free_packets(comm->spare);
  free_packets(comm->notes);
  free_packets(comm->leaving);
  pthread_mutex_destroy(&comm->lock);
  mem_free(comm->peers);
  mem_free(comm);
}

Status *comm_new(const Wire *wire, void *state, uint32_t rank, uint32_t size,
                 const CommOptions *options, Comm **out) {
  *out = NULL;
  Comm *comm = mem_alloc(sizeof *comm);
  Peer *peers = mem_alloc(size * sizeof *peers);
  if (!comm || !peers) {
    mem_free(comm);
    mem_free(peers);
    wire->close(state);
    return status_no_memory();
  }
  *comm = (Comm){.wire = wire, .state = state, .rank = rank, .size = size, .peers = peers};
  comm->chunk_bytes = options && options->chunk_bytes && options->chunk_bytes < WIRE_MOST_BYTES
                          ? options->chunk_bytes
                          : WIRE_MOST_BYTES;
  comm->notes_end = &comm->notes;
  pthread_mutex_init(&comm->lock, NULL);
  for (uint32_t i = 0; i < size; i++) {
    peers[i] = (Peer){0};
    peers[i].arrived_end = &peers[i].arrived;
  }
  for (uint32_t i = 0; i < size; i++)
    if (i != rank) open_receive(comm, i);
  *out = comm;
  return NULL;
}

// Sends what is left of the packets, for a while: the last notes of a job.
static bool drain(Comm *comm) {
  double until = clock_seconds() + close_seconds;
  uint32_t idle = 0;
  while (comm->leaving && clock_seconds() < until) {
    bool moved = false;
    test_leaving(comm, &moved);
    idle = moved ? 0 : idle + 1;
    pause_for(idle);
  }
  return !comm->leaving;
}

void comm_close(Comm *comm, int code) {
  if (!comm) return;
  bool clean = drain(comm) && !comm->active && !comm->failed;
  for (uint32_t i = 0; i < comm->size; i++) clean &= !comm->peers[i].posted;
  // The rank that has failed prints first, and then ends all of them.
  double until = clock_seconds() + close_seconds;
  while (comm->stopped_by_peer && comm->wire != &comm_threads && clock_seconds() < until)
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  if (!clean) comm->wire->abort(comm->state, code);  // does not return for MPI
  for (uint32_t i = 0; i < comm->size; i++)
    if (comm->peers[i].open) comm->wire->cancel(comm->state, &comm->peers[i].in->wire);
  comm->wire->close(comm->state);
  release(comm);
}
