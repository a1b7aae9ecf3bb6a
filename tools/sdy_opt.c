// sdy_opt: the flags in RUN lines of Shardy's tests, mapped to ours, so that those files run
// unmodified. Reads a file segment by segment, runs the passes in the order they are given, prints.
// A pass is a row of the table below; its options are those MLIR writes behind it:
//   -sdy-aggressive-propagate="propagation-strategy=basic keep-sharding-rules=true"
// With -verify-diagnostics the comments that announce diagnostics decide, as in MLIR.
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "ops/factors.h"
#include "ops/infer.h"
#include "parse/expect.h"
#include "parse/parse.h"
#include "parse/print.h"
#include "partition/explicit_reshards.h"
#include "sdy_opt/global_to_local.h"
#include "partition/partition.h"
#include "partition/replica_mode.h"
#include "sdy_opt/reshard_collectives.h"
#include "annotate/constraints.h"
#include "annotate/drop.h"
#include "annotate/manual_axes.h"
#include "annotate/sharding_groups.h"
#include "sdy_opt/passes.h"
#include "annotate/program_mesh.h"
#include "propagate/propagate.h"
#include "propagate/write.h"

enum { MAX_PASSES = 64 };

typedef struct PassOptions {
  Steps steps;
  bool keep_rules, conservative, no_op_priority;
  bool keep_calls;
  bool per_dim_all_gather, replicas, keep_redundant;
  bool function_edges;  // calls are not inlined: edges for arguments and results of functions
} PassOptions;

typedef struct Pass {
  Program *p;
  const PassOptions *options;
  Guard *guard;
  Arena *arena;
  Diag *diag;
  bool *warned;  // an unknown custom call was reported; once per run
} Pass;

typedef struct PassRow {
  const char *flag;
  Status *(*run)(Pass *pass);
} PassRow;

static void warn_unknown(Pass *pass, const FactorOptions *factors) {
  if (!*pass->warned)
    *pass->warned = passes_warn_unknown_call(pass->p, factors, pass->arena, pass->diag);
}

// ---- propagation ----

typedef struct Engine {
  ShardingTable *table;
  Propagation *propagation;
} Engine;

static void engine_free(void *engine) {
  propagation_free(((Engine *)engine)->propagation);
  sharding_table_free(((Engine *)engine)->table);
}

static Status *engine_run(Pass *pass, Engine *engine, const PropagateOptions *options) {
  engine->table = sharding_table_new(pass->p->context, pass->guard);
  TRY(propagation_new(pass->p, engine->table, options, pass->guard, pass->diag,
                      &engine->propagation));
  TRY(propagation_read(engine->propagation, pass->diag));
  propagation_run(engine->propagation);
  return propagation_write(engine->propagation, pass->p, &(WriteOptions){0}, pass->diag);
}

static Status *propagate(Pass *pass, Strategy strategy) {
  const PassOptions *o = pass->options;
  PropagateOptions options = {
      .strategy = strategy,
      .steps = o->steps,
      .graph = {.explicit_only = true, .factors = {.conservative = o->conservative}}};
  if (strategy == STRATEGY_OP_PRIORITY && o->no_op_priority) options.strategy = STRATEGY_AGGRESSIVE;
  warn_unknown(pass, &options.graph.factors);
  sharding_groups_sync(pass->p, pass->arena, pass->diag);
  passes_drop_dead(pass->p, pass->arena);  // as MLIR does on the way
  Engine engine = {0};
  GuardCleanup cleanup = {engine_free, &engine, NULL};
  guard_push(pass->guard, &cleanup);
  Status *status = engine_run(pass, &engine, &options);
  guard_pop(pass->guard, &cleanup);
  engine_free(&engine);
  if (status) return status;
  if (o->keep_rules)
    passes_populate_rules(pass->p, &options.graph.factors, pass->arena);
  else
    passes_drop_rules(pass->p);
  return NULL;
}

static Status *basic(Pass *pass) { return propagate(pass, STRATEGY_BASIC); }
static Status *aggressive(Pass *pass) { return propagate(pass, STRATEGY_AGGRESSIVE); }
static Status *op_priority(Pass *pass) { return propagate(pass, STRATEGY_OP_PRIORITY); }
static Status *user_priority(Pass *pass) { return propagate(pass, STRATEGY_USER_PRIORITY); }

