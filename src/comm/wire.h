// What a communication library must offer: point-to-point messages of bytes between ranks, started
// and tested, never waited for. comm.c builds everything else on it.
//
// MPI's wires are providers, libraries of their own: a change here raises WIRE_VERSION. All
// functions but `open` are called by one thread at a time, not always the same one.
#ifndef TESSERA_COMM_WIRE_H
#define TESSERA_COMM_WIRE_H

#include <stddef.h>
#include <stdint.h>

enum { WIRE_VERSION = 1, WIRE_MOST_TAG = 32767, WIRE_TEXT = 256 };
#define WIRE_MOST_BYTES ((size_t)1 << 30)  // of a message

// A started message; belongs to the wire.
typedef struct WireRequest {
  uint64_t words[2];
} WireRequest;

// Functions that return int: 0, or an error that `describe` explains. Messages with the same peer
// and tag arrive in the order in which they were sent. A message must fit the memory of its
// receive.
typedef struct Wire {
  int32_t version;
  const char *name;
  int (*open)(void **out_state, uint32_t *out_rank, uint32_t *out_size);
  int (*send)(void *state, uint32_t peer, int tag, const void *data, size_t bytes,
              WireRequest *out);
  int (*receive)(void *state, uint32_t peer, int tag, void *data, size_t most, WireRequest *out);
  // *out_done: the request has ended and is released; *out_bytes of a receive have arrived.
  int (*test)(void *state, WireRequest *request, int *out_done, size_t *out_bytes);
  void (*cancel)(void *state, WireRequest *request);  // a receive; releases it
  void (*describe)(void *state, int error, char *out, size_t bytes);
  void (*close)(void *state);            // all ranks; no request is left
  void (*abort)(void *state, int code);  // ends all ranks
} Wire;

#endif
