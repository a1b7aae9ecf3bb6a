// Problem: many small collectives pay one latency each.
//
// Idea: combine them. A collective may stand anywhere in its window: behind the op that defines its
// last operand, before the first use of its result, on one side of each optimization_barrier.
// Collectives of one kind (code, groups, reducer, type) whose windows overlap become one collective
// of several operands; no other op moves. An all_gather never moves up, since its result is larger
// than its operand and would live longer: its window begins where it stands.
//
// Greedy interval covering per kind: take the windows by their end; when one ends, combine all
// windows that have begun so far, earliest first, into buckets of at most `bucket_bytes`. Each
// bucket stands right behind the last of its operands, so that the most work is left to overlap
// with it.
//
//   window a  [------)
//   window b     [--------)         a ends first: {a, b} is one bucket
//   window c            [-----)     c is the next one
//
// Invariant: dependences and the order of collectives are the same on all devices. Sums of 16-bit
// floats in f32 join sums of f32: operands may have different types, results may not. Cost: O(n log
// n) in the collectives of a block, O(ops + uses) for the windows.
#include <stdlib.h>

#include "base/vec.h"
#include "ops/factors.h"
#include "optimize/collective.h"
#include "optimize/facts.h"
#include "optimize/rounded.h"

enum { MOST_OPERANDS = 4096 };

typedef struct Item {
  OpId op;
  uint32_t begin, end;  // the window: behind op number begin, before op number end
  uint32_t number;      // its number in the block
  Attr attrs;
  Type elem, sent;  // of results; of operands if they must agree too, else 0
  uint16_t code;
  Combine combine;
  double bytes;
  bool done, replaced;
} Item;

typedef struct Bucket {
  Optimizer *o;
  uint32_t *number;  // per op: its number in its block, from 1
  uint32_t *until;   // per op: the end of its window if it is an item, else its number
  VEC(Item) items;   // of the current block
  VEC(OpId) ops;     // of the current block, by number - 1
  uint32_t changes;
} Bucket;

// ---- windows ----

static bool same_kind(const Item *a, const Item *b) {
  return a->code == b->code && a->attrs == b->attrs && a->elem == b->elem && a->sent == b->sent &&
         a->combine == b->combine;
}

static int compare_kind(const Item *a, const Item *b) {
  if (a->code != b->code) return a->code < b->code ? -1 : 1;
  if (a->attrs != b->attrs) return a->attrs < b->attrs ? -1 : 1;
  if (a->elem != b->elem) return a->elem < b->elem ? -1 : 1;
  if (a->sent != b->sent) return a->sent < b->sent ? -1 : 1;
  if (a->combine != b->combine) return a->combine < b->combine ? -1 : 1;
  return 0;
}

static int compare_begin(const void *x, const void *y) {
  const Item *a = x, *b = y;
  int kind = compare_kind(a, b);
  if (kind) return kind;
  if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
  return (a->number > b->number) - (a->number < b->number);
}

static int compare_end(const void *x, const void *y) {
  const Item *a = *(Item *const *)x, *b = *(Item *const *)y;
  int kind = compare_kind(a, b);
  if (kind) return kind;
  if (a->end != b->end) return a->end < b->end ? -1 : 1;
  return (a > b) - (a < b);
}

static uint32_t number_of(const Bucket *b, OpId op, BlockId block) {
  OpId at = fact_in_block(b->o->p, op, block);
  return at ? b->number[at] : 0;
}

// Behind all operands. An operand that another item defines may move down to the end of that item's
// window, so `until` counts.
static uint32_t begin_of(const Bucket *b, OpId op) {
  const Program *p = b->o->p;
  BlockId block = op_at(p, op)->block;
  uint32_t begin = 0;
  for (uint32_t i = 0; i < op_at(p, op)->n_operands; i++) {
    OpId def = value_def(p, op_operand(p, op, i));
    uint32_t at = def && op_at(p, def)->block == block ? b->until[def] : 0;
    if (at > begin) begin = at;
  }
  return begin;
}

