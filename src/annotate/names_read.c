// Reads names from a file or from `tessera.dims` attributes into labels of dims. The first rule
// that names a dim wins. A hash index finds exact names in O(1) per line, so a file with thousands
// of lines is linear; only globs walk the program.
#include <inttypes.h>

#include "ops/op.h"
#include "annotate/names_private.h"
#include "annotate/target_index.h"

typedef struct SideReader {
  Namer *n;
  const TargetIndex *index;  // NULL: not built yet
  Arena scratch;             // for one line
} SideReader;

static const char blanks[] = " \t\r";

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

// Letters, digits and `_ - .`, starting with a letter or _; primes at the end.
static bool is_name(Str s) {
  while (s.n && s.s[s.n - 1] == '\'') s.n--;
  if (!s.n || !is_letter(s.s[0])) return false;
  for (size_t i = 1; i < s.n; i++)
    if (!is_letter(s.s[i]) && !(s.s[i] >= '0' && s.s[i] <= '9') && s.s[i] != '-' && s.s[i] != '.')
      return false;
  return true;
}

// Labels one dim unless an earlier rule did. `_` keeps a dim without a name.
static bool label_dim(Namer *n, const NameRule *rule, uint32_t dim, Str name, Pos pos) {
  if (n->given[dim].rule) return true;  // an earlier rule names it
  n->given[dim] = (GivenName){rule, pos};
  if (str_is(name, "_")) return true;
  if (memchr(name.s, '*', name.n)) {
    Product product = {dim, name, n->given[dim]};
    VEC_PUSH(n->arena, &n->products, product);
    return true;
  }
  if (!is_name(name))
    return namer_fail(n, rule, pos, "'%.*s' is no name of a dimension: letters, digits and _ are",
                      (int)name.n, name.s);
  n->labels[dim] = name_intern(n->context, name);
  return true;
}

// Labels the dimensions of one place; `...` stands for any number of unnamed dimensions.
static bool label_place(Namer *n, const NameRule *rule, const Target *target, PlaceId place) {
  Str items[64];
  Pos pos[64];
  uint32_t count = 0, rest = UINT32_MAX;
  Str text = str_trim(rule->text, blanks);
  for (size_t begin = 0; text.n && begin <= text.n;) {
    size_t end = begin;
    while (end < text.n && text.s[end] != ',') end++;
    if (count == 64) return namer_fail(n, rule, rule->pos, "more than 64 names for one value");
    items[count] = str_trim((Str){text.s + begin, end - begin}, blanks);
    pos[count] = rule->text_pos == POS_NONE ? rule->pos
                                            : rule->text_pos + (Pos)(items[count].s - rule->text.s);
    if (str_is(items[count], "...")) {
      if (rest != UINT32_MAX)
        return namer_fail(n, rule, pos[count], "'...' stands twice in one list");
      rest = count;
    } else if (!items[count].n) {
      return namer_fail(n, rule, pos[count],
                        "a name is missing here; _ is a dimension without one");
    }
    count++;
    begin = end + 1;
  }
  uint32_t rank = type_info(n->context, target_type(n->p, target))->rank;
  uint32_t fixed = rest == UINT32_MAX ? count : count - 1;
  if (rest == UINT32_MAX ? fixed != rank : fixed > rank)
    return namer_fail(n, rule, rule->pos, "%u name%s for %s : %s, which has %u dimension%s", fixed,
                      fixed == 1 ? "" : "s", target_text(n->p, target, n->arena),
                      type_text(n->context, target_type(n->p, target)), rank, rank == 1 ? "" : "s");
  if (!place) return true;
  uint32_t first = n->out->first_dim[place];
  for (uint32_t i = 0; i < count; i++) {
    if (i == rest) continue;
    uint32_t d = i < rest ? i : rank - (count - i);
    if (!label_dim(n, rule, first + d, items[i], pos[i])) return false;
  }
  return true;
}

// Labels the target in every instance of its function.
static bool label_target(Namer *n, const NameRule *rule, const Target *target) {
  const Graph *g = n->g;
  bool any = false;
  InstanceId first = graph_instance_of(g, target->function);
  // A root has one instance.
  InstanceId end = g->instances[first].caller ? g->n_instances : first + 1;
  for (InstanceId i = first; i && i < end; i++) {
    if (g->instances[i].function != target->function) continue;
    PlaceId place = target->kind == TARGET_RESULT ? target->index < g->instances[i].n_results
                                                        ? graph_result_place(g, i, target->index)
                                                        : 0
                    : target->value               ? graph_place(g, i, target->value)
                                                  : 0;
    if (!label_place(n, rule, target, place)) return false;
    any = true;
  }
  return any || label_place(n, rule, target, 0);
}

static void nothing_is_called(SideReader *r, const NameRule *rule, Str pattern) {
  const char *why = targets_hint(r->n->p, pattern, &r->scratch);
  if (!why[0]) why = targets_near_text(r->n->p, pattern, &r->scratch);
  namer_fail(r->n, rule, rule->pos, "nothing is called '%.*s'%s", (int)pattern.n, pattern.s, why);
}

