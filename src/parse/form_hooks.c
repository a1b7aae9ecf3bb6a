// Directives of the form language that are C functions: abbreviations of types, and syntax that
// only one op has. Each reader is next to its printer. O(text).
#include <inttypes.h>
#include <string.h>

#include "parse/form.h"

// ---- types ----

static bool all_operands_have(Reader *r, const ReadOp *op, Type type) {
  for (uint32_t i = 0; i < op->operands.count; i++)
    if (!reader_check_type(r, op, i, type)) return false;
  return true;
}

static bool read_func(Reader *r, ReadOp *op, uint32_t index) {
  (void)index;
  TypeVec inputs = {0};
  Pos pos = r->tok.pos;
  return reader_functional_type(r, &inputs, &op->result_types) &&
         reader_check_types(r, op, 0, op->operands.count, inputs.items, inputs.count, pos);
}

static void print_func(Printer *pr, OpId op, uint32_t index) {
  (void)index;
  printer_functional_type(pr, op);
}

static bool read_same(Reader *r, ReadOp *op, uint32_t index) {
  if (reader_at(r, '(')) return read_func(r, op, index);
  Type type;
  if (!reader_type(r, &type) || !all_operands_have(r, op, type)) return false;
  VEC_PUSH(r->scratch, &op->result_types, type);
  return true;
}

static bool all_types_are(const Program *p, OpId op, Type type) {
  const Op *o = op_at(p, op);
  for (uint32_t i = 0; i < o->n_operands; i++)
    if (op_operand_type(p, op, i) != type) return false;
  for (uint32_t i = 0; i < o->n_results; i++)
    if (op_result_type(p, op, i) != type) return false;
  return true;
}

static void print_same(Printer *pr, OpId op, uint32_t index) {
  const Op *o = op_at(pr->program, op);
  if (o->n_results == 1 && all_types_are(pr->program, op, op_result_type(pr->program, op, 0)))
    printer_type(pr, op_result_type(pr->program, op, 0));
  else
    print_func(pr, op, index);
}

static bool read_type(Reader *r, ReadOp *op, uint32_t index) {
  (void)index;
  Type type;
  if (!reader_type(r, &type) || !all_operands_have(r, op, type)) return false;
  for (int i = 0; i < op_row(op->code)->results; i++) VEC_PUSH(r->scratch, &op->result_types, type);
  return true;
}

static Type first_type(const Program *p, OpId op) {
  const Op *o = op_at(p, op);
  return o->n_operands ? op_operand_type(p, op, 0) : o->n_results ? op_result_type(p, op, 0) : 0;
}

static void print_type(Printer *pr, OpId op, uint32_t index) {
  (void)index;
  printer_type(pr, first_type(pr->program, op));
}

static bool fits_type(const Program *p, OpId op, uint32_t index) {
  (void)index;
  return all_types_are(p, op, first_type(p, op));
}

static bool read_operand_type(Reader *r, ReadOp *op, uint32_t index) {
  Type type;
  Pos pos = r->tok.pos;
  if (!reader_type(r, &type)) return false;
  if (index >= op->operands.count) return reader_fail(r, pos, "the op has no operand %u", index);
  return reader_check_type(r, op, index, type);
}

static void print_operand_type(Printer *pr, OpId op, uint32_t index) {
  printer_type(pr, op_operand_type(pr->program, op, index));
}

static bool fits_operand_type(const Program *p, OpId op, uint32_t index) {
  return index < op_at(p, op)->n_operands;
}

static bool read_operand_types(Reader *r, ReadOp *op, uint32_t index) {
  (void)index;
  TypeVec types = {0};
  Pos pos = r->tok.pos;
  return reader_type_list(r, &types) &&
         reader_check_types(r, op, 0, op->operands.count, types.items, types.count, pos);
}

static void print_operand_types(Printer *pr, OpId op, uint32_t index) {
  (void)index;
  printer_operand_types(pr, op);
}

static bool fits_some_operand(const Program *p, OpId op, uint32_t index) {
  (void)index;
  return op_at(p, op)->n_operands != 0;
}

static bool read_result_type(Reader *r, ReadOp *op, uint32_t index) {
  (void)index;
  Type type;
  if (!reader_type(r, &type)) return false;
  VEC_PUSH(r->scratch, &op->result_types, type);
  return true;
}

static void print_result_type(Printer *pr, OpId op, uint32_t index) {
  printer_type(pr, op_result_type(pr->program, op, index));
}

static bool fits_result_type(const Program *p, OpId op, uint32_t index) {
  return index < op_at(p, op)->n_results;
}

static bool read_result_types(Reader *r, ReadOp *op, uint32_t index) {
  (void)index;
  return reader_type_list(r, &op->result_types);
}

static void print_result_types(Printer *pr, OpId op, uint32_t index) {
  (void)index;
  printer_result_types(pr, op);
}

static bool fits_some_result(const Program *p, OpId op, uint32_t index) {
  (void)index;
  return op_at(p, op)->n_results != 0;
}

static bool read_tuple(Reader *r, ReadOp *op, uint32_t index) {
  if (reader_at(r, '(')) return read_func(r, op, index);
  Type type;
  Pos pos = r->tok.pos;
  if (!reader_type(r, &type)) return false;
  const TypeInfo *info = type_info(r->context, type);
  if (info->kind != TYPE_TUPLE) return reader_fail(r, pos, "expected a tuple type");
  VEC_PUSH(r->scratch, &op->result_types, type);
  return reader_check_types(r, op, 0, op->operands.count, info->items, info->n_items, pos);
}

