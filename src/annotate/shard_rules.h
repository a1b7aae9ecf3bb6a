// Sharding rules given beside the program: `params.*.kernel=P(None, "model")`, one per line.
//
//   PATTERN=SPEC            target.h finds the values; the first rule that matches a value wins
//   x=P("data", None)       JAX's PartitionSpec: closed; missing dimensions are replicated
//   x=P(("a","b"), ...)     two axes on the first dimension; `...`: all others are open
//   x=P(UNCONSTRAINED)      one open dimension; quotes are optional: P(data)
//   x=[{"data"}, {?}p1]     sdy's syntax, on the program's mesh
//   x=<@m, [{"a", ?}, {}], replicated={"b"}>
//   # …                     a comment, to the end of the line
#ifndef TESSERA_ANNOTATE_SHARD_RULES_H
#define TESSERA_ANNOTATE_SHARD_RULES_H

#include "annotate/given.h"
#include "annotate/target.h"

typedef struct ShardRule ShardRule;

typedef struct ShardRules {
  Arena *arena;  // borrowed; owns the rules and what is derived from them
  ShardRule *first, **end;
  uint32_t count;
} ShardRules;

void shard_rules_init(ShardRules *rules, Arena *arena);
// Appends the rules of a text. Errors go to diag, whose source must be this one and which must
// outlive the rules. Returns false after an error.
bool shard_rules_read(ShardRules *rules, const Source *source, Diag *diag);

// Numbers groups of rules from 1, in order: the rules of one top-level parameter (`params.w`,
// `params.*.b`) are one group, any other pattern is its own. Returns the number of groups, 0 if
// there are more than `most`. O(rules · groups).
uint32_t shard_rules_group(ShardRules *rules, uint32_t most);
// Whether rules of other groups use an axis of this group. Requires shard_rules_group. O(rules).
bool shard_rules_has_rivals(const ShardRules *rules, uint32_t group);
bool shard_rules_have_priorities(const ShardRules *rules);
// Gives priority p1 to dimensions of other groups that use an axis of this group, so this group
// propagates first. `words`, if not NULL, are the reason in a note at the group's first rule.
void shard_rules_prioritize(ShardRules *rules, uint32_t group, const char *words);

typedef struct ShardOptions {
  MeshId mesh;     // for rules that name no mesh; 0 = the program's only one
  bool divisible;  // uneven arguments and results are errors, not warnings
} ShardOptions;

// The annotation that the rules give to one value.
typedef struct Annotation {
  Target target;
  Sharding sharding;
  Str from;  // "--shard 'x=P(\"data\")'", for explanations
  Pos pos;   // of the rule, in diag's source
  Diag *diag;
} Annotation;

typedef struct AnnotationList {
  const Annotation *v;
  uint32_t n;
} AnnotationList;

// Finds the values of each rule and checks that the specs fit them. The table has the program's
// meshes. Errors go to the rule's diag: a rule without matches, an unknown axis, a wrong rank.
// Returns false after an error. O(program + rules), plus O(program) per pattern that is not an
// exact name.
bool shard_rules_resolve(const ShardRules *rules, const Program *p, ShardingTable *table,
                         const ShardOptions *options, AnnotationList *out);

// Resolves one SPEC, the text of diag's source, for one value. False after an error.
bool shard_spec_resolve(Diag *diag, const Program *p, ShardingTable *table,
                        const ShardOptions *options, const Target *target, Arena *arena,
                        Sharding *out);

// Annotates the places of the values, in every instance of their functions. Replaces annotations of
// the program, with a warning if they differ. Two different annotations of values that share a
// place (a loop carry, a sharding group) are an error. Returns false after an error.
bool shard_rules_give(AnnotationList list, Givens *givens);

// The place of a target in an instance; 0 if the value cannot be sharded.
PlaceId target_place(const Graph *g, InstanceId instance, const Target *target);

#endif
