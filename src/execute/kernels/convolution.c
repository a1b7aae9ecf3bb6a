// Kernels of convolution.
//
// Programs contain three kinds: the forward convolution; the gradient of its input (the input is
// dilated by the stride); the gradient of its weights (batch and feature dimensions have changed
// places, the "kernel" is as large as the image). Each is recognized by its window and given to the
// library as what it is, in a layout with contiguous channels; other layouts are transposed first.
// Work is cut along the batch. Gradients of weights are partial sums over parts of the batch, added
// as a balanced tree. The parts depend on shapes only.
//
// Whatever the library does not take is computed by matrix products of gathered windows, or, with
// one input channel per group, by loops over channels.
#include <string.h>

#include "execute/kernels/combine.h"
#include "execute/kernels/common.h"
#include "execute/kernels/kernels.h"
#include "execute/kernels/products.h"
#include "ops/convolve.h"
#include "tensor/narrow.h"
#include "tensor/vectorize.h"

enum { BUFFER_LHS, BUFFER_RHS, BUFFER_OUT, BUFFER_TEMP };

// The op, read once.
typedef struct Conv {
  const KernelRequest *request;
  Dense lhs, rhs, out;
  ConvDims dims;
  WindowDim windows[MAX_RANK];
  uint32_t spatial;
  MatmulShape types;
} Conv;

// A tensor of the library's view: a buffer, an offset in bytes.
typedef struct Place {
  uint32_t buffer;
  size_t at;
} Place;

static char *place_at(Place p, void *const *buffers) { return (char *)buffers[p.buffer] + p.at; }

// ---- the library ----

typedef struct LibraryConv {
  const MatmulEngine *engine;
  const void *plan, *last_plan;  // the last part of the batch may be smaller
  ConvKind kind;
  Place a, b, out;
  int64_t parts;
  int64_t a_step, b_step, out_step;  // bytes from part to part
} LibraryConv;

static void run_library(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  const LibraryConv *c = kernel->data;
  uint64_t first, last;
  kernel_part((uint64_t)c->parts, tile, kernel->n_tiles, &first, &last);
  for (int64_t p = (int64_t)first; p < (int64_t)last; p++)
    c->engine->conv_run(p + 1 == c->parts ? c->last_plan : c->plan,
                        place_at(c->a, buffers) + p * c->a_step,
                        place_at(c->b, buffers) + p * c->b_step,
                        place_at(c->out, buffers) + p * c->out_step, scratch);
}

typedef struct PackWeights {
  const MatmulEngine *engine;
  const void *plan, *last_plan;
  Place from, to;
  int64_t parts, from_step, to_step;
} PackWeights;

static void run_pack(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  (void)scratch;
  const PackWeights *p = kernel->data;
  uint64_t first, last;
  kernel_part((uint64_t)p->parts, tile, kernel->n_tiles, &first, &last);
  for (int64_t i = (int64_t)first; i < (int64_t)last; i++)
    p->engine->pack(i + 1 == p->parts ? p->last_plan : p->plan,
                    place_at(p->from, buffers) + i * p->from_step,
                    place_at(p->to, buffers) + i * p->to_step);
}

// Adds `parts` rows of f32 and stores them as the result's type.
typedef struct AddParts {
  Place from, to;
  int64_t parts, count;
  MatmulType type;
  const CombineRows *sum;
} AddParts;

static void run_add(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  (void)scratch;
  const AddParts *c = kernel->data;
  uint64_t first, last;
  kernel_part((uint64_t)c->count, tile, kernel->n_tiles, &first, &last);
  int64_t n = (int64_t)(last - first);
  float *from = (float *)(void *)place_at(c->from, buffers) + first;
  for (int64_t step = 1; step < c->parts; step *= 2)
    for (int64_t i = 0; i + step < c->parts; i += 2 * step)
      c->sum->rows(from + i * c->count, from + (i + step) * c->count, n);
  if (c->type == MATMUL_F32) {
    memcpy((float *)(void *)place_at(c->to, buffers) + first, from, (size_t)n * sizeof *from);
    return;
  }
  uint16_t *to = (uint16_t *)(void *)place_at(c->to, buffers) + first;
  for (int64_t i = 0; i < n; i++) to[i] = bf16_of_f32(from[i]);
}

