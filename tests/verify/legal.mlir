// RUN: tessera parse --verify-diagnostics %s

// What the specification allows and a verifier too eager would refuse: no operands at all, tokens and buffers where
// values go, promoted reductions, quantized types that differ in scale, dimensions known on one side only.

func.func @impl(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }
func.func @called(%a: tensor<f64>) -> tensor<f64> { return %a : tensor<f64> }
func.func @ex(%t: !stablehlo.token, %t2x2: tensor<2x2xi64>, %t4: tensor<4xi64>, %t2x4: tensor<2x4xi64>, %s: tensor<i64>, %s32: tensor<i32>, %f: tensor<f32>, %f64: tensor<f64>, %p: tensor<i1>) {
  %a0 = "stablehlo.after_all"(%t, %t) : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token
  %a00 = "stablehlo.after_all"() : () -> !stablehlo.token
  %a1:2 = "stablehlo.all_gather"(%t2x2, %t2x2) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>} : (tensor<2x2xi64>, tensor<2x2xi64>) -> (tensor<2x4xi64>, tensor<2x4xi64>)
  %a2:2 = "stablehlo.all_reduce"(%t4, %t4) ({
    ^bb0(%x: tensor<i64>, %y: tensor<i64>):
      %0 = "stablehlo.add"(%x, %y) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%0) : (tensor<i64>) -> ()
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>} : (tensor<4xi64>, tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>)
  %a3:2 = "stablehlo.all_to_all"(%t2x4, %t2x4) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x4xi64>, tensor<2x4xi64>) -> (tensor<4x2xi64>, tensor<4x2xi64>)
  %b = "stablehlo.bitcast_convert"(%f64) : (tensor<f64>) -> tensor<4xf16>
  %c0, %c1 = "stablehlo.case"(%s32) ({
    "stablehlo.return"(%t4, %t) : (tensor<4xi64>, !stablehlo.token) -> ()
  }, {
    "stablehlo.return"(%t4, %t) : (tensor<4xi64>, !stablehlo.token) -> ()
  }) : (tensor<i32>) -> (tensor<4xi64>, !stablehlo.token)
  %cb = "stablehlo.collective_broadcast"(%t4) {replica_groups = dense<[[2, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>} : (tensor<4xi64>) -> tensor<4xi64>
  %cp = "stablehlo.collective_permute"(%t4) {source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>} : (tensor<4xi64>) -> tensor<4xi64>
  %co = "stablehlo.composite"(%f, %f) {name = "ours.op", composite_attributes = {kind = "plain"}, decomposition = @impl, version = 1 : i32} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %cc = "stablehlo.custom_call"(%f64) {call_target_name = "somewhere", has_side_effect = false, backend_config = {depth = 7 : i32}, api_version = 4 : i32, called_computations = [@called]} : (tensor<f64>) -> tensor<f64>
  %cc2 = "stablehlo.custom_call"(%f64, %t) {call_target_name = "somewhere", backend_config = "x"} : (tensor<f64>, !stablehlo.token) -> tuple<tensor<f64>, !stablehlo.token>
  %i:2 = "stablehlo.infeed"(%t) {infeed_config = ""} : (!stablehlo.token) -> (tensor<2x2xi64>, !stablehlo.token)
  %i1 = "stablehlo.infeed"(%t) {infeed_config = ""} : (!stablehlo.token) -> !stablehlo.token
  %o = "stablehlo.outfeed"(%t4, %t) {outfeed_config = ""} : (tensor<4xi64>, !stablehlo.token) -> !stablehlo.token
  %o1 = "stablehlo.outfeed"(%t) {outfeed_config = ""} : (!stablehlo.token) -> !stablehlo.token
  %se = "stablehlo.send"(%t4, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true} : (tensor<4xi64>, !stablehlo.token) -> !stablehlo.token
  %se2 = "stablehlo.send"(%t4, %t) {source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<4xi64>, !stablehlo.token) -> !stablehlo.token
  %re0, %re1 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<2x2xi64>, !stablehlo.token)
  %fi:2 = "stablehlo.if"(%p) ({
    "stablehlo.return"(%s32, %t) : (tensor<i32>, !stablehlo.token) -> ()
  }, {
    "stablehlo.return"(%s32, %t) : (tensor<i32>, !stablehlo.token) -> ()
  }) : (tensor<i1>) -> (tensor<i32>, !stablehlo.token)
  "stablehlo.if"(%p) ({
    "stablehlo.return"() : () -> ()
  }, {
    "stablehlo.return"() : () -> ()
  }) : (tensor<i1>) -> ()
  %rs = "stablehlo.reduce_scatter"(%t2x4) ({
    ^bb0(%x: tensor<i64>, %y: tensor<i64>):
      %0 = "stablehlo.add"(%x, %y) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%0) : (tensor<i64>) -> ()
  }) {scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>} : (tensor<2x4xi64>) -> tensor<2x2xi64>
  %mt = "stablehlo.tuple"() : () -> tuple<>
  %tu = "stablehlo.tuple"(%f, %mt) : (tensor<f32>, tuple<>) -> tuple<tensor<f32>, tuple<>>
  %te = "stablehlo.get_tuple_element"(%tu) {index = 1 : i32} : (tuple<tensor<f32>, tuple<>>) -> tuple<>
  %w0, %w1 = "stablehlo.while"(%s, %t) ({
    ^bb0(%x: tensor<i64>, %y: !stablehlo.token):
      "stablehlo.return"(%p) : (tensor<i1>) -> ()
  }, {
    ^bb0(%x: tensor<i64>, %y: !stablehlo.token):
      "stablehlo.return"(%x, %y) : (tensor<i64>, !stablehlo.token) -> ()
  }) : (tensor<i64>, !stablehlo.token) -> (tensor<i64>, !stablehlo.token)
  "stablehlo.while"() ({
      "stablehlo.return"(%p) : (tensor<i1>) -> ()
  }, {
      "stablehlo.return"() : () -> ()
  }) : () -> ()
  %ob:2 = "stablehlo.optimization_barrier"(%f, %t) : (tensor<f32>, !stablehlo.token) -> (tensor<f32>, !stablehlo.token)
  "stablehlo.optimization_barrier"() : () -> ()
  %pi = "stablehlo.partition_id"() : () -> tensor<ui32>
  return
}
func.func @promote(%x: tensor<4x2xf16>, %z: tensor<f16>, %i8: tensor<4xi8>, %zi8: tensor<i8>, %q: tensor<4x!quant.uniform<i8:f32, 0.5:1>>, %zq: tensor<!quant.uniform<i8:f32, 0.5:1>>, %src: tensor<4x2xf16>) {
  %r = "stablehlo.reduce"(%x, %z) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %0 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %0 : tensor<f32>
  }) {dimensions = array<i64: 1>} : (tensor<4x2xf16>, tensor<f16>) -> tensor<4xf32>
  %r1 = "stablehlo.reduce"(%i8, %zi8) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %0 = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %0 : tensor<i32>
  }) {dimensions = array<i64: 0>} : (tensor<4xi8>, tensor<i8>) -> tensor<i32>
  %r2 = "stablehlo.reduce"(%q, %zq) ({
    ^bb0(%a: tensor<!quant.uniform<i32:f32, 0.5:1>>, %b: tensor<!quant.uniform<i32:f32, 0.5:1>>):
      %0 = stablehlo.add %a, %b : tensor<!quant.uniform<i32:f32, 0.5:1>>
      stablehlo.return %0 : tensor<!quant.uniform<i32:f32, 0.5:1>>
  }) {dimensions = array<i64: 0>} : (tensor<4x!quant.uniform<i8:f32, 0.5:1>>, tensor<!quant.uniform<i8:f32, 0.5:1>>) -> tensor<!quant.uniform<i32:f32, 0.5:1>>
  %u8 = stablehlo.constant dense<1> : tensor<4xui8>
  %zu8 = stablehlo.constant dense<0> : tensor<ui8>
  %r3 = "stablehlo.reduce"(%u8, %zu8) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %0 = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %0 : tensor<i32>
  }) {dimensions = array<i64: 0>} : (tensor<4xui8>, tensor<ui8>) -> tensor<i32>
  %w = "stablehlo.reduce_window"(%x, %z) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %0 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %0 : tensor<f32>
  }) {window_dimensions = array<i64: 1, 1>} : (tensor<4x2xf16>, tensor<f16>) -> tensor<4x2xf32>
  %ss = "stablehlo.select_and_scatter"(%x, %src, %z) ({
    ^bb0(%a: tensor<f16>, %b: tensor<f16>):
      %0 = stablehlo.compare GE, %a, %b : (tensor<f16>, tensor<f16>) -> tensor<i1>
      stablehlo.return %0 : tensor<i1>
  }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %0 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %0 : tensor<f32>
  }) {window_dimensions = array<i64: 1, 1>} : (tensor<4x2xf16>, tensor<4x2xf16>, tensor<f16>) -> tensor<4x2xf32>
  %idx = stablehlo.constant dense<0> : tensor<1xi32>
  %up = stablehlo.constant dense<0.0> : tensor<2xf16>
  %sc = "stablehlo.scatter"(%x, %idx, %up) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %0 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %0 : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 0>} : (tensor<4x2xf16>, tensor<1xi32>, tensor<2xf16>) -> tensor<4x2xf32>
  %ar = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %0 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %0 : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x2xf16>) -> tensor<4x2xf32>
  return
}
func.func @quant(%x: tensor<2x!quant.uniform<i8:f32:0, {0.1:-30,0.5:-20}>>, %q: tensor<4x4x!quant.uniform<i8:f32, 0.5:1>>, %k: tensor<4x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>, %h: tensor<4x4xf32>, %q2: tensor<4x4x!quant.uniform<i8:f32, 0.25:3>>, %c: tensor<i1>, %sq: tensor<!quant.uniform<i8:f32, 0.125>>) {
  %0 = "stablehlo.uniform_quantize"(%x) : (tensor<2x!quant.uniform<i8:f32:0, {0.1:-30,0.5:-20}>>) -> tensor<2x!quant.uniform<i8:f32:0, {0.1:-20,0.2:-30}>>
  %1 = "stablehlo.uniform_dequantize"(%x) : (tensor<2x!quant.uniform<i8:f32:0, {0.1:-30,0.5:-20}>>) -> tensor<2xf32>
  %2 = "stablehlo.uniform_quantize"(%x) : (tensor<2x!quant.uniform<i8:f32:0, {0.1:-30,0.5:-20}>>) -> tensor<2x!quant.uniform<i16:f32, 0.2:-30>>
  %3 = "stablehlo.dot_general"(%q, %k) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<4x4x!quant.uniform<i8:f32, 0.5:1>>, tensor<4x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>) -> tensor<4x2x!quant.uniform<i32:f32:1, {0.25, 0.125}>>
  %4 = "stablehlo.dot_general"(%h, %k) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<4x4xf32>, tensor<4x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>) -> tensor<4x2xf32>
  %5 = "stablehlo.multiply"(%q, %q2) : (tensor<4x4x!quant.uniform<i8:f32, 0.5:1>>, tensor<4x4x!quant.uniform<i8:f32, 0.25:3>>) -> tensor<4x4x!quant.uniform<i8:f32, 0.125>>
  %6 = "stablehlo.select"(%c, %q, %q2) : (tensor<i1>, tensor<4x4x!quant.uniform<i8:f32, 0.5:1>>, tensor<4x4x!quant.uniform<i8:f32, 0.25:3>>) -> tensor<4x4x!quant.uniform<i8:f32, 0.125>>
  %7 = "stablehlo.clamp"(%sq, %q, %sq) : (tensor<!quant.uniform<i8:f32, 0.125>>, tensor<4x4x!quant.uniform<i8:f32, 0.5:1>>, tensor<!quant.uniform<i8:f32, 0.125>>) -> tensor<4x4x!quant.uniform<i8:f32, 0.75>>
  %8 = "stablehlo.compare"(%q, %q2) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<4x4x!quant.uniform<i8:f32, 0.5:1>>, tensor<4x4x!quant.uniform<i8:f32, 0.25:3>>) -> tensor<4x4xi1>
  %9 = "stablehlo.cholesky"(%q) : (tensor<4x4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<4x4x!quant.uniform<i8:f32, 0.25:1>>
  %10 = "stablehlo.bitcast_convert"(%q) : (tensor<4x4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<4xi32>
  %11 = "stablehlo.bitcast_convert"(%q) : (tensor<4x4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<4x4xui8>
  %12 = stablehlo.constant() {value = dense<[1, 2]> : tensor<2xi8>} : () -> tensor<2x!quant.uniform<i8:f32, 0.5:1>>
  %13 = "stablehlo.add"(%q, %q2) : (tensor<4x4x!quant.uniform<i8:f32, 0.5:1>>, tensor<4x4x!quant.uniform<i8:f32, 0.25:3>>) -> tensor<4x4x!quant.uniform<i8:f32, 0.125>>
  %14 = "stablehlo.reshape"(%x) : (tensor<2x!quant.uniform<i8:f32:0, {0.1:-30,0.5:-20}>>) -> tensor<1x2x1x!quant.uniform<i8:f32:1, {0.1:-30,0.5:-20}>>
  %15 = "stablehlo.broadcast_in_dim"(%x) {broadcast_dimensions = array<i64: 1>} : (tensor<2x!quant.uniform<i8:f32:0, {0.1:-30,0.5:-20}>>) -> tensor<3x2x!quant.uniform<i8:f32:1, {0.1:-30,0.5:-20}>>
  %16 = "stablehlo.is_finite"(%q) : (tensor<4x4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<4x4xi1>
  %17 = "stablehlo.abs"(%q) : (tensor<4x4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<4x4x!quant.uniform<i8:f32, 0.75:2>>
  %18 = "stablehlo.transpose"(%k) {permutation = array<i64: 1, 0>} : (tensor<4x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>) -> tensor<2x4x!quant.uniform<i8:f32:0, {0.5, 0.25}>>
  %19 = "stablehlo.get_dimension_size"(%k) {dimension = 1 : i64} : (tensor<4x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>) -> tensor<i32>
  return
}
func.func @dyn(%a: tensor<?x3xf32>, %b: tensor<2x?xf32>, %i: tensor<i64>, %sh: tensor<?xi64>, %v: tensor<?xf32>, %pad: tensor<2xi32>, %z: tensor<f32>, %c: tensor<?x?xi1>, %idx: tensor<?x1xi32>, %r1: tensor<3x?xf32>) {
  %0 = "stablehlo.add"(%a, %b) : (tensor<?x3xf32>, tensor<2x?xf32>) -> tensor<2x3xf32>
  %1 = "stablehlo.concatenate"(%a, %b) {dimension = 0 : i64} : (tensor<?x3xf32>, tensor<2x?xf32>) -> tensor<?x3xf32>
  %2 = "stablehlo.dot_general"(%a, %r1) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<?x3xf32>, tensor<3x?xf32>) -> tensor<?x?xf32>
  %3 = "stablehlo.dynamic_reshape"(%a, %sh) : (tensor<?x3xf32>, tensor<?xi64>) -> tensor<?x?xf32>
  %4 = "stablehlo.dynamic_iota"(%pad) {iota_dimension = 0 : i64} : (tensor<2xi32>) -> tensor<?x?xcomplex<f32>>
  %5 = "stablehlo.dynamic_pad"(%a, %z, %pad, %pad, %pad) : (tensor<?x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  %6 = "stablehlo.dynamic_broadcast_in_dim"(%a, %pad) {broadcast_dimensions = array<i64: 0, 1>, known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 1>} : (tensor<?x3xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %7 = "stablehlo.select"(%c, %a, %b) : (tensor<?x?xi1>, tensor<?x3xf32>, tensor<2x?xf32>) -> tensor<?x3xf32>
  %8 = "stablehlo.gather"(%a, %idx) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>} : (tensor<?x3xf32>, tensor<?x1xi32>) -> tensor<?x3xf32>
  %9 = "stablehlo.slice"(%a) {start_indices = array<i64: 0, 0>, limit_indices = array<i64: 2, 3>, strides = array<i64: 1, 1>} : (tensor<?x3xf32>) -> tensor<2x3xf32>
  %10 = "stablehlo.reverse"(%a) {dimensions = array<i64: 0>} : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %11 = "stablehlo.transpose"(%a) {permutation = array<i64: 1, 0>} : (tensor<?x3xf32>) -> tensor<3x?xf32>
  %12 = "stablehlo.reshape"(%b) : (tensor<2x?xf32>) -> tensor<2x3xf32>
  %13 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %14 = "stablehlo.broadcast_in_dim"(%v) {broadcast_dimensions = array<i64: 0>} : (tensor<?xf32>) -> tensor<4x3xf32>
  %15 = "stablehlo.cholesky"(%b) : (tensor<2x?xf32>) -> tensor<?x?xf32>
  %16 = "stablehlo.batch_norm_inference"(%a, %v, %v, %v, %v) {epsilon = 0.0 : f32, feature_index = 1 : i64} : (tensor<?x3xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?x3xf32>
  %17 = "stablehlo.pad"(%a, %z) {edge_padding_low = array<i64: 1, -1>, edge_padding_high = array<i64: 0, 0>, interior_padding = array<i64: 1, 2>} : (tensor<?x3xf32>, tensor<f32>) -> tensor<?x6xf32>
  return
}
func.func @algo(%lhs: tensor<2x2x2xi64>, %rhs: tensor<2x2x2xi64>) {
  %r = "stablehlo.dot_general"(%lhs, %rhs) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>} : (tensor<2x2x2xi64>, tensor<2x2x2xi64>) -> tensor<2x2x2xi64>
  %st = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %os, %o = "stablehlo.rng_bit_generator"(%st) {rng_algorithm = #stablehlo<rng_algorithm DEFAULT>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x2xbf16>)
  %x = stablehlo.constant dense<1.0> : tensor<7xf64>
  %f = "stablehlo.fft"(%x) {fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 7>} : (tensor<7xf64>) -> tensor<4xcomplex<f64>>
  %e = stablehlo.constant dense<> : tensor<0xf64>
  %fe = "stablehlo.fft"(%e) {fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 0>} : (tensor<0xf64>) -> tensor<0xcomplex<f64>>
  %cv = "stablehlo.convert"(%x) : (tensor<7xf64>) -> tensor<7xi1>
  return
}
func.func @b(%x: tensor<4xf64>, %p: tensor<i1>) {
  %0 = "stablehlo.custom_call"() {call_target_name = "CreateBuffer", api_version = 4 : i32} : () -> memref<4xf64>
  %1 = "stablehlo.custom_call"(%x) {call_target_name = "Pin", api_version = 4 : i32} : (tensor<4xf64>) -> memref<4xf64>
  %2 = "stablehlo.custom_call"(%1) {call_target_name = "Unpin", api_version = 4 : i32} : (memref<4xf64>) -> tensor<4xf64>
  %3 = "stablehlo.custom_call"(%0) {call_target_name = "fill", api_version = 4 : i32, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (memref<4xf64>) -> memref<4xf64>
  %4 = "stablehlo.tuple"(%3, %x) : (memref<4xf64>, tensor<4xf64>) -> tuple<memref<4xf64>, tensor<4xf64>>
  %5 = "stablehlo.get_tuple_element"(%4) {index = 0 : i32} : (tuple<memref<4xf64>, tensor<4xf64>>) -> memref<4xf64>
  %6 = "stablehlo.while"(%5) ({
  ^bb0(%a: memref<4xf64>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: memref<4xf64>):
    stablehlo.return %a : memref<4xf64>
  }) : (memref<4xf64>) -> memref<4xf64>
  %c = "stablehlo.compare"(%x, %x) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type NOTYPE>} : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
  %m = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    stablehlo.return %a : tensor<f64>
  }) {replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>, #stablehlo.mesh_axis<name = "y", size = 4>]>, axes = [#stablehlo.axis_ref<name = "y", sub_axis_info = (1)2>]>} : (tensor<4xf64>) -> tensor<4xf64>
  return
}
func.func @dyn2(%a: tensor<?x8xf32>, %c: tensor<?x?xcomplex<f32>>, %z: tensor<f32>, %u: tensor<?x?xi8>, %img: tensor<?x?x?x?xf32>, %k: tensor<3x3x?x?xf32>, %src: tensor<?x?xf32>, %i1: tensor<?xi32>, %idx: tensor<?x?xi32>, %up: tensor<?x?xf32>, %sh: tensor<2xi64>, %bnd: tensor<?x8xf32, #stablehlo.bounds<4, ?>>, %sv: tensor<f32>, %q: tensor<?x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) {
  %0 = "stablehlo.fft"(%a) {fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 8>} : (tensor<?x8xf32>) -> tensor<?x5xcomplex<f32>>
  %1 = "stablehlo.fft"(%c) {fft_type = #stablehlo<fft_type IRFFT>, fft_length = array<i64: 8>} : (tensor<?x?xcomplex<f32>>) -> tensor<?x8xf32>
  %2 = "stablehlo.fft"(%c) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 8>} : (tensor<?x?xcomplex<f32>>) -> tensor<?x?xcomplex<f32>>
  %3 = "stablehlo.bitcast_convert"(%u) : (tensor<?x?xi8>) -> tensor<?xi32>
  %4 = "stablehlo.bitcast_convert"(%u) : (tensor<?x?xi8>) -> tensor<?x?x2xi4>
  %5 = "stablehlo.convolution"(%img, %k) {window_strides = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64, batch_group_count = 1 : i64} : (tensor<?x?x?x?xf32>, tensor<3x3x?x?xf32>) -> tensor<?x?x?x?xf32>
  %6 = "stablehlo.reduce_window"(%a, %z) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %m = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 2, 2>} : (tensor<?x8xf32>, tensor<f32>) -> tensor<?x7xf32>
  %7 = "stablehlo.select_and_scatter"(%a, %src, %z) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %m = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %m : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %m = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 2, 2>} : (tensor<?x8xf32>, tensor<?x?xf32>, tensor<f32>) -> tensor<?x8xf32>
  %8 = "stablehlo.scatter"(%a, %idx, %up) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<?x8xf32>, tensor<?x?xi32>, tensor<?x?xf32>) -> tensor<?x8xf32>
  %9 = "stablehlo.all_to_all"(%a) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<?x8xf32>) -> tensor<?x16xf32>
  %10 = "stablehlo.all_to_all"(%a) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<?x8xf32>) -> tensor<?x4xf32>
  %11 = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %12 = "stablehlo.rng"(%sv, %sv, %sh) {rng_distribution = #stablehlo<rng_distribution NORMAL>} : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<?x4xf32>
  %kn = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
  %13 = "stablehlo.rng"(%sv, %sv, %kn) {rng_distribution = #stablehlo<rng_distribution NORMAL>} : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<?x4xf32>
  %14 = "stablehlo.add"(%bnd, %a) : (tensor<?x8xf32, #stablehlo.bounds<4, ?>>, tensor<?x8xf32>) -> tensor<?x8xf32, #stablehlo.bounds<4, ?>>
  %15 = "stablehlo.triangular_solve"(%src, %src) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %16:2 = "stablehlo.sort"(%a, %src) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %v: tensor<f32>, %w: tensor<f32>):
    %m = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %m : tensor<i1>
  }) {dimension = -1 : i64, is_stable = true} : (tensor<?x8xf32>, tensor<?x?xf32>) -> (tensor<?x8xf32>, tensor<?x?xf32>)
  %17 = "stablehlo.uniform_dequantize"(%q) : (tensor<?x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> tensor<?xf32>
  %18:2 = "stablehlo.reduce"(%a, %src, %z, %z) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %v: tensor<f32>, %w: tensor<f32>):
    stablehlo.return %x, %y : tensor<f32>, tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<?x8xf32>, tensor<?x?xf32>, tensor<f32>, tensor<f32>) -> (tensor<8xf32>, tensor<?xf32>)
  %19 = "stablehlo.dot_general"(%img, %img) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 1], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [2]>} : (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %i0 = stablehlo.constant dense<0> : tensor<i32>
  %20 = "stablehlo.dynamic_slice"(%a, %i0, %i0) {slice_sizes = array<i64: 100, 8>} : (tensor<?x8xf32>, tensor<i32>, tensor<i32>) -> tensor<100x8xf32>
  return
}
