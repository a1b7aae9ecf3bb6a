// Problem: build ops in one pass although generic syntax gives types after regions.
// Idea: collect an op in a ReadOp, then create it. Its regions are read detached, and their blocks
// are moved into the op afterwards.
// Names: by_name has the innermost binding of an interned name; bindings form a stack that is
// popped at the end of a region. After an error the reader skips to the next op: the names that the
// failed op would have defined are bound to nothing, and ops that use them are dropped without a
// report. Invariant: a value is defined before its use, so a use is resolved when it is read. Cost:
// O(text), a constant number of table lookups per op.
#include "parse/reader.h"

static int shown(Str text) { return text.n > 60 ? 60 : (int)text.n; }

// ---- names of values ----

// Grows a table of 32-bit items to `need` items; new ones are zero.
static void reserve_zeroed(Guard *guard, uint32_t **items, uint32_t *count, uint32_t *capacity,
                           uint32_t need) {
  uint32_t old = *count;
  if (need <= old) return;
  *items = vec_grow_heap(guard, *items, capacity, need, sizeof **items);
  memset(*items + old, 0, (*capacity - old) * sizeof **items);
  *count = *capacity;
}

// The interned name of the current %name. Numbers are looked up in a table instead of hashed: most
// names are numbers.
static Name value_name(Reader *r) {
  Str text = {r->tok.text.s + 1, r->tok.text.n - 1};
  uint32_t number = 0;
  if (text.n > 7 || text.s[0] < '0' || text.s[0] > '9' || (text.n > 1 && text.s[0] == '0'))
    return name_intern(r->context, text);
  for (size_t i = 0; i < text.n; i++) number = number * 10 + (uint32_t)(text.s[i] - '0');
  if (number < r->by_number.count && r->by_number.items[number]) return r->by_number.items[number];
  Name name = name_intern(r->context, text);
  if (number <= r->by_number.count * 2 + 1024) {  // keeps the table proportional to the text
    reserve_zeroed(r->guard, &r->by_number.items, &r->by_number.count, &r->by_number.capacity,
                   number + 1);
    r->by_number.items[number] = name;
  }
  return name;
}

// Bindings at or below scope_floor belong to regions outside an isolated op.
static ReadBinding *find_binding(const Reader *r, Name name) {
  uint32_t at = name < r->by_name.count ? r->by_name.items[name] : 0;
  return at > r->scope_floor ? &r->bindings.items[at] : NULL;
}

// Pushes a binding; MLIR does not allow a name twice along a path of regions.
static bool bind(Reader *r, Name name, ValueId first, uint32_t count, Pos pos) {
  const ReadBinding *before = find_binding(r, name);
  if (before) {
    Pos first_pos = before->pos;
    reader_fail(r, pos, "'%%%s' is defined twice", name_text(r->context, name));
    diag_note(r->diag, first_pos, "the first definition is here");
    return false;
  }
  reserve_zeroed(r->guard, &r->by_name.items, &r->by_name.count, &r->by_name.capacity, name + 1);
  ReadBinding binding = {name, r->by_name.items[name], first, count, pos};
  HEAPVEC_PUSH(r->guard, &r->bindings, binding);
  r->by_name.items[name] = r->bindings.count - 1;
  return true;
}

// Pops the bindings of a region; hidden outer bindings become visible again.
static void unbind_to(Reader *r, uint32_t count) {
  while (r->bindings.count > count) {
    const ReadBinding *last = &r->bindings.items[--r->bindings.count];
    r->by_name.items[last->name] = last->outer;
  }
}