// The op as a convolution of the library's, with the strides of the op's tensors. lhs is src (or
// the gradient of dst), rhs the weights (or the gradient of dst).
typedef struct View {
  ConvShape shape;
  bool flips;  // the weights' taps run backwards
} View;

static int64_t end_padding(int64_t in, int64_t out, int64_t stride, int64_t extent, int64_t low) {
  int64_t high = (out - 1) * stride + extent - in - low;
  return high < 0 && -high < stride ? 0 : high;
}

// Strides of [batch, channels, spatial…].
static void image_strides(const Dense *t, int64_t batch, int64_t feature, Ints spatial,
                          int64_t *out) {
  out[0] = t->strides[batch];
  out[1] = t->strides[feature];
  for (uint32_t i = 0; i < spatial.n; i++) out[2 + i] = t->strides[spatial.v[i]];
}

static void forward_view(const Conv *c, View *v) {
  const ConvDims *d = &c->dims;
  ConvShape *s = &v->shape;
  s->kind = CONV_FORWARD;
  s->batch = c->lhs.dims[d->in_batch];
  s->groups = d->feature_groups;
  s->ic = c->lhs.dims[d->in_feature] / s->groups;
  s->oc = c->out.dims[d->out_feature] / s->groups;
  image_strides(&c->lhs, d->in_batch, d->in_feature, d->in_spatial, s->src_strides);
  image_strides(&c->out, d->out_batch, d->out_feature, d->out_spatial, s->dst_strides);
  int64_t *w = s->weight_strides;
  w[1] = c->rhs.strides[d->kernel_out];
  w[0] = s->oc * w[1];
  w[2] = c->rhs.strides[d->kernel_in];
  for (uint32_t i = 0; i < c->spatial; i++) {
    const WindowDim *x = &c->windows[i];
    s->in[i] = c->lhs.dims[d->in_spatial.v[i]];
    s->out[i] = c->out.dims[d->out_spatial.v[i]];
    s->kernel[i] = x->size;
    s->stride[i] = x->stride;
    s->dilation[i] = x->window_dilation;
    s->low[i] = x->pad_low;
    s->high[i] = x->pad_high;
    w[3 + i] = c->rhs.strides[d->kernel_spatial.v[i]];
  }
  v->flips = c->windows[0].reversed;
}

static void data_view(const Conv *c, View *v) {
  const ConvDims *d = &c->dims;
  ConvShape *s = &v->shape;
  s->kind = CONV_DATA;
  s->batch = c->lhs.dims[d->in_batch];
  s->groups = d->feature_groups;
  s->oc = c->lhs.dims[d->in_feature] / s->groups;
  s->ic = c->out.dims[d->out_feature] / s->groups;
  image_strides(&c->lhs, d->in_batch, d->in_feature, d->in_spatial, s->dst_strides);
  image_strides(&c->out, d->out_batch, d->out_feature, d->out_spatial, s->src_strides);
  int64_t *w = s->weight_strides;
  w[2] = c->rhs.strides[d->kernel_out];
  w[0] = s->ic * w[2];
  w[1] = c->rhs.strides[d->kernel_in];
  for (uint32_t i = 0; i < c->spatial; i++) {
    const WindowDim *x = &c->windows[i];
    int64_t extent = (x->size - 1) * x->window_dilation + 1;
    s->in[i] = c->out.dims[d->out_spatial.v[i]];
    s->out[i] = c->lhs.dims[d->in_spatial.v[i]];
    s->kernel[i] = x->size;
    s->stride[i] = x->base_dilation;
    s->dilation[i] = x->window_dilation;
    s->low[i] = extent - 1 - x->pad_low;
    s->high[i] = end_padding(s->in[i], s->out[i], s->stride[i], extent, s->low[i]);
    w[3 + i] = c->rhs.strides[d->kernel_spatial.v[i]];
  }
  v->flips = !c->windows[0].reversed;
}

