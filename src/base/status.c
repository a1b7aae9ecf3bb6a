// One malloc'd record with the message and a return trace that grows as the error is passed up.
// Without memory the static status is returned, so creating an error never fails.
#include "base/status.h"

#include <stdio.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"

enum { TRACE_BYTES = 1024 };

struct Status {
  StatusCode code;
  size_t trace_used;
  char trace[TRACE_BYTES];
  char message[];
};

// Never written: status_rise and status_free recognize its address.
static const struct {
  StatusCode code;
  size_t trace_used;
  char trace[TRACE_BYTES];
  char message[16];
} no_memory = {RESOURCE_EXHAUSTED, 0, "", "out of memory"};

Status *status_no_memory(void) { return (Status *)(uintptr_t)&no_memory; }

// The trace has a fixed size; frames that do not fit are dropped.
Status *status_rise(Status *status, const char *file, int line) {
  if (!status || status == status_no_memory()) return status;
  const char *slash = strrchr(file, '/');
  size_t room = TRACE_BYTES - status->trace_used;
  int n = snprintf(status->trace + status->trace_used, room, "%s%s:%d",
                   status->trace_used ? "\n" : "", slash ? slash + 1 : file, line);
  if (n > 0 && (size_t)n < room) status->trace_used += (size_t)n;
  status->trace[status->trace_used] = '\0';
  return status;
}

Status *status_new(StatusCode code, const char *file, int line, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  va_list again;
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, fmt, args);
  va_end(args);
  size_t bytes = n < 0 ? 1 : (size_t)n + 1;
  Status *status = mem_alloc(sizeof *status + bytes);
  if (!status) {
    va_end(again);
    return status_no_memory();
  }
  status->code = code;
  status->trace_used = 0;
  status->trace[0] = '\0';
  status->message[0] = '\0';
  if (n >= 0) vsnprintf(status->message, bytes, fmt, again);
  va_end(again);
  return status_rise(status, file, line);
}

void status_free(Status *status) {
  if (status && status != status_no_memory()) mem_free(status);
}

StatusCode status_code(const Status *status) { return status ? status->code : OK; }

const char *status_message(const Status *status) {
  if (!status) return "";
  return status == status_no_memory() ? no_memory.message : status->message;
}

const char *status_trace(const Status *status) { return status ? status->trace : ""; }
