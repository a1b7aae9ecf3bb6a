// RUN: tessera check %s

func.func @qr_tall() {
  %x = stablehlo.constant dense<[[1.5625, 0.3125, -0.0625], [-1.0, 3.5625, -1.1875], [2.6875, -3.5, 0.25], [-1.9375, -0.625, 1.0]]> : tensor<4x3xf32>
  %p, %t = stablehlo.custom_call @Qr(%x) : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)
  check.expect_almost_eq_const %p, dense<[[-3.7971, 2.967931, 0.046293553], [-0.18658109, -4.0768948, 1.4440882], [0.50143665, -0.30353963, 0.62372154], [-0.36150086, -0.221858, -0.33121753]]> : tensor<4x3xf32>
  check.expect_almost_eq_const %t, dense<[1.4114982, 1.7522997, 1.8022807]> : tensor<3xf32>
  %q = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%p, %t) : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  check.expect_almost_eq_const %q, dense<[[-0.41149825, -0.3762173, 0.8013844], [0.26335886, -0.68210465, -0.34418005], [-0.70777696, 0.34324324, -0.3413511], [0.51025784, 0.5247646, 0.35043204]]> : tensor<4x3xf32>
  return
}

// -----

func.func @qr_wide() {
  %x = stablehlo.constant dense<[[-3.5, -3.25, 0.625, 1.375], [-3.5625, 3.75, -0.5, 3.875]]> : tensor<2x4xf64>
  %p, %t = stablehlo.custom_call @Qr(%x) : (tensor<2x4xf64>) -> (tensor<2x4xf64>, tensor<2xf64>)
  check.expect_almost_eq_const %p, dense<[[4.994137187743244, -0.3973409070279663, -0.08134538254115864, -3.727808588376554], [0.4194069298928404, 4.946424992214295, -0.7962461483355713, 1.7348467161181707]]> : tensor<2x4xf64>
  check.expect_almost_eq_const %t, dense<[1.7008217572776738, 0.0]> : tensor<2xf64>
  return
}

// -----

func.func @qr_complex() {
  %x = stablehlo.constant dense<[[(-2.9375, -2.375), (3.125, 1.0625), (1.1875, 3.0)], [(2.5, -1.8125), (2.5, 3.0625), (-2.625, -3.5)], [(-2.6875, 1.0), (3.8125, -1.0), (-0.5625, 0.1875)]]> : tensor<3x3xcomplex<f64>>
  %p, %t = stablehlo.custom_call @Qr(%x) : (tensor<3x3xcomplex<f64>>) -> (tensor<3x3xcomplex<f64>>, tensor<3xcomplex<f64>>)
  check.expect_almost_eq_const %p, dense<[[(5.6592706022949635, 0.0), (-3.931602067407259, 2.714710486501536), (-1.613779078932263, -3.435320135092332)], [(-0.216069138289236, 0.270527656375533), (-4.385367248935665, 0.0), (2.2195817967596705, 2.3561463948810055)], [(0.2605920874410651, -0.18831562252462014), (0.2935181850035329, 0.0660085466352427), (2.240238205462108, 0.0)]]> : tensor<3x3xcomplex<f64>>
  check.expect_almost_eq_const %t, dense<[(1.5190598235060144, 0.41966538921762875), (1.8158370996341782, 0.18162727074501211), (1.9444700771330103, -0.3285974336484776)]> : tensor<3xcomplex<f64>>
  %q = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%p, %t) : (tensor<3x3xcomplex<f64>>, tensor<3xcomplex<f64>>) -> tensor<3x3xcomplex<f64>>
  check.expect_almost_eq_const %q, dense<[[(-0.5190598235060144, -0.41966538921762875), (0.012543238687361584, -0.18735941313136917), (0.5902274697436816, 0.41331405994593706)], [(0.44175304128171444, -0.320270954929243), (-0.767861403474388, -0.13775139083388938), (0.2534970725555665, -0.17156170764624812)], [(-0.474884519377843, 0.17670121651268578), (-0.5530062933423695, -0.22435814310094954), (-0.5522010445492628, 0.2866755010197806)]]> : tensor<3x3xcomplex<f64>>
  return
}

// -----

func.func @lu() {
  %x = stablehlo.constant dense<[[0.875, -2.4375, -3.625], [0.1875, 3.625, -1.6875], [0.5, -3.0, -1.25]]> : tensor<3x3xf64>
  %l, %p, %o = stablehlo.custom_call @LuDecomposition(%x) : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xi32>, tensor<3xi32>)
  check.expect_almost_eq_const %l, dense<[[0.875, -2.4375, -3.625], [0.21428571428571427, 4.147321428571429, -0.9107142857142858], [0.5714285714285714, -0.38751345532831, 0.46851453175457447]]> : tensor<3x3xf64>
  check.expect_eq_const %p, dense<[0, 1, 2]> : tensor<3xi32>
  check.expect_eq_const %o, dense<[0, 1, 2]> : tensor<3xi32>
  return
}

// -----

func.func @eigh() {
  %x = stablehlo.constant dense<[[2.0, 0.0, 0.0], [1.0, 3.0, 0.0], [0.0, -1.0, 1.5]]> : tensor<3x3xf64>
  %full = stablehlo.constant dense<[[2.0, 1.0, 0.0], [1.0, 3.0, -1.0], [0.0, -1.0, 1.5]]> : tensor<3x3xf64>
  %v, %w = stablehlo.custom_call @Eigh(%x) {backend_config = "1,1,100,1e-6"} : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xf64>)
  check.expect_almost_eq_const %w, dense<[0.7831676851083565, 1.7870706205840348, 3.9297616943076092]> : tensor<3xf64>
  %av = stablehlo.dot_general %full, %v, contracting_dims = [1] x [0] : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %d = stablehlo.dot_general %v, %av, contracting_dims = [0] x [0] : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  check.expect_almost_eq_const %d, dense<[[0.7831676851083565, 0.0, 0.0], [0.0, 1.7870706205840348, 0.0], [0.0, 0.0, 3.9297616943076092]]> : tensor<3x3xf64>
  return
}
