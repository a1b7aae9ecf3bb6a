// A wire of comm on MPI: MPI_BYTE point-to-point messages on a communicator of our own. mpich.c and
// openmpi.c compile it, each with its library's mpi.h.
//
// Idea: MPI returns errors instead of ending the process. MPI_THREAD_SERIALIZED: comm's lock lets
// one thread in at a time. An MPI_Request is kept in the words of a WireRequest.
#ifndef TESSERA_PROVIDERS_MPI_WIRE_H
#define TESSERA_PROVIDERS_MPI_WIRE_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/wire.h"

enum { ERROR_THREADS = -1 };

_Static_assert(sizeof(MPI_Request) <= sizeof(uint64_t), "a request fits a word");

static MPI_Comm mpi_comm = MPI_COMM_NULL;

static int mpi_open(void **out_state, uint32_t *out_rank, uint32_t *out_size) {
  int given, rank, size, error = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &given);
  if (error) return error;
  if (given < MPI_THREAD_SERIALIZED) return ERROR_THREADS;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  error = MPI_Comm_dup(MPI_COMM_WORLD, &mpi_comm);
  if (error) return error;
  MPI_Comm_set_errhandler(mpi_comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(mpi_comm, &rank);
  MPI_Comm_size(mpi_comm, &size);
  *out_state = NULL;
  *out_rank = (uint32_t)rank;
  *out_size = (uint32_t)size;
  return 0;
}

static void keep(MPI_Request request, uint64_t sending, WireRequest *out) {
  *out = (WireRequest){{sending, 0}};
  memcpy(&out->words[1], &request, sizeof request);
}

static int mpi_send(void *state, uint32_t peer, int tag, const void *data, size_t bytes,
                    WireRequest *out) {
  (void)state;
  MPI_Request request;
  int error = MPI_Isend(data, (int)bytes, MPI_BYTE, (int)peer, tag, mpi_comm, &request);
  if (!error) keep(request, 1, out);
  return error;
}

static int mpi_receive(void *state, uint32_t peer, int tag, void *data, size_t most,
                       WireRequest *out) {
  (void)state;
  MPI_Request request;
  int error = MPI_Irecv(data, (int)most, MPI_BYTE, (int)peer, tag, mpi_comm, &request);
  if (!error) keep(request, 0, out);
  return error;
}

static int mpi_test(void *state, WireRequest *request, int *out_done, size_t *out_bytes) {
  (void)state;
  MPI_Request inner;
  MPI_Status status;
  memcpy(&inner, &request->words[1], sizeof inner);
  int n = 0, error = MPI_Test(&inner, out_done, &status);
  if (error) return error;
  if (!*out_done) return 0;
  if (!request->words[0]) error = MPI_Get_count(&status, MPI_BYTE, &n);
  *out_bytes = (size_t)n;
  return error;
}

static void mpi_cancel(void *state, WireRequest *request) {
  (void)state;
  MPI_Request inner;
  memcpy(&inner, &request->words[1], sizeof inner);
  MPI_Cancel(&inner);
  MPI_Wait(&inner, MPI_STATUS_IGNORE);
}

static void mpi_describe(void *state, int error, char *out, size_t bytes) {
  (void)state;
  char text[MPI_MAX_ERROR_STRING] = "";
  int n;
  if (error == ERROR_THREADS)
    snprintf(out, bytes, "the library does not support threads");
  else if (MPI_Error_string(error, text, &n) == MPI_SUCCESS)
    snprintf(out, bytes, "%s", text);
}

static void mpi_close(void *state) {
  (void)state;
  MPI_Comm_free(&mpi_comm);
  MPI_Finalize();
}

static void mpi_abort(void *state, int code) {
  (void)state;
  MPI_Abort(MPI_COMM_WORLD, code ? code : 1);
}

#define MPI_WIRE(label)                                                                            \
  {.version = WIRE_VERSION,                                                                        \
   .name = label,                                                                                  \
   .open = mpi_open,                                                                               \
   .send = mpi_send,                                                                               \
   .receive = mpi_receive,                                                                         \
   .test = mpi_test,                                                                               \
   .cancel = mpi_cancel,                                                                           \
   .describe = mpi_describe,                                                                       \
   .close = mpi_close,                                                                             \
   .abort = mpi_abort}

#endif
