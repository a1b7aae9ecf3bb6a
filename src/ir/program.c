// Programs: creation, walks, consistency checks, structural hashes, symbol tables.
#include "ir/program.h"

#include <string.h>

#include "base/mem.h"

Program *program_new(Context *context, Guard *guard, const Source *source) {
  Program *p = mem_alloc(sizeof *p);
  if (!p) guard_throw(guard, status_no_memory());
  *p = (Program){.context = context, .source = source, .guard = guard};
  GuardCleanup cleanup = {program_release, p, NULL};
  guard_push(guard, &cleanup);
  HEAPVEC_PUSH(guard, &p->ops, (Op){0});
  HEAPVEC_PUSH(guard, &p->values, (Value){0});
  HEAPVEC_PUSH(guard, &p->operands, (Operand){0});
  HEAPVEC_PUSH(guard, &p->blocks, (Block){0});
  HEAPVEC_PUSH(guard, &p->regions, (Region){0});
  guard_pop(guard, &cleanup);
  return p;
}

void program_free(Program *p) {
  if (!p) return;
  HEAPVEC_FREE(&p->ops);
  HEAPVEC_FREE(&p->values);
  HEAPVEC_FREE(&p->operands);
  HEAPVEC_FREE(&p->blocks);
  HEAPVEC_FREE(&p->regions);
  HEAPVEC_FREE(&p->resources);
  mem_free(p);
}

void program_release(void *program) { program_free(program); }

Guard *program_guard(Program *p, Guard *guard) {
  Guard *before = p->guard;
  p->guard = guard;
  context_guard(p->context, guard);
  return before;
}

// ---- walking ----

// The first op in `block` or the blocks after it in its region; 0 if none.
static OpId first_in_blocks(const Program *p, BlockId block) {
  for (; block; block = block_at(p, block)->next)
    if (block_at(p, block)->first) return block_at(p, block)->first;
  return 0;
}

// The first op inside the regions of op from number `from` on; 0 if none.
static OpId first_in_regions(const Program *p, OpId op, uint32_t from) {
  const Op *o = op_at(p, op);
  for (uint32_t i = from; i < o->n_regions; i++) {
    OpId first = first_in_blocks(p, region_at(p, o->regions + i)->first);
    if (first) return first;
  }
  return 0;
}

// Climbs to the next sibling op, block or region; ends at the root. Amortized O(1).
OpId op_walk_over(const Program *p, OpId op, OpId root) {
  while (op != root) {
    const Op *o = op_at(p, op);
    if (o->next) return o->next;
    if (!o->block) return 0;
    const Block *block = block_at(p, o->block);
    OpId next = first_in_blocks(p, block->next);
    if (next) return next;
    OpId parent = region_at(p, block->region)->op;
    next = first_in_regions(p, parent, block->region - op_at(p, parent)->regions + 1);
    if (next) return next;
    op = parent;
  }
  return 0;
}

OpId op_walk_next(const Program *p, OpId op, OpId root) {
  OpId inside = first_in_regions(p, op, 0);
  return inside ? inside : op_walk_over(p, op, root);
}

// ---- checking ----

// Each operand is linked in its value's use list from both sides; results refer to the op.
static const char *check_uses(const Program *p, OpId op) {
  const Op *o = op_at(p, op);
  for (uint32_t i = 0; i < o->n_operands; i++) {
    OperandId id = o->operands + i;
    const Operand *use = operand_at(p, id);
    if (use->user != op) return "an operand does not name its user";
    if (!use->value || use->value >= p->values.count) return "an operand names no value";
    if (use->prev_use ? operand_at(p, use->prev_use)->next_use != id
                      : value_at(p, use->value)->first_use != id)
      return "a use list is broken before an operand";
    if (use->next_use && operand_at(p, use->next_use)->prev_use != id)
      return "a use list is broken behind an operand";
  }
  for (uint32_t i = 0; i < o->n_results; i++) {
    const Value *v = value_at(p, o->results + i);
    if (v->is_arg || v->def != op || v->index != i) return "a result does not name its op";
  }
  return NULL;
}

