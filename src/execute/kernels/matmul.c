// Kernels of dot_general: batched matrix products.
//
// The dimension numbers sort the dimensions into batch, M, N and K. Neighbours that are contiguous
// in all tensors merge. The core is a product [batch, m, k] x [batch, k, n] of strided matrices;
// what does not merge (a second batch dimension, a second free dimension) becomes an outer loop. So
// transposes and batches are not materialized. Only an operand whose contracting dimensions cannot
// merge, or of which no dimension is contiguous, is first copied to temporary memory.
//
// The core is cut into units by its shape alone: blocks of rows, then of columns, and of k if
// little else is there to share. Partial sums over blocks of k are f32 in temporary memory; a
// second stage adds them as a balanced tree. A library computes each unit if it can, else our own
// loops. Products with at most 16 rows or columns have loops of their own, which read the large
// operand where it is (tensor/matvec.h).
#include <string.h>

#include "execute/kernels/kernels.h"
#include "execute/kernels/moves.h"
#include "execute/kernels/products.h"
#include "ops/contract.h"
#include "tensor/matmul.h"
#include "tensor/matmul_amx.h"
#include "tensor/matvec.h"
#include "tensor/narrow.h"
#include "tensor/vectorize.h"

// A dimension: its size and its stride in elements in each tensor (0 where it is absent).
typedef struct Dim {
  int64_t size, lhs, rhs, out;
} Dim;
typedef struct Dims {
  uint32_t n;
  Dim at[MAX_RANK + 2];
} Dims;

typedef struct Unit {
  MatmulShape shape;
  const void *plan;  // NULL: our own loops
} Unit;

// Kinds of units: the last block of a dimension may be smaller than the others.
enum { LAST_BATCH = 1, LAST_M = 2, LAST_N = 4, LAST_K = 8, UNIT_KINDS = 16 };
// Buffers of the kernel.
enum { BUFFER_LHS, BUFFER_RHS, BUFFER_OUT, BUFFER_TEMP };

typedef struct Product {
  const MatmulEngine *engine;
  Dims outer;              // strides in bytes
  Dim batch, m, n, k;      // numbers of blocks, strides of a block in bytes
  Unit units[UNIT_KINDS];  // by kind
  uint64_t n_units;
  bool tiles, packed;              // AMX tiles by our own code; rhs is packed by a stage before
  bool few;                        // few rows: units are tensor/matvec.h's
  uint32_t lhs, rhs, out;          // buffers …
  int64_t lhs_at, rhs_at, out_at;  // … and offsets in them
} Product;

// ---- running ----

static void run_tiles(const Product *p, const MatmulShape *s, const char *lhs, const char *rhs,
                      char *out, char *scratch) {
  if (p->packed) {
    matmul_amx_run(s, lhs, rhs, out, scratch);
    return;
  }
  char *work = scratch + matmul_amx_pack_bytes(s);
  int64_t lb = (int64_t)sizeof(uint16_t), ob = (int64_t)matmul_bytes(s->out_type);
  for (int64_t b = 0; b < s->batch; b++) {
    matmul_amx_pack(s, rhs + b * s->rhs_batch * lb, 0, matmul_amx_panels(s), scratch);
    matmul_amx_run(s, lhs + b * s->lhs_batch * lb, scratch, out + b * s->out_batch * ob, work);
  }
}

static void run_unit(const Product *p, void *const *buffers, uint64_t unit, void *scratch) {
  const char *lhs = (const char *)buffers[p->lhs] + p->lhs_at,
             *rhs = (const char *)buffers[p->rhs] + p->rhs_at;
  char *out = (char *)buffers[p->out] + p->out_at;
  const Dim *blocks[] = {&p->m, &p->n, &p->k, &p->batch};
  static const int kinds[] = {LAST_M, LAST_N, LAST_K, LAST_BATCH};
  int kind = 0;
  for (uint32_t b = 0; b < 4; b++) {
    int64_t i = (int64_t)(unit % (uint64_t)blocks[b]->size);
    unit /= (uint64_t)blocks[b]->size;
    if (i + 1 == blocks[b]->size) kind |= kinds[b];
    lhs += i * blocks[b]->lhs;
    rhs += i * blocks[b]->rhs;
    out += i * blocks[b]->out;
  }
  for (uint32_t d = p->outer.n; d-- > 0;) {
    int64_t i = (int64_t)(unit % (uint64_t)p->outer.at[d].size);
    unit /= (uint64_t)p->outer.at[d].size;
    lhs += i * p->outer.at[d].lhs;
    rhs += i * p->outer.at[d].rhs;
    out += i * p->outer.at[d].out;
  }
  const Unit *u = &p->units[kind];
  if (p->few)
    matvec_run(&u->shape, lhs, rhs, out, scratch);
  else if (p->tiles)
    run_tiles(p, &u->shape, lhs, rhs, out, scratch);
  else if (u->plan)
    p->engine->run(u->plan, lhs, rhs, out, scratch);
  else
    matmul_own_run(&u->shape, lhs, rhs, out, scratch);
}

