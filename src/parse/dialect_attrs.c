// Attributes of the dialects. Most structs are lists `<name = value, …>`: one array of fields per
// class serves reading and printing. The others (conv, and those of sdy) have a pair of functions
// in the class table. A field that equals its default (no dims, zero) is not stored, so attributes
// of equal meaning are equal ids regardless of their text. O(text).
#include "parse/dialect_attrs.h"

#include <inttypes.h>
#include <string.h>

#include "parse/dialect_sdy.h"
#include "parse/print.h"

// ---- enums ----

typedef struct EnumClass {
  const char *name;
  const char *values;
  bool angled;  // #stablehlo.result_accuracy_mode<HIGHEST> instead of #stablehlo<precision HIGHEST>
} EnumClass;

static const EnumClass enums[] = {
    {"stablehlo.comparison_direction", "EQ NE GE GT LE LT", false},
    {"stablehlo.comparison_type", "NOTYPE FLOAT TOTALORDER SIGNED UNSIGNED", false},
    {"stablehlo.precision", "DEFAULT HIGH HIGHEST", false},
    {"stablehlo.fft_type", "FFT IFFT RFFT IRFFT", false},
    {"stablehlo.transpose", "TRANSPOSE_INVALID NO_TRANSPOSE TRANSPOSE ADJOINT", false},
    {"stablehlo.rng_distribution", "UNIFORM NORMAL", false},
    {"stablehlo.rng_algorithm", "DEFAULT THREE_FRY PHILOX", false},
    {"stablehlo.result_accuracy_mode", "DEFAULT HIGHEST TOLERANCE", true},
    {"chlo.comparison_direction", "EQ NE GE GT LE LT", false},
    {"chlo.comparison_type", "NOTYPE FLOAT TOTALORDER SIGNED UNSIGNED", false},
    {"chlo.precision", "DEFAULT HIGH HIGHEST", false},
};

static const EnumClass *enum_find(Str name) {
  for (size_t i = 0; i < sizeof enums / sizeof *enums; i++)
    if (str_is(name, enums[i].name)) return &enums[i];
  return NULL;
}

const char *dialect_enum_values(const char *cls) {
  const EnumClass *e = enum_find(str_of(cls));
  return e ? e->values : NULL;
}

bool dialect_enum_has(const char *cls, Str value) {
  const char *at = dialect_enum_values(cls);
  while (at && *at) {
    size_t n = strcspn(at, " ");
    if (n == value.n && memcmp(at, value.s, n) == 0) return true;
    at += n + (at[n] == ' ');
  }
  return false;
}

static bool enum_read_value(Reader *r, const EnumClass *e, Attr *out) {
  Pos pos = r->tok.pos;
  Str value;
  if (!reader_word(r, &value)) return false;
  if (!dialect_enum_has(e->name, value))
    return reader_fail(r, pos, "'%.*s' is not a value of %s, expected one of: %s", (int)value.n,
                       value.s, e->name, e->values);
  *out = attr_intern(r->context, &(AttrInfo){.kind = ATTR_ENUM,
                                             .cls = name_of(r->context, e->name),
                                             .name = name_intern(r->context, value)});
  return true;
}

// ---- structs that are lists of named fields ----

typedef enum FieldKind { F_DIMS, F_INT, F_BOOL, F_FLOAT, F_TYPE, F_ATTR, F_SUB_AXIS } FieldKind;

typedef struct Field {
  const char *name;
  FieldKind kind;
  bool kept;  // printed even if it equals its default
} Field;

