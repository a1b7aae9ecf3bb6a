// Two or three ranks as threads of this process, on comm's wire between threads: the results have
// the bits of a run without ranks. Sanitizers see the whole path here, which they do not under MPI.
#include "execute/ranks.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "ops/infer.h"
#include "parse/parse.h"

enum { DEVICES = 8, MOST_RANKS = 3, RUNS = 3, ELEMENTS = 3000 };

#define GROUP_ATTRS(groups)                                                                        \
  "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = " groups     \
  ", use_global_device_ids"
#define SUM(groups)                                                                                \
  "({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n%c = stablehlo.add %a, %b : tensor<f32>\n"         \
  "stablehlo.return %c : tensor<f32>\n}) {" GROUP_ATTRS(groups) "}"
#define ALL "dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>"
#define STRIDED "dense<[[6, 1, 3], [0, 7, 4], [2, 5, -1]]> : tensor<3x3xi64>"

// A loop with collectives by kernels, by eval, of short and of long messages.
static const char loop[] =
    "func.func @main(%x: tensor<3000xf32>) -> (tensor<3000xf32>, tensor<f32>) {\n"
    "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "  %n = stablehlo.constant dense<4> : tensor<i32>\n"
    "  %f = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %k = stablehlo.constant dense<0.1> : tensor<3000xf32>\n"
    "  %r:3 = stablehlo.while(%i = %zero, %v = %x, %s = %f) : tensor<i32>, tensor<3000xf32>, "
    "tensor<f32>\n"
    "  cond {\n"
    "    %t = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    stablehlo.return %t : tensor<i1>\n"
    "  } do {\n"
    "    %j = stablehlo.add %i, %one : tensor<i32>\n"
    "    %y = \"stablehlo.all_reduce\"(%v) " SUM(
        ALL) " : (tensor<3000xf32>) -> tensor<3000xf32>\n"
             "    %z = \"stablehlo.collective_permute\"(%y) <{channel_handle = "
             "#stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, "
             "1], "
             "[1, 6], [6, 2]]> : tensor<3x2xi64>}> : (tensor<3000xf32>) -> tensor<3000xf32>\n"
             "    %w = stablehlo.add %z, %v : tensor<3000xf32>\n"
             "    %u = stablehlo.multiply %w, %k : tensor<3000xf32>\n"
             "    %e = stablehlo.slice %u [0:1] : (tensor<3000xf32>) -> tensor<1xf32>\n"
             "    %q = stablehlo.reshape %e : (tensor<1xf32>) -> tensor<f32>\n"
             "    %p = \"stablehlo.all_reduce\"(%q) " SUM(
                 STRIDED) " : (tensor<f32>) -> tensor<f32>\n"
                          "    %o = stablehlo.add %p, %s : tensor<f32>\n"
                          "    stablehlo.return %j, %u, %o : tensor<i32>, tensor<3000xf32>, "
                          "tensor<f32>\n"
                          "  }\n"
                          "  return %r#1, %r#2 : tensor<3000xf32>, tensor<f32>\n"
                          "}\n";

// Devices 4 to 7 never come.
static const char stuck[] =
    "func.func @main(%x: tensor<3000xf32>) -> (tensor<3000xf32>, tensor<f32>) {\n"
    "  %f = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %id = stablehlo.partition_id : tensor<ui32>\n"
    "  %four = stablehlo.constant dense<4> : tensor<ui32>\n"
    "  %low = stablehlo.compare LT, %id, %four : (tensor<ui32>, tensor<ui32>) -> tensor<i1>\n"
    "  %r = \"stablehlo.if\"(%low) ({\n"
    "    %s = \"stablehlo.all_reduce\"(%f) " SUM(
        ALL) " : (tensor<f32>) -> tensor<f32>\n"
             "    stablehlo.return %s : tensor<f32>\n"
             "  }, {\n    stablehlo.return %f : tensor<f32>\n  }) : (tensor<i1>) -> tensor<f32>\n"
             "  return %x, %r : tensor<3000xf32>, tensor<f32>\n"
             "}\n";

typedef struct Rank {
  const char *text;
  Comm *comm;  // NULL: alone
  uint32_t workers;
  float vectors[DEVICES][ELEMENTS], scalars[DEVICES];
  Status *status;
} Rank;

