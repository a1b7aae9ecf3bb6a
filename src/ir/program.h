// A program: flat tables of ops, values, operands, blocks and regions, all named by 32-bit ids.
//
// The root op (id 1) is the module; functions, meshes and nested modules are ops in its block. Op
// codes mean nothing here: the table in ops/ gives them meaning. Ids are stable until
// program_compact; erased entries stay as dead slots. Facts found about a program are arrays
// indexed by these ids, not fields here. (Decision D2: docs/decisions/d02-our-own-ir.md.)
#ifndef TESSERA_IR_PROGRAM_H
#define TESSERA_IR_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/idmap.h"
#include "base/vec.h"
#include "ir/context.h"

typedef uint32_t OpId;
typedef uint32_t ValueId;
typedef uint32_t OperandId;  // a slot in the operand table: one use of one value
typedef uint32_t BlockId;
typedef uint32_t RegionId;

typedef struct Op {
  uint16_t code;  // OpCode of ops/; 0 = dead
  uint16_t n_results;
  uint32_t n_operands;
  OperandId operands;  // first; they are consecutive
  ValueId results;     // first; they are consecutive
  RegionId regions;    // first; they are consecutive
  uint32_t n_regions;
  Attr attrs;     // one dict of inherent and other attributes; 0 = empty
  Name name;      // of an unregistered op: "foo.bar"; 0 otherwise
  BlockId block;  // 0 = detached
  OpId prev, next;
  Attr loc;     // as written in the text, 0 = none
  Pos pos;      // of the op's name in the source, or POS_NONE
  OpId origin;  // the op this one was derived from, 0 = itself (kept through clones and rewrites)
} Op;

typedef struct Value {
  Type type;
  uint32_t def;         // OpId, or BlockId if is_arg
  uint32_t index : 31;  // result or argument number
  uint32_t is_arg : 1;
  OperandId first_use;
  Name name;  // as in the source, without '%'; results after the first of a `%3:2` pack have 0
  Attr loc;   // block arguments only
} Value;

typedef struct Operand {
  ValueId value;
  OpId user;
  OperandId prev_use, next_use;
} Operand;

typedef struct Block {
  RegionId region;
  BlockId next;
  OpId first, last;
  ValueId args;  // first; consecutive
  uint32_t n_args;
} Block;

typedef struct Region {
  OpId op;
  BlockId first, last;  // 0 = empty region
} Region;

typedef struct Resource {
  Name key;
  const uint8_t *data;  // in the context's arena, without the alignment word
  size_t bytes;
  uint32_t alignment;
} Resource;

typedef struct Program {
  Context *context;      // borrowed
  const Source *source;  // borrowed; NULL for programs made in memory
  Guard *guard;          // where exhaustion goes
  HEAPVEC(Op) ops;       // [0] is unused in every table
  HEAPVEC(Value) values;
  HEAPVEC(Operand) operands;
  HEAPVEC(Block) blocks;
  HEAPVEC(Region) regions;
  HEAPVEC(Resource) resources;  // blobs of dense_resource
  OpId root;
  uint32_t n_dead;      // erased ops
  uint32_t trip_count;  // iterations that the user says of loops of unknown length; 0 = not said
} Program;

// An empty program has no root yet: the first op created becomes it.
Program *program_new(Context *context, Guard *guard, const Source *source);
void program_free(Program *program);  // NULL is fine; does not free the context
void program_release(void *program);  // the same, for a GuardCleanup
Guard *program_guard(Program *program,
                     Guard *guard);  // sets the context's too; gives the one before

static inline Op *op_at(const Program *p, OpId id) { return &p->ops.items[id]; }
static inline Value *value_at(const Program *p, ValueId id) { return &p->values.items[id]; }
static inline Operand *operand_at(const Program *p, OperandId id) { return &p->operands.items[id]; }
static inline Block *block_at(const Program *p, BlockId id) { return &p->blocks.items[id]; }
static inline Region *region_at(const Program *p, RegionId id) { return &p->regions.items[id]; }