static void run_product(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  const Product *p = kernel->data;
  uint64_t first, last;
  kernel_part(p->n_units, tile, kernel->n_tiles, &first, &last);
  for (uint64_t unit = first; unit < last; unit++) run_unit(p, buffers, unit, scratch);
}

typedef struct Pack {
  Moves copy;
  uint32_t from;
  size_t at;  // offset in the temporary buffer
} Pack;

static void run_pack(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  (void)scratch;
  const Pack *pack = kernel->data;
  uint64_t first, last;
  kernel_part(pack->copy.units, tile, kernel->n_tiles, &first, &last);
  moves_run(&pack->copy, buffers[pack->from], (char *)buffers[BUFFER_TEMP] + pack->at, first, last);
}

// Adds the partial sums of blocks of k.
typedef struct Combine {
  size_t at;  // of the first partial sum in the temporary buffer
  int64_t parts, count;
  MatmulType kind, type;  // of the partial sums, of the result
} Combine;

enum { COMBINE_CHUNK = 2048, MOST_PARTS = 16 };

VECTOR_BODY void add_f32_body(const float *a, const float *b, float *to, int64_t n) {
  for (int64_t i = 0; i < n; i++) to[i] = a[i] + b[i];
}
VECTOR_CLONES(add_f32, (const float *a, const float *b, float *to, int64_t n), (a, b, to, n))

static void run_combine(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  const Combine *c = kernel->data;
  (void)scratch;
  uint64_t chunks = (uint64_t)((c->count + COMBINE_CHUNK - 1) / COMBINE_CHUNK), first, last;
  kernel_part(chunks, tile, kernel->n_tiles, &first, &last);
  float *sums = (float *)(void *)((char *)buffers[BUFFER_TEMP] + c->at);
  for (uint64_t chunk = first; chunk < last; chunk++) {
    int64_t at = (int64_t)chunk * COMBINE_CHUNK;
    int64_t n = c->count - at < COMBINE_CHUNK ? c->count - at : COMBINE_CHUNK;
    for (int64_t step = 1; step < c->parts; step *= 2)
      for (int64_t i = 0; i + step < c->parts; i += 2 * step)
        add_f32(sums + i * c->count + at, sums + (i + step) * c->count + at,
                sums + i * c->count + at, n);
    char *to = (char *)buffers[BUFFER_OUT] + (size_t)at * matmul_bytes(c->type);
    if (c->type == MATMUL_F32) {
      memcpy(to, sums + at, (size_t)n * sizeof *sums);
      continue;
    }
    for (int64_t i = 0; i < n; i++) {
      uint16_t x = c->type == MATMUL_BF16 ? bf16_of_f32(sums[at + i]) : f16_of_f32(sums[at + i]);
      memcpy(to + 2 * i, &x, sizeof x);
    }
  }
}

static void run_nothing(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  (void)kernel, (void)buffers, (void)tile, (void)scratch;
}

static void run_zeros(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  (void)tile, (void)scratch;
  memset(buffers[BUFFER_OUT], 0, *(const size_t *)kernel->data);
}

// ---- dimensions ----

static bool type_of(DType dtype, MatmulType *out) {
  switch (dtype) {
  case DT_f32: *out = MATMUL_F32; return true;
  case DT_f64: *out = MATMUL_F64; return true;
  case DT_bf16: *out = MATMUL_BF16; return true;
  case DT_f16: *out = MATMUL_F16; return true;
  case DT_i8: *out = MATMUL_I8; return true;
  case DT_ui8: *out = MATMUL_U8; return true;
  case DT_i16: *out = MATMUL_I16; return true;
  case DT_ui16: *out = MATMUL_U16; return true;
  case DT_i32:
  case DT_ui32: *out = MATMUL_I32; return true;
  case DT_i64:
  case DT_ui64: *out = MATMUL_I64; return true;
  default: return false;
  }
}