static void weights_view(const Conv *c, View *v) {
  const ConvDims *d = &c->dims;
  ConvShape *s = &v->shape;
  s->kind = CONV_WEIGHTS;
  s->batch = c->lhs.dims[d->in_feature];
  s->groups = d->batch_groups;
  s->ic = c->lhs.dims[d->in_batch] / s->groups;
  s->oc = c->rhs.dims[d->kernel_out] / s->groups;
  image_strides(&c->lhs, d->in_feature, d->in_batch, d->in_spatial, s->src_strides);
  image_strides(&c->rhs, d->kernel_in, d->kernel_out, d->kernel_spatial, s->dst_strides);
  int64_t *w = s->weight_strides;
  w[1] = c->out.strides[d->out_feature];
  w[0] = s->oc * w[1];
  w[2] = c->out.strides[d->out_batch];
  for (uint32_t i = 0; i < c->spatial; i++) {
    const WindowDim *x = &c->windows[i];
    s->in[i] = c->lhs.dims[d->in_spatial.v[i]];
    s->out[i] = c->rhs.dims[d->kernel_spatial.v[i]];
    s->kernel[i] = c->out.dims[d->out_spatial.v[i]];
    s->stride[i] = x->window_dilation;
    s->dilation[i] = x->stride;
    s->low[i] = x->pad_low;
    int64_t extent = (s->kernel[i] - 1) * s->dilation[i] + 1;
    s->high[i] = end_padding(s->in[i], s->out[i], s->stride[i], extent, s->low[i]);
    w[3 + i] = c->out.strides[d->out_spatial.v[i]];
  }
}

// The kind of the op, by its window; false: none of the library's.
static bool view_of(const Conv *c, View *out) {
  memset(out, 0, sizeof *out);
  bool dilated = false, strided = false, reversed = false, plain = true;
  int64_t taps = 1, positions = 1;
  for (uint32_t i = 0; i < c->spatial; i++) {
    const WindowDim *w = &c->windows[i];
    dilated |= w->base_dilation > 1;
    strided |= w->stride > 1;
    reversed |= w->reversed;
    plain &= w->reversed == c->windows[0].reversed;
    taps *= w->size;
    positions *= c->out.dims[c->dims.out_spatial.v[i]];
  }
  if (c->spatial == 0 || c->spatial > CONV_SPATIAL || !plain) return false;
  if (!dilated && !reversed && c->dims.feature_groups == 1 &&
      (c->dims.batch_groups > 1 || taps > positions))
    weights_view(c, out);
  else if (c->dims.batch_groups > 1)
    return false;
  else if (!dilated)
    forward_view(c, out);
  else if (!strided)
    data_view(c, out);
  else
    return false;
  ConvShape *s = &out->shape;
  s->spatial = c->spatial;
  s->in_type = c->types.lhs_type;
  s->out_type = c->types.out_type;
  for (uint32_t i = 0; i < c->spatial; i++)
    if (s->low[i] < 0 || s->high[i] < 0 || !s->in[i] || !s->out[i] || !s->kernel[i]) return false;
  return s->batch && s->ic && s->oc;
}

// A copy of an image as [batch, spatial…, channels]; the strides become those of the copy.
static Place add_channels_last(KernelChain *chain, const Conv *c, Place from, const ConvShape *s,
                               int64_t channels, const int64_t *spatial, size_t item,
                               int64_t *strides) {
  int64_t dims[2 + CONV_SPATIAL] = {s->batch}, old[2 + CONV_SPATIAL], now[2 + CONV_SPATIAL];
  uint32_t n = s->spatial;
  int64_t step = channels, b = (int64_t)item;
  old[0] = strides[0] * b;
  for (uint32_t i = 0; i < n; i++) {
    dims[1 + i] = spatial[i];
    old[1 + i] = strides[2 + i] * b;
  }
  dims[1 + n] = channels;
  old[1 + n] = strides[1] * b;
  strides[1] = 1;
  for (uint32_t i = n; i-- > 0; step *= spatial[i]) strides[2 + i] = step;
  strides[0] = step;
  now[0] = strides[0] * b;
  for (uint32_t i = 0; i < n; i++) now[1 + i] = strides[2 + i] * b;
  now[1 + n] = b;
  Place place = {BUFFER_TEMP, chain_temp(chain, (size_t)(s->batch * step) * item)};
  if (from.buffer == UINT32_MAX) return place;  // a result: the caller copies it back
  CopyStep *copy = ARENA_NEW(chain->arena, CopyStep);
  *copy = (CopyStep){.from = from.buffer, .to = BUFFER_TEMP, .to_at = (int64_t)place.at};
  moves_init(&copy->moves, item, n + 2, dims, old, now);
  Kernel kernel;
  kernel_copies(c->request, "transpose for convolution", 1, copy, &kernel);
  chain_add(chain, &kernel);
  return place;
}

