// Every tile is padded alike: nothing is exchanged and nobody asks where it is.
// RUN: sdy_opt %s --sdy-convert-global-to-local --sdy-drop-sharding-and-mesh | FileCheck %s
// RUN: tessera partition %s --entry=between --verify --stats 2>&1 > %t | FileCheck %s --check-prefix=WORDS
// WORDS: 0 collectives
// WORDS: verified on 4 devices
sdy.mesh @m = <["x"=4]>

// CHECK-LABEL: func.func @between
// CHECK-NEXT: stablehlo.constant
// CHECK-NEXT: stablehlo.pad %arg0, %{{.*}}, low = [1, 0], high = [1, 3], interior = [2, 0] : (tensor<2x5xi32>, tensor<i32>) -> tensor<6x8xi32>
// CHECK-NEXT: return
func.func @between(%a: tensor<8x5xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<24x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %c = stablehlo.constant dense<7> : tensor<i32>
  %0 = stablehlo.pad %a, %c, low = [1, 0], high = [1, 3], interior = [2, 0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<8x5xi32>, tensor<i32>) -> tensor<24x8xi32>
  return %0 : tensor<24x8xi32>
}
