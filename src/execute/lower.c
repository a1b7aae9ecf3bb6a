// Problem: turn a function with nested regions into lists of instructions.
// Idea: walk each block in order. Ops in fused loops become one kernel where the loop stands; a
// reshape becomes nothing (place.c gives it its operand's buffer); constants are computed once; a
// loop becomes copies of its operands to the carries, and an instruction with two lists, whose body
// ends with copies of the results to the carries. place.c removes most of these copies. An op
// without a kernel becomes an eval instruction.
// Invariant: instructions are in program order, so side effects are too. Cost: O(function).
#include <string.h>

#include "execute/exchange.h"
#include "execute/executable.h"
#include "execute/fuse.h"
#include "execute/scan.h"
#include "execute/views.h"
#include "ops/op.h"
#include "ops/work.h"

typedef struct Standing {
  FusedLoop loop;
  uint32_t next;  // 1 + the next loop that stands at the same op; 0: none
} Standing;

typedef struct Lowering {
  Executable *exe;
  Program *p;
  Arena *arena;
  bool *excluded;     // per op, for fuse_block: constant false
  uint32_t *loop_at;  // per op: 1 + the first fused loop that stands there; 0: none
  bool *fused;        // per op: a fused loop computes it
  bool *inside;       // per value: varies in the loop that is lowered
  VEC(Standing) loops;
  const ViewFold **folds;   // per op: its kernel, if that reads views of its operands
  bool *dropped;            // per op: a view that only such kernels read
  uint32_t *n_read_inside;  // per value: uses by such kernels
  bool *is_root;            // per value: such a kernel reads it
  bool collectives;         // the module has some
} Lowering;

static bool is_static_tensor(const Context *context, Type type) {
  return type_info(context, type)->kind == TYPE_TENSOR && type_is_static(context, type) &&
         !type_info(context, type)->encoding;
}

bool executable_is_constant(const Executable *exe, ValueId v) {
  const Program *p = exe->program;
  if (v >= p->values.count || value_at(p, v)->is_arg) return false;
  OpId op = value_at(p, v)->def;
  return op_at(p, op)->n_operands == 0 && op_at(p, op)->n_regions == 0 &&
         op_row(op_at(p, op)->code)->traits & TRAIT_CONSTANT;
}

static Status *refuse(const Lowering *x, OpId op, const char *why) {
  FAIL(UNIMPLEMENTED, "'%s' %s", op_name(x->p, op), why);
}

// ---- views ----

// Storage of the type is its bits, so that a bitcast is a view.
static bool is_packed(DType dtype) {
  return dtype_info(dtype)->width == 8 * dtype_info(dtype)->bytes;
}

// Result i of the op is the buffer of operand i.
static bool is_view(const Lowering *x, OpId o) {
  const Program *p = x->p;
  const Op *op = op_at(p, o);
  if (!op_keeps_buffer(p, o) || op->n_regions || op->n_results > op->n_operands) return false;
  for (uint32_t i = 0; i < op->n_results; i++) {
    DType from = type_dtype(p->context, op_operand_type(p, o, i)),
          to = type_dtype(p->context, op_result_type(p, o, i));
    if (from != to && !(is_packed(from) && is_packed(to))) return false;
    if (executable_value_bytes(x->exe, op_operand(p, o, i)) !=
        executable_value_bytes(x->exe, op_result(p, o, i)))
      return false;
  }
  return true;
}

// ---- lists ----

static void grow(Lowering *x, InstrList *list, uint32_t capacity) {
  if (capacity <= list->capacity) return;
  Instr *items = ARENA_ARRAY(x->arena, Instr, capacity);
  if (list->count) memcpy(items, list->items, list->count * sizeof *items);
  list->items = items;
  list->capacity = capacity;
}

// The pointer is valid until the next one is appended.
static Instr *append_instr(Lowering *x, InstrList *list, const Instr *instr) {
  if (list->count == list->capacity) grow(x, list, 2 * list->capacity + 2);
  list->items[list->count] = *instr;
  return &list->items[list->count++];
}

