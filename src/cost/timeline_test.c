// Hand-computed timelines, a naive scheduler on random graphs, and what every timeline must
// satisfy.
#include "cost/timeline.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/guard.h"

enum { COMPUTE = 1, LINK = 2, FAR = 4 };

static bool near(double a, double b) { return fabs(a - b) <= 1e-9 * (1 + fabs(b)); }

// compute a(2) -> collective c(3) -> compute d(1); b(2) is independent.
static Status *check_by_hand(Guard *guard, void *arg) {
  (void)arg;
  Arena arena;
  arena_init(&arena, guard);
  const Task tasks[] = {{2, COMPUTE}, {3, LINK}, {2, COMPUTE}, {0, 0}, {1, COMPUTE}};
  const uint32_t first[] = {0, 0, 1, 1, 2, 3}, after[] = {0, 1, 3};
  Timeline t = {.n = 5, .tasks = tasks, .first = first, .after = after};
  Times times;
  timeline_schedule(&t, &arena, &times);
  // compute: a 0-2, b 2-4, d 5-6; link: c 2-5, of which 4-5 is exposed.
  assert_true(near(times.seconds, 6) && near(times.start[1], 2) && near(times.start[2], 2));
  assert_true(near(times.start[4], 5) && near(times.exposed[1], 1) && times.exposed[2] == 0);
  assert_true(near(times.busy[0], 5) && near(times.busy[1], 3));
  assert_int_equal(times.last, 4);
  assert_int_equal(times.cause[4], 1);
  assert_int_equal(times.cause[1], 0);
  assert_int_equal(times.cause[0], TASK_NONE);
  bool critical[5];
  timeline_critical(&t, &times, critical);
  assert_true(critical[0] && critical[1] && critical[4] && !critical[2]);
  // Two collectives on different links share the exposed second: 2 at once for 3 s, then one for 1.
  const Task two[] = {{3, LINK}, {4, FAR}, {1, COMPUTE}};
  const uint32_t two_first[] = {0, 0, 0, 2}, two_after[] = {0, 1};
  t = (Timeline){.n = 3, .tasks = two, .first = two_first, .after = two_after};
  timeline_schedule(&t, &arena, &times);
  assert_true(near(times.seconds, 5) && near(times.exposed[0], 1.5) && near(times.exposed[1], 2.5));
  // A task of both streams (a loop) is not starved by later tasks: it starts when the link is free.
  const Task loop[] = {{4, LINK}, {1, COMPUTE}, {2, COMPUTE | LINK}, {5, COMPUTE}};
  const uint32_t none[] = {0, 0, 0, 0, 0};
  t = (Timeline){.n = 4, .tasks = loop, .first = none, .after = none};
  timeline_schedule(&t, &arena, &times);
  assert_true(near(times.start[2], 4) && near(times.start[3], 6) && near(times.seconds, 11));
  // Priorities instead of program order.
  const uint32_t priority[] = {3, 2, 1, 0};
  t.priority = priority;
  timeline_schedule(&t, &arena, &times);
  assert_true(near(times.start[3], 0) && near(times.start[2], 5));
  t = (Timeline){.n = 0, .first = none};
  timeline_schedule(&t, &arena, &times);
  assert_true(times.seconds == 0 && times.last == TASK_NONE);
  arena_deinit(&arena);
  return NULL;
}

