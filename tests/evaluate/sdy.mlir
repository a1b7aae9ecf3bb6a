// RUN: tessera check %s

// On one device shardings change no value.
sdy.mesh @mesh = <["x"=2, "one"=1]>
func.func @main() {
  %x = sdy.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = sdy.sharding_constraint %x <@mesh, [{"x"}]> : tensor<2xf32>
  %1 = sdy.reshard %0 <@mesh, [{}]> : tensor<2xf32>
  sdy.sharding_group %1 group_id=0 : tensor<2xf32>
  %2 = sdy.propagation_barrier %1 allowed_direction=NONE : tensor<2xf32>
  %3 = sdy.data_flow_edge %2 sharding=<@mesh, [{"x"}]> : tensor<2xf32>
  %4 = sdy.named_computation<"double">(%3) (%y: tensor<2xf32>) {
    %s = stablehlo.add %y, %y : tensor<2xf32>
    sdy.return %s : tensor<2xf32>
  } : (tensor<2xf32>) -> tensor<2xf32>
  %5 = sdy.manual_computation(%4) in_shardings=[<@mesh, [{"one"}]>] out_shardings=[<@mesh, [{"one"}]>] manual_axes={"one"} (%y: tensor<2xf32>) {
    %n = stablehlo.negate %y : tensor<2xf32>
    sdy.return %n : tensor<2xf32>
  } : (tensor<2xf32>) -> tensor<2xf32>
  check.expect_eq_const %5, dense<[-2.0, -4.0]> : tensor<2xf32>
  return
}
