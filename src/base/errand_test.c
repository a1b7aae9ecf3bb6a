#include "base/errand.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { THREADS = 4, EACH = 100 };

typedef struct Shop {
  pthread_t caller;
  Errands *errands;
  int count;  // only errands access it
  bool elsewhere;
} Shop;

static void count_one(void *arg) {
  Shop *shop = arg;
  shop->elsewhere |= !pthread_equal(pthread_self(), shop->caller);
  shop->count++;
}

static void *ask(void *arg) {
  Shop *shop = arg;
  for (int i = 0; i < EACH; i++) errand(shop->errands, count_one, shop);
  return NULL;
}

static Status *many_threads(Errands *errands, void *arg) {
  Shop *shop = arg;
  shop->errands = errands;
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, ask, shop);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  FAIL(ABORTED, "%d", shop->count);
}

static void test_on_the_calling_thread(void **state) {
  (void)state;
  Shop shop = {.caller = pthread_self()};
  Status *status = errands_run(many_threads, &shop);
  assert_int_equal(status_code(status), ABORTED);
  assert_string_equal(status_message(status), "400");
  status_free(status);
  assert_int_equal(shop.count, THREADS * EACH);
  assert_false(shop.elsewhere);
}

static Status *no_errand(Errands *errands, void *arg) {
  (void)errands, (void)arg;
  return NULL;
}

static void test_none(void **state) {
  (void)state;
  assert_null(errands_run(no_errand, NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_on_the_calling_thread),
                                     cmocka_unit_test(test_none)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
