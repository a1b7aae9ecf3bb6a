// One walk over the program; rows are few, so they are looked up one after the other.
#include "partition/traffic.h"

#include "base/vec.h"
#include "ops/groups.h"
#include "ops/op.h"

typedef VEC(TrafficRow) RowVec;

static double bytes_of(const Program *p, OpId op) {
  double bytes = 0;
  for (uint32_t i = 0; i < op_at(p, op)->n_operands; i++) {
    Type type = value_type(p, op_operand(p, op, i));
    int64_t count;
    if (type_count(p->context, type, &count))
      bytes += (double)count * dtype_bytes(type_dtype(p->context, type));
  }
  return bytes;
}

static bool in_loop(const Program *p, OpId op) {
  for (OpId o = op_parent(p, op); o; o = op_parent(p, o)) {
    const OpDef *def = op_row(op_at(p, o)->code)->def;
    if (def && def->flow == FLOW_LOOP) return true;
  }
  return false;
}

// What leaves a device of a group of n, each with so many bytes in its operands.
static double bytes_out(uint16_t code, double n, double bytes) {
  switch (code) {
  case OP_all_gather: return (n - 1) * bytes;
  case OP_all_reduce: return 2 * (n - 1) / n * bytes;
  case OP_reduce_scatter:
  case OP_all_to_all: return (n - 1) / n * bytes;
  default: return bytes;
  }
}

static TrafficRow row_of(const Program *p, OpId op, uint32_t n_devices) {
  TrafficRow row = {.code = op_at(p, op)->code, .count = 1, .in_loops = in_loop(p, op)};
  double bytes = bytes_of(p, op);
  Attr pairs = op_attr(p, op, "source_target_pairs");
  if (pairs) {
    Ints ids = attr_as_ints(p->context, pairs);
    for (uint32_t i = 0; i + 1 < ids.n; i += 2) row.n_groups += ids.v[i] != ids.v[i + 1];
    row.bytes = bytes * row.n_groups / n_devices;
    return row;
  }
  Groups groups = {.n = 1, .width = n_devices};
  const char *why;
  bool both = row.code != OP_all_to_all && row.code != OP_collective_broadcast;
  if (!groups_read(p->context, p, op, op_at(p, op)->attrs, both, &groups, &why) || !groups.width)
    groups = (Groups){.n = 1, .width = n_devices};
  row.n_groups = groups.n;
  row.width = groups.width;
  row.bytes = bytes_out(row.code, groups.width, bytes);
  return row;
}

double traffic_of(const Program *local, OpId op, uint32_t n_devices) {
  return row_of(local, op, n_devices).bytes;
}

static void add(RowVec *rows, Arena *arena, const TrafficRow *row) {
  for (uint32_t i = 0; i < rows->count; i++) {
    TrafficRow *r = &rows->items[i];
    if (r->code != row->code || r->n_groups != row->n_groups || r->width != row->width) continue;
    r->count += row->count;
    r->in_loops += row->in_loops;
    r->bytes += row->bytes;
    return;
  }
  VEC_PUSH(arena, rows, *row);
}

void traffic_count(const Program *local, uint32_t n_devices, Arena *arena, Traffic *out) {
  RowVec rows = {0};
  *out = (Traffic){0};
  for (OpId o = local->root; o; o = op_walk_next(local, o, local->root)) {
    if (!(op_row(op_at(local, o)->code)->traits & TRAIT_COLLECTIVE)) continue;
    TrafficRow row = row_of(local, o, n_devices);
    add(&rows, arena, &row);
    out->count++;
    out->bytes += row.bytes;
  }
  out->rows = rows.items;
  out->n_rows = rows.count;
}
