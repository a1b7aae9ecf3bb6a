// Problem: find the cheapest sequence of collectives between two layouts of digits.
//
// Idea: A* over layouts. A node is a layout, an edge is a move priced by the cost model. The
// estimate for the rest is the time that the fastest link takes for the bytes which the devices
// lack of the goal's tiles. It makes the search go straight to the goal if one collective suffices.
//
// Moves are limited to useful ones: digits leave an atom only if the goal has them elsewhere, and a
// digit that is where the goal has it stays there.
//
// Invariant: without padding the estimate never exceeds the real price, so the plan is the cheapest
// of the moves considered, unless MOST_NODES is reached. With padding the estimate is reduced by
// the devices that need nothing. Cost: at most MOST_NODES layouts, each with at most 2^MOST_WRONG
// sets of digits to gather.
#include "reshard/search.h"

#include <string.h>

#include "base/heap.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "base/vec.h"
#include "cost/collectives.h"
#include "cost/tuning.h"

enum {
  MOST_NODES = 30000,          // layouts
  MOST_WRONG = 10,             // digits of which all subsets are gathered
  MOST_PERMUTED = 7,           // digits of which all subsets are permuted
  MOST_COORDINATES = 1 << 12,  // devices for which padding is counted
  MOST_SPARSE = 4,             // group size up to which permutes replace a collective
};

typedef struct Node {
  Layout layout;
  uint32_t parent, depth;
  MoveKind kind;
  bool done, sparse;
  Price price;  // of the path from the start
  Price step;   // of its last move
  double left;  // estimated bytes to the goal
} Node;

// A copy of the cost at the time of queuing. A node that is reached again more cheaply is queued
// again; the old entry is skipped since the node is done by then.
typedef struct Queued {
  double cost;
  uint32_t depth, id;
} Queued;

typedef struct Search {
  const Digits *digits;
  const Pricing *pricing;
  const Layout *goal;
  double bytes_per_second;  // of the fastest link
  bool even;                // no tile has padding
  double live;              // fraction of the devices whose goal tile is not all padding
  Guard *guard;
  HEAPVEC(Node) nodes;
  HEAPVEC(Queued) queue;
  IdMap by_layout;
  GuardCleanup cleanup;
} Search;

typedef struct Step {
  MoveKind kind;
  Price price;
  bool sparse;
} Step;

static void search_deinit(void *object) {
  Search *s = object;
  HEAPVEC_FREE(&s->nodes);
  HEAPVEC_FREE(&s->queue);
  idmap_deinit(&s->by_layout);
}

// ---- sizes ----

static double tile_bytes(const Digits *digits, const Layout *layout, double element_bytes) {
  double bytes = element_bytes;
  for (uint32_t d = 0; d < digits->rank; d++) bytes *= (double)digits_tile(digits, layout, d);
  return bytes;
}

// Bytes per device that enter a collective. A dimension that was not sharded and becomes sharded
// counts with its padding.
static double operand_bytes(const Search *s, const Layout *before, const Layout *after) {
  const Digits *digits = s->digits;
  double bytes = s->pricing->element_bytes;
  for (uint32_t d = 0; d < digits->rank; d++) {
    int64_t tile = digits_tile(digits, before, d), ways = 1;
    for (uint32_t i = 0; i < digits->n; i++)
      if (digits->v[i].dim == d && layout_is_inside(before, i) && !layout_is_inside(after, i))
        ways *= digits->v[i].size;
    int64_t padded = ways > 1 ? ways * digits_tile(digits, after, d) : tile;
    // Digits that come inside in the same move are not in the operand yet.
    for (uint32_t i = 0; i < digits->n && ways > 1; i++)
      if (digits->v[i].dim == d && !layout_is_inside(before, i) && layout_is_inside(after, i))
        padded /= digits->v[i].size;
    bytes *= (double)(padded > tile ? padded : tile);
  }
  return bytes;
}

