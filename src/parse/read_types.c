// Types. Dimension lists are read by character, since `0x4xf32` is neither a hex number nor a word.
// A cache from text to type makes the frequent `tensor<4x8xf32>` cost one hash and one comparison.
// O(text).
#include "parse/reader.h"

#include "base/mem.h"

enum { CACHE_SLOTS = 1024, CACHE_TEXT = 64 };

struct ReadTypeSlot {
  const char *s;  // in the source
  uint32_t n;
  Type type;
};

static const char *skip_blanks(const Reader *r, const char *at) {
  while (at < r->end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) at++;
  return at;
}

static bool is_digit(const Reader *r, const char *at) {
  return at < r->end && *at >= '0' && *at <= '9';
}

// ---- dimensions ----

static bool dim_too_large(Reader *r, const char *digits) {
  const char *end = digits;
  while (is_digit(r, end)) end++;
  int n = end - digits > 60 ? 60 : (int)(end - digits);
  return reader_fail(r, (Pos)(digits - r->source->text),
                     "the dimension is %.*s, expected at most 9223372036854775807", n, digits);
}

// Reads one `4x` or `?x` at *at and advances *at; *found tells whether there was one.
static bool read_dim(Reader *r, const char **at, int64_t *out, bool *found) {
  const char *p = skip_blanks(r, *at), *digits = p;
  int64_t value = 0;
  *found = false;
  if (p < r->end && *p == '?') {
    value = DIM_DYNAMIC;
    p++;
  } else if (is_digit(r, p)) {
    for (; is_digit(r, p); p++)
      if (__builtin_mul_overflow(value, (int64_t)10, &value) ||
          __builtin_add_overflow(value, (int64_t)(*p - '0'), &value))
        return dim_too_large(r, digits);
  } else {
    return true;
  }
  p = skip_blanks(r, p);
  if (p >= r->end || *p != 'x')
    return reader_fail(r, (Pos)((p < r->end ? p : r->end) - r->source->text),
                       "expected 'x' after a dimension");
  *at = p + 1;
  *out = value;
  *found = true;
  return true;
}

bool reader_dims(Reader *r, IntVec *out) {
  if (r->tok.kind == TOK_ERROR) return false;
  const char *at = r->tok.text.s;
  for (;;) {
    int64_t dim;
    bool found;
    if (!read_dim(r, &at, &dim, &found)) return false;
    if (!found) break;
    VEC_PUSH(r->scratch, out, dim);
  }
  reader_seek(r, at);
  return true;
}

// Whether the number of elements fits int64; a dimension of size 0 makes it 0.
static bool count_fits(const IntVec *dims) {
  int64_t count = 1;
  bool fits = true;
  for (uint32_t i = 0; i < dims->count; i++) {
    if (dims->items[i] == 0) return true;
    if (dims->items[i] != DIM_DYNAMIC && __builtin_mul_overflow(count, dims->items[i], &count))
      fits = false;
  }
  return fits;
}

// ---- builtin types ----

// Encodings that type_print can print.
static bool is_encoding(const Context *context, Attr encoding) {
  AttrKind kind = attr_info(context, encoding)->kind;
  const AttrInfo *bounds = attr_info(context, attr_get(context, encoding, "bounds"));
  return kind == ATTR_OPAQUE || (kind == ATTR_STRUCT && bounds->kind == ATTR_DENSE_ARRAY);
}

static bool element_ok(const Context *context, Type elem) {
  TypeKind kind = type_info(context, elem)->kind;
  return kind == TYPE_SCALAR || kind == TYPE_QUANT || kind == TYPE_OPAQUE;
}

// As in StableHLO's verifier: one bound per dimension, `?` for static dimensions.
static bool check_bounds(Reader *r, Pos pos, const IntVec *dims, Attr encoding) {
  const AttrInfo *bounds = attr_info(r->context, attr_get(r->context, encoding, "bounds"));
  if (bounds->kind != ATTR_DENSE_ARRAY) return true;
  if (bounds->count != dims->count)
    return reader_fail(r, pos, "the number of bounds is %u, expected %u, one per dimension",
                       bounds->count, dims->count);
  for (uint32_t d = 0; d < dims->count; d++) {
    int64_t bound = ((const int64_t *)bounds->data)[d];
    if (bound != DIM_DYNAMIC && dims->items[d] != DIM_DYNAMIC)
      return reader_fail(
          r, pos,
          "dimension %u has size %lld and bound %lld, expected bound ? for a static dimension", d,
          (long long)dims->items[d], (long long)bound);
  }
  return true;
}

