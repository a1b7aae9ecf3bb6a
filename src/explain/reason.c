// Problem: report each cause of communication once, with the bytes it costs, also for a program
// that was printed and read back.
// Idea: dictionaries are interned, so equal reasons are equal ids. Sorting collectives by (kind,
// dictionary id) makes equal ones adjacent; one scan merges them; a second sort ranks by bytes.
// Invariant: the sentence is a function of the dictionary alone. So a program that was read back
// gives the same text as the one that was just partitioned.
// Cost: O(n log n) for n collectives.
#include "explain/reason.h"

#include <stdlib.h>
#include <string.h>

#include "ops/op.h"
#include "cost/traffic.h"

static const char key[] = "tessera.why";

// ---- writing ----

enum { MOST_FIELDS = 12 };

typedef struct Fields {
  Context *context;
  NamedAttr v[MOST_FIELDS];
  uint32_t n;
} Fields;

// Absent fields (0) are left out of the dictionary.
static void put_attr(Fields *fields, const char *name, Attr value) {
  if (value) fields->v[fields->n++] = (NamedAttr){name_of(fields->context, name), value};
}

static void put_name(Fields *fields, const char *name, Name text) {
  if (text) put_attr(fields, name, attr_string(fields->context, text));
}

static void put_text(Fields *fields, const char *name, const char *text) {
  put_name(fields, name, name_of(fields->context, text));
}

static void put_number(Fields *fields, const char *name, int64_t value) {
  put_attr(fields, name, attr_i64(fields->context, value));
}

// Records an op by its words, not by its id: ids do not survive printing.
static void put_op(Fields *fields, const char *name, Words *words, OpId op) {
  OpWords w = words_op(words, op);
  Fields own = {.context = fields->context};
  put_name(&own, "name", w.name);
  put_name(&own, "value", w.value);
  put_name(&own, "path", w.path);
  put_name(&own, "file", w.file);
  if (w.file) put_number(&own, "line", w.line);
  put_attr(fields, name, attr_dict(own.context, own.n, own.v));
}

static Fields fields_of(Words *words, const char *cause, OpId op) {
  Fields fields = {.context = words->p->context};
  put_text(&fields, "cause", cause);
  put_op(&fields, "op", words, op);
  return fields;
}

// Wraps the location `inner` in a fused location with metadata {tessera.why = {fields}}.
static Attr located(const Fields *fields, Attr inner) {
  Context *context = fields->context;
  NamedAttr why = {name_of(context, key), attr_dict(context, fields->n, fields->v)};
  Attr items[2] = {inner, attr_dict(context, 1, &why)};
  if (!inner) items[0] = attr_intern(context, &(AttrInfo){.kind = ATTR_LOC_UNKNOWN});
  return attr_intern(context,
                     &(AttrInfo){.kind = ATTR_LOC_FUSED, .i = 1, .count = 2, .items = items});
}

// For a function's terminator: the result number and function name. For a region's terminator: the
// enclosing op.
static void put_end(Fields *fields, Words *words, OpId end, ValueId value) {
  const Program *p = words->p;
  OpId parent = op_parent(p, end);
  uint32_t i = 0;
  while (i < op_at(p, end)->n_operands && op_operand(p, end, i) != value) i++;
  if (i < op_at(p, end)->n_operands) put_number(fields, "result", i);
  if (!parent) return;
  if (op_row(op_at(p, parent)->code)->traits & TRAIT_FUNCTION)
    put_name(fields, "function", words_function(words, parent));
  else
    put_op(fields, "around", words, parent);
}

// Names the value, the argument it is made from, and the op that defines it.
static void put_value(Fields *fields, Words *words, ValueId value) {
  put_name(fields, "value", words_value(words, value));
  put_name(fields, "from_argument", words_origin(words, value));
  OpId def = value_def(words->p, value);
  if (def) put_op(fields, "defined_by", words, def);
}

