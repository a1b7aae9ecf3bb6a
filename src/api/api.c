// The public C API. Each call runs its body under a guard, so that running out of memory anywhere
// below becomes an error of the call. Data is copied in both directions. Structs are read and
// written only as far as the caller's struct_size, so old callers work with a newer library.
#include <tessera/tessera.h>

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "evaluate/evaluate.h"
#include "ir/clone.h"
#include "parse/print.h"
#include "api/api_private.h"
#include "pipeline/partitioned.h"

struct tsr_error {
  StatusCode code;
  char message[];
};

static const tsr_error no_memory = {.code = RESOURCE_EXHAUSTED};

const char *tsr_version(void) { return TESSERA_VERSION; }

// ---- errors ----

tsr_error *api_error_new(StatusCode code, const char *message, size_t n) {
  tsr_error *error = mem_alloc(sizeof *error + n + 1);
  if (!error) return (tsr_error *)(uintptr_t)&no_memory;
  error->code = code;
  memcpy(error->message, message, n);
  error->message[n] = '\0';
  return error;
}

tsr_error *api_error(Status *status) {
  if (!status) return NULL;
  const char *message = status_message(status);
  tsr_error *error = api_error_new(status_code(status), message, strlen(message));
  status_free(status);
  return error;
}

tsr_error *api_error_with_text(Status *status, const StrBuf *text) {
  if (!status || !text->used) return api_error(status);
  tsr_error *error = api_error_new(status_code(status), text->data, text->used);
  status_free(status);
  return error;
}

_Static_assert(
    (int)TSR_OK == OK && (int)TSR_ERROR_CANCELLED == CANCELLED &&
        (int)TSR_ERROR_UNKNOWN == UNKNOWN && (int)TSR_ERROR_INVALID_ARGUMENT == INVALID_ARGUMENT &&
        (int)TSR_ERROR_DEADLINE_EXCEEDED == DEADLINE_EXCEEDED &&
        (int)TSR_ERROR_NOT_FOUND == NOT_FOUND && (int)TSR_ERROR_ALREADY_EXISTS == ALREADY_EXISTS &&
        (int)TSR_ERROR_PERMISSION_DENIED == PERMISSION_DENIED &&
        (int)TSR_ERROR_RESOURCE_EXHAUSTED == RESOURCE_EXHAUSTED &&
        (int)TSR_ERROR_FAILED_PRECONDITION == FAILED_PRECONDITION &&
        (int)TSR_ERROR_ABORTED == ABORTED && (int)TSR_ERROR_OUT_OF_RANGE == OUT_OF_RANGE &&
        (int)TSR_ERROR_UNIMPLEMENTED == UNIMPLEMENTED && (int)TSR_ERROR_INTERNAL == INTERNAL &&
        (int)TSR_ERROR_UNAVAILABLE == UNAVAILABLE && (int)TSR_ERROR_DATA_LOSS == DATA_LOSS &&
        (int)TSR_ERROR_UNAUTHENTICATED == UNAUTHENTICATED,
    "the public codes are the library's");

tsr_code tsr_error_code(const tsr_error *error) { return error ? (tsr_code)error->code : TSR_OK; }

const char *tsr_error_message(const tsr_error *error) {
  if (!error) return "";
  return error == &no_memory ? "out of memory" : error->message;
}

void tsr_error_free(tsr_error *error) {
  if (error != &no_memory) mem_free(error);
}

tsr_error *api_null(const char *function, const char *argument) {
  return api_error(
      status_new(INVALID_ARGUMENT, __FILE__, __LINE__, "%s: %s is NULL", function, argument));
}

Status *api_check_struct(const void *theirs, const char *type) {
  size_t bytes;
  memcpy(&bytes, theirs, sizeof bytes);
  // Every version of a struct begins with a size_t, so its size is a multiple of that type's
  // alignment. Another size would end inside a field, and half of a pointer is a pointer.
  if (bytes < sizeof bytes || bytes % _Alignof(size_t))
    FAIL(INVALID_ARGUMENT, "struct_size of a %s is %zu: set it to sizeof(%s)", type, bytes, type);
  return NULL;
}

