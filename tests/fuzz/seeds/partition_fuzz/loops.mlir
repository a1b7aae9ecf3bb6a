// Bodies, loops, branches and calls in the mechanical stage: types of tiles throughout, and nothing else.
// RUN: sdy_opt %s --sdy-convert-global-to-local --sdy-drop-sharding-and-mesh | FileCheck %s
// RUN: sdy_opt %s --sdy-convert-global-to-local --sdy-drop-sharding-and-mesh | tessera parse - > %t
// CHECK: module {
// CHECK-NOT: sdy
sdy.mesh @m = <["x"=2, "y"=2]>

// CHECK-LABEL: func.func @loop(%arg0: tensor<2x2xf32>, %arg1: tensor<i32>) -> tensor<2x2xf32>
// CHECK: stablehlo.while(%{{.*}} = %arg0, %{{.*}} = %{{.*}}) : tensor<2x2xf32>, tensor<i32>
// CHECK: stablehlo.add {{.*}} : tensor<2x2xf32>
func.func @loop(%a: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %n: tensor<i32>)
    -> (tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%v = %a, %i = %zero) : tensor<4x2xf32>, tensor<i32>
      attributes {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>, <@m, []>]>}
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %s = stablehlo.add %v, %v {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<4x2xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %s, %j : tensor<4x2xf32>, tensor<i32>
    }
  return %r#0 : tensor<4x2xf32>
}

// What has no sharding of its own follows what it is made of.
// CHECK-LABEL: func.func @branch(%arg0: tensor<i1>, %arg1: tensor<2x2xf32>)
// CHECK: stablehlo.negate %{{.*}} : tensor<2x2xf32>
// CHECK: }) : (tensor<i1>) -> tensor<2x2xf32>
func.func @branch(%p: tensor<i1>, %a: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>})
    -> (tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %r = "stablehlo.if"(%p) ({
    %n = stablehlo.negate %a : tensor<4x2xf32>
    stablehlo.return %n : tensor<4x2xf32>
  }, {
    stablehlo.return %a : tensor<4x2xf32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<i1>) -> tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}

// CHECK-LABEL: func.func private @double(%arg0: tensor<2x2xf32>) -> tensor<2x2xf32>
func.func private @double(%a: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>})
    -> (tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %s = stablehlo.add %a, %a : tensor<4x2xf32>
  return %s : tensor<4x2xf32>
}

// CHECK-LABEL: func.func @call
// CHECK: call @double(%arg0) : (tensor<2x2xf32>) -> tensor<2x2xf32>
func.func @call(%a: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>})
    -> (tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %r = func.call @double(%a) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}

// A body that is manual over x, and sharded over y besides; a reduction in it leaves parts of a sum.
// CHECK-LABEL: func.func @manual(%arg0: tensor<2x2xf32>) -> tensor<2xf32>
// CHECK: stablehlo.reduce(%arg0 init: %{{.*}}) applies stablehlo.add across dimensions = [1] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2xf32>
// CHECK: "stablehlo.all_reduce"{{.*}}[0, 1], [2, 3]
func.func @manual(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>})
    -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %r = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}, {"y"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%b: tensor<2x4xf32>) {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %s = stablehlo.reduce(%b init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
    %t = sdy.all_reduce {"y"} %s out_sharding=<@m, [{}]> : tensor<2xf32>
    sdy.return %t : tensor<2xf32>
  } : (tensor<4x4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @named(%arg0: tensor<2x2xf32>)
// CHECK-NEXT: %0 = stablehlo.negate %{{.*}} : tensor<2x2xf32>
// CHECK-NEXT: return %0 : tensor<2x2xf32>
func.func @named(%a: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>})
    -> (tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %r = sdy.named_computation<"f">(%a) in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>] (%b: tensor<4x2xf32>) {
    %n = stablehlo.negate %b : tensor<4x2xf32>
    sdy.return %n : tensor<4x2xf32>
  } : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}
