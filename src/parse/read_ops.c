// Ops, regions and whole programs. An op is gathered in a ReadOp, then made; its regions are read before that
// (generic syntax gives types last), so they are read detached and their blocks moved over.
//
// Names: by_name gives the innermost binding of an interned name, bindings form a stack that is popped at the
// end of a region. An error skips to the next op: the names it would have defined are bound to nothing, and
// ops that use them are dropped without a message. O(text), a constant number of table steps per op.
#include "parse/reader.h"

#include "base/mem.h"

static int shown(Str text) {
  return text.n > 60 ? 60 : (int)text.n;
}

// ---- names of values ----

// Grows a table of 32-bit items, new ones zero, to hold index need - 1.
static void reserve_zeroed(Guard *guard, uint32_t **items, uint32_t *count, uint32_t *capacity, uint32_t need) {
  uint32_t old = *count;
  if (need <= old) return;
  *items = vec_grow_heap(guard, *items, capacity, need, sizeof **items);
  memset(*items + old, 0, (*capacity - old) * sizeof **items);
  *count = *capacity;
}

static Name value_name(Reader *r) {
  Str text = {r->tok.text.s + 1, r->tok.text.n - 1};
  uint32_t number = 0;
  if (text.n > 7 || text.s[0] < '0' || text.s[0] > '9' || (text.n > 1 && text.s[0] == '0'))
    return name_intern(r->context, text);
  for (size_t i = 0; i < text.n; i++) number = number * 10 + (uint32_t)(text.s[i] - '0');
  if (number < r->by_number.count && r->by_number.items[number]) return r->by_number.items[number];
  Name name = name_intern(r->context, text);
  if (number <= r->by_number.count * 2 + 1024) {  // no table far larger than the text
    reserve_zeroed(r->guard, &r->by_number.items, &r->by_number.count, &r->by_number.capacity, number + 1);
    r->by_number.items[number] = name;
  }
  return name;
}

static ReadBinding *find_binding(const Reader *r, Name name) {
  uint32_t at = name < r->by_name.count ? r->by_name.items[name] : 0;
  return at > r->scope_floor ? &r->bindings.items[at] : NULL;
}

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
    return reader_fail(r, token.pos, "'%.*s' is not defined before this use", shown(token.text), token.text.s);
  if (!binding->first) {
    r->poisoned = true;
    return false;
  }
  if (number >= binding->count)
    return reader_fail(r, token.pos, "'%.*s' has %u result%s, there is no number %llu", shown(token.text),
                       token.text.s, binding->count, binding->count == 1 ? "" : "s",
                       (unsigned long long)number);
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
  return reader_fail(r, op->operand_pos.items[i], "operand %u has the type %s, but is said to have %s", i,
                     type_text(r->context, found), type_text(r->context, type));
}

bool reader_check_types(Reader *r, const ReadOp *op, uint32_t first, uint32_t n, const Type *types,
                        uint32_t n_types, Pos types_pos) {
  if (n != n_types)
    return reader_fail(r, types_pos, "%u operand%s, but %u type%s for them", n, n == 1 ? "" : "s", n_types,
                       n_types == 1 ? "" : "s");
  for (uint32_t i = 0; i < n; i++)
    if (!reader_check_type(r, op, first + i, types[i])) return false;
  return true;
}

// ---- regions ----

static bool read_op(Reader *r, BlockId block);

static RegionId new_region(Reader *r) {
  if (r->spare_regions.count) return r->spare_regions.items[--r->spare_regions.count];
  HEAPVEC_PUSH(r->guard, &r->program->regions, (Region){0});
  return r->program->regions.count - 1;
}