Status *api_read_struct(void *ours, size_t our_bytes, const void *theirs, const char *type) {
  memset(ours, 0, our_bytes);
  if (!theirs) return NULL;
  TRY(api_check_struct(theirs, type));
  size_t their_bytes;
  memcpy(&their_bytes, theirs, sizeof their_bytes);
  memcpy(ours, theirs, their_bytes < our_bytes ? their_bytes : our_bytes);
  return NULL;
}

void api_write_struct(void *theirs, const void *ours, size_t our_bytes) {
  size_t their_bytes;
  memcpy(&their_bytes, theirs, sizeof their_bytes);
  size_t n = their_bytes < our_bytes ? their_bytes : our_bytes;
  if (n > sizeof their_bytes)
    memcpy((char *)theirs + sizeof their_bytes, (const char *)ours + sizeof their_bytes,
           n - sizeof their_bytes);
}

void api_progress(Guard *guard, tsr_progress_fn tell, void *user, Progress *room) {
  *room = (Progress){tell, user};
  if (tell) guard_set_progress(guard, room);
}

// ---- element types ----

static const DType dtypes[] = {
    [TSR_INVALID] = DT_none_,
    [TSR_I1] = DT_i1,
    [TSR_I2] = DT_i2,
    [TSR_I4] = DT_i4,
    [TSR_I8] = DT_i8,
    [TSR_I16] = DT_i16,
    [TSR_I32] = DT_i32,
    [TSR_I64] = DT_i64,
    [TSR_UI2] = DT_ui2,
    [TSR_UI4] = DT_ui4,
    [TSR_UI8] = DT_ui8,
    [TSR_UI16] = DT_ui16,
    [TSR_UI32] = DT_ui32,
    [TSR_UI64] = DT_ui64,
    [TSR_F4E2M1FN] = DT_f4E2M1FN,
    [TSR_F6E2M3FN] = DT_f6E2M3FN,
    [TSR_F6E3M2FN] = DT_f6E3M2FN,
    [TSR_F8E3M4] = DT_f8E3M4,
    [TSR_F8E4M3] = DT_f8E4M3,
    [TSR_F8E4M3FN] = DT_f8E4M3FN,
    [TSR_F8E4M3FNUZ] = DT_f8E4M3FNUZ,
    [TSR_F8E4M3B11FNUZ] = DT_f8E4M3B11FNUZ,
    [TSR_F8E5M2] = DT_f8E5M2,
    [TSR_F8E5M2FNUZ] = DT_f8E5M2FNUZ,
    [TSR_F8E8M0FNU] = DT_f8E8M0FNU,
    [TSR_BF16] = DT_bf16,
    [TSR_F16] = DT_f16,
    [TSR_F32] = DT_f32,
    [TSR_F64] = DT_f64,
    [TSR_C64] = DT_c64,
    [TSR_C128] = DT_c128,
};

enum { N_DTYPES = sizeof dtypes / sizeof dtypes[0] };

DType api_dtype_in(tsr_dtype dtype) { return (size_t)dtype < N_DTYPES ? dtypes[dtype] : DT_none_; }

tsr_dtype api_dtype(DType dtype) {
  for (size_t i = 1; i < N_DTYPES; i++)
    if (dtypes[i] == dtype) return (tsr_dtype)i;
  return TSR_INVALID;
}

size_t tsr_dtype_bytes(tsr_dtype dtype) {
  DType ours = api_dtype_in(dtype);
  return ours ? (size_t)dtype_bytes(ours) : 0;
}

const char *tsr_dtype_name(tsr_dtype dtype) {
  DType ours = api_dtype_in(dtype);
  return ours ? dtype_info(ours)->name : "invalid";
}

// ---- loading ----

typedef struct Load {
  tsr_program *handle;
  Session session;
  bool allow_unregistered;
  StrBuf rendered;  // rendered diagnostics; empty without errors
} Load;

