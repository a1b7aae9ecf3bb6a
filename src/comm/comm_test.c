// The conformance suite of comm: every case runs on every backend. Without a launcher the ranks are
// threads of this process; tests/execute/mpi.test starts this program with mpirun of each MPI.
#include "comm/comm.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { RANKS = 3, CHUNK = 10000 };

typedef void (*Case)(Comm *comm);

// cmocka's assertions belong to the main thread.
#define REQUIRE(x)                                                                                 \
  do {                                                                                             \
    if (!(x)) {                                                                                    \
      print_error("%s:%d: %s\n", __FILE__, __LINE__, #x);                                          \
      abort();                                                                                     \
    }                                                                                              \
  } while (0)

static void *fill(size_t bytes, uint32_t seed) {
  unsigned char *data = mem_alloc(bytes + 1);
  REQUIRE(data);
  for (size_t i = 0; i < bytes; i++) data[i] = (unsigned char)(i * 7 + seed * 131 + (i >> 8));
  return data;
}

// All sizes between all pairs at once; receives are started in another order than sends.
static void sizes(Comm *comm) {
  static const size_t bytes[] = {0, 1, 100, 4096, 4097, CHUNK, CHUNK + 1, 5 * CHUNK, 300000};
  enum { N = sizeof bytes / sizeof bytes[0] };
  uint32_t n = comm_size(comm), me = comm_rank(comm), k = 0;
  CommRequest *requests = mem_alloc(sizeof *requests * 2 * N * n);
  void **blocks = mem_alloc(sizeof *blocks * 2 * N * n);
  char *got[N][64];
  for (uint32_t i = 0; i < N; i++)
    for (uint32_t peer = 0; peer < n; peer++) {
      if (peer == me) continue;
      CommTag tag = {.run = 1, .op = i, .iteration = 5, .from = me, .to = peer};
      blocks[k] = fill(bytes[i], me * n + peer + i);
      comm_send(comm, peer, &tag, blocks[k], bytes[i], &requests[k]);
      k++;
    }
  for (uint32_t i = N; i-- > 0;)
    for (uint32_t peer = n; peer-- > 0;) {
      if (peer == me) continue;
      CommTag tag = {.run = 1, .op = i, .iteration = 5, .from = peer, .to = me};
      blocks[k] = got[i][peer] = mem_alloc(bytes[i] + 1);
      comm_receive(comm, peer, &tag, got[i][peer], bytes[i], &requests[k]);
      k++;
    }
  REQUIRE(!comm_wait(comm, k, requests));
  for (uint32_t i = 0; i < N; i++)
    for (uint32_t peer = 0; peer < n; peer++) {
      if (peer == me) continue;
      void *want = fill(bytes[i], peer * n + me + i);
      REQUIRE(memcmp(want, got[i][peer], bytes[i]) == 0);
      mem_free(want);
    }
  for (uint32_t i = 0; i < k; i++) mem_free(blocks[i]);
  mem_free(blocks);
  mem_free(requests);
}

// Each field of a tag tells messages apart.
static void tags(Comm *comm) {
  enum { N = 6 };
  uint32_t n = comm_size(comm), me = comm_rank(comm), to = (me + 1) % n, from = (me + n - 1) % n;
  CommTag all[N] = {{.run = 1},  {.op = 1}, {.iteration = (uint64_t)1 << 40},
                    {.from = 1}, {.to = 1}, {.part = 1}};
  CommRequest requests[2 * N];
  uint32_t sent[N], got[N];
  for (uint32_t i = 0; i < N; i++) {
    sent[i] = i * 10 + me;
    comm_send(comm, to, &all[i], &sent[i], sizeof sent[i], &requests[i]);
    REQUIRE(comm_test(&requests[i]));
    sent[i] = 99;  // a short message is copied
  }
  for (uint32_t i = 0; i < N; i++)
    comm_receive(comm, from, &all[N - 1 - i], &got[N - 1 - i], sizeof got[0], &requests[N + i]);
  REQUIRE(!comm_wait(comm, 2 * N, requests));
  for (uint32_t i = 0; i < N; i++) REQUIRE(got[i] == i * 10 + from);
}

static void shares(Comm *comm) {
  uint32_t n = comm_size(comm), me = comm_rank(comm);
  for (uint32_t round = 0; round < 100; round++) {
    uint32_t mine[2] = {me, round}, *all = mem_alloc(n * sizeof mine);
    REQUIRE(!comm_share(comm, mine, sizeof mine, all));
    for (uint32_t i = 0; i < n; i++) REQUIRE(all[2 * i] == i && all[2 * i + 1] == round);
    mem_free(all);
  }
}

static void notes(Comm *comm) {
  uint32_t n = comm_size(comm), me = comm_rank(comm), next[64] = {0}, left = 20 * (n - 1);
  for (uint32_t k = 0; k < 20; k++)
    for (uint32_t i = 0; i < n; i++)
      if (i != me) comm_note(comm, i, &k, sizeof k);
  while (left) {
    uint32_t from, k;
    size_t bytes;
    bool moved;
    comm_progress(comm, &moved);
    while (comm_next_note(comm, &from, &k, sizeof k, &bytes)) {
      REQUIRE(bytes == sizeof k && k == next[from]);
      next[from]++;
      left--;
    }
  }
}

// After all messages have been received, the sums of both counters are equal.
static void counts(Comm *comm) {
  CommCounts mine, *all = mem_alloc(comm_size(comm) * sizeof mine);
  sizes(comm);
  comm_counts(comm, &mine);
  REQUIRE(!mine.moving);
  REQUIRE(!comm_share(comm, &mine, sizeof mine, all));
  uint64_t sent = 0, received = 0;
  for (uint32_t i = 0; i < comm_size(comm); i++) {
    sent += all[i].sent;
    received += all[i].received;
  }
  // Another rank may have begun to share before this one counted.
  REQUIRE(received >= sent && received - sent <= comm_size(comm) * comm_size(comm));
  mem_free(all);
}

static const Case cases[] = {sizes, tags, shares, notes, counts};
enum { N_CASES = sizeof cases / sizeof cases[0] };

static void *run_rank(void *arg) {
  Comm *comm = arg;
  for (uint32_t i = 0; i < N_CASES; i++) cases[i](comm);
  int code = 0, codes[64];
  REQUIRE(!comm_share(comm, &code, sizeof code, codes));
  comm_close(comm, 0);
  return NULL;
}

static void test_backend(void **state) {
  (void)state;
  Comm *launched;
  Status *status = comm_launch(&launched);
  if (status) fail_msg("%s", status_message(status));
  if (launched) {
    run_rank(launched);
    return;
  }
  void *ends[RANKS];
  pthread_t threads[RANKS];
  assert_null(comm_threads_new(RANKS, ends));
  Comm *comms[RANKS];
  for (uint32_t i = 0; i < RANKS; i++)
    assert_null(comm_new(&comm_threads, ends[i], i, RANKS, &(CommOptions){CHUNK}, &comms[i]));
  for (uint32_t i = 0; i < RANKS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, run_rank, comms[i]), 0);
  for (uint32_t i = 0; i < RANKS; i++) pthread_join(threads[i], NULL);
}

