// Problem: GSPMD gives each value its own device array; sdy needs one mesh for all.
// Idea: four phases.
//   gather   collect the annotations; parse every distinct string once
//   mesh     a mesh of the program that expresses all strings, else a new one (gspmd_mesh.c)
//   convert  strings to shardings, by the rank of their values
//   rewrite  attributes and custom calls in place, so ids, names and uses stay
// Invariant: the first three phases do not change the program, so an error leaves it as it was.
// Cost: O(program + devices · distinct strings).
#include "interop/gspmd_import.h"

#include <stdio.h>

#include "base/vec.h"
#include "interop/gspmd_calls.h"
#include "interop/gspmd_manual.h"
#include "interop/gspmd.h"

// Limit on the devices of all strings together; it bounds the time to seconds.
#define MOST_CELLS (1u << 27)
enum { MOST_SHOWN = 120 };  // bytes of a string in a message

// A distinct string.
typedef struct Text {
  Attr attr;
  GspmdSharding g;
  uint32_t first;       // index of the first annotation with this string
  Sharding *shardings;  // of a value, or of each tuple item; 0: not converted yet
  uint32_t *ranks;      // ranks that `shardings` were converted for
} Text;

typedef enum Where { ON_ARGUMENT, ON_RESULT, ON_OP } Where;

typedef struct Annotation {
  OpId op;  // of arguments and results: the function
  Where where;
  uint32_t index;  // of the argument or result
  uint32_t text;   // UINT32_MAX: the value also has an sdy sharding; the string is only removed
  Attr value;      // the new attribute: #sdy.sharding, on an op #sdy.sharding_per_value
} Annotation;

typedef struct Import {
  Program *p;
  Context *context;
  ShardingTable *table;
  Arena *arena;
  Diag *diag;
  uint32_t n_devices;  // mhlo.num_partitions; 0: not given
  MeshId mesh;
  const Mesh *new_mesh;  // to add to the program; NULL: `mesh` is the program's
  VEC(Text) texts;
  VEC(Annotation) annotations;
  VEC(uint32_t) text_of;  // per attribute id: index into texts, + 1
  Sharding *of_op;        // per op: the sharding of its only result, manual axes included
  int64_t group_base;
} Import;

// ---- messages ----

static const char *describe(const Import *im, const Annotation *a) {
  if (a->where == ON_OP) return arena_printf(im->arena, "'%s' op", op_name(im->p, a->op));
  return arena_printf(im->arena, "%s %u", a->where == ON_ARGUMENT ? "argument" : "result",
                      a->index);
}

// `'stablehlo.add' op has mhlo.sharding "{…}": reason`.
static bool fail_at(Import *im, const Annotation *a, const char *reason) {
  Str text = name_str(im->context, attr_as_name(im->context, im->texts.items[a->text].attr));
  bool shortened = text.n > MOST_SHOWN;
  return diag_error(im->diag, op_at(im->p, a->op)->pos, "%s has mhlo.sharding \"%.*s%s\": %s",
                    describe(im, a), (int)(shortened ? MOST_SHOWN : text.n), text.s,
                    shortened ? "…" : "", reason);
}

static bool fail_status(Import *im, const Annotation *a, Status *status) {
  return fail_at(im, a, reason_of(im->arena, status));
}

// ---- gathering ----

static bool is_string(const Import *im, Attr attr) {
  return attr_info(im->context, attr)->kind == ATTR_STRING;
}

static bool gspmd_has_manual(const GspmdSharding *g) {
  for (uint32_t i = 0; i < g->n_subgroups; i++)
    if (g->subgroups[i] == GSPMD_SUBGROUP_MANUAL) return true;
  for (uint32_t i = 0; i < g->n_items; i++)
    if (gspmd_has_manual(&g->items[i])) return true;
  return g->kind == GSPMD_MANUAL;
}