// %name or %name#2
static bool read_use(Reader *r, ValueId *out, Pos *out_pos) {
  if (r->tok.kind != TOK_VALUE) return reader_expected(r, "a value (%…)");
  Token token = r->tok;
  const ReadBinding *binding = find_binding(r, value_name(r));
  uint64_t number = 0;
  reader_next(r);
  if (r->tok.kind == TOK_HASH && r->tok.text.s == token.text.s + token.text.n) {
    for (size_t i = 1; i < r->tok.text.n; i++) {
      char c = r->tok.text.s[i];
      if (c < '0' || c > '9') return reader_expected(r, "the number of a result behind '#'");
      number = number > UINT32_MAX ? number : number * 10 + (uint64_t)(c - '0');
    }
    reader_next(r);
  }
  if (!binding)
    return reader_fail(r, token.pos, "'%.*s' is not defined before this use", shown(token.text),
                       token.text.s);
  if (!binding->first) {
    r->poisoned = true;
    return false;
  }
  if (number >= binding->count)
    return reader_fail(r, token.pos, "'%.*s' has %u result%s, there is no #%llu (the first is #0)",
                       shown(token.text), token.text.s, binding->count,
                       binding->count == 1 ? "" : "s", (unsigned long long)number);
  *out = binding->first + (uint32_t)number;
  *out_pos = token.pos;
  return true;
}

bool reader_value(Reader *r, ValueId *out) {
  Pos pos;
  return read_use(r, out, &pos);
}

bool reader_operand(Reader *r, ReadOp *op) {
  ValueId value;
  Pos pos;
  if (!read_use(r, &value, &pos)) return false;
  VEC_PUSH(r->scratch, &op->operands, value);
  VEC_PUSH(r->scratch, &op->operand_pos, pos);
  return true;
}

bool reader_operand_list(Reader *r, ReadOp *op) {
  if (r->tok.kind != TOK_VALUE) return true;
  do {
    if (!reader_operand(r, op)) return false;
  } while (reader_accept(r, ','));
  return true;
}

bool reader_arg_name(Reader *r, ReadArg *out) {
  if (r->tok.kind != TOK_VALUE) return reader_expected(r, "a value (%…)");
  *out = (ReadArg){.name = value_name(r), .pos = r->tok.pos};
  reader_next(r);
  return true;
}

bool reader_arg(Reader *r, ReadArg *out) {
  return reader_arg_name(r, out) && reader_expect(r, ':') && reader_type(r, &out->type) &&
         reader_optional_loc(r, &out->loc);
}

bool reader_check_type(Reader *r, const ReadOp *op, uint32_t i, Type type) {
  Type found = reader_operand_type(r, op, i);
  if (found == type) return true;
  return reader_fail(r, op->operand_pos.items[i], "operand %u has type %s, but the op declares %s",
                     i, type_text(r->context, found), type_text(r->context, type));
}

bool reader_check_types(Reader *r, const ReadOp *op, uint32_t first, uint32_t n, const Type *types,
                        uint32_t n_types, Pos types_pos) {
  if (n != n_types)
    return reader_fail(r, types_pos, "the op has %u operand%s, but declares %u operand type%s", n,
                       n == 1 ? "" : "s", n_types, n_types == 1 ? "" : "s");
  for (uint32_t i = 0; i < n; i++)
    if (!reader_check_type(r, op, first + i, types[i])) return false;
  return true;
}

// ---- regions ----

static RegionId new_region(Reader *r) {
  if (r->spare_regions.count) return r->spare_regions.items[--r->spare_regions.count];
  HEAPVEC_PUSH(r->guard, &r->program->regions, (Region){0});
  return r->program->regions.count - 1;
}

// Moves the blocks of a detached region into an op's region.
static void move_region(Reader *r, RegionId from, RegionId to) {
  Program *p = r->program;
  for (BlockId b = region_at(p, from)->first; b; b = block_at(p, b)->next)
    block_at(p, b)->region = to;
  region_at(p, to)->first = region_at(p, from)->first;
  region_at(p, to)->last = region_at(p, from)->last;
  *region_at(p, from) = (Region){0};
  HEAPVEC_PUSH(r->guard, &r->spare_regions, from);
}

static bool add_args(Reader *r, BlockId block, uint32_t n, const ReadArg *args) {
  for (uint32_t i = 0; i < n; i++) {
    ValueId value = block_add_arg(r->program, block, args[i].type, args[i].name);
    value_at(r->program, value)->loc = args[i].loc;
    if (args[i].name && !bind(r, args[i].name, value, 1, args[i].pos)) return false;
  }
  return true;
}

