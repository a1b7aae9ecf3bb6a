// Problem: apply `PATTERN=SHARDING` rules to a program, with errors under the exact column.
// Idea: three phases. Read: a cursor per line; every word keeps its position. Resolve: each spec
// against its mesh once, then fitted to the rank of every value it matches. Give: annotations to
// places.
// Invariant: the first rule that matches a value wins; a rule that matches nothing is an error.
// Cost: O(program + rules) with the target index; O(program) per glob.
#include "annotate/shard_rules.h"

#include <inttypes.h>
#include <stdarg.h>

#include "base/cursor.h"
#include "base/vec.h"
#include "annotate/program_mesh.h"
#include "annotate/target_index.h"

typedef struct SpecAxis {
  Str name;
  Pos pos;
  int64_t pre_size, size;  // size 0: the full axis
} SpecAxis;

typedef VEC(SpecAxis) SpecAxes;

typedef struct SpecDim {
  SpecAxes axes;
  bool open;
  bool rest;  // `...`: any number of dimensions
  int32_t priority;
  Pos pos;
} SpecDim;

typedef struct Spec {
  bool jax;  // PartitionSpec: trailing dimensions may be missing
  Str mesh;  // empty: the default mesh
  Pos mesh_pos;
  VEC(SpecDim) dims;
  SpecAxes replicated, unreduced;
  Combine reducer;
} Spec;

struct ShardRule {
  ShardRule *next;
  Diag *diag;
  Str pattern, text;
  Pos pos, spec_pos;
  uint32_t line, group;
  Spec spec;
};

// ---- reading ----

typedef struct Reader {
  Cursor c;  // over one line
  Arena *arena;
  Diag *diag;
} Reader;

static Reader reader_of(const char *text, size_t at, size_t end, Arena *arena, Diag *diag) {
  return (Reader){{text, at, end, " \t", false}, arena, diag};
}

// Position of the next word.
static Pos next_pos(Reader *r) {
  cursor_skip(&r->c);
  return (Pos)r->c.at;
}

// Reports what was expected and found at the cursor; returns false.
static bool wrong(Reader *r, const char *expected) {
  if (cursor_peek(&r->c) == '\0')
    return diag_error(r->diag, (Pos)r->c.at, "the sharding ends here; expected %s", expected);
  return diag_error(r->diag, (Pos)r->c.at, "expected %s, not '%c'", expected, r->c.text[r->c.at]);
}

static bool expect(Reader *r, char expected, const char *what) {
  return cursor_take(&r->c, expected) || wrong(r, what);
}

static bool is_word(char ch) {
  return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') ||
         ch == '_' || ch == '-' || (unsigned char)ch >= 0x80;
}

// Reads a decimal number below 2^31; sub-axis sizes and priorities.
static bool take_number(Reader *r, int64_t *out) {
  Pos pos = next_pos(r);
  Str word = cursor_take_while(&r->c, is_word);
  int64_t value = 0;
  for (size_t i = 0; i < word.n; i++) {
    if (word.s[i] >= '0' && word.s[i] <= '9') value = value * 10 + (word.s[i] - '0');
    if (word.s[i] < '0' || word.s[i] > '9' || value > INT32_MAX)
      return diag_error(r->diag, pos, "expected a number below 2^31, not '%.*s'", (int)word.n,
                        word.s);
  }
  *out = value;
  return word.n || wrong(r, "a number");
}

// Reads a name, optionally in either kind of quotes.
static bool take_name(Reader *r, const char *what, Str *out) {
  char quote = cursor_peek(&r->c);
  if (quote != '"' && quote != '\'') {
    *out = cursor_take_while(&r->c, is_word);
    return out->n || wrong(r, what);
  }
  size_t start = ++r->c.at;
  while (r->c.at < r->c.end && r->c.text[r->c.at] != quote) r->c.at++;
  if (r->c.at == r->c.end) return diag_error(r->diag, (Pos)start - 1, "this quote is not closed");
  *out = (Str){r->c.text + start, r->c.at - start};
  r->c.at++;
  return true;
}

// Reads `"x"`, `x` or the sub-axis `"x":(1)2`.
static bool read_axis(Reader *r, SpecAxes *out) {
  SpecAxis axis = {.pos = next_pos(r)};
  if (!take_name(r, "an axis", &axis.name)) return false;
  if (cursor_take(&r->c, ':') &&
      !(expect(r, '(', "'(' of a sub-axis \"x\":(1)2") && take_number(r, &axis.pre_size) &&
        expect(r, ')', "')'") && take_number(r, &axis.size)))
    return false;
  VEC_PUSH(r->arena, out, axis);
  return true;
}