// Parses a string unless an equal one was parsed: attributes are interned, so equal strings have
// equal ids.
static void read_text(Import *im, Attr attr, Annotation *a) {
  while (im->text_of.count <= attr) VEC_PUSH(im->arena, &im->text_of, 0);
  if (im->text_of.items[attr]) {
    a->text = im->text_of.items[attr] - 1;
    return;
  }
  Text text = {.attr = attr, .first = im->annotations.count};
  Str string = name_str(im->context, attr_as_name(im->context, attr));
  Status *status = gspmd_parse(im->arena, string, &text.g);
  a->text = im->texts.count;
  VEC_PUSH(im->arena, &im->texts, text);
  im->text_of.items[attr] = im->texts.count;
  if (status) fail_status(im, a, status);
}

// Collects the annotation of one value. With an sdy sharding beside it the string is only removed.
static void gather(Import *im, Attr dict, OpId op, Where where, uint32_t index) {
  Attr string = attr_get(im->context, dict, "mhlo.sharding");
  if (!string || !is_string(im, string)) return;
  Annotation a = {.op = op, .where = where, .index = index, .text = UINT32_MAX};
  if (!attr_get(im->context, dict, "sdy.sharding"))
    read_text(im, string, &a);
  else if (strstr(name_text(im->context, attr_as_name(im->context, string)), "manual"))
    return;  // sdy cannot express manual axes; export keeps the string
  VEC_PUSH(im->arena, &im->annotations, a);
}

static void gather_list(Import *im, OpId op, const char *name, Where where) {
  const AttrInfo *list = attr_info(im->context, op_attr(im->p, op, name));
  for (uint32_t i = 0; list->kind == ATTR_ARRAY && i < list->count; i++)
    gather(im, list->items[i], op, where, i);
}

static void gather_all(Import *im) {
  Program *p = im->p;
  for (OpId o = op_walk_next(p, p->root, p->root); o && !diag_full(im->diag);
       o = op_walk_next(p, o, p->root)) {
    if (op_row(op_at(p, o)->code)->traits & TRAIT_FUNCTION) {
      gather_list(im, o, "arg_attrs", ON_ARGUMENT);
      gather_list(im, o, "res_attrs", ON_RESULT);
    } else if (op_at(p, o)->attrs) {
      gather(im, op_at(p, o)->attrs, o, ON_OP, 0);
    }
    if (op_at(p, o)->code == OP_sdy_sharding_group) {
      int64_t id = attr_as_int(im->context, op_attr(p, o, "group_id"), 0);
      if (id >= im->group_base && id < INT64_MAX) im->group_base = id + 1;
    }
  }
}

// ---- the mesh ----

static uint64_t cells_of(const GspmdSharding *g) {
  uint64_t cells = g->kind == GSPMD_TILED ? g->n_devices : 0;
  for (uint32_t i = 0; i < g->n_items; i++) cells += cells_of(&g->items[i]);
  return cells;
}

// Checks all strings against mhlo.num_partitions and bounds their total size.
static bool check_counts(Import *im) {
  uint64_t cells = 0;
  for (uint32_t i = 0; i < im->texts.count; i++) {
    const Text *t = &im->texts.items[i];
    const Annotation *a = &im->annotations.items[t->first];
    uint32_t n = t->g.kind == GSPMD_TUPLE ? t->g.n_items : 1;
    cells += cells_of(&t->g);
    if (cells > MOST_CELLS)
      return fail_at(im, a, "the strings of the program are over too many devices in all");
    for (uint32_t k = 0; k < n && im->n_devices; k++) {
      const GspmdSharding *g = t->g.kind == GSPMD_TUPLE ? &t->g.items[k] : &t->g;
      if (g->kind == GSPMD_TILED && g->n_devices != im->n_devices)
        return fail_at(
            im, a,
            arena_printf(im->arena,
                         "it is over %u devices, the module's mhlo.num_partitions is %u: make the "
                         "two equal",
                         g->n_devices, im->n_devices));
      if (g->kind == GSPMD_MAXIMAL && g->device >= im->n_devices)
        return fail_at(im, a,
                       arena_printf(im->arena,
                                    "it names device %u, the module's mhlo.num_partitions is %u",
                                    g->device, im->n_devices));
    }
  }
  return true;
}

