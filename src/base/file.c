// POSIX files: read in growing blocks, write through a temporary file and a rename, list
// depth-first.
#define _XOPEN_SOURCE 700  // realpath
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

enum { MOST_DIRECTORIES = 64 };

static Status *read_all(int fd, const char *path, size_t guess, size_t most, char **out_data,
                        size_t *out_bytes) {
  size_t used = 0, capacity = guess + 1;
  char *data = mem_alloc(capacity);
  if (!data) return status_no_memory();
  for (;;) {
    if (used + 1 >= capacity) {
      size_t larger;
      char *grown = size_mul(capacity, 2, &larger) ? mem_realloc(data, larger) : NULL;
      if (!grown) {
        mem_free(data);
        return status_no_memory();
      }
      data = grown;
      capacity = larger;
    }
    ssize_t n = read(fd, data + used, capacity - used - 1);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      int why = errno;
      mem_free(data);
      FAIL(UNAVAILABLE, "%s: cannot be read: %s", path, strerror(why));
    }
    if (n == 0) break;
    used += (size_t)n;
    if (used > most) {
      mem_free(data);
      FAIL(RESOURCE_EXHAUSTED, "%s: is longer than %zu bytes, which is the limit", path, most);
    }
  }
  data[used] = '\0';
  *out_data = data;
  *out_bytes = used;
  return NULL;
}

Status *file_read(const char *path, size_t most, char **out_data, size_t *out_bytes) {
  if (strcmp(path, "-") == 0)
    return read_all(STDIN_FILENO, "<stdin>", 1 << 16, most, out_data, out_bytes);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) FAIL(NOT_FOUND, "%s: cannot be opened: %s", path, strerror(errno));
  struct stat facts = {0};
  Status *status;
  if (fstat(fd, &facts) == 0 && S_ISDIR(facts.st_mode)) {
    status =
        status_new(INVALID_ARGUMENT, __FILE__, __LINE__, "%s: is a directory, not a file", path);
  } else {
    size_t guess =
        S_ISREG(facts.st_mode) && facts.st_size > 0 ? (size_t)facts.st_size + 1 : 1 << 16;
    if (guess > most) guess = most;
    status = read_all(fd, path, guess, most, out_data, out_bytes);
  }
  close(fd);
  return status;
}

static Status *write_all(int fd, const char *path, const char *data, size_t bytes) {
  while (bytes > 0) {
    ssize_t n = write(fd, data, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) FAIL(UNAVAILABLE, "%s: cannot be written: %s", path, strerror(errno));
    data += n;
    bytes -= (size_t)n;
  }
  return NULL;
}

static Status *cannot_write(const char *path) {
  FAIL(UNAVAILABLE, "%s: cannot be written: %s", path, strerror(errno));
}

// Creates a new, unique file next to `path`, with default permissions. `name` gets its name; it has
// room for 20 bytes more than the path.
static int create_beside(const char *path, char *name) {
  size_t n = strlen(path);
  memcpy(name, path, n);
  for (unsigned i = 0; i < 1000; i++) {
    snprintf(name + n, 20, ".%lx.%u", (unsigned long)getpid() & 0xffffffff, i);
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

// Devices and pipes cannot be replaced, only written to.
static Status *write_in_place(const char *path, const void *data, size_t bytes) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return cannot_write(path);
  Status *status = write_all(fd, path, data, bytes);
  if (close(fd) != 0 && !status) status = cannot_write(path);
  return status;
}

static Status *write_beside(const char *path, const struct stat *before, const void *data,
                            size_t bytes) {
  char *temporary = mem_alloc(strlen(path) + 20);
  if (!temporary) return status_no_memory();
  int fd = create_beside(path, temporary);
  if (fd < 0) {
    mem_free(temporary);
    return cannot_write(path);
  }
  Status *status = write_all(fd, path, data, bytes);
  if (!status && before && fchmod(fd, before->st_mode & 0777) != 0) status = cannot_write(path);
  if (close(fd) != 0 && !status) status = cannot_write(path);
  if (!status && rename(temporary, path) != 0) status = cannot_write(path);
  if (status) unlink(temporary);
  mem_free(temporary);
  return status;
}

Status *file_write(const char *path, const void *data, size_t bytes) {
  struct stat before;
  if (stat(path, &before) != 0) return write_beside(path, NULL, data, bytes);
  if (S_ISDIR(before.st_mode)) FAIL(UNAVAILABLE, "%s: is a directory, not a file", path);
  if (!S_ISREG(before.st_mode)) return write_in_place(path, data, bytes);
  char *target = realpath(path, NULL);  // follows symbolic links, so that they stay
  if (!target) return cannot_write(path);
  Status *status = write_beside(target, &before, data, bytes);
  free(target);
  return status;
}

static Status *add_path(FileList *list, const char *directory, const char *name) {
  if (list->count == list->capacity) {
    uint32_t larger = list->capacity ? list->capacity * 2 : 64;
    char **grown = mem_realloc(list->paths, larger * sizeof *grown);
    if (!grown) return status_no_memory();
    list->paths = grown;
    list->capacity = larger;
  }
  size_t n = strlen(directory) + strlen(name) + 2;
  char *path = mem_alloc(n);
  if (!path) return status_no_memory();
  bool slash = *name && *directory && directory[strlen(directory) - 1] != '/';
  snprintf(path, n, "%s%s%s", directory, slash ? "/" : "", name);
  list->paths[list->count++] = path;
  return NULL;
}

static int compare_paths(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool ends_with(const char *s, const char *suffix) {
  size_t n = strlen(s), k = strlen(suffix);
  return n >= k && strcmp(s + n - k, suffix) == 0;
}

// The recursion is as deep as the directories.
static Status *list_directory(const char *directory, const char *suffix, int depth,
                              FileList *list) {
  if (depth == MOST_DIRECTORIES)
    FAIL(INVALID_ARGUMENT, "%s: more than %d directories deep", directory, MOST_DIRECTORIES);
  DIR *dir = opendir(directory);
  if (!dir) FAIL(NOT_FOUND, "%s: cannot be listed: %s", directory, strerror(errno));
  FileList names = {0};
  Status *status = NULL;
  for (struct dirent *entry; !status && (entry = readdir(dir));)
    if (entry->d_name[0] != '.') status = add_path(&names, directory, entry->d_name);
  closedir(dir);
  if (!status && names.count) qsort(names.paths, names.count, sizeof *names.paths, compare_paths);
  for (uint32_t i = 0; !status && i < names.count; i++) {
    struct stat facts;
    if (lstat(names.paths[i], &facts) != 0) continue;
    if (S_ISDIR(facts.st_mode)) {
      status = list_directory(names.paths[i], suffix, depth + 1, list);
    } else if (ends_with(names.paths[i], suffix)) {
      status = add_path(list, names.paths[i], "");
    }
  }
  file_list_deinit(&names);
  return status;
}

Status *file_list(const char *path, const char *suffix, FileList *list) {
  struct stat facts;
  if (stat(path, &facts) != 0) FAIL(NOT_FOUND, "%s: %s", path, strerror(errno));
  if (S_ISDIR(facts.st_mode)) return list_directory(path, suffix, 0, list);
  return add_path(list, path, "");
}

void file_list_deinit(FileList *list) {
  for (uint32_t i = 0; i < list->count; i++) mem_free(list->paths[i]);
  mem_free(list->paths);
  *list = (FileList){0};
}
