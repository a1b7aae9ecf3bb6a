// Priorities by trial: a rule's neighbourhood says little about what it costs far away, so each way
// is made as a whole, in a context of its own, and thrown away.
#include "pipeline/first.h"

#include "cost/compute.h"
#include "cost/network.h"
#include "ops/infer.h"
#include "partition/traffic.h"
#include "pipeline/partition.h"
#include "propagate/shard_rules.h"

typedef struct Trial {
  PropagateRequest request;
  Context *context;
  Program *program;
  Diag diag;
  Propagated result;
  double seconds, bytes, flops;
} Trial;

static Status *trial_body(Guard *guard, void *arg) {
  Trial *t = arg;
  const ProgramText *again = t->request.again;
  diag_init(&t->diag, guard, again->source);
  t->context = context_new(guard);
  TRY(program_parse(t->context, guard, again->source, again->begin, again->end, &again->options,
                    &t->diag, &t->program));
  if (!program_verify(t->program, &t->diag)) return diag_status(&t->diag);
  pipeline_keep_edges(t->program, &t->request);
  TRY(pipeline_propagate(t->program, &t->request, guard, &t->diag, &t->result));
  LocalOptions local = {.call_rules = t->request.call_rules};
  MeshId mesh;
  TRY(pipeline_partition(t->program, &t->result, &local, guard, &t->diag, &mesh));
  const Mesh *on = sharding_mesh(t->result.table, mesh);
  Traffic traffic;
  traffic_count(t->program, on, on ? on->n_devices : 1, &t->result.arena, &traffic);
  Link link = network_default.all;
  t->bytes = traffic.bytes;
  t->flops = traffic.flops;
  t->seconds = compute_seconds(&compute_default, traffic.flops) +
               traffic.bytes / link.bytes_per_second + traffic.steps * link.latency_seconds;
  return NULL;
}

// False if it cannot be done so.
static bool try_first(const PropagateRequest *request, uint32_t first, Trial *out) {
  *out = (Trial){.request = *request};
  out->request.first = first;
  out->request.by_cost = true;
  Status *status = guard_run(trial_body, out);
  bool good = !status;
  status_free(status);
  propagated_deinit(&out->result);
  program_free(out->program);
  context_free(out->context);
  if (out->diag.source) diag_deinit(&out->diag);
  return good;
}

enum { MOST_RULES = 16 };

// The rules that share an axis with others, by number from 1 on; 0 if some have priorities: then
// the user has chosen.
static uint32_t find_rivals(const PropagateRequest *request, Arena *arena, uint32_t *out) {
  ShardRules rules;
  shard_rules_init(&rules, arena);
  Diag diag;
  uint32_t n = 0;
  for (uint32_t i = 0; i < request->n_rules; i++) {
    diag_init(&diag, arena->guard, &request->rules[i]);
    bool good = shard_rules_read(&rules, &request->rules[i], &diag);
    diag_deinit(&diag);
    if (!good) return 0;
  }
  for (uint32_t i = 0; i < rules.count && n < MOST_RULES; i++)
    if (shard_rules_has_rivals(&rules, i)) out[n++] = i + 1;
  return shard_rules_have_priorities(&rules) ? 0 : n;
}

// What is not surely better is not worth an order that nobody asked for.
static const double surely = 0.97;

uint32_t pipeline_choose_first(const PropagateRequest *request, Arena *arena,
                               const char **out_words) {
  uint32_t rivals[MOST_RULES], n = find_rivals(request, arena, rivals), best = 0;
  Trial plain, least;
  if (!n || !try_first(request, FIRST_NONE, &plain)) return 0;
  least = plain;
  for (uint32_t i = 0; i < n; i++) {
    Trial trial;
    if (!try_first(request, rivals[i], &trial)) continue;
    if (trial.seconds >= (best ? least.seconds : surely * plain.seconds)) continue;
    least = trial;
    best = rivals[i];
  }
  if (best)
    *out_words = arena_printf(arena,
                              "%.3g bytes out of each device instead of %.3g, %.3g flops of "
                              "each instead of %.3g",
                              least.bytes, plain.bytes, least.flops, plain.flops);
  return best;
}
