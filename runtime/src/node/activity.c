#include "node/activity.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <pgas/detail.h>

#include "base/clock.h"
#include "node/segment.h"

enum {
    /* A thread that has not repeated for so long what it waits for has stopped waiting. */
    FRESH_MS = 5000
};

pgasi_activity_t *pgasi_activity_of(uint32_t thread)
{
    return &pgasi_header_of(thread)->activity;
}

void pgasi_activity_begin(const pgasi_call_t *call)
{
    pgasi_activity_of(pgasi_job.thread)->call = *call;
}

void pgasi_activity_end(void)
{
    pgasi_activity_t *activity = pgasi_activity_of(pgasi_job.thread);
    activity->last = activity->call;
    activity->call = (pgasi_call_t){.thread = pgasi_job.thread + 1, .call = PGASI_BARRIER};
}

void pgasi_activity_waits(const char *text)
{
    pgasi_activity_t *activity = pgasi_activity_of(pgasi_job.thread);
    if (text == NULL) {
        atomic_store(&activity->waiting, 0);
        return;
    }
    static atomic_flag is_writing = ATOMIC_FLAG_INIT; /* one agent of several, this time */
    if (atomic_flag_test_and_set(&is_writing))
        return;
    snprintf(activity->waits_for, sizeof activity->waits_for, "%s", text);
    atomic_store(&activity->waiting, pgasi_milliseconds());
    atomic_flag_clear(&is_writing);
}

void pgasi_activity_describe(uint32_t thread, char *text, size_t size)
{
    const pgasi_activity_t *activity = pgasi_activity_of(thread);
    char call[128];
    uint64_t waiting = atomic_load(&activity->waiting);
    int used = snprintf(text, size, "(pid %d) ", pgasi_header_of(thread)->pid);
    if (used < 0 || (size_t)used >= size)
        return;
    text += used;
    size -= (size_t)used;
    if (waiting != 0 && pgasi_milliseconds() - waiting < FRESH_MS)
        snprintf(text, size, "waits for %.*s", PGASI_WAIT_TEXT, activity->waits_for);
    else if (activity->call.call != PGASI_BARRIER)
        snprintf(text, size, "is in %s", pgasi_call_describe(&activity->call, call, sizeof call));
    else
        snprintf(text, size, "is not in a call that waits, and was last in %s",
                 pgasi_call_describe(&activity->last, call, sizeof call));
}