static const Field gather_fields[] = {
    {"offset_dims", F_DIMS, false},
    {"collapsed_slice_dims", F_DIMS, false},
    {"operand_batching_dims", F_DIMS, false},
    {"start_indices_batching_dims", F_DIMS, false},
    {"start_index_map", F_DIMS, false},
    {"index_vector_dim", F_INT, false},
    {0},
};
static const Field scatter_fields[] = {
    {"update_window_dims", F_DIMS, false},
    {"inserted_window_dims", F_DIMS, false},
    {"input_batching_dims", F_DIMS, false},
    {"scatter_indices_batching_dims", F_DIMS, false},
    {"scatter_dims_to_operand_dims", F_DIMS, false},
    {"index_vector_dim", F_INT, false},
    {0},
};
static const Field dot_fields[] = {
    {"lhs_batching_dimensions", F_DIMS, false},
    {"rhs_batching_dimensions", F_DIMS, false},
    {"lhs_contracting_dimensions", F_DIMS, false},
    {"rhs_contracting_dimensions", F_DIMS, false},
    {0},
};
static const Field ragged_dot_fields[] = {
    {"lhs_batching_dimensions", F_DIMS, false},
    {"rhs_batching_dimensions", F_DIMS, false},
    {"lhs_contracting_dimensions", F_DIMS, false},
    {"rhs_contracting_dimensions", F_DIMS, false},
    {"lhs_ragged_dimensions", F_DIMS, false},
    {"rhs_group_dimensions", F_DIMS, false},
    {0},
};
static const Field dot_algorithm_fields[] = {
    {"lhs_precision_type", F_TYPE, true},
    {"rhs_precision_type", F_TYPE, true},
    {"accumulation_type", F_TYPE, true},
    {"lhs_component_count", F_INT, true},
    {"rhs_component_count", F_INT, true},
    {"num_primitive_operations", F_INT, true},
    {"allow_imprecise_accumulation", F_BOOL, true},
    {0},
};
static const Field channel_handle_fields[] = {{"handle", F_INT, true}, {"type", F_INT, true}, {0}};
static const Field output_operand_alias_fields[] = {
    {"output_tuple_indices", F_DIMS, true},
    {"operand_index", F_INT, true},
    {"operand_tuple_indices", F_DIMS, true},
    {0},
};
static const Field result_accuracy_fields[] = {
    {"atol", F_FLOAT, false},
    {"rtol", F_FLOAT, false},
    {"ulps", F_INT, false},
    {"mode", F_ATTR, true},
    {0},
};
static const Field replica_group_mesh_axes_fields[] = {
    {"mesh", F_ATTR, true}, {"axes", F_ATTR, true}, {0}};
static const Field axis_ref_fields[] = {
    {"name", F_ATTR, true}, {"sub_axis_info", F_SUB_AXIS, false}, {0}};
static const Field mesh_axis_fields[] = {{"name", F_ATTR, true}, {"size", F_INT, true}, {0}};
static const Field mesh_fields[] = {{"axes", F_ATTR, true}, {"device_ids", F_ATTR, false}, {0}};

static const Field *field_find(const Field *fields, Str name) {
  for (; fields->name; fields++)
    if (str_is(name, fields->name)) return fields;
  return NULL;
}

static bool is_field_default(Reader *r, const Field *field, Attr value) {
  if (field->kept) return false;
  const AttrInfo *info = attr_info(r->context, value);
  switch (field->kind) {
  case F_DIMS: return info->count == 0;
  case F_INT:
  case F_BOOL: return info->i == 0;
  case F_FLOAT: return info->f == 0;
  default: return false;
  }
}

// Reads the value of one field by its kind.
static bool field_read(Reader *r, const Field *field, Attr *out) {
  IntVec dims = {0};
  int64_t a, b;
  bool yes;
  double number;
  Type type;
  switch (field->kind) {
  case F_DIMS:
    if (!reader_integer_list(r, &dims)) return false;
    *out = attr_i64s(r->context, dims.count, dims.items);
    return true;
  case F_INT:
    if (!reader_integer(r, &a)) return false;
    *out = attr_i64(r->context, a);
    return true;
  case F_BOOL:
    if (!reader_bool(r, &yes)) return false;
    *out = attr_bool(r->context, yes);
    return true;
  case F_FLOAT:
    if (!reader_float(r, &number)) return false;
    *out = attr_float(r->context, DT_f64, number);
    return true;
  case F_TYPE:
    if (!reader_type(r, &type)) return false;
    *out = attr_type(r->context, type);
    return true;
  case F_SUB_AXIS:
    if (r->tok.kind == TOK_HASH) return reader_attr(r, 0, out);
    if (!reader_expect(r, '(') || !reader_integer(r, &a) || !reader_expect(r, ')') ||
        !reader_integer(r, &b))
      return false;
    *out = attr_i64s(r->context, 2, (const int64_t[]){a, b});
    return true;
  case F_ATTR: return reader_attr(r, 0, out);
  }
  return false;
}