void api_list_functions(tsr_program *h, Guard *guard) {
  const Program *p = h->program;
  BlockId block = region_block(p, op_region(p, p->root, 0));
  h->functions.count = 0;
  for (OpId op = block ? block_at(p, block)->first : 0; op; op = op_at(p, op)->next)
    if (op_row(op_at(p, op)->code)->traits & TRAIT_FUNCTION) HEAPVEC_PUSH(guard, &h->functions, op);
}

void api_release_diag(void *diag) { diag_deinit(diag); }

static Status *load_body(Guard *guard, void *arg) {
  Load *load = arg;
  tsr_program *h = load->handle;
  Session *s = &load->session;
  load->rendered.guard = guard;
  session_init(s, guard, &h->source, NULL);
  CompileRequest request = {.end = h->source.size,
                            .parse.allow_unregistered = load->allow_unregistered,
                            .stop_after = STAGE_VERIFY};
  Compiled compiled;
  Status *status = compile(s, &request, &compiled);
  if (session_has_errors(s)) session_render(s, &load->rendered, false);
  if (status) return status;
  h->program = session_take(s);
  h->context = h->program->context;
  h->as_loaded = true;
  api_list_functions(h, guard);
  return NULL;
}

static char *copy_text(const char *text, size_t n) {
  char *copy = mem_alloc(n + 1);
  if (!copy) return NULL;
  if (n) memcpy(copy, text, n);
  copy[n] = '\0';
  return copy;
}

// Takes ownership of the text (from mem_alloc) in any case.
static tsr_error *load_text(char *text, size_t size, const char *name, bool allow_unregistered,
                            tsr_program **out_program) {
  tsr_program *h = mem_alloc(sizeof *h);
  char *name_copy = copy_text(name, strlen(name));
  if (!h || !name_copy) {
    mem_free(text);
    mem_free(h);
    mem_free(name_copy);
    return api_error(status_no_memory());
  }
  *h = (tsr_program){.text = text, .name = name_copy};
  h->source = (Source){.path = h->name, .text = h->text, .size = size};
  Load load = {.handle = h, .allow_unregistered = allow_unregistered};
  Status *status = guard_run(load_body, &load);
  tsr_error *error = api_error_with_text(status, &load.rendered);
  strbuf_deinit(&load.rendered);
  session_deinit(&load.session);
  if (error)
    tsr_program_free(h);
  else
    *out_program = h;
  return error;
}

tsr_error *tsr_program_load(const char *text, size_t size, const tsr_load_options *options,
                            tsr_program **out_program) {
  tsr_load_options o;
  API_NEED(text, "text");
  API_NEED(out_program, "out_program");
  API_READ(&o, options, "tsr_load_options");
  char *copy = copy_text(text, size);
  if (!copy) return api_error(status_no_memory());
  return load_text(copy, size, o.name ? o.name : "<memory>", o.allow_unregistered != 0,
                   out_program);
}

tsr_error *tsr_program_load_file(const char *path, const tsr_load_options *options,
                                 tsr_program **out_program) {
  tsr_load_options o;
  API_NEED(path, "path");
  API_NEED(out_program, "out_program");
  API_READ(&o, options, "tsr_load_options");
  char *text;
  size_t size;
  Status *status = file_read(path, FILE_MOST_TEXT, &text, &size);
  if (status) return api_error(status);
  return load_text(text, size, o.name ? o.name : path, o.allow_unregistered != 0, out_program);
}

typedef struct Copying {
  const tsr_program *from;
  tsr_program *to;
} Copying;

static Status *copy_body(Guard *guard, void *arg) {
  Copying *c = arg;
  tsr_program *h = c->to;
  h->context = context_copy(c->from->context, guard);
  h->program = program_clone(c->from->program, h->context, guard);
  h->program->source = &h->source;
  api_list_functions(h, guard);
  return NULL;
}

