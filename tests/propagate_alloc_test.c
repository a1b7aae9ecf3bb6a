// The k-th allocation fails, for every k until all succeed, while a program is annotated,
// propagated, explained and written in either spelling: that ends in RESOURCE_EXHAUSTED, and under
// ASan nothing leaks.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "base/mem.h"
#include "pipeline/compile.h"
#include "explain/why.h"
#include "support/whole.h"

// Calls that differ, constants with several uses, a group, a loop, a body with manual axes,
// priorities.
static const char sdy_text[] =
    "sdy.mesh @mesh = <[\"a\"=2, \"b\"=2]>\n"
    "func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"a\", ?}p1, "
    "{?}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {\"b\", ?}p2]>}) -> "
    "tensor<8x8xf32> {\n"
    "  %c = stablehlo.constant dense<1.0> : tensor<8x8xf32>\n"
    "  %0 = call @f(%x, %c) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>\n"
    "  %1 = call @f(%y, %c) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>\n"
    "  %i = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %2:2 = stablehlo.while(%k = %i, %z = %0) : tensor<i32>, tensor<8x8xf32>\n"
    "  cond {\n"
    "    %t = stablehlo.compare LT, %k, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    stablehlo.return %t : tensor<i1>\n"
    "  } do {\n"
    "    %s = stablehlo.dot %z, %1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>\n"
    "    stablehlo.return %k, %s : tensor<i32>, tensor<8x8xf32>\n"
    "  }\n"
    "  %3 = sdy.manual_computation(%2#1) in_shardings=[<@mesh, [{\"a\"}, {?}]>] "
    "out_shardings=[<@mesh, [{\"a\"}, {?}]>] manual_axes={\"a\"} (%m: tensor<4x8xf32>) {\n"
    "    %n = stablehlo.tanh %m : tensor<4x8xf32>\n"
    "    sdy.return %n : tensor<4x8xf32>\n"
    "  } : (tensor<8x8xf32>) -> tensor<8x8xf32>\n"
    "  sdy.sharding_group %3 group_id=0 : tensor<8x8xf32>\n"
    "  sdy.sharding_group %1 group_id=0 : tensor<8x8xf32>\n"
    "  return %3 : tensor<8x8xf32>\n"
    "}\n"
    "func.func private @f(%u: tensor<8x8xf32>, %v: tensor<8x8xf32>) -> tensor<8x8xf32> {\n"
    "  %0 = stablehlo.add %u, %v : tensor<8x8xf32>\n"
    "  return %0 : tensor<8x8xf32>\n"
    "}\n";

static const char gspmd_text[] =
    "func.func @main(%x: tensor<8x8xf32> {mhlo.sharding = \"{devices=[2,1,2]<=[4] "
    "last_tile_dim_replicate}\"}, %y: tensor<8x8xf32> {mhlo.sharding = "
    "\"{devices=[1,4]<=[2,2]T(1,0)}\"}) -> tensor<8x8xf32> {\n"
    "  %0 = stablehlo.dot %x, %y : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>\n"
    "  %1 = stablehlo.custom_call @Sharding(%0) {mhlo.sharding = \"{devices=[4,1]<=[4]}\"} : "
    "(tensor<8x8xf32>) -> tensor<8x8xf32>\n"
    "  return %1 : tensor<8x8xf32>\n"
    "}\n";

typedef struct Job {
  Source source;
  const char *rule;  // "" = none
  Emit emit;
  size_t printed;
} Job;

static void release_session(void *object) { session_deinit(object); }
static void release_why(void *object) { why_free(object); }

static Status *all_of_it(Session *s, const Job *job, StrBuf *out) {
  Source rule = {.path = "rule", .text = job->rule, .size = strlen(job->rule)};
  CompileRequest request = {.end = job->source.size,
                            .annotations = {.rules = &rule, .n_rules = rule.size != 0},
                            .stop_after = STAGE_PROPAGATE};
  Compiled compiled;
  TRY(compile(s, &request, &compiled));
  Why *why = why_new(s->propagation, &(WhyOptions){0}, s->guard);
  GuardCleanup cleanup = {release_why, why, NULL};
  guard_push(s->guard, &cleanup);
  why_print_all(why, out);
  why_json_all(why, out);
  guard_pop(s->guard, &cleanup);
  why_free(why);
  TRY(stage_write(s, &request.annotations, &(WriteForm){.emit = job->emit, .close = true}));
  program_print(s->program, &(PrintOptions){0}, out);
  return NULL;
}

static Status *run_job(Guard *guard, void *arg) {
  Job *job = arg;
  StrBuf out;
  strbuf_init(&out, guard);
  GuardCleanup free_out = {whole_release_buffer, &out, NULL};
  guard_push(guard, &free_out);
  Session session;
  session_init(&session, guard, &job->source, NULL);
  GuardCleanup free_session = {release_session, &session, NULL};
  guard_push(guard, &free_session);
  Status *status = all_of_it(&session, job, &out);
  job->printed = out.used;
  guard_pop(guard, &free_session);
  guard_pop(guard, &free_out);
  session_deinit(&session);
  strbuf_deinit(&out);
  return status;
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  Job jobs[] = {
      {{.path = "sdy", .text = sdy_text, .size = sizeof sdy_text - 1}, "", EMIT_SDY, 0},
      {{.path = "sdy", .text = sdy_text, .size = sizeof sdy_text - 1},
       "result0=P(\"a\")",
       EMIT_MHLO,
       0},
      {{.path = "gspmd", .text = gspmd_text, .size = sizeof gspmd_text - 1}, "", EMIT_SDY, 0},
      {{.path = "gspmd", .text = gspmd_text, .size = sizeof gspmd_text - 1}, "", EMIT_MHLO, 0},
  };
  for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
    mem_fail_at(0);
    Status *status = guard_run(run_job, &jobs[i]);
    if (status) print_message("%s\n", status_message(status));
    assert_null(status);
    assert_true(jobs[i].printed > 100);
    uint64_t allocations = mem_fail_at(0);
    for (uint64_t k = 1; k <= allocations; k++) {
      mem_fail_at(k);
      status = guard_run(run_job, &jobs[i]);
      mem_fail_at(0);
      assert_int_equal(status_code(status), RESOURCE_EXHAUSTED);
      status_free(status);
    }
    print_message("job %zu: %llu allocations\n", i, (unsigned long long)allocations);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
