// Speed of kernels: GFLOP/s or GB/s of instances in the shapes of models, on one thread and on as
// many as there are cores. Beside them memcpy and triad, and the provider's best for products.
//
//   build/bench/kernels [text]      instances whose name contains the text
//
// The best of several runs counts (one thread: CPU time, several: wall time); buffers are 64-byte
// aligned and touched before.
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "execute/kernels/kernel_fixture.h"
#include "ops/infer.h"

typedef struct Instance {
  const char *name;
  double flops, bytes;  // of one run; 0: not reported
  const char *text;
  int64_t low, high;
} Instance;

#define DOT(l, r, o, numbers)                                                                      \
  "func.func @main(%a: tensor<" l ">, %b: tensor<" r ">) -> tensor<" o "> {\n"                     \
  "  %0 = stablehlo.dot_general %a, %b, " numbers " : (tensor<" l ">, tensor<" r ">) -> tensor<" o \
  ">\n  return %0 : tensor<" o ">\n}\n"
#define CONV(l, r, o, numbers, window, attrs)                                                      \
  "func.func @main(%a: tensor<" l ">, %b: tensor<" r ">) -> tensor<" o "> {\n"                     \
  "  %0 = stablehlo.convolution(%a, %b) dim_numbers = " numbers ", window = {" window "} {" attrs  \
  "} : (tensor<" l ">, tensor<" r ">) -> tensor<" o ">\n  return %0 : tensor<" o ">\n}\n"
#define UNARY(op, i, o)                                                                            \
  "func.func @main(%a: tensor<" i ">) -> tensor<" o "> {\n  %0 = stablehlo." op " : (tensor<" i    \
  ">) -> tensor<" o ">\n  return %0 : tensor<" o ">\n}\n"
#define G1 "batch_group_count = 1 : i64, feature_group_count = 1 : i64"
#define NN "contracting_dims = [1] x [0]"
#define NT "contracting_dims = [1] x [1]"
#define TN "contracting_dims = [0] x [0]"
#define MB 1e6

