/**
 * Threads that sleep wake up for messages: in a barrier, in the wait of a split
 * one, in a lock. Arguments: the number of messages for each sleep.
 *
 * The test runs without the watchdog, whose look every second would wake a sleeper, too: a wake-up
 * that is lost makes it hang.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "job_random.h"
#include "pause.h"

#include "ping.h"

static uint64_t state;

/* At any moment of the others' way to sleep. */
static void pause_randomly(void)
{
    static const unsigned long longest[] = {10, 100, 1000, 3000};
    sleep_microseconds(random_below(&state, longest[random_below(&state, 4)]));
}

static void ping_all(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        pause_randomly();
        size_t before = pongs;
        for (int thread = 1; thread < pgas_threads(); thread++)
            pgas_am_request_short(thread, ping, PGAS_AM_ARGS((int32_t)i));
        while (pongs < before + (size_t)pgas_threads() - 1)
            pgas_poll();
        CHECK(pongs == before + (size_t)pgas_threads() - 1);
    }
}

int main(int argc, char **argv)
{
    size_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 400;
    if (getenv("FATHOM_TEST_SANITIZED") != NULL)
        count /= 4;
    register_ping();
    CHECK(pgas_init() == PGAS_OK);
    state = random_seed_of_thread(random_seed_of_job());
    pgas_lock_t lock;
    CHECK(pgas_all_lock_alloc(&lock) == PGAS_OK);
    size_t expected = 0;
    for (int where = 0; where < 3; where++) {
        if (pgas_mythread() == 0)
            pgas_lock(lock);
        pgas_barrier();
        if (where == 1)
            pgas_notify(where);
        if (pgas_mythread() == 0)
            ping_all(count);
        if (pgas_mythread() == 0)
            pgas_unlock(lock);
        if (where == 2) { /* in which the others have slept meanwhile */
            pgas_lock(lock);
            pgas_unlock(lock);
        }
        if (where == 1)
            pgas_wait(where);
        pgas_barrier();
        expected += count;
        CHECK(pgas_mythread() == 0 || pings == expected);
    }
    pgas_barrier();
    if (pgas_mythread() == 0)
        pgas_lock_free(lock);
    pgas_finalize();
    return 0;
}
