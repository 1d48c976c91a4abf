/**
 * Which attached threads count as asleep, so that the progress thread may stay awake on their
 * cores: those that sleep on an event or nap, each once, and none of those that are awake.
 *
 * Thread 0 has a main thread that waits in a barrier, workers that nap or are awake, and an
 * observer that has not attached. Thread 1 comes to the barrier when the observer has seen enough.
 * Attached threads come and go, and the count starts from 0 each time.
 *
 * Usage: runtime_net_asleep [ROUNDS]
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include <pgas/detail.h>

#include "base/agent.h"
#include "check.h"
#include "net/ucx/progress_thread.h"

enum {
    ROUNDS = 20,
    WORKERS = 3
};

static pgas_ptr_t come; /* in the segment of thread 1: the round in which it may come */
static uint64_t round_number;
/* Workers with lower numbers nap. Each says that it does before it looks. */
static _Atomic unsigned napping;
static _Atomic bool naps[WORKERS];
static _Atomic bool has_seen_all;
static _Atomic bool may_end;
static pthread_barrier_t all;

static unsigned asleep(void)
{
    unsigned count = atomic_load(&pgasi_ucx_main_state.asleep);
    CHECK(count <= WORKERS + 1);
    return count;
}

static void await_asleep(unsigned count)
{
    while (asleep() != count)
        usleep(50);
}

static void await_awake(void)
{
    napping = 0;
    for (unsigned i = 0; i < WORKERS; i++)
        while (naps[i])
            usleep(50);
}

static void nap(unsigned number)
{
    naps[number] = true;
    if (number < napping) {
        pgasi_nap_begin();
        usleep(1000);
        pgasi_nap_end();
    }
    naps[number] = false;
    usleep(50);
}

/* The first one lets thread 1 come. */
static void *work(void *argument)
{
    const unsigned number = *(const unsigned *)argument;
    CHECK(pgas_attach_thread() == PGAS_OK);
    pthread_barrier_wait(&all);
    while (!has_seen_all)
        nap(number);
    if (number == 0)
        PGAS_WRITE(uint64_t, come, round_number);
    while (!may_end)
        usleep(50);
    pgas_detach_thread();
    return NULL;
}

/* The main thread sleeps, then one worker more after the other; then the main thread alone. */
static void *observe(void *unused)
{
    pthread_barrier_wait(&all);
    for (unsigned i = 0; i <= WORKERS; i++) {
        napping = i;
        await_asleep(i + 1);
    }
    await_awake();
    await_asleep(1);
    has_seen_all = true;
    return unused;
}

static void look_at_others(void)
{
    pthread_t workers[WORKERS];
    unsigned numbers[WORKERS];
    pthread_t observer;
    napping = 0;
    has_seen_all = may_end = false;
    CHECK(pgas_attach_thread() == PGAS_OK);
    pthread_barrier_init(&all, NULL, WORKERS + 2);
    for (unsigned i = 0; i < WORKERS; i++) {
        numbers[i] = i;
        CHECK(pthread_create(&workers[i], NULL, work, &numbers[i]) == 0);
    }
    CHECK(pthread_create(&observer, NULL, observe, NULL) == 0);
    pthread_barrier_wait(&all);
    CHECK(asleep() == 0);
    pgas_barrier();
    CHECK(asleep() == 0);
    pthread_join(observer, NULL);
    may_end = true;
    for (unsigned i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    pthread_barrier_destroy(&all);
    CHECK(asleep() == 0 && pgasi_agents() == 0);
    pgas_detach_thread();
}

static void come_late(void)
{
    const _Atomic uint64_t *word = pgas_local(come);
    while (atomic_load(word) < round_number)
        usleep(50);
    pgas_barrier();
}

int main(int argc, char **argv)
{
    CHECK(pgas_init() == PGAS_OK);
    CHECK(pgas_threads() == 2);
    uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : ROUNDS;
    CHECK(pgas_all_alloc(2, sizeof(uint64_t), &come) == PGAS_OK);
    come.thread = 1;
    if (pgas_mythread() == 1)
        PGAS_WRITE(uint64_t, come, 0);
    pgas_barrier();
    for (round_number = 1; round_number <= rounds; round_number++)
        if (pgas_mythread() == 0)
            look_at_others();
        else
            come_late();
    pgas_finalize();
    return 0;
}
