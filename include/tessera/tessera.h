/* Tessera: the public C API.
 *
 * Load a program (StableHLO text), inspect, shard, partition and evaluate it, free it. See
 * examples/embed.c.
 *
 * Rules. Every function that can fail returns a tsr_error: NULL is success, anything else is owned
 * by the caller and freed with tsr_error_free. Out parameters are written only on success. Structs
 * begin with struct_size, set by the caller to sizeof the struct it was compiled with: 0, or a size
 * that ends inside a field, is TSR_ERROR_INVALID_ARGUMENT. Fields are only ever added at the end,
 * and absent fields mean their zero value. A NULL pointer is TSR_ERROR_INVALID_ARGUMENT, naming the
 * argument, unless its function allows it; all free functions take NULL. Nothing here prints or
 * exits. A program may be used by one thread at a time; different programs by different threads at
 * once.
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
  TSR_ERROR_INVALID_ARGUMENT = 3, /* also: an invalid program */
  TSR_ERROR_DEADLINE_EXCEEDED = 4,
  TSR_ERROR_NOT_FOUND = 5, /* a file, a function, a value */
  TSR_ERROR_ALREADY_EXISTS = 6,
  TSR_ERROR_PERMISSION_DENIED = 7,
  TSR_ERROR_RESOURCE_EXHAUSTED = 8, /* out of memory, or over a limit */
  TSR_ERROR_FAILED_PRECONDITION = 9,
  TSR_ERROR_ABORTED = 10,
  TSR_ERROR_OUT_OF_RANGE = 11, /* a function, argument, result or device that does not exist */
  TSR_ERROR_UNIMPLEMENTED = 12,
  TSR_ERROR_INTERNAL = 13, /* a bug in Tessera: please report it */
  TSR_ERROR_UNAVAILABLE = 14,
  TSR_ERROR_DATA_LOSS = 15,
  TSR_ERROR_UNAUTHENTICATED = 16
} tsr_code;

TSR_API tsr_code tsr_error_code(const tsr_error *error); /* TSR_OK for NULL */
/* One or more lines. Errors in a program have path:line:column, the source line and a caret. Owned
 * by the error; "" for NULL. */
TSR_API const char *tsr_error_message(const tsr_error *error);
TSR_API void tsr_error_free(tsr_error *error); /* NULL is fine */

/* ---- programs ---- */

typedef struct tsr_program tsr_program;

typedef struct tsr_load_options {
  size_t struct_size;
  const char *name;       /* the text's name in messages; default "<memory>" or the file's path */
  int allow_unregistered; /* keep ops of unknown dialects */
} tsr_load_options;

/* Reads and verifies StableHLO text. options may be NULL. The text need not outlive the call. */
TSR_API tsr_error *tsr_program_load(const char *text, size_t size, const tsr_load_options *options,
                                    tsr_program **out_program);
TSR_API tsr_error *tsr_program_load_file(const char *path, const tsr_load_options *options,
                                         tsr_program **out_program);
/* Copies the program in its present state, for another thread or another sharding. The copy shares
 * nothing with the original. O(program). */
TSR_API tsr_error *tsr_program_copy(tsr_program *program, tsr_program **out_program);
TSR_API void tsr_program_free(tsr_program *program); /* NULL is fine */

typedef struct tsr_print_options {
  size_t struct_size;
  int generic;   /* generic instead of pretty form */
  int locations; /* with loc(…) */
} tsr_print_options;

/* Prints the program, NUL-terminated; freed with tsr_text_free. options and out_size may be NULL.
 */
TSR_API tsr_error *tsr_program_print(tsr_program *program, const tsr_print_options *options,
                                     char **out_text, size_t *out_size);
TSR_API void tsr_text_free(char *text); /* NULL is fine */

/* ---- inspecting a program ---- */

/* Element types. Values are stable. Elements are stored contiguously, row-major, little
 * endian. i1 and types narrower than 8 bits take one byte per element. Complex elements are real
 * part, imaginary part. */
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
  size_t n_ops; /* including regions */
  int is_public;
} tsr_function_info;

TSR_API size_t tsr_program_function_count(const tsr_program *program); /* 0 for NULL */
/* index < tsr_program_function_count; functions are in program order. */
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

