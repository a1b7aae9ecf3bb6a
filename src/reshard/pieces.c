// Whatever the two shardings are, what a device lacks is a few boxes, each in the old tile of some
// others. In one round every device gets at most one box and sends at most one: a maximum matching
// of receivers and holders (augmenting paths), the devices that lack most first. Boxes of a round
// have one shape; either only equal ones go together, which moves no byte in vain, or all, which
// needs fewer rounds: the cheaper is taken.
#include "reshard/pieces.h"

#include <string.h>

#include "ops/literal.h"

typedef struct Box {
  int64_t low[MAX_RANK], size[MAX_RANK];
} Box;

typedef struct Piece {
  uint32_t receiver, tile;  // the tile is named by the first device that holds it
  uint32_t round;           // 0 = none yet; the first is 1
  uint32_t sender;
  Box box;
} Piece;

typedef struct Pieces {
  Arena *arena;
  uint32_t rank, n;  // devices
  const Price *price;
  Box *old, *new;
  uint32_t *tile;  // of the old tile
  Piece *v;
  uint32_t n_pieces;
  // The matching of a round.
  uint32_t *sends;  // device -> 1 + piece
  bool *tried;
} Pieces;

uint32_t pieces_devices(const ShardingTable *table, Sharding from, Sharding to) {
  const Mesh *a = sharding_mesh(table, sharding_info(table, from)->mesh);
  const Mesh *b = sharding_mesh(table, sharding_info(table, to)->mesh);
  uint32_t n = a && !a->maximal ? a->n_devices : 1;
  return b && !b->maximal && b->n_devices > n ? b->n_devices : n;
}

// What a device has of the tensor; nothing if the mesh does not have the device.
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

// ---- what is lacking ----

static bool same_box(uint32_t rank, const Box *a, const Box *b) {
  return memcmp(a->low, b->low, rank * sizeof *a->low) == 0 &&
         memcmp(a->size, b->size, rank * sizeof *a->size) == 0;
}

static bool find_pieces(Pieces *p) {
  for (uint32_t i = 0; i < p->n; i++) {
    p->tile[i] = 0;
    while (!same_box(p->rank, &p->old[p->tile[i]], &p->old[i])) p->tile[i]++;
  }
  p->v = ARENA_ARRAY(p->arena, Piece, (size_t)p->n * (PIECES_MOST_ROUNDS + 1));
  for (uint32_t i = 0; i < p->n; i++) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < p->n; k++) {
      Piece piece = {.receiver = i, .tile = k};
      if (p->tile[k] != k || !box_meet(p->rank, &p->old[k], &p->new[i], &piece.box)) continue;
      if (count++ > PIECES_MOST_ROUNDS) return false;
      p->v[p->n_pieces++] = piece;
    }
  }
  return true;
}

// ---- rounds ----

static bool same_shape(uint32_t rank, const Box *a, const Box *b) {
  return memcmp(a->size, b->size, rank * sizeof *a->size) == 0;
}

// Finds a sender for one of the receiver's pieces, moving others to other senders if need be.
static bool augment(Pieces *p, uint32_t receiver, const Box *shape) {
  for (uint32_t i = 0; i < p->n_pieces; i++) {
    const Piece *piece = &p->v[i];
    if (piece->receiver != receiver || piece->round) continue;
    if (shape && !same_shape(p->rank, &piece->box, shape)) continue;
    for (uint32_t k = 0; k < p->n; k++) {
      if (p->tile[k] != piece->tile || p->tried[k]) continue;
      p->tried[k] = true;
      if (p->sends[k] && !augment(p, p->v[p->sends[k] - 1].receiver, shape)) continue;
      p->sends[k] = i + 1;
      return true;
    }
  }
  return false;
}

static uint32_t lacking(const Pieces *p, uint32_t receiver) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < p->n_pieces; i++) n += p->v[i].receiver == receiver && !p->v[i].round;
  return n;
}

static void match_round(Pieces *p, uint32_t round, const Box *shape) {
  memset(p->sends, 0, p->n * sizeof *p->sends);
  for (uint32_t most = PIECES_MOST_ROUNDS; most; most--)
    for (uint32_t i = 0; i < p->n; i++) {
      if (lacking(p, i) != most) continue;
      memset(p->tried, 0, p->n * sizeof *p->tried);
      augment(p, i, shape);
    }
  for (uint32_t k = 0; k < p->n; k++) {
    if (!p->sends[k]) continue;
    p->v[p->sends[k] - 1].round = round;
    p->v[p->sends[k] - 1].sender = k;
  }
}