// ^bb0(%x: T, …):
static bool read_label(Reader *r, BlockId block) {
  reader_next(r);
  VEC(ReadArg) args = {0};
  if (reader_accept(r, '(')) {
    if (!reader_at(r, ')')) {
      do {
        ReadArg arg;
        if (!reader_arg(r, &arg)) return false;
        VEC_PUSH(r->scratch, &args, arg);
      } while (reader_accept(r, ','));
    }
    if (!reader_expect(r, ')')) return false;
  }
  return reader_expect(r, ':') && add_args(r, block, args.count, args.items);
}

// Reads ops up to '}', '^' or the end.
static void read_block_ops(Reader *r, BlockId block) {
  while (!reader_at(r, '}') && r->tok.kind != TOK_CARET && r->tok.kind != TOK_END &&
         r->tok.kind != TOK_ERROR && r->tok.kind != TOK_FILE_BEGIN && !diag_full(r->diag))
    if (!reader_op(r, block)) return;
}

// Reads from after '{' to after '}'. Ops that fail are reported and skipped.
static bool read_region_body(Reader *r, RegionId region, uint32_t n_args, const ReadArg *args) {
  BlockId block = 0;
  if (n_args || (!reader_at(r, '}') && r->tok.kind != TOK_CARET)) {
    block = region_add_block(r->program, region);
    if (!add_args(r, block, n_args, args)) return false;
    read_block_ops(r, block);
  }
  if (block && n_args && r->tok.kind == TOK_CARET)
    return reader_fail(
        r, r->tok.pos,
        "the region has a second block, but StableHLO has no control flow between blocks");
  while (r->tok.kind == TOK_CARET) {
    block = region_add_block(r->program, region);
    if (!read_label(r, block)) return false;
    read_block_ops(r, block);
  }
  return reader_expect(r, '}');
}

bool reader_region(Reader *r, ReadOp *op, uint32_t n_args, const ReadArg *args) {
  if (!reader_at(r, '{')) return reader_expected(r, "'{'");
  if (!reader_enter(r)) return false;
  reader_next(r);
  RegionId region = new_region(r);
  VEC_PUSH(r->scratch, &op->regions, region);
  uint32_t bound = r->bindings.count, floor = r->scope_floor;
  if (op_row(op->code)->traits & TRAIT_ISOLATED) r->scope_floor = bound - 1;
  bool ok = read_region_body(r, region, n_args, args);
  unbind_to(r, bound);
  r->scope_floor = floor;
  r->depth--;
  return ok;
}

void reader_region_empty(Reader *r, ReadOp *op) {
  RegionId region = new_region(r);
  VEC_PUSH(r->scratch, &op->regions, region);
}

BlockId reader_region_made(Reader *r, ReadOp *op) {
  reader_region_empty(r, op);
  return region_add_block(r->program, op->regions.items[op->regions.count - 1]);
}

// ---- generic syntax ----

// Reads <{…}>: attributes of a registered op; a separate dict for an unregistered one.
static bool read_properties(Reader *r, ReadOp *op) {
  if (!reader_accept(r, '<')) return true;
  if (op->code != OP_UNREGISTERED) {
    if (!reader_at(r, '{')) return reader_expected(r, "'{'");
    if (!reader_attr_dict(r, op)) return false;
  } else {
    Pos pos = r->tok.pos;
    Attr value;
    if (!reader_attr(r, 0, &value) || !reader_add_attr(r, op, pos, PROPERTIES_KEY, value))
      return false;
  }
  return reader_expect(r, '>');
}

static bool read_generic_regions(Reader *r, ReadOp *op) {
  if (!reader_at(r, '(')) return true;
  reader_next(r);
  do {
    if (!reader_region(r, op, 0, NULL)) return false;
  } while (reader_accept(r, ','));
  return reader_expect(r, ')');
}

