// The stages decide, partition, optimize and check: translates options of the session to those of
// src/partition and src/optimize, where the algorithms are. Also reads and writes "passes" of the
// JSON decisions: whether a pass trades memory or time for communication (optimize/trades.h). They
// name ops by the numbers of src/partition, which src/optimize does not know.
#include "pipeline/partition.h"

#include <string.h>

#include "base/json.h"
#include "base/json_read.h"
#include "ops/infer.h"
#include "optimize/trades.h"
#include "partition/sdy_collectives.h"

// Has the program ops that only a partitioner's input after propagation has?
static bool is_propagated(const Program *p) {
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root))
    if (op_at(p, o)->code == OP_sdy_reshard || sdy_is_collective(op_at(p, o)->code)) return true;
  return false;
}

void keep_propagated_edges(const Program *program, PropagateRequest *request) {
  if (!is_propagated(program)) return;
  if (!request->allow_arguments && !request->allow_argument_flags.given)
    request->allow_arguments = "none";
  if (!request->allow_results && !request->allow_result_flags.given)
    request->allow_results = "none";
}

// ---- choices of passes ----

// INVALID_ARGUMENT, with the location of the op that the choice is about.
static Status *refuse_trade(Session *s, const Trade *t, const char *why) {
  const char *pass = t->pass < PASS_COUNT ? pass_name(t->pass) : "?";
  diag_error(&s->diag, t->pos, "the choice of pass '%s' (line %u of the decisions) is refused: %s",
             pass, t->line, why);
  FAIL(INVALID_ARGUMENT, "the choice of pass '%s' (line %u of the decisions) is refused: %s", pass,
       t->line, why);
}

// Reads one entry of "passes".
static Status *read_trade(Session *s, const JsonValue *v, Trades *trades) {
  static const char *const keys[] = {"pass", "op", "ask", "taken", "bytes", NULL};
  const JsonValue *name = json_get(v, "pass"), *op = json_get(v, "op"), *ask = json_get(v, "ask"),
                  *taken = json_get(v, "taken");
  Trade trade = {.line = v->line, .pos = POS_NONE};
  while (trade.pass < PASS_COUNT && name && name->kind == JSON_STRING &&
         strcmp(pass_name(trade.pass), name->string) != 0)
    trade.pass++;
  if (v->kind == JSON_OBJECT && json_find_unknown(v, keys) < v->count)
    return refuse_trade(s, &trade, "it has an unknown key, or one twice");
  uint32_t number = op && json_is_uint(op) ? (uint32_t)op->number : 0;
  trade.origin = number ? partition_numbered(s->partition, number) : 0;
  if (!name || name->kind != JSON_STRING || trade.pass == PASS_COUNT || (op && !trade.origin) ||
      !taken || taken->kind != JSON_BOOL || (ask && (!op || !json_is_uint(ask))))
    return refuse_trade(
        s, &trade,
        "it needs \"pass\", the name of one, \"taken\", true or false, and may have "
        "\"op\", a number of an op");
  if (!op) {
    trades->rules[trade.pass] = taken->truth ? TRADE_ALWAYS : TRADE_NEVER;
    return NULL;
  }
  trade.pos = partition_numbered_pos(s->partition, number);
  trade.ask = ask ? (uint32_t)ask->number : 0;
  trade.taken = taken->truth;
  trades_give(trades, &trade);
  return NULL;
}

// Can the text have the key "passes"? Most decisions have none and need not be read again. An
// escaped key has a backslash.
static bool may_have_passes(Str text) {
  static const char key[] = "\"passes\"";
  if (!text.n || memchr(text.s, '\\', text.n)) return text.n > 0;
  for (size_t i = 0; i + sizeof key - 1 <= text.n; i++) {
    const char *quote = memchr(text.s + i, '"', text.n - i);
    if (!quote) return false;
    i = (size_t)(quote - text.s);
    if (i + sizeof key - 1 <= text.n && !memcmp(quote, key, sizeof key - 1)) return true;
  }
  return false;
}

static Status *read_trades(Session *s, Str text, Trades *trades) {
  const JsonValue *root, *list;
  if (!may_have_passes(text)) return NULL;
  TRY(json_read(text, &s->arena, &root));
  list = json_get(partition_decisions_of(root), "passes");
  if (list && list->kind != JSON_ARRAY) {
    diag_error(&s->diag, POS_NONE, "line %u of the decisions: \"passes\" is not an array",
               list->line);
    return diag_status(&s->diag);
  }
  for (uint32_t i = 0; list && i < list->count; i++) TRY(read_trade(s, &list->items[i], trades));
  return NULL;
}

