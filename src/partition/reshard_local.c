// A reshard plan as ops of the local program.
//
// Problem. A plan is a sequence of moves of digits (reshard/reshard.h). Each move becomes one
// collective, or several permutes. Collectives split and concatenate along one dimension of the
// tile, but digits that move may be anywhere in it, and of several dimensions.
//
// Idea. If the digits that move are the major-most ones inside a dimension, the collective works on
// that dimension directly. Otherwise the tile is reshaped to its digits and transposed so that the
// moved digits come first (unfold_digits); the collective runs along a leading dimension, and the
// tile is folded again (fold_digits):
//
//   [{"x"}, {}] -> [{}, {"x"}], x=2, [8,8]:       all_to_all, split dim 1, concatenate dim 0
//   strided dim 0, digits [4 inside, 2 along x]   all_gather to a leading dimension,
//   -> replicated, of [8]:                        [2,4] -> transpose [4,2] -> reshape [8]
//
// Invariant. A dimension whose size is not the product of its digits is padded before a move that
// needs the product, and trimmed after. Padding has any value.
//
// Cost. O(moves · digits) ops; permutes of pieces: O(pieces · rank) ops with tables of O(devices).
#include "partition/reshard_local.h"

#include <string.h>

#include "tensor/literal.h"

static const Mesh *mesh_of(const Builder *l) { return sharding_mesh(l->table, l->mesh); }

// ---- a tile as digits ----

// A move, with the digits that tiles consist of during the move.
typedef struct Step {
  Builder *l;
  const Digits *digits;
  const Move *move;
  DigitForm forms[RESHARD_MOST_DIGITS];  // per block of digits with two forms
} Step;

typedef struct DigitList {
  // Items: digits, and n_digits + d for a dimension d without moved digits, which stays in one
  // piece.
  uint32_t v[RESHARD_MOST_DIGITS + MAX_RANK];
  uint32_t n;
} DigitList;

static bool inside(const Layout *layout, uint32_t i) { return layout->at[i] == RESHARD_INSIDE; }

// Does any digit of the dimension move?
static bool takes_part(const Step *t, uint32_t dim) {
  for (uint32_t i = 0; i < t->digits->n; i++)
    if (t->digits->v[i].dim == dim && t->move->before.at[i] != t->move->after.at[i]) return true;
  return false;
}

static int64_t size_of(const Step *t, const Layout *layout, uint32_t item) {
  const Digits *digits = t->digits;
  return item < digits->n ? digits->v[item].size : digits_tile(digits, layout, item - digits->n);
}

// Does the digit add elements to the tile? A digit that is always 0 does not, unless it moves.
static bool takes_room(const Step *t, uint32_t i) {
  const Digit *digit = &t->digits->v[i];
  if (digit->empty && t->move->before.at[i] == t->move->after.at[i]) return false;
  return digit_is_in(digit, t->forms);
}

// Lists the items of a tile in the order of its dimensions: inside digits of dimensions that take
// part in the move, and other dimensions in one piece.
static void list_inside(const Step *t, const Layout *layout, DigitList *out) {
  out->n = 0;
  for (uint32_t d = 0; d < t->digits->rank; d++) {
    if (!takes_part(t, d)) {
      out->v[out->n++] = t->digits->n + d;
      continue;
    }
    for (uint32_t i = 0; i < t->digits->n; i++)
      if (t->digits->v[i].dim == d && inside(layout, i) && takes_room(t, i)) out->v[out->n++] = i;
  }
}

// Lists the digits that move from atoms into the devices (enter), or out of them to atoms, and the
// axes of these atoms in the same order.
static void list_moved(const Step *t, bool enter, DigitList *digits, AxisList *axes) {
  const Layout *from = enter ? &t->move->before : &t->move->after;
  const Layout *to = enter ? &t->move->after : &t->move->before;
  AxisRef *v = ARENA_ARRAY(t->l->arena, AxisRef, RESHARD_MOST_DIGITS);
  digits->n = 0;
  for (uint32_t i = 0; i < t->digits->n; i++) {
    if (inside(from, i) || !inside(to, i)) continue;
    v[digits->n] = t->digits->atoms[from->at[i]];
    digits->v[digits->n++] = i;
  }
  *axes = (AxisList){v, axes_canonicalize(v, digits->n)};
}

