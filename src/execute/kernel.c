// The table of kernels, and the number of tiles.
#include "execute/kernel.h"

#include "execute/kernels/kernels.h"
#include "ops/op.h"

static const KernelMaker makers[OP_COUNT] = {
    [OP_NONE] = NULL,
#define KERNEL(op, maker) [OP_##op] = maker,
#define READS_VIEWS(op)
#include "execute/kernels.def"
#undef KERNEL
#undef READS_VIEWS
};

static const bool reads_views[OP_COUNT] = {
    [OP_NONE] = false,
#define KERNEL(op, maker)
#define READS_VIEWS(op) [OP_##op] = true,
#include "execute/kernels.def"
#undef KERNEL
#undef READS_VIEWS
};

KernelMaker kernel_maker(uint16_t code) { return code < OP_COUNT ? makers[code] : NULL; }

bool kernel_reads_views(uint16_t code) { return code < OP_COUNT && reads_views[code]; }

uint32_t kernel_tiles(double seconds, uint64_t most) {
  static const double tile_seconds = 20e-6;
  if (seconds < 2 * tile_seconds || most < 2) return 1;
  double n = seconds / tile_seconds;
  if (n > 256) n = 256;
  return n > (double)most ? (uint32_t)most : (uint32_t)n;
}
