/**
 * Releases of locks between nodes, which nobody waits for. Thread 0 has the lock, or the last one
 * has; the other one of the two is on another node.
 *
 * Hostile orders:
 *   - the lock is freed, and its memory used again, by any thread that knows of a release that has
 *     not come: on the lock's node, on the releasing one, on a third, and by the releasing thread
 *     itself; while the lock's owner sleeps outside of the runtime;
 *   - the lock is freed while its release is under way, and later ones of the same thread, of other
 *     locks and through other connections, come before it;
 *   - the thread that has released the lock requests or tries it again, through another connection,
 *     and is there before its release;
 *   - the releasing thread sleeps outside of the runtime from then on, and the release did not fit
 *     into the socket;
 *   - the releasing thread finalizes, and its release has not come.
 */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "net/net.h"
#include "node/segment.h"
#include "pause.h"

enum {
    LOCK_SIZE = 64,
    FREEING_ROUNDS = 12,
    OVERTAKING_ROUNDS = 60,
    LATER_ROUNDS = 20,
    LATER_LOCKS = 5,
    SLEEPING_ROUNDS = 20,
    PUTS = 40,
    MOST_BYTES = 8000,
    LATE_US = 2000,
    FINALIZE_US = 100000,
    MOST_SLEEPS = 1000,
    PATIENCE_S = 60,
    RELEASE = 5
};

static int me;
static int last;
static pgas_ptr_t room;
static pgas_ptr_t words;

/* A put that has arrived when this returns: a signal of a thread that sleeps then need not have
 * left (PGAS_PROGRESS=poll). */
static void tell(int thread, uint64_t value)
{
    pgas_fence(); /* what was done before, the release of the lock */
    PGAS_WRITE(uint64_t, pgas_ptr_on(words, thread), value);
}

static void be_told(uint64_t value)
{
    PGAS_WAIT_UNTIL(uint64_t, pgas_local(pgas_ptr_on(words, me)), PGAS_GE, value);
}

/* Thread 0 sleeps until a freer on its node is about to free, and a while longer. */
static void sleep_until_freed(uint64_t round, int freer)
{
    const uint64_t *begun = pgas_local(pgas_ptr_on(words, 0));
    bool will_tell = freer != 0 && pgas_node_of(freer) == 0;
    for (int i = 0; will_tell && i < MOST_SLEEPS; i++) {
        if (__atomic_load_n(begun, __ATOMIC_ACQUIRE) == round)
            break;
        sleep_microseconds(LATE_US);
    }
    sleep_microseconds(LATE_US);
}

/* A lock of thread 0, which the last one uses and `freer` frees. */
static void free_under_way(uint64_t round, int freer)
{
    unsigned char ones[LOCK_SIZE];
    unsigned char bytes[LOCK_SIZE];
    pgas_lock_t lock;
    memset(ones, 0xff, sizeof ones);
    CHECK(pgas_all_lock_alloc(&lock) == PGAS_OK);
    if (me == last)
        pgas_lock(lock);
    pgas_barrier();
    if (me == 0)
        sleep_until_freed(round, freer);
    if (me == last) {
        sleep_microseconds(LATE_US); /* thread 0 has left the barrier, and sleeps */
        pgas_unlock(lock);
        if (freer != me)
            tell(freer, round);
    }
    if (me == freer) {
        if (freer != last)
            be_told(round);
        if (pgas_local(lock.state) != NULL)
            __atomic_store_n((uint64_t *)pgas_local(pgas_ptr_on(words, 0)), round,
                             __ATOMIC_RELEASE);
        pgas_lock_free(lock);
        pgas_ptr_t place;
        CHECK(pgas_global_alloc(1, LOCK_SIZE, &place) == PGAS_OK);
        CHECK(pgas_ptr_equal(place, lock.state));
        pgas_memput(place, ones, sizeof ones);
    }
    pgas_barrier();
    pgas_memget(bytes, lock.state, sizeof bytes);
    CHECK(memcmp(bytes, ones, sizeof bytes) == 0);
    pgas_barrier();
    if (me == freer)
        pgas_free(lock.state);
}

