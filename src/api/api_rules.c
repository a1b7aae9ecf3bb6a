// Sharding rules of custom calls: the list of ops/custom_rules.h, and callbacks into the caller.
#include "base/mem.h"
#include "api/api_private.h"

typedef struct RuleCallback {
  struct RuleCallback *next;
  tsr_rule_fn rule;
  void *user;
} RuleCallback;

tsr_error *tsr_rules_new(tsr_rules **out_rules) {
  API_NEED(out_rules, "out_rules");
  tsr_rules *rules = mem_alloc(sizeof *rules);
  if (!rules) return api_error(status_no_memory());
  *rules = (tsr_rules){.rules = custom_rules_new()};
  if (!rules->rules) {
    mem_free(rules);
    return api_error(status_no_memory());
  }
  *out_rules = rules;
  return NULL;
}

void tsr_rules_free(tsr_rules *rules) {
  if (!rules) return;
  custom_rules_free(rules->rules);
  for (RuleCallback *at = rules->callbacks, *next; at; at = next) {
    next = at->next;
    mem_free(at);
  }
  mem_free(rules);
}

tsr_error *tsr_rules_add(tsr_rules *rules, const char *target, const char *rule) {
  API_NEED(rules, "rules");
  API_NEED(target, "target");
  API_NEED(rule, "rule");
  return api_error(custom_rules_add(rules->rules, str_of(target), str_of(rule)));
}

// Runs under the guard of the stage that needs the rule; allocates from the program's arena.
static const char *call_back(void *user, const Program *p, OpId op) {
  const RuleCallback *callback = user;
  tsr_custom_call call;
  api_custom_call(p, op, context_arena(p->context), &call);
  return callback->rule(callback->user, &call);
}

tsr_error *tsr_rules_add_callback(tsr_rules *rules, const char *target, tsr_rule_fn rule,
                                  void *user) {
  API_NEED(rules, "rules");
  API_NEED(rule, "rule");
  RuleCallback *callback = mem_alloc(sizeof *callback);
  if (!callback) return api_error(status_no_memory());
  *callback = (RuleCallback){.next = rules->callbacks, .rule = rule, .user = user};
  Status *status =
      custom_rules_add_fn(rules->rules, str_of(target ? target : ""), call_back, callback);
  if (status) {
    mem_free(callback);
    return api_error(status);
  }
  rules->callbacks = callback;
  return NULL;
}