// Lists the digits that take the atoms of the digits in `left`, in the same order.
static void list_taken(const Step *t, const DigitList *left, DigitList *digits) {
  digits->n = 0;
  for (uint32_t k = 0; k < left->n; k++)
    for (uint32_t i = 0; i < t->digits->n; i++)
      if (t->move->after.at[i] == t->move->before.at[left->v[k]]) digits->v[digits->n++] = i;
}

// ---- shapes ----

// Pads or trims a dimension to a size, at its end.
static ValueId fit(const Step *t, ValueId v, uint32_t d, int64_t size) {
  return build_trim_to(t->l, build_pad_to(t->l, v, d, size), d, size);
}

static bool has(const DigitList *list, uint32_t item) {
  for (uint32_t i = 0; i < list->n; i++)
    if (list->v[i] == item) return true;
  return false;
}

// Reshapes a tile of the layout to its items, with `first` as the leading ones. *out_order: the
// items in the new order. O(digits²).
static ValueId unfold_digits(const Step *t, ValueId v, const Layout *layout, const DigitList *first,
                             DigitList *out_order) {
  DigitList all;
  list_inside(t, layout, &all);
  for (uint32_t d = 0; d < t->digits->rank; d++) {
    int64_t size = 1;
    if (!takes_part(t, d)) continue;
    for (uint32_t i = 0; i < all.n; i++)
      if (all.v[i] < t->digits->n && t->digits->v[all.v[i]].dim == d)
        size *= t->digits->v[all.v[i]].size;
    v = fit(t, v, d, size);
  }
  int64_t sizes[RESHARD_MOST_DIGITS + MAX_RANK], order[RESHARD_MOST_DIGITS + MAX_RANK];
  for (uint32_t i = 0; i < all.n; i++) sizes[i] = size_of(t, layout, all.v[i]);
  v = build_reshape(t->l, v, all.n, sizes);
  *out_order = *first;
  for (uint32_t i = 0; i < all.n; i++)
    if (!has(first, all.v[i])) out_order->v[out_order->n++] = all.v[i];
  bool turned = false;
  for (uint32_t i = 0; i < all.n; i++)
    for (uint32_t k = 0; k < all.n; k++)
      if (all.v[k] == out_order->v[i]) {
        order[i] = k;
        turned |= k != i;
      }
  return turned ? build_transpose(t->l, v, order) : v;
}

// The inverse: from items in the given order to the tile of the layout.
static ValueId fold_digits(const Step *t, ValueId v, const Layout *layout, const DigitList *order) {
  int64_t sizes[RESHARD_MOST_DIGITS + MAX_RANK], to[RESHARD_MOST_DIGITS + MAX_RANK];
  for (uint32_t i = 0; i < order->n; i++) sizes[i] = size_of(t, layout, order->v[i]);
  v = build_reshape(t->l, v, order->n, sizes);
  DigitList all;
  list_inside(t, layout, &all);
  bool turned = false;
  for (uint32_t i = 0; i < all.n; i++)
    for (uint32_t k = 0; k < order->n; k++)
      if (order->v[k] == all.v[i]) {
        to[i] = k;
        turned |= k != i;
      }
  for (uint32_t i = 0; i < all.n; i++) sizes[i] = size_of(t, layout, all.v[i]);
  if (turned) v = build_transpose(t->l, v, to);
  int64_t dims[MAX_RANK];
  for (uint32_t d = 0, i = 0; d < t->digits->rank; d++) {
    dims[d] = 1;
    if (!takes_part(t, d)) {
      dims[d] = sizes[i++];
      continue;
    }
    for (; i < all.n && all.v[i] < t->digits->n && t->digits->v[all.v[i]].dim == d; i++)
      dims[d] *= sizes[i];
  }
  v = build_reshape(t->l, v, t->digits->rank, dims);
  for (uint32_t d = 0; d < t->digits->rank; d++)
    v = fit(t, v, d, digits_tile(t->digits, layout, d));
  return v;
}

