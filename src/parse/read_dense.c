// Constants: `dense<…> : type`, `dense_resource<…> : type`, `array<i64: …>` and hex strings. The
// type follows the literal, so the literal is first skipped (by memchr for hex), then read with the
// type known, directly into the context's arena. O(text).
#include "parse/read_dense.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/mem.h"

// ---- hex ----

#define ALL(byte) (UINT64_C(0x0101010101010101) * (byte))

// Converts eight digits at once, one per byte of x. Sets in *bad the top bit of each byte that is
// no digit. Adding 0x80 - c to a byte below 0x80 sets its top bit exactly if the byte is at least
// c.
static inline uint64_t nibbles(uint64_t x, uint64_t *bad) {
  uint64_t low = x & ALL(0x7F), letter = low | ALL(0x20);
  uint64_t digit = (low + ALL(0x80 - '0')) & ~(low + ALL(0x80 - ':'));
  uint64_t alpha = (letter + ALL(0x80 - 'a')) & ~(letter + ALL(0x80 - 'g')) & ALL(0x80);
  *bad |= (x | ~(digit | alpha)) & ALL(0x80);
  return (x & ALL(0x0F)) + (alpha >> 7) * 9;
}

#ifdef __SSE2__
// The same for sixteen digits: each 16-bit lane becomes the byte of its two digits.
static inline __m128i lane_bytes(const char *digits, __m128i *good) {
  __m128i x = _mm_loadu_si128((const __m128i *)(const void *)digits);
  __m128i digit = _mm_sub_epi8(x, _mm_set1_epi8('0'));
  __m128i letter = _mm_sub_epi8(_mm_or_si128(x, _mm_set1_epi8(0x20)), _mm_set1_epi8('a'));
  __m128i is_digit = _mm_cmpeq_epi8(_mm_min_epu8(digit, _mm_set1_epi8(9)), digit);
  __m128i is_letter = _mm_cmpeq_epi8(_mm_min_epu8(letter, _mm_set1_epi8(5)), letter);
  *good = _mm_and_si128(*good, _mm_or_si128(is_digit, is_letter));
  __m128i value = _mm_or_si128(_mm_and_si128(is_digit, digit),
                               _mm_and_si128(is_letter, _mm_add_epi8(letter, _mm_set1_epi8(10))));
  __m128i both = _mm_or_si128(_mm_slli_epi16(value, 4), _mm_srli_epi16(value, 8));
  return _mm_and_si128(both, _mm_set1_epi16(0xFF));
}

// Decodes blocks of sixteen bytes; returns the number of bytes decoded.
static size_t decode_blocks(const char *digits, size_t n_bytes, uint8_t *out, uint64_t *bad) {
  __m128i good = _mm_set1_epi8(-1);
  size_t i = 0;
  for (; i + 16 <= n_bytes; i += 16) {
    __m128i first = lane_bytes(digits + 2 * i, &good);
    __m128i second = lane_bytes(digits + 2 * i + 16, &good);
    _mm_storeu_si128((__m128i *)(void *)(out + i), _mm_packus_epi16(first, second));
  }
  *bad |= _mm_movemask_epi8(good) != 0xFFFF;
  return i;
}
#else
static size_t decode_blocks(const char *digits, size_t n_bytes, uint8_t *out, uint64_t *bad) {
  (void)digits, (void)n_bytes, (void)out, (void)bad;
  return 0;
}
#endif

// Storage is little endian.
bool hex_decode(const char *digits, size_t n_bytes, uint8_t *out) {
  uint64_t bad = 0, x;
  size_t i = decode_blocks(digits, n_bytes, out, &bad);
  for (; i + 4 <= n_bytes; i += 4) {
    memcpy(&x, digits + 2 * i, 8);
    x = nibbles(x, &bad);
    x = (x << 4 | x >> 8) & UINT64_C(0x00FF00FF00FF00FF);
    x = (x | x >> 8) & UINT64_C(0x0000FFFF0000FFFF);
    uint32_t four = (uint32_t)(x | x >> 16);
    memcpy(out + i, &four, 4);
  }
  for (; i < n_bytes; i++) {
    x = ALL('0');
    memcpy(&x, digits + 2 * i, 2);
    x = nibbles(x, &bad);
    out[i] = (uint8_t)(x << 4 | x >> 8);
  }
  return !bad;
}

