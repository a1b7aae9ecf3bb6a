// Problem: the user names a few dimensions; every other dimension needs the name that ops imply.
// Idea: read names into labels of dims, compute classes of dims that ops make one
// (sharding/classes.h), and name each class by its label, as a variant of a named class, or by
// size.
//
//   labels    %arg0: [batch, _]          dot_general: %arg0[b,k] x %arg1[k,f] -> %0[b,f]
//   classes   {%arg0.0, %0.0} = batch    {%arg0.1, %arg1.0} = d32    {%arg1.1, %0.1} = d64
//
// Invariant: names do not depend on the order of functions in the module. Dims are numbered from
// @main, then the other entry functions by name; arguments first, then tensors in execution order.
// Cost: O(graph · α) for the classes, O(dims) for the rest.
#include "annotate/names.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/heap.h"
#include "ops/op.h"
#include "annotate/names_private.h"

// ---- names of places ----

Target names_target(const Names *names, PlaceId place) {
  const Graph *g = names->graph;
  const Place *pl = &g->places[place];
  OpId function = g->instances[pl->instance].function;
  if (!pl->value) return (Target){function, TARGET_RESULT, pl->index, 0};
  const Value *v = value_at(g->program, pl->value);
  bool argument = v->is_arg && function_argument(g->program, function, v->index) == pl->value;
  return (Target){function, argument ? TARGET_ARGUMENT : TARGET_VALUE, v->index, pl->value};
}

const char *namer_place_text(const Namer *n, PlaceId place) {
  Target target = names_target(n->out, place);
  return target_text(n->p, &target, n->arena);
}

static PlaceId dim_place(const Namer *n, uint32_t dim, uint32_t *out_d) {
  PlaceId place = n->out->place_of_dim[dim];
  *out_d = dim - n->out->first_dim[place];
  return place;
}

const char *namer_dim_text(const Namer *n, uint32_t dim) {
  uint32_t d;
  PlaceId place = dim_place(n, dim, &d);
  return arena_printf(n->arena, "dimension %u of %s", d, namer_place_text(n, place));
}

bool namer_fail(Namer *n, const NameRule *rule, Pos pos, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  n->good = diag_error_va(rule->diag, pos, fmt, args);
  va_end(args);
  return false;
}

// ---- numbering ----

typedef struct Numbering {
  uint32_t n_places;
  uint32_t *number;   // per place of the graph: its new number
  uint32_t *tensors;  // the graph's tensors, renumbered
  uint32_t *place_dims;
  ClassNode *nodes;
  NodeId *node_of;
} Numbering;

static Name function_name(const Program *p, OpId function) {
  return attr_as_name(p->context, op_attr(p, function, "sym_name"));
}

static int compare_text(Str a, Str b) {
  size_t n = a.n < b.n ? a.n : b.n;
  int order = n ? memcmp(a.s, b.s, n) : 0;
  return order ? order : (a.n > b.n) - (a.n < b.n);
}

// @main first, then by name, so that numbering does not depend on the order in the module.
static bool function_before(const Program *p, OpId a, OpId b) {
  Str x = name_str(p->context, function_name(p, a)), y = name_str(p->context, function_name(p, b));
  bool main_x = str_is(x, "main"), main_y = str_is(y, "main");
  return main_x != main_y ? main_x : compare_text(x, y) < 0;
}

static bool instance_before(const void *a, const void *b, const void *namer) {
  const Namer *n = namer;
  const Instance *all = n->g->instances;
  return function_before(n->p, all[*(const InstanceId *)a].function,
                         all[*(const InstanceId *)b].function);
}

// Sorts the root instances by function name. root_of[i] is the rank of instance i's root, from 1.
static uint32_t order_roots(const Namer *n, InstanceId *roots, uint32_t *root_of) {
  const Graph *g = n->g;
  uint32_t count = 0;
  for (InstanceId i = 1; i < g->n_instances; i++)
    if (!g->instances[i].caller) roots[count++] = i;
  heap_sort(roots, count, &(HeapOrder){sizeof *roots, instance_before, n});
  for (uint32_t i = 0; i < count; i++) root_of[roots[i]] = i + 1;
  VEC(InstanceId) path = {0};
  for (InstanceId i = 1; i < g->n_instances; i++) {
    InstanceId up = i;
    // Path compression: each instance is climbed through once. O(instances) in total.
    for (path.count = 0; !root_of[up]; up = g->instances[up].caller) VEC_PUSH(n->arena, &path, up);
    while (path.count) root_of[path.items[--path.count]] = root_of[up];
  }
  return count;
}

