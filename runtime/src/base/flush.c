#include "base/flush.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

enum {
    PATIENCE_SECONDS = 1
};

static sem_t is_done;

static void *flush(void *unused)
{
    (void)unused;
    fflush(NULL);
    sem_post(&is_done);
    return NULL;
}

void pgasi_flush_streams(void)
{
    static atomic_bool is_called;
    struct timespec limit;
    pthread_t thread;
    if (atomic_exchange(&is_called, true) || sem_init(&is_done, 0, 0) != 0)
        return;
    if (pthread_create(&thread, NULL, flush, NULL) != 0) {
        fflush(NULL);
        return;
    }
    pthread_detach(thread);
    clock_gettime(CLOCK_MONOTONIC, &limit);
    limit.tv_sec += PATIENCE_SECONDS;
    while (sem_clockwait(&is_done, CLOCK_MONOTONIC, &limit) != 0 && errno == EINTR)
        ;
}
