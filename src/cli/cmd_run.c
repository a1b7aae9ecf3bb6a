// `tessera run`: evaluates one program on given or random data and shows or writes what comes out.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "evaluate/evaluate.h"
#include "evaluate/npy.h"
#include "evaluate/show.h"
#include "propagate/target.h"

enum { SHOWN_ELEMENTS = 1000 };

typedef struct RunJob {
  const char *path, *engine, *entry, *outputs, *args, *probes;
  TextList inputs;
  uint64_t seed, replicas, partitions, limit_gib, max_steps;
  bool dense, all, json;
  const Source *source;
  size_t begin, end;
  char **data;  // of input files; owned
  uint32_t n_data;
  Segment seg;
  LiteralHeap heap;
  Arena arena;
  Guard *guard;
  OpId function;
  int code;
} RunJob;

// ---- data ----

static uint64_t mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

// Element i of argument k depends on the seed, k and i only. Floats in [-1, 1), integers in 0 … 7
// (as far as they go).
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

static Status *check_input(RunJob *job, const char *name, Type type, const Literal *l) {
  const TypeInfo *info = type_info(job->seg.context, type);
  bool same = l->rank == info->rank;
  for (uint32_t d = 0; same && d < l->rank; d++)
    same = info->dims[d] == DIM_DYNAMIC || info->dims[d] == l->dims[d];
  if (same) return NULL;
  Type found = type_tensor(job->seg.context, l->elem, l->rank, l->dims, 0);
  FAIL(INVALID_ARGUMENT, "%s: holds %s, %s is wanted", name, type_text(job->seg.context, found),
       type_text(job->seg.context, type));
}

typedef struct InputArray {
  const char *file;
  NpzEntry entry;
  bool packed;  // in a .npz
} InputArray;

// All arrays of all input files, in order. A lone .npy has its file's name without folder and
// ending.
static Status *list_inputs(RunJob *job, uint32_t *out_count, InputArray **out) {
  VEC(InputArray) list = {0};
  job->data = ARENA_ARRAY(&job->arena, char *, job->inputs.count + 1);
  for (uint32_t i = 0; i < job->inputs.count; i++) {
    const char *path = job->inputs.items[i];
    size_t bytes;
    TRY(file_read(path, SIZE_MAX, &job->data[i], &bytes));
    job->n_data = i + 1;
    if (npz_is(job->data[i], bytes)) {
      uint32_t n;
      NpzEntry *entries;
      TRY(npz_list(&job->arena, path, job->data[i], bytes, &n, &entries));
      for (uint32_t k = 0; k < n; k++) {
        InputArray item = {path, entries[k], true};
        VEC_PUSH(&job->arena, &list, item);
      }
      continue;
    }
    const char *slash = strrchr(path, '/');
    Str name = str_of(slash ? slash + 1 : path);
    if (name.n > 4 && memcmp(name.s + name.n - 4, ".npy", 4) == 0) name.n -= 4;
    InputArray item = {path, {name, job->data[i], bytes}, false};
    VEC_PUSH(&job->arena, &list, item);
  }
  *out_count = list.count;
  *out = list.items;
  return NULL;
}

static Str value_name(const RunJob *job, uint32_t k) {
  const Program *p = job->seg.program;
  BlockId block = region_block(p, op_region(p, job->function, 0));
  return name_str(p->context, value_at(p, block_arg(p, block, k))->name);
}

// As people call it: by its path where it has one ('params.w'), else as the text does (%w).
static const char *argument_called(RunJob *job, uint32_t k) {
  Str name = value_name(job, k);
  Str path = argument_path(job->seg.program, job->function, k, &job->arena);
  if (!path.n || str_equal(path, name))
    return arena_printf(&job->arena, "%%%.*s", (int)name.n, name.s);
  return arena_printf(&job->arena, "'%.*s'", (int)path.n, path.s);
}

// NumPy's own names of arrays that have none: arr_0, arr_1, ….
static bool is_unnamed(Str name) { return str_starts(name, "arr_"); }

// A name that means nothing here may be a mistake: what it is taken for is told, of the first.
static void tell_in_order(RunJob *job, uint32_t n, const InputArray *inputs, const uint32_t *of,
                          const bool *by_name) {
  uint32_t first = n, more = 0;
  for (uint32_t k = 0; k < n; k++) {
    const InputArray *input = &inputs[of[k]];
    if (by_name[of[k]] || !input->packed || is_unnamed(input->entry.name)) continue;
    if (first == n)
      first = k;
    else
      more++;
  }
  if (first == n) return;
  Str name = inputs[of[first]].entry.name;
  fprintf(stderr, "tessera: no argument is called '%.*s': it is taken in order, for argument %s",
          (int)name.n, name.s, argument_called(job, first));
  if (more) fprintf(stderr, " (so %s %u more)", more == 1 ? "is" : "are", more);
  fprintf(stderr, "\n");
}

