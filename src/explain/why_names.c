// Names of places as in the user's program and their positions in files, and the reverse: places of
// a name (annotate/target.h) or of a line.
// Lines are found by binary search in a table of line offsets that the first query builds. A lookup
// by name is O(program); printing a name is O(1).
#include <stdlib.h>
#include <string.h>

#include "ir/location_line.h"
#include "ops/op.h"
#include "annotate/target.h"
#include "explain/why_private.h"

// ---- positions ----

// Offsets of line starts; lines[0] = 0.
static void make_lines(Why *why) {
  const Source *source = why->g->program->source;
  VEC(uint32_t) lines = {0};
  VEC_PUSH(&why->arena, &lines, 0);
  for (const char *at = source->text, *end = at + source->size;
       (at = memchr(at, '\n', (size_t)(end - at)));) {
    at++;
    VEC_PUSH(&why->arena, &lines, (uint32_t)(at - source->text));
  }
  why->lines = lines.items;
  why->n_lines = lines.count;
}

// Invariant: lines[low] <= pos, and pos < lines[high] if high is a line.
uint32_t why_line(Why *why, Pos pos, uint32_t *out_column) {
  if (!why->lines) make_lines(why);
  uint32_t low = 0, high = why->n_lines;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    *(why->lines[middle] <= pos ? &low : &high) = middle;
  }
  if (out_column) *out_column = pos - why->lines[low] + 1;
  return low + 1;
}

// The op that has a text position: passes record the original op as origin.
static OpId written_op(const Program *p, OpId op) {
  for (uint32_t i = 0; i < 64 && op_at(p, op)->pos == POS_NONE && op_at(p, op)->origin; i++)
    op = op_at(p, op)->origin;
  return op;
}

bool why_has_op_place(const Why *why, OpId op) {
  const Program *p = why->g->program;
  Str file;
  uint32_t line;
  return (p->source && op_at(p, written_op(p, op))->pos != POS_NONE) ||
         location_line(why->context, op_at(p, op)->loc, &file, &line);
}

void why_print_op_place(Why *why, OpId op, bool user_line, StrBuf *out) {
  const Program *p = why->g->program;
  Str file;
  uint32_t line;
  Pos pos = op_at(p, written_op(p, op))->pos;
  bool text = pos != POS_NONE && p->source;
  if (text) strbuf_printf(out, "%s:%u", p->source->path, why_line(why, pos, NULL));
  if (!user_line || !location_line(why->context, op_at(p, op)->loc, &file, &line)) return;
  strbuf_printf(out, text ? " (%.*s:%u)" : "%.*s:%u", (int)file.n, file.s, line);
}

const char *why_mnemonic(const Why *why, OpId op) {
  const char *name = op_name(why->g->program, op), *dot = strchr(name, '.');
  return dot ? dot + 1 : name;
}

// The position of `%name:` of a function's argument, searched from the function's name on.
static Pos argument_pos(const Why *why, PlaceId place, Pos function) {
  const Program *p = why->g->program;
  const Value *value = value_at(p, why->g->places[place].value);
  Str name = name_str(p->context, value->name);
  const char *at = p->source->text + function, *end = p->source->text + p->source->size;
  while (name.n && (at = memchr(at, '%', (size_t)(end - at)))) {
    at++;
    if ((size_t)(end - at) > name.n && !memcmp(at, name.s, name.n) && at[name.n] == ':')
      return (Pos)(at - 1 - p->source->text);
  }
  return function;
}

// Whether the text of an argument (up to the next %) or op (up to the line's end) mentions a
// sharding.
static bool is_written(const Why *why, Pos pos, bool argument) {
  enum { MOST = 4096 };
  static const char word[] = "sharding";
  const Source *source = why->g->program->source;
  const char *at = source->text + pos, *end = source->text + source->size;
  if (end - at > MOST) end = at + MOST;
  const char *stop =
      at < end ? memchr(at + 1, argument ? '%' : '\n', (size_t)(end - at - 1)) : NULL;
  if (stop) end = stop;
  for (; (size_t)(end - at) >= sizeof word - 1; at++)
    if (!memcmp(at, word, sizeof word - 1)) return true;
  return false;
}