// A rank that fails ends the waits of the others with its message.
static void test_stop(void **state) {
  (void)state;
  if (comm_launcher()) skip();
  void *ends[2];
  Comm *comms[2];
  assert_null(comm_threads_new(2, ends));
  for (uint32_t i = 0; i < 2; i++)
    assert_null(comm_new(&comm_threads, ends[i], i, 2, NULL, &comms[i]));
  comm_stop(comms[1], "out of luck");
  CommRequest request;
  int x;
  comm_receive(comms[0], 1, &(CommTag){.op = 1}, &x, sizeof x, &request);
  Status *status = comm_wait(comms[0], 1, &request);
  assert_string_equal(status_message(status), "rank 1: out of luck");
  assert_true(comm_stopped_by_peer(comms[0]));
  assert_false(comm_stopped_by_peer(comms[1]));
  status_free(status);
  for (uint32_t i = 0; i < 2; i++) comm_close(comms[i], 1);
}

static void test_wrong_size(void **state) {
  (void)state;
  if (comm_launcher()) skip();
  void *ends[2];
  Comm *comms[2];
  assert_null(comm_threads_new(2, ends));
  for (uint32_t i = 0; i < 2; i++)
    assert_null(comm_new(&comm_threads, ends[i], i, 2, NULL, &comms[i]));
  CommRequest requests[2];
  int x[2] = {0};
  CommTag tag = {.op = 3, .from = 4, .to = 5};
  comm_send(comms[1], 0, &tag, x, sizeof x, &requests[0]);
  comm_receive(comms[0], 1, &tag, x, sizeof x[0], &requests[1]);
  Status *status = comm_wait(comms[0], 1, &requests[1]);
  assert_string_equal(
      status_message(status),
      "mismatched collectives: device 4 sends 8 bytes to device 5, which expects 4");
  status_free(status);
  for (uint32_t i = 0; i < 2; i++) comm_close(comms[i], 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_backend),
      cmocka_unit_test(test_stop),
      cmocka_unit_test(test_wrong_size),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
