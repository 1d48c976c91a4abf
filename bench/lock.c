/* Locks: taking and releasing a free one, of the own thread and of the last one, beside a get and
 * an atomic addition there; and one lock of the last thread that all threads want all the time.
 * Nanoseconds of a lock and unlock. */
#include <pgas/pgas.h>

#include <stdlib.h>

#include "measure.h"

enum {
    FREE_TURNS = 1000,
    WANTED_TURNS = 300
};

static pgas_lock_t own_lock;
static pgas_lock_t last_lock;
static pgas_ptr_t word;
static volatile uint64_t sink;

static void use_own(size_t turns)
{
    for (size_t i = 0; i < turns; i++) {
        pgas_lock(own_lock);
        pgas_unlock(own_lock);
    }
}

static void use_last(size_t turns)
{
    for (size_t i = 0; i < turns; i++) {
        pgas_lock(last_lock);
        pgas_unlock(last_lock);
    }
}

static void get(size_t turns)
{
    for (size_t i = 0; i < turns; i++)
        sink += PGAS_READ(uint64_t, word);
}

static void fetch_add(size_t turns)
{
    for (size_t i = 0; i < turns; i++)
        PGAS_ATOMIC_FETCH_ADD(uint64_t, word, 1, PGAS_RELAXED);
}

typedef struct measure {
    const char *name;
    void (*loop)(size_t turns);
    size_t turns;
    /** Whether all threads do it at once. */
    bool is_common;
    double *times;
} measure_t;

static double time_of(const measure_t *measure)
{
    double users = measure->is_common ? (double)pgas_threads() : 1;
    pgas_barrier();
    double begin = bench_seconds();
    if (measure->is_common || pgas_mythread() == 0)
        measure->loop(measure->turns);
    pgas_barrier();
    return (bench_seconds() - begin) * 1e9 / (users * (double)measure->turns);
}

static void allocate(void)
{
    pgas_ptr_t handles;
    int last = pgas_threads() - 1;
    if (pgas_global_lock_alloc(&own_lock) != PGAS_OK ||
        pgas_all_alloc((size_t)pgas_threads(), sizeof own_lock, &handles) != PGAS_OK)
        pgas_exit(1);
    *(pgas_lock_t *)pgas_local(pgas_ptr_on(handles, pgas_mythread())) = own_lock;
    pgas_barrier();
    last_lock = PGAS_READ(pgas_lock_t, pgas_ptr_on(handles, last));
    word = pgas_ptr_on(handles, last);
}

int main(int argc, char **argv)
{
    size_t batches = bench_argument(argc, argv, 1, 11);
    if (pgas_init() != PGAS_OK)
        return 1;
    allocate();
    measure_t measures[] = {
        {"own_lock_ns", use_own, FREE_TURNS, false, NULL},
        {"lock_ns", use_last, FREE_TURNS, false, NULL},
        {"get_ns", get, FREE_TURNS, false, NULL},
        {"fetch_add_ns", fetch_add, FREE_TURNS, false, NULL},
        {"wanted_lock_ns", use_last, WANTED_TURNS, true, NULL},
    };
    enum {
        MEASURES = sizeof measures / sizeof measures[0]
    };
    for (size_t m = 0; m < MEASURES; m++)
        if ((measures[m].times = malloc(batches * sizeof(double))) == NULL)
            pgas_exit(1);
    for (size_t i = 0; i <= batches; i++) /* the first is not counted */
        for (size_t m = 0; m < MEASURES; m++) {
            double took = time_of(&measures[m]);
            if (i > 0)
                measures[m].times[i - 1] = took;
        }
    for (size_t m = 0; m < MEASURES; m++) {
        if (pgas_mythread() == 0)
            bench_print(measures[m].name, bench_summarise(measures[m].times, batches));
        free(measures[m].times);
    }
    pgas_finalize();
    return 0;
}
