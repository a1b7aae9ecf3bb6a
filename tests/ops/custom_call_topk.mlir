// RUN: tessera check %s
// Custom calls that find the largest entries.

func.func @mhlo_topk() {
  %a = stablehlo.constant dense<[[3.0, 1.0, 4.0], [1.0, 5.0, 5.0]]> : tensor<2x3xf32>
  %v:2 = stablehlo.custom_call @mhlo.topk(%a) {mhlo.attributes = {k = 2 : i64, largest = true}, mhlo.version = 1 : i64} : (tensor<2x3xf32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  check.expect_eq_const %v#0, dense<[[4.0, 3.0], [5.0, 5.0]]> : tensor<2x2xf32>
  check.expect_eq_const %v#1, dense<[[2, 0], [1, 2]]> : tensor<2x2xi32>
  %w:2 = stablehlo.custom_call @mhlo.topk(%a) {mhlo.attributes = {k = 1 : i64, largest = false}, mhlo.version = 1 : i64} : (tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x1xi32>)
  check.expect_eq_const %w#1, dense<[[1], [0]]> : tensor<2x1xi32>
  return
}

// -----

func.func @dynamic_top_k() {
  %a = stablehlo.constant dense<[3, 1, 4]> : tensor<3xui64>
  %k = stablehlo.constant dense<2> : tensor<ui64>
  %v:2 = stablehlo.custom_call @stablehlo.dynamic_top_k(%a, %k) : (tensor<3xui64>, tensor<ui64>) -> (tensor<?xui64>, tensor<?xi32>)
  %c = stablehlo.reshape %v#1 : (tensor<?xi32>) -> tensor<2xi32>
  check.expect_eq_const %c, dense<[2, 0]> : tensor<2xi32>
  return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[[3.0, 1.0], [7.0, 2.0], [5.0, 6.0], [4.0, 0.0]]> : tensor<4x2xf32>
  %i = stablehlo.iota dim = 0 : tensor<4x2xi32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %r:2 = stablehlo.custom_call @ApproxTopK(%a, %i, %low, %none) {called_computations = [@greater], mhlo.backend_config = {aggregate_to_topk = true, recall_target = 0.9 : f32, reduction_dim = 0 : i64, reduction_input_size_override = -1 : i64, top_k = 2 : i64}} : (tensor<4x2xf32>, tensor<4x2xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  check.expect_eq_const %r#0, dense<[[7.0, 6.0], [5.0, 2.0]]> : tensor<2x2xf32>
  check.expect_eq_const %r#1, dense<[[1, 2], [2, 1]]> : tensor<2x2xi32>
  return
}
func.func private @greater(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}
