// Problem: predict the seconds and the peak memory of a local program, loops and all.
//
// Idea: blocks from the inside out. A block becomes arrays for the timeline: one task per op, with
// seconds and streams, and the tasks that made its operands. An op that runs a body (a loop, a
// branch, a call) is one task that occupies every stream its body uses; its rows and FLOPs are
// those of the body times its trips. The same walk assigns buffers to values for liveness.
//
//   stream 0: compute      stream 1 + i: level i of the network
//
// Invariant: compute and exposed seconds sum to the block's seconds. Cost: O(ops · depth + tasks
// log tasks).
#include "cost/simulate.h"

#include <math.h>
#include <string.h>

#include "base/heap.h"
#include "base/vec.h"
#include "cost/attention.h"
#include "cost/collectives.h"
#include "cost/fusion.h"
#include "cost/op_seconds.h"
#include "cost/traffic.h"
#include "cost/trips.h"
#include "ops/functions.h"
#include "ops/op.h"
#include "ops/work.h"

typedef VEC(SimulatedRow) RowVec;
typedef VEC(uint32_t) TaskVec;

#define NOWHERE UINT32_MAX

// Whose buffers a block's arguments and results are.
typedef enum BlockKind {
  BLOCK_ENTRY,  // its own
  BLOCK_LOOP,   // the carries: a result is written there if its argument is no longer used
  BLOCK_ONCE,   // those of the op around it
} BlockKind;

typedef struct Simulator {
  const Program *p;
  const Mesh *mesh;
  uint32_t n_devices;
  Arena *arena;
  Rates rates;
  Network network;  // with the bandwidths that are reached
  Fusion fusion;
  Attention attention;           // arrays NULL: attention is not fused
  uint64_t blocking, pipelined;  // axes whose collectives overlap so (machine.h)
  Runs runs;
  const uint8_t *slack;               // per value: class of its collectives
  const SimulatedBlock **functions;   // per function: its block, if a call has asked for it
  uint32_t *position;                 // per op: in its block
  uint32_t *stamp, tick;              // per op: the last op that it was listed for
  uint32_t *read_by;                  // per root: the last fusion that read it
  double *group_flops, *group_bytes;  // per fusion: of its ops so far
  uint32_t *last;                     // per root: position of the last use
  uint32_t *buffer;                   // per root: of the block's buffers; NOWHERE: none
  uint32_t *home;                     // per root: the first result of its block that it is, + 1
  double undonated_bytes;             // of results that arguments of their type could hold
} Simulator;

// ---- seconds of an op ----

static double size_of(const Simulator *s, ValueId v) {
  return fusion_bytes(s->p, value_type(s->p, v));
}

// The fusion that makes a root; 0 if it is not made by one.
static uint32_t fusion_of(const Simulator *s, ValueId root) {
  OpId op = value_def(s->p, root);
  return op && op_fusing(s->p, op) ? s->fusion.group[op] : 0;
}

// Bytes that the op moves to and from memory: operands that no op of its fusion made or read
// before, and results that are stored.
static double moved_bytes(Simulator *s, OpId op) {
  const Program *p = s->p;
  const Fusion *f = &s->fusion;
  uint32_t n = op_at(p, op)->n_operands, group = f->group[op];
  double bytes = 0;
  for (uint32_t i = 0; i < n; i++) {
    ValueId root = f->root[op_operand(p, op, i)];
    if (f->constant[root] || fusion_of(s, root) == group || s->read_by[root] == group) continue;
    if (s->attention.hidden && s->attention.hidden[root]) continue;
    s->read_by[root] = group;
    uint32_t at = work_touched(p, op, i);
    Type type = at < n ? op_operand_type(p, op, at) : op_result_type(p, op, at - n);
    bytes += at == i ? fmin(size_of(s, root), fusion_bytes(p, type)) : fusion_bytes(p, type);
  }
  for (uint32_t i = 0; i < op_at(p, op)->n_results; i++) {
    ValueId v = op_result(p, op, i);
    if (f->root[v] != v || !f->stored[v]) continue;
    uint32_t at = work_touched(p, op, n + i);
    bytes += at < n ? fusion_bytes(p, op_operand_type(p, op, at)) : size_of(s, v);
  }
  return bytes;
}

// Whether the op is nothing at run time.
static bool is_free(const Simulator *s, OpId op) {
  const Op *o = op_at(s->p, op);
  if (op_row(o->code)->traits & TRAIT_TERMINATOR || op_keeps_buffer(s->p, op)) return true;
  bool free = o->n_results > 0;
  for (uint32_t i = 0; i < o->n_results; i++) {
    ValueId v = op_result(s->p, op, i);
    free &= s->fusion.constant[s->fusion.root[v]] || s->fusion.root[v] != v;
  }
  return free || o->code == OP_constant || o->code == OP_tuple || o->code == OP_get_tuple_element;
}

// Times that its FLOPs take a contraction of matrices that do not fill the matrix unit.
static double padding_of(const Simulator *s, OpId op, double flops) {
  double sizes[3] = {0};
  for (uint32_t i = 0; i < 3 && op_at(s->p, op)->n_operands >= 2; i++) {
    Type type = i < 2 ? op_operand_type(s->p, op, i) : op_result_type(s->p, op, 0);
    int64_t count = 0;
    sizes[i] = type_count(s->p->context, type, &count) ? (double)count : 0;
  }
  return op_padding(s->p, op, &s->rates, flops, sizes[0], sizes[1], sizes[2]);
}

