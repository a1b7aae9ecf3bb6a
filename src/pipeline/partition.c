// Options of the stages become those of src/partition and src/optimize; the algorithms are there.
#include "pipeline/partition.h"

#include "ops/infer.h"
#include "partition/sdy_collectives.h"

static bool is_propagated(const Program *p) {
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root))
    if (op_at(p, o)->code == OP_sdy_reshard || sdy_is_collective(op_at(p, o)->code)) return true;
  return false;
}

void keep_propagated_edges(const Program *program, PropagateRequest *request) {
  if (!is_propagated(program)) return;
  if (!request->allow_arguments && !request->allow_argument_flags.given)
    request->allow_arguments = "none";
  if (!request->allow_results && !request->allow_result_flags.given)
    request->allow_results = "none";
}

static Status *optimize(Program *local, ShardingTable *table, MeshId mesh,
                        const LocalOptions *options, const Machine *machine, Arena *arena,
                        Guard *guard, Diag *diag) {
  if (options->plain && !options->collectives) return NULL;
  const Mesh *on = sharding_mesh(table, mesh);
  Network network = network_default;
  if (machine) network = machine_network(machine, local->context, on, arena);
  OptimizeOptions how = {.mesh = on,
                         .network = &network,
                         .compute = machine ? &machine->compute : NULL,
                         .n_devices = 1,
                         .table = table,
                         .edges_are_said = true,
                         .passes = options->plain ? "" : options->passes,
                         .collectives = options->collectives,
                         .rings = options->rings};
  OptimizeStats stats;
  return optimize_program(local, &how, guard, diag, &stats);
}

Status *pipeline_optimize(Program *local, ShardingTable *table, MeshId mesh,
                          const LocalOptions *options, Guard *guard, Diag *diag) {
  return optimize(local, table, mesh, options, NULL, NULL, guard, diag);
}

Status *stage_partition(Session *s, const LocalOptions *options, RedundantList *out_redundant,
                        MeshId *out_mesh) {
  if (options->redundant) *out_redundant = (RedundantList){.arena = &s->arena};
  PartitionOptions how = {.why = options->why,
                          .poison = options->poison,
                          .machine = s->machine,
                          .redundant = options->redundant ? out_redundant : NULL,
                          .call_rules = s->call_rules};
  return partition_program(s->program, s->table, &how, s->guard, &s->diag, out_mesh);
}

Status *stage_optimize(Session *s, const LocalOptions *options, MeshId mesh) {
  return optimize(s->program, s->table, mesh, options, s->machine, &s->arena, s->guard, &s->diag);
}

Status *stage_check_local(Session *s) {
  const char *wrong = program_check(s->program);
  if (wrong)
    FAIL(INTERNAL, "the local program is not sound, which is an error of Tessera: %s", wrong);
  return program_verify(s->program, &s->diag) ? NULL : diag_status(&s->diag);
}
