// Redundant work: a list of the ops of which a device computes more than the ideal, with cause and
// advice.
//
// Idea. The decision about an op (axes per factor) tells which axes split nothing, so which devices
// compute the same (walk_note). Writing adds the FLOPs of the local ops (walk_note_written). Totals
// are known when the local program is complete, since trip counts and calls multiply them
// (walk_list_redundant).
//
// Invariant. A note has numbers only. Names and sentences are made for the few rows that remain.
//
// Cost. O(local ops + rows · log rows).
#include "partition/redundant.h"

#include <math.h>
#include <stdlib.h>

#include "ops/work.h"
#include "partition/walk.h"

// Bounds relative to the FLOPs beyond the ideal of the largest row or op. Rows below least_row are
// not listed. Ops below least_op are dropped before ops of one line are merged.
static const double least_row = 0.05, least_op = 1e-3;

// A dimension of a tensor of the op that could be split over more axes, or that is padded.
typedef struct Room {
  uint32_t tensor, dim;
  int64_t size;   // of the dimension
  int64_t tiles;  // with the axis
  AxisList axes;  // of the factor with those that it could take; in the walk's arena
  bool found, reduces;
} Room;

struct RedundantNote {
  OpId op, local;       // of the global program; the largest local op written for it, or 0
  double flops, ideal;  // of one run
  RedundantCause cause;
  uint32_t devices;
  uint64_t axes;  // bit set of mesh axes
  MeshId mesh;
  Room room;      // of UNUSED and PADDING
  double padded;  // PADDING: FLOPs with padding / FLOPs without
  bool masks;     // PADDING: masks cost more than the padding itself
};

// ---- noting ----

// FLOPs of an op and of the ops in its regions.
static double work_of(const Program *p, OpId op) {
  double work = 0;
  for (OpId o = op; o; o = op_walk_next(p, o, op)) work += op_work(p, o);
  return work;
}

static void use_axes(AxisList axes, int64_t *used) {
  for (uint32_t i = 0; i < axes.n; i++) used[axes.v[i].axis] *= axes.v[i].size;
}

static uint64_t bits_of(AxisList axes) {
  uint64_t bits = 0;
  for (uint32_t i = 0; i < axes.n; i++)
    if (axes.v[i].axis < 64) bits |= (uint64_t)1 << axes.v[i].axis;
  return bits;
}

// Finds a tensor and dimension to name in the advice about a factor: an operand that is computed
// from an argument, else any operand, else a result. Not a rematerialized operand: sharding it
// changes nothing.
static bool find_tensor(Partition *t, const Localizer *cx, uint32_t f, Room *room) {
  uint32_t n = cx->map->n_operands, best = 0;
  for (uint32_t i = 0; i < factor_map_n_tensors(cx->map); i++) {
    uint32_t dim, place, rank = 1;
    if (!factor_map_find(cx->map, i, f, &dim, &place) || factor_map_dim(cx->map, i, dim).n != 1)
      continue;
    if (i < n) {
      ValueId v = op_operand(t->p, cx->op, i);
      rank = walk_is_rematerialized(t, v) ? 0 : origin_of(&t->words.origins, v) ? 3 : 2;
    }
    if (rank <= best) continue;
    best = rank;
    room->tensor = i;
    room->dim = dim;
  }
  return best > 0;
}

// Finds the factor that could take more axes. Pass-through factors come before reduced ones, even
// splits before padded ones, then the one with the largest tiles.
static Room find_room(Partition *t, const Localizer *cx, AxisList more) {
  Room best = {0};
  int best_rank = -1;
  for (uint32_t f = 0; f < cx->map->n_factors; f++) {
    const Factor *factor = &cx->map->factors[f];
    int64_t tiles = localize_ways(cx, f) * axes_size(more);
    if (factor->size < 2 || tiles > factor->size || !walk_can_split(t, cx->op, cx->map, f))
      continue;
    bool reduces = (factor->kinds & FACTOR_REDUCE) != 0, divides = factor->size % tiles == 0;
    int rank = 2 * !reduces + divides;
    Room room = {.size = factor->size,
                 .tiles = tiles,
                 .axes = cx->splits[f].axes,
                 .found = true,
                 .reduces = reduces};
    bool larger = best.found && room.size / room.tiles > best.size / best.tiles;
    if (rank < best_rank || (rank == best_rank && !larger)) continue;
    if (!find_tensor(t, cx, f, &room)) continue;
    best_rank = rank;
    best = room;
  }
  if (best.found) best.axes = axes_concat(&t->arena, best.axes, more);
  return best;
}