// The weights with their taps in the library's order, dense.
static Place add_flip(KernelChain *chain, const Conv *c, const ConvShape *s, size_t item,
                      int64_t *strides) {
  uint32_t n = 3 + s->spatial;
  int64_t dims[3 + CONV_SPATIAL] = {s->groups, s->oc, s->ic}, from[3 + CONV_SPATIAL],
                   to[3 + CONV_SPATIAL], at = 0, step = 1, b = (int64_t)item;
  for (uint32_t i = 0; i < s->spatial; i++) dims[3 + i] = s->kernel[i];
  for (uint32_t i = n; i-- > 0; step *= dims[i]) {
    from[i] = strides[i] * b * (i < 3 ? 1 : -1);
    if (i >= 3) at += (dims[i] - 1) * strides[i] * b;
    to[i] = step * b;
    strides[i] = step;
  }
  Place place = {BUFFER_TEMP, chain_temp(chain, (size_t)step * item)};
  CopyStep *copy = ARENA_NEW(chain->arena, CopyStep);
  *copy =
      (CopyStep){.from = BUFFER_RHS, .to = BUFFER_TEMP, .from_at = at, .to_at = (int64_t)place.at};
  moves_init(&copy->moves, item, n, dims, from, to);
  Kernel kernel;
  kernel_copies(c->request, "reverse for convolution", 1, copy, &kernel);
  chain_add(chain, &kernel);
  return place;
}

static double flops_of(const ConvShape *s) {
  double flops = 2.0 * (double)s->batch * (double)s->groups * (double)s->ic * (double)s->oc;
  for (uint32_t i = 0; i < s->spatial; i++) flops *= (double)s->out[i] * (double)s->kernel[i];
  return flops;
}

// Images per part, by shape: parts of about 10 MFLOP or more; few parts for weights, each of which
// has a copy of them.
static int64_t images_per_part(const ConvShape *s, int64_t weights) {
  double each = flops_of(s) / (double)s->batch, wanted = 10e6 / each;
  int64_t n = wanted<1 ? 1 : wanted>(double) s->batch ? s->batch : (int64_t)wanted;
  int64_t most = s->kind == CONV_WEIGHTS ? (weights > (1 << 20) ? 4 : 8) : 64;
  if ((s->batch + n - 1) / n > most) n = (s->batch + most - 1) / most;
  return n;
}

// ---- stages of a library convolution ----

typedef struct Plans {
  const void *plan, *last;
  size_t scratch, pack;
} Plans;

static bool plans_of(const MatmulEngine *engine, const ConvShape *s, int64_t per, int64_t parts,
                     Plans *out) {
  ConvShape part = *s;
  size_t scratch = 0, pack = 0;
  part.batch = s->batch - (parts - 1) * per;
  *out = (Plans){.last = engine->conv_plan(&part, &scratch, &pack)};
  if (!out->last) return false;
  out->scratch = scratch;
  out->pack = pack;
  out->plan = out->last;
  if (parts == 1 || part.batch == per) return true;
  part.batch = per;
  out->plan = engine->conv_plan(&part, &scratch, &pack);
  if (!out->plan || pack != out->pack) return false;
  if (scratch > out->scratch) out->scratch = scratch;
  return true;
}

static int64_t weight_count(const ConvShape *s) {
  int64_t n = s->groups * s->ic * s->oc;
  for (uint32_t i = 0; i < s->spatial; i++) n *= s->kernel[i];
  return n;
}

