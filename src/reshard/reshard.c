// A shortest path. Axes are cut into atoms (the parts that the two shardings use, and their prime
// parts where that is not good enough); a state says which atoms stand on which dimension, in which
// order, and which are unreduced; a move is an edge that costs its seconds. Dijkstra over the
// states reached: their number depends on the atoms, not on the devices.
//
// A permute may relabel any number of atoms at once: it is entered at the price of moving one tile,
// after which every further swap is free (the state remembers that it is inside one).
//
// Sizes that tiles do not divide: tiles of w·n parts are parts of the tiles of w only if they nest
// (ceil(size/w) = n · ceil(size/(w·n))), or if the dimension is whole before; other steps are not
// taken.
#include "reshard/reshard.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/idmap.h"
#include "base/mem.h"
#include "base/vec.h"

enum {
  MOST_ATOMS = 12,
  MOST_DIMS = 24,  // that take part
  CODE_BYTES = MOST_ATOMS + MOST_DIMS + 2,
  MOST_STATES = 50000,
  END = 0xff,
};

typedef struct Atoms {
  AxisRef v[64];
  uint32_t n;
} Atoms;

// Per dimension that takes part its atoms, then END; the unreduced atoms in order, END; 1 if inside
// a permute.
typedef struct State {
  uint8_t code[CODE_BYTES];
  uint32_t parent;
  MoveKind kind;
  uint8_t first, n_atoms;  // of the moved atoms in `moved`
  uint8_t moved[MOST_ATOMS];
  uint8_t from_dim, to_dim;
  double seconds, bytes;  // of the way here
  double step_seconds, step_bytes;
  uint32_t depth;
  bool done;
} State;

// As it was when it was queued; a state that was reached again more cheaply is queued again.
typedef struct Queued {
  double seconds;
  uint32_t depth, id;
} Queued;

typedef struct Search {
  ShardingTable *table;
  const Network *network;
  Guard *guard;
  Arena *arena;
  const Mesh *mesh;
  MeshId mesh_id;
  Combine reducer;
  Atoms atoms;
  uint32_t n_dims;           // that take part
  uint32_t dims[MOST_DIMS];  // which they are
  int64_t sizes[MOST_DIMS];
  double other_bytes;  // of the dimensions that take no part, times the element's
  uint32_t rank;
  uint8_t goal[CODE_BYTES];
  HEAPVEC(State) states;
  HEAPVEC(Queued) heap;
  IdMap by_code;
  GuardCleanup cleanup;
} Search;

// A state unpacked.
typedef struct Layout {
  uint8_t atoms[MOST_DIMS + 1][MOST_ATOMS];  // the last are the unreduced ones
  uint8_t n[MOST_DIMS + 1];
  bool used[MOST_ATOMS];
  bool permuting;
} Layout;

static void search_deinit(void *object) {
  Search *s = object;
  HEAPVEC_FREE(&s->states);
  HEAPVEC_FREE(&s->heap);
  idmap_deinit(&s->by_code);
}

const char *move_name(MoveKind kind) {
  static const char *const names[] = {"slice",          "permute",    "all_to_all", "all_gather",
                                      "reduce_scatter", "all_reduce", "unreduce"};
  return names[kind];
}

// ---- codes ----

static void unpack(const Search *s, const uint8_t *code, Layout *out) {
  memset(out, 0, sizeof *out);
  uint32_t at = 0;
  for (uint32_t d = 0; d <= s->n_dims; d++) {
    for (; code[at] != END; at++) {
      out->atoms[d][out->n[d]++] = code[at];
      out->used[code[at]] = true;
    }
    at++;
  }
  out->permuting = code[at] != 0;
}

static void pack(const Search *s, const Layout *layout, uint8_t *out) {
  memset(out, 0, CODE_BYTES);
  uint32_t at = 0;
  for (uint32_t d = 0; d <= s->n_dims; d++) {
    for (uint32_t i = 0; i < layout->n[d]; i++) out[at++] = layout->atoms[d][i];
    out[at++] = END;
  }
  out[at] = layout->permuting;
}

static int64_t ways(const Search *s, const Layout *layout, uint32_t d, uint32_t n) {
  int64_t product = 1;
  for (uint32_t i = 0; i < n; i++) product *= s->atoms.v[layout->atoms[d][i]].size;
  return product;
}

