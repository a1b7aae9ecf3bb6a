// Problem: predict when the ops of a device run, if compute and communication overlap, and how much
// memory they hold.
//
// Idea: list scheduling (Graham 1966), event by event. Tasks that are ready wait in one heap per
// set of streams, ordered by priority; running tasks wait in a heap ordered by finish. At each
// event the heads of the ready heaps are tried in order of priority. Exposed seconds come from one
// running sum: whenever time passes while compute is idle and k other tasks run, each of them is
// exposed for 1/k of it, so a task's share is the difference of that sum between its finish and its
// start.
//
// Memory is a difference array over positions: + bytes at `from`, - bytes behind `to`.
//
// Invariant: time never passes while a ready task could start. Sets of streams are few (one per
// group of mesh axes), so they are searched linearly. Cost: O((tasks + dependences) · log tasks).
#include "cost/timeline.h"

#include <string.h>

#include "base/heap.h"
#include "base/vec.h"

typedef VEC(uint32_t) TaskHeap;

typedef struct Queue {
  uint32_t streams;
  TaskHeap ready;
} Queue;

typedef struct Scheduler {
  const Timeline *timeline;
  Times *times;
  Arena *arena;
  VEC(Queue) queues;
  TaskHeap running;
  uint32_t *waits;  // per task: tasks that have to finish before it
  uint32_t *users,
      *n_users;        // tasks that wait for task i: users[n_users[i]] … users[n_users[i+1]-1]
  uint32_t *released;  // the last task that it waited for
  uint32_t occupant[STREAM_MOST];  // the last task that ran on a stream
  uint32_t busy;                   // bit set of streams
  uint32_t beside;                 // running tasks without the compute stream
  uint32_t latest;                 // the last task that finished
  double waiting;                  // seconds of work that is ready
  double now, share;               // share: exposed seconds of a task that always ran
} Scheduler;

// ---- orders ----

static bool is_first(const void *a, const void *b, const void *user) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  const uint32_t *priority = ((const Timeline *)user)->priority;
  uint32_t p = priority ? priority[x] : x, q = priority ? priority[y] : y;
  return p != q ? p < q : x < y;
}

static bool is_done_first(const void *a, const void *b, const void *user) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  const double *finish = user;
  return finish[x] != finish[y] ? finish[x] < finish[y] : x < y;
}

static void push(Scheduler *s, TaskHeap *heap, uint32_t task, const HeapOrder *order) {
  VEC_PUSH(s->arena, heap, task);
  heap_push(heap->items, heap->count, order);
}

static uint32_t pop(TaskHeap *heap, const HeapOrder *order) {
  heap_pop(heap->items, heap->count, order);
  return heap->items[--heap->count];
}

static HeapOrder order_ready(const Scheduler *s) {
  return (HeapOrder){sizeof(uint32_t), is_first, s->timeline};
}

static HeapOrder order_running(const Scheduler *s) {
  return (HeapOrder){sizeof(uint32_t), is_done_first, s->times->finish};
}

// ---- events ----

static Queue *queue_of(Scheduler *s, uint32_t streams) {
  for (uint32_t i = 0; i < s->queues.count; i++)
    if (s->queues.items[i].streams == streams) return &s->queues.items[i];
  Queue queue = {.streams = streams};
  VEC_PUSH(s->arena, &s->queues, queue);
  return &s->queues.items[s->queues.count - 1];
}

static bool is_compute(const Task *task) { return task->streams >> STREAM_COMPUTE & 1; }

// The task whose finish let this one start: the last that it waited for, or the one before it on
// its streams, or the one that had kept them free.
static uint32_t cause_of(const Scheduler *s, uint32_t task) {
  const Times *t = s->times;
  uint32_t released = s->released[task], streams = s->timeline->tasks[task].streams;
  if (released != TASK_NONE && t->finish[released] >= s->now) return released;
  for (uint32_t i = 0; i < STREAM_MOST; i++)
    if (streams >> i & 1 && s->occupant[i] != TASK_NONE && t->finish[s->occupant[i]] >= s->now)
      return s->occupant[i];
  return s->now > 0 ? s->latest : TASK_NONE;
}

