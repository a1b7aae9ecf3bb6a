module {
sdy.mesh @mesh = <["a"=2, "b"=8, "c"=2, "d"=2]>
sdy.mesh @other = <["a"=12, "b"=1]>
func.func public @main(%v0: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", ?}p2]>}, %v1: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}], replicated={"c"}>}) -> (tensor<12xf32>, tensor<12xf32>) {
%p2 = stablehlo.compare LT, %v0, %v0 : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
%v2 = stablehlo.select %p2, %v0, %v0 : tensor<12xi1>, tensor<12xf32>
%v3 = stablehlo.transpose %v1, dims = [0] : (tensor<12xf32>) -> tensor<12xf32>
%v4 = stablehlo.optimization_barrier %v1 : tensor<12xf32>
%g5 = stablehlo.iota dim = 0 : tensor<1xi32>
%v5 = "stablehlo.gather"(%v2, %g5) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<12xf32>, tensor<1xi32>) -> tensor<1xf32>
%v6 = sdy.sharding_constraint %v3 <@mesh, [{}]> : tensor<12xf32>
%n8 = stablehlo.constant dense<3> : tensor<i32>
%v8:2 = stablehlo.while(%k8 = %n8, %v7 = %v4) : tensor<i32>, tensor<12xf32>
cond {
%c8 = stablehlo.compare LT, %k8, %n8 : (tensor<i32>, tensor<i32>) -> tensor<i1>
stablehlo.return %c8 : tensor<i1>
} do {
%v9 = stablehlo.constant dense<1.0> : tensor<6xf32>
%s10 = stablehlo.constant dense<1> : tensor<i32>
%v10 = stablehlo.dynamic_update_slice %v3, %v9, %s10 : (tensor<12xf32>, tensor<6xf32>, tensor<i32>) -> tensor<12xf32>
%v11 = "stablehlo.sort"(%v5) <{dimension = 0 : i64, is_stable = true}> ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
%c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
stablehlo.return %c : tensor<i1>
}) : (tensor<1xf32>) -> tensor<1xf32>
%v13 = sdy.named_computation<"n">(%v4) (%v12: tensor<12xf32>) {
%v14 = sdy.sharding_constraint %v12 <@mesh, [{"b", ?}p1], replicated={"a"}> : tensor<12xf32>
%v15 = sdy.sharding_constraint %v14 <@mesh, [{}], replicated={"b"}> : tensor<12xf32>
sdy.return %v12 : tensor<12xf32>
} : (tensor<12xf32>) -> tensor<12xf32>
stablehlo.return %k8, %v7 : tensor<i32>, tensor<12xf32>
}
%v16 = stablehlo.negate %v8#1 : tensor<12xf32>
%v17 = stablehlo.constant dense<1.0> : tensor<1x6xf32>
%v18 = stablehlo.dot_general %v5, %v17, contracting_dims = [0] x [0] : (tensor<1xf32>, tensor<1x6xf32>) -> tensor<6xf32>
%v19 = stablehlo.broadcast_in_dim %v3, dims = [0] : (tensor<12xf32>) -> tensor<12x8xf32>
%v20 = stablehlo.constant dense<1.0> : tensor<12xf32>
%v21 = stablehlo.concatenate %v1, %v20, dim = 0 : (tensor<12xf32>, tensor<12xf32>) -> tensor<24xf32>
return %v20, %v0 : tensor<12xf32>, tensor<12xf32>
}
}
