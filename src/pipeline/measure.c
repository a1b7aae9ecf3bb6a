// Problem: rates of this host for the cost model, in a few seconds, on a machine that others use
// too.
// Idea: small programs as text, compiled and run by the engine that runs users' programs, so that
// tiles, providers and hand-offs count as they do there. Each runs until its time is over, and the
// fastest run counts: noise only adds time. The links are solved for: their latency and bandwidth
// are those at which the cost model's formulas give the measured seconds.
// Invariant: inputs are written before the first run, since fresh pages all map to one page of
// zeros. Cost: MeasureOptions.seconds per row.
#include "pipeline/measure.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/pool.h"
#include "cost/collectives.h"
#include "execute/execute.h"
#include "ops/functions.h"
#include "ops/op.h"
#include "pipeline/compile.h"

enum { DEFAULT_DEVICES = 8, LEAST_RUNS = 3, SMALL_ELEMENTS = 256, MATRIX = 16 };

// ---- programs ----

// Writes the program and returns its amount of work.
typedef double (*ProgramWriter)(StrBuf *out, uint32_t size, uint32_t n_devices);

static double product(StrBuf *out, uint32_t n, const char *type) {
  strbuf_printf(out,
                "func.func @main(%%a: tensor<%ux%ux%s>, %%b: tensor<%ux%ux%s>) -> "
                "tensor<%ux%ux%s> {\n"
                "  %%0 = stablehlo.dot_general %%a, %%b, contracting_dims = [1] x [0] : "
                "(tensor<%ux%ux%s>, tensor<%ux%ux%s>) -> tensor<%ux%ux%s>\n"
                "  return %%0 : tensor<%ux%ux%s>\n}\n",
                n, n, type, n, n, type, n, n, type, n, n, type, n, n, type, n, n, type, n, n, type);
  return 2.0 * n * n * n;
}
static double product_f32(StrBuf *out, uint32_t n, uint32_t n_devices) {
  (void)n_devices;
  return product(out, n, "f32");
}
static double product_bf16(StrBuf *out, uint32_t n, uint32_t n_devices) {
  (void)n_devices;
  return product(out, n, "bf16");
}
static double product_f64(StrBuf *out, uint32_t n, uint32_t n_devices) {
  (void)n_devices;
  return product(out, n, "f64");
}

// A mix of cheap and expensive functions, as between the products of a model.
static double elementwise(StrBuf *out, uint32_t n, uint32_t n_devices) {
  static const char *const unary[] = {"tanh", "exponential", "negate"};
  static const char *const binary[] = {"multiply", "add", "subtract", "multiply", "divide"};
  enum { N_UNARY = 3, N_BINARY = 5 };
  (void)n_devices;
  strbuf_printf(out, "func.func @main(%%v0: tensor<%uxf32>) -> tensor<%uxf32> {\n", n, n);
  for (uint32_t i = 0; i < N_BINARY; i++)
    strbuf_printf(out, "  %%v%u = stablehlo.%s %%v%u, %%v0 : tensor<%uxf32>\n", i + 1, binary[i], i,
                  n);
  for (uint32_t i = 0; i < N_UNARY; i++)
    strbuf_printf(out, "  %%v%u = stablehlo.%s %%v%u : tensor<%uxf32>\n", N_BINARY + i + 1,
                  unary[i], N_BINARY + i, n);
  strbuf_printf(out, "  return %%v%u : tensor<%uxf32>\n}\n", N_BINARY + N_UNARY, n);
  return (double)(N_BINARY + N_UNARY) * n;
}

static double triad(StrBuf *out, uint32_t n, uint32_t n_devices) {
  (void)n_devices;
  strbuf_printf(out,
                "func.func @main(%%a: tensor<%uxf32>, %%b: tensor<%uxf32>) -> tensor<%uxf32> {\n"
                "  %%s = stablehlo.constant dense<3.0> : tensor<%uxf32>\n"
                "  %%0 = stablehlo.multiply %%b, %%s : tensor<%uxf32>\n"
                "  %%1 = stablehlo.add %%a, %%0 : tensor<%uxf32>\n"
                "  return %%1 : tensor<%uxf32>\n}\n",
                n, n, n, n, n, n, n);
  return 3.0 * sizeof(float) * n;
}