bool matmul_types(DType lhs, DType rhs, DType out, MatmulShape *s) {
  if (!type_of(lhs, &s->lhs_type) || !type_of(rhs, &s->rhs_type) || !type_of(out, &s->out_type))
    return false;
  bool is_float = matmul_is_float(s->out_type);
  if (matmul_is_float(s->lhs_type) != is_float || matmul_is_float(s->rhs_type) != is_float)
    return false;
  if (is_float) {
    bool wide = s->lhs_type == MATMUL_F64 || s->rhs_type == MATMUL_F64;
    return !wide || s->out_type == MATMUL_F64 || s->out_type == MATMUL_F32;
  }
  if (s->out_type == MATMUL_I64) return s->lhs_type != MATMUL_I32 && s->rhs_type != MATMUL_I32;
  return s->lhs_type != MATMUL_I64 && s->rhs_type != MATMUL_I64;
}

static bool algorithm_fits(const KernelRequest *r, DType lhs, DType rhs, DType out) {
  Attr algorithm = op_attr(r->program, r->op, "algorithm");
  ContractPrecision p = contract_precision(r->program->context, algorithm);
  if (!p.lhs && !p.rhs && !p.sum) return true;
  if (!dtype_is_float(out) || p.lhs_parts != 1 || p.rhs_parts != 1 || p.products != 1) return false;
  bool same = (!p.lhs && !p.rhs) || (p.lhs == lhs && p.rhs == rhs);
  return same && (!p.sum || p.sum == DT_f32 || p.sum == DT_f64 || p.sum == out) &&
         !(p.sum == DT_f32 && out == DT_f64) && lhs != DT_f64;
}

// Merges each dimension with the next one where strides allow it. k: out strides are not compared.
static void merge(Dims *dims) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < dims->n; i++) {
    Dim d = dims->at[i];
    if (d.size == 1) continue;
    Dim *before = n ? &dims->at[n - 1] : NULL;
    if (before && before->lhs == d.size * d.lhs && before->rhs == d.size * d.rhs &&
        before->out == d.size * d.out) {
      d.size *= before->size;
      dims->at[n - 1] = d;
    } else {
      dims->at[n++] = d;
    }
  }
  dims->n = n;
}

typedef struct Sides {
  Dims batch, m, n, k;
} Sides;

static void strides_of(const TypeInfo *type, const OperandView *view, int64_t *out) {
  shape_strides(type->rank, type->dims, out);
  for (uint32_t d = 0; view && view->root && d < type->rank; d++) out[d] = view->strides[d];
}

// views: of lhs and rhs; NULL: they are dense.
static Sides sides_of(const ContractDims *c, const TypeInfo *lhs, const TypeInfo *rhs,
                      const TypeInfo *out, const OperandView *views) {
  Sides s = {{0}, {0}, {0}, {0}};
  int64_t ls[MAX_RANK], rs[MAX_RANK], os[MAX_RANK];
  strides_of(lhs, views, ls);
  strides_of(rhs, views ? views + 1 : NULL, rs);
  shape_strides(out->rank, out->dims, os);
  uint32_t o = 0;
  for (uint32_t i = 0; i < c->lhs_batch.n; i++, o++) {
    int64_t l = c->lhs_batch.v[i];
    s.batch.at[s.batch.n++] = (Dim){lhs->dims[l], ls[l], rs[c->rhs_batch.v[i]], os[o]};
  }
  for (uint32_t d = 0; d < lhs->rank; d++)
    if (!ints_contain(c->lhs_batch, d) && !ints_contain(c->lhs_contract, d))
      s.m.at[s.m.n++] = (Dim){lhs->dims[d], ls[d], 0, os[o++]};
  for (uint32_t d = 0; d < rhs->rank; d++)
    if (!ints_contain(c->rhs_batch, d) && !ints_contain(c->rhs_contract, d))
      s.n.at[s.n.n++] = (Dim){rhs->dims[d], 0, rs[d], os[o++]};
  for (uint32_t i = 0; i < c->lhs_contract.n; i++) {
    int64_t l = c->lhs_contract.v[i];
    s.k.at[s.k.n++] = (Dim){lhs->dims[l], ls[l], rs[c->rhs_contract.v[i]], 0};
  }
  return s;
}

// Orders the contracting dimensions by descending strides of one operand: sums are the same set.
static void order_k(Dims *k, bool by_lhs) {
  for (uint32_t i = 1; i < k->n; i++)
    for (uint32_t j = i; j > 0; j--) {
      Dim *a = &k->at[j - 1], *b = &k->at[j];
      if (by_lhs ? a->lhs >= b->lhs : a->rhs >= b->rhs) break;
      Dim t = *a;
      *a = *b;
      *b = t;
    }
}

