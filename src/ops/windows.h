// Windows that slide over a padded, dilated dimension. reduce_window, select_and_scatter and
// convolution verify and evaluate with them.
#ifndef TESSERA_OPS_WINDOWS_H
#define TESSERA_OPS_WINDOWS_H

#include "ops/infer.h"
#include "ops/op.h"

typedef struct WindowDim {
  int64_t size, stride;
  int64_t pad_low, pad_high;  // negative: removes elements
  int64_t base_dilation, window_dilation;
  bool reversed;
} WindowDim;

// The number of positions of the window over a dimension of size `input`; DIM_DYNAMIC if input or
// the window's size is dynamic, -1 if the numbers overflow.
int64_t window_count(const WindowDim *w, int64_t input);

// The element that tap `tap` of the window at `position` reads; -1: padding.
static inline int64_t window_tap(const WindowDim *w, int64_t input, int64_t position, int64_t tap) {
  int64_t k = w->reversed ? w->size - 1 - tap : tap;
  int64_t at = position * w->stride + k * w->window_dilation;  // less than the padded size
  if (__builtin_sub_overflow(at, w->pad_low, &at) || at < 0 || at % w->base_dilation != 0)
    return -1;
  at /= w->base_dilation;
  return at < input ? at : -1;
}

// Does position i read element i and nothing else?
static inline bool window_is_plain(const WindowDim *w) {
  return w->size == 1 && w->stride == 1 && w->base_dilation == 1 && !w->pad_low && !w->pad_high;
}

// Reads the attributes of an op whose window covers every dimension (reduce_window,
// select_and_scatter): absent ones are 1 and 0. out has room for rank entries; the sizes must have
// been verified.
void windows_read(Context *context, Attr attrs, uint32_t rank, WindowDim *out);

// Verifies size and positivity of one list: names[…] of `rank` positive numbers. Absent is fine
// unless required.
bool windows_check(Infer *cx, const char *name, uint32_t rank, bool required, int size_constraint,
                   int positive_constraint);
// Verifies that `padding` is [rank, 2].
bool windows_check_padding(Infer *cx, uint32_t rank, int constraint);

#endif
