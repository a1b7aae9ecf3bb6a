// Bytes that are no text.
// RUN: python3 -c "import sys; sys.stdout.buffer.write(b'module {\0}')" > %t.mlir
// RUN: not tessera parse %t.mlir 2>&1 | FileCheck %s --check-prefix=NUL
// RUN: python3 -c "import sys; sys.stdout.buffer.write(b'// good: \xc3\xa9\n// bad: \xc3\n')" > %t.mlir
// RUN: not tessera parse %t.mlir 2>&1 | FileCheck %s --check-prefix=UTF8
// RUN: python3 -c "import sys; sys.stdout.buffer.write(b'module { ; }')" > %t.mlir
// RUN: not tessera parse %t.mlir 2>&1 | FileCheck %s --check-prefix=OTHER

// NUL: .mlir:1:9: error: a NUL byte in the text
// UTF8: .mlir:2:9: error: the byte 0xC3 is not part of UTF-8 text
// OTHER: .mlir:1:10: error: ';' means nothing here
