#include "node/watchdog.h"

#include <inttypes.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "base/config.h"
#include "base/log.h"
#include "node/activity.h"
#include "node/segment.h"

enum {
    LONGEST_INTERVAL_MS = 1000
};

static _Thread_local bool telling;

bool pgasi_watch_is_telling(void)
{
    return telling;
}

/* Whether no thread of the node has reported the same within the last `gap` milliseconds. */
static bool is_news(const char *text, uint64_t now, uint64_t gap)
{
    uint32_t hash = 2166136261U;
    for (const char *c = text; *c != '\0'; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619U;
    _Atomic uint64_t *told = &pgasi_node_memory.control->told[hash % PGASI_TOLD];
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
    /* `describe` may wait for an answer itself: that wait is not the one to tell of. */
    if (limit == 0 || describe == NULL || telling)
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

void pgasi_watch_end(pgasi_watch_t *watch)
{
    if (watch->since != 0)
        pgasi_activity_waits(NULL);
    *watch = (pgasi_watch_t){0};
}

/* Ten times before the watchdog reports anything. */
unsigned pgasi_watch_interval(void)
{
    size_t interval = pgasi_settings.watchdog * 1000 / 10;
    return interval > LONGEST_INTERVAL_MS ? LONGEST_INTERVAL_MS : (unsigned)interval;
}
