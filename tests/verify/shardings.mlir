// Shardings must name a mesh that is there and axes it has, and fit the rank of their tensor.
// RUN: tessera parse --verify-diagnostics %s

// expected-error@+1 {{'func.func' op argument 0: expected a #sdy.sharding}}
func.func @kind(%a: tensor<8xf32> {sdy.sharding = 3 : i64}) {
  return
}

// -----

// expected-error@+1 {{'func.func' op argument 0: unknown mesh @mesh; meshes of the program: none}}
func.func @no_mesh(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  return
}

// -----

sdy.mesh @a = <["x"=4]>
sdy.mesh @b = <["x"=2]>
func.func @other_mesh(%a: tensor<8xf32>) {
  // expected-error@+1 {{'sdy.reshard' op sharding 0: unknown mesh @c; meshes of the program: @a, @b}}
  %0 = sdy.reshard %a <@c, [{}]> : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=4, "model"=2]>
// expected-error@+1 {{'func.func' op argument 0: unknown axis "modle": the mesh is @mesh ["x"=4, "model"=2]; did you mean "model"?}}
func.func @near_axis(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"modle"}]>}) {
  return
}

// -----

// An unsound mesh is reported once, not at its uses.
// expected-error@+1 {{'sdy.mesh' op is invalid: the mesh has two axes named "x"}}
sdy.mesh @mesh = <["x"=4, "x"=2]>
func.func @unsound(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=8]>
// expected-error@+1 {{'func.func' op argument 0: axes "x":(1)2 and "x":(2)2 are adjacent sub-axes and must be merged into one}}
func.func @neighbours(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2, "x":(2)2}]>}) {
  return
}

// -----

// expected-error@+1 {{'func.func' op argument 0: unknown axis "y": the mesh is ["x"=4]; did you mean "x"?}}
func.func @inline(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=4]>, [{"y"}]>}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=4]>
// expected-error@+1 {{'func.func' op argument 0: unknown axis "long": the mesh is @mesh ["x"=4]}}
func.func @no_axis(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"long"}]>}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=4]>
// expected-error@+1 {{'func.func' op argument 0: the sharding has rank 1, but the tensor tensor<8x8xf32> has rank 2}}
func.func @rank(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=4]>
// expected-error@+1 {{'func.func' op argument 0: axis "x" is used twice in one sharding}}
func.func @twice(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"x"}]>}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=8]>
// expected-error@+1 {{'func.func' op argument 0: axes "x":(1)4 and "x":(2)2 overlap in one sharding}}
func.func @overlap(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)4}, {"x":(2)2}]>}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=8]>
// expected-error@+1 {{'func.func' op argument 0: sub-axis "x":(1)3 does not divide the axis of size 8}}
func.func @sub_axis(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)3}]>}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=4]>
func.func @results(%a: tensor<8xf32>) {
  // expected-error@+1 {{'stablehlo.negate' op the numbers of results and shardings are 1 and 2, expected equal}}
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>, <@mesh, [{}]>]>} : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=4]>
func.func @own(%a: tensor<8xf32>) {
  // expected-error@+1 {{'sdy.reshard' op sharding 0: the sharding has rank 2, but the tensor tensor<8xf32> has rank 1}}
  %0 = sdy.reshard %a <@mesh, [{}, {}]> : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=4]>
func.func @manual(%a: tensor<8xf32>) {
  // expected-error@+1 {{'sdy.manual_computation' op in_shardings has 2 shardings, expected 1, one per value}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{}]>, <@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] manual_axes={} (%b: tensor<8xf32>) {
    sdy.return %b : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// expected-error@+1 {{'sdy.mesh' op is invalid: the mesh has two axes named "x"}}
sdy.mesh @mesh = <["x"=4, "x"=2]>

// -----

// expected-error@+1 {{'sdy.mesh' op is invalid: the mesh axis "x" has size 0, expected at least 1}}
sdy.mesh @mesh = <["x"=0]>

// -----

// expected-error@+1 {{'sdy.mesh' op is invalid: the mesh has 3 device ids for 2 devices}}
sdy.mesh @mesh = <["x"=2], device_ids=[0, 1, 2]>

// -----

// expected-error@+1 {{'sdy.mesh' op is invalid: the mesh has the device id 1 twice}}
sdy.mesh @mesh = <["x"=2], device_ids=[1, 1]>

// -----

// expected-error@+1 {{'sdy.mesh' op device_ids are 0 to 1 in order, which is the default; remove them}}
sdy.mesh @mesh = <["x"=2], device_ids=[0, 1]>

// -----

// A sharding rule names every dimension of every operand and result, with factors that have sizes.
func.func @rule_rank(%a: tensor<4x2xf32>) -> tensor<2x4xf32> {
  // expected-error@+1 {{'stablehlo.custom_call' op sdy.sharding_rule does not match this op: operand 0 has rank 1 in the rule and rank 2 in the program, expected equal}}
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([j, i]) {i=4, j=2}>} : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @rule_operands(%a: tensor<4x2xf32>) -> tensor<2x4xf32> {
  // expected-error@+1 {{'stablehlo.custom_call' op sdy.sharding_rule does not match this op: it lists 2 operands, expected 1}}
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i])->([j, i]) {i=4, j=2}>} : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @rule_sizes(%a: tensor<4x2xf32>) -> tensor<2x4xf32> {
  // expected-error@+1 {{'stablehlo.custom_call' op sdy.sharding_rule does not match this op: it uses a factor that has no size, expected {i=size, …} for each factor}}
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k])->([j, i]) {i=4, j=2}>} : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @rule_kind(%a: tensor<4x2xf32>) -> tensor<2x4xf32> {
  // expected-error@+1 {{'stablehlo.custom_call' op sdy.sharding_rule does not match this op: it is not a #sdy.op_sharding_rule}}
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = "i j"} : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
