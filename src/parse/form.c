// Problem: over a hundred ops have their own pretty syntax; a hand-written reader and printer each
// would drift apart.
// Idea: the op's form string is compiled into steps once; the reader and the printer interpret the
// same steps.
//
//   " {0}, dims = {@broadcast_dimensions}{attrs} : {func}"
//   OPERAND 0 | TEXT ", dims =" | ATTR broadcast_dimensions | ATTRS | TEXT " :" | HOOK func
//
// Invariant: an op is printed in its form only if reading that text gives the op back (form_fits).
// Cost: O(text) per op.
#include "parse/form.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "parse/dialect_attrs.h"

typedef enum StepKind {
  STEP_TEXT,
  STEP_OPERAND,
  STEP_OPERANDS,
  STEP_ATTR,
  STEP_SYMBOL_ATTR,
  STEP_ATTRS,
  STEP_GROUP,  // index: the step after the group's first part ({:} or {/})
  STEP_ELSE,   // index: the step after {/}
  STEP_END,
  STEP_HOOK,
} StepKind;

typedef struct Step {
  StepKind kind;
  uint32_t index;
  Str text;
  const AttrSpec *spec;
  const FormHook *hook;
} Step;

enum { MOST_STEPS = 24 };

typedef struct Form {
  Step steps[MOST_STEPS];
  uint32_t n;
  Str names;     // of results: "a,b", "c|cst"
  Str arg_name;  // of the regions' arguments
} Form;

static Form forms[OP_COUNT];
static pthread_once_t forms_once = PTHREAD_ONCE_INIT;

// ---- compiling ----

static const FormHook *hook_find(Str name) {
  for (const FormHook *hook = form_hooks; hook->name; hook++)
    if (str_is(name, hook->name)) return hook;
  return NULL;
}

// Compiles the word between braces into one step. Errors in forms are bugs of the op table: assert.
static void compile_directive(uint16_t code, Form *form, Str word, Step *step) {
  char c = word.n ? word.s[0] : '\0';
  if (c == '@') {
    bool symbol = word.n > 1 && word.s[1] == '!';
    Str name = {word.s + 1 + symbol, word.n - 1 - symbol};
    step->kind = symbol ? STEP_SYMBOL_ATTR : STEP_ATTR;
    step->spec = op_attr_spec(code, name);
    assert(step->spec && "a form names an attribute of its op");
  } else if (c >= '0' && c <= '9') {
    step->kind = STEP_OPERAND;
    step->index = (uint32_t)(c - '0');
  } else if (c == '*') {
    step->kind = STEP_OPERANDS;
  } else if (c == '?') {
    step->kind = STEP_GROUP;
  } else if (c == ':' || c == '/') {
    step->kind = c == ':' ? STEP_ELSE : STEP_END;
    // The innermost open group (or alternative) ends here.
    for (uint32_t i = form->n; i-- > 0;)
      if ((form->steps[i].kind == STEP_GROUP || form->steps[i].kind == STEP_ELSE) &&
          !form->steps[i].index) {
        form->steps[i].index = form->n;
        break;
      }
  } else if (str_is(word, "attrs")) {
    step->kind = STEP_ATTRS;
  } else {
    char last = word.s[word.n - 1];
    if ((c == 't' || c == 'r') && word.n == 2 && last >= '0' && last <= '9') {
      step->index = (uint32_t)(last - '0');
      word.n = 1;
    }
    step->kind = STEP_HOOK;
    step->hook = hook_find(word);
    assert(step->hook && "a form uses a directive that is there");
  }
}

