// random_program N: prints the N-th random module of tests/support/random_program.h, with meshes
// and annotations. Another TESSERA_SEED gives other modules. For tools/against-shardy, and to look
// at a failing case.
#include "../tests/support/random_program.h"

static Status *put_stdout(void *to, const char *data, size_t n) {
  (void)to;
  if (fwrite(data, 1, n, stdout) != n) FAIL(DATA_LOSS, "stdout: not all could be written");
  return NULL;
}

static Status *run(Guard *guard, void *arg) {
  Context *context = context_new(guard);
  ShardingTable *table = sharding_table_new(context, guard);
  RandomProgram *program = calloc(1, sizeof *program);
  if (!program) return status_no_memory();
  random_program(program, table, guard, strtoull(arg, NULL, 10));
  StrBuf out;
  strbuf_init(&out, guard);
  out.flush = put_stdout;
  random_program_text(program, false, &out);
  strbuf_flush(&out);
  strbuf_deinit(&out);
  random_program_deinit(program);
  free(program);
  sharding_table_free(table);
  context_free(context);
  return NULL;
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: random_program N\n"), 2;
  Status *status = guard_run(run, argv[1]);
  if (status) fprintf(stderr, "random_program: %s\n", status_message(status));
  bool failed = status != NULL;
  status_free(status);
  return failed ? 2 : 0;
}
