#include "net_ucx.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <ucs/debug/log_def.h>

#include "log.h"

/* UCX writes to standard output, where a program's results are. */
static ucs_log_func_rc_t tell(const char *file, unsigned line, const char *function,
                              ucs_log_level_t level, const ucs_log_component_config_t *component,
                              const char *format, va_list args)
{
    (void)file;
    (void)line;
    (void)function;
    (void)component;
    if (level > UCS_LOG_LEVEL_WARN)
        return UCS_LOG_FUNC_RC_CONTINUE;
    char text[512];
    vsnprintf(text, sizeof text, format, args);
    /* Who closes first breaks the connections of the others. */
    if (!pgasi_ucx_end_is_expected())
        pgasi_tell("UCX: %s", text);
    return UCS_LOG_FUNC_RC_STOP;
}

void pgasi_ucx_log_start(void)
{
    if (getenv("UCX_LOG_LEVEL") == NULL && getenv("UCX_LOG_FILE") == NULL)
        ucs_log_push_handler(tell);
}
