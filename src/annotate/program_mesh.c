// Meshes are symbols in the module's block. A program has few, so lookups are linear scans.
#include "annotate/program_mesh.h"

#include <inttypes.h>

#include "base/vec.h"
#include "ops/op.h"

static BlockId module_block(const Program *p) { return region_block(p, op_region(p, p->root, 0)); }

// The first mesh op from `op` on in the module's block.
static OpId mesh_from(const Program *p, OpId op) {
  while (op && op_at(p, op)->code != OP_sdy_mesh) op = op_at(p, op)->next;
  return op;
}

static OpId mesh_first(const Program *p) {
  BlockId block = module_block(p);
  return mesh_from(p, block ? block_at(p, block)->first : 0);
}

static OpId mesh_next(const Program *p, OpId op) { return mesh_from(p, op_at(p, op)->next); }

static Name mesh_symbol(const Program *p, OpId op) {
  return attr_as_name(p->context, op_attr(p, op, "sym_name"));
}

Status *program_meshes_read(const Program *p, ShardingTable *table) {
  for (OpId op = mesh_first(p); op; op = mesh_next(p, op)) {
    const Mesh *mesh;
    TRY(mesh_from_attr(p->context, op_attr(p, op, "mesh"), mesh_symbol(p, op), &mesh));
    sharding_mesh_add(table, mesh);
  }
  return NULL;
}

// The program is verified, so reading its meshes cannot fail.
ShardingTable *program_sharding_table(Program *p) {
  ShardingTable *table = sharding_table_new(p->context, p->guard);
  GuardCleanup cleanup = {sharding_table_release, table, NULL};
  guard_push(p->guard, &cleanup);
  status_free(program_meshes_read(p, table));
  guard_pop(p->guard, &cleanup);
  return table;
}

MeshId program_mesh_only(const Program *p, const ShardingTable *table, bool *out_several) {
  MeshId only = 0;
  if (out_several) *out_several = false;
  for (OpId op = mesh_first(p); op; op = mesh_next(p, op)) {
    MeshId id = sharding_mesh_find(table, mesh_symbol(p, op));
    if (!id || !sharding_mesh(table, id)->n_axes) continue;
    if (only) {
      if (out_several) *out_several = true;
      return 0;
    }
    only = id;
  }
  return only;
}

MeshId program_mesh_first(const Program *p, const ShardingTable *table) {
  for (OpId op = mesh_first(p); op; op = mesh_next(p, op)) {
    MeshId id = sharding_mesh_find(table, mesh_symbol(p, op));
    if (id && sharding_mesh(table, id)->n_axes) return id;
  }
  return 0;
}

enum { MOST_SHOWN = 16 };  // axes of a mesh, meshes of a program

// Lists end after MOST_SHOWN axes, since messages quote them.
const char *mesh_text(const Context *context, const Mesh *mesh, Arena *arena) {
  const char *text = arena_printf(arena, "@%s [", name_text(context, mesh->symbol));
  for (uint32_t i = 0; i < mesh->n_axes && i < MOST_SHOWN; i++)
    text = arena_printf(arena, "%s%s\"%s\"=%u", text, i ? ", " : "",
                        name_text(context, mesh->axes[i].name), mesh->axes[i].size);
  return arena_printf(arena, "%s%s]", text, mesh->n_axes > MOST_SHOWN ? ", …" : "");
}

const char *program_meshes_text(const Program *p, const ShardingTable *table, Arena *arena) {
  const char *text = "";
  uint32_t n = 0;
  for (OpId op = mesh_first(p); op; op = mesh_next(p, op)) {
    MeshId id = sharding_mesh_find(table, mesh_symbol(p, op));
    if (id && n++ < MOST_SHOWN)
      text = arena_printf(arena, "%s%s%s", text, *text ? ", " : "",
                          mesh_text(p->context, sharding_mesh(table, id), arena));
  }
  if (n > MOST_SHOWN) text = arena_printf(arena, "%s, …", text);
  return *text ? text : "none";
}

// ---- from a user's text ----

static const char blanks[] = " \"";  // quotes around names, too

// Removes and returns the text before the separator, or all of it.
static Str take_until(Str *text, char separator) {
  const char *at = text->n ? memchr(text->s, separator, text->n) : NULL;
  Str head = {text->s, at ? (size_t)(at - text->s) : text->n};
  size_t used = head.n + (at ? 1 : 0);
  *text = (Str){text->s + used, text->n - used};
  return str_trim(head, blanks);
}

static bool read_size(Str text, int64_t *out) {
  int64_t value = 0;
  for (size_t i = 0; i < text.n; i++) {
    if (text.s[i] < '0' || text.s[i] > '9' || value > INT32_MAX) return false;
    value = value * 10 + (text.s[i] - '0');
  }
  *out = value;
  return text.n > 0;
}

