// RUN: tessera parse --verify-diagnostics %s

func.func private @impl(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @c1(%x: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.composite' op C1: is named "plain", expected a name with its namespace: dialect.op}}
  %0 = stablehlo.composite "plain" %x {decomposition = @impl} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @c2(%x: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.composite' op C2: decomposes to @nowhere, which is not in the module}}
  %0 = stablehlo.composite "my.op" %x {decomposition = @nowhere} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func private @impl(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @c3(%x: tensor<f64>) {
  // expected-error@+1 {{'stablehlo.composite' op C3: operand 0 is tensor<f64>, @impl takes tensor<f32>}}
  %0 = stablehlo.composite "my.op" %x {decomposition = @impl} : (tensor<f64>) -> tensor<f32>
  return
}

// -----

func.func private @impl(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @c4(%x: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.composite' op C4: result 0 is tensor<f64>, @impl gives tensor<f32>}}
  %0 = stablehlo.composite "my.op" %x {decomposition = @impl} : (tensor<f32>) -> tensor<f64>
  return
}

// -----

func.func @impl(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @c1_0(%x: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.composite' op C1: is named "a..b", expected a name with its namespace: dialect.op}}
  %0 = stablehlo.composite "a..b" %x {decomposition = @impl} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @impl(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @c1_1(%x: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.composite' op C1: is named "1a.b", expected a name with its namespace: dialect.op}}
  %0 = stablehlo.composite "1a.b" %x {decomposition = @impl} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @impl(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @c1_2(%x: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.composite' op C1: is named "a-b.c", expected a name with its namespace: dialect.op}}
  %0 = stablehlo.composite "a-b.c" %x {decomposition = @impl} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @impl(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @c1_3(%x: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.composite' op C1: is named "_a.b", expected a name with its namespace: dialect.op}}
  %0 = stablehlo.composite "_a.b" %x {decomposition = @impl} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @impl(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @c1_4(%x: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.composite' op C1: is named "a.", expected a name with its namespace: dialect.op}}
  %0 = stablehlo.composite "a." %x {decomposition = @impl} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @impl(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @c1_5(%x: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.composite' op C1: is named "a$.b", expected a name with its namespace: dialect.op}}
  %0 = stablehlo.composite "a$.b" %x {decomposition = @impl} : (tensor<f32>) -> tensor<f32>
  return
}
