#include "sync/wait.h"

#include <limits.h>
#include <sched.h>
#include <stddef.h>
#include <unistd.h>

#include <pgas/detail.h>

#include "am/progress.h"
#include "base/config.h"
#include "base/relax.h"
#include "net/net.h"
#include "net/spin.h"
#include "sync/background.h"

/* If every thread has a core, the other side is running: spin for some 100 us before yielding. */
enum {
    SPIN_ALONE = 4000,
    SPIN_CROWDED = 4,
    /* With what is added to it, it fits. */
    SPIN_MOST = INT_MAX,
    YIELDS_ALONE = 20,
    YIELDS_CROWDED = 8,
    /* Nobody wakes a thread for what it has in the background. */
    BACKGROUND_SLEEP_US = 1000,
    EVENTLESS_SLEEP_US = 100
};

static unsigned spins = SPIN_CROWDED;
static unsigned yields = YIELDS_CROWDED;
static bool is_alone;

static void set_alone(bool alone)
{
    is_alone = alone;
    spins = alone ? SPIN_ALONE : SPIN_CROWDED;
    yields = alone ? YIELDS_ALONE : YIELDS_CROWDED;
    pgasi_net_spin_init(alone);
    pgasi_am_spin_init(alone);
    if (pgasi_settings.spin != PGASI_SPIN_AUTO)
        spins = pgasi_settings.spin < SPIN_MOST ? (unsigned)pgasi_settings.spin : SPIN_MOST;
}

void pgasi_wait_init(uint32_t threads)
{
    set_alone((long)threads <= sysconf(_SC_NPROCESSORS_ONLN));
}

void pgasi_wait_crowd(void)
{
    set_alone(false);
}

bool pgasi_wait_is_alone(void)
{
    return is_alone;
}

/* What a thread waits for. */
typedef struct condition {
    bool (*is_done)(const void *argument);
    const void *argument;
} condition_t;

static bool holds(const condition_t *condition)
{
    return condition->is_done(condition->argument);
}

/* Spins, then yields; true if the condition holds. */
static bool spin_only(const condition_t *condition)
{
    for (unsigned i = 0; i < spins; i++) {
        if (holds(condition))
            return true;
        pgasi_relax();
    }
    for (unsigned i = 0; i < yields; i++) {
        if (holds(condition))
            return true;
        if (!pgasi_yield())
            break;
    }
    return false;
}

/* The same where messages may come, which are run: the spin begins again then. */
static bool spin_polling(const condition_t *condition)
{
    for (unsigned i = 0; i < spins + yields; i++) {
        if (holds(condition))
            return true;
        if (pgasi_am_poll() != 0)
            i = 0;
        if (i < spins)
            pgasi_relax();
        else if (!pgasi_yield())
            break;
    }
    return holds(condition);
}

/* The same for a main thread in a job of several nodes, which progresses the network meanwhile. */
static bool spin_progressing(const condition_t *condition)
{
    bool done = pgasi_net_spin(condition->is_done, condition->argument);
    pgasi_net_progress_end(!done);
    return done;
}

static bool spin(const condition_t *condition)
{
    if (pgasi_net_progress_begin())
        return spin_progressing(condition);
    return pgasi_am_is_used ? spin_polling(condition) : spin_only(condition);
}

/* How long a sleep may be, in microseconds; 0: any time. */
static unsigned longest_sleep(unsigned longest)
{
    unsigned interval = pgasi_net_interval();
    if (interval == 0)
        interval = pgasi_watch_interval();
    unsigned microseconds = interval * 1000;
    return longest > 0 ? pgasi_sleep_at_most(microseconds, longest) : microseconds;
}

/* Who raises the event has made the condition hold before: so the sleeper shows itself, reads the
 * event, and then looks at the condition. */
static bool sleep_once(pgasi_event_t *event, const condition_t *condition, unsigned microseconds)
{
    atomic_fetch_add(&event->sleepers, 1);
    uint32_t old = atomic_load(&event->value);
    atomic_thread_fence(memory_order_seq_cst);
    if (!holds(condition))
        pgasi_am_sleep(event, old, microseconds);
    atomic_fetch_sub(&event->sleepers, 1);
    return holds(condition);
}

