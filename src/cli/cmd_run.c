// `tessera run`: evaluates a program on given or random data and prints or writes the results.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/annotations.h"
#include "cli/inputs.h"
#include "cli/progress.h"
#include "cli/run_ranks.h"
#include "evaluate/evaluate.h"
#include "evaluate/npy.h"
#include "evaluate/show.h"
#include "pipeline/engine.h"
#include "pipeline/partitioned.h"

enum { SHOWN_ELEMENTS = 1000, MOST_PROCESSES = 100000, MOST_WORKERS = 1024, MOST_RUNS = 1000000 };
#define NOT_GIVEN UINT64_MAX  // --replicas and --partitions

// Shapes of a partitioned program's arguments and results: global ones are sharded and joined here;
// local ones are passed as they are.
typedef enum ArgumentShapes { SHAPES_GLOBAL, SHAPES_LOCAL } ArgumentShapes;

typedef struct RunJob {
  const char *path, *engine_name, *entry, *outputs, *args, *probes, *plan;
  Str plan_text;
  TextList inputs;
  Engine engine;
  uint64_t seed, given_replicas, given_partitions, limit_gib, max_steps, workers, repeat;
  const char *device_memory_text, *trace;
  double device_memory;
  bool dense, all, json, local, stats;
  ScatterRule scatter;
  const Source *source;
  size_t begin, end;
  Session seg;
  Inputs arrays;
  Partitioned partitioned;
  ArgumentShapes shapes;
  uint32_t replicas, partitions;  // numbers of running processes
  uint32_t n_traced;              // programs
  LiteralHeap heap;
  Arena arena;
  StrBuf trace_text;
  Guard *guard;
  OpId function;
  int code;
  CliProgress progress;
  const PropagateRequest *annotations;  // NULL: the program runs as it is
  RunRanks ranks;
  bool agreed;  // all ranks have prepared the segment
} RunJob;

// ---- data ----

// splitmix64.
static uint64_t mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

// Element i of argument k depends on the seed, k and i only. Floats are in [-1, 1), integers in
// 0 … 7, or in 0 … 1 for narrow types.
static void fill_random(Literal *l, uint64_t seed, uint32_t k) {
  for (int64_t i = 0; i < l->count; i++) {
    uint64_t bits = mix(mix(mix(seed) + k) + (uint64_t)i), more = mix(bits);
    double x = (double)(bits >> 11) * 0x1p-52 - 1, y = (double)(more >> 11) * 0x1p-52 - 1;
    switch (dtype_kind(l->dtype)) {
    case KIND_FLOAT: literal_set(l, i, scalar_f(x)); break;
    case KIND_COMPLEX: literal_set(l, i, scalar_c(x, y)); break;
    case KIND_UINT: literal_set(l, i, scalar_u(bits % (dtype_width(l->dtype) < 3 ? 2 : 8))); break;
    default:
      literal_set(l, i, scalar_i((int64_t)(bits % (dtype_width(l->dtype) < 4 ? 2 : 8))));
      break;
    }
  }
}

static Status *random_argument(RunJob *job, Type type, uint32_t k, Literal **out) {
  const TypeInfo *info = type_info(job->seg.context, type);
  if (info->kind == TYPE_TOKEN) {
    *out = literal_token(&job->heap);
    return NULL;
  }
  if (info->kind != TYPE_TENSOR || !type_is_static(job->seg.context, type))
    FAIL(INVALID_ARGUMENT, "argument %u is %s: give it with --inputs", k,
         type_text(job->seg.context, type));
  *out = literal_new_typed(&job->heap, job->seg.context, type);
  fill_random(*out, job->seed, k);
  return NULL;
}

// ---- arguments ----

static Type argument_type(const RunJob *job, ArgumentShapes shapes, uint32_t k) {
  return shapes == SHAPES_GLOBAL && job->partitioned.n_devices
             ? job->partitioned.args[k].global
             : evaluate_argument_type(job->seg.program, job->function, k);
}

static bool all_fit(const RunJob *job, ArgumentShapes shapes, uint32_t n, Literal *const *args) {
  bool fit = true;
  for (uint32_t k = 0; k < n; k++)
    fit &= args[k]->kind != LITERAL_ARRAY ||
           shape_fits(job->seg.context, argument_type(job, shapes, k), args[k]);
  return fit;
}

// Names both shapes that fit: the global one, and the shard's.
static Status *wrong_shape(RunJob *job, uint32_t k, const char *what, const Literal *given) {
  Context *context = job->seg.context;
  Type found = type_tensor(context, given->elem, given->rank, given->dims, 0);
  Type type = argument_type(job, job->shapes, k), local = argument_type(job, SHAPES_LOCAL, k);
  if (type == local)
    FAIL(INVALID_ARGUMENT, "%s: holds %s, expected %s", what, type_text(context, found),
         type_text(context, type));
  FAIL(INVALID_ARGUMENT,
       "%s: holds %s, expected %s, or %s, its shard on each of the %u devices: either all "
       "arguments "
       "are global, or all are shards",
       what, type_text(context, found), type_text(context, type), type_text(context, local),
       job->partitioned.n_devices);
}

