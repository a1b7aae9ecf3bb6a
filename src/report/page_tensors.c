// Problem: show how arguments and results lie on the mesh, for thousands of them and any number of
// devices.
//
// Idea: the page gets the axes of each dimension, not the tile of each device: the script computes
// the tile of a device as sharding_tile_range does. The largest tensors are listed; totals per
// sharding are of all. O(tensors · log tensors).
#include <stdlib.h>
#include <string.h>

#include "annotate/target.h"
#include "ops/functions.h"
#include "partition/tiles.h"
#include "report/page_private.h"

typedef struct Tensor {
  Edge edge;
  bool argument;
  uint32_t index;
  double local_bytes, global_bytes;
  const char *text;  // `[{"data"}, {}]`; "replicated"; "unknown"
} Tensor;

// All tensors of one sharding.
typedef struct Total {
  const char *text;
  double local_bytes, global_bytes;
  uint32_t count;
} Total;

static double bytes_of(const Context *context, Type type) {
  int64_t count;
  if (!type_is_tensor(context, type) || !type_count(context, type, &count)) return 0;
  return (double)count * dtype_bytes(type_dtype(context, type));
}

// The text of sharding_print without the mesh: `[{"data"}, {}]` and what follows.
static const char *text_of(const ShardingTable *table, Sharding sharding, StrBuf *scratch,
                           Arena *arena) {
  if (!sharding || sharding_is_replicated(table, sharding)) return "replicated";
  scratch->used = 0;
  sharding_print(table, sharding, scratch);
  const char *from = strstr(scratch->data, ", [");
  size_t n = scratch->used;
  if (!from || n < 4 || scratch->data[n - 1] != '>')
    return arena_printf(arena, "%s", scratch->data);
  from += 2;
  return arena_printf(arena, "%.*s", (int)(scratch->data + n - 1 - from), from);
}

// ---- order ----

static int largest_first(const void *x, const void *y) {
  const Tensor *a = x, *b = y;
  if (a->local_bytes != b->local_bytes) return a->local_bytes > b->local_bytes ? -1 : 1;
  if (a->argument != b->argument) return a->argument ? -1 : 1;
  return a->index < b->index ? -1 : a->index > b->index;
}

static int by_text(const void *x, const void *y) {
  return strcmp(((const Total *)x)->text, ((const Total *)y)->text);
}

static int largest_total_first(const void *x, const void *y) {
  const Total *a = x, *b = y;
  if (a->local_bytes != b->local_bytes) return a->local_bytes > b->local_bytes ? -1 : 1;
  return by_text(x, y);
}

// ---- JSON ----

static void mesh_json(const ShowSimulated *show, Json *json) {
  const Mesh *mesh = show->mesh;
  json_key(json, "mesh"), json_open(json, '{');
  json_key(json, "axes"), json_open(json, '[');
  for (uint32_t i = 0; mesh && i < mesh->n_axes; i++) {
    json_open(json, '{');
    json_key(json, "name");
    json_str(json, name_str(show->program->context, mesh->axes[i].name));
    json_key(json, "size"), json_uint(json, mesh->axes[i].size);
    json_close(json, '}');
  }
  json_close(json, ']');
  if (mesh && mesh->devices) {
    json_key(json, "device_ids"), json_open(json, '[');
    for (uint32_t i = 0; i < mesh->n_devices; i++) json_uint(json, mesh->devices[i]);
    json_close(json, ']');
  }
  json_close(json, '}');
}

// Per dimension a list of factors [size, axes…]; an axis is its index, or [index, pre, size] if it
// is a sub-axis.
static void split_json(const ShardingInfo *info, const Mesh *mesh, Json *json) {
  json_open(json, '[');
  for (uint32_t d = 0; d < info->rank; d++) {
    json_open(json, '[');
    for (uint32_t f = 0; f < info->dims[d].n_factors; f++) {
      const ShardFactor *factor = &info->dims[d].factors[f];
      json_open(json, '[');
      json_int(json, factor->size);
      for (uint32_t i = 0; i < factor->axes.n; i++) {
        AxisRef a = factor->axes.v[i];
        if (axis_is_full(mesh, a)) {
          json_uint(json, a.axis);
          continue;
        }
        json_open(json, '[');
        json_uint(json, a.axis), json_uint(json, a.pre_size), json_uint(json, a.size);
        json_close(json, ']');
      }
      json_close(json, ']');
    }
    json_close(json, ']');
  }
  json_close(json, ']');
}

static void tensor_json(const Report *report, const ShardingTable *table, OpId function,
                        const Tensor *t, Json *json) {
  const Program *p = report->show->program;
  const TypeInfo *type = type_info(p->context, t->edge.global);
  Str name = t->argument ? argument_path(p, function, t->index, report->arena)
                         : result_path(p, function, t->index, report->arena);
  json_open(json, '{');
  json_key(json, "role"), json_string(json, t->argument ? "argument" : "result");
  json_key(json, "index"), json_uint(json, t->index);
  json_key(json, "name"), json_str(json, name);
  json_key(json, "type"), json_string(json, type_text(p->context, t->edge.global));
  json_key(json, "dims"), json_open(json, '[');
  if (type_is_tensor(p->context, t->edge.global))
    for (uint32_t d = 0; d < type->rank; d++) json_int(json, type->dims[d]);
  json_close(json, ']');
  json_key(json, "bytes"), json_double(json, t->local_bytes);
  json_key(json, "global_bytes"), json_double(json, t->global_bytes);
  json_key(json, "sharding"), json_string(json, t->text);
  const ShardingInfo *info = sharding_info(table, t->edge.sharding);
  const Mesh *mesh = sharding_mesh(table, info->mesh), *drawn = report->show->mesh;
  if (mesh && drawn && mesh_equal(mesh, drawn)) {
    json_key(json, "split");
    split_json(info, mesh, json);
  }
  json_close(json, '}');
}

