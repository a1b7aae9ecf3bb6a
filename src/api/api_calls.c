// Custom calls that the caller runs: descriptions of calls, buffers that alias the literals' memory
// (no copies), and the hand-over to the caller's thread.
#include "base/errand.h"
#include "parse/print.h"
#include "api/api_private.h"

// ---- describing a call ----

static void release_text(void *text) { strbuf_deinit(text); }

// backend_config as text: a string as it is, a dictionary printed. JAX's FFI calls have a
// dictionary in mhlo.backend_config, beside an empty backend_config string.
static const char *config_text(const Program *p, OpId op) {
  Context *c = p->context;
  Attr attr = op_attr(p, op, "mhlo.backend_config");
  if (attr_info(c, attr)->kind != ATTR_DICT) attr = op_attr(p, op, "backend_config");
  if (attr_info(c, attr)->kind == ATTR_STRING) return name_text(c, attr_info(c, attr)->name);
  if (attr_info(c, attr)->kind != ATTR_DICT) return "";
  Guard *guard = context_arena(c)->guard;
  StrBuf text;
  strbuf_init(&text, guard);
  GuardCleanup cleanup = {release_text, &text, NULL};
  guard_push(guard, &cleanup);
  attr_print(c, attr, &text);
  Name name = name_intern(c, (Str){text.data, text.used});
  guard_pop(guard, &cleanup);
  strbuf_deinit(&text);
  return name_text(c, name);
}

void api_custom_call(const Program *p, OpId op, Arena *arena, tsr_custom_call *out) {
  const Op *o = op_at(p, op);
  uint32_t n = o->n_operands + o->n_results;
  tsr_type_info *infos = ARENA_ARRAY(arena, tsr_type_info, n + 1);
  const tsr_type_info **types = ARENA_ARRAY(arena, const tsr_type_info *, n + 1);
  for (uint32_t t = 0; t < n; t++) {
    infos[t] =
        api_type_info(p->context, t < o->n_operands ? op_operand_type(p, op, t)
                                                    : op_result_type(p, op, t - o->n_operands));
    types[t] = &infos[t];
  }
  *out = (tsr_custom_call){
      .struct_size = sizeof *out,
      .target = name_text(p->context, attr_as_name(p->context, op_attr(p, op, "call_target_name"))),
      .backend_config = config_text(p, op),
      .n_operands = o->n_operands,
      .operands = types,
      .n_results = o->n_results,
      .results = types + o->n_operands};
}

// ---- running a call ----

enum { MOST_MESSAGE = 4000 };

typedef struct Call {
  const ApiCalls *calls;
  tsr_custom_call info;
  tsr_buffer *operands, *results;
  int code;
  char message[MOST_MESSAGE];
} Call;

static tsr_buffer buffer_of(const Literal *l) {
  tsr_buffer buffer = {.struct_size = sizeof buffer};
  if (l->kind != LITERAL_ARRAY) return buffer;
  buffer.dtype = api_dtype(l->dtype);
  buffer.rank = l->rank;
  buffer.dims = l->dims;
  buffer.data = l->data;
  return buffer;
}

static void run_call(void *arg) {
  Call *call = arg;
  call->code = call->calls->run(call->calls->user, &call->info, call->operands, call->results,
                                call->message, sizeof call->message);
}

Status *api_run_call(void *calls, EvalContext *cx, Literal *const *in, Literal *const *out,
                     bool *out_done) {
  Call *call = ARENA_NEW(cx->scratch, Call);
  *call = (Call){.calls = calls};
  api_custom_call(cx->program, cx->op, cx->scratch, &call->info);
  call->operands = ARENA_ARRAY(cx->scratch, tsr_buffer, cx->n_in + 1);
  call->results = ARENA_ARRAY(cx->scratch, tsr_buffer, cx->n_out + 1);
  for (uint32_t i = 0; i < cx->n_in; i++) {
    if (in[i]->kind == LITERAL_TUPLE || in[i]->kind == LITERAL_FUTURE)
      FAIL(UNIMPLEMENTED, "is called by its name with a tuple: expected tensors and tokens");
    call->operands[i] = buffer_of(in[i]);
  }
  for (uint32_t i = 0; i < cx->n_out; i++) call->results[i] = buffer_of(out[i]);
  errand(call->calls->errands, run_call, call);
  *out_done = call->code != UNIMPLEMENTED;
  if (!call->code || !*out_done) return NULL;
  call->message[MOST_MESSAGE - 1] = '\0';
  StatusCode code =
      call->code > 0 && call->code <= UNAUTHENTICATED ? (StatusCode)call->code : UNKNOWN;
  return status_new(code, __FILE__, __LINE__, "custom call @%s failed%s%s", call->info.target,
                    call->message[0] ? ": " : "", call->message);
}
