// Meshes, shardings and sdy's ops, as Shardy prints them.
// RUN: tessera parse %s > %t.printed
// RUN: grep -v '^//' %s > %t.wanted
// RUN: diff %t.wanted %t.printed
module {
  sdy.mesh @mesh = <["x"=4, "y"=2, "z"=8]>
  sdy.mesh @other = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>
  sdy.mesh @one = <[], device_ids=[3]>
  sdy.mesh @none = <[]>
  func.func @attributes(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z":(1)2, "z":(4)2}, {?}p0], replicated={"x"}, unreduced={"y"}>}, %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<mesh<["a"=2]>, [{"a"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
    %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y", ?}]>]>} : tensor<8x8xf32>
    %1 = stablehlo.custom_call @f(%0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, jk])->([i, l]) {i=8, j=4, k=2, l=8} reduction={k} need_replication={l} permutation={i} blocked_propagation={j, k}, custom>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = stablehlo.custom_call @g(%1) {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %2 : tensor<8x8xf32>
  }
  func.func @ops(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {?}]> : tensor<8x8xf32>
    %1 = sdy.reshard %0 <@mesh, [{"y"}, {"x"}]> : tensor<8x8xf32>
    %2 = sdy.propagation_barrier %1 allowed_direction=NONE : tensor<8x8xf32>
    %3 = sdy.data_flow_edge %2 : tensor<8x8xf32>
    %4 = sdy.data_flow_edge %2 sharding=<@mesh, [{?}, {?}]> : tensor<8x8xf32>
    %5 = sdy.func_data_flow_edge %4 : tensor<8x8xf32>
    sdy.sharding_group %5 group_id=3 : tensor<8x8xf32>
    %6 = sdy.constant dense<0.000000e+00> : tensor<8x8xf32>
    %7 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<[1, 2]> : tensor<2xi32>
    return %6 : tensor<8x8xf32>
  }
  func.func @regions(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {?}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<2x8xf32>) {
      %3 = stablehlo.add %arg1, %arg1 : tensor<2x8xf32>
      sdy.return %3 : tensor<2x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = sdy.named_computation<"body">(%0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] (%arg1: tensor<8x8xf32>) {
      sdy.return %arg1 : tensor<8x8xf32>
    } {note = "kept"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = sdy.named_computation<"plain">(%1) (%arg1: tensor<8x8xf32>) {
      sdy.return %arg1 : tensor<8x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
      sdy.return
    } : () -> ()
    return %2 : tensor<8x8xf32>
  }
  func.func @collectives(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = sdy.all_gather [{"x"}, {}] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
    %1 = sdy.all_slice [{"x"}, {"y"}] %0 out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<8x8xf32>
    %2 = sdy.all_to_all [{"x"}: 0->1] %1 out_sharding=<@mesh, [{}, {"y", "x"}]> : tensor<8x8xf32>
    %3 = sdy.collective_permute %2 out_sharding=<@mesh, [{}, {"x", "y"}]> : tensor<8x8xf32>
    %4 = sdy.all_reduce {"z"} %3 out_sharding=<@mesh, [{}, {"x", "y"}]> : tensor<8x8xf32>
    %5 = sdy.reduce_scatter [{"z":(1)2}, {}] %4 out_sharding=<@mesh, [{"z":(1)2}, {"x", "y"}]> : tensor<8x8xf32>
    return %5 : tensor<8x8xf32>
  }
}
