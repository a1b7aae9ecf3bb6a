// RUN: tessera check %s

func.func @potrf_s() {
  %x = stablehlo.constant dense<[[25.707031, -15.7265625, -11.714844], [-15.7265625, 26.46875, -5.125], [-11.714844, -5.125, 36.585938]]> : tensor<3x3xf32>
  %r, %i = stablehlo.custom_call @lapack_spotrf_ffi(%x) {mhlo.backend_config = {uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<i32>)
  check.expect_almost_eq_const %r, dense<[[5.07021, -15.7265625, -11.714844], [-3.1017575, 4.1046133, -5.125], [-2.3105242, -2.9946027, 4.720145]]> : tensor<3x3xf32>
  check.expect_eq_const %i, dense<0> : tensor<i32>
  return
}

// -----

func.func @potrf_z() {
  %x = stablehlo.constant dense<[[(22.2578125, 0.0), (-2.03125, -17.265625), (-7.22265625, 0.87890625)], [(-2.03125, 17.265625), (52.0859375, 0.0), (-2.8046875, -0.921875)], [(-7.22265625, -0.87890625), (-2.8046875, 0.921875), (19.80078125, 0.0)]]> : tensor<3x3xcomplex<f64>>
  %r, %i = stablehlo.custom_call @lapack_zpotrf_ffi(%x) {mhlo.backend_config = {uplo = 85 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<3x3xcomplex<f64>>) -> (tensor<3x3xcomplex<f64>>, tensor<i32>)
  check.expect_almost_eq_const %r, dense<[[(4.717818616691405, -0.0), (-0.43054855750781507, -3.6596627388164285), (-1.5309313131383655, 0.18629504892165075)], [(-2.03125, 17.265625), (6.205435849136351, -0.0), (-0.4483247892954875, 0.767234802310698)], [(-7.22265625, -0.87890625), (-2.8046875, 0.921875), (4.0783183250729875, -0.0)]]> : tensor<3x3xcomplex<f64>>
  check.expect_eq_const %i, dense<0> : tensor<i32>
  return
}

// -----

func.func @potrf_tells_the_failing_minor() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [2.0, 1.0]]> : tensor<2x2xf64>
  %r, %i = stablehlo.custom_call @lapack_dpotrf_ffi(%x) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<i32>)
  check.expect_eq_const %i, dense<2> : tensor<i32>
  return
}

// -----

func.func @getrf_batched() {
  %x = stablehlo.constant dense<[[[2.25, -0.8125, 3.5625], [-0.3125, 1.625, 3.25], [3.625, -2.0625, -0.5625]], [[1.75, -0.75, -1.5625], [0.9375, 3.1875, -0.25], [-0.875, 2.125, 0.0625]]]> : tensor<2x3x3xf64>
  %l, %p, %i = stablehlo.custom_call @lapack_dgetrf_ffi(%x) {mhlo.backend_config = {}} : (tensor<2x3x3xf64>) -> (tensor<2x3x3xf64>, tensor<2x3xi32>, tensor<2xi32>)
  check.expect_almost_eq_const %l, dense<[[[3.625, -2.0625, -0.5625], [-0.08620689655172414, 1.447198275862069, 3.2015086206896552], [0.6206896551724138, 0.3231571109456441, 2.87704765450484]], [[1.75, -0.75, -1.5625], [0.5357142857142857, 3.5892857142857144, 0.5870535714285714], [-0.5, 0.48756218905472637, -1.0049751243781095]]]> : tensor<2x3x3xf64>
  check.expect_eq_const %p, dense<[[3, 2, 3], [1, 2, 3]]> : tensor<2x3xi32>
  check.expect_eq_const %i, dense<0> : tensor<2xi32>
  return
}

// -----

