#include "pipeline/predicted.h"

void predicted_init(Predicted *x, Session *s, const Prediction *prediction, Guard *guard) {
  *x = (Predicted){.ready = true};
  arena_init(&x->scratch, guard);
  symbols_init(&x->functions, prediction->program, prediction->program->root, guard);
  words_init(&x->words, prediction->program, s->table, &x->functions, &s->arena, &x->scratch,
             guard);
  x->show = (ShowSimulated){.program = prediction->program,
                            .simulated = prediction->simulated,
                            .machine = prediction->machine,
                            .mesh = prediction->mesh,
                            .global_flops = prediction->global_flops,
                            .words = &x->words};
}

void predicted_deinit(Predicted *x) {
  if (!x->ready) return;
  words_deinit(&x->words);
  symbols_deinit(&x->functions);
  arena_deinit(&x->scratch);
  *x = (Predicted){0};
}
