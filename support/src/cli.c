#include "support/cli.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char version[128];

void cli_init(const char *program)
{
    snprintf(version, sizeof version, "%s (Fathom) %s", program, FATHOM_VERSION);
    argp_program_version = version;
    argp_err_exit_status = CLI_EXIT_USAGE;
}

void cli_fail(int status, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, text);
    exit(status);
}

size_t cli_parse_count(const char *option, const char *text, size_t min, size_t max)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || strchr(text, '-') != NULL || value < min ||
        value > max)
        cli_fail(CLI_EXIT_USAGE, "%s: '%s' is not a whole number from %zu to %zu", option, text,
                 min, max);
    return (size_t)value;
}

double cli_parse_real(const char *option, const char *text, double min, double max)
{
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    if (errno != 0 || end == text || *end != '\0' || !isfinite(value) || value < min || value > max)
        cli_fail(CLI_EXIT_USAGE, "%s: '%s' is not a number from %g to %g", option, text, min, max);
    return value;
}

int cli_parse_choice(const char *option, const char *text, const char *const *choices)
{
    char list[512] = "";
    for (int i = 0; choices[i] != NULL; i++) {
        if (strcmp(text, choices[i]) == 0)
            return i;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", choices[i]);
    }
    cli_fail(CLI_EXIT_USAGE, "%s: '%s' is not one of %s", option, text, list);
}
