#include "lock_home.h"

/*
 * What must not happen: a thread is in the queue, and the lock free, and nobody looks. Who queues
 * first raises `queued` and then tries to take the lock for the queue; who releases first stores 0
 * and then looks at `queued`. All of it is sequentially consistent: one of the two sees the other.
 * If the one who queues finds the lock held instead, that holder has yet to release it, and looks
 * at `queued` then.
 *
 * The same goes for threads of this node: each raises `locals` before its last look at the lock and
 * takes it down when it has it, so that one that is counted is going to try. While one is, a
 * release that leaves the lock free need not care for the queue: the next release will.
 */

static bool take_for(pgasi_lock_home_t *lock, uint32_t thread)
{
    uint32_t free = 0;
    return atomic_compare_exchange_strong(&lock->holder.event.value, &free, thread + 1);
}

bool pgasi_lock_home_attempt(pgasi_lock_home_t *lock, uint32_t thread)
{
    return take_for(lock, thread);
}

bool pgasi_lock_home_held_by(const pgasi_lock_home_t *lock, uint32_t thread)
{
    return atomic_load(&lock->holder.event.value) == thread + 1;
}

void pgasi_lock_home_wait(pgasi_lock_home_t *lock, uint32_t thread, pgasi_describe_t *describe)
{
    if (take_for(lock, thread))
        return;
    atomic_fetch_add(&lock->locals, 1);
    while (!take_for(lock, thread)) {
        uint32_t holder = atomic_load(&lock->holder.event.value);
        if (holder != 0)
            pgasi_event_wait(&lock->holder.event, holder, describe);
    }
    atomic_fetch_sub(&lock->locals, 1);
}

/* Takes the first out of the queue, which is not empty. The guard is held. */
static uint32_t pop(pgasi_lock_home_t *lock, const uint32_t *next)
{
    uint32_t first = lock->first;
    lock->first = next[first - 1];
    atomic_fetch_sub(&lock->queued, 1);
    return first;
}

/* Takes the lock for the first in the queue, if both are there. The guard is held. */
static uint32_t take_for_queue(pgasi_lock_home_t *lock, const uint32_t *next)
{
    if (lock->first == 0 || !take_for(lock, lock->first - 1))
        return 0;
    lock->local_turn = 1;
    return pop(lock, next);
}

uint32_t pgasi_lock_home_queue(pgasi_lock_home_t *lock, uint32_t *next, uint32_t thread)
{
    pgasi_guard_lock(&lock->guard);
    next[thread] = 0;
    if (lock->first == 0)
        lock->first = thread + 1;
    else
        next[lock->last - 1] = thread + 1;
    lock->last = thread + 1;
    atomic_fetch_add(&lock->queued, 1);
    uint32_t granted = take_for_queue(lock, next);
    pgasi_guard_unlock(&lock->guard);
    return granted;
}

/* The holder changes from one to the next; who waits on the word goes on waiting. */
static uint32_t hand_over(pgasi_lock_home_t *lock, const uint32_t *next)
{
    pgasi_guard_lock(&lock->guard);
    lock->local_turn = 1;
    uint32_t granted = pop(lock, next);
    atomic_store(&lock->holder.event.value, granted);
    pgasi_guard_unlock(&lock->guard);
    return granted;
}

uint32_t pgasi_lock_home_release(pgasi_lock_home_t *lock, uint32_t *next)
{
    bool locals_first = lock->local_turn != 0 && atomic_load(&lock->locals) > 0;
    if (!locals_first && atomic_load(&lock->queued) > 0)
        return hand_over(lock, next);
    lock->local_turn = 0;
    pgasi_mutex_unlock(&lock->holder);
    if (locals_first || atomic_load(&lock->queued) == 0)
        return 0;
    pgasi_guard_lock(&lock->guard);
    uint32_t granted = take_for_queue(lock, next);
    pgasi_guard_unlock(&lock->guard);
    return granted;
}
