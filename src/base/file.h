// Reads and writes complete files. No file stays open.
#ifndef TESSERA_BASE_FILE_H
#define TESSERA_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

// Reads a file ("-" = standard input) into a block that the caller frees with mem_free. An
// uncounted NUL follows the data. More than `most` bytes are RESOURCE_EXHAUSTED, so an endless
// input ends. The message names the file and the reason.
Status *file_read(const char *path, size_t most, char **out_data, size_t *out_bytes) MUST_USE;

#define FILE_MOST_TEXT                                                                             \
  ((size_t)UINT32_MAX - 1)  // bytes of a program, positions in which are 32 bits

// Writes a file completely or not at all: to a temporary file next to it, which is then renamed.
// Devices and pipes are written directly; symbolic links are followed.
Status *file_write(const char *path, const void *data, size_t bytes) MUST_USE;

typedef struct FileList {
  char **paths;  // each owned
  uint32_t count, capacity;
} FileList;

// Adds the path if it is a file, else every file below it whose name ends with suffix, sorted by
// name within each directory. Symbolic links to directories are not followed.
Status *file_list(const char *path, const char *suffix, FileList *list) MUST_USE;
void file_list_deinit(FileList *list);  // {0} is an empty list

#endif
