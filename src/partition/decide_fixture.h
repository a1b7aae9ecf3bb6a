// Runs the decide stage on a small program, for unit tests. Texts are in the short forms of
// tests/support/short_text.h.
//
//   decided_open(&d, text, NULL);
//   EXPECT(&d, "%2 = split -, -, 'model': [{}, {'model'}], [{'model'}, {}] -> [{}, {}],
//   unreduced={'model'}"); decided_close(&d);
//
// The list has one line per decision, with names and shardings as messages have them.
#ifndef TESSERA_PARTITION_DECIDE_FIXTURE_H
#define TESSERA_PARTITION_DECIDE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "explain/words.h"
#include "parse/print.h"
#include "partition/decisions.h"
#include "pipeline/compile.h"
#include "../tests/support/short_text.h"

typedef struct Decided {
  char text[8192];
  char decisions[16384];
  Source source;
  CompileRequest request;  // may be changed between decided_text and decided_run
  Session session;
  Compiled compiled;
  StrBuf list;   // of decisions
  StrBuf saved;  // as JSON; complete after STAGE_OPTIMIZE
  StrBuf local;  // the program as the last stage leaves it
  StrBuf errors;
  Status *status;
} Decided;

static inline const char *decided_name(Decided *d, Words *words, ValueId v) {
  Name name = words_value(words, v);
  return name ? name_text(d->session.context, name) : "?";
}

static inline void decided_put_sharding(Decided *d, Words *words, Sharding sharding, Type type) {
  Name name = words_sharding(words, sharding, type_info(d->session.context, type)->rank);
  strbuf_puts(&d->list, name_text(d->session.context, name));
}

static inline void decided_put_split(Decided *d, Words *words, const SplitDecision *split) {
  const Program *p = d->session.program;
  const Mesh *mesh = sharding_mesh(d->session.table, split->mesh);
  for (uint32_t f = 0; f < split->map.n_factors; f++) {
    strbuf_puts(&d->list, f ? ", " : " ");
    axes_print(d->session.context, mesh, split->cx.splits[f].axes, &d->list);
    if (!split->cx.splits[f].axes.n) strbuf_putc(&d->list, '-');
  }
  strbuf_puts(&d->list, ":");
  for (uint32_t i = 0; i < split->map.n_operands; i++) {
    strbuf_puts(&d->list, i ? ", " : " ");
    decided_put_sharding(d, words, split->cx.in_as[i], op_operand_type(p, split->cx.op, i));
  }
  strbuf_puts(&d->list, " ->");
  for (uint32_t i = 0; i < split->map.n_results; i++) {
    strbuf_puts(&d->list, i ? ", " : " ");
    decided_put_sharding(d, words, split->cx.out_as[i], op_result_type(p, split->cx.op, i));
  }
}

static inline void decided_put(Decided *d, Words *words, const Decision *one) {
  static const char *const kinds[] = {"function",  "region",        "end",        "reshard",
                                      "split",     "rematerialize", "replicated", "device_id",
                                      "on_device", "call",          "flow"};
  const Program *p = d->session.program;
  StrBuf *out = &d->list;
  bool made = one->kind >= DECISION_SPLIT && op_at(p, one->op)->n_results;
  if (made) strbuf_printf(out, "%s = ", decided_name(d, words, op_result(p, one->op, 0)));
  strbuf_puts(out, kinds[one->kind]);
  if (one->kind == DECISION_SPLIT || one->kind == DECISION_REMATERIALIZE)
    decided_put_split(d, words, one->split);
  if (one->kind == DECISION_RESHARD) {
    Type type = value_type(p, one->reshard.value);
    strbuf_printf(out, " %s: ", decided_name(d, words, one->reshard.value));
    decided_put_sharding(d, words, one->reshard.from, type);
    strbuf_puts(out, " -> ");
    decided_put_sharding(d, words, one->reshard.to, type);
  }
  if (one->price.bytes > 0) strbuf_printf(out, "; %g bytes", one->price.bytes);
  if (one->why) strbuf_printf(out, "; %s", one->why);
  strbuf_putc(out, '\n');
}

static inline void decided_list(Decided *d, Guard *guard) {
  Session *s = &d->session;
  SymbolTable functions;
  Words words;
  symbols_init(&functions, s->program, s->program->root, guard);
  words_init(&words, s->program, s->table, &functions, &s->arena, &s->arena, guard);
  for (uint32_t i = 0; i < partition_n_decisions(s->partition); i++)
    decided_put(d, &words, partition_decision(s->partition, i));
  words_deinit(&words);
  symbols_deinit(&functions);
}

static inline Status *decided_body(Guard *guard, void *arg) {
  Decided *d = arg;
  strbuf_init(&d->list, guard);
  strbuf_init(&d->saved, guard);
  strbuf_init(&d->local, guard);
  strbuf_init(&d->errors, guard);
  session_init(&d->session, guard, &d->source, NULL);
  Status *status = compile(&d->session, &d->request, &d->compiled);
  if (d->session.partition && d->request.stop_after == STAGE_DECIDE) decided_list(d, guard);
  if (d->session.program) program_print(d->session.program, &(PrintOptions){0}, &d->local);
  session_render(&d->session, &d->errors, false);
  strbuf_putc(&d->list, '\n');
  return status;
}

// Sets up a run that stops after deciding.
static inline void decided_text(Decided *d, const char *text, const char *decisions) {
  *d = (Decided){.request = {.stop_after = STAGE_DECIDE}};
  d->source = (Source){.path = "test.mlir", .text = d->text};
  d->source.size = d->request.end = short_text(text, NULL, d->text, sizeof d->text);
  if (!decisions) return;
  size_t n = short_text(decisions, NULL, d->decisions, sizeof d->decisions);
  d->request.local.decisions = (Str){d->decisions, n};
}

static inline void decided_run(Decided *d) { d->status = guard_run(decided_body, d); }

static inline void decided_close(Decided *d) {
  status_free(d->status);
  session_deinit(&d->session);
  strbuf_deinit(&d->list);
  strbuf_deinit(&d->saved);
  strbuf_deinit(&d->local);
  strbuf_deinit(&d->errors);
}

// Decides; an error fails the test.
static inline void decided_open(Decided *d, const char *text, const char *decisions) {
  decided_text(d, text, decisions);
  decided_run(d);
  if (d->status) fail_msg("%s\n%s", status_message(d->status), d->errors.data);
}

static inline uint32_t decided_count(const char *text, const char *part) {
  uint32_t n = 0;
  for (const char *at = text; (at = strstr(at, part)); at++) n++;
  return n;
}

// The list has these lines.
static inline void expect_lines(const Decided *d, const char *const *lines) {
  char quoted[1024];
  for (; *lines; lines++) {
    short_text(*lines, NULL, quoted, sizeof quoted);
    if (!strstr(d->list.data, quoted)) fail_msg("no\n%s\nin\n%s", quoted, d->list.data);
  }
}

#define EXPECT(d, ...) expect_lines((d), (const char *const[]){__VA_ARGS__, NULL})

#endif
