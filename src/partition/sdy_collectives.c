// An sdy collective may move axes of several dimensions at once; a StableHLO collective works along
// one. So tiles are unfolded: all pieces that move form one leading dimension, the collective runs
// along it, and the pieces are folded into their dimensions. One dimension needs no unfolding.
//
//   all_gather of [a,b], x in dim 0 and y in dim 1, devices along x and y:
//   [a,b] -> [1,a,b] -> all_gather [xy,a,b] -> [x,y,a,b] -> [x,a,y,b] -> [xa,yb]
//
// Invariant. Sizes divide, so there is no padding. O(rank · axes) ops.
#include "partition/sdy_collectives.h"

// The axes that move to or from one dimension.
typedef struct Piece {
  uint32_t from, to;  // of an all-to-all; others use one of them
  AxisList axes;
  int64_t n;  // devices along them
} Piece;

typedef struct Pieces {
  Piece v[MAX_RANK];
  uint32_t n;
  AxisList axes;  // of all, in order
} Pieces;

static void add(Builder *l, Pieces *pieces, uint32_t from, uint32_t to, AxisList axes) {
  if (!axes.n || pieces->n == MAX_RANK) return;
  pieces->v[pieces->n++] = (Piece){from, to, axes, axes_size(axes)};
  AxisRef *all = ARENA_ARRAY(l->arena, AxisRef, pieces->axes.n + axes.n);
  for (uint32_t i = 0; i < pieces->axes.n; i++) all[i] = pieces->axes.v[i];
  for (uint32_t i = 0; i < axes.n; i++) all[pieces->axes.n + i] = axes.v[i];
  pieces->axes = (AxisList){all, pieces->axes.n + axes.n};
}

// [{"x"}, {}]: a list of axes per dimension.
static Status *read_lists(Builder *l, const SdyCollective *c, const char *name, Pieces *out) {
  Context *context = l->p->context;
  Attr lists = attr_get(context, op_attr(l->p, c->op, name), "lists");
  uint32_t n = attr_info(context, lists)->count, rank = sharding_info(l->table, c->to)->rank;
  if (n > rank) FAIL(INVALID_ARGUMENT, "names axes for %u dimensions of %u", n, rank);
  for (uint32_t d = 0; d < n; d++) {
    AxisList axes;
    TRY(sharding_axes_from_attr(l->table, l->mesh, attr_info(context, lists)->items[d], &axes));
    add(l, out, d, d, axes);
  }
  return NULL;
}

// {"x", "y"}
static Status *read_list(Builder *l, const SdyCollective *c, const char *name, AxisList *out) {
  Attr list = attr_get(l->p->context, op_attr(l->p, c->op, name), "axes");
  return sharding_axes_from_attr(l->table, l->mesh, list, out);
}

// [{"x"}: 0->1], in the order of the target dimensions.
static Status *read_params(Builder *l, const SdyCollective *c, Pieces *out) {
  Context *context = l->p->context;
  Attr params = attr_get(context, op_attr(l->p, c->op, "params"), "params");
  uint32_t n = attr_info(context, params)->count, rank = sharding_info(l->table, c->to)->rank;
  for (uint32_t to = 0; to < rank; to++)
    for (uint32_t i = 0; i < n; i++) {
      Attr param = attr_info(context, params)->items[i];
      if (attr_as_int(context, attr_get(context, param, "tgt_dim"), -1) != to) continue;
      int64_t from = attr_as_int(context, attr_get(context, param, "src_dim"), -1);
      if (from < 0 || from >= rank) FAIL(INVALID_ARGUMENT, "there is no dimension %d", (int)from);
      for (uint32_t k = 0; k < out->n; k++)
        if (out->v[k].from == to || out->v[k].to == to || out->v[k].from == from ||
            out->v[k].to == from)
          FAIL(INVALID_ARGUMENT, "moves axes of one dimension twice");
      AxisList axes;
      TRY(sharding_axes_from_attr(l->table, l->mesh, attr_get(context, param, "axes"), &axes));
      add(l, out, (uint32_t)from, to, axes);
    }
  return NULL;
}

