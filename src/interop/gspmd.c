// GSPMD's strings, read and written. One pass over the text by a cursor; there is nothing to
// recurse on, since the items of a tuple are no tuples.
#include "interop/gspmd.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/vec.h"

static const char *const subgroup_names[] = {"manual", "unreduced", "replicated"};

// ---- reading ----

typedef struct Cursor {
  Arena *arena;
  Str text;
  size_t at;
} Cursor;

typedef VEC(uint32_t) Numbers;

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Skips blanks and comments; gives the character there, 0 at the end.
static char peek(Cursor *c) {
  while (c->at < c->text.n) {
    if (is_space(c->text.s[c->at])) {
      c->at++;
    } else if (str_starts((Str){c->text.s + c->at, c->text.n - c->at}, "/*")) {
      size_t end = c->at + 2;
      while (end + 1 < c->text.n && !(c->text.s[end] == '*' && c->text.s[end + 1] == '/')) end++;
      if (end + 1 >= c->text.n) return c->text.s[c->at];
      c->at = end + 2;
    } else {
      return c->text.s[c->at];
    }
  }
  return 0;
}

static bool accept(Cursor *c, char what) {
  if (peek(c) != what) return false;
  c->at++;
  return true;
}

static Status *expected(Cursor *c, const char *what) {
  peek(c);
  size_t left = c->text.n - c->at;
  if (!left) FAIL(INVALID_ARGUMENT, "sharding ends at column %zu, expected %s", c->at + 1, what);
  FAIL(INVALID_ARGUMENT, "sharding, column %zu: expected %s, found '%.*s'", c->at + 1, what,
       (int)(left < 12 ? left : 12), c->text.s + c->at);
}

static Status *expect(Cursor *c, char what) {
  char quoted[4] = {'\'', what, '\'', 0};
  return accept(c, what) ? NULL : expected(c, quoted);
}

static Str word(Cursor *c) {
  peek(c);
  size_t begin = c->at;
  while (c->at < c->text.n && is_word(c->text.s[c->at])) c->at++;
  return (Str){c->text.s + begin, c->at - begin};
}

static Status *number(Cursor *c, int64_t most, int64_t *out) {
  peek(c);
  size_t begin = c->at;
  int64_t value = 0;
  while (c->at < c->text.n && c->text.s[c->at] >= '0' && c->text.s[c->at] <= '9') {
    value = value * 10 + (c->text.s[c->at++] - '0');
    if (value > most)
      FAIL(INVALID_ARGUMENT, "sharding, column %zu: the number is above %" PRId64, begin + 1, most);
  }
  if (c->at == begin) return expected(c, "a number");
  *out = value;
  return NULL;
}

static Status *numbers(Cursor *c, Numbers *out) {
  do {
    int64_t value;
    TRY(number(c, GSPMD_MOST_DEVICES, &value));
    VEC_PUSH(c->arena, out, (uint32_t)value);
  } while (accept(c, ','));
  return NULL;
}

static Status *product_of(const Numbers *dims, const char *what, uint32_t *out) {
  uint64_t product = 1;
  for (uint32_t i = 0; i < dims->count; i++) {
    if (!dims->items[i]) FAIL(INVALID_ARGUMENT, "sharding has a %s of size 0", what);
    product *= dims->items[i];
    if (product > GSPMD_MOST_DEVICES)
      FAIL(INVALID_ARGUMENT, "sharding has more than %d devices", GSPMD_MOST_DEVICES);
  }
  *out = (uint32_t)product;
  return NULL;
}

