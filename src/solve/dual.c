// TRW-S on the core at given memory prices.
//
// Variables are visited in the core's order, then backwards. A visit collects all messages to the
// variable (its belief) and sends the belief's share 1/max(earlier, later neighbours) to each
// neighbour that follows. Each message is normalized to least 0, and what is taken off is added to
// the bound. A sweep reads every matrix entry twice: O(entries).
//
// Messages are floats: half the memory traffic, and twice the lanes. What rounding costs the bound
// is in its seventh digit; dual_certify gives the exact value.
//
// Forbidden entries are INFINITY. After arc consistency every strategy has an allowed partner on
// every edge, so beliefs and messages are finite and no difference of infinities arises.
#include "solve/dual.h"

#include <math.h>
#include <string.h>

#include "solve/vectorize.h"

// ---- set-up ----

enum { LANES = 8 };

static uint32_t padded(uint32_t n) { return (n + LANES - 1) / LANES * LANES; }

static void copy_matrix(Dual *d, uint32_t i) {
  const CoreMatrix *from = &d->core->matrices[i];
  uint32_t rows = from->rows, columns = from->columns;
  size_t n = (size_t)rows * padded(columns), nt = (size_t)columns * padded(rows);
  float *m = d->m[i] = arena_alloc(d->arena, n * sizeof *m);
  float *mt = d->mt[i] = arena_alloc(d->arena, nt * sizeof *mt);
  for (size_t k = 0; k < n; k++) m[k] = (float)INFINITY;
  for (size_t k = 0; k < nt; k++) mt[k] = (float)INFINITY;
  for (uint32_t p = 0; p < rows; p++)
    for (uint32_t q = 0; q < columns; q++) {
      int64_t entry = from->m[(uint64_t)p * columns + q];
      float value = entry == CORE_FORBIDDEN ? (float)INFINITY : (float)entry;
      m[(uint64_t)p * padded(columns) + q] = mt[(uint64_t)q * padded(rows) + p] = value;
    }
}

static double share_of(const Core *core, uint32_t v) {
  uint32_t earlier = 0, all = core->adjacent_first[v + 1] - core->adjacent_first[v];
  for (uint32_t i = core->adjacent_first[v]; i < core->adjacent_first[v + 1]; i++)
    earlier += core->edges[core->adjacent[i]].b == v;
  uint32_t most = earlier > all - earlier ? earlier : all - earlier;
  return most ? 1.0 / most : 1;
}

static void add_messages(Dual *d) {
  const Core *core = d->core;
  for (uint32_t e = 0; e < core->n_edges; e++)
    d->n_messages += padded(core->n[core->edges[e].a]) + padded(core->n[core->edges[e].b]);
  float *at = d->messages = ARENA_ARRAY(d->arena, float, d->n_messages);
  for (uint32_t e = 0; e < core->n_edges; e++) {
    d->to_a[e] = at, at += padded(core->n[core->edges[e].a]);
    d->to_b[e] = at, at += padded(core->n[core->edges[e].b]);
  }
}

void dual_init(Dual *d, const Core *core, Arena *arena) {
  *d = (Dual){.core = core, .arena = arena};
  d->price = ARENA_ARRAY(arena, double, core->n_points + 1);
  d->prefix = ARENA_ARRAY(arena, double, core->n_points + 1);
  d->unary = ARENA_ARRAY(arena, double, core->n_states);
  d->belief = ARENA_ARRAY(arena, double, core->n_states);
  d->from = ARENA_ARRAY(arena, float, core->most_states + 1);
  d->minimizer = ARENA_ARRAY(arena, uint32_t, core->n_vars);
  d->scratch = ARENA_ARRAY(arena, double, 2 * (size_t)core->most_states + 1);
  d->m = ARENA_ARRAY(arena, float *, core->n_matrices);
  d->mt = ARENA_ARRAY(arena, float *, core->n_matrices);
  d->share = ARENA_ARRAY(arena, double, core->n_vars);
  d->to_a = ARENA_ARRAY(arena, float *, core->n_edges);
  d->to_b = ARENA_ARRAY(arena, float *, core->n_edges);
  for (uint32_t i = 0; i < core->n_matrices; i++) copy_matrix(d, i);
  for (uint32_t v = 0; v < core->n_vars; v++) d->share[v] = share_of(core, v);
  add_messages(d);
  dual_reprice(d);
}

