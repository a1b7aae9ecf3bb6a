// Problem: two shardings whose tiles overlap arbitrarily (other meshes, sizes that do not divide).
// Digits do not express them.
//
// Idea: the new tile of a device is a union of pieces, each the intersection with an old tile. A
// piece that the device lacks is sent by one of the holders of that old tile. One
// collective_permute (a round) moves at most one piece to and from each device, so scheduling the
// pieces is an edge colouring of the bipartite graph of senders and receivers. König: as many
// rounds as the largest degree suffice.
//
//   device      0       1       2
//   old tile  [0 1 2] [3 4 5]   []
//   new tile  [0 1]   [2 3]   [4 5]      one round: 2 from 0 to 1, 4 5 from 1 to 2
//
// All pieces of a round have one shape, padded to the largest. Pieces of equal shape form a class;
// all ways to group at most MOST_CLASSES classes are priced, from no padding to few rounds.
//
// Invariant: every element of a new tile is received or kept exactly once. Cost: O(devices²)
// intersections; O(pieces · devices) per colouring.
#include "reshard/pieces.h"

#include <stdlib.h>
#include <string.h>

typedef struct Box {
  int64_t low[PIECES_MOST_RANK], size[PIECES_MOST_RANK];
} Box;

enum { MOST_CLASSES = 5, MOST_COMPARISONS = 1 << 17 };
#define STAYS (UINT32_MAX - 1)

typedef struct Piece {
  uint32_t receiver, tile;  // tile: the first device that holds the old tile
  uint32_t sender, round;
  uint32_t class;  // number of its shape
  bool stays;      // the receiver holds it already
  double count;    // elements
  Box box;
} Piece;

typedef struct Pieces {
  Arena *arena;
  uint32_t rank, n;  // devices
  const Pricing *pricing;
  Box *old, *new;
  uint32_t *tile;  // per device: the first device with the same old tile
  Piece *v;
  uint32_t n_pieces;
  uint32_t *load, *slots, *path;  // scratch of choose_senders and colour
} Pieces;

uint32_t pieces_devices(const ShardingTable *table, Sharding from, Sharding to) {
  const Mesh *a = sharding_mesh(table, sharding_info(table, from)->mesh);
  const Mesh *b = sharding_mesh(table, sharding_info(table, to)->mesh);
  uint32_t n = a && !a->maximal ? a->n_devices : 1;
  return b && !b->maximal && b->n_devices > n ? b->n_devices : n;
}

// The tile of a device; empty if the mesh does not have the device.
static void box_of(const ShardingTable *table, Sharding sharding, uint32_t rank,
                   const int64_t *dims, uint32_t device, Box *out) {
  const ShardingInfo *info = sharding_info(table, sharding);
  const Mesh *mesh = sharding_mesh(table, info->mesh);
  memset(out, 0, sizeof *out);
  if (!sharding || (mesh->n_axes == 0 && !mesh->maximal)) {
    memcpy(out->size, dims, rank * sizeof *dims);
    return;
  }
  if (mesh_has_device(mesh, device))
    sharding_tile_range(table, sharding, dims, device, out->low, out->size);
}

static double box_count(uint32_t rank, const Box *box) {
  double count = 1;
  for (uint32_t d = 0; d < rank; d++) count *= (double)box->size[d];
  return count;
}

// The intersection of two boxes; false if it is empty.
static bool box_meet(uint32_t rank, const Box *a, const Box *b, Box *out) {
  for (uint32_t d = 0; d < rank; d++) {
    int64_t low = a->low[d] > b->low[d] ? a->low[d] : b->low[d];
    int64_t x = a->low[d] + a->size[d], y = b->low[d] + b->size[d], high = x < y ? x : y;
    if (high <= low) return false;
    out->low[d] = low;
    out->size[d] = high - low;
  }
  return true;
}

double pieces_lack(const ShardingTable *table, Sharding from, Sharding to, uint32_t rank,
                   const int64_t *dims, double element_bytes) {
  uint32_t n = pieces_devices(table, from, to);
  double total = 0;
  for (uint32_t i = 0; i < n; i++) {
    Box a, b, both;
    box_of(table, from, rank, dims, i, &a);
    box_of(table, to, rank, dims, i, &b);
    total += box_count(rank, &b);
    if (box_meet(rank, &a, &b, &both)) total -= box_count(rank, &both);
  }
  return total / n * element_bytes;
}

// ---- pieces ----

