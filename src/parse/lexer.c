// Tokens of MLIR's text with one token of lookahead. A table of character classes drives
// hand-written loops. Nothing is copied: a token is a view of the source. Each character is looked
// at once (strings by memchr). O(text).
#include "parse/reader.h"

#include <stdarg.h>
#include <stdio.h>

enum {
  C_LETTER = 1,  // letters and _
  C_DIGIT = 2,
  C_WORD = 4,    // inside a word: letters, digits, _ $ .
  C_SUFFIX = 8,  // after % # ! ^: C_WORD and -
  C_SPACE = 16,
  C_HEX = 32,
  C_PUNCT = 64,
};

#define L (C_LETTER | C_WORD | C_SUFFIX)
#define H (L | C_HEX)
#define D (C_DIGIT | C_WORD | C_SUFFIX | C_HEX)
// clang-format off
static const uint8_t char_class[256] = {
    ['\t'] = C_SPACE, ['\n'] = C_SPACE, ['\r'] = C_SPACE, [' '] = C_SPACE,
    ['0'] = D, ['1'] = D, ['2'] = D, ['3'] = D, ['4'] = D, ['5'] = D, ['6'] = D, ['7'] = D,
    ['8'] = D, ['9'] = D,
    ['a'] = H, ['b'] = H, ['c'] = H, ['d'] = H, ['e'] = H, ['f'] = H, ['g'] = L, ['h'] = L,
    ['i'] = L, ['j'] = L, ['k'] = L, ['l'] = L, ['m'] = L, ['n'] = L, ['o'] = L, ['p'] = L,
    ['q'] = L, ['r'] = L, ['s'] = L, ['t'] = L, ['u'] = L, ['v'] = L, ['w'] = L, ['x'] = L,
    ['y'] = L, ['z'] = L,
    ['A'] = H, ['B'] = H, ['C'] = H, ['D'] = H, ['E'] = H, ['F'] = H, ['G'] = L, ['H'] = L,
    ['I'] = L, ['J'] = L, ['K'] = L, ['L'] = L, ['M'] = L, ['N'] = L, ['O'] = L, ['P'] = L,
    ['Q'] = L, ['R'] = L, ['S'] = L, ['T'] = L, ['U'] = L, ['V'] = L, ['W'] = L, ['X'] = L,
    ['Y'] = L, ['Z'] = L,
    ['_'] = L, ['$'] = C_WORD | C_SUFFIX, ['.'] = C_WORD | C_SUFFIX, ['-'] = C_SUFFIX | C_PUNCT,
    [':'] = C_PUNCT, [','] = C_PUNCT, ['='] = C_PUNCT, ['<'] = C_PUNCT, ['>'] = C_PUNCT,
    ['{'] = C_PUNCT, ['}'] = C_PUNCT, ['('] = C_PUNCT, [')'] = C_PUNCT, ['['] = C_PUNCT,
    [']'] = C_PUNCT, ['+'] = C_PUNCT, ['?'] = C_PUNCT, ['*'] = C_PUNCT, ['/'] = C_PUNCT,
    ['|'] = C_PUNCT,
};
// clang-format on
#undef L
#undef H
#undef D

static inline bool is(const Reader *r, const char *at, int classes) {
  return at < r->end && (char_class[(unsigned char)*at] & classes);
}

static Pos pos_of(const Reader *r, const char *at) { return (Pos)(at - r->source->text); }

// ---- errors ----

bool reader_fail(Reader *r, Pos pos, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  diag_error_va(r->diag, pos, fmt, args);
  va_end(args);
  return false;
}

// Long tokens are shortened in the message.
bool reader_expected(Reader *r, const char *what) {
  if (r->tok.kind == TOK_ERROR) return false;
  if (r->tok.kind == TOK_END)
    return reader_fail(r, r->tok.pos, "expected %s, but the text ends here", what);
  size_t n = r->tok.text.n > 40 ? 40 : r->tok.text.n;
  return reader_fail(r, r->tok.pos, "expected %s, found '%.*s%s'", what, (int)n, r->tok.text.s,
                     n < r->tok.text.n ? "…" : "");
}

bool reader_enter(Reader *r) {
  if (r->depth >= r->max_depth)
    return reader_fail(r, r->tok.pos, "nested deeper than %u levels", r->max_depth);
  r->depth++;
  return true;
}