// Before the first user in the block.
static uint32_t end_of(const Bucket *b, OpId op, uint32_t last) {
  const Program *p = b->o->p;
  BlockId block = op_at(p, op)->block;
  uint32_t end = last;
  for (uint32_t i = 0; i < op_at(p, op)->n_results; i++)
    for (OperandId use = value_at(p, op_result(p, op, i))->first_use; use;
         use = operand_at(p, use)->next_use) {
      uint32_t at = number_of(b, operand_at(p, use)->user, block);
      if (at && at < end) end = at;
    }
  return end;
}

// An all_reduce with a named reducer or an all_gather, smaller than a bucket.
static bool read_item(const Bucket *b, OpId op, Item *out) {
  const Program *p = b->o->p;
  const Op *o = op_at(p, op);
  if ((o->code != OP_all_reduce && o->code != OP_all_gather) || !o->n_operands) return false;
  bool gathers = o->code == OP_all_gather;
  Type elem = type_elem(p->context, op_result_type(p, op, 0)),
       sent = type_elem(p->context, op_operand_type(p, op, 0));
  *out =
      (Item){.op = op, .attrs = o->attrs, .elem = elem, .code = o->code, .number = b->number[op]};
  for (uint32_t i = 0; i < o->n_operands; i++)
    if ((gathers || b->o->typed) && type_elem(p->context, op_operand_type(p, op, i)) != sent)
      return false;
  if (b->o->typed) out->sent = sent;
  if (!gathers && !combine_is_named(out->combine = op_combine(p, op))) return false;
  out->bytes = gathers ? fact_result_bytes(p, op) : fact_operand_bytes(p, op);
  out->begin = gathers ? b->number[op] : begin_of(b, op);
  return out->bytes < b->o->bucket_bytes;
}

// All items of one block. Barriers and the block's end clip the windows.
static void collect(Bucket *b, BlockId block) {
  Program *p = b->o->p;
  uint32_t n = 0, barrier = 0, first = 0;
  b->items.count = 0;
  b->ops.count = 0;
  for (OpId op = block_at(p, block)->first; op; op = op_at(p, op)->next) {
    b->number[op] = b->until[op] = ++n;
    VEC_PUSH(&b->o->scratch, &b->ops, op);
  }
  for (OpId op = block_at(p, block)->first; op; op = op_at(p, op)->next) {
    Item item;
    bool fence = op_at(p, op)->code == OP_optimization_barrier;
    if (fence || op == block_at(p, block)->last) {
      for (uint32_t i = first; i < b->items.count; i++)
        if (b->items.items[i].end > b->number[op]) b->items.items[i].end = b->number[op];
      first = b->items.count;
    }
    if (fence) barrier = b->number[op];
    if (!read_item(b, op, &item)) continue;
    item.end = b->until[op] = end_of(b, op, n);
    if (item.begin < barrier) item.begin = barrier;
    VEC_PUSH(&b->o->scratch, &b->items, item);
  }
}

// ---- buckets ----

// Puts the bucket behind op number `behind`. Replaced collectives stay, unused, until the block is
// done: so a bucket that uses the result of another one stands behind it.
static void put_op(Bucket *b, BlockId block, uint32_t behind, OpId op) {
  Program *p = b->o->p;
  if (behind)
    op_insert_after(p, op, b->ops.items[behind - 1]);
  else
    op_insert_before(p, op, block_at(p, block)->first);
}

// One location for each operand, if any has one: pass `single` and why_ids.c read them.
static Attr joined_loc(Bucket *b, Item *const *members, uint32_t n, uint32_t total) {
  Program *p = b->o->p;
  Context *c = b->o->context;
  Attr *locs = ARENA_ARRAY(&b->o->scratch, Attr, total);
  Attr unknown = attr_intern(c, &(AttrInfo){.kind = ATTR_LOC_UNKNOWN});
  uint32_t k = 0;
  bool any = false;
  for (uint32_t i = 0; i < n; i++) {
    Attr loc = op_at(p, members[i]->op)->loc;
    any |= loc != 0;
    for (uint32_t j = 0; j < op_at(p, members[i]->op)->n_operands; j++)
      locs[k++] = loc ? loc : unknown;
  }
  return any ? attr_intern(c, &(AttrInfo){.kind = ATTR_LOC_FUSED, .count = total, .items = locs})
             : 0;
}

