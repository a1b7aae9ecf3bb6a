// Each sharding cuts a dimension at a chain of numbers, each dividing the next: 1, the products of
// its axes' primes, the padded size. Where the two chains together are a chain, the digits are the
// steps of it. Where they are not ([2 | 6] and [3 | 4] of 12) each gets its own form, up to the
// next number that both can be cut at (6); the two forms of a block are two ways of numbering the
// same pieces. Sizes that are padded differently have two forms of all of the dimension, unless one
// divides the other: then the shorter has more zeros in front.
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
  bool whole = true;
  for (uint32_t i = 0; i < digits->n && whole; i++)
    whole = digits->v[i].dim != dim || layout_is_inside(layout, i);
  if (whole) return digits->dims[dim];
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

static void cut_at(uint32_t *cuts, uint32_t *n, uint32_t at) {
  for (uint32_t i = 0; i < *n; i++)
    if (cuts[i] == at) return;
  if (*n < 64) cuts[(*n)++] = at;
}

static int cut_compare(const void *x, const void *y) {
  uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
  return (a > b) - (a < b);
}

static void cuts_of(AxisList list, uint32_t axis, uint32_t *cuts, uint32_t *n) {
  for (uint32_t i = 0; i < list.n; i++) {
    if (list.v[i].axis != axis || list.v[i].size == 1) continue;
    cut_at(cuts, n, list.v[i].pre_size);
    cut_at(cuts, n, axis_next(list.v[i]));
  }
}

static void all_cuts(const ShardingInfo *info, uint32_t axis, uint32_t *cuts, uint32_t *n) {
  for (uint32_t d = 0; d < info->rank; d++)
    for (uint32_t f = 0; f < info->dims[d].n_factors; f++)
      cuts_of(info->dims[d].factors[f].axes, axis, cuts, n);
  cuts_of(info->unreduced, axis, cuts, n);
}

static bool uses(const ShardingInfo *info, AxisRef part) {
  for (uint32_t d = 0; d < info->rank; d++)
    for (uint32_t f = 0; f < info->dims[d].n_factors; f++)
      if (axes_contain_ref(info->dims[d].factors[f].axes, part)) return true;
  return axes_contain_ref(info->unreduced, part);
}

// The parts of axes that either sharding uses, cut to primes if asked.
static bool make_atoms(const Mesh *mesh, const ShardingInfo *a, const ShardingInfo *b, bool primes,
                       Digits *out) {
  for (uint32_t axis = 0; axis < mesh->n_axes; axis++) {
    uint32_t cuts[64], n = 0;
    all_cuts(a, axis, cuts, &n);
    all_cuts(b, axis, cuts, &n);
    if (!n) continue;
    qsort(cuts, n, sizeof *cuts, cut_compare);
    for (uint32_t i = 0; i + 1 < n; i++) {
      if (cuts[i + 1] % cuts[i]) return false;
      AxisRef part = {axis, cuts[i], cuts[i + 1] / cuts[i]};
      if (!uses(a, part) && !uses(b, part)) continue;
      while (part.size > 1) {
        if (out->n_atoms == RESHARD_MOST_ATOMS) return false;
        AxisRef atom = {axis, part.pre_size, primes ? least_prime(part.size) : part.size};
        out->atoms[out->n_atoms++] = atom;
        part.pre_size *= atom.size;
        part.size /= atom.size;
      }
    }
  }
  return true;
}

// ---- chains ----

enum { MOST_CUTS = 48 };

// Step i of a dimension goes from cut[i] to cut[i + 1] and is counted along at[i].
typedef struct Chain {
  int64_t cut[MOST_CUTS + 1];
  uint8_t at[MOST_CUTS];
  uint32_t n;
  bool cuts;  // anything along atoms
} Chain;

static bool chain_push(Chain *c, int64_t size, uint8_t at) {
  if (size == 1 && at == RESHARD_INSIDE) return true;
  if (c->n == MOST_CUTS) return false;
  c->at[c->n] = at;
  c->cut[c->n + 1] = c->cut[c->n] * size;
  c->n++;
  c->cuts |= at != RESHARD_INSIDE;
  return true;
}

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

static bool chain_make(const Digits *digits, const ShardingInfo *info, uint32_t d, int64_t size,
                       Chain *out) {
  *out = (Chain){.cut = {1}};
  if (d >= info->rank) return true;
  const DimSharding *dim = &info->dims[d];
  for (uint32_t f = 0; f < dim->n_factors; f++) {
    int64_t ways = axes_size(dim->factors[f].axes);
    int64_t whole = dim->n_factors == 1 ? size : dim->factors[f].size;
    if (dim->n_factors > 1 && whole % ways) return false;
    if (!push_axes(digits, dim->factors[f].axes, out) ||
        !chain_push(out, (whole + ways - 1) / ways, RESHARD_INSIDE))
      return false;
  }
  return true;
}

static int64_t chain_end(const Chain *c) { return c->cut[c->n]; }

static bool chain_has(const Chain *c, int64_t cut) {
  for (uint32_t i = 0; i <= c->n; i++)
    if (c->cut[i] == cut) return true;
  return false;
}

