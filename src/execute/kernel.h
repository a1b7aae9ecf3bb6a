// A kernel: compiled code for one instruction, on buffers.
//
// A kernel cannot fail, allocates nothing and knows nothing about devices and workers. Its work is
// cut into tiles by shapes alone, never by the number of workers, so that results have the same
// bits for every number of workers (decision D11). Tiles of one kernel may run at the same time, in
// any order; each element of a result is written by one tile.
//
// Buffers hold elements in canonical storage (ir/dtype.h), dense and row major, aligned to 64
// bytes. They do not overlap, except as `in_place` allows.
#ifndef TESSERA_EXECUTE_KERNEL_H
#define TESSERA_EXECUTE_KERNEL_H

#include "base/arena.h"
#include "ir/program.h"

enum { KERNEL_ALIGN = 64 };
#define KERNEL_APART UINT32_MAX

typedef struct Kernel Kernel;
struct Kernel {
  const char *name;  // for --stats and traces: "gather", "matmul (oneDNN)"
  // buffers: the inputs, then the outputs, then the temporary buffer if temp_bytes. scratch: this
  // worker's, of scratch_bytes.
  void (*run)(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch);
  const void *data;      // what `run` needs: shapes, strides; in the executable's arena
  uint32_t n_tiles;      // at least 1; a tile is at least 20 us of work, if there are several
  size_t scratch_bytes;  // per worker
  size_t temp_bytes;     // shared by all tiles of this kernel and of `next`
  // Per output: the input whose buffer may be the output's buffer too; KERNEL_APART: none. NULL:
  // none for all. The kernel then reads the input's elements before it writes them; if they are
  // one buffer, an update in place (dynamic_update_slice, scatter) copies nothing.
  const uint32_t *in_place;
  const Kernel *next;  // runs on the same buffers after all tiles of this one; NULL: none
};

// An operand that the kernel reads where it is in a larger value: the buffer is `root`'s.
enum { VIEW_RANK = 8, VIEW_OPERANDS = 2 };
typedef struct OperandView {
  ValueId root;                // 0: the operand itself, dense
  int64_t base;                // position of the first element, in elements
  int64_t strides[VIEW_RANK];  // per dimension of the operand, in elements
} OperandView;

// The input of a maker of kernels.
typedef struct KernelRequest {
  Program *program;  // verified; types of the op's operands and results are static
  Arena *arena;      // of the executable
  OpId op;
  const OperandView *views;  // of VIEW_OPERANDS operands; NULL: all are dense
} KernelRequest;

// Makes the kernel of request->op: inputs are its operands, outputs its results. False: this
// instance has no fast kernel (element type, attributes, a body), and runs through eval.
typedef bool (*KernelMaker)(const KernelRequest *request, Kernel *out);

// The maker of the op's code (kernels.def); NULL: none.
KernelMaker kernel_maker(uint16_t code);
// Does the maker take views of its operands?
bool kernel_reads_views(uint16_t code);

// A number of tiles for `seconds` of work on one worker: 1 below 40 us, then tiles of at least
// 20 us, at most `most`.
uint32_t kernel_tiles(double seconds, uint64_t most);
// The part of n items that tile t of n_tiles computes: first … last - 1.
static inline void kernel_part(uint64_t n, uint32_t tile, uint32_t n_tiles, uint64_t *out_first,
                               uint64_t *out_last) {
  uint64_t each = n / n_tiles, rest = n % n_tiles;  // the first `rest` tiles have one more
  *out_first = each * tile + (tile < rest ? tile : rest);
  *out_last = *out_first + each + (tile < rest);
}

#endif
