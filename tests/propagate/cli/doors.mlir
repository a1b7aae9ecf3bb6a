// One program through every door: GSPMD's strings in and out, layouts by name, reasons in text and JSON.
// RUN: tessera propagate %s --emit=mhlo | FileCheck %s --check-prefix=MHLO
// RUN: tessera propagate %s --emit=mhlo | tessera propagate - --emit=mhlo > %t.again
// RUN: tessera propagate %s --emit=mhlo | diff - %t.again
// RUN: tessera propagate %s --close | FileCheck %s --check-prefix=CLOSED
// RUN: printf 'x: batch,features\nw: features,hidden\n' > %t.names
// RUN: tessera propagate %s --mesh grid:a=2,b=2 --names %t.names --layout 'hidden:b' --emit=table 2>&1 | FileCheck %s --check-prefix=LAYOUT
// RUN: not tessera propagate %s --mesh grid:a=2,b=2 --names %t.names --layout 'hiden:b' 2>&1 | FileCheck %s --check-prefix=NONAME
// RUN: tessera propagate %s --why result0 | FileCheck %s --check-prefix=WHY
// RUN: tessera propagate %s --why %1 --json | FileCheck %s --check-prefix=WHYJSON
// RUN: tessera propagate %s --why-all --json | FileCheck %s --check-prefix=WHYALL
// RUN: not tessera propagate %s --why %11 2>&1 | FileCheck %s --check-prefix=NOVALUE
// MHLO: mhlo.num_partitions = 4
// MHLO: @main(%arg0: tensor<8x4xf32> {mhlo.sharding = "{devices=[4,1]<=[4]}"},
// MHLO: stablehlo.tanh {{.*}} {mhlo.sharding = "{devices=[4,1]<=[4]}"}
// CLOSED: @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"axis_0"}, {}]>},
// CLOSED: tanh {{.*}} [{"axis_0"}, {}]>
// LAYOUT: w {{.*}} tensor<4x3xf32>  <@grid, [{?}, {"b"}]>
// NONAME: --layout:1:1: error: no dimension is called 'hiden'; near names: hidden
// WHY: result0 : tensor<8x6xf32>
// WHY: dim 0 "axis_0": from dim 0 of %x
// WHYJSON: {"id":{{[0-9]+}},"value":"%1","function":"main"
// WHYALL: "value":"%1"
// NOVALUE: error: {{.*}}%11
func.func @main(%x: tensor<8x4xf32> {mhlo.sharding = "{devices=[4,1]<=[4]}"}, %w: tensor<4x6xf32>) -> tensor<8x6xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %1 = stablehlo.tanh %0 : tensor<8x6xf32>
  return %1 : tensor<8x6xf32>
}
