// libFuzzer target of GSPMD's way in and out of programs. The lines of the input stand as strings
// at every place of a small module that takes one; an input that is a module itself is taken as it
// is, too. Import refuses with a place or gives a sound program; what it gives can be exported, and
// imported again without a crash.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "ops/infer.h"
#include "ops/op.h"
#include "parse/parse.h"
#include "annotate/drop.h"
#include "interop/gspmd_export.h"
#include "interop/gspmd_import.h"
#include "interop/xla_sdy.h"
#include "interop/gspmd.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char module[] =
    "module attributes {mhlo.num_replicas = 1 : i32} {\n"
    "func.func @main(%x: tensor<8x4xf32> {}, %y: tensor<8x4xf32> {}) -> (tensor<8x4xf32> {}) {\n"
    "  %0 = stablehlo.custom_call @Sharding(%x) : (tensor<8x4xf32>) -> tensor<8x4xf32>\n"
    "  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) : (tensor<8x4xf32>) -> "
    "tensor<4x4xf32>\n"
    "  %2 = func.call @body(%1) : (tensor<4x4xf32>) -> tensor<4x4xf32>\n"
    "  %3 = stablehlo.custom_call @Sharding(%2) : (tensor<4x4xf32>) -> tensor<4x4xf32>\n"
    "  %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) : (tensor<4x4xf32>) -> "
    "tensor<8x4xf32>\n"
    "  %5 = stablehlo.custom_call @ShardBarrierFrom(%4) : (tensor<8x4xf32>) -> tensor<8x4xf32>\n"
    "  %6:2 = stablehlo.optimization_barrier %5, %y : tensor<8x4xf32>, tensor<8x4xf32>\n"
    "  %7 = stablehlo.add %6#0, %6#1 : tensor<8x4xf32>\n"
    "  return %7 : tensor<8x4xf32>\n"
    "}\n"
    "func.func private @body(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {\n"
    "  %0 = stablehlo.negate %x : tensor<4x4xf32>\n"
    "  return %0 : tensor<4x4xf32>\n"
    "}\n}\n";

typedef struct Run {
  Str input;
  bool whole;  // the input is the module
  Context *context;
  ShardingTable *table;
  Program *program;
  Arena arena;
  Source source;
  Diag diag;
} Run;

static void run_close(void *object) {
  Run *run = object;
  program_free(run->program);
  diag_deinit(&run->diag);
  arena_deinit(&run->arena);
  sharding_table_free(run->table);
  context_free(run->context);
}

static void fail(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  abort();
}

// Many devices are many times the work and nothing new.
static bool is_small(Run *run, Str text) {
  GspmdSharding g = {0};
  Status *status = gspmd_parse(&run->arena, text, &g);
  bool small = g.n_devices <= 1024;
  for (uint32_t i = 0; !status && i < g.n_items; i++) small &= g.items[i].n_devices <= 1024;
  status_free(status);
  return small;
}

static Attr next_line(Run *run, Str *rest) {
  Str line = {rest->s, 0};
  while (line.n < rest->n && line.s[line.n] != '\n') line.n++;
  size_t taken = line.n < rest->n ? line.n + 1 : line.n;
  *rest = (Str){rest->s + taken, rest->n - taken};
  if (!line.n || !is_small(run, line)) return 0;
  return attr_string(run->context, name_intern(run->context, line));
}

// The first line is the number of devices (as many as it is long), a line that is no sharding is a
// configuration.
static void annotate(Run *run) {
  Program *p = run->program;
  Context *context = run->context;
  Str rest = run->input;
  while (rest.n && rest.s[0] == '#') rest = (Str){rest.s + 1, rest.n - 1};
  size_t devices = run->input.n - rest.n;
  if (devices)
    op_set_attr(p, p->root, "mhlo.num_partitions", attr_int(context, DT_i32, (int64_t)devices));
  for (OpId o = op_walk_next(p, p->root, p->root); o; o = op_walk_next(p, o, p->root)) {
    bool function = op_row(op_at(p, o)->code)->traits & TRAIT_FUNCTION;
    for (uint32_t k = 0; function && k < 2; k++) {
      Attr dicts[2] = {0};
      uint32_t n =
          str_is(name_str(context, attr_as_name(context, op_attr(p, o, "sym_name"))), "main")
              ? 2 - k
              : 1;
      for (uint32_t i = 0; i < n; i++) {
        Attr line = next_line(run, &rest);
        if (line) dicts[i] = attr_dict_with(context, 0, "mhlo.sharding", line);
      }
      op_set_attr(p, o, k ? "res_attrs" : "arg_attrs", attr_array(context, n, dicts));
    }
    Attr line = function ? 0 : next_line(run, &rest);
    if (line) op_set_attr(p, o, "mhlo.sharding", line);
    if (op_at(p, o)->code == OP_custom_call && rest.n && rest.s[0] == 'u')
      op_set_attr(p, o, "backend_config", next_line(run, &rest));
  }
}

static void check_structure(const Run *run, const char *when) {
  const char *wrong = program_check(run->program);
  if (wrong) fail(when, wrong);
}

static void check(Run *run, const char *when) {
  check_structure(run, when);
  if (!program_verify(run->program, &run->diag))
    fail(when, run->diag.list.items[run->diag.list.count - 1].message);
}

static void there_and_back(Run *run, Guard *guard) {
  Status *status = xla_sdy_import(run->program, attr_parse_text, guard, &run->diag);
  if (status || !program_verify(run->program, &run->diag)) {
    // A string of XLA's round trip does not read, or says what the verifier refuses: what was
    // imported beside it is whole, but names what is not there.
    status_free(status);
    drop_shardings(run->program, guard);
    check_structure(run, "refused, dropped");
    return;
  }
  status = gspmd_import(run->program, run->table, guard, &run->diag);
  if (!status) {
    check(run, "imported");
    status = gspmd_export(run->program, run->table, guard, &run->diag);
    if (status && !run->whole) fail("exported", status_message(status));
  }
  if (!status) {
    check(run, "exported");
    status = gspmd_import(run->program, run->table, guard, &run->diag);
  }
  if (!status) check(run, "imported again");
  status_free(status);
  drop_shardings(run->program, guard);
  check(run, "dropped");
}

static Status *body(Guard *guard, void *arg) {
  Run run = *(const Run *)arg;
  GuardCleanup cleanup = {run_close, &run, NULL};
  arena_init(&run.arena, guard);
  run.source = run.whole ? (Source){.path = "input", .text = run.input.s, .size = run.input.n}
                         : (Source){.path = "module", .text = module, .size = sizeof module - 1};
  diag_init(&run.diag, guard, &run.source);
  guard_push(guard, &cleanup);
  run.context = context_new(guard);
  run.table = sharding_table_new(run.context, guard);
  Status *status = program_parse(run.context, guard, &run.source, 0, run.source.size,
                                 &(ParseOptions){0}, &run.diag, &run.program);
  if (!status && !run.whole) annotate(&run);
  if (!status && program_verify(run.program, &run.diag)) there_and_back(&run, guard);
  status_free(status);
  guard_pop(guard, &cleanup);
  run_close(&run);
  return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Run run = {.input = {(const char *)data, size}};
  status_free(guard_run(body, &run));
  run.whole = true;
  status_free(guard_run(body, &run));
  return 0;
}
