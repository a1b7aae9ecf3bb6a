// Problem: two shardings split a dimension at different sizes. Express both in common digits, so
// that a reshard is a move of digits.
//
// Idea: each sharding splits a dimension at a chain of sizes, each dividing the next: 1, the
// products of its axes' sizes, the padded size.
//
//   16 over "x"=4 (block)     1 | 4 | 16         step 1→4 along x, step 4→16 inside
//   16 over "y"=2 (block)     1 | 2 | 16
//   merged                    1 | 2 | 4 | 16     digits of size 2, 2, 4
//
// If the union of the two chains is a chain, its steps are the digits. If not (1|2|12 and 1|3|12),
// the steps up to the next common size form a block with two forms, one per sharding: two ways of
// numbering the same pieces. If the padded sizes differ, one divides the other or the entire
// dimension has two forms; in the first case the shorter chain gets a leading digit that is always
// 0.
//
// Invariant: every tile of either sharding is the set of elements with given values of the digits
// along atoms (tiles_fit checks the sizes). Cost: O(steps³) per dimension, of at most MOST_STEPS
// steps; independent of sizes and devices.
#include "reshard/digits.h"

#include <stdlib.h>
#include <string.h>

#include "tensor/literal.h"

DigitForm digits_form(const Digits *digits, const Layout *layout, uint32_t block) {
  for (uint32_t i = 0; i < digits->n; i++)
    if (digits->v[i].form != FORM_BOTH && digits->v[i].block == block &&
        !layout_is_inside(layout, i))
      return digits->v[i].form;
  return FORM_BOTH;
}

int64_t digits_tile(const Digits *digits, const Layout *layout, uint32_t dim) {
  int64_t tile = 1;
  bool unsharded = true;
  for (uint32_t i = 0; i < digits->n && unsharded; i++)
    unsharded = digits->v[i].dim != dim || layout_is_inside(layout, i);
  if (unsharded) return digits->dims[dim];
  for (uint32_t i = 0; i < digits->n; i++) {
    const Digit *d = &digits->v[i];
    if (d->dim != dim || !layout_is_inside(layout, i)) continue;
    DigitForm form = d->form == FORM_BOTH ? FORM_BOTH : digits_form(digits, layout, d->block);
    if (d->empty) continue;
    if (form == d->form || (form == FORM_BOTH && d->form == FORM_SOURCE)) tile *= d->size;
  }
  return tile;
}

bool digits_are_empty(const Digits *digits, const int64_t *values) {
  for (uint32_t d = 0; d < digits->rank; d++) {
    int64_t first = 0;
    for (uint32_t i = 0; i < digits->n; i++)
      if (digits->v[i].dim == d && values[i] > 0) first += values[i] * digits->v[i].unit;
    if (first >= digits->dims[d]) return true;
  }
  return false;
}

bool digits_has_piece(const Digits *digits, const Layout *before, const Layout *after,
                      const uint32_t *from, const uint32_t *to) {
  int64_t values[RESHARD_MOST_DIGITS];
  for (uint32_t i = 0; i < digits->n; i++) {
    uint8_t a = before->at[i], b = after->at[i];
    values[i] = a != RESHARD_INSIDE ? (int64_t)from[a] : b != RESHARD_INSIDE ? (int64_t)to[b] : -1;
  }
  return !digits_are_empty(digits, values);
}

// ---- atoms ----

static uint32_t least_prime(uint32_t n) {
  for (uint32_t p = 2; p * p <= n; p++)
    if (n % p == 0) return p;
  return n;
}

static void add_boundary(uint32_t *bounds, uint32_t *n, uint32_t at) {
  for (uint32_t i = 0; i < *n; i++)
    if (bounds[i] == at) return;
  if (*n < 64) bounds[(*n)++] = at;
}

static int compare_boundaries(const void *x, const void *y) {
  uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
  return (a > b) - (a < b);
}

// Boundaries of the sub-axes of one mesh axis that a list uses.
static void list_boundaries(AxisList list, uint32_t axis, uint32_t *bounds, uint32_t *n) {
  for (uint32_t i = 0; i < list.n; i++) {
    if (list.v[i].axis != axis || list.v[i].size == 1) continue;
    add_boundary(bounds, n, list.v[i].pre_size);
    add_boundary(bounds, n, axis_next(list.v[i]));
  }
}