func.func @geqrf_ungqr() {
  %x = stablehlo.constant dense<[[(-1.5, -3.9375), (3.0625, 3.9375)], [(0.875, -1.8125), (1.375, -3.8125)], [(2.5, 1.625), (-3.25, -1.625)], [(2.8125, -0.6875), (-2.9375, 3.6875)]]> : tensor<4x2xcomplex<f64>>
  %p, %t = stablehlo.custom_call @lapack_zgeqrf_ffi(%x) {mhlo.backend_config = {}} : (tensor<4x2xcomplex<f64>>) -> (tensor<4x2xcomplex<f64>>, tensor<2xcomplex<f64>>)
  %q = stablehlo.custom_call @lapack_zungqr_ffi(%p, %t) {mhlo.backend_config = {}} : (tensor<4x2xcomplex<f64>>, tensor<2xcomplex<f64>>) -> tensor<4x2xcomplex<f64>>
  check.expect_almost_eq_const %p, dense<[[(6.251249875024993, 0.0), (-5.366426821942687, 2.380149017789905)], [(0.004688383254766226, 0.23145163939493996), (-6.501894729065357, 0.0)], [(-0.34102395833106375, -0.036409375084237805), (0.009931982485218524, -0.08901133789095503)], [(-0.2526051699467721, 0.2170144020366769), (-0.167649195772362, 0.15665671109449342)]]> : tensor<4x2xcomplex<f64>>
  check.expect_almost_eq_const %t, dense<[(1.2399520143952016, 0.6298740377874045), (1.2608367974641124, -0.8875398064734489)]> : tensor<2xcomplex<f64>>
  check.expect_almost_eq_const %q, dense<[[(-0.23995201439520164, -0.6298740377874045), (-0.0423908742119824, -0.17355688881077785)], [(0.139972008397201, -0.28994201739420206), (-0.22086551568538287, 0.8769146679304511)], [(0.3999200239920028, 0.2599480155948018), (0.07461570247426791, 0.18177428247446484)], [(0.44991002699100313, -0.1099780065978008), (0.12071170647661225, -0.31167194351431904)]]> : tensor<4x2xcomplex<f64>>
  return
}

// -----

func.func @trsm_0() {
  %a = stablehlo.constant dense<[[8.5625, -3.9375, 1.4375], [-2.75, 6.5625, -2.3125], [3.3125, -3.3125, 8.3125]]> : tensor<3x3xf32>
  %b = stablehlo.constant dense<[[-0.25, 0.4375], [0.75, -3.1875], [-1.4375, 0.5625]]> : tensor<3x2xf32>
  %r = stablehlo.custom_call @lapack_strsm_ffi(%a, %b) {mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}} : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  check.expect_almost_eq_const %r, dense<[[-0.02919708, 0.05109489], [0.102050744, -0.4643031], [-0.12063056, -0.13771498]]> : tensor<3x2xf32>
  return
}

// -----

func.func @trsm_1() {
  %a = stablehlo.constant dense<[[(4.875, -2.625), (2.5, 0.3125), (2.5, -3.375)], [(0.25, 1.0625), (10.4375, -1.4375), (-0.5625, -0.5625)], [(0.5, 3.1875), (-0.25, 2.9375), (5.0625, -0.25)]]> : tensor<3x3xcomplex<f64>>
  %b = stablehlo.constant dense<[[(-0.875, 0.5), (2.5, -2.3125), (0.0625, 2.125)], [(1.9375, 0.3125), (-3.125, 1.875), (1.6875, 2.625)]]> : tensor<2x3xcomplex<f64>>
  %r = stablehlo.custom_call @lapack_ztrsm_ffi(%a, %b) {mhlo.backend_config = {diag = 78 : ui8, side = 82 : ui8, trans_x = 67 : ui8, uplo = 85 : ui8}} : (tensor<3x3xcomplex<f64>>, tensor<2x3xcomplex<f64>>) -> tensor<2x3xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[[(-0.008642509197100752, 0.004156519926469162), (0.2317809683461646, -0.2327233070996757), (0.03299376615478181, 0.41812376463433176)], [(0.27582087049444676, -0.7152723232584143), (-0.22308102248163414, 0.21805865782664802), (0.35806598753230956, 0.5008362475292687)]]> : tensor<2x3xcomplex<f64>>
  return
}

