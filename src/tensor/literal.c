// Problem: a run creates many values of any size and may stop anywhere (an error longjmps).
//
// Idea: a literal is one block of memory: the record, its dims (or items), then its elements. The
// heap's doubly linked list holds all live blocks, so literal_heap_deinit frees them after any end.
//
// Invariant: heap->bytes is the sum of the live blocks and of the charges, and stays within the
// limit. Creation is O(bytes) for zeroing; retain and release are O(1), of a tuple O(items).
#include "tensor/literal.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"

enum { ALIGNMENT = 16, DATA_ALIGNMENT = 64 };  // of records, of elements

static size_t align_up(size_t bytes) {
  return (bytes + (ALIGNMENT - 1)) & ~(size_t)(ALIGNMENT - 1);
}

static _Noreturn void too_big(LiteralHeap *heap, const char *what) {
  guard_throw(heap->guard, status_new(RESOURCE_EXHAUSTED, __FILE__, __LINE__, "%s", what));
}

void literal_heap_init(LiteralHeap *heap, Guard *guard, size_t limit_bytes) {
  *heap = (LiteralHeap){.guard = guard, .limit_bytes = limit_bytes};
}

void literal_heap_deinit(LiteralHeap *heap) {
  for (Literal *at = heap->first, *next; at; at = next) {
    next = at->next;
    mem_free(at);
  }
  heap->first = NULL;
  heap->bytes = 0;
}

// Room for elements, so that they can be aligned inside of a block.
static size_t data_room(size_t data) { return data ? data + (DATA_ALIGNMENT - ALIGNMENT) : 0; }

// The bytes of a literal's block; must match literal_block's layout.
static size_t block_bytes(size_t head, size_t data) {
  return align_up(sizeof(Literal)) + align_up(head) + data;
}

static size_t literal_head_bytes(const Literal *l) {
  return l->kind == LITERAL_ARRAY ? l->rank * sizeof(int64_t) : l->n_items * sizeof(Literal *);
}

static size_t literal_data_bytes(const Literal *l) {
  return l->kind == LITERAL_ARRAY ? (size_t)l->count * (size_t)dtype_bytes(l->dtype) : 0;
}

static bool fits(const LiteralHeap *heap, size_t bytes) {
  return !heap->limit_bytes ||
         (bytes <= heap->limit_bytes && heap->bytes <= heap->limit_bytes - bytes);
}

Status *literal_heap_charge(LiteralHeap *heap, size_t bytes) {
  if (!fits(heap, bytes))
    FAIL(RESOURCE_EXHAUSTED,
         "values and processes take %zu bytes and a process needs %zu more for its stack and "
         "frames, over the limit of %zu (--memory)",
         heap->bytes, bytes, heap->limit_bytes);
  heap->bytes += bytes;
  return NULL;
}

void literal_heap_refund(LiteralHeap *heap, size_t bytes) { heap->bytes -= bytes; }

// A linked, zeroed record with room for `head` bytes (dims or items) and `data` bytes behind it.
static Literal *literal_block(LiteralHeap *heap, LiteralKind kind, size_t head, size_t data) {
  size_t bytes;
  if (!size_add(align_up(sizeof(Literal)) + align_up(head), data, &bytes))
    too_big(heap, "a value is too big for this machine");
  if (!fits(heap, bytes))
    guard_throw(heap->guard,
                status_new(RESOURCE_EXHAUSTED, __FILE__, __LINE__,
                           "values take %zu bytes and %zu more are needed, over the limit of %zu "
                           "(--memory)",
                           heap->bytes, bytes, heap->limit_bytes));
  Literal *l = mem_alloc(bytes);
  if (!l) guard_throw(heap->guard, status_no_memory());
  memset(l, 0, bytes);
  l->refs = 1;
  l->kind = kind;
  l->heap = heap;
  l->next = heap->first;
  if (heap->first) heap->first->prev = l;
  heap->first = l;
  heap->bytes += bytes;
  return l;
}

static void *literal_head(Literal *l) { return (char *)l + align_up(sizeof(Literal)); }

static Literal *array_new(LiteralHeap *heap, Type elem, DType dtype, uint32_t rank,
                          const int64_t *dims) {
  assert(rank <= MAX_RANK && "the verifier limits the rank");
  size_t count = 1, bytes = 0;
  bool empty = false;
  for (uint32_t d = 0; d < rank; d++) {
    if (dims[d] < 0) too_big(heap, "a value has a dimension of unknown or negative size");
    if (dims[d] == 0) empty = true;
  }
  if (empty) count = 0;
  for (uint32_t d = 0; d < rank && !empty; d++)
    if (!size_mul(count, (size_t)dims[d], &count)) too_big(heap, "a value has too many elements");
  if (!size_mul(count, (size_t)dtype_bytes(dtype), &bytes) || bytes > PTRDIFF_MAX / 2)
    too_big(heap, "a value has too many elements");
  Literal *l = literal_block(heap, LITERAL_ARRAY, rank * sizeof(int64_t), data_room(bytes));
  l->elem = elem;
  l->dtype = dtype;
  l->rank = rank;
  l->count = (int64_t)count;
  int64_t *own = literal_head(l);
  if (rank) memcpy(own, dims, rank * sizeof *own);
  l->dims = own;
  char *data = (char *)own + align_up(rank * sizeof *own);
  if (bytes) data += -(uintptr_t)data % DATA_ALIGNMENT;
  l->data = data;
  return l;
}

Literal *literal_new(LiteralHeap *heap, const Context *context, Type elem, uint32_t rank,
                     const int64_t *dims) {
  const QuantInfo *quant = type_quant_info(context, elem);
  return array_new(heap, elem, quant ? quant->storage : type_dtype(context, elem), rank, dims);
}