// Reads `<name = value, …>`; duplicates and missing required parameters are errors. Fields that
// equal their defaults are dropped.
static bool fields_read(Reader *r, const char *cls, const Field *fields, Attr *out) {
  VEC(NamedAttr) found = {0};
  if (!reader_expect(r, '<')) return false;
  while (!reader_at(r, '>')) {
    if (found.count && !reader_expect(r, ',')) return false;
    Pos pos = r->tok.pos;
    Str name;
    NamedAttr one = {0};
    if (!reader_word(r, &name)) return false;
    const Field *field = field_find(fields, name);
    if (!field) return reader_fail(r, pos, "#%s has no parameter '%.*s'", cls, (int)name.n, name.s);
    one.name = name_intern(r->context, name);
    for (uint32_t i = 0; i < found.count; i++)
      if (found.items[i].name == one.name)
        return reader_fail(r, pos, "duplicate parameter '%.*s' of #%s", (int)name.n, name.s, cls);
    if (!reader_expect(r, '=') || !field_read(r, field, &one.value)) return false;
    VEC_PUSH(r->scratch, &found, one);
  }
  for (const Field *field = fields; field->name; field++) {
    bool there = !field->kept;
    for (uint32_t i = 0; i < found.count && !there; i++)
      there = str_is(name_str(r->context, found.items[i].name), field->name);
    if (!there) return reader_fail(r, r->tok.pos, "#%s lacks parameter '%s'", cls, field->name);
  }
  reader_next(r);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < found.count; i++)
    if (!is_field_default(r, field_find(fields, name_str(r->context, found.items[i].name)),
                          found.items[i].value))
      found.items[kept++] = found.items[i];
  *out = attr_struct(r->context, cls, kept, found.items);
  return true;
}

static void print_ints(const AttrInfo *ints, StrBuf *out) {
  strbuf_putc(out, '[');
  for (uint32_t i = 0; i < ints->count; i++) {
    if (i) strbuf_puts(out, ", ");
    strbuf_put_int(out, ((const int64_t *)ints->data)[i]);
  }
  strbuf_putc(out, ']');
}

static void field_print(const Context *context, const Field *field, Attr value, StrBuf *out) {
  const AttrInfo *info = attr_info(context, value);
  if (field->kind == F_DIMS && info->kind == ATTR_DENSE_ARRAY)
    print_ints(info, out);
  else if (field->kind == F_SUB_AXIS && info->kind == ATTR_DENSE_ARRAY && info->count == 2)
    strbuf_printf(out, "(%" PRId64 ")%" PRId64, ((const int64_t *)info->data)[0],
                  ((const int64_t *)info->data)[1]);
  else
    attr_print_bare(context, value, out);
}

// Prints the fields present, in table order.
static void fields_print(const Context *context, Attr attr, const Field *fields, StrBuf *out) {
  const char *comma = "";
  strbuf_putc(out, '<');
  for (; fields->name; fields++) {
    Attr value = attr_get(context, attr, fields->name);
    if (!value) continue;
    strbuf_puts(out, comma);
    strbuf_puts(out, fields->name);
    strbuf_puts(out, " = ");
    field_print(context, fields, value, out);
    comma = ", ";
  }
  strbuf_putc(out, '>');
}

// ---- convolution dimension numbers: [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f] ----

typedef struct ConvPart {
  char letters[2];
  const char *fields[2];
  const char *spatial;
} ConvPart;

static const ConvPart conv_parts[3] = {
    {{'b', 'f'}, {"input_batch_dimension", "input_feature_dimension"}, "input_spatial_dimensions"},
    {{'i', 'o'},
     {"kernel_input_feature_dimension", "kernel_output_feature_dimension"},
     "kernel_spatial_dimensions"},
    {{'b', 'f'},
     {"output_batch_dimension", "output_feature_dimension"},
     "output_spatial_dimensions"},
};

static void add_field(Reader *r, NamedAttr *fields, uint32_t *n, const char *name, Attr value) {
  fields[(*n)++] = (NamedAttr){name_of(r->context, name), value};
}

