// Fused loops beside triad (a = b + s * c), on one core: GB/s of arguments and results, for both
// engines. Usage: loops [ROWS COLUMNS]
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/guard.h"
#include "evaluate/evaluate.h"
#include "execute/fuse.h"
#include "ops/infer.h"
#include "parse/parse.h"

typedef struct Case {
  const char *name;
  const char *text;  // T is the matrix, R the rows, C the columns
} Case;

#define REDUCE(r, x, i, op, d, to)                                                                 \
  r " = stablehlo.reduce(" x " init: " i ") applies stablehlo." op " across dimensions = [" d      \
    "] : (tensor<T>, tensor<f32>) -> tensor<" to ">\n"
#define ROWS(r, x)                                                                                 \
  r " = stablehlo.broadcast_in_dim " x ", dims = [0] : (tensor<Rxf32>) -> tensor<T>\n"
#define COLUMNS(r, x)                                                                              \
  r " = stablehlo.broadcast_in_dim " x ", dims = [1] : (tensor<Cxf32>) -> tensor<T>\n"
#define OP2(r, op, x, y) r " = stablehlo." op " " x ", " y " : tensor<T>\n"
#define OP1(r, op, x) r " = stablehlo." op " " x " : tensor<T>\n"
#define CONSTANT(r, v) r " = stablehlo.constant dense<" v "> : tensor<T>\n"
#define ZERO "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"

static const Case cases[] = {
    {"triad", "func.func @main(%b: tensor<T>, %c: tensor<T>) -> tensor<T> {\n" CONSTANT("%s", "3.0")
                  OP2("%0", "multiply", "%s", "%c")
                      OP2("%1", "add", "%b", "%0") "return %1 : tensor<T>\n}\n"},
    {"softmax", "func.func @main(%x: tensor<T>) -> tensor<T> {\n" ZERO
                "%n = stablehlo.constant dense<0xFF800000> : tensor<f32>\n" REDUCE(
                    "%m", "%x", "%n", "maximum", "1", "Rxf32") ROWS("%mb", "%m")
                    OP2("%s", "subtract", "%x", "%mb") OP1("%e", "exponential", "%s")
                        REDUCE("%t", "%e", "%z", "add", "1", "Rxf32") ROWS("%tb", "%t")
                            OP2("%r", "divide", "%e", "%tb") "return %r : tensor<T>\n}\n"},
    {"layer norm",
     "func.func @main(%x: tensor<T>, %g: tensor<Cxf32>, %b: tensor<Cxf32>) -> tensor<T> {\n" ZERO
     "%d = stablehlo.constant dense<1024.0> : tensor<Rxf32>\n" REDUCE(
         "%s", "%x", "%z", "add", "1",
         "Rxf32") "%m = stablehlo.divide %s, %d : tensor<Rxf32>\n" ROWS("%mb", "%m")
         OP2("%y", "subtract", "%x", "%mb") OP2("%q", "multiply", "%y", "%y")
             REDUCE("%v", "%q", "%z", "add", "1",
                    "Rxf32") "%w = stablehlo.divide %v, %d : tensor<Rxf32>\n"
                             "%k = stablehlo.rsqrt %w : tensor<Rxf32>\n" ROWS("%kb", "%k")
                                 OP2("%n", "multiply", "%y", "%kb") COLUMNS("%gb", "%g")
                                     COLUMNS("%bb", "%b") OP2("%h", "multiply", "%n", "%gb") OP2(
                                         "%r", "add", "%h", "%bb") "return %r : tensor<T>\n}\n"},
    {"gelu (tanh)",
     "func.func @main(%x: tensor<T>) -> tensor<T> {\n" CONSTANT("%c", "0.044715")
         CONSTANT("%k", "0.797884583") CONSTANT("%one", "1.0") CONSTANT("%half", "0.5")
             OP2("%0", "multiply", "%x", "%x") OP2("%1", "multiply", "%0", "%x")
                 OP2("%2", "multiply", "%1", "%c") OP2("%3", "add", "%x", "%2")
                     OP2("%4", "multiply", "%3", "%k") OP1("%5", "tanh", "%4")
                         OP2("%6", "add", "%5", "%one") OP2("%7", "multiply", "%6", "%half")
                             OP2("%8", "multiply", "%7", "%x") "return %8 : tensor<T>\n}\n"},
    {"adam",
     "func.func @main(%p: tensor<T>, %m: tensor<T>, %v: tensor<T>, %g: tensor<T>) -> (tensor<T>, "
     "tensor<T>, tensor<T>) {\n" CONSTANT("%b1", "0.9") CONSTANT("%c1", "0.1") CONSTANT(
         "%e", "1.0e-8") OP2("%0", "multiply", "%b1", "%m") OP2("%1", "multiply", "%c1", "%g")
         OP2("%m2", "add", "%0", "%1") OP2("%2", "multiply", "%g", "%g")
             OP2("%3", "multiply", "%c1", "%2") OP2("%4", "multiply", "%b1", "%v")
                 OP2("%v2", "add", "%3", "%4") OP1("%6", "sqrt", "%v2") OP2("%7", "add", "%6", "%e")
                     OP2("%8", "divide", "%m2", "%7")
                         OP2("%p2", "subtract", "%p",
                             "%8") "return %p2, %m2, %v2 : tensor<T>, tensor<T>, tensor<T>\n}\n"},
    {"column sum", "func.func @main(%x: tensor<T>) -> tensor<Cxf32> {\n" ZERO REDUCE(
                       "%s", "%x", "%z", "add", "0", "Cxf32") "return %s : tensor<Cxf32>\n}\n"},
    {"full sum", "func.func @main(%x: tensor<T>) -> tensor<f32> {\n" ZERO REDUCE(
                     "%s", "%x", "%z", "add", "0, 1", "f32") "return %s : tensor<f32>\n}\n"},
};