// -----

func.func @trsm_2() {
  %a = stablehlo.constant dense<[[6.0625, 2.5, 3.9375], [0.125, 9.75, 2.1875], [-0.625, 2.4375, 7.3125]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[3.125, 2.25], [0.3125, -2.625], [2.625, 1.125]]> : tensor<3x2xf64>
  %r = stablehlo.custom_call @lapack_dtrsm_ffi(%a, %b) {mhlo.backend_config = {diag = 85 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 85 : ui8}} : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  check.expect_almost_eq_const %r, dense<[[3.124999999999999, 2.2499999999999996], [-7.499999999999998, -8.249999999999998], [6.726562499999999, 10.312499999999998]]> : tensor<3x2xf64>
  return
}

// -----

func.func @heevd() {
  %x = stablehlo.constant dense<[[(35.7890625, 0.0), (0.0, 0.0), (0.0, 0.0)], [(16.16796875, 27.80078125), (43.79296875, 0.0), (0.0, 0.0)], [(-3.97265625, 6.32421875), (-0.42578125, 5.9453125), (19.37109375, 0.0)]]> : tensor<3x3xcomplex<f64>>
  %full = stablehlo.constant dense<[[(35.7890625, 0.0), (16.16796875, -27.80078125), (-3.97265625, -6.32421875)], [(16.16796875, 27.80078125), (43.79296875, 0.0), (-0.42578125, -5.9453125)], [(-3.97265625, 6.32421875), (-0.42578125, 5.9453125), (19.37109375, 0.0)]]> : tensor<3x3xcomplex<f64>>
  %v, %w, %i = stablehlo.custom_call @lapack_zheevd_ffi(%x) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<3x3xcomplex<f64>>) -> (tensor<3x3xcomplex<f64>>, tensor<3xf64>, tensor<i32>)
  check.expect_almost_eq_const %w, dense<[6.573009147753072, 18.668631065260602, 73.7114847869863]> : tensor<3xf64>
  %av = stablehlo.dot_general %full, %v, contracting_dims = [1] x [0] : (tensor<3x3xcomplex<f64>>, tensor<3x3xcomplex<f64>>) -> tensor<3x3xcomplex<f64>>
  %re = stablehlo.real %v : (tensor<3x3xcomplex<f64>>) -> tensor<3x3xf64>
  %im = stablehlo.imag %v : (tensor<3x3xcomplex<f64>>) -> tensor<3x3xf64>
  %ni = stablehlo.negate %im : tensor<3x3xf64>
  %cv = stablehlo.complex %re, %ni : tensor<3x3xcomplex<f64>>
  %d = stablehlo.dot_general %cv, %av, contracting_dims = [0] x [0] : (tensor<3x3xcomplex<f64>>, tensor<3x3xcomplex<f64>>) -> tensor<3x3xcomplex<f64>>
  check.expect_almost_eq_const %d, dense<[[(6.573009147753072, 0.0), (0.0, 0.0), (0.0, 0.0)], [(0.0, 0.0), (18.668631065260602, 0.0), (0.0, 0.0)], [(0.0, 0.0), (0.0, 0.0), (73.7114847869863, 0.0)]]> : tensor<3x3xcomplex<f64>>
  return
}

// -----

