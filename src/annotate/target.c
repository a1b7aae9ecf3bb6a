// Problem: find the values that a user's pattern names.
// Idea: walk the program once per pattern and compare every name. Patterns are few, and there is no
// index to keep consistent with the program (target_index.h serves long rule files).
// Invariant: a pattern has readings in a fixed order; the first reading with a match wins.
// Cost: O(program · |pattern|) per pattern.
#include "annotate/target.h"

#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "ops/op.h"

typedef VEC(Target) Targets;

// ---- paths ----

static bool is_digits(Str s) {
  for (size_t i = 0; i < s.n; i++)
    if (s.s[i] < '0' || s.s[i] > '9') return false;
  return s.n > 0;
}

// At most 9 digits, so the value fits 32 bits.
static bool read_index(Str s, uint32_t *out) {
  if (!is_digits(s) || s.n > 9) return false;
  uint32_t value = 0;
  for (size_t i = 0; i < s.n; i++) value = value * 10 + (uint32_t)(s.s[i] - '0');
  *out = value;
  return true;
}

static Str str_from(Str s, size_t at) { return (Str){s.s + at, s.n - at}; }

// The key inside brackets, without quotes and without JAX's `<flat index …>`.
static Str key_of(Str inner) {
  static const char flat[] = "<flat index ";
  if (inner.n >= 2 && (inner.s[0] == '\'' || inner.s[0] == '"') &&
      inner.s[inner.n - 1] == inner.s[0])
    return (Str){inner.s + 1, inner.n - 2};
  if (str_starts(inner, flat) && inner.s[inner.n - 1] == '>')
    return (Str){inner.s + sizeof flat - 1, inner.n - sizeof flat};
  return inner;
}

// Index of the `]` that closes the bracket at `open`; n if none. Quoted brackets do not count.
static size_t closing(Str text, size_t open) {
  char quote = 0;
  for (size_t i = open + 1; i < text.n; i++) {
    char c = text.s[i];
    if (quote)
      quote = c == quote ? 0 : quote;
    else if (c == '\'' || c == '"')
      quote = c;
    else if (c == ']')
      return i;
  }
  return text.n;
}

Str path_dotted(Arena *arena, Str text) {
  char *out = arena_alloc(arena, text.n + 1);
  size_t n = 0;
  for (size_t i = 0; i < text.n; i++) {
    size_t end = text.s[i] == '[' ? closing(text, i) : text.n;
    if (text.s[i] != '[' || end == text.n) {
      if (text.s[i] != '.' || n) out[n++] = text.s[i];
      continue;
    }
    Str key = key_of((Str){text.s + i + 1, end - i - 1});
    if (n) out[n++] = '.';
    if (key.n) memcpy(out + n, key.s, key.n);
    n += key.n;
    i = end;
  }
  return (Str){out, n};
}

// Index of the `]` that closes the character class at `open`; n if none. A `]` as the first member
// does not close it.
static size_t class_end(Str glob, size_t open) {
  size_t i = open + 1;
  if (i < glob.n && (glob.s[i] == '!' || glob.s[i] == '^')) i++;
  for (size_t first = i; i < glob.n; i++) {
    if (glob.s[i] == '\\')
      i++;
    else if (glob.s[i] == ']' && i > first)
      return i;
  }
  return glob.n;
}

// The member at *at; advances *at beyond it.
static unsigned char class_member(Str glob, size_t *at) {
  if (glob.s[*at] == '\\') ++*at;
  return (unsigned char)glob.s[(*at)++];
}

// Whether the character class between `open` and `end` has the character: members, ranges `a-z`,
// negation by `!` or `^`.
static bool class_has(Str glob, size_t open, size_t end, char letter) {
  size_t i = open + 1;
  bool others = glob.s[i] == '!' || glob.s[i] == '^', has = false;
  for (i += others; i < end;) {
    unsigned char from = class_member(glob, &i), to = from;
    if (i + 1 < end && glob.s[i] == '-') {
      i++;
      to = class_member(glob, &i);
    }
    has |= (unsigned char)letter >= from && (unsigned char)letter <= to;
  }
  return has != others;
}

