// Every text is built in one buffer and interned, so equal names are equal ids and a reason's
// dictionary is compared in O(1). Lines are found by binary search over newline offsets: a program
// with a million ops asks for as many lines.
#include "explain/words.h"

#include <string.h>

#include "ir/location_line.h"
#include "ops/op.h"
#include "annotate/target.h"

void words_init(Words *words, const Program *p, const ShardingTable *table,
                const SymbolTable *functions, Arena *arena, Arena *scratch, Guard *guard) {
  *words = (Words){.p = p, .table = table, .scratch = scratch};
  strbuf_init(&words->text, guard);
  origins_init(&words->origins, p, functions, arena);
  if (!p->source) return;
  uint32_t n = 0;
  for (size_t i = 0; i < p->source->size; i++) n += p->source->text[i] == '\n';
  Pos *ends = ARENA_ARRAY(arena, Pos, n + 1);
  for (size_t i = 0; i < p->source->size; i++)
    if (p->source->text[i] == '\n') ends[words->n_ends++] = (Pos)i;
  words->ends = ends;
}

void words_deinit(Words *words) { strbuf_deinit(&words->text); }

// Interns the buffer's text and empties the buffer.
static Name taken(Words *words) {
  Name name = name_intern(words->p->context, (Str){words->text.data, words->text.used});
  words->text.used = 0;
  return name;
}

// ---- values ----

static bool is_function(const Program *p, OpId op) {
  return op_row(op_at(p, op)->code)->traits & TRAIT_FUNCTION;
}

// Propagation copies a function that is called with different shardings. The user knows only the
// function that was copied.
Name words_function(const Words *words, OpId function) {
  const Program *p = words->p;
  OpId origin = op_at(p, function)->origin;
  if (origin && is_function(p, origin)) function = origin;
  return attr_as_name(p->context, op_attr(p, function, "sym_name"));
}

// Prints "@f:" for functions other than @main, since SSA names are unique per function only.
static void put_function(Words *words, ValueId v) {
  const Program *p = words->p;
  const Value *value = value_at(p, v);
  OpId op = value->is_arg ? region_at(p, block_at(p, value->def)->region)->op : value->def;
  while (op && !is_function(p, op)) op = op_parent(p, op);
  if (!op) return;
  const char *name = name_text(p->context, words_function(words, op));
  if (strcmp(name, "main") != 0) strbuf_printf(&words->text, "@%s:", name);
}

// An argument's path; none if it is just the argument's SSA name.
static Str path_of(Words *words, ValueId v) {
  const Program *p = words->p;
  OpId owner = region_at(p, block_at(p, value_at(p, v)->def)->region)->op;
  if (!is_function(p, owner)) return (Str){NULL, 0};
  uint32_t index = v - block_at(p, value_at(p, v)->def)->args;
  Str path = argument_path(p, owner, index, words->scratch);
  bool is_name = str_equal(path, name_str(p->context, value_at(p, v)->name));
  return is_name ? (Str){NULL, 0} : path;
}

// An argument's path (`params.w`) is preferred to its SSA name (`%arg3`).
Name words_value(Words *words, ValueId v) {
  const Program *p = words->p;
  const Value *value = value_at(p, v);
  Str path = value->is_arg ? path_of(words, v) : (Str){NULL, 0};
  if (path.n) {
    put_function(words, v);
    strbuf_put_str(&words->text, path);
    return taken(words);
  }
  uint32_t n = value->is_arg ? 1 : op_at(p, value->def)->n_results;
  Name name = value->name ? value->name : value_at(p, v - (n > 1 ? value->index : 0))->name;
  if (!name) return 0;
  put_function(words, v);
  strbuf_printf(&words->text, "%%%s", name_text(p->context, name));
  if (n > 1) strbuf_printf(&words->text, "#%u", (unsigned)value->index);
  return taken(words);
}

Name words_origin(Words *words, ValueId v) {
  ValueId origin = origin_of(&words->origins, v);
  return origin ? words_value(words, origin) : 0;
}

// ---- ops ----