static void print_tuple(Printer *pr, OpId op, uint32_t index) {
  const TypeInfo *info = type_info(pr->context, op_result_type(pr->program, op, 0));
  bool plain = info->kind == TYPE_TUPLE && info->n_items == op_at(pr->program, op)->n_operands;
  for (uint32_t i = 0; plain && i < info->n_items; i++)
    plain = op_operand_type(pr->program, op, i) == info->items[i];
  if (plain)
    printer_type(pr, op_result_type(pr->program, op, 0));
  else
    print_func(pr, op, index);
}

static bool read_pairs(Reader *r, ReadOp *op, uint32_t index) {
  if (reader_at(r, '(')) return read_func(r, op, index);
  Pos pos = r->tok.pos;
  if (!reader_type_list(r, &op->result_types)) return false;
  return reader_check_types(r, op, 0, op->operands.count, op->result_types.items,
                            op->result_types.count, pos);
}

static bool pairs_agree(const Program *p, OpId op) {
  const Op *o = op_at(p, op);
  bool agree = o->n_operands == o->n_results;
  for (uint32_t i = 0; agree && i < o->n_results; i++)
    agree = op_operand_type(p, op, i) == op_result_type(p, op, i);
  return agree;
}

static void print_pairs(Printer *pr, OpId op, uint32_t index) {
  if (pairs_agree(pr->program, op))
    printer_operand_types(pr, op);
  else
    print_func(pr, op, index);
}

// Without operands and results `()` cannot be read back; the op is printed in generic form.
static bool fits_pairs(const Program *p, OpId op, uint32_t index) {
  (void)index;
  return op_at(p, op)->n_operands != 0;
}

static bool read_select(Reader *r, ReadOp *op, uint32_t index) {
  if (reader_at(r, '(')) return read_func(r, op, index);
  TypeVec types = {0};
  Pos pos = r->tok.pos;
  if (!reader_type_list(r, &types)) return false;
  if (types.count != 2 || op->operands.count != 3)
    return reader_fail(r, pos,
                       "expected the types of the predicate and of the values, or a function type");
  VEC_PUSH(r->scratch, &op->result_types, types.items[1]);
  return reader_check_type(r, op, 0, types.items[0]) &&
         reader_check_type(r, op, 1, types.items[1]) && reader_check_type(r, op, 2, types.items[1]);
}

static void print_select(Printer *pr, OpId op, uint32_t index) {
  Type result = op_result_type(pr->program, op, 0);
  if (op_operand_type(pr->program, op, 1) != result ||
      op_operand_type(pr->program, op, 2) != result) {
    print_func(pr, op, index);
    return;
  }
  printer_type(pr, op_operand_type(pr->program, op, 0));
  printer_puts(pr, ", ");
  printer_type(pr, result);
}

// The tensor type of the real and imaginary parts of a complex tensor; 0 if it is none.
static Type parts_type(Context *context, Type type) {
  DType dtype = type_dtype(context, type);
  if (!type_is_tensor(context, type) || !dtype_is_complex(dtype)) return 0;
  return type_with_elem(context, type, type_scalar(dtype_real_of(dtype)));
}

static bool read_complex(Reader *r, ReadOp *op, uint32_t index) {
  if (reader_at(r, '(')) return read_func(r, op, index);
  Type type;
  Pos pos = r->tok.pos;
  if (!reader_type(r, &type)) return false;
  Type parts = parts_type(r->context, type);
  if (!parts) return reader_fail(r, pos, "expected a tensor of complex elements");
  VEC_PUSH(r->scratch, &op->result_types, type);
  return all_operands_have(r, op, parts);
}

static void print_complex(Printer *pr, OpId op, uint32_t index) {
  Type result = op_result_type(pr->program, op, 0);
  Type parts = parts_type(pr->program->context, result);
  if (parts && op_operand_type(pr->program, op, 0) == parts &&
      op_operand_type(pr->program, op, 1) == parts)
    printer_type(pr, result);
  else
    print_func(pr, op, index);
}

// ---- constant: `{attrs} dense<…> : T`, or `() <{value = …}> : () -> T` if the types differ
// (quantized) ----

static bool read_constant(Reader *r, ReadOp *op, uint32_t index) {
  Attr value = 0;
  if (reader_accept(r, '(')) {
    if (!reader_expect(r, ')')) return false;
    if (reader_accept(r, '<') && (!reader_attr_dict(r, op) || !reader_expect(r, '>'))) return false;
    return reader_attr_dict(r, op) && reader_expect(r, ':') && read_func(r, op, index);
  }
  if (!reader_attr_dict(r, op)) return false;
  Pos pos = r->tok.pos;
  if (!reader_attr(r, 0, &value)) return false;
  const AttrInfo *info = attr_info(r->context, value);
  if (info->kind != ATTR_DENSE && info->kind != ATTR_RESOURCE)
    return reader_fail(r, pos, "expected a constant like dense<0> : tensor<2xi32>");
  VEC_PUSH(r->scratch, &op->result_types, info->type);
  return reader_add_attr(r, op, pos, "value", value);
}

static void print_constant(Printer *pr, OpId op, uint32_t index) {
  (void)index;
  Attr value = op_attr(pr->program, op, "value");
  if (attr_info(pr->context, value)->type != op_result_type(pr->program, op, 0)) {
    printer_generic_tail(pr, op);
    return;
  }
  printer_attr_dict(pr, op, form_mentions, false);
  strbuf_putc(pr->out, ' ');
  attr_print(pr->context, value, pr->out);
}

