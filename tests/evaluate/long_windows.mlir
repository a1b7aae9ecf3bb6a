// Long windows along one dimension are folded a line at a time, to the bit what window by window gives: another dimension of size
// 1 that is padded and cut by a stride makes the same op go window by window.
//
// RUN: tessera check %s

func.func @case0() {
  %init = stablehlo.constant dense<0.5> : tensor<f32>
  %n = stablehlo.iota dim = 0 : tensor<576xf32>
  %s = stablehlo.sine %n : tensor<576xf32>
  %x = stablehlo.reshape %s : (tensor<576xf32>) -> tensor<3x96x2xf32>
  %y = stablehlo.reshape %s : (tensor<576xf32>) -> tensor<3x96x2x1xf32>
  %lines = "stablehlo.reduce_window"(%x, %init) <{
    window_dimensions = array<i64: 1, 64, 1>, window_strides = array<i64: 1, 1, 1>,
    base_dilations = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [63, 0], [0, 0]]> : tensor<3x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %r = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<3x96x2xf32>, tensor<f32>) -> tensor<3x96x2xf32>
  %each = "stablehlo.reduce_window"(%y, %init) <{
    window_dimensions = array<i64: 1, 64, 1, 1>, window_strides = array<i64: 1, 1, 1, 2>,
    base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [63, 0], [0, 0], [0, 1]]> : tensor<4x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %r = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<3x96x2x1xf32>, tensor<f32>) -> tensor<3x96x2x1xf32>
  %f = stablehlo.reshape %each : (tensor<3x96x2x1xf32>) -> tensor<3x96x2xf32>
  check.expect_eq %lines, %f : tensor<3x96x2xf32>
  func.return
}

func.func @case1() {
  %init = stablehlo.constant dense<0.5> : tensor<f32>
  %n = stablehlo.iota dim = 0 : tensor<288xf32>
  %s = stablehlo.sine %n : tensor<288xf32>
  %x = stablehlo.reshape %s : (tensor<288xf32>) -> tensor<96x3xf32>
  %y = stablehlo.reshape %s : (tensor<288xf32>) -> tensor<96x3x1xf32>
  %lines = "stablehlo.reduce_window"(%x, %init) <{
    window_dimensions = array<i64: 96, 1>, window_strides = array<i64: 1, 1>,
    base_dilations = array<i64: 1, 1>, padding = dense<[[0, 95], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %r = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<96x3xf32>, tensor<f32>) -> tensor<96x3xf32>
  %each = "stablehlo.reduce_window"(%y, %init) <{
    window_dimensions = array<i64: 96, 1, 1>, window_strides = array<i64: 1, 1, 2>,
    base_dilations = array<i64: 1, 1, 1>, padding = dense<[[0, 95], [0, 0], [0, 1]]> : tensor<3x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %r = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<96x3x1xf32>, tensor<f32>) -> tensor<96x3x1xf32>
  %f = stablehlo.reshape %each : (tensor<96x3x1xf32>) -> tensor<96x3xf32>
  check.expect_eq %lines, %f : tensor<96x3xf32>
  func.return
}

func.func @case2() {
  %init = stablehlo.constant dense<1.5> : tensor<f64>
  %n = stablehlo.iota dim = 0 : tensor<100xf64>
  %s = stablehlo.sine %n : tensor<100xf64>
  %x = stablehlo.reshape %s : (tensor<100xf64>) -> tensor<2x50xf64>
  %y = stablehlo.reshape %s : (tensor<100xf64>) -> tensor<2x50x1xf64>
  %lines = "stablehlo.reduce_window"(%x, %init) <{
    window_dimensions = array<i64: 1, 70>, window_strides = array<i64: 1, 2>,
    base_dilations = array<i64: 1, 3>, padding = dense<[[0, 0], [-5, 120]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %r = stablehlo.multiply %a, %b : tensor<f64>
    stablehlo.return %r : tensor<f64>
  }) : (tensor<2x50xf64>, tensor<f64>) -> tensor<2x97xf64>
  %each = "stablehlo.reduce_window"(%y, %init) <{
    window_dimensions = array<i64: 1, 70, 1>, window_strides = array<i64: 1, 2, 2>,
    base_dilations = array<i64: 1, 3, 1>, padding = dense<[[0, 0], [-5, 120], [0, 1]]> : tensor<3x2xi64>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %r = stablehlo.multiply %a, %b : tensor<f64>
    stablehlo.return %r : tensor<f64>
  }) : (tensor<2x50x1xf64>, tensor<f64>) -> tensor<2x97x1xf64>
  %f = stablehlo.reshape %each : (tensor<2x97x1xf64>) -> tensor<2x97xf64>
  check.expect_eq %lines, %f : tensor<2x97xf64>
  func.return
}

