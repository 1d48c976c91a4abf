#include "thread_check.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/select.h>

enum {
    THREADS = 2, /* one for events, one for connections */
    FILES = 64, /* of the launcher's own, before its threads' */
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

/* PMIx waits by select, and aborts at larger numbers. */
static bool has_small_numbers(void)
{
    int taken = 0;
    for (int fd = 0; fd < FD_SETSIZE; fd++)
        taken += fcntl(fd, F_GETFD) >= 0;
    if (taken < FD_SETSIZE - FILES)
        return true;
    fprintf(stderr,
            "fathom-run: %d files with numbers below %d are open already, and PMIx needs some: "
            "close what the program that starts fathom-run has open\n",
            taken, FD_SETSIZE);
    return false;
}

bool thread_check(void)
{
    if (!has_small_numbers())
        return false;
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
