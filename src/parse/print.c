// Problem: print the text that MLIR prints, including its value numbering.
// Idea: first every value gets its label, outer regions before inner ones. Values of a region
// continue the numbers of the region around it; sibling regions reuse numbers (in generic form no
// number is used twice). A special name that is taken gets the next conflict number as suffix. Then
// one pass prints the ops.
//
//   %0 = a ({ %2 = b }, { %2 = c })   %1 = d      outer values first; sibling regions reuse %2
//
// Cost: O(program + text); the text of each type is made once.
#include "parse/print.h"

#include <string.h>

#include "parse/parse.h"
#include "parse/printer.h"

enum { INDENT = 2 };

typedef enum LabelKind { LABEL_NONE, LABEL_NUMBER, LABEL_NAME, LABEL_NAME_NUMBERED } LabelKind;

struct ValueLabel {
  uint32_t number;  // %number, or the suffix of a special name
  uint16_t kind;    // LABEL_NONE: belongs to the result group that began before
  uint16_t name;    // index in names
};

struct TypeSlot {
  const char *s;
  size_t n;
};

struct LocAlias {
  Attr loc;
  uint32_t depth;
  bool at_head;  // used by an argument: defined before the program
};

// ---- labels ----

typedef struct Scope {
  uint32_t next_value, next_arg, next_conflict;
  uint64_t used;  // bit set by index in names
} Scope;

enum { NAME_ARG = 0, MOST_NAMES = 64 };

static uint16_t name_index(Printer *pr, Str name) {
  for (uint16_t i = 0; i < pr->names.count; i++)
    if (str_equal(pr->names.items[i], name)) return i;
  if (pr->names.count == MOST_NAMES) return MOST_NAMES;
  VEC_PUSH(&pr->arena, &pr->names, name);
  return (uint16_t)(pr->names.count - 1);
}

static void label_number(Printer *pr, Scope *scope, ValueId value) {
  pr->labels[value] = (ValueLabel){.number = scope->next_value++, .kind = LABEL_NUMBER};
}

// At most 64 special names are tracked in a bit set; further ones are numbered.
static void label_name(Printer *pr, Scope *scope, ValueId value, Str name) {
  uint16_t index = name_index(pr, name);
  if (index == MOST_NAMES) {
    label_number(pr, scope, value);
    return;
  }
  ValueLabel label = {.kind = LABEL_NAME, .name = index};
  if (scope->used >> index & 1) {
    label.kind = LABEL_NAME_NUMBERED;
    label.number = scope->next_conflict++;
  }
  scope->used |= UINT64_C(1) << index;
  pr->labels[value] = label;
}

// A result group shares the label of its first result, unless the form names results separately.
static void label_results(Printer *pr, Scope *scope, OpId op) {
  const Op *o = op_at(pr->program, op);
  if (!o->n_results) return;
  for (uint32_t g = 0; g < o->n_results && !pr->options->generic; g++) {
    Str name = form_result_name(pr->program, op, g);
    if (!name.n) break;
    label_name(pr, scope, o->results + g, name);
  }
  if (pr->labels[o->results].kind == LABEL_NONE) label_number(pr, scope, o->results);
}

// Entry arguments are %arg0, %arg1, … unless the form names them; other block arguments are
// numbered.
static void label_args(Printer *pr, Scope *scope, OpId op, BlockId block, bool is_entry) {
  const Block *b = block_at(pr->program, block);
  bool named = !pr->options->generic && is_entry;
  for (uint32_t i = 0; i < b->n_args; i++) {
    Str special = named ? form_arg_name(pr->program, op, i) : (Str){0};
    if (special.n)
      label_name(pr, scope, b->args + i, special);
    else if (is_entry)
      pr->labels[b->args + i] =
          (ValueLabel){.number = scope->next_arg++, .kind = LABEL_NAME_NUMBERED, .name = NAME_ARG};
    else
      label_number(pr, scope, b->args + i);
  }
}