// Reads axes up to and including the closing bracket. `?` is allowed if out_open is given.
static bool read_axes(Reader *r, char close, SpecAxes *out, bool *out_open) {
  const char *expected = close == '}' ? "',' or '}'" : close == ')' ? "',' or ')'" : "',' or ']'";
  while (!cursor_take(&r->c, close)) {
    if (out_open && cursor_take(&r->c, '?'))
      *out_open = true;
    else if (!read_axis(r, out))
      return false;
    if (cursor_peek(&r->c) != close && !expect(r, ',', expected)) return false;
  }
  return true;
}

// Reads `replicated={…}`, `unreduced={…}` or `unreduced=max{…}`; *out_is: it was one of these.
static bool read_set(Reader *r, Spec *spec, bool *out_is) {
  bool replicated = cursor_take_text(&r->c, "replicated");
  *out_is = replicated || cursor_take_text(&r->c, "unreduced");
  if (!*out_is) return true;
  if (!expect(r, '=', "'='")) return false;
  Pos pos = next_pos(r);
  Str reducer = cursor_take_while(&r->c, is_word);
  if (reducer.n && (replicated || !combine_of(reducer, &spec->reducer)))
    return diag_error(r->diag, pos, "there is no reducer '%.*s'", (int)reducer.n, reducer.s);
  return expect(r, '{', "'{'") &&
         read_axes(r, '}', replicated ? &spec->replicated : &spec->unreduced, NULL);
}

// Reads an item of P(…): None, UNCONSTRAINED, ..., an axis, or several axes in brackets.
static bool read_jax_dim(Reader *r, Spec *spec) {
  SpecDim dim = {.priority = PRIORITY_NONE, .pos = next_pos(r)};
  char first = cursor_peek(&r->c);
  if (cursor_take_text(&r->c, "...")) {
    dim.open = dim.rest = true;
  } else if (cursor_take_text(&r->c, "P.UNCONSTRAINED") ||
             cursor_take_text(&r->c, "PartitionSpec.UNCONSTRAINED") ||
             cursor_take_text(&r->c, "UNCONSTRAINED") || cursor_take(&r->c, '?')) {
    dim.open = true;
  } else if (first == '(' || first == '[') {
    r->c.at++;
    if (!read_axes(r, first == '(' ? ')' : ']', &dim.axes, NULL)) return false;
  } else {
    if (!read_axis(r, &dim.axes)) return false;
    if (first != '"' && first != '\'' && str_is(dim.axes.items[0].name, "None")) dim.axes.count = 0;
  }
  for (uint32_t i = 0; dim.rest && i < spec->dims.count; i++)
    if (spec->dims.items[i].rest)
      return diag_error(r->diag, dim.pos, "'...' stands twice in one sharding");
  VEC_PUSH(r->arena, &spec->dims, dim);
  return true;
}

// Reads `P("x", None)`, optionally with a priority for all its dimensions: `P("x", None)p1`.
static bool read_jax(Reader *r, Spec *spec) {
  spec->jax = true;
  if (!expect(r, '(', "'(' of P(…)")) return false;
  while (!cursor_take(&r->c, ')')) {
    bool is_set;
    if (!read_set(r, spec, &is_set) || (!is_set && !read_jax_dim(r, spec))) return false;
    if (cursor_peek(&r->c) != ')' && !expect(r, ',', "',' or ')'")) return false;
  }
  int64_t priority;
  if (!cursor_take(&r->c, 'p')) return true;
  if (!take_number(r, &priority)) return false;
  // A dimension without axes has nothing to propagate, so it gets no priority.
  for (uint32_t i = 0; i < spec->dims.count; i++)
    if (spec->dims.items[i].axes.count) spec->dims.items[i].priority = (int32_t)priority;
  return true;
}

// Reads `[{"x", ?}p1, {}]` and the sets after it.
static bool read_sdy_dims(Reader *r, Spec *spec) {
  if (!expect(r, '[', "'[' of the dimensions")) return false;
  while (!cursor_take(&r->c, ']')) {
    SpecDim dim = {.priority = PRIORITY_NONE, .pos = next_pos(r)};
    if (!expect(r, '{', "'{' of a dimension") || !read_axes(r, '}', &dim.axes, &dim.open))
      return false;
    int64_t priority;
    if (cursor_take(&r->c, 'p')) {
      if (!take_number(r, &priority)) return false;
      dim.priority = (int32_t)priority;
    }
    VEC_PUSH(r->arena, &spec->dims, dim);
    if (cursor_peek(&r->c) != ']' && !expect(r, ',', "',' or ']'")) return false;
  }
  bool is_set = true;
  while (is_set && cursor_take(&r->c, ','))
    if (!read_set(r, spec, &is_set)) return false;
  return is_set || wrong(r, "replicated={…} or unreduced={…}");
}

