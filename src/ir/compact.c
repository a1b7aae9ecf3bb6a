// Larger rewrites: drop dead entries, outline ops to a function, inline a call.
//
// Compaction: one walk numbers everything in program order, then the tables are rebuilt; side
// tables follow through the Remap. Invariant: everything that can fail (allocation) comes before
// the first change, so a throw leaves the program as it was. O(program).
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "ir/program.h"

// ---- compact ----

// Assigns new ids in program order. Operands need no map: they follow their ops.
static void number_all(const Program *p, Remap *m, uint32_t *out_n_operands) {
  uint32_t ops = 1, values = 1, blocks = 1, regions = 1, operands = 1;
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root)) {
    const Op *o = op_at(p, op);
    m->ops[op] = ops++;
    operands += o->n_operands;
    for (uint32_t i = 0; i < o->n_results; i++) m->values[o->results + i] = values++;
    for (uint32_t r = 0; r < o->n_regions; r++) m->regions[o->regions + r] = regions++;
    for (uint32_t r = 0; r < o->n_regions; r++)
      for (BlockId b = region_at(p, o->regions + r)->first; b; b = block_at(p, b)->next) {
        m->blocks[b] = blocks++;
        for (uint32_t i = 0; i < block_at(p, b)->n_args; i++)
          m->values[block_at(p, b)->args + i] = values++;
      }
  }
  m->n_ops = ops;
  m->n_values = values;
  m->n_blocks = blocks;
  m->n_regions = regions;
  *out_n_operands = operands;
}

static void *table_alloc(Program *p, uint32_t count, size_t item_bytes) {
  size_t bytes;
  void *table = size_mul(count, item_bytes, &bytes) ? mem_alloc(bytes) : NULL;
  if (!table) guard_throw(p->guard, status_no_memory());
  memset(table, 0, bytes);
  return table;
}

Program *program_copy(Program *p, Arena *arena, Remap *out) {
  Remap m = {.ops = ARENA_ARRAY(arena, uint32_t, p->ops.count),
             .values = ARENA_ARRAY(arena, uint32_t, p->values.count),
             .blocks = ARENA_ARRAY(arena, uint32_t, p->blocks.count),
             .regions = ARENA_ARRAY(arena, uint32_t, p->regions.count)};
  uint32_t n_operands;
  number_all(p, &m, &n_operands);
  Program *q = program_new(p->context, p->guard, p->source);
  GuardCleanup cleanup = {program_release, q, NULL};
  guard_push(p->guard, &cleanup);
  HEAPVEC_RESERVE(p->guard, &q->ops, m.n_ops);
  HEAPVEC_RESERVE(p->guard, &q->values, m.n_values);
  HEAPVEC_RESERVE(p->guard, &q->blocks, m.n_blocks);
  HEAPVEC_RESERVE(p->guard, &q->regions, m.n_regions);
  HEAPVEC_RESERVE(p->guard, &q->operands, n_operands);
  HEAPVEC_RESERVE(p->guard, &q->resources, p->resources.count);
  guard_pop(p->guard, &cleanup);
  // Nothing can fail from here on.
  for (uint32_t i = 1; i < p->values.count; i++)
    if (m.values[i]) {
      Value v = *value_at(p, i);
      v.def = v.is_arg ? m.blocks[v.def] : m.ops[v.def];
      v.first_use = 0;
      *value_at(q, m.values[i]) = v;
    }
  for (uint32_t i = 1; i < p->blocks.count; i++)
    if (m.blocks[i]) {
      Block b = *block_at(p, i);
      *block_at(q, m.blocks[i]) = (Block){m.regions[b.region],
                                          m.blocks[b.next],
                                          m.ops[b.first],
                                          m.ops[b.last],
                                          b.n_args ? m.values[b.args] : 0,
                                          b.n_args};
    }
  for (uint32_t i = 1; i < p->regions.count; i++)
    if (m.regions[i]) {
      Region r = *region_at(p, i);
      *region_at(q, m.regions[i]) = (Region){m.ops[r.op], m.blocks[r.first], m.blocks[r.last]};
    }
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root)) {
    Op o = *op_at(p, op);
    OperandId operands = q->operands.count;
    for (uint32_t i = 0; i < o.n_operands; i++) {
      ValueId value = m.values[op_operand(p, op, i)];
      OperandId id = q->operands.count++;
      Value *v = value_at(q, value);
      *operand_at(q, id) = (Operand){value, m.ops[op], 0, v->first_use};
      if (v->first_use) operand_at(q, v->first_use)->prev_use = id;
      v->first_use = id;
    }
    o.operands = operands;
    o.results = o.n_results ? m.values[o.results] : 0;
    o.regions = o.n_regions ? m.regions[o.regions] : 0;
    o.block = m.blocks[o.block];
    o.prev = m.ops[o.prev];
    o.next = m.ops[o.next];
    o.origin = m.ops[o.origin];
    *op_at(q, m.ops[op]) = o;
  }
  q->ops.count = m.n_ops;
  q->values.count = m.n_values;
  q->blocks.count = m.n_blocks;
  q->regions.count = m.n_regions;
  q->root = m.ops[p->root];
  q->trip_count = p->trip_count;
  for (uint32_t i = 0; i < p->resources.count; i++)
    q->resources.items[q->resources.count++] = p->resources.items[i];
  m.n_ops = p->ops.count;
  m.n_values = p->values.count;
  m.n_blocks = p->blocks.count;
  m.n_regions = p->regions.count;
  *out = m;
  return q;
}