// Reads what follows the quoted name.
static bool read_generic(Reader *r, ReadOp *op) {
  if (!reader_expect(r, '(')) return false;
  if (!reader_operand_list(r, op) || !reader_expect(r, ')')) return false;
  if (reader_at(r, '['))
    return reader_fail(
        r, r->tok.pos,
        "the op has successor blocks, but StableHLO has no control flow between blocks");
  if (!read_properties(r, op) || !read_generic_regions(r, op) || !reader_attr_dict(r, op))
    return false;
  if (!reader_expect(r, ':')) return false;
  TypeVec inputs = {0};
  Pos pos = r->tok.pos;
  return reader_functional_type(r, &inputs, &op->result_types) &&
         reader_check_types(r, op, 0, op->operands.count, inputs.items, inputs.count, pos);
}

static bool read_pretty(Reader *r, ReadOp *op) {
  switch (op->code) {
  case OP_module: return reader_module(r, op);
  case OP_func_func: return reader_func(r, op);
  case OP_func_call: return reader_call(r, op);
  case OP_func_return: return reader_return(r, op);
  default: return form_read(r, op->code, op);
  }
}

// ---- ops ----

// %a, %b:2 =
static bool read_result_names(Reader *r, ReadOp *op) {
  if (r->tok.kind != TOK_VALUE) return true;
  uint64_t total = 0;
  do {
    if (r->tok.kind != TOK_VALUE) return reader_expected(r, "a value (%…)");
    ReadName name = {value_name(r), 1, r->tok.pos};
    reader_next(r);
    if (reader_accept(r, ':')) {
      Pos pos = r->tok.pos;
      int64_t count;
      if (!reader_integer(r, &count)) return false;
      if (count < 1 || count > UINT16_MAX)
        return reader_fail(r, pos, "the number of results is %lld, expected 1 to 65535",
                           (long long)count);
      name.count = (uint32_t)count;
    }
    total += name.count;
    VEC_PUSH(r->scratch, &op->names, name);
  } while (reader_accept(r, ','));
  op->n_named = total > UINT32_MAX ? UINT32_MAX : (uint32_t)total;
  return reader_expect(r, '=');
}

// A suggestion for an unknown op: StableHLO's op of the same name (`mhlo.tanh`, `tanh`), else the
// nearest by edit distance, preferring the same length (tahn: tanh, not tan).
static const char *nearest_op(Str name) {
  enum { MOST = 2 };
  const char *near = NULL, *dot = memchr(name.s, '.', name.n);
  Str own = dot ? (Str){dot + 1, name.n - (size_t)(dot + 1 - name.s)} : name;
  static const char dialect[] = "stablehlo.";
  uint32_t best = 2 * (MOST + 1);
  for (uint16_t code = OP_UNREGISTERED + 1; code < OP_COUNT; code++) {
    Str other = str_of(op_row(code)->name);
    if (str_starts(other, dialect) && str_is(own, other.s + sizeof dialect - 1)) return other.s;
    uint32_t d = 2 * str_distance(name, other, MOST) + (name.n != other.n);
    if (d < best) best = d, near = other.s;
  }
  return near;
}

static bool unknown_op(Reader *r, Str name, Pos pos) {
  const char *near = nearest_op(name);
  if (near)
    return reader_fail(r, pos, "unknown op '%.*s'; did you mean '%s'?", shown(name), name.s, near);
  return reader_fail(r, pos, "unknown op '%.*s'", shown(name), name.s);
}

// Inside a function `call` and `return` mean func.call and func.return; `module` builtin.module.
static uint16_t lookup(Str name) {
  if (memchr(name.s, '.', name.n)) return op_lookup(name);
  if (str_is(name, "return")) return OP_func_return;
  if (str_is(name, "call")) return OP_func_call;
  if (str_is(name, "module")) return OP_module;
  if (str_is(name, "unrealized_conversion_cast")) return OP_builtin_unrealized_conversion_cast;
  return OP_NONE;
}

static bool read_quoted_op(Reader *r, ReadOp *op) {
  Name name;
  if (!reader_string(r, &name)) return false;
  Str text = name_str(r->context, name);
  op->code = op_lookup(text);
  if (!op->code) {
    if (!r->options->allow_unregistered) return unknown_op(r, text, op->pos);
    if (!name) return reader_fail(r, op->pos, "the name of an op must not be empty");
    op->code = OP_UNREGISTERED;
    op->name = name;
  }
  return read_generic(r, op);
}