/* The name of an argument or result, as in annotations: "params.layers.0.w" (from its location,
 * jax.arg_info or its SSA name), "result.1.loss" (from jax.result_info). *out_text is NULL if it
 * has only a number; freed with tsr_text_free. */
TSR_API tsr_error *tsr_program_argument_name(tsr_program *program, size_t function, size_t argument,
                                             char **out_text);
TSR_API tsr_error *tsr_program_result_name(tsr_program *program, size_t function, size_t result,
                                           char **out_text);

/* Dimensions by name, as layouts use them: dimensions that ops make one have one name. One JSON
 * object: names (an array of name, size or null, dims, origin, from) and functions (name, arguments
 * and results, each with index, path, type and dims, which are names; with `all` also values).
 * `names`, if not NULL, names some dimensions, a line per value: "arg0: batch,length"; other names
 * are generated from sizes. Freed with tsr_text_free. */
TSR_API tsr_error *tsr_program_dimensions(tsr_program *program, const char *names, int all,
                                          char **out_json);

/* ---- rules for custom calls ---- */

/* Sharding rules for custom calls that Tessera does not know, by call target:
 *
 *   ([i, k], [k, j])->([i, j]) reduction={k}     dimensions of the same letter are split together;
 *                                                splitting k gives partial results, added up
 *   ([i, k])->([i]) reduction={k:max}            combined by max (sum, max, min, mul, and, or, xor)
 *   ([i, j])->([i, j]) need_replication={j}      every device needs all of j
 *   ([ij])->([i, j]) {i=4}                       several factors in a dimension, major to minor;
 *                                                sizes that do not follow from the shapes
 *
 * Also permutation={…} (shards read their neighbours) and blocked_propagation={…}. An
 * sdy.sharding_rule on a call takes precedence over these rules, and these over Tessera's own. */
typedef struct tsr_rules tsr_rules;

TSR_API tsr_error *tsr_rules_new(tsr_rules **out_rules);
TSR_API void tsr_rules_free(tsr_rules *rules); /* NULL is fine */

/* Sets the rule of a target. TSR_ERROR_INVALID_ARGUMENT with the column if the text does not
 * parse. */
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

/* Returns the rule of a call as text that stays valid until the next invocation; NULL: no rule. May
 * be invoked more than once for a call; must not use the program. */
typedef const char *(*tsr_rule_fn)(void *user, const tsr_custom_call *call);

/* Sets a callback for rules that depend on more than the target's name. target NULL: every call
 * without another rule. user may be NULL. */
TSR_API tsr_error *tsr_rules_add_callback(tsr_rules *rules, const char *target, tsr_rule_fn rule,
                                          void *user);

/* ---- progress ---- */

/* Progress of a long call: the stage ("deciding ops"), the amount done and the total, 0 if unknown.
 * Invoked on the calling thread, about once per 256 ops and at the beginning of each stage. It must
 * be fast and must not call this API. tsr_program_evaluate may invoke it on another thread while
 * the calling thread waits; never on two at a time. */
typedef void (*tsr_progress_fn)(void *user, const char *stage, uint64_t done, uint64_t total);

/* ---- sharding ---- */

typedef enum tsr_strategy {
  TSR_USER_PRIORITY = 0, /* user priorities, within each op priorities */
  TSR_OP_PRIORITY = 1,
  TSR_AGGRESSIVE = 2,
  TSR_BASIC = 3,
  TSR_NONE = 4 /* no propagation: values without annotation are replicated */
} tsr_strategy;

