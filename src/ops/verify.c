// The verifier: one walk in program order, outer ops before inner ones. Per op it checks the counts
// of the op's row, attributes, regions and terminators, and that every operand's definition
// dominates it; then it runs the op's `infer` and compares with the declared result types. Symbols
// are indexed before the walk; after it, the call graph is searched for cycles. Errors are
// collected until the diag is full. O(program + nesting of uses).
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "ops/infer.h"
#include "tensor/literal.h"
#include "ops/verify_sharding.h"
#include "ops/quant.h"

typedef struct Verify {
  Program *p;
  Context *context;
  Diag *diag;
  SymbolTable symbols;
  ShardingVerify shardings;
  Name sharding;     // "sdy.sharding"
  Name rule;         // "sdy.sharding_rule"
  uint8_t *defined;  // per value: its definition has been visited
  uint8_t *colour;   // per op: of functions while looking for cycles
  Type *out;         // result types, grown on need
  uint32_t out_capacity;
} Verify;

static void verify_deinit(void *object) {
  Verify *v = object;
  symbols_deinit(&v->symbols);
  sharding_verify_deinit(&v->shardings);
  mem_free(v->defined);
  mem_free(v->colour);
  mem_free(v->out);
}

PRINTF_LIKE(3, 4)
static bool fail(Verify *v, OpId op, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  char message[1024];
  vsnprintf(message, sizeof message, fmt, args);
  va_end(args);
  return diag_error(v->diag, op_at(v->p, op)->pos, "'%s' op %s", op_name(v->p, op), message);
}

// ---- attributes ----

static const char *const shape_words[] = {
    [AS_END] = "",
    [AS_ANY] = "any attribute",
    [AS_UNIT] = "a unit attribute",
    [AS_BOOL] = "a boolean",
    [AS_I32] = "a 32-bit integer",
    [AS_I64] = "a 64-bit integer",
    [AS_U32] = "a ui32 integer",
    [AS_U64] = "a ui64 integer",
    [AS_INT] = "an integer",
    [AS_FLOAT] = "a float",
    [AS_STRING] = "a string",
    [AS_SYMBOL] = "a symbol reference like @f",
    [AS_TYPE] = "a type",
    [AS_I64S] = "an array of 64-bit integers like array<i64: 1, 2>",
    [AS_BOOLS] = "an array of booleans like array<i1: true>",
    [AS_ARRAY] = "an array",
    [AS_DICT] = "a dictionary",
    [AS_DENSE] = "a constant like dense<0> : tensor<2xi64>",
    [AS_ENUM] = "an enum",
    [AS_STRUCT] = "a struct",
    [AS_CONFIG] = "a string or a dictionary",
    [AS_GROUPS] = "replica groups like dense<[[0, 1]]> : tensor<1x2xi64>",
    [AS_ENUMS] = "an array of enums",
};

static bool class_is(const Context *context, const AttrInfo *info, AttrKind kind, const char *cls) {
  return info->kind == kind && (!cls || str_is(name_str(context, info->cls), cls));
}

