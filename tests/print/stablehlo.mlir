// What is written here as StableHLO's printer writes it is printed back letter by letter: every pretty form.
// RUN: tessera parse %s > %t.printed
// RUN: grep -v '^//' %s > %t.wanted
// RUN: diff %t.wanted %t.printed
module @forms attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @pointwise(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xi1>, %arg3: tensor<2x3xcomplex<f32>>) {
    %0 = stablehlo.tanh %arg0 : tensor<2x3xf32>
    %1 = stablehlo.exponential %arg0 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2x3xf32>
    %2 = stablehlo.log %arg0 {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2x3xf32>
    %3 = stablehlo.add %arg0, %arg1 : tensor<2x3xf32>
    %4 = stablehlo.abs %arg3 : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
    %5 = stablehlo.real %arg3 : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
    %6 = stablehlo.complex %arg0, %arg1 : tensor<2x3xcomplex<f32>>
    %7 = stablehlo.is_finite %arg0 : (tensor<2x3xf32>) -> tensor<2x3xi1>
    %8 = stablehlo.compare LT, %arg0, %arg1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %9 = stablehlo.compare GE, %arg0, %arg1, TOTALORDER : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %10 = stablehlo.select %arg2, %arg0, %arg1 : tensor<2x3xi1>, tensor<2x3xf32>
    %11 = stablehlo.clamp %arg0, %arg1, %arg0 : tensor<2x3xf32>
    %12 = stablehlo.convert %arg0 : (tensor<2x3xf32>) -> tensor<2x3xi32>
    %13 = stablehlo.reduce_precision %arg0, format = e5m10 : tensor<2x3xf32>
    %14 = stablehlo.bitcast_convert %arg0 : (tensor<2x3xf32>) -> tensor<2x3xi32>
    %15 = stablehlo.negate %arg0 {mhlo.frontend_attributes = {_xla_compute_type = "host"}} : tensor<2x3xf32>
    return
  }
  func.func @select_scalar(%arg0: tensor<i1>, %arg1: tensor<4xf32>, %arg2: tensor<?xf32>) -> tensor<4xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : (tensor<i1>, tensor<4xf32>, tensor<?xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @shapes(%arg0: tensor<2x3xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>) -> (tensor<4x6xi32>, tensor<i32>) {
    %0 = stablehlo.iota dim = 1 : tensor<4x6xi32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %2 = stablehlo.broadcast %arg1, sizes = [2, 3] : (tensor<f32>) -> tensor<2x3xf32>
    %3 = stablehlo.reshape %arg0 : (tensor<2x3xf32>) -> tensor<6xf32>
    %4 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %5 = stablehlo.slice %arg0 [0:2, 0:3:2] : (tensor<2x3xf32>) -> tensor<2x2xf32>
    %6 = stablehlo.slice %arg1 [] : (tensor<f32>) -> tensor<f32>
    %7 = stablehlo.pad %arg0, %arg1, low = [0, 1], high = [1, -1], interior = [0, 2] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x7xf32>
    %8 = stablehlo.concatenate %arg0, %arg0, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
    %9 = stablehlo.reverse %arg0, dims = [0, 1] : tensor<2x3xf32>
    %10 = stablehlo.dynamic_slice %arg0, %arg2, %arg2, sizes = [1, 2] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    %11 = stablehlo.dynamic_update_slice %arg0, %10, %arg2, %arg2 : (tensor<2x3xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
    %12 = stablehlo.get_dimension_size %arg0, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>
    return %0, %12 : tensor<4x6xi32>, tensor<i32>
  }
  func.func @dynamic(%arg0: tensor<?xf32>, %arg1: tensor<2xi32>, %arg2: tensor<?x?xf32, #stablehlo.bounds<8, ?>>, %arg3: tensor<1xi32>, %arg4: tensor<f32>, %arg5: tensor<i32>) {
    %0 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg1, dims = [1] {known_expanding_dimensions = array<i64: 0>} : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
    %1 = stablehlo.dynamic_iota %arg1, dim = 0 : (tensor<2xi32>) -> tensor<?x?xi32>
    %2 = stablehlo.dynamic_reshape %arg0, %arg1 : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
    %3 = stablehlo.dynamic_pad %arg0, %arg4, %arg3, %arg3, %arg3 : (tensor<?xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
    %4 = stablehlo.real_dynamic_slice %arg0, %arg3, %arg3, %arg3 : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
    return
  }
  func.func @contractions(%arg0: tensor<2x3x4xf32>, %arg1: tensor<2x4x5xf32>, %arg2: tensor<3x4xf32>, %arg3: tensor<4x5xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, HIGHEST] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    %1 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
    %2 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
    %3 = stablehlo.dot %arg2, %arg3, precision = [HIGH, HIGH] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
    %4 = stablehlo.einsum %arg2, %arg3, config = "ab,bc->ac" : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
    %5 = stablehlo.unary_einsum %arg2, config = "ab->a" : (tensor<3x4xf32>) -> tensor<3xf32>
    return
  }
  func.func @convolution(%arg0: tensor<1x4x4x2xf32>, %arg1: tensor<3x3x2x5xf32>) -> tensor<1x2x2x5xf32> {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [1, -1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x4x4x2xf32>, tensor<3x3x2x5xf32>) -> tensor<1x2x2x5xf32>
    %1 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x5xf32>) -> tensor<1x2x2x5xf32>
    return %0 : tensor<1x2x2x5xf32>
  }
  func.func @linear_algebra(%arg0: tensor<4x4xf32>, %arg1: tensor<16xcomplex<f32>>, %arg2: tensor<2xui64>, %arg3: tensor<f32>, %arg4: tensor<1xi64>) -> tensor<4x4xf32> {
    %0 = stablehlo.cholesky %arg0, lower = true : tensor<4x4xf32>
    %1 = stablehlo.cholesky %arg0 : tensor<4x4xf32>
    %2 = stablehlo.fft %arg1, type = FFT, length = [16] : (tensor<16xcomplex<f32>>) -> tensor<16xcomplex<f32>>
    %output_state, %output = stablehlo.rng_bit_generator %arg2, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<9xui32>)
    %3 = stablehlo.rng %arg3, %arg3, %arg4, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
    %4 = "stablehlo.triangular_solve"(%arg0, %arg0) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    return %4 : tensor<4x4xf32>
  }
  func.func @reductions(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xi32>, %arg2: tensor<f32>, %arg3: tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>) {
    %0 = stablehlo.reduce(%arg0 init: %arg2) applies stablehlo.maximum across dimensions = [1] {mhlo.note = "short"} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %1:2 = stablehlo.reduce(%arg0 init: %arg2), (%arg1 init: %arg3) across dimensions = [1] : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
     reducer(%arg4: tensor<f32>, %arg6: tensor<f32>) (%arg5: tensor<i32>, %arg7: tensor<i32>)  {
      %3 = stablehlo.add %arg4, %arg6 : tensor<f32>
      %4 = stablehlo.add %arg5, %arg7 : tensor<i32>
      stablehlo.return %3, %4 : tensor<f32>, tensor<i32>
    }
    %2 = stablehlo.reduce(%arg0 init: %arg2) across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
     reducer(%arg4: tensor<f32>, %arg5: tensor<f32>)  {
      %3 = stablehlo.subtract %arg4, %arg5 : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }
    return %1#0, %1#1 : tensor<2xf32>, tensor<2xi32>
  }
  func.func @control(%arg0: tensor<i32>, %arg1: tensor<2xf32>, %arg2: !stablehlo.token) -> (tensor<i32>, tensor<2xf32>) {
    %c = stablehlo.constant dense<10> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1) : tensor<i32>, tensor<2xf32> attributes {mhlo.note = "loop"}
    cond {
      %5 = stablehlo.compare LT, %iterArg, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %5 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %5 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      %6 = func.call @helper(%iterArg_0) : (tensor<2xf32>) -> tensor<2xf32>
      stablehlo.return %5, %6 : tensor<i32>, tensor<2xf32>
    }
    %1:2 = stablehlo.optimization_barrier %0#0, %0#1 : tensor<i32>, tensor<2xf32>
    stablehlo.optimization_barrier()
    %2 = stablehlo.tuple %1#0, %1#1 : tuple<tensor<i32>, tensor<2xf32>>
    %3 = stablehlo.get_tuple_element %2[1] : (tuple<tensor<i32>, tensor<2xf32>>) -> tensor<2xf32>
    %4 = call @helper(%3) : (tensor<2xf32>) -> tensor<2xf32>
    return %1#0, %4 : tensor<i32>, tensor<2xf32>
  }
  func.func private @helper(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    return %arg0 : tensor<2xf32>
  }
  func.func @calls(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<2xf32>) -> tensor<2xf32>
    %1:2 = stablehlo.custom_call @"odd name"(%0, %0) {api_version = 4 : i32, backend_config = {k = 1 : i64}, called_computations = [@helper], has_side_effect = true, operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>]} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    stablehlo.custom_call @nothing() {has_side_effect = true} : () -> ()
    %2 = stablehlo.composite "my.op" %1#0 {composite_attributes = {k = 1 : i64}, decomposition = @helper, version = 1 : i32} : (tensor<2xf32>) -> tensor<2xf32>
    return %2 : tensor<2xf32>
  }
  func.func @tokens(%arg0: !stablehlo.token) -> (tensor<ui32>, !stablehlo.token) {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.replica_id : tensor<ui32>
    %2 = stablehlo.create_token : !stablehlo.token
    %3 = stablehlo.after_all %2, %arg0 : !stablehlo.token
    %4 = stablehlo.after_all  : !stablehlo.token
    return %1, %3 : tensor<ui32>, !stablehlo.token
  }
  func.func @quantized(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.uniform_quantize %arg0 : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 5.000000e-01:-3>>
    %1 = stablehlo.uniform_dequantize %0 : (tensor<2x!quant.uniform<i8:f32, 5.000000e-01:-3>>) -> tensor<2xf32>
    return %1 : tensor<2xf32>
  }
  func.func @empty() -> (tensor<2x0xf32>, tensor<0xcomplex<f32>>, tensor<0xi1>) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<2x0xf32>
    %cst_0 = stablehlo.constant dense<(1.000000e+00,2.000000e+00)> : tensor<0xcomplex<f32>>
    %c = stablehlo.constant dense<> : tensor<0xi1>
    return %cst, %cst_0, %c : tensor<2x0xf32>, tensor<0xcomplex<f32>>, tensor<0xi1>
  }
}
