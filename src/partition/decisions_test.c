// Decisions as data: deciding changes nothing, decisions are complete and in order, they are saved
// and obeyed, or refused with a reason. In the texts ' stands for ".
#include "partition/decisions_json.h"

#include "../tests/support/decision_programs.h"
#include "partition/decide_fixture.h"

// Runs one of the small programs up to a stage.
static void run(Decided *d, uint32_t program, Stage stage, const char *decisions) {
  decided_text(d, decision_programs[program], decisions);
  d->request.stop_after = stage;
  d->request.write.close = true;  // as the stages behind it need it
  d->request.local.out_decisions = &d->saved;
  decided_run(d);
  if (d->status) fail_msg("%u: %s\n%s", program, status_message(d->status), d->errors.data);
}

// ---- deciding ----

static void test_changes_nothing(void **state) {
  (void)state;
  for (uint32_t i = 0; i < N_DECISION_PROGRAMS; i++) {
    Decided before, after;
    run(&before, i, STAGE_WRITE, NULL);
    run(&after, i, STAGE_DECIDE, NULL);
    const Program *a = before.session.program, *b = after.session.program;
    assert_string_equal(before.local.data, after.local.data);
    assert_int_equal(a->ops.count, b->ops.count);
    assert_int_equal(a->values.count, b->values.count);
    assert_true(program_hash(a) == program_hash(b));
    assert_true(partition_n_decisions(after.session.partition) > 3);
    decided_close(&before);
    decided_close(&after);
  }
}

// A copy is made once, before a decision reads it, and its type is that of its sharding.
static void test_copies_are_made_first(void **state) {
  (void)state;
  for (uint32_t i = 0; i < N_DECISION_PROGRAMS; i++) {
    Decided d;
    bool made[4096] = {0};
    run(&d, i, STAGE_DECIDE, NULL);
    const Partition *t = d.session.partition;
    for (uint32_t k = 0; k < partition_n_decisions(t); k++) {
      const Decision *one = partition_decision(t, k);
      for (uint32_t j = 0; j < one->n_in; j++) assert_true(made[one->in[j]]);
      for (uint32_t j = 0; j < one->n_captured; j++) assert_true(made[one->captured[j].copy]);
      bool split = one->kind == DECISION_SPLIT || one->kind == DECISION_REMATERIALIZE;
      for (uint32_t j = 0; split && j < one->split->n_found; j++)
        assert_true(made[one->split->found[j].copy]);
      for (uint32_t j = 0; j < one->n_out; j++) {
        CopyId copy = one->out[j];
        const CopyInfo *info = partition_copy(t, copy);
        assert_true(copy && copy < 4096 && !made[copy]);
        made[copy] = true;
        Type type = value_type(d.session.program, info->value);
        assert_int_equal(info->type, sharding_local_type(d.session.table, info->sharding, type));
      }
    }
    decided_close(&d);
  }
}

static Status *partition_at_once(Guard *guard, void *arg) {
  Decided *d = arg;
  MeshId mesh;
  session_guard(&d->session, guard);
  program_guard(d->session.program, guard);
  TRY(partition_program(d->session.program, d->session.table, NULL, guard, &d->session.diag,
                        &mesh));
  StrBuf text;
  strbuf_init(&text, guard);
  program_print(d->session.program, &(PrintOptions){0}, &text);
  strbuf_deinit(&d->local);
  d->local = text;
  return NULL;
}

static void test_both_stages(void **state) {
  (void)state;
  for (uint32_t i = 0; i < N_DECISION_PROGRAMS; i++) {
    Decided stages, at_once;
    run(&stages, i, STAGE_PARTITION, NULL);
    run(&at_once, i, STAGE_WRITE, NULL);
    assert_null(guard_run(partition_at_once, &at_once));
    assert_string_equal(stages.local.data, at_once.local.data);
    decided_close(&stages);
    decided_close(&at_once);
  }
}

// ---- saving and giving ----