// Splits the form into literal text and directives.
static void compile(uint16_t code, const char *at, Form *form) {
  while (*at) {
    assert(form->n < MOST_STEPS && "a form has few steps");
    Step *step = &form->steps[form->n];
    const char *close = *at == '{' ? strchr(at, '}') : NULL;
    if (close && (at[1] == '=' || at[1] == '%')) {
      *(at[1] == '=' ? &form->names : &form->arg_name) = (Str){at + 2, (size_t)(close - at - 2)};
      at = close + 1;
      continue;
    }
    // {? is followed by the group's text; all other directives end at '}'.
    if (close && at[1] == '?') {
      compile_directive(code, form, (Str){at + 1, 1}, step);
      at += 2;
    } else if (close) {
      compile_directive(code, form, (Str){at + 1, (size_t)(close - at - 1)}, step);
      at = close + 1;
    } else {
      size_t n = strcspn(at, "{");
      step->kind = STEP_TEXT;
      step->text = (Str){at, n};
      at += n;
    }
    form->n++;
  }
}

static void compile_all(void) {
  for (uint16_t code = 0; code < OP_COUNT; code++)
    if (op_row(code)->form) compile(code, op_row(code)->form, &forms[code]);
}

// All forms are compiled once per process; afterwards they are read-only and shared by threads.
static const Form *form_of(uint16_t code) {
  pthread_once(&forms_once, compile_all);
  return &forms[code < OP_COUNT ? code : 0];
}

bool form_mentions(uint16_t code, Str name) {
  const Form *form = form_of(code);
  for (uint32_t i = 0; i < form->n; i++) {
    const Step *step = &form->steps[i];
    if (step->spec && str_is(name, step->spec->name)) return true;
    const char *owns = step->hook ? step->hook->owns : NULL;
    while (owns && *owns) {
      size_t n = strcspn(owns, " ");
      if (n == name.n && memcmp(owns, name.s, n) == 0) return true;
      owns += n + (owns[n] == ' ');
    }
  }
  return false;
}

// ---- reading ----

typedef struct Checkpoint {
  Token tok;
  const char *at;
} Checkpoint;

static Checkpoint checkpoint(const Reader *r) { return (Checkpoint){r->tok, r->at}; }

