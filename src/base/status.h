// Recoverable errors. A function that can fail returns `Status *`: NULL is OK, anything else is
// owned by the caller, who passes it on (TRY) or frees it. Codes are those of PJRT.
#ifndef TESSERA_BASE_STATUS_H
#define TESSERA_BASE_STATUS_H

#include <stdarg.h>
#include <stddef.h>

typedef enum StatusCode {
  OK = 0,
  CANCELLED = 1,
  UNKNOWN = 2,
  INVALID_ARGUMENT = 3,
  DEADLINE_EXCEEDED = 4,
  NOT_FOUND = 5,
  ALREADY_EXISTS = 6,
  PERMISSION_DENIED = 7,
  RESOURCE_EXHAUSTED = 8,
  FAILED_PRECONDITION = 9,
  ABORTED = 10,
  OUT_OF_RANGE = 11,
  UNIMPLEMENTED = 12,
  INTERNAL = 13,
  UNAVAILABLE = 14,
  DATA_LOSS = 15,
  UNAUTHENTICATED = 16,
} StatusCode;

typedef struct Status Status;

#if defined(__GNUC__)
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))
#define MUST_USE __attribute__((warn_unused_result))
#else
#define PRINTF_LIKE(f, a)
#define MUST_USE
#endif

// Makes an error raised at file:line. Without memory for it, returns a static RESOURCE_EXHAUSTED
// status.
Status *status_new(StatusCode code, const char *file, int line, const char *fmt, ...)
    PRINTF_LIKE(4, 5) MUST_USE;

// Appends a frame to the error's return trace and returns the same status.
Status *status_rise(Status *status, const char *file, int line) MUST_USE;

// The static out-of-memory status; freeing it is a no-op.
Status *status_no_memory(void) MUST_USE;

// NULL is fine.
void status_free(Status *status);

StatusCode status_code(const Status *status);      // OK for NULL
const char *status_message(const Status *status);  // "" for NULL; owned by the status
const char *status_trace(const Status *status);    // "file:line\nfile:line…", innermost first

#define FAIL(code, ...) return status_new((code), __FILE__, __LINE__, __VA_ARGS__)
#define TRY(expr)                                                                                  \
  do {                                                                                             \
    Status *try_status_ = (expr);                                                                  \
    if (try_status_) return status_rise(try_status_, __FILE__, __LINE__);                          \
  } while (0)
// For functions that hold resources: needs `Status *status` in scope and a label `out`.
#define TRY_OUT(expr)                                                                              \
  do {                                                                                             \
    status = (expr);                                                                               \
    if (status) {                                                                                  \
      status = status_rise(status, __FILE__, __LINE__);                                            \
      goto out;                                                                                    \
    }                                                                                              \
  } while (0)

#endif