Attr reason_reshard(Words *words, ValueId value, Sharding from, Sharding to, OpId user) {
  const Program *p = words->p;
  bool ends = op_row(op_at(p, user)->code)->traits & TRAIT_TERMINATOR;
  Fields fields = fields_of(words, ends ? "result" : "operand", user);
  if (ends) put_end(&fields, words, user, value);
  put_value(&fields, words, value);
  uint32_t rank = type_info(p->context, value_type(p, value))->rank;
  put_name(&fields, "source", words_sharding(words, from, rank));
  put_name(&fields, "target", words_sharding(words, to, rank));
  const ShardingInfo *info = sharding_info(words->table, from);
  if (info->unreduced.n) {
    put_text(&fields, "partial", combine_name(info->reducer));
    Attr *axes = ARENA_ARRAY(words->scratch, Attr, info->unreduced.n);
    for (uint32_t i = 0; i < info->unreduced.n; i++)
      axes[i] = attr_string(p->context, words_axis(words, info->mesh, info->unreduced.v[i]));
    put_attr(&fields, "partial_axes", attr_array(p->context, info->unreduced.n, axes));
  }
  return located(&fields, op_at(p, user)->loc);
}

static Attr reason_plain(Words *words, const char *cause, OpId op) {
  Fields fields = fields_of(words, cause, op);
  return located(&fields, op_at(words->p, op)->loc);
}

Attr reason_op(Words *words, OpId op) { return reason_plain(words, "op", op); }
Attr reason_program(Words *words, OpId op) { return reason_plain(words, "program", op); }
Attr reason_order(Words *words, OpId op) { return reason_plain(words, "order", op); }

Attr reason_device(Words *words, OpId op, uint32_t device) {
  Fields fields = fields_of(words, "device", op);
  put_number(&fields, "device", device);
  return located(&fields, op_at(words->p, op)->loc);
}

// ---- reading ----

static Name read_name(const Context *context, Attr data, const char *field) {
  return attr_as_name(context, attr_get(context, data, field));
}

static const char *read_text(const Context *context, Attr data, const char *field) {
  return name_text(context, read_name(context, data, field));
}

static OpWords read_op(const Context *context, Attr data, const char *field) {
  Attr op = attr_get(context, data, field);
  int64_t line = attr_as_int(context, attr_get(context, op, "line"), 0);
  return (OpWords){read_name(context, op, "name"), read_name(context, op, "value"),
                   read_name(context, op, "path"), read_name(context, op, "file"),
                   line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0};
}

// The reason's dictionary in a fused location; 0 if it has none.
static Attr data_of(const Context *context, Attr loc) {
  const AttrInfo *info = attr_info(context, loc);
  if (info->kind != ATTR_LOC_FUSED || info->i != 1 || !info->count) return 0;
  Attr why = attr_get(context, info->items[info->count - 1], key);
  return attr_info(context, why)->kind == ATTR_DICT ? why : 0;
}

// ---- sentences ----

// `[{}, {}]`: no axes anywhere.
static bool is_replicated(const char *sharding) {
  return strspn(sharding, "[]{}, ") == strlen(sharding);
}

static void put_sharding(StrBuf *out, const char *sharding) {
  strbuf_puts(out, is_replicated(sharding) ? "replicated" : sharding);
}

static void put_axis(StrBuf *out, const char *axis) {
  strbuf_printf(out, axis[0] == '"' ? "%s" : "\"%s\"", axis);
}

static void put_or(StrBuf *out, const char *text, const char *otherwise) {
  strbuf_puts(out, *text ? text : otherwise);
}

// "; %4 = stablehlo.dot_general (mlp.mlir:9) is a partial sum over "model""
static void say_source(StrBuf *out, const Context *context, Attr data) {
  OpWords def = read_op(context, data, "defined_by");
  strbuf_puts(out, "; ");
  if (def.name)
    words_put_op(context, &def, out);
  else
    put_or(out, read_text(context, data, "value"), "it");
  strbuf_puts(out, " is ");
  const char *partial = read_text(context, data, "partial");
  if (!*partial) {
    put_sharding(out, read_text(context, data, "source"));
    return;
  }
  strbuf_printf(out, "a partial %s", partial);
  const AttrInfo *axes = attr_info(context, attr_get(context, data, "partial_axes"));
  for (uint32_t i = 0; axes->kind == ATTR_ARRAY && i < axes->count; i++) {
    strbuf_puts(out, i ? ", " : " over ");
    put_axis(out, name_text(context, attr_as_name(context, axes->items[i])));
  }
}