// Regions, blocks and ops refer to their parents, and the lists of blocks and ops end where the
// parents say.
static const char *check_regions(const Program *p, OpId op) {
  const Op *o = op_at(p, op);
  for (uint32_t r = 0; r < o->n_regions; r++) {
    const Region *region = region_at(p, o->regions + r);
    if (region->op != op) return "a region does not name its op";
    BlockId last = 0;
    for (BlockId b = region->first; b; last = b, b = block_at(p, b)->next) {
      const Block *block = block_at(p, b);
      if (block->region != o->regions + r) return "a block does not name its region";
      for (uint32_t i = 0; i < block->n_args; i++) {
        const Value *v = value_at(p, block->args + i);
        if (!v->is_arg || v->def != b || v->index != i)
          return "an argument does not name its block";
      }
      OpId before = 0;
      for (OpId inner = block->first; inner; before = inner, inner = op_at(p, inner)->next)
        if (op_at(p, inner)->prev != before || op_at(p, inner)->block != b ||
            !op_at(p, inner)->code)
          return "the list of ops in a block is broken";
      if (block->last != before) return "a block does not know its last op";
    }
    if (region->last != last) return "a region does not know its last block";
  }
  return NULL;
}

// For each op: use lists both ways, parent links, block and region chains.
const char *program_check(const Program *p) {
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root)) {
    const char *wrong = check_uses(p, op);
    if (!wrong) wrong = check_regions(p, op);
    if (wrong) return wrong;
  }
  return NULL;
}

// ---- hashing ----

// Numbers the values inside in definition order, so that hashes do not depend on ids; values from
// outside have number 0.
typedef struct Numbering {
  uint32_t *number;  // of values first … end - 1, among which are all that are defined inside
  ValueId first, end;
  uint32_t next;
} Numbering;

static void number_value(Numbering *n, ValueId v) { n->number[v - n->first] = ++n->next; }

static uint32_t value_number(const Numbering *n, ValueId v) {
  return v >= n->first && v < n->end ? n->number[v - n->first] : 0;
}

static void extend_range(Numbering *n, ValueId first, uint32_t count) {
  if (!count) return;
  if (n->first == n->end) n->first = n->end = first;
  if (first < n->first) n->first = first;
  if (first + count > n->end) n->end = first + count;
}

// The ids of the values that are defined inside: a few, so that hashing an op takes time in
// proportion to its size and not to the program's.
static void find_range(const Program *p, OpId root, Numbering *out) {
  for (OpId op = root; op; op = op_walk_next(p, op, root)) {
    const Op *o = op_at(p, op);
    extend_range(out, o->results, o->n_results);
    for (uint32_t r = 0; r < o->n_regions; r++)
      for (BlockId b = region_at(p, o->regions + r)->first; b; b = block_at(p, b)->next)
        extend_range(out, block_at(p, b)->args, block_at(p, b)->n_args);
  }
}

// Hashes an op without its regions' ops. Numbers its results and block arguments, so that uses hash
// by definition order.
static uint64_t hash_op_shallow(const Program *p, OpId op, Numbering *numbering) {
  const Op *o = op_at(p, op);
  uint64_t h = hash_mix(
      o->code,
      o->name ? hash_bytes(name_text(p->context, o->name), name_str(p->context, o->name).n) : 0);
  h = hash_mix(h, attr_hash(p->context, o->attrs));
  h = hash_mix(h, ((uint64_t)o->n_operands << 32) | o->n_results);
  h = hash_mix(h, o->n_regions);
  for (uint32_t i = 0; i < o->n_operands; i++) {
    ValueId v = op_operand(p, op, i);
    uint32_t number = value_number(numbering, v);
    h = hash_mix(h, number ? number : type_hash(p->context, value_type(p, v)));
  }
  for (uint32_t i = 0; i < o->n_results; i++) {
    number_value(numbering, o->results + i);
    h = hash_mix(h, type_hash(p->context, value_type(p, o->results + i)));
  }
  for (uint32_t r = 0; r < o->n_regions; r++)
    for (BlockId b = region_at(p, o->regions + r)->first; b; b = block_at(p, b)->next) {
      const Block *block = block_at(p, b);
      h = hash_mix(h, block->n_args);
      for (uint32_t i = 0; i < block->n_args; i++) {
        number_value(numbering, block->args + i);
        h = hash_mix(h, type_hash(p->context, value_type(p, block->args + i)));
      }
    }
  return h;
}