static void join(Bucket *b, Item *const *members, uint32_t n) {
  Program *p = b->o->p;
  uint32_t total = 0, begin = 0, k = 0;
  for (uint32_t i = 0; i < n; i++) members[i]->done = true;
  if (n < 2) return;
  for (uint32_t i = 0; i < n; i++) {
    total += op_at(p, members[i]->op)->n_operands;
    if (members[i]->begin > begin) begin = members[i]->begin;
    members[i]->replaced = true;
  }
  ValueId *operands = ARENA_ARRAY(&b->o->scratch, ValueId, total);
  Type *types = ARENA_ARRAY(&b->o->scratch, Type, total);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < op_at(p, members[i]->op)->n_operands; j++, k++) {
      operands[k] = op_operand(p, members[i]->op, j);
      types[k] = op_result_type(p, members[i]->op, j);
    }
  const Item *first = members[0];
  Builder at = rewrite_like(p, 0, first->op);
  at.loc = joined_loc(b, members, n, total);
  OpId made = build_collective_many(&at, op_at(p, first->op)->code, total, operands, types,
                                    op_at(p, first->op)->attrs, first->combine);
  put_op(b, op_at(p, first->op)->block, begin, made);
  k = 0;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < op_at(p, members[i]->op)->n_results; j++, k++)
      value_replace_uses(p, op_result(p, members[i]->op, j), op_result(p, made, k));
  b->changes += n - 1;
}

// Items of one kind, sorted by `begin`.
static void fill_buckets(Bucket *b, Item *items, uint32_t n) {
  Optimizer *o = b->o;
  Item **by_end = ARENA_ARRAY(&o->scratch, Item *, n),
       **members = ARENA_ARRAY(&o->scratch, Item *, n);
  for (uint32_t i = 0; i < n; i++) by_end[i] = &items[i];
  qsort(by_end, n, sizeof *by_end, compare_end);
  uint32_t next = 0;  // the first item without a bucket
  for (uint32_t i = 0; i < n; i++) {
    Item *ending = by_end[i];
    while (!ending->done) {
      uint32_t count = 0, operands = 0;
      double bytes = 0;
      for (; next < n && items[next].begin < ending->end; next++) {
        uint32_t more = op_at(o->p, items[next].op)->n_operands;
        if (count &&
            (bytes + items[next].bytes > o->bucket_bytes || operands + more > MOST_OPERANDS))
          break;
        bytes += items[next].bytes;
        operands += more;
        members[count++] = &items[next];
      }
      join(b, members, count);
    }
  }
}

static void run_block(Bucket *b, BlockId block) {
  collect(b, block);
  uint32_t n = b->items.count;
  Item *items = b->items.items;
  if (n < 2) return;
  qsort(items, n, sizeof *items, compare_begin);
  for (uint32_t from = 0, to; from < n; from = to) {
    for (to = from + 1; to < n && same_kind(&items[from], &items[to]);) to++;
    fill_buckets(b, items + from, to - from);
  }
  for (uint32_t i = 0; i < n; i++)
    if (items[i].replaced) op_erase(b->o->p, items[i].op);
}

uint32_t pass_bucket(Optimizer *o) {
  Program *p = o->p;
  Bucket b = {.o = o};
  rounded_split(o);
  if (o->single) return 0;
  uint32_t n_blocks = p->blocks.count;
  b.number = ARENA_ARRAY(&o->scratch, uint32_t, p->ops.count + 1);
  b.until = ARENA_ARRAY(&o->scratch, uint32_t, p->ops.count + 1);
  for (BlockId block = 1; block < n_blocks; block++) {
    OpId first = block_at(p, block)->first;
    if (first && op_at(p, first)->code) run_block(&b, block);
  }
  return b.changes;
}
