#include "lock/lock_home.h"

#include "shm/guard.h"

/*
 * One word decides everything: the holder (0: none), Q (the queue is not empty) and G (a thread
 * changes the queue). H is a holder, W a thread that waits, X any thread that does not. These are
 * all the changes of the word; an exchange happens only if the word is what it starts from, and
 * acquires or releases as noted.
 *
 *   take    0 -> X, Q -> X Q           exchange, acquires
 *   leave   H -> 0                     exchange, releases
 *   guard   H -> H G, H Q -> H Q G     exchange, acquires: by X, to queue; the second by H too
 *   queue   H G -> H Q, H Q G -> H Q   store, releases: X has become the last in the queue
 *   pass    H Q G -> Q                 store, releases: by H
 *   hand    H Q G -> W or W Q          store, releases: by H; W has been the first in the queue
 *   enter   Q -> W Q G                 exchange, acquires: by W, the first in the queue
 *   settle  W Q G -> W or W Q          store, releases: by W, which has left the queue
 *
 * What holds:
 *
 *   1. One holder. A thread becomes the holder by an exchange from a word without one, or from the
 *      hands of the holder. Only the holder, or its home on its behalf, ends that.
 *   2. A thread that has set G has the queue to itself until it stores a word without G, since all
 *      changes but its own store start from a word without. G is set only with a holder in the
 *      word. The store releases the changes of the queue, and the next G acquires them.
 *   3. Q is set exactly if the queue is not empty. So H cannot leave by the exchange to 0 while a
 *      thread waits; it passes or hands over.
 *   4. A thread that is handed the lock, or enters, is the first in the queue. It is passed at most
 *      PGAS_LOCK_PASSES times from when it became the first: each pass lets the lock be taken once
 *      at most. Passes are counted under G, from 0 whenever the first leaves the queue.
 *   5. No thread waits in vain. If there is a holder, it will release the lock and notify the first
 *      in the queue after its store. If there is none, the last holder has passed the first, W, and
 *      has notified it or will. W then checks the lock: it finds the lock free, and enters; or
 * finds another holder, to which the same applies; or finds that it holds the lock itself. W reads
 *      its event before it checks, so a notification after the check makes it check again.
 *      A thread of another node is never passed, and notified exactly once, when it has the lock.
 *   6. No thread touches the lock's memory without a right to. A thread that holds the lock and
 *      knows that no other wants it may free it. H's last access is the one by which it stops being
 *      the holder, `leave`, `pass` or `hand`: the notification that follows touches only W's own
 *      memory. Every other access is by a thread that wants the lock, so nobody may free it before
 *      that thread has had it. Nobody sleeps on the lock's memory, so no thread need be woken
 * there: threads sleep on events of their own (wait.h), which are never freed, and whose waits
 * allow spurious wake-ups.
 *
 * Orders that look dangerous:
 *
 *   - H releases while X has set G, to be the first to wait, but has not queued yet: H can neither
 *     leave, from H, nor guard, from H Q, until X has stored H Q; then it sees X.
 *   - X sets G when H has just released: X's exchange starts from a word with H in it. It fails; or
 *     H is the holder once more, and then X may well queue: nothing that it read before counts.
 *   - W is notified late: H has passed W but not notified it yet; W, notified before, enters,
 *     releases, and waits for a lock again, this one or another, when H's notification comes. The
 *     check that follows is harmless: W is not the first in the queue; or it is, and may check at
 *     any time. That is why W reads `first`, which is reliable for W: only W, or a thread that
 * hands W the lock, changes it then. It is also why notifications from home and from other nodes
 * use different events (lock.c): the latter mean that the thread has the lock.
 *   - H hands over to W, which was notified before and checks just then: W finds itself the holder
 *     before H has notified it. W may even free the lock then: H's last access was the store that W
 *     has seen. That is why the check acquires.
 *   - W is notified and queues for a lock before H has finished notifying: its link is in use
 * again. H has read the link before its store, under G.
 */

#define FLAGS (PGASI_LOCK_QUEUED | PGASI_LOCK_GUARDED)

static bool exchange(pgasi_lock_home_t *lock, uint32_t from, uint32_t to, memory_order order)
{
    return atomic_compare_exchange_strong_explicit(&lock->word, &from, to, order,
                                                   memory_order_relaxed);
}

bool pgasi_lock_home_attempt(pgasi_lock_home_t *lock, uint32_t thread)
{
    uint32_t holder = thread + 1;
    return exchange(lock, 0, holder, memory_order_acquire) ||
           exchange(lock, PGASI_LOCK_QUEUED, holder | PGASI_LOCK_QUEUED, memory_order_acquire);
}

uint32_t pgasi_lock_home_holder(const pgasi_lock_home_t *lock)
{
    return atomic_load_explicit(&lock->word, memory_order_acquire) & ~FLAGS;
}

bool pgasi_lock_home_held_by(const pgasi_lock_home_t *lock, uint32_t thread)
{
    return pgasi_lock_home_holder(lock) == thread + 1;
}

