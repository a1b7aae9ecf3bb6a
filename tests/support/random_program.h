// For tests: random modules of several functions, as text, with random meshes and annotations.
//
// Every op takes values that are there already where it can, so that shardings have ways to travel:
// through arithmetic, contractions, changes of shape, windows, gathers, loops, branches, barriers,
// groups, constraints, manual and named computations and calls (never recursive). The same dice
// give the same text.
#ifndef TESSERA_TESTS_SUPPORT_RANDOM_PROGRAM_H
#define TESSERA_TESTS_SUPPORT_RANDOM_PROGRAM_H

#include <stdio.h>

#include "sharding/sharding_fixture.h"

enum { RANDOM_RANK = 4, RANDOM_VALUES = 160, RANDOM_FUNCTIONS = 4, RANDOM_SIZE = 48 };

typedef struct RandomShape {
  uint32_t rank;
  int64_t dims[RANDOM_RANK];
} RandomShape;

typedef struct RandomValue {
  uint32_t number;  // %v<number>
  RandomShape shape;
} RandomValue;

typedef struct RandomSignature {
  uint32_t n_args, n_results;
  RandomShape args[3], results[2];
} RandomSignature;

typedef struct RandomProgram {
  Dice dice;
  ShardingTable *table;
  MeshId meshes[2];
  uint32_t n_meshes;
  StrBuf head;                         // meshes
  StrBuf functions[RANDOM_FUNCTIONS];  // callees first, main last
  uint32_t n_functions;
  RandomSignature signatures[RANDOM_FUNCTIONS];
  uint32_t function;  // the one being written
  StrBuf *out;        // its text
  RandomValue values[RANDOM_VALUES];
  uint32_t n_values, first_visible, next_number, depth;
  bool quiet;  // no annotations here
  bool runs;   // to be set before: nothing whose code is elsewhere
} RandomProgram;

static inline uint32_t random_roll(RandomProgram *r, uint32_t n) { return dice_roll(&r->dice, n); }

static inline bool random_shape_same(const RandomShape *a, const RandomShape *b) {
  bool same = a->rank == b->rank;
  for (uint32_t d = 0; same && d < a->rank; d++) same = a->dims[d] == b->dims[d];
  return same;
}

static inline RandomShape random_shape(RandomProgram *r) {
  static const int64_t sizes[] = {2, 4, 4, 6, 8, 8, 12, 3, 1};
  RandomShape shape = {.rank = 1 + random_roll(r, 3)};
  for (uint32_t d = 0; d < shape.rank; d++) shape.dims[d] = sizes[random_roll(r, 9)];
  return shape;
}

// ---- text ----

static inline const char *random_type(const RandomShape *shape, char *text, const char *element) {
  int n = sprintf(text, "tensor<");
  for (uint32_t d = 0; d < shape->rank; d++)
    n += sprintf(text + n, "%lldx", (long long)shape->dims[d]);
  sprintf(text + n, "%s>", element);
  return text;
}
#define RANDOM_TYPE(shape) random_type((shape), (char[128]){0}, "f32")

static inline void random_put_sharding(RandomProgram *r, uint32_t rank) {
  MeshId mesh = r->meshes[r->n_meshes > 1 && random_roll(r, 4) == 0];
  RandomOptions options = {.unreduced = random_roll(r, 8) == 0, .open = true};
  sharding_print(r->table, random_sharding(r->table, mesh, rank, options, &r->dice), r->out);
}

static inline void random_put_per_value(RandomProgram *r, uint32_t rank) {
  if (r->quiet || random_roll(r, 10)) return;
  strbuf_puts(r->out, " {sdy.sharding = #sdy.sharding_per_value<[");
  random_put_sharding(r, rank);
  strbuf_puts(r->out, "]>}");
}

static inline RandomValue random_new(RandomProgram *r, RandomShape shape) {
  RandomValue value = {r->next_number++, shape};
  if (r->n_values < RANDOM_VALUES) r->values[r->n_values++] = value;
  return value;
}

static inline RandomValue random_constant(RandomProgram *r, RandomShape shape) {
  RandomValue v = random_new(r, shape);
  strbuf_printf(r->out, "%%v%u = stablehlo.constant dense<1.0> : %s\n", v.number,
                RANDOM_TYPE(&shape));
  return v;
}