static bool read_named_op(Reader *r, ReadOp *op) {
  Str word = r->tok.text;
  op->code = lookup(word);
  if (!op->code) {
    if (r->options->allow_unregistered && memchr(word.s, '.', word.n))
      return reader_fail(r, op->pos, "unknown op '%.*s': write it in generic form to keep it",
                         shown(word), word.s);
    return unknown_op(r, word, op->pos);
  }
  reader_next(r);
  return read_pretty(r, op);
}

// Makes the default value of an attribute of its declared shape.
static void add_default(Reader *r, ReadOp *op, const AttrSpec *spec) {
  Attr value = 0;
  switch (spec->shape) {
  case AS_BOOL: value = attr_bool(r->context, spec->value != 0); break;
  case AS_I32: value = attr_int(r->context, DT_i32, spec->value); break;
  case AS_I64:
  case AS_INT: value = attr_i64(r->context, spec->value); break;
  case AS_STRING:
    value = attr_string(r->context, name_of(r->context, spec->text ? spec->text : ""));
    break;
  case AS_ENUM: value = attr_enum(r->context, spec->cls, spec->text); break;
  case AS_ARRAY: value = attr_array(r->context, 0, NULL); break;
  case AS_I64S: value = attr_i64s(r->context, 0, NULL); break;
  case AS_DICT: value = attr_intern(r->context, &(AttrInfo){.kind = ATTR_DICT}); break;
  default: break;
  }
  if (value) reader_set_attr(r, op, spec->name, value);
}

static void add_defaults(Reader *r, ReadOp *op) {
  const AttrSpec *spec = op_row(op->code)->attrs;
  for (; spec && spec->shape != AS_END; spec++)
    if (spec->need == NEED_DEFAULT && !reader_op_attr(r, op, spec->name)) add_default(r, op, spec);
}

static bool bind_results(Reader *r, const ReadOp *read, OpId op) {
  ValueId value = op_at(r->program, op)->results;
  for (uint32_t i = 0; i < read->names.count; i++) {
    const ReadName *name = &read->names.items[i];
    value_at(r->program, value)->name = name->name;
    if (!bind(r, name->name, value, name->count, name->pos)) return false;
    value += name->count;
  }
  return true;
}

static bool check_results(Reader *r, const ReadOp *op) {
  if (op->result_types.count > UINT16_MAX)
    return reader_fail(r, op->pos, "the op has %u results, expected at most 65535",
                       op->result_types.count);
  if (op->n_named == op->result_types.count || !op->n_named) return true;
  return reader_fail(r, op->names.items[0].pos, "%u result%s named, but '%s' has %u", op->n_named,
                     op->n_named == 1 ? " is" : "s are",
                     op->code == OP_UNREGISTERED ? name_text(r->context, op->name)
                                                 : op_row(op->code)->name,
                     op->result_types.count);
}

// Normalizes attributes, creates the op, moves its regions in, and binds its results last, so that
// the op's regions do not see them.
static bool make_op(Reader *r, ReadOp *read, BlockId block) {
  if (!check_results(r, read)) return false;
  add_defaults(r, read);
  form_drop_defaults(r, read);
  OpSpec spec = {.code = read->code,
                 .name = read->name,
                 .n_operands = read->operands.count,
                 .n_results = read->result_types.count,
                 .n_regions = read->regions.count,
                 .operands = read->operands.items,
                 .result_types = read->result_types.items,
                 .attrs = attr_dict(r->context, read->attrs.count, read->attrs.items),
                 .loc = read->loc,
                 .pos = read->pos};
  OpId op = op_create(r->program, &spec);
  for (uint32_t i = 0; i < read->regions.count; i++)
    move_region(r, read->regions.items[i], op_region(r->program, op, i));
  op_append(r->program, block, op);
  return bind_results(r, read, op);
}