// The shapes of given values tell whether they are global or local; global if both fit.
static void choose_shapes(RunJob *job, uint32_t n, Literal *const *args) {
  if (job->shapes == SHAPES_GLOBAL && !all_fit(job, SHAPES_GLOBAL, n, args) &&
      all_fit(job, SHAPES_LOCAL, n, args))
    job->shapes = SHAPES_LOCAL;
}

// Checks that value k has its argument's shape; `what` describes the value in the message.
static Status *check_shape(RunJob *job, uint32_t k, const char *what, const Literal *given) {
  Type type = argument_type(job, job->shapes, k);
  if (given->kind != LITERAL_ARRAY || shape_fits(job->seg.context, type, given)) return NULL;
  return wrong_shape(job, k, what, given);
}

static Status *read_inputs(RunJob *job, uint32_t n, Literal **args) {
  TRY(inputs_open(&job->arrays, &job->inputs, job->seg.program, job->function, &job->arena));
  TRY(inputs_read(&job->arrays, &job->heap, n, args));
  choose_shapes(job, n, args);
  for (uint32_t k = 0; k < n; k++) TRY(check_shape(job, k, inputs_text(&job->arrays, k), args[k]));
  return NULL;
}

static Status *make_arguments(RunJob *job, uint32_t n, Literal **args) {
  if (job->inputs.count) return read_inputs(job, n, args);
  for (uint32_t k = 0; k < n; k++)
    TRY(random_argument(job, argument_type(job, job->shapes, k), k, &args[k]));
  if (n)
    fprintf(stderr,
            "tessera: no --inputs: %u argument%s of seeded random data (--seed=%" PRIu64 ")\n", n,
            n == 1 ? "" : "s", job->seed);
  return NULL;
}

// ---- results ----

static Status *show_value(RunJob *job, const char *name, const Literal *value) {
  StrBuf text;
  strbuf_init(&text, job->guard);
  GuardCleanup free_text = {.release = cli_release_text, .object = &text};
  guard_push(job->guard, &free_text);
  ShowOptions options = {.dense = job->dense, .most = job->all ? 0 : SHOWN_ELEMENTS};
  if (name) strbuf_printf(&text, "%%%s = ", name);
  literal_show(job->seg.context, value, &options, &text);
  bool good = cli_put(text.data, text.used);
  guard_pop(job->guard, &free_text);
  strbuf_deinit(&text);
  if (!good) job->code = EXIT_BAD;
  return NULL;
}

static void show_json(RunJob *job, uint32_t process, uint32_t result, const Literal *value) {
  StrBuf text, type;
  strbuf_init(&text, job->guard);
  GuardCleanup free_text = {.release = cli_release_text, .object = &text};
  guard_push(job->guard, &free_text);
  strbuf_init(&type, job->guard);
  GuardCleanup free_type = {.release = cli_release_text, .object = &type};
  guard_push(job->guard, &free_type);
  Json json = {.out = &text};
  literal_show_type(job->seg.context, value, &type);
  json_open(&json, '{');
  json_key(&json, "process");
  json_open(&json, '[');
  json_uint(&json, process / job->partitions);
  json_uint(&json, process % job->partitions);
  json_close(&json, ']');
  json_key(&json, "result");
  json_uint(&json, result);
  json_key(&json, "type");
  json_string(&json, type.data);
  json_key(&json, "value");
  literal_json(value, &json);
  json_close(&json, '}');
  json_newline(&json);
  if (!cli_put(text.data, text.used)) job->code = EXIT_BAD;
  guard_pop(job->guard, &free_type);
  strbuf_deinit(&type);
  guard_pop(job->guard, &free_text);
  strbuf_deinit(&text);
}

static Status *print_value(void *to, const char *name, Literal *value) {
  // Runs in whichever process prints: what is allocated here is that process's to unwind.
  RunJob *job = to;
  if (!run_ranks_prints(&job->ranks))
    FAIL(UNIMPLEMENTED,
         "a device of rank %u prints '%s', and only rank 0 has an output: run the "
         "program in one process",
         comm_rank(job->ranks.comm), name);
  Guard *before = job->guard;
  job->guard = job->heap.guard;
  cli_progress_clear(&job->progress);
  Status *status = show_value(job, *name ? name : "?", value);
  job->guard = before;
  return status;
}

// Writes the values of a probe to DIRECTORY/id_k.npy; characters unfit for file names become _.
static Status *write_probe(void *to, Str id, uint32_t k, Literal *value) {
  RunJob *job = to;
  char path[1024], name[256];
  size_t n = id.n < sizeof name - 1 ? id.n : sizeof name - 1;
  for (size_t i = 0; i < n; i++) {
    char c = id.s[i];
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                 c == '-' || c == '.';
    name[i] = plain ? c : '_';
  }
  name[n] = '\0';
  if ((size_t)snprintf(path, sizeof path, "%s/%s_%u.npy", job->probes, name, k) >= sizeof path)
    FAIL(INVALID_ARGUMENT, "the path %s/%s_%u.npy is too long", job->probes, name, k);
  StrBuf data;
  strbuf_init(&data, job->heap.guard);
  GuardCleanup free_data = {.release = cli_release_text, .object = &data};
  guard_push(job->heap.guard, &free_data);
  npy_write(value, &data);
  Status *status = file_write(path, data.data, data.used);
  guard_pop(job->heap.guard, &free_data);
  strbuf_deinit(&data);
  return status;
}