tsr_error *tsr_program_copy(tsr_program *program, tsr_program **out_program) {
  API_NEED(program, "program");
  API_NEED(out_program, "out_program");
  tsr_program *h = mem_alloc(sizeof *h);
  if (!h) return api_error(status_no_memory());
  *h = (tsr_program){.text = copy_text(program->text, program->source.size),
                     .name = copy_text(program->name, strlen(program->name)),
                     .as_loaded = program->as_loaded,
                     .global_flops = program->global_flops};
  if (program->traffic) h->traffic = copy_text(program->traffic, strlen(program->traffic));
  if (program->decisions) h->decisions = copy_text(program->decisions, strlen(program->decisions));
  h->source = (Source){.path = h->name, .text = h->text, .size = program->source.size};
  Copying copying = {.from = program, .to = h};
  bool room = h->text && h->name && (h->traffic || !program->traffic) &&
              (h->decisions || !program->decisions);
  Status *status = room ? guard_run(copy_body, &copying) : status_no_memory();
  if (status)
    tsr_program_free(h);
  else
    *out_program = h;
  return api_error(status);
}

void tsr_program_free(tsr_program *program) {
  if (!program) return;
  api_forget(program);
  program_free(program->program);
  context_free(program->context);
  HEAPVEC_FREE(&program->functions);
  mem_free(program->traffic);
  mem_free(program->decisions);
  mem_free(program->text);
  mem_free(program->name);
  mem_free(program);
}

// ---- printing ----

typedef struct Print {
  tsr_program *handle;
  PrintOptions options;
  StrBuf out;
} Print;

static Status *print_body(Guard *guard, void *arg) {
  Print *print = arg;
  program_guard(print->handle->program, guard);
  print->out.guard = guard;
  strbuf_put(&print->out, "", 0);
  program_print(print->handle->program, &print->options, &print->out);
  return NULL;
}

tsr_error *tsr_program_print(tsr_program *program, const tsr_print_options *options,
                             char **out_text, size_t *out_size) {
  tsr_print_options o;
  API_NEED(program, "program");
  API_NEED(out_text, "out_text");
  API_READ(&o, options, "tsr_print_options");
  Print print = {.handle = program};
  print.options.generic = o.generic != 0;
  print.options.locations = o.locations != 0;
  Status *status = guard_run(print_body, &print);
  if (status) {
    strbuf_deinit(&print.out);
    return api_error(status);
  }
  *out_text = print.out.data;
  if (out_size) *out_size = print.out.used;
  return NULL;
}

void tsr_text_free(char *text) { mem_free(text); }

// ---- inspecting ----

size_t tsr_program_function_count(const tsr_program *program) {
  return program ? program->functions.count : 0;
}

Status *api_check_function(const tsr_program *h, size_t index) {
  if (index >= h->functions.count)
    FAIL(OUT_OF_RANGE, "function %zu does not exist: the program has %u", index,
         h->functions.count);
  return NULL;
}

tsr_error *tsr_program_function(tsr_program *h, size_t index, tsr_function_info *out_info) {
  API_NEED(h, "program");
  API_NEED(out_info, "out_info");
  API_CHECK(out_info, "tsr_function_info");
  Status *status = api_check_function(h, index);
  if (status) return api_error(status);
  const Program *p = h->program;
  OpId function = h->functions.items[index];
  size_t n_ops = 0;
  for (OpId op = op_walk_next(p, function, function); op; op = op_walk_next(p, op, function))
    n_ops++;
  Name visibility = attr_as_name(h->context, op_attr(p, function, "sym_visibility"));
  tsr_function_info info = {
      .name = name_text(h->context, attr_as_name(h->context, op_attr(p, function, "sym_name"))),
      .n_arguments = evaluate_n_arguments(p, function),
      .n_results = evaluate_n_results(p, function),
      .n_ops = n_ops,
      .is_public = !str_is(name_str(h->context, visibility), "private")};
  api_write_struct(out_info, &info, sizeof info);
  return NULL;
}

