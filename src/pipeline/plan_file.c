// Problem: read a plan's file back, for the program that it was made for.
//
// Idea: a plan is about the program with inlined calls, and names it by its hash.
#include <inttypes.h>
#include <string.h>

#include "base/json_read.h"
#include "base/mem.h"
#include "ops/functions.h"
#include "ops/op.h"
#include "pipeline/plan_private.h"

static void count(void *user, OpId op) { ((uint32_t *)user)[op]++; }

static bool erase_unnamed(Program *p, Guard *guard, Arena *arena) {
  SymbolTable symbols;
  symbols_init(&symbols, p, p->root, guard);
  GuardCleanup cleanup = {symbols_release, &symbols, NULL};
  guard_push(guard, &cleanup);
  uint32_t *named = ARENA_ARRAY(arena, uint32_t, p->ops.count + 1);
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root))
    symbols_each(&symbols, op_at(p, o)->attrs, count, named);
  guard_pop(guard, &cleanup);
  symbols_deinit(&symbols);
  bool any = false;
  for (OpId o = module_first(p), next; o; o = next) {
    next = op_at(p, o)->next;
    if (!op_is_function(p, o) || !symbol_is_private(p, o) || named[o]) continue;
    op_erase(p, o);
    any = true;
  }
  return any;
}

void plan_flatten(Program *p, Guard *guard, Arena *arena) {
  inline_all_calls(p, arena);
  while (erase_unnamed(p, guard, arena)) {
  }
}

void plan_release_text(void *text) { strbuf_deinit(text); }

// A plan's program is compiled with the plan's annotations (NULL: none) instead of the request's:
// its decisions satisfy those already, and annotations change the numbers of ops.
void plan_annotations(PropagateRequest *request, const Source *rules) {
  request->rules = rules;
  request->n_rules = rules ? 1 : 0;
  request->layout = NULL;
  request->names = NULL;
  request->try_orders = false;
}

// The annotations of a plan, one rule per line.
static Status *read_rules(const JsonValue *list, Arena *arena, Source *out) {
  StrBuf text;
  strbuf_init(&text, arena->guard);
  GuardCleanup cleanup = {plan_release_text, &text, NULL};
  guard_push(arena->guard, &cleanup);
  bool good = list && list->kind == JSON_ARRAY;
  for (uint32_t i = 0; good && i < list->count; i++) {
    good = list->items[i].kind == JSON_STRING;
    if (good) strbuf_printf(&text, "%s\n", list->items[i].string);
  }
  const char *kept = arena_printf(arena, "%.*s", (int)text.used, text.used ? text.data : "");
  *out = (Source){.path = "<plan>", .text = kept, .size = text.used};
  guard_pop(arena->guard, &cleanup);
  strbuf_deinit(&text);
  if (!good) FAIL(INVALID_ARGUMENT, "the plan's \"annotations\" are not an array of rules");
  return NULL;
}

// The machine that the plan is for. A file's description is not in the plan, and the passes'
// choices depend on it.
static Status *use_machine(const JsonValue *name, Arena *arena, PropagateRequest *request) {
  char *text = NULL;
  if (request->machine || !name || name->kind != JSON_STRING) return NULL;
  TRY(machine_find(name->string, &text));
  if (!text)
    FAIL(INVALID_ARGUMENT, "the plan is for the machine '%s', a file: give it with --machine",
         name->string);
  GuardCleanup cleanup = {mem_free, text, NULL};
  guard_push(arena->guard, &cleanup);
  request->machine = arena_copy(arena, text, strlen(text) + 1);
  guard_pop(arena->guard, &cleanup);
  mem_free(text);
  return NULL;
}

bool plan_is(Str text) {
  static const char *const spaces = " \t\r\n";
  size_t i = 0;
  if (!text.n) return false;
  while (i < text.n && (strchr(spaces, text.s[i]) || text.s[i] == '{')) i++;
  return str_starts((Str){text.s + i, text.n - i}, "\"plan_version\"");
}

Status *plan_read_json(Str text, Arena *arena, const JsonValue **out_root) {
  const JsonValue *root;
  Status *status = json_read(text, arena, &root);
  if (status) {
    const char *why = arena_printf(arena, "%s", status_message(status));
    status_free(status);
    FAIL(INVALID_ARGUMENT, "the plan is not valid JSON: %s", why);
  }
  const JsonValue *version = json_get(root, "plan_version");
  if (!version || version->kind != JSON_NUMBER || !json_get(root, "decisions"))
    FAIL(INVALID_ARGUMENT, "this is no plan: tessera plan --plan-out writes one");
  if (version->number < (double)PLAN_OLDEST || version->number > (double)PLAN_VERSION)
    FAIL(INVALID_ARGUMENT,
         "the plan has version %g, and this tessera reads versions %d to %d: plan again with "
         "tessera plan --plan-out",
         version->number, PLAN_OLDEST, PLAN_VERSION);
  *out_root = root;
  return NULL;
}

Status *plan_open(Program *p, Str text, Guard *guard, Arena *arena, PropagateRequest *request) {
  const JsonValue *root;
  TRY(plan_read_json(text, arena, &root));
  const JsonValue *hash = json_get(root, "program"), *mesh = json_get(root, "mesh"),
                  *greedy = json_get(root, "annotated");
  if (request->n_meshes || request->n_rules || request->layout)
    FAIL(INVALID_ARGUMENT, "a plan has its own mesh and shardings: leave out --mesh, --shard and "
                           "--layout, or plan again with them");
  plan_flatten(p, guard, arena);
  if (!hash || hash->kind != JSON_STRING ||
      strcmp(hash->string, arena_printf(arena, "%016" PRIx64, program_hash(p))) != 0)
    FAIL(INVALID_ARGUMENT, "the plan is for another program: plan this one with tessera plan");
  Source *rules = NULL;
  if (greedy && greedy->kind == JSON_BOOL && greedy->truth) {
    rules = ARENA_NEW(arena, Source);
    TRY(read_rules(json_get(root, "annotations"), arena, rules));
  }
  plan_annotations(request, rules);
  TRY(use_machine(json_get(root, "machine"), arena, request));
  if (mesh && mesh->kind == JSON_STRING) {
    const char **meshes = ARENA_NEW(arena, const char *);
    *meshes = mesh->string;
    request->meshes = meshes;
    request->n_meshes = 1;
  }
  return NULL;
}
