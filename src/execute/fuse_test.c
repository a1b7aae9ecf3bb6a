// Fused loops against the evaluator: programs run op by op, with the loops' kernels in place of
// their ops, tiles in random order, canaries around every buffer. Without functions whose last bits
// are free, and without float sums, results are equal bit for bit.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/sanitize.h"
#include "evaluate/step.h"
#include "execute/fuse.h"
#include "ops/infer.h"
#include "ops/sample.h"
#include "parse/parse.h"

enum { CANARY = 64 };

typedef struct Job {
  const char *text;
  double tolerance;                        // relative; 0: bits
  uint32_t expect_loops, expect_ops_left;  // UINT32_MAX: any
  uint64_t seed;
  Source source;
  Context *context;
  Program *program;
  Diag diag;
  LiteralHeap heap;
  Arena arena;
  uint32_t n_loops, n_left;
} Job;

static uint64_t next_random(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

// Values in about [-2, 2], all bits of integers below 7.
static Literal *random_literal(Job *job, Type type) {
  Literal *l = literal_new_typed(&job->heap, job->context, type);
  for (int64_t i = 0; i < l->count; i++) {
    uint64_t r = next_random(&job->seed);
    double x = (double)(int64_t)(r >> 11) / (double)(1ll << 51) - 2.0;
    bool is_float = dtype_is_float(l->dtype) || dtype_is_complex(l->dtype);
    literal_set(l, i, is_float ? scalar_c(x, -x / 2) : scalar_i((int64_t)(r % 13) - 6));
  }
  return l;
}

typedef struct Buffer {
  char *memory;
  size_t bytes;
} Buffer;

static void *guarded(Buffer *b, size_t bytes) {
  b->bytes = bytes;
  b->memory = aligned_alloc(64, ((bytes + 63) & ~(size_t)63) + 2 * CANARY);
  memset(b->memory, 0xA5, bytes + 2 * CANARY);
  return b->memory + CANARY;
}

static void check_canaries(const Buffer *b) {
  for (size_t i = 0; i < CANARY; i++) {
    assert_int_equal((unsigned char)b->memory[i], 0xA5);
    assert_int_equal((unsigned char)b->memory[CANARY + b->bytes + i], 0xA5);
  }
}

static void run_kernel(Job *job, const Kernel *k, void **buffers) {
  Buffer scratch;
  uint32_t *order = calloc(k->n_tiles, sizeof *order);
  for (uint32_t i = 0; i < k->n_tiles; i++) {
    uint32_t j = (uint32_t)(next_random(&job->seed) % (i + 1));
    order[i] = order[j];
    order[j] = i;
  }
  for (uint32_t i = 0; i < k->n_tiles; i++) {
    void *s = guarded(&scratch, k->scratch_bytes);
    k->run(k, buffers, order[i], s);
    check_canaries(&scratch);
    free(scratch.memory);
  }
  free(order);
  if (k->next) run_kernel(job, k->next, buffers);
}

static void run_loop(Job *job, const FusedLoop *loop, Literal **values) {
  Program *p = job->program;
  uint32_t n = loop->n_in + loop->n_out + 1;
  Buffer *memory = calloc(n, sizeof *memory);
  void **buffers = calloc(n, sizeof *buffers);
  for (uint32_t i = 0; i < loop->n_in; i++) {
    Literal *l = values[loop->in[i]];
    assert_non_null(l);
    size_t bytes = (size_t)l->count * (size_t)dtype_bytes(l->dtype);
    buffers[i] = guarded(&memory[i], bytes);
    memcpy(buffers[i], l->data, bytes);
  }
  for (uint32_t i = 0; i < loop->n_out; i++) {
    Literal *l = values[loop->out[i]] =
        literal_new_typed(&job->heap, job->context, value_type(p, loop->out[i]));
    uint32_t from = loop->kernel.in_place ? loop->kernel.in_place[i] : KERNEL_APART;
    uint32_t at = loop->n_in + i;
    if (from != KERNEL_APART && next_random(&job->seed) & 1) {
      buffers[at] = buffers[from];
    } else {
      buffers[at] = guarded(&memory[at], (size_t)l->count * (size_t)dtype_bytes(l->dtype));
    }
  }
  if (loop->kernel.temp_bytes) buffers[n - 1] = guarded(&memory[n - 1], loop->kernel.temp_bytes);
  run_kernel(job, &loop->kernel, buffers);
  for (uint32_t i = 0; i < loop->n_out; i++) {
    Literal *l = values[loop->out[i]];
    memcpy(l->data, buffers[loop->n_in + i], (size_t)l->count * (size_t)dtype_bytes(l->dtype));
  }
  for (uint32_t i = 0; i < loop->n_in; i++) {  // inputs stay, unless a result takes their place
    bool replaced = false;
    for (uint32_t k = 0; k < loop->n_out; k++) replaced |= buffers[loop->n_in + k] == buffers[i];
    if (!replaced) assert_memory_equal(buffers[i], values[loop->in[i]]->data, memory[i].bytes);
  }
  for (uint32_t i = 0; i < n; i++) {
    if (!memory[i].memory) continue;
    check_canaries(&memory[i]);
    free(memory[i].memory);
  }
  free(memory);
  free(buffers);
}

static void compare(const Job *job, const char *what, const Literal *got, const Literal *want) {
  assert_int_equal(got->count, want->count);
  for (int64_t i = 0; i < got->count; i++) {
    Scalar a = literal_get(got, i), b = literal_get(want, i);
    if (!dtype_is_float(got->dtype) && !dtype_is_complex(got->dtype)) {
      if (a.i != b.i)
        fail_msg("%s[%lld]: got %lld, want %lld\n%s", what, (long long)i, (long long)a.i,
                 (long long)b.i, job->text);
      continue;
    }
    for (int part = 0; part < (dtype_is_complex(got->dtype) ? 2 : 1); part++) {
      double x = part ? a.im : a.f, y = part ? b.im : b.f;
      if (x != x && y != y) continue;
      double scale = y < 0 ? -y : y, error = x > y ? x - y : y - x;
      bool same = memcmp(&x, &y, sizeof x) == 0;
      if (!same && !(job->tolerance > 0 && error <= job->tolerance * (scale + 1)))
        fail_msg("%s[%lld] of seed %llu: got %.17g, want %.17g\n%s", what, (long long)i,
                 (unsigned long long)job->seed, x, y, job->text ? job->text : "");
    }
  }
}

static const FusedLoop *loop_at(uint32_t n, const FusedLoop *loops, OpId op) {
  for (uint32_t i = 0; i < n; i++)
    if (loops[i].at == op) return &loops[i];
  return NULL;
}

static bool in_loop(uint32_t n, const FusedLoop *loops, OpId op) {
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < loops[i].n_ops; k++)
      if (loops[i].ops[k] == op) return true;
  return false;
}

