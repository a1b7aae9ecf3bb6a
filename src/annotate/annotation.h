// Reads and writes the sdy shardings in a program's attributes, wherever sdy's syntax puts them:
//
//   %arg0: … {sdy.sharding = #sdy.sharding<…>}               arguments and results of functions
//   stablehlo.add … {sdy.sharding = #sdy.sharding_per_value  results of most ops
//   sdy.sharding_constraint %0 <…>, sdy.data_flow_edge       results of sdy's own ops
//   in_shardings, out_shardings                              body arguments and results of manual
//                                                            and named computations
//
// Shardings are attribute trees of `#sdy.sharding` (parse/README.md). Passes on the program's text
// before and after propagation use them; propagation itself works on interned shardings.
#ifndef TESSERA_ANNOTATE_ANNOTATION_H
#define TESSERA_ANNOTATE_ANNOTATION_H

#include "ir/program.h"

// ---- trees ----

// The same sharding with all dimensions open, or all closed. A closed dimension without axes has no
// priority.
Attr annotation_opened(Context *context, Attr sharding);
Attr annotation_closed(Context *context, Attr sharding);
Attr annotation_without_replicated(Context *context, Attr sharding);
Attr annotation_with_unreduced(Context *context, Attr sharding, Attr axes);  // an array of axes
// A sharding without axes, open in all dimensions.
Attr annotation_open(Context *context, Attr mesh, uint32_t rank);
// The same sharding on another mesh: a mesh tree or a symbol.
Attr annotation_with_mesh(Context *context, Attr sharding, Attr mesh);
bool annotation_is_closed(const Context *context, Attr sharding);  // in every dimension
bool annotation_is_empty(const Context *context, Attr sharding);   // all open, no axes anywhere
// Drops the axes for which keep(user, axis name, axis) is false. A closed dimension that has no
// axes left loses its priority.
Attr annotation_filter(Context *context, Attr sharding,
                       bool (*keep)(void *user, Name name, Attr axis), void *user);
// Replaces every #sdy.sharding tree inside an attribute by fn's result.
Attr annotation_map(Context *context, Attr attr, Attr (*fn)(void *user, Attr sharding), void *user);
// annotation_map for all attributes of all ops, in program order. O(program).
void annotation_map_all(Program *p, Attr (*fn)(void *user, Attr sharding), void *user);
// The mesh tree that a sharding refers to or contains; 0 if there is none.
Attr annotation_mesh(const Program *p, const SymbolTable *symbols, Attr sharding);

// ---- values ----

// The sdy.data_flow_edge that has the value as a target: the edge's owner, or a body argument of a
// loop. 0 = none.
OpId annotation_edge(const Program *p, ValueId v);
// The sharding of a value: its edge's if it has one, else its own. For a body argument of a manual
// computation, without the manual axes. 0 = none.
Attr annotation_get(const Program *p, ValueId v);
// The value's own sharding, regardless of an edge.
Attr annotation_own(const Program *p, ValueId v);
// Whether the value can have an annotation. Block arguments of control flow cannot, unless they are
// targets of an edge.
bool annotation_possible(const Program *p, ValueId v);
// Annotates a value. An op has one list for all results, so results without a sharding become open
// on the same mesh. False if the value cannot have an annotation.
bool annotation_set(Program *p, ValueId v, Attr sharding);
Attr annotation_get_result(const Program *p, OpId function, uint32_t i);
void annotation_set_result(Program *p, OpId function, uint32_t i, Attr sharding);

#endif