// The same rule, naively: at each event all ready tasks are looked at in order of priority.
static void schedule_naively(const Timeline *t, double *start, double *finish) {
  bool begun[64] = {0}, done[64] = {0};
  double now = 0;
  for (uint32_t left = t->n; left;) {
    bool moved = true;
    while (moved) {  // tasks without streams may release others at the same time
      moved = false;
      for (uint32_t i = 0; i < t->n; i++) {
        bool ready = !begun[i] && !t->tasks[i].streams;
        for (uint32_t k = t->first[i]; k < t->first[i + 1]; k++) ready &= done[t->after[k]];
        if (!ready) continue;
        start[i] = finish[i] = now;
        begun[i] = done[i] = moved = true;
        left--;
      }
    }
    uint32_t blocked = 0;
    for (uint32_t i = 0; i < t->n; i++)
      if (begun[i] && !done[i]) blocked |= t->tasks[i].streams;
    for (uint32_t p = 0; p < t->n; p++)  // priorities are a permutation
      for (uint32_t i = 0; i < t->n; i++) {
        if ((t->priority ? t->priority[i] : i) != p || begun[i] || !t->tasks[i].streams) continue;
        bool ready = true;
        for (uint32_t k = t->first[i]; k < t->first[i + 1]; k++) ready &= done[t->after[k]];
        if (!ready) continue;
        if (!(blocked & t->tasks[i].streams)) {
          start[i] = now;
          finish[i] = now + t->tasks[i].seconds;
          begun[i] = true;
        }
        blocked |= t->tasks[i].streams;
      }
    double next = HUGE_VAL;
    for (uint32_t i = 0; i < t->n; i++)
      if (begun[i] && !done[i]) next = fmin(next, finish[i]);
    if (next == HUGE_VAL) break;
    now = next;
    for (uint32_t i = 0; i < t->n; i++)
      if (begun[i] && !done[i] && finish[i] <= now) done[i] = true, left--;
  }
}

static uint32_t random_below(uint32_t *seed, uint32_t n) {
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) % n;
}

// Seconds that task i runs while no task of the compute stream does, shared with others like it: by
// the intervals between all starts and finishes.
static double exposed_naively(const Timeline *t, const Times *times, uint32_t task) {
  double edges[128], sum = 0;
  uint32_t n = 0;
  for (uint32_t i = 0; i < t->n; i++) edges[n++] = times->start[i], edges[n++] = times->finish[i];
  for (uint32_t i = 1; i < n; i++)
    for (uint32_t k = i; k && edges[k] < edges[k - 1]; k--) {
      double x = edges[k];
      edges[k] = edges[k - 1], edges[k - 1] = x;
    }
  for (uint32_t e = 0; e + 1 < n; e++) {
    double middle = (edges[e] + edges[e + 1]) / 2;
    uint32_t compute = 0, beside = 0;
    bool mine = false;
    for (uint32_t i = 0; i < t->n; i++) {
      if (!(times->start[i] < middle && middle < times->finish[i])) continue;
      if (t->tasks[i].streams & COMPUTE)
        compute++;
      else if (t->tasks[i].streams)
        beside++, mine |= i == task;
    }
    if (!compute && mine) sum += (edges[e + 1] - edges[e]) / beside;
  }
  return sum;
}

static Status *check_random(Guard *guard, void *arg) {
  (void)arg;
  static const uint32_t streams[] = {
      COMPUTE, COMPUTE, COMPUTE, LINK, FAR, LINK | FAR, COMPUTE | LINK, COMPUTE | LINK | FAR, 0};
  for (uint32_t seed = 1; seed <= 400; seed++) {
    Arena arena;
    arena_init(&arena, guard);
    uint32_t state = seed, n = 1 + random_below(&state, 40), first[64], after[400], priority[64];
    Task tasks[64];
    uint32_t used = 0;
    for (uint32_t i = 0; i < n; i++) {
      tasks[i].streams = streams[random_below(&state, 9)];
      // Whole seconds, also 0: ties are frequent.
      tasks[i].seconds = tasks[i].streams ? random_below(&state, 5) : 0;
      first[i] = used;
      for (uint32_t k = 0; i && k < random_below(&state, 4); k++)
        after[used++] = random_below(&state, i);
      priority[i] = i;
    }
    first[n] = used;
    for (uint32_t i = n; i-- > 1;) {
      uint32_t k = random_below(&state, i + 1), x = priority[i];
      priority[i] = priority[k], priority[k] = x;
    }
    Timeline t = {.n = n, .tasks = tasks, .first = first, .after = after};
    if (seed % 2) t.priority = priority;
    Times times, again;
    timeline_schedule(&t, &arena, &times);
    timeline_schedule(&t, &arena, &again);
    double start[64], finish[64], exposed = 0, longest = 0;
    schedule_naively(&t, start, finish);
    for (uint32_t i = 0; i < n; i++) {
      assert_true(near(times.start[i], start[i]) && near(times.finish[i], finish[i]));
      assert_true(times.start[i] == again.start[i] && times.cause[i] == again.cause[i]);
      assert_true(near(times.exposed[i], exposed_naively(&t, &times, i)));
      exposed += times.exposed[i];
      longest = fmax(longest, finish[i]);
      uint32_t cause = times.cause[i];
      if (cause != TASK_NONE && tasks[i].streams)
        assert_true(near(times.finish[cause], times.start[i]));
    }
    assert_true(near(times.seconds, longest));
    assert_true(near(times.busy[STREAM_COMPUTE] + exposed, times.seconds));
    arena_deinit(&arena);
  }
  return NULL;
}

