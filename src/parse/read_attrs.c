// Attributes, locations and aliases. Alias definitions are found by their lines before anything
// else is read, then read in order, each at most once. An alias that uses another reads that one
// first; a cycle is an error. O(text).
#include "parse/reader.h"

#include "parse/read_dense.h"

static Pos pos_of(const Reader *r, const char *at) { return (Pos)(at - r->source->text); }

static int shown(Str text) { return text.n > 60 ? 60 : (int)text.n; }

// ---- text kept as it is ----

// Scans characters, not tokens: the text may be of any dialect. `open` is the stack of expected
// closing brackets; the `>` of `->` and `=>` closes nothing.
bool reader_balanced(Reader *r, const char *from, Str *out) {
  char open[512];
  uint32_t depth = 0;
  const char *at = r->tok.text.s;
  for (; at < r->end; at++) {
    char c = *at;
    if (c == '"') {
      reader_seek(r, at);
      if (r->tok.kind != TOK_STRING) return false;
      at = r->at - 1;
    } else if (c == '<' || c == '(' || c == '[' || c == '{') {
      if (depth >= sizeof open || r->depth + depth >= r->max_depth)
        return reader_fail(r, pos_of(r, at), "nested deeper than %u levels", r->max_depth);
      open[depth++] = c == '<' ? '>' : c == '(' ? ')' : c == '[' ? ']' : '}';
    } else if ((c == '-' || c == '=') && at + 1 < r->end && at[1] == '>') {
      at++;
    } else if (c == '>' || c == ')' || c == ']' || c == '}') {
      if (open[depth - 1] != c)
        return reader_fail(r, pos_of(r, at), "'%c' does not match the open '%c'", c,
                           open[depth - 1]);
      if (--depth == 0) break;
    }
  }
  if (at >= r->end) {
    reader_seek(r, r->end);
    char what[] = "'?'";
    what[1] = open[depth - 1];
    return reader_expected(r, what);
  }
  *out = (Str){from, (size_t)(at + 1 - from)};
  reader_seek(r, at + 1);
  return true;
}

static Attr opaque(Reader *r, Str text) {
  return attr_intern(r->context,
                     &(AttrInfo){.kind = ATTR_OPAQUE, .name = name_intern(r->context, text)});
}

// ---- aliases ----

static bool alias_equal(const void *owner, uint32_t id, const void *key) {
  const ReadAlias *a = &((const Reader *)owner)->aliases.items[id], *b = key;
  return a->name == b->name && a->is_type == b->is_type;
}

static uint64_t alias_hash(Name name, bool is_type) { return hash_mix(name, is_type); }

ReadAlias *reader_alias(Reader *r, Name name, bool is_type) {
  ReadAlias key = {.name = name, .is_type = is_type};
  uint32_t id = idmap_find(&r->alias_map, alias_hash(name, is_type), alias_equal, r, &key);
  return id ? &r->aliases.items[id] : NULL;
}

static bool name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$' || c == '-';
}

static void add_alias(Reader *r, const char *sigil, const char *name_end, const char *value) {
  Str text = {sigil + 1, (size_t)(name_end - sigil - 1)};
  ReadAlias alias = {.name = name_intern(r->context, text),
                     .is_type = *sigil == '!',
                     .pos = pos_of(r, sigil),
                     .begin = value};
  ReadAlias *before = reader_alias(r, alias.name, alias.is_type);
  if (before) {
    Pos first = before->pos;
    reader_fail(r, alias.pos, "the alias '%c%.*s' is defined twice", *sigil, shown(text), text.s);
    diag_note(r->diag, first, "the first definition is here");
    return;
  }
  if (!r->aliases.count) HEAPVEC_PUSH(r->guard, &r->aliases, (ReadAlias){0});
  HEAPVEC_PUSH(r->guard, &r->aliases, alias);
  idmap_add(&r->alias_map, r->guard, alias_hash(alias.name, alias.is_type), r->aliases.count - 1);
}

static const char *skip_blanks(const Reader *r, const char *at) {
  while (at < r->end && (*at == ' ' || *at == '\t')) at++;
  return at;
}

