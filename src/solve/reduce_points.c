// Point t is dominated by point a if no plan needs more bytes at t than at a:
//
//   fixed[t] - fixed[a] + sum over variables of max over strategies (bytes at t - bytes at a) <= 0
//
// Then the limit at a implies the limit at t. Tied layers repeat the same bytes plus those that
// earlier layers keep, so that of 70,000 points one layer's remain: everything after this, which
// walks over points and items, becomes as small as the core.
//
// Where one kind of bytes grows from layer to layer and another one falls, as in a backward pass,
// no layer dominates, but the inner ones lie between the outer ones: point t goes too if it is at
// most the mean of the points one period before and after it. Along such a chain bytes are convex,
// so the chain's ends, which stay, have the most.
//
// First neighbouring points are compared, which needs only what changed between them. Then the
// point with the most bytes is compared with all others, in one sweep over the items; then the next
// one, until the work is used or nothing is found.
#include "solve/reduce_points.h"

#include <string.h>

#define NONE UINT32_MAX

enum {
  MOST_WORK = 1 << 24,
  MOST_PASSES = 400,
  MOST_FAILURES = 12,
  MOST_PERIOD = 512,
  LEAST_PERIODIC = 64,  // points
  PERIODS = 4,          // that are tried, one after the other
  SAMPLES = 2048,
};

typedef struct Points {
  Reduction *r;
  bool *dropped;                 // per point
  bool *was_anchor;              // per point
  uint32_t *events;              // 2 * item, + 1 for its end; by point, ends first
  uint32_t *event_first;         // per point and two more
  const int64_t **now;           // per variable: bytes at the present point; NULL: none
  const int64_t **then;          // per variable: bytes at the anchor
  int64_t *above;                // per variable: the most that `now` exceeds `then`
  int64_t *below;                // per variable: the most that `then` exceeds `now`
  uint32_t *touched, n_touched;  // variables that changed since the anchor
  bool *is_touched;
  int64_t *most;  // per point: the largest bytes of all variables together, `fixed` included
  uint64_t work;
} Points;

// ---- changes between points ----

static void sort_events(Points *s) {
  Reduction *r = s->r;
  uint32_t *at = s->event_first;
  memset(at, 0, (r->n_points + 2) * sizeof *at);
  for (uint32_t i = 0; i < r->n_items; i++) at[r->items[i].begin + 1]++, at[r->items[i].end + 1]++;
  for (uint32_t t = 0; t <= r->n_points; t++) at[t + 1] += at[t];
  for (uint32_t i = 0; i < r->n_items; i++) s->events[at[r->items[i].end]++] = 2 * i + 1;
  for (uint32_t i = 0; i < r->n_items; i++) s->events[at[r->items[i].begin]++] = 2 * i;
  for (uint32_t t = r->n_points + 1; t > 0; t--) at[t] = at[t - 1];
  at[0] = 0;
}

// The most that the bytes in `a` exceed those in `b` over the strategies that are alive. NULL is 0.
static int64_t most_above(const ReduceVar *var, const int64_t *a, const int64_t *b) {
  int64_t most = INT64_MIN;
  for (uint32_t p = 0; p < var->n; p++) {
    if (var->cost[p] == CORE_FORBIDDEN) continue;
    int64_t difference = (a ? a[p] : 0) - (b ? b[p] : 0);
    if (difference > most) most = difference;
  }
  return most;
}

// Applies the events of point t. `first` and `end` become the range of the events.
static void enter(Points *s, uint32_t t) {
  const Reduction *r = s->r;
  for (uint32_t i = s->event_first[t]; i < s->event_first[t + 1]; i++) {
    uint32_t item = s->events[i] / 2, v = r->item_owner[item];
    s->now[v] = s->events[i] % 2 ? NULL : r->items[item].bytes;
  }
}

// ---- dropping ----

