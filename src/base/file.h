// Whole files in, whole files out. Nothing here keeps a file open.
#ifndef TESSERA_BASE_FILE_H
#define TESSERA_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

// Reads all of a file ("-" = standard input) into a block the caller frees with mem_free. A NUL
// that is not counted follows the data. The message names the file and the reason; more than `most`
// bytes are RESOURCE_EXHAUSTED, so that an endless input ends.
Status *file_read(const char *path, size_t most, char **out_data, size_t *out_bytes) MUST_USE;

#define FILE_MOST_TEXT                                                                             \
  ((size_t)UINT32_MAX - 1)  // bytes of a program, positions in which are 32 bits

// Writes a file whole or not at all: to a temporary beside it, then renamed over it. Devices and
// pipes are written to as they are; symbolic links are followed.
Status *file_write(const char *path, const void *data, size_t bytes) MUST_USE;

typedef struct FileList {
  char **paths;  // each owned
  uint32_t count, capacity;
} FileList;

// Adds path itself if it is a file, or every file under it whose name ends with suffix, sorted by
// name, folder by folder. Symbolic links to folders are not followed.
Status *file_list(const char *path, const char *suffix, FileList *list) MUST_USE;
void file_list_deinit(FileList *list);  // {0} is an empty list

#endif
