// Shardings into the program, the program into parts, and a look whether these are sound.
#include "pipeline/partition.h"

#include "ops/infer.h"

Status *pipeline_partition(Program *program, Propagated *propagated, Guard *guard, Diag *diag,
                           MeshId *out_mesh) {
  MeshId mesh;
  TRY(pipeline_write(program, propagated, EMIT_SDY, true, guard, diag));
  TRY(partition_program(program, propagated->table, NULL, guard, diag, &mesh));
  const char *wrong = program_check(program);
  if (wrong)
    FAIL(INTERNAL, "the local program is not sound, which is an error of Tessera: %s", wrong);
  if (!program_verify(program, diag)) return diag_status(diag);
  *out_mesh = mesh;
  return NULL;
}