// Are these digits of one dimension, and the major-most ones inside? Then a collective along the
// dimension moves them, without reshape and transpose.
static bool leads(const Step *t, const DigitList *list, const Layout *layout, uint32_t *out_dim) {
  uint32_t dim = t->digits->v[list->v[0]].dim, at = 0;
  *out_dim = dim;
  for (uint32_t i = 0; i < t->digits->n && at < list->n; i++) {
    if (t->digits->v[i].dim != dim || !inside(layout, i) || !takes_room(t, i)) continue;
    if (i != list->v[at]) return false;
    at++;
  }
  return at == list->n;
}

// ---- moves ----

// MOVE_SLICE: a dynamic_slice at the device's coordinate along the atoms that take digits.
static ValueId move_slice(const Step *t, ValueId v) {
  Builder *l = t->l;
  DigitList cut, order;
  AxisList axes;
  uint32_t dim;
  list_moved(t, false, &cut, &axes);
  if (leads(t, &cut, &t->move->before, &dim)) {
    int64_t tile = digits_tile(t->digits, &t->move->after, dim);
    v = fit(t, v, dim, tile * axes_size(axes));
    ValueId at = build_binary(l, OP_multiply, build_coordinate(l, axes), build_index(l, tile));
    return build_dynamic_slice(l, v, dim, at, tile);
  }
  v = unfold_digits(t, v, &t->move->before, &(DigitList){.n = 0}, &order);
  int64_t sizes[RESHARD_MOST_DIGITS + MAX_RANK];
  ValueId starts[RESHARD_MOST_DIGITS + MAX_RANK], zero = build_index(l, 0);
  DigitList rest = {.n = 0};
  for (uint32_t i = 0; i < order.n; i++) {
    bool goes = has(&cut, order.v[i]);
    sizes[i] = goes ? 1 : size_of(t, &t->move->before, order.v[i]);
    starts[i] = zero;
    if (goes)
      starts[i] =
          build_coordinate(l, (AxisList){&t->digits->atoms[t->move->after.at[order.v[i]]], 1});
    else
      rest.v[rest.n++] = order.v[i];
  }
  v = build_dynamic_slice_at(l, v, starts, sizes);
  return fold_digits(t, v, &t->move->after, &rest);
}

// Replaces the first `drop` dimensions by one dimension of size n.
static ValueId with_leading(const Step *t, ValueId v, int64_t n, uint32_t drop) {
  const TypeInfo *info = type_info(t->l->p->context, value_type(t->l->p, v));
  int64_t sizes[RESHARD_MOST_DIGITS + MAX_RANK + 1] = {n};
  uint32_t rank = 1;
  for (uint32_t i = drop; i < info->rank; i++) sizes[rank++] = info->dims[i];
  return build_reshape(t->l, v, rank, sizes);
}

// The pairs (source, target) of one permute: each device receives from the one `step` further along
// the axes, if the piece is not all padding. Returns their number. O(devices · atoms).
static uint32_t sparse_pairs(const Step *t, AxisList axes, int64_t step, int64_t (*out)[2]) {
  const Mesh *mesh = mesh_of(t->l);
  const Digits *digits = t->digits;
  AxisList others = axes_complement(t->l->arena, mesh, axes);
  int64_t size = axes_size(axes);
  uint32_t n = 0, *at = ARENA_ARRAY(t->l->arena, uint32_t, mesh->n_devices);
  for (uint32_t i = 0; i < mesh->n_devices; i++)
    at[axes_coordinate(mesh, others, i) * size + axes_coordinate(mesh, axes, i)] = i;
  for (uint32_t i = 0; i < mesh->n_devices; i++) {
    int64_t further = (axes_coordinate(mesh, axes, i) + step) % size;
    uint32_t source = at[axes_coordinate(mesh, others, i) * size + further];
    uint32_t from[RESHARD_MOST_ATOMS], to[RESHARD_MOST_ATOMS];
    for (uint32_t k = 0; k < digits->n_atoms; k++) {
      from[k] = axis_coordinate(mesh, digits->atoms[k], source);
      to[k] = axis_coordinate(mesh, digits->atoms[k], i);
    }
    if (!digits_has_piece(digits, &t->move->before, &t->move->after, from, to)) continue;
    out[n][0] = source;
    out[n++][1] = i;
  }
  return n;
}