// Partial gradients per part of the batch: converted from the library's layout, then added.
static void add_partial_weights(KernelChain *chain, const Conv *c, const ConvShape *s,
                                LibraryConv *l, const Plans *plans) {
  int64_t count = weight_count(s);
  Place partial = {BUFFER_TEMP, chain_temp(chain, (size_t)(l->parts * count) * sizeof(float))};
  if (plans->pack) {
    PackWeights *p = ARENA_NEW(chain->arena, PackWeights);
    *p = (PackWeights){.engine = l->engine,
                       .plan = l->plan,
                       .last_plan = l->last_plan,
                       .to = partial,
                       .parts = l->parts,
                       .from_step = (int64_t)kernel_aligned(plans->pack),
                       .to_step = count * (int64_t)sizeof(float)};
    p->from = (Place){BUFFER_TEMP, chain_temp(chain, (size_t)(l->parts * p->from_step))};
    l->out = p->from;
    l->out_step = p->from_step;
    chain_add(chain, &(Kernel){.name = "convolution (weights)",
                               .run = run_pack,
                               .data = p,
                               .n_tiles = kernel_tiles((double)(count * l->parts) / 5e8,
                                                       (uint64_t)l->parts)});
  } else {
    l->out = partial;
    l->out_step = count * (int64_t)sizeof(float);
  }
  AddParts *add = ARENA_NEW(chain->arena, AddParts);
  *add = (AddParts){.from = partial,
                    .to = {BUFFER_OUT, 0},
                    .parts = l->parts,
                    .count = count,
                    .type = c->types.out_type,
                    .sum = combine_rows(DT_f32, COMBINE_SUM)};
  chain_add(chain, &(Kernel){.name = "convolution (sum)",
                             .run = run_add,
                             .data = add,
                             .n_tiles = kernel_tiles((double)(count * l->parts) / 1e9,
                                                     (uint64_t)(count / 1024 + 1))});
}

static bool make_library(const Conv *c, Kernel *out) {
  const MatmulEngine *engine = matmul_provider();
  View view;
  if (!engine || !view_of(c, &view)) return false;
  ConvShape *s = &view.shape;
  // Below this a call takes longer than the products.
  static const double least_flops = 1e5;
  if (flops_of(s) < least_flops) return false;
  MatmulType type = s->in_type;
  if ((type != MATMUL_F32 && type != MATMUL_BF16) || c->types.rhs_type != type) return false;
  if (s->out_type != MATMUL_F32 && s->out_type != type) return false;
  size_t item = matmul_bytes(type), out_item = matmul_bytes(s->out_type);
  KernelChain chain = {.arena = c->request->arena};
  LibraryConv *l = ARENA_NEW(chain.arena, LibraryConv);
  *l = (LibraryConv){.engine = engine, .kind = s->kind};
  Place nowhere = {UINT32_MAX, 0};
  bool data = s->kind == CONV_DATA, weights = s->kind == CONV_WEIGHTS;
  int64_t src_channels = s->groups * s->ic, dst_channels = s->groups * s->oc;
  // The images: lhs, and the result or rhs.
  int64_t *a_strides = data ? s->dst_strides : s->src_strides,
          *other_strides = data ? s->src_strides : s->dst_strides;
  int64_t a_channels = data ? dst_channels : src_channels,
          other_channels = data ? src_channels : dst_channels;
  const int64_t *a_spatial = data ? s->out : s->in, *other_spatial = data ? s->in : s->out;
  l->a = (Place){BUFFER_LHS, 0};
  if (a_strides[1] != 1 && a_channels > 1)
    l->a = add_channels_last(&chain, c, l->a, s, a_channels, a_spatial, item, a_strides);
  Place other = {weights ? BUFFER_RHS : BUFFER_OUT, 0};
  int64_t result_strides[2 + CONV_SPATIAL];
  memcpy(result_strides, other_strides, sizeof result_strides);
  bool copies_back = !weights && other_strides[1] != 1 && other_channels > 1;
  if (other_strides[1] != 1 && other_channels > 1)
    other = add_channels_last(&chain, c, weights ? other : nowhere, s, other_channels,
                              other_spatial, weights ? item : out_item, other_strides);
  Place plain = {BUFFER_RHS, 0};
  if (!weights && view.flips) plain = add_flip(&chain, c, s, item, s->weight_strides);
  if (weights) s->out_type = MATMUL_F32;
  int64_t per = images_per_part(s, weight_count(s));
  l->parts = (s->batch + per - 1) / per;
  Plans plans;
  if (!plans_of(engine, s, per, l->parts, &plans)) return false;
  l->plan = plans.plan;
  l->last_plan = plans.last;
  l->a_step = per * a_strides[0] * (int64_t)item;
  if (weights) {
    l->b = other;
    l->b_step = per * other_strides[0] * (int64_t)item;
  } else {
    l->b = plain;
    l->out = other;
    l->out_step = per * other_strides[0] * (int64_t)out_item;
    if (plans.pack) {
      PackWeights *p = ARENA_NEW(chain.arena, PackWeights);
      *p = (PackWeights){.engine = engine, .plan = plans.plan, .last_plan = plans.last, .parts = 1};
      p->from = plain;
      p->to = l->b = (Place){BUFFER_TEMP, chain_temp(&chain, plans.pack)};
      chain_add(
          &chain,
          &(Kernel){.name = "convolution (weights)", .run = run_pack, .data = p, .n_tiles = 1});
    }
  }
  chain_add(&chain, &(Kernel){.name = "convolution (oneDNN)",
                              .run = run_library,
                              .data = l,
                              .n_tiles = kernel_tiles(flops_of(s) / 5e10, (uint64_t)l->parts),
                              .scratch_bytes = plans.scratch});
  if (weights) add_partial_weights(&chain, c, s, l, &plans);
  if (copies_back) {
    int64_t dims[2 + CONV_SPATIAL] = {s->batch, other_channels}, from[2 + CONV_SPATIAL],
                     to[2 + CONV_SPATIAL];
    for (uint32_t i = 0; i < 2 + s->spatial; i++) {
      if (i >= 2) dims[i] = other_spatial[i - 2];
      from[i] = other_strides[i] * (int64_t)out_item;
      to[i] = result_strides[i] * (int64_t)out_item;
    }
    CopyStep *copy = ARENA_NEW(chain.arena, CopyStep);
    *copy = (CopyStep){.from = BUFFER_TEMP, .to = BUFFER_OUT, .from_at = (int64_t)other.at};
    moves_init(&copy->moves, out_item, 2 + s->spatial, dims, from, to);
    Kernel kernel;
    kernel_copies(c->request, "transpose of convolution", 1, copy, &kernel);
    chain_add(&chain, &kernel);
  }
  chain_link(&chain, out);
  return true;
}