// Labels the values of the region itself; true if it has nested regions.
static bool label_here(Printer *pr, RegionId region, Scope *scope) {
  const Region *r = region_at(pr->program, region);
  bool any_inside = false;
  for (BlockId b = r->first; b; b = block_at(pr->program, b)->next) {
    label_args(pr, scope, r->op, b, b == r->first);
    for (OpId op = block_at(pr->program, b)->first; op; op = op_at(pr->program, op)->next) {
      label_results(pr, scope, op);
      any_inside |= op_at(pr->program, op)->n_regions != 0;
    }
  }
  return any_inside;
}

// `scope` is passed by value: sibling regions start from the same numbers.
static void label_region(Printer *pr, RegionId region, Scope scope) {
  if (!label_here(pr, region, &scope)) return;
  for (BlockId b = region_block(pr->program, region); b; b = block_at(pr->program, b)->next)
    for (OpId op = block_at(pr->program, b)->first; op; op = op_at(pr->program, op)->next)
      for (uint32_t i = 0; i < op_at(pr->program, op)->n_regions; i++)
        label_region(pr, op_region(pr->program, op, i), scope);
}

typedef VEC(RegionId) RegionStack;

static void push_regions(Printer *pr, OpId op, RegionStack *stack) {
  for (uint32_t i = 0; i < op_at(pr->program, op)->n_regions; i++)
    VEC_PUSH(&pr->arena, stack, op_region(pr->program, op, i));
}

// In generic form numbers are unique in the program, and the last region is numbered first.
static void label_uniquely(Printer *pr, OpId root, Scope *scope) {
  RegionStack stack = {0};
  push_regions(pr, root, &stack);
  while (stack.count) {
    RegionId region = stack.items[--stack.count];
    if (!label_here(pr, region, scope)) continue;
    for (BlockId b = region_block(pr->program, region); b; b = block_at(pr->program, b)->next)
      for (OpId op = block_at(pr->program, b)->first; op; op = op_at(pr->program, op)->next)
        push_regions(pr, op, &stack);
  }
}

static void label_all(Printer *pr, OpId root) {
  Scope scope = {0};
  label_results(pr, &scope, root);
  if (pr->options->generic) {
    label_uniquely(pr, root, &scope);
    return;
  }
  for (uint32_t i = 0; i < op_at(pr->program, root)->n_regions; i++)
    label_region(pr, op_region(pr->program, root, i), scope);
}

// ---- helpers ----

void printer_puts(Printer *pr, const char *text) { strbuf_puts(pr->out, text); }

static void put_label(Printer *pr, ValueLabel label) {
  char text[80];
  char *at = text + sizeof text;
  uint32_t left = label.number;
  if (label.kind != LABEL_NAME) {
    do {
      *--at = (char)('0' + left % 10);
      left /= 10;
    } while (left);
  }
  if (label.kind != LABEL_NUMBER) {
    Str name = pr->names.items[label.name];
    if (label.kind == LABEL_NAME_NUMBERED && label.name != NAME_ARG) *--at = '_';
    size_t n = name.n < 48 ? name.n : 48;
    at -= n;
    memcpy(at, name.s, n);
  }
  *--at = '%';
  strbuf_put(pr->out, at, (size_t)(text + sizeof text - at));
}

void printer_value(Printer *pr, ValueId value) {
  const Value *v = value_at(pr->program, value);
  ValueId start = value;
  if (!v->is_arg) {
    const Op *op = op_at(pr->program, v->def);
    while (start > op->results && pr->labels[start].kind == LABEL_NONE) start--;
    put_label(pr, pr->labels[start]);
    bool more = value + 1 < op->results + op->n_results && pr->labels[value + 1].kind == LABEL_NONE;
    if (start == value && !more) return;
    strbuf_putc(pr->out, '#');
    strbuf_put_int(pr->out, value - start);
    return;
  }
  put_label(pr, pr->labels[value]);
}