// Gives a place its number and its dims consecutive numbers, once.
static void number_place(Namer *n, Numbering *num, PlaceId place) {
  if (!place || num->number[place]) return;
  uint32_t mine = num->number[place] = ++num->n_places;
  const TypeInfo *type = type_info(n->context, n->g->places[place].type);
  n->out->first_dim[place] = n->n_dims;
  num->place_dims[mine] = n->n_dims;
  for (uint32_t d = 0; d < type->rank; d++) {
    n->sizes[n->n_dims] = type->dims[d];
    n->out->place_of_dim[n->n_dims++] = place;
  }
  num->place_dims[mine + 1] = n->n_dims;
}

static void number_edges(Namer *n, Numbering *num, InstanceId root) {
  OpId function = n->g->instances[root].function;
  for (uint32_t i = 0; i < function_n_arguments(n->p, function); i++) {
    ValueId value = function_argument(n->p, function, i);
    if (value) number_place(n, num, graph_place(n->g, root, value));
  }
}

static void number_all(Namer *n, Numbering *num) {
  const Graph *g = n->g;
  uint64_t n_dims = 0;
  uint32_t n_tensors = 1;
  for (PlaceId p = 1; p < g->n_places; p++)
    n_dims += type_info(n->context, g->places[p].type)->rank;
  for (NodeId i = 1; i < g->n_nodes; i++) {
    uint32_t end = g->nodes[i].tensors + factor_map_n_tensors(node_map(g, i));
    if (end > n_tensors) n_tensors = end;
  }
  n->sizes = ARENA_ARRAY(n->arena, int64_t, n_dims + 1);
  n->out->first_dim = ARENA_ARRAY(n->arena, uint32_t, g->n_places + 1);
  n->out->place_of_dim = ARENA_ARRAY(n->arena, PlaceId, n_dims + 1);
  num->number = ARENA_ARRAY(n->arena, uint32_t, g->n_places + 1);
  num->place_dims = ARENA_ARRAY(n->arena, uint32_t, g->n_places + 2);
  num->nodes = ARENA_ARRAY(n->arena, ClassNode, g->n_nodes + 1);
  num->node_of = ARENA_ARRAY(n->arena, NodeId, g->n_nodes + 1);
  InstanceId *roots = ARENA_ARRAY(n->arena, InstanceId, g->n_instances + 1);
  uint32_t *root_of = ARENA_ARRAY(n->arena, uint32_t, g->n_instances + 1);
  uint32_t n_roots = order_roots(n, roots, root_of);
  // Counting sort of the nodes by root; inside a root the execution order stays.
  uint32_t *at = ARENA_ARRAY(n->arena, uint32_t, n_roots + 2);
  for (NodeId i = 1; i < g->n_nodes; i++) at[root_of[g->nodes[i].instance] + 1]++;
  for (uint32_t r = 1; r < n_roots + 2; r++) at[r] += at[r - 1];
  for (NodeId i = 1; i < g->n_nodes; i++) num->node_of[at[root_of[g->nodes[i].instance]]++] = i;
  for (uint32_t r = 0; r < n_roots; r++) number_edges(n, num, roots[r]);
  for (uint32_t i = 0; i + 1 < g->n_nodes; i++) {
    NodeId node = num->node_of[i];
    num->nodes[i] =
        (ClassNode){g->nodes[node].map, g->nodes[node].tensors, g->nodes[node].kind != NODE_OP};
    for (uint32_t t = 0; t < factor_map_n_tensors(node_map(g, node)); t++)
      number_place(n, num, node_tensors(g, node)[t]);
  }
  // Places that no node touches come last.
  for (PlaceId p = 1; p < g->n_places; p++) number_place(n, num, p);
  num->tensors = ARENA_ARRAY(n->arena, uint32_t, n_tensors);
  for (uint32_t t = 0; t < n_tensors; t++)
    num->tensors[t] = g->tensors && g->tensors[t] < g->n_places ? num->number[g->tensors[t]] : 0;
  num->place_dims[num->n_places + 1] = n->n_dims;
}

