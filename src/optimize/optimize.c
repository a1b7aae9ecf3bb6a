// Problem: a rewrite by one pass enables another one: a slice that moved up meets an all_gather,
// two all_reduces that moved down meet each other.
//
// Idea: the passes of passes.def run in order, again and again, until an iteration changes nothing.
// Passes that must see the final program (late, bucket) and those that only change its form run
// once afterwards.
//
// Invariant: each pass takes a verified program and leaves one. Around all passes, sums of 16-bit
// floats are one op each (rounded.h), and ids of reasons are hidden in locations (why_ids.h). Cost:
// O(program) per iteration, at most MOST_ITERATIONS.
#include "optimize/optimize.h"

#include <stdio.h>
#include <string.h>

#include "optimize/pass.h"
#include "optimize/rounded.h"
#include "optimize/why_ids.h"

enum { MOST_ITERATIONS = 6 };

typedef enum When { WHEN_CLEAN, WHEN_ITERATION, WHEN_RINGS, WHEN_END, WHEN_FORM } When;

static const struct {
  const char *name, *summary;
  When when;
  uint32_t (*run)(Optimizer *o);
} passes[PASS_COUNT] = {
#define PASS(name_, when_, summary_) {#name_, summary_, when_, pass_##name_},
#include "optimize/passes.def"
#undef PASS
};

const char *pass_name(PassId pass) { return passes[pass].name; }
const char *pass_summary(PassId pass) { return passes[pass].summary; }

static uint32_t run_pass(Optimizer *o, PassId pass, OptimizeStats *stats) {
  ArenaMark mark = arena_mark(&o->scratch);
  guard_tell(o->guard, "optimizing passes", (uint64_t)stats->iterations * PASS_COUNT + pass, 0);
  uint32_t changes = passes[pass].run(o);
  arena_rewind(&o->scratch, mark);
  stats->changes[pass] += changes;
  return changes;
}

// Runs the passes of the given kinds in table order. Returns the number of rewrites.
static uint32_t run_kinds(Optimizer *o, When first, When last, OptimizeStats *stats) {
  uint32_t changes = 0;
  for (PassId i = 0; i < PASS_COUNT; i++)
    if (passes[i].when >= first && passes[i].when <= last) changes += run_pass(o, i, stats);
  return changes;
}

static void run_until_stable(Optimizer *o, bool rings, OptimizeStats *stats) {
  for (uint32_t changes = 1; changes && stats->iterations < MOST_ITERATIONS; stats->iterations++)
    changes = run_kinds(o, WHEN_CLEAN, WHEN_ITERATION, stats);
  if (run_kinds(o, rings ? WHEN_RINGS : WHEN_END, WHEN_END, stats))
    run_kinds(o, WHEN_CLEAN, WHEN_CLEAN, stats);
}

// Runs a list such as "share,dead". Passes of WHEN_FORM are only recorded in `forms`: they run
// last.
static Status *run_named(Optimizer *o, const char *list, bool *forms, OptimizeStats *stats) {
  for (const char *at = list; *at;) {
    size_t n = strcspn(at, ",");
    PassId pass = 0;
    while (pass < PASS_COUNT &&
           (strncmp(passes[pass].name, at, n) != 0 || passes[pass].name[n] != 0))
      pass++;
    if (pass == PASS_COUNT) {
      char known[256] = "";
      for (pass = 0; pass < PASS_COUNT; pass++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", pass ? ", " : "",
                 passes[pass].name);
      FAIL(INVALID_ARGUMENT, "there is no pass '%.*s'; there are %s", (int)n, at, known);
    }
    if (passes[pass].when == WHEN_FORM)
      forms[pass] = true;
    else
      run_pass(o, pass, stats);
    at += n + (at[n] == ',');
  }
  return NULL;
}

// ---- the form of collectives ----

// The passes with WHEN_FORM that a list such as "single" or "xla" names.
static Status *read_forms(const char *list, bool *out_forms) {
  bool forms[PASS_COUNT] = {false};
  for (const char *at = list ? list : ""; *at;) {
    size_t n = strcspn(at, ",");
    Str word = {at, n};
    bool known = str_is(word, "combined"), all = str_is(word, "xla");
    for (PassId i = 0; i < PASS_COUNT; i++)
      if (passes[i].when == WHEN_FORM && (all || str_is(word, passes[i].name)))
        forms[i] = known = true;
    if (!known) {
      char names[256] = "combined, xla";
      for (PassId i = 0; i < PASS_COUNT; i++)
        if (passes[i].when == WHEN_FORM)
          snprintf(names + strlen(names), sizeof names - strlen(names), ", %s", passes[i].name);
      FAIL(INVALID_ARGUMENT, "collectives have no form '%.*s'; there are %s", (int)n, at, names);
    }
    at += n + (at[n] == ',');
  }
  memcpy(out_forms, forms, sizeof forms);
  return NULL;
}

Status *optimize_check_collectives(const char *list) {
  bool forms[PASS_COUNT];
  return read_forms(list, forms);
}

static void release(void *object) {
  Optimizer *o = object;
  literal_heap_deinit(&o->heap);
  arena_deinit(&o->scratch);
  arena_deinit(&o->arena);
}

Status *optimize_program(Program *local, const OptimizeOptions *options, Guard *guard, Diag *diag,
                         OptimizeStats *out) {
  static const OptimizeOptions none;
  (void)diag;
  if (!options) options = &none;
  bool forms[PASS_COUNT];
  TRY(read_forms(options->collectives, forms));
  const Mesh *mesh = options->mesh && !options->mesh->maximal ? options->mesh : NULL;
  Optimizer o = {.p = local,
                 .context = local->context,
                 .guard = guard,
                 .network = options->network ? options->network : &network_default,
                 .compute = options->compute ? *options->compute : compute_default,
                 .table = options->table,
                 .edges_are_annotated = options->edges_are_annotated,
                 .mesh = mesh,
                 .n_devices = mesh ? mesh->n_devices : options->n_devices,
                 .single = forms[PASS_single],
                 .typed = forms[PASS_typed],
                 .trades = options->trades,
                 .bucket_bytes = options->bucket_bytes > 0 ? options->bucket_bytes : 32 << 20,
                 .paced_bytes = options->paced_bytes > 0 ? options->paced_bytes : 64 << 10};
  arena_init(&o.arena, guard);
  arena_init(&o.scratch, guard);
  literal_heap_init(&o.heap, guard, 0);
  GuardCleanup cleanup = {release, &o, NULL};
  guard_push(guard, &cleanup);
  Guard *before = program_guard(local, guard);
  OptimizeStats stats = {0};
  Status *status = NULL;
  bool has_ids = why_ids_hide(&o);
  rounded_join(&o);
  if (options->passes)
    status = run_named(&o, options->passes, forms, &stats);
  else
    run_until_stable(&o, options->rings, &stats);
  rounded_split(&o);
  for (PassId i = 0; i < PASS_COUNT && !status; i++)
    if (forms[i]) run_pass(&o, i, &stats);
  if (has_ids) why_ids_show(&o);
  program_guard(local, before);
  guard_pop(guard, &cleanup);
  release(&o);
  if (!status && out) *out = stats;
  return status;
}
