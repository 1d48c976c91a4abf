#include "net/ucx/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <pgas/detail.h>

#include <ucs/debug/log_def.h>

#include "base/clock.h"
#include "base/log.h"
#include "net/ucx/files.h"
#include "net/ucx/worker.h"

/* The error that is held: written once, and left alone until it has been reported. */
static char held[512];
static atomic_bool is_held;
static _Atomic uint64_t held_since;

static _Thread_local bool is_mute;

/* As long as UCX works for the job: handlers that others have pushed since may lie above. */
static atomic_bool is_on;
static bool is_set_by_user;

/* Whether no warning with this format has been reported: strangers can cause many. */
static bool is_new(const char *format)
{
    static const char *_Atomic told[16];
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) {
        const char *expected = NULL;
        if (atomic_compare_exchange_strong(&told[i], &expected, format))
            return true;
        if (expected == format)
            return false;
    }
    return false;
}

/* Whether UCX has dropped what it had no memory for: a message, or a connection that another thread
 * has asked for. */
static bool is_lost(const char *text)
{
    static const char *const what[] = {
        "allocate a chunk", "allocate ep",     "UCP request", "allocate request",
        "for assembling",   "connect request", "reply",       "ep's send/recv buf"};
    if (strstr(text, "ailed to allocate") == NULL)
        return false;
    for (size_t i = 0; i < sizeof what / sizeof what[0]; i++)
        if (strstr(text, what[i]) != NULL)
            return true;
    return false;
}

/* Where UCX has no buffers for a connection it reads no more from it, until it has some. */
static bool has_memory_again(void)
{
    const size_t of_a_pool = (size_t)16 << 20;
    void *piece = mmap(NULL, of_a_pool, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (piece == MAP_FAILED)
        return false;
    munmap(piece, of_a_pool);
    return true;
}

/* UCX goes on without memory. */
static void check_memory(const char *text)
{
    bool is_short = strstr(text, ucs_status_string(UCS_ERR_NO_MEMORY)) != NULL;
    if (!is_lost(text) && (!is_short || has_memory_again()))
        return;
    pgasi_ucx_stay_out();
    pgasi_fatal("network", "no memory for messages (ulimit -v, -d): %s", text);
}

/* What the job cannot go on with. */
static void check(const char *text)
{
    pgasi_ucx_files_check();
    if (!is_mute)
        check_memory(text);
}

/* UCX writes to standard output, where a program's results are, unless it is told another place. */
static ucs_log_func_rc_t tell(const char *file, unsigned line, const char *function,
                              ucs_log_level_t level, const ucs_log_component_config_t *component,
                              const char *format, va_list args)
{
    (void)file;
    (void)line;
    (void)function;
    (void)component;
    if (!is_on || level > UCS_LOG_LEVEL_WARN)
        return UCS_LOG_FUNC_RC_CONTINUE;
    char text[sizeof held];
    vsnprintf(text, sizeof text, format, args);
    if (level < UCS_LOG_LEVEL_WARN)
        check(text);
    else
        pgasi_ucx_files_check(); /* of what it only warns, as of an address that it cannot find */
    if (is_set_by_user)
        return UCS_LOG_FUNC_RC_CONTINUE;
    if (level == UCS_LOG_LEVEL_WARN) {
        if (is_new(format))
            pgasi_tell("UCX: %s", text);
        return UCS_LOG_FUNC_RC_STOP;
    }
    if (is_mute)
        return UCS_LOG_FUNC_RC_STOP;
    if (!atomic_exchange(&is_held, true)) {
        snprintf(held, sizeof held, "%s", text);
        atomic_store(&held_since, pgasi_milliseconds());
    }
    return UCS_LOG_FUNC_RC_STOP;
}

void pgasi_ucx_log_start(void)
{
    is_set_by_user = getenv("UCX_LOG_LEVEL") != NULL || getenv("UCX_LOG_FILE") != NULL;
    is_on = true;
    ucs_log_push_handler(tell);
}

void pgasi_ucx_log_stop(void)
{
    pgasi_ucx_log_flush(0);
    is_on = false;
}

void pgasi_ucx_log_mute(bool yes)
{
    is_mute = yes;
}

void pgasi_ucx_log_flush(unsigned age)
{
    uint64_t since = atomic_load(&held_since);
    if (since == 0 || pgasi_milliseconds() - since < age)
        return;
    if (!atomic_compare_exchange_strong(&held_since, &since, 0))
        return; /* another thread tells it */
    pgasi_tell("UCX: %s", held);
    atomic_store(&is_held, false);
}