typedef struct tsr_propagate_options {
  size_t struct_size;
  tsr_strategy strategy;
  const char *mesh; /* "data=4,model=2"; NULL: the program's */
  /* Annotations beside the program: "0=P(\"data\")", "params.*.kernel=[{}, {\"model\"}]". The
   * first rule that matches a value wins. */
  size_t n_rules;
  const char *const *rules;
  /* PJRT's allow vectors: whether propagation may shard an argument or result of the entry
   * function; one flag each, or one for all. Those neither allowed nor annotated are replicated.
   * Without flags all that are not annotated are allowed. */
  size_t n_allow_arguments;
  const unsigned char *allow_arguments;
  size_t n_allow_results;
  const unsigned char *allow_results;
  int divisible_edges;   /* shards of arguments and results must be even; uneven annotations are
                            errors */
  int conservative;      /* do not shard dimensions whose shards would need halos */
  int close;             /* leave no dimension open */
  tsr_rules *call_rules; /* for custom calls; NULL: none. A rule that does not fit a call's shapes
                          * is an error at that call; one whose target no call has is an error */
  const char *layout;    /* shard by dimension names: "batch:data, hidden:model"; NULL: none */
  const char *names; /* names for `layout`, a line per value: "arg0: batch,length"; NULL: none */
  size_t devices;    /* the mesh must have as many; without a mesh it becomes "devices=N"; 0: any */
  int by_cost;       /* resolve conflicts by predicted time instead of tensor size; on a program
                        as loaded, also tries which rules propagate first */
  int reshards;      /* also write the reshards of tsr_program_partition, so that XLA reshards the
                        same values; closes all dimensions */
  const char *machine; /* for predicted times of by_cost, reshards and tsr_propagation_price, as
                          in tsr_partition_options; NULL: the default */
  size_t trip_count;   /* iterations to count for loops of unknown length; 0: 100, a guess */
  tsr_progress_fn progress; /* NULL: none */
  void *progress_user;
} tsr_propagate_options;

/* Infers shardings of all values from the annotations and writes them into the program as sdy
 * attributes. options and out_warnings may be NULL. *out_warnings is the text of the warnings or
 * NULL; freed with tsr_text_free. After an error the program is semantically unchanged, but its
 * text may differ; after TSR_ERROR_RESOURCE_EXHAUSTED it may only be freed. */
TSR_API tsr_error *tsr_program_propagate(tsr_program *program, const tsr_propagate_options *options,
                                         char **out_warnings);

typedef enum tsr_spelling {
  TSR_SDY = 0,  /* <@mesh, [{"data"}, {?}]> */
  TSR_GSPMD = 1 /* {devices=[4,1]<=[4]} */
} tsr_spelling;

/* The sharding of an argument or result of a function; *out_text is NULL if it has none. Freed with
 * tsr_text_free. */
TSR_API tsr_error *tsr_program_argument_sharding(tsr_program *program, size_t function,
                                                 size_t argument, tsr_spelling spelling,
                                                 char **out_text);
TSR_API tsr_error *tsr_program_result_sharding(tsr_program *program, size_t function, size_t result,
                                               tsr_spelling spelling, char **out_text);

/* The local type, of one device's shard: "tensor<2x8xf32>"; the global type if there is no
 * sharding. Freed with tsr_text_free. */
TSR_API tsr_error *tsr_program_argument_part(tsr_program *program, size_t function, size_t argument,
                                             char **out_text);
TSR_API tsr_error *tsr_program_result_part(tsr_program *program, size_t function, size_t result,
                                           char **out_text);

/* ---- partitioning ---- */

typedef struct tsr_partition_options {
  size_t struct_size;
  const tsr_propagate_options *annotations; /* as for tsr_program_propagate; NULL: those in the
                                             * program */
  const char *machine; /* NAME[:SHAPE] ("h100:8x4": 8 per node, 4 nodes), a file, or a description
                        * as JSON (docs/machine.md); NULL: the default. If it is given,
                        * tsr_program_traffic also has predicted seconds and peak memory */
  int plain;           /* do not run the optimizer on the local program */
  int why;             /* record why each collective is in the program: reasons in
                        * tsr_program_traffic; their ids as attributes tessera.why (only if
                        * collectives is NULL or "combined"); the reasons as locations */
  int mesh_axes;       /* write replica_groups by mesh axes instead of device lists */
  const char *collectives; /* the form of collectives that the consumer needs, as of
                            * --collectives: "single" (one operand each), "bitwise", "fenced",
                            * "major", "typed", "apart", "paced", several with commas, "xla" for all
                            * of them (docs/partitioner.md); NULL or "combined": none */
  size_t trip_count; /* these three as in tsr_propagate_options; 0 or NULL: those of annotations */
  tsr_progress_fn progress;
  void *progress_user;
  const char *decisions; /* to obey, all or some, as JSON (docs/partition-decisions.md); NULL: none.
                          * One that cannot be obeyed is TSR_ERROR_INVALID_ARGUMENT, with the op's
                          * location, the line of the JSON and the reason. A plan of
                          * tsr_program_plan has all decisions and its own mesh: then annotations
                          * must be NULL or empty */
  int keep_decisions;    /* keep all decisions for tsr_program_decisions */
} tsr_partition_options;

