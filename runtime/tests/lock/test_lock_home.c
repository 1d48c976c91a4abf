/**
 * A lock at its home: threads of the node and of other nodes at once, without a network. POSIX
 * threads stand for both; they wait for notifications without sleeping.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lock/lock_home.h"

enum {
    MOST_THREADS = 8,
    TURNS = 5000,
    ROUNDS = 400
};

static _Atomic uint32_t next[MOST_THREADS];
/* Notifications from home to check the lock, and to another node that its thread has the lock. */
static pgasi_event_t look[MOST_THREADS];
static pgasi_event_t granted[MOST_THREADS];
static _Atomic uint32_t failures;
static unsigned near_count;

/* One job of several threads. */
typedef struct job {
    pgasi_lock_home_t *lock;
    unsigned threads;
    int turns;
    /* Protected by the lock. */
    long number;
    long twice;
    unsigned users;
} job_t;

typedef struct worker {
    job_t *job;
    uint32_t me;
} worker_t;

static bool is_far(uint32_t thread)
{
    return thread >= near_count;
}

static void tell(uint32_t thread)
{
    if (thread == 0)
        return;
    sched_yield();
    atomic_fetch_add(is_far(thread - 1) ? &granted[thread - 1].value : &look[thread - 1].value, 1);
}

/* Stands in for waiting. */
void pgasi_event_wait(pgasi_event_t *event, uint32_t old, pgasi_describe_t *describe)
{
    (void)describe;
    while (atomic_load(&event->value) == old)
        sched_yield();
}

static void take_far(pgasi_lock_home_t *lock, uint32_t me)
{
    uint32_t before = atomic_load(&granted[me].value);
    if (!pgasi_lock_home_take(lock, next, me, true))
        pgasi_event_wait(&granted[me], before, NULL);
}

static void take(pgasi_lock_home_t *lock, uint32_t me)
{
    if (is_far(me))
        take_far(lock, me);
    else
        pgasi_lock_home_wait(lock, next, me, &look[me], NULL);
}

static void release(pgasi_lock_home_t *lock, uint32_t me)
{
    tell(pgasi_lock_home_release(lock, next, me));
}

/* The last thread to use the lock frees it, while those that have just released it are still
 * returning. */
static void *take_turns(void *argument)
{
    job_t *job = ((const worker_t *)argument)->job;
    uint32_t me = ((const worker_t *)argument)->me;
    for (int turn = 0; turn < job->turns; turn++) {
        take(job->lock, me);
        /* First what the lock protects: no other access to the lock comes before it. */
        bool is_torn = job->twice != 2 * job->number;
        job->number++;
        if (turn % 8 == 7)
            sched_yield();
        job->twice += 2;
        if (is_torn || !pgasi_lock_home_held_by(job->lock, me) ||
            pgasi_lock_home_attempt(job->lock, me))
            atomic_fetch_add(&failures, 1);
        bool is_last = --job->users == 0;
        release(job->lock, me);
        if (is_last) {
            memset(job->lock, 0xff, sizeof *job->lock);
            free(job->lock);
            return NULL;
        }
    }
    return NULL;
}

static void run(unsigned near, unsigned count, int turns)
{
    pthread_t threads[MOST_THREADS];
    worker_t workers[MOST_THREADS];
    job_t job = {.lock = calloc(1, sizeof *job.lock),
                 .threads = count,
                 .turns = turns,
                 .users = count * (unsigned)turns};
    assert_non_null(job.lock);
    near_count = near;
    for (uint32_t i = 0; i < count; i++) {
        workers[i] = (worker_t){&job, i};
        assert_int_equal(pthread_create(&threads[i], NULL, take_turns, &workers[i]), 0);
    }
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(failures, 0);
    assert_int_equal(job.number, (long)count * turns);
}

static void test_exclusion(void **state)
{
    (void)state;
    run(1, 2, TURNS);
    run(3, 3, TURNS);
    run(0, 3, TURNS);
    run(2, 4, TURNS);
    run(4, 8, TURNS);
    run(8, 8, TURNS);
}