// Is the operand one run of elements along k, in the present order?
static bool k_is_one(const Dims *k, bool lhs) {
  int64_t expected = -1;
  for (uint32_t i = k->n; i-- > 0;) {
    if (k->at[i].size == 1) continue;
    int64_t stride = lhs ? k->at[i].lhs : k->at[i].rhs;
    if (expected >= 0 && stride != expected) return false;
    expected = stride * k->at[i].size;
  }
  return true;
}

static int64_t product_of(const Dims *dims) {
  int64_t n = 1;
  for (uint32_t i = 0; i < dims->n; i++) n *= dims->at[i].size;
  return n;
}

static bool has_unit_stride(const Dims *dims, bool lhs) {
  for (uint32_t i = 0; i < dims->n; i++)
    if ((lhs ? dims->at[i].lhs : dims->at[i].rhs) == 1) return true;
  return product_of(dims) == 1;
}

// Gives an operand the layout [batch, free, k] or, for rhs, [batch, k, free], as a copy.
static void pack_operand(Sides *s, bool lhs, size_t item, Pack *out) {
  Dims *order[3] = {&s->batch, lhs ? &s->m : &s->k, lhs ? &s->k : &s->n};
  int64_t dims[3 * MAX_RANK], from[3 * MAX_RANK], to[3 * MAX_RANK], stride = 1;
  uint32_t n = 0;
  for (uint32_t g = 0; g < 3; g++) n += order[g]->n;
  uint32_t at = n;
  for (uint32_t g = 3; g-- > 0;)
    for (uint32_t i = order[g]->n; i-- > 0;) {
      Dim *d = &order[g]->at[i];
      int64_t *old = lhs ? &d->lhs : &d->rhs;
      at--;
      dims[at] = d->size;
      from[at] = *old * (int64_t)item;
      to[at] = stride * (int64_t)item;
      *old = stride;
      stride *= d->size;
    }
  moves_init(&out->copy, item, n, dims, from, to);
}

static size_t aligned(size_t bytes) {
  return (bytes + KERNEL_ALIGN - 1) / KERNEL_ALIGN * KERNEL_ALIGN;
}

// ---- blocks ----

static int64_t blocks_of(int64_t size, int64_t block) { return (size + block - 1) / block; }
static int64_t round_up(int64_t x, int64_t to) { return (x + to - 1) / to * to; }

// Sizes of blocks, from the shape alone.
typedef struct Blocks {
  int64_t batch, m, n, k;
} Blocks;

static Blocks choose_blocks(int64_t loops, const MatmulShape *s, bool splits_k) {
  static const double small = 1e6, large = 8e6;  // FLOPs
  Blocks b = {1, s->m, s->n, s->k};
  double flops = 2.0 * (double)s->m * (double)s->n * (double)s->k;
  if (flops < small) {
    double several = small / flops + 1;
    b.batch = several < (double)s->batch ? (int64_t)several : s->batch;
    return b;
  }
  if (flops < large) return b;
  if (s->m > 128) {
    b.m = round_up((s->m + 7) / 8, 64);
    if (b.m < 128) b.m = 128;
    if (b.m > 512) b.m = 512;
  }
  int64_t units = loops * s->batch * blocks_of(s->m, b.m);
  if (units < 4 && s->n >= 256) {
    b.n = round_up((s->n + 7) / 8, 64);
    if (b.n < 128) b.n = 128;
    units *= blocks_of(s->n, b.n);
  }
  if (splits_k && units < 8 && s->k >= 4096) {
    b.k = round_up((s->k + 7) / 8, 256);
    if (blocks_of(s->k, b.k) > MOST_PARTS) b.k = round_up((s->k + 15) / 16, 256);
  }
  return b;
}

// The same for few rows: units read about 128 KB of rhs each, or several small ones.
static Blocks choose_few_blocks(int64_t loops, const MatmulShape *s, bool splits_k) {
  static const double least = 131072;  // bytes
  Blocks b = {1, s->m, s->n, s->k};
  double bytes = (double)s->n * (double)s->k * (double)matmul_bytes(s->rhs_type);
  if (bytes < least) {
    double several = least / bytes + 1;
    b.batch = several < (double)s->batch ? (int64_t)several : s->batch;
    return b;
  }
  double wanted = bytes / least;
  int64_t parts = wanted < 16 ? (int64_t)wanted : 16;
  b.n = round_up((s->n + parts - 1) / parts, 64);
  if (b.n < 128) b.n = 128;
  if (b.n > s->n) b.n = s->n;
  if (splits_k && loops * s->batch * blocks_of(s->n, b.n) < 4 && s->k >= 4096)
    b.k = round_up((s->k + 7) / 8, 256);
  return b;
}