// One that is there; there may be none yet.
static inline RandomValue random_pick(RandomProgram *r) {
  if (r->n_values == r->first_visible) return random_constant(r, random_shape(r));
  uint32_t n = r->n_values - r->first_visible, near = n < 8 || random_roll(r, 2) ? n : 8;
  return r->values[r->n_values - 1 - random_roll(r, near)];
}

// One of this shape, made if need be.
static inline RandomValue random_of(RandomProgram *r, RandomShape shape) {
  RandomValue found[RANDOM_VALUES];
  uint32_t n = 0;
  for (uint32_t i = r->first_visible; i < r->n_values; i++)
    if (random_shape_same(&r->values[i].shape, &shape)) found[n++] = r->values[i];
  return n && random_roll(r, 4) ? found[random_roll(r, n)] : random_constant(r, shape);
}

// ---- ops ----

static inline void random_unary(RandomProgram *r) {
  static const char *const names[] = {"tanh", "negate", "exponential", "abs"};
  RandomValue x = random_pick(r), v = random_new(r, x.shape);
  strbuf_printf(r->out, "%%v%u = stablehlo.%s %%v%u", v.number, names[random_roll(r, 4)], x.number);
  random_put_per_value(r, x.shape.rank);
  strbuf_printf(r->out, " : %s\n", RANDOM_TYPE(&x.shape));
}

static inline void random_binary(RandomProgram *r) {
  static const char *const names[] = {"add", "multiply", "maximum", "divide"};
  RandomValue x = random_pick(r), y = random_of(r, x.shape), v = random_new(r, x.shape);
  strbuf_printf(r->out, "%%v%u = stablehlo.%s %%v%u, %%v%u", v.number, names[random_roll(r, 4)],
                x.number, y.number);
  random_put_per_value(r, x.shape.rank);
  strbuf_printf(r->out, " : %s\n", RANDOM_TYPE(&x.shape));
}

static inline void random_dot(RandomProgram *r) {
  RandomValue x = random_pick(r);
  uint32_t last = x.shape.rank - 1;
  bool batch = x.shape.rank > 1 && random_roll(r, 2);
  int64_t free = random_shape(r).dims[0];
  RandomShape other = {batch ? 3u : 2u, {x.shape.dims[last], free}};
  if (batch) other = (RandomShape){3, {x.shape.dims[0], x.shape.dims[last], free}};
  RandomValue y = random_of(r, other);
  RandomShape shape = x.shape;
  shape.dims[last] = free;
  RandomValue v = random_new(r, shape);
  strbuf_printf(r->out,
                "%%v%u = stablehlo.dot_general %%v%u, %%v%u, %scontracting_dims = [%u] x [%d] : "
                "(%s, %s) -> %s\n",
                v.number, x.number, y.number, batch ? "batching_dims = [0] x [0], " : "", last,
                batch, RANDOM_TYPE(&x.shape), RANDOM_TYPE(&other), RANDOM_TYPE(&shape));
}

static inline void random_transpose(RandomProgram *r) {
  RandomValue x = random_pick(r);
  uint32_t order[RANDOM_RANK], n = x.shape.rank;
  for (uint32_t d = 0; d < n; d++) order[d] = d;
  for (uint32_t d = n; d > 1; d--) {
    uint32_t k = random_roll(r, d), swap = order[d - 1];
    order[d - 1] = order[k];
    order[k] = swap;
  }
  RandomShape shape = {.rank = n};
  for (uint32_t d = 0; d < n; d++) shape.dims[d] = x.shape.dims[order[d]];
  RandomValue v = random_new(r, shape);
  strbuf_printf(r->out, "%%v%u = stablehlo.transpose %%v%u, dims = [", v.number, x.number);
  for (uint32_t d = 0; d < n; d++) strbuf_printf(r->out, d ? ", %u" : "%u", order[d]);
  strbuf_printf(r->out, "] : (%s) -> %s\n", RANDOM_TYPE(&x.shape), RANDOM_TYPE(&shape));
}

