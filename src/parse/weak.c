// Stand-ins until form.c and dialect_attrs.c are there; weak, so that the real ones win.
#include "parse/reader.h"

__attribute__((weak)) bool form_read(Reader *r, uint16_t code, ReadOp *op) {
  return reader_fail(r, op->pos, "'%s' has no pretty form here; write it in generic form",
                     op_row(code)->name);
}

__attribute__((weak)) bool dialect_attr_read(Reader *r, Str name, Attr *out) {
  (void)r;
  (void)name;
  *out = 0;
  return true;
}
