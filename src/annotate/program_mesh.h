// The meshes of a program, and those a user gives beside it: `data=4,model=2`.
#ifndef TESSERA_ANNOTATE_PROGRAM_MESH_H
#define TESSERA_ANNOTATE_PROGRAM_MESH_H

#include "ir/program.h"
#include "sharding/sharding.h"

// Adds every mesh of the program to the table. O(ops of the module).
Status *program_meshes_read(const Program *p, ShardingTable *table) MUST_USE;
// A new table with the meshes of a verified program; the caller frees it. O(ops of the module).
ShardingTable *program_sharding_table(Program *p);
// Turns meshes that are written inside shardings into sdy.mesh ops; of equal meshes one stays.
// O(program).
void program_meshes_lift(Program *p, Arena *arena);

// Makes the program have the mesh that the text describes: `data=4,model=2`, or `name:data=4` for
// one of several. A mesh of the same axes that is there is taken; else `sdy.mesh @mesh` (or @name)
// is put at the module's head. INVALID_ARGUMENT with the reason: the text is wrong, or a different
// mesh has the name.
Status *program_mesh_use(Program *p, ShardingTable *table, Str text, MeshId *out) MUST_USE;
// The program's meshes must be of n devices; without any, it gets ["devices"=n].
Status *program_devices_use(Program *p, ShardingTable *table, uint64_t n) MUST_USE;

// The mesh that is meant where none is named: the only one with axes that the program has. 0 if
// there is none or more than one; *out_several tells which, if not NULL. The table has them all.
MeshId program_mesh_only(const Program *p, const ShardingTable *table, bool *out_several);
MeshId program_mesh_first(const Program *p, const ShardingTable *table);  // with axes; 0 = none
// `@mesh ["data"=4, "model"=2]`, for messages; in the arena.
const char *mesh_text(const Context *context, const Mesh *mesh, Arena *arena);
// All of the program's meshes in that form, or "none".
const char *program_meshes_text(const Program *p, const ShardingTable *table, Arena *arena);

#endif