// ---- import and export ----

static Status *import_all(Pass *pass) {
  passes_import(pass->p, pass->arena);
  return NULL;
}
static Status *export_all(Pass *pass) {
  passes_export(pass->p, pass->options->keep_calls, pass->arena);
  return NULL;
}
static Status *pipeline(Pass *pass) {
  passes_import(pass->p, pass->arena);
  if (!passes_enter(pass->p, pass->options->keep_calls, pass->arena, pass->diag))
    return diag_status(pass->diag);
  TRY(user_priority(pass));
  return export_all(pass);
}

static Status *populate_rules(Pass *pass) {
  FactorOptions factors = {.conservative = pass->options->conservative};
  warn_unknown(pass, &factors);
  passes_populate_rules(pass->p, &factors, pass->arena);
  return NULL;
}
static Status *add_edges(Pass *pass) {
  passes_add_edges(pass->p);
  if (pass->options->function_edges) passes_add_function_edges(pass->p);
  return NULL;
}
static Status *import_groups(Pass *pass) {
  return sharding_groups_import(pass->p, pass->arena, pass->diag) ? NULL : diag_status(pass->diag);
}
static Status *import_calls(Pass *pass) {
  return passes_import_calls(pass->p, pass->arena, pass->diag) ? NULL : diag_status(pass->diag);
}
static Status *size_one(Pass *pass) {
  passes_remove_size_one_axes(pass->p, pass->guard);
  return NULL;
}
#define SIMPLE(name, call)                                                                         \
  static Status *name(Pass *pass) {                                                                \
    call;                                                                                          \
    return NULL;                                                                                   \
  }
SIMPLE(export_computations, passes_export_computations(pass->p, pass->arena))
SIMPLE(function_results, passes_set_function_results(pass->p, pass->arena))
SIMPLE(merge_functions, passes_merge_functions(pass->p, pass->arena))
SIMPLE(reshard_results, passes_reshard_results(pass->p))
SIMPLE(drop_unreached, passes_drop_unreached(pass->p, pass->arena))
SIMPLE(sink_edges, passes_sink_edges(pass->p, pass->arena))
SIMPLE(add_function_edges, passes_add_function_edges(pass->p))
SIMPLE(sink_function_edges, passes_sink_function_edges(pass->p))
SIMPLE(apply_constraints, constraints_apply(pass->p, false, pass->arena))
SIMPLE(remove_groups, passes_remove_groups(pass->p))
SIMPLE(to_reshards, passes_constraints_to_reshards(pass->p))
SIMPLE(lift_meshes, program_meshes_lift(pass->p, pass->arena))
SIMPLE(clean_manual, manual_axes_complete(pass->p, pass->arena))
SIMPLE(close_shardings, passes_close_shardings(pass->p))
SIMPLE(even_edges, passes_even_edges(pass->p, pass->arena))
SIMPLE(whole_axes, passes_whole_axes(pass->p, pass->arena))
SIMPLE(inline_meshes, passes_inline_meshes(pass->p, pass->guard))
SIMPLE(drop_rules, passes_drop_rules(pass->p))
SIMPLE(split_constants, passes_split_constants(pass->p, pass->arena))
SIMPLE(merge_constants, passes_merge_constants(pass->p, pass->arena))

// ---- partitioning ----

static Status *with_table(Pass *pass, Status *(*run)(Pass *pass, ShardingTable *table)) {
  ShardingTable *table = sharding_table_new(pass->p->context, pass->guard);
  GuardCleanup cleanup = {sharding_table_release, table, NULL};
  guard_push(pass->guard, &cleanup);
  Status *status = run(pass, table);
  guard_pop(pass->guard, &cleanup);
  sharding_table_free(table);
  if (!status && pass->options->replicas) replica_mode(pass->p);
  return status;
}

