// Prints nested lists by recursion over dimensions; the depth is the rank.
#include "evaluate/show.h"

#include <inttypes.h>
#include <math.h>

enum { MOST_EMPTY_LISTS = 1000 };

typedef struct Show {
  const Literal *literal;
  StrBuf *out;
  int64_t next;  // next element: row-major order is the order of the text
  bool dense;
} Show;

static void put_part(StrBuf *out, DType type, double value) {
  char text[DTYPE_TEXT_MAX];
  dtype_format(type, scalar_f(value), text, sizeof text);
  strbuf_puts(out, text);
}

static void put_element(Show *show) {
  DType type = show->literal->dtype;
  Scalar value = literal_get(show->literal, show->next++);
  if (dtype_is_complex(type)) {
    strbuf_putc(show->out, show->dense ? '(' : '[');
    put_part(show->out, dtype_real_of(type), value.f);
    strbuf_puts(show->out, show->dense ? "," : ", ");
    put_part(show->out, dtype_real_of(type), value.im);
    strbuf_putc(show->out, show->dense ? ')' : ']');
    return;
  }
  char text[DTYPE_TEXT_MAX];
  dtype_format(type, value, text, sizeof text);
  strbuf_puts(show->out, text);
}

static void put_indent(StrBuf *out, uint32_t n) {
  while (n--) strbuf_puts(out, "  ");
}

// Whether an array without elements has too many empty lists (tensor<9000000000x0xf32>). Then only
// the outermost list is printed; the type tells the shape.
static bool lists_only(const Literal *l) {
  int64_t lists = 1;
  for (uint32_t d = 0; l->count == 0 && d < l->rank && l->dims[d] > 0; d++)
    if (__builtin_mul_overflow(lists, l->dims[d], &lists) || lists > MOST_EMPTY_LISTS) return true;
  return false;
}

static void put_lists(Show *show, uint32_t d) {
  const Literal *l = show->literal;
  if (d == 0 && lists_only(l)) {
    strbuf_puts(show->out, "  []");
    return;
  }
  if (d == l->rank) {
    put_element(show);
    return;
  }
  bool inner = d + 1 == l->rank || show->dense;
  if (!show->dense) put_indent(show->out, d + 1);
  strbuf_putc(show->out, '[');
  if (!inner && l->dims[d] > 0) strbuf_putc(show->out, '\n');
  for (int64_t i = 0; i < l->dims[d]; i++) {
    put_lists(show, d + 1);
    if (i + 1 < l->dims[d]) strbuf_puts(show->out, inner ? ", " : ",");
    if (!inner) strbuf_putc(show->out, '\n');
  }
  if (!inner && l->dims[d] > 0) put_indent(show->out, d + 1);
  strbuf_putc(show->out, ']');
}

static bool is_splat(const Literal *l) {
  size_t bytes = (size_t)dtype_bytes(l->dtype);
  for (int64_t i = 1; i < l->count; i++)
    if (memcmp(l->data, (const char *)l->data + (size_t)i * bytes, bytes) != 0) return false;
  return l->count > 0;
}

void literal_show_type(const Context *context, const Literal *l, StrBuf *out) {
  switch (l->kind) {
  case LITERAL_TOKEN: strbuf_puts(out, "!stablehlo.token"); return;
  case LITERAL_TUPLE:
  case LITERAL_FUTURE:
    strbuf_puts(out, l->kind == LITERAL_TUPLE ? "tuple<" : "!stablehlo.future<");
    for (uint32_t i = 0; i < l->n_items; i++) {
      if (i) strbuf_puts(out, ", ");
      literal_show_type(context, l->items[i], out);
    }
    strbuf_putc(out, '>');
    return;
  case LITERAL_ARRAY:
    strbuf_puts(out, "tensor<");
    for (uint32_t d = 0; d < l->rank; d++) strbuf_printf(out, "%" PRId64 "x", l->dims[d]);
    type_print(context, l->elem, out);
    strbuf_putc(out, '>');
    return;
  }
}

