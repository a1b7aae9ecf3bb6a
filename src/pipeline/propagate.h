// The stages of propagation: import, annotate, propagate, write.
#ifndef TESSERA_PIPELINE_PROPAGATE_H
#define TESSERA_PIPELINE_PROPAGATE_H

#include "ops/custom_rules.h"
#include "annotate/edges.h"
#include "pipeline/session.h"

typedef enum Emit { EMIT_SDY, EMIT_MHLO, EMIT_NONE } Emit;

// Everything is borrowed until session_deinit.
// What the partitioner's choices weigh.
typedef enum Weigh {
  WEIGH_BEST,     // on a machine, both below, by simulation (trials.h); otherwise bytes
  WEIGH_BYTES,    // seconds, with a penalty for bytes
  WEIGH_SECONDS,  // seconds alone
} Weigh;

typedef struct PropagateRequest {
  Strategy strategy;
  CustomRules *call_rules;    // of custom calls; NULL = none
  bool conservative;          // no factors that need halos or shifts
  bool by_cost;               // conflicts: prefer fewer moved elements; trials.h may change it
  const char *const *meshes;  // "data=4,model=2", "name:data=4"
  uint32_t n_meshes;
  uint64_t devices;     // 0 = any
  const Source *rules;  // texts of --shard rules (shard_rules.h); the first match wins
  uint32_t n_rules;
  bool try_orders;         // by_cost also tries which rules propagate first (trials.h)
  uint32_t leading_group;  // group of rules that propagates first; 0 = none
  const char *saving;      // a note's text about the savings of that order; NULL = no note
  const Source *layout;    // "batch:data, hidden:model" (names.h); NULL = none
  const Source *names;     // names of dimensions for it; NULL = none beside the program
  const char *allow_arguments, *allow_results;          // allow_read's text; NULL = not given …
  AllowFlags allow_argument_flags, allow_result_flags;  // … then these
  bool divisible;                                       // sizes of edges must divide evenly
  const char *machine;  // for predicted times, as text (cost/machine.h); NULL = default
  Weigh weigh;
  uint32_t trip_count;  // iterations of loops of unknown length; 0: TRIPS_GUESS
} PropagateRequest;

// How shardings are written into a program.
typedef struct WriteForm {
  Emit emit;
  bool close;     // leave no dimension open
  bool reshards;  // also write constraints for reshards (reshards.h); closes all dimensions
} WriteForm;

// Meshes and annotations of the program in one form: sdy's, meshes as symbols, groups and
// constraints resolved; rules of custom calls checked. Creates the session's table. Errors are in
// session->diag.
Status *stage_import(Session *session, const PropagateRequest *request) MUST_USE;
// Annotations of the program and beside it: --shard rules, layout, allow flags. Creates the
// session's propagation. Errors are in session->diag and side_diags, and INVALID_ARGUMENT is
// returned. *out_annotated is the number of places with an annotation.
Status *stage_annotate(Session *session, const PropagateRequest *request,
                       uint32_t *out_annotated) MUST_USE;
// Propagates to the fixpoint.
void stage_propagate(Session *session);
// Writes the shardings into the program. Ids in session->propagation refer to the program before.
Status *stage_write(Session *session, const PropagateRequest *request,
                    const WriteForm *form) MUST_USE;

#endif
