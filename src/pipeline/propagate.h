// Propagation from one door to the other: a program as it was read, what the user says beside it,
// and the same program with all that follows. Shared by the command line and the C API.
#ifndef TESSERA_PIPELINE_PROPAGATE_H
#define TESSERA_PIPELINE_PROPAGATE_H

#include "ops/custom_rules.h"
#include "parse/parse.h"
#include "annotate/edges.h"
#include "propagate/propagate.h"

typedef enum Emit { EMIT_SDY, EMIT_MHLO, EMIT_NONE } Emit;

// Everything is borrowed until propagated_deinit.
typedef struct PropagateRequest {
  Strategy strategy;
  CustomRules *call_rules;    // of custom calls; NULL = none
  bool conservative;          // only where no neighbours have to talk
  bool by_cost;               // conflicts go to what moves fewer elements, or as trials.h finds
  const char *const *meshes;  // "data=4,model=2", "name:data=4"
  uint32_t n_meshes;
  uint64_t devices;     // 0 = any
  const Source *rules;  // texts of --shard rules (shard_rules.h), in the order they hold
  uint32_t n_rules;
  bool try_orders;         // by_cost also tries which rules propagate first (trials.h)
  uint32_t leading_group;  // group of rules to whose axes others give way; 0 = none
  const char *saving;      // what that order saves, in words, for a note; NULL = no note
  const Source *layout;    // "batch:data, hidden:model" (names.h); NULL = none
  const Source *names;     // names of dimensions for it; NULL = none beside the program
  const char *allow_arguments, *allow_results;          // allow_read's text; NULL = not given …
  AllowFlags allow_argument_flags, allow_result_flags;  // … then these
  bool divisible;                                       // arguments and results must divide
  const char *machine;  // that by_cost predicts times for, as text (cost/machine.h); NULL = default
  uint32_t trip_count;  // iterations of loops of unknown length; 0: TRIPS_GUESS
} PropagateRequest;

typedef struct Propagated {
  Arena arena;
  ShardingTable *table;
  Propagation *propagation;  // at its fixpoint
  MeshId mesh;               // that is meant where none is named; 0 = none, or several
  Diag *diags;               // what is said about texts beside the program, one each
  uint32_t n_diags;
  uint32_t n_given;  // places that anything was said about
  bool divisible;    // as asked for
  double seconds;    // of building and running, without reading and writing
} Propagated;

// Meshes, GSPMD's annotations, constraints, rules, allow flags, then the fixpoint. What is wrong
// with the program is in diag, with the texts beside it in out->diags, and INVALID_ARGUMENT is
// returned. *out is for propagated_deinit in any case, also after a throw; {0} before.
Status *pipeline_propagate(Program *program, const PropagateRequest *request, Guard *guard,
                           Diag *diag, Propagated *out) MUST_USE;
// Writes the shardings into the program; ids of `propagated` are of the program before.
Status *pipeline_write(Program *program, Propagated *propagated, Emit emit, bool close,
                       Guard *guard, Diag *diag) MUST_USE;
// All diagnostics about the texts beside the program, in order.
bool propagated_has_errors(const Propagated *propagated);
void propagated_render(const Propagated *propagated, StrBuf *out, bool colour);
void propagated_deinit(Propagated *propagated);  // {0} is fine

#endif
