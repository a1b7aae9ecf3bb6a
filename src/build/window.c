// Windows over a cut dimension: each device takes from the others what it needs of their tiles.
//
// A window begins at some place of one device's tile and goes on over the tiles behind it. What it
// takes of these are its pieces, numbered from 0. Piece q of all devices is one exchange: each
// target has one source; a source of several targets serves them in rounds, one permute each. Of
// piece 0 a source sends elements from where its target's window begins, of the others its first
// ones. Behind each other, and cut where the window begins, they are the window:
//
//     tiles of 4    |0 1 2 3|4 5 6 7|8 9 . .|        windows of 4 at 2 + 4c
//     device 1                  6 7|8 9              piece 0 is its own, piece 1 from the right
//
// Where windows are as far apart as tiles (halos) all of this is static: concatenate and slice. If
// it takes more than gathering everything, everything is gathered. O(devices · pieces).
#include "ops/builder.h"

enum { MOST_PIECES = 64, FEW_PERMUTES = 8, ANY = -1 };

typedef struct Piece {
  int64_t q;
  int64_t length;  // as many elements as the neediest target takes
  // Those who have it themselves take it so, and less is sent to the others.
  bool apart;
  int64_t own, sent;  // elements then; otherwise both are the length
  int64_t n_rounds;   // permutes; 0: everybody has its own
  int64_t *sources;   // per target; ANY: it needs no such piece
  int64_t *lengths;   // per target
  int64_t *rounds;    // per target: in which it is served; ANY: in none
} Piece;

typedef struct Plan {
  int64_t n, tile, size;
  BuildWindow w;
  Piece pieces[MOST_PIECES];  // by q, none empty
  uint32_t n_pieces;
  bool gathers;  // that is cheaper: pieces say nothing
} Plan;

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

static int64_t begin_of(const Plan *p, int64_t c) {
  return floor_div(p->w.first + p->w.step * c, most(p->w.divisor, 1));
}
static int64_t source_of(const Plan *p, int64_t c) { return floor_div(begin_of(p, c), p->tile); }
static int64_t at_of(const Plan *p, int64_t c) {
  return begin_of(p, c) - source_of(p, c) * p->tile;
}

// ---- what is sent to whom ----

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
               .rounds = ARENA_ARRAY(arena, int64_t, (size_t)p->n)};
  for (int64_t c = 0; c < p->n; c++) b->sources[c] = ANY;
  return b;
}

// The pieces of one device's window. False: too many.
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

// Who is served in which round, and how much is sent.
static void set_rounds(const Plan *p, Arena *arena, Piece *b, bool apart) {
  int64_t *served = ARENA_ARRAY(arena, int64_t, (size_t)p->n);
  b->apart = apart;
  b->own = b->sent = b->n_rounds = 0;
  for (int64_t c = 0; c < p->n; c++) {
    b->rounds[c] = ANY;
    if (b->sources[c] == ANY) continue;
    if (b->sources[c] == c) b->own = most(b->own, b->lengths[c]);
    if (b->sources[c] == c && apart) continue;
    b->sent = most(b->sent, b->lengths[c]);
    b->rounds[c] = served[b->sources[c]]++;
    b->n_rounds = most(b->n_rounds, b->rounds[c] + 1);
  }
  b->length = most(b->own, b->sent);
  if (!apart) b->own = b->sent = b->length;
}

// Those who have it themselves are served with the others, where that costs nothing.
static void choose_rounds(const Plan *p, Arena *arena, Piece *b) {
  set_rounds(p, arena, b, true);
  int64_t sent = b->n_rounds * b->sent;
  if (!b->n_rounds) return;
  set_rounds(p, arena, b, false);
  if (sent < b->n_rounds * b->sent) set_rounds(p, arena, b, true);
}

// Elements that a device receives, on average.
static double received(const Plan *p) {
  int64_t sum = 0;
  for (uint32_t i = 0; i < p->n_pieces; i++)
    for (int64_t c = 0; c < p->n; c++)
      if (p->pieces[i].sources[c] != ANY && p->pieces[i].sources[c] != c) sum += p->pieces[i].sent;
  return (double)sum / (double)p->n;
}

// One permute is as good as a gather of as much; many small ones wait for each other.
static bool is_cheaper_whole(const Plan *p) {
  int64_t permutes = 0;
  for (uint32_t i = 0; i < p->n_pieces; i++) permutes += p->pieces[i].n_rounds;
  if (permutes <= 1) return false;
  return received(p) >= (double)(p->tile * (p->n - 1)) ||
         (permutes > FEW_PERMUTES && permutes > p->n / 4);
}

