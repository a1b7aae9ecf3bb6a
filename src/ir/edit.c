// Building and changing programs. Every operation keeps the tables consistent (program_check) and
// costs O(1) or O(uses), except where the header says otherwise. Rewrites append new entries and
// mark old ones dead; compact.c removes the dead ones.
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "ir/program.h"

// ---- use lists ----

// Use lists are doubly linked through the operand table: linking and unlinking are O(1).
static void use_link(Program *p, OperandId id) {
  Operand *use = operand_at(p, id);
  Value *value = value_at(p, use->value);
  use->prev_use = 0;
  use->next_use = value->first_use;
  if (value->first_use) operand_at(p, value->first_use)->prev_use = id;
  value->first_use = id;
}

static void use_unlink(Program *p, OperandId id) {
  Operand *use = operand_at(p, id);
  if (use->prev_use)
    operand_at(p, use->prev_use)->next_use = use->next_use;
  else
    value_at(p, use->value)->first_use = use->next_use;
  if (use->next_use) operand_at(p, use->next_use)->prev_use = use->prev_use;
  use->value = use->prev_use = use->next_use = 0;
}

void operand_set(Program *p, OperandId operand, ValueId value) {
  use_unlink(p, operand);
  operand_at(p, operand)->value = value;
  use_link(p, operand);
}

// operand_set removes the first use from the list, so the loop ends.
void value_replace_uses(Program *p, ValueId from, ValueId to) {
  if (from == to) return;
  while (value_at(p, from)->first_use) operand_set(p, value_at(p, from)->first_use, to);
}

void value_replace_uses_except(Program *p, ValueId from, ValueId to, OpId except) {
  for (OperandId use = value_at(p, from)->first_use, next; use; use = next) {
    next = operand_at(p, use)->next_use;
    if (operand_at(p, use)->user != except) operand_set(p, use, to);
  }
}

bool value_has_uses(const Program *p, ValueId v) { return value_at(p, v)->first_use != 0; }

uint32_t value_count_uses(const Program *p, ValueId v) {
  uint32_t n = 0;
  for (OperandId use = value_at(p, v)->first_use; use; use = operand_at(p, use)->next_use) n++;
  return n;
}

// ---- ops ----

OpId op_create(Program *p, const OpSpec *spec) {
  OpId id = p->ops.count;
  // Reserve first, so that a throw leaves no half-made op.
  HEAPVEC_RESERVE(p->guard, &p->ops, p->ops.count + 1);
  HEAPVEC_RESERVE(p->guard, &p->operands, p->operands.count + spec->n_operands);
  HEAPVEC_RESERVE(p->guard, &p->values, p->values.count + spec->n_results);
  HEAPVEC_RESERVE(p->guard, &p->regions, p->regions.count + spec->n_regions);
  p->ops.count++;
  Op *op = op_at(p, id);
  *op = (Op){.code = spec->code,
             .n_results = (uint16_t)spec->n_results,
             .n_operands = spec->n_operands,
             .n_regions = spec->n_regions,
             .operands = p->operands.count,
             .results = p->values.count,
             .regions = p->regions.count,
             .attrs = spec->attrs,
             .name = spec->name,
             .loc = spec->loc,
             .pos = spec->pos,
             .origin = spec->origin};
  assert(spec->n_results <= UINT16_MAX && "the reader rejects ops with more results");
  for (uint32_t i = 0; i < spec->n_operands; i++) {
    OperandId use = p->operands.count++;
    *operand_at(p, use) = (Operand){.value = spec->operands[i], .user = id};
    use_link(p, use);
  }
  for (uint32_t i = 0; i < spec->n_results; i++) {
    Type type = spec->result_types ? spec->result_types[i] : 0;
    *value_at(p, p->values.count++) = (Value){.type = type, .def = id, .index = i & 0x7FFFFFFF};
  }
  for (uint32_t i = 0; i < spec->n_regions; i++)
    *region_at(p, p->regions.count++) = (Region){.op = id};
  if (!p->root) p->root = id;
  return id;
}

OpId op_create_identity(Program *p, uint16_t code, ValueId v, Attr attrs, OpId from) {
  Type type = value_type(p, v);
  return op_create(p, &(OpSpec){.code = code,
                                .n_operands = 1,
                                .operands = &v,
                                .n_results = 1,
                                .result_types = &type,
                                .attrs = attrs,
                                .loc = op_at(p, from)->loc,
                                .pos = op_at(p, from)->pos,
                                .origin = op_at(p, from)->origin ? op_at(p, from)->origin : from});
}