static int64_t tile(int64_t size, int64_t parts) { return (size + parts - 1) / parts; }

// Parts of parts are parts of the whole.
static bool nests(const Search *s, uint32_t d, int64_t before, int64_t by) {
  if (before == 1) return true;
  return tile(s->sizes[d], before) == by * tile(s->sizes[d], before * by);
}

static double local_bytes(const Search *s, const Layout *layout) {
  double bytes = s->other_bytes;
  for (uint32_t d = 0; d < s->n_dims; d++)
    bytes *= (double)tile(s->sizes[d], ways(s, layout, d, layout->n[d]));
  return bytes;
}

// The slowest of the links that some atoms use.
static Link link_of(const Search *s, uint32_t n, const uint8_t *atoms) {
  Link link = {0, INFINITY};
  for (uint32_t i = 0; i < n; i++) {
    Link one = network_link(s->network, s->atoms.v[atoms[i]].axis);
    if (one.latency_seconds > link.latency_seconds) link.latency_seconds = one.latency_seconds;
    if (one.bytes_per_second < link.bytes_per_second) link.bytes_per_second = one.bytes_per_second;
  }
  return link;
}

static uint32_t count_of(const Search *s, uint32_t n, const uint8_t *atoms) {
  uint32_t product = 1;
  for (uint32_t i = 0; i < n; i++) product *= s->atoms.v[atoms[i]].size;
  return product;
}

// ---- the queue ----

static bool before(Queued a, Queued b) {
  if (a.seconds != b.seconds) return a.seconds < b.seconds;
  if (a.depth != b.depth) return a.depth < b.depth;
  return a.id < b.id;
}

static void swap_queued(Queued *a, Queued *b) {
  Queued swap = *a;
  *a = *b;
  *b = swap;
}

static void heap_push(Search *s, uint32_t id) {
  Queued entry = {s->states.items[id].seconds, s->states.items[id].depth, id};
  HEAPVEC_PUSH(s->guard, &s->heap, entry);
  Queued *heap = s->heap.items;
  for (uint32_t i = s->heap.count - 1; i && before(heap[i], heap[(i - 1) / 2]); i = (i - 1) / 2)
    swap_queued(&heap[i], &heap[(i - 1) / 2]);
}

static uint32_t heap_pop(Search *s) {
  Queued *heap = s->heap.items;
  uint32_t top = heap[0].id, n = --s->heap.count;
  heap[0] = heap[n];
  for (uint32_t i = 0, child = 1; child < n; child = 2 * i + 1) {
    if (child + 1 < n && before(heap[child + 1], heap[child])) child++;
    if (!before(heap[child], heap[i])) break;
    swap_queued(&heap[i], &heap[child]);
    i = child;
  }
  return top;
}

static bool code_equal(const void *owner, uint32_t id, const void *key) {
  const Search *s = owner;
  return memcmp(s->states.items[id].code, key, CODE_BYTES) == 0;
}

typedef struct Step {
  MoveKind kind;
  uint32_t n;
  const uint8_t *atoms;
  uint32_t from_dim, to_dim;
  double seconds, bytes;
} Step;

// A cheaper way to a state that is known replaces the other; a state that is done stays.
static void reach(Search *s, uint32_t from, const Layout *layout, Step step) {
  State state = {.parent = from,
                 .kind = step.kind,
                 .n_atoms = (uint8_t)step.n,
                 .from_dim = (uint8_t)step.from_dim,
                 .to_dim = (uint8_t)step.to_dim,
                 .step_seconds = step.seconds,
                 .step_bytes = step.bytes};
  pack(s, layout, state.code);
  memcpy(state.moved, step.atoms, step.n);
  if (from != UINT32_MAX) {
    state.seconds = s->states.items[from].seconds + step.seconds;
    state.bytes = s->states.items[from].bytes + step.bytes;
    state.depth = s->states.items[from].depth + 1;
  }
  uint64_t hash = hash_bytes(state.code, CODE_BYTES);
  uint32_t found = idmap_find(&s->by_code, hash, code_equal, s, state.code);
  if (found) {
    State *old = &s->states.items[found];
    if (old->done || old->seconds <= state.seconds) return;
    *old = state;
    heap_push(s, found);
    return;
  }
  if (s->states.count >= MOST_STATES) return;
  HEAPVEC_PUSH(s->guard, &s->states, state);
  idmap_add(&s->by_code, s->guard, hash, s->states.count - 1);
  heap_push(s, s->states.count - 1);
}

