// Descriptions that are right, wrong in every way, and which link an axis gets.
#include "cost/machine.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define DEVICE                                                                                     \
  "\"device\": {\"flops_per_second\": 1e14, \"bytes_per_second\": 1e12, \"memory_bytes\": 1e9}"
#define LINK(x) "{" x "\"latency_seconds\": 1e-6, \"gap_seconds\": 0, \"bytes_per_second\": 1e9}"

static const char *const wrong[][2] = {
    {"", "line 1: the text ends, expected a value"},
    {"[]", "line 1: a machine must be an object"},
    {"{\n\"links\": [" LINK("") "]}", "line 1: a machine needs \"device\" and \"links\""},
    {"{" DEVICE ", \"links\": []}", "line 1: \"links\" must be a list of at least one"},
    {"{" DEVICE ",\n \"links\": [" LINK("\"speed\": 1,") "]}",
     "line 2: a link has no \"speed\"; it has devices, latency_seconds, gap_seconds, "
     "bytes_per_second"},
    {"{" DEVICE ", \"links\": [{\"latency_seconds\": -1}]}",
     "line 1: \"latency_seconds\" must be a non-negative number"},
    {"{" DEVICE ", \"links\": [{\"latency_seconds\": 1}]}", "line 1: a link needs \"gap_seconds\""},
    {"{" DEVICE ", \"links\": [" LINK("") ", " LINK("") "]}",
     "line 1: only the last link joins all devices"},
    {"{" DEVICE ", \"links\": [" LINK("\"devices\": 1.5,") "]}",
     "line 1: \"devices\" must be a number of devices"},
    {"{" DEVICE ", \"links\": [" LINK("") "], \"axes\": 3}", "line 1: \"axes\" must be an object"},
    {"{" DEVICE ", \"links\": [" LINK("") "]", "line 1: the text ends, expected ',' or '}'"},
    {"{" DEVICE ", \"links\": [" LINK("") "]} x", "line 1: 'x', expected the end"},
    {"{\"name\": \"\\q\"}", "line 1: 'q', expected an escape"},
    {"{\"name\": 01}", "line 1: '0', expected a value"},
};

static Status *read_wrong(Guard *guard, void *arg) {
  (void)arg;
  Arena arena;
  arena_init(&arena, guard);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    Machine machine;
    Status *status = machine_read(str_of(wrong[i][0]), &arena, &machine);
    assert_non_null(status);
    assert_string_equal(status_message(status), wrong[i][1]);
    status_free(status);
  }
  arena_deinit(&arena);
  return NULL;
}

static Status *read_right(Guard *guard, void *arg) {
  (void)arg;
  Arena arena;
  arena_init(&arena, guard);
  Context *context = context_new(guard);
  Machine machine;
  assert_null(machine_text("no such machine"));
  assert_null(machine_read(str_of(machine_text("default")), &arena, &machine));
  assert_true(machine.compute.flops_per_second == compute_default.flops_per_second);
  assert_true(machine.compute.bytes_per_second == compute_default.bytes_per_second);
  assert_true(machine.links[0].link.latency_seconds == network_default.all.latency_seconds);
  static const char *const known[] = {"h100", "a100", "tpu-v5p"};
  for (uint32_t i = 0; i < 3; i++) {
    assert_null(machine_read(str_of(machine_text(known[i])), &arena, &machine));
    assert_string_equal(machine.name, known[i]);
  }
  const char *text = "{\"name\": \"\\u00e9\", " DEVICE ", \"links\": [" LINK(
      "\"devices\": 8,") ","
                         "{\"latency_seconds\": 5e-6, \"gap_seconds\": 0, \"bytes_per_second\": "
                         "1e8}],"
                         "\"axes\": {\"c\": {\"latency_seconds\": 9e-6, \"gap_seconds\": 0, "
                         "\"bytes_per_second\": 1e7}}}";
  assert_null(machine_read(str_of(text), &arena, &machine));
  assert_string_equal(machine.name, "\xc3\xa9");
  const Mesh *mesh = NULL;
  Name names[] = {name_of(context, "a"), name_of(context, "b"), name_of(context, "c")};
  assert_null(mesh_new(context, 0, 3, names, (int64_t[]){4, 4, 2}, 0, NULL, &mesh));
  Network network = machine_network(&machine, context, mesh, &arena);
  assert_true(network_link(&network, 0).latency_seconds == 5e-6);  // 32 devices apart
  assert_true(network_link(&network, 1).latency_seconds == 1e-6);  // eight neighbours
  assert_true(network_link(&network, 2).latency_seconds == 9e-6);  // by its name
  assert_true(network_link(&network, 3).latency_seconds == 5e-6);  // no such axis
  // "d"=32 spans four groups of eight neighbours; half of it, minor or major, fewer.
  Name d = name_of(context, "d");
  assert_null(mesh_new(context, 0, 1, &d, (int64_t[]){32}, 0, NULL, &mesh));
  network = machine_network(&machine, context, mesh, &arena);
  static const uint32_t parts[][4] = {{1, 32, 8, 4}, {4, 8, 8, 1}, {1, 4, 1, 4}, {2, 16, 8, 2}};
  for (uint32_t i = 0; i < 4; i++) {
    AxisRef part = {0, parts[i][0], parts[i][1]};
    Route route = network_route(&network, (AxisList){&part, 1});
    uint32_t inside = 1, outside = 1;
    for (uint32_t k = 0; k < route.n_levels; k++)
      *(route.levels[k].link.latency_seconds == 1e-6 ? &inside : &outside) *= route.levels[k].n;
    assert_int_equal(inside, parts[i][2]);
    assert_int_equal(outside, parts[i][3]);
  }
  context_free(context);
  arena_deinit(&arena);
  return NULL;
}

static void test_wrong(void **state) {
  (void)state;
  assert_null(guard_run(read_wrong, NULL));
}

static void test_right(void **state) {
  (void)state;
  assert_null(guard_run(read_right, NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_wrong), cmocka_unit_test(test_right)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