// The factor that is padded most. *out_padded is the ratio of all factors together.
static Room find_padded(Partition *t, const Localizer *cx, uint64_t *out_axes, double *out_padded) {
  Room best = {0};
  double most = 1;
  *out_padded = 1;
  for (uint32_t f = 0; f < cx->map->n_factors; f++) {
    int64_t size = cx->map->factors[f].size, ways = localize_ways(cx, f);
    if (size < 1 || ways < 2 || size % ways == 0) continue;
    double ratio = (double)((size + ways - 1) / ways * ways) / (double)size;
    Room room = {.size = size,
                 .tiles = ways,
                 .found = true,
                 .reduces = (cx->map->factors[f].kinds & FACTOR_REDUCE) != 0};
    *out_padded *= ratio;
    if (ratio <= most || !find_tensor(t, cx, f, &room)) continue;
    most = ratio;
    best = room;
    *out_axes = bits_of(cx->splits[f].axes);
  }
  return best;
}

// Finds the cause: unused axes, else partial operands, else padding, else the local form. used: per
// axis, the product of the sub-axis sizes that split a factor, are manual or unreduced. Devices
// along the rest of the axis compute the same.
static void explain(Partition *t, const Localizer *cx, RedundantNote *note) {
  const Mesh *mesh = sharding_mesh(t->table, t->mesh);
  int64_t *used = ARENA_ARRAY(&t->scratch, int64_t, mesh->n_axes + 1);
  for (uint32_t i = 0; i < mesh->n_axes; i++) used[i] = 1;
  use_axes(t->local.manual, used);
  AxisList carried = {NULL, 0};
  for (uint32_t f = 0; cx && f < cx->map->n_factors; f++) use_axes(cx->splits[f].axes, used);
  for (uint32_t i = 0; cx && i < cx->map->n_operands && !carried.n; i++)
    carried = sharding_info(t->table, cx->in_as[i])->unreduced;
  use_axes(carried, used);
  AxisRef *free = ARENA_ARRAY(&t->scratch, AxisRef, mesh->n_axes + 1);
  uint32_t n_free = 0, largest = 0;
  for (uint32_t i = 0; i < mesh->n_axes; i++) {
    int64_t size = mesh->axes[i].size, copies = used[i] > 0 ? size / used[i] : 1;
    if (copies < 2) continue;
    note->devices *= (uint32_t)copies;
    if (i < 64) note->axes |= (uint64_t)1 << i;
    if (used[i] != 1) continue;
    free[n_free] = axis_full(mesh, i);
    if (size > free[largest].size) largest = n_free;
    n_free++;
  }
  if (note->devices > 1) {
    if (cx && n_free) note->room = find_room(t, cx, (AxisList){free, n_free});
    if (cx && n_free > 1 && !note->room.found)
      note->room = find_room(t, cx, (AxisList){&free[largest], 1});
    note->cause = note->room.found || (cx && !n_free) ? REDUNDANT_UNUSED : REDUNDANT_CANNOT_SPLIT;
  } else if (carried.n) {
    note->cause = REDUNDANT_PARTIAL;
    note->axes = bits_of(carried);
  } else {
    if (cx) note->room = find_padded(t, cx, &note->axes, &note->padded);
    note->cause = note->room.found ? REDUNDANT_PADDING : REDUNDANT_OVERHEAD;
  }
}

RedundantNote *walk_note(Partition *t, OpId op, const Localizer *cx) {
  if (!t->mesh || !t->options.redundant) return NULL;
  double devices = sharding_mesh(t->table, t->mesh)->n_devices;
  RedundantNote *note = ARENA_NEW(&t->arena, RedundantNote);
  *note = (RedundantNote){.op = op,
                          .ideal = work_of(t->p, op) * (double)axes_size(t->local.manual) / devices,
                          .devices = 1,
                          .mesh = t->mesh};
  explain(t, cx, note);
  return note;
}

