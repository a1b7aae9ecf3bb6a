// libFuzzer target of given decisions. The first byte chooses a small program, the rest is JSON for
// partition_decide. Every refusal has a message; never a crash, a hang or INTERNAL. A local program
// that is accepted is sound, verifies and computes what the global one does; its decisions are
// saved, and given again they write the same text.
//
// Bytes that are mutated at random are seldom JSON. So the mutator edits the tree: it replaces,
// removes, repeats and changes values. It begins with the saved decisions of each program.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/json_read.h"
#include "parse/print.h"
#include "pipeline/compile.h"
#include "../support/decision_programs.h"

enum { MOST_TEXT = 8192, MOST_STEPS = 1 << 20 };

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

// ---- one run ----

typedef struct Job {
  uint32_t program;
  Str decisions;
  char text[MOST_TEXT];
  Source source;
  Session session;
  StrBuf saved, local;
  bool accepted;
} Job;

static _Noreturn void fail(const Job *job, const char *what) {
  fprintf(stderr, "program %u: %s\n%.*s\n%s\n", job->program, what, (int)job->decisions.n,
          job->decisions.s ? job->decisions.s : "", job->local.data ? job->local.data : "");
  abort();
}

static Status *run(Guard *guard, void *arg) {
  Job *job = arg;
  Session *s = &job->session;
  strbuf_init(&job->saved, guard);
  strbuf_init(&job->local, guard);
  session_init(s, guard, &job->source, NULL);
  VerifyOptions verify = {.seed = 1, .most_steps = MOST_STEPS};
  CompileRequest request = {
      .end = job->source.size,
      .local = {.decisions = job->decisions, .out_decisions = &job->saved, .rings = true},
      .verify = &verify};
  Compiled compiled;
  TRY(compile(s, &request, &compiled));
  program_print(s->program, &(PrintOptions){0}, &job->local);
  if (program_check(s->program)) fail(job, program_check(s->program));
  if (!compiled.verified.agree) fail(job, compiled.verified.where);
  job->accepted = true;
  return NULL;
}

static void start(Job *job) {
  job->source = (Source){.path = "m.mlir", .text = job->text};
  job->source.size = short_text(decision_programs[job->program], NULL, job->text, sizeof job->text);
  Status *status = guard_run(run, job);
  if (status && (status_code(status) == INTERNAL || !*status_message(status)))
    fail(job, status_message(status));
  if (status && job->accepted) fail(job, status_message(status));
  status_free(status);
}

static void stop(Job *job) {
  session_deinit(&job->session);
  strbuf_deinit(&job->saved);
  strbuf_deinit(&job->local);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2) return 0;
  Job job = {.program = data[0] % N_DECISION_PROGRAMS,
             .decisions = {(const char *)data + 1, size - 1}};
  start(&job);
  if (job.accepted) {
    Job again = {.program = job.program, .decisions = {job.saved.data, job.saved.used}};
    start(&again);
    if (!again.accepted) fail(&again, "saved decisions are refused");
    if (strcmp(job.local.data, again.local.data) != 0) fail(&again, "another local program");
    stop(&again);
  }
  stop(&job);
  return 0;
}

// ---- the mutator ----

static char *seeds[N_DECISION_PROGRAMS];

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  for (uint32_t i = 0; i < N_DECISION_PROGRAMS; i++) {
    Job job = {.program = i};
    start(&job);
    if (!job.accepted) fail(&job, "the program itself is refused");
    seeds[i] = malloc(job.saved.used + 1);
    memcpy(seeds[i], job.saved.data, job.saved.used + 1);
    stop(&job);
  }
  return 0;
}

typedef enum Edit {
  REPLACE,  // by another value of the tree
  REMOVE,
  REPEAT,
  CHANGE,  // a number by a little, a truth value to the other, a string or list to nothing
  AXES,    // some lists of axes become others
  N_EDITS
} Edit;

typedef struct Mutation {
  uint32_t random;
  Edit edit;
  uint32_t at, from;  // numbers of values in the order of the text
  uint32_t next;
  const JsonValue *source;
  bool bare;  // without what follows from axes: operands, results, copies
  const char *axes[8];
  uint32_t n_axes;
  Json json;
} Mutation;

static uint32_t pick(Mutation *m, uint32_t n) {
  m->random = m->random * 1664525u + 1013904223u;
  return n ? (m->random >> 8) % n : 0;
}

static bool is_axes(const JsonValue *v) {
  return v->kind == JSON_ARRAY && (!v->count || v->items[0].kind == JSON_STRING);
}

// Numbers values, finds the one to copy, collects names of axes.
static void count(Mutation *m, const JsonValue *v) {
  if (m->next++ == m->from) m->source = v;
  for (uint32_t i = 0; is_axes(v) && i < v->count && m->n_axes < 8; i++)
    if (v->items[i].kind == JSON_STRING) m->axes[m->n_axes++] = v->items[i].string;
  for (uint32_t i = 0; i < v->count; i++) count(m, &v->items[i]);
}

static void put_axes(Mutation *m) {
  static const char *const parts[] = {"", "", "", "", ":(1)2", ":(2)2"};
  json_open(&m->json, '[');
  for (uint32_t i = 0, n = pick(m, 3); i < n && m->n_axes; i++) {
    char text[256];
    snprintf(text, sizeof text, "%s%s", m->axes[pick(m, m->n_axes)], parts[pick(m, 6)]);
    json_string(&m->json, text);
  }
  json_close(&m->json, ']');
}

