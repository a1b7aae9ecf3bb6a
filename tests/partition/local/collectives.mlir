// Every collective of sdy, on values that say where they come from.
// RUN: env SDY_OPT=%out/tools/sdy_opt TESSERA=%out/tessera %root/tools/run_sdy_interpreter_test.sh %s %t
// RUN: sdy_opt %t/part1.mlir --sdy-convert-global-to-local=per-dim-all-gather | FileCheck %s --check-prefix=EACH
// RUN: sdy_opt %t/part1.mlir --sdy-convert-global-to-local=replica-count=4 --sdy-drop-sharding-and-mesh | FileCheck %s --check-prefix=REPLICA

// EACH-LABEL: func.func @gather_both
// EACH-COUNT-2: "stablehlo.all_gather"
// EACH-NOT: stablehlo.all_gather
// REPLICA-NOT: {{sdy|partition_id|channel_handle|use_global_device_ids}}
// REPLICA: stablehlo.replica_id

//--- part1.mlir
sdy.mesh @m = <["x"=2, "y"=2]>
sdy.mesh @turned = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>

func.func @gather_both(%a: tensor<2x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>}) -> tensor<2x4xi32> {
  %0 = sdy.all_gather [{"y"}, {"x"}] %a out_sharding=<@m, [{}, {}]> : tensor<2x4xi32>
  return %0 : tensor<2x4xi32>
}

func.func @slice_minor(%a: tensor<4x2xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {}]>})
    -> (tensor<4x2xi32> {sdy.sharding = #sdy.sharding<@m, [{"y", "x"}, {}]>}) {
  %0 = sdy.all_slice [{"x"}, {}] %a out_sharding=<@m, [{"y", "x"}, {}]> : tensor<4x2xi32>
  return %0 : tensor<4x2xi32>
}

func.func @exchange_both(%a: tensor<2x2x2x2xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {}, {}, {"x"}]>})
    -> (tensor<2x2x2x2xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {"y"}, {}]>}) {
  %0 = sdy.all_to_all [{"y"}: 0->2, {"x"}: 3->1] %a out_sharding=<@m, [{}, {"x"}, {"y"}, {}]> : tensor<2x2x2x2xi32>
  return %0 : tensor<2x2x2x2xi32>
}

