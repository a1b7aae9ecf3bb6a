// The edges of a program, where others meet it: which arguments and results propagation may give a
// sharding (PJRT's allow vectors), and whether their tiles must divide them.
#ifndef TESSERA_ANNOTATE_EDGES_H
#define TESSERA_ANNOTATE_EDGES_H

#include "annotate/given.h"
#include "annotate/target.h"

// Which arguments (or results) may be given a sharding.
//   not given    nobody asked: those without annotation are open, those with one are as written
//   allowed      open; one that is annotated may get more axes
//   not allowed  as annotated; without annotation it is replicated and closed
typedef struct AllowFlags {
  bool given;
  bool otherwise;  // of those beyond n
  const bool *v;
  uint32_t n;
} AllowFlags;

static inline bool allow_at(const AllowFlags *flags, uint32_t i) {
  return i < flags->n ? flags->v[i] : flags->otherwise;
}

// Reads `all`, `none`, or a list of numbers, paths and globs: `0,params.*`. NOT_FOUND names the
// item that is no argument (result) of the program's entry.
Status *allow_read(const Program *p, TargetKind kind, Str text, Arena *arena,
                   AllowFlags *out) MUST_USE;

// Applies the flags to the entries of the program, after all annotations were given. The replicated
// ones are on `mesh`; 0: there is none, and nothing to be done. O(arguments + results).
void edges_allow(Givens *givens, MeshId mesh, const AllowFlags *arguments,
                 const AllowFlags *results, Arena *arena);

// Tells of annotations in the program's text whose tiles do not divide their dimension: warnings,
// or errors for arguments and results if they must. False after an error. O(places).
bool edges_check_sizes(const Givens *givens, bool divisible, Diag *diag);

// Takes axes that do not divide off the arguments and results of the entries of a program that
// shardings were written into; what uses them is as it was. The table has the program's meshes.
// O(arguments + results).
Status *edges_make_even(Program *p, ShardingTable *table, Arena *arena) MUST_USE;

#endif
