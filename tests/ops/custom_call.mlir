// RUN: tessera check %s

// Annotations pass values through on one device; checks compare.
func.func @main() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[2,1]<=[2]}"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = stablehlo.custom_call @LayoutConstraint(%0) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = "stablehlo.custom_call"(%1) {call_target_name = "annotate_device_placement", has_side_effect = true} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %3 = stablehlo.custom_call @SPMDFullToShardShape(%2) {mhlo.sharding = "{manual}"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {mhlo.sharding = "{replicated}"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %5 = stablehlo.custom_call @MoveToHost(%4) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %6 = stablehlo.custom_call @MoveToDevice(%5) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  stablehlo.custom_call @check.expect_eq(%6, %x) {has_side_effect = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> ()
  %t = stablehlo.constant dense<true> : tensor<i1>
  stablehlo.custom_call @shape_assertion(%t) {error_message = "sizes agree", has_side_effect = true} : (tensor<i1>) -> ()
  return
}

// -----

// A roll: what falls off the end comes in at the beginning.
func.func @main() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %0 = stablehlo.custom_call @_SPMDInternalOp_RotateRight(%x) {backend_config = "dimension=1,amount=1"} : (tensor<2x3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %0, dense<[[3, 1, 2], [6, 4, 5]]> : tensor<2x3xi32>
  %1 = stablehlo.custom_call @_SPMDInternalOp_RotateRight(%x) {backend_config = "dimension=0,amount=1"} : (tensor<2x3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %1, dense<[[4, 5, 6], [1, 2, 3]]> : tensor<2x3xi32>
  %2 = stablehlo.custom_call @_SPMDInternalOp_RotateRight(%x) {backend_config = "dimension=1,amount=3"} : (tensor<2x3xi32>) -> tensor<2x3xi32>
  stablehlo.custom_call @check.expect_eq(%2, %x) {has_side_effect = true} : (tensor<2x3xi32>, tensor<2x3xi32>) -> ()
  return
}

// -----

// 3 ULP for expect_close, 0.001 for expect_almost_eq; zeros of both signs are equal, NaNs are close.
func.func @main() {
  %a = stablehlo.constant dense<[1.0, 0.0, 0x7FC00000]> : tensor<3xf32>
  %b = stablehlo.constant dense<[0x3F800003, -0.0, 0x7FC00001]> : tensor<3xf32>
  stablehlo.custom_call @check.expect_close(%a, %b) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
  %c = stablehlo.constant dense<[(1.0, 2.0)]> : tensor<1xcomplex<f64>>
  %d = stablehlo.constant dense<[(1.0009, 1.9991)]> : tensor<1xcomplex<f64>>
  stablehlo.custom_call @check.expect_almost_eq(%c, %d) {has_side_effect = true} : (tensor<1xcomplex<f64>>, tensor<1xcomplex<f64>>) -> ()
  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %n = stablehlo.constant dense<-0.0> : tensor<f64>
  stablehlo.custom_call @check.expect_eq(%z, %n) {has_side_effect = true} : (tensor<f64>, tensor<f64>) -> ()
  stablehlo.custom_call @check.eq(%z, %n) {has_side_effect = true} : (tensor<f64>, tensor<f64>) -> ()
  return
}

// -----

// A check may give its answer as a value.
func.func @main() -> tensor<i1> {
  %q = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %r = stablehlo.constant dense<[1.00005, 2.0]> : tensor<2xf32>
  %0 = stablehlo.custom_call @check.eq(%q, %r) : (tensor<2xf32>, tensor<2xf32>) -> tensor<i1>
  check.expect_eq_const %0, dense<true> : tensor<i1>
  return %0 : tensor<i1>
}

// -----

// Buffers: pinned and unpinned they hold the same values; a new one holds zeros.
func.func @main() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = stablehlo.custom_call @Pin(%x) : (tensor<2xi32>) -> memref<2xi32>
  %1 = stablehlo.custom_call @Unpin(%0) : (memref<2xi32>) -> tensor<2xi32>
  check.expect_eq_const %1, dense<[1, 2]> : tensor<2xi32>
  %2 = stablehlo.custom_call @CreateBuffer() : () -> memref<2xi32>
  %3 = stablehlo.custom_call @Unpin(%2) : (memref<2xi32>) -> tensor<2xi32>
  check.expect_eq_const %3, dense<0> : tensor<2xi32>
  return
}