// Padding alone explains `padded` times the ideal. If the op computes more than that beyond it, the
// row says so. A reduced factor is masked because it is padded, so the advice still holds; other
// factors have halos or indices that another size would not avoid.
static void name_masks(RedundantNote *note) {
  if (note->cause != REDUNDANT_PADDING) return;
  double by_padding = note->ideal * (note->padded - 1);
  if (note->flops - note->ideal - by_padding <= by_padding) return;
  note->masks = note->room.reduces;
  if (note->masks) return;
  note->cause = REDUNDANT_OVERHEAD;
  note->axes = 0;
}

void walk_note_written(Partition *t, RedundantNote *note, BlockId block, OpId before) {
  if (!note) return;
  double most = 0;
  OpId o = before ? op_at(t->p, before)->next : block_at(t->p, block)->first;
  for (; o; o = op_at(t->p, o)->next) {
    double work = work_of(t->p, o);
    note->flops += work;
    if (work > most) note->local = o;
    if (work > most) most = work;
  }
  name_masks(note);
  if (note->flops > note->ideal && note->local) VEC_PUSH(&t->arena, &t->notes, *note);
}

// ---- rows ----

// How often a local op runs: the trip counts around it, times the calls of its function. The global
// program has the same calls.
static double runs_of_local(Partition *t, OpId local, bool *out_unknown) {
  OpId function = local;
  while (function && !(op_row(op_at(t->p, function)->code)->traits & TRAIT_FUNCTION))
    function = op_parent(t->p, function);
  OpId global = function ? op_at(t->p, function)->origin : 0;
  if (!global || global >= t->n_ops) return 0;
  *out_unknown |= t->runs.guesses[global];
  return op_runs(t->p, local, out_unknown) * t->runs.of[global];
}

// A dimension with fewer elements than devices: another size is no advice.
static bool is_short(const Room *room) { return room->size < room->tiles; }

static const char *room_advice(Partition *t, const RedundantNote *note, Arena *arena) {
  Words *words = &t->words;
  const Room *room = &note->room;
  uint32_t n = op_at(t->p, note->op)->n_operands;
  ValueId v = room->tensor < n ? op_operand(t->p, note->op, room->tensor)
                               : op_result(t->p, note->op, room->tensor - n);
  Name value = words_value(words, v), origin = words_origin(words, v);
  const char *name = value ? name_text(t->context, value) : "its operand";
  const char *from = origin && origin != value
                         ? arena_printf(arena, " (from %s)", name_text(t->context, origin))
                         : "";
  long long size = room->size, padded = (room->size + room->tiles - 1) / room->tiles * room->tiles;
  if (note->cause == REDUNDANT_PADDING && is_short(room))
    return arena_printf(arena, "dim %u of %s%s has %lld element%s for %lld devices", room->dim,
                        name, from, size, size == 1 ? "" : "s", (long long)room->tiles);
  if (note->cause == REDUNDANT_PADDING)
    return arena_printf(arena,
                        "make dim %u of %s%s a multiple of %lld (%lld elements are padded to %lld)",
                        room->dim, name, from, (long long)room->tiles, size, padded);
  StrBuf *out = &words->text;
  strbuf_printf(out, "shard dim %u of %s%s over ", room->dim, name, from);
  for (uint32_t i = 0; i < room->axes.n; i++) {
    if (i) strbuf_puts(out, ", ");
    axis_print(t->context, sharding_mesh(t->table, note->mesh), room->axes.v[i], out);
  }
  if (padded != size) strbuf_printf(out, " (%lld elements are padded to %lld)", size, padded);
  if (room->reduces) strbuf_puts(out, " (its results become partial and are combined)");
  const char *text = arena_printf(arena, "%.*s", (int)out->used, out->data);
  out->used = 0;
  return text;
}

