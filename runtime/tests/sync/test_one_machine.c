/**
 * Hosts that are containers of one machine, as those of the test cluster: who waits knows that all
 * threads of the job share its processors.
 */
#include <unistd.h>

#include "check.h"
#include "sync/wait.h"

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    CHECK(pgasi_wait_is_alone() == (pgas_threads() <= sysconf(_SC_NPROCESSORS_CONF)));
    pgas_finalize();
    return 0;
}
