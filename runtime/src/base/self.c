#include "base/self.h"

#include <stdlib.h>

pgasi_peer_t pgasi_nobody;
pgasi_job_t pgasi_job = {.peers = &pgasi_nobody, .thread = 0, .threads = 1};

bool pgasi_is_in_job;
bool pgasi_has_left_job;

void pgasi_outside_job(const char *call)
{
    const char *number = getenv("PMIX_RANK");
    if (!pgasi_has_left_job && number != NULL)
        pgasi_job.thread = (uint32_t)strtoul(number, NULL, 10);
    pgasi_fatal(call,
                pgasi_has_left_job ? "called after pgas_finalize" : "called before pgas_init");
}
