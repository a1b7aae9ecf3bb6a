// Fused loops as plain data, and the engines that run them.
//
// A loop computes rows: for each point of a grid, steps run over a row of outer x inner elements.
// Steps are in SSA form. A step is computed once for all (a constant), once per row, or per
// element. A `reduce` step combines the elements of a row; steps that use its result run in a later
// pass over the same row. A `column` step combines the rows of the grid dimensions from n_kept on.
//
//   softmax [64,1024]:  grid [64], row 1 x 1024
//     pass 0   a = load x            m = reduce max a
//     pass 1   e = exp(a - m)        s = reduce add e          (e is kept for pass 2)
//     pass 2   store e / s
//
// Numerics (decision D11): each step rounds to its type, so fusing changes no bit. Element i of the
// inner dimension is combined by lane i % LOOP_LANES, each lane in order, then the lanes by a fixed
// tree; rows of column reductions in fixed blocks, then the blocks by a fixed tree. Engines give
// the same bits.
#ifndef TESSERA_TENSOR_LOOP_H
#define TESSERA_TENSOR_LOOP_H

#include "base/arena.h"
#include "ir/dtype.h"

enum { LOOP_GRID = 8, LOOP_LANES = 32, LOOP_UNUSED = UINT16_MAX };

typedef enum ScalarOp {
#define SCALAR_OP(id, operands, expensive) SCALAR_##id,
#include "tensor/scalar_ops.def"
#undef SCALAR_OP
  SCALAR_COUNT
} ScalarOp;

typedef struct ScalarOpInfo {
  const char *name;
  uint8_t operands;
  bool expensive;  // must not be computed twice
} ScalarOpInfo;
const ScalarOpInfo *scalar_op_info(ScalarOp op);

// The position of an element in a buffer, in elements: offset + sum of stride * loop index.
typedef struct LoopAccess {
  uint16_t buffer;  // unused by `index` steps, whose value is the position
  uint8_t dtype;    // of the buffer
  int64_t offset, grid[LOOP_GRID], outers[LOOP_GRID], inner;
} LoopAccess;

typedef enum LoopLevel { LOOP_ONCE, LOOP_ROW, LOOP_ELEMENT } LoopLevel;

// A function on n values in register types: in[i] and out are arrays.
typedef struct LoopCall {
  void (*run)(const void *data, int64_t n, const void *const *in, void *out);
  const void *data;
  uint32_t n_in;
} LoopCall;

typedef struct LoopStep {
  uint8_t op, dtype;  // ScalarOp, DType of the result (of a store: of the value)
  uint8_t from;       // DType of the operand of convert, bitcast and comparisons
  uint8_t combine;    // ScalarOp of a reduction
  uint8_t level;      // LoopLevel
  uint8_t pass;
  uint16_t access;  // of load, index, store; of partial results: the result's, or LOOP_UNUSED
  uint16_t in[3];   // earlier steps; unused ones are 0
  uint16_t init;    // of column: a load or constant that is combined with the result once
  uint64_t bits;    // of a constant: its storage bits
  const LoopCall *call;
} LoopStep;

typedef struct Loop {
  uint32_t n_grid, n_kept;  // column reductions combine the grid dimensions from n_kept on
  int64_t grid[LOOP_GRID];
  uint32_t n_outer;  // dimensions of a row besides the inner one
  int64_t outers[LOOP_GRID];
  int64_t outer, inner;  // of a row: the product of outers, and the inner dimension
  uint32_t n_steps, n_accesses, n_passes, n_buffers;
  uint32_t n_rows;     // row reductions
  uint32_t n_columns;  // column reductions
  bool split;  // rows are cut into blocks: all row reductions are in pass 0, and their results
               // are stored by loop_finish as column reductions are
  bool ordered;  // rows run one after the other: a row may read what the one before has stored
  LoopStep *steps;
  LoopAccess *accesses;
} Loop;

// The part of an access's position that an index of the outer part of a row gives.
static inline int64_t loop_outer(const Loop *loop, const LoopAccess *a, int64_t outer) {
  if (loop->n_outer < 2) return outer * a->outers[0];
  int64_t at = 0;
  for (uint32_t d = loop->n_outer; d-- > 0; outer /= loop->outers[d])
    at += outer % loop->outers[d] * a->outers[d];
  return at;
}

