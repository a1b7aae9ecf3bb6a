// What partitioning costs: GPT training steps made by tools/gen, annotated as in GSPMD's table 1
// and propagated; partition and optimize are counted, reading, propagating and printing are not.
//
//   partition [scale]    12, 24, 48, 96 layers: exits 1 unless 96 layers (100k ops) take < 2 s and
//                        time per op is the same for all
//   partition [devices]  the same program on 8 and on 8192 devices: exits 1 unless within 10 %
//   partition FILE       seconds for that file, as JSON: for partition_vs_xla.py
// The best of several runs.
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "parts.h"
#include "step.h"
#include "ops/op.h"
#include "optimize/optimize.h"
#include "partition/partition.h"
#include "cost/traffic.h"
#include "pipeline/compile.h"

enum { RUNS = 4, SIDE_RUNS = 7 };

typedef struct Cost {
  double partition, optimize;  // seconds
  uint32_t ops;                // of the global program
  double collectives, bytes;
} Cost;

static double cost_seconds(const Cost *c) { return c->partition + c->optimize; }

// The program is rewritten, so it is read again each time.
static Status *measure_once(Guard *guard, const Source *source, Cost *out) {
  Input in = {.source = *source};
  TRY(read_input(guard, &in));
  Session session;
  Compiled compiled;
  CompileRequest request = {.write = {.emit = EMIT_SDY, .close = true}, .stop_after = STAGE_WRITE};
  session_borrow(&session, guard, in.program, &in.source, NULL);
  TRY(compile(&session, &request, &compiled));
  MeshId mesh;
  double start = seconds_now();
  TRY(partition_program(in.program, session.table, NULL, guard, &in.diag, &mesh));
  double partitioned = seconds_now();
  const Mesh *devices = sharding_mesh(session.table, mesh);
  OptimizeOptions options = {.mesh = devices,
                             .n_devices = devices ? devices->n_devices : 1,
                             .table = session.table,
                             .edges_are_annotated = true};
  OptimizeStats stats;
  TRY(optimize_program(in.program, &options, guard, &in.diag, &stats));
  double done = seconds_now();
  Traffic traffic;
  traffic_count(in.program, devices, devices ? devices->n_devices : 1, &session.arena, &traffic);
  *out = (Cost){.partition = partitioned - start,
                .optimize = done - partitioned,
                .ops = in.n_ops,
                .collectives = traffic.runs,
                .bytes = traffic.bytes};
  session_deinit(&session);
  release_input(&in);
  return NULL;
}

static Status *measure(Guard *guard, const Source *source, Cost *best) {
  Cost cost;
  TRY(measure_once(guard, source, &cost));
  if (!best->ops || cost_seconds(&cost) < cost_seconds(best)) *best = cost;
  return NULL;
}

static Status *bench_scale(Guard *guard, bool *out_kept) {
  static const int layers[] = {12, 24, 48, 96};
  enum { N = sizeof layers / sizeof layers[0] };
  double each[N], seconds = 0;
  for (int i = 0; i < N; i++) {
    char options[64];
    snprintf(options, sizeof options, "--layers %d --gspmd x=2,y=4", layers[i]);
    char *text = NULL;
    Source source = {.path = options};
    TRY(generate(options, &text, &source.size));
    source.text = text;
    Cost cost = {0};
    for (int k = 0; k < RUNS; k++) TRY(measure(guard, &source, &cost));
    seconds = cost_seconds(&cost);
    each[i] = seconds * 1e9 / cost.ops;
    printf("%3d layers %7u ops  %7.4f s (partition %.4f, optimize %.4f)  %5.0f ns/op  %.0f "
           "collectives\n",
           layers[i], cost.ops, seconds, cost.partition, cost.optimize, each[i], cost.collectives);
    free(text);
  }
  double growth = each[N - 1] / each[0];
  printf("96 layers: %.3f s (target 2); per op against 12 layers: %.2f times the time (target "
         "1.5)\n",
         seconds, growth);
  *out_kept = seconds < 2 && growth < 1.5;
  return NULL;
}

static Status *bench_devices(Guard *guard, bool *out_kept) {
  static const char *const meshes[] = {"x=2,y=4", "x=64,y=128"};
  Source sources[2];
  Cost cost[2];
  memset(cost, 0, sizeof cost);
  for (int i = 0; i < 2; i++) {
    char options[128];
    snprintf(options, sizeof options, "--layers 24 --width 8192 --heads 128 --batch 64 --gspmd %s",
             meshes[i]);
    char *text = NULL;
    sources[i] = (Source){.path = meshes[i]};
    TRY(generate(options, &text, &sources[i].size));
    sources[i].text = text;
  }
  for (int k = 0; k < SIDE_RUNS; k++)
    for (int i = 0; i < 2; i++) TRY(measure(guard, &sources[i], &cost[i]));
  for (int i = 0; i < 2; i++)
    printf("%-10s %7.4f s (partition %.4f, optimize %.4f), %.0f collectives\n", meshes[i],
           cost_seconds(&cost[i]), cost[i].partition, cost[i].optimize, cost[i].collectives);
  double ratio = cost_seconds(&cost[1]) / cost_seconds(&cost[0]);
  printf("8192 devices against 8: %+.1f %% (target within 10 %%)\n", 100 * (ratio - 1));
  for (int i = 0; i < 2; i++) free((char *)sources[i].text);
  *out_kept = ratio < 1.1 && ratio > 0.9;
  return NULL;
}

static Status *bench_file(Guard *guard, const char *path) {
  size_t size;
  char *text;
  TRY(file_read(path, FILE_MOST_TEXT, &text, &size));
  Source source = {.path = path, .text = text, .size = size};
  Cost cost = {0};
  for (int k = 0; k < RUNS; k++) TRY(measure(guard, &source, &cost));
  printf("{\"ops\": %u, \"partition\": %.6f, \"optimize\": %.6f, \"collectives\": %.0f, \"bytes\": "
         "%.0f}\n",
         cost.ops, cost.partition, cost.optimize, cost.collectives, cost.bytes);
  mem_free(text);
  return NULL;
}

int main(int argc, char **argv) {
  static const BenchPart parts[] = {
      {"scale", bench_scale}, {"devices", bench_devices}, {NULL, NULL}};
  return bench_main(argc, argv, parts, bench_file);
}