// An alias definition begins its line with `#name =` or `!name =`; no op does.
void reader_find_aliases(Reader *r) {
  for (const char *line = r->at; line < r->end;) {
    const char *at = skip_blanks(r, line), *sigil = at;
    if (at < r->end && (*at == '#' || *at == '!')) {
      at++;
      while (at < r->end && name_char(*at)) at++;
      const char *name_end = at;
      at = skip_blanks(r, at);
      if (name_end > sigil + 1 && at < r->end && *at == '=') add_alias(r, sigil, name_end, at + 1);
    }
    const char *eol = memchr(at, '\n', (size_t)(r->end - at));
    line = eol ? eol + 1 : r->end;
  }
}

// Aliases of aliases can grow exponentially. This limits how much longer than the text an expanded
// alias may be.
enum { MOST_EXTRA_CHARS = 1 << 20 };

// Limits the size of an expanded alias, before anything prints it.
static bool check_chars(Reader *r, ReadAlias *alias) {
  uint64_t text = (uint64_t)(r->end - r->source->text);
  if (alias->chars <= text + MOST_EXTRA_CHARS) return true;
  Str name = name_str(r->context, alias->name);
  return reader_fail(r, alias->pos, "the alias '%c%.*s' expands to more than %llu bytes",
                     alias->is_type ? '!' : '#', shown(name), name.s,
                     (unsigned long long)text + MOST_EXTRA_CHARS);
}

// Reads one alias definition wherever it is in the text, then returns to the current token.
// ALIAS_READING marks it meanwhile, to detect cycles.
static void read_alias(Reader *r, uint32_t id) {
  Token tok = r->tok;
  const char *at = r->at;
  ReadAlias alias = r->aliases.items[id];
  r->aliases.items[id].state = ALIAS_READING;
  uint32_t value = 0, depth = r->depth, items = r->items.count, fields = r->fields.count;
  uint64_t chars = r->alias_chars;
  r->alias_chars = 0;
  bool ok = reader_enter(r);
  if (ok) {
    reader_seek(r, alias.begin);
    ok = alias.is_type ? reader_type(r, &value) : reader_attr(r, 0, &value);
  }
  r->depth = depth;
  r->items.count = items;
  r->fields.count = fields;
  ReadAlias *done = &r->aliases.items[id];  // reading may have moved the table
  done->state = ok && r->tok.kind != TOK_ERROR ? ALIAS_READ : ALIAS_WRONG;
  done->value = value;
  done->end = r->tok.text.s;
  done->chars = r->alias_chars + (ok ? (uint64_t)(done->end - alias.begin) : 0);
  r->alias_chars = chars;
  if (ok && !check_chars(r, done)) done->state = ALIAS_WRONG;
  if (r->tok.kind == TOK_ERROR) return;  // stays: nothing can be read after a lexical error
  r->tok = tok;
  r->at = at;
}

void reader_read_aliases(Reader *r) {
  for (uint32_t i = 1; i < r->aliases.count && r->tok.kind != TOK_ERROR && !diag_full(r->diag); i++)
    if (r->aliases.items[i].state == ALIAS_UNREAD) read_alias(r, i);
}

bool reader_use_alias(Reader *r, ReadAlias *alias, Pos pos, uint32_t *out) {
  uint32_t id = (uint32_t)(alias - r->aliases.items);
  if (alias->state == ALIAS_READING) {
    Str name = name_str(r->context, alias->name);
    return reader_fail(r, pos, "the alias '%c%.*s' is defined in terms of itself",
                       alias->is_type ? '!' : '#', shown(name), name.s);
  }
  if (alias->state == ALIAS_UNREAD) read_alias(r, id);
  alias = &r->aliases.items[id];
  if (alias->state != ALIAS_READ) {
    r->poisoned = true;  // reported at its definition
    return false;
  }
  *out = alias->value;
  r->alias_chars += alias->chars;
  return true;
}

// ---- dicts and arrays ----

static bool read_key(Reader *r, Name *out) {
  if (r->tok.kind == TOK_WORD) {
    *out = name_intern(r->context, r->tok.text);
    reader_next(r);
    return true;
  }
  if (r->tok.kind != TOK_STRING) return reader_expected(r, "the name of an attribute");
  Pos pos = r->tok.pos;
  if (!reader_string(r, out)) return false;
  return *out || reader_fail(r, pos, "the name of an attribute must not be empty");
}