static void put_summary(const Literal *l, StrBuf *out) {
  DTypeKind kind = dtype_kind(l->dtype);
  double low = INFINITY, high = -INFINITY, sum = 0;
  int64_t odd = 0;
  for (int64_t i = 0; i < l->count; i++) {
    Scalar s = literal_get(l, i);
    double value = kind == KIND_FLOAT || kind == KIND_COMPLEX ? s.f
                   : kind == KIND_UINT                        ? (double)s.u
                                                              : (double)s.i;
    if (kind == KIND_COMPLEX) value = hypot(s.f, s.im);
    if (!isfinite(value)) {
      odd++;
      continue;
    }
    if (value < low) low = value;
    if (value > high) high = value;
    sum += value;
  }
  strbuf_printf(out, " {%" PRId64 " elements", l->count);
  if (odd < l->count)
    strbuf_printf(out, ", %s %.6g … %.6g, mean %.6g", kind == KIND_COMPLEX ? "magnitude" : "range",
                  low, high, sum / (double)(l->count - odd));
  if (odd) strbuf_printf(out, ", %" PRId64 " not finite", odd);
  strbuf_puts(out, "}\n");
}

void literal_show(const Context *context, const Literal *l, const ShowOptions *options,
                  StrBuf *out) {
  if (l->kind == LITERAL_TUPLE || l->kind == LITERAL_FUTURE) {
    literal_show_type(context, l, out);
    strbuf_puts(out, " (\n");
    for (uint32_t i = 0; i < l->n_items; i++) literal_show(context, l->items[i], options, out);
    strbuf_puts(out, ")\n");
    return;
  }
  Show show = {.literal = l, .out = out, .dense = options->dense};
  bool big = l->kind == LITERAL_ARRAY && options->most && l->count > options->most;
  if (l->kind == LITERAL_ARRAY && options->dense && !big) {
    strbuf_puts(out, "dense<");
    if (is_splat(l))
      put_element(&show);
    else if (l->count > 0)
      put_lists(&show, 0);
    strbuf_puts(out, "> : ");
  }
  literal_show_type(context, l, out);
  if (big) {
    put_summary(l, out);
  } else if (l->kind == LITERAL_ARRAY && !options->dense) {
    if (l->rank == 0) {
      strbuf_puts(out, " {");
      put_element(&show);
      strbuf_puts(out, "}\n");
    } else {
      strbuf_puts(out, " {\n");
      put_lists(&show, 0);
      strbuf_puts(out, "\n}\n");
    }
  } else {
    strbuf_putc(out, '\n');
  }
}

static void json_float(Json *json, double value) {
  if (isnan(value))
    json_string(json, "nan");
  else if (isinf(value))
    json_string(json, value > 0 ? "inf" : "-inf");
  else
    json_double(json, value);
}

static void json_lists(const Literal *l, uint32_t d, int64_t *next, Json *json) {
  if (d < l->rank) {
    json_open(json, '[');
    bool empty = d == 0 && lists_only(l);
    for (int64_t i = 0; !empty && i < l->dims[d]; i++) json_lists(l, d + 1, next, json);
    json_close(json, ']');
    return;
  }
  Scalar value = literal_get(l, (*next)++);
  switch (dtype_kind(l->dtype)) {
  case KIND_BOOL: json_bool(json, value.i != 0); break;
  case KIND_UINT: json_uint(json, value.u); break;
  case KIND_FLOAT: json_float(json, value.f); break;
  case KIND_COMPLEX:
    json_open(json, '[');
    json_float(json, value.f);
    json_float(json, value.im);
    json_close(json, ']');
    break;
  default: json_int(json, value.i); break;
  }
}

void literal_json(const Literal *l, Json *json) {
  int64_t next = 0;
  if (l->kind == LITERAL_ARRAY) {
    json_lists(l, 0, &next, json);
  } else if (l->kind == LITERAL_TOKEN) {
    json_null(json);
  } else {
    json_open(json, '[');
    for (uint32_t i = 0; i < l->n_items; i++) literal_json(l->items[i], json);
    json_close(json, ']');
  }
}