static bool fits_constant(const Program *p, OpId op, uint32_t index) {
  (void)index;
  AttrKind kind = attr_info(p->context, op_attr(p, op, "value"))->kind;
  return kind == ATTR_DENSE || kind == ATTR_RESOURCE;
}

// ---- slice: [0:4, 2:8:3] ----

static bool read_slice(Reader *r, ReadOp *op, uint32_t index) {
  (void)index;
  IntVec parts[3] = {{0}, {0}, {0}};
  static const char *const names[] = {"start_indices", "limit_indices", "strides"};
  Pos pos = r->tok.pos;
  if (!reader_expect(r, '[')) return false;
  while (!reader_at(r, ']')) {
    int64_t start, limit, stride = 1;
    if (parts[0].count && !reader_expect(r, ',')) return false;
    if (!reader_integer(r, &start) || !reader_expect(r, ':') || !reader_integer(r, &limit))
      return false;
    if (reader_accept(r, ':') && !reader_integer(r, &stride)) return false;
    VEC_PUSH(r->scratch, &parts[0], start);
    VEC_PUSH(r->scratch, &parts[1], limit);
    VEC_PUSH(r->scratch, &parts[2], stride);
  }
  reader_next(r);
  for (int k = 0; k < 3; k++)
    if (!reader_add_attr(r, op, pos, names[k],
                         attr_i64s(r->context, parts[k].count, parts[k].items)))
      return false;
  return true;
}

static bool slice_parts(const Program *p, OpId op, const AttrInfo **parts) {
  static const char *const names[] = {"start_indices", "limit_indices", "strides"};
  for (int k = 0; k < 3; k++) {
    parts[k] = attr_info(p->context, op_attr(p, op, names[k]));
    if (parts[k]->kind != ATTR_DENSE_ARRAY || parts[k]->type != DT_i64 ||
        parts[k]->count != parts[0]->count)
      return false;
  }
  return true;
}

static bool fits_slice(const Program *p, OpId op, uint32_t index) {
  (void)index;
  const AttrInfo *parts[3];
  return slice_parts(p, op, parts);
}

static int64_t int_at(const AttrInfo *ints, uint32_t i) { return ((const int64_t *)ints->data)[i]; }

static void print_slice(Printer *pr, OpId op, uint32_t index) {
  (void)index;
  const AttrInfo *parts[3];
  if (!slice_parts(pr->program, op, parts)) return;
  strbuf_putc(pr->out, '[');
  for (uint32_t i = 0; i < parts[0]->count; i++) {
    strbuf_printf(pr->out, "%s%" PRId64 ":%" PRId64, i ? ", " : "", int_at(parts[0], i),
                  int_at(parts[1], i));
    if (int_at(parts[2], i) != 1) strbuf_printf(pr->out, ":%" PRId64, int_at(parts[2], i));
  }
  strbuf_putc(pr->out, ']');
}

// ---- reduce_precision: e5m10 ----

static bool digits(const char **at, const char *end, int64_t *out) {
  const char *begin = *at;
  for (*out = 0; *at < end && **at >= '0' && **at <= '9' && *at - begin < 9; (*at)++)
    *out = *out * 10 + (**at - '0');
  return *at > begin;
}

static bool read_format(Reader *r, ReadOp *op, uint32_t index) {
  (void)index;
  Pos pos = r->tok.pos;
  const char *at = r->tok.text.s, *end = at + r->tok.text.n;
  int64_t exponent, mantissa;
  bool ok = r->tok.kind == TOK_WORD && *at++ == 'e' && digits(&at, end, &exponent) && at < end &&
            *at++ == 'm' && digits(&at, end, &mantissa) && at == end;
  if (!ok) return reader_expected(r, "a format like e5m10");
  reader_next(r);
  return reader_add_attr(r, op, pos, "exponent_bits", attr_int(r->context, DT_i32, exponent)) &&
         reader_add_attr(r, op, pos, "mantissa_bits", attr_int(r->context, DT_i32, mantissa));
}

static bool is_small_count(const Program *p, OpId op, const char *name) {
  const AttrInfo *info = attr_info(p->context, op_attr(p, op, name));
  return info->kind == ATTR_INT && info->type == DT_i32 && info->i >= 0 && info->i < 1000000000;
}

static bool fits_format(const Program *p, OpId op, uint32_t index) {
  (void)index;
  return is_small_count(p, op, "exponent_bits") && is_small_count(p, op, "mantissa_bits");
}

static void print_format(Printer *pr, OpId op, uint32_t index) {
  (void)index;
  strbuf_printf(pr->out, "e%" PRId64 "m%" PRId64,
                attr_as_int(pr->context, op_attr(pr->program, op, "exponent_bits"), 0),
                attr_as_int(pr->context, op_attr(pr->program, op, "mantissa_bits"), 0));
}

// ---- dot_general: batching_dims = [0] x [0], contracting_dims = [2] x [1] ----

static const char *const dot_sides[2][2] = {
    {"lhs_batching_dimensions", "rhs_batching_dimensions"},
    {"lhs_contracting_dimensions", "rhs_contracting_dimensions"},
};

static bool read_dim_pair(Reader *r, const char *const sides[2], NamedAttr *fields, uint32_t *n) {
  for (int k = 0; k < 2; k++) {
    IntVec dims = {0};
    if (k && !reader_expect_word(r, "x")) return false;
    if (!reader_integer_list(r, &dims)) return false;
    if (dims.count)
      fields[(*n)++] =
          (NamedAttr){name_of(r->context, sides[k]), attr_i64s(r->context, dims.count, dims.items)};
  }
  return true;
}