// Which array each argument gets: the one with its path, else its SSA name, else the one called
// "argK", else the next of those that are left. Every array is used once.
static uint32_t *match_inputs(RunJob *job, uint32_t n, const InputArray *inputs) {
  uint32_t *of = ARENA_ARRAY(&job->arena, uint32_t, n + 1);
  bool *used = ARENA_ARRAY(&job->arena, bool, n + 1);
  memset(used, 0, n * sizeof *used);
  for (uint32_t k = 0; k < n; k++) of[k] = n;
  Str *dotted = ARENA_ARRAY(&job->arena, Str, n + 1);
  for (uint32_t i = 0; i < n; i++) dotted[i] = path_dotted(&job->arena, inputs[i].entry.name);
  for (int round = 0; round < 3; round++) {
    for (uint32_t k = 0; k < n; k++) {
      if (of[k] < n) continue;
      Str name = round == 0   ? argument_path(job->seg.program, job->function, k, &job->arena)
                 : round == 1 ? value_name(job, k)
                              : str_of(arena_printf(&job->arena, "arg%u", k));
      for (uint32_t i = 0; i < n && name.n && of[k] == n; i++)
        if (!used[i] && str_equal(dotted[i], name)) of[k] = i, used[i] = true;
    }
  }
  bool *by_name = arena_copy(&job->arena, used, (n + 1) * sizeof *used);
  for (uint32_t k = 0, i = 0; k < n; k++) {
    if (of[k] < n) continue;
    while (used[i]) i++;
    of[k] = i, used[i] = true;
  }
  tell_in_order(job, n, inputs, of, by_name);
  return of;
}

static Status *wrong_count(RunJob *job, uint32_t n, uint32_t n_inputs, const InputArray *inputs) {
  enum { SHOWN = 12 };
  const Program *p = job->seg.program;
  const char *has = "", *wants = "";
  for (uint32_t i = 0; i < n_inputs && i <= SHOWN; i++)
    has = i == SHOWN ? arena_printf(&job->arena, "%s, …", has)
                     : arena_printf(&job->arena, "%s%s%.*s", has, i ? ", " : "",
                                    (int)inputs[i].entry.name.n, inputs[i].entry.name.s);
  for (uint32_t k = 0; k < n && k <= SHOWN; k++) {
    wants = k == SHOWN ? arena_printf(&job->arena, "%s, …", wants)
                       : arena_printf(&job->arena, "%s%s%s", wants, k ? ", " : "",
                                      argument_called(job, k));
  }
  FAIL(INVALID_ARGUMENT, "the inputs hold %u array%s (%s), @%s takes %u (%s)", n_inputs,
       n_inputs == 1 ? "" : "s", has,
       name_text(p->context, attr_as_name(p->context, op_attr(p, job->function, "sym_name"))), n,
       wants);
}

static Status *make_arguments(RunJob *job, uint32_t n, Literal **args) {
  Program *p = job->seg.program;
  uint32_t n_inputs = 0;
  InputArray *inputs = NULL;
  TRY(list_inputs(job, &n_inputs, &inputs));
  if (job->inputs.count && n_inputs != n) return wrong_count(job, n, n_inputs, inputs);
  const uint32_t *of = job->inputs.count ? match_inputs(job, n, inputs) : NULL;
  for (uint32_t k = 0; k < n; k++) {
    Type type = evaluate_argument_type(p, job->function, k);
    if (!of) {
      TRY(random_argument(job, type, k, &args[k]));
      continue;
    }
    const InputArray *input = &inputs[of[k]];
    const char *name =
        arena_printf(&job->arena, "%s (%.*s) for argument %s", input->file,
                     (int)input->entry.name.n, input->entry.name.s, argument_called(job, k));
    if (!type_is_tensor(p->context, type))
      FAIL(UNIMPLEMENTED, "argument %u is %s, which no array can hold", k,
           type_text(p->context, type));
    TRY(npy_read(&job->heap, p->context, name, input->entry.data, input->entry.bytes,
                 type_elem(p->context, type), &args[k]));
    TRY(check_input(job, name, type, args[k]));
  }
  if (!job->inputs.count && n)
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
  Guard *before = job->guard;
  job->guard = job->heap.guard;
  Status *status = show_value(job, *name ? name : "?", value);
  job->guard = before;
  return status;
}

