// A session: one program on its way through the stages, and everything that they share.
//
// A session owns what its stages make: context, program, diagnostics, sharding table, propagation.
// session_deinit frees all of it, also after an error or a throw in any stage. A session belongs to
// one thread. No stage keeps state anywhere else.
#ifndef TESSERA_PIPELINE_SESSION_H
#define TESSERA_PIPELINE_SESSION_H

#include "cost/machine.h"
#include "ir/program.h"
#include "ops/custom_rules.h"
#include "partition/partition.h"
#include "propagate/propagate.h"

typedef struct Session {
  Guard *guard;          // of the guard_run at hand
  const Source *source;  // the program's text; borrowed
  Context *context;
  Program *program;  // the stages rewrite it; NULL before it is read
  Program *global;   // a clone of the global program, to verify the local one; else NULL
  Program *flat;     // the local program with its calls inlined, if it was simulated
  bool borrowed;     // context and program are the caller's
  bool verified;     // the program is known to be valid
  Diag diag;         // about the program's text
  Diag *side_diags;  // about texts beside the program (rules, layout, names), one each
  uint32_t n_side_diags;
  Arena arena;           // of the stages' results
  ShardingTable *table;  // NULL before annotations are imported
  MeshId mesh;           // for annotations that name no mesh; 0 = none, or several
  Propagation *propagation;
  Partition *partition;     // the decisions; NULL before STAGE_DECIDE
  CustomRules *call_rules;  // of custom calls; borrowed; NULL = none
  const Machine *machine;   // that prices are for; NULL = the default
  bool fused_attention;     // predictions take attention as fused kernels (cost/attention.h)
} Session;

// A session for the program in `source`; NULL: the program has no text. Stages report to `progress`
// (borrowed; NULL = none). Call session_deinit in any case.
void session_init(Session *session, Guard *guard, const Source *source, const Progress *progress);
// The same for a program that the caller keeps and frees. The guard also catches its allocations
// that fail.
void session_borrow(Session *session, Guard *guard, Program *program, const Source *source,
                    const Progress *progress);
// The same for a clone of the program in a context of its own, which the session owns. O(program).
void session_clone(Session *session, Guard *guard, const Program *program,
                   const Progress *progress);
// The same for a program that outlives the session: its context is a view (ir/context.h).
void session_view(Session *session, Guard *guard, const Program *program);
// Sets the guard, for the next guard_run on a session that outlives the last one.
void session_guard(Session *session, Guard *guard);
void session_deinit(Session *session);  // {0} is fine

// The program; the caller frees it from now on, with its context.
Program *session_take(Session *session);
// Sets session->machine from its text (cost/machine.h); NULL = the default.
Status *session_read_machine(Session *session, const char *text) MUST_USE;

// Are there errors about the program or about a text beside it? Then they include the status.
bool session_has_errors(const Session *session);
// All diagnostics: about the program, then about each text beside it.
void session_render(const Session *session, StrBuf *out, bool colour);

#endif