static void sharding_boundaries(const ShardingInfo *info, uint32_t axis, uint32_t *bounds,
                                uint32_t *n) {
  for (uint32_t d = 0; d < info->rank; d++)
    for (uint32_t f = 0; f < info->dims[d].n_factors; f++)
      list_boundaries(info->dims[d].factors[f].axes, axis, bounds, n);
  list_boundaries(info->unreduced, axis, bounds, n);
}

// True if the sharding uses the sub-axis.
static bool uses(const ShardingInfo *info, AxisRef sub_axis) {
  for (uint32_t d = 0; d < info->rank; d++)
    for (uint32_t f = 0; f < info->dims[d].n_factors; f++)
      if (axes_contain_ref(info->dims[d].factors[f].axes, sub_axis)) return true;
  return axes_contain_ref(info->unreduced, sub_axis);
}

// Splits each mesh axis at the boundaries of all sub-axes that either sharding uses; primes:
// further into primes.
static bool make_atoms(const Mesh *mesh, const ShardingInfo *a, const ShardingInfo *b, bool primes,
                       Digits *out) {
  for (uint32_t axis = 0; axis < mesh->n_axes; axis++) {
    uint32_t bounds[64], n = 0;
    sharding_boundaries(a, axis, bounds, &n);
    sharding_boundaries(b, axis, bounds, &n);
    if (!n) continue;
    qsort(bounds, n, sizeof *bounds, compare_boundaries);
    for (uint32_t i = 0; i + 1 < n; i++) {
      if (bounds[i + 1] % bounds[i]) return false;
      AxisRef sub_axis = {axis, bounds[i], bounds[i + 1] / bounds[i]};
      if (!uses(a, sub_axis) && !uses(b, sub_axis)) continue;
      while (sub_axis.size > 1) {
        if (out->n_atoms == RESHARD_MOST_ATOMS) return false;
        AxisRef atom = {axis, sub_axis.pre_size,
                        primes ? least_prime(sub_axis.size) : sub_axis.size};
        out->atoms[out->n_atoms++] = atom;
        sub_axis.pre_size *= atom.size;
        sub_axis.size /= atom.size;
      }
    }
  }
  return true;
}

// ---- chains ----

enum { MOST_STEPS = 48 };

// Step i of a dimension goes from size bound[i] to bound[i + 1] and is counted along at[i].
typedef struct Chain {
  int64_t bound[MOST_STEPS + 1];
  uint8_t at[MOST_STEPS];
  uint32_t n;
  bool sharded;  // some step is along an atom
} Chain;

static bool chain_push(Chain *c, int64_t size, uint8_t at) {
  if (size == 1 && at == RESHARD_INSIDE) return true;
  if (c->n == MOST_STEPS) return false;
  c->at[c->n] = at;
  c->bound[c->n + 1] = c->bound[c->n] * size;
  c->n++;
  c->sharded |= at != RESHARD_INSIDE;
  return true;
}

// Appends the atoms of a list of axes, major to minor.
static bool push_axes(const Digits *digits, AxisList list, Chain *c) {
  for (uint32_t i = 0; i < list.n; i++) {
    uint32_t at = list.v[i].pre_size, end = axis_next(list.v[i]);
    for (uint8_t k = 0; k < digits->n_atoms && at < end; k++) {
      AxisRef atom = digits->atoms[k];
      if (atom.axis != list.v[i].axis || atom.pre_size != at) continue;
      if (!chain_push(c, atom.size, k)) return false;
      at = axis_next(atom);
    }
    if (at != end) return false;
  }
  return true;
}

// The chain of one dimension. The last step inside is rounded up: the tile with its padding.
static bool chain_make(const Digits *digits, const ShardingInfo *info, uint32_t d, int64_t size,
                       Chain *out) {
  *out = (Chain){.bound = {1}};
  if (d >= info->rank) return true;
  const DimSharding *dim = &info->dims[d];
  for (uint32_t f = 0; f < dim->n_factors; f++) {
    int64_t ways = axes_size(dim->factors[f].axes);
    int64_t unsharded = dim->n_factors == 1 ? size : dim->factors[f].size;
    if (dim->n_factors > 1 && unsharded % ways) return false;
    if (!push_axes(digits, dim->factors[f].axes, out) ||
        !chain_push(out, (unsharded + ways - 1) / ways, RESHARD_INSIDE))
      return false;
  }
  return true;
}

static int64_t chain_end(const Chain *c) { return c->bound[c->n]; }

static bool chain_has(const Chain *c, int64_t bound) {
  for (uint32_t i = 0; i <= c->n; i++)
    if (c->bound[i] == bound) return true;
  return false;
}

