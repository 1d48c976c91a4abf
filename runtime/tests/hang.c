/* A job in which every thread but the last waits some seconds (default 3) for the last one: in a
 * named barrier, in a collective call, for a lock, or for an answer while the last one is stopped;
 * or thread 0 waits in a barrier for a thread that waits for a lock of the last one. Told about by
 * PGAS_WATCHDOG=1. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pgas/pgas.h>

#include "check.h"

static unsigned seconds = 3;

static bool is_last(void)
{
    return pgas_mythread() == pgas_threads() - 1;
}

static void hang_in_barrier(void)
{
    if (is_last())
        sleep(seconds);
    pgas_notify(7);
    pgas_wait(7);
}

static void hang_in_collective(void)
{
    pgas_ptr_t ptr;
    if (is_last())
        sleep(seconds);
    CHECK(pgas_all_alloc(10, 8, &ptr) == PGAS_OK);
}

static void hang_behind_lock(void)
{
    pgas_lock_t lock;
    CHECK(pgas_all_lock_alloc(&lock) == PGAS_OK);
    if (is_last())
        pgas_lock(lock);
    pgas_barrier();
    if (is_last())
        sleep(seconds);
    else if (pgas_mythread() != 0)
        pgas_lock(lock);
    if (pgas_mythread() != 0)
        pgas_unlock(lock);
    pgas_barrier();
}

static void hang_for_lock(void)
{
    pgas_lock_t lock;
    CHECK(pgas_all_lock_alloc(&lock) == PGAS_OK);
    if (is_last())
        pgas_lock(lock);
    pgas_barrier();
    if (is_last())
        sleep(seconds);
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
        sleep(seconds);
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
    CHECK(argc == 2 || argc == 3);
    if (argc == 3)
        seconds = (unsigned)strtoul(argv[2], NULL, 10);
    if (pgas_init() != PGAS_OK)
        return 1;
    if (strcmp(argv[1], "barrier") == 0)
        hang_in_barrier();
    else if (strcmp(argv[1], "collective") == 0)
        hang_in_collective();
    else if (strcmp(argv[1], "behind") == 0)
        hang_behind_lock();
    else if (strcmp(argv[1], "lock") == 0)
        hang_for_lock();
    else
        hang_for_answer();
    pgas_finalize();
    return 0;
}