void program_compact(Program *p, Arena *arena, Remap *out) {
  Program *q = program_copy(p, arena, out), old = *p;
  *p = *q;
  *q = old;
  program_free(q);
}

void remap_table(const uint32_t *remap, uint32_t n_old, const void *old_table, void *new_table,
                 size_t item_bytes) {
  for (uint32_t i = 1; i < n_old; i++)
    if (remap[i])
      memcpy((char *)new_table + remap[i] * item_bytes, (const char *)old_table + i * item_bytes,
             item_bytes);
}

// ---- outline ----

typedef struct ValueList {
  ValueId *items;
  uint32_t count, capacity;
} ValueList;

typedef struct Outline {
  uint8_t *inside;  // per value: defined by a moved op, or inside one
  uint8_t *taken;   // per value: already an argument. Later per op: it is moved
  ValueList arguments, results;
  Type *types;  // scratch
} Outline;

static void release_outline(void *object) {
  Outline *o = object;
  mem_free(o->inside);
  mem_free(o->taken);
  mem_free(o->arguments.items);
  mem_free(o->results.items);
  mem_free(o->types);
}

static void mark_inside(const Program *p, OpId root, Outline *out) {
  for (OpId op = root; op; op = op_walk_next(p, op, root)) {
    const Op *o = op_at(p, op);
    for (uint32_t i = 0; i < o->n_results; i++) out->inside[o->results + i] = 1;
    for (uint32_t r = 0; r < o->n_regions; r++)
      for (BlockId b = region_at(p, o->regions + r)->first; b; b = block_at(p, b)->next)
        for (uint32_t i = 0; i < block_at(p, b)->n_args; i++) out->inside[block_arg(p, b, i)] = 1;
  }
}

// Values used inside and defined outside, in order of first use, each once.
static void collect_arguments(Program *p, OpId root, Outline *out) {
  for (OpId op = root; op; op = op_walk_next(p, op, root))
    for (uint32_t i = 0; i < op_at(p, op)->n_operands; i++) {
      ValueId v = op_operand(p, op, i);
      if (out->inside[v] || out->taken[v]) continue;
      out->taken[v] = 1;
      HEAPVEC_PUSH(p->guard, &out->arguments, v);
    }
}

// Whether the op is one of the moved ops or inside one: climbs to the ancestor in `block`.
static bool is_moved(const Program *p, OpId op, BlockId block, const uint8_t *moved_op) {
  while (op && op_at(p, op)->block != block) op = op_parent(p, op);
  return op && moved_op[op];
}