static bool read_op_body(Reader *r, ReadOp *op, BlockId block) {
  if (!read_result_names(r, op)) return false;
  op->pos = r->tok.pos;
  bool ok;
  if (r->tok.kind == TOK_STRING)
    ok = read_quoted_op(r, op);
  else if (r->tok.kind == TOK_WORD)
    ok = read_named_op(r, op);
  else
    ok = reader_expected(r, "an op");
  return ok && reader_optional_loc(r, &op->loc) && make_op(r, op, block);
}

// Whether the current token is the first on its line and looks like the beginning of an op.
static bool begins_op(const Reader *r) {
  const char *s = r->tok.text.s;
  for (const char *p = s; p > r->source->text && p[-1] != '\n';)
    if (*--p != ' ' && *p != '\t') return false;
  if (r->tok.kind == TOK_VALUE) return true;
  if (r->tok.kind == TOK_STRING) return r->at < r->end && *r->at == '(';
  if (r->tok.kind != TOK_WORD) return false;
  return memchr(s, '.', r->tok.text.n) || str_is(r->tok.text, "return") ||
         str_is(r->tok.text, "call");
}

// If brackets do not match, continues at the next line that begins a function.
static bool skip_function(Reader *r, const char *begin, const char *failed) {
  static const char word[] = "func.func";
  if ((size_t)(r->end - begin) < sizeof word || memcmp(begin, word, sizeof word - 1) != 0)
    return false;
  for (const char *line = failed;;) {
    line = memchr(line, '\n', (size_t)(r->end - line));
    if (!line) return false;
    line++;
    while (line < r->end && (*line == ' ' || *line == '\t')) line++;
    if ((size_t)(r->end - line) < sizeof word || memcmp(line, word, sizeof word - 1) != 0) continue;
    reader_seek(r, line);
    return true;
  }
}

// Skips from the beginning of an op that failed to the next op, over bracketed text. Returns
// whether parsing can continue there.
static bool skip_op(Reader *r, const char *begin) {
  if (r->tok.kind == TOK_ERROR) return false;
  const char *failed = r->tok.text.s;
  uint32_t depth = 0;
  reader_seek(r, begin);
  for (;;) {
    char c = r->tok.punct;
    if (r->tok.kind == TOK_END) return skip_function(r, begin, failed);
    if (r->tok.kind == TOK_ERROR) return false;
    if (c == '(' || c == '[' || c == '{') depth++;
    if (c == ')' || c == ']' || c == '}') {
      if (!depth) return c == '}';
      depth--;
    }
    if (!depth && r->tok.text.s != begin && r->tok.text.s >= failed && begins_op(r)) return true;
    if (!depth && r->tok.kind == TOK_CARET && r->tok.text.s >= failed) return true;
    reader_next(r);
  }
}

// Binds the result names of a failed op to nothing, so that their uses report nothing.
static void bind_nothing(Reader *r, const ReadOp *op) {
  for (uint32_t i = 0; i < op->names.count; i++)
    if (!find_binding(r, op->names.items[i].name))
      (void)bind(r, op->names.items[i].name, 0, op->names.items[i].count, op->names.items[i].pos);
}

// On failure, all stacks of the reader return to their state before the op.
bool reader_op(Reader *r, BlockId block) {
  ArenaMark mark = arena_mark(r->scratch);
  const char *begin = r->tok.text.s;
  uint32_t depth = r->depth, bound = r->bindings.count, floor = r->scope_floor;
  uint32_t items = r->items.count, fields = r->fields.count;
  ReadOp op = {0};
  if (r->program->ops.count % PROGRESS_EVERY == 0)
    guard_tell(r->guard, "reading bytes", r->tok.pos, (uint64_t)(r->end - r->source->text));
  bool ok = read_op_body(r, &op, block);
  if (!ok) {
    r->poisoned = false;
    r->failed = true;
    r->depth = depth;
    r->items.count = items;
    r->fields.count = fields;
    unbind_to(r, bound);
    r->scope_floor = floor;
    bind_nothing(r, &op);
    ok = skip_op(r, begin);
  }
  arena_rewind(r->scratch, mark);
  return ok;
}
