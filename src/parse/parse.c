// Complete texts: check the bytes, find aliases, then read ops, resources and alias lines in order
// into an implicit module. A text that is one module itself replaces the implicit one. O(text).
#include "parse/parse.h"

#include "base/mem.h"
#include "parse/reader.h"

// ---- the file ----

// Ids are indices + 1.
static bool resource_equal(const void *owner, uint32_t id, const void *key) {
  return ((const Reader *)owner)->program->resources.items[id - 1].key == *(const Name *)key;
}

// {-# dialect_resources: { builtin: { key: "0x…" } }, external_resources: {…} #-}
static bool read_resource(Reader *r) {
  Pos pos = r->tok.pos;
  Name key;
  if (r->tok.kind == TOK_STRING) {
    if (!reader_string(r, &key)) return false;
  } else {
    Str word;
    if (!reader_word(r, &word)) return false;
    key = name_intern(r->context, word);
  }
  if (!reader_expect(r, ':')) return false;
  if (r->tok.kind != TOK_STRING) return reader_expected(r, "a hex string");
  Str text = {r->tok.text.s + 1, r->tok.text.n - 2};
  if (text.n < 10 || text.s[0] != '0' || text.s[1] != 'x' || text.n % 2)
    return reader_fail(r, r->tok.pos, "expected 0x, four bytes of alignment and the data in hex");
  size_t bytes = (text.n - 2) / 2;
  uint8_t *data = arena_alloc(context_arena(r->context), bytes);
  if (!hex_decode(text.s + 2, bytes, data))
    return reader_fail(r, r->tok.pos, "the blob of '%s' has a character that is not a hex digit",
                       name_text(r->context, key));
  if (idmap_find(&r->resource_map, hash_mix(key, 1), resource_equal, r, &key))
    return reader_fail(r, pos, "the resource '%s' is defined twice", name_text(r->context, key));
  // The data begins after the 4-byte alignment word, without a copy; eval does not need alignment.
  Resource resource = {.key = key, .bytes = bytes - 4};
  resource.alignment = (uint32_t)data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 |
                       (uint32_t)data[3] << 24;
  resource.data = data + 4;
  HEAPVEC_PUSH(r->guard, &r->program->resources, resource);
  idmap_add(&r->resource_map, r->guard, hash_mix(key, 1), r->program->resources.count);
  reader_next(r);
  return true;
}

static bool read_resource_dict(Reader *r) {
  if (!reader_expect(r, '{')) return false;
  if (reader_accept(r, '}')) return true;
  do {
    if (!read_resource(r)) return false;
  } while (reader_accept(r, ','));
  return reader_expect(r, '}');
}

static bool read_dialect_resources(Reader *r) {
  if (!reader_expect(r, '{')) return false;
  if (reader_accept(r, '}')) return true;
  do {
    Str dialect;
    if (!reader_word(r, &dialect) || !reader_expect(r, ':') || !read_resource_dict(r)) return false;
  } while (reader_accept(r, ','));
  return reader_expect(r, '}');
}

static bool read_metadata(Reader *r) {
  reader_next(r);
  if (reader_accept_tok(r, TOK_FILE_END)) return true;
  do {
    Str section, ignored;
    if (!reader_word(r, &section) || !reader_expect(r, ':')) return false;
    if (str_is(section, "dialect_resources")) {
      if (!read_dialect_resources(r)) return false;
    } else {
      if (!reader_at(r, '{')) return reader_expected(r, "'{'");
      if (!reader_balanced(r, r->tok.text.s, &ignored)) return false;
    }
  } while (reader_accept(r, ','));
  return reader_expect_tok(r, TOK_FILE_END, "'#-}'");
}

static bool skip_alias(Reader *r) {
  Str name = {r->tok.text.s + 1, r->tok.text.n - 1};
  ReadAlias *alias = reader_alias(r, name_intern(r->context, name), r->tok.kind == TOK_BANG);
  if (!alias) return reader_expected(r, "an op");
  if (alias->state != ALIAS_READ || alias->pos != r->tok.pos) return false;  // reported before
  reader_seek(r, alias->end);
  return true;
}

static void read_top_level(Reader *r, BlockId block) {
  while (r->tok.kind != TOK_END && r->tok.kind != TOK_ERROR && !diag_full(r->diag)) {
    if (r->tok.kind == TOK_FILE_BEGIN) {
      if (!read_metadata(r)) return;
    } else if (r->tok.kind == TOK_HASH || r->tok.kind == TOK_BANG) {
      if (!skip_alias(r)) return;
    } else if (reader_at(r, '}')) {
      if (!r->failed) reader_fail(r, r->tok.pos, "'}' has no matching '{'");
      return;
    } else if (!reader_op(r, block)) {
      return;
    }
  }
}