static bool same_box(uint32_t rank, const Box *a, const Box *b) {
  return memcmp(a->low, b->low, rank * sizeof *a->low) == 0 &&
         memcmp(a->size, b->size, rank * sizeof *a->size) == 0;
}

// Large pieces first, so that later rounds have only small ones.
static int piece_compare(const void *x, const void *y) {
  const Piece *a = x, *b = y;
  if (a->count != b->count) return a->count > b->count ? -1 : 1;
  if (a->receiver != b->receiver) return a->receiver < b->receiver ? -1 : 1;
  return a->tile < b->tile ? -1 : 1;
}

// Intersects each new tile with each distinct old tile. False if a device has too many pieces.
static bool find_pieces(Pieces *p) {
  for (uint32_t i = 0; i < p->n; i++) {
    p->tile[i] = 0;
    while (!same_box(p->rank, &p->old[p->tile[i]], &p->old[i])) p->tile[i]++;
  }
  p->v = ARENA_ARRAY(p->arena, Piece, (size_t)p->n * (PIECES_MOST_ROUNDS + 1) + 1);
  for (uint32_t i = 0; i < p->n; i++) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < p->n; k++) {
      Piece piece = {.receiver = i, .tile = k};
      if (p->tile[k] != k || !box_meet(p->rank, &p->old[k], &p->new[i], &piece.box)) continue;
      if (count++ > PIECES_MOST_ROUNDS) return false;
      piece.count = box_count(p->rank, &piece.box);
      p->v[p->n_pieces++] = piece;
    }
  }
  qsort(p->v, p->n_pieces, sizeof *p->v, piece_compare);
  return true;
}

// ---- rounds ----

static bool same_shape(uint32_t rank, const Box *a, const Box *b) {
  return memcmp(a->size, b->size, rank * sizeof *a->size) == 0;
}

// Chooses a sender for each piece of a group: the holder with the fewest pieces to send. Returns
// the largest number of pieces that a device sends or receives; *shape is the smallest that holds
// all.
static uint32_t choose_senders(Pieces *p, const uint32_t *group, uint32_t number, Box *shape,
                               uint32_t *out_count) {
  memset(p->load, 0, 2 * p->n * sizeof *p->load);
  memset(shape, 0, sizeof *shape);
  uint32_t most = 0;
  *out_count = 0;
  for (uint32_t i = 0; i < p->n_pieces; i++) {
    Piece *piece = &p->v[i];
    if (piece->stays || group[piece->class] != number) continue;
    uint32_t best = UINT32_MAX;
    for (uint32_t k = 0; k < p->n; k++)
      if (p->tile[k] == piece->tile && (best == UINT32_MAX || p->load[k] < p->load[best])) best = k;
    piece->sender = best;
    uint32_t sent = ++p->load[best], got = ++p->load[p->n + piece->receiver];
    if (sent > most) most = sent;
    if (got > most) most = got;
    for (uint32_t d = 0; d < p->rank; d++)
      if (piece->box.size[d] > shape->size[d]) shape->size[d] = piece->box.size[d];
    ++*out_count;
  }
  return most;
}

// The piece of a device (as a sender, or + n as a receiver) in a round: 1 + its number, 0 = none.
static uint32_t *slot(Pieces *p, uint32_t end, uint32_t round) {
  return &p->slots[(size_t)end * PIECES_MOST_ROUNDS + round];
}

static uint32_t free_round(Pieces *p, uint32_t end) {
  uint32_t round = 0;
  while (*slot(p, end, round)) round++;
  return round;
}

static void put_piece(Pieces *p, uint32_t i, uint32_t round) {
  p->v[i].round = round;
  *slot(p, p->v[i].sender, round) = i + 1;
  *slot(p, p->n + p->v[i].receiver, round) = i + 1;
}

// Gives a piece a round (colour). If sender and receiver have no free round in common, the two
// rounds are swapped along the alternating path between them.
static void colour(Pieces *p, uint32_t i) {
  uint32_t sender = p->v[i].sender, receiver = p->n + p->v[i].receiver;
  uint32_t a = free_round(p, receiver), b = free_round(p, sender);
  uint32_t n = 0, end = sender, next_colour = a;
  for (uint32_t e; a != b && (e = *slot(p, end, next_colour)); n++) {
    p->path[n] = e - 1;
    end = end < p->n ? p->n + p->v[e - 1].receiver : p->v[e - 1].sender;
    next_colour = next_colour == a ? b : a;
  }
  for (uint32_t k = 0; k < n; k++) {
    const Piece *piece = &p->v[p->path[k]];
    *slot(p, piece->sender, piece->round) = *slot(p, p->n + piece->receiver, piece->round) = 0;
  }
  for (uint32_t k = 0; k < n; k++) put_piece(p, p->path[k], p->v[p->path[k]].round == a ? b : a);
  put_piece(p, i, a);
}

