/* Tessera: the public C API.
 *
 * Load a program (StableHLO text), look at it, shard it, evaluate it on buffers, destroy it. See
 * examples/embed.c.
 *
 * Rules. Every function that can fail returns a tsr_error: NULL is success, anything else is owned
 * by the caller and freed with tsr_error_free. Out parameters are written only on success. Structs
 * begin with struct_size, set by the caller to sizeof the struct it was compiled with: 0 is
 * TSR_ERROR_INVALID_ARGUMENT. Fields are only ever added at the end, and absent fields mean their
 * zero value. A pointer that is NULL is TSR_ERROR_INVALID_ARGUMENT, naming the argument, unless its
 * function says that it may be NULL; all free functions take NULL. Nothing here prints or exits. A
 * program may be used by one thread at a time; different programs by different threads at once.
 */
#ifndef TESSERA_TESSERA_H
#define TESSERA_TESSERA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TSR_API __attribute__((visibility("default")))
#else
#define TSR_API
#endif

/* "0.1.0" */
TSR_API const char *tsr_version(void);

/* ---- errors ---- */

typedef struct tsr_error tsr_error;

/* PJRT's codes. */
typedef enum tsr_code {
  TSR_OK = 0,
  TSR_ERROR_CANCELLED = 1, /* tsr_evaluate_options.cancel */
  TSR_ERROR_UNKNOWN = 2,
  TSR_ERROR_INVALID_ARGUMENT = 3, /* also: the program is wrong */
  TSR_ERROR_DEADLINE_EXCEEDED = 4,
  TSR_ERROR_NOT_FOUND = 5, /* a file, a function, a value */
  TSR_ERROR_ALREADY_EXISTS = 6,
  TSR_ERROR_PERMISSION_DENIED = 7,
  TSR_ERROR_RESOURCE_EXHAUSTED = 8, /* out of memory, or over a limit */
  TSR_ERROR_FAILED_PRECONDITION = 9,
  TSR_ERROR_ABORTED = 10,
  TSR_ERROR_OUT_OF_RANGE = 11, /* a function, argument, result or device that does not exist */
  TSR_ERROR_UNIMPLEMENTED = 12,
  TSR_ERROR_INTERNAL = 13, /* an error of Tessera: please report it */
  TSR_ERROR_UNAVAILABLE = 14,
  TSR_ERROR_DATA_LOSS = 15,
  TSR_ERROR_UNAUTHENTICATED = 16
} tsr_code;

TSR_API tsr_code tsr_error_code(const tsr_error *error); /* TSR_OK for NULL */
/* One or more lines; about a program: path:line:column, the source line and a caret. Owned by the
 * error; "" for NULL. */
TSR_API const char *tsr_error_message(const tsr_error *error);
TSR_API void tsr_error_free(tsr_error *error); /* NULL is fine */

/* ---- programs ---- */

typedef struct tsr_program tsr_program;

typedef struct tsr_load_options {
  size_t struct_size;
  const char *name;       /* what messages call the text; default "<memory>" or the file's path */
  int allow_unregistered; /* keep ops that no dialect here knows */
} tsr_load_options;

/* Reads and verifies StableHLO text. options may be NULL. The text need not outlive the call. */
TSR_API tsr_error *tsr_program_load(const char *text, size_t size, const tsr_load_options *options,
                                    tsr_program **out_program);
TSR_API tsr_error *tsr_program_load_file(const char *path, const tsr_load_options *options,
                                         tsr_program **out_program);
/* A copy of the program as it is now, for another thread or another sharding. It shares nothing
 * with the original. O(program). */
TSR_API tsr_error *tsr_program_copy(tsr_program *program, tsr_program **out_program);
TSR_API void tsr_program_free(tsr_program *program); /* NULL is fine */

typedef struct tsr_print_options {
  size_t struct_size;
  int generic;   /* generic instead of pretty form */
  int locations; /* with loc(…) */
} tsr_print_options;

/* The program as text, NUL-terminated; freed with tsr_text_free. options and out_size may be NULL.
 */
TSR_API tsr_error *tsr_program_print(tsr_program *program, const tsr_print_options *options,
                                     char **out_text, size_t *out_size);