// Values under probe ids go to DIRECTORY/id_k.npy, with what no file name should hold replaced.
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

// --args: a list of constants as an attribute.
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
    TRY(check_input(job, arena_printf(&job->arena, "--args: value %u", i),
                    evaluate_argument_type(job->seg.program, job->function, i), args[i]));
  }
  return NULL;
}

static void release_status(void *status) { status_free(status); }

// A failure with a place is shown as what the verifier finds is: place, line and caret.
static Status *tell_failure(RunJob *job, Pos pos, Status *status) {
  if (pos == POS_NONE) return status;
  char place[512];
  uint32_t line, column;
  source_locate(job->source, pos, &line, &column);
  snprintf(place, sizeof place, "%s:%u:%u: ", job->source->path, line, column);
  size_t n = strlen(place);
  if (strncmp(status_message(status), place, n) != 0) return status;
  GuardCleanup cleanup = {release_status, status, NULL};
  guard_push(job->guard, &cleanup);
  diag_error(&job->seg.diag, pos, "%s", status_message(status) + n);
  segment_report(&job->seg, job->guard);
  guard_pop(job->guard, &cleanup);
  job->code = EXIT_BAD;
  status_free(status);
  return NULL;
}

static Status *run_segment(Guard *guard, void *arg) {
  RunJob *job = arg;
  job->guard = guard;
  arena_init(&job->arena, guard);
  literal_heap_init(&job->heap, guard, cli_gib(job->limit_gib));
  TRY(segment_load(&job->seg, guard, job->source, job->begin, job->end, &(ParseOptions){0}, true));
  if (!job->seg.valid) {
    segment_report(&job->seg, guard);
    job->code = EXIT_BAD;
    return NULL;
  }
  Program *p = job->seg.program;
  OpId function;
  TRY(evaluate_entry(p, job->entry, &function));
  uint64_t n_processes;
  uint32_t n_args = evaluate_n_arguments(p, function), n_out = evaluate_n_results(p, function);
  if (__builtin_mul_overflow(job->replicas, job->partitions, &n_processes) || n_processes == 0 ||
      n_processes > 100000)
    FAIL(INVALID_ARGUMENT,
         "--replicas and --partitions must be at least 1 and at most 100000 processes");
  uint32_t n = (uint32_t)n_processes;
  if ((uint64_t)n_args * n > UINT32_MAX || (uint64_t)n_out * n > UINT32_MAX)
    FAIL(INVALID_ARGUMENT, "%u processes have too many arguments or results in all", n);
  Literal **args = ARENA_ARRAY(&job->arena, Literal *, (size_t)n_args * n + 1);
  Literal **out = ARENA_ARRAY(&job->arena, Literal *, (size_t)n_out * n + 1);
  job->function = function;
  TRY(job->args ? read_args(job, n_args, args) : make_arguments(job, n_args, args));
  for (uint32_t i = n_args; i < n_args * n; i++) args[i] = args[i - n_args];
  EvalOptions options = {.seed = job->seed,
                         .replicas = (uint32_t)job->replicas,
                         .partitions = (uint32_t)job->partitions,
                         .most_steps = job->max_steps,
                         .print = print_value,
                         .probe = job->probes ? write_probe : NULL,
                         .to = job};
  EvalReport report;
  Status *status = evaluate(p, function, &options, &job->heap, &job->arena, n_args * n, args,
                            n_out * n, out, &report);
  for (uint32_t i = 0; i < report.n_messages; i++) fprintf(stderr, "%s\n", report.messages[i]);
  if (status) return tell_failure(job, report.failed_at, status);
  if (report.failed_checks) job->code = EXIT_NO;
  if (job->outputs) return write_outputs(job, n_out * n, n_out, out);
  for (uint32_t i = 0; i < n_out * n && job->json; i++)
    show_json(job, i / n_out, i % n_out, out[i]);
  for (uint32_t i = 0; i < n_out * n && !job->json; i++) {
    if (n > 1 && i % n_out == 0)
      printf("// process (%u, %u)\n", i / n_out / (uint32_t)job->partitions,
             i / n_out % (uint32_t)job->partitions);
    TRY(show_value(job, NULL, out[i]));
  }
  return NULL;
}

// All segments of the file, one after the other, each with its own memory.
static int run_file(RunJob *job) {
  Source source;
  char *text = cli_read_program(job->path, &source);
  if (!text) return EXIT_BAD;
  job->source = &source;
  int code = EXIT_OK;
  while (source_next_segment(&source, &job->begin, &job->end)) {
    job->code = EXIT_OK;
    job->n_data = 0;
    Status *status = guard_run(run_segment, job);
    int one = status ? cli_fail(status) : job->code;
    if (one > code) code = one;
    for (uint32_t i = 0; i < job->n_data; i++) mem_free(job->data[i]);
    literal_heap_deinit(&job->heap);
    segment_deinit(&job->seg);
    arena_deinit(&job->arena);
  }
  mem_free(text);
  return code;
}

