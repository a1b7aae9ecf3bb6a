// The stages import, annotate, propagate and write: each is a list of calls into src/annotate,
// src/interop and src/propagate. Order matters: annotations in the program come before those beside
// it (--shard, --layout), and these before the allow flags, which close edges.
#include "pipeline/propagate.h"

#include <assert.h>

#include "annotate/names.h"
#include "annotate/constraints.h"
#include "annotate/manual_axes.h"
#include "annotate/sharding_groups.h"
#include "annotate/program_mesh.h"
#include "annotate/shard_rules.h"
#include "interop/gspmd_export.h"
#include "interop/gspmd_import.h"
#include "interop/xla_sdy.h"
#include "parse/parse.h"
#include "pipeline/reshards.h"
#include "propagate/write.h"

// ---- import ----

static Status *use_meshes(Session *s, const PropagateRequest *request) {
  TRY(program_meshes_read(s->program, s->table));
  MeshId mesh = 0;
  for (uint32_t i = 0; i < request->n_meshes; i++)
    TRY(program_mesh_use(s->program, s->table, str_of(request->meshes[i]), &mesh));
  if (request->devices) TRY(program_devices_use(s->program, s->table, request->devices));
  s->mesh = request->n_meshes == 1 ? mesh : 0;
  return NULL;
}

// Brings annotations into one form: sdy attributes, meshes as symbols, sharding groups and
// constraints resolved.
static Status *normalize(Session *s) {
  TRY(xla_sdy_import(s->program, attr_parse_text, s->guard, &s->diag));
  TRY(gspmd_import(s->program, s->table, s->guard, &s->diag));
  program_meshes_lift(s->program, &s->arena);
  manual_axes_complete(s->program, &s->arena);
  if (!sharding_groups_import(s->program, &s->arena, &s->diag)) return diag_status(&s->diag);
  constraints_apply(s->program, true, &s->arena);
  sharding_groups_sync(s->program, &s->arena, &s->diag);
  return program_meshes_read(s->program, s->table);
}

static Status *match_call_rules(Session *s) {
  if (!s->call_rules) return NULL;
  TRY(custom_rules_match(s->call_rules, s->program, &s->arena));
  bool good = custom_rules_verify(s->call_rules, s->program, &s->arena, &s->diag);
  if (!good) return diag_status(&s->diag);
  custom_rules_write_flops(s->call_rules, s->program, &s->arena);
  return NULL;
}

Status *stage_import(Session *s, const PropagateRequest *request) {
  assert(!s->table && "a session compiles one program once");
  s->program->trip_count = request->trip_count;
  s->call_rules = request->call_rules;
  s->table = sharding_table_new(s->context, s->guard);
  TRY(use_meshes(s, request));
  TRY(normalize(s));
  return match_call_rules(s);
}

// ---- annotate ----

// The first error about a text beside the program (rules, layout, names).
static Status *side_status(const Session *s) {
  for (uint32_t i = 0; i < s->n_side_diags; i++) TRY(diag_status(&s->side_diags[i]));
  return NULL;
}

static Diag *diag_for(Session *s, const Source *source) {
  Diag *diag = &s->side_diags[s->n_side_diags];
  diag_init(diag, s->guard, source);
  s->n_side_diags++;
  return diag;
}

// Creates the propagation, and room for diagnostics of each text: rules, names, layout.
static Status *begin_annotating(Session *s, const PropagateRequest *request) {
  PropagateOptions options = {.strategy = request->strategy,
                              .by_cost = request->by_cost,
                              .graph.factors.conservative = request->conservative};
  if (s->call_rules) {
    options.graph.factors.custom_call = custom_rules_factors;
    options.graph.factors.user = s->call_rules;
  }
  s->side_diags = ARENA_ARRAY(&s->arena, Diag, request->n_rules + 2);
  return propagation_new(s->program, s->table, &options, s->guard, &s->diag, &s->propagation);
}

