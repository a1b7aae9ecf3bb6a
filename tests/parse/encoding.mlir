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

// expected-error @+1 {{1 bounds for a tensor of 2 dimensions, expected one for each}}
func.func @too_few(%x: tensor<?x?xf32, #stablehlo.bounds<4>>) {
  return
}

// -----

// expected-error @+1 {{0 bounds for a tensor of 1 dimensions, expected one for each}}
func.func @none(%x: tensor<?xf32, #stablehlo.bounds<>>) {
  return
}

// -----

// expected-error @+1 {{2 bounds for a tensor of 1 dimensions, expected one for each}}
func.func @alias(%x: tuple<tensor<?xf32, #bound>>) {
  return
}
#bound = #stablehlo.bounds<4, 4>

// -----

// expected-error @+1 {{dimension 1 has the size 3 and the bound 4, expected the bound ?}}
func.func @static(%x: tensor<?x3xf32, #stablehlo.bounds<4, 4>>) {
  return
}

// -----

// expected-error @+1 {{a bound is -1, expected at least 0 or ?}}
func.func @negative(%x: tensor<?xf32, #stablehlo.bounds<-1>>) {
  return
}

// -----

// expected-error @+1 {{a bound is -9223372036854775808, expected at least 0 or ?}}
func.func @least(%x: tensor<?xf32, #stablehlo.type_extensions<bounds = [-9223372036854775808]>>) {
  return
}
