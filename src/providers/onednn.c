// oneDNN 2.6 or newer (libdnnl-dev) as an engine of matrix products and convolutions
// (tensor/matmul.h).
//
// A plan is a primitive for one shape. Creating one takes milliseconds, so plans are kept until the
// process ends, one per shape, as oneDNN keeps its own. Each call runs on one OpenMP thread: the
// caller has tiles for its own workers. Scratch memory is the caller's. The memory objects that a
// call needs are kept in slots of the plan, so that a running plan allocates only the first time.
//
// Implementations named ref* are loops that take 100 times as long, and are refused.
#define _GNU_SOURCE  // syscall
#include "tensor/matmul.h"

#include <cpuid.h>
#include <oneapi/dnnl/dnnl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

void omp_set_num_threads(int);  // omp.h is in the compiler's directory, which clang does not search

enum { KEY_WORDS = 48, SLOTS = 16, MOST_ARGS = 4 };

// The memory objects of one running call.
typedef struct CallSlot {
  dnnl_stream_t stream;
  dnnl_memory_t memory[MOST_ARGS];
} CallSlot;

typedef struct Plan Plan;
struct Plan {
  int64_t key[KEY_WORDS];
  dnnl_primitive_t primitive;  // NULL: refused
  uint32_t n_args;
  int names[MOST_ARGS];  // DNNL_ARG_…
  dnnl_memory_desc_t types[MOST_ARGS];
  size_t scratch_bytes, pack_bytes;
  dnnl_primitive_t pack;  // between the caller's layout of weights and the plan's; NULL: equal ones
  dnnl_memory_desc_t plain;  // the caller's layout of the weights
  uint32_t weights;          // their place among the arguments
  _Atomic(CallSlot *) slots[SLOTS];
  Plan *next;
};

typedef struct Library {
  dnnl_engine_t engine;  // NULL: does not start
  Plan *plans;           // guarded by plans_lock
} Library;
static Library library;
static pthread_once_t library_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t plans_lock = PTHREAD_MUTEX_INITIALIZER;  // guards library.plans

#if defined(__x86_64__)
// AMX needs a permission from the kernel, and oneDNN needs the CPU's description of its tiles,
// which some virtual machines lack: there its code would end with an illegal instruction.
static void restrict_instructions(void) {
  enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18, BIT_AMX_TILE = 1 << 24 };
  unsigned a, b, c, d;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(d & BIT_AMX_TILE)) return;
  bool described = __get_cpuid_count(0x1D, 1, &a, &b, &c, &d) && b != 0;
  if (!described || syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) != 0)
    dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx512_core_bf16);
}
#else
static void restrict_instructions(void) {}
#endif

static void library_start(void) {
  restrict_instructions();
  if (dnnl_engine_create(&library.engine, dnnl_cpu, 0) != dnnl_success) library.engine = NULL;
}

static bool type_of(MatmulType type, dnnl_data_type_t *out) {
  *out = type == MATMUL_F32 ? dnnl_f32 : dnnl_bf16;
  return type == MATMUL_F32 || type == MATMUL_BF16;
}

// The three tensors of a primitive, by their names and by how a description tells their layouts.
typedef struct Arguments {
  int names[3];
  dnnl_query_t queries[3];
} Arguments;
static const Arguments forward_arguments = {
    {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST},
    {dnnl_query_src_md, dnnl_query_weights_md, dnnl_query_dst_md}};
static const Arguments data_arguments = {
    {DNNL_ARG_DIFF_DST, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_SRC},
    {dnnl_query_diff_dst_md, dnnl_query_weights_md, dnnl_query_diff_src_md}};
static const Arguments weights_arguments = {
    {DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_WEIGHTS},
    {dnnl_query_src_md, dnnl_query_diff_dst_md, dnnl_query_diff_weights_md}};

