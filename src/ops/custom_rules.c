// A list of targets and texts. A text is parsed when it is added, to report syntax errors, and
// again at each custom call, to check shapes: rules are short and calls are few. O(rules) per call.
#include "ops/custom_rules.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "ops/work.h"

typedef struct CustomRule {
  struct CustomRule *next;
  char *target;  // "" = any
  char *text;    // NULL: fn returns it
  char *flops;   // "2*i*j*k"; NULL: not given
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
  mem_free(rule->flops);
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

static Status *add(CustomRules *rules, Str target, const Str *text, Str flops, CustomRuleFn fn,
                   void *user) {
  CustomRule *rule = mem_alloc(sizeof *rule);
  if (!rule) return status_no_memory();
  *rule = (CustomRule){.target = copy(target),
                       .text = text ? copy(*text) : NULL,
                       .flops = flops.n ? copy(flops) : NULL,
                       .fn = fn,
                       .user = user};
  if (!rule->target || (text && !rule->text) || (flops.n && !rule->flops)) {
    rule_free(rule);
    return status_no_memory();
  }
  CustomRule **at = find(rules, target), *old = *at;
  rule->next = old ? old->next : NULL;
  *at = rule;
  rule_free(old);
  return NULL;
}

// ---- FLOPs ----

// Splits "… flops=2*i*j*k" off the rule; *out_flops is empty without it.
static Str split_flops(Str text, Str *out_flops) {
  static const char word[] = " flops=";
  size_t n = sizeof word - 1;
  *out_flops = (Str){text.s, 0};
  for (size_t i = 0; i + n <= text.n; i++) {
    if (memcmp(text.s + i, word, n) != 0) continue;
    *out_flops = (Str){text.s + i + n, text.n - i - n};
    return (Str){text.s, i};
  }
  return text;
}

// The first dimension that is this factor alone.
static bool find_factor(const FactorRule *rule, Str name, int64_t *out_tensor, int64_t *out_dim) {
  for (uint32_t t = 0; t + 1 < rule->tensors.count; t++)
    for (uint32_t d = rule->tensors.items[t]; d < rule->tensors.items[t + 1]; d++) {
      const RuleDim *dim = &rule->dims.items[d];
      if (dim->n != 1) continue;
      if (!str_is(name, rule->factors.items[rule->places.items[dim->first]].name)) continue;
      *out_tensor = t;
      *out_dim = d - rule->tensors.items[t];
      return true;
    }
  return false;
}

enum { MOST_TERMS = 16 };
typedef struct Product {
  int64_t v[1 + 2 * MOST_TERMS];  // the number, then tensor and dimension of each factor
  uint32_t n;
} Product;

// Reads "2*i*j*k": one number, which may be left out, and factors of the rule.
static bool read_product(const FactorRule *rule, Str text, Product *out,
                         char error[FACTOR_ERROR_BYTES]) {
  *out = (Product){.v = {1}, .n = 1};
  for (size_t at = 0; at < text.n;) {
    size_t end = at;
    while (end < text.n && text.s[end] != '*') end++;
    Str term = {text.s + at, end - at};
    while (term.n && term.s[0] == ' ') term.s++, term.n--;
    while (term.n && term.s[term.n - 1] == ' ') term.n--;
    int64_t number = 0;
    bool digits = term.n > 0 && term.n < 18;
    for (size_t i = 0; digits && i < term.n; i++) {
      digits = term.s[i] >= '0' && term.s[i] <= '9';
      number = 10 * number + (term.s[i] - '0');
    }
    if (digits && out->n == 1 && out->v[0] == 1 && number > 0) {
      out->v[0] = number;
    } else if (out->n + 2 > sizeof out->v / sizeof *out->v ||
               !find_factor(rule, term, &out->v[out->n], &out->v[out->n + 1])) {
      snprintf(error, FACTOR_ERROR_BYTES,
               "flops= takes a product such as 2*i*j*k of factors that are a dimension of their "
               "own, not '%.*s'",
               (int)(term.n < 40 ? term.n : 40), term.s);
      return false;
    } else {
      out->n += 2;
    }
    at = end + 1;
  }
  return true;
}

typedef struct FormCheck {
  Str target, text, flops;
} FormCheck;

static Status *check_form(Guard *guard, void *arg) {
  FormCheck *check = arg;
  Arena arena;
  arena_init(&arena, guard);
  FactorRule rule;
  Product product;
  char error[FACTOR_ERROR_BYTES];
  bool ok = factor_rule_parse(check->text, &arena, &rule, error) &&
            (!check->flops.n || read_product(&rule, check->flops, &product, error));
  arena_deinit(&arena);
  if (ok) return NULL;
  FAIL(INVALID_ARGUMENT, "the rule of @%.*s is no rule: %s in \"%.*s\"", (int)check->target.n,
       check->target.s, error, (int)(check->text.n < 200 ? check->text.n : 200), check->text.s);
}

Status *custom_rules_add(CustomRules *rules, Str target, Str text) {
  if (!target.n) FAIL(INVALID_ARGUMENT, "a rule needs the name of a custom call's target");
  FormCheck check = {.target = target};
  check.text = split_flops(text, &check.flops);
  TRY(guard_run(check_form, &check));
  return add(rules, target, &check.text, check.flops, NULL, NULL);
}

Status *custom_rules_add_fn(CustomRules *rules, Str target, CustomRuleFn fn, void *user) {
  return add(rules, target, NULL, (Str){"", 0}, fn, user);
}

void custom_rules_write_flops(CustomRules *rules, Program *p, Arena *scratch) {
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root)) {
    if (op_at(p, op)->code != OP_custom_call) continue;
    const CustomRule *rule = *find(
        rules, name_str(p->context, attr_as_name(p->context, op_attr(p, op, "call_target_name"))));
    FactorRule parsed;
    Product product;
    char error[FACTOR_ERROR_BYTES];
    if (!rule || !rule->flops) continue;
    if (factor_rule_parse(str_of(rule->text), scratch, &parsed, error) &&
        read_product(&parsed, str_of(rule->flops), &product, error))
      op_set_attr(p, op, WORK_FLOPS, attr_i64s(p->context, product.n, product.v));
  }
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
