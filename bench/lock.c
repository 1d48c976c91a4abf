/* Locks: taking and releasing a free one, of the own thread and of the last one, beside a get and
 * an atomic addition there; and one lock of the last thread that all threads want all the time.
 * Nanoseconds of a lock and unlock. */
#include <pgas/pgas.h>

#include "lock_measure.h"
#include "measure.h"

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
    const bench_lock_loop_t loops[] = {
        {"own_lock_ns", use_own, BENCH_FREE_TURNS, false},
        {"lock_ns", use_last, BENCH_FREE_TURNS, false},
        {"get_ns", get, BENCH_FREE_TURNS, false},
        {"fetch_add_ns", fetch_add, BENCH_FREE_TURNS, false},
        {"wanted_lock_ns", use_last, BENCH_WANTED_TURNS, true},
    };
    const bench_lock_t lock = {
        .process = pgas_mythread(),
        .processes = pgas_threads(),
        .barrier = pgas_barrier,
        .loops = loops,
        .count = sizeof loops / sizeof loops[0],
    };
    bench_lock_run(&lock, batches);
    pgas_finalize();
    return 0;
}
