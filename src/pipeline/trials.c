// Problem. Rules that share an axis conflict somewhere, and which one propagates first changes the
// price of the entire program. The ops next to a rule do not show it. Neither do they show whether
// fewer bytes now save seconds later.
//
// Idea. Compile each order to its local program, on a clone in a context of its own, predict its
// time and free it. Orders: none, and each group of rivals first, with conflicts resolved by size
// and by cost. The same with and without the penalty for bytes, on a given machine.
//
// Invariant. The program stays as it is. Another order than the user's must be clearly faster
// (tuning.order_most_time).
//
// Cost. O(groups · (propagation + partition)), at most 16 groups; of bytes and seconds, 2 of each.
#include "pipeline/trials.h"

#include "cost/traffic.h"
#include "cost/tuning.h"
#include "annotate/shard_rules.h"
#include "pipeline/compile.h"

typedef struct Trial {
  PropagateRequest request;
  LocalOptions local;
  bool simulate;                             // seconds by simulation instead of by counts
  Session session;                           // on a clone
  double seconds, peak_bytes, usable_bytes;  // the last two: of a simulation
  Traffic traffic;                           // totals only: its rows are freed with the trial
  const struct Trying *trying;
} Trial;

// Progress of the trials: reported whenever a trial reports progress.
typedef struct Trying {
  const Program *program;
  const Guard *guard;
  uint32_t done, total;
} Trying;

static void tell_trial(void *user, const char *stage, uint64_t done, uint64_t total) {
  const Trying *trying = user;
  (void)stage, (void)done, (void)total;
  guard_tell(trying->guard, "trying orders of annotations", trying->done, trying->total);
}

// Seconds of the local program by the cost model.
static double predict(Trial *t, const Mesh *mesh) {
  Network network = network_default;
  Compute compute = compute_default;
  const Machine *machine = t->session.machine;
  if (machine) {
    network = machine_network(machine, t->session.context, mesh, &t->session.arena);
    compute = machine_compute(machine, mesh ? mesh->n_devices : 1);
  }
  return traffic_seconds(&t->traffic, &network, &compute);
}

static Status *trial_body(Guard *guard, void *arg) {
  Trial *t = arg;
  Progress progress = {tell_trial, (void *)(uintptr_t)t->trying};
  session_view(&t->session, guard, t->trying->program);
  guard_set_progress(guard, &progress);
  CompileRequest request = {.annotations = t->request,
                            .local = t->local,
                            .simulate = t->simulate,
                            .stop_after = STAGE_MEASURE};
  Compiled compiled;
  TRY(compile(&t->session, &request, &compiled));
  t->traffic = compiled.traffic;
  const Simulated *simulated = compiled.prediction.simulated;
  if (!simulated) {
    t->seconds = predict(t, compiled.devices);
    return NULL;
  }
  t->seconds = simulated->compute_seconds + simulated->collective_seconds;
  t->peak_bytes = simulated->peak_bytes;
  t->usable_bytes = simulated->usable_bytes;
  return NULL;
}

// Compiles and predicts. False if that fails.
static bool run_trial(Trying *trying, Trial *trial) {
  trial->trying = trying;
  trial->request.try_orders = false;
  Status *status = guard_run(trial_body, trial);
  trying->done++;
  bool good = !status;
  status_free(status);
  session_deinit(&trial->session);
  return good;
}

static bool try_order(const PropagateRequest *request, uint32_t leading_group, bool by_cost,
                      Trying *trying, Trial *out) {
  *out = (Trial){.request = *request};
  out->request.leading_group = leading_group;
  out->request.by_cost = by_cost;
  if (request->weigh == WEIGH_BEST) out->request.weigh = WEIGH_BYTES;  // no trials in trials
  return run_trial(trying, out);
}

enum { MOST_GROUPS = 16 };

// The groups of rules that share an axis with other groups. None if a rule has a priority: then the
// user has chosen.
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

bool trials_would_help(const PropagateRequest *request, Arena *arena) {
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
                      t->trip_count_given ? "" : "guess: ", t->unknown_loops,
                      t->unknown_loops == 1 ? "" : "s", t->trip_count);
}

void trials_choose(const Program *program, PropagateRequest *request, Arena *arena) {
  uint32_t rivals[MOST_GROUPS], n = find_rivals(request, arena, rivals);
  Trial plain, least, trial;
  Trying trying = {.program = program, .guard = arena->guard, .total = 2 + 2 * n};
  if (!try_order(request, 0, false, &trying, &plain)) return;
  least = plain;
  if (try_order(request, 0, true, &trying, &trial)) keep_better(&least, &trial, 1);
  bool ordered = false;
  for (uint32_t i = 0; i < 2 * n; i++)
    if (try_order(request, rivals[i / 2], i % 2, &trying, &trial))
      ordered |= keep_better(&least, &trial, ordered ? 1 : tuning.order_most_time);
  request->leading_group = least.request.leading_group;
  request->by_cost = least.request.by_cost;
  if (ordered)
    request->saving = arena_printf(
        arena,
        "%.3g bytes sent per device instead of %.3g, %.0f collectives on the "
        "critical path instead of %.0f, %.3g FLOPs per device instead of %.3g%s",
        least.traffic.bytes, plain.traffic.bytes, least.traffic.steps, plain.traffic.steps,
        least.traffic.flops, plain.traffic.flops, guess_words(&least.traffic, arena));
}

Weigh trials_weigh(const Program *program, const PropagateRequest *request,
                   const LocalOptions *local, const Guard *guard) {
  Trying trying = {.program = program, .guard = guard, .total = 2};
  Trial bytes = {.request = *request, .simulate = true};
  bytes.local = (LocalOptions){
      .plain = local->plain, .passes = local->passes, .rings = local->rings, .memo = local->memo};
  Trial seconds = bytes;
  bytes.request.weigh = WEIGH_BYTES;
  seconds.request.weigh = WEIGH_SECONDS;
  if (!run_trial(&trying, &bytes) || !run_trial(&trying, &seconds)) return WEIGH_BYTES;
  bool fits = seconds.peak_bytes <= seconds.usable_bytes || seconds.peak_bytes <= bytes.peak_bytes;
  return fits && seconds.seconds < bytes.seconds ? WEIGH_SECONDS : WEIGH_BYTES;
}