// Whether the glob element at g (not '*') matches the character; *next is the following element.
static bool letter_matches(Str glob, size_t g, char letter, size_t *next) {
  size_t end = glob.s[g] == '[' ? class_end(glob, g) : glob.n;
  *next = g + 1;
  if (end < glob.n) {
    *next = end + 1;
    return class_has(glob, g, end, letter);
  }
  if (glob.s[g] == '\\' && g + 1 < glob.n) {
    *next = g + 2;
    return glob.s[g + 1] == letter;
  }
  return glob.s[g] == '?' || glob.s[g] == letter;
}

// Greedy glob matching with one backtrack point. O(|glob| · |path|).
bool path_matches(Str glob, Str path) {
  // Only the last '*' is retried: an earlier one has matched its shortest, which is always enough.
  size_t g = 0, p = 0, star = glob.n, retry = 0, next;
  // A last letter that stands for itself: most patterns end in another one than the path.
  char last = glob.n ? glob.s[glob.n - 1] : '*';
  if (path.n && last != '*' && last != '?' && last != ']' && last != path.s[path.n - 1])
    return false;
  while (p < path.n) {
    if (g < glob.n && glob.s[g] == '*') {
      star = g++;
      retry = p;
    } else if (g < glob.n && letter_matches(glob, g, path.s[p], &next)) {
      g = next, p++;
    } else if (star < glob.n) {
      g = star + 1;
      p = ++retry;
    } else {
      return false;
    }
  }
  while (g < glob.n && glob.s[g] == '*') g++;
  return g == glob.n;
}

// Interpretations of the brackets in a pattern, in the order they are tried.
typedef enum Brackets { AS_KEYS, AS_CLASSES_NOT_DIGITS, AS_CLASSES, N_BRACKETS } Brackets;

static bool is_key(Str inner, Brackets brackets) {
  bool quoted = key_of(inner).n != inner.n;
  return quoted || brackets == AS_KEYS || (brackets == AS_CLASSES_NOT_DIGITS && is_digits(inner));
}

// path_dotted for a pattern. Character classes stay, also in quoted keys; inside brackets read as
// keys, glob characters are quoted.
static Str pattern_dotted(Arena *arena, Str text, Brackets brackets) {
  char *out = arena_alloc(arena, 2 * text.n + 1);
  size_t n = 0;
  for (size_t i = 0; i < text.n; i++) {
    if (text.s[i] == '\\' && i + 1 < text.n) {
      out[n++] = text.s[i++];
      out[n++] = text.s[i];
      continue;
    }
    size_t end = text.s[i] == '[' ? closing(text, i) : text.n;
    if (text.s[i] != '[' || end == text.n) {
      if (text.s[i] != '.' || n) out[n++] = text.s[i];
      continue;
    }
    Str inner = {text.s + i + 1, end - i - 1}, key = key_of(inner);
    if (!is_key(inner, brackets)) {
      end = class_end(text, i);
      if (end == text.n) end--;
      memcpy(out + n, text.s + i, end + 1 - i);
      n += end + 1 - i;
      i = end;
      continue;
    }
    if (n) out[n++] = '.';
    for (size_t k = 0; k < key.n; k++) {
      if (brackets == AS_KEYS && strchr("[]\\", key.s[k])) out[n++] = '\\';
      out[n++] = key.s[k];
    }
    i = end;
  }
  return (Str){out, n};
}

// A string attribute of argument or result i; empty if there is none.
static Str edge_text(const Program *p, OpId function, const char *list, uint32_t i,
                     const char *name) {
  const AttrInfo *dicts = attr_info(p->context, op_attr(p, function, list));
  if (dicts->kind != ATTR_ARRAY || i >= dicts->count) return (Str){0};
  return name_str(p->context,
                  attr_as_name(p->context, attr_get(p->context, dicts->items[i], name)));
}

