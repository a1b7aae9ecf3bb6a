// Classes: attention, products, labels; and the laws on random programs.
#include "sharding/classes.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "sharding/sharding_fixture.h"

// ---- programs as plain arrays, from einsum-like text ----

enum { MOST = 4096 };

typedef struct World {
  Arena arena;
  uint32_t n_places, n_dims, n_nodes, n_tensors;
  uint32_t place_dims[MOST], labels[MOST], alike[MOST], tensors[MOST];
  int64_t sizes[MOST];
  ClassNode nodes[MOST];
  const FactorMap *maps[MOST];
  Classes classes;
} World;

static World *world_new(void) {
  static World world;
  world = (World){0};
  arena_init(&world.arena, NULL);
  return &world;
}

static uint32_t place(World *w, uint32_t rank, const int64_t *sizes) {
  uint32_t p = ++w->n_places;
  w->place_dims[p] = w->n_dims;
  for (uint32_t d = 0; d < rank; d++) w->sizes[w->n_dims++] = sizes[d];
  w->place_dims[p + 1] = w->n_dims;
  return p;
}
#define PLACE(w, ...)                                                                              \
  place(w, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (int64_t[]){__VA_ARGS__})

// rule: one word per tensor, results behind '>', a letter per factor, dims parted by '.', as in
// "b.l.m m.f >b.l.f" or "b.l >bl". sizes: of the letters a … z.
static void node(World *w, const char *rule, const int64_t *sizes, uint32_t n_tensors,
                 const uint32_t *places) {
  uint32_t ranks[16] = {0}, n = 0, n_operands = 0, factor_of[26];
  bool in_word = false;
  for (const char *c = rule;; c++) {
    if (*c == ' ' || !*c) {
      n += in_word;
      in_word = false;
      if (!*c) break;
      continue;
    }
    if (*c == '>') {
      n_operands = n;
      in_word = true;
      continue;
    }
    if (!in_word) in_word = true;
    if (c == rule || c[-1] == ' ' || c[-1] == '.' || c[-1] == '>') ranks[n] += *c != '.';
  }
  assert_int_equal(n, n_tensors);
  FactorBuilder build;
  factor_builder_init(&build, &w->arena, n_operands, n - n_operands, ranks);
  for (uint32_t i = 0; i < 26; i++) factor_of[i] = UINT32_MAX;
  uint32_t tensor = 0, dim = 0;
  for (const char *c = rule; *c; c++) {
    if (*c == ' ') {
      tensor++;
      dim = 0;
    } else if (*c == '.') {
      dim++;
    } else if (*c != '>') {
      uint32_t letter = (uint32_t)(*c - 'a');
      if (factor_of[letter] == UINT32_MAX)
        factor_of[letter] = factor_add(&build, sizes[letter], FACTOR_PASS);
      factor_put(&build, factor_of[letter], tensor, dim);
    }
  }
  FactorMap *map = ARENA_NEW(&w->arena, FactorMap);
  factor_build(&build, map);
  w->maps[w->n_nodes] = map;
  w->nodes[w->n_nodes] = (ClassNode){w->n_nodes, w->n_tensors, false};
  w->n_nodes++;
  for (uint32_t i = 0; i < n; i++) w->tensors[w->n_tensors++] = places[i];
}
#define NODE(w, rule, sizes, ...)                                                                  \
  node(w, rule, sizes, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t),                       \
       (uint32_t[]){__VA_ARGS__})

static void build(World *w) {
  ClassInput in = {.n_places = w->n_places,
                   .place_dims = w->place_dims,
                   .sizes = w->sizes,
                   .labels = w->labels,
                   .alike = w->alike,
                   .n_nodes = w->n_nodes,
                   .n_maps = w->n_nodes,
                   .nodes = w->nodes,
                   .tensors = w->tensors,
                   .maps = w->maps};
  classes_build(&in, &w->arena, &w->classes);
}

static ClassId at(const World *w, uint32_t p, uint32_t d) {
  return w->classes.class_of[w->place_dims[p] + d];
}

#define L(c) ((c) - 'a')

// ---- known programs ----