static const char *advice(Partition *t, const RedundantNote *note, Arena *arena) {
  switch (note->cause) {
  case REDUNDANT_UNUSED:
    if (note->room.found) return room_advice(t, note, arena);
    return "shard one of its dimensions over the rest of the axis";
  case REDUNDANT_PADDING: return room_advice(t, note, arena);
  case REDUNDANT_CANNOT_SPLIT: return "no dimension of it can take the axis";
  case REDUNDANT_PARTIAL: return "reduce its operands before it";
  default: return "";
  }
}

static Redundant row_of(Partition *t, const RedundantNote *note, Arena *arena) {
  const Mesh *mesh = sharding_mesh(t->table, note->mesh);
  const char **axes = ARENA_ARRAY(arena, const char *, mesh->n_axes + 1);
  uint32_t n = 0;
  for (uint32_t i = 0; i < mesh->n_axes && i < 64; i++)
    if (note->axes >> i & 1) axes[n++] = name_text(t->context, mesh->axes[i].name);
  return (Redundant){.op = words_op(&t->words, note->op),
                     .count = 1,
                     .cause = note->cause,
                     .devices = note->devices,
                     .masks = note->masks,
                     .possible = note->cause != REDUNDANT_CANNOT_SPLIT &&
                                 !(note->cause == REDUNDANT_PADDING && is_short(&note->room)),
                     .axes = axes,
                     .n_axes = n};
}

// A note with its totals over all runs.
typedef struct Counted {
  const RedundantNote *note;
  Redundant row;
  double more;  // FLOPs beyond the ideal
  uint32_t order;
} Counted;

static int by_note(const void *x, const void *y) {
  const Counted *a = x, *b = y;
  const Redundant *r = &a->row, *s = &b->row;
  if (r->op.file != s->op.file) return r->op.file < s->op.file ? -1 : 1;
  if (r->op.line != s->op.line) return r->op.line < s->op.line ? -1 : 1;
  if (r->op.name != s->op.name) return r->op.name < s->op.name ? -1 : 1;
  if (r->cause != s->cause) return r->cause < s->cause ? -1 : 1;
  if (r->masks != s->masks) return r->masks < s->masks ? -1 : 1;
  if (r->possible != s->possible) return r->possible < s->possible ? -1 : 1;
  if (a->note->axes != b->note->axes) return a->note->axes < b->note->axes ? -1 : 1;
  if (!r->op.file && a->note->op != b->note->op) return a->note->op < b->note->op ? -1 : 1;
  return 0;
}

static int by_note_in_order(const void *x, const void *y) {
  const Counted *a = x, *b = y;
  int order = by_note(x, y);
  return order ? order : a->order < b->order ? -1 : a->order > b->order;
}

static int by_more(const void *x, const void *y) {
  const Counted *a = x, *b = y;
  if (a->more != b->more) return a->more > b->more ? -1 : 1;
  return a->order < b->order ? -1 : a->order > b->order;
}

// Merges neighbours that are equal by by_note: an op that was written several times, and ops of one
// line with the same cause.
static uint32_t merge(Counted *rows, uint32_t n) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n; i++) {
    Counted *last = kept ? &rows[kept - 1] : NULL;
    if (!last || by_note(last, &rows[i]) != 0) {
      rows[kept++] = rows[i];
      continue;
    }
    last->row.count++;
    last->row.flops += rows[i].row.flops;
    last->row.ideal += rows[i].row.ideal;
    last->row.guess |= rows[i].row.guess;
    last->more += rows[i].more;
  }
  return kept;
}

static void write_axis_names(StrBuf *out, const Redundant *row) {
  for (uint32_t i = 0; i < row->n_axes; i++)
    strbuf_printf(out, "%s\"%s\"", i ? ", " : " over ", row->axes[i]);
}