static void start(Scheduler *s, uint32_t task) {
  const Task *at = &s->timeline->tasks[task];
  Times *t = s->times;
  t->start[task] = s->now;
  t->finish[task] = s->now + at->seconds;
  t->cause[task] = cause_of(s, task);
  t->exposed[task] = s->share;  // until it finishes
  s->busy |= at->streams;
  if (!is_compute(at)) s->beside++;
  if (is_compute(at)) s->waiting -= at->seconds;
  t->backlog[task] = s->waiting;
  for (uint32_t i = 0; i < STREAM_MOST; i++) {
    if (!(at->streams >> i & 1)) continue;
    s->occupant[i] = task;
    t->busy[i] += at->seconds;
  }
  HeapOrder order = order_running(s);
  push(s, &s->running, task, &order);
}

static void make_ready(Scheduler *s, uint32_t task, const HeapOrder *order) {
  const Task *at = &s->timeline->tasks[task];
  if (is_compute(at)) s->waiting += at->seconds;
  push(s, &queue_of(s, at->streams)->ready, task, order);
}

// Tells the tasks that wait for this one. Tasks without streams finish at once: they are kept on a
// list, since a chain of them may be long.
static void release(Scheduler *s, uint32_t task, TaskHeap *list) {
  HeapOrder order = order_ready(s);
  list->count = 0;
  VEC_PUSH(s->arena, list, task);
  while (list->count) {
    uint32_t done = list->items[--list->count];
    for (uint32_t k = s->n_users[done]; k < s->n_users[done + 1]; k++) {
      uint32_t user = s->users[k];
      if (s->timeline->tasks[done].streams)
        s->released[user] = done;
      else if (s->released[done] != TASK_NONE)
        s->released[user] = s->released[done];  // the cause behind a task that takes no time
      if (--s->waits[user]) continue;
      const Task *at = &s->timeline->tasks[user];
      if (at->streams) {
        make_ready(s, user, &order);
        continue;
      }
      s->times->start[user] = s->times->finish[user] = s->now;
      s->times->cause[user] = s->released[user];
      VEC_PUSH(s->arena, list, user);
    }
  }
}

// The queue with the head of least priority among those that are not tried yet.
static Queue *next_queue(Scheduler *s, uint64_t tried) {
  Queue *best = NULL;
  for (uint32_t i = 0; i < s->queues.count && i < 64; i++) {
    Queue *q = &s->queues.items[i];
    if (tried >> i & 1 || !q->ready.count) continue;
    if (!best || is_first(q->ready.items, best->ready.items, s->timeline)) best = q;
  }
  return best;
}

// Starts all ready tasks that fit. A head that does not fit blocks its streams for later ones.
static void start_ready(Scheduler *s) {
  HeapOrder order = order_ready(s);
  uint32_t blocked = s->busy;
  uint64_t tried = 0;
  for (Queue *q; (q = next_queue(s, tried));) {
    if (q->streams & blocked)
      tried |= (uint64_t)1 << (q - s->queues.items);
    else
      start(s, pop(&q->ready, &order));
    blocked |= q->streams;
  }
}

static void finish_next(Scheduler *s, TaskHeap *list) {
  HeapOrder order = order_running(s);
  uint32_t task = pop(&s->running, &order);
  const Task *at = &s->timeline->tasks[task];
  Times *t = s->times;
  double passed = t->finish[task] - s->now;
  if (!(s->busy >> STREAM_COMPUTE & 1) && s->beside) s->share += passed / s->beside;
  s->now = t->finish[task];
  t->exposed[task] = is_compute(at) ? 0 : s->share - t->exposed[task];
  s->busy &= ~at->streams;
  if (!is_compute(at)) s->beside--;
  s->latest = task;
  release(s, task, list);
}