static bool conv_read_part(Reader *r, const ConvPart *part, NamedAttr *fields, uint32_t *n) {
  Pos pos = r->tok.pos;
  int64_t special[2] = {-1, -1};
  IntVec where = {0};  // where[s]: dimension of spatial dimension s; -1: not seen
  if (!reader_expect(r, '[')) return false;
  for (int64_t dim = 0; !reader_at(r, ']'); dim++) {
    if (dim && !reader_expect(r, ',')) return false;
    Pos at = r->tok.pos;
    if (reader_accept(r, '?')) continue;  // an unused dimension
    if (r->tok.kind == TOK_WORD) {
      Str word;
      if (!reader_word(r, &word)) return false;
      int k = word.n == 1 && word.s[0] == part->letters[0]   ? 0
              : word.n == 1 && word.s[0] == part->letters[1] ? 1
                                                             : -1;
      if (k < 0)
        return reader_fail(r, at, "expected a spatial dimension, '%c' or '%c', found '%.*s'",
                           part->letters[0], part->letters[1], (int)word.n, word.s);
      if (special[k] >= 0)
        return reader_fail(r, at, "dimension '%c' occurs twice, expected once", part->letters[k]);
      special[k] = dim;
      continue;
    }
    int64_t s;
    if (!reader_integer(r, &s)) return false;
    if (s < 0 || s > 1000)
      return reader_fail(r, at, "spatial dimension %" PRId64 " is not in [0, 1000]", s);
    while (where.count <= (uint32_t)s) VEC_PUSH(r->scratch, &where, -1);
    if (where.items[s] >= 0)
      return reader_fail(r, at, "spatial dimension %" PRId64 " occurs twice, expected once", s);
    where.items[s] = dim;
  }
  reader_next(r);
  for (uint32_t s = 0; s < where.count; s++)
    if (where.items[s] < 0) return reader_fail(r, pos, "spatial dimension %u is missing", s);
  for (int k = 0; k < 2; k++) {
    if (special[k] < 0) return reader_fail(r, pos, "dimension '%c' is missing", part->letters[k]);
    add_field(r, fields, n, part->fields[k], attr_i64(r->context, special[k]));
  }
  add_field(r, fields, n, part->spatial, attr_i64s(r->context, where.count, where.items));
  return true;
}

// Reads `raw input_batch_dimension = 0, …`: numbers that the letter form cannot express.
static bool conv_read_raw(Reader *r, NamedAttr *fields, uint32_t *n) {
  while (!reader_at(r, '>')) {
    Pos pos = r->tok.pos;
    Str name;
    if (*n && !reader_expect(r, ',')) return false;
    if (!reader_word(r, &name)) return false;
    const char *known = NULL;
    bool is_list = false;
    for (int k = 0; k < 3; k++) {
      for (int j = 0; j < 2; j++)
        if (str_is(name, conv_parts[k].fields[j])) known = conv_parts[k].fields[j];
      if (str_is(name, conv_parts[k].spatial)) known = conv_parts[k].spatial, is_list = true;
    }
    if (!known || *n == 9)
      return reader_fail(r, pos, "#stablehlo.conv<raw …> has no parameter '%.*s'", (int)name.n,
                         name.s);
    for (uint32_t i = 0; i < *n; i++)
      if (str_is(name_str(r->context, fields[i].name), known))
        return reader_fail(r, pos, "duplicate parameter '%s' of #stablehlo.conv", known);
    const Field field = {known, is_list ? F_DIMS : F_INT, true};
    Attr value;
    if (!reader_expect(r, '=') || !field_read(r, &field, &value)) return false;
    add_field(r, fields, n, known, value);
  }
  if (*n != 9)
    return reader_fail(r, r->tok.pos, "#stablehlo.conv<raw …> has %u parameters, expected all nine",
                       *n);
  return true;
}

static bool conv_read(Reader *r, Attr *out) {
  NamedAttr fields[9];
  uint32_t n = 0;
  if (reader_accept_word(r, "raw")) {  // in the full form only
    if (!conv_read_raw(r, fields, &n)) return false;
  } else {
    if (!conv_read_part(r, &conv_parts[0], fields, &n) || !reader_expect_word(r, "x") ||
        !conv_read_part(r, &conv_parts[1], fields, &n) ||
        !reader_expect_tok(r, TOK_ARROW, "'->'") || !conv_read_part(r, &conv_parts[2], fields, &n))
      return false;
  }
  *out = attr_struct(r->context, "stablehlo.conv", n, fields);
  return true;
}

// Prints the letter or number of dimension d; false if it has none ('?').
static bool conv_print_dim(const Context *context, Attr attr, const ConvPart *part, int64_t d,
                           StrBuf *out) {
  for (int k = 0; k < 2; k++)
    if (attr_as_int(context, attr_get(context, attr, part->fields[k]), -1) == d) {
      strbuf_putc(out, part->letters[k]);
      return true;
    }
  const AttrInfo *spatial = attr_info(context, attr_get(context, attr, part->spatial));
  for (uint32_t s = 0; s < spatial->count; s++)
    if (((const int64_t *)spatial->data)[s] == d) {
      strbuf_put_int(out, s);
      return true;
    }
  return false;
}

