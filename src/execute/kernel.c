// The table of kernels, and the number of tiles.
#include "execute/kernel.h"

#include "execute/kernels/kernels.h"
#include "ops/op.h"

static const KernelMaker makers[OP_COUNT] = {
    [OP_NONE] = NULL,
#define KERNEL(op, maker) [OP_##op] = maker,
#include "execute/kernels.def"
#undef KERNEL
};

KernelMaker kernel_maker(uint16_t code) { return code < OP_COUNT ? makers[code] : NULL; }

uint32_t kernel_tiles(double seconds, uint64_t most) {
  static const double tile_seconds = 20e-6;
  if (seconds < 2 * tile_seconds || most < 2) return 1;
  double n = seconds / tile_seconds;
  if (n > 256) n = 256;
  return n > (double)most ? (uint32_t)most : (uint32_t)n;
}
