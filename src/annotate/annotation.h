// The sdy shardings that a program's attributes carry: one door to wherever they stand.
//
//   %arg0: … {sdy.sharding = #sdy.sharding<…>}               arguments and results of functions
//   stablehlo.add … {sdy.sharding = #sdy.sharding_per_value  results of most ops
//   sdy.sharding_constraint %0 <…>, sdy.data_flow_edge       results of sdy's own ops
//   in_shardings, out_shardings                              body arguments and results of manual
//                                                            and named computations
//
// Shardings are trees of `#sdy.sharding` (parse/README.md). For passes on the text before and after
// propagation; the engine itself works on interned shardings.
#ifndef TESSERA_ANNOTATE_ANNOTATION_H
#define TESSERA_ANNOTATE_ANNOTATION_H

#include "ir/program.h"

// ---- trees ----

// The same sharding with all dimensions open, or closed (and without priorities where there are no
// axes).
Attr annotation_opened(Context *context, Attr sharding);
Attr annotation_closed(Context *context, Attr sharding);
Attr annotation_without_replicated(Context *context, Attr sharding);
Attr annotation_with_unreduced(Context *context, Attr sharding, Attr axes);  // an array of axes
// Open in all dimensions, nothing said.
Attr annotation_open(Context *context, Attr mesh, uint32_t rank);
// On another mesh: a tree or a symbol.
Attr annotation_with_mesh(Context *context, Attr sharding, Attr mesh);
bool annotation_is_closed(const Context *context, Attr sharding);     // in every dimension
bool annotation_says_nothing(const Context *context, Attr sharding);  // all open, no axes anywhere
// Axes for which keep(user, axis name, axis) is false go; a closed dimension that is left without
// any loses its priority.
Attr annotation_filter(Context *context, Attr sharding,
                       bool (*keep)(void *user, Name name, Attr axis), void *user);
// Every #sdy.sharding tree inside an attribute replaced by what fn says.
Attr annotation_map(Context *context, Attr attr, Attr (*fn)(void *user, Attr sharding), void *user);
// The same for all attributes of all ops, in program order. O(program).
void annotation_map_all(Program *p, Attr (*fn)(void *user, Attr sharding), void *user);
// The tree of the mesh that a sharding names or holds; 0 if there is none.
Attr annotation_mesh(const Program *p, const SymbolTable *symbols, Attr sharding);

// ---- values ----

// The sdy.data_flow_edge that speaks for a value: of which it is a target (the owner, or a body
// argument of a loop). 0 = none.
OpId annotation_edge(const Program *p, ValueId v);
// The sharding of a value: that of its edge if it has one, else its own. A body argument of a
// manual computation has no manual axes here. 0 = none.
Attr annotation_get(const Program *p, ValueId v);
// Its own, whatever an edge says.
Attr annotation_own(const Program *p, ValueId v);
// Whether the value can carry one: block arguments of control flow cannot, unless an edge speaks
// for them.
bool annotation_possible(const Program *p, ValueId v);
// Results beside it that have none become open on the same mesh, since an op has one list for all.
// False if it cannot carry one.
bool annotation_put(Program *p, ValueId v, Attr sharding);
Attr annotation_get_result(const Program *p, OpId function, uint32_t i);
void annotation_put_result(Program *p, OpId function, uint32_t i, Attr sharding);

#endif