static void plan_make(Plan *p, Arena *arena, int64_t size, int64_t devices, BuildWindow w) {
  int64_t tile = w.tile ? w.tile : (size + devices - 1) / devices;
  *p = (Plan){.n = devices, .tile = tile, .size = size, .w = w};
  for (int64_t c = 0; c < devices && p->tile && w.length && !p->gathers; c++)
    p->gathers = !add_device(p, arena, c);
  for (uint32_t i = 0; i < p->n_pieces && !p->gathers; i++) choose_rounds(p, arena, &p->pieces[i]);
  p->gathers = p->gathers || is_cheaper_whole(p);
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

typedef struct Dimension {
  Builder *b;
  uint32_t d;
  AxisList axes;
} Dimension;

static ValueId affine(Dimension x, int64_t first, int64_t step) {
  if (!step) return build_index(x.b, first);
  ValueId v = build_coordinate(x.b, x.axes);
  if (step != 1) v = build_binary(x.b, OP_multiply, v, build_index(x.b, step));
  return first ? build_binary(x.b, OP_add, v, build_index(x.b, first)) : v;
}

// Where the window begins, `shift` elements further.
static ValueId begin(Dimension x, const Plan *p, int64_t shift) {
  int64_t divisor = p->w.divisor, first = p->w.first, step = p->w.step;
  if (divisor <= 1) return affine(x, first + shift, step);
  int64_t up =
      most(-begin_of(p, 0), -begin_of(p, p->n - 1));  // division cuts below 0 off: stay above
  up = most(up, 0);
  ValueId v = build_binary(x.b, OP_divide, affine(x, first + up * divisor, step),
                           build_index(x.b, divisor));
  return shift == up ? v : build_binary(x.b, OP_add, v, build_index(x.b, shift - up));
}

// Is values[c] = first + step · (c mod period), where it is not ANY?
static bool fits(const int64_t *values, int64_t n, int64_t period, int64_t *first, int64_t *step) {
  int64_t a = ANY, b = ANY;  // two that tell the line
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

// values[c] on the device with coordinate c, anything where that is ANY: tensor<i64>. Arithmetic if
// there is a simple formula, a table otherwise.
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

// ---- writing it ----

// Is the number below `limit`, for those of whom it is not ANY?
static ValueId is_below(Dimension x, const int64_t *values, int64_t n, int64_t limit) {
  int64_t first = n, last = -1;  // where it is, where it is not
  for (int64_t c = 0; c < n; c++) {
    if (values[c] == ANY) continue;
    if (values[c] < limit) last = c;
    if (values[c] >= limit) first = least(first, c);
  }
  if (last < first)
    return build_compare(x.b, "LE", build_coordinate(x.b, x.axes), build_index(x.b, last));
  return build_compare(x.b, "LT", number(x, values, n), build_index(x.b, limit));
}

// What sources have for their targets of a round; ANY: what targets have themselves.
static ValueId put_send(Dimension x, const Plan *p, const Piece *b, int64_t round, ValueId v) {
  int64_t *starts = ARENA_ARRAY(x.b->arena, int64_t, (size_t)p->n);
  int64_t length = round == ANY ? b->own : b->sent;
  for (int64_t c = 0; c < p->n; c++) starts[c] = ANY;
  for (int64_t c = 0; c < p->n; c++)
    if (b->sources[c] != ANY && b->rounds[c] == round)
      starts[b->sources[c]] = b->q ? 0 : least(at_of(p, c), p->tile - length);
  return slice_at(x, v, starts, p->n, length);
}

static ValueId put_round(Dimension x, const Plan *p, const Piece *b, int64_t round, ValueId v) {
  int64_t(*pairs)[2] = arena_alloc(x.b->arena, (size_t)p->n * sizeof *pairs);
  uint32_t count = 0;
  for (int64_t c = 0; c < p->n; c++) {
    if (b->rounds[c] != round) continue;
    pairs[count][0] = b->sources[c];
    pairs[count++][1] = c;
  }
  v = put_send(x, p, b, round, v);
  return build_permute_along(x.b, v, x.axes, count, (const int64_t(*)[2])pairs);
}

// Of piece 0 the end is where the next one begins, of others the beginning is where the last one
// ended.
static ValueId fit(Dimension x, const Piece *b, ValueId v) {
  int64_t more = b->length - build_dim(x.b, v, x.d);
  return build_pad(x.b, v, x.d, b->q ? 0 : more, b->q ? more : 0, 0);
}

static ValueId put_piece(Dimension x, const Plan *p, const Piece *b, ValueId v) {
  if (!b->n_rounds) return put_send(x, p, b, ANY, v);
  ValueId piece = put_round(x, p, b, b->n_rounds - 1, v);
  for (int64_t r = b->n_rounds - 1; r > 0; r--)
    piece = build_select(x.b, is_below(x, b->rounds, p->n, r), put_round(x, p, b, r - 1, v), piece);
  if (!b->apart) return piece;
  int64_t *others = ARENA_ARRAY(x.b->arena, int64_t, (size_t)p->n);
  for (int64_t c = 0; c < p->n; c++) others[c] = b->sources[c] == ANY ? ANY : b->sources[c] != c;
  ValueId own = fit(x, b, put_send(x, p, b, ANY, v));
  return build_select(x.b, is_below(x, others, p->n, 1), own, fit(x, b, piece));
}

static bool needs_any(const Plan *p, int64_t c) {
  for (uint32_t i = 0; i < p->n_pieces; i++)
    if (p->pieces[i].sources[c] != ANY) return true;
  return false;
}

// Where the window of each device begins in the pieces behind each other, which themselves begin
// `origin` behind the beginning of the first tile that the window touches, and so many elements
// further, so that none begins before.
static void set_starts(const Plan *p, int64_t origin, int64_t *starts, int64_t *out_below) {
  *out_below = 0;
  for (int64_t c = 0; c < p->n; c++) {
    if (!needs_any(p, c)) continue;
    starts[c] = at_of(p, c) - origin;
    const Piece *b = &p->pieces[0];
    if (!b->q && b->sources[c] != ANY) {  // what was sent from further left: the window ends in it
      int64_t length = b->sources[c] == c ? b->own : b->sent;
      starts[c] = most(starts[c], b->length - length);
    }
    *out_below = most(*out_below, -starts[c]);
  }
  for (int64_t c = 0; c < p->n; c++) starts[c] = needs_any(p, c) ? starts[c] + *out_below : ANY;
}

static ValueId put_pieces(Dimension x, const Plan *p, ValueId v) {
  Builder *to = x.b;
  ValueId parts[MOST_PIECES];
  int64_t origin = p->pieces[0].q * p->tile;
  if (!p->pieces[0].q) origin = p->tile - p->pieces[0].length;
  for (uint32_t i = 0; i < p->n_pieces; i++) {
    const Piece *b = &p->pieces[i];
    parts[i] = put_piece(x, p, b, v);
    if (i + 1 < p->n_pieces) {  // as far as the next one
      int64_t begin = i ? b->q * p->tile : origin;
      parts[i] = build_pad_to(to, parts[i], x.d, p->pieces[i + 1].q * p->tile - begin);
    }
  }
  ValueId all = build_concatenate(to, p->n_pieces, parts, x.d);
  int64_t *starts = ARENA_ARRAY(to->arena, int64_t, (size_t)p->n);
  int64_t below, last = 0;
  set_starts(p, origin, starts, &below);
  for (int64_t c = 0; c < p->n; c++) last = most(last, starts[c]);
  int64_t has = below + build_dim(to, all, x.d);
  all = build_pad(to, all, x.d, below, most(last + p->w.length - has, 0), 0);
  return slice_at(x, all, starts, p->n, p->w.length);
}

// The window of everything and once more the beginning of that.
static ValueId put_ring(Dimension x, const Plan *p, ValueId v) {
  ValueId all[2] = {v, build_trim_to(x.b, v, x.d, p->w.length)};
  int64_t lowest = least(begin_of(p, 0), begin_of(p, p->n - 1));
  int64_t rounds = most(-floor_div(lowest, p->size), 0);  // to be above 0
  ValueId at =
      build_binary(x.b, OP_remainder, begin(x, p, rounds * p->size), build_index(x.b, p->size));
  return build_dynamic_slice(x.b, build_concatenate(x.b, 2, all, x.d), x.d, at, p->w.length);
}

// The window of everything. No more is put around it than one window.
static ValueId put_whole(Dimension x, const Plan *p, ValueId v, ValueId fill) {
  if (p->w.wraps) return put_ring(x, p, v);
  int64_t a = begin_of(p, 0), b = begin_of(p, p->n - 1), length = p->w.length;
  int64_t low = least(most(-least(a, b), 0), length);
  int64_t high = least(most(most(a, b) + length - p->size, 0), length);
  v = build_pad(x.b, v, x.d, low, high, fill);
  return build_dynamic_slice(x.b, v, x.d, begin(x, p, low), length);
}

ValueId build_window_of_whole(Builder *b, ValueId v, uint32_t d, AxisList axes, BuildWindow w,
                              ValueId fill) {
  Plan *p = ARENA_NEW(b->arena, Plan);
  *p = (Plan){.n = axes_size(axes), .size = build_dim(b, v, d), .w = w};
  return put_whole((Dimension){b, d, axes}, p, v, fill);
}

// Where element `at` of the whole lies in the window.
static ValueId place_of(Dimension x, const Plan *p, int64_t at) {
  if (p->w.divisor <= 1) return affine(x, at - p->w.first, -p->w.step);
  return build_binary(x.b, OP_subtract, build_index(x.b, 0), begin(x, p, -at));
}

// Fills what lies outside, where it does on any device.
static ValueId put_fill(Dimension x, const Plan *p, ValueId v, ValueId fill) {
  int64_t a = begin_of(p, 0), b = begin_of(p, p->n - 1);
  bool below = least(a, b)<0, beyond = most(a, b) + p->w.length> p->size;
  ValueId first = below ? place_of(x, p, 0) : 0, end = beyond ? place_of(x, p, p->size) : 0;
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

// Who is sent nothing gets zeros: are they all that halos have outside?
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
      if (q == p->n_pieces || !p->pieces[q].n_rounds || p->pieces[q].length < to - from)
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
    return put_whole(x, p, v, fill);
  }
  if (!p->n_pieces) return build_pad(b, build_slice(b, v, d, 0, 0, 1), d, 0, w.length, fill);
  v = put_pieces(x, p, v);
  bool done = !fill || w.wraps || (is_zero(b, fill) && has_zeros_outside(p));
  return done ? v : put_fill(x, p, v, fill);
}