// ---- moves ----

static void append(Layout *layout, uint32_t d, uint32_t n, const uint8_t *atoms) {
  for (uint32_t i = 0; i < n; i++) layout->atoms[d][layout->n[d]++] = atoms[i];
}

static void gathers(Search *s, uint32_t from, const Layout *now, uint32_t d) {
  for (uint32_t k = 1; k <= now->n[d]; k++) {
    uint8_t run[MOST_ATOMS];
    memcpy(run, now->atoms[d] + now->n[d] - k, k);
    uint32_t n = count_of(s, k, run);
    int64_t rest = ways(s, now, d, now->n[d] - k);
    if (!nests(s, d, rest, n)) continue;
    Layout next = *now;
    next.permuting = false;
    next.n[d] = (uint8_t)(next.n[d] - k);
    double held = local_bytes(s, now);
    Link link = link_of(s, k, run);
    reach(s, from, &next,
          (Step){MOVE_ALL_GATHER, k, run, d, d, network_all_gather(link, n, held * n),
                 held * (n - 1)});
    for (uint32_t j = 0; j < s->n_dims; j++) {
      if (j == d || !nests(s, j, ways(s, now, j, now->n[j]), n)) continue;
      Layout moved = next;
      append(&moved, j, k, run);
      double bytes = local_bytes(s, &moved);
      if (bytes < held) bytes = held;
      reach(s, from, &moved,
            (Step){MOVE_ALL_TO_ALL, k, run, d, j, network_all_to_all(link, n, bytes),
                   bytes * (n - 1) / n});
    }
  }
}

static bool is_prefix_of_goal(const Layout *now, const Layout *goal, uint32_t d) {
  return now->n[d] <= goal->n[d] && memcmp(now->atoms[d], goal->atoms[d], now->n[d]) == 0;
}

// Free but for the copy: towards the goal as far as it goes, or one atom to any dimension (to be
// swapped for another later).
static void slices(Search *s, uint32_t from, const Layout *now, const Layout *goal, uint32_t d) {
  uint8_t run[MOST_ATOMS];
  int64_t have = ways(s, now, d, now->n[d]);
  double price = 1e-9;
  for (uint32_t k = 1; is_prefix_of_goal(now, goal, d) && now->n[d] + k <= goal->n[d]; k++) {
    uint8_t atom = goal->atoms[d][now->n[d] + k - 1];
    if (now->used[atom]) break;
    run[k - 1] = atom;
    if (!nests(s, d, have, count_of(s, k, run))) continue;
    Layout next = *now;
    next.permuting = false;
    append(&next, d, k, run);
    reach(s, from, &next, (Step){MOVE_SLICE, k, run, d, d, price, 0});
  }
  for (uint8_t a = 0; a < s->atoms.n; a++) {
    if (now->used[a] || !goal->used[a] || !nests(s, d, have, s->atoms.v[a].size)) continue;
    Layout next = *now;
    next.permuting = false;
    append(&next, d, 1, &a);
    reach(s, from, &next, (Step){MOVE_SLICE, 1, &a, d, d, price, 0});
  }
}

static void swap_atoms(Layout *layout, uint32_t n_dims, uint8_t u, uint8_t v) {
  for (uint32_t d = 0; d < n_dims; d++)
    for (uint32_t i = 0; i < layout->n[d]; i++) {
      if (layout->atoms[d][i] == u)
        layout->atoms[d][i] = v;
      else if (layout->atoms[d][i] == v)
        layout->atoms[d][i] = u;
    }
  bool used = layout->used[u];
  layout->used[u] = layout->used[v];
  layout->used[v] = used;
}

static bool is_unreduced(const Search *s, const Layout *layout, uint8_t atom) {
  for (uint32_t i = 0; i < layout->n[s->n_dims]; i++)
    if (layout->atoms[s->n_dims][i] == atom) return true;
  return false;
}