// An id for arguments whose paths differ only in digits (parameters of equal layers); 0 without
// digits. Arguments of equal id and type are named alike.
static uint32_t pattern_of(const Namer *n, OpId function, uint32_t i, Type type) {
  Str path = argument_path(n->p, function, i, n->arena);
  char *text = arena_alloc(n->arena, path.n + 1);
  size_t length = 0;
  bool digits = false;
  for (size_t k = 0; k < path.n; k++) {
    bool digit = path.s[k] >= '0' && path.s[k] <= '9';
    digits |= digit;
    if (!digit) text[length++] = path.s[k];
    // A run of digits becomes one `*`: layers.12.w and layers.3.w are alike.
    if (digit && (!length || text[length - 1] != '*')) text[length++] = '*';
  }
  if (!digits) return 0;
  return name_of(n->context,
                 arena_printf(n->arena, "%.*s %u %u", (int)length, text, function, type));
}

// Tells classes_build which arguments are parameters of equal layers.
static uint32_t *find_alike(const Namer *n, const Numbering *num) {
  const Graph *g = n->g;
  uint32_t *alike = ARENA_ARRAY(n->arena, uint32_t, num->n_places + 1);
  for (InstanceId root = 1; root < g->n_instances; root++) {
    if (g->instances[root].caller) continue;
    OpId function = g->instances[root].function;
    for (uint32_t i = 0; i < function_n_arguments(n->p, function); i++) {
      ValueId value = function_argument(n->p, function, i);
      PlaceId place = value ? graph_place(g, root, value) : 0;
      if (place) alike[num->number[place]] = pattern_of(n, function, i, g->places[place].type);
    }
  }
  return alike;
}

// ---- explaining two names for one dimension ----

static Str base_of(Str name) {
  while (name.n && name.s[name.n - 1] == '\'') name.n--;
  return name;
}

typedef struct Step {
  uint32_t from;  // dim + 1; 0 = not seen
  NodeId node;
} Step;

// Breadth-first step: queues the dims that the node ties to `dim` and that are of class `only`.
static void visit_tied(const Namer *n, NodeId node, uint32_t dim, Step *steps, uint32_t *queue,
                       uint32_t *count, ClassId only) {
  const Graph *g = n->g;
  const FactorMap *m = node_map(g, node);
  uint32_t d;
  PlaceId place = dim_place(n, dim, &d);
  for (uint32_t t = 0; t < factor_map_n_tensors(m); t++) {
    if (node_tensors(g, node)[t] != place || d >= factor_map_rank(m, t)) continue;
    FactorList mine = factor_map_dim(m, t, d);
    if (mine.n != 1) continue;
    for (uint32_t u = 0; u < factor_map_n_tensors(m); u++) {
      uint32_t e, unused;
      PlaceId other = node_tensors(g, node)[u];
      if (!other || !factor_map_find(m, u, mine.v[0], &e, &unused)) continue;
      uint32_t to = n->out->first_dim[other] + e;
      if (factor_map_dim(m, u, e).n != 1 || steps[to].from || n->out->classes.class_of[to] != only)
        continue;
      steps[to] = (Step){dim + 1, node};
      queue[(*count)++] = to;
    }
  }
}

// Adds notes: where the dim's name was given, and the ops on a shortest path from there to the dim.
static void explain(const Namer *n, uint32_t dim, Name label) {
  Diag *diag = n->diag;
  enum { MOST_SHOWN = 6 };
  Step *steps = ARENA_ARRAY(n->arena, Step, n->n_dims + 1);
  uint32_t *queue = ARENA_ARRAY(n->arena, uint32_t, n->n_dims + 1), count = 0, found = dim;
  queue[count++] = dim;
  steps[dim].from = dim + 1;
  for (uint32_t i = 0; i < count; i++) {
    found = queue[i];
    if (n->labels[found] == label) break;
    PlaceId place = n->out->place_of_dim[found];
    for (uint32_t a = n->g->adjacent_first[place]; a < n->g->adjacent_first[place + 1]; a++)
      visit_tied(n, n->g->adjacent[a], found, steps, queue, &count, n->out->classes.class_of[dim]);
  }
  if (n->labels[found] != label) return;
  const NameRule *rule = n->given[found].rule;
  diag_note(diag, rule->diag == diag ? rule->pos : POS_NONE, "%s is called '%s' by %.*s",
            namer_dim_text(n, found), name_text(n->context, label), (int)rule->from.n,
            rule->from.s);
  uint32_t shown = 0;
  for (uint32_t at = found; at != dim && shown < MOST_SHOWN; at = steps[at].from - 1, shown++) {
    OpId op = n->g->nodes[steps[at].node].op;
    diag_note(diag, op_at(n->p, op)->pos, "%s is %s by %s", namer_dim_text(n, at),
              namer_dim_text(n, steps[at].from - 1), op_name(n->p, op));
  }
}