static const Instance instances[] = {
    {"matmul f32 1024x768x768 NN", 2 * 1024. * 768 * 768, 0,
     DOT("1024x768xf32", "768x768xf32", "1024x768xf32", NN), 0, 0},
    {"matmul f32 1024x768x3072 NN", 2 * 1024. * 768 * 3072, 0,
     DOT("1024x768xf32", "768x3072xf32", "1024x3072xf32", NN), 0, 0},
    {"matmul f32 1024x3072x768 NT", 2 * 1024. * 768 * 3072, 0,
     DOT("1024x3072xf32", "768x3072xf32", "1024x768xf32", NT), 0, 0},
    {"matmul f32 768x1024x3072 TN", 2 * 1024. * 768 * 3072, 0,
     DOT("1024x768xf32", "1024x3072xf32", "768x3072xf32", TN), 0, 0},
    {"matmul f32 1024x768x50257 NT", 2 * 1024. * 768 * 50257, 0,
     DOT("1024x768xf32", "50257x768xf32", "1024x50257xf32", NT), 0, 0},
    {"matmul f32 attention", 2 * 48. * 256 * 256 * 64, 0,
     DOT("4x256x12x64xf32", "4x256x12x64xf32", "4x12x256x256xf32",
         "batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3]"),
     0, 0},
    {"matmul bf16 1024x768x3072 NN", 2 * 1024. * 768 * 3072, 0,
     DOT("1024x768xbf16", "768x3072xbf16", "1024x3072xbf16", NN), 0, 0},
    {"matmul bf16 1024x3072x768 NT", 2 * 1024. * 768 * 3072, 0,
     DOT("1024x3072xbf16", "768x3072xbf16", "1024x768xbf16", NT), 0, 0},
    {"matmul bf16 768x1024x3072 TN", 2 * 1024. * 768 * 3072, 0,
     DOT("1024x768xbf16", "1024x3072xbf16", "768x3072xbf16", TN), 0, 0},
    {"matmul f32 1x4096x4096", 2 * 4096. * 4096, 4 * 4096. * 4096,
     DOT("1x4096xf32", "4096x4096xf32", "1x4096xf32", NN), 0, 0},
    {"matmul f32 1x4096x4096 NT", 2 * 4096. * 4096, 4 * 4096. * 4096,
     DOT("1x4096xf32", "4096x4096xf32", "1x4096xf32", NT), 0, 0},
    {"matmul f32 16x4096x4096", 2 * 16 * 4096. * 4096, 4 * 4096. * 4096,
     DOT("16x4096xf32", "4096x4096xf32", "16x4096xf32", NN), 0, 0},
    {"matmul bf16 1x4096x4096", 2 * 4096. * 4096, 2 * 4096. * 4096,
     DOT("1x4096xbf16", "4096x4096xbf16", "1x4096xbf16", NN), 0, 0},
    {"matmul bf16 16x4096x4096", 2 * 16 * 4096. * 4096, 2 * 4096. * 4096,
     DOT("16x4096xbf16", "4096x4096xbf16", "16x4096xbf16", NN), 0, 0},
    {"matmul f32 64x256x1024 (LSTM)", 2 * 64. * 256 * 1024, 0,
     DOT("64x256xf32", "256x1024xf32", "64x1024xf32", NN), 0, 0},
    {"convolution 32x16x16x128 3x3", 2 * 32. * 256 * 128 * 128 * 9, 0,
     CONV("32x16x16x128xf32", "3x3x128x128xf32", "32x16x16x128xf32",
          "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", "pad = [[1, 1], [1, 1]]", G1),
     0, 0},
    {"convolution gradient of input, stride 2", 2 * 32. * 64 * 128 * 256 * 9, 0,
     CONV("32x8x8x256xf32", "3x3x128x256xf32", "32x16x16x128xf32",
          "[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]",
          "pad = [[2, 1], [2, 1]], lhs_dilate = [2, 2], reverse = [true, true]", G1),
     0, 0},
    {"convolution gradient of weights", 2 * 32. * 256 * 128 * 128 * 9, 0,
     CONV("32x16x16x128xf32", "32x16x16x128xf32", "3x3x128x128xf32",
          "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]", "pad = [[1, 1], [1, 1]]", G1),
     0, 0},
    {"convolution depthwise", 2 * 8. * 56 * 56 * 128 * 9, 0,
     CONV("8x56x56x128xf32", "3x3x1x128xf32", "8x56x56x128xf32",
          "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", "pad = [[1, 1], [1, 1]]",
          "batch_group_count = 1 : i64, feature_group_count = 128 : i64"),
     0, 0},
    {"transpose 4096x4096", 0, 8 * 4096. * 4096,
     UNARY("transpose %a, dims = [1, 0]", "4096x4096xf32", "4096x4096xf32"), 0, 0},
    {"transpose bf16 4096x4096", 0, 4 * 4096. * 4096,
     UNARY("transpose %a, dims = [1, 0]", "4096x4096xbf16", "4096x4096xbf16"), 0, 0},
    {"transpose heads", 0, 8 * 4. * 256 * 768,
     UNARY("transpose %a, dims = [0, 2, 1, 3]", "4x256x12x64xf32", "4x12x256x64xf32"), 0, 0},
    {"copy 64 MB", 0, 128 * MB, UNARY("reshape %a", "16000000xf32", "4000x4000xf32"), 0, 0},
    {"gather rows 50257x768", 0, 2 * 4 * 4096. * 768,
     "func.func @main(%a: tensor<50257x768xf32>, %i: tensor<4096x1xi32>) -> tensor<4096x768xf32> "
     "{\n  %0 = \"stablehlo.gather\"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = "
     "[1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = "
     "array<i64: 1, 768>}> : (tensor<50257x768xf32>, tensor<4096x1xi32>) -> tensor<4096x768xf32>\n "
     " return %0 : tensor<4096x768xf32>\n}\n",
     0, 50256},
    {"gather elements 1M", 0, 12 * MB,
     "func.func @main(%a: tensor<1000000xf32>, %i: tensor<1000000x1xi32>) -> tensor<1000000xf32> "
     "{\n  %0 = \"stablehlo.gather\"(%a, %i) <{dimension_numbers = "
     "#stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, "
     "slice_sizes = array<i64: 1>}> : (tensor<1000000xf32>, tensor<1000000x1xi32>) -> "
     "tensor<1000000xf32>\n  return %0 : tensor<1000000xf32>\n}\n",
     0, 999999},
    {"scatter-add rows", 0, 3 * 4 * 4096. * 768,
     "func.func @main(%a: tensor<50257x768xf32>, %i: tensor<4096x1xi32>, %u: tensor<4096x768xf32>) "
     "-> tensor<50257x768xf32> {\n  %0 = \"stablehlo.scatter\"(%a, %i, %u) "
     "<{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], "
     "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n "
     " ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    %s = stablehlo.add %x, %y : tensor<f32>\n    "
     "stablehlo.return %s : tensor<f32>\n  }) : (tensor<50257x768xf32>, tensor<4096x1xi32>, "
     "tensor<4096x768xf32>) -> tensor<50257x768xf32>\n  return %0 : tensor<50257x768xf32>\n}\n",
     0, 50256},
    {"segment sum 1M", 0, 12 * MB,
     "func.func @main(%a: tensor<1000xf32>, %i: tensor<1000000x1xi32>, %u: tensor<1000000xf32>) -> "
     "tensor<1000xf32> {\n  %0 = \"stablehlo.scatter\"(%a, %i, %u) <{scatter_dimension_numbers = "
     "#stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
     "index_vector_dim = 1>}> ({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    %s = "
     "stablehlo.add %x, %y : tensor<f32>\n    stablehlo.return %s : tensor<f32>\n  }) : "
     "(tensor<1000xf32>, tensor<1000000x1xi32>, tensor<1000000xf32>) -> tensor<1000xf32>\n  return "
     "%0 : tensor<1000xf32>\n}\n",
     0, 999},
    {"segment sum rows 65536x64", 0, 4 * 65536. * 64,
     "func.func @main(%a: tensor<1000x64xf32>, %i: tensor<65536x1xi32>, %u: tensor<65536x64xf32>) "
     "-> tensor<1000x64xf32> {\n  %0 = \"stablehlo.scatter\"(%a, %i, %u) "
     "<{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], "
     "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n "
     " ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    %s = stablehlo.add %x, %y : tensor<f32>\n    "
     "stablehlo.return %s : tensor<f32>\n  }) : (tensor<1000x64xf32>, tensor<65536x1xi32>, "
     "tensor<65536x64xf32>) -> tensor<1000x64xf32>\n  return %0 : tensor<1000x64xf32>\n}\n",
     0, 999},
    {"rfft 512x4096", 0, 8 * 512. * 4096,
     "func.func @main(%a: tensor<512x4096xf32>) -> tensor<512x2049xcomplex<f32>> {\n  %0 = "
     "stablehlo.fft %a, type = RFFT, length = [4096] : (tensor<512x4096xf32>) -> "
     "tensor<512x2049xcomplex<f32>>\n  return %0 : tensor<512x2049xcomplex<f32>>\n}\n",
     0, 0},
    {"fft 512x4096", 0, 16 * 512. * 4096,
     "func.func @main(%a: tensor<512x4096xcomplex<f32>>) -> tensor<512x4096xcomplex<f32>> {\n  %0 "
     "= stablehlo.fft %a, type = FFT, length = [4096] : (tensor<512x4096xcomplex<f32>>) -> "
     "tensor<512x4096xcomplex<f32>>\n  return %0 : tensor<512x4096xcomplex<f32>>\n}\n",
     0, 0},
    {"reduce rows 4096x4096", 0, 4 * 4096. * 4096,
     "func.func @main(%a: tensor<4096x4096xf32>, %b: tensor<f32>) -> tensor<4096xf32> {\n  %0 = "
     "stablehlo.reduce(%a init: %b) applies stablehlo.add across dimensions = [1] : "
     "(tensor<4096x4096xf32>, tensor<f32>) -> tensor<4096xf32>\n  return %0 : "
     "tensor<4096xf32>\n}\n",
     0, 0},
    {"reduce columns 4096x4096", 0, 4 * 4096. * 4096,
     "func.func @main(%a: tensor<4096x4096xf32>, %b: tensor<f32>) -> tensor<4096xf32> {\n  %0 = "
     "stablehlo.reduce(%a init: %b) applies stablehlo.add across dimensions = [0] : "
     "(tensor<4096x4096xf32>, tensor<f32>) -> tensor<4096xf32>\n  return %0 : "
     "tensor<4096xf32>\n}\n",
     0, 0},
    {"cumsum 4096x4096", 0, 8 * 4096. * 4096,
     "func.func @main(%a: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {\n  %b = "
     "stablehlo.constant dense<0.0> : tensor<f32>\n  %0 = \"stablehlo.reduce_window\"(%a, %b) "
     "<{padding = dense<[[0, 0], [4095, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, "
     "4096>}> ({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    %s = stablehlo.add %x, %y : "
     "tensor<f32>\n    stablehlo.return %s : tensor<f32>\n  }) : (tensor<4096x4096xf32>, "
     "tensor<f32>) -> tensor<4096x4096xf32>\n  return %0 : tensor<4096x4096xf32>\n}\n",
     0, 0},
    {"sort i32 1M", 0, 8 * MB,
     "func.func @main(%a: tensor<1000000xi32>) -> tensor<1000000xi32> {\n  %0 = "
     "\"stablehlo.sort\"(%a) <{dimension = 0 : i64, is_stable = true}> ({\n  ^bb0(%x: tensor<i32>, "
     "%y: tensor<i32>):\n    %c = stablehlo.compare LT, %x, %y, SIGNED : (tensor<i32>, "
     "tensor<i32>) -> tensor<i1>\n    stablehlo.return %c : tensor<i1>\n  }) : "
     "(tensor<1000000xi32>) -> tensor<1000000xi32>\n  return %0 : tensor<1000000xi32>\n}\n",
     -1000000000, 1000000000},
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Of this thread: other processes do not count.
static double cpu_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- tiles on several threads ----

typedef struct Team {
  const Kernel *kernel;
  void *const *buffers;
  atomic_uint next;
} Team;

static void *work(void *arg) {
  Team *team = arg;
  size_t bytes = (team->kernel->scratch_bytes + 127) / 64 * 64;
  void *scratch = aligned_alloc(64, bytes);
  for (uint32_t tile; (tile = atomic_fetch_add(&team->next, 1)) < team->kernel->n_tiles;)
    team->kernel->run(team->kernel, team->buffers, tile, scratch);
  free(scratch);
  return NULL;
}

static void run_on(const Kernel *kernel, void *const *buffers, int threads) {
  for (; kernel; kernel = kernel->next) {
    Team team = {.kernel = kernel, .buffers = buffers};
    pthread_t others[64];
    int n = kernel->n_tiles < (uint32_t)threads ? (int)kernel->n_tiles : threads;
    for (int i = 1; i < n; i++) pthread_create(&others[i], NULL, work, &team);
    work(&team);
    for (int i = 1; i < n; i++) pthread_join(others[i], NULL);
  }
}

static char *filled(DType type, int64_t count, const Instance *in) {
  size_t bytes = ((size_t)count * (size_t)dtype_bytes(type) + 127) / 64 * 64;
  char *data = aligned_alloc(64, bytes);
  if (!data) abort();
  memset(data, 0, bytes);
  uint64_t x = 1;
  for (int64_t i = 0; i < count; i++) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    bool real = dtype_is_float(type);
    double f = (double)(int64_t)(x >> 40) / 8388608 - 1;
    int64_t range = in->high - in->low + 1;
    dtype_store(type, data, i,
                real ? scalar_f(f) : scalar_i(in->low + (int64_t)((x >> 20) % (uint64_t)range)));
  }
  return data;
}

