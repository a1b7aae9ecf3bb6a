// Wall time for measurements; never part of a result.
#ifndef TESSERA_BASE_CLOCK_H
#define TESSERA_BASE_CLOCK_H

double clock_seconds(void);  // monotonic, from an arbitrary origin
// Processor time of all threads, and of this one: unlike wall time it does not grow while other
// processes have the cores.
double clock_process_seconds(void);
double clock_thread_seconds(void);

#endif