// The text's only module replaces the implicit module.
static void unwrap_module(Program *p) {
  BlockId block = region_block(p, op_region(p, p->root, 0));
  OpId inner = block_at(p, block)->first;
  if (!inner || op_at(p, inner)->next || op_at(p, inner)->code != OP_module) return;
  Op *to = op_at(p, p->root), *from = op_at(p, inner);
  RegionId to_region = to->regions, from_region = from->regions;
  to->attrs = from->attrs;
  to->loc = from->loc;
  to->pos = from->pos;
  *region_at(p, to_region) = *region_at(p, from_region);
  region_at(p, to_region)->op = p->root;
  *region_at(p, from_region) = (Region){0};
  for (BlockId b = region_at(p, to_region)->first; b; b = block_at(p, b)->next)
    block_at(p, b)->region = to_region;
  *from = (Op){.pos = POS_NONE};
  *block_at(p, block) = (Block){0};
  p->n_dead++;
  if (!region_at(p, to_region)->first) region_add_block(p, to_region);
}

// Every module gets a block, also an empty one.
static void fill_modules(Program *p) {
  for (OpId op = 1; op < p->ops.count; op++)
    if (op_at(p, op)->code == OP_module && op_at(p, op)->n_regions &&
        !region_block(p, op_region(p, op, 0)))
      region_add_block(p, op_region(p, op, 0));
}

// ---- bytes ----

static size_t utf8_length(const unsigned char *s, size_t left) {
  unsigned char c = s[0];
  size_t n = c >= 0xC2 && c <= 0xDF   ? 2
             : c >= 0xE0 && c <= 0xEF ? 3
             : c >= 0xF0 && c <= 0xF4 ? 4
                                      : 0;
  if (!n || n > left) return 0;
  for (size_t i = 1; i < n; i++)
    if ((s[i] & 0xC0) != 0x80) return 0;
  if ((c == 0xE0 && s[1] < 0xA0) || (c == 0xED && s[1] > 0x9F) || (c == 0xF0 && s[1] < 0x90) ||
      (c == 0xF4 && s[1] > 0x8F))
    return 0;
  return n;
}

// Reports NUL bytes and invalid UTF-8; eight bytes at a time while they are ASCII.
static bool check_bytes(Reader *r) {
  const unsigned char *s = (const unsigned char *)r->at, *end = (const unsigned char *)r->end;
  while (s < end) {
    uint64_t word;
    while (end - s >= 8) {
      memcpy(&word, s, 8);
      uint64_t has_zero = (word - 0x0101010101010101u) & ~word & 0x8080808080808080u;
      if ((word & 0x8080808080808080u) | has_zero) break;
      s += 8;
    }
    if (s >= end) break;
    Pos pos = (Pos)((const char *)s - r->source->text);
    if (!*s) return reader_fail(r, pos, "the text contains a NUL byte");
    size_t n = *s < 0x80 ? 1 : utf8_length(s, (size_t)(end - s));
    if (!n) return reader_fail(r, pos, "the byte 0x%02X is not valid UTF-8", *s);
    s += n;
  }
  return true;
}

static uint32_t little_endian(const char *at, uint32_t n) {
  uint32_t value = 0;
  for (uint32_t i = 0; i < n; i++) value |= (uint32_t)(unsigned char)at[i] << 8 * i;
  return value;
}

static bool has_bytecode(Str bytes) {
  const char *at = bytes.s, *end = bytes.s + bytes.n;
  for (; (at = memchr(at, 'M', (size_t)(end - at))); at++)
    if (str_starts((Str){at, (size_t)(end - at)}, "ML\xEFR")) return true;
  return false;
}

// Whether the bytes are a jax.export flatbuffer, which has no identifier: offset of a table, at the
// table the distance back to its field offsets, which begin with their size. One of the fields is
// MLIR bytecode.
static bool is_exported(Str bytes) {
  if (bytes.n < 16) return false;
  uint64_t table = little_endian(bytes.s, 4);
  if (table + 4 > bytes.n) return false;
  int64_t fields = (int64_t)table - (int32_t)little_endian(bytes.s + table, 4);
  if (fields < 4 || (uint64_t)fields + 4 > bytes.n) return false;
  uint32_t size = little_endian(bytes.s + fields, 2);
  return size >= 4 && size % 2 == 0 && (uint64_t)fields + size <= bytes.n && has_bytecode(bytes);
}

// Reports other formats of JAX once, instead of an error per line.
static bool check_format(Reader *r) {
  static const struct {
    const char *start, *what;
  } formats[] = {
      {"HloModule", "this is HLO text, expected StableHLO text: use JAX's lower(…).as_text()"},
      {"ML\xEFR", "this is MLIR bytecode, expected text: use JAX's Exported.mlir_module()"},
      {"{ lambda", "this is a jaxpr, expected StableHLO text: use JAX's lower(…).as_text()"},
  };
  Str text = {r->at, (size_t)(r->end - r->at)};
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (str_starts(text, formats[i].start))
      return reader_fail(r, (Pos)(r->at - r->source->text), "%s", formats[i].what);
  if (is_exported(text))
    return reader_fail(r, (Pos)(r->at - r->source->text),
                       "this is the output of JAX's Exported.serialize(), expected text: use "
                       "jax.export.deserialize(…).mlir_module()");
  return true;
}

// ---- public ----

typedef struct Reading {
  Reader r;
  Arena scratch;
  Guard *context_guard;
  ParseOptions options;
} Reading;