// Puts the goal's atom where another of its size stands.
static void swaps(Search *s, uint32_t from, const Layout *now, const Layout *goal, uint32_t d) {
  int64_t have = 1, want = 1;
  for (uint32_t i = 0; i < now->n[d] && i < goal->n[d] && have == want; i++) {
    uint8_t u = now->atoms[d][i], v = goal->atoms[d][i];
    have *= s->atoms.v[u].size;
    want *= s->atoms.v[v].size;
    if (u == v || have != want || is_unreduced(s, now, v)) continue;
    Layout next = *now;
    swap_atoms(&next, s->n_dims, u, v);
    next.permuting = true;
    uint8_t pair[2] = {u, v};
    double bytes = now->permuting ? 0 : local_bytes(s, now);
    double seconds = now->permuting ? 0 : network_permute(link_of(s, 2, pair), bytes);
    reach(s, from, &next, (Step){MOVE_PERMUTE, 2, pair, d, d, seconds, bytes});
  }
}

static void drop_unreduced(const Search *s, Layout *layout, uint32_t n, const uint8_t *atoms) {
  uint8_t *list = layout->atoms[s->n_dims];
  uint32_t kept = 0;
  for (uint32_t i = 0; i < layout->n[s->n_dims]; i++)
    if (!memchr(atoms, list[i], n)) list[kept++] = list[i];
  layout->n[s->n_dims] = (uint8_t)kept;
}

// One reduction over some unreduced atoms, to nowhere or to a dimension.
static void reduce_over(Search *s, uint32_t from, const Layout *now, uint32_t n,
                        const uint8_t *atoms) {
  if (!n) return;
  Link link = link_of(s, n, atoms);
  uint32_t count = count_of(s, n, atoms);
  double held = local_bytes(s, now);
  Layout next = *now;
  next.permuting = false;
  drop_unreduced(s, &next, n, atoms);
  reach(s, from, &next,
        (Step){MOVE_ALL_REDUCE, n, atoms, 0, 0, network_all_reduce(link, count, held),
               2 * held * (count - 1) / count});
  for (uint32_t d = 0; d < s->n_dims; d++) {
    if (!nests(s, d, ways(s, now, d, now->n[d]), count)) continue;
    Layout scattered = next;
    append(&scattered, d, n, atoms);
    reach(s, from, &scattered,
          (Step){MOVE_REDUCE_SCATTER, n, atoms, d, d, network_reduce_scatter(link, count, held),
                 held * (count - 1) / count});
  }
}

static void reductions(Search *s, uint32_t from, const Layout *now, const Layout *goal) {
  uint8_t all[MOST_ATOMS], run[MOST_ATOMS];
  uint32_t n = 0;
  for (uint32_t i = 0; i < now->n[s->n_dims]; i++) {
    uint8_t atom = now->atoms[s->n_dims][i];
    if (!is_unreduced(s, goal, atom)) all[n++] = atom;
  }
  for (uint32_t i = 0; i < n; i++) reduce_over(s, from, now, 1, &all[i]);
  if (n > 1) reduce_over(s, from, now, n, all);
  // In the order in which the goal has them on a dimension.
  for (uint32_t d = 0; d < s->n_dims; d++) {
    uint32_t k = 0;
    for (uint32_t i = 0; i < goal->n[d]; i++)
      if (memchr(all, goal->atoms[d][i], n)) run[k++] = goal->atoms[d][i];
    if (k > 1) reduce_over(s, from, now, k, run);
  }
  for (uint32_t i = 0; i < goal->n[s->n_dims]; i++) {
    uint8_t atom = goal->atoms[s->n_dims][i];
    if (now->used[atom]) continue;
    Layout next = *now;
    next.permuting = false;
    uint32_t at = next.n[s->n_dims]++;
    uint8_t *list = next.atoms[s->n_dims];
    for (; at && list[at - 1] > atom; at--) list[at] = list[at - 1];
    list[at] = atom;
    reach(s, from, &next, (Step){MOVE_UNREDUCE, 1, &atom, 0, 0, 1e-9, 0});
  }
}

static bool at_goal(const Search *s, const uint8_t *code) {
  uint32_t n = 0, ends = 0;
  while (ends <= s->n_dims) ends += code[n++] == END;
  return memcmp(code, s->goal, n) == 0;
}

static uint32_t search(Search *s) {
  Layout goal;
  unpack(s, s->goal, &goal);
  while (s->heap.count) {
    uint32_t id = heap_pop(s);
    if (s->states.items[id].done) continue;
    s->states.items[id].done = true;
    if (at_goal(s, s->states.items[id].code)) return id;
    Layout now;
    unpack(s, s->states.items[id].code, &now);
    for (uint32_t d = 0; d < s->n_dims; d++) {
      gathers(s, id, &now, d);
      slices(s, id, &now, &goal, d);
      swaps(s, id, &now, &goal, d);
    }
    reductions(s, id, &now, &goal);
  }
  return UINT32_MAX;
}

