// Hand-written parsing of a short text: a position, blanks that are skipped, characters and words
// that are taken. Each parser writes its own messages.
#ifndef TESSERA_BASE_CURSOR_H
#define TESSERA_BASE_CURSOR_H

#include "base/str.h"

typedef struct Cursor {
  const char *text;    // borrowed, not NUL-terminated
  size_t at, end;      // the next character; one after the last
  const char *blanks;  // characters between words
  bool comments;       // also skip `/* … */`; one without an end is no comment
} Cursor;

// Moves to the next character that is neither blank nor in a comment.
void cursor_skip(Cursor *c);
// The next character after blanks; 0 at the end.
char cursor_peek(Cursor *c);
// Takes the expected text after blanks. False if something else follows; only blanks are skipped
// then.
bool cursor_take(Cursor *c, char expected);
bool cursor_take_text(Cursor *c, const char *expected);
// Takes characters after blanks while is(c); may be empty.
Str cursor_take_while(Cursor *c, bool (*is)(char));
Str cursor_rest(const Cursor *c);  // from the next character on, blanks included

#endif