// ---- matrix products of windows ----

enum { MOST_ROWS = 64, MOST_GATHERED = 4 << 20 };

typedef struct WindowConv {
  const MatmulEngine *engine;
  Dense lhs, out;
  ConvDims dims;
  uint32_t spatial;
  WindowDim windows[MAX_RANK];
  int64_t in, outs, groups;  // channels per group; output channels per group
  int64_t length;            // of a gathered window
  int64_t rows;              // windows gathered at once
  int64_t chunks, lines;     // of the last spatial dimension; positions of the others
  size_t item;
  size_t weights_at;  // [groups, length, outs] in the temporary buffer
  MatmulShape shape, last_shape;
  const void *plan, *last_plan;
} WindowConv;

// One window as `length` elements: taps in row-major order, channels innermost.
static void gather_window(const WindowConv *c, const char *lhs, const int64_t *position,
                          char *row) {
  const ConvDims *d = &c->dims;
  int64_t tap[MAX_RANK] = {0}, step = c->lhs.strides[d->in_feature] * (int64_t)c->item;
  size_t bytes = (size_t)c->in * c->item;
  for (;;) {
    int64_t at = 0;
    bool inside = true;
    for (uint32_t s = 0; s < c->spatial; s++) {
      int64_t dim = d->in_spatial.v[s];
      int64_t x = window_tap(&c->windows[s], c->lhs.dims[dim], position[s], tap[s]);
      inside &= x >= 0;
      at += x * c->lhs.strides[dim];
    }
    const char *from = lhs + at * (int64_t)c->item;
    if (!inside)
      memset(row, 0, bytes);
    else if (step == (int64_t)c->item)
      memcpy(row, from, bytes);
    else
      for (int64_t i = 0; i < c->in; i++)
        memcpy(row + (size_t)i * c->item, from + i * step, c->item);
    row += bytes;
    uint32_t s = c->spatial;
    while (s > 0 && ++tap[s - 1] == c->windows[s - 1].size) tap[--s] = 0;
    if (s == 0) return;
  }
}