static Instr *append(Lowering *x, InstrList *list, Instr *parent, InstrKind kind, OpId op,
                     uint32_t n_in, uint32_t n_out) {
  return append_instr(x, list,
                      &(Instr){.kind = kind,
                               .op = op,
                               .n_in = n_in,
                               .n_out = n_out,
                               .in = ARENA_ARRAY(x->arena, ValueId, n_in + 1),
                               .out = ARENA_ARRAY(x->arena, ValueId, n_out + 1),
                               .parent = parent});
}

static void append_copy(Lowering *x, InstrList *list, Instr *parent, OpId op, ValueId from,
                        ValueId to) {
  Instr *copy = append(x, list, parent, INSTR_COPY, op, 1, 1);
  copy->in[0] = from;
  copy->out[0] = to;
}

// At most so many instructions: one per op, the copies before a loop, the fused loops, and the
// copies at the end with those that break cycles.
static void reserve(Lowering *x, InstrList *list, BlockId block, uint32_t n_loops) {
  size_t n = n_loops;
  for (OpId o = block_at(x->p, block)->first; o; o = op_at(x->p, o)->next)
    n += 1 + (op_at(x->p, o)->n_regions ? op_at(x->p, o)->n_operands : 0) +
         (op_at(x->p, o)->next ? 0 : 2 * (size_t)op_at(x->p, o)->n_operands);
  list->items = ARENA_ARRAY(x->arena, Instr, n + 2);
  list->capacity = (uint32_t)n + 2;
}

// The last n copies are one parallel assignment. place.c may need as many to break cycles.
static void set_tail(Lowering *x, InstrList *list, uint32_t n) {
  list->n_tail = n;
  grow(x, list, list->count + n);
}

static ValueId *operands_of(const Program *p, OpId o, ValueId *out) {
  for (uint32_t i = 0; i < op_at(p, o)->n_operands; i++) out[i] = op_operand(p, o, i);
  return out;
}

static Status *lower_block(Lowering *x, BlockId block, Instr *parent, InstrList *out);

// ---- control flow ----

static OpId terminator_of(const Program *p, BlockId block) { return block_at(p, block)->last; }

// The carry is the operand in every iteration.
static bool passes_through(const Program *p, BlockId body, uint32_t i) {
  return op_operand(p, terminator_of(p, body), i) == block_arg(p, body, i);
}

static ValueId root_of(const Lowering *x, ValueId v) {
  while (x->exe->alias[v]) v = x->exe->alias[v];
  return v;
}

// Worth its memory for as long as the loop runs.
static bool is_worth_keeping(const Lowering *x, const Instr *instr) {
  enum { FREE_BYTES = 1 << 16 };
  uint64_t in = FREE_BYTES, out = 0;
  for (uint32_t i = 0; i < instr->n_in; i++) in += executable_value_bytes(x->exe, instr->in[i]);
  for (uint32_t i = 0; i < instr->n_out; i++) out += executable_value_bytes(x->exe, instr->out[i]);
  return out <= in;
}

// Moves kernels of the body whose operands are from outside in front of the loop. Kernels have no
// effects and cannot fail, so that it does not matter if the loop runs no iteration.
static void hoist(Lowering *x, Instr *loop, Instr *parent, InstrList *list) {
  InstrList *body = &loop->lists[1];
  uint32_t kept = 0;
  for (uint32_t i = 0; i < loop->n_out; i++) x->inside[loop->carries[i]] = true;
  for (uint32_t i = 0; i < body->count; i++) {
    Instr *instr = &body->items[i];
    bool moves = instr->kind == INSTR_KERNEL && is_worth_keeping(x, instr);
    for (uint32_t k = 0; k < instr->n_in && moves; k++)
      moves = !x->inside[root_of(x, instr->in[k])];
    if (moves) {
      append_instr(x, list, instr)->parent = parent;
      continue;
    }
    for (uint32_t k = 0; k < instr->n_out; k++) x->inside[instr->out[k]] = true;
    body->items[kept++] = *instr;
  }
  body->count = kept;
}

