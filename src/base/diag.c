// Collects diagnostics in an arena of its own and renders them in the usual compiler format.
#include "base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

// A source's index has the number of lines before each multiple of INDEX_BYTES, so locating scans
// at most INDEX_BYTES.
enum { MOST_ERRORS = 20, SHOWN_COLUMNS = 120, INDEX_BYTES = 4096 };

void diag_init(Diag *diag, Guard *guard, const Source *source) {
  *diag = (Diag){.source = source, .most_errors = MOST_ERRORS};
  arena_init(&diag->arena, guard);
}

void diag_deinit(Diag *diag) {
  arena_deinit(&diag->arena);
  diag->list.items = NULL;
  diag->list.count = diag->list.capacity = 0;
}

void diag_release(void *diag) { diag_deinit(diag); }

static void record(Diag *diag, Severity severity, Pos pos, const char *fmt, va_list args) {
  va_list again;
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, fmt, again);
  va_end(again);
  size_t bytes = n < 0 ? 1 : (size_t)n + 1;
  char *message = arena_alloc(&diag->arena, bytes);
  message[0] = '\0';
  if (n >= 0) vsnprintf(message, bytes, fmt, args);
  Diagnostic item = {severity, pos, message};
  VEC_PUSH(&diag->arena, &diag->list, item);
  if (severity == SEVERITY_ERROR) diag->errors++;
}

bool diag_error_va(Diag *diag, Pos pos, const char *fmt, va_list args) {
  record(diag, SEVERITY_ERROR, pos, fmt, args);
  return false;
}

bool diag_error(Diag *diag, Pos pos, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  record(diag, SEVERITY_ERROR, pos, fmt, args);
  va_end(args);
  return false;
}

void diag_warning(Diag *diag, Pos pos, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  record(diag, SEVERITY_WARNING, pos, fmt, args);
  va_end(args);
}

void diag_note(Diag *diag, Pos pos, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  record(diag, SEVERITY_NOTE, pos, fmt, args);
  va_end(args);
}

bool diag_full(const Diag *diag) { return diag->errors >= diag->most_errors; }

// Number of newlines between two positions.
static uint32_t count_lines(const Source *source, size_t from, size_t to) {
  uint32_t count = 0;
  const char *at = source->text + from, *end = source->text + to;
  for (const char *nl; (nl = memchr(at, '\n', (size_t)(end - at))); at = nl + 1) count++;
  return count;
}

void source_index(Source *source) {
  size_t n = source->size / INDEX_BYTES + 1;
  uint32_t *lines = mem_alloc(n * sizeof *lines);
  if (!lines) return;
  lines[0] = 0;
  for (size_t i = 1; i < n; i++)
    lines[i] = lines[i - 1] + count_lines(source, (i - 1) * INDEX_BYTES, i * INDEX_BYTES);
  source->lines = lines;
}

void source_unindex(Source *source) {
  mem_free(source->lines);
  source->lines = NULL;
}

// With an index, only the lines since the last multiple of INDEX_BYTES are counted.
void source_locate(const Source *source, Pos pos, uint32_t *out_line, uint32_t *out_column) {
  size_t at = pos > source->size ? source->size : pos, block = at / INDEX_BYTES, begin = at;
  *out_line =
      1 + (source->lines ? source->lines[block] + count_lines(source, block * INDEX_BYTES, at)
                         : count_lines(source, 0, at));
  while (begin > 0 && source->text[begin - 1] != '\n') begin--;
  *out_column = (uint32_t)(at - begin) + 1;
}

static void render_line(const Source *source, Pos pos, StrBuf *out) {
  size_t at = pos > source->size ? source->size : pos;
  size_t begin = at, end = at;
  while (begin > 0 && source->text[begin - 1] != '\n') begin--;
  while (end < source->size && source->text[end] != '\n') end++;
  size_t column = at - begin, shift = 0;
  if (end - begin > SHOWN_COLUMNS) {
    if (column > SHOWN_COLUMNS / 2) shift = column - SHOWN_COLUMNS / 2;
    if (end - begin - shift > SHOWN_COLUMNS) end = begin + shift + SHOWN_COLUMNS;
  }
  strbuf_puts(out, "  ");
  for (size_t i = begin + shift; i < end; i++) {
    unsigned char c = (unsigned char)source->text[i];
    strbuf_putc(out, c == '\t' || c < 0x20 || c == 0x7f ? ' ' : (char)c);
  }
  strbuf_puts(out, "\n  ");
  for (size_t i = shift; i < column; i++) strbuf_putc(out, ' ');
  strbuf_puts(out, "^\n");
}

void diag_render(const Diag *diag, StrBuf *out, bool colour) {
  static const char *const words[] = {"error", "warning", "note", "remark"};
  static const char *const paint[] = {"\033[1;31m", "\033[1;35m", "\033[1;36m", "\033[1;34m"};
  for (uint32_t i = 0; i < diag->list.count; i++) {
    const Diagnostic *d = &diag->list.items[i];
    const char *path = diag->source ? diag->source->path : "<input>";
    if (d->pos != POS_NONE && diag->source) {
      uint32_t line, column;
      source_locate(diag->source, d->pos, &line, &column);
      strbuf_printf(out, "%s:%u:%u: ", path, line, column);
    } else {
      strbuf_printf(out, "%s: ", path);
    }
    if (colour) strbuf_puts(out, paint[d->severity]);
    strbuf_puts(out, words[d->severity]);
    if (colour) strbuf_puts(out, "\033[0m");
    strbuf_printf(out, ": %s\n", d->message);
    if (d->pos != POS_NONE && diag->source && diag->source->text)
      render_line(diag->source, d->pos, out);
  }
}

Status *diag_status(const Diag *diag) {
  for (uint32_t i = 0; i < diag->list.count; i++) {
    const Diagnostic *d = &diag->list.items[i];
    if (d->severity != SEVERITY_ERROR) continue;
    if (d->pos == POS_NONE || !diag->source) FAIL(INVALID_ARGUMENT, "%s", d->message);
    uint32_t line, column;
    source_locate(diag->source, d->pos, &line, &column);
    FAIL(INVALID_ARGUMENT, "%s:%u:%u: %s", diag->source->path, line, column, d->message);
  }
  return NULL;
}
