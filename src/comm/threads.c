// Ranks in one process: messages are copied from the sender's memory by the receiver's test. For
// tests of everything that uses a wire, also under sanitizers.
//
// Invariant: the mesh's lock guards all records. A send is done when its receiver has copied it. A
// record is freed by the test that reports its end. Cost: O(open messages) per test.
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "comm/comm.h"

typedef struct Record Record;
struct Record {
  Record *next;
  uint32_t from, to;
  int tag;
  const char *data;
  size_t bytes;
  bool taken;  // by the receiver
};

typedef struct Mesh {
  pthread_mutex_t lock;
  uint32_t n, n_open;
  Record *sends;  // in order
} Mesh;

typedef struct End {
  Mesh *mesh;
  uint32_t rank;
} End;

// A receive's request: its memory, the sender and tag, and the size.
typedef struct Wanted {
  uint32_t peer;
  int tag;
  char *data;
  size_t most;
} Wanted;

enum { ERROR_MEMORY = 1, ERROR_SIZE = 2 };

Status *comm_threads_new(uint32_t n, void **out) {
  Mesh *mesh = mem_alloc(sizeof *mesh);
  if (!mesh) return status_no_memory();
  *mesh = (Mesh){.n = n, .n_open = n};
  pthread_mutex_init(&mesh->lock, NULL);
  for (uint32_t i = 0; i < n; i++) {
    End *end = mem_alloc(sizeof *end);
    if (!end) {
      for (uint32_t k = 0; k < i; k++) mem_free(out[k]);
      pthread_mutex_destroy(&mesh->lock);
      mem_free(mesh);
      return status_no_memory();
    }
    *end = (End){mesh, i};
    out[i] = end;
  }
  return NULL;
}

static int threads_open(void **out_state, uint32_t *out_rank, uint32_t *out_size) {
  (void)out_state, (void)out_rank, (void)out_size;
  return ERROR_MEMORY;  // comm_threads_new opens it
}

static WireRequest request_of(bool sending, void *record) {
  return (WireRequest){{sending, (uint64_t)(uintptr_t)record}};
}
static void *record_of(const WireRequest *request) { return (void *)(uintptr_t)request->words[1]; }

static int threads_send(void *state, uint32_t peer, int tag, const void *data, size_t bytes,
                        WireRequest *out) {
  End *end = state;
  Record *record = mem_alloc(sizeof *record);
  if (!record) return ERROR_MEMORY;
  *record = (Record){.from = end->rank, .to = peer, .tag = tag, .data = data, .bytes = bytes};
  pthread_mutex_lock(&end->mesh->lock);
  Record **at = &end->mesh->sends;
  while (*at) at = &(*at)->next;
  *at = record;
  pthread_mutex_unlock(&end->mesh->lock);
  *out = request_of(true, record);
  return 0;
}

static int threads_receive(void *state, uint32_t peer, int tag, void *data, size_t most,
                           WireRequest *out) {
  (void)state;
  Wanted *wanted = mem_alloc(sizeof *wanted);
  if (!wanted) return ERROR_MEMORY;
  *wanted = (Wanted){peer, tag, data, most};
  *out = request_of(false, wanted);
  return 0;
}

static int test_send(Mesh *mesh, Record *record, int *out_done) {
  *out_done = record->taken;
  if (!record->taken) return 0;
  Record **at = &mesh->sends;
  while (*at != record) at = &(*at)->next;
  *at = record->next;
  mem_free(record);
  return 0;
}

static int test_receive(End *end, Wanted *wanted, int *out_done, size_t *out_bytes) {
  for (Record *record = end->mesh->sends; record; record = record->next) {
    if (record->taken || record->from != wanted->peer || record->to != end->rank ||
        record->tag != wanted->tag)
      continue;
    if (record->bytes > wanted->most) return ERROR_SIZE;
    memcpy(wanted->data, record->data, record->bytes);
    record->taken = true;
    *out_done = 1;
    *out_bytes = record->bytes;
    mem_free(wanted);
    return 0;
  }
  return 0;
}

static int threads_test(void *state, WireRequest *request, int *out_done, size_t *out_bytes) {
  End *end = state;
  *out_done = 0;
  *out_bytes = 0;
  pthread_mutex_lock(&end->mesh->lock);
  int error = request->words[0] ? test_send(end->mesh, record_of(request), out_done)
                                : test_receive(end, record_of(request), out_done, out_bytes);
  pthread_mutex_unlock(&end->mesh->lock);
  return error;
}

static void threads_cancel(void *state, WireRequest *request) {
  (void)state;
  mem_free(record_of(request));
}

static void threads_describe(void *state, int error, char *out, size_t bytes) {
  (void)state;
  snprintf(out, bytes, "%s", error == ERROR_SIZE ? "a message is too long" : "no memory");
}

static void threads_close(void *state) {
  End *end = state;
  Mesh *mesh = end->mesh;
  mem_free(end);
  pthread_mutex_lock(&mesh->lock);
  bool last = --mesh->n_open == 0;
  pthread_mutex_unlock(&mesh->lock);
  if (!last) return;
  while (mesh->sends) {
    Record *next = mesh->sends->next;
    mem_free(mesh->sends);
    mesh->sends = next;
  }
  pthread_mutex_destroy(&mesh->lock);
  mem_free(mesh);
}

static void threads_abort(void *state, int code) { (void)state, (void)code; }

const Wire comm_threads = {
    .version = WIRE_VERSION,
    .name = "threads",
    .open = threads_open,
    .send = threads_send,
    .receive = threads_receive,
    .test = threads_test,
    .cancel = threads_cancel,
    .describe = threads_describe,
    .close = threads_close,
    .abort = threads_abort,
};
