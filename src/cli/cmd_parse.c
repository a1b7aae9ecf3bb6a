// `tessera parse`: reads, verifies and prints each segment; or checks that it survives a round
// trip, or that it has exactly the errors that its comments announce.
#include <inttypes.h>
#include <stdio.h>

#include "base/json.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "ops/op.h"
#include "parse/expect.h"
#include "parse/print.h"
#include "parse/round_trip.h"
#include "annotate/drop.h"

typedef struct ParseJob {
  const Source *source;
  ParseOptions options;
  PrintOptions print;
  bool verify, verify_diagnostics, round_trip, hash, drop_shardings, json;
  uint32_t printed;  // segments of all files
  Session seg;
  bool valid;  // `seg` has a verified program
  size_t begin, end;
  uint32_t index;  // of the segment in its file
  bool good;
  CliProgress progress;
} ParseJob;

static Status *print_segment(ParseJob *job, Guard *guard) {
  StrBuf out;
  strbuf_init(&out, guard);
  GuardCleanup cleanup = {.release = cli_release_text, .object = &out};
  guard_push(guard, &cleanup);
  out.flush = cli_flush;
  if (job->hash)
    strbuf_printf(&out, "%016" PRIx64 "\n", program_hash(job->seg.program));
  else
    program_print(job->seg.program, &job->print, &out);
  strbuf_flush(&out);
  guard_pop(guard, &cleanup);
  strbuf_deinit(&out);
  return NULL;
}

static void json_types(Json *json, const char *key, Context *context, uint32_t n,
                       const Type *types) {
  json_key(json, key);
  json_open(json, '[');
  for (uint32_t i = 0; i < n; i++) json_string(json, type_text(context, types[i]));
  json_close(json, ']');
}

static void json_functions(Json *json, const Program *p) {
  Context *context = p->context;
  json_key(json, "functions");
  json_open(json, '[');
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    if (!(op_row(op_at(p, o)->code)->traits & TRAIT_FUNCTION)) continue;
    const TypeInfo *type =
        type_info(context, attr_info(context, op_attr(p, o, "function_type"))->type);
    uint64_t n_ops = 0;
    for (OpId inner = op_walk_next(p, o, o); inner; inner = op_walk_next(p, inner, o)) n_ops++;
    json_open(json, '{');
    json_key(json, "name");
    json_str(json, name_str(context, attr_as_name(context, op_attr(p, o, "sym_name"))));
    json_types(json, "arguments", context, type->n_inputs, type->items);
    json_types(json, "results", context, type->n_items - type->n_inputs,
               type->items + type->n_inputs);
    json_key(json, "ops");
    json_uint(json, n_ops);
    json_close(json, '}');
  }
  json_close(json, ']');
}

static void json_diagnostics(Json *json, const Diag *diag) {
  static const char *const names[] = {"error", "warning", "note", "remark"};
  json_key(json, "diagnostics");
  json_open(json, '[');
  for (uint32_t i = 0; i < diag->list.count; i++) {
    const Diagnostic *d = &diag->list.items[i];
    uint32_t line = 0, column = 0;
    if (d->pos != POS_NONE) source_locate(diag->source, d->pos, &line, &column);
    json_open(json, '{');
    json_key(json, "severity");
    json_string(json, names[d->severity]);
    json_key(json, "line");
    json_uint(json, line);
    json_key(json, "column");
    json_uint(json, column);
    json_key(json, "message");
    json_string(json, d->message);
    json_close(json, '}');
  }
  json_close(json, ']');
}

static bool show_json(const ParseJob *job, Guard *guard) {
  StrBuf text;
  strbuf_init(&text, guard);
  GuardCleanup cleanup = {.release = cli_release_text, .object = &text};
  guard_push(guard, &cleanup);
  Json json = {.out = &text};
  json_open(&json, '{');
  json_key(&json, "file");
  json_string(&json, job->source->path);
  json_key(&json, "segment");
  json_uint(&json, job->index);
  json_key(&json, "valid");
  json_bool(&json, job->valid);
  if (job->seg.program) {
    char hash[20];
    snprintf(hash, sizeof hash, "%016" PRIx64, program_hash(job->seg.program));
    json_key(&json, "hash");
    json_string(&json, hash);
    json_functions(&json, job->seg.program);
  }
  json_diagnostics(&json, &job->seg.diag);
  json_close(&json, '}');
  json_newline(&json);
  bool good = cli_put(text.data, text.used);
  guard_pop(guard, &cleanup);
  strbuf_deinit(&text);
  return good;
}

