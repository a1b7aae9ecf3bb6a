// Blobs of dense_resource in the trailer.
// RUN: tessera parse %s > %t.printed
// RUN: grep -v '^//' %s > %t.wanted
// RUN: diff %t.wanted %t.printed
module {
  func.func @main() -> tensor<2xi32> {
    %c = stablehlo.constant dense_resource<blob> : tensor<2xi32>
    return %c : tensor<2xi32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      blob: "0x040000000100000002000000"
    }
  }
#-}
