// `tessera check`: runs every segment of every file and counts passes and failures. Files are tasks
// of a thread pool; each writes its results at its own index, and they are printed in order at the
// end.
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/pool.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/run_ranks.h"
#include "evaluate/evaluate.h"
#include "ops/infer.h"
#include "ops/op.h"
#include "parse/expect.h"
#include "parse/print.h"
#include "partition/random_shardings.h"
#include "pipeline/engine.h"

enum { LIMIT_BYTES_DEFAULT = 4, MOST_DEVICES = 1024 };  // GiB per segment; limit of --devices

typedef enum Outcome { OUTCOME_PASSED, OUTCOME_FAILED, OUTCOME_SKIPPED } Outcome;

typedef struct SegmentResult {
  uint32_t line;  // first line of the segment
  Outcome outcome;
  uint64_t checks, failed_checks, max_ulp, steps;
  double seconds;
  char *reason;  // owned; NULL = none
} SegmentResult;

typedef struct FileResult {
  const char *path;
  bool disabled;     // its RUN line says that the reference does not run it
  const char *args;  // of a RUN line with --args="…": text after the quote; NULL: none
  size_t args_n;
  uint32_t n_segments, capacity;
  SegmentResult *segments;
  char *error;  // about the file itself
} FileResult;

// Number of files done. A thread that finds another one printing skips its report.
typedef struct Checked {
  atomic_uint done;
  uint32_t total;
  atomic_flag telling;  // guards progress
  CliProgress progress;
} Checked;

// Also called while a file is being checked, at any stage.
static void tell_files(void *user, const char *stage, uint64_t done, uint64_t total) {
  Checked *checked = user;
  (void)stage, (void)done, (void)total;
  if (atomic_flag_test_and_set(&checked->telling)) return;
  cli_progress_tell(&checked->progress, "checking files", atomic_load(&checked->done),
                    checked->total);
  atomic_flag_clear(&checked->telling);
}

typedef struct CheckJob {
  FileResult *files;
  uint64_t limit_gib;
  uint64_t max_steps;
  ScatterRule scatter;
  uint64_t devices;  // 0: run the program as it is; else partition it for this many devices
  uint64_t seed;     // seed of the random shardings
  Engine engine;
  Checked *checked;
  RunRanks ranks;  // mpirun: programs run on all ranks, one after the other
} CheckJob;

typedef struct SegmentJob {
  const CheckJob *job;
  FileResult *file;
  const Source *source;
  size_t begin, end;
  SegmentResult *result;
  Session seg, printed;
  LiteralHeap heap;
  Arena arena;
} SegmentJob;

static char *copy_text(const char *text) {
  size_t n = strlen(text) + 1;
  char *copy = mem_alloc(n);
  if (copy) memcpy(copy, text, n);
  return copy;
}

static void set_reason(SegmentResult *result, Outcome outcome, const char *reason) {
  result->outcome = outcome;
  mem_free(result->reason);
  result->reason = copy_text(reason);
}

// Appends to the reason: checks that failed before the run ended belong to it.
static void add_reason(SegmentResult *result, const char *message) {
  char *before = result->reason;
  size_t n = (before ? strlen(before) + 1 : 0) + strlen(message) + 1;
  char *both = mem_alloc(n);
  if (both) snprintf(both, n, "%s%s%s", before ? before : "", before ? "\n" : "", message);
  mem_free(before);
  result->reason = both;
  result->outcome = OUTCOME_FAILED;
}

// ---- RUN lines ----

static bool line_has(Str line, const char *word) {
  size_t n = strlen(word);
  for (size_t i = 0; i + n <= line.n; i++)
    if (memcmp(line.s + i, word, n) == 0) return true;
  return false;
}