TSR_API void tsr_text_free(char *text); /* NULL is fine */

/* ---- looking at a program ---- */

/* Element types. Values are stable. Elements are stored one after the other, row major, little
 * endian; i1 and everything narrower than 8 bits takes one byte each; complex is real then
 * imaginary part. */
typedef enum tsr_dtype {
  TSR_INVALID = 0,
  TSR_I1 = 1,
  TSR_I2 = 2,
  TSR_I4 = 3,
  TSR_I8 = 4,
  TSR_I16 = 5,
  TSR_I32 = 6,
  TSR_I64 = 7,
  TSR_UI2 = 8,
  TSR_UI4 = 9,
  TSR_UI8 = 10,
  TSR_UI16 = 11,
  TSR_UI32 = 12,
  TSR_UI64 = 13,
  TSR_F4E2M1FN = 14,
  TSR_F6E2M3FN = 15,
  TSR_F6E3M2FN = 16,
  TSR_F8E3M4 = 17,
  TSR_F8E4M3 = 18,
  TSR_F8E4M3FN = 19,
  TSR_F8E4M3FNUZ = 20,
  TSR_F8E4M3B11FNUZ = 21,
  TSR_F8E5M2 = 22,
  TSR_F8E5M2FNUZ = 23,
  TSR_F8E8M0FNU = 24,
  TSR_BF16 = 25,
  TSR_F16 = 26,
  TSR_F32 = 27,
  TSR_F64 = 28,
  TSR_C64 = 29, /* complex<f32> */
  TSR_C128 = 30 /* complex<f64> */
} tsr_dtype;

TSR_API size_t tsr_dtype_bytes(tsr_dtype dtype);
TSR_API const char *tsr_dtype_name(tsr_dtype dtype); /* "f32", "complex<f64>" */

typedef struct tsr_function_info {
  size_t struct_size;
  const char *name; /* without '@'; lives as long as the program */
  size_t n_arguments;
  size_t n_results;
  size_t n_ops; /* in it, regions included */
  int is_public;
} tsr_function_info;

TSR_API size_t tsr_program_function_count(const tsr_program *program); /* 0 for NULL */
/* index < tsr_program_function_count; in the order of the text. */
TSR_API tsr_error *tsr_program_function(tsr_program *program, size_t index,
                                        tsr_function_info *out_info);

#define TSR_DIM_DYNAMIC INT64_MIN

typedef struct tsr_type_info {
  size_t struct_size;
  tsr_dtype dtype; /* of a tensor, storage type if quantized; TSR_INVALID for tokens and tuples */
  size_t rank;
  const int64_t *dims; /* TSR_DIM_DYNAMIC where unknown; lives as long as the program */
  const char *text;    /* "tensor<2x3xf32>"; lives as long as the program */
} tsr_type_info;

TSR_API tsr_error *tsr_program_argument(tsr_program *program, size_t function, size_t argument,
                                        tsr_type_info *out_info);
TSR_API tsr_error *tsr_program_result(tsr_program *program, size_t function, size_t result,
                                      tsr_type_info *out_info);

/* What users call it, as in annotations: "params.layers.0.w" (from its location, jax.arg_info or
 * its name in the text), "result.1.loss" (from jax.result_info). *out_text is NULL if it has but a
 * number, and freed with tsr_text_free. */
TSR_API tsr_error *tsr_program_argument_name(tsr_program *program, size_t function, size_t argument,
                                             char **out_text);
TSR_API tsr_error *tsr_program_result_name(tsr_program *program, size_t function, size_t result,
                                           char **out_text);

/* Dimensions by name: which dimensions of which values are the same thing, as layouts say them. One
 * object of JSON: names (an array of name, size or null, dims, origin, from) and functions (name,
 * arguments and results, each with index, path, type and dims, which are names; with `all` also
 * values). names, if not NULL, has names for some, a line per value: "arg0: batch,length"; others
 * are made up from sizes. Freed with tsr_text_free. */
TSR_API tsr_error *tsr_program_dimensions(tsr_program *program, const char *names, int all,
                                          char **out_json);

/* ---- rules for custom calls ---- */

