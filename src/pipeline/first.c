// Priorities by trial: a rule's neighbourhood says little about what it costs far away, so each way
// is made as a whole, in a context of its own, and thrown away.
#include "pipeline/first.h"

#include "cost/machine.h"
#include "ops/infer.h"
#include "cost/traffic.h"
#include "cost/tuning.h"
#include "pipeline/partition.h"
#include "annotate/shard_rules.h"

typedef struct Trial {
  PropagateRequest request;
  Context *context;
  Program *program;
  Diag diag;
  Propagated result;
  double seconds;
  Traffic traffic;  // its rows are gone with the trial
  const struct Trying *trying;
} Trial;

// How far the trials are: whatever a trial tells, this is told.
typedef struct Trying {
  const Guard *guard;
  uint32_t done, total;
} Trying;

static void tell_trial(void *user, const char *stage, uint64_t done, uint64_t total) {
  const Trying *trying = user;
  (void)stage, (void)done, (void)total;
  guard_tell(trying->guard, "trying orders of annotations", trying->done, trying->total);
}

static Status *predict(Trial *t, const Mesh *mesh) {
  Network network = network_default;
  Compute compute = compute_default;
  if (t->request.machine) {
    Machine machine;
    TRY(machine_read(str_of(t->request.machine), &t->result.arena, &machine));
    network = machine_network(&machine, t->program->context, mesh, &t->result.arena);
    compute = machine.compute;
  }
  t->seconds = traffic_seconds(&t->traffic, &network, &compute);
  return NULL;
}

static Status *trial_body(Guard *guard, void *arg) {
  Trial *t = arg;
  Progress progress = {tell_trial, (void *)(uintptr_t)t->trying};
  guard_set_progress(guard, &progress);
  const ProgramText *again = t->request.again;
  diag_init(&t->diag, guard, again->source);
  t->context = context_new(guard);
  TRY(program_parse(t->context, guard, again->source, again->begin, again->end, &again->options,
                    &t->diag, &t->program));
  if (!program_verify(t->program, &t->diag)) return diag_status(&t->diag);
  pipeline_keep_edges(t->program, &t->request);
  TRY(pipeline_propagate(t->program, &t->request, guard, &t->diag, &t->result));
  LocalOptions local = {.call_rules = t->request.call_rules, .machine = t->request.machine};
  MeshId mesh;
  TRY(pipeline_partition(t->program, &t->result, &local, guard, &t->diag, &mesh));
  const Mesh *on = sharding_mesh(t->result.table, mesh);
  Traffic traffic;
  traffic_count(t->program, on, on ? on->n_devices : 1, &t->result.arena, &traffic);
  t->traffic = traffic;
  return predict(t, on);
}

// False if it cannot be done so.
static bool try_way(const PropagateRequest *request, uint32_t first, bool by_cost, Trying *trying,
                    Trial *out) {
  *out = (Trial){.request = *request, .trying = trying};
  out->request.first = first;
  out->request.by_cost = by_cost;
  Status *status = guard_run(trial_body, out);
  trying->done++;
  bool good = !status;
  status_free(status);
  propagated_deinit(&out->result);
  program_free(out->program);
  context_free(out->context);
  if (out->diag.source) diag_deinit(&out->diag);
  return good;
}

enum { MOST_GROUPS = 16 };

// The groups of rules that share an axis with others; none if some have priorities: then the user
// has chosen.
static uint32_t find_rivals(const PropagateRequest *request, Arena *arena, uint32_t *out) {
  ShardRules rules;
  shard_rules_init(&rules, arena);
  uint32_t n = 0;
  for (uint32_t i = 0; i < request->n_rules; i++) {
    Diag diag;
    diag_init(&diag, arena->guard, &request->rules[i]);
    bool good = shard_rules_read(&rules, &request->rules[i], &diag);
    diag_deinit(&diag);
    if (!good) return 0;
  }
  if (shard_rules_have_priorities(&rules)) return 0;
  uint32_t n_groups = shard_rules_group(&rules, MOST_GROUPS);
  for (uint32_t g = 1; g <= n_groups; g++)
    if (shard_rules_has_rivals(&rules, g)) out[n++] = g;
  return n;
}

bool pipeline_has_rivals(const PropagateRequest *request, Arena *arena) {
  uint32_t rivals[MOST_GROUPS];
  return find_rivals(request, arena, rivals) > 0;
}

static bool keep_better(Trial *least, const Trial *trial, double times) {
  if (trial->seconds >= times * least->seconds) return false;
  *least = *trial;
  return true;
}

static const char *guess_words(const Traffic *t, Arena *arena) {
  if (!t->unknown_bytes && !t->unknown_steps && !t->unknown_flops) return "";
  return arena_printf(arena, " (%s%u loop%s of unknown length counted as %u iterations)",
                      t->told ? "" : "guess: ", t->unknown_loops, t->unknown_loops == 1 ? "" : "s",
                      t->trip_count);
}

void pipeline_choose_first(PropagateRequest *request, Arena *arena, const char **out_words) {
  uint32_t rivals[MOST_GROUPS], n = find_rivals(request, arena, rivals);
  Trial plain, least, trial;
  Trying trying = {.guard = arena->guard, .total = 2 + 2 * n};
  if (!try_way(request, FIRST_NONE, false, &trying, &plain)) return;
  least = plain;
  if (try_way(request, FIRST_NONE, true, &trying, &trial)) keep_better(&least, &trial, 1);
  bool ordered = false;
  for (uint32_t i = 0; i < 2 * n; i++)
    if (try_way(request, rivals[i / 2], i % 2, &trying, &trial))
      ordered |= keep_better(&least, &trial, ordered ? 1 : tuning.order_most_time);
  request->first = least.request.first;
  request->by_cost = least.request.by_cost;
  if (ordered)
    *out_words = arena_printf(
        arena,
        "%.3g bytes sent per device instead of %.3g, %.0f collectives on the "
        "critical path instead of %.0f, %.3g FLOPs per device instead of %.3g%s",
        least.traffic.bytes, plain.traffic.bytes, least.traffic.steps, plain.traffic.steps,
        least.traffic.flops, plain.traffic.flops, guess_words(&least.traffic, arena));
}