static bool ends_with(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n > m && strcmp(text + n - m, end) == 0;
}

static Status *write_outputs(RunJob *job, uint32_t n, uint32_t per_process, Literal **out) {
  const char **names = ARENA_ARRAY(&job->arena, const char *, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    if (out[i]->kind != LITERAL_ARRAY)
      FAIL(UNIMPLEMENTED, "result %u is no array and cannot be written", i);
    names[i] = n > per_process ? arena_printf(&job->arena, "process%u_result%u", i / per_process,
                                              i % per_process)
                               : arena_printf(&job->arena, "result%u", i);
  }
  StrBuf data;
  strbuf_init(&data, job->guard);
  GuardCleanup free_data = {.release = cli_release_text, .object = &data};
  guard_push(job->guard, &free_data);
  bool single = ends_with(job->outputs, ".npy");
  Status *status = NULL;
  if (single && n != 1)
    status = status_new(INVALID_ARGUMENT, __FILE__, __LINE__,
                        "%s holds one array, there are %u results: name it .npz", job->outputs, n);
  else if (single)
    npy_write(out[0], &data);
  else
    npz_write(n, names, out, &data);
  if (!status) status = file_write(job->outputs, data.data, data.used);
  guard_pop(job->guard, &free_data);
  strbuf_deinit(&data);
  return status;
}

// Reads --args: a list of dense constants.
static Status *read_args(RunJob *job, uint32_t n, Literal **args) {
  Attr list;
  Context *context = job->seg.context;
  Status *status = attr_parse_text(context, job->guard, job->args, &job->seg.diag, &list);
  const AttrInfo *info = attr_info(context, status ? 0 : list);
  status_free(status);
  if (info->kind != ATTR_ARRAY)
    FAIL(INVALID_ARGUMENT, "--args takes a list of constants: [dense<1> : tensor<2xi32>, …]");
  if (info->count != n)
    FAIL(INVALID_ARGUMENT, "--args gives %u values, the function takes %u", info->count, n);
  for (uint32_t i = 0; i < n; i++) {
    if (attr_info(context, info->items[i])->kind != ATTR_DENSE)
      FAIL(INVALID_ARGUMENT, "--args takes dense constants: [dense<1> : tensor<2xi32>, …]");
    args[i] = literal_from_dense(&job->heap, context, info->items[i]);
  }
  choose_shapes(job, n, args);
  for (uint32_t i = 0; i < n; i++)
    TRY(check_shape(job, i, arena_printf(&job->arena, "--args: value %u", i), args[i]));
  return NULL;
}

static void release_status(void *status) { status_free(status); }

// Shows a failure that has a position as a diagnostic: position, line and caret.
static Status *tell_failure(RunJob *job, Pos pos, Status *status) {
  if (pos == POS_NONE) return status;
  char prefix[512];
  uint32_t line, column;
  source_locate(job->source, pos, &line, &column);
  snprintf(prefix, sizeof prefix, "%s:%u:%u: ", job->source->path, line, column);
  size_t n = strlen(prefix);
  if (strncmp(status_message(status), prefix, n) != 0) return status;
  GuardCleanup cleanup = {release_status, status, NULL};
  guard_push(job->guard, &cleanup);
  diag_error(&job->seg.diag, pos, "%s", status_message(status) + n);
  cli_report(&job->seg, job->guard);
  guard_pop(job->guard, &cleanup);
  job->code = EXIT_BAD;
  status_free(status);
  return NULL;
}

// Number of processes: from the options, else from the partitioned program.
static Status *count_processes(RunJob *job, uint32_t *out_n) {
  bool given = job->given_replicas != NOT_GIVEN || job->given_partitions != NOT_GIVEN;
  uint64_t replicas = job->given_replicas != NOT_GIVEN ? job->given_replicas : 1;
  uint64_t partitions = job->given_partitions != NOT_GIVEN ? job->given_partitions : 1, n;
  if (!given && job->partitioned.n_devices)
    replicas = job->partitioned.replicas, partitions = job->partitioned.partitions;
  if (__builtin_mul_overflow(replicas, partitions, &n) || n == 0 || n > MOST_PROCESSES)
    FAIL(INVALID_ARGUMENT,
         "%s must be at least 1 and at most %d processes, not %" PRIu64 " x %" PRIu64,
         given ? "--replicas and --partitions" : "the devices of the program", MOST_PROCESSES,
         replicas, partitions);
  job->replicas = (uint32_t)replicas;
  job->partitions = (uint32_t)partitions;
  *out_n = (uint32_t)n;
  return NULL;
}

