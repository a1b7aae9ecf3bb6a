// Decisions from outside: a file, a planner, an edit by hand. docs/partition-decisions.md has the
// JSON form.
//
// A given decision is obeyed or refused, never ignored. Unknown keys, unused decisions, wrong names
// and splits that the op cannot run with are errors, with the op's location if there is one.
#ifndef TESSERA_PARTITION_GIVEN_H
#define TESSERA_PARTITION_GIVEN_H

#include "base/idmap.h"
#include "base/json_read.h"
#include "base/vec.h"
#include "graph/graph.h"
#include "ops/localize.h"
#include "partition/decisions.h"

struct Partition;

// No sharding is given.
#define GIVEN_ANY UINT32_MAX

// A given decision about one op of an instance.
typedef struct GivenDecision {
  OpId op;
  InstanceId instance;
  uint32_t visit;
  // DECISION_SPLIT; or DECISION_REPLICATED, ON_DEVICE, CALL or FLOW, then the rest is empty
  DecisionKind kind;
  uint32_t position;  // of DECISION_ON_DEVICE; GIVEN_ANY: any
  bool partial;       // partial sums pass through it
  bool strided;       // dimensions of several factors may have strided shards
  uint32_t n_factors;
  const FactorSplit *splits;           // axes and strides
  const int64_t *sizes;                // of the factors; 0: not given
  const AxisList *preferred;           // per factor: Localizer.preferred
  uint32_t n_operands, n_results;      // of the lists below; 0: none is given
  const Sharding *operands, *results;  // that must follow from the axes; GIVEN_ANY: any
  uint32_t line;                       // of the JSON text
  bool used;                           // the walk has asked for it
} GivenDecision;

// A copy of a value that an op needs. If any is given, the list is complete: a copy that is not in
// it is made only if the value has none in this sharding, however long ago it was gathered.
typedef struct GivenCopy {
  OpId op;  // that needs it
  InstanceId instance;
  uint32_t visit;
  ValueId value;
  Sharding from, to;
  bool rematerialized;
  uint32_t line;
  bool used;
} GivenCopy;

typedef struct GivenDecisions {
  VEC(GivenDecision) ops;  // [0] unused
  VEC(GivenCopy) copies;   // [0] unused
  IdMap op_ids, copy_ids;
  bool *inlined;  // per op: the functions to inline; NULL: not given
  uint32_t inlined_line;
  Sharding *shardings;  // per place: GIVEN_ANY: not given; NULL: none is
  uint32_t *lines;      // of these
  MeshId mesh;          // the first one of the file; 0: none
  PlaceId refused;      // a place whose sharding cannot be had; 0: none so far
  StrBuf text;          // scratch: names of factors
  void *reader;         // of given.c
} GivenDecisions;

// Reads t->options.decisions, if there are any: shardings of places, then, once the meshes of
// instances are known, the rest. Requires t->graph, t->functions and numbers of ops.
Status *given_read_values(struct Partition *t) MUST_USE;
Status *given_read_ops(struct Partition *t) MUST_USE;
// No decision is used yet.
void given_begin(struct Partition *t);
void given_deinit(GivenDecisions *given);  // NULL is fine
// The decision about an op of the instance and visit at hand; NULL = none. Marks it as used.
GivenDecision *given_op(struct Partition *t, OpId op);
// The op is decided as control flow, a call or on one device; a given decision must say the same.
Status *given_check_kind(struct Partition *t, OpId op, DecisionKind kind,
                         uint32_t position) MUST_USE;
// The sharding of a place on the mesh at hand, which is in a manual computation: a given one must
// not use manual axes. given_check_used refuses it.
void given_check_manual(struct Partition *t, PlaceId place, Sharding sharding);
// The copy that the op at hand needs; NULL if none is given, or all are used. Marks it as used.
GivenCopy *given_copy(struct Partition *t, ValueId v, Sharding to, bool rematerialized);
// All decisions were used; an error names the first that was not.
Status *given_check_used(struct Partition *t) MUST_USE;
// INVALID_ARGUMENT at the op: the decision about 'stablehlo.add' (line 4 …) is refused: WHY
Status *given_refuse(struct Partition *t, OpId op, uint32_t line, const char *why) MUST_USE;

#endif
