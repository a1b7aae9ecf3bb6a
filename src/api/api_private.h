// Declarations shared by the files of the public C API.
#ifndef TESSERA_API_API_PRIVATE_H
#define TESSERA_API_API_PRIVATE_H

#include <tessera/tessera.h>

#include "base/errand.h"
#include "ir/program.h"
#include "ops/custom_rules.h"
#include "ops/eval.h"
#include "partition/tiles.h"
#include "pipeline/compile.h"

typedef struct EdgeCache EdgeCache;

struct tsr_program {
  char *text;  // the source's text; positions in the program refer to it
  char *name;
  Source source;
  Context *context;
  Program *program;
  bool as_loaded;  // not rewritten since loading
  HEAPVEC(OpId) functions;
  char *traffic;          // JSON, of a partitioned program
  double global_flops;    // of the global program, after partitioning; else 0
  char *decisions;        // JSON, of a program partitioned with keep_decisions; NULL: none
  EdgeCache *edge_cache;  // shardings that queries have read; NULL: none
};

struct tsr_rules {
  CustomRules *rules;
  struct RuleCallback *callbacks;  // of the list, which borrows them
};

// Never returns NULL; without memory it returns the static error.
tsr_error *api_error_new(StatusCode code, const char *message, size_t n);
tsr_error *api_error(Status *status);  // frees the status; NULL for NULL
// api_error with the text as its message, unless the text is empty.
tsr_error *api_error_with_text(Status *status, const StrBuf *text);

// INVALID_ARGUMENT: this argument of the function is NULL.
tsr_error *api_null(const char *function, const char *argument);
// Returns from the function if a pointer is NULL; `name` is its name in the header.
#define API_NEED(pointer, name)                                                                    \
  do {                                                                                             \
    if (!(pointer)) return api_null(__func__, name);                                               \
  } while (0)

// Copies a caller's struct into ours as far as both reach; missing fields, or all if `theirs` is
// NULL, are zero. INVALID_ARGUMENT if its struct_size is that of no version of the struct; `type`
// names the struct.
Status *api_read_struct(void *ours, size_t our_bytes, const void *theirs,
                        const char *type) MUST_USE;
// Checks that struct_size of a caller's struct is set, and that no field ends behind it;
// INVALID_ARGUMENT otherwise.
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
// Copies ours into the caller's struct; struct_size stays as the caller set it.
void api_write_struct(void *theirs, const void *ours, size_t our_bytes);

void api_release_diag(void *diag);  // frees a Diag on a guard's cleanup list

// dims and text live as long as the context. Requires the context's guard.
tsr_type_info api_type_info(Context *context, Type type);

tsr_dtype api_dtype(DType dtype);
DType api_dtype_in(tsr_dtype dtype);  // DT_none_ for an unknown one

// Describes a custom call for callbacks. Arrays are in the arena; texts live as long as the
// context.
void api_custom_call(const Program *p, OpId op, Arena *arena, tsr_custom_call *out);

// Custom calls that run on the thread that called tsr_program_evaluate.
typedef struct ApiCalls {
  tsr_custom_call_fn run;
  void *user;
  Errands *errands;
} ApiCalls;

// EvalOptions.custom_call for an ApiCalls.
Status *api_run_call(void *calls, EvalContext *cx, Literal *const *in, Literal *const *out,
                     bool *out_done) MUST_USE;

// Fills h->functions again after a rewrite.
void api_list_functions(tsr_program *h, Guard *guard);
Status *api_check_function(const tsr_program *h, size_t index) MUST_USE;  // OUT_OF_RANGE

enum { QUERY_RESULTS = 1, QUERY_TILES = 2, N_QUERIES = 4 };

// An argument (or with QUERY_RESULTS a result) of a function: its annotation, or with QUERY_TILES
// its global type and sharding after partitioning. Both outputs live until api_forget; the table
// throws to the guard. The first query of a function is O(its arguments or results). OUT_OF_RANGE.
Status *api_edge(tsr_program *h, size_t function, unsigned which, size_t i, Guard *guard,
                 const Edge **out_edge, ShardingTable **out_table) MUST_USE;
void api_forget(tsr_program *h);  // drops the cache; call it before the program is rewritten

// Converts options to a request. The options' pointers must outlive it; parts are in the arena.
Status *api_propagate_request(const tsr_program *h, const tsr_propagate_options *options,
                              Arena *arena, PropagateRequest *out) MUST_USE;
// Reads the options of partitioning; machine, trip_count and progress are then in the annotations.
tsr_error *api_read_partition(const tsr_partition_options *options, tsr_partition_options *out,
                              tsr_propagate_options *out_annotations);
// The same for a request of all stages.
Status *api_partition_request(const tsr_program *h, const tsr_partition_options *options,
                              const tsr_propagate_options *annotations, Arena *arena,
                              CompileRequest *out) MUST_USE;
// A copy for the caller; FAILED_PRECONDITION with `absent` if there is no text.
tsr_error *api_give_text(const char *text, const char *absent, char **out);
// Installs a caller's callback, if there is one, on the guard; *room holds it.
void api_progress(Guard *guard, tsr_progress_fn tell, void *user, Progress *room);
// The description of a machine given as NAME[:SHAPE], as a file or as JSON; NULL for NULL. The text
// is in the arena or the caller's. INVALID_ARGUMENT if it is none of them or cannot be read.
Status *api_machine(const char *machine, Arena *arena, const char **out_text) MUST_USE;
// INVALID_ARGUMENT if it is not a tsr_spelling.
Status *api_check_spelling(tsr_spelling spelling) MUST_USE;
Status *api_print_sharding(ShardingTable *table, Sharding sharding, tsr_spelling spelling,
                           Arena *scratch, StrBuf *out) MUST_USE;

#endif
