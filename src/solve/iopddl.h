// Reads and writes problems in the JSON of the ASPLOS 2025 IOPDDL contest, plain or gzip:
//
//   {"problem": {"nodes": {"intervals": [[0, 4], …], "costs": [[5, 6], …], "usages": [[8, 4], …]},
//                "edges": {"nodes": [[0, 1], …], "costs": [[0, 1, 1, 0], …]},
//                "usage_limit": 12}}
//
// A solution is a list with one strategy per node: [0, 1, …].
#ifndef TESSERA_SOLVE_IOPDDL_H
#define TESSERA_SOLVE_IOPDDL_H

#include "base/str.h"
#include "base/stream.h"
#include "solve/problem.h"

#define IOPDDL_MOST_BYTES (UINT64_C(8) << 30)  // of text, after decompression

// Reads the rest of the stream into an initialized, empty problem and checks it. INVALID_ARGUMENT
// has the line, or the node or edge. Memory: at most four times the text. O(text).
Status *iopddl_read(Stream *stream, Problem *problem) MUST_USE;
// Reads a solution with exactly one strategy per variable of the problem.
Status *iopddl_read_solution(Stream *stream, const Problem *problem, uint32_t *out_choice) MUST_USE;

void iopddl_write(const Problem *problem, StrBuf *out);
void iopddl_write_solution(const Problem *problem, const uint32_t *choice, StrBuf *out);

#endif
