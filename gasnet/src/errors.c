#include "internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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

void gasneti_fatal(const char *call, const char *format, ...)
{
    char reason[512];
    va_list args;
    va_start(args, format);
    /* clang-tidy 14 mistakes the list in a file that is compiled several times.
     * NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized) */
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    dprintf(STDERR_FILENO, "%s: node %u: %s: %s\n", program_invocation_short_name, gasnet_mynode(),
            call, reason);
    abort();
}
