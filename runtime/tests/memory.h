/**
 * How much memory the calling process has, for tests that watch it.
 */
#ifndef RUNTIME_TESTS_MEMORY_H
#define RUNTIME_TESTS_MEMORY_H

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

/** A size that the kernel reports of this process: `name` is RssAnon (private memory), RssShmem
 *  (touched pages of segments) and so on. */
static inline size_t memory_kib(const char *name)
{
    FILE *file = fopen("/proc/self/status", "re");
    char line[256];
    size_t kib = 0;
    CHECK(file != NULL);
    while (fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ':')
            CHECK(sscanf(line + strlen(name) + 1, " %zu kB", &kib) == 1);
    fclose(file);
    return kib;
}

#endif
