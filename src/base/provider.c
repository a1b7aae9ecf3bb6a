// Finds and opens providers. The loader counts references, so no list is kept: each call opens the
// file again, which is cheap, and closes it, which RTLD_NODELETE makes harmless.
#define _GNU_SOURCE  // dladdr
#include "base/provider.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// `scope` is RTLD_LOCAL or RTLD_GLOBAL.
static const void *open_path(const char *path, const char *symbol, int scope) {
  // A missing path is not an error: dlopen would allocate a message for it.
  if (strchr(path, '/') && access(path, R_OK) != 0) return NULL;
  void *library = dlopen(path, RTLD_NOW | scope | RTLD_NODELETE);
  if (!library) return NULL;
  const void *found = dlsym(library, symbol);
  dlclose(library);
  return found;
}

static const void *open_in(const char *directory, size_t n, const char *inner, const char *file,
                           const char *symbol, int scope) {
  char path[PATH_MAX];
  int written = snprintf(path, sizeof path, "%.*s/%s%s", (int)n, directory, inner, file);
  if (n > PATH_MAX || written < 0 || (size_t)written >= sizeof path) return NULL;
  return open_path(path, symbol, scope);
}

static const char here_marker = 0;  // an address within this file's library or program

// The directory of the file that contains this code; returns 0 if it is unknown.
static size_t own_directory(char *out, size_t bytes) {
  Dl_info info;
  char path[PATH_MAX];
  const char *file = "/proc/self/exe";  // for a program that was started by its name alone
  if (dladdr(&here_marker, &info) && info.dli_fname && strchr(info.dli_fname, '/'))
    file = info.dli_fname;
  const char *slash = realpath(file, path) ? strrchr(path, '/') : NULL;
  size_t n = slash ? (size_t)(slash - path) : 0;
  if (n >= bytes) return 0;
  memcpy(out, path, n);
  return n;
}

static const void *find(const char *file, const char *symbol, int scope) {
  const char *list = getenv("TESSERA_PROVIDERS");
  const void *found = NULL;
  if (list) {
    if (strcmp(list, "none") == 0) return NULL;
    while (!found && *list) {
      size_t n = strcspn(list, ":");
      if (n) found = open_in(list, n, "", file, symbol, scope);
      list += n + (list[n] == ':');
    }
    return found;
  }
  char here[PATH_MAX];
  size_t n = own_directory(here, sizeof here);
  if (n) found = open_in(here, n, "", file, symbol, scope);
  if (n && !found) found = open_in(here, n, "../lib/", file, symbol, scope);
  return found ? found : open_path(file, symbol, scope);
}

const void *provider_find(const char *file, const char *symbol) {
  return find(file, symbol, RTLD_LOCAL);
}

const void *provider_find_global(const char *file, const char *symbol) {
  return find(file, symbol, RTLD_GLOBAL);
}

static const ProviderRow rows[] = {
#define PROVIDER(name, package, does, without) {#name, package, does, without},
#include "base/providers.def"
#undef PROVIDER
};

uint32_t provider_count(void) { return sizeof rows / sizeof rows[0]; }
const ProviderRow *provider_row(uint32_t i) { return &rows[i]; }

const char *provider_text(const ProviderRow *row) {
  char file[64];
  snprintf(file, sizeof file, "libtessera_%s.so", row->name);
  return provider_find(file, "tsr_provider_text");
}