static bool read_dot_dims(Reader *r, ReadOp *op, uint32_t index) {
  (void)index;
  NamedAttr fields[4];
  uint32_t n = 0;
  Pos pos = r->tok.pos;
  if (reader_accept_word(r, "batching_dims") &&
      (!reader_expect(r, '=') || !read_dim_pair(r, dot_sides[0], fields, &n) ||
       !reader_expect(r, ',')))
    return false;
  if (!reader_expect_word(r, "contracting_dims") || !reader_expect(r, '=') ||
      !read_dim_pair(r, dot_sides[1], fields, &n))
    return false;
  return reader_add_attr(r, op, pos, "dot_dimension_numbers",
                         attr_struct(r->context, "stablehlo.dot", n, fields));
}

static bool fits_dot_dims(const Program *p, OpId op, uint32_t index) {
  (void)index;
  const AttrInfo *info = attr_info(p->context, op_attr(p, op, "dot_dimension_numbers"));
  return info->kind == ATTR_STRUCT && str_is(name_str(p->context, info->cls), "stablehlo.dot");
}

static void print_dims(Printer *pr, const AttrInfo *dims) {
  strbuf_putc(pr->out, '[');
  for (uint32_t i = 0; i < dims->count; i++) {
    if (i) printer_puts(pr, ", ");
    strbuf_put_int(pr->out, int_at(dims, i));
  }
  strbuf_putc(pr->out, ']');
}

static void print_dot_dims(Printer *pr, OpId op, uint32_t index) {
  (void)index;
  Attr numbers = op_attr(pr->program, op, "dot_dimension_numbers");
  const AttrInfo *sides[2][2];
  for (int i = 0; i < 4; i++)
    sides[i / 2][i % 2] =
        attr_info(pr->context, attr_get(pr->context, numbers, dot_sides[i / 2][i % 2]));
  for (int k = 0; k < 2; k++) {
    if (k == 0 && !sides[0][0]->count && !sides[0][1]->count) continue;
    printer_puts(pr, k ? "contracting_dims = " : "batching_dims = ");
    print_dims(pr, sides[k][0]);
    printer_puts(pr, " x ");
    print_dims(pr, sides[k][1]);
    if (!k) printer_puts(pr, ", ");
  }
}

// `, precision = [DEFAULT, HIGH]`
static bool read_precision(Reader *r, ReadOp *op, uint32_t index) {
  (void)index;
  VEC(Attr) items = {0};
  if (!reader_at(r, ',')) return true;
  Token tok = r->tok;
  const char *at = r->at;
  reader_next(r);
  if (!reader_at_word(r, "precision")) {
    r->tok = tok;
    r->at = at;
    return true;
  }
  Pos pos = r->tok.pos;
  reader_next(r);
  if (!reader_expect(r, '=') || !reader_expect(r, '[')) return false;
  while (!reader_at(r, ']')) {
    Str word;
    Pos word_pos = r->tok.pos;
    if (items.count && !reader_expect(r, ',')) return false;
    if (!reader_word(r, &word)) return false;
    if (!str_is(word, "DEFAULT") && !str_is(word, "HIGH") && !str_is(word, "HIGHEST"))
      return reader_fail(r, word_pos, "expected DEFAULT, HIGH or HIGHEST, found '%.*s'",
                         (int)word.n, word.s);
    VEC_PUSH(r->scratch, &items,
             attr_enum(r->context, "stablehlo.precision",
                       name_text(r->context, name_intern(r->context, word))));
  }
  reader_next(r);
  return reader_add_attr(r, op, pos, "precision_config",
                         attr_array(r->context, items.count, items.items));
}

static bool fits_precision(const Program *p, OpId op, uint32_t index) {
  (void)index;
  Attr attr = op_attr(p, op, "precision_config");
  const AttrInfo *info = attr_info(p->context, attr);
  if (!attr) return true;
  if (info->kind != ATTR_ARRAY) return false;
  for (uint32_t i = 0; i < info->count; i++) {
    const AttrInfo *item = attr_info(p->context, info->items[i]);
    if (item->kind != ATTR_ENUM || !str_is(name_str(p->context, item->cls), "stablehlo.precision"))
      return false;
  }
  return true;
}

static void print_precision(Printer *pr, OpId op, uint32_t index) {
  (void)index;
  Attr attr = op_attr(pr->program, op, "precision_config");
  if (!attr) return;
  const AttrInfo *info = attr_info(pr->context, attr);
  printer_puts(pr, ", precision = [");
  for (uint32_t i = 0; i < info->count; i++) {
    if (i) printer_puts(pr, ", ");
    strbuf_put_str(pr->out, name_str(pr->context, attr_as_name(pr->context, info->items[i])));
  }
  strbuf_putc(pr->out, ']');
}

// ---- convolution: {stride = [2], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse =
// [false]} ----

typedef struct WindowPart {
  const char *word, *attr;
} WindowPart;

static const WindowPart window_parts[] = {
    {"stride", "window_strides"},   {"pad", "padding"},
    {"lhs_dilate", "lhs_dilation"}, {"rhs_dilate", "rhs_dilation"},
    {"reverse", "window_reversal"},
};
enum { N_WINDOW_PARTS = 5, WINDOW_PAD = 1, WINDOW_REVERSE = 4 };