// The first name in a location, through call sites and fused locations.
static Str location_name(const Context *context, Attr loc) {
  for (uint32_t depth = 0; depth < 64; depth++) {
    const AttrInfo *info = attr_info(context, loc);
    if (info->kind == ATTR_LOC_NAME) return name_str(context, info->name);
    if ((info->kind != ATTR_LOC_CALLSITE && info->kind != ATTR_LOC_FUSED) || !info->count) break;
    loc = info->items[0];
  }
  return (Str){0};
}

static bool is_numbered(Str name) {
  return is_digits(name) || (str_starts(name, "arg") && is_digits(str_from(name, 3)));
}

Str argument_name(const Program *p, OpId function, uint32_t i) {
  Str text = edge_text(p, function, "arg_attrs", i, "jax.arg_info");
  ValueId value = function_argument(p, function, i);
  if (!text.n && value) text = location_name(p->context, value_at(p, value)->loc);
  if (!text.n && value) {
    text = name_str(p->context, value_at(p, value)->name);
    if (is_numbered(text)) return (Str){0};
  }
  return text;
}

Str argument_path(const Program *p, OpId function, uint32_t i, Arena *arena) {
  return path_dotted(arena, argument_name(p, function, i));
}

Str result_path(const Program *p, OpId function, uint32_t i, Arena *arena) {
  Str text = edge_text(p, function, "res_attrs", i, "jax.result_info");
  if (!text.n) return (Str){0};
  Str path = path_dotted(arena, text);
  if (str_is(path, "result") || str_starts(path, "result.")) return path;
  return str_of(arena_printf(arena, "result.%.*s", (int)path.n, path.s));
}

// ---- looking up ----

typedef struct Lookup {
  const Program *p;
  Arena *arena;
  Str pattern;  // dotted
  OpId function;
  Targets *out;
  const EdgePaths *paths;  // NULL: not known
} Lookup;

static Str path_of_argument(const Lookup *k, uint32_t i) {
  return k->paths ? k->paths->arguments[i] : argument_path(k->p, k->function, i, k->arena);
}

static Str path_of_result(const Lookup *k, uint32_t i) {
  return k->paths ? k->paths->results[i] : result_path(k->p, k->function, i, k->arena);
}

// Readings of a pattern, in order; the first with a match wins. The order matters: a tree of
// results has paths like `result.1` that are not result number 1, and a parameter may be called
// `out`.
typedef enum Reading {
  AS_NAME,     // a path or SSA name; a number for arguments that have neither
  AS_SYNONYM,  // `out` for `result`; `result3` for `result.3`
  AS_NUMBER,   // arg3, result3
  N_READINGS
} Reading;

// Whether the pattern names argument i in this reading.
static bool argument_is(const Lookup *k, uint32_t i, Reading reading) {
  Str path = path_of_argument(k, i);
  ValueId value = function_argument(k->p, k->function, i);
  Str name = value ? name_str(k->p->context, value_at(k->p, value)->name) : (Str){0};
  if (is_numbered(name)) name = (Str){0};
  if (reading == AS_NUMBER || (reading == AS_NAME && !path.n && !name.n)) {
    char number[16];
    snprintf(number, sizeof number, "arg%u", i);
    return path_matches(k->pattern, str_of(number));
  }
  if (reading != AS_NAME) return false;
  return (path.n && path_matches(k->pattern, path)) || (name.n && path_matches(k->pattern, name));
}

