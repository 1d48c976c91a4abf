/**
 * A program that changes its environment between pgas_init and pgas_finalize: all connections are
 * made afterwards, and the job ends in good order. A job of one thread that was started by hand
 * gets what MPI_Init would set in it.
 */
#include <pgas/pgas.h>

#include <stdlib.h>

#include "check.h"

static void change_environment(void)
{
    if (getenv("PMIX_NAMESPACE") != NULL) {
        CHECK(clearenv() == 0);
        return;
    }
    CHECK(pgas_threads() == 1);
    CHECK(setenv("PMIX_NAMESPACE", "1234", 1) == 0);
    CHECK(setenv("PMIX_RANK", "0", 1) == 0);
}

int main(void)
{
    pgas_ptr_t place;
    CHECK(pgas_init() == PGAS_OK);
    int threads = pgas_threads();
    int me = pgas_mythread();
    change_environment();
    CHECK(pgas_all_alloc((size_t)threads, sizeof(int), &place) == PGAS_OK);
    for (int i = 0; i < threads; i++) {
        int to = (me + i) % threads;
        pgas_ptr_t at = place;
        at.thread = (uint32_t)to;
        PGAS_WRITE(int, at, to + 1);
        CHECK(PGAS_READ(int, at) == to + 1);
    }
    pgas_barrier();
    CHECK(pgas_allreduce_int32(PGAS_TEAM_ALL, me, PGAS_MAX) == threads - 1);
    pgas_finalize();
    return 0;
}
