// Parses and prints GSPMD sharding strings in one pass with a cursor. Tuples do not nest, so there
// is no recursion. Every number is bounded by GSPMD_MOST_DEVICES, so a hostile string of n bytes
// costs O(n log n).
#include "interop/gspmd.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/cursor.h"
#include "base/vec.h"

static const char *const subgroup_names[] = {"manual", "unreduced", "replicated"};

// ---- reading ----

typedef struct Reader {
  Cursor c;
  Arena *arena;
} Reader;

typedef VEC(uint32_t) Numbers;

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// INVALID_ARGUMENT with the column, the expected token and up to 12 bytes of what was found.
static Status *expected(Reader *r, const char *what) {
  cursor_skip(&r->c);
  size_t left = r->c.end - r->c.at;
  if (!left) FAIL(INVALID_ARGUMENT, "sharding ends at column %zu, expected %s", r->c.at + 1, what);
  FAIL(INVALID_ARGUMENT, "sharding, column %zu: expected %s, found '%.*s'", r->c.at + 1, what,
       (int)(left < 12 ? left : 12), r->c.text + r->c.at);
}

static Status *expect(Reader *r, char what) {
  char quoted[4] = {'\'', what, '\'', 0};
  return cursor_take(&r->c, what) ? NULL : expected(r, quoted);
}

static Str word(Reader *r) { return cursor_take_while(&r->c, is_word); }

// A decimal number of at most `most`. The check per digit keeps the product from overflowing.
static Status *number(Reader *r, int64_t most, int64_t *out) {
  cursor_skip(&r->c);
  size_t begin = r->c.at;
  int64_t value = 0;
  while (r->c.at < r->c.end && r->c.text[r->c.at] >= '0' && r->c.text[r->c.at] <= '9') {
    value = value * 10 + (r->c.text[r->c.at++] - '0');
    if (value > most)
      FAIL(INVALID_ARGUMENT, "sharding, column %zu: the number is above %" PRId64, begin + 1, most);
  }
  if (r->c.at == begin) return expected(r, "a number");
  *out = value;
  return NULL;
}

// A non-empty list separated by commas.
static Status *numbers(Reader *r, Numbers *out) {
  do {
    int64_t value;
    TRY(number(r, GSPMD_MOST_DEVICES, &value));
    VEC_PUSH(r->arena, out, (uint32_t)value);
  } while (cursor_take(&r->c, ','));
  return NULL;
}

// The limit is checked per factor, so the product does not overflow.
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

// Example: [3,4,5]T(2,0,1) becomes [12,5]T(1,0). Drops dims of size 1 and merges dims that stay
// adjacent in order.
static void canonicalize_iota(Arena *arena, Numbers *reshape, Numbers *perm) {
  uint32_t n = reshape->count, runs = 0;
  uint32_t *first = ARENA_ARRAY(arena, uint32_t, n), *size = ARENA_ARRAY(arena, uint32_t, n);
  uint32_t *rank = ARENA_ARRAY(arena, uint32_t, n);  // of each dim among the dims above size 1
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
    uint32_t index = 0;  // runs are listed in the order of their first dim
    for (uint32_t k = 0; k < runs; k++) index += first[k] < first[i];
    reshape->items[index] = size[i];
    perm->items[i] = index;
  }
}

// The V2 form behind `<=`: [2,4]T(1,0) is iota(8) reshaped to 2x4, then transposed.
static Status *read_iota(Reader *r, GspmdSharding *out) {
  Numbers reshape = {0}, perm = {0};
  uint32_t product;
  TRY(expect(r, '['));
  TRY(numbers(r, &reshape));
  TRY(expect(r, ']'));
  TRY(product_of(&reshape, "reshaped dimension", &product));
  if (product != out->n_devices)
    FAIL(INVALID_ARGUMENT, "sharding has %u tiles, but an iota of %u devices", out->n_devices,
         product);
  if (cursor_take(&r->c, 'T')) {
    TRY(expect(r, '('));
    TRY(numbers(r, &perm));
    TRY(expect(r, ')'));
  } else {
    for (uint32_t i = 0; i < reshape.count; i++) VEC_PUSH(r->arena, &perm, i);
  }
  if (perm.count != reshape.count)
    FAIL(INVALID_ARGUMENT, "sharding transposes %u dimensions, but reshapes to %u", perm.count,
         reshape.count);
  uint8_t *seen = ARENA_ARRAY(r->arena, uint8_t, perm.count);
  for (uint32_t i = 0; i < perm.count; i++)
    if (perm.items[i] >= perm.count || seen[perm.items[i]]++)
      FAIL(INVALID_ARGUMENT, "sharding's transpose is no permutation of 0 … %u", perm.count - 1);
  canonicalize_iota(r->arena, &reshape, &perm);
  out->n_reshape = reshape.count;
  out->reshape = reshape.items;
  out->perm = perm.items;
  return NULL;
}

