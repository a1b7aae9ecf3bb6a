// Wall time for measurements; never part of a result.
#ifndef TESSERA_BASE_CLOCK_H
#define TESSERA_BASE_CLOCK_H

double clock_seconds(void);  // monotonic, from an arbitrary origin

#endif
