// The k-th allocation fails, for every k until all succeed, while a program is said explicitly, its
// reshards become collectives and it is cut into parts, also with decisions that are saved, given
// or refused: that ends in RESOURCE_EXHAUSTED, and under ASan nothing leaks.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "partition/explicit_reshards.h"
#include "../tools/sdy_opt/global_to_local.h"
#include "partition/partition.h"
#include "../tools/sdy_opt/reshard_collectives.h"
#include "pipeline/reshards.h"
#include "annotate/program_mesh.h"
#include "support/whole.h"

// Operands that meet, a sum in parts, a loop, a call, a gather with a mask, a manual body.
static const char text[] =
    "sdy.mesh @m = <[\"x\"=2, \"y\"=2]>\n"
    "func.func @main(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {\"x\"}]>}, "
    "%b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{\"x\"}, {}]>}, %i: tensor<4x1xi32>) "
    "-> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{\"y\"}, {\"x\"}]>}) {\n"
    "  %0 = stablehlo.dot %a, %b : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>\n"
    "  %z = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %1:2 = stablehlo.while(%k = %z, %v = %0) : tensor<i32>, tensor<4x4xf32> attributes "
    "{sdy.sharding = #sdy.sharding_per_value<[<@m, []>, <@m, [{\"x\"}, {}]>]>}\n"
    "  cond {\n"
    "    %t = stablehlo.compare LT, %k, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    stablehlo.return %t : tensor<i1>\n"
    "  } do {\n"
    "    %s = call @f(%v) : (tensor<4x4xf32>) -> tensor<4x4xf32>\n"
    "    stablehlo.return %k, %s : tensor<i32>, tensor<4x4xf32>\n"
    "  }\n"
    "  %2 = \"stablehlo.gather\"(%1#1, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = "
    "[1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = "
    "array<i64: 1, 4>}> : (tensor<4x4xf32>, tensor<4x1xi32>) -> tensor<4x4xf32>\n"
    "  %3 = sdy.manual_computation(%2) in_shardings=[<@m, [{\"x\"}, {\"y\"}]>] "
    "out_shardings=[<@m, [{\"x\"}, {\"y\"}]>] manual_axes={\"x\"} (%c: tensor<2x4xf32>) {\n"
    "    %n = stablehlo.negate %c : tensor<2x4xf32>\n"
    "    sdy.return %n : tensor<2x4xf32>\n"
    "  } : (tensor<4x4xf32>) -> tensor<4x4xf32>\n"
    "  return %3 : tensor<4x4xf32>\n"
    "}\n"
    "func.func private @f(%u: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{\"x\"}, {}]>}) "
    "-> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{\"x\"}, {}]>}) {\n"
    "  %0 = stablehlo.tanh %u : tensor<4x4xf32>\n"
    "  return %0 : tensor<4x4xf32>\n"
    "}\n";

typedef enum Way { BY_STAGES, AT_ONCE, FOR_XLA, SAVED, GIVEN, REFUSED, N_WAYS } Way;

typedef struct Job {
  Source source;
  Way way;
  Context *context;
  Diag diag;
  Program *programs[2];
  ShardingTable *table;
  StrBuf out, saved;
  size_t printed;
  Str given;         // decisions
  char text[32768];  // those that SAVED saved
} Job;

static void release(void *object) {
  Job *job = object;
  sharding_table_free(job->table);
  strbuf_deinit(&job->out);
  strbuf_deinit(&job->saved);
  for (int i = 0; i < 2; i++) program_free(job->programs[i]);
  diag_deinit(&job->diag);
  context_free(job->context);
}

static Status *read_both(Job *job, Guard *guard) {
  for (int i = 0; i < 2; i++) {
    TRY(program_parse(job->context, guard, &job->source, 0, job->source.size, &(ParseOptions){0},
                      &job->diag, &job->programs[i]));
    if (!program_verify(job->programs[i], &job->diag)) return diag_status(&job->diag);
  }
  return NULL;
}

static Status *cut_decided(Job *job, Guard *guard) {
  MeshId mesh;
  strbuf_putc(&job->saved, '{');
  PartitionOptions options = {.why = true, .decisions = job->given, .out_decisions = &job->saved};
  TRY(partition_program(job->programs[0], job->table, &options, guard, &job->diag, &mesh));
  strbuf_putc(&job->saved, '}');
  assert_true(job->saved.used < sizeof job->text);
  if (job->way == SAVED) memcpy(job->text, job->saved.data, job->saved.used + 1);
  return NULL;
}

static Status *cut(Job *job, Guard *guard) {
  MeshId mesh;
  TRY(read_both(job, guard));
  Program *p = job->programs[0];
  if (job->way != BY_STAGES) TRY(program_meshes_read(p, job->table));
  if (job->way == FOR_XLA) return reshards_write(p, job->table, NULL, guard, &job->diag);
  if (job->way >= SAVED) return cut_decided(job, guard);
  if (job->way == AT_ONCE) return partition_program(p, job->table, NULL, guard, &job->diag, &mesh);
  TRY(explicit_reshards(p, job->table, NULL, guard, &job->diag));
  TRY(reshard_collectives(p, job->table, NULL, guard));
  return global_to_local(p, job->table, NULL, guard, &job->diag);
}

static Status *run_job(Guard *guard, void *arg) {
  Job *job = arg;
  job->context = NULL;
  job->table = NULL;
  job->programs[0] = job->programs[1] = NULL;
  diag_init(&job->diag, guard, &job->source);
  strbuf_init(&job->out, guard);
  strbuf_init(&job->saved, guard);
  GuardCleanup cleanup = {release, job, NULL};
  guard_push(guard, &cleanup);
  job->context = context_new(guard);
  job->table = sharding_table_new(job->context, guard);
  Status *status = cut(job, guard);
  if (!status && !program_verify(job->programs[0], &job->diag)) status = diag_status(&job->diag);
  if (!status) program_print(job->programs[0], &(PrintOptions){0}, &job->out);
  job->printed = job->out.used;
  guard_pop(guard, &cleanup);
  release(job);
  return status;
}

// The last decision is about nothing: the refusal comes after all of the work.
static const char refused[] = "{\"ops\": [{\"op\": 2, \"kind\": \"replicated\"},\n"
                              "{\"op\": 1, \"kind\": \"replicated\"}]}";

static void every_allocation_may_fail(void **state) {
  (void)state;
  static Job job;
  job.source = (Source){.path = "text", .text = text, .size = sizeof text - 1};
  for (Way way = 0; way < N_WAYS; way++) {
    StatusCode expected = way == REFUSED ? INVALID_ARGUMENT : OK;
    job.way = way;
    if (way == GIVEN) job.given = (Str){job.text, strlen(job.text)};
    if (way == REFUSED) job.given = (Str){refused, sizeof refused - 1};
    mem_fail_at(0);
    Status *status = guard_run(run_job, &job);
    if (status) print_message("%s\n", status_message(status));
    assert_int_equal(status_code(status), expected);
    status_free(status);
    assert_true(way == REFUSED || job.printed > 1000);
    uint64_t allocations = mem_fail_at(0);
    for (uint64_t k = 1; k <= allocations; k++) {
      mem_fail_at(k);
      status = guard_run(run_job, &job);
      mem_fail_at(0);
      assert_int_equal(status_code(status), RESOURCE_EXHAUSTED);
      status_free(status);
    }
    print_message("%llu allocations\n", (unsigned long long)allocations);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