// The number of rounds and bytes if classes are grouped as `group` says. *out_each: bytes of a
// device that sends in every round.
static void price_groups(Pieces *p, const uint32_t *group, uint32_t n, uint32_t *out_rounds,
                         double *out_bytes, double *out_each) {
  *out_rounds = 0;
  *out_bytes = *out_each = 0;
  for (uint32_t g = 0; g < n; g++) {
    Box shape;
    uint32_t count, rounds = choose_senders(p, group, g, &shape, &count);
    double size = box_count(p->rank, &shape) * p->pricing->element_bytes;
    *out_rounds += rounds;
    *out_bytes += size * count / p->n;
    *out_each += size * rounds;
  }
}

static void colour_groups(Pieces *p, const uint32_t *group, uint32_t n) {
  uint32_t base = 0;
  for (uint32_t g = 0; g < n; g++) {
    Box shape;
    uint32_t count, rounds = choose_senders(p, group, g, &shape, &count);
    memset(p->slots, 0, (size_t)2 * p->n * PIECES_MOST_ROUNDS * sizeof *p->slots);
    for (uint32_t i = 0; i < p->n_pieces; i++)
      if (!p->v[i].stays && group[p->v[i].class] == g) colour(p, i);
    for (uint32_t i = 0; i < p->n_pieces; i++)
      if (!p->v[i].stays && group[p->v[i].class] == g) p->v[i].round += base;
    base += rounds;
  }
}

// Numbers the shapes of pieces that are sent. Shapes beyond MOST_CLASSES share class 0.
static uint32_t find_classes(Pieces *p) {
  uint32_t n = 0;
  const Box *shapes[MOST_CLASSES];
  for (uint32_t i = 0; i < p->n_pieces; i++) {
    Piece *piece = &p->v[i];
    piece->stays = p->tile[piece->receiver] == piece->tile;
    piece->sender = piece->receiver;
    if (piece->stays) continue;
    piece->class = 0;
    while (piece->class < n && !same_shape(p->rank, shapes[piece->class], &piece->box))
      piece->class ++;
    if (piece->class < n) continue;
    if (n == MOST_CLASSES)
      piece->class = 0;  // more shapes than classes
    else
      shapes[n++] = &piece->box;
  }
  return n;
}

// The next partition of n items into groups, in restricted growth order; false after the last.
static bool next_grouping(uint32_t *group, uint32_t n) {
  for (uint32_t i = n; i-- > 1;) {
    uint32_t most = 0;
    for (uint32_t k = 0; k < i; k++)
      if (group[k] > most) most = group[k];
    if (group[i] > most) continue;
    group[i]++;
    for (uint32_t k = i + 1; k < n; k++) group[k] = 0;
    return true;
  }
  return false;
}

// The slowest link between the sender and the receiver of a piece.
static Link pieces_link(const Pieces *p) {
  const Mesh *mesh = p->pricing->mesh;
  const Network *network = p->pricing->network;
  Link link = {0};
  for (uint32_t i = 0; mesh && network->n_axes && i < p->n_pieces; i++) {
    if (p->v[i].stays) continue;
    uint32_t from = mesh_position(mesh, p->v[i].sender), to = mesh_position(mesh, p->v[i].receiver);
    for (uint32_t a = 0; a < mesh->n_axes; a++) {
      AxisRef axis = axis_full(mesh, a);
      if (axis_coordinate(mesh, axis, from) != axis_coordinate(mesh, axis, to))
        link = link_slower(link, network_link(network, a));
    }
  }
  return link.bytes_per_second > 0 ? link : network->all;
}

// Chooses the cheapest grouping and colours it. Returns the number of rounds; UINT32_MAX if it
// exceeds PIECES_MOST_ROUNDS.
static uint32_t make_rounds(Pieces *p, Price *out_price) {
  uint32_t n = find_classes(p), group[MOST_CLASSES] = {0}, best[MOST_CLASSES] = {0};
  uint32_t least = UINT32_MAX;
  double cheapest = 0;
  bool few =
      (uint64_t)p->n_pieces * p->n <= MOST_COMPARISONS;  // else only the first grouping is priced
  do {
    uint32_t rounds;
    double bytes, each;
    price_groups(p, group, n, &rounds, &bytes, &each);
    Price permutes = price_permutes(pieces_link(p), rounds, each, bytes);
    double price = pricing_of(p->pricing, permutes);
    if (rounds > PIECES_MOST_ROUNDS || (least != UINT32_MAX && price >= cheapest)) continue;
    cheapest = price;
    least = rounds;
    *out_price = permutes;
    memcpy(best, group, sizeof best);
  } while (few && next_grouping(group, n));
  if (least != UINT32_MAX) colour_groups(p, best, n);
  return least;
}