int command_run(int argc, char **argv) {
  RunJob job = {.engine = "eval", .replicas = 1, .partitions = 1, .limit_gib = 16};
  static const Usage usage = {
      "run", "[FILE]",
      "Evaluates a program's @main (or its only function) and prints the results, or writes them "
      "to a file.\n"
      "Without --inputs the arguments are seeded random data. Arrays of NumPy files are matched to "
      "arguments\n"
      "by name (the argument's path, params.w, its %name, or argK), the rest in order. Element "
      "types NumPy has\n"
      "no name for (bf16, f8…) are raw bytes there (V2, V1): "
      "numpy.load(…).view(ml_dtypes.bfloat16) and the like.\n"
      "Results are called result0, result1, …; of several processes process0_result0, ….",
      "  tessera run model.mlir\n"
      "  tessera run model.mlir --inputs data.npz --outputs result.npz\n"
      "  tessera run model.mlir --inputs x.npy w.npy --seed=7\n"
      "  tessera run spmd.mlir --partitions=4 --json    one line per process and result"};
  const Option options[] = {
      {"--engine", OPTION_TEXT, &job.engine, "eval",
       "which engine runs it; eval is the only one so far"},
      {"--inputs", OPTION_TEXTS, &job.inputs, "FILE…",
       ".npz or .npy files that hold the arguments"},
      {"--args", OPTION_TEXT, &job.args, "LIST",
       "the arguments as constants: '[dense<1> : tensor<2xi32>]'"},
      {"--outputs", OPTION_TEXT, &job.outputs, "FILE",
       "write the results (.npz, or .npy for one), print nothing"},
      {"--seed", OPTION_NUMBER, &job.seed, "N",
       "seed of random data and of stablehlo.rng (default 0)"},
      {"--replicas", OPTION_NUMBER, &job.replicas, "R",
       "run R × P processes: R replicas (default 1) …"},
      {"--partitions", OPTION_NUMBER, &job.partitions, "P",
       "… of P partitions (default 1), all with the same arguments"},
      {"--entry", OPTION_TEXT, &job.entry, "NAME", "the function to run (default main)"},
      {"--dense", OPTION_FLAG, &job.dense, NULL, "print results as dense<…> constants"},
      {"--json", OPTION_FLAG, &job.json, NULL, "print results as JSON, one object each"},
      {"--all", OPTION_FLAG, &job.all, NULL, "print big tensors in full"},
      {"--probe-dir", OPTION_TEXT, &job.probes, "DIRECTORY",
       "write the values of interpreter.probe there"},
      {"--memory", OPTION_NUMBER, &job.limit_gib, "GIB",
       "limit of values alive at once (default 16; 0 = none)"},
      {"--max-steps", OPTION_NUMBER, &job.max_steps, "N",
       "stop after N ops, so that an endless loop ends (default: no limit)"},
  };
  TextList files = {mem_alloc((size_t)(argc + 1) * sizeof *files.items), 0};
  job.inputs.items = mem_alloc((size_t)(argc + 1) * sizeof *job.inputs.items);
  int code = EXIT_BAD;
  if (!files.items || !job.inputs.items) {
    cli_fail(status_no_memory());
  } else {
    ParseArgs args =
        cli_options(&usage, options, sizeof options / sizeof options[0], argc, argv, &files);
    if (args == ARGS_HELP) {
      code = EXIT_OK;
    } else if (args == ARGS_OK && strcmp(job.engine, "eval") != 0) {
      cli_error("there is no engine '%s'; this version has eval", job.engine);
    } else if (args == ARGS_OK && files.count > 1) {
      cli_error("run takes one program, %u are given (inputs go behind --inputs)", files.count);
    } else if (args == ARGS_OK && job.outputs && !ends_with(job.outputs, ".npz") &&
               !ends_with(job.outputs, ".npy")) {
      cli_error("--outputs takes a name ending in .npz, or .npy for one result, not '%s'",
                job.outputs);
    } else if (args == ARGS_OK) {
      if (job.entry && job.entry[0] == '@') job.entry++;
      job.path = files.count ? files.items[0] : "-";
      code = run_file(&job);
    }
  }
  mem_free(job.inputs.items);
  mem_free(files.items);
  return code;
}