void printer_values(Printer *pr, OpId op, uint32_t first, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (i) strbuf_put(pr->out, ", ", 2);
    printer_value(pr, op_operand(pr->program, op, first + i));
  }
}

void printer_type(Printer *pr, Type type) {
  if (type >= pr->types.count) {
    uint32_t old = pr->types.count;
    // Grow in steps of 64 type ids.
    uint32_t want = (type | 63) + 1;
    VEC_RESERVE(&pr->arena, &pr->types, want);
    memset(pr->types.items + old, 0, (want - old) * sizeof *pr->types.items);
    pr->types.count = want;
  }
  TypeSlot *slot = &pr->types.items[type];
  if (slot->s) {
    strbuf_put(pr->out, slot->s, slot->n);
    return;
  }
  // Copied from the output buffer, unless that was flushed meanwhile.
  size_t before = pr->out->used;
  type_print(pr->context, type, pr->out);
  if (pr->out->used <= before) return;
  slot->n = pr->out->used - before;
  slot->s = arena_copy(&pr->arena, pr->out->data + before, slot->n);
}

static void put_types(Printer *pr, ValueId first, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (i) strbuf_put(pr->out, ", ", 2);
    printer_type(pr, value_type(pr->program, first + i));
  }
}

void printer_operand_types(Printer *pr, OpId op) {
  uint32_t n = op_at(pr->program, op)->n_operands;
  for (uint32_t i = 0; i < n; i++) {
    if (i) strbuf_put(pr->out, ", ", 2);
    printer_type(pr, op_operand_type(pr->program, op, i));
  }
}

void printer_result_types(Printer *pr, OpId op) {
  const Op *o = op_at(pr->program, op);
  put_types(pr, o->results, o->n_results);
}

void printer_functional_type(Printer *pr, OpId op) {
  const Op *o = op_at(pr->program, op);
  strbuf_putc(pr->out, '(');
  printer_operand_types(pr, op);
  strbuf_puts(pr->out, ") -> ");
  // A single result needs no parentheses, unless it is a function type.
  bool bare = o->n_results == 1 &&
              type_info(pr->context, value_type(pr->program, o->results))->kind != TYPE_FUNCTION;
  if (!bare) strbuf_putc(pr->out, '(');
  printer_result_types(pr, op);
  if (!bare) strbuf_putc(pr->out, ')');
}

static void put_indent(Printer *pr) {
  static const char blanks[] = "                                                                ";
  uint32_t left = pr->indent;
  for (; left > sizeof blanks - 1; left -= (uint32_t)sizeof blanks - 1)
    strbuf_put(pr->out, blanks, sizeof blanks - 1);
  strbuf_put(pr->out, blanks, left);
}

void printer_newline(Printer *pr) {
  strbuf_putc(pr->out, '\n');
  put_indent(pr);
}

// Collects loc and the locations inside it; returns its depth.
static uint32_t visit_loc(Printer *pr, Attr loc, bool at_head) {
  if (loc >= pr->n_loc_numbers) return 0;
  const AttrInfo *info = attr_info(pr->context, loc);
  uint32_t index = pr->loc_numbers[loc];
  bool again = index != 0;
  // Visited again only if an argument makes it, and all inside it, move to the head.
  if (again && (!at_head || pr->locs.items[index - 1].at_head))
    return pr->locs.items[index - 1].depth;
  if (!again) {
    LocAlias alias = {.loc = loc, .at_head = at_head};
    VEC_PUSH(&pr->arena, &pr->locs, alias);
    index = pr->loc_numbers[loc] = pr->locs.count;
  }
  pr->locs.items[index - 1].at_head |= at_head;
  uint32_t depth = 0;
  if (info->kind == ATTR_LOC_NAME || info->kind == ATTR_LOC_CALLSITE ||
      info->kind == ATTR_LOC_FUSED)
    for (uint32_t i = 0; i < info->count; i++) {
      if (info->kind == ATTR_LOC_FUSED && info->i && i + 1 == info->count) continue;  // metadata
      if (info->kind == ATTR_LOC_NAME &&
          attr_info(pr->context, info->items[i])->kind == ATTR_LOC_UNKNOWN)
        continue;
      uint32_t inner = visit_loc(pr, info->items[i], at_head) + 1;
      if (inner > depth) depth = inner;
    }
  pr->locs.items[index - 1].depth = depth;
  return depth;
}

