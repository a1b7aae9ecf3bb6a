// NumPy files: round trips; hostile files are refused with a reason.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "evaluate/npy.h"

typedef struct Fixture {
  Context *context;
  LiteralHeap heap;
  Arena arena;
  StrBuf text;
} Fixture;

static Literal *make(Fixture *f, DType dtype, uint32_t rank, const int64_t *dims) {
  Literal *l = literal_new(&f->heap, f->context, type_scalar(dtype), rank, dims);
  for (int64_t i = 0; i < l->count; i++)
    literal_set(l, i,
                dtype_is_float(dtype) || dtype_is_complex(dtype) ? scalar_c((double)i - 1.5, 2)
                                                                 : scalar_i(i - 1));
  return l;
}

static Status *round_trip(Guard *guard, void *arg) {
  Fixture *f = arg;
  f->context = context_new(guard);
  literal_heap_init(&f->heap, guard, 0);
  arena_init(&f->arena, guard);
  strbuf_init(&f->text, guard);
  static const DType types[] = {DT_i1,   DT_i4,  DT_i8,  DT_i64, DT_ui2, DT_ui64, DT_f8E5M2,
                                DT_bf16, DT_f16, DT_f32, DT_f64, DT_c64, DT_c128};
  for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
    for (uint32_t rank = 0; rank < 4; rank++) {
      const int64_t dims[3] = {2, rank == 3 ? 0 : 3, 4};
      Literal *l = make(f, types[t], rank, dims), *back;
      f->text.used = 0;
      npy_write(l, &f->text);
      assert_int_equal((f->text.used - (size_t)l->count * (size_t)dtype_bytes(types[t])) % 64, 0);
      TRY(npy_read(&f->heap, f->context, "x", f->text.data, f->text.used, type_scalar(types[t]),
                   &back));
      assert_true(literal_same_shape(l, back));
      assert_memory_equal(l->data, back->data, (size_t)l->count * (size_t)dtype_bytes(types[t]));
      // Truncated anywhere, it is refused.
      for (size_t n = 0; n < f->text.used && rank < 3; n += 7) {
        Status *status =
            npy_read(&f->heap, f->context, "x", f->text.data, n, type_scalar(types[t]), &back);
        assert_non_null(status);
        status_free(status);
      }
    }
  }
  return NULL;
}

static void finish(Fixture *f, Status *status) {
  literal_heap_deinit(&f->heap);
  strbuf_deinit(&f->text);
  arena_deinit(&f->arena);
  context_free(f->context);
  if (status) fail_msg("%s", status_message(status));
}

static void test_round_trip(void **state) {
  (void)state;
  Fixture f = {0};
  Status *status = guard_run(round_trip, &f);
  finish(&f, status);
}

static Status *archive(Guard *guard, void *arg) {
  Fixture *f = arg;
  f->context = context_new(guard);
  literal_heap_init(&f->heap, guard, 0);
  arena_init(&f->arena, guard);
  strbuf_init(&f->text, guard);
  const int64_t dims[2] = {2, 3};
  Literal *literals[2] = {make(f, DT_f32, 2, dims), make(f, DT_i64, 0, NULL)};
  const char *names[2] = {"x", "a long name"};
  npz_write(2, names, literals, &f->text);
  assert_true(npz_is(f->text.data, f->text.used));
  uint32_t n;
  NpzEntry *entries;
  TRY(npz_list(&f->arena, "z", f->text.data, f->text.used, &n, &entries));
  assert_int_equal(n, 2);
  assert_true(str_is(entries[1].name, "a long name"));
  Literal *back;
  TRY(npy_read(&f->heap, f->context, "z", entries[0].data, entries[0].bytes, 0, &back));
  assert_memory_equal(back->data, literals[0]->data, 24);
  // Every byte damaged in turn: a result or an error, never a crash (under a sanitizer).
  char *copy = arena_copy(&f->arena, f->text.data, f->text.used);
  for (size_t i = 0; i < f->text.used; i++) {
    copy[i] = (char)~copy[i];
    ArenaMark mark = arena_mark(&f->arena);
    Status *status = npz_list(&f->arena, "z", copy, f->text.used, &n, &entries);
    for (uint32_t k = 0; !status && k < n; k++) {
      status = npy_read(&f->heap, f->context, "z", entries[k].data, entries[k].bytes, 0, &back);
      if (!status) literal_release(back);
    }
    status_free(status);
    arena_rewind(&f->arena, mark);
    copy[i] = (char)~copy[i];
  }
  return NULL;
}

static void test_archive(void **state) {
  (void)state;
  Fixture f = {0};
  Status *status = guard_run(archive, &f);
  finish(&f, status);
}

static Status *fortran(Guard *guard, void *arg) {
  Fixture *f = arg;
  f->context = context_new(guard);
  literal_heap_init(&f->heap, guard, 0);
  arena_init(&f->arena, guard);
  strbuf_init(&f->text, guard);
  static const char header[] =
      "\x93NUMPY\x01\x00\x46\x00{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }"
      "            \n";
  strbuf_put(&f->text, header, 10 + 0x46);
  strbuf_put(&f->text, "\x01\x04\x02\x05\x03\x06", 6);
  Literal *l;
  TRY(npy_read(&f->heap, f->context, "x", f->text.data, f->text.used, 0, &l));
  for (int i = 0; i < 6; i++) assert_int_equal(literal_get(l, i).u, (unsigned)i + 1);
  Status *status =
      npy_read(&f->heap, f->context, "x.npy", f->text.data, f->text.used, type_scalar(DT_f32), &l);
  assert_string_equal(status_message(status),
                      "x.npy: holds ui8, expected f32: save it with .astype('f4')");
  status_free(status);
  return NULL;
}

static void test_fortran(void **state) {
  (void)state;
  Fixture f = {0};
  Status *status = guard_run(fortran, &f);
  finish(&f, status);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_archive),
      cmocka_unit_test(test_fortran),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