// An all_to_all along dimension 0 of [n, …] by n - 1 permutes: element k goes to the k-th device
// along the axes, and the result's element k comes from it. Pieces that are all padding are not
// sent. each: v is [1, …], and all devices get the same element (an all_gather).
static ValueId permute_sparsely(const Step *t, ValueId v, AxisList axes, bool each) {
  Builder *l = t->l;
  const Mesh *mesh = mesh_of(l);
  int64_t n = axes_size(axes);
  ValueId own = build_coordinate(l, axes);
  ValueId size = build_index(l, n), made = 0;
  int64_t(*pairs)[2] = arena_alloc(l->arena, (size_t)mesh->n_devices * sizeof *pairs);
  for (int64_t step = 0; step < n; step++) {
    // Sent to the device `step` before this one.
    ValueId to = build_binary(l, OP_add, own, build_index(l, n - step));
    to = build_binary(l, OP_remainder, to, size);
    ValueId piece = each ? v : build_dynamic_slice(l, v, 0, to, 1);
    if (step)
      piece =
          build_permute(l, piece, sparse_pairs(t, axes, step, pairs), (const int64_t(*)[2])pairs);
    ValueId from = build_binary(l, OP_add, own, build_index(l, step));
    from = build_binary(l, OP_remainder, from, size);
    if (!made) {
      Type type = type_with_dim(l->p->context, value_type(l->p, piece), 0, n);
      made = build_padding(l, type);
    }
    made = build_dynamic_update(l, made, piece, 0, from);
  }
  return made;
}

static ValueId all_to_all_leading(const Step *t, ValueId v, AxisList axes) {
  return t->move->sparse ? permute_sparsely(t, v, axes, false)
                         : build_all_to_all(t->l, v, 0, 0, axes);
}

static ValueId move_gather(const Step *t, ValueId v) {
  DigitList come, order;
  AxisList axes;
  uint32_t dim;
  list_moved(t, true, &come, &axes);
  if (!t->move->sparse && leads(t, &come, &t->move->after, &dim)) {
    v = build_all_gather(t->l, v, dim, axes);
    return fit(t, v, dim, digits_tile(t->digits, &t->move->after, dim));
  }
  DigitList all;
  v = unfold_digits(t, v, &t->move->before, &(DigitList){.n = 0}, &all);
  order = come;
  for (uint32_t i = 0; i < all.n; i++) order.v[order.n++] = all.v[i];
  v = with_leading(t, v, 1, 0);
  v = t->move->sparse ? permute_sparsely(t, v, axes, true) : build_all_gather(t->l, v, 0, axes);
  return fold_digits(t, v, &t->move->after, &order);
}

static ValueId move_all_to_all(const Step *t, ValueId v) {
  DigitList come, go, order;
  AxisList axes;
  uint32_t from, to;
  list_moved(t, true, &come, &axes);
  list_taken(t, &come, &go);
  if (!t->move->sparse && leads(t, &come, &t->move->after, &from) &&
      leads(t, &go, &t->move->before, &to) && from != to) {
    v = fit(t, v, to, digits_tile(t->digits, &t->move->after, to) * axes_size(axes));
    v = build_all_to_all(t->l, v, to, from, axes);
    return fit(t, v, from, digits_tile(t->digits, &t->move->after, from));
  }
  v = unfold_digits(t, v, &t->move->before, &go, &order);
  v = with_leading(t, v, axes_size(axes), go.n);
  v = all_to_all_leading(t, v, axes);
  memcpy(order.v, come.v, come.n * sizeof *come.v);
  return fold_digits(t, v, &t->move->after, &order);
}

static ValueId move_reduce_scatter(const Step *t, ValueId v, Combine combine) {
  DigitList go, order;
  AxisList axes;
  uint32_t dim;
  list_moved(t, false, &go, &axes);
  if (leads(t, &go, &t->move->before, &dim)) {
    v = fit(t, v, dim, digits_tile(t->digits, &t->move->after, dim) * axes_size(axes));
    return build_reduce_scatter(t->l, v, dim, axes, combine);
  }
  v = unfold_digits(t, v, &t->move->before, &go, &order);
  v = build_reduce_scatter(t->l, with_leading(t, v, axes_size(axes), go.n), 0, axes, combine);
  DigitList rest = {.n = order.n - go.n};
  memcpy(rest.v, order.v + go.n, rest.n * sizeof *rest.v);
  return fold_digits(t, v, &t->move->after, &rest);
}