// Has the attribute the kind that the op's row requires?
static bool attr_fits(const Context *context, const AttrSpec *spec, Attr attr) {
  const AttrInfo *info = attr_info(context, attr);
  switch (spec->shape) {
  case AS_END:
  case AS_ANY: return true;
  case AS_UNIT: return info->kind == ATTR_UNIT;
  case AS_BOOL: return info->kind == ATTR_BOOL;
  case AS_I32: return info->kind == ATTR_INT && info->type == DT_i32;
  case AS_I64: return info->kind == ATTR_INT && info->type == DT_i64;
  case AS_U32: return info->kind == ATTR_INT && info->type == DT_ui32;
  case AS_U64: return info->kind == ATTR_INT;
  case AS_INT: return info->kind == ATTR_INT;
  case AS_FLOAT: return info->kind == ATTR_FLOAT;
  case AS_STRING: return info->kind == ATTR_STRING;
  case AS_SYMBOL: return info->kind == ATTR_SYMBOL;
  case AS_TYPE: return info->kind == ATTR_TYPE;
  case AS_I64S: return info->kind == ATTR_DENSE_ARRAY && info->type == DT_i64;
  case AS_BOOLS: return info->kind == ATTR_DENSE_ARRAY && info->type == DT_i1;
  case AS_ARRAY: return info->kind == ATTR_ARRAY;
  case AS_DICT: return info->kind == ATTR_DICT || !attr;
  case AS_CONFIG: return info->kind == ATTR_STRING || info->kind == ATTR_DICT;
  case AS_GROUPS:
    return info->kind == ATTR_DENSE || class_is(context, info, ATTR_STRUCT, spec->cls);
  case AS_DENSE: return info->kind == ATTR_DENSE || info->kind == ATTR_RESOURCE;
  case AS_ENUM: return class_is(context, info, ATTR_ENUM, spec->cls);
  case AS_STRUCT: return class_is(context, info, ATTR_STRUCT, spec->cls);
  case AS_ENUMS:
    if (info->kind != ATTR_ARRAY) return false;
    for (uint32_t i = 0; i < info->count; i++)
      if (!class_is(context, attr_info(context, info->items[i]), ATTR_ENUM, spec->cls))
        return false;
    return true;
  }
  return true;
}

static bool verify_attrs(Verify *v, OpId op) {
  Attr attrs = op_at(v->p, op)->attrs;
  for (const AttrSpec *spec = op_row(op_at(v->p, op)->code)->attrs; spec && spec->shape != AS_END;
       spec++) {
    Attr attr = attr_get(v->context, attrs, spec->name);
    if (!attr) {
      if (spec->need == NEED_REQUIRED)
        return fail(v, op, "requires attribute '%s' (%s)", spec->name, shape_words[spec->shape]);
      continue;
    }
    if (attr_fits(v->context, spec, attr)) continue;
    return spec->cls
               ? fail(v, op, "attribute '%s' must be %s of class #%s", spec->name,
                      shape_words[spec->shape], spec->cls)
               : fail(v, op, "attribute '%s' must be %s", spec->name, shape_words[spec->shape]);
  }
  return true;
}

// ---- structure ----

static bool verify_count(Verify *v, OpId op, const char *what, int expected, uint32_t got) {
  if (expected < 0 || (uint32_t)expected == got) return true;
  return fail(v, op, "expected %d %s%s, but found %" PRIu32, expected, what,
              expected == 1 ? "" : "s", got);
}

static bool verify_types(Verify *v, OpId op, const char *what, ValueId first, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    const TypeInfo *info = type_info(v->context, value_type(v->p, first + i));
    if (info->rank > MAX_RANK)
      return fail(v, op, "%s %" PRIu32 " has %" PRIu32 " dimensions; at most %d are supported",
                  what, i, info->rank, MAX_RANK);
  }
  return true;
}

static bool is_terminator(const Program *p, OpId op) {
  return op_row(op_at(p, op)->code)->traits & TRAIT_TERMINATOR;
}

// A terminator is the last op of its block, and only ops with TRAIT_NO_TERMINATOR may lack one.
static bool verify_block(Verify *v, OpId op, uint32_t region, BlockId b) {
  const Block *block = block_at(v->p, b);
  uint32_t traits = op_row(op_at(v->p, op)->code)->traits;
  for (OpId inner = block->first; inner; inner = op_at(v->p, inner)->next)
    if (is_terminator(v->p, inner) && inner != block->last)
      return fail(v, inner, "must be the last op in its block");
  if (!(traits & TRAIT_NO_TERMINATOR) && (!block->last || !is_terminator(v->p, block->last)) &&
      op_at(v->p, block->last ? block->last : op)->code != OP_UNREGISTERED)
    return fail(v, op, "region #%" PRIu32 " does not end with a return", region);
  return verify_types(v, op, "block argument", block->args, block->n_args);
}