// Compares the memory needed with the limit before allocating.
static Status *check_memory(RunJob *job, uint32_t n) {
  const Program *p = job->seg.program;
  EvalNeed need;
  evaluate_need(p, job->function, n, &need);
  if (job->shapes == SHAPES_GLOBAL) {  // the global values, and their shards on all devices
    const Partitioned *parts = &job->partitioned;
    for (uint32_t k = 0; k < parts->n_args; k++) {
      if (!parts->args[k].sharding) continue;
      Type local = evaluate_argument_type(p, job->function, k);
      evaluate_need_add(&need.argument_bytes, evaluate_type_bytes(p->context, local), n - 1);
      evaluate_need_add(&need.argument_bytes,
                        evaluate_type_bytes(p->context, parts->args[k].global), 1);
    }
    for (uint32_t k = 0; k < parts->n_results; k++)
      if (parts->results[k].sharding)
        evaluate_need_add(&need.result_bytes,
                          evaluate_type_bytes(p->context, parts->results[k].global), 1);
  }
  Status *status = evaluate_check_need(&need, cli_gib(job->limit_gib), "--memory");
  if (!status) return NULL;
  Status *named = status_new(
      status_code(status), __FILE__, __LINE__, "@%s %s",
      name_text(p->context, attr_as_name(p->context, op_attr(p, job->function, "sym_name"))),
      status_message(status));
  status_free(status);
  return named;
}

// Arguments of each process: the same for all, or the shards of the global ones.
static Status *distribute_arguments(RunJob *job, uint32_t n, uint32_t n_args, Literal *const *given,
                                    Literal **args) {
  if (job->shapes == SHAPES_LOCAL) {
    for (size_t i = 0; i < (size_t)n_args * n; i++) args[i] = given[i % n_args];
    return NULL;
  }
  uint32_t first = 0, n_here = n;
  // Rank 0 may have to evaluate for all.
  if (!run_ranks_prints(&job->ranks))
    executable_block(n, comm_rank(job->ranks.comm), comm_size(job->ranks.comm), &first, &n_here);
  if (job->partitioned.n_devices != n)
    FAIL(
        INVALID_ARGUMENT,
        "the program is partitioned for %u devices, --replicas and --partitions are %u x %u: leave "
        "them away, or run it on arguments of one device (--local)",
        job->partitioned.n_devices, job->replicas, job->partitions);
  partitioned_shard(&job->partitioned, first, n_here, given, args);
  return NULL;
}

// Writes the results to the file or stdout: of n processes, or the global ones (n = 1).
static Status *put_results(RunJob *job, uint32_t n, uint32_t n_out, Literal **out) {
  if (job->outputs) return write_outputs(job, n_out * n, n_out, out);
  for (uint32_t i = 0; i < n_out * n && job->json; i++)
    show_json(job, i / n_out, i % n_out, out[i]);
  for (uint32_t i = 0; i < n_out * n && !job->json; i++) {
    if (n > 1 && i % n_out == 0)
      printf("// process (%u, %u)\n", i / n_out / job->partitions, i / n_out % job->partitions);
    TRY(show_value(job, NULL, out[i]));
  }
  return NULL;
}

// Joins the shards to global results. Replicated results that differ between devices are an error.
static Status *put_joined(RunJob *job, uint32_t n_out, Literal *const *shards) {
  const char *unequal;
  Literal **global = ARENA_ARRAY(&job->arena, Literal *, n_out + 1);
  partitioned_join(&job->partitioned, shards, &job->arena, global, &unequal);
  if (unequal) {
    cli_error("%s; --local shows what each device has", unequal);
    job->code = EXIT_NO;
  }
  return put_results(job, 1, n_out, global);
}

static void say_unsharded(const RunJob *job) {
  const Mesh *mesh = sharding_mesh(job->seg.table, job->seg.mesh);
  fprintf(stderr, "tessera: nothing is sharded: the program runs on 1 device%s\n",
          mesh && mesh->n_devices > 1 ? ". Annotate a value: --shard '0=P(\"AXIS\")'" : "");
}

// Makes the program local, as the plan or the annotations say. *out_good is false after messages
// about it.
static Status *make_local(RunJob *job, Guard *guard, bool *out_good) {
  *out_good = true;
  if (!job->plan && !job->annotations) return NULL;
  Session *s = &job->seg;
  CompileRequest request = {.plan = job->plan != NULL,
                            .plan_path = job->plan,
                            .local.decisions = job->plan_text,
                            .stop_after = STAGE_CHECK_LOCAL};
  if (job->annotations) request.annotations = *job->annotations;
  Compiled compiled;
  Status *status = compile(s, &request, &compiled);
  cli_progress_clear(&job->progress);
  if (status && !session_has_errors(s)) return status;
  cli_report(s, guard);  // also warnings
  if (!status && !job->plan && compiled.n_devices == 1) say_unsharded(job);
  *out_good = !status;
  if (status) job->code = EXIT_BAD;
  status_free(status);
  return NULL;
}

// Seconds of the fastest run. The first run is left out if there are others: it touches fresh
// pages.
static double fastest_seconds(const EngineReport *report) {
  double best = report->run_seconds[report->n_runs - 1];
  for (uint32_t i = report->n_runs > 1; i < report->n_runs; i++)
    if (report->run_seconds[i] < best) best = report->run_seconds[i];
  return best;
}