static bool read_entry(Reader *r, NamedAttr *out) {
  if (!read_key(r, &out->name)) return false;
  if (!reader_accept(r, '=')) {
    out->value = attr_unit(r->context);
    return true;
  }
  return reader_attr(r, 0, &out->value);
}

// Reads `{…}` and pushes its entries on r->fields.
static bool read_fields(Reader *r) {
  uint32_t base = r->fields.count;
  Pos pos = r->tok.pos;
  if (!reader_expect(r, '{')) return false;
  if (reader_accept(r, '}')) return true;
  do {
    NamedAttr entry;
    if (!read_entry(r, &entry)) return false;
    HEAPVEC_PUSH(r->guard, &r->fields, entry);
  } while (reader_accept(r, ','));
  if (!reader_expect(r, '}')) return false;
  Name twice = attr_fields_repeat(r->context, r->fields.count - base, r->fields.items + base);
  return !twice ||
         reader_fail(r, pos, "the attribute '%s' occurs twice", name_text(r->context, twice));
}

bool reader_dict(Reader *r, Attr *out) {
  uint32_t base = r->fields.count;
  bool ok = read_fields(r);
  if (ok)
    *out = attr_intern(r->context, &(AttrInfo){.kind = ATTR_DICT,
                                               .count = r->fields.count - base,
                                               .fields = r->fields.items + base});
  r->fields.count = base;
  return ok;
}

static bool read_array(Reader *r, Attr *out) {
  uint32_t base = r->items.count;
  reader_next(r);
  if (!reader_accept(r, ']')) {
    do {
      Attr item;
      if (!reader_attr(r, 0, &item)) return false;
      HEAPVEC_PUSH(r->guard, &r->items, item);
    } while (reader_accept(r, ','));
    if (!reader_expect(r, ']')) return false;
  }
  *out = attr_array(r->context, r->items.count - base, r->items.items + base);
  r->items.count = base;
  return true;
}

Attr reader_op_attr(Reader *r, const ReadOp *op, const char *name) {
  for (uint32_t i = 0; i < op->attrs.count; i++)
    if (strcmp(name_text(r->context, op->attrs.items[i].name), name) == 0)
      return op->attrs.items[i].value;
  return 0;
}

void reader_set_attr(Reader *r, ReadOp *op, const char *name, Attr value) {
  NamedAttr entry = {name_of(r->context, name), value};
  for (uint32_t i = 0; i < op->attrs.count; i++)
    if (op->attrs.items[i].name == entry.name) {
      op->attrs.items[i] = entry;
      return;
    }
  VEC_PUSH(r->scratch, &op->attrs, entry);
}

bool reader_add_attr(Reader *r, ReadOp *op, Pos pos, const char *name, Attr value) {
  NamedAttr entry = {name_of(r->context, name), value};
  for (uint32_t i = 0; i < op->attrs.count; i++)
    if (op->attrs.items[i].name == entry.name)
      return reader_fail(r, pos, "the attribute '%s' occurs twice", name);
  VEC_PUSH(r->scratch, &op->attrs, entry);
  return true;
}

bool reader_attr_dict(Reader *r, ReadOp *op) {
  if (!reader_at(r, '{')) return true;
  Pos pos = r->tok.pos;
  uint32_t base = r->fields.count, before = op->attrs.count;
  if (!read_fields(r)) {
    r->fields.count = base;
    return false;
  }
  for (uint32_t i = base; i < r->fields.count; i++)
    VEC_PUSH(r->scratch, &op->attrs, r->fields.items[i]);
  r->fields.count = base;
  Name twice = before ? attr_fields_repeat(r->context, op->attrs.count, op->attrs.items) : 0;
  return !twice ||
         reader_fail(r, pos, "the attribute '%s' occurs twice", name_text(r->context, twice));
}

bool reader_attr_dict_with_keyword(Reader *r, ReadOp *op) {
  if (!reader_accept_word(r, "attributes")) return true;
  return reader_at(r, '{') ? reader_attr_dict(r, op) : reader_expected(r, "'{'");
}

// ---- numbers ----

// The type of a number: the expected one, the one after ':', or the default.
static bool number_type(Reader *r, Type expected, DType otherwise, Type *out) {
  if (expected) {
    *out = expected;
    return true;
  }
  *out = type_scalar(otherwise);
  return !reader_accept(r, ':') || reader_type(r, out);
}

