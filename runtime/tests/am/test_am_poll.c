/**
 * A thread that sleeps in a wait for the network runs the messages of its own node: a bell wakes
 * it, not the clock.
 *
 * Three threads on two nodes: thread 0 reads from thread 2, which is outside the runtime for a
 * while and serves nobody (PGAS_PROGRESS=poll). First nobody else does anything, and thread 0
 * sleeps, seldom awake. Then thread 1 pings it from their node, and gets most of its replies before
 * thread 2 comes back.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "check.h"
#include "pause.h"

#include "ping.h"

enum {
    ABSENCE_US = 1000000,
    PAUSE_US = 50000, /* until thread 2 is away */
    TRIES = 5,
    WAKES_MAX = 300, /* every millisecond would be 950 */
    PINGS = 60,
    SEEN_MIN = 25 /* a look every 100 ms would see 10 */
};

static long sleeps(void)
{
    struct rusage usage;
    CHECK(getrusage(RUSAGE_THREAD, &usage) == 0);
    return usage.ru_nvcsw;
}

static void ping_reader(void)
{
    for (size_t i = 0; i < PINGS; i++) {
        size_t before = pongs;
        sleep_microseconds(2000);
        pgas_am_request_short(0, ping, NULL, 0);
        while (pongs == before)
            pgas_poll();
    }
}

/* Whether all went as it should: not if thread 2 was late and has served the read. */
static bool read_absent(pgas_ptr_t word, bool with_pings)
{
    sleep_microseconds(PAUSE_US);
    long before = sleeps();
    size_t pings_before = pings;
    CHECK(PGAS_READ(uint64_t, word) == 7);
    size_t seen = pings - pings_before;
    long count = sleeps() - before;
    printf("%ld sleeps, %zu pings\n", count, seen);
    return with_pings ? seen >= SEEN_MIN : count > 0 && count < WAKES_MAX;
}

static bool try_round(pgas_ptr_t word, bool with_pings)
{
    bool is_good = false;
    pgas_barrier();
    if (pgas_mythread() == 2)
        sleep_microseconds(ABSENCE_US);
    else if (pgas_mythread() == 0)
        is_good = read_absent(word, with_pings);
    else if (with_pings)
        ping_reader();
    pgas_barrier();
    pgas_ptr_t told = word;
    told.thread = 0;
    if (pgas_mythread() == 0)
        PGAS_WRITE(uint64_t, told, is_good);
    pgas_barrier();
    return PGAS_READ(uint64_t, told) != 0;
}

int main(void)
{
    register_ping();
    CHECK(pgas_init() == PGAS_OK);
    CHECK(pgas_threads() == 3 && pgas_node_of(0) == pgas_node_of(1) &&
          pgas_node_of(2) != pgas_node_of(0));
    pgas_ptr_t word;
    CHECK(pgas_all_alloc(3, sizeof(uint64_t), &word) == PGAS_OK);
    word.thread = 2;
    if (pgas_mythread() == 2)
        PGAS_WRITE(uint64_t, word, 7);
    pgas_barrier();
    /* A connection that is being made wakes its thread again and again. */
    CHECK(PGAS_READ(uint64_t, word) == 7);
    for (int with_pings = 0; with_pings < 2; with_pings++) {
        int tries = 1;
        while (!try_round(word, with_pings))
            CHECK(tries++ < TRIES);
    }
    pgas_finalize();
    return 0;
}
