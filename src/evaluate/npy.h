// NumPy's .npy and .npz files (https://numpy.org/neps/nep-0001-npy-format.html).
//
// Element types without a NumPy name are written as ml_dtypes arrays are stored: raw bytes, bf16 as
// V2, floats of 8 and fewer bits as V1; i2, i4 as i1 and ui2, ui4 as u1. For these types, reading
// accepts the same encoding, or unsigned integers of that width. Archives are read and written
// without compression.
#ifndef TESSERA_EVALUATE_NPY_H
#define TESSERA_EVALUATE_NPY_H

#include "base/str.h"
#include "tensor/literal.h"

// Reads one array. elem: the expected element type, 0 = the file's. `name` is for messages.
Status *npy_read(LiteralHeap *heap, const Context *context, const char *name, const char *data,
                 size_t bytes, Type elem, Literal **out) MUST_USE;
void npy_write(const Literal *literal, StrBuf *out);  // an array only

// A file inside an archive: borrowed from the archive's bytes.
typedef struct NpzEntry {
  Str name;  // without ".npy"
  const char *data;
  size_t bytes;
} NpzEntry;

// Lists an archive's arrays in file order. The list is in the arena.
Status *npz_list(Arena *arena, const char *name, const char *data, size_t bytes,
                 uint32_t *out_count, NpzEntry **out_entries) MUST_USE;
bool npz_is(const char *data, size_t bytes);  // begins like a zip archive
// Throws RESOURCE_EXHAUSTED beyond 4 GiB. names[i] without ".npy".
void npz_write(uint32_t n, const char *const *names, Literal *const *literals, StrBuf *out);

#endif