static bool verify_regions(Verify *v, OpId op) {
  const Op *o = op_at(v->p, op);
  const OpRow *row = op_row(o->code);
  for (uint32_t r = 0; r < o->n_regions; r++) {
    const Region *region = region_at(v->p, o->regions + r);
    // Declarations have no block; ops of other dialects are unknown.
    if (!region->first && !(row->traits & TRAIT_FUNCTION) && o->code != OP_UNREGISTERED)
      return fail(v, op, "region #%" PRIu32 " is empty, expected one block", r);
    if (region->first != region->last)
      return fail(v, op, "region #%" PRIu32 " has several blocks, expected one", r);
    if (region->first && !verify_block(v, op, r, region->first)) return false;
  }
  return true;
}

// func.return ends functions, the other terminators end regions of their dialect's ops. MLIR allows
// stablehlo.return at the end of a function too, and JAX emits comparators like that.
static bool verify_terminator(Verify *v, OpId op) {
  OpId parent = op_parent(v->p, op);
  if (!parent || op_at(v->p, parent)->code == OP_UNREGISTERED) return true;
  bool ends_function = op_at(v->p, op)->code == OP_func_return;
  bool in_function = op_row(op_at(v->p, parent)->code)->traits & TRAIT_FUNCTION;
  if (ends_function == in_function || (in_function && op_at(v->p, op)->code == OP_return))
    return true;
  return fail(v, op, "cannot end a '%s'; expected '%s'", op_name(v->p, parent),
              in_function ? "func.return" : "stablehlo.return");
}

// Is the op where symbols are found? Functions may be in another dialect's op that acts as module.
static bool is_in_module(const Verify *v, OpId op) {
  OpId parent = op_parent(v->p, op);
  if (op == v->p->root || !parent) return true;
  uint16_t code = op_at(v->p, parent)->code;
  bool function = op_row(op_at(v->p, op)->code)->traits & TRAIT_FUNCTION;
  return code == OP_module || (function && code == OP_UNREGISTERED);
}

// Everything that the op's row states: position, counts, regions, attributes.
static bool verify_structure(Verify *v, OpId op) {
  const Op *o = op_at(v->p, op);
  const OpRow *row = op_row(o->code);
  if ((row->traits & TRAIT_SYMBOL) && !is_in_module(v, op))
    return fail(v, op, "must be at the top level of a module");
  if ((row->traits & TRAIT_TERMINATOR) && !verify_terminator(v, op)) return false;
  return verify_count(v, op, "operand", row->operands, o->n_operands) &&
         verify_count(v, op, "result", row->results, o->n_results) &&
         verify_count(v, op, "region", row->regions, o->n_regions) && verify_regions(v, op) &&
         verify_types(v, op, "result", o->results, o->n_results) && verify_attrs(v, op);
}

// ---- dominance ----

static const char *value_label(const Verify *v, ValueId value) {
  const char *name = name_text(v->context, value_at(v->p, value)->name);
  return *name ? name : "<unnamed>";
}

// The definition dominates the use if it was visited and its block is, or encloses, the user's,
// with no isolated op between. An op's results cannot be used inside its own regions.
static bool verify_use(Verify *v, OpId user, uint32_t i) {
  ValueId value = op_operand(v->p, user, i);
  const Value *def = value_at(v->p, value);
  BlockId home = def->is_arg ? def->def : op_at(v->p, def->def)->block;
  OpId at = user;
  while (at && op_at(v->p, at)->block != home) {
    at = op_parent(v->p, at);
    if (at && op_row(op_at(v->p, at)->code)->traits & TRAIT_ISOLATED)
      return fail(v, user, "uses %%%s, which is defined outside of the '%s' that holds it",
                  value_label(v, value), op_name(v->p, at));
  }
  if (!at || !v->defined[value] || (!def->is_arg && at == def->def))
    return fail(v, user, "operand %" PRIu32 " uses %%%s before it is defined", i,
                value_label(v, value));
  return true;
}

static bool verify_uses(Verify *v, OpId op) {
  for (uint32_t i = 0; i < op_at(v->p, op)->n_operands; i++) {
    const Value *def = value_at(v->p, op_operand(v->p, op, i));
    // Fast path: defined earlier in the same block.
    if (v->defined[op_operand(v->p, op, i)] && !def->is_arg &&
        op_at(v->p, def->def)->block == op_at(v->p, op)->block && def->def != op)
      continue;
    if (!verify_use(v, op, i)) return false;
  }
  return true;
}