static void measure(Points *s) {
  const Reduction *r = s->r;
  memset(s->most, 0, (r->n_points + 1) * sizeof *s->most);
  for (uint32_t i = 0; i < r->n_items; i++) {
    int64_t largest = most_above(&r->vars[r->item_owner[i]], r->items[i].bytes, NULL);
    s->most[r->items[i].begin] += largest;
    s->most[r->items[i].end] -= largest;
    s->work += r->vars[r->item_owner[i]].n;
  }
  int64_t sum = 0;
  for (uint32_t t = 0; t < r->n_points; t++) {
    sum += s->most[t];
    s->most[t] = sum + r->fixed[t];
  }
}

static bool same_bytes(const Reduction *r, uint32_t owner, const CoreItem *a, const CoreItem *b) {
  return !memcmp(a->bytes, b->bytes, r->vars[owner].n * sizeof *a->bytes);
}

// Renumbers the points that are left. Items without a point go; neighbours that became equal merge.
static void compact(Points *s) {
  Reduction *r = s->r;
  uint32_t n = 0, *new_of = arena_alloc(r->arena, (r->n_points + 1) * sizeof *new_of);
  for (uint32_t t = 0; t < r->n_points; t++) {
    new_of[t] = n;
    if (s->dropped[t]) continue;
    r->times[n] = r->times[t];
    r->fixed[n] = r->fixed[t];
    s->most[n] = s->most[t];
    s->was_anchor[n] = s->was_anchor[t];
    s->dropped[n++] = false;
  }
  new_of[r->n_points] = n;
  r->n_points = n;
  r->fixed[n] = 0;
  uint32_t count = 0;
  for (uint32_t v = 0; v < r->n_vars; v++) {
    uint32_t first = count;
    for (uint32_t i = r->vars[v].item_first; i < r->vars[v].item_end; i++) {
      CoreItem item = {new_of[r->items[i].begin], new_of[r->items[i].end], r->items[i].bytes};
      if (item.begin == item.end) continue;
      CoreItem *last = count > first ? &r->items[count - 1] : NULL;
      if (last && last->end == item.begin && same_bytes(r, v, last, &item)) {
        last->end = item.end;
        continue;
      }
      r->item_owner[count] = v;
      r->items[count++] = item;
    }
    r->vars[v].item_first = first, r->vars[v].item_end = count;
  }
  r->n_items = count;
  sort_events(s);
}

static void drop_harmless(Points *s) {
  for (uint32_t t = 0; t < s->r->n_points; t++)
    s->dropped[t] = s->most[t] <= s->r->problem->limit_bytes;
}

// ---- neighbours ----

// Sums of `above` and `below` follow the variables that change at t.
static void follow(Points *s, uint32_t t, int64_t *above, int64_t *below) {
  const Reduction *r = s->r;
  for (uint32_t i = s->event_first[t]; i < s->event_first[t + 1]; i++) {
    uint32_t v = r->item_owner[s->events[i] / 2];
    if (!s->is_touched[v]) s->is_touched[v] = true, s->touched[s->n_touched++] = v;
    *above -= s->above[v], *below -= s->below[v];
    s->above[v] = most_above(&r->vars[v], s->now[v], s->then[v]);
    s->below[v] = most_above(&r->vars[v], s->then[v], s->now[v]);
    *above += s->above[v], *below += s->below[v];
    s->work += 2 * r->vars[v].n;
  }
}

static void set_anchor(Points *s) {
  for (uint32_t i = 0; i < s->n_touched; i++) {
    uint32_t v = s->touched[i];
    s->is_touched[v] = false;
    s->then[v] = s->now[v];
    s->above[v] = s->below[v] = 0;
  }
  s->n_touched = 0;
}

static void compare_neighbours(Points *s) {
  const Reduction *r = s->r;
  uint32_t anchor = NONE;
  int64_t above = 0, below = 0;
  for (uint32_t t = 0; t < r->n_points; t++) {
    enter(s, t);
    follow(s, t, &above, &below);
    if (anchor != NONE) {
      int64_t more = r->fixed[t] - r->fixed[anchor];
      if (above + more <= 0) {
        s->dropped[t] = true;
        continue;
      }
      if (below - more <= 0) s->dropped[anchor] = true;
    }
    set_anchor(s);
    anchor = t;
    above = below = 0;
  }
}

