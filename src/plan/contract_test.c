// Random layered programs, contracted: the result verifies, and everything that was dropped has a
// representative that is like it.
#include "plan/contract.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ops/functions.h"
#include "ops/infer.h"
#include "pipeline/compile.h"
#include "plan/layers_fixture.h"

typedef struct Drawn {
  LayeredText t;
  // Results.
  Source source;
  Session session;
  Contraction small;
  Layers found;
  bool contracted;
  uint32_t keep;
} Drawn;

static Status *contract_body(Guard *guard, void *arg) {
  Drawn *d = arg;
  Session *s = &d->session;
  d->source = (Source){.path = "layers", .text = d->t.text, .size = d->t.used};
  session_init(s, guard, &d->source, NULL);
  CompileRequest read = {.end = d->source.size, .stop_after = STAGE_VERIFY};
  Compiled compiled;
  TRY(compile(s, &read, &compiled));
  OpId entry = program_entries(s->program, &s->arena).v[0];
  layers_find(s->program, entry, &s->arena, &d->found);
  d->contracted = contract(s->program, entry, &d->found, d->keep, guard, &s->arena, &d->small);
  return NULL;
}

static void run(Drawn *d) {
  layered_write(&d->t);
  Status *status = guard_run(contract_body, d);
  if (status) fail_msg("%s", status_message(status));
}

static void release(Drawn *d) {
  contract_release(&d->small);
  session_deinit(&d->session);
}

// Each op of the whole program has one of the contracted program that is like it.
static void check_maps(const Drawn *d) {
  const Program *p = d->session.program, *q = d->small.program;
  const Contraction *c = &d->small;
  double times = 0;
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root)) {
    OpId as = c->ops[op];
    assert_true(as && as < q->ops.count);
    assert_int_equal(op_at(p, op)->code, op_at(q, as)->code);
    assert_int_equal(op_at(p, op)->n_results, op_at(q, as)->n_results);
    for (uint32_t i = 0; i < op_at(p, op)->n_results; i++)
      assert_int_equal(op_result_type(p, op, i), op_result_type(q, as, i));
    times++;
  }
  for (OpId op = q->root; op; op = op_walk_next(q, op, q->root)) {
    assert_int_equal(c->ops[c->origin[op]], op);
    times -= c->repeats[op].times > 1 ? c->repeats[op].times : 1;
  }
  assert_true(times == 0);  // nothing is counted twice, nothing is lost
  double arguments = 0, results = 0;
  for (uint32_t i = 0; i < function_n_arguments(q, c->entry); i++)
    arguments += c->argument_times[i];
  for (uint32_t i = 0; i < function_n_results(q, c->entry); i++) results += c->result_times[i];
  assert_true(arguments == c->n_arguments && results == c->n_results);
}

// A donated argument still names the result that gets its buffer: of the same layer.
static void check_donated(const Drawn *d) {
  const Program *q = d->small.program;
  const AttrInfo *list = attr_info(q->context, op_attr(q, d->small.entry, "arg_attrs"));
  for (uint32_t i = 1; d->t.donate && i < list->count; i++)
    assert_int_equal(
        attr_as_int(q->context, attr_get(q->context, list->items[i], "tf.aliasing_output"), -1), i);
}

static void check_layers(Drawn *d) {
  uint32_t runs = 1u + d->t.backward + d->t.update;
  assert_true(d->contracted);
  assert_true(d->found.n_runs <= runs);
  assert_null(program_check(d->small.program));
  check_maps(d);
  check_donated(d);
  // As many layers of weights are left as were kept, and those that are in no run.
  uint32_t n = function_n_arguments(d->small.program, d->small.entry) - 1;
  uint32_t outside = d->t.layers - (uint32_t)(d->found.end - d->found.first);
  if (d->found.n_runs == runs) assert_int_equal(n, d->keep + outside);
}

static Drawn drawn;  // large; each test fills it anew

static void test_random(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 60; i++) {
    memset(&drawn, 0, sizeof drawn);
    drawn.t.seed = i + 1;
    for (uint32_t k = 0; k < 4; k++) (void)layered_draw(&drawn.t, 2);
    drawn.t.ops = 3 + layered_draw(&drawn.t, MOST_OPS - 3);
    drawn.t.layers = 8 + layered_draw(&drawn.t, 40);
    drawn.t.backward = layered_draw(&drawn.t, 3) > 0;
    drawn.t.update = drawn.t.backward && layered_draw(&drawn.t, 2);
    drawn.t.donate = drawn.t.update && layered_draw(&drawn.t, 2);
    drawn.keep = 2 + layered_draw(&drawn.t, 4);
    run(&drawn);
    check_layers(&drawn);
    release(&drawn);
  }
}

// The backward pass runs the other way; the update has the layers of the forward pass.
static void test_runs(void **state) {
  (void)state;
  memset(&drawn, 0, sizeof drawn);
  drawn.t.seed = 7, drawn.t.ops = 6, drawn.t.layers = 20, drawn.keep = 3;
  drawn.t.backward = drawn.t.update = drawn.t.donate = true;
  run(&drawn);
  assert_int_equal(drawn.found.n_runs, 3);
  int steps = 0, update = 0;
  for (uint32_t i = 0; i < 3; i++) {
    const LayerRun *r = &drawn.found.runs[i];
    steps += r->step;
    if (r->period == 4) update = r->step;
  }
  const LayerRun *first = &drawn.found.runs[0];
  for (uint32_t i = 1; i < 3; i++)
    if (drawn.found.runs[i].begin < first->begin) first = &drawn.found.runs[i];
  assert_int_equal(update, first->step);  // forward
  assert_true(steps == 1 || steps == -1);
  check_layers(&drawn);
  release(&drawn);
}

// Layers that differ are not contracted, and few layers neither.
static void test_none(void **state) {
  (void)state;
  memset(&drawn, 0, sizeof drawn);
  drawn.t.seed = 3, drawn.t.ops = 5, drawn.t.layers = 2, drawn.keep = 3;
  run(&drawn);
  assert_false(drawn.contracted);
  release(&drawn);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_runs),
                                     cmocka_unit_test(test_none)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