/* Propagates and turns the program into the local program: the same ops on shards, with standard
 * collectives. Device k of the mesh is partition k of *out_devices (1: nothing is sharded). options
 * and out_devices may be NULL; out_warnings as for tsr_program_propagate. After an error the
 * program may only be freed. */
TSR_API tsr_error *tsr_program_partition(tsr_program *program, const tsr_partition_options *options,
                                         size_t *out_devices, char **out_warnings);

/* The communication of a partitioned program, one JSON object:
 *   devices; collectives (an array of kind, count, in_loops, groups, group_size, axes, runs, bytes,
 *   guess); bytes (sent per device); steps (collectives on the critical path); flops (per device);
 *   flops_whole (of the global program); argument_bytes, result_bytes (per device);
 *   unknown_loops (loops of unknown trip count), trip_count (assumed for each), guesses (the keys
 *   that depend on such loops while trip_count is not set);
 *   redundant (an array of the ops that compute more than flops_whole / devices per device: op,
 *   count, flops, ideal_flops, cause, devices, axes, avoid, why, guess: docs/partitioner.md);
 *   orders_untried (by_cost would also try which rules propagate first);
 *   with a machine: predicted (an object, as of tsr_simulation_json);
 *   with the option why: reasons (an array of id, kind, count, with_others, bytes, why, guess,
 * cause, op, value, source_sharding, target_sharding, partial, axes, result, device: docs/why.md),
 * the most expensive first. Freed with tsr_text_free. TSR_ERROR_FAILED_PRECONDITION before
 * tsr_program_partition. */
TSR_API tsr_error *tsr_program_traffic(const tsr_program *program, char **out_json);

/* ---- simulating ---- */

/* The machines that are known by name. */
TSR_API size_t tsr_machine_count(void);
TSR_API const char *tsr_machine_name(size_t index); /* "h100"; NULL from tsr_machine_count on */
/* The description of a machine (as in tsr_partition_options; NULL: the default) with all defaults
 * filled in, one JSON object (docs/machine.md). Freed with tsr_text_free. */
TSR_API tsr_error *tsr_machine_describe(const char *machine, char **out_json);

typedef struct tsr_simulate_options {
  size_t struct_size;
  /* How a program that is not partitioned yet is partitioned first; its machine is ignored. NULL:
   * by the annotations in the program. */
  const tsr_partition_options *partition;
  int local; /* the program is a local one of another tool: its collectives run as they are */
  const char *mesh;  /* for `local`: "data=4,model=2" names the axes; NULL: one axis */
  size_t trip_count; /* iterations to count for loops of unknown length; 0: those of `partition`, or
                        100, a guess */
  size_t most_values; /* lines for values in tsr_simulation_text; 0: 10 */
  int trace;          /* also keep a trace for tsr_simulation_trace */
  int report;         /* also keep a page for tsr_simulation_report */
} tsr_simulate_options;

typedef struct tsr_simulation tsr_simulation;

/* Predicts one run of a program on a machine (as in tsr_partition_options; NULL: the default):
 * seconds and what they are spent on, peak memory and what is alive then (docs/simulate.md). The
 * program is partitioned already, or a copy of it is partitioned first; it is unchanged in any
 * case. Nothing is executed. options may be NULL. TSR_ERROR_INVALID_ARGUMENT if the program is for
 * more devices than the machine's shape has. O(program). */
TSR_API tsr_error *tsr_program_simulate(tsr_program *program, const char *machine,
                                        const tsr_simulate_options *options,
                                        tsr_simulation **out_simulation);
TSR_API void tsr_simulation_free(tsr_simulation *simulation); /* NULL is fine */

