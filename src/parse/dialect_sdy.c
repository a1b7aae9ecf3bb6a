// sdy's attributes. Shardings are trees of structs (parse/README.md lists the fields). Each reader
// is next to its printer. O(text).
#include "parse/dialect_sdy.h"

#include <inttypes.h>

#include "parse/print.h"
#include "sharding/factor.h"

typedef VEC(Attr) AttrVec;

static Attr make(Reader *r, const char *cls, uint32_t n, const NamedAttr *fields) {
  return attr_struct(r->context, cls, n, fields);
}

static NamedAttr field(Reader *r, const char *name, Attr value) {
  return (NamedAttr){name_of(r->context, name), value};
}

static Attr array_of(Reader *r, const AttrVec *items) {
  return attr_array(r->context, items->count, items->items);
}

static const AttrInfo *get(const Context *context, Attr attr, const char *name) {
  return attr_info(context, attr_get(context, attr, name));
}

static void print_name(const Context *context, Attr attr, StrBuf *out) {
  print_string(name_str(context, attr_as_name(context, attr)), out);
}

// ---- axes: "x" or "x":(pre_size)size ----

static bool axis_read(Reader *r, Attr *out) {
  Name name;
  int64_t pre_size, size;
  NamedAttr fields[3];
  uint32_t n = 1;
  if (!reader_string(r, &name)) return false;
  fields[0] = field(r, "name", attr_string(r->context, name));
  if (reader_accept(r, ':')) {
    if (!reader_expect(r, '(') || !reader_integer(r, &pre_size) || !reader_expect(r, ')') ||
        !reader_integer(r, &size))
      return false;
    fields[n++] = field(r, "pre_size", attr_i64(r->context, pre_size));
    fields[n++] = field(r, "size", attr_i64(r->context, size));
  }
  *out = make(r, "sdy.axis_ref", n, fields);
  return true;
}

static void axis_print(const Context *context, Attr axis, StrBuf *out) {
  print_name(context, attr_get(context, axis, "name"), out);
  Attr size = attr_get(context, axis, "size");
  if (size)
    strbuf_printf(out, ":(%" PRId64 ")%" PRId64,
                  attr_as_int(context, attr_get(context, axis, "pre_size"), 1),
                  attr_as_int(context, size, 1));
}

static bool axes_read(Reader *r, Attr *out) {
  AttrVec axes = {0};
  if (!reader_expect(r, '{')) return false;
  while (!reader_at(r, '}')) {
    Attr axis = 0;
    if (axes.count && !reader_expect(r, ',')) return false;
    if (!axis_read(r, &axis)) return false;
    VEC_PUSH(r->scratch, &axes, axis);
  }
  reader_next(r);
  *out = array_of(r, &axes);
  return true;
}

static void axes_print_inside(const Context *context, const AttrInfo *axes, StrBuf *out) {
  for (uint32_t i = 0; i < axes->count; i++) {
    if (i) strbuf_puts(out, ", ");
    axis_print(context, axes->items[i], out);
  }
}

static void axes_print(const Context *context, const AttrInfo *axes, StrBuf *out) {
  strbuf_putc(out, '{');
  axes_print_inside(context, axes, out);
  strbuf_putc(out, '}');
}

// ---- meshes ----

bool sdy_mesh_read(Reader *r, Attr *out) {
  AttrVec axes = {0};
  NamedAttr fields[2];
  uint32_t n = 1;
  if (!reader_expect(r, '<') || !reader_expect(r, '[')) return false;
  while (!reader_at(r, ']')) {
    Name name;
    int64_t size;
    if (axes.count && !reader_expect(r, ',')) return false;
    if (!reader_string(r, &name) || !reader_expect(r, '=') || !reader_integer(r, &size))
      return false;
    NamedAttr parts[] = {field(r, "name", attr_string(r->context, name)),
                         field(r, "size", attr_i64(r->context, size))};
    VEC_PUSH(r->scratch, &axes, make(r, "sdy.mesh_axis", 2, parts));
  }
  reader_next(r);
  fields[0] = field(r, "axes", array_of(r, &axes));
  if (reader_accept(r, ',')) {
    IntVec ids = {0};
    if (!reader_expect_word(r, "device_ids") || !reader_expect(r, '=') ||
        !reader_integer_list(r, &ids))
      return false;
    fields[n++] = field(r, "device_ids", attr_i64s(r->context, ids.count, ids.items));
  }
  *out = make(r, "sdy.mesh", n, fields);
  return reader_expect(r, '>');
}