// Small products and fused loops in turn, each of which needs the one before.
static double chain(StrBuf *out, uint32_t n, uint32_t n_devices) {
  (void)n_devices;
  strbuf_printf(out, "func.func @main(%%v0: tensor<%ux%uxf32>) -> tensor<%ux%uxf32> {\n", MATRIX,
                MATRIX, MATRIX, MATRIX);
  for (uint32_t i = 0; i < n; i += 2)
    strbuf_printf(out,
                  "  %%v%u = stablehlo.dot_general %%v%u, %%v0, contracting_dims = [1] x [0] : "
                  "(tensor<%ux%uxf32>, tensor<%ux%uxf32>) -> tensor<%ux%uxf32>\n"
                  "  %%v%u = stablehlo.multiply %%v%u, %%v0 : tensor<%ux%uxf32>\n",
                  i + 1, i, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, i + 2, i + 1, MATRIX,
                  MATRIX);
  strbuf_printf(out, "  return %%v%u : tensor<%ux%uxf32>\n}\n", n, MATRIX, MATRIX);
  return n;
}

static double call(StrBuf *out, uint32_t n, uint32_t n_devices) {
  (void)n_devices;
  strbuf_printf(out,
                "func.func @main(%%a: tensor<%uxf32>) -> tensor<%uxf32> {\n"
                "  %%0 = stablehlo.add %%a, %%a : tensor<%uxf32>\n"
                "  return %%0 : tensor<%uxf32>\n}\n",
                n, n, n, n);
  return 1;
}

// "replica_groups = dense<[[0, 1, …]]> : tensor<1xNxi64>" and the channel.
static void put_group(StrBuf *out, uint32_t n) {
  strbuf_puts(out, "replica_groups = dense<[[");
  for (uint32_t i = 0; i < n; i++) strbuf_printf(out, "%s%u", i ? ", " : "", i);
  strbuf_printf(out,
                "]]> : tensor<1x%uxi64>, channel_handle = #stablehlo.channel_handle<handle = 1, "
                "type = 1>",
                n);
}

static void put_sum(StrBuf *out) {
  strbuf_puts(out, "({\n  ^bb0(%l: tensor<f32>, %r: tensor<f32>):\n"
                   "    %s = stablehlo.add %l, %r : tensor<f32>\n"
                   "    stablehlo.return %s : tensor<f32>\n  })");
}

static void put_reduce(StrBuf *out, uint32_t from, uint32_t elements, uint32_t n_devices) {
  strbuf_printf(out, "  %%v%u = \"stablehlo.all_reduce\"(%%v%u) <{", from + 1, from);
  put_group(out, n_devices);
  strbuf_puts(out, ", use_global_device_ids}> ");
  put_sum(out);
  strbuf_printf(out, " : (tensor<%uxf32>) -> tensor<%uxf32>\n", elements, elements);
}

static void open_local(StrBuf *out, uint32_t in, uint32_t result) {
  strbuf_printf(out, "func.func @main(%%v0: tensor<%uxf32>) -> tensor<%uxf32> {\n", in, result);
}

static double small_reduces(StrBuf *out, uint32_t n, uint32_t n_devices) {
  open_local(out, SMALL_ELEMENTS, SMALL_ELEMENTS);
  for (uint32_t i = 0; i < n; i++) put_reduce(out, i, SMALL_ELEMENTS, n_devices);
  strbuf_printf(out, "  return %%v%u : tensor<%uxf32>\n}\n", n, SMALL_ELEMENTS);
  return n;
}

static double all_reduce(StrBuf *out, uint32_t n, uint32_t n_devices) {
  open_local(out, n, n);
  put_reduce(out, 0, n, n_devices);
  strbuf_printf(out, "  return %%v1 : tensor<%uxf32>\n}\n", n);
  return collective_sent(OP_all_reduce, n_devices, sizeof(float) * n);
}

static double reduce_scatter(StrBuf *out, uint32_t n, uint32_t n_devices) {
  uint32_t part = n / n_devices, whole = part * n_devices;
  open_local(out, whole, part);
  strbuf_puts(out, "  %v1 = \"stablehlo.reduce_scatter\"(%v0) <{scatter_dimension = 0 : i64, ");
  put_group(out, n_devices);
  strbuf_puts(out, ", use_global_device_ids}> ");
  put_sum(out);
  strbuf_printf(out, " : (tensor<%uxf32>) -> tensor<%uxf32>\n  return %%v1 : tensor<%uxf32>\n}\n",
                whole, part, part);
  return collective_sent(OP_reduce_scatter, n_devices, sizeof(float) * whole);
}

