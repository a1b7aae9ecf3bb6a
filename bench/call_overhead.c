// The time of one call of a compiled program of 10 small ops from C. Issue 14: at most 2 us.
//
//   build/bench/call_overhead      prints us per call: the best of many batches
//
// bench/call_overhead.py prints it beside the same call from Python and a jitted call of JAX.
#include <tessera/tessera.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char text[] = "func.func @main(%0: tensor<16xf32>) -> tensor<16xf32> {\n"
                           "  %1 = stablehlo.add %0, %0 : tensor<16xf32>\n"
                           "  %2 = stablehlo.tanh %1 : tensor<16xf32>\n"
                           "  %3 = stablehlo.add %2, %0 : tensor<16xf32>\n"
                           "  %4 = stablehlo.tanh %3 : tensor<16xf32>\n"
                           "  %5 = stablehlo.add %4, %0 : tensor<16xf32>\n"
                           "  %6 = stablehlo.tanh %5 : tensor<16xf32>\n"
                           "  %7 = stablehlo.add %6, %0 : tensor<16xf32>\n"
                           "  %8 = stablehlo.tanh %7 : tensor<16xf32>\n"
                           "  %9 = stablehlo.add %8, %0 : tensor<16xf32>\n"
                           "  %10 = stablehlo.tanh %9 : tensor<16xf32>\n"
                           "  return %10 : tensor<16xf32>\n"
                           "}\n";

static void check(tsr_error *error) {
  if (!error) return;
  fprintf(stderr, "%s\n", tsr_error_message(error));
  exit(2);
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void) {
  enum { BATCHES = 400, CALLS = 500 };
  tsr_program *program = NULL;
  tsr_executable *executable = NULL;
  check(tsr_program_load(text, strlen(text), NULL, &program));
  check(tsr_program_compile(program, NULL, NULL, &executable));
  static const int64_t dim = 16;
  _Alignas(64) static float x[16], y[16];
  for (int i = 0; i < 16; i++) x[i] = (float)i / 16;
  tsr_buffer in = {.struct_size = sizeof in, .dtype = TSR_F32, .rank = 1, .dims = &dim, .data = x},
             out = in;
  out.data = y;
  double best = 1;
  for (int b = 0; b < BATCHES; b++) {
    double start = seconds();
    for (int i = 0; i < CALLS; i++) check(tsr_executable_run(executable, 1, &in, 1, &out));
    double each = (seconds() - start) / (double)CALLS;
    if (each < best) best = each;
  }
  printf("%.3f us per call of 10 ops from C (must 2.0)\n", best * 1e6);
  tsr_executable_free(executable);
  tsr_program_free(program);
  return best <= 2e-6 ? 0 : 1;
}