static inline ValueId op_operand(const Program *p, OpId op, uint32_t i) {
  return operand_at(p, op_at(p, op)->operands + i)->value;
}
static inline ValueId op_result(const Program *p, OpId op, uint32_t i) {
  return op_at(p, op)->results + i;
}
static inline RegionId op_region(const Program *p, OpId op, uint32_t i) {
  return op_at(p, op)->regions + i;
}
static inline Type value_type(const Program *p, ValueId v) { return value_at(p, v)->type; }
static inline Type op_operand_type(const Program *p, OpId op, uint32_t i) {
  return value_type(p, op_operand(p, op, i));
}
static inline Type op_result_type(const Program *p, OpId op, uint32_t i) {
  return value_type(p, op_result(p, op, i));
}
static inline BlockId region_block(const Program *p, RegionId r) {
  return region_at(p, r)->first;
}  // entry; 0 if empty
static inline ValueId block_arg(const Program *p, BlockId b, uint32_t i) {
  return block_at(p, b)->args + i;
}
static inline Attr op_attr(const Program *p, OpId op, const char *name) {
  return attr_get(p->context, op_at(p, op)->attrs, name);
}
// The op whose region holds this op; 0 for the root.
static inline OpId op_parent(const Program *p, OpId op) {
  BlockId b = op_at(p, op)->block;
  return b ? region_at(p, block_at(p, b)->region)->op : 0;
}
// The defining op of a result, 0 for a block argument.
static inline OpId value_def(const Program *p, ValueId v) {
  return value_at(p, v)->is_arg ? 0 : value_at(p, v)->def;
}

// Its definition, or the op whose region's argument it is.
static inline OpId value_owner(const Program *p, ValueId v) {
  return value_at(p, v)->is_arg ? region_at(p, block_at(p, value_at(p, v)->def)->region)->op
                                : value_at(p, v)->def;
}

// ---- building and changing (edit.c) ----

typedef struct OpSpec {
  uint16_t code;
  Name name;  // unregistered ops
  uint32_t n_operands, n_results, n_regions;
  const ValueId *operands;
  const Type *result_types;  // 0 = not known yet
  Attr attrs;
  Attr loc;
  Pos pos;  // POS_NONE if there is no text behind it
  OpId origin;
} OpSpec;

OpId op_create(Program *p, const OpSpec *spec);  // detached, regions empty
// With one operand v and one result of its type, detached; location and origin are those of `from`.
OpId op_create_identity(Program *p, uint16_t code, ValueId v, Attr attrs, OpId from);
void op_append(Program *p, BlockId block, OpId op);       // at the block's end
void op_prepend(Program *p, BlockId block, OpId op);      // at its start
void op_insert_before(Program *p, OpId op, OpId before);  // op must be detached
void op_insert_after(Program *p, OpId op, OpId after);
// After the op that defines v, or at the start of the block whose argument v is.
void op_insert_after_value(Program *p, OpId op, ValueId v);
void op_detach(Program *p, OpId op);
// Detaches and marks dead the op, its regions and its uses. Its results must have no uses left.
// O(size).
void op_erase(Program *p, OpId op);
// All uses of the op's only result take the value instead; the op is erased. O(uses + size).
void op_replace(Program *p, OpId op, ValueId value);
// Erases an op with one result, whose uses take its first operand. O(uses + size).
void op_replace_by_operand(Program *p, OpId op);
BlockId region_add_block(Program *p, RegionId region);
// Appends an argument; arguments of one block must be added before any other values come between
// them, otherwise the block's arguments are moved to keep them consecutive (O(args), ids of the old
// ones change).
ValueId block_add_arg(Program *p, BlockId block, Type type, Name name);
void operand_set(Program *p, OperandId operand, ValueId value);
void value_replace_uses(Program *p, ValueId from, ValueId to);  // O(uses)
// All uses but those by one op. O(uses).
void value_replace_uses_except(Program *p, ValueId from, ValueId to, OpId except);
bool value_has_uses(const Program *p, ValueId v);
uint32_t value_count_uses(const Program *p, ValueId v);               // O(uses)
void op_set_attr(Program *p, OpId op, const char *name, Attr value);  // 0 removes
// Reserves consecutive value ids whose definition comes later (the reader's forward references
// never need it: StableHLO text defines before use except in graph regions, which we reject).