// ---- periods ----

static bool looks_convex(const int64_t *value, uint32_t t, uint32_t period) {
  return 2 * (Wide)value[t] <= (Wide)value[t - period] + value[t + period];
}

// The period that explains most points, judged by samples of their fixed and largest bytes; 0: none
// explains a fifth.
static uint32_t find_period(Points *s) {
  const Reduction *r = s->r;
  uint32_t best = 0, n = r->n_points, most_found = SAMPLES / 5;
  for (uint32_t period = 1; period <= MOST_PERIOD && 3 * period <= n; period++) {
    uint32_t found = 0, inner = n - 2 * period;
    for (uint32_t i = 0; i < SAMPLES; i++) {
      uint32_t t = period + (uint32_t)((uint64_t)i * inner / SAMPLES);
      found += looks_convex(r->fixed, t, period) && looks_convex(s->most, t, period);
    }
    // A multiple of a period explains as much; prefer the smallest.
    if (found > most_found + most_found / 16) most_found = found, best = period;
    s->work += SAMPLES;
  }
  return best;
}

// The most that twice the present bytes exceed those of one period before and after.
static int64_t most_above_mean(const ReduceVar *var, const int64_t *now, const int64_t *before,
                               const int64_t *after) {
  int64_t most = INT64_MIN;
  for (uint32_t p = 0; p < var->n; p++) {
    if (var->cost[p] == CORE_FORBIDDEN) continue;
    int64_t difference = 2 * (now ? now[p] : 0) - (before ? before[p] : 0) - (after ? after[p] : 0);
    if (difference > most) most = difference;
  }
  return most;
}

// Moves one of the three cursors to a point and marks the variables that change.
static void move_cursor(Points *s, uint32_t t, const int64_t **at) {
  const Reduction *r = s->r;
  for (uint32_t i = s->event_first[t]; i < s->event_first[t + 1]; i++) {
    uint32_t item = s->events[i] / 2, v = r->item_owner[item];
    at[v] = s->events[i] % 2 ? NULL : r->items[item].bytes;
    if (!s->is_touched[v]) s->is_touched[v] = true, s->touched[s->n_touched++] = v;
  }
}

static uint32_t compare_with_mean(Points *s, uint32_t period) {
  const Reduction *r = s->r;
  const int64_t **ahead = ARENA_ARRAY(r->arena, const int64_t *, r->n_vars);
  uint32_t found = 0;
  Wide sum = 0;
  memset(s->then, 0, r->n_vars * sizeof *s->then);
  memset(s->now, 0, r->n_vars * sizeof *s->now);
  memset(s->above, 0, r->n_vars * sizeof *s->above);
  for (uint32_t t = 0; t < 2 * period; t++) move_cursor(s, t, ahead);
  for (uint32_t t = 0; t < period; t++) move_cursor(s, t, s->now);
  for (uint32_t t = period; t + period < r->n_points; t++) {
    move_cursor(s, t + period, ahead);
    move_cursor(s, t, s->now);
    move_cursor(s, t - period, s->then);
    for (uint32_t i = 0; i < s->n_touched; i++) {
      uint32_t v = s->touched[i];
      s->is_touched[v] = false;
      sum -= s->above[v];
      sum += s->above[v] = most_above_mean(&r->vars[v], s->now[v], s->then[v], ahead[v]);
      s->work += r->vars[v].n;
    }
    s->n_touched = 0;
    Wide fixed = 2 * (Wide)r->fixed[t] - r->fixed[t - period] - r->fixed[t + period];
    if (sum + fixed > 0) continue;
    s->dropped[t] = true;
    found++;
  }
  return found;
}

static void compare_periodic(Points *s) {
  for (uint32_t i = 0; i < PERIODS && s->r->n_points >= LEAST_PERIODIC; i++) {
    uint32_t period = find_period(s);
    if (!period || !compare_with_mean(s, period)) return;
    compact(s);
  }
}

