#include "sync/wait.h"

#include <sched.h>
#include <stddef.h>
#include <unistd.h>

#include "am/progress.h"
#include "base/config.h"
#include "base/relax.h"
#include "net/net.h"
#include "net/spin.h"
#include "node/activity.h"

/* If every thread has a core, the other side is running: spin for some 100 us before yielding. */
enum {
    SPIN_ALONE = 4000,
    SPIN_CROWDED = 20,
    YIELDS_ALONE = 20,
    YIELDS_CROWDED = 2
};

static unsigned spins = SPIN_CROWDED;
static unsigned yields = YIELDS_CROWDED;
static bool is_alone;

void pgasi_wait_init(uint32_t threads)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    bool alone = (long)threads <= cores;
    is_alone = alone;
    spins = alone ? SPIN_ALONE : SPIN_CROWDED;
    yields = alone ? YIELDS_ALONE : YIELDS_CROWDED;
    pgasi_net_spin_init(alone);
    if (pgasi_settings.spin != PGASI_SPIN_AUTO)
        spins = (unsigned)pgasi_settings.spin;
}

bool pgasi_wait_is_alone(void)
{
    return is_alone;
}

/* Spins, then yields; true if the value has changed. */
static bool spin_only(pgasi_event_t *event, uint32_t old)
{
    for (unsigned i = 0; i < spins; i++) {
        if (pgasi_event_has_changed(event, old))
            return true;
        pgasi_relax();
    }
    for (unsigned i = 0; i < yields; i++) {
        if (pgasi_event_has_changed(event, old))
            return true;
        sched_yield();
    }
    return false;
}

/* The same where messages may come, which are run: the spin begins again then. */
static bool spin_polling(pgasi_event_t *event, uint32_t old)
{
    for (unsigned i = 0; i < spins + yields; i++) {
        if (pgasi_event_has_changed(event, old))
            return true;
        if (pgasi_am_poll() != 0)
            i = 0;
        if (i < spins)
            pgasi_relax();
        else
            sched_yield();
    }
    return pgasi_event_has_changed(event, old);
}

static bool spin(pgasi_event_t *event, uint32_t old)
{
    return pgasi_am_is_used ? spin_polling(event, old) : spin_only(event, old);
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

/* The same for a main thread in a job of several nodes, which progresses the network meanwhile. */
static bool spin_progressing(pgasi_event_t *event, uint32_t old)
{
    change_t change = {event, old};
    bool done = pgasi_net_spin(has_changed, &change);
    pgasi_net_progress_end(!done);
    return done;
}

static void sleep_until_changed(pgasi_event_t *event, uint32_t old, pgasi_describe_t *describe)
{
    pgasi_watch_t watch = {0};
    unsigned interval = pgasi_net_interval();
    if (interval == 0)
        interval = pgasi_watch_interval();
    while (!pgasi_am_sleep(event, old, interval * 1000)) {
        pgasi_watch(&watch, describe);
        if (pgasi_net_interval() > 0 && pgasi_net_progress_begin()) {
            while (pgasi_net_progress() != 0 && !pgasi_event_has_changed(event, old))
                continue;
            pgasi_net_progress_end(false);
        }
        if (pgasi_am_poll() == 0)
            continue;
        pgasi_net_awake(); /* a message seldom comes alone */
        if (pgasi_net_progress_begin() ? spin_progressing(event, old) : spin(event, old))
            break;
    }
    if (watch.since != 0)
        pgasi_activity_waits(NULL);
    pgasi_net_awake();
}

void pgasi_event_wait(pgasi_event_t *event, uint32_t old, pgasi_describe_t *describe)
{
    bool done = pgasi_net_progress_begin() ? spin_progressing(event, old) : spin(event, old);
    if (!done)
        sleep_until_changed(event, old, describe);
}
