// Text about the note of a thread, for a handler of signals: no allocation, no stdio.
#include "execute/running.h"

#include <string.h>

#include "ops/op.h"

_Thread_local const RunNote *run_note;

typedef struct Text {
  char *at;
  size_t used, bytes;
} Text;

static void put(Text *t, const char *s) {
  for (; *s && t->used + 1 < t->bytes; s++) t->at[t->used++] = *s;
  t->at[t->used] = 0;
}

static void put_number(Text *t, uint32_t n) {
  char digits[16];
  size_t i = sizeof digits - 1;
  digits[i] = 0;
  do digits[--i] = (char)('0' + n % 10);
  while (n /= 10);
  put(t, digits + i);
}

bool executable_running(char *out, size_t bytes) {
  const RunNote *note = run_note;
  if (!note || !note->instr || !bytes) return false;
  const Program *p = note->exe->program;
  const Instr *instr = note->instr;
  Text t = {.at = out, .bytes = bytes};
  put(&t, instr->kind == INSTR_KERNEL ? "the kernel '" : "the instruction '");
  put(&t, instr->kind == INSTR_KERNEL ? instr->kernel->name
          : instr->op                 ? op_name(p, instr->op)
                                      : "copy");
  put(&t, "' on device ");
  put_number(&t, note->device);
  if (!instr->op || !p->source || op_at(p, instr->op)->pos == POS_NONE) return true;
  uint32_t line, column;
  source_locate(p->source, op_at(p, instr->op)->pos, &line, &column);
  put(&t, " (");
  put(&t, p->source->path);
  put(&t, ":");
  put_number(&t, line);
  put(&t, ")");
  return true;
}