static void list_carries(Lowering *x, OpId o, Instr *loop) {
  const Program *p = x->p;
  BlockId cond = region_block(p, op_region(p, o, 0)), body = region_block(p, op_region(p, o, 1));
  uint32_t n = op_at(p, o)->n_operands;
  loop->out = ARENA_ARRAY(x->arena, ValueId, n + 1);
  loop->carries = ARENA_ARRAY(x->arena, ValueId, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    x->exe->alias[block_arg(p, cond, i)] = block_arg(p, body, i);
    if (passes_through(p, body, i)) {
      x->exe->alias[block_arg(p, body, i)] = op_operand(p, o, i);
      x->exe->alias[op_result(p, o, i)] = op_operand(p, o, i);
      continue;
    }
    loop->carries[loop->n_out] = block_arg(p, body, i);
    loop->out[loop->n_out++] = op_result(p, o, i);
  }
}

static Status *lower_loop(Lowering *x, OpId o, Instr *parent, InstrList *list) {
  const Program *p = x->p;
  BlockId cond = region_block(p, op_region(p, o, 0)), body = region_block(p, op_region(p, o, 1));
  // Appended when it is complete: `list` may move before.
  Instr *loop = ARENA_NEW(x->arena, Instr);
  *loop = (Instr){.kind = INSTR_LOOP,
                  .op = o,
                  .n_in = 1,
                  .in = ARENA_ARRAY(x->arena, ValueId, 1),
                  .n_lists = 2,
                  .lists = ARENA_ARRAY(x->arena, InstrList, 2),
                  .parent = parent};
  list_carries(x, o, loop);
  loop->in[0] = op_operand(p, terminator_of(p, cond), 0);
  TRY(lower_block(x, cond, loop, &loop->lists[0]));
  TRY(lower_block(x, body, loop, &loop->lists[1]));
  hoist(x, loop, parent, list);
  ScanKernel scan;
  if (scan_make(x->exe, loop, &scan)) {
    Instr *instr = append(x, list, parent, INSTR_KERNEL, o, scan.n_in, loop->n_out);
    memcpy(instr->in, scan.in, scan.n_in * sizeof *instr->in);
    memcpy(instr->out, loop->out, loop->n_out * sizeof *instr->out);
    instr->kernel = arena_copy(x->arena, &scan.kernel, sizeof scan.kernel);
    return NULL;
  }
  for (uint32_t i = 0; i < loop->n_out; i++) {
    uint32_t index = value_at(p, loop->carries[i])->index;
    append_copy(x, list, parent, o, op_operand(p, o, index), loop->carries[i]);
    append_copy(x, &loop->lists[1], loop, o, op_operand(p, terminator_of(p, body), index),
                loop->carries[i]);
  }
  set_tail(x, &loop->lists[1], loop->n_out);
  append_instr(x, list, loop);
  return NULL;
}

static Status *lower_branch(Lowering *x, OpId o, Instr *parent, InstrList *list) {
  const Program *p = x->p;
  uint32_t n = op_at(p, o)->n_results;
  Instr *branch = ARENA_NEW(x->arena, Instr);
  *branch = (Instr){.kind = INSTR_BRANCH,
                    .op = o,
                    .n_in = 1,
                    .n_out = n,
                    .in = ARENA_ARRAY(x->arena, ValueId, 1),
                    .out = ARENA_ARRAY(x->arena, ValueId, n + 1),
                    .n_lists = op_at(p, o)->n_regions,
                    .lists = ARENA_ARRAY(x->arena, InstrList, op_at(p, o)->n_regions),
                    .parent = parent};
  branch->in[0] = op_operand(p, o, 0);
  for (uint32_t i = 0; i < n; i++) branch->out[i] = op_result(p, o, i);
  for (uint32_t r = 0; r < branch->n_lists; r++) {
    BlockId block = region_block(p, op_region(p, o, r));
    TRY(lower_block(x, block, branch, &branch->lists[r]));
    for (uint32_t i = 0; i < n; i++)
      append_copy(x, &branch->lists[r], branch, o, op_operand(p, terminator_of(p, block), i),
                  op_result(p, o, i));
    set_tail(x, &branch->lists[r], n);
  }
  append_instr(x, list, branch);
  return NULL;
}