// ---- tokens ----

static void lex_error(Reader *r, const char *at, const char *message) {
  reader_fail(r, pos_of(r, at), "%s", message);
  r->tok.kind = TOK_ERROR;
  r->at = r->end;  // nothing after it is read
}

// Skips blanks and `//` comments.
static const char *skip_space(const Reader *r, const char *at) {
  for (;;) {
    while (is(r, at, C_SPACE)) at++;
    if (at + 1 >= r->end || at[0] != '/' || at[1] != '/') return at;
    const char *eol = memchr(at, '\n', (size_t)(r->end - at));
    at = eol ? eol + 1 : r->end;
  }
}

// The closing quote of the string that opens at `at`, or NULL.
static const char *string_end(const Reader *r, const char *at) {
  const char *from = at + 1;
  for (;;) {
    const char *quote = memchr(from, '"', (size_t)(r->end - from));
    if (!quote) return NULL;
    // A quote after an odd number of backslashes is escaped. Strings end on their line.
    const char *back = quote;
    while (back > at + 1 && back[-1] == '\\') back--;
    if ((quote - back) % 2 == 0) return memchr(at, '\n', (size_t)(quote - at)) ? NULL : quote;
    from = quote + 1;
  }
}

// A number with 'e' but without a point is no float, as in MLIR.
static const char *lex_number(const Reader *r, const char *at, Tok *out_kind) {
  *out_kind = TOK_INT;
  if (at[0] == '0' && at + 1 < r->end && at[1] == 'x' && is(r, at + 2, C_HEX)) {
    at += 2;
    while (is(r, at, C_HEX)) at++;
    return at;
  }
  while (is(r, at, C_DIGIT)) at++;
  if (at >= r->end || *at != '.') return at;
  *out_kind = TOK_FLOAT;
  at++;
  while (is(r, at, C_DIGIT)) at++;
  if (at < r->end && (*at == 'e' || *at == 'E')) {
    const char *digits = at + 1;
    if (digits < r->end && (*digits == '+' || *digits == '-')) digits++;
    if (is(r, digits, C_DIGIT)) {
      at = digits;
      while (is(r, at, C_DIGIT)) at++;
    }
  }
  return at;
}

// A name after its sigil: digits, or characters of C_SUFFIX.
static const char *lex_suffix(const Reader *r, const char *at) {
  if (is(r, at, C_DIGIT)) {
    while (is(r, at, C_DIGIT)) at++;
    return at;
  }
  while (is(r, at, C_SUFFIX)) at++;
  return at;
}

static Tok sigil_kind(char c) {
  switch (c) {
  case '%': return TOK_VALUE;
  case '#': return TOK_HASH;
  case '!': return TOK_BANG;
  case '^': return TOK_CARET;
  default: return TOK_ERROR;
  }
}

static void take(Reader *r, Tok kind, const char *begin, const char *end) {
  r->tok.kind = kind;
  r->tok.text = (Str){begin, (size_t)(end - begin)};
  r->at = end;
}

static void lex_string(Reader *r, const char *begin, const char *quote, Tok kind) {
  const char *close = string_end(r, quote);
  if (!close)
    lex_error(r, quote, "this string is not closed on its line");
  else
    take(r, kind, begin, close + 1);
}

static void lex_sigil(Reader *r, const char *at) {
  if (*at == '#' && r->end - at >= 3 && memcmp(at, "#-}", 3) == 0) {
    take(r, TOK_FILE_END, at, at + 3);
    return;
  }
  if (*at == '@') {
    if (at + 1 < r->end && at[1] == '"') {
      lex_string(r, at, at + 1, TOK_SYMBOL);
      return;
    }
    const char *end = at + 1;
    if (is(r, end, C_LETTER))
      while (is(r, end, C_WORD)) end++;
    if (end == at + 1)
      lex_error(r, at, "'@' is not followed by a name");
    else
      take(r, TOK_SYMBOL, at, end);
    return;
  }
  const char *end = lex_suffix(r, at + 1);
  if (end == at + 1) {
    char message[] = "'?' is not followed by a name";
    message[1] = *at;
    lex_error(r, at, message);
  } else {
    take(r, sigil_kind(*at), at, end);
  }
}