static Status *annotate_rules(Session *s, const PropagateRequest *request) {
  ShardRules rules;
  shard_rules_init(&rules, &s->arena);
  for (uint32_t i = 0; i < request->n_rules; i++)
    shard_rules_read(&rules, &request->rules[i], diag_for(s, &request->rules[i]));
  TRY(side_status(s));
  if (request->leading_group)
    shard_rules_prioritize(&rules, request->leading_group, request->saving);
  AnnotationList list;
  ShardOptions options = {.mesh = s->mesh, .divisible = request->divisible};
  if (shard_rules_resolve(&rules, s->program, s->table, &options, &list))
    shard_rules_give(list, propagation_givens(s->propagation));
  return side_status(s);
}

static Status *annotate_layout(Session *s, const PropagateRequest *request) {
  if (!request->layout) return NULL;
  Diag *side = request->names ? diag_for(s, request->names) : NULL;
  Diag *layout = diag_for(s, request->layout);
  if (!s->mesh && program_mesh_first(s->program, s->table)) {
    diag_error(layout, 0, "the program has several meshes (%s): say which, --mesh NAME:AXIS=N,…",
               program_meshes_text(s->program, s->table, &s->arena));
    return side_status(s);
  }
  Names names;
  if (!names_build(propagation_graph(s->propagation), &s->arena, &s->diag, side, &names) ||
      !names_layout(&names, s->mesh, propagation_givens(s->propagation), layout, &s->diag)) {
    TRY(side_status(s));
    return diag_status(&s->diag);
  }
  return NULL;
}

static Status *apply_allow_flags(Session *s, const PropagateRequest *request) {
  AllowFlags arguments = request->allow_argument_flags, results = request->allow_result_flags;
  if (request->allow_arguments)
    TRY(allow_read(s->program, TARGET_ARGUMENT, str_of(request->allow_arguments), &s->arena,
                   &arguments));
  if (request->allow_results)
    TRY(allow_read(s->program, TARGET_RESULT, str_of(request->allow_results), &s->arena, &results));
  // Closed edges without axes are replicated, on any mesh.
  MeshId mesh = s->mesh ? s->mesh : program_mesh_first(s->program, s->table);
  edges_allow(propagation_givens(s->propagation), mesh, &arguments, &results, &s->arena);
  return NULL;
}

static uint32_t count_annotated(const Propagation *propagation) {
  const Graph *g = propagation_graph(propagation);
  uint32_t n = 0;
  for (PlaceId place = 1; place < g->n_places; place++)
    n += propagation_given(propagation, place) != NULL;
  return n;
}

Status *stage_annotate(Session *s, const PropagateRequest *request, uint32_t *out_annotated) {
  TRY(begin_annotating(s, request));
  TRY(propagation_read(s->propagation, &s->diag));
  if (!s->mesh) s->mesh = program_mesh_only(s->program, s->table, NULL);
  TRY(annotate_rules(s, request));
  TRY(annotate_layout(s, request));
  *out_annotated = count_annotated(s->propagation);
  TRY(apply_allow_flags(s, request));
  bool fit = edges_check_sizes(propagation_givens(s->propagation), request->divisible, &s->diag);
  return fit ? NULL : diag_status(&s->diag);
}

// ---- propagate and write ----

void stage_propagate(Session *s) { propagation_run(s->propagation); }

Status *stage_write(Session *s, const PropagateRequest *request, const WriteForm *form) {
  if (form->emit == EMIT_NONE) return NULL;
  bool close = form->close || form->reshards;
  if (form->reshards) TRY(session_read_machine(s, request->machine));
  TRY(propagation_write(s->propagation, s->program, &(WriteOptions){.close = close}, &s->diag));
  if (request->divisible) TRY(edges_make_even(s->program, s->table, &s->arena));
  if (form->reshards) {
    PartitionOptions options = {.call_rules = s->call_rules, .machine = s->machine};
    TRY(reshards_write(s->program, s->table, &options, s->guard, &s->diag));
  }
  if (form->emit == EMIT_MHLO) TRY(gspmd_export(s->program, s->table, s->guard, &s->diag));
  return NULL;
}