// Reads what lit's RUN lines say: whether the reference runs the file, and its --args.
static void read_run_lines(FileResult *file, const Source *source) {
  for (const char *at = source->text, *end = at + source->size; at < end;) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    Str line = {at, (size_t)((newline ? newline : end) - at)};
    at += line.n + 1;
    if (!str_starts(line, "// RUN")) continue;
    if (str_starts(line, "// RUN-DISABLED") && line_has(line, "--interpret")) file->disabled = true;
    static const char key[] = "--args=\"";
    if (!str_starts(line, "// RUN:") || line_has(line, "RUN: not ")) continue;
    for (size_t i = 0; i + sizeof key - 1 < line.n && !file->args; i++) {
      if (memcmp(line.s + i, key, sizeof key - 1) != 0) continue;
      const char *from = line.s + i + sizeof key - 1;
      const char *quote = memchr(from, '"', (size_t)(line.s + line.n - from));
      file->args = from;
      file->args_n = quote ? (size_t)(quote - from) : 0;
    }
  }
}

// ---- one segment ----

static void reason_from_diag(SegmentJob *job, Guard *guard) {
  StrBuf text;
  strbuf_init(&text, guard);
  GuardCleanup free_text = {.release = cli_release_text, .object = &text};
  guard_push(guard, &free_text);
  diag_render(&job->seg.diag, &text, false);
  while (text.used && text.data[text.used - 1] == '\n') text.data[--text.used] = '\0';
  set_reason(job->result, OUTCOME_FAILED, text.data ? text.data : "not a valid program");
  guard_pop(guard, &free_text);
  strbuf_deinit(&text);
}

// A function with arguments cannot be run without data; it is checked that the program survives a
// round trip.
static Status *check_round_trip(SegmentJob *job, Guard *guard) {
  StrBuf text;
  strbuf_init(&text, guard);
  GuardCleanup cleanup = {.release = cli_release_text, .object = &text};
  guard_push(guard, &cleanup);
  program_print(job->seg.program, &(PrintOptions){0}, &text);
  Source printed = {.path = "<printed>", .text = text.data, .size = text.used};
  bool valid;
  Status *status =
      cli_load(&job->printed, guard, &printed, 0, printed.size, &(ParseOptions){0}, true, &valid);
  if (!status) {
    bool same = valid && program_hash(job->seg.program) == program_hash(job->printed.program);
    if (same)
      set_reason(job->result, OUTCOME_PASSED,
                 "takes arguments: not run, only read, verified, printed and read back");
    else
      set_reason(job->result, OUTCOME_FAILED,
                 "takes arguments, and reads as another program once printed");
  }
  session_deinit(&job->printed);
  guard_pop(guard, &cleanup);
  strbuf_deinit(&text);
  return status;
}

static Status *read_args(SegmentJob *job, Guard *guard, uint32_t n, Literal ***out) {
  const FileResult *file = job->file;
  char *text = arena_printf(&job->arena, "%.*s", (int)file->args_n, file->args);
  Attr list;
  TRY(attr_parse_text(job->seg.context, guard, text, &job->seg.diag, &list));
  const AttrInfo *info = attr_info(job->seg.context, list);
  if (info->kind != ATTR_ARRAY)
    FAIL(INVALID_ARGUMENT, "--args must be a list: [dense<1> : tensor<2xi32>, …]");
  if (info->count != n)
    FAIL(INVALID_ARGUMENT, "--args gives %u values, the function takes %u", info->count, n);
  Literal **args = ARENA_ARRAY(&job->arena, Literal *, n ? n : 1);
  for (uint32_t i = 0; i < n; i++) {
    if (attr_info(job->seg.context, info->items[i])->kind != ATTR_DENSE)
      FAIL(INVALID_ARGUMENT, "--args must list dense constants: [dense<1> : tensor<2xi32>, …]");
    args[i] = literal_from_dense(&job->heap, job->seg.context, info->items[i]);
  }
  *out = args;
  return NULL;
}