// `%7 = stablehlo.subtract (mlp.mlir:13): 6 FLOPs per device, ideal 3; 2 devices over "model"
// compute the same; to avoid it: shard …`
static void write_sentence(const Context *context, const Redundant *row, StrBuf *out) {
  words_put_op(context, &row->op, out);
  if (row->count > 1) strbuf_printf(out, " and %u more at this line", row->count - 1);
  strbuf_printf(out, ": %.3g FLOPs per device%s, ideal %.3g; ", row->flops,
                row->guess ? " (guess)" : "", row->ideal);
  switch (row->cause) {
  case REDUNDANT_UNUSED:
  case REDUNDANT_CANNOT_SPLIT:
    strbuf_printf(out, "%u devices", row->devices);
    write_axis_names(out, row);
    strbuf_puts(out, " compute the same");
    break;
  case REDUNDANT_PARTIAL:
    strbuf_puts(out, "each device computes it on its partial operands");
    write_axis_names(out, row);
    break;
  case REDUNDANT_PADDING:
    strbuf_puts(out, row->masks ? "devices mask padding" : "devices compute on padding");
    write_axis_names(out, row);
    break;
  case REDUNDANT_OVERHEAD: strbuf_puts(out, "its local form has masks, halos or indices"); break;
  }
  if (*row->avoid) strbuf_printf(out, "; %s%s", row->possible ? "to avoid it: " : "", row->avoid);
}

void walk_list_redundant(Partition *t) {
  if (!t->options.redundant) return;
  RedundantList *out = t->options.redundant;
  Counted *rows = ARENA_ARRAY(&t->arena, Counted, t->notes.count + 1);
  double most = 0;
  uint32_t n = 0, kept = 0;
  for (uint32_t i = 0; i < t->notes.count; i++) {
    const RedundantNote *note = &t->notes.items[i];
    if (!op_at(t->p, note->local)->code) continue;  // erased: its results have no users
    bool unknown = false;
    double runs = runs_of_local(t, note->local, &unknown);
    Counted row = {.note = note, .more = (note->flops - note->ideal) * runs, .order = i};
    row.row = (Redundant){.flops = note->flops * runs,
                          .ideal = note->ideal * runs,
                          .guess = unknown && !t->p->trip_count};
    most = fmax(most, row.more);
    rows[n++] = row;
  }
  for (uint32_t i = 0; i < n; i++) {
    if (rows[i].more <= least_op * most) continue;
    Redundant row = row_of(t, rows[i].note, out->arena), sums = rows[i].row;
    row.flops = sums.flops;
    row.ideal = sums.ideal;
    row.guess = sums.guess;
    rows[i].row = row;
    rows[kept++] = rows[i];
  }
  if (kept) qsort(rows, kept, sizeof *rows, by_note_in_order);
  kept = merge(rows, kept);
  if (kept) qsort(rows, kept, sizeof *rows, by_more);
  while (kept && rows[kept - 1].more < least_row * rows[0].more) kept--;
  Redundant *list = ARENA_ARRAY(out->arena, Redundant, kept + 1);
  for (uint32_t i = 0; i < kept; i++) {
    list[i] = rows[i].row;
    list[i].avoid = advice(t, rows[i].note, out->arena);
    StrBuf *text = &t->words.text;
    write_sentence(t->context, &list[i], text);
    list[i].why = arena_printf(out->arena, "%.*s", (int)text->used, text->data);
    text->used = 0;
  }
  out->rows = list;
  out->n = kept;
}

// ---- JSON ----

const char *redundant_cause_name(RedundantCause cause) {
  static const char *const names[] = {"unused_axes", "cannot_split", "partial", "padding",
                                      "overhead"};
  return names[cause];
}

void redundant_json(const Context *context, const RedundantList *list, Json *json) {
  json_open(json, '[');
  for (uint32_t i = 0; i < list->n; i++) {
    const Redundant *row = &list->rows[i];
    json_open(json, '{');
    json_key(json, "op"), op_words_json(context, &row->op, json);
    json_key(json, "count"), json_uint(json, row->count);
    json_key(json, "flops"), json_double(json, row->flops);
    json_key(json, "ideal_flops"), json_double(json, row->ideal);
    json_key(json, "cause"), json_string(json, redundant_cause_name(row->cause));
    json_key(json, "devices"), json_uint(json, row->devices);
    json_key(json, "axes"), json_open(json, '[');
    for (uint32_t k = 0; k < row->n_axes; k++) json_string(json, row->axes[k]);
    json_close(json, ']');
    json_key(json, "avoid"), json_string(json, row->avoid);
    json_key(json, "why"), json_string(json, row->why);
    json_key(json, "guess"), json_bool(json, row->guess);
    json_close(json, '}');
  }
  json_close(json, ']');
}
