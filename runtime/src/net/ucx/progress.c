#include "net/ucx/progress.h"

#include <unistd.h>

#include "base/agent.h"
#include "base/clock.h"
#include "base/log.h"
#include "net/net.h"
#include "net/spin.h"
#include "net/ucx/am_client.h"
#include "net/ucx/background.h"
#include "net/ucx/initiator.h"
#include "net/ucx/interval.h"
#include "net/ucx/progress_lock.h"
#include "net/ucx/progress_thread.h"
#include "net/ucx/sleep.h"
#include "net/ucx/worker.h"

enum {
    TICK_MS = 1,
    /* Iterations that find something to do, before a wait looks whether it is over. */
    PROGRESS_MAX = 64,
    /* Idle iterations between two sleeps: each worker gets a turn (pgasi_net_progress). */
    IDLE_BETWEEN_SLEEPS = 4
};

bool pgasi_net_is_up;

static _Thread_local bool counts_as_asleep;

bool pgasi_net_may_call(void)
{
    return pgasi_net_is_up && pgasi_ucx_me != NULL && !pgasi_ucx_is_in_progress();
}

pgas_status_t pgasi_ucx_progress_start(void)
{
    if (!pgasi_ucx_sleep_init()) {
        pgasi_log("UCX offers nothing to sleep on; UCX_TLS chooses the network");
        return PGAS_ERR_UNSUPPORTED;
    }
    return pgasi_ucx_progress_thread_start();
}

void pgasi_ucx_progress_stop(void)
{
    pgasi_ucx_progress_thread_stop();
}

bool pgasi_net_progress_begin(void)
{
    if (!pgasi_net_is_up || pgasi_ucx_progress_is_mine())
        return false;
    pgasi_ucx_progress_trylock(PGASI_UCX_HELD_BY_MAIN_THREAD);
    return true;
}

/* Sets how this thread polls by what a look at a worker costs that finds nothing: the least of some
 * batches, since this thread may lose its core in any of them. Returns what was found nevertheless.
 */
static unsigned measure_looks(ucp_worker_h worker)
{
    enum {
        BATCHES = 8,
        LOOKS = 8
    };
    static double dearest;
    unsigned found = 0;
    double least = 0;
    for (int batch = 0; batch < BATCHES; batch++) {
        unsigned before = found;
        uint64_t begin = pgasi_nanoseconds();
        for (int i = 0; i < LOOKS; i++)
            found += pgasi_ucx_worker_progress(worker);
        double took = (double)(pgasi_nanoseconds() - begin) / LOOKS;
        if (found == before && (least == 0 || took < least))
            least = took;
    }
    if (least > dearest) {
        dearest = least;
        pgasi_net_spin_cost(least);
    }
    return found;
}

/* UCX looks at a transport only when it is in use. So looks are measured when something has come,
 * for the 1st, 2nd, 4th, 8th ... time. Under the progress lock, since the progress thread reads the
 * outcome. */
static unsigned look(ucp_worker_h worker, bool may_measure)
{
    enum {
        LAST_MEASURED = 1024
    };
    static unsigned arrivals;
    unsigned count = pgasi_ucx_worker_progress(worker);
    if (count == 0 || !may_measure || arrivals >= LAST_MEASURED)
        return count;
    arrivals++;
    return (arrivals & (arrivals - 1)) == 0 ? count + measure_looks(worker) : count;
}

/* Progressing a worker may take a system call, which reads its sockets. So the initiator worker is
 * progressed only while something is to come, or now and then, to hear of lost connections; and the
 * target worker less often while this thread waits for the others, if that is what it takes. */
unsigned pgasi_net_progress(void)
{
    static _Thread_local unsigned calls;
    static _Thread_local unsigned until_target;
    unsigned count = 0;
    calls++;
    pgasi_ucx_me->sent_in_a_row = 0;
    pgasi_ucx_me->signals_in_a_row = 0;
    bool targets_turn = until_target == 0;
    until_target = targets_turn ? pgasi_net_per_target() - 1 : until_target - 1;
    bool is_mine = pgasi_ucx_progress_is_mine();
    if (is_mine)
        pgasi_ucx_interval_check_main();
    bool waits = pgasi_ucx_me->awaited > 0;
    if (is_mine ||
        ((!waits || targets_turn) && pgasi_ucx_progress_trylock(PGASI_UCX_HELD_BY_MAIN_THREAD))) {
        is_mine = true;
        waits = waits || pgasi_ucx_background_is_busy();
        count = pgasi_ucx_background_progress();
        if (!waits || targets_turn) {
            pgasi_ucx_am_polls_next = true;
            count += look(pgasi_ucx_target, true);
            pgasi_ucx_am_polls_next = false;
        }
    }
    if (pgasi_ucx_me->awaited > 0 || calls % 64 == 0)
        count += look(pgasi_ucx_me->worker, is_mine);
    return count + pgasi_ucx_am_poll();
}