static void put_stats(const EngineReport *report) {
  if (report->uncompiled) fprintf(stderr, "evaluated, not compiled: %s\n", report->uncompiled);
  fprintf(stderr, "runs: %u, first %.6f s, fastest %.6f s\n", report->n_runs,
          report->run_seconds[0], fastest_seconds(report));
  if (!report->compiled) return;
  const ExecuteNeed *need = &report->need;
  fprintf(stderr,
          "compiled in %.3f s, instructions: %u (kernels: %u, collectives: %u, by eval: %u)\n",
          report->compile_seconds, need->n_instructions, need->n_kernels, need->n_collectives,
          need->n_eval);
  fprintf(stderr,
          "bytes of a device: arguments %" PRIu64 ", results %" PRIu64 ", constants %" PRIu64
          ", temporaries %" PRIu64 "\n",
          need->argument_bytes, need->result_bytes, need->constant_bytes, need->temporary_bytes);
  fprintf(stderr,
          "memory of the runs: %" PRIu64 " bytes predicted (results and temporaries of all "
          "devices), the process grew by %" PRIu64 "\n",
          report->predicted_bytes, report->grown_bytes);
  for (uint32_t i = 0; i < report->n_rows; i++) {
    const ExecuteRow *row = &report->rows[i];
    fprintf(stderr, "  %10.6f s %8" PRIu64 " x %4u  %s%s\n", row->seconds, row->n_runs,
            row->n_instructions, row->name, row->eval ? "  (eval)" : "");
  }
}

// All ranks must have the same value.
static uint64_t run_hash(const RunJob *job) {
  const Program *p = job->seg.program;
  uint64_t parts[] = {program_hash(p), job->seed,        job->replicas, job->partitions,
                      job->repeat,     job->engine,      job->shapes,   job->max_steps,
                      job->scatter,    job->inputs.count};
  uint64_t hash = 0;
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) hash = mix(hash ^ parts[i]);
  return hash;
}

static void put_need(const EngineReport *report, Json *json) {
  const ExecuteNeed *need = &report->need;
  json_key(json, "compile_seconds"), json_double(json, report->compile_seconds);
  json_key(json, "instructions"), json_uint(json, need->n_instructions);
  json_key(json, "kernels"), json_uint(json, need->n_kernels);
  json_key(json, "collectives"), json_uint(json, need->n_collectives);
  json_key(json, "by_eval"), json_uint(json, need->n_eval);
  json_key(json, "argument_bytes"), json_uint(json, need->argument_bytes);
  json_key(json, "result_bytes"), json_uint(json, need->result_bytes);
  json_key(json, "constant_bytes"), json_uint(json, need->constant_bytes);
  json_key(json, "temporary_bytes"), json_uint(json, need->temporary_bytes);
  json_key(json, "predicted_bytes"), json_uint(json, report->predicted_bytes);
  json_key(json, "grown_bytes"), json_uint(json, report->grown_bytes);
}

// The statistics as one line of JSON. On stderr, as the text: stdout has the results.
static void put_stats_json(RunJob *job, const EngineReport *report) {
  StrBuf text;
  strbuf_init(&text, job->guard);
  GuardCleanup free_text = {.release = cli_release_text, .object = &text};
  guard_push(job->guard, &free_text);
  Json json = {.out = &text};
  json_open(&json, '{');
  json_key(&json, "stats"), json_open(&json, '{');
  json_key(&json, "engine"), json_string(&json, report->compiled ? "compiled" : "eval");
  if (report->uncompiled) json_key(&json, "uncompiled"), json_string(&json, report->uncompiled);
  json_key(&json, "devices"), json_uint(&json, (uint64_t)job->replicas * job->partitions);
  json_key(&json, "run_seconds"), json_open(&json, '[');
  for (uint32_t i = 0; i < report->n_runs; i++) json_double(&json, report->run_seconds[i]);
  json_close(&json, ']');
  json_key(&json, "cpu_seconds"), json_open(&json, '[');
  for (uint32_t i = 0; i < report->n_runs; i++) json_double(&json, report->cpu_seconds[i]);
  json_close(&json, ']');
  json_key(&json, "fastest_seconds"), json_double(&json, fastest_seconds(report));
  if (report->compiled) put_need(report, &json);
  json_key(&json, "rows"), json_open(&json, '[');
  for (uint32_t i = 0; i < report->n_rows; i++) {
    const ExecuteRow *row = &report->rows[i];
    json_open(&json, '{');
    json_key(&json, "name"), json_string(&json, row->name);
    json_key(&json, "eval"), json_bool(&json, row->eval);
    json_key(&json, "instructions"), json_uint(&json, row->n_instructions);
    json_key(&json, "runs"), json_uint(&json, row->n_runs);
    json_key(&json, "seconds"), json_double(&json, row->seconds);
    json_close(&json, '}');
  }
  json_close(&json, ']');
  json_close(&json, '}');
  json_close(&json, '}');
  json_newline(&json);
  fwrite(text.data, 1, text.used, stderr);
  guard_pop(job->guard, &free_text);
  strbuf_deinit(&text);
}