// ---- from and to shardings ----

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
  for (uint32_t d = 0; d < info->rank; d++) cuts_of(sharding_dim_axes(info, d), axis, cuts, n);
  cuts_of(info->unreduced, axis, cuts, n);
}

static bool covers(AxisList list, AxisRef part) { return axes_contain_ref(list, part); }

static bool uses(const ShardingInfo *info, AxisRef part) {
  for (uint32_t d = 0; d < info->rank; d++)
    if (covers(sharding_dim_axes(info, d), part)) return true;
  return covers(info->unreduced, part);
}

// The parts of the axes that either sharding uses; cut into primes if `primes`. False if they are
// too many or do not fit each other.
static bool find_atoms(Search *s, const ShardingInfo *a, const ShardingInfo *b, bool primes) {
  s->atoms.n = 0;
  for (uint32_t axis = 0; axis < s->mesh->n_axes; axis++) {
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
        AxisRef atom = part;
        if (primes) atom.size = least_prime(part.size);
        if (s->atoms.n == MOST_ATOMS) return false;
        s->atoms.v[s->atoms.n++] = atom;
        part.pre_size *= atom.size;
        part.size /= atom.size;
      }
    }
  }
  return true;
}

// False if an axis is not a row of atoms.
static bool put_axes(const Search *s, AxisList list, Layout *layout, uint32_t d) {
  for (uint32_t i = 0; i < list.n; i++) {
    uint32_t at = list.v[i].pre_size, end = axis_next(list.v[i]);
    for (uint8_t k = 0; k < s->atoms.n && at < end; k++) {
      AxisRef atom = s->atoms.v[k];
      if (atom.axis != list.v[i].axis || atom.pre_size != at) continue;
      layout->atoms[d][layout->n[d]++] = k;
      layout->used[k] = true;
      at = axis_next(atom);
    }
    if (at != end) return false;
  }
  return true;
}

static bool layout_of(const Search *s, const ShardingInfo *info, Layout *out) {
  memset(out, 0, sizeof *out);
  for (uint32_t i = 0; i < s->n_dims; i++)
    if (s->dims[i] < info->rank && !put_axes(s, sharding_dim_axes(info, s->dims[i]), out, i))
      return false;
  if (!put_axes(s, info->unreduced, out, s->n_dims)) return false;
  uint8_t *list = out->atoms[s->n_dims];  // rising, whatever the order they were written in
  for (uint32_t i = 1; i < out->n[s->n_dims]; i++)
    for (uint32_t k = i; k && list[k - 1] > list[k]; k--) {
      uint8_t swap = list[k];
      list[k] = list[k - 1];
      list[k - 1] = swap;
    }
  return true;
}

static AxisList refs_of(const Search *s, uint32_t n, const uint8_t *atoms) {
  AxisRef *v = ARENA_ARRAY(s->arena, AxisRef, n + 1);
  for (uint32_t i = 0; i < n; i++) v[i] = s->atoms.v[atoms[i]];
  return (AxisList){v, axes_canonicalize(v, n)};
}

static Sharding sharding_of(const Search *s, const Layout *layout) {
  DimSharding *dims = ARENA_ARRAY(s->arena, DimSharding, s->rank + 1);
  ShardFactor *factors = ARENA_ARRAY(s->arena, ShardFactor, s->rank + 1);
  for (uint32_t d = 0; d < s->rank; d++) {
    factors[d] = (ShardFactor){0, {NULL, 0}};
    dims[d] = (DimSharding){&factors[d], 1, false, PRIORITY_NONE};
  }
  for (uint32_t i = 0; i < s->n_dims; i++)
    factors[s->dims[i]].axes = refs_of(s, layout->n[i], layout->atoms[i]);
  ShardingInfo info = {.mesh = s->mesh_id,
                       .rank = s->rank,
                       .dims = dims,
                       .unreduced = refs_of(s, layout->n[s->n_dims], layout->atoms[s->n_dims])};
  if (info.unreduced.n) info.reducer = s->reducer;
  return sharding_intern(s->table, &info);
}

