/**
 * Barriers and atomic operations of the tools order a store before a later load: two threads store
 * a word each and read the other's, and one of them at least must see a 1.
 *
 * usage: test_fences [ROUNDS]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <gasnet_tools.h>

enum {
    SLOTS = 1024,
    STRIDE = 16
};

/* Words on lines of their own, which the other thread has written last: stores to them wait. */
static gasnett_atomic32_t words[2][SLOTS * STRIDE];
static uint32_t seen[2][SLOTS];
static gasnett_strongatomic_t arrived = gasnett_strongatomic_init(0);
static int rounds = 100;

/* By additions alone, which ThreadSanitizer understands. */
static void wait_for_both(unsigned int count)
{
    gasnett_strongatomic_increment(&arrived, GASNETT_ATOMIC_MB_PRE);
    for (int i = 0; gasnett_strongatomic_add(&arrived, 0, 0) < count; i++)
        if (i > 1000)
            gasnett_sched_yield();
}

/* A thread's passage over the slots: its store, what orders, its load. */
#define PASSAGE(name, store_flags, order, load_flags) \
    static void name(int me) \
    { \
        gasnett_atomic32_t counter = gasnett_atomic32_init(1); \
        gasnett_strongatomic64_t wide = gasnett_strongatomic64_init(1); \
        (void)counter, (void)wide; \
        for (int i = 0; i < SLOTS; i++) { \
            gasnett_atomic32_set(&words[me][i * STRIDE], 1, store_flags); \
            order; \
            seen[me][i] = gasnett_atomic32_read(&words[1 - me][i * STRIDE], load_flags); \
        } \
    }

PASSAGE(write_barrier, 0, gasnett_local_wmb(), 0)
PASSAGE(full_barrier, 0, gasnett_local_mb(), 0)
PASSAGE(weak_barrier, 0, gasnett_weak_mb(), 0)
PASSAGE(after_set, GASNETT_ATOMIC_WMB_POST, (void)0, 0)
PASSAGE(before_read, 0, (void)0, GASNETT_ATOMIC_MB_PRE)
PASSAGE(released, 0, gasnett_atomic32_increment(&counter, GASNETT_ATOMIC_REL), 0)
PASSAGE(added, 0, gasnett_strongatomic64_add(&wide, 1, GASNETT_ATOMIC_WMB_POST), 0)
PASSAGE(swapped, 0, gasnett_atomic32_swap(&counter, 2, GASNETT_ATOMIC_MB_PRE), 0)
PASSAGE(tested, 0, gasnett_atomic32_decrement_and_test(&counter, GASNETT_ATOMIC_MB_POST), 0)
PASSAGE(compared, 0, gasnett_atomic32_compare_and_swap(&counter, 1, 1, GASNETT_ATOMIC_REL), 0)
PASSAGE(not_swapped, 0, gasnett_atomic32_compare_and_swap(&counter, 7, 8, GASNETT_ATOMIC_REL), 0)

static void (*const passages[])(int) = {write_barrier, full_barrier, weak_barrier, after_set,
                                        before_read,   released,     added,        swapped,
                                        tested,        compared,     not_swapped};
enum {
    PASSAGES = sizeof passages / sizeof *passages
};

static void *run(void *argument)
{
    int me = (int)(intptr_t)argument;
    unsigned int met = 0;
    for (int round = 0; round < rounds; round++)
        for (int p = 0; p < PASSAGES; p++) {
            for (int i = 0; i < SLOTS; i++) /* the other's, so that their lines are here */
                gasnett_atomic32_set(&words[1 - me][i * STRIDE], 0, 0);
            wait_for_both(met += 2);
            passages[p](me);
            wait_for_both(met += 2);
            if (me == 0)
                for (int i = 0; i < SLOTS; i++)
                    if (seen[0][i] == 0 && seen[1][i] == 0) {
                        fprintf(stderr, "round %d: passage %d orders nothing\n", round, p);
                        exit(1);
                    }
            wait_for_both(met += 2);
        }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    if (argc > 1)
        rounds = atoi(argv[1]);
    for (intptr_t i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, run, (void *)i) != 0)
            return 1;
    for (int i = 0; i < 2; i++)
        if (pthread_join(threads[i], NULL) != 0)
            return 1;
    return 0;
}