static void ints_print(const AttrInfo *ints, StrBuf *out) {
  for (uint32_t i = 0; i < ints->count; i++) {
    if (i) strbuf_puts(out, ", ");
    strbuf_put_int(out, ((const int64_t *)ints->data)[i]);
  }
}

void sdy_mesh_print(const Context *context, Attr attr, StrBuf *out) {
  const AttrInfo *axes = get(context, attr, "axes"), *ids = get(context, attr, "device_ids");
  strbuf_puts(out, "<[");
  for (uint32_t i = 0; i < axes->count; i++) {
    if (i) strbuf_puts(out, ", ");
    print_name(context, attr_get(context, axes->items[i], "name"), out);
    strbuf_printf(out, "=%" PRId64,
                  attr_as_int(context, attr_get(context, axes->items[i], "size"), 0));
  }
  strbuf_putc(out, ']');
  if (ids->kind == ATTR_DENSE_ARRAY) {
    strbuf_puts(out, ", device_ids=[");
    ints_print(ids, out);
    strbuf_putc(out, ']');
  }
  strbuf_putc(out, '>');
}

// ---- shardings ----

// {"x", "y", ?}p2
static bool dim_read(Reader *r, Attr *out) {
  AttrVec axes = {0};
  NamedAttr fields[3];
  uint32_t n = 0;
  bool open = false;
  if (!reader_expect(r, '{')) return false;
  while (!reader_at(r, '}')) {
    Attr axis = 0;
    if ((axes.count || open) && !reader_expect(r, ',')) return false;
    if (open) return reader_fail(r, r->tok.pos, "expected '}' after '?'");
    if (reader_accept(r, '?')) {
      open = true;
      continue;
    }
    if (!axis_read(r, &axis)) return false;
    VEC_PUSH(r->scratch, &axes, axis);
  }
  reader_next(r);
  fields[n++] = field(r, "axes", array_of(r, &axes));
  if (open) fields[n++] = field(r, "open", attr_unit(r->context));
  if (r->tok.kind == TOK_WORD && r->tok.text.n > 1 && r->tok.text.s[0] == 'p') {
    int64_t priority = 0;
    for (size_t i = 1; i < r->tok.text.n; i++) {
      char c = r->tok.text.s[i];
      if (c < '0' || c > '9' || priority > 1000000)
        return reader_fail(r, r->tok.pos, "expected a priority like p1, found '%.*s'",
                           (int)r->tok.text.n, r->tok.text.s);
      priority = priority * 10 + (c - '0');
    }
    fields[n++] = field(r, "priority", attr_i64(r->context, priority));
    reader_next(r);
  }
  *out = make(r, "sdy.dim", n, fields);
  return true;
}

static void dim_print(const Context *context, Attr dim, StrBuf *out) {
  const AttrInfo *axes = get(context, dim, "axes");
  Attr priority = attr_get(context, dim, "priority");
  strbuf_putc(out, '{');
  axes_print_inside(context, axes, out);
  if (attr_get(context, dim, "open")) strbuf_puts(out, axes->count ? ", ?" : "?");
  strbuf_putc(out, '}');
  if (priority) strbuf_printf(out, "p%" PRId64, attr_as_int(context, priority, 0));
}

static bool mesh_or_ref_read(Reader *r, Attr *out) {
  if (reader_accept_word(r, "mesh")) return sdy_mesh_read(r, out);
  return reader_attr(r, 0, out);
}

bool sdy_sharding_read(Reader *r, Attr *out) {
  NamedAttr fields[5];
  uint32_t n = 0;
  Attr mesh;
  AttrVec dims = {0};
  if (!reader_expect(r, '<') || !mesh_or_ref_read(r, &mesh) || !reader_expect(r, ',') ||
      !reader_expect(r, '['))
    return false;
  while (!reader_at(r, ']')) {
    Attr dim = 0;
    if (dims.count && !reader_expect(r, ',')) return false;
    if (!dim_read(r, &dim)) return false;
    VEC_PUSH(r->scratch, &dims, dim);
  }
  reader_next(r);
  fields[n++] = field(r, "mesh", mesh);
  fields[n++] = field(r, "dims", array_of(r, &dims));
  bool replicated = false, unreduced = false;
  while (reader_accept(r, ',')) {
    Attr axes = 0;
    bool first = reader_at_word(r, "replicated");
    if ((first && (replicated || unreduced)) ||
        (!first && (unreduced || !reader_at_word(r, "unreduced"))))
      return reader_expected(r, unreduced    ? "'>'"
                                : replicated ? "'unreduced'"
                                             : "'replicated' or 'unreduced'");
    *(first ? &replicated : &unreduced) = true;
    reader_next(r);
    if (!reader_expect(r, '=')) return false;
    if (!first && r->tok.kind == TOK_WORD) {  // unreduced=max{"x"}: a reducer other than sum
      fields[n++] =
          field(r, "reducer", attr_string(r->context, name_intern(r->context, r->tok.text)));
      reader_next(r);
    }
    if (!axes_read(r, &axes)) return false;
    if (attr_info(r->context, axes)->count)
      fields[n++] = field(r, first ? "replicated" : "unreduced", axes);
  }
  *out = make(r, "sdy.sharding", n, fields);
  return reader_expect(r, '>');
}

