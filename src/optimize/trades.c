// Given and made choices of passes, found by (pass, op, ask), and answers by (pass, local op). O(1)
// each.
#include "optimize/trades.h"

static bool given_equal(const void *owner, uint32_t id, const void *key) {
  const Trade *a = &((const Trades *)owner)->given.items[id], *b = key;
  return a->pass == b->pass && a->origin == b->origin && a->ask == b->ask;
}

static uint64_t trade_hash(const Trade *t) {
  return hash_mix(hash_mix(t->pass, t->origin), t->ask);
}

static bool count_equal(const void *owner, uint32_t id, const void *key) {
  const TradeCount *a = &((const Trades *)owner)->counts.items[id], *b = key;
  return a->pass == b->pass && a->origin == b->origin;
}

// How many times the pass asked about the op before; counts this time.
static uint32_t count(Trades *t, PassId pass, OpId origin) {
  TradeCount key = {pass, origin, 1};
  uint64_t hash = hash_mix(pass, origin);
  uint32_t id = idmap_find(&t->count_ids, hash, count_equal, t, &key);
  if (id) return t->counts.items[id].n++;
  if (!t->counts.count) VEC_PUSH(t->arena, &t->counts, (TradeCount){0});
  VEC_PUSH(t->arena, &t->counts, key);
  idmap_add(&t->count_ids, t->guard, hash, t->counts.count - 1);
  return 0;
}

static bool answer_equal(const void *owner, uint32_t id, const void *key) {
  const TradeAnswer *a = &((const Trades *)owner)->answers.items[id], *b = key;
  return a->pass == b->pass && a->op == b->op;
}

// The answer that was given about the local op; NULL if none was.
static TradeAnswer *answer_of(const Trades *t, PassId pass, OpId op) {
  TradeAnswer key = {.pass = pass, .op = op};
  uint32_t id = idmap_find(&t->answer_ids, hash_mix(pass, op), answer_equal, t, &key);
  return id ? &t->answers.items[id] : NULL;
}

static void keep_answer(Trades *t, PassId pass, OpId op, bool taken) {
  TradeAnswer *known = answer_of(t, pass, op);
  if (known) {
    known->taken = taken;
    return;
  }
  if (!t->answers.count) VEC_PUSH(t->arena, &t->answers, (TradeAnswer){0});
  VEC_PUSH(t->arena, &t->answers, ((TradeAnswer){pass, op, taken}));
  idmap_add(&t->answer_ids, t->guard, hash_mix(pass, op), t->answers.count - 1);
}

void trades_give(Trades *t, const Trade *trade) {
  if (!t->given.count) VEC_PUSH(t->arena, &t->given, (Trade){0});
  VEC_PUSH(t->arena, &t->given, *trade);
  idmap_add(&t->given_ids, t->guard, trade_hash(trade), t->given.count - 1);
}

// The form of collectives decides whether the last passes rewrite anything, and so whether the
// passes before them offer once more. A repeated offer that is not made was not taken, either.
static bool is_obeyed(const Trade *given) { return given->used || (given->ask && !given->taken); }

const Trade *trades_unused(const Trades *t) {
  for (uint32_t i = 1; i < t->given.count; i++)
    if (!is_obeyed(&t->given.items[i])) return &t->given.items[i];
  return NULL;
}

void trades_deinit(Trades *t) {
  idmap_deinit(&t->given_ids);
  idmap_deinit(&t->count_ids);
  idmap_deinit(&t->answer_ids);
}

bool trades_ask(Trades *t, PassId pass, const Program *p, OpId op, double bytes, bool rule) {
  if (!t) return rule;
  Trade made = {.pass = pass, .origin = op_at(p, op)->origin, .bytes = bytes, .taken = rule};
  made.ask = count(t, pass, made.origin);
  uint32_t id = idmap_find(&t->given_ids, trade_hash(&made), given_equal, t, &made);
  const TradeAnswer *before = answer_of(t, pass, op);
  if (id) {
    t->given.items[id].used = true;
    made.taken = t->given.items[id].taken;
    keep_answer(t, pass, op, made.taken);
  } else if (before) {
    made.taken = before->taken;
  } else if (t->rules[pass] != TRADE_BY_PASS) {
    made.taken = t->rules[pass] == TRADE_ALWAYS;
  }
  VEC_PUSH(t->arena, &t->made, made);
  return made.taken;
}
