// Names of unregistered ops may hold any bytes; they are printed with escapes and read back.
// RUN: tessera parse --allow-unregistered %s > %t.printed
// RUN: grep -v '^//' %s > %t.wanted
// RUN: diff %t.wanted %t.printed
// RUN: tessera parse --round-trip --allow-unregistered %s
module {
  func.func @main(%arg0: tensor<2xf32>) {
    %0 = "odd\\\\dialect.na\22me\00\09"(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
    "foo.bar"() : () -> ()
    return
  }
}
