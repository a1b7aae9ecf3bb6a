// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{'stablehlo.fft' op C1: fft_length has length 2, expected at most the operand's rank 1}}
  %r = "stablehlo.fft"(%x) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 2, 4>} : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @c2_real(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.fft' op C2: the operand has element type f32, expected a complex type}}
  %r = "stablehlo.fft"(%x) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 4>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @c2_complex(%x: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{'stablehlo.fft' op C2: the operand has element type complex<f32>, expected f32 or f64 for RFFT}}
  %r = "stablehlo.fft"(%x) {fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 4>} : (tensor<4xcomplex<f32>>) -> tensor<3xcomplex<f32>>
  return
}

// -----

func.func @c2_result(%x: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{'stablehlo.fft' op C2: the result has element type complex<f64>, expected complex<f32>}}
  %r = "stablehlo.fft"(%x) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 4>} : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f64>>
  return
}

// -----

func.func @c2_inverse(%x: tensor<3xcomplex<f32>>) {
  // expected-error@+1 {{'stablehlo.fft' op C2: the result has element type f64, expected f32}}
  %r = "stablehlo.fft"(%x) {fft_type = #stablehlo<fft_type IRFFT>, fft_length = array<i64: 4>} : (tensor<3xcomplex<f32>>) -> tensor<4xf64>
  return
}

// -----

func.func @c3(%x: tensor<2x2x2x2xcomplex<f32>>) {
  // expected-error@+1 {{'stablehlo.fft' op C3: fft_length has length 4, expected 1 to 3}}
  %r = "stablehlo.fft"(%x) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 2, 2, 2, 2>} : (tensor<2x2x2x2xcomplex<f32>>) -> tensor<2x2x2x2xcomplex<f32>>
  return
}

// -----

func.func @c3_none(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{'stablehlo.fft' op C3: fft_length has length 0, expected 1 to 3}}
  %r = "stablehlo.fft"(%x) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64>} : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @c4(%x: tensor<8xf32>) {
  // expected-error@+1 {{'stablehlo.fft' op C4: dimension 0 of the operand has size 8, expected 6 as in fft_length}}
  %r = "stablehlo.fft"(%x) {fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 6>} : (tensor<8xf32>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @c5(%x: tensor<8xf32>) {
  // expected-error@+1 {{'stablehlo.fft' op C5: the result has shape [8], expected [5]}}
  %r = "stablehlo.fft"(%x) {fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 8>} : (tensor<8xf32>) -> tensor<8xcomplex<f32>>
  return
}

// -----

func.func @c5_inverse(%x: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{'stablehlo.fft' op C5: the operand's last dimension has size 4, expected 5 for fft_length 8}}
  %r = "stablehlo.fft"(%x) {fft_type = #stablehlo<fft_type IRFFT>, fft_length = array<i64: 8>} : (tensor<4xcomplex<f32>>) -> tensor<8xf32>
  return
}
