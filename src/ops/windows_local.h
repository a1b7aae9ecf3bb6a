// Windows that slide over a dimension which is cut over devices: what of it one device reads.
#ifndef TESSERA_OPS_WINDOWS_LOCAL_H
#define TESSERA_OPS_WINDOWS_LOCAL_H

#include "ops/localize.h"
#include "ops/windows.h"

// What a device reads when it does some of a window's positions, or some of its taps: places of the
// dilated, unpadded dimension, which begins at 0.
typedef struct WindowShare {
  BuildWindow places;
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

// For `splits`: dimension d of an operand is read by windows. One that is there whole is read as it
// is; for others what it moves is added to cx->bytes. *bytes is what the device holds of the
// operand, and becomes what it then holds.
void window_count_read(Localizer *cx, uint32_t tensor, uint32_t d, BuildWindow w, double *bytes);
// For `localize`: what the device reads of v, its part of the operand; `fill` as of build_window.
ValueId window_read(Localizer *cx, ValueId v, uint32_t tensor, uint32_t d, BuildWindow w,
                    ValueId fill);

// The same for shares. *out: the low and high padding and the dilation with which the op must see
// it. `fill` (rank 0) is what lies outside and between dilated elements.
void window_share_count(Localizer *cx, uint32_t tensor, uint32_t d, const WindowShare *share,
                        double *bytes);
ValueId window_share_read(Localizer *cx, ValueId v, uint32_t tensor, uint32_t d,
                          const WindowShare *share, ValueId fill, WindowDim *out);

#endif