static int64_t conv_rank(const Context *context, Attr attr, const ConvPart *part) {
  int64_t most = -1;
  for (int k = 0; k < 2; k++) {
    int64_t d = attr_as_int(context, attr_get(context, attr, part->fields[k]), -1);
    if (d > most) most = d;
  }
  const AttrInfo *spatial = attr_info(context, attr_get(context, attr, part->spatial));
  for (uint32_t s = 0; s < spatial->count; s++)
    if (((const int64_t *)spatial->data)[s] > most) most = ((const int64_t *)spatial->data)[s];
  return most + 1;
}

// Whether the letter form can express it: every dimension once, none negative, none huge.
static bool conv_is_plain(const Context *context, Attr attr) {
  for (int k = 0; k < 3; k++) {
    const ConvPart *part = &conv_parts[k];
    const AttrInfo *spatial = attr_info(context, attr_get(context, attr, part->spatial));
    int64_t total = (int64_t)spatial->count + 2;
    if (total > 64) return false;
    uint64_t seen = 0;
    for (uint32_t s = 0; s < total; s++) {
      int64_t d = s < 2 ? attr_as_int(context, attr_get(context, attr, part->fields[s]), -1)
                        : ((const int64_t *)spatial->data)[s - 2];
      if (d < 0 || d >= 64 || seen >> d & 1) return false;
      seen |= UINT64_C(1) << d;
    }
  }
  return true;
}

static void conv_print(const Context *context, Attr attr, StrBuf *out) {
  static const char *const joints[] = {"", "x", "->"};
  if (!conv_is_plain(context, attr)) {
    strbuf_puts(out, "raw ");
    for (int k = 0; k < 3; k++) {
      for (int j = 0; j < 2; j++)
        strbuf_printf(out, "%s%s = %" PRId64, k || j ? ", " : "", conv_parts[k].fields[j],
                      attr_as_int(context, attr_get(context, attr, conv_parts[k].fields[j]), 0));
      strbuf_printf(out, ", %s = ", conv_parts[k].spatial);
      print_ints(attr_info(context, attr_get(context, attr, conv_parts[k].spatial)), out);
    }
    return;
  }
  for (int k = 0; k < 3; k++) {
    strbuf_puts(out, joints[k]);
    strbuf_putc(out, '[');
    int64_t rank = conv_rank(context, attr, &conv_parts[k]);
    for (int64_t d = 0; d < rank; d++) {
      if (d) strbuf_puts(out, ", ");
      if (!conv_print_dim(context, attr, &conv_parts[k], d, out)) strbuf_putc(out, '?');
    }
    strbuf_putc(out, ']');
  }
}

// ---- bounds of dynamic dimensions: <8, ?>, and the older <bounds = [8, ?]> ----

static bool bounds_read_list(Reader *r, char close, IntVec *out) {
  while (!reader_at(r, close)) {
    int64_t bound = DIM_DYNAMIC;
    if (out->count && !reader_expect(r, ',')) return false;
    Pos pos = r->tok.pos;
    bool known = !reader_accept(r, '?');
    if (known && !reader_integer(r, &bound)) return false;
    if (known && bound < 0)
      return reader_fail(r, pos, "a bound is %lld, expected ? or at least 0", (long long)bound);
    VEC_PUSH(r->scratch, out, bound);
  }
  return true;
}

static bool bounds_read(Reader *r, Attr *out) {
  IntVec bounds = {0};
  if (!reader_expect(r, '<')) return false;
  if (reader_accept_word(r, "bounds")) {
    if (!reader_expect(r, '=') || !reader_expect(r, '[') || !bounds_read_list(r, ']', &bounds) ||
        !reader_expect(r, ']'))
      return false;
  } else if (!bounds_read_list(r, '>', &bounds)) {
    return false;
  }
  if (!reader_expect(r, '>')) return false;
  NamedAttr field = {name_of(r->context, "bounds"),
                     attr_i64s(r->context, bounds.count, bounds.items)};
  *out = attr_struct(r->context, "stablehlo.bounds", 1, &field);
  return true;
}

