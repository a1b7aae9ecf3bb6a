// RUN: tessera check %s

func.func @lower() {
  %x = stablehlo.constant dense<[[22.46875, -0.9375, -7.015625], [-0.9375, 2.5429688, 2.2695312], [-7.015625, 2.2695312, 6.9492188]]> : tensor<3x3xf32>
  %r = stablehlo.cholesky %x, lower = true : tensor<3x3xf32>
  check.expect_almost_eq_const %r, dense<[[4.7401214, 0.0, 0.0], [-0.19777974, 1.5823565, 0.0], [-1.4800518, 1.2492805, 1.7882851]]> : tensor<3x3xf32>
  return
}

// -----

func.func @upper_generic() {
  %x = stablehlo.constant dense<[[20.04296875, -8.1875, 13.3984375], [-8.1875, 10.34375, 0.3046875], [13.3984375, 0.3046875, 17.3046875]]> : tensor<3x3xf64>
  %r = "stablehlo.cholesky"(%x) {lower = false} : (tensor<3x3xf64>) -> tensor<3x3xf64>
  check.expect_almost_eq_const %r, dense<[[4.476937429761556, -1.8288171609394306, 2.992768541041148], [0.0, 2.6455959237671656, 2.1839744742078078], [0.0, 0.0, 1.8916340702586127]]> : tensor<3x3xf64>
  return
}

// -----

func.func @batched_complex() {
  %x = stablehlo.constant dense<[[[(31.70703125, 0.0), (-9.68359375, 0.5859375)], [(-9.68359375, -0.5859375), (16.3046875, 0.0)]], [[(8.12109375, 0.0), (-7.87890625, 2.8125)], [(-7.87890625, -2.8125), (14.55859375, 0.0)]]]> : tensor<2x2x2xcomplex<f64>>
  %r = stablehlo.cholesky %x, lower = true : tensor<2x2x2xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[[[(5.630899683887114, 0.0), (0.0, 0.0)], [(-1.7197240749483989, -0.10405752772983454), (3.6519047957149198, 0.0)]], [[(2.8497532787944992, 0.0), (0.0, 0.0)], [(-2.764767851528863, -0.9869275424396536), (2.437340046675166, 0.0)]]]> : tensor<2x2x2xcomplex<f64>>
  return
}

// -----

func.func @upper_complex() {
  %x = stablehlo.constant dense<[[(43.95703, 0.0), (-11.8203125, 3.6953125), (-34.441406, 1.625)], [(-11.8203125, -3.6953125), (35.304688, 0.0), (3.34375, -3.3125)], [(-34.441406, -1.625), (3.34375, 3.3125), (50.191406, 0.0)]]> : tensor<3x3xcomplex<f32>>
  %r = stablehlo.cholesky %x, lower = false : tensor<3x3xcomplex<f32>>
  check.expect_almost_eq_const %r, dense<[[(6.63001, -0.0), (-1.7828499, 0.55736154), (-5.1947746, 0.24509767)], [(0.0, -0.0), (5.6405215, -0.0), (-1.073369, -1.0231137)], [(0.0, -0.0), (0.0, -0.0), (4.576764, -0.0)]]> : tensor<3x3xcomplex<f32>>
  return
}

// -----

func.func @not_positive_definite_is_nan() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [2.0, 1.0]]> : tensor<2x2xf32>
  %r = stablehlo.cholesky %x, lower = true : tensor<2x2xf32>
  %w1 = stablehlo.constant dense<[[0x7FC00000, 0x7FC00000], [0x7FC00000, 0x7FC00000]]> : tensor<2x2xf32>
  check.expect_close %r, %w1, max_ulp_difference = 0 : tensor<2x2xf32>, tensor<2x2xf32>
  return
}

// -----

func.func @reads_one_triangle() {
  %x = stablehlo.constant dense<[[4.0, 99.0], [2.0, 5.0]]> : tensor<2x2xf64>
  %r = stablehlo.cholesky %x, lower = true : tensor<2x2xf64>
  check.expect_eq_const %r, dense<[[2.0, 0.0], [1.0, 2.0]]> : tensor<2x2xf64>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0x0xf32>
  %r = stablehlo.cholesky %x, lower = true : tensor<2x0x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0x0xf32>
  return
}
