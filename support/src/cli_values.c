#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cli.h"

static bool read_count(const char *text, size_t min, size_t max, size_t *value)
{
    errno = 0;
    if (*text == '\0' || text[strspn(text, "0123456789")] != '\0')
        return false;
    unsigned long long number = strtoull(text, NULL, 10);
    if (errno != 0 || number < min || number > max)
        return false;
    *value = (size_t)number;
    return true;
}

size_t cli_parse_count(const char *option, const char *text, size_t min, size_t max)
{
    size_t value;
    if (!read_count(text, min, max, &value))
        cli_fail(CLI_EXIT_USAGE, "%s: '%s' is not a whole number from %zu to %zu", option, text,
                 min, max);
    return value;
}

double cli_parse_real(const char *option, const char *text, double min, double max)
{
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    if (errno != 0 || end == text || *end != '\0' ||
        text[strspn(text, "+-.0123456789eE")] != '\0' || !isfinite(value) || value < min ||
        value > max)
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

/* A part of the text, from `start` up to `end`; one too long for a number is as bad as another. */
static bool read_part(const char *start, const char *end, size_t min, size_t max, size_t *value)
{
    char part[32];
    size_t length = (size_t)(end - start);
    if (length >= sizeof part)
        return false;
    memcpy(part, start, length);
    part[length] = '\0';
    return read_count(part, min, max, value);
}

size_t cli_parse_list(const char *option, const char *text, size_t min, size_t max, size_t *values,
                      size_t room)
{
    size_t count = 0;
    for (const char *at = text;; count++) {
        const char *end = strchrnul(at, ',');
        if (count == room)
            cli_fail(CLI_EXIT_USAGE, "%s: '%s' has more than %zu numbers", option, text, room);
        if (!read_part(at, end, min, max, &values[count]))
            cli_fail(CLI_EXIT_USAGE,
                     "%s: '%.*s' in '%s' is not a whole number from %zu to %zu; expected is a list "
                     "like 1,2,8",
                     option, (int)(end - at), at, text, min, max);
        if (*end == '\0')
            return count + 1;
        at = end + 1;
    }
}

void cli_parse_pair(const char *option, const char *text, size_t min, size_t max, size_t *first,
                    size_t *second)
{
    const char *cross = strchr(text, 'x');
    if (cross == NULL)
        cli_fail(CLI_EXIT_USAGE, "%s: '%s' is not two whole numbers like 300x400", option, text);
    if (!read_part(text, cross, min, max, first))
        cli_fail(CLI_EXIT_USAGE, "%s: '%.*s' is not a whole number from %zu to %zu", option,
                 (int)(cross - text), text, min, max);
    *second = cli_parse_count(option, cross + 1, min, max);
}