/* Numbers per device and step. Texts live as long as the simulation. */
typedef struct tsr_step {
  size_t struct_size;
  const char *machine; /* "h100:8x4" */
  size_t devices;
  double seconds;            /* = compute_seconds + waiting_seconds */
  double compute_seconds;    /* in which the device computes */
  double waiting_seconds;    /* in which it only waits for collectives */
  double collective_seconds; /* of all collectives, also those hidden behind compute */
  double bytes;              /* sent */
  double flops;
  double utilization;       /* time of the contractions at their peak FLOP/s / seconds (HFU) */
  double model_utilization; /* without work that devices repeat (MFU); -1: unknown */
  double peak_bytes;
  double usable_bytes; /* of the device's memory, by programs */
  double argument_bytes, result_bytes;
  double undonated_bytes; /* of results that have the type of an argument that is not donated */
  const char *peak_op;    /* the op at which the peak is: "stablehlo.dot_general (mlp.mlir:5)" */
  int guess;              /* seconds depend on a loop of unknown trip count */
  size_t unknown_loops, trip_count; /* loops of unknown trip count, and what each counts as */
  size_t n_collectives;             /* of tsr_simulation_collective: one per kind and axes */
  size_t n_values;                  /* of tsr_simulation_value: alive at the peak */
} tsr_step;

TSR_API tsr_error *tsr_simulation_step(const tsr_simulation *simulation, tsr_step *out_step);

/* Collectives of one kind over the same axes. Texts live as long as the simulation. */
typedef struct tsr_step_collective {
  size_t struct_size;
  const char *kind;       /* "all_reduce" */
  const char *axes;       /* "data,model"; "" if unknown */
  size_t count;           /* ops in the program */
  double runs, bytes;     /* of all of them; bytes sent per device */
  double seconds;         /* in which their links are busy */
  double waiting_seconds; /* in which compute waits for them */
  int guess;              /* depends on a loop of unknown trip count */
} tsr_step_collective;

TSR_API tsr_error *tsr_simulation_collective(const tsr_simulation *simulation, size_t index,
                                             tsr_step_collective *out_collective);

typedef enum tsr_live {
  TSR_LIVE_ARGUMENT = 0,
  TSR_LIVE_RESULT = 1,
  TSR_LIVE_CONSTANT = 2,
  TSR_LIVE_TEMPORARY = 3
} tsr_live;

/* A value that is alive at the peak; value 0 is the largest. Texts live as long as the simulation.
 */
typedef struct tsr_step_value {
  size_t struct_size;
  const char *name; /* an argument's path; otherwise the op that makes it, with its line */
  const char *type; /* "tensor<2x8xf32>", local */
  tsr_live kind;
  double bytes;
} tsr_step_value;

TSR_API tsr_error *tsr_simulation_value(const tsr_simulation *simulation, size_t index,
                                        tsr_step_value *out_value);

/* The same as text (as `tessera simulate` prints it) and as one JSON object (as with --json), and
 * the timeline in Chrome's trace format. Freed with tsr_text_free. TSR_ERROR_FAILED_PRECONDITION
 * for a trace that was not kept. */
TSR_API tsr_error *tsr_simulation_text(const tsr_simulation *simulation, char **out_text);
TSR_API tsr_error *tsr_simulation_json(const tsr_simulation *simulation, char **out_json);
TSR_API tsr_error *tsr_simulation_trace(const tsr_simulation *simulation, char **out_json);
/* The step as one HTML page that needs no other file, as `tessera simulate --report` writes it
 * (docs/simulate.md). Freed with tsr_text_free. TSR_ERROR_FAILED_PRECONDITION for a page that was
 * not kept. */
TSR_API tsr_error *tsr_simulation_report(const tsr_simulation *simulation, char **out_html);

/* ---- planning ---- */

typedef struct tsr_plan_options {
  size_t struct_size;
  const char *machine; /* as in tsr_partition_options; with a shape ("h100:8x4"), or give devices or
                          annotations with a mesh; NULL: the default */
  size_t devices;      /* if there is no mesh: plan for so many; 0: those of the machine's shape */
  /* Constraints: annotated values keep their shardings; its mesh, if there is one, is the only one
   * that is tried. NULL: those of the program. */
  const tsr_propagate_options *annotations;
  int level;           /* 2: search longer; 0 or 1: about a second */
  double memory_bytes; /* of a device; 0: the machine's */
  int untied;          /* repeated layers may differ */
  const char *tactics; /* compose the plan: "data:x, megatron:y, auto" (docs/tactics.md); needs a
                          mesh; NULL: the search alone */
  double time_limit_seconds; /* if > 0, the search takes at most about as long: the plan depends on
                              * the host's speed and is not reproducible */
} tsr_plan_options;

