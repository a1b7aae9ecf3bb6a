// Checks that a program survives printing: print, parse, compare.
#ifndef TESSERA_PARSE_ROUND_TRIP_H
#define TESSERA_PARSE_ROUND_TRIP_H

#include "parse/parse.h"

// For the pretty and the generic form: printing and parsing must give an equal program
// (program_hash), and printing that again the same text. NULL if so, else the difference.
Status *program_round_trip(const Program *program, Guard *guard) MUST_USE;

#endif