// "%5 = stablehlo.reduce (mlp.mlir:11) needs %4 (from params.w) as [{}, {}]" and the present state.
static void say_reshard(StrBuf *out, const Context *context, Attr data, bool ends) {
  OpWords op = read_op(context, data, "op"), around = read_op(context, data, "around");
  const char *value = read_text(context, data, "value");
  const char *from = read_text(context, data, "from_argument");
  const char *function = read_text(context, data, "function");
  int64_t result = attr_as_int(context, attr_get(context, data, "result"), -1);
  if (ends && around.name) {
    strbuf_puts(out, "a region of ");
    words_put_op(context, &around, out);
    strbuf_puts(out, " returns ");
  } else if (ends) {
    if (result >= 0) strbuf_printf(out, "result %lld of ", (long long)result);
    strbuf_printf(out, "@%s needs ", function);
  } else {
    words_put_op(context, &op, out);
    strbuf_puts(out, " needs ");
  }
  put_or(out, value, "a value");
  if (*from && strcmp(from, value) != 0) strbuf_printf(out, " (from %s)", from);
  strbuf_puts(out, " as ");
  put_sharding(out, read_text(context, data, "target"));
  say_source(out, context, data);
}

// One sentence per cause. Causes are strings, so reasons of newer versions still print their op.
static void say(StrBuf *out, const Context *context, Attr data) {
  const char *cause = read_text(context, data, "cause");
  OpWords op = read_op(context, data, "op");
  if (!strcmp(cause, "operand") || !strcmp(cause, "result")) {
    say_reshard(out, context, data, cause[0] == 'r');
    return;
  }
  bool program = !strcmp(cause, "program");
  if (program) strbuf_puts(out, "the input has ");
  words_put_op(context, &op, out);
  if (!strcmp(cause, "op")) strbuf_puts(out, " needs elements of other devices' shards");
  if (!strcmp(cause, "order"))
    strbuf_puts(out, " has side effects and waits for the side effects before it on other devices");
  if (!strcmp(cause, "device"))
    strbuf_printf(out, " is computed on device %lld only; other devices use its result",
                  (long long)attr_as_int(context, attr_get(context, data, "device"), 0));
}

static const char *sentence(const Context *context, Attr data, StrBuf *scratch, Arena *arena) {
  if (!data) return "";
  scratch->used = 0;
  say(scratch, context, data);
  return arena_printf(arena, "%.*s", (int)scratch->used, scratch->data);
}

// ---- listing ----

typedef struct Row {
  Reason reason;
  uint64_t bits;   // mesh axes, one bit each
  uint32_t at;     // index into `uses`; after merge(), index of the row
  uint32_t order;  // program order
} Row;

typedef VEC(Row) RowVec;
typedef VEC(ReasonUse) UseVec;

static double bytes_of(const Program *p, ValueId v) {
  int64_t count = 0;
  Type type = value_type(p, v);
  if (!type_count(p->context, type, &count)) return 0;
  return (double)count * dtype_bytes(type_dtype(p->context, type));
}

// Equal (kind, dictionary) adjacent; `order` keeps the sort deterministic.
static int by_data(const void *x, const void *y) {
  const Row *a = x, *b = y;
  int kind = strcmp(a->reason.kind, b->reason.kind);
  if (kind) return kind;
  if (a->reason.data != b->reason.data) return a->reason.data < b->reason.data ? -1 : 1;
  return a->order < b->order ? -1 : a->order > b->order;
}

// Rank order. Ties are broken by kind, text and program order, so output is deterministic.
static int by_bytes(const void *x, const void *y) {
  const Row *a = x, *b = y;
  if (a->reason.bytes != b->reason.bytes) return a->reason.bytes > b->reason.bytes ? -1 : 1;
  int kind = strcmp(a->reason.kind, b->reason.kind);
  if (!kind) kind = strcmp(a->reason.why, b->reason.why);
  return kind ? kind : a->order < b->order ? -1 : a->order > b->order;
}

static void add_row(RowVec *rows, UseVec *uses, Arena *arena, OpId op, Row row) {
  row.at = uses->count;
  row.order = uses->count;
  VEC_PUSH(arena, uses, ((ReasonUse){op, 0}));
  VEC_PUSH(arena, rows, row);
}