// Finishes a plan from its description: the primitive, its layouts and its scratch bytes. hint: the
// forward description of a gradient, or NULL.
static bool plan_create(Plan *plan, const_dnnl_op_desc_t description,
                        const_dnnl_primitive_desc_t hint, const Arguments *arguments) {
  dnnl_primitive_attr_t attr = NULL;
  dnnl_primitive_desc_t desc = NULL;
  const char *name = "ref";
  bool ok =
      dnnl_primitive_attr_create(&attr) == dnnl_success &&
      dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user) == dnnl_success &&
      dnnl_primitive_desc_create(&desc, description, attr, library.engine, hint) == dnnl_success &&
      dnnl_primitive_desc_query(desc, dnnl_query_impl_info_str, 0, &name) == dnnl_success &&
      strncmp(name, "ref", 3) != 0 && dnnl_primitive_create(&plan->primitive, desc) == dnnl_success;
  if (ok) {
    plan->n_args = 4;
    for (uint32_t i = 0; i < 3; i++) {
      plan->names[i] = arguments->names[i];
      plan->types[i] = *dnnl_primitive_desc_query_md(desc, arguments->queries[i], 0);
    }
    plan->names[3] = DNNL_ARG_SCRATCHPAD;
    plan->types[3] = *dnnl_primitive_desc_query_md(desc, dnnl_query_scratchpad_md, 0);
    plan->scratch_bytes = dnnl_memory_desc_get_size(&plan->types[3]);
  }
  if (desc) dnnl_primitive_desc_destroy(desc);
  if (attr) dnnl_primitive_attr_destroy(attr);
  return ok;
}

static CallSlot *slot_new(const Plan *plan) {
  CallSlot *slot = calloc(1, sizeof *slot);
  if (!slot) return NULL;
  bool ok =
      dnnl_stream_create(&slot->stream, library.engine, dnnl_stream_default_flags) == dnnl_success;
  for (uint32_t i = 0; ok && i < plan->n_args; i++)
    ok = dnnl_memory_create(&slot->memory[i], &plan->types[i], library.engine, DNNL_MEMORY_NONE) ==
         dnnl_success;
  if (ok) return slot;
  abort();  // a kernel cannot fail: memory is exhausted
}

static void slot_free(const Plan *plan, CallSlot *slot) {
  for (uint32_t i = 0; i < plan->n_args; i++) dnnl_memory_destroy(slot->memory[i]);
  dnnl_stream_destroy(slot->stream);
  free(slot);
}

static void plan_execute(Plan *plan, void *const *data) {
  omp_set_num_threads(1);
  CallSlot *slot = NULL;
  for (uint32_t i = 0; i < SLOTS && !slot; i++) slot = atomic_exchange(&plan->slots[i], NULL);
  if (!slot) slot = slot_new(plan);
  dnnl_exec_arg_t args[MOST_ARGS];
  for (uint32_t i = 0; i < plan->n_args; i++) {
    dnnl_memory_set_data_handle(slot->memory[i], data[i]);
    args[i] = (dnnl_exec_arg_t){.arg = plan->names[i], .memory = slot->memory[i]};
  }
  dnnl_primitive_execute(plan->primitive, slot->stream, (int)plan->n_args, args);
  dnnl_stream_wait(slot->stream);
  for (uint32_t i = 0; i < SLOTS; i++) {
    CallSlot *expected = NULL;
    if (atomic_compare_exchange_strong(&plan->slots[i], &expected, slot)) return;
  }
  slot_free(plan, slot);
}

// The plan with this key: an old one, or a new one made by `make`. NULL if memory is exhausted.
static Plan *plan_find(const int64_t *key, bool (*make)(Plan *plan, const void *shape),
                       const void *shape) {
  pthread_once(&library_once, library_start);
  if (!library.engine) return NULL;
  omp_set_num_threads(1);
  pthread_mutex_lock(&plans_lock);
  Plan *plan = library.plans;
  while (plan && memcmp(plan->key, key, sizeof plan->key) != 0) plan = plan->next;
  if (!plan && (plan = calloc(1, sizeof *plan))) {
    memcpy(plan->key, key, sizeof plan->key);
    if (!make(plan, shape)) plan->primitive = NULL;
    plan->next = library.plans;
    library.plans = plan;
  }
  pthread_mutex_unlock(&plans_lock);
  return plan;
}

// The conversion between the caller's layout of weights and the plan's.
static bool create_pack(Plan *plan, const dnnl_memory_desc_t *plain) {
  bool out = plan->weights == 2;
  const dnnl_memory_desc_t *own = &plan->types[plan->weights];
  plan->plain = *plain;
  if (dnnl_memory_desc_equal(plain, own)) return true;
  dnnl_primitive_desc_t reorder = NULL;
  bool ok =
      dnnl_reorder_primitive_desc_create(&reorder, out ? own : plain, library.engine,
                                         out ? plain : own, library.engine, NULL) == dnnl_success &&
      dnnl_primitive_create(&plan->pack, reorder) == dnnl_success;
  if (reorder) dnnl_primitive_desc_destroy(reorder);
  plan->pack_bytes = dnnl_memory_desc_get_size(own);
  return ok;
}