// An item pays its bytes times the prices of its points: a difference of the prefix sums.
void dual_reprice(Dual *d) {
  const Core *core = d->core;
  d->memory_term = 0;
  for (uint32_t t = 0; t < core->n_points; t++) {
    d->prefix[t + 1] = d->prefix[t] + d->price[t];
    d->memory_term += d->price[t] * (double)(core->limit - core->fixed[t]);
  }
  for (uint32_t s = 0; s < core->n_states; s++) d->unary[s] = (double)core->cost[s];
  for (uint32_t v = 0; v < core->n_vars; v++) {
    double *unary = d->unary + core->first[v];
    for (uint32_t i = core->item_first[v]; i < core->item_first[v + 1]; i++) {
      const CoreItem *item = &core->items[i];
      double price = d->prefix[item->end] - d->prefix[item->begin];
      if (price > 0)
        for (uint32_t p = 0; p < core->n[v]; p++) unary[p] += (double)item->bytes[p] * price;
      d->work += 2 + core->n[v];
    }
  }
}

// ---- sweeps ----

// sum[i] += x[i]
VECTORIZE_WIDE static void add_floats(double *restrict sum, const float *restrict x, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) sum[i] += (double)x[i];
}

// out[i] = share * belief[i] - back[i]
VECTORIZE_WIDE static void share_out(float *restrict out, double share,
                                     const double *restrict belief, const float *restrict back,
                                     uint32_t n) {
  for (uint32_t i = 0; i < n; i++) out[i] = (float)(share * belief[i] - (double)back[i]);
}

static void collect(Dual *d, uint32_t v) {
  const Core *core = d->core;
  double *belief = d->belief + core->first[v];
  memcpy(belief, d->unary + core->first[v], core->n[v] * sizeof *belief);
  for (uint32_t i = core->adjacent_first[v]; i < core->adjacent_first[v + 1]; i++) {
    uint32_t e = core->adjacent[i];
    const float *message = core->edges[e].a == v ? d->to_a[e] : d->to_b[e];
    add_floats(belief, message, core->n[v]);
  }
}

static double least(const double *x, uint32_t n) {
  double best = x[0];
  for (uint32_t i = 1; i < n; i++) best = x[i] < best ? x[i] : best;
  return best;
}

// out[q] = min over p of from[p] + m[p][q], normalized; returns what was taken off. The solver
// spends its time in this loop. Element by element, it vectorizes without reordering a sum; four
// rows at once save loads and stores of `out`. The width is a multiple of LANES.
VECTORIZE_WIDE static double send(const float *restrict from, uint32_t rows,
                                  const float *restrict m, uint32_t width, float *restrict out) {
  width &= ~(uint32_t)(LANES - 1);
  for (uint32_t q = 0; q < width; q++) out[q] = from[0] + m[q];
  uint32_t p = 1;
  for (; p + 4 <= rows; p += 4) {
    const float *restrict r0 = m + (uint64_t)p * width, *restrict r1 = r0 + width;
    const float *restrict r2 = r1 + width, *restrict r3 = r2 + width;
    float f0 = from[p], f1 = from[p + 1], f2 = from[p + 2], f3 = from[p + 3];
    for (uint32_t q = 0; q < width; q++) {
      float x = f0 + r0[q], y = f1 + r1[q], z = f2 + r2[q], w = f3 + r3[q];
      x = x < y ? x : y;
      z = z < w ? z : w;
      x = x < z ? x : z;
      out[q] = x < out[q] ? x : out[q];
    }
  }
  for (; p < rows; p++) {
    const float *restrict row = m + (uint64_t)p * width;
    for (uint32_t q = 0; q < width; q++) {
      float x = from[p] + row[q];
      out[q] = x < out[q] ? x : out[q];
    }
  }
  float least[LANES], off;
  for (uint32_t k = 0; k < LANES; k++) least[k] = out[k];
  for (uint32_t q = LANES; q < width; q += LANES)
    for (uint32_t k = 0; k < LANES; k++) least[k] = out[q + k] < least[k] ? out[q + k] : least[k];
  off = least[0];
  for (uint32_t k = 1; k < LANES; k++) off = least[k] < off ? least[k] : off;
  for (uint32_t q = 0; q < width; q++) out[q] -= off;
  return (double)off;
}