// Reads `@mesh, [{"x"}, {}], replicated={…}>` after the `<`.
static bool read_sdy(Reader *r, Spec *spec) {
  if (!expect(r, '@', "'@' of the mesh")) return false;
  spec->mesh_pos = (Pos)r->c.at;
  return take_name(r, "the mesh's name", &spec->mesh) && expect(r, ',', "','") &&
         read_sdy_dims(r, spec) && expect(r, '>', "'>'");
}

// Chooses the syntax by the first characters: `[`, `<`, `P(`; then the rule must end.
static bool read_spec(Reader *r, Spec *spec) {
  spec->reducer = COMBINE_NONE;
  bool ok;
  if (cursor_peek(&r->c) == '[')
    ok = read_sdy_dims(r, spec);
  else if (cursor_take_text(&r->c, "#sdy.sharding<") || cursor_take(&r->c, '<'))
    ok = read_sdy(r, spec);
  else if (cursor_take_text(&r->c, "jax.sharding.PartitionSpec") ||
           cursor_take_text(&r->c, "PartitionSpec") || cursor_take(&r->c, 'P'))
    ok = read_jax(r, spec);
  else
    return wrong(r, "a sharding: P(\"data\", None) or [{\"data\"}, {}]");
  if (!ok) return false;
  return cursor_peek(&r->c) == '\0' || wrong(r, "the end of the rule");
}

static size_t line_end(const Source *source, size_t begin) {
  const char *end =
      begin < source->size ? memchr(source->text + begin, '\n', source->size - begin) : NULL;
  return end ? (size_t)(end - source->text) : source->size;
}

// Start of the comment: a `#` at the line's start or after a blank, outside quotes. So the `#` of
// %3#1 and of `=#sdy.sharding<` start none.
static size_t comment_start(const char *text, size_t begin, size_t end) {
  char quote = 0;
  for (size_t i = begin; i < end; i++) {
    char ch = text[i];
    if (quote)
      quote = ch == quote ? 0 : quote;
    else if (ch == '"' || ch == '\'')
      quote = ch;
    else if (ch == '#' && (i == begin || text[i - 1] == ' ' || text[i - 1] == '\t'))
      return i;
  }
  return end;
}

void shard_rules_init(ShardRules *rules, Arena *arena) {
  *rules = (ShardRules){.arena = arena};
  rules->end = NULL;
}

static void add_rule(ShardRules *rules, const ShardRule *rule) {
  ShardRule *copy = arena_copy(rules->arena, rule, sizeof *rule);
  if (rules->end)
    *rules->end = copy;
  else
    rules->first = copy;
  rules->end = &copy->next;
  rules->count++;
}

// Splits a line at its first `=`: patterns contain none.
static bool read_rule(ShardRules *rules, const Source *source, Diag *diag, size_t begin, size_t end,
                      uint32_t line) {
  const char *text = source->text;
  const char *equals = memchr(text + begin, '=', end - begin);
  if (!equals)
    return diag_error(diag, (Pos)begin, "expected PATTERN=SHARDING, as in 'x=P(\"data\", None)'");
  size_t at = (size_t)(equals - text), last = at;
  while (last > begin && (text[last - 1] == ' ' || text[last - 1] == '\t')) last--;
  if (last == begin) return diag_error(diag, (Pos)begin, "no pattern stands before '='");
  ShardRule rule = {.diag = diag,
                    .pattern = {text + begin, last - begin},
                    .text = {text + begin, end - begin},
                    .pos = (Pos)begin,
                    .line = line};
  Reader r = reader_of(text, at + 1, end, rules->arena, diag);
  rule.spec_pos = next_pos(&r);
  if (!read_spec(&r, &rule.spec)) return false;
  add_rule(rules, &rule);
  return true;
}

bool shard_rules_read(ShardRules *rules, const Source *source, Diag *diag) {
  bool good = true;
  uint32_t line = 1;
  for (size_t begin = 0; begin < source->size; line++) {
    size_t next = line_end(source, begin), end = comment_start(source->text, begin, next);
    while (begin < end && (source->text[begin] == ' ' || source->text[begin] == '\t')) begin++;
    while (begin < end && (source->text[end - 1] == ' ' || source->text[end - 1] == '\t' ||
                           source->text[end - 1] == '\r'))
      end--;
    if (begin < end && !diag_full(diag)) good &= read_rule(rules, source, diag, begin, end, line);
    begin = next + 1;
  }
  return good;
}