// The links along a set of atoms.
static Route route_of(const Search *s, uint32_t atoms) {
  AxisRef axes[RESHARD_MOST_ATOMS];
  uint32_t n = 0;
  for (uint32_t k = 0; k < s->digits->n_atoms; k++)
    if (atoms >> k & 1) axes[n++] = s->digits->atoms[k];
  return network_route(s->pricing->network, (AxisList){axes, n});
}

// One collective along the atoms, with `held` bytes per device.
static Step collective_step(const Search *s, MoveKind kind, uint32_t atoms, double held) {
  Route route = route_of(s, atoms);
  return (Step){kind, collective_price(move_op(kind), &route, held), false};
}

static uint32_t count_of(const Search *s, uint32_t atoms) {
  uint32_t product = 1;
  for (uint32_t k = 0; k < s->digits->n_atoms; k++)
    if (atoms >> k & 1) product *= s->digits->atoms[k].size;
  return product;
}

// Atoms that a layout uses for digits or for partial values.
static uint32_t used_atoms(const Digits *digits, const Layout *layout) {
  uint32_t used = layout->unreduced;
  for (uint32_t i = 0; i < digits->n; i++)
    if (!layout_is_inside(layout, i)) used |= 1u << layout->at[i];
  return used;
}

// The digit along an atom; UINT32_MAX if the atom has none.
static uint32_t digit_of(const Digits *digits, const Layout *layout, uint32_t atom) {
  for (uint32_t i = 0; i < digits->n; i++)
    if (layout->at[i] == atom) return i;
  return UINT32_MAX;
}

// ---- bytes that stay ----

// The fraction of devices on which all digits that change atoms keep their value. Digits moving
// between atoms join these into sets (union-find); a device agrees if its coordinates are equal in
// each set.
static double agreeing_fraction(const Digits *digits, const Layout *a, const Layout *b) {
  uint8_t root[RESHARD_MOST_ATOMS];
  double fraction = 1;
  for (uint8_t i = 0; i < digits->n_atoms; i++) root[i] = i;
  for (uint32_t i = 0; i < digits->n; i++) {
    if (layout_is_inside(a, i) || layout_is_inside(b, i)) continue;
    uint8_t x = a->at[i], y = b->at[i];
    while (root[x] != x) x = root[x];
    while (root[y] != y) y = root[y];
    if (x == y) continue;
    root[x] = y;
    fraction /= digits->atoms[x].size;
  }
  return fraction;
}

// Bytes that the tiles of two layouts have in common on a device where digits agree.
static double common_bytes(const Digits *digits, const Layout *from, const Layout *to,
                           double element_bytes) {
  double common = element_bytes;
  for (uint32_t d = 0; d < digits->rank; d++) {
    int64_t a = digits_tile(digits, from, d), b = digits_tile(digits, to, d);
    int64_t most = a < b ? a : b, both = 1;
    bool one_form = true, unsharded = true;
    for (uint32_t i = 0; i < digits->n; i++) {
      if (digits->v[i].dim != d) continue;
      unsharded = false;
      if (digits->v[i].form != FORM_BOTH)
        one_form = false;
      else if (layout_is_inside(from, i) && layout_is_inside(to, i))
        both *= digits->v[i].size;
    }
    common *= (double)(one_form && !unsharded && both < most ? both : most);
  }
  return common;
}

double layout_lack(const Digits *digits, const Layout *from, const Layout *to,
                   double element_bytes) {
  double goal = tile_bytes(digits, to, element_bytes);
  double common =
      common_bytes(digits, from, to, element_bytes) * agreeing_fraction(digits, from, to);
  return goal > common ? goal - common : 0;
}

// A lower bound of layout_lack. With padding, some devices may have everything in common and others
// need nothing.
static double estimate(const Search *s, const Layout *layout) {
  double element = s->pricing->element_bytes;
  if (layout->unreduced != s->goal->unreduced || s->pricing->least_bytes <= 0) return 0;
  if (s->even) return layout_lack(s->digits, layout, s->goal, element);
  double lack =
      tile_bytes(s->digits, s->goal, element) - common_bytes(s->digits, layout, s->goal, element);
  return lack > 0 ? lack * s->live : 0;
}

// ---- the queue ----