static void test_round_trip(void **state) {
  (void)state;
  for (uint32_t i = 0; i < N_DECISION_PROGRAMS; i++) {
    Decided first, again;
    run(&first, i, STAGE_CHECK_LOCAL, NULL);
    run(&again, i, STAGE_CHECK_LOCAL, first.saved.data);
    assert_string_equal(first.local.data, again.local.data);
    assert_string_not_equal(first.saved.data, again.saved.data);  // they are "given" now …
    Decided last;
    run(&last, i, STAGE_CHECK_LOCAL, again.saved.data);
    assert_string_equal(again.saved.data, last.saved.data);  // … and stay so
    decided_close(&first);
    decided_close(&again);
    decided_close(&last);
  }
}

// Ops of the MLP: 2 and 4 and 6 are contractions, 3 is tanh, 5 negate, 7 add.
static void test_obeyed(void **state) {
  (void)state;
  Decided d;
  run(&d, 0, STAGE_DECIDE,
      "{'ops': [{'op': 2, 'factors': [{'axes': ['data']}, {}, {'axes': ['model']}]},\n"
      "         {'op': 3, 'kind': 'replicated'},\n"
      "         {'op': 5, 'factors': [{'axes': ['model', 'data']}, {}]}]}");
  EXPECT(&d,
         "%0 = split 'data', -, 'model': [{'data'}, {'model'}], [{'model'}, {}] -> [{'data'}, {}], "
         "unreduced={'model'}",
         "; given\n", "%1 = replicated\n",
         "%3 = split 'model', 'data', -: [{'model', 'data'}, {}] -> [{'model', 'data'}, {}]");
  decided_close(&d);
}

static void test_values(void **state) {
  (void)state;
  Decided d;
  run(&d, 0, STAGE_DECIDE,
      "{'values': [{'op': 1, 'argument': 0, 'sharding': {'dims': [[], ['model']]}},\n"
      "            {'op': 1, 'argument': 1, 'sharding': {'dims': [['model'], []]}},\n"
      "            {'op': 1, 'result': 0, 'sharding': null}]}");
  EXPECT(&d,
         "reshard %x: [{}, {'model'}] -> [{'data'}, {'model'}]\n"
         "%0 = split 'data', -, 'model': [{'data'}, {'model'}], [{'model'}, {}] -> [{'data'}, {}], "
         "unreduced={'model'}",
         "reshard %5: [{'data'}, {}], unreduced={'model'} -> [{}, {}]");
  decided_close(&d);
}

// Nothing at the borders is sharded, so only the file has a mesh.
static void test_only_ops_are_split(void **state) {
  (void)state;
  Decided d;
  decided_open(&d,
               "func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {\n"
               "  %0 = stablehlo.tanh %x : tensor<4x8xf32>\n"
               "  return %0 : tensor<4x8xf32>\n"
               "}\n",
               "{'ops': [{'op': 2, 'factors': [{'axes': ['x']}, {}]}],\n"
               " 'meshes': [{'axes': [{'name': 'x', 'size': 2}]}]}");
  EXPECT(&d, "%0 = split 'x', -: [{'x'}, {}] -> [{'x'}, {}]",
         "reshard %0: [{'x'}, {}] -> [{}, {}]");
  decided_close(&d);
}

// A replicated program is saved with its mesh, too.
static void test_nothing_is_split(void **state) {
  (void)state;
  static const char text[] = "func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {\n"
                             "  %0 = stablehlo.tanh %x : tensor<4x8xf32>\n"
                             "  return %0 : tensor<4x8xf32>\n"
                             "}\n";
  char one[512];
  short_text("sdy.mesh @m = <['x'=2]>\nfunc.func @main(%x: tensor<4x8xf32> #[{}, {}]) -> "
             "tensor<4x8xf32> {\n  %0 = stablehlo.tanh %x : tensor<4x8xf32>\n"
             "  return %0 : tensor<4x8xf32>\n}\n",
             NULL, one, sizeof one);
  Decided first, again;
  decided_text(&first, one, NULL);
  first.request.local.out_decisions = &first.saved;
  first.request.stop_after = STAGE_CHECK_LOCAL;
  decided_run(&first);
  assert_null(first.status);
  decided_text(&again, text, first.saved.data);
  again.request.stop_after = STAGE_CHECK_LOCAL;
  decided_run(&again);
  if (again.status) fail_msg("%s", again.errors.data);
  assert_non_null(strstr(again.local.data, "num_partitions = 2"));
  decided_close(&first);
  decided_close(&again);
}

