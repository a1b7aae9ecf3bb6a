// Does a text survive printing? Read, print, read again, compare.
#ifndef TESSERA_PARSE_ROUND_TRIP_H
#define TESSERA_PARSE_ROUND_TRIP_H

#include "parse/parse.h"

// For the pretty and for the generic form: printing the program and reading that again must give an
// equal program (program_hash), and printing that once more the same text. NULL if so, else what
// went wrong.
Status *program_round_trip(const Program *program, Guard *guard) MUST_USE;

#endif
