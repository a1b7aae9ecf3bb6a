// Decisions: everything that partitioning chooses, as data, before anything is written (design
// decision D18: docs/decisions/d18-decide-then-write.md).
//
//   partition_decide   global program + shardings -> decisions        writes nothing
//   partition_write    decisions -> local program                     chooses nothing
//
// Decisions are a list in the order in which the local program is written. Each is about one op of
// one instance and names the copies that the op reads and makes. A copy is a local value: a value
// of the global program in one sharding.
//
//   reshard  c7 = c2 of %w1   [{"data"}, {}] -> replicated          for %5 = dot_general
//   split    c8 = %5 on (c6, c7)   factors i: "data", j: -, k: -
#ifndef TESSERA_PARTITION_DECISIONS_H
#define TESSERA_PARTITION_DECISIONS_H

#include "base/vec.h"
#include "cost/price.h"
#include "graph/graph.h"
#include "ops/localize.h"

typedef uint32_t CopyId;  // 0 = none

typedef struct CopyInfo {
  ValueId value;  // of the global program
  Sharding sharding;
  Type type;  // of the local value
} CopyInfo;

typedef enum DecisionKind {
  DECISION_FUNCTION,       // a function begins: `out` are its arguments
  DECISION_REGION,         // a region of the control flow op before it begins: `out` likewise
  DECISION_END,            // it ends, with `in` as the operands of its terminator `op`
  DECISION_RESHARD,        // `op` needs a value in another sharding: `in` becomes `out`
  DECISION_SPLIT,          // the op runs on shards
  DECISION_REMATERIALIZE,  // the same op once more, for a copy in another sharding (constants)
  DECISION_REPLICATED,     // the op runs on replicated operands
  DECISION_DEVICE_ID,      // partition_id outside of manual computations: one device, so 0
  DECISION_ON_DEVICE,      // one device computes the op for all
  DECISION_CALL,           // of a function that is not inlined
  DECISION_FLOW,           // control flow; its regions follow
} DecisionKind;

// A copy of a value that is not an operand: a region reads it, or a column looked it up
// (localize_find).
typedef struct FoundCopy {
  ValueId value;
  Sharding sharding;
  CopyId copy;
} FoundCopy;

// How an op runs on shards: axes per factor and everything that follows from them.
typedef struct SplitDecision {
  FactorMap map;
  Localizer cx;  // splits, has, in_as, out_as, bytes, steps …; the writer sets values and types
  MeshId mesh;
  bool partial;  // partial sums of operands pass through
  const FoundCopy *found;
  uint32_t n_found;
} SplitDecision;

typedef struct FunctionDecision {
  MeshId mesh;
  const Network *network;
  const Sharding *outside;  // of arguments, then results, as the caller has them
} FunctionDecision;

#define SENT_TO_ALL UINT32_MAX
#define NOT_SENT (UINT32_MAX - 1)

typedef struct DeviceDecision {
  uint32_t position;     // in the mesh, of the device that computes the op
  bool waits;            // for side effects of other devices
  const uint32_t *sent;  // per result: a position, SENT_TO_ALL, or NOT_SENT
} DeviceDecision;

struct RedundantNote;  // partition/redundant.c

typedef struct Decision {
  DecisionKind kind;
  OpId op;  // of the global program
  InstanceId instance;
  uint32_t visit;  // of instances that several inlined calls share: which of them; else 0
  OpId origin;     // of the local ops that are written for it
  Attr loc;        // their location, with the reason of collectives if reasons are requested
  const CopyId *in, *out;
  uint32_t n_in, n_out;
  const FoundCopy *captured;  // replicated copies of what regions of the op read from outside
  uint32_t n_captured;
  uint32_t region;    // of DECISION_REGION
  bool is_edge;       // DECISION_RESHARD between the caller's sharding and the function's own
  OpId user;          // DECISION_REMATERIALIZE: the op that needs the copy,
  Sharding required;  // in this sharding
  AxisList manual;    // axes of the manual computations around
  bool is_manual;     // it is in one
  Price price;        // of the choice; {0} if there was none
  const char *why;    // in a few words; NULL where there was no choice
  union {
    struct {
      ValueId value;  // of the global program
      Sharding from, to;
    } reshard;
    const SplitDecision *split;
    const FunctionDecision *function;
    const DeviceDecision *device;
  };
  struct RedundantNote *note;  // NULL unless redundant work is listed
} Decision;

#endif
