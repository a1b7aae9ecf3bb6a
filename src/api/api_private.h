// What the files of the public C API share.
#ifndef TESSERA_API_API_PRIVATE_H
#define TESSERA_API_API_PRIVATE_H

#include <tessera/tessera.h>

#include "base/errand.h"
#include "ir/program.h"
#include "ops/custom_rules.h"
#include "ops/eval.h"
#include "partition/tiles.h"
#include "pipeline/compile.h"

typedef struct Asked Asked;

struct tsr_program {
  char *text;  // the source's text; positions in the program refer to it
  char *name;
  Source source;
  Context *context;
  Program *program;
  bool as_loaded;  // nothing was written into it yet
  HEAPVEC(OpId) functions;
  char *traffic;  // JSON, of a partitioned program
  Asked *asked;   // what questions have read so far; NULL: nothing
};

struct tsr_rules {
  CustomRules *rules;
  struct RuleCallback *callbacks;  // of the list, which borrows them
};

// Never NULL; the static one if there is no memory.
tsr_error *api_error_new(StatusCode code, const char *message, size_t n);
tsr_error *api_error(Status *status);  // frees the status; NULL for NULL
// The same, with what diagnostics say instead of the status, if anything.
tsr_error *api_error_said(Status *status, const StrBuf *said);

// INVALID_ARGUMENT: the argument of the function is NULL.
tsr_error *api_null(const char *function, const char *argument);
// Leaves the function if a pointer is NULL; `name` is what the header calls it.
#define API_NEED(pointer, name)                                                                    \
  do {                                                                                             \
    if (!(pointer)) return api_null(__func__, name);                                               \
  } while (0)

// Copies a caller's struct into ours as far as both reach; what is missing is zero, and all is if
// `theirs` is NULL. INVALID_ARGUMENT if its struct_size, of the struct called `type`, is not set.
Status *api_read_struct(void *ours, size_t our_bytes, const void *theirs,
                        const char *type) MUST_USE;
// Is struct_size of a caller's struct set? INVALID_ARGUMENT as above.
Status *api_check_struct(const void *theirs, const char *type) MUST_USE;
#define API_READ(ours, theirs, type)                                                               \
  do {                                                                                             \
    Status *api_status_ = api_read_struct((ours), sizeof *(ours), (theirs), (type));               \
    if (api_status_) return api_error(api_status_);                                                \
  } while (0)
#define API_CHECK(theirs, type)                                                                    \
  do {                                                                                             \
    Status *api_status_ = api_check_struct((theirs), (type));                                      \
    if (api_status_) return api_error(api_status_);                                                \
  } while (0)
// The other way; struct_size stays as the caller set it.
void api_write_struct(void *theirs, const void *ours, size_t our_bytes);

void api_release_diag(void *diag);  // a Diag on a guard's cleanup list

// dims and text live as long as the context. Runs under the context's guard.
tsr_type_info api_type_info(Context *context, Type type);

tsr_dtype api_dtype(DType dtype);

// A call in the API's words; arrays in the arena, texts live as long as the context.
void api_custom_call(const Program *p, OpId op, Arena *arena, tsr_custom_call *out);

// Custom calls that the caller of tsr_program_evaluate runs, on its own thread.
typedef struct ApiCalls {
  tsr_custom_call_fn run;
  void *user;
  Errands *errands;
} ApiCalls;

// EvalOptions.custom_call of an ApiCalls.
Status *api_run_call(void *calls, EvalContext *cx, Literal *const *in, Literal *const *out,
                     bool *out_done) MUST_USE;

// Fills h->functions anew.
void api_list_functions(tsr_program *h, Guard *guard);
Status *api_check_function(const tsr_program *h, size_t index) MUST_USE;  // OUT_OF_RANGE

enum { ASK_RESULTS = 1, ASK_TILES = 2, N_ASKS = 4 };

// An argument of a function, or with ASK_RESULTS a result: its annotation, or with ASK_TILES what
// it is a part of after partitioning. Both outputs live until api_forget; the table throws to the
// guard. The first question of a function is O(its arguments or results). OUT_OF_RANGE.
Status *api_edge(tsr_program *h, size_t function, unsigned which, size_t i, Guard *guard,
                 const Edge **out_edge, ShardingTable **out_table) MUST_USE;
void api_forget(tsr_program *h);  // before the program is rewritten

// The options' pointers must outlive the request, which is partly in the arena.
Status *api_propagate_request(const tsr_program *h, const tsr_propagate_options *options,
                              Arena *arena, PropagateRequest *out) MUST_USE;
// What a caller's callback is told through, if there is one: in *room, on the guard.
void api_progress(Guard *guard, tsr_progress_fn tell, void *user, Progress *room);
// The text of a machine that is called or described so; NULL for NULL. INVALID_ARGUMENT.
Status *api_machine(const char *machine, const char **out_text) MUST_USE;
// INVALID_ARGUMENT if it is neither of the spellings.
Status *api_check_spelling(tsr_spelling spelling) MUST_USE;
Status *api_print_sharding(ShardingTable *table, Sharding sharding, tsr_spelling spelling,
                           Arena *scratch, StrBuf *out) MUST_USE;

#endif
