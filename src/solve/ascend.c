// The bound is a concave function of the prices. Its slope at point t is the bytes of the cheapest
// plan there less the limit, which the decoded plan approximates. The prices follow it with
// Polyak's step (target - bound) / |slope|^2, times a factor that shrinks when the bound stalls.
// The target is the best plan's cost, or a tenth above the bound if that is less: the first plans
// are far from the optimum, and steps towards them overshoot.
//
// The slope jumps between plans that overflow and plans that waste memory. So after a first phase
// that finds the scale of the prices, the direction is an average of slopes (as in the volume
// algorithm, Barahona and Anbil 2000), in which the jumps cancel. Averaging from the start fails:
// while the prices are far off, the average points to where they were.
#include "solve/ascend.h"

#include <math.h>
#include <string.h>

enum { PLAIN_STEPS = 50, PATIENCE = 15 };

#define SMOOTH 0.5
#define SHRINK 0.7
#define SHORTEST 1e-4
#define AGAIN 0.1
#define FIRST_STEP 0.1
#define GUESS 0.1  // of the bound: the optimum is hardly farther above it

void ascent_init(Ascent *a, Dual *dual, Arena *arena) {
  const Core *core = dual->core;
  *a = (Ascent){.dual = dual, .best = -(double)INFINITY, .step = FIRST_STEP};
  state_init(&a->decoded, core, arena);
  a->best_price = ARENA_ARRAY(arena, double, core->n_points + 1);
  a->best_messages = ARENA_ARRAY(arena, float, dual->n_messages);
  a->direction = ARENA_ARRAY(arena, double, core->n_points + 1);
}

// Notes the best bound. Returns whether it has stalled for too long.
static bool keep_best(Ascent *a) {
  const Dual *d = a->dual;
  if (d->bound > a->best + 1e-6 * fabs(a->best)) a->stalled = 0;
  if (d->bound > a->best) {
    a->best = d->bound;
    memcpy(a->best_price, d->price, d->core->n_points * sizeof *a->best_price);
    memcpy(a->best_messages, d->messages, d->n_messages * sizeof *d->messages);
  }
  return ++a->stalled > PATIENCE;
}

void ascent_restore(Ascent *a) {
  Dual *d = a->dual;
  uint32_t n = d->core->n_points;
  memcpy(d->price, a->best_price, n * sizeof *d->price);
  memcpy(d->messages, a->best_messages, d->n_messages * sizeof *d->messages);
  memset(a->direction, 0, n * sizeof *a->direction);
  dual_reprice(d);
}

// Relative excess of the decoded plan; a point without a price stays without if it fits. Returns
// the squared length of the direction.
static double turn(Ascent *a) {
  const Core *core = a->dual->core;
  double keep = a->steps < PLAIN_STEPS ? 0 : SMOOTH, limit = (double)core->limit + 1, norm = 0;
  for (uint32_t t = 0; t < core->n_points; t++) {
    double slope = (double)(usage_at(&a->decoded.usage, t) - core->limit) / limit;
    if (slope < 0 && a->dual->price[t] <= 0) slope = 0;
    double now = keep * a->direction[t] + (1 - keep) * slope;
    if (now < 0 && a->dual->price[t] <= 0) now = 0;
    a->direction[t] = now;
    norm += now * now;
  }
  return norm;
}

static void move_prices(Ascent *a, double length) {
  const Core *core = a->dual->core;
  double unit = length / ((double)core->limit + 1);
  for (uint32_t t = 0; t < core->n_points; t++) {
    double price = a->dual->price[t] + unit * a->direction[t];
    a->dual->price[t] = price > 0 ? price : 0;
  }
  dual_reprice(a->dual);
  a->dual->work += 4 * (uint64_t)core->n_points + core->n_states;
}

void ascent_step(Ascent *a, double upper) {
  Dual *d = a->dual;
  double constant = (double)d->core->constant;
  dual_sweep(d);
  if (keep_best(a)) {
    // From the best prices again, with shorter steps.
    a->stalled = 0;
    a->step *= SHRINK;
    ascent_restore(a);
    dual_sweep(d);
  }
  dual_decode(d, a->decoded.x);
  state_set(&a->decoded, a->decoded.x);
  double norm = turn(a);
  a->steps++;
  if (norm <= 0) return;
  double guess = a->best + fmax(GUESS * fabs(a->best + constant), d->core->scale);
  double target = fmin(upper - constant, guess);
  double length = a->step * (target - d->bound) / norm;
  if (length > 0) move_prices(a, length);
}

void ascent_resume(Ascent *a) {
  if (a->step < AGAIN) a->step = AGAIN;
  ascent_restore(a);
}

bool ascent_done(const Ascent *a) { return a->step < SHORTEST; }
