// libFuzzer target of --shard rules: any text is read and matched against a program without a
// crash; a sharding that comes of it is sound, reads back from its own text as the same, and
// propagates to a fixpoint.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "parse/parse.h"
#include "propagate/propagate.h"
#include "annotate/program_mesh.h"
#include "annotate/shard_rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char program_text[] =
    "sdy.mesh @mesh = <[\"data\"=4, \"model\"=2]>\n"
    "func.func @main(%x: tensor<16x8xf32>, %w: tensor<8x6xf32> {jax.arg_info = "
    "\"params['l']['w']\"}) -> tensor<16x6xf32> {\n"
    "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<16x8xf32>, "
    "tensor<8x6xf32>) -> tensor<16x6xf32>\n"
    "  %1 = stablehlo.tanh %0 : tensor<16x6xf32> loc(\"model.py\":3:1)\n"
    "  sdy.sharding_group %0 group_id=1 : tensor<16x6xf32>\n"
    "  sdy.sharding_group %1 group_id=1 : tensor<16x6xf32>\n"
    "  return %1 : tensor<16x6xf32>\n"
    "}\n";

typedef struct Run {
  Str text;
  Context *context;
  Program *program;
  ShardingTable *table;
  Propagation *propagation;
  Arena arena;
  Diag diag, rule_diag, back_diag;
  StrBuf buf;
} Run;

static void run_close(Run *run) {
  propagation_free(run->propagation);
  sharding_table_free(run->table);
  strbuf_deinit(&run->buf);
  if (run->diag.source) diag_deinit(&run->diag);
  if (run->rule_diag.source) diag_deinit(&run->rule_diag);
  if (run->back_diag.source) diag_deinit(&run->back_diag);
  arena_deinit(&run->arena);
  program_free(run->program);
  context_free(run->context);
}

static void fail(const Run *run, const char *what) {
  fprintf(stderr, "%s: %s\n", what, run->buf.data ? run->buf.data : "");
  abort();
}

static void check_annotation(Run *run, Guard *guard, const Annotation *a) {
  Sharding back;
  Source source;
  status_free(sharding_check_id(run->table, a->sharding, target_type(run->program, &a->target)));
  run->buf.used = 0;
  sharding_print(run->table, a->sharding, &run->buf);
  source = (Source){.path = "back", .text = run->buf.data, .size = run->buf.used};
  diag_init(&run->back_diag, guard, &source);
  if (!shard_spec_resolve(&run->back_diag, run->program, run->table, &(ShardOptions){0}, &a->target,
                          &run->arena, &back))
    fail(run, "does not read back");
  if (back != a->sharding) fail(run, "reads back as another");
  diag_deinit(&run->back_diag);
  run->back_diag.source = NULL;
}

static Status *body(Guard *guard, void *arg) {
  Run *run = arg;
  Source source = {.path = "m.mlir", .text = program_text, .size = sizeof program_text - 1};
  Source rules_source = {.path = "rules", .text = run->text.s, .size = run->text.n};
  arena_init(&run->arena, guard);
  strbuf_init(&run->buf, guard);
  diag_init(&run->diag, guard, &source);
  diag_init(&run->rule_diag, guard, &rules_source);
  run->context = context_new(guard);
  TRY(program_parse(run->context, guard, &source, 0, source.size, &(ParseOptions){0}, &run->diag,
                    &run->program));
  run->table = sharding_table_new(run->context, guard);
  TRY(program_meshes_read(run->program, run->table));
  ShardRules rules;
  shard_rules_init(&rules, &run->arena);
  AnnotationList list;
  if (!shard_rules_read(&rules, &rules_source, &run->rule_diag) ||
      !shard_rules_resolve(&rules, run->program, run->table, &(ShardOptions){0}, &list))
    return run->rule_diag.errors ? NULL : (fail(run, "refused without a word"), NULL);
  for (uint32_t i = 0; i < list.n; i++) check_annotation(run, guard, &list.v[i]);
  TRY(propagation_new(run->program, run->table, &(PropagateOptions){0}, guard, &run->diag,
                      &run->propagation));
  if (!shard_rules_give(list, propagation_givens(run->propagation))) return NULL;
  propagation_run(run->propagation);
  NodeId node;
  if (!propagation_is_fixpoint(run->propagation, &node)) fail(run, "no fixpoint");
  StrBuf *out = &run->buf;
  diag_render(&run->rule_diag, out, false);
  return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Run run = {.text = {(const char *)data, size}};
  status_free(guard_run(body, &run));
  run_close(&run);
  return 0;
}