func.func @permute_to_other_order(%a: tensor<4xi32> {sdy.sharding = #sdy.sharding<@m, [{"y", "x"}]>})
    -> (tensor<4xi32> {sdy.sharding = #sdy.sharding<@turned, [{"x", "y"}]>}) {
  %0 = sdy.collective_permute %a out_sharding=<@turned, [{"x", "y"}]> : tensor<4xi32>
  return %0 : tensor<4xi32>
}

func.func @greatest(%a: tensor<2xi32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=max{"x"}>}) -> tensor<2xi32> {
  %0 = sdy.all_reduce {"x"} %a out_sharding=<@m, [{}]> : tensor<2xi32>
  return %0 : tensor<2xi32>
}

func.func @scatter_both(%a: tensor<2x2xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>})
    -> (tensor<2x2xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) {
  %0 = sdy.reduce_scatter [{"x"}, {"y"}] %a out_sharding=<@m, [{"x"}, {"y"}]> : tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}

// A value as a sum of parts, and back.
func.func @there_and_back(%a: tensor<2x2xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<2x2xi32> {
  %0 = sdy.sharded_to_unreduced [{"x"}, {}] %a out_sharding=<@m, [{}, {}], unreduced={"x"}> : tensor<2x2xi32>
  %1 = sdy.replicated_to_unreduced {"y"} %0 out_sharding=<@m, [{}, {}], unreduced={"x", "y"}> : tensor<2x2xi32>
  %2 = sdy.all_reduce {"x", "y"} %1 out_sharding=<@m, [{}, {}]> : tensor<2x2xi32>
  return %2 : tensor<2x2xi32>
}

//--- part2.mlir
func.func @main() {
  // gather_both: device (x, y) has row y, columns 2x and 2x + 1.
  %g0 = stablehlo.constant dense<[[1, 2]]> : tensor<1x2xi32>
  %g1 = stablehlo.constant dense<[[5, 6]]> : tensor<1x2xi32>
  %g2 = stablehlo.constant dense<[[3, 4]]> : tensor<1x2xi32>
  %g3 = stablehlo.constant dense<[[7, 8]]> : tensor<1x2xi32>
  %g:4 = "interpreter.run_parallel"(%g0, %g1, %g2, %g3) {
    programs = [[@gather_both, @gather_both, @gather_both, @gather_both]]
  } : (tensor<1x2xi32>, tensor<1x2xi32>, tensor<1x2xi32>, tensor<1x2xi32>)
    -> (tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>)
  check.expect_eq_const %g#0, dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi32>
  check.expect_eq_const %g#3, dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi32>

  // slice_minor: device (x, y) has rows 2y and 2y + 1, and keeps row 2y + x.
  %s0 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %s1 = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi32>
  %s:4 = "interpreter.run_parallel"(%s0, %s1, %s0, %s1) {
    programs = [[@slice_minor, @slice_minor, @slice_minor, @slice_minor]]
  } : (tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>)
    -> (tensor<1x2xi32>, tensor<1x2xi32>, tensor<1x2xi32>, tensor<1x2xi32>)
  check.expect_eq_const %s#0, dense<[[1, 2]]> : tensor<1x2xi32>
  check.expect_eq_const %s#1, dense<[[5, 6]]> : tensor<1x2xi32>
  check.expect_eq_const %s#2, dense<[[3, 4]]> : tensor<1x2xi32>
  check.expect_eq_const %s#3, dense<[[7, 8]]> : tensor<1x2xi32>

  // exchange_both: element [a, b, c, d] is abcd; device (x, y) has a = y, d = x, then b = x, c = y.
  %e0 = stablehlo.constant dense<[[[[0], [10]], [[100], [110]]]]> : tensor<1x2x2x1xi32>
  %e1 = stablehlo.constant dense<[[[[1000], [1010]], [[1100], [1110]]]]> : tensor<1x2x2x1xi32>
  %e2 = stablehlo.constant dense<[[[[1], [11]], [[101], [111]]]]> : tensor<1x2x2x1xi32>
  %e3 = stablehlo.constant dense<[[[[1001], [1011]], [[1101], [1111]]]]> : tensor<1x2x2x1xi32>
  %e:4 = "interpreter.run_parallel"(%e0, %e1, %e2, %e3) {
    programs = [[@exchange_both, @exchange_both, @exchange_both, @exchange_both]]
  } : (tensor<1x2x2x1xi32>, tensor<1x2x2x1xi32>, tensor<1x2x2x1xi32>, tensor<1x2x2x1xi32>)
    -> (tensor<2x1x1x2xi32>, tensor<2x1x1x2xi32>, tensor<2x1x1x2xi32>, tensor<2x1x1x2xi32>)
  check.expect_eq_const %e#0, dense<[[[[0, 1]]], [[[1000, 1001]]]]> : tensor<2x1x1x2xi32>
  check.expect_eq_const %e#1, dense<[[[[10, 11]]], [[[1010, 1011]]]]> : tensor<2x1x1x2xi32>
  check.expect_eq_const %e#2, dense<[[[[100, 101]]], [[[1100, 1101]]]]> : tensor<2x1x1x2xi32>
  check.expect_eq_const %e#3, dense<[[[[110, 111]]], [[[1110, 1111]]]]> : tensor<2x1x1x2xi32>

  // permute: device (x, y) has element 2y + x; in the other mesh device 3 - k has element k.
  %p0 = stablehlo.constant dense<0> : tensor<1xi32>
  %p1 = stablehlo.constant dense<2> : tensor<1xi32>
  %p2 = stablehlo.constant dense<1> : tensor<1xi32>
  %p3 = stablehlo.constant dense<3> : tensor<1xi32>
  %p:4 = "interpreter.run_parallel"(%p0, %p1, %p2, %p3) {
    programs = [[@permute_to_other_order, @permute_to_other_order, @permute_to_other_order, @permute_to_other_order]]
  } : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>)
    -> (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>)
  check.expect_eq_const %p#0, dense<3> : tensor<1xi32>
  check.expect_eq_const %p#1, dense<2> : tensor<1xi32>
  check.expect_eq_const %p#2, dense<1> : tensor<1xi32>
  check.expect_eq_const %p#3, dense<0> : tensor<1xi32>

  // greatest, of devices 0 and 2, and of 1 and 3.
  %m0 = stablehlo.constant dense<[1, -7]> : tensor<2xi32>
  %m1 = stablehlo.constant dense<[-5, -3]> : tensor<2xi32>
  %m2 = stablehlo.constant dense<[0, -6]> : tensor<2xi32>
  %m3 = stablehlo.constant dense<[-4, -9]> : tensor<2xi32>
  %m:4 = "interpreter.run_parallel"(%m0, %m1, %m2, %m3) {
    programs = [[@greatest, @greatest, @greatest, @greatest]]
  } : (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>)
    -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>)
  check.expect_eq_const %m#0, dense<[1, -6]> : tensor<2xi32>
  check.expect_eq_const %m#3, dense<[-4, -3]> : tensor<2xi32>

  // scatter_both: 1, 10, 100, 1000 times the same.
  %r0 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %r1 = stablehlo.constant dense<[[10, 20], [30, 40]]> : tensor<2x2xi32>
  %r2 = stablehlo.constant dense<[[100, 200], [300, 400]]> : tensor<2x2xi32>
  %r3 = stablehlo.constant dense<[[1000, 2000], [3000, 4000]]> : tensor<2x2xi32>
  %r:4 = "interpreter.run_parallel"(%r0, %r1, %r2, %r3) {
    programs = [[@scatter_both, @scatter_both, @scatter_both, @scatter_both]]
  } : (tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>)
    -> (tensor<1x1xi32>, tensor<1x1xi32>, tensor<1x1xi32>, tensor<1x1xi32>)
  check.expect_eq_const %r#0, dense<1111> : tensor<1x1xi32>
  check.expect_eq_const %r#1, dense<2222> : tensor<1x1xi32>
  check.expect_eq_const %r#2, dense<3333> : tensor<1x1xi32>
  check.expect_eq_const %r#3, dense<4444> : tensor<1x1xi32>

  %t0 = stablehlo.constant dense<[[1, 2]]> : tensor<1x2xi32>
  %t1 = stablehlo.constant dense<[[3, 4]]> : tensor<1x2xi32>
  %t:4 = "interpreter.run_parallel"(%t0, %t0, %t1, %t1) {
    programs = [[@there_and_back, @there_and_back, @there_and_back, @there_and_back]]
  } : (tensor<1x2xi32>, tensor<1x2xi32>, tensor<1x2xi32>, tensor<1x2xi32>)
    -> (tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>)
  check.expect_eq_const %t#0, dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  check.expect_eq_const %t#3, dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  return
}
