// gzip: every kind of block, several members, damaged and truncated data. The samples are zlib's.
#include "base/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"

typedef struct Sample {
  const char *gzip;
  size_t bytes;
  const char *text;  // the first bytes of it
  size_t length;
} Sample;

static const Sample samples[] = {
    // fixed
    {"\037\213\010\000\000\000\000\000\002\003\053\111\055\056\116\055\112\124\050\031"
     "\245\107\351\121\172\224\036\245\107\151\022\150\000\017\242\306\026\100\006\000"
     "\000",
     41, "tessera tessera tessera tessera tessera tessera tessera tess", 1600},
    // dynamic
    {"\037\213\010\000\000\000\000\000\002\003\035\217\111\016\004\061\014\002\337\012"
     "\170\111\172\325\374\377\062\270\245\110\161\142\134\140\164\102\214\002\232\011"
     "\237\143\001\072\010\002\024\134\023\255\300\257\335\314\203\025\324\152\271\123"
     "\204\062\110\225\106\230\217\225\172\122\015\235\362\327\211\252\225\245\017\000"
     "\137\124\304\107\354\252\102\207\313\004\302\106\062\173\040\164\275\204\111\343"
     "\126\132\175\227\237\164\100\360\152\066\217\034\011\352\024\372\366\014\277\371"
     "\121\264\163\363\165\250\350\315\025\172\007\276\015\151\222\035\347\302\170\333"
     "\332\313\116\136\056\155\321\101\142\200\170\371\171\156\136\313\153\314\347\103"
     "\057\207\175\135\346\077\216\016\375\001\276\214\203\135\054\001\000\000",
     178, "ageacbdfaagbeabeajhaacjbabaabcaaacbagcdaqgabeejbfdbchgccaafb", 300},
    // stored
    {"\037\213\010\000\000\000\000\000\004\003\001\005\000\372\377\160\154\141\151\156"
     "\317\142\040\031\005\000\000\000",
     28, "plain", 5},
    // two
    {"\037\213\010\000\000\000\000\000\000\003\313\317\113\125\000\000\111\141\254\043"
     "\004\000\000\000\037\213\010\000\000\000\000\000\000\003\053\051\317\007\000\146"
     "\212\312\021\003\000\000\000",
     47, "one two", 7},
    // empty
    {"\037\213\010\000\000\000\000\000\000\003\003\000\000\000\000\000\000\000\000\000", 20, "", 0},
};

enum { N_SAMPLES = sizeof samples / sizeof *samples };

// Reads all bytes; returns their number, or SIZE_MAX after an error.
static size_t read_all(Str bytes, uint64_t most, char *out, size_t size) {
  Stream *stream = mem_alloc(sizeof *stream);
  size_t n = 0;
  Status *status = stream_open_memory(stream, bytes, most);
  for (int c; !status && (c = stream_next(stream)) >= 0; n++)
    if (n < size) out[n] = (char)c;
  if (!status) status = stream_error(stream);
  stream_close(stream);
  mem_free(stream);
  if (status) n = SIZE_MAX;
  status_free(status);
  return n;
}

static void test_samples(void **state) {
  (void)state;
  char out[60];
  for (size_t i = 0; i < N_SAMPLES; i++) {
    const Sample *s = &samples[i];
    assert_int_equal(read_all((Str){s->gzip, s->bytes}, 10000, out, sizeof out), s->length);
    assert_memory_equal(out, s->text, strlen(s->text));
  }
}

static void test_plain(void **state) {
  (void)state;
  char out[8];
  assert_int_equal(read_all(str_of("plain\n"), 100, out, sizeof out), 6);
  assert_memory_equal(out, "plain\n", 6);
  assert_int_equal(read_all(str_of(""), 100, out, sizeof out), 0);
  assert_int_equal(read_all(str_of("plain"), 4, out, sizeof out), SIZE_MAX);
  assert_int_equal(read_all((Str){samples[0].gzip, samples[0].bytes}, 100, out, 0), SIZE_MAX);
}

// The checksum finds what the codes let through.
static void test_damaged(void **state) {
  (void)state;
  char copy[1000];
  for (size_t i = 0; i < N_SAMPLES; i++) {
    const Sample *s = &samples[i];
    assert_true(s->bytes < sizeof copy);
    for (size_t n = 2; n < s->bytes; n++) {
      size_t length = read_all((Str){s->gzip, n}, 10000, NULL, 0);
      assert_true(length == SIZE_MAX || (i == 3 && length == 4));  // between its two members
    }
    for (size_t at = 10; at < s->bytes; at++) {
      memcpy(copy, s->gzip, s->bytes);
      copy[at] ^= 0x11;
      (void)read_all((Str){copy, s->bytes}, 100000, NULL, 0);
    }
    copy[s->bytes - 8] ^= 0x40;
    assert_int_equal(read_all((Str){copy, s->bytes}, 100000, NULL, 0), SIZE_MAX);
  }
}

static void test_missing(void **state) {
  (void)state;
  Stream *stream = mem_alloc(sizeof *stream);
  Status *status = stream_open(stream, "/no/such/file", 10);
  assert_string_equal(status_message(status), "/no/such/file: No such file or directory");
  status_free(status);
  stream_close(stream);
  mem_free(stream);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_samples),
      cmocka_unit_test(test_plain),
      cmocka_unit_test(test_damaged),
      cmocka_unit_test(test_missing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
