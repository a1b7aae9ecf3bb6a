// Reads a text of any size byte by byte, from a file, standard input or memory, plain or gzip. The
// buffer is constant, so the reader's memory is what it keeps.
#ifndef TESSERA_BASE_STREAM_H
#define TESSERA_BASE_STREAM_H

#include <stdint.h>
#include <stdio.h>

#include "base/inflate.h"
#include "base/str.h"

enum { STREAM_BUFFER = 1 << 16 };

typedef struct Stream {
  FILE *file;            // NULL: from memory
  Str memory;            // what is left of it
  Inflate *inflate;      // NULL if plain
  Status *error;         // of the last fill; owned
  uint64_t line;         // from 1
  uint64_t taken, most;  // bytes given out before this buffer; limit
  uint32_t at, end;      // next byte of `buffer`; one after the last
  uint32_t raw_at, raw_end;
  uint8_t buffer[STREAM_BUFFER];
  uint8_t raw[STREAM_BUFFER];  // compressed bytes
} Stream;

// Opens a file ("-": standard input). gzip is recognized by its first two bytes. More than `most`
// bytes of text are an error. The stream is large: not for the stack. stream_close in any case.
Status *stream_open(Stream *stream, const char *path, uint64_t most) MUST_USE;
Status *stream_open_memory(Stream *stream, Str bytes, uint64_t most) MUST_USE;
void stream_close(Stream *stream);
void stream_release(void *stream);  // for a GuardCleanup

int stream_fill(Stream *stream);
// The next byte without taking it; -1 at the end and after an error.
static inline int stream_peek(Stream *stream) {
  return stream->at < stream->end ? stream->buffer[stream->at] : stream_fill(stream);
}
static inline int stream_next(Stream *stream) {
  int c = stream_peek(stream);
  if (c >= 0) stream->at++;
  if (c == '\n') stream->line++;
  return c;
}
// The error that ended the stream, for the caller to own; NULL: it just ended.
Status *stream_error(Stream *stream) MUST_USE;

#endif
