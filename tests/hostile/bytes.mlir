// Bytes that are no text.
// RUN: python3 -c "import sys; sys.stdout.buffer.write(b'module {\0}')" > %t.mlir
// RUN: not tessera parse %t.mlir 2>&1 | FileCheck %s --check-prefix=NUL
// RUN: python3 -c "import sys; sys.stdout.buffer.write(b'// good: \xc3\xa9\n// bad: \xc3\n')" > %t.mlir
// RUN: not tessera parse %t.mlir 2>&1 | FileCheck %s --check-prefix=UTF8
// RUN: python3 -c "import sys; sys.stdout.buffer.write(b'module { ; }')" > %t.mlir
// RUN: not tessera parse %t.mlir 2>&1 | FileCheck %s --check-prefix=OTHER
// A flatbuffer with MLIR's bytecode inside, as jax.export serializes it; then without, and with fields that are nowhere.
// RUN: python3 -c "import sys; sys.stdout.buffer.write(b'\x0c\0\0\0' b'\x06\0\x08\0\x04\0\0\0' b'\x08\0\0\0' b'\x04\0\0\0' b'\x08\0\0\0ML\xefR\x0dStable')" > %t.bin
// RUN: not tessera parse %t.bin 2>&1 | FileCheck %s --check-prefix=EXPORTED
// RUN: python3 -c "import sys; sys.stdout.buffer.write(b'\x0c\0\0\0' b'\x06\0\x08\0\x04\0\0\0' b'\x08\0\0\0' b'\x04\0\0\0' b'\x08\0\0\0MLIR\x0dStable')" > %t.bin
// RUN: not tessera parse %t.bin 2>&1 | FileCheck %s --check-prefix=OTHER_TABLE
// RUN: python3 -c "import sys; sys.stdout.buffer.write(b'\x0c\0\0\0' b'\x06\0\x08\0\x04\0\0\0' b'\x80\0\0\0' b'\x04\0\0\0' b'\x08\0\0\0ML\xefR\x0dStable')" > %t.bin
// RUN: not tessera parse %t.bin 2>&1 | FileCheck %s --check-prefix=OTHER_TABLE
// RUN: python3 -c "import sys; sys.stdout.buffer.write(b'ML\xefR\x0dStable')" > %t.bin
// RUN: not tessera parse %t.bin 2>&1 | FileCheck %s --check-prefix=BYTECODE

// EXPORTED: .bin:1:1: error: this is the output of JAX's Exported.serialize(), expected text: use jax.export.deserialize(…).mlir_module()
// EXPORTED-NOT: error:
// OTHER_TABLE: .bin:1:2: error: the text contains a NUL byte
// BYTECODE: .bin:1:1: error: this is MLIR bytecode, expected text: use JAX's Exported.mlir_module()
// NUL: .mlir:1:9: error: the text contains a NUL byte
// UTF8: .mlir:2:9: error: the byte 0xC3 is not valid UTF-8
// OTHER: .mlir:1:10: error: ';' means nothing here