// A contraction: not fused, so its roofline is its own.
static double contraction_seconds(Simulator *s, OpId op, DType type, SimulatedBlock *block) {
  double flops = op_work(s->p, op), bytes = moved_bytes(s, op);
  double part = s->attention.work ? s->attention.work[op] : 0, padding = padding_of(s, op, flops);
  Rates rates = s->rates;
  if (part > 0) flops *= part;
  if (part > 0 && rates.attention > 0) rates.contractions = rates.attention;
  block->flops[rate_of(type)] += flops;
  double seconds = rates_seconds(&rates, flops * padding, bytes, type, true);
  return flops + bytes > 0 ? seconds + rates.op_seconds : seconds;
}

// The same of its FLOPs alone.
static double plain_contraction_seconds(const Simulator *s, OpId op) {
  double flops = op_work(s->p, op);
  DType type = type_dtype(s->p->context, op_operand_type(s->p, op, 0));
  return rates_seconds(&s->rates, flops * padding_of(s, op, flops), 0, type, true);
}

static double work_seconds(Simulator *s, OpId op, SimulatedBlock *block) {
  if (is_free(s, op) || (s->attention.inside && s->attention.inside[op])) return 0;
  DType type = op_at(s->p, op)->n_operands ? type_dtype(s->p->context, op_operand_type(s->p, op, 0))
                                           : DT_f32;
  if (op_contracts(s->p, op)) return contraction_seconds(s, op, type, block);
  double flops = op_work(s->p, op), bytes = moved_bytes(s, op);
  block->flops[RATE_vector] += flops;
  // The roofline is that of the fusion: an op adds what its FLOPs and bytes add to it.
  uint32_t group = s->fusion.group[op];
  double before =
      rates_seconds(&s->rates, s->group_flops[group], s->group_bytes[group], type, false);
  if (before <= 0 && flops + bytes > 0) before = -s->rates.op_seconds;
  s->group_flops[group] += flops;
  s->group_bytes[group] += bytes;
  return rates_seconds(&s->rates, s->group_flops[group], s->group_bytes[group], type, false) -
         before;
}

// ---- collectives ----

static void add_row(RowVec *rows, Arena *arena, const SimulatedRow *row, double times) {
  for (uint32_t i = 0; i < rows->count; i++) {
    SimulatedRow *r = &rows->items[i];
    if (r->code != row->code || r->axis_bits != row->axis_bits) continue;
    r->count += row->count;
    r->runs += times * row->runs;
    r->bytes += times * row->bytes;
    r->seconds += times * row->seconds;
    r->exposed += times * row->exposed;
    r->guess |= row->guess;
    return;
  }
  SimulatedRow copy = *row;
  copy.runs *= times;
  copy.bytes *= times;
  copy.seconds *= times;
  copy.exposed *= times;
  VEC_PUSH(arena, rows, copy);
}

// The route of a collective's groups. Groups along parts of axes are as large as they say, over the
// slowest link of the axes.
static Route route_of(const Simulator *s, const TrafficRow *row, uint32_t *out_streams) {
  AxisRef room[64];
  AxisList axes = traffic_axes(&s->network, row, room);
  *out_streams = 2;
  if (!axes.n) return route_flat(s->network.all, row->width ? row->width : 1);
  *out_streams = network_streams(&s->network, axes) << 1;
  Route route = network_route(&s->network, axes);
  if (row->width && route_size(&route) != row->width)
    route = route_flat(route_slowest(&route), row->width);
  return route;
}

// Seconds of the contractions that read v, or the slices and casts of it.
static double reader_seconds(Simulator *s, ValueId v, uint32_t depth) {
  const Program *p = s->p;
  double seconds = 0;
  for (OperandId use = value_at(p, v)->first_use; use; use = operand_at(p, use)->next_use) {
    OpId user = operand_at(p, use)->user;
    if (op_contracts(p, user))
      seconds += plain_contraction_seconds(s, user);
    else if (depth && op_fusing(p, user) == FUSING_BOTH && op_at(p, user)->n_results == 1)
      seconds += reader_seconds(s, op_result(p, user, 0), depth - 1);
  }
  return seconds;
}

// The contraction that makes v, through reshapes and casts.
static OpId maker_of(const Simulator *s, ValueId v, uint32_t depth) {
  OpId op = value_def(s->p, v);
  if (!op || op_contracts(s->p, op)) return op;
  bool passes = op_fusing(s->p, op) == FUSING_BOTH || op_keeps_buffer(s->p, op);
  return passes && depth && op_at(s->p, op)->n_operands
             ? maker_of(s, op_operand(s->p, op, 0), depth - 1)
             : 0;
}

// A gather in n pieces runs beside the contractions that read them, a scatter beside the one that
// makes them: all but the first or last piece is hidden as far as the contractions last.
static double unhidden_seconds(Simulator *s, OpId op, double seconds, uint32_t n) {
  const Program *p = s->p;
  double beside = 0;
  for (uint32_t i = 0; i < op_at(p, op)->n_results; i++)
    beside += reader_seconds(s, op_result(p, op, i), 2);
  for (uint32_t i = 0; i < op_at(p, op)->n_operands && beside <= 0; i++) {
    OpId maker = maker_of(s, op_operand(p, op, i), 3);
    if (maker) beside += plain_contraction_seconds(s, maker);
  }
  double overlapped = seconds * (n - 1) / n;
  return seconds - fmin(overlapped, beside * (n - 1) / n);
}