// Adds an evaluation's checks; the first messages become the reason.
static void take_report(SegmentJob *job, const EvalReport *report) {
  SegmentResult *result = job->result;
  result->checks += report->checks;
  result->failed_checks += report->failed_checks;
  if (report->max_ulp > result->max_ulp) result->max_ulp = report->max_ulp;
  result->steps += report->steps;
  if (report->failed_checks == 0) return;
  char *text = arena_printf(&job->arena, "%s", report->messages[0]);
  for (uint32_t i = 1; i < report->n_messages; i++)
    text = arena_printf(&job->arena, "%s\n%s", text, report->messages[i]);
  if (report->failed_checks > report->n_messages)
    text = arena_printf(&job->arena, "%s\nand %" PRIu64 " more", text,
                        report->failed_checks - report->n_messages);
  set_reason(result, OUTCOME_FAILED, text);
}

static Status *run_function(SegmentJob *job, Guard *guard, OpId function) {
  Program *p = job->seg.program;
  uint32_t n_args = evaluate_n_arguments(p, function), n_out = evaluate_n_results(p, function);
  Literal **args = NULL;
  if (job->file->args)
    TRY(read_args(job, guard, n_args, &args));
  else if (n_args && !job->job->devices)
    return check_round_trip(job, guard);
  if (job->job->devices && n_args) {
    set_reason(job->result, OUTCOME_SKIPPED, "takes arguments");
    return NULL;
  }
  uint32_t n = job->job->devices ? (uint32_t)job->job->devices : 1;
  n_out *= n;
  Literal **out = ARENA_ARRAY(&job->arena, Literal *, n_out ? n_out : 1);
  EvalOptions options = {
      .most_steps = job->job->max_steps, .partitions = n, .scatter = job->job->scatter};
  EngineRequest request = {
      .engine = job->job->engine,
      .options = {.eval = options, .workers = 2, .comm = job->job->ranks.comm}};
  EngineReport report;
  Status *status = engine_run(p, function, &request, guard, &job->heap, &job->arena, n_args, args,
                              n_out, out, &report);
  take_report(job, &report.eval);
  return status;
}

// Without @main, runs every function that takes no arguments and is not called.
static Status *run_each(SegmentJob *job, Guard *guard) {
  Program *p = job->seg.program;
  BlockId block = region_block(p, op_region(p, p->root, 0));
  uint32_t n_run = 0;
  for (OpId o = block_at(p, block)->first; o; o = op_at(p, o)->next) {
    if (!(op_row(op_at(p, o)->code)->traits & TRAIT_FUNCTION) || evaluate_n_arguments(p, o) > 0 ||
        !region_block(p, op_region(p, o, 0)))
      continue;
    Attr symbol = attr_symbol(p->context, attr_as_name(p->context, op_attr(p, o, "sym_name")));
    bool named = false;
    for (OpId user = p->root; user && !named; user = op_walk_next(p, user, p->root))
      named = op_row(op_at(p, user)->code)->traits & TRAIT_CALL
                  ? op_attr(p, user, "callee") == symbol
                  : false;
    if (named) continue;
    TRY(run_function(job, guard, o));
    n_run++;
  }
  if (n_run == 0 && job->job->devices)
    set_reason(job->result, OUTCOME_SKIPPED, "takes arguments");
  else if (n_run == 0)
    return check_round_trip(job, guard);
  return NULL;
}

static bool has_functions(const Program *p) {
  BlockId block = region_block(p, op_region(p, p->root, 0));
  for (OpId o = block ? block_at(p, block)->first : 0; o; o = op_at(p, o)->next)
    if (op_row(op_at(p, o)->code)->traits & TRAIT_FUNCTION) return true;
  return false;
}

static Status *evaluate_segment(SegmentJob *job, Guard *guard) {
  OpId function;
  if (!has_functions(job->seg.program)) {
    set_reason(job->result, OUTCOME_PASSED, "nothing to run");
    return NULL;
  }
  Status *status = evaluate_entry(job->seg.program, NULL, &function);
  if (!status) return run_function(job, guard, function);
  status_free(status);
  return run_each(job, guard);
}