static bool queued_before(const void *x, const void *y, const void *user) {
  const Queued *a = x, *b = y;
  (void)user;
  if (a->cost != b->cost) return a->cost < b->cost;
  if (a->depth != b->depth) return a->depth < b->depth;
  return a->id < b->id;
}

static const HeapOrder queue_order = {sizeof(Queued), queued_before, NULL};

static void queue_push(Search *s, uint32_t id) {
  const Node *node = &s->nodes.items[id];
  Price left = price_steps((Link){.bytes_per_second = s->bytes_per_second}, 0, node->left);
  Queued entry = {pricing_of(s->pricing, price_sum(node->price, left)), node->depth, id};
  HEAPVEC_PUSH(s->guard, &s->queue, entry);
  heap_push(s->queue.items, s->queue.count, &queue_order);
}

static uint32_t queue_pop(Search *s) {
  heap_pop(s->queue.items, s->queue.count, &queue_order);
  return s->queue.items[--s->queue.count].id;
}

static bool layout_equal(const void *owner, uint32_t id, const void *key) {
  const Search *s = owner;
  return memcmp(&s->nodes.items[id].layout, key, sizeof(Layout)) == 0;
}

// Adds the layout to the queue, or replaces a more expensive path to it.
static void reach(Search *s, uint32_t from, const Layout *layout, Step step) {
  Node node = {.layout = *layout,
               .parent = from,
               .kind = step.kind,
               .sparse = step.sparse,
               .step = step.price};
  if (from) {
    const Node *was = &s->nodes.items[from];
    node.price = price_sum(was->price, step.price);
    node.depth = was->depth + 1;
  }
  uint64_t hash = hash_bytes(layout, sizeof *layout);
  uint32_t found = idmap_find(&s->by_layout, hash, layout_equal, s, layout);
  if (found) {
    Node *old = &s->nodes.items[found];
    if (old->done || pricing_of(s->pricing, old->price) <= pricing_of(s->pricing, node.price))
      return;
    node.left = old->left;
    *old = node;
    queue_push(s, found);
    return;
  }
  if (s->nodes.count >= MOST_NODES) return;
  node.left = estimate(s, layout);
  HEAPVEC_PUSH(s->guard, &s->nodes, node);
  idmap_add(&s->by_layout, s->guard, hash, s->nodes.count - 1);
  queue_push(s, s->nodes.count - 1);
}

// True if a step of this price would improve the path to a layout. Checked before work on details.
static bool could_reach(Search *s, uint32_t from, const Layout *layout, Price step) {
  uint64_t hash = hash_bytes(layout, sizeof *layout);
  uint32_t found = idmap_find(&s->by_layout, hash, layout_equal, s, layout);
  if (!found) return s->nodes.count < MOST_NODES;
  const Node *old = &s->nodes.items[found];
  Price price = price_sum(s->nodes.items[from].price, step);
  return !old->done && pricing_of(s->pricing, price) < pricing_of(s->pricing, old->price);
}

// ---- moves ----

// True if a digit that is inside may go to an atom: its block is not in the other form.
static bool may_shard(const Digits *digits, const Layout *layout, uint32_t i) {
  const Digit *digit = &digits->v[i];
  if (!layout_is_inside(layout, i)) return false;
  if (digit->form == FORM_BOTH) return true;
  DigitForm form = digits_form(digits, layout, digit->block);
  return form == FORM_BOTH || form == digit->form;
}

// Local slices: each free atom takes its goal digit if that is inside; otherwise any digit of its
// size that the goal has along some atom, so that a permute can finish.
static void slices(Search *s, uint32_t from, const Layout *now) {
  const Digits *digits = s->digits;
  uint32_t used = used_atoms(digits, now);
  for (uint8_t a = 0; a < digits->n_atoms; a++) {
    uint32_t own = digit_of(digits, s->goal, a);
    if (used >> a & 1 || own == UINT32_MAX) continue;
    bool fits = may_shard(digits, now, own);
    for (uint32_t i = 0; i < digits->n; i++) {
      if (fits ? i != own : digits->v[i].size != digits->atoms[a].size) continue;
      if (layout_is_inside(s->goal, i) && digits->v[i].form == FORM_BOTH) continue;
      if (!may_shard(digits, now, i)) continue;
      Layout next = *now;
      next.at[i] = a;
      reach(s, from, &next, (Step){MOVE_SLICE, {.seconds = tuning.local_step_seconds}, false});
    }
  }
}