static uint32_t op_depth(const Program *p, OpId op, OpId root) {
  uint32_t depth = 0;
  while (op != root) op = op_parent(p, op), depth++;
  return depth;
}

// One pre-order walk; (depth, region index) at each block boundary encodes the nesting.
uint64_t op_hash(const Program *p, OpId root) {
  enum { FEW = 64 };
  uint32_t few[FEW];
  Numbering numbering = {0};
  find_range(p, root, &numbering);
  uint32_t n = numbering.end - numbering.first;
  numbering.number = n <= FEW ? few : mem_alloc(n * sizeof *few);
  if (!numbering.number) guard_throw(p->guard, status_no_memory());
  memset(numbering.number, 0, n * sizeof *few);
  uint64_t h = 0;
  BlockId block = 0;
  uint32_t depth = 0;
  for (OpId op = root; op; op = op_walk_next(p, op, root)) {
    if (op_at(p, op)->block != block) {  // block boundaries are part of the structure
      block = op_at(p, op)->block;
      depth = op_depth(p, op, root);
      const Block *b = block_at(p, block);
      uint32_t region = op == root ? 0 : b->region - op_at(p, region_at(p, b->region)->op)->regions;
      h = hash_mix(h, ((uint64_t)depth << 32) | region);
    }
    h = hash_mix(h, hash_op_shallow(p, op, &numbering));
  }
  if (numbering.number != few) mem_free(numbering.number);
  return h;
}

uint64_t program_hash(const Program *p) {
  uint64_t h = p->root ? op_hash(p, p->root) : 0;
  for (uint32_t i = 0; i < p->resources.count; i++) {
    const Resource *r = &p->resources.items[i];
    Str key = name_str(p->context, r->key);
    h = hash_mix(h, hash_mix(hash_bytes(key.s, key.n), hash_bytes(r->data, r->bytes)));
  }
  return h;
}

// ---- symbols ----

static Name symbol_name(const Program *p, OpId op) {
  return attr_as_name(p->context, op_attr(p, op, "sym_name"));
}

static bool symbol_equal(const void *owner, uint32_t id, const void *key) {
  return symbol_name(owner, id) == *(const Name *)key;
}

// Names are interned, so a name's id is its hash key.
void symbols_init(SymbolTable *table, const Program *p, OpId module, Guard *guard) {
  *table = (SymbolTable){.program = p};
  if (!module || !op_at(p, module)->n_regions) return;
  BlockId block = region_block(p, op_region(p, module, 0));
  if (!block) return;
  for (OpId op = block_at(p, block)->first; op; op = op_at(p, op)->next) {
    Name name = symbol_name(p, op);
    if (name && !symbols_find(table, name)) idmap_add(&table->map, guard, hash_mix(name, 1), op);
  }
}

void symbols_deinit(SymbolTable *table) { idmap_deinit(&table->map); }

void symbols_release(void *table) { symbols_deinit(table); }

OpId symbols_find(const SymbolTable *table, Name name) {
  return idmap_find(&table->map, hash_mix(name, 1), symbol_equal, table->program, &name);
}

void symbols_each(const SymbolTable *table, Attr attr, void (*named)(void *user, OpId op),
                  void *user) {
  AttrInfo info = *attr_info(table->program->context, attr);
  OpId op = info.kind == ATTR_SYMBOL ? symbols_find(table, info.name) : 0;
  if (op) named(user, op);
  bool has_fields = info.kind == ATTR_DICT || info.kind == ATTR_STRUCT;
  for (uint32_t i = 0; i < info.count && info.kind == ATTR_ARRAY; i++)
    symbols_each(table, info.items[i], named, user);
  for (uint32_t i = 0; i < info.count && has_fields; i++)
    symbols_each(table, info.fields[i].value, named, user);
}

bool symbol_is_private(const Program *p, OpId op) {
  Attr visibility = op_attr(p, op, "sym_visibility");
  return visibility &&
         str_is(name_str(p->context, attr_as_name(p->context, visibility)), "private");
}