// ---- larger steps ----

// Maps ids of one program (or of the part cloned) to another; index 0 maps to 0.
typedef struct Remap {
  uint32_t *ops, *values, *blocks, *regions;  // in the arena given; 0 = gone
  uint32_t n_ops, n_values, n_blocks, n_regions;
} Remap;

// Copies op with its regions, detached. values[old] gives the replacement of values from outside (0
// = itself); it is extended with everything defined inside. values has room for p->values.count at
// call time.
OpId op_clone(Program *p, OpId op, ValueId *values, uint32_t n_values);
// The whole program again, in the same context, without dead entries and numbered in program order;
// the Remap goes from p's ids to the copy's. The caller frees it. clone.h keeps ids. O(program).
Program *program_copy(Program *p, Arena *arena, Remap *out);
// Drops dead entries and renumbers in program order; side tables follow with remap_table.
// O(program).
void program_compact(Program *p, Arena *arena, Remap *out);
// new_table[remap[i]] = old_table[i] for all live i; both tables hold items of item_bytes.
void remap_table(const uint32_t *remap, uint32_t n_old, const void *old_table, void *new_table,
                 size_t item_bytes);

// Moves the ops first … last (consecutive in one block) into a new function-like op made by spec
// (whose region 0 gets one block) appended to module_block, ends it with a terminator made by
// `terminator` (code, no results) and puts a call made by `call` in their place. Values used from
// outside become arguments, values used outside become results. Gives the call op. O(ops moved +
// uses).
OpId program_outline(Program *p, OpId first, OpId last, BlockId module_block,
                     const OpSpec *function, const OpSpec *terminator, const OpSpec *call);
// Replaces the call by a copy of the callee's single block (arguments by operands, results by the
// terminator's operands). The callee stays. O(callee).
void program_inline(Program *p, OpId call, OpId callee);

// Structural hash: codes, names of unregistered ops, attributes, types, operands by position; not
// SSA names, locations or dead slots. Equal programs hash equal, across contexts too. O(program).
uint64_t program_hash(const Program *p);
// Same for one op with all inside it; values from outside count by type only.
uint64_t op_hash(const Program *p, OpId op);

// Walks op and everything inside it, outer before inner, in program order, without recursion:
//   for (OpId o = root; o; o = op_walk_next(p, o, root)) …
OpId op_walk_next(const Program *p, OpId op, OpId root);
// The same but skips what is inside op.
OpId op_walk_over(const Program *p, OpId op, OpId root);

// Checks the tables against each other (links, use lists, parents); NULL or the first thing wrong.
// For tests and after passes; O(program).
const char *program_check(const Program *p);

// ---- symbols ----

typedef struct SymbolTable {
  IdMap map;
  const Program *program;
} SymbolTable;

// Indexes the ops in the module's block that have a sym_name; the first wins when a name repeats.
void symbols_init(SymbolTable *table, const Program *p, OpId module, Guard *guard);
void symbols_deinit(SymbolTable *table);
void symbols_release(void *table);                       // the same, for a GuardCleanup
OpId symbols_find(const SymbolTable *table, Name name);  // 0 if absent
// Calls `named` with each op of the table that the attribute names, at any depth. O(attribute).
void symbols_each(const SymbolTable *table, Attr attr, void (*named)(void *user, OpId op),
                  void *user);
// Only ops of its module may name it.
bool symbol_is_private(const Program *p, OpId op);

#endif
