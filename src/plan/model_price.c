// Problem: the costs of a serial program differ from the simulated step. Collectives slack with
// compute, and combined ones share their latencies.
//
// Idea: communication is kept in parts: by class (cost/slack.h), and as time of bytes and
// latencies. Each part has a factor. The factors with which a choice's parts are those of its
// simulation price other choices near it.
//
// Cost: O(problem).
#include "plan/model_private.h"

const Pricing pricing_serial = {1, {1, 1, 1}, {1, 1, 1}};

static int64_t priced(const Pricing *pricing, Sent sent, uint8_t slack) {
  return (int64_t)((double)sent.transfer * pricing->transfer[slack] +
                   (double)sent.latency * pricing->latency[slack]);
}

void model_price(Model *m, const Pricing *pricing, double limit_bytes) {
  Problem *problem = &m->problem;
  for (uint32_t i = 0; i < m->slack.count; i++) {
    const PlanMatrix *matrix = &problem->matrices.items[i];
    for (uint64_t k = matrix->first; k < matrix->first + matrix->n; k++)
      problem->entries.items[k] = priced(pricing, m->sent.items[k], m->slack.items[i]);
  }
  int64_t *cost = problem->costs.items;
  for (uint32_t i = 0; i < m->vars.count; i++) {
    const ModelVar *v = &m->vars.items[i];
    for (uint32_t k = 0; k < v->n; k++, cost++) {
      *cost = v->costs[k];
      if (*cost >= PLAN_FORBIDDEN) continue;
      *cost = (int64_t)((double)*cost * pricing->compute);
      for (uint8_t o = 0; o < SLACK_COUNT; o++) *cost += priced(pricing, v->sent[o * v->n + k], o);
    }
  }
  problem->limit_bytes = (int64_t)limit_bytes;
}

static void add_sent(Pricing *sum, Sent sent, uint8_t slack) {
  sum->transfer[slack] += (double)sent.transfer * PLAN_UNIT;
  sum->latency[slack] += (double)sent.latency * PLAN_UNIT;
}

void model_parts(const Model *m, const uint32_t *choice, Pricing *out) {
  const Problem *problem = &m->problem;
  *out = (Pricing){0};
  for (uint32_t i = 0; i < m->vars.count; i++) {
    const ModelVar *v = &m->vars.items[i];
    out->compute += (double)v->costs[choice[i]] * PLAN_UNIT;
    for (uint8_t o = 0; o < SLACK_COUNT; o++) add_sent(out, v->sent[o * v->n + choice[i]], o);
  }
  for (uint32_t i = 0; i < problem->edges.count; i++) {
    const PlanEdge *edge = &problem->edges.items[i];
    if (edge->matrix >= m->slack.count) continue;
    uint64_t at = problem->matrices.items[edge->matrix].first +
                  (uint64_t)choice[edge->a] * m->vars.items[edge->b].n + choice[edge->b];
    add_sent(out, m->sent.items[at], m->slack.items[edge->matrix]);
  }
}

// The factor that takes a part of the problem to the simulated one, within bounds: near zero a
// quotient says nothing.
static double factor(double problem, double simulated, double least, double most) {
  if (problem <= 0) return 1;
  double f = simulated / problem;
  return f < least ? least : f > most ? most : f;
}

Pricing model_reprice(const Model *m, const uint32_t *choice, const Exposure *s,
                      double compute_seconds) {
  Pricing parts, out = {0};
  model_parts(m, choice, &parts);
  out.compute = factor(parts.compute, compute_seconds, 0.5, 2);
  for (uint32_t i = 0; i < SLACK_COUNT; i++) {
    double busy = s->transfer[i] + s->latency[i];
    double exposed = busy > 0 ? s->exposed[i] / busy : 1;
    out.transfer[i] = exposed * factor(parts.transfer[i], s->transfer[i], 0.5, 2);
    out.latency[i] = exposed * factor(parts.latency[i], s->latency[i], 0, 2);
    // Collectives that are hidden today are not free: many more of them would not be hidden.
    if (out.transfer[i] < 0.05) out.transfer[i] = 0.05;
    if (out.latency[i] < 0.05) out.latency[i] = 0.05;
  }
  return out;
}