Literal *literal_new_typed(LiteralHeap *heap, const Context *context, Type tensor) {
  const TypeInfo *info = type_info(context, tensor);
  if (info->kind != TYPE_TENSOR) too_big(heap, "a value of a type that is no tensor was asked for");
  return literal_new(heap, context, info->elem, info->rank, info->dims);
}

Literal *literal_like(const Literal *shape, const Context *context, Type elem) {
  return literal_new(shape->heap, context, elem, shape->rank, shape->dims);
}

Literal *literal_copy(const Literal *literal) {
  return literal_reshape(literal, literal->rank, literal->dims);
}

Literal *literal_reshape(const Literal *literal, uint32_t rank, const int64_t *dims) {
  Literal *l = array_new(literal->heap, literal->elem, literal->dtype, rank, dims);
  assert(l->count == literal->count && "a reshape keeps the number of elements");
  memcpy(l->data, literal->data, literal_data_bytes(literal));
  return l;
}

Literal *literal_scalar(LiteralHeap *heap, DType dtype, Scalar value) {
  Literal *l = array_new(heap, type_scalar(dtype), dtype, 0, NULL);
  literal_set(l, 0, value);
  return l;
}

Literal *literal_token(LiteralHeap *heap) { return literal_block(heap, LITERAL_TOKEN, 0, 0); }

Literal *literal_tuple(LiteralHeap *heap, LiteralKind kind, uint32_t n, Literal *const *items) {
  Literal *l = literal_block(heap, kind, n * sizeof *items, 0);
  l->n_items = n;
  l->items = literal_head(l);
  for (uint32_t i = 0; i < n; i++) l->items[i] = literal_retain(items[i]);
  return l;
}

Literal *literal_from_dense(LiteralHeap *heap, const Context *context, Attr dense) {
  const AttrInfo *info = attr_info(context, dense);
  Literal *l = literal_new_typed(heap, context, info->type);
  size_t one = (size_t)dtype_bytes(l->dtype), bytes = literal_data_bytes(l);
  if (!info->splat) {
    if (info->bytes != bytes)
      guard_throw(heap->guard, status_new(INVALID_ARGUMENT, __FILE__, __LINE__,
                                          "a constant has %zu bytes and its type needs %zu",
                                          info->bytes, bytes));
    if (bytes) memcpy(l->data, info->data, bytes);
  } else if (bytes) {
    // Doubling copies: O(bytes) with few calls.
    memcpy(l->data, info->data, one);
    for (size_t done = one; done < bytes; done *= 2)
      memcpy((char *)l->data + done, l->data, done < bytes - done ? done : bytes - done);
  }
  return l;
}

Literal *literal_retain(Literal *literal) {
  if (literal) literal->refs++;
  return literal;
}

void literal_release(Literal *literal) {
  if (!literal || --literal->refs) return;
  for (uint32_t i = 0; i < literal->n_items; i++) literal_release(literal->items[i]);
  LiteralHeap *heap = literal->heap;
  heap->bytes -= block_bytes(literal_head_bytes(literal), data_room(literal_data_bytes(literal)));
  if (literal->prev)
    literal->prev->next = literal->next;
  else
    heap->first = literal->next;
  if (literal->next) literal->next->prev = literal->prev;
  mem_free(literal);
}

void literal_copy_elements(Literal *to, int64_t to_index, const Literal *from, int64_t from_index,
                           int64_t n) {
  assert(to->dtype == from->dtype && "elements are copied between equal storage types");
  size_t one = (size_t)dtype_bytes(to->dtype);
  memcpy((char *)to->data + (size_t)to_index * one,
         (const char *)from->data + (size_t)from_index * one, (size_t)n * one);
}

bool literal_matches(const Context *context, const Literal *l, Type type) {
  const TypeInfo *info = type_info(context, type);
  switch (l->kind) {
  case LITERAL_TOKEN: return info->kind == TYPE_TOKEN;
  case LITERAL_TUPLE:
  case LITERAL_FUTURE:
    if (info->kind != (l->kind == LITERAL_TUPLE ? TYPE_TUPLE : TYPE_FUTURE) ||
        info->n_items != l->n_items)
      return false;
    for (uint32_t i = 0; i < l->n_items; i++)
      if (!literal_matches(context, l->items[i], info->items[i])) return false;
    return true;
  case LITERAL_ARRAY: break;
  }
  if ((info->kind != TYPE_TENSOR && info->kind != TYPE_MEMREF) || l->elem != info->elem ||
      l->rank != info->rank)
    return false;
  for (uint32_t d = 0; d < l->rank; d++)
    if (info->dims[d] != DIM_DYNAMIC && info->dims[d] != l->dims[d]) return false;
  return true;
}

bool literal_same_shape(const Literal *a, const Literal *b) {
  return a->rank == b->rank &&
         (a->rank == 0 || memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0);
}

void shape_strides(uint32_t rank, const int64_t *dims, int64_t *out) {
  uint64_t stride = 1;  // unsigned: an empty shape may have dims whose product overflows
  for (uint32_t d = rank; d-- > 0;) {
    out[d] = (int64_t)stride;
    stride *= (uint64_t)dims[d];
  }
}

bool shape_next(uint32_t rank, const int64_t *dims, int64_t *index) {
  for (uint32_t d = rank; d-- > 0;) {
    if (++index[d] < dims[d]) return true;
    index[d] = 0;
  }
  return false;
}

int64_t shape_linear(uint32_t rank, const int64_t *dims, const int64_t *index) {
  int64_t at = 0;
  for (uint32_t d = 0; d < rank; d++) at = at * dims[d] + index[d];
  return at;
}
