// Short forms of annotations in the programs of C tests, which clang-format keeps readable.
//
//   '                "
//   #[{'x'}, {}]     {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, of an argument or result
//   ##[{'x'}, {}]    {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>}, of an op
//   $                the parameter
#ifndef TESSERA_TESTS_SUPPORT_SHORT_TEXT_H
#define TESSERA_TESTS_SUPPORT_SHORT_TEXT_H

#include <stddef.h>
#include <string.h>

typedef struct ShortText {
  char *out;
  size_t n, most;
} ShortText;

static inline void short_text_put(ShortText *t, const char *text) {
  for (; *text && t->n + 1 < t->most; text++) t->out[t->n++] = *text == '\'' ? '"' : *text;
}

// Writes the long form, NUL-terminated, and returns its length; what does not fit is left out.
// parameter: NULL = none.
static inline size_t short_text(const char *text, const char *parameter, char *out, size_t most) {
  ShortText t = {out, 0, most};
  const char *close = NULL;
  for (; *text; text++) {
    char one[2] = {*text, 0};
    if (strncmp(text, "##[", 3) == 0) {
      short_text_put(&t, "{sdy.sharding = #sdy.sharding_per_value<[<@m, [");
      close = "]>]>}";
      text += 2;
    } else if (strncmp(text, "#[", 2) == 0) {
      short_text_put(&t, "{sdy.sharding = #sdy.sharding<@m, [");
      close = "]>}";
      text++;
    } else if (close && *text == ']') {
      short_text_put(&t, close);
      close = NULL;
    } else {
      short_text_put(&t, parameter && *text == '$' ? parameter : one);
    }
  }
  out[t.n] = 0;
  return t.n;
}

#endif