static bool fits_one(Import *im, const GspmdSharding *g, MeshId mesh) {
  if (g->kind != GSPMD_TILED) return true;
  Sharding sharding;
  ArenaMark mark = arena_mark(im->arena);
  Status *status =
      gspmd_to_sharding(im->table, im->arena, g, mesh, g->n_dims - g->n_subgroups, &sharding);
  arena_rewind(im->arena, mark);
  status_free(status);
  return !status;
}

// Whether the mesh expresses every string. O(devices · axes · strings).
static bool fits_all(Import *im, MeshId mesh) {
  const Mesh *m = sharding_mesh(im->table, mesh);
  if (m->maximal || m->n_devices > GSPMD_MOST_DEVICES ||
      (im->n_devices && m->n_devices != im->n_devices))
    return false;
  for (uint32_t i = 0; i < im->texts.count; i++) {
    const GspmdSharding *g = &im->texts.items[i].g;
    if (!fits_one(im, g, mesh)) return false;
    for (uint32_t k = 0; k < g->n_items; k++)
      if (!fits_one(im, &g->items[k], mesh)) return false;
  }
  return true;
}

// The first mesh of the program that expresses all strings.
static void find_program_mesh(Import *im) {
  Program *p = im->p;
  for (OpId o = op_walk_next(p, p->root, p->root); o; o = op_walk_over(p, o, p->root)) {
    if (op_at(p, o)->code != OP_sdy_mesh) continue;
    const Mesh *mesh;
    Name symbol = attr_as_name(im->context, op_attr(p, o, "sym_name"));
    Status *status = mesh_from_attr(im->context, op_attr(p, o, "mesh"), symbol, &mesh);
    if (status) {
      status_free(status);
      continue;
    }
    MeshId id = sharding_mesh_add(im->table, mesh);
    if (!im->mesh && fits_all(im, id)) im->mesh = id;
  }
}

// A symbol that neither the program nor the sharding table has.
static Name free_symbol(Import *im) {
  SymbolTable symbols;
  Guard *guard = im->arena->guard;
  symbols_init(&symbols, im->p, im->p->root, guard);
  GuardCleanup cleanup = {symbols_release, &symbols, NULL};
  guard_push(guard, &cleanup);
  Name name = name_of(im->context, "mesh");
  for (uint32_t i = 0; symbols_find(&symbols, name) || sharding_mesh_find(im->table, name); i++) {
    char text[24];
    snprintf(text, sizeof text, "mesh_%u", i);
    name = name_of(im->context, text);
  }
  guard_pop(guard, &cleanup);
  symbols_deinit(&symbols);
  return name;
}

static Status *find_mesh(Import *im, Name symbol, uint32_t n, const Mesh **out) {
  const GspmdSharding **list = ARENA_ARRAY(im->arena, const GspmdSharding *, n + 1);
  for (uint32_t i = 0; i < n; i++) list[i] = &im->texts.items[i].g;
  ArenaMark mark = arena_mark(im->arena);
  Status *status = gspmd_find_mesh(im->context, im->arena, symbol, im->n_devices, n, list, out);
  arena_rewind(im->arena, mark);
  return status;
}

// Reports the first string that has no mesh together with those before it. Binary search:
// O(log strings) attempts.
static bool blame(Import *im, Status *status) {
  const char *reason = reason_of(im->arena, status);
  uint32_t good = 0, bad = im->texts.count;
  const Mesh *mesh;
  while (bad - good > 1) {
    uint32_t middle = good + (bad - good) / 2;
    status = find_mesh(im, 0, middle, &mesh);
    if (status) reason = reason_of(im->arena, status);
    *(status ? &bad : &good) = middle;
  }
  const Annotation *a = &im->annotations.items[im->texts.items[bad - 1].first];
  const GspmdSharding *one = &im->texts.items[bad - 1].g;
  if (bad == 1) return fail_at(im, a, reason);
  status = gspmd_find_mesh(im->context, im->arena, 0, im->n_devices, 1, &one, &mesh);
  if (status) return fail_status(im, a, status);
  return fail_at(
      im, a,
      arena_printf(im->arena, "no mesh has it together with the shardings before it: %s", reason));
}

