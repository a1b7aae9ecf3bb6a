// A random program in text with hints (random_program.h), propagated, partitioned with poisoned
// padding, perhaps made cheaper, and run on every device by the evaluator: each device's part of
// each result is compared with the program itself.
#ifndef TESSERA_TESTS_SUPPORT_RANDOM_CASE_H
#define TESSERA_TESTS_SUPPORT_RANDOM_CASE_H

#include <stdio.h>
#include <stdlib.h>

#include "ops/infer.h"
#include "optimize/optimize.h"
#include "parse/parse.h"
#include "parse/print.h"
#include "partition/partition.h"
#include "pipeline/verify_partition.h"
#include "propagate/write.h"

#include "random_program.h"

typedef struct Case {
  uint64_t seed;
  bool optimize;       // then every second value is a result
  const char *passes;  // NULL = all
  RandomProgram random;
  Context *context;
  ShardingTable *table;
  Program *global, *local;
  Propagation *propagation;
  Arena arena;
  Diag diag;
  Source source;
  StrBuf text, printed;
  uint32_t run, refused, collectives, before;
  OptimizeStats stats;
} Case;

static inline void close_case(void *object) {
  Case *c = object;
  propagation_free(c->propagation);
  program_free(c->global);
  program_free(c->local);
  random_program_deinit(&c->random);
  strbuf_deinit(&c->text);
  strbuf_deinit(&c->printed);
  sharding_table_free(c->table);
  diag_deinit(&c->diag);
  arena_deinit(&c->arena);
  context_free(c->context);
}

// Most of a random program is for nothing: here every second value of its main function is a
// result.
static inline void return_more(Program *p, Arena *arena) {
  SymbolTable symbols;
  symbols_init(&symbols, p, p->root, p->guard);
  OpId main_op = symbols_find(&symbols, name_of(p->context, "main"));
  symbols_deinit(&symbols);
  if (!main_op) return;
  BlockId block = region_block(p, op_region(p, main_op, 0));
  OpId end = block_at(p, block)->last;
  VEC(ValueId) values = {0};
  VEC(Type) types = {0};
  for (uint32_t i = 0; i < op_at(p, end)->n_operands; i++)
    VEC_PUSH(arena, &values, op_operand(p, end, i));
  uint32_t n = 0;
  for (OpId op = block_at(p, block)->first; op != end; op = op_at(p, op)->next)
    for (uint32_t i = 0; i < op_at(p, op)->n_results; i++)
      if (type_is_tensor(p->context, op_result_type(p, op, i)) && n++ % 2)
        VEC_PUSH(arena, &values, op_result(p, op, i));
  const TypeInfo *old =
      type_info(p->context, attr_info(p->context, op_attr(p, main_op, "function_type"))->type);
  for (uint32_t i = 0; i < old->n_inputs; i++) VEC_PUSH(arena, &types, old->items[i]);
  for (uint32_t i = 0; i < values.count; i++)
    VEC_PUSH(arena, &types, value_type(p, values.items[i]));
  Type type = type_function(p->context, old->n_inputs, types.items, values.count,
                            types.items + old->n_inputs);
  op_set_attr(p, main_op, "function_type", attr_type(p->context, type));
  const AttrInfo *attrs = attr_info(p->context, op_attr(p, main_op, "res_attrs"));
  if (attrs->kind == ATTR_ARRAY) {
    VEC(Attr) all = {0};
    for (uint32_t i = 0; i < attrs->count; i++) VEC_PUSH(arena, &all, attrs->items[i]);
    while (all.count < values.count)
      VEC_PUSH(arena, &all, attr_intern(p->context, &(AttrInfo){.kind = ATTR_DICT}));
    op_set_attr(p, main_op, "res_attrs", attr_array(p->context, all.count, all.items));
  }
  OpSpec spec = {.code = op_at(p, end)->code,
                 .n_operands = values.count,
                 .operands = values.items,
                 .pos = POS_NONE};
  op_append(p, block, op_create(p, &spec));
  op_erase(p, end);
}