// Runs the block op by op, with loops in place of their ops.
static Status *run_fused(Job *job, Stepper *stepper, BlockId block, bool tiles, Literal **got) {
  Program *p = job->program;
  uint32_t n_loops;
  FusedLoop *loops;
  fuse_block(&(FuseRequest){.program = p, .arena = &job->arena, .tiles = tiles}, block, &n_loops,
             &loops);
  job->n_loops = n_loops;
  job->n_left = 0;
  for (OpId op = block_at(p, block)->first; op; op = op_at(p, op)->next) {
    const Op *o = op_at(p, op);
    if (op_row(o->code)->traits & TRAIT_TERMINATOR) break;
    Literal *in[8], *out[4];
    const FusedLoop *loop = loop_at(n_loops, loops, op);
    if (loop) run_loop(job, loop, got);
    if (in_loop(n_loops, loops, op)) continue;
    job->n_left++;
    for (uint32_t i = 0; i < o->n_operands; i++) {
      in[i] = got[op_operand(p, op, i)];
      if (!in[i]) fail_msg("operand %u of %s is not there yet\n%s", i, op_name(p, op), job->text);
    }
    TRY(stepper_run(stepper, 0, op, 0, NULL, in, out));
    for (uint32_t i = 0; i < o->n_results; i++) got[op_result(p, op, i)] = out[i];
  }
  return NULL;
}

// Runs the block as it is, on the tiles, and compiled if that is possible, and compares.
static Status *run_block(Job *job, OpId function, BlockId block) {
  Program *p = job->program;
  Stepper *stepper;
  EvalReport report = {0};
  TRY(stepper_new(p, function, &(EvalOptions){0}, &job->heap, &job->arena, &report, &stepper));
  Literal **values[3];  // evaluated, tiles, compiled
  for (int k = 0; k < 3; k++) values[k] = ARENA_ARRAY(&job->arena, Literal *, p->values.count + 1);
  for (uint32_t i = 0; i < block_at(p, block)->n_args; i++) {
    ValueId v = block_arg(p, block, i);
    values[0][v] = values[1][v] = values[2][v] = random_literal(job, value_type(p, v));
  }
  for (OpId op = block_at(p, block)->first; op; op = op_at(p, op)->next) {
    const Op *o = op_at(p, op);
    if (op_row(o->code)->traits & TRAIT_TERMINATOR) break;
    Literal *in[8], *out[4];
    for (uint32_t i = 0; i < o->n_operands; i++) in[i] = values[0][op_operand(p, op, i)];
    TRY(stepper_run(stepper, 0, op, 0, NULL, in, out));
    for (uint32_t i = 0; i < o->n_results; i++) values[0][op_result(p, op, i)] = out[i];
  }
  TRY(run_fused(job, stepper, block, true, values[1]));
  TRY(run_fused(job, stepper, block, false, values[2]));
  Job exact = *job;
  exact.tolerance = 0;
  OpId end = block_at(p, block)->last;
  for (ValueId v = 1; v < p->values.count; v++) {
    bool returned = false;
    for (uint32_t i = 0; i < op_at(p, end)->n_operands; i++) returned |= op_operand(p, end, i) == v;
    if (returned) assert_non_null(values[1][v]);
    if (!values[1][v] || !values[2][v]) continue;
    compare(&exact, "engines", values[2][v], values[1][v]);
    if (job->tolerance >= 0) compare(job, "result", values[1][v], values[0][v]);
  }
  stepper_free(stepper);
  return NULL;
}

