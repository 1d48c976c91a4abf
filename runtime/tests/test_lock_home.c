/**
 * A lock at its home: threads of the node and of others at once, without a network. POSIX threads
 * stand for both; a handed-over lock is told by a flag.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../src/lock_home.h"

enum {
    MOST_THREADS = 8,
    TURNS = 5000
};

/* Stand in for waiting. */
void pgasi_event_wait(pgasi_event_t *event, uint32_t old, pgasi_describe_t *describe)
{
    (void)describe;
    while (atomic_load(&event->value) == old)
        sched_yield();
}

void pgasi_mutex_unlock(pgasi_mutex_t *mutex)
{
    atomic_store(&mutex->event.value, 0);
}

static pgasi_lock_home_t lock;
static uint32_t next[MOST_THREADS];
static _Atomic uint32_t told[MOST_THREADS];
static unsigned locals;
static long number;
static long twice;
static _Atomic uint32_t failures;

static void tell(uint32_t thread)
{
    if (thread != 0)
        atomic_fetch_add(&told[thread - 1], 1);
}

static void take_far(uint32_t me)
{
    uint32_t before = atomic_load(&told[me]);
    if (pgasi_lock_home_attempt(&lock, me))
        return;
    uint32_t thread = pgasi_lock_home_queue(&lock, next, me);
    if (thread == me + 1)
        return;
    tell(thread);
    while (atomic_load(&told[me]) == before)
        sched_yield();
}

static void *take_turns(void *argument)
{
    uint32_t me = (uint32_t)(uintptr_t)argument;
    for (int turn = 0; turn < TURNS; turn++) {
        if (me < locals)
            pgasi_lock_home_wait(&lock, me, NULL);
        else
            take_far(me);
        if (!pgasi_lock_home_held_by(&lock, me) || pgasi_lock_home_attempt(&lock, me) ||
            twice != 2 * number)
            atomic_fetch_add(&failures, 1);
        number++;
        if (turn % 8 == 0)
            sched_yield();
        twice += 2;
        tell(pgasi_lock_home_release(&lock, next));
    }
    return NULL;
}

static void run(unsigned local_count, unsigned count)
{
    pthread_t threads[MOST_THREADS];
    memset(&lock, 0, sizeof lock);
    locals = local_count;
    number = twice = 0;
    for (uintptr_t i = 0; i < count; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_turns, (void *)i), 0);
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(failures, 0);
    assert_int_equal(number, (long)count * TURNS);
    assert_int_equal(lock.holder.event.value, 0);
    assert_int_equal(lock.queued, 0);
    assert_int_equal(lock.locals, 0);
    assert_int_equal(lock.first, 0);
}

static void test_exclusion(void **state)
{
    (void)state;
    run(1, 2);
    run(3, 3);
    run(0, 3);
    run(2, 4);
    run(4, 8);
}

/* In the order of asking, and the home's threads in between. */
static void test_turns(void **state)
{
    (void)state;
    memset(&lock, 0, sizeof lock);
    assert_true(pgasi_lock_home_attempt(&lock, 0));
    assert_int_equal(pgasi_lock_home_queue(&lock, next, 5), 0);
    assert_int_equal(pgasi_lock_home_queue(&lock, next, 6), 0);
    lock.locals = 1; /* thread 1 waits */
    assert_int_equal(pgasi_lock_home_release(&lock, next), 6);
    assert_true(pgasi_lock_home_held_by(&lock, 5));
    assert_int_equal(pgasi_lock_home_release(&lock, next), 0);
    assert_true(pgasi_lock_home_attempt(&lock, 1));
    assert_int_equal(pgasi_lock_home_release(&lock, next), 7);
    lock.locals = 0;
    assert_int_equal(pgasi_lock_home_queue(&lock, next, 5), 0);
    assert_int_equal(pgasi_lock_home_release(&lock, next), 6);
    assert_int_equal(pgasi_lock_home_release(&lock, next), 0);
    assert_int_equal(pgasi_lock_home_queue(&lock, next, 3), 4);
    assert_true(pgasi_lock_home_held_by(&lock, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_exclusion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