// `out`, `out.loss`, `out3` and `result3` in the form of result paths: `result.3`.
static Str result_synonym(Str pattern, Arena *arena) {
  Str rest = str_starts(pattern, "result") ? str_from(pattern, 6)
             : str_starts(pattern, "out")  ? str_from(pattern, 3)
                                           : (Str){0};
  if (rest.s && is_digits(rest))
    return str_of(arena_printf(arena, "result.%.*s", (int)rest.n, rest.s));
  if (rest.s && str_starts(pattern, "out") && (!rest.n || rest.s[0] == '.' || rest.s[0] == '*'))
    return str_of(arena_printf(arena, "result%.*s", (int)rest.n, rest.s));
  return pattern;
}

static bool result_is(const Lookup *k, uint32_t i, Reading reading) {
  Str pattern = reading == AS_NAME ? k->pattern : result_synonym(k->pattern, k->arena);
  if (!str_starts(pattern, "result")) return false;
  Str path = path_of_result(k, i);
  if (path.n && reading != AS_NUMBER) return path_matches(pattern, path);
  if (str_is(pattern, "result")) return function_n_results(k->p, k->function) == 1;
  char number[24];
  snprintf(number, sizeof number, "result.%u", i);
  return path_matches(pattern, str_of(number));
}

// Paths are built for the comparison only.
static bool matches(const Lookup *k, bool argument, uint32_t i, Reading reading) {
  ArenaMark mark = arena_mark(k->arena);
  bool is = argument ? argument_is(k, i, reading) : result_is(k, i, reading);
  arena_rewind(k->arena, mark);
  return is;
}

static void find_read_as(const Lookup *k, Reading reading) {
  for (uint32_t i = 0; i < function_n_arguments(k->p, k->function); i++) {
    ValueId value = function_argument(k->p, k->function, i);
    if (matches(k, true, i, reading))
      VEC_PUSH(k->arena, k->out, ((Target){k->function, TARGET_ARGUMENT, i, value}));
  }
  for (uint32_t i = 0; i < function_n_results(k->p, k->function); i++)
    if (matches(k, false, i, reading))
      VEC_PUSH(k->arena, k->out, ((Target){k->function, TARGET_RESULT, i, 0}));
}

// Finds arguments and results; the first reading with a match wins.
static void find_edges(const Lookup *k) {
  uint32_t number, before = k->out->count;
  if (read_index(k->pattern, &number)) {  // O(1): rule files may have one rule per argument
    if (number < function_n_arguments(k->p, k->function))
      VEC_PUSH(k->arena, k->out,
               ((Target){k->function, TARGET_ARGUMENT, number,
                         function_argument(k->p, k->function, number)}));
    return;
  }
  if (str_starts(k->pattern, "result#") && read_index(str_from(k->pattern, 7), &number)) {
    if (number < function_n_results(k->p, k->function))
      VEC_PUSH(k->arena, k->out, ((Target){k->function, TARGET_RESULT, number, 0}));
    return;
  }
  for (int reading = AS_NAME; reading < N_READINGS && k->out->count == before; reading++)
    find_read_as(k, (Reading)reading);
}

// A block argument is TARGET_ARGUMENT only if it belongs to the function itself.
static Target target_of(const Program *p, OpId function, ValueId value) {
  const Value *v = value_at(p, value);
  bool argument = v->is_arg && function_argument(p, function, v->index) == value;
  return (Target){function, argument ? TARGET_ARGUMENT : TARGET_VALUE, v->index, value};
}

// Finds `%12` or `%12#1`.
static void find_by_name(const Lookup *k) {
  const Program *p = k->p;
  Str name = str_from(k->pattern, 1);
  uint32_t result = 0;
  const char *hash = name.n ? memchr(name.s, '#', name.n) : NULL;
  if (hash && !read_index(str_from(name, (size_t)(hash - name.s) + 1), &result)) return;
  if (hash) name.n = (size_t)(hash - name.s);
  if (!name.n) return;
  for (OpId o = k->function; o; o = op_walk_next(p, o, k->function)) {
    const Op *op = op_at(p, o);
    if (op->n_results > result &&
        str_equal(name_str(p->context, value_at(p, op->results)->name), name))
      VEC_PUSH(k->arena, k->out, target_of(p, k->function, op->results + result));
    for (uint32_t r = 0; r < op->n_regions; r++)
      for (BlockId b = region_at(p, op->regions + r)->first; b; b = block_at(p, b)->next)
        for (uint32_t i = 0; i < block_at(p, b)->n_args; i++)
          if (str_equal(name_str(p->context, value_at(p, block_arg(p, b, i))->name), name))
            VEC_PUSH(k->arena, k->out, target_of(p, k->function, block_arg(p, b, i)));
  }
}