static void mark_defined(Verify *v, OpId op) {
  const Op *o = op_at(v->p, op);
  for (uint32_t i = 0; i < o->n_results; i++) v->defined[o->results + i] = 1;
  for (uint32_t r = 0; r < o->n_regions; r++)
    for (BlockId b = region_at(v->p, o->regions + r)->first; b; b = block_at(v->p, b)->next)
      for (uint32_t i = 0; i < block_at(v->p, b)->n_args; i++)
        v->defined[block_arg(v->p, b, i)] = 1;
}

// ---- functions, calls, symbols ----

static bool lists_equal(Verify *v, OpId op, const char *what, uint32_t n, const Type *expected,
                        uint32_t n_got, ValueId (*value)(const Program *, OpId, uint32_t),
                        OpId of) {
  if (n != n_got) return fail(v, op, "has %" PRIu32 " %ss, expected %" PRIu32, n_got, what, n);
  for (uint32_t i = 0; i < n; i++) {
    Type got = value_type(v->p, value(v->p, of, i));
    if (got != expected[i])
      return fail(v, op, "%s %" PRIu32 " has type %s, expected %s", what, i,
                  type_text(v->context, got), type_text(v->context, expected[i]));
  }
  return true;
}

static ValueId entry_arg(const Program *p, OpId op, uint32_t i) {
  return block_arg(p, region_block(p, op_region(p, op, 0)), i);
}

static bool verify_function(Verify *v, OpId op) {
  const TypeInfo *type =
      type_info(v->context, attr_info(v->context, op_attr(v->p, op, "function_type"))->type);
  if (type->kind != TYPE_FUNCTION)
    return fail(v, op, "attribute 'function_type' must be a function type");
  BlockId entry = region_block(v->p, op_region(v->p, op, 0));
  if (!entry) return true;
  if (!lists_equal(v, op, "argument", type->n_inputs, type->items, block_at(v->p, entry)->n_args,
                   entry_arg, op))
    return false;
  OpId ret = block_at(v->p, entry)->last;
  // A type without items has no array to point into.
  const Type *results = type->n_items ? type->items + type->n_inputs : NULL;
  return lists_equal(v, ret, "operand", type->n_items - type->n_inputs, results,
                     op_at(v->p, ret)->n_operands, op_operand, ret);
}

static bool verify_call(Verify *v, OpId op) {
  Name name = attr_as_name(v->context, op_attr(v->p, op, "callee"));
  OpId callee = symbols_find(&v->symbols, name);
  if (!callee || !(op_row(op_at(v->p, callee)->code)->traits & TRAIT_FUNCTION))
    return fail(v, op, "calls @%s, which is not a function of this module",
                name_text(v->context, name));
  const TypeInfo *type =
      type_info(v->context, attr_info(v->context, op_attr(v->p, callee, "function_type"))->type);
  if (type->kind != TYPE_FUNCTION) return true;  // reported at the function
  return lists_equal(v, op, "operand", type->n_inputs, type->items, op_at(v->p, op)->n_operands,
                     op_operand, op) &&
         lists_equal(v, op, "result", type->n_items - type->n_inputs, type->items + type->n_inputs,
                     op_at(v->p, op)->n_results, op_result, op);
}

// Every other symbol that an op names must exist. For a composite, its own infer checks that.
static bool verify_symbols(Verify *v, OpId op) {
  if (op_at(v->p, op)->code == OP_composite) return true;
  for (const AttrSpec *spec = op_row(op_at(v->p, op)->code)->attrs; spec && spec->shape != AS_END;
       spec++) {
    if (spec->shape != AS_SYMBOL) continue;
    Name name = attr_as_name(v->context, op_attr(v->p, op, spec->name));
    if (name && !symbols_find(&v->symbols, name))
      return fail(v, op, "attribute '%s' names @%s, which is not in this module", spec->name,
                  name_text(v->context, name));
  }
  return true;
}