// A sharding_constraint on the value with the same sharding. The annotate stage moves constraints
// to the values they constrain (constraints.h).
static OpId constraint_on(const Why *why, PlaceId place) {
  const Graph *g = why->g;
  const Program *p = g->program;
  const Given *given = propagation_given(why->p, place);
  ValueId v = g->places[place].value;
  for (OperandId use = v ? value_at(p, v)->first_use : 0; use; use = operand_at(p, use)->next_use) {
    OpId user = operand_at(p, use)->user;
    if (op_at(p, user)->code != OP_sdy_sharding_constraint) continue;
    PlaceId result = graph_place(g, g->places[place].instance, op_at(p, user)->results);
    const Given *same = result ? propagation_given(why->p, result) : NULL;
    if (same && same->sharding == given->sharding) return user;
  }
  return 0;
}

// Memoized per place: many chains begin at one annotation.
static WhyGiven *find_given(Why *why, PlaceId place) {
  const Program *p = why->g->program;
  if (!why->givens) why->givens = ARENA_ARRAY(&why->arena, WhyGiven, (size_t)why->g->n_places + 1);
  WhyGiven *found = &why->givens[place];
  if (found->known) return found;
  Pos pos = propagation_given(why->p, place)->pos;
  ValueId value = why->g->places[place].value;
  bool argument = value && value_at(p, value)->is_arg;
  if (argument) pos = argument_pos(why, place, pos);
  OpId constraint = value && !is_written(why, pos, argument) ? constraint_on(why, place) : 0;
  Pos other = constraint ? op_at(p, written_op(p, constraint))->pos : POS_NONE;
  *found = (WhyGiven){true, other == POS_NONE ? pos : other, constraint};
  return found;
}

bool why_given_pos(Why *why, PlaceId place, uint32_t *out_line, uint32_t *out_column,
                   OpId *out_constraint) {
  const Given *given = propagation_given(why->p, place);
  const Source *source = why->g->program->source;
  if (!given || given->pos == POS_NONE || !source || given->pos > source->size) return false;
  const WhyGiven *found = find_given(why, place);
  *out_line = why_line(why, found->pos, out_column);
  *out_constraint = found->constraint;
  return true;
}

// "by sharding_constraint at m.mlir:9:5", "by --shard 'w=…'", "in the program" or "from outside".
void why_print_given(Why *why, PlaceId place, StrBuf *out) {
  const Given *given = propagation_given(why->p, place);
  uint32_t line, column;
  OpId constraint;
  if (why_given_pos(why, place, &line, &column, &constraint)) {
    if (constraint) strbuf_printf(out, "by %s ", why_mnemonic(why, constraint));
    strbuf_printf(out, "at %s:%u:%u", why->g->program->source->path, line, column);
  } else if (given && given->from.n) {
    strbuf_puts(out, "by ");
    strbuf_put_str(out, given->from);
  } else {
    strbuf_puts(out, given ? "in the program" : "from outside");
  }
}

// ---- names ----

OpId why_node_op(const Why *why, NodeId node) {
  const Node *n = &why->g->nodes[node];
  const Program *p = why->g->program;
  if (n->kind != NODE_RETURN || !op_at(p, n->op)->n_regions) return n->op;
  BlockId block = region_block(p, op_region(p, n->op, 0));
  return block && block_at(p, block)->last ? block_at(p, block)->last : n->op;
}

Str why_function_name(const Why *why, OpId function) {
  return name_str(why->context,
                  attr_as_name(why->context, op_attr(why->g->program, function, "sym_name")));
}

// The SSA name of the op's first result names all of its results: `%0#1`.
void why_print_value(const Why *why, ValueId v, StrBuf *out) {
  const Program *p = why->g->program;
  const Value *value = value_at(p, v);
  Name name = value->name;
  if (value->is_arg) {
    if (name)
      strbuf_printf(out, "%%%s", name_text(why->context, name));
    else
      strbuf_printf(out, "argument %u", value->index);
    return;
  }
  const Op *op = op_at(p, value->def);
  if (!name) name = value_at(p, op->results)->name;
  if (name)
    strbuf_printf(out, "%%%s", name_text(why->context, name));
  else
    strbuf_puts(out, why_mnemonic(why, value->def));
  if (op->n_results > 1) strbuf_printf(out, "#%u", value->index);
}