// ---- on several devices ----

// The seed depends on file name and segment, not on the directory.
static uint64_t segment_seed(const SegmentJob *job) {
  const char *name = strrchr(job->file->path, '/');
  uint64_t h = 14695981039346656037u ^ job->job->seed;  // FNV-1a
  for (name = name ? name + 1 : job->file->path; *name; name++)
    h = (h ^ (uint8_t)*name) * 1099511628211u;
  return (h ^ job->begin) * 1099511628211u;
}

// Draws random shardings, partitions and verifies. *out_done = false: the program cannot be
// partitioned, and the result has the reason.
static Status *partition_segment(SegmentJob *job, Guard *guard, bool *out_done) {
  Session *s = &job->seg;
  *out_done = false;
  s->table = sharding_table_new(s->context, guard);
  TRY(random_shardings(s->program, s->table, (uint32_t)job->job->devices, segment_seed(job), guard,
                       &s->diag));
  MeshId mesh;
  LocalOptions options = {.poison = true};
  Status *status = stage_decide(s, &options, NULL);
  if (!status) status = stage_partition(s, &mesh);
  if (status && status_code(status) == UNIMPLEMENTED) {
    set_reason(job->result, OUTCOME_SKIPPED, status_message(status));
    status_free(status);
    return NULL;
  }
  TRY(status);
  TRY(stage_optimize(s, &options, mesh));
  status = stage_check_local(s);
  *out_done = !status;
  if (!s->diag.errors) return status;
  status_free(status);
  reason_from_diag(job, guard);
  return NULL;
}

// A segment with announced errors passes if they are found; any other is evaluated.
static Status *check_segment(Guard *guard, void *arg) {
  SegmentJob *job = arg;
  Progress progress = {tell_files, job->job->checked};
  if (job->job->checked->progress.on) guard_set_progress(guard, &progress);
  literal_heap_init(&job->heap, guard, cli_gib(job->job->limit_gib));
  arena_init(&job->arena, guard);
  bool valid;
  TRY(cli_load(&job->seg, guard, job->source, job->begin, job->end, &(ParseOptions){0}, true,
               &valid));
  Str text = {job->source->text + job->begin, job->end - job->begin};
  if (line_has(text, "// expected-")) {
    StrBuf left;
    strbuf_init(&left, guard);
    GuardCleanup free_left = {.release = cli_release_text, .object = &left};
    guard_push(guard, &free_left);
    bool good = expect_diagnostics(job->source, job->begin, job->end, &job->seg.diag, &left);
    set_reason(job->result, good ? OUTCOME_PASSED : OUTCOME_FAILED,
               good ? "announced errors found" : left.data);
    guard_pop(guard, &free_left);
    strbuf_deinit(&left);
    return NULL;
  }
  if (!valid) {
    reason_from_diag(job, guard);
    return NULL;
  }
  if (job->job->devices) {
    bool done;
    TRY(partition_segment(job, guard, &done));
    if (!done) return NULL;
  }
  return evaluate_segment(job, guard);
}

static bool add_segment(FileResult *file) {
  if (file->n_segments == file->capacity) {
    uint32_t larger = file->capacity ? file->capacity * 2 : 4;
    SegmentResult *grown = mem_realloc(file->segments, larger * sizeof *grown);
    if (!grown) return false;
    file->segments = grown;
    file->capacity = larger;
  }
  file->segments[file->n_segments++] = (SegmentResult){0};
  return true;
}

static void run_segment(const CheckJob *job, FileResult *file, const Source *source, size_t begin,
                        size_t end, SegmentResult *result) {
  SegmentJob segment = {
      .job = job, .file = file, .source = source, .begin = begin, .end = end, .result = result};
  double start = clock_seconds();
  Status *status = guard_run(check_segment, &segment);
  result->seconds = clock_seconds() - start;
  if (status) add_reason(result, status_message(status));
  status_free(status);
  if (file->disabled && !job->devices && result->outcome == OUTCOME_FAILED)
    result->outcome = OUTCOME_SKIPPED;
  literal_heap_deinit(&segment.heap);
  arena_deinit(&segment.arena);
  session_deinit(&segment.printed);
  session_deinit(&segment.seg);
}