static void rewind_to(Reader *r, Checkpoint saved) {
  r->tok = saved.tok;
  r->at = saved.at;
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Takes the next token of *text from the reader and removes it from *text. False, without a report,
// if the reader has another token. True with nothing taken at the end of the text.
static bool take_token(Reader *r, Str *text, Str *out_token) {
  while (text->n && *text->s == ' ') text->s++, text->n--;
  *out_token = (Str){text->s, 0};
  if (!text->n) return true;
  size_t n = 1;
  if (is_letter(*text->s))
    while (n < text->n && is_letter(text->s[n])) n++;
  else if (text->n > 1 && text->s[0] == '-' && text->s[1] == '>')
    n = 2;
  *out_token = (Str){text->s, n};
  bool hit = is_letter(*text->s) ? r->tok.kind == TOK_WORD && str_equal(r->tok.text, *out_token)
             : n == 2            ? r->tok.kind == TOK_ARROW
                                 : r->tok.punct == *text->s;
  if (!hit) return false;
  text->s += n;
  text->n -= n;
  reader_next(r);
  return true;
}

// Reads the form's literal text token by token, so that blanks and line breaks do not matter.
static bool read_text(Reader *r, Str text) {
  Str token;
  do {
    if (!take_token(r, &text, &token)) {
      char what[64];
      size_t n = token.n < 48 ? token.n : 48;
      what[0] = '\'';
      memcpy(what + 1, token.s, n);
      what[n + 1] = '\'';
      what[n + 2] = '\0';
      return reader_expected(r, what);
    }
  } while (token.n);
  return true;
}

// Lookahead over a text of the form: rewinds in any case, except after a lexical error.
static bool text_follows(Reader *r, Str text) {
  Checkpoint saved = checkpoint(r);
  uint32_t errors = r->diag->errors;
  Str token;
  bool hit;
  do hit = take_token(r, &text, &token);
  while (hit && token.n);
  // A lexical error has been reported; it will be met again.
  if (r->diag->errors != errors) return true;
  rewind_to(r, saved);
  return hit;
}

bool form_read_operands(Reader *r, ReadOp *op) {
  if (r->tok.kind != TOK_VALUE) return true;
  for (;;) {
    if (!reader_operand(r, op)) return false;
    if (r->tok.kind == TOK_VALUE) return reader_expect(r, ',');
    if (!reader_at(r, ',')) return true;
    Checkpoint saved = checkpoint(r);
    reader_next(r);
    if (r->tok.kind == TOK_ERROR) return false;
    if (r->tok.kind != TOK_VALUE) {
      rewind_to(r, saved);
      return true;
    }
  }
}

// An i32 attribute spelled as a word: spec->cls lists the words in the order of their values.
static bool read_word_of(Reader *r, const AttrSpec *spec, Attr *out) {
  Pos pos = r->tok.pos;
  Str word;
  if (!reader_word(r, &word)) return false;
  int64_t value = 0;
  for (const char *at = spec->cls; *at; value++) {
    size_t n = strcspn(at, "|");
    if (n == word.n && memcmp(at, word.s, n) == 0) {
      *out = attr_int(r->context, DT_i32, value);
      return true;
    }
    at += n + (at[n] == '|');
  }
  return reader_fail(r, pos, "expected one of %s, found '%.*s'", spec->cls, (int)word.n, word.s);
}

static bool read_enum(Reader *r, const AttrSpec *spec, Attr *out) {
  if (r->tok.kind == TOK_HASH) return reader_attr(r, 0, out);
  Pos pos = r->tok.pos;
  Str word;
  if (!reader_word(r, &word)) return false;
  if (!dialect_enum_has(spec->cls, word))
    return reader_fail(r, pos, "'%.*s' is not a value of %s, expected one of: %s", (int)word.n,
                       word.s, spec->name, dialect_enum_values(spec->cls));
  *out = attr_intern(r->context, &(AttrInfo){.kind = ATTR_ENUM,
                                             .cls = name_of(r->context, spec->cls),
                                             .name = name_intern(r->context, word)});
  return true;
}

static bool read_unsigned(Reader *r, DType dtype, Attr *out) {
  Scalar value;
  if (r->tok.kind != TOK_INT || !dtype_parse_number(dtype, r->tok.text.s, r->tok.text.n, &value))
    return reader_expected(r, "an unsigned integer");
  reader_next(r);
  *out = attr_int(r->context, (Type)dtype, value.i);
  return true;
}

static bool read_integer_attr(Reader *r, Type type, Attr *out) {
  int64_t value;
  if (!reader_integer(r, &value)) return false;
  *out = attr_int(r->context, type, value);
  if (reader_accept(r, ':')) return reader_type(r, &type);  // hand-written text may have `3 : i64`
  return true;
}

// Reads an attribute of its declared shape without type or class, which the op's row implies.
static bool read_attr(Reader *r, const AttrSpec *spec, Attr *out) {
  int64_t integer;
  bool yes;
  Name name;
  IntVec list = {0};
  switch (spec->shape) {
  case AS_I32:
    if (spec->cls) return read_word_of(r, spec, out);
    if (!reader_integer(r, &integer)) return false;
    if (integer != (int32_t)integer)
      return reader_fail(r, r->tok.pos, "%s does not fit into i32", spec->name);
    *out = attr_int(r->context, DT_i32, integer);
    return true;
  case AS_I64:
    if (!reader_integer(r, &integer)) return false;
    *out = attr_i64(r->context, integer);
    return true;
  case AS_U32: return read_unsigned(r, DT_ui32, out);
  case AS_U64: return read_unsigned(r, DT_ui64, out);
  case AS_INT: return read_integer_attr(r, DT_i64, out);
  case AS_BOOL:
    if (!reader_bool(r, &yes)) return false;
    *out = attr_bool(r->context, yes);
    return true;
  case AS_STRING:
    if (!reader_string(r, &name)) return false;
    *out = attr_string(r->context, name);
    return true;
  case AS_I64S:
    if (r->tok.kind == TOK_WORD || r->tok.kind == TOK_HASH) return reader_attr(r, 0, out);
    if (!reader_integer_list(r, &list)) return false;
    *out = attr_i64s(r->context, list.count, list.items);
    return true;
  case AS_FLOAT: {
    double value;
    if (!reader_float(r, &value)) return false;
    *out = attr_float(r->context, DT_f64, value);
    return true;
  }
  case AS_ENUM: return read_enum(r, spec, out);
  case AS_STRUCT: return dialect_body_read(r, spec->cls, out);
  default: return reader_attr(r, 0, out);
  }
}

static bool read_step_attr(Reader *r, ReadOp *op, const Step *step) {
  Pos pos = r->tok.pos;
  Attr value = 0;
  if (step->kind == STEP_SYMBOL_ATTR) {
    Name name;
    if (!reader_symbol(r, &name)) return false;
    value = attr_string(r->context, name);
  } else if (!read_attr(r, step->spec, &value)) {
    return false;
  }
  return reader_add_attr(r, op, pos, step->spec->name, value);
}

// A group is present if its first literal text follows, or its first operand.
static bool group_follows(Reader *r, const Step *inside) {
  if (inside->kind == STEP_TEXT) {
    Str text = inside->text;
    while (text.n && *text.s == ' ') text.s++, text.n--;
    if (text.n) return text_follows(r, text);
    inside++;
  }
  return (inside->kind == STEP_OPERANDS || inside->kind == STEP_OPERAND) &&
         r->tok.kind == TOK_VALUE;
}

bool form_read(Reader *r, uint16_t code, ReadOp *op) {
  const Form *form = form_of(code);
  if (!form->n)
    return reader_fail(r, op->pos, "'%s' has no pretty form: write it as \"%s\"(…) : (…) -> …",
                       op_row(code)->name, op_row(code)->name);
  for (uint32_t i = 0; i < form->n; i++) {
    const Step *step = &form->steps[i];
    bool ok = true;
    switch (step->kind) {
    case STEP_TEXT: ok = read_text(r, step->text); break;
    case STEP_OPERAND: ok = reader_operand(r, op); break;
    case STEP_OPERANDS:
      // A missing first operand is reported here, not at the token after the list.
      ok = op_row(code)->operands > 0 && r->tok.kind != TOK_VALUE ? reader_operand(r, op)
                                                                  : form_read_operands(r, op);
      break;
    case STEP_ATTR:
    case STEP_SYMBOL_ATTR: ok = read_step_attr(r, op, step); break;
    case STEP_ATTRS: ok = reader_attr_dict(r, op); break;
    case STEP_GROUP:
      // Absent: continue after the group, or in its alternative.
      if (!group_follows(r, step + 1)) i = step->index;
      break;
    case STEP_ELSE: i = step->index; break;
    case STEP_END: break;
    case STEP_HOOK: ok = step->hook->read(r, op, step->index); break;
    }
    if (!ok) return false;
  }
  return true;
}

void form_drop_defaults(Reader *r, ReadOp *op) {
  if (!op_row(op->code)->form || !form_of(op->code)->n) return;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < op->attrs.count; i++) {
    NamedAttr one = op->attrs.items[i];
    const AttrSpec *spec = op_attr_spec(op->code, name_str(r->context, one.name));
    if (spec && spec->need == NEED_OPTIONAL && printer_is_default(r->context, spec, one.value))
      continue;
    op->attrs.items[kept++] = one;
  }
  op->attrs.count = kept;
}

