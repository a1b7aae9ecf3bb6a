#include "cli/report_page.h"

#include "base/file.h"

const char *const cli_report_help =
    "write the predicted step as one HTML page that needs no network: tensors on the mesh, "
    "timeline, memory, collectives by cause (docs/simulate.md)";

Status *cli_report_page(const ShowSimulated *show, const char *title, const ReportPlan *plan,
                        const char *path, Guard *guard) {
  StrBuf page;
  Arena arena;
  strbuf_init(&page, guard);
  arena_init(&arena, guard);
  GuardCleanup of_page = {strbuf_release, &page, NULL}, of_arena = {arena_release, &arena, NULL};
  guard_push(guard, &of_page);
  guard_push(guard, &of_arena);
  Report report = {.show = show, .title = title, .plan = plan, .guard = guard, .arena = &arena};
  Status *status = report_page(&report, &page);
  if (!status) status = file_write(path, page.data, page.used);
  guard_pop(guard, &of_arena);
  guard_pop(guard, &of_page);
  arena_deinit(&arena);
  strbuf_deinit(&page);
  return status;
}