// Counts through all coordinates along a set of atoms; false after the last.
static bool next_coordinates(const Digits *digits, uint32_t atoms, uint32_t *at) {
  for (uint32_t k = 0; k < digits->n_atoms; k++) {
    if (!(atoms >> k & 1)) continue;
    if (++at[k] < digits->atoms[k].size) return true;
    at[k] = 0;
  }
  return false;
}

enum { ALL_ATOMS = (1u << RESHARD_MOST_ATOMS) - 1 };

static double coordinates(const Digits *digits) {
  double count = 1;
  for (uint32_t k = 0; k < digits->n_atoms; k++) count *= digits->atoms[k].size;
  return count;
}

// Atoms of dimensions that have padding: only along these does it matter who sends to whom.
static uint32_t padded_atoms(const Digits *digits, const Layout *before, const Layout *after) {
  uint32_t padded = 0;
  for (uint32_t d = 0; d < digits->rank; d++) {
    int64_t last = 0;  // the first element of the last piece
    uint32_t atoms = 0;
    for (uint32_t i = 0; i < digits->n; i++) {
      const Layout *both[] = {before, after};
      if (digits->v[i].dim != d || (layout_is_inside(before, i) && layout_is_inside(after, i)))
        continue;
      last += (digits->v[i].size - 1) * digits->v[i].unit;
      for (uint32_t k = 0; k < 2; k++)
        if (!layout_is_inside(both[k], i)) atoms |= 1u << both[k]->at[i];
    }
    if (last >= digits->dims[d]) padded |= atoms;
  }
  return padded;
}

// The average number of pieces that a device receives from others along the atoms, without pieces
// that are all padding. O(devices · group).
static double pieces_received(const Digits *digits, const Layout *before, const Layout *after,
                              uint32_t atoms) {
  uint32_t to[RESHARD_MOST_ATOMS] = {0};
  uint32_t used = atoms | padded_atoms(digits, before, after);
  double got = 0, devices = 0;
  do {
    devices++;
    uint32_t from[RESHARD_MOST_ATOMS];
    memcpy(from, to, sizeof from);
    for (;;) {  // all other members of the group
      uint32_t k = 0;
      for (; k < digits->n_atoms; k++) {
        if (!(atoms >> k & 1)) continue;
        if (++from[k] == digits->atoms[k].size) from[k] = 0;
        if (from[k] != to[k]) break;
      }
      if (k == digits->n_atoms) break;
      got += digits_has_piece(digits, before, after, from, to);
    }
  } while (next_coordinates(digits, used, to));
  return got / devices;
}

// The same collective as permutes, if that skips many pieces of padding. The bound without bytes is
// tested first, since counting pieces is expensive.
static void sparse_step(Search *s, uint32_t from, const Layout *now, const Layout *next,
                        uint32_t atoms, MoveKind kind, double piece, double dense) {
  uint32_t count = count_of(s, atoms);
  if (s->even || count > MOST_SPARSE) return;
  Route route = route_of(s, atoms);
  Price price = price_permutes(route_slowest(&route), count - 1, piece * (count - 1), 0);
  if (!could_reach(s, from, next, price)) return;
  double bytes = piece * pieces_received(s->digits, now, next, atoms);
  if (bytes > tuning.sparse_most_bytes * dense) return;
  price = price_permutes(route_slowest(&route), count - 1, piece * (count - 1), bytes);
  reach(s, from, next, (Step){kind, price, true});
}