// ---- printing ----

static Attr attr_of(const Program *p, OpId op, const AttrSpec *spec) {
  return op_attr(p, op, spec->name);
}

// Whether the form can print the attribute such that reading gives the same attribute.
static bool attr_fits(const Context *context, const AttrSpec *spec, Attr attr) {
  const AttrInfo *info = attr_info(context, attr);
  switch (spec->shape) {
  case AS_I32: {
    if (info->kind != ATTR_INT || info->type != DT_i32) return false;
    int64_t words = 1;
    for (const char *c = spec->cls; c && *c; c++) words += *c == '|';
    return !spec->cls || (info->i >= 0 && info->i < words);
  }
  case AS_I64: return info->kind == ATTR_INT && info->type == DT_i64;
  case AS_U32: return info->kind == ATTR_INT && info->type == DT_ui32;
  case AS_U64: return info->kind == ATTR_INT && info->type == DT_ui64;
  case AS_INT: return info->kind == ATTR_INT && info->type == DT_i64;
  case AS_BOOL: return info->kind == ATTR_BOOL;
  case AS_STRING: return info->kind == ATTR_STRING && !info->type;
  case AS_SYMBOL: return info->kind == ATTR_SYMBOL;
  case AS_I64S: return info->kind == ATTR_DENSE_ARRAY && info->type == DT_i64;
  case AS_FLOAT: return info->kind == ATTR_FLOAT && info->type == DT_f64;
  case AS_DENSE: return info->kind == ATTR_DENSE || info->kind == ATTR_RESOURCE;
  case AS_ENUM: return info->kind == ATTR_ENUM && str_is(name_str(context, info->cls), spec->cls);
  case AS_STRUCT:
    return info->kind == ATTR_STRUCT && str_is(name_str(context, info->cls), spec->cls) &&
           dialect_body_fits(context, attr);
  default: return info->kind != ATTR_NONE;
  }
}

