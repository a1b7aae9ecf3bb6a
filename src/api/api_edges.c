// The shardings of a function's arguments and results, read once and kept until the program is
// rewritten: questions come one value and one device at a time, and each reading would leave its
// scraps in the program's memory, and cost O(all of them).
#include "base/mem.h"
#include "evaluate/evaluate.h"
#include "api/api_private.h"
#include "annotate/annotation.h"
#include "annotate/program_mesh.h"

typedef struct Edges {
  uint32_t n;
  const Edge *v;  // NULL: not read yet
} Edges;

struct Asked {
  Arena arena;
  ShardingTable *table;  // has the program's meshes if ready
  Edges *edges;          // per function N_ASKS
  bool ready;
};

void api_forget(tsr_program *h) {
  if (!h->asked) return;
  sharding_table_free(h->asked->table);
  arena_deinit(&h->asked->arena);
  mem_free(h->asked);
  h->asked = NULL;
}

static Status *asked_make(tsr_program *h, Guard *guard) {
  api_forget(h);
  Asked *asked = h->asked = mem_alloc(sizeof *h->asked);
  if (!asked) return status_no_memory();
  *asked = (Asked){0};
  arena_init(&asked->arena, guard);
  asked->edges = ARENA_ARRAY(&asked->arena, Edges, h->functions.count * N_ASKS);
  asked->table = sharding_table_new(h->context, guard);
  TRY(program_meshes_read(h->program, asked->table));
  asked->ready = true;
  return NULL;
}

static Status *read_annotation(tsr_program *h, OpId function, bool results, uint32_t i,
                               Edge *edge) {
  const Program *p = h->program;
  ValueId value = results ? 0 : function_argument(p, function, i);
  Attr attr = results ? annotation_get_result(p, function, i)
              : value ? annotation_own(p, value)
                      : 0;
  edge->global = results ? function_result_type(p, function, i)
                 : value ? value_type(p, value)
                         : evaluate_argument_type(p, function, i);
  return attr ? sharding_from_attr(h->asked->table, attr, 0, &edge->sharding) : NULL;
}

static Status *read_annotations(tsr_program *h, OpId function, bool results, Edges *out) {
  const Program *p = h->program;
  uint32_t n = results ? function_n_results(p, function) : function_n_arguments(p, function);
  Edge *edges = ARENA_ARRAY(&h->asked->arena, Edge, n + 1);
  for (uint32_t i = 0; i < n; i++) TRY(read_annotation(h, function, results, i, &edges[i]));
  *out = (Edges){n, edges};
  return NULL;
}

static Status *read_tiles(tsr_program *h, OpId function, bool results, Edges *out) {
  Edges edges;
  TRY(tiles_edges(h->program, function, results, h->asked->table, &h->asked->arena, &edges.n,
                  &edges.v));
  *out = edges;
  return NULL;
}

Status *api_edge(tsr_program *h, size_t function, unsigned which, size_t i, Guard *guard,
                 const Edge **out_edge, ShardingTable **out_table) {
  TRY(api_check_function(h, function));
  if (!h->asked || !h->asked->ready) TRY(asked_make(h, guard));
  Asked *asked = h->asked;
  arena_guard(&asked->arena, guard);
  sharding_table_guard(asked->table, guard);
  Edges *edges = &asked->edges[function * N_ASKS + which];
  bool results = which & ASK_RESULTS;
  if (!edges->v)
    TRY((which & ASK_TILES ? read_tiles : read_annotations)(h, h->functions.items[function],
                                                            results, edges));
  if (i >= edges->n)
    FAIL(OUT_OF_RANGE, "%s %zu does not exist: there are %u", results ? "result" : "argument", i,
         edges->n);
  *out_edge = &edges->v[i];
  *out_table = asked->table;
  return NULL;
}
