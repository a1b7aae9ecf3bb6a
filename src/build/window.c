// Problem: each device needs a window (an index range) of a sharded dimension. Parts of it lie in
// other devices' tiles.
//
// Idea: a window starts inside one tile and continues over the tiles to its right. Its intersection
// with the q-th of these tiles is its piece q. For each q, collective_permutes deliver piece q to
// all devices: a target has one source; a source with k targets needs k permutes. A source sends
// its first elements, or for piece 0 the elements from the start of the target's window. The
// concatenated pieces, sliced from the window's start, are the window:
//
//     tiles of 4    |0 1 2 3|4 5 6 7|8 9 . .|        windows of 4 at 2 + 4c
//     device 1                  6 7|8 9              piece 0 is its own, piece 1 from the right
//
// If windows are as far apart as tiles (halos), all offsets are static: concatenate and slice.
// Otherwise offsets are arithmetic on the device's coordinate. If an all_gather receives no more
// elements, or the permutes are many, the dimension is gathered and sliced instead.
//
// Invariant: an element of the result that is neither own nor received lies outside of the
// dimension (then it is `fill`), or the caller does not need it (from, end, abuts). Planning costs
// O(devices · pieces).
#include "ops/builder.h"

enum { MOST_PIECES = 64, FEW_PERMUTES = 8, ANY = -1 };

typedef struct Piece {
  int64_t q;
  int64_t length;  // maximum over the targets, since local shapes are uniform
  // True: devices that own their piece slice it locally, and only the others receive one. That
  // saves if the longest piece is an owned one, or if a source serves itself and another device.
  bool apart;
  int64_t own, sent;   // elements sliced locally, received; both are `length` unless apart
  int64_t n_permutes;  // 0: every device owns its piece
  int64_t *sources;    // per target; ANY: it needs no such piece
  int64_t *lengths;    // per target
  int64_t *permutes;   // per target: the permute that delivers its piece; ANY: none
} Piece;

typedef struct Plan {
  int64_t n, tile, size;
  BuildWindow w;
  Piece pieces[MOST_PIECES];  // by q, none empty
  uint32_t n_pieces;
  bool gathers;  // an all_gather is cheaper: pieces are meaningless
} Plan;

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

static int64_t begin_of(const Plan *p, int64_t c) {
  return floor_div(p->w.first + p->w.step * c, most(p->w.divisor, 1));
}
// The tile that holds the window's first element; outside of [0, n) if that lies outside.
static int64_t source_of(const Plan *p, int64_t c) { return floor_div(begin_of(p, c), p->tile); }
// The window's start within that tile.
static int64_t at_of(const Plan *p, int64_t c) {
  return begin_of(p, c) - source_of(p, c) * p->tile;
}

// ---- the plan: sources and targets ----

// Piece q, added at its sorted position if missing; NULL if there are too many.
static Piece *piece_find(Plan *p, Arena *arena, int64_t q) {
  uint32_t i = 0;
  while (i < p->n_pieces && p->pieces[i].q < q) i++;
  if (i < p->n_pieces && p->pieces[i].q == q) return &p->pieces[i];
  if (p->n_pieces == MOST_PIECES) return NULL;
  for (uint32_t k = p->n_pieces++; k > i; k--) p->pieces[k] = p->pieces[k - 1];
  Piece *b = &p->pieces[i];
  *b = (Piece){.q = q,
               .sources = ARENA_ARRAY(arena, int64_t, (size_t)p->n),
               .lengths = ARENA_ARRAY(arena, int64_t, (size_t)p->n),
               .permutes = ARENA_ARRAY(arena, int64_t, (size_t)p->n)};
  for (int64_t c = 0; c < p->n; c++) b->sources[c] = ANY;
  return b;
}

// Adds the pieces of one device's window. False: too many.
static bool add_device(Plan *p, Arena *arena, int64_t c) {
  int64_t begin = begin_of(p, c), end = begin + p->w.length, first = source_of(p, c), s = first;
  if (!p->w.wraps) {
    end = least(end, p->w.end > 0 ? least(p->w.end, p->size) : p->size);
    s = most(first, p->w.from / p->tile);
  }
  if (p->w.abuts) end = least(end, begin_of(p, c + 1));
  for (; (p->w.wraps || s < p->n) && s * p->tile < end; s++) {
    int64_t from = most(begin, s * p->tile), to = least(end, (s + 1) * p->tile);
    if (to <= from || (!p->w.wraps && to <= p->w.from)) continue;
    Piece *b = piece_find(p, arena, s - first);
    if (!b) return false;
    b->sources[c] = (s % p->n + p->n) % p->n;
    b->lengths[c] = to - from;
  }
  return true;
}