// Number of newlines before pos, + 1, by binary search.
static uint32_t line_of(const Words *words, Pos pos) {
  uint32_t low = 0, high = words->n_ends;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (words->ends[middle] < pos)
      low = middle + 1;
    else
      high = middle;
  }
  return low + 1;
}

static Name results_name(Words *words, OpId op) {
  const Program *p = words->p;
  uint32_t n = op_at(p, op)->n_results;
  if (!n || !value_at(p, op_result(p, op, 0))->name) return 0;
  if (n == 1) return words_value(words, op_result(p, op, 0));
  put_function(words, op_result(p, op, 0));
  strbuf_printf(&words->text, "%%%s:%u",
                name_text(p->context, value_at(p, op_result(p, op, 0))->name), n);
  return taken(words);
}

OpWords words_op(Words *words, OpId op) {
  const Program *p = words->p;
  const Op *o = op_at(p, op);
  OpWords out = {.name = name_of(p->context, op_name(p, op)), .value = results_name(words, op)};
  const AttrInfo *loc = attr_info(p->context, o->loc);
  if (loc->kind == ATTR_LOC_NAME) out.path = loc->name;
  Str file;
  if (location_line(p->context, o->loc, &file, &out.line)) {
    out.file = name_intern(p->context, file);
  } else if (p->source && o->pos != POS_NONE) {
    out.file = name_of(p->context, p->source->path);
    out.line = line_of(words, o->pos);
  }
  return out;
}

void words_put_op(const Context *context, const OpWords *op, StrBuf *out) {
  if (op->value) strbuf_printf(out, "%s = ", name_text(context, op->value));
  strbuf_puts(out, op->name ? name_text(context, op->name) : "an op");
  if (!op->path && !op->file) return;
  const char *file = name_text(context, op->file), *slash = strrchr(file, '/');
  strbuf_printf(out, " (%s%s", name_text(context, op->path), op->path && op->file ? ", " : "");
  if (op->file) strbuf_printf(out, "%s:%u", slash ? slash + 1 : file, op->line);
  strbuf_puts(out, ")");
}

static void name_json(const Context *context, const char *key, Name name, Json *json) {
  json_key(json, key);
  if (name)
    json_str(json, name_str(context, name));
  else
    json_null(json);
}

void op_words_json(const Context *context, const OpWords *op, Json *json) {
  if (!op->name) {
    json_null(json);
    return;
  }
  json_open(json, '{');
  name_json(context, "name", op->name, json);
  name_json(context, "value", op->value, json);
  name_json(context, "path", op->path, json);
  name_json(context, "file", op->file, json);
  json_key(json, "line");
  if (op->line)
    json_uint(json, op->line);
  else
    json_null(json);
  json_close(json, '}');
}

// ---- shardings ----

Name words_sharding(Words *words, Sharding sharding, uint32_t rank) {
  StrBuf *out = &words->text;
  if (!sharding) {
    strbuf_puts(out, "[");
    for (uint32_t d = 0; d < rank; d++) strbuf_puts(out, d ? ", {}" : "{}");
    strbuf_puts(out, "]");
    return taken(words);
  }
  // <@mesh, [{"data"}, {}]>; a mesh without a name is spelled out: <mesh<["data"=2]>, [{"data"}]>
  sharding_print(words->table, sharding, out);
  size_t from = 0;
  while (from + 3 < out->used && memcmp(out->data + from, ", [", 3)) from++;
  from += 2;
  memmove(out->data, out->data + from, out->used - from);
  out->used -= from;
  if (out->used && out->data[out->used - 1] == '>') out->used--;
  return taken(words);
}

Name words_axis(Words *words, MeshId mesh, AxisRef axis) {
  axis_print(words->p->context, sharding_mesh(words->table, mesh), axis, &words->text);
  Str text = {words->text.data, words->text.used};
  if (text.n > 2 && text.s[text.n - 1] == '"') text = (Str){text.s + 1, text.n - 2};
  Name name = name_intern(words->p->context, text);
  words->text.used = 0;
  return name;
}