static bool step_attr_fits(const Program *p, OpId op, const Step *step, bool optional) {
  Attr attr = attr_of(p, op, step->spec);
  if (!attr) return optional || step->spec->has_default;
  return attr_fits(p->context, step->spec, attr);
}

bool form_fits(const Program *p, OpId op) {
  const Op *o = op_at(p, op);
  const Form *form = form_of(o->code);
  if (!form->n) return false;
  const OpRow *row = op_row(o->code);
  if ((row->operands >= 0 && (uint32_t)row->operands != o->n_operands) ||
      (row->results >= 0 && (uint32_t)row->results != o->n_results) ||
      (row->regions >= 0 && (uint32_t)row->regions != o->n_regions))
    return false;
  if (row->regions < 0 && o->n_regions) return false;
  // Attributes inside a group may be missing.
  bool optional = false;
  for (uint32_t i = 0; i < form->n; i++) {
    const Step *step = &form->steps[i];
    switch (step->kind) {
    case STEP_GROUP: optional = true; break;
    case STEP_END: optional = false; break;
    case STEP_OPERAND:
      if (step->index >= o->n_operands) return false;
      break;
    case STEP_ATTR:
    case STEP_SYMBOL_ATTR:
      if (!step_attr_fits(p, op, step, optional)) return false;
      break;
    case STEP_HOOK:
      // A group with types belongs to ops with operands; without operands the hook does not run.
      if (step->hook->fits && !(optional && !o->n_operands) &&
          !step->hook->fits(p, op, step->index))
        return false;
      break;
    default: break;
    }
  }
  return true;
}

static void print_int_list(Printer *pr, const AttrInfo *ints) {
  strbuf_putc(pr->out, '[');
  for (uint32_t i = 0; i < ints->count; i++) {
    if (i) strbuf_puts(pr->out, ", ");
    strbuf_put_int(pr->out, ((const int64_t *)ints->data)[i]);
  }
  strbuf_putc(pr->out, ']');
}

static void print_default(Printer *pr, const AttrSpec *spec) {
  switch (spec->shape) {
  case AS_BOOL: printer_puts(pr, spec->value ? "true" : "false"); break;
  case AS_STRING: print_string(str_of(spec->text), pr->out); break;
  case AS_ENUM: printer_puts(pr, spec->text); break;
  default: strbuf_put_int(pr->out, spec->value); break;
  }
}