// ---- priorities between groups ----

// The group of `params.*.w` is `params`. Other patterns, and lines, are their own group.
static Str group_key(Str pattern) {
  size_t n = 0;
  while (n < pattern.n && pattern.s[n] != '.' && pattern.s[n] != '[' && pattern.s[n] != '*' &&
         pattern.s[n] != '?' && pattern.s[n] != '\\')
    n++;
  bool plain = n < pattern.n && (pattern.s[n] == '.' || pattern.s[n] == '[') &&
               !memchr(pattern.s, ':', pattern.n);
  return plain ? (Str){pattern.s, n} : pattern;
}

uint32_t shard_rules_group(ShardRules *rules, uint32_t most) {
  VEC(Str) keys = {0};
  for (ShardRule *rule = rules->first; rule; rule = rule->next) {
    Str key = group_key(rule->pattern);
    uint32_t g = 0;
    while (g < keys.count && !str_equal(keys.items[g], key)) g++;
    if (g == keys.count && g == most) return 0;
    if (g == keys.count) VEC_PUSH(rules->arena, &keys, key);
    rule->group = g + 1;
  }
  return keys.count;
}

static bool has_axis(const SpecAxes *axes, Str name) {
  for (uint32_t i = 0; i < axes->count; i++)
    if (str_equal(axes->items[i].name, name)) return true;
  return false;
}

// The axes of a group's rules, each once.
static SpecAxes group_axes(const ShardRules *rules, uint32_t group) {
  SpecAxes out = {0};
  for (const ShardRule *rule = rules->first; rule; rule = rule->next)
    for (uint32_t d = 0; rule->group == group && d < rule->spec.dims.count; d++) {
      const SpecAxes *axes = &rule->spec.dims.items[d].axes;
      for (uint32_t i = 0; i < axes->count; i++)
        if (!has_axis(&out, axes->items[i].name)) VEC_PUSH(rules->arena, &out, axes->items[i]);
    }
  return out;
}

static bool axes_meet(const SpecAxes *a, const SpecAxes *b) {
  for (uint32_t i = 0; i < a->count; i++)
    if (has_axis(b, a->items[i].name)) return true;
  return false;
}

bool shard_rules_has_rivals(const ShardRules *rules, uint32_t group) {
  SpecAxes axes = group_axes(rules, group);
  for (const ShardRule *rule = rules->first; rule; rule = rule->next)
    for (uint32_t d = 0; rule->group != group && d < rule->spec.dims.count; d++)
      if (axes_meet(&rule->spec.dims.items[d].axes, &axes)) return true;
  return false;
}

bool shard_rules_have_priorities(const ShardRules *rules) {
  for (const ShardRule *rule = rules->first; rule; rule = rule->next)
    for (uint32_t d = 0; d < rule->spec.dims.count; d++)
      if (rule->spec.dims.items[d].priority != PRIORITY_NONE) return true;
  return false;
}

void shard_rules_prioritize(ShardRules *rules, uint32_t group, const char *words) {
  shard_rules_group(rules, UINT32_MAX);
  SpecAxes axes = group_axes(rules, group);
  for (ShardRule *rule = rules->first; rule; rule = rule->next) {
    for (uint32_t d = 0; rule->group != group && d < rule->spec.dims.count; d++)
      if (axes_meet(&rule->spec.dims.items[d].axes, &axes)) rule->spec.dims.items[d].priority = 1;
    if (rule->group != group || !words) continue;
    diag_note(rule->diag, rule->pos,
              "this annotation propagates first, as if others with its axes had priority p1: %s",
              words);
    words = NULL;
  }
}

// ---- resolving ----

typedef struct Resolver {
  const Program *p;
  ShardingTable *table;
  Arena *arena;
  const ShardOptions *options;
  const ShardRule *rule;
  const TargetIndex *index;
  MeshId mesh_id;
  const Mesh *mesh;
} Resolver;

PRINTF_LIKE(3, 4)
static bool fail(const Resolver *r, Pos pos, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  diag_error_va(r->rule->diag, pos, fmt, args);
  va_end(args);
  return false;
}