static bool is_loop(const Program *p, OpId o) {
  return op_flow(p, o) == FLOW_LOOP && op_at(p, o)->n_regions == 2 &&
         region_block(p, op_region(p, o, 0)) && region_block(p, op_region(p, o, 1));
}

static bool is_branch(const Program *p, OpId o) {
  if (op_flow(p, o) != FLOW_BRANCH || op_at(p, o)->n_operands != 1) return false;
  for (uint32_t r = 0; r < op_at(p, o)->n_regions; r++)
    if (!region_block(p, op_region(p, o, r))) return false;
  return op_at(p, o)->n_regions > 0;
}

// ---- single ops ----

// Values from outside of the op that its regions use, each once.
static void add_captured(Lowering *x, OpId o, Instr *instr) {
  const Program *p = x->p;
  VEC(ValueId) captured = {0};
  for (OpId inner = op_walk_next(p, o, o); inner; inner = op_walk_next(p, inner, o))
    for (uint32_t i = 0; i < op_at(p, inner)->n_operands; i++) {
      ValueId v = op_operand(p, inner, i);
      const Value *value = value_at(p, v);
      OpId home = value->is_arg ? region_at(p, block_at(p, value->def)->region)->op : value->def;
      OpId at = home;
      while (at && at != o) at = op_parent(p, at);
      bool known = at == o && home != o;  // defined inside
      if (value->is_arg && home == o) known = true;
      for (uint32_t k = 0; k < captured.count && !known; k++) known = captured.items[k] == v;
      if (!known) VEC_PUSH(x->arena, &captured, v);
    }
  ValueId *in = ARENA_ARRAY(x->arena, ValueId, instr->n_in + captured.count + 1);
  for (uint32_t i = 0; i < instr->n_in; i++) in[i] = instr->in[i];
  for (uint32_t i = 0; i < captured.count; i++) in[instr->n_in + i] = captured.items[i];
  instr->in = in;
  instr->n_in += captured.count;
  instr->n_captured = captured.count;
}

static Status *check_collectives(const Lowering *x, OpId o) {
  const Program *p = x->p;
  const OpDef *def = op_row(op_at(p, o)->code)->def;
  if (x->collectives && (op_row(op_at(p, o)->code)->traits & TRAIT_CALL || (def && def->callee)))
    return refuse(x, o, "calls a function of a program with collectives");
  for (OpId inner = op_walk_next(p, o, o); inner; inner = op_walk_next(p, inner, o))
    if (op_traits(p, inner) & TRAIT_COLLECTIVE)
      return refuse(x, inner, "communicates inside a region that runs through eval");
  return NULL;
}