static void put(Mutation *m, const JsonValue *v);

static void put_changed(Mutation *m, const JsonValue *v) {
  switch (v->kind) {
  case JSON_NULL: json_open(&m->json, '['), json_close(&m->json, ']'); break;
  case JSON_BOOL: json_bool(&m->json, !v->truth); break;
  case JSON_NUMBER: json_double(&m->json, v->number + (double)pick(m, 7) - 3); break;
  case JSON_STRING: json_string(&m->json, ""); break;
  case JSON_ARRAY: json_open(&m->json, '['), json_close(&m->json, ']'); break;
  case JSON_OBJECT: json_null(&m->json); break;
  }
}

static bool is_left_out(const Mutation *m, const char *key) {
  static const char *const keys[] = {"operands", "results", "copies", "preferred", "passes"};
  for (uint32_t i = 0; m->bare && i < sizeof keys / sizeof *keys; i++)
    if (strcmp(key, keys[i]) == 0) return true;
  return false;
}

static void skip(Mutation *m, const JsonValue *v) {
  m->next++;
  for (uint32_t i = 0; i < v->count; i++) skip(m, &v->items[i]);
}

static void put_members(Mutation *m, const JsonValue *v) {
  bool named = v->kind == JSON_OBJECT;
  json_open(&m->json, named ? '{' : '[');
  for (uint32_t i = 0; i < v->count; i++) {
    bool here = m->next == m->at;
    if ((here && m->edit == REMOVE) || (named && is_left_out(m, v->keys[i]))) {
      skip(m, &v->items[i]);
      continue;
    }
    if (named) json_key(&m->json, v->keys[i]);
    put(m, &v->items[i]);
    if (here && m->edit == REPEAT && !named) put(m, &v->items[i]);
  }
  json_close(&m->json, named ? '}' : ']');
}

static void put(Mutation *m, const JsonValue *v) {
  bool here = m->next++ == m->at;
  if (here && m->edit == REPLACE && m->source) {
    m->at = UINT32_MAX;
    put(m, m->source);
    return;
  }
  if (here && m->edit == CHANGE) {
    put_changed(m, v);
    for (uint32_t i = 0; i < v->count; i++) skip(m, &v->items[i]);
    return;
  }
  if (m->edit == AXES && is_axes(v) && pick(m, 8) == 0) {
    put_axes(m);
    return;
  }
  switch (v->kind) {
  case JSON_NULL: json_null(&m->json); break;
  case JSON_BOOL: json_bool(&m->json, v->truth); break;
  case JSON_NUMBER: json_double(&m->json, v->number); break;
  case JSON_STRING: json_string(&m->json, v->string); break;
  default: put_members(m, v);
  }
}

typedef struct Mutator {
  uint8_t *data;
  size_t size, most;
  uint32_t seed;
  StrBuf out;
  Arena arena;
} Mutator;

static Status *mutate(Guard *guard, void *arg) {
  Mutator *u = arg;
  const JsonValue *root;
  arena_init(&u->arena, guard);
  strbuf_init(&u->out, guard);
  TRY(json_read((Str){(const char *)u->data + 1, u->size - 1}, &u->arena, &root));
  Mutation m = {.random = u->seed, .json = {.out = &u->out}};
  m.from = UINT32_MAX;
  count(&m, root);
  uint32_t n = m.next;
  m.next = 0;
  m.at = pick(&m, n);
  m.edit = (Edit)pick(&m, N_EDITS);
  m.bare = pick(&m, 8) == 0 || (m.edit == AXES && pick(&m, 4));
  // Of some values the first that is like the one at hand.
  const JsonValue *there = NULL;
  for (uint32_t i = 0; i < 32 && m.edit == REPLACE; i++) {
    uint32_t at = pick(&m, n);
    m.from = there ? at : m.at;
    m.next = 0;
    count(&m, root);
    if (!there)
      there = m.source;
    else if (m.source->kind == there->kind && m.source != there)
      break;
  }
  m.next = 0;
  put(&m, root);
  if (u->out.used + 1 > u->most) return NULL;
  memcpy(u->data + 1, u->out.data, u->out.used);
  u->size = u->out.used + 1;
  return NULL;
}

// The saved decisions of a program.
static size_t begin(uint8_t *data, size_t size, size_t most, uint32_t program) {
  size_t n = strlen(seeds[program]);
  if (n + 1 > most) return size;
  data[0] = (uint8_t)program;
  memcpy(data + 1, seeds[program], n);
  return n + 1;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed) {
  if (seed % 16 == 0) return LLVMFuzzerMutate(data, size, most);
  uint32_t program = seed / 64 % N_DECISION_PROGRAMS;
  if (size < 3 || seed % 64 == 1) return begin(data, size, most, program);
  Mutator u = {.data = data, .size = size, .most = most, .seed = seed};
  Status *status = guard_run(mutate, &u);
  bool is_json = !status;
  status_free(status);
  strbuf_deinit(&u.out);
  arena_deinit(&u.arena);
  return is_json ? u.size : begin(data, size, most, program);
}
