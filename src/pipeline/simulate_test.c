// Simulated random local programs (tests/support/random_local.h): what must hold for all of them,
// the same result twice, more bandwidth is never slower, and every allocation may fail.
#include "pipeline/simulate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "base/mem.h"
#include "cost/fusion.h"
#include "pipeline/compile.h"

#include "../../tests/support/random_local.h"

typedef struct Job {
  uint64_t seed;
  const char *text;     // NULL: a random program of the seed
  const char *machine;  // text
  uint64_t fail_at;
  RandomLocal random;
  StrBuf out;
  Source source;
  Session session;
  Prediction prediction;
} Job;

static Status *simulate_job(Guard *guard, void *arg) {
  Job *job = arg;
  strbuf_init(&job->out, guard);
  if (job->text)
    strbuf_puts(&job->out, job->text);
  else
    random_local(&job->random, job->seed, "f32", &job->out);
  mem_fail_at(job->fail_at);
  job->source = (Source){.path = "text", .text = job->out.data, .size = job->out.used};
  session_init(&job->session, guard, &job->source, NULL);
  CompileRequest request = {.end = job->source.size, .stop_after = STAGE_VERIFY};
  Compiled compiled;
  TRY(compile(&job->session, &request, &compiled));
  return simulate_local(&job->session,
                        job->text            ? NULL
                        : job->random.b == 4 ? "a=2,b=4"
                                             : "a=2,b=2",
                        job->machine, &job->prediction);
}

static void release(Job *job) {
  session_deinit(&job->session);
  strbuf_deinit(&job->out);
}

static bool near(double a, double b) { return fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b)) + 1e-18; }

static void check_block(const SimulatedBlock *b) {
  double live = 0, exposed = 0;
  for (uint32_t i = 0; i < b->n_live; i++) {
    assert_true(b->live[i].bytes > 0);
    if (i) assert_true(b->live[i].bytes <= b->live[i - 1].bytes);
    live += b->live[i].bytes;
  }
  assert_true(near(live, b->peak_bytes));
  for (uint32_t i = 0; i < b->n_rows; i++) {
    exposed += b->rows[i].exposed;
    assert_true(b->rows[i].exposed <= b->rows[i].seconds * (1 + 1e-9) + 1e-18);
  }
  assert_true(near(exposed, b->exposed_seconds));
  for (uint32_t i = 0; i < b->n; i++) {
    assert_true(b->curve[i] >= 0 && b->curve[i] <= b->peak_bytes);
    if (b->body[i] && b->body[i]->n) check_block(b->body[i]);
  }
}

static void test_random(void **state) {
  (void)state;
  static const char *const names[] = {"h100", "tpu_v5p", "v100_25g", "default"};
  for (uint64_t seed = 1; seed <= 200; seed++) {
    Job a = {.seed = seed, .machine = machine_text(names[seed % 4])}, b = a;
    assert_null(guard_run(simulate_job, &a));
    assert_null(guard_run(simulate_job, &b));
    const Simulated *x = a.prediction.simulated, *y = b.prediction.simulated;
    assert_true(x->seconds == y->seconds && x->peak_bytes == y->peak_bytes);
    assert_true(near(x->seconds, x->compute_seconds + x->exposed_seconds));
    assert_true(x->exposed_seconds <= x->collective_seconds * (1 + 1e-9));
    assert_true(x->seconds > 0 && x->seconds <= 1e3 && x->peak_bytes >= x->argument_bytes);
    check_block(x->block);
    release(&a);
    release(&b);
  }
}