// Moves that give digits the atoms which other digits (all-to-all) or partial values
// (reduce-scatter) leave: each atom takes its goal digit; a single atom may take any digit that the
// goal has along an atom.
static void assign_atoms(Search *s, uint32_t from, const Layout *now, const Layout *gathered,
                         uint32_t atoms, MoveKind kind) {
  const Digits *digits = s->digits;
  Layout next = *gathered;
  uint32_t n = 0, last = 0;
  bool own = true;
  for (uint8_t a = 0; a < digits->n_atoms; a++) {
    if (!(atoms >> a & 1)) continue;
    uint32_t i = digit_of(digits, s->goal, a);
    own &= i != UINT32_MAX && may_shard(digits, now, i) && may_shard(digits, &next, i);
    if (own) next.at[i] = a;
    n++;
    last = a;
  }
  for (uint32_t i = 0; i < digits->n; i++) {
    if (!own) {
      if (n > 1) return;
      next = *gathered;
      if (digits->v[i].size != digits->atoms[last].size || layout_is_inside(s->goal, i) ||
          !may_shard(digits, now, i) || !may_shard(digits, gathered, i))
        continue;
      next.at[i] = (uint8_t)last;
    }
    double held = operand_bytes(s, now, &next);
    Step step = collective_step(s, kind, atoms, held);
    reach(s, from, &next, step);
    if (kind == MOVE_ALL_TO_ALL)
      sparse_step(s, from, now, &next, atoms, kind, held / count_of(s, atoms), step.price.bytes);
    if (own) return;
  }
}

// All-gathers and all-to-alls of every set of digits that are not where the goal has them.
static void gathers(Search *s, uint32_t from, const Layout *now) {
  const Digits *digits = s->digits;
  uint32_t wrong[RESHARD_MOST_DIGITS], n = 0;
  for (uint32_t i = 0; i < digits->n; i++)
    if (!layout_is_inside(now, i) && now->at[i] != s->goal->at[i]) wrong[n++] = i;
  double held = tile_bytes(digits, now, s->pricing->element_bytes);
  // More than MOST_WRONG digits: only single ones and all of them.
  uint32_t full = n ? UINT32_MAX >> (32 - n) : 0, sets = n <= MOST_WRONG ? full : n + 1;
  for (uint32_t number = 1; number <= sets; number++) {
    uint32_t set = n <= MOST_WRONG ? number : number > n ? full : 1u << (number - 1);
    Layout next = *now;
    uint32_t atoms = 0;
    for (uint32_t k = 0; k < n; k++) {
      if (!(set >> k & 1)) continue;
      next.at[wrong[k]] = RESHARD_INSIDE;
      atoms |= 1u << now->at[wrong[k]];
    }
    Step step = collective_step(s, MOVE_ALL_GATHER, atoms, held);
    reach(s, from, &next, step);
    sparse_step(s, from, now, &next, atoms, MOVE_ALL_GATHER, held, step.price.bytes);
    assign_atoms(s, from, now, &next, atoms, MOVE_ALL_TO_ALL);
  }
}

// A digit takes an atom; the digit there takes its atom in exchange.
static void swap_atoms(const Digits *digits, Layout *layout, uint32_t i, uint8_t atom) {
  uint32_t other = digit_of(digits, layout, atom);
  if (other != UINT32_MAX) layout->at[other] = layout->at[i];
  layout->at[i] = atom;
}

// Rewrites a block whose source digits are all along atoms in the target's form: both forms number
// the same pieces. False if a digit is inside or the sizes do not match.
static bool renumber(const Digits *digits, const Layout *goal, Layout *layout, uint32_t block) {
  uint32_t free = 0;
  for (uint32_t i = 0; i < digits->n; i++) {
    const Digit *d = &digits->v[i];
    if (d->form != FORM_SOURCE || d->block != block) continue;
    if (layout_is_inside(layout, i)) return false;
    free |= 1u << layout->at[i];
    layout->at[i] = RESHARD_INSIDE;
  }
  for (uint32_t pass = 0; pass < 2; pass++)  // first digits at their goal's atom
    for (uint32_t i = 0; i < digits->n; i++) {
      const Digit *d = &digits->v[i];
      if (d->form != FORM_TARGET || d->block != block || !layout_is_inside(layout, i)) continue;
      for (uint8_t a = 0; a < digits->n_atoms; a++) {
        if (!(free >> a & 1) || digits->atoms[a].size != d->size) continue;
        if (!pass && goal->at[i] != a) continue;
        layout->at[i] = a;
        free &= ~(1u << a);
        break;
      }
      if (pass && layout_is_inside(layout, i)) return false;
    }
  return free == 0;
}

