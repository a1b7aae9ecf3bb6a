// Tables refer to each other by id, so each table is copied as it is. Attributes and types are ids,
// too, and have the same meaning in a context_copy. Only resources hold pointers, into the
// context's arena.
#include "ir/clone.h"

#include <string.h>

static void release_program(void *program) { program_free(program); }

#define COPY_TABLE(guard, from, to)                                                                \
  do {                                                                                             \
    HEAPVEC_RESERVE((guard), (to), (from)->count);                                                 \
    if ((from)->count) memcpy((to)->items, (from)->items, (from)->count * sizeof *(to)->items);    \
    (to)->count = (from)->count;                                                                   \
  } while (0)

Program *program_clone(const Program *p, Context *context, Guard *guard) {
  Program *q = program_new(context, guard, p->source);
  GuardCleanup cleanup = {release_program, q, NULL};
  guard_push(guard, &cleanup);
  COPY_TABLE(guard, &p->ops, &q->ops);
  COPY_TABLE(guard, &p->values, &q->values);
  COPY_TABLE(guard, &p->operands, &q->operands);
  COPY_TABLE(guard, &p->blocks, &q->blocks);
  COPY_TABLE(guard, &p->regions, &q->regions);
  COPY_TABLE(guard, &p->resources, &q->resources);
  for (uint32_t i = 0; i < q->resources.count && context != p->context; i++) {
    Resource *r = &q->resources.items[i];
    if (r->bytes) r->data = arena_copy(context_arena(context), r->data, r->bytes);
  }
  q->root = p->root;
  q->n_dead = p->n_dead;
  q->trip_count = p->trip_count;
  guard_pop(guard, &cleanup);
  return q;
}
