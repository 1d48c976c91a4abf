/**
 * Locks that are created and freed, and many at once: the last thread to use a lock frees it while
 * others are still returning from pgas_unlock, and its memory is reused at once.
 */
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "check.h"
#include "job_random.h"

enum {
    /* At least the size of a lock. */
    LOCK_SIZE = 64,
    HOLD_MICROSECONDS = 300,
    SOMEWHAT_NICE = 5,
    LOCKS = 5
};

static size_t threads;
static size_t me;

/* On thread 0: the number of threads that have yet to use the lock of this round, and the lock. */
typedef struct shared {
    pgas_array_t users;
    pgas_array_t lock;
} shared_t;

static void make_shared(shared_t *shared)
{
    CHECK(pgas_array_create(1, sizeof(long), 1, &shared->users) == PGAS_OK);
    CHECK(pgas_array_create(1, sizeof(pgas_lock_t), 1, &shared->lock) == PGAS_OK);
}

static void free_shared(shared_t *shared)
{
    pgas_array_free(&shared->users);
    pgas_array_free(&shared->lock);
}

/* The contents of the memory after the lock: ones, or random. The same for all threads. */
static void make_contents(unsigned char *bytes, int round, uint64_t random)
{
    for (size_t i = 0; i < LOCK_SIZE; i++)
        bytes[i] = round % 2 == 0 ? 0xff : (unsigned char)random_next(&random);
}

/* All threads run on one core, and one of them has priority: when it is woken there, it runs before
 * the thread that woke it. */
static void gather(void)
{
    cpu_set_t cores;
    size_t first = 0;
    CHECK(sched_getaffinity(0, sizeof cores, &cores) == 0);
    while (!CPU_ISSET(first, &cores))
        first++;
    CPU_ZERO(&cores);
    CPU_SET(first, &cores);
    CHECK(sched_setaffinity(0, sizeof cores, &cores) == 0);
    CHECK(setpriority(PRIO_PROCESS, 0, me == 0 ? 0 : SOMEWHAT_NICE) == 0);
}

/* Counts down, and returns true on the last thread, which releases the lock too if it `releases`.
 * In some rounds the lock is held for so long that the others sleep when it is released. */
static bool use(pgas_lock_t lock, const shared_t *shared, int round, bool releases)
{
    pgas_lock(lock);
    long left = PGAS_GET(long, &shared->users, 0) - 1;
    PGAS_PUT(long, &shared->users, 0, left);
    if (left > 0 && round % 4 < 2)
        usleep(HOLD_MICROSECONDS);
    if (left > 0 || releases)
        pgas_unlock(lock);
    return left == 0;
}

static void check_contents(pgas_ptr_t place, const unsigned char *expected)
{
    unsigned char bytes[LOCK_SIZE];
    pgas_memget(bytes, place, sizeof bytes);
    CHECK(memcmp(bytes, expected, sizeof bytes) == 0);
}

/* The lock of all: really freed, and its memory allocated for something else. */
static void check_freed(const shared_t *shared, int round, uint64_t random)
{
    unsigned char contents[LOCK_SIZE];
    pgas_lock_t lock;
    make_contents(contents, round, random);
    if (me == 0)
        PGAS_PUT(long, &shared->users, 0, (long)threads);
    CHECK(pgas_all_lock_alloc(&lock) == PGAS_OK);
    if (use(lock, shared, round, true)) {
        pgas_lock_free(lock);
        pgas_ptr_t place;
        CHECK(pgas_global_alloc(1, LOCK_SIZE, &place) == PGAS_OK);
        CHECK(pgas_ptr_equal(place, lock.state));
        pgas_memput(place, contents, sizeof contents);
    }
    pgas_barrier();
    check_contents(lock.state, contents);
    pgas_barrier();
    if (me == 0)
        pgas_free(lock.state);
}

/* A lock created by one thread: the last thread, which holds it, overwrites it, wherever it is. */
static void check_overwritten(const shared_t *shared, int round, uint64_t random)
{
    static const unsigned char nothing[LOCK_SIZE];
    unsigned char contents[LOCK_SIZE];
    make_contents(contents, round, random);
    if (me == (size_t)round % threads) {
        pgas_lock_t made;
        CHECK(pgas_global_lock_alloc(&made) == PGAS_OK);
        PGAS_PUT(pgas_lock_t, &shared->lock, 0, made);
        PGAS_PUT(long, &shared->users, 0, (long)threads);
    }
    pgas_barrier();
    pgas_lock_t lock = PGAS_GET(pgas_lock_t, &shared->lock, 0);
    if (use(lock, shared, round, false))
        pgas_memput(lock.state, contents, sizeof contents);
    pgas_barrier();
    check_contents(lock.state, contents);
    pgas_barrier();
    if (me == (size_t)(round + 1) % threads) {
        pgas_memput(lock.state, nothing, sizeof nothing);
        pgas_lock_free(lock);
    }
}

