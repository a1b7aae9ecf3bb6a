// Groups of processes that communicate in a collective: replica_groups (dense, padded with -1, or
// by mesh axes), the channel and use_global_device_ids determine them.
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
  const int64_t *ids;  // n × width; -1 = empty slot
} Groups;

// across_both: all_gather, all_reduce, reduce_scatter, which span replicas (and partitions). The
// other collectives span replicas or, with a channel, partitions. Empty replica_groups are one
// group of all. False, with *out_why, if the attribute is malformed. Expanded mesh axes are in the
// context's arena.
bool groups_read(Context *context, const Program *program, OpId op, Attr attrs, bool across_both,
                 Groups *out, const char **out_why);
int64_t groups_channel(const Context *context, Attr attrs);  // 0 if there is none
// A channel_handle of type device-to-device.
Attr groups_channel_attr(Context *context, int64_t handle);

// Constraints that collectives share: ids are unique, 0 … size - 1 are all present (without padding
// if same_size), global ids only with a channel. unique, range, global: the op's constraint
// numbers; global 0: the op has no such flag.
bool groups_check(Infer *cx, bool across_both, bool same_size, int unique, int range, int global,
                  Groups *out);

// Does an id occur twice among ids[0], ids[step], … (-1 is no id)? O(n log n).
bool groups_find_repeat(Context *context, uint64_t n, const int64_t *ids, uint32_t step,
                        int64_t *out_id);

// Requires every operand to be a tensor that is not quantized per axis.
bool groups_check_operands(Infer *cx);
// The source_target_pairs of collective_permute, send and recv: two columns, ids at least 0, each
// source and each target once.
bool groups_check_pairs(Infer *cx, int columns, int sources, int targets, int range);

// This process's group, in cx->scratch; false if it is in none.
bool groups_mine(EvalContext *cx, const Groups *groups, uint32_t *out_n, ProcessId **out_group);

// Reads the op's groups and finds this process's; an error if it is in none.
Status *groups_of(EvalContext *cx, bool across_both, uint32_t *out_n, ProcessId **out_group);

// The rendezvous of EvalHost up to `await`: reads the op's groups, contributes the operands to this
// process's group, and waits for the others.
Status *groups_meet(EvalContext *cx, bool across_both, Literal *const *in,
                    Rendezvous *out) MUST_USE;
// The same with a known group. It is in cx->scratch after `mark`, and is freed before waiting.
Status *groups_meet_in(EvalContext *cx, const ProcessId *group, uint32_t n_group, uint32_t n,
                       Literal *const *mine, ArenaMark mark, Rendezvous *out) MUST_USE;

// For ops whose results are equal on all members: the first member to arrive computes them, the
// others retain them. Leaves the rendezvous.
Status *groups_once(EvalContext *cx, Rendezvous *exchange, Literal *const *in,
                    Status *(*compute)(EvalContext *cx, const Rendezvous *exchange,
                                       Literal *const *in, Literal **out),
                    Literal **out) MUST_USE;

// Requires literal `which` of all members to have one shape, except in dimension `but` (-1: none).
// Types with dynamic dimensions do not guarantee it.
Status *groups_same_shapes(uint32_t n_group, uint32_t n_values, Literal *const *parts,
                           uint32_t which, int64_t but) MUST_USE;

// Reduces literal `which` of all members elementwise, in group order, by region 0 of the op and in
// the body's element type. If the body only adds: a balanced tree, and 16-bit floats are summed in
// f32 and rounded once. parts: n_group × n_values, as in Rendezvous. O(n_group × elements).
Status *groups_combine(EvalContext *cx, uint32_t n_group, uint32_t n_values, Literal *const *parts,
                       uint32_t which, Literal **out);
// The body of all_reduce and reduce_scatter: (tensor<E>, tensor<E>) -> tensor<E>, the first n
// operands promotable to E (*out_elem).
bool groups_check_body(Infer *cx, uint32_t n, int constraint, Type *out_elem);

// Fills with zeros of the element type: 0, or the quantized 0.
void groups_fill_zero(const Context *context, Literal *literal);

// For random instances on one process: replica_groups [[0]] (or pairs [[0, 0]]) and the named
// integer attributes; an operand of rank least_rank … 3 and its type.
Attr groups_sample_attrs(Sample *cx, bool pairs, uint32_t n, const char *const *names,
                         const int64_t *values);
ValueId groups_sample_operand(Sample *cx, const char *kinds, uint32_t least_rank, Type *out_type);

#endif