// Two dimensions become one, or one becomes two.
static inline void random_reshape(RandomProgram *r) {
  RandomValue x = random_pick(r);
  RandomShape shape = x.shape;
  uint32_t d = random_roll(r, shape.rank);
  if (d + 1 < shape.rank && random_roll(r, 2) && shape.dims[d] * shape.dims[d + 1] <= RANDOM_SIZE) {
    shape.dims[d] *= shape.dims[d + 1];
    for (uint32_t k = d + 1; k + 1 < shape.rank; k++) shape.dims[k] = shape.dims[k + 1];
    shape.rank--;
  } else if (shape.rank < RANDOM_RANK) {
    int64_t by = (int64_t[]){2, 3, 4, 1}[random_roll(r, 4)];
    if (shape.dims[d] % by) by = 1;
    for (uint32_t k = shape.rank; k > d + 1; k--) shape.dims[k] = shape.dims[k - 1];
    shape.dims[d + 1] = by;
    shape.dims[d] /= by;
    shape.rank++;
  }
  RandomValue v = random_new(r, shape);
  strbuf_printf(r->out, "%%v%u = stablehlo.reshape %%v%u : (%s) -> %s\n", v.number, x.number,
                RANDOM_TYPE(&x.shape), RANDOM_TYPE(&shape));
}

static inline void random_broadcast(RandomProgram *r) {
  RandomValue x = random_pick(r);
  if (x.shape.rank == RANDOM_RANK) return;
  RandomShape shape = {.rank = x.shape.rank + 1};
  uint32_t at = random_roll(r, shape.rank);
  for (uint32_t d = 0; d < shape.rank; d++)
    shape.dims[d] = d == at ? random_shape(r).dims[0] : x.shape.dims[d - (d > at)];
  RandomValue v = random_new(r, shape);
  strbuf_printf(r->out, "%%v%u = stablehlo.broadcast_in_dim %%v%u, dims = [", v.number, x.number);
  for (uint32_t d = 0; d < x.shape.rank; d++)
    strbuf_printf(r->out, d ? ", %u" : "%u", d + (d >= at));
  strbuf_printf(r->out, "] : (%s) -> %s\n", RANDOM_TYPE(&x.shape), RANDOM_TYPE(&shape));
}

static inline void random_reduce(RandomProgram *r) {
  RandomValue x = random_pick(r);
  if (x.shape.rank < 2) return;
  uint32_t at = random_roll(r, x.shape.rank);
  RandomShape shape = {.rank = x.shape.rank - 1};
  for (uint32_t d = 0; d < shape.rank; d++) shape.dims[d] = x.shape.dims[d + (d >= at)];
  RandomValue v = random_new(r, shape);
  strbuf_printf(r->out, "%%i%u = stablehlo.constant dense<0.0> : tensor<f32>\n", v.number);
  strbuf_printf(r->out,
                "%%v%u = stablehlo.reduce(%%v%u init: %%i%u) applies stablehlo.%s across "
                "dimensions = [%u] : (%s, tensor<f32>) -> %s\n",
                v.number, x.number, v.number, random_roll(r, 2) ? "add" : "maximum", at,
                RANDOM_TYPE(&x.shape), RANDOM_TYPE(&shape));
}

static inline void random_concatenate(RandomProgram *r) {
  RandomValue x = random_pick(r);
  uint32_t d = random_roll(r, x.shape.rank);
  if (2 * x.shape.dims[d] > RANDOM_SIZE) return;
  RandomValue y = random_of(r, x.shape);
  RandomShape shape = x.shape;
  shape.dims[d] *= 2;
  RandomValue v = random_new(r, shape);
  strbuf_printf(r->out, "%%v%u = stablehlo.concatenate %%v%u, %%v%u, dim = %u : (%s, %s) -> %s\n",
                v.number, x.number, y.number, d, RANDOM_TYPE(&x.shape), RANDOM_TYPE(&x.shape),
                RANDOM_TYPE(&shape));
}

static inline void random_slice(RandomProgram *r) {
  RandomValue x = random_pick(r);
  uint32_t at = random_roll(r, x.shape.rank);
  RandomShape shape = x.shape;
  shape.dims[at] = (shape.dims[at] + 1) / 2;
  RandomValue v = random_new(r, shape);
  strbuf_printf(r->out, "%%v%u = stablehlo.slice %%v%u [", v.number, x.number);
  for (uint32_t d = 0; d < shape.rank; d++)
    strbuf_printf(r->out, d ? ", 0:%lld" : "0:%lld", (long long)shape.dims[d]);
  strbuf_printf(r->out, "] : (%s) -> %s\n", RANDOM_TYPE(&x.shape), RANDOM_TYPE(&shape));
}