// Cuts a step that is inside the devices; false if that cannot be.
static bool chain_cut(Chain *c, int64_t cut) {
  if (chain_has(c, cut)) return true;
  if (c->n == MOST_CUTS) return false;
  for (uint32_t i = 0; i < c->n; i++) {
    if (cut < c->cut[i] || cut > c->cut[i + 1]) continue;
    if (c->at[i] != RESHARD_INSIDE || cut % c->cut[i] || c->cut[i + 1] % cut) return false;
    memmove(&c->cut[i + 2], &c->cut[i + 1], (c->n - i) * sizeof *c->cut);
    memmove(&c->at[i + 1], &c->at[i], c->n - i);
    c->cut[i + 1] = cut;
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

// Where both can be cut, both are.
static void chains_meet(Chain *a, Chain *b) {
  Chain was_a = *a, was_b = *b;
  for (uint32_t i = 0; i <= was_a.n; i++)
    for (uint32_t k = 0; k <= was_b.n; k++) {
      int64_t x = was_a.cut[i], y = was_b.cut[k], both = x / gcd(x, y) * y;
      if (chain_end(a) % both) continue;
      Chain trial_a = *a, trial_b = *b;
      if (!chain_cut(&trial_a, both) || !chain_cut(&trial_b, both)) continue;
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

// The steps of one chain between two cuts as a form of their own; what is inside in primes if
// pieces may be numbered anew.
static bool add_form(Digits *digits, Layout *from, Layout *to, const Chain *c, uint32_t dim,
                     int64_t low, int64_t high, DigitForm form, bool primes) {
  for (uint32_t i = 0; i < c->n; i++) {
    if (c->cut[i] < low || c->cut[i] >= high) continue;
    int64_t rest = c->cut[i + 1] / c->cut[i];
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

static bool add_block(Digits *digits, Layout *from, Layout *to, Chain *a, Chain *b, uint32_t dim,
                      int64_t low, int64_t high, bool *even) {
  Chain merged_a = *a, merged_b = *b;
  bool one = true;
  for (uint32_t i = 0; i <= a->n && one; i++)
    if (a->cut[i] > low && a->cut[i] < high) one = chain_cut(&merged_b, a->cut[i]);
  for (uint32_t i = 0; i <= b->n && one; i++)
    if (b->cut[i] > low && b->cut[i] < high) one = chain_cut(&merged_a, b->cut[i]);
  if (!one) {
    *even = false;
    if (!add_form(digits, from, to, a, dim, low, high, FORM_SOURCE, true) ||
        !add_form(digits, from, to, b, dim, low, high, FORM_TARGET, true))
      return false;
    digits->n_blocks++;
    return true;
  }
  for (uint32_t i = 0, k = 0; i < merged_a.n; i++) {
    if (merged_a.cut[i] < low || merged_a.cut[i] >= high) continue;
    while (merged_b.cut[k] != merged_a.cut[i]) k++;
    Digit digit = {.dim = dim, .size = merged_a.cut[i + 1] / merged_a.cut[i]};
    if (!add_digit(digits, from, to, digit, merged_a.at[i], merged_b.at[k])) return false;
  }
  return true;
}

// A shorter chain is the end of a longer one, whose first digit is then always 0.
static void chain_lengthen(Chain *c, int64_t end) {
  int64_t by = end / chain_end(c);
  if (end % chain_end(c) || by <= 1 || c->n == MOST_CUTS) return;
  memmove(&c->cut[1], &c->cut[0], (c->n + 1) * sizeof *c->cut);
  memmove(&c->at[1], &c->at[0], c->n);
  for (uint32_t i = 1; i <= c->n + 1; i++) c->cut[i] *= by;
  c->cut[0] = 1;
  c->at[0] = RESHARD_INSIDE;
  c->n++;
}

static bool add_dim(Digits *digits, Layout *from, Layout *to, Chain *a, Chain *b, uint32_t dim,
                    int64_t size, bool *even) {
  if (!a->cuts) *a = (Chain){.cut = {1, chain_end(b)}, .at = {RESHARD_INSIDE}, .n = 1};
  if (!b->cuts) *b = (Chain){.cut = {1, chain_end(a)}, .at = {RESHARD_INSIDE}, .n = 1};
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
    if (!chain_has(b, a->cut[i])) continue;
    if (!add_block(digits, from, to, a, b, dim, low, a->cut[i], even)) return false;
    low = a->cut[i];
  }
  return true;
}

static void put_unreduced(const Digits *digits, AxisList list, Layout *layout) {
  for (uint32_t k = 0; k < digits->n_atoms; k++)
    if (axes_contain_ref(list, digits->atoms[k])) layout->unreduced |= 1u << k;
}

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

// Do tiles come out as the sharding says? A strided split of what the other pads may not.
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
    if (!a.cuts && !b.cuts) continue;
    if (!add_dim(out, out_from, out_to, &a, &b, d, dims[d], out_even)) return false;
  }
  find_units(out);
  put_unreduced(out, from->unreduced, out_from);
  put_unreduced(out, to->unreduced, out_to);
  // A tile can be seen as its digits.
  return out->n + rank < MAX_RANK && tiles_fit(out, out_from, from) && tiles_fit(out, out_to, to);
}
