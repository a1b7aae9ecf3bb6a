// Names are near that end as what is looked for (near.test).
// RUN: tessera propagate %s
func.func @main(%arg0: tensor<8xf32> loc("params['w']"), %arg1: tensor<8xf32> loc("params['l0']['w']"), %x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
