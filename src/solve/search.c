// Two kinds of moves, both of which change many variables at once:
//
//   block   frees a random forest of variables and re-solves it exactly (block.c)
//   kick    forces one variable to another strategy, re-solves what is around it, repairs memory,
//           and improves; reaches plans that no forest reaches, because a hub changes together with
//           all its neighbours
//
// Which kind is next depends on what each gained per work so far, and now and then on chance. Work
// is counted, not timed, so the search does not depend on the machine.
#include "solve/search.h"

#include "solve/random.h"

enum { BLOCK_MOVE, KICK_MOVE, KICK_ROUNDS = 4, KICK_POLISH = 6, LARGEST_BLOCK_LOG = 12 };

#define SEED UINT64_C(88172645463325252)
#define FORGET 0.999  // of past gains, per move

void search_init(Search *s, const Core *core, const double *price, Arena *arena) {
  *s = (Search){.core = core, .price = price, .random = SEED};
  s->block = block_new(core, arena);
  s->repair = repair_new(core, arena);
  state_init(&s->best, core, arena);
  state_init(&s->trial, core, arena);
  s->costs = ARENA_ARRAY(arena, double, core->most_states + 1);
}

uint64_t search_work(const Search *s) { return s->best.work + s->trial.work; }

void search_offer(Search *s, const uint32_t *x, uint64_t most_work) {
  state_set(&s->trial, x);
  if (!repair_run(s->repair, s->block, &s->trial, s->price, most_work, &s->random)) return;
  state_descend(&s->trial, s->costs);
  if (s->found && s->trial.cost >= s->best.cost) return;
  state_copy(&s->best, &s->trial);
  s->found = true;
}

// Sizes are spread evenly over the powers of two.
static uint32_t block_size(Search *s) {
  uint32_t size = 2u << random_below(&s->random, LARGEST_BLOCK_LOG);
  return size / 2 + random_below(&s->random, size) + 1;
}

static bool block_move(Search *s, State *state) {
  uint32_t seed = random_below(&s->random, s->core->n_vars);
  block_grow(s->block, seed, block_size(s), BLOCK_UNLOCKED, &s->random);
  return block_solve(s->block, state, s->price);
}

static uint32_t random_neighbour(Search *s, uint32_t v) {
  const Core *core = s->core;
  uint32_t first = core->adjacent_first[v], n = core->adjacent_first[v + 1] - first;
  if (!n) return v;
  const CoreEdge *e = &core->edges[core->adjacent[first + random_below(&s->random, n)]];
  return e->a == v ? e->b : e->a;
}

// Forces variable v to strategy q and lets its surroundings follow.
static void force(Search *s, uint32_t v, uint32_t q) {
  State *trial = &s->trial;
  state_move(trial, v, q);
  for (uint32_t round = 0; round < KICK_ROUNDS; round++) {
    uint32_t seed = random_neighbour(s, v);
    if (seed == v) return;
    block_grow(s->block, seed, 8u << round, v, &s->random);
    block_minimize(s->block, trial, s->price);
  }
}

static bool kick_move(Search *s) {
  State *trial = &s->trial;
  uint32_t v = random_below(&s->random, s->core->n_vars);
  uint32_t q = random_below(&s->random, s->core->n[v] - 1);
  state_copy(trial, &s->best);
  trial->work += s->core->n_points / 8 + s->core->n_vars / 8;
  force(s, v, q + (q >= trial->x[v]));
  uint64_t most = s->core->n_entries / 4 + 20 * (uint64_t)(s->core->n_points + s->core->n_items);
  if (!repair_run(s->repair, s->block, trial, s->price, most, &s->random)) return false;
  if (s->core->n_vars <= 1000) state_descend(trial, s->costs);
  for (uint32_t i = 0; i < KICK_POLISH; i++) {
    block_grow(s->block, v, 16u << i, BLOCK_UNLOCKED, &s->random);
    (void)block_solve(s->block, trial, s->price);
  }
  if (trial->cost >= s->best.cost) return false;
  state_copy(&s->best, trial);
  return true;
}

static uint32_t choose_move(Search *s) {
  if (random_below(&s->random, 8) == 0) return random_below(&s->random, 2);
  double block = (s->gain[BLOCK_MOVE] + 1) / (s->work[BLOCK_MOVE] + 1);
  double kick = (s->gain[KICK_MOVE] + 1) / (s->work[KICK_MOVE] + 1);
  return kick > block ? KICK_MOVE : BLOCK_MOVE;
}

bool search_step(Search *s) {
  if (!s->core->n_vars) return false;
  uint32_t kind = choose_move(s);
  uint64_t work = search_work(s);
  int64_t cost = s->best.cost;
  bool better = kind == KICK_MOVE ? kick_move(s) : block_move(s, &s->best);
  s->gain[kind] = FORGET * s->gain[kind] + (double)(cost - s->best.cost);
  s->work[kind] = FORGET * s->work[kind] + (double)(search_work(s) - work);
  return better;
}