static AxisList changed_unreduced(const Step *t) {
  uint32_t atoms = t->move->before.unreduced ^ t->move->after.unreduced, n = 0;
  AxisRef *v = ARENA_ARRAY(t->l->arena, AxisRef, RESHARD_MOST_ATOMS);
  for (uint32_t k = 0; k < t->digits->n_atoms; k++)
    if (atoms >> k & 1) v[n++] = t->digits->atoms[k];
  return (AxisList){v, axes_canonicalize(v, n)};
}

// The row-major index of a device's tile among all tiles of the layout.
static int64_t tile_number(const Step *t, const Layout *layout, uint32_t position) {
  int64_t number = 0;
  for (uint32_t i = 0; i < t->digits->n; i++)
    if (!inside(layout, i))
      number = number * t->digits->v[i].size +
               axis_coordinate(mesh_of(t->l), t->digits->atoms[layout->at[i]], position);
  return number;
}

// Devices along manual axes and along unreduced axes hold different values of the same tile: this
// numbers them.
static int64_t value_number(const Step *t, uint32_t position) {
  int64_t number = axes_coordinate(mesh_of(t->l), t->l->manual, position);
  for (uint32_t k = 0; k < t->digits->n_atoms; k++)
    if (t->move->before.unreduced >> k & 1)
      number = number * t->digits->atoms[k].size +
               axis_coordinate(mesh_of(t->l), t->digits->atoms[k], position);
  return number;
}

// One collective_permute. A device that needs the tile it has sends it to itself. The others, in
// order, receive from the next holder of the tile that has not sent yet. O(devices · digits).
static ValueId move_permute(const Step *t, ValueId v) {
  Builder *l = t->l;
  uint32_t n = mesh_of(l)->n_devices;
  const Layout *a = &t->move->before, *b = &t->move->after;
  int64_t tiles = 1;
  for (uint32_t i = 0; i < t->digits->n; i++)
    if (!inside(a, i)) tiles *= t->digits->v[i].size;
  uint32_t *next = ARENA_ARRAY(l->arena, uint32_t, n + 1);  // list of free holders of a tile
  uint32_t *head = ARENA_ARRAY(l->arena, uint32_t, n + 1);
  int64_t(*pairs)[2] = arena_alloc(l->arena, (size_t)n * sizeof *pairs);
  for (uint32_t i = n; i-- > 0;) {
    if (tile_number(t, a, i) == tile_number(t, b, i)) continue;
    int64_t held = value_number(t, i) * tiles + tile_number(t, a, i);
    next[i] = head[held];
    head[held] = i + 1;
  }
  for (uint32_t i = 0; i < n; i++) {
    uint32_t source = i;
    if (tile_number(t, a, i) != tile_number(t, b, i)) {
      int64_t needed = value_number(t, i) * tiles + tile_number(t, b, i);
      source = head[needed] - 1;
      head[needed] = next[source];
    }
    pairs[i][0] = source;
    pairs[i][1] = i;
  }
  return build_permute(l, v, n, (const int64_t(*)[2])pairs);
}

// Writes one move. A block of digits with two forms has the form of the layout that counts its
// digits along atoms.
static ValueId write_move(Builder *l, const ReshardPlan *plan, const Move *move, ValueId v,
                          Combine combine) {
  Step t = {.l = l, .digits = plan->digits, .move = move};
  for (uint32_t b = 0; b < plan->digits->n_blocks; b++) {
    t.forms[b] = digits_form(plan->digits, &move->before, b);
    if (t.forms[b] == FORM_BOTH) t.forms[b] = digits_form(plan->digits, &move->after, b);
    if (t.forms[b] == FORM_BOTH) t.forms[b] = FORM_SOURCE;
  }
  switch (move->kind) {
  case MOVE_SLICE: return move_slice(&t, v);
  case MOVE_PERMUTE: return move_permute(&t, v);
  case MOVE_ALL_TO_ALL: return move_all_to_all(&t, v);
  case MOVE_ALL_GATHER: return move_gather(&t, v);
  case MOVE_REDUCE_SCATTER: return move_reduce_scatter(&t, v, combine);
  case MOVE_ALL_REDUCE: return build_all_reduce(l, v, changed_unreduced(&t), combine);
  case MOVE_UNREDUCE: return build_unreduced(l, v, changed_unreduced(&t), combine);
  case MOVE_PIECES: break;
  }
  return v;
}