static double all_gather(StrBuf *out, uint32_t n, uint32_t n_devices) {
  uint32_t part = n / n_devices, whole = part * n_devices;
  open_local(out, part, whole);
  strbuf_puts(out, "  %v1 = \"stablehlo.all_gather\"(%v0) <{all_gather_dim = 0 : i64, ");
  put_group(out, n_devices);
  strbuf_printf(out,
                ", use_global_device_ids}> : (tensor<%uxf32>) -> tensor<%uxf32>\n"
                "  return %%v1 : tensor<%uxf32>\n}\n",
                part, whole, whole);
  return collective_sent(OP_all_gather, n_devices, sizeof(float) * part);
}

static double all_to_all(StrBuf *out, uint32_t n, uint32_t n_devices) {
  uint32_t whole = n / n_devices * n_devices;
  open_local(out, whole, whole);
  strbuf_printf(out,
                "  %%v1 = \"stablehlo.all_to_all\"(%%v0) <{split_dimension = 0 : i64, "
                "concat_dimension = 0 : i64, split_count = %u : i64, ",
                n_devices);
  put_group(out, n_devices);
  strbuf_printf(out, "}> : (tensor<%uxf32>) -> tensor<%uxf32>\n  return %%v1 : tensor<%uxf32>\n}\n",
                whole, whole, whole);
  return collective_sent(OP_all_to_all, n_devices, sizeof(float) * whole);
}

// ---- rows ----

enum { DEVICES_ONE, DEVICES_ALL };

typedef struct MeasureRow {
  const char *name, *label;
  MeasureUnit unit;
  int devices;
  ProgramWriter write;
  uint32_t size;
} MeasureRow;

