// The IOPDDL reader: problems survive writing and reading, also through gzip; broken text gets a
// message with its line; no prefix or changed byte of a text crashes it.
#include "solve/iopddl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "solve/problem_fixture.h"
#include "solve/solve.h"

#define NODES "\"nodes\":{\"intervals\":[[0,2],[1,3]],\"costs\":[[1,2],[3]],\"usages\":[[4,5],[6]]}"
#define EDGES "\"edges\":{\"nodes\":[[0,1]],\"costs\":[[7,8]]}"
#define TEXT(x) "{\"problem\":{" x "}}"

typedef struct ReadJob {
  Str text;
  char message[300];  // "" if it was read
  uint32_t vars, edges;
  void (*then)(const Problem *problem, Guard *guard, void *user);
  void *user;
} ReadJob;

static Status *read_body(Guard *guard, void *arg) {
  ReadJob *job = arg;
  Stream *stream = mem_alloc(sizeof *stream);
  Problem problem;
  problem_init(&problem, guard);
  Status *status = stream_open_memory(stream, job->text, IOPDDL_MOST_BYTES);
  if (!status) status = iopddl_read(stream, &problem);
  stream_close(stream);
  mem_free(stream);
  job->message[0] = '\0';
  if (status) snprintf(job->message, sizeof job->message, "%s", status_message(status));
  status_free(status);
  job->vars = problem.vars.count, job->edges = problem.edges.count;
  if (!job->message[0] && job->then) job->then(&problem, guard, job->user);
  problem_deinit(&problem);
  return NULL;
}

static void read_text(ReadJob *job, Str text) {
  job->text = text;
  assert_null(guard_run(read_body, job));
}

static const char *const wrong[][2] = {
    {"", "line 1: the text ends, expected '{'"},
    {"[]", "line 1: '[', expected '{'"},
    {"{}", "the problem has no \"usage_limit\""},
    {"{} x", "line 1: 'x', expected the end"},
    {"{\"problem\":{\n\n\"usage_limit\": -1}}", "line 3: '-', expected a non-negative integer"},
    {TEXT("\"usage_limit\": 1.5"), "line 1: '.', expected an integer"},
    {TEXT("\"usage_limit\": 9223372036854775808"), "line 1: '8', expected a number below 2^63"},
    {TEXT("\"usage_limit\" 1"), "line 1: '1', expected ':'"},
    {TEXT(NODES ",\n" NODES), "line 2: '[', expected each key once"},
    {TEXT(NODES ",\"edges\":{\"nodes\":[[0,2]],\"costs\":[[7,8]]},\"usage_limit\":9"),
     "edge 0 joins nodes 0 and 2, but there are 2 nodes"},
    {TEXT(NODES ",\"edges\":{\"nodes\":[[0,0]],\"costs\":[[7,8]]},\"usage_limit\":9"),
     "edge 0 joins node 0 with itself"},
    {TEXT(NODES ",\"edges\":{\"nodes\":[[0,1]],\"costs\":[[7]]},\"usage_limit\":9"),
     "edge 0 has 1 costs; nodes 0 and 1 have 2 times 1 strategies"},
    {TEXT(NODES ",\"edges\":{\"nodes\":[],\"costs\":[[7,8]]},\"usage_limit\":9"),
     "edges have 0 pairs of nodes and 1 lists of costs"},
    {TEXT("\"nodes\":{\"intervals\":[[0,1]],\"costs\":[[1]],\"usages\":[[1,2]]},\"usage_limit\":9"),
     "node 0 has 1 costs and another number of usages"},
    {TEXT("\"nodes\":{\"intervals\":[[0,1]],\"costs\":[[]],\"usages\":[[]]},\"usage_limit\":9"),
     "node 0 has no strategies"},
    {TEXT("\"nodes\":{\"intervals\":[[0]]}"), "line 1: ']', expected ','"},
    {TEXT("\"x\": }"), "line 1: '}', expected a value"},
    {"\x1f\x8b\x08", "line 1: the gzip data are damaged: they end too early"},
    {"\x01", "line 1: byte 0x01, expected '{'"},
};

static void test_wrong(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ReadJob job = {0};
    read_text(&job, str_of(wrong[i][0]));
    assert_string_equal(job.message, wrong[i][1]);
  }
}