// Whether a path ends in the user's path: leading directories may be omitted.
static bool same_file(Str suffix, Str path) {
  if (suffix.n > path.n) return false;
  Str end = str_from(path, path.n - suffix.n);
  return str_equal(suffix, end) && (suffix.n == path.n || end.s[-1] == '/');
}

// A search through one op's location. Locations share sub-trees, so a small text can describe
// exponentially many; `most` limits the nodes visited.
typedef struct LocationWalk {
  const Context *context;
  Str file;  // as the user gave it
  uint32_t line, most;
  bool here, gradient;     // a location is at that line; under JAX's transpose(…)
  bool any, same;          // a location is in any file; in this file
  uint32_t before, after;  // nearest lines of this file around that line; 0 if none
} LocationWalk;

static void walk_location(LocationWalk *walk, Attr loc, uint32_t depth) {
  if (!walk->most || depth > 64) return;
  --walk->most;
  const AttrInfo *info = attr_info(walk->context, loc);
  if (info->kind == ATTR_LOC_FILE) {
    uint32_t line = ((const LocRange *)info->data)->line;
    walk->any = true;
    if (!same_file(walk->file, name_str(walk->context, info->name))) return;
    walk->same = true;
    if (line == walk->line) walk->here = true;
    if (line < walk->line && line > walk->before) walk->before = line;
    if (line > walk->line && (!walk->after || line < walk->after)) walk->after = line;
    return;
  }
  if (info->kind == ATTR_LOC_NAME && strstr(name_text(walk->context, info->name), "transpose("))
    walk->gradient = true;
  bool nested = info->kind == ATTR_LOC_NAME || info->kind == ATTR_LOC_CALLSITE ||
                info->kind == ATTR_LOC_FUSED;
  for (uint32_t i = 0; nested && i < info->count; i++)
    walk_location(walk, info->items[i], depth + 1);
}

static void look_at(LocationWalk *walk, const Op *op) {
  walk->most = 1000;
  walk->here = walk->gradient = false;
  walk_location(walk, op->loc, 0);
}

// The bytes of a line of the source. O(source).
static bool line_range(const Source *source, uint32_t line, size_t *out_begin, size_t *out_end) {
  size_t at = 0;
  for (uint32_t i = 1; i < line; i++) {
    const char *end = at < source->size ? memchr(source->text + at, '\n', source->size - at) : NULL;
    if (!end) return false;
    at = (size_t)(end - source->text) + 1;
  }
  const char *end = at < source->size ? memchr(source->text + at, '\n', source->size - at) : NULL;
  *out_begin = at;
  *out_end = end ? (size_t)(end - source->text) : source->size;
  return true;
}

// Finds `FILE:LINE`, in the program's text or in locations.
static void find_by_line(const Lookup *k, Str file, uint32_t line, bool gradient) {
  const Program *p = k->p;
  size_t begin = 0, end = 0;
  bool text = p->source && same_file(file, str_of(p->source->path)) &&
              line_range(p->source, line, &begin, &end);
  LocationWalk walk = {.context = p->context, .file = file, .line = line};
  OpId last = 0;
  for (OpId o = op_walk_next(p, k->function, k->function); o; o = op_walk_next(p, o, k->function)) {
    const Op *op = op_at(p, o);
    if (!op->n_results) continue;
    if (text) {
      for (uint32_t i = 0; op->pos >= begin && op->pos < end && i < op->n_results; i++)
        VEC_PUSH(k->arena, k->out, target_of(p, k->function, op->results + i));
    } else {
      look_at(&walk, op);
      if (walk.here && walk.gradient == gradient) last = o;
    }
  }
  for (uint32_t i = 0; last && i < op_at(p, last)->n_results; i++)
    VEC_PUSH(k->arena, k->out, target_of(p, k->function, op_result(p, last, i)));
}