void op_append(Program *p, BlockId block, OpId op) {
  Op *o = op_at(p, op);
  Block *b = block_at(p, block);
  assert(!o->block && "an op stands in one block");
  o->block = block;
  o->prev = b->last;
  o->next = 0;
  if (b->last)
    op_at(p, b->last)->next = op;
  else
    b->first = op;
  b->last = op;
}

void op_insert_before(Program *p, OpId op, OpId before) {
  Op *o = op_at(p, op), *at = op_at(p, before);
  assert(!o->block && at->block && "a detached op goes before an attached one");
  o->block = at->block;
  o->next = before;
  o->prev = at->prev;
  if (at->prev)
    op_at(p, at->prev)->next = op;
  else
    block_at(p, at->block)->first = op;
  at->prev = op;
}

void op_insert_after(Program *p, OpId op, OpId after) {
  OpId next = op_at(p, after)->next;
  if (next)
    op_insert_before(p, op, next);
  else
    op_append(p, op_at(p, after)->block, op);
}

void op_prepend(Program *p, BlockId block, OpId op) {
  if (block_at(p, block)->first)
    op_insert_before(p, op, block_at(p, block)->first);
  else
    op_append(p, block, op);
}

void op_insert_after_value(Program *p, OpId op, ValueId v) {
  if (value_at(p, v)->is_arg)
    op_prepend(p, value_at(p, v)->def, op);
  else
    op_insert_after(p, op, value_at(p, v)->def);
}

void op_detach(Program *p, OpId op) {
  Op *o = op_at(p, op);
  if (!o->block) return;
  Block *b = block_at(p, o->block);
  if (o->prev)
    op_at(p, o->prev)->next = o->next;
  else
    b->first = o->next;
  if (o->next)
    op_at(p, o->next)->prev = o->prev;
  else
    b->last = o->prev;
  o->block = 0;
  o->prev = o->next = 0;
}

// Nested ops are marked dead, too; their values keep their ids until program_compact.
void op_erase(Program *p, OpId root) {
  for (uint32_t i = 0; i < op_at(p, root)->n_results; i++)
    assert(!value_has_uses(p, op_result(p, root, i)) && "an erased op has no users left");
  op_detach(p, root);
  for (OpId op = root; op; op = op_walk_next(p, op, root)) {
    Op *o = op_at(p, op);
    for (uint32_t i = 0; i < o->n_operands; i++) use_unlink(p, o->operands + i);
    o->n_operands = 0;
    o->code = 0;
    p->n_dead++;
  }
  if (p->root == root) p->root = 0;
}

void op_replace(Program *p, OpId op, ValueId value) {
  value_replace_uses(p, op_result(p, op, 0), value);
  op_erase(p, op);
}

void op_replace_by_operand(Program *p, OpId op) {
  value_replace_uses(p, op_result(p, op, 0), op_operand(p, op, 0));
  op_erase(p, op);
}

BlockId region_add_block(Program *p, RegionId region) {
  BlockId id = p->blocks.count;
  HEAPVEC_PUSH(p->guard, &p->blocks, (Block){.region = region});
  Region *r = region_at(p, region);
  if (r->last)
    block_at(p, r->last)->next = id;
  else
    r->first = id;
  r->last = id;
  return id;
}

// If other values follow the block's arguments, all arguments move to the end of the table.
ValueId block_add_arg(Program *p, BlockId block, Type type, Name name) {
  Block *b = block_at(p, block);
  HEAPVEC_RESERVE(p->guard, &p->values, p->values.count + b->n_args + 1);
  if (b->n_args && b->args + b->n_args != p->values.count) {
    ValueId moved = p->values.count;
    for (uint32_t i = 0; i < b->n_args; i++) {
      ValueId old = b->args + i, now = p->values.count++;
      *value_at(p, now) = *value_at(p, old);
      value_at(p, now)->first_use = 0;
      value_replace_uses(p, old, now);
      *value_at(p, old) = (Value){0};
    }
    b->args = moved;
  }
  if (!b->n_args) b->args = p->values.count;
  ValueId id = p->values.count++;
  *value_at(p, id) = (Value){
      .type = type, .def = block, .index = b->n_args & 0x7FFFFFFF, .is_arg = 1, .name = name};
  b->n_args++;
  return id;
}