static void bounds_print(const Context *context, Attr attr, StrBuf *out) {
  const AttrInfo *bounds = attr_info(context, attr_get(context, attr, "bounds"));
  strbuf_putc(out, '<');
  for (uint32_t i = 0; i < bounds->count; i++) {
    int64_t bound = ((const int64_t *)bounds->data)[i];
    if (i) strbuf_puts(out, ", ");
    if (bound == DIM_DYNAMIC)
      strbuf_putc(out, '?');
    else
      strbuf_put_int(out, bound);
  }
  strbuf_putc(out, '>');
}

// ---- the class table ----

// How the full form is made from the body.
typedef enum Wrap {
  WRAP_NONE,   // the body has its own angle brackets: #cls<…>
  WRAP_ANGLE,  // the full form adds the angle brackets: #cls<body>
  WRAP_INNER,  // #dialect<name body>
} Wrap;

typedef struct StructClass {
  const char *name;
  const Field *fields;  // or:
  bool (*read)(Reader *r, Attr *out);
  void (*print)(const Context *context, Attr attr, StrBuf *out);
  Wrap wrap;
} StructClass;

static const StructClass structs[] = {
    {"stablehlo.gather", gather_fields, NULL, NULL, WRAP_NONE},
    {"stablehlo.scatter", scatter_fields, NULL, NULL, WRAP_NONE},
    {"stablehlo.dot", dot_fields, NULL, NULL, WRAP_NONE},
    {"stablehlo.dot_algorithm", dot_algorithm_fields, NULL, NULL, WRAP_NONE},
    {"stablehlo.channel_handle", channel_handle_fields, NULL, NULL, WRAP_NONE},
    {"stablehlo.output_operand_alias", output_operand_alias_fields, NULL, NULL, WRAP_NONE},
    {"stablehlo.result_accuracy", result_accuracy_fields, NULL, NULL, WRAP_NONE},
    {"stablehlo.replica_group_mesh_axes", replica_group_mesh_axes_fields, NULL, NULL, WRAP_NONE},
    {"stablehlo.axis_ref", axis_ref_fields, NULL, NULL, WRAP_NONE},
    {"stablehlo.mesh_axis", mesh_axis_fields, NULL, NULL, WRAP_NONE},
    {"stablehlo.mesh", mesh_fields, NULL, NULL, WRAP_NONE},
    {"chlo.ragged_dot", ragged_dot_fields, NULL, NULL, WRAP_NONE},
    {"stablehlo.conv", NULL, conv_read, conv_print, WRAP_ANGLE},
    {"stablehlo.bounds", NULL, bounds_read, bounds_print, WRAP_NONE},
    {"sdy.mesh", NULL, sdy_mesh_read, sdy_mesh_print, WRAP_NONE},
    {"sdy.sharding", NULL, sdy_sharding_read, sdy_sharding_print, WRAP_NONE},
    {"sdy.sharding_per_value", NULL, sdy_sharding_per_value_read, sdy_sharding_per_value_print,
     WRAP_ANGLE},
    {"sdy.manual_axes", NULL, sdy_manual_axes_read, sdy_manual_axes_print, WRAP_INNER},
    {"sdy.axis_ref_list", NULL, sdy_axis_ref_list_read, sdy_axis_ref_list_print, WRAP_INNER},
    {"sdy.list_of_axis_ref_lists", NULL, sdy_axis_ref_lists_read, sdy_axis_ref_lists_print,
     WRAP_INNER},
    {"sdy.all_to_all_param_list", NULL, sdy_all_to_all_params_read, sdy_all_to_all_params_print,
     WRAP_INNER},
    {"sdy.op_sharding_rule", NULL, sdy_rule_read, sdy_rule_print, WRAP_NONE},
};

static const StructClass *struct_find(Str name) {
  if (str_is(name, "stablehlo.type_extensions")) name = str_of("stablehlo.bounds");
  for (size_t i = 0; i < sizeof structs / sizeof *structs; i++)
    if (str_is(name, structs[i].name)) return &structs[i];
  return NULL;
}

static bool struct_read_body(Reader *r, const StructClass *cls, Attr *out) {
  if (!reader_enter(r)) return false;
  bool ok = cls->fields ? fields_read(r, cls->name, cls->fields, out) : cls->read(r, out);
  r->depth--;
  return ok;
}