static void axes_print_named(const Context *context, Attr attr, const char *name, StrBuf *out) {
  const AttrInfo *axes = get(context, attr, name);
  if (!axes->count) return;
  strbuf_printf(out, ", %s=", name);
  axes_print(context, axes, out);
}

void sdy_sharding_print(const Context *context, Attr attr, StrBuf *out) {
  Attr mesh = attr_get(context, attr, "mesh");
  const AttrInfo *dims = get(context, attr, "dims");
  strbuf_putc(out, '<');
  if (attr_info(context, mesh)->kind == ATTR_STRUCT) {
    strbuf_puts(out, "mesh");
    sdy_mesh_print(context, mesh, out);
  } else {
    attr_print(context, mesh, out);
  }
  strbuf_puts(out, ", [");
  for (uint32_t i = 0; i < dims->count; i++) {
    if (i) strbuf_puts(out, ", ");
    dim_print(context, dims->items[i], out);
  }
  strbuf_putc(out, ']');
  axes_print_named(context, attr, "replicated", out);
  Attr reducer = attr_get(context, attr, "reducer");
  if (reducer) {
    strbuf_puts(out, ", unreduced=");
    strbuf_put_str(out, name_str(context, attr_as_name(context, reducer)));
    axes_print(context, get(context, attr, "unreduced"), out);
  } else {
    axes_print_named(context, attr, "unreduced", out);
  }
  strbuf_putc(out, '>');
}

bool sdy_sharding_per_value_read(Reader *r, Attr *out) {
  AttrVec shardings = {0};
  if (!reader_expect(r, '[')) return false;
  while (!reader_at(r, ']')) {
    Attr one = 0;
    if (shardings.count && !reader_expect(r, ',')) return false;
    if (r->tok.kind == TOK_HASH ? !reader_attr(r, 0, &one) : !sdy_sharding_read(r, &one))
      return false;
    VEC_PUSH(r->scratch, &shardings, one);
  }
  reader_next(r);
  NamedAttr f = field(r, "shardings", array_of(r, &shardings));
  *out = make(r, "sdy.sharding_per_value", 1, &f);
  return true;
}

void sdy_sharding_per_value_print(const Context *context, Attr attr, StrBuf *out) {
  const AttrInfo *shardings = get(context, attr, "shardings");
  strbuf_putc(out, '[');
  for (uint32_t i = 0; i < shardings->count; i++) {
    if (i) strbuf_puts(out, ", ");
    sdy_sharding_print(context, shardings->items[i], out);
  }
  strbuf_putc(out, ']');
}

bool sdy_manual_axes_read(Reader *r, Attr *out) {
  AttrVec axes = {0};
  if (!reader_expect(r, '{')) return false;
  while (!reader_at(r, '}')) {
    Name name;
    if (axes.count && !reader_expect(r, ',')) return false;
    if (!reader_string(r, &name)) return false;
    VEC_PUSH(r->scratch, &axes, attr_string(r->context, name));
  }
  reader_next(r);
  NamedAttr f = field(r, "axes", array_of(r, &axes));
  *out = make(r, "sdy.manual_axes", 1, &f);
  return true;
}

void sdy_manual_axes_print(const Context *context, Attr attr, StrBuf *out) {
  const AttrInfo *axes = get(context, attr, "axes");
  strbuf_putc(out, '{');
  for (uint32_t i = 0; i < axes->count; i++) {
    if (i) strbuf_puts(out, ", ");
    print_name(context, axes->items[i], out);
  }
  strbuf_putc(out, '}');
}

// ---- parameters of collectives ----

bool sdy_axis_ref_list_read(Reader *r, Attr *out) {
  Attr axes;
  if (!axes_read(r, &axes)) return false;
  NamedAttr f = field(r, "axes", axes);
  *out = make(r, "sdy.axis_ref_list", 1, &f);
  return true;
}

void sdy_axis_ref_list_print(const Context *context, Attr attr, StrBuf *out) {
  axes_print(context, get(context, attr, "axes"), out);
}