// Says which options of the compiled engine had no effect on a program that was evaluated.
static Status *check_options_used(RunJob *job, const EngineReport *report) {
  if (!report->uncompiled) return NULL;
  if (job->device_memory > 0)
    fprintf(stderr, "tessera: --device-memory did not apply: evaluated, not compiled: %s\n",
            report->uncompiled);
  if (job->trace)
    FAIL(UNIMPLEMENTED, "%s is not written: evaluated, not compiled: %s", job->trace,
         report->uncompiled);
  return NULL;
}

// Reads or draws the arguments, and distributes them.
typedef struct Arguments {
  RunJob *job;
  uint32_t n, n_args;
  Literal **given, **args;
} Arguments;

static Status *prepare_arguments(void *user) {
  const Arguments *a = user;
  TRY(a->job->args ? read_args(a->job, a->n_args, a->given)
                   : make_arguments(a->job, a->n_args, a->given));
  return distribute_arguments(a->job, a->n, a->n_args, a->given, a->args);
}

// Load, find the entry, read or draw arguments, distribute, evaluate, print.
static Status *run_segment(Guard *guard, void *arg) {
  RunJob *job = arg;
  job->guard = guard;
  arena_init(&job->arena, guard);
  strbuf_init(&job->trace_text, guard);
  literal_heap_init(&job->heap, guard, cli_gib(job->limit_gib));
  cli_progress_use(&job->progress, guard);
  bool valid;
  TRY(cli_load(&job->seg, guard, job->source, job->begin, job->end, &(ParseOptions){0}, true,
               &valid));
  cli_progress_clear(&job->progress);
  if (!valid) {
    cli_report(&job->seg, guard);
    job->code = EXIT_BAD;
    return NULL;
  }
  TRY(make_local(job, guard, &valid));
  if (!valid) return NULL;
  Program *p = job->seg.program;
  OpId function;
  TRY(evaluate_entry(p, job->entry, &function));
  job->function = function;
  TRY(partitioned_read(p, function, guard, &job->arena, &job->partitioned));
  job->shapes = job->partitioned.n_devices && !job->local ? SHAPES_GLOBAL : SHAPES_LOCAL;
  uint32_t n = 1, n_args = evaluate_n_arguments(p, function),
           n_out = evaluate_n_results(p, function);
  TRY(count_processes(job, &n));
  if ((uint64_t)n_args * n > UINT32_MAX || (uint64_t)n_out * n > UINT32_MAX)
    FAIL(INVALID_ARGUMENT, "%u processes have too many arguments or results in all", n);
  TRY(check_memory(job, n));
  Literal **given = ARENA_ARRAY(&job->arena, Literal *, n_args + 1);
  Literal **args = ARENA_ARRAY(&job->arena, Literal *, (size_t)n_args * n + 1);
  Literal **out = ARENA_ARRAY(&job->arena, Literal *, (size_t)n_out * n + 1);
  Arguments arguments = {job, n, n_args, given, args};
  // Ranks must agree before they compile; one process compiles first, which may refuse the program.
  if (job->ranks.comm) {
    TRY(prepare_arguments(&arguments));
    job->agreed = true;
    job->code = run_ranks_agree(&job->ranks, EXIT_OK, run_hash(job));
    if (job->code) return NULL;
  }
  EvalOptions options = {.seed = job->seed,
                         .replicas = job->replicas,
                         .partitions = job->partitions,
                         .most_steps = job->max_steps,
                         .scatter = job->scatter,
                         .print = print_value,
                         .probe = job->probes ? write_probe : NULL,
                         .to = job};
  EngineRequest request = {
      .engine = job->engine,
      .options = {.eval = options,
                  .workers = job->workers ? (uint32_t)job->workers : job->ranks.workers,
                  .device_memory = (uint64_t)job->device_memory,
                  .timed = job->stats,
                  .traced = job->trace != NULL,
                  .comm = job->ranks.comm},
      .repeat = (uint32_t)job->repeat,
      .prepare = job->ranks.comm ? NULL : prepare_arguments,
      .user = &arguments,
      .trace = job->trace ? &job->trace_text : NULL};
  EngineReport report;
  Status *status = engine_run(p, function, &request, guard, &job->heap, &job->arena, n_args * n,
                              args, n_out * n, out, &report);
  cli_progress_clear(&job->progress);
  for (uint32_t i = 0; i < report.eval.n_messages; i++)
    fprintf(stderr, "%s\n", report.eval.messages[i]);
  if (status && job->ranks.comm) return status;  // rank 0 may not have the position
  if (status) return tell_failure(job, report.eval.failed_at, status);
  if (report.eval.failed_checks) job->code = EXIT_NO;
  if (!run_ranks_prints(&job->ranks)) return NULL;
  if (job->stats && job->json) put_stats_json(job, &report);
  if (job->stats && !job->json) put_stats(&report);
  TRY(check_options_used(job, &report));
  if (job->trace && job->n_traced++)
    FAIL(INVALID_ARGUMENT, "--trace takes a file with one program, and %s has several", job->path);
  if (job->trace) TRY(file_write(job->trace, job->trace_text.data, job->trace_text.used));
  return job->shapes == SHAPES_GLOBAL ? put_joined(job, n_out, out)
                                      : put_results(job, n, n_out, out);
}