// ---- lists ----

typedef struct Literal {
  Reader *r;
  const char *at, *end;
  DType dtype;
  const TypeInfo *type;
  uint8_t *data;
  int64_t used, count;  // elements
} Literal;

static Pos literal_pos(const Literal *l) { return (Pos)(l->at - l->r->source->text); }

static void skip_space(Literal *l) {
  for (;;) {
    while (l->at < l->end && (*l->at == ' ' || *l->at == '\n' || *l->at == '\t' || *l->at == '\r'))
      l->at++;
    if (l->end - l->at < 2 || l->at[0] != '/' || l->at[1] != '/') return;
    const char *eol = memchr(l->at, '\n', (size_t)(l->end - l->at));
    l->at = eol ? eol + 1 : l->end;
  }
}

static bool number_char(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
         c == '-' || c == '+' || c == '_';
}

static bool take(Literal *l, char c) {
  skip_space(l);
  if (l->at >= l->end || *l->at != c) return false;
  l->at++;
  return true;
}

static bool literal_expected(Literal *l, const char *what) {
  if (l->at >= l->end)
    return reader_fail(l->r, literal_pos(l), "expected %s, but the constant ends here", what);
  return reader_fail(l->r, literal_pos(l), "expected %s in the constant, found '%c'", what, *l->at);
}

static bool read_number(Literal *l, DType dtype, Scalar *out) {
  skip_space(l);
  const char *begin = l->at;
  while (l->at < l->end && number_char(*l->at)) l->at++;
  size_t n = (size_t)(l->at - begin);
  if (dtype_parse_number(dtype, begin, n, out)) return true;
  l->at = begin;
  if (!n) return literal_expected(l, "a number");
  return reader_fail(l->r, literal_pos(l), "'%.*s' is not a value of type %s%s",
                     n > 60 ? 60 : (int)n, begin, dtype_info(dtype)->name,
                     dtype_is_float(dtype) ? " (write 1.0 or the bits in hex)" : "");
}

// Fast path for small decimal integers of types at least 32 bits wide; false: use the general path.
static bool read_small_int(Literal *l, int64_t *out) {
  const char *p = l->at;
  bool negative = p < l->end && *p == '-';
  p += negative;
  const char *digits = p;
  int64_t value = 0;
  while (p < l->end && p - digits < 9 && *p >= '0' && *p <= '9') value = value * 10 + (*p++ - '0');
  if (p == digits || (p < l->end && number_char(*p))) return false;
  *out = negative ? -value : value;
  l->at = p;
  return true;
}

// Reads one element and stores it in canonical form.
static bool read_element(Literal *l) {
  Scalar value;
  skip_space(l);
  if (dtype_is_complex(l->dtype)) {
    Scalar im;
    DType part = dtype_real_of(l->dtype);
    if (!take(l, '(')) return literal_expected(l, "'(' of a complex number");
    if (!read_number(l, part, &value)) return false;
    if (!take(l, ',')) return literal_expected(l, "','");
    if (!read_number(l, part, &im)) return false;
    if (!take(l, ')')) return literal_expected(l, "')'");
    value.im = im.f;
  } else {
    int64_t small;
    if (dtype_kind(l->dtype) == KIND_SINT && dtype_width(l->dtype) >= 32 &&
        read_small_int(l, &small))
      value = scalar_i(small);
    else if (!read_number(l, l->dtype, &value))
      return false;
  }
  if (l->used >= l->count)
    return reader_fail(l->r, literal_pos(l), "the constant has more elements than its type");
  dtype_store(l->dtype, l->data, l->used++, value);
  return true;
}

