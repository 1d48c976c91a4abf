/** Without an environment, as clearenv leaves it, a program is a job of one thread. */
#include <stdlib.h>

#include <pgas/job.h>

#include "check.h"

int main(void)
{
    CHECK(clearenv() == 0);
    CHECK(pgas_init() == PGAS_OK);
    CHECK(pgas_threads() == 1);
    pgas_finalize();
    return 0;
}
