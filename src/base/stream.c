// A stream has a buffer of text and, for gzip, one of compressed bytes. Filling the first takes
// from the second, which is filled from the file. An error ends the stream; the reader asks for it
// when it sees the end.
#include "base/stream.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"

// Reads raw bytes into `to`; 0 at the end and after an error.
static uint32_t read_raw(Stream *s, uint8_t *to, uint32_t n) {
  if (!s->file) {
    uint32_t size = s->memory.n < n ? (uint32_t)s->memory.n : n;
    if (size) memcpy(to, s->memory.s, size);
    s->memory.s += size, s->memory.n -= size;
    return size;
  }
  size_t size = fread(to, 1, n, s->file);
  if (size < n && ferror(s->file) && !s->error)
    s->error =
        status_new(DATA_LOSS, __FILE__, __LINE__, "the file cannot be read: %s", strerror(errno));
  return (uint32_t)size;
}

static int next_raw(void *user) {
  Stream *s = user;
  if (s->raw_at == s->raw_end) {
    s->raw_at = 0;
    s->raw_end = read_raw(s, s->raw, STREAM_BUFFER);
    if (!s->raw_end) return -1;
  }
  return s->raw[s->raw_at++];
}

// Takes what is already in `raw` first: the bytes that told whether this is gzip.
static uint32_t read_plain(Stream *s) {
  uint32_t n = s->raw_end - s->raw_at;
  if (!n) return read_raw(s, s->buffer, STREAM_BUFFER);
  memcpy(s->buffer, s->raw + s->raw_at, n);
  s->raw_at = s->raw_end;
  return n;
}

int stream_fill(Stream *s) {
  if (s->error) return -1;
  s->taken += s->end;
  s->at = s->end = 0;
  uint32_t n = 0;
  if (s->inflate) {
    Status *status = inflate_read(s->inflate, s->buffer, STREAM_BUFFER, &n);
    if (status && !s->error)
      s->error = status;
    else
      status_free(status);
  } else {
    n = read_plain(s);
  }
  if (s->taken + n > s->most && !s->error)
    s->error = status_new(RESOURCE_EXHAUSTED, __FILE__, __LINE__,
                          "the text has more than %llu bytes", (unsigned long long)s->most);
  if (s->error || !n) return -1;
  s->end = n;
  return s->buffer[0];
}

static Status *begin(Stream *s) {
  s->raw_end = read_raw(s, s->raw, STREAM_BUFFER);
  if (s->error) return stream_error(s);
  if (s->raw_end < 2 || s->raw[0] != 0x1F || s->raw[1] != 0x8B) return NULL;
  s->inflate = mem_alloc(sizeof *s->inflate);
  if (!s->inflate) return status_no_memory();
  inflate_init(s->inflate, (InflateSource){next_raw, s});
  return NULL;
}

static void clear(Stream *s, uint64_t most) {
  memset(s, 0, sizeof *s);
  s->line = 1;
  s->most = most;
}

Status *stream_open(Stream *s, const char *path, uint64_t most) {
  clear(s, most);
  s->file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
  if (!s->file) FAIL(NOT_FOUND, "%s: %s", path, strerror(errno));
  return begin(s);
}

Status *stream_open_memory(Stream *s, Str bytes, uint64_t most) {
  clear(s, most);
  s->memory = bytes;
  return begin(s);
}

void stream_close(Stream *s) {
  if (s->file && s->file != stdin) fclose(s->file);
  mem_free(s->inflate);
  status_free(s->error);
  s->file = NULL, s->inflate = NULL, s->error = NULL;
}

void stream_release(void *stream) { stream_close(stream); }

Status *stream_error(Stream *s) {
  Status *error = s->error;
  s->error = NULL;
  return error;
}