static Dim blocks_along(int64_t size, int64_t block, int64_t lhs, int64_t rhs, int64_t out) {
  return (Dim){blocks_of(size, block), block * lhs, block * rhs, block * out};
}

static int64_t last_block(int64_t size, int64_t block) {
  return size - (blocks_of(size, block) - 1) * block;
}

// The units of all kinds that occur. *out_scratch: the largest need.
static void make_units(Product *p, const MatmulShape *core, Blocks b, size_t *out_scratch) {
  for (int kind = 0; kind < UNIT_KINDS; kind++) {
    // A kind without LAST_x occurs only if there are several blocks along x.
    if ((!(kind & LAST_BATCH) && p->batch.size == 1) || (!(kind & LAST_M) && p->m.size == 1) ||
        (!(kind & LAST_N) && p->n.size == 1) || (!(kind & LAST_K) && p->k.size == 1))
      continue;
    Unit *u = &p->units[kind];
    u->shape = *core;
    u->shape.batch = kind & LAST_BATCH ? last_block(core->batch, b.batch) : b.batch;
    u->shape.m = kind & LAST_M ? last_block(core->m, b.m) : b.m;
    u->shape.n = kind & LAST_N ? last_block(core->n, b.n) : b.n;
    u->shape.k = kind & LAST_K ? last_block(core->k, b.k) : b.k;
    size_t scratch = 0;
    u->plan = p->engine && !p->few ? p->engine->plan(&u->shape, &scratch) : NULL;
    if (p->few)
      scratch = matvec_scratch(&u->shape);
    else if (p->tiles)
      scratch = aligned(matmul_amx_pack_bytes(&u->shape)) + matmul_amx_scratch(&u->shape);
    else if (!u->plan)
      scratch = matmul_own_scratch(&u->shape);
    if (scratch > *out_scratch) *out_scratch = scratch;
  }
}

// Units whose rhs the library packs once for all blocks of rows. False: units stay as they are.
static bool pack_units(Product *p, size_t *out_scratch, size_t *out_bytes) {
  Unit packed[UNIT_KINDS];
  const void *like = NULL;
  memcpy(packed, p->units, sizeof packed);
  for (int kind = UNIT_KINDS - 1; kind >= 0; kind--) {
    if (!packed[kind].plan) continue;
    size_t scratch = 0;
    packed[kind].plan = p->engine->packed_plan(&packed[kind].shape, like, &scratch, out_bytes);
    if (!packed[kind].plan) return false;
    like = packed[kind].plan;
    if (scratch > *out_scratch) *out_scratch = scratch;
  }
  memcpy(p->units, packed, sizeof packed);
  return like != NULL;
}

// Packing pays if several blocks of rows read one rhs that does not fit into the L2 cache.
static bool packing_pays(const Product *p, const MatmulShape *core) {
  enum { LEAST = 1 << 18, MOST = 1 << 24 };  // elements
  return p->engine && p->units[UNIT_KINDS - 1].plan && p->outer.n == 0 && core->batch == 1 &&
         p->n.size == 1 && p->k.size == 1 && core->m >= 256 && core->n * core->k >= LEAST &&
         core->n * core->k <= MOST;
}

// rhs in panels of tiles, shared by all blocks of rows.
typedef struct PackTiles {
  MatmulShape shape;
  uint32_t from;
  int64_t from_at;
  size_t to_at;
} PackTiles;

static void run_pack_tiles(const Kernel *kernel, void *const *buffers, uint32_t tile,
                           void *scratch) {
  (void)scratch;
  const PackTiles *p = kernel->data;
  uint64_t first, last;
  kernel_part((uint64_t)matmul_amx_panels(&p->shape), tile, kernel->n_tiles, &first, &last);
  matmul_amx_pack(&p->shape, (const char *)buffers[p->from] + p->from_at, (int64_t)first,
                  (int64_t)last, (char *)buffers[BUFFER_TEMP] + p->to_at);
}

typedef struct PackRhs {
  const MatmulEngine *engine;
  const void *plan;
  uint32_t from;
  int64_t from_at;
  size_t to_at;
} PackRhs;

