// The scheduler model: when tasks run on streams, and how much memory is alive, over plain arrays.
// It knows nothing about ops; cost/simulate.c fills the arrays. Decides nothing.
//
//   compute   [ dot ][ add ]      [ dot ]
//   links           [ all-reduce ]           4 us of it are exposed: compute waits
#ifndef TESSERA_COST_TIMELINE_H
#define TESSERA_COST_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum { STREAM_COMPUTE = 0, STREAM_MOST = 32 };
#define TASK_NONE UINT32_MAX

typedef struct Task {
  double seconds;    // at least 0
  uint32_t streams;  // bit i: it occupies stream i while it runs; 0: none, it takes no time
} Task;

// Tasks are numbered in program order, so that dependences have smaller numbers.
typedef struct Timeline {
  uint32_t n;
  const Task *tasks;
  const uint32_t *first;  // n + 1: task i waits for after[first[i]] … after[first[i + 1] - 1]
  const uint32_t *after;
  const uint32_t *priority;  // smaller first; NULL: program order
} Timeline;

typedef struct Times {
  double seconds;          // from the first start to the last finish
  double *start, *finish;  // per task
  // Seconds in which a task runs beside an idle compute stream; tasks that run at the same time
  // share them equally. 0 for tasks of the compute stream. Busy seconds of the compute stream and
  // the exposed seconds of all tasks sum to `seconds`.
  double *exposed;
  double *backlog;           // of work that could run instead of the task when it starts
  uint32_t *cause;           // the task whose finish let it start; TASK_NONE: it started at once
  uint32_t last;             // the last task to finish: the end of the critical path
  double busy[STREAM_MOST];  // seconds per stream
} Times;

// List scheduling: a task is ready when all tasks that it waits for have finished; whenever streams
// are free, the ready task of least priority number that fits starts. A task of several streams
// that cannot start yet keeps later tasks off its streams. The result depends on the arrays only.
// O((tasks + dependences) · log tasks) for a bounded number of stream sets. Arrays in the arena.
void timeline_schedule(const Timeline *timeline, Arena *arena, Times *out);
// Marks the tasks of the critical path: from `last` back along `cause`. O(tasks).
void timeline_critical(const Timeline *timeline, const Times *times, bool *out_critical);

// A buffer is alive at the positions from … to of the program order, both included.
typedef struct LiveBuffer {
  double bytes;
  uint32_t from, to;
} LiveBuffer;

typedef struct LivePeak {
  double bytes;   // the most at any position
  uint32_t at;    // the first such position
  double *curve;  // bytes per position
} LivePeak;

// Sums the buffers that are alive at each of n positions, and extra[i] (may be NULL) at position i:
// what the bodies of a loop or call hold for themselves. O(n + buffers).
void timeline_memory(uint32_t n, uint32_t n_buffers, const LiveBuffer *buffers, const double *extra,
                     Arena *arena, LivePeak *out);

#endif