// The mesh that the spec names, else --mesh, else the program's only mesh.
static bool find_mesh(Resolver *r) {
  const Spec *spec = &r->rule->spec;
  Context *context = r->p->context;
  if (spec->mesh.n) {
    r->mesh_id = sharding_mesh_find(r->table, name_intern(context, spec->mesh));
    if (!r->mesh_id)
      return fail(r, spec->mesh_pos, "there is no mesh @%.*s; the program's meshes: %s",
                  (int)spec->mesh.n, spec->mesh.s, program_meshes_text(r->p, r->table, r->arena));
  } else {
    bool several = false;
    r->mesh_id = r->options->mesh ? r->options->mesh : program_mesh_only(r->p, r->table, &several);
    if (!r->mesh_id && several)
      return fail(r, r->rule->spec_pos,
                  "the program has several meshes (%s): write which, <@mesh, [{\"x\"}, {}]>",
                  program_meshes_text(r->p, r->table, r->arena));
    if (!r->mesh_id)
      return fail(r, r->rule->spec_pos,
                  "the program has no mesh to shard over: give a mesh such as data=4,model=2");
  }
  r->mesh = sharding_mesh(r->table, r->mesh_id);
  return true;
}

// Reports an axis that the mesh does not have, with the nearest axis within two edits.
static bool unknown_axis(const Resolver *r, const SpecAxis *axis) {
  const char *near = "";
  uint32_t least = 3;
  for (uint32_t i = 0; i < r->mesh->n_axes; i++) {
    Str name = name_str(r->p->context, r->mesh->axes[i].name);
    uint32_t far = str_distance(axis->name, name, least);
    if (far >= least) continue;
    least = far;
    near = arena_printf(r->arena, "; did you mean \"%.*s\"?", (int)name.n, name.s);
  }
  return fail(r, axis->pos, "unknown axis \"%.*s\": the mesh is %s%s", (int)axis->name.n,
              axis->name.s, mesh_text(r->p->context, r->mesh, r->arena), near);
}

// Looks up axes in the mesh; a sub-axis (pre)size must divide the axis.
static bool resolve_axes(const Resolver *r, const SpecAxes *axes, AxisList *out) {
  AxisRef *v = ARENA_ARRAY(r->arena, AxisRef, axes->count);
  for (uint32_t i = 0; i < axes->count; i++) {
    const SpecAxis *axis = &axes->items[i];
    uint32_t index = mesh_find_axis(r->mesh, name_intern(r->p->context, axis->name));
    if (index == MESH_NO_AXIS) return unknown_axis(r, axis);
    v[i] = axis_full(r->mesh, index);
    if (!axis->size) continue;
    int64_t full = v[i].size;
    if (axis->pre_size < 1 || axis->pre_size > full || axis->size < 2 || axis->size > full ||
        full % axis->pre_size || full / axis->pre_size % axis->size)
      return fail(r, axis->pos,
                  "sub-axis \"%.*s\":(%" PRId64 ")%" PRId64
                  " does not divide the axis, which has size %" PRId64,
                  (int)axis->name.n, axis->name.s, axis->pre_size, axis->size, full);
    v[i].pre_size = (uint32_t)axis->pre_size;
    v[i].size = (uint32_t)axis->size;
  }
  *out = (AxisList){v, axes->count};
  return true;
}

typedef struct SeenAxis {
  AxisRef ref;
  const char *where;
} SeenAxis;

typedef VEC(SeenAxis) SeenAxes;

// Checks that no axis is used twice in one sharding. Few axes: O(axes²).
static bool see_axes(const Resolver *r, const SpecAxes *axes, AxisList refs, const char *where,
                     SeenAxes *seen) {
  for (uint32_t i = 0; i < refs.n; i++) {
    for (uint32_t k = 0; k < seen->count; k++)
      if (axis_overlaps(seen->items[k].ref, refs.v[i]))
        return fail(r, axes->items[i].pos, "axis %s is used twice: by %s and by %s",
                    axis_text(r->p->context, r->mesh, refs.v[i]), seen->items[k].where, where);
    VEC_PUSH(r->arena, seen, ((SeenAxis){refs.v[i], where}));
  }
  return true;
}

