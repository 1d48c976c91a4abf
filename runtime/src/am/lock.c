#include "am/lock.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <pgas/am.h>
#include <pgas/detail.h>

#include "base/self.h"

/*
 * A mutex of two words and a futex: 0 free, 1 held, 2 held and others may sleep. The OS thread that
 * holds it knows it by the list of what it holds, last first, so the order of unlocking costs no
 * search.
 */
typedef struct lock {
    _Atomic uint32_t word;
    /* The locker's: the lock that it has taken before this one. */
    struct lock *before;
} lock_t;

_Static_assert(sizeof(lock_t) <= sizeof(pgas_am_lock_t), "it fits");

enum {
    FREE,
    HELD,
    CONTENDED,
    SPINS = 100
};

static _Thread_local lock_t *last __attribute__((tls_model("initial-exec")));
static _Thread_local unsigned held __attribute__((tls_model("initial-exec")));
static _Thread_local bool is_uninterrupted __attribute__((tls_model("initial-exec")));

static lock_t *lock_of(pgas_am_lock_t *lock)
{
    return (lock_t *)(void *)lock->state;
}

unsigned pgasi_am_locks_held(void)
{
    return held;
}

void pgas_am_lock_init(pgas_am_lock_t *lock)
{
    lock_t *own = lock_of(lock);
    atomic_store(&own->word, FREE);
    own->before = NULL;
}

static bool is_mine(const lock_t *lock)
{
    for (const lock_t *mine = last; mine != NULL; mine = mine->before)
        if (mine == lock)
            return true;
    return false;
}

void pgas_am_lock_destroy(pgas_am_lock_t *lock)
{
    if (atomic_load(&lock_of(lock)->word) != FREE)
        pgasi_fatal(__func__, "the lock is held");
}

/* Where handlers cannot run: in this OS thread, until the last of its locks is free. */
static void restrict_calls(void)
{
    if (pgasi_restriction != PGASI_IN_HANDLER)
        pgasi_restriction = held > 0                   ? PGASI_HOLDS_LOCK
                            : is_uninterrupted         ? PGASI_UNINTERRUPTED
                            : pgasi_self_is_attached() ? PGASI_UNRESTRICTED
                                                       : PGASI_UNATTACHED;
}

static void note_locked(lock_t *lock)
{
    lock->before = last;
    last = lock;
    held++;
    restrict_calls();
}

static bool try(lock_t *lock)
{
    uint32_t expected = FREE;
    return atomic_compare_exchange_strong_explicit(&lock->word, &expected, HELD,
                                                   memory_order_acquire, memory_order_relaxed);
}

static void lock_contended(lock_t *lock)
{
    for (unsigned i = 0; i < SPINS; i++) {
        if (atomic_load_explicit(&lock->word, memory_order_relaxed) == FREE && try(lock))
            return;
        if (i % 10 == 9)
            sched_yield();
    }
    while (atomic_exchange_explicit(&lock->word, CONTENDED, memory_order_acquire) != FREE)
        syscall(SYS_futex, &lock->word, FUTEX_WAIT_PRIVATE, CONTENDED, NULL, NULL, 0);
}

void pgas_am_lock(pgas_am_lock_t *lock)
{
    lock_t *wanted = lock_of(lock);
    if (!try(wanted)) {
        if (is_mine(wanted))
            pgasi_fatal(__func__, "this thread holds the lock already");
        lock_contended(wanted);
    }
    note_locked(wanted);
}

bool pgas_am_trylock(pgas_am_lock_t *lock)
{
    lock_t *wanted = lock_of(lock);
    if (try(wanted)) {
        note_locked(wanted);
        return true;
    }
    if (is_mine(wanted))
        pgasi_fatal(__func__, "this thread holds the lock already");
    return false;
}

void pgas_am_unlock(pgas_am_lock_t *lock)
{
    lock_t *own = lock_of(lock);
    if (own != last)
        pgasi_fatal(__func__, is_mine(own) ? "another lock has been taken after this one, and is "
                                             "held still"
                                           : "this thread does not hold the lock");
    last = own->before;
    held--;
    restrict_calls();
    if (atomic_exchange_explicit(&own->word, FREE, memory_order_release) == CONTENDED)
        syscall(SYS_futex, &own->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void pgas_am_hold_interrupts(void)
{
    if (pgasi_restriction == PGASI_IN_HANDLER || held > 0)
        return;
    if (is_uninterrupted)
        pgasi_fatal(__func__, "this thread is in a no-interrupt section already");
    is_uninterrupted = true;
    restrict_calls();
}

void pgas_am_resume_interrupts(void)
{
    if (pgasi_restriction == PGASI_IN_HANDLER || held > 0)
        return;
    if (!is_uninterrupted)
        pgasi_fatal(__func__, "this thread is in no no-interrupt section");
    is_uninterrupted = false;
    restrict_calls();
}