// Numbers the targets of each source: target number k is served by permute k, so a permute has each
// device at most once as source and as target.
static void assign_permutes(const Plan *p, Arena *arena, Piece *b, bool apart) {
  int64_t *served = ARENA_ARRAY(arena, int64_t, (size_t)p->n);
  b->apart = apart;
  b->own = b->sent = b->n_permutes = 0;
  for (int64_t c = 0; c < p->n; c++) {
    b->permutes[c] = ANY;
    if (b->sources[c] == ANY) continue;
    if (b->sources[c] == c) b->own = most(b->own, b->lengths[c]);
    if (b->sources[c] == c && apart) continue;
    b->sent = most(b->sent, b->lengths[c]);
    b->permutes[c] = served[b->sources[c]]++;
    b->n_permutes = most(b->n_permutes, b->permutes[c] + 1);
  }
  b->length = most(b->own, b->sent);
  if (!apart) b->own = b->sent = b->length;
}

// Without `apart`, the program has no select between owned and received pieces: prefer that if it
// sends no more elements.
static void choose_permutes(const Plan *p, Arena *arena, Piece *b) {
  assign_permutes(p, arena, b, true);
  int64_t sent = b->n_permutes * b->sent;
  if (!b->n_permutes) return;
  assign_permutes(p, arena, b, false);
  if (sent < b->n_permutes * b->sent) assign_permutes(p, arena, b, true);
}

// Elements that a device receives, on average.
static double received(const Plan *p) {
  int64_t sum = 0;
  for (uint32_t i = 0; i < p->n_pieces; i++)
    for (int64_t c = 0; c < p->n; c++)
      if (p->pieces[i].sources[c] != ANY && p->pieces[i].sources[c] != c) sum += p->pieces[i].sent;
  return (double)sum / (double)p->n;
}

// A single permute never loses to an all_gather. Many permutes run one after another: beyond
// FEW_PERMUTES their latency exceeds the gather's.
static bool is_gather_cheaper(const Plan *p) {
  int64_t permutes = 0;
  for (uint32_t i = 0; i < p->n_pieces; i++) permutes += p->pieces[i].n_permutes;
  if (permutes <= 1) return false;
  return received(p) >= (double)(p->tile * (p->n - 1)) ||
         (permutes > FEW_PERMUTES && permutes > p->n / 4);
}

static void plan_make(Plan *p, Arena *arena, int64_t size, int64_t devices, BuildWindow w) {
  int64_t tile = w.tile ? w.tile : (size + devices - 1) / devices;
  *p = (Plan){.n = devices, .tile = tile, .size = size, .w = w};
  for (int64_t c = 0; c < devices && p->tile && w.length && !p->gathers; c++)
    p->gathers = !add_device(p, arena, c);
  for (uint32_t i = 0; i < p->n_pieces && !p->gathers; i++)
    choose_permutes(p, arena, &p->pieces[i]);
  p->gathers = p->gathers || is_gather_cheaper(p);
}

double build_window_received(Builder *b, int64_t size, int64_t devices, BuildWindow w) {
  ArenaMark mark = arena_mark(b->arena);
  Plan *p = ARENA_NEW(b->arena, Plan);
  plan_make(p, b->arena, size, devices, w);
  double elements = p->gathers ? (double)(p->tile * (devices - 1)) : received(p);
  arena_rewind(b->arena, mark);
  return elements;
}

// ---- numbers that depend on the device ----

// Dimension d, sharded along the axes.
typedef struct Dimension {
  Builder *b;
  uint32_t d;
  AxisList axes;
} Dimension;

// first + step · coordinate.
static ValueId affine(Dimension x, int64_t first, int64_t step) {
  if (!step) return build_index(x.b, first);
  ValueId v = build_coordinate(x.b, x.axes);
  if (step != 1) v = build_binary(x.b, OP_multiply, v, build_index(x.b, step));
  return first ? build_binary(x.b, OP_add, v, build_index(x.b, first)) : v;
}

// The window's start plus `shift`: tensor<i64>.
static ValueId begin(Dimension x, const Plan *p, int64_t shift) {
  int64_t divisor = p->w.divisor, first = p->w.first, step = p->w.step;
  if (divisor <= 1) return affine(x, first + shift, step);
  // stablehlo.divide truncates towards 0, floor_div does not: shift up so that nothing is negative.
  int64_t up = most(-begin_of(p, 0), -begin_of(p, p->n - 1));
  up = most(up, 0);
  ValueId v = build_binary(x.b, OP_divide, affine(x, first + up * divisor, step),
                           build_index(x.b, divisor));
  return shift == up ? v : build_binary(x.b, OP_add, v, build_index(x.b, shift - up));
}

