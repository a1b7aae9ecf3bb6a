// RUN: tessera check %s

func.func @threefry_64() {
  %s = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %t, %r = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x2xui64>)
  check.expect_eq_const %t, dense<[1, 6]> : tensor<2xui64>
  check.expect_eq_const %r, dense<[[9236835810183407956, 16087790271692313299], [18212823393184779219, 2658481902456610144]]> : tensor<2x2xui64>
  return
}

// -----

func.func @threefry_even() {
  %s = stablehlo.constant dense<[81985529216486895, 7]> : tensor<2xui64>
  %t, %r = "stablehlo.rng_bit_generator"(%s) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>)
  check.expect_eq_const %t, dense<[81985529216486895, 13]> : tensor<2xui64>
  check.expect_eq_const %r, dense<[[3356640791, 544688494, 3039885333, 3989734403], [2516300363, 2731057536, 3933500718, 721802571], [3928695743, 741696269, 957681320, 1269266626]]> : tensor<3x4xui32>
  return
}

// -----

func.func @threefry_odd() {
  %s = stablehlo.constant dense<[5, 18446744073709551614]> : tensor<2xui64>
  %t, %r = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui32>)
  check.expect_eq_const %t, dense<[5, 7]> : tensor<2xui64>
  check.expect_eq_const %r, dense<[[1142532943, 242479857, 3818595097, 1327100559, 1396233059], [2544891230, 2061267011, 349696651, 457712840, 2907045216], [3356996319, 2185398230, 635358152, 2693205249, 2857746084]]> : tensor<3x5xui32>
  return
}

// -----

func.func @threefry_scalar() {
  %s = stablehlo.constant dense<9> : tensor<2xui64>
  %t, %r = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<i32>)
  check.expect_eq_const %t, dense<[9, 10]> : tensor<2xui64>
  check.expect_eq_const %r, dense<-1928427224> : tensor<i32>
  return
}

// -----

func.func @threefry_16() {
  %s = stablehlo.constant dense<[3, 4]> : tensor<2xui64>
  %t, %r = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<7xui16>)
  check.expect_eq_const %t, dense<[3, 8]> : tensor<2xui64>
  check.expect_eq_const %r, dense<[58690, 63674, 48227, 21371, 22265, 18483, 25724]> : tensor<7xui16>
  return
}

// -----

func.func @threefry_8_odd_matrix() {
  %s = stablehlo.constant dense<[3, 4]> : tensor<2xui64>
  %t, %r = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x3xi8>)
  check.expect_eq_const %t, dense<[3, 10]> : tensor<2xui64>
  check.expect_eq_const %r, dense<[[66, 99, -7], [-70, 123, 51], [124, 102, -97]]> : tensor<3x3xi8>
  return
}

// -----

func.func @threefry_f32() {
  %s = stablehlo.constant dense<[3, 11]> : tensor<2xui64>
  %t, %r = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xf32>)
  check.expect_eq_const %t, dense<[3, 14]> : tensor<2xui64>
  %b = stablehlo.bitcast_convert %r : (tensor<2x3xf32>) -> tensor<2x3xui32>
  check.expect_eq_const %b, dense<[[446042894, 114450230, 4257800847], [2274340253, 2450569984, 3882310316]]> : tensor<2x3xui32>
  return
}

// -----

func.func @threefry_empty() {
  %s = stablehlo.constant dense<[3, 11]> : tensor<2xui64>
  %t, %r = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<0x3xui32>)
  check.expect_eq_const %t, dense<[3, 11]> : tensor<2xui64>
  check.expect_eq_const %r, dense<> : tensor<0x3xui32>
  return
}

// -----

func.func @philox_32() {
  %s = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %t, %r = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
  check.expect_eq_const %t, dense<[1, 4]> : tensor<2xui64>
  check.expect_eq_const %r, dense<[2100602697, 2847456232, 2074354647, 800269529, 1828267006]> : tensor<5xui32>
  return
}

// -----