// Runs all segments of the file in order, each with its own memory.
static int run_file(RunJob *job) {
  Source source;
  char *text = cli_read_program(job->path, &source);
  if (!text) return run_ranks_agree(&job->ranks, EXIT_BAD, 0);
  job->source = &source;
  cli_progress_init(&job->progress, "run");
  int code = EXIT_OK;
  while (source_next_segment(&source, &job->begin, &job->end)) {
    job->code = EXIT_OK;
    job->arrays = (Inputs){0};
    job->partitioned = (Partitioned){0};
    job->agreed = false;
    Status *status = guard_run(run_segment, job);
    cli_progress_clear(&job->progress);
    bool failed = status != NULL;
    int one = !failed        ? job->code
              : !job->agreed ? cli_fail(status)
                             : run_ranks_fail(&job->ranks, status);
    if (!job->agreed) one = run_ranks_agree(&job->ranks, one, 0);
    if (one > code) code = one;
    inputs_close(&job->arrays);
    partitioned_deinit(&job->partitioned);
    strbuf_deinit(&job->trace_text);
    literal_heap_deinit(&job->heap);
    session_deinit(&job->seg);
    arena_deinit(&job->arena);
    if (failed && job->ranks.comm) break;  // the ranks may not be at the same place any more
  }
  mem_free(text);
  return code;
}

// As the only process, or as one of several.
static int run_ranks(RunJob *job) {
  if (!run_ranks_open(&job->ranks)) return EXIT_BAD;
  char *plan = job->plan ? cli_read_plan(job->plan, &job->plan_text) : NULL;
  bool ready = !job->plan || plan;
  int code = ready ? run_file(job) : run_ranks_agree(&job->ranks, EXIT_BAD, 0);
  mem_free(plan);
  run_ranks_close(&job->ranks, code);
  return code;
}

// The first option that only the compiled engine has; NULL: none is given.
static const char *compiled_only(const RunJob *job) {
  if (job->workers) return "--workers";
  if (job->device_memory > 0) return "--device-memory";
  return job->trace ? "--trace" : NULL;
}

