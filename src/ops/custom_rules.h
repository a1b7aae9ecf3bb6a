// The user's factor rules for custom calls, by target: a text, or a function that returns one. They
// implement FactorOptions.custom_call.
#ifndef TESSERA_OPS_CUSTOM_RULES_H
#define TESSERA_OPS_CUSTOM_RULES_H

#include "base/diag.h"
#include "ops/factors.h"
#include "sharding/factor_text.h"

typedef struct CustomRules CustomRules;

// The rule of one call as text (factor_text.h), valid until the next call of the function; NULL: no
// rule. Must not change the program.
typedef const char *(*CustomRuleFn)(void *user, const Program *program, OpId op);

CustomRules *custom_rules_new(void);         // NULL when there is no memory
void custom_rules_free(CustomRules *rules);  // NULL is fine
// Adds or replaces the rule of a target. INVALID_ARGUMENT, naming the column, if the text is no
// rule. ` flops=2*i*j*k` behind it gives the FLOPs of a call as a product of factors.
Status *custom_rules_add(CustomRules *rules, Str target, Str text) MUST_USE;
// An empty target: every custom call without another rule.
Status *custom_rules_add_fn(CustomRules *rules, Str target, CustomRuleFn fn, void *user) MUST_USE;

// A FactorOptions.custom_call; `rules` is a CustomRules. False: the target has no rule, or its rule
// does not fit the call.
bool custom_rules_factors(void *rules, Str target, FactorContext *cx);
// Writes the FLOPs that rules give into the custom calls (WORK_FLOPS of ops/work.h). O(ops).
void custom_rules_write_flops(CustomRules *rules, Program *program, Arena *scratch);
// Reports every custom call whose rule does not fit its shapes to diag; false if there is one.
// O(ops).
bool custom_rules_verify(CustomRules *rules, const Program *program, Arena *scratch, Diag *diag);
// INVALID_ARGUMENT if no custom call has a rule's target; the message lists similar targets, else
// all. Functions for every call are exempt. O(ops · rules).
Status *custom_rules_match(const CustomRules *rules, const Program *program,
                           Arena *scratch) MUST_USE;

#endif