static bool read_number(Reader *r, Type expected, Attr *out) {
  const char *begin = r->tok.text.s;
  Pos pos = r->tok.pos;
  bool negative = reader_accept(r, '-');
  if (r->tok.kind != TOK_INT && r->tok.kind != TOK_FLOAT) return reader_expected(r, "a number");
  bool is_float = r->tok.kind == TOK_FLOAT;
  Str text = r->tok.text;
  if (negative) {
    if (text.s != begin + 1) {
      char *joined = arena_alloc(r->scratch, text.n + 1);
      joined[0] = '-';
      memcpy(joined + 1, text.s, text.n);
      text.s = joined;
    } else {
      text.s--;
    }
    text.n++;
  }
  reader_next(r);
  Type type;
  if (!number_type(r, expected, is_float ? DT_f64 : DT_i64, &type)) return false;
  const TypeInfo *info = type_info(r->context, type);
  if (info->kind == TYPE_OPAQUE && !expected) {  // 3 : si32
    const char *end = r->tok.text.s;
    while (end > begin && (end[-1] == ' ' || end[-1] == '\n' || end[-1] == '\t' || end[-1] == '\r'))
      end--;
    *out = opaque(r, (Str){begin, (size_t)(end - begin)});
    return true;
  }
  Scalar value;
  if (info->kind != TYPE_SCALAR || dtype_is_complex(info->dtype) || info->dtype == DT_none)
    return reader_fail(r, pos, "a number cannot have the type %s", type_text(r->context, type));
  if (is_float && !dtype_is_float(info->dtype))
    return reader_fail(r, pos, "'%.*s' is not a value of type %s", shown(text), text.s,
                       type_text(r->context, type));
  if (!dtype_parse_number(info->dtype, text.s, text.n, &value))
    return reader_fail(r, pos, "'%.*s' is not a value of type %s%s", shown(text), text.s,
                       type_text(r->context, type),
                       dtype_is_float(info->dtype) ? " (write 1.0 or the bits in hex)" : "");
  if (info->dtype == DT_i1)
    *out = attr_bool(r->context, value.i != 0);
  else if (dtype_is_float(info->dtype))
    *out = attr_float(r->context, type, value.f);
  else
    *out = attr_int(r->context, type, value.i);
  return true;
}

// ---- locations ----

static bool read_loc_body(Reader *r, Attr *out);

static bool read_u32(Reader *r, uint32_t *out) {
  Pos pos = r->tok.pos;
  int64_t value;
  if (!reader_integer(r, &value)) return false;
  if (value < 0 || value > UINT32_MAX)
    return reader_fail(r, pos, "%lld is not a valid line or column", (long long)value);
  *out = (uint32_t)value;
  return true;
}

// Reads "file":1:2, with `to 3:4` or `to :4`; the current token is the colon after the string.
static bool read_file_loc(Reader *r, Name file, Attr *out) {
  LocRange range = {0};
  reader_next(r);
  if (!read_u32(r, &range.line) || !reader_expect(r, ':') || !read_u32(r, &range.column))
    return false;
  if (reader_accept_word(r, "to")) {
    range.end_line = range.line;
    if (!reader_at(r, ':') && !read_u32(r, &range.end_line)) return false;
    if (!reader_expect(r, ':') || !read_u32(r, &range.end_column)) return false;
  }
  *out = attr_loc_file(r->context, file, range);
  return true;
}

static bool read_name_loc(Reader *r, Name name, Attr *out) {
  AttrInfo info = {.kind = ATTR_LOC_NAME, .name = name};
  Attr child;
  if (reader_accept(r, '(')) {
    if (!read_loc_body(r, &child) || !reader_expect(r, ')')) return false;
    info.items = &child;
    info.count = 1;
  }
  *out = attr_intern(r->context, &info);
  return true;
}

static bool read_callsite(Reader *r, Attr *out) {
  Attr ends[2];
  if (!reader_expect(r, '(') || !read_loc_body(r, &ends[0]) || !reader_expect_word(r, "at") ||
      !read_loc_body(r, &ends[1]) || !reader_expect(r, ')'))
    return false;
  *out = attr_intern(r->context, &(AttrInfo){.kind = ATTR_LOC_CALLSITE, .count = 2, .items = ends});
  return true;
}