// scores = q x k; the mask has both lengths; probs x v; out + x. Order: of the operands of scores.
static void check_attention(bool keys_first) {
  World *w = world_new();
  int64_t s[26] = {[L('b')] = 2, [L('q')] = 16, [L('k')] = 16, [L('d')] = 8, [L('e')] = 8};
  uint32_t x = PLACE(w, 2, 16, 8), wq = PLACE(w, 8, 8), wk = PLACE(w, 8, 8);
  uint32_t q = PLACE(w, 2, 16, 8), k = PLACE(w, 2, 16, 8);
  uint32_t mask = PLACE(w, 16, 16), scores = PLACE(w, 2, 16, 16), masked = PLACE(w, 2, 16, 16);
  uint32_t wide = PLACE(w, 2, 16, 16), out = PLACE(w, 2, 16, 8), sum = PLACE(w, 2, 16, 8);
  uint32_t dmasked = PLACE(w, 2, 16, 16), both = PLACE(w, 2, 16, 16), dk = PLACE(w, 2, 16, 8);
  NODE(w, "b.q.d d.e >b.q.e", s, x, wq, q);
  NODE(w, "b.q.d d.e >b.q.e", s, x, wk, k);
  if (keys_first) {
    uint32_t turned = PLACE(w, 2, 16, 16);
    NODE(w, "b.k.d b.q.d >b.k.q", s, k, q, turned);
    NODE(w, "b.k.q >b.q.k", s, turned, scores);
  } else {
    NODE(w, "b.q.d b.k.d >b.q.k", s, q, k, scores);
  }
  NODE(w, "q.k >b.q.k", s, mask, wide);
  NODE(w, "b.q.k b.q.k >b.q.k", s, scores, wide, masked);
  NODE(w, "b.q.k b.k.e >b.q.e", s, masked, k, out);
  NODE(w, "b.q.e b.q.e >b.q.e", s, out, x, sum);
  // Backward: d masked = d out x values, multiplied with masked; d k.
  NODE(w, "b.q.e b.k.e >b.q.k", s, sum, k, dmasked);
  NODE(w, "b.q.k b.q.k >b.q.k", s, dmasked, masked, both);
  NODE(w, "b.q.k b.q.e >b.k.e", s, both, q, dk);
  build(w);
  ClassId length = at(w, x, 1), other = at(w, scores, 2);
  assert_int_not_equal(length, other);
  assert_int_equal(at(w, q, 1), length);
  assert_int_equal(at(w, k, 1), length);
  assert_int_equal(at(w, out, 1), length);
  uint32_t squares[] = {scores, masked, wide, dmasked, both};
  for (uint32_t i = 0; i < 5; i++) {
    assert_int_equal(at(w, squares[i], 1), length);
    assert_int_equal(at(w, squares[i], 2), other);
  }
  assert_int_equal(at(w, mask, 0), length);
  assert_int_equal(at(w, mask, 1), other);
  assert_int_equal(at(w, dk, 1), other);
  assert_int_equal(w->classes.classes[other].family, length);
  assert_int_equal(w->classes.classes[other].variant, 1);
  assert_int_equal(w->classes.classes[length].variant, 0);
  arena_deinit(&w->arena);
}

static void attention(void **state) {
  (void)state;
  check_attention(false);
  check_attention(true);
}

static void residual_weights_share_a_variant(void **state) {
  (void)state;
  World *w = world_new();
  int64_t s[26] = {[L('b')] = 4, [L('m')] = 8, [L('n')] = 8};
  uint32_t x = PLACE(w, 4, 8), w1 = PLACE(w, 8, 8), w2 = PLACE(w, 8, 8);
  uint32_t a = PLACE(w, 4, 8), y = PLACE(w, 4, 8), c = PLACE(w, 4, 8), z = PLACE(w, 4, 8);
  NODE(w, "b.m m.n >b.n", s, x, w1, a);
  NODE(w, "b.n b.n >b.n", s, x, a, y);
  NODE(w, "b.m m.n >b.n", s, y, w2, c);
  NODE(w, "b.n b.n >b.n", s, y, c, z);
  build(w);
  assert_int_equal(at(w, z, 1), at(w, x, 1));
  assert_int_equal(at(w, w1, 0), at(w, w2, 0));
  assert_int_equal(at(w, w1, 1), at(w, w2, 1));
  assert_int_not_equal(at(w, w1, 0), at(w, w1, 1));
  assert_int_equal(w->classes.classes[at(w, w1, 0)].family, at(w, x, 1));
  arena_deinit(&w->arena);
}

