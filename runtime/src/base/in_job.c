#include "base/in_job.h"

#include <stdlib.h>

#include <pgas/detail.h>

static const char *const restrictions[] = {
    [PGASI_UNATTACHED] =
        "called by an operating-system thread that is not attached (pgas_attach_thread)",
    [PGASI_IN_HANDLER] = "called in a handler of active messages",
    [PGASI_IN_QUIET_TEST] = "called in a test that runs no handlers",
    [PGASI_HOLDS_LOCK] = "called while a handler-safe lock is held",
    [PGASI_UNINTERRUPTED] = "called in a no-interrupt section",
};

void pgasi_guess_thread(void)
{
    const char *number = getenv("PMIX_RANK");
    if (!pgasi_is_in_job && !pgasi_has_left_job && number != NULL)
        pgasi_job.thread = (uint32_t)strtoul(number, NULL, 10);
}

void pgasi_outside_job(const char *call)
{
    if (pgasi_is_in_job)
        pgasi_fatal(call, "%s",
                    restrictions[pgasi_is_unattached() ? PGASI_UNATTACHED : pgasi_restriction]);
    if (pgasi_is_child)
        pgasi_fatal(call, "called in a child process, which is no thread of the job");
    pgasi_guess_thread();
    pgasi_fatal(call,
                pgasi_has_left_job ? "called after pgas_finalize" : "called before pgas_init");
}
