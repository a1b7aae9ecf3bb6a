// The ops of builtin and func in their own syntax: module, func.func, call, return.
#include "parse/reader.h"

bool reader_module(Reader *r, ReadOp *op) {
  Name name;
  if (r->tok.kind == TOK_SYMBOL) {
    if (!reader_symbol(r, &name)) return false;
    reader_set_attr(r, op, "sym_name", attr_string(r->context, name));
  }
  if (!reader_attr_dict_with_keyword(r, op) || !reader_region(r, op, 0, NULL)) return false;
  return true;
}

typedef VEC(Attr) AttrVec;

// Reads `{…}` after an argument or result; 0 if there is none or it is empty.
static bool read_optional_dict(Reader *r, Attr *out, bool *any) {
  *out = 0;
  if (reader_at(r, '{') && !reader_dict(r, out)) return false;
  if (*out && attr_info(r->context, *out)->count) *any = true;
  return true;
}

static bool read_func_arg(Reader *r, bool *named, ReadArg *arg, Attr *attrs, bool *any) {
  *arg = (ReadArg){.pos = r->tok.pos};
  if (r->tok.kind == TOK_ELLIPSIS)
    return reader_fail(r, r->tok.pos, "variadic functions are not part of StableHLO");
  *named = r->tok.kind == TOK_VALUE;
  if (*named && (!reader_arg_name(r, arg) || !reader_expect(r, ':'))) return false;
  return reader_type(r, &arg->type) && read_optional_dict(r, attrs, any) &&
         reader_optional_loc(r, &arg->loc);
}

static bool read_func_results(Reader *r, TypeVec *types, AttrVec *attrs, bool *any) {
  if (!reader_accept_tok(r, TOK_ARROW)) return true;
  if (!reader_at(r, '(')) return reader_result_types(r, types);
  // '(' opens a list here: a single function type as result is written in brackets.
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

// One dict per argument or result; empty where none is given.
static Attr dict_array(Reader *r, AttrVec *dicts) {
  Attr empty = attr_intern(r->context, &(AttrInfo){.kind = ATTR_DICT});
  for (uint32_t i = 0; i < dicts->count; i++)
    if (!dicts->items[i]) dicts->items[i] = empty;
  return attr_array(r->context, dicts->count, dicts->items);
}

bool reader_func(Reader *r, ReadOp *op) {
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
  if (!reader_expect(r, ')') || !read_func_results(r, &results, &result_attrs, &any_result))
    return false;
  if (any_named && !all_named)
    return reader_fail(r, op->pos,
                       "some arguments of the function have names, expected all or none");
  Attr type = attr_type(r->context, type_function(r->context, inputs.count, inputs.items,
                                                  results.count, results.items));
  Pos pos = op->pos;
  if (!reader_add_attr(r, op, pos, "sym_name", attr_string(r->context, name)) ||
      !reader_add_attr(r, op, pos, "function_type", type))
    return false;
  if (visibility.n)
    reader_set_attr(r, op, "sym_visibility",
                    attr_string(r->context, name_intern(r->context, visibility)));
  if (any_arg) reader_set_attr(r, op, "arg_attrs", dict_array(r, &arg_attrs));
  if (any_result) reader_set_attr(r, op, "res_attrs", dict_array(r, &result_attrs));
  if (!reader_attr_dict_with_keyword(r, op)) return false;
  if (!reader_at(r, '{')) {
    reader_region_empty(r, op);
    return true;
  }
  if (args.count && !any_named)
    return reader_fail(r, op->pos, "the arguments of a function with a body must be named");
  pos = r->tok.pos;
  if (!reader_region(r, op, args.count, args.items)) return false;
  if (!region_at(r->program, op->regions.items[0])->first)
    return reader_fail(r, pos, "the body of '@%s' is empty, expected a return",
                       name_text(r->context, name));
  return true;
}

// @f(%a, %b) {…} : (T, U) -> V
bool reader_call(Reader *r, ReadOp *op) {
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
bool reader_return(Reader *r, ReadOp *op) {
  if (!reader_attr_dict(r, op) || !reader_operand_list(r, op)) return false;
  if (!op->operands.count) return true;
  if (!reader_expect(r, ':')) return false;
  TypeVec types = {0};
  Pos pos = r->tok.pos;
  return reader_type_list(r, &types) &&
         reader_check_types(r, op, 0, op->operands.count, types.items, types.count, pos);
}
