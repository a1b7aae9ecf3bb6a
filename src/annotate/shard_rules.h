// Annotations beside the program: `params.*.kernel=P(None, "model")`, one per line.
//
//   PATTERN=SPEC            who (target.h) = how; the first rule that matches a value holds
//   x=P("data", None)       as JAX writes it: closed; dimensions left out are whole
//   x=P(("a","b"), ...)     two axes on the first dimension; `...`: all others are open
//   x=P(UNCONSTRAINED)      one open dimension; quotes may be left out: P(data)
//   x=[{"data"}, {?}p1]     as sdy writes it, on the program's mesh
//   x=<@m, [{"a", ?}, {}], replicated={"b"}>
//   # …                     to the end of the line
#ifndef TESSERA_ANNOTATE_SHARD_RULES_H
#define TESSERA_ANNOTATE_SHARD_RULES_H

#include "annotate/given.h"
#include "annotate/target.h"

typedef struct ShardRule ShardRule;

typedef struct ShardRules {
  Arena *arena;  // borrowed; rules and what is made of them live in it
  ShardRule *first, **end;
  uint32_t count;
} ShardRules;

void shard_rules_init(ShardRules *rules, Arena *arena);
// Adds the rules of a text, behind those that are there. What is wrong is in diag, whose source
// must be this one and which must outlive the rules; false then.
bool shard_rules_read(ShardRules *rules, const Source *source, Diag *diag);

// Groups of rules, from 1 on in the order they come: those of one parameter (`params.w`,
// `params.*.b`), and each other pattern alone. Gives how many, 0 if they are more than `most`.
// O(rules · groups).
uint32_t shard_rules_group(ShardRules *rules, uint32_t most);
// Do rules of other groups say an axis that this group says? They are grouped. O(rules).
bool shard_rules_has_rivals(const ShardRules *rules, uint32_t group);
bool shard_rules_have_priorities(const ShardRules *rules);
// Dimensions in other groups with an axis of this one get a priority behind it. words, if not NULL,
// say in the diag of its first rule what for.
void shard_rules_put_first(ShardRules *rules, uint32_t group, const char *words);

typedef struct ShardOptions {
  MeshId mesh;     // of rules that name none; 0 = the program's only one
  bool divisible;  // an argument or result that does not divide is an error, not a warning
} ShardOptions;

// What the rules say about one value.
typedef struct Annotation {
  Target target;
  Sharding sharding;
  Str from;  // "--shard 'x=P(\"data\")'", for reasons
  Pos pos;   // of the rule, in the source of diag
  Diag *diag;
} Annotation;

typedef struct AnnotationList {
  const Annotation *v;
  uint32_t n;
} AnnotationList;

// Finds who is meant and checks that the specs fit; the table has the program's meshes. A rule that
// matches nothing, an unknown axis, a rank that does not fit are errors in the diag of the rule's
// text; false then. O(program + rules), and O(program) for each that is no plain name.
bool shard_rules_resolve(const ShardRules *rules, const Program *p, ShardingTable *table,
                         const ShardOptions *options, AnnotationList *out);

// One SPEC alone, the whole text of diag's source, for one value. False after an error there.
bool shard_spec_resolve(Diag *diag, const Program *p, ShardingTable *table,
                        const ShardOptions *options, const Target *target, Arena *arena,
                        Sharding *out);

// Gives the annotations to the places of their values, in every instance of their functions. What
// the program itself says of them is replaced, with a warning if it differs; two annotations that
// differ on values that have one sharding (a loop's, a group's) are an error; false then.
bool shard_rules_give(AnnotationList list, Givens *givens);

// The place of a target in an instance of its function; 0 if it cannot be sharded.
PlaceId target_place(const Graph *g, InstanceId instance, const Target *target);

#endif
