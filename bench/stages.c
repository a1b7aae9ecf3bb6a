// Seconds of each stage for one file, as JSON, a line per run: for zoo_vs_jax.py.
//
//   stages FILE [RUNS]
//
// The wall's clock: what stands beside it, XLA's log of its passes, has no other. `parse` is
// reading and verifying, `propagate` building the graph, reading annotations, running and writing
// the shardings into the program.
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "step.h"
#include "optimize/optimize.h"
#include "partition/partition.h"
#include "cost/traffic.h"
#include "pipeline/compile.h"

typedef struct Job {
  const char *path;
  int runs;
} Job;

static double wall_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static Status *run_once(Guard *guard, const Source *source) {
  double start = wall_now();
  Input in = {.source = *source};
  TRY(read_input(guard, &in));
  double parsed = wall_now();
  Session session;
  Compiled compiled;
  CompileRequest request = {.write = {.emit = EMIT_SDY, .close = true}, .stop_after = STAGE_WRITE};
  session_borrow(&session, guard, in.program, &in.source, NULL);
  TRY(compile(&session, &request, &compiled));
  double spread = wall_now();
  MeshId mesh;
  TRY(partition_program(in.program, session.table, NULL, guard, &in.diag, &mesh));
  double partitioned = wall_now();
  const Mesh *devices = sharding_mesh(session.table, mesh);
  OptimizeOptions options = {.mesh = devices,
                             .n_devices = devices ? devices->n_devices : 1,
                             .table = session.table,
                             .edges_are_annotated = true};
  OptimizeStats stats;
  TRY(optimize_program(in.program, &options, guard, &in.diag, &stats));
  double done = wall_now();
  printf("{\"ops\": %u, \"parse\": %.6f, \"propagate\": %.6f, \"partition\": %.6f, \"optimize\": "
         "%.6f}\n",
         in.n_ops, parsed - start, spread - parsed, partitioned - spread, done - partitioned);
  session_deinit(&session);
  release_input(&in);
  return NULL;
}

static Status *run_all(Guard *guard, void *arg) {
  const Job *job = arg;
  size_t size;
  char *text;
  TRY(file_read(job->path, FILE_MOST_TEXT, &text, &size));
  Source source = {.path = job->path, .text = text, .size = size};
  Status *status = NULL;
  for (int i = 0; i < job->runs && !status; i++) status = run_once(guard, &source);
  mem_free(text);
  return status;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: stages FILE [RUNS]\n");
    return argc == 1 ? 0 : 2;
  }
  Job job = {.path = argv[1], .runs = argc > 2 ? atoi(argv[2]) : 1};
  Status *status = guard_run(run_all, &job);
  if (status) fprintf(stderr, "stages: %s\n", status_message(status));
  bool failed = status != NULL;
  status_free(status);
  return failed ? 2 : 0;
}
