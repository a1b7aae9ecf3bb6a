// Choices in which a pass trades communication against memory or time: a decision each (D18).
//
//   carry       a loop carries a larger partial sum, and one reduce_scatter is behind the loop
//   invariant   the result of a collective is kept while a loop runs, instead of once per iteration
//   share       a gathered value is kept for a later user, instead of gathered again
//   matmul      a gather and a contraction become a ring of permutes and smaller contractions
//
// A pass asks after it knows that the rewrite is correct and sends less. The answer is its own
// rule, unless one is given. The other passes only lower the cost and ask nothing.
#ifndef TESSERA_OPTIMIZE_TRADES_H
#define TESSERA_OPTIMIZE_TRADES_H

#include "base/idmap.h"
#include "base/vec.h"
#include "optimize/optimize.h"

typedef struct Trade {
  PassId pass;
  OpId origin;   // of the local op: an op of the global program
  uint32_t ask;  // passes run several times: how many times this pass asked about this op before
  bool taken;
  double bytes;   // of memory that it takes; 0 if it trades time
  uint32_t line;  // of a given one: in its text,
  Pos pos;        // and of its op
  bool used;      // of a given one
} Trade;

typedef struct TradeCount {
  PassId pass;
  OpId origin;
  uint32_t n;
} TradeCount;

// A given choice holds as long as the pass asks about the same local op: passes run several times.
typedef struct TradeAnswer {
  PassId pass;
  OpId op;
  bool taken;
} TradeAnswer;

typedef enum TradeRule { TRADE_BY_PASS, TRADE_ALWAYS, TRADE_NEVER } TradeRule;

typedef struct Trades {
  Arena *arena;
  Guard *guard;
  VEC(Trade) given;  // [0] unused
  IdMap given_ids;
  VEC(Trade) made;         // in the order of questions
  VEC(TradeCount) counts;  // [0] unused
  IdMap count_ids;
  VEC(TradeAnswer) answers;  // [0] unused
  IdMap answer_ids;
  TradeRule rules[PASS_COUNT];  // of questions without an answer
} Trades;

// {0} but for arena and guard is fine.
void trades_give(Trades *trades, const Trade *trade);
// The first given trade that no pass asked about; NULL if all were. A later ask (ask > 0) that is
// answered with no needs no asking: what no pass offers again is not taken.
const Trade *trades_unused(const Trades *trades);
void trades_deinit(Trades *trades);

// Whether a pass does it: as it is given for this ask, else as it was given for this local op
// before, else by trades->rules, else by the rule of the pass. trades may be NULL: then by the
// latter.
bool trades_ask(Trades *trades, PassId pass, const Program *p, OpId op, double bytes, bool rule);

#endif