static Status *run_on(Rank *rank, Program *program, Guard *guard) {
  LiteralHeap heap;
  Arena arena;
  literal_heap_init(&heap, guard, 0);
  arena_init(&arena, guard);
  OpId function;
  TRY(evaluate_entry(program, NULL, &function));
  ExecuteOptions options = {
      .eval.partitions = DEVICES, .workers = rank->workers, .comm = rank->comm};
  Executable *exe;
  Status *status = executable_new(program, function, &options, &heap, &arena, &exe);
  Literal *args[DEVICES] = {0}, *out[2 * DEVICES] = {0};
  uint32_t first = 0, n = 0;
  if (!status) executable_here(exe, &first, &n);
  for (uint32_t d = first; d < first + n; d++) {
    args[d] =
        literal_new_typed(&heap, program->context, evaluate_argument_type(program, function, 0));
    for (int64_t i = 0; i < ELEMENTS; i++)
      literal_set(args[d], i, scalar_f(1.0 / (double)(i + 3 * d + 1)));
  }
  EvalReport report;
  for (uint32_t k = 0; k < RUNS && !status; k++)
    status = executable_run(exe, DEVICES, args, 2 * DEVICES, out, &report);
  if (!status) status = executable_collect(exe, 2 * DEVICES, out);
  for (uint32_t d = 0; d < DEVICES && !status; d++) {
    if (out[2 * d]) memcpy(rank->vectors[d], out[2 * d]->data, sizeof rank->vectors[d]);
    if (out[2 * d]) memcpy(&rank->scalars[d], out[2 * d + 1]->data, sizeof rank->scalars[d]);
  }
  executable_free(exe);
  for (uint32_t i = 0; i < DEVICES; i++)
    if (args[i]) literal_release(args[i]);
  for (uint32_t i = 0; i < 2 * DEVICES; i++)
    if (out[i]) literal_release(out[i]);
  literal_heap_deinit(&heap);
  arena_deinit(&arena);
  return status;
}

static Status *run_text(Guard *guard, void *arg) {
  Rank *rank = arg;
  Source source = {.path = "test", .text = rank->text, .size = strlen(rank->text)};
  Context *context = context_new(guard);
  Diag diag;
  diag_init(&diag, guard, &source);
  Program *program = NULL;
  Status *status =
      program_parse(context, guard, &source, 0, source.size, &(ParseOptions){0}, &diag, &program);
  if (!status && !program_verify(program, &diag)) status = diag_status(&diag);
  if (!status) status = run_on(rank, program, guard);
  program_free(program);
  diag_deinit(&diag);
  context_free(context);
  return status;
}

static void *run_rank(void *arg) {
  Rank *rank = arg;
  rank->status = guard_run(run_text, rank);
  return NULL;
}

static void run_ranks(const char *text, uint32_t n, uint32_t workers, Rank *ranks) {
  void *ends[MOST_RANKS];
  pthread_t threads[MOST_RANKS];
  assert_null(comm_threads_new(n, ends));
  for (uint32_t i = 0; i < n; i++) {
    ranks[i] = (Rank){.text = text, .workers = workers};
    assert_null(comm_new(&comm_threads, ends[i], i, n, &(CommOptions){.chunk_bytes = 5000},
                         &ranks[i].comm));
  }
  for (uint32_t i = 0; i < n; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, run_rank, &ranks[i]), 0);
  for (uint32_t i = 0; i < n; i++) pthread_join(threads[i], NULL);
  for (uint32_t i = 0; i < n; i++) comm_close(ranks[i].comm, 0);
}

static void test_equal(void **state) {
  (void)state;
  Rank *alone = calloc(1, sizeof *alone), *ranks = calloc(MOST_RANKS, sizeof *ranks);
  *alone = (Rank){.text = loop, .workers = 1};
  run_rank(alone);
  if (alone->status) fail_msg("%s", status_message(alone->status));
  for (uint32_t n = 2; n <= MOST_RANKS; n++)
    for (uint32_t workers = 1; workers <= 2; workers++) {
      run_ranks(loop, n, workers, ranks);
      for (uint32_t i = 0; i < n; i++)
        if (ranks[i].status) fail_msg("rank %u: %s", i, status_message(ranks[i].status));
      assert_memory_equal(ranks[0].vectors, alone->vectors, sizeof alone->vectors);
      assert_memory_equal(ranks[0].scalars, alone->scalars, sizeof alone->scalars);
    }
  free(alone);
  free(ranks);
}

static void test_deadlock(void **state) {
  (void)state;
  Rank *ranks = calloc(MOST_RANKS, sizeof *ranks);
  run_ranks(stuck, 2, 2, ranks);
  for (uint32_t i = 0; i < 2; i++) {
    assert_non_null(ranks[i].status);
    const char *text = status_message(ranks[i].status);
    if (!strstr(text, "deadlock: the 2 ranks wait for each other\n  device 0 waits at "
                      "'stablehlo.all_reduce'") ||
        !strstr(text, "device 7 has finished"))
      fail_msg("%s", text);
    status_free(ranks[i].status);
  }
  free(ranks);
}

// Every device is in one block; blocks are contiguous.
static void test_blocks(void **state) {
  (void)state;
  for (uint32_t n = 1; n < 20; n++)
    for (uint32_t size = 1; size < 8; size++)
      for (uint32_t rank = 0, next = 0; rank < size; rank++) {
        uint32_t first, count;
        executable_block(n, rank, size, &first, &count);
        assert_int_equal(first, next);
        next += count;
        for (uint32_t d = first; d < next; d++) assert_int_equal(ranks_owner(n, size, d), rank);
        if (rank + 1 == size) assert_int_equal(next, n);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_blocks),
      cmocka_unit_test(test_equal),
      cmocka_unit_test(test_deadlock),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
