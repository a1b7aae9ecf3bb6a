// Arguments and results of the entry functions: which of them propagation may shard (PJRT's allow
// vectors), and whether their tiles must divide them.
#ifndef TESSERA_ANNOTATE_EDGES_H
#define TESSERA_ANNOTATE_EDGES_H

#include "annotate/given.h"
#include "annotate/target.h"

// Which arguments (or results) propagation may shard.
//   not given    those without annotation are open, those with one are as annotated
//   allowed      open; an annotated one may get more axes
//   not allowed  as annotated; without annotation replicated and closed
typedef struct AllowFlags {
  bool given;
  bool otherwise;  // for indices from n on
  const bool *v;
  uint32_t n;
} AllowFlags;

static inline bool allow_at(const AllowFlags *flags, uint32_t i) {
  return i < flags->n ? flags->v[i] : flags->otherwise;
}

// Parses `all`, `none`, or a list of numbers, paths and globs: `0,params.*`. NOT_FOUND names the
// item that is no argument (result) of an entry function.
Status *allow_read(const Program *p, TargetKind kind, Str text, Arena *arena,
                   AllowFlags *out) MUST_USE;

// Applies the flags to the entry functions, after all annotations are given. Replicated ones are on
// `mesh`; without a mesh (0) nothing is done. O(arguments + results).
void edges_allow(Givens *givens, MeshId mesh, const AllowFlags *arguments,
                 const AllowFlags *results, Arena *arena);

// Reports annotations in the program's text whose tiles do not divide the dimension: as warnings,
// or with `divisible` as errors for arguments and results. False after an error. O(places).
bool edges_check_sizes(const Givens *givens, bool divisible, Diag *diag);

// Removes axes that do not divide from the annotated arguments and results of the entry functions.
// The values inside keep their shardings. The table has the program's meshes.
// O(arguments + results).
Status *edges_make_even(Program *p, ShardingTable *table, Arena *arena) MUST_USE;

#endif