static bool wrong_shape(Literal *l, uint32_t depth, int64_t found) {
  return reader_fail(l->r, literal_pos(l),
                     "the constant has %lld items in dimension %u, expected %lld as in its type",
                     (long long)found, depth, (long long)l->type->dims[depth]);
}

// Reads one bracketed list for dimension `depth`. reader_enter bounds the recursion.
static bool read_list(Literal *l, uint32_t depth) {
  if (depth >= l->type->rank)
    return reader_fail(l->r, literal_pos(l),
                       "the constant is nested deeper than its type's rank, %u", l->type->rank);
  if (!reader_enter(l->r)) return false;
  if (!take(l, '[')) {
    l->r->depth--;
    return literal_expected(l, "'['");
  }
  int64_t items = 0, want = l->type->dims[depth];
  bool ok = true;
  skip_space(l);
  if (l->at < l->end && *l->at != ']') {
    do {
      skip_space(l);
      if (items++ >= want) {
        ok = wrong_shape(l, depth, items);
        break;
      }
      bool list = l->at < l->end && *l->at == '[';
      if (depth + 1 < l->type->rank)
        ok = read_list(l, depth + 1);
      else if (list)
        ok = reader_fail(l->r, literal_pos(l),
                         "the constant is nested deeper than its type's rank, %u", l->type->rank);
      else
        ok = read_element(l);
    } while (ok && take(l, ','));
  }
  if (ok && !take(l, ']')) ok = literal_expected(l, "',' or ']'");
  if (ok && items != want) ok = wrong_shape(l, depth, items);
  l->r->depth--;
  return ok;
}

// ---- constants ----

// The text between the brackets of dense<…>; the current token is then the one after it.
static bool literal_text(Reader *r, Str *out) {
  const char *begin = r->at;  // tok is '<'
  if (!reader_at(r, '<')) return reader_expected(r, "'<'");
  const char *at = begin;
  for (; at < r->end && *at != '>'; at++) {
    if (*at == '"') {
      reader_seek(r, at);
      if (r->tok.kind != TOK_STRING) return false;
      at = r->at - 1;
    } else if (*at == '/' && at + 1 < r->end && at[1] == '/') {
      const char *eol = memchr(at, '\n', (size_t)(r->end - at));
      if (!eol) break;
      at = eol;
    }
  }
  if (at >= r->end) {
    reader_seek(r, r->end);
    return reader_expected(r, "'>' of the constant");
  }
  *out = (Str){begin, (size_t)(at - begin)};
  reader_seek(r, at + 1);
  return true;
}

static Attr adopt(Reader *r, Type type, const uint8_t *data, size_t bytes) {
  return attr_dense_adopt(r->context, type, data, bytes);
}

// Masks types narrower than a byte to their own bits; i1 becomes 0 or 1.
static void clean_narrow(DType dtype, uint8_t *data, size_t n) {
  int width = dtype_width(dtype);
  if (width >= 8 || dtype_bytes(dtype) != 1) return;
  uint8_t mask = (uint8_t)((1 << width) - 1);
  if (dtype == DT_i1)
    for (size_t i = 0; i < n; i++) data[i] = data[i] != 0;
  else
    for (size_t i = 0; i < n; i++) data[i] &= mask;
}

static void unpack_bits(const uint8_t *packed, size_t n, uint8_t *out) {
  for (size_t i = 0; i < n; i++) out[i] = packed[i / 8] >> (i % 8) & 1;
}