static Status *body(Guard *guard, void *arg) {
  Job *job = arg;
  job->source = (Source){.path = "test.mlir", .text = job->text, .size = strlen(job->text)};
  diag_init(&job->diag, guard, &job->source);
  literal_heap_init(&job->heap, guard, 0);
  arena_init(&job->arena, guard);
  job->context = context_new(guard);
  TRY(program_parse(job->context, guard, &job->source, 0, job->source.size, &(ParseOptions){0},
                    &job->diag, &job->program));
  if (!program_verify(job->program, &job->diag)) return diag_status(&job->diag);
  OpId function;
  TRY(evaluate_entry(job->program, NULL, &function));
  return run_block(job, function, region_block(job->program, op_region(job->program, function, 0)));
}

static void run(Job *job) {
  if (!job->seed) job->seed = 88172645463325252ull;
  Status *status = guard_run(body, job);
  if (status) fail_msg("%s", status_message(status));
  literal_heap_deinit(&job->heap);
  arena_deinit(&job->arena);
  program_free(job->program);
  context_free(job->context);
  diag_deinit(&job->diag);
}

#define F "func.func @main"
#define REDUCE(result, x, init, op, dims, type, to)                                                \
  "  " result " = stablehlo.reduce(" x " init: " init ") applies stablehlo." op                    \
  " across dimensions = " dims " : (tensor<" type ">, tensor<f32>) -> tensor<" to ">\n"
#define BCAST(result, x, dims, from, to)                                                           \
  "  " result " = stablehlo.broadcast_in_dim " x ", dims = " dims " : (tensor<" from               \
  ">) -> tensor<" to ">\n"

static const char softmax[] =
    F "(%x: tensor<64x1024xf32>) -> tensor<64x1024xf32> {\n"
      "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
      "  %n = stablehlo.constant dense<0xFF800000> : tensor<f32>\n" REDUCE(
          "%m", "%x", "%n", "maximum", "[1]", "64x1024xf32", "64xf32")
          BCAST("%mb", "%m", "[0]", "64xf32",
                "64x1024xf32") "  %s = stablehlo.subtract %x, %mb : tensor<64x1024xf32>\n"
                               "  %e = stablehlo.exponential %s : tensor<64x1024xf32>\n" REDUCE(
                                   "%t", "%e", "%z", "add", "[1]", "64x1024xf32", "64xf32")
                                   BCAST("%tb", "%t", "[0]", "64xf32",
                                         "64x1024xf32") "  %r = stablehlo.divide %e, %tb : "
                                                        "tensor<64x1024xf32>\n"
                                                        "  return %r : tensor<64x1024xf32>\n}\n";

static void test_softmax(void **state) {
  (void)state;
  Job job = {.text = softmax, .tolerance = 1e-6};
  run(&job);
  assert_int_equal(job.n_loops, 1);
  assert_int_equal(job.n_left, 0);
}

