// The table of kernels, and the number of tiles.
#include "execute/kernel.h"

#include "execute/kernels/kernels.h"
#include "ops/op.h"

// By op: the makers of its rows, tried in this order.
static const KernelMaker makers[OP_COUNT][2] = {
    [OP_NONE] = {NULL, NULL},
#define KERNEL(op, maker) [OP_##op][0] = maker,
#define KERNEL_ELSE(op, maker) [OP_##op][1] = maker,
#define READS_VIEWS(op)
#include "execute/kernels.def"
#undef KERNEL
#undef KERNEL_ELSE
#undef READS_VIEWS
};

static const bool reads_views[OP_COUNT] = {
    [OP_NONE] = false,
#define KERNEL(op, maker)
#define KERNEL_ELSE(op, maker)
#define READS_VIEWS(op) [OP_##op] = true,
#include "execute/kernels.def"
#undef KERNEL
#undef KERNEL_ELSE
#undef READS_VIEWS
};

static bool make_any(const KernelRequest *request, Kernel *out) {
  uint16_t code = op_at(request->program, request->op)->code;
  int n = request->views ? 1 : 2;  // only the first row reads views
  for (int i = 0; i < n; i++)
    if (makers[code][i] && makers[code][i](request, out)) return true;
  return false;
}

KernelMaker kernel_maker(uint16_t code) {
  return code < OP_COUNT && (makers[code][0] || makers[code][1]) ? make_any : NULL;
}

double kernel_seconds(KernelRate rate, double amount) {
  static const double per_second[] = {
#define RATE(name, per_second, unit) per_second,
#include "execute/kernel_rates.def"
#undef RATE
  };
  return amount / per_second[rate];
}

bool kernel_reads_views(uint16_t code) { return code < OP_COUNT && reads_views[code]; }

uint32_t kernel_tiles(double seconds, uint64_t most) {
  static const double tile_seconds = 20e-6;
  if (seconds < 2 * tile_seconds || most < 2) return 1;
  double n = seconds / tile_seconds;
  if (n > 256) n = 256;
  return n > (double)most ? (uint32_t)most : (uint32_t)n;
}