tsr_type_info api_type_info(Context *context, Type type) {
  const TypeInfo *t = type_info(context, type);
  return (tsr_type_info){.struct_size = sizeof(tsr_type_info),
                         .dtype = api_dtype(type_dtype(context, type)),
                         .rank = t->rank,
                         .dims = t->dims,
                         .text = type_text(context, type)};
}

typedef struct Describe {
  tsr_program *handle;
  Type type;
  tsr_type_info info;
} Describe;

static Status *describe_body(Guard *guard, void *arg) {
  Describe *d = arg;
  context_guard(d->handle->context, guard);
  d->info = api_type_info(d->handle->context, d->type);
  return NULL;
}

static tsr_error *describe(tsr_program *h, Type type, tsr_type_info *out_info) {
  Describe d = {.handle = h, .type = type};
  Status *status = guard_run(describe_body, &d);
  if (status) return api_error(status);
  api_write_struct(out_info, &d.info, sizeof d.info);
  return NULL;
}

static tsr_error *describe_slot(tsr_program *h, size_t function, size_t i, bool result,
                                tsr_type_info *out_info) {
  Status *status = api_check_function(h, function);
  if (status) return api_error(status);
  OpId op = h->functions.items[function];
  uint32_t n = result ? evaluate_n_results(h->program, op) : evaluate_n_arguments(h->program, op);
  if (i >= n)
    return api_error(status_new(OUT_OF_RANGE, __FILE__, __LINE__,
                                "%s %zu does not exist: there are %u",
                                result ? "result" : "argument", i, n));
  Type type = result ? evaluate_result_type(h->program, op, (uint32_t)i)
                     : evaluate_argument_type(h->program, op, (uint32_t)i);
  return describe(h, type, out_info);
}

tsr_error *tsr_program_argument(tsr_program *program, size_t function, size_t argument,
                                tsr_type_info *out_info) {
  API_NEED(program, "program");
  API_NEED(out_info, "out_info");
  API_CHECK(out_info, "tsr_type_info");
  return describe_slot(program, function, argument, false, out_info);
}

tsr_error *tsr_program_result(tsr_program *program, size_t function, size_t result,
                              tsr_type_info *out_info) {
  API_NEED(program, "program");
  API_NEED(out_info, "out_info");
  API_CHECK(out_info, "tsr_type_info");
  return describe_slot(program, function, result, true, out_info);
}

// ---- evaluating ----

typedef struct Evaluate {
  tsr_program *handle;
  const char *function;
  tsr_evaluate_options options;
  size_t n_inputs, n_outputs;
  const tsr_buffer *inputs;
  tsr_buffer *outputs;
  ApiCalls calls;
  LiteralHeap heap;
  Arena arena;
  Progress progress;
} Evaluate;

enum { MOST_PROCESSES = 100000 };

// Item i of a caller's array; items have the caller's struct size.
static void *buffer_at(const tsr_buffer *buffers, size_t i) {
  return (char *)(uintptr_t)buffers + i * buffers->struct_size;
}

static Status *read_input(Evaluate *e, OpId function, uint32_t i, Literal **out) {
  Context *context = e->handle->context;
  tsr_buffer b;
  TRY(api_read_struct(&b, sizeof b, buffer_at(e->inputs, i), "tsr_buffer"));
  uint32_t n_args = evaluate_n_arguments(e->handle->program, function);
  Type type = evaluate_argument_type(e->handle->program, function, i % n_args);
  const TypeInfo *t = type_info(context, type);
  if (t->kind == TYPE_TOKEN) {
    *out = literal_token(&e->heap);
    return NULL;
  }
  bool fits = t->kind == TYPE_TENSOR && b.rank == t->rank &&
              api_dtype_in(b.dtype) == type_dtype(context, type);
  if (fits && t->rank && !b.dims) FAIL(INVALID_ARGUMENT, "inputs[%u].dims is NULL", i);
  for (uint32_t d = 0; fits && d < t->rank; d++)
    fits = b.dims[d] >= 0 && (t->dims[d] == DIM_DYNAMIC || t->dims[d] == b.dims[d]);
  if (!fits)
    FAIL(INVALID_ARGUMENT, "input %u does not fit the argument's type %s", i,
         type_text(context, type));
  Literal *literal = literal_new(&e->heap, context, t->elem, t->rank, b.dims);
  size_t bytes = (size_t)literal->count * (size_t)dtype_bytes(literal->dtype);
  if (bytes && !b.data) FAIL(INVALID_ARGUMENT, "inputs[%u].data is NULL", i);
  if (bytes) memcpy(literal->data, b.data, bytes);
  *out = literal;
  return NULL;
}