// ---- pieces ----

// This device's row of a table [devices][rank], as rank-0 values. A column with equal entries is a
// constant.
static void device_numbers(Builder *l, uint32_t rank, const int64_t *table, ValueId *out) {
  const Mesh *mesh = mesh_of(l);
  int64_t *column = ARENA_ARRAY(l->arena, int64_t, mesh->n_devices);
  for (uint32_t d = 0; d < rank; d++) {
    bool same = true;
    for (uint32_t i = 0; i < mesh->n_devices; i++) {
      column[i] = table[(size_t)mesh_device(mesh, i) * rank + d];
      same &= column[i] == column[0];
    }
    out[d] = same ? build_index(l, column[0])
                  : build_table(l, mesh->n_devices, column, build_position(l));
  }
}

static ValueId send_piece(Builder *l, ValueId piece, const PiecePermute *round) {
  const Mesh *mesh = mesh_of(l);
  int64_t(*pairs)[2] = arena_alloc(l->arena, (size_t)mesh->n_devices * sizeof *pairs);
  uint32_t n = 0;
  for (uint32_t i = 0; i < mesh->n_devices; i++) {
    uint32_t source = round->source[mesh_device(mesh, i)];
    if (source == UINT32_MAX) continue;
    pairs[n][0] = mesh_position(mesh, source);
    pairs[n++][1] = i;
  }
  return build_permute(l, piece, n, (const int64_t(*)[2])pairs);
}

// The elements of a piece inside its extent; elsewhere `was`, the values that the tile has there.
static ValueId only_extent(Builder *l, ValueId piece, ValueId was, const PiecePermute *round,
                           uint32_t rank) {
  const Mesh *mesh = mesh_of(l);
  ValueId extent[MAX_RANK], keep = 0;
  device_numbers(l, rank, round->extent, extent);
  for (uint32_t d = 0; d < rank; d++) {
    bool full = true;
    for (uint32_t i = 0; i < mesh->n_devices; i++)
      full &= round->extent[(size_t)mesh_device(mesh, i) * rank + d] == round->shape[d];
    if (full) continue;
    ValueId number = build_iota(l, value_type(l->p, piece), d);
    ValueId end = build_broadcast(l, extent[d], value_type(l->p, number));
    ValueId in = build_compare(l, "LT", number, end);
    keep = keep ? build_binary(l, OP_and, keep, in) : in;
  }
  return keep ? build_select(l, keep, piece, was) : piece;
}

// MOVE_PIECES: each permute slices a piece out of the old tile, sends it, and updates the new tile.
// Both tiles are padded by the largest piece: dynamic_slice and dynamic_update_slice clamp offsets
// otherwise.
static ValueId move_pieces(Builder *l, const Move *move, ValueId v, Type to) {
  Context *c = l->p->context;
  uint32_t rank = type_info(c, to)->rank;
  int64_t most[MAX_RANK] = {0}, sizes[MAX_RANK];
  for (uint32_t r = 0; r < move->n_rounds; r++)
    for (uint32_t d = 0; d < rank; d++)
      if (move->rounds[r].shape[d] > most[d]) most[d] = move->rounds[r].shape[d];
  for (uint32_t d = 0; d < rank; d++) {
    v = build_pad_to(l, v, d, build_dim(l, v, d) + most[d]);
    sizes[d] = type_info(c, to)->dims[d] + most[d];
  }
  Type elem = type_info(c, to)->elem;
  ValueId made = build_padding(l, type_tensor(c, elem, rank, sizes, 0));
  for (uint32_t r = 0; r < move->n_rounds; r++) {
    const PiecePermute *round = &move->rounds[r];
    ValueId starts[MAX_RANK];
    device_numbers(l, rank, round->sent, starts);
    ValueId piece = build_dynamic_slice_at(l, v, starts, round->shape);
    if (!round->stays) piece = send_piece(l, piece, round);
    device_numbers(l, rank, round->begin, starts);
    piece =
        only_extent(l, piece, build_dynamic_slice_at(l, made, starts, round->shape), round, rank);
    made = build_dynamic_update_at(l, made, piece, starts);
  }
  for (uint32_t d = 0; d < rank; d++) made = build_trim_to(l, made, d, type_info(c, to)->dims[d]);
  return made;
}