static void run_pack_rhs(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  (void)tile, (void)scratch;
  const PackRhs *r = kernel->data;
  r->engine->pack(r->plan, (const char *)buffers[r->from] + r->from_at,
                  (char *)buffers[BUFFER_TEMP] + r->to_at);
}

static void to_bytes(Dim *d, const MatmulShape *s) {
  d->lhs *= (int64_t)matmul_bytes(s->lhs_type);
  d->rhs *= (int64_t)matmul_bytes(s->rhs_type);
  d->out *= (int64_t)matmul_bytes(s->out_type);
}

// The innermost dimension of a group; the others become outer loops.
static Dim take_inner(Dims *group, Dims *outer) {
  Dim inner = group->n ? group->at[group->n - 1] : (Dim){1, 1, 1, 1};
  for (uint32_t i = 0; i + 1 < group->n; i++) outer->at[outer->n++] = group->at[i];
  return inner;
}

static MatmulShape core_of(Sides *s, Dims *outer, const MatmulShape *types) {
  Dim batch = take_inner(&s->batch, outer), m = take_inner(&s->m, outer),
      n = take_inner(&s->n, outer), k = take_inner(&s->k, outer);
  MatmulShape core = *types;
  core.batch = batch.size, core.m = m.size, core.n = n.size, core.k = k.size;
  core.lhs_batch = batch.lhs, core.rhs_batch = batch.rhs, core.out_batch = batch.out;
  core.lhs_m = m.lhs, core.lhs_k = k.lhs;
  core.rhs_k = k.rhs, core.rhs_n = n.rhs;
  core.out_m = m.out, core.out_n = n.out;
  return core;
}

static MatmulShape transposed(const MatmulShape *s) {
  MatmulShape t = *s;
  t.m = s->n, t.n = s->m;
  t.lhs_type = s->rhs_type, t.rhs_type = s->lhs_type;
  t.lhs_batch = s->rhs_batch, t.lhs_m = s->rhs_n, t.lhs_k = s->rhs_k;
  t.rhs_batch = s->lhs_batch, t.rhs_n = s->lhs_m, t.rhs_k = s->lhs_k;
  t.out_m = s->out_n, t.out_n = s->out_m;
  return t;
}

// Few rows, or few columns: then operands change places.
static bool is_few(const MatmulShape *core, bool *out_transposes) {
  MatmulShape t = transposed(core);
  *out_transposes = core->n < core->m;
  const MatmulShape *s = *out_transposes ? &t : core;
  enum { MOST_LHS = 1 << 18 };  // elements; a unit has a copy of lhs
  return matvec_fits(s) && s->m * s->k <= MOST_LHS;
}

// ---- stages ----

typedef struct Stages {
  Arena *arena;
  Kernel kernels[5];
  uint32_t n;
  size_t temp_bytes;
} Stages;

static void add_pack(Stages *st, Sides *s, bool lhs, size_t item, int64_t count, Product *p) {
  Pack *pack = ARENA_NEW(st->arena, Pack);
  pack_operand(s, lhs, item, pack);
  pack->from = lhs ? BUFFER_LHS : BUFFER_RHS;
  pack->at = st->temp_bytes;
  st->temp_bytes += aligned((size_t)count * item);
  if (lhs) {
    p->lhs = BUFFER_TEMP;
    p->lhs_at = (int64_t)pack->at;
  } else {
    p->rhs = BUFFER_TEMP;
    p->rhs_at = (int64_t)pack->at;
  }
  st->kernels[st->n++] =
      (Kernel){.name = "transpose for matmul",
               .run = run_pack,
               .data = pack,
               .n_tiles = kernel_tiles(moves_seconds(&pack->copy), pack->copy.units)};
}

static void add_combine(Stages *st, const MatmulShape *types, int64_t parts, int64_t count,
                        Product *p) {
  Combine *c = ARENA_NEW(st->arena, Combine);
  *c = (Combine){.at = st->temp_bytes, .parts = parts, .count = count, .type = types->out_type};
  st->temp_bytes += aligned((size_t)(parts * count) * sizeof(float));
  p->out = BUFFER_TEMP;
  p->out_at = (int64_t)c->at;
  double seconds = (double)(parts * count) / 1e9;
  st->kernels[st->n++] =
      (Kernel){.name = "sum of matmuls",
               .run = run_combine,
               .data = c,
               .n_tiles = kernel_tiles(seconds, (uint64_t)blocks_of(count, COMBINE_CHUNK))};
}

