// Attributes of every kind: escapes, keys, symbols, constants, types of numbers, structs.
// RUN: tessera parse %s > %t.printed
// RUN: grep -v '^//' %s > %t.wanted
// RUN: diff %t.wanted %t.printed
module @"odd module" attributes {a.bool = true, a.dict = {"key with blanks" = 1 : i8, unit}, a.empty = {}, a.float = 1.500000e+00 : f32, a.nested = [[1, 2], [], {x = 1 : i64}, 1.000000e+00, 2 : i32], a.string = "tab\09quote\22back\\slash\C3\A9", a.symbols = [@f, @"odd name", @f::@g], a.type = tensor<2x?xf32>, a.unit, a.unsigned = 255 : ui8, other.text = #foo.bar<baz [1]>} {
  func.func public @main(%arg0: tensor<2xf32> {jax.arg_info = "x", mhlo.layout_mode = "default", tf.aliasing_output = 0 : i32}) -> (tensor<2xf32> {jax.result_info = "result"}, tensor<2xf32>) attributes {no_inline, note = 1 : i64} {
    return %arg0, %arg0 : tensor<2xf32>, tensor<2xf32>
  }
  func.func private @declared(tensor<2xf32> {a.b}, tensor<f32>) -> tensor<2xf32>
  func.func @"odd name"() {
    return
  }
  func.func @constants() {
    %cst = stablehlo.constant dense<[[1.000000e+00, -2.500000e+00], [0x7FC00000, 0xFF800000]]> : tensor<2x2xf32>
    %c = stablehlo.constant dense<[true, false]> : tensor<2xi1>
    %cst_0 = stablehlo.constant dense<> : tensor<0x3xf32>
    %cst_1 = stablehlo.constant dense<[(1.000000e+00,0.000000e+00), (0.000000e+00,-1.000000e+00)]> : tensor<2xcomplex<f64>>
    %c_2 = stablehlo.constant dense<[255, 0]> : tensor<2xui8>
    %c_3 = stablehlo.constant dense<"0x000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364"> : tensor<101xi8>
    %c_4 = stablehlo.constant dense<-1> : tensor<1000xi64>
    %cst_5 = stablehlo.constant {mhlo.note = "before the value"} dense<1.000000e+00> : tensor<bf16>
    %cst_6 = stablehlo.constant() <{value = dense<[1, 2]> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>
    return
  }
  func.func @structs(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi64>) -> tensor<2x4xf32> {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<2x1xi64>) -> tensor<2x4xf32>
    %1 = "stablehlo.all_reduce"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) {a.discardable = 1 : i64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    return %1 : tensor<2x4xf32>
  }
}