static bool choose_mesh(Import *im) {
  find_program_mesh(im);
  bool needed = false;
  for (uint32_t i = 0; i < im->texts.count; i++)
    needed |= im->texts.items[i].g.kind != GSPMD_MAXIMAL;
  if (im->mesh || !needed) return true;
  Name symbol = free_symbol(im);
  Status *status = find_mesh(im, symbol, im->texts.count, &im->new_mesh);
  if (status) return blame(im, status);
  im->mesh = sharding_mesh_add(im->table, im->new_mesh);
  return true;
}

// ---- strings to shardings ----

static uint32_t rank_of(const Import *im, Type type) {
  const TypeInfo *info = type_info(im->context, type);
  return info->kind == TYPE_TENSOR ? info->rank : 0;
}

// Converts item k of the annotation's tuple, or the string itself, for a value of that rank.
static bool convert(Import *im, const Annotation *a, uint32_t k, uint32_t rank, Sharding *out) {
  Text *t = &im->texts.items[a->text];
  bool tuple = t->g.kind == GSPMD_TUPLE;
  uint32_t n = tuple ? t->g.n_items : 1, i = tuple ? k : 0;
  if (!t->shardings) {
    t->shardings = ARENA_ARRAY(im->arena, Sharding, n + 1);
    t->ranks = ARENA_ARRAY(im->arena, uint32_t, n + 1);
  }
  if (!t->shardings[i] || t->ranks[i] != rank) {
    Sharding sharding;
    ArenaMark mark = arena_mark(im->arena);
    Status *status = gspmd_to_sharding(im->table, im->arena, tuple ? &t->g.items[k] : &t->g,
                                       im->mesh, rank, &sharding);
    arena_rewind(im->arena, mark);
    if (status) return fail_status(im, a, status);
    t->shardings[i] = sharding;
    t->ranks[i] = rank;
  }
  *out = t->shardings[i];
  return true;
}

// Opens the dimensions in the call's `unspecified_dims=[0,2]`.
static bool open_unspecified(Import *im, const Annotation *a, Sharding *sharding) {
  static const char *const names[] = {"backend_config", "mhlo.backend_config"};
  static const char key[] = "unspecified_dims=[";
  const char *at = NULL;
  for (uint32_t i = 0; i < 2 && !at; i++) {
    Attr config = op_attr(im->p, a->op, names[i]);
    if (is_string(im, config))
      at = strstr(name_text(im->context, attr_as_name(im->context, config)), key);
  }
  if (!at) return true;
  const ShardingInfo *info = sharding_info(im->table, *sharding);
  uint32_t rank = info->rank;
  if (sharding_is_maximal(im->table, *sharding)) return true;
  for (at += sizeof key - 1; *at != ']';) {
    uint64_t d = 0;
    const char *begin = at;
    while (*at >= '0' && *at <= '9' && d <= rank) d = d * 10 + (uint64_t)(*at++ - '0');
    if (at == begin || (*at != ',' && *at != ']' && d <= rank))
      return fail_at(im, a, "its unspecified_dims are no list like [0,2]");
    if (d >= rank)
      return fail_at(im, a,
                     arena_printf(im->arena, "unspecified_dims name a dimension above %u, the last",
                                  rank ? rank - 1 : 0));
    *sharding = sharding_with_open(im->table, *sharding, (uint32_t)d, true);
    if (*at == ',') at++;
  }
  return true;
}

// The attribute of a sharding. sdy has no manual axes in shardings; they become replicated={…}, so
// that propagation does not use them.
static bool to_attr(Import *im, const Annotation *a, Sharding sharding, Attr *out) {
  ShardingInfo info = *sharding_info(im->table, sharding);
  if (info.manual.n) {
    info.replicated = axes_concat(im->arena, info.replicated, info.manual);
    info.manual = (AxisList){NULL, 0};
    sharding = sharding_intern(im->table, &info);
  }
  Status *status = sharding_to_attr(im->table, sharding, out);
  return status ? fail_status(im, a, status) : true;
}