static Status *write_output(const Literal *literal, tsr_buffer *out) {
  tsr_buffer b = {.dtype = api_dtype(literal->dtype), .rank = literal->rank};
  if (literal->kind == LITERAL_ARRAY) {
    size_t bytes = (size_t)literal->count * (size_t)dtype_bytes(literal->dtype);
    int64_t *dims = mem_alloc(literal->rank * sizeof *dims);
    b.data = mem_alloc(bytes);
    b.dims = dims;
    if (!dims || !b.data) {
      mem_free(dims);
      mem_free(b.data);
      return status_no_memory();
    }
    if (literal->rank) memcpy(dims, literal->dims, literal->rank * sizeof *dims);
    if (bytes) memcpy(b.data, literal->data, bytes);
  }
  api_write_struct(out, &b, sizeof b);
  return NULL;
}

// Appends the source line and a caret to an error that has a position, as errors of the parser do.
static Status *with_source_line(const Source *source, Pos pos, Status *status) {
  if (pos == POS_NONE || pos > source->size) return status;
  uint32_t line, column;
  source_locate(source, pos, &line, &column);
  const char *start = source->text + pos - (column - 1);
  const char *end = memchr(start, '\n', source->size - (size_t)(start - source->text));
  size_t n = end ? (size_t)(end - start) : source->size - (size_t)(start - source->text);
  if (n > 400 || column > 400) return status;
  Status *shown = status_new(status_code(status), __FILE__, __LINE__, "%s\n  %.*s\n  %*s",
                             status_message(status), (int)n, start, (int)column, "^");
  status_free(status);
  return shown;
}

static Status *evaluate_body(Guard *guard, void *arg) {
  Evaluate *e = arg;
  Program *p = e->handle->program;
  program_guard(p, guard);
  e->heap.guard = guard;
  arena_guard(&e->arena, guard);
  api_progress(guard, e->options.progress, e->options.progress_user, &e->progress);
  OpId function;
  TRY(evaluate_entry(p, e->function, &function));
  uint32_t n_args = evaluate_n_arguments(p, function), n_out = evaluate_n_results(p, function);
  uint64_t n = e->options.partitions ? e->options.partitions : 1;
  if (n > MOST_PROCESSES || n * n_args > UINT32_MAX || n * n_out > UINT32_MAX)
    FAIL(INVALID_ARGUMENT, "%zu partitions are too many", e->options.partitions);
  n_args *= (uint32_t)n;
  n_out *= (uint32_t)n;
  if (n_args != e->n_inputs || n_out != e->n_outputs)
    FAIL(INVALID_ARGUMENT, "the function takes %u inputs and gives %u outputs%s, not %zu and %zu",
         n_args, n_out, n > 1 ? " on all partitions together" : "", e->n_inputs, e->n_outputs);
  EvalNeed need;
  evaluate_need(p, function, (uint32_t)n, &need);
  evaluate_need_add(&need.argument_bytes, need.argument_bytes,
                    n - 1);  // each partition has its own copy
  TRY(evaluate_check_need(&need, e->options.memory_limit, "memory_limit"));
  Literal **args = ARENA_ARRAY(&e->arena, Literal *, n_args);
  Literal **out = ARENA_ARRAY(&e->arena, Literal *, n_out);
  for (uint32_t i = 0; i < n_args; i++) TRY(read_input(e, function, i, &args[i]));
  if (e->options.scatter != TSR_SCATTER_SPEC && e->options.scatter != TSR_SCATTER_XLA)
    FAIL(INVALID_ARGUMENT,
         "tsr_evaluate_options.scatter is %d, expected TSR_SCATTER_SPEC or "
         "TSR_SCATTER_XLA",
         (int)e->options.scatter);
  bool by_replica = partitioned_by_replica(p, (uint32_t)n);
  EvalOptions options = {.seed = e->options.seed,
                         .replicas = by_replica ? (uint32_t)n : 1,
                         .partitions = by_replica ? 1 : (uint32_t)n,
                         .own_stack = true,
                         .scatter =
                             e->options.scatter == TSR_SCATTER_XLA ? SCATTER_XLA : SCATTER_SPEC,
                         .custom_call = e->calls.run ? api_run_call : NULL,
                         .call_to = &e->calls,
                         .cancel = e->options.cancel};
  EvalReport report;
  Status *failed =
      evaluate(p, function, &options, &e->heap, &e->arena, n_args, args, n_out, out, &report);
  if (failed) return with_source_line(&e->handle->source, report.failed_at, failed);
  if (report.failed_checks)
    FAIL(FAILED_PRECONDITION, "%s",
         report.n_messages ? report.messages[0] : "a check in the program failed");
  for (uint32_t i = 0; i < n_out; i++) {
    Status *status = write_output(out[i], buffer_at(e->outputs, i));
    if (!status) continue;
    while (i--) tsr_buffer_free(buffer_at(e->outputs, i));
    return status;
  }
  return NULL;
}