static pgasi_releases_t *releases_with(int other)
{
    size_t place = 0;
    while (me > (int)place && pgas_node_of(me - (int)place - 1) == pgas_node_of(me))
        place++;
    return &pgasi_node_memory.releases[place * (size_t)pgas_threads() + (size_t)other];
}

/* A release of a lock of thread 0 is counted as sent: how many were before. */
static uint64_t count_release(void)
{
    return atomic_fetch_add(&releases_with(0)->sent, 1);
}

static void send_release(pgas_lock_t lock, uint64_t number)
{
    const uint64_t release[] = {RELEASE, lock.state.offset, number};
    pgasi_net_send_direct(lock.state.thread, PGASI_SERVICE_LOCK, release, sizeof release);
}

/* What the attached thread does next; it is told, and tells when it has done so, by `turns`. */
static pgas_lock_t taken;
static bool is_late;
static uint64_t late_number;
static _Atomic int turns;

static void *release_beside(void *unused)
{
    CHECK(pgas_attach_thread() == PGAS_OK);
    for (int turn = 1; turn < 2 * OVERTAKING_ROUNDS; turn += 2) {
        while (atomic_load(&turns) < turn)
            pgas_poll();
        if (is_late) {
            sleep_microseconds(LATE_US / 2);
            send_release(taken, late_number);
        } else {
            pgas_unlock(taken);
        }
        atomic_store(&turns, turn + 1);
    }
    pgas_detach_thread();
    return unused;
}

static void await_turn(int turn)
{
    while (atomic_load(&turns) < turn)
        pgas_poll();
}

/* In every other round the release leaves when the request has come, or later. */
static void overtake(pgas_lock_t lock, int round)
{
    pgas_lock(lock);
    taken = lock;
    is_late = round % 2 == 0;
    if (is_late)
        late_number = count_release();
    atomic_fetch_add(&turns, 1);
    if (!is_late)
        await_turn(2 * round + 2);
    if (round % 4 < 2)
        pgas_lock(lock);
    else
        CHECK(pgas_lock_attempt(lock));
    await_turn(2 * round + 2);
    pgas_unlock(lock);
}

static void overtake_all(pgas_lock_t lock)
{
    pthread_t beside;
    CHECK(pgas_attach_thread() == PGAS_OK);
    CHECK(pthread_create(&beside, NULL, release_beside, NULL) == 0);
    for (int round = 0; round < OVERTAKING_ROUNDS; round++)
        overtake(lock, round);
    CHECK(pthread_join(beside, NULL) == 0);
    pgas_detach_thread();
}

/* Thread 0 frees the first lock as soon as its release is under way. The others' releases come
 * before it, in any order. */
static void free_behind_later(uint64_t round, const pgas_lock_t *locks)
{
    uint64_t numbers[LATER_LOCKS];
    if (me == last) {
        for (int i = 0; i < LATER_LOCKS; i++)
            pgas_lock(locks[i]);
        numbers[0] = count_release();
        tell(0, 2 * round);
        sleep_microseconds(LATE_US); /* thread 0 has asked how many releases are under way */
        for (int i = 1; i < LATER_LOCKS; i++)
            numbers[i] = count_release();
        const uint64_t step = round % 2 == 0 ? 1 : LATER_LOCKS - 2;
        for (uint64_t i = 0; i < LATER_LOCKS - 1; i++) {
            uint64_t which = 1 + (round / 2 + i * step) % (LATER_LOCKS - 1);
            send_release(locks[which], numbers[which]);
        }
        sleep_microseconds(LATE_US);
        tell(0, 2 * round + 1);
        send_release(locks[0], numbers[0]);
    } else if (me == 0) {
        const uint64_t *word = pgas_local(pgas_ptr_on(words, 0));
        be_told(2 * round);
        pgas_lock_free(locks[0]);
        CHECK(__atomic_load_n(word, __ATOMIC_ACQUIRE) == 2 * round + 1);
        for (int i = 1; i < LATER_LOCKS; i++)
            pgas_lock_free(locks[i]);
    }
}

