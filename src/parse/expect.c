// One pass over the lines collects the announcements; @below is resolved when the next line without
// an announcement is reached. Then each diagnostic takes the first announcement that matches it.
#include "parse/expect.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

typedef struct Expectation {
  Severity severity;
  bool is_regex, is_below, unknown_place;
  bool met;
  uint32_t line;          // expected line, 1-based
  uint32_t comment_line;  // line of the comment
  Str text;
} Expectation;

typedef VEC(Expectation) Expectations;

static const char *const severity_names[] = {"error", "warning", "note", "remark"};

// Reads one announcement at s (after "expected-"); false if it is none.
static bool read_one(Str s, Expectation *out) {
  bool found = false;
  for (int k = 0; k < 4 && !found; k++)
    if (str_starts(s, severity_names[k])) {
      out->severity = (Severity)k;
      s.s += strlen(severity_names[k]);
      s.n -= strlen(severity_names[k]);
      found = true;
    }
  if (!found) return false;
  if (str_starts(s, "-re")) {
    out->is_regex = true;
    s.s += 3;
    s.n -= 3;
  }
  while (s.n && *s.s == ' ') s.s++, s.n--;
  if (s.n && *s.s == '@') {
    s.s++, s.n--;
    if (str_starts(s, "below")) {
      out->is_below = true;
      s.s += 5, s.n -= 5;
    } else if (str_starts(s, "above")) {
      out->line = 0;
      s.s += 5, s.n -= 5;
    } else if (str_starts(s, "unknown")) {
      out->unknown_place = true;
      s.s += 7, s.n -= 7;
    } else if (s.n && (*s.s == '+' || *s.s == '-')) {
      bool minus = *s.s == '-';
      uint32_t by = 0;
      s.s++, s.n--;
      while (s.n && *s.s >= '0' && *s.s <= '9') {
        by = by * 10 + (uint32_t)(*s.s - '0');
        s.s++, s.n--;
      }
      out->line = minus ? (out->line > by ? out->line - by : 0) : out->line + by;
    } else {
      return false;
    }
  }
  while (s.n && *s.s == ' ') s.s++, s.n--;
  if (!str_starts(s, "{{")) return false;
  size_t last = s.n;
  while (last >= 4 && !(s.s[last - 1] == '}' && s.s[last - 2] == '}')) last--;
  if (last < 4) return false;
  out->text = (Str){s.s + 2, last - 4};
  return true;
}

static Expectations collect(const Source *source, size_t begin, size_t end, Arena *arena) {
  Expectations all = {0};
  uint32_t line = 1, plain_line = 0, open_below = 0;
  for (size_t i = 0; i < begin; i++) line += source->text[i] == '\n';
  for (size_t at = begin; at < end; line++) {
    const char *start = source->text + at;
    const char *stop = memchr(start, '\n', end - at);
    Str text = {start, stop ? (size_t)(stop - start) : end - at};
    at += text.n + 1;
    bool announces = false;
    for (size_t i = 0; i + 9 < text.n && !announces; i++) {
      if (text.s[i] != 'e' || memcmp(text.s + i, "expected-", 9) != 0) continue;
      Expectation one = {.line = line, .comment_line = line};
      Str rest = {text.s + i + 9, text.n - i - 9};
      if (!read_one(rest, &one)) continue;
      if (one.line == 0) one.line = plain_line;
      VEC_PUSH(arena, &all, one);
      // "op // expected-error {{…}}": the comment is on the line of its own op.
      announces = one.is_below || one.line != line;
    }
    if (announces) continue;
    plain_line = line;
    for (; open_below < all.count; open_below++)
      if (all.items[open_below].is_below) all.items[open_below].line = line;
  }
  return all;
}

// Matches the announced text with its {{…}} as POSIX extended regular expressions.
static bool matches_regex(Str text, const char *message, Arena *arena) {
  char *pattern = arena_alloc(arena, text.n * 2 + 1);
  size_t n = 0;
  for (size_t i = 0; i < text.n;) {
    const char *close = NULL;
    if (i + 1 < text.n && text.s[i] == '{' && text.s[i + 1] == '{')
      for (size_t k = i + 2; k + 1 < text.n && !close; k++)
        if (text.s[k] == '}' && text.s[k + 1] == '}') close = text.s + k;
    if (close) {
      size_t len = (size_t)(close - (text.s + i + 2));
      memcpy(pattern + n, text.s + i + 2, len);
      n += len;
      i += len + 4;
      continue;
    }
    if (strchr("\\^$.|?*+()[]{}", text.s[i])) pattern[n++] = '\\';
    pattern[n++] = text.s[i++];
  }
  pattern[n] = '\0';
  regex_t regex;
  if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) != 0) return false;
  bool hit = regexec(&regex, message, 0, NULL, 0) == 0;
  regfree(&regex);
  return hit;
}

static bool contains(const char *message, Str text) {
  size_t n = strlen(message);
  for (size_t i = 0; i + text.n <= n; i++)
    if (memcmp(message + i, text.s, text.n) == 0) return true;
  return false;
}

static bool fits(const Expectation *e, const Diagnostic *d, uint32_t line, Arena *arena) {
  if (e->met || e->severity != d->severity) return false;
  if (e->unknown_place ? d->pos != POS_NONE : e->line != line) return false;
  return e->is_regex ? matches_regex(e->text, d->message, arena) : contains(d->message, e->text);
}

bool expect_diagnostics(const Source *source, size_t begin, size_t end, const Diag *diag,
                        StrBuf *out) {
  Arena arena;
  arena_init(&arena, diag->arena.guard);
  GuardCleanup cleanup = {.release = arena_release, .object = &arena};
  guard_push(diag->arena.guard, &cleanup);
  Expectations all = collect(source, begin, end, &arena);
  bool good = true;
  for (uint32_t i = 0; i < diag->list.count; i++) {
    const Diagnostic *d = &diag->list.items[i];
    uint32_t line = 0, column = 0;
    if (d->pos != POS_NONE) source_locate(source, d->pos, &line, &column);
    uint32_t k = 0;
    while (k < all.count && !fits(&all.items[k], d, line, &arena)) k++;
    if (k < all.count) {
      all.items[k].met = true;
      continue;
    }
    // Notes need no announcement.
    if (d->severity == SEVERITY_NOTE) continue;
    good = false;
    strbuf_printf(out, "%s:%u:%u: unexpected %s: %s\n", source->path, line, column,
                  severity_names[d->severity], d->message);
  }
  for (uint32_t k = 0; k < all.count; k++) {
    const Expectation *e = &all.items[k];
    if (e->met) continue;
    good = false;
    strbuf_printf(out, "%s:%u: expected %s \"%.*s\" was not produced\n", source->path,
                  e->comment_line, severity_names[e->severity], (int)e->text.n, e->text.s);
  }
  guard_pop(diag->arena.guard, &cleanup);
  arena_deinit(&arena);
  return good;
}
