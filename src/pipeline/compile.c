// All stages of a program, from text to verified local program. `compile` is the table of contents:
// one line per stage, in order. Stages are in propagate.c, partition.c, verify_partition.c and the
// directories that these call.
//
// Invariant. A stage reads and writes the session only. The first error ends the compilation; the
// session stays valid. O(program) except propagation (src/propagate) and verification (evaluates
// both programs).
#include "pipeline/compile.h"

#include "base/clock.h"
#include "ir/clone.h"
#include "ops/infer.h"
#include "pipeline/plan.h"
#include "pipeline/trials.h"
#include "report/show_traffic.h"

static Status *read_program(Session *s, const CompileRequest *r) {
  if (s->program) return NULL;
  s->context = context_new(s->guard);
  return program_parse(s->context, s->guard, s->source, r->begin, r->end, &r->parse, &s->diag,
                       &s->program);
}

static Status *verify_program(Session *s) {
  if (!s->verified && !program_verify(s->program, &s->diag)) return diag_status(&s->diag);
  s->verified = true;
  return NULL;
}

static bool partitions(const CompileRequest *r) {
  return r->stop_after == STAGE_ALL || r->stop_after > STAGE_WRITE;
}

// A local program has shapes of shards and collectives between its devices; partitioning it again
// would give wrong results.
static Status *refuse_local(const Session *s, const CompileRequest *r) {
  if (!partitions(r) || !op_attr(s->program, s->program->root, "tessera.mesh")) return NULL;
  FAIL(INVALID_ARGUMENT, "the program is already a local program (its module has tessera.mesh): "
                         "tessera run runs it, tessera optimize optimizes it");
}

// Work that needs the program as it was read: a clone to verify against, edges that keep their
// shardings, trials of which rules propagate first and of whether bytes or seconds decide.
static void prepare(Session *s, CompileRequest *r) {
  if (r->verify && partitions(r)) s->global = program_clone(s->program, s->context, s->guard);
  if (partitions(r)) keep_propagated_edges(s->program, &r->annotations);
  if (r->annotations.by_cost && r->annotations.try_orders)
    trials_choose(s->program, &r->annotations, &s->arena);
  bool tries = r->annotations.machine && !r->plan && !r->local.decisions.n;
  if (partitions(r) && r->annotations.weigh == WEIGH_BEST && tries)
    r->annotations.weigh = trials_weigh(s->program, &r->annotations, &r->local, s->guard);
  r->local.seconds_decide = r->annotations.weigh == WEIGH_SECONDS;
}

static Status *write_shardings(Session *s, const CompileRequest *r, Compiled *out) {
  WriteForm form = r->write;
  if (partitions(r)) {
    out->global_flops = program_flops(s->program, sharding_mesh(s->table, s->mesh), &s->arena);
    TRY(session_read_machine(s, r->annotations.machine));
    form = (WriteForm){.emit = EMIT_SDY, .close = true};
  }
  return stage_write(s, &r->annotations, &form);
}

static Status *partition(Session *s, Compiled *out) {
  TRY(stage_partition(s, &out->mesh));
  out->devices = sharding_mesh(s->table, out->mesh);
  out->n_devices = out->devices ? out->devices->n_devices : 1;
  return NULL;
}

// Counts communication and work; on request predicts seconds and memory. With reasons, also lists
// the reason of each collective.
static Status *measure(Session *s, const CompileRequest *r, Compiled *out) {
  traffic_count(s->program, out->devices, out->n_devices, &s->arena, &out->traffic);
  if (r->simulate)
    TRY(stage_simulate(s, out->devices, out->n_devices, out->global_flops, &out->prediction));
  if (!r->local.why) return NULL;
  Reasons *reasons = ARENA_NEW(&s->arena, Reasons);
  reasons_list(s->program, out->devices, out->n_devices, s->guard, &s->arena, reasons);
  if (traffic_marks(r->local.collectives)) reasons_mark(s->program, reasons, &s->arena);
  out->reasons = reasons;
  return NULL;
}

static Status *verify_local(Session *s, const CompileRequest *r, Compiled *out) {
  if (!r->verify) return NULL;
  return verify_partition(s->global, s->program, s->table, out->mesh, r->verify, s->guard,
                          &s->arena, &out->verified);
}

// Prepares the program for a plan. Errors name the plan's file.
static Status *open_plan(Session *s, CompileRequest *r) {
  if (!r->plan) return NULL;
  Status *status = plan_open(s->program, r->local.decisions, s->guard, &s->arena, &r->annotations);
  if (!status || !r->plan_path) return status;
  Status *located = status_new(status_code(status), __FILE__, __LINE__, "%s: %s", r->plan_path,
                               status_message(status));
  status_free(status);
  return located;
}

#define LAST(stage)                                                                                \
  if (r->stop_after == (stage)) return NULL

Status *compile(Session *s, const CompileRequest *request, Compiled *out) {
  CompileRequest chosen = *request, *r = &chosen;
  *out = (Compiled){.n_devices = 1};

  TRY(read_program(s, r));
  LAST(STAGE_READ);
  TRY(verify_program(s));
  LAST(STAGE_VERIFY);
  TRY(refuse_local(s, r));
  TRY(open_plan(s, r));

  prepare(s, r);
  TRY(stage_import(s, &r->annotations));
  LAST(STAGE_IMPORT);
  double start = clock_seconds();
  TRY(stage_annotate(s, &r->annotations, &out->n_annotated));
  LAST(STAGE_ANNOTATE);
  stage_propagate(s);
  out->propagate_seconds = clock_seconds() - start;
  LAST(STAGE_PROPAGATE);
  TRY(write_shardings(s, r, out));
  LAST(STAGE_WRITE);

  TRY(stage_decide(s, &r->local, &out->redundant));
  LAST(STAGE_DECIDE);
  TRY(partition(s, out));
  LAST(STAGE_PARTITION);
  TRY(stage_optimize(s, &r->local, out->mesh));
  LAST(STAGE_OPTIMIZE);
  TRY(stage_check_local(s));
  LAST(STAGE_CHECK_LOCAL);
  TRY(measure(s, r, out));
  LAST(STAGE_MEASURE);
  return verify_local(s, r, out);
}