// Resolves the rule's dimensions as written, without fitting them to a rank.
static bool resolve_spec(Resolver *r, ShardingInfo *out) {
  const Spec *spec = &r->rule->spec;
  DimSharding *dims = ARENA_ARRAY(r->arena, DimSharding, spec->dims.count + 1);
  SeenAxes seen = {0};
  if (!find_mesh(r)) return false;
  *out = (ShardingInfo){.mesh = r->mesh_id, .rank = spec->dims.count, .dims = dims};
  for (uint32_t d = 0; d < spec->dims.count; d++) {
    const SpecDim *dim = &spec->dims.items[d];
    ShardFactor *factor = ARENA_NEW(r->arena, ShardFactor);
    if (!resolve_axes(r, &dim->axes, &factor->axes) ||
        !see_axes(r, &dim->axes, factor->axes, arena_printf(r->arena, "dimension %u", d), &seen))
      return false;
    dims[d] = (DimSharding){factor, 1, dim->open, dim->priority};
  }
  if (!resolve_axes(r, &spec->replicated, &out->replicated) ||
      !see_axes(r, &spec->replicated, out->replicated, "replicated", &seen) ||
      !resolve_axes(r, &spec->unreduced, &out->unreduced) ||
      !see_axes(r, &spec->unreduced, out->unreduced, "unreduced", &seen))
    return false;
  out->reducer = spec->reducer;
  return true;
}

// Fits the rule's dimensions to a rank: `...` is repeated, missing dimensions are replicated.
static bool fit_rank(const Resolver *r, const ShardingInfo *written, const Target *target,
                     uint32_t rank, ShardingInfo *out) {
  const Spec *spec = &r->rule->spec;
  uint32_t n = written->rank, rest = n;
  for (uint32_t d = 0; d < n; d++)
    if (spec->dims.items[d].rest) rest = d;
  uint32_t fixed = rest < n ? n - 1 : n;
  if (fixed > rank || (!spec->jax && fixed != rank))
    return fail(r, r->rule->spec_pos, "this sharding has %u dimension%s, but %s : %s has %u", fixed,
                fixed == 1 ? "" : "s", target_text(r->p, target, r->arena),
                type_text(r->p->context, target_type(r->p, target)), rank);
  static const ShardFactor no_axes = {0};
  DimSharding *dims = ARENA_ARRAY(r->arena, DimSharding, rank + 1);
  // `...` covers the `spread` dimensions from `rest` on; those after it are shifted.
  uint32_t spread = rest < n ? rank - fixed : 0;
  for (uint32_t d = 0; d < rank; d++) {
    if (rest < n && d >= rest && d < rest + spread)
      dims[d] = written->dims[rest];
    else if (rest < n && d >= rest)
      dims[d] = written->dims[d - spread + 1];
    else
      dims[d] = d < n ? written->dims[d] : (DimSharding){&no_axes, 1, false, PRIORITY_NONE};
  }
  *out = *written;
  out->rank = rank;
  out->dims = dims;
  return true;
}

// Values with padded tiles: text of the first, and their number, for one warning per rule.
typedef struct Uneven {
  const char *first;
  uint32_t count;
} Uneven;

// Dynamic dimensions cannot be sharded. Uneven dimensions are padded, which is counted for a
// warning, or refused if the option requires divisible edges.
static bool check_sizes(const Resolver *r, const Target *target, Sharding sharding,
                        Uneven *uneven) {
  Context *context = r->p->context;
  Type type = target_type(r->p, target);
  const TypeInfo *tensor = type_info(context, type);
  const ShardingInfo *info = sharding_info(r->table, sharding);
  for (uint32_t d = 0; d < tensor->rank; d++)
    if (tensor->dims[d] == DIM_DYNAMIC && sharding_tiles(info, d) > 1)
      return fail(r, r->rule->spec_pos,
                  "dimension %u of %s : %s has no fixed size and cannot be sharded", d,
                  target_text(r->p, target, r->arena), type_text(context, type));
  int32_t d = sharding_uneven_dim(r->table, sharding, type);
  if (d < 0) return true;
  // Only arguments and results must be even: the caller allocates them.
  bool must = r->options->divisible && target->kind != TARGET_VALUE;
  if (uneven->count++ && !must) return true;
  int64_t size = tensor->dims[d], tiles = sharding_tiles(info, (uint32_t)d);
  const char *message = arena_printf(
      r->arena,
      "dimension %d of %s : %s has %" PRId64 " elements, which %" PRId64 " devices do not divide",
      d, target_text(r->p, target, r->arena), type_text(context, type), size, tiles);
  if (must)
    return fail(r, r->rule->spec_pos,
                "%s: --edges=divisible (divisible_edges) requires a multiple of %" PRId64, message,
                tiles);
  uneven->first = arena_printf(r->arena, "%s: tiles of %" PRId64 " are padded", message,
                               size / tiles + (size % tiles != 0));
  return true;
}

