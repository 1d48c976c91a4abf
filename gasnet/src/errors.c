#include "internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gasnet_tools.h>
#include <pgas/detail.h>

typedef struct error_text {
    int value;
    const char *name;
    const char *text;
} error_text_t;

static const error_text_t errors[] = {
    {GASNET_OK, "GASNET_OK", "No error"},
    {GASNET_ERR_RESOURCE, "GASNET_ERR_RESOURCE", "A resource is missing or has failed"},
    {GASNET_ERR_BAD_ARG, "GASNET_ERR_BAD_ARG", "An argument is invalid"},
    {GASNET_ERR_NOT_INIT, "GASNET_ERR_NOT_INIT", "GASNet is not in a state that allows the call"},
    {GASNET_ERR_BARRIER_MISMATCH, "GASNET_ERR_BARRIER_MISMATCH", "The barrier's ids differ"},
    {GASNET_ERR_NOT_READY, "GASNET_ERR_NOT_READY", "The operation is not complete yet"},
};

static const error_text_t *find(int value)
{
    static const error_text_t unknown = {0, "no known error", "no known error"};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].value == value)
            return &errors[i];
    return &unknown;
}

char *gasnet_ErrorName(int error)
{
    return (char *)(uintptr_t)find(error)->name;
}

char *gasnet_ErrorDesc(int error)
{
    return (char *)(uintptr_t)find(error)->text;
}

/* Before gasnet_init only the launcher knows the node. */
static void name_node(char *text, size_t size)
{
    const char *rank = getenv("PMIX_RANK");
    if (gasneti_stage != GASNETI_STAGE_NEW)
        snprintf(text, size, "node %u", gasnet_mynode());
    else if (rank != NULL)
        snprintf(text, size, "node %s", rank);
    else
        snprintf(text, size, "process %ld", (long)getpid());
}

void gasneti_fatal(const char *call, const char *format, ...)
{
    char reason[512];
    va_list args;
    va_start(args, format);
    /* clang-tidy 14 mistakes the list in a file that is compiled several times.
     * NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized) */
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    char where[32];
    name_node(where, sizeof where);
    dprintf(STDERR_FILENO, "%s: %s: %s: %s\n", program_invocation_short_name, where, call, reason);
    static _Thread_local bool is_failing; /* what is called below may call GASNet */
    if (!is_failing) {
        is_failing = true;
        gasnett_freezeForDebuggerErr();
        gasnett_print_backtrace_ifenabled(STDERR_FILENO);
    }
    abort();
}

void gasneti_require_list(const char *call, const void *list, size_t count)
{
    if (list == NULL && count > 0)
        gasneti_fatal(call, "a list of %zu entries is NULL", count);
}

void gasneti_require_private(const char *call, const void *ptr)
{
    if (ptr == NULL)
        gasneti_fatal(call, "the private pointer is NULL");
}

/* ---- The runtime's lines ---- */

/* Copies of several forms are one call of the runtime. */
static _Thread_local const char *current;

void gasneti_errors_name(const char *call)
{
    current = call;
}

static const char *rename_call(const char *call)
{
    static const char *const names[][2] = {
        {"pgas_am_request_short", "gasnet_AMRequestShort"},
        {"pgas_am_request_medium", "gasnet_AMRequestMedium"},
        {"pgas_am_request_long", "gasnet_AMRequestLong"},
        {"pgas_am_request_long_async", "gasnet_AMRequestLongAsync"},
        {"pgas_am_reply_short", "gasnet_AMReplyShort"},
        {"pgas_am_reply_medium", "gasnet_AMReplyMedium"},
        {"pgas_am_reply_long", "gasnet_AMReplyLong"},
        {"pgas_poll", "gasnet_AMPoll"},
        {"pgas_am_lock", "gasnet_hsl_lock"},
        {"pgas_am_trylock", "gasnet_hsl_trylock"},
        {"pgas_am_unlock", "gasnet_hsl_unlock"},
        {"pgas_am_lock_destroy", "gasnet_hsl_destroy"},
        {"pgas_am_hold_interrupts", "gasnet_hold_interrupts"},
        {"pgas_am_resume_interrupts", "gasnet_resume_interrupts"},
        {"pgas_waitsync", "gasnet_wait_syncnb"},
        {"pgas_waitsync_all", "gasnet_wait_syncnb_all"},
        {"pgas_trysync", "gasnet_try_syncnb"},
        {"pgas_trysync_all", "gasnet_try_syncnb_all"},
        {"pgas_wait_val", "gasnet_wait_syncnb_valget"},
        {"pgas_broadcast_async", "gasnet_coll_broadcast"},
        {"pgas_scatter_async", "gasnet_coll_scatter"},
        {"pgas_gather_async", "gasnet_coll_gather"},
        {"pgas_allgather_async", "gasnet_coll_gather_all"},
        {"pgas_alltoall_async", "gasnet_coll_exchange"},
        {"pgas_gatherv_async", "gasnet_coll_reduce"},
        {"pgas_allgatherv_async", "gasnet_coll_scan"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(call, names[i][0]) == 0)
            return names[i][1];
    bool is_copy = strncmp(call, "pgas_mem", 8) == 0 || strstr(call, "_val_async") != NULL;
    return is_copy && current != NULL && gasneti_is_inside() ? current : call;
}

void gasneti_errors_rename(void)
{
    pgasi_fatal_rename(rename_call);
}
