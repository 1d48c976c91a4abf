#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include <pgas/detail.h>

enum {
    PATIENCE_SECONDS = 1
};

/* Of the one flush at a time, which has a thread of its own. */
enum {
    NONE,
    RUNNING,
    DONE,
    /* Held up, and nobody waits for it any more. */
    ABANDONED
};

static _Atomic int state = NONE;
static sem_t is_done;

static void *flush(void *unused)
{
    (void)unused;
    fflush(stdout); /* which others may stand before in the list */
    fflush(NULL);
    if (atomic_exchange(&state, DONE) == ABANDONED)
        atomic_store(&state, NONE);
    else
        sem_post(&is_done);
    return NULL;
}

void pgasi_flush_streams(void)
{
    struct timespec limit;
    pthread_t thread;
    int expected = NONE;
    for (int naps = 0; !atomic_compare_exchange_strong(&state, &expected, RUNNING); naps++) {
        if (expected == ABANDONED || naps == 1000 * PATIENCE_SECONDS)
            return;
        usleep(1000); /* another thread's may have passed what the caller has written */
        expected = NONE;
    }
    sem_init(&is_done, 0, 0);
    if (pthread_create(&thread, NULL, flush, NULL) != 0) {
        fflush(NULL);
        atomic_store(&state, NONE);
        return;
    }
    pthread_detach(thread);
    clock_gettime(CLOCK_MONOTONIC, &limit);
    limit.tv_sec += PATIENCE_SECONDS;
    while (sem_clockwait(&is_done, CLOCK_MONOTONIC, &limit) != 0)
        if (errno != EINTR) {
            expected = RUNNING;
            if (atomic_compare_exchange_strong(&state, &expected, ABANDONED))
                return;
            limit.tv_sec += PATIENCE_SECONDS; /* it is just done */
        }
    atomic_store(&state, NONE);
}
