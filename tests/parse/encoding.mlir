// RUN: tessera parse --verify-diagnostics %s
func.func @known(%x: tensor<?xf32, #stablehlo.bounds<4>>, %y: tensor<3xf32, #other.layout<a>>) {
  return
}

// -----

// expected-error @+1 {{a tensor's encoding must be an attribute of a dialect, such as #stablehlo.bounds<?, 4>}}
func.func @number(%x: tensor<3xf32, 6>) {
  return
}

// -----

func.func @bounds(%x: tensor<3x?x?xf32, #stablehlo.bounds<?, 4, ?>>, %y: tensor<f32, #stablehlo.bounds<>>, %z: tensor<?xf32, #stablehlo.type_extensions<bounds = [0]>>) {
  return
}

// -----

// expected-error @+1 {{the number of bounds is 1, expected 2, one per dimension}}
func.func @too_few(%x: tensor<?x?xf32, #stablehlo.bounds<4>>) {
  return
}

// -----

// expected-error @+1 {{the number of bounds is 0, expected 1, one per dimension}}
func.func @none(%x: tensor<?xf32, #stablehlo.bounds<>>) {
  return
}

// -----

// expected-error @+1 {{the number of bounds is 2, expected 1, one per dimension}}
func.func @alias(%x: tuple<tensor<?xf32, #bound>>) {
  return
}
#bound = #stablehlo.bounds<4, 4>

// -----

// expected-error @+1 {{dimension 1 has size 3 and bound 4, expected bound ? for a static dimension}}
func.func @static(%x: tensor<?x3xf32, #stablehlo.bounds<4, 4>>) {
  return
}

// -----

// expected-error @+1 {{a bound is -1, expected ? or at least 0}}
func.func @negative(%x: tensor<?xf32, #stablehlo.bounds<-1>>) {
  return
}

// -----

// expected-error @+1 {{a bound is -9223372036854775808, expected ? or at least 0}}
func.func @least(%x: tensor<?xf32, #stablehlo.type_extensions<bounds = [-9223372036854775808]>>) {
  return
}
