// Passes on programs with sdy annotations, before and after propagation. Each takes a verified
// program and leaves a verified one; none moves a value between devices by itself.
//
//   import: meshes, axes, constants, edges, constraints, groups   (what propagation starts from)
//   export: constants, edges, groups, constraints, closing        (what partitioning starts from)
//
// The order they are run in as one is that of `passes_import`, `passes_enter`, `passes_export`.
#ifndef TESSERA_TOOLS_SDY_OPT_PASSES_H
#define TESSERA_TOOLS_SDY_OPT_PASSES_H

#include "ir/program.h"
#include "ops/factors.h"

// ---- data-flow edges (edges.c) ----

// Puts an sdy.data_flow_edge behind every result of an op through which values flow (OpDef.flow)
// and at the start of bodies whose arguments have shardings of their own. An edge has the
// sharding of the value it speaks for, which all other uses see through it. O(program).
void passes_add_edges(Program *p);
void passes_add_edges_of(Program *p, OpId op);  // one of those ops
// The edges' shardings go to the values they speak for, the edges go. O(program).
void passes_sink_edges(Program *p, Arena *arena);
// The same for arguments of functions that are called, and results of calls:
// sdy.func_data_flow_edge.
void passes_add_function_edges(Program *p);
void passes_sink_function_edges(Program *p);

// ---- constraints and groups (constraints.c) ----

void passes_remove_groups(Program *p);
void passes_constraints_to_reshards(Program *p);
// Where a value with unreduced axes is used by an op whose result (or returned as a result that) is
// not unreduced over them, an sdy.all_reduce before it.
void passes_finish_sums(Program *p, Arena *arena);

// ---- shardings and meshes (shardings.c) ----

void passes_remove_size_one_axes(Program *p, Guard *guard);
void passes_close_shardings(Program *p);
// Dimensions of arguments and results of functions lose axes that do not divide them.
void passes_even_edges(Program *p, Arena *arena);
// Open dimensions of the main function's arguments and results lose parts of axes, and what is
// behind them.
void passes_whole_axes(Program *p, Arena *arena);
// Shardings hold their mesh; mesh ops go.
void passes_inline_meshes(Program *p, Guard *guard);
// Every op that has a rule carries it; and no more, but for rules that users wrote.
void passes_populate_rules(Program *p, const FactorOptions *options, Arena *arena);
void passes_drop_rules(Program *p);
// Warns of the first custom call that nothing is known of, along which no sharding travels; true if
// there is one.
bool passes_warn_unknown_call(const Program *p, const FactorOptions *options, Arena *arena,
                              Diag *diag);

// ---- constants (constants.c) ----

// Each use of a constant expression gets its own copy, so that shardings do not travel from use to
// use. stablehlo.constant becomes sdy.constant.
void passes_split_constants(Program *p, Arena *arena);
// Equal constants and scalar broadcasts with equal shardings in one region become one.
void passes_merge_constants(Program *p, Arena *arena);

// ---- calls (calls.c) ----

// Every call becomes an sdy.named_computation with a copy of the function and edges; functions that
// are called go. False after an error: too many copies.
bool passes_import_calls(Program *p, Arena *arena, Diag *diag);
// And back: each becomes a private function (named after it, `_0`, `_1` … where that is taken).
void passes_export_computations(Program *p, Arena *arena);
// The results of functions that are called have the shardings of what their bodies return; of those
// that passes_export_computations made, those of one origin with equal shardings become one.
void passes_set_function_results(Program *p, Arena *arena);
void passes_merge_functions(Program *p, Arena *arena);
// A call whose annotation is not what its function's result has gets the latter, and a reshard
// behind it.
void passes_reshard_results(Program *p);
// Operands that are not as the function's arguments are resharded where they are made; of closed
// shardings.
void passes_reshard_operands(Program *p);
// Functions stand behind those that call them, in the order of the calls.
void passes_order_functions(Program *p, Arena *arena);
// Private functions that nothing calls go.
void passes_drop_unreached(Program *p, Arena *arena);

// ---- all of them (passes.c) ----

// The function that nothing calls: `main`, or the only one; 0 if there are several.
OpId passes_main(const Program *p);
// Ops without effects whose results nothing uses go.
void passes_drop_dead(Program *p, Arena *arena);
// What Shardy's pipeline does before propagation (import, enter) and after it. With keep_calls
// calls are not copied in place: all calls of a function have one sharding, and edges tie them.
void passes_import(Program *p, Arena *arena);
bool passes_enter(Program *p, bool keep_calls, Arena *arena, Diag *diag);
void passes_export(Program *p, bool keep_calls, Arena *arena);

#endif