/* Chooses a mesh and the sharding of every value so that a step takes the least time and fits in
 * memory (docs/plan.md). The program is unchanged. *out_json is the plan, which
 * tsr_partition_options.decisions takes; *out_text (may be NULL) the same for people. Both are
 * freed with tsr_text_free. options may be NULL. TSR_ERROR_RESOURCE_EXHAUSTED, with what is
 * missing, if nothing fits. */
TSR_API tsr_error *tsr_program_plan(tsr_program *program, const tsr_plan_options *options,
                                    char **out_json, char **out_text);

/* ---- decisions and tiles ---- */

/* The decisions of a partitioned program, one JSON object (docs/partition-decisions.md): axes per
 * op, shardings of values, reshards, inlined functions, trades of passes. As
 * tsr_partition_options.decisions of the same program they give the same local program. Freed with
 * tsr_text_free. TSR_ERROR_FAILED_PRECONDITION before tsr_program_partition with keep_decisions. */
TSR_API tsr_error *tsr_program_decisions(const tsr_program *program, char **out_json);

/* The number of devices of a partitioned program: after tsr_program_partition, or of a loaded local
 * program (its module has the attribute tessera.mesh). 0: it is not partitioned.
 * tsr_program_argument_tile and tsr_program_result_tile give the tile of each device. */
TSR_API tsr_error *tsr_program_devices(const tsr_program *program, size_t *out_devices);

/* The tile of a device, of an argument or result of a partitioned program. */
typedef struct tsr_tile {
  size_t struct_size;
  const char *global; /* global type: "tensor<8x4xf32>" */
  size_t rank;
  const int64_t *whole;  /* global sizes */
  const int64_t *tile;   /* sizes of the shard, padding included; equal on all devices */
  const int64_t *offset; /* of this device's tile in the global tensor */
  const int64_t
      *extent; /* sizes of this device's tile; elements beyond are padding, of any value */
  int is_sum;  /* unreduced: devices hold partial sums (or maxima, …) */
  const char
      *combine; /* unreduced: the reducer "sum", "max", "min", "mul", "and", "or", "xor"; else "" */
  size_t first; /* unreduced: the first device of the reduction group; else this device */
} tsr_tile;

/* Texts and arrays of the tile live as long as the program. */
TSR_API tsr_error *tsr_program_argument_tile(tsr_program *program, size_t function, size_t argument,
                                             size_t device, tsr_tile *out_tile);
TSR_API tsr_error *tsr_program_result_tile(tsr_program *program, size_t function, size_t result,
                                           size_t device, tsr_tile *out_tile);

/* ---- search: push and pop shardings ---- */

typedef struct tsr_propagation tsr_propagation;

/* Propagates like tsr_program_propagate, but keeps the state instead of writing it. Until it is
 * freed the program must live and may only be inspected. */
TSR_API tsr_error *tsr_propagation_new(tsr_program *program, const tsr_propagate_options *options,
                                       tsr_propagation **out_propagation);
TSR_API void tsr_propagation_free(tsr_propagation *propagation); /* NULL is fine */
/* The number of a value by its name: "params.w", "0", "result0", "%12". TSR_ERROR_NOT_FOUND if the
 * name matches no value or several. */
TSR_API tsr_error *tsr_propagation_value(tsr_propagation *propagation, const char *name,
                                         size_t *out_value);
/* Annotates a value with a sharding that extends its present one ("P(\"data\", ...)",
 * "[{\"data\", ?}, {?}]"), and propagates incrementally. *out_changes, if not NULL, is the number
 * of changes of shardings. TSR_ERROR_FAILED_PRECONDITION if the sharding does not extend the
 * present one; the state is then unchanged. */
TSR_API tsr_error *tsr_propagation_push(tsr_propagation *propagation, size_t value,
                                        const char *sharding, size_t *out_changes);
/* Undoes the last push; O(changes of that push). TSR_ERROR_FAILED_PRECONDITION if there is none. */
TSR_API tsr_error *tsr_propagation_pop(tsr_propagation *propagation);
/* Pushes the value's present sharding with one more axis, as the last of a dimension: "data" makes
 * [{"model", ?}, {?}] to [{"model", "data", ?}, {?}]. TSR_ERROR_FAILED_PRECONDITION if the value
 * has the axis already or the dimension is closed, TSR_ERROR_NOT_FOUND if the mesh has no such
 * axis, TSR_ERROR_OUT_OF_RANGE if the value has no such dimension; the state is then unchanged. */