bool dialect_body_read(Reader *r, const char *cls, Attr *out) {
  const StructClass *s = struct_find(str_of(cls));
  Pos pos = r->tok.pos;
  if (s && r->tok.kind != TOK_HASH) return struct_read_body(r, s, out);
  if (!reader_attr(r, 0, out)) return false;
  const AttrInfo *info = attr_info(r->context, *out);
  if (info->kind != ATTR_STRUCT || !str_is(name_str(r->context, info->cls), cls))
    return reader_fail(r, pos, "expected an attribute of class #%s", cls);
  return true;
}

// Reads #dialect<name …>: enums, and structs whose body has no brackets of its own.
static bool inner_read(Reader *r, Str dialect, Attr *out) {
  Token before = r->tok;
  const char *at = r->at;
  Str word;
  if (!reader_accept(r, '<') || r->tok.kind != TOK_WORD) {
    r->tok = before, r->at = at;
    return true;
  }
  word = r->tok.text;
  Str name =
      str_of(arena_printf(r->scratch, "%.*s.%.*s", (int)dialect.n, dialect.s, (int)word.n, word.s));
  const EnumClass *e = enum_find(name);
  const StructClass *s = struct_find(name);
  if (!e && !(s && s->wrap == WRAP_INNER)) {
    r->tok = before, r->at = at;
    return true;
  }
  reader_next(r);
  return (e ? enum_read_value(r, e, out) : struct_read_body(r, s, out)) && reader_expect(r, '>');
}

// Three forms: #dialect<name …>, #dialect.enum<VALUE>, #dialect.struct<…>.
bool dialect_attr_read(Reader *r, Str name, Attr *out) {
  *out = 0;
  if (str_is(name, "stablehlo") || str_is(name, "chlo") || str_is(name, "sdy"))
    return inner_read(r, name, out);
  const EnumClass *e = enum_find(name);
  if (e) return reader_expect(r, '<') && enum_read_value(r, e, out) && reader_expect(r, '>');
  const StructClass *s = struct_find(name);
  if (!s) return true;
  if (s->wrap == WRAP_ANGLE)
    return reader_expect(r, '<') && struct_read_body(r, s, out) && reader_expect(r, '>');
  return struct_read_body(r, s, out);
}

void dialect_body_print(const Context *context, Attr attr, StrBuf *out) {
  const AttrInfo *info = attr_info(context, attr);
  const StructClass *s =
      info->kind == ATTR_STRUCT ? struct_find(name_str(context, info->cls)) : NULL;
  if (!s) {
    attr_print(context, attr, out);
  } else if (s->fields) {
    fields_print(context, attr, s->fields, out);
  } else {
    s->print(context, attr, out);
  }
}

bool dialect_body_fits(const Context *context, Attr attr) {
  const AttrInfo *info = attr_info(context, attr);
  return !str_is(name_str(context, info->cls), "stablehlo.conv") || conv_is_plain(context, attr);
}

static void print_inner(Str cls, StrBuf *out) {
  size_t dot = 0;
  while (dot < cls.n && cls.s[dot] != '.') dot++;
  strbuf_put(out, cls.s, dot);
  strbuf_putc(out, '<');
  if (dot < cls.n) strbuf_put(out, cls.s + dot + 1, cls.n - dot - 1);
}

void dialect_attr_print(const Context *context, Attr attr, StrBuf *out) {
  const AttrInfo *info = attr_info(context, attr);
  Str cls = name_str(context, info->cls);
  strbuf_putc(out, '#');
  if (info->kind == ATTR_ENUM) {
    const EnumClass *e = enum_find(cls);
    if (e && e->angled) {
      strbuf_put_str(out, cls);
      strbuf_putc(out, '<');
    } else {
      print_inner(cls, out);
      strbuf_putc(out, ' ');
    }
    strbuf_put_str(out, name_str(context, info->name));
    strbuf_putc(out, '>');
    return;
  }
  const StructClass *s = struct_find(cls);
  Wrap wrap = s ? s->wrap : WRAP_NONE;
  if (wrap == WRAP_INNER)
    print_inner(cls, out);
  else
    strbuf_put_str(out, cls);
  if (wrap == WRAP_ANGLE) strbuf_putc(out, '<');
  if (s) dialect_body_print(context, attr, out);
  if (wrap != WRAP_NONE) strbuf_putc(out, '>');
}