// Two labels met in one class. `length` and `length'` are meant to differ, so they are no error.
static void report_clash(Namer *n, const ClassClash *clash, const NodeId *node_of) {
  Str a = name_str(n->context, clash->label_a), b = name_str(n->context, clash->label_b);
  if (str_equal(base_of(a), base_of(b))) return;  // the names keep them apart on purpose
  OpId op = n->g->nodes[node_of[clash->node]].op;
  n->good =
      diag_error(n->diag, op_at(n->p, op)->pos,
                 "two names for one dimension: %s is '%.*s', %s is '%.*s', and %s makes them "
                 "one; give both one name, or call one %.*s'",
                 namer_dim_text(n, clash->dim_a), (int)a.n, a.s, namer_dim_text(n, clash->dim_b),
                 (int)b.n, b.s, op_name(n->p, op), (int)a.n, a.s);
  explain(n, clash->dim_a, clash->label_a);
  explain(n, clash->dim_b, clash->label_b);
}

// ---- names of classes ----

typedef struct Used {
  bool *name;  // per Name
  uint32_t n;
} Used;

static bool is_used(const Used *used, Name name) { return name < used->n && used->name[name]; }

// A growing bit table by Name: amortized O(1).
static void use(Namer *n, Used *used, Name name) {
  if (name >= used->n) {
    uint32_t more = 2 * name + 64;
    bool *grown = ARENA_ARRAY(n->arena, bool, more);
    if (used->n) memcpy(grown, used->name, used->n);
    used->name = grown;
    used->n = more;
  }
  used->name[name] = true;
}

// The first unused name from `*next` on: d128, d128b … d128z, d128_27 ….
static Name make_up(Namer *n, Used *used, int64_t size, uint32_t *next) {
  for (;;) {
    uint32_t k = (*next)++;
    char text[48];
    int length = size == DIM_DYNAMIC ? snprintf(text, sizeof text, "dynamic")
                                     : snprintf(text, sizeof text, "d%" PRId64, size);
    if (k > 0 && k < 26)
      snprintf(text + length, sizeof text - (size_t)length, "%c", (char)('a' + k));
    else if (k)
      snprintf(text + length, sizeof text - (size_t)length, "_%u", k + 1);
    Name name = name_of(n->context, text);
    if (!is_used(used, name)) return name;
  }
}

// The first unused name of base', base'', ….
static Name primed(Namer *n, Used *used, Name base) {
  const char *text = name_text(n->context, base);
  for (;;) {
    text = arena_printf(n->arena, "%s'", text);
    Name name = name_of(n->context, text);
    if (!is_used(used, name)) return name;
  }
}

// Next suffix per size; an open-addressed hash table.
typedef struct SizeCount {
  int64_t size;
  uint32_t next;
  bool taken;
} SizeCount;

// The counter of a size; inserts it if it is new.
static uint32_t *count_of(SizeCount *table, uint32_t mask, int64_t size) {
  uint32_t at = (uint32_t)hash_mix((uint64_t)size, 1) & mask;
  while (table[at].taken && table[at].size != size) at = (at + 1) & mask;
  table[at].size = size;
  table[at].taken = true;
  return &table[at].next;
}

