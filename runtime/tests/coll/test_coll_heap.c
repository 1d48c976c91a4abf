/**
 * Blocking calls keep what others read for the next one, and so do calls in flight: neither must
 * end a job for want of memory that the other one keeps. For a heap of 16 MiB.
 */
#include <stdlib.h>
#include <string.h>

#include <pgas/coll.h>
#include <pgas/coll_async.h>

#include "check.h"

enum {
    /* Two of them have no room. */
    NBYTES = 9 << 20
};

static char *mine;
static char *all;

static void check_all(char first)
{
    size_t threads = (size_t)pgas_threads();
    for (size_t t = 0; t < threads; t++)
        CHECK(all[t * NBYTES] == first + (char)t && all[(t + 1) * NBYTES - 1] == first + (char)t);
    memset(all, 0, threads * NBYTES);
    pgas_barrier();
}

static void gather(char first, bool is_in_flight)
{
    memset(mine, first + pgas_mythread(), NBYTES);
    if (is_in_flight)
        pgas_waitsync(pgas_allgather_async(PGAS_TEAM_ALL, mine, all, NBYTES));
    else
        pgas_allgather(PGAS_TEAM_ALL, mine, all, NBYTES);
    check_all(first);
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    mine = malloc(NBYTES);
    all = calloc((size_t)pgas_threads(), NBYTES);
    CHECK(mine != NULL && all != NULL);
    gather(1, false);
    gather(11, true);
    gather(21, true);
    gather(31, false);
    gather(41, true);
    free(all);
    free(mine);
    pgas_finalize();
    return 0;
}