/* How custom calls that Tessera does not know may be split: rules by the name of their target.
 *
 *   ([i, k], [k, j])->([i, j]) reduction={k}     dimensions of the same letter are split together;
 *                                                splitting k gives partial results, added up
 *   ([i, k])->([i]) reduction={k:max}            combined by max (sum, max, min, mul, and, or, xor)
 *   ([i, j])->([i, j]) need_replication={j}      j is needed whole on each device
 *   ([ij])->([i, j]) {i=4}                       several factors in a dimension, major to minor;
 *                                                sizes that do not follow from the shapes
 *
 * Also permutation={…} (shards read their neighbours) and blocked_propagation={…}. An
 * sdy.sharding_rule on a call holds before any rule here, and these before Tessera's own. */
typedef struct tsr_rules tsr_rules;

TSR_API tsr_error *tsr_rules_new(tsr_rules **out_rules);
TSR_API void tsr_rules_free(tsr_rules *rules); /* NULL is fine */

/* Adds the rule of a target, or replaces it. TSR_ERROR_INVALID_ARGUMENT, naming the column, if the
 * text is no rule. */
TSR_API tsr_error *tsr_rules_add(tsr_rules *rules, const char *target, const char *rule);

/* One call in a program; everything lives until the callback returns. */
typedef struct tsr_custom_call {
  size_t struct_size; /* set by the library */
  const char *target;
  const char *backend_config; /* a string as it is, a dictionary as text: "{index = 0 : ui64}" */
  size_t n_operands;
  const tsr_type_info *const *operands;
  size_t n_results;
  const tsr_type_info *const *results;
} tsr_custom_call;

/* Gives the rule of a call as text that stays valid until it is called again; NULL if there is
 * none. It may be called more than once for a call, and must not use the program. */
typedef const char *(*tsr_rule_fn)(void *user, const tsr_custom_call *call);

/* Rules that depend on more than the target's name. target NULL: every call that no other rule is
 * for. user may be NULL. */
TSR_API tsr_error *tsr_rules_add_callback(tsr_rules *rules, const char *target, tsr_rule_fn rule,
                                          void *user);

/* ---- progress ---- */

/* Told by long calls what they are doing ("deciding ops") and how much of it is done, of how much;
 * a total of 0 is not known. Called on the thread that made the call, often (about once per 256
 * ops) and at the beginning of each stage; it must be quick, and must not call this API. In
 * tsr_program_evaluate it may be another thread, while the first waits; never two at a time. */
typedef void (*tsr_progress_fn)(void *user, const char *stage, uint64_t done, uint64_t total);

/* ---- sharding ---- */

typedef enum tsr_strategy {
  TSR_USER_PRIORITY = 0, /* the user's priorities, in each the ops' */
  TSR_OP_PRIORITY = 1,
  TSR_AGGRESSIVE = 2,
  TSR_BASIC = 3,
  TSR_NONE = 4 /* what has no sharding has none */
} tsr_strategy;

typedef struct tsr_propagate_options {
  size_t struct_size;
  tsr_strategy strategy;
  const char *mesh; /* "data=4,model=2"; NULL: the one the program has */
  /* Annotations beside the program: "0=P(\"data\")", "params.*.kernel=[{}, {\"model\"}]". The
   * first rule that matches a value holds. */
  size_t n_rules;
  const char *const *rules;
  /* PJRT's allow vectors, one per argument and result of the entry function, or one for all: may
   * propagation give it a sharding? What is neither allowed nor annotated is replicated. None: all
   * that are not annotated are allowed. */
  size_t n_allow_arguments;
  const unsigned char *allow_arguments;
  size_t n_allow_results;
  const unsigned char *allow_results;
  int divisible_edges;   /* arguments and results divide; annotations that do not are errors */
  int conservative;      /* not along dimensions whose shards would read their neighbours */
  int close;             /* leave no dimension open */
  tsr_rules *call_rules; /* for custom calls; NULL: none. A rule that does not fit a call's shapes
                          * is an error at that call; one whose target no call has is an error */
  const char *layout;    /* shard by dimension names: "batch:data, hidden:model"; NULL: none */
  const char *names;     /* names for it, a line per value: "arg0: batch,length"; NULL: none */
  size_t devices;        /* how many: the mesh must have as many, or becomes "devices=N"; 0: any */
  int by_cost;           /* an axis that two want goes where it takes the least time, not to the
                            larger: also tried is which rules go first, on a program as it was loaded */
  int reshards;          /* also write where values change their sharding, as tsr_program_partition
                            does it, so that XLA does the same; closes all dimensions */
  const char *machine;   /* that by_cost and reshards predict times for: as of
                            tsr_partition_options; NULL: the default */
  size_t trip_count;     /* iterations to count for loops of unknown length; 0: 100, a guess */
  tsr_progress_fn progress; /* NULL: none is told */
  void *progress_user;
} tsr_propagate_options;