static bool convert_edge(Import *im, Annotation *a) {
  Attr type = op_attr(im->p, a->op, "function_type");
  const TypeInfo *info = type_info(im->context, attr_info(im->context, type)->type);
  uint32_t at = a->index + (a->where == ON_RESULT ? info->n_inputs : 0);
  if (info->kind != TYPE_FUNCTION || at >= info->n_items) return true;
  Sharding sharding;
  return convert(im, a, 0, rank_of(im, info->items[at]), &sharding) &&
         to_attr(im, a, sharding, &a->value);
}

static Attr per_value(Context *context, uint32_t n, const Attr *items) {
  NamedAttr field = {name_of(context, "shardings"), attr_array(context, n, items)};
  return attr_struct(context, "sdy.sharding_per_value", 1, &field);
}

// Converts the string of an op with one result, or the tuple of an op with several.
static bool convert_op(Import *im, Annotation *a) {
  const Op *o = op_at(im->p, a->op);
  const Text *t = &im->texts.items[a->text];
  bool tuple = t->g.kind == GSPMD_TUPLE;
  uint32_t n = o->n_results ? o->n_results : 1;
  if (tuple && o->n_results == 1 &&
      type_info(im->context, op_result_type(im->p, a->op, 0))->kind == TYPE_TUPLE) {
    diag_warning(im->diag, o->pos, "%s gives a tuple: its mhlo.sharding is not used",
                 describe(im, a));
    return true;
  }
  if (tuple && t->g.n_items != n)
    return fail_at(im, a,
                   arena_printf(im->arena, "it has %u items for %u results", t->g.n_items, n));
  Attr *items = ARENA_ARRAY(im->arena, Attr, n);
  for (uint32_t i = 0; i < n; i++) {
    // An op without results has only a device assignment; any rank will do.
    uint32_t rank = o->n_results               ? rank_of(im, op_result_type(im->p, a->op, i))
                    : t->g.kind != GSPMD_TILED ? 0
                                               : t->g.n_dims - t->g.n_subgroups;
    Sharding sharding;
    if (!convert(im, a, i, rank, &sharding)) return false;
    if (o->n_results == 1 && !open_unspecified(im, a, &sharding)) return false;
    if (o->n_results == 1) im->of_op[a->op] = sharding;
    if (!to_attr(im, a, sharding, &items[i])) return false;
  }
  a->value = per_value(im->context, n, items);
  return true;
}

// New group ids are shifted by group_base, so they differ from those of existing sharding groups.
static bool check_groups(Import *im) {
  for (uint32_t i = 0; i < im->texts.count; i++) {
    const Text *t = &im->texts.items[i];
    uint32_t n = t->g.kind == GSPMD_TUPLE ? t->g.n_items : 1;
    for (uint32_t k = 0; k < n; k++) {
      const GspmdSharding *g = t->g.kind == GSPMD_TUPLE ? &t->g.items[k] : &t->g;
      if (g->group && g->group_id > INT64_MAX - im->group_base)
        return fail_at(im, &im->annotations.items[t->first], "the number of its group is too high");
    }
  }
  return true;
}

static bool convert_all(Import *im) {
  im->of_op = ARENA_ARRAY(im->arena, Sharding, im->p->ops.count);
  for (uint32_t i = 0; i < im->annotations.count && !diag_full(im->diag); i++) {
    Annotation *a = &im->annotations.items[i];
    if (a->text == UINT32_MAX) continue;
    if (a->where == ON_OP)
      convert_op(im, a);
    else
      convert_edge(im, a);
  }
  return check_groups(im);
}

// ---- rewriting ----

static void add_mesh(Import *im) {
  if (!im->new_mesh) return;
  Program *p = im->p;
  NamedAttr fields[2] = {
      {name_of(im->context, "sym_name"), attr_string(im->context, im->new_mesh->symbol)},
      {name_of(im->context, "mesh"), mesh_to_attr(im->context, im->new_mesh)}};
  OpId mesh = op_create(p, &(OpSpec){.code = OP_sdy_mesh,
                                     .attrs = attr_dict(im->context, 2, fields),
                                     .pos = op_at(p, p->root)->pos});
  BlockId block = region_block(p, op_region(p, p->root, 0));
  OpId first = block_at(p, block)->first;
  if (first)
    op_insert_before(p, mesh, first);
  else
    op_append(p, block, mesh);
}