// Layer norm with gain and bias, residual in front, and the normalized value needed outside.
static const char layer_norm[] = F
    "(%a: tensor<4x33x768xf32>, %b: tensor<4x33x768xf32>, %g: tensor<768xf32>, %c: "
    "tensor<768xf32>) -> "
    "(tensor<4x33x768xf32>, tensor<4x33x768xf32>) {\n"
    "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %d = stablehlo.constant dense<768.0> : tensor<4x33x1xf32>\n"
    "  %eps = stablehlo.constant dense<1.0e-5> : tensor<4x33x1xf32>\n"
    "  %x = stablehlo.add %a, %b : tensor<4x33x768xf32>\n" REDUCE("%s", "%x", "%z", "add", "[2]", "4x33x768xf32", "4x33xf32") BCAST("%s1", "%s", "[0, 1]", "4x33xf32", "4x33x1xf32") "  %mean = stablehlo.divide %s1, %d : tensor<4x33x1xf32>\n" BCAST(
        "%mb", "%mean", "[0, 1, 2]", "4x33x1xf32",
        "4x33x768xf32") "  %y = stablehlo.subtract %x, %mb : tensor<4x33x768xf32>\n"
                        "  %q = stablehlo.multiply %y, %y : tensor<4x33x768xf32>\n" REDUCE(
                            "%v", "%q", "%z", "add", "[2]", "4x33x768xf32",
                            "4x33xf32") "  %v1 = stablehlo.reshape %v : (tensor<4x33xf32>) -> "
                                        "tensor<4x33x1xf32>\n"
                                        "  %var = stablehlo.divide %v1, %d : tensor<4x33x1xf32>\n"
                                        "  %ve = stablehlo.add %var, %eps : tensor<4x33x1xf32>\n"
                                        "  %rs = stablehlo.rsqrt %ve : tensor<4x33x1xf32>\n" BCAST(
                                            "%rb", "%rs", "[0, 1, 2]", "4x33x1xf32",
                                            "4x33x768xf32") "  %n = stablehlo.multiply %y, %rb : "
                                                            "tensor<4x33x768xf32>\n" BCAST(
                                                                "%gb", "%g", "[2]",
                                                                "768xf3"
                                                                "2",
                                                                "4x33x76"
                                                                "8xf32")
                                                                BCAST(
                                                                    "%cb", "%c", "[2]", "768xf32",
                                                                    "4x33x768xf32") "  %h = "
                                                                                    "stablehlo."
                                                                                    "multiply %n, "
                                                                                    "%gb : "
                                                                                    "tensor<"
                                                                                    "4x33x768xf32>"
                                                                                    "\n"
                                                                                    "  %r = "
                                                                                    "stablehlo.add "
                                                                                    "%h, %cb : "
                                                                                    "tensor<"
                                                                                    "4x33x768xf32>"
                                                                                    "\n"
                                                                                    "  return %r, "
                                                                                    "%x : "
                                                                                    "tensor<"
                                                                                    "4x33x768xf32>,"
                                                                                    " tensor<"
                                                                                    "4x33x768xf32>"
                                                                                    "\n}\n";

static void test_layer_norm(void **state) {
  (void)state;
  Job job = {.text = layer_norm, .tolerance = 1e-5};
  run(&job);
  assert_int_equal(job.n_loops, 1);
  assert_int_equal(job.n_left, 0);
}

// Three outputs from four inputs: one loop, exact.
static const char adam[] =
    F "(%p: tensor<300x70xf32>, %m: tensor<300x70xf32>, %v: tensor<300x70xf32>, %g: "
      "tensor<300x70xf32>) -> "
      "(tensor<300x70xf32>, tensor<300x70xf32>, tensor<300x70xf32>) {\n"
      "  %b1 = stablehlo.constant dense<0.9> : tensor<300x70xf32>\n"
      "  %c1 = stablehlo.constant dense<0.1> : tensor<300x70xf32>\n"
      "  %eps = stablehlo.constant dense<1.0e-8> : tensor<f32>\n" BCAST(
          "%e", "%eps", "[]", "f32",
          "300x70xf32") "  %0 = stablehlo.multiply %b1, %m : tensor<300x70xf32>\n"
                        "  %1 = stablehlo.multiply %c1, %g : tensor<300x70xf32>\n"
                        "  %m2 = stablehlo.add %0, %1 : tensor<300x70xf32>\n"
                        "  %2 = stablehlo.multiply %g, %g : tensor<300x70xf32>\n"
                        "  %3 = stablehlo.multiply %c1, %2 : tensor<300x70xf32>\n"
                        "  %4 = stablehlo.multiply %b1, %v : tensor<300x70xf32>\n"
                        "  %5 = stablehlo.add %3, %4 : tensor<300x70xf32>\n"
                        "  %v2 = stablehlo.abs %5 : tensor<300x70xf32>\n"
                        "  %6 = stablehlo.sqrt %v2 : tensor<300x70xf32>\n"
                        "  %7 = stablehlo.add %6, %e : tensor<300x70xf32>\n"
                        "  %8 = stablehlo.divide %m2, %7 : tensor<300x70xf32>\n"
                        "  %p2 = stablehlo.subtract %p, %8 : tensor<300x70xf32>\n"
                        "  return %p2, %m2, %v2 : tensor<300x70xf32>, tensor<300x70xf32>, "
                        "tensor<300x70xf32>\n}\n";

static void test_adam(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed < 9; seed++) {  // with and without buffers in place
    Job job = {.text = adam, .seed = seed * 7919};
    run(&job);
    assert_int_equal(job.n_loops, 1);
    assert_int_equal(job.n_left, 0);
  }
}

