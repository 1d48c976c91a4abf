/**
 * Thread 0 starts a program that calls pgas_init: in the job, or behind its end. See launch.sh.
 *
 *   nested inside|behind COMMAND
 */
#include <stdlib.h>
#include <string.h>

#include <pgas/pgas.h>

#include "check.h"

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    bool is_behind = strcmp(argv[1], "behind") == 0;
    if (pgas_init() != PGAS_OK)
        return 1;
    bool starts = pgas_mythread() == 0;
    int status = starts && !is_behind ? system(argv[2]) : 0; /* NOLINT(cert-env33-c) */
    pgas_barrier();
    pgas_finalize();
    if (starts && is_behind)
        status = system(argv[2]); /* NOLINT(cert-env33-c) */
    return WEXITSTATUS(status);
}