// The index of a device's tile among all tiles.
static int64_t tile_number(const Digits *digits, const Layout *layout, const uint32_t *at) {
  int64_t number = 0;
  for (uint32_t i = 0; i < digits->n; i++)
    if (!layout_is_inside(layout, i)) number = number * digits->v[i].size + at[layout->at[i]];
  return number;
}

// The fraction of devices that keep their tile when blocks are renumbered.
static double keeping_fraction(const Digits *digits, const Layout *a, const Layout *b) {
  uint32_t at[RESHARD_MOST_ATOMS] = {0};
  double same = 0;
  if (coordinates(digits) > (double)MOST_COORDINATES) return 0;
  do {
    same += tile_number(digits, a, at) == tile_number(digits, b, at);
  } while (next_coordinates(digits, ALL_ATOMS, at));
  return same / coordinates(digits);
}

static void permute_to(Search *s, uint32_t from, const Layout *now, const Layout *next,
                       bool renumbered) {
  uint32_t atoms = 0;
  for (uint32_t i = 0; i < s->digits->n; i++) {
    if (now->at[i] == next->at[i]) continue;
    if (!layout_is_inside(now, i)) atoms |= 1u << now->at[i];
    if (!layout_is_inside(next, i)) atoms |= 1u << next->at[i];
  }
  if (!atoms || atoms & now->unreduced) return;
  double bytes = tile_bytes(s->digits, now, s->pricing->element_bytes);
  double keep =
      renumbered ? keeping_fraction(s->digits, now, next) : agreeing_fraction(s->digits, now, next);
  Step step = collective_step(s, MOVE_PERMUTE, atoms, bytes);
  step.price.bytes *= 1 - keep;  // seconds stay: devices wait for the senders
  step.price.transfer_seconds *= 1 - keep;
  reach(s, from, next, step);
}

// Permutes that take sets of digits to their goal's atoms, from layout `start`.
static void permutes_from(Search *s, uint32_t from, const Layout *now, const Layout *start,
                          bool renumbered) {
  const Digits *digits = s->digits;
  uint32_t wrong[RESHARD_MOST_DIGITS], n = 0;
  for (uint32_t i = 0; i < digits->n; i++)
    if (!layout_is_inside(start, i) && !layout_is_inside(s->goal, i) &&
        start->at[i] != s->goal->at[i])
      wrong[n++] = i;
  if (renumbered) permute_to(s, from, now, start, true);
  uint32_t some = n < MOST_PERMUTED ? n : MOST_PERMUTED;
  for (uint32_t set = 1; set < 1u << some; set++) {
    Layout next = *start;
    bool all = set == (1u << some) - 1;  // then also the digits beyond MOST_PERMUTED
    for (uint32_t k = 0; k < n; k++)
      if (k < some ? set >> k & 1 : all) swap_atoms(digits, &next, wrong[k], s->goal->at[wrong[k]]);
    permute_to(s, from, now, &next, renumbered);
  }
}

static void permutes(Search *s, uint32_t from, const Layout *now) {
  permutes_from(s, from, now, now, false);
  Layout next = *now;
  bool renumbered = false;
  for (uint32_t b = 0; b < s->digits->n_blocks; b++) {
    Layout trial = next;
    if (digits_form(s->digits, &trial, b) != FORM_SOURCE ||
        !renumber(s->digits, s->goal, &trial, b))
      continue;
    next = trial;
    renumbered = true;
  }
  if (renumbered) permutes_from(s, from, now, &next, true);
}