// Reads a hex string; text is 0x…, `pos` is the string's position.
static bool read_hex(Reader *r, Type type, DType dtype, int64_t count, Str text, Pos pos,
                     Attr *out) {
  size_t digits = text.n - 2, bytes = digits / 2, one = (size_t)dtype_bytes(dtype), all;
  if (!size_mul((size_t)count, one, &all))
    return reader_fail(r, pos,
                       "the hex constant has %zu bytes, but %s requires more than can be addressed",
                       bytes, type_text(r->context, type));
  if (digits % 2 != 0)
    return reader_fail(r, pos, "the hex constant has %zu digits, expected an even number", digits);
  // MLIR packs i1 constants into bits; both forms are accepted, and one element is a splat.
  size_t packed = dtype == DT_i1 ? ((size_t)count + 7) / 8 : all;
  if (bytes != all && bytes != one && bytes != packed)
    return reader_fail(r, pos,
                       "the hex constant has %zu bytes, but %s requires %zu (or %zu for a splat)",
                       bytes, type_text(r->context, type), all, one);
  Arena *arena = context_arena(r->context);
  uint8_t *data = arena_alloc(arena, bytes ? bytes : 1);
  if (!hex_decode(text.s + 2, bytes, data))
    return reader_fail(r, pos, "the hex constant has a character that is not a hex digit");
  // One byte of i1 is a splat only if all its bits are equal, or it is 1; else it is packed bits.
  bool splat = bytes == one && (dtype != DT_i1 || data[0] == 0 || data[0] == 1 || data[0] == 0xFF);
  if (count == 0) bytes = 0;
  if (dtype == DT_i1 && bytes != all && !splat) {
    uint8_t *unpacked = arena_alloc(arena, all);
    unpack_bits(data, all, unpacked);
    data = unpacked;
    bytes = all;
  }
  clean_narrow(dtype, data, bytes / one);
  *out = adopt(r, type, data, bytes);
  return true;
}

static bool read_elements(Reader *r, Type type, DType dtype, int64_t count, Str text, Pos pos,
                          Attr *out) {
  Literal l = {.r = r, .at = text.s, .end = text.s + text.n, .dtype = dtype, .count = count};
  l.type = type_info(r->context, type);
  skip_space(&l);
  if (l.at == l.end) {
    if (count)
      return reader_fail(r, pos, "the constant is empty, but %s has %lld elements",
                         type_text(r->context, type), (long long)count);
    *out = adopt(r, type, NULL, 0);
    return true;
  }
  bool list = *l.at == '[';
  size_t one = (size_t)dtype_bytes(dtype), n = list ? (size_t)count : 1, bytes;
  // Every element takes at least two characters: do not allocate more than the text can fill.
  if (list && n > text.n) n = text.n;
  if (!size_mul(n, one, &bytes)) return reader_fail(r, pos, "the constant is too large");
  l.data = arena_alloc(context_arena(r->context), bytes ? bytes : 1);
  l.count = (int64_t)n;
  if (list ? !read_list(&l, 0) : !read_element(&l)) return false;
  skip_space(&l);
  if (l.at != l.end) return literal_expected(&l, "'>'");
  *out = adopt(r, type, l.data, count || !list ? bytes : 0);  // an empty splat keeps its value
  return true;
}

// Keeps a literal of an unknown element type as text.
static bool keep_text(Reader *r, const char *begin, Type type, Attr *out) {
  (void)type;
  const char *end = r->tok.text.s;
  while (end > begin && (end[-1] == ' ' || end[-1] == '\n' || end[-1] == '\t' || end[-1] == '\r'))
    end--;
  Name text = name_intern(r->context, (Str){begin, (size_t)(end - begin)});
  *out = attr_intern(r->context, &(AttrInfo){.kind = ATTR_OPAQUE, .name = text});
  return true;
}