static void print_step_attr(Printer *pr, OpId op, const Step *step) {
  const AttrSpec *spec = step->spec;
  Attr attr = attr_of(pr->program, op, spec);
  const AttrInfo *info = attr_info(pr->context, attr);
  if (!attr) {
    print_default(pr, spec);
  } else if (step->kind == STEP_SYMBOL_ATTR) {
    print_symbol(name_str(pr->context, info->name), pr->out);
  } else if (spec->shape == AS_I64S) {
    print_int_list(pr, info);
  } else if (spec->shape == AS_I32 && spec->cls) {
    const char *at = spec->cls;
    for (int64_t k = 0; k < info->i; k++) at += strcspn(at, "|") + 1;
    strbuf_put(pr->out, at, strcspn(at, "|"));
  } else if (info->kind == ATTR_ENUM) {
    strbuf_put_str(pr->out, name_str(pr->context, info->name));
  } else if (info->kind == ATTR_STRUCT) {
    dialect_body_print(pr->context, attr, pr->out);
  } else {
    attr_print_bare(pr->context, attr, pr->out);
  }
}

// A group is printed if its first attribute or operand list is present.
static bool group_is_there(const Program *p, OpId op, const Form *form, uint32_t at) {
  for (; at < form->n && form->steps[at].kind != STEP_END; at++) {
    const Step *step = &form->steps[at];
    if (step->spec) {
      Attr attr = attr_of(p, op, step->spec);
      return attr && !printer_is_default(p->context, step->spec, attr);
    }
    if (step->kind == STEP_OPERANDS || step->kind == STEP_HOOK)
      return op_at(p, op)->n_operands != 0;
  }
  return false;
}

void form_print(Printer *pr, OpId op) {
  const Op *o = op_at(pr->program, op);
  const Form *form = form_of(o->code);
  for (uint32_t i = 0; i < form->n; i++) {
    const Step *step = &form->steps[i];
    switch (step->kind) {
    case STEP_TEXT: strbuf_put_str(pr->out, step->text); break;
    case STEP_OPERAND: printer_value(pr, op_operand(pr->program, op, step->index)); break;
    case STEP_OPERANDS: printer_values(pr, op, 0, o->n_operands); break;
    case STEP_ATTR:
    case STEP_SYMBOL_ATTR: print_step_attr(pr, op, step); break;
    case STEP_ATTRS:
      if (o->attrs) printer_attr_dict(pr, op, form_mentions, false);
      break;
    case STEP_GROUP:
      if (!group_is_there(pr->program, op, form, i + 1)) i = step->index;
      break;
    case STEP_ELSE: i = step->index; break;
    case STEP_END: break;
    case STEP_HOOK: step->hook->print(pr, op, step->index); break;
    }
  }
}

// ---- names ----

// Item k of a list with the separator; empty if there is none.
static Str item_of(Str list, char separator, uint32_t k) {
  const char *at = list.s, *end = list.s + list.n;
  for (;; at++) {
    const char *stop = memchr(at, separator, (size_t)(end - at));
    if (!k) return (Str){at, (size_t)((stop ? stop : end) - at)};
    if (!stop) return (Str){0};
    k--;
    at = stop;
  }
}

Str form_result_name(const Program *p, OpId op, uint32_t index) {
  const Op *o = op_at(p, op);
  const Form *form = form_of(o->code);
  if (!form->names.n) return (Str){0};
  if (!memchr(form->names.s, '|', form->names.n)) return item_of(form->names, ',', index);
  if (index || !o->n_results) return (Str){0};
  Type elem = type_elem(p->context, value_type(p, o->results));
  const TypeInfo *info = type_info(p->context, elem);
  bool integer =
      info->kind == TYPE_SCALAR && (dtype_is_integer(info->dtype) || info->dtype == DT_i1);
  return item_of(form->names, '|', integer ? 0 : 1);
}

Str form_arg_name(const Program *p, OpId op, uint32_t index) {
  Str names = form_of(op_at(p, op)->code)->arg_name;
  if (!names.n || !memchr(names.s, ',', names.n)) return names;
  const AttrInfo *sizes = attr_info(p->context, op_attr(p, op, "operandSegmentSizes"));
  if (sizes->kind != ATTR_DENSE_ARRAY || !sizes->count) return (Str){0};
  int64_t first = dtype_load(type_dtype(p->context, sizes->type), sizes->data, 0).i;
  return item_of(names, ',', index >= first);
}