static bool is_in(const Piece *piece, uint32_t round) {
  return round == STAYS ? piece->stays : !piece->stays && piece->round == round;
}

static void fill_round(Pieces *p, uint32_t round, PiecePermute *out, double *bytes) {
  uint32_t rank = p->rank;
  uint32_t *source = ARENA_ARRAY(p->arena, uint32_t, p->n);
  int64_t *sent = ARENA_ARRAY(p->arena, int64_t, (size_t)p->n *rank + 1);
  int64_t *begin = ARENA_ARRAY(p->arena, int64_t, (size_t)p->n *rank + 1);
  int64_t *extent = ARENA_ARRAY(p->arena, int64_t, (size_t)p->n *rank + 1);
  int64_t *shape = ARENA_ARRAY(p->arena, int64_t, rank + 1);
  memset(source, 0xff, p->n * sizeof *source);
  double count = 0, size = p->pricing->element_bytes;
  for (uint32_t i = 0; i < p->n_pieces; i++) {
    const Piece *piece = &p->v[i];
    if (!is_in(piece, round)) continue;
    source[piece->receiver] = piece->sender;
    count++;
    for (uint32_t d = 0; d < rank; d++) {
      size_t at = (size_t)piece->receiver * rank + d;
      begin[at] = piece->box.low[d] - p->new[piece->receiver].low[d];
      extent[at] = piece->box.size[d];
      sent[(size_t)piece->sender * rank + d] = piece->box.low[d] - p->old[piece->sender].low[d];
      if (piece->box.size[d] > shape[d]) shape[d] = piece->box.size[d];
    }
  }
  for (uint32_t d = 0; d < rank; d++) size *= (double)shape[d];
  *out = (PiecePermute){source, sent, begin, extent, shape, round == STAYS};
  *bytes = round == STAYS ? 0 : size * count / p->n;
}

static void fill_move(Pieces *p, uint32_t n, Price price, Move *out) {
  PiecePermute *rounds = ARENA_ARRAY(p->arena, PiecePermute, n + 1);
  *out = (Move){.kind = MOVE_PIECES, .rounds = rounds, .price = price};
  bool any = false;
  for (uint32_t i = 0; i < p->n_pieces; i++) any |= p->v[i].stays;
  double bytes, sent = 0;
  if (any) fill_round(p, STAYS, &rounds[out->n_rounds++], &bytes);
  for (uint32_t round = 0; round < n; round++) {
    fill_round(p, round, &rounds[out->n_rounds++], &bytes);
    sent += bytes;
  }
  // A round's largest piece may be smaller than its group's shape, with which it was priced.
  if (price.bytes > 0) out->price.transfer_seconds *= sent / price.bytes;
  out->price.bytes = sent;
}

bool pieces_plan(const ShardingTable *table, Sharding from, Sharding to, uint32_t rank,
                 const int64_t *dims, const Pricing *pricing, Arena *arena, Move *out) {
  uint32_t n = pieces_devices(table, from, to);
  if (n > PIECES_MOST_DEVICES || rank > PIECES_MOST_RANK) return false;
  Pieces p = {.arena = arena, .rank = rank, .n = n, .pricing = pricing};
  p.old = ARENA_ARRAY(arena, Box, n);
  p.new = ARENA_ARRAY(arena, Box, n);
  p.tile = ARENA_ARRAY(arena, uint32_t, n);
  for (uint32_t i = 0; i < n; i++) {
    box_of(table, from, rank, dims, i, &p.old[i]);
    box_of(table, to, rank, dims, i, &p.new[i]);
  }
  if (!find_pieces(&p)) return false;
  p.load = ARENA_ARRAY(arena, uint32_t, 2 * (size_t)n);
  p.slots = ARENA_ARRAY(arena, uint32_t, 2 * (size_t)n * PIECES_MOST_ROUNDS);
  p.path = ARENA_ARRAY(arena, uint32_t, 2 * (size_t)n);
  Price price = {0};
  uint32_t rounds = make_rounds(&p, &price);
  if (rounds == UINT32_MAX) return false;
  fill_move(&p, rounds, price, out);
  return true;
}