static void lex_punct(Reader *r, const char *at) {
  size_t left = (size_t)(r->end - at);
  if (*at == '-' && left > 1 && at[1] == '>')
    take(r, TOK_ARROW, at, at + 2);
  else if (*at == ':' && left > 2 && at[1] == ':' && at[2] == '@')
    take(r, TOK_DCOLON, at, at + 2);
  else if (*at == '{' && left > 2 && at[1] == '-' && at[2] == '#')
    take(r, TOK_FILE_BEGIN, at, at + 3);
  else {
    take(r, TOK_PUNCT, at, at + 1);
    r->tok.punct = *at;
  }
}

static void lex_other(Reader *r, const char *at) {
  if (r->end - at >= 3 && memcmp(at, "...", 3) == 0) {
    take(r, TOK_ELLIPSIS, at, at + 3);
    return;
  }
  unsigned char c = (unsigned char)*at;
  char message[64];
  if (c >= 0x21 && c < 0x7F)
    snprintf(message, sizeof message, "'%c' means nothing here", c);
  else
    snprintf(message, sizeof message, "the byte 0x%02X means nothing here", c);
  lex_error(r, at, message);
}

void reader_next(Reader *r) {
  const char *at = skip_space(r, r->at);
  r->tok.punct = 0;
  r->tok.pos = pos_of(r, at);
  if (at >= r->end) {
    if (r->tok.kind != TOK_ERROR) take(r, TOK_END, r->end, r->end);
    return;
  }
  int c = char_class[(unsigned char)*at];
  if (c & C_LETTER) {
    const char *end = at + 1;
    while (is(r, end, C_WORD)) end++;
    take(r, TOK_WORD, at, end);
  } else if (c & C_DIGIT) {
    Tok kind;
    const char *end = lex_number(r, at, &kind);
    take(r, kind, at, end);
  } else if (c & C_PUNCT) {
    lex_punct(r, at);
  } else if (*at == '%' || *at == '#' || *at == '!' || *at == '^' || *at == '@') {
    lex_sigil(r, at);
  } else if (*at == '"') {
    lex_string(r, at, at, TOK_STRING);
  } else {
    lex_other(r, at);
  }
}

void reader_seek(Reader *r, const char *at) {
  if (r->tok.kind == TOK_ERROR) return;
  r->at = at;
  reader_next(r);
}

bool reader_expect(Reader *r, char punct) {
  if (reader_accept(r, punct)) return true;
  char what[] = "'?'";
  what[1] = punct;
  return reader_expected(r, what);
}

bool reader_at_word(const Reader *r, const char *word) {
  return r->tok.kind == TOK_WORD && str_is(r->tok.text, word);
}

bool reader_accept_word(Reader *r, const char *word) {
  if (!reader_at_word(r, word)) return false;
  reader_next(r);
  return true;
}

bool reader_expect_word(Reader *r, const char *word) {
  if (reader_accept_word(r, word)) return true;
  char what[64];
  snprintf(what, sizeof what, "'%s'", word);
  return reader_expected(r, what);
}

bool reader_expect_tok(Reader *r, Tok kind, const char *what) {
  return reader_accept_tok(r, kind) || reader_expected(r, what);
}

bool reader_word(Reader *r, Str *out) {
  if (r->tok.kind != TOK_WORD) return reader_expected(r, "a word");
  *out = r->tok.text;
  reader_next(r);
  return true;
}

// ---- literals ----

static int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Decodes one escape at `at`; *out_used is its length in the text.
static char *decode_escape(Reader *r, const char *at, size_t left, char *to, size_t *out_used) {
  switch (at[0]) {
  case 'n':
    *to = '\n';
    *out_used = 1;
    return to + 1;
  case 't':
    *to = '\t';
    *out_used = 1;
    return to + 1;
  case '"':
  case '\\':
    *to = at[0];
    *out_used = 1;
    return to + 1;
  default: break;
  }
  if (left < 2 || hex_value(at[0]) < 0 || hex_value(at[1]) < 0) {
    reader_fail(r, pos_of(r, at - 1),
                "'\\%c' is not an escape: write \\n, \\t, \\\\, \\\" or two hex digits", at[0]);
    return NULL;
  }
  *to = (char)(hex_value(at[0]) * 16 + hex_value(at[1]));
  *out_used = 2;
  return to + 1;
}