// The part of the devices that a relabelling of atoms does not move: along every cycle of atoms all
// coordinates must be equal.
static double unmoved(const Search *s, const Layout *a, const Layout *b) {
  uint8_t root[MOST_ATOMS];
  double part = 1;
  for (uint8_t i = 0; i < s->atoms.n; i++) root[i] = i;
  for (uint32_t d = 0; d < s->n_dims; d++)
    for (uint32_t i = 0; i < a->n[d]; i++) {
      uint8_t x = a->atoms[d][i], y = b->atoms[d][i];
      while (root[x] != x) x = root[x];
      while (root[y] != y) y = root[y];
      if (x == y) continue;
      root[x] = y;
      part /= s->atoms.v[x].size;
    }
  return part;
}

// Moves in order; swaps of one permute are one move.
static void read_path(Search *s, uint32_t end, ReshardPlan *out) {
  uint32_t n = 0;
  for (uint32_t i = end; s->states.items[i].parent != UINT32_MAX; i = s->states.items[i].parent)
    n++;
  uint32_t *path = ARENA_ARRAY(s->arena, uint32_t, n + 1);
  for (uint32_t i = end, at = n; at; i = s->states.items[i].parent) path[--at] = i;
  Move *moves = ARENA_ARRAY(s->arena, Move, n + 1);
  out->n_moves = 0;
  Layout was, now;
  uint32_t origin = n ? s->states.items[path[0]].parent : end;
  unpack(s, s->states.items[origin].code, &was);
  for (uint32_t i = 0; i < n; i++) {
    const State *state = &s->states.items[path[i]];
    bool more = state->kind == MOVE_PERMUTE && i + 1 < n &&
                s->states.items[path[i + 1]].kind == MOVE_PERMUTE;
    Move *move = &moves[out->n_moves];
    move->bytes += state->step_bytes;
    move->seconds += state->step_seconds;
    if (more) continue;
    unpack(s, state->code, &now);
    move->kind = state->kind;
    move->to = sharding_of(s, &now);
    if (state->kind == MOVE_PERMUTE)
      move->bytes *= 1 - unmoved(s, &was, &now);
    else
      move->axes = refs_of(s, state->n_atoms, state->moved);
    move->from_dim = s->n_dims ? s->dims[state->from_dim] : 0;
    move->to_dim = s->n_dims ? s->dims[state->to_dim] : 0;
    out->bytes += move->bytes;
    out->seconds += move->seconds;
    out->n_moves++;
    was = now;
  }
  out->moves = moves;
}

// ---- what at least must move ----

static void tile_of(const Search *s, const Layout *layout, uint32_t d, const uint32_t *at,
                    int64_t *low, int64_t *high) {
  int64_t index = 0, parts = 1;
  for (uint32_t i = 0; i < layout->n[d]; i++) {
    uint8_t atom = layout->atoms[d][i];
    index = index * s->atoms.v[atom].size + at[atom];
    parts *= s->atoms.v[atom].size;
  }
  int64_t size = tile(s->sizes[d], parts);
  *low = index * size < s->sizes[d] ? index * size : s->sizes[d];
  *high = *low + size < s->sizes[d] ? *low + size : s->sizes[d];
}

// Average over the devices of what is new in the new tile. O(coordinates of the atoms).
static double least_bytes(const Search *s, const Layout *a, const Layout *b) {
  uint32_t at[MOST_ATOMS] = {0};
  double total = 0, count = 0;
  for (;;) {
    double own = s->other_bytes, common = s->other_bytes;
    for (uint32_t d = 0; d < s->n_dims; d++) {
      int64_t low, high, from, to;
      tile_of(s, b, d, at, &low, &high);
      tile_of(s, a, d, at, &from, &to);
      own *= (double)(high - low);
      if (from > low) low = from;
      if (to < high) high = to;
      common *= high > low ? (double)(high - low) : 0;
    }
    total += own - common;
    count++;
    uint32_t k = 0;
    while (k < s->atoms.n && ++at[k] == s->atoms.v[k].size) at[k++] = 0;
    if (k == s->atoms.n) return total / count;
  }
}

// ---- the door ----