// Rounds are numbered from 2; those who keep a piece are round 1. 0 = too many.
static uint32_t make_rounds(Pieces *p, bool equal) {
  for (uint32_t i = 0; i < p->n_pieces; i++) {
    Piece *piece = &p->v[i];
    piece->round = p->tile[piece->receiver] == piece->tile;
    piece->sender = piece->receiver;
  }
  for (uint32_t round = 2;; round++) {
    const Box *largest = NULL;
    for (uint32_t i = 0; i < p->n_pieces; i++)
      if (!p->v[i].round &&
          (!largest || box_count(p->rank, &p->v[i].box) > box_count(p->rank, largest)))
        largest = &p->v[i].box;
    if (!largest) return round - 1;
    if (round > PIECES_MOST_ROUNDS + 1) return 0;
    match_round(p, round, equal ? largest : NULL);
  }
}

static void fill_round(Pieces *p, uint32_t round, PieceRound *out, double *bytes, double *each) {
  uint32_t rank = p->rank;
  uint32_t *source = ARENA_ARRAY(p->arena, uint32_t, p->n);
  int64_t *sent = ARENA_ARRAY(p->arena, int64_t, (size_t)p->n *rank + 1);
  int64_t *begin = ARENA_ARRAY(p->arena, int64_t, (size_t)p->n *rank + 1);
  int64_t *extent = ARENA_ARRAY(p->arena, int64_t, (size_t)p->n *rank + 1);
  int64_t *shape = ARENA_ARRAY(p->arena, int64_t, rank + 1);
  memset(source, 0xff, p->n * sizeof *source);
  double count = 0, size = p->price->element_bytes;
  for (uint32_t i = 0; i < p->n_pieces; i++) {
    const Piece *piece = &p->v[i];
    if (piece->round != round) continue;
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
  *out = (PieceRound){source, sent, begin, extent, shape, round == 1};
  *each = round == 1 ? 0 : size;
  *bytes = *each * count / p->n;
}

static void fill_move(Pieces *p, uint32_t last, Link link, Move *out) {
  PieceRound *rounds = ARENA_ARRAY(p->arena, PieceRound, last + 1);
  *out = (Move){.kind = MOVE_PIECES, .rounds = rounds};
  double all = 0;
  for (uint32_t round = 1; round <= last; round++) {
    bool any = false;
    for (uint32_t i = 0; i < p->n_pieces && !any; i++) any = p->v[i].round == round;
    if (!any) continue;
    double bytes, each;
    fill_round(p, round, &rounds[out->n_rounds++], &bytes, &each);
    out->bytes += bytes;
    all += each;
  }
  out->seconds = network_permutes(link, last - 1, all);
}

bool pieces_plan(const ShardingTable *table, Sharding from, Sharding to, uint32_t rank,
                 const int64_t *dims, const Price *price, Arena *arena, Move *out) {
  uint32_t n = pieces_devices(table, from, to);
  if (n > PIECES_MOST_DEVICES || rank > MAX_RANK) return false;
  Pieces p = {.arena = arena, .rank = rank, .n = n, .price = price};
  p.old = ARENA_ARRAY(arena, Box, n);
  p.new = ARENA_ARRAY(arena, Box, n);
  p.tile = ARENA_ARRAY(arena, uint32_t, n);
  p.sends = ARENA_ARRAY(arena, uint32_t, n);
  p.tried = ARENA_ARRAY(arena, bool, n);
  for (uint32_t i = 0; i < n; i++) {
    box_of(table, from, rank, dims, i, &p.old[i]);
    box_of(table, to, rank, dims, i, &p.new[i]);
  }
  if (!find_pieces(&p)) return false;
  Link link = {price->latency_seconds, price->bytes_per_second};
  bool found = false;
  for (uint32_t equal = 0; equal < 2; equal++) {
    uint32_t last = make_rounds(&p, equal);
    if (!last) continue;
    Move move;
    fill_move(&p, last, link, &move);
    if (!found ||
        price_of(price, move.seconds, move.bytes) < price_of(price, out->seconds, out->bytes))
      *out = move;
    found = true;
  }
  return found;
}