static bool verify_unique_symbol(Verify *v, OpId op) {
  Name name = attr_as_name(v->context, op_attr(v->p, op, "sym_name"));
  if (!name || op_parent(v->p, op) != v->p->root) return true;
  OpId first = symbols_find(&v->symbols, name);
  if (!first || first == op) return true;
  fail(v, op, "redefines the symbol @%s", name_text(v->context, name));
  diag_note(v->diag, op_at(v->p, first)->pos, "@%s is first defined here",
            name_text(v->context, name));
  return false;
}

// ---- results ----

static bool has_ranked_results(uint16_t code) {
  return code != OP_custom_call && code != OP_composite &&
         strncmp(op_row(code)->name, "stablehlo.", 10) == 0;
}

static bool verify_results(Verify *v, OpId op) {
  const Op *o = op_at(v->p, op);
  const OpDef *def = op_row(o->code)->def;
  if (!def || !def->infer) return true;
  if (o->n_results > v->out_capacity)
    v->out = vec_grow_heap(v->p->guard, v->out, &v->out_capacity, o->n_results, sizeof *v->out);
  if (o->n_results) memset(v->out, 0, o->n_results * sizeof *v->out);
  Infer cx = {.program = v->p, .context = v->context, .op = op, .diag = v->diag, .out = v->out};
  if (!def->infer(&cx)) return false;
  o = op_at(v->p, op);
  for (uint32_t i = 0; i < o->n_results; i++) {
    Type declared = value_type(v->p, o->results + i);
    // StableHLO has no unranked tensors; only ops that forward other ops' values may have them.
    if (type_info(v->context, declared)->kind == TYPE_UNRANKED && has_ranked_results(o->code))
      return fail(v, op, "result %" PRIu32 " has type %s, expected a ranked tensor", i,
                  type_text(v->context, declared));
    if (declared == v->out[i] || infer_types_compatible(&cx, v->out[i], declared)) continue;
    return fail(v, op, "result %" PRIu32 " has type %s, expected %s as its operands determine", i,
                type_text(v->context, declared), type_text(v->context, v->out[i]));
  }
  return true;
}

// Runs after the op's own constraints, whose messages are more specific.
static bool verify_quantized(Verify *v, OpId op) {
  const Op *o = op_at(v->p, op);
  for (uint32_t i = 0; i < o->n_results; i++) {
    const char *wrong = quant_check(v->context, value_type(v->p, o->results + i));
    if (wrong) return fail(v, op, "result %" PRIu32 " has an invalid quantized type: %s", i, wrong);
  }
  for (uint32_t r = 0; r < o->n_regions; r++)
    for (BlockId b = region_block(v->p, op_region(v->p, op, r)); b; b = block_at(v->p, b)->next)
      for (uint32_t i = 0; i < block_at(v->p, b)->n_args; i++) {
        const char *wrong = quant_check(v->context, value_type(v->p, block_arg(v->p, b, i)));
        if (wrong)
          return fail(v, op, "block argument %" PRIu32 " has an invalid quantized type: %s", i,
                      wrong);
      }
  return true;
}

// Fast path: most ops have no sharding.
static bool may_be_sharded(const Verify *v, const Op *o) {
  if (!o->attrs) return false;
  const OpRow *row = op_row(o->code);
  if (row->traits & TRAIT_FUNCTION || strncmp(row->name, "sdy.", 4) == 0) return true;
  const AttrInfo *dict = attr_info(v->context, o->attrs);
  for (uint32_t i = 0; i < dict->count; i++)
    if (dict->fields[i].name == v->sharding || dict->fields[i].name == v->rule) return true;
  return false;
}

// Verifies one op; stops at its first error.
static bool verify_op(Verify *v, OpId op) {
  uint32_t traits = op_row(op_at(v->p, op)->code)->traits;
  if (!verify_structure(v, op) || !verify_uses(v, op)) return false;
  if ((traits & TRAIT_SYMBOL) && !verify_unique_symbol(v, op)) return false;
  if ((traits & TRAIT_FUNCTION) && !verify_function(v, op)) return false;
  if (may_be_sharded(v, op_at(v->p, op)) && !op_verify_shardings(&v->shardings, op)) return false;
  if (traits & TRAIT_CALL) {
    if (!verify_call(v, op)) return false;
  } else if (!verify_symbols(v, op)) {
    return false;
  }
  return verify_results(v, op) && verify_quantized(v, op);
}