// Arguments have their location inline, as in MLIR.
static void put_arg_loc(Printer *pr, Attr loc) {
  if (!pr->loc_numbers) return;
  if (pr->only_visits) {
    visit_loc(pr, loc, true);
    return;
  }
  const LocAliases aliases = {pr->loc_numbers, pr->n_loc_numbers};
  strbuf_puts(pr->out, " loc(");
  print_loc_body(pr->context, loc, &aliases, pr->out);
  strbuf_putc(pr->out, ')');
}

static void put_loc(Printer *pr, Attr loc) {
  if (!pr->loc_numbers || pr->only_visits) return;
  uint32_t number = pr->loc_numbers[loc < pr->n_loc_numbers ? loc : 0];
  if (number > 1)
    strbuf_printf(pr->out, " loc(#loc%u)", number - 1);
  else
    strbuf_puts(pr->out, " loc(#loc)");
}

// ---- attributes of ops ----

bool printer_is_default(const Context *context, const AttrSpec *spec, Attr value) {
  if (!spec->has_default || spec->need == NEED_REQUIRED) return false;
  const AttrInfo *info = attr_info(context, value);
  switch (spec->shape) {
  case AS_BOOL: return info->kind == ATTR_BOOL && info->i == spec->value;
  case AS_I32:
  case AS_I64:
  case AS_U32:
  case AS_U64:
  case AS_INT: return info->kind == ATTR_INT && info->i == spec->value;
  case AS_STRING:
    return info->kind == ATTR_STRING && !info->type &&
           str_is(name_str(context, info->name), spec->text);
  case AS_ENUM: return info->kind == ATTR_ENUM && str_is(name_str(context, info->name), spec->text);
  case AS_ARRAY: return info->kind == ATTR_ARRAY && info->count == 0;
  case AS_DICT: return info->count == 0 && (info->kind == ATTR_DICT || info->kind == ATTR_NONE);
  case AS_STRUCT:  // result_accuracy: the mode alone
    return info->kind == ATTR_STRUCT && info->count == 1 &&
           str_is(name_str(context, attr_as_name(context, attr_get(context, value, "mode"))),
                  spec->text);
  default: return false;
  }
}

static void put_named(Printer *pr, const NamedAttr *named) {
  print_key(name_str(pr->context, named->name), pr->out);
  const AttrInfo *info = attr_info(pr->context, named->value);
  if (info->kind == ATTR_UNIT) return;
  strbuf_put(pr->out, " = ", 3);
  attr_print(pr->context, named->value, pr->out);
}

void printer_attr_dict(Printer *pr, OpId op, bool (*elide)(uint16_t code, Str name), bool keyword) {
  const Op *o = op_at(pr->program, op);
  if (!o->attrs) return;
  const AttrInfo *dict = attr_info(pr->context, o->attrs);
  bool any = false;
  for (uint32_t i = 0; i < dict->count; i++) {
    Str name = name_str(pr->context, dict->fields[i].name);
    if (elide(o->code, name)) continue;
    const AttrSpec *spec = op_attr_spec(o->code, name);
    if (spec && printer_is_default(pr->context, spec, dict->fields[i].value)) continue;
    strbuf_puts(pr->out, any ? ", " : keyword ? " attributes {" : " {");
    any = true;
    put_named(pr, &dict->fields[i]);
  }
  if (any) strbuf_putc(pr->out, '}');
}