static inline void random_reverse(RandomProgram *r) {
  RandomValue x = random_pick(r), v = random_new(r, x.shape);
  strbuf_printf(r->out, "%%v%u = stablehlo.reverse %%v%u, dims = [%u] : %s\n", v.number, x.number,
                random_roll(r, x.shape.rank), RANDOM_TYPE(&x.shape));
}

static inline void random_select(RandomProgram *r) {
  RandomValue x = random_pick(r), y = random_of(r, x.shape), v = random_new(r, x.shape);
  char mask[128];
  random_type(&x.shape, mask, "i1");
  strbuf_printf(r->out, "%%p%u = stablehlo.compare LT, %%v%u, %%v%u : (%s, %s) -> %s\n", v.number,
                x.number, y.number, RANDOM_TYPE(&x.shape), RANDOM_TYPE(&x.shape), mask);
  strbuf_printf(r->out, "%%v%u = stablehlo.select %%p%u, %%v%u, %%v%u : %s, %s\n", v.number,
                v.number, x.number, y.number, mask, RANDOM_TYPE(&x.shape));
}

static inline void random_dynamic_slice(RandomProgram *r) {
  RandomValue x = random_pick(r);
  uint32_t at = random_roll(r, x.shape.rank);
  RandomShape part = x.shape;
  part.dims[at] = (part.dims[at] + 1) / 2;
  bool update = random_roll(r, 2);
  RandomValue y = update ? random_of(r, part) : x, v = random_new(r, update ? x.shape : part);
  strbuf_printf(r->out, "%%s%u = stablehlo.constant dense<1> : tensor<i32>\n", v.number);
  strbuf_printf(r->out, "%%v%u = stablehlo.dynamic_%sslice %%v%u", v.number,
                update ? "update_" : "", x.number);
  if (update) strbuf_printf(r->out, ", %%v%u", y.number);
  for (uint32_t d = 0; d < x.shape.rank; d++) strbuf_printf(r->out, ", %%s%u", v.number);
  if (!update) {
    strbuf_puts(r->out, ", sizes = [");
    for (uint32_t d = 0; d < part.rank; d++)
      strbuf_printf(r->out, d ? ", %lld" : "%lld", (long long)part.dims[d]);
    strbuf_puts(r->out, "]");
  }
  strbuf_printf(r->out, " : (%s", RANDOM_TYPE(&x.shape));
  if (update) strbuf_printf(r->out, ", %s", RANDOM_TYPE(&part));
  for (uint32_t d = 0; d < x.shape.rank; d++) strbuf_puts(r->out, ", tensor<i32>");
  strbuf_printf(r->out, ") -> %s\n", RANDOM_TYPE(&v.shape));
}

static inline void random_gather(RandomProgram *r) {
  RandomValue x = random_pick(r);
  RandomShape shape = x.shape;
  shape.dims[0] = random_shape(r).dims[0];
  RandomValue v = random_new(r, shape);
  long long n = (long long)shape.dims[0];
  strbuf_printf(r->out, "%%g%u = stablehlo.iota dim = 0 : tensor<%lldxi32>\n", v.number, n);
  strbuf_printf(r->out,
                "%%v%u = \"stablehlo.gather\"(%%v%u, %%g%u) <{dimension_numbers = "
                "#stablehlo.gather<offset_dims = [",
                v.number, x.number, v.number);
  for (uint32_t d = 1; d < shape.rank; d++) strbuf_printf(r->out, d > 1 ? ", %u" : "%u", d);
  strbuf_puts(r->out, "], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = "
                      "1>, slice_sizes = array<i64: 1");
  for (uint32_t d = 1; d < shape.rank; d++)
    strbuf_printf(r->out, ", %lld", (long long)shape.dims[d]);
  strbuf_printf(r->out, ">}> : (%s, tensor<%lldxi32>) -> %s\n", RANDOM_TYPE(&x.shape), n,
                RANDOM_TYPE(&shape));
}