int command_run(int argc, char **argv) {
  const char *scatter = NULL;
  RunJob job = {.engine_name = "compiled",
                .given_replicas = NOT_GIVEN,
                .given_partitions = NOT_GIVEN,
                .limit_gib = 16};
  static const Usage usage = {
      "run", "[FILE]",
      "Runs @main, or the only function of a program. Prints the results or writes them to "
      "a file. Without --inputs, the arguments are random. Arrays of .npz files are matched to "
      "arguments by name: the path (params.w), the SSA name, or argK. Other arrays are matched "
      "in order. Results are called result0, result1, …; with several processes "
      "process0_result0, …. NumPy has no names for bf16, f8 and other narrow types: they are "
      "stored as raw bytes (V2, V1), which numpy.load(…).view(ml_dtypes.bfloat16) reads.\nA "
      "local program that tessera partition wrote runs on all devices of its mesh. It takes the "
      "arguments and returns the results of the global program: arguments are sharded, results "
      "are joined. If all arguments have the shapes of shards, every device gets the same "
      "arguments, and the results of each device are printed.\nWith --mesh, --devices or "
      "--shard the program is partitioned first, as tessera partition does, and runs on the "
      "devices of the mesh. Processes that mpirun has started (MPICH or Open MPI) share the "
      "devices; the first one prints. The results have the same bits as in one process.",
      "  tessera run model.mlir\n"
      "  tessera run model.mlir --inputs data.npz --outputs result.npz\n"
      "  tessera run model.mlir --inputs x.npy w.npy --seed=7\n"
      "  tessera run local.mlir --inputs global.npz     the output of tessera partition\n"
      "  tessera run model.mlir --mesh data=4,model=2 --shard '0=P(\"data\")'   on 8 devices\n"
      "  mpirun -n 2 tessera run model.mlir --mesh data=8 --shard '0=P(\"data\")'\n"
      "  tessera run model.mlir --plan plan.json        on the devices of tessera plan\n"
      "  tessera run local.mlir --local                 the same random shards on every device\n"
      "  tessera run spmd.mlir --partitions=4 --json    one line per process and result"};
  Annotations annotations;
  const Option own[] = {
      {"--engine", OPTION_TEXT, &job.engine_name, "compiled|eval",
       "compiled (default): kernels on static buffers and all cores; ops without a kernel run "
       "through eval (--stats lists them). eval: the reference interpreter"},
      {"--workers", OPTION_NUMBER, &job.workers, "N",
       "threads of the compiled engine (default: one per core). Results do not depend on it"},
      {"--repeat", OPTION_NUMBER, &job.repeat, "N",
       "run N times on the same arguments, for measurements; prints the last results"},
      {"--stats", OPTION_FLAG, &job.stats, NULL,
       "print times, memory and instructions to stderr, with the ops that ran through eval"},
      {"--trace", OPTION_TEXT, &job.trace, "FILE",
       "write what each device and worker did when, in Chrome's trace format "
       "(chrome://tracing, ui.perfetto.dev)"},
      {"--device-memory", OPTION_TEXT, &job.device_memory_text, "BYTES",
       "memory of a device, as 16GiB. A program that needs more is refused before it runs"},
      {"--inputs", OPTION_TEXTS, &job.inputs, "FILE…", ".npz or .npy files with the arguments"},
      {"--args", OPTION_TEXT, &job.args, "LIST",
       "arguments as constants: '[dense<1> : tensor<2xi32>]'"},
      {"--outputs", OPTION_TEXT, &job.outputs, "FILE",
       "write the results to FILE (.npz, or .npy for one result) and print nothing"},
      {"--seed", OPTION_NUMBER, &job.seed, "N",
       "seed of random data and of stablehlo.rng (default 0)"},
      {"--replicas", OPTION_NUMBER, &job.given_replicas, "R",
       "number of replicas (default 1). R × P processes run"},
      {"--partitions", OPTION_NUMBER, &job.given_partitions, "P",
       "number of partitions (default 1). All processes get the same arguments. A local "
       "program of tessera partition has its own number"},
      {"--local", OPTION_FLAG, &job.local, NULL,
       "give the arguments of a local program to every device as they are, and print each "
       "device's results"},
      {"--entry", OPTION_TEXT, &job.entry, "NAME", "function to run (default main)"},
      {"--plan", OPTION_TEXT, &job.plan, "FILE",
       "partition the program as the plan in FILE says, and run it on the plan's devices. "
       "Arguments "
       "and results are global"},
      {"--dense", OPTION_FLAG, &job.dense, NULL, "print results as dense<…> constants"},
      {"--json", OPTION_FLAG, &job.json, NULL,
       "print each result as a JSON object; with --stats also the statistics, as one line on "
       "stderr"},
      {"--all", OPTION_FLAG, &job.all, NULL, "print large tensors in full"},
      {"--probe-dir", OPTION_TEXT, &job.probes, "DIRECTORY",
       "write the values of interpreter.probe ops to DIRECTORY"},
      {"--memory", OPTION_NUMBER, &job.limit_gib, "GIB",
       "limit of memory (default 16; 0 = no limit)"},
      {"--max-steps", OPTION_NUMBER, &job.max_steps, "N",
       "stop after N ops, for programs that may not end (default: no limit)"},
      {"--scatter", OPTION_TEXT, &scatter, "spec|xla", cli_scatter_help},
  };
  TextList files = {mem_alloc((size_t)(argc + 1) * sizeof *files.items), 0};
  job.inputs.items = mem_alloc((size_t)(argc + 1) * sizeof *job.inputs.items);
  enum { N_OWN = sizeof own / sizeof own[0] };
  Option options[ANNOTATION_OPTIONS + N_OWN];
  int code = EXIT_BAD;
  if (!annotations_init(&annotations, argc) || !files.items || !job.inputs.items) {
    cli_fail(status_no_memory());
  } else {
    memcpy(options, own, sizeof own);
    annotations_options(&annotations, options + N_OWN);
    ParseArgs args = cli_options(&usage, options, ANNOTATION_OPTIONS + N_OWN, argc, argv, &files);
    if (args == ARGS_HELP) {
      code = EXIT_OK;
    } else if (args == ARGS_OK && !engine_by_name(job.engine_name, &job.engine)) {
      cli_error("there is no engine '%s'; --engine takes eval or compiled", job.engine_name);
    } else if (args == ARGS_OK && (job.workers > MOST_WORKERS || job.repeat > MOST_RUNS)) {
      cli_error("--workers is at most %d and --repeat at most %d", MOST_WORKERS, MOST_RUNS);
    } else if (args == ARGS_OK &&
               !cli_bytes("--device-memory", job.device_memory_text, &job.device_memory)) {
      code = EXIT_BAD;
    } else if (args == ARGS_OK && job.engine == ENGINE_EVAL && compiled_only(&job)) {
      cli_error("%s does not apply to --engine=eval, which runs on one thread without static "
                "memory",
                compiled_only(&job));
    } else if (args == ARGS_OK && files.count > 1) {
      cli_error("run takes one program, %u are given (inputs go behind --inputs)", files.count);
    } else if (args == ARGS_OK && job.outputs && !ends_with(job.outputs, ".npz") &&
               !ends_with(job.outputs, ".npy")) {
      cli_error("--outputs takes a name ending in .npz, or .npy for one result, not '%s'",
                job.outputs);
    } else if (args == ARGS_OK && job.plan && annotations_given(&annotations)) {
      cli_error("--plan has the mesh and all shardings: leave --mesh, --shard and the like away");
    } else if (args == ARGS_OK && cli_scatter(scatter, &job.scatter) &&
               annotations_read(&annotations)) {
      if (job.entry && job.entry[0] == '@') job.entry++;
      annotations.request.try_orders = true;
      // --machine also describes the machine that a plan names.
      if (job.plan || annotations_given(&annotations)) job.annotations = &annotations.request;
      job.path = files.count ? files.items[0] : "-";
      code = run_ranks(&job);
    }
  }
  annotations_deinit(&annotations);
  mem_free(job.inputs.items);
  mem_free(files.items);
  return code;
}
