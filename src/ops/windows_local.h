// Windows that slide over a dimension which is cut over devices: what of it one device reads.
#ifndef TESSERA_OPS_WINDOWS_LOCAL_H
#define TESSERA_OPS_WINDOWS_LOCAL_H

#include "ops/localize.h"
#include "ops/windows.h"

// What a device reads when it does some of a window's positions, or some of its taps: places of the
// dilated, unpadded dimension, which begins at 0.
typedef struct WindowShare {
  LocalWindow places;
  int64_t dilation;  // of the dimension
} WindowShare;

// Over a dimension of `size` elements cut over `ways` devices; false if it does not pay (a device
// would hold more than the whole) or the numbers are absurd.
//
// Positions [count · c, count · c + count) of the window, of `positions` in all, on the device with
// coordinate c.
bool window_share_positions(const WindowDim *w, int64_t size, int64_t ways, int64_t count,
                            int64_t positions, WindowShare *out);
// Taps [count · c, count · c + count) of it, at all `positions`.
bool window_share_taps(const WindowDim *w, int64_t size, int64_t ways, int64_t count,
                       int64_t positions, WindowShare *out);

// For `splits`: adds to cx->bytes what reading it along dimension d of an operand moves. *bytes is
// what the device holds of the operand, and grows to what it then holds.
void window_share_count(Localizer *cx, uint32_t tensor, uint32_t d, const WindowShare *share,
                        double *bytes);

// The tile v of dimension d becomes what the device reads; `fill` (rank 0) where that lies outside
// of the dimension. *out: the low and high padding and the dilation with which the op must see it.
ValueId window_share_read(Local *l, ValueId v, uint32_t d, AxisList axes, int64_t size,
                          const WindowShare *share, ValueId fill, WindowDim *out);

#endif