// Prints the inherent (or the other) attributes in generic syntax.
static bool put_half(Printer *pr, OpId op, bool inherent, const char *open) {
  const Op *o = op_at(pr->program, op);
  const AttrInfo *dict = attr_info(pr->context, o->attrs);
  bool any = false;
  for (uint32_t i = 0; i < dict->count; i++) {
    Str name = name_str(pr->context, dict->fields[i].name);
    if ((op_attr_spec(o->code, name) != NULL) != inherent || str_is(name, PROPERTIES_KEY)) continue;
    strbuf_puts(pr->out, any ? ", " : open);
    any = true;
    put_named(pr, &dict->fields[i]);
  }
  if (any) strbuf_putc(pr->out, '}');
  return any;
}

static void put_properties(Printer *pr, OpId op) {
  Attr kept = op_at(pr->program, op)->code == OP_UNREGISTERED
                  ? op_attr(pr->program, op, PROPERTIES_KEY)
                  : 0;
  if (kept) {
    strbuf_puts(pr->out, " <");
    attr_print(pr->context, kept, pr->out);
    strbuf_putc(pr->out, '>');
  } else if (put_half(pr, op, true, " <{")) {
    strbuf_putc(pr->out, '>');
  }
}

// ---- ops and regions ----

static void put_op(Printer *pr, OpId op, const char *default_dialect);

void printer_arg(Printer *pr, ValueId arg) {
  printer_value(pr, arg);
  strbuf_puts(pr->out, ": ");
  printer_type(pr, value_type(pr->program, arg));
  put_arg_loc(pr, value_at(pr->program, arg)->loc);
}

static void put_label_line(Printer *pr, BlockId block, uint32_t number) {
  const Block *b = block_at(pr->program, block);
  put_indent(pr);
  strbuf_printf(pr->out, "^bb%u", number);
  for (uint32_t i = 0; i < b->n_args; i++) {
    strbuf_puts(pr->out, i ? ", " : "(");
    printer_arg(pr, b->args + i);
  }
  strbuf_puts(pr->out, b->n_args ? "):\n" : ":\n");
}

// The dialect whose prefix is omitted for ops inside this op.
static const char *default_dialect_of(const Printer *pr, OpId op) {
  uint16_t code = op_at(pr->program, op)->code;
  return code == OP_func_func ? "func." : code == OP_module ? "builtin." : "";
}

static void put_region(Printer *pr, RegionId region, bool entry_args, bool empty_label) {
  const Region *r = region_at(pr->program, region);
  const char *dialect = default_dialect_of(pr, r->op);
  strbuf_puts(pr->out, "{\n");
  uint32_t number = 0;
  for (BlockId b = r->first; b; b = block_at(pr->program, b)->next, number++) {
    const Block *block = block_at(pr->program, b);
    bool label = number || (entry_args && block->n_args) || (empty_label && !block->first);
    if (label) put_label_line(pr, b, number);
    pr->indent += INDENT;
    for (OpId op = block->first; op; op = op_at(pr->program, op)->next) {
      put_indent(pr);
      put_op(pr, op, dialect);
      strbuf_putc(pr->out, '\n');
    }
    pr->indent -= INDENT;
  }
  put_indent(pr);
  strbuf_putc(pr->out, '}');
}

void printer_region(Printer *pr, RegionId region, bool entry_args) {
  put_region(pr, region, entry_args, false);
}

void printer_generic_tail(Printer *pr, OpId op) {
  const Op *o = op_at(pr->program, op);
  strbuf_putc(pr->out, '(');
  printer_values(pr, op, 0, o->n_operands);
  strbuf_putc(pr->out, ')');
  put_properties(pr, op);
  for (uint32_t i = 0; i < o->n_regions; i++) {
    strbuf_puts(pr->out, i ? ", " : " (");
    put_region(pr, op_region(pr->program, op, i), true, true);
  }
  if (o->n_regions) strbuf_putc(pr->out, ')');
  put_half(pr, op, false, " {");
  strbuf_puts(pr->out, " : ");
  printer_functional_type(pr, op);
}

