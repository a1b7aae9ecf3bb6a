// A plan in the forms of other tools: annotations in the program (sdy, mhlo), and Python for JAX.
//
// Idea: a program with the plan's shardings on arguments, results and loops is decided as the plan
// says; each reshard becomes a constraint (reshards.h). So other partitioners have nothing left to
// choose.
#include <stdlib.h>
#include <string.h>

#include "annotate/annotation.h"
#include "interop/gspmd_export.h"
#include "ops/functions.h"
#include "ops/op.h"
#include "partition/decisions.h"
#include "pipeline/plan_private.h"
#include "pipeline/reshards.h"
#include "report/show_simulated.h"

// ---- annotations ----

static Status *to_attr(Session *s, Sharding sharding, Type type, Attr *out) {
  uint32_t rank = type_info(s->context, type)->rank;
  if (!sharding) sharding = sharding_make_replicated(s->table, s->mesh, rank);
  return sharding_to_attr(s->table, sharding, out);
}

static Status *annotate_value(Session *s, ValueId v, Sharding sharding) {
  Type type = value_type(s->program, v);
  Attr attr;
  if (!type_is_tensor(s->context, type)) return NULL;
  TRY(to_attr(s, sharding, type, &attr));
  annotation_set(s->program, v, attr);
  return NULL;
}

// Arguments and results have the shardings of the function's decision.
static Status *annotate_function(Session *s, const Decision *d) {
  Program *p = s->program;
  uint32_t n = function_n_arguments(p, d->op);
  BlockId block = region_block(p, op_region(p, d->op, 0));
  for (uint32_t i = 0; i < n; i++)
    TRY(annotate_value(s, block_arg(p, block, i), d->function->outside[i]));
  for (uint32_t i = 0; i < function_n_results(p, d->op); i++) {
    Type type = function_result_type(p, d->op, i);
    Attr attr;
    if (!type_is_tensor(s->context, type)) continue;
    TRY(to_attr(s, d->function->outside[n + i], type, &attr));
    annotation_set_result(p, d->op, i, attr);
  }
  return NULL;
}

// Functions and control flow: the places that decisions of ops do not cover.
static Status *annotate_borders(Session *s) {
  for (uint32_t i = 0; i < partition_n_decisions(s->partition); i++) {
    const Decision *d = partition_decision(s->partition, i);
    if (d->kind == DECISION_FUNCTION && op_is_function(s->program, d->op))
      TRY(annotate_function(s, d));
    for (uint32_t k = 0; k < d->n_out && d->kind == DECISION_FLOW; k++) {
      const CopyInfo *copy = partition_copy(s->partition, d->out[k]);
      TRY(annotate_value(s, copy->value, copy->sharding));
    }
  }
  return NULL;
}

Status *plan_write(Session *s, const PlanRequest *request, const Plan *plan, bool mhlo) {
  const char *mesh;
  Source rules;
  CompileRequest how;
  plan_request(plan, request, &mesh, &rules, &how);
  how.stop_after = STAGE_DECIDE;
  Compiled compiled;
  TRY(compile(s, &how, &compiled));
  TRY(annotate_borders(s));
  partition_free(s->partition);
  s->partition = NULL;
  PartitionOptions options = {
      .call_rules = s->call_rules, .machine = s->machine, .decisions = how.local.decisions};
  TRY(reshards_write(s->program, s->table, &options, s->guard, &s->diag));
  return mhlo ? gspmd_export(s->program, s->table, s->guard, &s->diag) : NULL;
}

// ---- JAX ----

static void put_python_string(const char *text, StrBuf *out) {
  strbuf_putc(out, '"');
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\')
      strbuf_printf(out, "\\%c", c);
    else if (c < 0x20 || c == 0x7f)
      strbuf_printf(out, "\\x%02x", c);
    else
      strbuf_putc(out, (char)c);
  }
  strbuf_putc(out, '"');
}

static void put_specs(const char *name, const PlannedValue *values, uint32_t n, StrBuf *out) {
  Arena arena;
  arena_init(&arena, out->guard);
  strbuf_printf(out, "%s = {\n", name);
  for (uint32_t i = 0; i < n; i++) {
    bool named = plan_is_named(values[i].sharding);
    strbuf_puts(out, named ? "    " : "    # no PartitionSpec expresses this (--emit=sdy does): ");
    put_python_string(values[i].name, out);
    strbuf_printf(out, ": %s,\n", plan_spec(values[i].sharding, &arena));
  }
  strbuf_puts(out, "}\n");
  arena_deinit(&arena);
}

// "x=4,y=2" as `jax.make_mesh((4, 2), ("x", "y"))`.
static void put_make_mesh(const char *mesh, StrBuf *out) {
  const char *colon = strchr(mesh, ':');
  if (colon) mesh = colon + 1;
  const char *one = strchr(mesh, ',') ? "" : ",";  // of a tuple with one element
  strbuf_puts(out, "mesh = jax.make_mesh((");
  for (const char *c = strchr(mesh, '='); c; c = strchr(c + 1, '='))
    strbuf_printf(out, "%s%lu", strchr(mesh, '=') < c ? ", " : "", strtoul(c + 1, NULL, 10));
  strbuf_printf(out, "%s), (", one);
  for (const char *c = mesh; *c; c += strcspn(c, ","), c += *c == ',')
    strbuf_printf(out, "%s\"%.*s\"", c > mesh ? ", " : "", (int)strcspn(c, "="), c);
  strbuf_printf(out, "%s))\n", one);
}

void plan_jax(const Plan *plan, const char *machine, StrBuf *out) {
  char a[32], b[32];
  const char *mesh = plan->best.mesh ? plan->best.mesh : plan->mesh;
  strbuf_printf(out, "# tessera plan for %s: %s per step predicted, %s per device.\n", machine,
                simulated_seconds(plan->best.seconds, a, sizeof a),
                simulated_bytes(plan->best.peak_bytes, b, sizeof b));
  const ShortList *list = &plan->short_list;
  if (list->computed && list->seconds > 0)
    strbuf_printf(out,
                  "# With these shardings alone: %s per step. tessera.plan(…).to_jax() runs the "
                  "plan exactly.\n",
                  simulated_seconds(list->seconds, a, sizeof a));
  strbuf_puts(out, "# Keys are paths of arguments: jax.tree_util.keystr(path, simple=True, "
                   "separator=\".\") behind the argument's name.\n"
                   "import jax\n"
                   "from jax.sharding import PartitionSpec as P\n\n");
  if (mesh) put_make_mesh(mesh, out);
  put_specs("arguments", plan->arguments, plan->n_arguments, out);
  put_specs("results", plan->results, plan->n_results, out);
}
