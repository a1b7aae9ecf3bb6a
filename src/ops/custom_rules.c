// A list of targets and texts. A text is parsed when it is added, to report syntax errors, and
// again at each custom call, to check shapes: rules are short and calls are few. O(rules) per call.
#include "ops/custom_rules.h"

#include "base/mem.h"

typedef struct CustomRule {
  struct CustomRule *next;
  char *target;  // "" = any
  char *text;    // NULL: fn returns it
  CustomRuleFn fn;
  void *user;
} CustomRule;

struct CustomRules {
  CustomRule *first;
};

CustomRules *custom_rules_new(void) {
  CustomRules *rules = mem_alloc(sizeof *rules);
  if (rules) *rules = (CustomRules){0};
  return rules;
}

static void rule_free(CustomRule *rule) {
  if (!rule) return;
  mem_free(rule->target);
  mem_free(rule->text);
  mem_free(rule);
}

void custom_rules_free(CustomRules *rules) {
  if (!rules) return;
  for (CustomRule *rule = rules->first, *next; rule; rule = next) {
    next = rule->next;
    rule_free(rule);
  }
  mem_free(rules);
}

static char *copy(Str s) {
  char *out = mem_alloc(s.n + 1);
  if (!out) return NULL;
  if (s.n) memcpy(out, s.s, s.n);
  out[s.n] = '\0';
  return out;
}

static CustomRule **find(CustomRules *rules, Str target) {
  CustomRule **at = &rules->first;
  while (*at && !str_is(target, (*at)->target)) at = &(*at)->next;
  return at;
}

static Status *add(CustomRules *rules, Str target, const Str *text, CustomRuleFn fn, void *user) {
  CustomRule *rule = mem_alloc(sizeof *rule);
  if (!rule) return status_no_memory();
  *rule = (CustomRule){
      .target = copy(target), .text = text ? copy(*text) : NULL, .fn = fn, .user = user};
  if (!rule->target || (text && !rule->text)) {
    rule_free(rule);
    return status_no_memory();
  }
  CustomRule **at = find(rules, target), *old = *at;
  rule->next = old ? old->next : NULL;
  *at = rule;
  rule_free(old);
  return NULL;
}

typedef struct FormCheck {
  Str target, text;
} FormCheck;

static Status *check_form(Guard *guard, void *arg) {
  FormCheck *check = arg;
  Arena arena;
  arena_init(&arena, guard);
  FactorRule rule;
  char error[FACTOR_ERROR_BYTES];
  bool ok = factor_rule_parse(check->text, &arena, &rule, error);
  arena_deinit(&arena);
  if (ok) return NULL;
  FAIL(INVALID_ARGUMENT, "the rule of @%.*s is no rule: %s in \"%.*s\"", (int)check->target.n,
       check->target.s, error, (int)(check->text.n < 200 ? check->text.n : 200), check->text.s);
}

Status *custom_rules_add(CustomRules *rules, Str target, Str text) {
  if (!target.n) FAIL(INVALID_ARGUMENT, "a rule needs the name of a custom call's target");
  FormCheck check = {target, text};
  TRY(guard_run(check_form, &check));
  return add(rules, target, &text, NULL, NULL);
}

Status *custom_rules_add_fn(CustomRules *rules, Str target, CustomRuleFn fn, void *user) {
  return add(rules, target, NULL, fn, user);
}

// ---- lookup ----

typedef enum Answer { NO_RULE, RULE, WRONG } Answer;

static Answer apply(CustomRules *rules, Str target, FactorContext *cx,
                    char error[FACTOR_ERROR_BYTES]) {
  const CustomRule *rule = *find(rules, target);
  if (!rule) rule = *find(rules, (Str){"", 0});
  if (!rule) return NO_RULE;
  const char *text = rule->text ? rule->text : rule->fn(rule->user, cx->program, cx->op);
  if (!text) return NO_RULE;
  FactorRule parsed;
  if (!factor_rule_parse(str_of(text), cx->build.arena, &parsed, error)) return WRONG;
  uint32_t n = 0, n_tensors = cx->n_operands + cx->n_results;
  for (uint32_t t = 0; t < n_tensors; t++) n += factors_rank(cx, t);
  int64_t *dims = ARENA_ARRAY(cx->build.arena, int64_t, n + 1);
  n = 0;
  for (uint32_t t = 0; t < n_tensors; t++)
    for (uint32_t d = 0; d < factors_rank(cx, t); d++) dims[n++] = factors_dim(cx, t, d);
  return factor_rule_apply(&parsed, &cx->build, dims, error) ? RULE : WRONG;
}

