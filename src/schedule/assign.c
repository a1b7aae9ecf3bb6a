// Problem: offsets for buffers with live intervals, close to the least arena.
// Idea: scan the positions. When a span begins, it takes the smallest gap that is large enough
// ("best fit"); of equal gaps the lowest. When it ends, its bytes become a gap and merge with their
// neighbours. Of spans that begin together the largest is placed first.
// Invariant: gaps are disjoint, sorted by offset, and never adjacent; the last one is open above.
// Cost: O(n log n) for sorting, O(gaps) per span.
#include "schedule/assign.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

typedef struct Gap {
  uint64_t begin, end;
} Gap;

typedef struct Gaps {
  Arena *arena;
  VEC(Gap) list;
  uint64_t top;  // the highest end of a span so far
} Gaps;

static uint64_t round_up(uint64_t bytes, uint64_t align) {
  if (bytes == 0) return align;  // distinct addresses for empty buffers
  return bytes > UINT64_MAX - align ? UINT64_MAX / 2 : (bytes + align - 1) / align * align;
}

typedef struct Order {
  uint32_t key, index;
  uint64_t bytes;
} Order;

// By position; of one position the largest first, then by index.
static int compare_orders(const void *a, const void *b) {
  const Order *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

static Order *sorted(uint32_t n, const Span *spans, bool by_end, Arena *arena) {
  Order *orders = ARENA_ARRAY(arena, Order, n + 1);
  for (uint32_t i = 0; i < n; i++)
    orders[i] = (Order){by_end ? spans[i].to : spans[i].from, i, spans[i].bytes};
  qsort(orders, n, sizeof *orders, compare_orders);
  return orders;
}

static uint64_t take(Gaps *gaps, uint64_t bytes) {
  uint32_t best = gaps->list.count;
  for (uint32_t i = 0; i < gaps->list.count; i++) {
    uint64_t room = gaps->list.items[i].end - gaps->list.items[i].begin;
    if (room < bytes) continue;
    if (best == gaps->list.count ||
        room < gaps->list.items[best].end - gaps->list.items[best].begin)
      best = i;
  }
  Gap *gap = &gaps->list.items[best];  // the last gap fits every span
  uint64_t offset = gap->begin;
  gap->begin += bytes;
  if (gap->begin > gaps->top) gaps->top = gap->begin;
  if (gap->begin == gap->end) {
    memmove(gap, gap + 1, (gaps->list.count - best - 1) * sizeof *gap);
    gaps->list.count--;
  }
  return offset;
}

static void give_back(Gaps *gaps, uint64_t begin, uint64_t end) {
  uint32_t at = 0, high = gaps->list.count;
  while (at < high) {
    uint32_t middle = (at + high) / 2;
    if (gaps->list.items[middle].begin < begin)
      at = middle + 1;
    else
      high = middle;
  }
  Gap *before = at ? &gaps->list.items[at - 1] : NULL,
      *after = at < gaps->list.count ? &gaps->list.items[at] : NULL;
  bool joins_before = before && before->end == begin, joins_after = after && after->begin == end;
  if (joins_before && joins_after) {
    before->end = after->end;
    memmove(after, after + 1, (gaps->list.count - at - 1) * sizeof *after);
    gaps->list.count--;
  } else if (joins_before) {
    before->end = end;
  } else if (joins_after) {
    after->begin = begin;
  } else {
    VEC_PUSH(gaps->arena, &gaps->list, ((Gap){0}));
    Gap *place = &gaps->list.items[at];
    memmove(place + 1, place, (gaps->list.count - at - 1) * sizeof *place);
    *place = (Gap){begin, end};
  }
}

uint64_t assign_offsets(uint32_t n, Span *spans, uint64_t align, Arena *scratch) {
  Gaps gaps = {.arena = scratch};
  uint64_t total = 0;
  for (uint32_t i = 0; i < n; i++) {
    total += round_up(spans[i].bytes, align);
    if (total > UINT64_MAX / 2) return UINT64_MAX;
  }
  VEC_PUSH(scratch, &gaps.list, ((Gap){0, UINT64_MAX / align * align}));
  const Order *begins = sorted(n, spans, false, scratch), *ends = sorted(n, spans, true, scratch);
  uint32_t ended = 0;
  for (uint32_t i = 0; i < n; i++) {
    for (; ends[ended].key < begins[i].key; ended++) {
      const Span *span = &spans[ends[ended].index];
      give_back(&gaps, span->offset, span->offset + round_up(span->bytes, align));
    }
    Span *span = &spans[begins[i].index];
    span->offset = take(&gaps, round_up(span->bytes, align));
  }
  return gaps.top;
}

uint64_t assign_bound(uint32_t n, const Span *spans, uint64_t align, Arena *scratch) {
  const Order *begins = sorted(n, spans, false, scratch), *ends = sorted(n, spans, true, scratch);
  uint64_t alive = 0, most = 0;
  for (uint32_t i = 0, ended = 0; i < n; i++) {
    for (; ends[ended].key < begins[i].key; ended++)
      alive -= round_up(spans[ends[ended].index].bytes, align);
    alive += round_up(spans[begins[i].index].bytes, align);
    if (alive > most) most = alive;
  }
  return most;
}