// The value that names a place, and its instance. A callee's result is named by the call's result.
// Returns 0 for a result of a function without a caller.
static ValueId named_value(const Why *why, PlaceId place, InstanceId *out_instance) {
  const Graph *g = why->g;
  const Place *at = &g->places[place];
  const Instance *instance = &g->instances[at->instance];
  *out_instance = at->instance;
  if (at->value || !instance->caller) return at->value;
  if (at->index >= op_at(g->program, instance->call)->n_results) return 0;
  *out_instance = instance->caller;
  return op_result(g->program, instance->call, at->index);
}

InstanceId why_instance(const Why *why, PlaceId place) {
  InstanceId instance;
  named_value(why, place, &instance);
  return instance;
}

void why_print_name(Why *why, PlaceId place, StrBuf *out) {
  const Graph *g = why->g;
  InstanceId instance;
  ValueId value = named_value(why, place, &instance);
  OpId function = g->instances[instance].function;
  if (function != why->entry) {
    Str name = why_function_name(why, function);
    strbuf_printf(out, "@%.*s:", (int)name.n, name.s);
  }
  if (!value) {
    strbuf_printf(out, "result%u", g->places[place].index);
    return;
  }
  why_print_value(why, value, out);
  OperandId use = why->use_of[place];
  if (!use) return;
  OpId user = operand_at(g->program, use)->user;
  strbuf_printf(out, " (for %s", why_mnemonic(why, user));
  if (why_has_op_place(why, user)) strbuf_puts(out, " at ");
  why_print_op_place(why, user, false, out);
  strbuf_putc(out, ')');
}

Str why_path(Why *why, PlaceId place, Arena *arena) {
  const Graph *g = why->g;
  const Program *p = g->program;
  const Place *at = &g->places[place];
  OpId function = g->instances[at->instance].function;
  const Value *value = at->value ? value_at(p, at->value) : NULL;
  if (!value || !value->is_arg) return (Str){"", 0};
  if (region_at(p, block_at(p, value->def)->region)->op != function) return (Str){"", 0};
  Str path = argument_path(p, function, value->index, arena);
  return str_equal(path, name_str(p->context, value->name)) ? (Str){"", 0} : path;
}

static OpId function_of(const Program *p, ValueId v) {
  const Value *value = value_at(p, v);
  OpId op = value->is_arg ? region_at(p, block_at(p, value->def)->region)->op : value->def;
  while (op && !(op_row(op_at(p, op)->code)->traits & TRAIT_FUNCTION)) op = op_parent(p, op);
  return op;
}

// Whether the value belongs to an op or block that is still in the program.
static bool is_live(const Program *p, ValueId v) {
  const Value *value = value_at(p, v);
  if (!value->type || !value->def) return false;
  if (!value->is_arg) return op_at(p, value->def)->code != 0;
  RegionId region = block_at(p, value->def)->region;
  return region && op_at(p, region_at(p, region)->op)->code != 0;
}

// Lists all values of all instances by place (counting sort), except those that name the place.
static void index_also(Why *why) {
  const Graph *g = why->g;
  const Program *p = g->program;
  OpId *function = ARENA_ARRAY(&why->arena, OpId, (size_t)p->values.count + 1);
  uint32_t *next = ARENA_ARRAY(&why->arena, uint32_t, (size_t)p->values.count + 1);
  uint32_t *head = ARENA_ARRAY(&why->arena, uint32_t, (size_t)p->ops.count + 1);
  for (ValueId v = p->values.count; v-- > 1;) {  // lists per function, ascending
    if (!is_live(p, v) || !(function[v] = function_of(p, v))) continue;
    next[v] = head[function[v]];
    head[function[v]] = v;
  }
  why->also_first = ARENA_ARRAY(&why->arena, uint32_t, (size_t)g->n_places + 2);
  uint32_t *at = NULL;
  for (uint32_t fill = 0; fill < 2; fill++) {
    for (InstanceId i = 1; i < g->n_instances; i++)
      for (ValueId v = head[g->instances[i].function]; v; v = next[v]) {
        PlaceId place = graph_place(g, i, v);
        InstanceId instance;
        if (!place || why->use_of[place] || named_value(why, place, &instance) == v) continue;
        if (fill)
          why->also[at[place]++] = v;
        else
          why->also_first[place + 1]++;
      }
    if (fill) break;
    for (PlaceId i = 0; i <= g->n_places; i++) why->also_first[i + 1] += why->also_first[i];
    why->also = ARENA_ARRAY(&why->arena, ValueId, (size_t)why->also_first[g->n_places + 1] + 1);
    at = arena_copy(&why->arena, why->also_first, ((size_t)g->n_places + 2) * sizeof *at);
  }
}