// Decodes a string with its quotes.
static bool decode_string(Reader *r, Str text, Name *out) {
  const char *s = text.s + 1;
  size_t n = text.n - 2;
  if (!n || !memchr(s, '\\', n)) {
    *out = name_intern(r->context, (Str){s, n});
    return true;
  }
  char *copy = arena_alloc(r->scratch, n), *to = copy;
  for (size_t i = 0; i < n; i++) {
    if (s[i] != '\\') {
      *to++ = s[i];
      continue;
    }
    size_t used;
    to = decode_escape(r, s + i + 1, n - i - 1, to, &used);
    if (!to) return false;
    i += used;
  }
  *out = name_intern(r->context, (Str){copy, (size_t)(to - copy)});
  return true;
}

bool reader_string(Reader *r, Name *out) {
  if (r->tok.kind != TOK_STRING) return reader_expected(r, "a string");
  if (!decode_string(r, r->tok.text, out)) return false;
  reader_next(r);
  return true;
}

bool reader_symbol(Reader *r, Name *out) {
  if (r->tok.kind != TOK_SYMBOL) return reader_expected(r, "a symbol name (@…)");
  Str text = {r->tok.text.s + 1, r->tok.text.n - 1};
  if (text.s[0] != '"')
    *out = name_intern(r->context, text);
  else if (!decode_string(r, text, out))
    return false;
  if (!*out) return reader_fail(r, r->tok.pos, "a symbol's name must not be empty");
  reader_next(r);
  return true;
}

static bool integer_of(Str text, bool negative, int64_t *out) {
  uint64_t value = 0, base = 10;
  size_t i = 0;
  if (text.n > 2 && text.s[1] == 'x') base = 16, i = 2;
  for (; i < text.n; i++) {
    uint64_t digit = (uint64_t)hex_value(text.s[i]);
    if (__builtin_mul_overflow(value, base, &value) || __builtin_add_overflow(value, digit, &value))
      return false;
  }
  if (value > (uint64_t)INT64_MAX + negative) return false;
  *out = negative ? (int64_t)(0 - value) : (int64_t)value;
  return true;
}

bool reader_integer(Reader *r, int64_t *out) {
  Pos pos = r->tok.pos;
  bool negative = reader_accept(r, '-');
  if (!negative) (void)reader_accept(r, '+');
  if (r->tok.kind != TOK_INT) return reader_expected(r, "an integer");
  if (!integer_of(r->tok.text, negative, out))
    return reader_fail(r, pos, "the integer %s%.*s does not fit in 64 bits", negative ? "-" : "",
                       (int)(r->tok.text.n > 80 ? 80 : r->tok.text.n), r->tok.text.s);
  reader_next(r);
  return true;
}

bool reader_bool(Reader *r, bool *out) {
  bool one = reader_at_word(r, "true") || (r->tok.kind == TOK_INT && str_is(r->tok.text, "1"));
  bool zero = reader_at_word(r, "false") || (r->tok.kind == TOK_INT && str_is(r->tok.text, "0"));
  if (!one && !zero) return reader_expected(r, "true or false");
  *out = one;
  reader_next(r);
  return true;
}

bool reader_float(Reader *r, double *out) {
  bool negative = reader_accept(r, '-');
  if (!negative) (void)reader_accept(r, '+');
  if (r->tok.kind != TOK_INT && r->tok.kind != TOK_FLOAT) return reader_expected(r, "a number");
  Str text = r->tok.text;
  double value;
  Scalar bits;
  if (text.n > 2 && text.s[1] == 'x') {
    if (!dtype_parse_number(DT_f64, text.s, text.n, &bits))
      return reader_fail(r, r->tok.pos, "the hex number has more than 64 bits");
    value = bits.f;
  } else if (!dtype_parse_double(text.s, text.n, &value)) {
    return reader_expected(r, "a number");
  }
  *out = negative ? -value : value;
  reader_next(r);
  return true;
}

bool reader_integer_list(Reader *r, IntVec *out) {
  if (!reader_expect(r, '[')) return false;
  if (reader_accept(r, ']')) return true;
  do {
    int64_t value;
    if (!reader_integer(r, &value)) return false;
    VEC_PUSH(r->scratch, out, value);
  } while (reader_accept(r, ','));
  return reader_expect(r, ']');
}
