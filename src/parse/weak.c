// Stand-ins until form.c and print.c are there; weak, so that the real ones win.
#include "parse/print.h"
#include "parse/reader.h"

__attribute__((weak)) bool form_read(Reader *r, uint16_t code, ReadOp *op) {
  return reader_fail(r, op->pos, "'%s' has no pretty form here; write it in generic form",
                     op_row(code)->name);
}

__attribute__((weak)) void program_print(const Program *p, const PrintOptions *options, StrBuf *out) {
  (void)p;
  (void)options;
  (void)out;
}