// All-reduces and reduce-scatters of every set of atoms that the goal has reduced; and the local
// move to unreduced atoms of the goal.
static void reductions(Search *s, uint32_t from, const Layout *now) {
  uint32_t open = now->unreduced & ~s->goal->unreduced, required = s->goal->unreduced;
  double held = tile_bytes(s->digits, now, s->pricing->element_bytes);
  for (uint32_t set = open; set; set = (set - 1) & open) {
    Layout next = *now;
    next.unreduced &= ~set;
    reach(s, from, &next, collective_step(s, MOVE_ALL_REDUCE, set, held));
    assign_atoms(s, from, now, &next, set, MOVE_REDUCE_SCATTER);
  }
  required &= ~used_atoms(s->digits, now);
  if (!required) return;
  Layout next = *now;
  next.unreduced |= required;
  reach(s, from, &next, (Step){MOVE_UNREDUCE, {.seconds = tuning.local_step_seconds}, false});
}

// ---- the path ----

// A* main loop. Returns the goal's node; 0 = not reached.
static uint32_t search(Search *s) {
  while (s->queue.count) {
    uint32_t id = queue_pop(s);
    if (s->nodes.items[id].done) continue;
    s->nodes.items[id].done = true;
    Layout now = s->nodes.items[id].layout;
    if (memcmp(&now, s->goal, sizeof now) == 0) return id;
    slices(s, id, &now);
    gathers(s, id, &now);
    permutes(s, id, &now);
    reductions(s, id, &now);
  }
  return 0;
}

// The moves from start to goal; consecutive slices become one.
static void read_path(const Search *s, uint32_t end, Arena *arena, uint32_t *out_n,
                      const Move **out_moves) {
  uint32_t n = s->nodes.items[end].depth, count = 0;
  uint32_t *path = ARENA_ARRAY(arena, uint32_t, n + 1);
  for (uint32_t i = end, at = n; at; i = s->nodes.items[i].parent) path[--at] = i;
  Move *moves = ARENA_ARRAY(arena, Move, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    const Node *node = &s->nodes.items[path[i]];
    bool merges = count && node->kind == MOVE_SLICE && moves[count - 1].kind == MOVE_SLICE;
    Move *move = &moves[merges ? count - 1 : count++];
    if (!merges)
      *move = (Move){.kind = node->kind,
                     .sparse = node->sparse,
                     .before = s->nodes.items[node->parent].layout};
    move->after = node->layout;
    move->price = price_sum(move->price, node->step);
  }
  *out_n = count;
  *out_moves = moves;
}

// The fraction of the devices whose tile is not all padding.
static double live_fraction(const Digits *digits, const Layout *layout) {
  uint32_t at[RESHARD_MOST_ATOMS] = {0};
  double live = 0;
  do {
    live += digits_has_piece(digits, layout, layout, at, at);
  } while (next_coordinates(digits, ALL_ATOMS, at));
  return live / coordinates(digits);
}

bool search_moves(const Digits *digits, bool even, const Pricing *pricing, const Layout *from,
                  const Layout *to, Arena *arena, uint32_t *out_n, const Move **out_moves) {
  // With very many devices padding is ignored: counting pieces takes time per device.
  even |= coordinates(digits) > (double)MOST_COORDINATES;
  Search s = {.digits = digits,
              .pricing = pricing,
              .goal = to,
              .guard = arena->guard,
              .even = even,
              .live = even ? 1 : live_fraction(digits, to)};
  for (uint32_t k = 0; k < digits->n_atoms; k++) {
    Route route = network_route(pricing->network, (AxisList){&digits->atoms[k], 1});
    double fastest = route.levels[0].link.bytes_per_second;
    if (fastest > s.bytes_per_second) s.bytes_per_second = fastest;
  }
  s.cleanup = (GuardCleanup){search_deinit, &s, NULL};
  guard_push(s.guard, &s.cleanup);
  HEAPVEC_PUSH(s.guard, &s.nodes, (Node){.parent = 0});  // id 0 means none
  reach(&s, 0, from, (Step){.kind = MOVE_SLICE});
  uint32_t end = search(&s);
  if (end) read_path(&s, end, arena, out_n, out_moves);
  guard_pop(s.guard, &s.cleanup);
  search_deinit(&s);
  return end != 0;
}
