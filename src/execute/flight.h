// Several runs of one executable at the same time.
//
// A run needs memory for temporaries, addresses, and the state of its devices. An executable has
// one record with them; a second run at the same time takes a copy, which is made when it is needed
// and kept for later runs. Copies share everything that does not change after compiling:
// instructions, kernels, constants. Programs with collectives or with ops that run through the
// evaluator have one record, and their runs take turns.
#ifndef TESSERA_EXECUTE_FLIGHT_H
#define TESSERA_EXECUTE_FLIGHT_H

#include "execute/executable.h"

// Called when the executable is made, and before it is freed.
Status *flight_init(Executable *exe) MUST_USE;
void flight_deinit(Executable *exe);

// A record that no other run uses until flight_leave: the executable itself, or a copy. Takes no
// lock if no other run is in flight.
Status *flight_enter(Executable *exe, Executable **out_record) MUST_USE;
void flight_leave(Executable *record);

#endif