// Visits one variable; sends to later neighbours, or to earlier ones. Returns the bound's increase:
// what the messages were reduced by, and the least of the belief's share that is not sent.
static double visit(Dual *d, uint32_t v, bool forward) {
  const Core *core = d->core;
  double *belief = d->belief + core->first[v];
  double off = 0, gamma = d->share[v];
  float *from = d->from;
  uint32_t n = core->n[v], sent = 0;
  collect(d, v);
  for (uint32_t i = core->adjacent_first[v]; i < core->adjacent_first[v + 1]; i++) {
    uint32_t e = core->adjacent[i];
    bool to_later = core->edges[e].a == v;
    if (to_later != forward) continue;
    const float *back = forward ? d->to_a[e] : d->to_b[e];
    share_out(from, gamma, belief, back, n);
    uint32_t other = forward ? core->edges[e].b : core->edges[e].a;
    uint32_t matrix = core->edges[e].matrix;
    off += send(from, n, forward ? d->m[matrix] : d->mt[matrix], padded(core->n[other]),
                forward ? d->to_b[e] : d->to_a[e]);
    d->work += 24 + (uint64_t)n * padded(core->n[other]) / 3;
    sent++;
  }
  return off + (1 - sent * gamma) * least(belief, n);
}

// The backward sweep's increases, counted from 0, are the bound: they are the least values of the
// trees that TRW-S splits the graph into.
void dual_sweep(Dual *d) {
  if (d->exact) {
    d->least = elimination_run(d->exact, d->unary, d->minimizer);
    d->bound = d->least - d->memory_term;
    d->work += elimination_work(d->exact);
    return;
  }
  for (uint32_t v = 0; v < d->core->n_vars; v++) (void)visit(d, v, true);
  double bound = 0;
  for (uint32_t v = d->core->n_vars; v-- > 0;) bound += visit(d, v, false);
  d->bound = bound - d->memory_term;
}

// ---- decoding ----

void dual_decode(Dual *d, uint32_t *x) {
  const Core *core = d->core;
  if (d->exact) {
    if (core->n_vars) memcpy(x, d->minimizer, core->n_vars * sizeof *x);
    return;
  }
  for (uint32_t v = 0; v < core->n_vars; v++) {
    double *value = d->scratch;
    memcpy(value, d->unary + core->first[v], core->n[v] * sizeof *value);
    for (uint32_t i = core->adjacent_first[v]; i < core->adjacent_first[v + 1]; i++) {
      uint32_t e = core->adjacent[i];
      const CoreEdge *edge = &core->edges[e];
      const float *row = d->to_a[e];
      if (edge->b == v) row = d->m[edge->matrix] + (uint64_t)x[edge->a] * padded(core->n[v]);
      add_floats(value, row, core->n[v]);
    }
    x[v] = 0;
    for (uint32_t p = 1; p < core->n[v]; p++)
      if (value[p] < value[x[v]]) x[v] = p;
  }
}

// ---- certificates ----

enum { FRACTION_BITS = 40 };

static Wide fixed_point(double x) {
  double most = (double)(INT64_C(1) << 60);
  if (!(x < most)) x = most;
  if (x < -most) x = -most;
  return (Wide)(x * (double)(INT64_C(1) << FRACTION_BITS));
}

// Prices, and their prefix sums, as integers. All 0 if they are too large to add up.
static void fixed_prices(Dual *d, Wide *prefix) {
  Wide sum = 0;
  for (uint32_t t = 0; t < d->core->n_points; t++) {
    prefix[t] = sum;
    sum += fixed_point(d->price[t]);
  }
  prefix[d->core->n_points] = sum;
  if (sum >> 60)
    for (uint32_t t = 0; t <= d->core->n_points; t++) prefix[t] = 0;
}

typedef struct Certificate {
  Dual *d;
  Wide *prefix;
  Wide *belief, *sent;   // of one variable
  Wide **to_a;           // per edge: messages of the backward sweep
  Residuals *residuals;  // NULL: not asked for
} Certificate;

