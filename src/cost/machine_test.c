// Descriptions that are right, wrong in every way, and which link an axis gets.
#include "cost/machine.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "base/mem.h"

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
     "bytes_per_second, topology, dimensions, wraps_from"},
    {"{" DEVICE ", \"links\": [{\"latency_seconds\": -1}]}",
     "line 1: \"latency_seconds\" must be a non-negative number"},
    {"{" DEVICE ", \"links\": [{\"latency_seconds\": 1}]}", "line 1: a link needs \"gap_seconds\""},
    {"{" DEVICE ", \"links\": [" LINK("") ", " LINK("") "]}",
     "line 1: only the last link joins all devices"},
    {"{" DEVICE ", \"links\": [" LINK("\"devices\": 1.5,") "]}",
     "line 1: \"devices\" must be a number of devices"},
    {"{" DEVICE ", \"links\": [" LINK("") "], \"axes\": 3}", "line 1: \"axes\" must be an object"},
    {"{" DEVICE ", \"links\": [" LINK("") "], \"overlap\": 3}",
     "line 1: \"overlap\" must be an object"},
    {"{" DEVICE ", \"links\": [" LINK("") "], \"overlap\": {\"x\": \"all\"}}",
     "line 1: the overlap of an axis must be \"free\", \"none\" or \"pipelined\""},
    {"{\"device\": {\"flops_per_second\": 1e12, \"bytes_per_second\": 1e10, \"memory_bytes\": 1e9, "
     "\"fused_attention\": 1}, \"links\": [" LINK("") "]}",
     "line 1: \"fused_attention\" must be true or false"},
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
  for (uint32_t i = 0; i < machine_count(); i++) {
    assert_null(machine_read(str_of(machine_text(machine_name(i))), &arena, &machine));
    assert_string_equal(machine.name, machine_name(i));
    assert_true(machine.source[0] && machine.usable_memory == 0.92);
    for (uint32_t k = 0; k < RATE_COUNT; k++) assert_true(machine.rates.peak[k] > 0);
    // Choices use a rate below the 16-bit peak; the timeline starts from the peak.
    assert_true(machine.compute.flops_per_second <=
                fmax(machine.rates.peak[RATE_bf16], machine.rates.peak[RATE_f16]));
  }
  assert_string_equal(machine_name(0), "default");
  assert_ptr_equal(machine_text("tpu-v5p"), machine_text("tpu_v5p"));
  assert_ptr_equal(machine_text("cpu"), machine_text("shared_cores"));
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
  const MachineOverlap overlaps[] = {
      {"b", OVERLAP_NONE}, {"c", OVERLAP_PIPELINED}, {"d", OVERLAP_NONE}};
  machine.overlaps = overlaps;
  machine.n_overlaps = 3;
  assert_int_equal(machine_overlap_axes(&machine, context, mesh, OVERLAP_NONE), 2);
  assert_int_equal(machine_overlap_axes(&machine, context, mesh, OVERLAP_PIPELINED), 4);
  assert_int_equal(machine_overlap_axes(&machine, context, NULL, OVERLAP_NONE), 0);
  // A head of 128 fills half of a unit of 256; nothing is padded without a unit or without a sum.
  Rates rates = {.matrix_unit = 256};
  assert_true(rates_padding(&rates, 2.0 * 512 * 512 * 128, 512 * 128, 128 * 512, 512 * 512) == 2);
  assert_true(rates_padding(&rates, 2.0 * 512 * 512, 512, 512, 512 * 512) == 1);
  rates.matrix_unit = 0;
  assert_true(rates_padding(&rates, 2.0 * 512 * 512 * 128, 512 * 128, 128 * 512, 512 * 512) == 1);
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

// Eight devices on two cores: each computes, sends and starts at a quarter of a core's speed, and
// nothing overlaps.
static Status *share_cores(Guard *guard, void *arg) {
  (void)arg;
  Arena arena;
  arena_init(&arena, guard);
  Context *context = context_new(guard);
  Machine machine;
  const char *text =
      "{\"name\": \"two\", \"shared_cores\": 2, " DEVICE ", \"links\": [" LINK("") "]}";
  assert_null(machine_read(str_of(text), &arena, &machine));
  const Mesh *mesh = NULL;
  Name names[] = {name_of(context, "a"), name_of(context, "b")};
  assert_null(mesh_new(context, 0, 2, names, (int64_t[]){4, 2}, 0, NULL, &mesh));
  Network network = machine_network(&machine, context, mesh, &arena);
  Link core = machine.links[0].link;
  for (uint32_t i = 0; i < 3; i++) {  // the axes, and all devices
    Link link = network_link(&network, i);
    assert_true(link.latency_seconds == 4 * core.latency_seconds);
    assert_true(link.gap_seconds == 4 * core.gap_seconds);
    assert_true(link.bytes_per_second == core.bytes_per_second / 4);
  }
  machine.rates.op_seconds = 1e-6;
  Rates rates = machine_rates(&machine, 8);
  assert_true(rates.op_seconds == 4e-6);
  assert_true(machine_rates(&machine, 1).op_seconds == 1e-6);
  assert_true(rates.bytes_per_second == machine.rates.bytes_per_second / 4);
  Compute compute = machine_compute(&machine, 8);
  assert_true(compute.flops_per_second == machine.compute.flops_per_second / 4);
  assert_int_equal(machine_overlap_axes(&machine, context, mesh, OVERLAP_NONE), 3);
  machine.overlaps = &(MachineOverlap){"a", OVERLAP_FREE};
  machine.n_overlaps = 1;
  assert_int_equal(machine_overlap_axes(&machine, context, mesh, OVERLAP_NONE), 2);
  context_free(context);
  arena_deinit(&arena);
  return NULL;
}

