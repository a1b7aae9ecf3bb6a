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

typedef struct Drawn {
  char text[400000];
  size_t used;
  uint64_t seed;
  uint32_t layers, ops;
  bool backward, update, donate;
  // Results.
  Source source;
  Session session;
  Contraction small;
  Layers found;
  bool contracted;
  uint32_t keep;
} Drawn;

static uint32_t draw(Drawn *d, uint32_t n) {
  d->seed = d->seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(d->seed >> 33) % n;
}

static void put(Drawn *d, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(d->text + d->used, sizeof d->text - d->used, format, args);
  va_end(args);
  d->used += (size_t)n;
  assert_true(d->used < sizeof d->text);
}

#define M "tensor<8x8xf32>"
#define DOT(a, b) "contracting_dims = [" a "] x [" b "] : (" M ", " M ") -> " M "\n"

enum { MOST_OPS = 12 };

static void write_head(Drawn *d) {
  put(d, "func.func @main(%%x: " M);
  for (uint32_t i = 0; i < d->layers; i++) {
    put(d, ", %%w%u: " M, i);
    if (d->donate) put(d, " {tf.aliasing_output = %u : i32}", i + 1);
  }
  put(d, ") -> (" M);
  for (uint32_t i = 0; d->update && i < d->layers; i++) put(d, ", " M);
  put(d, ") {\n  %%h0 = stablehlo.tanh %%x : " M "\n");
}

// Each layer multiplies by its weight; some elementwise ops and a residual follow.
static void write_forward(Drawn *d) {
  static const char *const binary[] = {"add", "multiply", "subtract", "maximum"};
  static const char *const unary[] = {"tanh", "negate", "cosine", "abs"};
  uint32_t kind[MOST_OPS], other[MOST_OPS];
  for (uint32_t k = 0; k < d->ops; k++) kind[k] = draw(d, 8), other[k] = draw(d, k + 1);
  for (uint32_t i = 0; i < d->layers; i++) {
    put(d, "  %%f%u_0 = stablehlo.dot_general %%h%u, %%w%u, " DOT("1", "0"), i, i, i);
    for (uint32_t k = 0; k < d->ops; k++) {
      if (kind[k] < 4)
        put(d, "  %%f%u_%u = stablehlo.%s %%f%u_%u, %%f%u_%u : " M "\n", i, k + 1, binary[kind[k]],
            i, k, i, other[k]);
      else
        put(d, "  %%f%u_%u = stablehlo.%s %%f%u_%u : " M "\n", i, k + 1, unary[kind[k] - 4], i, k);
    }
    put(d, "  %%h%u = stablehlo.add %%h%u, %%f%u_%u : " M "\n", i + 1, i, i, d->ops);
  }
}

// Reads what each op of the layer made, the last layer first.
static void write_backward(Drawn *d) {
  put(d, "  %%g%u = stablehlo.sine %%h%u : " M "\n", d->layers, d->layers);
  for (uint32_t i = d->layers; i-- > 0;) {
    put(d, "  %%b%u_%u = stablehlo.multiply %%f%u_%u, %%g%u : " M "\n", i, d->ops, i, d->ops,
        i + 1);
    for (uint32_t k = d->ops; k-- > 0;)
      put(d, "  %%b%u_%u = stablehlo.multiply %%f%u_%u, %%b%u_%u : " M "\n", i, k, i, k, i, k + 1);
    put(d, "  %%d%u = stablehlo.dot_general %%h%u, %%b%u_0, " DOT("0", "0"), i, i, i);
    put(d, "  %%g%u = stablehlo.dot_general %%b%u_0, %%w%u, " DOT("1", "1"), i, i, i);
  }
}

static void write_program(Drawn *d) {
  d->used = 0;
  write_head(d);
  write_forward(d);
  if (d->backward) write_backward(d);
  for (uint32_t i = 0; d->update && i < d->layers; i++) {
    put(d, "  %%s%u = stablehlo.multiply %%d%u, %%d%u : " M "\n", i, i, i);
    put(d, "  %%t%u = stablehlo.negate %%s%u : " M "\n", i, i);
    put(d, "  %%u%u = stablehlo.tanh %%t%u : " M "\n", i, i);
    put(d, "  %%n%u = stablehlo.subtract %%w%u, %%u%u : " M "\n", i, i, i);
  }
  put(d, "  return %%%s%u", d->backward ? "g" : "h", d->backward ? 0 : d->layers);
  for (uint32_t i = 0; d->update && i < d->layers; i++) put(d, ", %%n%u", i);
  put(d, " : " M);
  for (uint32_t i = 0; d->update && i < d->layers; i++) put(d, ", " M);
  put(d, "\n}\n");
}

static Status *contract_body(Guard *guard, void *arg) {
  Drawn *d = arg;
  Session *s = &d->session;
  d->source = (Source){.path = "layers", .text = d->text, .size = d->used};
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
  write_program(d);
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
  for (uint32_t i = 1; d->donate && i < list->count; i++)
    assert_int_equal(
        attr_as_int(q->context, attr_get(q->context, list->items[i], "tf.aliasing_output"), -1), i);
}

static void check_layers(Drawn *d) {
  uint32_t runs = 1u + d->backward + d->update;
  assert_true(d->contracted);
  assert_true(d->found.n_runs <= runs);
  assert_null(program_check(d->small.program));
  check_maps(d);
  check_donated(d);
  // As many layers of weights are left as were kept, and those that are in no run.
  uint32_t n = function_n_arguments(d->small.program, d->small.entry) - 1;
  uint32_t outside = d->layers - (uint32_t)(d->found.end - d->found.first);
  if (d->found.n_runs == runs) assert_int_equal(n, d->keep + outside);
}

static Drawn drawn;  // large; each test fills it anew

static void test_random(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 60; i++) {
    memset(&drawn, 0, sizeof drawn);
    drawn.seed = i + 1;
    for (uint32_t k = 0; k < 4; k++) (void)draw(&drawn, 2);
    drawn.ops = 3 + draw(&drawn, MOST_OPS - 3);
    drawn.layers = 8 + draw(&drawn, 40);
    drawn.backward = draw(&drawn, 3) > 0;
    drawn.update = drawn.backward && draw(&drawn, 2);
    drawn.donate = drawn.update && draw(&drawn, 2);
    drawn.keep = 2 + draw(&drawn, 4);
    run(&drawn);
    check_layers(&drawn);
    release(&drawn);
  }
}

// The backward pass runs the other way; the update has the layers of the forward pass.
static void test_runs(void **state) {
  (void)state;
  memset(&drawn, 0, sizeof drawn);
  drawn.seed = 7, drawn.ops = 6, drawn.layers = 20, drawn.keep = 3;
  drawn.backward = drawn.update = drawn.donate = true;
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
  drawn.seed = 3, drawn.ops = 5, drawn.layers = 2, drawn.keep = 3;
  run(&drawn);
  assert_false(drawn.contracted);
  release(&drawn);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_runs),
                                     cmocka_unit_test(test_none)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