bool pgasi_lock_home_is_wanted(const pgasi_lock_home_t *lock)
{
    return (atomic_load_explicit(&lock->word, memory_order_relaxed) & FLAGS) != 0;
}

static uint32_t thread_of(uint32_t waiting)
{
    return (waiting & ~PGASI_LOCK_REMOTE) - 1;
}

static void set_first(pgasi_lock_home_t *lock, uint32_t waiting)
{
    atomic_store_explicit(&lock->first, waiting, memory_order_relaxed);
    lock->passes = 0;
}

/* Links are atomic for ThreadSanitizer, which does not see that accesses to one are ordered through
 * another process. */
static void set_link(_Atomic uint32_t *next, uint32_t of, uint32_t waiting)
{
    atomic_store_explicit(&next[thread_of(of)], waiting, memory_order_relaxed);
}

/* Appends to the guarded queue. */
static void append(pgasi_lock_home_t *lock, _Atomic uint32_t *next, uint32_t waiting, bool is_first)
{
    set_link(next, waiting, 0);
    if (is_first)
        set_first(lock, waiting);
    else
        set_link(next, lock->last, waiting);
    lock->last = waiting;
}

bool pgasi_lock_home_take(pgasi_lock_home_t *lock, _Atomic uint32_t *next, uint32_t thread,
                          bool is_remote)
{
    for (unsigned turn = 1; !pgasi_lock_home_attempt(lock, thread); turn++) {
        uint32_t word = atomic_load_explicit(&lock->word, memory_order_relaxed);
        uint32_t held = word & ~PGASI_LOCK_GUARDED;
        bool is_held = (held & ~PGASI_LOCK_QUEUED) != 0;
        if (is_held && exchange(lock, held, held | PGASI_LOCK_GUARDED, memory_order_acquire)) {
            append(lock, next, (thread + 1) | (is_remote ? PGASI_LOCK_REMOTE : 0),
                   (held & PGASI_LOCK_QUEUED) == 0);
            atomic_store_explicit(&lock->word, held | PGASI_LOCK_QUEUED, memory_order_release);
            return false;
        }
        pgasi_guard_pause(turn);
    }
    return true;
}

/* Removes the first thread from the guarded queue and makes it the holder. */
static void hand_to_first(pgasi_lock_home_t *lock, const _Atomic uint32_t *next, uint32_t thread)
{
    uint32_t second = atomic_load_explicit(&next[thread], memory_order_relaxed);
    set_first(lock, second);
    atomic_store_explicit(&lock->word, (thread + 1) | (second != 0 ? PGASI_LOCK_QUEUED : 0),
                          memory_order_release);
}

bool pgasi_lock_home_enter(pgasi_lock_home_t *lock, const _Atomic uint32_t *next, uint32_t thread)
{
    uint32_t holder = thread + 1;
    if (pgasi_lock_home_held_by(lock, thread))
        return true;
    if (atomic_load_explicit(&lock->first, memory_order_relaxed) != holder ||
        !exchange(lock, PGASI_LOCK_QUEUED, holder | FLAGS, memory_order_acquire))
        return false;
    hand_to_first(lock, next, thread);
    return true;
}

/* The event is read before the lock is checked: a notification after that check counts. */
void pgasi_lock_home_wait(pgasi_lock_home_t *lock, _Atomic uint32_t *next, uint32_t thread,
                          pgasi_event_t *look, pgasi_describe_t *describe)
{
    uint32_t before = atomic_load_explicit(&look->value, memory_order_acquire);
    bool taken = pgasi_lock_home_take(lock, next, thread, false);
    while (!taken) {
        pgasi_event_wait(look, before, describe);
        before = atomic_load_explicit(&look->value, memory_order_acquire);
        taken = pgasi_lock_home_enter(lock, next, thread);
    }
}

/* Releases a lock whose queue is guarded. */
static uint32_t pass_or_hand_over(pgasi_lock_home_t *lock, const _Atomic uint32_t *next)
{
    uint32_t first = atomic_load_explicit(&lock->first, memory_order_relaxed);
    bool is_remote = (first & PGASI_LOCK_REMOTE) != 0;
    if (is_remote || lock->passes == PGAS_LOCK_PASSES) {
        hand_to_first(lock, next, thread_of(first));
    } else {
        lock->passes++;
        atomic_store_explicit(&lock->word, PGASI_LOCK_QUEUED, memory_order_release);
    }
    return thread_of(first) + 1;
}

uint32_t pgasi_lock_home_release(pgasi_lock_home_t *lock, const _Atomic uint32_t *next,
                                 uint32_t thread)
{
    uint32_t alone = thread + 1;
    uint32_t wanted = alone | PGASI_LOCK_QUEUED;
    for (unsigned turn = 1; !exchange(lock, alone, 0, memory_order_release); turn++) {
        if (exchange(lock, wanted, wanted | PGASI_LOCK_GUARDED, memory_order_acquire))
            return pass_or_hand_over(lock, next);
        pgasi_guard_pause(turn);
    }
    return 0;
}