static void exact_belief(const Certificate *c, uint32_t v) {
  const Core *core = c->d->core;
  uint32_t n = core->n[v];
  for (uint32_t p = 0; p < n; p++)
    c->belief[p] = (Wide)core->cost[core->first[v] + p] * ((Wide)1 << FRACTION_BITS);
  for (uint32_t i = core->item_first[v]; i < core->item_first[v + 1]; i++) {
    const CoreItem *item = &core->items[i];
    Wide price = c->prefix[item->end] - c->prefix[item->begin];
    for (uint32_t p = 0; p < n; p++) c->belief[p] += price * item->bytes[p];
  }
  for (uint32_t i = core->adjacent_first[v]; i < core->adjacent_first[v + 1]; i++) {
    uint32_t e = core->adjacent[i];
    bool later = core->edges[e].a == v;
    for (uint32_t p = 0; p < n; p++)
      c->belief[p] += later ? c->to_a[e][p] : fixed_point((double)c->d->to_b[e][p]);
  }
}

static int64_t residual(Wide rest, int64_t cap) {
  Wide units = rest / ((Wide)1 << FRACTION_BITS) * RESIDUAL_ONE +
               rest % ((Wide)1 << FRACTION_BITS) * RESIDUAL_ONE / ((Wide)1 << FRACTION_BITS);
  return units > cap ? cap : (int64_t)units;
}

static Wide exact_entry(const Certificate *c, uint32_t e, int64_t entry, uint32_t q) {
  return entry * ((Wide)1 << FRACTION_BITS) + c->sent[q] - fixed_point((double)c->d->to_b[e][q]);
}

static void edge_residuals(const Certificate *c, uint32_t e, uint32_t p) {
  const CoreEdge *edge = &c->d->core->edges[e];
  uint32_t columns = c->d->core->n[edge->b];
  int64_t cap = c->residuals->cap;
  for (uint32_t q = 0; q < columns; q++) {
    int64_t entry = edge->m[(uint64_t)p * columns + q];
    int64_t *out = &c->residuals->edge[e][(uint64_t)p * columns + q];
    *out = cap;
    if (entry == CORE_FORBIDDEN) continue;
    *out = residual(exact_entry(c, e, entry, q) - c->to_a[e][p], cap);
  }
}

// Moves `sent` from variable b to the edge, and the edge's least per row on to variable a. What
// stays on the edge is at least 0 everywhere.
static void exact_send(const Certificate *c, uint32_t e) {
  const CoreEdge *edge = &c->d->core->edges[e];
  uint32_t rows = c->d->core->n[edge->a], columns = c->d->core->n[edge->b];
  for (uint32_t p = 0; p < rows; p++) {
    Wide least = (Wide)1 << 125;
    for (uint32_t q = 0; q < columns; q++) {
      int64_t entry = edge->m[(uint64_t)p * columns + q];
      if (entry == CORE_FORBIDDEN) continue;
      Wide now = exact_entry(c, e, entry, q);
      if (now < least) least = now;
    }
    c->to_a[e][p] = least;
    if (c->residuals && c->residuals->edge) edge_residuals(c, e, p);
  }
}

static Wide exact_visit(const Certificate *c, uint32_t v) {
  const Core *core = c->d->core;
  uint32_t n = core->n[v], earlier = 0;
  uint32_t all = core->adjacent_first[v + 1] - core->adjacent_first[v];
  exact_belief(c, v);
  for (uint32_t i = core->adjacent_first[v]; i < core->adjacent_first[v + 1]; i++)
    earlier += core->edges[core->adjacent[i]].b == v;
  Wide parts = earlier > all - earlier ? earlier : all - earlier;
  for (uint32_t p = 0; p < n; p++) c->sent[p] = parts ? c->belief[p] / parts : 0;
  for (uint32_t i = core->adjacent_first[v]; i < core->adjacent_first[v + 1]; i++)
    if (core->edges[core->adjacent[i]].b == v) exact_send(c, core->adjacent[i]);
  Wide least = c->belief[0] - c->sent[0] * earlier;
  for (uint32_t p = 0; p < n; p++) {
    c->belief[p] -= c->sent[p] * earlier;
    if (c->belief[p] < least) least = c->belief[p];
  }
  if (c->residuals)
    for (uint32_t p = 0; p < n; p++)
      c->residuals->state[core->first[v] + p] = residual(c->belief[p] - least, c->residuals->cap);
  return least;
}

