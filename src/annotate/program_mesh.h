// The meshes of a program, and meshes given beside it: `data=4,model=2`.
#ifndef TESSERA_ANNOTATE_PROGRAM_MESH_H
#define TESSERA_ANNOTATE_PROGRAM_MESH_H

#include "ir/program.h"
#include "sharding/sharding.h"

// Adds every mesh of the program to the table. O(ops of the module).
Status *program_meshes_read(const Program *p, ShardingTable *table) MUST_USE;
// A new table with the meshes of a verified program; the caller frees it. O(ops of the module).
ShardingTable *program_sharding_table(Program *p);
// Turns meshes inside shardings into sdy.mesh ops, and merges equal meshes. O(program).
void program_meshes_lift(Program *p, Arena *arena);

// Ensures that the program has the mesh of the text: `data=4,model=2`, or `name:data=4` for one of
// several. A mesh with the same axes is reused; otherwise `sdy.mesh @mesh` (or @name) is added at
// the module's start. INVALID_ARGUMENT with the reason if the text is invalid or another mesh has
// the name.
Status *program_mesh_use(Program *p, ShardingTable *table, Str text, MeshId *out) MUST_USE;
// Checks that the program's meshes have n devices; without a mesh, adds ["devices"=n].
Status *program_devices_use(Program *p, ShardingTable *table, uint64_t n) MUST_USE;

// The default mesh: the program's only mesh with axes. 0 if there is none or more than one, which
// *out_several tells (may be NULL). The table has the program's meshes.
MeshId program_mesh_only(const Program *p, const ShardingTable *table, bool *out_several);
// The program's first mesh with axes; 0 = none.
MeshId program_mesh_first(const Program *p, const ShardingTable *table);
// `@mesh ["data"=4, "model"=2]`, for messages; in the arena.
const char *mesh_text(const Context *context, const Mesh *mesh, Arena *arena);
// All of the program's meshes in that form, or "none".
const char *program_meshes_text(const Program *p, const ShardingTable *table, Arena *arena);

#endif