static bool read_pad(Reader *r, Attr *out) {
  IntVec pads = {0};
  if (!reader_expect(r, '[')) return false;
  while (!reader_at(r, ']')) {
    int64_t low, high;
    if (pads.count && !reader_expect(r, ',')) return false;
    if (!reader_expect(r, '[') || !reader_integer(r, &low) || !reader_expect(r, ',') ||
        !reader_integer(r, &high) || !reader_expect(r, ']'))
      return false;
    VEC_PUSH(r->scratch, &pads, low);
    VEC_PUSH(r->scratch, &pads, high);
  }
  reader_next(r);
  Type type = type_tensor(r->context, DT_i64, 2, (const int64_t[]){pads.count / 2, 2}, 0);
  *out = attr_dense(r->context, type, pads.items, pads.count * sizeof(int64_t));
  return true;
}

static bool read_reverse(Reader *r, Attr *out) {
  VEC(bool) flags = {0};
  if (!reader_expect(r, '[')) return false;
  while (!reader_at(r, ']')) {
    bool flag;
    if (flags.count && !reader_expect(r, ',')) return false;
    if (!reader_bool(r, &flag)) return false;
    VEC_PUSH(r->scratch, &flags, flag);
  }
  reader_next(r);
  *out = attr_bools(r->context, flags.count, flags.items);
  return true;
}

static bool read_window(Reader *r, ReadOp *op, uint32_t index) {
  (void)index;
  if (!reader_expect(r, '{')) return false;
  for (bool first = true; !reader_at(r, '}'); first = false) {
    Str word;
    Attr value = 0;
    IntVec list = {0};
    if (!first && !reader_expect(r, ',')) return false;
    Pos pos = r->tok.pos;
    int k = 0;
    if (!reader_word(r, &word)) return false;
    while (k < N_WINDOW_PARTS && !str_is(word, window_parts[k].word)) k++;
    if (k == N_WINDOW_PARTS)
      return reader_fail(r, pos,
                         "expected stride, pad, lhs_dilate, rhs_dilate or reverse, found '%.*s'",
                         (int)word.n, word.s);
    if (!reader_expect(r, '=')) return false;
    if (k == WINDOW_PAD) {
      if (!read_pad(r, &value)) return false;
    } else if (k == WINDOW_REVERSE) {
      if (!read_reverse(r, &value)) return false;
    } else {
      if (!reader_integer_list(r, &list)) return false;
      value = attr_i64s(r->context, list.count, list.items);
    }
    if (!reader_add_attr(r, op, pos, window_parts[k].attr, value)) return false;
  }
  reader_next(r);
  return true;
}

static bool fits_window(const Program *p, OpId op, uint32_t index) {
  (void)index;
  for (int k = 0; k < N_WINDOW_PARTS; k++) {
    Attr attr = op_attr(p, op, window_parts[k].attr);
    const AttrInfo *info = attr_info(p->context, attr);
    if (!attr) continue;
    if (k == WINDOW_PAD) {
      const TypeInfo *type = type_info(p->context, info->type);
      if (info->kind != ATTR_DENSE || type->kind != TYPE_TENSOR || type->elem != DT_i64 ||
          type->rank != 2 || type->dims[1] != 2)
        return false;
    } else if (info->kind != ATTR_DENSE_ARRAY ||
               info->type != (k == WINDOW_REVERSE ? DT_i1 : DT_i64)) {
      return false;
    }
  }
  return true;
}

static void print_pad(Printer *pr, const AttrInfo *pad) {
  const TypeInfo *type = type_info(pr->context, pad->type);
  for (int64_t i = 0; i < type->dims[0]; i++) {
    int64_t low = pad->splat ? 0 : 2 * i, high = pad->splat ? 0 : 2 * i + 1;
    strbuf_printf(pr->out, "%s[%" PRId64 ", %" PRId64 "]", i ? ", " : "",
                  dtype_load(DT_i64, pad->data, low).i, dtype_load(DT_i64, pad->data, high).i);
  }
}

static void print_window(Printer *pr, OpId op, uint32_t index) {
  (void)index;
  const char *comma = "";
  strbuf_putc(pr->out, '{');
  for (int k = 0; k < N_WINDOW_PARTS; k++) {
    Attr attr = op_attr(pr->program, op, window_parts[k].attr);
    const AttrInfo *info = attr_info(pr->context, attr);
    if (!attr) continue;
    strbuf_printf(pr->out, "%s%s = [", comma, window_parts[k].word);
    comma = ", ";
    if (k == WINDOW_PAD)
      print_pad(pr, info);
    else
      for (uint32_t i = 0; i < info->count; i++) {
        if (i) printer_puts(pr, ", ");
        if (k == WINDOW_REVERSE)
          printer_puts(pr, dtype_load(DT_i1, info->data, i).i ? "true" : "false");
        else
          strbuf_put_int(pr->out, int_at(info, i));
      }
    strbuf_putc(pr->out, ']');
  }
  strbuf_putc(pr->out, '}');
}

// ---- regions ----

// Whether the region has one block that ends with a terminator.
static bool is_single_block(const Program *p, OpId op, uint32_t region) {
  if (region >= op_at(p, op)->n_regions) return false;
  const Region *r = region_at(p, op_region(p, op, region));
  return r->first && r->first == r->last && block_at(p, r->first)->last;
}

static bool read_body(Reader *r, ReadOp *op, uint32_t index) {
  (void)index;
  VEC(ReadArg) args = {0};
  if (!reader_expect(r, '(')) return false;
  while (!reader_at(r, ')')) {
    ReadArg arg = {0};
    if (args.count && !reader_expect(r, ',')) return false;
    if (!reader_arg(r, &arg)) return false;
    VEC_PUSH(r->scratch, &args, arg);
  }
  reader_next(r);
  return reader_region(r, op, args.count, args.items);
}

static bool fits_body(const Program *p, OpId op, uint32_t index) {
  (void)index;
  return is_single_block(p, op, 0);
}

