// Does a text survive printing? Read, print, read again, compare.
#ifndef TESSERA_PARSE_ROUND_TRIP_H
#define TESSERA_PARSE_ROUND_TRIP_H

#include "parse/parse.h"

// For the pretty and for the generic form: printing the program and reading that again must give an
// equal program (program_hash), and printing that once more the same text. NULL if so, else what
// went wrong.
Status *program_round_trip(const Program *program, Guard *guard) MUST_USE;

// Reads every segment of the source and takes it round. What fails is reported, one line each;
// *out_ok says whether nothing did. The status is for exhaustion and the like only.
Status *parse_round_trip(Guard *guard, const Source *source, const ParseOptions *options,
                         StrBuf *report, bool *out_ok) MUST_USE;

#endif