static Status *parse_segment(Guard *guard, void *arg) {
  ParseJob *job = arg;
  cli_progress_use(&job->progress, guard);
  TRY(cli_load(&job->seg, guard, job->source, job->begin, job->end, &job->options, job->verify,
               &job->valid));
  cli_progress_clear(&job->progress);
  if (job->verify_diagnostics) {
    StrBuf text;
    strbuf_init(&text, guard);
    GuardCleanup cleanup = {.release = cli_release_text, .object = &text};
    guard_push(guard, &cleanup);
    job->good = expect_diagnostics(job->source, job->begin, job->end, &job->seg.diag, &text);
    if (!job->good) fwrite(text.data, 1, text.used, stderr);
    guard_pop(guard, &cleanup);
    strbuf_deinit(&text);
    return NULL;
  }
  job->good = job->valid;
  if (job->json) {
    job->good &= show_json(job, guard);
    return NULL;
  }
  if (job->seg.diag.list.count) cli_report(&job->seg, guard);
  if (!job->good) return NULL;
  if (job->drop_shardings) drop_shardings(job->seg.program, guard);
  if (job->round_trip) {
    Status *status = program_round_trip(job->seg.program, guard);
    cli_progress_clear(&job->progress);
    if (!status) return NULL;
    if (status_code(status) == RESOURCE_EXHAUSTED) return status;
    job->good = false;
    fprintf(stderr, "%s: failed: %s\n", job->source->path, status_message(status));
    status_free(status);
    return NULL;
  }
  // Also between files, so that the output can be parsed.
  if (job->printed++ && !job->hash) puts("// -----");
  return print_segment(job, guard);
}

// Handles all segments of one file; false if one fails.
static bool parse_file(ParseJob *job, const char *path) {
  Source source;
  char *data = cli_read_program(path, &source);
  if (!data) return false;
  job->source = &source;
  job->begin = job->end = 0;
  job->index = 0;
  bool good = true;
  while (source_next_segment(&source, &job->begin, &job->end)) {
    job->good = false;
    Status *status = guard_run(parse_segment, job);
    cli_progress_clear(&job->progress);
    session_deinit(&job->seg);
    if (status || !job->good) good = false;
    if (status) cli_fail(status);
    job->index++;
  }
  mem_free(data);
  return good;
}

int command_parse(int argc, char **argv) {
  ParseJob job = {.verify = true};
  bool no_verify = false;
  static const Usage usage = {
      "parse", "[FILE…]",
      "Reads, verifies and prints programs in StableHLO text. The dialects func, chlo, sdy, "
      "check and interpreter are known, too. Lines `// -----` split a file into segments. Each "
      "segment is a program.",
      "  tessera parse model.mlir\n"
      "  tessera parse --generic model.mlir | less\n"
      "  tessera parse --round-trip tests/*.mlir        the last line counts passes and failures\n"
      "  tessera parse --verify-diagnostics bad.mlir    compare errors with comments"};
  const Option options[] = {
      {"--generic", OPTION_FLAG, &job.print.generic, NULL, "print every op in generic form"},
      {"--locations", OPTION_FLAG, &job.print.locations, NULL, "print locations"},
      {"--drop-shardings", OPTION_FLAG, &job.drop_shardings, NULL,
       "print without shardings and meshes"},
      {"--allow-unregistered", OPTION_FLAG, &job.options.allow_unregistered, NULL,
       "accept unknown ops"},
      {"--no-verify", OPTION_FLAG, &no_verify, NULL, "do not verify"},
      {"--verify-diagnostics", OPTION_FLAG, &job.verify_diagnostics, NULL,
       "compare errors with the `expected-error` comments; print no program"},
      {"--round-trip", OPTION_FLAG, &job.round_trip, NULL,
       "print each program, read it back and compare; print one line per file"},
      {"--json", OPTION_FLAG, &job.json, NULL,
       "print functions, ops, hash and errors of each segment as JSON instead"},
      {"--hash", OPTION_FLAG, &job.hash, NULL, "print the structural hash instead"},
  };
  TextList files = {mem_alloc((size_t)(argc + 1) * sizeof *files.items), 0};
  if (!files.items) return cli_fail(status_no_memory());
  ParseArgs args =
      cli_options(&usage, options, sizeof options / sizeof options[0], argc, argv, &files);
  int code = args == ARGS_HELP ? EXIT_OK : EXIT_BAD;
  if (args == ARGS_OK) {
    job.verify = !no_verify;
    cli_progress_init(&job.progress, "parse");
    if (files.count == 0) files.items[files.count++] = "-";
    uint32_t good = 0;
    for (uint32_t i = 0; i < files.count; i++) good += parse_file(&job, files.items[i]);
    if (job.round_trip) printf("%u passed, %u failed\n", good, files.count - good);
    code = good == files.count                        ? EXIT_OK
           : job.round_trip || job.verify_diagnostics ? EXIT_NO
                                                      : EXIT_BAD;
  }
  mem_free(files.items);
  return code;
}