// Gelu by tanh in bf16: every op rounds.
static const char gelu[] = F "(%x: tensor<77x513xbf16>) -> tensor<77x513xbf16> {\n"
                             "  %c = stablehlo.constant dense<4.467770e-02> : tensor<77x513xbf16>\n"
                             "  %k = stablehlo.constant dense<7.968750e-01> : tensor<77x513xbf16>\n"
                             "  %one = stablehlo.constant dense<1.0> : tensor<77x513xbf16>\n"
                             "  %half = stablehlo.constant dense<0.5> : tensor<77x513xbf16>\n"
                             "  %0 = stablehlo.multiply %x, %x : tensor<77x513xbf16>\n"
                             "  %1 = stablehlo.multiply %0, %x : tensor<77x513xbf16>\n"
                             "  %2 = stablehlo.multiply %1, %c : tensor<77x513xbf16>\n"
                             "  %3 = stablehlo.add %x, %2 : tensor<77x513xbf16>\n"
                             "  %4 = stablehlo.multiply %3, %k : tensor<77x513xbf16>\n"
                             "  %5 = stablehlo.tanh %4 : tensor<77x513xbf16>\n"
                             "  %6 = stablehlo.add %5, %one : tensor<77x513xbf16>\n"
                             "  %7 = stablehlo.multiply %6, %half : tensor<77x513xbf16>\n"
                             "  %8 = stablehlo.multiply %7, %x : tensor<77x513xbf16>\n"
                             "  return %8 : tensor<77x513xbf16>\n}\n";

static void test_gelu(void **state) {
  (void)state;
  Job job = {.text = gelu};
  run(&job);
  assert_int_equal(job.n_loops, 1);
}

// Column sums (bias gradient) with the producer stored too, and the maximum of columns.
static const char columns[] =
    F "(%x: tensor<5x200x96xf32>, %y: tensor<5x200x96xf32>) -> (tensor<96xf32>, tensor<5x96xf32>, "
      "tensor<5x200x96xf32>) {\n"
      "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
      "  %d = stablehlo.multiply %x, %y : tensor<5x200x96xf32>\n" REDUCE(
          "%b", "%d", "%z", "add", "[0, 1]", "5x200x96xf32", "96xf32")
          REDUCE("%m", "%x", "%z", "maximum", "[1]", "5x200x96xf32",
                 "5x96xf32") "  return %b, %m, %d : tensor<96xf32>, tensor<5x96xf32>, "
                             "tensor<5x200x96xf32>\n}\n";

static void test_columns(void **state) {
  (void)state;
  Job job = {.text = columns, .tolerance = 1e-5};
  run(&job);
  assert_int_equal(job.n_loops, 2);
}

// Reductions of everything, long and short, of middle and outer dimensions, of all kinds of types.
static const char reductions[] = F
    "(%x: tensor<600x500xf32>, %y: tensor<6x10x7x30xf32>) -> (tensor<f32>, tensor<f32>, "
    "tensor<10xf32>, "
    "tensor<10xf32>, tensor<6x7xf32>) {\n"
    "  %z = stablehlo.constant dense<0.5> : tensor<f32>\n"
    "  %q = stablehlo.multiply %x, %x : tensor<600x500xf32>\n" REDUCE(
        "%a", "%q", "%z", "add", "[0, 1]", "600x500xf32", "f32")
        REDUCE("%b", "%y", "%z", "minimum", "[0, 1, 2, 3]", "6x10x7x30xf32", "f32") REDUCE(
            "%c", "%y", "%z", "add", "[0, 2, 3]", "6x10x7x30xf32",
            "10xf32") "  %t = stablehlo.transpose %y, dims = [2, 1, 0, 3] : "
                      "(tensor<6x10x7x30xf32>) -> tensor<7x10x6x30xf32>\n" REDUCE(
                          "%e", "%t", "%z", "add", "[0, 2, 3]", "7x10x6x30xf32", "10xf32")
                          REDUCE(
                              "%f", "%y", "%z", "add", "[1, 3]", "6x10x7x30xf32",
                              "6x7xf32") "  return %a, %b, %c, %e, %f : tensor<f32>, tensor<f32>, "
                                         "tensor<10xf32>, tensor<10xf32>, tensor<6x7xf32>\n}\n";

static void test_reductions(void **state) {
  (void)state;
  Job job = {.text = reductions, .tolerance = 2e-5};
  run(&job);
  assert_int_equal(job.n_left, 0);
}

// Views: slices, reversals, transposes that keep the last dimension, reshapes that split.
static const char views[] = F
    "(%x: tensor<8x6x40xf32>, %y: tensor<12x40xf32>, %k: tensor<48x40xi32>) -> "
    "(tensor<6x4x40xf32>, tensor<6x4x20xf32>) {\n"
    "  %t = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<8x6x40xf32>) -> tensor<6x8x40xf32>\n"
    "  %s = stablehlo.slice %t [0:6, 1:8:2, 0:40] : (tensor<6x8x40xf32>) -> tensor<6x4x40xf32>\n"
    "  %r = stablehlo.reverse %s, dims = [1] : tensor<6x4x40xf32>\n"
    "  %q = stablehlo.reshape %y : (tensor<12x40xf32>) -> tensor<6x2x40xf32>\n"
    "  %u = stablehlo.slice %q [0:6, 1:2, 0:40] : (tensor<6x2x40xf32>) -> "
    "tensor<6x1x40xf32>\n" BCAST(
        "%ub", "%u", "[0, 1, 2]", "6x1x40xf32",
        "6x4x40xf32") "  %i = stablehlo.iota dim = 1 : tensor<6x4x40xi32>\n"
                      "  %f = stablehlo.convert %i : (tensor<6x4x40xi32>) -> tensor<6x4x40xf32>\n"
                      "  %0 = stablehlo.add %r, %ub : tensor<6x4x40xf32>\n"
                      "  %1 = stablehlo.multiply %0, %f : tensor<6x4x40xf32>\n"
                      "  %w = stablehlo.slice %1 [0:6, 0:4, 20:40] : (tensor<6x4x40xf32>) -> "
                      "tensor<6x4x20xf32>\n"
                      "  %2 = stablehlo.negate %w : tensor<6x4x20xf32>\n"
                      "  return %1, %2 : tensor<6x4x40xf32>, tensor<6x4x20xf32>\n}\n";