// ---- recursion ----

enum { WHITE, GREY, BLACK };

// The function that an op runs by name, 0 if none.
static OpId callee_of(const Verify *v, OpId op) {
  for (const AttrSpec *spec = op_row(op_at(v->p, op)->code)->attrs; spec && spec->shape != AS_END;
       spec++) {
    if (spec->shape != AS_SYMBOL) continue;
    OpId callee =
        symbols_find(&v->symbols, attr_as_name(v->context, op_attr(v->p, op, spec->name)));
    if (callee && op_row(op_at(v->p, callee)->code)->traits & TRAIT_FUNCTION) return callee;
  }
  return 0;
}

typedef struct Visit {
  OpId function, at;  // at: the op inside the function to look at next
} Visit;

static void release_items(void *items) { mem_free(*(void **)items); }

// Depth-first search of the call graph with an explicit stack; a call to a function on the stack is
// a cycle.
static void find_recursion(Verify *v, OpId from) {
  HEAPVEC(Visit) stack = {0};
  GuardCleanup cleanup = {release_items, &stack.items, NULL};
  guard_push(v->p->guard, &cleanup);
  v->colour[from] = GREY;
  HEAPVEC_PUSH(v->p->guard, &stack, ((Visit){from, op_walk_next(v->p, from, from)}));
  while (stack.count && !diag_full(v->diag)) {
    Visit *top = &stack.items[stack.count - 1];
    OpId op = top->at, function = top->function;
    if (!op) {
      v->colour[function] = BLACK;
      stack.count--;
      continue;
    }
    top->at = op_walk_next(v->p, op, function);
    OpId callee = callee_of(v, op);
    if (!callee || v->colour[callee] == BLACK) continue;
    if (v->colour[callee] == GREY) {
      fail(v, op, "calls @%s recursively; StableHLO has no recursion",
           name_text(v->context, attr_as_name(v->context, op_attr(v->p, callee, "sym_name"))));
      continue;
    }
    v->colour[callee] = GREY;
    HEAPVEC_PUSH(v->p->guard, &stack, ((Visit){callee, op_walk_next(v->p, callee, callee)}));
  }
  guard_pop(v->p->guard, &cleanup);
  mem_free(stack.items);
}

static void *zeroed(Program *p, uint32_t n) {
  void *table = mem_alloc(n);
  if (!table) guard_throw(p->guard, status_no_memory());
  memset(table, 0, n);
  return table;
}

bool program_verify(Program *p, Diag *diag) {
  if (!p->root) return true;
  uint32_t before = diag->errors;
  Verify v = {.p = p, .context = p->context, .diag = diag, .shardings = {.p = p, .diag = diag}};
  GuardCleanup cleanup = {verify_deinit, &v, NULL};
  guard_push(p->guard, &cleanup);
  v.defined = zeroed(p, p->values.count);
  v.colour = zeroed(p, p->ops.count);
  v.sharding = name_of(p->context, "sdy.sharding");
  v.rule = name_of(p->context, "sdy.sharding_rule");
  symbols_init(&v.symbols, p, p->root, p->guard);
  uint32_t n = 0;
  for (OpId op = p->root; op && !diag_full(diag); op = op_walk_next(p, op, p->root)) {
    if (n++ % PROGRESS_EVERY == 0) guard_tell(p->guard, "verifying ops", n - 1, p->ops.count);
    verify_op(&v, op);
    mark_defined(&v, op);
  }
  for (OpId op = p->root; op && diag->errors == before; op = op_walk_next(p, op, p->root))
    if ((op_row(op_at(p, op)->code)->traits & TRAIT_FUNCTION) && v.colour[op] == WHITE)
      find_recursion(&v, op);
  guard_pop(p->guard, &cleanup);
  verify_deinit(&v);
  return diag->errors == before;
}