// A check that fails on one device tells nothing about several: such a segment is skipped.
static void check_unpartitioned(const CheckJob *job, FileResult *file, const Source *source,
                                size_t begin, size_t end, SegmentResult *result) {
  CheckJob one_device = *job;
  one_device.devices = 0;
  SegmentResult alone = {0};
  run_segment(&one_device, file, source, begin, end, &alone);
  if (alone.outcome != OUTCOME_PASSED)
    set_reason(result, OUTCOME_SKIPPED, "does not hold on one device");
  mem_free(alone.reason);
}

static void check_file(void *arg, size_t index) {
  CheckJob *job = arg;
  FileResult *file = &job->files[index];
  char *data;
  size_t bytes;
  Status *status = file_read(file->path, FILE_MOST_TEXT, &data, &bytes);
  if (!status && !bytes) {
    mem_free(data);
    status = status_new(INVALID_ARGUMENT, __FILE__, __LINE__, "%s is empty: there is no program",
                        file->path);
  }
  if (status) {
    file->error = copy_text(status_message(status));
    status_free(status);
    return;
  }
  Source source = {.path = file->path, .text = data, .size = bytes};
  source_index(&source);
  read_run_lines(file, &source);
  size_t begin = 0, end = 0;
  while (source_next_segment(&source, &begin, &end) && add_segment(file)) {
    SegmentResult *result = &file->segments[file->n_segments - 1];
    uint32_t column;
    source_locate(&source, (Pos)begin, &result->line, &column);
    run_segment(job, file, &source, begin, end, result);
    if (job->devices && result->outcome == OUTCOME_FAILED)
      check_unpartitioned(job, file, &source, begin, end, result);
  }
  file->args = NULL;
  source_unindex(&source);
  mem_free(data);
}

static void check_one(void *arg, size_t index) {
  Checked *checked = ((CheckJob *)arg)->checked;
  check_file(arg, index);
  atomic_fetch_add(&checked->done, 1);
  tell_files(checked, "", 0, 0);
}

// ---- showing ----

static const char *const outcome_names[] = {"passed", "failed", "skipped"};

static void show_json(const FileResult *file, Json *json) {
  for (uint32_t i = 0; i < file->n_segments; i++) {
    const SegmentResult *r = &file->segments[i];
    json_open(json, '{');
    json_key(json, "file");
    json_string(json, file->path);
    json_key(json, "segment");
    json_uint(json, i);
    json_key(json, "line");
    json_uint(json, r->line);
    json_key(json, "status");
    json_string(json, outcome_names[r->outcome]);
    json_key(json, "reason");
    if (r->reason)
      json_string(json, r->reason);
    else
      json_null(json);
    json_key(json, "disabled");
    json_bool(json, file->disabled);
    json_key(json, "checks");
    json_uint(json, r->checks);
    json_key(json, "failed_checks");
    json_uint(json, r->failed_checks);
    json_key(json, "max_ulp");
    json_uint(json, r->max_ulp);
    json_key(json, "ops");
    json_uint(json, r->steps);
    json_key(json, "seconds");
    json_double(json, r->seconds);
    json_close(json, '}');
    json_newline(json);
  }
}

static void show_text(const FileResult *file, bool verbose, StrBuf *out) {
  for (uint32_t i = 0; i < file->n_segments; i++) {
    const SegmentResult *r = &file->segments[i];
    if (r->outcome == OUTCOME_PASSED && !verbose) continue;
    strbuf_printf(out, "%s: %s", outcome_names[r->outcome], file->path);
    if (file->n_segments > 1) strbuf_printf(out, " segment %u (line %u)", i, r->line);
    if (r->outcome == OUTCOME_PASSED && r->checks)
      strbuf_printf(out, ": %" PRIu64 " checks, at most %" PRIu64 " ULP", r->checks, r->max_ulp);
    for (const char *at = r->reason; at && *at;) {
      size_t n = strcspn(at, "\n");
      strbuf_printf(out, "\n    %.*s", (int)n, at);
      at += n + (at[n] != '\0');
    }
    strbuf_putc(out, '\n');
  }
}

