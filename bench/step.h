// Training steps of a GPT for benches, made by tools/gen.
#ifndef TESSERA_BENCH_STEP_H
#define TESSERA_BENCH_STEP_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ops/infer.h"
#include "parse/parse.h"

typedef struct Input {
  char *text;
  Source source;
  Context *context;
  Diag diag;
  Program *program;
  uint32_t n_ops;
} Input;

// CPU time of the one thread there is: other work on the machine only ever adds.
static inline double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline Status *generate(const char *options, char **out_text, size_t *out_size) {
  char command[256];
  snprintf(command, sizeof command, "build/tools/gen --model gpt --adamw %s", options);
  FILE *pipe = popen(command, "r");
  if (!pipe) FAIL(UNAVAILABLE, "%s: cannot be run", command);
  size_t capacity = 1 << 20, used = 0, got;
  char *text = malloc(capacity);
  while (text && (got = fread(text + used, 1, capacity - used, pipe)) > 0) {
    used += got;
    if (used < capacity) continue;
    char *more = realloc(text, capacity *= 2);
    if (!more) free(text);
    text = more;
  }
  int status = pclose(pipe);
  if (status != 0 || !text) {
    free(text);
    FAIL(UNAVAILABLE, "%s: failed (make tools)", command);
  }
  *out_text = text;
  *out_size = used;
  return NULL;
}

static inline Status *read_input(Guard *guard, Input *in) {
  in->context = context_new(guard);
  diag_init(&in->diag, guard, &in->source);
  TRY(program_parse(in->context, guard, &in->source, 0, in->source.size, &(ParseOptions){0},
                    &in->diag, &in->program));
  if (!program_verify(in->program, &in->diag)) return diag_status(&in->diag);
  for (OpId o = in->program->root; o; o = op_walk_next(in->program, o, in->program->root))
    in->n_ops++;
  return NULL;
}

static inline void release_input(Input *in) {
  program_free(in->program);
  if (in->context) {
    diag_deinit(&in->diag);
    context_free(in->context);
  }
  free(in->text);
  *in = (Input){0};
}

static inline Status *make_input(Guard *guard, const char *options, Input *out) {
  *out = (Input){.source.path = options};
  TRY(generate(options, &out->text, &out->source.size));
  out->source.text = out->text;
  return read_input(guard, out);
}

#endif