// One backward sweep in integers: every step only moves cost between variables and edges, so the
// sum of the least values is a bound for any messages and prices.
static Wide exact_sweep(Dual *d, Residuals *residuals) {
  const Core *core = d->core;
  ArenaMark mark = arena_mark(d->arena);
  Certificate c = {.d = d, .residuals = residuals};
  c.prefix = ARENA_ARRAY(d->arena, Wide, core->n_points + 1);
  c.belief = ARENA_ARRAY(d->arena, Wide, core->most_states + 1);
  c.sent = ARENA_ARRAY(d->arena, Wide, core->most_states + 1);
  c.to_a = ARENA_ARRAY(d->arena, Wide *, core->n_edges);
  for (uint32_t e = 0; e < core->n_edges; e++)
    c.to_a[e] = ARENA_ARRAY(d->arena, Wide, core->n[core->edges[e].a]);
  fixed_prices(d, c.prefix);
  Wide bound = (Wide)core->constant * ((Wide)1 << FRACTION_BITS);
  for (uint32_t t = 0; t < core->n_points; t++)
    bound -= (c.prefix[t + 1] - c.prefix[t]) * (core->limit - core->fixed[t]);
  for (uint32_t v = core->n_vars; v-- > 0;) bound += exact_visit(&c, v);
  d->work += 8 * core->n_entries;
  arena_rewind(d->arena, mark);
  return bound;
}

// Elimination's bound less what rounding may have added. Every number in it is at least 0: a plan's
// sum of k numbers is off by at most k 2^-53 of itself, and so is the memory term.
static double rounded_down(const Dual *d, double least) {
  double whole, memory = d->memory_term;
  bool priced = memory < 0 || memory > 0;
  if (!priced && least < 0x1p52 && modf(least, &whole) == 0) return least;  // integers
  double error = elimination_error(d->exact) * fabs(least);
  error += 4e-16 * (d->core->n_points + 4) * fabs(memory);
  return least - memory - 2 * error;
}

static int64_t certify_exact(const Dual *d) {
  double bound = ceil(rounded_down(d, d->least));
  if (d->least >= CORE_BROKEN / 2) return CORE_FORBIDDEN;
  if (!(bound > -0x1p62)) return INT64_MIN;
  return (int64_t)bound + d->core->constant;
}

// Costs are integers: the bound is rounded up.
int64_t dual_certify(Dual *d) {
  if (d->exact) return certify_exact(d);
  Wide bound = exact_sweep(d, NULL), one = (Wide)1 << FRACTION_BITS, whole = bound / one;
  if (bound > 0 && whole * one != bound) whole++;
  return whole < INT64_MIN ? INT64_MIN : (int64_t)whole;
}

void dual_residuals(Dual *d, int64_t cap, Residuals *out) {
  out->cap = cap;
  Wide bound = exact_sweep(d, out), part = ((Wide)1 << FRACTION_BITS) / RESIDUAL_ONE;
  out->bound = bound / part - (bound < 0);
}

// A plan with a state costs at least the bound and the state's residual.
static void useless_by_residuals(Dual *d, int64_t upper, bool *out) {
  ArenaMark mark = arena_mark(d->arena);
  const Core *core = d->core;
  Residuals r = {.state = ARENA_ARRAY(d->arena, int64_t, core->n_states)};
  dual_residuals(d, INT64_MAX / 2, &r);
  Wide least = r.bound;
  for (uint32_t s = 0; s < core->n_states; s++)
    out[s] = least + r.state[s] > (Wide)(upper - 1) * RESIDUAL_ONE;
  arena_rewind(d->arena, mark);
}

static void useless_by_marginals(Dual *d, int64_t upper, bool *out) {
  const Core *core = d->core;
  double *least = ARENA_ARRAY(d->arena, double, core->n_states);
  elimination_marginals(d->exact, d->unary, least);
  d->work += 4 * elimination_work(d->exact);
  double most = (double)(upper - 1) - (double)core->constant;
  for (uint32_t s = 0; s < core->n_states; s++)
    out[s] = rounded_down(d, least[s] * (1 - 1e-11)) > most + 1e-9 * fabs(most);
}

uint32_t dual_find_useless(Dual *d, int64_t upper, bool *out) {
  uint32_t count = 0;
  if (d->exact)
    useless_by_marginals(d, upper, out);
  else
    useless_by_residuals(d, upper, out);
  for (uint32_t s = 0; s < d->core->n_states; s++) count += out[s];
  return count;
}
