// RUN: tessera parse --verify-diagnostics %s
func.func @known(%x: tensor<?xf32, #stablehlo.bounds<4>>, %y: tensor<3xf32, #other.layout<a>>) {
  return
}

// -----

// expected-error @+1 {{a tensor's encoding must be an attribute of a dialect}}
func.func @number(%x: tensor<3xf32, 6>) {
  return
}