// The piece that splits dimension d, or joins it; n if there is none.
static uint32_t piece_at(const Pieces *pieces, uint32_t d, bool joins) {
  uint32_t i = 0;
  while (i < pieces->n && (joins ? pieces->v[i].from : pieces->v[i].to) != d) i++;
  return i;
}

// INVALID_ARGUMENT if splitting and joining the operand's tile does not give the result's tile.
static Status *check_sizes(Builder *l, const SdyCollective *c, const Pieces *pieces, bool splits,
                           bool joins) {
  Context *context = l->p->context;
  const TypeInfo *old = type_info(context, value_type(l->p, c->value));
  const TypeInfo *new =
      type_info(context, sharding_local_type(l->table, c->to, op_result_type(l->p, c->op, 0)));
  for (uint32_t d = 0; d < old->rank; d++) {
    int64_t size = old->dims[d];
    uint32_t split_by = splits ? piece_at(pieces, d, false) : pieces->n;
    uint32_t join = joins ? piece_at(pieces, d, true) : pieces->n;
    if (split_by < pieces->n && size % pieces->v[split_by].n)
      FAIL(INVALID_ARGUMENT,
           "dimension %u has %lld elements here, which %lld devices do not divide", d,
           (long long)size, (long long)pieces->v[split_by].n);
    if (split_by < pieces->n) size /= pieces->v[split_by].n;
    if (join < pieces->n && __builtin_mul_overflow(size, pieces->v[join].n, &size)) size = -1;
    if (new->rank != old->rank || new->dims[d] != size)
      FAIL(INVALID_ARGUMENT,
           "dimension %u: what the axes named make of the operand's tile is not the result's", d);
  }
  return NULL;
}

// ---- shapes ----

// [xa, b] -> [x, a, b]: the pieces of all dimensions as one leading dimension.
static ValueId unfold(Builder *l, ValueId v, const Pieces *pieces) {
  const TypeInfo *info = type_info(l->p->context, value_type(l->p, v));
  uint32_t rank = info->rank, n = 0;
  int64_t split[2 * MAX_RANK], order[2 * MAX_RANK], front[MAX_RANK + 1] = {1};
  for (uint32_t d = 0; d < rank; d++) {
    uint32_t i = piece_at(pieces, d, false);
    front[1 + d] = info->dims[d];
    if (i < pieces->n) {
      order[i] = n;
      split[n++] = pieces->v[i].n;
      front[0] *= pieces->v[i].n;
      front[1 + d] /= pieces->v[i].n;
    }
    order[pieces->n + d] = n;
    split[n++] = front[1 + d];
  }
  v = build_reshape(l, v, n, split);
  v = build_transpose(l, v, order);
  return build_reshape(l, v, rank + 1, front);
}

// The inverse, into the dimensions that the pieces join: [x, a, b] -> [xa, b].
static ValueId fold(Builder *l, ValueId v, const Pieces *pieces) {
  const TypeInfo *info = type_info(l->p->context, value_type(l->p, v));
  uint32_t rank = info->rank - 1, n = 0;
  int64_t split[2 * MAX_RANK], order[2 * MAX_RANK], joined[MAX_RANK];
  for (uint32_t i = 0; i < pieces->n; i++) split[i] = pieces->v[i].n;
  for (uint32_t d = 0; d < rank; d++) {
    uint32_t i = piece_at(pieces, d, true);
    split[pieces->n + d] = joined[d] = info->dims[1 + d];
    if (i < pieces->n) {
      order[n++] = i;
      joined[d] *= pieces->v[i].n;
    }
    order[n++] = pieces->n + d;
  }
  v = build_reshape(l, v, n, split);
  v = build_transpose(l, v, order);
  return build_reshape(l, v, rank, joined);
}

static ValueId with_leading(Builder *l, ValueId v) {
  const TypeInfo *info = type_info(l->p->context, value_type(l->p, v));
  int64_t dims[MAX_RANK + 1] = {1};
  for (uint32_t d = 0; d < info->rank; d++) dims[1 + d] = info->dims[d];
  return build_reshape(l, v, info->rank + 1, dims);
}

static ValueId without_leading(Builder *l, ValueId v) {
  const TypeInfo *info = type_info(l->p->context, value_type(l->p, v));
  return build_reshape(l, v, info->rank - 1, info->dims + 1);
}

