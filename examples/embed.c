/* Evaluates and shards a StableHLO program from C, or from C++ (c++ -std=c++20 -x c++ embed.c …).
 *
 *   cc embed.c $(pkg-config --cflags --libs tessera) -o embed && ./embed
 *
 * With a PREFIX of your own, export PKG_CONFIG_PATH=PREFIX/lib/pkgconfig to build it and
 * LD_LIBRARY_PATH=PREFIX/lib to run it.
 */
#include <stdio.h>

#include <tessera/tessera.h>

static const char program_text[] =
    "func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x2xf32>) -> tensor<2x2xf32> {\n"
    "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]\n"
    "      : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>\n"
    "  %1 = stablehlo.tanh %0 : tensor<2x2xf32>\n"
    "  return %1 : tensor<2x2xf32>\n"
    "}\n";

static int failed(tsr_error *error) {
  if (!error) return 0;
  fprintf(stderr, "embed: %s\n", tsr_error_message(error));
  tsr_error_free(error);
  return 1;
}

int main(void) {
  tsr_program *program = NULL;
  if (failed(tsr_program_load(program_text, sizeof program_text - 1, NULL, &program))) return 1;

  tsr_function_info info = {.struct_size = sizeof info};
  if (failed(tsr_program_function(program, 0, &info))) return 1;
  printf("tessera %s: @%s takes %zu arguments, has %zu ops\n", tsr_version(), info.name,
         info.n_arguments, info.n_ops);

  float x[6] = {1, 0, -1, 0.5f, 0.25f, 0}, w[6] = {1, 2, 3, 4, 5, 6};
  int64_t x_dims[2] = {2, 3}, w_dims[2] = {3, 2};
  tsr_buffer inputs[2] = {
      {.struct_size = sizeof(tsr_buffer), .dtype = TSR_F32, .rank = 2, .dims = x_dims, .data = x},
      {.struct_size = sizeof(tsr_buffer), .dtype = TSR_F32, .rank = 2, .dims = w_dims, .data = w},
  };
  tsr_buffer output = {.struct_size = sizeof output};
  if (failed(tsr_program_evaluate(program, "main", NULL, 2, inputs, 1, &output))) {
    tsr_program_free(program);
    return 1;
  }
  const float *y = (const float *)output.data;
  printf("[[%g, %g], [%g, %g]]\n", (double)y[0], (double)y[1], (double)y[2], (double)y[3]);
  tsr_buffer_free(&output);

  // Shards the rows of x over two devices. Propagation infers the other shardings.
  const char *rules[] = {"x=P(\"data\")"};
  tsr_propagate_options options = {
      .struct_size = sizeof options, .mesh = "data=2", .n_rules = 1, .rules = rules};
  char *sharding = NULL;
  if (failed(tsr_program_propagate(program, &options, NULL)) ||
      failed(tsr_program_result_sharding(program, 0, 0, TSR_SDY, &sharding))) {
    tsr_program_free(program);
    return 1;
  }
  printf("the result is %s\n", sharding);
  tsr_text_free(sharding);
  tsr_program_free(program);
  return 0;
}