static Status *lower_single(Lowering *x, OpId o, Instr *parent, InstrList *list) {
  const Program *p = x->p;
  const Op *op = op_at(p, o);
  bool collective = op_traits(p, o) & TRAIT_COLLECTIVE;
  if (op_calls_host(p, o)) return refuse(x, o, "calls code of the host process");
  Kernel kernel = {0};
  KernelRequest request = {.program = x->p, .arena = x->arena, .op = o};
  KernelMaker maker = collective ? NULL : kernel_maker(op->code);
  const ViewFold *fold = x->folds[o];
  if (fold) kernel = fold->kernel;
  bool fast = fold || (maker && maker(&request, &kernel));
  if (!fast) TRY(check_collectives(x, o));
  Instr *instr = append(x, list, parent,
                        fast         ? INSTR_KERNEL
                        : collective ? INSTR_COLLECTIVE
                                     : INSTR_EVAL,
                        o, op->n_operands, op->n_results);
  operands_of(p, o, instr->in);
  for (uint32_t i = 0; fold && i < op->n_operands; i++)
    if (fold->views[i].root) instr->in[i] = fold->views[i].root;
  for (uint32_t i = 0; i < op->n_results; i++) instr->out[i] = op_result(p, o, i);
  if (collective) {
    instr->groups = ARENA_ARRAY(x->arena, struct Group *, x->exe->n_devices);
    // For the kernels of exchange_reduce.c, which need a row per member.
    size_t rows = exchange_scratch_bytes(x->exe->n_devices);
    if (rows > x->exe->scratch_bytes) x->exe->scratch_bytes = rows;
  }
  if (fast) instr->kernel = arena_copy(x->arena, &kernel, sizeof kernel);
  if (!fast && op->n_regions) add_captured(x, o, instr);
  return NULL;
}

static void lower_fused(Lowering *x, const FusedLoop *loop, Instr *parent, InstrList *list) {
  Instr *instr = append(x, list, parent, INSTR_KERNEL, loop->at, loop->n_in, loop->n_out);
  for (uint32_t i = 0; i < loop->n_in; i++) instr->in[i] = loop->in[i];
  for (uint32_t i = 0; i < loop->n_out; i++) instr->out[i] = loop->out[i];
  instr->kernel = arena_copy(x->arena, &loop->kernel, sizeof loop->kernel);
}

static Status *check_types(const Lowering *x, OpId o) {
  const Program *p = x->p;
  for (uint32_t i = 0; i < op_at(p, o)->n_operands; i++)
    if (!is_static_tensor(p->context, op_operand_type(p, o, i)))
      FAIL(UNIMPLEMENTED, "'%s' has an operand of type %s", op_name(p, o),
           type_text(p->context, op_operand_type(p, o, i)));
  for (uint32_t i = 0; i < op_at(p, o)->n_results; i++)
    if (!is_static_tensor(p->context, op_result_type(p, o, i)))
      FAIL(UNIMPLEMENTED, "'%s' has a result of type %s", op_name(p, o),
           type_text(p->context, op_result_type(p, o, i)));
  return NULL;
}

static bool is_unused(const Program *p, OpId o) {
  for (uint32_t i = 0; i < op_at(p, o)->n_results; i++)
    if (value_has_uses(p, op_result(p, o, i))) return false;
  return !op_has_effects(p, o) && !(op_traits(p, o) & TRAIT_COLLECTIVE);
}

static Status *lower_op(Lowering *x, OpId o, Instr *parent, InstrList *list) {
  const Program *p = x->p;
  if (x->fused[o] || x->dropped[o] || is_unused(p, o)) return NULL;
  if (is_view(x, o)) {
    for (uint32_t i = 0; i < op_at(p, o)->n_results; i++)
      x->exe->alias[op_result(p, o, i)] = op_operand(p, o, i);
    return NULL;
  }
  if (op_at(p, o)->n_results == 1 && executable_is_constant(x->exe, op_result(p, o, 0)))
    return NULL;
  if (is_loop(p, o)) return lower_loop(x, o, parent, list);
  if (is_branch(p, o)) return lower_branch(x, o, parent, list);
  return lower_single(x, o, parent, list);
}

static uint32_t find_loops(Lowering *x, BlockId block) {
  uint32_t n, first = x->loops.count;
  FusedLoop *loops;
  fuse_block(&(FuseRequest){.program = x->p, .arena = x->arena, .excluded = x->excluded}, block, &n,
             &loops);
  for (uint32_t i = 0; i < n; i++) {
    VEC_PUSH(x->arena, &x->loops, ((Standing){.loop = loops[i]}));
    for (uint32_t k = 0; k < loops[i].n_ops; k++) x->fused[loops[i].ops[k]] = true;
  }
  // The last one first, so that the lists are in order.
  for (uint32_t i = n; i-- > 0;) {
    x->loops.items[first + i].next = x->loop_at[loops[i].at];
    x->loop_at[loops[i].at] = first + i + 1;
  }
  return n;
}