// The task and the row of a collective. out_transfer: seconds of its bytes alone.
static Task collective_task(Simulator *s, OpId op, SimulatedRow *out_row, double *out_transfer) {
  TrafficRow row = traffic_row(s->p, op, s->mesh, s->n_devices, NULL, NULL);
  Task task = {0};
  *out_row = (SimulatedRow){
      .code = row.code, .axis_bits = row.axis_bits, .count = 1, .runs = 1, .bytes = row.bytes};
  Route route = route_of(s, &row, &task.streams);
  double held = 0;
  for (uint32_t i = 0; i < op_at(s->p, op)->n_operands; i++)
    held += fusion_bytes(s->p, op_operand_type(s->p, op, i));
  bool alone = row.width ? row.width == 1 : !row.n_groups;
  Price price = {0};
  if (!alone && collective_row(row.code))
    price = collective_price(row.code, &route, held);
  else if (!alone)
    price = price_permutes(route_slowest(&route), 1, held, held);
  task.seconds = price.seconds;
  bool pipelined = row.axis_bits && !(row.axis_bits & ~s->pipelined);
  if (pipelined && row.width > 1) task.seconds = unhidden_seconds(s, op, task.seconds, row.width);
  if (task.seconds <= 0) task.streams = 0;
  out_row->seconds = task.seconds;
  *out_transfer = fmin(price.transfer_seconds, task.seconds);
  return task;
}

// ---- bodies ----

static const SimulatedBlock *simulate_block(Simulator *s, BlockId block, BlockKind kind,
                                            OpId function);

static const SimulatedBlock *region_body(Simulator *s, OpId op, uint32_t region, BlockKind kind) {
  BlockId block = region_block(s->p, op_region(s->p, op, region));
  return block ? simulate_block(s, block, kind, 0) : NULL;
}

// The body that an op runs, and how often: of a loop its last region, of a branch the region that
// takes longest, of a call the function.
static const SimulatedBlock *body_of(Simulator *s, OpId op, double *out_trips) {
  const Program *p = s->p;
  const Op *o = op_at(p, op);
  OpId callee = s->runs.callee[op];
  *out_trips = 1;
  if (callee) {
    BlockId block = op_at(p, callee)->n_regions ? region_block(p, op_region(p, callee, 0)) : 0;
    if (!s->functions[callee] && block) {
      static const SimulatedBlock none;
      s->functions[callee] = &none;  // of a recursive call
      s->functions[callee] = simulate_block(s, block, BLOCK_ONCE, 0);
    }
    return s->functions[callee];
  }
  switch (op_flow(p, op)) {
  case FLOW_LOOP:
    *out_trips = (double)loop_trips_or_guess(p, op);
    return o->n_regions ? region_body(s, op, o->n_regions - 1, BLOCK_LOOP) : NULL;
  case FLOW_BRANCH: {
    const SimulatedBlock *longest = NULL;
    for (uint32_t r = 0; r < o->n_regions; r++) {
      const SimulatedBlock *body = region_body(s, op, r, BLOCK_ONCE);
      if (body && (!longest || body->times.seconds > longest->times.seconds)) longest = body;
    }
    return longest;
  }
  case FLOW_BODY: return o->n_regions ? region_body(s, op, 0, BLOCK_ONCE) : NULL;
  case FLOW_NONE:
  case FLOW_EACH: break;
  }
  return NULL;
}

static void add_exposure(Exposure *sum, const Exposure *more, double times) {
  for (uint32_t i = 0; i < SLACK_COUNT; i++) {
    sum->transfer[i] += times * more->transfer[i];
    sum->latency[i] += times * more->latency[i];
    sum->exposed[i] += times * more->exposed[i];
  }
}

static Task body_task(Simulator *s, OpId op, const SimulatedBlock *body, double trips,
                      SimulatedBlock *block, RowVec *rows) {
  bool guess = op_flow(s->p, op) == FLOW_LOOP && loop_trips(s->p, op) < 0 && !s->p->trip_count;
  for (uint32_t i = 0; i < body->n_rows; i++) {
    SimulatedRow row = body->rows[i];
    row.guess |= guess;
    add_row(rows, s->arena, &row, trips);
  }
  add_exposure(&block->exposure, &body->exposure, trips);
  for (uint32_t i = 0; i < RATE_COUNT; i++) block->flops[i] += trips * body->flops[i];
  block->guess |= guess | body->guess;
  Task task = {trips * body->times.seconds, body->streams | 1u << STREAM_COMPUTE};
  if (task.seconds <= 0) task.streams = 0;
  return task;
}

// ---- the timeline of a block ----

// Appends the tasks that made an op's operands, and what its regions use from outside.
static void add_dependences(Simulator *s, OpId op, BlockId block, TaskVec *after) {
  const Program *p = s->p;
  s->tick++;
  for (OpId o = op; o; o = op_walk_next(p, o, op)) {
    for (uint32_t i = 0; i < op_at(p, o)->n_operands; i++) {
      OpId from = value_def(p, op_operand(p, o, i));
      if (!from || op_at(p, from)->block != block || s->stamp[from] == s->tick) continue;
      s->stamp[from] = s->tick;
      VEC_PUSH(s->arena, after, s->position[from]);
    }
    if (!op_at(p, o)->n_regions && o == op) break;
  }
}

