// Rule, name and machine files are read before the program, since the session borrows them.
#include "cli/annotations.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cost/machine.h"

static const char *const strategies[] = {"user-priority", "op-priority", "aggressive", "basic",
                                         "none"};
static const char *const edge_words[] = {"padded", "divisible"};
static const char *const weigh_words[] = {"best", "bytes", "seconds"};  // as Weigh
static const char *const conflict_words[] = {"size", "cost"};

int cli_choose(const char *option, const char *word, uint32_t n, const char *const *words) {
  for (uint32_t i = 0; i < n; i++)
    if (strcmp(word, words[i]) == 0) return (int)i;
  char all[128] = "";
  for (uint32_t i = 0; i < n; i++) {
    strncat(all, i ? ", " : "", sizeof all - strlen(all) - 1);
    strncat(all, words[i], sizeof all - strlen(all) - 1);
  }
  const char *near = cli_nearest(word, n, words);
  cli_error("%s takes %s, not '%s'%s%s%s", option, all, word, near ? "; did you mean " : "",
            near ? near : "", near ? "?" : "");
  return -1;
}

// Joins the --shard rules to one source, a line each; then adds the rule files.
static bool read_rules(Annotations *a) {
  const TextList *rules = &a->rules, *files = &a->rule_files;
  size_t bytes = 0;
  for (uint32_t i = 0; i < rules->count; i++) bytes += strlen(rules->items[i]) + 1;
  if (rules->count) {
    char *text = mem_alloc(bytes + 1);
    if (!text) {
      cli_fail(status_no_memory());
      return false;
    }
    size_t used = 0;
    for (uint32_t i = 0; i < rules->count; i++) {
      size_t n = strlen(rules->items[i]);
      memcpy(text + used, rules->items[i], n);
      used += n;
      text[used++] = '\n';
    }
    a->texts[a->n_texts] = text;
    a->sources[a->n_texts++] = (Source){.path = "--shard", .text = text, .size = used};
  }
  for (uint32_t i = 0; i < files->count; i++) {
    size_t size;
    Status *status = file_read(files->items[i], FILE_MOST_TEXT, &a->texts[a->n_texts], &size);
    if (status) {
      cli_fail(status);
      return false;
    }
    a->sources[a->n_texts] =
        (Source){.path = files->items[i], .text = a->texts[a->n_texts], .size = size};
    a->n_texts++;
  }
  return true;
}

// Adds --layout and --names after the rules.
static bool read_names(Annotations *a) {
  a->request.rules = a->sources;
  a->request.n_rules = a->n_texts;
  if (a->layout) {
    a->layout_source = (Source){.path = "--layout", .text = a->layout, .size = strlen(a->layout)};
    a->request.layout = &a->layout_source;
  }
  if (!a->names) return true;
  size_t size;
  Status *status = file_read(a->names, FILE_MOST_TEXT, &a->texts[a->n_texts], &size);
  if (status) {
    cli_fail(status);
    return false;
  }
  a->sources[a->n_texts] = (Source){.path = a->names, .text = a->texts[a->n_texts], .size = size};
  a->request.names = &a->sources[a->n_texts++];
  return true;
}

// Reads --call-rule: everything before the first '=' is the target's name.
static bool read_call_rules(Annotations *a) {
  if (!a->call_rules.count) return true;
  a->request.call_rules = custom_rules_new();
  Status *status = a->request.call_rules ? NULL : status_no_memory();
  for (uint32_t i = 0; i < a->call_rules.count && !status; i++) {
    const char *text = a->call_rules.items[i], *equals = strchr(text, '=');
    if (!equals || equals == text) {
      cli_error("--call-rule takes TARGET=RULE, like 'my.flip=([i, j])->([j, i])', not '%s'", text);
      return false;
    }
    status = custom_rules_add(a->request.call_rules, (Str){text, (size_t)(equals - text)},
                              str_of(equals + 1));
  }
  if (status) cli_fail(status);
  return !status;
}