// ---- the ops ----

static Status *all_gather(Builder *l, const SdyCollective *c, ValueId *out) {
  Pieces pieces = {0};
  TRY(read_lists(l, c, "gathering_axes", &pieces));
  TRY(check_sizes(l, c, &pieces, false, true));
  *out = c->value;
  if (pieces.n > 1 && !c->per_dim) {
    *out = build_all_gather(l, with_leading(l, c->value), 0, pieces.axes);
    *out = fold(l, *out, &pieces);
    return NULL;
  }
  for (uint32_t i = pieces.n; i-- > 0;)
    *out = build_all_gather(l, *out, pieces.v[i].to, pieces.v[i].axes);
  return NULL;
}

static Status *all_slice(Builder *l, const SdyCollective *c, ValueId *out) {
  Pieces pieces = {0};
  TRY(read_lists(l, c, "slicing_axes", &pieces));
  TRY(check_sizes(l, c, &pieces, true, false));
  *out = c->value;
  for (uint32_t i = 0; i < pieces.n; i++) {
    int64_t tile = build_dim(l, *out, pieces.v[i].to) / pieces.v[i].n;
    ValueId at = build_coordinate(l, pieces.v[i].axes);
    at = build_binary(l, OP_multiply, at, build_index(l, tile));
    *out = build_dynamic_slice(l, *out, pieces.v[i].to, at, tile);
  }
  return NULL;
}

static Status *all_to_all(Builder *l, const SdyCollective *c, ValueId *out) {
  Pieces pieces = {0};
  TRY(read_params(l, c, &pieces));
  TRY(check_sizes(l, c, &pieces, true, true));
  *out = c->value;
  if (pieces.n == 1)
    *out = build_all_to_all(l, c->value, pieces.v[0].to, pieces.v[0].from, pieces.axes);
  if (pieces.n > 1) {
    *out = build_all_to_all(l, unfold(l, c->value, &pieces), 0, 0, pieces.axes);
    *out = fold(l, *out, &pieces);
  }
  return NULL;
}

// The reducer of the operand's or the result's sharding; sum if neither is unreduced.
static Combine reducer_of(const Builder *l, const SdyCollective *c) {
  const ShardingInfo *from = sharding_info(l->table, c->from);
  const ShardingInfo *to = sharding_info(l->table, c->to);
  return from->unreduced.n ? from->reducer : to->unreduced.n ? to->reducer : COMBINE_SUM;
}

static Status *all_reduce(Builder *l, const SdyCollective *c, const char *name, ValueId *out) {
  AxisList axes;
  TRY(read_list(l, c, name, &axes));
  *out = axes.n ? build_all_reduce(l, c->value, axes, reducer_of(l, c)) : c->value;
  return NULL;
}

static Status *reduce_scatter(Builder *l, const SdyCollective *c, ValueId *out) {
  Pieces pieces = {0};
  TRY(read_lists(l, c, "reduce_scatter_axes", &pieces));
  TRY(check_sizes(l, c, &pieces, true, false));
  Combine combine = reducer_of(l, c);
  *out = c->value;
  if (pieces.n == 1) *out = build_reduce_scatter(l, c->value, pieces.v[0].to, pieces.axes, combine);
  if (pieces.n > 1) {
    *out = build_reduce_scatter(l, unfold(l, c->value, &pieces), 0, pieces.axes, combine);
    *out = without_leading(l, *out);
  }
  return NULL;
}

static int64_t tile_number(const Builder *l, Sharding sharding, uint32_t device) {
  const ShardingInfo *info = sharding_info(l->table, sharding);
  const Mesh *mesh = sharding_mesh(l->table, info->mesh);
  int64_t number = 0;
  for (uint32_t d = 0; d < info->rank; d++) {
    AxisList axes = sharding_dim_axes(info, d);
    number = number * axes_size(axes) + axes_coordinate(mesh, axes, mesh_position(mesh, device));
  }
  return number;
}