// The type in which engines hold values: f32 for f16 and bf16, else the type itself.
static inline DType loop_register(DType type) {
  return type == DT_bf16 || type == DT_f16 ? DT_f32 : type;
}
// Whether engines compute the op on these types; `from` is the operand's type. Loads, stores,
// constants, selects, bitcasts and calls work for all types.
bool loop_supports(ScalarOp op, DType type, DType from);

// ---- engines ----

// Consecutive rows along the last grid dimension, or a part of one row.
typedef struct LoopBlock {
  char *const *at;        // per access: the address of the first element; of `index`: the position
  int64_t rows;           // more than 1 only if outers and inners are the loop's
  int64_t outer, outers;  // the outer part of rows: from `outer` on
  int64_t inners;
  void *const
      *partial;   // per reduction of a split loop, per column step: results, in register types
  char *scratch;  // aligned to 64 bytes
} LoopBlock;

typedef struct LoopEngine {
  uint32_t version;
  const char *name;
  // Code for the loop; NULL: the engine does not support it. Freed with the process or the arena.
  const void *(*prepare)(const Loop *loop, Arena *arena, size_t *out_scratch_bytes);
  void (*run)(const void *code, const LoopBlock *block);
} LoopEngine;

// A compiler of loops, behind a provider. It uses nothing of this library.
typedef void (*LoopCode)(char *const *at, int64_t rows, int64_t outer, int64_t outers,
                         int64_t inners, void *const *partial, char *scratch);
enum { LOOP_JIT_VERSION = 1 };
#define LOOP_JIT_PROVIDER "libtessera_llvm.so"
#define LOOP_JIT_SYMBOL "tsr_loop_jit"
typedef struct LoopJit {
  uint32_t version;
  const char *(*name)(void);  // "LLVM 19 (znver4)"
  // The code of a loop, for LoopBlock's fields, until the process ends; NULL: not supported. Equal
  // loops are compiled once. Thread safe.
  LoopCode (*compile)(const Loop *loop, size_t *out_scratch_bytes);
} LoopJit;

// The compiled engine; NULL if the provider is missing.
const LoopEngine *loop_compiled(void);
const char *loop_compiled_name(void);  // NULL if it is missing

extern const LoopEngine loop_tiles;  // vectorized bytecode, always there

// ---- running ----

// A loop with its engine, cut into items of work by shape.
typedef struct LoopPlan {
  Loop loop;
  const LoopEngine *engine;
  const void *code;
  int64_t units;              // rows, or blocks of rows of column reductions
  int64_t blocks;             // of one kept index (column reductions) or of one row (split)
  int64_t segments, segment;  // parts of each row of `segment` elements
  uint64_t items;             // units * segments
  double elements;            // steps per element, times elements: a measure of the work
  size_t scratch_bytes, temp_bytes;
  uint32_t n_partial;
} LoopPlan;

// Chooses items and the engine. `engine` NULL: the tiles. False if the engine refuses the loop.
bool loop_plan(LoopPlan *plan, const Loop *loop, const LoopEngine *engine, Arena *arena);
// Runs items first … last - 1. buffers: those of the accesses; temp: temp_bytes of memory shared by
// all items; scratch: scratch_bytes of memory of this worker, aligned to 64 bytes.
void loop_run(const LoopPlan *plan, void *const *buffers, void *temp, uint64_t first, uint64_t last,
              void *scratch);
// After all items, if temp_bytes: combines their partial results into the buffers.
void loop_finish(const LoopPlan *plan, void *const *buffers, void *temp, void *scratch);

// ---- functions of engines ----

// r[i] = op(a[i], b[i], c[i]) for i < n, in register types.
typedef void (*LoopLanes)(int64_t n, const void *a, const void *b, const void *c, void *r);
// NULL if there is none. The best version for this CPU.
LoopLanes loop_lanes(ScalarOp op, DType type, DType from);
// Combines elements a[i] into lanes[i % LOOP_LANES].
LoopLanes loop_lanes_fold(ScalarOp combine, DType type);
// To and from storage: bf16 and f16 as f32.
LoopLanes loop_lanes_load(DType storage);
LoopLanes loop_lanes_store(DType storage);
// Rounds f32 values to f16 or bf16; NULL for other types.
LoopLanes loop_lanes_round(DType type);
const char *loop_lanes_isa(void);

// The neutral element of a combination, as storage bits of the register type.
uint64_t loop_identity(ScalarOp combine, DType type);
// lanes[0] = the combination of LOOP_LANES lanes by the fixed tree; lanes are overwritten.
void loop_combine_lanes(ScalarOp combine, DType type, void *lanes);

#endif