// Reads what follows `tensor` or `memref`, whose text begins at `word`.
static bool read_shaped(Reader *r, const char *word, bool memref, Type *out) {
  Pos pos = r->tok.pos;
  const char *open = r->tok.text.s;
  if (!reader_expect(r, '<')) return false;
  if (!memref && reader_at(r, '*')) {
    const char *at = skip_blanks(r, r->at);
    if (at >= r->end || *at != 'x') return reader_expected(r, "'*x' of an unranked tensor");
    reader_seek(r, at + 1);
    Type elem;
    if (!reader_type(r, &elem) || !reader_expect(r, '>')) return false;
    *out = type_unranked(r->context, elem);
    return true;
  }
  IntVec dims = {0};
  if (!reader_dims(r, &dims)) return false;
  Pos elem_pos = r->tok.pos;
  Type elem;
  if (!reader_type(r, &elem)) return false;
  if (!element_ok(r->context, elem))
    return reader_fail(r, elem_pos, "'%s' cannot be the element type of a tensor",
                       type_text(r->context, elem));
  if (memref && reader_at(r, ',')) {  // a layout or memory space is kept as text
    Str text;
    reader_seek(r, open);
    if (!reader_balanced(r, word, &text)) return false;
    *out = type_opaque(r->context, text);
    return true;
  }
  Attr encoding = 0;
  bool encoded = reader_accept(r, ',');
  Pos encoding_pos = r->tok.pos;
  if (encoded && !reader_attr(r, 0, &encoding)) return false;
  if (encoded && !is_encoding(r->context, encoding))
    return reader_fail(r, encoding_pos,
                       "a tensor's encoding must be an attribute of a dialect, such as "
                       "#stablehlo.bounds<?, 4>");
  if (encoded && !check_bounds(r, encoding_pos, &dims, encoding)) return false;
  if (!reader_expect(r, '>')) return false;
  if (!count_fits(&dims))
    return reader_fail(r, pos, "the tensor has more than 9223372036854775807 elements");
  *out = memref ? type_memref(r->context, elem, dims.count, dims.items)
                : type_tensor(r->context, elem, dims.count, dims.items, encoding);
  return true;
}

static bool read_complex(Reader *r, Type *out) {
  Type part;
  Pos pos = r->tok.pos;
  if (!reader_expect(r, '<') || !reader_type(r, &part) || !reader_expect(r, '>')) return false;
  const TypeInfo *info = type_info(r->context, part);
  DType complex = info->kind == TYPE_SCALAR ? dtype_complex_of(info->dtype) : DT_none_;
  if (complex == DT_none_)
    return reader_fail(r, pos, "complex<%s> is not a type, expected complex<f32> or complex<f64>",
                       type_text(r->context, part));
  *out = type_scalar(complex);
  return true;
}

// Reads `<T, U>` after tuple or future.
static bool read_items(Reader *r, TypeVec *items) {
  if (!reader_expect(r, '<')) return false;
  if (!reader_at(r, '>') && !reader_type_list(r, items)) return false;
  return reader_expect(r, '>');
}

// i7, si32, ui128: integers that are no StableHLO element types; kept as text.
static bool other_integer(Str text) {
  size_t i = 0;
  if (i < text.n && (text.s[i] == 's' || text.s[i] == 'u')) i++;
  if (i >= text.n || text.s[i] != 'i') return false;
  size_t digits = ++i;
  while (i < text.n && text.s[i] >= '0' && text.s[i] <= '9') i++;
  return i == text.n && i > digits && i - digits < 9;
}

static bool read_word_type(Reader *r, Type *out) {
  Token word = r->tok;
  DType dtype = dtype_parse(word.text.s, word.text.n);
  reader_next(r);
  if (dtype != DT_none_) {
    *out = type_scalar(dtype);
    return true;
  }
  if (str_is(word.text, "tensor")) return read_shaped(r, word.text.s, false, out);
  if (str_is(word.text, "memref")) return read_shaped(r, word.text.s, true, out);
  if (str_is(word.text, "complex")) return read_complex(r, out);
  if (str_is(word.text, "tuple")) {
    TypeVec items = {0};
    if (!read_items(r, &items)) return false;
    *out = type_tuple(r->context, items.count, items.items);
    return true;
  }
  if (str_is(word.text, "vector") && reader_at(r, '<')) {
    Str text;
    if (!reader_balanced(r, word.text.s, &text)) return false;
    *out = type_opaque(r->context, text);
    return true;
  }
  if (other_integer(word.text) || str_is(word.text, "f80") || str_is(word.text, "f128")) {
    *out = type_opaque(r->context, word.text);
    return true;
  }
  int n = word.text.n > 60 ? 60 : (int)word.text.n;
  return reader_fail(r, word.pos, "'%.*s' is not a type", n, word.text.s);
}

// ---- quantized types ----

