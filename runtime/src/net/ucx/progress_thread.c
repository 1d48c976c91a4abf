#include "net/ucx/progress_thread.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <pgas/detail.h>

#include "base/agent.h"
#include "base/clock.h"
#include "base/config.h"
#include "base/log.h"
#include "base/signals.h"
#include "base/turn.h"
#include "net/net.h"
#include "net/polling.h"
#include "net/spin.h"
#include "net/ucx/am_client.h"
#include "net/ucx/background.h"
#include "net/ucx/beside.h"
#include "net/ucx/interval.h"
#include "net/ucx/progress_lock.h"
#include "net/ucx/sleep.h"
#include "net/ucx/worker.h"
#include "shm/event.h"

enum {
    SHORTEST_PARK_US = 16,
    LONGEST_PARK_US = 1000,
    /* While the main thread progresses in its sleep, and hands over when it stops. */
    LONG_PARK_US = 1000 * PGASI_NET_INTERVAL_MS,
    /* Some milliseconds. */
    ITERATIONS_MAX = 10000
};

pgasi_ucx_main_state_t pgasi_ucx_main_state;
atomic_uint pgasi_ucx_progress_thread_overslept;

/* Raised to make the parked progress thread come back at once. */
static pgasi_event_t handed_over;
static atomic_bool stopping;
/* Of which workers the progress thread hears in its sleep, or in the one that is about to begin. */
static enum {
    WATCHES_NONE,
    WATCHES_TARGET,
    WATCHES_BOTH
} _Atomic watched;
/* It sleeps, or is about to, and nothing but a descriptor ends that soon. */
static atomic_bool sleeps_long;
static bool exists;
static _Thread_local bool is_mine;
static pthread_t progress_thread;
/* The cores of the main thread, if it is bound to some, and those of the whole machine. */
static bool is_bound;
static cpu_set_t main_cores;
static cpu_set_t all_cores;
static int wake_fd = -1;

static void hand_over(void)
{
    pgasi_event_raise(&handed_over, 1);
}

/* Parked or asleep. */
static void wake(void)
{
    uint64_t one = 1;
    hand_over();
    if (write(wake_fd, &one, sizeof one) < 0)
        pgasi_fatal("network", "waking the progress thread: %s", strerror(errno));
}

bool pgasi_net_has_progress_thread(void)
{
    return exists;
}

bool pgasi_ucx_progress_thread_is_mine(void)
{
    return is_mine;
}

void pgasi_net_beside_alert(void)
{
    pgasi_ucx_progress_thread_alert();
}

/* What is in flight has been written before, and one of the two sees the other: this one that the
 * progress thread sleeps, or that one, before its sleep, what is in flight. */
void pgasi_net_beside_rouse(void)
{
    if (atomic_load(&sleeps_long) && pgasi_ucx_beside_is_any())
        pgasi_ucx_progress_thread_alert();
}

void pgasi_ucx_progress_thread_hand_over(void)
{
    if (exists)
        hand_over();
}

void pgasi_ucx_progress_thread_alert(void)
{
    if (!exists)
        return;
    if (atomic_load(&watched) != WATCHES_NONE)
        wake();
    else
        hand_over();
}

void pgasi_ucx_progress_thread_wake(bool is_sending)
{
    if (!exists)
        return;
    int watches = atomic_load(&watched);
    if (watches == WATCHES_TARGET || (is_sending && watches == WATCHES_BOTH))
        wake();
}

/* Until the main thread has not progressed for a while, or only now and then: about as long as it
 * did before, so that a thread that computes after a short exchange soon replies again, and one
 * that communicates all the time is seldom disturbed. The sleeps may be longer than the pauses, on
 * a busy core above all. */
static void park(void)
{
    unsigned before;
    uint64_t begin;
    unsigned pause = SHORTEST_PARK_US / 2;
    do {
        if (pause < LONGEST_PARK_US)
            pause *= 2;
        pgasi_ucx_interval_check();
        /* While the check had the lock; a main thread posts it itself when it gives the lock back.
         */
        if (pgasi_ucx_background_has_deferred() &&
            pgasi_ucx_progress_holder() != PGASI_UCX_HELD_BY_MAIN_THREAD)
            return;
        begin = pgasi_microseconds();
        before = atomic_load(&pgasi_ucx_main_state.unlocks);
        uint32_t old = atomic_load(&handed_over.value);
        unsigned longest =
            atomic_load(&pgasi_ucx_main_state.is_asleep_progressing) ? LONG_PARK_US : pause;
        if (atomic_load(&stopping) || pgasi_event_sleep(&handed_over, old, longest))
            return;
    } while (pgasi_polling_is_frequent(atomic_load(&pgasi_ucx_main_state.unlocks) - before,
                                       pgasi_microseconds() - begin) ||
             pgasi_ucx_progress_holder() == PGASI_UCX_HELD_BY_MAIN_THREAD);
}

/* The main thread, and all that have attached. */
static bool all_sleep(void)
{
    return atomic_load(&pgasi_ucx_main_state.asleep) > pgasi_agents();
}

/* Until nothing comes any more; for a while longer if the main thread has no use for the core,
 * since waking up for every message would double its time. Not for ever where something always
 * comes: what is due must be done. True if something has come. */
