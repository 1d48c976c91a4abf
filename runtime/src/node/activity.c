#include "node/activity.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <pgas/detail.h>

#include "base/clock.h"
#include "node/segment.h"

enum {
    /* A thread that has not repeated for so long what it waits for does not run. */
    FRESH_MS = 5000
};

pgasi_activity_t *pgasi_activity_of(uint32_t thread)
{
    return &pgasi_header_of(thread)->activity;
}

/* Who describes the thread reads when it likes: it may find parts of two calls, and can print them.
 */
static void copy_call(pgasi_call_t *to, const pgasi_call_t *from)
{
    __atomic_store_n(&to->thread, __atomic_load_n(&from->thread, __ATOMIC_RELAXED),
                     __ATOMIC_RELAXED);
    __atomic_store_n(&to->signature, __atomic_load_n(&from->signature, __ATOMIC_RELAXED),
                     __ATOMIC_RELAXED);
    __atomic_store_n(&to->call, __atomic_load_n(&from->call, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
    __atomic_store_n(&to->count, __atomic_load_n(&from->count, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
    for (size_t i = 0; i < PGASI_CALL_ARGUMENTS; i++)
        __atomic_store_n(&to->arguments[i], __atomic_load_n(&from->arguments[i], __ATOMIC_RELAXED),
                         __ATOMIC_RELAXED);
}

void pgasi_activity_begin(const pgasi_call_t *call)
{
    copy_call(&pgasi_activity_of(pgasi_job.thread)->call, call);
}

void pgasi_activity_end(void)
{
    pgasi_activity_t *activity = pgasi_activity_of(pgasi_job.thread);
    const pgasi_call_t none = {.thread = pgasi_job.thread + 1, .call = PGASI_BARRIER};
    copy_call(&activity->last, &activity->call);
    copy_call(&activity->call, &none);
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
    char whole[PGASI_WAIT_TEXT] = "";
    snprintf(whole, sizeof whole, "%s", text);
    for (size_t i = 0; i < sizeof whole; i++)
        __atomic_store_n(&activity->waits_for[i], whole[i], __ATOMIC_RELAXED);
    atomic_store(&activity->waiting, pgasi_milliseconds());
    atomic_flag_clear(&is_writing);
}

void pgasi_activity_describe(uint32_t thread, char *text, size_t size)
{
    const pgasi_activity_t *activity = pgasi_activity_of(thread);
    char waits_for[PGASI_WAIT_TEXT];
    char call_text[128];
    pgasi_call_t call;
    pgasi_call_t last;
    for (size_t i = 0; i < sizeof waits_for; i++)
        waits_for[i] = __atomic_load_n(&activity->waits_for[i], __ATOMIC_RELAXED);
    copy_call(&call, &activity->call);
    copy_call(&last, &activity->last);
    uint64_t waiting = atomic_load(&activity->waiting);
    int used = snprintf(text, size, "(pid %d) ", pgasi_header_of(thread)->pid);
    if (used < 0 || (size_t)used >= size)
        return;
    text += used;
    size -= (size_t)used;
    uint64_t since = pgasi_milliseconds() - waiting;
    if (waiting != 0 && since < FRESH_MS)
        snprintf(text, size, "waits for %.*s", PGASI_WAIT_TEXT, waits_for);
    else if (waiting != 0)
        snprintf(text, size, "was last seen %" PRIu64 " s ago, when it waited for %.*s",
                 since / 1000, PGASI_WAIT_TEXT, waits_for);
    else if (call.call != PGASI_BARRIER)
        snprintf(text, size, "is in %s", pgasi_call_describe(&call, call_text, sizeof call_text));
    else
        snprintf(text, size, "is not in a call that waits, and was last in %s",
                 pgasi_call_describe(&last, call_text, sizeof call_text));
}