static void release(void *object) {
  Reading *reading = object;
  Reader *r = &reading->r;
  HEAPVEC_FREE(&r->by_name);
  HEAPVEC_FREE(&r->by_number);
  HEAPVEC_FREE(&r->bindings);
  HEAPVEC_FREE(&r->aliases);
  HEAPVEC_FREE(&r->spare_regions);
  HEAPVEC_FREE(&r->items);
  HEAPVEC_FREE(&r->fields);
  idmap_deinit(&r->alias_map);
  idmap_deinit(&r->resource_map);
  mem_free(r->type_cache);
  arena_deinit(&reading->scratch);
  context_guard(r->context, reading->context_guard);
  program_free(r->program);
}

static void reading_init(Reading *reading, Context *context, Guard *guard, const Source *source,
                         size_t begin, size_t end, const ParseOptions *options, Diag *diag) {
  *reading = (Reading){.options = options ? *options : (ParseOptions){0}};
  Reader *r = &reading->r;
  *r = (Reader){.context = context, .guard = guard, .source = source, .diag = diag};
  r->options = &reading->options;
  r->scratch = &reading->scratch;
  r->at = source->text + begin;
  r->end = source->text + end;
  r->max_depth = reading->options.max_depth ? reading->options.max_depth : 256;
  arena_init(&reading->scratch, guard);
  reading->context_guard = context_guard(context, guard);
}

// Makes the vectors non-NULL, so that views of zero items are valid pointers.
static void reserve_stacks(Reader *r) {
  HEAPVEC_RESERVE(r->guard, &r->items, 8);
  HEAPVEC_RESERVE(r->guard, &r->fields, 8);
}

Status *program_parse(Context *context, Guard *guard, const Source *source, size_t begin,
                      size_t end, const ParseOptions *options, Diag *diag, Program **out_program) {
  if (source->size >= POS_NONE)
    FAIL(INVALID_ARGUMENT, "%s: the text has 4 GiB or more, which is not supported", source->path);
  Reading reading;
  reading_init(&reading, context, guard, source, begin, end, options, diag);
  Reader *r = &reading.r;
  GuardCleanup cleanup = {release, &reading, NULL};
  guard_push(guard, &cleanup);
  reserve_stacks(r);
  uint32_t errors = diag->errors;
  if (check_format(r) && check_bytes(r)) {
    Program *p = r->program = program_new(context, guard, source);
    HEAPVEC_PUSH(guard, &r->bindings, (ReadBinding){0});
    OpId root = op_create(p, &(OpSpec){.code = OP_module, .n_regions = 1, .pos = POS_NONE});
    BlockId block = region_add_block(p, op_region(p, root, 0));
    reader_find_aliases(r);
    reader_next(r);
    reader_read_aliases(r);
    read_top_level(r, block);
    if (diag->errors == errors) {
      unwrap_module(p);
      fill_modules(p);
      program_guard(p, guard);
      *out_program = p;
      r->program = NULL;
    }
  }
  guard_pop(guard, &cleanup);
  release(&reading);
  return diag->errors == errors ? NULL : diag_status(diag);
}

bool source_next_segment(const Source *source, size_t *begin, size_t *end) {
  static const char mark[] = "// -----";
  const char *text = source->text, *last = text + source->size;
  size_t from = *end;
  if (from) {  // at a separator line, or at the end of the text
    if (from >= source->size) return false;
    const char *eol = memchr(text + from, '\n', source->size - from);
    if (!eol) return false;
    from = (size_t)(eol + 1 - text);
    if (from >= source->size) return false;
  } else if (*begin || !source->size) {
    return false;
  }
  *begin = from;
  const char *line = text + from;
  while (line < last) {
    if (line > text + from && (size_t)(last - line) >= sizeof mark - 1 &&
        memcmp(line, mark, sizeof mark - 1) == 0)
      break;
    const char *eol = memchr(line, '\n', (size_t)(last - line));
    line = eol ? eol + 1 : last;
  }
  *end = (size_t)(line - text);
  return true;
}

Status *attr_parse_text(Context *context, Guard *guard, const char *text, Diag *diag, Attr *out) {
  Source source = {.path = "<text>", .text = text, .size = strlen(text)};
  if (source.size >= POS_NONE)
    FAIL(INVALID_ARGUMENT, "the text has 4 GiB or more, which is not supported");
  Reading reading;
  reading_init(&reading, context, guard, &source, 0, source.size, NULL, diag);
  Reader *r = &reading.r;
  GuardCleanup cleanup = {release, &reading, NULL};
  guard_push(guard, &cleanup);
  reserve_stacks(r);
  uint32_t errors = diag->errors;
  Attr value = 0;
  if (check_bytes(r)) {
    reader_next(r);
    if (reader_attr(r, 0, &value) && r->tok.kind != TOK_END)
      reader_expected(r, "the end of the text");
  }
  bool ok = diag->errors == errors;
  guard_pop(guard, &cleanup);
  release(&reading);
  if (ok) *out = value;
  return ok ? NULL : diag_status(diag);
}