// Adds a sharding_group after the value's definition.
static void add_group(Import *im, ValueId value, const GspmdSharding *g) {
  Program *p = im->p;
  if (!g->group || !type_is_tensor(im->context, value_type(p, value))) return;
  Attr id = attr_i64(im->context, g->group_id + im->group_base);
  NamedAttr field = {name_of(im->context, "group_id"), id};
  OpId def = value_def(p, value);
  OpId group = op_create(p, &(OpSpec){.code = OP_sdy_sharding_group,
                                      .n_operands = 1,
                                      .operands = &value,
                                      .attrs = attr_dict(im->context, 1, &field),
                                      .pos = def ? op_at(p, def)->pos : POS_NONE,
                                      .origin = def});
  if (def)
    op_insert_after(p, group, def);
  else
    op_insert_before(p, group, block_at(p, value_at(p, value)->def)->first);
}

// Writes the adjacent annotations of one function's arguments or results; returns their number.
static uint32_t write_edges(Import *im, const Annotation *a, uint32_t most) {
  Program *p = im->p;
  const char *name = a->where == ON_ARGUMENT ? "arg_attrs" : "res_attrs";
  const AttrInfo *list = attr_info(im->context, op_attr(p, a->op, name));
  ArenaMark mark = arena_mark(im->arena);
  uint32_t n_items = list->count, n = 0;
  Attr *items = arena_copy(im->arena, list->items, n_items * sizeof *items);
  for (; n < most && a[n].op == a->op && a[n].where == a->where; n++) {
    Attr *dict = &items[a[n].index];
    if (a[n].text == UINT32_MAX || !gspmd_has_manual(&im->texts.items[a[n].text].g))
      *dict = attr_dict_with(im->context, *dict, "mhlo.sharding", 0);
    if (a[n].value) *dict = attr_dict_with(im->context, *dict, "sdy.sharding", a[n].value);
  }
  op_set_attr(p, a->op, name, attr_array(im->context, n_items, items));
  arena_rewind(im->arena, mark);
  return n;
}

// A group of a function's result is a group of the returned value.
static void group_edge(Import *im, const Annotation *a) {
  Program *p = im->p;
  BlockId block = region_block(p, op_region(p, a->op, 0));
  if (!block || a->text == UINT32_MAX || !block_at(p, block)->last) return;
  const GspmdSharding *g = &im->texts.items[a->text].g;
  OpId end = block_at(p, block)->last;
  if (a->where == ON_ARGUMENT && a->index < block_at(p, block)->n_args)
    add_group(im, block_arg(p, block, a->index), g);
  else if (a->where == ON_RESULT && a->index < op_at(p, end)->n_operands)
    add_group(im, op_operand(p, end, a->index), g);
}

// The call's attributes of other dialects; its own are dropped.
static Attr foreign_attrs(Import *im, OpId op) {
  Attr dict = op_at(im->p, op)->attrs, kept = 0;
  const AttrInfo *info = attr_info(im->context, dict);
  for (uint32_t i = 0; i < info->count; i++) {
    const char *name = name_text(im->context, info->fields[i].name);
    if (!strchr(name, '.') || str_is(str_of(name), "mhlo.sharding") ||
        str_is(str_of(name), "mhlo.backend_config") || str_is(str_of(name), "sdy.sharding"))
      continue;
    kept = attr_dict_with(im->context, kept, name, info->fields[i].value);
  }
  return kept;
}

// Turns the call into another op in place: ids, names, positions and uses stay.
static void become(Import *im, OpId op, OpCode code, const char *name, Attr value, Attr sharding) {
  Attr attrs = attr_dict_with(im->context, foreign_attrs(im, op), name, value);
  if (sharding) attrs = attr_dict_with(im->context, attrs, "sdy.sharding", sharding);
  op_at(im->p, op)->code = (uint16_t)code;
  op_at(im->p, op)->attrs = attrs;
}

