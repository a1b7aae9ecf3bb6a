// The flat story of propagation: each line is one step, in the order a user would tell it.
#include "pipeline/propagate.h"

#include "base/clock.h"
#include "pipeline/first.h"
#include "interop/gspmd_export.h"
#include "interop/gspmd_import.h"
#include "annotate/names.h"
#include "annotate/constraints.h"
#include "annotate/manual_axes.h"
#include "annotate/sharding_groups.h"
#include "annotate/program_mesh.h"
#include "annotate/shard_rules.h"
#include "propagate/write.h"
#include "interop/xla_sdy.h"

static Status *use_meshes(Program *program, const PropagateRequest *request, Propagated *out) {
  TRY(program_meshes_read(program, out->table));
  MeshId mesh = 0;
  for (uint32_t i = 0; i < request->n_meshes; i++)
    TRY(program_mesh_use(program, out->table, str_of(request->meshes[i]), &mesh));
  if (request->devices) TRY(program_devices_use(program, out->table, request->devices));
  out->mesh = request->n_meshes == 1 ? mesh : 0;
  return NULL;
}

// What the text says, in one spelling: sdy's, meshes as symbols, groups and constraints settled.
static Status *normalize(Program *program, Guard *guard, Diag *diag, Propagated *out) {
  TRY(xla_sdy_import(program, attr_parse_text, guard, diag));
  TRY(gspmd_import(program, out->table, guard, diag));
  program_meshes_lift(program, &out->arena);
  manual_axes_complete(program, &out->arena);
  if (!sharding_groups_import(program, &out->arena, diag)) return diag_status(diag);
  constraints_apply(program, true, &out->arena);
  sharding_groups_sync(program, &out->arena, diag);
  return program_meshes_read(program, out->table);
}

// The first error about a text beside the program.
static Status *said_status(const Propagated *out) {
  for (uint32_t i = 0; i < out->n_diags; i++) TRY(diag_status(&out->diags[i]));
  return NULL;
}

static Diag *diag_for(const Source *source, Guard *guard, Propagated *out) {
  Diag *diag = &out->diags[out->n_diags];
  diag_init(diag, guard, source);
  out->n_diags++;
  return diag;
}

static Status *give_rules(const PropagateRequest *request, const char *words, Guard *guard,
                          Propagated *out) {
  const Graph *graph = propagation_graph(out->propagation);
  ShardRules rules;
  shard_rules_init(&rules, &out->arena);
  for (uint32_t i = 0; i < request->n_rules; i++)
    shard_rules_read(&rules, &request->rules[i], diag_for(&request->rules[i], guard, out));
  TRY(said_status(out));
  if (request->first && request->first != FIRST_NONE)
    shard_rules_put_first(&rules, request->first, words);
  AnnotationList list;
  ShardOptions options = {.mesh = out->mesh, .divisible = request->divisible};
  if (shard_rules_resolve(&rules, graph->program, out->table, &options, &list))
    shard_rules_give(list, propagation_givens(out->propagation));
  return said_status(out);
}

static Status *give_layout(const PropagateRequest *request, Guard *guard, Diag *diag,
                           Propagated *out) {
  if (!request->layout) return NULL;
  Diag *side = request->names ? diag_for(request->names, guard, out) : NULL;
  Diag *layout = diag_for(request->layout, guard, out);
  const Program *program = propagation_graph(out->propagation)->program;
  if (!out->mesh && program_mesh_first(program, out->table)) {
    diag_error(layout, 0, "the program has several meshes (%s): say which, --mesh NAME:AXIS=N,…",
               program_meshes_text(program, out->table, &out->arena));
    return said_status(out);
  }
  Names names;
  if (!names_build(propagation_graph(out->propagation), &out->arena, diag, side, &names) ||
      !names_layout(&names, out->mesh, propagation_givens(out->propagation), layout, diag)) {
    TRY(said_status(out));
    return diag_status(diag);
  }
  return NULL;
}

