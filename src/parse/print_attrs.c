// Prints attributes. Numbers are formatted by ir/dtype, types by ir/type, structs of dialects by
// the table in dialect_attrs.c. O(text).
#include <inttypes.h>
#include <stdio.h>

#include "parse/dialect_attrs.h"
#include "parse/print.h"

enum {
  HEX_LIMIT = 100
};  // constants with more elements that are no splat are printed as hex strings

static bool is_bare(Str name) {
  if (!name.n) return false;
  for (size_t i = 0; i < name.n; i++) {
    char c = name.s[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    bool later = (c >= '0' && c <= '9') || c == '$' || c == '.';
    if (!letter && !(i && later)) return false;
  }
  return true;
}

void print_string(Str text, StrBuf *out) {
  static const char hex[] = "0123456789ABCDEF";
  strbuf_putc(out, '"');
  size_t plain = 0;
  for (size_t i = 0; i < text.n; i++) {
    unsigned char c = (unsigned char)text.s[i];
    if (c >= ' ' && c < 0x7F && c != '"' && c != '\\') continue;
    strbuf_put(out, text.s + plain, i - plain);
    plain = i + 1;
    if (c == '\\')
      strbuf_puts(out, "\\\\");
    else
      strbuf_put(out, (const char[]){'\\', hex[c >> 4], hex[c & 15]}, 3);
  }
  strbuf_put(out, text.s + plain, text.n - plain);
  strbuf_putc(out, '"');
}

void print_key(Str name, StrBuf *out) {
  if (is_bare(name))
    strbuf_put_str(out, name);
  else
    print_string(name, out);
}

void print_symbol(Str name, StrBuf *out) {
  strbuf_putc(out, '@');
  print_key(name, out);
}

// ---- dense ----

static void print_scalar(DType dtype, const void *data, int64_t i, StrBuf *out) {
  char text[DTYPE_TEXT_MAX];
  size_t n = dtype_format(dtype, dtype_load(dtype, data, i), text, sizeof text);
  strbuf_put(out, text, n);
}

static void print_hex(const uint8_t *data, size_t bytes, StrBuf *out) {
  static const char hex[] = "0123456789ABCDEF";
  char chunk[1024];
  strbuf_puts(out, "\"0x");
  for (size_t i = 0; i < bytes;) {
    size_t n = 0;
    for (; n < sizeof chunk && i < bytes; i++) {
      chunk[n++] = hex[data[i] >> 4];
      chunk[n++] = hex[data[i] & 15];
    }
    strbuf_put(out, chunk, n);
  }
  strbuf_putc(out, '"');
}

static void print_nested(const TypeInfo *tensor, DType dtype, const void *data, uint32_t d,
                         int64_t *at, StrBuf *out) {
  if (d == tensor->rank) {
    print_scalar(dtype, data, (*at)++, out);
    return;
  }
  strbuf_putc(out, '[');
  for (int64_t i = 0; i < tensor->dims[d]; i++) {
    if (i) strbuf_puts(out, ", ");
    print_nested(tensor, dtype, data, d + 1, at, out);
  }
  strbuf_putc(out, ']');
}

void attr_print_dense_body(const Context *context, Attr attr, StrBuf *out) {
  const AttrInfo *info = attr_info(context, attr);
  const TypeInfo *tensor = type_info(context, info->type);
  DType dtype = type_dtype(context, info->type);
  int64_t count = 0, at = 0;
  if (!type_count(context, info->type, &count) || (count == 0 && !info->splat)) return;
  if (info->splat || count == 1) {
    // A splat: one element stands for all.
    print_scalar(dtype, info->data, 0, out);
  } else if (count > HEX_LIMIT) {
    print_hex(info->data, info->bytes, out);
  } else {
    print_nested(tensor, dtype, info->data, 0, &at, out);
  }
}

static void print_dense_array(const Context *context, const AttrInfo *info, StrBuf *out) {
  DType dtype = type_dtype(context, info->type);
  strbuf_puts(out, "array<");
  type_print(context, info->type, out);
  for (uint32_t i = 0; i < info->count; i++) {
    strbuf_puts(out, i ? ", " : ": ");
    print_scalar(dtype, info->data, i, out);
  }
  strbuf_putc(out, '>');
}

// ---- locations ----

static void print_loc_item(const Context *context, Attr attr, const LocAliases *aliases,
                           StrBuf *out) {
  uint32_t alias = aliases && attr < aliases->n ? aliases->number[attr] : 0;
  if (alias == 1)
    strbuf_puts(out, "#loc");
  else if (alias)
    strbuf_printf(out, "#loc%u", alias - 1);
  else
    print_loc_body(context, attr, aliases, out);
}

static void print_range(const LocRange *range, StrBuf *out) {
  strbuf_printf(out, ":%u:%u", range->line, range->column);
  if (!range->end_line) return;
  if (range->end_line == range->line)
    strbuf_printf(out, " to :%u", range->end_column);
  else
    strbuf_printf(out, " to %u:%u", range->end_line, range->end_column);
}

void print_loc_body(const Context *context, Attr attr, const LocAliases *aliases, StrBuf *out) {
  const AttrInfo *info = attr_info(context, attr);
  switch (info->kind) {
  case ATTR_LOC_FILE:
    print_string(name_str(context, info->name), out);
    print_range(info->data, out);
    break;
  case ATTR_LOC_NAME:
    print_string(name_str(context, info->name), out);
    if (!info->count || attr_info(context, info->items[0])->kind == ATTR_LOC_UNKNOWN) break;
    strbuf_putc(out, '(');
    print_loc_item(context, info->items[0], aliases, out);
    strbuf_putc(out, ')');
    break;
  case ATTR_LOC_CALLSITE:
    strbuf_puts(out, "callsite(");
    print_loc_item(context, info->items[0], aliases, out);
    strbuf_puts(out, " at ");
    print_loc_item(context, info->items[1], aliases, out);
    strbuf_putc(out, ')');
    break;
  case ATTR_LOC_FUSED:
    strbuf_puts(out, "fused");
    if (info->i && info->count) {
      strbuf_putc(out, '<');
      attr_print(context, info->items[info->count - 1], out);
      strbuf_putc(out, '>');
    }
    strbuf_putc(out, '[');
    for (uint32_t i = 0; i + (info->i != 0) < info->count; i++) {
      if (i) strbuf_puts(out, ", ");
      print_loc_item(context, info->items[i], aliases, out);
    }
    strbuf_putc(out, ']');
    break;
  default: strbuf_puts(out, "unknown"); break;
  }
}

// ---- all ----

void attr_print_dict(const Context *context, Attr dict, StrBuf *out) {
  const AttrInfo *info = attr_info(context, dict);
  strbuf_putc(out, '{');
  for (uint32_t i = 0; i < info->count; i++) {
    const NamedAttr *field = &info->fields[i];
    if (i) strbuf_puts(out, ", ");
    print_key(name_str(context, field->name), out);
    if (attr_info(context, field->value)->kind == ATTR_UNIT) continue;
    strbuf_puts(out, " = ");
    attr_print(context, field->value, out);
  }
  strbuf_putc(out, '}');
}

static void print_int(const Context *context, const AttrInfo *info, StrBuf *out) {
  if (dtype_kind(type_dtype(context, info->type)) == KIND_UINT)
    strbuf_printf(out, "%" PRIu64, (uint64_t)info->i);
  else
    strbuf_put_int(out, info->i);
}

static void print_float(const Context *context, const AttrInfo *info, StrBuf *out) {
  char text[DTYPE_TEXT_MAX];
  size_t n = dtype_format(type_dtype(context, info->type), scalar_f(info->f), text, sizeof text);
  strbuf_put(out, text, n);
}

// TYPE_ELIDE omits the default types i64 and f64, as inside arrays; TYPE_BARE omits all.
typedef enum TypeText { TYPE_FULL, TYPE_ELIDE, TYPE_BARE } TypeText;

static void print_attr(const Context *context, Attr attr, TypeText how, StrBuf *out) {
  const AttrInfo *info = attr_info(context, attr);
  Type shown = 0;
  switch (info->kind) {
  case ATTR_NONE: strbuf_puts(out, "<<none>>"); break;
  case ATTR_UNIT: strbuf_puts(out, "unit"); break;
  case ATTR_BOOL: strbuf_puts(out, info->i ? "true" : "false"); break;
  case ATTR_INT:
    print_int(context, info, out);
    if (how != TYPE_BARE && !(how == TYPE_ELIDE && info->type == DT_i64)) shown = info->type;
    break;
  case ATTR_FLOAT:
    print_float(context, info, out);
    if (how != TYPE_BARE && !(how == TYPE_ELIDE && info->type == DT_f64)) shown = info->type;
    break;
  case ATTR_STRING:
    print_string(name_str(context, info->name), out);
    shown = info->type;
    break;
  case ATTR_SYMBOL:
    print_symbol(name_str(context, info->name), out);
    for (uint32_t i = 0; i < info->count; i++) {
      strbuf_puts(out, "::");
      print_attr(context, info->items[i], how, out);
    }
    break;
  case ATTR_TYPE: type_print(context, info->type, out); break;
  case ATTR_ARRAY:
    strbuf_putc(out, '[');
    for (uint32_t i = 0; i < info->count; i++) {
      if (i) strbuf_puts(out, ", ");
      print_attr(context, info->items[i], TYPE_ELIDE, out);
    }
    strbuf_putc(out, ']');
    break;
  case ATTR_DICT: attr_print_dict(context, attr, out); break;
  case ATTR_DENSE:
    strbuf_puts(out, "dense<");
    attr_print_dense_body(context, attr, out);
    strbuf_putc(out, '>');
    shown = info->type;
    break;
  case ATTR_DENSE_ARRAY: print_dense_array(context, info, out); break;
  case ATTR_RESOURCE:
    strbuf_puts(out, "dense_resource<");
    print_key(name_str(context, info->name), out);
    strbuf_putc(out, '>');
    shown = info->type;
    break;
  case ATTR_ENUM:
  case ATTR_STRUCT: dialect_attr_print(context, attr, out); break;
  case ATTR_OPAQUE: strbuf_put_str(out, name_str(context, info->name)); break;
  case ATTR_LOC_UNKNOWN:
  case ATTR_LOC_FILE:
  case ATTR_LOC_NAME:
  case ATTR_LOC_CALLSITE:
  case ATTR_LOC_FUSED:
    strbuf_puts(out, "loc(");
    print_loc_body(context, attr, NULL, out);
    strbuf_putc(out, ')');
    break;
  }
  if (shown) {
    strbuf_puts(out, " : ");
    type_print(context, shown, out);
  }
}

void attr_print(const Context *context, Attr attr, StrBuf *out) {
  print_attr(context, attr, TYPE_FULL, out);
}

void attr_print_bare(const Context *context, Attr attr, StrBuf *out) {
  print_attr(context, attr, TYPE_BARE, out);
}