static const MeasureRow rows[MEASURE_COUNT] = {
#define MEASURE(name, label, unit, devices, program, size)                                         \
  {#name, label, MEASURED_##unit, DEVICES_##devices, program, size},
#include "pipeline/measures.def"
#undef MEASURE
};

// ---- runs ----

typedef struct MeasureJob {
  const MeasureRow *row;
  double most_seconds;
  bool cpu_time;
  Measured *out;
  Session session;
  Source source;
  StrBuf text;
  LiteralHeap heap;
  Arena arena;
  Executable *executable;
} MeasureJob;

// A small number in every type of the programs: 0x3c3c….
static Literal *make_argument(MeasureJob *job, Type type) {
  Literal *l = literal_new_typed(&job->heap, job->session.context, type);
  memset(l->data, 0x3c, (size_t)l->count * (size_t)dtype_bytes(l->dtype));
  return l;
}

// Seconds by the chosen clock. An instruction or a call is of one thread.
static double now(const MeasureJob *job) {
  if (!job->cpu_time) return clock_seconds();
  bool one_thread = job->row->unit == MEASURED_SECONDS && job->out->devices == 1;
  return one_thread ? clock_thread_seconds() : clock_process_seconds() / pool_cores();
}

static Status *run_often(MeasureJob *job, uint32_t n_args, Literal **args, uint32_t n_out,
                         Literal **out) {
  double begin = clock_seconds(), best = INFINITY;
  EvalReport report;
  for (uint32_t k = 0; k < LEAST_RUNS || clock_seconds() - begin < job->most_seconds; k++) {
    double start = now(job);
    TRY(executable_run(job->executable, n_args, args, n_out, out, &report));
    double seconds = now(job) - start;
    if (k && seconds < best) best = seconds;  // the first run touches fresh pages
  }
  job->out->seconds = best;
  return NULL;
}

static Status *measure_one(Guard *guard, void *arg) {
  MeasureJob *job = arg;
  Session *s = &job->session;
  uint32_t n = job->out->devices;
  arena_init(&job->arena, guard);
  literal_heap_init(&job->heap, guard, 0);
  strbuf_init(&job->text, guard);
  job->out->amount = job->row->write(&job->text, job->row->size, n);
  job->source = (Source){.path = job->row->name, .text = job->text.data, .size = job->text.used};
  session_init(s, guard, &job->source, NULL);
  Compiled compiled;
  TRY(compile(s, &(CompileRequest){.end = job->source.size, .stop_after = STAGE_VERIFY},
              &compiled));
  OpId function;
  TRY(evaluate_entry(s->program, NULL, &function));
  ExecuteOptions options = {.eval = {.replicas = 1, .partitions = n}};
  TRY(executable_new(s->program, function, &options, &job->heap, &job->arena, &job->executable));
  uint32_t n_args = evaluate_n_arguments(s->program, function);
  Literal **args = ARENA_ARRAY(&job->arena, Literal *, (size_t)n_args * n);
  Literal **out = ARENA_ARRAY(&job->arena, Literal *, n);
  for (uint32_t i = 0; i < n_args * n; i++)
    args[i] = make_argument(job, evaluate_argument_type(s->program, function, i % n_args));
  return run_often(job, n_args * n, args, n, out);
}

Status *measure_host(const MeasureOptions *options, const Progress *progress, Measured *out) {
  uint32_t devices = options->devices ? options->devices : DEFAULT_DEVICES;
  for (uint32_t i = 0; i < MEASURE_COUNT; i++) {
    const MeasureRow *row = &rows[i];
    out[i] = (Measured){.name = row->name,
                        .label = row->label,
                        .unit = row->unit,
                        .devices = row->devices == DEVICES_ALL ? devices : 1};
    if (progress) progress->tell(progress->user, row->label, i, MEASURE_COUNT);
    MeasureJob job = {.row = row,
                      .most_seconds = options->seconds > 0 ? options->seconds : 0.25,
                      .cpu_time = options->cpu_time,
                      .out = &out[i]};
    Status *status = guard_run(measure_one, &job);
    executable_free(job.executable);
    literal_heap_deinit(&job.heap);
    session_deinit(&job.session);
    strbuf_deinit(&job.text);
    arena_deinit(&job.arena);
    TRY(status);
  }
  return NULL;
}

double measured_value(const Measured *m) {
  return m->unit == MEASURED_SECONDS ? m->seconds / m->amount : m->amount / m->seconds;
}

// ---- the description ----

// The link between n devices on so many cores. A device sends its bytes at cores / n of the link's
// bandwidth, and a collective takes 1 + log2 n latencies, each n / cores times as long
// (cost/network.c).
static Link solve_link(const Measured *all, double cores) {
  static const MeasureId large[] = {MEASURE_all_reduce, MEASURE_reduce_scatter, MEASURE_all_gather,
                                    MEASURE_all_to_all};
  enum { N_LARGE = sizeof large / sizeof large[0] };
  const Measured *small = &all[MEASURE_small_reduce];
  double n = small->devices, each = measured_value(small), mean = 0;
  for (uint32_t i = 0; i < N_LARGE; i++) {
    const Measured *m = &all[large[i]];
    double transfer = fmax(m->seconds - each, 0.1 * m->seconds);
    mean += log(m->amount * n / cores / transfer) / (double)N_LARGE;
  }
  double latency = each * cores / n / (1 + log2(n));
  return (Link){
      .latency_seconds = latency, .gap_seconds = latency / 4, .bytes_per_second = exp(mean)};
}

void measured_machine(const Measured *all, const Host *host, Arena *arena, Machine *out) {
  double cores = host->cores;
  MachineLink *link = ARENA_NEW(arena, MachineLink);
  *link = (MachineLink){.link = solve_link(all, cores), .dimensions = 1};
  *out = (Machine){
      .name = "this_host",
      .source = arena_printf(arena,
                             "measured by tessera doctor on %s (%u cores): the compiled engine, "
                             "best of several runs; rates are of one core",
                             host->cpu, host->cores),
      .compute = {measured_value(&all[MEASURE_product_f32]) / cores,
                  measured_value(&all[MEASURE_triad]) / cores},
      .memory_bytes = (double)host->memory_bytes,
      .usable_memory = 0.92,
      .shared_cores = host->cores,
      .links = link,
      .n_links = 1};
  Rates *rates = &out->rates;
  *rates = rates_plain(&out->compute);
  rates->peak[RATE_f32] = out->compute.flops_per_second;
  rates->peak[RATE_bf16] = measured_value(&all[MEASURE_product_bf16]) / cores;
  rates->peak[RATE_f64] = measured_value(&all[MEASURE_product_f64]) / cores;
  rates->peak[RATE_vector] = measured_value(&all[MEASURE_elementwise]) / cores;
  rates->op_seconds = measured_value(&all[MEASURE_instruction]);
}