static Status *give_allowed(const PropagateRequest *request, Propagated *out) {
  const Program *program = propagation_graph(out->propagation)->program;
  AllowFlags arguments = request->allow_argument_flags, results = request->allow_result_flags;
  if (request->allow_arguments)
    TRY(allow_read(program, TARGET_ARGUMENT, str_of(request->allow_arguments), &out->arena,
                   &arguments));
  if (request->allow_results)
    TRY(allow_read(program, TARGET_RESULT, str_of(request->allow_results), &out->arena, &results));
  // What is replicated is so on any mesh.
  MeshId mesh = out->mesh ? out->mesh : program_mesh_first(program, out->table);
  edges_allow(propagation_givens(out->propagation), mesh, &arguments, &results, &out->arena);
  return NULL;
}

static uint32_t count_given(const Propagation *propagation) {
  const Graph *g = propagation_graph(propagation);
  uint32_t n = 0;
  for (PlaceId place = 1; place < g->n_places; place++)
    n += propagation_given(propagation, place) != NULL;
  return n;
}

Status *pipeline_propagate(Program *program, const PropagateRequest *asked, Guard *guard,
                           Diag *diag, Propagated *out) {
  arena_init(&out->arena, guard);
  program->trip_count = asked->trip_count;
  PropagateRequest chosen = *asked, *request = &chosen;
  const char *words = NULL;
  if (asked->by_cost && asked->again && !asked->first)
    pipeline_choose_first(request, &out->arena, &words);
  out->table = sharding_table_new(program->context, guard);
  out->diags = ARENA_ARRAY(&out->arena, Diag, request->n_rules + 2);
  TRY(use_meshes(program, request, out));
  TRY(normalize(program, guard, diag, out));
  if (request->call_rules) TRY(custom_rules_match(request->call_rules, program, &out->arena));
  if (request->call_rules && !custom_rules_verify(request->call_rules, program, &out->arena, diag))
    return diag_status(diag);
  double start = clock_seconds();
  PropagateOptions options = {.strategy = request->strategy,
                              .by_cost = request->by_cost,
                              .graph.factors.conservative = request->conservative};
  if (request->call_rules) {
    options.graph.factors.custom_call = custom_rules_factors;
    options.graph.factors.user = request->call_rules;
  }
  TRY(propagation_new(program, out->table, &options, guard, diag, &out->propagation));
  TRY(propagation_read(out->propagation, diag));
  if (!out->mesh) out->mesh = program_mesh_only(program, out->table, NULL);
  TRY(give_rules(request, words, guard, out));
  TRY(give_layout(request, guard, diag, out));
  out->divisible = request->divisible;
  out->n_given = count_given(out->propagation);
  TRY(give_allowed(request, out));
  if (!edges_check_sizes(propagation_givens(out->propagation), request->divisible, diag))
    return diag_status(diag);
  propagation_run(out->propagation);
  out->seconds = clock_seconds() - start;
  return NULL;
}

Status *pipeline_write(Program *program, Propagated *propagated, Emit emit, bool close,
                       Guard *guard, Diag *diag) {
  if (emit == EMIT_NONE) return NULL;
  TRY(propagation_write(propagated->propagation, program, &(WriteOptions){.close = close}, diag));
  if (propagated->divisible) TRY(edges_make_even(program, propagated->table, &propagated->arena));
  if (emit == EMIT_MHLO) TRY(gspmd_export(program, propagated->table, guard, diag));
  return NULL;
}

bool propagated_has_errors(const Propagated *propagated) {
  for (uint32_t i = 0; i < propagated->n_diags; i++)
    if (propagated->diags[i].errors) return true;
  return false;
}

void propagated_render(const Propagated *propagated, StrBuf *out, bool colour) {
  for (uint32_t i = 0; i < propagated->n_diags; i++)
    diag_render(&propagated->diags[i], out, colour);
}

void propagated_deinit(Propagated *propagated) {
  propagation_free(propagated->propagation);
  sharding_table_free(propagated->table);
  for (uint32_t i = 0; i < propagated->n_diags; i++) diag_deinit(&propagated->diags[i]);
  arena_deinit(&propagated->arena);
  *propagated = (Propagated){0};
}
