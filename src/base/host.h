// This computer: processor, cores, memory. From /proc, so that nothing has to be linked.
#ifndef TESSERA_BASE_HOST_H
#define TESSERA_BASE_HOST_H

#include <stddef.h>
#include <stdint.h>

typedef struct Host {
  char cpu[128];       // model name; "unknown processor" if the system does not tell
  char features[256];  // instruction sets that matter for speed, separated by spaces
  uint32_t cores;      // that this process may use
  uint64_t memory_bytes, available_bytes;  // 0: unknown
} Host;

void host_read(Host *out);
// The most memory that this process has held at a time (VmHWM); 0: unknown.
uint64_t host_peak_bytes(void);
// Starts the count of host_peak_bytes again, at what the process holds now. Without permission it
// goes on from the old peak.
void host_peak_reset(void);

#endif