bool custom_rules_factors(void *rules, Str target, FactorContext *cx) {
  char error[FACTOR_ERROR_BYTES];
  return apply(rules, target, cx, error) == RULE;
}

typedef struct Asking {
  CustomRules *rules;
  char error[FACTOR_ERROR_BYTES];
  Answer answer;
} Asking;

static bool ask(void *user, Str target, FactorContext *cx) {
  Asking *asking = user;
  asking->answer = apply(asking->rules, target, cx, asking->error);
  return asking->answer == RULE;
}

bool custom_rules_verify(CustomRules *rules, const Program *program, Arena *scratch, Diag *diag) {
  bool ok = true;
  for (OpId op = program->root; op; op = op_walk_next(program, op, program->root)) {
    if (op_at(program, op)->code != OP_custom_call) continue;
    ArenaMark mark = arena_mark(scratch);
    Asking asking = {.rules = rules};
    FactorMap map;
    op_factors(program, op, &(FactorOptions){.custom_call = ask, .user = &asking}, scratch, &map);
    arena_rewind(scratch, mark);
    if (asking.answer != WRONG) continue;
    ok = false;
    Str target = name_str(program->context,
                          attr_as_name(program->context, op_attr(program, op, "call_target_name")));
    diag_error(diag, op_at(program, op)->pos, "the rule that was given for @%.*s does not fit: %s",
               (int)target.n, target.s, asking.error);
  }
  return ok;
}

// ---- rules without a call ----

// The targets of a program's custom calls, each once.
static uint32_t list_targets(const Program *p, Arena *arena, Str **out) {
  VEC(Str) list = {0};
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root)) {
    if (op_at(p, op)->code != OP_custom_call) continue;
    Str target = name_str(p->context, attr_as_name(p->context, op_attr(p, op, "call_target_name")));
    bool new = true;
    for (uint32_t i = 0; i < list.count && new; i++) new = !str_equal(list.items[i], target);
    if (new) VEC_PUSH(arena, &list, target);
  }
  *out = list.items;
  return list.count;
}

static const char *nearest(Str word, uint32_t n, const Str *targets, Arena *arena) {
  uint32_t least = word.n < 6 ? 3 : 4, best = n;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t d = str_distance(word, targets[i], least);
    if (d >= least) continue;
    least = d;
    best = i;
  }
  if (best < n)
    return arena_printf(arena, "; did you mean '%.*s'?", (int)targets[best].n, targets[best].s);
  enum { SHOWN = 8 };
  const char *all = n ? "; the program has" : "; the program has none";
  for (uint32_t i = 0; i < n && i <= SHOWN; i++)
    all = i == SHOWN ? arena_printf(arena, "%s, …", all)
                     : arena_printf(arena, "%s%s '%.*s'", all, i ? "," : "", (int)targets[i].n,
                                    targets[i].s);
  return all;
}

Status *custom_rules_match(const CustomRules *rules, const Program *program, Arena *scratch) {
  Str *targets;
  uint32_t n = list_targets(program, scratch, &targets);
  for (const CustomRule *rule = rules->first; rule; rule = rule->next) {
    bool found = !*rule->target;
    for (uint32_t i = 0; i < n && !found; i++) found = str_is(targets[i], rule->target);
    if (!found)
      FAIL(INVALID_ARGUMENT, "a call rule is for '%s', but no custom call has that target%s",
           rule->target, nearest(str_of(rule->target), n, targets, scratch));
  }
  return NULL;
}