// Adds a row per reason of one collective. A combined collective has a fused location with one
// location per operand; each reason gets bytes in proportion to its operand's size. If the number
// of locations differs from the number of operands (several collectives of one value became one),
// the bytes are divided equally.
static void add_rows(const Program *p, OpId op, Row row, RowVec *rows, UseVec *uses, Arena *arena) {
  const AttrInfo *loc = attr_info(p->context, op_at(p, op)->loc);
  uint32_t n = op_at(p, op)->n_operands;
  double bytes = row.reason.bytes, all = 0;
  bool several = false;
  if (loc->kind == ATTR_LOC_FUSED && !loc->i && loc->count > 1)
    for (uint32_t i = 0; i < loc->count; i++) several |= data_of(p->context, loc->items[i]) != 0;
  if (!several) {
    row.reason.data = data_of(p->context, op_at(p, op)->loc);
    add_row(rows, uses, arena, op, row);
    return;
  }
  // One location per operand: bytes in proportion to operand sizes.
  bool each = loc->count == n;
  for (uint32_t i = 0; i < loc->count; i++) all += each ? bytes_of(p, op_operand(p, op, i)) : 1;
  row.reason.others = loc->count - 1;
  for (uint32_t i = 0; i < loc->count; i++) {
    row.reason.data = data_of(p->context, loc->items[i]);
    double share = each ? bytes_of(p, op_operand(p, op, i)) : 1;
    row.reason.bytes = all > 0 ? bytes * share / all : 0;
    add_row(rows, uses, arena, op, row);
  }
}

// Merges adjacent rows with equal kind and dictionary and returns the number of rows left. Sets
// `at` of each row and `reason` of each use to the row's index.
static uint32_t merge(RowVec *rows, UseVec *uses) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < rows->count; i++) {
    Row *row = &rows->items[i], *last = n ? &rows->items[n - 1] : NULL;
    uint32_t use = row->at;
    if (last && last->reason.data == row->reason.data &&
        strcmp(last->reason.kind, row->reason.kind) == 0) {
      last->reason.count++;
      last->reason.bytes += row->reason.bytes;
      last->reason.unknown |= row->reason.unknown;
      last->bits |= row->bits;
    } else {
      rows->items[n++] = *row;
    }
    uses->items[use].reason = n - 1;
    rows->items[n - 1].at = n - 1;
  }
  return n;
}

// At most 64 axes are named, one bit each.
static void name_axes(const Program *p, const Mesh *mesh, uint64_t bits, Arena *arena,
                      Reason *reason) {
  uint32_t n = 0;
  const char **axes = ARENA_ARRAY(arena, const char *, mesh ? mesh->n_axes + 1 : 1);
  for (uint32_t i = 0; mesh && i < mesh->n_axes && i < 64; i++)
    if (bits >> i & 1) axes[n++] = name_text(p->context, mesh->axes[i].name);
  reason->axes = axes;
  reason->n_axes = n;
}

// Collect, sort by (kind, dictionary), merge, sort by bytes, renumber the uses.
void reasons_list(const Program *local, const Mesh *mesh, uint32_t n_devices, Guard *guard,
                  Arena *arena, Reasons *out) {
  RowVec rows = {0};
  UseVec uses = {0};
  Runs runs;
  runs_count(local, NULL, arena, &runs);
  for (OpId o = local->root; o; o = op_walk_next(local, o, local->root)) {
    if (!(op_row(op_at(local, o)->code)->traits & TRAIT_COLLECTIVE)) continue;
    const char *name = op_row(op_at(local, o)->code)->name, *dot = strchr(name, '.');
    Row row = {
        .reason = {.kind = dot ? dot + 1 : name, .count = 1, .unknown = runs_unknown(&runs, o)}};
    row.reason.bytes = traffic_of(local, o, mesh, n_devices, &runs, &row.bits);
    add_rows(local, o, row, &rows, &uses, arena);
  }
  if (rows.count) qsort(rows.items, rows.count, sizeof *rows.items, by_data);
  uint32_t n = merge(&rows, &uses);
  StrBuf text;
  strbuf_init(&text, guard);
  GuardCleanup cleanup = {strbuf_release, &text, NULL};
  guard_push(guard, &cleanup);
  for (uint32_t i = 0; i < n; i++) {
    Row *row = &rows.items[i];
    row->reason.why = sentence(local->context, row->reason.data, &text, arena);
    name_axes(local, mesh, row->bits, arena, &row->reason);
  }
  guard_pop(guard, &cleanup);
  strbuf_deinit(&text);
  if (n) qsort(rows.items, n, sizeof *rows.items, by_bytes);
  // The sort moved the rows; rank maps their indices before the sort to those after.
  uint32_t *rank = ARENA_ARRAY(arena, uint32_t, n + 1);
  Reason *reasons = ARENA_ARRAY(arena, Reason, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    rank[rows.items[i].at] = i;
    reasons[i] = rows.items[i].reason;
    reasons[i].id = arena_printf(arena, "r%u", i + 1);
  }
  for (uint32_t i = 0; i < uses.count; i++) uses.items[i].reason = rank[uses.items[i].reason];
  *out = (Reasons){reasons, n, uses.items, uses.count};
}

