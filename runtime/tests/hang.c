/* A job in which every thread but the last waits three seconds for the last one: in a named
 * barrier, for a lock, or for an answer while the last one is stopped. Told about by
 * PGAS_WATCHDOG=1. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <pgas/pgas.h>

#include "check.h"

enum {
    SECONDS = 3
};

static bool is_last(void)
{
    return pgas_mythread() == pgas_threads() - 1;
}

static void hang_in_barrier(void)
{
    if (is_last())
        sleep(SECONDS);
    pgas_notify(7);
    pgas_wait(7);
}

static void hang_for_lock(void)
{
    pgas_lock_t lock;
    CHECK(pgas_all_lock_alloc(&lock) == PGAS_OK);
    if (is_last())
        pgas_lock(lock);
    pgas_barrier();
    if (is_last())
        sleep(SECONDS);
    else
        pgas_lock(lock);
    pgas_unlock(lock);
    pgas_barrier();
}

/* A child wakes the last thread up again. */
static void stop_for_a_while(void)
{
    pid_t self = getpid();
    if (fork() == 0) {
        sleep(SECONDS);
        kill(self, SIGCONT);
        _exit(0);
    }
    raise(SIGSTOP);
}

static void hang_for_answer(void)
{
    pgas_array_t x;
    CHECK(pgas_array_create((size_t)pgas_threads(), sizeof(int), 1, &x) == PGAS_OK);
    PGAS_PUT(int, &x, (size_t)pgas_mythread(), pgas_mythread());
    pgas_barrier();
    if (is_last()) {
        stop_for_a_while();
    } else {
        usleep(200000);
        CHECK(PGAS_GET(int, &x, x.count - 1) == pgas_threads() - 1);
    }
    pgas_array_free(&x);
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    if (pgas_init() != PGAS_OK)
        return 1;
    if (strcmp(argv[1], "barrier") == 0)
        hang_in_barrier();
    else if (strcmp(argv[1], "lock") == 0)
        hang_for_lock();
    else
        hang_for_answer();
    pgas_finalize();
    return 0;
}