func.func @gesdd_tall_full() {
  %x = stablehlo.constant dense<[[3.1875, -0.75, 0.9375], [3.5, 3.3125, 3.625], [-3.1875, -3.8125, -3.25], [4.0, -0.6875, 0.875]]> : tensor<4x3xf64>
  %a, %s, %u, %v, %i = stablehlo.custom_call @lapack_dgesdd_ffi(%x) {mhlo.backend_config = {mode = 65 : ui8}} : (tensor<4x3xf64>) -> (tensor<4x3xf64>, tensor<3xf64>, tensor<4x4xf64>, tensor<3x3xf64>, tensor<i32>)
  check.expect_almost_eq_const %s, dense<[9.119325204697436, 4.140013235054491, 0.3989181927960752]> : tensor<3xf64>
  %uu = stablehlo.dot_general %u, %u, contracting_dims = [0] x [0] : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  check.expect_almost_eq_const %uu, dense<[[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]> : tensor<4x4xf64>
  %vv = stablehlo.dot_general %v, %v, contracting_dims = [1] x [1] : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  check.expect_almost_eq_const %vv, dense<[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]> : tensor<3x3xf64>
  %uk = stablehlo.slice %u [0:4, 0:3] : (tensor<4x4xf64>) -> tensor<4x3xf64>
  %vk = stablehlo.slice %v [0:3, 0:3] : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %sb = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<3xf64>) -> tensor<4x3xf64>
  %us = stablehlo.multiply %uk, %sb : tensor<4x3xf64>
  %r = stablehlo.dot_general %us, %vk, contracting_dims = [1] x [0] : (tensor<4x3xf64>, tensor<3x3xf64>) -> tensor<4x3xf64>
  check.expect_almost_eq_const %r, dense<[[3.1875, -0.75, 0.9375], [3.5, 3.3125, 3.625], [-3.1875, -3.8125, -3.25], [4.0, -0.6875, 0.875]]> : tensor<4x3xf64>
  return
}

// -----

func.func @gesdd_wide_thin() {
  %x = stablehlo.constant dense<[[-0.6875, -3.4375, 3.3125, 0.0], [-1.5625, -3.625, -3.0625, 0.375]]> : tensor<2x4xf64>
  %a, %s, %u, %v, %i = stablehlo.custom_call @lapack_dgesdd_ffi(%x) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<2x4xf64>) -> (tensor<2x4xf64>, tensor<2xf64>, tensor<2x2xf64>, tensor<2x4xf64>, tensor<i32>)
  check.expect_almost_eq_const %s, dense<[5.26258904514995, 4.546255359289416]> : tensor<2xf64>
  %uu = stablehlo.dot_general %u, %u, contracting_dims = [0] x [0] : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  check.expect_almost_eq_const %uu, dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf64>
  %vv = stablehlo.dot_general %v, %v, contracting_dims = [1] x [1] : (tensor<2x4xf64>, tensor<2x4xf64>) -> tensor<2x2xf64>
  check.expect_almost_eq_const %vv, dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf64>
  %uk = stablehlo.slice %u [0:2, 0:2] : (tensor<2x2xf64>) -> tensor<2x2xf64>
  %vk = stablehlo.slice %v [0:2, 0:4] : (tensor<2x4xf64>) -> tensor<2x4xf64>
  %sb = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<2xf64>) -> tensor<2x2xf64>
  %us = stablehlo.multiply %uk, %sb : tensor<2x2xf64>
  %r = stablehlo.dot_general %us, %vk, contracting_dims = [1] x [0] : (tensor<2x2xf64>, tensor<2x4xf64>) -> tensor<2x4xf64>
  check.expect_almost_eq_const %r, dense<[[-0.6875, -3.4375, 3.3125, 0.0], [-1.5625, -3.625, -3.0625, 0.375]]> : tensor<2x4xf64>
  return
}

// -----