static void run_windows(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  const WindowConv *c = kernel->data;
  const ConvDims *d = &c->dims;
  int64_t batches = c->out.dims[d->out_batch], item = (int64_t)c->item,
          out_item = (int64_t)c->out.item;
  uint64_t first, last;
  kernel_part((uint64_t)(batches * c->groups * c->lines * c->chunks), tile, kernel->n_tiles, &first,
              &last);
  char *rows = scratch, *work = rows + kernel_aligned((size_t)(c->rows * c->length * item));
  for (uint64_t unit = first; unit < last; unit++) {
    int64_t chunk = (int64_t)unit % c->chunks, rest = (int64_t)unit / c->chunks;
    int64_t line = rest % c->lines;
    rest /= c->lines;
    int64_t g = rest % c->groups, b = rest / c->groups, position[MAX_RANK] = {0}, out_at = 0;
    for (uint32_t s = c->spatial; s-- > 0;) {
      int64_t size = c->out.dims[d->out_spatial.v[s]];
      if (s + 1 == c->spatial) continue;
      position[s] = line % size;
      line /= size;
      out_at += position[s] * c->out.strides[d->out_spatial.v[s]];
    }
    int64_t from_batch = d->batch_groups > 1 ? g * batches + b : b;
    const char *lhs = (const char *)buffers[BUFFER_LHS] +
                      (from_batch * c->lhs.strides[d->in_batch] +
                       (d->feature_groups > 1 ? g * c->in : 0) * c->lhs.strides[d->in_feature]) *
                          item;
    bool ends = chunk + 1 == c->chunks;
    const MatmulShape *shape = ends ? &c->last_shape : &c->shape;
    int64_t x = chunk * c->rows;
    for (int64_t i = 0; i < shape->m; i++) {
      if (c->spatial) position[c->spatial - 1] = x + i;
      gather_window(c, lhs, position, rows + i * c->length * item);
    }
    out_at += b * c->out.strides[d->out_batch] + g * c->outs * c->out.strides[d->out_feature];
    if (c->spatial) out_at += x * c->out.strides[d->out_spatial.v[c->spatial - 1]];
    const char *weights = (const char *)buffers[BUFFER_TEMP] + c->weights_at +
                          (size_t)(g * c->length * c->outs * item);
    char *to = (char *)buffers[BUFFER_OUT] + out_at * out_item;
    const void *plan = ends ? c->last_plan : c->plan;
    if (plan)
      c->engine->run(plan, rows, weights, to, work);
    else
      matmul_own_run(shape, rows, weights, to, work);
  }
}

// The weights as [groups, taps, in, outs].
static void add_window_weights(KernelChain *chain, const Conv *c, WindowConv *w) {
  int64_t dims[MAX_RANK + 3], from[MAX_RANK + 3], to[MAX_RANK + 3], step = 1,
                                                                    item = (int64_t)w->item;
  uint32_t n = 0;
  dims[n] = w->groups;
  from[n++] = w->outs * c->rhs.strides[c->dims.kernel_out] * item;
  for (uint32_t s = 0; s < c->spatial; s++) {
    dims[n] = w->windows[s].size;
    from[n++] = c->rhs.strides[c->dims.kernel_spatial.v[s]] * item;
  }
  dims[n] = w->in;
  from[n++] = c->rhs.strides[c->dims.kernel_in] * item;
  dims[n] = w->outs;
  from[n++] = c->rhs.strides[c->dims.kernel_out] * item;
  for (uint32_t i = n; i-- > 0; step *= dims[i]) to[i] = step * item;
  w->weights_at = chain_temp(chain, (size_t)(step * item));
  CopyStep *copy = ARENA_NEW(chain->arena, CopyStep);
  *copy = (CopyStep){.from = BUFFER_RHS, .to = BUFFER_TEMP, .to_at = (int64_t)w->weights_at};
  moves_init(&copy->moves, w->item, n, dims, from, to);
  Kernel kernel;
  kernel_copies(c->request, "transpose for convolution", 1, copy, &kernel);
  chain_add(chain, &kernel);
}