/* The progress thread completes what the background worker and replies have under way while the
 * main thread computes. */
static void unlock_once(void)
{
    pgasi_ucx_background_flush();
    bool is_busy = pgasi_ucx_background_is_busy();
    bool is_sending = pgasi_ucx_target_sending > 0;
    if (pgasi_is_shared)
        pgasi_ucx_progress_unlock();
    else
        pgasi_ucx_progress_leave(); /* the progress thread has the lock when it sends */
    if (is_busy || is_sending)
        pgasi_ucx_progress_thread_wake(is_sending);
}

/* Another agent may have deferred something meanwhile. */
static void post_all_deferred(void)
{
    while (pgasi_ucx_background_has_deferred() &&
           pgasi_ucx_progress_trylock(PGASI_UCX_HELD_BY_MAIN_THREAD)) {
        pgasi_ucx_background_post_deferred();
        unlock_once();
    }
}

static void unlock(void)
{
    unlock_once();
    post_all_deferred();
}

void pgasi_net_progress_end(bool going_to_sleep)
{
    if (going_to_sleep && !counts_as_asleep) {
        counts_as_asleep = true;
        atomic_fetch_add(&pgasi_ucx_main_state.asleep, 1);
    }
    if (!pgasi_ucx_progress_is_mine())
        return;
    /* One that is lost beside another main thread's does no harm. */
    unsigned unlocks = atomic_load_explicit(&pgasi_ucx_main_state.unlocks, memory_order_relaxed);
    atomic_store_explicit(&pgasi_ucx_main_state.unlocks, unlocks + 1, memory_order_relaxed);
    unlock();
    if (going_to_sleep)
        pgasi_ucx_progress_thread_hand_over();
    pgasi_net_beside_rouse(); /* messages have come here that it waits for */
}

void pgasi_net_awake(void)
{
    if (counts_as_asleep)
        atomic_fetch_sub(&pgasi_ucx_main_state.asleep, 1);
    counts_as_asleep = false;
}

unsigned pgasi_net_interval(void)
{
    return pgasi_net_is_up && !pgasi_net_has_progress_thread() ? TICK_MS : 0;
}

/* True if a worker's descriptor is ready. */
static bool sleep_armed(int bell_fd, unsigned milliseconds)
{
    int background_fd;
    if (!pgasi_ucx_sleep_arm_all(&background_fd) || pgasi_ucx_am_has_come())
        return false;
    atomic_store(&pgasi_ucx_main_state.is_asleep_progressing, true);
    bool is_ready = pgasi_ucx_sleep_all(background_fd, bell_fd, milliseconds);
    atomic_store(&pgasi_ucx_main_state.is_asleep_progressing, false);
    return is_ready;
}

static bool sleep_progressing(uint64_t limit)
{
    uint64_t now = pgasi_milliseconds();
    uint64_t left = limit > now ? limit - now : 0;
    unsigned longest = pgasi_ucx_am_longest_sleep();
    bool is_ready =
        sleep_armed(pgasi_ucx_am_sleep_begin(), left < longest ? (unsigned)left : longest);
    pgasi_ucx_am_sleep_end();
    return is_ready;
}

/* Everything that has come, or some of it if there is no end; true if something has. */
static bool progress_all(void)
{
    unsigned i = 0;
    while (i < PROGRESS_MAX && pgasi_net_progress() +
                                       pgasi_ucx_worker_progress(pgasi_ucx_me->worker) +
                                       pgasi_ucx_worker_progress(pgasi_ucx_target) !=
                                   0)
        i++;
    return i > 0;
}

void pgasi_net_linger(void)
{
    bool must_end = pgasi_net_progress_begin();
    progress_all();
    if (must_end)
        pgasi_net_progress_end(false);
}

/* A spin after a sleep: the sleep was long enough. */
static bool spin_shortly(bool (*is_done)(const void *argument), const void *argument,
                         bool *has_come)
{
    *has_come = false;
    for (unsigned idle = 0; idle < IDLE_BETWEEN_SLEEPS; idle++) {
        if (is_done(argument))
            return true;
        if (pgasi_net_progress() == 0)
            continue;
        *has_come = true;
        idle = 0;
    }
    return is_done(argument);
}

