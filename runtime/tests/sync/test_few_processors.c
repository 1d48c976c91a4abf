/**
 * A job that may run on one processor, whatever the machine has: its threads do not spin long for
 * each other.
 */
#include <sched.h>
#include <unistd.h>

#include "check.h"
#include "sync/wait.h"

int main(void)
{
    cpu_set_t processors;
    CHECK(sched_getaffinity(getppid(), sizeof processors, &processors) == 0); /* the launcher's */
    size_t first = 0;
    while (!CPU_ISSET(first, &processors))
        first++;
    CPU_ZERO(&processors);
    CPU_SET(first, &processors);
    CHECK(sched_setaffinity(0, sizeof processors, &processors) == 0);
    CHECK(pgas_init() == PGAS_OK);
    CHECK(pgasi_wait_is_alone() == (pgas_threads() == 1));
    pgas_finalize();
    return 0;
}
