// Reading a short text by hand: a position, blanks that are skipped, characters and words that are
// taken. Each reader writes its own messages.
#ifndef TESSERA_BASE_CURSOR_H
#define TESSERA_BASE_CURSOR_H

#include "base/str.h"

typedef struct Cursor {
  const char *text;    // borrowed, not NUL-terminated
  size_t at, end;      // the next character; one behind the last
  const char *blanks;  // characters between words
  bool comments;       // `/* … */` between words, too; one without an end is no comment
} Cursor;

// To the next character that is no blank and in no comment.
void cursor_skip(Cursor *c);
// The next character, behind blanks; 0 at the end.
char cursor_peek(Cursor *c);
// Takes the text that stands next, behind blanks. False: something else does, only blanks are
// skipped.
bool cursor_take(Cursor *c, char wanted);
bool cursor_take_text(Cursor *c, const char *wanted);
// The characters behind blanks up to the first that is none of them; may be empty.
Str cursor_take_while(Cursor *c, bool (*is)(char));
Str cursor_rest(const Cursor *c);  // from the next character, blanks included

#endif