// Links of a thousandth of the bandwidth: the step is slower, compute is the same.
static void test_links(void **state) {
  (void)state;
#define MACHINE(bandwidth)                                                                         \
  "{\"device\": {\"flops_per_second\": 1e12, \"bytes_per_second\": 1e11, \"memory_bytes\": 1e9}, " \
  "\"links\": [{\"latency_seconds\": 1e-6, \"gap_seconds\": 0, \"bytes_per_second\": " bandwidth   \
  "}]}"
  for (uint64_t seed = 1; seed <= 50; seed++) {
    Job fast = {.seed = seed, .machine = MACHINE("1e12")};
    Job slow = {.seed = seed, .machine = MACHINE("1e9")};
    assert_null(guard_run(simulate_job, &fast));
    assert_null(guard_run(simulate_job, &slow));
    const Simulated *x = fast.prediction.simulated, *y = slow.prediction.simulated;
    assert_true(near(x->compute_seconds, y->compute_seconds));
    assert_true(x->collective_seconds <= y->collective_seconds);
    assert_true(x->peak_bytes == y->peak_bytes);
    release(&fast);
    release(&slow);
  }
}

static void test_allocations_fail(void **state) {
  (void)state;
  Job all = {.seed = 11};
  assert_null(guard_run(simulate_job, &all));
  release(&all);
  uint64_t n = mem_fail_at(0);
  for (uint64_t k = 1; k <= n; k++) {
    Job job = {.seed = 11, .fail_at = k};
    Status *status = guard_run(simulate_job, &job);
    mem_fail_at(0);
    if (status) assert_int_equal(status_code(status), RESOURCE_EXHAUSTED);
    status_free(status);
    release(&job);
  }
}

// A softmax between two contractions: what is stored.
static const char softmax[] =
    "func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {\n"
    "  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
    "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %a = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<8x8xf32>, "
    "tensor<8x8xf32>) -> tensor<8x8xf32>\n"
    "  %s = stablehlo.multiply %a, %a : tensor<8x8xf32>\n"
    "  %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [1] : "
    "(tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>\n"
    "  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<8xf32>) -> tensor<8x8xf32>\n"
    "  %d = stablehlo.subtract %s, %mb : tensor<8x8xf32>\n"
    "  %e = stablehlo.exponential %d : tensor<8x8xf32>\n"
    "  %t = stablehlo.transpose %e, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>\n"
    "  %r = stablehlo.reshape %e : (tensor<8x8xf32>) -> tensor<8x8xf32>\n"
    "  %o = stablehlo.dot_general %r, %t, contracting_dims = [1] x [0] : (tensor<8x8xf32>, "
    "tensor<8x8xf32>) -> tensor<8x8xf32>\n"
    "  return %o : tensor<8x8xf32>\n"
    "}\n";

static ValueId value_named(const Program *p, const char *name) {
  for (uint32_t v = 1; v < p->values.count; v++)
    if (value_at(p, v)->name && strcmp(name_text(p->context, value_at(p, v)->name), name) == 0)
      return v;
  return 0;
}

static void test_fusion(void **state) {
  (void)state;
  Job job = {.text = softmax};
  assert_null(guard_run(simulate_job, &job));
  const Program *p = job.prediction.program;
  Fusion f;
  fusion_find(p, &job.session.arena, &f);
  // %s is used on both sides of the reduction; %e goes to a contraction, also transposed.
  static const char *const stored[] = {"x", "a", "s", "m", "e", "o"};
  for (uint32_t i = 0; i < 6; i++) assert_true(f.stored[value_named(p, stored[i])]);
  assert_false(f.stored[value_named(p, "d")]);
  assert_int_equal(f.root[value_named(p, "mb")], value_named(p, "m"));
  assert_int_equal(f.root[value_named(p, "t")], value_named(p, "e"));
  assert_int_equal(f.root[value_named(p, "r")], value_named(p, "e"));
  assert_true(f.constant[value_named(p, "low")]);
  OpId d = value_def(p, value_named(p, "d")), e = value_def(p, value_named(p, "e"));
  OpId s = value_def(p, value_named(p, "s"));
  assert_int_equal(f.group[d], f.group[e]);
  assert_int_not_equal(f.group[d], f.group[s]);
  release(&job);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_links),
                                     cmocka_unit_test(test_fusion),
                                     cmocka_unit_test(test_allocations_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