typedef struct ShowJob {
  const FileResult *files;
  uint32_t n_files;
  bool json, verbose;
  uint64_t counts[3];
  double seconds;
  int code;
} ShowJob;

static Status *show_results(Guard *guard, void *arg) {
  ShowJob *job = arg;
  StrBuf out;
  strbuf_init(&out, guard);
  GuardCleanup free_out = {.release = cli_release_text, .object = &out};
  guard_push(guard, &free_out);
  Json json = {.out = &out};
  uint64_t disabled[3] = {0}, n_disabled = 0;
  for (uint32_t i = 0; i < job->n_files; i++) {
    const FileResult *file = &job->files[i];
    if (file->error) {
      cli_error("%s", file->error);
      job->code = EXIT_BAD;
    }
    if (job->json)
      show_json(file, &json);
    else
      show_text(file, job->verbose, &out);
    n_disabled += file->disabled;
    for (uint32_t k = 0; k < file->n_segments; k++) {
      job->counts[file->segments[k].outcome]++;
      if (file->disabled) disabled[file->segments[k].outcome]++;
    }
  }
  if (!job->json) {
    if (n_disabled)
      strbuf_printf(&out,
                    "%" PRIu64
                    " files whose RUN line says that the reference does not run them: %" PRIu64
                    " segments pass, %" PRIu64 " do not (skipped)\n",
                    n_disabled, disabled[OUTCOME_PASSED], disabled[OUTCOME_SKIPPED]);
    strbuf_printf(&out, "%" PRIu64 " passed, %" PRIu64 " failed, %" PRIu64 " skipped\n",
                  job->counts[0], job->counts[1], job->counts[2]);
  }
  if (!cli_put(out.data, out.used)) job->code = EXIT_BAD;
  guard_pop(guard, &free_out);
  strbuf_deinit(&out);
  if (job->counts[OUTCOME_FAILED] && job->code == EXIT_OK) job->code = EXIT_NO;
  return NULL;
}

static Status *gather_files(const TextList *paths, const char *filter, FileList *out) {
  FileList all = {0};
  Status *status = NULL;
  for (uint32_t i = 0; i < paths->count && !status; i++)
    status = file_list(paths->items[i], ".mlir", &all);
  for (uint32_t i = 0; i < all.count && !status; i++)
    if (!filter || strstr(all.paths[i], filter)) status = file_list(all.paths[i], ".mlir", out);
  file_list_deinit(&all);
  return status;
}

static int check_files(const FileList *list, uint64_t workers, ShowJob *show, CheckJob *job) {
  FileResult *files = mem_alloc((list->count + 1) * sizeof *files);
  if (!files) return cli_fail(status_no_memory());
  for (uint32_t i = 0; i < list->count; i++) files[i] = (FileResult){.path = list->paths[i]};
  job->files = files;
  Checked checked = {.total = list->count, .telling = ATOMIC_FLAG_INIT};
  cli_progress_init(&checked.progress, "check");
  job->checked = &checked;
  Status *status = pool_run((unsigned)workers, list->count, check_one, job);
  cli_progress_clear(&checked.progress);
  show->files = files;
  show->n_files = list->count;
  if (!status) status = guard_run(show_results, show);
  int code = status ? cli_fail(status) : show->code;
  for (uint32_t i = 0; i < list->count; i++) {
    for (uint32_t k = 0; k < files[i].n_segments; k++) mem_free(files[i].segments[k].reason);
    mem_free(files[i].segments);
    mem_free(files[i].error);
  }
  mem_free(files);
  return code;
}