// Writes "passes". Trades about ops without a number (ops that passes made) are left out.
static void write_trades(Session *s, const Trades *trades, Json *json) {
  json_break(json, 1);
  json_key(json, "passes"), json_open(json, '[');
  for (uint32_t i = 0; i < trades->made.count; i++) {
    const Trade *t = &trades->made.items[i];
    uint32_t number = partition_number(s->partition, t->origin);
    if (!number) continue;
    json_break(json, 2);
    json_open(json, '{');
    json_key(json, "pass"), json_string(json, pass_name(t->pass));
    json_key(json, "op"), json_uint(json, number);
    if (t->ask) json_key(json, "ask"), json_uint(json, t->ask);
    json_key(json, "taken"), json_bool(json, t->taken);
    json_key(json, "bytes"), json_double(json, t->bytes);
    json_close(json, '}');
  }
  json_close(json, ']');
}

// ---- stages ----

static Status *optimize(Program *local, ShardingTable *table, MeshId mesh,
                        const LocalOptions *options, const Machine *machine, Trades *trades,
                        Arena *arena, Guard *guard, Diag *diag) {
  if (options->plain && !options->collectives) return NULL;
  const Mesh *on = sharding_mesh(table, mesh);
  Network network = network_default;
  Compute compute = compute_default;
  if (machine) network = machine_network(machine, local->context, on, arena);
  if (machine) compute = machine_compute(machine, on ? on->n_devices : 1);
  OptimizeOptions how = {.mesh = on,
                         .network = &network,
                         .compute = &compute,
                         .n_devices = 1,
                         .table = table,
                         .edges_are_annotated = true,
                         .passes = options->plain ? "" : options->passes,
                         .collectives = options->collectives,
                         .rings = options->rings,
                         .trades = trades};
  OptimizeStats stats;
  return optimize_program(local, &how, guard, diag, &stats);
}

Status *pipeline_optimize(Program *local, ShardingTable *table, MeshId mesh,
                          const LocalOptions *options, Guard *guard, Diag *diag) {
  return optimize(local, table, mesh, options, NULL, NULL, NULL, guard, diag);
}

Status *stage_decide(Session *s, const LocalOptions *options, RedundantList *out_redundant) {
  if (options->redundant) *out_redundant = (RedundantList){.arena = &s->arena};
  if (options->out_decisions) strbuf_putc(options->out_decisions, '{');
  PartitionOptions how = {.why = options->why || options->reasons,
                          .poison = options->poison,
                          .seconds_decide = options->seconds_decide,
                          .machine = s->machine,
                          .memo = options->memo,
                          .redundant = options->redundant ? out_redundant : NULL,
                          .call_rules = s->call_rules,
                          .decisions = options->decisions,
                          .out_decisions = options->out_decisions};
  return partition_decide(s->program, s->table, &how, s->guard, &s->diag, &s->partition);
}

Status *stage_partition(Session *s, MeshId *out_mesh) {
  return partition_write(s->partition, out_mesh);
}

static void release_trades(void *trades) { trades_deinit(trades); }

// With decisions: reads the given trades before the passes, refuses those that no pass asked for,
// and writes all that were made.
Status *stage_optimize(Session *s, const LocalOptions *options, MeshId mesh) {
  if (!options->decisions.n && !options->out_decisions)
    return optimize(s->program, s->table, mesh, options, s->machine, NULL, &s->arena, s->guard,
                    &s->diag);
  Trades trades = {.arena = &s->arena, .guard = s->guard};
  GuardCleanup cleanup = {release_trades, &trades, NULL};
  guard_push(s->guard, &cleanup);
  Status *status = read_trades(s, options->decisions, &trades);
  if (!status)
    status = optimize(s->program, s->table, mesh, options, s->machine, &trades, &s->arena, s->guard,
                      &s->diag);
  const Trade *unused = status || options->plain ? NULL : trades_unused(&trades);
  if (unused)
    status = refuse_trade(s, unused,
                          "the pass has no such choice at this op. Choices with \"ask\" follow "
                          "from earlier ones: remove them after an edit");
  if (!status && options->out_decisions) {
    write_trades(s, &trades, &(Json){.out = options->out_decisions, .comma = true});
    strbuf_puts(options->out_decisions, "\n}\n");
  }
  guard_pop(s->guard, &cleanup);
  trades_deinit(&trades);
  return status;
}

Status *stage_check_local(Session *s) {
  const char *wrong = program_check(s->program);
  if (wrong)
    FAIL(INTERNAL, "the local program is not sound, which is an error of Tessera: %s", wrong);
  return program_verify(s->program, &s->diag) ? NULL : diag_status(&s->diag);
}
