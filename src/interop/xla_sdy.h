// sdy as XLA carries it through HLO, strings and custom calls, turned back into sdy.
//
//   module  mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\"x\"=2]>}"}
//   values  mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\"x\"}, {}]>"}
//   calls   @xla.sdy.FuncResultSharding, ShardingGroup, PropagationBarrier
//   bodies  @xla.sdy.GlobalToLocalShape, call @xla.sdy.manual_computation_body, LocalToGlobalShape
#ifndef TESSERA_INTEROP_XLA_SDY_H
#define TESSERA_INTEROP_XLA_SDY_H

#include "ir/program.h"

// Reads one attribute that is the whole text; errors go to diag. `attr_parse_text` of parse/.
typedef Status *(*AttrReader)(Context *context, Guard *guard, const char *text, Diag *diag,
                              Attr *out);

// The program in sdy's own words. With xla.sdy.meshes in the module every mhlo.sharding is a copy
// of what the strings say, and goes. A text that does not read is INVALID_ARGUMENT, its place in
// diag; the program may be changed then. Programs without such attributes are left alone.
// O(program).
Status *xla_sdy_import(Program *program, AttrReader read, Guard *guard, Diag *diag) MUST_USE;

#endif
