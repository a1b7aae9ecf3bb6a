// Rules that are wrong: where, what was expected, and what is near. All are told at once, nothing is printed.
// RUN: not tessera propagate %s --shard 'x=P("date")' 2>&1 | FileCheck %s --check-prefix=AXIS
// AXIS: --shard:1:5: error: unknown axis "date": the mesh is @mesh ["data"=4, "model"=2]; did you mean "data"?
// AXIS-NEXT: x=P("date")
// AXIS-NEXT: {{^      \^}}
// AXIS-NOT: func.func
// RUN: not tessera propagate %s --shard 'x=P("data", ("model", "data"))' 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: --shard:1:23: error: axis "data" is used twice: by dimension 0 and by dimension 1
// RUN: not tessera propagate %s --shard 'x=P(None, None, "data")' 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: --shard:1:3: error: this sharding has 3 dimensions, but argument 0 'x' : tensor<16x6xf32> has 2
// RUN: not tessera propagate %s --shard 'x=[{"data"}]' 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: --shard:1:3: error: this sharding has 1 dimension, but argument 0 'x' : tensor<16x6xf32> has 2
// RUN: tessera propagate %s --shard 'x=P(None, "data")' 2>&1 | FileCheck %s --check-prefix=UNEVEN
// UNEVEN: --shard:1:3: warning: dimension 1 of argument 0 'x' : tensor<16x6xf32> has 6 elements, which 4 devices do not divide: tiles of 2 are padded
// UNEVEN: [{}, {"data"}]
// RUN: not tessera propagate %s --shard 'x=P(None, "data")' --edges=divisible 2>&1 | FileCheck %s --check-prefix=DIVISIBLE
// DIVISIBLE: --shard:1:3: error: dimension 1 of argument 0 'x' : tensor<16x6xf32> has 6 elements, which 4 devices do not divide: --edges=divisible (divisible_edges) requires a multiple of 4
// RUN: not tessera propagate %s --shard 'x=<@grid, [{}, {}]>' 2>&1 | FileCheck %s --check-prefix=MESH
// MESH: --shard:1:5: error: there is no mesh @grid; the program's meshes: @mesh ["data"=4, "model"=2]
// RUN: printf '\n# rules\nparms.w=P()\nx=P(modle)\n' > %t.rules
// RUN: not tessera propagate %s --shard-file %t.rules 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: .rules:3:1: error: nothing is called 'parms.w'; near names: params.w
// FILE: .rules:4:5: error: unknown axis "modle": {{.*}}; did you mean "model"?
// RUN: not tessera propagate %s --shard 'model.py:31=P()' 2>&1 | FileCheck %s --check-prefix=LINE
// LINE: --shard:1:1: error: nothing is called 'model.py:31'; the program has no locations in files: JAX's as_text(debug_info=True) prints them
// RUN: printf 'func.func @main(%%%%arg0: tensor<4xf32>) -> tensor<4xf32> {\n  return %%%%arg0 : tensor<4xf32>\n}\n' > %t.plain
// RUN: not tessera propagate %t.plain --mesh data=2 --shard 'params.*=P()' 2>&1 | FileCheck %s --check-prefix=PATHS
// RUN: not tessera propagate %t.plain --mesh data=2 --allow-args 'params.*' 2>&1 | FileCheck %s --check-prefix=PATHS
// RUN: not tessera propagate %t.plain --mesh data=2 --why 'params.*' 2>&1 | FileCheck %s --check-prefix=PATHS
// PATHS: 'params.*'{{.*}}; the arguments have but numbers here: JAX's as_text(debug_info=True) prints their paths
// RUN: not tessera propagate %s --shard 'x' 2>&1 | FileCheck %s --check-prefix=FORM
// FORM: --shard:1:1: error: expected PATTERN=SHARDING, as in 'x=P("data", None)'
// RUN: not tessera propagate %s --mesh data=3 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: mesh 'data=3' is not the program's: it has @mesh ["data"=4, "model"=2]; to add another one, name it: NAME:data=3
// RUN: not tessera propagate %s --devices 4 2>&1 | FileCheck %s --check-prefix=DEVICES
// DEVICES: error: the mesh @mesh ["data"=4, "model"=2] has 8 devices, not 4
// Members of a group have one sharding.
// RUN: not tessera propagate %s --shard '%0=P("data")' --shard 'params.w=P("model")' 2>&1 | FileCheck %s --check-prefix=GROUP
// GROUP: --shard:2:1: error: argument 1 'params.w' and %0 have one sharding, but this rule gives <@mesh, [{"model"}, {}]> and --shard '%0=P("data")' gives <@mesh, [{"data"}, {}]>
// What the program says of a value is replaced, and that is told.
// RUN: tessera propagate %s --shard '%1=P("data")' 2>&1 | FileCheck %s --check-prefix=REPLACE
// REPLACE: --shard:1:1: warning: %1 is annotated in the program with <@mesh, [{"model"}, {}]>; this rule replaces it
// REPLACE: negate {{.*}} [{"data"}, {}]
sdy.mesh @mesh = <["data"=4, "model"=2]>
func.func @main(%x: tensor<16x6xf32>, %arg1: tensor<16x6xf32> {jax.arg_info = "params['w']"}) -> tensor<16x6xf32> {
  %0 = stablehlo.add %x, %arg1 : tensor<16x6xf32>
  sdy.sharding_group %0 group_id=0 : tensor<16x6xf32>
  sdy.sharding_group %arg1 group_id=0 : tensor<16x6xf32>
  %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"model"}, {}]>]>} : tensor<16x6xf32>
  return %1 : tensor<16x6xf32>
}