/* A number that a lock protects, stored twice. */
typedef struct counted {
    long number;
    long twice;
} counted_t;

static void acquire(pgas_lock_t lock, uint64_t *random)
{
    if (random_below(random, 3) > 0)
        pgas_lock(lock);
    else
        while (!pgas_lock_attempt(lock))
            pgas_fence();
}

static void count_up(const pgas_array_t *numbers, size_t at)
{
    counted_t counted = PGAS_GET(counted_t, numbers, at);
    CHECK(counted.twice == 2 * counted.number);
    PGAS_PUT(counted_t, numbers, at, ((counted_t){counted.number + 1, counted.twice}));
    counted.number++;
    PGAS_PUT(counted_t, numbers, at, ((counted_t){counted.number, 2 * counted.number}));
}

/* Acquires one or two locks at a time, out of all. */
static void take_some(const pgas_lock_t *locks, const pgas_array_t *numbers, size_t *uses,
                      uint64_t *random)
{
    size_t first = random_below(random, LOCKS);
    size_t second = random_below(random, LOCKS);
    if (second < first) { /* in one order, or threads would wait for each other */
        size_t other = first;
        first = second;
        second = other;
    }
    acquire(locks[first], random);
    if (second != first)
        acquire(locks[second], random);
    count_up(numbers, first);
    uses[first]++;
    if (second == first) {
        pgas_unlock(locks[first]);
        return;
    }
    count_up(numbers, second);
    uses[second]++;
    bool is_first_first = random_below(random, 2) == 0;
    pgas_unlock(locks[is_first_first ? first : second]);
    pgas_unlock(locks[is_first_first ? second : first]);
}

static void make_locks(const shared_t *shared, pgas_lock_t *locks)
{
    for (size_t i = 0; i < LOCKS; i++) {
        if (i == 0) {
            CHECK(pgas_all_lock_alloc(&locks[i]) == PGAS_OK);
            continue;
        }
        if (me == i % threads) {
            CHECK(pgas_global_lock_alloc(&locks[i]) == PGAS_OK);
            PGAS_PUT(pgas_lock_t, &shared->lock, 0, locks[i]);
        }
        pgas_barrier();
        locks[i] = PGAS_GET(pgas_lock_t, &shared->lock, 0);
        pgas_barrier();
    }
}

static void check_many(const shared_t *shared, uint64_t random, int turns)
{
    pgas_lock_t locks[LOCKS];
    pgas_array_t numbers;
    pgas_array_t sums;
    size_t uses[LOCKS] = {0};
    CHECK(pgas_array_create(LOCKS, sizeof(counted_t), 1, &numbers) == PGAS_OK);
    CHECK(pgas_array_create(LOCKS * threads, sizeof(size_t), LOCKS, &sums) == PGAS_OK);
    counted_t zero = {0, 0};
    for (size_t i = 0; i < LOCKS && me == 0; i++)
        PGAS_PUT(counted_t, &numbers, i, zero);
    make_locks(shared, locks);
    for (int turn = 0; turn < turns; turn++)
        take_some(locks, &numbers, uses, &random);
    pgas_memput(pgas_array_at(&sums, me * LOCKS), uses, sizeof uses);
    pgas_barrier();
    for (size_t i = 0; i < LOCKS; i++) {
        size_t sum = 0;
        for (size_t thread = 0; thread < threads; thread++)
            sum += PGAS_GET(size_t, &sums, thread * LOCKS + i);
        CHECK(PGAS_GET(counted_t, &numbers, i).number == (long)sum);
        if (me == (i + 1) % threads)
            pgas_lock_free(locks[i]);
    }
    pgas_array_free(&sums);
    pgas_array_free(&numbers);
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    threads = (size_t)pgas_threads();
    me = (size_t)pgas_mythread();
    uint64_t seed = random_seed_of_job();
    shared_t shared;
    pgas_barrier();
    size_t used = pgas_heap_used();
    pgas_barrier();
    make_shared(&shared);
    bool is_one_node = pgas_node_of(pgas_threads() - 1) == 0;
    int rounds = is_one_node ? 400 : 480 / pgas_threads(); /* over the network */
    for (int round = 0; round < rounds; round++) {
        if (round == rounds / 2)
            gather();
        check_freed(&shared, round, random_next(&seed));
        check_overwritten(&shared, round, random_next(&seed));
    }
    check_many(&shared, random_seed_of_thread(seed), is_one_node ? 5000 : 100);
    free_shared(&shared);
    pgas_barrier();
    CHECK(pgas_heap_used() == used);
    pgas_finalize();
    return 0;
}