// Is values[c] = first + step · (c mod period), where it is not ANY?
static bool fits(const int64_t *values, int64_t n, int64_t period, int64_t *first, int64_t *step) {
  int64_t a = ANY, b = ANY;  // two devices that determine the line
  for (int64_t c = 0; c < n && b == ANY; c++) {
    if (values[c] == ANY) continue;
    if (a == ANY)
      a = c;
    else if (c % period != a % period)
      b = c;
  }
  if (a == ANY) a = 0;
  *step = 0;
  if (b != ANY) {
    int64_t rise = values[b] - values[a], run = b % period - a % period;
    if (rise % run) return false;
    *step = rise / run;
  }
  *first = values[a] - *step * (a % period);
  for (int64_t c = 0; c < n; c++)
    if (values[c] != ANY && values[c] != *first + *step * (c % period)) return false;
  return true;
}

// values[c] on the device with coordinate c, any number if that is ANY: tensor<i64>. Arithmetic if
// the values are affine or periodic, else a table lookup.
static ValueId number(Dimension x, const int64_t *values, int64_t n) {
  enum { MOST_PERIOD = 16 };
  Builder *b = x.b;
  int64_t first, step;
  if (fits(values, n, n, &first, &step)) return affine(x, first, step);
  for (int64_t period = 2; period < n && period <= MOST_PERIOD; period++) {
    if (!fits(values, n, period, &first, &step)) continue;
    ValueId v = build_binary(b, OP_remainder, build_coordinate(b, x.axes), build_index(b, period));
    if (step != 1) v = build_binary(b, OP_multiply, v, build_index(b, step));
    return first ? build_binary(b, OP_add, v, build_index(b, first)) : v;
  }
  return build_table(b, n, values, build_coordinate(b, x.axes));
}

// Is values[c] the same for all c, where it is not ANY?
static bool is_fixed(const int64_t *values, int64_t n, int64_t *out) {
  *out = 0;
  for (int64_t c = 0, seen = 0; c < n; c++) {
    if (values[c] == ANY) continue;
    if (seen++ && values[c] != *out) return false;
    *out = values[c];
  }
  return true;
}

static ValueId slice_at(Dimension x, ValueId v, const int64_t *starts, int64_t n, int64_t length) {
  if (build_dim(x.b, v, x.d) == length) return v;
  int64_t start;
  if (is_fixed(starts, n, &start)) return build_slice(x.b, v, x.d, start, start + length, 1);
  return build_dynamic_slice(x.b, v, x.d, number(x, starts, n), length);
}

// ---- the plan as ops ----

// The predicate values[coordinate] < limit; either answer if that is ANY. One comparison of the
// coordinate if the values below the limit are those of the first devices.
static ValueId is_below(Dimension x, const int64_t *values, int64_t n, int64_t limit) {
  int64_t first = n, last = -1;  // the first value not below the limit, the last one below it
  for (int64_t c = 0; c < n; c++) {
    if (values[c] == ANY) continue;
    if (values[c] < limit) last = c;
    if (values[c] >= limit) first = least(first, c);
  }
  if (last < first)
    return build_compare(x.b, "LE", build_coordinate(x.b, x.axes), build_index(x.b, last));
  return build_compare(x.b, "LT", number(x, values, n), build_index(x.b, limit));
}

// The slice of v that each source sends in a permute; ANY: the pieces that devices own.
static ValueId put_send(Dimension x, const Plan *p, const Piece *b, int64_t permute, ValueId v) {
  int64_t *starts = ARENA_ARRAY(x.b->arena, int64_t, (size_t)p->n);
  int64_t length = permute == ANY ? b->own : b->sent;
  for (int64_t c = 0; c < p->n; c++) starts[c] = ANY;
  for (int64_t c = 0; c < p->n; c++)
    if (b->sources[c] != ANY && b->permutes[c] == permute)
      starts[b->sources[c]] = b->q ? 0 : least(at_of(p, c), p->tile - length);
  return slice_at(x, v, starts, p->n, length);
}

static ValueId put_permute(Dimension x, const Plan *p, const Piece *b, int64_t permute, ValueId v) {
  int64_t(*pairs)[2] = arena_alloc(x.b->arena, (size_t)p->n * sizeof *pairs);
  uint32_t count = 0;
  for (int64_t c = 0; c < p->n; c++) {
    if (b->permutes[c] != permute) continue;
    pairs[count][0] = b->sources[c];
    pairs[count++][1] = c;
  }
  v = put_send(x, p, b, permute, v);
  return build_permute_along(x.b, v, x.axes, count, (const int64_t(*)[2])pairs);
}