// A class is named by the first label among its dims. The first name in a family (classes that are
// variants of each other) is the base for primes.
static void take_labels(Namer *n, Used *used, Name *family_base) {
  const Classes *c = &n->out->classes;
  for (uint32_t d = 0; d < n->n_dims; d++) {
    DimName *name = &n->out->names[c->class_of[d]];
    if (!n->labels[d] || name->text) continue;
    *name = (DimName){
        .text = n->labels[d], .origin = n->given[d].rule->origin, .from = n->given[d].rule->from};
    use(n, used, name->text);
  }
  for (ClassId i = 1; i <= c->n_classes; i++) {
    Name *base = &family_base[c->classes[i].family];
    if (n->out->names[i].text && !*base) *base = n->out->names[i].text;
  }
}

// Sets `from` of variants: the value that has both dimensions.
static void explain_variants(Namer *n, const Name *family_base) {
  const Classes *c = &n->out->classes;
  for (uint32_t d = 0; d < n->n_dims; d++) {
    ClassId id = c->class_of[d];
    DimName *name = &n->out->names[id];
    if (name->origin != NAME_VARIANT || name->from.n) continue;
    PlaceId place = n->out->place_of_dim[d];
    uint32_t first = n->out->first_dim[place];
    uint32_t rank = type_info(n->context, n->g->places[place].type)->rank;
    for (uint32_t e = first; e < first + rank; e++) {
      ClassId other = c->class_of[e];
      if (other == id || c->classes[other].family != c->classes[id].family) continue;
      name->from = str_of(arena_printf(n->arena, "%s has %s too", namer_place_text(n, place),
                                       name_text(n->context, n->out->names[other].text)));
      break;
    }
  }
  for (ClassId i = 1; i <= c->n_classes; i++) {
    DimName *name = &n->out->names[i];
    if (name->origin != NAME_VARIANT || name->from.n) continue;
    name->from = str_of(arena_printf(n->arena, "kept apart from %s",
                                     name_text(n->context, family_base[c->classes[i].family])));
  }
}

// Labels first, so that generated names avoid them; then variants and names by size.
static void name_classes(Namer *n) {
  const Classes *c = &n->out->classes;
  n->out->names = ARENA_ARRAY(n->arena, DimName, c->n_classes + 1);
  Name *family_base = ARENA_ARRAY(n->arena, Name, c->n_classes + 1);
  Used used = {0};
  uint32_t mask = 64;
  while (mask < 2 * c->n_classes) mask *= 2;
  SizeCount *sizes = ARENA_ARRAY(n->arena, SizeCount, mask--);
  take_labels(n, &used, family_base);
  for (ClassId i = 1; i <= c->n_classes; i++) {
    const ClassInfo *info = &c->classes[i];
    DimName *name = &n->out->names[i];
    // Dimensions of size 1 and products have no name of their own.
    if (name->text || info->size == 1 || info->n_parts) continue;
    if (family_base[info->family]) {
      name->text = primed(n, &used, family_base[info->family]);
      name->origin = NAME_VARIANT;
    } else {
      name->text = make_up(n, &used, info->size, count_of(sizes, mask, info->size));
      name->origin = NAME_MADE_UP;
      family_base[info->family] = name->text;
      if (info->first != UINT32_MAX) name->from = str_of(namer_dim_text(n, info->first));
    }
    use(n, &used, name->text);
  }
  explain_variants(n, family_base);
  for (uint32_t d = 0; d < n->n_dims; d++) {
    const ClassInfo *info = &c->classes[c->class_of[d]];
    for (uint32_t i = 0; i < info->n_parts; i++) {
      DimName *part = &n->out->names[c->parts[info->parts + i]];
      part->n_products++;
      if (part->origin == NAME_MADE_UP && !part->from.n)
        part->from = str_of(arena_printf(n->arena, "part of %s", namer_dim_text(n, d)));
    }
  }
}

// Marks the classes of an argument or result, and the factors of its products.
static void mark_edge(Namer *n, PlaceId place) {
  uint32_t rank = place ? type_info(n->context, n->g->places[place].type)->rank : 0;
  const Classes *c = &n->out->classes;
  for (uint32_t d = 0; d < rank; d++) {
    ClassId id = names_class(n->out, place, d);
    n->out->names[id].edge = true;
    for (uint32_t i = 0; i < c->classes[id].n_parts; i++)
      n->out->names[c->parts[c->classes[id].parts + i]].edge = true;
  }
}

