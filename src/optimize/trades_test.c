// Given choices of passes are found by pass, op and ask; each is used once.
#include "optimize/trades.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ops/op.h"
#include "parse/parse.h"

typedef struct Case {
  Source source;
  Context *context;
  Program *p;
  Diag diag;
  Arena arena;
  Trades trades;
} Case;

static const char text[] = "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
                           "  %0 = stablehlo.tanh %a : tensor<4xf32>\n"
                           "  %1 = stablehlo.negate %0 : tensor<4xf32>\n"
                           "  return %1 : tensor<4xf32>\n"
                           "}\n";

static OpId find(const Case *c, uint16_t code) {
  for (OpId o = c->p->root; o; o = op_walk_next(c->p, o, c->p->root))
    if (op_at(c->p, o)->code == code) return o;
  return 0;
}

static Status *ask(Guard *guard, void *arg) {
  Case *c = arg;
  c->source = (Source){.path = "test.mlir", .text = text, .size = sizeof text - 1};
  arena_init(&c->arena, guard);
  diag_init(&c->diag, guard, &c->source);
  c->context = context_new(guard);
  TRY(program_parse(c->context, guard, &c->source, 0, c->source.size, &(ParseOptions){0}, &c->diag,
                    &c->p));
  OpId tanh = find(c, OP_tanh), negate = find(c, OP_negate);
  op_at(c->p, tanh)->origin = tanh;
  op_at(c->p, negate)->origin = negate;
  c->trades = (Trades){.arena = &c->arena, .guard = guard};
  Trades *t = &c->trades;
  trades_give(t, &(Trade){.pass = PASS_share, .origin = tanh, .ask = 1, .taken = true});
  trades_give(t, &(Trade){.pass = PASS_carry, .origin = tanh, .taken = false});
  trades_give(t, &(Trade){.pass = PASS_carry, .origin = tanh, .ask = 1, .taken = false});
  trades_give(t, &(Trade){.pass = PASS_carry, .origin = negate, .taken = true, .line = 3});

  // Without trades, and where none is given, the rule of the pass holds.
  assert_true(trades_ask(NULL, PASS_share, c->p, tanh, 8, true));
  assert_false(trades_ask(NULL, PASS_share, c->p, tanh, 8, false));
  assert_false(trades_ask(t, PASS_share, c->p, tanh, 8, false));
  assert_true(trades_ask(t, PASS_invariant, c->p, tanh, 8, true));
  // The second ask is another choice, and so is one of another pass. It holds for later asks.
  assert_true(trades_ask(t, PASS_share, c->p, tanh, 16, false));
  assert_true(trades_ask(t, PASS_share, c->p, tanh, 16, false));
  assert_false(trades_ask(t, PASS_carry, c->p, tanh, 32, true));
  assert_int_equal(trades_unused(t)->line, 3);
  assert_true(trades_ask(t, PASS_carry, c->p, negate, 64, false));
  // Nobody asks about carry at tanh again: "no" is obeyed, "yes" would not be.
  assert_null(trades_unused(t));
  trades_give(t, &(Trade){.pass = PASS_carry, .origin = tanh, .ask = 2, .taken = true, .line = 9});
  assert_int_equal(trades_unused(t)->line, 9);

  assert_int_equal(t->made.count, 6);
  const Trade *made = t->made.items;
  assert_true(made[0].ask == 0 && !made[0].taken && made[0].bytes == 8);
  assert_true(made[2].ask == 1 && made[2].taken && made[2].origin == tanh);
  assert_true(made[3].ask == 2 && made[3].taken);
  assert_true(made[5].pass == PASS_carry && made[5].origin == negate && made[5].bytes == 64);
  return NULL;
}

static void test_trades(void **state) {
  (void)state;
  Case c = {.p = NULL};
  assert_null(guard_run(ask, &c));
  trades_deinit(&c.trades);
  program_free(c.p);
  diag_deinit(&c.diag);
  arena_deinit(&c.arena);
  context_free(c.context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_trades)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