static void sleep_until(pgasi_event_t *event, const condition_t *condition, unsigned longest,
                        pgasi_describe_t *describe)
{
    pgasi_watch_t watch = {0};
    unsigned microseconds = longest_sleep(longest);
    while (!sleep_once(event, condition, microseconds)) {
        pgasi_watch(&watch, describe);
        bool has_served = false;
        if (pgasi_net_interval() > 0 && pgasi_net_progress_begin()) {
            while (pgasi_net_progress() != 0 && !holds(condition))
                has_served = true;
            pgasi_net_progress_end(false);
        }
        if (pgasi_am_poll() == 0 && !has_served)
            continue;
        pgasi_net_awake(); /* a message seldom comes alone */
        if (spin(condition))
            break;
    }
    pgasi_watch_end(&watch);
    pgasi_net_awake();
}

/* Others may have the core, and progress the network. */
void pgasi_nap_begin(void)
{
    if (pgasi_net_progress_begin())
        pgasi_net_progress_end(true);
}

void pgasi_nap_end(void)
{
    pgasi_net_awake();
}

static void sleep_before_background(pgasi_event_t *event, const condition_t *condition,
                                    unsigned longest)
{
    unsigned microseconds = pgasi_sleep_at_most(longest_sleep(longest), BACKGROUND_SLEEP_US);
    pgasi_nap_begin();
    if (event != NULL)
        sleep_once(event, condition, microseconds);
    else
        usleep(EVENTLESS_SLEEP_US);
    pgasi_nap_end();
}

/* The same for a thread that has operations in the background, as long as it has. True if the
 * condition holds then. */
static bool wait_with_background(pgasi_event_t *event, const condition_t *condition,
                                 unsigned longest, pgasi_describe_t *describe)
{
    pgasi_watch_t watch = {0};
    bool done = holds(condition);
    pgasi_background_attend(true);
    for (unsigned idle = 0; !done && pgasi_background_count > 0; idle++) {
        bool is_tired = idle >= spins + yields;
        bool goes_on = pgasi_background_progress(is_tired) + pgasi_am_progress() > 0;
        if (is_tired)
            pgasi_watch(&watch, describe);
        if (goes_on) {
            idle = 0;
        } else if (is_tired) {
            sleep_before_background(event, condition, longest);
        } else if (idle < spins) {
            pgasi_relax();
        } else if (!pgasi_yield()) {
            idle = spins + yields;
        }
        done = holds(condition);
    }
    pgasi_background_attend(false);
    if (pgasi_background_count > 0)
        pgasi_net_beside_rouse();
    pgasi_watch_end(&watch);
    return done;
}

bool pgasi_wait_with_background(bool (*is_done)(const void *argument), const void *argument)
{
    const condition_t condition = {is_done, argument};
    return wait_with_background(NULL, &condition, 0, NULL);
}

void pgasi_wait(pgasi_event_t *event, bool (*is_done)(const void *argument), const void *argument,
                unsigned longest, pgasi_describe_t *describe)
{
    const condition_t condition = {is_done, argument};
    if (pgasi_background_count > 0 && wait_with_background(event, &condition, longest, describe))
        return;
    if (!spin(&condition))
        sleep_until(event, &condition, longest, describe);
}

typedef struct change {
    pgasi_event_t *event;
    uint32_t old;
} change_t;

static bool has_changed(const void *argument)
{
    const change_t *change = argument;
    return pgasi_event_has_changed(change->event, change->old);
}

void pgasi_event_wait(pgasi_event_t *event, uint32_t old, pgasi_describe_t *describe)
{
    const change_t change = {event, old};
    pgasi_wait(event, has_changed, &change, 0, describe);
}

unsigned pgasi_serve(void)
{
    unsigned count = pgasi_am_progress();
    return count + pgasi_background_progress(false);
}

void pgasi_looked(bool found)
{
    enum {
        VAIN_ALONE = 4096,
        VAIN_CROWDED = 32
    };
    static _Thread_local unsigned vain;
    if (found) {
        vain = 0;
    } else if (++vain % VAIN_CROWDED == 0 && (vain == VAIN_ALONE || !is_alone)) {
        vain = 0;
        sched_yield();
    }
}

void pgasi_event_wait_serving(pgasi_event_t *event, uint32_t old, pgasi_describe_t *describe)
{
    if (pgasi_event_has_changed(event, old))
        pgasi_serve();
    else
        pgasi_event_wait(event, old, describe);
}
