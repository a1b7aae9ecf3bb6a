// A machine description (cost/machine.h) as a row, in detail, and as JSON.
#ifndef TESSERA_REPORT_SHOW_MACHINE_H
#define TESSERA_REPORT_SHOW_MACHINE_H

#include "base/json.h"
#include "cost/machine.h"

// One line of `tessera machines`.
void machine_put_row(const Machine *machine, StrBuf *out);
// Rates by type, memory, links, source.
void machine_put_details(const Machine *machine, StrBuf *out);
// The description with all defaults filled in; machine_read reads it back.
void machine_json(const Machine *machine, Json *json);

#endif
