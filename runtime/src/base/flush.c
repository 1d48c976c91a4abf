#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <pgas/detail.h>

#include "base/clock.h"
#include "base/signals.h"

enum {
    PATIENCE_MS = 1000,
    SLICE_MS = 100
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
static _Atomic pid_t flusher;
static sem_t is_done;

static void *flush(void *unused)
{
    (void)unused;
    atomic_store(&flusher, (pid_t)syscall(SYS_gettid));
    fflush(stdout); /* which others may stand before in the list */
    fflush(NULL);
    if (atomic_exchange(&state, DONE) == ABANDONED)
        atomic_store(&state, NONE);
    else
        sem_post(&is_done);
    return NULL;
}

/* A system call that lasts as long as a reader takes, or none. */
static bool is_of_readers(long number)
{
    return number == SYS_write || number == SYS_writev || number == SYS_pwrite64 || number == -1;
}

/* Whether the flush waits for something else than a processor, or who reads what it writes: for a
 * lock, or for what the program does where a stream is its own. True if the system does not say. */
static bool is_held_up(void)
{
    char text[64];
    char *end;
    pid_t thread = atomic_load(&flusher);
    if (thread == 0)
        return false;
    snprintf(text, sizeof text, "/proc/self/task/%d/syscall", (int)thread);
    int fd = open(text, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return true;
    ssize_t length = read(fd, text, sizeof text - 1);
    close(fd);
    text[length > 0 ? length : 0] = '\0';
    long number = strtol(text, &end, 10);
    return end != text ? !is_of_readers(number) : length <= 0; /* "running" */
}

static bool is_done_within(unsigned milliseconds)
{
    const struct timespec limit = pgasi_in_time(milliseconds * 1000);
    while (sem_clockwait(&is_done, CLOCK_MONOTONIC, &limit) != 0)
        if (errno != EINTR)
            return false;
    return true;
}

/* Waits for the flush for so long; not counting, if `is_patient`, what readers take. */
static void await(bool is_patient)
{
    for (unsigned waited = 0; !is_done_within(SLICE_MS);) {
        waited = is_patient && !is_held_up() ? 0 : waited + SLICE_MS;
        int expected = RUNNING; /* or just done */
        if (waited >= PATIENCE_MS && atomic_compare_exchange_strong(&state, &expected, ABANDONED))
            return;
    }
    atomic_store(&state, NONE);
}

static bool start_flusher(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t blocked;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    /* The caller blocks nothing: what limits its patience may be a signal. */
    pgasi_signals_of_others(&blocked);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    bool is_started = pthread_attr_setsigmask_np(&attributes, &blocked) == 0 &&
                      pthread_create(&thread, &attributes, flush, NULL) == 0;
    pthread_attr_destroy(&attributes);
    return is_started;
}

static void flush_all(bool is_patient)
{
    int expected = NONE;
    for (int naps = 0; !atomic_compare_exchange_strong(&state, &expected, RUNNING); naps++) {
        if (expected == ABANDONED || (!is_patient && naps == PATIENCE_MS))
            return;
        usleep(1000); /* another thread's may have passed what the caller has written */
        expected = NONE;
    }
    sem_init(&is_done, 0, 0);
    atomic_store(&flusher, 0);
    if (!start_flusher()) {
        fflush(NULL);
        atomic_store(&state, NONE);
        return;
    }
    await(is_patient);
}

void pgasi_flush_streams(void)
{
    flush_all(false);
}

void pgasi_flush_streams_patiently(void)
{
    flush_all(true);
}
