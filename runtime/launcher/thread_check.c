#include "thread_check.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum {
    THREADS = 2, /* one for events, one for connections */
    MEMORY = 16 << 20 /* of address space, without which PMIx crashes */
};

static void *wait_for(void *lock)
{
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

/* Returns 0, or the reason why not. */
static int start_and_end(void)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_t threads[THREADS];
    int started = 0;
    int error = 0;
    pthread_mutex_lock(&lock); /* so that none ends before the last one has started */
    while (started < THREADS && error == 0) {
        error = pthread_create(&threads[started], NULL, wait_for, &lock);
        started += error == 0;
    }
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    return error;
}

bool thread_check(void)
{
    void *memory = mmap(NULL, MEMORY, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int error = memory != MAP_FAILED ? start_and_end() : errno;
    if (memory != MAP_FAILED)
        munmap(memory, MEMORY);
    if (error != 0)
        fprintf(
            stderr,
            "fathom-run: no operating-system threads and memory for PMIx: %s (ulimit -v sets the "
            "address space, ulimit -u the processes)\n",
            strerror(error));
    return error == 0;
}