// One warning per rule: a glob may match thousands of uneven parameters.
static void tell_uneven(const Resolver *r, const Uneven *uneven) {
  if (uneven->count == 1)
    diag_warning(r->rule->diag, r->rule->spec_pos, "%s", uneven->first);
  else if (uneven->count)
    diag_warning(r->rule->diag, r->rule->spec_pos, "%s (so %s %u other%s that it matches)",
                 uneven->first, uneven->count == 2 ? "is" : "are", uneven->count - 1,
                 uneven->count == 2 ? "" : "s");
}

// The rule's sharding for one value: fitted to its rank and checked against its type.
static bool fit(const Resolver *r, const ShardingInfo *written, const Target *target,
                Uneven *uneven, Sharding *out) {
  Type type = target_type(r->p, target);
  const TypeInfo *tensor = type_info(r->p->context, type);
  if (tensor->kind != TYPE_TENSOR)
    return fail(r, r->rule->pos, "%s : %s is no tensor and has no sharding",
                target_text(r->p, target, r->arena), type_text(r->p->context, type));
  ShardingInfo info;
  if (!fit_rank(r, written, target, tensor->rank, &info)) return false;
  Status *status = sharding_check(r->table, &info, type);
  if (status) {
    fail(r, r->rule->spec_pos, "%s", status_message(status));
    status_free(status);
    return false;
  }
  *out = sharding_intern(r->table, &info);
  return check_sizes(r, target, *out, uneven);
}

// Reports a rule without matches: with a hint why, else with near names.
static bool nothing_matches(const Resolver *r) {
  Str pattern = r->rule->pattern;
  const char *why = targets_hint(r->p, pattern, r->arena);
  if (!why[0]) why = targets_near_text(r->p, pattern, r->arena);
  return fail(r, r->rule->pos, "nothing is called '%.*s'%s", (int)pattern.n, pattern.s, why);
}

// "--shard 'x=…'" for options, "rules.txt:3 'x=…'" for files.
static Str rule_origin(const ShardRule *rule, Arena *arena) {
  const char *path = rule->diag->source->path;
  return str_of(
      path[0] == '-'
          ? arena_printf(arena, "%s '%.*s'", path, (int)rule->text.n, rule->text.s)
          : arena_printf(arena, "%s:%u '%.*s'", path, rule->line, (int)rule->text.n, rule->text.s));
}

typedef VEC(Annotation) Annotations;

// Flags for the arguments and results of one function.
typedef struct TakenEdges {
  OpId function;
  bool *edges[2];  // by TARGET_RESULT or not
} TakenEdges;

// Targets that earlier rules matched: values by id, others (results, arguments of functions without
// a body) by function and index.
typedef struct Taken {
  const Program *p;
  Arena *arena;
  bool *values;
  VEC(TakenEdges) functions;  // few
} Taken;

static bool *taken_flag(Taken *taken, const Target *target) {
  if (target->value) return &taken->values[target->value];
  uint32_t i = 0;
  while (i < taken->functions.count && taken->functions.items[i].function != target->function) i++;
  if (i == taken->functions.count) {
    OpId f = target->function;
    TakenEdges of = {f,
                     {ARENA_ARRAY(taken->arena, bool, function_n_arguments(taken->p, f) + 1),
                      ARENA_ARRAY(taken->arena, bool, function_n_results(taken->p, f) + 1)}};
    VEC_PUSH(taken->arena, &taken->functions, of);
  }
  return &taken->functions.items[i].edges[target->kind == TARGET_RESULT][target->index];
}

// Marks the target; returns whether an earlier rule had marked it.
static bool take_target(Taken *taken, const Target *target) {
  bool *flag = taken_flag(taken, target), was = *flag;
  *flag = true;
  return was;
}

// Annotates every value of the rule that no earlier rule matched.
static bool resolve_rule(Resolver *r, Taken *taken, Annotations *out) {
  ShardingInfo written;
  if (!resolve_spec(r, &written)) return false;
  TargetList targets = target_index_find(r->index, r->rule->pattern, r->arena);
  if (!targets.n) return nothing_matches(r);
  Str from = rule_origin(r->rule, r->arena);
  uint32_t before = out->count;
  Uneven uneven = {0};
  for (uint32_t t = 0; t < targets.n; t++) {
    if (take_target(taken, &targets.v[t])) continue;
    Annotation a = {targets.v[t], 0, from, r->rule->pos, r->rule->diag};
    if (!fit(r, &written, &targets.v[t], &uneven, &a.sharding)) return false;
    VEC_PUSH(r->arena, out, a);
  }
  tell_uneven(r, &uneven);
  if (out->count == before)
    diag_warning(r->rule->diag, r->rule->pos,
                 "this rule is never used: rules before it match all that '%.*s' means",
                 (int)r->rule->pattern.n, r->rule->pattern.s);
  return true;
}