static void totals_json(Total *all, uint32_t n, Json *json) {
  if (n) qsort(all, n, sizeof *all, by_text);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n; i++) {
    Total *last = kept ? &all[kept - 1] : NULL;
    if (last && !strcmp(last->text, all[i].text)) {
      last->count++;
      last->local_bytes += all[i].local_bytes;
      last->global_bytes += all[i].global_bytes;
    } else {
      all[kept++] = all[i];
    }
  }
  if (kept) qsort(all, kept, sizeof *all, largest_total_first);
  json_key(json, "shardings"), json_open(json, '[');
  for (uint32_t i = 0; i < kept && i < REPORT_MOST_ROWS; i++) {
    json_open(json, '{');
    json_key(json, "sharding"), json_string(json, all[i].text);
    json_key(json, "count"), json_uint(json, all[i].count);
    json_key(json, "bytes"), json_double(json, all[i].local_bytes);
    json_key(json, "global_bytes"), json_double(json, all[i].global_bytes);
    json_close(json, '}');
  }
  json_close(json, ']');
}

// ---- all ----

typedef VEC(Tensor) TensorVec;

// Adds the arguments or the results of the function. marked: it has the attributes that partition
// writes. Otherwise nothing is known about shards, unless there is one device.
static Status *add_edges(const Report *report, OpId function, bool marked, bool results,
                         ShardingTable *table, StrBuf *scratch, TensorVec *all) {
  const Program *p = report->show->program;
  bool known = marked || report->show->simulated->n_devices == 1;
  uint32_t n = results ? function_n_results(p, function) : function_n_arguments(p, function);
  const Edge *edges = NULL;
  if (marked) TRY(tiles_edges(p, function, results, table, report->arena, &n, &edges));
  for (uint32_t i = 0; i < n; i++) {
    Tensor t = {.argument = !results, .index = i};
    if (edges) t.edge = edges[i];
    if (!edges)
      t.edge.global =
          results ? function_result_type(p, function, i) : function_argument_type(p, function, i);
    Type local = sharding_local_type(table, t.edge.sharding, t.edge.global);
    t.global_bytes = bytes_of(p->context, t.edge.global);
    t.local_bytes = bytes_of(p->context, local);
    t.text = known ? text_of(table, t.edge.sharding, scratch, report->arena) : "unknown";
    VEC_PUSH(report->arena, all, t);
  }
  return NULL;
}

static Status *put_all(const Report *report, OpId function, ShardingTable *table, StrBuf *scratch,
                       Json *json) {
  const Program *p = report->show->program;
  uint32_t n_devices = 0, n_arguments;
  TensorVec all = {0};
  TRY(tiles_devices(p, &n_devices));
  if (function) TRY(add_edges(report, function, n_devices, false, table, scratch, &all));
  n_arguments = all.count;
  if (function) TRY(add_edges(report, function, n_devices, true, table, scratch, &all));
  Total *totals = ARENA_ARRAY(report->arena, Total, n_arguments + 1);
  for (uint32_t i = 0; i < n_arguments; i++) {
    const Tensor *t = &all.items[i];
    totals[i] = (Total){t->text, t->local_bytes, t->global_bytes, 1};
  }
  totals_json(totals, n_arguments, json);
  if (all.count) qsort(all.items, all.count, sizeof *all.items, largest_first);
  json_key(json, "tensors"), json_open(json, '[');
  for (uint32_t i = 0; i < all.count && i < REPORT_MOST_TENSORS; i++)
    tensor_json(report, table, function, &all.items[i], json);
  json_close(json, ']');
  double rest = 0;
  for (uint32_t i = REPORT_MOST_TENSORS; i < all.count; i++) rest += all.items[i].local_bytes;
  json_key(json, "tensors_left_out"), json_open(json, '{');
  json_key(json, "count");
  json_uint(json, all.count > REPORT_MOST_TENSORS ? all.count - REPORT_MOST_TENSORS : 0);
  json_key(json, "bytes"), json_double(json, rest);
  json_close(json, '}');
  return NULL;
}

Status *page_tensors(const Report *report, Json *json) {
  const Program *p = report->show->program;
  Entries entries = program_entries(p, report->arena);
  mesh_json(report->show, json);
  ShardingTable *table = sharding_table_new(p->context, report->guard);
  GuardCleanup of_table = {sharding_table_release, table, NULL};
  guard_push(report->guard, &of_table);
  StrBuf scratch;
  strbuf_init(&scratch, report->guard);
  GuardCleanup of_scratch = {strbuf_release, &scratch, NULL};
  guard_push(report->guard, &of_scratch);
  Status *status = put_all(report, entries.n ? entries.v[0] : 0, table, &scratch, json);
  guard_pop(report->guard, &of_scratch);
  strbuf_deinit(&scratch);
  guard_pop(report->guard, &of_table);
  sharding_table_free(table);
  return status;
}