OpId program_outline(Program *p, OpId first, OpId last, BlockId module_block,
                     const OpSpec *function, const OpSpec *terminator, const OpSpec *call) {
  BlockId block = op_at(p, first)->block;
  Outline out = {0};
  GuardCleanup cleanup = {release_outline, &out, NULL};
  guard_push(p->guard, &cleanup);
  uint32_t n_values = p->values.count;
  out.inside = table_alloc(p, n_values, 1);
  out.taken = table_alloc(p, n_values > p->ops.count ? n_values : p->ops.count, 1);
  OpId end = op_at(p, last)->next;
  for (OpId op = first; op != end; op = op_at(p, op)->next) mark_inside(p, op, &out);
  for (OpId op = first; op != end; op = op_at(p, op)->next) collect_arguments(p, op, &out);
  memset(out.taken, 0, p->ops.count);
  for (OpId op = first; op != end; op = op_at(p, op)->next) out.taken[op] = 1;
  for (OpId op = first; op != end; op = op_at(p, op)->next)
    for (uint32_t i = 0; i < op_at(p, op)->n_results; i++) {
      ValueId v = op_result(p, op, i);
      bool escapes = false;
      for (OperandId u = value_at(p, v)->first_use; u && !escapes; u = operand_at(p, u)->next_use)
        escapes = !is_moved(p, operand_at(p, u)->user, block, out.taken);
      if (escapes) HEAPVEC_PUSH(p->guard, &out.results, v);
    }
  uint32_t most = out.results.count + out.arguments.count + 1;
  out.types = table_alloc(p, most, sizeof *out.types);
  for (uint32_t i = 0; i < out.results.count; i++)
    out.types[i] = value_type(p, out.results.items[i]);
  // Everything that can fail (creating call, function and terminator) comes before the first change
  // to the block.
  OpSpec spec = *call;
  spec.n_operands = out.arguments.count;
  spec.operands = out.arguments.items;
  spec.n_results = out.results.count;
  spec.result_types = out.types;
  OpId call_op = op_create(p, &spec);
  spec = *function;
  spec.n_regions = function->n_regions ? function->n_regions : 1;
  OpId func = op_create(p, &spec);
  BlockId body = region_add_block(p, op_region(p, func, 0));
  for (uint32_t i = 0; i < out.arguments.count; i++) {
    ValueId v = out.arguments.items[i];
    block_add_arg(p, body, value_type(p, v), value_at(p, v)->name);
  }
  spec = *terminator;
  spec.n_operands = out.results.count;
  spec.operands = out.results.items;
  OpId ret = op_create(p, &spec);
  op_insert_before(p, call_op, first);
  for (OpId op = first, next; op != end; op = next) {
    next = op_at(p, op)->next;
    op_detach(p, op);
    op_append(p, body, op);
  }
  op_append(p, body, ret);
  op_append(p, module_block, func);
  for (uint32_t i = 0; i < out.arguments.count; i++) {
    ValueId v = out.arguments.items[i], arg = block_arg(p, body, i);
    for (OperandId u = value_at(p, v)->first_use, next; u; u = next) {
      next = operand_at(p, u)->next_use;
      OpId user = operand_at(p, u)->user;
      while (user && op_at(p, user)->block != body) user = op_parent(p, user);
      if (user) operand_set(p, u, arg);
    }
  }
  for (uint32_t i = 0; i < out.results.count; i++) {
    ValueId v = out.results.items[i], result = op_result(p, call_op, i);
    for (OperandId u = value_at(p, v)->first_use, next; u; u = next) {
      next = operand_at(p, u)->next_use;
      OpId user = operand_at(p, u)->user;
      while (user && op_at(p, user)->block != body) user = op_parent(p, user);
      if (!user) operand_set(p, u, result);
    }
  }
  guard_pop(p->guard, &cleanup);
  release_outline(&out);
  return call_op;
}

// ---- inline ----

static void release_items(void *items) { mem_free(*(void **)items); }

// Clones the callee's ops before the call. `values` maps its arguments to the call's operands.
void program_inline(Program *p, OpId call, OpId callee) {
  BlockId body = region_block(p, op_region(p, callee, 0));
  assert(body && "only functions with a body are inlined");
  uint32_t n_values = p->values.count;
  ValueId *values = table_alloc(p, n_values, sizeof *values);
  GuardCleanup cleanup = {release_items, &values, NULL};
  guard_push(p->guard, &cleanup);
  for (uint32_t i = 0; i < block_at(p, body)->n_args; i++)
    values[block_arg(p, body, i)] = op_operand(p, call, i);
  OpId last = block_at(p, body)->last;
  for (OpId op = block_at(p, body)->first; op && op != last; op = op_at(p, op)->next)
    op_insert_before(p, op_clone(p, op, values, n_values), call);
  for (uint32_t i = 0; i < op_at(p, call)->n_results; i++) {
    ValueId returned = op_operand(p, last, i);
    value_replace_uses(p, op_result(p, call, i), values[returned] ? values[returned] : returned);
  }
  guard_pop(p->guard, &cleanup);
  mem_free(values);
  op_erase(p, call);
}
