module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\"x\"=<]>}"}} {
func.func @main(%x: tensor<6x4xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\"x\", ?}p1, {}]>"}}) -> tensor<8x4xf32> {
  %0 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%x) {mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{\"x\"}, {}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\"x\"}>"}} : (tensor<6x4xf32>) -> tensor<4x4xf32>
  %1 = call @xla.sdy.manual_computation_body(%0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%1) {mhlo.frontend_attributes = {xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{\"x\"}, {}]>]>"}} : (tensor<4x4xf32>) -> tensor<8x4xf32>
  stablehlo.custom_call @xla.sdy.ShardingGroup(%2) {mhlo.frontend_attributes = {xla.sdy.sharding_group_id = "5 : i64"}} : (tensor<8x4xf32>) -> ()
  %3 = stablehlo.custom_call @xla.sdy.PropagationBarrier(%2) {mhlo.frontend_attributes = {xla.sdy.allowed_direction = "1"}} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %4 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%3) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\"x\"}, {?}]>]>"}} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %4 : tensor<8x4xf32>
}
func.func private @xla.sdy.manual_computation_body(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  return %a : tensor<4x4xf32>
}
}
