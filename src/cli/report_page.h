// The option --report of simulate and partition.
#ifndef TESSERA_CLI_REPORT_PAGE_H
#define TESSERA_CLI_REPORT_PAGE_H

#include "cli/cli.h"
#include "report/page.h"

// Writes the page of a simulated step to a file, completely or not at all. title: the program's
// path; plan: NULL = none.
Status *cli_report_page(const ShowSimulated *show, const char *title, const ReportPlan *plan,
                        const char *path, Guard *guard) MUST_USE;
extern const char *const cli_report_help;

#endif
