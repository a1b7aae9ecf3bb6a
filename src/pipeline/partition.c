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

void pipeline_keep_edges(const Program *program, PropagateRequest *request) {
  if (!pipeline_is_propagated(program)) return;
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

static Status *partition_on(Program *program, Propagated *propagated, const LocalOptions *options,
                            Arena *arena, Guard *guard, Diag *diag, MeshId *out_mesh) {
  MeshId mesh;
  Machine read;
  const Machine *machine = options->machine ? &read : NULL;
  if (machine) TRY(machine_read(str_of(options->machine), arena, &read));
  TRY(pipeline_write(program, propagated, EMIT_SDY, true, guard, diag));
  PartitionOptions how = {.why = options->why,
                          .poison = options->poison,
                          .machine = machine,
                          .redundant = options->redundant,
                          .call_rules = options->call_rules};
  TRY(partition_program(program, propagated->table, &how, guard, diag, &mesh));
  TRY(optimize(program, propagated->table, mesh, options, machine, arena, guard, diag));
  const char *wrong = program_check(program);
  if (wrong)
    FAIL(INTERNAL, "the local program is not sound, which is an error of Tessera: %s", wrong);
  if (!program_verify(program, diag)) return diag_status(diag);
  *out_mesh = mesh;
  return NULL;
}

static void release_arena(void *arena) { arena_deinit(arena); }

Status *pipeline_partition(Program *program, Propagated *propagated, const LocalOptions *options,
                           Guard *guard, Diag *diag, MeshId *out_mesh) {
  Arena arena;
  arena_init(&arena, guard);
  GuardCleanup cleanup = {release_arena, &arena, NULL};
  guard_push(guard, &cleanup);
  Status *status = partition_on(program, propagated, options, &arena, guard, diag, out_mesh);
  guard_pop(guard, &cleanup);
  arena_deinit(&arena);
  return status;
}
