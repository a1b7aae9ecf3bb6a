// Problem: the costs of a serial program differ from the simulated step. Collectives slack with
// compute, and combined ones share their latencies.
//
// Idea: communication is kept in parts: by class (cost/slack.h), and as time of bytes and
// latencies. Each part has a factor. The factors with which a choice's parts are those of its
// simulation price other choices near it.
//
// Cost: O(problem).
#include <math.h>

#include "plan/model_private.h"

const Pricing pricing_serial = {1, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0}, 0};

static const double least_exposed = 0.02;  // collectives that are hidden today are not free

// What cannot overlap, of the seconds of a reshard.
typedef struct Waits {
  double seconds, least, work;
} Waits;

static Waits waits_of(const Pricing *pricing, Sent sent, const MatrixPart *at) {
  Waits w = {.seconds = PLAN_UNIT * ((double)sent.transfer * pricing->transfer[at->slack] +
                                     (double)sent.latency * pricing->latency[at->slack]),
             .work = PLAN_UNIT * (double)sent.work};
  double window = at->slack == SLACK_NONE ? pricing->backlog[at->part] * at->runs : at->window;
  w.least = fmax(0, w.seconds - window);
  return w;
}

static int64_t priced(const Pricing *pricing, Sent sent, const MatrixPart *at) {
  Waits w = waits_of(pricing, sent, at);
  return model_units(w.least + pricing->exposed[at->slack] * (w.seconds - w.least) +
                     w.work * pricing->compute);
}

static MatrixPart part_of(const ModelVar *v, uint8_t slack) {
  return (MatrixPart){slack, v->part, v->windows[slack], v->runs};
}

void model_price(Model *m, const Pricing *pricing, double limit_bytes) {
  Problem *problem = &m->problem;
  for (uint32_t i = 0; i < m->parts.count; i++) {
    const PlanMatrix *matrix = &problem->matrices.items[i];
    for (uint64_t k = matrix->first; k < matrix->first + matrix->n; k++)
      problem->entries.items[k] = priced(pricing, m->sent.items[k], &m->parts.items[i]);
  }
  int64_t *cost = problem->costs.items;
  for (uint32_t i = 0; i < m->vars.count; i++) {
    const ModelVar *v = &m->vars.items[i];
    for (uint32_t k = 0; k < v->n; k++, cost++) {
      *cost = v->costs[k];
      if (*cost >= PLAN_FORBIDDEN) continue;
      *cost = (int64_t)((double)*cost * pricing->compute);
      for (uint8_t o = 0; o < SLACK_COUNT; o++) {
        MatrixPart at = part_of(v, o);
        *cost += priced(pricing, v->sent[o * v->n + k], &at);
      }
    }
  }
  problem->limit_bytes = (int64_t)limit_bytes;
}

void model_scale(Model *m, double communication, double limit_bytes) {
  Pricing pricing = pricing_serial;
  for (uint32_t i = 0; i < SLACK_COUNT; i++)
    pricing.transfer[i] = pricing.latency[i] = communication;
  model_price(m, &pricing, limit_bytes);
}

static void add_sent(Pricing *sum, const Pricing *pricing, Sent sent, const MatrixPart *at) {
  sum->transfer[at->slack] += (double)sent.transfer * PLAN_UNIT;
  sum->latency[at->slack] += (double)sent.latency * PLAN_UNIT;
  sum->compute += (double)sent.work * PLAN_UNIT;
  sum->exposed[at->slack] += waits_of(pricing, sent, at).least;
}

void model_parts(const Model *m, const uint32_t *choice, const Pricing *pricing, Pricing *out) {
  const Problem *problem = &m->problem;
  *out = (Pricing){0};
  for (uint32_t i = 0; i < m->vars.count; i++) {
    const ModelVar *v = &m->vars.items[i];
    out->compute += (double)v->costs[choice[i]] * PLAN_UNIT;
    for (uint8_t o = 0; o < SLACK_COUNT; o++) {
      MatrixPart at = part_of(v, o);
      add_sent(out, pricing, v->sent[o * v->n + choice[i]], &at);
    }
  }
  for (uint32_t i = 0; i < problem->edges.count; i++) {
    const PlanEdge *edge = &problem->edges.items[i];
    if (edge->matrix >= m->parts.count) continue;
    uint64_t at = problem->matrices.items[edge->matrix].first +
                  (uint64_t)choice[edge->a] * m->vars.items[edge->b].n + choice[edge->b];
    add_sent(out, pricing, m->sent.items[at], &m->parts.items[edge->matrix]);
  }
}

double model_predict(const Model *m, const uint32_t *choice, const Pricing *pricing) {
  Pricing parts;
  model_parts(m, choice, pricing, &parts);
  double seconds = parts.compute * pricing->compute + pricing->offset;
  for (uint32_t i = 0; i < SLACK_COUNT; i++) {
    double busy = parts.transfer[i] * pricing->transfer[i] + parts.latency[i] * pricing->latency[i];
    seconds += parts.exposed[i] + pricing->exposed[i] * (busy - parts.exposed[i]);
  }
  return seconds;
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
  Pricing parts, out = pricing_serial;
  model_parts(m, choice, &pricing_serial, &parts);
  out.compute = factor(parts.compute, compute_seconds, 0.5, 2);
  for (uint32_t i = 0; i < SLACK_COUNT; i++) {
    out.transfer[i] = factor(parts.transfer[i], s->transfer[i], 0.5, 2);
    out.latency[i] = factor(parts.latency[i], s->latency[i], 0.1, 2);
  }
  for (uint32_t i = 0; i < BACKLOG_PARTS; i++) out.backlog[i] = s->backlog[i];
  model_parts(m, choice, &out, &parts);
  double cost = parts.compute * out.compute, seconds = compute_seconds, load = 0;
  // The fuller the links are, the more of another collective is exposed.
  for (uint32_t i = 0; i < SLACK_COUNT && compute_seconds > 0; i++)
    load += (s->transfer[i] + s->latency[i]) / compute_seconds;
  for (uint32_t i = 0; i < SLACK_COUNT; i++) {
    double busy = parts.transfer[i] * out.transfer[i] + parts.latency[i] * out.latency[i];
    double rest = busy - parts.exposed[i];
    out.exposed[i] = load;
    // What is exposed of activations is what exceeds the backlog.
    if (i != SLACK_NONE && rest > 0)
      out.exposed[i] = fmax(load, (s->exposed[i] - parts.exposed[i]) / rest);
    out.exposed[i] = fmin(1, fmax(least_exposed, out.exposed[i]));
    cost += parts.exposed[i] + out.exposed[i] * rest;
    seconds += s->exposed[i];
  }
  out.offset = seconds - cost;
  return out;
}