static void write_op(Import *im, const Annotation *a) {
  Program *p = im->p;
  if (!op_at(p, a->op)->code) return;  // went into a manual computation
  const GspmdSharding *g = a->text == UINT32_MAX ? NULL : &im->texts.items[a->text].g;
  if (!g || !gspmd_has_manual(g)) op_set_attr(p, a->op, "mhlo.sharding", 0);
  if (a->value) op_set_attr(p, a->op, "sdy.sharding", a->value);
  for (uint32_t i = 0; g && i < op_at(p, a->op)->n_results; i++)
    if (g->kind != GSPMD_TUPLE)
      add_group(im, op_result(p, a->op, i), g);
    else if (i < g->n_items)
      add_group(im, op_result(p, a->op, i), &g->items[i]);
}

// Replaces calls that sdy has ops for. A call annotated as manual stays a call.
static void write_calls(Import *im) {
  Program *p = im->p;
  enum { FORWARD = 1, BACKWARD = 2 };
  for (OpId o = op_walk_next(p, p->root, p->root); o; o = op_walk_next(p, o, p->root)) {
    if (op_at(p, o)->code != OP_custom_call || !call_keeps_value(p, o) ||
        !type_is_tensor(im->context, op_result_type(p, o, 0)) || op_attr(p, o, "mhlo.sharding"))
      continue;
    Attr sharding = op_attr(p, o, "sdy.sharding");
    const AttrInfo *list = attr_info(im->context, attr_get(im->context, sharding, "shardings"));
    bool from = call_is(p, o, CALL_BARRIER_FROM);
    if (call_is(p, o, CALL_SHARDING) && list->kind == ATTR_ARRAY && list->count == 1)
      become(im, o, OP_sdy_sharding_constraint, "sharding", list->items[0], 0);
    else if (from || call_is(p, o, CALL_BARRIER_TO))
      become(im, o, OP_sdy_propagation_barrier, "allowed_direction",
             attr_int(im->context, DT_i32, from ? BACKWARD : FORWARD), sharding);
  }
}

static void rewrite(Import *im) {
  gspmd_manual_import(im->p, im->table, im->arena, im->p->ops.count, im->of_op);
  add_mesh(im);
  uint32_t n = im->annotations.count;
  for (uint32_t i = 0, k; i < n; i += k) {
    const Annotation *a = &im->annotations.items[i];
    k = a->where == ON_OP ? 1 : write_edges(im, a, n - i);
    if (a->where == ON_OP) write_op(im, a);
    for (uint32_t j = 0; a->where != ON_OP && j < k; j++) group_edge(im, a + j);
  }
  write_calls(im);
}

static Status *import(Import *im) {
  uint32_t before = im->diag->errors;
  gather_all(im);
  if (im->diag->errors == before && im->texts.count && check_counts(im) && choose_mesh(im))
    convert_all(im);
  if (im->diag->errors != before) return diag_status(im->diag);
  if (!im->of_op) im->of_op = ARENA_ARRAY(im->arena, Sharding, im->p->ops.count);
  rewrite(im);
  return NULL;
}

Status *gspmd_import(Program *p, ShardingTable *table, Guard *guard, Diag *diag) {
  if (!p->root) return NULL;
  Arena arena;
  arena_init(&arena, guard);
  GuardCleanup cleanup = {arena_release, &arena, NULL};
  guard_push(guard, &cleanup);
  Import im = {.p = p, .context = p->context, .table = table, .arena = &arena, .diag = diag};
  int64_t devices = attr_as_int(p->context, op_attr(p, p->root, "mhlo.num_partitions"), 0);
  if (devices > 0 && devices <= GSPMD_MOST_DEVICES) im.n_devices = (uint32_t)devices;
  Status *status = import(&im);
  guard_pop(guard, &cleanup);
  arena_deinit(&arena);
  return status;
}