static inline void random_sort(RandomProgram *r) {
  RandomValue x = random_pick(r), v = random_new(r, x.shape);
  strbuf_printf(r->out,
                "%%v%u = \"stablehlo.sort\"(%%v%u) <{dimension = %u : i64, is_stable = true}> ({\n"
                "^bb0(%%a: tensor<f32>, %%b: tensor<f32>):\n"
                "%%c = stablehlo.compare LT, %%a, %%b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
                "stablehlo.return %%c : tensor<i1>\n}) : (%s) -> %s\n",
                v.number, x.number, random_roll(r, x.shape.rank), RANDOM_TYPE(&x.shape),
                RANDOM_TYPE(&x.shape));
}

static inline void random_custom_call(RandomProgram *r) {
  RandomValue x = random_pick(r);
  if (x.shape.rank != 2 || r->runs) return;
  RandomValue v = random_new(r, x.shape);
  bool whole = random_roll(r, 2);  // the second dimension is needed whole and comes out anew
  long long m = (long long)x.shape.dims[0], n = (long long)x.shape.dims[1];
  strbuf_printf(r->out, "%%v%u = stablehlo.custom_call @own(%%v%u) {sdy.sharding_rule = ", v.number,
                x.number);
  if (whole)
    strbuf_printf(r->out,
                  "#sdy.op_sharding_rule<([i, j])->([i, k]) {i=%lld, j=%lld, k=%lld} "
                  "need_replication={j}, custom>}",
                  m, n, n);
  else
    strbuf_printf(r->out, "#sdy.op_sharding_rule<([i, j])->([i, j]) {i=%lld, j=%lld}, custom>}", m,
                  n);
  strbuf_printf(r->out, " : (%s) -> %s\n", RANDOM_TYPE(&x.shape), RANDOM_TYPE(&x.shape));
}

static inline void random_constraint(RandomProgram *r) {
  if (r->quiet) return;
  RandomValue x = random_pick(r), v = random_new(r, x.shape);
  strbuf_printf(r->out, "%%v%u = sdy.sharding_constraint %%v%u ", v.number, x.number);
  random_put_sharding(r, x.shape.rank);
  strbuf_printf(r->out, " : %s\n", RANDOM_TYPE(&x.shape));
}

static inline void random_group(RandomProgram *r) {
  if (r->quiet) return;
  RandomValue x = random_pick(r), y = random_of(r, x.shape);
  // Members of a group have one shape: a number of its own for each pair.
  uint32_t number = r->next_number++;
  strbuf_printf(r->out, "sdy.sharding_group %%v%u group_id=%u : %s\n", x.number, number,
                RANDOM_TYPE(&x.shape));
  strbuf_printf(r->out, "sdy.sharding_group %%v%u group_id=%u : %s\n", y.number, number,
                RANDOM_TYPE(&x.shape));
}

static inline void random_barrier(RandomProgram *r) {
  static const char *const ways[] = {"FORWARD", "BACKWARD", "NONE"};
  RandomValue x = random_pick(r), v = random_new(r, x.shape);
  if (random_roll(r, 2))
    strbuf_printf(r->out, "%%v%u = sdy.propagation_barrier %%v%u allowed_direction=%s : %s\n",
                  v.number, x.number, ways[random_roll(r, 3)], RANDOM_TYPE(&x.shape));
  else
    strbuf_printf(r->out, "%%v%u = stablehlo.optimization_barrier %%v%u : %s\n", v.number, x.number,
                  RANDOM_TYPE(&x.shape));
}

static inline void random_ops(RandomProgram *r, uint32_t n);

// Writes the inside of a region that ends by returning a value of this shape.
static inline void random_region(RandomProgram *r, RandomShape shape, const char *terminator,
                                 uint32_t first_visible, const RandomValue *argument,
                                 const char *also, const char *also_type) {
  uint32_t n_values = r->n_values, visible = r->first_visible;
  r->depth++;
  r->first_visible = first_visible;
  if (argument && r->n_values < RANDOM_VALUES) r->values[r->n_values++] = *argument;
  random_ops(r, 1 + random_roll(r, 4));
  RandomValue result = random_of(r, shape);
  strbuf_printf(r->out, "%s %s%%v%u : %s%s\n", terminator, also, result.number, also_type,
                RANDOM_TYPE(&shape));
  r->n_values = n_values;
  r->first_visible = visible;
  r->depth--;
}