static void print_body(Printer *pr, OpId op, uint32_t index) {
  (void)index;
  RegionId region = op_region(pr->program, op, 0);
  BlockId block = region_block(pr->program, region);
  strbuf_putc(pr->out, '(');
  for (uint32_t i = 0; i < block_at(pr->program, block)->n_args; i++) {
    if (i) printer_puts(pr, ", ");
    printer_arg(pr, block_arg(pr->program, block, i));
  }
  printer_puts(pr, ") ");
  printer_region(pr, region, false);
}

// ---- while(%iterArg = %0, …) : T, … cond {…} do {…} ----

static bool read_while(Reader *r, ReadOp *op, uint32_t index) {
  (void)index;
  VEC(ReadArg) args = {0};
  if (!reader_expect(r, '(')) return false;
  while (!reader_at(r, ')')) {
    ReadArg arg = {0};
    if (args.count && !reader_expect(r, ',')) return false;
    if (!reader_arg_name(r, &arg) || !reader_expect(r, '=') || !reader_operand(r, op)) return false;
    VEC_PUSH(r->scratch, &args, arg);
  }
  reader_next(r);
  if (args.count) {
    if (!reader_expect(r, ':')) return false;
    Pos pos = r->tok.pos;
    if (!reader_type_list(r, &op->result_types)) return false;
    if (!reader_check_types(r, op, 0, args.count, op->result_types.items, op->result_types.count,
                            pos))
      return false;
    for (uint32_t i = 0; i < args.count; i++) args.items[i].type = op->result_types.items[i];
  }
  return reader_attr_dict_with_keyword(r, op) && reader_expect_word(r, "cond") &&
         reader_region(r, op, args.count, args.items) && reader_expect_word(r, "do") &&
         reader_region(r, op, args.count, args.items);
}

static bool fits_while(const Program *p, OpId op, uint32_t index) {
  (void)index;
  const Op *o = op_at(p, op);
  if (!pairs_agree(p, op) || !is_single_block(p, op, 0) || !is_single_block(p, op, 1)) return false;
  for (uint32_t k = 0; k < 2; k++) {
    BlockId block = region_block(p, op_region(p, op, k));
    if (block_at(p, block)->n_args != o->n_operands) return false;
    for (uint32_t i = 0; i < o->n_operands; i++)
      if (value_type(p, block_arg(p, block, i)) != op_operand_type(p, op, i)) return false;
  }
  return true;
}

static void print_while(Printer *pr, OpId op, uint32_t index) {
  (void)index;
  const Op *o = op_at(pr->program, op);
  BlockId cond = region_block(pr->program, op_region(pr->program, op, 0));
  strbuf_putc(pr->out, '(');
  for (uint32_t i = 0; i < o->n_operands; i++) {
    if (i) printer_puts(pr, ", ");
    printer_value(pr, block_arg(pr->program, cond, i));
    printer_puts(pr, " = ");
    printer_value(pr, op_operand(pr->program, op, i));
  }
  strbuf_putc(pr->out, ')');
  if (o->n_operands) {
    printer_puts(pr, " : ");
    printer_operand_types(pr, op);
  }
  printer_attr_dict(pr, op, form_mentions, true);
  printer_newline(pr);
  printer_puts(pr, "cond ");
  printer_region(pr, op_region(pr->program, op, 0), false);
  printer_puts(pr, " do ");
  printer_region(pr, op_region(pr->program, op, 1), false);
}

// ---- reduce(%0 init: %1), (…) applies stablehlo.add across dimensions = [0] : … ----

static Type scalar_of(Context *context, Type tensor) {
  return type_tensor(context, type_elem(context, tensor), 0, NULL, 0);
}

// Reads `applies op` and builds the body.
static bool read_applies(Reader *r, ReadOp *op, uint16_t inner, Pos pos) {
  Type scalar = scalar_of(r->context, reader_operand_type(r, op, 0));
  if (!type_elem(r->context, reader_operand_type(r, op, 0)) || op->operands.count != 2)
    return reader_fail(r, pos, "'applies' requires one input and its init value");
  BlockId block = reader_region_made(r, op);
  ValueId args[2];
  block_add_arg(r->program, block, scalar, 0);
  block_add_arg(r->program, block, scalar, 0);
  for (uint32_t i = 0; i < 2; i++) args[i] = block_arg(r->program, block, i);
  OpSpec spec = {.code = inner,
                 .n_operands = 2,
                 .n_results = 1,
                 .operands = args,
                 .result_types = &scalar,
                 .pos = pos};
  OpId made = op_create(r->program, &spec);
  op_append(r->program, block, made);
  ValueId result = op_result(r->program, made, 0);
  OpSpec end = {.code = OP_return, .n_operands = 1, .operands = &result, .pos = pos};
  op_append(r->program, block, op_create(r->program, &end));
  return true;
}

static bool read_reducer(Reader *r, ReadOp *op) {
  VEC(ReadArg) left = {0}, right = {0};
  if (!reader_expect_word(r, "reducer")) return false;
  while (reader_accept(r, '(')) {
    ReadArg a = {0}, b = {0};
    if (!reader_arg(r, &a) || !reader_expect(r, ',') || !reader_arg(r, &b) ||
        !reader_expect(r, ')'))
      return false;
    VEC_PUSH(r->scratch, &left, a);
    VEC_PUSH(r->scratch, &right, b);
  }
  for (uint32_t i = 0; i < right.count; i++) VEC_PUSH(r->scratch, &left, right.items[i]);
  return reader_region(r, op, left.count, left.items);
}

