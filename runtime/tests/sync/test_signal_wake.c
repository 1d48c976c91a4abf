/**
 * Threads that sleep in a wait wake up for signals, at any moment of their way to sleep: from the
 * own node, from another one, from an attached thread; for one signal, for any of several, and for
 * memory that is only written. With the argument "am" the job has handlers, so that sleepers hear
 * their bells too; with "tight" a token goes round without pauses, which with PGAS_SPIN=0 meets
 * each thread as it falls asleep.
 *
 * The test runs without the watchdog, whose look every second would wake a sleeper, too: a wake-up
 * that is lost makes it hang.
 */
#include <pthread.h>
#include <string.h>

#include "check.h"
#include "job_random.h"
#include "pause.h"

static pgas_ptr_t signals;
static uint64_t state;
static pgas_am_t nothing;

static void take_nothing(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                         size_t nbytes)
{
    (void)token;
    (void)args;
    (void)nargs;
    (void)payload;
    (void)nbytes;
}

static pgas_ptr_t signal_of(int thread, int number)
{
    pgas_ptr_t ptr = signals;
    ptr.thread = (uint32_t)thread;
    ptr.offset += (uint64_t)number * sizeof(pgas_signal_t);
    return ptr;
}

static pgas_signal_t *own(void)
{
    return pgas_local(signal_of(pgas_mythread(), 0));
}

/* At any moment of the others' way to sleep. */
static void pause_randomly(uint64_t *random)
{
    static const unsigned long longest[] = {10, 100, 1000, 3000};
    sleep_microseconds(random_below(random, longest[random_below(random, 4)]));
}

static void send(int thread, int number, uint64_t value)
{
    pgas_put_signal((pgas_ptr_t){0}, NULL, 0, signal_of(thread, number), PGAS_SIGNAL_SET, value);
}

/* A token goes round: all but one thread sleep. */
static void round_robin(uint64_t rounds, bool pauses)
{
    int next = (pgas_mythread() + 1) % pgas_threads();
    for (uint64_t i = 1; i <= rounds; i++) {
        if (pgas_mythread() > 0)
            pgas_signal_wait(own(), PGAS_GE, i);
        if (pauses)
            pause_randomly(&state);
        send(next, 0, i);
        if (pgas_mythread() == 0)
            pgas_signal_wait(own(), PGAS_GE, i);
    }
}

/* Thread 0 wakes one of two waits of the others, and each of those tells it. */
static void any(uint64_t rounds)
{
    for (uint64_t i = 1; i <= rounds; i++) {
        int number = (int)(i % 2);
        if (pgas_mythread() == 0) {
            pause_randomly(&state);
            for (int thread = 1; thread < pgas_threads(); thread++)
                send(thread, number, i);
            pgas_signal_wait_all(own() + 2, (size_t)pgas_threads() - 1, NULL, PGAS_EQ, i);
        } else {
            CHECK(pgas_signal_wait_any(own(), 2, NULL, PGAS_EQ, i) == (size_t)number);
            send(0, 1 + pgas_mythread(), i);
        }
    }
}

/* The main thread and an attached one in turns. */
static void *take_turns(void *argument)
{
    uint64_t random = state + 1;
    CHECK(pgas_attach_thread() == PGAS_OK);
    for (uint64_t i = 1; i <= *(const uint64_t *)argument; i++) {
        pgas_signal_wait(own(), PGAS_EQ, i);
        pause_randomly(&random);
        pgas_signal_set(own() + 1, i);
    }
    pgas_detach_thread();
    return NULL;
}

static void attached(uint64_t rounds)
{
    pthread_t other;
    uint64_t random = state + 2;
    CHECK(pgas_attach_thread() == PGAS_OK);
    CHECK(pthread_create(&other, NULL, take_turns, &rounds) == 0);
    for (uint64_t i = 1; i <= rounds; i++) {
        pause_randomly(&random);
        send(pgas_mythread(), 0, i);
        pgas_signal_wait(own() + 1, PGAS_EQ, i);
    }
    CHECK(pthread_join(other, NULL) == 0);
    pgas_detach_thread();
}

/* Plain stores, where the next thread is of this node. */
static void memory(uint64_t rounds)
{
    uint64_t *next = pgas_local(signal_of((pgas_mythread() + 1) % pgas_threads(), 0));
    for (uint64_t i = 1; i <= rounds; i++) {
        pause_randomly(&state);
        if (next != NULL)
            __atomic_store_n(next, i, __ATOMIC_RELEASE);
        else
            send((pgas_mythread() + 1) % pgas_threads(), 0, i);
        PGAS_WAIT_UNTIL(uint64_t, &own()->value, PGAS_GE, i);
    }
}

static void reset(void)
{
    pgas_barrier();
    for (int i = 0; i < pgas_threads() + 1; i++)
        pgas_signal_set(own() + i, 0);
    pgas_barrier();
}

int main(int argc, char **argv)
{
    const uint64_t rounds = 50;
    CHECK(pgas_init() == PGAS_OK);
    state = random_seed_of_thread(random_seed_of_job());
    if (argc > 1 && strcmp(argv[1], "am") == 0)
        nothing = pgas_am_register("nothing", take_nothing, PGAS_AM_POLL);
    size_t count = (size_t)pgas_threads() + 1;
    CHECK(pgas_all_alloc((size_t)pgas_threads(), count * sizeof(pgas_signal_t), &signals) ==
          PGAS_OK);
    reset();
    if (argc > 1 && strcmp(argv[1], "tight") == 0)
        round_robin(20000, false);
    else
        round_robin(rounds, true);
    reset();
    if (pgas_threads() > 1)
        any(rounds);
    reset();
    memory(rounds);
    reset();
    attached(rounds);
    pgas_barrier();
    pgas_all_free(signals);
    pgas_finalize();
    return 0;
}