bool reader_dense(Reader *r, Type expected, Attr *out) {
  const char *begin = r->tok.text.s;
  reader_next(r);
  Str text;
  Pos pos = r->tok.pos + 1;
  if (!literal_text(r, &text)) return false;
  Type type = expected;
  if (!type && (!reader_expect(r, ':') || !reader_type(r, &type))) return false;
  const TypeInfo *info = type_info(r->context, type);
  if (info->kind == TYPE_OPAQUE) return keep_text(r, begin, type, out);
  if (info->kind != TYPE_TENSOR)
    return reader_fail(r, pos, "the type of a constant must be a tensor, got %s",
                       type_text(r->context, type));
  const TypeInfo *elem = type_info(r->context, info->elem);
  if (elem->kind == TYPE_OPAQUE) return keep_text(r, begin, type, out);
  if (elem->kind == TYPE_QUANT)
    return reader_fail(r, pos,
                       "a constant cannot have the quantized type %s, expected its storage type",
                       type_text(r->context, type));
  int64_t count;
  if (!type_count(r->context, type, &count))
    return reader_fail(r, pos, "the type of a constant must be static, got %s",
                       type_text(r->context, type));
  if (elem->dtype == DT_none)
    return reader_fail(r, pos, "a constant cannot have the type %s", type_text(r->context, type));
  while (text.n && (*text.s == ' ' || *text.s == '\n' || *text.s == '\t' || *text.s == '\r'))
    text.s++, text.n--;
  if (text.n < 2 || text.s[0] != '"')
    return read_elements(r, type, elem->dtype, count, text, pos, out);
  size_t n = text.n;
  while (n && text.s[n - 1] != '"') n--;
  Str hex = {text.s + 1, n >= 2 ? n - 2 : 0};
  pos = (Pos)(text.s - r->source->text);
  if (hex.n < 2 || hex.s[0] != '0' || hex.s[1] != 'x')
    return reader_fail(r, pos, "a constant's string must begin with 0x");
  return read_hex(r, type, elem->dtype, count, hex, pos, out);
}

bool reader_dense_resource(Reader *r, Type expected, Attr *out) {
  reader_next(r);
  if (!reader_expect(r, '<')) return false;
  Name key;
  if (r->tok.kind == TOK_STRING) {
    if (!reader_string(r, &key)) return false;
  } else {
    Str word;
    if (!reader_word(r, &word)) return false;
    key = name_intern(r->context, word);
  }
  Type type = expected;
  if (!reader_expect(r, '>')) return false;
  if (!type && (!reader_expect(r, ':') || !reader_type(r, &type))) return false;
  *out = attr_intern(r->context, &(AttrInfo){.kind = ATTR_RESOURCE, .type = type, .name = key});
  return true;
}

// array<i64: 1, 2>; array<i1>
bool reader_dense_array(Reader *r, Attr *out) {
  reader_next(r);
  if (!reader_expect(r, '<')) return false;
  Pos pos = r->tok.pos;
  Type type;
  if (!reader_type(r, &type)) return false;
  const TypeInfo *info = type_info(r->context, type);
  if (info->kind != TYPE_SCALAR || dtype_is_complex(info->dtype) || info->dtype == DT_none)
    return reader_fail(r, pos, "array<%s: …> must have an integer or float type",
                       type_text(r->context, type));
  DType dtype = info->dtype;
  size_t one = (size_t)dtype_bytes(dtype);
  VEC(uint64_t) data = {0};  // elements of at most 8 bytes, packed at the end
  if (reader_accept(r, ':')) {
    do {
      const char *begin = r->tok.text.s;
      pos = r->tok.pos;
      bool negative = reader_accept(r, '-');
      if (r->tok.kind != TOK_INT && r->tok.kind != TOK_FLOAT && r->tok.kind != TOK_WORD)
        return reader_expected(r, "a number");
      Str text = {begin, (size_t)(r->at - begin)};
      Scalar value;
      if ((negative && begin + 1 != r->tok.text.s) ||
          !dtype_parse_number(dtype, text.s, text.n, &value))
        return reader_fail(r, pos, "'%.*s' is not a value of type %s",
                           text.n > 60 ? 60 : (int)text.n, text.s, dtype_info(dtype)->name);
      uint64_t bits = 0;
      dtype_store(dtype, &bits, 0, value);
      VEC_PUSH(r->scratch, &data, bits);
      reader_next(r);
    } while (reader_accept(r, ','));
  }
  if (!reader_expect(r, '>')) return false;
  uint8_t *packed = arena_alloc(r->scratch, data.count * one + 1);
  for (uint32_t i = 0; i < data.count; i++) memcpy(packed + i * one, &data.items[i], one);
  *out = attr_intern(r->context, &(AttrInfo){.kind = ATTR_DENSE_ARRAY,
                                             .type = type,
                                             .count = data.count,
                                             .data = packed,
                                             .bytes = data.count * one});
  return true;
}