static int compare_numbers(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

// The V1 form: every device id once. Sorting finds duplicates in O(n log n).
static Status *read_list(Reader *r, GspmdSharding *out) {
  Numbers list = {0};
  TRY(numbers(r, &list));
  if (list.count != out->n_devices)
    FAIL(INVALID_ARGUMENT, "sharding has %u tiles, but lists %u devices", out->n_devices,
         list.count);
  uint32_t *sorted = arena_copy(r->arena, list.items, list.count * sizeof *sorted);
  qsort(sorted, list.count, sizeof *sorted, compare_numbers);
  for (uint32_t i = 1; i < list.count; i++)
    if (sorted[i] == sorted[i - 1])
      FAIL(INVALID_ARGUMENT, "sharding lists the device %u twice", sorted[i]);
  out->devices = list.items;
  return NULL;
}

// Reads `[2,1]`, then a V1 list or `<=` and a V2 iota.
static Status *read_tiles(Reader *r, GspmdSharding *out) {
  Numbers dims = {0};
  out->kind = GSPMD_TILED;
  TRY(expect(r, '['));
  TRY(numbers(r, &dims));
  TRY(expect(r, ']'));
  TRY(product_of(&dims, "tile dimension", &out->n_devices));
  out->dims = dims.items;
  out->n_dims = dims.count;
  if (!cursor_take(&r->c, '<')) return read_list(r, out);
  TRY(expect(r, '='));
  return read_iota(r, out);
}

static Status *read_subgroups(Reader *r, GspmdSharding *out) {
  VEC(GspmdSubgroup) list = {0};
  TRY(expect(r, '{'));
  while (!cursor_take(&r->c, '}')) {
    if (list.count) TRY(expect(r, ','));
    size_t begin = r->c.at;
    Str name = word(r);
    uint32_t k = 0;
    // The enum's order is the order of the names.
    while (k < 3 && !str_is(name, subgroup_names[k])) k++;
    if (k == 3) {
      r->c.at = begin;
      return expected(r, "manual, unreduced or replicated");
    }
    VEC_PUSH(r->arena, &list, (GspmdSubgroup)k);
  }
  out->subgroups = list.items;
  out->n_subgroups = list.count;
  return NULL;
}

// Skips metadata={…}: balanced braces, which may contain strings.
static Status *skip_metadata(Reader *r) {
  uint32_t depth = 0;
  TRY(expect(r, '{'));
  for (depth = 1; depth && r->c.at < r->c.end; r->c.at++) {
    char ch = r->c.text[r->c.at];
    if (ch == '{') depth++;
    if (ch == '}') depth--;
    if (ch != '"') continue;
    for (r->c.at++; r->c.at < r->c.end && r->c.text[r->c.at] != '"'; r->c.at++)
      if (r->c.text[r->c.at] == '\\') r->c.at++;
  }
  if (r->c.at > r->c.end) r->c.at = r->c.end;
  return depth ? expected(r, "'}' of the metadata") : NULL;
}

static const struct {
  const char *name;
  GspmdKind kind;
} kind_names[] = {{"replicated", GSPMD_REPLICATED}, {"maximal", GSPMD_MAXIMAL},
                  {"manual", GSPMD_MANUAL},         {"unknown", GSPMD_UNKNOWN},
                  {"unreduced", GSPMD_UNREDUCED},   {"devices", GSPMD_TILED}};

// The first word, and for `maximal` and `devices` what belongs to it.
static Status *read_kind(Reader *r, GspmdSharding *out) {
  static const char choices[] = "replicated, maximal, manual, unknown, unreduced or devices=";
  cursor_skip(&r->c);
  size_t begin = r->c.at;
  Str name = word(r);
  if (str_is(name, "mesh"))
    FAIL(UNIMPLEMENTED, "a named sharding {mesh[…] is not read, only device arrays");
  for (size_t k = 0; k < sizeof kind_names / sizeof *kind_names; k++) {
    if (!str_is(name, kind_names[k].name)) continue;
    out->kind = kind_names[k].kind;
    if (out->kind == GSPMD_TILED) {
      TRY(expect(r, '='));
      return read_tiles(r, out);
    }
    if (out->kind != GSPMD_MAXIMAL) return NULL;
    int64_t device;
    if (!str_is(word(r), "device")) return expected(r, "device=");
    TRY(expect(r, '='));
    TRY(number(r, GSPMD_MOST_DEVICES, &device));
    out->device = (uint32_t)device;
    return NULL;
  }
  r->c.at = begin;
  return expected(r, choices);
}

// Words after the kind, in any order: subgroups, metadata, shard group.
static Status *read_suffix(Reader *r, GspmdSharding *out) {
  static const GspmdSubgroup replicated[] = {GSPMD_SUBGROUP_REPLICATED};
  size_t begin = r->c.at;
  Str name = word(r);
  bool tiled = out->kind == GSPMD_TILED && !out->n_subgroups;
  if (tiled && str_is(name, "last_tile_dim_replicate")) {
    out->subgroups = replicated;
    out->n_subgroups = 1;
    return NULL;
  }
  if (tiled && str_is(name, "last_tile_dims")) {
    TRY(expect(r, '='));
    return read_subgroups(r, out);
  }
  if (str_is(name, "metadata")) {
    TRY(expect(r, '='));
    return skip_metadata(r);
  }
  bool as = str_is(name, "shard_as");
  if (!out->group && (as || str_is(name, "shard_like"))) {
    out->group = as ? GSPMD_SHARD_AS : GSPMD_SHARD_LIKE;
    return number(r, INT64_MAX / 16, &out->group_id);
  }
  r->c.at = begin;
  return expected(r, "'}'");
}

// Reads the rest of a sharding after its '{'.
static Status *read_single(Reader *r, GspmdSharding *out) {
  *out = (GspmdSharding){0};
  TRY(read_kind(r, out));
  while (!cursor_take(&r->c, '}')) TRY(read_suffix(r, out));
  if (out->n_subgroups > out->n_dims)
    FAIL(INVALID_ARGUMENT, "sharding has %u subgroups in %u dimensions", out->n_subgroups,
         out->n_dims);
  return NULL;
}

// Reads the items of `{{…}, {…}}`; `{}` is the empty tuple.
static Status *read_tuple(Reader *r, GspmdSharding *out) {
  VEC(GspmdSharding) items = {0};
  *out = (GspmdSharding){.kind = GSPMD_TUPLE};
  while (!cursor_take(&r->c, '}')) {
    GspmdSharding item;
    if (items.count) TRY(expect(r, ','));
    TRY(expect(r, '{'));
    TRY(read_single(r, &item));
    VEC_PUSH(r->arena, &items, item);
  }
  out->items = items.items;
  out->n_items = items.count;
  return NULL;
}

Status *gspmd_parse(Arena *arena, Str text, GspmdSharding *out) {
  Reader r = {{text.s, 0, text.n, " \t\n\r", true}, arena};
  GspmdSharding result;
  if (text.n && (unsigned char)text.s[0] < ' ')
    FAIL(UNIMPLEMENTED, "a sharding in binary form is not read, only its text");
  TRY(expect(&r, '{'));
  char next = cursor_peek(&r.c);
  TRY(next == '{' || next == '}' ? read_tuple(&r, &result) : read_single(&r, &result));
  cursor_skip(&r.c);
  if (r.c.at < text.n) return expected(&r, "the end");
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
    for (size_t k = 0; k < sizeof kind_names / sizeof *kind_names; k++)
      if (kind_names[k].kind == s->kind) strbuf_puts(out, kind_names[k].name);
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
    // XLA's printer numbers every fifth item.
    if (i && i % 5 == 0) strbuf_printf(out, "/*index=%u*/", i);
    print_single(&s->items[i], out);
  }
  strbuf_putc(out, '}');
}

// Inverts the transposed iota: the cell's coordinates in the transposed array, minor to major, are
// coordinates of the reshaped iota. O(n_reshape²), at most 20 dims.
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