static Status *to_local_with(Pass *pass, ShardingTable *table) {
  GlobalToLocalOptions options = {.per_dim_all_gather = pass->options->per_dim_all_gather};
  return global_to_local(pass->p, table, &options, pass->guard, pass->diag);
}
static Status *partition_with(Pass *pass, ShardingTable *table) {
  MeshId mesh;
  TRY(program_meshes_read(pass->p, table));
  return partition_program(pass->p, table, NULL, pass->guard, pass->diag, &mesh);
}
static Status *to_collectives_with(Pass *pass, ShardingTable *table) {
  ReshardCollectivesOptions options = {.keep_redundant = pass->options->keep_redundant};
  return reshard_collectives(pass->p, table, &options, pass->guard);
}
static Status *to_collectives(Pass *pass) { return with_table(pass, to_collectives_with); }
static Status *explicit_with(Pass *pass, ShardingTable *table) {
  Source source = {.path = "<program>", .text = ""};
  Diag diag;
  diag_init(&diag, pass->guard, &source);
  Status *status = explicit_reshards(pass->p, table, NULL, pass->guard, &diag);
  diag_deinit(&diag);
  return status;
}
static Status *insert_reshards(Pass *pass) { return with_table(pass, explicit_with); }
static Status *to_local(Pass *pass) { return with_table(pass, to_local_with); }
static Status *partition(Pass *pass) { return with_table(pass, partition_with); }
SIMPLE(drop, drop_shardings(pass->p, pass->guard))

static const PassRow rows[] = {
    {"sdy-basic-propagate", basic},
    {"sdy-aggressive-propagate", aggressive},
    {"sdy-op-priority-propagate", op_priority},
    {"sdy-user-priority-propagate", user_priority},
    {"sdy-propagation-pipeline", pipeline},
    {"sdy-import-pipeline", import_all},
    {"sdy-export-pipeline", export_all},
    {"sdy-populate-op-sharding-rules", populate_rules},
    {"sdy-drop-sharding-rules", drop_rules},
    {"sdy-add-data-flow-edges", add_edges},
    {"sdy-sink-data-flow-edges", sink_edges},
    {"sdy-add-func-data-flow-edges", add_function_edges},
    {"sdy-sink-func-data-flow-edges", sink_function_edges},
    {"sdy-apply-sharding-constraints", apply_constraints},
    {"sdy-sharding-constraint-to-reshard", to_reshards},
    {"sdy-sharding-group-import", import_groups},
    {"sdy-remove-sharding-groups", remove_groups},
    {"sdy-sharding-group-cleanup", remove_groups},
    {"sdy-import-func-calls", import_calls},
    {"sdy-export-named-computations", export_computations},
    {"sdy-propagate-to-func-results", function_results},
    {"sdy-unflatten-call-graph", merge_functions},
    {"sdy-insert-func-call-reshards", reshard_results},
    {"symbol-dce", drop_unreached},
    {"sdy-lift-inlined-meshes", lift_meshes},
    {"sdy-remove-size-one-axes", size_one},
    {"sdy-manual-axes-cleanup", clean_manual},
    {"sdy-close-shardings", close_shardings},
    {"sdy-update-non-divisible-input-output-shardings", even_edges},
    {"sdy-remove-sub-axes-in-input-output-shardings", whole_axes},
    {"sdy-inline-meshes", inline_meshes},
    {"sdy-constant-splitter", split_constants},
    {"sdy-constant-or-scalar-splitter", split_constants},
    {"sdy-constant-merger", merge_constants},
    {"sdy-constant-or-scalar-merger", merge_constants},
    {"sdy-convert-global-to-local", to_local},
    {"sdy-partitioner-pipeline", partition},
    {"sdy-insert-explicit-reshards", insert_reshards},
    {"sdy-reshard-to-collectives", to_collectives},
    // Passes inside Shardy's partitioner. Ours is one pass, so these flags are accepted together
    // with --sdy-convert-global-to-local only.
    {"sdy-resolve-permutation-factors", NULL},
    {"shardy-resolve-permutation-factors", NULL},
    {"sdy-optimize-collectives", NULL},
    {"sdy-pad-for-divisibility", NULL},
    {"sdy-resolve-single-device-sharding", NULL},
    {"canonicalize", NULL},
    {"cse", NULL},
    {"sdy-drop-sharding-and-mesh", drop},
};