static bool read_reduce(Reader *r, ReadOp *op, uint32_t index) {
  VEC(ValueId) inits = {0};
  VEC(Pos) init_pos = {0};
  uint16_t inner = OP_NONE;
  Pos inner_pos = POS_NONE;
  do {
    if (!reader_expect(r, '(') || !reader_operand(r, op) || !reader_expect_word(r, "init") ||
        !reader_expect(r, ':'))
      return false;
    ValueId init;
    Pos pos = r->tok.pos;
    if (!reader_value(r, &init) || !reader_expect(r, ')')) return false;
    VEC_PUSH(r->scratch, &inits, init);
    VEC_PUSH(r->scratch, &init_pos, pos);
  } while (reader_accept(r, ','));
  for (uint32_t i = 0; i < inits.count; i++) {
    VEC_PUSH(r->scratch, &op->operands, inits.items[i]);
    VEC_PUSH(r->scratch, &op->operand_pos, init_pos.items[i]);
  }
  if (reader_accept_word(r, "applies")) {
    Str name;
    inner_pos = r->tok.pos;
    if (!reader_word(r, &name)) return false;
    inner = op_lookup(name);
    if (op_row(inner)->operands != 2 || op_row(inner)->results != 1 || op_row(inner)->regions != 0)
      return reader_fail(r, inner_pos, "'%.*s' is not a known op with two operands and one result",
                         (int)name.n, name.s);
  }
  if (!reader_expect_word(r, "across") || !reader_expect_word(r, "dimensions") ||
      !reader_expect(r, '='))
    return false;
  IntVec dims = {0};
  Pos pos = r->tok.pos;
  if (!reader_integer_list(r, &dims) ||
      !reader_add_attr(r, op, pos, "dimensions", attr_i64s(r->context, dims.count, dims.items)) ||
      !reader_attr_dict(r, op) || !reader_expect(r, ':') || !read_func(r, op, index))
    return false;
  return inner ? read_applies(r, op, inner, inner_pos) : read_reducer(r, op);
}

static bool fits_reduce(const Program *p, OpId op, uint32_t index) {
  (void)index;
  const Op *o = op_at(p, op);
  const AttrInfo *dims = attr_info(p->context, op_attr(p, op, "dimensions"));
  return o->n_operands && o->n_operands % 2 == 0 && is_single_block(p, op, 0) &&
         block_at(p, region_block(p, op_region(p, op, 0)))->n_args == o->n_operands &&
         dims->kind == ATTR_DENSE_ARRAY && dims->type == DT_i64;
}

// The op that the body applies to its two arguments, if the body is nothing else and `applies`
// reads back as the same body; 0 otherwise.
static OpId applied_op(const Printer *pr, OpId op) {
  const Program *p = pr->program;
  BlockId block = region_block(p, op_region(p, op, 0));
  OpId inner = block_at(p, block)->first;
  const Op *i = op_at(p, inner);
  OpId end = i->next;
  if (op_at(p, op)->n_operands != 2 || !end || op_at(p, end)->next) return 0;
  uint32_t traits = op_row(i->code)->traits;
  if (!(traits & TRAIT_COMMUTATIVE) || i->n_operands != 2 || i->n_results != 1 || i->attrs)
    return 0;
  if (strncmp(op_row(i->code)->name, "stablehlo.", 10) != 0) return 0;
  if (op_operand(p, inner, 0) != block_arg(p, block, 0) ||
      op_operand(p, inner, 1) != block_arg(p, block, 1))
    return 0;
  const Op *e = op_at(p, end);
  if (e->code != OP_return || e->n_operands != 1 || e->attrs || op_operand(p, end, 0) != i->results)
    return 0;
  Type scalar = scalar_of(p->context, op_operand_type(p, op, 0));
  if (value_type(p, i->results) != scalar) return 0;
  for (uint32_t k = 0; k < 2; k++)
    if (value_type(p, block_arg(p, block, k)) != scalar) return 0;
  return inner;
}

static void print_reduce(Printer *pr, OpId op, uint32_t index) {
  (void)index;
  const Program *p = pr->program;
  uint32_t n = op_at(p, op)->n_operands / 2;
  OpId inner = applied_op(pr, op);
  for (uint32_t i = 0; i < n; i++) {
    printer_puts(pr, i ? ", (" : "(");
    printer_value(pr, op_operand(p, op, i));
    printer_puts(pr, " init: ");
    printer_value(pr, op_operand(p, op, n + i));
    strbuf_putc(pr->out, ')');
  }
  if (inner) {
    printer_puts(pr, " applies ");
    printer_puts(pr, op_row(op_at(p, inner)->code)->name);
  }
  printer_puts(pr, " across dimensions = ");
  print_dims(pr, attr_info(pr->context, op_attr(p, op, "dimensions")));
  printer_attr_dict(pr, op, form_mentions, false);
  printer_puts(pr, " : ");
  printer_functional_type(pr, op);
  if (inner) return;
  RegionId region = op_region(p, op, 0);
  BlockId block = region_block(p, region);
  printer_newline(pr);
  printer_puts(pr, " reducer");
  for (uint32_t i = 0; i < n; i++) {
    strbuf_putc(pr->out, '(');
    printer_arg(pr, block_arg(p, block, i));
    printer_puts(pr, ", ");
    printer_arg(pr, block_arg(p, block, n + i));
    printer_puts(pr, ") ");
  }
  strbuf_putc(pr->out, ' ');
  printer_region(pr, region, false);
}

// ---- scan(%a, %b) inits(%c) dimension=0 attributes {…} {^bb0(…): …} : … ----

