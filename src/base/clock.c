// The monotonic clock of POSIX, in seconds.
#include "base/clock.h"

#include <time.h>

double clock_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double read_clock(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double clock_process_seconds(void) { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }
double clock_thread_seconds(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }
