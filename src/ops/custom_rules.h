// Factor rules of custom calls that users bring along: by target, as text or as a function that
// writes text. What FactorOptions.custom_call is for.
#ifndef TESSERA_OPS_CUSTOM_RULES_H
#define TESSERA_OPS_CUSTOM_RULES_H

#include "base/diag.h"
#include "ops/factors.h"
#include "sharding/factor_text.h"

typedef struct CustomRules CustomRules;

// The rule of one call as text (factor_text.h), valid until the function is called again; NULL: it
// has none. Must not change the program.
typedef const char *(*CustomRuleFn)(void *user, const Program *program, OpId op);

CustomRules *custom_rules_new(void);         // NULL when there is no memory
void custom_rules_free(CustomRules *rules);  // NULL is fine
// Adds or replaces the rule of a target. INVALID_ARGUMENT, naming the column, if the text is no
// rule.
Status *custom_rules_add(CustomRules *rules, Str target, Str text) MUST_USE;
// An empty target: every call that no other rule is for.
Status *custom_rules_add_fn(CustomRules *rules, Str target, CustomRuleFn fn, void *user) MUST_USE;

// As FactorOptions.custom_call; `rules` is a CustomRules. False: no rule for the target, or one
// that does not fit the call.
bool custom_rules_factors(void *rules, Str target, FactorContext *cx);
// Says at every custom call whose rule does not fit its shapes why, in diag; false if there is one.
// O(ops).
bool custom_rules_verify(CustomRules *rules, const Program *program, Arena *scratch, Diag *diag);
// INVALID_ARGUMENT if a rule is for a target that no custom call has, naming those near it, else
// those that there are. Functions for every call need none. O(ops · rules).
Status *custom_rules_match(const CustomRules *rules, const Program *program,
                           Arena *scratch) MUST_USE;

#endif