static bool make_windows(const Conv *c, Kernel *out) {
  if (c->lhs.item != c->rhs.item || c->types.lhs_type != c->types.rhs_type) return false;
  KernelChain chain = {.arena = c->request->arena};
  WindowConv *w = ARENA_NEW(chain.arena, WindowConv);
  *w = (WindowConv){.lhs = c->lhs, .out = c->out, .dims = c->dims, .spatial = c->spatial};
  memcpy(w->windows, c->windows, sizeof w->windows);
  w->item = c->lhs.item;
  w->in = c->rhs.dims[c->dims.kernel_in];
  w->groups = c->dims.feature_groups * c->dims.batch_groups;
  w->outs = c->rhs.dims[c->dims.kernel_out] / w->groups;
  w->length = w->in;
  w->lines = 1;
  int64_t width = 1, out_m = 1;
  for (uint32_t s = 0; s < c->spatial; s++) {
    w->length *= w->windows[s].size;
    int64_t size = c->out.dims[c->dims.out_spatial.v[s]];
    if (s + 1 < c->spatial) {
      w->lines *= size;
    } else {
      width = size;
      out_m = c->out.strides[c->dims.out_spatial.v[s]];
    }
  }
  int64_t bytes = w->length * (int64_t)w->item;
  if (bytes > 16 * MOST_GATHERED) return false;
  w->rows = MOST_GATHERED / bytes < MOST_ROWS ? MOST_GATHERED / bytes : MOST_ROWS;
  if (w->rows < 1) w->rows = 1;
  if (w->rows > width) w->rows = width;
  w->chunks = (width + w->rows - 1) / w->rows;
  add_window_weights(&chain, c, w);
  w->shape = c->types;
  w->shape.batch = 1, w->shape.m = w->rows, w->shape.n = w->outs, w->shape.k = w->length;
  w->shape.lhs_m = w->length, w->shape.lhs_k = 1;
  w->shape.rhs_k = w->outs, w->shape.rhs_n = 1;
  w->shape.out_m = out_m, w->shape.out_n = c->out.strides[c->dims.out_feature];
  w->last_shape = w->shape;
  w->last_shape.m = width - (w->chunks - 1) * w->rows;
  size_t scratch = matmul_own_scratch(&w->shape), more = 0;
  w->engine = matmul_is_float(c->types.out_type) ? matmul_provider() : NULL;
  if (w->engine && w->outs >= 4) {
    w->plan = w->engine->plan(&w->shape, &more);
    if (more > scratch) scratch = more;
    w->last_plan = w->engine->plan(&w->last_shape, &more);
    if (more > scratch) scratch = more;
  }
  double units = (double)c->out.dims[c->dims.out_batch] * (double)w->groups * (double)w->lines *
                 (double)w->chunks;
  double seconds =
      units * ((double)w->rows * (double)w->length * (1e-9 + (double)w->outs / 2e10) + 2e-6);
  chain_add(&chain,
            &(Kernel){.name = "convolution",
                      .run = run_windows,
                      .data = w,
                      .n_tiles = kernel_tiles(seconds, (uint64_t)units),
                      .scratch_bytes = kernel_aligned((size_t)(w->rows * bytes)) + scratch});
  chain_link(&chain, out);
  return true;
}

static void run_zeros(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  (void)tile, (void)scratch;
  memset(buffers[BUFFER_OUT], 0, *(const size_t *)kernel->data);
}

bool kernel_convolution(const KernelRequest *r, Kernel *out) {
  Conv c = {.request = r};
  if (!dense_operand(r, 0, &c.lhs) || !dense_operand(r, 1, &c.rhs) || !dense_result(r, 0, &c.out) ||
      !matmul_types(c.lhs.dtype, c.rhs.dtype, c.out.dtype, &c.types))
    return false;
  Context *context = r->program->context;
  Attr attrs = op_at(r->program, r->op)->attrs;
  c.dims = convolve_dims(context, attrs);
  c.spatial = c.dims.in_spatial.n;
  Ints padding = attr_as_ints(context, attr_get(context, attrs, "padding"));
  convolve_windows(context, attrs, &c.dims, c.rhs.dims, padding, c.windows);
  if (c.out.count == 0) return kernel_nothing(out), true;
  if (c.lhs.count == 0 || c.rhs.count == 0) {
    size_t *bytes = ARENA_NEW(r->arena, size_t);
    *bytes = (size_t)c.out.count * c.out.item;
    *out = (Kernel){.name = "convolution", .run = run_zeros, .data = bytes, .n_tiles = 1};
    return true;
  }
  return make_library(&c, out) || make_windows(&c, out);
}
