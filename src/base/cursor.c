// Every function except cursor_rest skips blanks first, so parsers do not mention them.
#include "base/cursor.h"

static bool skip_comment(Cursor *c) {
  if (!c->comments || !str_starts(cursor_rest(c), "/*")) return false;
  size_t end = c->at + 2;
  while (end + 1 < c->end && !(c->text[end] == '*' && c->text[end + 1] == '/')) end++;
  if (end + 1 >= c->end) return false;
  c->at = end + 2;
  return true;
}

void cursor_skip(Cursor *c) {
  while (c->at < c->end) {
    char next = c->text[c->at];
    if (next && strchr(c->blanks, next))
      c->at++;
    else if (!skip_comment(c))
      return;
  }
}

char cursor_peek(Cursor *c) {
  cursor_skip(c);
  return c->at < c->end ? c->text[c->at] : '\0';
}

bool cursor_take(Cursor *c, char expected) {
  if (cursor_peek(c) != expected || c->at == c->end) return false;
  c->at++;
  return true;
}

bool cursor_take_text(Cursor *c, const char *expected) {
  cursor_skip(c);
  if (!str_starts(cursor_rest(c), expected)) return false;
  c->at += strlen(expected);
  return true;
}

Str cursor_take_while(Cursor *c, bool (*is)(char)) {
  cursor_skip(c);
  size_t begin = c->at;
  while (c->at < c->end && is(c->text[c->at])) c->at++;
  return (Str){c->text + begin, c->at - begin};
}

Str cursor_rest(const Cursor *c) { return (Str){c->text + c->at, c->end - c->at}; }