static Attr segments(Reader *r, uint32_t a, uint32_t b) {
  int32_t data[2] = {(int32_t)a, (int32_t)b};
  return attr_intern(r->context, &(AttrInfo){.kind = ATTR_DENSE_ARRAY,
                                             .type = DT_i32,
                                             .count = 2,
                                             .data = data,
                                             .bytes = sizeof data});
}

static bool read_scan(Reader *r, ReadOp *op, uint32_t index) {
  int64_t dimension;
  if (!reader_expect(r, '(') || !form_read_operands(r, op) || !reader_expect(r, ')')) return false;
  uint32_t n_inputs = op->operands.count;
  if (!reader_expect_word(r, "inits") || !reader_expect(r, '(') || !form_read_operands(r, op) ||
      !reader_expect(r, ')') || !reader_expect_word(r, "dimension") || !reader_expect(r, '='))
    return false;
  uint32_t n_inits = op->operands.count - n_inputs;
  Pos pos = r->tok.pos;
  if (!reader_integer(r, &dimension) ||
      !reader_add_attr(r, op, pos, "dimension", attr_i64(r->context, dimension)) ||
      !reader_attr_dict_with_keyword(r, op) || !reader_region(r, op, 0, NULL) ||
      !reader_attr_dict(r, op) || !reader_expect(r, ':') || !read_func(r, op, index))
    return false;
  if (op->result_types.count < n_inits)
    return reader_fail(r, pos, "the op has fewer results than initial values");
  reader_set_attr(r, op, "operandSegmentSizes", segments(r, n_inputs, n_inits));
  reader_set_attr(r, op, "resultSegmentSizes",
                  segments(r, op->result_types.count - n_inits, n_inits));
  return true;
}

// Sizes of the two segments; false if the attribute has another form.
static bool segment_sizes(const Program *p, OpId op, const char *name, uint32_t total,
                          uint32_t *out) {
  const AttrInfo *info = attr_info(p->context, op_attr(p, op, name));
  if (info->kind != ATTR_DENSE_ARRAY || info->type != DT_i32 || info->count != 2) return false;
  int64_t a = dtype_load(DT_i32, info->data, 0).i, b = dtype_load(DT_i32, info->data, 1).i;
  if (a < 0 || b < 0 || a + b != total) return false;
  out[0] = (uint32_t)a;
  out[1] = (uint32_t)b;
  return true;
}

static bool fits_scan(const Program *p, OpId op, uint32_t index) {
  (void)index;
  const Op *o = op_at(p, op);
  uint32_t in[2], out[2];
  const AttrInfo *dim = attr_info(p->context, op_attr(p, op, "dimension"));
  return segment_sizes(p, op, "operandSegmentSizes", o->n_operands, in) &&
         segment_sizes(p, op, "resultSegmentSizes", o->n_results, out) && in[1] == out[1] &&
         dim->kind == ATTR_INT && dim->type == DT_i64 && is_single_block(p, op, 0);
}

static void print_scan(Printer *pr, OpId op, uint32_t index) {
  (void)index;
  uint32_t in[2] = {0, 0};
  segment_sizes(pr->program, op, "operandSegmentSizes", op_at(pr->program, op)->n_operands, in);
  strbuf_putc(pr->out, '(');
  printer_values(pr, op, 0, in[0]);
  printer_puts(pr, ") inits (");
  printer_values(pr, op, in[0], in[1]);
  strbuf_printf(pr->out, ") dimension=%" PRId64 " ",
                attr_as_int(pr->context, op_attr(pr->program, op, "dimension"), 0));
  printer_attr_dict(pr, op, form_mentions, true);
  strbuf_putc(pr->out, ' ');
  printer_region(pr, op_region(pr->program, op, 0), true);
  printer_puts(pr, " : ");
  printer_functional_type(pr, op);
}

const FormHook form_hooks[] = {
    {"same", read_same, print_same, NULL, NULL},
    {"func", read_func, print_func, NULL, NULL},
    {"type", read_type, print_type, fits_type, NULL},
    {"t", read_operand_type, print_operand_type, fits_operand_type, NULL},
    {"t*", read_operand_types, print_operand_types, fits_some_operand, NULL},
    {"r", read_result_type, print_result_type, fits_result_type, NULL},
    {"r*", read_result_types, print_result_types, fits_some_result, NULL},
    {"tuple", read_tuple, print_tuple, NULL, NULL},
    {"pairs", read_pairs, print_pairs, fits_pairs, NULL},
    {"select", read_select, print_select, NULL, NULL},
    {"complex", read_complex, print_complex, NULL, NULL},
    {"constant", read_constant, print_constant, fits_constant, "value"},
    {"slice", read_slice, print_slice, fits_slice, "start_indices limit_indices strides"},
    {"format", read_format, print_format, fits_format, "exponent_bits mantissa_bits"},
    {"dot_dims", read_dot_dims, print_dot_dims, fits_dot_dims, "dot_dimension_numbers"},
    {"precision", read_precision, print_precision, fits_precision, "precision_config"},
    {"window", read_window, print_window, fits_window,
     "window_strides padding lhs_dilation rhs_dilation window_reversal"},
    {"body", read_body, print_body, fits_body, NULL},
    {"while", read_while, print_while, fits_while, NULL},
    {"reduce", read_reduce, print_reduce, fits_reduce, "dimensions"},
    {"scan", read_scan, print_scan, fits_scan, "dimension operandSegmentSizes resultSegmentSizes"},
    {NULL, NULL, NULL, NULL, NULL},
};