// ---- matrix products ----

// Strides of a matrix [rows, columns], one of which is 1, as oneDNN expects them also if a size is
// 1. False: there is no such form.
static bool plain_strides(int64_t rows, int64_t columns, int64_t *row, int64_t *column) {
  if (rows == 1 && columns == 1)
    *row = *column = 1;
  else if (columns == 1)
    *column = *row == 1 ? rows : 1;
  else if (rows == 1)
    *row = *column == 1 ? columns : 1;
  if (*column == 1) return *row >= columns;
  return *row == 1 && *column >= rows;
}

static bool create_matmul(Plan *plan, const void *shape, bool packs) {
  plan->weights = 1;
  MatmulShape s = *(const MatmulShape *)shape;
  dnnl_data_type_t lhs, rhs, out;
  if (!type_of(s.lhs_type, &lhs) || !type_of(s.rhs_type, &rhs) || !type_of(s.out_type, &out) ||
      lhs != rhs || (lhs == dnnl_f32 && out != dnnl_f32) ||
      !plain_strides(s.m, s.k, &s.lhs_m, &s.lhs_k) ||
      !plain_strides(s.k, s.n, &s.rhs_k, &s.rhs_n) || !plain_strides(s.m, s.n, &s.out_m, &s.out_n))
    return false;
  dnnl_dims_t ld = {s.batch, s.m, s.k}, rd = {s.batch, s.k, s.n}, od = {s.batch, s.m, s.n},
              ls = {s.lhs_batch, s.lhs_m, s.lhs_k}, rs = {s.rhs_batch, s.rhs_k, s.rhs_n},
              os = {s.out_batch, s.out_m, s.out_n};
  int rank = 3;
  if (s.batch == 1) {
    rank = 2;
    memmove(ld, ld + 1, 2 * sizeof *ld);
    memmove(rd, rd + 1, 2 * sizeof *rd);
    memmove(od, od + 1, 2 * sizeof *od);
    memmove(ls, ls + 1, 2 * sizeof *ls);
    memmove(rs, rs + 1, 2 * sizeof *rs);
    memmove(os, os + 1, 2 * sizeof *os);
  }
  dnnl_memory_desc_t l, r, o, any;
  dnnl_matmul_desc_t desc;
  return dnnl_memory_desc_init_by_strides(&l, rank, ld, lhs, ls) == dnnl_success &&
         dnnl_memory_desc_init_by_strides(&r, rank, rd, rhs, rs) == dnnl_success &&
         dnnl_memory_desc_init_by_strides(&o, rank, od, out, os) == dnnl_success &&
         dnnl_memory_desc_init_by_tag(&any, rank, rd, rhs, dnnl_format_tag_any) == dnnl_success &&
         dnnl_matmul_desc_init(&desc, &l, packs ? &any : &r, NULL, &o) == dnnl_success &&
         plan_create(plan, &desc, NULL, &forward_arguments) && (!packs || create_pack(plan, &r));
}

static bool make_matmul(Plan *plan, const void *shape) { return create_matmul(plan, shape, false); }
static bool make_packed(Plan *plan, const void *shape) { return create_matmul(plan, shape, true); }

static void matmul_key(const MatmulShape *s, int64_t kind, int64_t *key) {
  int64_t words[] = {kind,     s->lhs_type, s->rhs_type,  s->out_type, s->batch, s->m,
                     s->n,     s->k,        s->lhs_batch, s->lhs_m,    s->lhs_k, s->rhs_batch,
                     s->rhs_k, s->rhs_n,    s->out_batch, s->out_m,    s->out_n};
  memset(key, 0, KEY_WORDS * sizeof *key);
  memcpy(key, words, sizeof words);
}

static const void *matmul_plan(const MatmulShape *s, size_t *out_scratch_bytes) {
  int64_t key[KEY_WORDS];
  matmul_key(s, 0, key);
  Plan *plan = plan_find(key, make_matmul, s);
  if (!plan || !plan->primitive) return NULL;
  *out_scratch_bytes = plan->scratch_bytes;
  return plan;
}

