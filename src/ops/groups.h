// Groups of processes that communicate, as collectives spell them: replica_groups (dense, padded
// with -1, or by mesh axes), the channel, and use_global_device_ids say which processes of the grid
// meet.
#ifndef TESSERA_OPS_GROUPS_H
#define TESSERA_OPS_GROUPS_H

#include "ops/eval.h"
#include "ops/infer.h"
#include "ops/sample.h"

// How the numbers in replica_groups become processes.
typedef enum GroupKind {
  GROUP_CROSS_REPLICA,                // replica ids; a group per partition
  GROUP_CROSS_PARTITION,              // partition ids; a group per replica
  GROUP_CROSS_REPLICA_AND_PARTITION,  // replica ids; all their partitions together
  GROUP_FLATTENED,                    // replica * partitions + partition
} GroupKind;

typedef struct Groups {
  GroupKind kind;
  uint32_t n, width;   // groups, and slots in each
  const int64_t *ids;  // n × width; -1 = no one
} Groups;

// all_gather, all_reduce, reduce_scatter go across replicas (and partitions); the others across
// replicas or, with a channel, partitions. Empty replica_groups are one group of all. False, with
// *why said, if the attribute cannot be read. Expanded mesh axes are in the context's arena.
bool groups_read(Context *context, const Program *program, OpId op, Attr attrs, bool across_both,
                 Groups *out, const char **out_why);
int64_t groups_channel(const Context *context, Attr attrs);  // 0 if there is none
// A channel_handle between devices.
Attr groups_channel_attr(Context *context, int64_t handle);

// Constraints that collectives share: ids unique, 0 … size - 1 all present (those of `same_size`
// ops without padding), global ids only with a channel (0: the op has no such flag). The numbers
// are the op's own.
bool groups_check(Infer *cx, bool across_both, bool same_size, int unique, int range, int global,
                  Groups *out);

// Looks for an id that stands twice among ids[0], ids[step], … (-1 is no id): true with the id.
// False also if there is no memory to look. O(n log n).
bool groups_find_repeat(Context *context, uint64_t n, const int64_t *ids, uint32_t step,
                        int64_t *out_id);

// The pairs of collective_permute, send and recv: two columns, ids at least 0, sources and targets
// each once.
// Requires every operand to be a tensor, and quantized ones to be so per tensor.
bool groups_check_operands(Infer *cx);
bool groups_check_pairs(Infer *cx, int columns, int sources, int targets, int range);

// The group this process is in, in the arena; false if it is in none.
bool groups_mine(EvalContext *cx, const Groups *groups, uint32_t *out_n, ProcessId **out_group);

// Reads cx's groups and finds the process's own; an error if it is in none.
Status *groups_of(EvalContext *cx, bool across_both, uint32_t *out_n, ProcessId **out_group);

// The three steps of the host's exchange but the last: reads cx's groups, gives the op's operands
// to the process's own group, and waits for the others.
Status *groups_meet(EvalContext *cx, bool across_both, Literal *const *in,
                    GroupExchange *out) MUST_USE;
// The same with a group that is known, allocated in cx->scratch after `mark`, which is rewound to.
Status *groups_meet_in(EvalContext *cx, const ProcessId *group, uint32_t n_group, uint32_t n,
                       Literal *const *mine, ArenaMark mark, GroupExchange *out) MUST_USE;

// For ops whose results are the same on all members: computes them on the first member that comes
// here, retains them on the others, and leaves the exchange.
Status *groups_once(EvalContext *cx, GroupExchange *exchange, Literal *const *in,
                    Status *(*compute)(EvalContext *cx, const GroupExchange *exchange,
                                       Literal *const *in, Literal **out),
                    Literal **out) MUST_USE;

// That literal `which` of all members has one shape, except in dimension `but` (-1: none). Types
// with dynamic dimensions do not say so.
Status *groups_same_shapes(uint32_t n_group, uint32_t n_values, Literal *const *parts,
                           uint32_t which, int64_t but) MUST_USE;

// The element-wise combination, in group order, of literal `which` of every member by region 0 of
// the op, in the body's element type; where it only adds, by halves, nearest to the truth.
// parts: n_group × n_values as an GroupExchange has them. 16-bit floats that are only added are
// summed in f32 and rounded once. O(n_group × elements).
Status *groups_combine(EvalContext *cx, uint32_t n_group, uint32_t n_values, Literal *const *parts,
                       uint32_t which, Literal **out);
// The body of all_reduce and its kin: (tensor<E>, tensor<E>) -> tensor<E>, the first n operands
// promotable to E (given back).
bool groups_check_body(Infer *cx, uint32_t n, int constraint, Type *out_elem);

// The zero of an element type: 0, or the quantized 0.
void groups_fill_zero(const Context *context, Literal *literal);

// Random instances for one process: replica_groups [[0]] (or pairs [[0, 0]]) and the integers
// named; an operand of rank least_rank … 3 with its type.
Attr groups_sample_attrs(Sample *cx, bool pairs, uint32_t n, const char *const *names,
                         const int64_t *values);
ValueId groups_sample_operand(Sample *cx, const char *kinds, uint32_t least_rank, Type *out_type);

#endif