static void products(void **state) {
  (void)state;
  World *w = world_new();
  int64_t s[26] = {[L('b')] = 4,  [L('l')] = 6, [L('m')] = 8,
                   [L('n')] = 24, [L('x')] = 2, [L('y')] = 3};
  uint32_t x = PLACE(w, 4, 6, 8), flat = PLACE(w, 24, 8), more = PLACE(w, 24, 8);
  uint32_t back = PLACE(w, 4, 6, 8), fine = PLACE(w, 4, 2, 3, 8), coarse = PLACE(w, 2, 3, 8);
  NODE(w, "b.l.m >bl.m", s, x, flat);
  NODE(w, "n.m >n.m", s, flat, more);
  NODE(w, "bl.m >b.l.m", s, more, back);
  build(w);
  assert_int_equal(at(w, x, 0), at(w, back, 0));
  assert_int_equal(at(w, x, 1), at(w, back, 1));
  assert_int_equal(at(w, flat, 0), at(w, more, 0));
  const ClassInfo *info = &w->classes.classes[at(w, flat, 0)];
  assert_int_equal(info->n_parts, 2);
  assert_int_equal(w->classes.parts[info->parts], at(w, x, 0));
  assert_int_equal(w->classes.parts[info->parts + 1], at(w, x, 1));
  // A finer reshape: a former leaf has parts.
  s[L('l')] = 2;
  NODE(w, "b.x.y.m >bxy.m", s, fine, more);
  build(w);
  info = &w->classes.classes[at(w, x, 1)];
  assert_int_equal(info->n_parts, 2);
  assert_int_equal(w->classes.parts[info->parts], at(w, fine, 1));
  assert_int_equal(w->classes.parts[info->parts + 1], at(w, fine, 2));
  assert_int_equal(at(w, fine, 0), at(w, x, 0));
  info = &w->classes.classes[at(w, flat, 0)];
  assert_int_equal(info->n_parts, 3);
  (void)coarse;
  arena_deinit(&w->arena);
}

static void other_sizes_are_other_classes(void **state) {
  (void)state;
  World *w = world_new();
  int64_t s[26] = {[L('i')] = 8, [L('k')] = 4};
  uint32_t x = PLACE(w, 8, 4), slice = PLACE(w, 5, 4), sorted = PLACE(w, 8, 4);
  NODE(w, "i.k >i.k", s, x, slice);
  NODE(w, "i.k >i.k", s, x, sorted);
  uint32_t y = PLACE(w, 6, 4), moved = PLACE(w, 6, 4);
  NODE(w, "i.k >i.k", s, y, moved);
  w->nodes[w->n_nodes - 1].flow = true;
  build(w);
  assert_int_equal(at(w, y, 0), at(w, moved, 0));
  assert_int_not_equal(at(w, x, 0), at(w, slice, 0));
  assert_int_equal(at(w, x, 1), at(w, slice, 1));
  assert_int_equal(at(w, x, 0), at(w, sorted, 0));
  arena_deinit(&w->arena);
}

static void labels(void **state) {
  (void)state;
  World *w = world_new();
  int64_t s[26] = {[L('i')] = 8};
  uint32_t x = PLACE(w, 8), y = PLACE(w, 8), far = PLACE(w, 8), sum = PLACE(w, 8);
  NODE(w, "i i >i", s, x, y, sum);
  w->labels[w->place_dims[x]] = 1;
  w->labels[w->place_dims[far]] = 1;
  build(w);
  assert_int_equal(at(w, x, 0), at(w, far, 0));  // one label, one class
  assert_int_equal(at(w, x, 0), at(w, sum, 0));
  assert_int_equal(w->classes.classes[at(w, sum, 0)].label, 1);
  assert_int_equal(w->classes.clashes.count, 0);
  w->labels[w->place_dims[y]] = 2;
  build(w);
  assert_int_not_equal(at(w, x, 0), at(w, y, 0));
  assert_int_equal(w->classes.clashes.count, 1);
  assert_int_equal(w->classes.clashes.items[0].node, 0);
  arena_deinit(&w->arena);
}

static void alike_places(void **state) {
  (void)state;
  World *w = world_new();
  int64_t s[26] = {[L('i')] = 8, [L('j')] = 8, [L('b')] = 2};
  uint32_t w1 = PLACE(w, 8, 4), w2 = PLACE(w, 8, 4), v1 = PLACE(w, 8, 8), v2 = PLACE(w, 8, 8);
  uint32_t x = PLACE(w, 2, 8), y = PLACE(w, 2, 8), z = PLACE(w, 2, 8);
  w->alike[w1] = w->alike[w2] = 1;
  w->alike[v1] = w->alike[v2] = 2;
  NODE(w, "b.i i.j >b.j", s, x, v1, y);
  NODE(w, "b.i i.j >b.j", s, y, v2, z);
  build(w);
  assert_int_equal(at(w, w1, 0), at(w, w2, 0));
  assert_int_equal(at(w, w1, 1), at(w, w2, 1));
  assert_int_equal(at(w, v1, 1), at(w, v2, 0));
  assert_int_not_equal(at(w, v1, 0), at(w, v2, 0));  // y forbids it
  assert_int_not_equal(at(w, v1, 1), at(w, v2, 1));
  w->labels[w->place_dims[w1]] = 1;
  w->labels[w->place_dims[w2]] = 2;
  build(w);
  assert_int_not_equal(at(w, w1, 1), at(w, w2, 1));
  assert_int_equal(w->classes.clashes.count, 0);
  arena_deinit(&w->arena);
}