uint32_t why_also(Why *why, PlaceId place, const ValueId **out) {
  if (!why->also_first) index_also(why);
  *out = why->also + why->also_first[place];
  return why->also_first[place + 1] - why->also_first[place];
}

// ---- looking up ----

typedef VEC(PlaceId) PlaceList;

typedef struct Find {
  Why *why;
  Arena *arena;
  Str name;
  bool scalar;  // a named value has no place, since it has rank 0
  PlaceList found;
} Find;

static void add_place(Find *find, PlaceId place) {
  for (uint32_t i = 0; i < find->found.count; i++)
    if (find->found.items[i] == place) return;
  VEC_PUSH(find->arena, &find->found, place);
}

// Adds the value's place in each instance of its function, and its copies per use of a constant.
static void add_value(Find *find, ValueId v) {
  const Graph *g = find->why->g;
  OpId function = function_of(g->program, v);
  if (!function) return;
  bool any = false;
  for (uint32_t i = 1; i < g->n_instances; i++) {
    if (g->instances[i].function != function) continue;
    PlaceId place = graph_place(g, i, v);
    if (place) add_place(find, place);
    any |= place != 0;
    const Instance *instance = &g->instances[i];
    for (uint32_t k = 0; k < instance->n_constants; k++) {
      const ConstantUse *use = &g->splits[instance->constants + k];
      for (uint32_t j = 0; j < use->n_values; j++) {
        const SplitValue *split = &g->split_values[use->values + j];
        if (split->value != v || !split->place) continue;
        add_place(find, split->place);
        any = true;
      }
    }
  }
  if (!any) find->scalar = true;
}

static bool read_number(Str text, uint32_t *out) {
  uint64_t n = 0;
  if (!text.n || text.n > 9) return false;
  for (size_t i = 0; i < text.n; i++) {
    if (text.s[i] < '0' || text.s[i] > '9') return false;
    n = n * 10 + (uint64_t)(text.s[i] - '0');
  }
  *out = (uint32_t)n;
  return true;
}

static Str str_from(Str text, size_t begin) { return (Str){text.s + begin, text.n - begin}; }

static bool str_split(Str text, char at, bool last, Str *out_head, Str *out_tail) {
  for (size_t i = 0; i < text.n; i++) {
    size_t k = last ? text.n - 1 - i : i;
    if (text.s[k] != at) continue;
    *out_head = (Str){text.s, k};
    *out_tail = str_from(text, k + 1);
    return true;
  }
  return false;
}

// `%12`, `%0#1`; `%0` of an op with several results means all of them. In any function.
static void find_ssa(Find *find) {
  const Program *p = find->why->g->program;
  Str name = str_from(find->name, 1), head = name, tail;
  uint32_t index = WHY_NONE;
  if (str_split(name, '#', true, &head, &tail) && !read_number(tail, &index)) return;
  for (ValueId v = 1; v < p->values.count; v++) {
    if (!is_live(p, v) || !str_equal(name_str(p->context, value_at(p, v)->name), head)) continue;
    const Value *value = value_at(p, v);
    uint32_t n = value->is_arg ? 1 : op_at(p, value->def)->n_results;
    if (value->is_arg && index != WHY_NONE) continue;
    for (uint32_t i = 0; i < n; i++)
      if (index == WHY_NONE || index == i) add_value(find, v + i);
  }
}

// Whether `suffix` is the path or its last components: `train.py` matches `/home/u/train.py`.
static bool file_matches(Str path, Str suffix) {
  if (suffix.n > path.n) return false;
  Str tail = str_from(path, path.n - suffix.n);
  return str_equal(tail, suffix) && (tail.s == path.s || tail.s[-1] == '/');
}

// Whether the location's user line (not the program's own text) is file:line.
static bool loc_on_line(const Program *p, Attr loc, Str file, uint32_t line) {
  Str at;
  uint32_t number;
  return location_line(p->context, loc, &at, &number) && number == line && file_matches(at, file);
}