// ---- the command line ----

typedef struct Job {
  Source source;
  size_t begin, end;
  uint32_t n_passes;
  const PassRow *passes[MAX_PASSES];
  PassOptions options[MAX_PASSES];
  bool verify_diagnostics;
  bool warned;
  bool good;
} Job;

static Status *to_stdout(void *to, const char *data, size_t n) {
  (void)to;
  if (fwrite(data, 1, n, stdout) != n) FAIL(UNAVAILABLE, "standard output cannot be written");
  return NULL;
}

static Status *run_passes(Job *job, Program *p, Guard *guard, Diag *diag) {
  for (uint32_t i = 0; i < job->n_passes; i++) {
    Arena arena;
    arena_init(&arena, guard);
    Pass pass = {p, &job->options[i], guard, &arena, diag, &job->warned};
    Status *status = job->passes[i]->run(&pass);
    arena_deinit(&arena);
    if (status) return status;
    if (!program_verify(p, diag)) return diag_status(diag);
  }
  return NULL;
}

// Prints the diagnostics; with -verify-diagnostics, those that differ from the expected ones.
static bool report(const Job *job, const Diag *diag, Guard *guard, bool good) {
  StrBuf out;
  strbuf_init(&out, guard);
  if (job->verify_diagnostics)
    good = expect_diagnostics(&job->source, job->begin, job->end, diag, &out);
  else
    diag_render(diag, &out, false);
  fwrite(out.data ? out.data : "", 1, out.used, stderr);
  strbuf_deinit(&out);
  return good;
}

static Status *run_segment(Guard *guard, void *arg) {
  Job *job = arg;
  Context *context = context_new(guard);
  Diag diag;
  diag_init(&diag, guard, &job->source);
  Program *p = NULL;
  Status *status = program_parse(context, guard, &job->source, job->begin, job->end,
                                 &(ParseOptions){.allow_unregistered = true}, &diag, &p);
  if (!status && !program_verify(p, &diag)) status = diag_status(&diag);
  if (!status) status = run_passes(job, p, guard, &diag);
  if (!status) {
    StrBuf out;
    strbuf_init(&out, guard);
    out.flush = to_stdout;
    program_print(p, &(PrintOptions){0}, &out);
    strbuf_flush(&out);
    strbuf_deinit(&out);
  }
  job->good = report(job, &diag, guard, !status);
  if (diag.errors) {  // already printed
    status_free(status);
    status = NULL;
  }
  program_free(p);
  diag_deinit(&diag);
  context_free(context);
  return status;
}

static bool is_true(Str value) { return value.n == 0 || str_is(value, "true"); }

// One "key=value" of a pass; false if it is not known.
static bool set_option(PassOptions *options, Str key, Str value) {
  if (str_is(key, "propagation-strategy")) {
    if (str_is(value, "basic"))
      options->steps = STEPS_BASIC;
    else if (str_is(value, "aggressive"))
      options->steps = STEPS_AGGRESSIVE;
    else if (str_is(value, "basic-then-aggressive"))
      options->steps = STEPS_BASIC_THEN_AGGRESSIVE;
    else
      return false;
    return true;
  }
  if (str_is(key, "keep-sharding-rules"))
    options->keep_rules = is_true(value);
  else if (str_is(key, "conservative-propagation"))
    options->conservative = is_true(value);
  else if (str_is(key, "run-op-priority-propagation"))
    options->no_op_priority = !is_true(value);
  else if (str_is(key, "dedup-functions-fully"))
    options->keep_calls = is_true(value);
  else if (str_is(key, "per-dim-all-gather"))
    options->per_dim_all_gather = is_true(value);
  else if (str_is(key, "keep-redundant-reshards"))
    options->keep_redundant = is_true(value);
  else if (str_is(key, "replica-count"))
    options->replicas = !str_is(value, "1");
  else if (str_is(key, "partition-count") || str_is(key, "enable-rgv3") ||
           str_is(key, "enable-halo-exchange") || str_is(key, "enable-full-version") ||
           str_is(key, "avoid-reshards-on-named-computations") ||
           str_is(key, "rng-bit-generator-unsafe"))
    return true;  // they do not change the result
  else if (str_is(key, "enable-native-non-flat-support"))
    options->function_edges = is_true(value);
  else
    return false;
  return true;
}