static inline void random_while(RandomProgram *r) {
  RandomValue x = random_pick(r), inside = {r->next_number++, x.shape};
  uint32_t k = r->next_number++;
  const char *type = RANDOM_TYPE(&x.shape);
  strbuf_printf(r->out, "%%n%u = stablehlo.constant dense<3> : tensor<i32>\n", k);
  strbuf_printf(r->out,
                "%%v%u:2 = stablehlo.while(%%k%u = %%n%u, %%v%u = %%v%u) : tensor<i32>, %s\n", k, k,
                k, inside.number, x.number, type);
  strbuf_printf(
      r->out,
      "cond {\n%%c%u = stablehlo.compare LT, %%k%u, %%n%u : (tensor<i32>, tensor<i32>) -> "
      "tensor<i1>\nstablehlo.return %%c%u : tensor<i1>\n} do {\n",
      k, k, k, k);
  char also[32];
  snprintf(also, sizeof also, "%%k%u, ", k);
  random_region(r, x.shape, "stablehlo.return", r->first_visible, &inside, also, "tensor<i32>, ");
  RandomValue v = random_new(r, x.shape);
  strbuf_printf(r->out, "}\n%%v%u = stablehlo.negate %%v%u#1 : %s\n", v.number, k, type);
}

static inline void random_branch(RandomProgram *r) {
  RandomShape shape = random_pick(r).shape;
  uint32_t k = r->next_number++;
  bool two = random_roll(r, 2);
  strbuf_printf(r->out, "%%b%u = stablehlo.constant dense<%s> : tensor<%s>\n", k,
                two ? "true" : "1", two ? "i1" : "i32");
  strbuf_printf(r->out, "%%v%u = \"stablehlo.%s\"(%%b%u) ({\n", k, two ? "if" : "case", k);
  for (uint32_t i = 0, n = two ? 2 : 3; i < n; i++) {
    if (i) strbuf_puts(r->out, "}, {\n");
    random_region(r, shape, "stablehlo.return", r->first_visible, NULL, "", "");
  }
  strbuf_printf(r->out, "}) : (tensor<%s>) -> %s\n", two ? "i1" : "i32", RANDOM_TYPE(&shape));
  if (r->n_values < RANDOM_VALUES) r->values[r->n_values++] = (RandomValue){k, shape};
}

static inline void random_named(RandomProgram *r) {
  RandomValue x = random_pick(r), inside = {r->next_number++, x.shape};
  uint32_t k = r->next_number++;
  const char *type = RANDOM_TYPE(&x.shape);
  strbuf_printf(r->out, "%%v%u = sdy.named_computation<\"n\">(%%v%u) (%%v%u: %s) {\n", k, x.number,
                inside.number, type);
  random_region(r, x.shape, "sdy.return", r->n_values, &inside, "", "");
  strbuf_printf(r->out, "} : (%s) -> %s\n", type, type);
  if (r->n_values < RANDOM_VALUES) r->values[r->n_values++] = (RandomValue){k, x.shape};
}

static inline void random_manual(RandomProgram *r) {
  if (r->quiet) return;
  RandomValue x = random_pick(r);
  const Mesh *mesh = sharding_mesh(r->table, r->meshes[0]);
  Context *context = sharding_table_context(r->table);
  if (!mesh->n_axes) return;
  const MeshAxis *axis = &mesh->axes[random_roll(r, mesh->n_axes)];
  if (x.shape.dims[0] % axis->size) return;
  const char *name = name_text(context, axis->name);
  RandomShape local = x.shape;
  local.dims[0] /= axis->size;
  RandomValue inside = {r->next_number++, local};
  uint32_t k = r->next_number++;
  strbuf_printf(r->out, "%%v%u = sdy.manual_computation(%%v%u)", k, x.number);
  for (int out = 0; out < 2; out++) {
    strbuf_printf(r->out, " %s_shardings=[<@%s, [{\"%s\"%s}", out ? "out" : "in",
                  name_text(context, mesh->symbol), name, random_roll(r, 2) ? ", ?" : "");
    for (uint32_t d = 1; d < x.shape.rank; d++)
      strbuf_puts(r->out, random_roll(r, 4) ? ", {?}" : ", {}");
    strbuf_puts(r->out, "]>]");
  }
  strbuf_printf(r->out, " manual_axes={\"%s\"} (%%v%u: %s) {\n", name, inside.number,
                RANDOM_TYPE(&local));
  r->quiet = true;
  random_region(r, local, "sdy.return", r->n_values, &inside, "", "");
  r->quiet = false;
  strbuf_printf(r->out, "} : (%s) -> %s\n", RANDOM_TYPE(&x.shape), RANDOM_TYPE(&x.shape));
  if (r->n_values < RANDOM_VALUES) r->values[r->n_values++] = (RandomValue){k, x.shape};
}