static void mark_edges(Namer *n) {
  for (InstanceId i = 1; i < n->g->n_instances; i++) {
    const Instance *instance = &n->g->instances[i];
    if (instance->caller) continue;
    for (uint32_t a = 0; a < function_n_arguments(n->p, instance->function); a++) {
      ValueId value = function_argument(n->p, instance->function, a);
      if (value) mark_edge(n, graph_place(n->g, i, value));
    }
    for (uint32_t r = 0; r < instance->n_results; r++) mark_edge(n, graph_result_place(n->g, i, r));
  }
}

// A written product must equal the product of its parts' names.
static void check_products(Namer *n) {
  for (uint32_t i = 0; i < n->products.count; i++) {
    const Product *product = &n->products.items[i];
    Str text = names_text(n->out, n->out->classes.class_of[product->dim]);
    if (!str_equal(product->text, text))
      namer_fail(n, product->given.rule, product->given.pos,
                 "%s is %.*s, not %.*s: products follow from their parts",
                 namer_dim_text(n, product->dim), (int)text.n, text.s, (int)product->text.n,
                 product->text.s);
  }
}

// ---- public ----

bool names_build(const Graph *graph, Arena *arena, Diag *diag, Diag *side_diag, Names *out) {
  *out = (Names){.graph = graph, .arena = arena};
  Namer n = {.g = graph,
             .p = graph->program,
             .context = graph->program->context,
             .arena = arena,
             .diag = diag,
             .out = out,
             .good = true};
  Numbering num = {0};
  number_all(&n, &num);
  n.labels = ARENA_ARRAY(arena, uint32_t, n.n_dims + 1);
  n.given = ARENA_ARRAY(arena, GivenName, n.n_dims + 1);
  if (side_diag) namer_read_side(&n, side_diag);
  namer_read_attributes(&n);
  namer_check_labels(&n);
  ClassInput in = {.n_places = num.n_places,
                   .place_dims = num.place_dims,
                   .sizes = n.sizes,
                   .labels = n.labels,
                   .alike = find_alike(&n, &num),
                   .n_nodes = graph->n_nodes ? graph->n_nodes - 1 : 0,
                   .n_maps = graph->n_maps,
                   .nodes = num.nodes,
                   .tensors = num.tensors,
                   .maps = graph->maps};
  classes_build(&in, arena, &out->classes);
  for (uint32_t i = 0; i < out->classes.clashes.count && !diag_full(diag); i++)
    report_clash(&n, &out->classes.clashes.items[i], num.node_of);
  name_classes(&n);
  mark_edges(&n);
  check_products(&n);
  return n.good;
}

Str names_text(const Names *names, ClassId id) {
  const Context *context = names->graph->program->context;
  const ClassInfo *info = &names->classes.classes[id];
  if (names->names[id].text) return name_str(context, names->names[id].text);
  const char *text = "_";
  for (uint32_t i = 0; i < info->n_parts; i++) {
    Name part = names->names[names->classes.parts[info->parts + i]].text;
    const char *word = part ? name_text(context, part) : "_";
    text = i ? arena_printf(names->arena, "%s*%s", text, word) : word;
  }
  return str_of(text);
}

void names_print_place(const Names *names, PlaceId place, StrBuf *out) {
  const Graph *g = names->graph;
  uint32_t rank = place ? type_info(g->program->context, g->places[place].type)->rank : 0;
  for (uint32_t d = 0; d < rank; d++) {
    if (d) strbuf_putc(out, ',');
    strbuf_put_str(out, names_text(names, names_class(names, place, d)));
  }
}

// Insertion into a short list sorted by edit distance. O(classes).
uint32_t names_near(const Names *names, Str text, uint32_t most, Str *out) {
  uint32_t far[8], n = 0, limit = (uint32_t)text.n / 2 + 1;
  if (limit > 4) limit = 4;
  if (most > 8) most = 8;
  for (ClassId i = 1; i <= names->classes.n_classes; i++) {
    Str name = name_str(names->graph->program->context, names->names[i].text);
    uint32_t d = name.n ? str_distance(text, name, limit) : UINT32_MAX;
    if (d > limit || (n == most && d >= far[n - 1])) continue;
    uint32_t at = n < most ? n++ : n - 1;
    for (; at && far[at - 1] > d; at--) {
      far[at] = far[at - 1];
      out[at] = out[at - 1];
    }
    far[at] = d;
    out[at] = name;
  }
  return n;
}
