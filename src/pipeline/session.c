#include "pipeline/session.h"

#include "ir/clone.h"

void session_init(Session *s, Guard *guard, const Source *source, const Progress *progress) {
  *s = (Session){.guard = guard, .source = source};
  if (progress) guard_set_progress(guard, progress);
  arena_init(&s->arena, guard);
  diag_init(&s->diag, guard, source);
}

void session_borrow(Session *s, Guard *guard, Program *program, const Source *source,
                    const Progress *progress) {
  session_init(s, guard, source, progress);
  program_guard(program, guard);
  s->context = program->context;
  s->program = program;
  s->borrowed = s->verified = true;
}

void session_clone(Session *s, Guard *guard, const Program *program, const Progress *progress) {
  session_init(s, guard, program->source, progress);
  s->context = context_copy(program->context, guard);
  s->program = program_clone(program, s->context, guard);
  s->verified = true;
}

void session_view(Session *s, Guard *guard, const Program *program) {
  session_init(s, guard, program->source, NULL);
  s->context = context_view(program->context, guard);
  s->program = program_clone(program, s->context, guard);
  s->verified = true;
}

Program *session_take(Session *s) {
  s->borrowed = true;
  return s->program;
}

Status *session_read_machine(Session *s, const char *text) {
  if (!text || s->machine) return NULL;
  Machine *machine = ARENA_NEW(&s->arena, Machine);
  TRY(machine_read(str_of(text), &s->arena, machine));
  s->machine = machine;
  return NULL;
}

void session_guard(Session *s, Guard *guard) {
  s->guard = guard;
  arena_guard(&s->arena, guard);
  arena_guard(&s->diag.arena, guard);
  if (s->propagation) propagation_guard(s->propagation, guard);
}

void session_deinit(Session *s) {
  partition_free(s->partition);
  propagation_free(s->propagation);
  sharding_table_free(s->table);
  program_free(s->global);
  program_free(s->flat);
  if (!s->borrowed) {
    program_free(s->program);
    context_free(s->context);
  }
  for (uint32_t i = 0; i < s->n_side_diags; i++) diag_deinit(&s->side_diags[i]);
  diag_deinit(&s->diag);
  arena_deinit(&s->arena);
  *s = (Session){0};
}

bool session_has_errors(const Session *s) {
  for (uint32_t i = 0; i < s->n_side_diags; i++)
    if (s->side_diags[i].errors) return true;
  return s->diag.errors != 0;
}

void session_render(const Session *s, StrBuf *out, bool colour) {
  diag_render(&s->diag, out, colour);
  for (uint32_t i = 0; i < s->n_side_diags; i++) diag_render(&s->side_diags[i], out, colour);
}