// ---- memory ----

typedef struct Buffer {
  LiveBuffer live;
  ValueId value;  // the last that it holds
  double size;    // of the value; live.bytes is 0 if another block counts it
  LiveKind kind;
  bool reusable;
  bool shared;  // it is in the buffer of a result that is written later
} Buffer;
typedef VEC(Buffer) BufferVec;

static bool is_in(const Program *p, ValueId v, BlockId block) {
  const Value *value = value_at(p, v);
  return value->is_arg ? value->def == block : op_at(p, value->def)->block == block;
}

static void find_last_uses(Simulator *s, const SimulatedBlock *b, BlockId block) {
  const Program *p = s->p;
  for (uint32_t at = 0; at < b->n; at++) {
    OpId op = b->ops[at];
    for (OpId o = op; o; o = op_walk_next(p, o, op)) {
      for (uint32_t i = 0; i < op_at(p, o)->n_operands; i++) {
        ValueId root = s->fusion.root[op_operand(p, o, i)];
        if (is_in(p, root, block)) s->last[root] = at;
      }
      if (o == op && !op_at(p, op)->n_regions) break;
    }
  }
}

static bool is_donated(const Program *p, OpId function, uint32_t i) {
  const AttrInfo *all = attr_info(p->context, op_attr(p, function, "arg_attrs"));
  if (i >= all->count) return false;
  return attr_get(p->context, all->items[i], "tf.aliasing_output") ||
         attr_get(p->context, all->items[i], "jax.buffer_donor");
}

static void new_buffer(Simulator *s, BufferVec *buffers, ValueId v, uint32_t from, uint32_t to,
                       LiveKind kind, bool counted, bool reusable) {
  double size = size_of(s, v);
  s->buffer[v] = buffers->count;
  Buffer buffer = {.live = {counted ? size : 0, from, to},
                   .value = v,
                   .size = size,
                   .kind = kind,
                   .reusable = reusable};
  VEC_PUSH(s->arena, buffers, buffer);
}

// Lets value v have the buffer of root `from`, which nothing reads after this op.
static bool take_over(Simulator *s, BufferVec *buffers, ValueId v, ValueId from, uint32_t at) {
  if (s->buffer[from] == NOWHERE || s->last[from] != at) return false;
  Buffer *b = &buffers->items[s->buffer[from]];
  if (!b->reusable || b->size != size_of(s, v) || s->fusion.root[b->value] != from) return false;
  s->buffer[v] = s->buffer[from];
  b->value = v;
  if (s->last[v] > b->live.to) b->live.to = s->last[v];
  return true;
}

// Whether the body of a loop returns carry i as it was.
static bool is_invariant(const Program *p, OpId loop, uint32_t i) {
  BlockId block = region_block(p, op_region(p, loop, op_at(p, loop)->n_regions - 1));
  OpId end = block ? block_at(p, block)->last : 0;
  return end && i < op_at(p, end)->n_operands && i < block_at(p, block)->n_args &&
         op_operand(p, end, i) == block_arg(p, block, i);
}

// Whether a body writes value v, which it makes at this position, to a buffer of the op around it.
static bool is_outside(const Simulator *s, ValueId v, uint32_t at, BlockId block, BlockKind kind) {
  uint32_t i = s->home[v];
  if (kind == BLOCK_ENTRY || !i) return false;
  if (kind == BLOCK_ONCE) return true;
  if (i > block_at(s->p, block)->n_args) return false;
  ValueId carry = block_arg(s->p, block, i - 1);
  return s->last[carry] <= at && size_of(s, carry) == size_of(s, v);
}

// The position of the first op of the block that reads v, also through reshapes of it.
static uint32_t first_use(const Simulator *s, ValueId v, BlockId block, uint32_t depth) {
  const Program *p = s->p;
  uint32_t first = NOWHERE;
  for (OperandId use = value_at(p, v)->first_use; use; use = operand_at(p, use)->next_use) {
    OpId user = operand_at(p, use)->user;
    while (user && op_at(p, user)->block != block) user = op_parent(p, user);
    if (!user) continue;
    uint32_t at = s->position[user];
    if (op_keeps_buffer(p, user) && op_at(p, user)->n_results == 1 && depth)
      at = first_use(s, op_result(p, user, 0), block, depth - 1);
    if (at < first) first = at;
  }
  return first;
}

// The position from which a result is stored. A slice of a value that lives on anyway is taken when
// it is needed, as memory-aware schedulers do: JAX slices everything at the start of a scan's body.
static uint32_t stored_from(const Simulator *s, OpId op, ValueId v, uint32_t at, BlockId block) {
  const OpDef *def = op_row(op_at(s->p, op)->code)->def;
  if (!def || def->touch != TOUCH_PICKED || !op_fusing(s->p, op)) return at;
  ValueId from = s->fusion.root[op_operand(s->p, op, 0)];
  uint32_t first = first_use(s, v, block, 4);
  if (first == NOWHERE || first <= at) return at;
  bool lives = value_at(s->p, from)->is_arg || !is_in(s->p, from, block) || s->last[from] >= first;
  return lives ? first : at;
}