// ---- laws on random programs ----

static void random_program(World *w, Dice *dice, uint32_t n_sizes) {
  static const char *const rules[] = {"a.b a.b >a.b", "a.b b.c >a.c", "a.b >b.a",    "a.b >a.b",
                                      "a.b a.c >b.c", "a.b c.b >a.c", "a.b c >a.b.c"};
  int64_t s[26] = {0};
  for (uint32_t i = 0; i < 3; i++) s[i] = 3 + (int64_t)dice_roll(dice, n_sizes);
  const char *rule = rules[dice_roll(dice, 7)];
  uint32_t places[4], n = 0;
  for (const char *c = rule; *c; n++) {
    int64_t sizes[3];
    uint32_t rank = 0;
    for (; *c && *c != ' '; c++)
      if (*c >= 'a') sizes[rank++] = s[L(*c)];
    if (*c) c++;
    // One that fits if there is, else a new one.
    places[n] = 0;
    uint32_t from = w->n_places ? dice_roll(dice, w->n_places) : 0;
    for (uint32_t i = 0; i < w->n_places && !places[n] && *c; i++) {
      uint32_t p = 1 + (from + i) % w->n_places, first = w->place_dims[p];
      bool fits = w->place_dims[p + 1] - first == rank;
      for (uint32_t d = 0; fits && d < rank; d++) fits = w->sizes[first + d] == sizes[d];
      if (fits) places[n] = p;
    }
    if (!places[n]) places[n] = place(w, rank, sizes);
  }
  node(w, rule, s, n, places);
}

static void check_laws(const World *w) {
  const Classes *c = &w->classes;
  uint32_t counted = 0;
  for (uint32_t p = 1; p <= w->n_places; p++)
    for (uint32_t d = w->place_dims[p]; d < w->place_dims[p + 1]; d++) {
      assert_in_range(c->class_of[d], 1, c->n_classes);
      assert_int_equal(c->classes[c->class_of[d]].size, w->sizes[d]);
      assert_true(c->classes[c->class_of[d]].first <= d);
      for (uint32_t e = w->place_dims[p]; e < d; e++)
        assert_int_not_equal(c->class_of[d], c->class_of[e]);
    }
  for (ClassId i = 1; i <= c->n_classes; i++) {
    counted += c->classes[i].n_dims;
    if (i > 1) assert_true(c->classes[i].first > c->classes[i - 1].first);
    const ClassInfo *family = &c->classes[c->classes[i].family];
    assert_int_equal(family->variant, 0);
    assert_int_equal(family->size, c->classes[i].size);
  }
  assert_int_equal(counted, w->n_dims);
}

static void laws(void **state) {
  (void)state;
  Dice dice = dice_new(7);
  for (uint32_t round = 0; round < 300; round++) {
    World *w = world_new();
    uint32_t n = 1 + dice_roll(&dice, 40), n_sizes = 1 + dice_roll(&dice, 4);
    for (uint32_t i = 0; i < n; i++) random_program(w, &dice, n_sizes);
    build(w);
    check_laws(w);
    Classes first = w->classes;
    build(w);  // the same again
    assert_memory_equal(first.class_of, w->classes.class_of, w->n_dims * sizeof(ClassId));
    arena_deinit(&w->arena);
  }
}

// If no union is refused, the order of nodes does not matter.
static void order(void **state) {
  (void)state;
  Dice dice = dice_new(8);
  uint32_t compared = 0;
  for (uint32_t round = 0; round < 300; round++) {
    World *w = world_new();
    uint32_t n = 1 + dice_roll(&dice, 12);
    for (uint32_t i = 0; i < n; i++) random_program(w, &dice, 12);
    build(w);
    Classes first = w->classes;
    bool families = false;
    for (ClassId i = 1; i <= first.n_classes; i++) families |= first.classes[i].family != i;
    for (uint32_t i = w->n_nodes; i > 1; i--) {
      uint32_t k = dice_roll(&dice, i);
      ClassNode swap = w->nodes[i - 1];
      w->nodes[i - 1] = w->nodes[k];
      w->nodes[k] = swap;
    }
    build(w);
    if (!families) {
      compared++;
      assert_memory_equal(first.class_of, w->classes.class_of, w->n_dims * sizeof(ClassId));
    }
    arena_deinit(&w->arena);
  }
  assert_true(compared > 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(attention), cmocka_unit_test(residual_weights_share_a_variant),
      cmocka_unit_test(products),  cmocka_unit_test(other_sizes_are_other_classes),
      cmocka_unit_test(labels),    cmocka_unit_test(alike_places),
      cmocka_unit_test(laws),      cmocka_unit_test(order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