typedef struct Job {
  const char *text;
  bool tiles;
  double gigabytes_per_second;
  uint32_t n_loops;
} Job;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);  // other processes do not count
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void run_kernel(const Kernel *k, void **buffers, void *scratch) {
  for (uint32_t t = 0; t < k->n_tiles; t++) k->run(k, buffers, t, scratch);
  if (k->next) run_kernel(k->next, buffers, scratch);
}

static void *take(size_t bytes, bool fill) {
  size_t rounded = (bytes + 4095) & ~(size_t)4095;
  float *p = aligned_alloc(4096, rounded ? rounded : 4096);
  for (size_t i = 0; fill && i < bytes / 4; i++) p[i] = (float)(i % 1000) * 0.004f - 2;
  return p;
}

static Status *body(Guard *guard, void *arg) {
  Job *job = arg;
  Source source = {.path = "bench", .text = job->text, .size = strlen(job->text)};
  Diag diag;
  Arena arena;
  Program *p;
  OpId function;
  diag_init(&diag, guard, &source);
  arena_init(&arena, guard);
  Context *context = context_new(guard);
  TRY(program_parse(context, guard, &source, 0, source.size, &(ParseOptions){0}, &diag, &p));
  if (!program_verify(p, &diag)) return diag_status(&diag);
  TRY(evaluate_entry(p, NULL, &function));
  FusedLoop *loops;
  fuse_block(&(FuseRequest){.program = p, .arena = &arena, .tiles = job->tiles},
             region_block(p, op_region(p, function, 0)), &job->n_loops, &loops);
  const FusedLoop *loop = &loops[0];
  void *buffers[16];
  double bytes = 0, best = 1e9;
  for (uint32_t i = 0; i < loop->n_in + loop->n_out; i++) {
    ValueId v = i < loop->n_in ? loop->in[i] : loop->out[i - loop->n_in];
    uint64_t size = evaluate_type_bytes(context, value_type(p, v));
    buffers[i] = take(size, true);
    bytes += (double)size;
  }
  buffers[loop->n_in + loop->n_out] = take(loop->kernel.temp_bytes, false);
  void *scratch = take(loop->kernel.scratch_bytes + (1 << 16), false);
  for (int k = 0; k < 15; k++) {
    double start = now();
    run_kernel(&loop->kernel, buffers, scratch);
    double seconds = now() - start;
    if (seconds < best) best = seconds;
  }
  job->gigabytes_per_second = bytes / best * 1e-9;
  for (uint32_t i = 0; i <= loop->n_in + loop->n_out; i++) free(buffers[i]);
  free(scratch);
  arena_deinit(&arena);
  program_free(p);
  context_free(context);
  diag_deinit(&diag);
  return NULL;
}

// Replaces T, R and C within types.
static char *expand(const char *text, const char *rows, const char *columns) {
  char *out = malloc(1 << 16), *o = out;
  for (const char *s = text; *s; s++) {
    bool type = s > text && s[-1] == '<' && (s[1] == '>' || s[1] == 'x');
    if (type && *s == 'T')
      o += sprintf(o, "%sx%sxf32", rows, columns);
    else if (type && (*s == 'R' || *s == 'C'))
      o += sprintf(o, "%s", *s == 'R' ? rows : columns);
    else
      *o++ = *s;
  }
  *o = 0;
  return out;
}

int main(int argc, char **argv) {
  const char *rows = argc > 2 ? argv[1] : "4096", *columns = argc > 2 ? argv[2] : "1024";
  printf("fused loops on f32 [%s, %s], one core, GB/s; compiled by %s\n", rows, columns,
         fuse_engine());
  printf("%-12s %8s %8s\n", "", "tiles", "compiled");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *text = expand(cases[i].text, rows, columns);
    Job tiles = {.text = text, .tiles = true}, compiled = {.text = text};
    Status *status = guard_run(body, &tiles);
    if (!status) status = guard_run(body, &compiled);
    if (status) {
      fprintf(stderr, "%s: %s\n", cases[i].name, status_message(status));
      return 1;
    }
    printf("%-12s %8.1f %8.1f%s\n", cases[i].name, tiles.gigabytes_per_second,
           compiled.gigabytes_per_second, compiled.n_loops > 1 ? "  (several loops)" : "");
    free(text);
  }
  return 0;
}