static void assign_results(Simulator *s, OpId op, uint32_t at, BlockId block, BlockKind kind,
                           BufferVec *buffers) {
  const Program *p = s->p;
  const Op *o = op_at(p, op);
  const OpDef *def = op_row(o->code)->def;
  bool updates = def && def->touch == TOUCH_UPDATED, loops = op_flow(p, op) == FLOW_LOOP;
  bool reuses = updates || op_fusing(p, op) || op_row(o->code)->traits & TRAIT_COLLECTIVE;
  for (uint32_t i = 0; i < o->n_results; i++) {
    ValueId v = op_result(p, op, i);
    if (s->fusion.root[v] != v || !s->fusion.stored[v] || size_of(s, v) <= 0) continue;
    if (o->code == OP_constant) {  // held all the time
      new_buffer(s, buffers, v, 0, NOWHERE - 1, LIVE_CONSTANT, true, false);
      continue;
    }
    bool taken = false;
    if (loops && i < o->n_operands) {
      ValueId from = s->fusion.root[op_operand(p, op, i)];
      if (is_in(p, from, block) && is_invariant(p, op, i) && s->buffer[from] != NOWHERE) {
        Buffer *b = &buffers->items[s->buffer[v] = s->buffer[from]];
        if (s->last[v] > b->live.to) b->live.to = s->last[v];
        continue;
      }
      taken = is_in(p, from, block) && take_over(s, buffers, v, from, at);
    }
    for (uint32_t k = 0; reuses && k < (updates ? 1 : o->n_operands) && !taken; k++) {
      ValueId from = s->fusion.root[op_operand(p, op, k)];
      taken = is_in(p, from, block) && take_over(s, buffers, v, from, at);
    }
    bool outside = is_outside(s, v, at, block, kind);
    if (taken) continue;
    uint32_t from = stored_from(s, op, v, at, block);
    new_buffer(s, buffers, v, from, s->last[v], LIVE_TEMPORARY, !outside, true);
  }
}

static bool is_larger(const void *a, const void *b, const void *user) {
  const SimulatedLive *x = a, *y = b;
  (void)user;
  return x->bytes != y->bytes ? x->bytes > y->bytes : x->value < y->value;
}

// The values alive at the peak: of the block, and of the body that runs then.
static void list_live(Simulator *s, const BufferVec *buffers, SimulatedBlock *b) {
  VEC(SimulatedLive) live = {0};
  for (uint32_t i = 0; i < buffers->count; i++) {
    const Buffer *buffer = &buffers->items[i];
    if (buffer->live.bytes <= 0 || buffer->live.from > b->peak_at || buffer->live.to < b->peak_at)
      continue;
    SimulatedLive row = {buffer->value, buffer->live.bytes, buffer->kind};
    VEC_PUSH(s->arena, &live, row);
  }
  const SimulatedBlock *body = b->n ? b->body[b->peak_at] : NULL;
  for (uint32_t i = 0; body && i < body->n_live; i++) VEC_PUSH(s->arena, &live, body->live[i]);
  HeapOrder order = {sizeof(SimulatedLive), is_larger, NULL};
  heap_sort(live.items, live.count, &order);
  b->live = live.items;
  b->n_live = live.count;
}

// The arguments of the entry, for its results: which result each donated one is for, and lists of
// the others by type.
typedef struct Donors {
  uint32_t *of;  // per result: the argument that says it is for it; NOWHERE: none
  // By type, each a list along `next`: arguments + 1 that are donated to any result, and that are
  // not donated.
  uint32_t *any, *kept, *next;
  uint32_t n_types;
} Donors;

static Donors find_donors(const Simulator *s, BlockId block, OpId function, uint32_t n_results) {
  const Program *p = s->p;
  uint32_t n = block_at(p, block)->n_args;
  const AttrInfo *all = attr_info(p->context, op_attr(p, function, "arg_attrs"));
  Donors d = {.of = ARENA_ARRAY(s->arena, uint32_t, n_results + 1),
              .next = ARENA_ARRAY(s->arena, uint32_t, n + 1)};
  for (uint32_t i = 0; i < n; i++) {
    Type type = value_type(p, block_arg(p, block, i));
    if (type >= d.n_types) d.n_types = type + 1;
  }
  d.any = ARENA_ARRAY(s->arena, uint32_t, d.n_types + 1);
  d.kept = ARENA_ARRAY(s->arena, uint32_t, d.n_types + 1);
  memset(d.of, 0xff, n_results * sizeof *d.of);
  for (uint32_t i = n; i-- > 0;) {
    Type type = value_type(p, block_arg(p, block, i));
    Attr to = i < all->count ? attr_get(p->context, all->items[i], "tf.aliasing_output") : 0;
    int64_t result = attr_as_int(p->context, to, -1);
    if (to && result >= 0 && result < n_results) d.of[result] = i;
    if (to) continue;
    uint32_t *list = is_donated(p, function, i) ? d.any : d.kept;
    d.next[i] = list[type];
    list[type] = i + 1;
  }
  return d;
}

// The first argument of a list of this type, taken off it; NOWHERE: none.
static uint32_t take_first(Donors *d, uint32_t *list, Type type) {
  uint32_t first = type < d->n_types ? list[type] : 0;
  if (!first) return NOWHERE;
  list[type] = d->next[first - 1];
  return first - 1;
}