static bool is_module_part(uint16_t code, Str name) {
  (void)code;
  return str_is(name, "sym_name") || str_is(name, "sym_visibility");
}

static void put_module(Printer *pr, OpId op) {
  Attr name = op_attr(pr->program, op, "sym_name");
  if (name) {
    strbuf_putc(pr->out, ' ');
    print_symbol(name_str(pr->context, attr_as_name(pr->context, name)), pr->out);
  }
  printer_attr_dict(pr, op, is_module_part, true);
  strbuf_putc(pr->out, ' ');
  put_region(pr, op_region(pr->program, op, 0), true, false);
}

static Attr item_of(const Printer *pr, Attr array, uint32_t i) {
  const AttrInfo *info = attr_info(pr->context, array);
  return info->kind == ATTR_ARRAY && i < info->count ? info->items[i] : 0;
}

static bool put_dict_of(Printer *pr, Attr array, uint32_t i) {
  Attr dict = item_of(pr, array, i);
  if (!attr_info(pr->context, dict)->count) return false;
  strbuf_putc(pr->out, ' ');
  attr_print_dict(pr->context, dict, pr->out);
  return true;
}

static bool is_function_part(uint16_t code, Str name) {
  return str_is(name, "function_type") || str_is(name, "arg_attrs") || str_is(name, "res_attrs") ||
         is_module_part(code, name);
}

static void put_function(Printer *pr, OpId op) {
  const Program *p = pr->program;
  Attr visibility = op_attr(p, op, "sym_visibility");
  Attr arg_attrs = op_attr(p, op, "arg_attrs"), result_attrs = op_attr(p, op, "res_attrs");
  const TypeInfo *type =
      type_info(pr->context, attr_info(pr->context, op_attr(p, op, "function_type"))->type);
  BlockId body = region_block(p, op_region(p, op, 0));
  strbuf_putc(pr->out, ' ');
  if (visibility) {
    strbuf_put_str(pr->out, name_str(pr->context, attr_as_name(pr->context, visibility)));
    strbuf_putc(pr->out, ' ');
  }
  print_symbol(name_str(pr->context, attr_as_name(pr->context, op_attr(p, op, "sym_name"))),
               pr->out);
  strbuf_putc(pr->out, '(');
  for (uint32_t i = 0; i < type->n_inputs; i++) {
    if (i) strbuf_puts(pr->out, ", ");
    if (body) {
      printer_value(pr, block_arg(p, body, i));
      strbuf_puts(pr->out, ": ");
    }
    printer_type(pr, type->items[i]);
    put_dict_of(pr, arg_attrs, i);
    if (body) put_arg_loc(pr, value_at(p, block_arg(p, body, i))->loc);
  }
  strbuf_putc(pr->out, ')');
  uint32_t n_results = type->n_items - type->n_inputs;
  if (n_results) {
    const Type *results = type->items + type->n_inputs;
    bool parens = n_results > 1 || type_info(pr->context, results[0])->kind == TYPE_FUNCTION ||
                  attr_info(pr->context, item_of(pr, result_attrs, 0))->count;
    strbuf_puts(pr->out, parens ? " -> (" : " -> ");
    for (uint32_t i = 0; i < n_results; i++) {
      if (i) strbuf_puts(pr->out, ", ");
      printer_type(pr, results[i]);
      put_dict_of(pr, result_attrs, i);
    }
    if (parens) strbuf_putc(pr->out, ')');
  }
  printer_attr_dict(pr, op, is_function_part, true);
  if (!body) return;
  strbuf_putc(pr->out, ' ');
  put_region(pr, op_region(p, op, 0), false, false);
}