static inline Status *read_text(Case *c, Guard *guard, Program **out) {
  TRY(program_parse(c->context, guard, &c->source, 0, c->source.size, &(ParseOptions){0}, &c->diag,
                    out));
  if (c->optimize) return_more(*out, &c->arena);
  if (!program_verify(*out, &c->diag)) return diag_status(&c->diag);
  return NULL;
}

static inline Status *refuse(Case *c, Status *status) {
  if (!status) return NULL;
  c->refused++;
  if (getenv("TESSERA_REFUSED")) printf("refused: %s\n", status_message(status));
  status_free(status);
  return NULL;
}

static inline uint32_t count_collectives(const Program *p) {
  uint32_t n = 0;
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root))
    n += (op_row(op_at(p, o)->code)->traits & TRAIT_COLLECTIVE) != 0;
  return n;
}

static inline Status *run_case(Guard *guard, Case *c) {
  c->context = context_new(guard);
  c->table = sharding_table_new(c->context, guard);
  random_program(&c->random, c->table, guard, c->seed);
  random_program_text(&c->random, false, &c->text);
  c->source = (Source){.path = "<random>", .text = c->text.data, .size = c->text.used};
  Status *status = read_text(c, guard, &c->global);
  if (!status) status = read_text(c, guard, &c->local);
  if (status) return refuse(c, status);
  status =
      propagation_new(c->local, c->table, &(PropagateOptions){0}, guard, &c->diag, &c->propagation);
  if (!status) status = propagation_read(c->propagation, &c->diag);
  if (status) return refuse(c, status);
  propagation_run(c->propagation);
  TRY(propagation_write(c->propagation, c->local, &(WriteOptions){.close = true}, &c->diag));
  propagation_free(c->propagation);
  c->propagation = NULL;
  MeshId mesh_id;
  status = partition_program(c->local, c->table, &(PartitionOptions){.poison = true}, guard,
                             &c->diag, &mesh_id);
  if (status) return refuse(c, status);
  c->before = count_collectives(c->local);
  OptimizeOptions how = {.mesh = sharding_mesh(c->table, mesh_id),
                         .table = c->table,
                         .edges_are_annotated = true,
                         .passes = c->passes};
  if (c->optimize) TRY(optimize_program(c->local, &how, guard, &c->diag, &c->stats));
  program_print(c->local, &(PrintOptions){0}, &c->printed);
  const char *wrong = program_check(c->local);
  if (wrong) FAIL(INTERNAL, "%s", wrong);
  if (!program_verify(c->local, &c->diag)) return diag_status(&c->diag);
  c->collectives = count_collectives(c->local);
  VerifyOptions options = {.seed = c->seed, .most_steps = 200000};
  Verified verified;
  status = verify_partition(c->global, c->local, c->table, mesh_id, &options, guard, &c->arena,
                            &verified);
  if (status) return refuse(c, status);
  if (!verified.agree) FAIL(INTERNAL, "%s", verified.where);
  c->run++;
  return NULL;
}

// For guard_run; arg is a Case with a seed. A failing one is printed.
static inline Status *one_case(Guard *guard, void *arg) {
  Case *c = arg;
  arena_init(&c->arena, guard);
  diag_init(&c->diag, guard, &c->source);
  strbuf_init(&c->text, guard);
  strbuf_init(&c->printed, guard);
  GuardCleanup cleanup = {close_case, c, NULL};
  guard_push(guard, &cleanup);
  Status *status = run_case(guard, c);
  if (status)
    fprintf(stderr, "seed %llu\n%s\n%s\n", (unsigned long long)c->seed, c->text.data,
            c->printed.data ? c->printed.data : "");
  guard_pop(guard, &cleanup);
  close_case(c);
  return status;
}

#endif
