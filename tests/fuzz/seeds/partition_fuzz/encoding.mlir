func.func @f(%x: tensor<3xi8>) -> tensor<3xui1,6> {
  %r = stablehlo.convert %x : (tensor<3xi8>) -> tensor<3xui1,6>
  return %r : tensor<3xui1,6>
}