// The target index is built once for all rules.
bool shard_rules_resolve(const ShardRules *rules, const Program *p, ShardingTable *table,
                         const ShardOptions *options, AnnotationList *out) {
  Annotations list = {0};
  bool good = true;
  Taken taken = {
      .p = p, .arena = rules->arena, .values = ARENA_ARRAY(rules->arena, bool, p->values.count)};
  const TargetIndex *index = target_index_new(p, rules->arena);
  for (const ShardRule *rule = rules->first; rule; rule = rule->next) {
    Resolver r = {p, table, rules->arena, options, rule, index, 0, NULL};
    good &= resolve_rule(&r, &taken, &list);
  }
  *out = (AnnotationList){list.items, list.count};
  return good;
}

bool shard_spec_resolve(Diag *diag, const Program *p, ShardingTable *table,
                        const ShardOptions *options, const Target *target, Arena *arena,
                        Sharding *out) {
  const Source *source = diag->source;
  ShardRule rule = {.diag = diag, .text = {source->text, source->size}, .line = 1};
  Reader reader = reader_of(source->text, 0, source->size, arena, diag);
  if (!read_spec(&reader, &rule.spec)) return false;
  Resolver r = {p, table, arena, options, &rule, NULL, 0, NULL};
  ShardingInfo written;
  Uneven uneven = {0};
  if (!resolve_spec(&r, &written) || !fit(&r, &written, target, &uneven, out)) return false;
  tell_uneven(&r, &uneven);
  return true;
}

// ---- annotating places ----

static const char *sharding_text(ShardingTable *table, Sharding sharding, Guard *guard,
                                 Arena *arena) {
  StrBuf buf;
  strbuf_init(&buf, guard);
  sharding_print(table, sharding, &buf);
  const char *text = arena_printf(arena, "%s", buf.data);
  strbuf_deinit(&buf);
  return text;
}

// The annotation of the list that gave a place its sharding; NULL if the program did.
static const Annotation *giver(AnnotationList list, const Given *given) {
  for (uint32_t i = 0; given && given->from.n && i < list.n; i++)
    if (str_equal(list.v[i].from, given->from) && list.v[i].sharding == given->sharding)
      return &list.v[i];
  return NULL;
}

// One place may serve several values, so two rules can give one place different shardings.
static bool give_place(AnnotationList list, const Annotation *a, PlaceId place, Givens *givens) {
  const Graph *g = givens->graph;
  ShardingTable *table = givens->table;
  Arena *arena = &a->diag->arena;
  if (!place) return true;
  const Given *before = givens_at(givens, place);
  if (before && before->sharding != a->sharding) {
    // An annotation of the program is replaced; one of another rule is a contradiction.
    const Annotation *other = giver(list, before);
    const char *old = sharding_text(table, before->sharding, arena->guard, arena);
    const char *new = sharding_text(table, a->sharding, arena->guard, arena);
    if (other)
      return diag_error(a->diag, a->pos,
                        "%s and %s have one sharding, but this rule gives %s and %.*s gives %s",
                        target_text(g->program, &a->target, arena),
                        target_text(g->program, &other->target, arena), new, (int)other->from.n,
                        other->from.s, old);
    diag_warning(a->diag, a->pos, "%s is annotated in the program with %s; this rule replaces it",
                 target_text(g->program, &a->target, arena), old);
  }
  givens_give(givens, &(Given){place, a->sharding, POS_NONE, a->from});
  return true;
}

PlaceId target_place(const Graph *g, InstanceId instance, const Target *target) {
  if (target->kind == TARGET_RESULT) return graph_result_place(g, instance, target->index);
  return target->value ? graph_place(g, instance, target->value) : 0;
}

bool shard_rules_give(AnnotationList list, Givens *givens) {
  const Graph *g = givens->graph;
  bool good = true;
  for (uint32_t i = 0; i < list.n; i++) {
    const Annotation *a = &list.v[i];
    InstanceId first = graph_instance_of(g, a->target.function);
    bool root = first && !g->instances[first].caller;  // a root has one instance
    for (InstanceId instance = first; first && instance < g->n_instances; instance++) {
      if (g->instances[instance].function != a->target.function) continue;
      PlaceId place = target_place(g, instance, &a->target);
      good &= give_place(list, a, place, givens);
      if (root) break;
    }
  }
  return good;
}