// A result's buffer before the result is written: temporaries may use it, one at a time.
typedef struct Slot {
  double size;
  uint32_t buffer;
  uint32_t free, end;  // at the positions free … end - 1
} Slot;
typedef VEC(Slot) SlotVec;

static bool is_smaller(const void *a, const void *b, const void *user) {
  const Slot *x = a, *y = b;
  (void)user;
  return x->size != y->size ? x->size < y->size : x->buffer < y->buffer;
}

enum { MOST_SLOTS = 32 };  // that are tried for one temporary

// Lets temporaries, in program order, use the smallest slot that fits. O(buffers · log slots).
static void fill_slots(SlotVec *slots, BufferVec *buffers) {
  HeapOrder order = {sizeof(Slot), is_smaller, NULL};
  heap_sort(slots->items, slots->count, &order);
  for (uint32_t i = 0; i < buffers->count && slots->count; i++) {
    Buffer *b = &buffers->items[i];
    if (b->kind != LIVE_TEMPORARY || b->live.bytes <= 0) continue;
    uint32_t low = 0, high = slots->count;
    while (low < high) {
      uint32_t middle = low + (high - low) / 2;
      if (slots->items[middle].size < b->size)
        low = middle + 1;
      else
        high = middle;
    }
    for (uint32_t k = low; k < slots->count && k < low + MOST_SLOTS; k++) {
      Slot *slot = &slots->items[k];
      if (b->live.from < slot->free || b->live.to >= slot->end) continue;
      slot->free = b->live.to + 1;
      b->shared = true;
      break;
    }
  }
}

// The results of the entry. As XLA allocates them: from the start, unless a donated argument gives
// its buffer.
static void place_results(Simulator *s, BlockId block, OpId function, OpId end, uint32_t last,
                          BufferVec *buffers) {
  const Program *p = s->p;
  Donors donors = find_donors(s, block, function, op_at(p, end)->n_operands);
  SlotVec slots = {0};
  for (uint32_t i = 0; i < op_at(p, end)->n_operands; i++) {
    ValueId root = s->fusion.root[op_operand(p, end, i)];
    if (!is_in(p, root, block) || s->buffer[root] == NOWHERE) continue;
    Buffer *buffer = &buffers->items[s->buffer[root]];
    if (buffer->kind == LIVE_RESULT || buffer->kind == LIVE_ARGUMENT) {
      if (!buffer->reusable || buffer->kind == LIVE_RESULT)  // the caller gets a copy
        new_buffer(s, buffers, root, 0, last, LIVE_RESULT, true, false);
      continue;
    }
    if (buffer->kind != LIVE_TEMPORARY) continue;
    buffer->kind = LIVE_RESULT;
    Type type = value_type(p, root);
    uint32_t donor = donors.of[i] != NOWHERE ? donors.of[i] : take_first(&donors, donors.any, type);
    if (donor == NOWHERE) {
      Slot slot = {buffer->size, s->buffer[root], 0, buffer->live.from};
      VEC_PUSH(s->arena, &slots, slot);
      buffer->live.from = 0;
      // An argument of the result's type that is not donated is probably the state it replaces.
      if (take_first(&donors, donors.kept, type) != NOWHERE) s->undonated_bytes += buffer->size;
      continue;
    }
    Buffer *given = &buffers->items[s->buffer[block_arg(p, block, donor)]];
    if (given->value != block_arg(p, block, donor) || given->size < buffer->size) continue;
    if (given->live.to >= buffer->live.from) continue;  // still read when the result is written
    given->live.to = last;
    buffer->live.bytes = 0;
  }
  fill_slots(&slots, buffers);
}

// function: of the entry block, whose arguments have buffers here; 0 for bodies, whose arguments
// the block around them counts.
static void measure_memory(Simulator *s, BlockId block, BlockKind kind, OpId function,
                           SimulatedBlock *b) {
  const Program *p = s->p;
  BufferVec buffers = {0};
  double *extra = ARENA_ARRAY(s->arena, double, b->n + 1);
  for (uint32_t i = 0; i < block_at(p, block)->n_args; i++) s->last[block_arg(p, block, i)] = 0;
  find_last_uses(s, b, block);
  for (uint32_t i = 0; i < block_at(p, block)->n_args; i++) {
    ValueId v = block_arg(p, block, i);
    bool kept = function && !is_donated(p, function, i);
    uint32_t to = kept && b->n ? b->n - 1 : s->last[v];
    new_buffer(s, &buffers, v, 0, to, LIVE_ARGUMENT, function != 0, !kept);
  }
  OpId end = b->n ? b->ops[b->n - 1] : 0;
  for (uint32_t i = 0; end && i < op_at(p, end)->n_operands; i++) {
    ValueId root = s->fusion.root[op_operand(p, end, i)];
    if (is_in(p, root, block) && !s->home[root]) s->home[root] = i + 1;
  }
  for (uint32_t at = 0; at < b->n; at++) {
    assign_results(s, b->ops[at], at, block, kind, &buffers);
    if (b->body[at]) extra[at] = b->body[at]->peak_bytes;
  }
  if (end && function) place_results(s, block, function, end, b->n - 1, &buffers);
  LiveBuffer *live = ARENA_ARRAY(s->arena, LiveBuffer, buffers.count + 1);
  for (uint32_t i = 0; i < buffers.count; i++) live[i] = buffers.items[i].live;
  LivePeak peak;
  timeline_memory(b->n, buffers.count, live, extra, s->arena, &peak);
  b->unshared_curve = peak.curve;
  bool shares = false;
  for (uint32_t i = 0; i < buffers.count; i++) {
    if (!buffers.items[i].shared) continue;
    live[i].bytes = buffers.items[i].live.bytes = 0;
    shares = true;
  }
  if (shares) timeline_memory(b->n, buffers.count, live, extra, s->arena, &peak);
  b->curve = peak.curve;
  b->peak_bytes = peak.bytes;
  b->peak_at = peak.at;
  list_live(s, &buffers, b);
}