// ---- plans ----

// Devices along manual axes have different values of equal tiles: the plan must not permute between
// them.
static Sharding with_manual(const Builder *l, Sharding sharding, Type global) {
  if (!l->manual.n) return sharding;
  if (!sharding)
    sharding = sharding_make_replicated(l->table, l->mesh, type_info(l->p->context, global)->rank);
  return sharding_with_manual(l->table, sharding, l->manual);
}

// The builder for moves along the axes of another mesh over the same devices.
static Builder on_mesh(const Builder *l, MeshId mesh) {
  Builder other = *l;
  if (!mesh || mesh == l->mesh) return other;
  if (mesh_equal(sharding_mesh(l->table, mesh), mesh_of(l))) return other;
  other.mesh = mesh;
  other.position = 0;
  other.groups = NULL;
  return other;
}

static Status *reshard(Builder *l, const Network *network, ValueId value, Sharding from,
                       Sharding to, Type global, ValueId *out) {
  ReshardPlan plan;
  from = with_manual(l, from, global);
  to = with_manual(l, to, global);
  TRY(reshard_plan(l->table, network, from, to, global, l->arena, &plan));
  const ShardingInfo *a = sharding_info(l->table, from), *b = sharding_info(l->table, to);
  Combine combine = a->unreduced.n ? a->reducer : b->reducer;
  Type type = sharding_local_type(l->table, to, global);
  Builder at = on_mesh(l, plan.mesh);
  for (uint32_t i = 0; i < plan.n_moves; i++) {
    bool pieces = plan.moves[i].kind == MOVE_PIECES;
    if (mesh_of(&at)->n_devices != (pieces ? plan.n_devices : mesh_of(l)->n_devices))
      FAIL(UNIMPLEMENTED, "between meshes of different numbers of devices");
    value = pieces ? move_pieces(&at, &plan.moves[i], value, type)
                   : write_move(&at, &plan, &plan.moves[i], value, combine);
  }
  if (at.mesh == l->mesh) {  // keeps ops that later reshards can use
    l->position = at.position;
    l->groups = at.groups;
  }
  int64_t count = 1;
  if (value_type(l->p, value) != type && type_count(l->p->context, type, &count) && !count)
    value = build_padding(l, type);  // no elements
  *out = value;
  return NULL;
}

// A value that only one device has becomes a partial sum: the other devices get zeros. Returns its
// sharding.
static Sharding from_one(Builder *l, ValueId *value, Sharding from, Type global) {
  const Mesh *mesh = mesh_of(l);
  const Mesh *one = sharding_mesh(l->table, sharding_info(l->table, from)->mesh);
  if (one->device >= mesh->n_devices) return 0;  // the mesh does not have it: any value will do
  ValueId position = build_index(l, mesh_position(mesh, one->device));
  ValueId has = build_compare(l, "EQ", build_position(l), position);
  ValueId zero = build_identity(l, value_type(l->p, *value), COMBINE_SUM);
  *value = build_select(l, has, *value, zero);
  uint32_t rank = type_info(l->p->context, global)->rank;
  ShardingInfo info = *sharding_info(l->table, sharding_make_replicated(l->table, l->mesh, rank));
  info.unreduced = axes_complement(l->arena, mesh, (AxisList){NULL, 0});
  info.reducer = COMBINE_SUM;
  return sharding_intern(l->table, &info);
}

// Without a plan the reshard goes through the replicated value: if the two shardings have sub-axes
// that overlap, or two different reducers. A single-device target is replicated.
Status *local_reshard(Builder *l, const Network *network, ValueId value, Sharding from, Sharding to,
                      Type global, ValueId *out) {
  if (from == to) {
    *out = value;
    return NULL;
  }
  if (sharding_is_maximal(l->table, to)) to = 0;
  if (sharding_is_maximal(l->table, from)) from = from_one(l, &value, from, global);
  Status *status = reshard(l, network, value, from, to, global, out);
  if (!status || status_code(status) != UNIMPLEMENTED || !from || !to) return status;
  status_free(status);
  TRY(reshard(l, network, value, from, 0, global, &value));
  return reshard(l, network, value, 0, to, global, out);
}