// Splits `FILE:LINE`.
static bool is_line(Str written, Str *file, uint32_t *line) {
  size_t colon = written.n;
  while (colon && written.s[colon - 1] != ':') colon--;
  if (colon <= 1 || !read_index(str_from(written, colon), line) || !*line) return false;
  *file = (Str){written.s, colon - 1};
  return true;
}

// SSA names, else edges, else lines: ops of the forward pass first, then those of the backward
// pass.
static void find_in(const Lookup *k, Str written) {
  if (str_starts(k->pattern, "%")) {
    find_by_name(k);
    return;
  }
  find_edges(k);
  if (k->out->count) return;
  Str file;
  uint32_t line;
  if (!is_line(written, &file, &line)) return;
  find_by_line(k, file, line, false);
  if (!k->out->count) find_by_line(k, file, line, true);
}

// Removes `@f:` from the pattern and returns the functions to search.
static Entries scope_of(const Program *p, Str *pattern, Arena *arena) {
  const char *colon = str_starts(*pattern, "@") ? memchr(pattern->s, ':', pattern->n) : NULL;
  if (!colon) return program_entries(p, arena);
  size_t n = (size_t)(colon - pattern->s);
  OpId *function = ARENA_NEW(arena, OpId);
  *function = program_function(p, (Str){pattern->s + 1, n - 1});
  *pattern = str_from(*pattern, n + 1);
  return (Entries){function, *function ? 1 : 0};
}

TargetList targets_find(const Program *p, Str pattern, Arena *arena) {
  return targets_find_by(p, NULL, pattern, arena);
}

TargetList targets_find_by(const Program *p, const EdgePaths *paths, Str pattern, Arena *arena) {
  Targets out = {0};
  Str given = pattern;
  Entries entries = scope_of(p, &pattern, arena);
  Str dotted = pattern_dotted(arena, pattern, AS_KEYS);
  // Only a bracket has several readings.
  bool bracket = pattern.n && memchr(pattern.s, '[', pattern.n);
  for (uint32_t b = 0; b < (bracket ? N_BRACKETS : 1) && !out.count; b++) {
    Str read = b ? pattern_dotted(arena, pattern, (Brackets)b) : dotted;
    for (uint32_t i = 0; i < entries.n; i++) {
      Targets found = {0};
      bool known = paths && paths->function == entries.v[i];
      find_in(&(Lookup){p, arena, read, entries.v[i], &found, known ? paths : NULL}, pattern);
      for (uint32_t t = 0; t < found.count; t++) VEC_PUSH(arena, &out, found.items[t]);
    }
  }
  // Lines inside callees: JAX makes a function of every jit and of many jax.numpy functions.
  Str file;
  uint32_t line;
  bool called = given.s == pattern.s && is_line(pattern, &file, &line);
  for (uint32_t gradient = 0; called && !out.count && gradient < 2; gradient++)
    for (OpId op = module_first(p); op; op = op_at(p, op)->next)
      if (op_is_function(p, op))
        find_by_line(&(Lookup){p, arena, dotted, op, &out, NULL}, file, line, gradient);
  return (TargetList){out.items, out.count};
}

// ---- near names ----

typedef struct Nearest {
  Str *names;
  uint32_t *far;
  uint32_t n, most;
} Nearest;

// The last components of a path, as many as the pattern has: `w` is near to params.w.
static Str path_end(Str path, Str pattern) {
  uint32_t dots = 0;
  for (size_t i = 0; i < pattern.n; i++) dots += pattern.s[i] == '.';
  for (size_t i = path.n; i-- > 0;)
    if (path.s[i] == '.' && !dots--) return str_from(path, i + 1);
  return path;
}