static bool progress_what_comes(void)
{
    bool has_come = false;
    unsigned idle = 0;
    for (unsigned i = 0; idle < pgasi_net_spins() && i < ITERATIONS_MAX; i++, idle++) {
        if (pgasi_ucx_progress_is_wanted())
            break;
        if (pgasi_ucx_worker_progress(pgasi_ucx_target) + pgasi_ucx_background_progress() +
                pgasi_ucx_am_serve() !=
            0) {
            idle = 0;
            has_come = true;
        } else if (!all_sleep()) {
            break;
        } else if (idle % pgasi_net_per_yield() == 0) {
            pgasi_yield();
        }
    }
    return has_come;
}

/* Little work, but at once: a thread that computes on the same core is to be interrupted.
 * Linux 6.12 and later let a thread do that which requests short time slices; to others this means
 * nothing. All else stays as the thread has inherited it; other policies have no slices. */
static void request_short_slices(void)
{
    struct {
        uint32_t size;
        uint32_t policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime;
        uint64_t deadline;
        uint64_t period;
    } attributes = {0}; /* for valgrind, which does not know who fills it */
    if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) == 0 &&
        (attributes.policy == SCHED_OTHER || attributes.policy == SCHED_BATCH)) {
        attributes.runtime = 100000;
        syscall(SYS_sched_setattr, 0, &attributes, 0);
    }
    /* Its pauses are shorter than the 50 us by which the kernel may prolong a sleep. */
    prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);
}

/* While the main thread sleeps, its own core is the free one: elsewhere the progress thread would
 * share a core with another thread of the job, perhaps with the very one that waits for it. */
static void use_core_of_main(bool yes)
{
    static bool used;
    if (!is_bound || used == yes)
        return;
    used = yes;
    sched_setaffinity(0, sizeof all_cores, yes ? &main_cores : &all_cores);
}

static void *run(void *arg)
{
    (void)arg;
    pgasi_ucx_slept_t slept = PGASI_UCX_SLEPT_UNTIL_WOKEN;
    unsigned fruitless = 0; /* times that something was ready, and nothing came of it */
    unsigned nap; /* the longest sleep, in microseconds, 0: any */
    is_mine = true;
    request_short_slices();
    while (!atomic_load(&stopping)) {
        pgasi_ucx_interval_check();
        uint32_t old = atomic_load(&handed_over.value);
        if (!pgasi_ucx_progress_trylock(PGASI_UCX_HELD_BY_PROGRESS_THREAD)) {
            park();
            continue;
        }
        use_core_of_main(all_sleep());
        bool has_come = progress_what_comes();
        int background_fd;
        bool has_gone_on = pgasi_ucx_beside_progress(&nap) > 0;
        bool armed = !has_gone_on && pgasi_ucx_sleep_arm(&background_fd);
        has_come = has_come || has_gone_on;
        atomic_store(&sleeps_long, armed && nap == 0);
        atomic_store(&watched, !armed              ? WATCHES_NONE
                               : background_fd < 0 ? WATCHES_TARGET
                                                   : WATCHES_BOTH);
        pgasi_ucx_progress_unlock();
        if (slept == PGASI_UCX_SLEPT_LONG && has_come)
            atomic_fetch_add(&pgasi_ucx_progress_thread_overslept, 1);
        fruitless = slept == PGASI_UCX_SLEPT_UNTIL_READY && !has_come ? fruitless + 1 : 0;
        slept = PGASI_UCX_SLEPT_UNTIL_WOKEN;
        if (pgasi_ucx_progress_is_wanted())
            sched_yield();
        else if (fruitless > 0)
            pgasi_event_sleep(&handed_over, old, pgasi_ucx_sleep_backoff(fruitless));
        /* A thread that has found the lock held may have deferred something. */
        if (armed && !pgasi_ucx_background_has_deferred() &&
            (nap > 0 || !pgasi_ucx_beside_is_any()))
            slept = pgasi_ucx_sleep(background_fd, wake_fd, pgasi_ucx_beside_fd(), nap);
        atomic_store(&watched, WATCHES_NONE);
        atomic_store(&sleeps_long, false);
    }
    pgasi_ucx_beside_finish();
    return NULL;
}

static int start_thread(void)
{
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error != 0)
        return error;
    /* Not only on the core that the main thread may be bound to. */
    memset(&all_cores, 0xff, sizeof all_cores);
    pthread_attr_setaffinity_np(&attributes, sizeof all_cores, &all_cores);
    sigset_t before;
    pgasi_block_signals(&before);
    error = pthread_create(&progress_thread, &attributes, run, NULL);
    if (error != 0) /* some systems let no thread be bound */
        error = pthread_create(&progress_thread, NULL, run, NULL);
    pgasi_restore_signals(&before);
    pthread_attr_destroy(&attributes);
    return error;
}

pgas_status_t pgasi_ucx_progress_thread_start(void)
{
    is_bound = sched_getaffinity(0, sizeof main_cores, &main_cores) == 0 &&
               CPU_COUNT(&main_cores) < sysconf(_SC_NPROCESSORS_ONLN);
    exists = strcmp(pgasi_settings.progress, "poll") != 0;
    if (!exists)
        return PGAS_OK;
    wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pgasi_turn_is_shared = true;
    int error = wake_fd < 0 ? errno : start_thread();
    if (error == 0)
        return PGAS_OK;
    pgasi_log("no progress thread: %s; PGAS_PROGRESS=poll does without", strerror(error));
    return PGAS_ERR_SYSTEM;
}

void pgasi_ucx_progress_thread_stop(void)
{
    if (!exists)
        return;
    atomic_store(&stopping, true);
    wake();
    pthread_join(progress_thread, NULL);
    close(wake_fd);
}