/* Gives every value the sharding that follows from the annotations, and writes them into the
 * program as sdy attributes. options may be NULL. *out_warnings, if not NULL, is what there is to
 * say, or NULL; freed with tsr_text_free. After an error the program means what it did, but may be
 * spelled otherwise; after TSR_ERROR_RESOURCE_EXHAUSTED it may only be freed. */
TSR_API tsr_error *tsr_program_propagate(tsr_program *program, const tsr_propagate_options *options,
                                         char **out_warnings);

typedef enum tsr_spelling {
  TSR_SDY = 0,  /* <@mesh, [{"data"}, {?}]> */
  TSR_GSPMD = 1 /* {devices=[4,1]<=[4]} */
} tsr_spelling;

/* The sharding of an argument or result of a function; *out_text is NULL if it has none, and freed
 * with tsr_text_free. */
TSR_API tsr_error *tsr_program_argument_sharding(tsr_program *program, size_t function,
                                                 size_t argument, tsr_spelling spelling,
                                                 char **out_text);
TSR_API tsr_error *tsr_program_result_sharding(tsr_program *program, size_t function, size_t result,
                                               tsr_spelling spelling, char **out_text);

/* The type of the part that one device has: "tensor<2x8xf32>"; of the whole if there is no
 * sharding. Freed with tsr_text_free. */
TSR_API tsr_error *tsr_program_argument_part(tsr_program *program, size_t function, size_t argument,
                                             char **out_text);
TSR_API tsr_error *tsr_program_result_part(tsr_program *program, size_t function, size_t result,
                                           char **out_text);

/* ---- partitioning ---- */

typedef struct tsr_partition_options {
  size_t struct_size;
  const tsr_propagate_options *annotations; /* as of tsr_program_propagate; NULL: what the program
                                             * says */
  const char *machine; /* a name ("h100") or a description (docs/machine.md); NULL: the default */
  int plain;           /* leave the local program as it was made */
  int why;             /* keep why each collective is there: reasons of tsr_program_traffic, their
                        * ids as attributes tessera.why of the collectives (only if collectives is
                        * NULL or "combined"), the reasons as locations (print with locations) */
  int mesh_axes;       /* replica_groups by axes of a mesh instead of device by device */
  const char *collectives; /* the form that the local program's consumer needs of them, as of
                            * --collectives: "single" (one operand each), "bitwise", "fenced",
                            * "major", "typed", "apart", "paced", several with commas, "xla" for all
                            * of them (docs/partitioner.md); NULL or "combined": none */
  size_t trip_count; /* these three as of tsr_propagate_options; 0 or NULL: what annotations say */
  tsr_progress_fn progress;
  void *progress_user;
} tsr_partition_options;

/* Propagates, and makes of the program what each device runs: the same ops on parts of the tensors,
 * with standard collectives. Device k of the mesh is partition k of *out_devices (1: nothing is
 * sharded). options and out_devices may be NULL; *out_warnings as of tsr_program_propagate. After
 * an error the program may only be freed. */
TSR_API tsr_error *tsr_program_partition(tsr_program *program, const tsr_partition_options *options,
                                         size_t *out_devices, char **out_warnings);