// One collective_permute. A device that needs the tile it has sends it to itself. The others, in
// order, receive from the next holder of the tile that has not sent yet. The two shardings may be
// on meshes with different orders of the same devices. O(devices · axes).
static Status *collective_permute(Builder *l, const SdyCollective *c, ValueId *out) {
  const Mesh *mesh = sharding_mesh(l->table, l->mesh);
  const Mesh *old = sharding_mesh(l->table, sharding_info(l->table, c->from)->mesh);
  uint32_t n = mesh->n_devices;
  if (!old || old->n_devices != n || mesh->maximal || old->maximal)
    FAIL(INVALID_ARGUMENT, "the operand is not on the devices of the result");
  uint32_t *next = ARENA_ARRAY(l->arena, uint32_t, n), *head = ARENA_ARRAY(l->arena, uint32_t, n);
  int64_t(*pairs)[2] = arena_alloc(l->arena, (size_t)n * sizeof *pairs);
  for (uint32_t i = n; i-- > 0;) {
    int64_t has = tile_number(l, c->from, i);
    if (has == tile_number(l, c->to, i)) continue;
    next[i] = head[has];
    head[has] = i + 1;
  }
  for (uint32_t i = 0; i < n; i++) {
    int64_t needed = tile_number(l, c->to, i);
    uint32_t source = i;
    if (tile_number(l, c->from, i) != needed) {
      if (!head[needed]) FAIL(INVALID_ARGUMENT, "the two shardings have different tiles");
      source = head[needed] - 1;
      head[needed] = next[source];
    }
    pairs[i][0] = mesh_position(mesh, source);
    pairs[i][1] = mesh_position(mesh, i);
  }
  *out = build_permute(l, c->value, n, (const int64_t(*)[2])pairs);
  return NULL;
}

// The first device along the axes keeps the value, the others get the identity.
static Status *replicated_to_unreduced(Builder *l, const SdyCollective *c, ValueId *out) {
  AxisList axes;
  TRY(read_list(l, c, "axes", &axes));
  *out = build_unreduced(l, c->value, axes, reducer_of(l, c));
  return NULL;
}

// A tile becomes a partial value of the unsharded shape: the tile at its offset, the identity
// elsewhere.
static Status *sharded_to_unreduced(Builder *l, const SdyCollective *c, ValueId *out) {
  Pieces pieces = {0};
  TRY(read_lists(l, c, "axes", &pieces));
  TRY(check_sizes(l, c, &pieces, false, true));
  *out = c->value;
  for (uint32_t i = 0; i < pieces.n; i++) {
    uint32_t d = pieces.v[i].to;
    int64_t tile = build_dim(l, *out, d);
    Type full = type_with_dim(l->p->context, value_type(l->p, *out), d, tile * pieces.v[i].n);
    ValueId at = build_coordinate(l, pieces.v[i].axes);
    at = build_binary(l, OP_multiply, at, build_index(l, tile));
    *out = build_dynamic_update(l, build_identity(l, full, reducer_of(l, c)), *out, d, at);
  }
  return NULL;
}

bool sdy_is_collective(uint16_t code) {
  uint32_t both = TRAIT_SHARDING | TRAIT_COLLECTIVE;
  return (op_row(code)->traits & both) == both;
}

Status *sdy_collective_write(Builder *l, const SdyCollective *c, ValueId *out) {
  const TypeInfo *info = type_info(l->p->context, value_type(l->p, c->value));
  if (info->kind != TYPE_TENSOR || info->rank >= MAX_RANK)
    FAIL(INVALID_ARGUMENT, "there is no tensor of less than %d dimensions to move", MAX_RANK);
  switch (op_at(l->p, c->op)->code) {
  case OP_sdy_all_gather: return all_gather(l, c, out);
  case OP_sdy_all_slice: return all_slice(l, c, out);
  case OP_sdy_all_to_all: return all_to_all(l, c, out);
  case OP_sdy_collective_permute: return collective_permute(l, c, out);
  case OP_sdy_all_reduce: return all_reduce(l, c, "reduction_axes", out);
  case OP_sdy_reduce_scatter: return reduce_scatter(l, c, out);
  case OP_sdy_replicated_to_unreduced: return replicated_to_unreduced(l, c, out);
  case OP_sdy_sharded_to_unreduced: return sharded_to_unreduced(l, c, out);
  default: return all_reduce(l, c, "axes", out);
  }
}
