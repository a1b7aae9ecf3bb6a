// Reads /proc/cpuinfo, /proc/meminfo and /proc/self/status, line by line. What is missing there
// stays unknown: no caller depends on it.
#include "base/host.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"

// x86: flags; ARM: Features.
static const char *const known_features[] = {
    "sse4_2",      "avx",         "avx2",     "fma",      "f16c",     "avx512f",  "avx512bw",
    "avx512_bf16", "avx512_fp16", "avx_vnni", "amx_tile", "amx_bf16", "amx_int8", "asimd",
    "asimddp",     "sve",         "sve2",     "bf16",     "i8mm",
};

// The text behind "key   : " of a line; NULL if it has another key.
static const char *value_of(const char *line, const char *key) {
  size_t n = strlen(key);
  if (strncmp(line, key, n) != 0) return NULL;
  line += n + strspn(line + n, " \t");
  return *line == ':' ? line + 1 + strspn(line + 1, " \t") : NULL;
}

static void copy_line(char *to, size_t bytes, const char *from) {
  size_t n = strcspn(from, "\n");
  if (n >= bytes) n = bytes - 1;
  memcpy(to, from, n);
  to[n] = '\0';
}

static bool has_word(const char *list, const char *word) {
  size_t n = strlen(word);
  for (const char *at = list; (at = strstr(at, word)); at += n) {
    bool begins = at == list || at[-1] == ' ';
    if (begins && (at[n] == ' ' || at[n] == '\n' || !at[n])) return true;
  }
  return false;
}

static void pick_features(const char *flags, Host *out) {
  size_t used = 0;
  for (size_t i = 0; i < sizeof known_features / sizeof known_features[0]; i++) {
    if (!has_word(flags, known_features[i])) continue;
    int n = snprintf(out->features + used, sizeof out->features - used, "%s%s", used ? " " : "",
                     known_features[i]);
    if (n > 0 && used + (size_t)n < sizeof out->features) used += (size_t)n;
  }
}

static void read_processor(Host *out) {
  enum { LINE = 8192 };
  char line[LINE];
  FILE *file = fopen("/proc/cpuinfo", "r");
  if (!file) return;
  while (fgets(line, sizeof line, file)) {
    const char *model = value_of(line, "model name"), *flags = value_of(line, "flags");
    if (!flags) flags = value_of(line, "Features");
    if (model) copy_line(out->cpu, sizeof out->cpu, model);
    if (flags) pick_features(flags, out);
    if (flags && out->features[0]) break;  // the other processors are the same
  }
  fclose(file);
}

// Bytes of a line "key:  123 kB" of a file; 0 if there is none.
static uint64_t read_kilobytes(const char *path, const char *key) {
  char line[256];
  uint64_t bytes = 0;
  FILE *file = fopen(path, "r");
  if (!file) return 0;
  while (!bytes && fgets(line, sizeof line, file)) {
    const char *value = value_of(line, key);
    if (value) bytes = strtoull(value, NULL, 10) * 1024;
  }
  fclose(file);
  return bytes;
}

void host_read(Host *out) {
  *out = (Host){.cpu = "unknown processor",
                .cores = pool_cores(),
                .memory_bytes = read_kilobytes("/proc/meminfo", "MemTotal"),
                .available_bytes = read_kilobytes("/proc/meminfo", "MemAvailable")};
  read_processor(out);
}

uint64_t host_peak_bytes(void) { return read_kilobytes("/proc/self/status", "VmHWM"); }

void host_peak_reset(void) {
  FILE *file = fopen("/proc/self/clear_refs", "w");
  if (!file) return;
  fputs("5", file);
  fclose(file);
}
