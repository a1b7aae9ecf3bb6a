// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{C1: }}
  %r = "stablehlo.fft"(%x) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 2, 4>} : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @c2_real(%x: tensor<4xf32>) {
  // expected-error@+1 {{C2: }}
  %r = "stablehlo.fft"(%x) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 4>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @c2_complex(%x: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{C2: }}
  %r = "stablehlo.fft"(%x) {fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 4>} : (tensor<4xcomplex<f32>>) -> tensor<3xcomplex<f32>>
  return
}

// -----

func.func @c2_result(%x: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{C2: }}
  %r = "stablehlo.fft"(%x) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 4>} : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f64>>
  return
}

// -----

func.func @c2_inverse(%x: tensor<3xcomplex<f32>>) {
  // expected-error@+1 {{C2: }}
  %r = "stablehlo.fft"(%x) {fft_type = #stablehlo<fft_type IRFFT>, fft_length = array<i64: 4>} : (tensor<3xcomplex<f32>>) -> tensor<4xf64>
  return
}

// -----

func.func @c3(%x: tensor<2x2x2x2xcomplex<f32>>) {
  // expected-error@+1 {{C3: }}
  %r = "stablehlo.fft"(%x) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 2, 2, 2, 2>} : (tensor<2x2x2x2xcomplex<f32>>) -> tensor<2x2x2x2xcomplex<f32>>
  return
}

// -----

func.func @c3_none(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{C3: }}
  %r = "stablehlo.fft"(%x) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64>} : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @c4(%x: tensor<8xf32>) {
  // expected-error@+1 {{C4: }}
  %r = "stablehlo.fft"(%x) {fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 6>} : (tensor<8xf32>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @c5(%x: tensor<8xf32>) {
  // expected-error@+1 {{C5: }}
  %r = "stablehlo.fft"(%x) {fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 8>} : (tensor<8xf32>) -> tensor<8xcomplex<f32>>
  return
}

// -----

func.func @c5_inverse(%x: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{C5: }}
  %r = "stablehlo.fft"(%x) {fft_type = #stablehlo<fft_type IRFFT>, fft_length = array<i64: 8>} : (tensor<4xcomplex<f32>>) -> tensor<8xf32>
  return
}
