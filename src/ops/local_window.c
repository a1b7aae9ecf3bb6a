// Pieces of a cut dimension: everybody gathers the whole and takes its own.
#include "ops/local.h"

ValueId local_window(Local *l, ValueId v, uint32_t d, AxisList axes, int64_t size, LocalWindow w,
                     ValueId fill) {
  int64_t last = w.first + w.step * (axes_size(axes) - 1);
  int64_t least = w.first < last ? w.first : last, most = w.first < last ? last : w.first;
  int64_t low = least < 0 ? -least : 0, end = most + w.length;
  v = local_trim_to(l, local_all_gather(l, v, d, axes), d, size);
  v = local_pad(l, v, d, low, end > size ? end - size : 0, fill);
  ValueId at = local_binary(l, OP_multiply, local_coordinate(l, axes), local_index(l, w.step));
  at = local_binary(l, OP_add, at, local_index(l, w.first + low));
  return local_dynamic_slice(l, v, d, at, w.length);
}

int64_t local_window_received(int64_t size, int64_t devices, LocalWindow w) {
  (void)w;
  int64_t tile = (size + devices - 1) / devices;
  return tile * (devices - 1);
}
