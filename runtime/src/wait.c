#include "wait.h"

#include <inttypes.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "activity.h"
#include "config.h"
#include "log.h"
#include "net.h"
#include "segment.h"

/* With a core for everybody, the other side is running: spin for some 100 us before giving way. */
enum {
    SPIN_ALONE = 4000,
    SPIN_CROWDED = 20,
    YIELDS_ALONE = 20,
    YIELDS_CROWDED = 2,
    DRIVES_ALONE = 200,
    DRIVES_CROWDED = 8
};

enum {
    LONGEST_WATCHING_NAP_MS = 1000
};

unsigned pgasi_drives = DRIVES_CROWDED;

static unsigned spins = SPIN_CROWDED;
static unsigned yields = YIELDS_CROWDED;

static inline void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

void pgasi_wait_init(uint32_t threads)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int alone = (long)threads <= cores;
    spins = alone ? SPIN_ALONE : SPIN_CROWDED;
    yields = alone ? YIELDS_ALONE : YIELDS_CROWDED;
    pgasi_drives = alone ? DRIVES_ALONE : DRIVES_CROWDED;
    if (pgasi_settings.spin != PGASI_SPIN_AUTO)
        spins = (unsigned)pgasi_settings.spin;
}

/* `microseconds` 0: no limit. */
static void futex_wait(_Atomic uint32_t *word, uint32_t old, unsigned microseconds)
{
    struct timespec limit = {.tv_sec = microseconds / 1000000,
                             .tv_nsec = (long)(microseconds % 1000000) * 1000};
    syscall(SYS_futex, word, FUTEX_WAIT, old, microseconds > 0 ? &limit : NULL, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word, int count)
{
    syscall(SYS_futex, word, FUTEX_WAKE, count, NULL, NULL, 0);
}

uint64_t pgasi_milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static bool telling;

bool pgasi_watch_is_telling(void)
{
    return telling;
}

/* Whether nobody of the node has told the same within the last `gap` milliseconds. */
static bool is_news(const char *text, uint64_t now, uint64_t gap)
{
    _Atomic uint64_t *told = &pgasi_node_memory.control->told;
    uint32_t hash = 2166136261U;
    for (const char *c = text; *c != '\0'; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619U;
    uint64_t before = atomic_load(told);
    do {
        if ((uint32_t)(before >> 32) == hash && (uint32_t)now - (uint32_t)before < gap)
            return false;
    } while (!atomic_compare_exchange_weak(told, &before, (uint64_t)hash << 32 | (uint32_t)now));
    return true;
}

void pgasi_watch(pgasi_watch_t *watch, pgasi_describe_t *describe)
{
    uint64_t limit = pgasi_settings.watchdog * 1000;
    if (limit == 0 || describe == NULL)
        return;
    char text[512];
    uint64_t now = pgasi_milliseconds();
    if (watch->since == 0)
        *watch = (pgasi_watch_t){.since = now, .next = now + limit};
    telling = now >= watch->next;
    describe(text, sizeof text);
    pgasi_activity_waits(text);
    if (!telling)
        return;
    telling = false;
    uint64_t waited = now - watch->since;
    watch->next = watch->since + 2 * waited;
    if (is_news(text, now, waited / 2))
        pgasi_tell("waiting for %" PRIu64 " s: %s", waited / 1000, text);
}

bool pgasi_event_wait_briefly(pgasi_event_t *event, uint32_t old, unsigned microseconds)
{
    atomic_fetch_add(&event->sleepers, 1);
    if (atomic_load(&event->value) == old)
        futex_wait(&event->value, old, microseconds);
    atomic_fetch_sub(&event->sleepers, 1);
    return atomic_load(&event->value) != old;
}

/* Spins, then yields; true if the value has changed. */
static bool spin(pgasi_event_t *event, uint32_t old)
{
    for (unsigned i = 0; i < spins; i++) {
        if (atomic_load_explicit(&event->value, memory_order_acquire) != old)
            return true;
        relax();
    }
    for (unsigned i = 0; i < yields; i++) {
        if (atomic_load_explicit(&event->value, memory_order_acquire) != old)
            return true;
        sched_yield();
    }
    return false;
}

bool pgasi_wait_driving(bool (*is_done)(const void *argument), const void *argument)
{
    for (unsigned idle = 1; idle <= pgasi_drives; idle++) {
        if (is_done(argument))
            return true;
        if (pgasi_net_drive() != 0)
            idle = 0;
        else if (idle % PGASI_DRIVES_PER_YIELD == 0)
            sched_yield();
    }
    return is_done(argument);
}

typedef struct change {
    pgasi_event_t *event;
    uint32_t old;
} change_t;

static bool has_changed(const void *argument)
{
    const change_t *change = argument;
    return atomic_load_explicit(&change->event->value, memory_order_acquire) != change->old;
}

/* The same for a main thread in a job of several nodes. */
static bool spin_driving(pgasi_event_t *event, uint32_t old)
{
    change_t change = {event, old};
    bool done = pgasi_wait_driving(has_changed, &change);
    pgasi_net_drive_end(!done);
    return done;
}

/* A sleeper wakes up now and then, to be watched: ten times before the watchdog tells anything. */
static unsigned watching_nap(void)
{
    size_t nap = pgasi_settings.watchdog * 1000 / 10;
    return nap > LONGEST_WATCHING_NAP_MS ? LONGEST_WATCHING_NAP_MS : (unsigned)nap;
}

static void sleep_until_changed(pgasi_event_t *event, uint32_t old, pgasi_describe_t *describe)
{
    pgasi_watch_t watch = {0};
    unsigned nap = pgasi_net_nap();
    if (nap == 0)
        nap = watching_nap();
    while (!pgasi_event_wait_briefly(event, old, nap * 1000)) {
        pgasi_watch(&watch, describe);
        if (pgasi_net_nap() > 0 && pgasi_net_drive_begin()) {
            while (pgasi_net_drive() != 0)
                continue;
            pgasi_net_drive_end(false);
        }
    }
    if (watch.since != 0)
        pgasi_activity_waits(NULL);
    pgasi_net_awake();
}

void pgasi_event_wait(pgasi_event_t *event, uint32_t old, pgasi_describe_t *describe)
{
    bool done = pgasi_net_drive_begin() ? spin_driving(event, old) : spin(event, old);
    if (!done)
        sleep_until_changed(event, old, describe);
}

/* The sleeper raises `sleepers` before it looks at `value` again, the waker stores `value` before
 * it looks at `sleepers`, all sequentially consistent: one of the two sees the other. */
static void store_and_wake(pgasi_event_t *event, uint32_t value, int count)
{
    atomic_store(&event->value, value);
    if (atomic_load(&event->sleepers) > 0)
        futex_wake(&event->value, count);
}

void pgasi_event_set(pgasi_event_t *event, uint32_t value)
{
    store_and_wake(event, value, INT_MAX);
}

void pgasi_event_raise(pgasi_event_t *event, uint32_t by)
{
    atomic_fetch_add(&event->value, by);
    if (atomic_load(&event->sleepers) > 0)
        futex_wake(&event->value, INT_MAX);
}
