// One training step of a GPT of 13 billion parameters (40 layers, scanned; Adam; bf16 with f32 parameters), from tools/gen.
module @jit_train_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<32000x5120xf32> {jax.arg_info = "params.embed.tokens"}, %arg1: tensor<512x5120xf32> {jax.arg_info = "params.embed.positions"}, %arg2: tensor<40x5120xf32> {jax.arg_info = "params.layer_[0:40].ln_1.scale"}, %arg3: tensor<40x5120xf32> {jax.arg_info = "params.layer_[0:40].ln_1.bias"}, %arg4: tensor<40x5120x40x128xf32> {jax.arg_info = "params.layer_[0:40].attn.q.kernel"}, %arg5: tensor<40x40x128xf32> {jax.arg_info = "params.layer_[0:40].attn.q.bias"}, %arg6: tensor<40x5120x40x128xf32> {jax.arg_info = "params.layer_[0:40].attn.k.kernel"}, %arg7: tensor<40x40x128xf32> {jax.arg_info = "params.layer_[0:40].attn.k.bias"}, %arg8: tensor<40x5120x40x128xf32> {jax.arg_info = "params.layer_[0:40].attn.v.kernel"}, %arg9: tensor<40x40x128xf32> {jax.arg_info = "params.layer_[0:40].attn.v.bias"}, %arg10: tensor<40x40x128x5120xf32> {jax.arg_info = "params.layer_[0:40].attn.out.kernel"}, %arg11: tensor<40x5120xf32> {jax.arg_info = "params.layer_[0:40].attn.out.bias"}, %arg12: tensor<40x5120xf32> {jax.arg_info = "params.layer_[0:40].ln_2.scale"}, %arg13: tensor<40x5120xf32> {jax.arg_info = "params.layer_[0:40].ln_2.bias"}, %arg14: tensor<40x5120x20480xf32> {jax.arg_info = "params.layer_[0:40].mlp.up.kernel"}, %arg15: tensor<40x20480xf32> {jax.arg_info = "params.layer_[0:40].mlp.up.bias"}, %arg16: tensor<40x20480x5120xf32> {jax.arg_info = "params.layer_[0:40].mlp.down.kernel"}, %arg17: tensor<40x5120xf32> {jax.arg_info = "params.layer_[0:40].mlp.down.bias"}, %arg18: tensor<5120xf32> {jax.arg_info = "params.ln_f.scale"}, %arg19: tensor<5120xf32> {jax.arg_info = "params.ln_f.bias"}, %arg20: tensor<5120x32000xf32> {jax.arg_info = "params.head.kernel"}, %arg21: tensor<32000x5120xf32> {jax.arg_info = "m.embed.tokens"}, %arg22: tensor<512x5120xf32> {jax.arg_info = "m.embed.positions"}, %arg23: tensor<40x5120xf32> {jax.arg_info = "m.layer_[0:40].ln_1.scale"}, %arg24: tensor<40x5120xf32> {jax.arg_info = "m.layer_[0:40].ln_1.bias"}, %arg25: tensor<40x5120x40x128xf32> {jax.arg_info = "m.layer_[0:40].attn.q.kernel"}, %arg26: tensor<40x40x128xf32> {jax.arg_info = "m.layer_[0:40].attn.q.bias"}, %arg27: tensor<40x5120x40x128xf32> {jax.arg_info = "m.layer_[0:40].attn.k.kernel"}, %arg28: tensor<40x40x128xf32> {jax.arg_info = "m.layer_[0:40].attn.k.bias"}, %arg29: tensor<40x5120x40x128xf32> {jax.arg_info = "m.layer_[0:40].attn.v.kernel"}, %arg30: tensor<40x40x128xf32> {jax.arg_info = "m.layer_[0:40].attn.v.bias"}, %arg31: tensor<40x40x128x5120xf32> {jax.arg_info = "m.layer_[0:40].attn.out.kernel"}, %arg32: tensor<40x5120xf32> {jax.arg_info = "m.layer_[0:40].attn.out.bias"}, %arg33: tensor<40x5120xf32> {jax.arg_info = "m.layer_[0:40].ln_2.scale"}, %arg34: tensor<40x5120xf32> {jax.arg_info = "m.layer_[0:40].ln_2.bias"}, %arg35: tensor<40x5120x20480xf32> {jax.arg_info = "m.layer_[0:40].mlp.up.kernel"}, %arg36: tensor<40x20480xf32> {jax.arg_info = "m.layer_[0:40].mlp.up.bias"}, %arg37: tensor<40x20480x5120xf32> {jax.arg_info = "m.layer_[0:40].mlp.down.kernel"}, %arg38: tensor<40x5120xf32> {jax.arg_info = "m.layer_[0:40].mlp.down.bias"}, %arg39: tensor<5120xf32> {jax.arg_info = "m.ln_f.scale"}, %arg40: tensor<5120xf32> {jax.arg_info = "m.ln_f.bias"}, %arg41: tensor<5120x32000xf32> {jax.arg_info = "m.head.kernel"}, %arg42: tensor<32000x5120xf32> {jax.arg_info = "v.embed.tokens"}, %arg43: tensor<512x5120xf32> {jax.arg_info = "v.embed.positions"}, %arg44: tensor<40x5120xf32> {jax.arg_info = "v.layer_[0:40].ln_1.scale"}, %arg45: tensor<40x5120xf32> {jax.arg_info = "v.layer_[0:40].ln_1.bias"}, %arg46: tensor<40x5120x40x128xf32> {jax.arg_info = "v.layer_[0:40].attn.q.kernel"}, %arg47: tensor<40x40x128xf32> {jax.arg_info = "v.layer_[0:40].attn.q.bias"}, %arg48: tensor<40x5120x40x128xf32> {jax.arg_info = "v.layer_[0:40].attn.k.kernel"}, %arg49: tensor<40x40x128xf32> {jax.arg_info = "v.layer_[0:40].attn.k.bias"}, %arg50: tensor<40x5120x40x128xf32> {jax.arg_info = "v.layer_[0:40].attn.v.kernel"}, %arg51: tensor<40x40x128xf32> {jax.arg_info = "v.layer_[0:40].attn.v.bias"}, %arg52: tensor<40x40x128x5120xf32> {jax.arg_info = "v.layer_[0:40].attn.out.kernel"}, %arg53: tensor<40x5120xf32> {jax.arg_info = "v.layer_[0:40].attn.out.bias"}, %arg54: tensor<40x5120xf32> {jax.arg_info = "v.layer_[0:40].ln_2.scale"}, %arg55: tensor<40x5120xf32> {jax.arg_info = "v.layer_[0:40].ln_2.bias"}, %arg56: tensor<40x5120x20480xf32> {jax.arg_info = "v.layer_[0:40].mlp.up.kernel"}, %arg57: tensor<40x20480xf32> {jax.arg_info = "v.layer_[0:40].mlp.up.bias"}, %arg58: tensor<40x20480x5120xf32> {jax.arg_info = "v.layer_[0:40].mlp.down.kernel"}, %arg59: tensor<40x5120xf32> {jax.arg_info = "v.layer_[0:40].mlp.down.bias"}, %arg60: tensor<5120xf32> {jax.arg_info = "v.ln_f.scale"}, %arg61: tensor<5120xf32> {jax.arg_info = "v.ln_f.bias"}, %arg62: tensor<5120x32000xf32> {jax.arg_info = "v.head.kernel"}, %arg63: tensor<i32> {jax.arg_info = "step"}, %arg64: tensor<32x512xi32> {jax.arg_info = "batch.tokens"}, %arg65: tensor<32x512xi32> {jax.arg_info = "batch.targets"}) -> (tensor<32000x5120xf32> {jax.result_info = "params.embed.tokens"}, tensor<512x5120xf32> {jax.result_info = "params.embed.positions"}, tensor<40x5120xf32> {jax.result_info = "params.layer_[0:40].ln_1.scale"}, tensor<40x5120xf32> {jax.result_info = "params.layer_[0:40].ln_1.bias"}, tensor<40x5120x40x128xf32> {jax.result_info = "params.layer_[0:40].attn.q.kernel"}, tensor<40x40x128xf32> {jax.result_info = "params.layer_[0:40].attn.q.bias"}, tensor<40x5120x40x128xf32> {jax.result_info = "params.layer_[0:40].attn.k.kernel"}, tensor<40x40x128xf32> {jax.result_info = "params.layer_[0:40].attn.k.bias"}, tensor<40x5120x40x128xf32> {jax.result_info = "params.layer_[0:40].attn.v.kernel"}, tensor<40x40x128xf32> {jax.result_info = "params.layer_[0:40].attn.v.bias"}, tensor<40x40x128x5120xf32> {jax.result_info = "params.layer_[0:40].attn.out.kernel"}, tensor<40x5120xf32> {jax.result_info = "params.layer_[0:40].attn.out.bias"}, tensor<40x5120xf32> {jax.result_info = "params.layer_[0:40].ln_2.scale"}, tensor<40x5120xf32> {jax.result_info = "params.layer_[0:40].ln_2.bias"}, tensor<40x5120x20480xf32> {jax.result_info = "params.layer_[0:40].mlp.up.kernel"}, tensor<40x20480xf32> {jax.result_info = "params.layer_[0:40].mlp.up.bias"}, tensor<40x20480x5120xf32> {jax.result_info = "params.layer_[0:40].mlp.down.kernel"}, tensor<40x5120xf32> {jax.result_info = "params.layer_[0:40].mlp.down.bias"}, tensor<5120xf32> {jax.result_info = "params.ln_f.scale"}, tensor<5120xf32> {jax.result_info = "params.ln_f.bias"}, tensor<5120x32000xf32> {jax.result_info = "params.head.kernel"}, tensor<32000x5120xf32> {jax.result_info = "m.embed.tokens"}, tensor<512x5120xf32> {jax.result_info = "m.embed.positions"}, tensor<40x5120xf32> {jax.result_info = "m.layer_[0:40].ln_1.scale"}, tensor<40x5120xf32> {jax.result_info = "m.layer_[0:40].ln_1.bias"}, tensor<40x5120x40x128xf32> {jax.result_info = "m.layer_[0:40].attn.q.kernel"}, tensor<40x40x128xf32> {jax.result_info = "m.layer_[0:40].attn.q.bias"}, tensor<40x5120x40x128xf32> {jax.result_info = "m.layer_[0:40].attn.k.kernel"}, tensor<40x40x128xf32> {jax.result_info = "m.layer_[0:40].attn.k.bias"}, tensor<40x5120x40x128xf32> {jax.result_info = "m.layer_[0:40].attn.v.kernel"}, tensor<40x40x128xf32> {jax.result_info = "m.layer_[0:40].attn.v.bias"}, tensor<40x40x128x5120xf32> {jax.result_info = "m.layer_[0:40].attn.out.kernel"}, tensor<40x5120xf32> {jax.result_info = "m.layer_[0:40].attn.out.bias"}, tensor<40x5120xf32> {jax.result_info = "m.layer_[0:40].ln_2.scale"}, tensor<40x5120xf32> {jax.result_info = "m.layer_[0:40].ln_2.bias"}, tensor<40x5120x20480xf32> {jax.result_info = "m.layer_[0:40].mlp.up.kernel"}, tensor<40x20480xf32> {jax.result_info = "m.layer_[0:40].mlp.up.bias"}, tensor<40x20480x5120xf32> {jax.result_info = "m.layer_[0:40].mlp.down.kernel"}, tensor<40x5120xf32> {jax.result_info = "m.layer_[0:40].mlp.down.bias"}, tensor<5120xf32> {jax.result_info = "m.ln_f.scale"}, tensor<5120xf32> {jax.result_info = "m.ln_f.bias"}, tensor<5120x32000xf32> {jax.result_info = "m.head.kernel"}, tensor<32000x5120xf32> {jax.result_info = "v.embed.tokens"}, tensor<512x5120xf32> {jax.result_info = "v.embed.positions"}, tensor<40x5120xf32> {jax.result_info = "v.layer_[0:40].ln_1.scale"}, tensor<40x5120xf32> {jax.result_info = "v.layer_[0:40].ln_1.bias"}, tensor<40x5120x40x128xf32> {jax.result_info = "v.layer_[0:40].attn.q.kernel"}, tensor<40x40x128xf32> {jax.result_info = "v.layer_[0:40].attn.q.bias"}, tensor<40x5120x40x128xf32> {jax.result_info = "v.layer_[0:40].attn.k.kernel"}, tensor<40x40x128xf32> {jax.result_info = "v.layer_[0:40].attn.k.bias"}, tensor<40x5120x40x128xf32> {jax.result_info = "v.layer_[0:40].attn.v.kernel"}, tensor<40x40x128xf32> {jax.result_info = "v.layer_[0:40].attn.v.bias"}, tensor<40x40x128x5120xf32> {jax.result_info = "v.layer_[0:40].attn.out.kernel"}, tensor<40x5120xf32> {jax.result_info = "v.layer_[0:40].attn.out.bias"}, tensor<40x5120xf32> {jax.result_info = "v.layer_[0:40].ln_2.scale"}, tensor<40x5120xf32> {jax.result_info = "v.layer_[0:40].ln_2.bias"}, tensor<40x5120x20480xf32> {jax.result_info = "v.layer_[0:40].mlp.up.kernel"}, tensor<40x20480xf32> {jax.result_info = "v.layer_[0:40].mlp.up.bias"}, tensor<40x20480x5120xf32> {jax.result_info = "v.layer_[0:40].mlp.down.kernel"}, tensor<40x5120xf32> {jax.result_info = "v.layer_[0:40].mlp.down.bias"}, tensor<5120xf32> {jax.result_info = "v.ln_f.scale"}, tensor<5120xf32> {jax.result_info = "v.ln_f.bias"}, tensor<5120x32000xf32> {jax.result_info = "v.head.kernel"}, tensor<i32> {jax.result_info = "step"}, tensor<f32> {jax.result_info = "loss"}) {
    %0 = stablehlo.convert %arg0 : (tensor<32000x5120xf32>) -> tensor<32000x5120xbf16>
    %1 = stablehlo.convert %arg1 : (tensor<512x5120xf32>) -> tensor<512x5120xbf16>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<32x512xi32>
    %c_0 = stablehlo.constant dense<32000> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<32x512xi32>
    %4 = stablehlo.add %arg64, %3 : tensor<32x512xi32>
    %5 = stablehlo.compare LT, %arg64, %2, SIGNED : (tensor<32x512xi32>, tensor<32x512xi32>) -> tensor<32x512xi1>
    %6 = stablehlo.select %5, %4, %arg64 : tensor<32x512xi1>, tensor<32x512xi32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<32x512xi32>) -> tensor<32x512x1xi32>
    %8 = "stablehlo.gather"(%0, %7) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 5120>}> : (tensor<32000x5120xbf16>, tensor<32x512x1xi32>) -> tensor<32x512x5120xbf16>
    %9 = stablehlo.broadcast_in_dim %1, dims = [1, 2] : (tensor<512x5120xbf16>) -> tensor<1x512x5120xbf16>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<1x512x5120xbf16>) -> tensor<32x512x5120xbf16>
    %11 = stablehlo.add %8, %10 : tensor<32x512x5120xbf16>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %12 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<40x32x512x5120xbf16>
    %13:19 = stablehlo.while(%iterArg = %c_1, %iterArg_2 = %11, %iterArg_3 = %12, %iterArg_4 = %arg2, %iterArg_5 = %arg3, %iterArg_6 = %arg4, %iterArg_7 = %arg5, %iterArg_8 = %arg6, %iterArg_9 = %arg7, %iterArg_10 = %arg8, %iterArg_11 = %arg9, %iterArg_12 = %arg10, %iterArg_13 = %arg11, %iterArg_14 = %arg12, %iterArg_15 = %arg13, %iterArg_16 = %arg14, %iterArg_17 = %arg15, %iterArg_18 = %arg16, %iterArg_19 = %arg17) : tensor<i32>, tensor<32x512x5120xbf16>, tensor<40x32x512x5120xbf16>, tensor<40x5120xf32>, tensor<40x5120xf32>, tensor<40x5120x40x128xf32>, tensor<40x40x128xf32>, tensor<40x5120x40x128xf32>, tensor<40x40x128xf32>, tensor<40x5120x40x128xf32>, tensor<40x40x128xf32>, tensor<40x40x128x5120xf32>, tensor<40x5120xf32>, tensor<40x5120xf32>, tensor<40x5120xf32>, tensor<40x5120x20480xf32>, tensor<40x20480xf32>, tensor<40x20480x5120xf32>, tensor<40x5120xf32>
    cond {
      %c_20 = stablehlo.constant dense<40> : tensor<i32>
      %14 = stablehlo.compare LT, %iterArg, %c_20, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %14 : tensor<i1>
    } do {
      %15 = stablehlo.reshape %iterArg_2 : (tensor<32x512x5120xbf16>) -> tensor<1x32x512x5120xbf16>
      %c_21 = stablehlo.constant dense<0> : tensor<i32>
      %16 = stablehlo.dynamic_update_slice %iterArg_3, %15, %iterArg, %c_21, %c_21, %c_21 : (tensor<40x32x512x5120xbf16>, tensor<1x32x512x5120xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<40x32x512x5120xbf16>
      %17 = stablehlo.convert %iterArg_2 : (tensor<32x512x5120xbf16>) -> tensor<32x512x5120xf32>
      %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %18 = stablehlo.reduce(%17 init: %cst_22) applies stablehlo.add across dimensions = [2] : (tensor<32x512x5120xf32>, tensor<f32>) -> tensor<32x512xf32>
      %cst_23 = stablehlo.constant dense<5.120000e+03> : tensor<f32>
      %19 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<32x512xf32>
      %20 = stablehlo.divide %18, %19 : tensor<32x512xf32>
      %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1] : (tensor<32x512xf32>) -> tensor<32x512x1xf32>
      %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2] : (tensor<32x512x1xf32>) -> tensor<32x512x5120xf32>
      %23 = stablehlo.subtract %17, %22 : tensor<32x512x5120xf32>
      %24 = stablehlo.multiply %23, %23 : tensor<32x512x5120xf32>
      %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %25 = stablehlo.reduce(%24 init: %cst_24) applies stablehlo.add across dimensions = [2] : (tensor<32x512x5120xf32>, tensor<f32>) -> tensor<32x512xf32>
      %cst_25 = stablehlo.constant dense<5.120000e+03> : tensor<f32>
      %26 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<32x512xf32>
      %27 = stablehlo.divide %25, %26 : tensor<32x512xf32>
      %cst_26 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
      %28 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<32x512xf32>
      %29 = stablehlo.add %27, %28 : tensor<32x512xf32>
      %30 = stablehlo.rsqrt %29 : tensor<32x512xf32>
      %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1] : (tensor<32x512xf32>) -> tensor<32x512x1xf32>
      %32 = stablehlo.broadcast_in_dim %31, dims = [0, 1, 2] : (tensor<32x512x1xf32>) -> tensor<32x512x5120xf32>
      %33 = stablehlo.multiply %23, %32 : tensor<32x512x5120xf32>
      %c_27 = stablehlo.constant dense<0> : tensor<i32>
      %34 = stablehlo.dynamic_slice %iterArg_4, %iterArg, %c_27, sizes = [1, 5120] : (tensor<40x5120xf32>, tensor<i32>, tensor<i32>) -> tensor<1x5120xf32>
      %35 = stablehlo.reshape %34 : (tensor<1x5120xf32>) -> tensor<5120xf32>
      %36 = stablehlo.convert %35 : (tensor<5120xf32>) -> tensor<5120xbf16>
      %37 = stablehlo.convert %36 : (tensor<5120xbf16>) -> tensor<5120xf32>
      %c_28 = stablehlo.constant dense<0> : tensor<i32>
      %38 = stablehlo.dynamic_slice %iterArg_5, %iterArg, %c_28, sizes = [1, 5120] : (tensor<40x5120xf32>, tensor<i32>, tensor<i32>) -> tensor<1x5120xf32>
      %39 = stablehlo.reshape %38 : (tensor<1x5120xf32>) -> tensor<5120xf32>
      %40 = stablehlo.convert %39 : (tensor<5120xf32>) -> tensor<5120xbf16>
      %41 = stablehlo.convert %40 : (tensor<5120xbf16>) -> tensor<5120xf32>
      %42 = stablehlo.broadcast_in_dim %37, dims = [2] : (tensor<5120xf32>) -> tensor<1x1x5120xf32>
      %43 = stablehlo.broadcast_in_dim %42, dims = [0, 1, 2] : (tensor<1x1x5120xf32>) -> tensor<32x512x5120xf32>
      %44 = stablehlo.multiply %33, %43 : tensor<32x512x5120xf32>
      %45 = stablehlo.broadcast_in_dim %41, dims = [2] : (tensor<5120xf32>) -> tensor<1x1x5120xf32>
      %46 = stablehlo.broadcast_in_dim %45, dims = [0, 1, 2] : (tensor<1x1x5120xf32>) -> tensor<32x512x5120xf32>
      %47 = stablehlo.add %44, %46 : tensor<32x512x5120xf32>
      %48 = stablehlo.convert %47 : (tensor<32x512x5120xf32>) -> tensor<32x512x5120xbf16>
      %c_29 = stablehlo.constant dense<0> : tensor<i32>
      %49 = stablehlo.dynamic_slice %iterArg_6, %iterArg, %c_29, %c_29, %c_29, sizes = [1, 5120, 40, 128] : (tensor<40x5120x40x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x5120x40x128xf32>
      %50 = stablehlo.reshape %49 : (tensor<1x5120x40x128xf32>) -> tensor<5120x40x128xf32>
      %51 = stablehlo.convert %50 : (tensor<5120x40x128xf32>) -> tensor<5120x40x128xbf16>
      %52 = stablehlo.dot_general %48, %51, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x512x5120xbf16>, tensor<5120x40x128xbf16>) -> tensor<32x512x40x128xbf16>
      %c_30 = stablehlo.constant dense<0> : tensor<i32>
      %53 = stablehlo.dynamic_slice %iterArg_7, %iterArg, %c_30, %c_30, sizes = [1, 40, 128] : (tensor<40x40x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x40x128xf32>
      %54 = stablehlo.reshape %53 : (tensor<1x40x128xf32>) -> tensor<40x128xf32>
      %55 = stablehlo.convert %54 : (tensor<40x128xf32>) -> tensor<40x128xbf16>
      %56 = stablehlo.broadcast_in_dim %55, dims = [2, 3] : (tensor<40x128xbf16>) -> tensor<1x1x40x128xbf16>
      %57 = stablehlo.broadcast_in_dim %56, dims = [0, 1, 2, 3] : (tensor<1x1x40x128xbf16>) -> tensor<32x512x40x128xbf16>
      %58 = stablehlo.add %52, %57 : tensor<32x512x40x128xbf16>
      %c_31 = stablehlo.constant dense<0> : tensor<i32>
      %59 = stablehlo.dynamic_slice %iterArg_8, %iterArg, %c_31, %c_31, %c_31, sizes = [1, 5120, 40, 128] : (tensor<40x5120x40x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x5120x40x128xf32>
      %60 = stablehlo.reshape %59 : (tensor<1x5120x40x128xf32>) -> tensor<5120x40x128xf32>
      %61 = stablehlo.convert %60 : (tensor<5120x40x128xf32>) -> tensor<5120x40x128xbf16>
      %62 = stablehlo.dot_general %48, %61, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x512x5120xbf16>, tensor<5120x40x128xbf16>) -> tensor<32x512x40x128xbf16>
      %c_32 = stablehlo.constant dense<0> : tensor<i32>
      %63 = stablehlo.dynamic_slice %iterArg_9, %iterArg, %c_32, %c_32, sizes = [1, 40, 128] : (tensor<40x40x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x40x128xf32>
      %64 = stablehlo.reshape %63 : (tensor<1x40x128xf32>) -> tensor<40x128xf32>
      %65 = stablehlo.convert %64 : (tensor<40x128xf32>) -> tensor<40x128xbf16>
      %66 = stablehlo.broadcast_in_dim %65, dims = [2, 3] : (tensor<40x128xbf16>) -> tensor<1x1x40x128xbf16>
      %67 = stablehlo.broadcast_in_dim %66, dims = [0, 1, 2, 3] : (tensor<1x1x40x128xbf16>) -> tensor<32x512x40x128xbf16>
      %68 = stablehlo.add %62, %67 : tensor<32x512x40x128xbf16>
      %c_33 = stablehlo.constant dense<0> : tensor<i32>
      %69 = stablehlo.dynamic_slice %iterArg_10, %iterArg, %c_33, %c_33, %c_33, sizes = [1, 5120, 40, 128] : (tensor<40x5120x40x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x5120x40x128xf32>
      %70 = stablehlo.reshape %69 : (tensor<1x5120x40x128xf32>) -> tensor<5120x40x128xf32>
      %71 = stablehlo.convert %70 : (tensor<5120x40x128xf32>) -> tensor<5120x40x128xbf16>
      %72 = stablehlo.dot_general %48, %71, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x512x5120xbf16>, tensor<5120x40x128xbf16>) -> tensor<32x512x40x128xbf16>
      %c_34 = stablehlo.constant dense<0> : tensor<i32>
      %73 = stablehlo.dynamic_slice %iterArg_11, %iterArg, %c_34, %c_34, sizes = [1, 40, 128] : (tensor<40x40x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x40x128xf32>
      %74 = stablehlo.reshape %73 : (tensor<1x40x128xf32>) -> tensor<40x128xf32>
      %75 = stablehlo.convert %74 : (tensor<40x128xf32>) -> tensor<40x128xbf16>
      %76 = stablehlo.broadcast_in_dim %75, dims = [2, 3] : (tensor<40x128xbf16>) -> tensor<1x1x40x128xbf16>
      %77 = stablehlo.broadcast_in_dim %76, dims = [0, 1, 2, 3] : (tensor<1x1x40x128xbf16>) -> tensor<32x512x40x128xbf16>
      %78 = stablehlo.add %72, %77 : tensor<32x512x40x128xbf16>
      %cst_35 = stablehlo.constant dense<8.837890e-02> : tensor<bf16>
      %79 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<bf16>) -> tensor<32x512x40x128xbf16>
      %80 = stablehlo.multiply %58, %79 : tensor<32x512x40x128xbf16>
      %81 = stablehlo.dot_general %80, %68, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<32x512x40x128xbf16>, tensor<32x512x40x128xbf16>) -> tensor<32x40x512x512xbf16>
      %82 = stablehlo.convert %81 : (tensor<32x40x512x512xbf16>) -> tensor<32x40x512x512xf32>
      %83 = stablehlo.iota dim = 0 : tensor<512x512xi32>
      %84 = stablehlo.iota dim = 1 : tensor<512x512xi32>
      %85 = stablehlo.compare GE, %83, %84, SIGNED : (tensor<512x512xi32>, tensor<512x512xi32>) -> tensor<512x512xi1>
      %cst_36 = stablehlo.constant dense<-1.000000e+30> : tensor<f32>
      %86 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<32x40x512x512xf32>
      %87 = stablehlo.broadcast_in_dim %85, dims = [2, 3] : (tensor<512x512xi1>) -> tensor<1x1x512x512xi1>
      %88 = stablehlo.broadcast_in_dim %87, dims = [0, 1, 2, 3] : (tensor<1x1x512x512xi1>) -> tensor<32x40x512x512xi1>
      %89 = stablehlo.select %88, %82, %86 : tensor<32x40x512x512xi1>, tensor<32x40x512x512xf32>
      %cst_37 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %90 = stablehlo.reduce(%89 init: %cst_37) applies stablehlo.maximum across dimensions = [3] : (tensor<32x40x512x512xf32>, tensor<f32>) -> tensor<32x40x512xf32>
      %91 = stablehlo.broadcast_in_dim %90, dims = [0, 1, 2] : (tensor<32x40x512xf32>) -> tensor<32x40x512x1xf32>
      %92 = stablehlo.broadcast_in_dim %91, dims = [0, 1, 2, 3] : (tensor<32x40x512x1xf32>) -> tensor<32x40x512x512xf32>
      %93 = stablehlo.subtract %89, %92 : tensor<32x40x512x512xf32>
      %94 = stablehlo.exponential %93 : tensor<32x40x512x512xf32>
      %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %95 = stablehlo.reduce(%94 init: %cst_38) applies stablehlo.add across dimensions = [3] : (tensor<32x40x512x512xf32>, tensor<f32>) -> tensor<32x40x512xf32>
      %96 = stablehlo.broadcast_in_dim %95, dims = [0, 1, 2] : (tensor<32x40x512xf32>) -> tensor<32x40x512x1xf32>
      %97 = stablehlo.broadcast_in_dim %96, dims = [0, 1, 2, 3] : (tensor<32x40x512x1xf32>) -> tensor<32x40x512x512xf32>
      %98 = stablehlo.divide %94, %97 : tensor<32x40x512x512xf32>
      %99 = stablehlo.convert %98 : (tensor<32x40x512x512xf32>) -> tensor<32x40x512x512xbf16>
      %100 = stablehlo.dot_general %99, %78, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<32x40x512x512xbf16>, tensor<32x512x40x128xbf16>) -> tensor<32x40x512x128xbf16>
      %101 = stablehlo.transpose %100, dims = [0, 2, 1, 3] : (tensor<32x40x512x128xbf16>) -> tensor<32x512x40x128xbf16>
      %c_39 = stablehlo.constant dense<0> : tensor<i32>
      %102 = stablehlo.dynamic_slice %iterArg_12, %iterArg, %c_39, %c_39, %c_39, sizes = [1, 40, 128, 5120] : (tensor<40x40x128x5120xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x40x128x5120xf32>
      %103 = stablehlo.reshape %102 : (tensor<1x40x128x5120xf32>) -> tensor<40x128x5120xf32>
      %104 = stablehlo.convert %103 : (tensor<40x128x5120xf32>) -> tensor<40x128x5120xbf16>
      %105 = stablehlo.dot_general %101, %104, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<32x512x40x128xbf16>, tensor<40x128x5120xbf16>) -> tensor<32x512x5120xbf16>
      %c_40 = stablehlo.constant dense<0> : tensor<i32>
      %106 = stablehlo.dynamic_slice %iterArg_13, %iterArg, %c_40, sizes = [1, 5120] : (tensor<40x5120xf32>, tensor<i32>, tensor<i32>) -> tensor<1x5120xf32>
      %107 = stablehlo.reshape %106 : (tensor<1x5120xf32>) -> tensor<5120xf32>
      %108 = stablehlo.convert %107 : (tensor<5120xf32>) -> tensor<5120xbf16>
      %109 = stablehlo.broadcast_in_dim %108, dims = [2] : (tensor<5120xbf16>) -> tensor<1x1x5120xbf16>
      %110 = stablehlo.broadcast_in_dim %109, dims = [0, 1, 2] : (tensor<1x1x5120xbf16>) -> tensor<32x512x5120xbf16>
      %111 = stablehlo.add %105, %110 : tensor<32x512x5120xbf16>
      %112 = stablehlo.add %iterArg_2, %111 : tensor<32x512x5120xbf16>
      %113 = stablehlo.convert %112 : (tensor<32x512x5120xbf16>) -> tensor<32x512x5120xf32>
      %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %114 = stablehlo.reduce(%113 init: %cst_41) applies stablehlo.add across dimensions = [2] : (tensor<32x512x5120xf32>, tensor<f32>) -> tensor<32x512xf32>
      %cst_42 = stablehlo.constant dense<5.120000e+03> : tensor<f32>
      %115 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<32x512xf32>
      %116 = stablehlo.divide %114, %115 : tensor<32x512xf32>
      %117 = stablehlo.broadcast_in_dim %116, dims = [0, 1] : (tensor<32x512xf32>) -> tensor<32x512x1xf32>
      %118 = stablehlo.broadcast_in_dim %117, dims = [0, 1, 2] : (tensor<32x512x1xf32>) -> tensor<32x512x5120xf32>
      %119 = stablehlo.subtract %113, %118 : tensor<32x512x5120xf32>
      %120 = stablehlo.multiply %119, %119 : tensor<32x512x5120xf32>
      %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %121 = stablehlo.reduce(%120 init: %cst_43) applies stablehlo.add across dimensions = [2] : (tensor<32x512x5120xf32>, tensor<f32>) -> tensor<32x512xf32>
      %cst_44 = stablehlo.constant dense<5.120000e+03> : tensor<f32>
      %122 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<32x512xf32>
      %123 = stablehlo.divide %121, %122 : tensor<32x512xf32>
      %cst_45 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
      %124 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<32x512xf32>
      %125 = stablehlo.add %123, %124 : tensor<32x512xf32>
      %126 = stablehlo.rsqrt %125 : tensor<32x512xf32>
      %127 = stablehlo.broadcast_in_dim %126, dims = [0, 1] : (tensor<32x512xf32>) -> tensor<32x512x1xf32>
      %128 = stablehlo.broadcast_in_dim %127, dims = [0, 1, 2] : (tensor<32x512x1xf32>) -> tensor<32x512x5120xf32>
      %129 = stablehlo.multiply %119, %128 : tensor<32x512x5120xf32>
      %c_46 = stablehlo.constant dense<0> : tensor<i32>
      %130 = stablehlo.dynamic_slice %iterArg_14, %iterArg, %c_46, sizes = [1, 5120] : (tensor<40x5120xf32>, tensor<i32>, tensor<i32>) -> tensor<1x5120xf32>
      %131 = stablehlo.reshape %130 : (tensor<1x5120xf32>) -> tensor<5120xf32>
      %132 = stablehlo.convert %131 : (tensor<5120xf32>) -> tensor<5120xbf16>
      %133 = stablehlo.convert %132 : (tensor<5120xbf16>) -> tensor<5120xf32>
      %c_47 = stablehlo.constant dense<0> : tensor<i32>
      %134 = stablehlo.dynamic_slice %iterArg_15, %iterArg, %c_47, sizes = [1, 5120] : (tensor<40x5120xf32>, tensor<i32>, tensor<i32>) -> tensor<1x5120xf32>
      %135 = stablehlo.reshape %134 : (tensor<1x5120xf32>) -> tensor<5120xf32>
      %136 = stablehlo.convert %135 : (tensor<5120xf32>) -> tensor<5120xbf16>
      %137 = stablehlo.convert %136 : (tensor<5120xbf16>) -> tensor<5120xf32>
      %138 = stablehlo.broadcast_in_dim %133, dims = [2] : (tensor<5120xf32>) -> tensor<1x1x5120xf32>
      %139 = stablehlo.broadcast_in_dim %138, dims = [0, 1, 2] : (tensor<1x1x5120xf32>) -> tensor<32x512x5120xf32>
      %140 = stablehlo.multiply %129, %139 : tensor<32x512x5120xf32>
      %141 = stablehlo.broadcast_in_dim %137, dims = [2] : (tensor<5120xf32>) -> tensor<1x1x5120xf32>
      %142 = stablehlo.broadcast_in_dim %141, dims = [0, 1, 2] : (tensor<1x1x5120xf32>) -> tensor<32x512x5120xf32>
      %143 = stablehlo.add %140, %142 : tensor<32x512x5120xf32>
      %144 = stablehlo.convert %143 : (tensor<32x512x5120xf32>) -> tensor<32x512x5120xbf16>
      %c_48 = stablehlo.constant dense<0> : tensor<i32>
      %145 = stablehlo.dynamic_slice %iterArg_16, %iterArg, %c_48, %c_48, sizes = [1, 5120, 20480] : (tensor<40x5120x20480xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x5120x20480xf32>
      %146 = stablehlo.reshape %145 : (tensor<1x5120x20480xf32>) -> tensor<5120x20480xf32>
      %147 = stablehlo.convert %146 : (tensor<5120x20480xf32>) -> tensor<5120x20480xbf16>
      %148 = stablehlo.dot_general %144, %147, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x512x5120xbf16>, tensor<5120x20480xbf16>) -> tensor<32x512x20480xbf16>
      %c_49 = stablehlo.constant dense<0> : tensor<i32>
      %149 = stablehlo.dynamic_slice %iterArg_17, %iterArg, %c_49, sizes = [1, 20480] : (tensor<40x20480xf32>, tensor<i32>, tensor<i32>) -> tensor<1x20480xf32>
      %150 = stablehlo.reshape %149 : (tensor<1x20480xf32>) -> tensor<20480xf32>
      %151 = stablehlo.convert %150 : (tensor<20480xf32>) -> tensor<20480xbf16>
      %152 = stablehlo.broadcast_in_dim %151, dims = [2] : (tensor<20480xbf16>) -> tensor<1x1x20480xbf16>
      %153 = stablehlo.broadcast_in_dim %152, dims = [0, 1, 2] : (tensor<1x1x20480xbf16>) -> tensor<32x512x20480xbf16>
      %154 = stablehlo.add %148, %153 : tensor<32x512x20480xbf16>
      %155 = stablehlo.multiply %154, %154 : tensor<32x512x20480xbf16>
      %156 = stablehlo.multiply %155, %154 : tensor<32x512x20480xbf16>
      %cst_50 = stablehlo.constant dense<4.467770e-02> : tensor<bf16>
      %157 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<bf16>) -> tensor<32x512x20480xbf16>
      %158 = stablehlo.multiply %156, %157 : tensor<32x512x20480xbf16>
      %159 = stablehlo.add %154, %158 : tensor<32x512x20480xbf16>
      %cst_51 = stablehlo.constant dense<7.968750e-01> : tensor<bf16>
      %160 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<bf16>) -> tensor<32x512x20480xbf16>
      %161 = stablehlo.multiply %159, %160 : tensor<32x512x20480xbf16>
      %162 = stablehlo.tanh %161 : tensor<32x512x20480xbf16>
      %cst_52 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
      %163 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<bf16>) -> tensor<32x512x20480xbf16>
      %164 = stablehlo.add %162, %163 : tensor<32x512x20480xbf16>
      %cst_53 = stablehlo.constant dense<5.000000e-01> : tensor<bf16>
      %165 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<bf16>) -> tensor<32x512x20480xbf16>
      %166 = stablehlo.multiply %164, %165 : tensor<32x512x20480xbf16>
      %167 = stablehlo.multiply %154, %166 : tensor<32x512x20480xbf16>
      %c_54 = stablehlo.constant dense<0> : tensor<i32>
      %168 = stablehlo.dynamic_slice %iterArg_18, %iterArg, %c_54, %c_54, sizes = [1, 20480, 5120] : (tensor<40x20480x5120xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x20480x5120xf32>
      %169 = stablehlo.reshape %168 : (tensor<1x20480x5120xf32>) -> tensor<20480x5120xf32>
      %170 = stablehlo.convert %169 : (tensor<20480x5120xf32>) -> tensor<20480x5120xbf16>
      %171 = stablehlo.dot_general %167, %170, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x512x20480xbf16>, tensor<20480x5120xbf16>) -> tensor<32x512x5120xbf16>
      %c_55 = stablehlo.constant dense<0> : tensor<i32>
      %172 = stablehlo.dynamic_slice %iterArg_19, %iterArg, %c_55, sizes = [1, 5120] : (tensor<40x5120xf32>, tensor<i32>, tensor<i32>) -> tensor<1x5120xf32>
      %173 = stablehlo.reshape %172 : (tensor<1x5120xf32>) -> tensor<5120xf32>
      %174 = stablehlo.convert %173 : (tensor<5120xf32>) -> tensor<5120xbf16>
      %175 = stablehlo.broadcast_in_dim %174, dims = [2] : (tensor<5120xbf16>) -> tensor<1x1x5120xbf16>
      %176 = stablehlo.broadcast_in_dim %175, dims = [0, 1, 2] : (tensor<1x1x5120xbf16>) -> tensor<32x512x5120xbf16>
      %177 = stablehlo.add %171, %176 : tensor<32x512x5120xbf16>
      %178 = stablehlo.add %112, %177 : tensor<32x512x5120xbf16>
      %c_56 = stablehlo.constant dense<1> : tensor<i32>
      %179 = stablehlo.add %iterArg, %c_56 : tensor<i32>
      stablehlo.return %179, %178, %16, %iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11, %iterArg_12, %iterArg_13, %iterArg_14, %iterArg_15, %iterArg_16, %iterArg_17, %iterArg_18, %iterArg_19 : tensor<i32>, tensor<32x512x5120xbf16>, tensor<40x32x512x5120xbf16>, tensor<40x5120xf32>, tensor<40x5120xf32>, tensor<40x5120x40x128xf32>, tensor<40x40x128xf32>, tensor<40x5120x40x128xf32>, tensor<40x40x128xf32>, tensor<40x5120x40x128xf32>, tensor<40x40x128xf32>, tensor<40x40x128x5120xf32>, tensor<40x5120xf32>, tensor<40x5120xf32>, tensor<40x5120xf32>, tensor<40x5120x20480xf32>, tensor<40x20480xf32>, tensor<40x20480x5120xf32>, tensor<40x5120xf32>
    }
    %180 = stablehlo.convert %13#1 : (tensor<32x512x5120xbf16>) -> tensor<32x512x5120xf32>
    %cst_57 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %181 = stablehlo.reduce(%180 init: %cst_57) applies stablehlo.add across dimensions = [2] : (tensor<32x512x5120xf32>, tensor<f32>) -> tensor<32x512xf32>
    %cst_58 = stablehlo.constant dense<5.120000e+03> : tensor<f32>
    %182 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<32x512xf32>
    %183 = stablehlo.divide %181, %182 : tensor<32x512xf32>
    %184 = stablehlo.broadcast_in_dim %183, dims = [0, 1] : (tensor<32x512xf32>) -> tensor<32x512x1xf32>
    %185 = stablehlo.broadcast_in_dim %184, dims = [0, 1, 2] : (tensor<32x512x1xf32>) -> tensor<32x512x5120xf32>
    %186 = stablehlo.subtract %180, %185 : tensor<32x512x5120xf32>
    %187 = stablehlo.multiply %186, %186 : tensor<32x512x5120xf32>
    %cst_59 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %188 = stablehlo.reduce(%187 init: %cst_59) applies stablehlo.add across dimensions = [2] : (tensor<32x512x5120xf32>, tensor<f32>) -> tensor<32x512xf32>
    %cst_60 = stablehlo.constant dense<5.120000e+03> : tensor<f32>
    %189 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<32x512xf32>
    %190 = stablehlo.divide %188, %189 : tensor<32x512xf32>
    %cst_61 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %191 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<32x512xf32>
    %192 = stablehlo.add %190, %191 : tensor<32x512xf32>
    %193 = stablehlo.rsqrt %192 : tensor<32x512xf32>
    %194 = stablehlo.broadcast_in_dim %193, dims = [0, 1] : (tensor<32x512xf32>) -> tensor<32x512x1xf32>
    %195 = stablehlo.broadcast_in_dim %194, dims = [0, 1, 2] : (tensor<32x512x1xf32>) -> tensor<32x512x5120xf32>
    %196 = stablehlo.multiply %186, %195 : tensor<32x512x5120xf32>
    %197 = stablehlo.convert %arg18 : (tensor<5120xf32>) -> tensor<5120xbf16>
    %198 = stablehlo.convert %197 : (tensor<5120xbf16>) -> tensor<5120xf32>
    %199 = stablehlo.convert %arg19 : (tensor<5120xf32>) -> tensor<5120xbf16>
    %200 = stablehlo.convert %199 : (tensor<5120xbf16>) -> tensor<5120xf32>
    %201 = stablehlo.broadcast_in_dim %198, dims = [2] : (tensor<5120xf32>) -> tensor<1x1x5120xf32>
    %202 = stablehlo.broadcast_in_dim %201, dims = [0, 1, 2] : (tensor<1x1x5120xf32>) -> tensor<32x512x5120xf32>
    %203 = stablehlo.multiply %196, %202 : tensor<32x512x5120xf32>
    %204 = stablehlo.broadcast_in_dim %200, dims = [2] : (tensor<5120xf32>) -> tensor<1x1x5120xf32>
    %205 = stablehlo.broadcast_in_dim %204, dims = [0, 1, 2] : (tensor<1x1x5120xf32>) -> tensor<32x512x5120xf32>
    %206 = stablehlo.add %203, %205 : tensor<32x512x5120xf32>
    %207 = stablehlo.convert %206 : (tensor<32x512x5120xf32>) -> tensor<32x512x5120xbf16>
    %208 = stablehlo.convert %arg20 : (tensor<5120x32000xf32>) -> tensor<5120x32000xbf16>
    %209 = stablehlo.dot_general %207, %208, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x512x5120xbf16>, tensor<5120x32000xbf16>) -> tensor<32x512x32000xbf16>
    %210 = stablehlo.convert %209 : (tensor<32x512x32000xbf16>) -> tensor<32x512x32000xf32>
    %cst_62 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %211 = stablehlo.reduce(%210 init: %cst_62) applies stablehlo.maximum across dimensions = [2] : (tensor<32x512x32000xf32>, tensor<f32>) -> tensor<32x512xf32>
    %212 = stablehlo.broadcast_in_dim %211, dims = [0, 1] : (tensor<32x512xf32>) -> tensor<32x512x1xf32>
    %213 = stablehlo.broadcast_in_dim %212, dims = [0, 1, 2] : (tensor<32x512x1xf32>) -> tensor<32x512x32000xf32>
    %214 = stablehlo.subtract %210, %213 : tensor<32x512x32000xf32>
    %215 = stablehlo.exponential %214 : tensor<32x512x32000xf32>
    %cst_63 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %216 = stablehlo.reduce(%215 init: %cst_63) applies stablehlo.add across dimensions = [2] : (tensor<32x512x32000xf32>, tensor<f32>) -> tensor<32x512xf32>
    %217 = stablehlo.iota dim = 2 : tensor<32x512x32000xi32>
    %218 = stablehlo.broadcast_in_dim %arg65, dims = [0, 1] : (tensor<32x512xi32>) -> tensor<32x512x1xi32>
    %219 = stablehlo.broadcast_in_dim %218, dims = [0, 1, 2] : (tensor<32x512x1xi32>) -> tensor<32x512x32000xi32>
    %220 = stablehlo.compare EQ, %219, %217, SIGNED : (tensor<32x512x32000xi32>, tensor<32x512x32000xi32>) -> tensor<32x512x32000xi1>
    %221 = stablehlo.convert %220 : (tensor<32x512x32000xi1>) -> tensor<32x512x32000xf32>
    %222 = stablehlo.multiply %214, %221 : tensor<32x512x32000xf32>
    %cst_64 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %223 = stablehlo.reduce(%222 init: %cst_64) applies stablehlo.add across dimensions = [2] : (tensor<32x512x32000xf32>, tensor<f32>) -> tensor<32x512xf32>
    %224 = stablehlo.log %216 : tensor<32x512xf32>
    %225 = stablehlo.subtract %224, %223 : tensor<32x512xf32>
    %cst_65 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %226 = stablehlo.reduce(%225 init: %cst_65) applies stablehlo.add across dimensions = [0, 1] : (tensor<32x512xf32>, tensor<f32>) -> tensor<f32>
    %cst_66 = stablehlo.constant dense<1.638400e+04> : tensor<f32>
    %227 = stablehlo.divide %226, %cst_66 : tensor<f32>
    %cst_67 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %228 = stablehlo.divide %cst_67, %cst_66 : tensor<f32>
    %229 = stablehlo.broadcast_in_dim %228, dims = [] : (tensor<f32>) -> tensor<32x512xf32>
    %230 = stablehlo.negate %229 : tensor<32x512xf32>
    %231 = stablehlo.divide %229, %216 : tensor<32x512xf32>
    %232 = stablehlo.broadcast_in_dim %230, dims = [0, 1] : (tensor<32x512xf32>) -> tensor<32x512x32000xf32>
    %233 = stablehlo.multiply %232, %221 : tensor<32x512x32000xf32>
    %234 = stablehlo.broadcast_in_dim %231, dims = [0, 1] : (tensor<32x512xf32>) -> tensor<32x512x32000xf32>
    %235 = stablehlo.multiply %234, %215 : tensor<32x512x32000xf32>
    %236 = stablehlo.add %233, %235 : tensor<32x512x32000xf32>
    %237 = stablehlo.convert %236 : (tensor<32x512x32000xf32>) -> tensor<32x512x32000xbf16>
    %238 = stablehlo.dot_general %237, %208, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<32x512x32000xbf16>, tensor<5120x32000xbf16>) -> tensor<32x512x5120xbf16>
    %239 = stablehlo.dot_general %237, %207, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<32x512x32000xbf16>, tensor<32x512x5120xbf16>) -> tensor<32000x5120xbf16>
    %240 = stablehlo.transpose %239, dims = [1, 0] : (tensor<32000x5120xbf16>) -> tensor<5120x32000xbf16>
    %241 = stablehlo.convert %240 : (tensor<5120x32000xbf16>) -> tensor<5120x32000xf32>
    %242 = stablehlo.convert %238 : (tensor<32x512x5120xbf16>) -> tensor<32x512x5120xf32>
    %cst_68 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %243 = stablehlo.reduce(%242 init: %cst_68) applies stablehlo.add across dimensions = [0, 1] : (tensor<32x512x5120xf32>, tensor<f32>) -> tensor<5120xf32>
    %244 = stablehlo.reshape %243 : (tensor<5120xf32>) -> tensor<1x1x5120xf32>
    %cst_69 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %245 = stablehlo.reduce(%244 init: %cst_69) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x5120xf32>, tensor<f32>) -> tensor<5120xf32>
    %246 = stablehlo.multiply %242, %202 : tensor<32x512x5120xf32>
    %247 = stablehlo.multiply %196, %242 : tensor<32x512x5120xf32>
    %cst_70 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %248 = stablehlo.reduce(%247 init: %cst_70) applies stablehlo.add across dimensions = [0, 1] : (tensor<32x512x5120xf32>, tensor<f32>) -> tensor<5120xf32>
    %249 = stablehlo.reshape %248 : (tensor<5120xf32>) -> tensor<1x1x5120xf32>
    %cst_71 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %250 = stablehlo.reduce(%249 init: %cst_71) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x5120xf32>, tensor<f32>) -> tensor<5120xf32>
    %251 = stablehlo.convert %245 : (tensor<5120xf32>) -> tensor<5120xbf16>
    %252 = stablehlo.convert %251 : (tensor<5120xbf16>) -> tensor<5120xf32>
    %253 = stablehlo.convert %250 : (tensor<5120xf32>) -> tensor<5120xbf16>
    %254 = stablehlo.convert %253 : (tensor<5120xbf16>) -> tensor<5120xf32>
    %255 = stablehlo.multiply %246, %195 : tensor<32x512x5120xf32>
    %256 = stablehlo.multiply %186, %246 : tensor<32x512x5120xf32>
    %cst_72 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %257 = stablehlo.reduce(%256 init: %cst_72) applies stablehlo.add across dimensions = [2] : (tensor<32x512x5120xf32>, tensor<f32>) -> tensor<32x512xf32>
    %258 = stablehlo.reshape %257 : (tensor<32x512xf32>) -> tensor<32x512x1xf32>
    %cst_73 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %259 = stablehlo.reduce(%258 init: %cst_73) applies stablehlo.add across dimensions = [2] : (tensor<32x512x1xf32>, tensor<f32>) -> tensor<32x512xf32>
    %cst_74 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %260 = stablehlo.broadcast_in_dim %cst_74, dims = [] : (tensor<f32>) -> tensor<32x512xf32>
    %261 = stablehlo.divide %193, %192 : tensor<32x512xf32>
    %262 = stablehlo.multiply %260, %261 : tensor<32x512xf32>
    %263 = stablehlo.multiply %259, %262 : tensor<32x512xf32>
    %264 = stablehlo.divide %263, %189 : tensor<32x512xf32>
    %265 = stablehlo.broadcast_in_dim %264, dims = [0, 1] : (tensor<32x512xf32>) -> tensor<32x512x5120xf32>
    %266 = stablehlo.multiply %265, %186 : tensor<32x512x5120xf32>
    %267 = stablehlo.add %255, %266 : tensor<32x512x5120xf32>
    %268 = stablehlo.multiply %186, %265 : tensor<32x512x5120xf32>
    %269 = stablehlo.add %267, %268 : tensor<32x512x5120xf32>
    %270 = stablehlo.negate %269 : tensor<32x512x5120xf32>
    %cst_75 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %271 = stablehlo.reduce(%270 init: %cst_75) applies stablehlo.add across dimensions = [2] : (tensor<32x512x5120xf32>, tensor<f32>) -> tensor<32x512xf32>
    %272 = stablehlo.reshape %271 : (tensor<32x512xf32>) -> tensor<32x512x1xf32>
    %cst_76 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %273 = stablehlo.reduce(%272 init: %cst_76) applies stablehlo.add across dimensions = [2] : (tensor<32x512x1xf32>, tensor<f32>) -> tensor<32x512xf32>
    %274 = stablehlo.divide %273, %182 : tensor<32x512xf32>
    %275 = stablehlo.broadcast_in_dim %274, dims = [0, 1] : (tensor<32x512xf32>) -> tensor<32x512x5120xf32>
    %276 = stablehlo.add %269, %275 : tensor<32x512x5120xf32>
    %277 = stablehlo.convert %276 : (tensor<32x512x5120xf32>) -> tensor<32x512x5120xbf16>
    %c_77 = stablehlo.constant dense<0> : tensor<i32>
    %cst_78 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %278 = stablehlo.broadcast_in_dim %cst_78, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %cst_79 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %279 = stablehlo.broadcast_in_dim %cst_79, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %cst_80 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %280 = stablehlo.broadcast_in_dim %cst_80, dims = [] : (tensor<f32>) -> tensor<40x5120x40x128xf32>
    %cst_81 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %281 = stablehlo.broadcast_in_dim %cst_81, dims = [] : (tensor<f32>) -> tensor<40x40x128xf32>
    %cst_82 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %282 = stablehlo.broadcast_in_dim %cst_82, dims = [] : (tensor<f32>) -> tensor<40x5120x40x128xf32>
    %cst_83 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %283 = stablehlo.broadcast_in_dim %cst_83, dims = [] : (tensor<f32>) -> tensor<40x40x128xf32>
    %cst_84 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %284 = stablehlo.broadcast_in_dim %cst_84, dims = [] : (tensor<f32>) -> tensor<40x5120x40x128xf32>
    %cst_85 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %285 = stablehlo.broadcast_in_dim %cst_85, dims = [] : (tensor<f32>) -> tensor<40x40x128xf32>
    %cst_86 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %286 = stablehlo.broadcast_in_dim %cst_86, dims = [] : (tensor<f32>) -> tensor<40x40x128x5120xf32>
    %cst_87 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %287 = stablehlo.broadcast_in_dim %cst_87, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %cst_88 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %288 = stablehlo.broadcast_in_dim %cst_88, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %cst_89 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %289 = stablehlo.broadcast_in_dim %cst_89, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %cst_90 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %290 = stablehlo.broadcast_in_dim %cst_90, dims = [] : (tensor<f32>) -> tensor<40x5120x20480xf32>
    %cst_91 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %291 = stablehlo.broadcast_in_dim %cst_91, dims = [] : (tensor<f32>) -> tensor<40x20480xf32>
    %cst_92 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %292 = stablehlo.broadcast_in_dim %cst_92, dims = [] : (tensor<f32>) -> tensor<40x20480x5120xf32>
    %cst_93 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %293 = stablehlo.broadcast_in_dim %cst_93, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %294:35 = stablehlo.while(%iterArg_94 = %c_77, %iterArg_95 = %277, %iterArg_96 = %278, %iterArg_97 = %279, %iterArg_98 = %280, %iterArg_99 = %281, %iterArg_100 = %282, %iterArg_101 = %283, %iterArg_102 = %284, %iterArg_103 = %285, %iterArg_104 = %286, %iterArg_105 = %287, %iterArg_106 = %288, %iterArg_107 = %289, %iterArg_108 = %290, %iterArg_109 = %291, %iterArg_110 = %292, %iterArg_111 = %293, %iterArg_112 = %13#2, %iterArg_113 = %arg2, %iterArg_114 = %arg3, %iterArg_115 = %arg4, %iterArg_116 = %arg5, %iterArg_117 = %arg6, %iterArg_118 = %arg7, %iterArg_119 = %arg8, %iterArg_120 = %arg9, %iterArg_121 = %arg10, %iterArg_122 = %arg11, %iterArg_123 = %arg12, %iterArg_124 = %arg13, %iterArg_125 = %arg14, %iterArg_126 = %arg15, %iterArg_127 = %arg16, %iterArg_128 = %arg17) : tensor<i32>, tensor<32x512x5120xbf16>, tensor<40x5120xf32>, tensor<40x5120xf32>, tensor<40x5120x40x128xf32>, tensor<40x40x128xf32>, tensor<40x5120x40x128xf32>, tensor<40x40x128xf32>, tensor<40x5120x40x128xf32>, tensor<40x40x128xf32>, tensor<40x40x128x5120xf32>, tensor<40x5120xf32>, tensor<40x5120xf32>, tensor<40x5120xf32>, tensor<40x5120x20480xf32>, tensor<40x20480xf32>, tensor<40x20480x5120xf32>, tensor<40x5120xf32>, tensor<40x32x512x5120xbf16>, tensor<40x5120xf32>, tensor<40x5120xf32>, tensor<40x5120x40x128xf32>, tensor<40x40x128xf32>, tensor<40x5120x40x128xf32>, tensor<40x40x128xf32>, tensor<40x5120x40x128xf32>, tensor<40x40x128xf32>, tensor<40x40x128x5120xf32>, tensor<40x5120xf32>, tensor<40x5120xf32>, tensor<40x5120xf32>, tensor<40x5120x20480xf32>, tensor<40x20480xf32>, tensor<40x20480x5120xf32>, tensor<40x5120xf32>
    cond {
      %c_129 = stablehlo.constant dense<40> : tensor<i32>
      %295 = stablehlo.compare LT, %iterArg_94, %c_129, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %295 : tensor<i1>
    } do {
      %c_130 = stablehlo.constant dense<39> : tensor<i32>
      %296 = stablehlo.subtract %c_130, %iterArg_94 : tensor<i32>
      %c_131 = stablehlo.constant dense<0> : tensor<i32>
      %297 = stablehlo.dynamic_slice %iterArg_112, %296, %c_131, %c_131, %c_131, sizes = [1, 32, 512, 5120] : (tensor<40x32x512x5120xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x32x512x5120xbf16>
      %298 = stablehlo.reshape %297 : (tensor<1x32x512x5120xbf16>) -> tensor<32x512x5120xbf16>
      %299 = stablehlo.convert %298 : (tensor<32x512x5120xbf16>) -> tensor<32x512x5120xf32>
      %cst_132 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %300 = stablehlo.reduce(%299 init: %cst_132) applies stablehlo.add across dimensions = [2] : (tensor<32x512x5120xf32>, tensor<f32>) -> tensor<32x512xf32>
      %cst_133 = stablehlo.constant dense<5.120000e+03> : tensor<f32>
      %301 = stablehlo.broadcast_in_dim %cst_133, dims = [] : (tensor<f32>) -> tensor<32x512xf32>
      %302 = stablehlo.divide %300, %301 : tensor<32x512xf32>
      %303 = stablehlo.broadcast_in_dim %302, dims = [0, 1] : (tensor<32x512xf32>) -> tensor<32x512x1xf32>
      %304 = stablehlo.broadcast_in_dim %303, dims = [0, 1, 2] : (tensor<32x512x1xf32>) -> tensor<32x512x5120xf32>
      %305 = stablehlo.subtract %299, %304 : tensor<32x512x5120xf32>
      %306 = stablehlo.multiply %305, %305 : tensor<32x512x5120xf32>
      %cst_134 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %307 = stablehlo.reduce(%306 init: %cst_134) applies stablehlo.add across dimensions = [2] : (tensor<32x512x5120xf32>, tensor<f32>) -> tensor<32x512xf32>
      %cst_135 = stablehlo.constant dense<5.120000e+03> : tensor<f32>
      %308 = stablehlo.broadcast_in_dim %cst_135, dims = [] : (tensor<f32>) -> tensor<32x512xf32>
      %309 = stablehlo.divide %307, %308 : tensor<32x512xf32>
      %cst_136 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
      %310 = stablehlo.broadcast_in_dim %cst_136, dims = [] : (tensor<f32>) -> tensor<32x512xf32>
      %311 = stablehlo.add %309, %310 : tensor<32x512xf32>
      %312 = stablehlo.rsqrt %311 : tensor<32x512xf32>
      %313 = stablehlo.broadcast_in_dim %312, dims = [0, 1] : (tensor<32x512xf32>) -> tensor<32x512x1xf32>
      %314 = stablehlo.broadcast_in_dim %313, dims = [0, 1, 2] : (tensor<32x512x1xf32>) -> tensor<32x512x5120xf32>
      %315 = stablehlo.multiply %305, %314 : tensor<32x512x5120xf32>
      %c_137 = stablehlo.constant dense<0> : tensor<i32>
      %316 = stablehlo.dynamic_slice %iterArg_113, %296, %c_137, sizes = [1, 5120] : (tensor<40x5120xf32>, tensor<i32>, tensor<i32>) -> tensor<1x5120xf32>
      %317 = stablehlo.reshape %316 : (tensor<1x5120xf32>) -> tensor<5120xf32>
      %318 = stablehlo.convert %317 : (tensor<5120xf32>) -> tensor<5120xbf16>
      %319 = stablehlo.convert %318 : (tensor<5120xbf16>) -> tensor<5120xf32>
      %c_138 = stablehlo.constant dense<0> : tensor<i32>
      %320 = stablehlo.dynamic_slice %iterArg_114, %296, %c_138, sizes = [1, 5120] : (tensor<40x5120xf32>, tensor<i32>, tensor<i32>) -> tensor<1x5120xf32>
      %321 = stablehlo.reshape %320 : (tensor<1x5120xf32>) -> tensor<5120xf32>
      %322 = stablehlo.convert %321 : (tensor<5120xf32>) -> tensor<5120xbf16>
      %323 = stablehlo.convert %322 : (tensor<5120xbf16>) -> tensor<5120xf32>
      %324 = stablehlo.broadcast_in_dim %319, dims = [2] : (tensor<5120xf32>) -> tensor<1x1x5120xf32>
      %325 = stablehlo.broadcast_in_dim %324, dims = [0, 1, 2] : (tensor<1x1x5120xf32>) -> tensor<32x512x5120xf32>
      %326 = stablehlo.multiply %315, %325 : tensor<32x512x5120xf32>
      %327 = stablehlo.broadcast_in_dim %323, dims = [2] : (tensor<5120xf32>) -> tensor<1x1x5120xf32>
      %328 = stablehlo.broadcast_in_dim %327, dims = [0, 1, 2] : (tensor<1x1x5120xf32>) -> tensor<32x512x5120xf32>
      %329 = stablehlo.add %326, %328 : tensor<32x512x5120xf32>
      %330 = stablehlo.convert %329 : (tensor<32x512x5120xf32>) -> tensor<32x512x5120xbf16>
      %c_139 = stablehlo.constant dense<0> : tensor<i32>
      %331 = stablehlo.dynamic_slice %iterArg_115, %296, %c_139, %c_139, %c_139, sizes = [1, 5120, 40, 128] : (tensor<40x5120x40x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x5120x40x128xf32>
      %332 = stablehlo.reshape %331 : (tensor<1x5120x40x128xf32>) -> tensor<5120x40x128xf32>
      %333 = stablehlo.convert %332 : (tensor<5120x40x128xf32>) -> tensor<5120x40x128xbf16>
      %334 = stablehlo.dot_general %330, %333, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x512x5120xbf16>, tensor<5120x40x128xbf16>) -> tensor<32x512x40x128xbf16>
      %c_140 = stablehlo.constant dense<0> : tensor<i32>
      %335 = stablehlo.dynamic_slice %iterArg_116, %296, %c_140, %c_140, sizes = [1, 40, 128] : (tensor<40x40x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x40x128xf32>
      %336 = stablehlo.reshape %335 : (tensor<1x40x128xf32>) -> tensor<40x128xf32>
      %337 = stablehlo.convert %336 : (tensor<40x128xf32>) -> tensor<40x128xbf16>
      %338 = stablehlo.broadcast_in_dim %337, dims = [2, 3] : (tensor<40x128xbf16>) -> tensor<1x1x40x128xbf16>
      %339 = stablehlo.broadcast_in_dim %338, dims = [0, 1, 2, 3] : (tensor<1x1x40x128xbf16>) -> tensor<32x512x40x128xbf16>
      %340 = stablehlo.add %334, %339 : tensor<32x512x40x128xbf16>
      %c_141 = stablehlo.constant dense<0> : tensor<i32>
      %341 = stablehlo.dynamic_slice %iterArg_117, %296, %c_141, %c_141, %c_141, sizes = [1, 5120, 40, 128] : (tensor<40x5120x40x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x5120x40x128xf32>
      %342 = stablehlo.reshape %341 : (tensor<1x5120x40x128xf32>) -> tensor<5120x40x128xf32>
      %343 = stablehlo.convert %342 : (tensor<5120x40x128xf32>) -> tensor<5120x40x128xbf16>
      %344 = stablehlo.dot_general %330, %343, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x512x5120xbf16>, tensor<5120x40x128xbf16>) -> tensor<32x512x40x128xbf16>
      %c_142 = stablehlo.constant dense<0> : tensor<i32>
      %345 = stablehlo.dynamic_slice %iterArg_118, %296, %c_142, %c_142, sizes = [1, 40, 128] : (tensor<40x40x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x40x128xf32>
      %346 = stablehlo.reshape %345 : (tensor<1x40x128xf32>) -> tensor<40x128xf32>
      %347 = stablehlo.convert %346 : (tensor<40x128xf32>) -> tensor<40x128xbf16>
      %348 = stablehlo.broadcast_in_dim %347, dims = [2, 3] : (tensor<40x128xbf16>) -> tensor<1x1x40x128xbf16>
      %349 = stablehlo.broadcast_in_dim %348, dims = [0, 1, 2, 3] : (tensor<1x1x40x128xbf16>) -> tensor<32x512x40x128xbf16>
      %350 = stablehlo.add %344, %349 : tensor<32x512x40x128xbf16>
      %c_143 = stablehlo.constant dense<0> : tensor<i32>
      %351 = stablehlo.dynamic_slice %iterArg_119, %296, %c_143, %c_143, %c_143, sizes = [1, 5120, 40, 128] : (tensor<40x5120x40x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x5120x40x128xf32>
      %352 = stablehlo.reshape %351 : (tensor<1x5120x40x128xf32>) -> tensor<5120x40x128xf32>
      %353 = stablehlo.convert %352 : (tensor<5120x40x128xf32>) -> tensor<5120x40x128xbf16>
      %354 = stablehlo.dot_general %330, %353, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x512x5120xbf16>, tensor<5120x40x128xbf16>) -> tensor<32x512x40x128xbf16>
      %c_144 = stablehlo.constant dense<0> : tensor<i32>
      %355 = stablehlo.dynamic_slice %iterArg_120, %296, %c_144, %c_144, sizes = [1, 40, 128] : (tensor<40x40x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x40x128xf32>
      %356 = stablehlo.reshape %355 : (tensor<1x40x128xf32>) -> tensor<40x128xf32>
      %357 = stablehlo.convert %356 : (tensor<40x128xf32>) -> tensor<40x128xbf16>
      %358 = stablehlo.broadcast_in_dim %357, dims = [2, 3] : (tensor<40x128xbf16>) -> tensor<1x1x40x128xbf16>
      %359 = stablehlo.broadcast_in_dim %358, dims = [0, 1, 2, 3] : (tensor<1x1x40x128xbf16>) -> tensor<32x512x40x128xbf16>
      %360 = stablehlo.add %354, %359 : tensor<32x512x40x128xbf16>
      %cst_145 = stablehlo.constant dense<8.837890e-02> : tensor<bf16>
      %361 = stablehlo.broadcast_in_dim %cst_145, dims = [] : (tensor<bf16>) -> tensor<32x512x40x128xbf16>
      %362 = stablehlo.multiply %340, %361 : tensor<32x512x40x128xbf16>
      %363 = stablehlo.dot_general %362, %350, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<32x512x40x128xbf16>, tensor<32x512x40x128xbf16>) -> tensor<32x40x512x512xbf16>
      %364 = stablehlo.convert %363 : (tensor<32x40x512x512xbf16>) -> tensor<32x40x512x512xf32>
      %365 = stablehlo.iota dim = 0 : tensor<512x512xi32>
      %366 = stablehlo.iota dim = 1 : tensor<512x512xi32>
      %367 = stablehlo.compare GE, %365, %366, SIGNED : (tensor<512x512xi32>, tensor<512x512xi32>) -> tensor<512x512xi1>
      %cst_146 = stablehlo.constant dense<-1.000000e+30> : tensor<f32>
      %368 = stablehlo.broadcast_in_dim %cst_146, dims = [] : (tensor<f32>) -> tensor<32x40x512x512xf32>
      %369 = stablehlo.broadcast_in_dim %367, dims = [2, 3] : (tensor<512x512xi1>) -> tensor<1x1x512x512xi1>
      %370 = stablehlo.broadcast_in_dim %369, dims = [0, 1, 2, 3] : (tensor<1x1x512x512xi1>) -> tensor<32x40x512x512xi1>
      %371 = stablehlo.select %370, %364, %368 : tensor<32x40x512x512xi1>, tensor<32x40x512x512xf32>
      %cst_147 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %372 = stablehlo.reduce(%371 init: %cst_147) applies stablehlo.maximum across dimensions = [3] : (tensor<32x40x512x512xf32>, tensor<f32>) -> tensor<32x40x512xf32>
      %373 = stablehlo.broadcast_in_dim %372, dims = [0, 1, 2] : (tensor<32x40x512xf32>) -> tensor<32x40x512x1xf32>
      %374 = stablehlo.broadcast_in_dim %373, dims = [0, 1, 2, 3] : (tensor<32x40x512x1xf32>) -> tensor<32x40x512x512xf32>
      %375 = stablehlo.subtract %371, %374 : tensor<32x40x512x512xf32>
      %376 = stablehlo.exponential %375 : tensor<32x40x512x512xf32>
      %cst_148 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %377 = stablehlo.reduce(%376 init: %cst_148) applies stablehlo.add across dimensions = [3] : (tensor<32x40x512x512xf32>, tensor<f32>) -> tensor<32x40x512xf32>
      %378 = stablehlo.broadcast_in_dim %377, dims = [0, 1, 2] : (tensor<32x40x512xf32>) -> tensor<32x40x512x1xf32>
      %379 = stablehlo.broadcast_in_dim %378, dims = [0, 1, 2, 3] : (tensor<32x40x512x1xf32>) -> tensor<32x40x512x512xf32>
      %380 = stablehlo.divide %376, %379 : tensor<32x40x512x512xf32>
      %381 = stablehlo.convert %380 : (tensor<32x40x512x512xf32>) -> tensor<32x40x512x512xbf16>
      %382 = stablehlo.dot_general %381, %360, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<32x40x512x512xbf16>, tensor<32x512x40x128xbf16>) -> tensor<32x40x512x128xbf16>
      %383 = stablehlo.transpose %382, dims = [0, 2, 1, 3] : (tensor<32x40x512x128xbf16>) -> tensor<32x512x40x128xbf16>
      %c_149 = stablehlo.constant dense<0> : tensor<i32>
      %384 = stablehlo.dynamic_slice %iterArg_121, %296, %c_149, %c_149, %c_149, sizes = [1, 40, 128, 5120] : (tensor<40x40x128x5120xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x40x128x5120xf32>
      %385 = stablehlo.reshape %384 : (tensor<1x40x128x5120xf32>) -> tensor<40x128x5120xf32>
      %386 = stablehlo.convert %385 : (tensor<40x128x5120xf32>) -> tensor<40x128x5120xbf16>
      %387 = stablehlo.dot_general %383, %386, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<32x512x40x128xbf16>, tensor<40x128x5120xbf16>) -> tensor<32x512x5120xbf16>
      %c_150 = stablehlo.constant dense<0> : tensor<i32>
      %388 = stablehlo.dynamic_slice %iterArg_122, %296, %c_150, sizes = [1, 5120] : (tensor<40x5120xf32>, tensor<i32>, tensor<i32>) -> tensor<1x5120xf32>
      %389 = stablehlo.reshape %388 : (tensor<1x5120xf32>) -> tensor<5120xf32>
      %390 = stablehlo.convert %389 : (tensor<5120xf32>) -> tensor<5120xbf16>
      %391 = stablehlo.broadcast_in_dim %390, dims = [2] : (tensor<5120xbf16>) -> tensor<1x1x5120xbf16>
      %392 = stablehlo.broadcast_in_dim %391, dims = [0, 1, 2] : (tensor<1x1x5120xbf16>) -> tensor<32x512x5120xbf16>
      %393 = stablehlo.add %387, %392 : tensor<32x512x5120xbf16>
      %394 = stablehlo.add %298, %393 : tensor<32x512x5120xbf16>
      %395 = stablehlo.convert %394 : (tensor<32x512x5120xbf16>) -> tensor<32x512x5120xf32>
      %cst_151 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %396 = stablehlo.reduce(%395 init: %cst_151) applies stablehlo.add across dimensions = [2] : (tensor<32x512x5120xf32>, tensor<f32>) -> tensor<32x512xf32>
      %cst_152 = stablehlo.constant dense<5.120000e+03> : tensor<f32>
      %397 = stablehlo.broadcast_in_dim %cst_152, dims = [] : (tensor<f32>) -> tensor<32x512xf32>
      %398 = stablehlo.divide %396, %397 : tensor<32x512xf32>
      %399 = stablehlo.broadcast_in_dim %398, dims = [0, 1] : (tensor<32x512xf32>) -> tensor<32x512x1xf32>
      %400 = stablehlo.broadcast_in_dim %399, dims = [0, 1, 2] : (tensor<32x512x1xf32>) -> tensor<32x512x5120xf32>
      %401 = stablehlo.subtract %395, %400 : tensor<32x512x5120xf32>
      %402 = stablehlo.multiply %401, %401 : tensor<32x512x5120xf32>
      %cst_153 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %403 = stablehlo.reduce(%402 init: %cst_153) applies stablehlo.add across dimensions = [2] : (tensor<32x512x5120xf32>, tensor<f32>) -> tensor<32x512xf32>
      %cst_154 = stablehlo.constant dense<5.120000e+03> : tensor<f32>
      %404 = stablehlo.broadcast_in_dim %cst_154, dims = [] : (tensor<f32>) -> tensor<32x512xf32>
      %405 = stablehlo.divide %403, %404 : tensor<32x512xf32>
      %cst_155 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
      %406 = stablehlo.broadcast_in_dim %cst_155, dims = [] : (tensor<f32>) -> tensor<32x512xf32>
      %407 = stablehlo.add %405, %406 : tensor<32x512xf32>
      %408 = stablehlo.rsqrt %407 : tensor<32x512xf32>
      %409 = stablehlo.broadcast_in_dim %408, dims = [0, 1] : (tensor<32x512xf32>) -> tensor<32x512x1xf32>
      %410 = stablehlo.broadcast_in_dim %409, dims = [0, 1, 2] : (tensor<32x512x1xf32>) -> tensor<32x512x5120xf32>
      %411 = stablehlo.multiply %401, %410 : tensor<32x512x5120xf32>
      %c_156 = stablehlo.constant dense<0> : tensor<i32>
      %412 = stablehlo.dynamic_slice %iterArg_123, %296, %c_156, sizes = [1, 5120] : (tensor<40x5120xf32>, tensor<i32>, tensor<i32>) -> tensor<1x5120xf32>
      %413 = stablehlo.reshape %412 : (tensor<1x5120xf32>) -> tensor<5120xf32>
      %414 = stablehlo.convert %413 : (tensor<5120xf32>) -> tensor<5120xbf16>
      %415 = stablehlo.convert %414 : (tensor<5120xbf16>) -> tensor<5120xf32>
      %c_157 = stablehlo.constant dense<0> : tensor<i32>
      %416 = stablehlo.dynamic_slice %iterArg_124, %296, %c_157, sizes = [1, 5120] : (tensor<40x5120xf32>, tensor<i32>, tensor<i32>) -> tensor<1x5120xf32>
      %417 = stablehlo.reshape %416 : (tensor<1x5120xf32>) -> tensor<5120xf32>
      %418 = stablehlo.convert %417 : (tensor<5120xf32>) -> tensor<5120xbf16>
      %419 = stablehlo.convert %418 : (tensor<5120xbf16>) -> tensor<5120xf32>
      %420 = stablehlo.broadcast_in_dim %415, dims = [2] : (tensor<5120xf32>) -> tensor<1x1x5120xf32>
      %421 = stablehlo.broadcast_in_dim %420, dims = [0, 1, 2] : (tensor<1x1x5120xf32>) -> tensor<32x512x5120xf32>
      %422 = stablehlo.multiply %411, %421 : tensor<32x512x5120xf32>
      %423 = stablehlo.broadcast_in_dim %419, dims = [2] : (tensor<5120xf32>) -> tensor<1x1x5120xf32>
      %424 = stablehlo.broadcast_in_dim %423, dims = [0, 1, 2] : (tensor<1x1x5120xf32>) -> tensor<32x512x5120xf32>
      %425 = stablehlo.add %422, %424 : tensor<32x512x5120xf32>
      %426 = stablehlo.convert %425 : (tensor<32x512x5120xf32>) -> tensor<32x512x5120xbf16>
      %c_158 = stablehlo.constant dense<0> : tensor<i32>
      %427 = stablehlo.dynamic_slice %iterArg_125, %296, %c_158, %c_158, sizes = [1, 5120, 20480] : (tensor<40x5120x20480xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x5120x20480xf32>
      %428 = stablehlo.reshape %427 : (tensor<1x5120x20480xf32>) -> tensor<5120x20480xf32>
      %429 = stablehlo.convert %428 : (tensor<5120x20480xf32>) -> tensor<5120x20480xbf16>
      %430 = stablehlo.dot_general %426, %429, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x512x5120xbf16>, tensor<5120x20480xbf16>) -> tensor<32x512x20480xbf16>
      %c_159 = stablehlo.constant dense<0> : tensor<i32>
      %431 = stablehlo.dynamic_slice %iterArg_126, %296, %c_159, sizes = [1, 20480] : (tensor<40x20480xf32>, tensor<i32>, tensor<i32>) -> tensor<1x20480xf32>
      %432 = stablehlo.reshape %431 : (tensor<1x20480xf32>) -> tensor<20480xf32>
      %433 = stablehlo.convert %432 : (tensor<20480xf32>) -> tensor<20480xbf16>
      %434 = stablehlo.broadcast_in_dim %433, dims = [2] : (tensor<20480xbf16>) -> tensor<1x1x20480xbf16>
      %435 = stablehlo.broadcast_in_dim %434, dims = [0, 1, 2] : (tensor<1x1x20480xbf16>) -> tensor<32x512x20480xbf16>
      %436 = stablehlo.add %430, %435 : tensor<32x512x20480xbf16>
      %437 = stablehlo.multiply %436, %436 : tensor<32x512x20480xbf16>
      %438 = stablehlo.multiply %437, %436 : tensor<32x512x20480xbf16>
      %cst_160 = stablehlo.constant dense<4.467770e-02> : tensor<bf16>
      %439 = stablehlo.broadcast_in_dim %cst_160, dims = [] : (tensor<bf16>) -> tensor<32x512x20480xbf16>
      %440 = stablehlo.multiply %438, %439 : tensor<32x512x20480xbf16>
      %441 = stablehlo.add %436, %440 : tensor<32x512x20480xbf16>
      %cst_161 = stablehlo.constant dense<7.968750e-01> : tensor<bf16>
      %442 = stablehlo.broadcast_in_dim %cst_161, dims = [] : (tensor<bf16>) -> tensor<32x512x20480xbf16>
      %443 = stablehlo.multiply %441, %442 : tensor<32x512x20480xbf16>
      %444 = stablehlo.tanh %443 : tensor<32x512x20480xbf16>
      %cst_162 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
      %445 = stablehlo.broadcast_in_dim %cst_162, dims = [] : (tensor<bf16>) -> tensor<32x512x20480xbf16>
      %446 = stablehlo.add %444, %445 : tensor<32x512x20480xbf16>
      %cst_163 = stablehlo.constant dense<5.000000e-01> : tensor<bf16>
      %447 = stablehlo.broadcast_in_dim %cst_163, dims = [] : (tensor<bf16>) -> tensor<32x512x20480xbf16>
      %448 = stablehlo.multiply %446, %447 : tensor<32x512x20480xbf16>
      %449 = stablehlo.multiply %436, %448 : tensor<32x512x20480xbf16>
      %c_164 = stablehlo.constant dense<0> : tensor<i32>
      %450 = stablehlo.dynamic_slice %iterArg_127, %296, %c_164, %c_164, sizes = [1, 20480, 5120] : (tensor<40x20480x5120xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x20480x5120xf32>
      %451 = stablehlo.reshape %450 : (tensor<1x20480x5120xf32>) -> tensor<20480x5120xf32>
      %452 = stablehlo.convert %451 : (tensor<20480x5120xf32>) -> tensor<20480x5120xbf16>
      %453 = stablehlo.dot_general %449, %452, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x512x20480xbf16>, tensor<20480x5120xbf16>) -> tensor<32x512x5120xbf16>
      %c_165 = stablehlo.constant dense<0> : tensor<i32>
      %454 = stablehlo.dynamic_slice %iterArg_128, %296, %c_165, sizes = [1, 5120] : (tensor<40x5120xf32>, tensor<i32>, tensor<i32>) -> tensor<1x5120xf32>
      %455 = stablehlo.reshape %454 : (tensor<1x5120xf32>) -> tensor<5120xf32>
      %456 = stablehlo.convert %455 : (tensor<5120xf32>) -> tensor<5120xbf16>
      %457 = stablehlo.broadcast_in_dim %456, dims = [2] : (tensor<5120xbf16>) -> tensor<1x1x5120xbf16>
      %458 = stablehlo.broadcast_in_dim %457, dims = [0, 1, 2] : (tensor<1x1x5120xbf16>) -> tensor<32x512x5120xbf16>
      %459 = stablehlo.add %453, %458 : tensor<32x512x5120xbf16>
      %460 = stablehlo.add %394, %459 : tensor<32x512x5120xbf16>
      %cst_166 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %461 = stablehlo.reduce(%iterArg_95 init: %cst_166) applies stablehlo.add across dimensions = [0, 1] : (tensor<32x512x5120xbf16>, tensor<bf16>) -> tensor<5120xbf16>
      %462 = stablehlo.reshape %461 : (tensor<5120xbf16>) -> tensor<1x1x5120xbf16>
      %cst_167 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %463 = stablehlo.reduce(%462 init: %cst_167) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x5120xbf16>, tensor<bf16>) -> tensor<5120xbf16>
      %464 = stablehlo.convert %463 : (tensor<5120xbf16>) -> tensor<5120xf32>
      %465 = stablehlo.dot_general %iterArg_95, %452, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<32x512x5120xbf16>, tensor<20480x5120xbf16>) -> tensor<32x512x20480xbf16>
      %466 = stablehlo.dot_general %iterArg_95, %449, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<32x512x5120xbf16>, tensor<32x512x20480xbf16>) -> tensor<5120x20480xbf16>
      %467 = stablehlo.transpose %466, dims = [1, 0] : (tensor<5120x20480xbf16>) -> tensor<20480x5120xbf16>
      %468 = stablehlo.convert %467 : (tensor<20480x5120xbf16>) -> tensor<20480x5120xf32>
      %469 = stablehlo.multiply %465, %448 : tensor<32x512x20480xbf16>
      %470 = stablehlo.multiply %436, %465 : tensor<32x512x20480xbf16>
      %471 = stablehlo.multiply %470, %447 : tensor<32x512x20480xbf16>
      %cst_168 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
      %472 = stablehlo.broadcast_in_dim %cst_168, dims = [] : (tensor<bf16>) -> tensor<32x512x20480xbf16>
      %473 = stablehlo.multiply %444, %444 : tensor<32x512x20480xbf16>
      %474 = stablehlo.subtract %472, %473 : tensor<32x512x20480xbf16>
      %475 = stablehlo.multiply %471, %474 : tensor<32x512x20480xbf16>
      %476 = stablehlo.multiply %475, %442 : tensor<32x512x20480xbf16>
      %477 = stablehlo.add %469, %476 : tensor<32x512x20480xbf16>
      %478 = stablehlo.multiply %476, %439 : tensor<32x512x20480xbf16>
      %479 = stablehlo.multiply %478, %436 : tensor<32x512x20480xbf16>
      %480 = stablehlo.multiply %437, %478 : tensor<32x512x20480xbf16>
      %481 = stablehlo.add %477, %480 : tensor<32x512x20480xbf16>
      %482 = stablehlo.multiply %479, %436 : tensor<32x512x20480xbf16>
      %483 = stablehlo.add %481, %482 : tensor<32x512x20480xbf16>
      %484 = stablehlo.multiply %436, %479 : tensor<32x512x20480xbf16>
      %485 = stablehlo.add %483, %484 : tensor<32x512x20480xbf16>
      %cst_169 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %486 = stablehlo.reduce(%485 init: %cst_169) applies stablehlo.add across dimensions = [0, 1] : (tensor<32x512x20480xbf16>, tensor<bf16>) -> tensor<20480xbf16>
      %487 = stablehlo.reshape %486 : (tensor<20480xbf16>) -> tensor<1x1x20480xbf16>
      %cst_170 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %488 = stablehlo.reduce(%487 init: %cst_170) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x20480xbf16>, tensor<bf16>) -> tensor<20480xbf16>
      %489 = stablehlo.convert %488 : (tensor<20480xbf16>) -> tensor<20480xf32>
      %490 = stablehlo.dot_general %485, %429, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<32x512x20480xbf16>, tensor<5120x20480xbf16>) -> tensor<32x512x5120xbf16>
      %491 = stablehlo.dot_general %485, %426, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<32x512x20480xbf16>, tensor<32x512x5120xbf16>) -> tensor<20480x5120xbf16>
      %492 = stablehlo.transpose %491, dims = [1, 0] : (tensor<20480x5120xbf16>) -> tensor<5120x20480xbf16>
      %493 = stablehlo.convert %492 : (tensor<5120x20480xbf16>) -> tensor<5120x20480xf32>
      %494 = stablehlo.convert %490 : (tensor<32x512x5120xbf16>) -> tensor<32x512x5120xf32>
      %cst_171 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %495 = stablehlo.reduce(%494 init: %cst_171) applies stablehlo.add across dimensions = [0, 1] : (tensor<32x512x5120xf32>, tensor<f32>) -> tensor<5120xf32>
      %496 = stablehlo.reshape %495 : (tensor<5120xf32>) -> tensor<1x1x5120xf32>
      %cst_172 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %497 = stablehlo.reduce(%496 init: %cst_172) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x5120xf32>, tensor<f32>) -> tensor<5120xf32>
      %498 = stablehlo.multiply %494, %421 : tensor<32x512x5120xf32>
      %499 = stablehlo.multiply %411, %494 : tensor<32x512x5120xf32>
      %cst_173 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %500 = stablehlo.reduce(%499 init: %cst_173) applies stablehlo.add across dimensions = [0, 1] : (tensor<32x512x5120xf32>, tensor<f32>) -> tensor<5120xf32>
      %501 = stablehlo.reshape %500 : (tensor<5120xf32>) -> tensor<1x1x5120xf32>
      %cst_174 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %502 = stablehlo.reduce(%501 init: %cst_174) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x5120xf32>, tensor<f32>) -> tensor<5120xf32>
      %503 = stablehlo.convert %497 : (tensor<5120xf32>) -> tensor<5120xbf16>
      %504 = stablehlo.convert %503 : (tensor<5120xbf16>) -> tensor<5120xf32>
      %505 = stablehlo.convert %502 : (tensor<5120xf32>) -> tensor<5120xbf16>
      %506 = stablehlo.convert %505 : (tensor<5120xbf16>) -> tensor<5120xf32>
      %507 = stablehlo.multiply %498, %410 : tensor<32x512x5120xf32>
      %508 = stablehlo.multiply %401, %498 : tensor<32x512x5120xf32>
      %cst_175 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %509 = stablehlo.reduce(%508 init: %cst_175) applies stablehlo.add across dimensions = [2] : (tensor<32x512x5120xf32>, tensor<f32>) -> tensor<32x512xf32>
      %510 = stablehlo.reshape %509 : (tensor<32x512xf32>) -> tensor<32x512x1xf32>
      %cst_176 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %511 = stablehlo.reduce(%510 init: %cst_176) applies stablehlo.add across dimensions = [2] : (tensor<32x512x1xf32>, tensor<f32>) -> tensor<32x512xf32>
      %cst_177 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
      %512 = stablehlo.broadcast_in_dim %cst_177, dims = [] : (tensor<f32>) -> tensor<32x512xf32>
      %513 = stablehlo.divide %408, %407 : tensor<32x512xf32>
      %514 = stablehlo.multiply %512, %513 : tensor<32x512xf32>
      %515 = stablehlo.multiply %511, %514 : tensor<32x512xf32>
      %516 = stablehlo.divide %515, %404 : tensor<32x512xf32>
      %517 = stablehlo.broadcast_in_dim %516, dims = [0, 1] : (tensor<32x512xf32>) -> tensor<32x512x5120xf32>
      %518 = stablehlo.multiply %517, %401 : tensor<32x512x5120xf32>
      %519 = stablehlo.add %507, %518 : tensor<32x512x5120xf32>
      %520 = stablehlo.multiply %401, %517 : tensor<32x512x5120xf32>
      %521 = stablehlo.add %519, %520 : tensor<32x512x5120xf32>
      %522 = stablehlo.negate %521 : tensor<32x512x5120xf32>
      %cst_178 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %523 = stablehlo.reduce(%522 init: %cst_178) applies stablehlo.add across dimensions = [2] : (tensor<32x512x5120xf32>, tensor<f32>) -> tensor<32x512xf32>
      %524 = stablehlo.reshape %523 : (tensor<32x512xf32>) -> tensor<32x512x1xf32>
      %cst_179 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %525 = stablehlo.reduce(%524 init: %cst_179) applies stablehlo.add across dimensions = [2] : (tensor<32x512x1xf32>, tensor<f32>) -> tensor<32x512xf32>
      %526 = stablehlo.divide %525, %397 : tensor<32x512xf32>
      %527 = stablehlo.broadcast_in_dim %526, dims = [0, 1] : (tensor<32x512xf32>) -> tensor<32x512x5120xf32>
      %528 = stablehlo.add %521, %527 : tensor<32x512x5120xf32>
      %529 = stablehlo.convert %528 : (tensor<32x512x5120xf32>) -> tensor<32x512x5120xbf16>
      %530 = stablehlo.add %iterArg_95, %529 : tensor<32x512x5120xbf16>
      %cst_180 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %531 = stablehlo.reduce(%530 init: %cst_180) applies stablehlo.add across dimensions = [0, 1] : (tensor<32x512x5120xbf16>, tensor<bf16>) -> tensor<5120xbf16>
      %532 = stablehlo.reshape %531 : (tensor<5120xbf16>) -> tensor<1x1x5120xbf16>
      %cst_181 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %533 = stablehlo.reduce(%532 init: %cst_181) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x5120xbf16>, tensor<bf16>) -> tensor<5120xbf16>
      %534 = stablehlo.convert %533 : (tensor<5120xbf16>) -> tensor<5120xf32>
      %535 = stablehlo.dot_general %530, %386, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<32x512x5120xbf16>, tensor<40x128x5120xbf16>) -> tensor<32x512x40x128xbf16>
      %536 = stablehlo.dot_general %530, %383, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<32x512x5120xbf16>, tensor<32x512x40x128xbf16>) -> tensor<5120x40x128xbf16>
      %537 = stablehlo.transpose %536, dims = [1, 2, 0] : (tensor<5120x40x128xbf16>) -> tensor<40x128x5120xbf16>
      %538 = stablehlo.convert %537 : (tensor<40x128x5120xbf16>) -> tensor<40x128x5120xf32>
      %539 = stablehlo.transpose %535, dims = [0, 2, 1, 3] : (tensor<32x512x40x128xbf16>) -> tensor<32x40x512x128xbf16>
      %540 = stablehlo.dot_general %539, %360, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<32x40x512x128xbf16>, tensor<32x512x40x128xbf16>) -> tensor<32x40x512x512xbf16>
      %541 = stablehlo.dot_general %539, %381, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<32x40x512x128xbf16>, tensor<32x40x512x512xbf16>) -> tensor<32x40x128x512xbf16>
      %542 = stablehlo.transpose %541, dims = [0, 3, 1, 2] : (tensor<32x40x128x512xbf16>) -> tensor<32x512x40x128xbf16>
      %543 = stablehlo.convert %540 : (tensor<32x40x512x512xbf16>) -> tensor<32x40x512x512xf32>
      %544 = stablehlo.divide %543, %379 : tensor<32x40x512x512xf32>
      %545 = stablehlo.multiply %544, %380 : tensor<32x40x512x512xf32>
      %546 = stablehlo.negate %545 : tensor<32x40x512x512xf32>
      %cst_182 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %547 = stablehlo.reduce(%546 init: %cst_182) applies stablehlo.add across dimensions = [3] : (tensor<32x40x512x512xf32>, tensor<f32>) -> tensor<32x40x512xf32>
      %548 = stablehlo.reshape %547 : (tensor<32x40x512xf32>) -> tensor<32x40x512x1xf32>
      %cst_183 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %549 = stablehlo.reduce(%548 init: %cst_183) applies stablehlo.add across dimensions = [3] : (tensor<32x40x512x1xf32>, tensor<f32>) -> tensor<32x40x512xf32>
      %550 = stablehlo.broadcast_in_dim %549, dims = [0, 1, 2] : (tensor<32x40x512xf32>) -> tensor<32x40x512x512xf32>
      %551 = stablehlo.add %544, %550 : tensor<32x40x512x512xf32>
      %552 = stablehlo.multiply %551, %376 : tensor<32x40x512x512xf32>
      %cst_184 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %553 = stablehlo.broadcast_in_dim %cst_184, dims = [] : (tensor<f32>) -> tensor<32x40x512x512xf32>
      %554 = stablehlo.select %370, %552, %553 : tensor<32x40x512x512xi1>, tensor<32x40x512x512xf32>
      %555 = stablehlo.convert %554 : (tensor<32x40x512x512xf32>) -> tensor<32x40x512x512xbf16>
      %556 = stablehlo.dot_general %555, %350, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<32x40x512x512xbf16>, tensor<32x512x40x128xbf16>) -> tensor<32x40x512x128xbf16>
      %557 = stablehlo.transpose %556, dims = [0, 2, 1, 3] : (tensor<32x40x512x128xbf16>) -> tensor<32x512x40x128xbf16>
      %558 = stablehlo.dot_general %555, %362, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<32x40x512x512xbf16>, tensor<32x512x40x128xbf16>) -> tensor<32x40x512x128xbf16>
      %559 = stablehlo.transpose %558, dims = [0, 2, 1, 3] : (tensor<32x40x512x128xbf16>) -> tensor<32x512x40x128xbf16>
      %560 = stablehlo.multiply %557, %361 : tensor<32x512x40x128xbf16>
      %cst_185 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %561 = stablehlo.reduce(%542 init: %cst_185) applies stablehlo.add across dimensions = [0, 1] : (tensor<32x512x40x128xbf16>, tensor<bf16>) -> tensor<40x128xbf16>
      %562 = stablehlo.reshape %561 : (tensor<40x128xbf16>) -> tensor<1x1x40x128xbf16>
      %cst_186 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %563 = stablehlo.reduce(%562 init: %cst_186) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x40x128xbf16>, tensor<bf16>) -> tensor<40x128xbf16>
      %564 = stablehlo.convert %563 : (tensor<40x128xbf16>) -> tensor<40x128xf32>
      %565 = stablehlo.dot_general %542, %353, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<32x512x40x128xbf16>, tensor<5120x40x128xbf16>) -> tensor<32x512x5120xbf16>
      %566 = stablehlo.dot_general %542, %330, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<32x512x40x128xbf16>, tensor<32x512x5120xbf16>) -> tensor<40x128x5120xbf16>
      %567 = stablehlo.transpose %566, dims = [2, 0, 1] : (tensor<40x128x5120xbf16>) -> tensor<5120x40x128xbf16>
      %568 = stablehlo.convert %567 : (tensor<5120x40x128xbf16>) -> tensor<5120x40x128xf32>
      %cst_187 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %569 = stablehlo.reduce(%559 init: %cst_187) applies stablehlo.add across dimensions = [0, 1] : (tensor<32x512x40x128xbf16>, tensor<bf16>) -> tensor<40x128xbf16>
      %570 = stablehlo.reshape %569 : (tensor<40x128xbf16>) -> tensor<1x1x40x128xbf16>
      %cst_188 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %571 = stablehlo.reduce(%570 init: %cst_188) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x40x128xbf16>, tensor<bf16>) -> tensor<40x128xbf16>
      %572 = stablehlo.convert %571 : (tensor<40x128xbf16>) -> tensor<40x128xf32>
      %573 = stablehlo.dot_general %559, %343, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<32x512x40x128xbf16>, tensor<5120x40x128xbf16>) -> tensor<32x512x5120xbf16>
      %574 = stablehlo.add %565, %573 : tensor<32x512x5120xbf16>
      %575 = stablehlo.dot_general %559, %330, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<32x512x40x128xbf16>, tensor<32x512x5120xbf16>) -> tensor<40x128x5120xbf16>
      %576 = stablehlo.transpose %575, dims = [2, 0, 1] : (tensor<40x128x5120xbf16>) -> tensor<5120x40x128xbf16>
      %577 = stablehlo.convert %576 : (tensor<5120x40x128xbf16>) -> tensor<5120x40x128xf32>
      %cst_189 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %578 = stablehlo.reduce(%560 init: %cst_189) applies stablehlo.add across dimensions = [0, 1] : (tensor<32x512x40x128xbf16>, tensor<bf16>) -> tensor<40x128xbf16>
      %579 = stablehlo.reshape %578 : (tensor<40x128xbf16>) -> tensor<1x1x40x128xbf16>
      %cst_190 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %580 = stablehlo.reduce(%579 init: %cst_190) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x40x128xbf16>, tensor<bf16>) -> tensor<40x128xbf16>
      %581 = stablehlo.convert %580 : (tensor<40x128xbf16>) -> tensor<40x128xf32>
      %582 = stablehlo.dot_general %560, %333, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<32x512x40x128xbf16>, tensor<5120x40x128xbf16>) -> tensor<32x512x5120xbf16>
      %583 = stablehlo.add %574, %582 : tensor<32x512x5120xbf16>
      %584 = stablehlo.dot_general %560, %330, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<32x512x40x128xbf16>, tensor<32x512x5120xbf16>) -> tensor<40x128x5120xbf16>
      %585 = stablehlo.transpose %584, dims = [2, 0, 1] : (tensor<40x128x5120xbf16>) -> tensor<5120x40x128xbf16>
      %586 = stablehlo.convert %585 : (tensor<5120x40x128xbf16>) -> tensor<5120x40x128xf32>
      %587 = stablehlo.convert %583 : (tensor<32x512x5120xbf16>) -> tensor<32x512x5120xf32>
      %cst_191 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %588 = stablehlo.reduce(%587 init: %cst_191) applies stablehlo.add across dimensions = [0, 1] : (tensor<32x512x5120xf32>, tensor<f32>) -> tensor<5120xf32>
      %589 = stablehlo.reshape %588 : (tensor<5120xf32>) -> tensor<1x1x5120xf32>
      %cst_192 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %590 = stablehlo.reduce(%589 init: %cst_192) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x5120xf32>, tensor<f32>) -> tensor<5120xf32>
      %591 = stablehlo.multiply %587, %325 : tensor<32x512x5120xf32>
      %592 = stablehlo.multiply %315, %587 : tensor<32x512x5120xf32>
      %cst_193 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %593 = stablehlo.reduce(%592 init: %cst_193) applies stablehlo.add across dimensions = [0, 1] : (tensor<32x512x5120xf32>, tensor<f32>) -> tensor<5120xf32>
      %594 = stablehlo.reshape %593 : (tensor<5120xf32>) -> tensor<1x1x5120xf32>
      %cst_194 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %595 = stablehlo.reduce(%594 init: %cst_194) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x5120xf32>, tensor<f32>) -> tensor<5120xf32>
      %596 = stablehlo.convert %590 : (tensor<5120xf32>) -> tensor<5120xbf16>
      %597 = stablehlo.convert %596 : (tensor<5120xbf16>) -> tensor<5120xf32>
      %598 = stablehlo.convert %595 : (tensor<5120xf32>) -> tensor<5120xbf16>
      %599 = stablehlo.convert %598 : (tensor<5120xbf16>) -> tensor<5120xf32>
      %600 = stablehlo.multiply %591, %314 : tensor<32x512x5120xf32>
      %601 = stablehlo.multiply %305, %591 : tensor<32x512x5120xf32>
      %cst_195 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %602 = stablehlo.reduce(%601 init: %cst_195) applies stablehlo.add across dimensions = [2] : (tensor<32x512x5120xf32>, tensor<f32>) -> tensor<32x512xf32>
      %603 = stablehlo.reshape %602 : (tensor<32x512xf32>) -> tensor<32x512x1xf32>
      %cst_196 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %604 = stablehlo.reduce(%603 init: %cst_196) applies stablehlo.add across dimensions = [2] : (tensor<32x512x1xf32>, tensor<f32>) -> tensor<32x512xf32>
      %cst_197 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
      %605 = stablehlo.broadcast_in_dim %cst_197, dims = [] : (tensor<f32>) -> tensor<32x512xf32>
      %606 = stablehlo.divide %312, %311 : tensor<32x512xf32>
      %607 = stablehlo.multiply %605, %606 : tensor<32x512xf32>
      %608 = stablehlo.multiply %604, %607 : tensor<32x512xf32>
      %609 = stablehlo.divide %608, %308 : tensor<32x512xf32>
      %610 = stablehlo.broadcast_in_dim %609, dims = [0, 1] : (tensor<32x512xf32>) -> tensor<32x512x5120xf32>
      %611 = stablehlo.multiply %610, %305 : tensor<32x512x5120xf32>
      %612 = stablehlo.add %600, %611 : tensor<32x512x5120xf32>
      %613 = stablehlo.multiply %305, %610 : tensor<32x512x5120xf32>
      %614 = stablehlo.add %612, %613 : tensor<32x512x5120xf32>
      %615 = stablehlo.negate %614 : tensor<32x512x5120xf32>
      %cst_198 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %616 = stablehlo.reduce(%615 init: %cst_198) applies stablehlo.add across dimensions = [2] : (tensor<32x512x5120xf32>, tensor<f32>) -> tensor<32x512xf32>
      %617 = stablehlo.reshape %616 : (tensor<32x512xf32>) -> tensor<32x512x1xf32>
      %cst_199 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %618 = stablehlo.reduce(%617 init: %cst_199) applies stablehlo.add across dimensions = [2] : (tensor<32x512x1xf32>, tensor<f32>) -> tensor<32x512xf32>
      %619 = stablehlo.divide %618, %301 : tensor<32x512xf32>
      %620 = stablehlo.broadcast_in_dim %619, dims = [0, 1] : (tensor<32x512xf32>) -> tensor<32x512x5120xf32>
      %621 = stablehlo.add %614, %620 : tensor<32x512x5120xf32>
      %622 = stablehlo.convert %621 : (tensor<32x512x5120xf32>) -> tensor<32x512x5120xbf16>
      %623 = stablehlo.add %530, %622 : tensor<32x512x5120xbf16>
      %624 = stablehlo.reshape %599 : (tensor<5120xf32>) -> tensor<1x5120xf32>
      %c_200 = stablehlo.constant dense<0> : tensor<i32>
      %625 = stablehlo.dynamic_update_slice %iterArg_96, %624, %296, %c_200 : (tensor<40x5120xf32>, tensor<1x5120xf32>, tensor<i32>, tensor<i32>) -> tensor<40x5120xf32>
      %626 = stablehlo.reshape %597 : (tensor<5120xf32>) -> tensor<1x5120xf32>
      %c_201 = stablehlo.constant dense<0> : tensor<i32>
      %627 = stablehlo.dynamic_update_slice %iterArg_97, %626, %296, %c_201 : (tensor<40x5120xf32>, tensor<1x5120xf32>, tensor<i32>, tensor<i32>) -> tensor<40x5120xf32>
      %628 = stablehlo.reshape %586 : (tensor<5120x40x128xf32>) -> tensor<1x5120x40x128xf32>
      %c_202 = stablehlo.constant dense<0> : tensor<i32>
      %629 = stablehlo.dynamic_update_slice %iterArg_98, %628, %296, %c_202, %c_202, %c_202 : (tensor<40x5120x40x128xf32>, tensor<1x5120x40x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<40x5120x40x128xf32>
      %630 = stablehlo.reshape %581 : (tensor<40x128xf32>) -> tensor<1x40x128xf32>
      %c_203 = stablehlo.constant dense<0> : tensor<i32>
      %631 = stablehlo.dynamic_update_slice %iterArg_99, %630, %296, %c_203, %c_203 : (tensor<40x40x128xf32>, tensor<1x40x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<40x40x128xf32>
      %632 = stablehlo.reshape %577 : (tensor<5120x40x128xf32>) -> tensor<1x5120x40x128xf32>
      %c_204 = stablehlo.constant dense<0> : tensor<i32>
      %633 = stablehlo.dynamic_update_slice %iterArg_100, %632, %296, %c_204, %c_204, %c_204 : (tensor<40x5120x40x128xf32>, tensor<1x5120x40x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<40x5120x40x128xf32>
      %634 = stablehlo.reshape %572 : (tensor<40x128xf32>) -> tensor<1x40x128xf32>
      %c_205 = stablehlo.constant dense<0> : tensor<i32>
      %635 = stablehlo.dynamic_update_slice %iterArg_101, %634, %296, %c_205, %c_205 : (tensor<40x40x128xf32>, tensor<1x40x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<40x40x128xf32>
      %636 = stablehlo.reshape %568 : (tensor<5120x40x128xf32>) -> tensor<1x5120x40x128xf32>
      %c_206 = stablehlo.constant dense<0> : tensor<i32>
      %637 = stablehlo.dynamic_update_slice %iterArg_102, %636, %296, %c_206, %c_206, %c_206 : (tensor<40x5120x40x128xf32>, tensor<1x5120x40x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<40x5120x40x128xf32>
      %638 = stablehlo.reshape %564 : (tensor<40x128xf32>) -> tensor<1x40x128xf32>
      %c_207 = stablehlo.constant dense<0> : tensor<i32>
      %639 = stablehlo.dynamic_update_slice %iterArg_103, %638, %296, %c_207, %c_207 : (tensor<40x40x128xf32>, tensor<1x40x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<40x40x128xf32>
      %640 = stablehlo.reshape %538 : (tensor<40x128x5120xf32>) -> tensor<1x40x128x5120xf32>
      %c_208 = stablehlo.constant dense<0> : tensor<i32>
      %641 = stablehlo.dynamic_update_slice %iterArg_104, %640, %296, %c_208, %c_208, %c_208 : (tensor<40x40x128x5120xf32>, tensor<1x40x128x5120xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<40x40x128x5120xf32>
      %642 = stablehlo.reshape %534 : (tensor<5120xf32>) -> tensor<1x5120xf32>
      %c_209 = stablehlo.constant dense<0> : tensor<i32>
      %643 = stablehlo.dynamic_update_slice %iterArg_105, %642, %296, %c_209 : (tensor<40x5120xf32>, tensor<1x5120xf32>, tensor<i32>, tensor<i32>) -> tensor<40x5120xf32>
      %644 = stablehlo.reshape %506 : (tensor<5120xf32>) -> tensor<1x5120xf32>
      %c_210 = stablehlo.constant dense<0> : tensor<i32>
      %645 = stablehlo.dynamic_update_slice %iterArg_106, %644, %296, %c_210 : (tensor<40x5120xf32>, tensor<1x5120xf32>, tensor<i32>, tensor<i32>) -> tensor<40x5120xf32>
      %646 = stablehlo.reshape %504 : (tensor<5120xf32>) -> tensor<1x5120xf32>
      %c_211 = stablehlo.constant dense<0> : tensor<i32>
      %647 = stablehlo.dynamic_update_slice %iterArg_107, %646, %296, %c_211 : (tensor<40x5120xf32>, tensor<1x5120xf32>, tensor<i32>, tensor<i32>) -> tensor<40x5120xf32>
      %648 = stablehlo.reshape %493 : (tensor<5120x20480xf32>) -> tensor<1x5120x20480xf32>
      %c_212 = stablehlo.constant dense<0> : tensor<i32>
      %649 = stablehlo.dynamic_update_slice %iterArg_108, %648, %296, %c_212, %c_212 : (tensor<40x5120x20480xf32>, tensor<1x5120x20480xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<40x5120x20480xf32>
      %650 = stablehlo.reshape %489 : (tensor<20480xf32>) -> tensor<1x20480xf32>
      %c_213 = stablehlo.constant dense<0> : tensor<i32>
      %651 = stablehlo.dynamic_update_slice %iterArg_109, %650, %296, %c_213 : (tensor<40x20480xf32>, tensor<1x20480xf32>, tensor<i32>, tensor<i32>) -> tensor<40x20480xf32>
      %652 = stablehlo.reshape %468 : (tensor<20480x5120xf32>) -> tensor<1x20480x5120xf32>
      %c_214 = stablehlo.constant dense<0> : tensor<i32>
      %653 = stablehlo.dynamic_update_slice %iterArg_110, %652, %296, %c_214, %c_214 : (tensor<40x20480x5120xf32>, tensor<1x20480x5120xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<40x20480x5120xf32>
      %654 = stablehlo.reshape %464 : (tensor<5120xf32>) -> tensor<1x5120xf32>
      %c_215 = stablehlo.constant dense<0> : tensor<i32>
      %655 = stablehlo.dynamic_update_slice %iterArg_111, %654, %296, %c_215 : (tensor<40x5120xf32>, tensor<1x5120xf32>, tensor<i32>, tensor<i32>) -> tensor<40x5120xf32>
      %c_216 = stablehlo.constant dense<1> : tensor<i32>
      %656 = stablehlo.add %iterArg_94, %c_216 : tensor<i32>
      stablehlo.return %656, %623, %625, %627, %629, %631, %633, %635, %637, %639, %641, %643, %645, %647, %649, %651, %653, %655, %iterArg_112, %iterArg_113, %iterArg_114, %iterArg_115, %iterArg_116, %iterArg_117, %iterArg_118, %iterArg_119, %iterArg_120, %iterArg_121, %iterArg_122, %iterArg_123, %iterArg_124, %iterArg_125, %iterArg_126, %iterArg_127, %iterArg_128 : tensor<i32>, tensor<32x512x5120xbf16>, tensor<40x5120xf32>, tensor<40x5120xf32>, tensor<40x5120x40x128xf32>, tensor<40x40x128xf32>, tensor<40x5120x40x128xf32>, tensor<40x40x128xf32>, tensor<40x5120x40x128xf32>, tensor<40x40x128xf32>, tensor<40x40x128x5120xf32>, tensor<40x5120xf32>, tensor<40x5120xf32>, tensor<40x5120xf32>, tensor<40x5120x20480xf32>, tensor<40x20480xf32>, tensor<40x20480x5120xf32>, tensor<40x5120xf32>, tensor<40x32x512x5120xbf16>, tensor<40x5120xf32>, tensor<40x5120xf32>, tensor<40x5120x40x128xf32>, tensor<40x40x128xf32>, tensor<40x5120x40x128xf32>, tensor<40x40x128xf32>, tensor<40x5120x40x128xf32>, tensor<40x40x128xf32>, tensor<40x40x128x5120xf32>, tensor<40x5120xf32>, tensor<40x5120xf32>, tensor<40x5120xf32>, tensor<40x5120x20480xf32>, tensor<40x20480xf32>, tensor<40x20480x5120xf32>, tensor<40x5120xf32>
    }
    %cst_217 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %657 = stablehlo.reduce(%294#1 init: %cst_217) applies stablehlo.add across dimensions = [0] : (tensor<32x512x5120xbf16>, tensor<bf16>) -> tensor<512x5120xbf16>
    %658 = stablehlo.reshape %657 : (tensor<512x5120xbf16>) -> tensor<1x512x5120xbf16>
    %cst_218 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %659 = stablehlo.reduce(%658 init: %cst_218) applies stablehlo.add across dimensions = [0] : (tensor<1x512x5120xbf16>, tensor<bf16>) -> tensor<512x5120xbf16>
    %cst_219 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %660 = stablehlo.broadcast_in_dim %cst_219, dims = [] : (tensor<bf16>) -> tensor<32000x5120xbf16>
    %661 = "stablehlo.scatter"(%660, %7, %294#1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg66: tensor<bf16>, %arg67: tensor<bf16>):
      %662 = stablehlo.add %arg66, %arg67 : tensor<bf16>
      stablehlo.return %662 : tensor<bf16>
    }) : (tensor<32000x5120xbf16>, tensor<32x512x1xi32>, tensor<32x512x5120xbf16>) -> tensor<32000x5120xbf16>
    %663 = stablehlo.convert %659 : (tensor<512x5120xbf16>) -> tensor<512x5120xf32>
    %664 = stablehlo.convert %661 : (tensor<32000x5120xbf16>) -> tensor<32000x5120xf32>
    %c_220 = stablehlo.constant dense<1> : tensor<i32>
    %665 = stablehlo.add %arg63, %c_220 : tensor<i32>
    %666 = stablehlo.convert %665 : (tensor<i32>) -> tensor<f32>
    %cst_221 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %667 = stablehlo.power %cst_221, %666 : tensor<f32>
    %cst_222 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %668 = stablehlo.subtract %cst_222, %667 : tensor<f32>
    %cst_223 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %669 = stablehlo.power %cst_223, %666 : tensor<f32>
    %cst_224 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %670 = stablehlo.subtract %cst_224, %669 : tensor<f32>
    %cst_225 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %671 = stablehlo.broadcast_in_dim %cst_225, dims = [] : (tensor<f32>) -> tensor<32000x5120xf32>
    %672 = stablehlo.multiply %arg21, %671 : tensor<32000x5120xf32>
    %cst_226 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %673 = stablehlo.broadcast_in_dim %cst_226, dims = [] : (tensor<f32>) -> tensor<32000x5120xf32>
    %674 = stablehlo.multiply %664, %673 : tensor<32000x5120xf32>
    %675 = stablehlo.add %672, %674 : tensor<32000x5120xf32>
    %676 = stablehlo.multiply %664, %664 : tensor<32000x5120xf32>
    %cst_227 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %677 = stablehlo.broadcast_in_dim %cst_227, dims = [] : (tensor<f32>) -> tensor<32000x5120xf32>
    %678 = stablehlo.multiply %arg42, %677 : tensor<32000x5120xf32>
    %cst_228 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %679 = stablehlo.broadcast_in_dim %cst_228, dims = [] : (tensor<f32>) -> tensor<32000x5120xf32>
    %680 = stablehlo.multiply %676, %679 : tensor<32000x5120xf32>
    %681 = stablehlo.add %678, %680 : tensor<32000x5120xf32>
    %682 = stablehlo.broadcast_in_dim %668, dims = [] : (tensor<f32>) -> tensor<32000x5120xf32>
    %683 = stablehlo.divide %675, %682 : tensor<32000x5120xf32>
    %684 = stablehlo.broadcast_in_dim %670, dims = [] : (tensor<f32>) -> tensor<32000x5120xf32>
    %685 = stablehlo.divide %681, %684 : tensor<32000x5120xf32>
    %686 = stablehlo.sqrt %685 : tensor<32000x5120xf32>
    %cst_229 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %687 = stablehlo.broadcast_in_dim %cst_229, dims = [] : (tensor<f32>) -> tensor<32000x5120xf32>
    %688 = stablehlo.add %686, %687 : tensor<32000x5120xf32>
    %689 = stablehlo.divide %683, %688 : tensor<32000x5120xf32>
    %cst_230 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %690 = stablehlo.broadcast_in_dim %cst_230, dims = [] : (tensor<f32>) -> tensor<32000x5120xf32>
    %691 = stablehlo.multiply %689, %690 : tensor<32000x5120xf32>
    %692 = stablehlo.subtract %arg0, %691 : tensor<32000x5120xf32>
    %cst_231 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %693 = stablehlo.broadcast_in_dim %cst_231, dims = [] : (tensor<f32>) -> tensor<512x5120xf32>
    %694 = stablehlo.multiply %arg22, %693 : tensor<512x5120xf32>
    %cst_232 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %695 = stablehlo.broadcast_in_dim %cst_232, dims = [] : (tensor<f32>) -> tensor<512x5120xf32>
    %696 = stablehlo.multiply %663, %695 : tensor<512x5120xf32>
    %697 = stablehlo.add %694, %696 : tensor<512x5120xf32>
    %698 = stablehlo.multiply %663, %663 : tensor<512x5120xf32>
    %cst_233 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %699 = stablehlo.broadcast_in_dim %cst_233, dims = [] : (tensor<f32>) -> tensor<512x5120xf32>
    %700 = stablehlo.multiply %arg43, %699 : tensor<512x5120xf32>
    %cst_234 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %701 = stablehlo.broadcast_in_dim %cst_234, dims = [] : (tensor<f32>) -> tensor<512x5120xf32>
    %702 = stablehlo.multiply %698, %701 : tensor<512x5120xf32>
    %703 = stablehlo.add %700, %702 : tensor<512x5120xf32>
    %704 = stablehlo.broadcast_in_dim %668, dims = [] : (tensor<f32>) -> tensor<512x5120xf32>
    %705 = stablehlo.divide %697, %704 : tensor<512x5120xf32>
    %706 = stablehlo.broadcast_in_dim %670, dims = [] : (tensor<f32>) -> tensor<512x5120xf32>
    %707 = stablehlo.divide %703, %706 : tensor<512x5120xf32>
    %708 = stablehlo.sqrt %707 : tensor<512x5120xf32>
    %cst_235 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %709 = stablehlo.broadcast_in_dim %cst_235, dims = [] : (tensor<f32>) -> tensor<512x5120xf32>
    %710 = stablehlo.add %708, %709 : tensor<512x5120xf32>
    %711 = stablehlo.divide %705, %710 : tensor<512x5120xf32>
    %cst_236 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %712 = stablehlo.broadcast_in_dim %cst_236, dims = [] : (tensor<f32>) -> tensor<512x5120xf32>
    %713 = stablehlo.multiply %711, %712 : tensor<512x5120xf32>
    %714 = stablehlo.subtract %arg1, %713 : tensor<512x5120xf32>
    %cst_237 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %715 = stablehlo.broadcast_in_dim %cst_237, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %716 = stablehlo.multiply %arg23, %715 : tensor<40x5120xf32>
    %cst_238 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %717 = stablehlo.broadcast_in_dim %cst_238, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %718 = stablehlo.multiply %294#2, %717 : tensor<40x5120xf32>
    %719 = stablehlo.add %716, %718 : tensor<40x5120xf32>
    %720 = stablehlo.multiply %294#2, %294#2 : tensor<40x5120xf32>
    %cst_239 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %721 = stablehlo.broadcast_in_dim %cst_239, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %722 = stablehlo.multiply %arg44, %721 : tensor<40x5120xf32>
    %cst_240 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %723 = stablehlo.broadcast_in_dim %cst_240, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %724 = stablehlo.multiply %720, %723 : tensor<40x5120xf32>
    %725 = stablehlo.add %722, %724 : tensor<40x5120xf32>
    %726 = stablehlo.broadcast_in_dim %668, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %727 = stablehlo.divide %719, %726 : tensor<40x5120xf32>
    %728 = stablehlo.broadcast_in_dim %670, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %729 = stablehlo.divide %725, %728 : tensor<40x5120xf32>
    %730 = stablehlo.sqrt %729 : tensor<40x5120xf32>
    %cst_241 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %731 = stablehlo.broadcast_in_dim %cst_241, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %732 = stablehlo.add %730, %731 : tensor<40x5120xf32>
    %733 = stablehlo.divide %727, %732 : tensor<40x5120xf32>
    %cst_242 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %734 = stablehlo.broadcast_in_dim %cst_242, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %735 = stablehlo.multiply %733, %734 : tensor<40x5120xf32>
    %736 = stablehlo.subtract %arg2, %735 : tensor<40x5120xf32>
    %cst_243 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %737 = stablehlo.broadcast_in_dim %cst_243, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %738 = stablehlo.multiply %arg24, %737 : tensor<40x5120xf32>
    %cst_244 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %739 = stablehlo.broadcast_in_dim %cst_244, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %740 = stablehlo.multiply %294#3, %739 : tensor<40x5120xf32>
    %741 = stablehlo.add %738, %740 : tensor<40x5120xf32>
    %742 = stablehlo.multiply %294#3, %294#3 : tensor<40x5120xf32>
    %cst_245 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %743 = stablehlo.broadcast_in_dim %cst_245, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %744 = stablehlo.multiply %arg45, %743 : tensor<40x5120xf32>
    %cst_246 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %745 = stablehlo.broadcast_in_dim %cst_246, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %746 = stablehlo.multiply %742, %745 : tensor<40x5120xf32>
    %747 = stablehlo.add %744, %746 : tensor<40x5120xf32>
    %748 = stablehlo.broadcast_in_dim %668, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %749 = stablehlo.divide %741, %748 : tensor<40x5120xf32>
    %750 = stablehlo.broadcast_in_dim %670, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %751 = stablehlo.divide %747, %750 : tensor<40x5120xf32>
    %752 = stablehlo.sqrt %751 : tensor<40x5120xf32>
    %cst_247 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %753 = stablehlo.broadcast_in_dim %cst_247, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %754 = stablehlo.add %752, %753 : tensor<40x5120xf32>
    %755 = stablehlo.divide %749, %754 : tensor<40x5120xf32>
    %cst_248 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %756 = stablehlo.broadcast_in_dim %cst_248, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %757 = stablehlo.multiply %755, %756 : tensor<40x5120xf32>
    %758 = stablehlo.subtract %arg3, %757 : tensor<40x5120xf32>
    %cst_249 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %759 = stablehlo.broadcast_in_dim %cst_249, dims = [] : (tensor<f32>) -> tensor<40x5120x40x128xf32>
    %760 = stablehlo.multiply %arg25, %759 : tensor<40x5120x40x128xf32>
    %cst_250 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %761 = stablehlo.broadcast_in_dim %cst_250, dims = [] : (tensor<f32>) -> tensor<40x5120x40x128xf32>
    %762 = stablehlo.multiply %294#4, %761 : tensor<40x5120x40x128xf32>
    %763 = stablehlo.add %760, %762 : tensor<40x5120x40x128xf32>
    %764 = stablehlo.multiply %294#4, %294#4 : tensor<40x5120x40x128xf32>
    %cst_251 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %765 = stablehlo.broadcast_in_dim %cst_251, dims = [] : (tensor<f32>) -> tensor<40x5120x40x128xf32>
    %766 = stablehlo.multiply %arg46, %765 : tensor<40x5120x40x128xf32>
    %cst_252 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %767 = stablehlo.broadcast_in_dim %cst_252, dims = [] : (tensor<f32>) -> tensor<40x5120x40x128xf32>
    %768 = stablehlo.multiply %764, %767 : tensor<40x5120x40x128xf32>
    %769 = stablehlo.add %766, %768 : tensor<40x5120x40x128xf32>
    %770 = stablehlo.broadcast_in_dim %668, dims = [] : (tensor<f32>) -> tensor<40x5120x40x128xf32>
    %771 = stablehlo.divide %763, %770 : tensor<40x5120x40x128xf32>
    %772 = stablehlo.broadcast_in_dim %670, dims = [] : (tensor<f32>) -> tensor<40x5120x40x128xf32>
    %773 = stablehlo.divide %769, %772 : tensor<40x5120x40x128xf32>
    %774 = stablehlo.sqrt %773 : tensor<40x5120x40x128xf32>
    %cst_253 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %775 = stablehlo.broadcast_in_dim %cst_253, dims = [] : (tensor<f32>) -> tensor<40x5120x40x128xf32>
    %776 = stablehlo.add %774, %775 : tensor<40x5120x40x128xf32>
    %777 = stablehlo.divide %771, %776 : tensor<40x5120x40x128xf32>
    %cst_254 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %778 = stablehlo.broadcast_in_dim %cst_254, dims = [] : (tensor<f32>) -> tensor<40x5120x40x128xf32>
    %779 = stablehlo.multiply %777, %778 : tensor<40x5120x40x128xf32>
    %780 = stablehlo.subtract %arg4, %779 : tensor<40x5120x40x128xf32>
    %cst_255 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %781 = stablehlo.broadcast_in_dim %cst_255, dims = [] : (tensor<f32>) -> tensor<40x40x128xf32>
    %782 = stablehlo.multiply %arg26, %781 : tensor<40x40x128xf32>
    %cst_256 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %783 = stablehlo.broadcast_in_dim %cst_256, dims = [] : (tensor<f32>) -> tensor<40x40x128xf32>
    %784 = stablehlo.multiply %294#5, %783 : tensor<40x40x128xf32>
    %785 = stablehlo.add %782, %784 : tensor<40x40x128xf32>
    %786 = stablehlo.multiply %294#5, %294#5 : tensor<40x40x128xf32>
    %cst_257 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %787 = stablehlo.broadcast_in_dim %cst_257, dims = [] : (tensor<f32>) -> tensor<40x40x128xf32>
    %788 = stablehlo.multiply %arg47, %787 : tensor<40x40x128xf32>
    %cst_258 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %789 = stablehlo.broadcast_in_dim %cst_258, dims = [] : (tensor<f32>) -> tensor<40x40x128xf32>
    %790 = stablehlo.multiply %786, %789 : tensor<40x40x128xf32>
    %791 = stablehlo.add %788, %790 : tensor<40x40x128xf32>
    %792 = stablehlo.broadcast_in_dim %668, dims = [] : (tensor<f32>) -> tensor<40x40x128xf32>
    %793 = stablehlo.divide %785, %792 : tensor<40x40x128xf32>
    %794 = stablehlo.broadcast_in_dim %670, dims = [] : (tensor<f32>) -> tensor<40x40x128xf32>
    %795 = stablehlo.divide %791, %794 : tensor<40x40x128xf32>
    %796 = stablehlo.sqrt %795 : tensor<40x40x128xf32>
    %cst_259 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %797 = stablehlo.broadcast_in_dim %cst_259, dims = [] : (tensor<f32>) -> tensor<40x40x128xf32>
    %798 = stablehlo.add %796, %797 : tensor<40x40x128xf32>
    %799 = stablehlo.divide %793, %798 : tensor<40x40x128xf32>
    %cst_260 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %800 = stablehlo.broadcast_in_dim %cst_260, dims = [] : (tensor<f32>) -> tensor<40x40x128xf32>
    %801 = stablehlo.multiply %799, %800 : tensor<40x40x128xf32>
    %802 = stablehlo.subtract %arg5, %801 : tensor<40x40x128xf32>
    %cst_261 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %803 = stablehlo.broadcast_in_dim %cst_261, dims = [] : (tensor<f32>) -> tensor<40x5120x40x128xf32>
    %804 = stablehlo.multiply %arg27, %803 : tensor<40x5120x40x128xf32>
    %cst_262 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %805 = stablehlo.broadcast_in_dim %cst_262, dims = [] : (tensor<f32>) -> tensor<40x5120x40x128xf32>
    %806 = stablehlo.multiply %294#6, %805 : tensor<40x5120x40x128xf32>
    %807 = stablehlo.add %804, %806 : tensor<40x5120x40x128xf32>
    %808 = stablehlo.multiply %294#6, %294#6 : tensor<40x5120x40x128xf32>
    %cst_263 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %809 = stablehlo.broadcast_in_dim %cst_263, dims = [] : (tensor<f32>) -> tensor<40x5120x40x128xf32>
    %810 = stablehlo.multiply %arg48, %809 : tensor<40x5120x40x128xf32>
    %cst_264 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %811 = stablehlo.broadcast_in_dim %cst_264, dims = [] : (tensor<f32>) -> tensor<40x5120x40x128xf32>
    %812 = stablehlo.multiply %808, %811 : tensor<40x5120x40x128xf32>
    %813 = stablehlo.add %810, %812 : tensor<40x5120x40x128xf32>
    %814 = stablehlo.broadcast_in_dim %668, dims = [] : (tensor<f32>) -> tensor<40x5120x40x128xf32>
    %815 = stablehlo.divide %807, %814 : tensor<40x5120x40x128xf32>
    %816 = stablehlo.broadcast_in_dim %670, dims = [] : (tensor<f32>) -> tensor<40x5120x40x128xf32>
    %817 = stablehlo.divide %813, %816 : tensor<40x5120x40x128xf32>
    %818 = stablehlo.sqrt %817 : tensor<40x5120x40x128xf32>
    %cst_265 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %819 = stablehlo.broadcast_in_dim %cst_265, dims = [] : (tensor<f32>) -> tensor<40x5120x40x128xf32>
    %820 = stablehlo.add %818, %819 : tensor<40x5120x40x128xf32>
    %821 = stablehlo.divide %815, %820 : tensor<40x5120x40x128xf32>
    %cst_266 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %822 = stablehlo.broadcast_in_dim %cst_266, dims = [] : (tensor<f32>) -> tensor<40x5120x40x128xf32>
    %823 = stablehlo.multiply %821, %822 : tensor<40x5120x40x128xf32>
    %824 = stablehlo.subtract %arg6, %823 : tensor<40x5120x40x128xf32>
    %cst_267 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %825 = stablehlo.broadcast_in_dim %cst_267, dims = [] : (tensor<f32>) -> tensor<40x40x128xf32>
    %826 = stablehlo.multiply %arg28, %825 : tensor<40x40x128xf32>
    %cst_268 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %827 = stablehlo.broadcast_in_dim %cst_268, dims = [] : (tensor<f32>) -> tensor<40x40x128xf32>
    %828 = stablehlo.multiply %294#7, %827 : tensor<40x40x128xf32>
    %829 = stablehlo.add %826, %828 : tensor<40x40x128xf32>
    %830 = stablehlo.multiply %294#7, %294#7 : tensor<40x40x128xf32>
    %cst_269 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %831 = stablehlo.broadcast_in_dim %cst_269, dims = [] : (tensor<f32>) -> tensor<40x40x128xf32>
    %832 = stablehlo.multiply %arg49, %831 : tensor<40x40x128xf32>
    %cst_270 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %833 = stablehlo.broadcast_in_dim %cst_270, dims = [] : (tensor<f32>) -> tensor<40x40x128xf32>
    %834 = stablehlo.multiply %830, %833 : tensor<40x40x128xf32>
    %835 = stablehlo.add %832, %834 : tensor<40x40x128xf32>
    %836 = stablehlo.broadcast_in_dim %668, dims = [] : (tensor<f32>) -> tensor<40x40x128xf32>
    %837 = stablehlo.divide %829, %836 : tensor<40x40x128xf32>
    %838 = stablehlo.broadcast_in_dim %670, dims = [] : (tensor<f32>) -> tensor<40x40x128xf32>
    %839 = stablehlo.divide %835, %838 : tensor<40x40x128xf32>
    %840 = stablehlo.sqrt %839 : tensor<40x40x128xf32>
    %cst_271 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %841 = stablehlo.broadcast_in_dim %cst_271, dims = [] : (tensor<f32>) -> tensor<40x40x128xf32>
    %842 = stablehlo.add %840, %841 : tensor<40x40x128xf32>
    %843 = stablehlo.divide %837, %842 : tensor<40x40x128xf32>
    %cst_272 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %844 = stablehlo.broadcast_in_dim %cst_272, dims = [] : (tensor<f32>) -> tensor<40x40x128xf32>
    %845 = stablehlo.multiply %843, %844 : tensor<40x40x128xf32>
    %846 = stablehlo.subtract %arg7, %845 : tensor<40x40x128xf32>
    %cst_273 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %847 = stablehlo.broadcast_in_dim %cst_273, dims = [] : (tensor<f32>) -> tensor<40x5120x40x128xf32>
    %848 = stablehlo.multiply %arg29, %847 : tensor<40x5120x40x128xf32>
    %cst_274 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %849 = stablehlo.broadcast_in_dim %cst_274, dims = [] : (tensor<f32>) -> tensor<40x5120x40x128xf32>
    %850 = stablehlo.multiply %294#8, %849 : tensor<40x5120x40x128xf32>
    %851 = stablehlo.add %848, %850 : tensor<40x5120x40x128xf32>
    %852 = stablehlo.multiply %294#8, %294#8 : tensor<40x5120x40x128xf32>
    %cst_275 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %853 = stablehlo.broadcast_in_dim %cst_275, dims = [] : (tensor<f32>) -> tensor<40x5120x40x128xf32>
    %854 = stablehlo.multiply %arg50, %853 : tensor<40x5120x40x128xf32>
    %cst_276 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %855 = stablehlo.broadcast_in_dim %cst_276, dims = [] : (tensor<f32>) -> tensor<40x5120x40x128xf32>
    %856 = stablehlo.multiply %852, %855 : tensor<40x5120x40x128xf32>
    %857 = stablehlo.add %854, %856 : tensor<40x5120x40x128xf32>
    %858 = stablehlo.broadcast_in_dim %668, dims = [] : (tensor<f32>) -> tensor<40x5120x40x128xf32>
    %859 = stablehlo.divide %851, %858 : tensor<40x5120x40x128xf32>
    %860 = stablehlo.broadcast_in_dim %670, dims = [] : (tensor<f32>) -> tensor<40x5120x40x128xf32>
    %861 = stablehlo.divide %857, %860 : tensor<40x5120x40x128xf32>
    %862 = stablehlo.sqrt %861 : tensor<40x5120x40x128xf32>
    %cst_277 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %863 = stablehlo.broadcast_in_dim %cst_277, dims = [] : (tensor<f32>) -> tensor<40x5120x40x128xf32>
    %864 = stablehlo.add %862, %863 : tensor<40x5120x40x128xf32>
    %865 = stablehlo.divide %859, %864 : tensor<40x5120x40x128xf32>
    %cst_278 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %866 = stablehlo.broadcast_in_dim %cst_278, dims = [] : (tensor<f32>) -> tensor<40x5120x40x128xf32>
    %867 = stablehlo.multiply %865, %866 : tensor<40x5120x40x128xf32>
    %868 = stablehlo.subtract %arg8, %867 : tensor<40x5120x40x128xf32>
    %cst_279 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %869 = stablehlo.broadcast_in_dim %cst_279, dims = [] : (tensor<f32>) -> tensor<40x40x128xf32>
    %870 = stablehlo.multiply %arg30, %869 : tensor<40x40x128xf32>
    %cst_280 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %871 = stablehlo.broadcast_in_dim %cst_280, dims = [] : (tensor<f32>) -> tensor<40x40x128xf32>
    %872 = stablehlo.multiply %294#9, %871 : tensor<40x40x128xf32>
    %873 = stablehlo.add %870, %872 : tensor<40x40x128xf32>
    %874 = stablehlo.multiply %294#9, %294#9 : tensor<40x40x128xf32>
    %cst_281 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %875 = stablehlo.broadcast_in_dim %cst_281, dims = [] : (tensor<f32>) -> tensor<40x40x128xf32>
    %876 = stablehlo.multiply %arg51, %875 : tensor<40x40x128xf32>
    %cst_282 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %877 = stablehlo.broadcast_in_dim %cst_282, dims = [] : (tensor<f32>) -> tensor<40x40x128xf32>
    %878 = stablehlo.multiply %874, %877 : tensor<40x40x128xf32>
    %879 = stablehlo.add %876, %878 : tensor<40x40x128xf32>
    %880 = stablehlo.broadcast_in_dim %668, dims = [] : (tensor<f32>) -> tensor<40x40x128xf32>
    %881 = stablehlo.divide %873, %880 : tensor<40x40x128xf32>
    %882 = stablehlo.broadcast_in_dim %670, dims = [] : (tensor<f32>) -> tensor<40x40x128xf32>
    %883 = stablehlo.divide %879, %882 : tensor<40x40x128xf32>
    %884 = stablehlo.sqrt %883 : tensor<40x40x128xf32>
    %cst_283 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %885 = stablehlo.broadcast_in_dim %cst_283, dims = [] : (tensor<f32>) -> tensor<40x40x128xf32>
    %886 = stablehlo.add %884, %885 : tensor<40x40x128xf32>
    %887 = stablehlo.divide %881, %886 : tensor<40x40x128xf32>
    %cst_284 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %888 = stablehlo.broadcast_in_dim %cst_284, dims = [] : (tensor<f32>) -> tensor<40x40x128xf32>
    %889 = stablehlo.multiply %887, %888 : tensor<40x40x128xf32>
    %890 = stablehlo.subtract %arg9, %889 : tensor<40x40x128xf32>
    %cst_285 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %891 = stablehlo.broadcast_in_dim %cst_285, dims = [] : (tensor<f32>) -> tensor<40x40x128x5120xf32>
    %892 = stablehlo.multiply %arg31, %891 : tensor<40x40x128x5120xf32>
    %cst_286 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %893 = stablehlo.broadcast_in_dim %cst_286, dims = [] : (tensor<f32>) -> tensor<40x40x128x5120xf32>
    %894 = stablehlo.multiply %294#10, %893 : tensor<40x40x128x5120xf32>
    %895 = stablehlo.add %892, %894 : tensor<40x40x128x5120xf32>
    %896 = stablehlo.multiply %294#10, %294#10 : tensor<40x40x128x5120xf32>
    %cst_287 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %897 = stablehlo.broadcast_in_dim %cst_287, dims = [] : (tensor<f32>) -> tensor<40x40x128x5120xf32>
    %898 = stablehlo.multiply %arg52, %897 : tensor<40x40x128x5120xf32>
    %cst_288 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %899 = stablehlo.broadcast_in_dim %cst_288, dims = [] : (tensor<f32>) -> tensor<40x40x128x5120xf32>
    %900 = stablehlo.multiply %896, %899 : tensor<40x40x128x5120xf32>
    %901 = stablehlo.add %898, %900 : tensor<40x40x128x5120xf32>
    %902 = stablehlo.broadcast_in_dim %668, dims = [] : (tensor<f32>) -> tensor<40x40x128x5120xf32>
    %903 = stablehlo.divide %895, %902 : tensor<40x40x128x5120xf32>
    %904 = stablehlo.broadcast_in_dim %670, dims = [] : (tensor<f32>) -> tensor<40x40x128x5120xf32>
    %905 = stablehlo.divide %901, %904 : tensor<40x40x128x5120xf32>
    %906 = stablehlo.sqrt %905 : tensor<40x40x128x5120xf32>
    %cst_289 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %907 = stablehlo.broadcast_in_dim %cst_289, dims = [] : (tensor<f32>) -> tensor<40x40x128x5120xf32>
    %908 = stablehlo.add %906, %907 : tensor<40x40x128x5120xf32>
    %909 = stablehlo.divide %903, %908 : tensor<40x40x128x5120xf32>
    %cst_290 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %910 = stablehlo.broadcast_in_dim %cst_290, dims = [] : (tensor<f32>) -> tensor<40x40x128x5120xf32>
    %911 = stablehlo.multiply %909, %910 : tensor<40x40x128x5120xf32>
    %912 = stablehlo.subtract %arg10, %911 : tensor<40x40x128x5120xf32>
    %cst_291 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %913 = stablehlo.broadcast_in_dim %cst_291, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %914 = stablehlo.multiply %arg32, %913 : tensor<40x5120xf32>
    %cst_292 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %915 = stablehlo.broadcast_in_dim %cst_292, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %916 = stablehlo.multiply %294#11, %915 : tensor<40x5120xf32>
    %917 = stablehlo.add %914, %916 : tensor<40x5120xf32>
    %918 = stablehlo.multiply %294#11, %294#11 : tensor<40x5120xf32>
    %cst_293 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %919 = stablehlo.broadcast_in_dim %cst_293, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %920 = stablehlo.multiply %arg53, %919 : tensor<40x5120xf32>
    %cst_294 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %921 = stablehlo.broadcast_in_dim %cst_294, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %922 = stablehlo.multiply %918, %921 : tensor<40x5120xf32>
    %923 = stablehlo.add %920, %922 : tensor<40x5120xf32>
    %924 = stablehlo.broadcast_in_dim %668, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %925 = stablehlo.divide %917, %924 : tensor<40x5120xf32>
    %926 = stablehlo.broadcast_in_dim %670, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %927 = stablehlo.divide %923, %926 : tensor<40x5120xf32>
    %928 = stablehlo.sqrt %927 : tensor<40x5120xf32>
    %cst_295 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %929 = stablehlo.broadcast_in_dim %cst_295, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %930 = stablehlo.add %928, %929 : tensor<40x5120xf32>
    %931 = stablehlo.divide %925, %930 : tensor<40x5120xf32>
    %cst_296 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %932 = stablehlo.broadcast_in_dim %cst_296, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %933 = stablehlo.multiply %931, %932 : tensor<40x5120xf32>
    %934 = stablehlo.subtract %arg11, %933 : tensor<40x5120xf32>
    %cst_297 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %935 = stablehlo.broadcast_in_dim %cst_297, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %936 = stablehlo.multiply %arg33, %935 : tensor<40x5120xf32>
    %cst_298 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %937 = stablehlo.broadcast_in_dim %cst_298, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %938 = stablehlo.multiply %294#12, %937 : tensor<40x5120xf32>
    %939 = stablehlo.add %936, %938 : tensor<40x5120xf32>
    %940 = stablehlo.multiply %294#12, %294#12 : tensor<40x5120xf32>
    %cst_299 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %941 = stablehlo.broadcast_in_dim %cst_299, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %942 = stablehlo.multiply %arg54, %941 : tensor<40x5120xf32>
    %cst_300 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %943 = stablehlo.broadcast_in_dim %cst_300, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %944 = stablehlo.multiply %940, %943 : tensor<40x5120xf32>
    %945 = stablehlo.add %942, %944 : tensor<40x5120xf32>
    %946 = stablehlo.broadcast_in_dim %668, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %947 = stablehlo.divide %939, %946 : tensor<40x5120xf32>
    %948 = stablehlo.broadcast_in_dim %670, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %949 = stablehlo.divide %945, %948 : tensor<40x5120xf32>
    %950 = stablehlo.sqrt %949 : tensor<40x5120xf32>
    %cst_301 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %951 = stablehlo.broadcast_in_dim %cst_301, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %952 = stablehlo.add %950, %951 : tensor<40x5120xf32>
    %953 = stablehlo.divide %947, %952 : tensor<40x5120xf32>
    %cst_302 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %954 = stablehlo.broadcast_in_dim %cst_302, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %955 = stablehlo.multiply %953, %954 : tensor<40x5120xf32>
    %956 = stablehlo.subtract %arg12, %955 : tensor<40x5120xf32>
    %cst_303 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %957 = stablehlo.broadcast_in_dim %cst_303, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %958 = stablehlo.multiply %arg34, %957 : tensor<40x5120xf32>
    %cst_304 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %959 = stablehlo.broadcast_in_dim %cst_304, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %960 = stablehlo.multiply %294#13, %959 : tensor<40x5120xf32>
    %961 = stablehlo.add %958, %960 : tensor<40x5120xf32>
    %962 = stablehlo.multiply %294#13, %294#13 : tensor<40x5120xf32>
    %cst_305 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %963 = stablehlo.broadcast_in_dim %cst_305, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %964 = stablehlo.multiply %arg55, %963 : tensor<40x5120xf32>
    %cst_306 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %965 = stablehlo.broadcast_in_dim %cst_306, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %966 = stablehlo.multiply %962, %965 : tensor<40x5120xf32>
    %967 = stablehlo.add %964, %966 : tensor<40x5120xf32>
    %968 = stablehlo.broadcast_in_dim %668, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %969 = stablehlo.divide %961, %968 : tensor<40x5120xf32>
    %970 = stablehlo.broadcast_in_dim %670, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %971 = stablehlo.divide %967, %970 : tensor<40x5120xf32>
    %972 = stablehlo.sqrt %971 : tensor<40x5120xf32>
    %cst_307 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %973 = stablehlo.broadcast_in_dim %cst_307, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %974 = stablehlo.add %972, %973 : tensor<40x5120xf32>
    %975 = stablehlo.divide %969, %974 : tensor<40x5120xf32>
    %cst_308 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %976 = stablehlo.broadcast_in_dim %cst_308, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %977 = stablehlo.multiply %975, %976 : tensor<40x5120xf32>
    %978 = stablehlo.subtract %arg13, %977 : tensor<40x5120xf32>
    %cst_309 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %979 = stablehlo.broadcast_in_dim %cst_309, dims = [] : (tensor<f32>) -> tensor<40x5120x20480xf32>
    %980 = stablehlo.multiply %arg35, %979 : tensor<40x5120x20480xf32>
    %cst_310 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %981 = stablehlo.broadcast_in_dim %cst_310, dims = [] : (tensor<f32>) -> tensor<40x5120x20480xf32>
    %982 = stablehlo.multiply %294#14, %981 : tensor<40x5120x20480xf32>
    %983 = stablehlo.add %980, %982 : tensor<40x5120x20480xf32>
    %984 = stablehlo.multiply %294#14, %294#14 : tensor<40x5120x20480xf32>
    %cst_311 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %985 = stablehlo.broadcast_in_dim %cst_311, dims = [] : (tensor<f32>) -> tensor<40x5120x20480xf32>
    %986 = stablehlo.multiply %arg56, %985 : tensor<40x5120x20480xf32>
    %cst_312 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %987 = stablehlo.broadcast_in_dim %cst_312, dims = [] : (tensor<f32>) -> tensor<40x5120x20480xf32>
    %988 = stablehlo.multiply %984, %987 : tensor<40x5120x20480xf32>
    %989 = stablehlo.add %986, %988 : tensor<40x5120x20480xf32>
    %990 = stablehlo.broadcast_in_dim %668, dims = [] : (tensor<f32>) -> tensor<40x5120x20480xf32>
    %991 = stablehlo.divide %983, %990 : tensor<40x5120x20480xf32>
    %992 = stablehlo.broadcast_in_dim %670, dims = [] : (tensor<f32>) -> tensor<40x5120x20480xf32>
    %993 = stablehlo.divide %989, %992 : tensor<40x5120x20480xf32>
    %994 = stablehlo.sqrt %993 : tensor<40x5120x20480xf32>
    %cst_313 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %995 = stablehlo.broadcast_in_dim %cst_313, dims = [] : (tensor<f32>) -> tensor<40x5120x20480xf32>
    %996 = stablehlo.add %994, %995 : tensor<40x5120x20480xf32>
    %997 = stablehlo.divide %991, %996 : tensor<40x5120x20480xf32>
    %cst_314 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %998 = stablehlo.broadcast_in_dim %cst_314, dims = [] : (tensor<f32>) -> tensor<40x5120x20480xf32>
    %999 = stablehlo.multiply %997, %998 : tensor<40x5120x20480xf32>
    %1000 = stablehlo.subtract %arg14, %999 : tensor<40x5120x20480xf32>
    %cst_315 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1001 = stablehlo.broadcast_in_dim %cst_315, dims = [] : (tensor<f32>) -> tensor<40x20480xf32>
    %1002 = stablehlo.multiply %arg36, %1001 : tensor<40x20480xf32>
    %cst_316 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1003 = stablehlo.broadcast_in_dim %cst_316, dims = [] : (tensor<f32>) -> tensor<40x20480xf32>
    %1004 = stablehlo.multiply %294#15, %1003 : tensor<40x20480xf32>
    %1005 = stablehlo.add %1002, %1004 : tensor<40x20480xf32>
    %1006 = stablehlo.multiply %294#15, %294#15 : tensor<40x20480xf32>
    %cst_317 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1007 = stablehlo.broadcast_in_dim %cst_317, dims = [] : (tensor<f32>) -> tensor<40x20480xf32>
    %1008 = stablehlo.multiply %arg57, %1007 : tensor<40x20480xf32>
    %cst_318 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1009 = stablehlo.broadcast_in_dim %cst_318, dims = [] : (tensor<f32>) -> tensor<40x20480xf32>
    %1010 = stablehlo.multiply %1006, %1009 : tensor<40x20480xf32>
    %1011 = stablehlo.add %1008, %1010 : tensor<40x20480xf32>
    %1012 = stablehlo.broadcast_in_dim %668, dims = [] : (tensor<f32>) -> tensor<40x20480xf32>
    %1013 = stablehlo.divide %1005, %1012 : tensor<40x20480xf32>
    %1014 = stablehlo.broadcast_in_dim %670, dims = [] : (tensor<f32>) -> tensor<40x20480xf32>
    %1015 = stablehlo.divide %1011, %1014 : tensor<40x20480xf32>
    %1016 = stablehlo.sqrt %1015 : tensor<40x20480xf32>
    %cst_319 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1017 = stablehlo.broadcast_in_dim %cst_319, dims = [] : (tensor<f32>) -> tensor<40x20480xf32>
    %1018 = stablehlo.add %1016, %1017 : tensor<40x20480xf32>
    %1019 = stablehlo.divide %1013, %1018 : tensor<40x20480xf32>
    %cst_320 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1020 = stablehlo.broadcast_in_dim %cst_320, dims = [] : (tensor<f32>) -> tensor<40x20480xf32>
    %1021 = stablehlo.multiply %1019, %1020 : tensor<40x20480xf32>
    %1022 = stablehlo.subtract %arg15, %1021 : tensor<40x20480xf32>
    %cst_321 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1023 = stablehlo.broadcast_in_dim %cst_321, dims = [] : (tensor<f32>) -> tensor<40x20480x5120xf32>
    %1024 = stablehlo.multiply %arg37, %1023 : tensor<40x20480x5120xf32>
    %cst_322 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1025 = stablehlo.broadcast_in_dim %cst_322, dims = [] : (tensor<f32>) -> tensor<40x20480x5120xf32>
    %1026 = stablehlo.multiply %294#16, %1025 : tensor<40x20480x5120xf32>
    %1027 = stablehlo.add %1024, %1026 : tensor<40x20480x5120xf32>
    %1028 = stablehlo.multiply %294#16, %294#16 : tensor<40x20480x5120xf32>
    %cst_323 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1029 = stablehlo.broadcast_in_dim %cst_323, dims = [] : (tensor<f32>) -> tensor<40x20480x5120xf32>
    %1030 = stablehlo.multiply %arg58, %1029 : tensor<40x20480x5120xf32>
    %cst_324 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1031 = stablehlo.broadcast_in_dim %cst_324, dims = [] : (tensor<f32>) -> tensor<40x20480x5120xf32>
    %1032 = stablehlo.multiply %1028, %1031 : tensor<40x20480x5120xf32>
    %1033 = stablehlo.add %1030, %1032 : tensor<40x20480x5120xf32>
    %1034 = stablehlo.broadcast_in_dim %668, dims = [] : (tensor<f32>) -> tensor<40x20480x5120xf32>
    %1035 = stablehlo.divide %1027, %1034 : tensor<40x20480x5120xf32>
    %1036 = stablehlo.broadcast_in_dim %670, dims = [] : (tensor<f32>) -> tensor<40x20480x5120xf32>
    %1037 = stablehlo.divide %1033, %1036 : tensor<40x20480x5120xf32>
    %1038 = stablehlo.sqrt %1037 : tensor<40x20480x5120xf32>
    %cst_325 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1039 = stablehlo.broadcast_in_dim %cst_325, dims = [] : (tensor<f32>) -> tensor<40x20480x5120xf32>
    %1040 = stablehlo.add %1038, %1039 : tensor<40x20480x5120xf32>
    %1041 = stablehlo.divide %1035, %1040 : tensor<40x20480x5120xf32>
    %cst_326 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1042 = stablehlo.broadcast_in_dim %cst_326, dims = [] : (tensor<f32>) -> tensor<40x20480x5120xf32>
    %1043 = stablehlo.multiply %1041, %1042 : tensor<40x20480x5120xf32>
    %1044 = stablehlo.subtract %arg16, %1043 : tensor<40x20480x5120xf32>
    %cst_327 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1045 = stablehlo.broadcast_in_dim %cst_327, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %1046 = stablehlo.multiply %arg38, %1045 : tensor<40x5120xf32>
    %cst_328 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1047 = stablehlo.broadcast_in_dim %cst_328, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %1048 = stablehlo.multiply %294#17, %1047 : tensor<40x5120xf32>
    %1049 = stablehlo.add %1046, %1048 : tensor<40x5120xf32>
    %1050 = stablehlo.multiply %294#17, %294#17 : tensor<40x5120xf32>
    %cst_329 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1051 = stablehlo.broadcast_in_dim %cst_329, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %1052 = stablehlo.multiply %arg59, %1051 : tensor<40x5120xf32>
    %cst_330 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1053 = stablehlo.broadcast_in_dim %cst_330, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %1054 = stablehlo.multiply %1050, %1053 : tensor<40x5120xf32>
    %1055 = stablehlo.add %1052, %1054 : tensor<40x5120xf32>
    %1056 = stablehlo.broadcast_in_dim %668, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %1057 = stablehlo.divide %1049, %1056 : tensor<40x5120xf32>
    %1058 = stablehlo.broadcast_in_dim %670, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %1059 = stablehlo.divide %1055, %1058 : tensor<40x5120xf32>
    %1060 = stablehlo.sqrt %1059 : tensor<40x5120xf32>
    %cst_331 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1061 = stablehlo.broadcast_in_dim %cst_331, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %1062 = stablehlo.add %1060, %1061 : tensor<40x5120xf32>
    %1063 = stablehlo.divide %1057, %1062 : tensor<40x5120xf32>
    %cst_332 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1064 = stablehlo.broadcast_in_dim %cst_332, dims = [] : (tensor<f32>) -> tensor<40x5120xf32>
    %1065 = stablehlo.multiply %1063, %1064 : tensor<40x5120xf32>
    %1066 = stablehlo.subtract %arg17, %1065 : tensor<40x5120xf32>
    %cst_333 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1067 = stablehlo.broadcast_in_dim %cst_333, dims = [] : (tensor<f32>) -> tensor<5120xf32>
    %1068 = stablehlo.multiply %arg39, %1067 : tensor<5120xf32>
    %cst_334 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1069 = stablehlo.broadcast_in_dim %cst_334, dims = [] : (tensor<f32>) -> tensor<5120xf32>
    %1070 = stablehlo.multiply %254, %1069 : tensor<5120xf32>
    %1071 = stablehlo.add %1068, %1070 : tensor<5120xf32>
    %1072 = stablehlo.multiply %254, %254 : tensor<5120xf32>
    %cst_335 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1073 = stablehlo.broadcast_in_dim %cst_335, dims = [] : (tensor<f32>) -> tensor<5120xf32>
    %1074 = stablehlo.multiply %arg60, %1073 : tensor<5120xf32>
    %cst_336 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1075 = stablehlo.broadcast_in_dim %cst_336, dims = [] : (tensor<f32>) -> tensor<5120xf32>
    %1076 = stablehlo.multiply %1072, %1075 : tensor<5120xf32>
    %1077 = stablehlo.add %1074, %1076 : tensor<5120xf32>
    %1078 = stablehlo.broadcast_in_dim %668, dims = [] : (tensor<f32>) -> tensor<5120xf32>
    %1079 = stablehlo.divide %1071, %1078 : tensor<5120xf32>
    %1080 = stablehlo.broadcast_in_dim %670, dims = [] : (tensor<f32>) -> tensor<5120xf32>
    %1081 = stablehlo.divide %1077, %1080 : tensor<5120xf32>
    %1082 = stablehlo.sqrt %1081 : tensor<5120xf32>
    %cst_337 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1083 = stablehlo.broadcast_in_dim %cst_337, dims = [] : (tensor<f32>) -> tensor<5120xf32>
    %1084 = stablehlo.add %1082, %1083 : tensor<5120xf32>
    %1085 = stablehlo.divide %1079, %1084 : tensor<5120xf32>
    %cst_338 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1086 = stablehlo.broadcast_in_dim %cst_338, dims = [] : (tensor<f32>) -> tensor<5120xf32>
    %1087 = stablehlo.multiply %1085, %1086 : tensor<5120xf32>
    %1088 = stablehlo.subtract %arg18, %1087 : tensor<5120xf32>
    %cst_339 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1089 = stablehlo.broadcast_in_dim %cst_339, dims = [] : (tensor<f32>) -> tensor<5120xf32>
    %1090 = stablehlo.multiply %arg40, %1089 : tensor<5120xf32>
    %cst_340 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1091 = stablehlo.broadcast_in_dim %cst_340, dims = [] : (tensor<f32>) -> tensor<5120xf32>
    %1092 = stablehlo.multiply %252, %1091 : tensor<5120xf32>
    %1093 = stablehlo.add %1090, %1092 : tensor<5120xf32>
    %1094 = stablehlo.multiply %252, %252 : tensor<5120xf32>
    %cst_341 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1095 = stablehlo.broadcast_in_dim %cst_341, dims = [] : (tensor<f32>) -> tensor<5120xf32>
    %1096 = stablehlo.multiply %arg61, %1095 : tensor<5120xf32>
    %cst_342 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1097 = stablehlo.broadcast_in_dim %cst_342, dims = [] : (tensor<f32>) -> tensor<5120xf32>
    %1098 = stablehlo.multiply %1094, %1097 : tensor<5120xf32>
    %1099 = stablehlo.add %1096, %1098 : tensor<5120xf32>
    %1100 = stablehlo.broadcast_in_dim %668, dims = [] : (tensor<f32>) -> tensor<5120xf32>
    %1101 = stablehlo.divide %1093, %1100 : tensor<5120xf32>
    %1102 = stablehlo.broadcast_in_dim %670, dims = [] : (tensor<f32>) -> tensor<5120xf32>
    %1103 = stablehlo.divide %1099, %1102 : tensor<5120xf32>
    %1104 = stablehlo.sqrt %1103 : tensor<5120xf32>
    %cst_343 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1105 = stablehlo.broadcast_in_dim %cst_343, dims = [] : (tensor<f32>) -> tensor<5120xf32>
    %1106 = stablehlo.add %1104, %1105 : tensor<5120xf32>
    %1107 = stablehlo.divide %1101, %1106 : tensor<5120xf32>
    %cst_344 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1108 = stablehlo.broadcast_in_dim %cst_344, dims = [] : (tensor<f32>) -> tensor<5120xf32>
    %1109 = stablehlo.multiply %1107, %1108 : tensor<5120xf32>
    %1110 = stablehlo.subtract %arg19, %1109 : tensor<5120xf32>
    %cst_345 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1111 = stablehlo.broadcast_in_dim %cst_345, dims = [] : (tensor<f32>) -> tensor<5120x32000xf32>
    %1112 = stablehlo.multiply %arg41, %1111 : tensor<5120x32000xf32>
    %cst_346 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1113 = stablehlo.broadcast_in_dim %cst_346, dims = [] : (tensor<f32>) -> tensor<5120x32000xf32>
    %1114 = stablehlo.multiply %241, %1113 : tensor<5120x32000xf32>
    %1115 = stablehlo.add %1112, %1114 : tensor<5120x32000xf32>
    %1116 = stablehlo.multiply %241, %241 : tensor<5120x32000xf32>
    %cst_347 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1117 = stablehlo.broadcast_in_dim %cst_347, dims = [] : (tensor<f32>) -> tensor<5120x32000xf32>
    %1118 = stablehlo.multiply %arg62, %1117 : tensor<5120x32000xf32>
    %cst_348 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1119 = stablehlo.broadcast_in_dim %cst_348, dims = [] : (tensor<f32>) -> tensor<5120x32000xf32>
    %1120 = stablehlo.multiply %1116, %1119 : tensor<5120x32000xf32>
    %1121 = stablehlo.add %1118, %1120 : tensor<5120x32000xf32>
    %1122 = stablehlo.broadcast_in_dim %668, dims = [] : (tensor<f32>) -> tensor<5120x32000xf32>
    %1123 = stablehlo.divide %1115, %1122 : tensor<5120x32000xf32>
    %1124 = stablehlo.broadcast_in_dim %670, dims = [] : (tensor<f32>) -> tensor<5120x32000xf32>
    %1125 = stablehlo.divide %1121, %1124 : tensor<5120x32000xf32>
    %1126 = stablehlo.sqrt %1125 : tensor<5120x32000xf32>
    %cst_349 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1127 = stablehlo.broadcast_in_dim %cst_349, dims = [] : (tensor<f32>) -> tensor<5120x32000xf32>
    %1128 = stablehlo.add %1126, %1127 : tensor<5120x32000xf32>
    %1129 = stablehlo.divide %1123, %1128 : tensor<5120x32000xf32>
    %cst_350 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1130 = stablehlo.broadcast_in_dim %cst_350, dims = [] : (tensor<f32>) -> tensor<5120x32000xf32>
    %1131 = stablehlo.multiply %1129, %1130 : tensor<5120x32000xf32>
    %1132 = stablehlo.subtract %arg20, %1131 : tensor<5120x32000xf32>
    return %692, %714, %736, %758, %780, %802, %824, %846, %868, %890, %912, %934, %956, %978, %1000, %1022, %1044, %1066, %1088, %1110, %1132, %675, %697, %719, %741, %763, %785, %807, %829, %851, %873, %895, %917, %939, %961, %983, %1005, %1027, %1049, %1071, %1093, %1115, %681, %703, %725, %747, %769, %791, %813, %835, %857, %879, %901, %923, %945, %967, %989, %1011, %1033, %1055, %1077, %1099, %1121, %665, %227 : tensor<32000x5120xf32>, tensor<512x5120xf32>, tensor<40x5120xf32>, tensor<40x5120xf32>, tensor<40x5120x40x128xf32>, tensor<40x40x128xf32>, tensor<40x5120x40x128xf32>, tensor<40x40x128xf32>, tensor<40x5120x40x128xf32>, tensor<40x40x128xf32>, tensor<40x40x128x5120xf32>, tensor<40x5120xf32>, tensor<40x5120xf32>, tensor<40x5120xf32>, tensor<40x5120x20480xf32>, tensor<40x20480xf32>, tensor<40x20480x5120xf32>, tensor<40x5120xf32>, tensor<5120xf32>, tensor<5120xf32>, tensor<5120x32000xf32>, tensor<32000x5120xf32>, tensor<512x5120xf32>, tensor<40x5120xf32>, tensor<40x5120xf32>, tensor<40x5120x40x128xf32>, tensor<40x40x128xf32>, tensor<40x5120x40x128xf32>, tensor<40x40x128xf32>, tensor<40x5120x40x128xf32>, tensor<40x40x128xf32>, tensor<40x40x128x5120xf32>, tensor<40x5120xf32>, tensor<40x5120xf32>, tensor<40x5120xf32>, tensor<40x5120x20480xf32>, tensor<40x20480xf32>, tensor<40x20480x5120xf32>, tensor<40x5120xf32>, tensor<5120xf32>, tensor<5120xf32>, tensor<5120x32000xf32>, tensor<32000x5120xf32>, tensor<512x5120xf32>, tensor<40x5120xf32>, tensor<40x5120xf32>, tensor<40x5120x40x128xf32>, tensor<40x40x128xf32>, tensor<40x5120x40x128xf32>, tensor<40x40x128xf32>, tensor<40x5120x40x128xf32>, tensor<40x40x128xf32>, tensor<40x40x128x5120xf32>, tensor<40x5120xf32>, tensor<40x5120xf32>, tensor<40x5120xf32>, tensor<40x5120x20480xf32>, tensor<40x20480xf32>, tensor<40x20480x5120xf32>, tensor<40x5120xf32>, tensor<5120xf32>, tensor<5120xf32>, tensor<5120x32000xf32>, tensor<i32>, tensor<f32>
  }
}