TSR_API tsr_error *tsr_propagation_add_axis(tsr_propagation *propagation, size_t value,
                                            size_t dimension, const char *axis,
                                            size_t *out_changes);

/* An estimate for the present shardings, per device and step. */
typedef struct tsr_price {
  size_t struct_size;
  double seconds;         /* of all ops and reshards, added: nothing overlaps */
  double compute_seconds; /* of the ops */
  double bytes;           /* sent */
  double peak_bytes;
  uint64_t visited; /* ops and uses of values that this call looked at */
} tsr_price;

/* Prices the present shardings on the machine of tsr_propagation_new's options, to compare them
 * (docs/tactics.md says what it counts). After a push or pop the time is proportional to what they
 * changed; the first call is O(program). The result depends on the shardings alone. It costs much
 * less than tsr_program_simulate, which partitions the program and knows overlap and passes.
 * TSR_ERROR_FAILED_PRECONDITION if the program has several meshes. */
TSR_API tsr_error *tsr_propagation_price(tsr_propagation *propagation, tsr_price *out_price);
/* The present sharding of a value; *out_text is NULL if it has none. Freed with tsr_text_free. */
TSR_API tsr_error *tsr_propagation_sharding(tsr_propagation *propagation, size_t value,
                                            tsr_spelling spelling, char **out_text);
/* Warnings about the annotations; *out_text is NULL if there are none. Freed with tsr_text_free. */
TSR_API tsr_error *tsr_propagation_warnings(tsr_propagation *propagation, char **out_text);
/* All shardings, one JSON object: meshes (name, axes), and for each entry function its arguments
 * and results, each with path, type, sharding and local (the local type). With `values` also the
 * values in the functions, and callees once per call. Freed with tsr_text_free. O(output). */
TSR_API tsr_error *tsr_propagation_table(tsr_propagation *propagation, int values, char **out_json);
/* Explains where the axes of a value come from, and which axes it did not take; for all values of
 * the name (as in tsr_propagation_value; also "model.py:31"). Text, or one JSON object per line
 * (docs/why.md). Freed with tsr_text_free. TSR_ERROR_NOT_FOUND with near names if there is none. */
TSR_API tsr_error *tsr_propagation_why(tsr_propagation *propagation, const char *name, int json,
                                       char **out_text);
/* Writes the shardings into the program; afterwards the propagation may only be freed. */
TSR_API tsr_error *tsr_propagation_write(tsr_propagation *propagation);

/* ---- evaluating ---- */

typedef struct tsr_buffer {
  size_t struct_size;
  tsr_dtype dtype;
  size_t rank;
  const int64_t *dims;
  void *data; /* dtype_bytes * product of dims */
} tsr_buffer;

/* How scatter treats a window of updates that is partly out of bounds. */
typedef enum tsr_scatter {
  TSR_SCATTER_SPEC = 0, /* drops the elements out of bounds, as StableHLO's specification says */
  TSR_SCATTER_XLA = 1   /* drops the window, as XLA does, and so JAX on every platform */
} tsr_scatter;

/* Runs a custom call whose target Tessera does not know, each time the program runs it. The library
 * owns the buffers: operands[i].data is read-only; results[i] has its type and allocated data. A
 * token has the dtype TSR_INVALID and no data. Everything lives until the callback returns. It
 * returns 0 for success, 12 for an unknown target, or another tsr_code and a NUL-terminated
 * message, which end the run. It must not use the program. */
typedef int (*tsr_custom_call_fn)(void *user, const tsr_custom_call *call,
                                  const tsr_buffer *operands, tsr_buffer *results, char *message,
                                  size_t message_size);