static void test_views(void **state) {
  (void)state;
  Job job = {.text = views};
  run(&job);
  assert_int_equal(job.n_left, 0);
}

// Scalars, an op between two of them that stays, uses before and after it.
static const char scalars[] =
    F "(%i: tensor<i32>, %x: tensor<4x4xf32>) -> (tensor<i32>, tensor<i1>, tensor<4x4xf32>) {\n"
      "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
      "  %n = stablehlo.constant dense<10> : tensor<i32>\n"
      "  %j = stablehlo.add %i, %one : tensor<i32>\n"
      "  %c = stablehlo.compare LT, %j, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "  %a = stablehlo.tanh %x : tensor<4x4xf32>\n"
      "  %d = stablehlo.dot_general %a, %x, contracting_dims = [1] x [0] : (tensor<4x4xf32>, "
      "tensor<4x4xf32>) -> tensor<4x4xf32>\n"
      "  %b = stablehlo.add %a, %d : tensor<4x4xf32>\n"
      "  %s = stablehlo.select %c, %a, %b : (tensor<i1>, tensor<4x4xf32>, tensor<4x4xf32>) -> "
      "tensor<4x4xf32>\n"
      "  return %j, %c, %s : tensor<i32>, tensor<i1>, tensor<4x4xf32>\n}\n";

static void test_scalars(void **state) {
  (void)state;
  Job job = {.text = scalars, .tolerance = 1e-6};
  run(&job);
  assert_int_equal(job.n_left, 1);
}

// ---- random programs ----

// Integers: sums wrap, so that every tree gives the same bits. Values have shapes of up to three
// dimensions; ops join, reduce, spread and view them in any order.
typedef struct Maker {
  char text[1 << 16];
  size_t n;
  uint64_t seed;
  const char *elem;  // i32, f32, bf16, f16
  uint32_t values;
  uint32_t rank[256];
  int64_t dims[256][3];
} Maker;

static void put(Maker *m, const char *format, ...) {
  va_list args;
  va_start(args, format);
  m->n += (size_t)vsnprintf(m->text + m->n, sizeof m->text - m->n, format, args);
  va_end(args);
}

static const char *shape_text(const Maker *m, uint32_t rank, const int64_t *dims, char *out) {
  size_t n = 0;
  out[0] = 0;
  for (uint32_t d = 0; d < rank; d++) n += (size_t)sprintf(out + n, "%lldx", (long long)dims[d]);
  strcpy(out + n, m->elem);
  return out;
}

static uint32_t any(Maker *m, uint32_t n) { return (uint32_t)(next_random(&m->seed) % n); }

static uint32_t new_value(Maker *m, uint32_t rank, const int64_t *dims) {
  m->rank[m->values] = rank;
  for (uint32_t d = 0; d < rank; d++) m->dims[m->values][d] = dims[d];
  return m->values++;
}

static uint32_t find_same(Maker *m, uint32_t v) {
  for (int tries = 0; tries < 20; tries++) {
    uint32_t w = any(m, m->values);
    if (m->rank[w] == m->rank[v] && !memcmp(m->dims[w], m->dims[v], m->rank[v] * sizeof(int64_t)))
      return w;
  }
  return v;
}