static Status *set_up(Search *s, const ShardingInfo *a, const ShardingInfo *b, Type type) {
  const TypeInfo *tensor = type_info(sharding_table_context(s->table), type);
  s->rank = tensor->rank;
  s->other_bytes = (double)dtype_bytes(type_dtype(sharding_table_context(s->table), type));
  for (uint32_t d = 0; d < tensor->rank; d++) {
    bool takes_part =
        (d < a->rank && sharding_dim_axes(a, d).n) || (d < b->rank && sharding_dim_axes(b, d).n);
    if (!takes_part) {
      s->other_bytes *= (double)tensor->dims[d];
      continue;
    }
    if (s->n_dims == MOST_DIMS) FAIL(UNIMPLEMENTED, "more than %d sharded dimensions", MOST_DIMS);
    s->sizes[s->n_dims] = tensor->dims[d];
    s->dims[s->n_dims++] = d;
  }
  return NULL;
}

// With the axes cut as they are; false if they cannot be, or no way was found.
static bool plan(Search *s, const ShardingInfo *a, const ShardingInfo *b, bool primes,
                 ReshardPlan *out) {
  Layout start, goal;
  if (!find_atoms(s, a, b, primes) || !layout_of(s, a, &start) || !layout_of(s, b, &goal))
    return false;
  pack(s, &goal, s->goal);
  s->states.count = s->heap.count = 0;
  idmap_deinit(&s->by_code);
  s->by_code = (IdMap){0};
  HEAPVEC_PUSH(s->guard, &s->states, (State){0});  // [0] is none
  uint8_t none = 0;
  reach(s, UINT32_MAX, &start, (Step){MOVE_SLICE, 0, &none, 0, 0, 0, 0});
  uint32_t end = search(s);
  if (end == UINT32_MAX) return false;
  *out = (ReshardPlan){0};
  read_path(s, end, out);
  if (!a->unreduced.n && !b->unreduced.n) out->least_bytes = least_bytes(s, &start, &goal);
  return true;
}

// Smaller parts of axes are only tried where the parts at hand move more than they must.
static Status *plan_best(Search *s, const ShardingInfo *a, const ShardingInfo *b,
                         ReshardPlan *out) {
  bool found = plan(s, a, b, false, out);
  uint32_t coarse = s->atoms.n;
  if (found && out->bytes <= 1.1 * out->least_bytes) return NULL;
  ReshardPlan finer;
  if (find_atoms(s, a, b, true) && (!found || s->atoms.n > coarse) && plan(s, a, b, true, &finer) &&
      (!found || finer.seconds < out->seconds)) {
    *out = finer;
    found = true;
  }
  if (!found)
    FAIL(UNIMPLEMENTED,
         "the two shardings cut the mesh's axes in parts that do not fit each other");
  return NULL;
}

Status *reshard_plan(ShardingTable *table, const Network *network, Sharding from, Sharding to,
                     Type type, Arena *arena, ReshardPlan *out) {
  *out = (ReshardPlan){0};
  if (from == to) return NULL;
  if (!sharding_is_block(table, from) || !sharding_is_block(table, to))
    FAIL(UNIMPLEMENTED, "strided splits cannot be resharded yet");
  const ShardingInfo *a = sharding_info(table, from), *b = sharding_info(table, to);
  MeshId mesh = from ? a->mesh : b->mesh;
  if (from && to && a->mesh != b->mesh &&
      !mesh_equal(sharding_mesh(table, a->mesh), sharding_mesh(table, b->mesh)))
    FAIL(UNIMPLEMENTED, "resharding between different meshes");
  if (a->unreduced.n && b->unreduced.n && a->reducer != b->reducer)
    FAIL(UNIMPLEMENTED, "parts of a %s to parts of a %s", combine_name(a->reducer),
         combine_name(b->reducer));
  if (!type_is_static(sharding_table_context(table), type))
    FAIL(INVALID_ARGUMENT, "a tensor of unknown size cannot be resharded");
  Search s = {.table = table,
              .network = network,
              .guard = arena->guard,
              .arena = arena,
              .mesh = sharding_mesh(table, mesh),
              .mesh_id = mesh,
              .reducer = a->unreduced.n ? a->reducer : b->reducer};
  s.cleanup = (GuardCleanup){search_deinit, &s, NULL};
  guard_push(s.guard, &s.cleanup);
  Status *status = set_up(&s, a, b, type);
  if (!status) status = plan_best(&s, a, b, out);
  guard_pop(s.guard, &s.cleanup);
  search_deinit(&s);
  return status;
}