static void link_stages(Stages *st, Kernel *out) {
  const Kernel *next = NULL;
  for (uint32_t i = st->n; i-- > 0;) {
    st->kernels[i].next = next;
    st->kernels[i].temp_bytes = st->temp_bytes;
    if (i) {
      Kernel *copy = ARENA_NEW(st->arena, Kernel);
      *copy = st->kernels[i];
      next = copy;
    }
  }
  *out = st->kernels[0];
}

// Copies an operand if its contracting dimensions do not merge or none of its dimensions is
// contiguous.
static void pack_where_needed(Stages *st, Sides *s, const MatmulShape *types, Product *p) {
  order_k(&s->k, false);
  if (!k_is_one(&s->k, false) || !k_is_one(&s->k, true)) {
    order_k(&s->k, true);
    if (!k_is_one(&s->k, true)) order_k(&s->k, false);
  }
  int64_t batch = product_of(&s->batch), k = product_of(&s->k);
  bool m_unit = has_unit_stride(&s->m, true), k_lhs = has_unit_stride(&s->k, true);
  bool n_unit = has_unit_stride(&s->n, false), k_rhs = has_unit_stride(&s->k, false);
  if (!k_is_one(&s->k, true) || (!m_unit && !k_lhs))
    add_pack(st, s, true, matmul_bytes(types->lhs_type), batch * product_of(&s->m) * k, p);
  if (!k_is_one(&s->k, false) || (!n_unit && !k_rhs))
    add_pack(st, s, false, matmul_bytes(types->rhs_type), batch * product_of(&s->n) * k, p);
}

// lhs and rhs change places.
static void transpose_product(Product *p) {
  uint32_t lhs = p->lhs;
  int64_t at = p->lhs_at;
  p->lhs = p->rhs, p->lhs_at = p->rhs_at;
  p->rhs = lhs, p->rhs_at = at;
  for (uint32_t i = 0; i < p->outer.n; i++) {
    Dim *d = &p->outer.at[i];
    *d = (Dim){d->size, d->rhs, d->lhs, d->out};
  }
}

static double product_seconds(const Product *p, int64_t loops, const MatmulShape *core) {
  double bytes = (double)core->n * (double)core->k * (double)matmul_bytes(core->rhs_type);
  double flops = 2 * (double)core->m * (double)core->n * (double)core->k;
  double times = (double)loops * (double)core->batch, units = (double)p->n_units;
  if (p->few) return times * (bytes / 1e10 + flops / 1e11) + units * 1e-7;
  bool fast = p->tiles || p->units[UNIT_KINDS - 1].plan;
  return (times * flops + 1e3 * units) / (fast ? 1e11 : 2e10);
}