static Status *evaluate_with_errands(Errands *errands, void *arg) {
  Evaluate *e = arg;
  e->calls.errands = errands;
  return guard_run(evaluate_body, e);
}

tsr_error *tsr_program_evaluate(tsr_program *program, const char *function,
                                const tsr_evaluate_options *options, size_t n_inputs,
                                const tsr_buffer *inputs, size_t n_outputs, tsr_buffer *outputs) {
  API_NEED(program, "program");
  if (n_inputs) API_NEED(inputs, "inputs");
  if (n_outputs) API_NEED(outputs, "outputs");
  for (size_t i = 0; i < n_inputs; i++) API_CHECK(buffer_at(inputs, i), "tsr_buffer");
  for (size_t i = 0; i < n_outputs; i++) API_CHECK(buffer_at(outputs, i), "tsr_buffer");
  if ((n_inputs && inputs->struct_size < sizeof *inputs) ||
      (n_outputs && outputs->struct_size < sizeof *outputs))
    return api_error(status_new(INVALID_ARGUMENT, __FILE__, __LINE__,
                                "struct_size of a tsr_buffer is less than sizeof(tsr_buffer)"));
  Evaluate e = {.handle = program,
                .function = function,
                .n_inputs = n_inputs,
                .n_outputs = n_outputs,
                .inputs = inputs,
                .outputs = outputs};
  API_READ(&e.options, options, "tsr_evaluate_options");
  literal_heap_init(&e.heap, NULL, (size_t)e.options.memory_limit);
  arena_init(&e.arena, NULL);
  e.calls = (ApiCalls){.run = e.options.custom_call, .user = e.options.custom_call_user};
  Status *status =
      e.calls.run ? errands_run(evaluate_with_errands, &e) : guard_run(evaluate_body, &e);
  literal_heap_deinit(&e.heap);
  arena_deinit(&e.arena);
  return api_error(status);
}

void tsr_buffer_free(tsr_buffer *buffer) {
  tsr_buffer b;
  Status *unset = buffer ? api_read_struct(&b, sizeof b, buffer, "tsr_buffer") : NULL;
  status_free(unset);  // struct_size was not set: the buffer was never filled
  if (!buffer || unset) return;
  mem_free(b.data);
  mem_free((void *)(uintptr_t)b.dims);
  b.data = NULL;
  b.dims = NULL;
  api_write_struct(buffer, &b, sizeof b);
}