/* Few rounds each, so that the lock is freed as often as possible. */
static void test_freed(void **state)
{
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++)
        run(round % 5, 2 + round % 3, 1 + (int)round % 3);
}

/* Threads of other nodes get the lock in the order of their requests. */
static void test_order(void **state)
{
    (void)state;
    pgasi_lock_home_t lock = {.word = 0};
    assert_true(pgasi_lock_home_attempt(&lock, 0));
    assert_false(pgasi_lock_home_is_wanted(&lock));
    assert_false(pgasi_lock_home_take(&lock, next, 5, true));
    assert_false(pgasi_lock_home_take(&lock, next, 7, true));
    assert_false(pgasi_lock_home_take(&lock, next, 6, true));
    assert_true(pgasi_lock_home_is_wanted(&lock));
    assert_false(pgasi_lock_home_attempt(&lock, 0));
    assert_int_equal(pgasi_lock_home_release(&lock, next, 0), 6);
    assert_true(pgasi_lock_home_held_by(&lock, 5));
    assert_false(pgasi_lock_home_take(&lock, next, 0, false));
    assert_int_equal(pgasi_lock_home_release(&lock, next, 5), 8);
    assert_int_equal(pgasi_lock_home_release(&lock, next, 7), 7);
    assert_true(pgasi_lock_home_held_by(&lock, 6));
    assert_false(pgasi_lock_home_enter(&lock, next, 0));
    assert_int_equal(pgasi_lock_home_release(&lock, next, 6), 1);
    assert_true(pgasi_lock_home_enter(&lock, next, 0));
    assert_false(pgasi_lock_home_is_wanted(&lock));
    assert_int_equal(pgasi_lock_home_release(&lock, next, 0), 0);
    assert_true(pgasi_lock_home_take(&lock, next, 3, true));
    /* Threads of this node enter in that order too, whichever thread was notified. */
    assert_false(pgasi_lock_home_take(&lock, next, 1, false));
    assert_false(pgasi_lock_home_take(&lock, next, 0, false));
    assert_int_equal(pgasi_lock_home_release(&lock, next, 3), 2);
    assert_false(pgasi_lock_home_enter(&lock, next, 0));
    assert_true(pgasi_lock_home_enter(&lock, next, 1));
}

/* The first waiting thread, one of this node, may be passed PGAS_LOCK_PASSES times by a thread that
 * comes again and again; then the lock is handed to it. The same holds for the next one. */
static void test_passes(void **state)
{
    (void)state;
    pgasi_lock_home_t lock = {.word = 0};
    assert_true(pgasi_lock_home_attempt(&lock, 0));
    assert_false(pgasi_lock_home_take(&lock, next, 1, false));
    assert_false(pgasi_lock_home_take(&lock, next, 2, false));
    for (uint32_t first = 1; first <= 2; first++) {
        /* Thread 1 has passed thread 2 by releasing. */
        for (int pass = first == 1 ? 0 : 1; pass < PGAS_LOCK_PASSES; pass++) {
            assert_int_equal(pgasi_lock_home_release(&lock, next, 0), first + 1);
            if (pass % 2 == 0)
                assert_true(pgasi_lock_home_attempt(&lock, 0));
            else
                assert_true(pgasi_lock_home_take(&lock, next, 0, false));
            assert_false(pgasi_lock_home_enter(&lock, next, first));
        }
        assert_int_equal(pgasi_lock_home_release(&lock, next, 0), first + 1);
        assert_false(pgasi_lock_home_attempt(&lock, 0));
        assert_true(pgasi_lock_home_enter(&lock, next, first));
        assert_int_equal(pgasi_lock_home_release(&lock, next, first), first == 1 ? 3 : 0);
        assert_true(pgasi_lock_home_attempt(&lock, 0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_passes),
        cmocka_unit_test(test_exclusion),
        cmocka_unit_test(test_freed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
