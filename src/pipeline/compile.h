// The compiler: takes a program through all stages, or through the first of them.
#ifndef TESSERA_PIPELINE_COMPILE_H
#define TESSERA_PIPELINE_COMPILE_H

#include "cost/traffic.h"
#include "parse/parse.h"
#include "pipeline/partition.h"
#include "pipeline/simulate.h"
#include "pipeline/verify_partition.h"

typedef enum Stage {
  STAGE_ALL,
  STAGE_READ,          // text to program
  STAGE_VERIFY,        // the program is valid
  STAGE_IMPORT,        // the program's annotations have one form
  STAGE_ANNOTATE,      // annotations of the request are added
  STAGE_PROPAGATE,     // all shardings are inferred
  STAGE_WRITE,         // shardings are written into the program
  STAGE_DECIDE,        // axes per op, copies and the rest are chosen
  STAGE_PARTITION,     // the local program is written
  STAGE_OPTIMIZE,      // passes have run
  STAGE_CHECK_LOCAL,   // the local program is sound and valid
  STAGE_MEASURE,       // collectives, bytes and FLOPs are counted, with reasons; predictions
  STAGE_VERIFY_LOCAL,  // the local program computes the same as the global program
} Stage;

// Everything is borrowed until session_deinit.
typedef struct CompileRequest {
  size_t begin, end;  // of the program in the session's source
  ParseOptions parse;
  PropagateRequest annotations;
  WriteForm write;              // if the last stage is STAGE_WRITE
  LocalOptions local;           // of the stages after it
  bool plan;                    // local.decisions is a plan (pipeline/plan.h)
  const char *plan_path;        // its file, for messages; NULL = unknown
  bool simulate;                // STAGE_MEASURE also predicts seconds and peak memory
  const VerifyOptions *verify;  // of STAGE_VERIFY_LOCAL; NULL = left out
  Stage stop_after;             // the last stage
} CompileRequest;

// Results of the stages that ran. Everything is in the session's arena.
typedef struct Compiled {
  uint32_t n_annotated;      // places with an annotation
  double propagate_seconds;  // of STAGE_ANNOTATE and STAGE_PROPAGATE
  double global_flops;       // of the global program
  MeshId mesh;               // of the local program; 0 if nothing is sharded …
  const Mesh *devices;       // … then NULL …
  uint32_t n_devices;        // … and 1
  RedundantList redundant;   // if local.redundant
  Traffic traffic;
  const struct Reasons *reasons;  // explain/reason.h; NULL unless local.why
  Prediction prediction;          // if simulate
  Verified verified;              // if verify
} Compiled;

// Takes the session's program through the stages; reads it first if the session has none. The
// program is rewritten in place. Errors in the user's texts are in the session's diagnostics
// (session_has_errors), and the status is then the first of them. Whatever happens, session_deinit
// frees everything. *out is set in any case.
Status *compile(Session *session, const CompileRequest *request, Compiled *out) MUST_USE;

#endif
