// A program: flat tables of ops, values, operands, blocks and regions, all named by 32-bit ids.
//
// The root op (id 1) is the module; functions, meshes and nested modules are ops in its block. The
// op table in ops/ gives op codes their meaning. Ids are stable until program_compact; erased
// entries stay as dead slots. Analysis results are arrays indexed by these ids, not fields here.
// (Decision D2: docs/decisions/d02-our-own-ir.md.)
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
  OperandId operands;  // first of consecutive ids
  ValueId results;     // first of consecutive ids
  RegionId regions;    // first of consecutive ids
  uint32_t n_regions;
  Attr attrs;     // one dict of inherent and discardable attributes; 0 = empty
  Name name;      // of an unregistered op: "foo.bar"; else 0
  BlockId block;  // 0 = detached
  OpId prev, next;
  Attr loc;     // as in the text; 0 = none
  Pos pos;      // of the op's name in the source, or POS_NONE
  OpId origin;  // the source program's op that this one is derived from; 0 = itself
} Op;

typedef struct Value {
  Type type;
  uint32_t def;         // OpId, or BlockId if is_arg
  uint32_t index : 31;  // result or argument number
  uint32_t is_arg : 1;
  OperandId first_use;
  Name name;  // as in the source, without '%'; 0 for results after the first of `%3:2`
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
  ValueId args;  // first of consecutive ids
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
  const Source *source;  // borrowed; NULL for programs built in memory
  Guard *guard;          // out-of-memory is thrown there
  HEAPVEC(Op) ops;       // [0] is unused in every table
  HEAPVEC(Value) values;
  HEAPVEC(Operand) operands;
  HEAPVEC(Block) blocks;
  HEAPVEC(Region) regions;
  HEAPVEC(Resource) resources;  // blobs of dense_resource
  OpId root;
  uint32_t n_dead;      // erased ops
  uint32_t trip_count;  // the user's trip count for loops of unknown length; 0 = not given
} Program;

// Creates a program without a root; the first op created becomes the root.
Program *program_new(Context *context, Guard *guard, const Source *source);
void program_free(Program *program);  // NULL is fine; does not free the context
void program_release(void *program);  // for a GuardCleanup
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
// The op whose region contains this op; 0 for the root.
static inline OpId op_parent(const Program *p, OpId op) {
  BlockId b = op_at(p, op)->block;
  return b ? region_at(p, block_at(p, b)->region)->op : 0;
}
// The defining op of a result, 0 for a block argument.
static inline OpId value_def(const Program *p, ValueId v) {
  return value_at(p, v)->is_arg ? 0 : value_at(p, v)->def;
}

// The defining op, or for a block argument the op that owns the region.
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
  Pos pos;  // POS_NONE if it has no position in the text
  OpId origin;
} OpSpec;

OpId op_create(Program *p, const OpSpec *spec);  // detached, regions empty
// An op with one operand v and one result of its type, detached, with location and origin of
// `from`.
OpId op_create_identity(Program *p, uint16_t code, ValueId v, Attr attrs, OpId from);
void op_append(Program *p, BlockId block, OpId op);       // at the end of the block
void op_prepend(Program *p, BlockId block, OpId op);      // at the start of the block
void op_insert_before(Program *p, OpId op, OpId before);  // op must be detached
void op_insert_after(Program *p, OpId op, OpId after);
// After the op that defines v, or at the start of the block if v is its argument.
void op_insert_after_value(Program *p, OpId op, ValueId v);
void op_detach(Program *p, OpId op);
// Detaches the op and marks it, its regions and its uses dead. Its results must have no uses.
// O(size).
void op_erase(Program *p, OpId op);
// Replaces all uses of the op's only result by the value and erases the op. O(uses + size).
void op_replace(Program *p, OpId op, ValueId value);
// Replaces the uses of an op's only result by its first operand and erases the op. O(uses + size).
void op_replace_by_operand(Program *p, OpId op);
BlockId region_add_block(Program *p, RegionId region);
// Appends an argument. The ids of a block's arguments are consecutive: if other values were created
// in between, all arguments of the block move to new ids. O(args).
ValueId block_add_arg(Program *p, BlockId block, Type type, Name name);
void operand_set(Program *p, OperandId operand, ValueId value);
void value_replace_uses(Program *p, ValueId from, ValueId to);  // O(uses)
// Replaces all uses except those by one op. O(uses).
void value_replace_uses_except(Program *p, ValueId from, ValueId to, OpId except);
bool value_has_uses(const Program *p, ValueId v);
uint32_t value_count_uses(const Program *p, ValueId v);               // O(uses)
void op_set_attr(Program *p, OpId op, const char *name, Attr value);  // 0 removes