static void release_arena(void *arena) { arena_deinit(arena); }

// Parses the machine once here, so that errors name the file.
static Status *check_machine(Guard *guard, void *text) {
  Arena arena;
  Machine machine;
  arena_init(&arena, guard);
  GuardCleanup cleanup = {.release = release_arena, .object = &arena};
  guard_push(guard, &cleanup);
  Status *status = machine_read(str_of(text), &arena, &machine);
  guard_pop(guard, &cleanup);
  arena_deinit(&arena);
  return status;
}

// Looks among the known machines (NAME[:SHAPE]), then for a file.
static bool read_machine(Annotations *a) {
  const char *name = a->machine;
  if (!name) return true;
  size_t size;
  Status *status = machine_find(name, &a->texts[a->n_texts]);
  if (status) {
    cli_error("--machine: %s", status_message(status));
    status_free(status);
    return false;
  }
  if (!a->texts[a->n_texts]) status = file_read(name, 1 << 20, &a->texts[a->n_texts], &size);
  if (status) {
    cli_fail(status);
    cli_error("--machine takes a file that describes one, or one of %s, with a shape if you like: "
              "h100:8x4",
              machine_names());
    return false;
  }
  a->request.machine = a->texts[a->n_texts++];
  status = guard_run(check_machine, a->texts[a->n_texts - 1]);
  if (status) {
    cli_error("%s: %s", name, status_message(status));
    status_free(status);
    return false;
  }
  return true;
}

static const char machine_words[] =
#define MACHINE(name, text) name "|"
#include "cost/machines.inc"
#undef MACHINE
    "FILE";

bool annotations_init(Annotations *a, int argc) {
  TextList *lists[] = {&a->meshes, &a->rules, &a->rule_files, &a->call_rules};
  size_t n = sizeof lists / sizeof lists[0], most = (size_t)argc + 1;
  *a = (Annotations){.strategy = strategies[0],
                     .edges = edge_words[0],
                     .conflicts = conflict_words[0],
                     .weigh = weigh_words[0],
                     .devices = UINT64_MAX,
                     .trip_count = UINT64_MAX};
  a->room = mem_alloc(most * n * sizeof *a->room);
  a->sources = mem_alloc((most + 2) * sizeof *a->sources);
  a->texts = mem_alloc((most + 3) * sizeof *a->texts);
  if (!a->room || !a->sources || !a->texts) return false;
  for (size_t i = 0; i < n; i++) lists[i]->items = a->room + i * most;
  return true;
}

