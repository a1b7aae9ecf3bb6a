// A cache of the shardings of arguments and results, valid until the program is rewritten. Callers
// ask for one value and one device at a time; without the cache each query would parse all
// attributes of the function again and allocate from the program's arena.
#include "base/mem.h"
#include "evaluate/evaluate.h"
#include "api/api_private.h"
#include "annotate/annotation.h"
#include "annotate/program_mesh.h"

typedef struct Edges {
  uint32_t n;
  const Edge *v;  // NULL: not read yet
} Edges;

struct EdgeCache {
  Arena arena;
  ShardingTable *table;  // has the program's meshes if ready
  Edges *edges;          // N_QUERIES per function
  bool ready;
};

void api_forget(tsr_program *h) {
  if (!h->edge_cache) return;
  sharding_table_free(h->edge_cache->table);
  arena_deinit(&h->edge_cache->arena);
  mem_free(h->edge_cache);
  h->edge_cache = NULL;
}

static Status *edge_cache_new(tsr_program *h, Guard *guard) {
  api_forget(h);
  EdgeCache *cache = h->edge_cache = mem_alloc(sizeof *h->edge_cache);
  if (!cache) return status_no_memory();
  *cache = (EdgeCache){0};
  arena_init(&cache->arena, guard);
  cache->edges = ARENA_ARRAY(&cache->arena, Edges, h->functions.count * N_QUERIES);
  cache->table = sharding_table_new(h->context, guard);
  TRY(program_meshes_read(h->program, cache->table));
  cache->ready = true;
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
  return attr ? sharding_from_attr(h->edge_cache->table, attr, 0, &edge->sharding) : NULL;
}

static Status *read_annotations(tsr_program *h, OpId function, bool results, Edges *out) {
  const Program *p = h->program;
  uint32_t n = results ? function_n_results(p, function) : function_n_arguments(p, function);
  Edge *edges = ARENA_ARRAY(&h->edge_cache->arena, Edge, n + 1);
  for (uint32_t i = 0; i < n; i++) TRY(read_annotation(h, function, results, i, &edges[i]));
  *out = (Edges){n, edges};
  return NULL;
}

static Status *read_tiles(tsr_program *h, OpId function, bool results, Edges *out) {
  Edges edges;
  TRY(tiles_edges(h->program, function, results, h->edge_cache->table, &h->edge_cache->arena,
                  &edges.n, &edges.v));
  *out = edges;
  return NULL;
}

Status *api_edge(tsr_program *h, size_t function, unsigned which, size_t i, Guard *guard,
                 const Edge **out_edge, ShardingTable **out_table) {
  TRY(api_check_function(h, function));
  if (!h->edge_cache || !h->edge_cache->ready) TRY(edge_cache_new(h, guard));
  EdgeCache *cache = h->edge_cache;
  arena_guard(&cache->arena, guard);
  sharding_table_guard(cache->table, guard);
  Edges *edges = &cache->edges[function * N_QUERIES + which];
  bool results = which & QUERY_RESULTS;
  if (!edges->v)
    TRY((which & QUERY_TILES ? read_tiles : read_annotations)(h, h->functions.items[function],
                                                              results, edges));
  if (i >= edges->n)
    FAIL(OUT_OF_RANGE, "%s %zu does not exist: there are %u", results ? "result" : "argument", i,
         edges->n);
  *out_edge = &edges->v[i];
  *out_table = cache->table;
  return NULL;
}