static inline void random_call(RandomProgram *r) {
  if (!r->function || r->quiet) return;  // a callee may have a group in common with calls elsewhere
  uint32_t callee = random_roll(r, r->function);
  const RandomSignature *s = &r->signatures[callee];
  RandomValue args[3];
  for (uint32_t i = 0; i < s->n_args; i++) args[i] = random_of(r, s->args[i]);
  uint32_t k = r->next_number++;
  strbuf_printf(r->out, "%%v%u:%u = func.call @f%u(", k, s->n_results, callee);
  for (uint32_t i = 0; i < s->n_args; i++)
    strbuf_printf(r->out, i ? ", %%v%u" : "%%v%u", args[i].number);
  strbuf_puts(r->out, ") : (");
  for (uint32_t i = 0; i < s->n_args; i++)
    strbuf_printf(r->out, i ? ", %s" : "%s", RANDOM_TYPE(&s->args[i]));
  strbuf_puts(r->out, ") -> (");
  for (uint32_t i = 0; i < s->n_results; i++)
    strbuf_printf(r->out, i ? ", %s" : "%s", RANDOM_TYPE(&s->results[i]));
  strbuf_puts(r->out, ")\n");
  for (uint32_t i = 0; i < s->n_results; i++) {
    RandomValue v = random_new(r, s->results[i]);
    strbuf_printf(r->out, "%%v%u = stablehlo.abs %%v%u#%u : %s\n", v.number, k, i,
                  RANDOM_TYPE(&s->results[i]));
  }
}

static inline void random_ops(RandomProgram *r, uint32_t n) {
  static void (*const flat[])(RandomProgram *) = {
      random_unary,   random_binary,      random_binary,  random_dot,           random_dot,
      random_binary,  random_transpose,   random_reshape, random_broadcast,     random_reduce,
      random_slice,   random_concatenate, random_reverse, random_dynamic_slice, random_gather,
      random_select,  random_sort,        random_barrier, random_constraint,    random_group,
      random_reshape, random_custom_call};
  static void (*const deep[])(RandomProgram *) = {random_while, random_branch, random_named,
                                                  random_manual, random_call};
  for (uint32_t i = 0; i < n; i++) {
    if (r->depth < 2 && random_roll(r, 5) == 0)
      deep[random_roll(r, sizeof deep / sizeof deep[0])](r);
    else
      flat[random_roll(r, sizeof flat / sizeof flat[0])](r);
  }
}

static inline void random_put_attr(RandomProgram *r, uint32_t rank, uint32_t one_in) {
  if (random_roll(r, one_in)) return;
  strbuf_puts(r->out, " {sdy.sharding = #sdy.sharding");
  random_put_sharding(r, rank);
  strbuf_puts(r->out, "}");
}

static inline void random_release_text(void *object) { strbuf_deinit(object); }