// Whether module or func has the standard form that the hand-written printers handle.
static bool is_plain_module(const Program *p, OpId op) {
  const Op *o = op_at(p, op);
  return o->code == OP_module && o->n_regions == 1 && !o->n_operands && !o->n_results;
}

static bool is_plain_function(const Program *p, OpId op) {
  const Op *o = op_at(p, op);
  if (o->code != OP_func_func || o->n_regions != 1 || o->n_operands || o->n_results) return false;
  const AttrInfo *attr = attr_info(p->context, op_attr(p, op, "function_type"));
  const TypeInfo *type = type_info(p->context, attr->type);
  BlockId body = region_block(p, op_region(p, op, 0));
  return attr->kind == ATTR_TYPE && type->kind == TYPE_FUNCTION && op_attr(p, op, "sym_name") &&
         (!body || block_at(p, body)->n_args == type->n_inputs);
}

static void put_result_names(Printer *pr, OpId op) {
  const Op *o = op_at(pr->program, op);
  if (!o->n_results) return;
  for (uint32_t i = 0; i < o->n_results;) {
    uint32_t n = 1;
    while (i + n < o->n_results && pr->labels[o->results + i + n].kind == LABEL_NONE) n++;
    if (i) strbuf_puts(pr->out, ", ");
    put_label(pr, pr->labels[o->results + i]);
    if (n > 1) {
      strbuf_putc(pr->out, ':');
      strbuf_put_int(pr->out, n);
    }
    i += n;
  }
  strbuf_puts(pr->out, " = ");
}

static void put_op(Printer *pr, OpId op, const char *default_dialect) {
  if (pr->only_visits) {
    visit_loc(pr, op_at(pr->program, op)->loc, false);
    pr->out->used = 0;
  }
  put_result_names(pr, op);
  const char *name = op_name(pr->program, op);
  bool module = is_plain_module(pr->program, op), function = is_plain_function(pr->program, op);
  bool generic = pr->options->generic || !(module || function || form_fits(pr->program, op));
  if (generic) {
    Name kept = op_at(pr->program, op)->name;  // of an unregistered op: any bytes
    print_string(kept ? name_str(pr->program->context, kept) : str_of(name), pr->out);
    printer_generic_tail(pr, op);
  } else {
    size_t n = strlen(default_dialect);
    bool drop = n && strncmp(name, default_dialect, n) == 0 && !strchr(name + n, '.');
    strbuf_puts(pr->out, drop && !function ? name + n : name);
    if (module)
      put_module(pr, op);
    else if (function)
      put_function(pr, op);
    else
      form_print(pr, op);
  }
  put_loc(pr, op_at(pr->program, op)->loc);
}

// ---- locations ----

// Numbers the locations by depth, then in text order. Only locations that the text shows count
// (`while` hides its arguments, `reduce … applies` its body), so the program is printed once into
// nothing.
static void number_locs(Printer *pr, OpId root) {
  const Program *p = pr->program;
  Attr most = 0;
  for (OpId op = root; op; op = op_walk_next(p, op, root))
    if (op_at(p, op)->loc > most) most = op_at(p, op)->loc;
  for (uint32_t v = 1; v < p->values.count; v++)
    if (p->values.items[v].is_arg && p->values.items[v].loc > most) most = p->values.items[v].loc;
  pr->n_loc_numbers = most + 1;
  pr->loc_numbers = ARENA_ARRAY(&pr->arena, uint32_t, pr->n_loc_numbers);
  StrBuf nowhere, *out = pr->out;
  strbuf_init(&nowhere, out->guard);
  GuardCleanup cleanup = {strbuf_release, &nowhere, NULL};
  guard_push(out->guard, &cleanup);
  pr->out = &nowhere;
  pr->only_visits = true;
  put_op(pr, root, "");
  pr->only_visits = false;
  pr->out = out;
  guard_pop(out->guard, &cleanup);
  strbuf_deinit(&nowhere);
  // Inner locations get smaller numbers, so that definitions refer backwards.
  uint32_t next = 0, deepest = 0;
  for (uint32_t i = 0; i < pr->locs.count; i++)
    if (pr->locs.items[i].depth > deepest) deepest = pr->locs.items[i].depth;
  for (uint32_t depth = 0; depth <= deepest; depth++)
    for (uint32_t i = 0; i < pr->locs.count; i++)
      if (pr->locs.items[i].depth == depth) pr->loc_numbers[pr->locs.items[i].loc] = ++next;
}

