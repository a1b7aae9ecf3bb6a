// RUN: tessera parse --verify-diagnostics %s

func.func @groups(%x: tensor<6x3xf32>, %y: tensor<2x3x4xf32>, %g: tensor<3xi64>) {
  // expected-error@+1 {{'chlo.ragged_dot' op rhs group dimension 0 has size 2, expected 3, the number of groups in group_sizes}}
  %r = "chlo.ragged_dot"(%x, %y, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<6x3xf32>, tensor<2x3x4xf32>, tensor<3xi64>) -> tensor<6x4xf32>
  return
}

// -----

func.func @contract(%x: tensor<6x3xf32>, %y: tensor<3x5x4xf32>, %g: tensor<3xi64>) {
  // expected-error@+1 {{'chlo.ragged_dot' op contracting dimensions 1 of lhs and 1 of rhs have sizes 3 and 5, expected equal}}
  %r = "chlo.ragged_dot"(%x, %y, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<6x3xf32>, tensor<3x5x4xf32>, tensor<3xi64>) -> tensor<6x4xf32>
  return
}

// -----

func.func @group_dimension(%x: tensor<6x3xf32>, %y: tensor<3x4xf32>, %g: tensor<3xi64>) {
  // expected-error@+1 {{'chlo.ragged_dot' op rhs has 0 group dimensions, expected 1 because lhs_ragged_dimension 0 is neither batching nor contracting}}
  %r = "chlo.ragged_dot"(%x, %y, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [0], rhs_group_dimensions = []>} : (tensor<6x3xf32>, tensor<3x4xf32>, tensor<3xi64>) -> tensor<6x4xf32>
  return
}

// -----

func.func @ragged(%x: tensor<6x3xf32>, %y: tensor<3x3x4xf32>, %g: tensor<3xi64>) {
  // expected-error@+1 {{'chlo.ragged_dot' op there are 2 lhs_ragged_dimensions, expected 1}}
  %r = "chlo.ragged_dot"(%x, %y, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0, 1], rhs_group_dimensions = [0]>} : (tensor<6x3xf32>, tensor<3x3x4xf32>, tensor<3xi64>) -> tensor<6x4xf32>
  return
}