/* What a partitioned program exchanges, one object of JSON: devices, collectives (an array of kind,
 * count, in_loops, groups, group_size, axes, runs, bytes, guess), bytes (sent per device), steps
 * (of which each waits for the one before), flops (of each device), flops_whole, argument_bytes and
 * result_bytes (that each device has); unknown_loops (loops of unknown length), trip_count (the
 * iterations that each counts as) and guesses (an array of those of these keys that are guesses,
 * since they depend on such loops and nobody said trip_count); redundant (an array of the ops of
 * which devices compute more than flops_whole / devices: op, count, flops, ideal_flops, cause,
 * devices, axes, avoid, why, guess: docs/partitioner.md); with the option why also reasons (an
 * array of id, kind, count, with_others, bytes, why, guess, cause, op, value, source_sharding,
 * target_sharding, partial, axes, result, device: docs/why.md; the most expensive first). Freed
 * with tsr_text_free. TSR_ERROR_FAILED_PRECONDITION if tsr_program_partition was not called. */
TSR_API tsr_error *tsr_program_traffic(const tsr_program *program, char **out_json);

/* How many devices a partitioned program is for: after tsr_program_partition, and of text that it
 * made and that was loaded again (its module has the mesh as tessera.mesh). 0: it is not
 * partitioned. tsr_program_argument_tile and tsr_program_result_tile say what each device has. */
TSR_API tsr_error *tsr_program_devices(const tsr_program *program, size_t *out_devices);

/* What a device has of an argument or result of a partitioned program. */
typedef struct tsr_tile {
  size_t struct_size;
  const char *global; /* type of the whole: "tensor<8x4xf32>" */
  size_t rank;
  const int64_t *whole;  /* its sizes */
  const int64_t *tile;   /* sizes of the part, the same on every device */
  const int64_t *offset; /* where this device's part begins */
  const int64_t *extent; /* how much of it is there: what lies beyond is any value */
  int is_sum;            /* devices have parts of a sum (or maximum, …) instead of the value */
  const char *combine;   /* then: "sum", "max", "min", "mul", "and", "or", "xor"; else "" */
  size_t first;          /* then: the first device that has a part of the same; else this device */
} tsr_tile;

/* All of it lives as long as the program. */
TSR_API tsr_error *tsr_program_argument_tile(tsr_program *program, size_t function, size_t argument,
                                             size_t device, tsr_tile *out_tile);
TSR_API tsr_error *tsr_program_result_tile(tsr_program *program, size_t function, size_t result,
                                           size_t device, tsr_tile *out_tile);

/* ---- search: try shardings and take them back ---- */

typedef struct tsr_propagation tsr_propagation;

/* Propagates as tsr_program_propagate does, but keeps the state instead of writing it. Until it is
 * freed the program must live and may only be looked at. */
TSR_API tsr_error *tsr_propagation_new(tsr_program *program, const tsr_propagate_options *options,
                                       tsr_propagation **out_propagation);
TSR_API void tsr_propagation_free(tsr_propagation *propagation); /* NULL is fine */
/* A number for a value: "params.w", "0", "result0", "%12". TSR_ERROR_NOT_FOUND if nothing, or more
 * than one value, is called so. */
TSR_API tsr_error *tsr_propagation_value(tsr_propagation *propagation, const char *name,
                                         size_t *out_value);
/* Gives a value a sharding that extends the one it has ("P(\"data\", ...)", "[{\"data\", ?},
 * {?}]"), and propagates only what that touches. *out_changes, if not NULL, is how many times a
 * value's sharding changed. TSR_ERROR_FAILED_PRECONDITION if it does not extend it; the state is
 * then as before. */
TSR_API tsr_error *tsr_propagation_push(tsr_propagation *propagation, size_t value,
                                        const char *sharding, size_t *out_changes);
/* Takes the last push back; costs what changed, not what the program has.
 * TSR_ERROR_FAILED_PRECONDITION if there is none. */
TSR_API tsr_error *tsr_propagation_pop(tsr_propagation *propagation);
/* What a value has now; *out_text is NULL if nothing is known, and freed with tsr_text_free. */
TSR_API tsr_error *tsr_propagation_sharding(tsr_propagation *propagation, size_t value,
                                            tsr_spelling spelling, char **out_text);
/* What there was to say about the annotations; *out_text is NULL if nothing, and freed with
 * tsr_text_free. */
