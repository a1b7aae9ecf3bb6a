// Which launcher started this process, and its backend.
#include <stdlib.h>

#include "base/provider.h"
#include "comm/comm.h"

typedef struct Backend {
  const char *label, *rank, *size, *package, *file, *symbol;
} Backend;

static const Backend backends[] = {
#define COMM_BACKEND(name, label, rank, size, package)                                             \
  {label, rank, size, package, "libtessera_" #name ".so", "tsr_" #name "_provider"},
#include "comm/backends.def"
#undef COMM_BACKEND
};

// NULL: no launcher, or one process.
static const Backend *launched(void) {
  for (size_t i = 0; i < sizeof backends / sizeof backends[0]; i++) {
    const char *size = getenv(backends[i].size);
    if (getenv(backends[i].rank) && size && strtol(size, NULL, 10) > 1) return &backends[i];
  }
  return NULL;
}

const char *comm_launcher(void) {
  const Backend *backend = launched();
  return backend ? backend->label : NULL;
}

Status *comm_launch(Comm **out) {
  *out = NULL;
  const Backend *backend = launched();
  if (!backend) return NULL;
  const Wire *wire = provider_find_global(backend->file, backend->symbol);
  if (!wire)
    FAIL(NOT_FOUND,
         "this process is one of several that %s's launcher started (%s is set), but %s cannot be "
         "opened: install %s and build again, or start one process",
         backend->label, backend->rank, backend->file, backend->package);
  if (wire->version != WIRE_VERSION)
    FAIL(FAILED_PRECONDITION, "%s has version %d, expected %d: build again", backend->file,
         (int)wire->version, WIRE_VERSION);
  void *state;
  uint32_t rank, size;
  int error = wire->open(&state, &rank, &size);
  if (error) {
    char text[WIRE_TEXT] = "";
    wire->describe(NULL, error, text, sizeof text);
    FAIL(UNAVAILABLE, "%s did not start: %s", backend->label, text);
  }
  return comm_new(wire, state, rank, size, NULL, out);
}