// "key=value key=value", separated by blanks or commas.
static bool set_options(PassOptions *options, const char *text) {
  while (*text) {
    size_t n = strcspn(text, " ,{}");
    const char *equals = memchr(text, '=', n);
    Str key = {text, equals ? (size_t)(equals - text) : n};
    Str value = equals ? (Str){equals + 1, n - key.n - 1} : (Str){text, 0};
    if (n && !set_option(options, key, value)) return false;
    text += n + (text[n] != '\0');
  }
  return true;
}

// "flag" or "flag=option=value option=value"; false if there is no such pass.
static bool add_pass(Job *job, const char *text) {
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    size_t n = strlen(rows[i].flag);
    if (strncmp(text, rows[i].flag, n) != 0 || (text[n] && text[n] != '=')) continue;
    if (job->n_passes == MAX_PASSES) return false;
    if (text[n] && !set_options(&job->options[job->n_passes], text + n + 1)) return false;
    job->passes[job->n_passes++] = &rows[i];
    return true;
  }
  return false;
}

// Replaces passes of Shardy's partitioner by ours, if the last of them is among them. False if a
// flag has no meaning without it.
static bool join_stages(Job *job) {
  bool in_pipeline = false, last = false;
  for (uint32_t i = 0; i < job->n_passes; i++) {
    last |= job->passes[i]->run == to_local;
    in_pipeline |= job->passes[i]->run == insert_reshards || !job->passes[i]->run;
  }
  if (in_pipeline && !last) {
    for (uint32_t i = 0; i < job->n_passes; i++) {
      if (job->passes[i]->run) continue;
      fprintf(stderr, "sdy_opt: --%s is known beside --sdy-convert-global-to-local only\n",
              job->passes[i]->flag);
      return false;
    }
  }
  static const PassRow joined = {"sdy-partitioner-pipeline", partition};
  uint32_t n = 0;
  for (uint32_t i = 0; i < job->n_passes; i++) {
    const PassRow *row = job->passes[i];
    bool stage = !row->run || row->run == insert_reshards || row->run == to_collectives;
    if (in_pipeline && last && stage) continue;
    job->passes[n] = in_pipeline && row->run == to_local ? &joined : row;
    job->options[n++] = job->options[i];
  }
  job->n_passes = n;
  return true;
}

int main(int argc, char **argv) {
  Job job = {0};
  const char *path = "-";
  bool split = false, good = true;
  for (int i = 1; i < argc; i++) {
    const char *arg = argv[i];
    if (arg[0] != '-' || !arg[1]) {
      path = arg;
      continue;
    }
    while (*arg == '-') arg++;
    if (strcmp(arg, "split-input-file") == 0)
      split = true;
    else if (strcmp(arg, "verify-diagnostics") == 0)
      job.verify_diagnostics = true;
    else if (strcmp(arg, "allow-unregistered-dialect") != 0 && !add_pass(&job, arg)) {
      fprintf(stderr, "sdy_opt: %s is not known\n", argv[i]);
      return 2;
    }
  }
  if (!join_stages(&job)) return 2;
  char *data;
  size_t bytes;
  Status *status = file_read(path, FILE_MOST_TEXT, &data, &bytes);
  if (status) {
    fprintf(stderr, "sdy_opt: %s\n", status_message(status));
    status_free(status);
    return 2;
  }
  job.source = (Source){.path = path, .text = data, .size = bytes};
  uint32_t index = 0;
  if (!split) job.end = bytes;
  while (split ? source_next_segment(&job.source, &job.begin, &job.end) : index == 0) {
    if (index++) puts("// -----");
    job.good = false;
    status = guard_run(run_segment, &job);
    if (status) fprintf(stderr, "%s\n", status_message(status));
    good &= !status && job.good;
    status_free(status);
  }
  mem_free(data);
  return fflush(stdout) == 0 && good ? 0 : 1;
}