static const void *packed_plan(const MatmulShape *s, const void *like, size_t *out_scratch_bytes,
                               size_t *out_pack_bytes) {
  int64_t key[KEY_WORDS];
  matmul_key(s, 1, key);
  Plan *plan = plan_find(key, make_packed, s);
  if (!plan || !plan->primitive || !plan->pack) return NULL;
  const Plan *other = like;
  if (other && !dnnl_memory_desc_equal(&other->types[1], &plan->types[1])) return NULL;
  *out_scratch_bytes = plan->scratch_bytes;
  *out_pack_bytes = plan->pack_bytes;
  return plan;
}

static void matmul_run(const void *plan, const void *lhs, const void *rhs, void *out,
                       void *scratch) {
  union {
    const void *from;
    void *to;
  } l = {lhs}, r = {rhs};
  union {
    const void *from;
    Plan *to;
  } p = {plan};
  plan_execute(p.to, (void *const[]){l.to, r.to, out, scratch});
}

// ---- convolutions ----

// The sizes and strides of a convolution as oneDNN takes them.
typedef struct ConvTensors {
  int rank, weights_rank;
  dnnl_dims_t sd, dd, wd, ss, ds, ws, stride, dilation, low, high;
  dnnl_memory_desc_t src, dst, plain, any;
} ConvTensors;

static bool conv_tensors(const ConvShape *s, ConvTensors *t) {
  *t = (ConvTensors){.rank = 2 + (int)s->spatial};
  dnnl_data_type_t in, out;
  if (!type_of(s->in_type, &in) || !type_of(s->out_type, &out) ||
      (in == dnnl_f32 && out != dnnl_f32))
    return false;
  int w = 0, grouped = s->groups > 1;
  t->sd[0] = t->dd[0] = s->batch;
  t->sd[1] = s->groups * s->ic;
  t->dd[1] = s->groups * s->oc;
  if (grouped) t->wd[w++] = s->groups;
  t->wd[w++] = s->oc;
  t->wd[w++] = s->ic;
  for (uint32_t i = 0; i < s->spatial; i++) {
    t->sd[2 + i] = s->in[i];
    t->dd[2 + i] = s->out[i];
    t->wd[w++] = s->kernel[i];
    t->stride[i] = s->stride[i];
    t->dilation[i] = s->dilation[i] - 1;
    t->low[i] = s->low[i];
    t->high[i] = s->high[i];
  }
  t->weights_rank = w;
  memcpy(t->ss, s->src_strides, sizeof s->src_strides);
  memcpy(t->ds, s->dst_strides, sizeof s->dst_strides);
  memcpy(t->ws, s->weight_strides + !grouped, (size_t)w * sizeof *t->ws);
  dnnl_data_type_t src = s->kind == CONV_DATA ? out : in, dst = s->kind == CONV_FORWARD ? out : in,
                   weights = s->kind == CONV_WEIGHTS ? out : in;
  return dnnl_memory_desc_init_by_strides(&t->src, t->rank, t->sd, src, t->ss) == dnnl_success &&
         dnnl_memory_desc_init_by_strides(&t->dst, t->rank, t->dd, dst, t->ds) == dnnl_success &&
         dnnl_memory_desc_init_by_strides(&t->plain, w, t->wd, weights, t->ws) == dnnl_success &&
         dnnl_memory_desc_init_by_tag(&t->any, w, t->wd, weights, dnnl_format_tag_any) ==
             dnnl_success;
}

