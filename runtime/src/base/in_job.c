#include "base/in_job.h"

#include <stdlib.h>

#include <pgas/detail.h>

void pgasi_outside_job(const char *call)
{
    const char *number = getenv("PMIX_RANK");
    if (!pgasi_has_left_job && number != NULL)
        pgasi_job.thread = (uint32_t)strtoul(number, NULL, 10);
    pgasi_fatal(call,
                pgasi_has_left_job ? "called after pgas_finalize" : "called before pgas_init");
}