// Moves the blocks of a detached region into one of an op's.
static void move_region(Reader *r, RegionId from, RegionId to) {
  Program *p = r->program;
  for (BlockId b = region_at(p, from)->first; b; b = block_at(p, b)->next) block_at(p, b)->region = to;
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

// Ops up to '}', '^' or the end.
static void read_block_ops(Reader *r, BlockId block) {
  while (!reader_at(r, '}') && r->tok.kind != TOK_CARET && r->tok.kind != TOK_END &&
         r->tok.kind != TOK_ERROR && r->tok.kind != TOK_FILE_BEGIN && !diag_full(r->diag))
    if (!read_op(r, block)) return;
}

// Behind '{', up to and with '}'. Ops that do not read are reported and skipped.
static bool read_region_body(Reader *r, RegionId region, uint32_t n_args, const ReadArg *args) {
  BlockId block = 0;
  if (n_args || (!reader_at(r, '}') && r->tok.kind != TOK_CARET)) {
    block = region_add_block(r->program, region);
    if (!add_args(r, block, n_args, args)) return false;
    read_block_ops(r, block);
  }
  if (block && n_args && r->tok.kind == TOK_CARET)
    return reader_fail(r, r->tok.pos, "a second block: control flow between blocks is not part of StableHLO");
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

BlockId reader_region_made(Reader *r, ReadOp *op) {
  RegionId region = new_region(r);
  VEC_PUSH(r->scratch, &op->regions, region);
  return region_add_block(r->program, region);
}

// ---- generic syntax ----

// <{…}>: of registered ops among the other attributes, of others apart.
static bool read_properties(Reader *r, ReadOp *op) {
  if (!reader_accept(r, '<')) return true;
  if (op->code != OP_UNREGISTERED) {
    if (!reader_at(r, '{')) return reader_expected(r, "'{'");
    if (!reader_attr_dict(r, op)) return false;
  } else {
    Pos pos = r->tok.pos;
    Attr value;
    if (!reader_attr(r, 0, &value) || !reader_add_attr(r, op, pos, PROPERTIES_KEY, value)) return false;
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

// Behind the quoted name.
static bool read_generic(Reader *r, ReadOp *op) {
  if (!reader_expect(r, '(')) return false;
  if (!reader_operand_list(r, op) || !reader_expect(r, ')')) return false;
  if (reader_at(r, '['))
    return reader_fail(r, r->tok.pos, "successor blocks: control flow between blocks is not part of StableHLO");
  if (!read_properties(r, op) || !read_generic_regions(r, op) || !reader_attr_dict(r, op)) return false;
  if (!reader_expect(r, ':')) return false;
  TypeVec inputs = {0};
  Pos pos = r->tok.pos;
  return reader_functional_type(r, &inputs, &op->result_types) &&
         reader_check_types(r, op, 0, op->operands.count, inputs.items, inputs.count, pos);
}

// ---- module, func, call, return ----

static bool read_module(Reader *r, ReadOp *op) {
  Name name;
  if (r->tok.kind == TOK_SYMBOL) {
    if (!reader_symbol(r, &name)) return false;
    reader_set_attr(r, op, "sym_name", attr_string(r->context, name));
  }
  if (!reader_attr_dict_with_keyword(r, op) || !reader_region(r, op, 0, NULL)) return false;
  return true;
}

typedef VEC(Attr) AttrVec;

// `{…}` behind an argument or result; 0 if there is none or it is empty.
static bool read_optional_dict(Reader *r, Attr *out, bool *any) {
  *out = 0;
  if (reader_at(r, '{') && !reader_dict(r, out)) return false;
  if (*out && attr_info(r->context, *out)->count) *any = true;
  return true;
}

static bool read_func_arg(Reader *r, bool *named, ReadArg *arg, Attr *attrs, bool *any) {
  *arg = (ReadArg){.pos = r->tok.pos};
  if (r->tok.kind == TOK_ELLIPSIS) return reader_fail(r, r->tok.pos, "variadic functions are not part of StableHLO");
  *named = r->tok.kind == TOK_VALUE;
  if (*named && (!reader_arg_name(r, arg) || !reader_expect(r, ':'))) return false;
  return reader_type(r, &arg->type) && read_optional_dict(r, attrs, any) && reader_optional_loc(r, &arg->loc);
}

static bool read_func_results(Reader *r, TypeVec *types, AttrVec *attrs, bool *any) {
  if (!reader_accept_tok(r, TOK_ARROW)) return true;
  if (!reader_at(r, '(')) return reader_result_types(r, types);
  // A single function type without brackets around it is not written: '(' opens the list.
  reader_next(r);
  if (reader_accept(r, ')')) return true;
  do {
    Type type;
    Attr dict;
    if (!reader_type(r, &type) || !read_optional_dict(r, &dict, any)) return false;
    VEC_PUSH(r->scratch, types, type);
    VEC_PUSH(r->scratch, attrs, dict);
  } while (reader_accept(r, ','));
  return reader_expect(r, ')');
}

// One dict per argument or result, an empty one where nothing was written.
static Attr dict_array(Reader *r, AttrVec *dicts) {
  Attr empty = attr_intern(r->context, &(AttrInfo){.kind = ATTR_DICT});
  for (uint32_t i = 0; i < dicts->count; i++)
    if (!dicts->items[i]) dicts->items[i] = empty;
  return attr_array(r->context, dicts->count, dicts->items);
}

static bool read_func(Reader *r, ReadOp *op) {
  Str visibility = {0};
  if (reader_at_word(r, "public") || reader_at_word(r, "private") || reader_at_word(r, "nested")) {
    visibility = r->tok.text;
    reader_next(r);
  }
  Name name;
  if (!reader_symbol(r, &name) || !reader_expect(r, '(')) return false;
  VEC(ReadArg) args = {0};
  TypeVec inputs = {0}, results = {0};
  AttrVec arg_attrs = {0}, result_attrs = {0};
  bool any_arg = false, any_result = false, all_named = true, any_named = false;
  if (!reader_at(r, ')')) {
    do {
      ReadArg arg;
      Attr dict;
      bool named = false;
      if (!read_func_arg(r, &named, &arg, &dict, &any_arg)) return false;
      all_named &= named;
      any_named |= named;
      VEC_PUSH(r->scratch, &args, arg);
      VEC_PUSH(r->scratch, &inputs, arg.type);
      VEC_PUSH(r->scratch, &arg_attrs, dict);
    } while (reader_accept(r, ','));
  }
  if (!reader_expect(r, ')') || !read_func_results(r, &results, &result_attrs, &any_result)) return false;
  if (any_named && !all_named)
    return reader_fail(r, op->pos, "either all arguments of a function are named or none");
  Attr type = attr_type(r->context, type_function(r->context, inputs.count, inputs.items, results.count,
                                                  results.items));
  Pos pos = op->pos;
  if (!reader_add_attr(r, op, pos, "sym_name", attr_string(r->context, name)) ||
      !reader_add_attr(r, op, pos, "function_type", type))
    return false;
  if (visibility.n)
    reader_set_attr(r, op, "sym_visibility", attr_string(r->context, name_intern(r->context, visibility)));
  if (any_arg) reader_set_attr(r, op, "arg_attrs", dict_array(r, &arg_attrs));
  if (any_result) reader_set_attr(r, op, "res_attrs", dict_array(r, &result_attrs));
  if (!reader_attr_dict_with_keyword(r, op)) return false;
  if (!reader_at(r, '{')) {
    VEC_PUSH(r->scratch, &op->regions, new_region(r));
    return true;
  }
  if (args.count && !any_named)
    return reader_fail(r, op->pos, "the arguments of a function with a body must be named");
  pos = r->tok.pos;
  if (!reader_region(r, op, args.count, args.items)) return false;
  if (!region_at(r->program, op->regions.items[0])->first)
    return reader_fail(r, pos, "the body of '@%s' is empty: it needs a return", name_text(r->context, name));
  return true;
}

// @f(%a, %b) {…} : (T, U) -> V
static bool read_call(Reader *r, ReadOp *op) {
  Attr callee;
  if (r->tok.kind != TOK_SYMBOL) return reader_expected(r, "the function's name (@…)");
  if (!reader_attr(r, 0, &callee)) return false;
  reader_set_attr(r, op, "callee", callee);
  TypeVec inputs = {0};
  if (!reader_expect(r, '(') || !reader_operand_list(r, op) || !reader_expect(r, ')') ||
      !reader_attr_dict(r, op) || !reader_expect(r, ':'))
    return false;
  Pos pos = r->tok.pos;
  return reader_functional_type(r, &inputs, &op->result_types) &&
         reader_check_types(r, op, 0, op->operands.count, inputs.items, inputs.count, pos);
}

// {…} %a, %b : T, U
static bool read_return(Reader *r, ReadOp *op) {
  if (!reader_attr_dict(r, op) || !reader_operand_list(r, op)) return false;
  if (!op->operands.count) return true;
  if (!reader_expect(r, ':')) return false;
  TypeVec types = {0};
  Pos pos = r->tok.pos;
  return reader_type_list(r, &types) &&
         reader_check_types(r, op, 0, op->operands.count, types.items, types.count, pos);
}

static bool read_pretty(Reader *r, ReadOp *op) {
  switch (op->code) {
    case OP_module: return read_module(r, op);
    case OP_func_func: return read_func(r, op);
    case OP_func_call: return read_call(r, op);
    case OP_func_return: return read_return(r, op);
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
        return reader_fail(r, pos, "the number of results, %lld, is not within 1:65535", (long long)count);
      name.count = (uint32_t)count;
    }
    total += name.count;
    VEC_PUSH(r->scratch, &op->names, name);
  } while (reader_accept(r, ','));
  op->n_named = total > UINT32_MAX ? UINT32_MAX : (uint32_t)total;
  return reader_expect(r, '=');
}

// Edit distance of a and b, at most `most` + 1. O(|a| |b|), names are short.
static uint32_t distance(Str a, Str b, uint32_t most) {
  enum { LONGEST = 64 };
  uint32_t row[LONGEST + 1];
  size_t apart = a.n > b.n ? a.n - b.n : b.n - a.n;
  if (a.n > LONGEST || b.n > LONGEST || apart > most) return most + 1;
  for (uint32_t j = 0; j <= b.n; j++) row[j] = j;
  for (uint32_t i = 1; i <= a.n; i++) {
    uint32_t diagonal = row[0];
    row[0] = i;
    for (uint32_t j = 1; j <= b.n; j++) {
      uint32_t best = diagonal + (a.s[i - 1] != b.s[j - 1]);
      if (row[j] + 1 < best) best = row[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      diagonal = row[j];
      row[j] = best;
    }
  }
  return row[b.n];
}

static bool unknown_op(Reader *r, Str name, Pos pos) {
  uint32_t best = 3;
  const char *near = NULL;
  for (uint16_t code = OP_UNREGISTERED + 1; code < OP_COUNT; code++) {
    uint32_t d = distance(name, str_of(op_row(code)->name), best);
    if (d < best) best = d, near = op_row(code)->name;
  }
  if (near)
    return reader_fail(r, pos, "'%.*s' is no op that is known here; did you mean '%s'?", shown(name), name.s, near);
  return reader_fail(r, pos, "'%.*s' is no op that is known here", shown(name), name.s);
}

// Inside a function `call` and `return` stand for func.call and func.return; `module` for builtin.module.
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
      return reader_fail(r, op->pos, "'%.*s' is no op that is known here: write it in generic form to keep it",
                         shown(word), word.s);
    return unknown_op(r, word, op->pos);
  }
  reader_next(r);
  return read_pretty(r, op);
}

static void add_default(Reader *r, ReadOp *op, const AttrSpec *spec) {
  Attr value = 0;
  switch (spec->shape) {
    case AS_BOOL: value = attr_bool(r->context, spec->value != 0); break;
    case AS_I32: value = attr_int(r->context, DT_i32, spec->value); break;
    case AS_I64:
    case AS_INT: value = attr_i64(r->context, spec->value); break;
    case AS_STRING: value = attr_string(r->context, name_of(r->context, spec->text ? spec->text : "")); break;
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
    return reader_fail(r, op->pos, "an op with %u results: more than 65535", op->result_types.count);
  if (op->n_named == op->result_types.count || !op->n_named) return true;
  return reader_fail(r, op->names.items[0].pos, "%u result%s named, but '%s' has %u", op->n_named,
                     op->n_named == 1 ? " is" : "s are",
                     op->code == OP_UNREGISTERED ? name_text(r->context, op->name) : op_row(op->code)->name,
                     op->result_types.count);
}

static bool make_op(Reader *r, ReadOp *read, BlockId block) {
  if (!check_results(r, read)) return false;
  add_defaults(r, read);
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
  if (r->tok.kind == TOK_STRING) ok = read_quoted_op(r, op);
  else if (r->tok.kind == TOK_WORD) ok = read_named_op(r, op);
  else ok = reader_expected(r, "an op");
  return ok && reader_optional_loc(r, &op->loc) && make_op(r, op, block);
}

// Whether the token at hand, first on its line, looks like the beginning of an op.
static bool begins_op(const Reader *r) {
  const char *s = r->tok.text.s;
  for (const char *p = s; p > r->source->text && p[-1] != '\n';)
    if (*--p != ' ' && *p != '\t') return false;
  if (r->tok.kind == TOK_VALUE) return true;
  if (r->tok.kind == TOK_STRING) return r->at < r->end && *r->at == '(';
  if (r->tok.kind != TOK_WORD) return false;
  return memchr(s, '.', r->tok.text.n) || str_is(r->tok.text, "return") || str_is(r->tok.text, "call");
}

// Where brackets do not match, a function is followed by the next line that begins one.
static bool skip_function(Reader *r, const char *begin, const char *failed) {
  static const char word[] = "func.func";
  if ((size_t)(r->end - begin) < sizeof word || memcmp(begin, word, sizeof word - 1) != 0) return false;
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

// From the beginning of an op that did not read to the next one, over what is bracketed. Says whether there
// is a place to go on from.
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

// Names of an op that did not read: later uses of them say nothing.
static void bind_nothing(Reader *r, const ReadOp *op) {
  for (uint32_t i = 0; i < op->names.count; i++)
    if (!find_binding(r, op->names.items[i].name))
      (void)bind(r, op->names.items[i].name, 0, op->names.items[i].count, op->names.items[i].pos);
}

// False if reading cannot go on in this block; an op that did not read is reported and passed over.
static bool read_op(Reader *r, BlockId block) {
  ArenaMark mark = arena_mark(r->scratch);
  const char *begin = r->tok.text.s;
  uint32_t depth = r->depth, bound = r->bindings.count, floor = r->scope_floor;
  uint32_t items = r->items.count, fields = r->fields.count;
  ReadOp op = {0};
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

// ---- the file ----

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
    return reader_fail(r, r->tok.pos, "the blob of '%s' has a character that is no hex digit",
                       name_text(r->context, key));
  for (uint32_t i = 0; i < r->program->resources.count; i++)
    if (r->program->resources.items[i].key == key)
      return reader_fail(r, pos, "the resource '%s' is given twice", name_text(r->context, key));
  // A copy behind the alignment word would cost as much again; an offset of four keeps what eval needs.
  Resource resource = {.key = key, .bytes = bytes - 4};
  resource.alignment = (uint32_t)data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 | (uint32_t)data[3] << 24;
  resource.data = data + 4;
  HEAPVEC_PUSH(r->guard, &r->program->resources, resource);
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
      if (!r->failed) reader_fail(r, r->tok.pos, "'}' closes nothing here");
      return;
    } else if (!read_op(r, block)) {
      return;
    }
  }
}

// The text's only module takes the place of the one made around it.
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
  for (BlockId b = region_at(p, to_region)->first; b; b = block_at(p, b)->next) block_at(p, b)->region = to_region;
  *from = (Op){.pos = POS_NONE};
  *block_at(p, block) = (Block){0};
  p->n_dead++;
  if (!region_at(p, to_region)->first) region_add_block(p, to_region);
}

// Modules have one block, also when nothing stands in them.
static void fill_modules(Program *p) {
  for (OpId op = 1; op < p->ops.count; op++)
    if (op_at(p, op)->code == OP_module && op_at(p, op)->n_regions && !region_block(p, op_region(p, op, 0)))
      region_add_block(p, op_region(p, op, 0));
}

// ---- bytes ----

static size_t utf8_length(const unsigned char *s, size_t left) {
  unsigned char c = s[0];
  size_t n = c >= 0xC2 && c <= 0xDF ? 2 : c >= 0xE0 && c <= 0xEF ? 3 : c >= 0xF0 && c <= 0xF4 ? 4 : 0;
  if (!n || n > left) return 0;
  for (size_t i = 1; i < n; i++)
    if ((s[i] & 0xC0) != 0x80) return 0;
  if ((c == 0xE0 && s[1] < 0xA0) || (c == 0xED && s[1] > 0x9F) || (c == 0xF0 && s[1] < 0x90) ||
      (c == 0xF4 && s[1] > 0x8F))
    return 0;
  return n;
}

// NUL bytes and what is not UTF-8; eight bytes at a time while they are plain ASCII.
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
    if (!*s) return reader_fail(r, pos, "a NUL byte in the text");
    size_t n = *s < 0x80 ? 1 : utf8_length(s, (size_t)(end - s));
    if (!n) return reader_fail(r, pos, "the byte 0x%02X is not part of UTF-8 text", *s);
    s += n;
  }
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
  mem_free(r->type_cache);
  arena_deinit(&reading->scratch);
  context_guard(r->context, reading->context_guard);
  program_free(r->program);
}

