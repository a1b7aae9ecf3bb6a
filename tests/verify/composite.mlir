// RUN: tessera parse --verify-diagnostics %s

func.func private @impl(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @c1(%x: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.composite' op C1: name is "plain", expected a letter, then letters, digits and _, with dots between names, like "my_dialect.my_op"}}
  %0 = stablehlo.composite "plain" %x {decomposition = @impl} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @c2(%x: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.composite' op C2: decomposition is @nowhere, which is not a function of this module}}
  %0 = stablehlo.composite "my.op" %x {decomposition = @nowhere} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func private @impl(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @c3(%x: tensor<f64>) {
  // expected-error@+1 {{'stablehlo.composite' op C3: operand 0 is tensor<f64>, but its decomposition @impl takes tensor<f32>}}
  %0 = stablehlo.composite "my.op" %x {decomposition = @impl} : (tensor<f64>) -> tensor<f32>
  return
}

// -----

func.func private @impl(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @c4(%x: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.composite' op C4: result 0 is tensor<f64>, but its decomposition @impl returns tensor<f32>}}
  %0 = stablehlo.composite "my.op" %x {decomposition = @impl} : (tensor<f32>) -> tensor<f64>
  return
}

// -----

func.func @impl(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @c1_0(%x: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.composite' op C1: name is "a..b", expected a letter, then letters, digits and _, with dots between names, like "my_dialect.my_op"}}
  %0 = stablehlo.composite "a..b" %x {decomposition = @impl} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @impl(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @c1_1(%x: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.composite' op C1: name is "1a.b", expected a letter, then letters, digits and _, with dots between names, like "my_dialect.my_op"}}
  %0 = stablehlo.composite "1a.b" %x {decomposition = @impl} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @impl(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @c1_2(%x: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.composite' op C1: name is "a-b.c", expected a letter, then letters, digits and _, with dots between names, like "my_dialect.my_op"}}
  %0 = stablehlo.composite "a-b.c" %x {decomposition = @impl} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @impl(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @c1_3(%x: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.composite' op C1: name is "_a.b", expected a letter, then letters, digits and _, with dots between names, like "my_dialect.my_op"}}
  %0 = stablehlo.composite "_a.b" %x {decomposition = @impl} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @impl(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @c1_4(%x: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.composite' op C1: name is "a.", expected a letter, then letters, digits and _, with dots between names, like "my_dialect.my_op"}}
  %0 = stablehlo.composite "a." %x {decomposition = @impl} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @impl(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @c1_5(%x: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.composite' op C1: name is "a$.b", expected a letter, then letters, digits and _, with dots between names, like "my_dialect.my_op"}}
  %0 = stablehlo.composite "a$.b" %x {decomposition = @impl} : (tensor<f32>) -> tensor<f32>
  return
}