TSR_API tsr_error *tsr_propagation_warnings(tsr_propagation *propagation, char **out_text);
/* All shardings, one object of JSON: meshes (name, axes), and of each function that nothing calls
 * its arguments and results, each with path, type, sharding and local, which is the type of the
 * part that one device has. With `values` also what the functions compute, and the functions they
 * call, once per call. Freed with tsr_text_free. O(what is asked for). */
TSR_API tsr_error *tsr_propagation_table(tsr_propagation *propagation, int values, char **out_json);
/* Where the axes of a value come from, and what it did not take; of all values that are called so
 * (as of tsr_propagation_value; also "model.py:31"). Text for people, or one object of JSON per
 * line (docs/why.md). Freed with tsr_text_free. TSR_ERROR_NOT_FOUND, naming what is near, if
 * nothing is called so. */
TSR_API tsr_error *tsr_propagation_why(tsr_propagation *propagation, const char *name, int json,
                                       char **out_text);
/* Writes the shardings into the program; after that the propagation may only be freed. */
TSR_API tsr_error *tsr_propagation_write(tsr_propagation *propagation);

/* ---- evaluating ---- */

typedef struct tsr_buffer {
  size_t struct_size;
  tsr_dtype dtype;
  size_t rank;
  const int64_t *dims;
  void *data; /* dtype_bytes * product of dims */
} tsr_buffer;

/* What a scatter does with a window of updates that lies partly outside of its input. */
typedef enum tsr_scatter {
  TSR_SCATTER_SPEC = 0, /* drops the elements outside, as StableHLO's specification says */
  TSR_SCATTER_XLA = 1   /* drops the whole window, as XLA does, and so JAX on every platform */
} tsr_scatter;

/* Runs a custom call of a target that has no meaning in Tessera, as often as the program does. The
 * buffers are the library's: operands[i].data is only read; results[i] has its type, and data to be
 * filled. A token has the dtype TSR_INVALID and no data. Everything lives until it returns, which
 * it does with 0, with 12 if the target is not one it knows, or with another code of errors and a
 * NUL-terminated message, which end the run. It must not use the program. */
typedef int (*tsr_custom_call_fn)(void *user, const tsr_custom_call *call,
                                  const tsr_buffer *operands, tsr_buffer *results, char *message,
                                  size_t message_size);

typedef struct tsr_evaluate_options {
  size_t struct_size;
  uint64_t seed;         /* of stablehlo.rng */
  uint64_t memory_limit; /* bytes of values alive at once, and of stacks of partitions; 0 = none. A
                            program whose arguments and results need more is refused: error 8 */
  size_t partitions;     /* devices that run it together; 0 = 1 */
  const int *cancel;     /* another thread makes it other than 0 to end the run; NULL: none does */
  tsr_progress_fn progress; /* NULL: none is told */
  void *progress_user;
  tsr_scatter scatter; /* a partitioned program gives the global program's answer by either rule */
  /* Custom calls, on the thread that calls tsr_program_evaluate and one at a time; NULL: those
   * without a meaning here are refused. A partitioned program calls once for all devices what has
   * side effects or calls back into Python, with the global operands. */
  tsr_custom_call_fn custom_call;
  void *custom_call_user;
} tsr_evaluate_options;

/* Runs a function ("main" if NULL) on the inputs: those of device 0, then of device 1, …; outputs
 * the same way. outputs has room for n_outputs buffers, which
 * must be the function's number of results times the devices; each one's dims and data are
 * allocated and freed with tsr_buffer_free. The caller sets struct_size of every buffer. options
 * may be NULL, and inputs or outputs where there are none. */
TSR_API tsr_error *tsr_program_evaluate(tsr_program *program, const char *function,
                                        const tsr_evaluate_options *options, size_t n_inputs,
                                        const tsr_buffer *inputs, size_t n_outputs,
                                        tsr_buffer *outputs);
/* Frees what tsr_program_evaluate put into a buffer. */
TSR_API void tsr_buffer_free(tsr_buffer *buffer); /* NULL is fine */

#ifdef __cplusplus
}
#endif

#endif