static bool create_conv(Plan *plan, const ConvShape *s, const ConvTensors *t) {
  dnnl_convolution_desc_t forward, desc;
  bool training = s->kind != CONV_FORWARD;
  if (dnnl_dilated_convolution_forward_desc_init(
          &forward, training ? dnnl_forward_training : dnnl_forward_inference,
          dnnl_convolution_direct, &t->src, &t->any, NULL, &t->dst, t->stride, t->dilation, t->low,
          t->high) != dnnl_success)
    return false;
  plan->weights = s->kind == CONV_WEIGHTS ? 2 : 1;
  if (!training) return plan_create(plan, &forward, NULL, &forward_arguments);
  dnnl_primitive_desc_t hint = NULL;
  if (dnnl_primitive_desc_create(&hint, &forward, NULL, library.engine, NULL) != dnnl_success)
    return false;
  dnnl_status_t status = s->kind == CONV_DATA
                             ? dnnl_dilated_convolution_backward_data_desc_init(
                                   &desc, dnnl_convolution_direct, &t->src, &t->any, &t->dst,
                                   t->stride, t->dilation, t->low, t->high)
                             : dnnl_dilated_convolution_backward_weights_desc_init(
                                   &desc, dnnl_convolution_direct, &t->src, &t->any, NULL, &t->dst,
                                   t->stride, t->dilation, t->low, t->high);
  bool ok =
      status == dnnl_success &&
      plan_create(plan, &desc, hint, s->kind == CONV_DATA ? &data_arguments : &weights_arguments);
  dnnl_primitive_desc_destroy(hint);
  return ok;
}

static bool make_conv(Plan *plan, const void *shape) {
  const ConvShape *s = shape;
  ConvTensors t;
  if (!conv_tensors(s, &t) || !create_conv(plan, s, &t)) return false;
  return create_pack(plan, &t.plain);
}

static const void *conv_plan(const ConvShape *s, size_t *out_scratch_bytes,
                             size_t *out_pack_bytes) {
  int64_t key[KEY_WORDS] = {
      2 + (int64_t)s->kind, s->in_type, s->out_type, s->spatial, s->batch, s->groups, s->ic, s->oc};
  int64_t *at = key + 8;
  for (uint32_t i = 0; i < s->spatial; i++) {
    int64_t row[] = {s->in[i],       s->kernel[i], s->out[i], s->stride[i],
                     s->dilation[i], s->low[i],    s->high[i]};
    memcpy(at, row, sizeof row);
    at += sizeof row / sizeof *row;
  }
  memcpy(key + 29, s->src_strides, sizeof s->src_strides);
  memcpy(key + 34, s->dst_strides, sizeof s->dst_strides);
  memcpy(key + 39, s->weight_strides, sizeof s->weight_strides);
  Plan *plan = plan_find(key, make_conv, s);
  if (!plan || !plan->primitive) return NULL;
  *out_scratch_bytes = plan->scratch_bytes;
  *out_pack_bytes = plan->pack_bytes;
  return plan;
}

static void plan_pack(const void *from_plan, const void *from, void *to) {
  const Plan *plan = from_plan;
  const dnnl_memory_desc_t *own = &plan->types[plan->weights];
  bool out = plan->weights == 2;
  union {
    const void *from;
    void *to;
  } source = {from};
  omp_set_num_threads(1);
  dnnl_stream_t stream = NULL;
  dnnl_memory_t a = NULL, b = NULL;
  if (dnnl_stream_create(&stream, library.engine, dnnl_stream_default_flags) != dnnl_success ||
      dnnl_memory_create(&a, out ? own : &plan->plain, library.engine, DNNL_MEMORY_NONE) !=
          dnnl_success ||
      dnnl_memory_create(&b, out ? &plan->plain : own, library.engine, to) != dnnl_success)
    abort();  // a kernel cannot fail: memory is exhausted
  dnnl_memory_set_data_handle(a, source.to);
  dnnl_exec_arg_t args[2] = {{DNNL_ARG_FROM, a}, {DNNL_ARG_TO, b}};
  dnnl_primitive_execute(plan->pack, stream, 2, args);
  dnnl_stream_wait(stream);
  dnnl_memory_destroy(b);
  dnnl_memory_destroy(a);
  dnnl_stream_destroy(stream);
}

EXPORT extern const MatmulEngine tsr_onednn_provider;
const MatmulEngine tsr_onednn_provider = {.version = MATMUL_VERSION,
                                          .name = "oneDNN",
                                          .plan = matmul_plan,
                                          .run = matmul_run,
                                          .conv_plan = conv_plan,
                                          .pack = plan_pack,
                                          .packed_plan = packed_plan,
                                          .conv_run = matmul_run};

#define TEXT_OF(x) #x
#define VERSION_OF(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)
EXPORT extern const char tsr_provider_text[];
const char tsr_provider_text[] =
    "oneDNN " VERSION_OF(DNNL_VERSION_MAJOR, DNNL_VERSION_MINOR, DNNL_VERSION_PATCH);
