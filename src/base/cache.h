// Where compiled kernels are kept. A header, since providers do not link the library.
#ifndef TESSERA_BASE_CACHE_H
#define TESSERA_BASE_CACHE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// $XDG_CACHE_HOME/tessera, or ~/.cache/tessera. False if there is neither, or TESSERA_CACHE=none.
// *out_parent: length of the directory around it, which may not exist yet either.
static inline bool cache_directory(char *out, size_t bytes, size_t *out_parent) {
  const char *setting = getenv("TESSERA_CACHE"), *xdg = getenv("XDG_CACHE_HOME");
  const char *home = getenv("HOME");
  bool named = xdg && *xdg;
  if (setting && strcmp(setting, "none") == 0) return false;
  if (!named && (!home || !*home)) return false;
  int n = snprintf(out, bytes, "%s%s/tessera", named ? xdg : home, named ? "" : "/.cache");
  if (n < 0 || (size_t)n >= bytes) return false;
  *out_parent = (size_t)n - strlen("/tessera");
  return true;
}

#endif
