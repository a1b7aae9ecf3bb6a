/* A sharding rule for a custom call that Tessera does not know.
 *
 *   cc -std=c11 rules.c $(pkg-config --cflags --libs tessera) && ./a.out
 */
#include <stdio.h>
#include <string.h>

#include <tessera/tessera.h>

static const char program[] =
    "func.func @main(%x: tensor<8x4xf32>) -> (tensor<4x8xf32>, tensor<8xf32>) {\n"
    "  %0 = stablehlo.custom_call @my.flip(%x) : (tensor<8x4xf32>) -> tensor<4x8xf32>\n"
    "  %1 = stablehlo.custom_call @my.softmax_max(%x) : (tensor<8x4xf32>) -> tensor<8xf32>\n"
    "  return %0, %1 : tensor<4x8xf32>, tensor<8xf32>\n"
    "}\n";

/* The rule of all other custom calls: each row is reduced to a number by max. */
static const char *rows(void *user, const tsr_custom_call *call) {
  (void)user;
  int fits = call->n_operands == 1 && call->operands[0]->rank == 2 && call->n_results == 1 &&
             call->results[0]->rank == 1;
  return fits ? "([i, j])->([i]) reduction={j:max}" : NULL;
}

static int failed(tsr_error *error) {
  if (!error) return 0;
  fprintf(stderr, "%s\n", tsr_error_message(error));
  tsr_error_free(error);
  return 1;
}

int main(void) {
  const char *annotation = "0=P(\"data\")"; /* shards the rows of argument 0 */
  tsr_rules *rules = NULL;
  tsr_program *p = NULL;
  tsr_propagate_options options;
  int bad;
  size_t i;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.mesh = "data=4";
  options.n_rules = 1;
  options.rules = &annotation;
  options.close = 1;
  bad = failed(tsr_rules_new(&rules)) ||
        failed(tsr_rules_add(rules, "my.flip", "([i, j])->([j, i])")) ||
        failed(tsr_rules_add_callback(rules, NULL, rows, NULL)) ||
        failed(tsr_program_load(program, sizeof program - 1, NULL, &p));
  options.call_rules = rules;
  bad = bad || failed(tsr_program_propagate(p, &options, NULL));
  for (i = 0; i < 2 && !bad; i++) {
    char *text = NULL;
    bad = failed(tsr_program_result_sharding(p, 0, i, TSR_SDY, &text));
    if (!bad) printf("result %zu: %s\n", i, text ? text : "not sharded");
    tsr_text_free(text);
  }
  tsr_program_free(p);
  tsr_rules_free(rules);
  return bad;
}
