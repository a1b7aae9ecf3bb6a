// Files are read completely, and written completely or not at all; directories are listed in order;
// each task of a pool runs once; JSON is escaped.
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/pool.h"

static char folder[64];

static int make_folder(void **state) {
  (void)state;
  strcpy(folder, "/tmp/tessera_file_test_XXXXXX");
  return mkdtemp(folder) ? 0 : 1;
}

static const char *path_of(const char *name) {
  static char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

// Devices and pipes are written to, not replaced; links and permissions stay.
static void test_write_in_place(void **state) {
  (void)state;
  char link[256], pipe[256];
  snprintf(link, sizeof link, "%s", path_of("link"));
  snprintf(pipe, sizeof pipe, "%s", path_of("pipe"));
  assert_null(file_write(path_of("target"), "one", 3));
  assert_int_equal(chmod(path_of("target"), 0640), 0);
  assert_int_equal(symlink("target", link), 0);
  assert_null(file_write(link, "two", 3));
  struct stat facts;
  assert_int_equal(lstat(link, &facts), 0);
  assert_true(S_ISLNK(facts.st_mode));
  assert_int_equal(stat(path_of("target"), &facts), 0);
  assert_int_equal(facts.st_mode & 0777, 0640);
  char *data;
  size_t bytes;
  assert_null(file_read(path_of("target"), 100, &data, &bytes));
  assert_string_equal(data, "two");
  mem_free(data);
  assert_int_equal(mkfifo(pipe, 0600), 0);
  int fd = open(pipe, O_RDWR);
  assert_true(fd >= 0);
  assert_null(file_write(pipe, "three", 5));
  char read_back[8] = "";
  assert_int_equal(read(fd, read_back, 5), 5);
  assert_string_equal(read_back, "three");
  close(fd);
  Status *status = file_write(folder, "a", 1);
  assert_int_equal(status_code(status), UNAVAILABLE);
  status_free(status);
}

static void test_read_write(void **state) {
  (void)state;
  char *data;
  size_t bytes;
  assert_null(file_write(path_of("a.mlir"), "one\0two", 7));
  assert_null(file_write(path_of("a.mlir"), "three", 5));
  assert_null(file_read(path_of("a.mlir"), 1 << 20, &data, &bytes));
  assert_int_equal(bytes, 5);
  assert_string_equal(data, "three");
  mem_free(data);
  assert_null(file_write(path_of("empty"), "", 0));
  assert_null(file_read(path_of("empty"), 1 << 20, &data, &bytes));
  assert_int_equal(bytes, 0);
  mem_free(data);
  Status *status = file_read(path_of("nowhere"), 1 << 20, &data, &bytes);
  assert_int_equal(status_code(status), NOT_FOUND);
  status_free(status);
  status = file_read(folder, 1 << 20, &data, &bytes);
  assert_int_equal(status_code(status), INVALID_ARGUMENT);
  status_free(status);
  status = file_write("/tmp/no/such/folder/x", "a", 1);
  assert_int_equal(status_code(status), UNAVAILABLE);
  status_free(status);
  status = file_read(path_of("a.mlir"), 4, &data, &bytes);
  assert_int_equal(status_code(status), RESOURCE_EXHAUSTED);
  status_free(status);
  status = file_read("/dev/zero", 1 << 20, &data, &bytes);
  assert_int_equal(status_code(status), RESOURCE_EXHAUSTED);
  status_free(status);
}

static void test_list(void **state) {
  (void)state;
  assert_int_equal(mkdir(path_of("sub"), 0777), 0);
  assert_null(file_write(path_of("sub/c.mlir"), "", 0));
  assert_null(file_write(path_of("b.mlir"), "", 0));
  FileList list = {0};
  assert_null(file_list(folder, ".mlir", &list));
  assert_int_equal(list.count, 3);
  assert_non_null(strstr(list.paths[0], "/a.mlir"));
  assert_non_null(strstr(list.paths[1], "/b.mlir"));
  assert_non_null(strstr(list.paths[2], "/sub/c.mlir"));
  file_list_deinit(&list);
  assert_null(file_list(path_of("empty"), ".mlir",
                        &list));  // named by the user: taken whatever it ends with
  assert_int_equal(list.count, 1);
  file_list_deinit(&list);
  Status *status = file_list(path_of("nowhere"), ".mlir", &list);
  assert_int_equal(status_code(status), NOT_FOUND);
  status_free(status);
}

static int remove_folder(void **state) {
  (void)state;
  const char *names[] = {"a.mlir", "b.mlir", "sub/c.mlir", "empty"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) unlink(path_of(names[i]));
  rmdir(path_of("sub"));
  return rmdir(folder);
}

static void count_task(void *arg, size_t index) { ((int *)arg)[index]++; }

static void test_pool(void **state) {
  (void)state;
  for (unsigned workers = 0; workers < 4; workers++) {
    int done[100] = {0};
    assert_null(pool_run(workers, 100, count_task, done));
    for (int i = 0; i < 100; i++) assert_int_equal(done[i], 1);
  }
  assert_null(pool_run(3, 0, count_task, NULL));
  assert_true(pool_cores() >= 1);
  double start = clock_seconds();
  assert_true(clock_seconds() >= start);
}

static Status *write_json(Guard *guard, void *arg) {
  StrBuf *out = arg;
  strbuf_init(out, guard);
  Json json = {.out = out};
  json_open(&json, '{');
  json_key(&json, "a\"b");
  json_string(&json, "x\n\t\\\x01 \xC3\xA4 \xFF");
  json_key(&json, "n");
  json_open(&json, '[');
  json_int(&json, -3);
  json_uint(&json, UINT64_MAX);
  json_double(&json, 0.5);
  json_double(&json, 1.0 / 0.0);
  json_bool(&json, true);
  json_close(&json, ']');
  json_key(&json, "e");
  json_open(&json, '{');
  json_close(&json, '}');
  json_close(&json, '}');
  json_newline(&json);
  return NULL;
}

static void test_json(void **state) {
  (void)state;
  StrBuf out;
  assert_null(guard_run(write_json, &out));
  assert_string_equal(out.data, "{\"a\\\"b\":\"x\\n\\u0009\\\\\\u0001 \xC3\xA4 \xEF\xBF\xBD\","
                                "\"n\":[-3,18446744073709551615,0.5,null,true],\"e\":{}}\n");
  strbuf_deinit(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_read_write), cmocka_unit_test(test_write_in_place),
      cmocka_unit_test(test_list),       cmocka_unit_test(test_pool),
      cmocka_unit_test(test_json),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