// [3,4,5]T(2,0,1) is [12,5]T(1,0): sizes 1 go, dims that stay neighbours become one.
static void canonicalize_iota(Arena *arena, Numbers *reshape, Numbers *perm) {
  uint32_t n = reshape->count, runs = 0;
  uint32_t *first = ARENA_ARRAY(arena, uint32_t, n), *size = ARENA_ARRAY(arena, uint32_t, n);
  uint32_t *rank = ARENA_ARRAY(arena, uint32_t, n);  // of each dim among those above size 1
  for (uint32_t i = 0, at = 0; i < n; i++) rank[i] = reshape->items[i] > 1 ? at++ : UINT32_MAX;
  uint32_t last = UINT32_MAX - 1;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t dim = perm->items[i];
    if (rank[dim] == UINT32_MAX) continue;
    if (rank[dim] == last + 1) {
      size[runs - 1] *= reshape->items[dim];
    } else {
      first[runs] = rank[dim];
      size[runs++] = reshape->items[dim];
    }
    last = rank[dim];
  }
  reshape->count = perm->count = runs ? runs : 1;
  if (!runs) {
    reshape->items[0] = 1;
    perm->items[0] = 0;
  }
  for (uint32_t i = 0; i < runs; i++) {
    uint32_t place = 0;  // runs that begin before this one come before it in the reshape
    for (uint32_t k = 0; k < runs; k++) place += first[k] < first[i];
    reshape->items[place] = size[i];
    perm->items[i] = place;
  }
}

static Status *read_iota(Cursor *c, GspmdSharding *out) {
  Numbers reshape = {0}, perm = {0};
  uint32_t product;
  TRY(expect(c, '['));
  TRY(numbers(c, &reshape));
  TRY(expect(c, ']'));
  TRY(product_of(&reshape, "reshaped dimension", &product));
  if (product != out->n_devices)
    FAIL(INVALID_ARGUMENT, "sharding has %u tiles, but an iota of %u devices", out->n_devices,
         product);
  if (accept(c, 'T')) {
    TRY(expect(c, '('));
    TRY(numbers(c, &perm));
    TRY(expect(c, ')'));
  } else {
    for (uint32_t i = 0; i < reshape.count; i++) VEC_PUSH(c->arena, &perm, i);
  }
  if (perm.count != reshape.count)
    FAIL(INVALID_ARGUMENT, "sharding transposes %u dimensions, but reshapes to %u", perm.count,
         reshape.count);
  uint8_t *seen = ARENA_ARRAY(c->arena, uint8_t, perm.count);
  for (uint32_t i = 0; i < perm.count; i++)
    if (perm.items[i] >= perm.count || seen[perm.items[i]]++)
      FAIL(INVALID_ARGUMENT, "sharding's transpose is no permutation of 0 … %u", perm.count - 1);
  canonicalize_iota(c->arena, &reshape, &perm);
  out->n_reshape = reshape.count;
  out->reshape = reshape.items;
  out->perm = perm.items;
  return NULL;
}

