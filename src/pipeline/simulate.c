// Problem: the simulator sees one function at a time, but compilers inline calls and fuse across
// them.
//
// Idea: inline all calls of a clone, callees first, so that each copy is already flat. Programs
// that would become too large keep their calls, which the simulator takes as bodies.
#include "pipeline/simulate.h"

#include "annotate/program_mesh.h"
#include "cost/trips.h"
#include "ir/clone.h"
#include "ops/functions.h"
#include "ops/op.h"

static const double most_ops = 4e6;  // after inlining

// Ops of each function with everything inlined; the largest is returned.
static double count_inlined(const Program *p, const Runs *runs, Arena *arena, bool *out_calls) {
  double *ops = ARENA_ARRAY(arena, double, p->ops.count + 1), most = 0;
  *out_calls = false;
  for (uint32_t i = runs->count; i-- > 0;) {
    OpId function = runs->order[i];
    for (OpId o = function; o; o = op_walk_next(p, o, function)) {
      *out_calls |= runs->callee[o] != 0;
      ops[function] += 1 + (runs->callee[o] ? ops[runs->callee[o]] : 0);
    }
    if (ops[function] > most) most = ops[function];
  }
  return most;
}

static bool can_inline(const Program *p, OpId call, OpId callee) {
  return callee && op_row(op_at(p, call)->code)->traits & TRAIT_CALL &&
         op_at(p, callee)->n_regions == 1 && region_block(p, op_region(p, callee, 0));
}

static void inline_calls(Program *p, const Runs *runs, uint32_t n_ops) {
  for (uint32_t i = runs->count; i-- > 0;) {
    OpId function = runs->order[i];
    for (OpId o = function, next; o; o = next) {
      next = op_walk_next(p, o, function);
      // Ops behind the table were copied from a callee, which is flat.
      if (o < n_ops && can_inline(p, o, runs->callee[o])) program_inline(p, o, runs->callee[o]);
    }
  }
}

bool inline_all_calls(Program *p, Arena *arena) {
  Runs runs;
  bool calls;
  runs_count(p, NULL, arena, &runs);
  if (count_inlined(p, &runs, arena, &calls) > most_ops || !calls) return false;
  inline_calls(p, &runs, p->ops.count);
  return true;
}

static const Program *flatten(Session *s) {
  Runs runs;
  bool calls;
  runs_count(s->program, NULL, &s->arena, &runs);
  if (count_inlined(s->program, &runs, &s->arena, &calls) > most_ops || !calls) return s->program;
  program_free(s->flat);
  s->flat = NULL;
  s->flat = program_clone(s->program, s->context, s->guard);
  inline_calls(s->flat, &runs, s->program->ops.count);
  return s->flat;
}

Status *stage_simulate(Session *s, const Mesh *mesh, uint32_t n_devices, double global_flops,
                       Prediction *out) {
  if (!s->machine) TRY(session_read_machine(s, machine_text("default")));
  uint32_t most = machine_devices(s->machine);
  if (most && n_devices > most)
    FAIL(INVALID_ARGUMENT,
         "the program is for %u devices, and the shape of machine %s has %u: --machine %s:%u",
         n_devices, s->machine->name, most, s->machine->name, n_devices);
  if (s->fused_attention && !s->machine->fused_attention) {
    Machine *machine = ARENA_NEW(&s->arena, Machine);
    *machine = *s->machine;
    machine->fused_attention = true;
    s->machine = machine;
  }
  Simulated *simulated = ARENA_NEW(&s->arena, Simulated);
  *out = (Prediction){.simulated = simulated,
                      .program = flatten(s),
                      .machine = s->machine,
                      .mesh = mesh,
                      .global_flops = global_flops};
  simulate(out->program, s->machine, mesh, n_devices, &s->arena, simulated);
  return NULL;
}

bool is_local_program(const Program *program) {
  return op_attr(program, program->root, "tessera.mesh") != 0;
}

Status *simulate_local(Session *s, const char *mesh_text, const char *machine, Prediction *out) {
  const Program *p = s->program;
  Attr attr = op_attr(p, p->root, "tessera.mesh");
  const Mesh *mesh = NULL;
  uint32_t n_devices = 1;
  TRY(session_read_machine(s, machine ? machine : machine_text("default")));
  if (attr) {
    TRY(mesh_from_attr(s->context, attr, 0, &mesh));
  } else if (mesh_text) {
    MeshId id;
    s->table = sharding_table_new(s->context, s->guard);
    TRY(program_mesh_use(s->program, s->table, str_of(mesh_text), &id));
    mesh = sharding_mesh(s->table, id);
  } else {
    int64_t n = attr_as_int(s->context, op_attr(p, p->root, "mhlo.num_partitions"), 1) *
                attr_as_int(s->context, op_attr(p, p->root, "mhlo.num_replicas"), 1);
    Name name = name_of(s->context, "devices");
    if (n > 1) TRY(mesh_new(s->context, 0, 1, &name, &n, 0, NULL, &mesh));
  }
  if (mesh) n_devices = mesh->n_devices;
  return stage_simulate(s, mesh, n_devices, 0, out);
}