// Definitions before the program for locations that arguments use, after it for the others.
static void put_loc_aliases(Printer *pr, bool at_head) {
  const LocAliases aliases = {pr->loc_numbers, pr->n_loc_numbers};
  uint32_t *by_number = ARENA_ARRAY(&pr->arena, uint32_t, pr->locs.count + 1);
  for (uint32_t i = 0; i < pr->locs.count; i++)
    by_number[pr->loc_numbers[pr->locs.items[i].loc] - 1] = i;
  for (uint32_t k = 0; k < pr->locs.count; k++) {
    const LocAlias *alias = &pr->locs.items[by_number[k]];
    if (alias->at_head != at_head) continue;
    if (k)
      strbuf_printf(pr->out, "#loc%u = loc(", k);
    else
      strbuf_puts(pr->out, "#loc = loc(");
    print_loc_body(pr->context, alias->loc, &aliases, pr->out);
    strbuf_puts(pr->out, ")\n");
  }
}

// ---- public ----

// A blob begins with its alignment as a 32-bit little-endian word.
static void put_resources(Printer *pr) {
  static const char hex[] = "0123456789ABCDEF";
  const Program *p = pr->program;
  if (!p->resources.count) return;
  strbuf_puts(pr->out, "\n{-#\n  dialect_resources: {\n    builtin: {\n");
  for (uint32_t i = 0; i < p->resources.count; i++) {
    const Resource *res = &p->resources.items[i];
    strbuf_puts(pr->out, "      ");
    print_key(name_str(pr->context, res->key), pr->out);
    strbuf_puts(pr->out, ": \"0x");
    for (int k = 0; k < 4; k++) {
      uint8_t byte = (uint8_t)(res->alignment >> 8 * k);
      strbuf_put(pr->out, (const char[]){hex[byte >> 4], hex[byte & 15]}, 2);
    }
    for (size_t k = 0; k < res->bytes; k++)
      strbuf_put(pr->out, (const char[]){hex[res->data[k] >> 4], hex[res->data[k] & 15]}, 2);
    strbuf_puts(pr->out, i + 1 < p->resources.count ? "\",\n" : "\"\n");
  }
  strbuf_puts(pr->out, "    }\n  }\n#-}\n");
}

static void release_printer(void *printer) { arena_deinit(&((Printer *)printer)->arena); }

void program_print(const Program *p, const PrintOptions *options, StrBuf *out) {
  static const PrintOptions plain = {0};
  if (!p->root) return;
  Printer pr = {
      .program = p, .context = p->context, .options = options ? options : &plain, .out = out};
  arena_init(&pr.arena, out->guard);
  GuardCleanup cleanup = {release_printer, &pr, NULL};
  guard_push(out->guard, &cleanup);
  pr.labels = ARENA_ARRAY(&pr.arena, ValueLabel, p->values.count + 1);
  name_index(&pr, str_of("arg"));
  label_all(&pr, p->root);
  if (pr.options->locations) {
    number_locs(&pr, p->root);
    put_loc_aliases(&pr, true);
  }
  put_op(&pr, p->root, "builtin.");
  strbuf_putc(out, '\n');
  if (pr.loc_numbers) put_loc_aliases(&pr, false);
  put_resources(&pr);
  guard_pop(out->guard, &cleanup);
  arena_deinit(&pr.arena);
}