// Calls of private functions stay if "inlined" leaves them out.
static void test_inlined(void **state) {
  (void)state;
  Decided all, none;
  run(&all, 2, STAGE_DECIDE, NULL);
  run(&none, 2, STAGE_DECIDE, "{'inlined': []}");
  assert_int_equal(decided_count(all.list.data, "= call"), 1);   // @g is public
  assert_int_equal(decided_count(none.list.data, "= call"), 4);  // @f three times
  decided_close(&all);
  decided_close(&none);
}

// ---- refusing ----

typedef struct Refusal {
  uint32_t program;
  const char *decisions, *message;
} Refusal;

#define OP(n, rest) "{'ops': [{'op': " #n ", " rest "}]}"
#define VALUE(rest) "{'values': [{" rest "}]}"
#define COPY(rest) "{'copies': [{" rest "}]}"
#define PASS(rest) "{'passes': [{" rest "}]}"
#define TANH(rest) OP(3, "'factors': [{'axes': ['data']" rest "}, {'axes': ['model']}]")

static const Refusal refusals[] = {
    // Texts.
    {0, "{", "the decisions are not valid JSON: line 1: the text ends, expected a string"},
    {0, "[]", "line 1 of the decisions: expected an object"},
    {0, "{'version': 2}", "line 1 of the decisions: version 2 is not known; this is 1"},
    {0, "\n{'program_ops': 3}", "they are for a program of 3 ops, and this one has 8."},
    {0, "{'op': []}", "unknown key 'op'"},
    {0, "{'ops': [], 'ops': []}", "the key 'ops' is there twice"},
    {0, "{'ops': {}}", "'ops' is not an array"},
    {0, "{'ops': [3]}", "expected an object"},
    {0, "{'instances': [{'instance': 1, 'function': 'f'}]}", "instance 1 is another one here."},
    {0, "{'instances': [{'instance': 9}]}", "there is no instance 9"},
    {2, "{'instances': [{'instance': 2, 'call': 3}]}", "instance 2 is another one here."},
    // Meshes.
    {0, "{'meshes': [{'axes': [{'size': 2}]}]}", "an axis has no name"},
    {0, "{'meshes': [{'axes': [{'name': 'a', 'size': 0}]}]}", "has size 0, expected at least 1"},
    {0, "{'meshes': [{'axes': [{'name': 'a', 'size': 2}], 'device_ids': [0, 0.5]}]}",
     "a device id is not a number from 0 on"},
    {0, "{'meshes': [{'symbol': 1, 'axes': [{'name': 'x', 'size': 2}]}]}", "'symbol' is no string"},
    // Ops.
    {0, OP(99, "'kind': 'split'"), "'op' is not the number of an op (1 to 8)"},
    {0, OP(3, "'instance': 7, 'kind': 'replicated'"), "there is no instance 7"},
    {0, OP(3, "'name': 'stablehlo.sine', 'kind': 'replicated'"), "'name' is that of another op."},
    {0, OP(3, "'kind': 'sharded'"), "'kind' is neither 'split' nor 'replicated'"},
    {0, OP(3, "'kind': 'split'"), "it has no 'factors'"},
    {0, OP(3, "'kind': 'flow'"), "it is neither control flow nor a call"},
    {0, OP(3, "'kind': 'replicated', 'factors': []"), "only the kind 'split' has factors"},
    {0, OP(3, "'kind': 'replicated', 'results': [{'dims': [['data'], []]}]"),
     "operands and results of this kind are replicated"},
    {0, OP(3, "'kind': 'replicated', 'position': 0"), "only the kind 'on_device' has a position"},
    {0, OP(3, "'factors': [{}]"), "it has 2 factors, and 1 are given"},
    {0, OP(3, "'factors': [{'axes': ['z']}, {}]"), "the mesh has no axis 'z'"},
    {0, OP(3, "'factors': [{'axes': ['data:(1)3']}, {}]"), "the mesh has no axis 'data:(1)3'"},
    {0, OP(3, "'factors': [{'axes': [1]}, {}]"), "an axis is no string"},
    {0, OP(3, "'factors': [{'axes': ['data']}, {'axes': ['data']}]"), "axis 'data' is used twice"},
    {0, TANH(", 'size': 7"), "factor 0 has size 4, not 7"},
    {0, TANH(", 'strides': [{'size': 2, 'axes': []}, {'size': 2, 'axes': []}]"),
     "'strides' must have the 'axes' of the factor in order, and sizes"},
    {0, TANH(", 'strides': [{'size': 3, 'axes': []}, {'size': 2, 'axes': ['data']}]"),
     "the sizes of 'strides' do not multiply to the size of the factor"},
    {0, TANH(", 'preferred': ['data', 'data']"), "axes of 'preferred' overlap"},
    {0, OP(3, "'factors': [{}, {}], 'operands': [{'dims': [['data'], []]}]"),
     "operand 0 does not get this sharding from these axes"},
    {0, OP(3, "'factors': [{}, {}], 'results': [{'dims': [['data'], []]}]"),
     "result 0 does not get this sharding from these axes"},
    {0, OP(3, "'factors': [{}, {}], 'results': []"),
     "it has another number of operands or results"},
    {0, OP(3, "'factors': [{}, {}], 'partial': true"),
     "no operand is a partial sum that can pass through the op"},
    {0, "{'ops': [{'op': 3, 'kind': 'replicated'}, {'op': 3, 'kind': 'replicated'}]}",
     "there is another decision about the same op"},
    {0, OP(1, "'kind': 'replicated'"), "the partitioner does not decide about this op"},
    {1, OP(7, "'kind': 'replicated'"), "it is control flow: give the ops in its regions"},
    {2, OP(4, "'kind': 'replicated'"), "it is a call: give the ops of the function"},
    {4, OP(4, "'factors': [{'axes': ['x']}, {}, {}]"), "axis 'x' is manual here"},
    {5, OP(5, "'factors': [{}, {}, {'axes': ['x']}]"), "factor 2, of size 16, cannot be split"},
    {6, OP(3, "'kind': 'replicated'"), "one device computes it"},
    {6, OP(3, "'kind': 'on_device', 'position': 0"), "it is computed at position 1 of the mesh"},
    {6, OP(4, "'factors': []"), "the op can run on replicated operands only"},
    // Values.
    {0, VALUE("'op': 1, 'argument': 3, 'sharding': null"), "its region has no such argument"},
    {0, VALUE("'op': 2, 'result': 1, 'sharding': null"), "it has no such result"},
    {0, VALUE("'op': 1, 'result': 1, 'sharding': null"), "the function has no such result"},
    {0, VALUE("'op': 1, 'result': 0, 'argument': 0, 'sharding': null"), "a value has 'op' and "},
    {0, VALUE("'op': 2"), "it has no 'sharding'"},
    {1, VALUE("'op': 2, 'sharding': null"), "the value cannot be sharded"},
    {2, VALUE("'op': 2, 'instance': 2, 'sharding': null"),
     "it is not in the function of the instance"},
    {0, VALUE("'op': 2, 'sharding': {'dims': [[]]}"), "the sharding has rank 1, but the tensor"},
    {0, VALUE("'op': 2, 'sharding': {'dims': [['data'], ['data']]}"),
     "axis 'data' is used twice in one sharding"},
    {0, VALUE("'op': 2, 'sharding': {'mesh': 1, 'dims': [[], []]}"), "there is no mesh 1"},
    {0, VALUE("'op': 2, 'sharding': {'dims': [[], []], 'reducer': 'sum'}"),
     "'reducer' without 'unreduced'"},
    {0, VALUE("'op': 2, 'sharding': {'dims': [[], []], 'unreduced': ['data'], 'reducer': 'all'}"),
     "unknown reducer"},
    {0, "{'values': [{'op': 2, 'sharding': null}, {'op': 2, 'sharding': null}]}",
     "the sharding of this value, or of one that must have the same, is given twice"},
    {4, VALUE("'op': 3, 'argument': 0, 'sharding': {'dims': [['x'], []]}"),
     "at the border of a manual computation the sharding must have the manual axes"},
    {4, VALUE("'op': 3, 'sharding': {'dims': [['y', 'x'], []]}"),
     "at the border of a manual computation the sharding must have the manual axes"},
    {4, VALUE("'op': 12, 'result': 0, 'instance': 2, 'sharding': {'dims': [['x'], []]}"),
     "the sharding of the value has an axis that is manual there"},
    {0,
     "{'meshes': [{'axes': [{'name': 'x', 'size': 2}]}],\n"
     " 'values': [{'op': 2, 'sharding': {'dims': [['x'], []]}}]}",
     "the function is on a mesh with another number of devices."},
    // Copies.
    {0, COPY("'for': 3, 'op': 2"), "a copy has a value, 'to', and either 'from' or the 'kind'"},
    {0,
     COPY("'for': 3, 'op': 2, 'from': {'dims': [['model'], []]}, 'to': {'dims': [['data'], "
          "['model']]}"),
     "the value has no copy in the sharding 'from'"},
    {0, COPY("'for': 7, 'op': 2, 'from': null, 'to': {'dims': [['data'], []]}"),
     "the op does not need this copy."},
    {0, COPY("'for': 3, 'op': 2, 'kind': 'rematerialize', 'to': {'dims': [['data'], ['model']]}"),
     "the value cannot be rematerialized"},
    {0, COPY("'for': 3, 'op': 2, 'from': null, 'to': null"), "are the same sharding"},
    // Functions.
    {2, "{'inlined': ['h']}", "there is no function @h"},
    {2, "{'inlined': [1]}", "name is no string"},
    {2, "{'inlined': ['g']}", "the function cannot be inlined: it is public, not called"},
    // Passes.
    {1, "{'passes': {}}", "'passes' is not an array"},
    {1, PASS("'pass': 'carry', 'op': 14"), "it needs 'pass', the name of one, 'taken'"},
    {1, PASS("'pass': 'carried', 'op': 14, 'taken': true"), "it needs 'pass', the name of one"},
    {1, PASS("'pass': 'carry', 'op': 14, 'taken': true, 'always': true"), "it has an unknown key"},
    {1, PASS("'pass': 'carry', 'op': 8, 'taken': true"), "the pass has no such choice at this op"},
    {1, PASS("'pass': 'carry', 'op': 14, 'ask': 5, 'taken': true"), "the pass has no such choice"},
};

static void test_refused(void **state) {
  (void)state;
  for (uint32_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
    const Refusal *r = &refusals[i];
    Decided d;
    char message[256];
    short_text(r->message, NULL, message, sizeof message);
    decided_text(&d, decision_programs[r->program], r->decisions);
    d.request.stop_after = STAGE_CHECK_LOCAL;
    decided_run(&d);
    if (!d.status) fail_msg("%s is obeyed", r->decisions);
    if (status_code(d.status) != INVALID_ARGUMENT || !strstr(d.errors.data, message) ||
        !strstr(status_message(d.status), message))
      fail_msg("%s:\n%s\nis not\n%s\n%s", r->decisions, message, status_message(d.status),
               d.errors.data);
    decided_close(&d);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_changes_nothing),
                                     cmocka_unit_test(test_copies_are_made_first),
                                     cmocka_unit_test(test_both_stages),
                                     cmocka_unit_test(test_round_trip),
                                     cmocka_unit_test(test_obeyed),
                                     cmocka_unit_test(test_values),
                                     cmocka_unit_test(test_only_ops_are_split),
                                     cmocka_unit_test(test_nothing_is_split),
                                     cmocka_unit_test(test_inlined),
                                     cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