// Insertion into a short sorted list. A match of the path's end costs 1 more than a full match.
static void consider(Nearest *best, Str pattern, Str name, uint32_t limit) {
  uint32_t far = str_distance(pattern, name, limit);
  Str end = path_end(name, pattern);
  uint32_t short_far = end.n < name.n ? str_distance(pattern, end, limit) : far;
  // A match of the path's last components counts as one edit more than a full match.
  if (short_far) short_far++;
  if (short_far < far) far = short_far;
  if (!name.n || far > limit) return;
  uint32_t at = best->n;
  for (uint32_t i = 0; i < best->n; i++)
    if (str_equal(best->names[i], name)) return;
  if (at == best->most) {
    if (best->far[at - 1] <= far) return;
    at--;
  } else {
    best->n++;
  }
  for (; at && best->far[at - 1] > far; at--) {
    best->names[at] = best->names[at - 1];
    best->far[at] = best->far[at - 1];
  }
  best->names[at] = name;
  best->far[at] = far;
}

// Edit distance to all names of the kind that the pattern has: SSA names for `%…`, paths otherwise.
uint32_t targets_near(const Program *p, Str pattern, Arena *arena, uint32_t most, Str *out) {
  Entries entries = scope_of(p, &pattern, arena);
  bool by_name = str_starts(pattern, "%");
  Str dotted = by_name ? str_from(pattern, 1) : path_dotted(arena, pattern);
  Nearest best = {out, ARENA_ARRAY(arena, uint32_t, most + 1), 0, most};
  // Names with more edits than half the pattern are not near.
  uint32_t limit = dotted.n / 2 > 6 ? (uint32_t)dotted.n / 2 : 6;
  for (uint32_t f = 0; f < entries.n && most; f++) {
    OpId function = entries.v[f];
    for (uint32_t i = 0; i < function_n_arguments(p, function); i++) {
      Str path = by_name ? (Str){0} : argument_path(p, function, i, arena);
      if (!path.n) path = str_of(arena_printf(arena, "arg%u", i));
      consider(&best, dotted, path, limit);
    }
    for (uint32_t i = 0; !by_name && i < function_n_results(p, function); i++) {
      Str path = result_path(p, function, i, arena);
      if (!path.n) path = str_of(arena_printf(arena, "result%u", i));
      consider(&best, dotted, path, limit);
    }
    for (OpId o = op_walk_next(p, function, function); by_name && o;
         o = op_walk_next(p, o, function))
      if (op_at(p, o)->n_results)
        consider(&best, dotted, name_str(p->context, value_at(p, op_at(p, o)->results)->name),
                 limit);
  }
  if (by_name)
    for (uint32_t i = 0; i < best.n; i++)
      out[i] = str_of(arena_printf(arena, "%%%.*s", (int)out[i].n, out[i].s));
  return best.n;
}

static const char *list_names(Arena *arena, const Str *names, uint32_t n) {
  const char *list = "";
  for (uint32_t i = 0; i < n; i++)
    list = arena_printf(arena, "%s%s%.*s", list, i ? ", " : "", (int)names[i].n, names[i].s);
  return list;
}

enum { SOME_NAMES = 3 };

const char *targets_near_text(const Program *p, Str pattern, Arena *arena) {
  Str names[SOME_NAMES];
  uint32_t n = targets_near(p, pattern, arena, SOME_NAMES, names);
  if (n) return arena_printf(arena, "; near names: %s", list_names(arena, names, n));
  Entries entries = scope_of(p, &pattern, arena);
  uint32_t count = 0;
  for (uint32_t f = 0; f < entries.n; f++)
    for (uint32_t i = 0; i < function_n_arguments(p, entries.v[f]); i++, count++)
      if (n < SOME_NAMES) {
        names[n] = argument_path(p, entries.v[f], i, arena);
        if (!names[n].n) names[n] = str_of(arena_printf(arena, "arg%u", i));
        n++;
      }
  const char *how = "by path, number or glob (*, ?, [abc])";
  if (!n) return arena_printf(arena, "; arguments are called %s", how);
  const char *more = count > n ? arena_printf(arena, " and %u more", count - n) : "";
  return arena_printf(arena, "; the arguments are %s%s; they are called %s",
                      list_names(arena, names, n), more, how);
}