func.func @philox_three_words() {
  %s = stablehlo.constant dense<[7, 18446744073709551615, 3]> : tensor<3xui64>
  %t, %r = "stablehlo.rng_bit_generator"(%s) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>} : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x3xui32>)
  check.expect_eq_const %t, dense<[7, 2, 4]> : tensor<3xui64>
  check.expect_eq_const %r, dense<[[2585095611, 872755499, 942374094], [2257922725, 3004760025, 2982476881], [1015416266, 3897981549, 1325598047]]> : tensor<3x3xui32>
  return
}

// -----

func.func @philox_64_odd() {
  %s = stablehlo.constant dense<[7, 1, 2]> : tensor<3xui64>
  %t, %r = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3xui64>)
  check.expect_eq_const %t, dense<[7, 3, 2]> : tensor<3xui64>
  check.expect_eq_const %r, dense<[4102371831045750929, 11541667143780566981, 13504922317253125493]> : tensor<3xui64>
  return
}

// -----

func.func @philox_64_signed() {
  %s = stablehlo.constant dense<[7, 1]> : tensor<2xui64>
  %t, %r = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x2xi64>)
  check.expect_eq_const %t, dense<[7, 3]> : tensor<2xui64>
  check.expect_eq_const %r, dense<[[4382772481303405171, -5373195884741201174], [7101836269504547856, 5582705776834749508]]> : tensor<2x2xi64>
  return
}

// -----

func.func @philox_16() {
  %s = stablehlo.constant dense<[7, 1]> : tensor<2xui64>
  %t, %r = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<6xui16>)
  check.expect_eq_const %t, dense<[7, 3]> : tensor<2xui64>
  check.expect_eq_const %r, dense<[25203, 48217, 62186, 37583, 52240, 51829]> : tensor<6xui16>
  return
}

// -----

func.func @philox_8() {
  %s = stablehlo.constant dense<[7, 1, 0]> : tensor<3xui64>
  %t, %r = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<2x3xui8>)
  check.expect_eq_const %t, dense<[7, 3, 0]> : tensor<3xui64>
  check.expect_eq_const %r, dense<[[155, 19, 107], [166, 192, 180]]> : tensor<2x3xui8>
  return
}

// -----

func.func @philox_f16() {
  %s = stablehlo.constant dense<[7, 1, 0]> : tensor<3xui64>
  %t, %r = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<2x3xf16>)
  check.expect_eq_const %t, dense<[7, 3, 0]> : tensor<3xui64>
  %b = stablehlo.bitcast_convert %r : (tensor<2x3xf16>) -> tensor<2x3xui16>
  check.expect_eq_const %b, dense<[[36507, 48147, 65387], [61094, 9152, 64436]]> : tensor<2x3xui16>
  return
}

// -----

func.func @default_is_philox() {
  %s = stablehlo.constant dense<[11, 12, 13]> : tensor<3xui64>
  %t, %r = stablehlo.rng_bit_generator %s, algorithm = DEFAULT : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  check.expect_eq_const %t, dense<[11, 13, 13]> : tensor<3xui64>
  check.expect_eq_const %r, dense<[1134635017, 2164580988, 2272923877, 2313768075]> : tensor<4xui32>
  return
}

// -----

func.func @philox_scalar() {
  %s = stablehlo.constant dense<[11, 12]> : tensor<2xui64>
  %t, %r = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui64>)
  check.expect_eq_const %t, dense<[11, 13]> : tensor<2xui64>
  check.expect_eq_const %r, dense<4972113262024672094> : tensor<ui64>
  return
}

// -----

func.func @philox_f64() {
  %s = stablehlo.constant dense<[11, 12]> : tensor<2xui64>
  %t, %r = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xf64>)
  check.expect_eq_const %t, dense<[11, 14]> : tensor<2xui64>
  %b = stablehlo.bitcast_convert %r : (tensor<3xf64>) -> tensor<3xui64>
  check.expect_eq_const %b, dense<[4972113262024672094, 905869821748541011, 17297417757457233452]> : tensor<3xui64>
  return
}