static Status *bench(Guard *guard, void *arg) {
  const Instance *in = arg;
  KernelFixture f = {0};
  f.context = context_new(guard);
  arena_init(&f.arena, guard);
  Source source = {.path = in->name, .text = in->text, .size = strlen(in->text)};
  Diag diag;
  diag_init(&diag, guard, &source);
  Status *status = program_parse(f.context, guard, &source, 0, source.size, &(ParseOptions){0},
                                 &diag, &f.program);
  if (!status && !program_verify(f.program, &diag)) status = diag_status(&diag);
  diag_deinit(&diag);
  OpId function = 0;
  if (!status) status = evaluate_entry(f.program, NULL, &function);
  if (status) return status;
  OpId op = fixture_op(f.program, function);
  Kernel kernel = {0};
  KernelMaker maker = kernel_maker(op_at(f.program, op)->code);
  double start = now();
  if (!maker ||
      !maker(&(KernelRequest){.program = f.program, .arena = &f.arena, .op = op}, &kernel)) {
    printf("%-42s no kernel\n", in->name);
    return NULL;
  }
  double made = now() - start;
  uint32_t n = 0;
  void *buffers[16];
  size_t temp = 64;
  for (uint32_t i = 0; i < op_at(f.program, op)->n_operands; i++) {
    Type type = op_operand_type(f.program, op, i);
    int64_t count = 0;
    (void)type_count(f.context, type, &count);
    buffers[n++] = filled(type_dtype(f.context, type), count, in);
  }
  // In place where the kernel allows it.
  for (uint32_t i = 0; i < op_at(f.program, op)->n_results; i++) {
    Type type = op_result_type(f.program, op, i);
    int64_t count = 0;
    (void)type_count(f.context, type, &count);
    bool shared = kernel.in_place && kernel.in_place[i] != KERNEL_APART;
    buffers[n++] =
        shared ? buffers[kernel.in_place[i]] : filled(type_dtype(f.context, type), count, in);
  }
  uint32_t stages = 0;
  for (const Kernel *k = &kernel; k; k = k->next, stages++)
    if (k->temp_bytes > temp) temp = k->temp_bytes;
  buffers[n] = aligned_alloc(64, (temp + 63) / 64 * 64);
  memset(buffers[n], 0, temp);
  int cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
  double best[2] = {1e9, 1e9};
  for (int t = 0; t < 2; t++) {
    double until = now() + 0.4;
    for (int i = 0; i < 5 || (now() < until && i < 1000); i++) {
      double begin = t ? now() : cpu_now();
      run_on(&kernel, buffers, t ? cores : 1);
      double took = (t ? now() : cpu_now()) - begin;
      if (took < best[t]) best[t] = took;
    }
  }
  double unit = in->flops > 0 ? in->flops : in->bytes;
  printf("%-42s %9.3f ms  %7.1f %s on 1 thread, %7.1f on %d; %s, %u tiles, %u stages, made in %.2f "
         "ms\n",
         in->name, best[0] * 1e3, unit / best[0] * 1e-9, in->flops > 0 ? "GFLOP/s" : "GB/s",
         unit / best[1] * 1e-9, cores, kernel.name, kernel.n_tiles, stages, made * 1e3);
  arena_deinit(&f.arena);
  program_free(f.program);
  context_free(f.context);
  return NULL;
}