// ---- one point against all ----

static uint32_t next_anchor(const Points *s) {
  uint32_t best = NONE;
  for (uint32_t t = 0; t < s->r->n_points; t++)
    if (!s->dropped[t] && !s->was_anchor[t] && (best == NONE || s->most[t] > s->most[best]))
      best = t;
  return best;
}

static uint32_t compare_all(Points *s, uint32_t anchor) {
  const Reduction *r = s->r;
  uint32_t found = 0;
  int64_t sum = 0;
  memset(s->then, 0, r->n_vars * sizeof *s->then);
  memset(s->now, 0, r->n_vars * sizeof *s->now);
  memset(s->above, 0, r->n_vars * sizeof *s->above);
  for (uint32_t i = 0; i < r->n_items; i++)
    if (r->items[i].begin <= anchor && anchor < r->items[i].end) {
      uint32_t v = r->item_owner[i];
      s->then[v] = r->items[i].bytes;
      sum += s->above[v] = most_above(&r->vars[v], NULL, s->then[v]);
    }
  for (uint32_t t = 0; t < r->n_points; t++) {
    enter(s, t);
    for (uint32_t i = s->event_first[t]; i < s->event_first[t + 1]; i++) {
      uint32_t v = r->item_owner[s->events[i] / 2];
      sum -= s->above[v];
      sum += s->above[v] = most_above(&r->vars[v], s->now[v], s->then[v]);
      s->work += r->vars[v].n;
    }
    if (t == anchor || s->dropped[t] || sum + r->fixed[t] - r->fixed[anchor] > 0) continue;
    s->dropped[t] = true;
    found++;
  }
  s->work += r->n_points + r->n_items + r->n_vars / 4;
  return found;
}

static void compare_with_peaks(Points *s) {
  uint32_t left = s->r->n_points, failures = 0;
  for (uint32_t pass = 0; pass < MOST_PASSES && failures < MOST_FAILURES; pass++) {
    uint32_t anchor = next_anchor(s);
    if (anchor == NONE || s->work > MOST_WORK) break;
    s->was_anchor[anchor] = true;
    uint32_t found = compare_all(s, anchor);
    failures = found ? 0 : failures + 1;
    left -= found;
    if (left < s->r->n_points - s->r->n_points / 4) compact(s);
  }
}

void reduce_points(Reduction *r) {
  if (!r->n_points) return;
  Points s = {.r = r};
  s.dropped = ARENA_ARRAY(r->arena, bool, r->n_points + 1);
  s.was_anchor = ARENA_ARRAY(r->arena, bool, r->n_points + 1);
  s.most = ARENA_ARRAY(r->arena, int64_t, r->n_points + 1);
  s.events = arena_alloc(r->arena, (2 * (size_t)r->n_items + 1) * sizeof *s.events);
  s.event_first = arena_alloc(r->arena, ((size_t)r->n_points + 2) * sizeof *s.event_first);
  s.now = ARENA_ARRAY(r->arena, const int64_t *, r->n_vars);
  s.then = ARENA_ARRAY(r->arena, const int64_t *, r->n_vars);
  s.above = ARENA_ARRAY(r->arena, int64_t, r->n_vars);
  s.below = ARENA_ARRAY(r->arena, int64_t, r->n_vars);
  s.touched = ARENA_ARRAY(r->arena, uint32_t, r->n_vars + 1);
  s.is_touched = ARENA_ARRAY(r->arena, bool, r->n_vars);
  measure(&s);
  sort_events(&s);
  if (!r->options.any_limit) {
    drop_harmless(&s);
    compact(&s);
  }
  compare_neighbours(&s);
  compact(&s);
  memset(s.is_touched, 0, r->n_vars * sizeof *s.is_touched);
  s.n_touched = 0;
  compare_periodic(&s);
  compare_with_peaks(&s);
  compact(&s);
}
