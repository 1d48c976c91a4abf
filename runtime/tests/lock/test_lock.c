/**
 * Locks: one holder at a time, whichever thread created the lock and wherever it is.
 */
#include "check.h"

static int turns = 3000;

/* Unprotected, increments of several threads would get lost. */
static void check_exclusion(pgas_lock_t lock, const pgas_array_t *numbers)
{
    size_t last = numbers->count - 1;
    long threads = pgas_threads();
    if (pgas_mythread() == 0) {
        PGAS_PUT(long, numbers, 0, 0L);
        PGAS_PUT(long, numbers, last, 0L);
    }
    pgas_barrier();
    for (int turn = 0; turn < turns; turn++) {
        if (turn % 5 == 0)
            while (!pgas_lock_attempt(lock))
                pgas_fence();
        else
            pgas_lock(lock);
        CHECK(!pgas_lock_attempt(lock));
        long number = PGAS_GET(long, numbers, 0);
        CHECK(PGAS_GET(long, numbers, last) == (last == 0 ? number : 2 * number));
        PGAS_PUT(long, numbers, 0, number + 1);
        if (last > 0)
            PGAS_PUT(long, numbers, last, 2 * (number + 1));
        pgas_unlock(lock);
    }
    pgas_barrier();
    CHECK(PGAS_GET(long, numbers, 0) == turns * threads);
    pgas_barrier();
}

static void check_attempt(pgas_lock_t lock)
{
    bool first = pgas_mythread() == 0;
    if (first)
        CHECK(pgas_lock_attempt(lock));
    pgas_barrier();
    CHECK(!pgas_lock_attempt(lock));
    pgas_barrier();
    if (first)
        pgas_unlock(lock);
    pgas_barrier();
    if (pgas_mythread() == pgas_threads() - 1) {
        CHECK(pgas_lock_attempt(lock));
        pgas_unlock(lock);
    }
    pgas_barrier();
}

/* Each thread in turn creates a lock; the others get its handle through shared memory. */
static void check_made_by_one(const pgas_array_t *numbers)
{
    pgas_array_t handle;
    CHECK(pgas_array_create(1, sizeof(pgas_lock_t), 1, &handle) == PGAS_OK);
    for (int maker = 0; maker < pgas_threads(); maker++) {
        if (pgas_mythread() == maker) {
            pgas_lock_t made;
            CHECK(pgas_global_lock_alloc(&made) == PGAS_OK);
            PGAS_PUT(pgas_lock_t, &handle, 0, made);
        }
        pgas_barrier();
        pgas_lock_t lock = PGAS_GET(pgas_lock_t, &handle, 0);
        CHECK(pgas_threadof(lock.state) == maker);
        check_exclusion(lock, numbers);
        if (pgas_mythread() == (maker + 1) % pgas_threads())
            pgas_lock_free(lock);
        pgas_barrier();
    }
    pgas_array_free(&handle);
}

/* A lock created in used memory is free. */
static void check_on_used_memory(void)
{
    pgas_ptr_t dirty;
    pgas_lock_t lock;
    CHECK(pgas_alloc(4096, &dirty) == PGAS_OK);
    pgas_memset(dirty, 0xff, 4096);
    pgas_free(dirty);
    CHECK(pgas_global_lock_alloc(&lock) == PGAS_OK);
    CHECK(pgas_lock_attempt(lock));
    pgas_unlock(lock);
    pgas_lock_free(lock);
    pgas_barrier();
}

/* The holder of a lock may free it. */
static void check_free_held(void)
{
    pgas_lock_t none = {pgas_ptr_null()};
    pgas_lock_t lock;
    for (int holder = 0; holder < pgas_threads(); holder++) {
        CHECK(pgas_all_lock_alloc(&lock) == PGAS_OK);
        if (pgas_mythread() == holder) {
            pgas_lock(lock);
            pgas_lock_free(lock);
        }
        pgas_lock_free(none);
        pgas_barrier();
    }
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    if (pgas_node_of(pgas_threads() - 1) != 0)
        turns = 200; /* over the network */
    size_t start = pgas_heap_used();
    pgas_barrier();
    pgas_array_t numbers;
    pgas_lock_t lock;
    pgas_lock_t other;
    CHECK(pgas_array_create((size_t)pgas_threads(), sizeof(long), 1, &numbers) == PGAS_OK);
    CHECK(pgas_all_lock_alloc(&lock) == PGAS_OK);
    CHECK(pgas_all_lock_alloc(&other) == PGAS_OK);
    check_exclusion(lock, &numbers);
    check_attempt(lock);
    pgas_lock(other); /* another lock does not interfere */
    pgas_unlock(other);
    check_made_by_one(&numbers);
    check_on_used_memory();
    check_free_held();
    if (pgas_mythread() == pgas_threads() - 1) {
        pgas_lock_free(lock);
        pgas_lock_free(other);
    }
    pgas_array_free(&numbers);
    pgas_barrier();
    CHECK(pgas_heap_used() == start);
    pgas_finalize();
    return 0;
}