// i8, u8, with a range i8<-127:127>.
static bool read_storage(Reader *r, QuantInfo *quant) {
  Token word = r->tok;
  Str text;
  if (!reader_word(r, &text)) return false;
  char name[8] = "u";
  bool is_unsigned = text.n > 1 && text.n < 6 && text.s[0] == 'u' && text.s[1] != 'i';
  if (is_unsigned) {
    name[1] = 'i';
    memcpy(name + 2, text.s + 1, text.n - 1);
    quant->storage = dtype_parse(name, text.n + 1);
  } else {
    quant->storage = dtype_parse(text.s, text.n);
  }
  if (!dtype_is_integer(quant->storage) || quant->storage == DT_index ||
      dtype_width(quant->storage) > 32)
    return reader_fail(r, word.pos,
                       "the storage type is '%.*s', expected an integer type of at most 32 bits",
                       text.n > 60 ? 60 : (int)text.n, text.s);
  int64_t lowest = dtype_lowest(quant->storage).i, most = dtype_max_finite(quant->storage).i;
  quant->min = lowest;
  quant->max = most;
  if (!reader_at(r, '<')) return true;
  Pos pos = r->tok.pos;
  reader_next(r);
  if (!reader_integer(r, &quant->min) || !reader_expect(r, ':') ||
      !reader_integer(r, &quant->max) || !reader_expect(r, '>'))
    return false;
  if (quant->min >= quant->max || quant->min < lowest || quant->max > most)
    return reader_fail(
        r, pos, "C3: the storage range is %lld:%lld, expected min < max within %lld:%lld of %s",
        (long long)quant->min, (long long)quant->max, (long long)lowest, (long long)most,
        dtype_info(quant->storage)->name);
  return true;
}

typedef VEC(double) DoubleVec;

// 0.5 or 0.5:-3
static bool read_scale(Reader *r, const QuantInfo *quant, DoubleVec *scales, IntVec *zero_points) {
  Pos pos = r->tok.pos;
  double scale;
  int64_t zero_point = 0;
  if (!reader_float(r, &scale)) return false;
  if (!(scale > 0))
    return reader_fail(r, pos, "C5: the scale is %g, expected a positive number", scale);
  if (scale > 1.7976931348623157e308)
    return reader_fail(r, pos, "C6: the scale is %g, expected a finite number", scale);
  if (reader_accept(r, ':')) {
    pos = r->tok.pos;
    if (!reader_integer(r, &zero_point)) return false;
  }
  if (zero_point < quant->min || zero_point > quant->max)
    return reader_fail(r, pos,
                       "C7: the zero point is %lld, expected it in the storage range %lld:%lld",
                       (long long)zero_point, (long long)quant->min, (long long)quant->max);
  VEC_PUSH(r->scratch, scales, scale);
  VEC_PUSH(r->scratch, zero_points, zero_point);
  return true;
}

// Reads what follows `!quant.uniform`; *known = false and nothing consumed for sub-channel types.
static bool read_quant(Reader *r, bool *known, Type *out) {
  Reader before = *r;
  QuantInfo quant = {.axis = -1};
  *known = true;
  if (!reader_expect(r, '<') || !read_storage(r, &quant) || !reader_expect(r, ':')) return false;
  Pos pos = r->tok.pos;
  Type expressed;
  if (!reader_type(r, &expressed)) return false;
  const TypeInfo *info = type_info(r->context, expressed);
  if (info->kind != TYPE_SCALAR || !dtype_is_float(info->dtype))
    return reader_fail(r, pos, "the expressed type is '%s', expected a float type",
                       type_text(r->context, expressed));
  quant.expressed = info->dtype;
  if (reader_accept(r, ':')) {
    if (reader_at(r, '{')) {
      r->tok = before.tok;
      r->at = before.at;
      *known = false;
      return true;
    }
    int64_t axis;
    pos = r->tok.pos;
    if (!reader_integer(r, &axis)) return false;
    if (axis < 0 || axis > INT32_MAX)
      return reader_fail(r, pos, "C11: the quantized dimension is %lld, expected 0 to 2147483647",
                         (long long)axis);
    quant.axis = (int32_t)axis;
  }
  DoubleVec scales = {0};
  IntVec zero_points = {0};
  if (!reader_expect(r, ',')) return false;
  if (quant.axis >= 0) {
    if (!reader_expect(r, '{')) return false;
    do {
      if (!read_scale(r, &quant, &scales, &zero_points)) return false;
    } while (reader_accept(r, ','));
    if (!reader_expect(r, '}')) return false;
  } else if (!read_scale(r, &quant, &scales, &zero_points)) {
    return false;
  }
  if (!reader_expect(r, '>')) return false;
  quant.count = scales.count;
  quant.scales = scales.items;
  quant.zero_points = zero_points.items;
  *out = type_quant(r->context, &quant);
  return true;
}

// ---- dialect types and aliases: !… ----

