// Nesting far beyond any stack, in everything that nests.
// RUN: python3 -c "n = 100000; print('module attributes {a = ' + '[' * n + ']' * n + '} {}')" > %t.mlir
// RUN: not tessera parse %t.mlir 2>&1 | FileCheck %s --check-prefix=ARRAY
// RUN: python3 -c "n = 100000; print('module attributes {a = ' + '{b = ' * n + '1' + '}' * n + '} {}')" > %t.mlir
// RUN: not tessera parse %t.mlir 2>&1 | FileCheck %s --check-prefix=DICT
// RUN: python3 -c "n = 100000; print('func.func private @f(' + 'tuple<' * n + 'i1' + '>' * n + ')')" > %t.mlir
// RUN: not tessera parse %t.mlir 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: python3 -c "n = 100000; print('module {' * n + '}' * n)" > %t.mlir
// RUN: not tessera parse %t.mlir 2>&1 | FileCheck %s --check-prefix=REGION
// RUN: python3 -c "n = 100000; print('module {} loc(' + '\"a\"(' * n + 'unknown' + ')' * n + ')')" > %t.mlir
// RUN: not tessera parse %t.mlir 2>&1 | FileCheck %s --check-prefix=LOCATION
// RUN: python3 -c "n = 100000; print('module attributes {a = #x.y' + '<' * n + '>' * n + '} {}')" > %t.mlir
// RUN: not tessera parse %t.mlir 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: python3 -c "n = 100000; print('\n'.join(f'#a{i} = [#a{i + 1}]' for i in range(n)) + f'\n#a{n} = 1')" > %t.mlir
// RUN: not tessera parse %t.mlir 2>&1 | FileCheck %s --check-prefix=ALIAS

// ARRAY: .mlir:1:280: error: nested deeper than 256 levels
// DICT: .mlir:1:1304: error: nested deeper than 256 levels
// TYPE: .mlir:1:1558: error: nested deeper than 256 levels
// REGION: .mlir:1:2056: error: nested deeper than 256 levels
// LOCATION: .mlir:1:1039: error: nested deeper than 256 levels
// TEXT: .mlir:1:283: error: nested deeper than 256 levels
// ALIAS: .mlir:86:8: error: nested deeper than 256 levels