// Reads fused[…] or fused<meta>[…]; the metadata is the last item, marked by i = 1.
static bool read_fused(Reader *r, Attr *out) {
  uint32_t base = r->items.count;
  Attr meta = 0, item;
  if (reader_accept(r, '<') && (!reader_attr(r, 0, &meta) || !reader_expect(r, '>'))) return false;
  if (!reader_expect(r, '[')) return false;
  if (!reader_at(r, ']')) {
    do {
      if (!read_loc_body(r, &item)) return false;
      HEAPVEC_PUSH(r->guard, &r->items, item);
    } while (reader_accept(r, ','));
  }
  if (!reader_expect(r, ']')) return false;
  if (meta) HEAPVEC_PUSH(r->guard, &r->items, meta);
  *out = attr_intern(r->context, &(AttrInfo){.kind = ATTR_LOC_FUSED,
                                             .i = meta != 0,
                                             .count = r->items.count - base,
                                             .items = r->items.items + base});
  r->items.count = base;
  return true;
}

static bool is_loc(const Context *context, Attr attr) {
  AttrKind kind = attr_info(context, attr)->kind;
  return kind == ATTR_LOC_UNKNOWN || kind == ATTR_LOC_FILE || kind == ATTR_LOC_NAME ||
         kind == ATTR_LOC_CALLSITE || kind == ATTR_LOC_FUSED || kind == ATTR_OPAQUE;
}

static bool read_loc_kind(Reader *r, Attr *out) {
  if (r->tok.kind == TOK_STRING) {
    Name name;
    if (!reader_string(r, &name)) return false;
    return reader_at(r, ':') ? read_file_loc(r, name, out) : read_name_loc(r, name, out);
  }
  if (r->tok.kind == TOK_HASH) {
    Pos pos = r->tok.pos;
    if (!reader_attr(r, 0, out)) return false;
    return is_loc(r->context, *out) || reader_fail(r, pos, "this attribute is not a location");
  }
  if (reader_accept_word(r, "unknown")) {
    *out = attr_intern(r->context, &(AttrInfo){.kind = ATTR_LOC_UNKNOWN});
    return true;
  }
  if (reader_accept_word(r, "callsite")) return read_callsite(r, out);
  if (reader_accept_word(r, "fused")) return read_fused(r, out);
  if (reader_at_word(r, "loc")) return reader_loc(r, out);
  return reader_expected(r, "a location");
}

static bool read_loc_body(Reader *r, Attr *out) {
  if (!reader_enter(r)) return false;
  bool ok = read_loc_kind(r, out);
  r->depth--;
  return ok;
}

bool reader_loc(Reader *r, Attr *out) {
  return reader_expect_word(r, "loc") && reader_expect(r, '(') && read_loc_body(r, out) &&
         reader_expect(r, ')');
}

// Reads an optional loc(…); loc(unknown) means no location.
bool reader_optional_loc(Reader *r, Attr *out) {
  *out = 0;
  if (!reader_at_word(r, "loc")) return true;
  if (!reader_loc(r, out)) return false;
  if (attr_info(r->context, *out)->kind == ATTR_LOC_UNKNOWN) *out = 0;
  return true;
}

// ---- all attributes ----

static bool read_symbol(Reader *r, Attr *out) {
  uint32_t base = r->items.count;
  Name name, inner;
  if (!reader_symbol(r, &name)) return false;
  while (reader_accept_tok(r, TOK_DCOLON)) {
    if (!reader_symbol(r, &inner)) return false;
    HEAPVEC_PUSH(r->guard, &r->items, attr_symbol(r->context, inner));
  }
  *out = attr_intern(r->context, &(AttrInfo){.kind = ATTR_SYMBOL,
                                             .name = name,
                                             .count = r->items.count - base,
                                             .items = r->items.items + base});
  r->items.count = base;
  return true;
}

// Keeps the text, with ` : type` if that follows.
static bool keep_with_type(Reader *r, Str text, Attr *out) {
  if (reader_at(r, ':')) {
    Type type;
    reader_next(r);
    if (!reader_type(r, &type)) return false;
    const char *end = r->tok.text.s;
    while (end > text.s &&
           (end[-1] == ' ' || end[-1] == '\n' || end[-1] == '\t' || end[-1] == '\r'))
      end--;
    text.n = (size_t)(end - text.s);
  }
  *out = opaque(r, text);
  return true;
}

