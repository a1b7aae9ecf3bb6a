// How fast a hexadecimal constant is read: one program with 64 MB of f32 data as 128 MB of digits,
// parsed in memory, best of five. Exits 1 at 500 MB of data a second or less (the text is twice
// that).
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "parse/parse.h"

enum { ELEMENTS = 16 << 20 };

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// The program's text; the caller frees it.
static char *make_text(size_t *out_size) {
  static const char head[] = "func.func @main() {\n  %0 = stablehlo.constant dense<\"0x";
  static const char digits[] = "0123456789ABCDEF";
  char tail[64];
  int tail_bytes =
      snprintf(tail, sizeof tail, "\"> : tensor<%dxf32>\n  return\n}\n", (int)ELEMENTS);
  size_t head_bytes = sizeof head - 1, hex_bytes = (size_t)ELEMENTS * 8;
  char *text = malloc(head_bytes + hex_bytes + (size_t)tail_bytes + 1);
  if (!text) return NULL;
  memcpy(text, head, head_bytes);
  uint64_t state = 1;
  for (size_t i = 0; i < hex_bytes; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    text[head_bytes + i] = digits[state >> 60];
  }
  memcpy(text + head_bytes + hex_bytes, tail, (size_t)tail_bytes + 1);
  *out_size = head_bytes + hex_bytes + (size_t)tail_bytes;
  return text;
}

static Status *parse_once(Guard *guard, void *arg) {
  const Source *source = arg;
  Context *context = context_new(guard);
  Diag diag;
  diag_init(&diag, guard, source);
  Program *program = NULL;
  ParseOptions options = {0};
  Status *status =
      program_parse(context, guard, source, 0, source->size, &options, &diag, &program);
  program_free(program);
  diag_deinit(&diag);
  context_free(context);
  return status;
}

int main(void) {
  Source source = {.path = "hex"};
  char *text = make_text(&source.size);
  if (!text) return 2;
  source.text = text;
  double best = 1e9;
  for (int i = 0; i < 5; i++) {
    double start = seconds_now();
    Status *status = guard_run(parse_once, &source);
    double taken = seconds_now() - start;
    if (status) {
      fprintf(stderr, "hex: %s\n", status_message(status));
      status_free(status);
      free(text);
      return 2;
    }
    if (taken < best) best = taken;
  }
  double rate = (double)ELEMENTS * 8 / 1e6 / best;
  printf("hex constants: %.0f MB/s of text, %.0f MB/s of data (target 500)\n", rate, rate / 2);
  free(text);
  return rate / 2 > 500 ? 0 : 1;
}
