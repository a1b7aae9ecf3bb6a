// Reads sdy in the form in which XLA carries it through HLO: strings and custom calls.
//
//   module  mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\"x\"=2]>}"}
//   values  mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\"x\"}, {}]>"}
//   calls   @xla.sdy.FuncResultSharding, ShardingGroup, PropagationBarrier
//   bodies  @xla.sdy.GlobalToLocalShape, call @xla.sdy.manual_computation_body, LocalToGlobalShape
#ifndef TESSERA_INTEROP_XLA_SDY_H
#define TESSERA_INTEROP_XLA_SDY_H

#include "ir/program.h"

// Reads one attribute from text (attr_parse_text of parse/); errors go to diag.
typedef Status *(*AttrReader)(Context *context, Guard *guard, const char *text, Diag *diag,
                              Attr *out);

// Converts to sdy attributes and ops in place. If the module has xla.sdy.meshes, every
// mhlo.sharding is a copy of a string and is removed. A string that does not parse is
// INVALID_ARGUMENT with the position in diag; the program may then be half converted. Programs
// without such attributes are not changed. O(program).
Status *xla_sdy_import(Program *program, AttrReader read, Guard *guard, Diag *diag) MUST_USE;

#endif
