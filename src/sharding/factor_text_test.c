// Rules as text: their factors for given shapes, and error messages.
#include "sharding/factor_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

// Shapes are written 2x3,4->2: operands, then results; ? is dynamic, "" is rank 0.
typedef struct Job {
  const char *text, *shapes;
  bool parsed, fits;
  char error[FACTOR_ERROR_BYTES];
  char got[512];  // the factors of each dimension, then size:kinds:combine of each factor
} Job;

static void shapes_read(const char *at, uint32_t *ranks, int64_t *dims, uint32_t *n_operands,
                        uint32_t *n_results) {
  uint32_t t = 0, n = 0;
  bool results = false;
  *n_operands = *n_results = 0;
  for (;; at++) {
    if (*at == '?') {
      dims[n++] = DIM_DYNAMIC, ranks[t]++;
    } else if (*at >= '0' && *at <= '9') {
      int64_t v = 0;
      for (; *at >= '0' && *at <= '9'; at++) v = v * 10 + (*at - '0');
      at--;
      dims[n++] = v, ranks[t]++;
    } else if (*at != 'x') {
      ++*(results ? n_results : n_operands);
      t++;
      if (!*at) return;
      if (*at == '-') results = true, at++;
    }
  }
}

static Status *run(Guard *guard, void *arg) {
  Job *job = arg;
  Arena arena;
  arena_init(&arena, guard);
  FactorRule rule;
  job->parsed = factor_rule_parse(str_of(job->text), &arena, &rule, job->error);
  if (job->parsed && job->shapes) {
    uint32_t ranks[8] = {0}, n_operands, n_results;
    int64_t dims[32];
    shapes_read(job->shapes, ranks, dims, &n_operands, &n_results);
    FactorBuilder b;
    factor_builder_init(&b, &arena, n_operands, n_results, ranks);
    job->fits = factor_rule_apply(&rule, &b, dims, job->error);
    if (job->fits) {
      FactorMap m;
      factor_build(&b, &m);
      assert_true(m.custom && !m.own);
      assert_null(factor_map_check(&m, dims));
      size_t used = 0;
      for (uint32_t t = 0; t < factor_map_n_tensors(&m); t++)
        for (uint32_t d = 0; d < factor_map_rank(&m, t); d++) {
          FactorList list = factor_map_dim(&m, t, d);
          used += (size_t)snprintf(job->got + used, sizeof job->got - used, "%s", used ? " " : "");
          for (uint32_t k = 0; k < list.n; k++)
            used += (size_t)snprintf(job->got + used, sizeof job->got - used, "%u", list.v[k]);
        }
      for (uint32_t f = 0; f < m.n_factors; f++)
        used +=
            (size_t)snprintf(job->got + used, sizeof job->got - used, " %lld:%d:%s",
                             m.factors[f].size == DIM_DYNAMIC ? -1 : (long long)m.factors[f].size,
                             m.factors[f].sdy_kinds, combine_name(m.factors[f].combine));
    }
  } else if (!job->parsed) {
    assert_true(job->error[0]);
  }
  arena_deinit(&arena);
  return NULL;
}

static void good(const char *text, const char *shapes, const char *expected) {
  Job job = {.text = text, .shapes = shapes};
  assert_null(guard_run(run, &job));
  if (!job.fits) fprintf(stderr, "%s over %s: %s\n", text, shapes, job.error);
  assert_true(job.fits);
  assert_string_equal(job.got, expected);
}

static void bad(const char *text, const char *shapes, const char *expected) {
  Job job = {.text = text, .shapes = shapes};
  assert_null(guard_run(run, &job));
  assert_false(job.fits);
  assert_string_equal(job.error, expected);
}

static void test_good(void **state) {
  (void)state;
  good("([i, k], [k, j])->([i, j]) reduction={k}", "2x3,3x4->2x4", "0 1 1 2 0 2 2:0: 3:1:sum 4:0:");
  good("([i, k])->([i]) reduction={k:max}", "2x3->2", "0 1 0 2:0: 3:1:max");
  good("([ij])->([i, j])", "12->3x4", "01 0 1 3:0: 4:0:");
  good("([ij])->([k]) {i=3} blocked_propagation={k} need_replication={k}", "12->5",
       "01 2 3:0: 4:0: 5:12:");
  good("([i], [])->([i])", "4,->4", "0 0 4:0:");
  good("([])->([z_1z_2]) {z_2=2}", "->8", "01 4:0: 2:0:");
  good("([i])->([i]) permutation={i}", "4->5", "0 0 4:2:");
  good("([i])->([i])", "?->?", "0 0 -1:8:");
  good("([i])->([i])", "0->0", "0 0 0:0:");
  good(" #sdy.op_sharding_rule< ( [ i ] ) -> ( [ i ] ) { i = 4 } , custom > ", "4->4", "0 0 4:0:");
  good("([i, j])->([i]) permutation={i} reduction={j:min} blocked_propagation={i}", "4x2->4",
       "0 1 0 4:10: 2:1:min");
}

static void test_bad_text(void **state) {
  (void)state;
  bad("", NULL, "expected '(' at column 1, found the end");
  bad("([i]->([i])", NULL, "expected ')' at column 5, found '->([i])'");
  bad("([i])->([i]) {j=3}", NULL,
      "expected a factor that stands in a dimension at column 15, found 'j=3}'");
  bad("([i])->([i]) {i=0}", NULL, "expected a size, 1 or more at column 17, found '0}'");
  bad("([i])->([i]) {i=99999999999999999999}", NULL,
      "expected a size, 1 or more at column 17, found '99999999999999999999'");
  bad("([ii])->([i])", NULL,
      "expected each factor once in a tensor at column 5, found '])->([i])'");
  bad("([i, i])->([i])", NULL,
      "expected each factor once in a tensor at column 7, found '])->([i])'");
  bad("([i])->([i]) reduction={i:avg}", NULL,
      "expected sum, max, min, mul, and, or or xor at column 27, found 'avg}'");
  bad("([i])->([i]) x", NULL,
      "expected the end, {i=4, …}, or reduction={…} and kin at column 14, found 'x'");
  bad("([z_12345678901])->()", NULL,
      "expected a shorter name at column 3, found 'z_12345678901])->()'");
}

static void test_misfits(void **state) {
  (void)state;
  bad("([i])->([i])", "4,4->4", "the rule is for 1 operands and 1 results, the op has 2 and 1");
  bad("([i])->([i])", "4x2->4", "the rule gives operand 0 1 dimensions, it has 2");
  bad("([i])->([i])", "4->5",
      "dimension 0 of result 0 has the size 5, its factors make 4 (a factor of several sizes is "
      "permutation or need_replication)");
  bad("([ij])->([i])", "12->5",
      "dimension 0 of operand 0 has the size 12, which 5 does not divide");
  // A factor of size 1 beside others is left out of a dimension, and excuses nothing there.
  bad("([ij])->([i, j]) need_replication={j}", "12->0x1",
      "dimension 0 of operand 0 has the size 12, its factors make 0 (a factor of several sizes is "
      "permutation or need_replication)");
  bad("([ij])->()", "12->", "the rule is for 1 operands and 0 results, the op has 1 and 1");
  bad("([ij])->([])", "12->", "the size of factor i follows from no dimension: give it, {i=…}");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_good), cmocka_unit_test(test_bad_text),
                                     cmocka_unit_test(test_misfits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