// Splits a step inside the devices at a size; false if the size does not divide or the step is
// along an atom.
static bool chain_split(Chain *c, int64_t bound) {
  if (chain_has(c, bound)) return true;
  if (c->n == MOST_STEPS) return false;
  for (uint32_t i = 0; i < c->n; i++) {
    if (bound < c->bound[i] || bound > c->bound[i + 1]) continue;
    if (c->at[i] != RESHARD_INSIDE || bound % c->bound[i] || c->bound[i + 1] % bound) return false;
    memmove(&c->bound[i + 2], &c->bound[i + 1], (c->n - i) * sizeof *c->bound);
    memmove(&c->at[i + 1], &c->at[i], c->n - i);
    c->bound[i + 1] = bound;
    c->n++;
    return true;
  }
  return false;
}

static int64_t gcd(int64_t a, int64_t b) {
  while (b) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// Adds to both chains every least common multiple of two of their sizes at which both can be split:
// blocks with two forms become as small as possible.
static void chains_meet(Chain *a, Chain *b) {
  Chain was_a = *a, was_b = *b;
  for (uint32_t i = 0; i <= was_a.n; i++)
    for (uint32_t k = 0; k <= was_b.n; k++) {
      int64_t x = was_a.bound[i], y = was_b.bound[k], both = x / gcd(x, y) * y;
      if (chain_end(a) % both) continue;
      Chain trial_a = *a, trial_b = *b;
      if (!chain_split(&trial_a, both) || !chain_split(&trial_b, both)) continue;
      *a = trial_a;
      *b = trial_b;
    }
}

// ---- digits ----

static bool add_digit(Digits *digits, Layout *from, Layout *to, Digit digit, uint8_t at_from,
                      uint8_t at_to) {
  if (digits->n == RESHARD_MOST_DIGITS) return false;
  from->at[digits->n] = at_from;
  to->at[digits->n] = at_to;
  digits->v[digits->n++] = digit;
  return true;
}

// Adds the steps of one chain between two sizes as one form of a block. primes: steps inside are
// factored, so that renumbering has more choices.
static bool add_form(Digits *digits, Layout *from, Layout *to, const Chain *c, uint32_t dim,
                     int64_t low, int64_t high, DigitForm form, bool primes) {
  for (uint32_t i = 0; i < c->n; i++) {
    if (c->bound[i] < low || c->bound[i] >= high) continue;
    int64_t rest = c->bound[i + 1] / c->bound[i];
    while (rest > 1) {
      int64_t size = rest;
      if (primes && c->at[i] == RESHARD_INSIDE && rest <= UINT32_MAX)
        size = least_prime((uint32_t)rest);
      Digit digit = {.dim = dim, .size = size, .form = form, .block = digits->n_blocks};
      uint8_t inside = RESHARD_INSIDE;
      bool fits = form == FORM_SOURCE ? add_digit(digits, from, to, digit, c->at[i], inside)
                                      : add_digit(digits, from, to, digit, inside, c->at[i]);
      if (!fits) return false;
      rest /= size;
    }
  }
  return true;
}

// The digits between two sizes that both chains have: common digits if the chains merge, else a
// block with two forms.
static bool add_block(Digits *digits, Layout *from, Layout *to, Chain *a, Chain *b, uint32_t dim,
                      int64_t low, int64_t high, bool *even) {
  Chain merged_a = *a, merged_b = *b;
  bool one = true;
  for (uint32_t i = 0; i <= a->n && one; i++)
    if (a->bound[i] > low && a->bound[i] < high) one = chain_split(&merged_b, a->bound[i]);
  for (uint32_t i = 0; i <= b->n && one; i++)
    if (b->bound[i] > low && b->bound[i] < high) one = chain_split(&merged_a, b->bound[i]);
  if (!one) {
    *even = false;
    if (!add_form(digits, from, to, a, dim, low, high, FORM_SOURCE, true) ||
        !add_form(digits, from, to, b, dim, low, high, FORM_TARGET, true))
      return false;
    digits->n_blocks++;
    return true;
  }
  for (uint32_t i = 0, k = 0; i < merged_a.n; i++) {
    if (merged_a.bound[i] < low || merged_a.bound[i] >= high) continue;
    while (merged_b.bound[k] != merged_a.bound[i]) k++;
    Digit digit = {.dim = dim, .size = merged_a.bound[i + 1] / merged_a.bound[i]};
    if (!add_digit(digits, from, to, digit, merged_a.at[i], merged_b.at[k])) return false;
  }
  return true;
}

// Gives the shorter chain a leading digit that is always 0.
static void chain_lengthen(Chain *c, int64_t end) {
  int64_t by = end / chain_end(c);
  if (end % chain_end(c) || by <= 1 || c->n == MOST_STEPS) return;
  memmove(&c->bound[1], &c->bound[0], (c->n + 1) * sizeof *c->bound);
  memmove(&c->at[1], &c->at[0], c->n);
  for (uint32_t i = 1; i <= c->n + 1; i++) c->bound[i] *= by;
  c->bound[0] = 1;
  c->at[0] = RESHARD_INSIDE;
  c->n++;
}

static bool add_dim(Digits *digits, Layout *from, Layout *to, Chain *a, Chain *b, uint32_t dim,
                    int64_t size, bool *even) {
  if (!a->sharded) *a = (Chain){.bound = {1, chain_end(b)}, .at = {RESHARD_INSIDE}, .n = 1};
  if (!b->sharded) *b = (Chain){.bound = {1, chain_end(a)}, .at = {RESHARD_INSIDE}, .n = 1};
  *even &= chain_end(a) == size && chain_end(b) == size;
  chain_lengthen(a, chain_end(b));
  chain_lengthen(b, chain_end(a));
  if (chain_end(a) != chain_end(b)) {
    *even = false;
    if (!add_form(digits, from, to, a, dim, 1, INT64_MAX, FORM_SOURCE, false) ||
        !add_form(digits, from, to, b, dim, 1, INT64_MAX, FORM_TARGET, false))
      return false;
    digits->n_blocks++;
    return true;
  }
  chains_meet(a, b);
  int64_t low = 1;
  for (uint32_t i = 1; i <= a->n; i++) {
    if (!chain_has(b, a->bound[i])) continue;
    if (!add_block(digits, from, to, a, b, dim, low, a->bound[i], even)) return false;
    low = a->bound[i];
  }
  return true;
}

static void put_unreduced(const Digits *digits, AxisList list, Layout *layout) {
  for (uint32_t k = 0; k < digits->n_atoms; k++)
    if (axes_contain_ref(list, digits->atoms[k])) layout->unreduced |= 1u << k;
}

// Strides of digits; a digit whose stride exceeds the dimension has only padding beyond 0.
static void find_units(Digits *digits) {
  for (uint32_t i = 0; i < digits->n; i++) {
    Digit *d = &digits->v[i];
    DigitForm form = d->form == FORM_BOTH ? FORM_SOURCE : d->form;
    d->unit = 1;
    for (uint32_t k = i + 1; k < digits->n; k++)
      if (digits->v[k].dim == d->dim &&
          (digits->v[k].form == FORM_BOTH || digits->v[k].form == form))
        d->unit *= digits->v[k].size;
    d->empty = d->unit >= digits->dims[d->dim];
  }
}

// The tiles have the sizes that the sharding defines. A strided split of a dimension that the other
// sharding pads may not.
static bool tiles_fit(const Digits *digits, const Layout *layout, const ShardingInfo *info) {
  for (uint32_t d = 0; d < digits->rank && d < info->rank; d++) {
    int64_t ways = sharding_tiles(info, d);
    if (digits_tile(digits, layout, d) != (digits->dims[d] + ways - 1) / ways) return false;
  }
  return true;
}

bool digits_make(const Mesh *mesh, const ShardingInfo *from, const ShardingInfo *to, uint32_t rank,
                 const int64_t *dims, bool primes, Digits *out, Layout *out_from, Layout *out_to,
                 bool *out_even) {
  *out = (Digits){.rank = rank, .dims = dims};
  *out_from = *out_to = (Layout){.unreduced = 0};
  *out_even = true;
  if (!make_atoms(mesh, from, to, primes, out)) return false;
  for (uint32_t d = 0; d < rank; d++) {
    Chain a, b;
    if (!chain_make(out, from, d, dims[d], &a) || !chain_make(out, to, d, dims[d], &b))
      return false;
    if (!a.sharded && !b.sharded) continue;
    if (!add_dim(out, out_from, out_to, &a, &b, d, dims[d], out_even)) return false;
  }
  find_units(out);
  put_unreduced(out, from->unreduced, out_from);
  put_unreduced(out, to->unreduced, out_to);
  // The lowering reshapes a tile to its digits, which must be a legal rank.
  return out->n + rank < MAX_RANK && tiles_fit(out, out_from, from) && tiles_fit(out, out_to, to);
}