static void free_all_behind_later(void)
{
    pgas_lock_t locks[LATER_LOCKS];
    for (uint64_t round = 1; round <= LATER_ROUNDS; round++) {
        for (int i = 0; i < LATER_LOCKS; i++)
            CHECK(pgas_all_lock_alloc(&locks[i]) == PGAS_OK);
        free_behind_later(FREEING_ROUNDS + round, locks);
        pgas_barrier();
    }
    *(uint64_t *)pgas_local(pgas_ptr_on(words, me)) = 0;
    pgas_barrier();
}

static void await_signal(void)
{
    sigset_t set;
    struct timespec patience = {PATIENCE_S, 0};
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    CHECK(sigtimedwait(&set, NULL, &patience) == SIGUSR1);
}

/* The last thread's lock; thread 0 sleeps until the last thread has it. The emulated nodes are on
 * one host. */
static void sleep_after_release(pgas_lock_t lock, uint64_t round, pid_t sleeper)
{
    static char bytes[MOST_BYTES];
    if (me == 0) {
        pgas_lock(lock);
        tell(last, round);
        for (size_t i = 0; i < PUTS; i++)
            pgas_memput_asynci(pgas_ptr_on(room, last), bytes, MOST_BYTES);
        pgas_unlock(lock);
        await_signal();
        pgas_waitsynci();
    } else {
        be_told(round);
        sleep_microseconds(LATE_US);
        pgas_lock(lock);
        pgas_unlock(lock);
        CHECK(kill(sleeper, SIGUSR1) == 0);
    }
}

static void sleep_all(void)
{
    pgas_ptr_t common;
    CHECK(pgas_all_alloc(1, sizeof(pgas_lock_t) + sizeof(pid_t), &common) == PGAS_OK);
    pgas_ptr_t process = pgas_ptr_shift(common, sizeof(pgas_lock_t));
    pgas_lock_t lock = {{0}};
    if (me == 0)
        PGAS_WRITE(pid_t, process, getpid());
    if (me == last) {
        CHECK(pgas_global_lock_alloc(&lock) == PGAS_OK);
        PGAS_WRITE(pgas_lock_t, common, lock);
    }
    pgas_barrier();
    lock = PGAS_READ(pgas_lock_t, common);
    pid_t sleeper = PGAS_READ(pid_t, process);
    pgas_barrier(); /* thread 0 will not serve the reads */
    for (uint64_t round = 1; round <= SLEEPING_ROUNDS && (me == 0 || me == last); round++)
        sleep_after_release(lock, FREEING_ROUNDS + round, sleeper);
    pgas_barrier();
    if (me == last)
        pgas_lock_free(lock);
}

/* The last thread's last release of a lock of thread 0 is performed late. */
static _Atomic bool is_performed;

static void *perform_late(void *releases)
{
    sleep_microseconds(FINALIZE_US);
    atomic_store(&is_performed, true);
    atomic_fetch_add(&((pgasi_releases_t *)releases)->performed, 1);
    return NULL;
}

static void finalize_before_release(void)
{
    pthread_t late;
    const bool is_home = me == 0;
    pgas_barrier();
    if (me == last)
        count_release();
    if (is_home)
        CHECK(pthread_create(&late, NULL, perform_late, releases_with(last)) == 0);
    pgas_finalize();
    if (is_home) {
        CHECK(atomic_load(&is_performed));
        CHECK(pthread_join(late, NULL) == 0);
    }
}

int main(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    CHECK(pgas_init() == PGAS_OK);
    me = pgas_mythread();
    last = pgas_threads() - 1;
    CHECK(pgas_node_of(last) != 0);
    CHECK(pgas_all_alloc((size_t)pgas_threads(), MOST_BYTES, &room) == PGAS_OK);
    CHECK(pgas_all_alloc((size_t)pgas_threads(), sizeof(uint64_t), &words) == PGAS_OK);
    *(uint64_t *)pgas_local(pgas_ptr_on(words, me)) = 0;
    pgas_barrier();
    for (int round = 1; round <= FREEING_ROUNDS; round++)
        free_under_way((uint64_t)round, round % (last + 1));
    pgas_lock_t lock;
    CHECK(pgas_all_lock_alloc(&lock) == PGAS_OK);
    if (me == last)
        overtake_all(lock);
    pgas_barrier();
    if (me == 0)
        pgas_lock_free(lock);
    free_all_behind_later();
    sleep_all();
    finalize_before_release();
    return 0;
}