// ---- blocks ----

// Compute waits for it, and it for all compute before it.
static bool is_blocking(const Simulator *s, const SimulatedRow *row) {
  return row->axis_bits && !(row->axis_bits & ~s->blocking) && row->seconds > 0;
}

static const SimulatedBlock *simulate_block(Simulator *s, BlockId block, BlockKind kind,
                                            OpId function) {
  const Program *p = s->p;
  SimulatedBlock *b = ARENA_NEW(s->arena, SimulatedBlock);
  uint32_t n = 0;
  for (OpId o = block_at(p, block)->first; o; o = op_at(p, o)->next) s->position[o] = n++;
  OpId *ops = ARENA_ARRAY(s->arena, OpId, n + 1);
  Task *tasks = ARENA_ARRAY(s->arena, Task, n + 1);
  SimulatedRow *row_of = ARENA_ARRAY(s->arena, SimulatedRow, n + 1);
  double *transfer = ARENA_ARRAY(s->arena, double, n + 1);
  uint32_t *first = ARENA_ARRAY(s->arena, uint32_t, n + 1);
  TaskVec after = {0};
  RowVec rows = {0};
  uint32_t blocked = NOWHERE, worked = NOWHERE;  // the last blocking collective, the last work
  b->n = n;
  b->ops = ops;
  b->tasks = tasks;
  b->body = ARENA_ARRAY(s->arena, const SimulatedBlock *, n + 1);
  b->trips = ARENA_ARRAY(s->arena, double, n + 1);
  for (OpId o = block_at(p, block)->first; o; o = op_at(p, o)->next) {
    uint32_t at = s->position[o];
    ops[at] = o;
    first[at] = after.count;
    add_dependences(s, o, block, &after);
    if (op_row(op_at(p, o)->code)->traits & TRAIT_COLLECTIVE) {
      tasks[at] = collective_task(s, o, &row_of[at], &transfer[at]);
      if (is_blocking(s, &row_of[at])) {
        if (worked != NOWHERE) VEC_PUSH(s->arena, &after, worked);
        blocked = at;
      }
    } else if ((b->body[at] = body_of(s, o, &b->trips[at]))) {
      tasks[at] = body_task(s, o, b->body[at], b->trips[at], b, &rows);
    } else {
      double seconds = work_seconds(s, o, b);
      tasks[at] = (Task){seconds, seconds > 0 ? 1u << STREAM_COMPUTE : 0};
    }
    if (tasks[at].streams >> STREAM_COMPUTE & 1) {
      if (blocked != NOWHERE) VEC_PUSH(s->arena, &after, blocked);
      worked = at;
    }
    b->streams |= tasks[at].streams;
  }
  first[n] = after.count;
  Timeline timeline = {.n = n, .tasks = tasks, .first = first, .after = after.items};
  timeline_schedule(&timeline, s->arena, &b->times);
  b->critical = ARENA_ARRAY(s->arena, bool, n + 1);
  timeline_critical(&timeline, &b->times, b->critical);
  b->compute_seconds = b->times.seconds;
  for (uint32_t at = 0; at < n; at++) {
    if (b->body[at]) b->compute_seconds -= b->trips[at] * b->body[at]->exposed_seconds;
    b->compute_seconds -= b->times.exposed[at];
    row_of[at].exposed = b->times.exposed[at];
    if (!row_of[at].count) continue;
    add_row(&rows, s->arena, &row_of[at], 1);
    uint8_t slack = op_at(p, ops[at])->n_results ? s->slack[op_result(p, ops[at], 0)] : 0;
    b->exposure.transfer[slack] += transfer[at];
    b->exposure.latency[slack] += tasks[at].seconds - transfer[at];
    b->exposure.exposed[slack] += b->times.exposed[at];
  }
  b->exposed_seconds = b->times.seconds - b->compute_seconds;
  b->rows = rows.items;
  b->n_rows = rows.count;
  measure_memory(s, block, kind, function, b);
  return b;
}

// The backlog of a block on average, while it works.
static double mean_backlog(const SimulatedBlock *b) {
  double sum = 0, seconds = 0;
  for (uint32_t i = 0; i < b->n; i++) {
    if (!(b->tasks[i].streams >> STREAM_COMPUTE & 1)) continue;
    double here = b->body[i] ? mean_backlog(b->body[i]) : b->times.backlog[i];
    sum += here * b->tasks[i].seconds;
    seconds += b->tasks[i].seconds;
  }
  return seconds > 0 ? sum / seconds : 0;
}

