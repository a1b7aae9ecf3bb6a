// Windows that slide over a sharded dimension: the elements that one device reads.
#ifndef TESSERA_OPS_WINDOWS_LOCAL_H
#define TESSERA_OPS_WINDOWS_LOCAL_H

#include "ops/localize.h"
#include "ops/windows.h"

// The indices that a device reads if it computes some of a window's positions, or some of its taps.
// Indices are those of the dilated dimension without padding, from 0.
typedef struct WindowShare {
  BuildWindow range;
  int64_t dilation;  // of the dimension
} WindowShare;

// The functions below are for a dimension of `size` elements over `ways` devices. False: it does
// not pay (a device would hold more than the dimension), or the numbers overflow.
//
// The device with coordinate c computes positions [count · c, count · c + count) of the window, of
// `positions` in total.
bool window_share_positions(const WindowDim *w, int64_t size, int64_t ways, int64_t count,
                            int64_t positions, WindowShare *out);
// It computes taps [count · c, count · c + count) at all `positions`.
bool window_share_taps(const WindowDim *w, int64_t size, int64_t ways, int64_t count,
                       int64_t positions, WindowShare *out);

// For `splits`: prices the read of dimension d of an operand by windows. A replicated operand
// (cx->replicated) is read without communication; for others the bytes are added to cx->bytes.
// *bytes: in, the bytes of the operand's shard; out, the bytes of the windows.
void window_count_read(Localizer *cx, uint32_t tensor, uint32_t d, BuildWindow w, double *bytes);
// For `localize`: the device's window of the operand, from its shard v; `fill` as in build_window.
ValueId window_read(Localizer *cx, ValueId v, uint32_t tensor, uint32_t d, BuildWindow w,
                    ValueId fill);

// The same for shares. *out: the low and high padding and the dilation that the local op must use.
// `fill` (rank 0): the value of padding and of the holes between dilated elements.
void window_share_count(Localizer *cx, uint32_t tensor, uint32_t d, const WindowShare *share,
                        double *bytes);
ValueId window_share_read(Localizer *cx, ValueId v, uint32_t tensor, uint32_t d,
                          const WindowShare *share, ValueId fill, WindowDim *out);

#endif
