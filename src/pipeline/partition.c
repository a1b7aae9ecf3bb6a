// Shardings into the program, the program into parts, these made cheaper, and a look whether they
// are sound.
#include "pipeline/partition.h"

#include "ops/infer.h"
#include "partition/sdy_collectives.h"

bool pipeline_is_propagated(const Program *p) {
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root))
    if (op_at(p, o)->code == OP_sdy_reshard || sdy_is_collective(op_at(p, o)->code)) return true;
  return false;
}

Status *pipeline_optimize(Program *local, ShardingTable *table, MeshId mesh,
                          const LocalOptions *options, Guard *guard, Diag *diag) {
  if (options->plain) return NULL;
  OptimizeOptions how = {.mesh = sharding_mesh(table, mesh),
                         .n_devices = 1,
                         .table = table,
                         .passes = options->passes,
                         .rings = options->rings};
  OptimizeStats stats;
  return optimize_program(local, &how, guard, diag, &stats);
}

Status *pipeline_partition(Program *program, Propagated *propagated, const LocalOptions *options,
                           Guard *guard, Diag *diag, MeshId *out_mesh) {
  MeshId mesh;
  TRY(pipeline_write(program, propagated, EMIT_SDY, true, guard, diag));
  PartitionOptions how = {.why = options->why};
  TRY(partition_program(program, propagated->table, &how, guard, diag, &mesh));
  TRY(pipeline_optimize(program, propagated->table, mesh, options, guard, diag));
  const char *wrong = program_check(program);
  if (wrong)
    FAIL(INTERNAL, "the local program is not sound, which is an error of Tessera: %s", wrong);
  if (!program_verify(program, diag)) return diag_status(diag);
  *out_mesh = mesh;
  return NULL;
}