typedef struct tsr_evaluate_options {
  size_t struct_size;
  uint64_t seed;         /* for stablehlo.rng */
  uint64_t memory_limit; /* bytes of live values and of the partitions' stacks; 0 = none. A program
                            whose arguments and results need more is refused: error 8 */
  size_t partitions;     /* number of devices; 0 = 1 */
  const int *cancel;     /* another thread sets it to nonzero to end the run; NULL: none */
  tsr_progress_fn progress; /* NULL: none */
  void *progress_user;
  tsr_scatter scatter; /* a partitioned program gives the global program's result by either rule */
  /* Runs custom calls, on the thread that calls tsr_program_evaluate, one at a time; NULL: unknown
   * targets are refused. A partitioned program runs a call with side effects or a Python callback
   * once for all devices, with the global operands. */
  tsr_custom_call_fn custom_call;
  void *custom_call_user;
} tsr_evaluate_options;

/* Runs a function ("main" if NULL) on the inputs: those of device 0, then of device 1, …; outputs
 * in the same order. n_outputs must be the number of results times the number of devices. The
 * library allocates dims and data of each output; tsr_buffer_free frees them. The caller sets
 * struct_size of every buffer. options may be NULL, and inputs or outputs if there are none. */
TSR_API tsr_error *tsr_program_evaluate(tsr_program *program, const char *function,
                                        const tsr_evaluate_options *options, size_t n_inputs,
                                        const tsr_buffer *inputs, size_t n_outputs,
                                        tsr_buffer *outputs);
/* Frees dims and data that tsr_program_evaluate or tsr_executable_run allocated. */
TSR_API void tsr_buffer_free(tsr_buffer *buffer); /* NULL is fine */

/* ---- compiling and running ---- */

/* A compiled program: kernels on static buffers, run by worker threads. It is independent of the
 * program that it was made of. Several threads may run it at the same time, and several
 * executables; all runs share one pool of threads. A further run at the same time takes the memory
 * of the temporaries once more, which is kept for later runs. Runs of a program with collectives,
 * or with ops that run through the evaluator, take turns. */
typedef struct tsr_executable tsr_executable;

typedef struct tsr_compile_options {
  size_t struct_size;
  uint64_t seed;          /* for stablehlo.rng */
  size_t partitions;      /* number of devices; 0 = those of a partitioned program, else 1 */
  size_t workers;         /* threads; 0 = one per core. Results do not depend on it */
  uint64_t device_memory; /* bytes that a device may use; 0 = no limit */
  tsr_scatter scatter;
  const int *cancel; /* another thread sets it to nonzero to end a run; NULL: none */
  /* Arguments (by index) whose contents are the same in every run: weights of inference. Products
   * pack them in the first run and keep that. If a later run passes other contents, its results are
   * undefined; compile again then. tsr_executable_free frees the packed copies, which are part of
   * the temporaries' bytes. */
  size_t n_frozen;
  const size_t *frozen;
} tsr_compile_options;

/* Compiles a function ("main" if NULL). options may be NULL. TSR_ERROR_UNIMPLEMENTED: the program
 * has values that cannot be compiled (dynamic sizes, tokens, tuples); tsr_program_evaluate runs it.
 * TSR_ERROR_RESOURCE_EXHAUSTED: a device needs more than device_memory. Ops without a kernel run
 * through the evaluator: tsr_executable_stats lists them. */
TSR_API tsr_error *tsr_program_compile(tsr_program *program, const char *function,
                                       const tsr_compile_options *options,
                                       tsr_executable **out_executable);
TSR_API void tsr_executable_free(tsr_executable *executable); /* NULL is fine */
/* Runs it. Buffers are ordered as in tsr_program_evaluate. Inputs are read in place if their data
 * is aligned to 64 bytes, and copied otherwise. An output whose data is NULL is allocated; any
 * other must have the result's dtype and dims, and is written in place if it is aligned to 64
 * bytes. Outputs must not overlap inputs. A run on one device allocates nothing and takes no lock,
 * except to share kernels of more than 40 us with other threads. */
TSR_API tsr_error *tsr_executable_run(tsr_executable *executable, size_t n_inputs,
                                      const tsr_buffer *inputs, size_t n_outputs,
                                      tsr_buffer *outputs);
/* One JSON object: bytes of a device (arguments, results, constants, temporaries), the number of
 * instructions, the number of loops that test a condition, and for each kind of instruction its
 * name, number, and whether it runs through the evaluator. Freed with tsr_text_free. */
TSR_API tsr_error *tsr_executable_stats(const tsr_executable *executable, char **out_json);

#ifdef __cplusplus
}
#endif

#endif
