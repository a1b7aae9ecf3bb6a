// What to say if no plan fits: the shortfall, the values that need it, and remedies with numbers.
#include "explain/words.h"
#include "plan/memory.h"
#include "pipeline/plan_private.h"
#include "report/show_simulated.h"

typedef struct Explain {
  Session *s;
  const Model *m;
  MemoryNeed need;
  double limit, free_seconds;
  StrBuf text;
  Words words;
  SymbolTable functions;
  Arena scratch;
} Explain;

static void release(void *object) {
  Explain *e = object;
  words_deinit(&e->words);
  symbols_deinit(&e->functions);
  strbuf_deinit(&e->text);
  arena_deinit(&e->scratch);
}

static void put_op(Explain *e, OpId op) {
  OpWords words = words_op(&e->words, op);
  words_put_op(e->s->context, &words, &e->text);
}

static void put_remedies(Explain *e, uint32_t enough) {
  char a[32], b[32], c[32];
  const MemoryNeed *need = &e->need;
  double room = e->limit - need->argument_bytes;
  if (enough) strbuf_printf(&e->text, "\n  %u devices suffice", enough);
  if (need->undonated_bytes > 0)
    strbuf_printf(
        &e->text, "\n  donating the state (jax.jit(…, donate_argnums=…)) saves %s at no cost%s",
        simulated_bytes(need->undonated_bytes, a, sizeof a),
        need->least_bytes - need->undonated_bytes > e->limit ? ", which is not enough" : "");
  if (room > 0 && need->temporary_bytes > room) {
    double times = need->temporary_bytes / room;
    uint32_t k = 2;
    while (k < times && k < 1u << 20) k *= 2;
    strbuf_printf(&e->text,
                  "\n  %u microbatches bring the temporaries from %s to about %s, if all of them "
                  "grow with the batch",
                  k, simulated_bytes(need->temporary_bytes, a, sizeof a),
                  simulated_bytes(need->temporary_bytes / k, b, sizeof b));
    if (e->free_seconds > 0)
      strbuf_printf(&e->text,
                    ": a step costs at least %s then (without overlap, as without a limit), and "
                    "gathers of weights are repeated",
                    simulated_seconds(e->free_seconds, c, sizeof c));
  }
  for (uint32_t i = 0; i < need->n_values; i++) {
    if (i && need->value_bytes[i] < 1e-3 * need->least_bytes) break;
    strbuf_printf(&e->text, "\n  %s %s of ", i ? "     or" : "jax.checkpoint saves",
                  simulated_bytes(need->value_bytes[i], a, sizeof a));
    put_op(e, need->values[i]);
    if (need->value_seconds[i] > 0)
      strbuf_printf(&e->text, ", computed again in %s",
                    simulated_seconds(need->value_seconds[i], b, sizeof b));
  }
}

const char *plan_shortfall(Session *s, const Model *m, double limit_bytes, uint32_t enough,
                           double free_seconds, Arena *arena) {
  Explain e = {.s = s, .m = m, .limit = limit_bytes, .free_seconds = free_seconds};
  char a[32], b[32], c[32], d[32];
  arena_init(&e.scratch, s->guard);
  strbuf_init(&e.text, s->guard);
  symbols_init(&e.functions, s->program, s->program->root, s->guard);
  words_init(&e.words, s->program, s->table, &e.functions, &s->arena, &e.scratch, s->guard);
  GuardCleanup cleanup = {release, &e, NULL};
  guard_push(s->guard, &cleanup);
  memory_need(m, &s->arena, &e.need);
  bool proven = e.need.least_bytes > limit_bytes;
  strbuf_printf(&e.text,
                "every plan needs at least %s per device, of %s: %s of arguments and results, %s "
                "of temporaries",
                simulated_bytes(e.need.least_bytes, a, sizeof a),
                simulated_bytes(limit_bytes, b, sizeof b),
                simulated_bytes(e.need.argument_bytes, c, sizeof c),
                simulated_bytes(e.need.temporary_bytes, d, sizeof d));
  if (e.need.op) {
    strbuf_puts(&e.text, " at ");
    put_op(&e, e.need.op);
  }
  if (!proven)
    strbuf_puts(&e.text, " (if each value were sharded as far as possible, which reshards forbid)");
  else
    strbuf_printf(&e.text, "; %s are missing",
                  simulated_bytes(e.need.least_bytes - limit_bytes, a, sizeof a));
  put_remedies(&e, enough);
  const char *kept = arena_printf(arena, "%.*s", (int)e.text.used, e.text.data);
  guard_pop(s->guard, &cleanup);
  release(&e);
  return kept;
}