static void lower_loops_at(Lowering *x, OpId o, Instr *parent, InstrList *list) {
  for (uint32_t l = x->loop_at[o]; l; l = x->loops.items[l - 1].next)
    lower_fused(x, &x->loops.items[l - 1].loop, parent, list);
}

static Status *lower_block(Lowering *x, BlockId block, Instr *parent, InstrList *out) {
  const Program *p = x->p;
  uint32_t depth = 1;
  for (const Instr *at = parent; at; at = at->parent) depth++;
  if (depth > x->exe->depth) x->exe->depth = depth;
  reserve(x, out, block, find_loops(x, block));
  views_fold(&(ViewRequest){.program = x->p,
                            .arena = x->arena,
                            .fused = x->fused,
                            .folds = x->folds,
                            .dropped = x->dropped,
                            .n_read_inside = x->n_read_inside,
                            .is_root = x->is_root},
             block);
  for (OpId o = block_at(p, block)->first; o; o = op_at(p, o)->next) {
    TRY(check_types(x, o));
    lower_loops_at(x, o, parent, out);
    if (!(op_row(op_at(p, o)->code)->traits & TRAIT_TERMINATOR)) TRY(lower_op(x, o, parent, out));
  }
  return NULL;
}

Status *lower_function(Executable *exe) {
  Program *p = exe->program;
  Lowering x = {.exe = exe,
                .p = p,
                .arena = &exe->arena,
                .excluded = ARENA_ARRAY(&exe->arena, bool, p->ops.count + 1),
                .loop_at = ARENA_ARRAY(&exe->arena, uint32_t, p->ops.count + 1),
                .fused = ARENA_ARRAY(&exe->arena, bool, p->ops.count + 1),
                .inside = ARENA_ARRAY(&exe->arena, bool, p->values.count + 1),
                .folds = ARENA_ARRAY(&exe->arena, const ViewFold *, p->ops.count + 1),
                .dropped = ARENA_ARRAY(&exe->arena, bool, p->ops.count + 1),
                .n_read_inside = ARENA_ARRAY(&exe->arena, uint32_t, p->values.count + 1),
                .is_root = ARENA_ARRAY(&exe->arena, bool, p->values.count + 1)};
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root))
    x.collectives |= (op_traits(p, o) & TRAIT_COLLECTIVE) != 0;
  exe->alias = ARENA_ARRAY(&exe->arena, ValueId, p->values.count + 1);
  BlockId block = region_block(p, op_region(p, exe->function, 0));
  if (!block) FAIL(UNIMPLEMENTED, "the function has no body");
  exe->n_args = block_at(p, block)->n_args;
  exe->arguments = ARENA_ARRAY(&exe->arena, ValueId, exe->n_args + 1);
  for (uint32_t i = 0; i < exe->n_args; i++) {
    exe->arguments[i] = block_arg(p, block, i);
    if (!is_static_tensor(p->context, value_type(p, exe->arguments[i])))
      FAIL(UNIMPLEMENTED, "argument %u has type %s", i,
           type_text(p->context, value_type(p, exe->arguments[i])));
  }
  TRY(lower_block(&x, block, NULL, &exe->main));
  OpId end = terminator_of(p, block);
  exe->n_out = op_at(p, end)->n_operands;
  exe->results = (ValueId)p->values.count;
  exe->n_values = exe->results + exe->n_out;
  for (uint32_t i = 0; i < exe->n_out; i++)
    append_copy(&x, &exe->main, NULL, end, op_operand(p, end, i), exe->results + i);
  set_tail(&x, &exe->main, exe->n_out);
  return NULL;
}