static bool read_bang(Reader *r, Type *out) {
  Token token = r->tok;
  Str name = {token.text.s + 1, token.text.n - 1};
  bool dialect = memchr(name.s, '.', name.n) != NULL;
  if (!dialect) {
    ReadAlias *alias = reader_alias(r, name_intern(r->context, name), true);
    if (alias) {
      reader_next(r);
      return reader_use_alias(r, alias, token.pos, out);
    }
  }
  reader_next(r);
  if (str_is(name, "stablehlo.token")) {
    *out = type_token(r->context);
    return true;
  }
  if (str_is(name, "stablehlo.future")) {
    TypeVec items = {0};
    if (!read_items(r, &items)) return false;
    *out = type_future(r->context, items.count, items.items);
    return true;
  }
  if (str_is(name, "quant.uniform") && reader_at(r, '<')) {
    bool known;
    if (!read_quant(r, &known, out)) return false;
    if (known) return true;
  }
  if (!dialect && !reader_at(r, '<')) {
    int n = name.n > 60 ? 60 : (int)name.n;
    return reader_fail(r, token.pos, "the type alias '!%.*s' is not defined", n, name.s);
  }
  Str text = token.text;
  if (reader_at(r, '<') && !reader_balanced(r, token.text.s, &text)) return false;
  *out = type_opaque(r->context, text);
  return true;
}

// ---- all types ----

static bool read_function(Reader *r, Type *out) {
  TypeVec inputs = {0}, results = {0};
  if (!reader_functional_type(r, &inputs, &results)) return false;
  *out = type_function(r->context, inputs.count, inputs.items, results.count, results.items);
  return true;
}

static bool read_type(Reader *r, Type *out) {
  if (r->tok.kind == TOK_WORD) return read_word_type(r, out);
  if (r->tok.kind == TOK_BANG) return read_bang(r, out);
  if (reader_at(r, '(')) return read_function(r, out);
  return reader_expected(r, "a type");
}

// The cache slot of the current `tensor<…>`; NULL if it is nested, long or has an encoding.
static struct ReadTypeSlot *cache_slot(const Reader *r, uint32_t *out_n) {
  const char *s = r->tok.text.s;
  size_t left = (size_t)(r->end - s);
  if (r->tok.kind != TOK_WORD || r->tok.text.n != 6 || left < 8 || s[6] != '<' ||
      memcmp(s, "tensor", 6) != 0)
    return NULL;
  uint32_t n = 7, most = left < CACHE_TEXT ? (uint32_t)left : CACHE_TEXT;
  uint64_t h = 0;
  for (; n < most && s[n] != '>'; n++) {
    if (s[n] == '<' || s[n] == '!' || s[n] == '#' || s[n] == ',') return NULL;
    h = (h ^ (unsigned char)s[n]) * 0x9E3779B97F4A7C15u;
  }
  if (n == most) return NULL;
  *out_n = n + 1;
  return &r->type_cache[(h >> 40) % CACHE_SLOTS];
}

// The cache is direct-mapped; a collision overwrites the slot.
bool reader_type(Reader *r, Type *out) {
  uint32_t n = 0;
  if (!r->type_cache) {
    r->type_cache = mem_alloc(CACHE_SLOTS * sizeof *r->type_cache);
    if (!r->type_cache) guard_throw(r->guard, status_no_memory());
    memset(r->type_cache, 0, CACHE_SLOTS * sizeof *r->type_cache);
  }
  const char *s = r->tok.text.s;
  struct ReadTypeSlot *slot = cache_slot(r, &n);
  if (slot && slot->n == n && memcmp(slot->s, s, n) == 0) {
    *out = slot->type;
    reader_seek(r, s + n);
    return true;
  }
  if (!reader_enter(r)) return false;
  bool ok = read_type(r, out);
  r->depth--;
  if (ok && slot) *slot = (struct ReadTypeSlot){s, n, *out};
  return ok;
}

bool reader_type_list(Reader *r, TypeVec *out) {
  do {
    Type type;
    if (!reader_type(r, &type)) return false;
    VEC_PUSH(r->scratch, out, type);
  } while (reader_accept(r, ','));
  return true;
}

bool reader_result_types(Reader *r, TypeVec *results) {
  if (!reader_at(r, '(')) {
    Type type;
    if (!reader_type(r, &type)) return false;
    VEC_PUSH(r->scratch, results, type);
    return true;
  }
  reader_next(r);
  if (reader_accept(r, ')')) return true;
  return reader_type_list(r, results) && reader_expect(r, ')');
}

bool reader_functional_type(Reader *r, TypeVec *inputs, TypeVec *results) {
  if (!reader_expect(r, '(')) return false;
  if (!reader_at(r, ')') && !reader_type_list(r, inputs)) return false;
  return reader_expect(r, ')') && reader_expect_tok(r, TOK_ARROW, "'->'") &&
         reader_result_types(r, results);
}
