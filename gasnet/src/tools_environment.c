#include <gasnet.h>
#include <gasnet_tools.h>

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "internal.h"
#include "real.h"
#include "tools.h"

char *gasnett_getenv(const char *keyname)
{
    return gasnet_getenv(keyname);
}

void gasnett_setenv(const char *key, const char *value)
{
    gasneti_environment_forget(key);
    if (setenv(key, value, 1) != 0)
        gasnett_fatalerror("gasnett_setenv of '%s': %s", key, strerror(errno));
}

void gasnett_unsetenv(const char *key)
{
    gasneti_environment_forget(key);
    unsetenv(key);
}

/* ---- What GASNET_VERBOSEENV shows ---- */

static bool is_yes(const char *text)
{
    return strcmp(text, "1") == 0 || strcasecmp(text, "y") == 0 || strcasecmp(text, "yes") == 0;
}

static bool is_no(const char *text)
{
    return strcmp(text, "0") == 0 || strcasecmp(text, "n") == 0 || strcasecmp(text, "no") == 0;
}

int gasnett_verboseenv(void)
{
    const char *text = gasnet_getenv("GASNET_VERBOSEENV");
    return gasnet_mynode() == 0 && text != NULL && !is_no(text);
}

/* True the first time that it is asked for a name. */
static bool is_new(const char *key)
{
    static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
    static char **shown;
    static size_t count;
    bool found = false;
    pthread_mutex_lock(&guard);
    for (size_t i = 0; i < count && !found; i++)
        found = strcmp(shown[i], key) == 0;
    char **grown = found ? NULL : realloc(shown, (count + 1) * sizeof *shown);
    if (grown != NULL) {
        shown = grown;
        shown[count] = strdup(key);
        count += shown[count] != NULL;
    }
    pthread_mutex_unlock(&guard);
    return !found;
}

void gasnett_envstr_display(const char *key, const char *val, int is_dflt)
{
    if (gasnett_verboseenv() && is_new(key))
        dprintf(STDERR_FILENO, "ENV parameter: %s = %s%s\n", key, val,
                is_dflt ? "   (default)" : "");
}

void gasnett_envint_display(const char *key, int64_t val, int is_dflt, int is_mem_size)
{
    char text[64];
    gasnett_envstr_display(key, gasnett_format_number(val, text, sizeof text, is_mem_size),
                           is_dflt);
}

void gasnett_envdbl_display(const char *key, double val, int is_dflt)
{
    char text[64];
    snprintf(text, sizeof text, "%g", val);
    gasnett_envstr_display(key, text, is_dflt);
}

/* ---- Values with defaults ---- */

char *gasnett_getenv_withdefault(const char *keyname, const char *defaultval)
{
    char *set = gasnet_getenv(keyname);
    char *value = set != NULL ? set : (char *)(uintptr_t)defaultval;
    gasnett_envstr_display(keyname, value != NULL ? value : "*not set*", set == NULL);
    return value;
}

int gasnett_getenv_yesno_withdefault(const char *keyname, int defaultval)
{
    const char *text = gasnet_getenv(keyname);
    if (text == NULL || *text == '\0')
        text = NULL;
    else if (!is_yes(text) && !is_no(text))
        gasnett_fatalerror("%s=%s: neither yes nor no", keyname, text);
    int value = text != NULL ? is_yes(text) : defaultval;
    gasnett_envstr_display(keyname, value ? "YES" : "NO", text == NULL);
    return value;
}

int64_t gasnett_getenv_int_withdefault(const char *keyname, int64_t defaultval,
                                       uint64_t mem_size_multiplier)
{
    const char *text = gasnet_getenv(keyname);
    int64_t value = defaultval;
    bool is_set = text != NULL && *text != '\0';
    if (is_set && !gasneti_parse_integer(text, mem_size_multiplier, &value))
        gasnett_fatalerror("%s=%s: not a whole number", keyname, text);
    gasnett_envint_display(keyname, value, !is_set, mem_size_multiplier != 0);
    return value;
}

/* A number, or a fraction of two. */
static bool parse_real(const char *text, double *value)
{
    char *end;
    *value = gasneti_real(text, &end);
    if (end == text)
        return false;
    if (*end == '/') {
        const char *below = end + 1;
        double divisor = gasneti_real(below, &end);
        if (end == below || divisor == 0)
            return false;
        *value /= divisor;
    }
    return *end == '\0';
}

double gasnett_getenv_dbl_withdefault(const char *keyname, double defaultval)
{
    const char *text = gasnet_getenv(keyname);
    double value = defaultval;
    bool is_set = text != NULL && *text != '\0';
    if (is_set && !parse_real(text, &value))
        gasnett_fatalerror("%s=%s: not a number", keyname, text);
    gasnett_envdbl_display(keyname, value, !is_set);
    return value;
}