// `file:line` or `file:line:column`, in the program's text or in locations.
static void find_line(Find *find) {
  Why *why = find->why;
  const Program *p = why->g->program;
  Str file, tail, inner, number;
  uint32_t line, column = 0;
  if (!str_split(find->name, ':', true, &file, &tail) || !read_number(tail, &line)) return;
  if (str_split(file, ':', true, &inner, &number)) {
    uint32_t first;
    if (read_number(number, &first)) column = line, line = first, file = inner;
  }
  // The line may be in the program's own text or in its ops' locations.
  bool ours = p->source && file_matches(str_of(p->source->path), file);
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root)) {
    const Op *at = op_at(p, op);
    uint32_t c = 0;
    bool here = ours && at->pos != POS_NONE && why_line(why, at->pos, &c) == line &&
                (!column || column == c);
    if (!here && !(at->loc && loc_on_line(p, at->loc, file, line))) continue;
    for (uint32_t i = 0; i < at->n_results; i++) add_value(find, at->results + i);
    // A function's line defines its arguments.
    for (uint32_t i = 0; here && i < at->n_regions; i++) {
      BlockId block = region_block(p, at->regions + i);
      for (uint32_t k = 0; block && k < block_at(p, block)->n_args; k++)
        add_value(find, block_arg(p, block, k));
    }
  }
}

// Adds the places of a target: a value, or result i of a function in each of its instances.
static void add_target(Find *find, const Target *target) {
  const Graph *g = find->why->g;
  if (target->value) {
    OpId def = value_def(g->program, target->value);
    bool pack = def && !memchr(find->name.s, '#', find->name.n);  // `%1` of `%1:2` names both
    uint32_t n = pack ? op_at(g->program, def)->n_results : 1;
    ValueId first = pack ? op_at(g->program, def)->results : target->value;
    for (uint32_t i = 0; i < n; i++) add_value(find, first + i);
    return;
  }
  for (uint32_t i = 1; i < g->n_instances; i++) {
    if (g->instances[i].function != target->function || target->kind != TARGET_RESULT) continue;
    if (target->index >= g->instances[i].n_results) continue;
    PlaceId place = graph_result_place(g, i, target->index);
    if (place) add_place(find, place);
    find->scalar |= !place;
  }
}

// Says why nothing was found: the value has rank 0, or a hint, or the nearest names.
static Status *not_found(Find *find) {
  enum { MOST_NEAR = 3 };
  Str near[MOST_NEAR];
  const Program *p = find->why->g->program;
  if (find->scalar)
    FAIL(NOT_FOUND, "'%.*s' has no dimensions, so it has no sharding to explain", (int)find->name.n,
         find->name.s);
  const char *hint = targets_hint(p, find->name, find->arena);
  if (hint[0])
    FAIL(NOT_FOUND, "no value is called '%.*s'%s", (int)find->name.n, find->name.s, hint);
  uint32_t n = targets_near(p, find->name, find->arena, MOST_NEAR, near);
  StrBuf list;
  strbuf_init(&list, find->why->guard);
  GuardCleanup cleanup = {strbuf_release, &list, NULL};
  guard_push(find->why->guard, &cleanup);
  for (uint32_t i = 0; i < n; i++)
    strbuf_printf(&list, "%s'%.*s'", i ? ", " : "", (int)near[i].n, near[i].s);
  guard_pop(find->why->guard, &cleanup);
  Status *status =
      n ? status_new(NOT_FOUND, __FILE__, __LINE__, "no value is called '%.*s'; near it: %s",
                     (int)find->name.n, find->name.s, list.data)
        : status_new(NOT_FOUND, __FILE__, __LINE__,
                     "no value is called '%.*s': name it as in the text ('%%12', '@f:%%3'), by "
                     "'file:line', by an argument's path or as 'result0'",
                     (int)find->name.n, find->name.s);
  strbuf_deinit(&list);
  return status;
}

// Tries lines, then targets (annotate/target.h), then SSA names in any function.
Status *why_find(Why *why, Str name, Arena *arena, const PlaceId **out, uint32_t *out_n) {
  Find find = {.why = why, .arena = arena, .name = name};
  find_line(&find);
  if (!find.found.count) {
    TargetList targets = targets_find(why->g->program, name, arena);
    for (uint32_t i = 0; i < targets.n; i++) add_target(&find, &targets.v[i]);
  }
  if (!find.found.count && !find.scalar && name.n && name.s[0] == '%') find_ssa(&find);
  if (!find.found.count) return not_found(&find);
  *out = find.found.items;
  *out_n = find.found.count;
  return NULL;
}