static void test_right(void **state) {
  (void)state;
  ReadJob job = {0};
  read_text(&job, str_of(TEXT(NODES "," EDGES ",\"usage_limit\":9")));
  assert_string_equal(job.message, "");
  assert_int_equal(job.vars, 2);
  // Edges before nodes, unknown keys of any kind, blanks.
  read_text(&job, str_of(TEXT("\"name\":\"a \\\" b\",\"x\":[1,{\"y\":[null,-2e5]}],\n" EDGES
                              " ,\t\"usage_limit\":9," NODES)));
  assert_string_equal(job.message, "");
  assert_int_equal(job.edges, 1);
}

static void test_deep(void **state) {
  (void)state;
  char text[400] = "{\"x\":";
  memset(text + 5, '[', 100);
  ReadJob job = {0};
  read_text(&job, str_of(text));
  assert_string_equal(job.message, "line 1: '[', expected at most 64 levels");
}

static void same_problem(const Problem *a, Guard *guard, void *user) {
  const Problem *b = user;
  StrBuf first, second;
  strbuf_init(&first, guard), strbuf_init(&second, guard);
  iopddl_write(a, &first), iopddl_write(b, &second);
  assert_string_equal(first.data, second.data);
  strbuf_deinit(&first), strbuf_deinit(&second);
}

// Every prefix of the text ends in a message, every changed byte in a message or a problem.
static void break_text(const StrBuf *text, uint64_t *random) {
  ReadJob job = {0};
  for (size_t n = 0; n + 1 < text->used; n += 1 + random_below(random, 8)) {
    read_text(&job, (Str){text->data, n});
    assert_string_not_equal(job.message, "");
  }
  char *copy = mem_alloc(text->used);
  for (uint32_t i = 0; i < 50; i++) {
    memcpy(copy, text->data, text->used);
    copy[random_below(random, (uint32_t)text->used)] = (char)random_below(random, 256);
    read_text(&job, (Str){copy, text->used});
  }
  mem_free(copy);
}

static Status *round_trip(Guard *guard, void *arg) {
  uint64_t *random = arg;
  Problem problem;
  StrBuf text;
  problem_init(&problem, guard);
  strbuf_init(&text, guard);
  random_problem(&problem, random);
  iopddl_write(&problem, &text);
  ReadJob job = {.then = same_problem, .user = &problem};
  read_text(&job, (Str){text.data, text.used});
  assert_string_equal(job.message, "");
  break_text(&text, random);
  strbuf_deinit(&text);
  problem_deinit(&problem);
  return NULL;
}

static void test_round_trip(void **state) {
  (void)state;
  uint64_t random = 4711;
  for (uint32_t i = 0; i < 50; i++) assert_null(guard_run(round_trip, &random));
}

// ---- every allocation fails once ----

typedef struct FailJob {
  Stream *stream;
  Problem problem;
} FailJob;

static void fail_release(void *object) {
  FailJob *job = object;
  stream_close(job->stream);
  mem_free(job->stream);
  problem_deinit(&job->problem);
}

static Status *read_and_solve(Guard *guard, void *arg) {
  FailJob job = {0};
  GuardCleanup cleanup = {fail_release, &job, NULL};
  uint32_t choice[2];
  SolveResult result;
  SolveOptions options = {.level = 1};
  job.stream = mem_alloc(sizeof *job.stream);
  if (!job.stream) return status_no_memory();
  memset(job.stream, 0, sizeof *job.stream);
  problem_init(&job.problem, guard);
  guard_push(guard, &cleanup);
  Status *status = stream_open_memory(job.stream, *(const Str *)arg, 1000);
  if (!status) status = iopddl_read(job.stream, &job.problem);
  if (!status) status = solve_problem(&job.problem, &options, guard, choice, &result);
  guard_pop(guard, &cleanup);
  fail_release(&job);
  return status;
}

static void test_no_memory(void **state) {
  (void)state;
  Str text = str_of(TEXT("\"nodes\":{\"intervals\":[[0,2],[1,3]],\"costs\":[[0,9],[0,9]],"
                         "\"usages\":[[4,2],[4,2]]},\"edges\":{\"nodes\":[[0,1]],"
                         "\"costs\":[[0,2,2,0]]},\"usage_limit\":6"));
  for (uint64_t k = 1;; k++) {
    mem_fail_at(k);
    Status *status = guard_run(read_and_solve, &text);
    mem_fail_at(0);
    if (!status) break;
    assert_int_equal(status_code(status), RESOURCE_EXHAUSTED);
    status_free(status);
    assert_true(k < 1000);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_wrong),     cmocka_unit_test(test_right),
      cmocka_unit_test(test_deep),      cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