void reason_print(const Reason *r, bool guess, StrBuf *out) {
  strbuf_printf(out, "%-3s ", r->id);
  if (r->count > 1)
    strbuf_printf(out, "%u %ss", r->count, r->kind);
  else
    strbuf_puts(out, r->kind);
  for (uint32_t i = 0; i < r->n_axes; i++)
    strbuf_printf(out, "%s\"%s\"", i ? ", " : " over ", r->axes[i]);
  if (r->others)
    strbuf_printf(out, ", combined with %u other%s", r->others, r->others == 1 ? "" : "s");
  strbuf_printf(out, ", %.0f bytes sent per device%s: ", r->bytes, guess ? " (guess)" : "");
  strbuf_puts(out, *r->why ? r->why : "the program has no reason for it");
}

// Uses of one collective are adjacent. A combined collective may repeat an id; it is listed once.
void reasons_mark(Program *local, const Reasons *reasons, Arena *arena) {
  for (uint32_t i = 0, end; i < reasons->n_uses; i = end) {
    OpId op = reasons->uses[i].op;
    for (end = i; end < reasons->n_uses && reasons->uses[end].op == op;) end++;
    Attr *ids = ARENA_ARRAY(arena, Attr, end - i);
    uint32_t n = 0;
    for (uint32_t k = i; k < end; k++) {
      const char *id = reasons->rows[reasons->uses[k].reason].id;
      Attr attr = attr_string(local->context, name_of(local->context, id));
      bool there = false;
      for (uint32_t j = 0; j < n; j++) there |= ids[j] == attr;
      if (!there) ids[n++] = attr;
    }
    op_set_attr(local, op, key, n == 1 ? ids[0] : attr_array(local->context, n, ids));
  }
}

// ---- JSON ----

static void text_json(Json *json, const char *name, const char *text) {
  json_key(json, name);
  if (*text)
    json_string(json, text);
  else
    json_null(json);
}

static void value_json(const Context *context, Attr data, Json *json) {
  json_key(json, "value");
  const char *cause = read_text(context, data, "cause");
  if (strcmp(cause, "operand") != 0 && strcmp(cause, "result") != 0) {
    json_null(json);
    return;
  }
  json_open(json, '{');
  text_json(json, "name", read_text(context, data, "value"));
  text_json(json, "from_argument", read_text(context, data, "from_argument"));
  OpWords def = read_op(context, data, "defined_by");
  json_key(json, "defined_by"), op_words_json(context, &def, json);
  json_close(json, '}');
}

static void partial_json(const Context *context, Attr data, Json *json) {
  json_key(json, "partial");
  const char *partial = read_text(context, data, "partial");
  if (!*partial) {
    json_null(json);
    return;
  }
  json_open(json, '{');
  json_key(json, "reducer"), json_string(json, partial);
  json_key(json, "axes"), json_open(json, '[');
  const AttrInfo *axes = attr_info(context, attr_get(context, data, "partial_axes"));
  for (uint32_t i = 0; axes->kind == ATTR_ARRAY && i < axes->count; i++)
    json_string(json, name_text(context, attr_as_name(context, axes->items[i])));
  json_close(json, ']');
  json_close(json, '}');
}

static void number_json(Json *json, const char *name, Attr number, const Context *context) {
  json_key(json, name);
  if (attr_info(context, number)->kind == ATTR_INT)
    json_int(json, attr_as_int(context, number, 0));
  else
    json_null(json);
}

void reason_json(const Context *context, const Reason *reason, Json *json) {
  Attr data = reason->data;
  text_json(json, "cause", read_text(context, data, "cause"));
  OpWords op = read_op(context, data, "op");
  json_key(json, "op"), op_words_json(context, &op, json);
  value_json(context, data, json);
  text_json(json, "source_sharding", read_text(context, data, "source"));
  text_json(json, "target_sharding", read_text(context, data, "target"));
  partial_json(context, data, json);
  json_key(json, "axes"), json_open(json, '[');
  for (uint32_t i = 0; i < reason->n_axes; i++) json_string(json, reason->axes[i]);
  json_close(json, ']');
  number_json(json, "result", attr_get(context, data, "result"), context);
  number_json(json, "device", attr_get(context, data, "device"), context);
}