// False: operands are views, and dense copies of them are better.
static bool make_product(const KernelRequest *r, Sides *s, const MatmulShape *types, int64_t count,
                         Kernel *out) {
  Product *p = ARENA_NEW(r->arena, Product);
  *p = (Product){.lhs = BUFFER_LHS, .rhs = BUFFER_RHS, .out = BUFFER_OUT};
  if (r->views) {
    p->lhs_at = r->views[0].base * (int64_t)matmul_bytes(types->lhs_type);
    p->rhs_at = r->views[1].base * (int64_t)matmul_bytes(types->rhs_type);
  }
  Stages st = {.arena = r->arena};
  // Packing rhs pays from about a tile of rows on.
  bool tiles = matmul_amx_fits(types) && product_of(&s->m) >= 16 && matmul_amx_wanted();
  if (matmul_is_float(types->out_type) && !tiles) p->engine = matmul_provider();
  pack_where_needed(&st, s, types, p);
  merge(&s->batch);
  merge(&s->m);
  merge(&s->n);
  merge(&s->k);
  if (r->views && (st.n || s->m.n > 1 || s->n.n > 1)) return false;
  MatmulShape core = core_of(s, &p->outer, types);
  bool splits_k = matmul_is_float(types->out_type) && types->lhs_type != MATMUL_F64 &&
                  types->rhs_type != MATMUL_F64 && types->out_type != MATMUL_F64;
  int64_t loops = product_of(&p->outer);
  bool transposes = false;
  p->few = is_few(&core, &transposes) && !tiles;
  if (p->few && transposes) {
    core = transposed(&core);
    transpose_product(p);
  }
  Blocks b =
      p->few ? choose_few_blocks(loops, &core, splits_k) : choose_blocks(loops, &core, splits_k);
  uint32_t at = st.n++;  // the product's stage, before the sum
  p->batch = blocks_along(core.batch, b.batch, core.lhs_batch, core.rhs_batch, core.out_batch);
  p->m = blocks_along(core.m, b.m, core.lhs_m, 0, core.out_m);
  p->n = blocks_along(core.n, b.n, 0, core.rhs_n, core.out_n);
  p->k = blocks_along(core.k, b.k, core.lhs_k, core.rhs_k, 0);
  if (p->k.size > 1) {
    add_combine(&st, types, p->k.size, count, p);
    core.out_type = MATMUL_F32;
    p->k.out = count;
  }
  size_t scratch = 0, packed_bytes = 0;
  p->tiles = tiles;
  make_units(p, &core, b, &scratch);
  if (tiles && p->outer.n == 0 && core.batch == 1 && p->n.size == 1 && p->k.size == 1 &&
      p->m.size > 1) {
    PackTiles *pack = ARENA_NEW(r->arena, PackTiles);
    *pack = (PackTiles){core, p->rhs, p->rhs_at, st.temp_bytes};
    st.temp_bytes += aligned(matmul_amx_pack_bytes(&core));
    p->packed = true;
    p->rhs = BUFFER_TEMP;
    p->rhs_at = (int64_t)pack->to_at;
    st.kernels[at] = (Kernel){.name = "matmul (pack)",
                              .run = run_pack_tiles,
                              .data = pack,
                              .n_tiles = kernel_tiles((double)core.n * (double)core.k / 1e9,
                                                      (uint64_t)matmul_amx_panels(&core) / 8 + 1)};
    at = st.n++;
  }
  if (packing_pays(p, &core) && pack_units(p, &scratch, &packed_bytes)) {
    PackRhs *pack = ARENA_NEW(r->arena, PackRhs);
    *pack = (PackRhs){p->engine, p->units[UNIT_KINDS - 1].plan, p->rhs, p->rhs_at, st.temp_bytes};
    st.temp_bytes += aligned(packed_bytes);
    p->rhs = BUFFER_TEMP;
    p->rhs_at = (int64_t)pack->to_at;
    st.kernels[at] =
        (Kernel){.name = "matmul (pack)", .run = run_pack_rhs, .data = pack, .n_tiles = 1};
    at = st.n++;
  }
  to_bytes(&p->batch, &core);
  to_bytes(&p->m, &core);
  to_bytes(&p->n, &core);
  to_bytes(&p->k, &core);
  for (uint32_t i = 0; i < p->outer.n; i++) to_bytes(&p->outer.at[i], &core);
  p->n_units = (uint64_t)(loops * p->batch.size * p->m.size * p->n.size * p->k.size);
  bool fast = p->units[UNIT_KINDS - 1].plan != NULL;
  st.kernels[at] = (Kernel){.name = p->few  ? "matmul (few rows)"
                                    : tiles ? "matmul (AMX)"
                                    : fast  ? "matmul (oneDNN)"
                                            : "matmul",
                            .run = run_product,
                            .data = p,
                            .n_tiles = kernel_tiles(product_seconds(p, loops, &core), p->n_units),
                            .scratch_bytes = scratch};
  link_stages(&st, out);
  return true;
}

bool kernel_dot_general(const KernelRequest *r, Kernel *out) {
  const Program *program = r->program;
  const Context *c = program->context;
  Type lt = op_operand_type(program, r->op, 0), rt = op_operand_type(program, r->op, 1),
       ot = op_result_type(program, r->op, 0);
  if (type_is_quant(c, lt) || type_is_quant(c, rt) || type_is_quant(c, ot)) return false;
  const TypeInfo *lhs = type_info(c, lt), *rhs = type_info(c, rt), *result = type_info(c, ot);
  DType l = type_dtype(c, lt), rd = type_dtype(c, rt), o = type_dtype(c, ot);
  MatmulShape types;
  memset(&types, 0, sizeof types);
  if (!matmul_types(l, rd, o, &types) || !algorithm_fits(r, l, rd, o)) return false;
  ContractDims dims =
      contract_dims(program->context, op_attr(program, r->op, "dot_dimension_numbers"));
  Sides s = sides_of(&dims, lhs, rhs, result, r->views);
  int64_t count = 0;
  if (!type_count(c, ot, &count)) return false;
  *out = (Kernel){.name = "matmul", .run = run_nothing, .n_tiles = 1};
  if (count == 0) return true;
  if (product_of(&s.k) == 0) {
    size_t *bytes = ARENA_NEW(r->arena, size_t);
    *bytes = (size_t)count * matmul_bytes(types.out_type);
    out->run = run_zeros;
    out->data = bytes;
    return true;
  }
  return make_product(r, &s, &types, count, out);
}