// ---- larger steps ----

// Maps ids of one program (or of a cloned part) to another; 0 maps to 0.
typedef struct Remap {
  uint32_t *ops, *values, *blocks, *regions;  // in the arena given; 0 = gone
  uint32_t n_ops, n_values, n_blocks, n_regions;
} Remap;

// Copies op with its regions, detached. values[old] is the replacement of a value defined outside
// (0 = itself); it is extended with the values defined inside. It must have p->values.count items.
OpId op_clone(Program *p, OpId op, ValueId *values, uint32_t n_values);
// A copy of the program in the same context, without dead entries, numbered in program order. The
// Remap maps p's ids to the copy's. The caller frees the copy. clone.h keeps ids. O(program).
Program *program_copy(Program *p, Arena *arena, Remap *out);
// Drops dead entries and renumbers in program order; update side tables with remap_table.
// O(program).
void program_compact(Program *p, Arena *arena, Remap *out);
// new_table[remap[i]] = old_table[i] for all live i; items have item_bytes.
void remap_table(const uint32_t *remap, uint32_t n_old, const void *old_table, void *new_table,
                 size_t item_bytes);

// Moves the ops first … last (consecutive in one block) into a new function made by `function`,
// whose region 0 gets one block, appended to module_block. `terminator` (a code without results)
// ends it; a call made by `call` replaces the ops. Values from outside that they use become
// arguments; results used outside become results. Returns the call. O(ops moved + uses).
OpId program_outline(Program *p, OpId first, OpId last, BlockId module_block,
                     const OpSpec *function, const OpSpec *terminator, const OpSpec *call);
// Replaces the call by a copy of the callee's single block: arguments by operands, results by the
// terminator's operands. The callee stays. O(callee).
void program_inline(Program *p, OpId call, OpId callee);

// Structural hash: codes, names of unregistered ops, attributes, types, operands by position;
// without SSA names, locations or dead slots. Equal programs have equal hashes, also across
// contexts. O(program).
uint64_t program_hash(const Program *p);
// The same for one op with its regions; values from outside are hashed by type only.
uint64_t op_hash(const Program *p, OpId op);

// Walks op and everything inside it, pre-order, in program order, without recursion:
//   for (OpId o = root; o; o = op_walk_next(p, o, root)) …
OpId op_walk_next(const Program *p, OpId op, OpId root);
// The next op of the walk after everything inside op.
OpId op_walk_over(const Program *p, OpId op, OpId root);

// Checks the tables' consistency (links, use lists, parents); returns NULL or the first violation.
// For tests and after passes. O(program).
const char *program_check(const Program *p);

// ---- symbols ----

typedef struct SymbolTable {
  IdMap map;
  const Program *program;
} SymbolTable;

// Indexes the ops in the module's block that have a sym_name; the first of a duplicate name wins.
void symbols_init(SymbolTable *table, const Program *p, OpId module, Guard *guard);
void symbols_deinit(SymbolTable *table);
void symbols_release(void *table);                       // for a GuardCleanup
OpId symbols_find(const SymbolTable *table, Name name);  // 0 if absent
// Calls `named` for each op of the table that the attribute refers to, at any depth. O(attribute).
void symbols_each(const SymbolTable *table, Attr attr, void (*named)(void *user, OpId op),
                  void *user);
// Whether the op is private: only ops of its module may refer to it.
bool symbol_is_private(const Program *p, OpId op);

#endif