void op_set_attr(Program *p, OpId op, const char *name, Attr value) {
  Attr attrs = attr_dict_with(p->context, op_at(p, op)->attrs, name, value);
  op_at(p, op)->attrs = attrs;
}

// ---- clone ----

// Values created during the clone are at or above n_values and map to themselves.
static ValueId mapped(const ValueId *values, uint32_t n_values, ValueId v) {
  return v < n_values && values[v] ? values[v] : v;
}

// Copies one op, with the blocks and arguments of its regions, but without the ops in them.
static OpId clone_shell(Program *p, OpId op, ValueId *values, uint32_t n_values, ValueId **scratch,
                        uint32_t *scratch_capacity) {
  Op o = *op_at(p, op);
  uint32_t most = o.n_operands > o.n_results ? o.n_operands : o.n_results;
  if (most > *scratch_capacity)
    *scratch = vec_grow_heap(p->guard, *scratch, scratch_capacity, most, sizeof **scratch);
  for (uint32_t i = 0; i < o.n_operands; i++)
    (*scratch)[i] = mapped(values, n_values, op_operand(p, op, i));
  OpId copy = op_create(p, &(OpSpec){.code = o.code,
                                     .name = o.name,
                                     .n_operands = o.n_operands,
                                     .n_results = o.n_results,
                                     .n_regions = o.n_regions,
                                     .operands = *scratch,
                                     .attrs = o.attrs,
                                     .loc = o.loc,
                                     .pos = o.pos,
                                     .origin = o.origin ? o.origin : op});
  for (uint32_t i = 0; i < o.n_results; i++) {
    Value *to = value_at(p, op_result(p, copy, i)), *from = value_at(p, o.results + i);
    to->type = from->type;
    to->name = from->name;
    if (o.results + i < n_values) values[o.results + i] = op_result(p, copy, i);
  }
  for (uint32_t r = 0; r < o.n_regions; r++)
    for (BlockId b = region_at(p, o.regions + r)->first; b; b = block_at(p, b)->next) {
      BlockId block = region_add_block(p, op_region(p, copy, r));
      for (uint32_t i = 0; i < block_at(p, b)->n_args; i++) {
        ValueId from = block_arg(p, b, i);
        ValueId arg = block_add_arg(p, block, value_type(p, from), value_at(p, from)->name);
        value_at(p, arg)->loc = value_at(p, from)->loc;
        if (from < n_values) values[from] = arg;
      }
    }
  return copy;
}

typedef struct Pair {
  OpId op, copy;
} Pair;

static void release_items(void *items) { mem_free(*(void **)items); }

// `values` maps old to new values as the copy grows. Values defined outside stay as they are.
OpId op_clone(Program *p, OpId root, ValueId *values, uint32_t n_values) {
  ValueId *scratch = NULL;
  uint32_t scratch_capacity = 0;
  HEAPVEC(Pair) stack = {0};  // ops whose regions are not filled yet
  GuardCleanup free_scratch = {release_items, &scratch, NULL},
               free_stack = {release_items, &stack.items, NULL};
  guard_push(p->guard, &free_scratch);
  guard_push(p->guard, &free_stack);
  OpId result = clone_shell(p, root, values, n_values, &scratch, &scratch_capacity);
  HEAPVEC_PUSH(p->guard, &stack, ((Pair){root, result}));
  // An explicit stack instead of recursion. All ops of a block are created before their regions are
  // visited, so every value from outside a region is mapped when the region is copied.
  while (stack.count) {
    Pair pair = stack.items[--stack.count];
    for (uint32_t r = 0; r < op_at(p, pair.op)->n_regions; r++) {
      BlockId to = region_at(p, op_region(p, pair.copy, r))->first;
      for (BlockId b = region_at(p, op_region(p, pair.op, r))->first; b;
           b = block_at(p, b)->next, to = block_at(p, to)->next)
        for (OpId op = block_at(p, b)->first; op; op = op_at(p, op)->next) {
          OpId copy = clone_shell(p, op, values, n_values, &scratch, &scratch_capacity);
          op_append(p, to, copy);
          if (op_at(p, op)->n_regions) HEAPVEC_PUSH(p->guard, &stack, ((Pair){op, copy}));
        }
    }
  }
  guard_pop(p->guard, &free_stack);
  guard_pop(p->guard, &free_scratch);
  mem_free(stack.items);
  mem_free(scratch);
  return result;
}