static void make_op(Maker *m) {
  static const char *const binary[] = {"add", "multiply", "maximum", "minimum", "subtract", "xor"};
  static const char *const combine[] = {"add", "maximum", "or"};
  char a[64], b[64];
  uint32_t v = any(m, m->values), rank = m->rank[v], w = find_same(m, v);
  int64_t dims[3];
  memcpy(dims, m->dims[v], sizeof dims);
  shape_text(m, rank, dims, a);
  static const char *const unary[] = {"exponential",  "tanh",  "logistic", "negate", "abs",
                                      "log_plus_one", "floor", "sign",     "cosine", "cbrt"};
  bool floats = m->elem[0] != 'i';
  switch (any(m, 9)) {
  case 0:
    if (floats) {
      put(m, "  %%%u = stablehlo.%s %%%u : tensor<%s>\n", m->values, unary[any(m, 10)], v, a);
      new_value(m, rank, dims);
      return;
    }
    // fall through
  case 1:
  case 2:
    put(m, "  %%%u = stablehlo.%s %%%u, %%%u : tensor<%s>\n", m->values,
        binary[any(m, floats ? 5 : 6)], v, w, a);
    new_value(m, rank, dims);
    return;
  case 3: {  // reduce
    if (!rank) return;
    uint32_t set = 1 + any(m, (1u << rank) - 1), kept = 0, from = m->values;
    char list[32] = "";
    for (uint32_t d = 0; d < rank; d++)
      if (set >> d & 1)
        sprintf(list + strlen(list), "%s%u", list[0] ? ", " : "", d);
      else
        dims[kept++] = dims[d];
    shape_text(m, kept, dims, b);
    put(m,
        "  %%%u = stablehlo.reduce(%%%u init: %%c) applies stablehlo.%s across dimensions = [%s] : "
        "(tensor<%s>, tensor<%s>) -> tensor<%s>\n",
        from, v, combine[any(m, floats ? 2 : 3)], list, a, m->elem, b);
    new_value(m, kept, dims);
    return;
  }
  case 4:
  case 5: {  // spread to the shape of a larger value
    for (int tries = 0; tries < 20; tries++) {
      uint32_t t = any(m, m->values), k = 0;
      char list[32] = "";
      for (uint32_t d = 0; d < m->rank[t] && k < rank; d++)
        if (m->dims[t][d] == dims[k] || dims[k] == 1)
          sprintf(list + strlen(list), "%s%u", k++ ? ", " : "", d);
      if (k < rank || m->rank[t] <= rank) continue;
      shape_text(m, m->rank[t], m->dims[t], b);
      put(m, "  %%%u = stablehlo.broadcast_in_dim %%%u, dims = [%s] : (tensor<%s>) -> tensor<%s>\n",
          m->values, v, list, a, b);
      new_value(m, m->rank[t], m->dims[t]);
      return;
    }
    return;
  }
  case 6: {  // transpose
    if (rank < 2) return;
    uint32_t d = any(m, rank - 1);
    int64_t swap = dims[d];
    dims[d] = dims[d + 1];
    dims[d + 1] = swap;
    shape_text(m, rank, dims, b);
    put(m, "  %%%u = stablehlo.transpose %%%u, dims = [", m->values, v);
    for (uint32_t k = 0; k < rank; k++)
      put(m, "%s%u", k ? ", " : "", k == d ? d + 1 : k == d + 1 ? d : k);
    put(m, "] : (tensor<%s>) -> tensor<%s>\n", a, b);
    new_value(m, rank, dims);
    return;
  }
  case 7: {  // insert a dimension of size 1, or split one
    if (rank > 2) return;
    uint32_t d = any(m, rank + 1);
    int64_t more[3];
    bool split = d < rank && dims[d] % 2 == 0 && any(m, 2);
    for (uint32_t k = 0, j = 0; k < rank + 1; k++) more[k] = k == d ? 1 : dims[j++];
    if (split) more[d] = 2, more[d + 1] = dims[d] / 2;
    shape_text(m, rank + 1, more, b);
    put(m, "  %%%u = stablehlo.reshape %%%u : (tensor<%s>) -> tensor<%s>\n", m->values, v, a, b);
    new_value(m, rank + 1, more);
    return;
  }
  case 8: {  // drop half of a dimension, or reverse it
    if (!rank) return;
    uint32_t d = any(m, rank);
    if (any(m, 2) || dims[d] < 2) {
      put(m, "  %%%u = stablehlo.reverse %%%u, dims = [%u] : tensor<%s>\n", m->values, v, d, a);
    } else {
      put(m, "  %%%u = stablehlo.slice %%%u [", m->values, v);
      for (uint32_t k = 0; k < rank; k++)
        put(m, "%s%lld:%lld", k ? ", " : "", k == d ? 1ll : 0ll, (long long)dims[k]);
      dims[d]--;
      put(m, "] : (tensor<%s>) -> tensor<%s>\n", a, shape_text(m, rank, dims, b));
    }
    new_value(m, rank, dims);
    return;
  }
  default: return;
  }
}