// Reads one line of the file: PATTERN: name, name.
static void read_line(SideReader *r, Diag *diag, Str line, uint32_t number) {
  Namer *n = r->n;
  size_t end = line.n;
  for (size_t i = 0; i < end; i++)
    if (line.s[i] == '#' && (!i || (line.s[i - 1] && strchr(blanks, line.s[i - 1])))) end = i;
  Str text = str_trim((Str){line.s, end}, blanks);
  if (!text.n) return;
  const Source *source = diag->source;
  NameRule *rule = ARENA_NEW(n->arena, NameRule);
  *rule = (NameRule){.diag = diag, .pos = (Pos)(text.s - source->text), .origin = NAME_FILE};
  rule->from = str_of(arena_printf(n->arena, "%s:%u", source->path, number));
  size_t colon = text.n;
  while (colon && text.s[colon - 1] != ':') colon--;  // the last colon: `@f:arg0: batch`
  if (colon < 2) {
    namer_fail(n, rule, rule->pos, "expected PATTERN: NAME, NAME, as in 'arg0: batch, length'");
    return;
  }
  Str pattern = str_trim((Str){text.s, colon - 1}, blanks);
  rule->text = (Str){text.s + colon, text.n - colon};
  rule->text_pos = (Pos)(rule->text.s - source->text);
  ArenaMark mark = arena_mark(&r->scratch);
  if (!r->index) r->index = target_index_new(r->n->p, r->n->arena);
  TargetList targets = target_index_find(r->index, pattern, &r->scratch);
  if (!targets.n) nothing_is_called(r, rule, pattern);
  for (uint32_t t = 0; t < targets.n; t++)
    if (!label_target(n, rule, &targets.v[t])) break;
  arena_rewind(&r->scratch, mark);
}

void namer_read_side(Namer *n, Diag *diag) {
  const Source *source = diag->source;
  Guard *guard = n->arena->guard;
  SideReader reader = {.n = n};
  arena_init(&reader.scratch, guard);
  GuardCleanup cleanup = {.release = arena_release, .object = &reader.scratch};
  guard_push(guard, &cleanup);
  uint32_t number = 1;
  for (size_t at = 0; at < source->size && !diag_full(diag); number++) {
    const char *newline = memchr(source->text + at, '\n', source->size - at);
    size_t end = newline ? (size_t)(newline - source->text) : source->size;
    read_line(&reader, diag, (Str){source->text + at, end - at}, number);
    at = end + 1;
  }
  guard_pop(guard, &cleanup);
  arena_deinit(&reader.scratch);
}

// Reads tessera.dims of one argument or result.
static void read_attribute(Namer *n, OpId function, const char *list, uint32_t i, bool argument) {
  const AttrInfo *dicts = attr_info(n->context, op_attr(n->p, function, list));
  if (dicts->kind != ATTR_ARRAY || i >= dicts->count) return;
  Attr attr = attr_get(n->context, dicts->items[i], "tessera.dims");
  if (!attr) return;
  Target target = {function, argument ? TARGET_ARGUMENT : TARGET_RESULT, i,
                   argument ? function_argument(n->p, function, i) : 0};
  NameRule *rule = ARENA_NEW(n->arena, NameRule);
  const char *who = target_text(n->p, &target, n->arena);
  *rule = (NameRule){.diag = n->diag,
                     .pos = op_at(n->p, function)->pos,
                     .from = str_of(arena_printf(n->arena, "attribute of %s", who)),
                     .text = name_str(n->context, attr_as_name(n->context, attr)),
                     .text_pos = POS_NONE,
                     .origin = NAME_ATTRIBUTE};
  if (attr_info(n->context, attr)->kind != ATTR_STRING)
    namer_fail(n, rule, rule->pos, "tessera.dims of %s must be a string, as \"batch, length\"",
               who);
  else
    label_target(n, rule, &target);
}

void namer_read_attributes(Namer *n) {
  for (OpId o = n->p->root; o; o = op_walk_next(n->p, o, n->p->root)) {
    if (!(op_row(op_at(n->p, o)->code)->traits & TRAIT_FUNCTION)) continue;
    for (uint32_t i = 0; i < function_n_arguments(n->p, o); i++)
      read_attribute(n, o, "arg_attrs", i, true);
    for (uint32_t i = 0; i < function_n_results(n->p, o); i++)
      read_attribute(n, o, "res_attrs", i, false);
  }
}

// Checks that a name has one size and occurs once per value.
void namer_check_labels(Namer *n) {
  uint32_t most = 0;
  for (uint32_t d = 0; d < n->n_dims; d++)
    if (n->labels[d] > most) most = n->labels[d];
  uint32_t *first = ARENA_ARRAY(n->arena, uint32_t, most + 1);
  PlaceId *last_place = ARENA_ARRAY(n->arena, PlaceId, most + 1);
  for (uint32_t d = 0; d < n->n_dims; d++) {
    Name label = n->labels[d];
    if (!label) continue;
    PlaceId place = n->out->place_of_dim[d];
    const char *name = name_text(n->context, label);
    if (!first[label]) first[label] = d + 1;
    uint32_t other = first[label] - 1;
    if (n->sizes[other] != n->sizes[d]) {
      namer_fail(n, n->given[d].rule, n->given[d].pos,
                 "'%s' has %" PRId64 " elements as %s but %" PRId64 " as %s: they need two names",
                 name, n->sizes[d], namer_dim_text(n, d), n->sizes[other],
                 namer_dim_text(n, other));
      n->labels[d] = 0;
    } else if (last_place[label] == place) {
      namer_fail(n, n->given[d].rule, n->given[d].pos,
                 "'%s' stands twice in %s: call the second %s'", name, namer_place_text(n, place),
                 name);
      n->labels[d] = 0;
    }
    last_place[label] = place;
  }
}