// Pads v to the piece's length. Piece 0 must end where piece 1 begins, so its padding goes in
// front; other pieces begin where the previous one ends, so theirs goes behind.
static ValueId fit(Dimension x, const Piece *b, ValueId v) {
  int64_t more = b->length - build_dim(x.b, v, x.d);
  return build_pad(x.b, v, x.d, b->q ? 0 : more, b->q ? more : 0, 0);
}

// Piece b of every device: a chain of selects over its permutes, and over the owned one if apart.
static ValueId put_piece(Dimension x, const Plan *p, const Piece *b, ValueId v) {
  if (!b->n_permutes) return put_send(x, p, b, ANY, v);
  ValueId piece = put_permute(x, p, b, b->n_permutes - 1, v);
  for (int64_t r = b->n_permutes - 1; r > 0; r--)
    piece =
        build_select(x.b, is_below(x, b->permutes, p->n, r), put_permute(x, p, b, r - 1, v), piece);
  if (!b->apart) return piece;
  int64_t *others = ARENA_ARRAY(x.b->arena, int64_t, (size_t)p->n);
  for (int64_t c = 0; c < p->n; c++) others[c] = b->sources[c] == ANY ? ANY : b->sources[c] != c;
  ValueId own = fit(x, b, put_send(x, p, b, ANY, v));
  return build_select(x.b, is_below(x, others, p->n, 1), own, fit(x, b, piece));
}

// Does the device with coordinate c need any element?
static bool needs_any(const Plan *p, int64_t c) {
  for (uint32_t i = 0; i < p->n_pieces; i++)
    if (p->pieces[i].sources[c] != ANY) return true;
  return false;
}

// The start of each device's window in the concatenated pieces. Their element 0 is element `origin`
// of the first tile that the window touches. *out_below: elements of padding that go in front so
// that no start is negative; the starts include it.
static void set_starts(const Plan *p, int64_t origin, int64_t *starts, int64_t *out_below) {
  *out_below = 0;
  for (int64_t c = 0; c < p->n; c++) {
    if (!needs_any(p, c)) continue;
    starts[c] = at_of(p, c) - origin;
    const Piece *b = &p->pieces[0];
    if (!b->q && b->sources[c] != ANY) {  // a slice that ends before its tile starts at the window
      int64_t length = b->sources[c] == c ? b->own : b->sent;
      starts[c] = most(starts[c], b->length - length);
    }
    *out_below = most(*out_below, -starts[c]);
  }
  for (int64_t c = 0; c < p->n; c++) starts[c] = needs_any(p, c) ? starts[c] + *out_below : ANY;
}

// Concatenates the pieces, each padded to the start of the next one, and slices the window.
static ValueId put_pieces(Dimension x, const Plan *p, ValueId v) {
  Builder *to = x.b;
  ValueId pieces[MOST_PIECES];
  int64_t origin = p->pieces[0].q * p->tile;
  if (!p->pieces[0].q) origin = p->tile - p->pieces[0].length;
  for (uint32_t i = 0; i < p->n_pieces; i++) {
    const Piece *b = &p->pieces[i];
    pieces[i] = put_piece(x, p, b, v);
    if (i + 1 < p->n_pieces) {
      int64_t begin = i ? b->q * p->tile : origin;
      pieces[i] = build_pad_to(to, pieces[i], x.d, p->pieces[i + 1].q * p->tile - begin);
    }
  }
  ValueId all = build_concatenate(to, p->n_pieces, pieces, x.d);
  int64_t *starts = ARENA_ARRAY(to->arena, int64_t, (size_t)p->n);
  int64_t below, last = 0;
  set_starts(p, origin, starts, &below);
  for (int64_t c = 0; c < p->n; c++) last = most(last, starts[c]);
  int64_t has = below + build_dim(to, all, x.d);
  all = build_pad(to, all, x.d, below, most(last + p->w.length - has, 0), 0);
  return slice_at(x, all, starts, p->n, p->w.length);
}

// The window of a replicated dimension that wraps: v followed by its own first `length` elements,
// sliced at start mod size.
static ValueId put_ring(Dimension x, const Plan *p, ValueId v) {
  ValueId all[2] = {v, build_trim_to(x.b, v, x.d, p->w.length)};
  int64_t lowest = least(begin_of(p, 0), begin_of(p, p->n - 1));
  int64_t turns = most(-floor_div(lowest, p->size), 0);  // the remainder's operand must be >= 0
  ValueId at =
      build_binary(x.b, OP_remainder, begin(x, p, turns * p->size), build_index(x.b, p->size));
  return build_dynamic_slice(x.b, build_concatenate(x.b, 2, all, x.d), x.d, at, p->w.length);
}