static void make_program(Maker *m, uint32_t n_ops) {
  static const int64_t sizes[] = {1, 2, 3, 5, 8, 70, 600};
  int64_t common[3] = {sizes[any(m, 5)], sizes[any(m, 6)], sizes[1 + any(m, 6)]};
  char a[64];
  put(m, "func.func @main(");
  for (uint32_t i = 0; i < 4; i++) {
    uint32_t rank = i == 0 ? 3 : any(m, 4);
    put(m, "%s%%%u: tensor<%s>", i ? ", " : "", m->values,
        shape_text(m, rank, common + 3 - rank, a));
    new_value(m, rank, common + 3 - rank);
  }
  put(m, ") -> () {\n  %%c = stablehlo.constant dense<%s> : tensor<%s>\n",
      m->elem[0] == 'i' ? "3" : "0.5", m->elem);
  for (uint32_t i = 0; i < n_ops && m->values < 200; i++) make_op(m);
  uint32_t outs[6], n = 0;
  for (uint32_t i = 0; i < 5; i++) outs[n++] = any(m, m->values);
  outs[n++] = m->values - 1;
  char *from = strstr(m->text, "-> ()"), list[512] = "";
  for (uint32_t i = 0; i < n; i++)
    sprintf(list + strlen(list), "%stensor<%s>", i ? ", " : "",
            shape_text(m, m->rank[outs[i]], m->dims[outs[i]], a));
  size_t extra = strlen(list);
  memmove(from + 4 + extra, from + 4, m->n - (size_t)(from + 4 - m->text) + 1);
  memcpy(from + 4, list, extra);  // -> (list) {
  m->n += extra;
  put(m, "  return ");
  for (uint32_t i = 0; i < n; i++) put(m, "%s%%%u", i ? ", " : "", outs[i]);
  put(m, " : %s\n}\n", list);
}

static void test_random(void **state) {
  (void)state;
  static Maker m;
  const char *more = getenv("FUSE_SEEDS");
  uint64_t seeds = more ? strtoull(more, NULL, 10) : SANITIZE_ADDRESS || SANITIZE_THREAD ? 50 : 200;
  for (uint64_t seed = 1; seed <= seeds; seed++) {
    memset(&m, 0, sizeof m);
    m.seed = seed * 0x9E3779B97F4A7C15ull;
    static const char *const elems[] = {"i32", "i32", "f32", "bf16", "f16"};
    m.elem = elems[seed % 5];
    make_program(&m, 5 + (uint32_t)seed % 40);
    if (getenv("FUSE_DUMP")) {
      FILE *f = fopen(getenv("FUSE_DUMP"), "w");
      fputs(m.text, f);
      fclose(f);
    }
    Job job = {.text = m.text, .seed = m.seed | 1, .tolerance = m.elem[0] == 'i' ? 0 : -1};
    run(&job);
  }
}

// Every function on patterns of all bits: the engines give the same ones. Errors against exact
// values are tested in tensor/loop_test.c.
static void test_functions(void **state) {
  (void)state;
  static const char *const functions[] = {
      "stablehlo.exponential",
      "stablehlo.exponential_minus_one",
      "stablehlo.log",
      "stablehlo.log_plus_one",
      "stablehlo.tanh",
      "stablehlo.logistic",
      "stablehlo.rsqrt",
      "stablehlo.sqrt",
      "stablehlo.cbrt",
      "stablehlo.sine",
      "stablehlo.cosine",
      "stablehlo.tan",
      "chlo.asin",
      "chlo.acos",
      "chlo.atan",
      "chlo.sinh",
      "chlo.cosh",
      "chlo.asinh",
      "chlo.acosh",
      "chlo.atanh",
      "chlo.erf",
      "chlo.erfc",
      "stablehlo.power",
      "stablehlo.atan2",
      "stablehlo.round_nearest_afz",
  };
  for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
    bool binary = strstr(functions[f], "power") || strstr(functions[f], "atan2");
    bool chlo = functions[f][0] == 'c';
    char text[2048];
    snprintf(text, sizeof text,
             F "() -> tensor<9001xf32> {\n"
               "  %%i = stablehlo.iota dim = 0 : tensor<9001xui32>\n"
               "  %%a = stablehlo.constant dense<2654435761> : tensor<9001xui32>\n"
               "  %%b = stablehlo.constant dense<40503> : tensor<9001xui32>\n"
               "  %%j = stablehlo.multiply %%i, %%a : tensor<9001xui32>\n"
               "  %%k = stablehlo.multiply %%j, %%b : tensor<9001xui32>\n"
               "  %%x = stablehlo.bitcast_convert %%j : (tensor<9001xui32>) -> tensor<9001xf32>\n"
               "  %%y = stablehlo.bitcast_convert %%k : (tensor<9001xui32>) -> tensor<9001xf32>\n"
               "  %%r = %s %%x%s : tensor<9001xf32>%s\n"
               "  return %%r : tensor<9001xf32>\n}\n",
             functions[f], binary ? ", %y" : "", chlo ? " -> tensor<9001xf32>" : "");
    Job job = {.text = text, .tolerance = -1};
    run(&job);
    assert_int_equal(job.n_loops, 1);
  }
}

int main(void) {
  setenv("TESSERA_CACHE", "none", 0);  // compile, instead of loading what another build left
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_softmax), cmocka_unit_test(test_layer_norm),
      cmocka_unit_test(test_adam),    cmocka_unit_test(test_gelu),
      cmocka_unit_test(test_columns), cmocka_unit_test(test_reductions),
      cmocka_unit_test(test_views),   cmocka_unit_test(test_scalars),
      cmocka_unit_test(test_random),  cmocka_unit_test(test_functions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