static inline void random_function(RandomProgram *r) {
  RandomSignature *s = &r->signatures[r->function];
  bool main = r->function + 1 == r->n_functions;
  r->n_values = r->first_visible = 0;
  s->n_args = 1 + random_roll(r, 3);
  if (main)
    strbuf_puts(r->out, "func.func public @main(");
  else
    strbuf_printf(r->out, "func.func private @f%u(", r->function);
  for (uint32_t i = 0; i < s->n_args; i++) {
    s->args[i] = i && random_roll(r, 3) == 0 ? s->args[0] : random_shape(r);
    RandomValue v = random_new(r, s->args[i]);
    strbuf_printf(r->out, i ? ", %%v%u: %s" : "%%v%u: %s", v.number, RANDOM_TYPE(&s->args[i]));
    random_put_attr(r, s->args[i].rank, main ? 2 : 6);
  }
  StrBuf *whole = r->out, body;
  strbuf_init(&body, whole->guard);
  GuardCleanup cleanup = {.release = random_release_text, .object = &body};
  guard_push(whole->guard, &cleanup);
  r->out = &body;
  random_ops(r, 4 + random_roll(r, main ? 16 : 6));
  s->n_results = 1 + random_roll(r, 2);
  RandomValue results[2];
  for (uint32_t i = 0; i < s->n_results; i++) {
    results[i] = random_pick(r);
    s->results[i] = results[i].shape;
  }
  r->out = whole;
  strbuf_puts(r->out, ") -> (");
  for (uint32_t i = 0; i < s->n_results; i++) {
    strbuf_printf(r->out, i ? ", %s" : "%s", RANDOM_TYPE(&s->results[i]));
    random_put_attr(r, s->results[i].rank, main ? 4 : 8);
  }
  strbuf_puts(r->out, ") {\n");
  strbuf_put(r->out, body.data ? body.data : "", body.used);
  guard_pop(whole->guard, &cleanup);
  strbuf_deinit(&body);
  strbuf_puts(r->out, "return ");
  for (uint32_t i = 0; i < s->n_results; i++)
    strbuf_printf(r->out, i ? ", %%v%u" : "%%v%u", results[i].number);
  for (uint32_t i = 0; i < s->n_results; i++)
    strbuf_printf(r->out, i ? ", %s" : " : %s", RANDOM_TYPE(&s->results[i]));
  strbuf_puts(r->out, "\n}\n");
}

// Fills head and functions. The table is for writing annotations only: the text stands alone.
static inline void random_program(RandomProgram *r, ShardingTable *table, Guard *guard,
                                  uint64_t salt) {
  Context *context = sharding_table_context(table);
  *r = (RandomProgram){.dice = dice_new(salt), .table = table, .runs = r->runs};
  strbuf_init(&r->head, guard);
  for (uint32_t i = 0; i < RANDOM_FUNCTIONS; i++) strbuf_init(&r->functions[i], guard);
  r->n_meshes = 1 + (random_roll(r, 6) == 0);
  for (uint32_t i = 0; i < r->n_meshes; i++) {
    const Mesh *mesh = random_mesh(context, &r->dice, name_of(context, i ? "other" : "mesh"));
    r->meshes[i] = sharding_mesh_add(table, mesh);
    strbuf_printf(&r->head, "sdy.mesh @%s = <[", i ? "other" : "mesh");
    for (uint32_t k = 0; k < mesh->n_axes; k++)
      strbuf_printf(&r->head, "%s\"%s\"=%u", k ? ", " : "", name_text(context, mesh->axes[k].name),
                    mesh->axes[k].size);
    strbuf_puts(&r->head, "]");
    for (uint32_t k = 0; mesh->devices && k < mesh->n_devices; k++)
      strbuf_printf(&r->head, k ? ", %u" : ", device_ids=[%u", mesh->devices[k]);
    strbuf_puts(&r->head, mesh->devices ? "]>\n" : ">\n");
  }
  r->n_functions = 1 + random_roll(r, RANDOM_FUNCTIONS);
  for (r->function = 0; r->function < r->n_functions; r->function++) {
    r->out = &r->functions[r->function];
    random_function(r);
  }
}

static inline void random_program_deinit(RandomProgram *r) {
  strbuf_deinit(&r->head);
  for (uint32_t i = 0; i < RANDOM_FUNCTIONS; i++) strbuf_deinit(&r->functions[i]);
}

// The module, its functions in their order or the other way round.
static inline void random_program_text(const RandomProgram *r, bool backwards, StrBuf *out) {
  strbuf_puts(out, "module {\n");
  strbuf_put(out, r->head.data, r->head.used);
  for (uint32_t i = 0; i < r->n_functions; i++) {
    const StrBuf *f = &r->functions[backwards ? r->n_functions - 1 - i : i];
    strbuf_put(out, f->data, f->used);
  }
  strbuf_puts(out, "}\n");
}

#endif