// ---- for messages ----

#define AS_TEXT "JAX's as_text(debug_info=True) prints "

// The nearest lines with ops, or why there are no locations.
static const char *line_hint(const Program *p, Str file, uint32_t line, Arena *arena) {
  if (p->source && same_file(file, str_of(p->source->path)))
    return "; no op of that line defines a value";
  LocationWalk walk = {.context = p->context, .file = file, .line = line};
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root))
    if (op_at(p, o)->n_results) look_at(&walk, op_at(p, o));
  if (!walk.any) return "; the program has no locations in files: " AS_TEXT "them";
  if (!walk.same) return "; no op has a location in that file";
  if (!walk.before || !walk.after)
    return arena_printf(arena, "; the nearest line that ops come from is %u",
                        walk.before + walk.after);
  return arena_printf(arena, "; the nearest lines that ops come from are %u and %u", walk.before,
                      walk.after);
}

static bool has_open_bracket(Str pattern) {
  for (size_t i = 0; i < pattern.n; i++) {
    if (pattern.s[i] == '\\')
      i++;
    else if (pattern.s[i] == '[' && closing(pattern, i) == pattern.n)
      return true;
  }
  return false;
}

const char *targets_hint(const Program *p, Str pattern, Arena *arena) {
  Entries entries = scope_of(p, &pattern, arena);
  Str file;
  uint32_t line;
  if (is_line(pattern, &file, &line)) return line_hint(p, file, line, arena);
  if (str_starts(pattern, "%") || is_numbered(pattern) || str_starts(pattern, "result") ||
      str_starts(pattern, "out"))
    return "";
  uint32_t n = 0;
  for (uint32_t f = 0; f < entries.n; f++)
    for (uint32_t i = 0; i < function_n_arguments(p, entries.v[f]); i++, n++)
      if (argument_path(p, entries.v[f], i, arena).n)
        return has_open_bracket(pattern) ? "; its '[' has no ']'" : "";
  return n ? "; the arguments have but numbers here: " AS_TEXT "their paths" : "";
}

const char *target_text(const Program *p, const Target *target, Arena *arena) {
  if (target->kind == TARGET_VALUE) {
    const Value *v = value_at(p, target->value);
    Str name = name_str(p->context, v->name);
    if (v->is_arg || !v->index) return arena_printf(arena, "%%%.*s", (int)name.n, name.s);
    name = name_str(p->context, value_at(p, op_at(p, v->def)->results)->name);
    return arena_printf(arena, "%%%.*s#%u", (int)name.n, name.s, v->index);
  }
  bool argument = target->kind == TARGET_ARGUMENT;
  Str path = argument ? argument_path(p, target->function, target->index, arena)
                      : result_path(p, target->function, target->index, arena);
  return arena_printf(arena, "%s %u%s%.*s%s", argument ? "argument" : "result", target->index,
                      path.n ? " '" : "", (int)path.n, path.n ? path.s : "", path.n ? "'" : "");
}

Type target_type(const Program *p, const Target *target) {
  if (target->kind == TARGET_RESULT)
    return function_result_type(p, target->function, target->index);
  if (!target->value) return function_argument_type(p, target->function, target->index);
  return value_type(p, target->value);
}

Pos target_pos(const Program *p, const Target *target) {
  OpId def = target->value ? value_def(p, target->value) : 0;
  return op_at(p, def ? def : target->function)->pos;
}
