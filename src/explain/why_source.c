// Shows the user's Python line beside the op that it made.
// A program may name any path, so only regular files named *.py of at most MOST_BYTES are read.
// A ring of WHY_SOURCES files is cached; an unreadable file is cached as empty.
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "explain/why_private.h"

enum { MOST_BYTES = 4 << 20, MOST_PATH = 4096 };

static bool is_python(Str file) {
  return file.n > 3 && file.n < MOST_PATH && !memcmp(file.s + file.n - 3, ".py", 3) &&
         !memchr(file.s, '\0', file.n);
}

// stat first: opening a FIFO or a device could block.
static void read_file(WhySource *source, Str file) {
  char path[MOST_PATH];
  struct stat info;
  memcpy(path, file.s, file.n);
  path[file.n] = '\0';
  mem_free(source->text);
  *source = (WhySource){.file = file};
  if (stat(path, &info) || !S_ISREG(info.st_mode)) return;
  status_free(file_read(path, MOST_BYTES, &source->text, &source->bytes));
}

bool why_source_line(Why *why, Str file, uint32_t line, Str *out) {
  if (!is_python(file) || !line) return false;
  WhySource *source = NULL;
  for (uint32_t i = 0; i < WHY_SOURCES && !source; i++)
    if (str_equal(why->sources[i].file, file)) source = &why->sources[i];
  if (!source) {
    source = &why->sources[why->next_source++ % WHY_SOURCES];
    read_file(source, file);
  }
  if (!source->text) return false;
  const char *at = source->text, *end = at + source->bytes;
  while (--line) {
    at = memchr(at, '\n', (size_t)(end - at));
    if (!at) return false;
    at++;
  }
  const char *stop = memchr(at, '\n', (size_t)(end - at));
  *out = (Str){at, (size_t)((stop ? stop : end) - at)};
  return out->n > 0;
}

void why_sources_free(Why *why) {
  for (uint32_t i = 0; i < WHY_SOURCES; i++) mem_free(why->sources[i].text);
}