static void bench_memory(void) {
  enum { COUNT = 16 << 20 };
  float *a = aligned_alloc(64, COUNT * sizeof *a), *b = aligned_alloc(64, COUNT * sizeof *b),
        *c = aligned_alloc(64, COUNT * sizeof *c);
  memset(a, 1, COUNT * sizeof *a);
  memset(b, 1, COUNT * sizeof *b);
  memset(c, 1, COUNT * sizeof *c);
  double copy = 1e9, triad = 1e9;
  for (int i = 0; i < 10; i++) {
    double start = cpu_now();
    memcpy(a, b, COUNT * sizeof *a);
    if (cpu_now() - start < copy) copy = cpu_now() - start;
    start = cpu_now();
    for (int64_t k = 0; k < COUNT; k++) a[k] = b[k] + 3 * c[k];
    if (cpu_now() - start < triad) triad = cpu_now() - start;
  }
  printf("%-42s %9.3f ms  %7.1f GB/s on 1 thread\n", "memcpy 64 MB", copy * 1e3,
         2e-9 * (double)COUNT * sizeof *a / copy);
  printf("%-42s %9.3f ms  %7.1f GB/s on 1 thread\n", "triad 64 MB", triad * 1e3,
         3e-9 * (double)COUNT * sizeof *a / triad);
  free(a), free(b), free(c);
}

int main(int argc, char **argv) {
  bench_memory();
  for (size_t i = 0; i < sizeof instances / sizeof *instances; i++) {
    Instance in = instances[i];
    if (argc > 1 && !strstr(in.name, argv[1])) continue;
    Status *status = guard_run(bench, &in);
    if (status) printf("%s: %s\n", in.name, status_message(status));
    status_free(status);
    fflush(stdout);
  }
  return 0;
}
