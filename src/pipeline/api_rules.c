// The public C API of rules for custom calls: the list of ops/custom_rules.h, and callbacks that
// see a call in the API's words.
#include "base/mem.h"
#include "pipeline/api_private.h"

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

// Runs in the stage that asks, under its guard; what it makes lives as long as the program.
static const char *call_back(void *user, const Program *p, OpId op) {
  const RuleCallback *callback = user;
  const Op *o = op_at(p, op);
  Arena *arena = context_arena(p->context);
  uint32_t n = o->n_operands + o->n_results;
  tsr_type_info *infos = ARENA_ARRAY(arena, tsr_type_info, n + 1);
  const tsr_type_info **types = ARENA_ARRAY(arena, const tsr_type_info *, n + 1);
  for (uint32_t t = 0; t < n; t++) {
    infos[t] =
        api_type_info(p->context, t < o->n_operands ? op_operand_type(p, op, t)
                                                    : op_result_type(p, op, t - o->n_operands));
    types[t] = &infos[t];
  }
  const AttrInfo *config = attr_info(p->context, op_attr(p, op, "backend_config"));
  tsr_custom_call call = {
      .struct_size = sizeof call,
      .target = name_text(p->context, attr_as_name(p->context, op_attr(p, op, "call_target_name"))),
      .backend_config = config->kind == ATTR_STRING ? name_text(p->context, config->name) : "",
      .n_operands = o->n_operands,
      .operands = types,
      .n_results = o->n_results,
      .results = types + o->n_operands};
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
