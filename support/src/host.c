#include "support/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

void host_name(char *name, size_t nbytes)
{
    char found[256] = "";
    if (gethostname(found, sizeof found - 1) != 0 || found[0] == '\0')
        snprintf(found, sizeof found, "unknown");
    found[strcspn(found, ".")] = '\0';
    snprintf(name, nbytes, "%s", found);
}

/* The value of the first line with that key, "" if there is none; `*length` receives its length. */
static const char *find(const char *text, const char *key, size_t *length)
{
    size_t key_length = strlen(key);
    for (const char *line = text; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *end = line + key_length;
        if (strncmp(line, key, key_length) != 0 || strspn(end, " \t") + end != strchr(end, ':'))
            continue;
        const char *value = strchr(end, ':') + 1;
        value += strspn(value, " \t");
        *length = strcspn(value, "\n");
        return value;
    }
    *length = 0;
    return "";
}

void host_processor_of(const char *cpuinfo, const char *architecture, char *name, size_t nbytes)
{
    size_t name_length;
    size_t family_length;
    size_t model_length;
    const char *found = find(cpuinfo, "model name", &name_length);
    const char *family = find(cpuinfo, "cpu family", &family_length);
    const char *model = find(cpuinfo, "model", &model_length);
    if (name_length == 0)
        snprintf(name, nbytes, "%s", architecture);
    else if (family_length == 0 || model_length == 0)
        snprintf(name, nbytes, "%.*s", (int)name_length, found);
    else
        snprintf(name, nbytes, "%.*s (family %.*s, model %.*s)", (int)name_length, found,
                 (int)family_length, family, (int)model_length, model);
}

void host_processor(char *name, size_t nbytes)
{
    struct utsname system;
    char text[4096] = "";
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (file != NULL) {
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
    }
    host_processor_of(text, uname(&system) == 0 ? system.machine : "unknown", name, nbytes);
}
