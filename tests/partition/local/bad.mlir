// Programs that are not for the mechanical stage: each is told where and why.
// RUN: not sdy_opt %s -split-input-file --sdy-convert-global-to-local 2>&1 | FileCheck %s
sdy.mesh @m = <["x"=2, "y"=2]>
// CHECK: bad.mlir:[[#@LINE + 1]]:{{.*}} dimension 0 of a tensor<5xf32> is not divided by 2 devices
func.func @uneven(%a: tensor<5xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<5xf32> {
  %0 = sdy.all_gather [{"x"}] %a out_sharding=<@m, [{}]> : tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----
sdy.mesh @m = <["x"=2, "y"=2]>
func.func @apart(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %b: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: 'stablehlo.add' op has operand 1 sharded as none where the others make it <@m, [{"x"}]>: reshard it first
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----
sdy.mesh @m = <["x"=2, "y"=2]>
func.func @returned(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<4xf32> {
  // CHECK: 'func.return' op takes a value whose sharding is not the one wanted
  return %a : tensor<4xf32>
}

// -----
sdy.mesh @m = <["x"=2, "y"=2]>
func.func @other_axes(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>})
    -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
  // CHECK: 'sdy.all_gather' op dimension 0: what the axes named make of the operand's tile is not the result's
  %0 = sdy.all_gather [{}, {"x"}] %a out_sharding=<@m, [{}, {}]> : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----
sdy.mesh @m = <["x"=2, "y"=2]>
func.func @twice(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>})
    -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>}) {
  // CHECK: 'sdy.all_to_all' op moves axes of one dimension twice
  %0 = sdy.all_to_all [{"x"}: 0->1, {"y"}: 1->0] %a out_sharding=<@m, [{"y"}, {"x"}]> : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----
sdy.mesh @m = <["x"=2, "y"=2]>
sdy.mesh @n = <["x"=2]>
func.func @fewer(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>})
    -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@n, [{"x"}]>}) {
  // CHECK: 'sdy.collective_permute' op the operand is not on the devices of the result
  %0 = sdy.collective_permute %a out_sharding=<@n, [{"x"}]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}