func.func @case3() {
  %init = stablehlo.constant dense<7> : tensor<i32>
  %n = stablehlo.iota dim = 0 : tensor<128xi32>
  %s = stablehlo.multiply %n, %n : tensor<128xi32>
  %x = stablehlo.reshape %s : (tensor<128xi32>) -> tensor<128xi32>
  %y = stablehlo.reshape %s : (tensor<128xi32>) -> tensor<128x1xi32>
  %lines = "stablehlo.reduce_window"(%x, %init) <{
    window_dimensions = array<i64: 61>, window_strides = array<i64: 1>,
    base_dilations = array<i64: 1>, padding = dense<[[30, 30]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %r = stablehlo.subtract %a, %b : tensor<i32>
    stablehlo.return %r : tensor<i32>
  }) : (tensor<128xi32>, tensor<i32>) -> tensor<128xi32>
  %each = "stablehlo.reduce_window"(%y, %init) <{
    window_dimensions = array<i64: 61, 1>, window_strides = array<i64: 1, 2>,
    base_dilations = array<i64: 1, 1>, padding = dense<[[30, 30], [0, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %r = stablehlo.subtract %a, %b : tensor<i32>
    stablehlo.return %r : tensor<i32>
  }) : (tensor<128x1xi32>, tensor<i32>) -> tensor<128x1xi32>
  %f = stablehlo.reshape %each : (tensor<128x1xi32>) -> tensor<128xi32>
  check.expect_eq %lines, %f : tensor<128xi32>
  func.return
}

func.func @case4() {
  %init = stablehlo.constant dense<0.25> : tensor<bf16>
  %n = stablehlo.iota dim = 0 : tensor<240xbf16>
  %s = stablehlo.sine %n : tensor<240xbf16>
  %x = stablehlo.reshape %s : (tensor<240xbf16>) -> tensor<2x40x3xbf16>
  %y = stablehlo.reshape %s : (tensor<240xbf16>) -> tensor<2x40x3x1xbf16>
  %lines = "stablehlo.reduce_window"(%x, %init) <{
    window_dimensions = array<i64: 1, 100, 1>, window_strides = array<i64: 1, 3, 1>,
    base_dilations = array<i64: 1, 2, 1>, padding = dense<[[0, 0], [200, 250], [0, 0]]> : tensor<3x2xi64>}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %r = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %r : tensor<bf16>
  }) : (tensor<2x40x3xbf16>, tensor<bf16>) -> tensor<2x144x3xbf16>
  %each = "stablehlo.reduce_window"(%y, %init) <{
    window_dimensions = array<i64: 1, 100, 1, 1>, window_strides = array<i64: 1, 3, 1, 2>,
    base_dilations = array<i64: 1, 2, 1, 1>, padding = dense<[[0, 0], [200, 250], [0, 0], [0, 1]]> : tensor<4x2xi64>}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %r = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %r : tensor<bf16>
  }) : (tensor<2x40x3x1xbf16>, tensor<bf16>) -> tensor<2x144x3x1xbf16>
  %f = stablehlo.reshape %each : (tensor<2x144x3x1xbf16>) -> tensor<2x144x3xbf16>
  check.expect_eq %lines, %f : tensor<2x144x3xbf16>
  func.return
}
