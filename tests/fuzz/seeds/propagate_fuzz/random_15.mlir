module {
sdy.mesh @mesh = <["a"=4, "b"=8]>
func.func public @main(%v0: tensor<4x6xf32>, %v1: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %v2: tensor<4x6xf32>) -> (tensor<4x12xf32>) {
%v3 = stablehlo.constant dense<1.0> : tensor<4x6xf32>
%p4 = stablehlo.compare LT, %v0, %v3 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
%v4 = stablehlo.select %p4, %v0, %v3 : tensor<4x6xi1>, tensor<4x6xf32>
%v5 = stablehlo.multiply %v2, %v3 : tensor<4x6xf32>
%v6 = stablehlo.concatenate %v1, %v4, dim = 1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x12xf32>
%g7 = stablehlo.iota dim = 0 : tensor<3xi32>
%v7 = "stablehlo.gather"(%v6, %g7) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 12>}> : (tensor<4x12xf32>, tensor<3xi32>) -> tensor<3x12xf32>
return %v6 : tensor<4x12xf32>
}
}