/* Where there are other agents, nobody sleeps with the progress lock: they may wait for what only
 * its holder does. What comes to a sleeper by another one's hands he finds after a short while. */
static bool wait_shared(bool (*is_done)(const void *argument), const void *argument,
                        unsigned milliseconds, pgasi_describe_t *describe)
{
    pgasi_watch_t watch = {0};
    uint64_t limit = milliseconds > 0 ? pgasi_milliseconds() + milliseconds : UINT64_MAX;
    for (unsigned times = 0;; times++) {
        bool has_come = true;
        bool must_end = pgasi_net_progress_begin();
        bool done = times == 0 ? pgasi_net_spin(is_done, argument)
                               : spin_shortly(is_done, argument, &has_come);
        bool had_lock = pgasi_ucx_progress_is_mine();
        if (must_end)
            pgasi_net_progress_end(false);
        if (done || pgasi_milliseconds() >= limit) {
            pgasi_watch_end(&watch);
            return done;
        }
        if (must_end && had_lock)
            pgasi_ucx_progress_thread_hand_over();
        if (has_come)
            times = 1;
        pgasi_ucx_sleep_initiator(pgasi_ucx_sleep_backoff(times));
        pgasi_watch(&watch, describe);
    }
}

bool pgasi_ucx_wait(bool (*is_done)(const void *argument), const void *argument,
                    unsigned milliseconds, pgasi_describe_t *describe)
{
    if (pgasi_ucx_progress_thread_is_mine())
        return wait_shared(is_done, argument, milliseconds, NULL);
    if (pgasi_is_shared)
        return wait_shared(is_done, argument, milliseconds, describe);
    pgasi_watch_t watch = {0};
    uint64_t limit = milliseconds > 0 ? pgasi_milliseconds() + milliseconds : UINT64_MAX;
    bool must_end = pgasi_net_progress_begin();
    bool done = pgasi_net_spin(is_done, argument);
    bool has_slept = !done;
    if (!done && !pgasi_ucx_progress_is_mine()) {
        must_end = pgasi_ucx_progress_lock_until(limit) || must_end;
        done = is_done(argument); /* the progress thread may have done the last of it */
    }
    for (unsigned fruitless = 0; !done && pgasi_milliseconds() < limit;) {
        bool is_ready = sleep_progressing(limit);
        pgasi_watch(&watch, describe);
        fruitless = progress_all() || !is_ready ? 0 : fruitless + 1;
        done = is_done(argument);
        if (!done && fruitless > 0)
            usleep(pgasi_ucx_sleep_backoff(fruitless));
    }
    pgasi_watch_end(&watch);
    if (must_end)
        pgasi_net_progress_end(false);
    if (has_slept)
        pgasi_ucx_progress_thread_hand_over(); /* it may have parked for long */
    return done;
}

void pgasi_ucx_background_kick(void)
{
    if (pgasi_ucx_progress_is_mine())
        pgasi_ucx_background_post_deferred();
    else
        post_all_deferred();
}

bool pgasi_ucx_background_try(bool (*post)(const void *what), const void *what)
{
    bool must_unlock = !pgasi_ucx_progress_is_mine();
    if (must_unlock && !pgasi_ucx_progress_trylock(PGASI_UCX_HELD_BY_MAIN_THREAD))
        return false;
    pgasi_ucx_background_post_deferred();
    bool is_posted = post(what);
    if (must_unlock)
        unlock();
    return is_posted;
}

/* Nothing is left behind: a thread that defers tries once more to get the lock, and one that gives
 * the lock back looks for what is deferred once more before it sleeps, all sequentially consistent.
 * One of the two sees the other. */
void pgasi_ucx_background_post(void (*post)(const void *what), const void *what, size_t size)
{
    if (pgasi_ucx_progress_is_mine()) { /* and goes on progressing what is not done yet */
        pgasi_ucx_background_post_deferred();
        post(what);
        return;
    }
    bool has_lock = pgasi_ucx_progress_trylock(PGASI_UCX_HELD_BY_MAIN_THREAD);
    if (!has_lock) {
        pgasi_ucx_background_defer(post, what, size);
        if (!pgasi_ucx_progress_trylock(PGASI_UCX_HELD_BY_MAIN_THREAD))
            return;
    }
    pgasi_ucx_background_post_deferred();
    if (has_lock)
        post(what);
    unlock();
}