bool sdy_axis_ref_lists_read(Reader *r, Attr *out) {
  AttrVec lists = {0};
  if (!reader_expect(r, '[')) return false;
  while (!reader_at(r, ']')) {
    Attr axes = 0;
    if (lists.count && !reader_expect(r, ',')) return false;
    if (!axes_read(r, &axes)) return false;
    VEC_PUSH(r->scratch, &lists, axes);
  }
  reader_next(r);
  NamedAttr f = field(r, "lists", array_of(r, &lists));
  *out = make(r, "sdy.list_of_axis_ref_lists", 1, &f);
  return true;
}

void sdy_axis_ref_lists_print(const Context *context, Attr attr, StrBuf *out) {
  const AttrInfo *lists = get(context, attr, "lists");
  strbuf_putc(out, '[');
  for (uint32_t i = 0; i < lists->count; i++) {
    if (i) strbuf_puts(out, ", ");
    axes_print(context, attr_info(context, lists->items[i]), out);
  }
  strbuf_putc(out, ']');
}

bool sdy_all_to_all_params_read(Reader *r, Attr *out) {
  AttrVec params = {0};
  if (!reader_expect(r, '[')) return false;
  while (!reader_at(r, ']')) {
    Attr axes = 0;
    int64_t from, to;
    if (params.count && !reader_expect(r, ',')) return false;
    if (!axes_read(r, &axes) || !reader_expect(r, ':') || !reader_integer(r, &from) ||
        !reader_expect_tok(r, TOK_ARROW, "'->'") || !reader_integer(r, &to))
      return false;
    NamedAttr fields[] = {field(r, "axes", axes), field(r, "src_dim", attr_i64(r->context, from)),
                          field(r, "tgt_dim", attr_i64(r->context, to))};
    VEC_PUSH(r->scratch, &params, make(r, "sdy.all_to_all_param", 3, fields));
  }
  reader_next(r);
  NamedAttr f = field(r, "params", array_of(r, &params));
  *out = make(r, "sdy.all_to_all_param_list", 1, &f);
  return true;
}

void sdy_all_to_all_params_print(const Context *context, Attr attr, StrBuf *out) {
  const AttrInfo *params = get(context, attr, "params");
  strbuf_putc(out, '[');
  for (uint32_t i = 0; i < params->count; i++) {
    Attr one = params->items[i];
    if (i) strbuf_puts(out, ", ");
    axes_print(context, get(context, one, "axes"), out);
    strbuf_printf(out, ": %" PRId64 "->%" PRId64,
                  attr_as_int(context, attr_get(context, one, "src_dim"), 0),
                  attr_as_int(context, attr_get(context, one, "tgt_dim"), 0));
  }
  strbuf_putc(out, ']');
}

// ---- sharding rules: factors are i … z, then z_1, z_2, … ----

enum { LETTERS = 'z' - 'i' + 1 };

// Reads one factor at *at; false if there is none.
static bool factor_scan(const char **at, const char *end, int64_t *out) {
  if (*at >= end || **at < 'i' || **at > 'z') return false;
  *out = **at - 'i';
  (*at)++;
  if (*out != LETTERS - 1 || *at + 1 >= end || **at != '_') return true;
  int64_t more = 0;
  for ((*at)++; *at < end && **at >= '0' && **at <= '9' && more < 1000000; (*at)++)
    more = more * 10 + (**at - '0');
  *out += more;
  return true;
}

// Reads a word of one or more factors: "ij".
static bool factors_read(Reader *r, IntVec *out) {
  if (r->tok.kind != TOK_WORD) return reader_expected(r, "factors like 'i' or 'ij'");
  const char *at = r->tok.text.s, *end = at + r->tok.text.n;
  while (at < end) {
    int64_t factor;
    if (!factor_scan(&at, end, &factor)) return reader_expected(r, "factors like 'i' or 'ij'");
    VEC_PUSH(r->scratch, out, factor);
  }
  reader_next(r);
  return true;
}

// ([i, jk], [j])
static bool mappings_read(Reader *r, Attr *out) {
  AttrVec tensors = {0};
  if (!reader_expect(r, '(')) return false;
  while (!reader_at(r, ')')) {
    AttrVec dims = {0};
    if (tensors.count && !reader_expect(r, ',')) return false;
    if (!reader_expect(r, '[')) return false;
    while (!reader_at(r, ']')) {
      IntVec factors = {0};
      if (dims.count && !reader_expect(r, ',')) return false;
      if (!factors_read(r, &factors)) return false;
      VEC_PUSH(r->scratch, &dims, attr_i64s(r->context, factors.count, factors.items));
    }
    reader_next(r);
    VEC_PUSH(r->scratch, &tensors, array_of(r, &dims));
  }
  reader_next(r);
  *out = array_of(r, &tensors);
  return true;
}