// Parses `name:data=4,model=2`; *out_symbol is 0 without a name.
static Status *read_mesh(Context *context, Str text, Name *out_symbol, const Mesh **out) {
  Arena *arena = context_arena(context);
  Str rest = text;
  *out_symbol = 0;
  if (text.n && memchr(text.s, ':', text.n)) {
    Str name = take_until(&rest, ':');
    if (name.n && name.s[0] == '@') name = (Str){name.s + 1, name.n - 1};
    if (!name.n)
      FAIL(INVALID_ARGUMENT, "mesh '%.*s': no name stands before ':'", (int)text.n, text.s);
    *out_symbol = name_intern(context, name);
  }
  VEC(Name) names = {0};
  VEC(int64_t) sizes = {0};
  do {
    Str item = take_until(&rest, ',');
    Str size_text = item;
    Str name = take_until(&size_text, '=');
    int64_t size;
    if (!name.n || !read_size(str_trim(size_text, blanks), &size))
      FAIL(INVALID_ARGUMENT, "mesh '%.*s': expected AXIS=SIZE as in data=4,model=2, not '%.*s'",
           (int)text.n, text.s, (int)item.n, item.s);
    VEC_PUSH(arena, &names, name_intern(context, name));
    VEC_PUSH(arena, &sizes, size);
  } while (rest.n);
  Status *status = mesh_new(context, *out_symbol ? *out_symbol : name_of(context, "mesh"),
                            names.count, names.items, sizes.items, 0, NULL, out);
  if (!status) return NULL;
  Status *located = status_new(status_code(status), __FILE__, __LINE__, "mesh '%.*s': %s",
                               (int)text.n, text.s, status_message(status));
  status_free(status);
  return located;
}

// Names and sizes of axes; the device order may differ.
static bool same_axes(const Mesh *a, const Mesh *b) {
  if (a->n_axes != b->n_axes) return false;
  for (uint32_t i = 0; i < a->n_axes; i++)
    if (a->axes[i].name != b->axes[i].name || a->axes[i].size != b->axes[i].size) return false;
  return true;
}

static void add_mesh_op(Program *p, const Mesh *mesh) {
  Context *c = p->context;
  NamedAttr fields[2] = {{name_of(c, "sym_name"), attr_string(c, mesh->symbol)},
                         {name_of(c, "mesh"), mesh_to_attr(c, mesh)}};
  OpId op = op_create(
      p, &(OpSpec){.code = OP_sdy_mesh, .attrs = attr_dict(c, 2, fields), .pos = POS_NONE});
  BlockId block = module_block(p);
  if (!block) block = region_add_block(p, op_region(p, p->root, 0));
  OpId first = block_at(p, block)->first;
  if (first)
    op_insert_before(p, op, first);
  else
    op_append(p, block, op);
}

Status *program_mesh_use(Program *p, ShardingTable *table, Str text, MeshId *out) {
  Name symbol;
  const Mesh *mesh;
  TRY(read_mesh(p->context, text, &symbol, &mesh));
  for (OpId op = mesh_first(p); op; op = mesh_next(p, op)) {
    MeshId id = sharding_mesh_find(table, mesh_symbol(p, op));
    if (!id || (symbol && mesh_symbol(p, op) != symbol)) continue;
    if (!same_axes(sharding_mesh(table, id), mesh)) continue;
    *out = id;
    return NULL;
  }
  // A mesh is added to a program without axes, or if the text names it.
  SymbolTable symbols;
  symbols_init(&symbols, p, p->root, p->guard);
  OpId taken = symbols_find(&symbols, mesh->symbol);
  symbols_deinit(&symbols);
  bool several = false;
  if (taken && symbol)
    FAIL(INVALID_ARGUMENT, "mesh '%.*s': the program has another @%s%s%s", (int)text.n, text.s,
         name_text(p->context, symbol),
         op_at(p, taken)->code == OP_sdy_mesh ? "; its meshes: " : "",
         op_at(p, taken)->code == OP_sdy_mesh
             ? program_meshes_text(p, table, context_arena(p->context))
             : "");
  if (taken || (!symbol && (program_mesh_only(p, table, &several) || several)))
    FAIL(INVALID_ARGUMENT,
         "mesh '%.*s' is not the program's: it has %s; to add another one, name it: NAME:%.*s",
         (int)text.n, text.s, program_meshes_text(p, table, context_arena(p->context)), (int)text.n,
         text.s);
  add_mesh_op(p, mesh);
  *out = sharding_mesh_add(table, mesh);
  return NULL;
}

Status *program_devices_use(Program *p, ShardingTable *table, uint64_t n) {
  bool any = false;
  for (OpId op = mesh_first(p); op; op = mesh_next(p, op)) {
    MeshId id = sharding_mesh_find(table, mesh_symbol(p, op));
    const Mesh *mesh = sharding_mesh(table, id);
    if (!mesh || !mesh->n_axes) continue;
    any = true;
    if (mesh->n_devices != n)
      FAIL(INVALID_ARGUMENT, "the mesh %s has %u devices, not %" PRIu64,
           mesh_text(p->context, mesh, context_arena(p->context)), mesh->n_devices, n);
  }
  if (any) return NULL;
  MeshId mesh;
  return program_mesh_use(
      p, table, str_of(arena_printf(context_arena(p->context), "devices=%" PRIu64, n)), &mesh);
}