int command_check(int argc, char **argv) {
  ShowJob show = {0};
  CheckJob job = {.limit_gib = LIMIT_BYTES_DEFAULT};
  const char *filter = NULL, *scatter = NULL, *engine = "eval";
  uint64_t workers = 0;
  static const Usage usage = {
      "check", "PATH…",
      "Runs self-checking programs: the given files, and all .mlir files under the given "
      "directories. Lines `// -----` split a file into segments. Each segment is a program. Its "
      "@main is run; without @main, all functions that take no arguments and are not called are "
      "run. A segment passes if it ends and no check op fails. A segment with `expected-error` "
      "comments passes if these errors occur. A segment whose functions take arguments is not "
      "run; it is only read, verified, printed and read back (--verbose lists these). Failures "
      "are listed. The last line counts segments.",
      "  tessera check model_test.mlir\n"
      "  tessera check tests/ops --filter=scatter --verbose\n"
      "  tessera check tests/ops --engine=compiled\n"
      "  tessera check corpora/stablehlo --json > results.jsonl"};
  const Option options[] = {
      {"--json", OPTION_FLAG, &show.json, NULL, "print one JSON object per segment"},
      {"--verbose", OPTION_FLAG, &show.verbose, NULL, "also list the segments that passed"},
      {"-j", OPTION_NUMBER, &workers, "N",
       "number of files to check at once (default: one per core)"},
      {"--filter", OPTION_TEXT, &filter, "TEXT", "only check files whose path contains TEXT"},
      {"--memory", OPTION_NUMBER, &job.limit_gib, "GIB",
       "memory limit of a segment (default 4; 0 = no limit)"},
      {"--max-steps", OPTION_NUMBER, &job.max_steps, "N",
       "limit of the ops that a segment runs, for programs that may not end (default: no limit)"},
      {"--engine", OPTION_TEXT, &engine, "eval|compiled",
       "engine that runs the programs (default eval, the reference)"},
      {"--devices", OPTION_NUMBER, &job.devices, "N",
       "give values random shardings, partition the program and run it on N devices. All "
       "checks must hold on each device. Processes that mpirun has started share the devices"},
      {"--random-shardings", OPTION_NUMBER, &job.seed, "SEED",
       "seed of the random shardings of --devices (default 0)"},
      {"--scatter", OPTION_TEXT, &scatter, "spec|xla", cli_scatter_help},
  };
  TextList paths = {mem_alloc((size_t)(argc + 1) * sizeof *paths.items), 0};
  if (!paths.items) return cli_fail(status_no_memory());
  ParseArgs args =
      cli_options(&usage, options, sizeof options / sizeof options[0], argc, argv, &paths);
  int code = args == ARGS_HELP ? EXIT_OK : EXIT_BAD;
  if (args == ARGS_OK && paths.count == 0)
    cli_error("check requires files or directories; see tessera check --help");
  if (args == ARGS_OK && job.devices > MOST_DEVICES) {
    cli_error("--devices is at most %d", MOST_DEVICES);
    args = ARGS_BAD;
  }
  if (args == ARGS_OK && !engine_by_name(engine, &job.engine)) {
    cli_error("there is no engine '%s'; --engine takes eval or compiled", engine);
    args = ARGS_BAD;
  }
  if (args == ARGS_OK && !cli_scatter(scatter, &job.scatter)) args = ARGS_BAD;
  if (args == ARGS_OK && paths.count) {
    FileList list = {0};
    code = EXIT_BAD;
    if (run_ranks_open(&job.ranks)) {
      Status *status = gather_files(&paths, filter, &list);
      if (job.ranks.comm) workers = 1;
      code = status ? cli_fail(status) : check_files(&list, workers, &show, &job);
      code = run_ranks_agree(&job.ranks, code, 0);
      run_ranks_close(&job.ranks, code);
    }
    file_list_deinit(&list);
  }
  mem_free(paths.items);
  return code;
}