static void mappings_print(const Context *context, const AttrInfo *tensors, StrBuf *out) {
  strbuf_putc(out, '(');
  for (uint32_t t = 0; t < tensors->count; t++) {
    const AttrInfo *dims = attr_info(context, tensors->items[t]);
    strbuf_puts(out, t ? ", [" : "[");
    for (uint32_t d = 0; d < dims->count; d++) {
      const AttrInfo *factors = attr_info(context, dims->items[d]);
      if (d) strbuf_puts(out, ", ");
      for (uint32_t f = 0; f < factors->count; f++)
        factor_print(((const int64_t *)factors->data)[f], out);
    }
    strbuf_putc(out, ']');
  }
  strbuf_putc(out, ')');
}

static const char *const factor_lists[] = {"reduction", "need_replication", "permutation",
                                           "blocked_propagation"};
enum { N_FACTOR_LISTS = 4 };

static bool sizes_read(Reader *r, IntVec *sizes) {
  if (!reader_accept(r, '{')) return true;
  while (!reader_at(r, '}')) {
    IntVec factor = {0};
    int64_t size;
    Pos pos = r->tok.pos;
    if (sizes->count && !reader_expect(r, ',')) return false;
    if (!factors_read(r, &factor)) return false;
    if (factor.count != 1 || factor.items[0] != sizes->count)
      return reader_fail(r, pos, "factor sizes must be listed once each, in the order i, j, k, …");
    if (!reader_expect(r, '=') || !reader_integer(r, &size)) return false;
    VEC_PUSH(r->scratch, sizes, size);
  }
  reader_next(r);
  return true;
}

static bool factor_list_read(Reader *r, Attr *out) {
  IntVec list = {0};
  if (!reader_expect(r, '=') || !reader_expect(r, '{')) return false;
  while (!reader_at(r, '}')) {
    if (list.count && !reader_expect(r, ',')) return false;
    if (!factors_read(r, &list)) return false;
  }
  reader_next(r);
  *out = attr_i64s(r->context, list.count, list.items);
  return true;
}

bool sdy_rule_read(Reader *r, Attr *out) {
  NamedAttr fields[4 + N_FACTOR_LISTS];
  uint32_t n = 0;
  Attr operands, results;
  IntVec sizes = {0};
  if (!reader_expect(r, '<') || !mappings_read(r, &operands) ||
      !reader_expect_tok(r, TOK_ARROW, "'->'") || !mappings_read(r, &results) ||
      !sizes_read(r, &sizes))
    return false;
  fields[n++] = field(r, "operands", operands);
  fields[n++] = field(r, "results", results);
  fields[n++] = field(r, "factor_sizes", attr_i64s(r->context, sizes.count, sizes.items));
  for (int k = 0; k < N_FACTOR_LISTS; k++) {
    Attr list;
    if (!reader_accept_word(r, factor_lists[k])) continue;
    if (!factor_list_read(r, &list)) return false;
    if (attr_info(r->context, list)->count) fields[n++] = field(r, factor_lists[k], list);
  }
  if (reader_accept(r, ',')) {
    if (!reader_expect_word(r, "custom")) return false;
    fields[n++] = field(r, "custom", attr_unit(r->context));
  }
  *out = make(r, "sdy.op_sharding_rule", n, fields);
  return reader_expect(r, '>');
}

void sdy_rule_print(const Context *context, Attr attr, StrBuf *out) {
  const AttrInfo *sizes = get(context, attr, "factor_sizes");
  strbuf_putc(out, '<');
  mappings_print(context, get(context, attr, "operands"), out);
  strbuf_puts(out, "->");
  mappings_print(context, get(context, attr, "results"), out);
  for (uint32_t i = 0; i < sizes->count; i++) {
    strbuf_puts(out, i ? ", " : " {");
    factor_print(i, out);
    strbuf_printf(out, "=%" PRId64, ((const int64_t *)sizes->data)[i]);
  }
  if (sizes->count) strbuf_putc(out, '}');
  for (int k = 0; k < N_FACTOR_LISTS; k++) {
    const AttrInfo *list = get(context, attr, factor_lists[k]);
    for (uint32_t i = 0; i < list->count; i++) {
      if (i)
        strbuf_puts(out, ", ");
      else
        strbuf_printf(out, " %s={", factor_lists[k]);
      factor_print(((const int64_t *)list->data)[i], out);
    }
    if (list->count) strbuf_putc(out, '}');
  }
  if (attr_get(context, attr, "custom")) strbuf_puts(out, ", custom");
  strbuf_putc(out, '>');
}
