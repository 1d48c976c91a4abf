#include "base/fatal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <pgas/detail.h>

#include "base/log.h"

static const pgasi_way_out_t *installed;
static pgasi_rename_t *rename_call;

void pgasi_fatal_install(const pgasi_way_out_t *way_out)
{
    installed = way_out;
}

void pgasi_fatal_rename(pgasi_rename_t *rename)
{
    rename_call = rename;
}

void pgasi_fatal(const char *call, const char *format, ...)
{
    char reason[512];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    if (installed != NULL)
        installed->claim();
    pgasi_log("%s: %s", rename_call != NULL ? rename_call(call) : call, reason);
    if (installed != NULL)
        installed->end(EXIT_FAILURE);
    _exit(EXIT_FAILURE);
}