static void reading_init(Reading *reading, Context *context, Guard *guard, const Source *source, size_t begin,
                         size_t end, const ParseOptions *options, Diag *diag) {
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

// So that they are never NULL, and views of no items are views.
static void reserve_stacks(Reader *r) {
  HEAPVEC_RESERVE(r->guard, &r->items, 8);
  HEAPVEC_RESERVE(r->guard, &r->fields, 8);
}

Status *program_parse(Context *context, Guard *guard, const Source *source, size_t begin, size_t end,
                      const ParseOptions *options, Diag *diag, Program **out_program) {
  if (source->size >= POS_NONE) FAIL(INVALID_ARGUMENT, "%s: texts of 4 GiB and more are not read", source->path);
  Reading reading;
  reading_init(&reading, context, guard, source, begin, end, options, diag);
  Reader *r = &reading.r;
  GuardCleanup cleanup = {release, &reading, NULL};
  guard_push(guard, &cleanup);
  reserve_stacks(r);
  uint32_t errors = diag->errors;
  if (check_bytes(r)) {
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
  if (from) {  // at the line of a mark, or at the end of the text
    if (from >= source->size) return false;
    const char *eol = memchr(text + from, '\n', source->size - from);
    if (!eol) return false;
    from = (size_t)(eol + 1 - text);
    if (from >= source->size) return false;
  } else if (*begin) {
    return false;
  }
  *begin = from;
  const char *line = text + from;
  while (line < last) {
    if (line > text + from && (size_t)(last - line) >= sizeof mark - 1 && memcmp(line, mark, sizeof mark - 1) == 0)
      break;
    const char *eol = memchr(line, '\n', (size_t)(last - line));
    line = eol ? eol + 1 : last;
  }
  *end = (size_t)(line - text);
  return true;
}

typedef bool (*ReadOne)(Reader *r, uint32_t *out);

static bool read_one_attr(Reader *r, uint32_t *out) {
  return reader_attr(r, 0, out);
}

static bool read_one_type(Reader *r, uint32_t *out) {
  return reader_type(r, out);
}

static Status *parse_text(Context *context, Guard *guard, const char *text, Diag *diag, ReadOne read, uint32_t *out) {
  Source source = {"<text>", text, strlen(text)};
  if (source.size >= POS_NONE) FAIL(INVALID_ARGUMENT, "texts of 4 GiB and more are not read");
  Reading reading;
  reading_init(&reading, context, guard, &source, 0, source.size, NULL, diag);
  Reader *r = &reading.r;
  GuardCleanup cleanup = {release, &reading, NULL};
  guard_push(guard, &cleanup);
  reserve_stacks(r);
  uint32_t errors = diag->errors, value = 0;
  if (check_bytes(r)) {
    reader_next(r);
    if (read(r, &value) && r->tok.kind != TOK_END) reader_expected(r, "the end of the text");
  }
  bool ok = diag->errors == errors;
  guard_pop(guard, &cleanup);
  release(&reading);
  if (ok) *out = value;
  return ok ? NULL : diag_status(diag);
}

Status *attr_parse_text(Context *context, Guard *guard, const char *text, Diag *diag, Attr *out) {
  return parse_text(context, guard, text, diag, read_one_attr, out);
}

Status *type_parse_text(Context *context, Guard *guard, const char *text, Diag *diag, Type *out) {
  return parse_text(context, guard, text, diag, read_one_type, out);
}