// The backlog in each part of the step. A body's is that of one iteration.
static void list_backlog(const SimulatedBlock *b, double *out) {
  double length = b->times.seconds / BACKLOG_PARTS, seconds[BACKLOG_PARTS] = {0};
  for (uint32_t i = 0; i < b->n && length > 0; i++) {
    if (!(b->tasks[i].streams >> STREAM_COMPUTE & 1)) continue;
    bool waits = b->body[i] && b->body[i]->exposed_seconds > 0.001 * b->body[i]->times.seconds;
    double here = waits ? 0 : b->body[i] ? mean_backlog(b->body[i]) : b->times.backlog[i];
    for (uint32_t k = (uint32_t)(b->times.start[i] / length); k < BACKLOG_PARTS; k++) {
      double from = fmax(b->times.start[i], k * length);
      double to = fmin(b->times.finish[i], (k + 1) * length);
      if (to <= from) break;
      out[k] += here * (to - from);
      seconds[k] += to - from;
    }
  }
  for (uint32_t k = 0; k < BACKLOG_PARTS; k++)
    if (seconds[k] > 0) out[k] /= seconds[k];
  // Work that is used up before compute waits is missing then: it hides nothing more.
  double waits = 0;
  for (uint32_t k = BACKLOG_PARTS; k-- > 0;) {
    waits += length - seconds[k];
    if (waits > 0.001 * b->times.seconds) out[k] = 0;
  }
}

static void sum_up(Simulator *s, const SimulatedBlock *b, Simulated *out) {
  SimulatedRow *rows = ARENA_ARRAY(s->arena, SimulatedRow, b->n_rows + 1);
  double ideal = 0;
  for (uint32_t i = 0; i < b->n_rows; i++) {
    rows[i] = b->rows[i];
    rows[i].axes = s->mesh && rows[i].axis_bits
                       ? traffic_axes_text(s->p, s->mesh, rows[i].axis_bits, s->arena)
                       : "";
    out->bytes += rows[i].bytes;
    out->collective_seconds += rows[i].seconds;
  }
  for (uint32_t i = 0; i < RATE_COUNT; i++) {
    out->flops += b->flops[i];
    if (i != RATE_vector) ideal += b->flops[i] / s->rates.peak[i];
  }
  out->exposure = b->exposure;
  list_backlog(b, out->exposure.backlog);
  out->rows = rows;
  out->n_rows = b->n_rows;
  out->block = b;
  out->seconds = b->times.seconds;
  out->compute_seconds = b->compute_seconds;
  out->exposed_seconds = b->exposed_seconds;
  out->utilization = out->seconds > 0 ? ideal / out->seconds : 0;
  out->peak_bytes = b->peak_bytes;
  out->guess = b->guess;
}

void simulate(const Program *local, const Machine *machine, const Mesh *mesh, uint32_t n_devices,
              Arena *arena, Simulated *out) {
  uint32_t n_ops = local->ops.count + 1, n_values = local->values.count + 1;
  *out = (Simulated){.n_devices = n_devices,
                     .usable_bytes = machine_usable_bytes(machine, n_devices),
                     .unknown_loops = loops_unknown(local),
                     .trip_count = trips_unknown(local),
                     .trip_count_given = local->trip_count != 0};
  Simulator s = {.p = local,
                 .mesh = mesh,
                 .n_devices = n_devices,
                 .arena = arena,
                 .rates = machine_rates(machine, n_devices),
                 .functions = ARENA_ARRAY(arena, const SimulatedBlock *, n_ops),
                 .position = ARENA_ARRAY(arena, uint32_t, n_ops),
                 .stamp = ARENA_ARRAY(arena, uint32_t, n_ops),
                 .group_flops = ARENA_ARRAY(arena, double, n_ops),
                 .group_bytes = ARENA_ARRAY(arena, double, n_ops),
                 .home = ARENA_ARRAY(arena, uint32_t, n_values),
                 .read_by = ARENA_ARRAY(arena, uint32_t, n_values),
                 .last = ARENA_ARRAY(arena, uint32_t, n_values),
                 .buffer = ARENA_ARRAY(arena, uint32_t, n_values)};
  s.blocking = machine_overlap_axes(machine, local->context, mesh, OVERLAP_NONE);
  s.pipelined = machine_overlap_axes(machine, local->context, mesh, OVERLAP_PIPELINED);
  s.blocking |= s.pipelined;
  s.network = machine_network_reached(machine, local->context, mesh, s.rates.links, arena);
  memset(s.buffer, 0xff, n_values * sizeof *s.buffer);
  s.slack = slack_find(local, arena);
  fusion_find(local, arena, &s.fusion);
  if (machine->fused_attention) {
    attention_find(local, &s.fusion, arena, &s.attention);
    for (ValueId v = 0; v < n_values; v++) s.fusion.stored[v] &= !s.attention.hidden[v];
  }
  runs_count(local, NULL, arena, &s.runs);
  Entries entries = program_entries(local, arena);
  OpId function = entries.n ? entries.v[0] : 0;
  BlockId block = function && op_at(local, function)->n_regions
                      ? region_block(local, op_region(local, function, 0))
                      : 0;
  if (!block) return;
  for (uint32_t i = 0; i < block_at(local, block)->n_args; i++)
    out->argument_bytes += fusion_bytes(local, value_type(local, block_arg(local, block, i)));
  for (uint32_t i = 0; i < function_n_results(local, function); i++)
    out->result_bytes += fusion_bytes(local, function_result_type(local, function, i));
  sum_up(&s, simulate_block(&s, block, BLOCK_ENTRY, function), out);
  out->undonated_bytes = s.undonated_bytes;
}