static void test_shared_cores(void **state) {
  (void)state;
  assert_null(guard_run(share_cores, NULL));
}

// The network of NAME:SHAPE for a mesh of one axis per size.
static Network network_of(const char *word, uint32_t n, const int64_t *sizes, Context *context,
                          Arena *arena) {
  static const char *const letters[] = {"a", "b", "c"};
  Name names[3];
  for (uint32_t i = 0; i < n; i++) names[i] = name_of(context, letters[i]);
  char *text;
  Machine machine;
  const Mesh *mesh = NULL;
  assert_null(machine_find(word, &text));
  assert_non_null(text);
  assert_null(machine_read(str_of(text), arena, &machine));
  mem_free(text);
  assert_null(mesh_new(context, 0, n, names, sizes, 0, NULL, &mesh));
  return machine_network(&machine, context, mesh, arena);
}

static Route route_along(const Network *network, uint32_t axis) {
  AxisRef ref = {axis, 1, network->axes[axis].size};
  return network_route(network, (AxisList){&ref, 1});
}

static Status *read_shapes(Guard *guard, void *arg) {
  (void)arg;
  Arena arena;
  arena_init(&arena, guard);
  Context *context = context_new(guard);
  // A switch: the same prices with and without its shape.
  Network plain = network_of("h100", 2, (int64_t[]){4, 8}, context, &arena);
  Network shaped = network_of("h100:8x4", 2, (int64_t[]){4, 8}, context, &arena);
  for (uint32_t i = 0; i < 2; i++) {
    Route a = route_along(&plain, i), b = route_along(&shaped, i);
    assert_true(route_seconds(&a, SCHEDULE_REDUCE, 1e6, 2e6) ==
                route_seconds(&b, SCHEDULE_REDUCE, 1e6, 2e6));
    AxisRef ref = {i, 1, shaped.axes[i].size};
    assert_int_equal(network_streams(&shaped, (AxisList){&ref, 1}), i ? 1 : 2);
  }
  // 4x4x4: an axis of 4 is a ring with both links of a dimension, 16 are two dimensions.
  Network torus = network_of("tpu_v5p:4x4x4", 2, (int64_t[]){4, 16}, context, &arena);
  Route one = route_along(&torus, 0), two = route_along(&torus, 1);
  assert_true(one.levels[0].link.bytes_per_second == 200e9 && one.levels[0].hops == 2);
  assert_true(two.levels[0].link.bytes_per_second == 400e9 && two.levels[0].hops == 4);
  assert_int_equal(two.levels[0].n, 16);
  // Seconds: 1 + 2 hops of 1 us; 3/4 of 4e6 bytes over 200 GB/s.
  assert_true(fabs(route_seconds(&one, SCHEDULE_GATHER, 1e6, 3e6) - (3e-6 + 15e-6)) < 1e-12);
  // An all-to-all of 4e6 bytes: n/4 of them cross the middle of the ring.
  assert_true(fabs(route_transfer(&one, SCHEDULE_ALL_TO_ALL, 3e6) - 4e6 / 200e9) < 1e-12);
  // Half of a ring is a line: half the bandwidth, more hops.
  Network line = network_of("tpu_v5p:8x4x4", 2, (int64_t[]){2, 4}, context, &arena);
  Route half = route_along(&line, 1);
  assert_true(half.levels[0].link.bytes_per_second == 100e9 && half.levels[0].hops == 3);
  // Parts of an axis share the links of their dimension: together they are priced as the axis.
  AxisRef parts[] = {{1, 1, 2}, {1, 2, 2}};
  Route both = network_route(&line, (AxisList){parts, 2});
  assert_int_equal(both.n_levels, 1);
  assert_int_equal(both.levels[0].n, 4);
  assert_true(both.levels[0].link.bytes_per_second == 100e9 && both.levels[0].hops == 3);
  assert_int_equal(both.levels[0].dimensions, 1);
  // Two axes that fill a ring together are that ring.
  AxisRef all[] = {{0, 1, 2}, {1, 1, 4}};
  Route ring = network_route(&line, (AxisList){all, 2});
  assert_true(ring.levels[0].link.bytes_per_second == 200e9 && ring.levels[0].hops == 4);
  // v5e closes rings of 16 only.
  Network small = network_of("tpu_v5e:8x8", 1, (int64_t[]){8}, context, &arena);
  Route open = route_along(&small, 0);
  assert_true(open.levels[0].link.bytes_per_second == 50e9);
  static const char *const bad[] = {"h100:",           "h100:8x",  "h100:0",
                                    "h100:8x-1",       "h100:8,4", "h100:1x1x1x1x1x1x1x1x1",
                                    "h100:99999999999"};
  for (uint32_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    char *text;
    Status *status = machine_find(bad[i], &text);
    assert_non_null(status);
    status_free(status);
  }
  char *text;
  assert_null(machine_find("abacus:8", &text));
  assert_null(text);
  context_free(context);
  arena_deinit(&arena);
  return NULL;
}

static void test_shapes(void **state) {
  (void)state;
  assert_null(guard_run(read_shapes, NULL));
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
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_shared_cores),
                                     cmocka_unit_test(test_wrong), cmocka_unit_test(test_right),
                                     cmocka_unit_test(test_shapes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