// The window of a replicated dimension: pad, then slice at the device's start. A window that lies
// outside entirely needs padding of at most its length; dynamic_slice clamps the start.
static ValueId put_replicated(Dimension x, const Plan *p, ValueId v, ValueId fill) {
  if (p->w.wraps) return put_ring(x, p, v);
  int64_t a = begin_of(p, 0), b = begin_of(p, p->n - 1), length = p->w.length;
  int64_t low = least(most(-least(a, b), 0), length);
  int64_t high = least(most(most(a, b) + length - p->size, 0), length);
  v = build_pad(x.b, v, x.d, low, high, fill);
  return build_dynamic_slice(x.b, v, x.d, begin(x, p, low), length);
}

ValueId build_window_of_replicated(Builder *b, ValueId v, uint32_t d, AxisList axes, BuildWindow w,
                                   ValueId fill) {
  Plan *p = ARENA_NEW(b->arena, Plan);
  *p = (Plan){.n = axes_size(axes), .size = build_dim(b, v, d), .w = w};
  return put_replicated((Dimension){b, d, axes}, p, v, fill);
}

// The index in the window of element `at` of the dimension.
static ValueId index_in_window(Dimension x, const Plan *p, int64_t at) {
  if (p->w.divisor <= 1) return affine(x, at - p->w.first, -p->w.step);
  return build_binary(x.b, OP_subtract, build_index(x.b, 0), begin(x, p, -at));
}

// Masks the elements outside of the dimension, if any device's window has some.
static ValueId put_fill(Dimension x, const Plan *p, ValueId v, ValueId fill) {
  int64_t a = begin_of(p, 0), b = begin_of(p, p->n - 1);
  bool below = least(a, b)<0, beyond = most(a, b) + p->w.length> p->size;
  ValueId first = below ? index_in_window(x, p, 0) : 0;
  ValueId end = beyond ? index_in_window(x, p, p->size) : 0;
  return below || beyond ? build_mask(x.b, v, x.d, first, end, fill) : v;
}

static bool is_zero(const Builder *b, ValueId fill) {
  OpId def = value_def(b->p, fill);
  if (!def || op_at(b->p, def)->code != OP_constant) return false;
  const AttrInfo *dense = attr_info(b->p->context, op_attr(b->p, def, "value"));
  if (dense->kind != ATTR_DENSE || !dense->bytes) return false;
  for (size_t i = 0; i < dense->bytes; i++)
    if (((const uint8_t *)dense->data)[i]) return false;
  return true;
}

// collective_permute gives zeros to a device that is no target. Are all elements outside of the
// dimension such zeros? Then a zero fill needs no mask (halos of evenly sharded dimensions).
static bool has_zeros_outside(const Plan *p) {
  if (p->size != p->tile * p->n || p->w.step != p->tile || p->w.divisor > 1) return false;
  for (int64_t c = 0; c < p->n; c++) {
    int64_t begin = begin_of(p, c), end = begin + p->w.length;
    if (begin >= 0 && end <= p->size) continue;
    if (!needs_any(p, c)) return false;
    for (int64_t s = source_of(p, c); s * p->tile < end; s++) {
      if (s >= 0 && s < p->n) continue;
      int64_t from = most(begin, s * p->tile), to = least(end, (s + 1) * p->tile), q = 0;
      while (q < p->n_pieces && p->pieces[q].q != s - source_of(p, c)) q++;
      if (q == p->n_pieces || !p->pieces[q].n_permutes || p->pieces[q].length < to - from)
        return false;
    }
  }
  return true;
}

ValueId build_window(Builder *b, ValueId v, uint32_t d, AxisList axes, int64_t size, BuildWindow w,
                     ValueId fill) {
  Dimension x = {b, d, axes};
  Plan *p = ARENA_NEW(b->arena, Plan);
  int64_t count = 0;
  type_count(b->p->context, value_type(b->p, v), &count);
  if (count) plan_make(p, b->arena, size, axes_size(axes), w);
  if (p->gathers) {
    v = build_trim_to(b, build_all_gather(b, v, d, axes), d, size);
    return put_replicated(x, p, v, fill);
  }
  if (!p->n_pieces) return build_pad(b, build_slice(b, v, d, 0, 0, 1), d, 0, w.length, fill);
  v = put_pieces(x, p, v);
  bool done = !fill || w.wraps || (is_zero(b, fill) && has_zeros_outside(p));
  return done ? v : put_fill(x, p, v, fill);
}