// ---- all ----

// users[]: the dependences, turned round.
static void turn(Scheduler *s) {
  const Timeline *t = s->timeline;
  uint32_t n = t->n, all = n ? t->first[n] : 0;
  s->n_users = ARENA_ARRAY(s->arena, uint32_t, n + 2);
  s->users = ARENA_ARRAY(s->arena, uint32_t, all + 1);
  for (uint32_t k = 0; k < all; k++) s->n_users[t->after[k] + 2]++;
  for (uint32_t i = 2; i <= n + 1; i++) s->n_users[i] += s->n_users[i - 1];
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = t->first[i]; k < t->first[i + 1]; k++)
      s->users[s->n_users[t->after[k] + 1]++] = i;
}

void timeline_schedule(const Timeline *timeline, Arena *arena, Times *out) {
  uint32_t n = timeline->n;
  *out = (Times){.start = ARENA_ARRAY(arena, double, n + 1),
                 .finish = ARENA_ARRAY(arena, double, n + 1),
                 .exposed = ARENA_ARRAY(arena, double, n + 1),
                 .backlog = ARENA_ARRAY(arena, double, n + 1),
                 .cause = ARENA_ARRAY(arena, uint32_t, n + 1),
                 .last = TASK_NONE};
  Scheduler s = {.timeline = timeline, .times = out, .arena = arena, .latest = TASK_NONE};
  s.waits = ARENA_ARRAY(arena, uint32_t, n + 1);
  s.released = ARENA_ARRAY(arena, uint32_t, n + 1);
  memset(s.released, 0xff, n * sizeof *s.released);
  memset(s.occupant, 0xff, sizeof s.occupant);
  turn(&s);
  TaskHeap list = {0};
  HeapOrder order = order_ready(&s);
  for (uint32_t i = 0; i < n; i++) s.waits[i] = timeline->first[i + 1] - timeline->first[i];
  for (uint32_t i = 0; i < n; i++) {
    if (timeline->first[i + 1] != timeline->first[i]) continue;
    const Task *at = &timeline->tasks[i];
    out->cause[i] = TASK_NONE;
    if (at->streams)
      make_ready(&s, i, &order);
    else
      release(&s, i, &list);
  }
  start_ready(&s);
  while (s.running.count) {
    finish_next(&s, &list);
    // Tasks that finish at the same time free their streams before any of them is given away.
    if (s.running.count && out->finish[s.running.items[0]] <= s.now) continue;
    start_ready(&s);
  }
  out->seconds = s.now;
  out->last = s.latest;
}

void timeline_critical(const Timeline *timeline, const Times *times, bool *out_critical) {
  memset(out_critical, 0, timeline->n * sizeof *out_critical);
  for (uint32_t i = times->last; i != TASK_NONE && !out_critical[i]; i = times->cause[i])
    out_critical[i] = true;
}

void timeline_memory(uint32_t n, uint32_t n_buffers, const LiveBuffer *buffers, const double *extra,
                     Arena *arena, LivePeak *out) {
  *out = (LivePeak){.curve = ARENA_ARRAY(arena, double, n + 1)};
  for (uint32_t i = 0; i < n_buffers; i++) {
    const LiveBuffer *b = &buffers[i];
    if (b->from >= n || b->to < b->from) continue;
    out->curve[b->from] += b->bytes;
    if (b->to + 1 < n) out->curve[b->to + 1] -= b->bytes;
  }
  for (uint32_t i = 1; i < n; i++) out->curve[i] += out->curve[i - 1];
  for (uint32_t i = 0; i < n; i++) {
    if (extra) out->curve[i] += extra[i];
    if (out->curve[i] > out->bytes) {
      out->bytes = out->curve[i];
      out->at = i;
    }
  }
}