static int compare_numbers(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static Status *read_list(Cursor *c, GspmdSharding *out) {
  Numbers list = {0};
  TRY(numbers(c, &list));
  if (list.count != out->n_devices)
    FAIL(INVALID_ARGUMENT, "sharding has %u tiles, but lists %u devices", out->n_devices,
         list.count);
  uint32_t *sorted = arena_copy(c->arena, list.items, list.count * sizeof *sorted);
  qsort(sorted, list.count, sizeof *sorted, compare_numbers);
  for (uint32_t i = 1; i < list.count; i++)
    if (sorted[i] == sorted[i - 1])
      FAIL(INVALID_ARGUMENT, "sharding lists the device %u twice", sorted[i]);
  out->devices = list.items;
  return NULL;
}

static Status *read_tiles(Cursor *c, GspmdSharding *out) {
  Numbers dims = {0};
  out->kind = GSPMD_TILED;
  TRY(expect(c, '['));
  TRY(numbers(c, &dims));
  TRY(expect(c, ']'));
  TRY(product_of(&dims, "tile dimension", &out->n_devices));
  out->dims = dims.items;
  out->n_dims = dims.count;
  if (!accept(c, '<')) return read_list(c, out);
  TRY(expect(c, '='));
  return read_iota(c, out);
}

static Status *read_subgroups(Cursor *c, GspmdSharding *out) {
  VEC(GspmdSubgroup) list = {0};
  TRY(expect(c, '{'));
  while (!accept(c, '}')) {
    if (list.count) TRY(expect(c, ','));
    size_t begin = c->at;
    Str name = word(c);
    uint32_t k = 0;
    while (k < 3 && !str_is(name, subgroup_names[k])) k++;
    if (k == 3) {
      c->at = begin;
      return expected(c, "manual, unreduced or replicated");
    }
    VEC_PUSH(c->arena, &list, (GspmdSubgroup)k);
  }
  out->subgroups = list.items;
  out->n_subgroups = list.count;
  return NULL;
}

// metadata={…}: balanced braces, strings inside.
static Status *skip_metadata(Cursor *c) {
  uint32_t depth = 0;
  TRY(expect(c, '{'));
  for (depth = 1; depth && c->at < c->text.n; c->at++) {
    char ch = c->text.s[c->at];
    if (ch == '{') depth++;
    if (ch == '}') depth--;
    if (ch != '"') continue;
    for (c->at++; c->at < c->text.n && c->text.s[c->at] != '"'; c->at++)
      if (c->text.s[c->at] == '\\') c->at++;
  }
  if (c->at > c->text.n) c->at = c->text.n;
  return depth ? expected(c, "'}' of the metadata") : NULL;
}

static const struct {
  const char *name;
  GspmdKind kind;
} plain_kinds[] = {{"replicated", GSPMD_REPLICATED}, {"maximal", GSPMD_MAXIMAL},
                   {"manual", GSPMD_MANUAL},         {"unknown", GSPMD_UNKNOWN},
                   {"unreduced", GSPMD_UNREDUCED},   {"devices", GSPMD_TILED}};

static Status *read_kind(Cursor *c, GspmdSharding *out) {
  static const char wanted[] = "replicated, maximal, manual, unknown, unreduced or devices=";
  peek(c);
  size_t begin = c->at;
  Str name = word(c);
  if (str_is(name, "mesh"))
    FAIL(UNIMPLEMENTED, "a named sharding {mesh[…] is not read, only device arrays");
  for (size_t k = 0; k < sizeof plain_kinds / sizeof *plain_kinds; k++) {
    if (!str_is(name, plain_kinds[k].name)) continue;
    out->kind = plain_kinds[k].kind;
    if (out->kind == GSPMD_TILED) {
      TRY(expect(c, '='));
      return read_tiles(c, out);
    }
    if (out->kind != GSPMD_MAXIMAL) return NULL;
    int64_t device;
    if (!str_is(word(c), "device")) return expected(c, "device=");
    TRY(expect(c, '='));
    TRY(number(c, GSPMD_MOST_DEVICES, &device));
    out->device = (uint32_t)device;
    return NULL;
  }
  c->at = begin;
  return expected(c, wanted);
}

static Status *read_suffix(Cursor *c, GspmdSharding *out) {
  static const GspmdSubgroup replicated[] = {GSPMD_SUBGROUP_REPLICATED};
  size_t begin = c->at;
  Str name = word(c);
  bool tiled = out->kind == GSPMD_TILED && !out->n_subgroups;
  if (tiled && str_is(name, "last_tile_dim_replicate")) {
    out->subgroups = replicated;
    out->n_subgroups = 1;
    return NULL;
  }
  if (tiled && str_is(name, "last_tile_dims")) {
    TRY(expect(c, '='));
    return read_subgroups(c, out);
  }
  if (str_is(name, "metadata")) {
    TRY(expect(c, '='));
    return skip_metadata(c);
  }
  bool as = str_is(name, "shard_as");
  if (!out->group && (as || str_is(name, "shard_like"))) {
    out->group = as ? GSPMD_SHARD_AS : GSPMD_SHARD_LIKE;
    return number(c, INT64_MAX / 16, &out->group_id);
  }
  c->at = begin;
  return expected(c, "'}'");
}

// Behind the '{'.
static Status *read_single(Cursor *c, GspmdSharding *out) {
  *out = (GspmdSharding){0};
  TRY(read_kind(c, out));
  while (!accept(c, '}')) TRY(read_suffix(c, out));
  if (out->n_subgroups > out->n_dims)
    FAIL(INVALID_ARGUMENT, "sharding has %u subgroups in %u dimensions", out->n_subgroups,
         out->n_dims);
  return NULL;
}

static Status *read_tuple(Cursor *c, GspmdSharding *out) {
  VEC(GspmdSharding) items = {0};
  *out = (GspmdSharding){.kind = GSPMD_TUPLE};
  while (!accept(c, '}')) {
    GspmdSharding item;
    if (items.count) TRY(expect(c, ','));
    TRY(expect(c, '{'));
    TRY(read_single(c, &item));
    VEC_PUSH(c->arena, &items, item);
  }
  out->items = items.items;
  out->n_items = items.count;
  return NULL;
}

Status *gspmd_parse(Arena *arena, Str text, GspmdSharding *out) {
  Cursor c = {arena, text, 0};
  GspmdSharding result;
  if (text.n && (unsigned char)text.s[0] < ' ')
    FAIL(UNIMPLEMENTED, "a sharding in binary form is not read, only its text");
  TRY(expect(&c, '{'));
  char next = peek(&c);
  TRY(next == '{' || next == '}' ? read_tuple(&c, &result) : read_single(&c, &result));
  peek(&c);
  if (c.at < text.n) return expected(&c, "the end");
  *out = result;
  return NULL;
}

// ---- writing ----

static void put_numbers(const uint32_t *v, uint32_t n, StrBuf *out) {
  for (uint32_t i = 0; i < n; i++) {
    if (i) strbuf_putc(out, ',');
    strbuf_put_int(out, v[i]);
  }
}

static void print_tiles(const GspmdSharding *s, StrBuf *out) {
  strbuf_puts(out, "devices=[");
  put_numbers(s->dims, s->n_dims, out);
  strbuf_putc(out, ']');
  if (s->n_reshape) {
    strbuf_puts(out, "<=[");
    put_numbers(s->reshape, s->n_reshape, out);
    strbuf_putc(out, ']');
    if (s->n_reshape > 1) {
      strbuf_puts(out, "T(");
      put_numbers(s->perm, s->n_reshape, out);
      strbuf_putc(out, ')');
    }
  } else {
    put_numbers(s->devices, s->n_devices, out);
  }
  if (s->n_subgroups == 1 && s->subgroups[0] == GSPMD_SUBGROUP_REPLICATED) {
    strbuf_puts(out, " last_tile_dim_replicate");
  } else if (s->n_subgroups) {
    for (uint32_t i = 0; i < s->n_subgroups; i++)
      strbuf_printf(out, "%s%s", i ? ", " : " last_tile_dims={", subgroup_names[s->subgroups[i]]);
    strbuf_putc(out, '}');
  }
}

static void print_single(const GspmdSharding *s, StrBuf *out) {
  strbuf_putc(out, '{');
  if (s->kind == GSPMD_TILED) {
    print_tiles(s, out);
  } else {
    for (size_t k = 0; k < sizeof plain_kinds / sizeof *plain_kinds; k++)
      if (plain_kinds[k].kind == s->kind) strbuf_puts(out, plain_kinds[k].name);
    if (s->kind == GSPMD_MAXIMAL) strbuf_printf(out, " device=%u", s->device);
  }
  if (s->group)
    strbuf_printf(out, " %s %" PRId64, s->group == GSPMD_SHARD_AS ? "shard_as" : "shard_like",
                  s->group_id);
  strbuf_putc(out, '}');
}

void gspmd_print(const GspmdSharding *s, StrBuf *out) {
  if (s->kind != GSPMD_TUPLE) {
    print_single(s, out);
    return;
  }
  strbuf_putc(out, '{');
  for (uint32_t i = 0; i < s->n_items; i++) {
    if (i) strbuf_puts(out, ", ");
    if (i && i % 5 == 0) strbuf_printf(out, "/*index=%u*/", i);
    print_single(&s->items[i], out);
  }
  strbuf_putc(out, '}');
}

uint32_t gspmd_device(const GspmdSharding *s, uint32_t cell) {
  if (!s->n_reshape) return s->devices[cell];
  uint32_t device = 0;
  for (uint32_t i = s->n_reshape; i-- > 0;) {
    uint32_t dim = s->perm[i], stride = 1;
    for (uint32_t k = dim + 1; k < s->n_reshape; k++) stride *= s->reshape[k];
    device += cell % s->reshape[dim] * stride;
    cell /= s->reshape[dim];
  }
  return device;
}