static Status *check_memory(Guard *guard, void *arg) {
  (void)arg;
  Arena arena;
  arena_init(&arena, guard);
  const LiveBuffer buffers[] = {{10, 0, 4}, {5, 1, 2}, {7, 2, 3}, {100, 9, 9}, {3, 4, 4}};
  const double extra[] = {0, 0, 0, 6, 0};
  LivePeak peak;
  timeline_memory(5, 5, buffers, NULL, &arena, &peak);
  assert_true(peak.bytes == 22 && peak.at == 2 && peak.curve[4] == 13 && peak.curve[0] == 10);
  timeline_memory(5, 5, buffers, extra, &arena, &peak);
  assert_true(peak.bytes == 23 && peak.at == 3);
  // Against sums over all buffers.
  for (uint32_t seed = 1; seed <= 100; seed++) {
    uint32_t state = seed, n = 1 + random_below(&state, 30);
    LiveBuffer some[40];
    for (uint32_t i = 0; i < 40; i++) {
      some[i].bytes = random_below(&state, 100);
      some[i].from = random_below(&state, n);
      some[i].to = some[i].from + random_below(&state, n - some[i].from);
    }
    timeline_memory(n, 40, some, NULL, &arena, &peak);
    double most = 0;
    for (uint32_t p = 0; p < n; p++) {
      double sum = 0;
      for (uint32_t i = 0; i < 40; i++)
        if (some[i].from <= p && p <= some[i].to) sum += some[i].bytes;
      assert_true(peak.curve[p] == sum);
      most = fmax(most, sum);
    }
    assert_true(peak.bytes == most);
  }
  arena_deinit(&arena);
  return NULL;
}

// A long chain beside a wide fan: far below a quadratic number of steps.
static Status *check_size(Guard *guard, void *arg) {
  (void)arg;
  Arena arena;
  arena_init(&arena, guard);
  const uint32_t n = 200000;
  Task *tasks = ARENA_ARRAY(&arena, Task, n);
  uint32_t *first = ARENA_ARRAY(&arena, uint32_t, n + 1), *after = ARENA_ARRAY(&arena, uint32_t, n);
  for (uint32_t i = 0; i < n; i++) {
    tasks[i] = (Task){1, i % 2 ? LINK : COMPUTE};
    first[i] = i < 2 ? 0 : i - 2;
    if (i >= 2) after[i - 2] = i % 2 ? i - 2 : 0;
  }
  first[n] = n - 2;
  Timeline t = {.n = n, .tasks = tasks, .first = first, .after = after};
  Times times;
  timeline_schedule(&t, &arena, &times);
  assert_true(near(times.seconds, n / 2.0));
  arena_deinit(&arena);
  return NULL;
}

#define TEST(name)                                                                                 \
  static void test_##name(void **state) {                                                          \
    (void)state;                                                                                   \
    assert_null(guard_run(check_##name, NULL));                                                    \
  }
TEST(by_hand)
TEST(random)
TEST(memory)
TEST(size)

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_by_hand), cmocka_unit_test(test_random),
                                     cmocka_unit_test(test_memory), cmocka_unit_test(test_size)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