static bool read_hash(Reader *r, Attr *out) {
  Token token = r->tok;
  Str name = {token.text.s + 1, token.text.n - 1};
  if (!memchr(name.s, '.', name.n)) {
    ReadAlias *alias = reader_alias(r, name_intern(r->context, name), false);
    if (alias) {
      reader_next(r);
      return reader_use_alias(r, alias, token.pos, out);
    }
  }
  reader_next(r);
  *out = 0;
  if (!dialect_attr_read(r, name, out)) return false;
  if (*out) return true;
  Str text = token.text;
  if (reader_at(r, '<') && r->tok.text.s == text.s + text.n) {
    if (!reader_balanced(r, token.text.s, &text)) return false;
  } else if (!memchr(name.s, '.', name.n)) {
    return reader_fail(r, token.pos, "the attribute alias '#%.*s' is not defined", shown(name),
                       name.s);
  }
  return keep_with_type(r, text, out);
}

// affine_map<…>, opaque<…>, sparse<…> : T, strided<…>, distinct[0]<…>: kept as text.
static bool read_kept_word(Reader *r, Attr *out) {
  const char *begin = r->tok.text.s;
  bool distinct = reader_at_word(r, "distinct");
  Str text;
  reader_next(r);
  if (!reader_at(r, distinct ? '[' : '<')) return reader_expected(r, distinct ? "'['" : "'<'");
  if (!reader_balanced(r, begin, &text)) return false;
  if (distinct && reader_at(r, '<') && !reader_balanced(r, begin, &text)) return false;
  return keep_with_type(r, text, out);
}

static bool kept_word(Str word) {
  static const char *const words[] = {"affine_map", "affine_set", "opaque",
                                      "sparse",     "strided",    "distinct"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (str_is(word, words[i])) return true;
  return false;
}

static bool read_word_attr(Reader *r, Type expected, Attr *out) {
  Str word = r->tok.text;
  if (str_is(word, "dense")) return reader_dense(r, expected, out);
  if (str_is(word, "dense_resource")) return reader_dense_resource(r, expected, out);
  if (str_is(word, "array")) return reader_dense_array(r, out);
  if (str_is(word, "true") || str_is(word, "false")) {
    *out = attr_bool(r->context, str_is(word, "true"));
    reader_next(r);
    return true;
  }
  if (str_is(word, "unit")) {
    *out = attr_unit(r->context);
    reader_next(r);
    return true;
  }
  if (str_is(word, "loc")) return reader_loc(r, out);
  if (kept_word(word)) return read_kept_word(r, out);
  Type type;
  if (!reader_type(r, &type)) return false;
  *out = attr_type(r->context, type);
  return true;
}

static bool read_string_attr(Reader *r, Type expected, Attr *out) {
  AttrInfo info = {.kind = ATTR_STRING, .type = expected};
  if (!reader_string(r, &info.name)) return false;
  if (!expected && reader_accept(r, ':') && !reader_type(r, &info.type)) return false;
  *out = attr_intern(r->context, &info);
  return true;
}

static bool read_attr(Reader *r, Type expected, Attr *out) {
  switch (r->tok.kind) {
  case TOK_INT:
  case TOK_FLOAT: return read_number(r, expected, out);
  case TOK_STRING: return read_string_attr(r, expected, out);
  case TOK_SYMBOL: return read_symbol(r, out);
  case TOK_HASH: return read_hash(r, out);
  case TOK_WORD: return read_word_attr(r, expected, out);
  default: break;
  }
  if (reader_at(r, '-')) return read_number(r, expected, out);
  if (reader_at(r, '[')) return read_array(r, out);
  if (reader_at(r, '{')) return reader_dict(r, out);
  Type type;
  if (r->tok.kind != TOK_BANG && !reader_at(r, '(')) return reader_expected(r, "an attribute");
  if (!reader_type(r, &type)) return false;
  *out = attr_type(r->context, type);
  return true;
}

bool reader_attr(Reader *r, Type expected, Attr *out) {
  if (!reader_enter(r)) return false;
  bool ok = read_attr(r, expected, out);
  r->depth--;
  return ok;
}
