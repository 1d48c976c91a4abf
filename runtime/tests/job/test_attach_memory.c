/*
 * A thread that attaches, for which there is no memory, whichever of the library's own allocations
 * fails: it gets that status, and attaches when there is some.
 */
#include <pgas/pgas.h>
#include <pthread.h>
#include <stddef.h>

#include "check.h"
#include "no_memory.h"

static bool has_failed;

static void *attach_once(void *which)
{
    no_memory_for(*(int *)which);
    pgas_status_t status = pgas_attach_thread();
    has_failed = no_memory_has_failed();
    CHECK(status == (has_failed ? PGAS_ERR_NO_MEMORY : PGAS_OK));
    if (status == PGAS_OK)
        pgas_detach_thread();
    return NULL;
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    CHECK(pgas_attach_thread() == PGAS_OK);
    int which = 0;
    do {
        pthread_t thread;
        which++;
        CHECK(pthread_create(&thread, NULL, attach_once, &which) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
    } while (has_failed);
    CHECK(which > 1);
    pgas_detach_thread();
    pgas_finalize();
    return 0;
}