void annotations_options(Annotations *a, Option *out) {
  const Option rows[ANNOTATION_OPTIONS] = {
      {"--mesh", OPTION_TEXTS, &a->meshes, "AXIS=N,…",
       "the mesh of the devices, such as data=4,model=2. NAME:data=4 adds a mesh called NAME. "
       "May be repeated"},
      {"--devices", OPTION_NUMBER, &a->devices, "N",
       "number of devices. Without a mesh, makes the mesh [\"devices\"=N]. With one, checks "
       "its size"},
      {"--shard", OPTION_TEXTS, &a->rules, "PATTERN=SPEC",
       "annotate the values that PATTERN matches. PATTERN is a name or a glob: * matches any "
       "characters, ? matches one, [a-z] matches one in the range, [!x] matches one that is "
       "not x, \\ quotes the next character. May be repeated"},
      {"--shard-file", OPTION_TEXTS, &a->rule_files, "FILE",
       "rules as for --shard, one per line; # begins a comment"},
      {"--layout", OPTION_TEXT, &a->layout, "NAME:AXIS,…",
       "shard dimensions by name: 'batch:data, hidden:model'. tessera names prints the names"},
      {"--names", OPTION_TEXT, &a->names, "FILE",
       "dimension names for --layout. A line is 'arg0: batch,length'"},
      {"--call-rule", OPTION_TEXTS, &a->call_rules, "TARGET=RULE",
       "sharding rule of a custom call: 'my.dot=([i, k], [k, j])->([i, j]) reduction={k}'. "
       "' flops=2*i*j*k' behind it gives the FLOPs of a call, for predictions"},
      {"--strategy", OPTION_TEXT, &a->strategy, "user-priority|op-priority|aggressive|basic|none",
       "propagation strategy (default user-priority). none: nothing is propagated, and values "
       "without annotation are replicated"},
      {"--conflicts", OPTION_TEXT, &a->conflicts, "size|cost",
       "which of two dimensions gets an axis that both could have. size (default): the one of "
       "the larger tensor. cost: the one with which fewer elements are sent. If --shard rules "
       "compete, each of them also propagates first once, and the result with the least predicted "
       "time is kept"},
      {"--allow-args", OPTION_TEXT, &a->request.allow_arguments, "LIST",
       "arguments that propagation may shard: all, none, or a list such as 0,params.*. Others "
       "without annotation are replicated"},
      {"--allow-results", OPTION_TEXT, &a->request.allow_results, "LIST",
       "results that propagation may shard, in the same form"},
      {"--edges", OPTION_TEXT, &a->edges, "padded|divisible",
       "arguments and results whose sizes are not multiples of their axes. padded (default): "
       "they are padded, with a warning. divisible: such an annotation is an error, and inferred "
       "shardings leave such axes out"},
      {"--conservative", OPTION_FLAG, &a->request.conservative, NULL,
       "do not shard dimensions that would need halos"},
      {"--machine", OPTION_TEXT, &a->machine, machine_words,
       "the machine for which times are predicted, optionally with the devices of each level, "
       "innermost first: h100:8x4. tessera machines lists the names. FILE is a description "
       "(docs/machine.md)"},
      {"--weigh", OPTION_TEXT, &a->weigh, "best|bytes|seconds",
       "what the partitioner's choices weigh. seconds: predicted seconds. bytes: seconds, and a "
       "penalty for bytes sent. best (default): with --machine both are simulated, and the faster "
       "local program is kept; without one, bytes"},
      {"--trip-count", OPTION_NUMBER, &a->trip_count, "N",
       "iterations that a loop of unknown length counts as (default 100)"},
  };
  memcpy(out, rows, sizeof rows);
}

bool annotations_read(Annotations *a) {
  int strategy = cli_choose("--strategy", a->strategy, 5, strategies);
  int edges = strategy < 0 ? -1 : cli_choose("--edges", a->edges, 2, edge_words);
  int conflicts = edges < 0 ? -1 : cli_choose("--conflicts", a->conflicts, 2, conflict_words);
  int weigh = conflicts < 0 ? -1 : cli_choose("--weigh", a->weigh, 3, weigh_words);
  if (weigh < 0) return false;
  if (!a->devices) {
    cli_error("--devices takes a number from 1 on, not 0");
    return false;
  }
  if (!cli_trip_count(a->trip_count, &a->request.trip_count)) return false;
  a->request.devices = a->devices == UINT64_MAX ? 0 : a->devices;
  a->request.strategy = (Strategy)strategy;
  a->request.divisible = edges == 1;
  a->request.by_cost = conflicts == 1;
  a->request.weigh = (Weigh)weigh;
  a->request.meshes = a->meshes.items;
  a->request.n_meshes = a->meshes.count;
  return read_rules(a) && read_names(a) && read_call_rules(a) && read_machine(a);
}

bool annotations_given(const Annotations *a) {
  return a->meshes.count || a->rules.count || a->rule_files.count || a->layout || a->names ||
         a->devices != UINT64_MAX;
}

void annotations_deinit(Annotations *a) {
  custom_rules_free(a->request.call_rules);
  for (uint32_t i = 0; i < a->n_texts; i++) mem_free(a->texts[i]);
  mem_free(a->texts);
  mem_free(a->sources);
  mem_free(a->room);
  *a = (Annotations){0};
}
