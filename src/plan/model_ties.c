// Problem: repeated layers shall have equal strategies, so that a plan is readable and the problem
// is small.
//
// Idea: ties_find (plan/ties.h) says which op of an earlier layer an op repeats. A matrix that
// forbids different strategies joins the two, their arguments and the copies of their results.
//
// Cost: O(ops · candidates).
#include "plan/model_private.h"
#include "plan/ties.h"

static void add_tie(Model *m, uint32_t a, uint32_t c) {
  uint32_t n = m->vars.items[a].n;
  if (a == c || n != m->vars.items[c].n || n == 1) return;
  for (uint32_t i = 0; i < n; i++)  // annotated differently: they cannot be equal
    if ((m->vars.items[a].costs[i] < PLAN_FORBIDDEN) !=
        (m->vars.items[c].costs[i] < PLAN_FORBIDDEN))
      return;
  int64_t *entries = ARENA_ARRAY(&m->strategies.scratch, int64_t, (size_t)n *n);
  for (uint32_t i = 0; i < n * n; i++) entries[i] = i % (n + 1) ? PLAN_FORBIDDEN : 0;
  model_add_edge(m, a, c, problem_matrix(&m->problem, entries, n * n));
  m->n_ties++;
}

// An op that stands for several is equal to one that stands for itself.
static double repeats(const Model *m, OpId op) {
  while (op && op_parent(m->p, op) != m->entry) op = op_parent(m->p, op);
  return op ? model_times(m, op) : 1;
}

// Ties ops of repeated layers, and the arguments and copies of their values. O(ops · candidates).
void model_tie_layers(ModelBuild *b) {
  Model *m = b->m;
  const Program *p = m->p;
  ArenaMark mark = arena_mark(&m->strategies.scratch);
  Arena *scratch = &m->strategies.scratch;
  uint32_t n = 0, n_operands = 0, n_vars = m->vars.count;
  uint32_t *index = ARENA_ARRAY(scratch, uint32_t, n_vars + 1);  // per variable: its op, + 1
  uint32_t *vars = ARENA_ARRAY(scratch, uint32_t, n_vars + 1);
  for (uint32_t i = 0; i < b->order.count; i++) {
    uint32_t v = b->order.items[i];
    if (v == NO_VAR) continue;
    n_operands += op_at(p, m->vars.items[v].op)->n_operands;
    vars[n] = v;
    index[v] = ++n;
  }
  TieOp *ops = ARENA_ARRAY(scratch, TieOp, n + 1);
  TieOperand *operands = ARENA_ARRAY(scratch, TieOperand, n_operands + 1);
  uint32_t *tie = ARENA_ARRAY(scratch, uint32_t, n + 1), at = 0;
  for (uint32_t i = 0; i < n; i++) {
    const ModelVar *v = &m->vars.items[vars[i]];
    uint32_t n_in = op_at(p, v->op)->n_operands;
    uint64_t key = v->set ? v->set : op_hash(p, v->op);
    ops[i] = (TieOp){hash_mix(key, (uint64_t)(v->runs / repeats(m, v->op))), at, n_in};
    for (uint32_t k = 0; k < n_in; k++) {
      ValueId x = op_operand(p, v->op, k);
      Port port = b->ports[x];
      bool op = port.var != NO_VAR && m->vars.items[port.var].kind == VAR_OP;
      operands[at++] = op ? (TieOperand){index[port.var] - 1, 0}
                          : (TieOperand){TIE_NONE, port.var == NO_VAR ? 0 : value_type(p, x)};
    }
  }
  m->n_tied_ops = ties_find(ops, n, operands, scratch, tie);
  // Copies, by the value that they are of.
  uint32_t *copy_of = ARENA_ARRAY(scratch, uint32_t, p->values.count + 1);
  for (uint32_t v = 0; v < n_vars; v++)
    if (m->vars.items[v].kind == VAR_COPY) copy_of[m->vars.items[v].value] = v + 1;
  bool *done = ARENA_ARRAY(scratch, bool, n_vars + 1);
  for (uint32_t i = 0; i < n; i++) {
    if (tie[i] == i) continue;
    const ModelVar *x = &m->vars.items[vars[i]], *y = &m->vars.items[vars[tie[i]]];
    add_tie(m, vars[tie[i]], vars[i]);
    for (uint32_t k = 0; k < op_at(p, x->op)->n_operands; k++) {
      Port a = b->ports[op_operand(p, x->op, k)], c = b->ports[op_operand(p, y->op, k)];
      if (a.var == NO_VAR || c.var == NO_VAR || a.list != c.list || done[a.var]) continue;
      if (m->vars.items[a.var].kind != VAR_ARGUMENT || m->vars.items[c.var].kind != VAR_ARGUMENT)
        continue;
      done[a.var] = true;
      add_tie(m, c.var, a.var);
    }
    for (uint32_t k = 0; k < op_at(p, x->op)->n_results; k++) {
      uint32_t a = copy_of[op_result(p, x->op, k)], c = copy_of[op_result(p, y->op, k)];
      if (a && c && m->vars.items[a - 1].list == m->vars.items[c - 1].list)
        add_tie(m, c - 1, a - 1);
    }
  }
  arena_rewind(scratch, mark);
}