func.func @gesdd_wide_full() {
  %x = stablehlo.constant dense<[[2.1875, -2.5625, 0.25], [-1.0625, 1.25, -1.5625]]> : tensor<2x3xf64>
  %a, %s, %u, %v, %i = stablehlo.custom_call @lapack_dgesdd_ffi(%x) {mhlo.backend_config = {mode = 65 : ui8}} : (tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2xf64>, tensor<2x2xf64>, tensor<3x3xf64>, tensor<i32>)
  check.expect_almost_eq_const %s, dense<[3.8695128884889645, 1.2544899385079902]> : tensor<2xf64>
  %uu = stablehlo.dot_general %u, %u, contracting_dims = [0] x [0] : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  check.expect_almost_eq_const %uu, dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf64>
  %vv = stablehlo.dot_general %v, %v, contracting_dims = [1] x [1] : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  check.expect_almost_eq_const %vv, dense<[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]> : tensor<3x3xf64>
  %uk = stablehlo.slice %u [0:2, 0:2] : (tensor<2x2xf64>) -> tensor<2x2xf64>
  %vk = stablehlo.slice %v [0:2, 0:3] : (tensor<3x3xf64>) -> tensor<2x3xf64>
  %sb = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<2xf64>) -> tensor<2x2xf64>
  %us = stablehlo.multiply %uk, %sb : tensor<2x2xf64>
  %r = stablehlo.dot_general %us, %vk, contracting_dims = [1] x [0] : (tensor<2x2xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  check.expect_almost_eq_const %r, dense<[[2.1875, -2.5625, 0.25], [-1.0625, 1.25, -1.5625]]> : tensor<2x3xf64>
  return
}

// -----

func.func @gesdd_rank_deficient() {
  %x = stablehlo.constant dense<[[3.125, 0.8125, -2.625], [2.625, 1.1875, 3.5], [5.75, 2.0, 0.875]]> : tensor<3x3xf64>
  %a, %s, %u, %v, %i = stablehlo.custom_call @lapack_dgesdd_ffi(%x) {mhlo.backend_config = {mode = 65 : ui8}} : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xf64>, tensor<3x3xf64>, tensor<3x3xf64>, tensor<i32>)
  check.expect_almost_eq_const %s, dense<[7.546435074395338, 4.329737886747401, 3.2445512663789834e-18]> : tensor<3xf64>
  %uu = stablehlo.dot_general %u, %u, contracting_dims = [0] x [0] : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  check.expect_almost_eq_const %uu, dense<[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]> : tensor<3x3xf64>
  %vv = stablehlo.dot_general %v, %v, contracting_dims = [1] x [1] : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  check.expect_almost_eq_const %vv, dense<[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]> : tensor<3x3xf64>
  %uk = stablehlo.slice %u [0:3, 0:3] : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %vk = stablehlo.slice %v [0:3, 0:3] : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %sb = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<3xf64>) -> tensor<3x3xf64>
  %us = stablehlo.multiply %uk, %sb : tensor<3x3xf64>
  %r = stablehlo.dot_general %us, %vk, contracting_dims = [1] x [0] : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  check.expect_almost_eq_const %r, dense<[[3.125, 0.8125, -2.625], [2.625, 1.1875, 3.5], [5.75, 2.0, 0.875]]> : tensor<3x3xf64>
  return
}

// -----

func.func @gtsv_pivots() {
  %p = stablehlo.constant dense<[0.5625, -0.5, -4.0, 2.5]> : tensor<4xf64>
  %q = stablehlo.constant dense<[0.0, -0.4375, 0.4609375, -0.1015625]> : tensor<4xf64>
  %r = stablehlo.constant dense<[-3.0625, -0.5, 3.0, 2.0]> : tensor<4xf64>
  %s = stablehlo.constant dense<[[1.25, -1.625], [-1.6875, -1.9375], [2.25, 2.4375], [-1.6875, -1.625]]> : tensor<4x2xf64>
  %a, %b, %c, %x, %i = stablehlo.custom_call @lapack_dgtsv_ffi(%p, %q, %r, %s) {mhlo.backend_config = {}} : (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4x2xf64>) -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4x2xf64>, tensor<i32>)
  check.expect_almost_eq_const %x, dense<[[4.394647686971948, 3.99531597356728], [-0.40816326530612246, 0.5306122448979591], [-0.6625048298290905, -0.5846016878529943], [0.3075734195916189, 1.6098046066955254]]> : tensor<4x2xf64>
  check.expect_eq_const %i, dense<0> : tensor<i32>
  return
}
